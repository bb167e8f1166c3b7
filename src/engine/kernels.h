/* SPDX-License-Identifier: Apache-2.0
 * The lane kernels: sources that are compiled once for each width (1, 2, 4, 8 doubles), and one table of functions for
 * each.  A simulation takes the table for its CPU when it is created (base/cpu.h); the engine calls through it.
 *
 * A new kernel is one line in CLV_KERNELS and a function
 *     void CLV_LANE(clv_NAME)(ARGUMENTS)
 * in a lane source.  A new lane source is one line in cmake/lanes.cmake.  Rules for lane sources:
 *   - clv_w is the lane type; data are rows of CLV_GROUP slots, so a kernel runs over 8 / CLV_LANES strips;
 *   - every other function and table is static; only the functions of CLV_KERNELS are called from outside;
 *   - of other files only headers with types, constants and small static inline functions are used.  What a lane source
 *     compiles has the instructions of its width, and a shared function would carry them elsewhere;
 *   - no sum over lanes: a lane does what it would do alone, so the bits do not depend on the width.
 * tools/check_lanes.py checks the objects: names, calls, no fused operations. */
#ifndef CLV_ENGINE_KERNELS_H
#define CLV_ENGINE_KERNELS_H
#include "engine/block.h"
#include "engine/engine.h"

typedef struct clv_compliant clv_compliant; /* compliant.h */
typedef struct clv_rank clv_rank;           /* math/rank.h */

/* name, arguments */
#define CLV_KERNELS(X)                                                                                                \
    /* strand.c: a group of strands, from tip to base, vectors likewise, from base to tip */                          \
    X(strand_factor, (clv_engine * e, const clv_group *g))                                                            \
    X(strand_inward, (clv_engine * e, const clv_group *g))                                                            \
    X(strand_outward, (clv_engine * e, const clv_group *g))                                                           \
    /* pair_factor.c, pair_solve.c: a batch of nodes that close one joint: factor, solution up, and down */           \
    X(pair_factor, (clv_engine * e, clv_pairs *b))                                                                    \
    X(pair_up, (clv_engine * e, clv_pairs *b))                                                                        \
    X(pair_down, (clv_engine * e, clv_pairs *b))                                                                      \
    /* block_lanes.c: a dense matrix by panels: factor, substitutions */                                              \
    X(block_factor, (clv_block * b))                                                                                  \
    X(block_lower, (const clv_block *b, double *x))                                                                   \
    X(block_upper, (const clv_block *b, double *x))                                                                   \
    /* node_lanes.c: the work inside a dense node: Xi K, sums of lines, F^-1 of eight columns, G^T G */                \
    X(node_lines, (double *to, int stride, const double *Xi, int size, const double *block, int m))                   \
    X(node_sum, (double *out, const double *A, const double *x, int n, int wide))                                     \
    X(node_half, (const clv_rank *f, double *to, const double *from, int stride))                                     \
    X(node_gram, (double *to, int stride, int lines, int columns, const double *a, const double *b, int r))           \
    /* compliant_strand.c: as the first three, with a compliance on every row of a joint */                           \
    X(compliant_factor, (clv_compliant * c, const clv_group *g))                                                      \
    X(compliant_inward, (clv_compliant * c, const clv_group *g, bool loaded))                                         \
    X(compliant_outward, (clv_compliant * c, const clv_group *g))

struct clv_kernels {
    int lanes; /* doubles at a time */
#define CLV_KERNEL_FIELD(name, arguments) void(*name) arguments; /* NOLINT(bugprone-macro-parentheses) */
    CLV_KERNELS(CLV_KERNEL_FIELD)
#undef CLV_KERNEL_FIELD
};

/* kernels_table.c, for each width */
extern const clv_kernels clv_kernels_1, clv_kernels_2, clv_kernels_4, clv_kernels_8;
/* The table of a width; NULL: there is none. */
const clv_kernels *clv_kernels_of(int lanes);

#endif
