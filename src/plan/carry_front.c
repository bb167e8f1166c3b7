/* SPDX-License-Identifier: Apache-2.0
 * Fronts of a meet (T101): edges whose bodies have all been met are eliminated, least neighbours first.
 *
 * Each makes a front, and an element of its neighbours.  Edges with the same neighbours as the one chosen go with it.
 * Many edges on ground go in rounds of fronts that do not depend on each other (T134).  Branches that are joined two at
 * a time (T29) have theirs on ground node by node. */
#include "base/memory.h"
#include "plan/carrying.h"

enum { MOST_ROWS = 96, MOST_PORTED = 600, MANY = 24 }; /* MANY: edges on ground that are eliminated in rounds */

/* Edges beside e in its elements, and e, to the end of the pool; their rows. */
static int neighbours(clv_carrying *w, int e, int *rows)
{
    const int from = w->pool.n;
    w->now++, *rows = clv_edge_carried(&w->p->edge[e]);
    w->stamp[e] = w->now;
    clv_carry_push(w, &w->pool, e);
    for (int l = w->head[e]; l >= 0 && w->ok; l = w->link.v[l + 1]) {
        const clv_carry_element *x = &w->element[w->link.v[l]];
        for (int i = 0; i < x->n && !x->gone; i++) {
            const int f = w->pool.v[x->edge + i];
            if (w->stamp[f] == w->now)
                continue;
            w->stamp[f] = w->now, *rows += clv_edge_carried(&w->p->edge[f]);
            clv_carry_push(w, &w->pool, f);
        }
    }
    return from;
}

/* does edge e wait to be eliminated at this meet, and in the node at hand? */
static bool waits(const clv_carrying *w, int e, int at)
{
    return w->met[e] == at && !w->done[e] && (w->node < 0 || w->p->edge[e].node == w->node);
}

static void offer(clv_carrying *w, int e)
{
    w->pool.n = neighbours(w, e, &w->degree[e]);
    clv_carry_heap_push(w, (clv_carry_candidate){w->degree[e], e});
}

/* Do all elements of an edge lie among the edges with the present stamp? */
static bool inside(const clv_carrying *w, int e)
{
    for (int l = w->head[e]; l >= 0; l = w->link.v[l + 1]) {
        const clv_carry_element *x = &w->element[w->link.v[l]];
        for (int i = 0; i < x->n && !x->gone; i++)
            if (w->stamp[w->pool.v[x->edge + i]] != w->now)
                return false;
    }
    return true;
}

static clv_front *new_front(clv_carrying *w)
{
    clv_carry *c = w->c;
    if (c->nfront == w->front_room) {
        const int room = 2 * w->front_room + 16;
        clv_front *f = clv_resize(c->front, (size_t)room, sizeof *f);
        if (!f)
            return w->ok = false, NULL;
        c->front = f, w->front_room = room;
    }
    c->front[c->nfront] = (clv_front){0};
    return &c->front[c->nfront++];
}

/* The edges of a front, pool[from ..], those that it eliminates first; their number. */
static int split(clv_carrying *w, int from, int at)
{
    const int n = w->pool.n - from;
    int *v = w->pool.v + from, out = 0;
    clv_carry_sort(v, n);
    for (int i = 0; i < n; i++)
        if (waits(w, v[i], at) && inside(w, v[i]) && !(w->round > 0 && w->blocked[v[i]] == w->round)) {
            const int e = v[i];
            for (int k = i; k > out; k--)
                v[k] = v[k - 1];
            v[out++] = e;
        }
    return out;
}

/* operations of a front, in instructions */
double clv_front_work(int out, int left, bool tip)
{
    const double m = out, n = left + 6.0 * tip;
    return 150 + 20 * m + 1.5 * m * m * m + m * m * n + 1.2 * m * n * n + 4 * (m + n) * (m + n);
}

/* the elements of n eliminated edges go into their front; one of the same round makes it follow that round */
static void take_elements(clv_carrying *w, clv_front *f, int edge, int n)
{
    clv_carry_ints taken = {0};
    for (int i = 0; i < n; i++) {
        w->done[w->pool.v[edge + i]] = 1;
        for (int l = w->head[w->pool.v[edge + i]]; l >= 0; l = w->link.v[l + 1]) {
            clv_carry_element *x = &w->element[w->link.v[l]];
            if (!x->gone)
                clv_carry_push(w, &taken, x->id), clv_carry_push(w, &taken, clv_carry_list_places(w, x->edge, x->n));
            if (!x->gone && x->id >= w->ground && w->c->front[x->id - w->ground].round == w->round)
                f->round = 0;
            x->gone = true;
        }
    }
    f->taken = clv_carry_list_pairs(w, &taken, &f->ntaken);
    clv_free(taken.v);
}

/* eliminates edge e and those that go with it; columns: rows eliminated here before */
static void make_front(clv_carrying *w, int e, int at, int *columns)
{
    clv_front *f = new_front(w);
    int rows, count = 0;
    const int from = neighbours(w, e, &rows);
    if (!w->ok)
        return;
    const int out = split(w, from, at), n = w->pool.n - from;
    f->row = w->list.n, f->round = w->round;
    clv_carry_list_rows(w, w->pool.v + from, out, &count);
    f->nout = count, f->column = *columns;
    for (int i = from; i < from + out; i++)
        w->column[w->pool.v[i]] = *columns + w->place[w->pool.v[i]];
    clv_carry_list_rows(w, w->pool.v + from + out, n - out, &count);
    f->nleft = count - f->nout;
    take_elements(w, f, from, out);
    *columns += f->nout;
    w->c->most = count > w->c->most ? count : w->c->most;
    w->large |= count > (w->p->ported ? MOST_PORTED : MOST_ROWS);
    w->cost += clv_front_work(f->nout, f->nleft, at < w->ground);
    clv_carry_add_element(w, w->ground + w->c->nfront - 1, n - out, from + out);
    for (int i = from + out; i < from + n && w->ok; i++)
        if (waits(w, w->pool.v[i], at))
            offer(w, w->pool.v[i]);
}

/* the heap in rounds: of edges with up to twice the least degree those that are not neighbours.  Their fronts go in
 * lanes, and the number of fronts one after the other is the logarithm of that of the edges. */
static void eliminate_round(clv_carrying *w, int at, clv_carry_ints *later, int *columns)
{
    int limit = 0;
    later->n = 0, w->round++;
    while (w->nheap > 0 && w->ok && !w->large) {
        const clv_carry_candidate x = clv_carry_heap_pop(w);
        if (w->done[x.edge] || w->degree[x.edge] != x.degree)
            continue;
        limit = limit > 0 ? limit : 2 * x.degree;
        if (x.degree > limit || w->blocked[x.edge] == w->round) {
            clv_carry_push(w, later, x.edge);
            if (x.degree > limit)
                break;
            continue;
        }
        make_front(w, x.edge, at, columns);
        const clv_carry_element *left = w->nelement > 0 ? &w->element[w->nelement - 1] : NULL;
        for (int i = 0; w->ok && left && i < left->n; i++)
            w->blocked[w->pool.v[left->edge + i]] = w->round;
    }
    for (int i = 0; i < later->n && w->ok; i++)
        clv_carry_heap_push(w, (clv_carry_candidate){w->degree[later->v[i]], later->v[i]});
}

/* those that wait, least degree first */
static void eliminate_waiting(clv_carrying *w, int at, const int *edge, int n, int *columns)
{
    w->nheap = 0;
    for (int i = 0; i < n && w->ok; i++)
        if (waits(w, edge[i], at))
            offer(w, edge[i]);
    clv_carry_ints later = {0};
    while (at == w->ground && !w->p->ported && w->node < 0 && n >= MANY && w->nheap > 0 && w->ok && !w->large)
        eliminate_round(w, at, &later, columns);
    clv_free(later.v), w->round = 0;
    while (w->nheap > 0 && w->ok && !w->large) {
        const clv_carry_candidate x = clv_carry_heap_pop(w);
        if (!w->done[x.edge] && w->degree[x.edge] == x.degree)
            make_front(w, x.edge, at, columns);
    }
}

/* the next node, after `node`, that closes one of the edges; -1: none */
static int next_node(const clv_carrying *w, const int *edge, int n, int node)
{
    int next = -1;
    for (int i = 0; i < n; i++) {
        const int own = w->p->edge[edge[i]].node;
        if (own > node && (next < 0 || own < next))
            next = own;
    }
    return next;
}

/* all edges that are complete */
void clv_carry_eliminate(clv_carrying *w, int at, const int *edge, int n, int *columns)
{
    clv_meet *t = &w->c->meet[at];
    t->front = w->c->nfront;
    w->node = -1;
    while (w->pairs && (w->node = next_node(w, edge, n, w->node)) >= 0 && w->ok && !w->large)
        eliminate_waiting(w, at, edge, n, columns);
    eliminate_waiting(w, at, edge, n, columns);
    t->nfront = w->c->nfront - t->front;
}
