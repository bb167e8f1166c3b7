/* SPDX-License-Identifier: Apache-2.0
 * Why a walk failed (T43.12): steps of a walk give false, and what they leave says why.  A coordinate or an orientation
 * is not finite; a load is not; a body is loaded where nothing has inertia; a pivot is missing at a body or an edge. */
#include "base/error.h"
#include "formulation/walk_steps.h"

void clv_walk_begin(clv_system *s)
{
    s->held = 0;
    s->good = true, s->elsewhere = s->joined = false;
    s->engine.stalled = false;
    s->loads.failed = s->loads.failed_joint = s->loads.failed_body = -1;
}

clv_status clv_walk_failed(clv_system *s, double t, const double *q)
{
    if (s->elsewhere)
        return clv_fail(s->error, CLV_ERR_SINGULAR, CLV_DIVIDED_ELSEWHERE);
    if (s->late.code != CLV_OK) { /* of the evaluation before, which others took as a good one */
        *s->error = s->late;
        s->late.code = CLV_OK;
        return s->error->code;
    }
    clv_status st = clv_system_coordinates(s, t, q);
    if (st != CLV_OK)
        return st;
    clv_kinematics_poses(&s->kin, t, q);
    if (clv_system_lost(s))
        return s->error->code;
    if ((st = clv_system_loads_failed(s)) != CLV_OK)
        return st;
    return s->engine.stalled ? clv_system_solved(s) : clv_system_unfactored(s);
}
