/* SPDX-License-Identifier: Apache-2.0
 * Dry friction along a joint coordinate, regularized (T46):
 *
 *   tau(u) = -g tanh(u / v0),   g = sliding + (breakaway - sliding) exp(-(u / vs)^2)
 *
 * Smooth, odd, and of power tau u <= 0.  Called by the loads of joints. */
#include "math/exp_log.h"
#include "model/force.h"
#include <math.h>

enum { SATURATED = 20 }; /* tanh of this is 1 to the last bit */

/* tanh x for x >= 0 without loss of digits near 0: t = e^(-2x) - 1 by its series there */
static double rise(double x)
{
    if (x >= SATURATED)
        return 1.0;
    if (x < 0.1) {
        const double y = x * x; /* Taylor, next term below 1e-16 of the sum */
        return x * (1 + y * (-1.0 / 3 + y * (2.0 / 15 + y * (-17.0 / 315 + y * (62.0 / 2835 +
                    y * (-1382.0 / 155925 + y * (21844.0 / 6081075)))))));
    }
    const double e = clv_exp(-2 * x);
    return (1 - e) / (1 + e);
}

double clv_friction_most(const clv_friction *f, double u)
{
    const double more = f->breakaway - f->sliding, z = fabs(u) / f->stribeck_speed;
    return f->sliding + (more > 0 ? more * clv_exp(-z * z) : 0);
}

double clv_friction_at(const clv_friction *f, double u, double *slope)
{
    const double speed = fabs(u), more = f->breakaway - f->sliding;
    const double x = speed / f->stiction_speed, z = speed / f->stribeck_speed;
    const double t = rise(x), fall = more > 0 ? more * clv_exp(-z * z) : 0, g = f->sliding + fall;
    if (slope)
        *slope = -(g * (1 - t * t) / f->stiction_speed - 2 * fall * z / f->stribeck_speed * t);
    return u > 0 ? -g * t : g * t;
}
