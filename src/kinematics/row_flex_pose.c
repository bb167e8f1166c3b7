/* SPDX-License-Identifier: Apache-2.0
 * A lane source: poses and motions of flexible bodies and of the joints on them, by the operations of kinematics.c,
 * deform.c and deform_mass.c (T30, T85).
 *
 *   flex_joint   the pose of the child of a joint, and if `moving` its motion, from what holds it
 *   flex_start   where a strand starts that a flexible body holds
 *   flex_pose    the other bodies of a flexible body, its mass and mode columns */
#include "kinematics/row_flex_turn.h"
#include "math/lane_sincos.h"

/* ------------------------------------------------------------------ what holds a joint */

/* pose of a body of a strand out of its attached row (row_scan.c) */
INLINE void place_port(const clv_rows *w, const clv_flex_port *p, int lane, const int moving)
{
    clv_w f[CLV_FRAME], B[9], E[9], R[9], l[3], x[3];
    load(f, row_of(w->frame, CLV_FRAME, p->at, lane), CLV_FRAME);
    for (int i = 0; i < 3; i++)
        for (int v = 0; v < 3; v++)
            B[3 * i + v] = f[3 * v + i];
    load(E, p->E + lane, 9), load(l, p->l + lane, 3);
    product_transpose3(R, B, E);
    times3(x, R, l);
    for (int i = 0; i < 3; i++)
        x[i] += f[9 + i];
    store(p->R + lane, R, 9), store(p->com + lane, x, 3), store(p->ref + lane, f + 9, 3);
    if (!moving)
        return;
    clv_w V[6];
    load(V, row_of(w->run, 6, p->at, lane), 6);
    store(p->V + lane, V, 6);
}

/* ------------------------------------------------------------------ the joint */

/* rotation about the joint's z axis, translation d along it */
INLINE void across(clv_w *Rq, clv_w *d, clv_joint_kind kind, clv_w q)
{
    const clv_w none = clv_w_fill(0.0), one = clv_w_fill(1.0);
    for (int i = 0; i < 9; i++)
        Rq[i] = i % 4 == 0 ? one : none;
    d[0] = d[1] = d[2] = none;
    if (kind == CLV_JOINT_PRISMATIC)
        d[2] = q;
    if (kind != CLV_JOINT_REVOLUTE)
        return;
    clv_w sine, cosine;
    clv_w_sincos(q, &sine, &cosine);
    Rq[0] = cosine, Rq[1] = -sine, Rq[3] = sine, Rq[4] = cosine;
}

/* A: axes of the joint on what holds it, global; its origin */
INLINE void frame_on_port(const clv_flex_joint *j, int lane, clv_w *A, clv_w *origin)
{
    clv_w own[9], a[3], R[9], com[3];
    load(own, j->A + lane, 9), load(a, j->a + lane, 3);
    if (j->port.ground) {
        memcpy(A, own, sizeof own), memcpy(origin, a, sizeof a);
        return;
    }
    load(R, j->port.R + lane, 9), load(com, j->port.com + lane, 3);
    product3(A, R, own);
    times3(origin, R, a);
    for (int i = 0; i < 3; i++)
        origin[i] += com[i];
}

INLINE void pose_child(const clv_rows *w, const clv_flex_joint *j, int lane, const int moving)
{
    clv_w A[9], B[9], E[9], Rq[9], R[9], d[3], g[3], origin[3], ref[3], com[3], arm[3], b[3], H[6];
    frame_on_port(j, lane, A, origin);
    across(Rq, d, j->kind, j->f > 0 ? clv_w_load(row_of(w->q, 1, j->row, lane)) : clv_w_fill(0.0));
    product3(B, A, Rq);
    load(E, j->B + lane, 9), load(b, j->b + lane, 3);
    product_transpose3(R, B, E);
    times3(g, A, d);
    times3(com, R, b);
    for (int i = 0; i < 3; i++) {
        ref[i] = origin[i] + g[i];
        com[i] += ref[i];
        arm[i] = ref[i] - (j->port.ground ? clv_w_fill(0.0) : at(j->port.ref + lane, i));
    }
    store(j->R + lane, R, 9), store(j->ref + lane, ref, 3), store(j->com + lane, com, 3), store(j->arm + lane, arm, 3);
    zero(H, 6);
    for (int i = 0; i < 3; i++) { /* the joint's z axis on the child, of a prismatic one on what holds it */
        const clv_w z = j->kind == CLV_JOINT_PRISMATIC ? A[3 * i + 2] : B[3 * i + 2];
        H[j->kind == CLV_JOINT_PRISMATIC ? i : 3 + i] = z;
        set(j->axis + lane, i, z);
    }
    store(j->H + lane, H, 6);
    if (!moving)
        return;
    clv_w V[6], X[6];
    zero(V, 6);
    if (!j->port.ground) {
        load(X, j->port.V + lane, 6);
        shift_motion(V, arm, X);
    }
    const clv_w u = j->f > 0 ? clv_w_load(row_of(w->u, 1, j->row, lane)) : clv_w_fill(0.0);
    for (int i = 0; i < 6 && j->f > 0; i++)
        V[i] += H[i] * u;
    store(j->V + lane, V, 6);
}

void CLV_LANE(clv_rows_flex_joint)(const clv_rows *w, const clv_flex_joint *j, bool moving)
{
    for (int lane = 0; lane < w->plan->group[0].nstrand; lane += CLV_LANES) {
        if (!j->port.ground && !j->port.body && !j->port.base)
            place_port(w, &j->port, lane, moving);
        pose_child(w, j, lane, moving);
    }
}

void CLV_LANE(clv_rows_flex_start)(const clv_rows *w, int strand, const clv_flex_joint *j, double *V, bool moving)
{
    for (int lane = 0; lane < w->plan->group[0].nstrand; lane += CLV_LANES) {
        clv_w R[9], E[9], B[9], s[CLV_FRAME], x[6];
        load(R, j->R + lane, 9), load(E, j->B + lane, 9);
        product3(B, R, E);
        for (int v = 0; v < 3; v++)
            for (int i = 0; i < 3; i++)
                s[3 * v + i] = B[3 * i + v];
        load(s + 9, j->ref + lane, 3);
        store(w->end[strand].start + lane, s, CLV_FRAME);
        zero(x, 6);
        if (moving)
            load(x, j->V + lane, 6);
        store(V + lane, x, 6);
    }
}

/* ------------------------------------------------------------------ turns of nodes */

INLINE void series(clv_w s, const int first, clv_w *value, clv_w *slope)
{
    clv_w v = clv_w_fill(1.0), d = clv_w_fill(0.0);
    for (int n = 15; n > 0; n--) {
        const double f = -1.0 / ((2 * n + first) * (2 * n + first - 1.0));
        d = f * (v + s * d);
        v = 1.0 + f * s * v;
    }
    const double whole = first == 1 ? 1 : first == 2 ? 2 : 6;
    *value = v / whole, *slope = d / whole;
}

/* position (3) and rotation (9) of a node in body axes; its turn is kept.  *odd grows where the series do not hold */
INLINE void node_turn(const clv_row_flex *f, const clv_flex_body *b, const double *eta, int lane, clv_w *x, clv_w *R,
                      clv_w *odd)
{
    turn t;
    clv_w E[9], R0[9], none;
    load(x, b->at + lane, 3);
    zero(t.theta, 3);
    for (int m = 0; m < f->n; m++) {
        const clv_w e = at(eta, m);
        for (int i = 0; i < 3; i++)
            x[i] += e * at(b->shape + lane, 6 * m + i);
        for (int i = 0; i < 3; i++)
            t.theta[i] += e * at(b->shape + lane, 6 * m + 3 + i);
    }
    const clv_w s = t.theta[0] * t.theta[0] + t.theta[1] * t.theta[1] + t.theta[2] * t.theta[2];
    *odd += 1.0 - clv_w_of_bits(clv_w_at_most(s, clv_w_fill(4.0)) & clv_w_bits(clv_w_fill(1.0)));
    series(s, 1, &t.a, &none), series(s, 2, &t.b, &t.bs), series(s, 3, &t.c, &t.cs);
    double *to = b->turn + lane;
    store(to, t.theta, 3);
    set(to, 3, t.a), set(to, 4, t.b), set(to, 5, t.c), set(to, 6, t.bs), set(to, 7, t.cs);
    unit(E, 1.0);
    cross_part(E, t.a, t.theta), square_part(E, t.b, t.theta, t.theta);
    load(R0, b->R0 + lane, 9);
    product3(R, E, R0);
}

/* ------------------------------------------------------------------ bodies of a flexible body */

/* pose of a body from that of the frame, or of the frame from that of the entry */
INLINE void pose_body(const clv_row_flex *f, int i, const double *eta, int lane, clv_w *odd)
{
    const int node = i == 0 ? f->entry : i, before = i == 0 ? f->entry : 0;
    const clv_flex_body *b = &f->body[i], *on = &f->body[before];
    clv_w x[3], Rn[9], R[9], own[9], com[3], l[3], y[3], c[3], ref[3];
    node_turn(f, &f->body[node], eta, lane, x, Rn, odd);
    load(com, f->com + lane, 3), load(R, on->R + lane, 9), load(c, on->com + lane, 3), load(ref, on->ref + lane, 3);
    for (int k = 0; k < 3; k++)
        l[k] = x[k] - com[k];
    if (i == 0) {
        product_transpose3(own, R, Rn);
        times3(y, own, l);
        for (int k = 0; k < 3; k++)
            c[k] -= y[k];
    } else {
        product3(own, R, Rn);
        times3(y, R, l);
        for (int k = 0; k < 3; k++)
            c[k] += y[k];
    }
    store(b->R + lane, own, 9), store(b->com + lane, c, 3), store(b->ref + lane, c, 3);
    for (int k = 0; k < 3; k++)
        set(b->arm + lane, k, c[k] - ref[k]);
}

/* columns of the link of a body */
INLINE void fill_columns(const clv_row_flex *f, int i, int lane)
{
    const clv_flex_body *b = &f->body[i], *node = &f->body[i == 0 ? f->entry : i], *frame = &f->body[0];
    turn t;
    clv_w T[9], R[9], RT[9], d[3], shape[6], M[6];
    load_turn(&t, node->turn + lane);
    jacobian(T, &t);
    load(R, frame->R + lane, 9);
    product3(RT, R, T);
    for (int k = 0; k < 3; k++)
        d[k] = at(frame->ref + lane, k) - at(node->com + lane, k);
    for (int m = 0; m < f->n; m++) {
        load(shape, from(node->shape + lane, 6 * m), 6);
        times3(M, R, shape), times3(M + 3, RT, shape + 3);
        if (i == 0) {
            shift_motion(M, d, M);
            for (int k = 0; k < 6; k++)
                M[k] = -M[k];
        }
        store(from(b->M + lane, 6 * m), M, 6);
    }
}

/* V of a body from that before, with the rates of the modes */
INLINE void move_body(const clv_row_flex *f, int i, const double *rate, int lane)
{
    const clv_flex_body *b = &f->body[i], *on = &f->body[i == 0 ? f->entry : 0];
    clv_w X[6], V[6], r[3];
    load(X, on->V + lane, 6), load(r, b->arm + lane, 3);
    shift_motion(V, r, X);
    for (int m = 0; m < f->n; m++)
        for (int k = 0; k < 6; k++)
            V[k] += at(b->M + lane, 6 * m + k) * at(rate, m);
    store(b->V + lane, V, 6);
}

/* ------------------------------------------------------------------ mass (deform_mass.c) */

INLINE void integrate(const clv_row_flex *f, const double *eta, int lane)
{
    static const int CROSS[3][2] = {{5, 7}, {6, 2}, {1, 3}};
    const int n = f->n, wide = f->wide;
    for (int q = 0; q < f->npair; q++)
        for (int m = 0; m < wide; m++) {
            clv_w sum = at(f->E0 + lane, f->pair[q] * wide + m);
            for (int r = f->begin[q]; r < f->begin[q + 1]; r++)
                sum += at(eta, f->of[r]) * at(f->B + lane, r * wide + m);
            set(f->E + lane, f->pair[q] * wide + m, sum);
        }
    for (int i = 0; i < 3; i++) {
        const int plus = CROSS[i][0] * wide, minus = CROSS[i][1] * wide;
        for (int m = 0; m < wide; m++)
            set(f->Hm + lane, i * wide + m,
                at(f->h0 + lane, i * wide + m) +
                    ((at(f->E + lane, plus + m) - at(f->E0 + lane, plus + m)) -
                     (at(f->E + lane, minus + m) - at(f->E0 + lane, minus + m))));
        set(f->S + lane, i, at(f->rest + lane, i) + pair_dot(from(f->phi + lane, i * wide), eta, n, wide));
    }
    clv_w Q[9];
    zero(Q, 9);
    for (int q = 0; q < f->nmoment; q++)
        Q[f->moment[q]] = pair_dot(from(f->E0 + lane, f->moment[q] * wide), eta, n, wide) +
                          pair_dot(from(f->E + lane, f->moment[q] * wide), eta, n, wide);
    const clv_w trace = Q[0] + Q[4] + Q[8];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            set(f->J + lane, 3 * i + j,
                at(f->J0 + lane, 3 * i + j) +
                    ((i == j ? trace : clv_w_fill(0.0)) - 0.5 * (Q[3 * i + j] + Q[3 * j + i])));
}

INLINE void fill_mass(const clv_row_flex *f, int lane)
{
    clv_w R[9], s[3], S[3], J[9], X[9], G[9], I[21];
    load(R, f->body[0].R + lane, 9), load(s, f->S + lane, 3), load(J, f->J + lane, 9);
    times3(S, R, s);
    product3(X, R, J), product_transpose3(G, X, R);
    zero(I, 21);
    I[0] = I[3] = I[5] = clv_w_load(f->mass + lane);
    I[7] = S[2], I[8] = -S[1], I[9] = -S[2], I[11] = S[0], I[12] = S[1], I[13] = -S[0];
    I[15] = G[0], I[16] = G[1], I[17] = G[2], I[18] = G[4], I[19] = G[5], I[20] = G[8];
    store(f->I + lane, I, 21);
    for (int m = 0; m < f->n; m++)
        for (int h = 0; h < 2; h++) {
            const double *x = (h == 0 ? f->phi : f->Hm) + lane;
            for (int i = 0; i < 3; i++)
                set(f->Mrf + lane, 6 * m + 3 * h + i,
                    R[3 * i] * at(x, m) + R[3 * i + 1] * at(x, f->wide + m) + R[3 * i + 2] * at(x, 2 * f->wide + m));
        }
}

void CLV_LANE(clv_rows_flex_pose)(const clv_rows *w, const clv_row_flex *f, bool moving)
{
    for (int lane = 0; lane < w->plan->group[0].nstrand; lane += CLV_LANES) {
        const double *eta = row_of(w->q, 1, f->row, lane), *rate = row_of(w->u, 1, f->row, lane);
        clv_w odd = clv_w_fill(0.0);
        for (int i = 0; i < f->nbody; i++)
            if (i != f->entry)
                pose_body(f, i, eta, lane, &odd);
        clv_w_store(f->odd + lane, odd);
        integrate(f, eta, lane), fill_mass(f, lane);
        for (int i = 0; i < f->nbody; i++)
            if (i != f->entry)
                fill_columns(f, i, lane);
        for (int i = 0; moving && i < f->nbody; i++)
            if (i != f->entry)
                move_body(f, i, rate, lane);
    }
}
