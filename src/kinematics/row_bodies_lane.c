/* SPDX-License-Identifier: Apache-2.0
 * A lane source: bodies with coordinates of their own and revolute joints with compliances (row_bodies.h, T23.8). */
#include "kinematics/row_bodies.h"
#include "kinematics/row_trial_lane.h"

typedef struct place { /* of a body: centre of mass, axes */
    clv_w r[3], R[9];
} place;

/* axes of a body, row major, from a quaternion of any length: states between steps are not quite of unit length */
INLINE void any_axes(clv_w *R, const clv_w *e)
{
    const clv_w one = clv_w_fill(1.0);
    const clv_w two = clv_w_fill(2.0) / (e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
    const clv_w x = two * e[1], y = two * e[2], z = two * e[3];
    const clv_w wx = e[0] * x, wy = e[0] * y, wz = e[0] * z, xx = e[1] * x, xy = e[1] * y, xz = e[1] * z;
    const clv_w yy = e[2] * y, yz = e[2] * z, zz = e[3] * z;
    R[0] = one - (yy + zz), R[1] = xy - wz, R[2] = xz + wy;
    R[3] = xy + wz, R[4] = one - (xx + zz), R[5] = yz - wx;
    R[6] = xz - wy, R[7] = yz + wx, R[8] = one - (xx + yy);
}
INLINE void load_place(place *b, const double *X)
{
    clv_w x[7];
    load(x, X, 7);
    for (int k = 0; k < 3; k++)
        b->r[k] = x[k];
    any_axes(b->R, x + 3);
}
INLINE double *start_of(double *array, int n, const clv_row_bodies *r, const clv_group *g, int lane)
{
    return array + (size_t)(g - r->c.engine.plan->group) * (size_t)n * G8 + lane;
}
INLINE void show(const clv_row_bodies *r, const clv_group *g, int lane, int what, clv_w x)
{
    clv_w_store(start_of(r->shown, CLV_SHOWN, r, g, lane) + what * G8, x);
}
INLINE void choose_all(clv_w *to, clv_w_mask m, const clv_w *a, const clv_w *b, int n)
{
    for (int k = 0; k < n; k++)
        to[k] = choose(m, a[k], b[k]);
}

/* J in body axes and the axes R to global ones */
INLINE void turn_inertia(clv_w *I, const clv_w *J, const clv_w *R)
{
    clv_w X[9];
    for (int k = 0; k < 3; k++)
        symmetric_times(X + 3 * k, J, R + 3 * k);
    I[0] = dot(X, R), I[1] = dot(X, R + 3), I[2] = dot(X, R + 6);
    I[3] = dot(X + 3, R + 3), I[4] = dot(X + 3, R + 6), I[5] = dot(X + 6, R + 6);
}

/* ------------------------------------------------------------------ poses */

typedef struct hinge { /* arms as in row_bodies.h; axes of b's frame, x and z of a's; violations by directions */
    clv_w arm[6], b[9], a[6], phi[6];
} hinge;

INLINE void find_hinge(hinge *h, const clv_row_bodies *r, int i, int lane, const place *b, const place *on)
{
    const clv_w sign = clv_w_load(row_of(r->sign, 1, i, lane)), plain = clv_w_load(row_of(r->plain, 1, i, lane));
    const clv_w_mask forward = clv_w_at_most(clv_w_fill(0.0), sign);
    clv_w l[3], frame[15], Rb[9], Ra[9], d[3];
    load(l, row_of(r->l, 3, i, lane), 3), turn(h->arm, b->R, l);
    load(l, row_of(r->p, 3, i, lane), 3), turn(h->arm + 3, on->R, l);
    choose_all(Rb, forward, b->R, on->R, 9), choose_all(Ra, forward, on->R, b->R, 9);
    load(frame, row_of(r->frame, 15, i, lane), 15);
    for (int k = 0; k < 3; k++)
        turn(h->b + 3 * k, Rb, frame + 3 * k);
    turn(h->a, Ra, frame + 9), turn(h->a + 3, Ra, frame + 12);
    for (int k = 0; k < 3; k++)
        d[k] = sign * (b->r[k] - h->arm[k] - on->r[k] - h->arm[3 + k]);
    h->phi[0] = clv_w_fill(0.0);
    for (int k = 0; k < 3; k++)
        h->phi[1 + k] = plain * d[k];
    h->phi[4] = plain * dot(h->b + 3, h->a + 3), h->phi[5] = -plain * dot(h->b, h->a + 3);
}

INLINE void keep_violations(const clv_row_bodies *r, const hinge *h, int i, int lane)
{
    store(row_of(r->phi, 6, i, lane), h->phi, 6);
    clv_w_store(row_of(r->cosine, 1, i, lane), dot(h->a, h->b));
    clv_w_store(row_of(r->sine, 1, i, lane), -dot(h->a, h->b + 3));
}

/* compliance that a row meets; bodies without mass have none */
INLINE clv_w unit_if_none(clv_w x) { return choose(clv_w_at_most(x, clv_w_fill(0.0)), clv_w_fill(1.0), x); }

/* directions, resistances, arms for the factor */
INLINE void keep_joint(const clv_row_bodies *r, const hinge *h, int i, int lane)
{
    const clv_w zero = clv_w_fill(0.0), one = clv_w_fill(1.0), plain = clv_w_load(row_of(r->plain, 1, i, lane));
    const clv_w sign = plain * clv_w_load(row_of(r->sign, 1, i, lane));
    const clv_w *lc = h->arm, *lp = h->arm + 3, *turns[3] = {h->b + 6, h->b, h->b + 3};
    static const int place_of[3] = {0, 4, 5};
    clv_w T[36], w[6], free[3], alpha[6], arm[3];
    for (int k = 6; k < 24; k++)
        T[k] = zero;
    T[6] = T[13] = T[20] = sign;
    for (int k = 0; k < 3; k++) {
        clv_w *to = T + 6 * place_of[k];
        cross(to, turns[k], lc);
        for (int n = 0; n < 3; n++)
            to[n] *= sign, to[3 + n] = sign * turns[k][n];
    }
    load(free, row_of(r->free, 3, i, lane), 3), load(alpha, row_of(r->alpha, 6, i, lane), 6);
    w[0] = one - plain;
    for (int k = 0; k < 3; k++) {
        const clv_w c = dot(lc, lc) - lc[k] * lc[k], p = dot(lp, lp) - lp[k] * lp[k];
        const clv_w meets = unit_if_none(r->absolute ? one : free[0] + c * free[1] + p * free[2]);
        w[1 + k] = choose(clv_w_at_most(one, plain), alpha[1 + k] / meets, one);
        arm[k] = plain * (lc[k] + lp[k]);
    }
    const clv_w meets = unit_if_none(r->absolute ? one : free[1] + free[2]);
    for (int k = 4; k < 6; k++)
        w[k] = choose(clv_w_at_most(one, plain), alpha[k] / meets, one);
    store(row_of(r->c.T, 36, i, lane), T, 36), store(row_of(r->c.w, 6, i, lane), w, 6);
    store(row_of(r->c.r, 3, i, lane), arm, 3), store(row_of(r->arm, 6, i, lane), h->arm, 6);
}

INLINE void keep_body(const clv_row_bodies *r, const place *b, int i, int lane)
{
    clv_w J[6], I[6];
    load(J, row_of(r->J, 6, i, lane), 6);
    turn_inertia(I, J, b->R);
    store(row_of(r->c.J, 6, i, lane), I, 6), store(row_of(r->R, 9, i, lane), b->R, 9);
}

INLINE void pose_strip(const clv_row_bodies *r, const clv_group *g, int lane, const int all)
{
    place on, b;
    hinge h;
    load_place(&on, start_of(r->start_X, 7, r, g, lane));
    for (int i = g->row; i < g->row + g->nrow; i++) {
        load_place(&b, row_of(r->X, 7, i, lane));
        find_hinge(&h, r, i, lane, &b, &on);
        keep_violations(r, &h, i, lane);
        if (all)
            keep_joint(r, &h, i, lane), keep_body(r, &b, i, lane);
        on = b;
    }
}

void CLV_LANE(clv_rows_bodies_pose)(clv_row_bodies *r, const clv_group *g)
{
    for (int lane = 0; lane < g->nstrand; lane += CLV_LANES)
        pose_strip(r, g, lane, 1);
}

void CLV_LANE(clv_rows_bodies_check)(clv_row_bodies *r, const clv_group *g)
{
    for (int lane = 0; lane < g->nstrand; lane += CLV_LANES)
        pose_strip(r, g, lane, 0);
}

/* ------------------------------------------------------------------ motions */

/* rows of a joint, by directions: what motions of its bodies give along them */
INLINE void along(clv_w *y, const clv_row_bodies *r, int i, int lane, const clv_w *b, const clv_w *on)
{
    const clv_w sign = clv_w_load(row_of(r->plain, 1, i, lane)) * clv_w_load(row_of(r->sign, 1, i, lane));
    clv_w arm[6], t[3], d[3], turns[3];
    load(arm, row_of(r->arm, 6, i, lane), 6);
    for (int k = 0; k < 3; k++)
        d[k] = b[k] - on[k], turns[k] = b[3 + k] - on[3 + k];
    take_cross(d, b + 3, arm), take_cross(d, on + 3, arm + 3);
    y[0] = clv_w_fill(0.0);
    for (int k = 0; k < 3; k++)
        y[1 + k] = sign * d[k];
    for (int k = 4; k < 6; k++) {
        load(t, row_of(r->c.T, 36, i, lane) + (6 * k + 3) * G8, 3);
        y[k] = clv_w_load(row_of(r->plain, 1, i, lane)) * dot(t, turns);
    }
}

/* right-hand sides of accelerations: centripetal terms of both points, turning of the directions */
INLINE void biases(clv_w *a, const clv_row_bodies *r, int i, int lane, const clv_w *b, const clv_w *on)
{
    const clv_w plain = clv_w_load(row_of(r->plain, 1, i, lane));
    const clv_w sign = plain * clv_w_load(row_of(r->sign, 1, i, lane));
    clv_w arm[6], t[3], x[3], d[3] = {clv_w_fill(0.0), clv_w_fill(0.0), clv_w_fill(0.0)}, turns[3];
    load(arm, row_of(r->arm, 6, i, lane), 6);
    cross(x, b + 3, arm), add_cross(d, b + 3, x);
    cross(x, on + 3, arm + 3), add_cross(d, on + 3, x);
    a[0] = clv_w_fill(0.0);
    for (int k = 0; k < 3; k++)
        a[1 + k] = sign * d[k], turns[k] = b[3 + k] - on[3 + k];
    for (int k = 4; k < 6; k++) {
        load(t, row_of(r->c.T, 36, i, lane) + (6 * k + 3) * G8, 3);
        cross(x, on + 3, t);
        a[k] = -plain * dot(x, turns);
    }
}

/* m g - velocity terms, or with loads at hand those less velocity terms */
INLINE void put_load(const clv_row_bodies *r, int i, int lane, const clv_w *V, const int loaded)
{
    const clv_w m = clv_w_load(row_of(r->c.mass, 1, i, lane));
    clv_w J[6], Jw[3], b[6];
    for (int k = 0; k < 6; k++)
        b[k] = loaded ? clv_w_load(row_of(r->c.b, 6, i, lane) + k * G8)
               : k < 3 ? m * clv_w_fill(r->gravity[k]) : clv_w_fill(0.0);
    load(J, row_of(r->c.J, 6, i, lane), 6);
    symmetric_times(Jw, J, V + 3);
    take_cross(b + 3, V + 3, Jw);
    store(row_of(r->c.b, 6, i, lane), b, 6);
}

/* sums of energies and squares of speeds */
INLINE void add_energy(const clv_row_bodies *r, int i, int lane, const clv_w *V, clv_w *e)
{
    const clv_w m = clv_w_load(row_of(r->c.mass, 1, i, lane)), half = clv_w_fill(0.5);
    clv_w J[6], Jw[3], x[3];
    load(J, row_of(r->c.J, 6, i, lane), 6), load(x, row_of(r->X, 7, i, lane), 3);
    symmetric_times(Jw, J, V + 3);
    e[0] += half * (m * dot(V, V) + dot(V + 3, Jw));
    for (int k = 0; k < 3; k++)
        e[1] -= m * clv_w_fill(r->gravity[k]) * x[k];
    e[2] += clv_w_above(m, clv_w_fill(0.0)) * (dot(V, V) + dot(V + 3, V + 3));
}

INLINE void motion_of(clv_w *V, const clv_row_bodies *r, int i, int lane)
{
    clv_w u[6], R[9];
    load(u, row_of(r->U, 6, i, lane), 6), load(R, row_of(r->R, 9, i, lane), 9);
    for (int k = 0; k < 3; k++)
        V[k] = u[k];
    turn(V + 3, R, u + 3);
}

void CLV_LANE(clv_rows_bodies_travel)(clv_row_bodies *r, const clv_group *g)
{
    for (int lane = 0; lane < g->nstrand; lane += CLV_LANES)
        for (int i = g->row; i < g->row + g->nrow; i++) {
            clv_w V[6];
            motion_of(V, r, i, lane);
            store(row_of(r->V, 6, i, lane), V, 6);
        }
}

INLINE void move_strip(const clv_row_bodies *r, const clv_group *g, int lane, const int loaded, const int damped)
{
    const clv_w zero = clv_w_fill(0.0);
    clv_w on[6], V[6], a[6], y[6], e[3] = {zero, zero, zero}, phi[6], gain[12];
    load(on, start_of(r->start_V, 6, r, g, lane), 6);
    for (int i = g->row; i < g->row + g->nrow; i++) {
        load(V, row_of(r->V, 6, i, lane), 6);
        put_load(r, i, lane, V, loaded);
        add_energy(r, i, lane, V, e);
        biases(a, r, i, lane, V, on);
        if (damped) {
            along(y, r, i, lane, V, on);
            load(phi, row_of(r->phi, 6, i, lane), 6), load(gain, row_of(r->gain, 12, i, lane), 12);
            for (int k = 0; k < 6; k++)
                a[k] -= gain[k] * phi[k] + gain[6 + k] * y[k];
        }
        store(row_of(r->target, 6, i, lane), a, 6);
        for (int k = 0; k < 6; k++)
            on[k] = V[k];
    }
    show(r, g, lane, CLV_SHOWN_KINETIC, e[0]), show(r, g, lane, CLV_SHOWN_POTENTIAL, e[1]);
    show(r, g, lane, CLV_SHOWN_SQUARES, e[2]);
}

void CLV_LANE(clv_rows_bodies_move)(clv_row_bodies *r, const clv_group *g, bool loaded, bool damped)
{
    for (int lane = 0; lane < g->nstrand; lane += CLV_LANES)
        if (loaded || damped)
            move_strip(r, g, lane, loaded, damped);
        else
            move_strip(r, g, lane, 0, 0);
}

/* ------------------------------------------------------------------ right-hand sides of corrections */

/* c.a := a - rows of the motions x (nrow x 6); a: (6) of every row, or NULL: zero */
INLINE void residual_strip(const clv_row_bodies *r, const clv_group *g, int lane, double *a, double *x,
                           const double *start)
{
    clv_w on[6], b[6], y[6];
    load(on, start, 6);
    for (int i = g->row; i < g->row + g->nrow; i++) {
        load(b, row_of(x, 6, i, lane), 6);
        along(y, r, i, lane, b, on);
        for (int k = 0; k < 6; k++) {
            y[k] = (a ? clv_w_load(row_of(a, 6, i, lane) + k * G8) : clv_w_fill(0.0)) - y[k];
            on[k] = b[k];
        }
        store(row_of(r->c.a, 6, i, lane), y, 6);
    }
}

void CLV_LANE(clv_rows_bodies_slip)(clv_row_bodies *r, const clv_group *g)
{
    for (int lane = 0; lane < g->nstrand; lane += CLV_LANES)
        residual_strip(r, g, lane, NULL, r->V, start_of(r->start_V, 6, r, g, lane));
}

void CLV_LANE(clv_rows_bodies_miss)(clv_row_bodies *r, const clv_group *g, double *x, bool all)
{
    for (int lane = 0; lane < g->nstrand; lane += CLV_LANES)
        residual_strip(r, g, lane, all ? r->target : NULL, x, start_of(r->start_x, 6, r, g, lane));
}

/* ------------------------------------------------------------------ corrections */

/* sizes of the correction; NaN if there is one */
INLINE void measure(const clv_row_bodies *r, int i, int lane, const clv_w *x, clv_w *most, clv_w *poison)
{
    clv_w R[9], u[3];
    load(R, row_of(r->R, 9, i, lane), 9);
    turn_back(u, R, x + 3);
    for (int k = 0; k < 3; k++) {
        most[0] = larger(magnitude(x[k]), most[0]), most[1] = larger(magnitude(x[3 + k]), most[1]);
        most[2] = larger(magnitude(u[k]), most[2]);
        *poison += 0.0 * x[k] + 0.0 * x[3 + k];
    }
}

INLINE void show_sizes(const clv_row_bodies *r, const clv_group *g, int lane, const clv_w *most, clv_w poison,
                       clv_w size)
{
    show(r, g, lane, CLV_SHOWN_SHIFT, most[0] + poison), show(r, g, lane, CLV_SHOWN_TURN, most[1] + poison);
    show(r, g, lane, CLV_SHOWN_RATE, larger(most[2], most[0]) + poison);
    show(r, g, lane, CLV_SHOWN_SIZE, size + poison);
}

/* the correction added to a sum (nrow x 6); lambda too */
INLINE void add_strip(const clv_row_bodies *r, const clv_group *g, int lane, double *sum, const int multipliers)
{
    const clv_w zero = clv_w_fill(0.0);
    clv_w most[3] = {zero, zero, zero}, poison = zero, size = zero;
    for (int i = g->row; i < g->row + g->nrow; i++) {
        clv_w x[6], to[6], sigma[6];
        load(x, row_of(r->c.x, 6, i, lane), 6), load(to, row_of(sum, 6, i, lane), 6);
        measure(r, i, lane, x, most, &poison);
        for (int k = 0; k < 6; k++)
            to[k] += x[k], size = larger(magnitude(to[k]), size);
        store(row_of(sum, 6, i, lane), to, 6);
        if (!multipliers)
            continue;
        load(sigma, row_of(r->c.sigma, 6, i, lane), 6), load(to, row_of(r->lambda, 6, i, lane), 6);
        for (int k = 0; k < 6; k++)
            to[k] += sigma[k];
        store(row_of(r->lambda, 6, i, lane), to, 6);
    }
    show_sizes(r, g, lane, most, poison, size);
}

void CLV_LANE(clv_rows_bodies_add)(clv_row_bodies *r, const clv_group *g, bool velocities)
{
    for (int lane = 0; lane < g->nstrand; lane += CLV_LANES)
        if (velocities)
            add_strip(r, g, lane, r->V, 0);
        else
            add_strip(r, g, lane, r->x, 1);
}

/* X by the correction: rotations about the axes of the body, e := e o (1, u / 2) / |..| */
void CLV_LANE(clv_rows_bodies_displace)(clv_row_bodies *r, const clv_group *g)
{
    const clv_w zero = clv_w_fill(0.0), one = clv_w_fill(1.0), half = clv_w_fill(0.5);
    for (int lane = 0; lane < g->nstrand; lane += CLV_LANES) {
        clv_w most[3] = {zero, zero, zero}, poison = zero;
        for (int i = g->row; i < g->row + g->nrow; i++) {
            clv_w x[6], R[9], X[7], e[4], step[4], u[3];
            load(x, row_of(r->c.x, 6, i, lane), 6), load(R, row_of(r->R, 9, i, lane), 9);
            load(X, row_of(r->X, 7, i, lane), 7);
            measure(r, i, lane, x, most, &poison);
            turn_back(u, R, x + 3);
            step[0] = one;
            for (int k = 0; k < 3; k++)
                X[k] += x[k], step[1 + k] = half * u[k];
            quaternion_product(e, X + 3, step);
            const clv_w size = clv_w_root(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
            for (int k = 0; k < 4; k++)
                X[3 + k] = e[k] / size;
            store(row_of(r->X, 7, i, lane), X, 7);
        }
        show_sizes(r, g, lane, most, poison, zero);
    }
}

/* derivatives of X and U, by motions and the sum of corrections; U by motions */
void CLV_LANE(clv_rows_bodies_give)(clv_row_bodies *r, const clv_group *g)
{
    for (int lane = 0; lane < g->nstrand; lane += CLV_LANES)
        for (int i = g->row; i < g->row + g->nrow; i++) {
            const clv_w zero = clv_w_fill(0.0), half = clv_w_fill(0.5);
            clv_w X[7], V[6], x[6], R[9], u[6], out[13], turns[4];
            load(X, row_of(r->X, 7, i, lane), 7), load(V, row_of(r->V, 6, i, lane), 6);
            load(x, row_of(r->x, 6, i, lane), 6), load(R, row_of(r->R, 9, i, lane), 9);
            turn_back(u + 3, R, V + 3);
            turns[0] = zero;
            for (int k = 0; k < 3; k++)
                u[k] = out[k] = V[k], out[7 + k] = x[k], turns[1 + k] = half * u[3 + k];
            quaternion_product(out + 3, X + 3, turns);
            turn_back(out + 10, R, x + 3);
            store(row_of(r->U, 6, i, lane), u, 6), store(row_of(r->rate, 13, i, lane), out, 13);
        }
}
