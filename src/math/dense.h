/* SPDX-License-Identifier: Apache-2.0
 * Dense symmetric systems of a step, by rows: M = L L^T (n x n, row major, lower triangle).  Sums run from the first
 * entry to the last, so that every build has the same bits. */
#ifndef CLV_MATH_DENSE_H
#define CLV_MATH_DENSE_H

/* x^T y */
double clv_dense_dot(const double *x, const double *y, int n);
/* M = L L^T in place; the index of the first pivot that is not positive beside its diagonal entry, or -1.  skip: such
 * an unknown is left at zero instead, as if it were alone with a huge inertia, and the last one is noted. */
int clv_dense_factor(double *M, int n, int *skip);
/* x := L^-1 x,  x := L^-T x */
void clv_dense_lower(const double *L, double *x, int n);
void clv_dense_upper(const double *L, double *x, int n);

#endif
