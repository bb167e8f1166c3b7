/* SPDX-License-Identifier: Apache-2.0
 * HDCA (HDCA17): Hamilton's canonical equations by divide and conquer.  State (q, p).
 *
 *   rates: M V = sum of +-(D sigma + G p), D^T (V_B - V_A - V_J) = 0     one solve, velocity level        T9
 *          p' = H^T (Qbar) + Hdot^T Pbar + (v_O x h_w).f + tau           Qbar with the pairs -Ddot sigma   T10
 *   where Pbar_k = sum of (M V - closing impulses) outboard of joint k.
 *
 * p_k is the quasi-momentum dT/du_k; the closing impulses sigma grow with time, so p is re-gauged (sigma = 0) after accepted
 * steps (T11).  A stored state of an earlier time moves into the new gauge by p_k += H_k^T (sum of closing wrenches of the
 * constant sigma outboard of k, taken at its own configuration). */
#include <string.h>
#include "formulation/system.h"
#include "math/spatial.h"

/* p_k = H_k^T W_k */
static void project_on_joints(const clv_system *s, const double *W, double *p)
{
    const clv_plan *plan = s->plan;
    for (size_t b = 0; b < (size_t)plan->nbody; b++)
        for (int c = 0; c < plan->tree[b].f; c++)
            p[plan->tree[b].iu + c] = clv_dot6(s->kin.H + clv_columns(plan, b) + 6 * (size_t)c, W + 6 * b);
}

static clv_status start(clv_system *s, double t, const double *q, const double *u, double *y)
{
    const clv_plan *p = s->plan;
    clv_kinematics_poses(&s->kin, t, q);
    clv_kinematics_fill(&s->kin);
    clv_kinematics_velocities(&s->kin, u);
    clv_kinematics_momentum(&s->kin, s->W);
    clv_engine_accumulate(&s->engine, s->W);
    memmove(y, q, (size_t)p->nq * sizeof(double));
    project_on_joints(s, s->W, y + p->nq);
    memset(s->sigma, 0, (size_t)p->nsigma * sizeof(double));
    return CLV_OK;
}

static void momentum_rates(clv_system *s, double *pdot)
{
    const clv_plan *plan = s->plan;
    double *Pbar = s->W, *Qbar = s->T;
    clv_kinematics_momentum(&s->kin, Pbar);
    clv_engine_closing_wrenches(&s->engine, Pbar, s->sigma, -1.0);
    clv_engine_accumulate(&s->engine, Pbar);
    memcpy(Qbar, s->Q, 6 * (size_t)plan->nbody * sizeof(double));
    clv_kinematics_closing_loads(&s->kin, s->sigma, Qbar);
    clv_engine_accumulate(&s->engine, Qbar);
    for (size_t b = 0; b < (size_t)plan->nbody; b++)
        for (int c = 0; c < plan->tree[b].f; c++) {
            const double *H = s->kin.H + clv_columns(plan, b) + 6 * (size_t)c, *Hd = s->kin.Hd + clv_columns(plan, b) + 6 * (size_t)c;
            double vxh[3];
            clv_cross(vxh, s->kin.V + 6 * b, H + 3);
            pdot[plan->tree[b].iu + c] = clv_dot6(H, Qbar + 6 * b) + clv_dot6(Hd, Pbar + 6 * b) +
                                         clv_dot3(vxh, Pbar + 6 * b) + s->tau[plan->tree[b].iu + c];
        }
}

void clv_hdca_momenta(clv_system *s, double *p, double *pdot)
{
    memset(s->sigma, 0, (size_t)s->plan->nsigma * sizeof(double));
    momentum_rates(s, pdot);
    project_on_joints(s, s->W, p); /* W holds the sums of M V */
}

/* velocities from momenta; leaves V, u in kin and sigma */
static clv_status solve_velocities(clv_system *s, double t, const double *y)
{
    const clv_plan *p = s->plan;
    clv_status st = clv_system_place(s, t, y);
    if (st != CLV_OK)
        return st;
    memset(s->b, 0, 6 * (size_t)p->nbody * sizeof(double));
    clv_kinematics_velocity_bias(&s->kin, s->c);
    clv_engine_solve(&s->engine, s->kin.V, s->u, s->b, y + p->nq, s->c, NULL);
    if (s->engine.stalled)
        return clv_system_fail(s, CLV_ERR_SINGULAR, -1, -1, "a body spins freely about an axis with next to no inertia");
    memcpy(s->sigma, s->engine.sigma, (size_t)p->nsigma * sizeof(double));
    for (size_t b = 0; b < (size_t)p->nbody; b++)
        for (int c = 0; c < p->tree[b].f; c++)
            s->kin.u[6 * b + (size_t)c] = s->u[p->tree[b].iu + c];
    return CLV_OK;
}

static clv_status rates(clv_system *s, double t, const double *y, double *ydot)
{
    const clv_plan *p = s->plan;
    clv_status st = solve_velocities(s, t, y);
    if (st != CLV_OK)
        return st;
    clv_kinematics_rates(&s->kin);
    st = clv_system_loads(s);
    if (st != CLV_OK)
        return st;
    clv_system_qdot(s, ydot);
    momentum_rates(s, ydot + p->nq);
    if (s->model->nmotion > 0) { /* power of the drives needs their reactions */
        clv_system_accelerate(s);
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
    project_on_joints(s, s->W, s->u);
    for (int i = 0; i < p->nu; i++)
        y[p->nq + i] += s->u[i];
    return CLV_OK;
}

const clv_formulation clv_formulation_hdca = {
    .name = "hdca",
    .text = "Hamilton's canonical equations: loops closed at velocity level (default)",
    .start = start,
    .rates = rates,
    .velocities = solve_velocities,
    .regauge = regauge,
};
