/* SPDX-License-Identifier: Apache-2.0
 * A lane source: what the mass matrix of the rows consists of (T18, T43.11, row_mass.h).  A lane is a strand in ride
 * and sums, a column in the others.
 *
 *   ride     base to tip   x := S^T x + H u' + c
 *   sums     tip to base   W += loads - velocity terms - I x,  left = tau + H^T W;  I_c += I,  U = I_c H
 *   columns  tip to base   rows H^T U of the matrix, then the columns move inboard */
#include "kinematics/row_lane.h"

INLINE void ride_row(clv_w *x, const clv_rows *w, int i, int lane)
{
    clv_w r[3], H[6], bias[6];
    if (w->flags[i] & CLV_ROW_ARM) {
        load(r, row_of(w->r, 3, i, lane), 3);
        add_cross(x, x + 3, r);
    }
    if (w->flags[i] & (CLV_ROW_FREE | CLV_ROW_DRIVEN)) {
        const clv_w u = clv_w_load(row_of(w->rates, 1, i, lane));
        direction(H, w, i, lane);
        for (int k = w->flags[i] & CLV_ROW_SHIFTS ? 0 : 3; k < 6; k++)
            x[k] += H[k] * u;
    }
    load(bias, row_of(w->bias, 6, i, lane), 6);
    for (int k = 0; k < 6; k++)
        x[k] += bias[k];
    store(row_of(w->x, 6, i, lane), x, 6);
}

void CLV_LANE(clv_rows_ride)(const clv_rows *w, int group)
{
    for (int lane = 0; lane < w->plan->group[group].nstrand; lane += CLV_LANES) {
        clv_w x[6];
        load(x, w->engine->out[group].x + lane, 6);
        for (int i = w->first[group]; i < w->first[group + 1]; i++)
            ride_row(x, w, i, lane);
    }
}

/* ------------------------------------------------------------------ sums */

typedef struct outboard {
    clv_w W[6], m, c[3], J[6]; /* wrenches; composite inertia */
} outboard;

/* W -= M x of the body of a row, with its velocity terms */
INLINE void take_body(outboard *s, const clv_rows *w, int row, int lane, const bool compose)
{
    const clv_w m = clv_w_load(row_of(w->body, 10, row, lane));
    clv_w c[3], J[6], x[6], b[6], y[3];
    load(c, row_of(w->c, 3, row, lane), 3), load(J, row_of(w->J, 6, row, lane), 6);
    load(x, row_of(w->x, 6, row, lane), 6), load(b, row_of(w->b, 6, row, lane), 6);
    cross(y, c, x + 3);
    for (int i = 0; i < 3; i++)
        s->W[i] += b[i] - (m * x[i] - y[i]);
    cross(y, c, x);
    s->W[3] += b[3] - (J[0] * x[3] + J[1] * x[4] + J[2] * x[5] + y[0]);
    s->W[4] += b[4] - (J[1] * x[3] + J[3] * x[4] + J[4] * x[5] + y[1]);
    s->W[5] += b[5] - (J[2] * x[3] + J[4] * x[4] + J[5] * x[5] + y[2]);
    if (!compose)
        return;
    s->m += m;
    for (int i = 0; i < 3; i++)
        s->c[i] += c[i];
    for (int i = 0; i < 6; i++)
        s->J[i] += J[i];
}

/* what arrives at a row: loads and wrenches of loop joints; in the second pass sums of pieces too */
INLINE void add_arrivals(outboard *s, const clv_rows *w, int at, int lane, const bool compose, const bool again)
{
    const double *Q = row_of(w->Q, 6, at, lane), *P = row_of(w->P, 6, at, lane);
    const double *fix = row_of(w->fix, 6, at, lane), *I = row_of(w->I, 21, at, lane);
    for (int i = 0; i < 6; i++)
        s->W[i] += clv_w_load(Q + i * G8) + clv_w_load(P + i * G8);
    for (int i = 0; again && i < 6; i++)
        s->W[i] += clv_w_load(fix + i * G8);
    if (!again || !compose)
        return;
    s->m += clv_w_load(I);
    for (int i = 0; i < 3; i++)
        s->c[i] += clv_w_load(I + (1 + i) * G8);
    for (int i = 0; i < 6; i++)
        s->J[i] += clv_w_load(I + (4 + i) * G8);
}

/* to the row before */
INLINE void step_inboard(outboard *s, const clv_rows *w, int row, int lane, const bool compose)
{
    clv_w r[3], *c = s->c, *J = s->J;
    load(r, row_of(w->r, 3, row, lane), 3);
    add_cross(s->W + 3, r, s->W);
    if (!compose)
        return;
    clv_w d[3];
    for (int i = 0; i < 3; i++) /* J += l x (c + m l) both ways: c + d is what l acts on */
        d[i] = c[i] + s->m * r[i];
    J[0] += (r[1] * c[1] + r[2] * c[2]) + (r[1] * d[1] + r[2] * d[2]);
    J[3] += (r[0] * c[0] + r[2] * c[2]) + (r[0] * d[0] + r[2] * d[2]);
    J[5] += (r[0] * c[0] + r[1] * c[1]) + (r[0] * d[0] + r[1] * d[1]);
    J[1] -= r[0] * c[1] + d[0] * r[1];
    J[2] -= r[0] * c[2] + d[0] * r[2];
    J[4] -= r[1] * c[2] + d[1] * r[2];
    for (int i = 0; i < 3; i++)
        c[i] = d[i];
}

/* what is left of the joint of a row, and I_c H */
INLINE void meet_joint(const outboard *s, const clv_row_mass *d, int row, int lane, const bool compose)
{
    const clv_rows *w = d->w;
    const clv_w *J = s->J;
    clv_w H[6], U[6], y[3];
    direction(H, w, row, lane);
    clv_w left = clv_w_load(row_of(w->tau, 1, row, lane)) + (dot(H, s->W) + dot(H + 3, s->W + 3));
    store(row_of(d->left, 1, row, lane), &left, 1);
    if (!compose)
        return;
    cross(U, H + 3, s->c), cross(y, s->c, H);
    for (int i = 0; i < 3; i++)
        U[i] += s->m * H[i];
    U[3] = J[0] * H[3] + J[1] * H[4] + J[2] * H[5] + y[0];
    U[4] = J[1] * H[3] + J[3] * H[4] + J[4] * H[5] + y[1];
    U[5] = J[2] * H[3] + J[4] * H[4] + J[5] * H[5] + y[2];
    store(row_of(d->U, 6, row, lane), U, 6);
}

INLINE void sums_strip(const clv_row_mass *d, int g, int lane, const bool compose, const bool again)
{
    const clv_rows *w = d->w;
    outboard s;
    s.m = clv_w_fill(0.0);
    for (int i = 0; i < 6; i++)
        s.W[i] = s.J[i] = s.m;
    for (int i = 0; i < 3; i++)
        s.c[i] = s.m;
    for (int i = w->first[g + 1] - 1; i >= w->first[g]; i--) {
        if (w->flags[i] & CLV_ROW_MASS)
            take_body(&s, w, i, lane, compose);
        if (w->attached[i] >= 0)
            add_arrivals(&s, w, w->attached[i], lane, compose, again);
        if (w->flags[i] & (CLV_ROW_FREE | CLV_ROW_DRIVEN))
            meet_joint(&s, d, i, lane, compose);
        if (w->flags[i] & CLV_ROW_ARM)
            step_inboard(&s, w, i, lane, compose);
    }
    double *end = d->ends + (size_t)g * CLV_COMPOSITE * G8 + lane;
    store(w->end[g].P + lane, s.W, 6);
    if (compose)
        store(end, &s.m, 1), store(end + G8, s.c, 3), store(end + 4 * G8, s.J, 6);
}

void CLV_LANE(clv_rows_sums)(const clv_row_mass *d, int group, bool compose, bool again)
{
    for (int lane = 0; lane < d->w->plan->group[group].nstrand; lane += CLV_LANES)
        if (compose)
            sums_strip(d, group, lane, true, again);
        else
            sums_strip(d, group, lane, false, again);
}

/* ------------------------------------------------------------------ columns */

/* place p of the matrix, and its column of J, out of H^T of the columns from .. to; added */
INLINE void scatter(const clv_row_mass *d, int p, int from, int to)
{
    const clv_block *b = &d->block;
    double *row = b->A + b->at[p / CLV_BLOCK] + p % CLV_BLOCK;
    for (int i = from; i < to; i++) {
        const int at = d->place_of[i], r = b->nwide - 2 - at;
        if (at >= 0)
            row[CLV_BLOCK * (size_t)at] += d->line[i];
        else if (at < -1)
            b->A[b->at[r / CLV_BLOCK] + CLV_BLOCK * (size_t)p + (size_t)(r % CLV_BLOCK)] += d->line[i];
    }
}

/* component k of the columns from one on */
INLINE double *component(const clv_row_mass *d, int k, int from)
{
    return d->column + (size_t)k * (size_t)d->ncolumn + from;
}

INLINE void load_columns(clv_w *f, const clv_row_mass *d, int at)
{
    for (int k = 0; k < 6; k++)
        f[k] = clv_w_load(component(d, k, at));
}

/* H^T of columns, H three or six numbers; moments of the columns by arm r then, if it has one */
INLINE void pass(const clv_row_mass *d, int from, int to, const double *H, const bool linear, const bool meet,
                 const double *r)
{
    clv_w f[6];
    for (int at = from; at < to; at += CLV_LANES) {
        load_columns(f, d, at);
        clv_w y = f[3] * H[3] + f[4] * H[4] + f[5] * H[5];
        if (linear)
            y += f[0] * H[0] + f[1] * H[1] + f[2] * H[2];
        if (meet)
            clv_w_store(d->line + at, y);
        if (!r)
            continue;
        clv_w_store(component(d, 3, at), f[3] + (f[2] * r[1] - f[1] * r[2]));
        clv_w_store(component(d, 4, at), f[4] + (f[0] * r[2] - f[2] * r[0]));
        clv_w_store(component(d, 5, at), f[5] + (f[1] * r[0] - f[0] * r[1]));
    }
}

void CLV_LANE(clv_rows_project)(const clv_row_mass *d, int from, int to, const double *H)
{
    pass(d, from, to, H, true, true, (const double *)0);
}

void CLV_LANE(clv_rows_carry)(const clv_row_mass *d, int from, int to, const double *R, const double *r)
{
    for (int at = from; at < to; at += CLV_LANES) {
        clv_w f[6], y[6];
        load_columns(f, d, at);
        for (int k = 0; k < 6; k++) {
            const double *row = R + 3 * (k % 3);
            const clv_w *v = k < 3 ? f : f + 3;
            y[k] = v[0] * row[0] + v[1] * row[1] + v[2] * row[2];
        }
        y[3] += y[2] * r[1] - y[1] * r[2], y[4] += y[0] * r[2] - y[2] * r[0], y[5] += y[1] * r[0] - y[0] * r[1];
        for (int k = 0; k < 6; k++)
            clv_w_store(component(d, k, at), y[k]);
    }
}

void CLV_LANE(clv_rows_columns)(const clv_row_mass *d, int strand)
{
    const clv_rows *w = d->w;
    const clv_strand *s = &w->plan->strand[strand];
    const int start = d->piece[strand].start, tip = w->plan->bodies[s->first + s->length - 1];
    for (int i = w->slot[tip] / G8; i >= w->first[s->group]; i--) {
        const int slot = G8 * i + s->lane, flags = w->flags[i];
        const bool meets = w->pad[slot] == 0.0, shifts = flags & CLV_ROW_SHIFTS;
        int n = d->upto[slot];
        double H[6] = {0}, r[3];
        for (int k = 0; k < 3; k++) {
            const double h = *row_of(w->h, 3, i, s->lane + k * G8);
            H[k] = shifts ? w->beta[slot] * h : 0.0, H[3 + k] = shifts ? w->alpha[slot] * h : h;
            r[k] = *row_of(w->r, 3, i, s->lane + k * G8);
        }
        for (int k = 0; meets && k < 6; k++)
            *component(d, k, n) = *row_of(d->U, 6, i, s->lane + k * G8);
        n += meets;
        const double *arm = flags & CLV_ROW_ARM ? r : (const double *)0;
        if (meets && !shifts && arm)
            pass(d, start, n, H, false, true, r);
        else if (meets || arm)
            pass(d, start, n, H, shifts, meets, arm);
        if (meets)
            scatter(d, d->place_of[n - 1], start, n);
    }
}
