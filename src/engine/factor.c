/* SPDX-License-Identifier: Apache-2.0
 * The verb factor (T4, T5): groups by level, limbs fold; strands with ports show Xi; nodes close, children first.
 *
 *   strands   I, and K, L for a wrench at the tip, by the articulated recursion in lanes (strand.c, T4.1, T4.2)
 *   leaves    Xi = [I^-1, I^-1 K; ., L + K^T I^-1 K] at the ports of a strand whose base floats (T4.6)
 *   nodes     Z = K^T Xi K + eps factored, Xi := Xi_ee - Y_e Z^+ Y_e^T (node.c, pairs.c, hub.c, connection.c; T5.3)
 *
 * The work is linear in the number of bodies as long as separators are small.  The outcome is in the engine: the rank
 * of each node, the weakest pivot that was kept, the largest that was dropped, and where a factor failed. */
#include <math.h>
#include <string.h>
#include "engine/base_block.h"
#include "engine/extra.h"
#include "engine/kernels.h"
#include "math/spatial.h"

/* names the body at which the recursion of a lane failed: first from the tip with a bad pivot */
static int failing_body(const clv_engine *e, const clv_strand *s)
{
    const clv_plan *p = e->plan;
    for (int i = s->length - 1; i >= 0; i--) {
        int body = p->bodies[s->first + i], slot = p->slot[body], row = slot / CLV_GROUP, f = p->row_f[row];
        const double *F = e->LD + 6 * (size_t)p->row_H[row] * CLV_GROUP + slot % CLV_GROUP;
        /* inverse pivots of the joint's own directions; padding has units */
        for (int a = 0; a < f; a++) {
            double d = F[(a * (a + 1) / 2 + a) * CLV_GROUP];
            if (!(d > 0) || !isfinite(d) || d > 1e300) /* d: an inverse pivot */
                return body;
        }
    }
    return p->bodies[s->first];
}

/* a limb is attached to a body: Ia of its base joins IA of that body (T4) */
void clv_fold_inertia(clv_engine *e, int k)
{
    const clv_plan *p = e->plan;
    const clv_strand *s = &p->strand[k];
    /* the row and lane of the body; its limbs are in groups before its own */
    double *I = e->I + (size_t)(p->fold_slot[k] / CLV_GROUP) * 21 * CLV_GROUP + p->fold_slot[k] % CLV_GROUP;
    for (int i = 0; i < 21; i++)
        I[i * CLV_GROUP] += e->out[s->group].I[i * CLV_GROUP + s->lane];
}

/* folds a limb's base into the body it is attached to, or factors the inertia at a free base */
static bool finish_strand(clv_engine *e, int k)
{
    const clv_plan *p = e->plan;
    const clv_strand *s = &p->strand[k];
    const clv_strand_out *o = &e->out[s->group];
    /* a lane that failed has no meaning: its numbers are not handed on */
    if (o->ok[s->lane] != 1.0) {
        e->failed_body = failing_body(e, s);
        return false;
    }
    if (s->base == CLV_BASE_FOLD)
        clv_fold_inertia(e, k);
    /* a base on ground has no inertia to factor */
    else if (s->base == CLV_BASE_FREE &&
             !clv_extra_base(e, s, e->base_LD + 36 * (size_t)e->free_base[k], o->I)) {
        e->failed_body = p->bodies[s->first];
        return false;
    }
    return true;
}

/* T4.6, Xi of a strand with ports: a free base gives I^-1, I^-1 K, L + K^T I^-1 K; a base on ground gives L */
static void leaf_Xi(clv_engine *e, int part)
{
    const clv_plan *p = e->plan;
    const clv_part *q = &p->part[part];
    const clv_strand *s = &p->strand[q->strand];
    const clv_strand_out *o = &e->out[s->group];
    double *Xi = clv_part_Xi(e, part), K[36], X[36], Y[6];
    int P = 6 * q->nport, tip = P - 6; /* the tip port is the last, the base port the first */
    bool columns = s->columns; /* it has a port at its tip */
    memset(Xi, 0, (size_t)P * (size_t)P * sizeof(double));
    /* L at the tip port: what a wrench there moves with the base held */
    if (columns) {
        clv_lane_get(o->K, 36, s->lane, K);
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++)
                Xi[(tip + i) * P + tip + j] = o->L[CLV_SYM[i][j] * CLV_GROUP + s->lane];
    }
    if (s->base != CLV_BASE_FREE)
        return;
    /* a free base: blocks I^-1, I^-1 K, L + K^T I^-1 K, each where a port looks at it */
    const double *F = e->base_LD + 36 * (size_t)e->free_base[q->strand];
    if (s->base_port || !columns)
        for (int j = 0; j < 6; j++) { /* a column of I^-1; the upper half is mirrored */
            memset(Y, 0, sizeof Y);
            Y[j] = 1.0;
            clv_base_solve(F, Y);
            for (int i = 0; i <= j; i++)
                Xi[i * P + j] = Xi[j * P + i] = Y[i];
        }
    if (!columns)
        return;
    /* X = I^-1 K: the motion of the base that a wrench at the tip gives */
    for (int j = 0; j < 6; j++) {
        memcpy(X + 6 * j, K + 6 * j, 6 * sizeof(double));
        clv_base_solve(F, X + 6 * j);
        for (int i = 0; s->base_port && i < 6; i++)
            Xi[i * P + tip + j] = Xi[(tip + j) * P + i] = X[6 * j + i];
    }
    /* L + K^T I^-1 K at the tip */
    for (int i = 0; i < 6; i++)
        for (int j = 0; j <= i; j++) {
            double t = clv_dot6(K + 6 * i, X + 6 * j);
            Xi[(tip + i) * P + tip + j] += t;
            if (i != j)
                Xi[(tip + j) * P + tip + i] = Xi[(tip + i) * P + tip + j];
        }
}

/* Factors the strands of a group, again and again until every body that needs extra inertia has some (extra.h; T5).
 * Lanes that need none get the same numbers again, so no strand depends on its neighbours. */
static void factor_strands(clv_engine *e, int g)
{
    const clv_group *group = &e->plan->group[g];
    for (bool again = true; again;) {
        again = false;
        /* all lanes again: the kernels know no subset, and lanes that were right give the same numbers */
        e->kernels->strand_factor(e, group);
        for (int l = 0; l < group->nstrand; l++) {
            double *ok = &e->out[g].ok[l];
            clv_extra_answer answer = *ok == 1.0 ? CLV_EXTRA_ENOUGH
                                                 : clv_extra_strand(e, &e->plan->strand[group->strand[l]]);
            again |= answer == CLV_EXTRA_ADDED;
            *ok = answer == CLV_EXTRA_SINGULAR ? 0.0 : 1.0;
        }
        if (again)
            clv_extra_refill(e, g);
    }
}

/* T4.1, T4.2 of the strands of a group, then what their bases hand on */
bool clv_factor_group(clv_engine *e, int g)
{
    const clv_group *group = &e->plan->group[g];
    factor_strands(e, g);
    for (int l = 0; l < group->nstrand; l++)
        if (!finish_strand(e, group->strand[l]))
            return false;
    return true;
}

/* What a node found becomes the engine's outcome; false: singular.  A node that takes up petals is factored here. */
bool clv_factor_outcome(clv_engine *e, int k)
{
    const clv_part *q = &e->plan->part[k];
    if (q->npetal > 0 ? clv_hub_factor(e, k) : clv_node_outcome(e, k))
        return true;
    e->failed_edge = e->plan->edges_of[q->edge];
    return false;
}

/* one part of the assembly: a strand shows Xi (T4.6), a node closes its edges (T5), or all connections at once (T28) */
bool clv_factor_part(clv_engine *e, int k)
{
    const clv_plan *p = e->plan;
    if (p->part[k].strand >= 0)
        leaf_Xi(e, k);
    if (!clv_part_is_node(&p->part[k]))
        return true;
    if (clv_part_connects(p, k))
        return clv_connection_factor(e);
    if (clv_part_is_plain(p, k))
        clv_node_factor(e, k, e->scratch);
    return clv_factor_outcome(e, k);
}

static bool at_threshold(clv_engine *e, double threshold, clv_factor_pass pass, void *of)
{
    e->threshold = threshold;
    e->truncated = 0, e->min_pivot = e->weakest = 1.0, e->max_dropped = 0;
    return pass(of);
}

/* Redundant rows that contradict each other (T40.8).  A part that keeps a weak direction decides it by rows whose error
 * outweighs them, and leaves strong rows of another part to be dropped.  So the threshold is as high as it can be with
 * no more directions dropped than are redundant. */
bool clv_factor_rank(clv_engine *e, clv_factor_pass pass, void *of)
{
    /* from above: halve the threshold while more directions are dropped than are redundant, or a pivot is missing */
    double threshold = e->redundant > 0 ? fmax(e->rank, e->strong) : e->rank, before = NAN;
    bool done = at_threshold(e, threshold, pass, of);
    while ((!done || e->truncated > e->redundant) && threshold > e->rank) {
        if (done)
            before = threshold;
        threshold = fmax(e->rank, done ? fmin(0.5 * threshold, 0.999 * e->max_dropped) : 0.5 * threshold);
        done = at_threshold(e, threshold, pass, of);
    }
    /* too few dropped: the last factor with enough of them stands */
    if (done && (e->truncated >= e->redundant || isnan(before)))
        return true;
    return !isnan(before) && at_threshold(e, before, pass, of);
}

/* all parts, children first */
static bool factor_parts(void *of) { return clv_parts_factor(of); }

bool clv_factor_loops(clv_engine *e) { return clv_factor_rank(e, factor_parts, e); }

/* forgets the last factor: outcome, extra inertias, smallest pivots */
void clv_factor_begin(clv_engine *e)
{
    e->factors++;
    e->partial = e->pairing.made = false;
    e->failed_body = e->failed_edge = -1;
    clv_extra_clear(e);
    e->threshold = e->rank;
    e->truncated = 0, e->min_pivot = e->weakest = 1.0, e->max_dropped = 0;
}

/* The order of a factor: groups, outermost first; flexible bodies; parts of the assembly, children first. */
clv_status clv_engine_factor(clv_engine *e)
{
    const clv_plan *p = e->plan;
    assert(e->open);
    clv_factor_begin(e);
    for (int g = 0; g < p->ngroup; g++)
        if (!clv_factor_group(e, g))
            return CLV_ERR_SINGULAR;
    for (int k = 0; k < p->nstar; k++)
        if (!clv_star_factor(e, k)) {
            e->failed_body = p->star[k].frame;
            return CLV_ERR_SINGULAR;
        }
    return clv_factor_loops(e) ? CLV_OK : CLV_ERR_SINGULAR;
}
