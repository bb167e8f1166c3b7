/* SPDX-License-Identifier: Apache-2.0
 * sin and cos by one straight line of code without branches (ready for lanes), atan2 by argument reduction to |t| <=
 * tan(pi/8).
 *
 * Reduction: x = n pi/2 + r + e.  pi/2 is split into five parts, the first four of 22 bits each on fixed grids, so
 * that n * part is exact for |n| <= 2^30; the first two differences are then exact too (the remainder stays below
 * 2^8 on a grid of 2^-43), the last three carry their rounding error e along.  Total error of r + e about 2^-107:
 * enough for the double nearest to a multiple of pi/2. Polynomials: Chebyshev interpolation on the reduced range,
 * errors 2e-17 (sin), 2e-18 (cos), 3e-17 (atan), our own fits. */
#include "math/sincos.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static const double TWO_OVER_PI = 0x1.45f306dc9c883p-1;
static const double HALF_PI[5] = {0x1.921fb00000000p+0, 0x1.5110b00000000p-22, 0x1.1846980000000p-44,
                                  0x1.3198800000000p-69, 0x1.1701b839a2520p-88};
static const double ROUND = 0x1.8p52;    /* adding it rounds to an integer, which then sits in the low bits */
static const double LIMIT = 0x1.9p30;    /* largest |x|: n <= 2^30 */

/* (sin(sqrt z)/sqrt z - 1)/z on [0, (pi/4)^2] */
static double sine_tail(double z)
{
    return -0x1.5555555555555p-3 +
           z * (0x1.1111111110bb1p-7 +
                z * (-0x1.a01a019e8357dp-13 +
                     z * (0x1.71de37961e4c6p-19 + z * (-0x1.ae600a926c89ap-26 + z * 0x1.5e0af186af739p-33))));
}

/* (cos(sqrt z) - 1 + z/2)/z^2 on [0, (pi/4)^2] */
static double cosine_tail(double z)
{
    return 0x1.5555555555555p-5 +
           z * (-0x1.6c16c16c16966p-10 +
                z * (0x1.a01a019f4e867p-16 +
                     z * (-0x1.27e4fa17a41b4p-22 + z * (0x1.1eeb68b109173p-29 + z * -0x1.907d7aebd5e3dp-37))));
}

/* *r - p exactly as *r + *e (Knuth's two-sum, no assumption on the sizes) */
static void subtract(double *r, double *e, double p)
{
    double t = *r - p, back = t - *r;
    *e += (*r - (t - back)) - (p + back);
    *r = t;
}

void clv_sincos(double x, double *s, double *c)
{
    double whole = x * TWO_OVER_PI + ROUND, n = whole - ROUND;
    double r = x - n * HALF_PI[0], e = 0;
    int64_t bits;
    r -= n * HALF_PI[1]; /* exact, like the line before */
    subtract(&r, &e, n * HALF_PI[2]);
    subtract(&r, &e, n * HALF_PI[3]);
    subtract(&r, &e, n * HALF_PI[4]);
    memcpy(&bits, &whole, sizeof bits);

    /* with e as a first-order correction: sin(r+e) = sin r + e cos r, cos(r+e) = cos r - e sin r */
    double z = r * r, half = 0.5 * z, w = 1 - half;
    double sine = r + (r * z * sine_tail(z) + e * w);
    double cosine = w + (((1 - w) - half) + (z * z * cosine_tail(z) - r * e));
    double a = (bits & 1) ? cosine : sine, b = (bits & 1) ? sine : cosine;
    double bad = fabs(x) <= LIMIT ? 0.0 : NAN;
    *s = ((bits & 2) ? -a : a) + bad;
    *c = (((bits + 1) & 2) ? -b : b) + bad;
}

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
