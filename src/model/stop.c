/* SPDX-License-Identifier: Apache-2.0
 * Soft end stops of a joint coordinate (T47), after Hunt and Crossley: with the penetration d beyond a limit,
 *
 *   tau = -+k d^e max(0, 1 + a d')
 *
 * No force jumps when a stop is met or left (at d = 0), and none pulls.  Called by the loads of joints. */
#include "math/exp_log.h"
#include "model/force.h"
#include <math.h>

double clv_stop_power(double d, double e)
{
    return e == 1 ? d : e == 1.5 ? d * sqrt(d) : clv_power(d, e);
}

/* m or rad beyond a limit, 0 within; *side: 1 at the upper limit, -1 at the lower */
static double beyond(const clv_stop *x, double q, double *side)
{
    *side = q > x->upper ? 1 : -1;
    return q > x->upper ? q - x->upper : q < x->lower ? x->lower - q : 0;
}

double clv_stop_at(const clv_stop *x, double q, double u, double *elastic, double *on_place, double *on_rate)
{
    double side;
    const double d = beyond(x, q, &side), force = d > 0 ? x->stiffness * clv_stop_power(d, x->exponent) : 0;
    const double factor = fmax(0, 1 + x->dissipation * side * u);
    *elastic = -side * force;
    if (on_place)
        *on_place = d > 0 ? factor * x->exponent * force / d : 0;
    if (on_rate)
        *on_rate = factor > 0 ? x->dissipation * force : 0;
    return -side * force * factor;
}

double clv_stop_potential(const clv_stop *x, double q)
{
    double side;
    const double d = beyond(x, q, &side);
    return d > 0 ? x->stiffness * clv_stop_power(d, x->exponent) * d / (x->exponent + 1) : 0;
}
