/* SPDX-License-Identifier: Apache-2.0
 * Cayley's chart of rotations (T34): x = n tan(angle/2), quaternion (1, x)/sqrt(1 + x.x), rotation R(x).  With s = 2/(1
 * + x.x)
 *
 *     w = T(x) x' = s (x' - x x x')     angular velocity in the turned axes
 *     T^T p = s (p + x x p),   T^-1 w = 1/2 (w + x x w + x (x.w)),   T^-T r = 1/2 (r - x x r + x (x.r))
 *     d(p.T(x)v)/dx = -s x (p.w) + s p x v,  w = T(x) v
 *
 * y may not be an argument of the same call. */
#ifndef CLV_MATH_CAYLEY_H
#define CLV_MATH_CAYLEY_H
#include "math/rotation.h"
#include "math/spatial.h"

static inline double clv_cayley_scale(const double x[3])
{
    return 2.0 / (1.0 + clv_dot3(x, x));
}

static inline void clv_cayley_quaternion(double e[4], const double x[3])
{
    const double r = 1.0 / sqrt(1.0 + clv_dot3(x, x));
    e[0] = r, e[1] = r * x[0], e[2] = r * x[1], e[3] = r * x[2];
}

/* y = s (v + sign x x v): T v for sign -1, T^T v for sign 1 */
static inline void clv_cayley_map(double y[3], const double x[3], double sign, const double v[3])
{
    const double s = clv_cayley_scale(x);
    double c[3];
    clv_cross(c, x, v);
    for (int i = 0; i < 3; i++)
        y[i] = s * (v[i] + sign * c[i]);
}

/* inverse of the map of the same sign */
static inline void clv_cayley_unmap(double y[3], const double x[3], double sign, const double v[3])
{
    const double along = clv_dot3(x, v);
    double c[3];
    clv_cross(c, x, v);
    for (int i = 0; i < 3; i++)
        y[i] = 0.5 * (v[i] - sign * c[i] + x[i] * along);
}

/* gradient of p.T(x)v in x; w = T(x) v */
static inline void clv_cayley_gradient(double y[3], const double x[3], const double v[3], const double w[3],
                                       const double p[3])
{
    const double s = clv_cayley_scale(x), power = clv_dot3(p, w);
    double c[3];
    clv_cross(c, p, v);
    for (int i = 0; i < 3; i++)
        y[i] = s * (c[i] - x[i] * power);
}

/* y = R(x) v for sign 1, R(x)^T v for sign -1 */
static inline void clv_cayley_turn(double y[3], const double x[3], double sign, const double v[3])
{
    const double s = clv_cayley_scale(x);
    double c[3], d[3];
    clv_cross(c, x, v);
    clv_cross(d, x, c);
    for (int i = 0; i < 3; i++)
        y[i] = v[i] + s * (sign * c[i] + d[i]);
}
#endif
