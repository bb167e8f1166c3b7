/* SPDX-License-Identifier: Apache-2.0
 * Strands and flexible bodies of an open tree joined from the tips to the bases, and solved back (T43.3).  What lies
 * outboard of a strand acts on its tip as an inertia H and a load h: F = h - H x_tip; of a flexible body, on its nodes
 * (row_star.c).
 *
 * A strand starts from the body on which it hangs and has the joint between as its first one.
 *
 *   up     join: x_tip = X x_base + y, and the strand with all outboard shows I', p' at its base (row_join.c);
 *          to the tip before: H += R I' R^T, h += R p', R the axes of the strand in those of the strand before
 *   down   x_base = R^T x_tip of the strand before,  x_tip = X x_base + y,  F = h - H x_tip
 *
 * A base that is attached to an edge (of a flexible body) has that joint eliminated by row_base.c.
 *
 * Joints between strands are so met to rounding.  Serial over strands: a few hundred operations each. */
#include <string.h>
#include "base/tolerance.h"
#include "engine/extra.h"
#include "kinematics/row_base.h"
#include "kinematics/row_kernels.h"
#include "kinematics/row_runs.h"
#include "kinematics/row_segments.h"
#include "math/spatial.h"

enum { G8 = CLV_GROUP };

static void lane_put(double *array, int n, const double *v)
{
    for (int i = 0; i < n; i++)
        array[i * G8] = v[i];
}

/* nothing hangs anywhere yet */
static void clear_tip(clv_row_join *s)
{
    memset(s->H, 0, sizeof s->H), memset(s->h, 0, sizeof s->h);
}
static void clear(clv_rows *w)
{
    const clv_plan *p = w->plan;
    for (int i = 0; i < p->nstrand; i++)
        if (clv_rows_tip(p, i) && !clv_rows_in_run(w, i))
            clear_tip(&w->join[i]);
    for (int i = 0; i < p->nrun; i++)
        for (int l = 1; l < G8; l++)
            clear_tip(&w->join[w->runs[i].head[l]]);
    clv_rows_star_clear(w, false);
}

/* A flexible body and its joint; a line of mass may need extra inertia about itself (T5). */
static bool fold_star(clv_rows *w, const clv_kinematics *k, int piece, const double *tau, const double *c, bool again)
{
    const int star = piece - w->plan->nstrand, frame = w->plan->star[star].frame;
    for (int tries = 0; tries < 2; tries++) {
        if (clv_rows_star_fold(w, k, star, tau, c) &&
            (!clv_rows_floats(w, piece) || clv_rows_factor_base(w, k, piece, tau, c, again)))
            return true;
        if (w->engine->extra[2 * frame + 1] > 0)
            return false;
        clv_extra_add(w->engine, frame, 0.0, clv_star_extra(w->engine, star));
    }
    return false;
}

/* what a strand shows; or the first one of a run, with all others of the run */
static void fold_strand(clv_rows *w, int strand, clv_row_join *on, bool shows)
{
    const clv_row_run *run = clv_rows_run_of(w, strand);
    const int tail = run ? run->tail[0] : strand;
    if (run)
        clv_rows_run_fold(w, run);
    w->kernels->join(&w->join[strand], on, run ? run->top->own : &w->engine->out[w->plan->strand[strand].group],
                     w->plan->strand[strand].lane, clv_rows_tip(w->plan, tail), shows);
}

bool clv_rows_fold(clv_rows *w, const clv_kinematics *k, const double *tau, const double *c, bool again)
{
    const clv_plan *p = w->plan;
    clear(w);
    for (int n = w->npiece - 1; n >= 0; n--) {
        const int i = w->piece[n];
        if (i < p->nstrand && (clv_strand_folds(p, i) || clv_rows_in_run(w, i)))
            continue;
        const bool floats = clv_rows_floats(w, i), hangs = !floats && w->origin[i] >= 0;
        if (i < p->nstrand)
            fold_strand(w, i, hangs ? clv_rows_tip_join(w, w->origin[i]) : NULL, floats || hangs);
        else if (!fold_star(w, k, i, tau, c, again)) {
            w->engine->failed_body = p->star[i - p->nstrand].frame;
            return false;
        }
        if (p->nsegment > 0)
            clv_rows_segment_reach(w, k, i);
        if (floats && i < p->nstrand && !clv_rows_is_root(w, i) && !clv_rows_factor_base(w, k, i, tau, c, again)) {
            w->engine->failed_body = clv_rows_base(w, i);
            return false;
        }
    }
    return true;
}

bool clv_rows_fold_floating(clv_rows *w, const clv_kinematics *k, bool again)
{
    const clv_plan *p = w->plan;
    for (int i = w->floating[0]; i < w->npiece; i = w->floating[i + 1]) {
        const int base = clv_rows_base(w, i);
        if (!clv_plan_adrift(p, base))
            continue;
        if (i < p->nstrand)
            w->kernels->join(&w->join[i], NULL, &w->engine->out[p->strand[i].group], p->strand[i].lane, false, true);
        if (!again && !clv_rows_factor_base(w, k, i, NULL, NULL, false)) {
            w->engine->failed_body = base;
            return false;
        }
    }
    return true;
}

/* motion x of the base to the tip, and the wrench there */
void clv_rows_unfold_lane(clv_rows *w, int strand, const clv_strand_out *out, int lane, const double x[6])
{
    clv_row_join *s = &w->join[strand];
    double F[6];
    clv_row_times(s->tip, s->X, x), clv_add6(s->tip, s->y);
    clv_row_times(F, s->H, s->tip);
    for (int n = 0; n < 6; n++)
        F[n] = s->h[n] - F[n];
    if (w->plan->nsegment > 0)
        clv_rows_segment_push(w, strand, s->tip, F);
    lane_put(out->x + lane, 6, x), lane_put(out->F + lane, 6, F);
}

static void unfold_strand(clv_rows *w, int strand, const double x[6])
{
    const clv_strand *st = &w->plan->strand[strand];
    const clv_row_run *run = clv_rows_run_of(w, strand);
    const clv_strand_out *out = run ? run->top->own : &w->engine->out[st->group];
    if (!run && w->plan->nsegment == 0 && !clv_rows_tip(w->plan, strand)) { /* nothing is at its tip */
        const double none[6] = {0};
        lane_put(out->x + st->lane, 6, x), lane_put(out->F + st->lane, 6, none);
        return;
    }
    clv_rows_unfold_lane(w, strand, out, st->lane, x);
    if (run)
        clv_rows_run_unfold(w, run);
}

void clv_rows_unfold(clv_rows *w, const clv_kinematics *k, const double *c, double *u)
{
    const clv_plan *p = w->plan;
    for (int n = 0; n < w->npiece; n++) {
        const int i = w->piece[n];
        double x[6];
        if (i < p->nstrand && (clv_strand_folds(p, i) || clv_rows_in_run(w, i)))
            continue;
        clv_rows_base_motion(w, i, c != NULL, u, x);
        if (i < p->nstrand)
            unfold_strand(w, i, x);
        else
            clv_rows_star_unfold(w, k, i - p->nstrand, c, x, u);
    }
}

void clv_rows_unfold_floating(clv_rows *w, double *u)
{
    const clv_plan *p = w->plan;
    for (int i = 0; i < p->nstrand; i++) {
        const clv_strand *st = &p->strand[i];
        double x[6];
        if (!clv_rows_floats(w, i) || p->strand[i].on_star)
            continue;
        clv_rows_base_motion(w, i, false, u, x);
        lane_put(w->engine->out[st->group].x + st->lane, 6, x);
    }
}
