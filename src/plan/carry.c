/* SPDX-License-Identifier: Apache-2.0
 * Loops carried by the tree (T101): whether the rows of closings are eliminated where strands meet, instead of in
 * nodes.  The rows that connect branches are carried to the bases of these, and eliminated on ground (T170).
 *
 * Strands are passed outermost first (carry_meet.c); what is left at the last tips meets on ground.  The plan compares
 * the work with that of nodes.  Nets keep nodes, and so do long strands whose columns nodes carry in the lanes of the
 * strands.  Such strands are carried where they stand in series (series.c).  Segments of a divided mechanism (T160) are
 * carried whatever that takes, up to the rows of their ports. */
#include <math.h>
#include "base/error.h"
#include "math/lane.h"
#include "model/joint.h"
#include "model/light.h"
#include "plan/carrying.h"

enum { MOST_STEPS = 200 }; /* between strands, for an edge */

/* of the columns of a wrench at the tip that strands show to nodes: a row of eight strands side by side */
enum { COLUMNS_WORK = 190 };
static double columns_work(const clv_plan *p)
{
    double all = 0, longest = 0;
    for (int k = 0; k < p->nstrand; k++)
        if (p->strand[k].tip_port)
            all += p->strand[k].length, longest = fmax(longest, p->strand[k].length);
    return COLUMNS_WORK * fmax(longest, all / CLV_GROUP);
}

/* the same of the nodes, and of what strands show them */
static double nodes_work(const clv_plan *p)
{
    double sum = columns_work(p);
    for (int k = 0; k < p->npart; k++) {
        const clv_part *q = &p->part[k];
        double N = 0;
        for (int c = 0; c < 2; c++)
            N += q->child[c] < 0 ? 0 : 6.0 * p->part[q->child[c]].nport;
        sum += clv_part_is_node(q) ? 500 + 3 * N * q->m + clv_front_work(q->m, 6 * q->nport, false) : 900;
    }
    return sum;
}

/* the body that has the mass: nodes of a flexible body have none of their own */
static const clv_body *with_mass(const clv_model *m, int body)
{
    const int flex = m->body[body].flex;
    return &m->body[flex < 0 ? body : m->flex[flex].body];
}

/* Is a body with inertia outboard of every body that lacks it?  Then pivots are positive without more (T5). */
static bool sound(clv_carrying *w)
{
    const clv_plan *p = w->p;
    const double length = clv_typical_length(p->model);
    char *heavy = clv_alloc((size_t)p->nbody + 1, 1);
    bool all = w->ok = heavy != NULL;
    for (int i = p->nbody - 1; all && i >= 0; i--) {
        const int b = p->order[i], parent = p->tree[b].parent;
        all = heavy[b] |= !clv_body_light(with_mass(p->model, b), length);
        if (parent >= 0 && !clv_plan_connects(p, b))
            heavy[parent] |= heavy[b];
        else
            all &= !(p->tree[b].detached || clv_plan_connects(p, b)) || !clv_body_light(&p->model->body[b], length);
    }
    clv_free(heavy);
    return all;
}

/* Are there rows that connect branches, none with rotors (T113)? */
static bool connected(const clv_plan *p)
{
    int n = 0;
    for (int e = 0; e < p->nedge; e++) {
        const bool carried = clv_plan_carries(p, e);
        if (carried && p->edge[e].tree_body >= 0 && p->edge[e].yields > 0)
            return false;
        n += carried;
    }
    return n > 0;
}

/* Is this one of the plans whose loops can be carried? */
static bool fits(clv_carrying *w, const clv_plan_options *o)
{
    const clv_plan *p = w->p;
    if (!o->carry || p->absolute || p->ntangent_row > 0 || (p->nsegment > 0 && (p->nstar > 0 || !p->ported)) ||
        (p->nsection == 0 ? p->nclosing_row == 0 && !p->ported : o->apart || !connected(p)))
        return false;
    for (int b = 0; b < p->nbody; b++)
        if (p->tree[b].detached && p->tree[b].parent >= 0)
            return false;
    for (int e = 0; e < p->nedge; e++) /* rows of velocities alone turn with what they touch (T68) */
        if (p->edge[e].joint >= 0 && clv_joint_velocity_rows(p->model->joint[p->edge[e].joint].kind) > 0)
            return false;
    return sound(w);
}

static bool open_work(clv_carrying *w)
{
    const clv_plan *p = w->p;
    const size_t e = (size_t)p->nedge + (size_t)p->nport + 1, n = (size_t)clv_plan_pieces(p) + 2;
    w->head = clv_alloc(e, sizeof(int)), w->degree = clv_alloc(e, sizeof(int)), w->place = clv_alloc(e, sizeof(int));
    w->column = clv_alloc(e, sizeof(int)), w->met = clv_alloc(e, sizeof(int)), w->stamp = clv_alloc(e, sizeof(int));
    w->blocked = clv_alloc(e, sizeof(int)), w->done = clv_alloc(e, 1);
    w->body_hold = clv_alloc((size_t)p->nbody + 1, sizeof(int));
    w->open_first = clv_alloc(n, sizeof(int)), w->open_n = clv_alloc(n, sizeof(int));
    w->inboard = clv_alloc(n, sizeof(int)), w->depth = clv_alloc(n, sizeof(int));
    w->outward = clv_alloc(n, sizeof(int));
    w->first_child = clv_alloc(n, sizeof(int)), w->next_child = clv_alloc(n, sizeof(int));
    w->c = clv_alloc(1, sizeof *w->c);
    if (w->c)
        w->c->meet = clv_alloc(n, sizeof *w->c->meet);
    return w->ok = w->head && w->degree && w->place && w->column && w->met && w->stamp && w->blocked && w->done &&
                   w->body_hold && w->open_first && w->open_n && w->inboard && w->depth && w->outward &&
                   w->first_child && w->next_child && w->c && w->c->meet;
}

static void close_work(clv_carrying *w)
{
    clv_free(w->head), clv_free(w->degree), clv_free(w->place), clv_free(w->column), clv_free(w->met);
    clv_free(w->stamp), clv_free(w->blocked), clv_free(w->done), clv_free(w->body_hold), clv_free(w->open_first),
        clv_free(w->open_n);
    clv_free(w->inboard), clv_free(w->depth), clv_free(w->outward);
    clv_free(w->first_child), clv_free(w->next_child), clv_free(w->pool.v), clv_free(w->link.v), clv_free(w->hold.v);
    clv_free(w->element), clv_free(w->heap);
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

/* its piece; slots are strands, ground, flexible bodies until there are groups */
static int piece_of(const clv_plan *p, int body) { return p->slot[body] - (p->slot[body] > p->nstrand); }

static int base_of(const clv_plan *p, int piece)
{
    return piece < p->nstrand ? p->bodies[p->strand[piece].first] : p->star[piece - p->nstrand].entry;
}

/* pieces, parents first, and where they start */
static void list_pieces(clv_carrying *w)
{
    const clv_plan *p = w->p;
    int n = 0;
    w->ground = clv_plan_pieces(p);
    for (int i = 0; i < p->nbody; i++) {
        const int b = p->order[i], k = piece_of(p, b), parent = p->tree[b].parent;
        if (base_of(p, k) != b)
            continue;
        w->outward[n++] = k;
        w->inboard[k] =
            parent < 0 || p->tree[b].detached || clv_plan_connects(p, b) ? w->ground : piece_of(p, parent);
        w->depth[k] = w->inboard[k] == w->ground ? 1 : w->depth[w->inboard[k]] + 1;
    }
    w->depth[w->ground] = 0;
}

/* The strand at whose tip the bodies of an edge meet, or ground.  Rows that meet on a flexible body are eliminated
 * where it hangs; all that connect branches on ground. */
static int where_met(clv_carrying *w, int edge)
{
    const clv_plan *p = w->p;
    const clv_edge *e = &p->edge[edge];
    const bool on_ground = holds_ground(p, edge) || e->nhandle == 0 || p->nsection > 0;
    int at = on_ground ? w->ground : piece_of(p, e->body[0]);
    for (int h = 1; h < e->nhandle; h++)
        for (int k = piece_of(p, e->body[h]); k != at && at != w->ground; w->steps++)
            if (w->depth[k] >= w->depth[at])
                k = w->inboard[k];
            else
                at = w->inboard[at];
    while (at >= p->nstrand && at < w->ground)
        at = w->inboard[at];
    return at;
}

/* pieces by where they start, edges by the bodies they hold */
static void list_graph(clv_carrying *w)
{
    const clv_plan *p = w->p;
    for (int k = 0; k <= w->ground; k++)
        w->first_child[k] = -1;
    for (int k = w->ground - 1; k >= 0; k--) {
        const int at = w->inboard[k];
        w->next_child[k] = w->first_child[at], w->first_child[at] = k;
    }
    for (int b = 0; b < p->nbody; b++)
        w->body_hold[b] = -1;
    for (int e = p->nedge + p->nport - 1; e >= 0; e--)
        for (int h = 0; (e >= p->nedge || clv_plan_carries(p, e)) && h < p->edge[e].nhandle; h++) {
            const int body = p->edge[e].body[h], at = clv_carry_push(w, &w->hold, e);
            clv_carry_push(w, &w->hold, h), clv_carry_push(w, &w->hold, w->body_hold[body]);
            w->body_hold[body] = at;
        }
    for (int e = 0; e < p->nedge && !(w->large && !p->ported); e++) {
        w->met[e] = clv_plan_carries(p, e) ? where_met(w, e) : -1;
        w->large = w->steps > MOST_STEPS * (long)p->nedge; /* far from each other: fronts are large, too */
    }
    w->large = w->large && !p->ported; /* in segments, there is no other way, and each is for itself */
    for (int e = p->nedge; e < p->nedge + p->nport; e++)
        w->met[e] = -1; /* with other segments */
}

static void list_idle(clv_carrying *w)
{
    w->c->idle = w->list.n, w->c->nidle = 0;
    for (int e = 0; e < w->p->nedge; e++)
        for (int r = 0; r < w->p->edge[e].m; r++)
            if (!clv_edge_carries(&w->p->edge[e], r))
                clv_carry_push(w, &w->list, w->p->edge[e].row + r), w->c->nidle++;
}

static int *level_of(clv_plan *p, int piece)
{
    return piece < p->nstrand ? &p->strand[piece].level : &p->star[piece - p->nstrand].level;
}

static bool in_series(const clv_plan *p, int piece) { return piece < p->nstrand && p->strand[piece].after >= 0; }

/* Strands outboard of others are of lower levels, strands in series of the same.  A flexible body is passed after the
 * strands on it. */
static void raise_levels(const clv_carrying *w)
{
    clv_plan *p = w->p;
    for (int s = 0; s < p->nstar; s++)
        p->star[s].level = -1;
    for (int i = w->ground - 1; i >= 0; i--) {
        const int k = w->outward[i], at = w->inboard[k];
        const int least = *level_of(p, k) + (at < p->nstrand && !in_series(p, k));
        if (at < w->ground && *level_of(p, at) < least)
            *level_of(p, at) = least;
    }
    for (int i = 0; i < w->ground; i++) {
        const int k = w->outward[i];
        if (in_series(p, k))
            p->strand[k].level = p->strand[p->strand[k].after].level;
    }
}

clv_status clv_plan_carry(clv_plan *p, const clv_plan_options *o, clv_error *e)
{
    clv_carrying w = {.p = p, .ok = true, .like = -1, .pairs = o->sections && o->method == 2};
    bool carried = false;
    if (!fits(&w, o))
        return w.ok ? CLV_OK : clv_fail(e, CLV_ERR_MEMORY, "out of memory while planning");
    if (open_work(&w) && (w.ok = p->nsection > 0 || clv_carry_find_idle(p))) {
        list_pieces(&w);
        list_graph(&w);
        list_idle(&w);
        w.most = p->ported ? INFINITY : nodes_work(p);
        for (int i = w.ground - 1; i >= 0 && w.ok && !w.large; i--)
            clv_carry_make_meet(&w, w.outward[i]);
        if (w.ok && !w.large)
            clv_carry_make_meet(&w, w.ground);
        carried = w.ok && !w.large && w.cost < w.most;
    }
    if (carried)
        clv_carry_find_series(&w), raise_levels(&w), w.c->rooted = w.c->meet[w.ground].nfront == w.c->nfront;
    if (w.c)
        w.c->list = w.list.v;
    close_work(&w);
    if (carried)
        p->carry = w.c, p->carried = true;
    else
        clv_carry_destroy(w.c);
    p->work = carried || p->ported ? w.cost : w.most;
    return w.ok ? CLV_OK : clv_fail(e, CLV_ERR_MEMORY, "out of memory while planning");
}

void clv_carry_destroy(clv_carry *c)
{
    if (!c)
        return;
    clv_free(c->front), clv_free(c->meet), clv_free(c->list);
    clv_free(c);
}
