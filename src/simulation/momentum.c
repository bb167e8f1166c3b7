/* SPDX-License-Identifier: Apache-2.0
 * Centres of mass of flexible bodies as they are deformed, and the momentum of the whole system (T37).
 *
 *   centre of mass  c = c_0 + d,   d = R sum S_k eta_k / m          c_0: where it lies undeformed, carried by the frame
 *   momentum        p = sum P_i,   L_c = sum n_i + (r_i - c) x P_i  [P_i; n_i] = I_i V_i (+ Mrf eta') at the reference
 *                                                                   point r_i
 *
 * Sums run in the order of the bodies. */
#include <string.h>
#include "math/rotation.h"
#include "simulation/sim.h"

/* R sum S_k x_k / m */
static void deformed(const clv_sim *s, int star, const double *x, double d[3])
{
    const clv_flex *f = &s->model->flex[star];
    const double mass = s->model->body[f->body].mass;
    double sum[3] = {0};
    for (int k = 0; k < f->nmode; k++)
        clv_axpy3(sum, x[k], f->S + 3 * (size_t)k);
    for (int i = 0; mass > 0 && i < 3; i++)
        sum[i] /= mass;
    clv_mat3_times(d, s->system.kin.R + 9 * (size_t)f->body, sum);
}

void clv_momentum_centres(clv_sim *s)
{
    for (int i = 0; i < s->plan->nstar; i++) {
        const size_t b = (size_t)s->model->flex[i].body;
        const int mode = s->plan->star[i].mode;
        double d[3], dd[3], x[3], *V = s->out_V + 6 * b;
        deformed(s, i, s->system.kin.eta + mode, d);
        deformed(s, i, s->system.kin.etad + mode, dd);
        clv_cross(x, V + 3, d);
        clv_axpy3(s->out_r + 3 * b, 1.0, d);
        clv_axpy3(V, 1.0, x), clv_axpy3(V, 1.0, dd);
    }
}

void clv_momentum_accelerations(clv_sim *s)
{
    if (s->plan->nstar > 0)
        memcpy(s->out_A, s->frame_A, 6 * (size_t)s->plan->nbody * sizeof(double));
    for (int i = 0; i < s->plan->nstar; i++) {
        const size_t b = (size_t)s->model->flex[i].body;
        const clv_star *star = &s->plan->star[i];
        const double *w = s->out_V + 6 * b + 3;
        double d[3], dd[3], x[3], *A = s->out_A + 6 * b;
        deformed(s, i, s->system.kin.eta + star->mode, d);
        deformed(s, i, s->system.kin.etad + star->mode, dd);
        clv_cross(x, w, d);
        clv_axpy3(x, 2.0, dd); /* w x (w x d + 2 d') + w' x d + R sum S_k eta_k'' / m */
        clv_cross(x, w, x);
        clv_axpy3(A, 1.0, x);
        clv_cross(x, A + 3, d);
        clv_axpy3(A, 1.0, x);
        deformed(s, i, s->udot + star->iu, x);
        clv_axpy3(A, 1.0, x);
    }
}

void clv_momentum_show(clv_sim *s)
{
    clv_momentum *m = &s->out_momentum;
    const clv_kinematics *k = &s->system.kin;
    const size_t n = (size_t)s->plan->nbody;
    double sum[3] = {0}, x[3], l[3];
    memset(m, 0, sizeof *m);
    for (size_t b = 0; b < n; b++) {
        m->mass += s->model->body[b].mass;
        clv_axpy3(sum, s->model->body[b].mass, s->out_r + 3 * b);
    }
    for (int i = 0; m->mass > 0 && i < 3; i++)
        m->centre[i] = sum[i] / m->mass;
    clv_kinematics_momentum(k, s->P);
    for (size_t b = 0; b < n; b++) {
        const double *P = s->P + 6 * b;
        clv_axpy3(m->linear, 1.0, P);
        clv_sub3(l, k->ref + 3 * b, m->centre);
        clv_cross(x, l, P);
        clv_axpy3(m->angular, 1.0, P + 3), clv_axpy3(m->angular, 1.0, x);
    }
}

void clv_sim_momentum(const clv_sim *s, clv_momentum *momentum)
{
    if (momentum)
        *momentum = clv_sim_look(s) ? s->out_momentum : (clv_momentum){0};
}
