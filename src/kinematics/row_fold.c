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
 * A base that is attached to an edge (of a flexible body) has that joint eliminated here, G its free directions:
 *
 *   up     U = I' G, D = G^T U + R, N = U D^-1, u0 = D^-1 (tau + G^T (p' - I' c)), to the tip before:
 *          H += S (I' - N U^T) S^T, h += S (p' - I' c - N (..))
 *   down   x = S^T x_tip, u = u0 - N^T x, x_base = x + c + G u
 *
 * Joints between strands are so met to rounding.  Serial over strands: a few hundred operations each. */
#include <string.h>
#include "base/tolerance.h"
#include "engine/extra.h"
#include "kinematics/row_kernels.h"
#include "kinematics/row_runs.h"
#include "kinematics/row_segments.h"
#include "math/rotation.h"
#include "math/spatial.h"
#include "math/symmetric.h"

enum { G8 = CLV_GROUP };

static void lane_put(double *array, int n, const double *v)
{
    for (int i = 0; i < n; i++)
        array[i * G8] = v[i];
}

/* y = A x, 6 x 6 */
static void times(double y[6], const double A[36], const double x[6])
{
    for (int i = 0; i < 6; i++)
        y[i] = clv_dot6(A + 6 * i, x);
}

/* R x of both halves */
static void turn(double y[6], const double R[9], const double x[6])
{
    double z[6];
    clv_mat3_times(z, R, x), clv_mat3_times(z + 3, R, x + 3);
    memcpy(y, z, sizeof z);
}
static void turn_back(double y[6], const double R[9], const double x[6])
{
    double z[6];
    clv_mat3_transpose_times(z, R, x), clv_mat3_transpose_times(z + 3, R, x + 3);
    memcpy(y, z, sizeof z);
}

/* H += T I T^T, T: translation by r, then rotation by R */
static void add_shifted(double H[36], const double R[9], const double r[3], const double I[36])
{
    double M[36], column[6];
    for (int j = 0; j < 6; j++) { /* columns S I */
        for (int i = 0; i < 6; i++)
            column[i] = I[6 * i + j];
        clv_wrench_shift(M + 6 * j, r, column);
        turn(M + 6 * j, R, M + 6 * j);
    }
    for (int i = 0; i < 6; i++) { /* rows of (S I)^T, shifted: S (S I)^T */
        double row[6];
        for (int j = 0; j < 6; j++)
            row[j] = M[6 * j + i];
        clv_wrench_shift(row, r, row);
        turn(row, R, row);
        for (int j = 0; j < 6; j++)
            H[6 * i + j] += row[j];
    }
}

/* where what is attached to a body is collected */
typedef struct outboard {
    double *H, *h;
} outboard;

static outboard outboard_of(clv_rows *w, int body)
{
    clv_row_hold *hold = clv_row_hold_of(w, body);
    if (hold)
        return hold->hangs = true, (outboard){hold->H, hold->h};
    clv_row_join *s = clv_rows_tip_join(w, body);
    return (outboard){s->H, s->h};
}

static const clv_tree_joint *base_joint(const clv_rows *w, int piece, int *base)
{
    *base = clv_rows_base(w, piece);
    return &w->plan->tree[*base];
}

/* a base that nothing holds: its inertia is factored */
static bool factor_floating(clv_row_join *s)
{
    memcpy(s->D, s->I, sizeof s->I);
    return clv_cholesky(s->D, 6, CLV_TOL_PIVOT) < 0;
}

/* Is a pivot of the joint of the base no more than rounding beside the traces of what it moves? */
static bool lacks_inertia(const clv_row_join *s, int f)
{
    const double shifts = s->I[0] + s->I[7] + s->I[14], turns = s->I[21] + s->I[28] + s->I[35];
    for (int i = 0; i < f; i++) {
        const double *G = s->G + 6 * i, root = s->D[f * i + i];
        if (!(root * root > CLV_TOL_PIVOT * (clv_dot3(G, G) * shifts + clv_dot3(G + 3, G + 3) * turns)))
            return true;
    }
    return false;
}

/* what is left of a base acts on the body before; flexible bodies have global axes both */
static void hand_on(clv_rows *w, clv_row_join *s, int body)
{
    const outboard on = outboard_of(w, body);
    const bool turned = !clv_row_hold_of(w, body) || s < w->join + w->plan->nstrand;
    if (turned)
        add_shifted(on.H, s->R, s->r, s->I);
    else
        clv_rows_add_shifted(on.H, s->r, s->I);
    clv_wrench_shift(s->p, s->r, s->p);
    if (turned)
        turn(s->p, s->R, s->p);
    clv_add6(on.h, s->p);
}

/* joint of the base on an edge: eliminated; what is left acts on what the base is attached to, unless that is ground */
static bool eliminate_joint(clv_rows *w, clv_row_join *s, const clv_tree_joint *t, bool biased, const double *tau)
{
    const double *G = s->G;
    double U[36], x[6], q[6];
    for (int f = 0; f < t->f; f++)
        times(U + 6 * f, s->I, G + 6 * f);
    for (int f = 0; f < t->f; f++)
        for (int g = 0; g < t->f; g++)
            s->D[t->f * f + g] = clv_dot6(G + 6 * f, U + 6 * g);
    for (int f = 0; f < t->f && w->plan->narmed > 0; f++)
        s->D[t->f * f + f] += clv_armature_of(w->plan, (int)(t - w->plan->tree), f);
    if (t->f > 0 && (clv_cholesky(s->D, t->f, CLV_TOL_PIVOT) >= 0 || lacks_inertia(s, t->f)))
        return false;
    if (biased) {
        times(x, s->I, s->c);
        for (int i = 0; i < 6; i++)
            s->p[i] -= x[i];
    }
    if (t->motion >= 0)
        times(s->N, s->I, G), s->u0[0] = clv_dot6(G, s->p);
    if (t->f == 1)
        clv_six_store(s->N, clv_six_over(clv_six_over(clv_six_load(U), s->D[0]), s->D[0]));
    for (int i = 0; t->f > 1 && i < 6; i++) { /* rows of N: D^-1 of the rows of U */
        for (int f = 0; f < t->f; f++)
            q[f] = U[6 * f + i];
        clv_lower_solve(s->D, t->f, q), clv_lower_transpose_solve(s->D, t->f, q);
        for (int f = 0; f < t->f; f++)
            s->N[6 * f + i] = q[f];
    }
    for (int f = 0; f < t->f; f++)
        q[f] = s->u0[f] = tau[f] + clv_dot6(G + 6 * f, s->p);
    clv_lower_solve(s->D, t->f, s->u0), clv_lower_transpose_solve(s->D, t->f, s->u0);
    if (t->parent < 0)
        return true;
    for (int f = 0; f < t->f; f++)
        for (int i = 0; i < 6; i++) {
            const double n = s->N[6 * f + i];
            s->p[i] -= n * q[f];
            clv_six_store(s->I + 6 * i, clv_six_sub(clv_six_load(s->I + 6 * i), n, clv_six_load(U + 6 * f)));
        }
    hand_on(w, s, t->parent);
    return true;
}

/* the joint of a base on an edge in the axes of its strand */
static void base_axes(clv_rows *w, const clv_kinematics *k, int strand, const clv_tree_joint *t, int base,
                      const double *c)
{
    clv_row_join *s = &w->join[strand];
    double own[9], other[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    clv_rows_strand_axes(w, strand, own);
    if (t->parent >= 0)
        clv_rows_strand_axes(w, w->strand_of[t->parent], other);
    clv_mat3_transpose_product(s->R, other, own);
    clv_mat3_transpose_times(s->r, own, k->arm + 3 * (size_t)base);
    for (int f = 0; f < (t->motion >= 0 ? t->nu : t->f); f++)
        turn_back(s->G + 6 * f, own, k->H + clv_columns(w->plan, (size_t)base) + 6 * (size_t)f);
    if (c)
        turn_back(s->c, own, c + 6 * (size_t)base);
}

/* a base whose inertia cannot be factored gets a little (T5); false: that does not help */
static bool strengthen(clv_rows *w, int strand)
{
    if (strand >= w->plan->nstrand) /* see fold_star */
        return false;
    const clv_strand *st = &w->plan->strand[strand];
    clv_row_join *s = &w->join[strand];
    const double *extra = w->engine->extra + 2 * (size_t)w->plan->bodies[st->first];
    const double before[2] = {extra[0], extra[1]};
    double I[21 * G8] = {0}, F[36];
    for (int i = 0; i < 6; i++)
        for (int j = 0; j <= i; j++)
            I[CLV_SYM[i][j] * G8 + st->lane] = s->I[6 * i + j];
    if (!clv_extra_base(w->engine, st, F, I))
        return false;
    for (int k = 0; k < 2; k++)
        s->more[k] += extra[k] - before[k];
    for (int i = 0; i < 6; i++)
        s->I[7 * i] += extra[i / 3] - before[i / 3];
    return extra[0] > before[0] || extra[1] > before[1];
}

/* the joint of a base that floats or is attached to an edge */
static bool factor_base(clv_rows *w, const clv_kinematics *k, int piece, const double *tau, const double *c,
                        bool again)
{
    clv_row_join *s = &w->join[piece];
    int base;
    const clv_tree_joint *t = base_joint(w, piece, &base);
    for (int i = 0; i < 6; i++)
        s->I[7 * i] += again ? s->more[i / 3] : 0.0;
    for (int i = 0; !again && i < 2; i++)
        s->more[i] = 0;
    const double *own = tau ? tau + t->iu : NULL; /* of segments none: their bases float */
    if (!t->detached)
        base_axes(w, k, piece, t, base, c);
    for (int tries = 0; tries < 3; tries++) { /* its rotations may need some, then its translations */
        if (t->detached ? factor_floating(s) : eliminate_joint(w, s, t, c != NULL, own))
            return true;
        if (!strengthen(w, piece))
            return false;
    }
    return false;
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
    for (int i = 0; i < p->nstar; i++)
        for (int n = 0; n <= p->model->flex[i].nnode; n++) {
            clv_row_hold *hold = &w->star[i].hold[n];
            hold->hangs = false;
            memset(hold->H, 0, sizeof hold->H), memset(hold->h, 0, sizeof hold->h);
        }
}

/* A flexible body and its joint; a line of mass may need extra inertia about itself (T5). */
static bool fold_star(clv_rows *w, const clv_kinematics *k, int piece, const double *tau, const double *c, bool again)
{
    const int star = piece - w->plan->nstrand, frame = w->plan->star[star].frame;
    for (int tries = 0; tries < 2; tries++) {
        if (clv_rows_star_fold(w, k, star, tau, c) &&
            (!clv_rows_floats(w, piece) || factor_base(w, k, piece, tau, c, again)))
            return true;
        if (w->engine->extra[2 * frame + 1] > 0)
            return false;
        clv_extra_add(w->engine, frame, 0.0, clv_star_extra(w->engine, star));
    }
    return false;
}

/* the root of a segment: its motion is found with those of other segments */
static bool is_root(const clv_rows *w, int piece) { return w->plan->nsegment > 0 && w->root_of[piece] >= 0; }

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
        if (floats && i < p->nstrand && !is_root(w, i) && !factor_base(w, k, i, tau, c, again)) {
            w->engine->failed_body = clv_rows_base(w, i);
            return false;
        }
    }
    return true;
}

bool clv_rows_fold_floating(clv_rows *w, const clv_kinematics *k, bool again)
{
    const clv_plan *p = w->plan;
    for (int i = 0; i < p->nstrand; i++) {
        if (!clv_rows_floats(w, i))
            continue;
        const clv_strand *st = &p->strand[i];
        w->kernels->join(&w->join[i], NULL, &w->engine->out[st->group], st->lane, false, true);
        if (!factor_base(w, k, i, NULL, NULL, again)) {
            w->engine->failed_body = p->bodies[st->first];
            return false;
        }
    }
    return true;
}

/* motion of the base on what carries it */
static void base_motion(const clv_rows *w, int piece, bool biased, double *u, double x[6])
{
    int base;
    clv_row_join *s = &w->join[piece];
    const clv_tree_joint *t = base_joint(w, piece, &base);
    memset(x, 0, 6 * sizeof(double));
    if (is_root(w, piece)) {
        memcpy(x, w->segment[w->root_of[piece]].x, 6 * sizeof(double));
        return;
    }
    if (!clv_rows_floats(w, piece)) {
        if (w->origin[piece] >= 0)
            turn_back(x, s->R, clv_rows_tip_join(w, w->origin[piece])->tip);
        return;
    }
    if (t->detached) {
        memcpy(x, s->p, 6 * sizeof(double));
        clv_lower_solve(s->D, 6, x), clv_lower_transpose_solve(s->D, 6, x);
        return;
    }
    if (t->parent >= 0) {
        const clv_row_hold *hold = clv_row_hold_of(w, t->parent);
        turn_back(x, s->R, hold ? hold->x : clv_rows_tip_join(w, t->parent)->tip);
        clv_motion_shift(x, s->r, x);
    }
    if (t->motion >= 0)
        s->reaction = clv_dot6(s->N, x) - s->u0[0];
    for (int f = 0; f < t->f; f++)
        u[t->iu + f] = s->u0[f] - clv_dot6(s->N + 6 * f, x);
    if (biased)
        clv_add6(x, s->c);
    for (int f = 0; f < t->f; f++)
        for (int i = 0; i < 6; i++)
            x[i] += s->G[6 * f + i] * u[t->iu + f];
}

/* motion x of the base to the tip, and the wrench there */
void clv_rows_unfold_lane(clv_rows *w, int strand, const clv_strand_out *out, int lane, const double x[6])
{
    clv_row_join *s = &w->join[strand];
    double F[6];
    times(s->tip, s->X, x), clv_add6(s->tip, s->y);
    times(F, s->H, s->tip);
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
        base_motion(w, i, c != NULL, u, x);
        if (i < p->nstrand)
            unfold_strand(w, i, x);
        else
            clv_rows_star_unfold(w, k, i - p->nstrand, c, x, u);
    }
}

void clv_rows_unfold_floating(clv_rows *w, double *u)
{
    for (int i = 0; i < w->plan->nstrand; i++) {
        const clv_strand *st = &w->plan->strand[i];
        double x[6];
        if (!clv_rows_floats(w, i))
            continue;
        base_motion(w, i, false, u, x);
        lane_put(w->engine->out[st->group].x + st->lane, 6, x);
    }
}
