/* SPDX-License-Identifier: Apache-2.0
 * Rank-revealing factor: pivoted Cholesky, then an orthonormal basis of its range.  See rank.h (T20). */
#include "math/rank.h"
#include "math/lane.h"
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

clv_rank clv_rank_view(int m, int r, double *memory)
{
    size_t n = (size_t)m;
    return (clv_rank){.m = m, .r = r, .L = memory, .Q = memory + n * n, .R = memory + 2 * n * n,
                      .s = memory + 3 * n * n, .order = memory + 3 * n * n + n, .y = memory + 3 * n * n + 2 * n};
}

/* From so many rows on the factor is made by columns, which lie in the memory of Q: column j of L at Q + j m.  At full
 * rank they stay there, and solutions use them too.  Factor and half solutions have the same bits; the substitution
 * backwards goes by rows, in another order. */
enum { WIDE = 24 };

static bool by_columns(const clv_rank *f) { return f->m >= WIDE; }

static void swap_rows(clv_rank *f, int a, int b, int k)
{
    const int m = f->m, row = by_columns(f) ? 1 : m, column = by_columns(f) ? m : 1;
    double *L = by_columns(f) ? f->Q : f->L;
    for (int j = 0; j < k; j++) {
        double t = L[a * row + j * column];
        L[a * row + j * column] = L[b * row + j * column], L[b * row + j * column] = t;
    }
    double t = f->order[a];
    f->order[a] = f->order[b], f->order[b] = t;
    t = f->y[a];
    f->y[a] = f->y[b], f->y[b] = t;
}

/* by Gram-Schmidt, twice; L's columns are independent because every pivot was kept above the threshold */
void clv_rank_orthonormalize(clv_rank *f)
{
    int m = f->m, r = f->r;
    memset(f->R, 0, (size_t)m * (size_t)m * sizeof(double));
    for (int k = 0; k < r; k++) {
        double *q = f->Q + k * m;
        for (int i = 0; i < m; i++)
            q[(int)f->order[i]] = i < k ? 0.0 : f->L[i * m + k];
        for (int pass = 0; pass < 2; pass++)
            for (int j = 0; j < k; j++) {
                double d = 0;
                for (int i = 0; i < m; i++)
                    d += f->Q[j * m + i] * q[i];
                for (int i = 0; i < m; i++)
                    q[i] -= d * f->Q[j * m + i];
                f->R[j * m + k] += d;
            }
        double norm = 0;
        for (int i = 0; i < m; i++)
            norm += q[i] * q[i];
        norm = sqrt(norm);
        f->R[k * m + k] = norm;
        for (int i = 0; i < m; i++)
            q[i] /= norm;
    }
}

/* an entry of the scaled matrix, in the order of pivots */
static double entry(const clv_rank *f, const double *Z, int i, int k)
{
    const int pi = (int)f->order[i], pk = (int)f->order[k];
    return (pi > pk ? Z[pi * f->m + pk] : Z[pk * f->m + pi]) * f->s[pi] * f->s[pk];
}

/* column k of L behind its diagonal, and what it leaves of the diagonal to come; L by rows */
static void column_of_rows(clv_rank *f, const double *Z, int k, double root)
{
    const int m = f->m;
    double *Lk = f->L + k * m;
    Lk[k] = root;
    for (int i = k + 1; i < m; i++) {
        double *Li = f->L + i * m, x = entry(f, Z, i, k);
        for (int j = 0; j < k; j++)
            x -= Li[j] * Lk[j];
        Li[k] = x / root;
        f->y[i] -= Li[k] * Li[k];
    }
}

/* x -= a f, x -= four of them in their order: rows from .. to */
static void take(double *restrict x, const double *restrict a, double f, int from, int to)
{
    for (int i = from; i < to; i++)
        x[i] -= a[i] * f;
}
static void take_four(double *restrict x, const double *restrict a, int stride, const double f[4], int from, int to)
{
    const double *restrict b = a + stride, *restrict c = b + stride, *restrict d = c + stride;
    for (int i = from; i < to; i++)
        x[i] = (((x[i] - a[i] * f[0]) - b[i] * f[1]) - c[i] * f[2]) - d[i] * f[3];
}

/* the same by columns */
static void column(clv_rank *f, const double *Z, int k, double root)
{
    const int m = f->m;
    double *x = f->Q + (ptrdiff_t)k * m;
    x[k] = root;
    for (int i = k + 1; i < m; i++)
        x[i] = entry(f, Z, i, k);
    int j = 0;
    for (; j + 4 <= k; j += 4) {
        const double *a = f->Q + (ptrdiff_t)j * m;
        take_four(x, a, m, (const double[4]){a[k], a[m + k], a[2 * m + k], a[3 * m + k]}, k + 1, m);
    }
    for (; j < k; j++)
        take(x, f->Q + (ptrdiff_t)j * m, f->Q[(ptrdiff_t)j * m + k], k + 1, m);
    for (int i = k + 1; i < m; i++) {
        x[i] /= root;
        f->y[i] -= x[i] * x[i];
    }
}

/* rows of L from its columns */
static void turn(clv_rank *f)
{
    const int m = f->m;
    for (int i = 0; i < m; i++)
        for (int k = 0; k <= i && k < f->r; k++)
            f->L[i * m + k] = f->Q[(ptrdiff_t)k * m + i];
}

int clv_rank_factor(clv_rank *f, const double *Z, const double *scale, double rank, double *pivot)
{
    return clv_rank_factor_most(f, Z, scale, rank, f->m, pivot);
}

int clv_rank_factor_most(clv_rank *f, const double *Z, const double *scale, double rank, int most, double *pivot)
{
    int m = f->m;
    *pivot = 1.0;
    f->r = m, f->dropped = 0;
    for (int i = 0; i < m; i++) {
        f->s[i] = scale ? 1.0 / scale[i] : 1.0;
        f->order[i] = i;
        f->y[i] = Z[i * m + i] * f->s[i] * f->s[i]; /* remaining diagonal */
        if (!isfinite(f->y[i]))
            return -1;
    }
    for (int k = 0; k < m; k++) {
        int best = k;
        for (int i = k + 1; rank > 0 && i < m; i++)
            if (f->y[i] > f->y[best])
                best = i;
        if (best != k)
            swap_rows(f, k, best, k);
        double d = f->y[k];
        if (rank > 0 && (k >= most || !(d > rank))) {
            f->r = k, f->dropped = d;
            break;
        }
        if (!(d > 0))
            return -1;
        if (d < *pivot)
            *pivot = d;
        if (by_columns(f))
            column(f, Z, k, sqrt(d));
        else
            column_of_rows(f, Z, k, sqrt(d));
    }
    if (by_columns(f))
        turn(f);
    if (f->r < m)
        clv_rank_orthonormalize(f);
    return f->r;
}

void clv_rank_half(const clv_rank *f, double *y, const double *x)
{
    int m = f->m, r = f->r;
    if (r == m && by_columns(f)) {
        for (int i = 0; i < m; i++)
            y[i] = x[(int)f->order[i]] * f->s[(int)f->order[i]];
        for (int j = 0; j < m; j++) {
            const double *L = f->Q + (ptrdiff_t)j * m;
            y[j] /= L[j];
            take(y, L, y[j], j + 1, m);
        }
        return;
    }
    if (r == m) {
        for (int i = 0; i < m; i++) {
            int p = (int)f->order[i];
            double t = x[p] * f->s[p];
            for (int j = 0; j < i; j++)
                t -= f->L[i * m + j] * y[j];
            y[i] = t / f->L[i * m + i];
        }
        return;
    }
    for (int k = 0; k < r; k++) {
        double t = 0;
        for (int i = 0; i < m; i++)
            t += f->Q[k * m + i] * (x[i] * f->s[i]);
        y[k] = t;
    }
    for (int i = r - 1; i >= 0; i--) {
        double t = y[i];
        for (int j = i + 1; j < r; j++)
            t -= f->R[i * m + j] * y[j];
        y[i] = t / f->R[i * m + i];
    }
}

/* six columns from a full-rank factor */
static void half_six(const clv_rank *f, double *Y, const double *X, int n)
{
    int m = f->m;
    for (int i = 0; i < m; i++) {
        const int p = (int)f->order[i];
        const double *L = f->L + i * m;
        clv_six t = clv_six_times(clv_six_load(X + (ptrdiff_t)n * p), f->s[p]);
        for (int j = 0; j < i; j++)
            t = clv_six_sub(t, L[j], clv_six_load(Y + (ptrdiff_t)n * j));
        clv_six_store(Y + (ptrdiff_t)n * i, clv_six_over(t, L[i]));
    }
}

void clv_rank_half_columns(const clv_rank *f, double *Y, const double *X, int n)
{
    int m = f->m, r = f->r;
    if (r == m) {
        for (int a = 0; a < n; a += 6)
            half_six(f, Y + a, X + a, n);
        return;
    }
    for (int a = 0; a < n; a++) { /* y of the factor is free here: one column at a time */
        for (int k = 0; k < r; k++) {
            double t = 0;
            for (int i = 0; i < m; i++)
                t += f->Q[k * m + i] * (X[(ptrdiff_t)n * i + a] * f->s[i]);
            f->y[k] = t;
        }
        for (int i = r - 1; i >= 0; i--) {
            for (int j = i + 1; j < r; j++)
                f->y[i] -= f->R[i * m + j] * f->y[j];
            f->y[i] /= f->R[i * m + i];
        }
        for (int k = 0; k < r; k++)
            Y[(ptrdiff_t)n * k + a] = f->y[k];
    }
}

void clv_rank_solve(const clv_rank *f, double *x)
{
    int m = f->m, r = f->r;
    double *y = f->y;
    clv_rank_half(f, y, x);
    if (r == m) {
        for (int i = m - 1; i >= 0 && by_columns(f); i--) {
            const double *L = f->L + (ptrdiff_t)i * m;
            y[i] /= L[i];
            take(y, L, y[i], 0, i);
        }
        for (int i = m - 1; i >= 0 && !by_columns(f); i--) {
            double t = y[i];
            for (int j = i + 1; j < m; j++)
                t -= f->L[j * m + i] * y[j];
            y[i] = t / f->L[i * m + i];
        }
        for (int i = 0; i < m; i++) {
            int p = (int)f->order[i];
            x[p] = y[i] * f->s[p];
        }
        return;
    }
    for (int i = 0; i < r; i++) {
        double t = y[i];
        for (int j = 0; j < i; j++)
            t -= f->R[j * m + i] * y[j];
        y[i] = t / f->R[i * m + i];
    }
    for (int i = 0; i < m; i++) {
        double t = 0;
        for (int k = 0; k < r; k++)
            t += f->Q[k * m + i] * y[k];
        x[i] = t * f->s[i];
    }
}

/* How many null vectors stand in Q already, and the next unit vector to make one of: kept in the last number of R,
 * which a factor without full rank leaves free. */
static double *progress(const clv_rank *f) { return f->R + (size_t)f->m * (size_t)f->m - 1; }

void clv_rank_null(const clv_rank *f, int k, double *n)
{
    /* unit vectors made orthogonal to Q and to the null vectors before; the columns r.. of Q hold them */
    int m = f->m, found = f->r + (int)*progress(f) / m, e = (int)*progress(f) % m;
    for (; e < m && found <= f->r + k; e++) {
        double *q = f->Q + found * m, norm = 0;
        for (int i = 0; i < m; i++)
            q[i] = i == (int)f->order[m - 1 - e] ? 1.0 : 0.0;
        for (int pass = 0; pass < 2; pass++)
            for (int j = 0; j < found; j++) {
                double d = 0;
                for (int i = 0; i < m; i++)
                    d += f->Q[j * m + i] * q[i];
                for (int i = 0; i < m; i++)
                    q[i] -= d * f->Q[j * m + i];
            }
        for (int i = 0; i < m; i++)
            norm += q[i] * q[i];
        if (norm < 1e-2 / m)
            continue;
        norm = sqrt(norm);
        for (int i = 0; i < m; i++)
            q[i] /= norm;
        found++;
    }
    if (e < m) /* else all are found */
        *progress(f) = (found - f->r) * m + e;
    for (int i = 0; i < m; i++)
        n[i] = f->Q[(f->r + k) * m + i] * f->s[i];
}
