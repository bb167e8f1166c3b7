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

/* poses of the trial and its motions to the kinematics in model order, and the loads there */
static clv_status loads_of_trial(clv_system *s, double t)
{
    const clv_plan *p = s->plan;
    clv_row_trials *r = s->trials;
    for (int b = 0; b < p->nbody; b++)
        clv_row_trials_of(r, b, r->state + p->tree[b].iq, r->state + p->nq + p->tree[b].iu);
    clv_status st = clv_system_pose(s, t, r->state);
    if (st != CLV_OK)
        return st;
    clv_kinematics_velocities(&s->kin, r->state + p->nq);
    return clv_system_loads(s);
}

/* the time, and the weight of bodies where nothing else loads them */
static void set_time(clv_system *s, double t)
{
    const bool light = clv_walk_loaded(s);
    s->kin.time = s->trials->kin.time = t;
    s->trials->kin.servo = s->kin.servo, s->trials->kin.until = s->kin.until;
    s->trials->kin.load_q = s->joint_q, s->trials->kin.load_u = s->joint_u, s->trials->kin.load_V = s->com_V;
    for (int i = 0; i < 3; i++)
        s->trials->gravity[i] = light ? 0.0 : s->model->gravity[i];
}

/* The rows at the trial, with loads one by one where there are others than weight, which is in the lanes. */
static clv_status place(clv_system *s, double t, double scale)
{
    clv_row_trials *r = s->trials;
    const bool with_loads = clv_walk_loaded(s);
    clv_status st = with_loads ? loads_of_trial(s, t) : CLV_OK;
    if (with_loads)
        clv_row_trial_stiffen(r, r->on_rate, r->on_place); /* tangents of friction follow the rates */
    clv_row_trials_place(r, scale);
    if (!with_loads)
        return CLV_OK;
    for (int b = 0; st == CLV_OK && b < s->plan->nbody; b++)
        clv_row_trials_load(r, b, scale, s->Q + 6 * (size_t)b);
    return st;
}

/* what the nodes of the spanning tree have decided is what a step is judged by; names what failed */
static clv_status solved(clv_system *s, bool ok)
{
    const clv_engine *from = &s->trials->engine;
    clv_engine *e = &s->engine;
    s->truncated = e->truncated = from->truncated;
    e->min_pivot = from->min_pivot, e->max_dropped = from->max_dropped, e->weakest = from->weakest;
    if (ok)
        return CLV_OK;
    const int body = from->failed_body, edge = from->failed_edge;
    const int joint = body >= 0 ? s->tree->tree[body].joint : edge >= 0 ? s->tree->edge[edge].joint : -1;
    return clv_system_singular(s, body, joint);
}

/* multipliers of edges, that steps hand on: behind the auxiliary accelerations */
static double *handed_on(const clv_system *s, double *aux) { return aux + 7 * (size_t)s->plan->nbody; }

/* accelerations and motions of the last finish, model order */
static void give_motions(clv_system *s, const double *y, const double *ydot)
{
    const clv_plan *p = s->plan;
    memcpy(s->u, y + p->nq, (size_t)p->nu * sizeof(double));
    memcpy(s->ud, ydot + p->nq, (size_t)p->nu * sizeof(double));
}

void clv_index3_rows_view(clv_system *s, const double *y)
{
    const clv_plan *p = s->plan;
    clv_kinematics_poses(&s->kin, s->kin.time, y);
    clv_kinematics_fill(&s->kin);
    clv_kinematics_velocities(&s->kin, y + p->nq);
    clv_kinematics_rates(&s->kin);
    for (size_t b = 0; b < (size_t)p->nbody; b++) {
        const double *ud = s->ud + p->tree[b].iu;
        clv_copy3(s->x + 6 * b, ud);
        clv_mat3_times(s->x + 6 * b + 3, s->kin.R + 9 * b, ud + 3);
    }
    (void)clv_system_loads(s); /* it could be evaluated: the state is one of an evaluation or of a step */
}

/* The acceleration stage with x'' = 0 before it and the loads beside it. */
clv_status clv_index3_rows_rates(clv_system *s, double t, const double *y, double *ydot)
{
    const clv_row_rule still = {.scale = 1};
    clv_row_trials *r = s->trials;
    s->power = 0, s->opaque = false;
    clv_row_trials_take(r, s->plan, y, NULL, NULL);
    set_time(s, t);
    clv_row_trials_predict(r, &still, true);
    clv_status st = place(s, t, 1.0);
    if (st != CLV_OK)
        return st;
    st = solved(s, clv_row_trials_accelerate(r, &still));
    if (st != CLV_OK)
        return st;
    clv_row_trials_give(r, s->plan, NULL, ydot, NULL);
    s->power += clv_row_trials_power(r);
    ydot[s->plan->nq + s->plan->nu] = s->power;
    give_motions(s, y, ydot);
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
    clv_row_trials_take(r, p, r->state, NULL, NULL);
    set_time(s, t);
    clv_row_trials_predict(r, &still, true);
    double best = INFINITY;
    *moved = 0;
    for (int k = 0; k < 4; k++) {
        clv_row_trials_place(r, 0.0);
        const double missed = clv_row_trials_most(r, CLV_TRIAL_GAP);
        if (missed <= CLV_TOL_PROJECTED || missed >= 0.5 * best) /* rounding is left */
            break;
        best = missed;
        const clv_status st = solved(s, clv_row_trials_close(r));
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
    clv_row_trials_take(s->trials, s->plan, y, ydot, aux);
    clv_row_trials_predict(s->trials, &numbers, first);
    memcpy(s->trials->sigma, handed_on(s, aux), (size_t)s->tree->nsigma * sizeof(double));
}

clv_status clv_index3_rows_iterate(clv_system *s, double t, const clv_rule *rule, bool first, double *moved)
{
    const clv_row_rule numbers = rule_of(rule);
    const bool placed = clv_walk_loaded(s);
    set_time(s, t);
    clv_status st = placed ? place(s, t, rule->scale) : CLV_OK;
    if (st == CLV_OK)
        st = solved(s, clv_row_trials_iterate(s->trials, &numbers, placed, first));
    if (st != CLV_OK)
        return st;
    *moved = sqrt(clv_row_trials_sum(s->trials, CLV_TRIAL_MOVED));
    return CLV_OK;
}

clv_status clv_index3_rows_project(clv_system *s, double t, const clv_rule *rule)
{
    const clv_row_rule numbers = rule_of(rule);
    set_time(s, t);
    return solved(s, clv_row_trials_project(s->trials, &numbers));
}

void clv_index3_rows_finish(clv_system *s, const clv_rule *rule, double *y, double *ydot, double *aux)
{
    const clv_plan *p = s->plan;
    const double before = ydot[p->nq + p->nu];
    clv_row_trials_give(s->trials, p, y, ydot, aux);
    memcpy(handed_on(s, aux), s->trials->sigma, (size_t)s->tree->nsigma * sizeof(double));
    s->counts.acceleration = clv_row_trials_most(s->trials, CLV_TRIAL_GAP_RATE);
    give_motions(s, y, ydot);
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

double clv_index3_rows_size(const clv_system *s)
{
    const clv_row_trials *r = s->trials;
    double sum = 0;
    for (int b = 0; b < s->plan->nbody; b++) {
        const double *x = clv_row_slot(r->x, 21, r->rows.slot[b]);
        sum += x[0] * x[0] + x[CLV_GROUP] * x[CLV_GROUP] + x[2 * CLV_GROUP] * x[2 * CLV_GROUP] + 1;
    }
    return sqrt(sum);
}

bool clv_index3_rows_energies(const clv_system *s, clv_energies *e)
{
    if (!s->walked || clv_walk_loaded(s))
        return false;
    *e = (clv_energies){clv_row_trials_sum(s->trials, CLV_TRIAL_KINETIC),
                        clv_row_trials_sum(s->trials, CLV_TRIAL_POTENTIAL),
                        clv_row_trials_sum(s->trials, CLV_TRIAL_SQUARES)};
    return true;
}
