/* SPDX-License-Identifier: Apache-2.0
 * Rank-revealing factor of a symmetric positive semidefinite matrix without square roots (T161).
 *
 *   Z = S^-1 Zs S^-1,   Zs ~ B (L D L^T) B^T,   B = [1; W] in the order of pivots, L unit triangular
 *   Zs^+ = B G (L D L^T)^-1 G B^T,   G = (B^T B)^-1
 *
 * Pivots and the decision on the rank are those of math/rank.h.  Rows that are left out are combinations W of those
 * kept, with factors of the order of one.  So G is well conditioned, and nothing has to be made orthogonal. */
#ifndef CLV_MATH_SEMI_H
#define CLV_MATH_SEMI_H
#include "math/rank.h"

/* Memory the factor needs, in doubles, and in the order used below. */
#define CLV_SEMI_SIZE(m) (3 * (m) * (m) + 7 * (m) + CLV_RANK_SIZE(m) + 1)

typedef struct clv_semi {
    int m, r;           /* size, rank                                                            */
    double dropped;     /* largest scaled pivot left out, 0 at full rank                         */
    double *L;          /* m x m row major, lower triangle of r rows in the order of pivots       */
    double *C;          /* m x m by columns, in the caller's row order: L of all rows             */
    double *G;          /* m x m: r rows of G, then the rows of W                                */
    double *s;          /* m: 1 / scale                                                          */
    double *inverse;    /* m: 1 / d                                                              */
    double *root;       /* m: its square root                                                    */
    double *x, *y, *z;  /* m, m, m: work                                                         */
    int *order;         /* m: rows of the pivots; then those left out                            */
    double *basis;      /* (CLV_RANK_SIZE) see clv_semi_rank, and whether it is there             */
} clv_semi;

/* View of memory of CLV_SEMI_SIZE(m) doubles; the caller keeps r. */
clv_semi clv_semi_view(int m, int r, double *memory);
/* The same arguments and results as clv_rank_factor, but all of Z is read. */
int clv_semi_factor(clv_semi *f, const double *Z, const double *scale, double rank, double *pivot);
/* x := Z^+ x */
void clv_semi_solve(const clv_semi *f, double *x);
/* Y := F^-1 X with Z^+ = F^-T F^-1; n columns, a multiple of 6: Y (r x n), X (m x n). */
void clv_semi_half_columns(const clv_semi *f, double *Y, const double *X, int n);
/* The factor of math/rank.h with the same pivots, for its null vectors: made once. */
clv_rank clv_semi_rank(const clv_semi *f);

#endif
