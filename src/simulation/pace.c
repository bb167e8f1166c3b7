/* SPDX-License-Identifier: Apache-2.0
 * A limit of the number of steps.  A run with more of them ends, and so does one that would make more at its pace:
 * after hours it would still be under way.  The error names what sets the steps.  Called before every step. */
#include <math.h>
#include <stdio.h>
#include "base/error.h"
#include "simulation/latch.h"
#include "simulation/sim.h"

static const double PACE = 1e6; /* steps before their pace says something about the rest of a run */

static clv_status set_max_steps(clv_sim *s, double most, double end)
{
    if (!(most >= 1))
        return clv_fail(&s->error, CLV_ERR_USAGE, "the limit of steps is %g; it must be at least 1", most);
    s->most_steps = most, s->paced = end;
    return CLV_OK;
}

clv_status clv_sim_set_max_steps(clv_sim *s, double most, double end)
{
    const clv_status st = clv_sim_enter(s, __func__);
    return st == CLV_OK ? clv_sim_leave(s, set_max_steps(s, most, end)) : st;
}

/* "; joint 'a' sets 90 % of them" */
static void what_sets_them(const clv_sim *s, char *text, size_t size)
{
    const clv_model *m = s->model;
    clv_step_limit x;
    text[0] = 0;
    if (!clv_sim_step_limit(s, &x))
        return;
    const double share = 100 * x.share;
    if (x.mode >= 0)
        snprintf(text, size, "; mode %d of '%s' sets %.0f %% of them", x.mode + 1, m->body[x.body].name, share);
    else if (x.joint >= 0)
        snprintf(text, size, "; joint '%s' sets %.0f %% of them", m->joint[x.joint].name, share);
    else
        snprintf(text, size, "; body '%s' sets %.0f %% of them", m->body[x.body].name, share);
}

/* may an event of the model end the run earlier? */
static bool may_end(const clv_sim *s) { return s->latches || (s->divided && s->divided->looks); }

clv_status clv_check_pace(clv_sim *s)
{
    const clv_integrator_stats *n = &s->integrator.stats;
    const double steps = (double)n->steps + (double)n->rejected, t = s->integrator.t;
    const double gone = t - s->model->begin, left = s->paced - t;
    const double all = gone > 0 && left > 0 && !may_end(s) ? steps + steps / gone * left : steps;
    char setting[160];
    if (steps < s->most_steps && (steps < PACE || all <= s->most_steps))
        return CLV_OK;
    what_sets_them(s, setting, sizeof setting);
    if (steps >= s->most_steps)
        clv_fail(&s->error, CLV_ERR_STEP_SIZE, "more than %.10g steps at t = %.9g s (max_steps)%s", s->most_steps, t,
                 setting);
    else
        clv_fail(&s->error, CLV_ERR_STEP_SIZE,
                 "%.3g steps have come to t = %.4g s; to %.9g s there would be %.2g, more than max_steps (%.2g)%s",
                 steps, t, s->paced, all, s->most_steps, setting);
    s->error.time = t;
    clv_error_hint(&s->error,
                   "look at rates, stiffnesses and units there, or at the tolerance; max_steps of %.0e lets it "
                   "continue",
                   10 * all);
    return CLV_ERR_STEP_SIZE;
}
