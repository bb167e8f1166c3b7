/* SPDX-License-Identifier: Apache-2.0
 * Large dense matrices by LAPACK, for the reduction of finite-element bodies, and eigenvalues of linear systems.  No
 * simulation calls it, for its bits differ between machines.  Where the build leaves it out, lapack_absent.c takes its
 * place.  Symmetric matrices are n x n, whole (row and column major are the same). */
#ifndef CLV_MATH_LAPACK_H
#define CLV_MATH_LAPACK_H
#include <stdbool.h>

bool clv_lapack_present(void);
/* M x = mu K x with K positive definite: mu (n, ascending), the vectors in M, vector k at [n k ..], x^T K x = 1; the
 * factor of K in K, for clv_lapack_solve.  M may be semidefinite.  Returns 0; i > 0: the leading minor of order i of K
 * is not positive; -1: out of memory; -2: no convergence; -3: there is none. */
int clv_lapack_pencil(double *mu, double *M, double *K, int n);
/* K := its factor, for clv_lapack_solve.  Returns as above. */
int clv_lapack_factor(double *K, int n);
/* K x = b for m vectors, vector k at b[n k ..], by the factor. */
void clv_lapack_solve(const double *factor, int n, double *b, int m);
/* Eigenvalues re + i im (n) of A (n x n by rows, spoilt), right vectors as columns of V and left ones of U (n x n by
 * rows), of length 1.  Of a complex pair k, k + 1 column k is the real part, and column k + 1 the imaginary part of the
 * first.  Returns as clv_lapack_pencil. */
int clv_lapack_eigen(double *re, double *im, double *V, double *U, double *A, int n);

#endif
