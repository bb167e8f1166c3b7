/* SPDX-License-Identifier: Apache-2.0
 * Canonical momenta and their rates in model order; see momenta.h. */
#include "formulation/momenta.h"
#include <string.h>
#include "math/spatial.h"

void clv_momenta_along_joints(const clv_system *s, const double *W, double *p)
{
    const clv_plan *plan = s->plan;
    for (size_t b = 0; b < (size_t)plan->nbody; b++)
        for (int c = 0; c < plan->tree[b].f; c++)
            p[plan->tree[b].iu + c] = clv_dot6(s->kin.H + clv_columns(plan, b) + 6 * (size_t)c, W + 6 * b);
    for (int k = 0; k < plan->nstar; k++)
        memset(p + plan->star[k].iu, 0, (size_t)plan->star[k].nmode * sizeof(double));
    for (size_t b = 0; b < (size_t)plan->nbody; b++)
        for (int c = 0; c < clv_nmode(plan, b); c++)
            p[plan->star[plan->tree[b].link].iu + c] +=
                clv_dot6(s->engine.modes + clv_modes(plan, b) + 6 * (size_t)c, W + 6 * b);
}

/* p += x on the modes (nmode) */
static void add_modal(const clv_system *s, double *p, const double *x)
{
    for (int k = 0; k < s->plan->nstar; k++)
        for (int m = 0; m < s->plan->star[k].nmode; m++)
            p[s->plan->star[k].iu + m] += x[s->plan->star[k].mode + m];
}

void clv_momenta_of_sums(clv_system *s, double *p)
{
    clv_momenta_along_joints(s, s->W, p);
    for (size_t i = 0; i < (size_t)s->plan->narmed; i++) {
        const size_t b = (size_t)s->plan->armed[i];
        for (int c = 0; c < s->plan->tree[b].f; c++)
            p[s->plan->tree[b].iu + c] += clv_armature_of(s->plan, (int)b, c) * clv_kinematics_u(&s->kin, b)[c];
    }
    clv_kinematics_modal_momentum(&s->kin, s->modal);
    add_modal(s, p, s->modal);
}

double clv_momentum_rate(const double *H, const double *Hd, const double *V, const double *Q, const double *P)
{
    double vxh[3];
    clv_cross(vxh, V, H + 3);
    return clv_dot6(H, Q) + clv_dot6(Hd, P) + clv_dot3(vxh, P);
}

static void modal_rates(clv_system *s, double *pdot, const double *Qbar, const double *Pbar)
{
    const clv_plan *p = s->plan;
    clv_kinematics_modal_slope(&s->kin, s->modal);
    for (int k = 0; k < p->nstar; k++)
        memcpy(pdot + p->star[k].iu, s->tau + p->star[k].iu, (size_t)p->star[k].nmode * sizeof(double));
    add_modal(s, pdot, s->modal);
    for (size_t b = 0; b < (size_t)p->nbody; b++)
        for (int c = 0; c < clv_nmode(p, b); c++) {
            size_t at = clv_modes(p, b) + 6 * (size_t)c;
            pdot[p->star[p->tree[b].link].iu + c] +=
                clv_momentum_rate(s->engine.modes + at, s->kin.Md + at, s->kin.V + 6 * b, Qbar + 6 * b, Pbar + 6 * b);
        }
}

void clv_momenta_rates(clv_system *s, double *pdot)
{
    const clv_plan *plan = s->plan;
    double *Pbar = s->W, *Qbar = s->T;
    clv_kinematics_momentum(&s->kin, Pbar);
    if (!s->summed)
        clv_engine_closing_wrenches(&s->engine, Pbar, s->sigma, -1.0);
    clv_engine_accumulate(&s->engine, Pbar);
    memcpy(Qbar, s->Q, 6 * (size_t)plan->nbody * sizeof(double));
    if (s->summed)
        clv_engine_closing_wrenches(&s->engine, Qbar, s->lambda, 1.0);
    else
        clv_kinematics_closing_loads(&s->kin, s->sigma, Qbar);
    clv_engine_accumulate(&s->engine, Qbar);
    for (size_t b = 0; b < (size_t)plan->nbody; b++)
        for (int c = 0; c < plan->tree[b].f; c++) {
            const double *H = s->kin.H + clv_columns(plan, b) + 6 * (size_t)c,
                         *Hd = s->kin.Hd + clv_columns(plan, b) + 6 * (size_t)c;
            pdot[plan->tree[b].iu + c] =
                clv_momentum_rate(H, Hd, s->kin.V + 6 * b, Qbar + 6 * b, Pbar + 6 * b) + s->tau[plan->tree[b].iu + c];
        }
    modal_rates(s, pdot, Qbar, Pbar);
}

void clv_hdca_momenta(clv_system *s, double *p, double *pdot)
{
    const bool summed = s->summed;
    s->summed = false;
    memset(s->sigma, 0, (size_t)s->plan->nsigma * sizeof(double));
    clv_momenta_rates(s, pdot);
    clv_momenta_of_sums(s, p); /* W holds the sums of M V */
    s->summed = summed;
}
