/* SPDX-License-Identifier: Apache-2.0
 * What the integrator sees, and what happens after an accepted step: accounts (energy, violations), position
 * projection, velocity projection (dca), re-gauge (hdca; T11).
 *
 * One-step methods are re-gauged after every step.  A multistep method has to transform its history, so it is re-gauged
 * only when the impulses have outgrown the momenta, or while a direction is truncated. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/tolerance.h"
#include "base/error.h"
#include "formulation/walk.h"
#include "simulation/sim.h"

/* A violation that no projection leaves behind where the loops can be closed, rad or parts of the model's size:
 * measured 1e-7 at rtol 1e-2, rounding from 1e-4 on.  More is borne while a direction is dropped, which is reported in
 * its own way. Adaptive steps are tried again, smaller, before the run ends. */
static double open_gap(const clv_sim *s)
{
    if (s->options.step > 0 || s->system.truncated > s->base_nullity)
        return CLV_TOL_OPEN_FIXED;
    return fmax(CLV_TOL_OPEN, CLV_TOL_OPEN_SHARE * s->options.rtol);
}

/* What redundant rows may leave open along the motion, rad or parts of the model's size (T40).  The data were accepted
 * at the start; in other positions the same data contradict each other more. */
static double open_contradiction(const clv_sim *s)
{
    return s->base_nullity == 0 ? 0 : 1e3 * fmax(s->options.contradiction, 1e-6);
}

/* adds the last iteration of a stage to the report */
static void count(clv_sim *s, int stage)
{
    const clv_stage *one = &s->system.stage[stage];
    clv_stage_report *all = &s->report.stage[stage];
    if (one->iterations == 0)
        return;
    all->runs++, all->iterations += one->iterations;
    if (one->iterations > all->most)
        all->most = one->iterations;
    all->limited += one->limited, all->stalled += one->stalled;
}

/* names what the first rate belongs to that is not finite */
static clv_status not_finite(clv_sim *s, double t, const double *ydot)
{
    const clv_plan *p = s->plan;
    int i = 0;
    while (isfinite(ydot[i]))
        i++;
    const bool rate = i >= p->nq;
    const int k = rate ? i - p->nq : i;
    int body = -1;
    for (int b = 0; b < p->nbody; b++) {
        const int from = rate ? p->tree[b].iu : p->tree[b].iq, count = rate ? p->tree[b].f : p->tree[b].nq;
        if (from >= 0 && k >= from && k < from + count)
            body = b;
    }
    s->system.kin.time = t;
    clv_system_fail(&s->system, CLV_ERR_NOT_FINITE, body, body >= 0 ? p->tree[body].joint : -1,
                    k == p->nu && rate ? "the power of loads and drives is not finite"
                    : rate             ? "an acceleration is not finite"
                                       : "a velocity is not finite");
    clv_error_hint(&s->error, "a load, a motion or a mass ratio is out of the range of numbers");
    return s->error.code;
}

/* was the last evaluation at this state? */
static bool seen(const clv_sim *s, double t, const double *y)
{
    if (s->divided)
        return clv_divided_seen(s, t);
    return s->seen_t == t && memcmp(s->seen_y, y, (size_t)s->n * sizeof(double)) == 0;
}

/* The rates of an accepted state that nothing has changed are those of the first stage of the next step.  They count
 * again: the number of evaluations does not depend on who looks at the state meanwhile. */
static clv_status rates(void *owner, double t, const double *y, double *ydot)
{
    clv_sim *s = owner;
    clv_status st = CLV_OK;
    if (s->kept && seen(s, t, y)) {
        memmove(ydot, s->ydot, (size_t)s->n * sizeof(double));
    } else {
        s->seen_t = NAN, s->settled++;
        s->system.lean = true;
        st = clv_system_rates(&s->system, s->formulation, t, y, ydot);
        s->system.lean = false;
        s->kept = ydot == s->ydot;
    }
    count(s, CLV_STAGE_ACCELERATION);
    if (st != CLV_OK)
        return st;
    if (!s->divided && !clv_vector_finite(s->integrator.team, ydot, s->n))
        return not_finite(s, t, ydot);
    clv_passage_see(s);
    if (s->system.truncated > s->base_nullity)
        s->report.truncated_evaluations++;
    clv_team_copy(s->integrator.team, s->seen_y, y, (size_t)s->n);
    s->seen_t = t;
    return CLV_OK;
}

/* what the rates at y have left out */
static void view(clv_sim *s, const double *y)
{
    if (s->system.walked)
        clv_walk_view(&s->system, y);
    s->system.walked = false;
}

static double largest(const double *v, int n)
{
    double m = 0; /* NaN is passed over */
    for (int i = 0; i < n; i++)
        m = fabs(v[i]) > m ? fabs(v[i]) : m;
    return m;
}

/* does the formulation project velocities itself? */
static bool own_velocities(const clv_sim *s)
{
    return s->formulation->closing && s->any_loop && s->options.project;
}

void clv_sim_account(clv_sim *s, double t, double work, const clv_energies *e)
{
    clv_sim_report *r = &s->report;
    clv_system *k = &s->system;
    /* rates of one's own are looked at after their projection, those of segments together with others */
    double v = own_velocities(s) || s->divided ? 0 : clv_velocity_violation(s);
    r->time = t;
    r->energy = e->kinetic + e->potential;
    r->energy_moved = fmax(r->energy_moved, fmax(e->kinetic, fabs(e->potential - s->potential_initial)));
    r->max_velocity_violation = fmax(r->max_velocity_violation, v);
    if (k->truncated <= s->base_nullity)
        r->max_velocity_violation_full = fmax(r->max_velocity_violation_full, v);
    if (k->opaque)
        r->max_energy_drift = NAN;
    else
        r->max_energy_drift = fmax(r->max_energy_drift, fabs(r->energy - r->energy_initial - work));
    if (s->any_loop)
        r->min_pivot = fmin(r->min_pivot, k->engine.min_pivot);
    r->max_sigma = fmax(r->max_sigma, largest(k->sigma, s->plan->nclosing_row));
}

static bool want_regauge(const clv_sim *s, const double *y)
{
    if (!s->options.regauge || s->formulation->state != CLV_STATE_MOMENTA || !s->any_loop)
        return false;
    if (!s->integrator.method->multistep || s->system.summed || s->system.truncated > s->base_nullity)
        return true;
    double p = 0, sigma = 0; /* momenta and impulses of lengths count times a length */
    for (int i = 0; i < s->plan->nu; i++)
        p = fmax(p, fmax(fabs(y[s->plan->nq + i]), s->scale[s->plan->nq + i]) * clv_coordinate_size(s, i));
    for (int e = 0; e < s->plan->nedge; e++)
        for (int r = 0; clv_edge_closes(&s->plan->edge[e]) && r < s->plan->edge[e].m; r++)
            sigma = fmax(sigma, fabs(s->system.sigma[s->plan->edge[e].row + r]) * clv_row_size(s, e, r));
    return sigma > 10 * p;
}

/* quaternions that drifted from unit length by more than rounding of many steps */
static bool normalize(clv_sim *s, double *q)
{
    const clv_plan *p = s->plan;
    bool any = false;
    for (int b = 0; p->nq > p->nu && b < p->nbody; b++) {
        const clv_tree_joint *t = &p->tree[b];
        if (t->iq < 0 || t->nq == t->nu)
            continue;
        const double *e = q + t->iq + t->nq - 4;
        if (fabs(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3] - 1) > 1e-8)
            clv_joint_normalize(t->kind, q + t->iq), any = true;
    }
    return any;
}

/* hdca: momenta of the rates s->u at the corrected place; the impulses are removed (re-gauge) or kept */
static clv_status renew_momenta(clv_sim *s, double t, double *y, bool gauge)
{
    clv_system *k = &s->system;
    memcpy(s->gauge, k->sigma, (size_t)s->plan->nsigma * sizeof(double));
    if (gauge && clv_walk_momenta(k, t, y, s->u, y + s->plan->nq))
        return CLV_OK;
    clv_status st = s->formulation->start(k, t, y, s->u, y);
    if (st != CLV_OK || gauge)
        return st;
    for (int i = 0; i < s->plan->nsigma; i++)
        s->stress[i] = -s->gauge[i];
    return s->formulation->momenta->regauge(k, t, y, s->stress);
}

/* q onto the loops; the factor is there already, where the rates leave one */
static clv_status close_loops(clv_sim *s, double t, double *y, double *moved, int *changed)
{
    *moved = 0;
    if (normalize(s, y))
        *changed = 1;
    if (!s->any_loop || !s->options.project)
        return CLV_OK;
    /* contradictions of redundant rows (T40) are found by the factor of the engine */
    const bool own = s->formulation->correct && !s->null && s->system.truncated <= s->base_nullity;
    clv_status st = CLV_OK;
    if (!own && s->formulation->accelerate && !s->formulation->closing)
        st = clv_walk_place(&s->system, t, y);
    if (st == CLV_OK)
        st = clv_close_position(s, t, y, true, moved);
    count(s, CLV_STAGE_POSITION);
    return st;
}

/* J, of the present motions */
static double kinetic(const clv_sim *s)
{
    const clv_system *k = &s->system;
    return k->border_only && k->bodies ? clv_row_bodies_kinetic(k->bodies) : clv_system_kinetic(k);
}

static clv_status close_own_rates(clv_sim *s, double t, double *y)
{
    const double before = kinetic(s);
    clv_status st = s->formulation->closing->velocity(&s->system, t, y, y + s->plan->nq);
    count(s, CLV_STAGE_VELOCITY);
    if (s->system.stage[CLV_STAGE_VELOCITY].limited) /* near a singular position (T22): what comes back there is lost */
        s->report.dropped_energy += fmax(0, before - kinetic(s));
    double v = clv_velocity_violation(s);
    s->report.max_velocity_violation = fmax(s->report.max_velocity_violation, v);
    s->report.max_velocity_violation_full = fmax(s->report.max_velocity_violation_full, v);
    return st;
}

/* momenta or rates that belong to s->u at the q that close_loops has left */
static clv_status close_rates(clv_sim *s, double t, double *y, bool gauge, double moved, int *changed)
{
    clv_status st = CLV_OK;
    if (s->formulation->state == CLV_STATE_MOMENTA && (gauge || moved > 0)) {
        st = renew_momenta(s, t, y, gauge);
        *changed = gauge ? 2 : 1;
    } else if (own_velocities(s)) {
        st = close_own_rates(s, t, y);
        *changed = 1;
    } else if (s->formulation->state != CLV_STATE_MOMENTA && s->any_loop && s->options.project) {
        st = clv_close_velocity(s, t, y, y + s->plan->nq, moved);
        *changed = 1;
    }
    return st;
}

static clv_status stays_open(clv_sim *s, double t, double violation)
{
    char what[64];
    snprintf(what, sizeof what, "the loops do not close at t = %.9g s", t);
    return clv_not_closed(s, violation, what);
}

/* Loops that stay open after their projection: the motions lead where the mechanism cannot go. */
static clv_status check_closed(clv_sim *s, double t)
{
    double misfit, violation;
    const bool closed = clv_is_closed(s, open_gap(s), open_contradiction(s), &misfit);
    violation = clv_position_violation(s);
    if (closed || !s->options.project) {
        s->report.max_position_violation = fmax(s->report.max_position_violation, violation);
        if (s->base_nullity > 0)
            s->report.max_contradiction = fmax(s->report.max_contradiction, misfit);
        return CLV_OK;
    }
    return stays_open(s, t, violation);
}

/* Are joints met exactly by a rule?  With a penalty, or at a limit of iterations that is borne, they are not. */
static bool meets_joints(const clv_sim *s)
{
    bool exact = s->options.project && !s->system.step.accept && s->system.step.alpha == 0;
    for (int j = 0; j < s->model->njoint; j++)
        exact &= isnan(s->model->joint[j].more->alpha);
    return exact;
}

/* The same of a rule, which has closed loops and rates itself. */
static clv_status check_rule(clv_sim *s, double t, const double *y)
{
    const double violation = clv_position_violation(s), most = fmax(open_gap(s), open_contradiction(s));
    if (violation > most * fmin(1, s->size) && meets_joints(s)) {
        s->system.border_only = false;
        view(s, y);
        if (clv_position_misfit(s) > most)
            return stays_open(s, t, violation);
    }
    s->report.max_position_violation = fmax(s->report.max_position_violation, violation);
    return CLV_OK;
}

/* the formulation's own step; what it leaves in the system are the rates at (t_new, y) */
static clv_status step(void *owner, double t, double t_new, double *y, double *ydot, double *memory)
{
    clv_sim *s = owner;
    s->seen_t = s->stepped = NAN, s->kept = false;
    clv_status st = s->formulation->rule->step(&s->system, t, t_new - t, y, ydot, memory);
    if (st != CLV_OK)
        return st;
    s->report.rate_evaluations += s->system.counts.last;
    if (s->system.truncated > s->base_nullity)
        s->report.truncated_evaluations++;
    s->stepped = t_new;
    return CLV_OK;
}

/* Next to a singular position pivots are at the threshold of ranks, or below it (T20).  Steps that are too long have
 * larger ones. */
static bool ill_placed(void *owner)
{
    const clv_sim *s = owner;
    const clv_engine *e = &s->system.engine;
    return s->any_loop && (s->system.truncated > s->base_nullity || e->min_pivot < 3 * e->rank);
}

/* May a step be judged by the bodies that loops hold and by sums over all others?  Checks that look at all bodies come
 * where directions are dropped, and where motions drive loops into a toggle. */
static bool border_suffices(const clv_sim *s)
{
    return (s->formulation->closing == NULL || s->system.bodies) && s->system.truncated <= s->base_nullity &&
           !clv_near_toggle(s);
}

/* What a step is judged by.  Where nothing moves fast, rows know it without the view. */
static clv_status look(clv_sim *s, const double *y, clv_energies *e)
{
    clv_system *k = &s->system;
    if (s->judged) {
        *e = *s->judged, k->border_only = true;
        return CLV_OK;
    }
    k->border_only = border_suffices(s) && clv_walk_energies(k, e) && e->squares < CLV_SLOW * CLV_SLOW;
    if (k->border_only)
        return CLV_OK;
    view(s, y);
    *e = (clv_energies){clv_system_kinetic(&s->system), clv_system_potential(&s->system), 0};
    const clv_status st = clv_check_speed(s);
    return st == CLV_OK ? clv_flexible_check(&s->system) : st;
}

/* of the joints of an accepted state of a rule */
static void keep_turns(clv_sim *s)
{
    clv_system *k = &s->system;
    if (k->border_only && k->trials)
        clv_row_trials_keep_turns(k->trials);
    else if (k->border_only && k->bodies)
        clv_row_bodies_keep_turns(k->bodies);
    else
        clv_kinematics_keep_turns(&k->kin);
}

/* A step that cannot be made from here, or not to there. */
static clv_status fail_singular(clv_sim *s, int *changed)
{
    int body = -1, joint = -1;
    *changed = -1;
    (void)clv_step_set_by(s, &body, &joint);
    clv_system_fail(&s->system, CLV_ERR_SINGULAR, body, joint, "a step ends in a singular position");
    clv_error_hint(&s->error, "the joints allow the velocity there for an instant only: start rates that fit no "
                              "motion, or a mechanism that is rigid (bars in one line)");
    return s->error.code;
}

static clv_status accept(clv_sim *s, double t, double *y, int *changed)
{
    double moved;
    const bool stepped = s->stepped == t; /* by a rule: its rates are there */
    *changed = 0, s->stepped = NAN;
    if (!stepped && !seen(s, t, y)) {
        clv_status st = rates(s, t, y, s->ydot);
        if (st != CLV_OK)
            return st;
        s->report.rate_evaluations++;
    }
    clv_energies energies;
    clv_status st = look(s, y, &energies);
    if (st == CLV_OK && s->nspacing + s->ncrowd > 0) {
        st = clv_spacing_check(s, t);
        *changed = st == CLV_OK ? 0 : -1; /* only a little smaller */
    }
    if (st != CLV_OK)
        return st;
    const double *u = s->formulation->rule ? y + s->plan->nq : s->system.u; /* rates at (t, y) */
    clv_team_copy(s->integrator.team, s->u, u, (size_t)s->plan->nu);
    if (clv_passage_ends_badly(s))
        return fail_singular(s, changed);
    st = clv_check_dropped(s, t, y);
    if (st != CLV_OK)
        return st;
    const clv_sim_report before = s->report;
    const clv_passage passage = s->passage;
    const bool summed = s->system.summed;
    clv_sim_account(s, t, y[s->n - 1], &energies);
    if (s->formulation->rule) {
        st = check_rule(s, t, y);
        if (st == CLV_OK)
            keep_turns(s);
        else
            s->report = before;
        return st;
    }
    clv_passage_go_on(s);
    bool gauge = want_regauge(s, y);
    if (gauge && !summed)
        clv_walk_remember_momenta(&s->system, y);
    st = close_loops(s, t, y, &moved, changed);
    if (st == CLV_OK && s->any_loop)
        st = check_closed(s, t);
    if (st == CLV_ERR_INCONSISTENT && passage.dropped > s->system.truncated) /* it leaves a singular position */
        st = fail_singular(s, changed);
    if (st == CLV_OK)
        st = close_rates(s, t, y, gauge, moved, changed);
    if (*changed == 2 && summed && s->system.summed) /* sigma was zero: the history is in this gauge */
        *changed = 1;
    if (st == CLV_OK && clv_near_toggle(s))
        st = clv_check_reach(s, t, y, false), *changed = *changed ? *changed : 1;
    if (st != CLV_OK) /* the step is thrown away */
        s->report = before, s->passage = passage, s->system.summed = summed;
    else
        keep_turns(s);
    if (*changed || summed != s->system.summed)
        s->seen_t = NAN;
    return st;
}

static clv_status accepted(void *owner, double t, double *y, int *changed)
{
    clv_sim *s = owner;
    if (s->divided)
        return clv_divided_accepted(s, t, y, changed);
    clv_status st = accept(s, t, y, changed);
    s->system.border_only = false;
    if (st == CLV_OK)
        clv_count_limit(s), clv_spacing_keep(s), clv_watch_rest(s, y);
    return st;
}

/* the same inside a step that is not accepted yet (bdf) */
static clv_status project(void *owner, double t, double *y)
{
    clv_sim *s = owner;
    double moved;
    int changed;
    clv_status st = CLV_OK;
    if (s->any_loop && s->options.project) {
        st = rates(s, t, y, s->ydot);
        s->report.rate_evaluations++;
        view(s, y);
        memcpy(s->u, s->system.u, (size_t)s->plan->nu * sizeof(double));
    }
    s->seen_t = NAN;
    if (st == CLV_OK)
        st = close_loops(s, t, y, &moved, &changed);
    return st == CLV_OK ? close_rates(s, t, y, false, moved, &changed) : st;
}

/* a stored state whose impulses go into the momenta: from here on the reactions are in their rates */
static clv_status sum_up(clv_sim *s, double t, double *y, double *ydot)
{
    clv_status st = s->formulation->velocities(&s->system, t, y);
    if (st != CLV_OK)
        return st;
    memcpy(s->trial, s->system.u, (size_t)s->plan->nu * sizeof(double));
    st = s->formulation->start(&s->system, t, y, s->trial, y);
    return st == CLV_OK ? rates(s, t, y, ydot) : st;
}

static void visible(void *owner, double *e)
{
    clv_passage_visible(owner, e);
}

static clv_status regauge(void *owner, double t, double *y, double *ydot)
{
    clv_sim *s = owner;
    if (s->system.summed)
        return sum_up(s, t, y, ydot);
    clv_status st = s->formulation->momenta->regauge(&s->system, t, y, s->gauge);
    return st == CLV_OK ? rates(s, t, y, ydot) : st;
}

clv_ode clv_sim_ode(clv_sim *s)
{
    return (clv_ode){.n = s->n, .owner = s, .rates = rates, .accepted = accepted, .project = project,
                     .regauge = s->formulation->momenta ? regauge : NULL,
                     .largest = s->divided ? clv_divided_largest : NULL,
                     .settle = s->divided ? clv_divided_settle : NULL,
                     .visible = s->any_loop ? visible : NULL, .scale = s->scale, .bound = s->bound,
                     .mechanics = s->mechanics.owner ? &s->mechanics : NULL,
                     .step = s->formulation->rule ? step : NULL, .ill_placed = ill_placed};
}
