/* SPDX-License-Identifier: Apache-2.0
 * Turns of nodes in lanes, by the operations of math/turn.c (T30).  For row_flex_pose.c and row_flex_rates.c alone. */
#ifndef CLV_KINEMATICS_ROW_FLEX_TURN_H
#define CLV_KINEMATICS_ROW_FLEX_TURN_H
#include "kinematics/row_flex_lane.h"

typedef struct turn {
    clv_w theta[3], a, b, c, bs, cs;
} turn;

INLINE void cross_part(clv_w *M, clv_w p, const clv_w *t)
{
    M[1] -= p * t[2], M[2] += p * t[1], M[3] += p * t[2], M[5] -= p * t[0], M[6] -= p * t[1], M[7] += p * t[0];
}
INLINE void square_part(clv_w *M, clv_w p, const clv_w *x, const clv_w *y)
{
    const clv_w all = x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            M[3 * i + k] += p * (0.5 * (x[i] * y[k] + y[i] * x[k]) - (i == k ? all : clv_w_fill(0.0)));
}
INLINE void unit(clv_w *M, double one)
{
    for (int i = 0; i < 9; i++)
        M[i] = clv_w_fill(i % 4 == 0 ? one : 0.0);
}
INLINE void jacobian(clv_w *T, const turn *f)
{
    unit(T, 1.0);
    cross_part(T, f->b, f->theta), square_part(T, f->c, f->theta, f->theta);
}
INLINE void load_turn(turn *f, const double *p)
{
    load(f->theta, p, 3);
    f->a = at(p, 3), f->b = at(p, 4), f->c = at(p, 5), f->bs = at(p, 6), f->cs = at(p, 7);
}

#endif
