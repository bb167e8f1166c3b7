/* SPDX-License-Identifier: Apache-2.0
 * Bases that are no row of their strand (T43.3): on or of a flexible body, or floating.  What is outboard of the base,
 * I and p of its join, is left without the joint, G its free directions, and acts on the body before:
 *
 *   up     U = I G, D = G^T U + R, N = U D^-1, u0 = D^-1 (tau + G^T (p - I c)), to the body before:
 *          H += S (I - N U^T) S^T, h += S (p - I c - N (..))
 *   down   x = S^T x_before, u = u0 - N^T x, x_base = x + c + G u
 *
 * Called by row_fold.c, and by row_carry_joined.c where loops are carried. */
#include <string.h>
#include "base/tolerance.h"
#include "engine/extra.h"
#include "kinematics/row_base.h"
#include "kinematics/row_axes.h"
#include "kinematics/row_joints.h"
#include "kinematics/row_runs.h"
#include "math/rotation.h"
#include "math/spatial.h"
#include "math/symmetric.h"

/* row i of m: a sum of three rows f with the factors of row i of R */
static clv_six turned(const double R[9], const clv_six f[3], int i)
{
    return clv_six_add(clv_six_add(clv_six_times(f[0], R[3 * i]), R[3 * i + 1], f[1]), R[3 * i + 2], f[2]);
}

/* six wrenches side by side, components in rows: translated by r, then turned by R */
static void carry_over(clv_six m[6], const double R[9], const double r[3])
{
    clv_six n[3], f[3] = {m[0], m[1], m[2]};
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        n[i] = clv_six_add(m[3 + i], 1.0, clv_six_sub(clv_six_times(f[k], r[j]), r[k], f[j]));
    }
    for (int i = 0; i < 3; i++)
        m[i] = turned(R, f, i), m[3 + i] = turned(R, n, i);
}

/* pairs by pairs: what is stored number by number cannot be loaded as pairs at once */
static void turn_over(clv_six m[6])
{
    const clv_six x[6] = {m[0], m[1], m[2], m[3], m[4], m[5]};
    for (int i = 0; i < 3; i++) {
        const clv_two u[3] = {x[2 * i].a, x[2 * i].b, x[2 * i].c};
        const clv_two v[3] = {x[2 * i + 1].a, x[2 * i + 1].b, x[2 * i + 1].c};
        for (int j = 0; j < 6; j++) {
            const clv_two pair = {u[j / 2][j % 2], v[j / 2][j % 2]};
            *(i == 0 ? &m[j].a : i == 1 ? &m[j].b : &m[j].c) = pair;
        }
    }
}

/* H += T I T^T, T: translation by r, then rotation by R */
static void add_shifted(double H[36], const double R[9], const double r[3], const double I[36])
{
    clv_six m[6];
    for (int i = 0; i < 6; i++)
        m[i] = clv_six_load(I + 6 * i);
    carry_over(m, R, r), turn_over(m);
    carry_over(m, R, r), turn_over(m);
    for (int i = 0; i < 6; i++)
        clv_six_store(H + 6 * i, clv_six_add(clv_six_load(H + 6 * i), 1.0, m[i]));
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

/* p of a base about the reference point of the body before, in the axes there; flexible bodies have global axes both */
static void hand_on_load(clv_rows *w, const clv_row_join *s, int body)
{
    const bool held = clv_row_hold_of(w, body) != NULL;
    double F[6];
    clv_wrench_shift(F, s->r, s->p);
    if (!held || s < w->join + w->plan->nstrand)
        clv_row_to_global(s->R, F, F);
    if (w->carried && !held)
        clv_rows_attach_own(w, w->Q, body, F);
    else
        clv_add6(outboard_of(w, body).h, F);
}

/* what is left of a base acts on the body before */
static void hand_on(clv_rows *w, const clv_row_join *s, int body)
{
    const bool held = clv_row_hold_of(w, body) != NULL;
    if (w->carried && !held) { /* where loops are carried, tips have no H */
        double H[36] = {0}, *I = clv_row_attached(w, w->I, 21, body);
        add_shifted(H, s->R, s->r, s->I);
        for (int i = 0; i < 6; i++)
            for (int j = 0; j <= i; j++)
                I[CLV_SYM[i][j] * G8] += H[6 * i + j];
    } else if (!held || s < w->join + w->plan->nstrand)
        add_shifted(outboard_of(w, body).H, s->R, s->r, s->I);
    else
        clv_rows_add_shifted(outboard_of(w, body).H, s->r, s->I);
    hand_on_load(w, s, body);
}

/* joint of the base on an edge: eliminated; what is left acts on what the base is attached to, unless that is ground */
static bool eliminate_joint(clv_rows *w, clv_row_join *s, const clv_tree_joint *t, bool biased, const double *tau)
{
    const double *G = s->G;
    double U[36], x[6], q[6];
    for (int f = 0; f < t->f; f++)
        clv_row_times(U + 6 * f, s->I, G + 6 * f);
    for (int f = 0; f < t->f; f++)
        for (int g = 0; g < t->f; g++)
            s->D[t->f * f + g] = clv_dot6(G + 6 * f, U + 6 * g);
    for (int f = 0; f < t->f && w->plan->narmed > 0; f++)
        s->D[t->f * f + f] += clv_armature_of(w->plan, (int)(t - w->plan->tree), f);
    if (t->f > 0 && (clv_cholesky(s->D, t->f, CLV_TOL_PIVOT) >= 0 || lacks_inertia(s, t->f)))
        return false;
    if (biased) {
        clv_row_times(x, s->I, s->c);
        for (int i = 0; i < 6; i++)
            s->p[i] -= x[i];
    }
    if (t->motion >= 0)
        clv_row_times(s->N, s->I, G), s->u0[0] = clv_dot6(G, s->p);
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
    const int columns = t->motion >= 0 ? t->nu : t->f;
    const double *H = k->H + clv_columns(w->plan, (size_t)base);
    double own[9], other[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    if (strand >= w->plan->nstrand && (t->parent < 0 || clv_row_hold_of(w, t->parent))) { /* global axes both */
        memcpy(s->R, other, sizeof other), clv_copy3(s->r, k->arm + 3 * (size_t)base);
        memcpy(s->G, H, 6 * (size_t)columns * sizeof(double));
        if (c)
            memcpy(s->c, c + 6 * (size_t)base, 6 * sizeof(double));
        return;
    }
    clv_rows_strand_axes(w, strand, own);
    if (t->parent >= 0)
        clv_rows_strand_axes(w, w->strand_of[t->parent], other);
    clv_mat3_transpose_product(s->R, other, own);
    clv_mat3_transpose_times(s->r, own, k->arm + 3 * (size_t)base);
    for (int f = 0; f < columns; f++)
        clv_row_to_strand(own, s->G + 6 * f, H + 6 * f);
    if (c)
        clv_row_to_strand(own, s->c, c + 6 * (size_t)base);
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

bool clv_rows_factor_base(clv_rows *w, const clv_kinematics *k, int piece, const double *tau, const double *c,
                        bool again)
{
    clv_row_join *s = &w->join[piece];
    int base;
    const clv_tree_joint *t = base_joint(w, piece, &base);
    for (int i = 0; i < 6; i++)
        s->I[7 * i] += again ? s->more[i / 3] : 0.0;
    for (int i = 0; !again && i < 2; i++)
        s->more[i] = 0;
    const double none[6] = {0}, *own = tau ? tau + t->iu : none;
    const bool adrift = clv_plan_adrift(w->plan, base);
    if (!adrift)
        base_axes(w, k, piece, t, base, c);
    for (int tries = 0; tries < 3; tries++) { /* its rotations may need some, then its translations */
        if (adrift ? factor_floating(s) : eliminate_joint(w, s, t, c != NULL, own))
            return true;
        if ((w->carried && !adrift) || !strengthen(w, piece)) /* nothing is taken out there (row_extra.c) */
            return false;
    }
    return false;
}

void clv_rows_respond_base(clv_rows *w, int piece, const double *tau)
{
    clv_row_join *s = &w->join[piece];
    int base;
    const clv_tree_joint *t = base_joint(w, piece, &base);
    double q[6];
    if (clv_plan_adrift(w->plan, base))
        return;
    for (int f = 0; f < t->f; f++)
        q[f] = s->u0[f] = (tau ? tau[t->iu + f] : 0.0) + clv_dot6(s->G + 6 * f, s->p);
    if (t->motion >= 0)
        s->u0[0] = clv_dot6(s->G, s->p);
    clv_lower_solve(s->D, t->f, s->u0), clv_lower_transpose_solve(s->D, t->f, s->u0);
    if (t->parent < 0)
        return;
    for (int f = 0; f < t->f; f++)
        for (int i = 0; i < 6; i++)
            s->p[i] -= s->N[6 * f + i] * q[f];
    hand_on_load(w, s, t->parent);
}

/* motion of the body on which a base hangs, axes of the piece before */
static void motion_before(const clv_rows *w, int body, double x[6])
{
    const clv_row_hold *hold = clv_row_hold_of(w, body);
    const int slot = w->slot[body];
    if (hold)
        memcpy(x, hold->x, sizeof hold->x);
    else if (w->carried)
        clv_row_get(w->x + (size_t)(slot / G8) * 6 * G8 + slot % G8, 6, x);
    else
        memcpy(x, clv_rows_tip_join(w, body)->tip, 6 * sizeof(double));
}

/* motion of the base on what carries it */
void clv_rows_base_motion(const clv_rows *w, int piece, bool biased, double *u, double x[6])
{
    int base;
    clv_row_join *s = &w->join[piece];
    const clv_tree_joint *t = base_joint(w, piece, &base);
    memset(x, 0, 6 * sizeof(double));
    if (clv_rows_is_root(w, piece)) {
        memcpy(x, w->segment[w->root_of[piece]].x, 6 * sizeof(double));
        return;
    }
    if (!clv_rows_floats(w, piece)) {
        if (w->origin[piece] >= 0)
            clv_row_to_strand(s->R, x, clv_rows_tip_join(w, w->origin[piece])->tip);
        return;
    }
    if (clv_plan_adrift(w->plan, base)) {
        memcpy(x, s->p, 6 * sizeof(double));
        clv_lower_solve(s->D, 6, x), clv_lower_transpose_solve(s->D, 6, x);
        return;
    }
    if (t->parent >= 0) {
        motion_before(w, t->parent, x);
        if (piece < w->plan->nstrand || !clv_row_hold_of(w, t->parent))
            clv_row_to_strand(s->R, x, x);
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
