/* SPDX-License-Identifier: Apache-2.0
 * Bodies faster than any mechanism: loads, masses or units that are wrong by many orders of magnitude.  Steps would
 * shrink for ever, so the start is refused and a run ends with the body and its speed.  Called by the start and after
 * every step. */
#include <math.h>
#include <stdio.h>
#include "base/error.h"
#include "math/rotation.h"
#include "simulation/sim.h"

static const double fastest = 1e9, strongest = 1e30; /* m/s or rad/s; m/s^2 or rad/s^2 */

/* The body whose first or last three components are longest; *size: how long. */
static int longest(const double *x, int nbody, int *part, double *size)
{
    int worst = -1;
    *size = 0;
    for (int b = 0; b < nbody; b++)
        for (int i = 0; i < 2; i++) {
            const double *v = x + 6 * (size_t)b + 3 * i, most = fmax(fmax(fabs(v[0]), fabs(v[1])), fabs(v[2]));
            if (most > *size)
                worst = b, *part = i, *size = most;
        }
    return worst;
}

static clv_status refuse(clv_sim *s, const double *x, double limit, const char *verb, const char *const unit[2])
{
    char what[120];
    double size;
    int part = 0;
    const int body = longest(x, s->plan->nbody, &part, &size);
    if (body < 0 || size <= limit)
        return CLV_OK;
    snprintf(what, sizeof what, "a body %s at %.3g %s, above %.0e %s", verb, size, unit[part], limit, unit[part]);
    clv_system_fail(&s->system, CLV_ERR_NOT_FINITE, body, s->plan->tree[body].joint, what);
    s->error.value = size;
    if (s->options.step > 0 && s->system.kin.time > 0) /* explicit rules have a limit of stability */
        clv_error_hint(&s->error,
                       "the fixed step of %g s may be too long for a stiff spring or strong damper (try a tenth); "
                       "or a load, mass or rate is wrong by orders of magnitude",
                       s->options.step);
    else
        clv_error_hint(&s->error, "gravity, a load, a mass or a rate is wrong by many orders of magnitude; units are "
                                  "kg, m, s, N and rad");
    return s->error.code;
}

clv_status clv_check_speed(clv_sim *s)
{
    return refuse(s, s->system.kin.V, fastest, "moves", (const char *const[]){"m/s", "rad/s"});
}

clv_status clv_check_acceleration(clv_sim *s)
{
    return refuse(s, s->system.x, strongest, "accelerates", (const char *const[]){"m/s^2", "rad/s^2"});
}
