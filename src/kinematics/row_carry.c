/* SPDX-License-Identifier: Apache-2.0
 * Loops carried by the tree (T101): rows of closings where strands meet, and between; see row_carry.h.
 *
 * The elimination of a front adds G^T G to the inertia of the tip and takes G^T G off what its rows have in common,
 * G = F^-1 [K_E^T | L_EO] with Z^+ = F^-T F^-1: nothing cancels but in L.  A direction that Z lacks is dropped there
 * (T20): rows without compliance have no K either. */
#include "base/tolerance.h"
#include "kinematics/row_axes.h"
#include "kinematics/row_joints.h"
#include "kinematics/row_kernels.h"
#include "math/lane.h"
#include "math/rank.h"
#include "math/spatial.h"
#include "math/symmetric.h"
#include <math.h>

/* place of entry (i, j) among the 21 stored ones */
static const int SYM[6][6] = {{0, 1, 2, 6, 7, 8},     {1, 3, 4, 9, 10, 11},    {2, 4, 5, 12, 13, 14},
                              {6, 9, 12, 15, 16, 17}, {7, 10, 13, 16, 18, 19}, {8, 11, 14, 17, 19, 20}};

static int sixes(int n)
{
    return (n + 5) / 6 * 6;
}
static int eights(int n)
{
    return (n + 7) / 8 * 8;
}

/* ------------------------------------------------------------------ memory */

static void strand_layout(clv_row_columns *c, const clv_plan *p, int strand, int rows, bool shared, clv_arena *a)
{
    const clv_meet *t = &p->carry->meet[strand];
    c->n = t->nopen, c->wide = eights(t->nopen), c->rows = rows;
    if (shared)
        return;
    const size_t wide = (size_t)c->wide;
    const bool floats = p->strand[strand].base == CLV_BASE_FREE && !clv_strand_folds(p, strand);
    CLV_TAKE(a, c->K, 6 * wide), CLV_TAKE(a, c->Y, (size_t)rows * wide), CLV_TAKE(a, c->L, (size_t)c->n * wide);
    CLV_TAKE(a, c->X, floats ? 6 * wide : 0), CLV_TAKE(a, c->t, wide);
}

static void front_layout(clv_row_front *f, const clv_front *s, bool tip, clv_arena *a)
{
    const size_t m = (size_t)s->nout, left = (size_t)sixes(s->nleft);
    f->wide = 6 * tip + sixes(s->nleft);
    CLV_TAKE(a, f->X, m * (size_t)f->wide), CLV_TAKE(a, f->factor, CLV_RANK_SIZE(m)), CLV_TAKE(a, f->sigma0, m);
    CLV_TAKE(a, f->L, (size_t)s->nleft * left);
}

/* of a meet; those of batches have their numbers there */
static void fronts_layout(clv_row_carry *y, const clv_plan *p, int at, clv_arena *a)
{
    const clv_meet *t = &p->carry->meet[at];
    for (int i = t->front, n; i < t->front + t->nfront; i += n > 0 ? n : 1) {
        clv_row_front counting;
        n = clv_rows_alike(p->carry, i);
        if (n == 0)
            front_layout(a->base ? &y->front[i] : &counting, &p->carry->front[i], at < p->nstrand, a);
    }
}

void clv_rows_carry_layout(clv_rows *w, const clv_plan *p, clv_arena *a)
{
    clv_row_carry *y = &w->carry;
    if (!p->carried)
        return;
    const clv_carry *c = p->carry;
    const size_t most = (size_t)c->most, n = (size_t)w->nrow * G8;
    CLV_TAKE(a, y->strand, p->nstrand), CLV_TAKE(a, y->front, c->nfront), CLV_TAKE(a, y->K, p->nstrand);
    clv_rows_sheaf_layout(w, p, a);
    for (int k = 0; k < p->nstrand; k++) {
        clv_row_columns counting, *s = a->base ? &y->strand[k] : &counting;
        double *columns;
        const bool shared = clv_rows_in_sheaf(p, k);
        strand_layout(s, p, k, clv_row_strand_rows(p, k), shared, a);
        if (!shared)
            CLV_TAKE(a, columns, 6 * c->meet[k].nrow);
        if (a->base && !shared)
            y->K[k] = columns;
    }
    clv_rows_batch_layout(w, p, a);
    for (int k = 0; k <= p->nstrand; k++)
        fronts_layout(y, p, k, a);
    CLV_TAKE(a, y->g, p->nclosing_row), CLV_TAKE(a, y->sigma, p->nclosing_row);
    CLV_TAKE(a, y->work, 3 * most * most + most * (size_t)(6 + sixes(c->most)) + most);
    CLV_TAKE(a, y->x, 6 * n), CLV_TAKE(a, y->rates, n), CLV_TAKE(a, y->start, 6 * G8 * (size_t)p->ngroup);
}

/* ------------------------------------------------------------------ tips */

static int tip_of(const clv_plan *p, int strand)
{
    return p->bodies[p->strand[strand].first + p->strand[strand].length - 1];
}

/* columns of all rows at the tip of a strand, in its axes: those that strands bring, and of edges on the tip */
static void gather_columns(const clv_rows *w, int strand)
{
    const clv_carry *c = w->plan->carry;
    const clv_meet *t = &c->meet[strand];
    const clv_engine *e = w->engine;
    double *K = w->carry.K[strand], R[9], x[6];
    memset(K, 0, 6 * (size_t)t->nrow * sizeof(double));
    for (int i = 0; i < t->nstrand; i++) {
        const int k = c->list[t->strand + 2 * i], *to = c->list + c->list[t->strand + 2 * i + 1];
        const clv_row_columns *s = &w->carry.strand[k];
        for (int j = 0; j < s->n; j++)
            clv_rows_take_column(w, k, j, x), clv_add6(K + 6 * to[j], x);
    }
    clv_row_axes(w, strand, R);
    for (int i = 0; i < t->nhandle; i++) {
        const int *handle = c->list + t->handle + 3 * i;
        const clv_edge *edge = &w->plan->edge[handle[0]];
        for (int j = 0; j < edge->m; j++) {
            clv_row_to_strand(R, x, e->block + edge->block[handle[1]] + 6 * j);
            clv_add6(K + 6 * (handle[2] + j), x);
        }
    }
}

/* adds L of n rows, lines `wide` apart, at places of a matrix with lines `line` apart */
static void scatter(double *restrict to, int line, const double *restrict L, int n, int wide, const int *place)
{
    bool run = true; /* places one after the other */
    for (int j = 1; j < n; j++)
        run &= place[j] == place[0] + j;
    for (int i = 0; i < n; i++) {
        double *at = to + place[i] * line;
        const double *from = L + i * wide;
        if (run)
            for (int j = 0; j < n; j++)
                at[place[0] + j] += from[j];
        else
            for (int j = 0; j < n; j++)
                at[place[j]] += from[j];
    }
}

static void scatter_triangle(double *to, int line, const double *L, int n, const int *place)
{
    for (int i = 0; i < n; i++, L += G8) {
        for (int j = 0; j < i; j++, L += G8)
            to[place[i] * line + place[j]] += *L, to[place[j] * line + place[i]] += *L;
        to[place[i] * line + place[i]] += *L;
    }
}

double clv_rows_compliance(const clv_rows *w, int element, int i, int j)
{
    const int front = element - w->plan->nstrand;
    const double *L = clv_row_lane_triangle(w, element);
    if (L)
        return L[clv_row_sheaf_at(i, j)];
    if (front < 0)
        return w->carry.strand[element].L[i * w->carry.strand[element].wide + j];
    return w->carry.front[front].L[i * sixes(w->plan->carry->front[front].nleft) + j];
}

/* of n elements in pairs (id, places) */
static void add_elements(const clv_rows *w, double *to, int line, const int *pair, int n)
{
    const clv_carry *c = w->plan->carry;
    for (int i = 0; i < n; i++) {
        const int id = pair[2 * i] - w->plan->nstrand, *place = c->list + pair[2 * i + 1];
        const double *L = clv_row_lane_triangle(w, pair[2 * i]);
        if (L)
            scatter_triangle(to, line, L, id < 0 ? w->carry.strand[pair[2 * i]].n : c->front[id].nleft, place);
        else if (id < 0)
            scatter(to, line, w->carry.strand[pair[2 * i]].L, w->carry.strand[pair[2 * i]].n,
                    w->carry.strand[pair[2 * i]].wide, place);
        else
            scatter(to, line, w->carry.front[id].L, c->front[id].nleft, sixes(c->front[id].nleft), place);
    }
}

/* [K_E^T | L_EO] of a front, and Z = L_EE; L: of all its rows */
static void form_front(const clv_rows *w, int at, const clv_front *s, clv_row_front *f, const double *L, double *Z)
{
    const int n = s->nout + s->nleft, own = at < w->plan->nstrand ? 6 : 0;
    for (int i = 0; i < s->nout; i++) {
        double *X = f->X + i * f->wide;
        if (own)
            memcpy(X, w->carry.K[at] + 6 * (s->column + i), 6 * sizeof(double));
        memcpy(X + own, L + i * n + s->nout, (size_t)s->nleft * sizeof(double));
        memcpy(Z + i * s->nout, L + i * n, (size_t)s->nout * sizeof(double));
    }
}

/* I += G^T G, K_O -= G_O^T G_K of a tip */
static void stiffen_tip(const clv_rows *w, int strand, const clv_front *s, const clv_row_front *f, const double *G)
{
    double *I = clv_row_attached(w, w->I, 21, tip_of(w->plan, strand)), M[36] = {0};
    const int *left = w->plan->carry->list + s->left;
    for (int r = 0; r < f->rank; r++)
        for (int i = 0; i < 6; i++)
            clv_six_store(M + 6 * i,
                          clv_six_add(clv_six_load(M + 6 * i), G[r * f->wide + i], clv_six_load(G + r * f->wide)));
    for (int i = 0; i < 6; i++)
        for (int j = 0; j <= i; j++)
            I[SYM[i][j] * G8] += M[6 * i + j];
    for (int j = 0; j < s->nleft; j++) {
        double *K = w->carry.K[strand] + 6 * left[j];
        clv_six x = clv_six_load(K);
        for (int r = 0; r < f->rank; r++)
            x = clv_six_sub(x, G[r * f->wide + 6 + j], clv_six_load(G + r * f->wide));
        clv_six_store(K, x);
    }
}

/* what is left of L: L_OO - G_O^T G_O; own: where columns of rows begin in G */
static void leave(const clv_front *s, clv_row_front *f, const double *L, const double *G, int own)
{
    const int n = s->nout + s->nleft, wide = sixes(s->nleft);
    for (int i = 0; i < s->nleft; i++) {
        double *to = f->L + i * wide;
        memcpy(to, L + (s->nout + i) * n + s->nout, (size_t)s->nleft * sizeof(double));
        for (int j = 0; j < wide; j += 6) {
            clv_six x = clv_six_load(to + j);
            for (int r = 0; r < f->rank; r++)
                x = clv_six_sub(x, G[r * f->wide + own + i], clv_six_load(G + r * f->wide + own + j));
            clv_six_store(to + j, x);
        }
    }
}

static void note_pivots(clv_engine *e, const clv_rank *f, double pivot)
{
    e->truncated += f->m - f->r;
    e->min_pivot = fmin(e->min_pivot, pivot), e->weakest = fmin(e->weakest, pivot);
    e->max_dropped = fmax(e->max_dropped, f->dropped);
}

static int edge_of_row(const clv_plan *p, int row)
{
    int k = 0;
    while (k + 1 < p->nedge && !(row >= p->edge[k].row && row < p->edge[k].row + p->edge[k].m))
        k++;
    return k;
}

/* a front at the tip of strand `at`, or on ground; false: numbers that are not finite */
static bool factor_front(clv_rows *w, int at, int k)
{
    clv_engine *e = w->engine;
    const clv_front *s = &w->plan->carry->front[k];
    const int n = s->nout + s->nleft, m = s->nout, *row = w->plan->carry->list + s->row;
    clv_row_front *f = &w->carry.front[k];
    double *L = w->carry.work, *Z = L + n * n, *scale = Z + m * m, *G = scale + m, pivot;
    memset(L, 0, (size_t)(n * n) * sizeof(double));
    add_elements(w, L, n, w->plan->carry->list + s->taken, s->ntaken);
    form_front(w, at, s, f, L, Z);
    for (int i = 0; i < m; i++)
        scale[i] = fmax(e->scale[row[i]], sqrt(fmax(Z[i * m + i], 0.0)));
    clv_rank z = clv_rank_view(m, m, f->factor);
    f->rank = clv_rank_factor(&z, Z, scale, e->threshold, &pivot);
    if (f->rank < 0) {
        e->failed_edge = edge_of_row(w->plan, row[0]);
        return false;
    }
    note_pivots(e, &z, pivot);
    if (f->wide > 0)
        clv_rank_half_columns(&z, G, f->X, f->wide);
    if (at < w->plan->nstrand)
        stiffen_tip(w, at, s, f, G);
    leave(s, f, L, G, at < w->plan->nstrand ? 6 : 0);
    return true;
}

/* right-hand sides of a front: sigma0 = Z^+ g_E, p += K_E sigma0, g_O -= L_OE sigma0 */
static void push_front(clv_rows *w, int at, int k)
{
    const clv_plan *p = w->plan;
    const clv_front *s = &p->carry->front[k];
    const clv_row_front *f = &w->carry.front[k];
    const int *row = p->carry->list + s->row, own = at < p->nstrand ? 6 : 0;
    const clv_rank z = clv_rank_view(s->nout, f->rank, f->factor);
    double *g = w->carry.g;
    for (int i = 0; i < s->nout; i++)
        f->sigma0[i] = g[row[i]];
    clv_rank_solve(&z, f->sigma0);
    double F[6] = {0};
    for (int i = 0; i < s->nout; i++) {
        const double *X = f->X + i * f->wide;
        for (int j = 0; j < own; j++)
            F[j] += X[j] * f->sigma0[i];
        for (int j = 0; j < s->nleft; j++)
            g[row[s->nout + j]] -= X[own + j] * f->sigma0[i];
    }
    double *Q = own ? clv_row_attached(w, w->Q, 6, tip_of(p, at)) : NULL;
    for (int j = 0; j < own; j++)
        Q[j * G8] += F[j];
}

/* a batch of fronts on ground */
static bool meet_batch(clv_rows *w, const clv_row_batch *b, bool again)
{
    const int bad = again ? -1 : clv_rows_factor_batch(w, b);
    if (bad >= 0)
        w->engine->failed_edge = edge_of_row(w->plan, w->plan->carry->list[w->plan->carry->front[bad].row]);
    else
        clv_rows_push_batch(w, b);
    return bad < 0;
}

bool clv_rows_meet(clv_rows *w, int at, bool again)
{
    const clv_meet *t = &w->plan->carry->meet[at];
    if (t->nrow == 0 || (at < w->plan->nstrand && clv_row_sheaf_of(w, at)))
        return true;
    if (!again && at < w->plan->nstrand)
        gather_columns(w, at);
    for (int k = t->front; k < t->front + t->nfront; k++) {
        const clv_row_batch *b = clv_row_batch_of(w, k);
        if (b) {
            if (b->first == k && !meet_batch(w, b, again))
                return false;
            continue;
        }
        if (!again && !factor_front(w, at, k))
            return false;
        push_front(w, at, k);
    }
    return true;
}

/* ------------------------------------------------------------------ between tips */

/* columns of the open rows, side by side for lanes, and their compliance at the tip */
static void begin_columns(const clv_rows *w, int strand)
{
    const clv_carry *c = w->plan->carry;
    const clv_meet *t = &c->meet[strand];
    const clv_row_columns *s = &w->carry.strand[strand];
    const double *K = w->carry.K[strand] + 6 * (t->nrow - t->nopen);
    for (int j = 0; j < s->n; j++)
        for (int i = 0; i < 6; i++)
            s->K[i * s->wide + j] = K[6 * j + i];
    memset(s->L, 0, (size_t)(s->n * s->wide) * sizeof(double));
    add_elements(w, s->L, s->wide, c->list + t->left, t->nleft);
}

static const int *open_rows(const clv_plan *p, int strand)
{
    const clv_meet *t = &p->carry->meet[strand];
    return p->carry->list + t->row + (t->nrow - t->nopen);
}

static double free_of(const clv_rows *w, int slot)
{
    return w->flags[slot / G8] & CLV_ROW_DRIVEN ? 1.0 - w->pad[slot] : 1.0;
}

static int slot_of(const clv_rows *w, int strand, int row)
{
    const clv_strand *s = &w->plan->strand[strand];
    return G8 * (w->first[s->group] + row) + s->lane;
}

void clv_rows_bring_on(clv_rows *w, int strand, bool biased, bool again)
{
    const clv_row_columns *s = &w->carry.strand[strand];
    const int *row = open_rows(w->plan, strand);
    if (s->n == 0)
        return;
    if (!again) {
        begin_columns(w, strand);
        w->carry.kernels->bring(w, strand, s, biased);
    } else
        memset(s->t, 0, (size_t)s->wide * sizeof(double));
    for (int i = s->rows - 1; again && i >= 0; i--) {
        const int slot = slot_of(w, strand, i);
        const double u0 = w->u0[slot] * free_of(w, slot);
        for (int j = 0; j < s->wide; j++)
            s->t[j] += s->Y[i * s->wide + j] * u0;
    }
    for (int j = 0; j < s->n; j++)
        w->carry.g[row[j]] -= s->t[j];
}

/* a base that floats, after its factor: L += K^T I^-1 K, g -= K^T I^-1 p */
static void eliminate_floating(clv_rows *w, int strand, bool again)
{
    const clv_row_columns *s = &w->carry.strand[strand];
    const clv_row_join *join = &w->join[strand];
    const int *row = open_rows(w->plan, strand);
    for (int j = 0; !again && j < s->n; j++) {
        double x[6];
        for (int i = 0; i < 6; i++)
            x[i] = s->K[i * s->wide + j];
        clv_lower_solve(join->D, 6, x), clv_lower_transpose_solve(join->D, 6, x);
        for (int i = 0; i < 6; i++)
            s->X[i * s->wide + j] = x[i];
    }
    for (int k = 0; !again && k < s->n; k++)
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < s->n; j++)
                s->L[k * s->wide + j] += s->K[i * s->wide + k] * s->X[i * s->wide + j];
    for (int j = 0; j < s->n; j++)
        for (int i = 0; i < 6; i++)
            w->carry.g[row[j]] -= s->X[i * s->wide + j] * join->p[i];
}

bool clv_rows_meet_ground(clv_rows *w, bool again)
{
    for (int k = 0; k < w->plan->nstrand; k++)
        if (w->carry.strand[k].n > 0 && clv_rows_floats(w, k))
            eliminate_floating(w, k, again);
    return clv_rows_meet(w, w->plan->nstrand, again);
}

/* ------------------------------------------------------------------ the way down */

void clv_rows_give_multipliers(clv_rows *w, int at)
{
    const clv_plan *p = w->plan;
    const clv_meet *t = &p->carry->meet[at];
    const int own = at < p->nstrand ? 6 : 0;
    double x[6] = {0}, *sigma = w->engine->sigma;
    if (t->nfront == 0)
        return;
    if (own) {
        const int slot = w->slot[tip_of(p, at)];
        clv_row_get(w->x + (size_t)(slot / G8) * 6 * G8 + slot % G8, 6, x);
    }
    for (int k = t->front + t->nfront - 1; k >= t->front; k--) {
        const clv_row_batch *b = clv_row_batch_of(w, k);
        if (b) {
            if (b->first == k)
                clv_rows_give_batch(w, b);
            continue;
        }
        const clv_front *s = &p->carry->front[k];
        const clv_row_front *f = &w->carry.front[k];
        const int *row = p->carry->list + s->row;
        const clv_rank z = clv_rank_view(s->nout, f->rank, f->factor);
        double *q = w->carry.work;
        for (int i = 0; i < s->nout; i++) {
            const double *X = f->X + i * f->wide;
            double sum = own ? clv_dot6(X, x) : 0.0;
            for (int j = 0; j < s->nleft; j++)
                sum += X[own + j] * sigma[row[s->nout + j]];
            q[i] = sum;
        }
        clv_rank_solve(&z, q);
        for (int i = 0; i < s->nout; i++)
            sigma[row[i]] = f->sigma0[i] - q[i];
    }
}

void clv_rows_load_strand(clv_rows *w, int strand)
{
    const clv_row_columns *s = &w->carry.strand[strand];
    const int *row = open_rows(w->plan, strand);
    for (int i = 0; s->n > 0 && i < s->rows; i++) {
        const int slot = slot_of(w, strand, i);
        double sum = 0;
        for (int j = 0; j < s->n; j++)
            sum += s->Y[i * s->wide + j] * w->engine->sigma[row[j]];
        w->u0[slot] += sum * w->inverse[slot];
    }
}

void clv_rows_load_floating(clv_rows *w)
{
    for (int k = 0; k < w->plan->nstrand; k++) {
        const clv_row_columns *s = &w->carry.strand[k];
        const int *row = open_rows(w->plan, k);
        for (int i = 0; s->n > 0 && clv_rows_floats(w, k) && i < 6; i++)
            for (int j = 0; j < s->n; j++)
                w->join[k].p[i] += s->K[i * s->wide + j] * w->engine->sigma[row[j]];
    }
}

/* ------------------------------------------------------------------ self-stresses */

int clv_rows_front_nullity(const clv_rows *w, int front)
{
    return w->plan->carry->front[front].nout - w->carry.front[front].rank;
}

/* largest scaled multiplier of n rows */
static double largest(const clv_engine *e, const int *row, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(e->sigma[row[i]]) * e->scale[row[i]]);
    return most;
}

/* L_EO of a front; x := Z^+ x; its factor, in `memory` if it has none of its own */
static double coupling(const clv_rows *w, int front, int i, int j)
{
    const clv_row_front *f = &w->carry.front[front];
    const clv_row_batch *b = clv_row_batch_of(w, front);
    const int own = b ? 0 : f->wide - sixes(w->plan->carry->front[front].nleft);
    return b ? b->X[(j * b->m + i) * G8 + (front - b->first)] : f->X[i * f->wide + own + j];
}
static clv_rank rank_of(const clv_rows *w, int front, double *memory)
{
    const clv_row_front *f = &w->carry.front[front];
    return clv_row_batch_of(w, front) ? clv_rows_batch_rank(w, front, memory)
                                      : clv_rank_view(w->plan->carry->front[front].nout, f->rank, f->factor);
}
static void front_solve(const clv_rows *w, int front, double *x)
{
    if (clv_row_batch_of(w, front)) {
        clv_rows_batch_solve(w, front, x);
        return;
    }
    const clv_rank z = rank_of(w, front, NULL);
    clv_rank_solve(&z, x);
}

void clv_rows_self_stress(clv_rows *w, int front, int n)
{
    const clv_plan *p = w->plan;
    clv_engine *e = w->engine;
    double *v = w->carry.work;
    memset(e->sigma, 0, (size_t)p->nsigma * sizeof(double));
    double most = 0;
    for (int k = front; k >= 0; k--) { /* fronts outboard of others have lower numbers */
        const clv_front *s = &p->carry->front[k];
        const int *row = p->carry->list + s->row;
        if (k == front) {
            const clv_rank z = rank_of(w, k, v + s->nout);
            clv_rank_null(&z, n, v);
        } else {
            if (!(largest(e, row + s->nout, s->nleft) > CLV_TOL_SELF_STRESS * most))
                continue;
            for (int i = 0; i < s->nout; i++) {
                v[i] = 0;
                for (int j = 0; j < s->nleft; j++)
                    v[i] -= coupling(w, k, i, j) * e->sigma[row[s->nout + j]];
            }
            front_solve(w, k, v);
        }
        for (int i = 0; i < s->nout; i++)
            e->sigma[row[i]] = v[i];
        most = fmax(most, largest(e, row, s->nout));
    }
}

/* ------------------------------------------------------------------ what rows miss */

/* What the rows of an edge miss, into g; the largest beside the largest motion they compare, in units of their scales
 * (T136). */
static double edge_residual(const clv_rows *w, const clv_edge *edge)
{
    const clv_engine *e = w->engine;
    double v[CLV_HANDLES][6], missed = 0, most = 0;
    for (int h = 0; h < edge->nhandle; h++)
        clv_rows_motion(w, edge->body[h], v[h]);
    for (int j = 0; j < edge->m; j++) {
        const int row = edge->row + j;
        double r = e->row_value[row], size = fabs(r);
        for (int h = 0; h < edge->nhandle; h++) {
            const double *B = e->block + edge->block[h] + 6 * j;
            r -= clv_dot6(B, v[h]);
            for (int q = 0; q < 6; q++)
                size += fabs(B[q] * v[h][q]);
        }
        w->carry.g[row] = r;
        missed = fmax(missed, fabs(r) / e->scale[row]), most = fmax(most, size / e->scale[row]);
    }
    return most > 0 ? missed / most : 0.0;
}

double clv_rows_carry_residual(clv_rows *w)
{
    const clv_plan *p = w->plan;
    double worst = 0;
    for (int k = 0; k < p->nedge; k++)
        if (clv_edge_closes(&p->edge[k]))
            worst = fmax(worst, edge_residual(w, &p->edge[k]));
    return worst;
}
