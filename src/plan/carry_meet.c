/* SPDX-License-Identifier: Apache-2.0
 * What meets at the tip of a strand, on a flexible body, or on ground (T101).  Edges arrive there, its fronts eliminate
 * some, and the strand takes the open ones along.  Then rows of fronts, pieces and handles get their columns. */
#include <limits.h>
#include "base/memory.h"
#include "math/lane.h"
#include "plan/carrying.h"

static void note_edge(clv_carrying *w, int e)
{
    if (w->stamp[e] != w->now)
        w->stamp[e] = w->now, w->head[e] = -1, clv_carry_push(w, &w->pool, e);
}

/* edges that hold one of the bodies of a piece */
static void note_holds(clv_carrying *w, int piece)
{
    int n, body = clv_carry_bodies(w->p, piece, &n);
    for (; n > 0; n--, body++)
        for (int i = w->body_hold[body]; i >= 0; i = w->hold.v[i + 2])
            note_edge(w, w->hold.v[i]);
}

/* edges that arrive at a meet, ascending, to the end of the pool; the pieces that bring some as elements */
static int arrive(clv_carrying *w, int at)
{
    const int from = w->pool.n;
    w->now++, w->nelement = 0, w->link.n = 0;
    for (int k = w->first_child[at]; k >= 0; k = w->next_child[k])
        for (int i = 0; i < w->open_n[k]; i++)
            note_edge(w, w->pool.v[w->open_first[k] + i]);
    if (at != w->ground)
        note_holds(w, at);
    if (!w->ok)
        return from;
    clv_carry_sort(w->pool.v + from, w->pool.n - from);
    for (int k = w->first_child[at]; k >= 0 && w->ok; k = w->next_child[k])
        if (w->open_n[k] > 0)
            clv_carry_add_element(w, k, w->open_n[k], w->open_first[k]);
    return from;
}

/* estimated instructions of a piece that takes n open rows along */
static double piece_work(const clv_plan *p, int piece, int n)
{
    const int eights = (n + 7) / 8;
    if (piece < p->nstrand)
        return p->strand[piece].length * eights * (170.0 + 4.0 * n) + (p->strand[piece].on_star ? n * (60.0 + n) : 0);
    const double modes = p->star[piece - p->nstrand].nmode;
    return n * (60.0 + modes * (20.0 + modes + 0.5 * n) + n);
}

/* Of a strand that stands in series with others (T171): six columns in lanes, and a join.  Here those outboard are
 * known, and of the one inboard how long it is. */
static bool may_stand_in_series(const clv_carrying *w, int strand)
{
    const clv_plan *p = w->p;
    const int at = w->inboard[strand];
    bool some = at < p->nstrand && p->strand[at].length >= CLV_SERIES_LEAST;
    for (int i = w->first_child[strand]; i >= 0; i = w->next_child[i])
        some |= i < p->nstrand && p->strand[i].base != CLV_BASE_FOLD && clv_carry_passes(w, i);
    return some && clv_carry_passes(w, strand);
}

/* Strands of one depth, length and number of rows share lanes (T133): after the first one, a quarter. */
static void add_work(clv_carrying *w, int piece, int n)
{
    const clv_plan *p = w->p;
    if (piece < p->nstrand && may_stand_in_series(w, piece)) {
        w->cost += 1000 + 24.0 * p->strand[piece].length, w->like = -1;
        w->large |= w->cost > w->most;
        return;
    }
    const int like = w->like;
    const bool strand = piece < p->nstrand, alike = strand && like >= 0 && w->depth[like] == w->depth[piece] &&
                                                    w->c->meet[like].nopen == n &&
                                                    2 * p->strand[like].length >= p->strand[piece].length &&
                                                    2 * p->strand[piece].length >= p->strand[like].length;
    w->abreast = alike && w->abreast + 1 < CLV_GROUP ? w->abreast + 1 : 0;
    w->like = strand ? piece : -1;
    w->cost += piece_work(p, piece, n) * (w->abreast > 0 ? 0.25 : 1);
    w->large |= w->cost > w->most;
}

/* rows that are left after the fronts of a meet are those of its piece */
static void list_open(clv_carrying *w, clv_meet *t, int at, const int *edge, int n, int columns)
{
    const int first = w->pool.n;
    t->row = w->list.n, t->nrow = columns;
    for (int i = t->front; i < t->front + t->nfront; i++)
        for (int r = 0; r < w->c->front[i].nout; r++)
            clv_carry_push(w, &w->list, w->list.v[w->c->front[i].row + r]);
    for (int i = 0; i < n; i++)
        if (!w->done[edge[i]])
            clv_carry_push(w, &w->pool, edge[i]);
    if (!w->ok)
        return;
    clv_carry_list_rows(w, w->pool.v + first, w->pool.n - first, &t->nrow);
    t->nopen = t->nrow - columns;
    for (int i = first; i < w->pool.n; i++)
        w->column[w->pool.v[i]] = w->place[w->pool.v[i]];
    if (at == w->ground)
        return;
    w->open_first[at] = first, w->open_n[at] = w->pool.n - first;
    add_work(w, at, t->nopen);
}

static int first_place(const clv_carrying *w, int places) { return places < w->list.n ? w->list.v[places] : INT_MAX; }

/* Pairs (element, places) by their first places: strands that are alike then take up what they do in one order. */
static void sort_pairs(const clv_carrying *w, const clv_carry_ints *x)
{
    for (int i = 2; w->ok && i < x->n; i += 2)
        for (int *v = x->v + i; v > x->v && first_place(w, v[1]) < first_place(w, v[-1]); v -= 2) {
            const int id = v[0], places = v[1];
            v[0] = v[-2], v[1] = v[-1], v[-2] = id, v[-1] = places;
        }
}

/* (edge, handle, column) of the edges that hold bodies of a piece */
static void list_handles(clv_carrying *w, int piece, clv_carry_ints *handle)
{
    int n, body = clv_carry_bodies(w->p, piece, &n);
    for (; n > 0; n--, body++)
        for (int i = w->body_hold[body]; i >= 0; i = w->hold.v[i + 2]) {
            clv_carry_push(w, handle, w->hold.v[i]), clv_carry_push(w, handle, w->hold.v[i + 1]);
            clv_carry_push(w, handle, w->place[w->hold.v[i]]);
        }
}

/* where rows of fronts, pieces and handles have their columns in the meet */
static void list_columns(clv_carrying *w, clv_meet *t, int at, const int *edge, int n)
{
    clv_carry_ints strand = {0}, handle = {0}, left = {0};
    for (int i = 0; i < n; i++)
        w->place[edge[i]] = w->column[edge[i]];
    for (int i = 0; i < w->nelement; i++) {
        const clv_carry_element *x = &w->element[i];
        const int places = clv_carry_list_places(w, x->edge, x->n);
        if (x->id >= w->ground)
            w->c->front[x->id - w->ground].left = places;
        else
            clv_carry_push(w, &strand, x->id), clv_carry_push(w, &strand, places);
    }
    if (at != w->ground)
        list_handles(w, at, &handle);
    for (int i = 0; i < n; i++)
        w->place[edge[i]] -= t->nrow - t->nopen;
    for (int i = 0; i < w->nelement; i++)
        if (!w->element[i].gone)
            clv_carry_push(w, &left, w->element[i].id),
                clv_carry_push(w, &left, clv_carry_list_places(w, w->element[i].edge, w->element[i].n));
    sort_pairs(w, &strand), sort_pairs(w, &left);
    t->strand = clv_carry_list_pairs(w, &strand, &t->nstrand), t->left = clv_carry_list_pairs(w, &left, &t->nleft);
    t->handle = clv_carry_list_pairs(w, &handle, &t->nhandle), t->nhandle = handle.n / 3;
    clv_free(strand.v), clv_free(handle.v), clv_free(left.v);
}

void clv_carry_make_meet(clv_carrying *w, int at)
{
    clv_meet *t = &w->c->meet[at];
    const int from = arrive(w, at), n = w->pool.n - from;
    int columns = 0, *edge = clv_alloc((size_t)n + 1, sizeof *edge);
    if (!edge || !w->ok) {
        w->ok = false;
        clv_free(edge);
        return;
    }
    for (int i = 0; i < n; i++)
        edge[i] = w->pool.v[from + i];
    clv_carry_eliminate(w, at, edge, n, &columns);
    if (w->ok && !w->large)
        list_open(w, t, at, edge, n, columns);
    if (w->ok && !w->large)
        list_columns(w, t, at, edge, n);
    clv_free(edge);
}
