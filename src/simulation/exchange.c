/* SPDX-License-Identifier: Apache-2.0
 * Model exchange; see exchange.h.  The work after an accepted step is that of step.c on a copy of the state.  The copy
 * is taken where it differs by more than the tolerance: else every step of the importer would end with an event. */
#include "simulation/exchange_slots.h"
#include "base/error.h"
#include "integrator/vector.h"
#include "simulation/latch.h"
#include "simulation/sim.h"
#include <math.h>
#include <string.h>

static clv_status check(clv_sim *s)
{
    if (s->plan->absolute || s->formulation->rule) {
        clv_fail(&s->error, CLV_ERR_USAGE, "formulation '%s' has no state for model exchange",
                 s->formulation->name);
        clv_error_hint(&s->error, "use hdca, dca, connection or massmatrix");
        return s->error.code;
    }
    if (clv_touching_exclude(s, "model exchange") != CLV_OK)
        return s->error.code;
    for (int i = 0; i < s->model->ninput; i++)
        if (s->model->input[i].kind == CLV_INPUT_MOTION)
            return clv_fail(&s->error, CLV_ERR_UNSUPPORTED,
                            "input '%s' adds to a motion: what it has added is not a state of model exchange",
                            s->model->input[i].name);
        else if (s->model->input[i].rate_limit > 0)
            return clv_fail(&s->error, CLV_ERR_UNSUPPORTED,
                            "input '%s' has a rate_limit: its changing effort is not a state of model exchange",
                            s->model->input[i].name);
    return CLV_OK;
}

clv_status clv_exchange_open(clv_sim *s)
{
    if (!clv_sim_ready(s))
        return CLV_ERR_USAGE;
    const clv_status st = check(s);
    return st == CLV_OK ? clv_slots_open(s) : st;
}

/* ---------------------------------------------------------------- what the states are */

int clv_exchange_count(const clv_sim *s) { return !clv_sim_ready(s) ? 0 : s->slots ? s->slots->n : s->n; }

void clv_exchange_describe(const clv_sim *s, clv_exchange_state *to)
{
    if (!clv_sim_ready(s))
        return;
    if (s->slots)
        memcpy(to, s->slots->state, (size_t)s->slots->n * sizeof *to);
    else
        clv_exchange_describe_plan(s, s->plan, to);
    for (int k = 0; k < clv_exchange_count(s); k++) {
        const int i = s->slots ? s->slots->at[k] : k;
        to[k].nominal = i >= 0 && s->scale[i] > 0 ? s->scale[i] : 1;
    }
}

/* ---------------------------------------------------------------- state and rates */

const double *clv_exchange_get(const clv_sim *s)
{
    if (!clv_sim_ready(s) || !s->slots)
        return clv_sim_ready(s) ? s->out_y : NULL;
    clv_slots_gather(s, s->out_y, false, s->slots->y);
    return s->slots->y;
}

/* what was computed at another state */
static void forget(clv_sim *s)
{
    s->evaluated = false;
    s->seen_t = NAN, s->system.held = 0, s->shown = 0;
    clv_sim_span(s, s->until);
}

static void take(clv_sim *s, const double *y)
{
    if (s->slots)
        clv_slots_scatter(s, y, s->out_y);
    else
        memcpy(s->out_y, y, (size_t)s->n * sizeof(double));
}

void clv_exchange_put(clv_sim *s, double time, const double *y)
{
    s->out_time = time;
    if (y && s->latches)
        s->latches->pending = INFINITY; /* conditions are looked at anew */
    if (y)
        take(s, y);
    forget(s);
}

void clv_exchange_put_input(clv_sim *s, int input, double value)
{
    s->input[input] = value;
    forget(s);
}

clv_status clv_exchange_show(clv_sim *s)
{
    const clv_status st = clv_sim_enter(s, __func__);
    return st == CLV_OK ? clv_sim_leave(s, clv_sim_show(s)) : st;
}

static clv_status find_rates(clv_sim *s, double *ydot)
{
    clv_system *k = &s->system;
    forget(s);
    k->lean = true;
    const clv_status st = clv_system_rates(k, s->formulation, s->out_time, s->out_y, ydot);
    k->lean = k->walked = false;
    if (st == CLV_OK && !clv_vector_finite(NULL, ydot, s->n))
        return clv_fail(&s->error, CLV_ERR_NOT_FINITE, "a rate of the state is not finite at t = %.9g s", s->out_time);
    return st;
}

clv_status clv_exchange_rates(clv_sim *s, double *ydot)
{
    clv_status st = clv_sim_enter(s, __func__);
    if (st == CLV_OK)
        st = clv_sim_leave(s, find_rates(s, s->slots ? s->slots->work : ydot));
    if (st == CLV_OK && s->slots)
        clv_slots_gather(s, s->slots->work, true, ydot);
    return st;
}

/* ---------------------------------------------------------------- after a step */

/* Does a state differ by more than the tolerance? */
static bool differs(const clv_sim *s, const double *a, const double *b)
{
    const double atol = isnan(s->options.atol) ? s->options.rtol : s->options.atol;
    bool more = false;
    for (int i = 0; i < s->n - 1; i++)
        more |= !(fabs(a[i] - b[i]) <= clv_tolerated(s->options.rtol, atol, s->scale[i], s->bound[i], fabs(a[i])));
    return more;
}

static clv_status complete(clv_sim *s, double *to, bool *due)
{
    const clv_ode ode = clv_sim_ode(s);
    const bool summed = s->system.summed;
    int changed = 0;
    clv_status st = CLV_ERR_SINGULAR;
    for (int tries = 0; st == CLV_ERR_SINGULAR && changed >= 0 && tries < 3; tries++) { /* another rank, perhaps */
        forget(s);
        memcpy(to, s->out_y, (size_t)s->n * sizeof(double));
        st = ode.accepted(s, s->out_time, to, &changed);
    }
    if (changed < 0) { /* the step is good, but its end is ill placed: the next one passes */
        memcpy(to, s->out_y, (size_t)s->n * sizeof(double));
        clv_error_clear(&s->error);
        st = CLV_OK, changed = 0;
    }
    if (st == CLV_OK && s->plan->nedge > 0)
        memcpy(s->out_turn, s->system.kin.turn, 6 * (size_t)s->plan->nedge * sizeof(double));
    *due = st == CLV_OK && (changed == 2 || summed != s->system.summed || differs(s, s->out_y, to));
    forget(s);
    return st;
}

clv_status clv_exchange_complete(clv_sim *s, double *to, bool *due)
{
    *due = false;
    bool any = false;
    clv_status st = clv_sim_enter(s, __func__);
    if (st == CLV_OK) {
        if (s->latches)
            forget(s), st = clv_latches_due(s, &any);
        st = clv_sim_leave(s, st == CLV_OK ? complete(s, s->slots ? s->slots->work : to, due) : st);
    }
    *due = *due || any;
    if (st == CLV_OK && s->slots)
        clv_slots_gather(s, s->slots->work, false, to);
    return st;
}

/* ---------------------------------------------------------------- events of the model (T139) */

int clv_exchange_indicators(const clv_sim *s)
{
    int n = 0;
    for (int i = 0; clv_sim_ready(s) && s->latches && i < s->model->nevent; i++)
        n += clv_event_waits(&s->model->event[i]);
    return n;
}

int clv_exchange_event(const clv_sim *s, int k)
{
    for (int i = 0; i < s->model->nevent; i++)
        if (clv_event_waits(&s->model->event[i]) && k-- == 0)
            return i;
    return -1;
}

static clv_status indicate(clv_sim *s, double *z)
{
    clv_status st = CLV_OK;
    int k = 0;
    forget(s);
    for (int i = 0; i < s->model->nevent && st == CLV_OK; i++)
        if (clv_event_waits(&s->model->event[i]))
            st = clv_latches_indicator(s, i, &z[k++]);
    forget(s);
    return st;
}

clv_status clv_exchange_indicate(clv_sim *s, double *z)
{
    const clv_status st = clv_sim_enter(s, __func__);
    return st == CLV_OK ? clv_sim_leave(s, s->latches ? indicate(s, z) : CLV_OK) : st;
}

/* At the state with closed loops, as in a run.  Whether a condition is met the importer's state says, which
 * clv_exchange_complete may have looked at. */
static clv_status happen(clv_sim *s, clv_exchange_result *result)
{
    bool any = s->latches->pending == s->out_time, due;
    const clv_model *before = s->model;
    forget(s);
    clv_status st = any ? CLV_OK : clv_latches_due(s, &any);
    if (st == CLV_OK && any)
        st = complete(s, s->slots->work, &due);
    if (st != CLV_OK || !any) {
        forget(s);
        return st;
    }
    memcpy(s->out_y, s->slots->work, (size_t)s->n * sizeof(double));
    forget(s);
    st = clv_sim_show(s);
    if (st == CLV_OK)
        st = clv_latches_cross(s);
    if (st == CLV_STOPPED)
        clv_error_clear(&s->error), st = CLV_OK;
    result->changed = true, result->rebuilt = s->model != before;
    s->latches->pending = INFINITY;
    forget(s);
    return st;
}

/* ---------------------------------------------------------------- breaks */

double clv_exchange_break(const clv_sim *s)
{
    return clv_sim_ready(s) ? fmin(s->until, clv_latches_next(s)) : INFINITY;
}

static clv_status cross_breaks(clv_sim *s, bool *changed)
{
    const size_t bytes = (size_t)s->n * sizeof(double);
    clv_status st = CLV_OK;
    s->integrator.t = s->out_time;
    memcpy(s->integrator.y, s->out_y, bytes);
    while (st == CLV_OK && clv_sim_at_event(s)) {
        forget(s);
        st = clv_sim_cross_event(s);
    }
    if (st == CLV_OK) {
        *changed = *changed || memcmp(s->out_y, s->integrator.y, bytes) != 0;
        memcpy(s->out_y, s->integrator.y, bytes);
    }
    forget(s);
    return st;
}

static clv_status cross(clv_sim *s, clv_exchange_result *result)
{
    clv_status st = s->latches && s->latches->stopped < 0 ? happen(s, result) : CLV_OK;
    if (st == CLV_OK)
        st = cross_breaks(s, &result->changed);
    if (st == CLV_OK && s->latches)
        st = clv_latches_arm(s);
    forget(s);
    result->stopped = s->latches && s->latches->stopped >= 0;
    return st;
}

clv_status clv_exchange_cross(clv_sim *s, const double *closed, clv_exchange_result *result)
{
    *result = (clv_exchange_result){.changed = closed != NULL};
    if (closed)
        take(s, closed), forget(s);
    const clv_status st = clv_sim_enter(s, __func__);
    return st == CLV_OK ? clv_sim_leave(s, cross(s, result)) : st;
}
