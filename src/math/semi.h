/* SPDX-License-Identifier: Apache-2.0
 * Rank-revealing factor of a symmetric positive semidefinite matrix without square roots (T161).
 *
 *   Z = S^-1 Zs S^-1,   Zs ~ B (L D L^T) B^T,   B = [1; W] in the order of pivots, L unit triangular
 *   Zs^+ = B G (L D L^T)^-1 G B^T,   G = (B^T B)^-1
 *
 * Pivots and the decision on the rank are those of math/rank.h.  Rows that are left out are combinations W of those
 * kept, with factors of the order of one.  So G is well conditioned, and nothing has to be made orthogonal.
 *
 * Lines of matrices have multiples of eight numbers: rows of a column are lanes (semi_lane.c), or columns are. */
#ifndef CLV_MATH_SEMI_H
#define CLV_MATH_SEMI_H
#include "math/rank.h"

/* the next multiple of eight */
#define CLV_EIGHTS(m) (((m) + 7) / 8 * 8)
/* Memory the factor needs, in doubles, and in the order used below; its start is that of a vector of lanes. */
#define CLV_SEMI_SIZE(m) (3 * (m) * CLV_EIGHTS(m) + 6 * CLV_EIGHTS(m) + CLV_RANK_SIZE(m) + 1)

typedef struct clv_semi {
    int m, r, wide;     /* size, rank; numbers of a line                                           */
    double dropped;     /* largest scaled pivot left out, 0 at full rank                         */
    double *L;          /* m x wide: lower triangle of r rows in the order of pivots, unit diagonal left out */
    double *C;          /* m x wide by columns, in the caller's row order: L of all rows           */
    double *G;          /* m x wide: r rows of G, then the rows of W                                */
    double *s;          /* m: 1 / scale                                                          */
    double *inverse;    /* m: 1 / d                                                              */
    double *x, *y, *z;  /* m, m, m: work                                                         */
    int *order;         /* m: rows of the pivots; then those left out                            */
    double *basis;      /* (CLV_RANK_SIZE) see clv_semi_rank, and whether it is there             */
} clv_semi;

/* View of memory of CLV_SEMI_SIZE(m) doubles; the caller keeps r. */
clv_semi clv_semi_view(int m, int r, double *memory);
/* x := Z^+ x; or its two halves: y (r) := F^-1 x, and x := F^-T D^-1 y, with Z^+ = F^-T D^-1 F^-1 */
void clv_semi_solve(const clv_semi *f, double *x);
void clv_semi_forwards(const clv_semi *f, double *y, const double *x);
void clv_semi_backwards(const clv_semi *f, double *x, double *y);
/* The factor of math/rank.h with the same pivots, for its null vectors: made once. */
clv_rank clv_semi_rank(const clv_semi *f);

/* For each width, as the kernels of engine/kernels.h; the same bits. */
typedef struct clv_semi_kernels {
    /* The arguments and results of clv_rank_factor, but all of Z is read, in lines of so many numbers.  `wide` of those
     * and of the scales are there; what is beyond m does not matter. */
    int (*factor)(clv_semi *f, const double *Z, int line, const double *scale, double rank, double *pivot);
    /* Y (r x n) := F^-1 X of n columns, a multiple of eight; X (m x n) is scaled by s, and written to */
    void (*half)(const clv_semi *f, double *Y, double *X, int n);
    /* S := rows from .. to of Y^T D^-1 Y, their first `most` columns, a multiple of eight: S and Y have lines of n */
    void (*square)(const clv_semi *f, double *S, const double *Y, int n, int from, int to, int most);
} clv_semi_kernels;

extern const clv_semi_kernels clv_semi_kernels_1, clv_semi_kernels_2, clv_semi_kernels_4, clv_semi_kernels_8;
static inline const clv_semi_kernels *clv_semi_kernels_of(int lanes)
{
    return lanes == 1   ? &clv_semi_kernels_1
           : lanes == 2 ? &clv_semi_kernels_2
           : lanes == 4 ? &clv_semi_kernels_4
                        : &clv_semi_kernels_8;
}

#endif
