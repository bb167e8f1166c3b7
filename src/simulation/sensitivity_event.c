/* SPDX-License-Identifier: Apache-2.0
 * Events in a sensitivity run (T125): which are refused, which happens first in a step, and when.  A step that goes
 * beyond an event is made again, shorter, until it ends where the condition is met. */
#include "base/error.h"
#include "math/rotation.h"
#include "simulation/latch.h"
#include "simulation/sensitivity.h"
#include <math.h>
#include <string.h>

enum { MOST = 100 };             /* steps that look for an event              */
static const double AWAY = 1e-9; /* as of events of a run, latch.c            */

static clv_status refuse(clv_sim *s, const clv_event *e, const char *why)
{
    clv_fail(&s->error, CLV_ERR_UNSUPPORTED, "no sensitivities: event '%s' %s", e->name, why);
    clv_error_locate(&s->error, "events", e->name, NULL);
    return s->error.code;
}

clv_status clv_sensitivity_check_events(clv_sim *s)
{
    const clv_model *m = s->model;
    for (int i = 0; i < m->nevent; i++) {
        const clv_event *e = &m->event[i];
        if (e->action == CLV_ACTION_ATTACH)
            return refuse(s, e, "attaches a body; sensitivity runs take locks and releases");
        if (e->condition >= CLV_WHEN_FORCE)
            return refuse(s, e, "waits for a reaction or an effort");
    }
    return CLV_OK;
}

/* ------------------------------------------------------------------ the quantity */

/* Distance of a condition from its value at a closed state: < 0 before the event, NaN where its joint is absent or
 * held. */
static clv_status distance(clv_sensitivity_work *w, const clv_event *e, const clv_closed_state *x, double *g)
{
    double q = NAN;
    if (e->marker[0] >= 0) {
        double a[3], b[3];
        const clv_status st = clv_system_pose(&w->s->system, x->t, x->q);
        if (st != CLV_OK)
            return st;
        clv_marker_at(w->s, e->marker[0], a), clv_marker_at(w->s, e->marker[1], b);
        clv_sub3(a, a, b);
        q = clv_norm3(a);
    } else {
        const int child = w->plan->child_of_joint[e->joint];
        if (child < 0 && !w->s->model->joint[e->joint].absent)
            return refuse(w->s, e, "waits for a joint that closes a loop");
        const clv_tree_joint *t = child < 0 ? NULL : &w->plan->tree[child];
        if (t && t->f > 0)
            q = e->condition == CLV_WHEN_RATE ? x->u[t->iu] : x->q[t->iq];
    }
    *g = e->below ? e->value - q : q - e->value;
    return CLV_OK;
}

/* s, of the next event at a given time; INFINITY: none */
static double event_time(const clv_sensitivity_work *w)
{
    const clv_model *m = w->s->model;
    double first = INFINITY;
    for (int i = 0; i < m->nevent; i++)
        if (!clv_event_waits(&m->event[i]) && !w->gone[i] && m->event[i].time > w->begin)
            first = fmin(first, m->event[i].time);
    return first;
}

clv_status clv_sensitivity_arm(clv_sensitivity_work *w)
{
    const clv_model *m = w->s->model;
    clv_status st = CLV_OK;
    for (int i = 0; i < m->nevent && st == CLV_OK; i++) {
        double g = NAN;
        if (clv_event_waits(&m->event[i]) && (!w->gone[i] || m->event[i].again))
            st = distance(w, &m->event[i], &w->stage[0], &g);
        w->armed[i] = w->gone[i] ? g < -AWAY * fmax(1, fabs(m->event[i].value)) : g < 0;
    }
    w->event_time = event_time(w);
    return st;
}

/* repeating events are armed where their quantity has come back; by the new state */
clv_status clv_sensitivity_rearm(clv_sensitivity_work *w)
{
    const clv_model *m = w->s->model;
    clv_status st = CLV_OK;
    for (int i = 0; i < m->nevent && st == CLV_OK; i++) {
        double g = NAN;
        if (w->armed[i] || !w->gone[i] || !m->event[i].again || !clv_event_waits(&m->event[i]))
            continue;
        st = distance(w, &m->event[i], &w->stage[w->tableau->stages], &g);
        w->armed[i] = g < -AWAY * fmax(1, fabs(m->event[i].value));
    }
    return st;
}

/* ------------------------------------------------------------------ the time */

/* the distance at the end of a step of size h from the state at hand */
static clv_status attempt(clv_sensitivity_work *w, const clv_event *e, double h, double *g)
{
    double error;
    const clv_status st = clv_sensitivity_step(w, h, &error);
    return st == CLV_OK ? distance(w, e, &w->stage[w->tableau->stages], g) : st;
}

/* *h: of the step that ends at the event; g0 < 0 at its start, g at *h (the Illinois method, T125.1) */
static clv_status locate(clv_sensitivity_work *w, const clv_event *e, double g0, double g, double *h)
{
    double a = 0, b = *h, ga = g0, gb = g, x = b;
    clv_status st = CLV_OK;
    int side = 0;
    for (int k = 0; k < MOST && st == CLV_OK && gb != 0; k++) {
        x = b - gb * (b - a) / (gb - ga);
        if (!(x > a && x < b))
            break;
        double here = NAN;
        st = attempt(w, e, x, &here);
        if (st != CLV_OK)
            return st;
        const double moved = fabs(x - (here < 0 ? a : b));
        if (here < 0)
            a = x, ga = here, gb *= side < 0 ? 0.5 : 1, side = -1;
        else
            b = x, gb = here, ga *= side > 0 ? 0.5 : 1, side = 1;
        if (moved < 1e-15 * fmax(1, fabs(w->stage[0].t)) || here == 0)
            break;
    }
    *h = x;
    return st == CLV_OK ? attempt(w, e, x, &g) : st;
}

clv_status clv_sensitivity_watch(clv_sensitivity_work *w, double *h)
{
    const clv_model *m = w->s->model;
    clv_status st = CLV_OK;
    w->event = -1;
    for (int i = 0; i < m->nevent && st == CLV_OK; i++) {
        const clv_event *e = &m->event[i];
        double g0 = NAN, g = NAN;
        if (!w->armed[i])
            continue;
        st = distance(w, e, &w->stage[0], &g0);
        if (st == CLV_OK)
            st = distance(w, e, &w->stage[w->tableau->stages], &g);
        if (st == CLV_OK && g >= 0 && g0 < 0)
            st = locate(w, e, g0, g, h), w->event = i; /* those after it look at the shorter step */
    }
    return st;
}
