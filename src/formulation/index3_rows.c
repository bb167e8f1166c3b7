/* SPDX-License-Identifier: Apache-2.0
 * Steps of index3 in rows; see index3_rows.h.
 *
 * With exact joints the multipliers of the iterate before need not be kept: what the matrix gives beside D lambda is
 * D sigma, and the strands never name either.  So an iteration is one way up and down the rows:
 *
 *   M dx = s (Q - velocity terms - M x'') + wrenches of the joints,   dx_B = S^T dx_A + H u - (what the joint misses)
 * The two projections are the same with other right-hand sides. */
#include "formulation/index3_rows.h"
#include "base/tolerance.h"
#include "formulation/rate_form.h"
#include "formulation/index3_trial.h"
#include "formulation/walk_steps.h"
#include "kinematics/row_kernels.h"
#include "math/rotation.h"
#include "math/spatial.h"
#include <math.h>
#include <string.h>

static clv_row_rule rule_of(const clv_rule *r)
{
    return (clv_row_rule){r->h, r->am, r->af, r->beta, r->gamma, r->scale, r->to_rate, r->damp, r->still};
}

/* multipliers of edges, that steps hand on: behind the auxiliary accelerations */
static double *handed_on(const clv_system *s, double *aux) { return aux + 7 * (size_t)s->plan->nbody; }

void clv_index3_rows_view(clv_system *s, const double *y)
{
    const clv_plan *p = s->plan;
    clv_kinematics_poses(&s->kin, s->kin.time, y);
    clv_kinematics_fill(&s->kin);
    clv_kinematics_velocities(&s->kin, y + p->nq);
    clv_kinematics_rates(&s->kin);
    clv_team_copy(s->trials->rows.team, s->u, y + p->nq, (size_t)p->nu);
    for (size_t b = 0; b < (size_t)p->nbody; b++) {
        double *x = s->x + 6 * b, *ud = s->ud + p->tree[b].iu;
        clv_row_trials_acceleration(s->trials, (int)b, x);
        clv_copy3(ud, x), clv_mat3_transpose_times(ud + 3, s->kin.R + 9 * b, x + 3);
    }
    (void)clv_system_loads(s); /* it could be evaluated: the state is one of an evaluation or of a step */
}

/* The acceleration stage with x'' = 0 before it and the loads beside it. */
clv_status clv_index3_rows_rates(clv_system *s, double t, const double *y, double *ydot)
{
    const clv_row_rule still = {.scale = 1};
    clv_row_trials *r = s->trials;
    s->power = 0, s->opaque = false;
    clv_index3_trial_time(s, t);
    clv_row_trials_predict(r, &(clv_row_border){.absolute = s->plan, .y = y}, &still, true);
    clv_status st = clv_index3_trial_place(s, t, 1.0);
    if (st != CLV_OK)
        return st;
    st = clv_index3_trial_solved(s, clv_row_trials_accelerate(r, &still));
    if (st != CLV_OK)
        return st;
    clv_row_trials_give(r, &(clv_row_border){.absolute = s->plan, .to_ydot = ydot}, &still, true);
    s->power += clv_row_trials_power(r);
    ydot[s->plan->nq + s->plan->nu] = s->power;
    clv_team_copy(r->rows.team, s->u, y + s->plan->nq, (size_t)s->plan->nu);
    s->walked = s->lean;
    if (!s->lean)
        clv_index3_rows_view(s, y);
    return CLV_OK;
}

clv_status clv_index3_rows_close(clv_system *s, double t, double *q, double *moved)
{
    const clv_plan *p = s->plan;
    const clv_row_rule still = {.scale = 1};
    clv_row_trials *r = s->trials;
    memcpy(r->state, q, (size_t)p->nq * sizeof(double));
    memset(r->state + p->nq, 0, (size_t)p->nu * sizeof(double));
    clv_index3_trial_time(s, t);
    clv_row_trials_predict(r, &(clv_row_border){.absolute = p, .y = r->state}, &still, true);
    double best = INFINITY;
    *moved = 0;
    for (int k = 0; k < 4; k++) {
        clv_row_trials_place(r, 0.0);
        const double missed = clv_row_trials_most(r, CLV_TRIAL_GAP);
        if (missed <= CLV_TOL_PROJECTED || missed >= 0.5 * best) /* rounding is left */
            break;
        best = missed;
        const clv_status st = clv_index3_trial_solved(s, clv_row_trials_close(r));
        if (st != CLV_OK)
            return st;
        *moved += sqrt(clv_row_trials_sum(r, CLV_TRIAL_MOVED));
    }
    if (*moved > 0)
        for (int b = 0; b < p->nbody; b++) {
            double u[6];
            clv_row_trials_of(r, b, q + p->tree[b].iq, u);
        }
    return CLV_OK;
}

/* ------------------------------------------------------------------ a step */

void clv_index3_rows_begin(clv_system *s, const clv_rule *rule, const double *y, const double *ydot, double *aux,
                           bool first)
{
    const clv_row_rule numbers = rule_of(rule);
    s->trials->kin.load_q = s->joint_q, s->trials->kin.load_u = s->joint_u, s->trials->kin.load_V = s->com_V;
    const clv_row_border from = {.absolute = s->plan, .y = y, .ydot = ydot, .aux = aux};
    clv_row_trials_predict(s->trials, &from, &numbers, first);
    memcpy(s->trials->sigma, handed_on(s, aux), (size_t)s->tree->nsigma * sizeof(double));
}

clv_status clv_index3_rows_iterate(clv_system *s, double t, const clv_rule *rule, double *moved)
{
    const clv_row_rule numbers = rule_of(rule);
    const bool placed = clv_walk_loaded(s);
    clv_index3_trial_time(s, t);
    clv_status st = placed ? clv_index3_trial_place(s, t, rule->scale) : CLV_OK;
    if (st == CLV_OK)
        st = clv_index3_trial_solved(s, clv_row_trials_iterate(s->trials, &numbers, placed));
    if (st != CLV_OK)
        return st;
    *moved = sqrt(clv_row_trials_sum(s->trials, CLV_TRIAL_MOVED));
    return CLV_OK;
}

clv_status clv_index3_rows_project(clv_system *s, double t, const clv_rule *rule)
{
    const clv_row_rule numbers = rule_of(rule);
    clv_index3_trial_time(s, t);
    return clv_index3_trial_solved(s, clv_row_trials_project(s->trials, &numbers));
}

void clv_index3_rows_finish(clv_system *s, const clv_rule *rule, double *y, double *ydot, double *aux, bool first)
{
    const clv_plan *p = s->plan;
    const double before = ydot[p->nq + p->nu];
    const clv_row_rule numbers = rule_of(rule);
    const clv_row_border to = {.absolute = p, .aux = aux, .to_y = y, .to_ydot = ydot, .to_aux = aux};
    clv_row_trials_give(s->trials, &to, &numbers, first);
    memcpy(handed_on(s, aux), s->trials->sigma, (size_t)s->tree->nsigma * sizeof(double));
    s->counts.acceleration = clv_row_trials_most(s->trials, CLV_TRIAL_GAP_RATE);
    s->walked = true;
    s->power = 0, s->opaque = false;
    if (clv_walk_loaded(s)) {
        clv_index3_rows_view(s, y);
        s->walked = false;
    }
    s->power += clv_row_trials_power(s->trials);
    y[p->nq + p->nu] += 0.5 * rule->h * (before + s->power);
    ydot[p->nq + p->nu] = s->power;
}

double clv_index3_rows_size(const clv_system *s) { return sqrt(clv_row_trials_sum(s->trials, CLV_TRIAL_SIZE)); }

bool clv_index3_rows_energies(const clv_system *s, clv_energies *e)
{
    if (!s->walked || clv_walk_loaded(s))
        return false;
    *e = (clv_energies){clv_row_trials_sum(s->trials, CLV_TRIAL_KINETIC),
                        clv_row_trials_sum(s->trials, CLV_TRIAL_POTENTIAL),
                        clv_row_trials_sum(s->trials, CLV_TRIAL_SQUARES)};
    return true;
}
