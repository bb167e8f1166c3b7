/* SPDX-License-Identifier: Apache-2.0
 * Petals: parts that float but for the edges that hold them to one body, their hub (T5.6).  A hub with many of them
 * would take them up one after the other, since they have nothing but the hub in common.  So each becomes a node that
 * closes its edges and shows an inertia at the hub; inertias add up, and one node takes the sum.  Called by the rounds
 * of assemble.c. */
#include "plan/joining.h"

enum { PETALS = 8 }; /* so many make a hub: fewer are taken up one by one */

/* the other body of an edge of part a, where the edge is a joint between two parts; else -1 */
static int far_body(clv_joining *w, const clv_edge *e, int a)
{
    int other = -1, own = 0;
    if (e->nhandle != 2 || e->coupling >= 0 || e->force >= 0)
        return -1;
    for (int h = 0; h < 2; h++)
        if (clv_joining_find(w->up, w->part_of[e->body[h]]) == a)
            own++;
        else
            other = e->body[h];
    return own == 1 ? other : -1;
}

/* the only body that open edges of a floating part hold on to; -1: the part is no petal */
static int hub_of(clv_joining *w, int a, bool labelled)
{
    int hub = -1;
    if (w->held[a])
        return -1;
    for (int k = 0; k < w->nlist[a]; k++) {
        if (w->closed[w->list[a][k]])
            continue;
        const int body = far_body(w, &w->p->edge[w->list[a][k]], a);
        if (body < 0 || (hub >= 0 && body != hub))
            return -1;
        hub = body;
    }
    if (hub < 0 || !labelled)
        return hub;
    const int b = clv_joining_find(w->up, w->part_of[hub]);
    return w->label[a] >= 0 && w->label[a] == w->label[b] ? hub : -1;
}

/* a node that closes all open edges of part a, and so holds it to the hub */
static void add_petal(clv_joining *w, int a, int hub)
{
    clv_plan *p = w->p;
    const int n = p->npart++;
    clv_part *q = &p->part[n];
    *q = (clv_part){.strand = -1, .star = -1, .child = {a, -1}, .port = w->nports, .edge = w->nedges_of,
                    .depth = p->part[a].depth + 1, .petal = true, .hub = hub};
    w->up[n] = n, w->up[a] = n, w->label[n] = w->label[a];
    for (int k = 0; k < w->nlist[a]; k++) {
        const int id = w->list[a][k];
        if (w->closed[id])
            continue;
        clv_edge *e = &p->edge[id];
        w->closed[id] = 1, e->node = n;
        p->edges_of[w->nedges_of++] = id;
        q->nedge++, q->m += e->m;
        w->open[e->body[0]]--, w->open[e->body[1]]--;
    }
    clv_joining_order(p, q);
    for (int k = 0; k < q->nedge; k++)
        if (clv_joining_closes_loop(w, &p->edge[p->edges_of[q->edge + k]]))
            q->loop = true;
    clv_joining_measure(p, q);
}

/* the node that takes the petals from part `first` on up into the part of their hub */
static bool take_up(clv_joining *w, int hub, int first)
{
    clv_plan *p = w->p;
    const int a = clv_joining_find(w->up, w->part_of[hub]), n = p->npart++;
    clv_part *q = &p->part[n];
    *q = (clv_part){.strand = -1, .star = -1, .child = {a, -1}, .port = w->nports, .edge = p->part[first].edge,
                    .depth = p->part[a].depth, .npetal = n - first, .hub = hub};
    for (int k = first; k < n; k++) {
        q->depth = p->part[k].depth > q->depth ? p->part[k].depth : q->depth;
        w->up[k] = n;
    }
    q->depth++;
    w->up[n] = n, w->up[a] = n, w->label[n] = w->label[a], w->held[n] = w->held[a];
    for (int i = 0; i < p->part[a].nport; i++) {
        const int body = p->ports[p->part[a].port + i];
        if (w->open[body] > 0 && !clv_joining_port(w, body))
            return false;
    }
    q->nport = w->nports - q->port;
    w->list[n] = w->list[a], w->nlist[n] = 0, w->cap[n] = w->cap[a];
    for (int k = 0; k < w->nlist[a]; k++)
        if (!w->closed[w->list[a][k]])
            w->list[n][w->nlist[n]++] = w->list[a][k];
    w->list[a] = NULL, w->nlist[a] = w->cap[a] = 0;
    w->active[w->nactive++] = n, w->taken[n] = 0;
    clv_joining_measure(p, q);
    return true;
}

/* Petals are counted for all hubs first.  A hub that has taken some up takes every further one. */
bool clv_joining_petals(clv_joining *w, bool labelled, bool *progress)
{
    const int n = w->nactive;
    for (int i = 0; i < n; i++) {
        const int a = w->active[i], hub = w->up[a] == a ? hub_of(w, a, labelled) : -1;
        if (hub >= 0 && w->npetal[hub] >= 0)
            w->npetal[hub]++;
    }
    for (int i = 0; i < n; i++) {
        const int a = w->active[i], hub = w->up[a] == a ? hub_of(w, a, labelled) : -1, first = w->p->npart;
        if (hub < 0 || (w->npetal[hub] >= 0 && w->npetal[hub] < PETALS))
            continue;
        for (int k = i; k < n; k++)
            if (w->up[w->active[k]] == w->active[k] && hub_of(w, w->active[k], labelled) == hub)
                add_petal(w, w->active[k], hub);
        if (!take_up(w, hub, first))
            return false;
        w->npetal[hub] = -1, *progress = true;
    }
    for (int b = 0; b < w->p->nbody; b++)
        w->npetal[b] = w->npetal[b] < 0 ? -1 : 0;
    return true;
}
