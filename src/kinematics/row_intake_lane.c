/* SPDX-License-Identifier: Apache-2.0
 * A lane source: numbers from elsewhere into lanes, eight lanes at a time (row_intake.c, T133, T134). */
#include "kinematics/row_lane.h"

/* adds x at a place of an intake, or puts it there */
INLINE void arrive(double *to, int place, clv_w x)
{
    if (place < 0)
        clv_w_store(to + ~place, clv_w_fill(0.0) + x);
    else
        clv_w_store(to + place, clv_w_load(to + place) + x);
}

INLINE void take(double *to, const clv_row_intake *x, int lane)
{
    double *const *from = (double *const *)x->from + lane;
    for (int k = 0, at = 0; k < x->n; k++, at += x->step)
        arrive(to, x->to[k], clv_w_take(from, at));
}

/* where all lanes come from two groups of lanes, or three */
INLINE void pick(double *to, const clv_row_intake *x, const int third)
{
    const clv_w_mask lane = clv_w_integers(x->lane), last = clv_w_integers(x->last);
    const double *a = x->eight[0], *b = x->eight[1], *c = x->eight[2];
    for (int k = 0, at = 0; k < x->n; k++, at += G8) {
        clv_w v = clv_w_pick(clv_w_load(a + at), clv_w_load(b + at), lane);
        if (third)
            v = clv_w_pick(v, clv_w_load(c + at), last);
        arrive(to, x->to[k], v);
    }
}

INLINE void take_or_pick(double *to, const clv_row_intake *x, int lane)
{
    if (CLV_LANES < G8 || !x->eight[0])
        take(to, x, lane);
    else if (x->eight[2])
        pick(to, x, 1);
    else
        pick(to, x, 0);
}

void CLV_LANE(clv_rows_take_up)(double *to, const clv_row_intake *clear, const clv_row_intake *x, int n, int lanes)
{
    for (int lane = 0; lane < lanes; lane += CLV_LANES) {
        for (int k = 0; clear && k < clear->n; k++)
            clv_w_store(to + clear->to[k] + lane, clv_w_fill(0.0));
        for (int i = 0; i < n; i++)
            take_or_pick(to + lane, &x[i], lane);
    }
}
