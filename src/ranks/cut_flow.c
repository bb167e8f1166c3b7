/* SPDX-License-Identifier: Apache-2.0
 * Largest flow: one unit after the other, each along a shortest way; see cut_flow.h. */
#include "ranks/cut_flow.h"
#include "base/memory.h"

bool clv_flow_open(clv_flow *f, int nodes, int arcs)
{
    const size_t n = (size_t)nodes, m = 2 * (size_t)arcs;
    *f = (clv_flow){.nnode = nodes, .room = 2 * arcs, .head = clv_alloc(n, sizeof(int)),
                    .next = clv_alloc(m, sizeof(int)), .to = clv_alloc(m, sizeof(int)),
                    .left = clv_alloc(m, sizeof(int)), .by = clv_alloc(n, sizeof(int)),
                    .queue = clv_alloc(n, sizeof(int))};
    for (int i = 0; f->head && i < nodes; i++)
        f->head[i] = -1;
    return f->head && f->next && f->to && f->left && f->by && f->queue;
}

void clv_flow_close(clv_flow *f)
{
    clv_free(f->head), clv_free(f->next), clv_free(f->to), clv_free(f->left), clv_free(f->by), clv_free(f->queue);
    *f = (clv_flow){0};
}

static void put(clv_flow *f, int from, int to, int most)
{
    f->to[f->narc] = to, f->left[f->narc] = most;
    f->next[f->narc] = f->head[from], f->head[from] = f->narc++;
}

void clv_flow_add(clv_flow *f, int from, int to, int most) { put(f, from, to, most), put(f, to, from, 0); }

/* breadth first; is `to` reached? */
static bool reach(clv_flow *f, int from, int to)
{
    int n = 0;
    for (int i = 0; i < f->nnode; i++)
        f->by[i] = -1;
    f->by[from] = f->narc, f->queue[n++] = from;
    for (int head = 0; head < n && f->by[to] < 0; head++)
        for (int a = f->head[f->queue[head]]; a >= 0; a = f->next[a])
            if (f->left[a] > 0 && f->by[f->to[a]] < 0)
                f->by[f->to[a]] = a, f->queue[n++] = f->to[a];
    return f->by[to] >= 0;
}

int clv_flow_find(clv_flow *f, int from, int to, int most)
{
    int flow = 0;
    for (; reach(f, from, to); flow++) {
        if (flow == most)
            return most + 1;
        for (int v = to; v != from; v = f->to[f->by[v] ^ 1])
            f->left[f->by[v]]--, f->left[f->by[v] ^ 1]++;
    }
    return flow;
}
