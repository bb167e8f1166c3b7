/* SPDX-License-Identifier: Apache-2.0
 * A lane source: free joints of bases that float; see row_floats.h (T85.6).  Products with the zeros of directions are
 * not left out: every sum is that of one mechanism. */
#include "base/tolerance.h"
#include "kinematics/row_flex_lane.h"
#include "kinematics/row_floats.h"
#include "kinematics/row_quat_lane.h"

/* axes of the strand beside global ones, row major */
INLINE void load_axes(clv_w *R, const clv_rows *w, int strand, int lane)
{
    const double *s = w->end[strand].start + lane;
    for (int i = 0; i < 3; i++)
        for (int v = 0; v < 3; v++)
            R[3 * i + v] = at(s, 3 * v + i);
}

/* derivatives of the directions at the motion V: those along axes of the ground rest (clv_kinematics_body_rates) */
INLINE void turn_directions(const clv_row_float *f, const clv_w *V, int lane)
{
    const clv_w still[3] = {clv_w_fill(0.0), clv_w_fill(0.0), clv_w_fill(0.0)};
    for (int c = 0; c < 6; c++) {
        const int part = c < 3 ? 0 : 3;
        clv_w h[3], x[3];
        load(h, from(f->H + lane, 6 * c + part), 3);
        cross(x, c < 3 ? still : V + 3, h);
        store(from(f->Hd + lane, 6 * c + part), x, 3), store(from(f->Hd + lane, 6 * c + 3 - part), still, 3);
    }
}

/* sum of M u, columns */
INLINE void combine(clv_w *y, const double *M, const clv_w *u)
{
    zero(y, 6);
    for (int c = 0; c < 6; c++)
        for (int i = 0; i < 6; i++)
            y[i] += at(M, 6 * c + i) * u[c];
}

/* frame on the base, pose of the base, directions of the joint */
INLINE void pose_base(const clv_row_float *f, const clv_row_limb *l, const double *q, int lane, clv_w *start)
{
    clv_w Ea[9], Eb[9], e[4], d[3], Rq[9], Ec[9], R[9], B[9], x[3], ref[3], com[3];
    const clv_w none[3] = {clv_w_fill(0.0), clv_w_fill(0.0), clv_w_fill(0.0)};
    load(Ea, f->Ea + lane, 9), load(Eb, f->Eb + lane, 9), load(d, q + lane, 3), load(e, q + 3 * G8 + lane, 4);
    quat_rotation(Rq, e);
    product3(Ec, Ea, Rq), product_transpose3(R, Ec, Eb);
    times3(x, Ea, d), load(ref, f->pa + lane, 3);
    for (int i = 0; i < 3; i++)
        ref[i] = ref[i] + x[i];
    load(x, f->off + lane, 3);
    times3(com, R, x);
    for (int i = 0; i < 3; i++)
        com[i] += ref[i];
    store(l->R_base + lane, R, 9), store(l->com_base + lane, com, 3), store(l->ref_base + lane, ref, 3);
    product3(B, R, Eb);
    for (int v = 0; v < 3; v++)
        for (int i = 0; i < 3; i++)
            start[3 * v + i] = B[3 * i + v];
    for (int i = 0; i < 3; i++)
        start[9 + i] = ref[i];
    for (int c = 0; c < 6; c++) {
        const int part = c < 3 ? 0 : 3;
        for (int i = 0; i < 3; i++)
            set(f->H + lane, 6 * c + part + i, c < 3 ? Ea[3 * i + c] : Ec[3 * i + c - 3]);
        store(from(f->H + lane, 6 * c + 3 - part), none, 3);
    }
}

static void start(const clv_rows *w, const clv_row_float *f, const clv_row_limb *l, const double *q, const double *u)
{
    for (int lane = 0; lane < w->plan->group[0].nstrand; lane += CLV_LANES) {
        clv_w s[CLV_FRAME], V[6], x[6];
        pose_base(f, l, q, lane, s);
        store(w->end[f->strand].start + lane, s, CLV_FRAME);
        zero(V, 6);
        if (u) {
            load(x, u + lane, 6);
            combine(V, f->H + lane, x);
            store(f->u + lane, x, 6), store(f->V + lane, V, 6);
            turn_directions(f, V, lane);
        }
        store(l->V + lane, V, 6), store(l->V_base + lane, V, 6);
    }
}

static void drive(const clv_rows *w, const clv_row_float *f, const clv_row_limb *l, const double *p)
{
    for (int lane = 0; lane < w->plan->group[0].nstrand; lane += CLV_LANES) {
        clv_w W[6], x[6], R[9];
        load(x, p + lane, 6);
        combine(W, f->H + lane, x);
        load_axes(R, w, f->strand, lane);
        turn_back6(x, R, W);
        add_to(row_of(w->Q, 6, l->held[0], lane), x, 6);
    }
}

/* x := A^-1 x by Cholesky's factor, 1 where its pivots are more than rounding (clv_cholesky) */
INLINE clv_w solve6(clv_w A[6][6], clv_w *x)
{
    clv_w good = clv_w_fill(1.0);
    for (int j = 0; j < 6; j++) {
        const clv_w own = A[j][j];
        clv_w d = own;
        for (int k = 0; k < j; k++)
            d -= A[j][k] * A[j][k];
        good *= clv_w_above(d, CLV_TOL_PIVOT * own);
        const clv_w root = clv_w_root(d);
        A[j][j] = root;
        for (int i = j + 1; i < 6; i++) {
            clv_w s = A[i][j];
            for (int k = 0; k < j; k++)
                s -= A[i][k] * A[j][k];
            A[i][j] = s / root;
        }
    }
    for (int i = 0; i < 6; i++) {
        for (int k = 0; k < i; k++)
            x[i] -= A[i][k] * x[k];
        x[i] /= A[i][i];
    }
    for (int i = 5; i >= 0; i--) {
        for (int k = i + 1; k < 6; k++)
            x[i] -= A[k][i] * x[k];
        x[i] /= A[i][i];
    }
    return good;
}

static void solve(const clv_rows *w, const clv_row_float *f, const clv_row_tip *t)
{
    const clv_strand_out *o = &w->engine->out[f->strand];
    for (int lane = 0; lane < w->plan->group[0].nstrand; lane += CLV_LANES) {
        clv_w A[6][6], x[6];
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++)
                A[i][j] = t->any ? at(t->I + lane, 6 * i + j) : at(o->I + lane, CLV_SYM[i][j]);
        load(x, (t->any ? t->p : o->p) + lane, 6);
        const clv_w good = solve6(A, x);
        store(o->x + lane, x, 6);
        set(o->ok + lane, 0, at(o->ok + lane, 0) * good);
    }
}

/* the motion found, global axes */
INLINE void motion(const clv_rows *w, const clv_row_float *f, clv_w *x, int lane)
{
    clv_w own[6], R[9];
    load(own, row_of(w->x, 6, w->first[f->strand], lane), 6);
    load_axes(R, w, f->strand, lane);
    turn6(x, R, own);
}

static void move(const clv_rows *w, const clv_row_float *f)
{
    for (int lane = 0; lane < w->plan->group[0].nstrand; lane += CLV_LANES) {
        clv_w V[6], h[6];
        motion(w, f, V, lane);
        store(f->V + lane, V, 6);
        for (int c = 0; c < 6; c++) {
            load(h, from(f->H + lane, 6 * c), 6);
            set(f->u + lane, c, dot6(h, V));
        }
        turn_directions(f, V, lane);
    }
}

/* p' = H^T Q + H'^T P + (v x h).P_l (T10) */
static void momenta(const clv_rows *w, const clv_row_float *f, const double *tau, double *pdot)
{
    const clv_row_ends *o = &w->end[f->strand];
    for (int lane = 0; lane < w->plan->group[0].nstrand; lane += CLV_LANES) {
        clv_w R[9], x[6], P[6], Q[6], V[6];
        load_axes(R, w, f->strand, lane);
        load(x, o->P + lane, 6), turn6(P, R, x);
        load(x, o->Q + lane, 6), turn6(Q, R, x);
        load(V, f->V + lane, 6);
        for (int c = 0; c < 6; c++) {
            clv_w h[6], hd[6], vxh[3];
            load(h, from(f->H + lane, 6 * c), 6), load(hd, from(f->Hd + lane, 6 * c), 6);
            cross(vxh, V, h + 3);
            clv_w rate = dot6(h, Q) + dot6(hd, P) + dot(vxh, P);
            if (tau)
                rate += at(tau + lane, c);
            set(pdot + lane, c, rate);
        }
    }
}

static void accelerations(const clv_rows *w, const clv_row_float *f, double *ud)
{
    for (int lane = 0; lane < w->plan->group[0].nstrand; lane += CLV_LANES) {
        clv_w x[6], u[6], c[6], h[6];
        load(u, f->u + lane, 6);
        combine(c, f->Hd + lane, u);
        motion(w, f, x, lane);
        for (int i = 0; i < 6; i++)
            x[i] -= c[i];
        for (int i = 0; i < 6; i++) {
            load(h, from(f->H + lane, 6 * i), 6);
            set(ud + lane, i, dot6(h, x));
        }
    }
}

static void coordinates(const clv_rows *w, const clv_row_float *f, const double *q, double *qdot)
{
    for (int lane = 0; lane < w->plan->group[0].nstrand; lane += CLV_LANES) {
        clv_w u[6], e[4], rate[4];
        load(u, f->u + lane, 6), load(e, q + 3 * G8 + lane, 4);
        quat_rate(rate, e, u + 3);
        store(qdot + lane, u, 3), store(qdot + 3 * G8 + lane, rate, 4);
    }
}

const clv_float_kernels CLV_LANE(clv_float_kernels) = {start, drive, solve, move, momenta, accelerations, coordinates};
