/* SPDX-License-Identifier: Apache-2.0
 * A dense Cholesky factor by rows; see dense.h. */
#include "math/dense.h"
#include <math.h>
#include <string.h>

double clv_dense_dot(const double *x, const double *y, int n)
{
    double d = 0;
    for (int i = 0; i < n; i++)
        d += x[i] * y[i];
    return d;
}

int clv_dense_factor(double *M, int n, int *skip)
{
    for (int i = 0; i < n; i++) {
        double *Li = M + (size_t)i * (size_t)n;
        for (int j = 0; j < i; j++) {
            const double *Lj = M + (size_t)j * (size_t)n;
            Li[j] = (Li[j] - clv_dense_dot(Li, Lj, j)) / Lj[j];
        }
        double pivot = Li[i] - clv_dense_dot(Li, Li, i);
        if (!(pivot > 1e-14 * Li[i])) {
            if (!skip || !isfinite(pivot))
                return i;
            *skip = i, pivot = 1e30 * fmax(Li[i], 1e-30);
            memset(Li, 0, (size_t)i * sizeof(double));
            for (int j = i + 1; j < n; j++)
                M[(size_t)j * (size_t)n + (size_t)i] = 0;
        }
        Li[i] = sqrt(pivot);
    }
    return -1;
}

void clv_dense_lower(const double *L, double *x, int n)
{
    for (int i = 0; i < n; i++)
        x[i] = (x[i] - clv_dense_dot(L + (size_t)i * (size_t)n, x, i)) / L[(size_t)i * (size_t)n + (size_t)i];
}

void clv_dense_upper(const double *L, double *x, int n)
{
    for (int i = n - 1; i >= 0; i--) {
        const double *Li = L + (size_t)i * (size_t)n;
        x[i] /= Li[i];
        for (int j = 0; j < i; j++)
            x[j] -= Li[j] * x[i];
    }
}
