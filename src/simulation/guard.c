/* SPDX-License-Identifier: Apache-2.0
 * What the public functions of a simulation do before and after their work.  They refuse no simulation (NULL), one
 * whose creation failed, and calls from inside a load callback of the same simulation, whose work would be
 * overwritten. */
#include "base/error.h"
#include "simulation/sim.h"
#include <math.h>

static clv_status refuse(clv_sim *s, const char *function)
{
    clv_fail(&s->error, CLV_ERR_USAGE, "a load callback calls %s on the simulation that is calling it", function);
    clv_error_hint(&s->error, "a callback must not change a simulation; it reads its view and adds to its wrenches");
    return s->error.code;
}

clv_status clv_sim_enter_unseen(clv_sim *s, const char *function)
{
    if (!s)
        return CLV_ERR_USAGE;
    if (s->busy) {
        s->intruder = function;
        return refuse(s, function);
    }
    if (!s->ready)
        return CLV_ERR_USAGE; /* the record keeps why it could not be created */
    s->busy = true;
    if (s->error.code != CLV_OK)
        clv_error_clear(&s->error);
    return CLV_OK;
}

clv_status clv_sim_enter(clv_sim *s, const char *function)
{
    const clv_status st = clv_sim_enter_unseen(s, function);
    if (st != CLV_OK)
        return st;
    const clv_status looked = clv_sim_look_inside(s);
    return looked == CLV_OK ? CLV_OK : clv_sim_leave(s, looked);
}

/* No failure is silent: a status without a record gets one. */
static void explain(clv_sim *s, clv_status status)
{
    const double failed = s->integrator.failed_time, t = isfinite(failed) ? failed : s->integrator.t;
    if (status == CLV_OK || (s->error.code == status && s->error.message[0]))
        return;
    clv_fail(&s->error, status, "%s at t = %.9g s", clv_status_text(status), t);
    s->error.time = t;
}

clv_status clv_sim_leave(clv_sim *s, clv_status status)
{
    const char *intruder = s->intruder;
    explain(s, status);
    if (status == CLV_OK && s->error.code != CLV_OK)
        clv_error_clear(&s->error); /* of steps that were tried again */
    s->busy = false, s->intruder = NULL;
    return intruder ? refuse(s, intruder) : status; /* what came after may have written over the record */
}
