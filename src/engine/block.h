/* SPDX-License-Identifier: Apache-2.0
 * A dense symmetric matrix beside rows of constraints, by panels of eight rows, and its Cholesky factor (T18).
 *
 *   M = L L^T,   Y = J L^-T,   Z = Y Y^T          rows of M and then rows of J: [L; Y] takes the place of [M; J]
 *
 * Entry (i, j) of a panel lies at [8 j + i mod 8] behind its start, so that eight rows are worked at once.  Unknowns of
 * a tree are numbered from its tips: row i of M, and so of L, is zero left of the unknowns outboard of i, and columns
 * left of `first` are never touched. Every entry is a sum in the order of columns, whatever the width of the lanes. */
#ifndef CLV_ENGINE_BLOCK_H
#define CLV_ENGINE_BLOCK_H
#include "base/memory.h"
#include <stdbool.h>

enum { CLV_BLOCK = 8 };

typedef struct clv_block {
    int n, m;        /* unknowns, rows of J                                                                */
    int nwide;       /* n, rounded up to whole panels                                                      */
    int npanel, nbelow; /* panels of M, of J                                                               */
    size_t *at;      /* (npanel + nbelow) start of a panel in A; the width of a panel of M ends with its diagonal */
    int *tree_first; /* (npanel + nbelow) first column, where J^T J is not added to M                      */
    int *first;      /* (npanel + nbelow) first column, a multiple of eight                                */
    double *A;
    double *inverse; /* (nwide) 1 / pivot; 0: an unknown that is left at zero                              */
    double *sum;     /* (nwide x 8) work                                                                   */
    double *Z;       /* (m x m) lower triangle                                                             */
    bool skip;       /* unknowns without inertia are left at zero                                          */
    int loose;       /* the last one, or -1                                                                */
    int failed;      /* the first pivot that is not positive beside its diagonal, or -1: the factor is there */
} clv_block;

/* n, m; counted, then carved.  tree_first has to be filled by the caller before clv_block_clear. */
void clv_block_layout(clv_block *b, int n, int m, clv_arena *a);
/* M := 0 with units in the padding, J := 0.  full: columns from the first on are used in every row. */
void clv_block_clear(clv_block *b, bool full);

/* entry (i, j) of M, j <= i; of row r of J */
static inline double *clv_block_entry(const clv_block *b, int i, int j)
{
    return b->A + b->at[i / CLV_BLOCK] + CLV_BLOCK * (size_t)j + i % CLV_BLOCK;
}
static inline double *clv_block_below(const clv_block *b, int r, int j)
{
    return clv_block_entry(b, b->nwide + r, j);
}

/* block_lanes.c, through the kernels: block_factor; block_lower: x (nwide, then panels of J) becomes L^-1 x, and what
 * is below becomes x - Y L^-1 x; block_upper: L^-T (x - Y^T (what is below)), that itself is kept */

#endif
