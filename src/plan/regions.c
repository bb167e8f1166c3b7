/* SPDX-License-Identifier: Apache-2.0
 * Regions of a net (T172): the parts between which edges are open, as a graph for dissect.c.  Called by assemble.c. */
#include "plan/dissect.h"
#include "plan/joining.h"
#include "base/memory.h"

enum { REGION = 16 }; /* parts of one, at most: inside it pairs are as good */

static int part_of(clv_joining *w, int body) { return clv_joining_find(w->up, w->part_of[body]); }

/* for every two parts that an open edge holds: counts its neighbours, or writes them */
static void visit_edges(clv_joining *w, const int *place, clv_part_graph *g, bool writes)
{
    const clv_plan *p = w->p;
    for (int k = 0; k < p->nedge; k++)
        for (int h = 0; h < p->edge[k].nhandle && !w->closed[k]; h++)
            for (int l = 0; l < p->edge[k].nhandle; l++) {
                const int a = place[part_of(w, p->edge[k].body[h])], b = place[part_of(w, p->edge[k].body[l])];
                if (a == b)
                    continue;
                if (writes)
                    g->to[g->first[a]] = b, g->rows[g->first[a]] = p->edge[k].m;
                g->first[a]++;
            }
}

static bool list_graph(clv_joining *w, clv_part_graph *g)
{
    int *place = w->seen; /* of a part in the list */
    int n = 0;
    *g = (clv_part_graph){.n = w->nactive, .first = clv_alloc((size_t)w->nactive + 1, sizeof(int))};
    if (!g->first)
        return false;
    for (int i = 0; i < g->n; i++)
        place[w->active[i]] = i;
    visit_edges(w, place, g, false);
    for (int i = 0; i <= g->n; i++) {
        const int own = g->first[i];
        g->first[i] = n, n += own;
    }
    g->to = clv_alloc((size_t)n + 1, sizeof(int)), g->rows = clv_alloc((size_t)n + 1, sizeof(int));
    if (!g->to || !g->rows)
        return false;
    visit_edges(w, place, g, true);
    for (int i = g->n; i > 0; i--) /* they are the ends now */
        g->first[i] = g->first[i - 1];
    g->first[0] = 0;
    return true;
}

bool clv_regions_find(clv_joining *w, clv_regions *r)
{
    const size_t n = 2 * (size_t)w->nactive + 1;
    clv_part_graph g;
    *r = (clv_regions){.region = clv_alloc(n, sizeof(int)), .word = clv_alloc(n, sizeof(int))};
    const bool ok = list_graph(w, &g) && r->region && r->word && clv_dissect(&g, REGION, r->region, r->word, &r->nword);
    for (int i = 0; ok && i < w->nactive; i++)
        w->label[w->active[i]] = r->region[i];
    clv_free(g.first), clv_free(g.to), clv_free(g.rows);
    return ok;
}

int clv_regions_order(const clv_joining *w, const clv_regions *r, int *order)
{
    int *first = r->region, *next = w->weight, n = 0; /* parts left of a region: several if it is not connected */
    for (int i = 0; i < r->nword; i++)
        if (r->word[i] >= 0)
            first[r->word[i]] = -1;
    for (int i = w->nactive - 1; i >= 0; i--) {
        const int part = w->active[i];
        next[part] = first[w->label[part]], first[w->label[part]] = part;
    }
    for (int i = 0; i < r->nword; i++) {
        if (r->word[i] == CLV_JOIN)
            order[n++] = CLV_JOIN;
        for (int part = r->word[i] < 0 ? -1 : first[r->word[i]]; part >= 0; part = next[part]) {
            order[n++] = part;
            if (part != first[r->word[i]])
                order[n++] = CLV_JOIN;
        }
    }
    return n;
}

void clv_regions_close(clv_regions *r) { clv_free(r->region), clv_free(r->word); }
