/* SPDX-License-Identifier: Apache-2.0
 * Loops carried by the tree (T101): where the rows of a closing meet, and in which order they are eliminated there.
 *
 * Strands are passed outermost first.  At the tip of one, each strand that arrives is an ELEMENT: a clique of edges.
 * Edges whose bodies have all been met are eliminated, least neighbours first.  Each makes a FRONT, and an element of
 * its neighbours.  The strand takes the rest along as one element; what is left meets on ground.
 *
 * Edges with the same neighbours as the one chosen go with it.  Many edges on ground go in rounds of fronts that do not
 * depend on each other.  The plan then compares the work with that of nodes:
 * nets keep nodes, and so do long strands, whose columns nodes carry in the lanes of the strands. */
#include "base/error.h"
#include "model/joint.h"
#include "model/light.h"
#include "plan/plan.h"
#include <stdlib.h>

enum { MOST_ROWS = 96, MOST_STEPS = 200, MANY = 24 }; /* MANY: edges on ground that are eliminated in rounds */

typedef struct ints {
    int *v, n, room;
} ints;

typedef struct element {
    int id;      /* strand, or nstrand + front */
    int n, edge; /* edges, in `pool`           */
    bool gone;
} element;

typedef struct candidate {
    int degree, edge;
} candidate;

typedef struct work {
    clv_plan *p;
    clv_carry *c;
    ints list, pool, link; /* link: pairs (element, next) of the elements of an edge                   */
    element *element;      /* of one meet                                                              */
    int nelement, element_room, front_room;
    int *head, *degree;            /* (nedge)                                                                  */
    int *place, *column;           /* (nedge) of the first row: in the list at hand, in the meet               */
    int *body_hold;                /* (nbody) first place in `hold` of the edges on a body                     */
    ints hold;                     /* (edge, handle, next)                                                     */
    int *met, *stamp, now;         /* (nedge) where all its bodies have been met; marks                        */
    char *done;                    /* (nedge)                                                                  */
    int *open_first, *open_n;      /* (nstrand) open edges of a strand, in `pool`                      */
    int *first_child, *next_child; /* (nstrand + 1), (nstrand): strands that start from a tip or from ground */
    candidate *heap;
    int nheap, heap_room;
    int round, *blocked; /* (nedge) round in which a neighbour was eliminated                                  */
    double cost, most;   /* estimated instructions; those of nodes                             */
    long steps;          /* between strands, to find where edges meet                                */
    bool ok, large;
} work;

static int push(work *w, ints *a, int value)
{
    if (a->n == a->room) {
        const int room = 2 * a->room + 64;
        int *v = clv_resize(a->v, (size_t)room, sizeof *v);
        if (!v)
            return w->ok = false, 0;
        a->v = v, a->room = room;
    }
    a->v[a->n] = value;
    return a->n++;
}

static bool less(const candidate *a, const candidate *b)
{
    return a->degree != b->degree ? a->degree < b->degree : a->edge < b->edge;
}

static void heap_push(work *w, candidate x)
{
    if (w->nheap == w->heap_room) {
        const int room = 2 * w->heap_room + 64;
        candidate *h = clv_resize(w->heap, (size_t)room, sizeof *h);
        if (!h) {
            w->ok = false;
            return;
        }
        w->heap = h, w->heap_room = room;
    }
    int i = w->nheap++;
    for (; i > 0 && less(&x, &w->heap[(i - 1) / 2]); i = (i - 1) / 2)
        w->heap[i] = w->heap[(i - 1) / 2];
    w->heap[i] = x;
}

static candidate heap_pop(work *w)
{
    const candidate top = w->heap[0], last = w->heap[--w->nheap];
    int i = 0;
    for (int c; (c = 2 * i + 1) < w->nheap; i = c) {
        c += c + 1 < w->nheap && less(&w->heap[c + 1], &w->heap[c]);
        if (!less(&w->heap[c], &last))
            break;
        w->heap[i] = w->heap[c];
    }
    w->heap[i] = last;
    return top;
}

static bool holds_ground(const clv_plan *p, int edge)
{
    const clv_edge *e = &p->edge[edge];
    const clv_model *m = p->model;
    bool ground = e->joint >= 0 && (m->joint[e->joint].a < 0 || m->joint[e->joint].b < 0);
    for (int i = 0; e->coupling >= 0 && i < m->coupling[e->coupling].nterm; i++) {
        const clv_joint *j = &m->joint[m->coupling[e->coupling].term[i].joint];
        ground |= j->a < 0 || j->b < 0;
    }
    return ground;
}

/* ------------------------------------------------------------------ one meet */

static void add_element(work *w, int id, int n, int edge)
{
    if (w->nelement == w->element_room) {
        const int room = 2 * w->element_room + 16;
        element *e = clv_resize(w->element, (size_t)room, sizeof *e);
        if (!e) {
            w->ok = false;
            return;
        }
        w->element = e, w->element_room = room;
    }
    w->element[w->nelement] = (element){id, n, edge, false};
    for (int i = 0; i < n && w->ok && w->pool.v; i++) {
        const int e = w->pool.v[edge + i], at = push(w, &w->link, w->nelement);
        push(w, &w->link, w->head[e]);
        w->head[e] = at;
    }
    w->nelement++;
}

/* Edges beside e in its elements, and e, to the end of the pool; their rows. */
static int neighbours(work *w, int e, int *rows)
{
    const int from = w->pool.n;
    w->now++, *rows = w->p->edge[e].m;
    w->stamp[e] = w->now;
    push(w, &w->pool, e);
    for (int l = w->head[e]; l >= 0 && w->ok; l = w->link.v[l + 1]) {
        const element *x = &w->element[w->link.v[l]];
        for (int i = 0; i < x->n && !x->gone; i++) {
            const int f = w->pool.v[x->edge + i];
            if (w->stamp[f] == w->now)
                continue;
            w->stamp[f] = w->now, *rows += w->p->edge[f].m;
            push(w, &w->pool, f);
        }
    }
    return from;
}

static void offer(work *w, int e)
{
    w->pool.n = neighbours(w, e, &w->degree[e]);
    heap_push(w, (candidate){w->degree[e], e});
}

/* Do all elements of an edge lie among the edges with the present stamp? */
static bool inside(const work *w, int e)
{
    for (int l = w->head[e]; l >= 0; l = w->link.v[l + 1]) {
        const element *x = &w->element[w->link.v[l]];
        for (int i = 0; i < x->n && !x->gone; i++)
            if (w->stamp[w->pool.v[x->edge + i]] != w->now)
                return false;
    }
    return true;
}

/* rows of edges to the list; where those of an edge begin among them, from `start` on: w->place */
static int list_rows(work *w, const int *edge, int n, int *count)
{
    for (int i = 0; i < n; i++) {
        const clv_edge *e = &w->p->edge[edge[i]];
        w->place[edge[i]] = *count;
        *count += e->m;
        for (int r = 0; r < e->m; r++)
            push(w, &w->list, e->row + r);
    }
    return w->list.n;
}

/* places of the rows of n edges, by w->place */
static int list_places(work *w, int edge, int n)
{
    const int from = w->list.n;
    for (int i = 0; i < n; i++)
        for (int r = 0; r < w->p->edge[w->pool.v[edge + i]].m; r++)
            push(w, &w->list, w->place[w->pool.v[edge + i]] + r);
    return from;
}

static int compare(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return x < y ? -1 : x > y;
}
static void sort(int *v, int n)
{
    if (n > 1)
        qsort(v, (size_t)n, sizeof *v, compare);
}

static int list_pairs(work *w, const ints *pair, int *count)
{
    const int from = w->list.n;
    *count = pair->n / 2;
    for (int i = 0; i < pair->n; i++)
        push(w, &w->list, pair->v[i]);
    return from;
}

static clv_front *new_front(work *w)
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
static int split(work *w, int from, int at)
{
    const int n = w->pool.n - from;
    int *v = w->pool.v + from, out = 0;
    sort(v, n);
    for (int i = 0; i < n; i++)
        if (w->met[v[i]] == at && inside(w, v[i]) && !(w->round > 0 && w->blocked[v[i]] == w->round)) {
            const int e = v[i];
            for (int k = i; k > out; k--)
                v[k] = v[k - 1];
            v[out++] = e;
        }
    return out;
}

/* operations of a front, in instructions */
static double front_work(int out, int left, bool tip)
{
    const double m = out, n = left + 6.0 * tip;
    return 150 + 20 * m + 1.5 * m * m * m + m * m * n + 1.2 * m * n * n + 4 * (m + n) * (m + n);
}

/* eliminates edge e and those that go with it; columns: rows eliminated here before */
static void make_front(work *w, int e, int at, int *columns)
{
    clv_front *f = new_front(w);
    int rows, count = 0;
    const int from = neighbours(w, e, &rows);
    if (!w->ok)
        return;
    const int out = split(w, from, at), n = w->pool.n - from;
    ints taken = {0};
    f->row = w->list.n, f->round = w->round;
    list_rows(w, w->pool.v + from, out, &count);
    f->nout = count, f->column = *columns;
    for (int i = from; i < from + out; i++)
        w->column[w->pool.v[i]] = *columns + w->place[w->pool.v[i]];
    list_rows(w, w->pool.v + from + out, n - out, &count);
    f->nleft = count - f->nout;
    for (int i = 0; i < out; i++) {
        w->done[w->pool.v[from + i]] = 1;
        for (int l = w->head[w->pool.v[from + i]]; l >= 0; l = w->link.v[l + 1]) {
            element *x = &w->element[w->link.v[l]];
            if (!x->gone)
                push(w, &taken, x->id), push(w, &taken, list_places(w, x->edge, x->n));
            if (!x->gone && x->id >= w->p->nstrand && w->c->front[x->id - w->p->nstrand].round == w->round)
                f->round = 0;
            x->gone = true;
        }
    }
    f->taken = list_pairs(w, &taken, &f->ntaken);
    clv_free(taken.v);
    *columns += f->nout;
    w->c->most = count > w->c->most ? count : w->c->most;
    w->large |= count > MOST_ROWS;
    w->cost += front_work(f->nout, f->nleft, at < w->p->nstrand);
    add_element(w, w->p->nstrand + w->c->nfront - 1, n - out, from + out);
    for (int i = from + out; i < from + n && w->ok; i++)
        if (w->met[w->pool.v[i]] == at)
            offer(w, w->pool.v[i]);
}

/* the heap in rounds: of edges with up to twice the least degree those that are not neighbours.  Their fronts go in
 * lanes, and the number of fronts one after the other is the logarithm of that of the edges. */
static void eliminate_round(work *w, int at, ints *later, int *columns)
{
    int limit = 0;
    later->n = 0, w->round++;
    while (w->nheap > 0 && w->ok && !w->large) {
        const candidate x = heap_pop(w);
        if (w->done[x.edge] || w->degree[x.edge] != x.degree)
            continue;
        limit = limit > 0 ? limit : 2 * x.degree;
        if (x.degree > limit || w->blocked[x.edge] == w->round) {
            push(w, later, x.edge);
            if (x.degree > limit)
                break;
            continue;
        }
        make_front(w, x.edge, at, columns);
        const element *left = w->nelement > 0 ? &w->element[w->nelement - 1] : NULL;
        for (int i = 0; w->ok && left && i < left->n; i++)
            w->blocked[w->pool.v[left->edge + i]] = w->round;
    }
    for (int i = 0; i < later->n && w->ok; i++)
        heap_push(w, (candidate){w->degree[later->v[i]], later->v[i]});
}

/* all edges that are complete, least degree first */
static void eliminate(work *w, int at, const int *edge, int n, int *columns)
{
    clv_meet *t = &w->c->meet[at];
    w->nheap = 0;
    t->front = w->c->nfront;
    for (int i = 0; i < n && w->ok; i++)
        if (w->met[edge[i]] == at)
            offer(w, edge[i]);
    ints later = {0};
    while (at == w->p->nstrand && n >= MANY && w->nheap > 0 && w->ok && !w->large)
        eliminate_round(w, at, &later, columns);
    clv_free(later.v), w->round = 0;
    while (w->nheap > 0 && w->ok && !w->large) {
        const candidate x = heap_pop(w);
        if (!w->done[x.edge] && w->degree[x.edge] == x.degree)
            make_front(w, x.edge, at, columns);
    }
    t->nfront = w->c->nfront - t->front;
}

static int tip_of(const clv_plan *p, int strand)
{
    return p->bodies[p->strand[strand].first + p->strand[strand].length - 1];
}

static void note_edge(work *w, int e)
{
    if (w->stamp[e] != w->now)
        w->stamp[e] = w->now, w->head[e] = -1, push(w, &w->pool, e);
}

/* edges that arrive at a meet, ascending, to the end of the pool; the strands that bring some as elements */
static int arrive(work *w, int at)
{
    const clv_plan *p = w->p;
    const int from = w->pool.n;
    w->now++, w->nelement = 0, w->link.n = 0;
    for (int k = w->first_child[at]; k >= 0; k = w->next_child[k])
        for (int i = 0; i < w->open_n[k]; i++)
            note_edge(w, w->pool.v[w->open_first[k] + i]);
    for (int i = at < p->nstrand ? w->body_hold[tip_of(p, at)] : -1; i >= 0; i = w->hold.v[i + 2])
        note_edge(w, w->hold.v[i]);
    if (!w->ok)
        return from;
    sort(w->pool.v + from, w->pool.n - from);
    for (int k = w->first_child[at]; k >= 0 && w->ok; k = w->next_child[k])
        if (w->open_n[k] > 0)
            add_element(w, k, w->open_n[k], w->open_first[k]);
    return from;
}

/* rows that are left after the fronts of a meet are those of its strand */
static void list_open(work *w, clv_meet *t, int at, const int *edge, int n, int columns)
{
    const int first = w->pool.n;
    t->row = w->list.n, t->nrow = columns;
    for (int i = t->front; i < t->front + t->nfront; i++)
        for (int r = 0; r < w->c->front[i].nout; r++)
            push(w, &w->list, w->list.v[w->c->front[i].row + r]);
    for (int i = 0; i < n; i++)
        if (!w->done[edge[i]])
            push(w, &w->pool, edge[i]);
    if (!w->ok)
        return;
    list_rows(w, w->pool.v + first, w->pool.n - first, &t->nrow);
    t->nopen = t->nrow - columns;
    for (int i = first; i < w->pool.n; i++)
        w->column[w->pool.v[i]] = w->place[w->pool.v[i]];
    if (at == w->p->nstrand)
        return;
    w->open_first[at] = first, w->open_n[at] = w->pool.n - first;
    const int eights = (t->nopen + 7) / 8;
    w->cost += w->p->strand[at].length * eights * (170.0 + 4.0 * t->nopen);
    w->large |= w->cost > w->most;
}

/* where rows of fronts, strands and handles have their columns in the meet */
static void list_columns(work *w, clv_meet *t, int at, const int *edge, int n)
{
    ints strand = {0}, handle = {0}, left = {0};
    for (int i = 0; i < n; i++)
        w->place[edge[i]] = w->column[edge[i]];
    for (int i = 0; i < w->nelement; i++) {
        const element *x = &w->element[i];
        const int places = list_places(w, x->edge, x->n);
        if (x->id >= w->p->nstrand)
            w->c->front[x->id - w->p->nstrand].left = places;
        else
            push(w, &strand, x->id), push(w, &strand, places);
    }
    for (int i = at < w->p->nstrand ? w->body_hold[tip_of(w->p, at)] : -1; i >= 0; i = w->hold.v[i + 2]) {
        push(w, &handle, w->hold.v[i]), push(w, &handle, w->hold.v[i + 1]);
        push(w, &handle, w->place[w->hold.v[i]]);
    }
    for (int i = 0; i < n; i++)
        w->place[edge[i]] -= t->nrow - t->nopen;
    for (int i = 0; i < w->nelement; i++)
        if (!w->element[i].gone)
            push(w, &left, w->element[i].id), push(w, &left, list_places(w, w->element[i].edge, w->element[i].n));
    t->strand = list_pairs(w, &strand, &t->nstrand), t->left = list_pairs(w, &left, &t->nleft);
    t->handle = list_pairs(w, &handle, &t->nhandle), t->nhandle = handle.n / 3;
    clv_free(strand.v), clv_free(handle.v), clv_free(left.v);
}

static void make_meet(work *w, int at)
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
    eliminate(w, at, edge, n, &columns);
    if (w->ok && !w->large)
        list_open(w, t, at, edge, n, columns);
    if (w->ok && !w->large)
        list_columns(w, t, at, edge, n);
    clv_free(edge);
}

/* ------------------------------------------------------------------ the plan */

/* the same of the nodes, and of what strands show them */
static double nodes_work(const clv_plan *p)
{
    double sum = 0;
    for (int k = 0; k < p->npart; k++) {
        const clv_part *q = &p->part[k];
        double N = 0;
        for (int c = 0; c < 2; c++)
            N += q->child[c] < 0 ? 0 : 6.0 * p->part[q->child[c]].nport;
        sum += clv_part_is_node(q) ? 500 + 3 * N * q->m + front_work(q->m, 6 * q->nport, false) : 900;
    }
    return sum;
}

/* Is a body with inertia outboard of every body that lacks it?  Then pivots are positive without more (T5). */
static bool sound(work *w)
{
    const clv_plan *p = w->p;
    const double length = clv_typical_length(p->model);
    char *heavy = clv_alloc((size_t)p->nbody + 1, 1);
    bool all = w->ok = heavy != NULL;
    for (int i = p->nbody - 1; all && i >= 0; i--) {
        const int b = p->order[i], parent = p->tree[b].parent;
        all = heavy[b] |= !clv_body_light(&p->model->body[b], length);
        if (parent >= 0)
            heavy[parent] |= heavy[b];
        else
            all &= !p->tree[b].detached || !clv_body_light(&p->model->body[b], length);
    }
    clv_free(heavy);
    return all;
}

/* Is this one of the plans whose loops can be carried? */
static bool fits(work *w, const clv_plan_options *o)
{
    const clv_plan *p = w->p;
    if (!o->carry || p->absolute || p->nclosing_row == 0 || p->nsection > 0 || p->ntangent_row > 0 || p->nstar > 0 ||
        p->nsegment > 0)
        return false;
    for (int b = 0; b < p->nbody; b++)
        if (p->tree[b].detached && p->tree[b].parent >= 0)
            return false;
    for (int e = 0; e < p->nedge; e++) /* rows of velocities alone turn with what they touch (T68) */
        if (p->edge[e].joint >= 0 && clv_joint_velocity_rows(p->model->joint[p->edge[e].joint].kind) > 0)
            return false;
    return sound(w);
}

static bool open_work(work *w)
{
    const clv_plan *p = w->p;
    const size_t e = (size_t)p->nedge + 1, n = (size_t)p->nstrand + 2;
    w->head = clv_alloc(e, sizeof(int)), w->degree = clv_alloc(e, sizeof(int)), w->place = clv_alloc(e, sizeof(int));
    w->column = clv_alloc(e, sizeof(int)), w->met = clv_alloc(e, sizeof(int)), w->stamp = clv_alloc(e, sizeof(int));
    w->blocked = clv_alloc(e, sizeof(int)), w->done = clv_alloc(e, 1);
    w->body_hold = clv_alloc((size_t)p->nbody + 1, sizeof(int));
    w->open_first = clv_alloc(n, sizeof(int)), w->open_n = clv_alloc(n, sizeof(int));
    w->first_child = clv_alloc(n, sizeof(int)), w->next_child = clv_alloc(n, sizeof(int));
    w->c = clv_alloc(1, sizeof *w->c);
    if (w->c)
        w->c->meet = clv_alloc(n, sizeof *w->c->meet);
    return w->ok = w->head && w->degree && w->place && w->column && w->met && w->stamp && w->blocked && w->done &&
                   w->body_hold && w->open_first && w->open_n && w->first_child && w->next_child && w->c && w->c->meet;
}

static void close_work(work *w)
{
    clv_free(w->head), clv_free(w->degree), clv_free(w->place), clv_free(w->column), clv_free(w->met);
    clv_free(w->stamp), clv_free(w->blocked), clv_free(w->done), clv_free(w->body_hold), clv_free(w->open_first),
        clv_free(w->open_n);
    clv_free(w->first_child), clv_free(w->next_child), clv_free(w->pool.v), clv_free(w->link.v), clv_free(w->hold.v);
    clv_free(w->element), clv_free(w->heap);
}

/* the strand at whose tip another one starts; nstrand: ground */
static int before(const clv_plan *p, int strand)
{
    const clv_strand *s = &p->strand[strand];
    const bool folds = s->base == CLV_BASE_FOLD || (s->base == CLV_BASE_FREE && s->base_port);
    return folds ? p->slot[p->tree[p->bodies[s->first]].parent] : p->nstrand; /* a strand until there are groups */
}

/* the strand at whose tip the bodies of an edge meet, or ground */
static int where_met(work *w, int edge)
{
    const clv_plan *p = w->p;
    const clv_edge *e = &p->edge[edge];
    int at = holds_ground(p, edge) || e->nhandle == 0 ? p->nstrand : p->slot[e->body[0]];
    for (int h = 1; h < e->nhandle; h++)
        for (int k = p->slot[e->body[h]]; k != at && at < p->nstrand; w->steps++) /* those before have lower numbers */
            if (k > at && k < p->nstrand)
                k = before(p, k);
            else
                at = before(p, at);
    return at;
}

/* strands by where they start, edges by the bodies they hold */
static void list_graph(work *w)
{
    const clv_plan *p = w->p;
    for (int k = 0; k <= p->nstrand; k++)
        w->first_child[k] = -1;
    for (int k = p->nstrand - 1; k >= 0; k--) {
        const int at = before(p, k);
        w->next_child[k] = w->first_child[at], w->first_child[at] = k;
    }
    for (int b = 0; b < p->nbody; b++)
        w->body_hold[b] = -1;
    for (int e = p->nedge - 1; e >= 0; e--)
        for (int h = 0; clv_edge_closes(&p->edge[e]) && h < p->edge[e].nhandle; h++) {
            const int body = p->edge[e].body[h], at = push(w, &w->hold, e);
            push(w, &w->hold, h), push(w, &w->hold, w->body_hold[body]);
            w->body_hold[body] = at;
        }
    for (int e = 0; e < p->nedge && !w->large; e++) {
        w->met[e] = clv_edge_closes(&p->edge[e]) ? where_met(w, e) : -1;
        w->large = w->steps > MOST_STEPS * (long)p->nedge; /* far from each other: fronts are large, too */
    }
}

/* strands outboard of others are of lower levels */
static void raise_levels(clv_plan *p)
{
    for (int k = p->nstrand - 1; k >= 0; k--) {
        const int at = before(p, k);
        if (at < p->nstrand && p->strand[at].level <= p->strand[k].level)
            p->strand[at].level = p->strand[k].level + 1;
    }
}

clv_status clv_plan_carry(clv_plan *p, const clv_plan_options *o, clv_error *e)
{
    work w = {.p = p, .ok = true};
    bool carried = false;
    if (!fits(&w, o))
        return w.ok ? CLV_OK : clv_fail(e, CLV_ERR_MEMORY, "out of memory while planning");
    if (open_work(&w)) {
        list_graph(&w);
        w.most = nodes_work(p);
        for (int k = p->nstrand - 1; k >= 0 && w.ok && !w.large; k--)
            make_meet(&w, k);
        if (w.ok && !w.large)
            make_meet(&w, p->nstrand);
        carried = w.ok && !w.large && w.cost < w.most;
    }
    if (w.c)
        w.c->list = w.list.v;
    close_work(&w);
    if (carried)
        p->carry = w.c, p->carried = true, raise_levels(p);
    else
        clv_carry_destroy(w.c);
    p->work = carried ? w.cost : w.most;
    return w.ok ? CLV_OK : clv_fail(e, CLV_ERR_MEMORY, "out of memory while planning");
}

void clv_carry_destroy(clv_carry *c)
{
    if (!c)
        return;
    clv_free(c->front), clv_free(c->meet), clv_free(c->list);
    clv_free(c);
}
