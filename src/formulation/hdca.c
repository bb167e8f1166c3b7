/* SPDX-License-Identifier: Apache-2.0
 * HDCA (HDCA17): Hamilton's canonical equations by divide and conquer.  State (q, p).
 *
 *   rates: M V = sum of +-(D sigma + G p), D^T (V_B - V_A - V_J) = 0     one solve, velocity level        T9
 *          p' = H^T (Qbar) + Hdot^T Pbar + (v_O x h_w).f + tau           Qbar with the pairs -Ddot sigma   T10
 *   where Pbar_k = sum of (M V - closing impulses) outboard of joint k.
 *
 *   near singular positions (`summed`): p' = H^T (Qbar) + Hdot^T P + .., Qbar with the reactions lambda of the loops,
 *   P_k = sum of M V: sigma stays zero and its logarithm there is not integrated                         T11
 *
 *          modes: p_f = dT/d eta' + sum over links of M^T (sum outboard), its rate by the same rule        T31
 *
 * p_k is the quasi-momentum dT/du_k; the closing impulses sigma grow with time, so p is re-gauged (sigma = 0) after
 * accepted steps (T11).  A stored state of an earlier time moves into the new gauge by p_k += H_k^T (sum of closing
 * wrenches of the constant sigma outboard of k, taken at its own configuration). */
#include <string.h>
#include "formulation/momenta.h"
#include "formulation/momentum_axes.h"
#include "formulation/walk.h"

static clv_status start(clv_system *s, double t, const double *q, const double *u, double *y)
{
    const clv_plan *p = s->plan;
    clv_system_show(s, t, q);
    clv_kinematics_velocities(&s->kin, u);
    clv_kinematics_momentum(&s->kin, s->W);
    clv_engine_accumulate(&s->engine, s->W);
    memmove(y, q, (size_t)p->nq * sizeof(double));
    clv_momenta_of_sums(s, y + p->nq);
    clv_momentum_axes_turn(s, y + p->nq);
    memset(s->sigma, 0, (size_t)p->nsigma * sizeof(double));
    return CLV_OK;
}

/* velocities from momenta; leaves V, u in kin and sigma */
static clv_status solve_velocities(clv_system *s, double t, const double *y)
{
    const clv_plan *p = s->plan;
    if (clv_walk_velocities(s, t, y))
        return CLV_OK;
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
            s->kin.u[6 * b + (size_t)c] = s->u[p->tree[b].iu + c];
    clv_kinematics_modal_rates(&s->kin, s->u);
    return CLV_OK;
}

/* rates of the momenta of the state; with those that the rates were made of, which are the state's but for what loops
 * take up */
static void turn_rates(clv_system *s, double *pdot)
{
    clv_momentum_axes *m = s->private_state;
    if (!m || m->count == 0)
        return;
    clv_momenta_along_joints(s, s->W, m->p);
    clv_momentum_axes_turn_rates(s, m->p, pdot);
}

static clv_status rates(clv_system *s, double t, const double *y, double *ydot)
{
    const clv_plan *p = s->plan;
    if ((s->walked = clv_walk_hdca(s, t, y, ydot))) {
        if (!s->lean || s->summed) /* `visible` solves body by body */
            clv_walk_view(s, y);
        return CLV_OK;
    }
    clv_status st = solve_velocities(s, t, y);
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
    if (loose && (st = clv_system_solved(s)) != CLV_OK) /* its momentum is small yet, but is it loaded? */
        return st;
    clv_momenta_rates(s, ydot + p->nq);
    turn_rates(s, ydot + p->nq);
    if (s->model->nmotion > 0) { /* power of the drives needs their reactions */
        clv_system_reactions(s);
        clv_system_motion_power(s);
    }
    ydot[p->nq + p->nu] = s->power;
    return CLV_OK;
}

static clv_status regauge(clv_system *s, double t, double *y, const double *sigma)
{
    const clv_plan *p = s->plan;
    clv_kinematics_poses(&s->kin, t, y);
    clv_kinematics_fill(&s->kin);
    memset(s->W, 0, 6 * (size_t)p->nbody * sizeof(double));
    clv_engine_closing_wrenches(&s->engine, s->W, sigma, 1.0);
    clv_engine_accumulate(&s->engine, s->W);
    clv_momenta_along_joints(s, s->W, s->u);
    clv_momentum_axes_turn(s, s->u);
    for (int i = 0; i < p->nu; i++)
        y[p->nq + i] += s->u[i];
    return CLV_OK;
}

/* e_p := momenta of the velocities that e_p causes: the loops take up the rest */
static void visible(clv_system *s, double *e)
{
    const clv_plan *p = s->plan;
    memset(s->b, 0, 6 * (size_t)p->nbody * sizeof(double));
    clv_engine_solve(&s->engine, s->x, s->ud, s->b, clv_momentum_axes_along_joints(s, e + p->nq), NULL, NULL);
    memset(s->W, 0, 6 * (size_t)p->nbody * sizeof(double));
    clv_engine_closing_wrenches(&s->engine, s->W, s->engine.sigma, 1.0);
    clv_engine_accumulate(&s->engine, s->W);
    clv_momenta_along_joints(s, s->W, s->ud);
    clv_momentum_axes_turn(s, s->ud);
    for (int i = 0; i < p->nu; i++)
        e[p->nq + i] += s->ud[i];
}

static const clv_momentum_form momenta = {.visible = visible, .regauge = regauge};

const clv_formulation clv_formulation_hdca = {
    .name = "hdca",
    .text = "Hamilton's canonical equations: loops closed at velocity level (default)",
    .state = CLV_STATE_MOMENTA,
    .lanes = true,
    .threads = true,
    .layout = clv_momentum_axes_layout,
    .start = start,
    .rates = rates,
    .velocities = solve_velocities,
    .momenta = &momenta,
};
