/* SPDX-License-Identifier: Apache-2.0
 * Between strands (T43), parents first: where each starts and how it moves.  And the border: bodies in model order that
 * joints between strands and loads look at. */
#include "kinematics/place.h"
#include "kinematics/row_abreast.h"
#include "kinematics/row_axes.h"
#include "kinematics/row_frame.h"
#include "kinematics/row_joints.h"
#include "kinematics/row_kernels.h"
#include "kinematics/row_runs.h"

/* ------------------------------------------------------------------ starts */

/* pose of a body of the border out of the frame of its inboard joint */
static void border_pose(const clv_rows *w, clv_kinematics *k, int body, const double f[CLV_FRAME])
{
    const double B[9] = {f[0], f[3], f[6], f[1], f[4], f[7], f[2], f[5], f[8]};
    double own[CLV_FRAME], *R = k->R + 9 * (size_t)body, *com = k->com + 3 * (size_t)body;
    clv_row_get(clv_row_attached(w, w->own, CLV_FRAME, body), CLV_FRAME, own);
    clv_mat3_product_transpose(R, B, own);
    clv_copy3(k->ref + 3 * (size_t)body, f + 9);
    clv_mat3_times(com, R, own + 9);
    clv_axpy3(com, 1.0, f + 9);
}

/* a base that has no joint of its strand: its pose by that joint, from the border      */
void clv_rows_floating_start(clv_kinematics *k, int base, const double *q, const double *u, double s[CLV_FRAME],
                             double V[6])
{
    const clv_tree_joint *t = &k->plan->tree[base];
    const clv_joint *j = clv_tree_joint_of(k->plan, base);
    double B[9];
    clv_kinematics_body_pose(k, base, q);
    clv_kinematics_body_directions(k, base);
    clv_mat3_product(B, k->R + 9 * (size_t)base, t->reversed ? j->Ea : j->Eb);
    for (int v = 0; v < 3; v++)
        for (int i = 0; i < 3; i++)
            s[3 * v + i] = B[3 * i + v];
    clv_copy3(s + 9, k->ref + 3 * (size_t)base);
    if (!u)
        return;
    clv_kinematics_body_velocity(k, base, u);
    memcpy(V, k->V + 6 * (size_t)base, 6 * sizeof(double));
}

/* how a strand starts, V, and its border moves; frames are global already */
static void strand_rates(clv_rows *w, clv_kinematics *k, int strand, const double *u)
{
    const clv_plan *p = w->plan;
    const clv_strand *st = &p->strand[strand];
    const clv_row_ends *o = clv_row_ends_of(w, strand);
    const int base = p->bodies[st->first], origin = w->origin[strand];
    double s[CLV_FRAME], V[6] = {0}, R[9], x[6];
    if (clv_rows_floats(w, strand)) {
        clv_kinematics_body_velocity(k, base, u);
        memcpy(V, k->V + 6 * (size_t)base, sizeof V);
    } else if (origin >= 0)
        clv_row_get(clv_row_attached(w, w->run, 6, origin), 6, V);
    clv_row_get(o->start + st->lane, CLV_FRAME, s);
    clv_row_axes(w, strand, R), clv_row_to_strand(R, x, V);
    clv_row_put(o->motion + st->lane, 6, x);
    for (int i = w->held_first[strand]; i < w->held_first[strand + 1]; i++) {
        const int body = p->bodies[st->first + w->held[i]];
        double f[CLV_FRAME], run[6], *to = clv_row_attached(w, w->run, 6, body);
        clv_row_get(clv_row_attached(w, w->frame, CLV_FRAME, body), CLV_FRAME, f), clv_row_get(to, 6, run);
        clv_frame_run(s, f, V, run);
        clv_row_put(to, 6, run);
        if ((w->mark[body] & CLV_ROWS_BORDER) && !(body == base && clv_rows_floats(w, strand)))
            memcpy(k->V + 6 * (size_t)body, run, sizeof run);
    }
}

static void run_group(void *of, int group) { ((const clv_rows *)of)->kernels->run(of, group); }

void clv_rows_scan_rates(clv_rows *w, clv_kinematics *k, const double *u)
{
    clv_rows_all(w, run_group, w);
    for (int i = 0; i < w->npiece; i++)
        if (w->piece[i] < w->plan->nstrand)
            strand_rates(w, k, w->piece[i], u);
        else
            clv_rows_star_move(k, w->piece[i] - w->plan->nstrand, u);
}

static void put_start(clv_rows *w, int strand, const double s[CLV_FRAME], const double *V, const double gravity[3])
{
    const clv_strand *st = &w->plan->strand[strand];
    const clv_row_ends *o = clv_row_ends_of(w, strand);
    double R[9], x[6] = {0}, g[3];
    clv_row_put(o->start + st->lane, CLV_FRAME, s);
    for (int i = 0; i < 3; i++)
        clv_mat3_column(R + 3 * i, s, i);
    if (V)
        clv_row_to_strand(R, x, V);
    clv_mat3_transpose_times(g, R, gravity);
    clv_row_put(o->motion + st->lane, 6, x), clv_row_put(o->gravity + st->lane, 3, g);
}

void clv_rows_scan_held(clv_rows *w, clv_kinematics *k, int strand, const double s[CLV_FRAME], const double *V)
{
    const clv_plan *p = w->plan;
    const clv_strand *st = &p->strand[strand];
    const int base = p->bodies[st->first];
    for (int i = w->held_first[strand]; i < w->held_first[strand + 1]; i++) {
        const int body = p->bodies[st->first + w->held[i]];
        double f[CLV_FRAME], run[6], *to = clv_row_attached(w, w->frame, CLV_FRAME, body);
        clv_row_get(to, CLV_FRAME, f);
        clv_frame_product(s, f);
        clv_row_put(to, CLV_FRAME, f);
        if (V) {
            clv_row_get(clv_row_attached(w, w->run, 6, body), 6, run);
            clv_frame_run(s, f, V, run);
            clv_row_put(clv_row_attached(w, w->run, 6, body), 6, run);
        }
        if (!(w->mark[body] & CLV_ROWS_BORDER) || (body == base && clv_rows_floats(w, strand)))
            continue;
        border_pose(w, k, body, f);
        if (V)
            memcpy(k->V + 6 * (size_t)body, run, sizeof run);
    }
}

void clv_rows_scan_strand(clv_rows *w, clv_kinematics *k, int strand, const double *q, const double *u,
                          const double gravity[3])
{
    const int base = w->plan->bodies[w->plan->strand[strand].first], origin = w->origin[strand];
    const bool floats = clv_rows_floats(w, strand);
    const clv_row_run *run = clv_rows_run_of(w, strand);
    double s[CLV_FRAME] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}, V[6] = {0}, other[9], R[9];
    if (floats)
        clv_rows_floating_start(k, base, q, u, s, V);
    else if (origin >= 0) {
        clv_row_get(clv_row_attached(w, w->frame, CLV_FRAME, origin), CLV_FRAME, s);
        if (u)
            clv_row_get(clv_row_attached(w, w->run, 6, origin), 6, V);
        clv_row_axes(w, w->strand_of[origin], other);
        for (int i = 0; i < 3; i++)
            clv_mat3_column(R + 3 * i, s, i);
        clv_mat3_transpose_product(w->join[strand].R, other, R);
        clv_row_put(clv_row_ends_of(w, strand)->turn + w->plan->strand[strand].lane, 9, w->join[strand].R);
    }
    if (run) {
        clv_rows_run_scan(w, k, run, s, V, gravity, u != NULL);
        return;
    }
    put_start(w, strand, s, u ? V : NULL, gravity);
    clv_rows_scan_held(w, k, strand, s, u ? V : NULL);
}

static void star_start(clv_kinematics *k, int star, const double *q, const double *u)
{
    clv_rows_star_pose(k, star, q);
    if (u)
        clv_rows_star_move(k, star, u);
}

void clv_rows_scan(clv_rows *w, clv_kinematics *k, const double *q, const double *u, const double gravity[3])
{
    if (w->nalike > 0) {
        clv_rows_scan_levels(w, k, q, u, gravity);
        return;
    }
    for (int i = 0; i < w->npiece; i++)
        if (clv_rows_in_run(w, w->piece[i]))
            continue;
        else if (w->piece[i] < w->plan->nstrand)
            clv_rows_scan_strand(w, k, w->piece[i], q, u, gravity);
        else
            star_start(k, w->piece[i] - w->plan->nstrand, q, u);
}

/* ------------------------------------------------------------------ solutions */

void clv_rows_outer(const clv_rows *w, const clv_kinematics *k, const double *c, double *x, double *u)
{
    const clv_plan *p = w->plan;
    clv_rows_show_motions(w, x);
    for (int i = w->floating[0]; i < w->npiece; i = w->floating[i + 1]) {
        const int b = clv_rows_base(w, i);
        const clv_tree_joint *t = &p->tree[b];
        double d[6] = {0};
        if (!(clv_plan_adrift(p, b) || w->looped))
            continue;
        if (t->parent >= 0)
            clv_motion_shift(d, k->arm + 3 * (size_t)b, x + 6 * (size_t)t->parent);
        for (int n = 0; n < 6; n++)
            d[n] = x[6 * b + n] - d[n] - (c ? c[6 * b + n] : 0.0);
        for (int f = 0; f < t->f; f++)
            u[t->iu + f] = clv_dot6(k->G + clv_columns(p, (size_t)b) + 6 * (size_t)f, d);
    }
}


void clv_rows_base_sums(const clv_rows *w, int strand, double P[6], double Q[6])
{
    if (strand >= w->plan->nstrand) {
        const clv_row_hold *hold = clv_row_entry_of(w, strand);
        memcpy(P, hold->P, 6 * sizeof(double)), memcpy(Q, hold->Q, 6 * sizeof(double));
        return;
    }
    const clv_row_ends *o = clv_row_ends_of(w, strand);
    double R[9];
    clv_row_axes(w, strand, R);
    clv_row_get(o->P + w->plan->strand[strand].lane, 6, P), clv_row_to_global(R, P, P);
    clv_row_get(o->Q + w->plan->strand[strand].lane, 6, Q), clv_row_to_global(R, Q, Q);
}

void clv_rows_motion(const clv_rows *w, int body, double x[6])
{
    const int slot = w->slot[body];
    double R[9];
    const clv_row_hold *hold = clv_row_hold_of(w, body);
    if (hold) {
        memcpy(x, hold->x, sizeof hold->x);
        return;
    }
    clv_row_axes(w, w->strand_of[body], R);
    clv_row_get(w->x + (size_t)(slot / G8) * 6 * G8 + slot % G8, 6, x);
    clv_row_to_global(R, x, x);
}

void clv_rows_strand_axes(const clv_rows *w, int strand, double R[9]) { clv_row_axes(w, strand, R); }
