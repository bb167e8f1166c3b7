/* SPDX-License-Identifier: Apache-2.0
 * Rates of hdca and dca body by body, in model order (T9, T10, T12), with the engine's verbs: what rows are compared
 * with.  All by-products are there afterwards, as after clv_walk_view. */
#ifndef CLV_TESTS_BY_BODIES_H
#define CLV_TESTS_BY_BODIES_H
#include <string.h>
#include "formulation/momenta.h"
#include "formulation/momentum_axes.h"
#include "formulation/rate_form.h"

/* velocities from momenta; leaves V, u in kin and sigma */
static clv_status by_bodies_velocities(clv_system *s, double t, const double *y)
{
    const clv_plan *p = s->plan;
    clv_status st = clv_system_place(s, t, y);
    if (st != CLV_OK)
        return st;
    memset(s->b, 0, 6 * (size_t)p->nbody * sizeof(double));
    clv_kinematics_velocity_bias(&s->kin, s->c);
    clv_engine_solve(&s->engine, s->kin.V, s->u, s->b, clv_momentum_axes_along_joints(s, y + p->nq), s->c, NULL);
    if ((st = clv_system_solved(s)) != CLV_OK)
        return st;
    memcpy(s->sigma, s->engine.sigma, (size_t)p->nsigma * sizeof(double));
    for (size_t b = 0; b < (size_t)p->nbody; b++)
        for (int c = 0; c < p->tree[b].f; c++)
            clv_kinematics_u(&s->kin, b)[c] = s->u[p->tree[b].iu + c];
    clv_kinematics_modal_rates(&s->kin, s->u);
    return CLV_OK;
}

/* rates of the momenta of the state, in axes of bodies where it has these (T9.4) */
static void by_bodies_turn(clv_system *s, double *pdot)
{
    clv_momentum_axes *m = s->private_state;
    if (!m || m->count == 0)
        return;
    clv_momenta_along_joints(s, s->W, m->p);
    clv_momentum_axes_turn_rates(s, m->p, pdot);
}

static clv_status by_bodies_hdca(clv_system *s, double t, const double *y, double *ydot)
{
    const clv_plan *p = s->plan;
    clv_status st = by_bodies_velocities(s, t, y);
    if (st != CLV_OK)
        return st;
    clv_kinematics_rates(&s->kin);
    st = clv_system_loads(s);
    if (st != CLV_OK)
        return st;
    clv_system_qdot(s, ydot);
    const bool loose = s->engine.loose;
    if (s->summed || loose || s->model->nmotion > 0)
        clv_system_accelerate(s);
    if (loose && (st = clv_system_solved(s)) != CLV_OK)
        return st;
    clv_momenta_rates(s, ydot + p->nq);
    by_bodies_turn(s, ydot + p->nq);
    if (s->model->nmotion > 0) {
        clv_system_reactions(s);
        clv_system_motion_power(s);
    }
    ydot[p->nq + p->nu] = s->power;
    return CLV_OK;
}

static clv_status by_bodies_dca(clv_system *s, double t, const double *y, double *ydot)
{
    const clv_plan *p = s->plan;
    clv_status st = clv_system_place(s, t, y);
    if (st == CLV_OK)
        st = clv_rate_form_move(s, y);
    if (st != CLV_OK)
        return st;
    clv_system_right_side(s);
    clv_kinematics_acceleration_bias(&s->kin, s->c, s->a);
    clv_system_stabilize(s);
    clv_engine_solve(&s->engine, s->x, s->ud, s->b, s->force, s->c, s->a);
    if ((st = clv_system_solved(s)) != CLV_OK)
        return st;
    memcpy(s->lambda, s->engine.sigma, (size_t)p->nsigma * sizeof(double));
    if (s->model->nmotion > 0) {
        clv_system_reactions(s);
        clv_system_motion_power(s);
    }
    clv_rate_form_give(s, y, ydot);
    return CLV_OK;
}

/* of the form (q, p) or (q, u) */
static clv_status by_bodies_rates(clv_system *s, clv_state_kind form, double t, const double *y, double *ydot)
{
    return form == CLV_STATE_MOMENTA ? by_bodies_hdca(s, t, y, ydot) : by_bodies_dca(s, t, y, ydot);
}

#endif
