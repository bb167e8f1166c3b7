/* SPDX-License-Identifier: Apache-2.0
 * The 6x6 inertia at a free base, factored and solved; shared by factor.c and solve.c (T4). */
#ifndef CLV_ENGINE_BASE_BLOCK_H
#define CLV_ENGINE_BASE_BLOCK_H
#include "engine/engine.h"

/* is the joint eliminated inside a strand? */
static inline bool clv_inside_strand(const clv_tree_joint *t) { return t->edge < 0 && !t->detached && t->link < 0; }

/* n numbers of one lane of a group's output */
static inline void clv_lane_get(const double *array, int n, int lane, double *v)
{
    for (int i = 0; i < n; i++)
        v[i] = array[i * CLV_GROUP + lane];
}

/* x := I^-1 x with F = L D L^T: unit lower below, inverse pivots on the diagonal */
static inline void clv_base_solve(const double F[36], double x[6])
{
    /* L, then the pivots, then L^T */
    for (int i = 1; i < 6; i++)
        for (int j = 0; j < i; j++)
            x[i] -= F[6 * i + j] * x[j];
    for (int i = 0; i < 6; i++)
        x[i] *= F[6 * i + i];
    for (int i = 4; i >= 0; i--)
        for (int j = i + 1; j < 6; j++)
            x[i] -= F[6 * j + i] * x[j];
}

#endif
