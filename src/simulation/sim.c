/* SPDX-License-Identifier: Apache-2.0
 * Simulation: creation in one block of memory. */
#include "base/tolerance.h"
#include "formulation/walk.h"
#include "simulation/blind.h"
#include "simulation/cycle.h"
#include "simulation/exchange_slots.h"
#include "simulation/latch.h"
#include "simulation/sim.h"
#include "simulation/unseen.h"
#include <math.h>
#include <string.h>
#include "base/cpu.h"
#include "engine/kernels.h"
#include "math/rotation.h"
#include "model/light.h"

enum { STRAND = 128 }; /* bodies of a strand of a divided mechanism: whatever else is in the same plan */

static clv_status check_size(clv_sim *s)
{
    const clv_formulation *f = s->formulation;
    int nu = s->plan->nu, rows = s->plan->nclosing_row;
    if (f->most == 0 || (nu <= f->most && rows <= f->most))
        return CLV_OK;
    clv_fail(&s->error, CLV_ERR_UNSUPPORTED,
             "formulation '%s' takes at most %d degrees of freedom and %d constraint rows; the model has %d and %d",
             f->name, f->most, f->most, nu, rows);
    clv_error_hint(&s->error, "use hdca or dca: their time and memory grow in proportion to the model");
    return s->error.code;
}

/* Do steps never solve in model order?  Mechanisms in rows do not, unless motions jump. */
static bool solves_in_rows(const clv_sim *s)
{
    const clv_plan *p = s->plan;
    return !p->absolute && p->nstar == 0 && s->model->nmotion + s->model->nevent == 0 &&
           clv_light_bodies(p->model) == 0;
}

/* What the caller sees.  With events of the model it outlives the rest, which is built anew there. */
static void layout_views(clv_sim *s, clv_arena *a)
{
    const clv_plan *p = s->plan;
    const int nb = p->nbody;
    CLV_TAKE(a, s->out_modes, 3 * p->nmode), CLV_TAKE(a, s->frame_A, 6 * nb);
    CLV_TAKE(a, s->out_r, 3 * nb), CLV_TAKE(a, s->out_e, 4 * nb), CLV_TAKE(a, s->out_V, 6 * nb);
    CLV_TAKE(a, s->out_marker, 6 * s->model->nmarker), CLV_TAKE(a, s->marker_A, 3 * s->model->nmarker);
    s->out_A = s->frame_A; /* they differ where bodies deform */
    if (p->nstar > 0)
        CLV_TAKE(a, s->out_A, 6 * nb);
}

/* Makes them, or finds them again. */
static bool open_views(clv_sim *s)
{
    if (s->model->nevent == 0)
        return true;
    if (!s->views.base) {
        layout_views(s, &s->views);
        if (!clv_arena_open(&s->views))
            return false;
    }
    s->views.used = 0;
    layout_views(s, &s->views);
    return true;
}

static void layout(clv_sim *s, clv_arena *a)
{
    const clv_plan *p = s->plan;
    int nb = p->nbody;
    clv_system_layout(&s->system, s->model, p, a);
    s->system.joint_momenta = s->integrator.method->asks == CLV_ASK_MECHANICS;
    if (s->formulation->layout)
        s->formulation->layout(&s->system, a);
    const clv_method *method = s->integrator.method;
    const int extra = method->asks == CLV_ASK_MECHANICS ? p->nclosing_row
                      : method->asks == CLV_ASK_RESPONSE ? s->touching.most
                      : method->asks == CLV_ASK_STEP    ? s->formulation->rule->memory(p)
                                                        : 0;
    clv_integrator_layout(&s->integrator, method, s->n, extra, a);
    if (method->asks == CLV_ASK_MECHANICS) {
        clv_system_layout(&s->stage, s->model, p, a);
        CLV_TAKE(a, s->coordinate, p->nu);
    }
    if (method->asks == CLV_ASK_RESPONSE)
        CLV_TAKE(a, s->coordinate, p->nu);
    CLV_TAKE(a, s->spacing, s->nspacing);
    clv_crowd_layout(s, a);
    CLV_TAKE(a, s->limited, s->n), CLV_TAKE(a, s->kept_y, s->model->nevent > 0 ? s->n : 0);
    CLV_TAKE(a, s->y, s->n), CLV_TAKE(a, s->scale, s->n), CLV_TAKE(a, s->seen_y, s->n), CLV_TAKE(a, s->ydot, s->n);
    CLV_TAKE(a, s->rest, s->divided ? 0 : p->nq);
    CLV_TAKE(a, s->bound, s->n);
    CLV_TAKE(a, s->q, p->nq), CLV_TAKE(a, s->u, p->nu), CLV_TAKE(a, s->dq, p->nu);
    CLV_TAKE(a, s->trial, p->nu), CLV_TAKE(a, s->slides, p->nu), CLV_TAKE(a, s->follows, s->model->njoint);
    CLV_TAKE(a, s->joint_moved, s->model->njoint);
    CLV_TAKE(a, s->joint_rate_moved, s->model->njoint), CLV_TAKE(a, s->body_rate_moved, s->model->nbody);
    CLV_TAKE(a, s->row, p->nclosing_row), CLV_TAKE(a, s->gauge, p->nsigma), CLV_TAKE(a, s->stress, p->nsigma);
    CLV_TAKE(a, s->out_turn, 6 * p->nedge), CLV_TAKE(a, s->input, s->model->ninput);
    CLV_TAKE(a, s->ramp, 2 * s->model->ninput);
    CLV_TAKE(a, s->servo, 4 * s->model->nmotion);
    CLV_TAKE(a, s->P, 6 * nb), CLV_TAKE(a, s->S, s->model->nmotion + s->model->nevent > 0 ? 6 * nb : 0);
    CLV_TAKE(a, s->out_y, s->n);
    if (s->model->nevent == 0)
        layout_views(s, a);
    CLV_TAKE(a, s->redundant, s->model->njoint), CLV_TAKE(a, s->unique, 6 * s->model->njoint);
    CLV_TAKE(a, s->effort_unique, s->model->njoint);
    CLV_TAKE(a, s->coupling_redundant, s->model->ncoupling), CLV_TAKE(a, s->coupled, s->model->ncoupling);
    CLV_TAKE(a, s->mobility, s->model->njoint), CLV_TAKE(a, s->swing, p->nclosing_row > 0 ? 6 * s->model->njoint : 0);
    CLV_TAKE(a, s->p, p->nu), CLV_TAKE(a, s->pdot, p->nu), CLV_TAKE(a, s->udot, p->nu);
}

/* First rates.  A formulation that factors more rows at once than the engine's nodes can take a weak direction for a
 * redundant one that the nodes have kept (T20).  The threshold is lowered until it drops no more than they do. */
static clv_status first_rates(clv_sim *s)
{
    double *rank = s->system.trials ? &s->system.trials->engine.rank : &s->system.engine.rank;
    const bool waits = clv_unseen_waits(s);
    s->system.lean = clv_sim_blind(s) || waits;
    clv_status st = clv_system_rates(&s->system, s->formulation, s->model->begin, s->y, s->ydot);
    s->system.lean = false;
    if (s->system.late.code != CLV_OK) {
        s->error = s->system.late;
        return s->error.code;
    }
    while (st == CLV_OK && !s->divided && s->system.truncated > s->base_nullity && *rank > CLV_TOL_PIVOT) {
        s->report.rank = *rank = fmax(0.1 * *rank, CLV_TOL_PIVOT);
        st = clv_system_rates(&s->system, s->formulation, s->model->begin, s->y, s->ydot);
    }
    if (st == CLV_OK && waits)
        clv_unseen_first(s);
    return st;
}

/* the parts of a simulation, and numbers of a run that has not begun */
static clv_status begin_parts(clv_sim *s)
{
    const clv_sim_options *o = &s->options;
    s->plan->carried = s->plan->ported; /* other starts are with nodes */
    clv_engine_begin(&s->system.engine, o->rank, s->kernels);
    clv_kinematics_begin(&s->system.kin);
    if (!clv_rows_begin(&s->system.rows, s->kernels->lanes))
        return clv_fail(&s->error, CLV_ERR_MEMORY, "out of memory");
    if (s->system.bodies)
        clv_row_bodies_begin(s->system.bodies, &s->system.kin, s->kernels);
    if (s->system.trials && !clv_row_trials_begin(s->system.trials, &s->system.kin, o->rank, s->kernels))
        s->system.trials = NULL;
    if (clv_sim_open_team(s) != CLV_OK)
        return s->error.code;
    s->system.error = &s->error;
    if (s->divided && clv_divided_begin(s) != CLV_OK)
        return s->error.code;
    clv_system_gains(&s->system, o->baumgarte);
    s->system.penalty = (clv_penalty){
        o->alpha, o->omega, o->mu, o->absolute_alpha, {o->eps_p, o->eps_v, o->eps_a}, o->iterations};
    s->system.project = o->project;
    if (s->integrator.method->asks == CLV_ASK_MECHANICS) {
        clv_engine_begin(&s->stage.engine, o->rank, s->kernels);
        clv_kinematics_begin(&s->stage.kin);
        if (!clv_rows_begin(&s->stage.rows, s->kernels->lanes))
            return clv_fail(&s->error, CLV_ERR_MEMORY, "out of memory");
        s->stage.error = &s->error;
        s->stage.kin.turn = s->system.kin.turn;
        s->mechanics = clv_sim_mechanics(s);
    }
    if (s->integrator.method->asks == CLV_ASK_RESPONSE) {
        s->mechanics = clv_sim_mechanics(s);
        clv_touching_mechanics(s, &s->mechanics);
    }
    return CLV_OK;
}

/* the state at the start */
static clv_status begin_state(clv_sim *s)
{
    const clv_sim_options *o = &s->options;
    s->report.min_pivot = 1.0;
    s->passage = (clv_passage){.lowest = 1, .calm = 1};
    s->seen_t = s->stepped = s->edge = s->paced = NAN, s->most_steps = INFINITY;
    s->out_time = s->model->begin;
    clv_sim_begin_inputs(s);
    clv_sim_next_event(s, s->model->begin);
    clv_status st = s->formulation->state == CLV_STATE_ABSOLUTE ? clv_start_absolute(s) : clv_start(s);
    if (st == CLV_OK)
        st = clv_begin_carrying(s);
    if (st != CLV_OK)
        return st;
    s->system.size = s->size;
    if (s->integrator.method->asks == CLV_ASK_MECHANICS)
        s->stage.engine.redundant = s->system.engine.redundant, s->stage.engine.strong = s->system.engine.strong;
    clv_find_sizes(s), clv_begin_rest(s);
    if (isnan(o->eps_p))
        s->system.step.tolerance = 1e-6 * s->options.step * s->options.step * s->size;
    if (clv_sim_blind(s))
        clv_sim_forget(s, false);
    st = s->divided ? clv_divided_place(s) : CLV_OK;
    if (st == CLV_OK)
        st = clv_blind_start(s) ? CLV_OK
                                : s->formulation->start(&s->system, s->model->begin, s->q, s->u, s->y);
    return st;
}

/* the first rates, energies and violations; *calm: all bodies are slow and all rates small */
static clv_status begin_rates(clv_sim *s, bool *calm)
{
    memcpy(s->out_y, s->y, (size_t)s->n * sizeof(double));
    clv_find_momentum_error(s);
    if (clv_momenta_lose(s))
        return CLV_ERR_UNSUPPORTED; /* open_sim takes another formulation */
    clv_status st = clv_absolute_refusal(s, first_rates(s));
    clv_spacing_begin(s);
    if (st == CLV_OK)
        st = clv_sim_try_team(s);
    clv_energies energies;
    *calm = st == CLV_OK && clv_blind_calm(s, &energies);
    if (st == CLV_OK && !*calm)
        st = clv_check_speed(s);
    if (st == CLV_OK)
        st = clv_flexible_check(&s->system);
    if (s->divided)
        st = clv_divided_agree(s, st);
    if (st != CLV_OK)
        return st;
    if (!*calm)
        energies = (clv_energies){clv_system_kinetic(&s->system), clv_system_potential(&s->system), 0};
    if (s->divided && !*calm)
        clv_divided_energies(s, &energies);
    s->potential_initial = energies.potential;
    s->report.energy_moved = energies.kinetic;
    s->report.energy_initial = s->report.energy = energies.kinetic + energies.potential;
    if (s->divided) /* steps look at all segments */
        return CLV_OK;
    s->report.max_position_violation = clv_position_violation(s);
    s->report.max_velocity_violation = s->report.max_velocity_violation_full = clv_velocity_violation(s);
    return CLV_OK;
}

/* which directions are free, which reactions unique, and the first accelerations */
static clv_status begin_rank(clv_sim *s, bool calm)
{
    clv_status st = CLV_OK;
    if (s->formulation->state != CLV_STATE_ABSOLUTE)
        s->beside_nullity = s->base_nullity;
    if (s->formulation->accelerate || clv_closed_in_rows(s)) /* a factor for the next lines */
        st = clv_system_place(&s->system, s->model->begin, s->q);
    if (st != CLV_OK)
        return st;
    if (s->plan->ported) /* rows are kept or dropped together with those of other segments */
        return CLV_OK;
    s->start_pivot = clv_closed_in_rows(s) ? s->system.trials->engine.min_pivot : s->system.engine.min_pivot;
    st = clv_factor_in_nodes(s, s->model->begin);
    if (st != CLV_OK)
        return st;
    clv_find_unique(s);
    st = clv_find_mobility(s);
    if (st == CLV_OK && !s->formulation->accelerate && !calm) {
        if (clv_starts_in_rows(s))
            st = clv_accelerate_in_rows(s);
        else if (!s->system.trials || clv_closed_in_rows(s)) /* else the first rates have left them */
            clv_system_accelerate(&s->system);
        st = st == CLV_OK ? clv_check_acceleration(s) : st;
    }
    if (st != CLV_OK)
        return st;
    for (int j = 0; j < s->model->njoint; j++)
        for (int i = 0; i < 6; i++)
            s->redundant[j] |= !s->unique[6 * j + i];
    for (int k = 0; k < s->model->ncoupling; k++)
        s->coupling_redundant[k] |= s->coupled[k];
    return CLV_OK;
}

static clv_status begin(clv_sim *s)
{
    const clv_sim_options *o = &s->options;
    bool calm = false;
    clv_status st = begin_parts(s);
    if (st == CLV_OK)
        st = begin_state(s);
    if (st != CLV_OK)
        return st;
    clv_ode ode = clv_sim_ode(s);
    const double atol = isnan(o->atol) ? o->rtol : o->atol;
    clv_integrator_options io = {.rtol = o->rtol, .atol = atol, .step = o->step,
                                 .max_step = o->max_step, .direction_end = NAN};
    st = begin_rates(s, &calm);
    if (st == CLV_OK)
        st = begin_rank(s, calm);
    if (st != CLV_OK)
        return st;
    if (clv_unseen_waits(s)) /* its first rates are there */
        memcpy(s->seen_y, s->y, (size_t)s->n * sizeof(double)), s->seen_t = s->model->begin, s->kept = true;
    st = clv_integrator_begin(&s->integrator, &ode, &io, s->model->begin, s->y);
    clv_sim_keep_turns(s);
    if (st == CLV_OK)
        st = clv_unseen_show(s);
    if (s->plan->connect && s->system.rows.carried && s->plan->nclosing_row > 0) /* for outputs (T170) */
        return st == CLV_OK ? clv_system_open(&s->system) : st;
    clv_engine_shut(&s->system.engine); /* that the start has opened */
    return st;
}

/* Is every joint met exactly in steps of index3, and no multiplier looked at (T99)? */
static bool exact_steps(const clv_sim *s, const clv_model *model)
{
    bool exact = s->system.step.alpha == 0;
    for (int i = 0; i < model->nforce; i++)
        exact &= !(model->force[i].bearing.static_coefficient > 0);
    for (int j = 0; j < model->njoint; j++)
        exact &= isnan(model->joint[j].more->alpha);
    return exact;
}

/* the spanning tree of an absolute plan, where that serves exact steps, or joints with a compliance */
static clv_status plan_tree(clv_sim *s, const clv_model *model)
{
    const bool exact = s->formulation->tree && exact_steps(s, model) && clv_row_trials_fit(s->plan);
    if (!exact && !(s->formulation->compliant && clv_compliant_fits(s->plan)))
        return CLV_OK;
    const clv_plan_options o = {.lanes = true, .tangents = s->formulation->tangents};
    const clv_status st = clv_plan_create(&s->tree, model, &o, &s->error);
    s->system.tree = s->tree;
    return st;
}

clv_status clv_sim_plan_of(clv_sim *s, const clv_model *model, clv_plan **to)
{
    const clv_formulation *f = s->formulation;
    return clv_plan_create(to, model,
                           &(clv_plan_options){.sections = f->sections, .method = s->options.method,
                                               .bracketing = s->options.bracketing, .apart = s->apart,
                                               .nsegment = s->divided ? s->divided->nsegment : 0,
                                               .segment = s->divided ? s->divided->segment : NULL,
                                               .segment_of = s->divided ? s->divided->segment_of : NULL,
                                               .target = s->divided ? STRAND : 0,
                                               .absolute = f->state == CLV_STATE_ABSOLUTE,
                                               .tangents = f->tangents, .lanes = f->lanes, .carry = f->carried},
                           &s->error);
}

clv_status clv_sim_build(clv_sim *s, const clv_model *model)
{
    if (!model || !model->finished)
        return clv_fail(&s->error, CLV_ERR_USAGE, "the model is not finished: call clv_model_finish first");
    if (model->nbody == 0)
        return clv_fail(&s->error, CLV_ERR_MODEL, "the model has no bodies");
    int lanes;
    clv_status st = clv_cpu_lanes(&lanes, &s->error);
    if (st != CLV_OK)
        return st;
    s->kernels = clv_kernels_of(lanes);
    st = clv_sim_check_options(s);
    if (st == CLV_OK && s->divided)
        st = clv_divided_check_options(s);
    if (st != CLV_OK && s->divided)
        st = clv_divided_all_failed(s);
    if (st == CLV_OK)
        st = clv_sim_plan_of(s, model, &s->plan);
    if (st != CLV_OK)
        return st;
    st = check_size(s);
    if (st == CLV_OK)
        st = plan_tree(s, model);
    if (st == CLV_OK && s->integrator.method->asks == CLV_ASK_RESPONSE)
        st = clv_touching_open(s);
    if (st != CLV_OK)
        return st;
    s->any_loop = s->plan->nclosing_row > 0 && !s->divided; /* their steps close loops in a way of their own */
    s->n = s->plan->nq + s->plan->nu + 1;
    s->nspacing = clv_spacing_count(model);
    const clv_method *method = s->integrator.method;
    if (method->most && s->n > method->most) {
        clv_fail(&s->error, CLV_ERR_UNSUPPORTED, "integrator '%s' takes at most %d states; the model has %d",
                 method->name, method->most, s->n);
        clv_error_hint(&s->error, "its linear algebra is dense; use dopri5 or adams");
        return s->error.code;
    }
    s->system.engine.later = s->stage.engine.later = solves_in_rows(s);
    layout(s, &s->arena);
    if (!clv_arena_open(&s->arena) || !open_views(s))
        return clv_fail(&s->error, CLV_ERR_MEMORY, "out of memory: the simulation needs %.3g MB",
                        (double)s->arena.used / 1e6);
    layout(s, &s->arena);
    return begin(s);
}

/* everything but the record itself; the callbacks of the model run here for the first time */
static clv_status create(clv_sim *s, const clv_model *model)
{
    const clv_status st = clv_sim_build(s, model);
    return st == CLV_OK && model && model->nevent > 0 ? clv_latches_open(s) : st;
}

static clv_status open_sim(clv_sim **sim, const clv_model *model, const clv_sim_options *options, bool apart,
                           const clv_divided *divided)
{
    if (!sim)
        return CLV_ERR_USAGE;
    clv_sim *s = *sim = clv_alloc(1, sizeof *s);
    if (!s)
        return CLV_ERR_MEMORY;
    clv_error_clear(&s->error);
    s->model = model;
    s->given = model ? model->joint : NULL;
    s->options = options ? *options : clv_sim_options_default();
    s->apart = apart, s->divided = divided;
    s->busy = true, s->released = -1;
    clv_status st = clv_sim_leave(s, create(s, model));
    if (clv_momenta_lose(s)) { /* the usual formulation was taken, and serves no more */
        const double error = s->report.momentum_error;
        clv_sim_options accelerations = s->options;
        accelerations.formulation = "dca";
        clv_sim_destroy(s);
        st = open_sim(sim, model, &accelerations, apart, divided);
        if (*sim)
            (*sim)->report.momentum_error = error;
        return st;
    }
    s->ready = st == CLV_OK;
    return st;
}

clv_status clv_sim_create(clv_sim **sim, const clv_model *model, const clv_sim_options *options)
{
    return open_sim(sim, model, options, false, NULL);
}

clv_status clv_sim_create_apart(clv_sim **sim, const clv_model *model, const clv_sim_options *options)
{
    return open_sim(sim, model, options, true, NULL);
}

clv_status clv_sim_create_divided(clv_sim **sim, const clv_model *model, const clv_sim_options *options,
                                  const clv_divided *divided)
{
    return open_sim(sim, model, options, false, divided);
}

void clv_sim_release(clv_sim *s)
{
    clv_integrator_destroy(&s->integrator);
    clv_close_consistent(s);
    clv_plan_destroy(s->plan), clv_plan_destroy(s->tree);
    clv_system_end(&s->system), clv_system_end(&s->stage);
    clv_team_destroy(s->team);
    clv_touching_close(s);
    clv_arena_close(&s->arena);
}

void clv_sim_destroy(clv_sim *s)
{
    if (!s || (s->busy && clv_sim_enter(s, __func__) != CLV_OK)) /* the call under way then fails, and s lives on */
        return;
    clv_sim_release(s);
    clv_slots_close(s);
    clv_latches_close(s);
    clv_arena_close(&s->control_block);
    clv_arena_close(&s->views);
    clv_free(s);
}

const clv_error *clv_sim_error(const clv_sim *s) { return s ? &s->error : clv_error_of_null(); }
