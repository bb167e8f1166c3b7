/* SPDX-License-Identifier: Apache-2.0
 * Lane kernels over the rows of a group: eight strands at once, base to tip or tip to base (T43).  All that is said of
 * a strand holds for every lane; padding has neither mass nor degree of freedom and leaves its strand's numbers as
 * they are. */
#include "kinematics/row_kernels.h"
#include "math/lane_row.h"
#include "math/lane_sincos.h"

INLINE clv_w at(const double *p, int i) { return clv_w_load(p + i * G8); }
INLINE void set(double *p, int i, clv_w x) { clv_w_store(p + i * G8, x); }
/* y = J w, J as xx xy xz yy yz zz */
INLINE void turn_inertia(clv_w *y, const clv_w *J, const clv_w *w)
{
    y[0] = J[0] * w[0] + J[1] * w[1] + J[2] * w[2];
    y[1] = J[1] * w[0] + J[3] * w[1] + J[4] * w[2];
    y[2] = J[2] * w[0] + J[4] * w[1] + J[5] * w[2];
}

typedef struct frame { /* axes of the body's own frame */
    clv_w a[3], b[3], h[3];
} frame;

/* y = F v, v constants of a row */
INLINE void along(clv_w *y, const frame *f, const double *v)
{
    const clv_w x = at(v, 0), z = at(v, 2), t = at(v, 1);
    for (int i = 0; i < 3; i++)
        y[i] = f->a[i] * x + f->b[i] * t + f->h[i] * z;
}

/* to the frame of the row's axis */
INLINE void turn_to_axis(frame *f, const double *E)
{
    clv_w a[3], b[3], h[3];
    for (int i = 0; i < 3; i++) {
        a[i] = f->a[i] * at(E, 0) + f->b[i] * at(E, 3) + f->h[i] * at(E, 6);
        b[i] = f->a[i] * at(E, 1) + f->b[i] * at(E, 4) + f->h[i] * at(E, 7);
        h[i] = f->a[i] * at(E, 2) + f->b[i] * at(E, 5) + f->h[i] * at(E, 8);
    }
    for (int i = 0; i < 3; i++)
        f->a[i] = a[i], f->b[i] = b[i], f->h[i] = h[i];
}

/* about z */
INLINE void turn_by(frame *f, clv_w s, clv_w c)
{
    for (int i = 0; i < 3; i++) {
        const clv_w a = f->a[i], b = f->b[i];
        f->a[i] = a * c + b * s;
        f->b[i] = b * c - a * s;
    }
}

/* arm to the row's point, then over the row */
INLINE void step(frame *f, clv_w *r, const clv_rows *w, int row, int lane, const int flags, clv_w angle, clv_w shift)
{
    clv_w sine, cosine;
    if (flags & CLV_ROW_TURNS)
        clv_w_sincos(angle, &sine, &cosine);
    if (flags & CLV_ROW_ARM)
        along(r, f, row_of(w->p, 3, row, lane));
    else
        r[0] = r[1] = r[2] = clv_w_fill(0.0);
    turn_to_axis(f, row_of(w->E, 9, row, lane));
    if (flags & CLV_ROW_TURNS)
        turn_by(f, sine, cosine);
    for (int i = 0; (flags & CLV_ROW_SHIFTS) && i < 3; i++)
        r[i] += f->h[i] * shift;
}

INLINE void store_frame(double *to, const frame *f, const clv_w *x)
{
    for (int i = 0; i < 3; i++)
        set(to, i, f->a[i]), set(to, 3 + i, f->b[i]), set(to, 6 + i, f->h[i]), set(to, 9 + i, x[i]);
}

static int strips(const clv_group *g) { return (g->nstrand + CLV_LANES - 1) / CLV_LANES; }

/* v, w of the next body: v + w x r + beta h u, w + alpha h u */
INLINE void move(clv_w *v, clv_w *w, const clv_w *r, const clv_w *h, clv_w turn, const int flags, clv_w shift)
{
    if (flags & CLV_ROW_ARM)
        add_cross(v, w, r);
    for (int i = 0; i < 3; i++) {
        w[i] += h[i] * turn;
        if (flags & CLV_ROW_SHIFTS)
            v[i] += h[i] * shift;
    }
}

/* R J R^T of the constants J at `from` */
INLINE void turned_inertia(clv_w *J, const frame *f, const double *from)
{
    clv_w x[3], y[3], z[3];
    for (int i = 0; i < 3; i++) { /* columns of R J */
        x[i] = f->a[i] * at(from, 0) + f->b[i] * at(from, 1) + f->h[i] * at(from, 2);
        y[i] = f->a[i] * at(from, 1) + f->b[i] * at(from, 3) + f->h[i] * at(from, 4);
        z[i] = f->a[i] * at(from, 2) + f->b[i] * at(from, 4) + f->h[i] * at(from, 5);
    }
    J[0] = x[0] * f->a[0] + y[0] * f->b[0] + z[0] * f->h[0];
    J[1] = x[0] * f->a[1] + y[0] * f->b[1] + z[0] * f->h[1];
    J[2] = x[0] * f->a[2] + y[0] * f->b[2] + z[0] * f->h[2];
    J[3] = x[1] * f->a[1] + y[1] * f->b[1] + z[1] * f->h[1];
    J[4] = x[1] * f->a[2] + y[1] * f->b[2] + z[1] * f->h[2];
    J[5] = x[2] * f->a[2] + y[2] * f->b[2] + z[2] * f->h[2];
}

/* mass, first moment and inertia of a row's body in strand axes, and its share in M, C; x: its point from the start */
INLINE void place_body(const clv_rows *w, int row, int lane, const frame *f, const clv_w *x, clv_w *M, clv_w *C)
{
    const double *body = row_of(w->body, 10, row, lane);
    const clv_w m = at(body, 0);
    clv_w c[3], J[6];
    along(c, f, body + G8);
    turned_inertia(J, f, body + 4 * G8);
    *M += m;
    for (int k = 0; k < 3; k++) {
        C[k] += c[k] + m * x[k];
        set(row_of(w->c, 3, row, lane), k, c[k]);
    }
    for (int k = 0; k < 6; k++)
        set(row_of(w->J, 6, row, lane), k, J[k]);
}

typedef struct posing {
    frame f;
    clv_w M, C[3], x[3], v[3], omega[3];
} posing;

INLINE void pose_row(clv_rows *w, int i, int lane, const int flags, posing *s, const int moving)
{
    const clv_w q = at(row_of(w->q, 1, i, lane), 0), alpha = at(row_of(w->alpha, 1, i, lane), 0);
    const clv_w beta = flags & CLV_ROW_SHIFTS ? at(row_of(w->beta, 1, i, lane), 0) : clv_w_fill(0.0);
    clv_w r[3];
    step(&s->f, r, w, i, lane, flags, alpha * q, beta * q);
    for (int k = 0; k < 3; k++) {
        s->x[k] += r[k];
        set(row_of(w->r, 3, i, lane), k, r[k]);
        set(row_of(w->h, 3, i, lane), k, flags & CLV_ROW_SHIFTS ? s->f.h[k] : alpha * s->f.h[k]);
    }
    if (flags & CLV_ROW_MASS)
        place_body(w, i, lane, &s->f, s->x, &s->M, s->C);
    if (moving) {
        const clv_w u = at(row_of(w->u, 1, i, lane), 0);
        move(s->v, s->omega, r, s->f.h, alpha * u, flags, beta * u);
    }
}

INLINE void pose_strip(clv_rows *w, int g, const clv_row_ends *o, int lane, const int moving)
{
    const clv_w zero = clv_w_fill(0.0), one = clv_w_fill(1.0);
    posing s = {.f = {{one, zero, zero}, {zero, one, zero}, {zero, zero, one}}, .M = zero};
    for (int k = 0; k < 3; k++)
        s.C[k] = s.x[k] = s.v[k] = s.omega[k] = zero;
    for (int i = w->first[g]; i < w->first[g + 1]; i++) {
        if (w->flags[i] == CLV_ROW_PLAIN)
            pose_row(w, i, lane, CLV_ROW_PLAIN, &s, moving);
        else
            pose_row(w, i, lane, w->flags[i], &s, moving);
        if (w->attached[i] < 0)
            continue;
        store_frame(row_of(w->frame, CLV_FRAME, w->attached[i], lane), &s.f, s.x);
        for (int k = 0; moving && k < 3; k++) {
            double *run = row_of(w->run, 6, w->attached[i], lane);
            set(run, k, s.v[k]), set(run, 3 + k, s.omega[k]);
        }
    }
    set(o->mass + lane, 0, s.M);
    for (int k = 0; k < 3; k++)
        set(o->mass + lane, 1 + k, s.C[k]);
}

void CLV_LANE(clv_rows_pose)(clv_rows *w, int group, bool moving)
{
    const clv_group *g = &w->plan->group[group];
    for (int k = 0; k < strips(g); k++)
        if (moving)
            pose_strip(w, group, &w->end[group], k * CLV_LANES, 1);
        else
            pose_strip(w, group, &w->end[group], k * CLV_LANES, 0);
}

/* what a carrier's angular velocity is: O, where the row continues with a spherical joint (follows: 1), else omega */
INLINE void carry(clv_w *O, clv_w follows, const clv_w *omega)
{
    for (int k = 0; k < 3; k++)
        O[k] = follows * O[k] + (clv_w_fill(1.0) - follows) * omega[k];
}

/* 1 in lanes where the row belongs to a spherical joint */
INLINE clv_w in_ball(const clv_rows *w, int row, int lane)
{
    const clv_w here = at(row_of(w->follows, 1, row, lane), 0), next = at(row_of(w->follows, 1, row + 1, lane), 0);
    return here + next - here * next;
}

/* b = [m g - w x (w x c); c x g - w x J w]   (T12) */
INLINE void body_terms(clv_rows *w, int row, int lane, const clv_w *omega, const clv_w *G)
{
    const clv_w m = at(row_of(w->body, 10, row, lane), 0);
    double *b = row_of(w->b, 6, row, lane);
    clv_w c[3], J[6], x[3], y[3];
    for (int k = 0; k < 3; k++)
        c[k] = at(row_of(w->c, 3, row, lane), k);
    for (int k = 0; k < 6; k++)
        J[k] = at(row_of(w->J, 6, row, lane), k);
    cross(x, omega, c), cross(y, omega, x);
    for (int k = 0; k < 3; k++)
        set(b, k, m * G[k] - y[k]);
    turn_inertia(x, J, omega), cross(y, omega, x), cross(x, c, G);
    for (int k = 0; k < 3; k++)
        set(b, 3 + k, x[k] - y[k]);
}

/* c = [w_A x (v_B - v_A); 0] + H' u   (T12).  Directions of a spherical joint turn with the child; only their sum
 * counts, which is w x H u also with the angular velocity w before the joint. */
static void terms_strip(clv_rows *w, int g, const clv_row_ends *o, int lane)
{
    const clv_w G[3] = {at(o->gravity + lane, 0), at(o->gravity + lane, 1), at(o->gravity + lane, 2)};
    const clv_w zero = clv_w_fill(0.0);
    clv_w v[3], omega[3], O[3] = {zero, zero, zero};
    for (int k = 0; k < 3; k++)
        v[k] = at(o->motion + lane, k), omega[k] = at(o->motion + lane, 3 + k);
    for (int i = w->first[g]; i < w->first[g + 1]; i++) {
        double *bias = row_of(w->bias, 6, i, lane);
        const int flags = w->flags[i];
        const clv_w u = at(row_of(w->u, 1, i, lane), 0);
        const clv_w turn = flags & CLV_ROW_SHIFTS ? at(row_of(w->alpha, 1, i, lane), 0) * u : u;
        const clv_w shift = at(row_of(w->beta, 1, i, lane), 0) * u;
        clv_w r[3], h[3], dv[3] = {zero, zero, zero}, hd[3], l[3];
        for (int k = 0; k < 3; k++)
            h[k] = at(row_of(w->h, 3, i, lane), k), r[k] = at(row_of(w->r, 3, i, lane), k);
        if (flags & CLV_ROW_ARM)
            cross(dv, omega, r);
        for (int k = 0; (flags & CLV_ROW_SHIFTS) && k < 3; k++)
            dv[k] += h[k] * shift;
        cross(l, omega, dv);
        if (flags & CLV_ROW_BALL)
            carry(O, at(row_of(w->follows, 1, i, lane), 0), omega);
        for (int k = 0; k < 3; k++)
            v[k] += dv[k], omega[k] += h[k] * turn;
        if (flags & CLV_ROW_BALL) {
            clv_w carrier[3];
            for (int k = 0; k < 3; k++)
                carrier[k] = O[k];
            carry(carrier, in_ball(w, i, lane), omega); /* other joints as in rows without one */
            cross(hd, carrier, h);
        } else
            cross(hd, omega, h);
        for (int k = 0; k < 3; k++)
            set(bias, k, flags & CLV_ROW_SHIFTS ? l[k] + hd[k] * shift : l[k]), set(bias, 3 + k, hd[k] * turn);
        if (flags & CLV_ROW_MASS)
            body_terms(w, i, lane, omega, G);
    }
}

void CLV_LANE(clv_rows_velocity_terms)(clv_rows *w, int group)
{
    const clv_group *g = &w->plan->group[group];
    for (int k = 0; k < strips(g); k++)
        terms_strip(w, group, &w->end[group], k * CLV_LANES);
}

/* linear and angular momentum of a body about its reference point */
INLINE void momentum_of(clv_w *P, const double *x, clv_w m, const clv_w *c, const clv_w *J)
{
    const clv_w v[3] = {at(x, 0), at(x, 1), at(x, 2)}, w[3] = {at(x, 3), at(x, 4), at(x, 5)};
    turn_inertia(P + 3, J, w);
    cross(P, w, c);
    for (int k = 0; k < 3; k++)
        P[k] += m * v[k];
    add_cross(P + 3, c, v);
}

/* adds to P and Q the momentum and weight of a row's body */
INLINE void add_own(const clv_rows *w, int row, int lane, const clv_w *G, clv_w *P, clv_w *Q)
{
    const clv_w m = at(row_of(w->body, 10, row, lane), 0);
    clv_w c[3], J[6], own[6];
    for (int k = 0; k < 3; k++)
        c[k] = at(row_of(w->c, 3, row, lane), k);
    for (int k = 0; k < 6; k++)
        J[k] = at(row_of(w->J, 6, row, lane), k);
    momentum_of(own, row_of(w->x, 6, row, lane), m, c, J);
    for (int k = 0; k < 6; k++)
        P[k] += own[k];
    for (int k = 0; k < 3; k++)
        Q[k] += m * G[k];
    add_cross(Q + 3, c, G);
}

/* p' = H^T Q + H'^T P + (v x h).P_l of one degree of freedom along h (T10) */
static void momentum_strip(clv_rows *w, int g, const clv_row_ends *o, int lane)
{
    const clv_w zero = clv_w_fill(0.0);
    const clv_w G[3] = {at(o->gravity + lane, 0), at(o->gravity + lane, 1), at(o->gravity + lane, 2)};
    clv_w P[6] = {zero, zero, zero, zero, zero, zero}, Q[6] = {zero, zero, zero, zero, zero, zero};
    clv_w O[3] = {zero, zero, zero};
    for (int i = w->first[g + 1] - 1; i >= w->first[g]; i--) {
        const double *x = row_of(w->x, 6, i, lane);
        const int flags = w->flags[i];
        const clv_w v[3] = {at(x, 0), at(x, 1), at(x, 2)}, omega[3] = {at(x, 3), at(x, 4), at(x, 5)};
        clv_w h[3], r[3], hd[3], vh[3];
        for (int k = 0; k < 3; k++)
            h[k] = at(row_of(w->h, 3, i, lane), k);
        if (w->attached[i] >= 0)
            for (int k = 0; k < 6; k++) {
                P[k] += at(row_of(w->P, 6, w->attached[i], lane), k);
                Q[k] += at(row_of(w->Q, 6, w->attached[i], lane), k);
            }
        if (flags & CLV_ROW_MASS)
            add_own(w, i, lane, G, P, Q);
        cross(vh, v, h);
        if (flags & CLV_ROW_BALL) { /* from the child inwards */
            carry(O, at(row_of(w->follows, 1, i + 1, lane), 0), omega);
            cross(hd, O, h);
        } else
            cross(hd, omega, h);
        clv_w rate = dot(h, Q + 3) + dot(hd, P + 3) + dot(vh, P);
        if (flags & CLV_ROW_SHIFTS)
            rate = at(row_of(w->alpha, 1, i, lane), 0) * rate +
                   at(row_of(w->beta, 1, i, lane), 0) * (dot(h, Q) + dot(hd, P));
        set(row_of(w->pdot, 1, i, lane), 0, rate);
        if (!(flags & CLV_ROW_ARM))
            continue;
        for (int k = 0; k < 3; k++)
            r[k] = at(row_of(w->r, 3, i, lane), k);
        add_cross(P + 3, r, P), add_cross(Q + 3, r, Q);
    }
    for (int k = 0; k < 6; k++)
        set(o->P + lane, k, P[k]), set(o->Q + lane, k, Q[k]);
}

void CLV_LANE(clv_rows_momentum)(clv_rows *w, int group)
{
    const clv_group *g = &w->plan->group[group];
    for (int k = 0; k < strips(g); k++)
        momentum_strip(w, group, &w->end[group], k * CLV_LANES);
}
