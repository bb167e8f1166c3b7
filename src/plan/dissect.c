/* SPDX-License-Identifier: Apache-2.0
 * Nested dissection (T172): an order in which parts are joined such that few bodies are held in between.
 *
 * The parts are halved again and again, so that few rows of open edges lie between two halves; joins go back in the
 * opposite order.  A graph is halved in three steps.  Pairs of neighbours become one vertex until few are left.  These
 * are halved from several starts.  On the way back single vertices change sides where that cuts fewer rows.
 * References: Karypis, Kumar, SIAM J. Sci. Comput. 20 (1998); Fiduccia, Mattheyses, Design Automation Conf. (1982).
 * All choices are functions of the graph. */
#include "plan/dissect.h"
#include <limits.h>
#include <string.h>
#include "base/memory.h"

enum {
    FEW = 24,    /* vertices of the smallest graph */
    STARTS = 8,  /* from which that is halved      */
    TRIES = 3,   /* of different pairs             */
    PASSES = 6,  /* over a graph, at most          */
    IDLE = 64    /* moves of a pass without gain   */
};

typedef struct graph {
    int n, total;           /* vertices; the parts in them                      */
    int *first, *to, *rows; /* (n + 1), neighbours, rows between                */
    int *size;              /* (n) parts                                        */
    int *coarse;            /* (n) vertices of the next smaller graph           */
    unsigned char *side;    /* (n)                                              */
} graph;

/* what the moves of a pass work on */
typedef struct moving {
    int *gain, *place;   /* (n) rows less by a move; 1 + where it lies in its heap, 0: in none, -1: has moved */
    int *heap[2], n[2];  /* of each side: largest gain first                */
    int *moved;          /* (n) in the order of moves                       */
    int *mark, *list;    /* (n)                                             */
    unsigned seed;
} moving;

static void graph_close(graph *g)
{
    clv_free(g->first), clv_free(g->to), clv_free(g->rows), clv_free(g->size), clv_free(g->coarse), clv_free(g->side);
    *g = (graph){0};
}

static bool graph_open(graph *g, int n, int nto)
{
    *g = (graph){.n = n};
    g->first = clv_alloc((size_t)n + 1, sizeof(int)), g->to = clv_alloc((size_t)nto + 1, sizeof(int));
    g->rows = clv_alloc((size_t)nto + 1, sizeof(int)), g->size = clv_alloc((size_t)n + 1, sizeof(int));
    g->coarse = clv_alloc((size_t)n + 1, sizeof(int)), g->side = clv_alloc((size_t)n + 1, 1);
    return g->first && g->to && g->rows && g->size && g->coarse && g->side;
}

static unsigned next_number(unsigned *seed) { return *seed = *seed * 1664525U + 1013904223U, *seed >> 8; }

/* ------------------------------------------------------------------ smaller graphs */

/* neighbours that become one vertex; returns how many vertices there are then */
static int pair(graph *g, moving *m)
{
    const int most = g->total / (FEW / 3) + 1;
    int n = 0;
    for (int i = 0; i < g->n; i++)
        g->coarse[i] = -1, m->list[i] = i;
    for (int i = g->n - 1; i > 0; i--) {
        const int k = (int)(next_number(&m->seed) % (unsigned)(i + 1)), t = m->list[i];
        m->list[i] = m->list[k], m->list[k] = t;
    }
    for (int i = 0; i < g->n; i++) {
        const int v = m->list[i];
        int best = -1, rows = 0;
        if (g->coarse[v] >= 0)
            continue;
        for (int k = g->first[v]; k < g->first[v + 1]; k++) {
            const int u = g->to[k];
            if (g->coarse[u] < 0 && g->size[u] + g->size[v] <= most && g->rows[k] > rows)
                best = u, rows = g->rows[k];
        }
        g->coarse[v] = n;
        if (best >= 0)
            g->coarse[best] = n;
        n++;
    }
    return n;
}

/* the graph of pairs */
static bool shrink(const graph *g, graph *c, int n, moving *m)
{
    int *head = m->mark, *next = m->list, nto = 0;
    if (!graph_open(c, n, g->first[g->n]))
        return false;
    c->total = g->total;
    for (int i = 0; i < n; i++)
        head[i] = -1;
    for (int v = g->n - 1; v >= 0; v--)
        next[v] = head[g->coarse[v]], head[g->coarse[v]] = v;
    int *at = m->moved; /* where an edge to a vertex lies */
    for (int i = 0; i < n; i++)
        at[i] = -1;
    for (int i = 0; i < n; i++) {
        c->first[i] = nto, c->size[i] = 0;
        for (int v = head[i]; v >= 0; v = next[v]) {
            c->size[i] += g->size[v];
            for (int k = g->first[v]; k < g->first[v + 1]; k++) {
                const int u = g->coarse[g->to[k]];
                if (u == i)
                    continue;
                if (at[u] < c->first[i])
                    at[u] = nto, c->to[nto] = u, c->rows[nto++] = 0;
                c->rows[at[u]] += g->rows[k];
            }
        }
    }
    c->first[n] = nto;
    return true;
}

/* ------------------------------------------------------------------ moves */

static bool before(const moving *m, int a, int b) { return m->gain[a] != m->gain[b] ? m->gain[a] > m->gain[b] : a < b; }

static void put_at(moving *m, int side, int i, int v) { m->heap[side][i] = v, m->place[v] = i + 1; }

/* moves v from place i of a heap to where it belongs */
static void sift(moving *m, int side, int i, int v)
{
    int *heap = m->heap[side];
    while (i > 0 && before(m, v, heap[(i - 1) / 2]))
        put_at(m, side, i, heap[(i - 1) / 2]), i = (i - 1) / 2;
    for (;;) {
        int k = 2 * i + 1;
        k += k + 1 < m->n[side] && before(m, heap[k + 1], heap[k]);
        if (k >= m->n[side] || !before(m, heap[k], v))
            break;
        put_at(m, side, i, heap[k]), i = k;
    }
    put_at(m, side, i, v);
}

static int take_first(moving *m, int side)
{
    const int v = m->heap[side][0], last = m->heap[side][--m->n[side]];
    if (m->n[side] > 0)
        sift(m, side, 0, last);
    m->place[v] = -1;
    return v;
}

static int gain_of(const graph *g, int v, bool *border)
{
    int gain = 0;
    *border = false;
    for (int k = g->first[v]; k < g->first[v + 1]; k++)
        if (g->side[g->to[k]] == g->side[v])
            gain -= g->rows[k];
        else
            gain += g->rows[k], *border = true;
    return gain;
}

static void change(graph *g, moving *m, int v, int of[2])
{
    of[g->side[v]] -= g->size[v], g->side[v] ^= 1, of[g->side[v]] += g->size[v];
    for (int k = g->first[v]; k < g->first[v + 1]; k++) {
        const int u = g->to[k], side = g->side[u];
        if (m->place[u] < 0)
            continue;
        m->gain[u] += g->side[u] == g->side[v] ? -2 * g->rows[k] : 2 * g->rows[k];
        if (m->place[u] > 0)
            sift(m, side, m->place[u] - 1, u);
        else
            sift(m, side, m->n[side]++, u);
    }
}

static int larger(int a, int b) { return a > b ? a : b; }

/* the side from which the next vertex moves, or -1: sides stay below `most`, or come nearer to it */
static int choose(const graph *g, moving *m, const int of[2], int most)
{
    for (int s = 0; s < 2; s++)
        while (m->n[s] > 0 && of[!s] + g->size[m->heap[s][0]] > larger(most, of[s] - 1))
            (void)take_first(m, s);
    if (m->n[0] == 0 || m->n[1] == 0)
        return m->n[0] > 0 ? 0 : m->n[1] > 0 ? 1 : -1;
    const int gain[2] = {m->gain[m->heap[0][0]], m->gain[m->heap[1][0]]};
    return gain[0] != gain[1] ? gain[1] > gain[0] : of[1] > of[0];
}

static int rows_cut(const graph *g)
{
    int cut = 0;
    for (int v = 0; v < g->n; v++)
        for (int k = g->first[v]; k < g->first[v + 1]; k++)
            cut += g->side[v] < g->side[g->to[k]] ? g->rows[k] : 0;
    return cut;
}

/* one pass: every vertex moves once at most, and moves after the best state are taken back; false: nothing gained */
static bool pass(graph *g, moving *m, int most, int *cut)
{
    int of[2] = {0, 0}, now = *cut, nmoved = 0, kept = 0, s;
    m->n[0] = m->n[1] = 0;
    for (int v = 0; v < g->n; v++) {
        bool border;
        of[g->side[v]] += g->size[v];
        m->gain[v] = gain_of(g, v, &border), m->place[v] = 0;
        if (border)
            sift(m, g->side[v], m->n[g->side[v]]++, v);
    }
    int over = larger(larger(of[0], of[1]) - most, 0), best_over = over, best = now;
    const int old_over = over, old = now;
    while (nmoved - kept < IDLE && (s = choose(g, m, of, most)) >= 0) {
        const int v = take_first(m, s);
        now -= m->gain[v];
        change(g, m, v, of);
        m->moved[nmoved++] = v;
        over = larger(larger(of[0], of[1]) - most, 0);
        if (over < best_over || (over == best_over && now < best))
            best_over = over, best = now, kept = nmoved;
    }
    while (nmoved > kept)
        g->side[m->moved[--nmoved]] ^= 1;
    *cut = best;
    return best_over < old_over || best < old;
}

static int refine(graph *g, moving *m)
{
    int cut = rows_cut(g), largest = 0;
    for (int v = 0; v < g->n; v++)
        largest = larger(largest, g->size[v]);
    const int most = (g->total + 1) / 2 + larger(g->total / 20, largest - 1);
    for (int i = 0; i < PASSES && pass(g, m, most, &cut); i++)
        ;
    return cut;
}

/* ------------------------------------------------------------------ halves */

/* half of the parts around a vertex: the next one is that which leaves the fewest rows between */
static void grow(graph *g, moving *m, int start)
{
    int size = 0;
    memset(g->side, 1, (size_t)g->n);
    m->n[0] = m->n[1] = 0;
    for (int v = 0; v < g->n; v++) {
        bool border;
        m->gain[v] = gain_of(g, v, &border), m->place[v] = 0;
    }
    m->gain[start] = INT_MAX / 2;
    for (int v = 0; v < g->n; v++)
        sift(m, 1, m->n[1]++, v);
    int of[2] = {0, g->total};
    while (m->n[1] > 0 && 2 * size < g->total) {
        const int v = take_first(m, 1);
        size += g->size[v];
        change(g, m, v, of);
    }
}

static void halve_smallest(graph *g, moving *m)
{
    unsigned char best[FEW + 1];
    int least = INT_MAX;
    for (int i = 0; i < STARTS && i < g->n; i++) {
        grow(g, m, (int)((long)i * g->n / (STARTS < g->n ? STARTS : g->n)));
        const int cut = refine(g, m);
        if (cut < least)
            least = cut, memcpy(best, g->side, (size_t)g->n);
    }
    memcpy(g->side, best, (size_t)g->n);
}

/* sides of all vertices; false: out of memory */
static bool halve(graph *g, moving *m)
{
    graph c;
    if (g->n <= FEW) {
        halve_smallest(g, m);
        return true;
    }
    const int n = pair(g, m);
    if (n > g->n - g->n / 16) { /* hardly any pairs: a star */
        grow(g, m, 0), (void)refine(g, m);
        return true;
    }
    const bool ok = shrink(g, &c, n, m) && halve(&c, m);
    for (int v = 0; ok && v < g->n; v++)
        g->side[v] = c.side[g->coarse[v]];
    graph_close(&c);
    if (ok)
        (void)refine(g, m);
    return ok;
}

/* the best of some */
static bool halve_well(graph *g, moving *m, unsigned char *best)
{
    int least = INT_MAX;
    for (int i = 0; i < (g->n > FEW ? TRIES : 1); i++) {
        m->seed = (unsigned)i + 1;
        if (!halve(g, m))
            return false;
        const int cut = rows_cut(g);
        if (cut < least)
            least = cut, memcpy(best, g->side, (size_t)g->n);
    }
    memcpy(g->side, best, (size_t)g->n);
    return true;
}

/* ------------------------------------------------------------------ order */

typedef struct dissection {
    const clv_part_graph *all;
    int *local; /* (n) place in the set at hand, or -1 */
    unsigned char *best;
    moving m;
    int least, *region, nregion; /* parts of a region that is not divided, at most */
    int *word, n;
} dissection;

/* the graph of `n` parts */
static bool graph_of(const dissection *d, const int *part, int n, graph *g)
{
    int nto = 0;
    for (int i = 0; i < n; i++)
        nto += d->all->first[part[i] + 1] - d->all->first[part[i]], d->local[part[i]] = i;
    const bool ok = graph_open(g, n, nto);
    nto = 0;
    for (int i = 0; ok && i < n; i++) {
        g->first[i] = nto, g->size[i] = 1;
        for (int k = d->all->first[part[i]]; k < d->all->first[part[i] + 1]; k++)
            if (d->local[d->all->to[k]] >= 0)
                g->to[nto] = d->local[d->all->to[k]], g->rows[nto++] = d->all->rows[k];
    }
    if (ok)
        g->first[n] = nto, g->total = n;
    for (int i = 0; i < n; i++)
        d->local[part[i]] = -1;
    return ok;
}

/* parts in two stretches; returns the length of the first one, 0: out of memory */
static int divide(dissection *d, int *part, int n)
{
    graph g;
    int k = 0, l = 0, *other = d->m.list;
    if (n == 2)
        return 1;
    const bool ok = graph_of(d, part, n, &g) && halve_well(&g, &d->m, d->best);
    for (int i = 0; ok && i < n; i++)
        if (g.side[i] == 0)
            part[k++] = part[i];
        else
            other[l++] = part[i];
    if (ok)
        memcpy(part + k, other, (size_t)l * sizeof(int));
    graph_close(&g);
    return !ok ? 0 : k == 0 || l == 0 ? n / 2 : k;
}

static bool dissect(dissection *d, int *part, int n)
{
    if (n <= d->least) {
        for (int i = 0; i < n; i++)
            d->region[part[i]] = d->nregion;
        d->word[d->n++] = d->nregion++;
        return true;
    }
    const int k = divide(d, part, n);
    if (k == 0 || !dissect(d, part, k) || !dissect(d, part + k, n - k))
        return false;
    d->word[d->n++] = -1;
    return true;
}

bool clv_dissect(const clv_part_graph *all, int least, int *region, int *word, int *nword)
{
    const size_t n = (size_t)all->n + 1;
    dissection d = {.all = all, .word = word, .least = least, .region = region};
    int *part = clv_alloc(n, sizeof(int));
    d.local = clv_alloc(n, sizeof(int)), d.best = clv_alloc(n, 1);
    d.m.gain = clv_alloc(n, sizeof(int)), d.m.place = clv_alloc(n, sizeof(int));
    d.m.heap[0] = clv_alloc(n, sizeof(int)), d.m.heap[1] = clv_alloc(n, sizeof(int));
    d.m.moved = clv_alloc(n, sizeof(int)), d.m.mark = clv_alloc(n, sizeof(int)), d.m.list = clv_alloc(n, sizeof(int));
    bool ok = part && d.local && d.best && d.m.gain && d.m.place && d.m.heap[0] && d.m.heap[1] && d.m.moved &&
              d.m.mark && d.m.list;
    for (int i = 0; ok && i < all->n; i++)
        part[i] = i, d.local[i] = -1;
    ok = ok && (all->n == 0 || dissect(&d, part, all->n));
    *nword = d.n;
    clv_free(part), clv_free(d.local), clv_free(d.best), clv_free(d.m.gain), clv_free(d.m.place);
    clv_free(d.m.heap[0]), clv_free(d.m.heap[1]), clv_free(d.m.moved), clv_free(d.m.mark), clv_free(d.m.list);
    return ok;
}
