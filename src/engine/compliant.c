/* SPDX-License-Identifier: Apache-2.0
 * Joints with a compliance on every row: memory, and the order of factor and solve; see compliant.h (T23.8).
 *
 *   factor   groups from the tips on: strands, then limbs into the bodies that carry them; nodes, children first
 *   pass     groups inward | nodes up, nodes down | groups outward
 *
 * The order is that of factor.c and solve.c.  It differs in what a joint inside a strand is: six directions of relative
 * motion, none of them rigid, in place of a few free ones (compliant_strand.c).  No rank is decided inside a strand,
 * for every row has a compliance.  Loops are closed by nodes, whose rows have theirs on the diagonal of Z. */
#include "engine/compliant.h"
#include <string.h>
#include "engine/base_block.h"
#include "engine/extra.h"
#include "engine/kernels.h"

enum { G8 = CLV_GROUP };

/* one slot of an array with n numbers a row */
static double *slot_of(double *array, int n, int slot)
{
    return array + (size_t)(slot / G8) * (size_t)n * G8 + slot % G8;
}

/* a limb's body on which it hangs, or -1: the strand is no limb, or stands on ground */
static int held_by(const clv_plan *p, const clv_strand *s)
{
    return s->base == CLV_BASE_FOLD ? p->tree[p->bodies[s->first]].parent : -1;
}

/* rows into which limbs fold; limb: (nrow) where they are, or NULL: they are counted */
static int list_limbs(const clv_plan *p, int *limb)
{
    int n = 0;
    for (int i = 0; limb && i < p->nrow; i++)
        limb[i] = -1;
    for (int k = 0; k < p->nstrand; k++) {
        const int body = held_by(p, &p->strand[k]);
        if (body < 0)
            continue;
        if (!limb)
            n++;
        else if (limb[p->slot[body] / G8] < 0)
            limb[p->slot[body] / G8] = n++;
    }
    return n;
}

void clv_compliant_layout(clv_compliant *c, const clv_plan *tree, clv_arena *a)
{
    const size_t n = (size_t)tree->nrow * G8;
    clv_engine_layout(&c->engine, tree, a);
    c->nlimb = list_limbs(tree, NULL);
    CLV_TAKE(a, c->edge, tree->nbody), CLV_TAKE(a, c->edge_of, tree->nedge), CLV_TAKE(a, c->limb, tree->nrow);
    /* constants and poses of bodies; directions of joints and their stiffness */
    CLV_TAKE(a, c->mass, n), CLV_TAKE(a, c->J, 6 * n), CLV_TAKE(a, c->r, 3 * n);
    CLV_TAKE(a, c->T, 36 * n), CLV_TAKE(a, c->w, 6 * n);
    /* the factor: N, 1 / d, kappa of T23.8, and columns of the wrench at the tip */
    CLV_TAKE(a, c->N, 36 * n), CLV_TAKE(a, c->inverse, 6 * n), CLV_TAKE(a, c->kappa, 6 * n);
    CLV_TAKE(a, c->Kh, 36 * n), CLV_TAKE(a, c->b, 6 * n), CLV_TAKE(a, c->a, 6 * n);
    /* right-hand sides on the way inward, solution on the way outward */
    CLV_TAKE(a, c->h, 6 * n), CLV_TAKE(a, c->u0, 6 * n), CLV_TAKE(a, c->x, 6 * n), CLV_TAKE(a, c->sigma, 6 * n);
    CLV_TAKE(a, c->limb_I, 21 * G8 * (size_t)c->nlimb), CLV_TAKE(a, c->limb_p, 6 * G8 * (size_t)c->nlimb);
}

bool clv_compliant_fits(const clv_plan *absolute)
{
    /* edges with forces of flexible bodies, and flexible bodies, have no compliance of this form */
    for (int e = 0; e < absolute->nedge; e++)
        if (absolute->edge[e].force >= 0)
            return false;
    return absolute->nstar == 0;
}

/* the edge of the absolute plan that is the same joint or coupling */
static int same_edge(const clv_plan *absolute, const clv_edge *edge, int joint)
{
    if (joint >= 0)
        return absolute->edge_of_joint[joint];
    for (int e = 0; e < absolute->nedge; e++)
        if (absolute->edge[e].coupling == edge->coupling && edge->coupling >= 0)
            return e;
    return -1;
}

void clv_compliant_begin(clv_compliant *c, const clv_plan *absolute, const clv_kernels *kernels)
{
    const clv_plan *p = c->engine.plan;
    clv_engine_begin(&c->engine, 0, kernels);
    c->absolute = absolute;
    list_limbs(p, c->limb);
    /* padding: a unit in the place of d, see compliant_strand.c */
    for (int i = 0; i < p->nrow * G8 * CLV_DIRECTIONS; i++)
        c->w[i] = 1.0;
    for (int b = 0; b < p->nbody; b++) {
        const clv_tree_joint *t = &p->tree[b];
        c->mass[p->slot[b]] = p->model->body[b].mass;
        /* rows of a joint inside a strand belong to its edge of the absolute plan */
        c->edge[b] = clv_inside_strand(t) ? absolute->edge_of_joint[t->joint] : -1;
    }
    for (int k = 0; k < p->nedge; k++) {
        const clv_edge *e = &p->edge[k];
        c->edge_of[k] = same_edge(absolute, e, e->tree_body >= 0 ? p->tree[e->tree_body].joint : e->joint);
        assert(c->edge_of[k] >= 0 && absolute->edge[c->edge_of[k]].m == e->m);
    }
}

void clv_compliant_joint(clv_compliant *c, int body, const double r[3], const double T[36], const double w[6])
{
    const int slot = c->engine.plan->slot[body];
    clv_slot_put(c->r, 3, slot, r), clv_slot_put(c->T, 36, slot, T), clv_slot_put(c->w, 6, slot, w);
}

/* ------------------------------------------------------------------ factor */

/* blocks, scales, eps of the edges that nodes close; the handles may have another order */
static void take_edges(clv_compliant *c, const clv_engine *from)
{
    const clv_plan *p = c->engine.plan;
    for (int k = 0; k < p->nedge; k++) {
        const clv_edge *to = &p->edge[k], *e = &c->absolute->edge[c->edge_of[k]];
        const size_t rows = (size_t)e->m;
        memcpy(c->engine.scale + to->row, from->scale + e->row, rows * sizeof(double));
        memcpy(c->engine.eps + to->row, from->eps + e->row, rows * sizeof(double));
        for (int h = 0; h < to->nhandle; h++)
            for (int i = 0; i < e->nhandle; i++)
                /* blocks belong to bodies: the order of the two handles may differ between the plans */
                if (e->body[i] == to->body[h])
                    memcpy(c->engine.block + to->block[h], from->block + e->block[i], 6 * rows * sizeof(double));
    }
}

/* What the limbs of a group show at their bases, added to the bodies to which they are attached: n numbers. */
static void fold(clv_compliant *c, int group, int n, bool inertia)
{
    const clv_plan *p = c->engine.plan;
    const clv_strand_out *o = &c->engine.out[group];
    for (int l = 0; l < p->group[group].nstrand; l++) {
        const int body = held_by(p, &p->strand[p->group[group].strand[l]]);
        if (body < 0)
            continue;
        const int at = c->limb[p->slot[body] / G8] * G8 + p->slot[body] % G8;
        const double *from = (inertia ? o->I : o->p) + l;
        double *to = slot_of(inertia ? c->limb_I : c->limb_p, n, at);
        for (int i = 0; i < n; i++)
            to[i * G8] += from[i * G8];
    }
}

/* the strands of a group factored; what their bases show */
static bool factor_group(clv_compliant *c, int group)
{
    clv_engine *e = &c->engine;
    const clv_plan *p = e->plan;
    const clv_group *g = &p->group[group];
    /* T23.8 along the strands, then their bases to the bodies on which they hang (T4) */
    e->kernels->compliant_factor(c, g);
    fold(c, group, 21, true);
    for (int l = 0; l < g->nstrand; l++) {
        const clv_strand *s = &p->strand[g->strand[l]];
        /* a floating base is factored here; a base on ground or on a body has nothing left to factor */
        const bool sound = e->out[group].ok[l] == 1.0;
        if (sound && (s->base != CLV_BASE_FREE ||
                      clv_extra_base(e, s, e->base_LD + 36 * (size_t)e->free_base[g->strand[l]], e->out[group].I)))
            continue;
        e->failed_body = p->bodies[s->first];
        return false;
    }
    return true;
}

clv_status clv_compliant_factor(clv_compliant *c, const clv_engine *absolute)
{
    clv_engine *e = &c->engine;
    clv_factor_begin(e);
    take_edges(c, absolute);
    memset(c->limb_I, 0, 21 * G8 * (size_t)c->nlimb * sizeof(double));
    /* groups from the tips on: limbs fold before the strand that holds them is factored */
    for (int g = 0; g < e->plan->ngroup; g++)
        if (!factor_group(c, g))
            return CLV_ERR_SINGULAR;
    /* bodies that lack inertia are left to the nodes of the absolute plan */
    return e->nextended == 0 && clv_factor_loops(e) ? CLV_OK : CLV_ERR_SINGULAR;
}

/* ------------------------------------------------------------------ solve */

/* motion of the base and wrench at the tip of the strands of a group, for the way outward */
static void start_group(clv_compliant *c, int group)
{
    clv_engine *e = &c->engine;
    const clv_plan *p = e->plan;
    for (int l = 0; l < p->group[group].nstrand; l++) {
        const int k = p->group[group].strand[l], body = held_by(p, &p->strand[k]);
        double x[6];
        /* a strand with ports or on ground starts as in solve.c */
        if (body < 0) {
            clv_solve_start(e, k);
            continue;
        }
        clv_slot_get(c->x, 6, p->slot[body], x);
        for (int i = 0; i < 6; i++)
            e->out[group].x[i * G8 + l] = x[i], e->out[group].F[i * G8 + l] = 0.0;
    }
}

void clv_compliant_pass(clv_compliant *c, bool loaded)
{
    clv_engine *e = &c->engine;
    const clv_plan *p = e->plan;
    memset(c->limb_p, 0, 6 * G8 * (size_t)c->nlimb * sizeof(double));
    for (int g = 0; g < p->ngroup; g++) {
        e->kernels->compliant_inward(c, &p->group[g], loaded);
        fold(c, g, 6, false);
    }
    /* between the ways along strands: loops and joints between strands, T5.2 and T5.4 */
    clv_parts_up(e, true);
    clv_parts_down(e);
    for (int g = p->ngroup - 1; g >= 0; g--) {
        start_group(c, g);
        e->kernels->compliant_outward(c, &p->group[g]);
    }
}
