/* SPDX-License-Identifier: Apache-2.0
 * When events of the model happen (T60); see latch.h.  A condition is looked for at SAMPLES times of every step.  Its
 * first change of sign is found by bisection down to neighbouring numbers. */
#include "simulation/latch.h"
#include "base/error.h"
#include "base/memory.h"
#include "simulation/sim.h"
#include <math.h>
#include <string.h>

enum { SAMPLES = 8 };
static const double TOGETHER = 1e-12; /* s, and parts of the time: events this near happen at once */

clv_status clv_latches_refuse(clv_sim *s, const char *what)
{
    clv_fail(&s->error, CLV_ERR_UNSUPPORTED, "%s: the model has events ('%s')", what, clv_sim_given(s)->event[0].name);
    clv_error_hint(&s->error, "leave the events out, or run with CSV output");
    return s->error.code;
}

clv_status clv_latches_open(clv_sim *s)
{
    const clv_model *m = s->model;
    if (m->nflex > 0)
        return clv_latches_refuse(s, "flexible bodies with events are not supported");
    for (int i = 0; i < m->ninput; i++)
        if (m->input[i].kind == CLV_INPUT_MOTION)
            return clv_latches_refuse(s, "inputs of motions with events are not supported");
    clv_latches *x = s->latches = clv_alloc(1, sizeof *x);
    if (x)
        *x = (clv_latches){.given = m, .freedoms = s->plan->nu - s->plan->nclosing_row, .redundant = s->base_nullity,
                           .pending = INFINITY};
    if (x && (x->of = clv_alloc((size_t)m->nevent, sizeof *x->of)) != NULL &&
        (x->y = clv_alloc((size_t)s->n, sizeof *x->y)) != NULL)
        return CLV_OK;
    return clv_fail(&s->error, CLV_ERR_MEMORY, "out of memory");
}

void clv_latches_close(clv_sim *s)
{
    clv_latches *x = s->latches;
    if (!x)
        return;
    clv_variant_free(x->variant);
    clv_free(x->of), clv_free(x->y), clv_free(x);
    s->latches = NULL;
}

const clv_model *clv_sim_given(const clv_sim *s) { return s->latches ? s->latches->given : s->model; }

double clv_sim_reached(const clv_sim *s)
{
    return s->latches ? fmin(s->latches->pending, s->integrator.t) : s->integrator.t;
}

double clv_latches_time(const clv_sim *s)
{
    double first = INFINITY;
    for (int i = 0; s->latches && i < s->model->nevent; i++) {
        const clv_event *e = &s->model->event[i];
        if (e->joint < 0 && !s->latches->of[i].done && e->time > s->integrator.t)
            first = fmin(first, e->time);
    }
    return first;
}

/* < 0 before the event; sees the state at t on the dense output */
static clv_status distance(clv_sim *s, const clv_event *e, double t, double *g)
{
    const clv_plan *p = s->plan;
    const int child = p->child_of_joint[e->joint], edge = p->edge_of_joint[e->joint];
    double q[7] = {0}, u[6];
    clv_integrator_dense(&s->integrator, t, s->latches->y);
    if (child >= 0 && p->tree[child].iq >= 0)
        q[0] = s->latches->y[p->tree[child].iq];
    else {
        const clv_status st = clv_system_pose(&s->system, t, s->latches->y);
        if (st != CLV_OK)
            return st;
        if (child >= 0)
            q[0] = s->system.kin.q[7 * (size_t)child];
        else if (edge >= 0)
            clv_kinematics_closing_state(&s->system.kin, edge, q, u);
    }
    *g = e->below ? e->value - q[0] : q[0] - e->value;
    return CLV_OK;
}

/* The first number above `before` at which the condition holds; it does not there, and does at `after`. */
static clv_status bisect(clv_sim *s, const clv_event *e, double before, double *after)
{
    clv_status st = CLV_OK;
    while (st == CLV_OK) {
        double g = 0, middle = before + 0.5 * (*after - before);
        if (!(middle > before && middle < *after))
            break;
        st = distance(s, e, middle, &g);
        if (g < 0)
            before = middle;
        else
            *after = middle;
    }
    return st;
}

static clv_status find(clv_sim *s, const clv_event *e, double *found)
{
    const double from = s->integrator.t_old, to = s->integrator.t;
    double before = from, g = 0, last = 0;
    clv_status st = distance(s, e, from, &last);
    for (int k = 1; k <= SAMPLES && st == CLV_OK; k++) {
        double here = k == SAMPLES ? to : from + (to - from) * k / SAMPLES;
        st = distance(s, e, here, &g);
        if (st == CLV_OK && last < 0 && g >= 0) {
            st = bisect(s, e, before, &here);
            *found = here;
            return st;
        }
        before = here, last = g;
    }
    return st;
}

static bool in_tree(const clv_sim *s, const clv_event *e)
{
    const int child = s->plan->child_of_joint[e->joint];
    return child >= 0 && s->plan->tree[child].iq >= 0;
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
        if (h->done)
            continue;
        if (e->joint < 0)
            h->found = e->time > from && e->time <= to ? e->time : INFINITY;
        else
            st = find(s, e, &h->found), posed = posed || !in_tree(s, e);
        x->pending = fmin(x->pending, h->found);
    }
    for (int i = 0; i < s->model->nevent; i++)
        x->of[i].due = !x->of[i].done && isfinite(x->pending) &&
                       x->of[i].found <= x->pending + TOGETHER * fmax(1, fabs(x->pending));
    if (posed)
        s->seen_t = NAN, s->system.held = 0;
    return st;
}

clv_status clv_latches_before(clv_sim *s, double time)
{
    clv_latches *x = s->latches;
    if (!x || !isfinite(x->pending))
        return CLV_OK;
    if (s->stale && s->out_time < x->pending) { /* the caller has changed what comes before it */
        x->pending = INFINITY;
        return CLV_OK;
    }
    return time > x->pending ? clv_latches_cross(s) : CLV_OK;
}

bool clv_sim_event(const clv_sim *s, int i, clv_event_result *result)
{
    const bool there = clv_sim_ready(s) && i >= 0 && i < s->model->nevent;
    if (result)
        *result = there && s->latches->of[i].done ? s->latches->of[i].result
                                                  : (clv_event_result){false, NAN, NAN, NAN, NAN};
    return there;
}
