/* SPDX-License-Identifier: Apache-2.0
 * A lane source: loads, velocity terms and sums of flexible bodies, by the operations of flexible.c, deform_mass.c,
 * row_star.c and row_sums.c (T31, T85).
 *
 *   flex_weigh    weight, stiffness and damping: into Q of the frame, and drives of the modes
 *   flex_terms    dca: velocity terms, taken off these
 *   flex_sums     hdca: momenta and loads outboard of its bodies
 *   flex_pdot     hdca: rates of modal momenta;   flex_joint_pdot: of the momentum of a joint
 *   flex_collect  hdca: load of a piece, to what holds it;   flex_given: momentum of a tip */
#include "kinematics/row_flex_lane.h"

/* (A x)_k; diagonal: A has nothing else */
INLINE clv_w times_row(const double *A, const double *x, int n, int k, bool diagonal)
{
    if (diagonal)
        return at(A, k * n + k) * at(x, k);
    clv_w sum = clv_w_fill(0.0);
    for (int l = 0; l < n; l++)
        sum += at(A, k * n + l) * at(x, l);
    return sum;
}

/* S_k, the first moments of mode k */
INLINE void first_moment(clv_w *S, const clv_row_flex *f, int k, int lane)
{
    for (int i = 0; i < 3; i++)
        S[i] = at(f->phi + lane, i * f->wide + k);
}

/* rate (n x 8): of the modes; tau (n x 8); takes the power of the dampers off `power` (8) */
void CLV_LANE(clv_rows_flex_weigh)(const clv_rows *w, const clv_row_flex *f, const double *gravity, const double *rate,
                                   double *tau, double *power)
{
    for (int lane = 0; lane < w->plan->group[0].nstrand; lane += CLV_LANES) {
        const clv_flex_body *b = &f->body[0];
        const double *eta = row_of(w->q, 1, f->row, lane), *etad = rate + lane;
        clv_w g[3], F[6], l[3], R[9], x[3], S[3], own[3], m[3], P = clv_w_load(power + lane);
        load(g, gravity + lane, 3), load(R, b->R + lane, 9);
        zero(F, 6), zero(x, 3);
        for (int i = 0; i < 3; i++) {
            F[i] += clv_w_load(f->mass + lane) * g[i];
            l[i] = at(b->com + lane, i) - at(b->ref + lane, i);
        }
        shift_wrench(F, l, F);
        for (int k = 0; k < f->n; k++)
            for (int i = 0; i < 3; i++)
                x[i] += at(eta, k) * at(f->phi + lane, i * f->wide + k);
        times3(S, R, x);
        cross(m, S, g);
        for (int i = 0; i < 3; i++)
            F[3 + i] += m[i];
        add_to(b->Q + lane, F, 6);
        transpose_times3(own, R, g);
        for (int k = 0; k < f->n; k++) {
            const clv_w damping = times_row(f->C + lane, etad, f->n, k, f->natural);
            first_moment(S, f, k, lane);
            set(tau + lane, k, dot(S, own) - times_row(f->K + lane, eta, f->n, k, f->natural) - damping);
            P -= damping * at(etad, k);
        }
        clv_w_store(power + lane, P);
    }
}

/* ------------------------------------------------------------------ velocity terms (deform_mass.c) */

/* w.E_m w - w.w tr E_m, and `twice` times the sum over l of eta_l' w.(integral of phi_l x phi_m) */
INLINE clv_w modal_force(const clv_row_flex *f, int m, const clv_w *omega, const double twice, const double *rate,
                         int lane)
{
    const clv_w none = clv_w_fill(0.0), all = dot(omega, omega);
    const clv_w turn[9] = {none, omega[2], -omega[1], -omega[2], none, omega[0], omega[1], -omega[0], none};
    clv_w force = none;
    for (int q = 0; q < f->nmoment; q++) {
        const int i = f->moment[q];
        force += (omega[i / 3] * omega[i % 3] - (i % 4 == 0 ? all : none)) * at(f->E + lane, i * f->wide + m);
    }
    for (int q = 0; q < f->npair; q++) {
        if (f->pair[q] % 4 == 0)
            continue;
        clv_w sum = none;
        for (int r = f->begin[q]; r < f->begin[q + 1]; r++)
            sum += at(rate, f->of[r]) * at(f->B + lane, r * f->wide + m);
        force += twice * turn[f->pair[q]] * sum;
    }
    return force;
}

/* tau (n x 8): drives of the modes */
void CLV_LANE(clv_rows_flex_terms)(const clv_rows *w, const clv_row_flex *f, double *tau)
{
    const int wide = f->wide;
    for (int lane = 0; lane < w->plan->group[0].nstrand; lane += CLV_LANES) {
        const clv_flex_body *b = &f->body[0];
        const double *rate = row_of(w->u, 1, f->row, lane);
        clv_w R[9], omega[3], V[3], Sd[3], H[3], Q[9], x[3], y[3], F[3], N[3], S[3], J[9], W[6];
        load(R, b->R + lane, 9), load(V, b->V + 3 * G8 + lane, 3), load(S, f->S + lane, 3), load(J, f->J + lane, 9);
        transpose_times3(omega, R, V);
        zero(Q, 9);
        for (int i = 0; i < 3; i++) {
            Sd[i] = pair_dot(from(f->phi + lane, i * wide), rate, f->n, wide);
            H[i] = pair_dot(from(f->Hm + lane, i * wide), rate, f->n, wide);
        }
        for (int q = 0; q < f->nmoment; q++)
            Q[f->moment[q]] = pair_dot(from(f->E + lane, f->moment[q] * wide), rate, f->n, wide);
        cross(x, omega, S);
        for (int i = 0; i < 3; i++)
            x[i] += 2.0 * Sd[i];
        cross(F, omega, x);
        times3(y, J, omega);
        for (int i = 0; i < 3; i++)
            y[i] += H[i];
        cross(N, omega, y);
        const clv_w twice = 2.0 * (Q[0] + Q[4] + Q[8]);
        for (int i = 0; i < 3; i++)
            N[i] += twice * omega[i];
        times3(x, Q, omega), transpose_times3(y, Q, omega);
        for (int i = 0; i < 3; i++)
            N[i] += -1.0 * x[i];
        for (int i = 0; i < 3; i++)
            N[i] += -1.0 * y[i];
        times3(W, R, F), times3(W + 3, R, N);
        for (int i = 0; i < 6; i++)
            set(b->Q + lane, i, at(b->Q + lane, i) - W[i]);
        for (int m = 0; m < f->n; m++)
            set(tau + lane, m, at(tau + lane, m) - modal_force(f, m, omega, 2.0, rate, lane));
    }
}

/* ------------------------------------------------------------------ sums (row_star.c, row_sums.c) */

/* y = I x, 21 numbers at p */
INLINE void inertia_at_times(clv_w *y, const double *p, const clv_w *x)
{
    clv_w I[21];
    load(I, p, 21);
    inertia_times(y, I, x);
}

/* what joints have given to a body: H x - h */
INLINE void add_given(const clv_flex_body *b, int lane)
{
    clv_w x[6];
    load(x, b->x + lane, 6);
    for (int j = 0; j < 6; j++) {
        clv_w sum = at(b->H + lane, j) * x[0];
        for (int i = 1; i < 6; i++)
            sum += x[i] * at(b->H + lane, 6 * i + j);
        set(b->P + lane, j, at(b->P + lane, j) + (sum - at(b->h + lane, j)));
    }
}

INLINE void carry(const clv_flex_body *to, const clv_flex_body *b, const double *arm, int lane)
{
    clv_w W[6], r[3];
    load(r, arm + lane, 3);
    load(W, b->P + lane, 6), shift_wrench(W, r, W), add_to(to->P + lane, W, 6);
    load(W, b->Q + lane, 6), shift_wrench(W, r, W), add_to(to->Q + lane, W, 6);
}

void CLV_LANE(clv_rows_flex_sums)(const clv_rows *w, const clv_row_flex *f)
{
    for (int lane = 0; lane < w->plan->group[0].nstrand; lane += CLV_LANES) {
        const double *rate = row_of(w->rates, 1, f->row, lane);
        clv_w P[6], x[6];
        for (int i = 0; i < f->nbody; i++)
            if (f->body[i].hangs)
                add_given(&f->body[i], lane);
        load(x, f->body[0].x + lane, 6);
        inertia_at_times(P, f->I + lane, x);
        for (int m = 0; m < f->n; m++)
            for (int i = 0; i < 6; i++)
                P[i] += at(f->Mrf + lane, 6 * m + i) * at(rate, m);
        add_to(f->body[0].P + lane, P, 6);
        for (int i = 1; i < f->nbody; i++)
            if (i != f->entry)
                carry(&f->body[0], &f->body[i], f->body[i].arm, lane);
        if (f->entry > 0)
            carry(&f->body[f->entry], &f->body[0], f->body[0].arm, lane);
    }
}

/* H.Q + H'.P + (v x h).P_l; H, Hd (6 x 8) each */
INLINE clv_w momentum_rate(const double *H, const double *Hd, const clv_w *V, const clv_w *Q, const clv_w *P)
{
    clv_w h[6], d[6], m[3];
    load(h, H, 6), load(d, Hd, 6);
    cross(m, V, h + 3);
    return dot6(h, Q) + dot6(d, P) + dot(m, P);
}

/* rates of modal momenta by what is outboard of the link of body i (clv_deform_outboard) */
INLINE void add_outboard(const clv_row_flex *f, int i, double *pdot, int lane)
{
    const clv_flex_body *b = &f->body[i], *node = &f->body[i == 0 ? f->entry : i];
    clv_w RTd[9], d[3], dd[3], omega[3], V[6], P[6], Q[6], A[3], N[3], x[3], y[3], F[6], e[3], M[6], shape[3];
    load(RTd, b->rates + lane, 9), load(d, from(b->rates + lane, 9), 3), load(dd, from(b->rates + lane, 12), 3);
    load(omega, from(b->rates + lane, 15), 3), load(V, b->x + lane, 6);
    load(Q, b->Q + lane, 6), load(P, b->P + lane, 6);
    memcpy(N, P + 3, sizeof N);
    if (i == 0) {
        cross(x, d, P);
        for (int k = 0; k < 3; k++)
            N[k] += x[k];
    }
    cross(A, P, omega), cross(x, N, omega), cross(y, P, V);
    for (int k = 0; k < 3; k++)
        F[k] = Q[k] + A[k], F[3 + k] = Q[3 + k] + y[k] + x[k];
    transpose_times3(e, RTd, N);
    if (i == 0) {
        cross(x, dd, P), cross(y, d, A);
        for (int k = 0; k < 3; k++)
            F[3 + k] += x[k] - y[k], e[k] = -e[k];
    }
    for (int m = 0; m < f->n; m++) {
        load(M, from(b->M + lane, 6 * m), 6), load(shape, from(node->shape + lane, 6 * m + 3), 3);
        set(pdot, m, at(pdot, m) + (dot6(M, F) + dot(shape, e)));
    }
}

void CLV_LANE(clv_rows_flex_pdot)(const clv_rows *w, const clv_row_flex *f)
{
    for (int lane = 0; lane < w->plan->group[0].nstrand; lane += CLV_LANES) {
        const double *rate = row_of(w->rates, 1, f->row, lane);
        double *pdot = row_of(w->pdot, 1, f->row, lane);
        clv_w R[9], V[6], omega[3], v[3], x[3];
        load(R, f->body[0].R + lane, 9), load(V, f->body[0].x + lane, 6);
        transpose_times3(omega, R, V + 3), transpose_times3(v, R, V);
        cross(x, omega, v);
        for (int m = 0; m < f->n; m++) {
            clv_w force = modal_force(f, m, omega, 1.0, rate, lane);
            for (int i = 0; i < 3; i++)
                force += x[i] * at(f->phi + lane, i * f->wide + m);
            set(pdot, m, -force);
        }
        for (int i = 0; i < f->nbody; i++)
            if (i != f->entry)
                add_outboard(f, i, pdot, lane);
    }
}

/* V (6 x 8): motion of the child; P, Q (6 x 8): outboard of the joint, strand axes of `strand`, or global (-1) */
void CLV_LANE(clv_rows_flex_joint_pdot)(const clv_rows *w, const clv_flex_joint *j, const double *V, const double *P,
                                        const double *Q, int strand)
{
    for (int lane = 0; j->f > 0 && lane < w->plan->group[0].nstrand; lane += CLV_LANES) {
        clv_w v[6], p[6], q[6], x[6], R[9];
        load(v, V + lane, 6), load(p, P + lane, 6), load(q, Q + lane, 6);
        if (strand >= 0) {
            strand_axes(R, w, strand, lane);
            memcpy(x, p, sizeof x), turn6(p, R, x);
            memcpy(x, q, sizeof x), turn6(q, R, x);
        }
        clv_w_store(row_of(w->pdot, 1, j->row, lane), momentum_rate(j->H + lane, j->Hd + lane, v, q, p));
    }
}

/* Load Q of a strand about its start: gravity, and what arrives at its rows; global */
INLINE void strand_load(const clv_rows *w, int k, const clv_row_limb *l, clv_w *y, int lane)
{
    const clv_row_ends *o = &w->end[k];
    clv_w m[4], g[3], Q[6], R[9];
    load(m, o->mass + lane, 4), load(g, o->gravity + lane, 3);
    strand_axes(R, w, k, lane);
    for (int i = 0; i < 3; i++)
        Q[i] = m[0] * g[i];
    cross(Q + 3, m + 1, g);
    for (int i = 0; i < l->nheld; i++) {
        const double *f = row_of(w->frame, CLV_FRAME, l->held[i], lane);
        clv_w W[6], d[3], arm[3];
        load(W, row_of(w->Q, 6, l->held[i], lane), 6);
        for (int j = 0; j < 3; j++)
            d[j] = clv_w_load(f + (9 + j) * G8) - clv_w_load(o->start + (9 + j) * G8 + lane);
        transpose_times3(arm, R, d);
        shift_wrench(W, arm, W);
        add6(Q, W);
    }
    turn6(y, R, Q);
}

/* The load of strand k (its limb l), or Q (6 x 8) of a flexible body at its entry.  It goes over the arm of joint j, or
 * NULL, to what holds that: a body of a flexible body, or row `on_at` of strand `on`. */
void CLV_LANE(clv_rows_flex_collect)(const clv_rows *w, int k, const clv_row_limb *l, const double *Q,
                                     const clv_flex_joint *j, int on, int on_at)
{
    for (int lane = 0; lane < w->plan->group[0].nstrand; lane += CLV_LANES) {
        clv_w y[6], x[6], R[9], r[3];
        if (l)
            strand_load(w, k, l, y, lane);
        else
            load(y, Q + lane, 6);
        if (j) {
            load(r, j->arm + lane, 3);
            shift_wrench(y, r, y);
        }
        if (j && j->port.body) {
            add_to(j->port.body->Q + lane, y, 6);
            continue;
        }
        strand_axes(R, w, on, lane);
        turn_back6(x, R, y);
        add_to(row_of(w->Q, 6, on_at, lane), x, 6);
    }
}

/* the momentum of what is attached to the tip of strand k, row `at` among the attached ones */
void CLV_LANE(clv_rows_flex_given)(const clv_rows *w, int k, int at_tip)
{
    for (int lane = 0; lane < w->plan->group[k].nstrand; lane += CLV_LANES) {
        clv_w F[6];
        load(F, w->engine->out[k].F + lane, 6);
        for (int i = 0; i < 6; i++)
            F[i] = -F[i];
        add_to(row_of(w->P, 6, at_tip, lane), F, 6);
    }
}
