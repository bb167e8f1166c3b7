/* SPDX-License-Identifier: Apache-2.0
 * Which components of reactions are unique (T13).
 *
 * A reaction component is not unique if some self-stress (wrenches in equilibrium that move nothing) changes it, and so
 * is the effort of a prescribed joint.  The self-stresses are the null directions of the nodes; each is followed down
 * the plan once. */
#include <math.h>
#include <string.h>
#include "math/rotation.h"
#include "simulation/sim.h"
#include "simulation/stress.h"

static void mark(clv_sim *s, int joint, const double w[6], double noise)
{
    for (int i = 0; joint >= 0 && i < 6; i++)
        if (fabs(w[i]) * (i < 3 ? s->size : 1) > noise)
            s->unique[6 * joint + i] = false;
}

/* A coupling has no wrench of its own: what it puts on a body counts. */
static void mark_coupling(clv_stress *m, const clv_edge *edge)
{
    const clv_engine *e = &m->s->system.engine;
    for (int h = 0; edge->coupling >= 0 && h < edge->nhandle; h++)
        for (int i = 0; i < 6; i++)
            if (fabs(e->block[edge->block[h] + i] * e->sigma[edge->row]) * (i < 3 ? m->s->size : 1) > m->noise)
                m->s->coupled[edge->coupling] = true;
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

/* the drive of a prescribed joint: its part along the direction of the joint, whatever the axes of the wrench */
static void mark_drive(const clv_stress *m, int child, const double T[6])
{
    const clv_tree_joint *t = &m->s->plan->tree[child];
    for (int c = 0; t->motion >= 0 && c < t->nu; c++) {
        const double *H = m->s->system.kin.H + clv_columns(m->s->plan, (size_t)child) + 6 * (size_t)c;
        if (fabs(clv_dot6(H, T)) / clv_stress_unit(m->s, H) > m->noise)
            m->s->effort_unique[t->joint] = false;
    }
}

/* the same of a closing, whose last row it is */
static void mark_closing_drive(const clv_stress *m, int edge)
{
    const clv_edge *e = &m->s->plan->edge[edge];
    const int row = e->m - 1;
    if (clv_edge_closes(e) && e->motion >= 0 &&
        fabs(m->s->system.engine.sigma[e->row + row]) * clv_row_size(m->s, edge, row) > m->noise)
        m->s->effort_unique[e->joint] = false;
}

static void mark_joint(void *to, int child, const double T[6])
{
    clv_stress *m = to;
    double w[6];
    clv_wrench_on_b(m->s, child, T, w);
    mark(m->s, m->s->plan->tree[child].joint, w, m->noise);
    mark_drive(m, child, T);
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

static clv_stress measure_stress(const clv_sim *s)
{
    clv_stress m = {.s = (clv_sim *)s};
    const clv_plan *p = s->plan;
    double w[6];
    for (int i = 0; i < s->system.engine.nbelow; i++) {
        const clv_part *q = &p->part[s->system.engine.below[i]];
        if (q->strand >= 0) {
            walk_strand(s, &p->strand[q->strand], w, clv_stress_joint, &m);
            for (int r = 0; r < 6; r++)
                m.left = fmax(m.left, fabs(w[r]) * (r < 3 ? s->size : 1.0));
        }
        if (q->star >= 0)
            m.left = fmax(m.left, star_imbalance(s, q->star));
        int first, n = clv_stressed_edges(&s->system.engine, s->system.engine.below[i], &first);
        for (int k = first; k < first + n; k++) {
            clv_stress_edge(&m, p->edges_of[k]);
        }
    }
    m.terms = fmax(m.terms, m.largest);
    m.noise = m.terms > 0 ? fmax(1e-6, 30 * m.left / m.terms) * m.largest : 0;
    return m;
}

double clv_stress_imbalance(const clv_sim *s)
{
    clv_stress m = measure_stress(s);
    return m.terms > 0 ? m.left / m.terms : 0;
}

static void mark_stress(clv_sim *s)
{
    const clv_plan *p = s->plan;
    clv_stress m = measure_stress(s);
    double w[6];
    for (int i = 0; i < s->system.engine.nbelow; i++) {
        const clv_part *q = &p->part[s->system.engine.below[i]];
        if (q->strand >= 0)
            walk_strand(s, &p->strand[q->strand], w, mark_joint, &m);
        int first, n = clv_stressed_edges(&s->system.engine, s->system.engine.below[i], &first);
        for (int k = first; k < first + n; k++) {
            const clv_edge *edge = &p->edge[p->edges_of[k]];
            clv_stress_wrench(s, p->edges_of[k], w);
            mark_coupling(&m, edge);
            mark_closing_drive(&m, p->edges_of[k]);
            if (edge->tree_body >= 0)
                mark_joint(&m, edge->tree_body, w);
            else
                mark(s, edge->joint, w, m.noise);
        }
    }
}

/* ------------------------------------------------------------------ loops carried by the tree (T101) */

static void mark_path(clv_stress *m, int edge, double (*W)[6])
{
    const clv_plan *p = m->s->plan;
    double w[6];
    clv_stress_wrench(m->s, edge, w);
    mark_coupling(m, &p->edge[edge]);
    mark_closing_drive(m, edge);
    mark(m->s, p->edge[edge].joint, w, m->noise);
    for (int h = 0; h < p->edge[edge].nhandle; h++)
        for (int b = p->edge[edge].body[h]; b >= 0; b = p->tree[b].parent)
            if (!p->tree[b].detached)
                mark_joint(m, b, W[b]);
}

static void mark_carried(clv_sim *s)
{
    clv_stress m = {.s = s};
    clv_stress_measure_paths(&m);
    m.noise = m.terms > 0 ? fmax(1e-6, 30 * m.left / m.terms) * m.largest : 0;
    clv_stress_paths(&m, mark_path);
}

void clv_find_unique(clv_sim *s)
{
    const bool carried = s->system.rows.carried && s->system.engine.partial;
    for (int i = 0; i < 6 * s->model->njoint; i++)
        s->unique[i] = true;
    for (int i = 0; i < s->model->njoint; i++)
        s->effort_unique[i] = true;
    for (int i = 0; i < s->model->ncoupling; i++)
        s->coupled[i] = false;
    for (int k = 0; carried && k <= s->plan->carry->nfront; k++)
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
