/* SPDX-License-Identifier: Apache-2.0
 * exp: x = k ln 2 + r with ln 2 in two parts, Taylor series of r (|r| <= 0.35: 14 terms leave 4e-18).  log: x = 2^k m
 * with m near 1, series of 2 artanh((m - 1)/(m + 1)) (12 terms leave 1e-19). */
#include "math/exp_log.h"

#include <math.h>

static const double LN2_HIGH = 0x1.62e42fefa0000p-1, LN2_LOW = 0x1.cf79abc9e3b3ap-40; /* high: 33 bits, k high exact */

double clv_exp(double x)
{
    if (isnan(x))
        return x;
    if (x > 710)
        return INFINITY;
    if (x < -746)
        return 0;
    const double k = floor(x / (LN2_HIGH + LN2_LOW) + 0.5);
    const double high = x - k * LN2_HIGH, low = k * LN2_LOW, r = high - low;
    double tail = 0; /* (e^r - 1 - r)/r^2 */
    for (int n = 14; n >= 2; n--)
        tail = (1 + r * tail) / n;        /* e^r = 1 + r/1 (1 + r/2 (1 + r/3 (...))) */
    const double lost = (high - r) - low; /* what rounding took from r */
    return ldexp(1 + (r + (r * (r * tail) + lost)), (int)k);
}

double clv_log(double x)
{
    int k;
    if (!(x > 0) || isinf(x))
        return NAN;
    double m = frexp(x, &k);
    if (m < 0.70710678118654752)
        m *= 2, k--;
    const double s = (m - 1) / (m + 1), z = s * s;
    double tail = 0; /* z/3 + z^2/5 + ... */
    for (int n = 12; n >= 1; n--)
        tail = z * (1.0 / (2 * n + 1) + tail);
    return k * LN2_HIGH + (2 * s + (2 * s * tail + k * LN2_LOW));
}

static double whole_power(double x, long n)
{
    double power = 1;
    for (unsigned long rest = (unsigned long)(n < 0 ? -n : n); rest; rest >>= 1, x *= x)
        if (rest & 1)
            power *= x;
    return n < 0 ? 1 / power : power;
}

double clv_power(double x, double y)
{
    if (y == floor(y) && fabs(y) <= 2147483648.0)
        return whole_power(x, (long)y);
    if (y == 0.5)
        return sqrt(x);
    if (x == 0)
        return y > 0 ? 0 : NAN;
    return clv_exp(y * clv_log(x));
}
