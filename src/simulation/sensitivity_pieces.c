/* SPDX-License-Identifier: Apache-2.0
 * A sensitivity run with events (T125): a piece for each mechanism, with a simulation of its own, and the derivatives
 * of every event between two of them. */
#include "base/error.h"
#include "base/memory.h"
#include "simulation/latch.h"
#include "simulation/react.h"
#include "simulation/sensitivity.h"
#include <math.h>
#include <string.h>

static const double SOON = 1e-8; /* s, and parts of the time: an event within it is quick, as in latch_cross.c */
enum { MOST_QUICK = 50, MOST_PIECES = 10000 }; /* in a row; in a run */

/* joints that are locked in this piece */
static void find_held(clv_sensitivity_work *w)
{
    const clv_latches *l = w->s->latches;
    w->nheld = 0;
    for (int j = 0; l && j < w->s->model->njoint; j++)
        if (!isnan(l->now.held[j]))
            w->held[w->nheld++] = j;
}

clv_status clv_piece_begin(clv_sensitivity_work *w)
{
    clv_sim *s = w->s;
    const size_t events = (size_t)s->model->nevent;
    w->event = -1;
    if (!s->latches)
        return CLV_OK;
    w->held = clv_alloc((size_t)s->model->njoint + 1, sizeof *w->held);
    w->gone = clv_alloc(2 * events + 1, sizeof *w->gone);
    if (!w->held || !w->gone)
        return clv_fail(&s->error, CLV_ERR_MEMORY, "out of memory for the events of a sensitivity run");
    w->armed = w->gone + events;
    find_held(w);
    w->y_held = clv_alloc((size_t)(w->shown.outputs * w->nheld) + 1, sizeof *w->y_held);
    w->held_bar = clv_alloc((size_t)w->nheld + 1, sizeof *w->held_bar);
    return w->y_held && w->held_bar ? CLV_OK
                                    : clv_fail(&s->error, CLV_ERR_MEMORY, "out of memory for a sensitivity run");
}

void clv_piece_end(clv_sensitivity_work *w)
{
    clv_free(w->held), clv_free(w->gone), clv_free(w->y_held), clv_free(w->held_bar), clv_free(w->crossing.E);
    clv_sim_destroy(w->own);
}

/* the simulation of a piece gets the state at its end */
static clv_status show_end(clv_sensitivity_work *w)
{
    clv_sim *s = w->s;
    const clv_closed_state *x = &w->stage[0];
    memcpy(s->out_y, x->q, (size_t)w->nq * sizeof(double));
    memcpy(s->out_y + w->nq, x->u, (size_t)w->n * sizeof(double));
    memcpy(s->out_turn, s->system.kin.turn, 6 * (size_t)w->plan->nedge * sizeof(double));
    s->out_time = x->t;
    s->evaluated = false, s->seen_t = NAN, s->system.held = 0, s->shown = 0;
    return clv_sim_show(s);
}

/* which events are due: that of the condition, or all at that time; those that have happened */
static void find_due(const clv_sensitivity_work *w, bool *due)
{
    const clv_model *m = w->s->model;
    const double t = w->stage[0].t;
    for (int i = 0; i < m->nevent; i++)
        due[i] = i == w->event || (w->event < 0 && !clv_event_waits(&m->event[i]) && !w->gone[i] &&
                                   fabs(m->event[i].time - t) <= 1e-12 * fmax(1, fabs(t)));
}

static clv_status stopped(clv_sensitivity_work *w, const bool *due)
{
    clv_sim *s = w->s;
    for (int i = 0; i < s->model->nevent; i++)
        if (due[i] && s->model->event[i].action == CLV_ACTION_STOP) {
            clv_fail(&s->error, CLV_ERR_UNSUPPORTED,
                     "no sensitivities: event '%s' ends the run at t = %.9g s, before its last frame",
                     s->model->event[i].name, w->stage[0].t);
            s->error.time = w->stage[0].t;
            return s->error.code;
        }
    return CLV_OK;
}

/* another condition that the impulse has brought beyond its value: it would be due at once */
static clv_status check_after(clv_sensitivity_work *w, clv_sensitivity_work *next)
{
    clv_sim *s = w->s;
    for (int i = 0; i < s->model->nevent; i++)
        if (w->armed[i] && !next->armed[i] && !next->gone[i] && s->model->event[i].condition == CLV_WHEN_RATE &&
            clv_event_waits(&s->model->event[i]) && next->plan->child_of_joint[s->model->event[i].joint] >= 0 &&
            next->plan->tree[next->plan->child_of_joint[s->model->event[i].joint]].f > 0)
            return clv_fail(&s->error, CLV_ERR_UNSUPPORTED,
                            "no sensitivities: event '%s' follows another one at once, at t = %.9g s",
                            s->model->event[i].name, w->stage[0].t);
    return CLV_OK;
}

static bool of_joint(const clv_observed *x)
{
    return x->kind == CLV_OBSERVED_COORDINATE || x->kind == CLV_OBSERVED_RATE;
}

/* A joint whose coordinate or rate is an output can close a loop after an event, or be gone. */
static clv_status check_outputs(clv_sensitivity_work *w, const clv_sim *to, const clv_sensitivity_options *o,
                                const bool *due)
{
    clv_sim *s = w->s;
    int event = 0;
    while (event < s->model->nevent - 1 && !due[event])
        event++;
    for (int i = 0; i < o->outputs; i++) {
        const clv_observed *x = &o->output[i];
        if (!of_joint(x) || to->plan->child_of_joint[x->item] >= 0)
            continue;
        const clv_joint *joint = &s->model->joint[x->item];
        clv_fail(&s->error, CLV_ERR_UNSUPPORTED,
                 "no sensitivities: joint '%s' %s after event '%s' at t = %.9g s, and is an output", joint->name,
                 to->model->joint[x->item].absent ? "is open" : "closes a loop", s->model->event[event].name,
                 w->stage[0].t);
        clv_error_locate(&s->error, "joints", joint->name, NULL);
        clv_error_text(s->error.joint, sizeof s->error.joint, joint->name);
        clv_error_hint(&s->error, "take a marker of its body");
        return s->error.code;
    }
    return CLV_OK;
}

/* the piece after an event */
static clv_status follow(clv_sensitivity_work *w, const clv_sensitivity_options *o, const bool *due)
{
    clv_sim *s = w->s, *to = NULL;
    clv_sensitivity_work *next = NULL;
    bool *keep = clv_alloc((size_t)s->model->njoint + 1, sizeof *keep);
    if (!keep)
        return clv_fail(&s->error, CLV_ERR_MEMORY, "out of memory for an event");
    for (int i = 0; i < o->outputs; i++)
        if (of_joint(&o->output[i]))
            keep[o->output[i].item] = true;
    clv_status st = clv_latches_follow(s, due, keep, &to);
    clv_free(keep);
    if (st == CLV_OK)
        st = check_outputs(w, to, o, due);
    if (st == CLV_OK)
        st = clv_sim_react(to);
    if (st == CLV_OK)
        st = clv_piece_open(&next, to, o);
    if (st != CLV_OK && to && to->error.code != CLV_OK)
        s->error = to->error;
    if (!next) {
        clv_sim_destroy(to);
        return st;
    }
    next->own = to, w->next = next, next->before = w;
    next->first_frame = w->last_frame, next->y = w->y;
    if (st != CLV_OK)
        return st;
    for (int i = 0; i < s->model->nevent; i++)
        next->gone[i] = w->gone[i] || due[i];
    return st;
}

/* events without end: many within a short time, or very many */
static clv_status endless(clv_sensitivity_work *w, int *quick, int count)
{
    const double t = w->stage[0].t;
    *quick = t - w->begin <= SOON * fmax(1, fabs(t)) ? *quick + 1 : 0;
    if (*quick <= MOST_QUICK && count <= MOST_PIECES)
        return CLV_OK;
    clv_fail(&w->s->error, CLV_ERR_NO_CONVERGENCE, "sensitivity run: events repeat without end at t = %.9g s", t);
    w->s->error.time = t;
    return w->s->error.code;
}

clv_status clv_pieces_run(clv_sensitivity_work *head, const clv_sensitivity_options *o)
{
    int quick = 0, count = 0;
    clv_status st = clv_sensitivity_run(head, (const clv_sensitivity_work *)o->like);
    for (clv_sensitivity_work *w = head; st == CLV_OK && w->last_frame < head->shown.frames; w = w->next) {
        bool *due = clv_alloc((size_t)w->s->model->nevent + 1, sizeof *due);
        if (!due)
            return clv_fail(&head->s->error, CLV_ERR_MEMORY, "out of memory for an event");
        find_due(w, due);
        st = stopped(w, due);
        if (st == CLV_OK)
            st = endless(w, &quick, ++count);
        if (st == CLV_OK)
            st = show_end(w);
        if (st == CLV_OK)
            st = follow(w, o, due);
        if (st == CLV_OK)
            st = clv_sensitivity_run(w->next, NULL);
        if (st == CLV_OK)
            st = check_after(w, w->next);
        if (st != CLV_OK && w->next && w->next->s->error.code != CLV_OK)
            w->s->error = w->next->s->error;
        if (st != CLV_OK && w != head)
            head->s->error = w->s->error;
        clv_free(due);
    }
    return st;
}
