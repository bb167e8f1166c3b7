/* SPDX-License-Identifier: Apache-2.0
 * The mass-matrix baseline (T18): joint-space equations of motion, dense.  State (q, u), as dca.
 *
 *   M u' = h + J^T lambda,   J u' = g          M = sum of J_i^T I_i J_i (nu x nu),  J: rows of the closings (m x nu)
 *
 * Nothing of the engine's factor and solve is used: the other formulations are measured against this one.  O(nu^2)
 * memory and O(nu^3) time, so `most` bounds nu. */
#include "formulation/massmatrix.h"
#include "formulation/rate_form.h"
#include "math/rank.h"
#include <string.h>

static void layout(clv_system *s, clv_arena *a)
{
    clv_massmatrix counting, *d;
    int nu = s->plan->nu, m = s->plan->nclosing_row;
    CLV_TAKE(a, d, 1);
    s->private_state = d;
    if (!d)
        d = &counting;
    CLV_TAKE(a, d->M, (size_t)nu * (size_t)nu), CLV_TAKE(a, d->J, (size_t)m * (size_t)nu);
    CLV_TAKE(a, d->Y, (size_t)m * (size_t)nu), CLV_TAKE(a, d->Z, (size_t)m * (size_t)m);
    CLV_TAKE(a, d->rank, CLV_RANK_SIZE((size_t)m)), CLV_TAKE(a, d->h, nu), CLV_TAKE(a, d->load, nu);
    CLV_TAKE(a, d->goal, m), CLV_TAKE(a, d->column, 6 * s->plan->nbody);
}

static clv_status accelerate(clv_system *s)
{
    clv_kinematics_acceleration_bias(&s->kin, s->c, s->a);
    return clv_massmatrix_solve(s);
}

static clv_status rates(clv_system *s, double t, const double *y, double *ydot)
{
    clv_status st = clv_system_pose(s, t, y);
    if (st != CLV_OK)
        return st;
    st = clv_rate_form_move(s, y);
    if (st != CLV_OK)
        return st;
    clv_kinematics_acceleration_bias(&s->kin, s->c, s->a);
    clv_system_stabilize(s);
    st = clv_massmatrix_solve(s);
    if (st != CLV_OK)
        return st;
    if (s->model->nmotion > 0) {
        clv_system_reactions(s);
        clv_system_motion_power(s);
    }
    clv_rate_form_give(s, y, ydot);
    return CLV_OK;
}

const clv_formulation clv_formulation_massmatrix = {
    .name = "massmatrix",
    .text = "dense joint-space mass matrix, the baseline; at most 4000 degrees of freedom",
    .most = 4000,
    .layout = layout,
    .start = clv_rate_form_start,
    .rates = rates,
    .velocities = clv_rate_form_velocities,
    .accelerate = accelerate,
};
