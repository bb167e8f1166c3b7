/* SPDX-License-Identifier: Apache-2.0
 * A lane source: joints of pieces on flexible bodies, of mechanisms abreast, by the operations of row_fold.c (T43.3,
 * T132).
 *
 *   flex_leave    a piece without the joint of its base, to what holds that
 *   flex_arrive   the way back: motion of the base, rate of the joint */
#include "base/tolerance.h"
#include "kinematics/row_flex_lane.h"

/* the joint in the axes of its piece: of a strand, or global (-1); `on`: of the strand before, or global */
INLINE void joint_axes(const clv_rows *w, const clv_flex_joint *j, int own_strand, int on_strand, const int biased,
                       int lane)
{
    clv_w own[9], other[9], R[9], x[6], y[6];
    for (int i = 0; i < 9; i++)
        own[i] = other[i] = clv_w_fill(i % 4 == 0 ? 1.0 : 0.0);
    if (own_strand >= 0)
        strand_axes(own, w, own_strand, lane);
    if (on_strand >= 0)
        strand_axes(other, w, on_strand, lane);
    transpose_product3(R, other, own);
    store(j->turn + lane, R, 9);
    load(x, j->arm + lane, 3);
    transpose_times3(y, own, x), store(j->r + lane, y, 3);
    load(x, j->H + lane, 6);
    turn_back6(y, own, x), store(j->G + lane, y, 6);
    if (!biased)
        return;
    load(x, j->c + lane, 6);
    turn_back6(y, own, x), store(j->bias + lane, y, 6);
}

/* H += T I T^T, T: translation by r, then rotation by R; I at p */
INLINE void add_turned(double *H, const clv_w *R, const clv_w *r, const double *p)
{
    clv_w M[36], x[6], y[6];
    for (int j = 0; j < 6; j++) { /* columns */
        for (int i = 0; i < 6; i++)
            x[i] = at(p, 6 * i + j);
        shift_wrench(x, r, x);
        turn6(M + 6 * j, R, x);
    }
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++)
            x[j] = M[6 * j + i];
        shift_wrench(x, r, x);
        turn6(y, R, x);
        add_to(from(H, 6 * i), y, 6);
    }
}

/* what is left of a base acts on what holds it */
INLINE void hand_on(const clv_flex_joint *j, const int star, int lane)
{
    const clv_flex_body *body = j->port.body;
    double *H = body ? body->H : j->tip->H, *h = body ? body->h : j->tip->h;
    clv_w R[9], r[3], p[6], y[6];
    load(r, j->r + lane, 3), load(R, j->turn + lane, 9), load(p, j->p + lane, 6);
    shift_wrench(p, r, p);
    if (star && body) {
        add_shifted(H + lane, r, j->I + lane);
        add_to(h + lane, p, 6);
        return;
    }
    add_turned(H + lane, R, r, j->I + lane);
    turn6(y, R, p);
    add_to(h + lane, y, 6);
}

/* the degree of freedom of the joint */
INLINE void free_joint(const clv_flex_joint *j, const double *tau, const int biased, clv_w *ok, int lane)
{
    clv_w G[6], U[6], p[6], x[6], c[6];
    load(G, j->G + lane, 6), load(p, j->p + lane, 6);
    for (int i = 0; i < 6; i++)
        U[i] = clv_w_fill(0.0); /* gcc 13 does not see that it is set where it is read */
    if (j->f > 0) {
        times_dots(U, j->I + lane, G);
        const clv_w d = dot6(G, U) + at(j->armature + lane, 0), root = clv_w_root(d);
        const clv_w shifts = at(j->I + lane, 0) + at(j->I + lane, 7) + at(j->I + lane, 14);
        const clv_w turns = at(j->I + lane, 21) + at(j->I + lane, 28) + at(j->I + lane, 35);
        *ok *= clv_w_above(d, CLV_TOL_PIVOT * d);
        *ok *= clv_w_above(root * root, CLV_TOL_PIVOT * (dot(G, G) * shifts + dot(G + 3, G + 3) * turns));
        clv_w_store(j->root + lane, root);
    }
    if (biased) {
        load(c, j->bias + lane, 6);
        times_dots(x, j->I + lane, c);
        for (int i = 0; i < 6; i++)
            p[i] -= x[i];
    }
    if (j->f > 0) {
        const clv_w root = clv_w_load(j->root + lane), q = clv_w_load(tau) + dot6(G, p);
        clv_w N[6], u0 = q;
        u0 /= root, u0 /= root;
        for (int i = 0; i < 6; i++)
            N[i] = U[i] / root / root;
        store(j->N + lane, N, 6), clv_w_store(j->u0 + lane, u0);
        if (!j->port.ground)
            for (int i = 0; i < 6; i++) {
                p[i] -= N[i] * q;
                for (int k = 0; k < 6; k++)
                    set(j->I + lane, 6 * i + k, at(j->I + lane, 6 * i + k) - N[i] * U[k]);
            }
    }
    store(j->p + lane, p, 6);
}

/* I, p of the piece are there.  tau (8): drive; own: its strand, -1: a flexible body; on: the strand that holds it, or
 * -1 */
void CLV_LANE(clv_rows_flex_leave)(const clv_rows *w, const clv_flex_joint *j, const double *tau, int own, int on,
                                   bool biased)
{
    for (int lane = 0; lane < w->plan->group[0].nstrand; lane += CLV_LANES) {
        clv_w ok = clv_w_fill(1.0);
        joint_axes(w, j, own, on, biased, lane);
        free_joint(j, tau + lane, biased, &ok, lane);
        if (!j->port.ground)
            hand_on(j, own < 0, lane);
        clv_w_store(j->ok + lane, ok);
    }
}

/* Motion x (6 x 8) of the base; the rate of the joint to the rates. */
void CLV_LANE(clv_rows_flex_arrive)(const clv_rows *w, const clv_flex_joint *j, double *x, bool biased)
{
    const double *on = j->port.ground ? NULL : j->port.body ? j->port.body->x : j->tip->x;
    for (int lane = 0; lane < w->plan->group[0].nstrand; lane += CLV_LANES) {
        clv_w X[6], y[6], R[9], r[3], N[6], G[6];
        zero(y, 6);
        if (on) {
            load(X, on + lane, 6), load(R, j->turn + lane, 9), load(r, j->r + lane, 3);
            turn_back6(y, R, X);
            shift_motion(y, r, y);
        }
        clv_w u = clv_w_fill(0.0);
        if (j->f > 0) {
            load(N, j->N + lane, 6);
            u = clv_w_load(j->u0 + lane) - dot6(N, y);
            clv_w_store(row_of(w->rates, 1, j->row, lane), u);
        }
        for (int i = 0; biased && i < 6; i++)
            y[i] += at(j->bias + lane, i);
        load(G, j->G + lane, 6);
        for (int i = 0; j->f > 0 && i < 6; i++)
            y[i] += G[i] * u;
        store(x + lane, y, 6);
    }
}
