/* SPDX-License-Identifier: Apache-2.0
 * Co-simulation: a communication step by the library's own integrator with its step control; see unit.h.  Inputs are
 * constant in a step.  Events of the model happen inside it, at their time; one that ends the run ends the step. */
#include "fmu/unit.h"
#include <math.h>

unit_status unit_step(unit *u, double from, double length)
{
    const double end = from + length, slack = 1e-9 * fmax(1e-3, fmax(fabs(from), fabs(length)));
    if (!isfinite(from) || !isfinite(length) || !(length >= 0))
        return unit_fail(u, "a step from %g s by %g s is not possible", from, length);
    if (fabs(from - u->time) > slack)
        return unit_fail(u, "the step begins at %.17g s, but the unit is at %.17g s", from, u->time);
    if (isfinite(u->stop) && end > u->stop + slack)
        return unit_fail(u, "the step ends at %.17g s, after the end of the experiment, %.17g s", end, u->stop);
    const double to = isfinite(u->stop) ? fmin(end, u->stop) : end;
    if (!(to > clv_sim_time(u->sim)))
        return UNIT_OK;
    u->fresh = u->rated = false;
    const clv_status status = clv_sim_advance(u->sim, to);
    if (status == CLV_STOPPED) {
        u->time = clv_sim_time(u->sim);
        return UNIT_DISCARD;
    }
    if (status != CLV_OK) {
        u->time = clv_sim_time(u->sim), u->mode = UNIT_FAILED;
        return unit_fail_with(u, clv_sim_error(u->sim));
    }
    u->time = end;
    return UNIT_OK;
}
