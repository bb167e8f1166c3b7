/* SPDX-License-Identifier: Apache-2.0
 * Changes of what acts between two bodies, along every coordinate and rate (T75, T76).  Only directions on the path
 * from one body to the other change their relative motion; a load on one body acts between it and the ground.
 * Directions outside move both bodies alike, which the tree's formulas contain. */
#include "kinematics/derivative_pair.h"
#include "math/rotation.h"
#include <string.h>

/* Where the effects of a direction go: forces and rows, `stride` numbers apart. */
typedef struct target {
    double *force, *acceleration, *rate, *violation; /* rate, violation: NULL along rates */
    int stride;
} target;

/* ------------------------------------------------------------------ one direction */

static void displaced(const clv_derivative *d, size_t k, bool rate, int body, double x[6], double v[6], double a[6])
{
    const double *S = d->S + 6 * k, *vb = d->v + 6 * (size_t)body, *ab = d->a + 6 * (size_t)body;
    const double *remains = rate ? S : d->vq + 6 * k, *A = rate ? d->Au + 6 * k : d->Aq + 6 * k;
    double y[6], z[6];
    clv_motion_cross(y, remains, vb);
    for (int i = 0; i < 6; i++)
        x[i] = rate ? 0 : S[i], v[i] = remains[i], a[i] = A[i] + y[i];
    if (rate)
        return;
    clv_motion_cross(y, S, vb), clv_motion_cross(z, S, ab);
    for (int i = 0; i < 6; i++)
        v[i] += y[i], a[i] += z[i];
}

/* the part of the change that is left when a body's load is displaced with it */
static void remaining(double to[6], const double x[6], const double W[6], const double dW[6])
{
    clv_wrench_cross(to, x, W);
    for (int i = 0; i < 6; i++)
        to[i] = dW[i] - to[i];
}

static void put_effect(const clv_acting *p, const clv_acting_change *x, const target *to)
{
    clv_acting_effect e = {{0}, {0}, {0}, {0}, {0}, {0}, {0}};
    double W[6];
    p->find(p, x, &e);
    remaining(W, x->xa, e.Wa, e.dWa), clv_derivative_push(p->d, to->force, to->stride, p->a, W);
    remaining(W, x->xb, e.Wb, e.dWb), clv_derivative_push(p->d, to->force, to->stride, p->b, W);
    for (int r = 0; r < p->m; r++) {
        const size_t at = (size_t)(p->row + r) * (size_t)to->stride;
        to->acceleration[at] += e.acceleration[r];
        if (to->rate)
            to->rate[at] += e.rate[r], to->violation[at] += e.row[r];
    }
}

static void along(const clv_acting *p, size_t k, bool rate, bool b_moves)
{
    clv_derivative *d = p->d;
    clv_acting_change x = {{0}, {0}, {0}, {0}, {0}, {0}, {0}, {0}};
    if (b_moves)
        displaced(d, k, rate, p->b, x.xb, x.vb, x.ab);
    else
        displaced(d, k, rate, p->a, x.xa, x.va, x.aa);
    const target to = {.force = (rate ? d->force_u : d->force_q) + k, .acceleration = (rate ? d->row_u : d->row_q) + k,
                       .rate = rate ? NULL : d->rate_q + k, .violation = rate ? NULL : d->row + k, .stride = d->n};
    put_effect(p, &x, &to);
}

static void along_path(const clv_acting *p, void *none)
{
    (void)none;
    const clv_plan *plan = p->d->plan;
    clv_jet H[36], D[36];
    clv_acting x = *p;
    int a = p->a, b = p->b;
    x.H = H, x.D = D;
    while (a != b) {
        const int da = a < 0 ? 0 : p->d->depth[a], db = b < 0 ? 0 : p->d->depth[b];
        int *side = db >= da ? &b : &a;
        const clv_tree_joint *t = &plan->tree[*side];
        for (int c = 0; c < t->f; c++)
            for (int rate = 0; rate < 2; rate++) {
                x.again = rate;
                along(&x, ((size_t)t->iu + (size_t)c), rate, side == &b);
            }
        *side = t->parent;
    }
}

/* ------------------------------------------------------------------ tree joints */

/* The row along the rate of a tree joint is f'(q), and its pair of wrenches moves with the joint (T75.2). */
static void couple_tree(clv_derivative *d, const clv_edge *e, int body, const double f[3], void *none)
{
    (void)none;
    const size_t n = (size_t)d->n, k = (size_t)d->plan->tree[body].iu, at = (size_t)e->row * n + k;
    const double u = *clv_kinematics_u(d->kin, (size_t)body);
    d->row[at] += f[0];
    d->rate_q[at] += f[1] * u;
    d->row_q[at] += f[1] * d->ud[k] + f[2] * u * u, d->row_u[at] += 2 * f[1] * u;
    d->force_q[k * n + k] -= f[1] * d->lambda[e->row];
}

static void no_pair(const clv_acting *p, void *none) { (void)p, (void)none; }

static void add_term(clv_derivative *d, const clv_edge *e, int body, const double f[3], void *none)
{
    const double *G = d->kin->G + clv_columns(d->plan, (size_t)body);
    double r[3], W[6];
    (void)none;
    clv_sub3(r, d->kin->ref + 3 * (size_t)body, d->origin);
    clv_wrench_shift(W, r, G);
    for (int i = 0; i < 6; i++)
        d->W[6 * (size_t)body + (size_t)i] += d->lambda[e->row] * f[0] * W[i];
}

void clv_derivative_add_terms(clv_derivative *d)
{
    if (d->plan->model->ncoupling > 0)
        clv_acting_closings(d, no_pair, add_term, NULL);
}

/* Loads of tree joints act on their own direction alone. */
static void tree_slopes(clv_derivative *d)
{
    const clv_plan *p = d->plan;
    for (int b = 0; b < p->nbody; b++)
        for (int c = 0; p->tree[b].joint >= 0 && c < p->tree[b].f; c++) {
            const size_t at = 6 * (size_t)p->tree[b].joint + (size_t)c, k = (size_t)p->tree[b].iu + (size_t)c;
            d->force_q[k * (size_t)d->n + k] -= d->slope[2 * at];
            d->force_u[k * (size_t)d->n + k] -= d->slope[2 * at + 1];
        }
}

void clv_derivative_pairs(clv_derivative *d)
{
    clv_acting_slopes(d);
    tree_slopes(d);
    clv_acting_loads(d, along_path, NULL);
    clv_acting_closings(d, along_path, couple_tree, NULL);
}

/* ------------------------------------------------------------------ points of joints (T112) */

typedef struct offset {
    const clv_derivative_offset *of;
    target to;
} offset;

static void displaced_by(const clv_derivative *d, const clv_derivative_offset *g, int body, double x[6], double v[6],
                         double a[6])
{
    const double *vb = d->v + 6 * (size_t)body, *ab = d->a + 6 * (size_t)body;
    double y[6], z[6], r[6];
    clv_motion_cross(y, g->S, vb), clv_motion_cross(z, g->S, ab), clv_motion_cross(r, g->v, vb);
    for (int i = 0; i < 6; i++)
        x[i] = g->S[i], v[i] = g->v[i] + y[i], a[i] = g->A[i] + r[i] + z[i];
}

static void along_offset(const clv_acting *p, void *user)
{
    const offset *s = user;
    const clv_derivative *d = p->d;
    const bool of_pair = !p->force && !p->input && d->plan->edge[p->edge].joint == s->of->joint;
    clv_acting_change x = {{0}, {0}, {0}, {0}, {0}, {0}, {0}, {0}};
    if (s->of->child < 0) {
        if (!of_pair)
            return;
        clv_copy3(s->of->on_b ? x.pb : x.pa, s->of->S);
        put_effect(p, &x, &s->to);
        return;
    }
    const bool a = clv_derivative_outboard(d, p->a, s->of->child), b = clv_derivative_outboard(d, p->b, s->of->child);
    if (a == b)
        return;
    if (b)
        displaced_by(d, s->of, p->b, x.xb, x.vb, x.ab);
    else
        displaced_by(d, s->of, p->a, x.xa, x.va, x.aa);
    put_effect(p, &x, &s->to);
}

void clv_derivative_pairs_by_offset(clv_derivative *d, const clv_derivative_offset *g, double *force,
                                  double *acceleration, double *rate, double *violation)
{
    offset s = {.of = g, .to = {force, acceleration, rate, violation, 1}};
    clv_acting_loads(d, along_offset, &s);
    clv_acting_closings(d, along_offset, NULL, &s);
}
