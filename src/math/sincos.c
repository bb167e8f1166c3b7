/* SPDX-License-Identifier: Apache-2.0
 * sin and cos by the lane code of math/lane_sincos.h, one lane wide; atan2 by argument reduction to
 * |t| <= tan(pi/8), polynomial by Chebyshev interpolation, error 3e-17, our own fit. */
#include "math/sincos.h"

#include <math.h>

#include "math/lane_sincos.h"

void clv_sincos(double x, double *s, double *c) { clv_w_sincos(x, s, c); }

/* (atan(sqrt z)/sqrt z - 1)/z on [0, tan(pi/8)^2] */
static double atan_tail(double z)
{
    static const double a[11] = {-0x1.5555555555555p-2, 0x1.9999999999349p-3,  -0x1.2492492435f94p-3,
                                 0x1.c71c718525179p-4,  -0x1.745d0b24c84b9p-4, 0x1.3b1262ac559fcp-4,
                                 -0x1.10fa72be60a88p-4, 0x1.dfe5f37f19c8bp-5,  -0x1.a097da67e4438p-5,
                                 0x1.415dac51cd10bp-5,  -0x1.3a254249c2220p-6};
    double y = a[10];
    for (int i = 9; i >= 0; i--)
        y = a[i] + z * y;
    return y;
}

double clv_atan2(double y, double x)
{
    static const double PI_LOW = 0x1.1a62633145c07p-53; /* pi minus the double CLV_PI */
    double ax = fabs(x), ay = fabs(y);
    double high = ax > ay ? ax : ay, low = ax > ay ? ay : ax;
    if (!(isfinite(x) && isfinite(y)))
        return NAN;
    if (high == 0)
        return 0;
    /* atan(low/high) = base + atan t, where base is 0 or pi/4 and |t| <= tan(pi/8) */
    int upper = low > 0.41421356237309503 * high;
    double t = upper ? (low - high) / (low + high) : low / high;
    double tail = t * (t * t) * atan_tail(t * t);
    /* total = quarter * pi/4 + sign * (t + tail), quarter in 0..4 */
    int quarter = upper, sign = 1;
    if (ay > ax)
        quarter = 2 - quarter, sign = -1;
    if (x < 0)
        quarter = 4 - quarter, sign = -sign;
    double angle = quarter * (CLV_PI / 4) + (sign * t + (sign * tail + quarter * (PI_LOW / 4)));
    return y < 0 ? -angle : angle;
}
