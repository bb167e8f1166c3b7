/* SPDX-License-Identifier: Apache-2.0
 * Loops carried by the tree (T101): rows of closings where strands meet, and between; see row_carry.h.
 *
 * The elimination of a front adds G^T D^-1 G to the inertia of the tip and takes it off what its rows have in common,
 * G = F^-1 [K_E^T | g_E | L_EO] with Z^+ = F^-T D^-1 F^-1: nothing cancels but in L.  A direction that Z lacks is
 * dropped there (T20): rows without compliance have no K either. */
#include "kinematics/row_axes.h"
#include "kinematics/row_carry_parts.h"
#include "math/lane.h"
#include "math/semi.h"
#include "math/spatial.h"
#include <math.h>

/* columns of a strand outboard, added to those at the tip; in a sheaf they are in the axes of the tip already */
static void add_columns(const clv_rows *w, int strand, const int *to, double *K)
{
    const clv_row_sheaf *sheaf = clv_row_sheaf_of(w, strand);
    const clv_row_columns *c = &w->carry.strand[strand];
    const double *from = sheaf ? sheaf->K + w->plan->strand[strand].lane : c->K;
    const int next = sheaf ? 6 * G8 : 1, step = sheaf ? G8 : c->wide;
    for (int j = 0; j < c->n; j++, from += next) {
        double x[6];
        for (int i = 0; i < 6; i++)
            x[i] = from[i * step];
        if (!sheaf && !c->joined)
            clv_row_to_global(w->join[strand].R, x, x);
        clv_add6(K + 6 * to[j], x);
    }
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
        const int *from = c->list + t->strand + 2 * i;
        add_columns(w, from[0], c->list + from[1], K);
    }
    clv_row_axes(w, strand, R);
    for (int i = 0; i < t->nhandle; i++) {
        const int *handle = c->list + t->handle + 3 * i;
        const clv_edge *edge = &w->plan->edge[handle[0]];
        double *to = K + 6 * handle[2];
        for (int j = 0; j < edge->m; j++)
            if (clv_edge_carries(edge, j)) {
                clv_row_to_strand(R, x, e->block + edge->block[handle[1]] + 6 * j);
                clv_add6(to, x), to += 6;
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
    const int front = element - w->npiece;
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
        const int id = pair[2 * i] - w->npiece, *place = c->list + pair[2 * i + 1];
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

/* [K_E^T | g_E 0 | L_EO] of a front, in its scale; L: of all its rows, in lines of n */
static void form_columns(const clv_rows *w, int at, const clv_front *s, const clv_row_front *f, const double *L, int n,
                         const double *scale, double *X)
{
    const int *row = w->plan->carry->list + s->row;
    for (int i = 0; i < s->nout; i++, X += f->wide) {
        const double *K = at < w->plan->nstrand ? w->carry.K[at] + 6 * (s->column + i) : NULL;
        for (int j = 0; j < 6; j++)
            X[j] = K ? K[j] * scale[i] : 0.0;
        X[6] = w->carry.g[row[i]] * scale[i], X[7] = 0;
        for (int j = 0; j < f->wide - 8; j++)
            X[8 + j] = j < s->nleft ? L[i * n + s->nout + j] * scale[i] : 0.0;
    }
}

/* I += S_KK of a tip, p += S_Kg, K_O -= S_OK; S: squares of the columns */
static void stiffen_tip(const clv_rows *w, int strand, const clv_front *s, const clv_row_front *f, const double *S)
{
    const int tip = clv_row_tip_of(w->plan, strand), *left = w->plan->carry->list + s->left;
    double *I = clv_row_attached(w, w->I, 21, tip), *Q = clv_row_attached(w, w->Q, 6, tip);
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j <= i; j++)
            I[CLV_SYM[i][j] * G8] += S[i * f->wide + j];
        Q[i * G8] += S[i * f->wide + 6];
    }
    for (int j = 0; j < s->nleft; j++)
        for (int i = 0; i < 6; i++)
            w->carry.K[strand][6 * left[j] + i] -= S[(8 + j) * f->wide + i];
}

/* what is left of L and g: L_OO - S_OO, g_O - S_Og */
static void leave(const clv_rows *w, const clv_front *s, clv_row_front *f, const double *L, int n, const double *S)
{
    const int wide = clv_row_sixes(s->nleft), *row = w->plan->carry->list + s->row + s->nout;
    for (int i = 0; i < s->nleft; i++) {
        const double *from = S + (8 + i) * f->wide, *whole = L + (s->nout + i) * n + s->nout;
        for (int j = 0; j < s->nleft; j++)
            f->L[i * wide + j] = whole[j] - from[8 + j];
        w->carry.g[row[i]] -= from[6];
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

/* What is eliminated of a front changes what is outboard of the tip of strand `at`, or on ground, and the rows left. */
static void spread_front(clv_rows *w, int at, const clv_front *s, clv_row_front *f, const clv_semi *z, const double *L,
                         int n, double *X)
{
    const bool tip = at < w->plan->nstrand;
    const clv_semi_kernels *kernels = w->carry.semi;
    double *S = X + s->nout * f->wide;
    form_columns(w, at, s, f, L, n, z->s, X);
    kernels->half(z, f->G, X, f->wide);
    for (int k = 0; k < f->rank; k++)
        f->h[k] = f->G[k * f->wide + 6];
    if (tip) {
        kernels->square(z, S, f->G, f->wide, 0, 6, 8);
        kernels->square(z, S, f->G, f->wide, 8, 8 + s->nleft, f->wide);
        stiffen_tip(w, at, s, f, S);
    } else
        kernels->square(z, S, f->G, f->wide, 8, 8 + s->nleft, f->wide);
    leave(w, s, f, L, n, S);
}

/* h of the right-hand sides g_E */
static void push_rows(clv_rows *w, const clv_front *s, const clv_row_front *f, const clv_semi *z)
{
    const int *row = w->plan->carry->list + s->row;
    double *g = w->carry.work;
    for (int i = 0; i < s->nout; i++)
        g[i] = w->carry.g[row[i]];
    clv_semi_forwards(z, f->h, g);
}

/* a front at the tip of strand `at`, or on ground; false: numbers that are not finite */
static bool factor_front(clv_rows *w, int at, int k)
{
    clv_engine *e = w->engine;
    const clv_front *s = &w->plan->carry->front[k];
    const int n = CLV_EIGHTS(s->nout + s->nleft), m = s->nout, *row = w->plan->carry->list + s->row;
    clv_row_front *f = &w->carry.front[k];
    double *L = w->carry.work, *scale = L + (s->nout + s->nleft) * n, pivot;
    memset(L, 0, (size_t)((s->nout + s->nleft) * n) * sizeof(double));
    clv_rows_add_elements(w, L, n, w->plan->carry->list + s->taken, s->ntaken);
    for (int i = 0; i < m; i++)
        scale[i] = fmax(e->scale[row[i]], sqrt(fmax(L[i * n + i], 0.0)));
    for (int i = m; i < CLV_EIGHTS(m); i++)
        scale[i] = 1.0;
    clv_semi z = clv_semi_view(m, m, f->factor);
    f->rank = w->carry.semi->factor(&z, L, n, scale, e->threshold, &pivot);
    if (f->rank < 0) {
        e->failed_edge = edge_of_row(w->plan, row[0]);
        return false;
    }
    note_pivots(e, &z, pivot);
    if (f->wide > 0)
        spread_front(w, at, s, f, &z, L, n, scale + CLV_EIGHTS(m));
    else
        push_rows(w, s, f, &z);
    return true;
}

/* other right-hand sides of a front: h, p += G_K^T D^-1 h, g_O -= G_O^T D^-1 h */
static void push_front(clv_rows *w, int at, int k)
{
    const clv_plan *p = w->plan;
    const clv_front *s = &p->carry->front[k];
    const clv_row_front *f = &w->carry.front[k];
    const int *left = p->carry->list + s->row + s->nout;
    const clv_semi z = clv_semi_view(s->nout, f->rank, f->factor);
    double F[6] = {0};
    push_rows(w, s, f, &z);
    for (int r = 0; f->wide > 0 && r < f->rank; r++) {
        const double *G = f->G + r * f->wide, y = f->h[r] * z.inverse[r];
        for (int j = 0; j < 6; j++)
            F[j] += G[j] * y;
        for (int j = 0; j < s->nleft; j++)
            w->carry.g[left[j]] -= G[8 + j] * y;
    }
    double *Q = at < p->nstrand ? clv_row_attached(w, w->Q, 6, clv_row_tip_of(p, at)) : NULL;
    for (int j = 0; Q && j < 6; j++)
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
        if (again)
            push_front(w, at, k);
        else if (!factor_front(w, at, k))
            return false;
    }
    return true;
}
