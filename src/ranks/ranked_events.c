/* SPDX-License-Identifier: Apache-2.0
 * Events that end a run on ranks (T146).  A condition is looked for on the rank that has its joint or its markers, on
 * the dense output of every step, as in one process (T60).  One message more up and down a step says when the first
 * one holds anywhere, and all ranks end there. */
#include <math.h>
#include <string.h>
#include "base/error.h"
#include "base/memory.h"
#include "model/model.h"
#include "ranks/ranked_record.h"
#include "simulation/sim.h"

static const double TOGETHER = 1e-12; /* s, and parts of the time: events this near happen at once (T60) */

/* ------------------------------------------------------------------ what is here */

static int find(const int *list, int n, int item)
{
    for (int i = 0; i < n; i++)
        if (list[i] == item)
            return i;
    return -1;
}

static clv_status refuse(clv_ranked *r, const clv_event *e, const char *what)
{
    clv_fail(&r->error, CLV_ERR_UNSUPPORTED, "a mechanism on several ranks cannot have %s ('%s')", what, e->name);
    clv_error_locate(&r->error, "events", e->name, NULL);
    clv_error_hint(&r->error, "run it without mpirun; docs/ranks.md lists what ranks support");
    return r->error.code;
}

/* clv_cut_model has refused the rest */
static clv_status check(clv_ranked *r, const clv_model *m, const clv_event *e)
{
    if (e->joint >= 0 && e->joint == r->cut.closing)
        return refuse(r, e, "events of the joint that closes its loop");
    if (e->marker[0] >= 0) {
        const int a = m->marker[e->marker[0]].body, b = m->marker[e->marker[1]].body;
        if (a >= 0 && b >= 0 && r->cut.segment_of[a] != r->cut.segment_of[b])
            return refuse(r, e, "events at distances between bodies of different segments");
    }
    return CLV_OK;
}

clv_status clv_ranked_list_events(clv_ranked *r, const clv_model *m)
{
    const clv_share *c = &r->share;
    r->pending = r->stop = INFINITY, r->ended = -1;
    if (m->nevent > 0 && !(r->event = clv_alloc((size_t)m->nevent, sizeof *r->event)))
        return clv_fail(&r->error, CLV_ERR_MEMORY, "out of memory");
    for (int i = 0; i < m->nevent; i++) {
        clv_event *own = &r->event[i].at;
        const clv_status st = check(r, m, &m->event[i]);
        if (st != CLV_OK)
            return st;
        *own = m->event[i];
        own->release = NULL;
        if (!(own->name = clv_copy_text(m->event[i].name)))
            return clv_fail(&r->error, CLV_ERR_MEMORY, "out of memory");
        r->nevent++;
        if (own->joint >= 0)
            own->joint = find(c->joint, c->model->njoint, own->joint);
        for (int k = 0; k < 2 && own->marker[k] >= 0; k++)
            own->marker[k] = find(c->marker, c->model->nmarker, own->marker[k]);
        r->event[i].timed = !clv_event_waits(&m->event[i]);
        r->event[i].here = own->joint >= 0 || (own->marker[0] >= 0 && own->marker[1] >= 0);
    }
    return CLV_OK;
}

void clv_ranked_forget_events(clv_ranked *r)
{
    for (int i = 0; i < r->nevent; i++)
        clv_free(r->event[i].at.name);
    clv_free(r->event);
}

/* ------------------------------------------------------------------ when */

/* the first event in the last step that this rank can see */
static clv_status look_here(clv_ranked *r, double *first)
{
    clv_sim *s = r->sim;
    const double from = s->integrator.t_old, to = s->integrator.t;
    clv_status st = CLV_OK;
    bool posed = false;
    for (int i = 0; i < r->nevent && st == CLV_OK; i++) {
        const clv_event *e = &r->event[i].at;
        clv_happening *h = &r->event[i].happening;
        h->found = INFINITY;
        if (r->event[i].timed)
            h->found = e->time > from && e->time <= to ? e->time : INFINITY;
        else if (r->event[i].here)
            st = clv_latches_find(s, e, h, &posed);
        *first = fmin(*first, h->found);
    }
    s->seen_t = NAN, s->system.held = 0; /* on all ranks, for some have posed the bodies of another time */
    return st;
}

/* After a step, on all ranks: when the first event in it happens, and which one. */
static clv_status look(clv_ranked *r)
{
    const clv_across *a = &r->divided.across;
    double first = INFINITY;
    const clv_status st = look_here(r, &first);
    const double least = -a->largest(a->owner, st == CLV_OK ? -first : INFINITY);
    if (st != CLV_OK || least == -INFINITY)
        return st != CLV_OK ? st : clv_fail(&r->sim->error, CLV_ERR_SINGULAR, CLV_DIVIDED_ELSEWHERE);
    r->pending = least;
    if (!isfinite(least))
        return CLV_OK;
    int due = 0;
    while (due < r->nevent && !(r->event[due].happening.found <= least + TOGETHER * fmax(1, fabs(least))))
        due++;
    r->due = (int)-a->largest(a->owner, -due);
    return CLV_OK;
}

/* No step passes the time of an event that is known before. */
static void stop_before(clv_ranked *r)
{
    r->divided.stop = r->stop;
    for (int i = 0; i < r->nevent; i++)
        if (r->event[i].timed && r->event[i].at.time > r->sim->integrator.t)
            r->divided.stop = fmin(r->divided.stop, r->event[i].at.time);
}

static clv_status ended(clv_ranked *r)
{
    clv_error *e = &r->sim->error;
    r->ended = r->due;
    clv_fail(e, CLV_STOPPED, "event '%s' has ended the run at t = %.9g s", r->event[r->due].at.name, r->pending);
    clv_error_locate(e, "events", r->event[r->due].at.name, NULL);
    e->time = r->pending;
    return CLV_STOPPED;
}

clv_status clv_ranked_advance(clv_ranked *r, double time)
{
    clv_status st = CLV_OK;
    while (r->nevent > 0 && st == CLV_OK && !(r->pending < time) && r->sim->integrator.t < time) {
        stop_before(r);
        st = clv_sim_step(r->sim, time);
        if (st == CLV_OK)
            st = look(r);
    }
    if (st == CLV_OK)
        st = clv_sim_advance(r->sim, fmin(time, r->pending));
    return st == CLV_OK && r->pending < time ? ended(r) : st;
}

void clv_ranked_stop_at(clv_ranked *r, double time) { r->stop = r->divided.stop = time; }

int clv_ranked_events(const clv_ranked *r) { return r->nevent; }

const char *clv_ranked_event(const clv_ranked *r, int i, double *time)
{
    *time = i == r->ended ? r->pending : NAN;
    return r->event[i].at.name;
}
