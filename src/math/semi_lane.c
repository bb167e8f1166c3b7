/* SPDX-License-Identifier: Apache-2.0
 * A lane source: L D L^T with diagonal pivoting, see semi.h (T161); half solutions of eight columns at a time, and
 * their squares.
 *
 * Rows stay where they are.  A column of L has all of them, so that its numbers are found side by side.  What it has in
 * rows that are pivots already is not looked at, and neither is what lies beyond the last row. */
#include "math/lane_row.h"
#include "math/semi.h"
#include <math.h>
#include <stdbool.h>

/* scales, and y: the diagonal; false: a number of it is not finite */
INLINE bool begin(const clv_semi *f, const double *Z, const int line, const double *scale, const int m, const int wide)
{
    const clv_w one = clv_w_fill(1.0);
    double finite = 0, *restrict s = f->s, *restrict y = f->y;
    for (int v = 0; v < wide; v += CLV_LANES) {
        clv_w_store(s + v, scale ? one / clv_w_load(scale + v) : one);
        clv_w_store(f->inverse + v, one);
    }
    for (int i = 0; i < m; i++) {
        f->order[i] = i;
        y[i] = Z[i * line + i] * s[i] * s[i], finite += y[i] - y[i];
    }
    for (int i = m; i < wide; i++)
        y[i] = 0;
    return finite == 0;
}

/* Place of the largest number of the diagonal that is left, from k on.  It is mostly that of the evaluation before.  So
 * a jump is foreseen, and its column begun before all is compared; a conditional move would wait. */
INLINE int largest(const clv_semi *f, int k, const int m)
{
    int best = k;
    double most = f->y[f->order[k]];
    for (int i = k + 1; i < m; i++) {
        const double y = f->y[f->order[i]];
        if (y > most) {
            best = i, most = y;
            __asm__("" : "+r"(best)); /* keeps it a jump */
        }
    }
    return best;
}

/* column k of L with the pivot d in row p, row k in the order of pivots, and what is left of the diagonal */
INLINE void column(const clv_semi *f, const double *z, int k, int p, double d, const int wide)
{
    const double inverse = 1.0 / d;
    const clv_w s = clv_w_fill(f->s[p]), over = clv_w_fill(inverse);
    double *row = f->L + k * wide, *by = f->x;
    for (int v = 0; v < wide; v += CLV_LANES)
        clv_w_store(row + v, clv_w_fill(0.0));
    for (int j = 0; j < k; j++)
        row[j] = f->C[j * wide + p], by[j] = row[j] * f->z[j];
    for (int v = 0; v < wide; v += CLV_LANES) {
        clv_w x = clv_w_load(z + v) * s * clv_w_load(f->s + v);
        for (int j = 0; j < k; j++)
            x -= clv_w_load(f->C + j * wide + v) * clv_w_fill(by[j]);
        const clv_w l = x * over;
        clv_w_store(f->y + v, clv_w_load(f->y + v) - l * x), clv_w_store(f->C + k * wide + v, l);
    }
    f->inverse[k] = inverse, f->z[k] = d;
}

/* rows of W: what L has there times L^-1 of the rows of pivots; all rows side by side */
INLINE void combine(const clv_semi *f, const int r, const int m, const int wide)
{
    double *W = f->basis; /* by columns */
    for (int v = 0; v < r * wide; v += CLV_LANES)
        clv_w_store(W + v, clv_w_load(f->C + v));
    for (int k = r - 1; k > 0; k--)
        for (int j = 0; j < k; j++) {
            const clv_w l = clv_w_fill(f->L[k * wide + j]);
            for (int v = 0; v < wide; v += CLV_LANES)
                clv_w_store(W + j * wide + v, clv_w_load(W + j * wide + v) - clv_w_load(W + k * wide + v) * l);
        }
    for (int i = r; i < m; i++) {
        double *w = f->G + i * wide;
        for (int k = 0; k < r; k++)
            w[k] = W[k * wide + f->order[i]];
        for (int k = r; k < CLV_EIGHTS(r); k++)
            w[k] = 0;
    }
}

/* y += a x */
INLINE void add(double *y, const double *x, double a, const int wide)
{
    const clv_w f = clv_w_fill(a);
    for (int v = 0; v < wide; v += CLV_LANES)
        clv_w_store(y + v, clv_w_load(y + v) + clv_w_load(x + v) * f);
}

/* a vector of line k of the unit matrix */
INLINE clv_w unit(int k, int v)
{
    static const double lines[8][8] __attribute__((aligned(64))) = {
        {1}, {0, 1}, {0, 0, 1}, {0, 0, 0, 1}, {[4] = 1}, {[5] = 1}, {[6] = 1}, {[7] = 1}};
    return k / 8 == v / 8 ? clv_w_load(&lines[k % 8][v % 8]) : clv_w_fill(0.0);
}

/* G := (1 + W^T W)^-1 by sweeps, to that of minus the inverse.  Numbers of column k are x := x - (d - 1) x / d = x / d:
 * all of a line is done at once, as pivots d are one and more. */
INLINE void invert(const clv_semi *f, const int r, const int m, const int wide)
{
    const int n = CLV_EIGHTS(r);
    double *G = f->G, *less = f->x;
    for (int a = 0; a < r; a++)
        for (int v = 0; v < n; v += CLV_LANES) {
            clv_w sum = unit(a, v);
            for (int i = r; i < m; i++)
                sum += clv_w_load(G + i * wide + v) * clv_w_fill(G[i * wide + a]);
            clv_w_store(G + a * wide + v, sum);
        }
    for (int k = 0; k < r; k++) {
        double *g = G + k * wide;
        const double d = g[k], over = 1.0 / d;
        for (int v = 0; v < n; v += CLV_LANES)
            clv_w_store(less + v, clv_w_load(g + v) - unit(k, v));
        for (int i = 0; i < r; i++)
            if (i != k)
                add(G + i * wide, less, -(G[i * wide + k] * over), n);
        for (int v = 0; v < n; v += CLV_LANES)
            clv_w_store(g + v, (clv_w_load(less + v) - unit(k, v) * clv_w_fill(d)) * clv_w_fill(over));
    }
    for (int a = 0; a < r; a++)
        for (int v = 0; v < n; v += CLV_LANES)
            clv_w_store(G + a * wide + v, -clv_w_load(G + a * wide + v));
}

INLINE int factor(clv_semi *f, const double *Z, int line, const double *scale, double rank, double *pivot, const int m,
                  const int wide)
{
    int r = 0;
    *pivot = 1.0, f->dropped = 0;
    if (!begin(f, Z, line, scale, m, wide))
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
        column(f, Z + p * line, r, p, d, wide);
    }
    f->r = r;
    if (r < m)
        combine(f, r, m, wide), invert(f, r, m, wide);
    f->basis[CLV_RANK_SIZE(m)] = 0;
    return r;
}

static int CLV_LANE(factor)(clv_semi *f, const double *Z, int line, const double *scale, double rank, double *pivot)
{
    return f->m == 5   ? factor(f, Z, line, scale, rank, pivot, 5, 8)
           : f->m == 6 ? factor(f, Z, line, scale, rank, pivot, 6, 8)
           : f->m < 8 ? factor(f, Z, line, scale, rank, pivot, f->m, 8)
                      : factor(f, Z, line, scale, rank, pivot, f->m, f->wide);
}

/* rows of Y that are those of X in the order of pivots; or G B^T X where the rank is not full */
INLINE clv_w spread(const clv_semi *f, const double *X, int n, int k, const int r, const int m)
{
    clv_w sum = clv_w_fill(0.0);
    if (r == m)
        return clv_w_load(X + (size_t)f->order[k] * (size_t)n);
    for (int a = 0; a < r; a++)
        sum += clv_w_load(X + (size_t)f->order[a] * (size_t)n) * clv_w_fill(f->G[k * f->wide + a]);
    return sum;
}

/* B^T X, in the places of the rows kept */
INLINE void gather(const clv_semi *f, double *X, int n, const int r, const int m)
{
    for (int k = 0; k < r && r < m; k++) {
        double *x = X + (size_t)f->order[k] * (size_t)n;
        clv_w sum = clv_w_load(x);
        for (int i = r; i < m; i++)
            sum += clv_w_load(X + (size_t)f->order[i] * (size_t)n) * clv_w_fill(f->G[i * f->wide + k]);
        clv_w_store(x, sum);
    }
}

INLINE void half(const clv_semi *f, double *Y, double *X, int n, const int r, const int m, const int wide)
{
    for (int at = 0; at < n; at += CLV_LANES) {
        gather(f, X + at, n, r, m);
        for (int k = 0; k < r; k++) {
            clv_w y = spread(f, X + at, n, k, r, m);
            for (int j = 0; j < k; j++)
                y -= clv_w_load(Y + (size_t)j * (size_t)n + at) * clv_w_fill(f->L[k * wide + j]);
            clv_w_store(Y + (size_t)k * (size_t)n + at, y);
        }
    }
}

/* six rows at full rank: in registers */
INLINE void half_six(const clv_semi *f, double *Y, const double *X, const int n)
{
    for (int at = 0; at < n; at += CLV_LANES) {
        clv_w y[6];
        for (int k = 0; k < 6; k++) {
            y[k] = clv_w_load(X + (size_t)f->order[k] * (size_t)n + at);
            for (int j = 0; j < k; j++)
                y[k] -= y[j] * clv_w_fill(f->L[k * 8 + j]);
        }
        for (int k = 0; k < 6; k++)
            clv_w_store(Y + (size_t)k * (size_t)n + at, y[k]);
    }
}

static void CLV_LANE(half)(const clv_semi *f, double *Y, double *X, int n)
{
    if (f->m == 6 && f->r == 6 && n == 8)
        half_six(f, Y, X, 8);
    else if (f->m == 6 && f->r == 6)
        half_six(f, Y, X, n);
    else
        half(f, Y, X, n, f->r, f->m, f->wide);
}

INLINE void square(const clv_semi *f, double *S, const double *Y, int n, int from, int to, int most, const int r)
{
    for (int i = from; i < to; i++)
        for (int at = 0; at < most; at += CLV_LANES) {
            clv_w sum = clv_w_fill(0.0);
            for (int k = 0; k < r; k++) {
                const double *y = Y + (size_t)k * (size_t)n;
                sum += clv_w_load(y + at) * clv_w_fill(y[i] * f->inverse[k]);
            }
            clv_w_store(S + (size_t)i * (size_t)n + at, sum);
        }
}

static void CLV_LANE(square)(const clv_semi *f, double *S, const double *Y, int n, int from, int to, int most)
{
    if (f->r == 6)
        square(f, S, Y, n, from, to, most, 6);
    else
        square(f, S, Y, n, from, to, most, f->r);
}

const clv_semi_kernels CLV_LANE(clv_semi_kernels) = {CLV_LANE(factor), CLV_LANE(half), CLV_LANE(square)};
