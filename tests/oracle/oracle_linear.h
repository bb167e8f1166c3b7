/* SPDX-License-Identifier: Apache-2.0
 * Dense algebra of the oracle in extended precision: QR with column pivoting, complete orthogonal decomposition,
 * singular values, Cholesky.  Plain textbook methods, O(n^3) once; no blocking.  Test code only. */
#ifndef ORACLE_LINEAR_H
#define ORACLE_LINEAR_H
#include <stdbool.h>

typedef long double real;

/* A (p x m, by columns: column j at A + j p) P = Q R, pivoting on the largest remaining column.  On return column k of
 * A holds R above and on the diagonal and the Householder vector below (v[k] = 1 left out); tau[k] its factor; perm[k]
 * the original column.  pivot false: no pivoting (perm is the identity). */
void linear_qr(real *A, int p, int m, bool pivot, int *perm, real *tau);
/* x := Q^T x (transpose) or Q x for the first `steps` reflections of linear_qr; x has p entries. */
void linear_reflect(const real *A, int p, const real *tau, int steps, bool transpose, real *x);
/* Singular values, descending, of A (p x m by columns, p >= m); A is destroyed.  false: no convergence. */
bool linear_singular_values(real *A, int p, int m, real *s);
/* Lower Cholesky factor of the symmetric A (n x n, row major), in place.  false: a pivot is not positive. */
bool linear_cholesky(real *A, int n);
/* x := L^-1 x and x := L^-T x for the factor above. */
void linear_lower_solve(const real *L, int n, real *x);
void linear_lower_solve_transposed(const real *L, int n, real *x);

/* Minimum-norm least squares for one matrix and many right-hand sides: A (p x m by columns) of rank r. */
typedef struct linear_cod {
    int p, m, rank, nsv;
    int *perm;
    real *A, *tau;   /* QR of A with pivoting                                                     */
    real *Z, *ztau;  /* QR of the transpose of the leading rows of R (m x rank); NULL if rank = m */
    real *sv;        /* all singular values, descending (nsv)                                     */
    real *work;      /* 2 max(p, m) + 2                                                           */
} linear_cod;

/* Takes a copy of A.  rank = number of singular values above threshold * the largest.  false:
 * no convergence or memory. */
bool linear_cod_create(linear_cod *f, const real *A, int p, int m, real threshold);
void linear_cod_destroy(linear_cod *f);
/* The x (p) in range(A) with A^T x = g on the pivoted columns. */
void linear_cod_range_solve(linear_cod *f, const real *g, real *x);
/* x := x - its part in range(A). */
void linear_cod_complement(linear_cod *f, real *x);
/* The mu (m) of least norm with A mu = h for h in range(A). */
void linear_cod_multipliers(linear_cod *f, const real *h, real *mu);
/* Norm of the part of w (m) in the null space of A. */
real linear_cod_null_part(linear_cod *f, const real *w);
#endif
