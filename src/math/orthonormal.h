/* SPDX-License-Identifier: Apache-2.0
 * Orthonormal bases by Gram and Schmidt, pivoted, every vector twice: orthonormal to rounding.  For set-up and statics
 * (T50, T58), not for steps.  Matrices are row major. */
#ifndef CLV_MATH_ORTHONORMAL_H
#define CLV_MATH_ORTHONORMAL_H

/* A (m x n, spoilt) by rows: a_i = sum over k < r of R[k m + i] q_k with orthonormal rows q_k of Q (r x n; room for the
 * smaller of m and n rows; R likewise, x m).  The row with the largest rest comes next: order[k] (m).  Ends where all
 * rests are below `threshold` times the largest row, or after `most` rows.  Returns r. */
int clv_orthonormal_rows(double *Q, double *R, int *order, double *A, int m, int n, double threshold, int most);
/* Rows r .. n - 1 of Q (n x n), whose first r rows are orthonormal: the rest of a basis.  The next vector belongs to
 * the axis with the largest rest.  rest (n): work. */
void clv_orthonormal_complete(double *Q, int r, int n, double *rest);

/* Room for clv_least_norm, in doubles. */
#define CLV_LEAST_NORM_SIZE(m, n) (3 * (size_t)(m) * (size_t)(n) + 2 * (size_t)(m) * (size_t)(m) + (size_t)(m))
/* x (n) of least norm among those with the least |A x - b|; A (m x n) and b (m) are kept.  Directions with less than
 * `threshold` of the largest column count as none.  work: CLV_LEAST_NORM_SIZE(m, n) doubles; order (the larger of m
 * and n).  Returns the rank of A. */
int clv_least_norm(double *x, const double *A, const double *b, int m, int n, double threshold, double *work,
                   int *order);

#endif
