/* SPDX-License-Identifier: Apache-2.0
 * Sizes of a self-stress, and by how much it is out of balance (T13, T20).
 *
 * Along the tree the multipliers of the closings alone give the wrench of every joint, by statics: what they put on
 * their bodies is added up inward.  A self-stress is one if no joint gets a part along its free directions. */
#include <math.h>
#include <string.h>
#include "math/rotation.h"
#include "simulation/stress.h"

void clv_stress_wrench(const clv_sim *s, int e, double w[6])
{
    const clv_edge *edge = &s->plan->edge[e];
    const double *D = edge->tree_body >= 0 ? s->system.engine.block + edge->block[0] : s->system.kin.D + 36 * (size_t)e;
    memset(w, 0, 6 * sizeof(double));
    for (int r = 0; edge->coupling < 0 && r < edge->m; r++)
        for (int i = 0; i < 6; i++)
            w[i] += D[6 * r + i] * s->system.engine.sigma[edge->row + r];
}

static void measure_wrench(clv_stress *m, const double w[6])
{
    for (int i = 0; i < 6; i++)
        m->largest = fmax(m->largest, fabs(w[i]) * (i < 3 ? m->s->size : 1));
}

/* A coupling has no wrench of its own: what it puts on each body counts. */
void clv_stress_edge(clv_stress *m, int e)
{
    const clv_engine *engine = &m->s->system.engine;
    const clv_edge *edge = &m->s->plan->edge[e];
    double w[6];
    clv_stress_wrench(m->s, e, w);
    measure_wrench(m, w);
    for (int h = 0; edge->coupling >= 0 && h < edge->nhandle; h++) {
        for (int i = 0; i < 6; i++)
            w[i] = engine->block[edge->block[h] + i] * engine->sigma[edge->row];
        measure_wrench(m, w);
    }
}

double clv_stress_unit(const clv_sim *s, const double H[6])
{
    return sqrt(clv_dot3(H, H) / (s->size * s->size) + clv_dot3(H + 3, H + 3));
}

void clv_stress_joint(void *to, int child, const double T[6])
{
    clv_stress *m = to;
    const clv_tree_joint *t = &m->s->plan->tree[child];
    measure_wrench(m, T);
    for (int c = 0; c < t->f; c++) {
        const double *H = m->s->system.kin.H + clv_columns(m->s->plan, (size_t)child) + 6 * (size_t)c;
        const double L = m->s->size;
        m->left = fmax(m->left, fabs(clv_dot6(H, T)) / clv_stress_unit(m->s, H));
        m->terms = fmax(m->terms, sqrt(clv_dot3(T, T) * L * L + clv_dot3(T + 3, T + 3)));
    }
}

static bool stressed(const clv_stress *m, int edge)
{
    const clv_edge *e = &m->s->plan->edge[edge];
    bool in = false;
    for (int r = 0; clv_edge_closes(e) && r < e->m; r++)
        in |= m->s->system.engine.sigma[e->row + r] != 0;
    return in;
}

void clv_stress_paths(clv_stress *m, clv_stress_visit visit)
{
    if (!m->found) {
        m->found = true, m->from = 0, m->to = m->s->plan->nedge;
        while (m->from < m->to && !stressed(m, m->from))
            m->from++;
        while (m->from < m->to && !stressed(m, m->to - 1))
            m->to--;
    }
    for (int k = m->from; k < m->to; k++)
        if (stressed(m, k))
            visit(m, k, (double (*)[6])m->s->system.W);
}

static void clear_path(clv_stress *m, int edge, double (*W)[6])
{
    const clv_plan *p = m->s->plan;
    for (int h = 0; h < p->edge[edge].nhandle; h++)
        for (int b = p->edge[edge].body[h]; b >= 0; b = p->tree[b].parent)
            memset(W[b], 0, sizeof W[b]);
}

/* adds what an edge puts on its bodies to all that is inboard */
static void add_path(clv_stress *m, int edge, double (*W)[6])
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

static void measure_path(clv_stress *m, int edge, double (*W)[6])
{
    const clv_plan *p = m->s->plan;
    clv_stress_edge(m, edge);
    for (int h = 0; h < p->edge[edge].nhandle; h++)
        for (int b = p->edge[edge].body[h]; b >= 0; b = p->tree[b].parent)
            clv_stress_joint(m, b, W[b]);
}

void clv_stress_measure_paths(clv_stress *m)
{
    clv_stress_paths(m, clear_path), clv_stress_paths(m, add_path), clv_stress_paths(m, measure_path);
    m->terms = fmax(m->terms, m->largest);
}

void clv_stress_multipliers(clv_sim *s, bool to_sigma, double *v)
{
    const clv_plan *p = s->plan;
    double *sigma = s->system.engine.sigma;
    for (int i = 0; i < p->nedge; i++)
        for (int r = 0; clv_edge_closes(&p->edge[i]) && r < p->edge[i].m; r++) {
            const int at = p->edge[i].row + r;
            const double size = clv_row_size(s, i, r);
            if (to_sigma)
                sigma[at] = v[at] / size;
            else
                v[at] = sigma[at] * size;
        }
}

/* dq: loads along the way of a closing */
static void take_load(clv_stress *m, int edge, double (*W)[6])
{
    const clv_plan *p = m->s->plan;
    for (int h = 0; h < p->edge[edge].nhandle; h++)
        for (int b = p->edge[edge].body[h]; b >= 0; b = p->tree[b].parent)
            for (int c = 0; c < p->tree[b].f; c++) {
                const double *H = m->s->system.kin.H + clv_columns(p, (size_t)b) + 6 * (size_t)c;
                m->s->dq[p->tree[b].iu + c] = clv_dot6(H, W[b]) / clv_stress_unit(m->s, H);
            }
}

void clv_stress_loads(clv_sim *s, double *v)
{
    clv_stress m = {.s = s};
    clv_stress_multipliers(s, true, v);
    clv_stress_measure_paths(&m);
    memset(s->dq, 0, (size_t)s->plan->nu * sizeof(double));
    clv_stress_paths(&m, take_load);
}
