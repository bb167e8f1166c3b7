/* SPDX-License-Identifier: Apache-2.0
 * A lane source: numbers from elsewhere into lanes, eight lanes at a time (row_intake.c, T133, T134). */
#include "kinematics/row_lane.h"

INLINE void take(double *to, const clv_row_intake *x, int lane)
{
    double *const *from = (double *const *)x->from + lane;
    if (x->fresh)
        for (int k = 0, at = 0; k < x->n; k++, at += x->step)
            clv_w_store(to + x->to[k], clv_w_fill(0.0) + clv_w_take(from, at));
    else
        for (int k = 0, at = 0; k < x->n; k++, at += x->step)
            clv_w_store(to + x->to[k], clv_w_load(to + x->to[k]) + clv_w_take(from, at));
}

void CLV_LANE(clv_rows_take_up)(double *to, const clv_row_intake *clear, const clv_row_intake *x, int n, int lanes)
{
    for (int lane = 0; lane < lanes; lane += CLV_LANES) {
        for (int k = 0; clear && k < clear->n; k++)
            clv_w_store(to + clear->to[k] + lane, clv_w_fill(0.0));
        for (int i = 0; i < n; i++)
            take(to + lane, &x[i], lane);
    }
}
