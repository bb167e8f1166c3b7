/* SPDX-License-Identifier: Apache-2.0
 * Panels of a dense matrix: memory and the empty matrix; see block.h.
 *
 * A panel has eight rows, stored column by column, from its first column that is not zero in the order of the tree.  A
 * Cholesky factor fills nothing outside these envelopes, so they are cleared, and the rest is neither stored to nor
 * read. */
#include "engine/block.h"
#include <string.h>

static int panels(int n) { return (n + CLV_BLOCK - 1) / CLV_BLOCK; }

/* columns of a panel */
static int width(const clv_block *b, int panel) { return panel < b->npanel ? CLV_BLOCK * (panel + 1) : b->nwide; }

void clv_block_layout(clv_block *b, int n, int m, clv_arena *a)
{
    size_t numbers = 0;
    b->n = n, b->m = m;
    b->npanel = panels(n), b->nbelow = panels(m), b->nwide = CLV_BLOCK * b->npanel;
    const int all = b->npanel + b->nbelow;
    CLV_TAKE(a, b->at, all), CLV_TAKE(a, b->tree_first, all), CLV_TAKE(a, b->first, all);
    /* a panel has the columns up to its own diagonal block; panels below the matrix have all */
    for (int k = 0; k < all; k++) {
        if (b->at)
            b->at[k] = numbers;
        numbers += CLV_BLOCK * (size_t)width(b, k);
    }
    CLV_TAKE(a, b->A, numbers);
    CLV_TAKE(a, b->inverse, b->nwide), CLV_TAKE(a, b->sum, CLV_BLOCK * (size_t)b->nwide);
    CLV_TAKE(a, b->Z, (size_t)m * (size_t)m);
}

void clv_block_clear(clv_block *b, bool full)
{
    for (int k = 0; k < b->npanel + b->nbelow; k++) {
        /* the envelope: columns before the first body outboard are zero, and stay zero in the factor */
        b->first[k] = full ? 0 : b->tree_first[k];
        const size_t from = CLV_BLOCK * (size_t)b->first[k], to = CLV_BLOCK * (size_t)width(b, k);
        memset(b->A + b->at[k] + from, 0, (to - from) * sizeof(double));
    }
    /* unknowns beyond n are padding with a unit pivot */
    for (int i = b->n; i < b->nwide; i++)
        *clv_block_entry(b, i, i) = 1.0;
    b->failed = b->loose = -1;
}
