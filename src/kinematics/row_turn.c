/* SPDX-License-Identifier: Apache-2.0
 * A lane source: what the strands of a group show (I, p, K, L, t) from the axes of each strand to global axes, where
 * nodes close loops between strands (T5, T43.4).  Of limbs: I, p to the axes of the strands into which they fold. */
#include "kinematics/row_lane.h"

/* R X R^T, row major */
INLINE void sandwich(clv_w *X, const clv_w *R)
{
    clv_w Y[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            Y[3 * i + j] = R[3 * i] * X[j] + R[3 * i + 1] * X[3 + j] + R[3 * i + 2] * X[6 + j];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            X[3 * i + j] = Y[3 * i] * R[3 * j] + Y[3 * i + 1] * R[3 * j + 1] + Y[3 * i + 2] * R[3 * j + 2];
}

/* a symmetric 3 x 3 part, six numbers */
INLINE void turn_symmetric(double *at, const clv_w *R)
{
    clv_w s[6], X[9];
    load(s, at, 6);
    X[0] = s[0], X[1] = X[3] = s[1], X[2] = X[6] = s[2], X[4] = s[3], X[5] = X[7] = s[4], X[8] = s[5];
    sandwich(X, R);
    s[0] = X[0], s[1] = X[1], s[2] = X[2], s[3] = X[4], s[4] = X[5], s[5] = X[8];
    store(at, s, 6);
}

/* 21 numbers of a symmetric 6 x 6 */
INLINE void turn_inertia(double *at, const clv_w *R)
{
    clv_w B[9];
    turn_symmetric(at, R), turn_symmetric(at + 15 * G8, R);
    load(B, at + 6 * G8, 9);
    sandwich(B, R);
    store(at + 6 * G8, B, 9);
}

/* both halves of a 6-vector */
INLINE void turn_vector(double *at, const clv_w *R)
{
    clv_w x[6], y[6];
    load(x, at, 6);
    for (int i = 0; i < 3; i++) {
        y[i] = R[3 * i] * x[0] + R[3 * i + 1] * x[1] + R[3 * i + 2] * x[2];
        y[3 + i] = R[3 * i] * x[3] + R[3 * i + 1] * x[4] + R[3 * i + 2] * x[5];
    }
    store(at, y, 6);
}

/* 6 x 6 by columns */
INLINE void turn_columns(double *at, const clv_w *R)
{
    for (int b = 0; b < 4; b++) { /* block of rows 3 r, columns 3 c; transposed, and so is what is turned */
        const int r = 3 * (b % 2), c = 3 * (b / 2);
        clv_w X[9];
        for (int j = 0; j < 3; j++)
            load(X + 3 * j, at + (6 * (c + j) + r) * G8, 3);
        sandwich(X, R);
        for (int j = 0; j < 3; j++)
            store(at + (6 * (c + j) + r) * G8, X + 3 * j, 3);
    }
}

/* R (9 x 8): axes of strands beside those they turn to */
void CLV_LANE(clv_rows_turn_limbs)(const clv_rows *w, int group, const double *R, double *I, double *p)
{
    const clv_strand_out *o = &w->engine->out[group];
    for (int lane = 0; lane < w->plan->group[group].nstrand; lane += CLV_LANES) {
        clv_w r[9], x[21];
        load(r, R + lane, 9);
        load(x, o->I + lane, 21), store(I + lane, x, 21);
        load(x, o->p + lane, 6), store(p + lane, x, 6);
        turn_inertia(I + lane, r), turn_vector(p + lane, r);
    }
}

void CLV_LANE(clv_rows_turn)(const clv_rows *w, int group)
{
    const clv_group *g = &w->plan->group[group];
    const clv_strand_out *o = &w->engine->out[group];
    for (int lane = 0; lane < g->nstrand; lane += CLV_LANES) {
        clv_w R[9];
        for (int i = 0; i < 9; i++) /* the start holds columns */
            R[i] = clv_w_load(w->end[group].start + (3 * (i % 3) + i / 3) * G8 + lane);
        turn_inertia(o->I + lane, R), turn_vector(o->p + lane, R);
        if (lane >= g->ncolumns)
            continue;
        turn_columns(o->K + lane, R), turn_inertia(o->L + lane, R), turn_vector(o->t + lane, R);
    }
}
