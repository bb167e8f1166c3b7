/* SPDX-License-Identifier: Apache-2.0
 * What lane sources share: numbers of a row in and out of lanes, products of vectors, and inertias times 6-vectors
 * (T2), for eight strands at once.  Sums have a fixed order, so bits are equal for every width. */
#ifndef CLV_MATH_LANE_ROW_H
#define CLV_MATH_LANE_ROW_H
#include "math/lane.h"
#include <stddef.h>

enum { G8 = CLV_GROUP }; /* doubles from one number of a row to the next */
#define INLINE static inline __attribute__((always_inline))

/* numbers of row i of a group from lane on; n numbers a row */
INLINE double *row_of(double *array, int n, int row, int lane) { return array + (size_t)row * (size_t)n * G8 + lane; }
INLINE void load(clv_w *d, const double *p, int n)
{
    for (int i = 0; i < n; i++)
        d[i] = clv_w_load(p + i * G8);
}
INLINE void store(double *p, const clv_w *d, int n)
{
    for (int i = 0; i < n; i++)
        clv_w_store(p + i * G8, d[i]);
}

INLINE clv_w dot(const clv_w *a, const clv_w *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
/* two halves: shorter chains of additions */
INLINE clv_w dot6(const clv_w *a, const clv_w *b) { return dot(a, b) + dot(a + 3, b + 3); }
/* c = a x b, c += a x b */
INLINE void cross(clv_w *c, const clv_w *a, const clv_w *b)
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}
INLINE void add_cross(clv_w *c, const clv_w *a, const clv_w *b)
{
    c[0] += a[1] * b[2] - a[2] * b[1];
    c[1] += a[2] * b[0] - a[0] * b[2];
    c[2] += a[0] * b[1] - a[1] * b[0];
}

/* wrench at B to A, r from A to B */
INLINE void shift(clv_w *P, const clv_w *r)
{
    P[3] += r[1] * P[2] - r[2] * P[1];
    P[4] += r[2] * P[0] - r[0] * P[2];
    P[5] += r[0] * P[1] - r[1] * P[0];
}
/* y = [A B; B^T C] x; A, C: their upper halves by rows */
INLINE void blocks_times(clv_w *y, const clv_w *A, const clv_w *B, const clv_w *C, const clv_w *x)
{
    y[0] = A[0] * x[0] + A[1] * x[1] + A[2] * x[2] + B[0] * x[3] + B[1] * x[4] + B[2] * x[5];
    y[1] = A[1] * x[0] + A[3] * x[1] + A[4] * x[2] + B[3] * x[3] + B[4] * x[4] + B[5] * x[5];
    y[2] = A[2] * x[0] + A[4] * x[1] + A[5] * x[2] + B[6] * x[3] + B[7] * x[4] + B[8] * x[5];
    y[3] = B[0] * x[0] + B[3] * x[1] + B[6] * x[2] + C[0] * x[3] + C[1] * x[4] + C[2] * x[5];
    y[4] = B[1] * x[0] + B[4] * x[1] + B[7] * x[2] + C[1] * x[3] + C[3] * x[4] + C[4] * x[5];
    y[5] = B[2] * x[0] + B[5] * x[1] + B[8] * x[2] + C[2] * x[3] + C[4] * x[4] + C[5] * x[5];
}
/* y = I x, its 21 numbers */
INLINE void inertia_times(clv_w *y, const clv_w *I, const clv_w *x) { blocks_times(y, I, I + 6, I + 15, x); }

#endif
