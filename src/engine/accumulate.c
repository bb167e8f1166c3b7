/* SPDX-License-Identifier: Apache-2.0
 * The verb accumulate: wrench sums over outboard parts; wrenches of closings; self-stresses (T6, T13).
 *
 *   W_A := W_A + S W_B   for all bodies B, from the tips on        T6.1
 *
 * With momenta in W, H^T W are the joint momenta of hdca.  With what the equations of motion of the bodies leave over,
 * W are the reactions of tree joints.  A sum has the order of the model's bodies, so its bits do not depend on
 * lanes. */
#include "engine/engine.h"
#include "math/spatial.h"

/* outermost first: `order` has parents before children */
void clv_engine_accumulate(const clv_engine *e, double *W)
{
    const clv_plan *p = e->plan;
    for (int i = p->nbody - 1; i >= 0; i--) {
        int b = p->order[i], a = p->tree[b].parent;
        if (a < 0) /* on ground */
            continue;
        double S[6]; /* the wrench of b and all outboard of it, about the reference point of a */
        clv_wrench_shift(S, e->arm + 3 * (size_t)b, W + 6 * (size_t)b);
        clv_add6(W + 6 * (size_t)a, S);
    }
}

/* W_body += sign B sigma at every handle of the edge (T6) */
void clv_engine_closing_wrenches(const clv_engine *e, double *W, const double *sigma, double sign)
{
    const clv_plan *p = e->plan;
    /* edge by edge, handle by handle: the order of the sums is the model's, whatever the plan */
    for (int k = 0; k < p->nedge; k++) {
        const clv_edge *edge = &p->edge[k];
        if (edge->tree_body >= 0) /* a tree joint between strands: no closing */
            continue;
        for (int h = 0; h < edge->nhandle; h++)
            for (int j = 0; j < edge->m; j++)
                for (int i = 0; i < 6; i++)
                    W[6 * (size_t)edge->body[h] + (size_t)i] +=
                        sign * e->block[edge->block[h] + 6 * j + i] * sigma[edge->row + j];
    }
}

/* T13: the k-th null vector of a node, then downwards what balances it in the parts it holds */
void clv_engine_self_stress(clv_engine *e, int part, int k)
{
    const clv_plan *p = e->plan;
    e->below[0] = part, e->nbelow = 1; /* a list that grows while it is read: parents before children */
    for (int i = 0; i < e->nbelow; i++) {
        const clv_part *q = &p->part[e->below[i]];
        for (int c = 0; c < 2; c++)
            if (q->child[c] >= 0)
                e->below[e->nbelow++] = q->child[c];
        if (clv_part_connects(p, e->below[i]))
            clv_connection_self_stress(e, k);
        else if (q->npetal > 0) /* its petals stay at rest */
            clv_hub_self_stress(e, e->below[i]);
        else if (clv_part_is_node(q))
            clv_node_self_stress(e, e->below[i], i == 0 ? k : -1);
    }
}
