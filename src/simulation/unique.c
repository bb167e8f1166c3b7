/* SPDX-License-Identifier: Apache-2.0
 * Which components of reactions are unique (T13).
 *
 * A reaction component is not unique if some self-stress (wrenches in equilibrium that move nothing) changes it.  The
 * self-stresses are the null directions of the nodes; each is followed down the plan once. */
#include <math.h>
#include <string.h>
#include "math/rotation.h"
#include "simulation/sim.h"

static void mark(clv_sim *s, int joint, const double w[6], double noise)
{
    for (int i = 0; joint >= 0 && i < 6; i++)
        if (fabs(w[i]) * (i < 3 ? s->size : 1) > noise)
            s->unique[6 * joint + i] = false;
}

/* wrench of an edge with the engine's sigma: on the child of a tree edge at its point,
 * or on b of a closing at b's point */
static void edge_wrench(const clv_sim *s, int e, double w[6])
{
    const clv_edge *edge = &s->plan->edge[e];
    const double *D = edge->tree_body >= 0 ? s->system.engine.block + edge->block[0] : s->system.kin.D + 36 * (size_t)e;
    memset(w, 0, 6 * sizeof(double));
    for (int r = 0; edge->coupling < 0 && r < edge->m; r++)
        for (int i = 0; i < 6; i++)
            w[i] += D[6 * r + i] * s->system.engine.sigma[edge->row + r];
}

/* wrench at the ports of a strand: at its base, at its tip */
static void port_wrenches(const clv_sim *s, const clv_strand *k, double base[6], double tip[6])
{
    const double *T = clv_part_T(&s->system.engine, k->part);
    int nport = s->plan->part[k->part].nport;
    memset(base, 0, 6 * sizeof(double)), memset(tip, 0, 6 * sizeof(double));
    if (k->base_port)
        memcpy(base, T, 6 * sizeof(double));
    if (k->tip_port && (nport == 2 || !k->base_port))
        memcpy(tip, T + 6 * (size_t)nport - 6, 6 * sizeof(double));
}

/* Walks a strand from tip to base with the wrench that its inner joints carry.  `visit` sees child and wrench on it.
 * What is left at a free base is not carried by anything. */
typedef void (*visit_joint)(void *to, int child, const double T[6]);
static void walk_strand(const clv_sim *s, const clv_strand *k, double left[6], visit_joint visit, void *to)
{
    const clv_plan *p = s->plan;
    double base[6], w[6];
    port_wrenches(s, k, base, w);
    for (int i = k->length - 1; i >= 0; i--) {
        int b = p->bodies[k->first + i];
        if (i == 0 && k->base == CLV_BASE_FREE)
            break;
        double T[6];
        for (int r = 0; r < 6; r++)
            T[r] = -w[r];
        visit(to, b, T);
        clv_wrench_shift(w, s->system.kin.arm + 3 * (size_t)b, w);
    }
    for (int r = 0; r < 6; r++)
        left[r] = k->base == CLV_BASE_FREE ? w[r] + base[r] : 0.0;
}

typedef struct stress { /* sizes met in one self-stress, and what is out of balance: moments, forces times the size */
    clv_sim *s;
    double largest, left, terms;
    double noise; /* below it a component is rounding: what is out of balance shows how much */
} stress;

static void measure_wrench(stress *m, const double w[6])
{
    for (int i = 0; i < 6; i++)
        m->largest = fmax(m->largest, fabs(w[i]) * (i < 3 ? m->s->size : 1));
}

/* A coupling has no wrench of its own: what it puts on each body counts. */
static void measure_edge(stress *m, int e)
{
    const clv_engine *engine = &m->s->system.engine;
    const clv_edge *edge = &m->s->plan->edge[e];
    double w[6];
    edge_wrench(m->s, e, w);
    measure_wrench(m, w);
    for (int h = 0; edge->coupling >= 0 && h < edge->nhandle; h++) {
        for (int i = 0; i < 6; i++)
            w[i] = engine->block[edge->block[h] + i] * engine->sigma[edge->row];
        measure_wrench(m, w);
    }
}

static void measure_joint(void *to, int child, const double T[6])
{
    stress *m = to;
    const clv_tree_joint *t = &m->s->plan->tree[child];
    measure_wrench(m, T);
    for (int c = 0; c < t->f; c++) {
        const double *H = m->s->system.kin.H + clv_columns(m->s->plan, (size_t)child) + 6 * (size_t)c;
        const double L = m->s->size, h = sqrt(clv_dot3(H, H) / (L * L) + clv_dot3(H + 3, H + 3));
        m->left = fmax(m->left, fabs(clv_dot6(H, T)) / h);
        m->terms = fmax(m->terms, sqrt(clv_dot3(T, T) * L * L + clv_dot3(T + 3, T + 3)));
    }
}

static void mark_joint(void *to, int child, const double T[6])
{
    stress *m = to;
    double w[6];
    clv_wrench_on_b(m->s, child, T, w);
    mark(m->s, m->s->plan->tree[child].joint, w, m->noise);
}

/* largest component of what a self-stress leaves on a flexible body and its modes (their force scaled as of 1 m per
 * unit of rms), as moments */
static double star_imbalance(const clv_sim *s, int star)
{
    const clv_flex *f = &s->model->flex[star];
    clv_engine *e = (clv_engine *)&s->system.engine;
    double *left = e->room[star].z, worst = 0, mass = s->model->body[f->body].mass;
    clv_star_unbalanced(e, star, left);
    for (int i = 0; i < 6 + f->nmode; i++) {
        double Mff = i < f->nmode ? f->Mff[i * f->nmode + i] : 0;
        const double length = i < f->nmode + 3 ? s->size : 1.0;
        worst = fmax(worst, fabs(left[i]) * length * (Mff > 0 ? sqrt(mass / Mff) : 1.0));
    }
    return worst;
}

static stress measure_stress(const clv_sim *s)
{
    stress m = {.s = (clv_sim *)s};
    const clv_plan *p = s->plan;
    double w[6];
    for (int i = 0; i < s->system.engine.nbelow; i++) {
        const clv_part *q = &p->part[s->system.engine.below[i]];
        if (q->strand >= 0) {
            walk_strand(s, &p->strand[q->strand], w, measure_joint, &m);
            for (int r = 0; r < 6; r++)
                m.left = fmax(m.left, fabs(w[r]) * (r < 3 ? s->size : 1.0));
        }
        if (q->star >= 0)
            m.left = fmax(m.left, star_imbalance(s, q->star));
        int first, n = clv_stressed_edges(&s->system.engine, s->system.engine.below[i], &first);
        for (int k = first; k < first + n; k++) {
            measure_edge(&m, p->edges_of[k]);
        }
    }
    m.terms = fmax(m.terms, m.largest);
    m.noise = m.terms > 0 ? fmax(1e-6, 30 * m.left / m.terms) * m.largest : 0;
    return m;
}

double clv_stress_imbalance(const clv_sim *s)
{
    stress m = measure_stress(s);
    return m.terms > 0 ? m.left / m.terms : 0;
}

static void mark_stress(clv_sim *s)
{
    const clv_plan *p = s->plan;
    stress m = measure_stress(s);
    double w[6];
    for (int i = 0; i < s->system.engine.nbelow; i++) {
        const clv_part *q = &p->part[s->system.engine.below[i]];
        if (q->strand >= 0)
            walk_strand(s, &p->strand[q->strand], w, mark_joint, &m);
        int first, n = clv_stressed_edges(&s->system.engine, s->system.engine.below[i], &first);
        for (int k = first; k < first + n; k++) {
            const clv_edge *edge = &p->edge[p->edges_of[k]];
            edge_wrench(s, p->edges_of[k], w);
            if (edge->tree_body >= 0)
                mark_joint(&m, edge->tree_body, w);
            else
                mark(s, edge->joint, w, m.noise);
        }
    }
}

/* ------------------------------------------------------------------ loops carried by the tree (T101) */

typedef void (*visit_edge)(stress *m, int edge, double (*W)[6]);

/* every edge that has a part in the self-stress */
static void each_edge(stress *m, visit_edge visit)
{
    const clv_plan *p = m->s->plan;
    for (int k = 0; k < p->nedge; k++) {
        bool in = false;
        for (int r = 0; clv_edge_closes(&p->edge[k]) && r < p->edge[k].m; r++)
            in |= m->s->system.engine.sigma[p->edge[k].row + r] != 0;
        if (in)
            visit(m, k, (double (*)[6])m->s->system.W);
    }
}

static void clear_path(stress *m, int edge, double (*W)[6])
{
    const clv_plan *p = m->s->plan;
    for (int h = 0; h < p->edge[edge].nhandle; h++)
        for (int b = p->edge[edge].body[h]; b >= 0; b = p->tree[b].parent)
            memset(W[b], 0, sizeof W[b]);
}

/* adds what an edge puts on its bodies to all that is inboard */
static void add_path(stress *m, int edge, double (*W)[6])
{
    const clv_plan *p = m->s->plan;
    const clv_engine *e = &m->s->system.engine;
    const clv_edge *x = &p->edge[edge];
    for (int h = 0; h < x->nhandle; h++) {
        double w[6] = {0};
        for (int r = 0; r < x->m; r++)
            for (int i = 0; i < 6; i++)
                w[i] += e->block[x->block[h] + 6 * r + i] * e->sigma[x->row + r];
        for (int b = x->body[h]; b >= 0; b = p->tree[b].parent) {
            for (int i = 0; i < 6; i++)
                W[b][i] += w[i];
            clv_wrench_shift(w, m->s->system.kin.arm + 3 * (size_t)b, w);
        }
    }
}

static void measure_path(stress *m, int edge, double (*W)[6])
{
    const clv_plan *p = m->s->plan;
    measure_edge(m, edge);
    for (int h = 0; h < p->edge[edge].nhandle; h++)
        for (int b = p->edge[edge].body[h]; b >= 0; b = p->tree[b].parent)
            measure_joint(m, b, W[b]);
}

static void mark_path(stress *m, int edge, double (*W)[6])
{
    const clv_plan *p = m->s->plan;
    double w[6];
    edge_wrench(m->s, edge, w);
    mark(m->s, p->edge[edge].joint, w, m->noise);
    for (int h = 0; h < p->edge[edge].nhandle; h++)
        for (int b = p->edge[edge].body[h]; b >= 0; b = p->tree[b].parent)
            if (!p->tree[b].detached)
                mark_joint(m, b, W[b]);
}

static void mark_carried(clv_sim *s)
{
    stress m = {.s = s};
    each_edge(&m, clear_path), each_edge(&m, add_path), each_edge(&m, measure_path);
    m.terms = fmax(m.terms, m.largest);
    m.noise = m.terms > 0 ? fmax(1e-6, 30 * m.left / m.terms) * m.largest : 0;
    each_edge(&m, mark_path);
}

void clv_find_unique(clv_sim *s)
{
    const bool carried = s->system.rows.carried && s->system.engine.partial;
    for (int i = 0; i < 6 * s->model->njoint; i++)
        s->unique[i] = true;
    for (int k = 0; carried && k < s->plan->carry->nfront; k++)
        for (int n = 0; n < clv_rows_front_nullity(&s->system.rows, k); n++) {
            clv_rows_self_stress(&s->system.rows, k, n);
            mark_carried(s);
        }
    for (int k = 0; !carried && k < s->plan->npart; k++)
        for (int n = 0; n < s->system.engine.nullity[k]; n++) {
            clv_engine_self_stress(&s->system.engine, k, n);
            mark_stress(s);
        }
}
