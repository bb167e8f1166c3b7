/* SPDX-License-Identifier: Apache-2.0
 * One pass of the verb solve (T4, T5): groups inward, strands show x0, nodes up, nodes down, groups outward.
 *
 *   M x = b + K sigma + H-columns of drives,   K^T x = a - eps sigma,   x_B = S^T x_A + c + H u in tree joints
 *
 * Given are loads b of bodies, drives tau and biases c of tree joints, right-hand sides a of rows.  Found are motions
 * x, joint unknowns u and multipliers sigma.  The pass is the same for velocities from momenta and for accelerations
 * from wrenches.  Model order at the border, slots between (scatter, gather). */
#include <math.h>
#include <string.h>
#include "engine/base_block.h"
#include "engine/kernels.h"
#include "math/spatial.h"

/* Load of a body at its reference point, six numbers `stride` apart: in slot order, or beside it
 * for bodies of flexible ones */
static double *load_of(clv_engine *e, int body, int *stride)
{
    int slot = e->plan->slot[body];
    *stride = slot < 0 ? 1 : CLV_GROUP;
    return slot < 0 ? e->star_load + 6 * (size_t)body
                    : e->b + (size_t)(slot / CLV_GROUP) * 6 * CLV_GROUP + slot % CLV_GROUP;
}

/* drive of a joint that does not belong to a strand: the pair of wrenches +-G tau */
void clv_solve_outer_drive(clv_engine *e, int body, const double *tau)
{
    const clv_plan *p = e->plan;
    const clv_tree_joint *t = &p->tree[body];
    double W[6] = {0}, S[6];
    for (int k = 0; k < t->f; k++) /* rotors have it in their rows, see scatter */
        for (int i = 0; (t->edge < 0 || clv_edge_rotor(p, &p->edge[t->edge], k) < 0) && i < 6; i++)
            W[i] += e->dual[clv_columns(p, (size_t)body) + 6 * (size_t)k + (size_t)i] * tau[t->iu + k];
    for (int side = 0; side < 2; side++) { /* + on the child, - on the parent */
        int b = side ? t->parent : body;
        if (b < 0)
            return;
        if (side)
            clv_wrench_shift(S, e->arm + 3 * (size_t)body, W);
        int stride;
        double *to = load_of(e, b, &stride);
        for (int i = 0; i < 6; i++)
            to[i * stride] += side ? -S[i] : W[i];
    }
}

/* model order to slot order: loads b, drives tau, biases c (NULL: none); right-hand sides a of the rows */
static void scatter(clv_engine *e, const double *b, const double *tau, const double *c, const double *a)
{
    static const double zero[6] = {0};
    const clv_plan *p = e->plan;
    /* loads first: drives of joints between strands are added to them below */
    for (int i = 0; i < p->nbody; i++)
        if (p->slot[i] >= 0)
            clv_slot_put(e->b, 6, p->slot[i], b + 6 * (size_t)i);
        else
            memcpy(e->star_load + 6 * (size_t)i, b + 6 * (size_t)i, 6 * sizeof(double));
    /* biases and drives: joints inside strands in the slot of their child; others as loads and rows of their edges */
    for (int i = 0; i < p->nbody; i++) {
        const clv_tree_joint *t = &p->tree[i];
        if (t->link >= 0)
            continue;
        int row = p->slot[i] / CLV_GROUP;
        const double *ci = c ? c + 6 * (size_t)i : zero;
        if (clv_inside_strand(t)) { /* bias and drive lie in the slot of the child */
            clv_slot_put(e->c, 6, p->slot[i], ci);
            double *to = e->tau + (size_t)p->row_H[row] * CLV_GROUP + p->slot[i] % CLV_GROUP;
            for (int k = 0; k < t->f; k++)
                to[k * CLV_GROUP] = tau ? tau[t->iu + k] : 0.0;
            continue;
        }
        if (tau) /* a joint between strands: its drive is a pair of loads */
            clv_solve_outer_drive(e, i, tau);
        if (t->edge >= 0) { /* the child's block is D at its own point */
            const clv_edge *edge = &p->edge[t->edge];
            for (int j = 0; j < edge->m; j++)
                e->a[edge->row + j] = clv_dot6(e->block + edge->block[0] + 6 * j, ci);
        }
    }
    /* right-hand sides of rows */
    for (int k = 0; k < p->nedge; k++) /* rows of tree edges hold D^T c, unless all rows are given; tangent rows 0 */
        for (int j = 0; j < p->edge[k].m; j++) {
            int i = p->edge[k].row + j;
            if (clv_edge_closes(&p->edge[k]) || e->all_rows)
                e->a[i] = a ? a[i] : 0.0;
            else if (p->edge[k].force >= 0)
                e->a[i] = 0.0;
        }
    for (int i = 0; tau && i < p->narmed; i++) { /* drives of joints with rotors (T113) */
        const clv_tree_joint *t = &p->tree[p->armed[i]];
        for (int k = 0; t->edge >= 0 && k < t->f; k++) {
            const int row = clv_edge_rotor(p, &p->edge[t->edge], k);
            if (row >= 0)
                e->a[p->edge[t->edge].row + row] += tau[t->iu + k] / sqrt(clv_armature_of(p, p->armed[i], k));
        }
    }
}

/* a limb is attached to a body: p of its base joins the load there (T4) */
static void fold_load(clv_engine *e, int k)
{
    const clv_plan *p = e->plan;
    const clv_strand *s = &p->strand[k];
    if (s->base != CLV_BASE_FOLD)
        return;
    const double *from = e->out[s->group].p + s->lane;
    double *to = e->b + (size_t)(p->fold_slot[k] / CLV_GROUP) * 6 * CLV_GROUP + p->fold_slot[k] % CLV_GROUP;
    for (int i = 0; i < 6; i++)
        to[i * CLV_GROUP] += from[i * CLV_GROUP];
}

/* T4.6: x0 of a strand with ports */
static void leaf_x0(clv_engine *e, int part)
{
    const clv_plan *p = e->plan;
    const clv_part *q = &p->part[part];
    const clv_strand *s = &p->strand[q->strand];
    const clv_strand_out *o = &e->out[s->group];
    double *x0 = clv_part_x0(e, part), y[6] = {0};
    int tip = 6 * q->nport - 6;
    bool columns = s->columns;
    /* motion of a free base under the loads of the strand */
    if (s->base == CLV_BASE_FREE) { /* I^-1 p */
        clv_lane_get(o->p, 6, s->lane, y);
        clv_base_solve(e->base_LD + 36 * (size_t)e->free_base[q->strand], y);
        if (s->base_port || !columns)
            memcpy(x0, y, sizeof y);
    }
    /* and of its tip */
    if (columns)
        for (int j = 0; j < 6; j++) {
            double t = o->t[j * CLV_GROUP + s->lane]; /* t + K^T I^-1 p */
            for (int i = 0; i < 6; i++)
                t += o->K[(6 * j + i) * CLV_GROUP + s->lane] * y[i];
            x0[tip + j] = t;
        }
}

/* T4.5 solved for the motion of the base, with the wrenches T at the ports: where the way outward starts */
void clv_solve_start(clv_engine *e, int k)
{
    const clv_plan *p = e->plan;
    const clv_strand *s = &p->strand[k];
    const clv_strand_out *o = &e->out[s->group];
    double x[6] = {0}, F[6] = {0}, Fb[6] = {0}; /* motion of the base; wrenches at the tip and at the base */
    bool columns = s->columns;
    if (s->part >= 0) { /* it has ports: wrenches of the joints there, found on the way down */
        const double *T = clv_part_T(e, s->part);
        int nport = p->part[s->part].nport;
        if (columns)
            memcpy(F, T + 6 * nport - 6, sizeof F);
        if (s->base_port || !columns)
            memcpy(Fb, T, sizeof Fb);
    }
    if (s->base == CLV_BASE_FOLD) /* a limb starts with the motion of the body it is attached to */
        clv_slot_get(e->x, 6, p->fold_slot[k], x);
    else if (s->base == CLV_BASE_FREE) { /* I x = p + F_base + K F_tip */
        for (int i = 0; i < 6; i++) {
            x[i] = o->p[i * CLV_GROUP + s->lane] + Fb[i];
            for (int j = 0; columns && j < 6; j++)
                x[i] += o->K[(6 * j + i) * CLV_GROUP + s->lane] * F[j];
        }
        clv_base_solve(e->base_LD + 36 * (size_t)e->free_base[k], x);
    }
    for (int i = 0; i < 6; i++)
        o->x[i * CLV_GROUP + s->lane] = x[i], o->F[i * CLV_GROUP + s->lane] = F[i];
}

/* slot order to model order: motions x, and the unknowns u; those of joints between strands from both bodies */
static void gather(const clv_engine *e, double *x, double *u, const double *c)
{
    const clv_plan *p = e->plan;
    for (int i = 0; i < p->nbody; i++)
        if (p->slot[i] >= 0)
            clv_slot_get(e->x, 6, p->slot[i], x + 6 * (size_t)i);
    for (int i = 0; i < p->nbody; i++) {
        const clv_tree_joint *t = &p->tree[i];
        int row = p->slot[i] / CLV_GROUP;
        if (t->link >= 0)
            continue;
        if (clv_inside_strand(t)) {
            const double *from = e->u + (size_t)p->row_H[row] * CLV_GROUP + p->slot[i] % CLV_GROUP;
            for (int k = 0; k < t->f; k++)
                u[t->iu + k] = from[k * CLV_GROUP];
            continue;
        }
        double d[6] = {0}; /* u = G^T (x_B - S^T x_A - c), G^T H = 1 */
        if (t->parent >= 0)
            clv_motion_shift(d, e->arm + 3 * (size_t)i, x + 6 * (size_t)t->parent);
        for (int k = 0; k < 6; k++)
            d[k] = x[6 * (size_t)i + (size_t)k] - d[k] - (c ? c[6 * (size_t)i + (size_t)k] : 0.0);
        for (int k = 0; k < t->f; k++)
            u[t->iu + k] = clv_dot6(e->dual + clv_columns(p, (size_t)i) + 6 * (size_t)k, d);
    }
}

/* T4.3: the strands of a group inward, then the loads that limbs hand to the bodies that carry them */
void clv_solve_group_up(clv_engine *e, int g)
{
    e->kernels->strand_inward(e, &e->plan->group[g]);
    for (int l = 0; l < e->plan->group[g].nstrand; l++)
        fold_load(e, e->plan->group[g].strand[l]);
}

/* x0 of a part (T4.6, T5.3, T28) */
void clv_solve_part_up(clv_engine *e, int k)
{
    if (e->plan->part[k].strand >= 0)
        leaf_x0(e, k);
    else if (clv_part_connects(e->plan, k))
        clv_connection_up(e);
    else if (e->plan->part[k].npetal > 0)
        clv_hub_up(e, k);
    else if (clv_part_is_node(&e->plan->part[k]))
        clv_node_up(e, k, e->scratch);
}

/* sigma of a node and the wrenches of its children (T5.2, T5.4, T28) */
void clv_solve_part_down(clv_engine *e, int k)
{
    if (clv_part_connects(e->plan, k))
        clv_connection_down(e);
    else if (e->plan->part[k].npetal > 0)
        clv_hub_down(e, k);
    else if (clv_part_is_node(&e->plan->part[k]))
        clv_node_down(e, k, e->scratch);
}

/* T4.5, T4.4: the motions of the bases of a group, then its strands outward */
void clv_solve_group_down(clv_engine *e, int g)
{
    for (int l = 0; l < e->plan->group[g].nstrand; l++)
        clv_solve_start(e, e->plan->group[g].strand[l]);
    e->kernels->strand_outward(e, &e->plan->group[g]);
}

/* The order of a solve: in, up, down, out.  Motions x (nbody x 6), unknowns u (nu), model order. */
void clv_engine_pass(clv_engine *e, double *x, double *u, const double *b, const double *tau, const double *c,
                     const double *a)
{
    const clv_plan *p = e->plan;
    scatter(e, b, tau, c, a);
    for (int g = 0; g < p->ngroup; g++)
        clv_solve_group_up(e, g);
    for (int k = 0; k < p->nstar; k++)
        clv_star_up(e, k, tau, c);
    clv_parts_up(e, true);
    clv_parts_down(e);
    for (int k = 0; k < p->nstar; k++)
        clv_star_down(e, k, c, x, u);
    for (int g = p->ngroup - 1; g >= 0; g--)
        clv_solve_group_down(e, g);
    gather(e, x, u, c);
}
