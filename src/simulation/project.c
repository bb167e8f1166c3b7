/* SPDX-License-Identifier: Apache-2.0
 * Projections (T14): the engine's mass problem with a violation on the right-hand side.
 *
 *   position  M dx = wrenches,  D^T dx = -phi  ->  q := q + du along the joints' free directions, repeated
 *   velocity  M dV = wrenches,  D^T dV = -D^T V ->  u := u + du
 *
 * Redundant rows may contradict each other (T40): then the violation does not vanish, and the projection is done when
 * it moves nothing any more. */
#include <math.h>
#include <string.h>
#include "base/tolerance.h"
#include "base/error.h"
#include "formulation/index3_rows.h"
#include "formulation/walk.h"
#include "simulation/sim.h"

static double largest(const double *v, int n)
{
    double m = 0;
    for (int i = 0; i < n; i++)
        m = fabs(v[i]) > m || isnan(v[i]) ? fabs(v[i]) : m;
    return m;
}

/* Is no direction weak at the factor at hand? */
static bool regular(const clv_sim *s) { return s->system.engine.min_pivot >= CLV_TOL_REGULAR; }

/* May projections end above rounding? */
static bool loose(const clv_sim *s)
{
    return regular(s) && !(s->options.step > 0) && s->options.rtol >= CLV_TOL_LOOSE;
}

double clv_position_violation(clv_sim *s)
{
    if (s->system.border_only && s->system.trials)
        return clv_row_trials_most(s->system.trials, CLV_TRIAL_GAP);
    clv_look_at_violation(s, false);
    return largest(s->row, s->plan->nclosing_row);
}

void clv_look_at_violation(clv_sim *s, bool velocities)
{
    clv_system *k = &s->system;
    if (k->border_only && k->bodies)
        clv_row_bodies_violation(k->bodies, velocities, s->row);
    else if (velocities)
        clv_kinematics_velocity_violation(&k->kin, s->row);
    else
        clv_kinematics_violation(&k->kin, s->row);
}

double clv_velocity_violation(clv_sim *s)
{
    if (s->system.border_only && s->system.trials)
        return clv_row_trials_most(s->system.trials, CLV_TRIAL_GAP_SPEED);
    clv_look_at_violation(s, true);
    return largest(s->row, s->plan->nclosing_row);
}

void clv_correction(clv_sim *s, double *du)
{
    clv_system *y = &s->system;
    for (int i = 0; i < s->plan->nclosing_row; i++)
        s->row[i] = -s->row[i];
    clv_make_consistent(s, s->row);
    if ((s->formulation->correct && s->formulation->correct(y, s->row, du)) || clv_walk_correct(y, s->row, du))
        return;
    memset(y->b, 0, 6 * (size_t)s->plan->nbody * sizeof(double));
    clv_engine_solve(&y->engine, y->x, du, y->b, NULL, NULL, s->row);
}

double clv_displace(const clv_sim *s, double *q, const double *du)
{
    const clv_plan *p = s->plan;
    for (int b = 0; b < p->nbody; b++)
        if (p->tree[b].iq >= 0)
            clv_joint_displace(p->tree[b].kind, q + p->tree[b].iq, du + p->tree[b].iu);
    for (int k = 0; k < p->nstar; k++)
        for (int m = 0; m < p->star[k].nmode; m++)
            q[p->star[k].iq + m] += du[p->star[k].iu + m];
    return largest(du, p->nu);
}

/* in rows, where the plan takes them */
static clv_status factor_at(clv_system *y, double t, const double *q)
{
    return clv_walk_fits(y) ? clv_walk_place(y, t, q) : clv_system_place(y, t, q);
}

clv_status clv_project_position(clv_sim *s, double t, double *q, bool fresh, int limit, double *moved)
{
    clv_system *y = &s->system;
    const double floor = CLV_TOL_PROJECTED, still = CLV_TOL_STILL;
    double best = INFINITY, step = INFINITY;
    *moved = 0;
    if (!fresh) {
        clv_status st = factor_at(y, t, q);
        if (st != CLV_OK)
            return st;
    }
    for (int k = 0; k < limit; k++) {
        double c = clv_position_misfit(s), before = step;
        if (c <= (limit > 4 ? floor : loose(s) ? CLV_TOL_KEPT : 8 * floor))
            return CLV_OK;
        const bool stuck = c >= 0.5 * best;
        if (stuck && (s->system.truncated == 0 || step <= still))
            return CLV_OK;
        best = fmin(best, c);
        clv_correction(s, s->dq);
        step = clv_change_part(s, s->dq);
        if (stuck && step >= 0.5 * before)
            return CLV_OK;
        *moved += clv_displace(s, q, s->dq);
        if (limit > 4) { /* far from closed: a new factor */
            clv_status st = factor_at(y, t, q);
            if (st != CLV_OK)
                return st;
        } else if (!clv_walk_pose(y, t, q))
            clv_kinematics_poses(&y->kin, t, q);
    }
    return CLV_OK;
}

clv_status clv_close_position(clv_sim *s, double t, double *q, bool fresh, double *moved)
{
    if (s->formulation->closing)
        return s->formulation->closing->position(&s->system, t, q, moved);
    if (clv_index3_rows_open(&s->system))
        return clv_index3_rows_close(&s->system, t, q, moved);
    return clv_project_position(s, t, q, fresh, 4, moved);
}

static void move(clv_system *y, const double *u)
{
    if (!clv_walk_move(y, u))
        clv_kinematics_velocities(&y->kin, u);
}

/* Between `least` and `most` corrections.  True: what the loops miss is rounding, or what redundant rows contradict
 * each other by. */
static bool meet_velocities(clv_sim *s, double *u, int least, int most, double *moved)
{
    double before = INFINITY;
    for (int k = 0;; k++) {
        move(&s->system, u);
        const double missed = clv_velocity_misfit(s);
        const bool met = missed <= CLV_TOL_RATES_KEPT * clv_change_part(s, u) || (s->null && missed >= 0.5 * before);
        if (missed == 0 || (met && k >= least))
            return true;
        if (k == most)
            return false;
        before = missed;
        clv_correction(s, s->dq);
        for (int i = 0; i < s->plan->nu; i++)
            u[i] += s->dq[i];
        *moved += largest(s->dq, s->plan->nu);
    }
}

void clv_project_velocity(clv_sim *s, double *u, double *moved)
{
    *moved = 0;
    meet_velocities(s, u, loose(s) ? 0 : 2, 2, moved);
}

clv_status clv_close_velocity(clv_sim *s, double t, const double *q, double *u, double moved)
{
    clv_system *y = &s->system;
    const bool near = regular(s) && y->border_only && moved <= CLV_TOL_NEAR && y->truncated <= s->base_nullity;
    if (near && moved > 0)
        clv_walk_directions(y);
    if (near && meet_velocities(s, u, loose(s) ? 0 : 2, 3, &moved))
        return CLV_OK;
    const clv_status st = clv_walk_place(y, t, q);
    if (st == CLV_OK)
        clv_project_velocity(s, u, &moved);
    return st;
}
