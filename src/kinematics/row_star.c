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
#include "kinematics/deform.h"
#include "kinematics/place.h"
#include "kinematics/row_kernels.h"
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
        clv_star_fold_layout(&o->fold, p->star[s].nmode, a);
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

/* y = A x, 6 x 6, symmetric: a sum of rows, `wide` numbers each */
static void times(double y[6], const double *A, int wide, const double x[6])
{
    clv_six sum = clv_six_times(clv_six_load(A), x[0]);
    for (int i = 1; i < 6; i++)
        sum = clv_six_add(sum, x[i], clv_six_load(A + wide * i));
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

/* the frame with its modes, and the forces of these */
static void take_mass(const clv_star_fold *b, const clv_kinematics *k, int star, const double *tau)
{
    const clv_star *s = &k->plan->star[star];
    const double *I = k->engine->mass + 21 * (size_t)s->frame, *row = k->engine->room[star].mass;
    const double *Mff = k->deformed[star].Mff;
    for (int m = 0; m < b->n; m++, row += b->n + 6, Mff += b->wide) {
        double *A = clv_star_row(b, m), *U = A + b->wide;
        memcpy(A, Mff, (size_t)b->wide * sizeof(double)), memcpy(U, row, 6 * sizeof(double));
        U[6] = tau[s->iu + m];
    }
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++)
            b->I[8 * i + j] = I[CLV_SYM[i][j]];
        b->I[8 * i + 6] = 0.0;
    }
    for (int i = 3; i < 6; i++)
        b->I[9 * i] += k->engine->extra[2 * s->frame + 1];
}

/* loads and what is attached to a body that moves as x, and on the modes by the columns Phi (n x 6): x_i = S^T x + Phi
 * u + c; Phi NULL: zero, r NULL: x itself */
static void add_hold(const clv_rows *w, const clv_star_fold *b, const clv_row_hold *h, const double *Phi,
                     const double *r, const double *c)
{
    static const double none[3] = {0, 0, 0};
    double F[6], W[6];
    for (int i = 0; i < 6; i++)
        F[i] = h->Q[i] + (h->hangs ? h->h[i] : 0.0);
    if (h->hangs && c) {
        times(W, h->H, 6, c);
        for (int i = 0; i < 6; i++)
            F[i] -= W[i];
    }
    w->kernels->star_hold(b, h->hangs ? h->H : NULL, F, Phi, r ? r : none);
}

/* c of the frame, which moves as S^T x + M u + c */
static void add_bias(const clv_star_fold *b, const double *c)
{
    double W[6];
    times(W, b->I, 8, c);
    for (int i = 0; i < 6; i++)
        b->I[8 * i + 6] -= W[i];
    for (int m = 0; m < b->n; m++)
        clv_star_beside(b, m)[6] -= clv_dot6(clv_star_beside(b, m), c);
}

/* from the motion of the frame to that of the entry: x_F = S^T x + M u + c, r: entry to frame */
static void go_to_entry(const clv_star_fold *b, const double *M, const double r[3], const double *c)
{
    double W[6], p[6], I[36], to[36] = {0};
    if (c)
        add_bias(b, c);
    for (int i = 0; i < 6; i++)
        p[i] = b->I[8 * i + 6];
    for (int m = 0; m < b->n; m++)
        clv_star_beside(b, m)[6] += clv_dot6(M + 6 * m, p);
    for (int m = 0; m < b->n; m++) {
        double *U = clv_star_beside(b, m);
        for (int i = 0; i <= m; i++) /* U of the modes before m have changed already: M^T I M is in them */
            clv_star_row(b, i)[m] += clv_dot6(U, M + 6 * i) + clv_dot6(M + 6 * m, clv_star_beside(b, i));
        times(W, b->I, 8, M + 6 * m);
        clv_star_row(b, m)[m] += clv_dot6(M + 6 * m, W);
        clv_add6(U, W);
    }
    for (int m = 0; m < b->n; m++)
        clv_wrench_shift(clv_star_beside(b, m), r, clv_star_beside(b, m));
    for (int i = 0; i < 6; i++)
        memcpy(I + 6 * i, b->I + 8 * i, 6 * sizeof(double));
    clv_rows_add_shifted(to, r, I);
    clv_wrench_shift(p, r, p);
    for (int i = 0; i < 6; i++)
        memcpy(b->I + 8 * i, to + 6 * i, 6 * sizeof(double)), b->I[8 * i + 6] = p[i];
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
    const clv_star_fold *b = &o->fold;
    bool good;
    take_mass(b, k, star, tau);
    for (int i = 0; i < bodies_of(p, star); i++) {
        const size_t at = (size_t)body_of(p, star, i);
        if (i == 0)
            add_hold(w, b, &o->hold[0], NULL, NULL, NULL);
        else if ((int)at != s->entry)
            add_hold(w, b, &o->hold[i], k->engine->modes + clv_modes(p, at), k->arm + 3 * at, c ? c + 6 * at : NULL);
    }
    if (s->entry != s->frame) {
        const size_t frame = (size_t)s->frame;
        go_to_entry(b, k->engine->modes + clv_modes(p, frame), k->arm + 3 * frame, c ? c + 6 * frame : NULL);
        add_hold(w, b, &o->hold[s->entry - s->frame], NULL, NULL, NULL);
    }
    w->kernels->star_eliminate(b, o->A, o->G, o->y, &good);
    for (int i = 0; i < 6; i++)
        memcpy(join->I + 6 * i, b->I + 8 * i, 6 * sizeof(double)), join->p[i] = b->I[8 * i + 6];
    return good;
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
        const double *Li = o->A + (size_t)i * (size_t)n, own = z[i] *= Li[i];
        int j = 0;
        for (; j + 2 <= i; j += 2) /* in pairs */
            *(clv_two_stored *)(z + j) -= own * *(const clv_two_stored *)(Li + j);
        if (j < i)
            z[j] -= own * Li[j];
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
    const double *row = k->engine->room[star].mass;
    clv_six sum = clv_six_load(P);
    for (int m = 0; m < s->nmode; m++, row += s->nmode + 6)
        sum = clv_six_add(sum, k->etad[s->mode + m], clv_six_load(row));
    clv_six_store(P, sum);
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
            times(W, hold[i].H, 6, hold[i].x);
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
