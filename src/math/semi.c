/* SPDX-License-Identifier: Apache-2.0
 * Rank-revealing factor without square roots: L D L^T with diagonal pivoting, see semi.h (T161).
 *
 * Rows stay where they are.  A column of L has all of them, so that its numbers are found side by side; what it has in
 * rows that are pivots already is not looked at. */
#include "math/semi.h"
#include "math/lane.h"
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

clv_semi clv_semi_view(int m, int r, double *memory)
{
    const ptrdiff_t n = m;
    double *more = memory + 3 * n * n;
    return (clv_semi){.m = m, .r = r, .L = memory, .C = memory + n * n, .G = memory + 2 * n * n, .s = more,
                      .inverse = more + n, .root = more + 2 * n, .x = more + 3 * n, .y = more + 4 * n,
                      .z = more + 5 * n, .order = (int *)(void *)(more + 6 * n), .basis = more + 7 * n};
}

/* Sizes of usual joints are constants in copies of these functions. */
#define INLINE static inline __attribute__((always_inline))

/* x -= f a */
INLINE void take(double *restrict x, const double *restrict a, double f, const int n)
{
    for (int i = 0; i < n; i++)
        x[i] -= a[i] * f;
}

/* scales, and y: the diagonal; false: a number of it is not finite */
INLINE bool begin(const clv_semi *f, const double *restrict Z, const double *scale, const int m)
{
    double finite = 0, *restrict s = f->s, *restrict y = f->y;
    for (int i = 0; i < m; i++) {
        s[i] = scale ? 1.0 / scale[i] : 1.0, f->order[i] = i;
        y[i] = Z[i * m + i] * s[i] * s[i], finite += y[i] - y[i];
    }
    return finite == 0;
}

/* place of the largest number of the diagonal that is left, from k on */
INLINE int largest(const clv_semi *f, int k, const int m)
{
    int best = k;
    double most = f->y[f->order[k]];
    for (int i = k + 1; i < m; i++) {
        const double y = f->y[f->order[i]];
        if (y > most)
            best = i, most = y;
    }
    return best;
}

/* column k of L with the pivot d in row p, row k in the order of pivots, and what is left of the diagonal */
INLINE void column(const clv_semi *f, const double *Z, int k, int p, double d, const int m)
{
    const double inverse = 1.0 / d, *z = Z + p * m, s = f->s[p];
    double *restrict x = f->C + k * m, *restrict row = f->L + k * m, *restrict y = f->y;
    for (int i = 0; i < m; i++)
        x[i] = z[i] * s * f->s[i];
    for (int j = 0; j < k; j++) {
        row[j] = f->C[j * m + p];
        take(x, f->C + j * m, row[j] * f->z[j], m);
    }
    for (int i = 0; i < m; i++) {
        const double l = x[i] * inverse;
        y[i] -= l * x[i], x[i] = l;
    }
    f->inverse[k] = inverse, f->z[k] = d;
}

/* rows of W: what L has there times L^-1 of the rows of pivots */
INLINE void combine(const clv_semi *f, const int r, const int m)
{
    for (int i = r; i < m; i++) {
        double *w = f->G + i * m;
        for (int k = 0; k < r; k++)
            w[k] = f->C[k * m + f->order[i]];
        for (int k = r - 1; k > 0; k--)
            take(w, f->L + k * m, w[k], k);
    }
}

/* lower triangle of a matrix to that of minus its inverse where it is; v: work */
INLINE void sweep(double *G, double *restrict v, const int r, const int m)
{
    for (int k = 0; k < r; k++) {
        const double over = 1.0 / G[k * m + k];
        for (int j = 0; j < r; j++)
            v[j] = j < k ? G[k * m + j] : G[j * m + k];
        for (int i = 0; i < r; i++) {
            const double t = v[i] * over;
            if (i != k)
                take(G + i * m, v, t, i + 1);
            G[i < k ? k * m + i : i * m + k] = t;
        }
        G[k * m + k] = -over;
    }
}

/* G := (1 + W^T W)^-1 */
INLINE void invert(const clv_semi *f, const int r, const int m)
{
    double *G = f->G;
    for (int a = 0; a < r; a++) {
        for (int b = 0; b <= a; b++)
            G[a * m + b] = a == b;
        for (int i = r; i < m; i++)
            take(G + a * m, G + i * m, -G[i * m + a], a + 1);
    }
    sweep(G, f->x, r, m);
    for (int a = 0; a < r; a++)
        for (int b = 0; b <= a; b++)
            G[a * m + b] = G[b * m + a] = -G[a * m + b];
}

/* is the basis there? */
static double *made(const clv_semi *f) { return f->basis + CLV_RANK_SIZE((ptrdiff_t)f->m); }

INLINE int factor(clv_semi *f, const double *Z, const double *scale, double rank, double *pivot, const int m)
{
    int r = 0;
    *pivot = 1.0, f->dropped = *made(f) = 0;
    if (!begin(f, Z, scale, m))
        return -1;
    for (; r < m; r++) {
        const int best = rank > 0 ? largest(f, r, m) : r, p = f->order[best];
        const double d = f->y[p];
        f->order[best] = f->order[r], f->order[r] = p;
        if (rank > 0 && !(d > rank)) {
            f->dropped = d;
            break;
        }
        if (!(d > 0))
            return -1;
        *pivot = d < *pivot ? d : *pivot;
        column(f, Z, r, p, d, m);
    }
    f->r = r;
    for (int k = 0; k < r; k++)
        f->root[k] = sqrt(f->inverse[k]);
    if (r < m)
        combine(f, r, m), invert(f, r, m);
    return r;
}

int clv_semi_factor(clv_semi *f, const double *Z, const double *scale, double rank, double *pivot)
{
    return f->m == 5   ? factor(f, Z, scale, rank, pivot, 5)
           : f->m == 6 ? factor(f, Z, scale, rank, pivot, 6)
                       : factor(f, Z, scale, rank, pivot, f->m);
}

/* y := G t */
INLINE void spread(const clv_semi *f, double *restrict y, const double *restrict t, const int r, const int m)
{
    for (int k = 0; k < r; k++)
        y[k] = 0;
    for (int a = 0; a < r; a++)
        take(y, f->G + a * m, -t[a], r);
}

/* y := L^-1 t; t: x in the order of pivots, or G B^T x where the rank is not full; x is scaled */
INLINE void forwards(const clv_semi *f, const double *x, double *restrict y, const int r, const int m)
{
    double *t = r == m ? y : f->z;
    for (int k = 0; k < r; k++)
        t[k] = x[f->order[k]];
    for (int i = r; i < m; i++)
        take(t, f->G + i * m, -x[f->order[i]], r);
    if (r < m)
        spread(f, y, t, r, m);
    for (int k = 1; k < r; k++) {
        double sum = y[k];
        for (int j = 0; j < k; j++)
            sum -= f->L[k * m + j] * y[j];
        y[k] = sum;
    }
}

INLINE void solve(const clv_semi *f, double *restrict x, const int r, const int m)
{
    double *y = f->y, *u = r == m ? y : f->z;
    for (int i = 0; i < m; i++)
        f->x[i] = x[i] * f->s[i];
    forwards(f, f->x, y, r, m);
    for (int k = r - 1; k >= 0; k--) {
        double sum = y[k] * f->inverse[k];
        for (int j = r - 1; j > k; j--)
            sum -= f->L[j * m + k] * y[j];
        y[k] = sum;
    }
    if (r < m)
        spread(f, u, y, r, m);
    for (int k = 0; k < r; k++)
        x[f->order[k]] = u[k] * f->s[f->order[k]];
    for (int i = r; i < m; i++) {
        double sum = 0;
        for (int k = 0; k < r; k++)
            sum += f->G[i * m + k] * u[k];
        x[f->order[i]] = sum * f->s[f->order[i]];
    }
}

void clv_semi_solve(const clv_semi *f, double *x)
{
    if (f->m == 6 && f->r == 6)
        solve(f, x, 6, 6);
    else if (f->m == 5)
        solve(f, x, f->r, 5);
    else
        solve(f, x, f->r, f->m);
}

/* six columns at full rank */
INLINE void half_six(const clv_semi *f, double *Y, const double *X, int n, const int m)
{
    for (int k = 0; k < m; k++) {
        const int p = f->order[k];
        clv_six t = clv_six_times(clv_six_load(X + (ptrdiff_t)n * p), f->s[p]);
        for (int j = 0; j < k; j++)
            t = clv_six_sub(t, f->L[k * m + j], clv_six_load(Y + (ptrdiff_t)n * j));
        clv_six_store(Y + (ptrdiff_t)n * k, t);
    }
    for (int k = 0; k < m; k++)
        clv_six_store(Y + (ptrdiff_t)n * k, clv_six_times(clv_six_load(Y + (ptrdiff_t)n * k), f->root[k]));
}

void clv_semi_half_columns(const clv_semi *f, double *Y, const double *X, int n)
{
    for (int a = 0; f->r == f->m && a < n; a += 6)
        if (f->m == 6)
            half_six(f, Y + a, X + a, n, 6);
        else
            half_six(f, Y + a, X + a, n, f->m);
    for (int a = 0; f->r < f->m && a < n; a++) {
        for (int i = 0; i < f->m; i++)
            f->x[i] = X[(ptrdiff_t)n * i + a] * f->s[i];
        forwards(f, f->x, f->y, f->r, f->m);
        for (int k = 0; k < f->r; k++)
            Y[(ptrdiff_t)n * k + a] = f->y[k] * f->root[k];
    }
}

clv_rank clv_semi_rank(const clv_semi *f)
{
    const int m = f->m, r = f->r;
    clv_rank z = clv_rank_view(m, r, f->basis);
    z.dropped = f->dropped;
    for (int i = 0; i < m && *made(f) == 0; i++) {
        z.s[i] = f->s[i], z.order[i] = f->order[i];
        for (int k = 0; k < r; k++)
            z.L[i * m + k] = i < k ? 0.0 : f->C[k * m + f->order[i]] / f->root[k];
    }
    if (r < m && *made(f) == 0)
        clv_rank_orthonormalize(&z);
    *made(f) = 1;
    return z;
}
