/* SPDX-License-Identifier: Apache-2.0
 * A lane source: the fold of a flexible body (row_star.c, T43.8), its modes in lanes.
 *
 *   star_hold        + B^T H B of a body, B = [Phi, S^T], and B^T F
 *   star_eliminate   A = L L^T, G = L^-1 U, y = L^-1 f;  I - G^T G, p - G^T y
 *
 * Every number has the sum that row_flex_fold.c gives it, in that order. */
#include <string.h>
#include "base/tolerance.h"
#include "kinematics/row_kernels.h"
#include "math/lane_row.h"

INLINE clv_w any(const double *p) { return clv_w_load_any(p); }

/* rows of `work`: columns Phi; H Phi; its moments about the frame; Phi^T F */
enum { PHI = 0, PUSH = 6, MOMENT = 12, LOAD = 15 };

INLINE void turn_over(const clv_star_fold *b, const double *Phi)
{
    for (int m = 0; m < b->n; m++)
        for (int i = 0; i < 6; i++)
            b->work[(PHI + i) * b->wide + m] = Phi[6 * m + i];
}

/* H Phi, here and about the frame, for the modes from m on */
INLINE void push(const clv_star_fold *b, const double *H, const double *r, int m)
{
    const int wide = b->wide;
    double *work = b->work + m;
    clv_w p[6], x[6];
    for (int i = 0; i < 6; i++)
        p[i] = any(work + (PHI + i) * wide);
    for (int k = 0; k < 6; k++) {
        x[k] = p[0] * H[k];
        for (int i = 1; i < 6; i++)
            x[k] += p[i] * H[6 * i + k];
        clv_w_store_any(work + (PUSH + k) * wide, x[k]);
    }
    clv_w_store_any(work + MOMENT * wide, x[3] + (r[1] * x[2] - r[2] * x[1]));
    clv_w_store_any(work + (MOMENT + 1) * wide, x[4] + (r[2] * x[0] - r[0] * x[2]));
    clv_w_store_any(work + (MOMENT + 2) * wide, x[5] + (r[0] * x[1] - r[1] * x[0]));
}

INLINE void load_modes(const clv_star_fold *b, const double *F, int m)
{
    const int wide = b->wide;
    double *work = b->work + m;
    clv_w p[6];
    for (int i = 0; i < 6; i++)
        p[i] = any(work + (PHI + i) * wide);
    clv_w_store_any(work + LOAD * wide,
                    (p[0] * F[0] + p[1] * F[1] + p[2] * F[2]) + (p[3] * F[3] + p[4] * F[4] + p[5] * F[5]));
}

/* row i of A += Phi_i^T H Phi from the diagonal on */
INLINE void add_row(const clv_star_fold *b, const double *Phi, int i)
{
    const int wide = b->wide;
    for (int m = i / CLV_LANES * CLV_LANES; m < b->n; m += CLV_LANES) {
        const double *x = b->work + PUSH * wide + m;
        double *A = clv_star_row(b, i) + m;
        clv_w_store_any(A, any(A) + ((any(x) * Phi[0] + any(x + wide) * Phi[1] + any(x + 2 * wide) * Phi[2]) +
                                     (any(x + 3 * wide) * Phi[3] + any(x + 4 * wide) * Phi[4] +
                                      any(x + 5 * wide) * Phi[5])));
    }
}

/* I += S H S^T */
INLINE void add_shifted(const clv_star_fold *b, const double *H, const double *r)
{
    double M[36];
    memcpy(M, H, 18 * sizeof(double));
    for (int j = 0; j < 6; j++) {
        M[18 + j] = H[18 + j] + (r[1] * H[12 + j] - r[2] * H[6 + j]);
        M[24 + j] = H[24 + j] + (r[2] * H[j] - r[0] * H[12 + j]);
        M[30 + j] = H[30 + j] + (r[0] * H[6 + j] - r[1] * H[j]);
    }
    for (int i = 0; i < 6; i++) {
        const double *x = M + 6 * i;
        double *I = b->I + 8 * i;
        I[0] += x[0], I[1] += x[1], I[2] += x[2];
        I[3] += x[3] + (r[1] * x[2] - r[2] * x[1]);
        I[4] += x[4] + (r[2] * x[0] - r[0] * x[2]);
        I[5] += x[5] + (r[0] * x[1] - r[1] * x[0]);
    }
}

/* a body with the mode columns Phi (n x 6), or NULL, at r from the frame, or the entry; what is attached to it, H (36)
 * or NULL, and its load F (6) */
void CLV_LANE(clv_rows_star_hold)(const clv_star_fold *b, const double *H, const double *F, const double *Phi,
                                  const double *r)
{
    const int wide = b->wide;
    if (Phi) {
        turn_over(b, Phi);
        for (int m = 0; m < b->n; m += CLV_LANES) {
            if (H)
                push(b, H, r, m);
            load_modes(b, F, m);
        }
        for (int m = 0; H && m < b->n; m++) {
            const double *x = b->work + m;
            double *U = clv_star_beside(b, m);
            add_row(b, Phi + 6 * m, m);
            for (int k = 0; k < 3; k++)
                U[k] += x[(PUSH + k) * wide], U[3 + k] += x[(MOMENT + k) * wide];
        }
        for (int m = 0; m < b->n; m++)
            clv_star_beside(b, m)[6] += b->work[LOAD * wide + m];
    }
    if (H)
        add_shifted(b, H, r);
    for (int k = 0; k < 3; k++)
        b->I[8 * k + 6] += F[k];
    b->I[30] += F[3] + (r[1] * F[2] - r[2] * F[1]);
    b->I[38] += F[4] + (r[2] * F[0] - r[0] * F[2]);
    b->I[46] += F[5] + (r[0] * F[1] - r[1] * F[0]);
}

/* I and p at the entry without the modes */
INLINE void leave(const clv_star_fold *b, const int wide)
{
    for (int c = 0; c < 8; c += CLV_LANES) {
        clv_w I[6];
        for (int r = 0; r < 6; r++)
            I[r] = any(b->I + 8 * r + c);
        for (int m = 0; m < b->n; m++) {
            const double *G = b->A + m * (wide + 8) + wide;
            const clv_w g = any(G + c);
            for (int r = 0; r < 6; r++)
                I[r] -= g * G[r];
        }
        for (int r = 0; r < 6; r++)
            clv_w_store_any(b->I + 8 * r + c, I[r]);
    }
}

/* rows of modes behind mode i, less what it takes of them; before the diagonal is what nobody reads */
INLINE bool take_out(const clv_star_fold *b, const int wide, int i, double *A)
{
    const int n = b->n, all = wide + 8, from = wide > 8 ? i / CLV_LANES * CLV_LANES : 0;
    double *row = b->A + i * all;
    const bool good = row[i] > CLV_TOL_PIVOT * b->work[i];
    const double inverse = 1.0 / __builtin_sqrt(row[i]);
    for (int c = from; c < all; c += CLV_LANES)
        clv_w_store_any(row + c, any(row + c) * inverse);
    A[i * n + i] = inverse;
    for (int j = i + 1; j < n; j++) {
        const double l = A[j * n + i] = row[j];
        double *to = b->A + j * all;
        for (int c = from; c < all; c += CLV_LANES)
            clv_w_store_any(to + c, any(to + c) - any(row + c) * l);
    }
    return good;
}

INLINE bool eliminate(const clv_star_fold *b, const int wide, double *A, double *G, double *y)
{
    const int n = b->n, all = wide + 8;
    bool good = true;
    for (int i = 0; i < n; i++)
        b->work[i] = b->A[i * all + i];
    for (int i = 0; i < n && good; i++) {
        const double *U = b->A + i * all + wide;
        good = take_out(b, wide, i, A);
        y[i] = U[6];
        for (int c = 0; c < 6; c++)
            G[6 * i + c] = U[c];
    }
    leave(b, wide);
    return good;
}

/* A (n x n) := L with inverse pivots, G (n x 6), y (n) */
void CLV_LANE(clv_rows_star_eliminate)(const clv_star_fold *b, double *A, double *G, double *y, bool *good)
{
    if (b->wide == 8) /* the compiler unrolls its rows */
        *good = eliminate(b, 8, A, G, y);
    else
        *good = eliminate(b, b->wide, A, G, y);
}
