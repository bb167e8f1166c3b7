/* SPDX-License-Identifier: Apache-2.0
 * A lane source: rotations of spherical joints and rates of their quaternions, by the operations of math/rotation.h in
 * their order; see row_balls.h (T85). */
#include "kinematics/row_balls.h"
#include "kinematics/row_quat_lane.h"

/* x is the axis of the first row: columns y z x of the product */
static void pose(const clv_rows *w, const clv_row_lane_ball *b, const double *q)
{
    for (int lane = 0; lane < w->plan->group[0].nstrand; lane += CLV_LANES) {
        double *to = row_of(w->E, 9, b->row, lane);
        clv_w e[4], A[9], B[9];
        load(e, q + lane, 4), load(A, b->E + lane, 9);
        quat_rotation(B, e);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                const int k = (j + 1) % 3;
                clv_w_store(to + (3 * i + j) * G8,
                            A[3 * i] * B[k] + A[3 * i + 1] * B[3 + k] + A[3 * i + 2] * B[6 + k]);
            }
    }
}

static void rate(const clv_rows *w, const double *q, const double *u, double *qdot)
{
    for (int lane = 0; lane < w->plan->group[0].nstrand; lane += CLV_LANES) {
        clv_w a[4], b[3], c[4];
        load(a, q + lane, 4), load(b, u + lane, 3);
        quat_rate(c, a, b);
        store(qdot + lane, c, 4);
    }
}

const clv_ball_kernels CLV_LANE(clv_ball_kernels) = {pose, rate};
