/* SPDX-License-Identifier: Apache-2.0
 * A lane source: strands of mechanisms abreast that join others at their tips, by the operations of row_join.c and
 * row_fold.c (T43.3, T132).  Rows are exchanged lane by lane.
 *
 *   flex_join   a strand and what lies outboard of its tip; what it shows, to the tip before or for its joint
 *   flex_tip    the way back: motion of its tip, and the wrench there */
#include "kinematics/row_flex_lane.h"
#include "math/lane_solve.h"

enum { SEVEN = 7 }; /* a row of the small matrices: six columns and a vector */
typedef struct row7 {
    clv_w v[SEVEN];
} row7;

/* X, y of a strand; adds to what it shows, rows [I' | -p'] */
INLINE void join(const clv_row_tip *t, const clv_strand_out *o, int lane, const int shows, row7 *M)
{
    const double *L = o->L + lane, *K = o->K + lane;
    clv_w_factor6 A;
    clv_w H[6][SEVEN];
    row7 X[6];
    for (int i = 0; i < 6; i++) {
        load(H[i], from(t->H + lane, 6 * i), 6);
        H[i][6] = -at(t->h + lane, i);
    }
    for (int i = 0; i < 6; i++) {
        clv_w row[SEVEN];
        for (int c = 0; c < SEVEN; c++) {
            row[c] = H[0][c] * at(L, CLV_SYM[i][0]);
            for (int j = 1; j < 6; j++)
                row[c] += H[j][c] * at(L, CLV_SYM[i][j]);
        }
        row[i] += 1.0;
        for (int c = 0; c < 6; c++)
            A.U[i][c] = row[c];
        load(X[i].v, K + 6 * i * G8, 6);
        X[i].v[6] = at(o->t + lane, i) - row[6];
    }
    clv_w_eliminate6(&A);
    for (int c = 0; c < SEVEN; c++) {
        clv_w x[6] = {X[0].v[c], X[1].v[c], X[2].v[c], X[3].v[c], X[4].v[c], X[5].v[c]};
        clv_w_solve6(&A, x);
        for (int i = 0; i < 6; i++)
            X[i].v[c] = x[i];
    }
    for (int i = 0; i < 6; i++) {
        store(from(t->X + lane, 6 * i), X[i].v, 6);
        set(t->y + lane, i, X[i].v[6]);
    }
    if (!shows)
        return;
    row7 Y[6];
    for (int i = 0; i < 6; i++)
        for (int c = 0; c < SEVEN; c++) {
            Y[i].v[c] = X[0].v[c] * H[i][0];
            for (int j = 1; j < 6; j++)
                Y[i].v[c] += X[j].v[c] * H[i][j];
            Y[i].v[c] += clv_w_fill(c == 6 ? 1.0 : 0.0) * H[i][6];
        }
    for (int i = 0; i < 6; i++)
        for (int c = 0; c < SEVEN; c++) {
            clv_w sum = Y[0].v[c] * at(K, i);
            for (int j = 1; j < 6; j++)
                sum += Y[j].v[c] * at(K, 6 * j + i);
            M[i].v[c] += sum;
        }
}

/* number c of row i of R M, both halves */
INLINE clv_w turned(const clv_w *R, const row7 *M, int i, int c)
{
    const int h = i - i % 3;
    return M[h].v[c] * R[3 * (i % 3)] + M[h + 1].v[c] * R[3 * (i % 3) + 1] + M[h + 2].v[c] * R[3 * (i % 3) + 2];
}

INLINE void hang(const clv_row_tip *on, const clv_w *R, const row7 *M, int lane)
{
    row7 Y[6], Z[6];
    for (int i = 0; i < 6; i++)
        for (int c = 0; c < SEVEN; c++)
            Y[i].v[c] = turned(R, M, i, c);
    for (int i = 0; i < 6; i++) {
        for (int c = 0; c < 6; c++)
            Z[i].v[c] = Y[c].v[i];
        set(on->h + lane, i, at(on->h + lane, i) - Y[i].v[6]);
    }
    for (int i = 0; i < 6; i++)
        for (int c = 0; c < 6; c++)
            set(on->H + lane, 6 * i + c, at(on->H + lane, 6 * i + c) + 1.0 * turned(R, Z, i, c));
}

/* t: its tip, or NULL; on: the tip from which it starts, with R (9 x 8) beside those axes, or NULL; I (36 x 8), p (6 x
 * 8): what it shows otherwise, or NULL */
void CLV_LANE(clv_rows_flex_join)(const clv_rows *w, int strand, const clv_row_tip *t, const clv_row_tip *on,
                                  const double *R, double *I, double *p)
{
    const clv_strand_out *o = &w->engine->out[strand];
    const bool shows = on || I;
    for (int lane = 0; lane < w->plan->group[strand].nstrand; lane += CLV_LANES) {
        row7 M[6];
        for (int i = 0; i < 6; i++) {
            for (int c = 0; c < 6; c++)
                M[i].v[c] = at(o->I + lane, CLV_SYM[i][c]);
            M[i].v[6] = -at(o->p + lane, i);
        }
        if (t)
            join(t, o, lane, shows, M);
        if (on) {
            clv_w axes[9];
            load(axes, R + lane, 9);
            hang(on, axes, M, lane);
        } else if (I)
            for (int i = 0; i < 6; i++) {
                store(from(I + lane, 6 * i), M[i].v, 6);
                set(p + lane, i, -M[i].v[6]);
            }
    }
}

/* The way back, from the motion x of the base: of the own tip t, or NULL, and the wrench there.  A strand that starts
 * at the tip `on`, with axes R (9 x 8) beside its own, takes x from there. */
void CLV_LANE(clv_rows_flex_tip)(const clv_rows *w, int strand, const clv_row_tip *t, const clv_row_tip *on,
                                 const double *R)
{
    const clv_strand_out *o = &w->engine->out[strand];
    for (int lane = 0; lane < w->plan->group[strand].nstrand; lane += CLV_LANES) {
        clv_w x[6], y[6], F[6], axes[9];
        if (on) {
            load(y, on->x + lane, 6), load(axes, R + lane, 9);
            turn_back6(x, axes, y);
            store(o->x + lane, x, 6);
        }
        zero(F, 6);
        if (t) {
            load(x, o->x + lane, 6);
            times_dots(y, t->X + lane, x);
            for (int i = 0; i < 6; i++)
                y[i] += at(t->y + lane, i);
            store(t->x + lane, y, 6);
            times_dots(x, t->H + lane, y);
            for (int i = 0; i < 6; i++)
                F[i] = at(t->h + lane, i) - x[i];
        }
        store(o->F + lane, F, 6);
    }
}
