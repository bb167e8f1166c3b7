/* SPDX-License-Identifier: Apache-2.0
 * Solutions with L D L^T and diagonal pivoting, see semi.h (T161); semi_lane.c has the factor. */
#include "math/semi.h"
#include <math.h>
#include <stddef.h>

clv_semi clv_semi_view(int m, int r, double *memory)
{
    const int wide = CLV_EIGHTS(m);
    const ptrdiff_t n = (ptrdiff_t)m * wide;
    double *more = memory + 3 * n;
    return (clv_semi){.m = m, .r = r, .wide = wide, .L = memory, .C = memory + n, .G = memory + 2 * n, .s = more,
                      .inverse = more + wide, .x = more + 2 * wide, .y = more + 3 * wide, .z = more + 4 * wide,
                      .order = (int *)(void *)(more + 5 * wide), .basis = more + 6 * wide};
}

/* Sizes of usual joints are constants in copies of these functions. */
#define INLINE static inline __attribute__((always_inline))

/* x -= f a */
INLINE void take(double *restrict x, const double *restrict a, double f, const int n)
{
    for (int i = 0; i < n; i++)
        x[i] -= a[i] * f;
}

/* is the basis there? */
static double *made(const clv_semi *f) { return f->basis + CLV_RANK_SIZE((ptrdiff_t)f->m); }

/* y := G t */
INLINE void spread(const clv_semi *f, double *restrict y, const double *restrict t, const int r, const int wide)
{
    for (int k = 0; k < r; k++)
        y[k] = 0;
    for (int a = 0; a < r; a++)
        take(y, f->G + a * wide, -t[a], r);
}

/* y := L^-1 t; t: x in the order of pivots, or G B^T x where the rank is not full; x is scaled */
INLINE void forwards(const clv_semi *f, const double *x, double *restrict y, const int r, const int m, const int wide)
{
    double *t = r == m ? y : f->z;
    for (int k = 0; k < r; k++)
        t[k] = x[f->order[k]];
    for (int i = r; i < m; i++)
        take(t, f->G + i * wide, -x[f->order[i]], r);
    if (r < m)
        spread(f, y, t, r, wide);
    for (int k = 1; k < r; k++) {
        double sum = y[k];
        for (int j = 0; j < k; j++)
            sum -= f->L[k * wide + j] * y[j];
        y[k] = sum;
    }
}

/* x := S B G L^-T D^-1 y */
INLINE void backwards(const clv_semi *f, double *restrict x, double *restrict y, const int r, const int m,
                      const int wide)
{
    double *u = r == m ? y : f->z;
    for (int k = 0; k < r; k++)
        y[k] *= f->inverse[k];
    for (int k = r - 1; k > 0; k--)
        take(y, f->L + k * wide, y[k], k);
    if (r < m)
        spread(f, u, y, r, wide);
    for (int k = 0; k < r; k++)
        x[f->order[k]] = u[k] * f->s[f->order[k]];
    for (int i = r; i < m; i++) {
        double sum = 0;
        for (int k = 0; k < r; k++)
            sum += f->G[i * wide + k] * u[k];
        x[f->order[i]] = sum * f->s[f->order[i]];
    }
}

void clv_semi_forwards(const clv_semi *f, double *y, const double *x)
{
    for (int i = 0; i < f->m; i++)
        f->x[i] = x[i] * f->s[i];
    if (f->m == 6 && f->r == 6)
        forwards(f, f->x, y, 6, 6, 8);
    else if (f->m == 5)
        forwards(f, f->x, y, f->r, 5, 8);
    else
        forwards(f, f->x, y, f->r, f->m, f->wide);
}

void clv_semi_backwards(const clv_semi *f, double *x, double *y)
{
    if (f->m == 6 && f->r == 6)
        backwards(f, x, y, 6, 6, 8);
    else if (f->m == 5)
        backwards(f, x, y, f->r, 5, 8);
    else
        backwards(f, x, y, f->r, f->m, f->wide);
}

void clv_semi_solve(const clv_semi *f, double *x)
{
    clv_semi_forwards(f, f->y, x);
    clv_semi_backwards(f, x, f->y);
}

clv_rank clv_semi_rank(const clv_semi *f)
{
    const int m = f->m, r = f->r;
    clv_rank z = clv_rank_view(m, r, f->basis);
    z.dropped = f->dropped;
    for (int i = 0; i < m && *made(f) == 0; i++) {
        z.s[i] = f->s[i], z.order[i] = f->order[i];
        for (int k = 0; k < r; k++)
            z.L[i * m + k] = i < k ? 0.0 : f->C[k * f->wide + f->order[i]] / sqrt(f->inverse[k]);
    }
    if (r < m && *made(f) == 0)
        clv_rank_orthonormalize(&z);
    *made(f) = 1;
    return z;
}
