/* SPDX-License-Identifier: Apache-2.0
 * Cuts a mechanism with loops at borders (T160); see cut.h.  The ground is in every segment, so it joins nothing here.
 *
 *   blocks   bodies that no single body parts from each other; they are joined as a tree
 *   trunk    the blocks between two bodies far from each other; all other bodies are outboard of one of its bodies
 *   levels   of bodies of the trunk, by their distance from the first one
 *   border   bodies of a level that have neighbours in the next one, where these are fewest; or fewer ones that part
 *            the levels about it */
#include <string.h>
#include "base/error.h"
#include "base/memory.h"
#include "model/joint.h"
#include "model/joint_lists.h"
#include "ranks/cut_flow.h"
#include "ranks/cutting.h"

typedef struct graph {
    const clv_model *m;
    clv_joint_lists at; /* joints between bodies                                                             */
    const int *first, *joint; /* the same: of body b, joint[first[b] .. first[b + 1] - 1]                     */
    int *part;          /* (nbody) bodies that hang together have one number                                 */
    int *order, n;      /* bodies, as they were reached                                                      */
    int *seen, *low;    /* (nbody) when a body was reached, from 1; the first one that its outer part touches */
    int *by, *next;     /* (nbody) joint by which it was reached, or -1; place of its next joint              */
    int *stack;         /* (nbody) bodies of blocks that are not complete                                    */
    int *block, *top;   /* (nbody) its block, and the body by which others carry this; -1: the first body  */
    int nblock;
    char *trunk;        /* (nbody) block is in the trunk                                                     */
    int *anchor;        /* (nbody) body of the trunk that carries it, itself included                       */
    int *level;         /* (nbody) -1: not in the trunk                                                      */
    int nlevel, *wide;  /* (nlevel) bodies of a border there                                                 */
    int *begin;         /* (nlevel + 1) where a level begins in `order`                                       */
    char *behind;       /* (nbody) in the trunk: behind the last border looked at                            */
    long long *inner;   /* (nlevel) bodies up to a level, with those outboard of them                         */
} graph;

static bool between_bodies(const clv_joint *j) { return j->a >= 0 && j->b >= 0 && !j->absent; }

static bool open_graph(graph *g, const clv_model *m)
{
    const size_t n = (size_t)m->nbody + 2;
    *g = (graph){.m = m,
                 .part = clv_alloc(n, sizeof(int)), .order = clv_alloc(n, sizeof(int)),
                 .seen = clv_alloc(n, sizeof(int)), .low = clv_alloc(n, sizeof(int)), .by = clv_alloc(n, sizeof(int)),
                 .next = clv_alloc(n, sizeof(int)), .stack = clv_alloc(n, sizeof(int)),
                 .block = clv_alloc(n, sizeof(int)), .top = clv_alloc(n, sizeof(int)), .trunk = clv_alloc(n, 1),
                 .anchor = clv_alloc(n, sizeof(int)), .level = clv_alloc(n, sizeof(int)),
                 .wide = clv_alloc(n, sizeof(int)), .begin = clv_alloc(n, sizeof(int)),
                 .behind = clv_alloc(n, 1), .inner = clv_alloc(n, sizeof(long long))};
    if (!clv_joint_lists_open(&g->at, m, between_bodies))
        return false;
    g->first = g->at.first + 1, g->joint = g->at.joint;
    return g->part && g->order && g->seen && g->low && g->by && g->next && g->stack &&
           g->block && g->top && g->trunk && g->anchor && g->level && g->wide && g->begin &&
           g->behind && g->inner;
}

static void close_graph(graph *g)
{
    clv_joint_lists_close(&g->at), clv_free(g->part), clv_free(g->order), clv_free(g->seen);
    clv_free(g->low), clv_free(g->by), clv_free(g->next), clv_free(g->stack), clv_free(g->block), clv_free(g->top);
    clv_free(g->trunk), clv_free(g->anchor), clv_free(g->level), clv_free(g->wide), clv_free(g->inner);
    clv_free(g->begin), clv_free(g->behind);
}

static int other_of(const graph *g, int body, int at)
{
    const clv_joint *j = &g->m->joint[g->joint[at]];
    return j->a == body ? j->b : j->a;
}

/* ------------------------------------------------------------------ breadth first */

/* distances from a body to those that hang together with it, in `to` (-1 before); the last one reached */
static int spread(graph *g, int from, int *to)
{
    g->n = 0, g->order[g->n++] = from, to[from] = 0;
    for (int head = 0; head < g->n; head++) {
        const int b = g->order[head];
        for (int i = g->first[b]; i < g->first[b + 1]; i++) {
            const int other = other_of(g, b, i);
            if (to[other] < 0)
                to[other] = to[b] + 1, g->order[g->n++] = other;
        }
    }
    return g->order[g->n - 1];
}

static void forget(graph *g, int *of)
{
    for (int b = 0; b < g->m->nbody; b++)
        of[b] = -1;
}

/* parts; a body of the one with the most bodies */
static int find_parts(graph *g)
{
    int heaviest = -1, most = 0;
    forget(g, g->part), forget(g, g->level);
    for (int b = 0; b < g->m->nbody; b++) {
        if (g->level[b] >= 0)
            continue;
        spread(g, b, g->level);
        for (int i = 0; i < g->n; i++)
            g->part[g->order[i]] = b;
        if (g->n > most)
            most = g->n, heaviest = b;
    }
    return heaviest;
}

/* ------------------------------------------------------------------ blocks and trunk */

static void reach(graph *g, int body, int by, int *nstack)
{
    g->order[g->n++] = body;
    g->seen[body] = g->low[body] = g->n, g->by[body] = by, g->next[body] = g->first[body];
    g->stack[(*nstack)++] = body;
}

/* the bodies above `child` on the stack, and itself, are a block that `top` carries */
static void make_block(graph *g, int child, int top, int *nstack)
{
    int b;
    do {
        b = g->stack[--*nstack];
        g->block[b] = g->nblock, g->top[b] = top;
    } while (b != child);
    g->nblock++;
}

/* blocks of the part of a body, depth first */
static void find_blocks(graph *g, int from)
{
    int nstack = 0, b = from;
    memset(g->seen, 0, (size_t)g->m->nbody * sizeof *g->seen);
    g->n = g->nblock = 0;
    reach(g, from, -1, &nstack);
    g->block[from] = g->top[from] = -1;
    for (;;) {
        if (g->next[b] < g->first[b + 1]) {
            const int at = g->next[b]++, other = other_of(g, b, at);
            if (g->joint[at] == g->by[b] || other == b)
                continue;
            if (g->seen[other] == 0)
                reach(g, other, g->joint[at], &nstack), b = other;
            else
                g->low[b] = g->seen[other] < g->low[b] ? g->seen[other] : g->low[b];
            continue;
        }
        if (b == from)
            return;
        const clv_joint *j = &g->m->joint[g->by[b]];
        const int before = j->a == b ? j->b : j->a;
        if (g->low[b] >= g->seen[before])
            make_block(g, b, before, &nstack);
        else
            g->low[before] = g->low[b] < g->low[before] ? g->low[b] : g->low[before];
        b = before;
    }
}

/* between the first body and another one */
static void find_trunk(graph *g, int from, int to)
{
    memset(g->trunk, 0, (size_t)g->m->nbody);
    for (int b = to; b != from; b = g->top[b])
        g->trunk[g->block[b]] = 1;
    forget(g, g->anchor);
    for (int i = 0; i < g->n; i++) { /* what carries a block was reached before all others of it */
        const int b = g->order[i];
        g->anchor[b] = b == from || g->trunk[g->block[b]] ? b : g->anchor[g->top[b]];
    }
}

/* ------------------------------------------------------------------ levels */

static void find_levels(graph *g, int from)
{
    forget(g, g->level);
    g->n = 0, g->order[g->n++] = from, g->level[from] = 0;
    for (int head = 0; head < g->n; head++) {
        const int b = g->order[head];
        bool ends = false;
        for (int i = g->first[b]; i < g->first[b + 1]; i++) {
            const int other = other_of(g, b, i);
            if (g->anchor[other] == other && g->level[other] < 0)
                g->level[other] = g->level[b] + 1, g->order[g->n++] = other;
            ends = ends || (g->anchor[other] == other && g->level[other] > g->level[b]);
        }
        if (head == 0 || g->level[b] == g->nlevel)
            g->begin[g->level[b]] = head;
        g->nlevel = g->level[b] + 1;
        g->wide[g->level[b]] += ends;
    }
    g->begin[g->nlevel] = g->n;
    for (int b = 0; b < g->m->nbody; b++)
        if (g->anchor[b] >= 0)
            g->inner[g->level[g->anchor[b]]]++;
    for (int l = 1; l < g->nlevel; l++)
        g->inner[l] += g->inner[l - 1];
}

typedef struct border {
    int level;        /* of its bodies, or the last one before all behind it */
    int first, last;  /* levels about the beginning of a part               */
    int wide;         /* bodies                                             */
    bool bent;        /* not those of one level                             */
} border;

/* The narrowest level about the k-th of n equal parts, the nearest one of these; after `before`. */
static border find_level(const graph *g, int k, int n, int before)
{
    const long long all = g->inner[g->nlevel - 1], ABOUT = 7, OF = 20; /* of a part */
    const int last = g->nlevel - 1 - (n - k);                          /* a level for each of the segments to come */
    int best = -1, near = before + 1;
    long long best_away = 0, near_away = -1;
    border x = {.first = before + 1, .last = before};
    for (int l = before + 1; l <= last; l++) {
        const long long off = g->inner[l] * n - all * k, away = off < 0 ? -off : off;
        if (near_away < 0 || away < near_away)
            near = l, near_away = away;
        if (OF * away <= ABOUT * all) {
            x.first = best < 0 ? l : x.first, x.last = l;
            if (best < 0 || g->wide[l] < g->wide[best] || (g->wide[l] == g->wide[best] && away < best_away))
                best = l, best_away = away;
        }
        if (OF * off > ABOUT * all)
            break;
    }
    x.level = best >= 0 ? best : near, x.wide = g->wide[x.level];
    return x;
}

/* The network of the levels first .. last of a border: of body i there one unit can pass from 2 + 2 i to 3 + 2 i.  From
 * 0, all before them, to 1, all behind. */
static bool open_network(clv_flow *f, const graph *g, const border *x, int *place)
{
    enum { ANY = 1 << 20 }; /* bodies, not joints, are what a border has */
    const int from = g->begin[x->first], end = g->begin[x->last + 1];
    int arcs = end - from;
    for (int i = from; i < end; i++)
        place[g->order[i]] = i - from, arcs += g->first[g->order[i] + 1] - g->first[g->order[i]];
    if (!clv_flow_open(f, 2 + 2 * (end - from), arcs))
        return false;
    for (int i = from; i < end; i++) {
        const int b = g->order[i];
        clv_flow_add(f, 2 + 2 * (i - from), 3 + 2 * (i - from), 1);
        for (int l = g->first[b]; l < g->first[b + 1]; l++) {
            const int other = other_of(g, b, l), level = g->level[other];
            if (level >= 0 && level < x->first)
                clv_flow_add(f, 0, 2 + 2 * (i - from), ANY);
            else if (level > x->last)
                clv_flow_add(f, 3 + 2 * (i - from), 1, ANY);
            else if (level >= 0)
                clv_flow_add(f, 3 + 2 * (i - from), 2 + 2 * place[other], ANY);
        }
    }
    return true;
}

/* Fewer bodies than those of one level, if they part the levels about it.  False: out of memory. */
static bool find_bent(graph *g, border *x)
{
    clv_flow f = {0};
    if (x->wide == 1 || x->last <= x->first || x->first == 0)
        return true;
    const bool good = open_network(&f, g, x, g->seen); /* not in use any more */
    const int flow = good ? clv_flow_find(&f, 0, 1, x->wide - 1) : x->wide;
    if (flow < x->wide) {
        x->bent = true, x->wide = flow, x->level = x->last;
        for (int i = g->begin[x->first], n = 0; i < g->begin[x->last + 1]; i++, n++)
            g->behind[g->order[i]] = f.by[2 + 2 * n] < 0;
    }
    clv_flow_close(&f);
    return good;
}

/* ------------------------------------------------------------------ segments */

static clv_status check(const clv_model *m, clv_error *e)
{
    for (int j = 0; j < m->njoint; j++) {
        const clv_joint *jt = &m->joint[j];
        if (clv_joint_velocity_rows(jt->kind) > 0)
            return clv_cut_refuse(e, "joints", jt->name, "rolling joints or knife edges");
        if (jt->kind == CLV_JOINT_FREE && between_bodies(jt))
            return clv_cut_refuse(e, "joints", jt->name, "free joints between bodies beside closed loops");
    }
    return CLV_OK;
}

static clv_status open_cut(clv_cut *cut, const graph *g, int segments, clv_error *e)
{
    const clv_model *m = g->m;
    cut->nsegment = segments;
    cut->segment_of = clv_alloc((size_t)m->nbody, sizeof(int)), cut->cut_at = clv_alloc((size_t)m->nbody, sizeof(int));
    cut->border = clv_alloc((size_t)segments + 1, sizeof(int));
    cut->split = clv_alloc((size_t)CLV_CUT_MOST * (size_t)segments, sizeof(int));
    return cut->segment_of && cut->cut_at && cut->border && cut->split ? CLV_OK
                                                                       : clv_fail(e, CLV_ERR_MEMORY, "out of memory");
}

/* is a body of the trunk behind a border? */
static bool is_behind(const graph *g, const border *x, int body)
{
    const int level = g->level[body];
    return x->bent && level >= x->first && level <= x->last ? g->behind[body] : level > x->level;
}

static bool ends_at(const graph *g, const border *x, int body)
{
    bool ends = false;
    for (int i = g->first[body]; !is_behind(g, x, body) && i < g->first[body + 1]; i++) {
        const int other = other_of(g, body, i);
        ends = ends || (g->level[other] >= 0 && is_behind(g, x, other));
    }
    return ends;
}

/* Border k: what is behind it belongs to segments from k on. */
static clv_status cut_border(clv_cut *cut, const graph *g, int k, const border *x, clv_error *e)
{
    const int from = g->begin[x->bent ? x->first : x->level], end = g->begin[x->level + 1];
    for (int i = from; i < end; i++) {
        const int b = g->order[i];
        if (is_behind(g, x, b))
            cut->segment_of[b] = k;
        if (!ends_at(g, x, b))
            continue;
        if (x->wide > CLV_CUT_MOST)
            return clv_cut_refuse(e, "bodies", g->m->body[b].name,
                                  "loops of which more than " CLV_CUT_MOST_TEXT " bodies lie side by side");
        cut->border[k]++, cut->cut_at[b] = cut->nsplit, cut->split[cut->nsplit++] = b;
    }
    return CLV_OK;
}

static clv_status cut_trunk(clv_cut *cut, graph *g, clv_error *e)
{
    clv_status st = CLV_OK;
    for (int k = 1, before = -1; k < cut->nsegment && st == CLV_OK; k++) {
        border x = find_level(g, k, cut->nsegment, before);
        if (!find_bent(g, &x))
            return clv_fail(e, CLV_ERR_MEMORY, "out of memory");
        for (int i = g->begin[before + 1]; i < g->begin[x.level + 1]; i++)
            cut->segment_of[g->order[i]] = k - 1;
        st = cut_border(cut, g, k, &x, e);
        before = x.level;
    }
    return st;
}

/* Bodies go with those that carry them; other parts where the fewest bodies are. */
static clv_status assign(clv_cut *cut, const graph *g, int part, clv_error *e)
{
    const int n = g->m->nbody;
    int *load = clv_alloc((size_t)cut->nsegment, sizeof *load), *size = clv_alloc((size_t)n, sizeof *size);
    if (load && size) {
        for (int b = 0; b < n; b++) {
            if (g->part[b] == part)
                cut->segment_of[b] = cut->segment_of[g->anchor[b]], load[cut->segment_of[b]]++;
            size[g->part[b]]++;
        }
        for (int b = 0; b < n; b++) {
            int least = 0;
            for (int k = 1; k < cut->nsegment; k++)
                least = load[k] < load[least] ? k : least;
            if (g->part[b] == b && b != part)
                cut->segment_of[b] = least, load[least] += size[b];
            else if (g->part[b] != part)
                cut->segment_of[b] = cut->segment_of[g->part[b]];
        }
    }
    clv_free(load), clv_free(size);
    return load && size ? CLV_OK : clv_fail(e, CLV_ERR_MEMORY, "out of memory");
}

static clv_status cut_graph(clv_cut *cut, graph *g, int most, clv_error *e)
{
    const int part = find_parts(g);
    forget(g, g->level);
    const int first = spread(g, part, g->level);
    forget(g, g->level);
    const int last = spread(g, first, g->level);
    find_blocks(g, first), find_trunk(g, first, last), find_levels(g, first);
    clv_status st = open_cut(cut, g, clv_cut_count(g->m->nbody, g->nlevel, most), e);
    if (st != CLV_OK)
        return st;
    for (int b = 0; b < g->m->nbody; b++)
        cut->cut_at[b] = -1, cut->segment_of[b] = cut->nsegment - 1;
    st = cut_trunk(cut, g, e);
    if (st == CLV_OK)
        st = assign(cut, g, part, e);
    return st == CLV_OK ? clv_cut_rates(cut, g->m, e) : st;
}

clv_status clv_cut_borders(clv_cut *cut, const clv_model *m, int most, clv_error *e)
{
    graph g;
    clv_status st = check(m, e);
    if (st != CLV_OK)
        return st;
    st = open_graph(&g, m) ? cut_graph(cut, &g, most, e) : clv_fail(e, CLV_ERR_MEMORY, "out of memory");
    close_graph(&g);
    return st;
}
