/* SPDX-License-Identifier: Apache-2.0
 * Spherical joints of mechanisms abreast (T85): which they are, and their states.  Called by row_abreast.c and
 * walk_abreast.c; the numbers are found by row_balls.c. */
#include "kinematics/row_abreast.h"

enum { G8 = CLV_GROUP };

const char *clv_row_abreast_balls_refuse(const clv_rows *w)
{
    for (int k = 0; k < w->nball; k++)
        if (w->plan->tree[w->ball[k].body].reversed)
            return "spherical joints whose first body is the outer one";
    return NULL;
}

void clv_row_abreast_balls_layout(clv_row_abreast *a, const clv_rows *of, clv_arena *m)
{
    CLV_TAKE(m, a->ball, of->nball);
    for (int k = 0; k < of->nball; k++) {
        clv_row_lane_ball counting, *b = m->base ? &a->ball[k] : &counting;
        CLV_TAKE(m, b->E, 9 * G8);
    }
}

/* ball k of a mechanism, without memory */
static clv_row_lane_ball ball_of(const clv_row_abreast *a, const clv_rows *of, int k)
{
    const clv_row_ball *b = &of->ball[k];
    const int strand = of->strand_of[b->body], own = of->first[of->plan->strand[strand].group];
    const clv_tree_joint *t = &of->plan->tree[b->body];
    return (clv_row_lane_ball){a->rows.first[strand] + b->slot / G8 - own, t->iq, t->iu, NULL};
}

void clv_row_abreast_balls_take(clv_row_abreast *a, const clv_rows *of, int lanes)
{
    a->nball = of->nball, a->ball_kernels = clv_ball_kernels_of(lanes);
    for (int k = 0; k < a->nball; k++) {
        double *const E = a->ball[k].E;
        a->ball[k] = ball_of(a, of, k), a->ball[k].E = E;
    }
}

bool clv_row_abreast_balls_same(const clv_row_abreast *a, const clv_rows *w)
{
    bool same = a->nball == w->nball;
    for (int k = 0; same && k < a->nball; k++) {
        const clv_row_lane_ball b = ball_of(a, w, k);
        same = b.row == a->ball[k].row && b.iq == a->ball[k].iq && b.iu == a->ball[k].iu;
    }
    return same;
}

void clv_row_abreast_balls_put(clv_row_abreast *a, int lane, const clv_rows *of)
{
    for (int k = 0; k < a->nball; k++)
        clv_row_put(a->ball[k].E + lane, 9, of->ball[k].E);
}

void clv_row_abreast_balls_pose(const clv_row_abreast *a, const double *y)
{
    for (int k = 0; k < a->nball; k++)
        a->ball_kernels->pose(&a->rows, &a->ball[k], y + a->ball[k].iq * G8);
}

void clv_row_abreast_balls_give(const clv_row_abreast *a, const double *y, const double *u, double *ydot)
{
    for (int k = 0; k < a->nball; k++) {
        const clv_row_lane_ball *b = &a->ball[k];
        a->ball_kernels->rate(&a->rows, y + b->iq * G8, u + b->row * G8, ydot + b->iq * G8);
    }
}
