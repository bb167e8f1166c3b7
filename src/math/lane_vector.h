/* SPDX-License-Identifier: Apache-2.0
 * Vector work on the states of eight problems at once, a problem a lane: number i of lane l lies at [8 i + l].  Every
 * number is made by the operations of integrator/vector.h in their order (T85).  For each width, as the kernels of
 * engine/kernels.h. */
#ifndef CLV_MATH_LANE_VECTOR_H
#define CLV_MATH_LANE_VECTOR_H
#include <stddef.h>
#include "math/lane.h"

enum { CLV_LANE_COLUMNS = 16 }; /* most columns of a sum */

/* sum of w_j k_j over `columns` blocks, `stride` numbers apart; zeros in w are skipped */
typedef struct clv_lane_sum {
    const double *w, *k;
    size_t stride;
    int columns;
} clv_lane_sum;

/* what an error is compared with */
typedef struct clv_lane_tolerance {
    const double *rtol, *atol;       /* (8) */
    const double *scale, *bound, *y, *y_new; /* (n x 8) */
} clv_lane_tolerance;

typedef struct clv_lane_vectors {
    /* to (n x 8) = y + h times the sum, h (8), in the first `lanes` lanes and perhaps more */
    void (*advance)(double *to, const double *y, const double *h, const clv_lane_sum *s, int n, int lanes);
    /* norm (8) of the sum as a fraction of what is tolerated; worst (8): the state that makes it, or -1 */
    void (*norm)(double *norm, double *worst, const clv_lane_tolerance *t, const clv_lane_sum *s, int n, int lanes);
    /* to (8): 0 where all numbers of x (n x 8) are finite, else not a number */
    void (*check)(double *to, const double *x, int n, int lanes);
    /* z (8), from above: the n-th root of y (8), clv_root_begin .. clv_root_end */
    void (*roots)(double *z, const double *y, int n, int lanes);
    /* row i of to (n x 8) is row of[i] of from; and back, alone or with `more` (n x 8) added; -1: none */
    void (*gather)(double *to, const double *from, const int *of, int n, int lanes);
    void (*scatter)(double *to, const double *from, const double *more, const int *of, int n, int lanes);
    /* to (n x 8) = from in the lanes where chosen (8) is positive */
    void (*take_over)(double *to, const double *from, const double *chosen, int n, int lanes);
} clv_lane_vectors;

extern const clv_lane_vectors clv_lane_vectors_1, clv_lane_vectors_2, clv_lane_vectors_4, clv_lane_vectors_8;
static inline const clv_lane_vectors *clv_lane_vectors_of(int lanes)
{
    return lanes == 1   ? &clv_lane_vectors_1
           : lanes == 2 ? &clv_lane_vectors_2
           : lanes == 4 ? &clv_lane_vectors_4
                        : &clv_lane_vectors_8;
}

#endif
