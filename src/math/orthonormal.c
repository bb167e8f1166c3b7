/* SPDX-License-Identifier: Apache-2.0
 * Orthonormal bases and least-norm solutions; see orthonormal.h.
 *
 *   least norm: A^T by its rows (columns a_j of A):  A = Q^T R with Q (r x m), R (r x n)   pivoted
 *               R by its rows:                       R = T U with U (r x n), T (r x r) lower in the order of its pivots
 *               x = U^T T^-1 Q b */
#include "math/orthonormal.h"
#include <math.h>
#include <stddef.h>
#include <string.h>

static double dot(const double *a, const double *b, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* a -= f q */
static void take(double *a, double f, const double *q, int n)
{
    for (int i = 0; f != 0 && i < n; i++)
        a[i] -= f * q[i];
}

static int largest_row(const double *A, int m, int n, double *size)
{
    int best = -1;
    *size = 0;
    for (int i = 0; i < m; i++) {
        const double s = dot(A + (size_t)i * (size_t)n, A + (size_t)i * (size_t)n, n);
        if (s > *size)
            *size = s, best = i;
    }
    *size = sqrt(*size);
    return best;
}

int clv_orthonormal_rows(double *Q, double *R, int *order, double *A, int m, int n, double threshold, int most)
{
    const size_t w = (size_t)n;
    double first = 0, size;
    int r = 0;
    memset(R, 0, (size_t)(m < n ? m : n) * (size_t)m * sizeof(double));
    for (; r < most && r < m && r < n; r++) {
        const int best = largest_row(A, m, n, &size);
        if (r == 0)
            first = size;
        if (best < 0 || !(size > threshold * first))
            break;
        double *q = Q + (size_t)r * w;
        memcpy(q, A + (size_t)best * w, w * sizeof(double));
        for (int k = 0; k < r; k++) { /* the second time */
            const double f = dot(Q + (size_t)k * w, q, n);
            R[(size_t)k * (size_t)m + (size_t)best] += f;
            take(q, f, Q + (size_t)k * w, n);
        }
        const double length = sqrt(dot(q, q, n));
        for (int i = 0; i < n; i++)
            q[i] /= length;
        order[r] = best;
        for (int i = 0; i < m; i++) { /* the rest of every row, for the first time */
            double *a = A + (size_t)i * w;
            const double f = dot(q, a, n);
            R[(size_t)r * (size_t)m + (size_t)i] += f;
            take(a, f, q, n);
        }
        memset(A + (size_t)best * w, 0, w * sizeof(double));
    }
    return r;
}

void clv_orthonormal_complete(double *Q, int r, int n, double *rest)
{
    const size_t w = (size_t)n;
    for (int j = 0; j < n; j++) {
        rest[j] = 1;
        for (int k = 0; k < r; k++)
            rest[j] -= Q[(size_t)k * w + (size_t)j] * Q[(size_t)k * w + (size_t)j];
    }
    for (; r < n; r++) {
        double *q = Q + (size_t)r * w;
        int axis = 0;
        for (int j = 1; j < n; j++)
            axis = rest[j] > rest[axis] + 1e-9 ? j : axis; /* of equal ones the first */
        memset(q, 0, w * sizeof(double));
        q[axis] = 1;
        for (int twice = 0; twice < 2; twice++)
            for (int k = 0; k < r; k++)
                take(q, dot(Q + (size_t)k * w, q, n), Q + (size_t)k * w, n);
        const double length = sqrt(dot(q, q, n));
        for (int j = 0; j < n; j++)
            q[j] /= length, rest[j] -= q[j] * q[j];
    }
}

/* x := T^-1 x of a matrix whose row order[k] begins with k + 1 numbers of the columns 0 .. k: T[k' r + i] is column k'
 * of row i */
static void solve_ordered(const double *T, const int *order, int r, const double *c, double *x)
{
    for (int k = 0; k < r; k++) {
        double sum = c[order[k]];
        for (int l = 0; l < k; l++)
            sum -= T[(size_t)l * (size_t)r + (size_t)order[k]] * x[l];
        x[k] = sum / T[(size_t)k * (size_t)r + (size_t)order[k]];
    }
}

int clv_least_norm(double *x, const double *A, const double *b, int m, int n, double threshold, double *work,
                   int *order)
{
    const size_t M = (size_t)m, N = (size_t)n;
    double *columns = work, *Q = columns + M * N, *R = Q + M * M, *U = columns, *T = R + M * N, *c = T + M * M;
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i < M; i++)
            columns[j * M + i] = A[i * N + j];
    const int r = clv_orthonormal_rows(Q, R, order, columns, n, m, threshold, m < n ? m : n);
    for (int k = 0; k < r; k++)
        c[k] = dot(Q + (size_t)k * M, b, m);
    /* R (r x n) has independent rows: no threshold */
    double *rows = R + (size_t)r * 0, *z = Q;
    const int s = clv_orthonormal_rows(U, T, order, rows, r, n, 0, r);
    if (s == r)
        solve_ordered(T, order, r, c, z);
    memset(x, 0, N * sizeof(double));
    for (int k = 0; k < s && s == r; k++)
        take(x, -z[k], U + (size_t)k * N, n);
    return r;
}
