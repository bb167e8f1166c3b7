/* SPDX-License-Identifier: Apache-2.0
 * Small dense symmetric matrices by arithmetic alone (no library, equal bits everywhere): Cholesky, eigenvalues by
 * cyclic Jacobi turns, and the pencil K x = lambda M x of a few modes.  Matrices are n x n, row major.  For set-up, not
 * for steps. */
#ifndef CLV_MATH_SYMMETRIC_H
#define CLV_MATH_SYMMETRIC_H
#include <stdbool.h>

/* A = L L^T in place (lower triangle; the upper is set to 0).  Returns -1, or the first row whose pivot is not above
 * `least` times its diagonal entry (A is then spoilt). */
int clv_cholesky(double *A, int n, double least);
/* The same of a matrix that may be singular: columns of L whose pivot is rounding are zero; L L^T is A to rounding. */
void clv_cholesky_semidefinite(double *A, int n);
/* x := L^-1 x, x := L^-T x of a factor by clv_cholesky. */
void clv_lower_solve(const double *L, int n, double *x);
void clv_lower_transpose_solve(const double *L, int n, double *x);
/* Eigenvalues (n, ascending) of A, which is spoilt, and eigenvectors by columns in V (n x n, orthonormal).  Small
 * eigenvalues of a positive definite A keep their relative accuracy as far as A is well scaled. */
void clv_symmetric_eigen(double *lambda, double *V, double *A, int n);
/* K x = lambda M x: lambda (n, ascending), X by columns with X^T M X = 1.  K and M are spoilt.  False: M is not
 * positive definite. */
bool clv_pencil_eigen(double *lambda, double *X, double *K, double *M, int n);
/* Settles what an eigenvector leaves open, so that the same modes come out everywhere.  Among equal eigenvalues
 * (relative 1e-9) the basis is rotated so that its row of largest size belongs to the first vector alone, and so on.
 * Then the largest entry of every vector (the first of those within 1e-6) is made positive.  X is rows x n, by columns
 * of the row-major array; turns of equal eigenvalues keep X^T M X = 1. */
void clv_modes_settle(double *X, int rows, int n, const double *lambda);

#endif
