/* SPDX-License-Identifier: Apache-2.0
 * Loops carried by the tree (T101): rows of closings where strands meet, and between; see row_carry.h.
 *
 * The elimination of a front adds G^T G to the inertia of the tip and takes G^T G off what its rows have in common,
 * G = F^-1 [K_E^T | L_EO] with Z^+ = F^-T F^-1: nothing cancels but in L.  A direction that Z lacks is dropped there
 * (T20): rows without compliance have no K either. */
#include "kinematics/row_axes.h"
#include "kinematics/row_carry_parts.h"
#include "math/lane.h"
#include "math/semi.h"
#include "math/spatial.h"
#include <math.h>

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

static void scatter_triangle(double *restrict to, int line, const double *restrict L, int n, const int *restrict place)
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
    return w->carry.front[front].L[i * clv_row_sixes(w->plan->carry->front[front].nleft) + j];
}

void clv_rows_add_elements(const clv_rows *w, double *to, int line, const int *pair, int n)
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
            scatter(to, line, w->carry.front[id].L, c->front[id].nleft, clv_row_sixes(c->front[id].nleft), place);
    }
}

/* [K_E^T | L_EO] of a front, and, where rows are left, Z = L_EE; L: of all its rows */
static void form_front(const clv_rows *w, int at, const clv_front *s, clv_row_front *f, const double *L, double *Z)
{
    const int n = s->nout + s->nleft, own = at < w->plan->nstrand ? 6 : 0;
    for (int i = 0; i < s->nout; i++) {
        double *X = f->X + i * f->wide;
        if (own)
            memcpy(X, w->carry.K[at] + 6 * (s->column + i), 6 * sizeof(double));
        if (s->nleft == 0)
            continue;
        memcpy(X + own, L + i * n + s->nout, (size_t)s->nleft * sizeof(double));
        memcpy(Z + i * s->nout, L + i * n, (size_t)s->nout * sizeof(double));
    }
}

/* I += G^T G, K_O -= G_O^T G_K of a tip */
static void stiffen_tip(const clv_rows *w, int strand, const clv_front *s, const clv_row_front *f, const double *G)
{
    double *I = clv_row_attached(w, w->I, 21, clv_row_tip_of(w->plan, strand)), M[36] = {0};
    const int *left = w->plan->carry->list + s->left;
    for (int r = 0; r < f->rank; r++)
        for (int i = 0; i < 6; i++)
            clv_six_store(M + 6 * i,
                          clv_six_add(clv_six_load(M + 6 * i), G[r * f->wide + i], clv_six_load(G + r * f->wide)));
    for (int i = 0; i < 6; i++)
        for (int j = 0; j <= i; j++)
            I[CLV_SYM[i][j] * G8] += M[6 * i + j];
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
    const int n = s->nout + s->nleft, wide = clv_row_sixes(s->nleft);
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

static void note_pivots(clv_engine *e, const clv_semi *f, double pivot)
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
    double *L = w->carry.work, *Z = s->nleft > 0 ? L + n * n : L, *scale = L + n * n + m * m, *G = scale + m, pivot;
    memset(L, 0, (size_t)(n * n) * sizeof(double));
    clv_rows_add_elements(w, L, n, w->plan->carry->list + s->taken, s->ntaken);
    form_front(w, at, s, f, L, Z);
    for (int i = 0; i < m; i++)
        scale[i] = fmax(e->scale[row[i]], sqrt(fmax(Z[i * m + i], 0.0)));
    clv_semi z = clv_semi_view(m, m, f->factor);
    f->rank = clv_semi_factor(&z, Z, scale, e->threshold, &pivot);
    if (f->rank < 0) {
        e->failed_edge = edge_of_row(w->plan, row[0]);
        return false;
    }
    note_pivots(e, &z, pivot);
    if (f->wide > 0)
        clv_semi_half_columns(&z, G, f->X, f->wide);
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
    const clv_semi z = clv_semi_view(s->nout, f->rank, f->factor);
    double *g = w->carry.g;
    for (int i = 0; i < s->nout; i++)
        f->sigma0[i] = g[row[i]];
    clv_semi_solve(&z, f->sigma0);
    double F[6] = {0};
    for (int i = 0; i < s->nout; i++) {
        const double *X = f->X + i * f->wide;
        for (int j = 0; j < own; j++)
            F[j] += X[j] * f->sigma0[i];
        for (int j = 0; j < s->nleft; j++)
            g[row[s->nout + j]] -= X[own + j] * f->sigma0[i];
    }
    double *Q = own ? clv_row_attached(w, w->Q, 6, clv_row_tip_of(p, at)) : NULL;
    for (int j = 0; j < own; j++)
        Q[j * G8] += F[j];
}

/* what a batch of a round has found, and what its right-hand sides take off other rows */
static bool note_batch(clv_rows *w, const clv_row_batch *b, bool again)
{
    const int bad = again ? -1 : clv_rows_note_batch(w, b);
    if (bad >= 0)
        w->engine->failed_edge = edge_of_row(w->plan, w->plan->carry->list[w->plan->carry->front[bad].row]);
    else
        clv_rows_take_off_batch(w, b);
    return bad < 0;
}

bool clv_rows_meet(clv_rows *w, int at, bool again)
{
    const clv_carry *c = w->plan->carry;
    const clv_meet *t = &c->meet[at];
    if (t->nrow == 0 || (at < w->plan->nstrand && clv_row_sheaf_of(w, at)))
        return true;
    if (!again && at < w->plan->nstrand)
        gather_columns(w, at);
    for (int k = t->front, round = k; k < t->front + t->nfront; k++) {
        const clv_row_batch *b = clv_row_batch_of(w, k);
        if (k >= round && c->front[k].round > 0)
            clv_rows_round_factor(w, k, again), round = clv_rows_round_end(c, k);
        if (b) {
            if (b->first == k && !note_batch(w, b, again))
                return false;
            continue;
        }
        if (!again && !factor_front(w, at, k))
            return false;
        push_front(w, at, k);
    }
    return true;
}
