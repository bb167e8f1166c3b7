/* SPDX-License-Identifier: Apache-2.0
 * 3-vectors in extended precision, for the oracle only. */
#ifndef ORACLE_VECTOR_H
#define ORACLE_VECTOR_H
#include "oracle/oracle_linear.h"
#include <math.h>

static inline real v3_dot(const real a[3], const real b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static inline void v3_cross(real x[3], const real a[3], const real b[3])
{
    real y[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    for (int i = 0; i < 3; i++)
        x[i] = y[i];
}

static inline void v3_add_scaled(real x[3], real c, const real a[3])
{
    for (int i = 0; i < 3; i++)
        x[i] += c * a[i];
}

static inline void v3_copy(real x[3], const real a[3])
{
    for (int i = 0; i < 3; i++)
        x[i] = a[i];
}

static inline real v3_norm(const real a[3]) { return sqrtl(v3_dot(a, a)); }

/* x = R a, R row major */
static inline void m3_times(real x[3], const real R[9], const real a[3])
{
    real y[3] = {v3_dot(R, a), v3_dot(R + 3, a), v3_dot(R + 6, a)};
    v3_copy(x, y);
}

/* x = R^T a */
static inline void m3_transposed_times(real x[3], const real R[9], const real a[3])
{
    real y[3];
    for (int i = 0; i < 3; i++)
        y[i] = R[i] * a[0] + R[3 + i] * a[1] + R[6 + i] * a[2];
    v3_copy(x, y);
}

static inline void m3_multiply(real C[9], const real A[9], const real B[9])
{
    real D[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            D[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
    for (int i = 0; i < 9; i++)
        C[i] = D[i];
}

static inline void m3_transpose(real C[9], const real A[9])
{
    real D[9] = {A[0], A[3], A[6], A[1], A[4], A[7], A[2], A[5], A[8]};
    for (int i = 0; i < 9; i++)
        C[i] = D[i];
}

/* rotation of a unit-ish quaternion w x y z */
static inline void m3_quaternion(real R[9], const real e[4])
{
    real s = 2 / (e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]), w = e[0], x = e[1], y = e[2], z = e[3];
    real D[9] = {1 - s * (y * y + z * z), s * (x * y - w * z),     s * (x * z + w * y),
                 s * (x * y + w * z),     1 - s * (x * x + z * z), s * (y * z - w * x),
                 s * (x * z - w * y),     s * (y * z + w * x),     1 - s * (x * x + y * y)};
    for (int i = 0; i < 9; i++)
        R[i] = D[i];
}

/* rotation by the angle |t| about t */
static inline void m3_exponential(real R[9], const real t[3])
{
    real a = v3_norm(t), s = a > 0 ? sinl(a / 2) / a : 0.5L;
    real e[4] = {cosl(a / 2), s * t[0], s * t[1], s * t[2]};
    m3_quaternion(R, e);
}

/* unit quaternion w x y z of a rotation, largest component first found and taken positive */
static inline void m3_to_quaternion(real e[4], const real R[9])
{
    real t[4] = {1 + R[0] + R[4] + R[8], 1 + R[0] - R[4] - R[8], 1 - R[0] + R[4] - R[8], 1 - R[0] - R[4] + R[8]};
    int k = 0;
    for (int i = 1; i < 4; i++)
        if (t[i] > t[k])
            k = i;
    real s = sqrtl(t[k]) / 2, c = 1 / (4 * s);
    real a = (R[7] - R[5]) * c, b = (R[2] - R[6]) * c, d = (R[3] - R[1]) * c;
    real f = (R[1] + R[3]) * c, g = (R[2] + R[6]) * c, h = (R[5] + R[7]) * c;
    real all[4][4] = {{s, a, b, d}, {a, s, f, g}, {b, f, s, h}, {d, g, h, s}};
    for (int i = 0; i < 4; i++)
        e[i] = all[k][i];
}
#endif
