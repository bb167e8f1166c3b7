/* SPDX-License-Identifier: Apache-2.0
 * The assembly tree (T5): which parts are joined, in which order, and which edges each join closes.
 *
 * Rounds of pairwise matching: every part takes the unmatched neighbour that leaves the fewest open rows.  A run of
 * parts halves in each round (a balanced tree); a part that is attached to one hub only is taken up by the hub at once.
 * Many such parts are taken up all together (petals.c).
 * Parts of one user-named branch are joined among themselves first, so that a node of the tree is exactly that branch.
 * The branch method (T28) closes only tree joints inside its sections in these rounds.  Then it closes all connections
 * at once (connect.c), or two parts at a time in our order or the user's bracketing.  Nets are taken apart by nested
 * dissection (dissect.c), where that is less work (plan.c).  Ground is no part: its motion is
 * known, an edge to ground closes with the body it holds. */
#include "base/error.h"
#include "plan/joining.h"

enum { HUB = 3, NOTHING = -2 };

int clv_joining_find(int *up, int i)
{
    while (up[i] != i)
        i = up[i] = up[up[i]];
    return i;
}

bool clv_joining_port(clv_joining *w, int body)
{
    clv_plan *p = w->p;
    if (w->nports == w->nports_cap) {
        int cap = 2 * w->nports_cap + 64;
        int *more = clv_resize(p->ports, (size_t)cap, sizeof(int));
        if (!more)
            return false;
        p->ports = more, w->nports_cap = cap;
    }
    p->ports[w->nports++] = body;
    return true;
}

bool clv_joining_push(clv_joining *w, int part, int edge)
{
    if (w->nlist[part] == w->cap[part]) {
        int cap = 2 * w->cap[part] + 4;
        int *more = clv_resize(w->list[part], (size_t)cap, sizeof(int));
        if (!more)
            return false;
        w->list[part] = more, w->cap[part] = cap;
    }
    w->list[part][w->nlist[part]++] = edge;
    return true;
}

/* does every handle of the edge lie in `part`? */
static bool inside(clv_joining *w, const clv_edge *e, int part)
{
    for (int h = 0; h < e->nhandle; h++)
        if (clv_joining_find(w->up, w->part_of[e->body[h]]) != part)
            return false;
    return true;
}

bool clv_joining_closes_loop(clv_joining *w, const clv_edge *e)
{
    clv_plan *p = w->p;
    if (e->force >= 0) /* compliant: never singular, and no support for others */
        return false;
    bool loop = e->coupling >= 0;
    int first = e->nhandle < 2 && e->coupling < 0 ? p->nstrand : p->slot[e->body[0]];
    for (int h = e->nhandle < 2 && e->coupling < 0 ? 0 : 1; h < e->nhandle; h++) {
        int a = clv_joining_find(w->set, first), b = clv_joining_find(w->set, p->slot[e->body[h]]);
        if (a == b)
            loop = true;
        else
            w->set[b] = a;
    }
    return loop;
}

void clv_joining_order(clv_plan *p, const clv_part *node)
{
    for (int i = 1; i < node->nedge; i++)
        for (int k = node->edge + i; k > node->edge && p->edges_of[k] < p->edges_of[k - 1]; k--) {
            int t = p->edges_of[k];
            p->edges_of[k] = p->edges_of[k - 1], p->edges_of[k - 1] = t;
        }
}

void clv_joining_measure(clv_plan *p, const clv_part *node)
{
    if (node->nport > p->max_port)
        p->max_port = node->nport;
    if (node->m > p->max_rows)
        p->max_rows = node->m;
    if (node->depth > p->depth)
        p->depth = node->depth;
}

/* a node over parts a and b (b may be -1): closes what lies inside, keeps the ports that are still held */
static bool join(clv_joining *w, int a, int b)
{
    clv_plan *p = w->p;
    int n = p->npart++;
    clv_part *node = &p->part[n];
    node->strand = node->star = -1, node->child[0] = a, node->child[1] = b;
    int da = p->part[a].depth, db = b < 0 ? 0 : p->part[b].depth;
    node->depth = 1 + (da > db ? da : db);
    w->up[n] = n, w->up[a] = n;
    w->label[n] = w->label[a], w->held[n] = w->held[a] || (b >= 0 && w->held[b]);
    int big = a, small = -1;
    if (b >= 0) {
        w->up[b] = n;
        if (w->label[b] != w->label[a])
            w->label[n] = -1;
        big = w->nlist[a] >= w->nlist[b] ? a : b, small = big == a ? b : a;
    }
    node->edge = w->nedges_of;
    const int *scan = small < 0 ? w->list[big] : w->list[small];
    int nscan = small < 0 ? w->nlist[big] : w->nlist[small];
    for (int k = 0; k < nscan; k++) {
        clv_edge *e = &p->edge[scan[k]];
        if (w->closed[scan[k]] || (w->only_tree && e->tree_body < 0) || !inside(w, e, n))
            continue;
        w->closed[scan[k]] = 1;
        w->held[n] |= e->nhandle < 2 || e->coupling >= 0 || e->force >= 0;
        e->node = n;
        p->edges_of[w->nedges_of++] = scan[k];
        node->nedge++, node->m += e->m;
        for (int h = 0; h < e->nhandle; h++)
            w->open[e->body[h]]--;
    }
    clv_joining_order(p, node);
    for (int k = 0; k < node->nedge; k++)
        if (clv_joining_closes_loop(w, &p->edge[p->edges_of[node->edge + k]]))
            node->loop = true;
    node->port = w->nports;
    for (int c = 0; c < 2; c++)
        for (int i = 0; node->child[c] >= 0 && i < p->part[node->child[c]].nport; i++) {
            int body = p->ports[p->part[node->child[c]].port + i];
            if (w->open[body] > 0 && !clv_joining_port(w, body))
                return false;
        }
    node->nport = w->nports - node->port;
    /* open edges of the node: those of the larger list, with the smaller ones appended */
    w->list[n] = w->list[big], w->nlist[n] = w->nlist[big], w->cap[n] = w->cap[big];
    w->list[big] = NULL, w->nlist[big] = w->cap[big] = 0;
    if (small >= 0)
        for (int k = 0; k < w->nlist[small]; k++)
            if (!w->closed[w->list[small][k]] && !clv_joining_push(w, n, w->list[small][k]))
                return false;
    int kept = 0; /* closed edges are dropped when they are met */
    if (w->nlist[n] < 64 || small < 0 || w->nlist[small] * 2 > w->nlist[n]) {
        for (int k = 0; k < w->nlist[n]; k++)
            if (!w->closed[w->list[n][k]])
                w->list[n][kept++] = w->list[n][k];
        w->nlist[n] = kept;
    }
    clv_joining_measure(p, node);
    return true;
}

/* Joins in a given order: parts, NOTHING, and CLV_JOIN for the last two results.  What nothing holds any more is passed
 * over. */
static bool join_in_order(clv_joining *w, const int *word, int n)
{
    clv_plan *p = w->p;
    int *stack = clv_alloc((size_t)n + 1, sizeof(int)), top = 0;
    bool ok = stack != NULL;
    for (int i = 0; ok && i < n; i++) {
        if (word[i] != CLV_JOIN) {
            stack[top++] = word[i];
            continue;
        }
        const int b = stack[--top], a = stack[top - 1];
        if (a == NOTHING || b == NOTHING || p->part[a].nport == 0 || p->part[b].nport == 0) {
            stack[top - 1] = a == NOTHING || p->part[a].nport == 0 ? b : a;
            continue;
        }
        stack[top - 1] = p->npart;
        ok = join(w, a < b ? a : b, a < b ? b : a);
    }
    clv_free(stack);
    return ok;
}

/* best unmatched neighbour of part a, or -1; *only: a has exactly this one neighbour, matched or not */
static int neighbour(clv_joining *w, int a, bool labelled, bool *only)
{
    clv_plan *p = w->p;
    int nseen = 0, best = -1, best_cost = 0, lone = -1;
    bool several = false;
    for (int k = 0; k < w->nlist[a]; k++) {
        int id = w->list[a][k];
        if (w->closed[id])
            continue;
        const clv_edge *e = &p->edge[id];
        for (int h = 0; h < e->nhandle && !(w->only_tree && e->tree_body < 0); h++) {
            int b = clv_joining_find(w->up, w->part_of[e->body[h]]);
            if (b == a || (labelled && (w->label[b] != w->label[a] || w->label[a] < 0)))
                continue;
            several |= lone >= 0 && lone != b;
            lone = b;
            if (w->weight[b] == 0)
                w->seen[nseen++] = b;
            w->weight[b] += e->m;
        }
    }
    for (int k = 0; k < nseen; k++) {
        int b = w->seen[k];
        if (!w->taken[b]) {
            int cost = 6 * p->part[b].nport - 2 * w->weight[b] + p->part[b].depth;
            if (best < 0 || cost < best_cost || (cost == best_cost && b < best))
                best = b, best_cost = cost;
        }
    }
    for (int k = 0; k < nseen; k++)
        w->weight[w->seen[k]] = 0;
    *only = lone >= 0 && !several;
    return best >= 0 ? best : *only ? lone : -1;
}

static bool rounds(clv_joining *w, bool labelled)
{
    clv_plan *p = w->p;
    for (bool progress = true; progress;) {
        progress = false;
        if (w->petals && !clv_joining_petals(w, labelled, &progress))
            return false;
        int n = w->nactive, kept = 0;
        for (int i = 0; i < n; i++)
            w->taken[w->active[i]] = 0;
        for (int i = 0; i < n; i++) {
            int a = w->active[i];
            if (w->up[a] != a || w->taken[a])
                continue;
            bool only;
            int b = neighbour(w, a, labelled, &only);
            if (b < 0 || (w->taken[b] && !(only && w->nlist[b] >= HUB)))
                continue;
            int node = p->npart;
            if (!join(w, a < b ? a : b, a < b ? b : a))
                return false;
            w->taken[node] = 1;
            w->active[w->nactive++] = node;
            progress = true;
        }
        for (int i = 0; i < w->nactive; i++)
            if (w->up[w->active[i]] == w->active[i])
                w->active[kept++] = w->active[i];
        w->nactive = kept;
    }
    return true;
}

/* regions of nested dissection, and in each of them parts in pairs */
static bool join_regions(clv_joining *w)
{
    clv_regions r;
    int n = 0, *order = clv_alloc(2 * (size_t)w->nactive + 1, sizeof(int));
    const bool ok = clv_regions_find(w, &r) && order && rounds(w, true);
    if (ok)
        n = clv_regions_order(w, &r, order);
    const bool joined = ok && join_in_order(w, order, n);
    clv_regions_close(&r), clv_free(order);
    return joined;
}

/* edges to ground, or inside one part, close with their part alone */
static bool close_alone(clv_joining *w)
{
    clv_plan *p = w->p;
    for (int i = 0, n = w->nactive; i < n; i++) {
        int part = w->active[i];
        for (int k = 0; k < w->nlist[part]; k++)
            if (!w->closed[w->list[part][k]] && (!w->only_tree || p->edge[w->list[part][k]].tree_body >= 0) &&
                inside(w, &p->edge[w->list[part][k]], part)) {
                w->active[w->nactive++] = p->npart;
                if (!join(w, part, -1))
                    return false;
                break;
            }
    }
    int kept = 0;
    for (int i = 0; i < w->nactive; i++)
        if (w->up[w->active[i]] == w->active[i])
            w->active[kept++] = w->active[i];
    w->nactive = kept;
    return true;
}

/* a star with a port for each of its bodies that an edge holds, frame first */
static bool start_star(clv_joining *w, int k)
{
    clv_plan *p = w->p;
    const clv_flex *f = &p->model->flex[k];
    int n = p->npart;
    w->set[p->nstrand + 1 + k] = p->nstrand + 1 + k;
    p->star[k].part = -1;
    p->part[n] = (clv_part){.strand = -1, .star = k, .child = {-1, -1}, .port = w->nports};
    for (int i = -1; i < f->nnode; i++) {
        int body = i < 0 ? f->body : f->node[i].body;
        w->part_of[body] = n;
        if (w->open[body] > 0 && !clv_joining_port(w, body))
            return false;
    }
    p->part[n].nport = w->nports - p->part[n].port;
    if (p->part[n].nport == 0)
        return true;
    p->star[k].part = n, p->npart++;
    w->up[n] = n, w->label[n] = p->section_of[f->body];
    w->active[w->nactive++] = n;
    return true;
}

static bool start(clv_joining *w)
{
    clv_plan *p = w->p;
    for (int k = 0; k < p->nstrand; k++) {
        clv_strand *s = &p->strand[k];
        w->set[k] = s->base == CLV_BASE_GROUND ? p->nstrand : k;
        if (!s->base_port && !s->tip_port)
            continue;
        int n = s->part = p->npart++;
        int base = p->bodies[s->first], tip = p->bodies[s->first + s->length - 1];
        p->part[n].strand = k, p->part[n].star = p->part[n].child[0] = p->part[n].child[1] = -1;
        p->part[n].port = w->nports;
        if (s->base_port && !clv_joining_port(w, base))
            return false;
        if (s->tip_port && (!s->base_port || tip != base) && !clv_joining_port(w, tip))
            return false;
        p->part[n].nport = w->nports - p->part[n].port;
        w->up[n] = n, w->label[n] = p->section_of[base], w->held[n] = s->base == CLV_BASE_GROUND;
        for (int i = 0; i < s->length; i++)
            w->part_of[p->bodies[s->first + i]] = n;
        w->active[w->nactive++] = n;
    }
    w->set[p->nstrand] = p->nstrand;
    for (int k = 0; k < p->nedge; k++)
        for (int h = 0; h < p->edge[k].nhandle; h++)
            w->open[p->edge[k].body[h]]++;
    for (int k = 0; k < p->nstar; k++)
        if (!start_star(w, k))
            return false;
    for (int k = 0; k < p->nedge; k++)
        for (int h = 0; h < p->edge[k].nhandle; h++) {
            int body = p->edge[k].body[h], part = w->part_of[body];
            if ((w->nlist[part] == 0 || w->list[part][w->nlist[part] - 1] != k) && !clv_joining_push(w, part, k))
                return false;
        }
    return close_alone(w);
}

/* ------------------------------------------------------------------ branch method */

/* the part that holds a section, with all its tree joints closed */
static void find_sections(clv_joining *w)
{
    clv_plan *p = w->p;
    for (int k = 0; k < p->nsection; k++)
        p->section[k].part = -1;
    for (int i = 0; i < w->nactive; i++)
        if (p->part[w->active[i]].nport > 0)
            p->section[w->label[w->active[i]]].part = w->active[i];
}

/* Method 1: one part closes every edge that is still open. */
static clv_status connect_all(clv_joining *w, clv_error *e)
{
    clv_plan *p = w->p;
    int *child = clv_alloc((size_t)p->nsection + 1, sizeof(int)), *edge = clv_alloc((size_t)p->nedge + 1, sizeof(int));
    int *part_of = clv_alloc((size_t)p->nbody + 1, sizeof(int)), nchild = 0, nedge = 0;
    const bool room = child && edge && part_of;
    clv_status st = room ? CLV_OK : clv_fail(e, CLV_ERR_MEMORY, "out of memory while planning");
    for (int k = 0; room && k < p->nsection; k++)
        if (p->section[k].part >= 0)
            child[nchild++] = p->section[k].part;
    for (int k = 0; room && k < p->nedge; k++) {
        if (w->closed[k])
            continue;
        edge[nedge++] = k;
        for (int h = 0; h < p->edge[k].nhandle; h++)
            part_of[p->edge[k].body[h]] = clv_joining_find(w->up, w->part_of[p->edge[k].body[h]]);
    }
    if (st == CLV_OK && nedge > 0)
        st = clv_plan_connect(p, child, nchild, edge, nedge, part_of, e);
    if (st == CLV_OK && nedge > 0) {
        int n = p->connect->part;
        clv_part *all = &p->part[n];
        *all = (clv_part){
            .strand = -1, .star = -1, .child = {-1, -1}, .port = w->nports, .nedge = nedge, .edge = w->nedges_of};
        for (int c = 0; c < nchild; c++)
            all->depth = p->part[child[c]].depth >= all->depth ? p->part[child[c]].depth + 1 : all->depth;
        p->depth = all->depth > p->depth ? all->depth : p->depth;
        w->nedges_of += nedge, all->m = p->connect->nrow;
        for (int k = 0; k < nedge; k++) {
            clv_edge *x = &p->edge[p->edges_of[all->edge + k]];
            x->node = n;
            p->connect->loop[k] = clv_joining_closes_loop(w, x);
            all->loop |= p->connect->loop[k];
        }
    }
    clv_free(child), clv_free(edge), clv_free(part_of);
    return st;
}

/* Method 2 in the order of the user's brackets */
static clv_status follow_brackets(clv_joining *w, const char *text, clv_error *e)
{
    clv_plan *p = w->p;
    int *word, n;
    clv_status st = clv_plan_bracket(p, text, &word, &n, e);
    for (int i = 0; st == CLV_OK && i < n; i++)
        if (word[i] >= 0) {
            const int part = p->section[word[i]].part;
            word[i] = part < 0 ? NOTHING : clv_joining_find(w->up, part);
        }
    if (st == CLV_OK && !join_in_order(w, word, n))
        st = clv_fail(e, CLV_ERR_MEMORY, "out of memory while planning");
    clv_free(word);
    return st;
}

static clv_status join_sections(clv_joining *w, const clv_plan_options *o, clv_error *e)
{
    find_sections(w);
    if (o->method != 2)
        return connect_all(w, e);
    w->only_tree = false;
    if (!close_alone(w))
        return clv_fail(e, CLV_ERR_MEMORY, "out of memory while planning");
    if (o->bracketing)
        return follow_brackets(w, o->bracketing, e);
    return rounds(w, false) ? CLV_OK : clv_fail(e, CLV_ERR_MEMORY, "out of memory while planning");
}

clv_status clv_plan_assemble(clv_plan *p, const clv_plan_options *o, clv_error *e)
{
    size_t np = 4 * (size_t)(p->nstrand + p->nstar) + 4, nb = (size_t)p->nbody + 1;
    clv_joining w = {.p = p, .only_tree = o->sections, .petals = !o->sections && !p->absolute};
    w.part_of = clv_alloc(nb, sizeof(int)), w.open = clv_alloc(nb, sizeof(int));
    w.up = clv_alloc(np, sizeof(int)), w.label = clv_alloc(np, sizeof(int));
    w.list = clv_alloc(np, sizeof(int *)), w.nlist = clv_alloc(np, sizeof(int)), w.cap = clv_alloc(np, sizeof(int));
    w.active = clv_alloc(np, sizeof(int)), w.taken = clv_alloc(np, 1);
    w.weight = clv_alloc(np, sizeof(int)), w.seen = clv_alloc(np, sizeof(int)), w.set = clv_alloc(np, sizeof(int));
    w.closed = clv_alloc((size_t)p->nedge + 1, 1), w.held = clv_alloc(np, 1);
    w.npetal = clv_alloc(nb, sizeof(int));
    p->part = clv_alloc(np, sizeof *p->part);
    p->edges_of = clv_alloc((size_t)p->nedge + 1, sizeof(int));
    bool ok = w.part_of && w.open && w.up && w.label && w.list && w.nlist && w.cap && w.active && w.taken && w.weight &&
              w.seen && w.set && w.closed && w.held && w.npetal && p->part && p->edges_of;
    ok = ok && start(&w) &&
         (o->dissected ? join_regions(&w) : rounds(&w, true) && (o->sections || rounds(&w, false)));
    clv_status st = ok ? o->sections ? join_sections(&w, o, e) : CLV_OK
                       : clv_fail(e, CLV_ERR_MEMORY, "out of memory while planning");
    if (w.list)
        for (size_t i = 0; i < np; i++)
            clv_free(w.list[i]);
    clv_free(w.part_of), clv_free(w.open), clv_free(w.up), clv_free(w.label), clv_free(w.list), clv_free(w.nlist);
    clv_free(w.cap), clv_free(w.active), clv_free(w.taken), clv_free(w.weight), clv_free(w.seen), clv_free(w.set);
    clv_free(w.closed), clv_free(w.held), clv_free(w.npetal);
    return st;
}
