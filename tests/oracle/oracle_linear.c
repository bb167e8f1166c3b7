/* SPDX-License-Identifier: Apache-2.0
 * Dense algebra of the oracle; see oracle_linear.h.  Every loop runs down columns, which lie contiguously. */
#include "oracle/oracle_linear.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static real dot(const real *a, const real *b, int n)
{
    real s = 0, t = 0;
    int i = 0;
    for (; i + 1 < n; i += 2) {
        s += a[i] * b[i];
        t += a[i + 1] * b[i + 1];
    }
    if (i < n)
        s += a[i] * b[i];
    return s + t;
}

static void add_scaled(real *y, real c, const real *x, int n)
{
    for (int i = 0; i < n; i++)
        y[i] += c * x[i];
}

/* Householder: x (n) becomes [beta; v/v0], returns tau with (1 - tau v v^T) x = beta e_0, v[0] = 1. */
static real householder(real *x, int n)
{
    real rest = n > 1 ? dot(x + 1, x + 1, n - 1) : 0;
    if (rest == 0)
        return 0;
    real norm = sqrtl(x[0] * x[0] + rest);
    real beta = x[0] > 0 ? -norm : norm;
    real v0 = x[0] - beta;
    for (int i = 1; i < n; i++)
        x[i] /= v0;
    x[0] = beta;
    return -v0 / beta;
}

/* y := (1 - tau v v^T) y with v[0] = 1 implied */
static void reflect(const real *v, real tau, int n, real *y)
{
    real s = tau * (y[0] + dot(v + 1, y + 1, n - 1));
    y[0] -= s;
    add_scaled(y + 1, -s, v + 1, n - 1);
}

static void swap_columns(real *A, int p, int i, int j)
{
    for (int k = 0; k < p; k++) {
        real t = A[(size_t)i * (size_t)p + (size_t)k];
        A[(size_t)i * (size_t)p + (size_t)k] = A[(size_t)j * (size_t)p + (size_t)k];
        A[(size_t)j * (size_t)p + (size_t)k] = t;
    }
}

void linear_qr(real *A, int p, int m, bool pivot, int *perm, real *tau)
{
    int steps = p < m ? p : m;
    for (int j = 0; j < m; j++)
        perm[j] = j;
    for (int k = 0; k < steps; k++) {
        if (pivot) {
            int best = k;
            real most = -1;
            for (int j = k; j < m; j++) { /* recomputed: no cancellation, and cheap beside the rest */
                const real *x = A + (size_t)j * (size_t)p + k;
                real s = dot(x, x, p - k);
                if (s > most) {
                    most = s;
                    best = j;
                }
            }
            if (best != k) {
                swap_columns(A, p, k, best);
                int t = perm[k];
                perm[k] = perm[best];
                perm[best] = t;
            }
        }
        real *v = A + (size_t)k * (size_t)p + k;
        tau[k] = householder(v, p - k);
        for (int j = k + 1; tau[k] != 0 && j < m; j++)
            reflect(v, tau[k], p - k, A + (size_t)j * (size_t)p + k);
    }
}

void linear_reflect(const real *A, int p, const real *tau, int steps, bool transpose, real *x)
{
    for (int i = 0; i < steps; i++) {
        int k = transpose ? i : steps - 1 - i;
        if (tau[k] != 0)
            reflect(A + (size_t)k * (size_t)p + k, tau[k], p - k, x + k);
    }
}

/* Golub-Kahan: A = U B V^T, B upper bidiagonal with d (m) and e (m - 1). */
static void bidiagonalise(real *A, int p, int m, real *d, real *e, real *work)
{
    real *w = work, *v = work + p;
    for (int k = 0; k < m; k++) {
        real *x = A + (size_t)k * (size_t)p + k;
        real tau = householder(x, p - k);
        d[k] = x[0];
        for (int j = k + 1; tau != 0 && j < m; j++)
            reflect(x, tau, p - k, A + (size_t)j * (size_t)p + k);
        if (k + 1 >= m)
            break;
        int n = m - k - 1; /* row k, columns k + 1 .. m - 1 */
        for (int j = 0; j < n; j++)
            v[j] = A[(size_t)(k + 1 + j) * (size_t)p + (size_t)k];
        tau = householder(v, n);
        e[k] = v[0];
        v[0] = 1;
        if (tau == 0)
            continue;
        memset(w, 0, (size_t)p * sizeof *w);
        for (int j = 0; j < n; j++)
            add_scaled(w + k + 1, v[j], A + (size_t)(k + 1 + j) * (size_t)p + k + 1, p - k - 1);
        for (int j = 0; j < n; j++)
            add_scaled(A + (size_t)(k + 1 + j) * (size_t)p + k + 1, -tau * v[j], w + k + 1, p - k - 1);
    }
}

/* Eigenvalues of the symmetric tridiagonal matrix with diagonal d (n) and off-diagonal e (n - 1 used,
 * n long): implicit QL. */
static bool tridiagonal_eigenvalues(real *d, real *e, int n)
{
    real norm = 0;
    for (int i = 0; i < n; i++)
        norm = fmaxl(norm, fabsl(d[i]) + (i + 1 < n ? fabsl(e[i]) : 0));
    real tiny = norm * LDBL_EPSILON;
    for (int l = 0; l < n; l++) {
        for (int it = 0;; it++) {
            int m = l;
            while (m + 1 < n && fabsl(e[m]) > tiny)
                m++;
            if (m == l)
                break;
            if (it == 200)
                return false;
            real g = (d[l + 1] - d[l]) / (2 * e[l]), r = sqrtl(1 + g * g);
            g = d[m] - d[l] + e[l] / (g + (g >= 0 ? r : -r));
            real s = 1, c = 1, p = 0;
            int i = m - 1;
            for (; i >= l; i--) {
                real f = s * e[i], b = c * e[i];
                r = sqrtl(f * f + g * g);
                e[i + 1] = r;
                if (r == 0) {
                    d[i + 1] -= p;
                    e[m] = 0;
                    break;
                }
                s = f / r;
                c = g / r;
                g = d[i + 1] - p;
                r = (d[i] - g) * s + 2 * c * b;
                p = s * r;
                d[i + 1] = g + p;
                g = c * r - b;
            }
            if (r == 0 && i >= l)
                continue;
            d[l] -= p;
            e[l] = g;
            e[m] = 0;
        }
    }
    return true;
}

static int descending(const void *a, const void *b)
{
    real x = *(const real *)a, y = *(const real *)b;
    return (x < y) - (x > y);
}

bool linear_singular_values(real *A, int p, int m, real *s)
{
    if (m == 0)
        return true;
    real *work = calloc((size_t)(2 * p + 8 * m + 8), sizeof *work);
    if (!work)
        return false;
    real *d = work + 2 * p, *e = d + m, *t = e + m, *o = t + 2 * m;
    bidiagonalise(A, p, m, d, e, work);
    for (int k = 0; k < m;
         k++) { /* [0 B^T; B 0] permuted: zero diagonal, d and e in turn beside it; eigenvalues +- s */
        o[2 * k] = d[k];
        o[2 * k + 1] = k + 1 < m ? e[k] : 0;
    }
    bool good = tridiagonal_eigenvalues(t, o, 2 * m);
    qsort(t, (size_t)(2 * m), sizeof *t, descending);
    for (int k = 0; k < m; k++)
        s[k] = fmaxl(t[k], 0);
    free(work);
    return good;
}

bool linear_cholesky(real *A, int n)
{
    for (int i = 0; i < n; i++) {
        real *row = A + (size_t)i * (size_t)n;
        for (int j = 0; j <= i; j++) {
            real x = row[j] - dot(row, A + (size_t)j * (size_t)n, j);
            if (j < i)
                row[j] = x / A[(size_t)j * (size_t)n + (size_t)j];
            else if (!(x > 0))
                return false;
            else
                row[i] = sqrtl(x);
        }
    }
    return true;
}

void linear_lower_solve(const real *L, int n, real *x)
{
    for (int i = 0; i < n; i++)
        x[i] = (x[i] - dot(L + (size_t)i * (size_t)n, x, i)) / L[(size_t)i * (size_t)n + (size_t)i];
}

void linear_lower_solve_transposed(const real *L, int n, real *x)
{
    for (int i = n - 1; i >= 0; i--) {
        x[i] /= L[(size_t)i * (size_t)n + (size_t)i];
        add_scaled(x, -x[i], L + (size_t)i * (size_t)n, i);
    }
}

/* rows x columns block of R, transposed: its rows become columns of length m */
static real *leading_rows(const linear_cod *f, int rows)
{
    size_t p = (size_t)f->p, m = (size_t)f->m;
    real *B = calloc((size_t)(rows > 0 ? rows : 1) * (m > 0 ? m : 1), sizeof *B);
    if (!B)
        return NULL;
    for (size_t i = 0; i < (size_t)rows; i++)
        for (size_t j = i; j < m; j++)
            B[i * m + j] = f->A[j * p + i];
    return B;
}

bool linear_cod_create(linear_cod *f, const real *A, int p, int m, real threshold)
{
    size_t np = (size_t)p, nm = (size_t)m;
    memset(f, 0, sizeof *f);
    f->p = p;
    f->m = m;
    f->nsv = p < m ? p : m;
    size_t big = np > nm ? np : nm;
    f->A = malloc((np * nm + 1) * sizeof *f->A);
    f->tau = calloc(big + 1, sizeof *f->tau);
    f->perm = calloc(nm + 1, sizeof *f->perm);
    f->sv = calloc(big + 1, sizeof *f->sv);
    f->work = calloc(2 * big + 2, sizeof *f->work);
    if (!f->A || !f->tau || !f->perm || !f->sv || !f->work)
        return false;
    memcpy(f->A, A, np * nm * sizeof *A);
    linear_qr(f->A, p, m, true, f->perm, f->tau);
    real *B = leading_rows(f, f->nsv);
    if (!B)
        return false;
    bool good = linear_singular_values(B, m, f->nsv, f->sv);
    free(B);
    while (f->rank < f->nsv && f->sv[f->rank] > threshold * f->sv[0])
        f->rank++;
    if (!good || f->rank == m)
        return good;
    f->Z = leading_rows(f, f->rank);
    f->ztau = calloc((size_t)f->rank + 1, sizeof *f->ztau);
    int *same = calloc(nm + 1, sizeof *same);
    good = f->Z && f->ztau && same;
    if (good)
        linear_qr(f->Z, m, f->rank, false, same, f->ztau);
    free(same);
    return good;
}

void linear_cod_destroy(linear_cod *f)
{
    free(f->A);
    free(f->tau);
    free(f->perm);
    free(f->sv);
    free(f->work);
    free(f->Z);
    free(f->ztau);
    memset(f, 0, sizeof *f);
}

void linear_cod_range_solve(linear_cod *f, const real *g, real *x)
{
    size_t p = (size_t)f->p;
    memset(x, 0, p * sizeof *x);
    for (int k = 0; k < f->rank; k++) { /* R11^T y = g */
        const real *column = f->A + (size_t)k * p;
        x[k] = (g[f->perm[k]] - dot(column, x, k)) / column[k];
    }
    linear_reflect(f->A, f->p, f->tau, f->rank, false, x);
}

void linear_cod_complement(linear_cod *f, real *x)
{
    linear_reflect(f->A, f->p, f->tau, f->rank, true, x);
    memset(x, 0, (size_t)f->rank * sizeof *x);
    linear_reflect(f->A, f->p, f->tau, f->rank, false, x);
}

void linear_cod_multipliers(linear_cod *f, const real *h, real *mu)
{
    int r = f->rank, m = f->m, big = f->p > m ? f->p : m;
    real *y = f->work, *x = f->work + big + 1;
    memcpy(y, h, (size_t)f->p * sizeof *y);
    linear_reflect(f->A, f->p, f->tau, r, true, y);
    memset(x, 0, (size_t)m * sizeof *x);
    if (!f->Z) { /* R11 x = y */
        memcpy(x, y, (size_t)r * sizeof *x);
        for (int k = r - 1; k >= 0; k--) {
            const real *column = f->A + (size_t)k * (size_t)f->p;
            x[k] /= column[k];
            add_scaled(x, -x[k], column, k);
        }
    } else { /* [R11 R12] = S^T Z^T: S^T w = y, x = Z [w; 0] */
        for (int k = 0; k < r; k++) {
            const real *column = f->Z + (size_t)k * (size_t)m;
            x[k] = (y[k] - dot(column, x, k)) / column[k];
        }
        linear_reflect(f->Z, m, f->ztau, r, false, x);
    }
    for (int k = 0; k < m; k++)
        mu[f->perm[k]] = x[k];
}

real linear_cod_null_part(linear_cod *f, const real *w)
{
    if (!f->Z)
        return 0;
    real *x = f->work;
    for (int k = 0; k < f->m; k++)
        x[k] = w[f->perm[k]];
    linear_reflect(f->Z, f->m, f->ztau, f->rank, true, x);
    return sqrtl(dot(x + f->rank, x + f->rank, f->m - f->rank));
}
