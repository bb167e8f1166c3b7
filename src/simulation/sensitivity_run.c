/* SPDX-License-Identifier: Apache-2.0
 * A sensitivity run from frame to frame (T109.3): step control, breaks of motions, steps that are kept. */
#include "base/error.h"
#include "base/memory.h"
#include "math/root.h"
#include "simulation/sensitivity.h"
#include <math.h>
#include <string.h>

/* Steps shorter than this part of the run end it. */
#define SHORTEST 1e-12

/* ------------------------------------------------------------------ steps */

static clv_status no_room(clv_sensitivity_work *w)
{
    return clv_fail(&w->s->error, CLV_ERR_MEMORY, "out of memory for the steps of a sensitivity run");
}

static bool keep_stages(clv_sensitivity_work *w, clv_kept_step *x)
{
    const size_t n = (size_t)w->n, nq = (size_t)w->nq, each = 3 * n + nq, stages = (size_t)w->tableau->stages + 1;
    w->bytes += stages * each * sizeof(double);
    if (w->bytes > w->most)
        return true; /* they are made again */
    x->stages = clv_alloc(stages * each, sizeof(double));
    for (size_t i = 0; i < stages && x->stages; i++) {
        double *to = x->stages + i * each;
        memcpy(to, w->stage[i].theta, n * sizeof(double)), memcpy(to + n, w->stage[i].q, nq * sizeof(double));
        memcpy(to + n + nq, w->stage[i].u, n * sizeof(double));
        memcpy(to + 2 * n + nq, w->stage[i].udot, n * sizeof(double));
    }
    return x->stages != NULL;
}

/* the step at hand has been accepted */
static clv_status keep(clv_sensitivity_work *w, const clv_kept_step *step)
{
    const size_t n = (size_t)w->n, nq = (size_t)w->nq, turns = 6 * (size_t)w->plan->nedge;
    if (w->steps == w->room) {
        const long room = w->room > 0 ? 2 * w->room : 64;
        clv_kept_step *more = clv_resize(w->step, (size_t)room, sizeof *more);
        if (!more)
            return no_room(w);
        w->step = more, w->room = room;
    }
    clv_kept_step *x = &w->step[w->steps];
    *x = *step;
    x->partition = w->partition, x->stages = NULL;
    x->q = clv_alloc(nq + 2 * n + turns + 1, sizeof(double));
    if (!x->q)
        return no_room(w);
    w->steps++;
    x->u = x->q + nq, x->udot = x->u + n, x->turn = x->udot + n;
    memcpy(x->udot, w->stage[0].udot, n * sizeof(double));
    memcpy(x->q, w->stage[0].q, nq * sizeof(double)), memcpy(x->u, w->stage[0].u, n * sizeof(double));
    memcpy(x->turn, w->s->system.kin.turn, turns * sizeof(double));
    return keep_stages(w, x) ? CLV_OK : no_room(w);
}

/* the new state becomes the first of the next step; the system is there */
static clv_status go_on(clv_sensitivity_work *w)
{
    const clv_closed_state *from = &w->stage[w->tableau->stages];
    clv_closed_state *to = &w->stage[0];
    to->t = from->t;
    memset(to->theta, 0, (size_t)w->n * sizeof(double));
    memcpy(to->q, from->q, (size_t)w->nq * sizeof(double)), memcpy(to->u, from->u, (size_t)w->n * sizeof(double));
    memcpy(to->udot, from->udot, (size_t)w->n * sizeof(double));
    clv_kinematics_keep_turns(&w->s->system.kin);
    return CLV_OK;
}

/* s: how far the next step may go, at most; *end: that is the end of this piece */
static double reach(const clv_sensitivity_work *w, double t, double until, double h, bool *end)
{
    const double left = until - t;
    if (w->fixed > 0) {
        const double count = ceil(left / w->fixed * (1 - 1e-9));
        *end = count <= 1;
        return count <= 1 ? left : left / count;
    }
    *end = h >= left * (1 - 1e-9);
    return *end ? left : h > 0.5 * left ? 0.5 * left : h;
}

static double grow(const clv_sensitivity_work *w, double h, double error)
{
    const double x = 1.25 * clv_root(error, w->tableau->root);
    return x > 0.2 ? h / x : 5 * h;
}

static double shrink(const clv_sensitivity_work *w, double h, double error, int failures)
{
    return failures == 1 && error > 1 ? h * fmax(0.1, 0.8 / clv_root(error, w->tableau->root)) : 0.5 * h;
}

static clv_status too_small(clv_sensitivity_work *w, double t)
{
    clv_fail(&w->s->error, CLV_ERR_STEP_SIZE, "sensitivity run: the step became too small at t = %.9g s", t);
    w->s->error.time = t;
    return w->s->error.code;
}

/* A step that is accepted, at most to `until`; *h: size to try next.  `like`: that step's size. */
static clv_status next_step(clv_sensitivity_work *w, double until, double *h, const clv_kept_step *like,
                            clv_kept_step *made)
{
    const double t = w->stage[0].t;
    const bool adaptive = w->fixed == 0 && !like;
    for (int failures = 1;; failures++) {
        double error = 0;
        bool end = like && like->t + like->h >= until - 1e-15 * fabs(until);
        made->t = t, made->h = like ? like->h : reach(w, t, until, *h, &end);
        if (made->h <= SHORTEST * fmax(fabs(t), until - w->begin))
            return too_small(w, t);
        const clv_status st = clv_sensitivity_step(w, made->h, &error);
        if (st != CLV_OK && (!adaptive || (st != CLV_ERR_NO_CONVERGENCE && st != CLV_ERR_NOT_FINITE)))
            return st;
        if (!adaptive || (st == CLV_OK && error <= 1)) {
            const double next = failures > 1 ? made->h : grow(w, made->h, error);
            *h = made->h < (1 - 1e-9) * *h ? fmax(next, *h) : next; /* a cut step says nothing against its size */
            if (end)
                w->stage[w->tableau->stages].t = until;
            return CLV_OK;
        }
        *h = shrink(w, made->h, st == CLV_OK ? error : 0, failures);
    }
}

/* s: a first size, from the rates at the start (HNW, II.4) */
static double first_size(const clv_sensitivity_work *w)
{
    double rate = 0, acceleration = 0;
    const clv_closed_state *x = &w->stage[0];
    for (int k = 0; k < w->n; k++) {
        rate = fmax(rate, fabs(x->u[k]) / w->unit[k]);
        acceleration = fmax(acceleration, fabs(x->udot[k]) / w->unit[k]);
    }
    const double part = 0.5 * clv_root(fmax(w->rtol, 1e-14), w->tableau->root);
    return fmin(rate > 0 ? part / rate : 1, acceleration > 0 ? sqrt(part / acceleration) : 1);
}

static clv_status jumps(clv_sensitivity_work *w, double t)
{
    clv_fail(&w->s->error, CLV_ERR_UNSUPPORTED, "no sensitivities: the rate of a motion jumps at t = %.9g s", t);
    w->s->error.time = t;
    return w->s->error.code;
}

/* a step that goes beyond an event ends there */
static clv_status watch(clv_sensitivity_work *w, clv_kept_step *made)
{
    const clv_status st = clv_sensitivity_watch(w, &made->h);
    for (int i = 0; i < w->s->model->nevent && st == CLV_OK && w->event < 0; i++)
        if (w->gone[i] && w->s->model->event[i].again && !w->armed[i])
            return clv_sensitivity_rearm(w);
    return st;
}

/* from the state at hand to a frame, or to an event before it */
static clv_status advance(clv_sensitivity_work *w, int frame, double *h, const clv_kept_step **like)
{
    clv_sim *s = w->s;
    clv_status st = CLV_OK;
    if (w->input)
        memcpy(s->input, w->input + (size_t)frame * (size_t)w->shown.inputs, (size_t)w->shown.inputs * sizeof(double));
    while (w->stage[0].t < w->time[frame] && st == CLV_OK) {
        const double until = fmin(fmin(w->time[frame], s->until), w->event_time);
        st = clv_sensitivity_begin(w, !*like);
        if (*h == 0)
            *h = first_size(w);
        while (w->stage[0].t < until && st == CLV_OK) {
            clv_kept_step made = {.frame = frame, .until = s->until};
            if (*like)
                w->partition = clv_sensitivity_copy_partition(w, *like);
            st = clv_sensitivity_rows(w, !*like);
            if (st == CLV_OK)
                st = next_step(w, until, h, *like, &made);
            if (st == CLV_OK && s->latches)
                st = watch(w, &made);
            made.ends = st == CLV_OK && w->stage[w->tableau->stages].t >= w->time[frame];
            if (st == CLV_OK)
                st = keep(w, &made);
            if (st == CLV_OK)
                st = go_on(w);
            if (*like)
                (*like)++;
            if (st != CLV_OK || w->event >= 0)
                return st;
        }
        if (st == CLV_OK && until == w->event_time)
            return CLV_OK;
        if (st == CLV_OK && until == s->until) {
            if (s->event == CLV_BREAK_VELOCITY)
                return jumps(w, until);
            clv_sim_next_event(s, until);
        }
    }
    return st;
}

/* loops closed at the start by dependent coordinates and rates */
static clv_status start(clv_sensitivity_work *w, const clv_kept_step *like)
{
    clv_closed_state *x = &w->stage[0];
    clv_sensitivity_first(w, x);
    memcpy(w->s->system.kin.turn, w->turn0, 6 * (size_t)w->plan->nedge * sizeof(double));
    if (w->input)
        memcpy(w->s->input, w->input + (size_t)w->first_frame * (size_t)w->shown.inputs,
               (size_t)w->shown.inputs * sizeof(double));
    if (like)
        w->partition = clv_sensitivity_copy_partition(w, like);
    clv_status st = clv_sensitivity_begin(w, !like);
    if (st == CLV_OK)
        st = clv_closed_find(w, w->q0, x);
    if (st != CLV_OK)
        return st;
    memcpy(w->q0, x->q, (size_t)w->nq * sizeof(double)), memcpy(w->u0, x->u, (size_t)w->n * sizeof(double));
    clv_sensitivity_first(w, x);
    for (int k = 0; k < w->n; k++)
        w->independent[k] = !(w->partition && w->partition->depends[k]);
    return CLV_OK;
}

clv_status clv_sensitivity_run(clv_sensitivity_work *w, const clv_sensitivity_work *like)
{
    clv_sim *s = w->s;
    const double until = s->until;
    const clv_kept_step *step = like && like->steps > 0 ? like->step : NULL;
    double h = 0;
    w->last_frame = w->first_frame;
    clv_sim_next_event(s, w->begin);
    clv_status st = start(w, step);
    if (st == CLV_OK && w->before)
        st = clv_crossing_find(w->before, w);
    if (st == CLV_OK && s->latches)
        st = clv_sensitivity_arm(w);
    for (int i = w->first_frame; i < w->shown.frames && st == CLV_OK; i++) {
        st = advance(w, i, &h, &step);
        if (st == CLV_OK && w->stage[0].t < w->time[i])
            break; /* an event comes before the frame */
        if (st == CLV_OK)
            w->last_frame = i + 1, st = clv_closed_show(w, &w->stage[0]);
        if (st == CLV_OK)
            clv_sensitivity_outputs(w, w->y + (size_t)i * (size_t)w->shown.outputs);
    }
    clv_sim_resume_events(s, until);
    return st;
}
