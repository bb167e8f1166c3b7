/* SPDX-License-Identifier: Apache-2.0
 * The engine's three verbs: the order of work, written once (T4, T5, T6).
 *
 *   factor       groups by level: limbs fold -> leaves show Xi -> nodes, children first
 *   solve        groups inward -> leaves show x0 -> nodes up -> nodes down -> groups outward, levels backwards
 *   accumulate   bodies, children first */
#include "engine/engine.h"
#include <math.h>
#include <string.h>
#include "base/error.h"
#include "math/spatial.h"

static const int SYM[6][6] = {{0, 1, 2, 6, 7, 8},     {1, 3, 4, 9, 10, 11},    {2, 4, 5, 12, 13, 14},
                              {6, 9, 12, 15, 16, 17}, {7, 10, 13, 16, 18, 19}, {8, 11, 14, 17, 19, 20}};

/* ------------------------------------------------------------------ memory and maps */

static void layout_rows(clv_engine *e, const clv_plan *p, clv_arena *a)
{
    size_t n = (size_t)p->nrow * CLV_GROUP, f = (size_t)(p->nrow ? p->row_H[p->nrow] : 0) * CLV_GROUP, nk = 0;
    for (int g = 0; g < p->ngroup; g++)
        nk += p->group[g].columns ? (size_t)p->group[g].nrow * CLV_GROUP : 0;
    CLV_TAKE(a, e->r, 3 * n);
    CLV_TAKE(a, e->I, 21 * n);
    CLV_TAKE(a, e->H, 6 * f), CLV_TAKE(a, e->N, 6 * f), CLV_TAKE(a, e->w, 6 * f);
    CLV_TAKE(a, e->R, f), CLV_TAKE(a, e->LD, 6 * f);
    CLV_TAKE(a, e->K, 36 * nk);
    CLV_TAKE(a, e->b, 6 * n), CLV_TAKE(a, e->c, 6 * n), CLV_TAKE(a, e->x, 6 * n);
    CLV_TAKE(a, e->tau, f), CLV_TAKE(a, e->u0, f), CLV_TAKE(a, e->u, f);
    CLV_TAKE(a, e->row_K, p->nrow);
    CLV_TAKE(a, e->out, p->ngroup);
    for (int g = 0; g < p->ngroup; g++) {
        clv_strand_out o, *out = a->base ? &e->out[g] : &o;
        int k = p->group[g].columns ? CLV_GROUP : 0;
        CLV_TAKE(a, out->I, 21 * CLV_GROUP), CLV_TAKE(a, out->p, 6 * CLV_GROUP);
        CLV_TAKE(a, out->K, 36 * k), CLV_TAKE(a, out->L, 21 * k), CLV_TAKE(a, out->t, 6 * k);
        CLV_TAKE(a, out->x, 6 * CLV_GROUP), CLV_TAKE(a, out->F, 6 * CLV_GROUP);
        CLV_TAKE(a, out->ok, CLV_GROUP);
    }
}

void clv_engine_layout(clv_engine *e, const clv_plan *p, clv_arena *a)
{
    size_t nfree = 0, nstore = 0;
    e->plan = p;
    for (int k = 0; k < p->nstrand; k++)
        nfree += p->strand[k].base == CLV_BASE_FREE;
    for (int k = 0; k < p->npart; k++)
        nstore += clv_node_size(p, k);
    int nports = p->npart ? p->part[p->npart - 1].port + p->part[p->npart - 1].nport : 0;
    layout_rows(e, p, a);
    CLV_TAKE(a, e->mass, 21 * p->nbody), CLV_TAKE(a, e->arm, 3 * p->nbody);
    CLV_TAKE(a, e->free, 6 * p->nh), CLV_TAKE(a, e->dual, 6 * p->nh), CLV_TAKE(a, e->resist, p->nh);
    CLV_TAKE(a, e->free_base, p->nstrand), CLV_TAKE(a, e->base_LD, 36 * nfree);
    CLV_TAKE(a, e->block, p->nblock);
    CLV_TAKE(a, e->eps, p->nsigma), CLV_TAKE(a, e->a, p->nsigma), CLV_TAKE(a, e->sigma, p->nsigma);
    CLV_TAKE(a, e->scale, p->nsigma);
    CLV_TAKE(a, e->fix_b, 6 * p->nbody), CLV_TAKE(a, e->fix_x, 6 * p->nbody), CLV_TAKE(a, e->fix_tau, p->nu);
    CLV_TAKE(a, e->fix_u, p->nu), CLV_TAKE(a, e->fix_sigma, p->nsigma), CLV_TAKE(a, e->fix_a, p->nsigma), CLV_TAKE(a, e->row_value, p->nsigma);
    CLV_TAKE(a, e->at, p->npart), CLV_TAKE(a, e->store, nstore);
    CLV_TAKE(a, e->handle_at, 4 * p->nedge), CLV_TAKE(a, e->port_at, nports);
    CLV_TAKE(a, e->scratch, clv_node_scratch(p));
    CLV_TAKE(a, e->nullity, p->npart), CLV_TAKE(a, e->below, p->npart);
}

static int find_port(const clv_plan *p, const clv_part *q, int body)
{
    for (int c = 0, at = 0; c < 2 && q->child[c] >= 0; c++) {
        const clv_part *child = &p->part[q->child[c]];
        for (int i = 0; i < child->nport; i++, at += 6)
            if (p->ports[child->port + i] == body)
                return at;
    }
    return -1;
}

void clv_engine_begin(clv_engine *e, double rank)
{
    const clv_plan *p = e->plan;
    size_t at = 0;
    e->rank = rank;
    for (int k = 0; k < p->npart; k++) {
        const clv_part *q = &p->part[k];
        e->at[k] = at, at += clv_node_size(p, k);
        if (q->strand >= 0)
            continue;
        for (int i = 0; i < q->nport; i++)
            e->port_at[q->port + i] = find_port(p, q, p->ports[q->port + i]);
        for (int i = 0; i < q->nedge; i++) {
            int id = p->edges_of[q->edge + i];
            for (int h = 0; h < p->edge[id].nhandle; h++)
                e->handle_at[4 * id + h] = find_port(p, q, p->edge[id].body[h]);
        }
    }
    for (int k = 0, n = 0; k < p->nstrand; k++)
        e->free_base[k] = p->strand[k].base == CLV_BASE_FREE ? n++ : -1;
    for (int g = 0, n = 0; g < p->ngroup; g++)
        for (int i = 0; i < p->group[g].nrow; i++)
            e->row_K[p->group[g].row + i] = p->group[g].columns ? n++ : -1;
    for (size_t i = 0; i < (size_t)(p->nrow ? p->row_H[p->nrow] : 0) * CLV_GROUP; i++)
        e->R[i] = 1.0;
    for (int i = 0; i < p->nsigma; i++)
        e->scale[i] = 1.0;
}

/* ------------------------------------------------------------------ filling */

static bool inside_strand(const clv_tree_joint *t) { return t->edge < 0 && !t->detached; }

void clv_engine_body(clv_engine *e, int body)
{
    const clv_plan *p = e->plan;
    const clv_tree_joint *t = &p->tree[body];
    int slot = p->slot[body], row = slot / CLV_GROUP, lane = slot % CLV_GROUP;
    clv_slot_put(e->I, 21, slot, e->mass + 21 * (size_t)body);
    if (!inside_strand(t))
        return;
    const double *H = e->free + clv_columns(p, (size_t)body), *R = e->resist + t->ih;
    clv_slot_put(e->r, 3, slot, e->arm + 3 * (size_t)body);
    double *h = e->H + 6 * (size_t)p->row_H[row] * CLV_GROUP + lane, *r = e->R + (size_t)p->row_H[row] * CLV_GROUP + lane;
    for (int i = 0; i < 6 * t->f; i++)
        h[i * CLV_GROUP] = H[i];
    for (int i = 0; i < t->f; i++)
        r[i * CLV_GROUP] = R[i];
}

/* ------------------------------------------------------------------ factor */

/* L D L^T of a 6x6: unit lower below, inverse pivots on the diagonal; `extra` is added to the rotational diagonal */
static bool base_pivots(double F[36], const double *I, int lane, double extra, double least)
{
    for (int i = 0; i < 6; i++)
        for (int j = 0; j <= i; j++) {
            double x = I[SYM[i][j] * CLV_GROUP + lane] + (i == j && i >= 3 ? extra : 0.0), diagonal = x;
            for (int k = 0; k < j; k++)
                x -= F[6 * i + k] * F[6 * k + j]; /* L D in the upper part, transposed */
            if (i == j) {
                if (!(x > (i < 3 ? 1e-12 : least) * diagonal))
                    return false;
                F[6 * i + i] = 1.0 / x;
            } else
                F[6 * j + i] = x, F[6 * i + j] = x * F[6 * j + j];
        }
    return true;
}

/* A thin rod or point mass has next to no inertia about some axis: the factor then gets a thousandth of its largest in every rotation,
 * and refinement with the true inertia takes the difference out again (T5).  Returns false where even the mass is missing. */
static bool base_factor(double F[36], const double *I, int lane, bool *replaced)
{
    if (base_pivots(F, I, lane, 0.0, 1e-7))
        return true;
    double m = I[SYM[0][0] * CLV_GROUP + lane], J = 0;
    for (int i = 3; i < 6; i++)
        J = fmax(J, I[SYM[i][i] * CLV_GROUP + lane]);
    *replaced = true;
    return m > 0 && base_pivots(F, I, lane, 1e-3 * (J > 0 ? J : m), 1e-12);
}

static void base_solve(const double F[36], double x[6])
{
    for (int i = 1; i < 6; i++)
        for (int j = 0; j < i; j++)
            x[i] -= F[6 * i + j] * x[j];
    for (int i = 0; i < 6; i++)
        x[i] *= F[6 * i + i];
    for (int i = 4; i >= 0; i--)
        for (int j = i + 1; j < 6; j++)
            x[i] -= F[6 * j + i] * x[j];
}

static void lane_get(const double *array, int n, int lane, double *v)
{
    for (int i = 0; i < n; i++)
        v[i] = array[i * CLV_GROUP + lane];
}

/* names the body at which the recursion of a lane failed: first from the tip with a bad pivot */
static int failing_body(const clv_engine *e, const clv_strand *s)
{
    const clv_plan *p = e->plan;
    for (int i = s->length - 1; i >= 0; i--) {
        int body = p->bodies[s->first + i], slot = p->slot[body], row = slot / CLV_GROUP, f = p->row_f[row];
        const double *F = e->LD + 6 * (size_t)p->row_H[row] * CLV_GROUP + slot % CLV_GROUP;
        for (int a = 0; a < f; a++) {
            double d = F[(a * (a + 1) / 2 + a) * CLV_GROUP];
            if (!(d > 0) || !isfinite(d) || d > 1e300)
                return body;
        }
    }
    return p->bodies[s->first];
}

/* folds a limb's base into the body it hangs on, or factors the inertia at a free base */
static bool finish_strand(clv_engine *e, int k)
{
    const clv_plan *p = e->plan;
    const clv_strand *s = &p->strand[k];
    const clv_strand_out *o = &e->out[s->group];
    if (o->ok[s->lane] != 1.0) {
        e->failed_body = failing_body(e, s);
        return false;
    }
    if (s->base == CLV_BASE_FOLD) {
        double *I = e->I + (size_t)(p->fold_slot[k] / CLV_GROUP) * 21 * CLV_GROUP + p->fold_slot[k] % CLV_GROUP;
        for (int i = 0; i < 21; i++)
            I[i * CLV_GROUP] += o->I[i * CLV_GROUP + s->lane];
    } else if (s->base == CLV_BASE_FREE && !base_factor(e->base_LD + 36 * (size_t)e->free_base[k], o->I, s->lane, &e->replaced)) {
        e->failed_body = p->bodies[s->first];
        return false;
    }
    return true;
}

/* Xi of a strand with ports: a free base gives I^-1, I^-1 K, L + K^T I^-1 K; a base on ground gives L */
static void leaf_Xi(clv_engine *e, int part)
{
    const clv_plan *p = e->plan;
    const clv_part *q = &p->part[part];
    const clv_strand *s = &p->strand[q->strand];
    const clv_strand_out *o = &e->out[s->group];
    double *Xi = clv_part_Xi(e, part), K[36], X[36], Y[6];
    int P = 6 * q->nport, tip = P - 6; /* the tip port is the last, the base port the first */
    bool columns = p->group[s->group].columns;
    memset(Xi, 0, (size_t)P * (size_t)P * sizeof(double));
    if (columns) {
        lane_get(o->K, 36, s->lane, K);
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++)
                Xi[(tip + i) * P + tip + j] = o->L[SYM[i][j] * CLV_GROUP + s->lane];
    }
    if (s->base != CLV_BASE_FREE)
        return;
    const double *F = e->base_LD + 36 * (size_t)e->free_base[q->strand];
    if (s->base_port || !columns)
        for (int j = 0; j < 6; j++) {
            memset(Y, 0, sizeof Y);
            Y[j] = 1.0;
            base_solve(F, Y);
            for (int i = 0; i <= j; i++)
                Xi[i * P + j] = Xi[j * P + i] = Y[i];
        }
    if (!columns)
        return;
    for (int j = 0; j < 6; j++) {
        memcpy(X + 6 * j, K + 6 * j, 6 * sizeof(double));
        base_solve(F, X + 6 * j);
        for (int i = 0; s->base_port && i < 6; i++)
            Xi[i * P + tip + j] = Xi[(tip + j) * P + i] = X[6 * j + i];
    }
    for (int i = 0; i < 6; i++)
        for (int j = 0; j <= i; j++) {
            double t = clv_dot6(K + 6 * i, X + 6 * j);
            Xi[(tip + i) * P + tip + j] += t;
            if (i != j)
                Xi[(tip + j) * P + tip + i] = Xi[(tip + i) * P + tip + j];
        }
}

clv_status clv_engine_factor(clv_engine *e)
{
    const clv_plan *p = e->plan;
    e->failed_body = e->failed_edge = -1;
    e->truncated = 0;
    e->replaced = false;
    e->min_pivot = 1.0, e->max_dropped = 0;
    for (int g = 0; g < p->ngroup; g++) {
        const clv_group *group = &p->group[g];
        clv_strand_factor(e, group);
        for (int l = 0; l < group->nstrand; l++)
            if (!finish_strand(e, group->strand[l]))
                return CLV_ERR_SINGULAR;
    }
    for (int k = 0; k < p->npart; k++) {
        if (p->part[k].strand >= 0)
            leaf_Xi(e, k);
        else if (!clv_node_factor(e, k)) {
            e->failed_edge = p->edges_of[p->part[k].edge];
            return CLV_ERR_SINGULAR;
        }
    }
    return CLV_OK;
}

/* ------------------------------------------------------------------ solve */

/* drive of a joint that is no part of a strand: the pair of wrenches +-G tau */
static void outer_drive(clv_engine *e, int body, const double *tau)
{
    const clv_plan *p = e->plan;
    const clv_tree_joint *t = &p->tree[body];
    double W[6] = {0}, S[6];
    for (int k = 0; k < t->f; k++)
        for (int i = 0; i < 6; i++)
            W[i] += e->dual[clv_columns(p, (size_t)body) + 6 * (size_t)k + (size_t)i] * tau[t->iu + k];
    for (int side = 0; side < 2; side++) {
        int b = side ? t->parent : body;
        if (b < 0)
            return;
        if (side)
            clv_wrench_shift(S, e->arm + 3 * (size_t)body, W);
        double *to = e->b + (size_t)(p->slot[b] / CLV_GROUP) * 6 * CLV_GROUP + p->slot[b] % CLV_GROUP;
        for (int i = 0; i < 6; i++)
            to[i * CLV_GROUP] += side ? -S[i] : W[i];
    }
}

static void scatter(clv_engine *e, const double *b, const double *tau, const double *c, const double *a)
{
    static const double zero[6] = {0};
    const clv_plan *p = e->plan;
    for (int i = 0; i < p->nbody; i++)
        clv_slot_put(e->b, 6, p->slot[i], b + 6 * (size_t)i);
    for (int i = 0; i < p->nbody; i++) {
        const clv_tree_joint *t = &p->tree[i];
        int row = p->slot[i] / CLV_GROUP;
        const double *ci = c ? c + 6 * (size_t)i : zero;
        if (inside_strand(t)) {
            clv_slot_put(e->c, 6, p->slot[i], ci);
            double *to = e->tau + (size_t)p->row_H[row] * CLV_GROUP + p->slot[i] % CLV_GROUP;
            for (int k = 0; k < t->f; k++)
                to[k * CLV_GROUP] = tau ? tau[t->iu + k] : 0.0;
            continue;
        }
        if (tau)
            outer_drive(e, i, tau);
        if (t->edge >= 0) { /* the child's block is D at its own point */
            const clv_edge *edge = &p->edge[t->edge];
            for (int j = 0; j < edge->m; j++)
                e->a[edge->row + j] = clv_dot6(e->block + edge->block[0] + 6 * j, ci);
        }
    }
    for (int k = 0; k < p->nedge; k++) /* rows of tree edges hold D^T c, unless all rows are given */
        for (int j = 0; j < p->edge[k].m; j++) {
            int i = p->edge[k].row + j;
            if (p->edge[k].tree_body < 0 || e->all_rows)
                e->a[i] = a ? a[i] : 0.0;
        }
}

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

static void leaf_x0(clv_engine *e, int part)
{
    const clv_plan *p = e->plan;
    const clv_part *q = &p->part[part];
    const clv_strand *s = &p->strand[q->strand];
    const clv_strand_out *o = &e->out[s->group];
    double *x0 = clv_part_x0(e, part), y[6] = {0};
    int tip = 6 * q->nport - 6;
    bool columns = p->group[s->group].columns;
    if (s->base == CLV_BASE_FREE) {
        lane_get(o->p, 6, s->lane, y);
        base_solve(e->base_LD + 36 * (size_t)e->free_base[q->strand], y);
        if (s->base_port || !columns)
            memcpy(x0, y, sizeof y);
    }
    if (columns)
        for (int j = 0; j < 6; j++) {
            double t = o->t[j * CLV_GROUP + s->lane];
            for (int i = 0; i < 6; i++)
                t += o->K[(6 * j + i) * CLV_GROUP + s->lane] * y[i];
            x0[tip + j] = t;
        }
}

/* motion of the base and wrench at the tip, for the outward sweep */
static void start_outward(clv_engine *e, int k)
{
    const clv_plan *p = e->plan;
    const clv_strand *s = &p->strand[k];
    const clv_strand_out *o = &e->out[s->group];
    double x[6] = {0}, F[6] = {0}, Fb[6] = {0};
    bool columns = p->group[s->group].columns;
    if (s->part >= 0) {
        const double *T = clv_part_T(e, s->part);
        int nport = p->part[s->part].nport;
        if (columns)
            memcpy(F, T + 6 * nport - 6, sizeof F);
        if (s->base_port || !columns)
            memcpy(Fb, T, sizeof Fb);
    }
    if (s->base == CLV_BASE_FOLD)
        clv_slot_get(e->x, 6, p->fold_slot[k], x);
    else if (s->base == CLV_BASE_FREE) {
        for (int i = 0; i < 6; i++) {
            x[i] = o->p[i * CLV_GROUP + s->lane] + Fb[i];
            for (int j = 0; columns && j < 6; j++)
                x[i] += o->K[(6 * j + i) * CLV_GROUP + s->lane] * F[j];
        }
        base_solve(e->base_LD + 36 * (size_t)e->free_base[k], x);
    }
    for (int i = 0; i < 6; i++)
        o->x[i * CLV_GROUP + s->lane] = x[i], o->F[i * CLV_GROUP + s->lane] = F[i];
}

static void gather(const clv_engine *e, double *x, double *u, const double *c)
{
    const clv_plan *p = e->plan;
    for (int i = 0; i < p->nbody; i++)
        clv_slot_get(e->x, 6, p->slot[i], x + 6 * (size_t)i);
    for (int i = 0; i < p->nbody; i++) {
        const clv_tree_joint *t = &p->tree[i];
        int row = p->slot[i] / CLV_GROUP;
        if (inside_strand(t)) {
            const double *from = e->u + (size_t)p->row_H[row] * CLV_GROUP + p->slot[i] % CLV_GROUP;
            for (int k = 0; k < t->f; k++)
                u[t->iu + k] = from[k * CLV_GROUP];
            continue;
        }
        double d[6] = {0};
        if (t->parent >= 0)
            clv_motion_shift(d, e->arm + 3 * (size_t)i, x + 6 * (size_t)t->parent);
        for (int k = 0; k < 6; k++)
            d[k] = x[6 * (size_t)i + (size_t)k] - d[k] - (c ? c[6 * (size_t)i + (size_t)k] : 0.0);
        for (int k = 0; k < t->f; k++)
            u[t->iu + k] = clv_dot6(e->dual + clv_columns(p, (size_t)i) + 6 * (size_t)k, d);
    }
}

/* one solve with the factor at hand */
static void pass(clv_engine *e, double *x, double *u, const double *b, const double *tau, const double *c, const double *a)
{
    const clv_plan *p = e->plan;
    scatter(e, b, tau, c, a);
    for (int g = 0; g < p->ngroup; g++) {
        clv_strand_inward(e, &p->group[g]);
        for (int l = 0; l < p->group[g].nstrand; l++)
            fold_load(e, p->group[g].strand[l]);
    }
    for (int k = 0; k < p->npart; k++)
        if (p->part[k].strand >= 0)
            leaf_x0(e, k);
        else
            clv_node_up(e, k);
    for (int k = p->npart - 1; k >= 0; k--)
        if (p->part[k].strand < 0)
            clv_node_down(e, k);
    for (int g = p->ngroup - 1; g >= 0; g--) {
        for (int l = 0; l < p->group[g].nstrand; l++)
            start_outward(e, p->group[g].strand[l]);
        clv_strand_outward(e, &p->group[g]);
    }
    gather(e, x, u, c);
}

/* largest residual of an edge row over the largest motion it compares; fills fix_a (nsigma) */
static double row_residual(clv_engine *e, const double *x)
{
    const clv_plan *p = e->plan;
    double worst = 0;
    for (int k = 0; k < p->nedge; k++) {
        const clv_edge *edge = &p->edge[k];
        for (int j = 0; j < edge->m; j++) {
            int i = edge->row + j;
            double r = e->row_value[i] - e->eps[i] * e->sigma[i], size = fabs(e->row_value[i]);
            for (int h = 0; h < edge->nhandle; h++) {
                const double *B = e->block + edge->block[h] + 6 * j, *v = x + 6 * (size_t)edge->body[h];
                r -= clv_dot6(B, v);
                for (int q = 0; q < 6; q++)
                    size += fabs(B[q] * v[q]);
            }
            e->fix_a[i] = r;
            if (size > 0 && !(fabs(r) <= worst * size))
                worst = fabs(r) / size;
        }
    }
    return worst;
}

/* Iterative refinement: what the equations of the joints and the rows still miss is solved for with the same factor.
 *   tau_k + H^T (sum outboard of b - I x + K sigma) - R u = 0,   a - K^T x - eps sigma = 0 */
static void refine(clv_engine *e, double *x, double *u, const double *b, const double *tau)
{
    const clv_plan *p = e->plan;
    double *W = e->fix_b;
    for (size_t i = 0; i < (size_t)p->nbody; i++) {
        clv_inertia_times(W + 6 * i, e->mass + 21 * i, x + 6 * i);
        for (int k = 0; k < 6; k++)
            W[6 * i + (size_t)k] = b[6 * i + (size_t)k] - W[6 * i + (size_t)k];
    }
    memcpy(e->fix_sigma, e->sigma, (size_t)p->nsigma * sizeof(double));
    clv_engine_closing_wrenches(e, W, e->fix_sigma, 1.0);
    clv_engine_accumulate(e, W);
    for (size_t i = 0; i < (size_t)p->nbody; i++)
        for (int k = 0; k < p->tree[i].f; k++) {
            int iu = p->tree[i].iu + k;
            e->fix_tau[iu] = (tau ? tau[iu] : 0.0) + clv_dot6(e->free + clv_columns(p, i) + 6 * (size_t)k, W + 6 * i) -
                             e->resist[p->tree[i].ih + k] * u[iu];
        }
    memset(W, 0, 6 * (size_t)p->nbody * sizeof(double));
    e->all_rows = true;
    pass(e, e->fix_x, e->fix_u, W, e->fix_tau, NULL, e->fix_a);
    e->all_rows = false;
    for (int i = 0; i < 6 * p->nbody; i++)
        x[i] += e->fix_x[i];
    for (int i = 0; i < p->nu; i++)
        u[i] += e->fix_u[i];
    for (int i = 0; i < p->nsigma; i++)
        e->sigma[i] += e->fix_sigma[i];
}

static double largest(const double *v, int n)
{
    double m = 0;
    for (int i = 0; i < n; i++)
        m = fmax(m, fabs(v[i]));
    return m;
}

void clv_engine_solve(clv_engine *e, double *x, double *u, const double *b, const double *tau, const double *c,
                      const double *a)
{
    const double enough = 1e-14;
    const clv_plan *p = e->plan;
    e->stalled = false;
    pass(e, x, u, b, tau, c, a);
    if (p->nedge == 0 && !e->replaced)
        return;
    memcpy(e->row_value, e->a, (size_t)p->nsigma * sizeof(double));
    double worst = row_residual(e, x);
    for (int k = 0; e->replaced && k < 8; k++) { /* the factor is not quite the problem's */
        double size = largest(x, 6 * p->nbody);
        refine(e, x, u, b, tau);
        worst = row_residual(e, x);
        double step = largest(e->fix_x, 6 * p->nbody);
        if (step <= enough * size)
            break;
        if (k == 7 && step > 1e-8 * size)
            e->stalled = true;
    }
    for (int k = 0; k < 2 && worst > enough; k++) {
        double before = worst;
        refine(e, x, u, b, tau);
        worst = row_residual(e, x);
        if (worst > 0.1 * before)
            break;
    }
}

/* ------------------------------------------------------------------ sums */

void clv_engine_accumulate(const clv_engine *e, double *W)
{
    const clv_plan *p = e->plan;
    for (int i = p->nbody - 1; i >= 0; i--) {
        int b = p->order[i], a = p->tree[b].parent;
        if (a < 0)
            continue;
        double S[6];
        clv_wrench_shift(S, e->arm + 3 * (size_t)b, W + 6 * (size_t)b);
        clv_add6(W + 6 * (size_t)a, S);
    }
}

void clv_engine_closing_wrenches(const clv_engine *e, double *W, const double *sigma, double sign)
{
    const clv_plan *p = e->plan;
    for (int k = 0; k < p->nedge; k++) {
        const clv_edge *edge = &p->edge[k];
        if (edge->tree_body >= 0)
            continue;
        for (int h = 0; h < edge->nhandle; h++)
            for (int j = 0; j < edge->m; j++)
                for (int i = 0; i < 6; i++)
                    W[6 * (size_t)edge->body[h] + (size_t)i] +=
                        sign * e->block[edge->block[h] + 6 * j + i] * sigma[edge->row + j];
    }
}

void clv_engine_self_stress(clv_engine *e, int part, int k)
{
    const clv_plan *p = e->plan;
    e->below[0] = part, e->nbelow = 1;
    for (int i = 0; i < e->nbelow; i++) {
        const clv_part *q = &p->part[e->below[i]];
        for (int c = 0; c < 2; c++)
            if (q->child[c] >= 0)
                e->below[e->nbelow++] = q->child[c];
        if (q->strand < 0)
            clv_node_self_stress(e, e->below[i], i == 0 ? k : -1);
    }
}
