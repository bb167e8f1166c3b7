/* SPDX-License-Identifier: Apache-2.0
 * Spatial vectors and inertias, scalar form (T0, T2).  Linear part first; V = [v; w], P = [f; n].
 * Transfer with r from A to B: wrench at B to A: P_A = [f; n + r x f]; motion at A to B: V_B = [v + w x r; w].
 * Inertia: 21 numbers, A (xx xy xz yy yz zz) linear-linear, B (row major 3x3) linear-angular, C (as A)
 * angular-angular. */
#ifndef CLV_MATH_SPATIAL_H
#define CLV_MATH_SPATIAL_H
#include <string.h>

/* place of entry (i, j) of an inertia among its 21 numbers */
static const int CLV_SYM[6][6] = {{0, 1, 2, 6, 7, 8},     {1, 3, 4, 9, 10, 11},    {2, 4, 5, 12, 13, 14},
                                  {6, 9, 12, 15, 16, 17}, {7, 10, 13, 16, 18, 19}, {8, 11, 14, 17, 19, 20}};

static inline double clv_dot3(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
static inline void clv_cross(double c[3], const double a[3], const double b[3])
{
    double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2], z = a[0] * b[1] - a[1] * b[0];
    c[0] = x, c[1] = y, c[2] = z;
}
static inline double clv_dot6(const double a[6], const double b[6]) { return clv_dot3(a, b) + clv_dot3(a + 3, b + 3); }
static inline void clv_add6(double a[6], const double b[6])
{
    for (int i = 0; i < 6; i++)
        a[i] += b[i];
}
/* wrench at B seen at A, r from A to B */
static inline void clv_wrench_shift(double at_a[6], const double r[3], const double at_b[6])
{
    double m[3];
    clv_cross(m, r, at_b);
    for (int i = 0; i < 3; i++)
        at_a[i] = at_b[i], at_a[3 + i] = at_b[3 + i] + m[i];
}
/* motion at A seen at B, r from A to B */
static inline void clv_motion_shift(double at_b[6], const double r[3], const double at_a[6])
{
    double m[3];
    clv_cross(m, at_a + 3, r);
    for (int i = 0; i < 3; i++)
        at_b[i] = at_a[i] + m[i], at_b[3 + i] = at_a[3 + i];
}
/* y = I x */
static inline void clv_inertia_times(double y[6], const double I[21], const double x[6])
{
    const double *A = I, *B = I + 6, *C = I + 15;
    double v0 = x[0], v1 = x[1], v2 = x[2], w0 = x[3], w1 = x[4], w2 = x[5];
    y[0] = A[0] * v0 + A[1] * v1 + A[2] * v2 + B[0] * w0 + B[1] * w1 + B[2] * w2;
    y[1] = A[1] * v0 + A[3] * v1 + A[4] * v2 + B[3] * w0 + B[4] * w1 + B[5] * w2;
    y[2] = A[2] * v0 + A[4] * v1 + A[5] * v2 + B[6] * w0 + B[7] * w1 + B[8] * w2;
    y[3] = B[0] * v0 + B[3] * v1 + B[6] * v2 + C[0] * w0 + C[1] * w1 + C[2] * w2;
    y[4] = B[1] * v0 + B[4] * v1 + B[7] * v2 + C[1] * w0 + C[3] * w1 + C[4] * w2;
    y[5] = B[2] * v0 + B[5] * v1 + B[8] * v2 + C[2] * w0 + C[4] * w1 + C[5] * w2;
}
/* inertia at O of mass m, l = O to centre of mass, Jc about the centre of mass (xx xy xz yy yz zz), global axes */
static inline void clv_inertia_rigid(double I[21], double m, const double l[3], const double Jc[6])
{
    double x = l[0], y = l[1], z = l[2];
    memset(I, 0, 21 * sizeof *I);
    I[0] = I[3] = I[5] = m;
    /* B = -m l~ */
    I[7] = m * z, I[8] = -m * y, I[9] = -m * z, I[11] = m * x, I[12] = m * y, I[13] = -m * x;
    I[15] = Jc[0] + m * (y * y + z * z), I[16] = Jc[1] - m * x * y, I[17] = Jc[2] - m * x * z;
    I[18] = Jc[3] + m * (x * x + z * z), I[19] = Jc[4] - m * y * z, I[20] = Jc[5] + m * (x * x + y * y);
}

#endif
