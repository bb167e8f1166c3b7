/* SPDX-License-Identifier: Apache-2.0
 * A lane source: rotations of spherical joints and rates of their quaternions, by the operations of math/rotation.h in
 * their order; see row_balls.h (T85). */
#include "kinematics/row_balls.h"
#include "kinematics/row_lane.h"

/* clv_quat_rotation */
INLINE void rotation(clv_w *R, const clv_w *e)
{
    const clv_w w = e[0], x = e[1], y = e[2], z = e[3], one = clv_w_fill(1.0);
    const clv_w s = clv_w_fill(2.0) / (w * w + x * x + y * y + z * z);
    const clv_w xx = s * x * x, yy = s * y * y, zz = s * z * z;
    const clv_w xy = s * x * y, xz = s * x * z, yz = s * y * z, wx = s * w * x, wy = s * w * y, wz = s * w * z;
    R[0] = one - (yy + zz), R[1] = xy - wz, R[2] = xz + wy;
    R[3] = xy + wz, R[4] = one - (xx + zz), R[5] = yz - wx;
    R[6] = xz - wy, R[7] = yz + wx, R[8] = one - (xx + yy);
}

/* x is the axis of the first row: columns y z x of the product */
static void pose(const clv_rows *w, const clv_row_lane_ball *b, const double *q)
{
    for (int lane = 0; lane < w->plan->group[0].nstrand; lane += CLV_LANES) {
        double *to = row_of(w->E, 9, b->row, lane);
        clv_w e[4], A[9], B[9];
        load(e, q + lane, 4), load(A, b->E + lane, 9);
        rotation(B, e);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                const int k = (j + 1) % 3;
                clv_w_store(to + (3 * i + j) * G8,
                            A[3 * i] * B[k] + A[3 * i + 1] * B[3 + k] + A[3 * i + 2] * B[6 + k]);
            }
    }
}

/* clv_quat_rate: q o [0, u / 2] */
static void rate(const clv_rows *w, const double *q, const double *u, double *qdot)
{
    for (int lane = 0; lane < w->plan->group[0].nstrand; lane += CLV_LANES) {
        clv_w a[4], b[4], c[4];
        load(a, q + lane, 4), load(b + 1, u + lane, 3);
        b[0] = clv_w_fill(0.0);
        for (int i = 1; i < 4; i++)
            b[i] = clv_w_fill(0.5) * b[i];
        c[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
        c[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
        c[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
        c[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
        store(qdot + lane, c, 4);
    }
}

const clv_ball_kernels CLV_LANE(clv_ball_kernels) = {pose, rate};
