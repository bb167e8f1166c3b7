/* SPDX-License-Identifier: Apache-2.0
 * Outputs computed elsewhere: one simulation hands out bare states, another of the same model and options shows them.
 * What an output shows is a function of its state alone, so both show the same bits.
 *
 *   state: time | 1 if inside a step: its loops are to be closed again | size of that step | evaluations so far |
 *          y (n) | turns of closing joints (6 nedge) | inputs (ninput) | where their efforts
 *          come from (2 ninput, if a rate is limited) | what they have added to motions (4 nmotion) */
#include <math.h>
#include <string.h>
#include "base/error.h"
#include "simulation/latch.h"
#include "simulation/react.h"
#include "simulation/sim.h"

enum { HEAD = 4 };

static size_t turns(const clv_sim *s) { return 6 * (size_t)s->plan->nedge; }

static size_t inputs(const clv_sim *s) { return (size_t)s->model->ninput; }
static size_t ramps(const clv_sim *s) { return s->system.ramp ? 2 * (size_t)s->model->ninput : 0; }
static size_t servos(const clv_sim *s) { return s->system.kin.servo ? 4 * (size_t)s->model->nmotion : 0; }

size_t clv_sim_state_size(const clv_sim *s)
{
    return clv_sim_ready(s) ? HEAD + (size_t)s->n + turns(s) + inputs(s) + ramps(s) + servos(s) : 0;
}

/* moves `count` numbers out of a simulation or into it; where the next ones lie */
static double *hand(double *state, double *own, size_t count, bool in)
{
    if (count > 0)
        memcpy(in ? own : state, in ? state : own, count * sizeof(double));
    return state + count;
}

static void hand_rest(clv_sim *s, double *state, bool in)
{
    state = hand(state, s->system.kin.turn, turns(s), in);
    state = hand(state, s->input, inputs(s), in);
    state = hand(state, s->ramp, ramps(s), in);
    hand(state, s->servo, servos(s), in);
}

void clv_sim_progress(const clv_sim *s, double *step, double *evaluations)
{
    const clv_integrator_stats *own = &s->integrator.stats;
    *step = s->shown_step > 0 ? s->shown_step : own->last_step;
    *evaluations = s->shown_evaluations > 0 ? s->shown_evaluations
                                            : (double)(s->report.rate_evaluations + own->evaluations);
}

clv_status clv_sim_advance_state(clv_sim *s, double time, double *state)
{
    clv_status st = CLV_OK;
    if (!s || !state || s->latches) /* else each step enters by itself */
        st = clv_sim_enter(s, __func__);
    if (!s || st != CLV_OK)
        return st;
    if (!state)
        return clv_sim_leave(s, clv_fail(&s->error, CLV_ERR_USAGE, "the pointer to the state is NULL"));
    if (s->latches)
        return clv_sim_leave(s, clv_latches_refuse(s, "states cannot be handed out"));
    do
        st = clv_sim_step(s, time);
    while (st == CLV_OK && s->integrator.t < time);
    if (st != CLV_OK)
        return st;
    s->handed = fmax(s->handed, time);
    state[0] = time, state[1] = time < s->integrator.t;
    clv_sim_progress(s, &state[2], &state[3]);
    clv_integrator_dense(&s->integrator, time, state + HEAD);
    hand_rest(s, state + HEAD + s->n, false);
    return CLV_OK;
}

static clv_status show_state(clv_sim *s, const double *state, size_t size)
{
    if (s->latches)
        return clv_latches_refuse(s, "states cannot be shown");
    if (!state || size != clv_sim_state_size(s) || !(isfinite(state[0]) && (state[1] == 0 || state[1] == 1)))
        return clv_fail(&s->error, CLV_ERR_USAGE, "this is not a state of a simulation of the same model and options");
    clv_break kind;
    clv_sim_span(s, clv_break_next(s->model, state[0] * (1 - 2 * CLV_BREAK_MERGE), &kind));
    s->out_time = state[0];
    s->shown_step = state[2], s->shown_evaluations = state[3];
    memcpy(s->out_y, state + HEAD, (size_t)s->n * sizeof(double));
    hand_rest(s, (double *)state + HEAD + s->n, true);
    return clv_sim_close(s, state[1] != 0);
}

clv_status clv_sim_show_state(clv_sim *s, const double *state, size_t size)
{
    clv_status st = clv_sim_enter(s, __func__);
    return st == CLV_OK ? clv_sim_leave(s, show_state(s, state, size)) : st;
}
