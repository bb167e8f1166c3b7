/* SPDX-License-Identifier: Apache-2.0
 * Flexible bodies between strands (T43.8).  A flexible body is a piece of its own.  Its base is its entry, the body on
 * the inboard joint; what is attached to its nodes are inertias H and loads h there (row_fold.c).
 *
 *   fold     Mf of the frame F and the modes, + B^T H B of every node, B = [Phi, S^T];  x_F = S^T x + M u + c, where
 *            the tree enters at a node;  [A U; U^T I] of modes u and entry x;  A = L L^T, G = L^-1 U, y = L^-1 f
 *            I' = I - G^T G, p' = p - G^T y at the entry
 *   unfold   u = L^-T (y - G x), x_F, then x_i = S^T x_F + Phi u + c
 *
 * Global axes.  With the entry held, the modes have an inertia of their own, also of a line of mass. */
#include <math.h>
#include "base/tolerance.h"
#include "kinematics/deform.h"
#include "kinematics/place.h"
#include "kinematics/rows.h"
#include "math/lane.h"
#include "math/spatial.h"

void clv_rows_star_layout(clv_rows *w, const clv_plan *p, clv_arena *a)
{
    CLV_TAKE(a, w->star, p->nstar);
    for (int s = 0; s < p->nstar; s++) {
        const size_t n = (size_t)p->star[s].nmode;
        clv_row_star counting, *o = a->base ? &w->star[s] : &counting;
        CLV_TAKE(a, o->hold, p->model->flex[s].nnode + 1);
        CLV_TAKE(a, o->A, n * n), CLV_TAKE(a, o->G, 6 * n), CLV_TAKE(a, o->y, n);
    }
}

/* i-th body: 0 the frame, then the nodes */
static int body_of(const clv_plan *p, int star, int i) { return p->star[star].frame + i; }
static int bodies_of(const clv_plan *p, int star) { return p->model->flex[star].nnode + 1; }

/* ------------------------------------------------------------------ poses and motions */

void clv_rows_star_pose(clv_kinematics *k, int star, const double *q)
{
    const clv_plan *p = k->plan;
    const clv_star *s = &p->star[star];
    memcpy(k->eta + s->mode, q + s->iq, (size_t)s->nmode * sizeof(double));
    clv_kinematics_body_pose(k, s->entry, q);
    clv_kinematics_body_directions(k, s->entry);
    for (int i = 0; i < bodies_of(p, star); i++)
        if (body_of(p, star, i) != s->entry)
            clv_deform_pose(k, body_of(p, star, i));
    clv_deform_fill(k, star);
}

void clv_rows_star_move(clv_kinematics *k, int star, const double *u)
{
    const clv_plan *p = k->plan;
    const clv_star *s = &p->star[star];
    memcpy(k->etad + s->mode, u + s->iu, (size_t)s->nmode * sizeof(double));
    clv_kinematics_body_velocity(k, s->entry, u);
    for (int i = 0; i < bodies_of(p, star); i++)
        if (body_of(p, star, i) != s->entry)
            clv_kinematics_body_velocity(k, body_of(p, star, i), u);
}

void clv_rows_star_rates(clv_rows *w, clv_kinematics *k)
{
    for (int s = 0; s < w->plan->nstar; s++)
        for (int i = 0; i < bodies_of(w->plan, s); i++)
            if (body_of(w->plan, s, i) != w->plan->star[s].entry)
                clv_deform_rates(k, body_of(w->plan, s, i));
}

void clv_rows_star_terms(clv_rows *w, const clv_kinematics *k, double *c)
{
    const clv_plan *p = w->plan;
    for (int s = 0; s < p->nstar; s++) {
        double W[6];
        clv_deform_gyroscopic(k, s, W);
        for (int i = 0; i < 6; i++)
            w->star[s].hold[0].Q[i] -= W[i];
        for (int i = 0; i < bodies_of(p, s); i++)
            if (body_of(p, s, i) != p->star[s].entry)
                clv_kinematics_body_bias(k, body_of(p, s, i), c + 6 * (size_t)body_of(p, s, i));
    }
}

/* ------------------------------------------------------------------ the fold */

void clv_rows_star_clear(clv_rows *w, bool loads)
{
    for (int s = 0; s < w->plan->nstar; s++)
        for (int i = 0; i < bodies_of(w->plan, s); i++) {
            clv_row_hold *hold = &w->star[s].hold[i];
            memset(hold->h, 0, sizeof hold->h);
            if (loads)
                continue;
            hold->hangs = false;
            memset(hold->H, 0, sizeof hold->H);
        }
}

/* what is eliminated: modes u beside the motion of a body x; A in its lower half */
typedef struct body {
    int n;
    double *A, *U, *f;   /* (n x n), (n x 6), (n) */
    double I[36], p[6];
} body;

/* y = A x, 6 x 6, symmetric: a sum of rows */
static void times(double y[6], const double A[36], const double x[6])
{
    clv_six sum = clv_six_times(clv_six_load(A), x[0]);
    for (int i = 1; i < 6; i++)
        sum = clv_six_add(sum, x[i], clv_six_load(A + 6 * i));
    clv_six_store(y, sum);
}

/* S I row by row, then its rows shifted: S (S I)^T */
void clv_rows_add_shifted(double to[36], const double r[3], const double I[36])
{
    double M[36];
    memcpy(M, I, 18 * sizeof(double));
    for (int j = 0; j < 6; j++) { /* S I: rows below are those of I and r x the rows above */
        M[18 + j] = I[18 + j] + (r[1] * I[12 + j] - r[2] * I[6 + j]);
        M[24 + j] = I[24 + j] + (r[2] * I[j] - r[0] * I[12 + j]);
        M[30 + j] = I[30 + j] + (r[0] * I[6 + j] - r[1] * I[j]);
    }
    for (int i = 0; i < 6; i++) {
        double row[6];
        clv_wrench_shift(row, r, M + 6 * i);
        clv_add6(to + 6 * i, row);
    }
}

/* 6 x 6 of the 21 stored numbers */
static void unpack(double to[36], const double I[21])
{
    const double *A = I, *B = I + 6, *C = I + 15;
    const double rows[36] = {A[0], A[1], A[2], B[0], B[1], B[2], A[1], A[3], A[4], B[3], B[4], B[5],
                             A[2], A[4], A[5], B[6], B[7], B[8], B[0], B[3], B[6], C[0], C[1], C[2],
                             B[1], B[4], B[7], C[1], C[3], C[4], B[2], B[5], B[8], C[2], C[4], C[5]};
    memcpy(to, rows, sizeof rows);
}

/* the frame with its modes, and the forces of these */
static void take_mass(body *b, const clv_kinematics *k, int star, const double *tau)
{
    const clv_star_room *room = &k->engine->room[star];
    const double *I = k->engine->mass + 21 * (size_t)k->plan->star[star].frame;
    for (int m = 0; m < b->n; m++) {
        const double *row = room->mass + (size_t)m * (size_t)(b->n + 6);
        memcpy(b->U + 6 * m, row, 6 * sizeof(double));
        for (int i = 0; i <= m; i++)
            b->A[m * b->n + i] = row[6 + i];
        b->f[m] = tau[k->plan->star[star].iu + m];
    }
    unpack(b->I, I);
    for (int i = 3; i < 6; i++)
        b->I[7 * i] += k->engine->extra[2 * k->plan->star[star].frame + 1];
    memset(b->p, 0, sizeof b->p);
}

/* loads and what is attached to a body that moves as x, and on the modes by the columns Phi (n x 6): x_i = S^T x + Phi
 * u + c; Phi NULL: zero, r NULL: x itself */
static void add_hold(body *b, const clv_row_hold *h, const double *Phi, const double *r, const double *c)
{
    double F[6], W[6];
    for (int i = 0; i < 6; i++)
        F[i] = h->Q[i] + (h->hangs ? h->h[i] : 0.0);
    if (h->hangs && c) {
        times(W, h->H, c);
        for (int i = 0; i < 6; i++)
            F[i] -= W[i];
    }
    for (int m = 0; Phi && m < b->n; m++) {
        b->f[m] += clv_dot6(Phi + 6 * m, F);
        if (!h->hangs)
            continue;
        times(W, h->H, Phi + 6 * m);
        for (int i = 0; i <= m; i++)
            b->A[m * b->n + i] += clv_dot6(Phi + 6 * i, W);
        clv_wrench_shift(W, r, W);
        clv_add6(b->U + 6 * m, W);
    }
    static const double none[3] = {0, 0, 0};
    if (h->hangs)
        clv_rows_add_shifted(b->I, r ? r : none, h->H);
    if (r)
        clv_wrench_shift(F, r, F);
    clv_add6(b->p, F);
}

/* from the motion of the frame to that of the entry: x_F = S^T x + M u + c, r: entry to frame */
static void go_to_entry(body *b, const double *M, const double r[3], const double *c)
{
    double W[6], I[36] = {0};
    if (c) {
        times(W, b->I, c);
        for (int i = 0; i < 6; i++)
            b->p[i] -= W[i];
        for (int m = 0; m < b->n; m++)
            b->f[m] -= clv_dot6(b->U + 6 * m, c);
    }
    for (int m = 0; m < b->n; m++)
        b->f[m] += clv_dot6(M + 6 * m, b->p);
    for (int m = 0; m < b->n; m++) {
        for (int i = 0; i <= m; i++) /* U of the modes before m have changed already: M^T I M is in them */
            b->A[m * b->n + i] += clv_dot6(b->U + 6 * m, M + 6 * i) + clv_dot6(M + 6 * m, b->U + 6 * i);
        times(W, b->I, M + 6 * m);
        b->A[m * b->n + m] += clv_dot6(M + 6 * m, W);
        clv_add6(b->U + 6 * m, W);
    }
    for (int m = 0; m < b->n; m++)
        clv_wrench_shift(b->U + 6 * m, r, b->U + 6 * m);
    clv_rows_add_shifted(I, r, b->I);
    memcpy(b->I, I, sizeof I);
    clv_wrench_shift(b->p, r, b->p);
}

/* A := L with inverse pivots, U := G, f := y; I and p without the modes */
static bool eliminate(body *b)
{
    const int n = b->n;
    clv_six I[6], p = clv_six_load(b->p);
    for (int r = 0; r < 6; r++)
        I[r] = clv_six_load(b->I + 6 * r);
    for (int i = 0; i < n; i++) {
        double *Li = b->A + (size_t)i * (size_t)n, *Gi = b->U + 6 * i, diagonal = Li[i];
        clv_six g = clv_six_load(Gi);
        for (int j = 0; j < i; j++) {
            const double *Lj = b->A + (size_t)j * (size_t)n;
            for (int m = 0; m < j; m++)
                Li[j] -= Li[m] * Lj[m];
            Li[j] *= Lj[j];
            Li[i] -= Li[j] * Li[j];
            g = clv_six_sub(g, Li[j], clv_six_load(b->U + 6 * j));
            b->f[i] -= Li[j] * b->f[j];
        }
        if (!(Li[i] > CLV_TOL_PIVOT * diagonal))
            return false;
        Li[i] = 1.0 / sqrt(Li[i]);
        g = clv_six_times(g, Li[i]);
        clv_six_store(Gi, g);
        b->f[i] *= Li[i];
        p = clv_six_sub(p, b->f[i], g);
        for (int r = 0; r < 6; r++)
            I[r] = clv_six_sub(I[r], Gi[r], g);
    }
    clv_six_store(b->p, p);
    for (int r = 0; r < 6; r++)
        clv_six_store(b->I + 6 * r, I[r]);
    return true;
}

void clv_rows_star_forwards(const clv_row_star *o, int n, double *y)
{
    for (int i = 0; i < n; i++) {
        const double *Li = o->A + (size_t)i * (size_t)n;
        for (int j = 0; j < i; j++)
            y[i] -= Li[j] * y[j];
        y[i] *= Li[i];
    }
}

bool clv_rows_star_fold(clv_rows *w, const clv_kinematics *k, int star, const double *tau, const double *c)
{
    const clv_plan *p = w->plan;
    const clv_star *s = &p->star[star];
    const clv_row_star *o = &w->star[star];
    clv_row_join *join = &w->join[p->nstrand + star];
    body b = {.n = s->nmode, .A = o->A, .U = o->G, .f = o->y};
    take_mass(&b, k, star, tau);
    for (int i = 0; i < bodies_of(p, star); i++) {
        const size_t at = (size_t)body_of(p, star, i);
        if (i == 0)
            add_hold(&b, &o->hold[0], NULL, NULL, NULL);
        else if ((int)at != s->entry)
            add_hold(&b, &o->hold[i], k->engine->modes + clv_modes(p, at), k->arm + 3 * at, c ? c + 6 * at : NULL);
    }
    if (s->entry != s->frame) {
        const size_t frame = (size_t)s->frame;
        go_to_entry(&b, k->engine->modes + clv_modes(p, frame), k->arm + 3 * frame, c ? c + 6 * frame : NULL);
        add_hold(&b, &o->hold[s->entry - s->frame], NULL, NULL, NULL);
    }
    if (!eliminate(&b))
        return false;
    memcpy(join->I, b.I, sizeof b.I), memcpy(join->p, b.p, sizeof b.p);
    return true;
}

/* loads of a body that moves as S^T x + Phi u, on the modes (y) and on x (p) */
static void add_loads(const clv_row_star *o, int n, const clv_row_hold *h, const double *Phi, const double *r,
                      double p[6])
{
    double F[6];
    for (int i = 0; i < 6; i++)
        F[i] = h->Q[i] + (h->hangs ? h->h[i] : 0.0);
    for (int m = 0; Phi && m < n; m++)
        o->y[m] += clv_dot6(Phi + 6 * m, F);
    if (r)
        clv_wrench_shift(F, r, F);
    clv_add6(p, F);
}

void clv_rows_star_respond(clv_rows *w, const clv_kinematics *k, int star, const double *tau)
{
    const clv_plan *p = w->plan;
    const clv_star *s = &p->star[star];
    const clv_row_star *o = &w->star[star];
    double *P = w->join[p->nstrand + star].p;
    memset(P, 0, 6 * sizeof(double));
    for (int m = 0; m < s->nmode; m++)
        o->y[m] = tau ? tau[s->iu + m] : 0.0;
    for (int i = 0; i < bodies_of(p, star); i++) {
        const size_t at = (size_t)body_of(p, star, i);
        if (i == 0)
            add_loads(o, s->nmode, &o->hold[0], NULL, NULL, P);
        else if ((int)at != s->entry)
            add_loads(o, s->nmode, &o->hold[i], k->engine->modes + clv_modes(p, at), k->arm + 3 * at, P);
    }
    if (s->entry != s->frame) {
        const double *M = k->engine->modes + clv_modes(p, (size_t)s->frame);
        for (int m = 0; m < s->nmode; m++)
            o->y[m] += clv_dot6(M + 6 * m, P);
        clv_wrench_shift(P, k->arm + 3 * (size_t)s->frame, P);
        add_loads(o, s->nmode, &o->hold[s->entry - s->frame], NULL, NULL, P);
    }
    clv_rows_star_forwards(o, s->nmode, o->y);
    for (int m = 0; m < s->nmode; m++)
        for (int i = 0; i < 6; i++)
            P[i] -= o->G[6 * m + i] * o->y[m];
}

/* x_i = S^T x + columns u + c, r: to the body */
static void move(double to[6], const double x[6], const double r[3], const double *columns, int n, const double *u,
                 const double *c)
{
    clv_motion_shift(to, r, x);
    clv_six sum = clv_six_load(to);
    for (int m = 0; m < n; m++)
        sum = clv_six_add(sum, u[m], clv_six_load(columns + 6 * m));
    clv_six_store(to, sum);
    if (c)
        clv_add6(to, c);
}

void clv_rows_star_unfold(clv_rows *w, const clv_kinematics *k, int star, const double *c, const double x[6],
                          double *u)
{
    const clv_plan *p = w->plan;
    const clv_star *s = &p->star[star];
    const clv_row_star *o = &w->star[star];
    const int n = s->nmode;
    double *z = u + s->iu;
    for (int i = 0; i < n; i++)
        z[i] = o->y[i] - clv_dot6(o->G + 6 * i, x);
    for (int i = n - 1; i >= 0; i--) {
        const double *Li = o->A + (size_t)i * (size_t)n;
        z[i] *= Li[i];
        for (int j = 0; j < i; j++)
            z[j] -= z[i] * Li[j];
    }
    memcpy(o->hold[s->entry - s->frame].x, x, 6 * sizeof(double));
    for (int i = 0; i < bodies_of(p, star); i++) {
        const size_t at = (size_t)body_of(p, star, i);
        if ((int)at != s->entry)
            move(o->hold[i].x, i == 0 ? x : o->hold[0].x, k->arm + 3 * at, k->engine->modes + clv_modes(p, at), n, z,
                 c ? c + 6 * at : NULL);
    }
}

/* ------------------------------------------------------------------ sums */

/* I V + Mrf eta' */
static void frame_momentum(const clv_kinematics *k, int star, double P[6])
{
    const clv_star *s = &k->plan->star[star];
    clv_inertia_times(P, k->engine->mass + 21 * (size_t)s->frame, k->V + 6 * (size_t)s->frame);
    for (int m = 0; m < s->nmode; m++) {
        const double *row = k->engine->room[star].mass + (size_t)m * (size_t)(s->nmode + 6);
        for (int i = 0; i < 6; i++)
            P[i] += row[i] * k->etad[s->mode + m];
    }
}

static void carry(clv_row_hold *to, const clv_row_hold *from, const double r[3])
{
    double W[6];
    clv_wrench_shift(W, r, from->P), clv_add6(to->P, W);
    clv_wrench_shift(W, r, from->Q), clv_add6(to->Q, W);
}

void clv_rows_star_given(clv_rows *w, int star)
{
    clv_row_hold *hold = w->star[star].hold;
    for (int i = 0; i < bodies_of(w->plan, star); i++)
        if (hold[i].hangs && !w->looped) {
            double W[6];
            times(W, hold[i].H, hold[i].x);
            for (int n = 0; n < 6; n++)
                hold[i].P[n] += W[n] - hold[i].h[n];
        }
}

void clv_rows_star_sums(clv_rows *w, const clv_kinematics *k, int star, bool moving)
{
    const clv_plan *p = w->plan;
    const clv_star *s = &p->star[star];
    clv_row_hold *hold = w->star[star].hold;
    double W[6];
    if (moving)
        frame_momentum(k, star, W), clv_add6(hold[0].P, W);
    for (int i = 1; i < bodies_of(p, star); i++)
        if (body_of(p, star, i) != s->entry)
            carry(&hold[0], &hold[i], k->arm + 3 * (size_t)body_of(p, star, i));
    if (s->entry != s->frame)
        carry(&hold[s->entry - s->frame], &hold[0], k->arm + 3 * (size_t)s->frame);
}
