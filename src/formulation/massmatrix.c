/* SPDX-License-Identifier: Apache-2.0
 * The mass-matrix baseline (T18): joint-space equations of motion, dense.  State (q, u), as dca.
 *
 *   M u' = h + J^T lambda,   J u' = g          M = sum of J_i^T I_i J_i (nu x nu),  J: rows of the closings (m x nu)
 *
 * Nothing of the engine's factor and solve is used: the other formulations are measured against this one.  O(nu^2)
 * memory and O(nu^3) time, so `most` bounds nu.  Evaluated in rows:
 *
 *   pose | scan | velocity terms | motions, sums, composite inertias | M, J, factor | solve, correct */
#include "formulation/massmatrix.h"
#include "formulation/armature.h"
#include "formulation/rate_form.h"
#include "formulation/walk_steps.h"
#include "kinematics/row_kernels.h"
#include <string.h>

/* forces of joints and modes: drives, and of modes less their velocity terms */
static const double *forces(clv_system *s)
{
    if (!clv_walk_loaded(s))
        memset(s->tau, 0, (size_t)s->plan->nu * sizeof(double));
    if (s->plan->nstar == 0)
        return s->tau;
    memcpy(s->force, s->tau, (size_t)s->plan->nu * sizeof(double));
    clv_flexible_forces(s, s->force);
    return s->force;
}

/* Poses, motions, velocity terms and loads at y; *c: biases of joints between strands.  False: a load is not finite. */
static bool prepare(clv_system *s, double t, const double *y, const double **c)
{
    clv_rows *w = &s->rows;
    const double *u = y + s->plan->nq;
    clv_walk_strands(s, t, y, u);
    if (w->looped)
        clv_kinematics_fill_closings(&s->kin);
    clv_walk_outer_rates(s, u);
    clv_rows_clear(w);
    if (!clv_walk_loads(s, y, u))
        return false;
    *c = clv_walk_biases(s, true);
    for (int i = 0; i < w->ncoupled; i++)
        clv_kinematics_body_bias(&s->kin, w->coupled[i], s->c + 6 * (size_t)w->coupled[i]);
    for (int g = 0; g < s->plan->ngroup; g++)
        w->kernels->velocity_terms(w, g);
    return true;
}

/* adds the power of prescribed motions, where the motions of the solution are there */
static void motion_power(clv_system *s)
{
    const clv_plan *p = s->plan;
    const clv_rows *w = &s->rows;
    const clv_massmatrix *d = s->private_state;
    s->power += clv_armature_power(s);
    for (int i = 0; i < w->ndrive; i++) {
        const clv_row_drive *r = &w->drive[i];
        s->power += (-d->mass.left[r->slot] - s->joint_tau[6 * (size_t)p->tree[r->body].joint]) * r->u;
    }
    for (int k = 0, b; (b = clv_walk_base(w, &k)) >= 0; k++)
        if (p->tree[b].motion >= 0)
            s->power += (d->mass.piece[k].reaction - s->joint_tau[6 * (size_t)p->tree[b].joint]) *
                        *clv_kinematics_u(&s->kin, (size_t)b);
    for (int e = 0; e < p->nedge; e++) {
        double q, u, ud;
        if (p->edge[e].motion < 0)
            continue;
        clv_kinematics_motion(&s->kin, p->edge[e].motion, &q, &u, &ud);
        s->power += s->lambda[p->edge[e].row + p->edge[e].m - 1] * u;
    }
}

static bool walk(clv_system *s, double t, const double *y, double *ydot)
{
    const clv_plan *p = s->plan;
    clv_rows *w = &s->rows;
    const double *u = y + p->nq, *c;
    if (!prepare(s, t, y, &c))
        return false;
    clv_kinematics_closing_bias(&s->kin, s->c, s->a);
    clv_system_stabilize(s);
    if (!clv_massmatrix_solve(s, forces(s), c, !s->lean || s->model->nmotion > 0))
        return false;
    motion_power(s);
    memcpy(s->u, u, (size_t)p->nu * sizeof(double));
    s->rates_due = s->velocities_known = false;
    clv_rows_give_coordinates(w, y, w->u, ydot);
    clv_walk_outer_coordinates(s, y, u, ydot);
    memcpy(ydot + p->nq, s->ud, (size_t)p->nu * sizeof(double));
    ydot[p->nq + p->nu] = s->power;
    return true;
}

/* names what the solution lacks */
static clv_status name(clv_system *s)
{
    const clv_massmatrix *d = s->private_state;
    const int owner = d->outcome == CLV_MASS_SINGULAR && d->failed >= 0 ? d->mass.owner[d->failed] : 0;
    if (d->outcome == CLV_MASS_NOT_FINITE)
        return clv_system_fail(s, CLV_ERR_NOT_FINITE, -1, -1, "the constraint matrix is not finite");
    if (owner < 0)
        return clv_system_fail(s, CLV_ERR_SINGULAR, s->plan->star[-1 - owner].frame, -1,
                               "its modes have no mass of their own");
    return clv_system_singular(s, owner, s->plan->tree[owner].joint);
}

/* what the evaluation in rows could not do, named in model order */
static clv_status refuse(clv_system *s, double t, const double *y)
{
    clv_status st = clv_system_pose(s, t, y);
    if (st == CLV_OK)
        st = clv_rate_form_move(s, y);
    return st == CLV_OK ? name(s) : st;
}

static clv_status rates(clv_system *s, double t, const double *y, double *ydot)
{
    s->walked = walk(s, t, y, ydot);
    if (!s->walked)
        return refuse(s, t, y);
    if (!s->lean)
        clv_walk_view(s, y);
    return CLV_OK;
}

/* at the state of the last rates, whose loads and velocity terms are in the rows: without the terms of Baumgarte */
static clv_status accelerate(clv_system *s)
{
    for (int b = 0; b < s->plan->nbody; b++)
        clv_kinematics_body_bias(&s->kin, b, s->c + 6 * (size_t)b);
    clv_kinematics_closing_bias(&s->kin, s->c, s->a);
    if (!clv_massmatrix_solve(s, forces(s), s->c, true))
        return name(s);
    for (int b = 0; b < s->plan->nbody; b++)
        clv_rows_motion(&s->rows, b, s->x + 6 * (size_t)b);
    return CLV_OK;
}

const clv_formulation clv_formulation_massmatrix = {
    .name = "massmatrix",
    .most = 4000,
    .lanes = true,
    .layout = clv_massmatrix_layout,
    .start = clv_rate_form_start,
    .rates = rates,
    .velocities = clv_rate_form_velocities,
    .accelerate = accelerate,
    .correct = clv_massmatrix_correct,
};
