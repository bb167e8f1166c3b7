/* SPDX-License-Identifier: Apache-2.0
 * Memory of the engine (counted, then carved), its index maps, and the way of a body into its slot.
 *
 * The layout runs twice over the same lines: with an arena without a block it counts, then it sets the pointers.
 * Arrays in slots have rows of eight, component k of row r at [(r n + k) 8 .. + 7].  Arrays of nodes lie in one store,
 * part after part.  What only evaluations in model order use comes with clv_engine_open, and goes with clv_engine_shut:
 * formulations in rows (T43) need it at the start alone. */
#include "base/tolerance.h"
#include "engine/base_block.h"
#include "engine/extra.h"

/* rows of eight slots: n slots, f free directions of slots, nk slots with tip columns */
static void layout_rows(clv_engine *e, const clv_plan *p, clv_arena *a)
{
    size_t n = (size_t)p->nrow * CLV_GROUP, f = (size_t)(p->nrow ? p->row_H[p->nrow] : 0) * CLV_GROUP, nk = 0;
    for (int g = 0; g < p->ngroup; g++)
        nk += p->group[g].ncolumns > 0 ? (size_t)p->group[g].nrow * CLV_GROUP : 0;
    /* of a slot: arm, inertia */
    CLV_TAKE(a, e->r, 3 * n);
    CLV_TAKE(a, e->I, 21 * n);
    /* of a free direction in a slot: H, U Dm^-1, H^T K; R; the factor of Dm, six numbers for each of its rows */
    CLV_TAKE(a, e->H, 6 * f), CLV_TAKE(a, e->N, 6 * f), CLV_TAKE(a, e->w, 6 * f);
    CLV_TAKE(a, e->R, f), CLV_TAKE(a, e->LD, 6 * f);
    CLV_TAKE(a, e->K, 36 * nk); /* groups without ports at tips have no columns */
    /* of a slot, then of a direction: right-hand sides and solution */
    CLV_TAKE(a, e->b, 6 * n), CLV_TAKE(a, e->c, 6 * n), CLV_TAKE(a, e->x, 6 * n);
    CLV_TAKE(a, e->tau, f), CLV_TAKE(a, e->u0, f), CLV_TAKE(a, e->u, f);
    CLV_TAKE(a, e->row_K, p->nrow);
}

/* what the strands of a group show at their bases and tips, and where the way outward starts; rows (T43) use it too */
static void layout_outs(clv_engine *e, const clv_plan *p, clv_arena *a)
{
    CLV_TAKE(a, e->out, p->ngroup);
    for (int g = 0; g < p->ngroup; g++) {
        clv_strand_out o, *out = a->base ? &e->out[g] : &o;
        int k = p->group[g].ncolumns > 0 ? CLV_GROUP : 0;
        CLV_TAKE(a, out->I, 21 * CLV_GROUP), CLV_TAKE(a, out->p, 6 * CLV_GROUP);
        CLV_TAKE(a, out->K, 36 * k), CLV_TAKE(a, out->L, 21 * k), CLV_TAKE(a, out->t, 6 * k);
        CLV_TAKE(a, out->x, 6 * CLV_GROUP), CLV_TAKE(a, out->F, 6 * CLV_GROUP);
        CLV_TAKE(a, out->ok, CLV_GROUP), CLV_TAKE(a, out->weak, CLV_GROUP);
    }
}

/* what factor and solve keep of strands, and to refine; the shapes stand beside the fields in engine.h */
static void layout_strands(clv_engine *e, const clv_plan *p, clv_arena *a)
{
    layout_rows(e, p, a);
    CLV_TAKE(a, e->mass, 21 * p->nbody);
    CLV_TAKE(a, e->fix_b, 6 * p->nbody), CLV_TAKE(a, e->fix_x, 6 * p->nbody), CLV_TAKE(a, e->fix_a, p->nsigma);
}

/* and what they keep of bases and nodes, which rows with loops use too */
static void layout_nodes(clv_engine *e, const clv_plan *p, clv_arena *a)
{
    size_t nfree = 0, nstore = 0;
    /* sizes that depend on the plan alone */
    for (int k = 0; k < p->nstrand; k++)
        nfree += p->strand[k].base == CLV_BASE_FREE;
    e->nscratch = 0;
    for (int k = 0; k < p->npart; k++) {
        const size_t scratch = clv_node_scratch(p, k);
        nstore += clv_node_size(p, k);
        e->nscratch = scratch > e->nscratch ? scratch : e->nscratch;
    }
    int nports = p->npart ? p->part[p->npart - 1].port + p->part[p->npart - 1].nport : 0;
    CLV_TAKE(a, e->free_base, p->nstrand), CLV_TAKE(a, e->base_LD, 36 * nfree);
    CLV_TAKE(a, e->row_value, clv_plan_rows(p));
    /* parts of the assembly, and what each keeps */
    CLV_TAKE(a, e->at, p->npart), CLV_TAKE(a, e->store, nstore);
    CLV_TAKE(a, e->handle_at, p->nhandle), CLV_TAKE(a, e->port_at, nports);
    clv_pairs_layout(&e->pairing, p, a);
    CLV_TAKE(a, e->scratch, e->nscratch);
    clv_connection_layout(e, a);
    CLV_TAKE(a, e->below, p->npart);
}

/* Has the layout memory for nodes? */
static bool nodes_now(const clv_engine *e) { return !e->later || clv_plan_joins(e->plan); }

/* what clv_engine_open brings */
static void layout_later(clv_engine *e, clv_arena *a)
{
    layout_strands(e, e->plan, a);
    if (!nodes_now(e))
        layout_nodes(e, e->plan, a);
}

void clv_engine_layout(clv_engine *e, const clv_plan *p, clv_arena *a)
{
    e->plan = p;
    if (!e->later)
        layout_strands(e, p, a);
    if (nodes_now(e))
        layout_nodes(e, p, a);
    layout_outs(e, p, a);
    /* the equations in model order */
    CLV_TAKE(a, e->arm, 3 * p->nbody);
    CLV_TAKE(a, e->free, 6 * p->nh), CLV_TAKE(a, e->dual, 6 * p->nh), CLV_TAKE(a, e->resist, p->nh);
    /* rows of edges */
    CLV_TAKE(a, e->block, p->nblock);
    CLV_TAKE(a, e->eps, p->nsigma), CLV_TAKE(a, e->a, p->nsigma), CLV_TAKE(a, e->sigma, clv_plan_rows(p));
    CLV_TAKE(a, e->scale, p->nsigma);
    /* work of refinement that rows use too */
    CLV_TAKE(a, e->fix_tau, p->nu), CLV_TAKE(a, e->fix_u, p->nu), CLV_TAKE(a, e->fix_sigma, p->nsigma);
    clv_star_layout(e, p, a);
    clv_extra_layout(e, p, a);
    CLV_TAKE(a, e->nullity, p->npart);
}

/* first component of a body among the ports of the children of a node; -1: it is none */
static int find_port(const clv_plan *p, const clv_part *q, int body)
{
    for (int c = 0, at = 0; c < 2 && q->child[c] >= 0; c++) {
        /* ports of the first child, then of the second, six components each */
        const clv_part *child = &p->part[q->child[c]];
        for (int i = 0; i < child->nport; i++, at += 6)
            if (p->ports[child->port + i] == body)
                return at;
    }
    return -1;
}

/* where every part keeps its numbers; for nodes, where ports and handles lie among those of the children */
static void number_parts(clv_engine *e)
{
    const clv_plan *p = e->plan;
    size_t at = 0;
    for (int k = 0; k < p->npart; k++) {
        const clv_part *q = &p->part[k];
        e->at[k] = at, at += clv_node_size(p, k);
        if (!clv_part_is_node(q) || clv_part_connects(p, k))
            continue;
        /* ports of a node and handles of its edges as components of its children */
        for (int i = 0; i < q->nport; i++)
            e->port_at[q->port + i] = find_port(p, q, p->ports[q->port + i]);
        for (int i = 0; i < q->nedge; i++) {
            int id = p->edges_of[q->edge + i];
            for (int h = 0; h < p->edge[id].nhandle; h++)
                e->handle_at[p->edge[id].handle + h] = find_port(p, q, p->edge[id].body[h]);
        }
    }
    assert(p->npart == 0 || at == e->at[p->npart - 1] + clv_node_size(p, p->npart - 1));
    clv_pairs_begin(&e->pairing, p, e->at);
}

/* index maps of what layout_nodes has */
static void begin_nodes(clv_engine *e)
{
    const clv_plan *p = e->plan;
    number_parts(e);
    /* factors of free bases are numbered through */
    for (int k = 0, n = 0; k < p->nstrand; k++)
        e->free_base[k] = p->strand[k].base == CLV_BASE_FREE ? n++ : -1;
}

/* index maps and paddings of what layout_strands has */
static void begin_strands(clv_engine *e)
{
    const clv_plan *p = e->plan;
    /* rows with tip columns are numbered through */
    for (int g = 0, n = 0; g < p->ngroup; g++)
        for (int i = 0; i < p->group[g].nrow; i++)
            e->row_K[p->group[g].row + i] = p->group[g].ncolumns > 0 ? n++ : -1;
    /* padding: R = 1 makes a unit pivot where a slot or a direction is not used (T4) */
    for (size_t i = 0; i < (size_t)(p->nrow ? p->row_H[p->nrow] : 0) * CLV_GROUP; i++)
        e->R[i] = 1.0;
    e->open = true;
}

void clv_engine_begin(clv_engine *e, double rank, const clv_kernels *kernels)
{
    const clv_plan *p = e->plan;
    e->rank = rank;
    e->kernels = kernels;
    clv_extra_begin(e);
    if (!e->later)
        begin_strands(e);
    if (nodes_now(e))
        begin_nodes(e);
    for (int k = 0; k < p->nstrand; k++)
        e->out[p->strand[k].group].weak[p->strand[k].lane] = p->strand[k].columns ? CLV_TOL_LIMB_PIVOT : 0.0;
    /* until the kinematics gives rows a size */
    for (int i = 0; i < p->nsigma; i++)
        e->scale[i] = 1.0;
    /* Rows of springs and dampers are idle, sigma = 0, until an implicit step fills their blocks (T26).  Those of
     * rotors have the root of their inertia in the block (T113). */
    for (int k = 0; k < p->nedge; k++)
        for (int r = p->edge[k].m - p->edge[k].yields; r < p->edge[k].m; r++)
            e->eps[p->edge[k].row + r] = 1.0;
}

bool clv_engine_open(clv_engine *e)
{
    if (e->open)
        return true;
    assert(e->later && !e->more.block);
    layout_later(e, &e->more);
    if (!clv_arena_open(&e->more)) {
        e->more = (clv_arena){0};
        return false;
    }
    layout_later(e, &e->more);
    begin_strands(e);
    if (!nodes_now(e))
        begin_nodes(e);
    return true;
}

void clv_engine_shut(clv_engine *e)
{
    if (!e->later || !e->open)
        return;
    clv_arena_close(&e->more);
    e->more = (clv_arena){0};
    layout_later(e, &e->more); /* every pointer becomes NULL */
    e->more = (clv_arena){0};
    e->open = false, e->partial = true; /* no factor in model order is left */
}

void clv_engine_end(clv_engine *e) { clv_arena_close(&e->more); }

/* a body of a flexible body has no slot, the base of a strand no joint inside it */
void clv_engine_body(clv_engine *e, int body)
{
    const clv_plan *p = e->plan;
    const clv_tree_joint *t = &p->tree[body];
    if (p->slot[body] < 0 || !e->open)
        return;
    int slot = p->slot[body], row = slot / CLV_GROUP, lane = slot % CLV_GROUP;
    clv_slot_put(e->I, 21, slot, e->mass + 21 * (size_t)body);
    if (!clv_inside_strand(t))
        return;
    /* a joint inside a strand: its arm, free directions and resistance lie in the row of the child */
    const double *H = e->free + clv_columns(p, (size_t)body), *R = e->resist + t->ih;
    clv_slot_put(e->r, 3, slot, e->arm + 3 * (size_t)body);
    double *h = e->H + 6 * (size_t)p->row_H[row] * CLV_GROUP + lane,
           *r = e->R + (size_t)p->row_H[row] * CLV_GROUP + lane;
    for (int i = 0; i < 6 * t->f; i++)
        h[i * CLV_GROUP] = H[i];
    for (int i = 0; i < t->f; i++)
        r[i * CLV_GROUP] = R[i];
}
