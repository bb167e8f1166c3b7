/* SPDX-License-Identifier: Apache-2.0
 * Motions of given accelerations, and what they leave of every joint, with composite inertias (T18, row_mass.h).
 *
 * Lanes first treat strands as if they started at rest and carried nothing.  Then pieces are joined one by one in
 * global axes, and groups that carry pieces are passed a second time. */
#include "kinematics/place.h"
#include "kinematics/row_kernels.h"
#include "kinematics/row_mass.h"

enum { G8 = CLV_GROUP };

/* ------------------------------------------------------------------ composite inertias */

void clv_composite_add(double I[CLV_COMPOSITE], const double other[CLV_COMPOSITE])
{
    for (int i = 0; i < CLV_COMPOSITE; i++)
        I[i] += other[i];
}

void clv_composite_shift(double I[CLV_COMPOSITE], const double l[3])
{
    double *c = I + 1, *J = I + 4, d[3];
    for (int i = 0; i < 3; i++)
        d[i] = c[i] + I[0] * l[i];
    J[0] += (l[1] * c[1] + l[2] * c[2]) + (l[1] * d[1] + l[2] * d[2]);
    J[3] += (l[0] * c[0] + l[2] * c[2]) + (l[0] * d[0] + l[2] * d[2]);
    J[5] += (l[0] * c[0] + l[1] * c[1]) + (l[0] * d[0] + l[1] * d[1]);
    J[1] -= l[0] * c[1] + d[0] * l[1];
    J[2] -= l[0] * c[2] + d[0] * l[2];
    J[4] -= l[1] * c[2] + d[1] * l[2];
    memcpy(c, d, sizeof d);
}

void clv_composite_turn(double I[CLV_COMPOSITE], const double R[9])
{
    double *J = I + 4, c[3], RJ[9], X[9];
    const double full[9] = {J[0], J[1], J[2], J[1], J[3], J[4], J[2], J[4], J[5]};
    clv_mat3_times(c, R, I + 1);
    memcpy(I + 1, c, sizeof c);
    clv_mat3_product(RJ, R, full), clv_mat3_product_transpose(X, RJ, R);
    J[0] = X[0], J[1] = X[1], J[2] = X[2], J[3] = X[4], J[4] = X[5], J[5] = X[8];
}

void clv_composite_times(double y[6], const double I[CLV_COMPOSITE], const double x[6])
{
    const double *c = I + 1, *J = I + 4;
    double a[3], b[3];
    clv_cross(a, x + 3, c), clv_cross(b, c, x);
    for (int i = 0; i < 3; i++)
        y[i] = I[0] * x[i] + a[i];
    y[3] = J[0] * x[3] + J[1] * x[4] + J[2] * x[5] + b[0];
    y[4] = J[1] * x[3] + J[3] * x[4] + J[4] * x[5] + b[1];
    y[5] = J[2] * x[3] + J[4] * x[4] + J[5] * x[5] + b[2];
}

/* ------------------------------------------------------------------ motions */

static double *attached_at(const clv_rows *w, double *array, int n, int body)
{
    const int slot = w->slot[body];
    return array + (size_t)w->attached[slot / G8] * (size_t)n * G8 + slot % G8;
}

/* from the start of a strand to a body on which something hangs, global axes */
static void arm_to(const clv_rows *w, int strand, int body, double l[3])
{
    const clv_strand *s = &w->plan->strand[strand];
    const double *f = attached_at(w, w->frame, CLV_FRAME, body), *start = w->end[s->group].start + s->lane;
    for (int i = 0; i < 3; i++)
        l[i] = f[(9 + i) * G8] - start[(9 + i) * G8];
}

/* motion of a body from which pieces start; its strand was passed as if it started at rest */
static void motion_of(const clv_row_mass *d, int body, double x[6])
{
    const clv_rows *w = d->w;
    const int k = w->strand_of[body];
    double own[6], l[3];
    clv_rows_motion(w, body, x);
    if (k >= w->plan->nstrand)
        return;
    arm_to(w, k, body, l);
    clv_motion_shift(own, l, d->piece[k].motion);
    clv_add6(x, own);
}

/* x_B = S^T x_A + c + H u of the joint of a base */
static void base_motion(const clv_row_mass *d, int base, const double *u, const double *c, double x[6])
{
    const clv_tree_joint *t = &d->w->plan->tree[base];
    const double *H = d->kin->H + clv_columns(d->w->plan, (size_t)base);
    double from[6];
    memcpy(x, c + 6 * (size_t)base, 6 * sizeof(double));
    if (t->parent >= 0) {
        motion_of(d, t->parent, from);
        clv_motion_shift(from, d->kin->arm + 3 * (size_t)base, from);
        clv_add6(x, from);
    }
    for (int f = 0; f < t->f; f++)
        for (int i = 0; i < 6; i++)
            x[i] += H[6 * f + i] * u[t->iu + f];
}

static void start_strand(clv_row_mass *d, int strand, const double *u, const double *c)
{
    const clv_rows *w = d->w;
    const clv_strand *s = &w->plan->strand[strand];
    const clv_strand_out *o = &w->engine->out[s->group];
    double R[9], x[6], *start = d->piece[strand].motion;
    memset(start, 0, 6 * sizeof(double));
    if (clv_rows_floats(w, strand))
        base_motion(d, w->plan->bodies[s->first], u, c, start);
    else if (w->origin[strand] >= 0)
        motion_of(d, w->origin[strand], start);
    clv_rows_strand_axes(w, strand, R);
    clv_mat3_transpose_times(x, R, start), clv_mat3_transpose_times(x + 3, R, start + 3);
    clv_row_put(o->x + s->lane, 6, x);
}

void clv_row_mass_outer(const clv_row_mass *d, const double *z, double *u)
{
    for (int i = 0; i < d->n; i++)
        if (d->unknown[i] < 0)
            u[-1 - d->unknown[i]] = z[i];
}

/* does a strand of the group start from something that moves? */
static bool starts(const clv_rows *w, int group)
{
    const clv_group *g = &w->plan->group[group];
    for (int l = 0; l < g->nstrand; l++)
        if (w->origin[g->strand[l]] >= 0 || clv_rows_floats(w, g->strand[l]))
            return true;
    return false;
}

void clv_row_mass_ride(clv_row_mass *d, const double *z, const double *c)
{
    clv_rows *w = d->w;
    const clv_plan *p = w->plan;
    double *u = w->engine->fix_u;
    memset(w->rates, 0, (size_t)w->nrow * G8 * sizeof(double));
    for (int i = 0; i < d->n; i++)
        if (d->unknown[i] >= 0)
            w->rates[d->unknown[i]] = z[i];
    for (int i = 0; i < w->ndrive; i++)
        w->rates[w->drive[i].slot] = w->drive[i].ud;
    clv_row_mass_outer(d, z, u);
    for (int g = 0; g < p->ngroup; g++) {
        memset(w->engine->out[g].x, 0, 6 * G8 * sizeof(double));
        w->kernels->ride(w, g);
    }
    for (int n = 0; n < w->npiece; n++)
        if (w->piece[n] < p->nstrand)
            start_strand(d, w->piece[n], u, c);
        else {
            const int star = w->piece[n] - p->nstrand;
            base_motion(d, p->star[star].entry, u, c, d->piece[w->piece[n]].motion);
            clv_row_mass_star_ride(d, star, u, c);
        }
    for (int g = 0; g < p->ngroup; g++)
        if (starts(w, g))
            w->kernels->ride(w, g);
}

/* ------------------------------------------------------------------ sums */

/* wrenches and composite inertias of pieces on the bodies of a strand, to those of its own */
static void add_pieces(clv_row_mass *d, int strand, const double R[9], bool compose)
{
    const clv_rows *w = d->w;
    const clv_strand *s = &w->plan->strand[strand];
    clv_row_mass_piece *own = &d->piece[strand];
    for (int i = w->held_first[strand]; i < w->held_first[strand + 1]; i++) {
        const int body = w->plan->bodies[s->first + w->held[i]];
        double l[3], r[3], W[6], x[6], I[CLV_COMPOSITE];
        if (d->on[body] < 0)
            continue;
        arm_to(w, strand, body, l), clv_mat3_transpose_times(r, R, l);
        clv_row_get(attached_at(w, w->fix, 6, body), 6, W);
        clv_mat3_times(x, R, W), clv_mat3_times(x + 3, R, W + 3);
        clv_wrench_shift(x, l, x);
        clv_add6(own->W, x);
        if (!compose)
            continue;
        clv_row_get(attached_at(w, w->I, 21, body), CLV_COMPOSITE, I);
        clv_composite_shift(I, r), clv_composite_add(own->I, I);
    }
}

/* the joint of a base that has one of its own: what is left of it; then W and the inertia at the body before */
static void meet_base(clv_row_mass *d, int k, const double *tau, bool compose, const double R[9])
{
    const clv_plan *p = d->w->plan;
    const int base = clv_rows_base(d->w, k);
    const clv_tree_joint *t = &p->tree[base];
    const double *H = d->kin->H + clv_columns(p, (size_t)base), *arm = d->kin->arm + 3 * (size_t)base;
    clv_row_mass_piece *own = &d->piece[k];
    double *left = d->w->engine->fix_u;
    for (int f = 0; f < t->f; f++)
        left[t->iu + f] = tau[t->iu + f] + clv_dot6(H + 6 * f, own->W);
    own->reaction = t->motion >= 0 ? -clv_dot6(H, own->W) : 0.0;
    clv_wrench_shift(own->W, arm, own->W);
    if (!compose)
        return;
    clv_composite_turn(own->I, R);
    for (int f = 0; f < t->f; f++)
        clv_composite_times(own->U + 6 * f, own->I, H + 6 * f);
    clv_composite_shift(own->I, arm);
}

/* what a piece shows arrives at the body before; axes R of its inertia, global if it has a joint of its own */
static void arrive(clv_row_mass *d, int k, bool compose, const double R[9])
{
    clv_rows *w = d->w;
    clv_row_mass_piece *own = &d->piece[k];
    const int to = w->origin[k];
    double A[9], B[9], W[6], *at;
    if (clv_row_hold_of(w, to)) {
        clv_add6(d->hold[to].W, own->W);
        if (compose)
            clv_composite_add(d->hold[to].I, own->I);
        return;
    }
    clv_rows_strand_axes(w, w->strand_of[to], A);
    clv_mat3_transpose_times(W, A, own->W), clv_mat3_transpose_times(W + 3, A, own->W + 3);
    at = attached_at(w, w->fix, 6, to);
    for (int i = 0; i < 6; i++)
        at[i * G8] += W[i];
    if (!compose)
        return;
    for (int i = 0; clv_rows_floats(w, k) && i < 3; i++)
        for (int j = 0; j < 3; j++)
            B[3 * i + j] = A[3 * j + i];
    if (!clv_rows_floats(w, k))
        clv_mat3_transpose_product(B, A, R);
    clv_composite_turn(own->I, B);
    at = attached_at(w, w->I, 21, to);
    for (int i = 0; i < CLV_COMPOSITE; i++)
        at[i * G8] += own->I[i];
}

static void sum_strand(clv_row_mass *d, int k, bool compose, const double R[9])
{
    const clv_rows *w = d->w;
    const clv_strand *s = &w->plan->strand[k];
    clv_row_mass_piece *own = &d->piece[k];
    double W[6];
    clv_row_get(w->end[s->group].P + s->lane, 6, W);
    clv_mat3_times(own->W, R, W), clv_mat3_times(own->W + 3, R, W + 3);
    if (compose)
        clv_row_get(d->ends + (size_t)s->group * CLV_COMPOSITE * G8 + s->lane, CLV_COMPOSITE, own->I);
    add_pieces(d, k, R, compose);
}

static void clear(clv_row_mass *d, bool compose)
{
    clv_rows *w = d->w;
    memset(w->fix, 0, 6 * G8 * (size_t)w->nattached * sizeof(double));
    if (compose)
        memset(w->I, 0, 21 * G8 * (size_t)w->nattached * sizeof(double));
    for (int b = 0; w->plan->nstar > 0 && b < w->plan->nbody; b++) {
        memset(d->hold[b].W, 0, sizeof d->hold[b].W);
        if (compose)
            memset(d->hold[b].I, 0, sizeof d->hold[b].I);
    }
}

void clv_row_mass_sums(clv_row_mass *d, const double *tau, const double *z, bool compose, double *h)
{
    clv_rows *w = d->w;
    const clv_plan *p = w->plan;
    double *u = w->engine->fix_tau, *left = w->engine->fix_u;
    clear(d, compose);
    clv_row_mass_outer(d, z, u);
    for (int g = 0; g < p->ngroup; g++)
        w->kernels->sums(d, g, compose, false);
    for (int n = w->npiece - 1; n >= 0; n--) {
        const int k = w->piece[n];
        double R[9];
        clv_rows_strand_axes(w, k, R);
        if (k < p->nstrand)
            sum_strand(d, k, compose, R);
        else
            clv_row_mass_star_sums(d, k - p->nstrand, tau, u, compose, left);
        if (clv_rows_floats(w, k))
            meet_base(d, k, tau, compose, R);
        if (w->origin[k] >= 0)
            arrive(d, k, compose, R);
    }
    for (int g = 0; g < p->ngroup; g++)
        if (d->arrives[g])
            w->kernels->sums(d, g, compose, true);
    for (int i = 0; i < d->n; i++)
        h[i] = d->unknown[i] >= 0 ? d->left[d->unknown[i]] : left[-1 - d->unknown[i]];
}
