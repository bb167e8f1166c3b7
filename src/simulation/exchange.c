/* SPDX-License-Identifier: Apache-2.0
 * Model exchange; see exchange.h.  The work after an accepted step is that of step.c on a copy of the state.  The copy
 * is taken where it differs by more than the tolerance: else every step of the importer would end with an event. */
#include "simulation/exchange.h"
#include "base/error.h"
#include "integrator/vector.h"
#include "simulation/latch.h"
#include "simulation/sim.h"
#include <math.h>
#include <string.h>

clv_status clv_exchange_check(clv_sim *s)
{
    if (!clv_sim_ready(s))
        return CLV_ERR_USAGE;
    if (s->latches) {
        clv_fail(&s->error, CLV_ERR_UNSUPPORTED,
                 "model exchange cannot express event '%s': a locked joint changes the number of states",
                 clv_sim_given(s)->event[0].name);
        clv_error_hint(&s->error, "co-simulation has it");
        return s->error.code;
    }
    if (s->plan->absolute || s->formulation->rule) {
        clv_fail(&s->error, CLV_ERR_UNSUPPORTED, "formulation '%s' has no state for model exchange",
                 s->formulation->name);
        clv_error_hint(&s->error, "use hdca, dca, connection or massmatrix");
        return s->error.code;
    }
    for (int i = 0; i < s->model->ninput; i++)
        if (s->model->input[i].kind == CLV_INPUT_MOTION)
            return clv_fail(&s->error, CLV_ERR_UNSUPPORTED,
                            "input '%s' adds to a motion: what it has added is no state of model exchange",
                            s->model->input[i].name);
        else if (s->model->input[i].rate_limit > 0)
            return clv_fail(&s->error, CLV_ERR_UNSUPPORTED,
                            "input '%s' has a rate_limit: the effort on its way is no state of model exchange",
                            s->model->input[i].name);
    return CLV_OK;
}

int clv_exchange_count(const clv_sim *s) { return clv_sim_ready(s) ? s->n : 0; }

/* ---------------------------------------------------------------- what the states are */

/* Coordinates and rates of a body's tree joint. */
static void describe_joint(const clv_sim *s, int b, clv_exchange_state *to)
{
    const clv_tree_joint *t = &s->plan->tree[b];
    const clv_exchange_state x = {.joint = t->joint, .body = b, .kind = t->joint >= 0 ? t->kind : CLV_JOINT_FREE};
    for (int k = 0; k < t->nq && t->iq >= 0; k++)
        to[t->iq + k] = x, to[t->iq + k].index = k;
    for (int k = 0; k < t->f && t->iu >= 0; k++)
        to[s->plan->nq + t->iu + k] = x, to[s->plan->nq + t->iu + k].index = k;
}

static void describe_modes(const clv_sim *s, const clv_star *x, clv_exchange_state *to)
{
    for (int k = 0; k < x->nmode; k++)
        to[x->iq + k] = to[s->plan->nq + x->iu + k] =
            (clv_exchange_state){.joint = -1, .body = x->frame, .index = k, .mode = true};
}

void clv_exchange_describe(const clv_sim *s, clv_exchange_state *to)
{
    const int n = clv_exchange_count(s);
    for (int i = 0; i < n; i++)
        to[i] = (clv_exchange_state){.joint = -1, .body = -1};
    for (int b = 0; n > 0 && b < s->plan->nbody; b++)
        if (s->plan->tree[b].link < 0)
            describe_joint(s, b, to);
    for (int k = 0; n > 0 && k < s->plan->nstar; k++)
        describe_modes(s, &s->plan->star[k], to);
    for (int i = 0; i < n; i++) {
        to[i].rate = i >= s->plan->nq && i < n - 1;
        to[i].momentum = to[i].rate && s->formulation->state == CLV_STATE_MOMENTA;
        to[i].nominal = s->scale[i] > 0 ? s->scale[i] : 1;
    }
}

/* ---------------------------------------------------------------- state and rates */

const double *clv_exchange_get(const clv_sim *s) { return clv_sim_ready(s) ? s->out_y : NULL; }

/* what was computed at another state */
static void forget(clv_sim *s)
{
    s->evaluated = false;
    s->seen_t = NAN, s->system.held = 0, s->shown = 0;
    clv_sim_span(s, s->until);
}

void clv_exchange_put(clv_sim *s, double time, const double *y)
{
    s->out_time = time;
    if (y)
        memcpy(s->out_y, y, (size_t)s->n * sizeof(double));
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
    if (st == CLV_OK && !clv_vector_finite(ydot, s->n))
        return clv_fail(&s->error, CLV_ERR_NOT_FINITE, "a rate of the state is not finite at t = %.9g s", s->out_time);
    return st;
}

clv_status clv_exchange_rates(clv_sim *s, double *ydot)
{
    const clv_status st = clv_sim_enter(s, __func__);
    return st == CLV_OK ? clv_sim_leave(s, find_rates(s, ydot)) : st;
}

/* ---------------------------------------------------------------- after a step */

/* Does a state differ by more than the tolerance? */
static bool differs(const clv_sim *s, const double *a, const double *b)
{
    const double atol = isnan(s->options.atol) ? s->options.rtol : s->options.atol;
    bool more = false;
    for (int i = 0; i < s->n - 1; i++)
        more |= !(fabs(a[i] - b[i]) <= fmax(s->options.rtol * fabs(a[i]), atol * s->scale[i]));
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
    const clv_status st = clv_sim_enter(s, __func__);
    return st == CLV_OK ? clv_sim_leave(s, complete(s, to, due)) : st;
}

/* ---------------------------------------------------------------- breaks */

double clv_exchange_break(const clv_sim *s) { return clv_sim_ready(s) ? s->until : INFINITY; }

static clv_status cross(clv_sim *s, bool *changed)
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
        *changed = memcmp(s->out_y, s->integrator.y, bytes) != 0;
        memcpy(s->out_y, s->integrator.y, bytes);
    }
    forget(s);
    return st;
}

clv_status clv_exchange_cross(clv_sim *s, bool *changed)
{
    *changed = false;
    const clv_status st = clv_sim_enter(s, __func__);
    return st == CLV_OK ? clv_sim_leave(s, cross(s, changed)) : st;
}
