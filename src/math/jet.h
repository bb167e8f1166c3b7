/* SPDX-License-Identifier: Apache-2.0
 * Numbers with their rate, their slope along a direction, and the slope of the rate (T75): second derivatives of
 * geometry without formulas of their own.  Vectors are three jets. */
#ifndef CLV_MATH_JET_H
#define CLV_MATH_JET_H
#include <math.h>

typedef struct clv_jet {
    double x, t, s, ts; /* value, rate, slope, slope of the rate */
} clv_jet;

static inline clv_jet clv_jet_sum(clv_jet a, clv_jet b)
{
    return (clv_jet){a.x + b.x, a.t + b.t, a.s + b.s, a.ts + b.ts};
}
static inline clv_jet clv_jet_less(clv_jet a, clv_jet b)
{
    return (clv_jet){a.x - b.x, a.t - b.t, a.s - b.s, a.ts - b.ts};
}
static inline clv_jet clv_jet_times(clv_jet a, clv_jet b)
{
    return (clv_jet){a.x * b.x, a.t * b.x + a.x * b.t, a.s * b.x + a.x * b.s,
                     a.ts * b.x + a.t * b.s + a.s * b.t + a.x * b.ts};
}
/* f(a) of a function with this value and these derivatives at a.x */
static inline clv_jet clv_jet_of(clv_jet a, double f, double first, double second)
{
    return (clv_jet){f, first * a.t, first * a.s, first * a.ts + second * a.t * a.s};
}
static inline clv_jet clv_jet_scaled(double k, clv_jet a) { return (clv_jet){k * a.x, k * a.t, k * a.s, k * a.ts}; }

static inline clv_jet clv_jet_dot(const clv_jet a[3], const clv_jet b[3])
{
    return clv_jet_sum(clv_jet_sum(clv_jet_times(a[0], b[0]), clv_jet_times(a[1], b[1])), clv_jet_times(a[2], b[2]));
}
/* c may be neither */
static inline void clv_jet_cross(clv_jet c[3], const clv_jet a[3], const clv_jet b[3])
{
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        c[i] = clv_jet_less(clv_jet_times(a[j], b[k]), clv_jet_times(a[k], b[j]));
    }
}
/* y = s a */
static inline void clv_jet_scale(clv_jet y[3], clv_jet s, const clv_jet a[3])
{
    for (int i = 0; i < 3; i++)
        y[i] = clv_jet_times(s, a[i]);
}
/* y = a / |a| */
static inline void clv_jet_unit(clv_jet y[3], const clv_jet a[3])
{
    const clv_jet square = clv_jet_dot(a, a);
    const double f = 1 / sqrt(square.x);
    clv_jet_scale(y, clv_jet_of(square, f, -0.5 * f / square.x, 0.75 * f / (square.x * square.x)), a);
}

#endif
