/* SPDX-License-Identifier: Apache-2.0
 * A lane source: links of a block of a long run, one after the other, eight lanes at a time (T159).
 *
 *   run_gather   starts and motions beside the start of the block
 *   run_start    the same, global
 *   run_leave    of one group: for its strands
 *   run_join     A inboard, B what follows, turned to the axes of the tip of A:
 *                (1 + L_A I_B) [X | y | Z] = [K_A^T | t_A + L_A p_B | L_A K_B]
 *                I = I_A + K_A I_B X,  p = p_A + K_A (p_B - I_B y),  K = X^T K_B
 *                L = L_B + K_B^T Z,  t = t_B + K_B^T y
 *   run_part     x_B = X x + y + Z F,  F_A = p_B + K_B F - I_B x_B
 *   run_take     of a group whose strands hold their tips alone: frames of the tips
 *   run_hold     the same, global
 *   run_weigh    loads of the strands
 *   run_give     what arrives at the tips
 *   run_sum      loads of links, with those that follow
 *   run_arrive   what arrives at the end of each */
#include "kinematics/row_flex_lane.h"
#include "kinematics/row_runs.h"
#include "math/lane_solve.h"

void CLV_LANE(clv_rows_run_gather)(const clv_row_block *b, bool moving)
{
    for (int lane = 0; lane < G8; lane += CLV_LANES) {
        clv_w s[CLV_FRAME], f[CLV_FRAME], V[6], x[6];
        zero(s, CLV_FRAME), zero(V, 6);
        s[0] = s[4] = s[8] = clv_w_fill(1.0);
        for (int i = 0; i < b->n; i++) {
            const clv_row_link *l = &b->link[i];
            store(l->start + lane, s, CLV_FRAME);
            load(f, l->frame + lane, CLV_FRAME);
            frame_product(s, f);
            if (moving) {
                store(l->motion + lane, V, 6), load(x, l->run + lane, 6);
                frame_run(s, f, V, x);
                for (int n = 0; n < 6; n++)
                    V[n] = x[n];
            }
            for (int n = 0; n < CLV_FRAME; n++)
                s[n] = f[n];
        }
        store(b->sum->frame + lane, s, CLV_FRAME), store(b->sum->run + lane, V, 6);
        load(s, b->link[b->n - 1].turn + lane, 9), store(b->sum->turn + lane, s, 9);
    }
}

void CLV_LANE(clv_rows_run_start)(const clv_row_block *b, bool moving)
{
    for (int lane = 0; lane < G8; lane += CLV_LANES) {
        clv_w s[CLV_FRAME], V[6];
        load(s, b->sum->start + lane, CLV_FRAME), load(V, b->sum->motion + lane, 6);
        for (int i = 0; i < b->n; i++) {
            const clv_row_link *l = &b->link[i];
            clv_w f[CLV_FRAME], x[6];
            load(f, l->start + lane, CLV_FRAME);
            frame_product(s, f);
            store(l->start + lane, f, CLV_FRAME);
            if (!moving)
                continue;
            load(x, l->motion + lane, 6);
            frame_run(s, f, V, x);
            store(l->motion + lane, x, 6);
        }
    }
}

void CLV_LANE(clv_rows_run_leave)(const clv_row_link *l, const clv_row_ends *o, const double *gravity)
{
    for (int lane = 0; lane < G8; lane += CLV_LANES) {
        clv_w s[CLV_FRAME], V[6], x[6];
        load(s, l->start + lane, CLV_FRAME), load(V, l->motion + lane, 6);
        for (int i = 0; i < 3; i++) {
            x[i] = s[3 * i] * V[0] + s[3 * i + 1] * V[1] + s[3 * i + 2] * V[2];
            x[3 + i] = s[3 * i] * V[3] + s[3 * i + 1] * V[4] + s[3 * i + 2] * V[5];
        }
        store(o->start + lane, s, CLV_FRAME), store(o->motion + lane, x, 6);
        for (int i = 0; i < 3; i++)
            x[i] = s[3 * i] * gravity[0] + s[3 * i + 1] * gravity[1] + s[3 * i + 2] * gravity[2];
        store(o->gravity + lane, x, 3);
    }
}

/* upper triangle of a symmetric matrix, 21 numbers (CLV_SYM), to 6 x 6, turned: R I R^T */
INLINE void turned_inertia(clv_w M[6][6], const clv_w *R, const double *I)
{
    clv_w T[6][6];
    for (int c = 0; c < 6; c++) { /* R I */
        clv_w x[6], y[6];
        for (int i = 0; i < 6; i++)
            x[i] = at(I, CLV_SYM[i][c]);
        turn6(y, R, x);
        for (int i = 0; i < 6; i++)
            T[i][c] = y[i];
    }
    for (int i = 0; i < 6; i++) {
        clv_w y[6];
        turn6(y, R, T[i]);
        for (int c = i; c < 6; c++)
            M[i][c] = M[c][i] = y[c];
    }
}

/* what follows, in the axes of the tip of A */
typedef struct following {
    clv_w I[6][6], p[6], K[6][6]; /* K by columns */
} following;

INLINE void load_following(following *B, const clv_row_link *l, const clv_strand_out *next, int lane)
{
    clv_w R[9], x[6];
    load(R, l->turn + lane, 9);
    turned_inertia(B->I, R, next->I + lane);
    load(x, next->p + lane, 6), turn6(B->p, R, x);
    for (int c = 0; c < 6; c++) {
        load(x, from(next->K + lane, 6 * c), 6), turn6(B->K[c], R, x);
    }
}

/* 1 + L_A I_B */
INLINE void factor_join(clv_w_factor6 *s, const following *B, const clv_strand_out *A, int lane)
{
    for (int i = 0; i < 6; i++) {
        clv_w L[6];
        for (int j = 0; j < 6; j++)
            L[j] = at(A->L + lane, CLV_SYM[i][j]);
        for (int c = 0; c < 6; c++)
            s->U[i][c] = dot6(L, B->I[c]); /* symmetric */
        s->U[i][i] += 1.0;
    }
    clv_w_eliminate6(s);
}

/* L_A z */
INLINE void yield(clv_w y[6], const clv_strand_out *A, const clv_w z[6], int lane)
{
    for (int i = 0; i < 6; i++) {
        clv_w L[6];
        for (int j = 0; j < 6; j++)
            L[j] = at(A->L + lane, CLV_SYM[i][j]);
        y[i] = dot6(L, z);
    }
}

/* column c of X, that of I and row c of K */
INLINE void join_column(const clv_row_link *l, const clv_w_factor6 *s, const following *B, const int c, int lane)
{
    const clv_strand_out *A = l->own, *to = &l->all;
    clv_w x[6], y[6], K[6];
    for (int i = 0; i < 6; i++)
        x[i] = at(A->K + lane, 6 * i + c); /* row i of K^T is column i of K */
    clv_w_solve6(s, x);
    for (int i = 0; i < 6; i++)
        set(l->X + lane, 6 * i + c, x[i]), y[i] = dot6(B->I[i], x);
    for (int r = 0; r <= c; r++) {
        for (int j = 0; j < 6; j++)
            K[j] = at(A->K + lane, 6 * j + r);
        set(to->I + lane, CLV_SYM[r][c], at(A->I + lane, CLV_SYM[r][c]) + dot6(K, y));
    }
    for (int j = 0; j < 6; j++)
        set(to->K + lane, 6 * j + c, dot6(B->K[j], x));
}

/* y, p and t */
INLINE void join_loads(const clv_row_link *l, const clv_w_factor6 *s, const following *B, const clv_strand_out *next,
                       int lane)
{
    const clv_strand_out *A = l->own, *to = &l->all;
    clv_w x[6], y[6], K[6];
    yield(x, A, B->p, lane);
    for (int i = 0; i < 6; i++)
        x[i] += at(A->t + lane, i);
    clv_w_solve6(s, x);
    store(l->y + lane, x, 6);
    for (int i = 0; i < 6; i++)
        y[i] = B->p[i] - dot6(B->I[i], x);
    for (int r = 0; r < 6; r++) {
        for (int j = 0; j < 6; j++)
            K[j] = at(A->K + lane, 6 * j + r);
        set(to->p + lane, r, at(A->p + lane, r) + dot6(K, y));
        set(to->t + lane, r, at(next->t + lane, r) + dot6(B->K[r], x));
    }
}

/* column c of Z, and of L */
INLINE void join_tip(const clv_row_link *l, const clv_w_factor6 *s, const following *B, const clv_strand_out *next,
                     const int c, int lane)
{
    clv_w z[6];
    yield(z, l->own, B->K[c], lane);
    clv_w_solve6(s, z);
    for (int i = 0; i < 6; i++)
        set(l->Z + lane, 6 * i + c, z[i]);
    for (int r = 0; r <= c; r++)
        set(l->all.L + lane, CLV_SYM[r][c], at(next->L + lane, CLV_SYM[r][c]) + dot6(B->K[r], z));
}

void CLV_LANE(clv_rows_run_join)(const clv_row_block *b)
{
    for (int n = b->n - 2; n >= 0; n--) {
        const clv_row_link *l = &b->link[n];
        const clv_strand_out *next = &b->link[n + 1].all;
        for (int lane = 0; lane < G8; lane += CLV_LANES) {
            following B;
            clv_w_factor6 s;
            load_following(&B, l, next, lane);
            factor_join(&s, &B, l->own, lane);
            for (int c = 0; c < 6; c++)
                join_column(l, &s, &B, c, lane), join_tip(l, &s, &B, next, c, lane);
            join_loads(l, &s, &B, next, lane);
        }
    }
}

/* W := p + K F - I x of what follows, in its own axes */
INLINE void wrench_at_base(clv_w *W, const clv_strand_out *o, const clv_w *x, const clv_w *F, int lane)
{
    clv_w Ix[6], row[6];
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++)
            row[j] = at(o->I + lane, CLV_SYM[i][j]);
        Ix[i] = dot6(row, x);
        for (int j = 0; j < 6; j++)
            row[j] = at(o->K + lane, 6 * j + i);
        W[i] = at(o->p + lane, i) + dot6(row, F) - Ix[i];
    }
}

void CLV_LANE(clv_rows_run_part)(const clv_row_block *b)
{
    for (int lane = 0; lane < G8; lane += CLV_LANES) {
        clv_w x[6], F[6], y[6], z[6], R[9];
        load(x, b->sum->own->x + lane, 6), load(F, b->sum->own->F + lane, 6);
        for (int n = 0; n < b->n; n++) {
            const clv_row_link *l = &b->link[n];
            store(l->own->x + lane, x, 6);
            if (n == b->n - 1) {
                store(l->own->F + lane, F, 6);
                break;
            }
            times_dots(y, l->X + lane, x), times_dots(z, l->Z + lane, F);
            for (int i = 0; i < 6; i++)
                y[i] = y[i] + at(l->y + lane, i) + z[i];
            load(R, l->turn + lane, 9);
            turn_back6(x, R, y);
            wrench_at_base(y, &b->link[n + 1].all, x, F, lane);
            turn6(z, R, y);
            store(l->own->F + lane, z, 6);
        }
    }
}

void CLV_LANE(clv_rows_run_take)(const clv_rows *w, const clv_row_link *l, bool moving)
{
    for (int lane = 0; lane < G8; lane += CLV_LANES) {
        clv_w f[CLV_FRAME], x[6];
        load(f, row_of(w->frame, CLV_FRAME, l->tips, lane), CLV_FRAME);
        store(l->frame + lane, f, CLV_FRAME);
        for (int i = 0; i < 3; i++)
            for (int v = 0; v < 3; v++)
                set(l->turn + lane, 3 * i + v, f[3 * v + i]);
        if (moving)
            load(x, row_of(w->run, 6, l->tips, lane), 6), store(l->run + lane, x, 6);
    }
}

void CLV_LANE(clv_rows_run_hold)(const clv_rows *w, const clv_row_link *l, bool moving)
{
    for (int lane = 0; lane < G8; lane += CLV_LANES) {
        clv_w s[CLV_FRAME], f[CLV_FRAME], V[6], x[6];
        load(s, l->start + lane, CLV_FRAME), load(f, l->frame + lane, CLV_FRAME);
        frame_product(s, f);
        store(row_of(w->frame, CLV_FRAME, l->tips, lane), f, CLV_FRAME);
        if (!moving)
            continue;
        load(V, l->motion + lane, 6), load(x, l->run + lane, 6);
        frame_run(s, f, V, x);
        store(row_of(w->run, 6, l->tips, lane), x, 6);
    }
}

void CLV_LANE(clv_rows_run_weigh)(const clv_rows *w, const clv_row_link *l, int group)
{
    const clv_row_ends *o = &w->end[group];
    for (int lane = 0; lane < G8; lane += CLV_LANES) {
        clv_w m[4], g[3], Q[6], W[6], x[3];
        load(m, o->mass + lane, 4), load(g, o->gravity + lane, 3);
        for (int i = 0; i < 3; i++)
            Q[i] = m[0] * g[i];
        cross(Q + 3, m + 1, g);
        load(W, row_of(w->Q, 6, l->tips, lane), 6), load(x, l->frame + 9 * G8 + lane, 3);
        shift_wrench(W, x, W), add6(Q, W);
        store(l->Q + lane, Q, 6);
    }
}

void CLV_LANE(clv_rows_run_give)(const clv_rows *w, const clv_row_link *l)
{
    for (int lane = 0; lane < G8; lane += CLV_LANES) {
        clv_w R[9], x[6], y[6];
        load(x, l->own->F + lane, 6);
        double *P = row_of(w->P, 6, l->tips, lane), *Q = row_of(w->Q, 6, l->tips, lane);
        for (int i = 0; i < 6; i++)
            set(P, i, at(P, i) - x[i]);
        load(R, l->turn + lane, 9), load(x, l->arrives + lane, 6);
        turn6(y, R, x);
        add_to(Q, y, 6);
    }
}

/* load about the next start to the own start */
INLINE void bring_back(clv_w *Q, const clv_row_link *l, int lane)
{
    clv_w f[CLV_FRAME], x[6];
    load(f, l->frame + lane, CLV_FRAME);
    for (int h = 0; h < 6; h += 3)
        for (int i = 0; i < 3; i++)
            x[h + i] = f[i] * Q[h] + f[3 + i] * Q[h + 1] + f[6 + i] * Q[h + 2];
    shift_wrench(Q, f + 9, x);
}

void CLV_LANE(clv_rows_run_sum)(const clv_row_block *b)
{
    for (int lane = 0; lane < G8; lane += CLV_LANES) {
        clv_w Q[6], own[6];
        zero(Q, 6);
        for (int n = b->n - 1; n >= 0; n--) {
            const clv_row_link *l = &b->link[n];
            load(own, l->Q + lane, 6);
            if (n < b->n - 1)
                bring_back(Q, l, lane), add6(own, Q);
            for (int i = 0; i < 6; i++)
                Q[i] = own[i];
        }
        store(b->sum->Q + lane, Q, 6);
    }
}

void CLV_LANE(clv_rows_run_arrive)(const clv_row_block *b)
{
    for (int lane = 0; lane < G8; lane += CLV_LANES) {
        clv_w Q[6], own[6];
        load(Q, b->sum->arrives + lane, 6);
        for (int n = b->n - 1; n >= 0; n--) {
            const clv_row_link *l = &b->link[n];
            store(l->arrives + lane, Q, 6), load(own, l->Q + lane, 6);
            bring_back(Q, l, lane), add6(Q, own);
        }
    }
}
