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

static clv_status rates(clv_system *s, double t, const double *y, double *ydot)
{
    const clv_status st = clv_walk_hdca(s, t, y, ydot);
    s->walked = st == CLV_OK;
    if (s->walked && !s->lean)
        clv_walk_view(s, y);
    return st;
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
    if (!clv_walk_impulses(s, clv_momentum_axes_along_joints(s, e + p->nq)))
        return;
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
    .state = CLV_STATE_MOMENTA,
    .lanes = true,
    .carried = true,
    .abreast = true,
    .threads = true,
    .layout = clv_momentum_axes_layout,
    .start = start,
    .rates = rates,
    .velocities = clv_walk_velocities,
    .momenta = &momenta,
};
