/* SPDX-License-Identifier: Apache-2.0
 * NaN in place of the numbers that are given back to the system, which may be zero or old (T149, T165). */
#ifndef CLV_TESTS_SPOIL_H
#define CLV_TESTS_SPOIL_H
#include <math.h>
#include "simulation/sim.h"

static inline void spoil(double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = NAN;
}

/* What is in model order, and what only the start reads. */
static inline void spoil_model_order(clv_sim *s)
{
    clv_system *k = &s->system;
    const size_t n = (size_t)s->plan->nbody, columns = 6 * (size_t)s->plan->nh;
    const size_t nq = (size_t)s->plan->nq, nu = (size_t)s->plan->nu;
    spoil(k->kin.R, 9 * n), spoil(k->kin.ref, 3 * n), spoil(k->kin.com, 3 * n), spoil(k->kin.Jc, 6 * n);
    spoil(k->kin.V, 6 * n), spoil(k->kin.Hd, columns), spoil(k->engine.arm, 3 * n), spoil(k->engine.free, columns);
    spoil(k->engine.dual, columns), spoil(k->com_V, 6 * n), spoil(k->Q, 6 * n), spoil(k->x, 6 * n);
    spoil(k->T, 6 * n), spoil(k->W, 6 * n), spoil(s->P, 6 * n), spoil(s->out_r, 3 * n), spoil(s->out_e, 4 * n);
    spoil(s->out_V, 6 * n), spoil(s->frame_A, 6 * n);
    spoil((double *)k->kin.place, n * sizeof *k->kin.place / sizeof(double));
    spoil(k->kin.q, (size_t)s->plan->nc), spoil(k->kin.u, (size_t)s->plan->nh), spoil(k->posed_q, nq);
    spoil(s->y, (size_t)s->n), spoil(s->q, nq), spoil(s->dq, nu), spoil(s->trial, nu);
    spoil(s->p, nu), spoil(s->pdot, nu), spoil(s->udot, nu);
}

#endif
