/* SPDX-License-Identifier: Apache-2.0
 * A lane source: the border of the strands of a group (row_border.c, T43).
 *
 *   show     x = R x of bodies that are shown, in model order
 *   attach   R^T W from there to their rows
 *   scan     starts from the frames of the bodies before; frames and motions of attached rows; poses of bodies
 *   depart   the way down of limbs: motions x of the bodies before, in strand axes */
#include "kinematics/row_lane.h"

/* where n numbers of each of the bodies of a row stand, n a body; others: nowhere */
INLINE bool places(double **to, double *array, const int *body, int n, double *nowhere)
{
    bool some = false;
    for (int l = 0; l < CLV_LANES; l++) {
        to[l] = body[l] < 0 ? nowhere : array + (size_t)n * (size_t)body[l];
        some |= body[l] >= 0;
    }
    return some;
}

INLINE void give(double *const *to, const clv_w *x, int n)
{
    for (int i = 0; i < n; i++)
        clv_w_give(to, i, x[i]);
}

/* y = R x of both halves, R row major */
INLINE void turn(clv_w *y, const clv_w *R, const clv_w *x)
{
    for (int h = 0; h < 6; h += 3)
        for (int i = 0; i < 3; i++)
            y[h + i] = R[3 * i] * x[h] + R[3 * i + 1] * x[h + 1] + R[3 * i + 2] * x[h + 2];
}

/* axes of the strands: rows of R, and of R^T */
INLINE void axes(clv_w *R, clv_w *T, const double *start)
{
    load(T, start, 9);
    for (int i = 0; i < 3; i++)
        R[3 * i] = T[i], R[3 * i + 1] = T[3 + i], R[3 * i + 2] = T[6 + i];
}

INLINE void show_strip(const clv_rows *w, int group, int lane, double *array)
{
    clv_w R[9], T[9];
    axes(R, T, w->end[group].start + lane);
    for (int i = w->first[group]; i < w->first[group + 1]; i++) {
        double *to[CLV_LANES], nowhere[6];
        clv_w x[6], y[6];
        if (w->attached[i] < 0 || !places(to, array, w->shown + w->attached[i] * G8 + lane, 6, nowhere))
            continue;
        load(x, row_of(w->x, 6, i, lane), 6);
        turn(y, R, x);
        give(to, y, 6);
    }
}

void CLV_LANE(clv_rows_show)(const clv_rows *w, int group, double *x)
{
    for (int lane = 0; lane < w->plan->group[group].nstrand; lane += CLV_LANES)
        show_strip(w, group, lane, x);
}

INLINE void attach_strip(const clv_rows *w, int group, int lane, double *array, const double *W)
{
    clv_w R[9], T[9];
    double nothing[6] = {0};
    axes(R, T, w->end[group].start + lane);
    for (int i = w->first[group]; i < w->first[group + 1]; i++) {
        double *from[CLV_LANES];
        clv_w x[6], y[6];
        if (w->attached[i] < 0 || !places(from, (double *)W, w->loaded + w->attached[i] * G8 + lane, 6, nothing))
            continue;
        for (int k = 0; k < 6; k++)
            x[k] = clv_w_take(from, k);
        turn(y, T, x);
        double *at = row_of(array, 6, w->attached[i], lane);
        load(x, at, 6);
        for (int k = 0; k < 6; k++)
            x[k] += y[k];
        store(at, x, 6);
    }
}

void CLV_LANE(clv_rows_attach)(const clv_rows *w, int group, double *array, const double *W)
{
    for (int lane = 0; lane < w->plan->group[group].nstrand; lane += CLV_LANES)
        attach_strip(w, group, lane, array, W);
}

/* ------------------------------------------------------------------ starts */

/* the pose of bodies out of the frames of their inboard joints */
INLINE void view(const clv_row_view *to, const double *own, const int *body, const clv_w *f, const clv_w *run,
                 const int moving)
{
    double *R[CLV_LANES], *com[CLV_LANES], *ref[CLV_LANES], *V[CLV_LANES], nowhere[9];
    clv_w c[CLV_FRAME], T[9], x[3];
    if (!places(R, to->R, body, 9, nowhere))
        return;
    (void)places(com, to->com, body, 3, nowhere), (void)places(ref, to->ref, body, 3, nowhere);
    load(c, own, CLV_FRAME);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            T[3 * i + k] = f[i] * c[3 * k] + f[3 + i] * c[3 * k + 1] + f[6 + i] * c[3 * k + 2];
    for (int i = 0; i < 3; i++)
        x[i] = T[3 * i] * c[9] + T[3 * i + 1] * c[10] + T[3 * i + 2] * c[11] + f[9 + i];
    give(R, T, 9), give(com, x, 3), give(ref, f + 9, 3);
    if (moving)
        (void)places(V, to->V, body, 6, nowhere), give(V, run, 6);
}

/* starts of the strands, s and V; their axes beside those of the strands on which they hang */
INLINE void start_strip(const clv_rows *w, int group, int lane, const double *gravity, clv_w *s, clv_w *V,
                        const int moving)
{
    const clv_row_root *r = &w->root[group];
    const clv_row_ends *o = &w->end[group];
    clv_w A[9], R[9], x[6], g[3];
    for (int k = 0; k < CLV_FRAME; k++)
        s[k] = clv_w_take((double *const *)r->frame + lane, k * G8);
    for (int k = 0; k < 6; k++)
        V[k] = moving ? clv_w_take((double *const *)r->run + lane, k * G8) : clv_w_fill(0.0);
    for (int i = 0; i < 3; i++)
        for (int v = 0; v < 3; v++)
            A[3 * i + v] = clv_w_take((double *const *)r->axes + lane, (3 * v + i) * G8);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            R[3 * i + k] = A[i] * s[3 * k] + A[3 + i] * s[3 * k + 1] + A[6 + i] * s[3 * k + 2];
    give((double *const *)r->R + lane, R, 9), store(o->turn + lane, R, 9);
    for (int k = 0; k < 6; k++)
        x[k] = clv_w_fill(0.0);
    if (moving)
        turn(x, s, V);
    for (int i = 0; i < 3; i++)
        g[i] = s[3 * i] * clv_w_fill(gravity[0]) + s[3 * i + 1] * clv_w_fill(gravity[1]) +
               s[3 * i + 2] * clv_w_fill(gravity[2]);
    store(o->start + lane, s, CLV_FRAME), store(o->motion + lane, x, 6), store(o->gravity + lane, g, 3);
}

INLINE void scan_strip(const clv_rows *w, int group, int lane, const clv_row_view *to, const double *gravity,
                       const int moving)
{
    clv_w s[CLV_FRAME], V[6];
    start_strip(w, group, lane, gravity, s, V, moving);
    for (int i = w->first[group]; i < w->first[group + 1]; i++) {
        const int at = w->attached[i];
        clv_w f[CLV_FRAME], run[6];
        if (at < 0)
            continue;
        load(f, row_of(w->frame, CLV_FRAME, at, lane), CLV_FRAME);
        frame_product(s, f);
        store(row_of(w->frame, CLV_FRAME, at, lane), f, CLV_FRAME);
        if (moving) {
            load(run, row_of(w->run, 6, at, lane), 6);
            frame_run(s, f, V, run);
            store(row_of(w->run, 6, at, lane), run, 6);
        }
        view(to, row_of(w->own, CLV_FRAME, at, lane), w->shown + at * G8 + lane, f, run, moving);
    }
}

void CLV_LANE(clv_rows_scan)(const clv_rows *w, int group, const clv_row_view *to, const double *gravity, bool moving)
{
    for (int lane = 0; lane < w->plan->group[group].nstrand; lane += CLV_LANES)
        if (moving)
            scan_strip(w, group, lane, to, gravity, 1);
        else
            scan_strip(w, group, lane, to, gravity, 0);
}

void CLV_LANE(clv_rows_depart)(const clv_rows *w, int group)
{
    const clv_strand_out *o = &w->engine->out[group];
    double *const *base = (double *const *)w->root[group].base;
    for (int lane = 0; lane < w->plan->group[group].nstrand; lane += CLV_LANES) {
        clv_w T[9], R[9], x[6], y[6];
        load(R, w->end[group].turn + lane, 9);
        for (int i = 0; i < 3; i++)
            T[3 * i] = R[i], T[3 * i + 1] = R[3 + i], T[3 * i + 2] = R[6 + i];
        for (int k = 0; k < 6; k++)
            x[k] = clv_w_take(base + lane, k * G8);
        turn(y, T, x);
        store(o->x + lane, y, 6);
        for (int k = 0; k < 6; k++)
            y[k] = clv_w_fill(0.0);
        store(o->F + lane, y, 6);
    }
}
