/* SPDX-License-Identifier: Apache-2.0
 * Small pieces of the lane sources over bodies with coordinates of their own (row_trials.h). */
#ifndef CLV_KINEMATICS_ROW_TRIAL_LANE_H
#define CLV_KINEMATICS_ROW_TRIAL_LANE_H
#include "kinematics/row_lane.h"

INLINE clv_w choose(clv_w_mask m, clv_w a, clv_w b)
{
    return clv_w_of_bits((clv_w_bits(a) & m) | (clv_w_bits(b) & ~m));
}
INLINE clv_w larger(clv_w a, clv_w b) { return choose(clv_w_at_most(a, b), b, a); }
INLINE clv_w magnitude(clv_w x) { return larger(x, -x); }
/* y = R x, R^T x; R row major */
INLINE void turn(clv_w *y, const clv_w *R, const clv_w *x)
{
    for (int i = 0; i < 3; i++)
        y[i] = R[3 * i] * x[0] + R[3 * i + 1] * x[1] + R[3 * i + 2] * x[2];
}
INLINE void turn_back(clv_w *y, const clv_w *R, const clv_w *x)
{
    for (int i = 0; i < 3; i++)
        y[i] = R[i] * x[0] + R[3 + i] * x[1] + R[6 + i] * x[2];
}
/* c -= a x b */
INLINE void take_cross(clv_w *c, const clv_w *a, const clv_w *b)
{
    c[0] -= a[1] * b[2] - a[2] * b[1];
    c[1] -= a[2] * b[0] - a[0] * b[2];
    c[2] -= a[0] * b[1] - a[1] * b[0];
}
INLINE void symmetric_times(clv_w *y, const clv_w *J, const clv_w *x)
{
    y[0] = J[0] * x[0] + J[1] * x[1] + J[2] * x[2];
    y[1] = J[1] * x[0] + J[3] * x[1] + J[4] * x[2];
    y[2] = J[2] * x[0] + J[4] * x[1] + J[5] * x[2];
}
/* c = a o b; c is neither */
INLINE void quaternion_product(clv_w *c, const clv_w *a, const clv_w *b)
{
    c[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    c[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    c[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    c[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}
/* e', e'' of w, w' in body axes */
INLINE void quaternion_rates(const clv_w *e, const clv_w *w, const clv_w *wd, clv_w *ed, clv_w *edd)
{
    const clv_w half = clv_w_fill(0.5), quarter = clv_w_fill(0.25) * dot(w, w);
    clv_w a[4] = {clv_w_fill(0.0), half * w[0], half * w[1], half * w[2]};
    clv_w b[4] = {clv_w_fill(0.0), half * wd[0], half * wd[1], half * wd[2]};
    quaternion_product(ed, e, a), quaternion_product(edd, e, b);
    for (int i = 0; i < 4; i++) /* e.e'' = -e'.e' */
        edd[i] -= quarter * e[i];
}

/* 2 [conj(e) o q]: vector part */
INLINE void twice_vector_part(clv_w *w, const clv_w *e, const clv_w *q)
{
    const clv_w two = clv_w_fill(2.0);
    w[0] = two * (e[0] * q[1] - e[1] * q[0] - e[2] * q[3] + e[3] * q[2]);
    w[1] = two * (e[0] * q[2] + e[1] * q[3] - e[2] * q[0] - e[3] * q[1]);
    w[2] = two * (e[0] * q[3] - e[1] * q[2] + e[2] * q[1] - e[3] * q[0]);
}
/* axes of a body, row major, from a unit quaternion */
INLINE void axes(clv_w *R, const clv_w *e)
{
    const clv_w two = clv_w_fill(2.0), one = clv_w_fill(1.0);
    const clv_w x = two * e[1], y = two * e[2], z = two * e[3];
    const clv_w wx = e[0] * x, wy = e[0] * y, wz = e[0] * z, xx = e[1] * x, xy = e[1] * y, xz = e[1] * z;
    const clv_w yy = e[2] * y, yz = e[2] * z, zz = e[3] * z;
    R[0] = one - (yy + zz), R[1] = xy - wz, R[2] = xz + wy;
    R[3] = xy + wz, R[4] = one - (xx + zz), R[5] = yz - wx;
    R[6] = xz - wy, R[7] = yz + wx, R[8] = one - (xx + yy);
}
INLINE double *shown(const clv_row_trials *r, int group, int what)
{
    return r->shown + ((size_t)group * CLV_TRIAL_SHOWN + (size_t)what) * G8;
}
/* `on` becomes b where the slot is a body: others of a row lie between two rows of a joint */
INLINE void keep_own(const clv_row_trials *r, int row, int lane, clv_w *on, const clv_w *b, size_t n)
{
    const clv_w_mask m = clv_w_at_most(clv_w_fill(1.0), clv_w_load(row_of(r->own, 1, r->alike[row], lane)));
    for (size_t k = 0; k < n; k++)
        on[k] = choose(m, b[k], on[k]);
}

#endif
