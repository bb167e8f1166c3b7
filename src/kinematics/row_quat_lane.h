/* SPDX-License-Identifier: Apache-2.0
 * Quaternions in lanes, by the operations of math/rotation.h in their order.  For lane sources alone. */
#ifndef CLV_KINEMATICS_ROW_QUAT_LANE_H
#define CLV_KINEMATICS_ROW_QUAT_LANE_H
#include "kinematics/row_lane.h"

/* clv_quat_rotation */
INLINE void quat_rotation(clv_w *R, const clv_w *e)
{
    const clv_w w = e[0], x = e[1], y = e[2], z = e[3], one = clv_w_fill(1.0);
    const clv_w s = clv_w_fill(2.0) / (w * w + x * x + y * y + z * z);
    const clv_w xx = s * x * x, yy = s * y * y, zz = s * z * z;
    const clv_w xy = s * x * y, xz = s * x * z, yz = s * y * z, wx = s * w * x, wy = s * w * y, wz = s * w * z;
    R[0] = one - (yy + zz), R[1] = xy - wz, R[2] = xz + wy;
    R[3] = xy + wz, R[4] = one - (xx + zz), R[5] = yz - wx;
    R[6] = xz - wy, R[7] = yz + wx, R[8] = one - (xx + yy);
}

/* clv_quat_rate: c = a o [0, w / 2] */
INLINE void quat_rate(clv_w *c, const clv_w *a, const clv_w *w)
{
    const clv_w half = clv_w_fill(0.5);
    const clv_w b[4] = {clv_w_fill(0.0), half * w[0], half * w[1], half * w[2]};
    c[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    c[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    c[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    c[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

#endif
