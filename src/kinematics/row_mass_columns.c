/* SPDX-License-Identifier: Apache-2.0
 * The mass matrix and the rows of closings in places of unknowns (T18): columns of pieces move from the tips to the
 * bases, see row_mass.h. */
#include "kinematics/place.h"
#include "kinematics/row_kernels.h"
#include "kinematics/row_mass.h"

enum { G8 = CLV_GROUP };

void clv_row_mass_set_column(const clv_row_mass *d, int at, const double W[6])
{
    for (int k = 0; k < 6; k++)
        d->column[(size_t)k * (size_t)d->ncolumn + (size_t)at] = W[k];
}

/* rows of closings as wrenches on the bodies that they hold, axes of the strands of these */
static void set_handles(const clv_row_mass *d)
{
    const clv_rows *w = d->w;
    for (int i = 0; i < d->nhandle; i++) {
        const int *h = d->handle + 3 * i;
        const clv_edge *e = &w->plan->edge[h[0]];
        double R[9], W[6];
        clv_rows_strand_axes(w, w->strand_of[e->body[h[1]]], R);
        for (int r = 0; r < e->m; r++) {
            const double *D = w->engine->block + e->block[h[1]] + 6 * r;
            clv_mat3_transpose_times(W, R, D), clv_mat3_transpose_times(W + 3, R, D + 3);
            clv_row_mass_set_column(d, h[2] + r, W);
        }
    }
}

void clv_row_mass_meet(const clv_row_mass *d, int p, int from, int to, const double H[6])
{
    const clv_block *b = &d->block;
    d->w->kernels->project(d, from, to, H);
    for (int i = from; i < to; i++) {
        const int at = d->place_of[i];
        if (at >= 0)
            *clv_block_entry(b, p, at) += d->line[i];
        else if (at < -1)
            *clv_block_below(b, -2 - at, p) += d->line[i];
    }
}

/* columns of a piece to the body before: its axes, its reference point */
static void hand_on(const clv_row_mass *d, int k, int to)
{
    static const double none[3] = {0, 0, 0};
    const clv_rows *w = d->w;
    const int base = clv_rows_base(w, k);
    double A[9], R[9], B[9], r[3] = {0};
    if (w->origin[k] < 0)
        return;
    clv_rows_strand_axes(w, w->strand_of[w->origin[k]], A), clv_rows_strand_axes(w, k, R);
    clv_mat3_transpose_product(B, A, R);
    if (clv_rows_floats(w, k)) {
        clv_mat3_transpose_times(r, A, d->kin->arm + 3 * (size_t)base);
        for (int i = 0; i < 9; i++) /* columns are in global axes already */
            B[i] = A[3 * (i % 3) + i / 3];
    }
    w->kernels->carry(d, d->piece[k].start, to, B, clv_rows_floats(w, k) ? r : none);
}

/* columns of a base that has a joint of its own, from global axes on */
static int meet_base(const clv_row_mass *d, int k)
{
    static const double none[3] = {0, 0, 0};
    const clv_plan *p = d->w->plan;
    const clv_row_mass_piece *own = &d->piece[k];
    const int base = clv_rows_base(d->w, k);
    const double *H = d->kin->H + clv_columns(p, (size_t)base);
    double R[9];
    if (!clv_rows_floats(d->w, k))
        return own->end;
    clv_rows_strand_axes(d->w, k, R);
    if (k < p->nstrand)
        d->w->kernels->carry(d, own->start, own->end, R, none);
    for (int f = 0; f < p->tree[base].f; f++) {
        clv_row_mass_set_column(d, own->end + f, own->U + 6 * f);
        clv_row_mass_meet(d, d->place_of[own->end + f], own->start, own->end + f + 1, H + 6 * f);
    }
    return own->end + p->tree[base].f;
}

void clv_row_mass_matrices(clv_row_mass *d, bool full)
{
    const clv_rows *w = d->w;
    clv_block_clear(&d->block, full);
    set_handles(d);
    for (int n = w->npiece - 1; n >= 0; n--) {
        const int k = w->piece[n];
        if (k < w->plan->nstrand)
            w->kernels->columns(d, k);
        else
            clv_row_mass_star_columns(d, k - w->plan->nstrand);
        hand_on(d, k, meet_base(d, k));
    }
}
