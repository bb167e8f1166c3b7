/* SPDX-License-Identifier: Apache-2.0
 * The fold of a flexible body at work (T43.8), for row_star.c and its lanes (row_star_lane.c).  Modes lie side by side
 * in the lanes, so rows of modes are filled up to whole groups, with zeros. */
#ifndef CLV_KINEMATICS_ROW_STAR_H
#define CLV_KINEMATICS_ROW_STAR_H
#include "base/memory.h"
#include "math/lane.h"

typedef struct clv_star_fold {
    int n, wide;        /* modes; numbers in a row of them                                         */
    double *A;          /* (n x (wide + 8)) of the modes: rows from the diagonal on; then beside the motion of the
                         * entry, 6; load of the mode; 0 */
    double *I;          /* (6 x 8) at the frame, or the entry, 6; load; 0                          */
    double *work;       /* (16 x wide)                                                             */
} clv_star_fold;

static inline double *clv_star_row(const clv_star_fold *b, int m) { return b->A + m * (b->wide + 8); }
static inline double *clv_star_beside(const clv_star_fold *b, int m) { return clv_star_row(b, m) + b->wide; }
static inline int clv_star_wide(int n) { return (n + CLV_GROUP - 1) / CLV_GROUP * CLV_GROUP; }

static inline void clv_star_fold_layout(clv_star_fold *b, int n, clv_arena *a)
{
    b->n = n, b->wide = clv_star_wide(n);
    CLV_TAKE(a, b->A, n * (b->wide + 8)), CLV_TAKE(a, b->I, 48), CLV_TAKE(a, b->work, 16 * b->wide);
}

#endif
