/* SPDX-License-Identifier: Apache-2.0
 * The mechanism beside the output state; see linearize.h (T64.2). */
#include "simulation/linearize.h"
#include <math.h>
#include <string.h>
#include "base/error.h"
#include "math/rotation.h"
#include "simulation/react.h"

/* q displaced by z with loops closed, and u0 changed by w made consistent there, become the output state. */
static clv_status place(clv_linearizer *l)
{
    clv_sim *s = l->s;
    double moved;
    memcpy(s->system.kin.turn, l->turn0, 6 * (size_t)s->plan->nedge * sizeof(double));
    if (!clv_statics_move(&l->e, l->z, l->q))
        return clv_fail(&s->error, CLV_ERR_NO_CONVERGENCE,
                        "the loops do not close beside the position: no linear system is found");
    memcpy(s->q, l->q, (size_t)s->plan->nq * sizeof(double));
    for (int i = 0; i < l->n; i++) {
        s->u[i] = l->u0[i];
        for (int k = 0; k < l->g; k++)
            s->u[i] += l->N[(size_t)k * (size_t)l->n + (size_t)i] * l->w[k];
    }
    clv_status st = clv_system_pose(&s->system, s->out_time, s->q);
    if (st == CLV_OK)
        st = s->any_loop ? clv_system_factor(&s->system) : clv_factor_open(s);
    if (st == CLV_OK && s->any_loop)
        clv_project_velocity(s, s->u, &moved);
    return st == CLV_OK ? clv_sim_adopt(s, s->out_kinetic + s->out_potential) : st;
}

/* rotations of a quaternion are those of its body's axes, as rates are (T3) */
static double displacement(const clv_linearizer *l, const clv_place_of *p)
{
    const double *q = l->s->q + p->q, *q0 = l->e.q + p->q;
    double back[4], step[4], turn[3];
    if (p->turn < 0)
        return q[0] - q0[0];
    clv_quat_conjugate(back, q0);
    clv_quat_product(step, back, q);
    clv_quat_log(turn, step);
    return turn[p->turn];
}

clv_status clv_linear_sample(clv_linearizer *l, double *to)
{
    clv_sim *s = l->s;
    double *rate = to + l->n, *acceleration = rate + l->n;
    clv_status st = clv_sim_enter(s, __func__);
    if (st == CLV_OK)
        st = clv_sim_leave(s, place(l));
    if (st != CLV_OK)
        return st;
    for (int i = 0; i < l->n; i++)
        to[i] = displacement(l, &l->place[i]);
    for (int i = 0; i < l->n; i++)
        rate[i] = s->u[i] - l->u0[i];
    st = clv_sim_react(s);
    for (int k = 0; k < l->g && st == CLV_OK; k++)
        acceleration[k] = s->udot[l->moving[k]];
    if (st == CLV_OK && l->noutput > 0)
        st = l->output(l->user, s, acceleration + l->g);
    return st;
}

void clv_linear_restore(clv_linearizer *l)
{
    clv_sim *s = l->s;
    const size_t turns = 6 * (size_t)s->plan->nedge * sizeof(double);
    const clv_error kept = s->error;
    memcpy(s->out_y, l->y0, (size_t)s->n * sizeof(double));
    memcpy(s->out_turn, l->turn0, turns), memcpy(s->system.kin.turn, l->turn0, turns);
    s->evaluated = false, s->seen_t = NAN, s->system.held = 0, s->shown = 0;
    (void)clv_sim_show(s);
    s->error = kept;
}
