/* SPDX-License-Identifier: Apache-2.0
 * Changes between two steps (T16.8): something the right-hand side depends on has changed at the output time.
 *
 * What methods keep of the past would reach over the jump: a first stage, differences of past rates, dense output, the
 * memory of a rule.  All of it is dropped, and the next step starts from the output state, which is what the caller
 * has seen.  From the first change on, steps end at the times asked for, so that a state the caller acts on is an
 * accepted one and nothing is interpolated or done twice. */
#include <math.h>
#include <string.h>
#include "base/error.h"
#include "simulation/sim.h"

static clv_status changed(clv_sim *s)
{
    if (s->handed > s->out_time) {
        clv_fail(&s->error, CLV_ERR_USAGE,
                 "a change at %.9g s would come before the bare state handed out at %.9g s", s->out_time, s->handed);
        clv_error_hint(&s->error, "changes are made at the output state: use clv_sim_advance");
        return s->error.code;
    }
    s->lands = s->stale = true;
    s->evaluated = false;
    s->seen_t = NAN;
    return CLV_OK;
}

clv_status clv_sim_changed(clv_sim *s)
{
    clv_status st = clv_sim_enter(s, __func__);
    return st == CLV_OK ? clv_sim_leave(s, changed(s)) : st;
}

clv_status clv_sim_jump(clv_sim *s)
{
    if (s->plan->nedge > 0)
        memcpy(s->system.kin.turn, s->out_turn, 6 * (size_t)s->plan->nedge * sizeof(double));
    s->seen_t = NAN;
    const clv_status st = clv_integrator_jump(&s->integrator, s->out_time, s->out_y);
    s->stale = st != CLV_OK;
    return st;
}
