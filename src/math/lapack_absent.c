/* SPDX-License-Identifier: Apache-2.0
 * In place of lapack.c where the build leaves it out. */
#include "math/lapack.h"

bool clv_lapack_present(void)
{
    return false;
}

int clv_lapack_pencil(double *mu, double *M, double *K, int n)
{
    (void)mu, (void)M, (void)K, (void)n;
    return -3;
}

int clv_lapack_factor(double *K, int n)
{
    (void)K, (void)n;
    return -3;
}

void clv_lapack_solve(const double *factor, int n, double *b, int m)
{
    (void)factor, (void)n, (void)b, (void)m;
}

int clv_lapack_eigen(double *re, double *im, double *V, double *U, double *A, int n)
{
    (void)re, (void)im, (void)V, (void)U, (void)A, (void)n;
    return -3;
}
