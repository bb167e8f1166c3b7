/* SPDX-License-Identifier: Apache-2.0
 * The elimination order of all connections (T28), and the pattern of their factor.
 *
 * A connection holds one or two sections (a coupling more).  Eliminating it merges the sections it holds into one
 * whose connections all depend on each other: the quotient graph of sparse Cholesky needs no other graph than this one.
 * Rounds: connections that would leave few dependent rows go first, and those of a round hold different sections, so
 * that runs of sections are eliminated in logarithmic depth.  Ties go to the lower number: the order depends on the
 * model alone. */
#include "base/error.h"
#include "plan/plan.h"
#include <string.h>

enum { CLIQUE = 8 }; /* connections of a section beyond which the order inside it is no matter of depth */

typedef struct set {
    int n, *v;
} set;

typedef struct work {
    clv_plan *p;
    const int *edge;
    int n;                     /* connections                                               */
    int nset;                  /* sections, merged ones included                            */
    set *group;                /* (nset) connections of a section that are not eliminated   */
    int *up;                   /* (2 n + nchild) section to the one it was merged into       */
    int *holds, *nheld;        /* (n x most handles) (n) sections of a connection at the start */
    int *place;                /* (n) position in the order, -1: not yet                    */
    int *order;                /* (n)                                                       */
    set *under;                /* (n) connections that depend on it when it is eliminated   */
    int *stamp, now;           /* (n) scratch of unions                                     */
    int *touched, round;       /* (sections) last round that merged it                    */
    int *parent;               /* (n) in the elimination tree, by position                  */
} work;

static int *held_by(const work *w, int v) { return w->holds + (size_t)v * (size_t)w->p->most_handles; }

static int find(int *up, int i)
{
    while (up[i] != i)
        i = up[i] = up[up[i]];
    return i;
}

/* Connections that share a section with v, without v; NULL: only their rows are needed. */
static int reach(work *w, int v, int *list, int *rows)
{
    int n = 0;
    *rows = 0;
    w->stamp[v] = ++w->now;
    for (int h = 0; h < w->nheld[v]; h++) {
        const set *g = &w->group[find(w->up, held_by(w, v)[h])];
        for (int k = 0; k < g->n; k++) {
            int u = g->v[k];
            if (w->stamp[u] == w->now || w->place[u] >= 0)
                continue;
            w->stamp[u] = w->now;
            *rows += w->p->edge[w->edge[u]].m;
            if (list)
                list[n] = u;
            n++;
        }
    }
    return n;
}

static bool free_this_round(work *w, int v)
{
    for (int h = 0; h < w->nheld[v]; h++) {
        int g = find(w->up, held_by(w, v)[h]);
        if (w->touched[g] == w->round && w->group[g].n < CLIQUE)
            return false;
    }
    return true;
}

static bool eliminate(work *w, int v, int at)
{
    int rows, n = reach(w, v, NULL, &rows), g = w->nset++;
    w->place[v] = at, w->order[at] = v;
    w->under[v].v = clv_alloc((size_t)n + 1, sizeof(int));
    w->group[g].v = clv_alloc((size_t)n + 1, sizeof(int));
    if (!w->under[v].v || !w->group[g].v)
        return false;
    w->under[v].n = w->group[g].n = reach(w, v, w->under[v].v, &rows);
    memcpy(w->group[g].v, w->under[v].v, (size_t)n * sizeof(int));
    w->up[g] = g, w->touched[g] = w->round;
    for (int h = 0; h < w->nheld[v]; h++) {
        int old = find(w->up, held_by(w, v)[h]);
        if (old != g)
            w->up[old] = g, clv_free(w->group[old].v), w->group[old].v = NULL;
    }
    return true;
}

static bool order_all(work *w)
{
    for (int done = 0; done < w->n;) {
        int least = -1, rows;
        w->round++;
        for (int v = 0; v < w->n; v++)
            if (w->place[v] < 0 && (reach(w, v, NULL, &rows), least < 0 || rows < least))
                least = rows;
        int bound = 2 * least + 1;
        for (int v = 0; v < w->n; v++) {
            if (w->place[v] >= 0 || !free_this_round(w, v))
                continue;
            reach(w, v, NULL, &rows);
            if (rows <= bound && !eliminate(w, v, done++))
                return false;
        }
    }
    return true;
}

/* places become a postorder of the elimination tree: a subtree is a run of places */
static bool postorder(work *w)
{
    int n = w->n, *first = clv_alloc((size_t)n + 1, sizeof(int)), *next = clv_alloc((size_t)n + 1, sizeof(int));
    int *stack = clv_alloc((size_t)n + 1, sizeof(int)), *tree = clv_alloc((size_t)n + 1, sizeof(int)), top = 0,
        count = 0;
    bool ok = first && next && stack && tree;
    for (int v = 0; ok && v < n; v++)
        first[v] = next[v] = -1;
    for (int k = n - 1; ok && k >= 0; k--) { /* children in ascending order */
        int v = w->order[k], up = -1;
        for (int i = 0; i < w->under[v].n; i++)
            if (up < 0 || w->place[w->under[v].v[i]] < w->place[up])
                up = w->under[v].v[i];
        tree[v] = up;
        if (up >= 0)
            next[v] = first[up], first[up] = v;
    }
    for (int k = n - 1; ok && k >= 0; k--)
        if (tree[w->order[k]] < 0)
            stack[top++] = w->order[k];
    while (ok && top > 0) {
        int v = stack[top - 1];
        if (first[v] >= 0) {
            stack[top++] = first[v];
            first[v] = next[first[v]];
            continue;
        }
        top--;
        w->place[v] = count, w->order[count++] = v;
    }
    for (int k = 0; ok && k < n; k++)
        w->parent[k] = tree[w->order[k]] < 0 ? -1 : w->place[tree[w->order[k]]];
    clv_free(first), clv_free(next), clv_free(stack), clv_free(tree);
    return ok;
}

static void sort(int *v, int n)
{
    for (int i = 1; i < n; i++)
        for (int k = i; k > 0 && v[k] < v[k - 1]; k--) {
            int t = v[k];
            v[k] = v[k - 1], v[k - 1] = t;
        }
}

static bool pattern(work *w, clv_connect *c)
{
    const clv_plan *p = w->p;
    int n = w->n, total = 0;
    for (int v = 0; v < n; v++)
        total += w->under[v].n;
    c->nblock = n;
    c->row = clv_alloc((size_t)n + 1, sizeof(int)), c->first = clv_alloc((size_t)n + 1, sizeof(int));
    c->loop = clv_alloc((size_t)n + 1, sizeof(bool)), c->start = clv_alloc((size_t)n + 1, sizeof(int));
    c->diagonal = clv_alloc((size_t)n + 1, sizeof(size_t));
    c->below = clv_alloc((size_t)total + 1, sizeof(int)), c->at = clv_alloc((size_t)total + 1, sizeof(size_t));
    if (!c->row || !c->first || !c->loop || !c->start || !c->diagonal || !c->below || !c->at)
        return false;
    for (int k = 0; k < n; k++) {
        int m = p->edge[w->edge[w->order[k]]].m;
        c->row[k + 1] = c->row[k] + m;
    }
    c->nrow = c->row[n];
    for (int k = 0; k < n; k++)
        c->first[k] = k;
    for (int k = 0; k < n; k++) {
        const set *u = &w->under[w->order[k]];
        int *to = c->below + c->start[k], m = c->row[k + 1] - c->row[k];
        for (int i = 0; i < u->n; i++)
            to[i] = w->place[u->v[i]];
        sort(to, u->n);
        c->start[k + 1] = c->start[k] + u->n;
        c->diagonal[k] = c->nfactor, c->nfactor += (size_t)(m * m);
        for (int i = 0; i < u->n; i++)
            c->at[c->start[k] + i] = c->nfactor, c->nfactor += (size_t)(m * (c->row[to[i] + 1] - c->row[to[i]]));
        if (w->parent[k] >= 0 && c->first[k] < c->first[w->parent[k]])
            c->first[w->parent[k]] = c->first[k];
    }
    return true;
}

/* by child, then by block: what forming the connection matrix walks over */
static bool handles(work *w, clv_connect *c, const int *part_of)
{
    const clv_plan *p = w->p;
    int n = 0;
    for (int k = 0; k < w->n; k++)
        n += p->edge[w->edge[k]].nhandle;
    c->handle_start = clv_alloc((size_t)c->nchild + 1, sizeof(int)),
    c->handle_block = clv_alloc((size_t)n + 1, sizeof(int));
    c->handle_of = clv_alloc((size_t)n + 1, sizeof(int)), c->handle_at = clv_alloc((size_t)n + 1, sizeof(int));
    c->handle_child = clv_alloc((size_t)n + 1, sizeof(int)), c->held = clv_alloc((size_t)n + 1, sizeof(int));
    c->held_start = clv_alloc((size_t)w->n + 1, sizeof(int));
    int *slot = clv_alloc((size_t)p->npart + 1, sizeof(int)), *fill = clv_alloc((size_t)c->nchild + 1, sizeof(int));
    bool ok = c->handle_start && c->handle_block && c->handle_of && c->handle_at && c->handle_child && c->held &&
              c->held_start && slot && fill;
    for (int i = 0; ok && i < c->nchild; i++)
        slot[c->child[i]] = i;
    for (int pass = 0; ok && pass < 2; pass++) {
        for (int k = 0; k < w->n; k++) {
            const clv_edge *e = &p->edge[w->edge[w->order[k]]];
            for (int h = 0; h < e->nhandle; h++) {
                int i = slot[part_of[e->body[h]]];
                if (pass == 0) {
                    c->handle_start[i + 1]++;
                    continue;
                }
                const clv_part *q = &p->part[c->child[i]];
                int x = c->handle_start[i] + fill[i]++, port = 0;
                while (p->ports[q->port + port] != e->body[h])
                    port++;
                c->handle_block[x] = k, c->handle_of[x] = h, c->handle_at[x] = 6 * port, c->handle_child[x] = i;
                c->held[c->held_start[k] + h] = x;
            }
            c->held_start[k + 1] = c->held_start[k] + e->nhandle;
        }
        for (int i = 0; pass == 0 && i < c->nchild; i++)
            c->handle_start[i + 1] += c->handle_start[i];
    }
    c->nhandle = n;
    clv_free(slot), clv_free(fill);
    return ok;
}

static bool prepare(work *w, const int *child, int nchild, const int *part_of)
{
    clv_plan *p = w->p;
    size_t n = (size_t)w->n + 1, ns = n + (size_t)nchild;
    w->group = clv_alloc(ns, sizeof(set)), w->up = clv_alloc(ns, sizeof(int)), w->touched = clv_alloc(ns, sizeof(int));
    w->holds = clv_alloc(n * (size_t)p->most_handles, sizeof *w->holds);
    w->nheld = clv_alloc(n, sizeof(int)), w->place = clv_alloc(n, sizeof(int)),
    w->order = clv_alloc(n, sizeof(int));
    w->under = clv_alloc(n, sizeof(set)), w->stamp = clv_alloc(n, sizeof(int)), w->parent = clv_alloc(n, sizeof(int));
    int *slot = clv_alloc((size_t)p->npart + 1, sizeof(int));
    bool ok = w->group && w->up && w->touched && w->holds && w->nheld && w->place && w->order && w->under && w->stamp &&
              w->parent && slot;
    for (int i = 0; ok && i < nchild; i++)
        slot[child[i]] = i, w->up[i] = i;
    w->nset = nchild;
    for (int v = 0; ok && v < w->n; v++) {
        const clv_edge *e = &p->edge[w->edge[v]];
        int held = 0;
        w->place[v] = -1;
        for (int h = 0; h < e->nhandle; h++) {
            int i = slot[part_of[e->body[h]]], known = 0;
            for (int k = 0; k < held; k++)
                known |= held_by(w, v)[k] == i;
            if (!known)
                held_by(w, v)[held++] = i, w->group[i].n++;
        }
        w->nheld[v] = held;
    }
    for (int i = 0; ok && i < nchild; i++) {
        ok = (w->group[i].v = clv_alloc((size_t)w->group[i].n + 1, sizeof(int))) != NULL;
        w->group[i].n = 0;
    }
    for (int v = 0; ok && v < w->n; v++)
        for (int h = 0; h < w->nheld[v]; h++) {
            set *g = &w->group[held_by(w, v)[h]];
            g->v[g->n++] = v;
        }
    clv_free(slot);
    return ok;
}

clv_status clv_plan_connect(clv_plan *p, const int *child, int nchild, const int *edge, int nedge, const int *part_of,
                            clv_error *e)
{
    work w = {.p = p, .edge = edge, .n = nedge};
    clv_connect *c = p->connect = clv_alloc(1, sizeof *c);
    bool ok = c && prepare(&w, child, nchild, part_of) && order_all(&w) && postorder(&w);
    if (ok) {
        c->nchild = nchild;
        c->child = clv_alloc((size_t)nchild + 1, sizeof(int));
        ok = c->child != NULL;
    }
    if (ok) {
        memcpy(c->child, child, (size_t)nchild * sizeof(int));
        ok = pattern(&w, c) && handles(&w, c, part_of);
    }
    if (ok) {
        int closed = 0; /* edges closed in parts so far */
        for (int k = 0; k < p->npart; k++)
            closed += p->part[k].nedge;
        for (int k = 0; k < nedge; k++)
            p->edges_of[closed + k] = edge[w.order[k]];
        c->part = p->npart++;
    }
    for (int i = 0; w.group && i < w.nset; i++)
        clv_free(w.group[i].v);
    for (int v = 0; w.under && v < w.n; v++)
        clv_free(w.under[v].v);
    clv_free(w.group), clv_free(w.up), clv_free(w.touched), clv_free(w.holds), clv_free(w.nheld), clv_free(w.place);
    clv_free(w.order);
    clv_free(w.under), clv_free(w.stamp), clv_free(w.parent);
    return ok ? CLV_OK : clv_fail(e, CLV_ERR_MEMORY, "out of memory while planning");
}

void clv_connect_destroy(clv_connect *c)
{
    if (!c)
        return;
    clv_free(c->child), clv_free(c->row), clv_free(c->first), clv_free(c->loop), clv_free(c->start), clv_free(c->below);
    clv_free(c->at), clv_free(c->diagonal), clv_free(c->handle_start), clv_free(c->handle_block),
        clv_free(c->handle_of);
    clv_free(c->handle_child), clv_free(c->held_start), clv_free(c->held);
    clv_free(c->handle_at), clv_free(c);
}
