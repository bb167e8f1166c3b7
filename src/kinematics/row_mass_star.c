/* SPDX-License-Identifier: Apache-2.0
 * Flexible bodies in the mass matrix of the rows (T18, T31, row_mass.h).  Global axes.  With Phi the mode columns of a
 * node, M those of the frame where the tree enters at a node, and I_c the composite inertia of what is on a node:
 *
 *   F = Mrf + sum of S I_c Phi,         A = Mff + sum of Phi^T I_c Phi          wrench at the frame, modes
 *   A += M^T F + F^T M + M^T I_F M,     U = S (F + I_F M)                       I_F: of all but the entry */
#include <string.h>
#include "kinematics/row_kernels.h"
#include "kinematics/row_mass.h"
#include "math/rotation.h"
#include "math/spatial.h"

enum { G8 = CLV_GROUP };

static int last_body(const clv_row_mass *d, int star)
{
    return d->w->plan->star[star].frame + d->w->plan->model->flex[star].nnode;
}

/* the place of a body of a flexible body */
static clv_row_hold *hold_of(const clv_rows *w, int body)
{
    const int star = w->strand_of[body] - w->plan->nstrand;
    return &w->star[star].hold[body - w->plan->star[star].frame];
}

/* mode columns of the link to a body */
static const double *columns_of(const clv_row_mass *d, int body)
{
    return d->w->engine->modes + clv_modes(d->w->plan, (size_t)body);
}

/* U of the modes (6 x nmode), then A (nmode x nmode) */
static double *modal_of(const clv_row_mass *d, int star)
{
    double *at = d->modal;
    for (int s = 0; s < star; s++)
        at += d->w->plan->star[s].nmode * (d->w->plan->star[s].nmode + 6);
    return at;
}

/* rows of a mode: [Mrf, Mff] */
static const double *mass_of(const clv_row_mass *d, int star, int mode)
{
    const int n = d->w->plan->star[star].nmode;
    return d->w->engine->room[star].mass + (size_t)mode * (size_t)(n + 6);
}

/* ------------------------------------------------------------------ motions */

/* x_i = S^T x + columns u + c of the link to a body */
static void move(const clv_row_mass *d, int body, const double x[6], int n, const double *u, const double *c)
{
    double *to = hold_of(d->w, body)->x;
    const double *columns = columns_of(d, body);
    clv_motion_shift(to, d->kin->arm + 3 * (size_t)body, x);
    for (int m = 0; m < n; m++)
        for (int i = 0; i < 6; i++)
            to[i] += columns[6 * m + i] * u[m];
    clv_add6(to, c + 6 * (size_t)body);
}

void clv_row_mass_star_ride(clv_row_mass *d, int star, const double *u, const double *c)
{
    const clv_star *s = &d->w->plan->star[star];
    clv_row_hold *hold = d->w->star[star].hold;
    const double *x = d->piece[d->w->plan->nstrand + star].motion;
    memcpy(hold[s->entry - s->frame].x, x, 6 * sizeof(double));
    if (s->entry != s->frame)
        move(d, s->frame, x, s->nmode, u + s->iu, c);
    for (int b = s->frame + 1; b <= last_body(d, star); b++)
        if (b != s->entry)
            move(d, b, hold[0].x, s->nmode, u + s->iu, c);
}

/* ------------------------------------------------------------------ sums */

/* loads on a body of a flexible body, with the sums of its pieces */
static void loads_of(const clv_row_mass *d, int body, double W[6])
{
    const clv_row_hold *hold = hold_of(d->w, body);
    memcpy(W, d->hold[body].W, 6 * sizeof(double));
    clv_add6(W, hold->Q), clv_add6(W, hold->P);
}

static void project(double *y, int n, const double *columns, const double W[6])
{
    for (int m = 0; m < n; m++)
        y[m] += clv_dot6(columns + 6 * m, W);
}

/* W of the frame less its inertia, forces y of the modes less theirs */
static void take_inertia(const clv_row_mass *d, int star, const double *u, double W[6], double *y)
{
    const clv_star *s = &d->w->plan->star[star];
    const double *x = d->w->star[star].hold[0].x;
    double P[6];
    clv_inertia_times(P, d->kin->engine->mass + 21 * (size_t)s->frame, x);
    for (int m = 0; m < s->nmode; m++) {
        const double *row = mass_of(d, star, m);
        y[m] -= clv_dot6(row, x);
        for (int i = 0; i < s->nmode; i++)
            y[m] -= row[6 + i] * u[i];
        for (int i = 0; i < 6; i++)
            P[i] += row[i] * u[m];
    }
    for (int i = 0; i < 6; i++)
        W[i] -= P[i];
}

/* Phi^T I_c Phi and S I_c Phi of what is on a node, and its inertia; I: of the frame */
static void add_node(const clv_row_mass *d, int star, int body, double I[CLV_COMPOSITE], double *U, double *A)
{
    const int n = d->w->plan->star[star].nmode;
    const double *Phi = columns_of(d, body), *arm = d->kin->arm + 3 * (size_t)body;
    double own[CLV_COMPOSITE];
    if (d->hold[body].I[0] == 0 && d->on[body] < 0)
        return;
    memcpy(own, d->hold[body].I, sizeof own);
    for (int m = 0; m < n; m++) {
        double W[6];
        clv_composite_times(W, own, Phi + 6 * m);
        for (int i = 0; i <= m; i++)
            A[m * n + i] += clv_dot6(Phi + 6 * i, W);
        clv_wrench_shift(W, arm, W);
        clv_add6(U + 6 * m, W);
    }
    clv_composite_shift(own, arm);
    clv_composite_add(I, own);
}

/* from the frame to the entry */
static void go_to_entry(const clv_row_mass *d, int star, double I[CLV_COMPOSITE], double *U, double *A)
{
    const clv_star *s = &d->w->plan->star[star];
    const double *M = columns_of(d, s->frame), *arm = d->kin->arm + 3 * (size_t)s->frame;
    double W[6];
    for (int m = 0; m < s->nmode; m++) /* U of the modes before m have I_F M in them already */
        for (int i = 0; i <= m; i++) {
            if (i == m) {
                clv_composite_times(W, I, M + 6 * m);
                A[m * s->nmode + m] += 2 * clv_dot6(M + 6 * m, U + 6 * m) + clv_dot6(M + 6 * m, W);
                clv_add6(U + 6 * m, W);
            } else
                A[m * s->nmode + i] += clv_dot6(M + 6 * m, U + 6 * i) + clv_dot6(U + 6 * m, M + 6 * i);
        }
    for (int m = 0; m < s->nmode; m++)
        clv_wrench_shift(U + 6 * m, arm, U + 6 * m);
    clv_composite_shift(I, arm);
}

static void compose_star(const clv_row_mass *d, int star, double I[CLV_COMPOSITE])
{
    const clv_star *s = &d->w->plan->star[star];
    const double *own = d->kin->engine->mass + 21 * (size_t)s->frame;
    double *U = modal_of(d, star), *A = U + 6 * s->nmode;
    const double rigid[CLV_COMPOSITE] = {own[0],  own[11], own[8] * -1.0, own[7],  own[15],
                                         own[16], own[17], own[18],       own[19], own[20]};
    memcpy(I, rigid, sizeof rigid);
    for (int m = 0; m < s->nmode; m++) {
        memcpy(U + 6 * m, mass_of(d, star, m), 6 * sizeof(double));
        memcpy(A + m * s->nmode, mass_of(d, star, m) + 6, (size_t)s->nmode * sizeof(double));
    }
    if (s->frame != s->entry)
        clv_composite_add(I, d->hold[s->frame].I);
    for (int b = s->frame + 1; b <= last_body(d, star); b++)
        if (b != s->entry)
            add_node(d, star, b, I, U, A);
    if (s->entry != s->frame)
        go_to_entry(d, star, I, U, A);
    clv_composite_add(I, d->hold[s->entry].I);
}

void clv_row_mass_star_sums(clv_row_mass *d, int star, const double *tau, const double *u, bool compose, double *left)
{
    const clv_star *s = &d->w->plan->star[star];
    clv_row_mass_piece *own = &d->piece[d->w->plan->nstrand + star];
    double W[6], F[6], *y = left + s->iu;
    memcpy(y, tau + s->iu, (size_t)s->nmode * sizeof(double));
    loads_of(d, s->frame, F);
    take_inertia(d, star, u + s->iu, F, y);
    for (int b = s->frame + 1; b <= last_body(d, star); b++) {
        if (b == s->entry)
            continue;
        loads_of(d, b, W);
        project(y, s->nmode, columns_of(d, b), W);
        clv_wrench_shift(W, d->kin->arm + 3 * (size_t)b, W);
        clv_add6(F, W);
    }
    if (s->entry != s->frame) {
        project(y, s->nmode, columns_of(d, s->frame), F);
        clv_wrench_shift(F, d->kin->arm + 3 * (size_t)s->frame, F);
        loads_of(d, s->entry, W);
        clv_add6(F, W);
    }
    memcpy(own->W, F, sizeof F);
    if (compose)
        compose_star(d, star, own->I);
}

/* ------------------------------------------------------------------ columns */

/* H^T of columns from .. to in the rows of the modes, H: mode columns */
static void meet_modes(const clv_row_mass *d, int star, int from, int to, const double *columns)
{
    const clv_star *s = &d->w->plan->star[star];
    for (int m = 0; m < s->nmode && from < to; m++)
        clv_row_mass_meet(d, d->place_of[d->hold[s->entry].start + m], from, to, columns + 6 * m);
}

/* columns from .. to by an arm */
static void carry(const clv_row_mass *d, int from, int to, const double *arm)
{
    static const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    if (from < to)
        d->w->kernels->carry(d, from, to, unit, arm);
}

void clv_row_mass_star_columns(clv_row_mass *d, int star)
{
    const clv_star *s = &d->w->plan->star[star];
    const int start = d->piece[d->w->plan->nstrand + star].start, first = d->hold[s->entry].start;
    const double *U = modal_of(d, star), *A = U + 6 * s->nmode;
    for (int b = s->frame + 1; b <= last_body(d, star); b++) {
        if (b == s->entry)
            continue;
        meet_modes(d, star, d->hold[b].start, d->hold[b].end, columns_of(d, b));
        carry(d, d->hold[b].start, d->hold[b].end, d->kin->arm + 3 * (size_t)b);
    }
    if (s->entry != s->frame) {
        meet_modes(d, star, start, first, columns_of(d, s->frame));
        carry(d, start, first, d->kin->arm + 3 * (size_t)s->frame);
    }
    for (int m = 0; m < s->nmode; m++) {
        clv_row_mass_set_column(d, first + m, U + 6 * m);
        for (int i = 0; i <= m; i++)
            *clv_block_entry(&d->block, d->place_of[first + m], d->place_of[first + i]) = A[m * s->nmode + i];
    }
}
