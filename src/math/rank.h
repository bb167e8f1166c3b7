/* SPDX-License-Identifier: Apache-2.0
 * Rank-revealing factor of a small symmetric positive semidefinite matrix (T20).
 *
 *   Z = S^-1 Zs S^-1,  Zs ~ L L^T  by Cholesky with diagonal pivoting, stopped where the largest pivot falls under
 *   `rank`.  Full rank: plain triangular solves.  Else L = Q R^ (orthonormal Q): Zs^+ = Q R^-T R^-1 Q^T, the
 *   pseudo-inverse: minimum norm in the scaled unknowns, smooth as long as the rank is.
 *
 * The scale is the caller's, so that the decision does not depend on units. */
#ifndef CLV_MATH_RANK_H
#define CLV_MATH_RANK_H

/* Memory the factor needs, in doubles, and in the order used below. */
#define CLV_RANK_SIZE(m) (3 * (m) * (m) + 3 * (m))

typedef struct clv_rank {
    int m, r;      /* size, rank                                                   */
    double dropped; /* largest scaled pivot left out, 0 at full rank                */
    double *L;     /* m x m, rows in pivot order, row major, r columns              */
    double *Q;     /* m x m by columns, in the caller's row order (r < m)           */
    double *R;     /* m x m row major upper triangular r x r (r < m)                */
    double *s;     /* m: 1 / scale                                                  */
    double *order; /* m: pivot order, as whole numbers                              */
    double *y;     /* m: work                                                       */
} clv_rank;

/* View of memory of CLV_RANK_SIZE(m) doubles; *rank_slot of the caller keeps r. */
clv_rank clv_rank_view(int m, int r, double *memory);
/* Factors Z (m x m, row major; only the lower triangle is read).  scale (m) > 0 or NULL: diagonal scale, sqrt of
 * typical Z_ii. rank <= 0: no truncation, every pivot must be positive.  Returns the rank, or -1 if a pivot is not
 * positive (rank <= 0) or not finite.  *pivot: smallest scaled pivot kept. */
int clv_rank_factor(clv_rank *f, const double *Z, const double *scale, double rank, double *pivot);
/* The same with a rank of `most` at most where rank > 0: smaller pivots are left out whatever they are. */
int clv_rank_factor_most(clv_rank *f, const double *Z, const double *scale, double rank, int most, double *pivot);
/* y := F^-1 x with Z^+ = F^-T F^-1: half solve, r numbers; x (m) is kept.  Used for symmetric updates. */
void clv_rank_half(const clv_rank *f, double *y, const double *x);
/* The same of n columns at once, n a multiple of 6: Y (r x n), X (m x n); the same bits. */
void clv_rank_half_columns(const clv_rank *f, double *Y, const double *X, int n);
/* x := Z^+ x */
void clv_rank_solve(const clv_rank *f, double *x);
/* Q R^ = L, of a factor whose L, order and rank r < m are there. */
void clv_rank_orthonormalize(clv_rank *f);
/* k-th basis vector (m) of the null space, k < m - r, scaled back; s^-1-orthonormal. */
void clv_rank_null(const clv_rank *f, int k, double *n);

#endif
