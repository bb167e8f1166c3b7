/* SPDX-License-Identifier: Apache-2.0
 * Inputs, and other changes between two steps (T16.8): something the right-hand side depends on has changed at the
 * output time.
 *
 * What methods keep of the past would reach over the jump: a first stage, differences of past rates, dense output, the
 * memory of a rule.  All of it is dropped, and the next step starts from the output state, which is what the caller
 * has seen.  From the first change on, steps end at the times requested, so that a state the caller acts on is an
 * accepted one and nothing is interpolated or done twice. */
#include <math.h>
#include <string.h>
#include "base/error.h"
#include "model/force.h"
#include "simulation/latch.h"
#include "simulation/sim.h"

clv_status clv_sim_announce(clv_sim *s, bool lands)
{
    if (s->handed > s->out_time) {
        clv_fail(&s->error, CLV_ERR_USAGE,
                 "a change at %.9g s would be earlier than the state returned at %.9g s", s->out_time, s->handed);
        clv_error_hint(&s->error, "changes are made at the output state: use clv_sim_advance");
        return s->error.code;
    }
    s->lands = s->lands || lands;
    s->stale = true;
    s->evaluated = false;
    s->seen_t = NAN, s->system.held = 0;
    return CLV_OK;
}

clv_status clv_sim_changed(clv_sim *s)
{
    clv_status st = clv_sim_enter(s, __func__);
    return st == CLV_OK ? clv_sim_leave(s, clv_sim_announce(s, true)) : st;
}

clv_status clv_sim_jump(clv_sim *s)
{
    if (s->plan->nedge > 0)
        memcpy(s->system.kin.turn, s->out_turn, 6 * (size_t)s->plan->nedge * sizeof(double));
    s->seen_t = NAN;
    if (s->integrator.t > s->out_time || s->system.ramp)
        /* events from the output on come again, one at its very time included; inputs arrive at other times */
        clv_sim_next_event(s, s->out_time * (1 - 2 * CLV_BREAK_MERGE));
    const clv_status st = clv_integrator_jump(&s->integrator, s->out_time, s->out_y);
    s->stale = st != CLV_OK;
    return st;
}

/* ------------------------------------------------------------------ inputs */

void clv_sim_begin_inputs(clv_sim *s)
{
    const clv_model *m = s->model;
    bool servo = false, ramps = false;
    for (int i = 0; i < m->ninput; i++) {
        s->input[i] = m->input[i].value;
        s->ramp[2 * i] = m->input[i].value, s->ramp[2 * i + 1] = m->begin;
        ramps = ramps || m->input[i].rate_limit > 0;
        servo = servo || m->input[i].kind == CLV_INPUT_MOTION;
        if (m->input[i].kind == CLV_INPUT_MOTION)
            s->servo[4 * m->input[i].motion] = m->begin, s->servo[4 * m->input[i].motion + 3] = m->input[i].value;
    }
    const clv_latches *l = s->latches;
    if (l && l->building) { /* an event keeps what inputs have added, and on their way to where they are */
        memcpy(s->servo, l->building->servo, 4 * (size_t)l->given->nmotion * sizeof(double));
        memcpy(s->ramp, l->building->ramp, 2 * (size_t)m->ninput * sizeof(double));
    }
    s->system.ramp = s->stage.ramp = ramps ? s->ramp : NULL;
    s->system.input = s->stage.input = s->input;
    s->system.controls = s->stage.controls = &s->controls;
    s->system.kin.servo = s->stage.kin.servo = servo ? s->servo : NULL;
}

/* position and rate added so far stay, the acceleration is new */
static void turn_servo(clv_sim *s, int motion, double acceleration)
{
    double *a = s->servo + 4 * (size_t)motion;
    const double dt = s->out_time - a[0];
    a[1] += dt * (a[2] + 0.5 * dt * a[3]);
    a[2] += dt * a[3];
    a[0] = s->out_time, a[3] = acceleration;
}

static clv_status set_input(clv_sim *s, int i, double value)
{
    if (i < 0 || i >= s->model->ninput)
        return clv_fail(&s->error, CLV_ERR_USAGE, "there is no input number %d; the model has %d", i,
                        s->model->ninput);
    const clv_input *x = &s->model->input[i];
    if (!isfinite(value))
        return clv_fail(&s->error, CLV_ERR_USAGE, "input '%s' was set to %g at t = %.9g s; it must be finite", x->name,
                        value, s->out_time);
    value = fmin(fmax(value, x->limit[0]), x->limit[1]);
    if (value == s->input[i])
        return CLV_OK;
    const clv_status st = clv_sim_announce(s, true);
    if (st != CLV_OK)
        return st;
    if (x->rate_limit > 0)
        s->ramp[2 * i] = clv_input_ramped(x, s->input[i], s->ramp + 2 * (size_t)i, s->out_time),
                    s->ramp[2 * i + 1] = s->out_time;
    s->input[i] = value;
    if (x->kind == CLV_INPUT_MOTION)
        turn_servo(s, x->motion, value);
    return CLV_OK;
}

clv_status clv_sim_set_input(clv_sim *s, int i, double value)
{
    clv_status st = clv_sim_enter(s, __func__);
    return st == CLV_OK ? clv_sim_leave(s, set_input(s, i, value)) : st;
}

double clv_sim_input(const clv_sim *s, int i)
{
    return clv_sim_ready(s) && i >= 0 && i < s->model->ninput ? s->input[i] : NAN;
}
