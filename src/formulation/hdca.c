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
#include "formulation/momentum_axes.h"
#include "formulation/walk.h"
#include "math/spatial.h"

/* p_k = H_k^T W_k; modes: sum over links of M^T W */
static void project_on_joints(const clv_system *s, const double *W, double *p)
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

/* momenta of the joints and modes from W = sums of M V */
static void project_momenta(clv_system *s, double *p)
{
    project_on_joints(s, s->W, p);
    clv_kinematics_modal_momentum(&s->kin, s->modal);
    add_modal(s, p, s->modal);
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
    project_momenta(s, y + p->nq);
    clv_momentum_axes_turn(s, y + p->nq);
    memset(s->sigma, 0, (size_t)p->nsigma * sizeof(double));
    return CLV_OK;
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

static void momentum_rates(clv_system *s, double *pdot)
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
    momentum_rates(s, pdot);
    project_momenta(s, p); /* W holds the sums of M V */
    s->summed = summed;
}

/* momenta along the joints out of those of the state */
static const double *along_joints(clv_system *s, const double *p)
{
    clv_momentum_axes *m = s->private_state;
    if (!m || m->count == 0)
        return p;
    memcpy(m->p, p, (size_t)s->plan->nu * sizeof(double));
    clv_momentum_axes_turn_back(s, m->p);
    return m->p;
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
    clv_engine_solve(&s->engine, s->kin.V, s->u, s->b, along_joints(s, y + p->nq), s->c, NULL);
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
    project_on_joints(s, s->W, m->p);
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
    momentum_rates(s, ydot + p->nq);
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
    project_on_joints(s, s->W, s->u);
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
    clv_engine_solve(&s->engine, s->x, s->ud, s->b, along_joints(s, e + p->nq), NULL, NULL);
    memset(s->W, 0, 6 * (size_t)p->nbody * sizeof(double));
    clv_engine_closing_wrenches(&s->engine, s->W, s->engine.sigma, 1.0);
    clv_engine_accumulate(&s->engine, s->W);
    project_on_joints(s, s->W, s->ud);
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
    .layout = clv_momentum_axes_layout,
    .start = start,
    .rates = rates,
    .velocities = solve_velocities,
    .momenta = &momenta,
};
