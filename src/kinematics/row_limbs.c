/* SPDX-License-Identifier: Apache-2.0
 * A lane source: between strands of mechanisms abreast (T85), by the operations of row_scan.c and row_sums.c.
 *
 *   scan      where a strand starts and how it moves; poses and motions of its attached rows
 *   depart    how its base moves, for the way down
 *   collect   its momentum and load, and what is outboard, to the row from which it starts */
#include "kinematics/row_lane.h"

/* y = M x, y = M^T x; M row major */
INLINE void times(clv_w *y, const clv_w *M, const clv_w *x)
{
    for (int i = 0; i < 3; i++)
        y[i] = M[3 * i] * x[0] + M[3 * i + 1] * x[1] + M[3 * i + 2] * x[2];
}
INLINE void transpose_times(clv_w *y, const clv_w *M, const clv_w *x)
{
    for (int i = 0; i < 3; i++)
        y[i] = M[i] * x[0] + M[3 + i] * x[1] + M[6 + i] * x[2];
}

/* axes of a strand, row major, out of its start */
INLINE void axes(clv_w *R, const clv_w *s)
{
    for (int i = 0; i < 3; i++)
        for (int v = 0; v < 3; v++)
            R[3 * i + v] = s[3 * v + i];
}
INLINE void load_axes(clv_w *R, const clv_rows *w, int strand, int lane)
{
    clv_w s[9];
    load(s, w->end[strand].start + lane, 9);
    axes(R, s);
}

INLINE void start_frame(clv_w *s, const clv_rows *w, int k, const clv_row_limb *l, int lane)
{
    if (l->floats)
        load(s, w->end[k].start + lane, CLV_FRAME);
    else if (l->parent >= 0)
        load(s, row_of(w->frame, CLV_FRAME, l->at, lane), CLV_FRAME);
    else
        for (int i = 0; i < CLV_FRAME; i++)
            s[i] = clv_w_fill(i < 9 && i % 4 == 0 ? 1.0 : 0.0);
}

/* axes beside those of the strand before */
INLINE void turn_beside(const clv_rows *w, const clv_row_limb *l, const clv_w *own, int lane)
{
    clv_w A[9];
    load_axes(A, w, l->parent, lane);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            clv_w_store(l->R + (3 * i + k) * G8 + lane, A[i] * own[k] + A[3 + i] * own[3 + k] + A[6 + i] * own[6 + k]);
}

INLINE void scan_strip(const clv_rows *w, int k, const clv_row_limb *l, const double *gravity, int lane,
                       const int moving)
{
    const clv_row_ends *o = &w->end[k];
    clv_w s[CLV_FRAME], V[6], R[9], x[6], g[3], G[3];
    start_frame(s, w, k, l, lane);
    for (int i = 0; i < 6; i++)
        V[i] = clv_w_fill(0.0);
    if (moving && l->parent >= 0)
        load(V, row_of(w->run, 6, l->at, lane), 6);
    if (moving && l->floats)
        load(V, l->V + lane, 6);
    store(o->start + lane, s, CLV_FRAME);
    axes(R, s);
    if (l->parent >= 0)
        turn_beside(w, l, R, lane);
    load(G, gravity + lane, 3);
    transpose_times(x, R, V), transpose_times(x + 3, R, V + 3), transpose_times(g, R, G);
    store(o->motion + lane, x, 6), store(o->gravity + lane, g, 3);
    for (int i = 0; i < l->nheld; i++) {
        double *frame = row_of(w->frame, CLV_FRAME, l->held[i], lane), *to = row_of(w->run, 6, l->held[i], lane);
        clv_w f[CLV_FRAME], run[6];
        load(f, frame, CLV_FRAME);
        frame_product(s, f);
        store(frame, f, CLV_FRAME);
        if (!moving)
            continue;
        load(run, to, 6);
        frame_run(s, f, V, run);
        store(to, run, 6);
    }
}

void CLV_LANE(clv_rows_limb_scan)(const clv_rows *w, int k, const clv_row_limb *l, const double *gravity, bool moving)
{
    for (int lane = 0; lane < w->plan->group[k].nstrand; lane += CLV_LANES)
        if (moving)
            scan_strip(w, k, l, gravity, lane, 1);
        else
            scan_strip(w, k, l, gravity, lane, 0);
}

void CLV_LANE(clv_rows_limb_depart)(const clv_rows *w, int k, const clv_row_limb *l)
{
    for (int lane = 0; lane < w->plan->group[k].nstrand; lane += CLV_LANES) {
        clv_w R[9], x[6], y[6];
        load(R, l->R + lane, 9), load(x, row_of(w->x, 6, l->row, lane), 6);
        transpose_times(y, R, x), transpose_times(y + 3, R, x + 3);
        store(w->engine->out[k].x + lane, y, 6);
    }
}

/* adds a 6-vector to that of an attached row */
INLINE void attach(double *array, int at, int lane, const clv_w *x)
{
    double *to = row_of(array, 6, at, lane);
    for (int i = 0; i < 6; i++)
        clv_w_store(to + i * G8, clv_w_load(to + i * G8) + x[i]);
}

/* the momentum of the strand: I x - p of its limb */
INLINE void collect_momentum(const clv_rows *w, int k, const clv_row_limb *l, int lane)
{
    const clv_strand_out *o = &w->engine->out[k];
    clv_w I[21], x[6], p[6], P[6], R[9], y[6];
    load(I, o->I + lane, 21), load(x, o->x + lane, 6), load(p, o->p + lane, 6), load(R, l->R + lane, 9);
    inertia_times(P, I, x);
    for (int i = 0; i < 6; i++)
        P[i] -= p[i];
    times(y, R, P), times(y + 3, R, P + 3);
    attach(w->P, l->at, lane, y);
}

/* its load about its start: gravity, and what arrives at its rows */
INLINE void collect_load(const clv_rows *w, int k, const clv_row_limb *l, int lane)
{
    const clv_row_ends *o = &w->end[k];
    clv_w m[4], g[3], Q[6], R[9], before[9], y[6], x[6];
    load(m, o->mass + lane, 4), load(g, o->gravity + lane, 3);
    load_axes(R, w, k, lane), load_axes(before, w, l->parent, lane);
    for (int i = 0; i < 3; i++)
        Q[i] = m[0] * g[i];
    cross(Q + 3, m + 1, g);
    for (int i = 0; i < l->nheld; i++) {
        const double *f = row_of(w->frame, CLV_FRAME, l->held[i], lane);
        clv_w W[6], d[3], arm[3], moment[3];
        load(W, row_of(w->Q, 6, l->held[i], lane), 6);
        for (int j = 0; j < 3; j++)
            d[j] = clv_w_load(f + (9 + j) * G8) - clv_w_load(o->start + (9 + j) * G8 + lane);
        transpose_times(arm, R, d);
        cross(moment, arm, W);
        for (int j = 0; j < 3; j++)
            W[3 + j] += moment[j];
        for (int j = 0; j < 6; j++)
            Q[j] += W[j];
    }
    times(y, R, Q), times(y + 3, R, Q + 3);
    transpose_times(x, before, y), transpose_times(x + 3, before, y + 3);
    attach(w->Q, l->at, lane, x);
}

void CLV_LANE(clv_rows_limb_collect)(const clv_rows *w, int k, const clv_row_limb *l)
{
    for (int lane = 0; lane < w->plan->group[k].nstrand; lane += CLV_LANES)
        collect_momentum(w, k, l, lane), collect_load(w, k, l, lane);
}
