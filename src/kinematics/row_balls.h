/* SPDX-License-Identifier: Apache-2.0
 * Spherical joints of mechanisms abreast (row_abreast.h, T85): what row_state.c does joint by joint, in lanes.  Called
 * by row_abreast_ball.c. */
#ifndef CLV_KINEMATICS_ROW_BALLS_H
#define CLV_KINEMATICS_ROW_BALLS_H
#include "kinematics/rows.h"

/* Three rows of all lanes. */
typedef struct clv_row_lane_ball {
    int row, iq, iu; /* the first row; places of its quaternion and rates in the state */
    double *E;       /* (9 x 8) constants: the joint frame on the parent, in the parent's frame */
} clv_row_lane_ball;

typedef struct clv_ball_kernels {
    /* frame of the first row out of the quaternion q (4 x 8) */
    void (*pose)(const clv_rows *w, const clv_row_lane_ball *b, const double *q);
    /* its derivative (4 x 8) at the rates u (3 x 8) */
    void (*rate)(const clv_rows *w, const double *q, const double *u, double *qdot);
} clv_ball_kernels;

/* row_balls.c, for each width */
extern const clv_ball_kernels clv_ball_kernels_1, clv_ball_kernels_2, clv_ball_kernels_4, clv_ball_kernels_8;
static inline const clv_ball_kernels *clv_ball_kernels_of(int lanes)
{
    return lanes == 1   ? &clv_ball_kernels_1
           : lanes == 2 ? &clv_ball_kernels_2
           : lanes == 4 ? &clv_ball_kernels_4
                        : &clv_ball_kernels_8;
}

#endif
