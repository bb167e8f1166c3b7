/* SPDX-License-Identifier: Apache-2.0
 * When events of the model happen (T60); see latch.h.  latch_find.c looks for conditions in every step.  After it has
 * held, an event that repeats waits until the quantity has moved away from the value by more than rounding. */
#include "simulation/latch.h"
#include "base/error.h"
#include "math/rotation.h"
#include "simulation/react.h"
#include "simulation/sim.h"
#include <math.h>
#include <string.h>

static const double TOGETHER = 1e-12; /* s, and parts of the time: events this near happen at once */
static const double AWAY = 1e-9;      /* part of the value, or of 1: so far from it a quantity arms its event again */

clv_status clv_latches_refuse(clv_sim *s, const char *what)
{
    clv_fail(&s->error, CLV_ERR_UNSUPPORTED, "%s: the model has events ('%s')", what, clv_sim_given(s)->event[0].name);
    clv_error_hint(&s->error, "leave the events out");
    return s->error.code;
}

static void layout_topology(clv_topology *t, const clv_model *m, clv_arena *a)
{
    CLV_TAKE(a, t->held, m->njoint), CLV_TAKE(a, t->holder, m->njoint), CLV_TAKE(a, t->absent, m->njoint);
    CLV_TAKE(a, t->frame, 12 * m->nevent);
}

int clv_latches_modes(const clv_model *m)
{
    int n = 0;
    for (int k = 0; k < m->nflex; k++)
        n += m->flex[k].nmode;
    return n;
}

static void layout_moment(clv_moment *x, const clv_model *m, clv_arena *a)
{
    CLV_TAKE(a, x->q, 7 * m->njoint), CLV_TAKE(a, x->u, 6 * m->njoint), CLV_TAKE(a, x->fresh, m->njoint);
    CLV_TAKE(a, x->r, 3 * m->nbody), CLV_TAKE(a, x->e, 4 * m->nbody), CLV_TAKE(a, x->V, 6 * m->nbody);
    CLV_TAKE(a, x->c, 6 * m->nbody), CLV_TAKE(a, x->input, m->ninput);
    CLV_TAKE(a, x->eta, clv_latches_modes(m)), CLV_TAKE(a, x->etad, clv_latches_modes(m));
    CLV_TAKE(a, x->servo, 4 * m->nmotion), CLV_TAKE(a, x->ramp, 2 * m->ninput);
}

static void layout(clv_latches *x, const clv_model *m)
{
    clv_arena *a = &x->block;
    CLV_TAKE(a, x->of, m->nevent), CLV_TAKE(a, x->was, m->nevent);
    layout_topology(&x->now, m, a), layout_topology(&x->next, m, a);
    layout_moment(&x->last, m, a), layout_moment(&x->here, m, a);
    CLV_TAKE(a, x->scratch, 2 * clv_latches_numbers(m));
}

/* Which conditions can be crossed from the start? */
static clv_status arm(clv_sim *s)
{
    bool posed = false;
    clv_status st = CLV_OK;
    for (int i = 0; i < s->model->nevent && st == CLV_OK; i++) {
        double g = NAN;
        if (clv_event_waits(&s->model->event[i]))
            st = clv_latches_distance(s, &s->model->event[i], s->out_time, s->out_y, &g, &posed);
        s->latches->of[i].armed = g < 0;
    }
    if (posed)
        s->seen_t = NAN, s->system.held = 0;
    return st;
}

clv_status clv_latches_open(clv_sim *s)
{
    const clv_model *m = s->model;
    clv_latches *x = s->latches = clv_alloc(1, sizeof *x);
    if (!x)
        return clv_fail(&s->error, CLV_ERR_MEMORY, "out of memory");
    *x = (clv_latches){.given = m,
                       .freedoms = s->plan->nu - s->plan->nclosing_row,
                       .redundant = s->base_nullity,
                       .beside = s->beside_nullity,
                       .pending = INFINITY,
                       .stopped = -1};
    layout(x, m);
    if (!clv_arena_open(&x->block))
        return clv_fail(&s->error, CLV_ERR_MEMORY, "out of memory");
    x->block.used = 0;
    layout(x, m);
    for (int j = 0; j < m->njoint; j++)
        x->now.held[j] = NAN, x->now.absent[j] = m->joint[j].absent;
    return arm(s);
}

void clv_latches_close(clv_sim *s)
{
    clv_latches *x = s->latches;
    if (!x)
        return;
    clv_variant_free(x->variant);
    clv_arena_close(&x->block), clv_free(x);
    s->latches = NULL;
}

const clv_model *clv_sim_given(const clv_sim *s)
{
    return s->latches ? s->latches->given : s->model;
}

double clv_sim_reached(const clv_sim *s)
{
    return s->latches ? fmin(s->latches->pending, s->integrator.t) : s->integrator.t;
}

double clv_latches_time(const clv_sim *s)
{
    double first = INFINITY;
    for (int i = 0; s->latches && i < s->model->nevent; i++) {
        const clv_event *e = &s->model->event[i];
        if (!clv_event_waits(e) && !s->latches->of[i].result.happened && e->time > s->integrator.t)
            first = fmin(first, e->time);
    }
    return first;
}

/* ------------------------------------------------------------------ the quantity */

bool clv_latches_jumps(const clv_event *e)
{
    return e->condition != CLV_WHEN_COORDINATE && e->condition != CLV_WHEN_DISTANCE;
}

void clv_marker_at(const clv_sim *s, int marker, double at[3])
{
    const clv_marker *m = &s->model->marker[marker];
    double l[3];
    clv_copy3(at, m->position);
    if (m->body < 0)
        return;
    const size_t b = (size_t)m->body;
    clv_sub3(l, m->position, s->model->body[b].com);
    clv_mat3_times(at, s->system.kin.R + 9 * b, l);
    clv_axpy3(at, 1, s->system.kin.com + 3 * b);
}

static clv_status distance_of_markers(clv_sim *s, const clv_event *e, double t, const double *y, double *x)
{
    double a[3], b[3];
    const clv_status st = clv_system_pose(&s->system, t, y);
    if (st != CLV_OK)
        return st;
    clv_marker_at(s, e->marker[0], a), clv_marker_at(s, e->marker[1], b);
    clv_sub3(a, a, b);
    *x = clv_norm3(a);
    return CLV_OK;
}

static clv_status state_of_joint(clv_sim *s, const clv_event *e, double t, const double *y, double *x)
{
    const clv_formulation *f = s->formulation;
    const bool rate = e->condition == CLV_WHEN_RATE;
    double q[7], u[6];
    clv_status st;
    if (!rate)
        st = clv_system_pose(&s->system, t, y);
    else
        st = f->velocities ? f->velocities(&s->system, t, y) : f->rates(&s->system, t, y, s->ydot);
    if (st == CLV_OK)
        clv_joint_state(s, e->joint, q, u), *x = rate ? u[0] : q[0];
    return st;
}

/* Reactions come from an evaluation, which is one of the output state. */
static clv_status load_of_joint(clv_sim *s, const clv_event *e, double t, const double *y, double *x)
{
    const size_t bytes = (size_t)s->n * sizeof(double);
    const double kept = s->out_time;
    double *room = s->kept_y;
    clv_joint_result r;
    memcpy(room, s->out_y, bytes);
    if (y != s->out_y)
        memcpy(s->out_y, y, bytes);
    s->out_time = t;
    const clv_status st = clv_evaluate_output(s);
    if (st == CLV_OK)
        clv_sim_reaction(s, e->joint, &r);
    s->evaluated = false, s->out_time = kept;
    memcpy(s->out_y, room, bytes);
    if (st == CLV_OK)
        *x = e->condition == CLV_WHEN_EFFORT ? r.effort[0]
                                             : clv_norm3(e->condition == CLV_WHEN_FORCE ? r.force : r.torque);
    return st;
}

clv_status clv_latches_distance(clv_sim *s, const clv_event *e, double t, const double *y, double *g, bool *posed)
{
    const int child = e->joint >= 0 ? s->plan->child_of_joint[e->joint] : -1;
    double x = NAN;
    clv_status st = CLV_OK;
    if (e->condition == CLV_WHEN_COORDINATE && child >= 0 && s->plan->tree[child].iq >= 0)
        x = y[s->plan->tree[child].iq];
    else if (e->condition == CLV_WHEN_DISTANCE)
        st = distance_of_markers(s, e, t, y, &x), *posed = true;
    else if (!s->model->joint[e->joint].absent)
        st = e->condition >= CLV_WHEN_FORCE ? load_of_joint(s, e, t, y, &x) : state_of_joint(s, e, t, y, &x),
        *posed = true;
    *g = e->below ? e->value - x : x - e->value;
    return st;
}

/* ------------------------------------------------------------------ the time */

bool clv_latches_armed(const clv_happening *h, const clv_event *e, double g)
{
    if (!(g < 0))
        return false;
    return h->armed || !h->result.happened || g < -AWAY * fmax(1, fabs(e->value));
}

clv_status clv_latches_look(clv_sim *s)
{
    clv_latches *x = s->latches;
    const double from = s->integrator.t_old, to = s->integrator.t;
    clv_status st = CLV_OK;
    bool posed = false;
    for (int i = 0; i < s->model->nevent && st == CLV_OK; i++) {
        const clv_event *e = &s->model->event[i];
        clv_happening *h = &x->of[i];
        h->found = INFINITY;
        if (h->result.happened && !e->again)
            continue;
        if (clv_event_waits(e))
            st = clv_latches_find(s, e, h, &posed);
        else
            h->found = e->time > from && e->time <= to ? e->time : INFINITY;
        x->pending = fmin(x->pending, h->found);
    }
    for (int i = 0; i < s->model->nevent; i++)
        x->of[i].due = isfinite(x->pending) && x->of[i].found <= x->pending + TOGETHER * fmax(1, fabs(x->pending));
    if (posed)
        s->seen_t = NAN, s->system.held = 0;
    return st;
}

/* ------------------------------------------------------------------ where somebody else integrates */

static bool is_over(const clv_event *e, const clv_happening *h) { return h->result.happened && !e->again; }

static bool is_time(const clv_sim *s, const clv_event *e, const clv_happening *h)
{
    return !clv_event_waits(e) && !h->result.happened && e->time > s->latches->given->begin;
}

double clv_latches_next(const clv_sim *s)
{
    double first = INFINITY;
    for (int i = 0; s->latches && i < s->model->nevent; i++)
        if (is_time(s, &s->model->event[i], &s->latches->of[i]))
            first = fmin(first, s->model->event[i].time);
    return first;
}

clv_status clv_latches_due(clv_sim *s, bool *any)
{
    const double t = s->out_time;
    clv_status st = CLV_OK;
    bool posed = false;
    *any = false;
    for (int i = 0; i < s->model->nevent && st == CLV_OK; i++) {
        const clv_event *e = &s->model->event[i];
        clv_happening *h = &s->latches->of[i];
        double g = NAN;
        if (clv_event_waits(e) && h->armed && !is_over(e, h))
            st = clv_latches_distance(s, e, t, s->out_y, &g, &posed);
        h->due = g >= 0 || (is_time(s, e, h) && t >= e->time - TOGETHER * fmax(1, fabs(e->time)));
        *any = *any || h->due;
    }
    s->latches->pending = *any && st == CLV_OK ? t : INFINITY;
    return st;
}

clv_status clv_latches_arm(clv_sim *s)
{
    clv_status st = CLV_OK;
    bool posed = false;
    for (int i = 0; i < s->model->nevent && st == CLV_OK; i++) {
        const clv_event *e = &s->model->event[i];
        clv_happening *h = &s->latches->of[i];
        double g = NAN;
        if (clv_event_waits(e) && !is_over(e, h))
            st = clv_latches_distance(s, e, s->out_time, s->out_y, &g, &posed);
        h->armed = clv_latches_armed(h, e, g);
    }
    return st;
}

/* The distance; of one that waits to be armed again that from where it is. */
clv_status clv_latches_indicator(clv_sim *s, int i, double *z)
{
    const clv_event *e = &s->model->event[i];
    const clv_happening *h = &s->latches->of[i];
    clv_status st = CLV_OK;
    double g = NAN;
    bool posed = false;
    if (!is_over(e, h))
        st = clv_latches_distance(s, e, s->out_time, s->out_y, &g, &posed);
    if (isnan(g))
        *z = h->armed ? -1 : 1;
    else
        *z = h->armed || !h->result.happened ? g : g + AWAY * fmax(1, fabs(e->value));
    return st;
}

/* ------------------------------------------------------------------ before a step */

clv_status clv_latches_before(clv_sim *s, double time)
{
    clv_latches *x = s->latches;
    if (!x)
        return CLV_OK;
    if (x->stopped < 0 && isfinite(x->pending) && s->stale && s->out_time < x->pending) {
        x->pending = INFINITY; /* the caller has changed what comes before it */
        return CLV_OK;
    }
    if (time > s->out_time && x->stopped >= 0)
        return clv_latches_cross(s);
    return isfinite(x->pending) && time > x->pending ? clv_latches_cross(s) : CLV_OK;
}

bool clv_sim_event(const clv_sim *s, int i, clv_event_result *result)
{
    const bool there = clv_sim_ready(s) && i >= 0 && i < s->model->nevent;
    const clv_event_result none = {false, 0, NAN, NAN, NAN, NAN, {NAN, NAN, NAN}, {NAN, NAN, NAN}};
    if (result)
        *result = there && s->latches->of[i].result.happened ? s->latches->of[i].result : none;
    return there;
}

int clv_sim_stopped(const clv_sim *s)
{
    return clv_sim_ready(s) && s->latches ? s->latches->stopped : -1;
}
