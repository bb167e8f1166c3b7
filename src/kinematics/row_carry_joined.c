/* SPDX-License-Identifier: Apache-2.0
 * Flexible bodies, and strands on them, where loops are carried by the tree (T169).  They stand between the levels of
 * strands: after all that is outboard, before the strand on which they hang.
 *
 *   up    flexible body    columns of what is attached to it, and of edges: a = sum of Phi^T K, k = sum of S K.
 *                          Modes (row_star.c): y = L^-1 a, K = k - G^T y, L += y^T y, g -= y^T y_f.
 *         joint of a base  J = G^T K, K -= N J, L += J^T D^-1 J, g -= K^T c + J^T u0.  Then to the body before.
 *   down  u0 += D^-1 J sigma of a joint, y_f += y sigma of modes.  Then as without loops.
 *
 * Pieces come one after the other; lanes are columns (row_joined_lane.c). */
#include "kinematics/place.h"
#include "kinematics/row_base.h"
#include "kinematics/row_carry_parts.h"
#include "kinematics/row_kernels.h"
#include "math/spatial.h"
#include <string.h>

/* ------------------------------------------------------------------ lists */

static bool is_joined(const clv_plan *p, int piece) { return piece >= p->nstrand || p->strand[piece].on_star; }

void clv_rows_joined_layout(const clv_plan *p, int piece, clv_row_columns *s, clv_arena *a)
{
    const size_t wide = (size_t)s->wide, modes = piece < p->nstrand ? 0 : (size_t)p->star[piece - p->nstrand].nmode;
    s->joined = is_joined(p, piece);
    CLV_TAKE(a, s->J, s->joined ? 6 * wide : 0), CLV_TAKE(a, s->DJ, s->joined ? 6 * wide : 0);
    CLV_TAKE(a, s->modes, modes * wide);
}

/* number of a level of the plan among those of the rows; -1 before all of them */
static int level_of(const clv_rows *w, int piece)
{
    const clv_plan *p = w->plan;
    const int level = piece < p->nstrand ? p->strand[piece].level : p->star[piece - p->nstrand].level;
    int i = w->nlevel - 1;
    while (i >= 0 && p->group[clv_rows_level(w, i)].level != level)
        i--;
    return i;
}

void clv_rows_list_joined(clv_rows *w)
{
    clv_row_carry *y = &w->carry;
    int n = 0;
    if (!w->carried || w->plan->nstar == 0)
        return;
    for (int level = -1; level < w->nlevel; level++) {
        y->joined_first[level + 1] = n;
        for (int i = w->npiece - 1; i >= 0; i--)
            if (is_joined(w->plan, w->piece[i]) && level_of(w, w->piece[i]) == level)
                y->joined[n++] = w->piece[i];
    }
    y->joined_first[w->nlevel + 1] = n;
}

/* ------------------------------------------------------------------ columns */

/* columns of what is attached to a body of a flexible body, and of edges there, to X; false: there are none */
static bool gather(const clv_rows *w, int piece, int body)
{
    const clv_carry *c = w->plan->carry;
    const clv_meet *t = &c->meet[piece];
    const clv_row_columns *s = &w->carry.strand[piece];
    bool some = false;
    for (int i = 0; i < t->nstrand; i++) {
        const int from = c->list[t->strand + 2 * i], *to = c->list + c->list[t->strand + 2 * i + 1];
        const clv_row_columns *o = &w->carry.strand[from];
        if (w->origin[from] != body || o->n == 0)
            continue;
        if (!some)
            memset(s->X, 0, 6 * (size_t)s->wide * sizeof(double));
        some = true;
        for (int k = 0; k < 6; k++)
            for (int j = 0; j < o->n; j++)
                s->X[k * s->wide + to[j]] += o->K[k * o->wide + j];
    }
    for (int i = 0; i < t->nhandle; i++) {
        const int *handle = c->list + t->handle + 3 * i;
        const clv_edge *edge = &w->plan->edge[handle[0]];
        const double *B = w->engine->block + edge->block[handle[1]];
        if (edge->body[handle[1]] != body)
            continue;
        if (!some)
            memset(s->X, 0, 6 * (size_t)s->wide * sizeof(double));
        some = true;
        for (int j = 0, column = handle[2]; j < edge->m; j++)
            if (clv_edge_carries(edge, j)) {
                for (int k = 0; k < 6; k++)
                    s->X[k * s->wide + column] += B[6 * j + k];
                column++;
            }
    }
    return some;
}

/* columns at the entry of a flexible body, without its modes, which are folded already */
static void star_columns(clv_rows *w, const clv_kinematics *k, int piece, const double *c)
{
    const clv_plan *p = w->plan;
    const clv_star *star = &p->star[piece - p->nstrand];
    const clv_row_star *o = &w->star[piece - p->nstrand];
    const clv_meet *t = &p->carry->meet[piece];
    const clv_row_columns *s = &w->carry.strand[piece];
    const int n = star->nmode, last = star->frame + p->model->flex[piece - p->nstrand].nnode;
    memset(s->K, 0, 6 * (size_t)s->wide * sizeof(double));
    memset(s->modes, 0, (size_t)n * (size_t)s->wide * sizeof(double));
    memset(s->L, 0, (size_t)s->n * (size_t)s->wide * sizeof(double));
    clv_rows_add_elements(w, s->L, s->wide, p->carry->list + t->left, t->nleft);
    for (int b = star->frame; b <= last; b++)
        if (b != star->entry && gather(w, piece, b)) {
            const bool link = b != star->frame;
            w->carry.kernels->joined_take(s, s->X, link ? k->engine->modes + clv_modes(p, (size_t)b) : NULL, n,
                                          link ? k->arm + 3 * (size_t)b : NULL, link && c ? c + 6 * (size_t)b : NULL);
        }
    if (star->entry != star->frame) { /* x_F = S^T x + M u + c */
        const size_t b = (size_t)star->frame;
        w->carry.kernels->joined_take(s, s->K, k->engine->modes + clv_modes(p, b), n, k->arm + 3 * b,
                                      c ? c + 6 * b : NULL);
    }
    if (gather(w, piece, star->entry))
        w->carry.kernels->joined_take(s, s->X, NULL, 0, NULL, NULL);
    w->carry.kernels->joined_modes(s, o, n);
}

/* t += Y^T x of n rows */
static void add_to_t(const clv_row_columns *s, const double *Y, const double *x, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < s->wide; j++)
            s->t[j] += Y[i * s->wide + j] * x[i];
}

/* ------------------------------------------------------------------ walks */

/* I and p at the base, without the modes of a flexible body, and its columns there */
static bool show(clv_rows *w, const clv_kinematics *k, int piece, const double *tau, const double *c, bool again)
{
    const clv_plan *p = w->plan;
    const clv_row_columns *s = &w->carry.strand[piece];
    const int star = piece - p->nstrand;
    if (s->n > 0)
        memset(s->t, 0, (size_t)s->wide * sizeof(double));
    if (star < 0) {
        const clv_strand *st = &p->strand[piece];
        w->kernels->join(&w->join[piece], NULL, &w->engine->out[st->group], st->lane, false, true);
        return true;
    }
    if (again)
        clv_rows_star_respond(w, k, star, tau);
    else if (!clv_rows_star_fold(w, k, star, tau, c))
        return false;
    if (s->n > 0 && again)
        add_to_t(s, s->modes, w->star[star].y, p->star[star].nmode);
    else if (s->n > 0)
        star_columns(w, k, piece, c);
    return true;
}

/* the joint of the base, and what is left on the body before */
static bool pass_joint(clv_rows *w, const clv_kinematics *k, int piece, const double *tau, const double *c, bool again)
{
    const clv_tree_joint *t = &w->plan->tree[clv_rows_base(w, piece)];
    const clv_row_columns *s = &w->carry.strand[piece];
    const clv_row_join *join = &w->join[piece];
    if (again)
        clv_rows_respond_base(w, piece, tau);
    else if (!clv_rows_factor_base(w, k, piece, tau, c, false))
        return false;
    if (s->n == 0)
        return true;
    const bool turned = piece < w->plan->nstrand || (t->parent >= 0 && !clv_row_hold_of(w, t->parent));
    if (again)
        add_to_t(s, s->J, join->u0, t->f);
    else
        w->carry.kernels->joined_joint(s, join, t->f, t->motion >= 0, c != NULL, t->parent >= 0,
                                       turned ? join->R : NULL);
    return true;
}

static bool join_piece(clv_rows *w, const clv_kinematics *k, int piece, const double *tau, const double *c, bool again)
{
    const clv_row_columns *s = &w->carry.strand[piece];
    const int *row = clv_row_open_rows(w->plan, piece);
    const bool floats = clv_plan_adrift(w->plan, clv_rows_base(w, piece)); /* its joint: with all that floats */
    if (!show(w, k, piece, tau, c, again) || (!floats && !pass_joint(w, k, piece, tau, c, again)))
        return false;
    for (int j = 0; j < s->n; j++)
        w->carry.g[row[j]] -= s->t[j];
    return true;
}

bool clv_rows_join_level(clv_rows *w, const clv_kinematics *k, int level, const double *tau, const double *c,
                         bool again)
{
    const clv_row_carry *y = &w->carry;
    for (int i = y->joined_first[level + 1]; i < y->joined_first[level + 2]; i++)
        if (!join_piece(w, k, y->joined[i], tau, c, again)) {
            w->engine->failed_body = clv_rows_base(w, y->joined[i]);
            return false;
        }
    return true;
}

/* what the multipliers do to the modes and to the joint of the base */
static void load(clv_rows *w, int piece)
{
    const clv_plan *p = w->plan;
    const clv_row_columns *s = &w->carry.strand[piece];
    const clv_tree_joint *t = &p->tree[clv_rows_base(w, piece)];
    const int *row = clv_row_open_rows(p, piece), star = piece - p->nstrand, n = star < 0 ? 0 : p->star[star].nmode;
    const int unknowns = clv_plan_adrift(p, clv_rows_base(w, piece)) ? 0 : t->motion >= 0 ? 1 : t->f;
    for (int j = 0; j < s->n; j++) {
        const double sigma = w->engine->sigma[row[j]];
        for (int m = 0; m < n; m++)
            w->star[star].y[m] += s->modes[m * s->wide + j] * sigma;
        for (int f = 0; f < unknowns; f++)
            w->join[piece].u0[f] += s->DJ[f * s->wide + j] * sigma;
    }
}

void clv_rows_part_level(clv_rows *w, const clv_kinematics *k, int level, const double *c, double *u)
{
    const clv_row_carry *y = &w->carry;
    for (int i = y->joined_first[level + 2] - 1; i >= y->joined_first[level + 1]; i--) {
        const int piece = y->joined[i];
        double x[6];
        load(w, piece);
        clv_rows_base_motion(w, piece, c != NULL, u, x);
        if (piece < w->plan->nstrand)
            clv_row_put(w->engine->out[w->plan->strand[piece].group].x + w->plan->strand[piece].lane, 6, x);
        else
            clv_rows_star_unfold(w, k, piece - w->plan->nstrand, c, x, u);
    }
}

void clv_rows_hand_level(clv_rows *w, const clv_kinematics *k, int level)
{
    const clv_row_carry *y = &w->carry;
    for (int i = y->joined_first[level + 1]; i < y->joined_first[level + 2]; i++) {
        const int piece = y->joined[i], base = clv_rows_base(w, piece);
        double P[6], Q[6];
        if (piece >= w->plan->nstrand)
            clv_rows_star_sums(w, k, piece - w->plan->nstrand, true);
        if (w->origin[piece] < 0)
            continue;
        clv_rows_base_sums(w, piece, P, Q);
        clv_wrench_shift(P, k->arm + 3 * (size_t)base, P), clv_wrench_shift(Q, k->arm + 3 * (size_t)base, Q);
        clv_rows_attach(w, w->P, w->origin[piece], P), clv_rows_attach(w, w->Q, w->origin[piece], Q);
    }
}

/* ------------------------------------------------------------------ sums of solutions */

/* those of links and of joints on flexible bodies, with the forces of their drives */
void clv_rows_keep_joined(clv_rows *w, const double *u)
{
    const clv_plan *p = w->plan;
    memcpy(w->carry.u, u, (size_t)p->nu * sizeof(double));
    for (int i = 0; i < w->carry.joined_first[w->nlevel + 1]; i++)
        w->join[w->carry.joined[i]].before = w->join[w->carry.joined[i]].reaction;
    for (int s = 0; s < p->nstar; s++)
        for (int i = 0; i <= p->model->flex[s].nnode; i++)
            memcpy(w->star[s].hold[i].kept, w->star[s].hold[i].x, 6 * sizeof(double));
}

void clv_rows_add_joined(clv_rows *w, double *u)
{
    const clv_plan *p = w->plan;
    for (int s = 0; s < p->nstar; s++)
        for (int i = 0; i <= p->model->flex[s].nnode; i++)
            clv_add6(w->star[s].hold[i].x, w->star[s].hold[i].kept);
    for (int i = 0; i < w->carry.joined_first[w->nlevel + 1]; i++) {
        const int piece = w->carry.joined[i], star = piece - p->nstrand;
        const clv_tree_joint *t = &p->tree[clv_rows_base(w, piece)];
        w->join[piece].reaction += w->join[piece].before;
        for (int f = 0; f < t->f; f++)
            u[t->iu + f] += w->carry.u[t->iu + f];
        for (int m = 0; star >= 0 && m < p->star[star].nmode; m++)
            u[p->star[star].iu + m] += w->carry.u[p->star[star].iu + m];
    }
}
