/* SPDX-License-Identifier: Apache-2.0
 * The simulation anew, in place, for a variant of its model (T60, T95); see latch.h.  Positions are kept.  A locked
 * joint gets a motion that holds its coordinate, a joint that is absent is no part of the plan, an attachment gets its
 * frame on b. */
#include "base/error.h"
#include "base/memory.h"
#include "math/rotation.h"
#include "model/joint.h"
#include "simulation/exchange_slots.h"
#include "simulation/latch.h"
#include "simulation/sim.h"
#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------ the variant */

void clv_variant_free(clv_model *v)
{
    if (!v)
        return;
    clv_free(v->body), clv_free(v->joint), clv_free(v->motion), clv_free(v->input), clv_free(v->flex);
    clv_free(v);
}

static void *copy(const void *list, int n, int more, size_t size)
{
    void *to = clv_alloc((size_t)n + (size_t)more + 1, size);
    if (to && n > 0)
        memcpy(to, list, (size_t)n * size);
    return to;
}

/* a copy of the model with room for more motions; NULL when out of memory */
static clv_model *copy_model(const clv_model *m, int more)
{
    clv_model *v = clv_alloc(1, sizeof *v);
    if (!v)
        return NULL;
    *v = *m;
    v->body = copy(m->body, m->nbody, 0, sizeof *v->body), v->joint = copy(m->joint, m->njoint, 0, sizeof *v->joint);
    v->motion = copy(m->motion, m->nmotion, more, sizeof *v->motion);
    v->input = copy(m->input, m->ninput, 0, sizeof *v->input), v->flex = copy(m->flex, m->nflex, 0, sizeof *v->flex);
    if (v->body && v->joint && v->motion && v->input && v->flex)
        return v;
    clv_variant_free(v);
    return NULL;
}

/* start data: the state of the moment, at rest; the velocities come by the impulse */
static void place(clv_model *v, const clv_moment *x)
{
    for (int j = 0; j < v->njoint; j++) {
        clv_joint *to = &v->joint[j];
        to->has_q = !to->absent && clv_joint_table[to->kind].nu > 0, to->has_u = to->follows = false;
        to->q = x->q + 7 * (size_t)j; /* the moment lives as long as the variant */
    }
    for (size_t b = 0; b < (size_t)v->nbody; b++) {
        clv_body *to = &v->body[b];
        double R[9], l[3];
        memcpy(to->e, x->e + 4 * b, sizeof to->e);
        clv_quat_rotation(R, to->e);
        clv_mat3_times(l, R, to->com);
        clv_sub3(to->r, x->r + 3 * b, l);
        to->moving = NULL;
    }
    for (int k = 0, at = 0; k < v->nflex; at += v->flex[k++].nmode)
        v->flex[k].eta = x->eta + at, v->flex[k].etad = x->etad + at;
}

static void shape(clv_model *v, const clv_topology *t, const bool *keep)
{
    for (int j = 0; j < v->njoint; j++) {
        v->joint[j].absent = t->absent[j];
        if (keep && keep[j] && v->joint[j].cut < 0)
            v->joint[j].cut = 0;
        if (isnan(t->held[j]))
            continue;
        v->motion[v->nmotion++] = (clv_motion){.name = v->event[t->holder[j]].name, .joint = j, .offset = t->held[j]};
        v->joint[j].cut = -1; /* its coordinate is needed: another joint of a loop closes it (T60) */
    }
    for (int i = 0; i < v->nevent; i++) {
        const int j = v->event[i].attached;
        if (j < 0 || t->absent[j])
            continue;
        clv_copy3(v->joint[j].pb, t->frame + 12 * (size_t)i);
        memcpy(v->joint[j].Eb, t->frame + 12 * (size_t)i + 3, sizeof v->joint[j].Eb);
    }
}

/* ------------------------------------------------------------------ the same simulation, anew */

/* What is taken over from the simulation before the event. */
static void inherit(clv_sim *s, const clv_sim *old)
{
    s->options = old->options, s->apart = old->apart;
    s->ready = old->ready, s->busy = old->busy, s->intruder = old->intruder;
    s->latches = old->latches, s->slots = old->slots, s->views = old->views;
    s->controls = old->controls, s->control_block = old->control_block;
}

static void continue_accounts(clv_sim *s, const clv_sim *old)
{
    const size_t nj = (size_t)s->model->njoint;
    const double rank = s->report.rank;
    s->report = old->report, s->report.rank = rank;
    clv_integrator_stats *to = &s->integrator.stats;
    const clv_integrator_stats *from = &old->integrator.stats;
    to->steps += from->steps, to->rejected += from->rejected, to->evaluations += from->evaluations;
    s->system.counts = old->system.counts;
    s->potential_initial = old->potential_initial, s->fall = old->fall, s->moves |= old->moves;
    s->lands = old->lands, s->handed = old->handed;
    s->most_steps = old->most_steps, s->paced = old->paced;
    s->options = old->options;
    s->integrator.options.direction_end = old->integrator.options.direction_end;
    memcpy(s->joint_moved, old->joint_moved, nj * sizeof *s->joint_moved);
    memcpy(s->joint_rate_moved, old->joint_rate_moved, nj * sizeof *s->joint_rate_moved);
    memcpy(s->body_rate_moved, old->body_rate_moved, (size_t)s->model->nbody * sizeof *s->body_rate_moved);
    memcpy(s->redundant, old->redundant, nj * sizeof *s->redundant);
    memcpy(s->mobility, old->mobility, nj * sizeof *s->mobility);
}

/* The output state is that after the event; work takes up what was lost. */
static clv_status go_on(clv_sim *s, const clv_sim *old, const clv_moment *x)
{
    const double t = x->time;
    continue_accounts(s, old);
    s->scale[s->n - 1] = fmax(s->scale[s->n - 1], old->scale[old->n - 1]);
    s->latches->work_scale = s->scale[s->n - 1];
    if (s->plan->nedge > 0)
        memcpy(s->out_turn, s->system.kin.turn, 6 * (size_t)s->plan->nedge * sizeof(double));
    s->out_time = t;
    clv_status st = clv_sim_show(s);
    if (st != CLV_OK)
        return st;
    s->out_y[s->n - 1] = x->work + s->out_kinetic + s->out_potential - x->energy;
    clv_sim_next_event(s, t * (1 - 2 * CLV_BREAK_MERGE));
    s->seen_t = NAN;
    return clv_integrator_restart(&s->integrator, t, s->out_y);
}

/* x NULL: at the start of the model */
static clv_status rebuild(clv_sim *s, const clv_model *model, const clv_moment *x)
{
    const clv_sim old = *s;
    memset(s, 0, sizeof *s);
    clv_error_clear(&s->error);
    inherit(s, &old);
    s->options.start_tolerance = x ? -1 : old.options.start_tolerance; /* rounding is closed again */
    s->model = model, s->given = model->joint;
    clv_status st = clv_sim_build(s, model);
    if (st == CLV_OK)
        st = clv_slots_turn(s);
    if (st == CLV_OK && x)
        st = clv_latches_hit(s, x);
    if (st == CLV_OK && x)
        st = go_on(s, &old, x);
    else if (st == CLV_OK)
        continue_accounts(s, &old);
    clv_sim failed = st == CLV_OK ? old : *s;
    if (st != CLV_OK) {
        *s = old;
        s->error = failed.error;
        (void)clv_slots_turn(s);
    }
    clv_sim_release(&failed);
    return st;
}

clv_status clv_variant_plan(clv_sim *s, const clv_topology *topology, clv_plan **plan)
{
    const clv_latches *l = s->latches;
    clv_model *variant = copy_model(l->given, l->given->njoint);
    if (!variant)
        return clv_fail(&s->error, CLV_ERR_MEMORY, "out of memory at an event of the model");
    shape(variant, topology, NULL);
    place(variant, &l->here);
    const clv_status st = clv_sim_plan_of(s, variant, plan);
    if (*plan)
        (*plan)->model = NULL; /* it outlives the variant */
    clv_variant_free(variant);
    return st;
}

/* Motions, couplings and locks need coordinates of every joint of a loop: the error names the lock. */
static clv_status no_joint_left(clv_sim *s, const clv_topology *topology, const clv_moment *x)
{
    const clv_model *m = s->latches->given;
    int j = -1;
    for (int i = 0; i < m->njoint; i++)
        if (!isnan(topology->held[i]) &&
            (s->latches->of[topology->holder[i]].due || (j < 0 && strcmp(m->joint[i].name, s->error.joint) == 0)))
            j = i;
    if (j < 0 || (strncmp(s->error.path, "motions.", 8) != 0 && strncmp(s->error.path, "couplings.", 10) != 0))
        return s->error.code;
    const char *name = m->event[topology->holder[j]].name;
    clv_fail(&s->error, CLV_ERR_UNSUPPORTED,
             "event '%s' cannot lock joint '%s' at t = %.9g s: motions, couplings and locks then hold every joint of a "
             "loop, and none is left to close it",
             name, m->joint[j].name, x->time);
    clv_error_locate(&s->error, "events", name, "lock");
    clv_error_text(s->error.joint, sizeof s->error.joint, m->joint[j].name);
    clv_error_hint(&s->error, "lock another joint, or leave a motion or coupling of this loop out");
    s->error.time = x->time;
    return s->error.code;
}

clv_status clv_variant_build(clv_sim *s, const clv_topology *topology, const clv_moment *x)
{
    clv_latches *l = s->latches;
    clv_model *variant = copy_model(l->given, l->given->njoint);
    if (!variant)
        return clv_fail(&s->error, CLV_ERR_MEMORY, "out of memory at an event of the model");
    for (int i = 0; i < variant->ninput; i++)
        variant->input[i].value = x->input[i];
    variant->begin = x->time;
    shape(variant, topology, l->keep);
    place(variant, x);
    l->building = x;
    clv_status st = rebuild(s, variant, x);
    l->building = NULL;
    if (st == CLV_ERR_UNSUPPORTED)
        st = no_joint_left(s, topology, x);
    clv_variant_free(st == CLV_OK ? l->variant : variant);
    if (st == CLV_OK)
        l->variant = variant;
    return st;
}

clv_status clv_variant_reset(clv_sim *s)
{
    clv_latches *l = s->latches;
    const clv_status st = rebuild(s, l->given, NULL);
    if (st == CLV_OK)
        clv_variant_free(l->variant), l->variant = NULL;
    return st;
}
