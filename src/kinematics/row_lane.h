/* SPDX-License-Identifier: Apache-2.0
 * What lane sources over rows share: numbers of a row, in and out of lanes, and products of vectors.  For lane sources
 * alone (row_kernels.h). */
#ifndef CLV_KINEMATICS_ROW_LANE_H
#define CLV_KINEMATICS_ROW_LANE_H
#include "kinematics/row_kernels.h"

enum { G8 = CLV_GROUP };
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

#endif
