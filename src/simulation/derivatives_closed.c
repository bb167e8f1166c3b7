/* SPDX-License-Identifier: Apache-2.0
 * Columns of mechanisms with loops by the mass matrix of the open tree (T77.6): its factor as of open trees, and one of
 * the Delassus matrix over independent rows.  Rows are chosen by their pivots.  All columns go through both at once.
 * Where pivots do not show clearly which rows are redundant, or others than the factor of the state has found, that
 * factor does it. */
#include "simulation/derivatives.h"
#include <math.h>

/* Scaled pivots of rows that count, and of redundant ones.  Errors grow with the inverse of the first. */
#define LEAST_ROW     1e-6
#define REDUNDANT_ROW 1e-11

/* rows and columns k and other of D (m x m) and of the order are exchanged */
static void exchange(double *D, int *order, size_t m, size_t k, size_t other)
{
    const int row = order[other];
    order[other] = order[k], order[k] = row;
    for (size_t s = 0; s < m; s++) {
        const double x = D[k * m + s];
        D[k * m + s] = D[other * m + s], D[other * m + s] = x;
    }
    for (size_t s = 0; s < m; s++) {
        const double x = D[s * m + k];
        D[s * m + k] = D[s * m + other], D[s * m + other] = x;
    }
}

/* one more row of the factor, and what is left of the others */
static void eliminate(double *D, size_t m, size_t k)
{
    D[k * m + k] = sqrt(D[k * m + k]);
    for (size_t r = k + 1; r < m; r++)
        D[r * m + k] /= D[k * m + k];
    for (size_t r = k + 1; r < m; r++)
        for (size_t s = k + 1; s <= r; s++)
            D[r * m + s] -= D[r * m + k] * D[s * m + k], D[s * m + r] = D[r * m + s];
}

/* D (m x m): the Delassus matrix, then in its first w->rank rows the factor of the rows w->chosen */
static bool factor_rows(clv_derivatives_work *w, double *D)
{
    const size_t m = (size_t)w->d.m;
    double *scale = w->row; /* work */
    for (size_t r = 0; r < m; r++) {
        scale[r] = w->delassus[r * m + r] > 0 ? 1 / sqrt(w->delassus[r * m + r]) : 0;
        w->chosen[r] = (int)r;
    }
    for (size_t r = 0; r < m; r++)
        for (size_t s = 0; s < m; s++)
            D[r * m + s] = w->delassus[r * m + s] * scale[r] * scale[s];
    for (w->rank = 0; w->rank < w->d.m; w->rank++) {
        const size_t k = (size_t)w->rank;
        size_t best = k;
        for (size_t r = k + 1; r < m; r++)
            best = D[r * m + r] > D[best * m + best] ? r : best;
        if (!(D[best * m + best] > LEAST_ROW)) {
            if (!(D[best * m + best] < REDUNDANT_ROW))
                return false;
            break;
        }
        exchange(D, w->chosen, m, k, best);
        eliminate(D, m, k);
    }
    for (size_t k = 0; k < (size_t)w->rank; k++) /* of the matrix as it is */
        for (size_t s = 0; s <= k; s++)
            D[k * m + s] /= scale[w->chosen[k]];
    return true;
}

bool clv_derivatives_factor_closed(clv_derivatives_work *w)
{
    const size_t n = (size_t)w->d.n, m = (size_t)w->d.m;
    if (isnan(w->delassus[0]) || !clv_derivatives_factor_open(w) || !factor_rows(w, w->D) ||
        w->rank != w->d.m - w->s->system.truncated)
        return false;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < (size_t)w->rank; k++)
            w->Y[i * m + k] = w->closing[(size_t)w->chosen[k] * n + i];
    clv_derivatives_respond_open(w, w->Y, w->d.m);
    return true;
}

/* y (n) -= a x (n) */
static void take(double *restrict y, double a, const double *restrict x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] -= a * x[i];
}

/* the multipliers mu of the chosen rows (rank x columns): L L^T mu = a - J B */
static void find_multipliers(clv_derivatives_work *w, const double *B, const double *R, size_t columns)
{
    const size_t n = (size_t)w->d.n, m = (size_t)w->d.m, rank = (size_t)w->rank;
    for (size_t k = 0; k < rank; k++) {
        const size_t row = (size_t)w->chosen[k];
        double *to = w->mu + k * columns;
        for (size_t c = 0; c < columns; c++)
            to[c] = R ? -R[row * columns + c] : 0;
        for (size_t i = 0; i < n && B; i++)
            if (w->closing[row * n + i] != 0)
                take(to, w->closing[row * n + i], B + i * columns, columns);
        for (size_t s = 0; s < k; s++)
            take(to, w->D[k * m + s], w->mu + s * columns, columns);
        for (size_t c = 0; c < columns; c++)
            to[c] /= w->D[k * m + k];
    }
    for (size_t k = rank; k-- > 0;) {
        double *to = w->mu + k * columns;
        for (size_t s = k + 1; s < rank; s++)
            take(to, w->D[s * m + k], w->mu + s * columns, columns);
        for (size_t c = 0; c < columns; c++)
            to[c] /= w->D[k * m + k];
    }
}

void clv_derivatives_respond_closed(clv_derivatives_work *w, double *to, const double *F, const double *R, int count)
{
    const size_t n = (size_t)w->d.n, m = (size_t)w->d.m, columns = (size_t)count;
    for (size_t i = 0; i < n * columns; i++)
        to[i] = F ? -F[i] : 0;
    if (F)
        clv_derivatives_respond_open(w, to, count);
    find_multipliers(w, F ? to : NULL, R, columns);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < (size_t)w->rank; k++)
            take(to + i * columns, -w->Y[i * m + k], w->mu + k * columns, columns);
}
