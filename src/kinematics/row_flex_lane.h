/* SPDX-License-Identifier: Apache-2.0
 * What lane sources over flexible bodies share (row_flex.h): products of matrices and 6-vectors, each by the operations
 * of math/rotation.h and math/spatial.h.  For lane sources alone. */
#ifndef CLV_KINEMATICS_ROW_FLEX_LANE_H
#define CLV_KINEMATICS_ROW_FLEX_LANE_H
#include <string.h>
#include "kinematics/row_lane.h"
#include "math/spatial.h"

INLINE clv_w at(const double *p, int i) { return clv_w_load(p + (ptrdiff_t)i * G8); }
INLINE void set(double *p, int i, clv_w x) { clv_w_store(p + (ptrdiff_t)i * G8, x); }
/* number i of a strip; its n numbers from i on */
INLINE double *from(double *p, int i) { return p + (ptrdiff_t)i * G8; }

INLINE void times3(clv_w *y, const clv_w *M, const clv_w *x)
{
    for (int i = 0; i < 3; i++)
        y[i] = M[3 * i] * x[0] + M[3 * i + 1] * x[1] + M[3 * i + 2] * x[2];
}
INLINE void transpose_times3(clv_w *y, const clv_w *M, const clv_w *x)
{
    for (int i = 0; i < 3; i++)
        y[i] = M[i] * x[0] + M[3 + i] * x[1] + M[6 + i] * x[2];
}
/* both halves */
INLINE void turn6(clv_w *y, const clv_w *M, const clv_w *x) { times3(y, M, x), times3(y + 3, M, x + 3); }
INLINE void turn_back6(clv_w *y, const clv_w *M, const clv_w *x)
{
    transpose_times3(y, M, x), transpose_times3(y + 3, M, x + 3);
}
/* A B, A^T B, A B^T */
INLINE void product3(clv_w *C, const clv_w *A, const clv_w *B)
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            C[3 * i + k] = A[3 * i] * B[k] + A[3 * i + 1] * B[3 + k] + A[3 * i + 2] * B[6 + k];
}
INLINE void transpose_product3(clv_w *C, const clv_w *A, const clv_w *B)
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            C[3 * i + k] = A[i] * B[k] + A[3 + i] * B[3 + k] + A[6 + i] * B[6 + k];
}
INLINE void product_transpose3(clv_w *C, const clv_w *A, const clv_w *B)
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            C[3 * i + k] = A[3 * i] * B[3 * k] + A[3 * i + 1] * B[3 * k + 1] + A[3 * i + 2] * B[3 * k + 2];
}
INLINE void add6(clv_w *a, const clv_w *b)
{
    for (int i = 0; i < 6; i++)
        a[i] += b[i];
}
/* y may be x */
INLINE void shift_wrench(clv_w *y, const clv_w *r, const clv_w *x)
{
    clv_w m[3];
    cross(m, r, x);
    for (int i = 0; i < 3; i++)
        y[i] = x[i], y[3 + i] = x[3 + i] + m[i];
}
INLINE void shift_motion(clv_w *y, const clv_w *r, const clv_w *x)
{
    clv_w m[3];
    cross(m, x + 3, r);
    for (int i = 0; i < 3; i++)
        y[i] = x[i] + m[i], y[3 + i] = x[3 + i];
}
INLINE void zero(clv_w *x, int n)
{
    for (int i = 0; i < n; i++)
        x[i] = clv_w_fill(0.0);
}
/* axes of a strand, row major, out of its start */
INLINE void strand_axes(clv_w *R, const clv_rows *w, int strand, int lane)
{
    for (int i = 0; i < 3; i++)
        for (int v = 0; v < 3; v++)
            R[3 * i + v] = clv_w_load(w->end[strand].start + (3 * v + i) * G8 + lane);
}
/* x.y over n modes, even ones and odd ones apart; x has `wide` numbers */
INLINE clv_w pair_dot(const double *x, const double *y, int n, int wide)
{
    clv_w even = clv_w_fill(0.0), odd = even;
    for (int i = 0; i < wide; i += 2) {
        even += at(x, i) * at(y, i);
        odd += at(x, i + 1) * (i + 1 < n ? at(y, i + 1) : clv_w_fill(0.0));
    }
    return even + odd;
}
/* x += numbers of a strip */
INLINE void add_to(double *p, const clv_w *x, int n)
{
    for (int i = 0; i < n; i++)
        set(p, i, at(p, i) + x[i]);
}

/* y = A x, a dot product a row; A at p */
INLINE void times_dots(clv_w *y, const double *p, const clv_w *x)
{
    for (int i = 0; i < 6; i++) {
        clv_w row[6];
        load(row, p + 6 * i * G8, 6);
        y[i] = dot6(row, x);
    }
}

/* to += S I S^T (clv_rows_add_shifted); I at p */
INLINE void add_shifted(double *to, const clv_w *r, const double *p)
{
    clv_w M[36];
    load(M, p, 18);
    for (int j = 0; j < 6; j++) {
        M[18 + j] = at(p, 18 + j) + (r[1] * at(p, 12 + j) - r[2] * at(p, 6 + j));
        M[24 + j] = at(p, 24 + j) + (r[2] * at(p, j) - r[0] * at(p, 12 + j));
        M[30 + j] = at(p, 30 + j) + (r[0] * at(p, 6 + j) - r[1] * at(p, j));
    }
    for (int i = 0; i < 6; i++) {
        shift_wrench(M + 6 * i, r, M + 6 * i);
        add_to(from(to, 6 * i), M + 6 * i, 6);
    }
}

#endif
