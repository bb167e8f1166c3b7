/* SPDX-License-Identifier: Apache-2.0
 * A lane source: columns of loop rows that pass a flexible body, or the joint of a base on one (T169).  A lane is a
 * column.  Called by row_carry_joined.c.
 *
 *   joined_take    columns of a body that moves as S^T x + Phi u + c, to x and to the modes
 *   joined_modes   the modes are eliminated
 *   joined_joint   the joint of a base is eliminated; to the body before
 *   joined_float   a base that floats is eliminated (T170.1) */
#include "kinematics/row_lane.h"

INLINE void take(clv_w *x, const double *from, int n, int wide)
{
    for (int i = 0; i < n; i++)
        x[i] = clv_w_load(from + i * wide);
}
INLINE void give(double *to, const clv_w *x, int n, int wide)
{
    for (int i = 0; i < n; i++)
        clv_w_store(to + i * wide, x[i]);
}

INLINE clv_w product(const double *a, const clv_w *x)
{
    clv_w sum = x[0] * a[0];
    for (int i = 1; i < 6; i++)
        sum += x[i] * a[i];
    return sum;
}

/* as clv_wrench_shift */
INLINE void shift_columns(clv_w *x, const double *r)
{
    x[3] += x[2] * r[1] - x[1] * r[2];
    x[4] += x[0] * r[2] - x[2] * r[0];
    x[5] += x[1] * r[0] - x[0] * r[1];
}

/* L += Y^T Z, of n rows each */
INLINE void add_products(const clv_row_columns *s, const double *Y, const double *Z, int n)
{
    for (int a = 0; a < s->n; a++)
        for (int j = 0; j < s->wide; j += CLV_LANES) {
            clv_w sum = clv_w_load(s->L + a * s->wide + j);
            for (int i = 0; i < n; i++)
                sum += clv_w_load(Z + i * s->wide + j) * Y[i * s->wide + a];
            clv_w_store(s->L + a * s->wide + j, sum);
        }
}

/* X (6 x wide): what is added to K, or K itself; Phi (n x 6), r, c or NULL: none */
void CLV_LANE(clv_rows_joined_take)(const clv_row_columns *s, const double *X, const double *Phi, int n,
                                    const double *r, const double *c)
{
    for (int at = 0; at < s->wide; at += CLV_LANES) {
        clv_w x[6], K[6];
        take(x, X + at, 6, s->wide);
        for (int m = 0; Phi && m < n; m++) {
            double *Y = s->modes + m * s->wide + at;
            clv_w_store(Y, clv_w_load(Y) + product(Phi + 6 * m, x));
        }
        if (c)
            clv_w_store(s->t + at, clv_w_load(s->t + at) + product(c, x));
        if (r)
            shift_columns(x, r);
        if (X != s->K) {
            take(K, s->K + at, 6, s->wide);
            for (int i = 0; i < 6; i++)
                x[i] += K[i];
        }
        give(s->K + at, x, 6, s->wide);
    }
}

/* A: L of n modes with inverse pivots, G and y of row_star.c:  Y := L^-1 Y,  K -= G^T Y,  L += Y^T Y,  t += Y^T y */
void CLV_LANE(clv_rows_joined_modes)(const clv_row_columns *s, const clv_row_star *o, int n)
{
    const double *A = o->A, *G = o->G, *y = o->y;
    for (int at = 0; at < s->wide; at += CLV_LANES) {
        clv_w K[6], t = clv_w_load(s->t + at);
        take(K, s->K + at, 6, s->wide);
        for (int m = 0; m < n; m++) {
            clv_w x = clv_w_load(s->modes + m * s->wide + at);
            for (int i = 0; i < m; i++)
                x -= clv_w_load(s->modes + i * s->wide + at) * A[m * n + i];
            x *= clv_w_fill(A[m * n + m]);
            clv_w_store(s->modes + m * s->wide + at, x);
            for (int i = 0; i < 6; i++)
                K[i] -= x * G[6 * m + i];
            t += x * y[m];
        }
        give(s->K + at, K, 6, s->wide);
        clv_w_store(s->t + at, t);
    }
    add_products(s, s->modes, s->modes, n);
}

/* J := G^T K, DJ := D^-1 J of f free directions, K -= N J;  t += K^T c + J^T u0 (c: biased).  driven: none is free, and
 * DJ is G^T K.  Then to the body before, if there is one, and to its axes by R, or NULL. */
void CLV_LANE(clv_rows_joined_joint)(const clv_row_columns *s, const clv_row_join *join, int f, bool driven,
                                     bool biased, bool hangs, const double *R)
{
    for (int at = 0; at < s->wide; at += CLV_LANES) {
        clv_w K[6], J[6], z[6], t = clv_w_load(s->t + at);
        take(K, s->K + at, 6, s->wide);
        if (biased)
            t += product(join->c, K);
        for (int i = 0; i < f; i++) {
            J[i] = z[i] = product(join->G + 6 * i, K);
            t += J[i] * join->u0[i];
        }
        if (driven)
            clv_w_store(s->DJ + at, product(join->G, K));
        for (int i = 0; i < f; i++)
            for (int k = 0; k < 6; k++)
                K[k] -= J[i] * join->N[6 * i + k];
        for (int i = 0; i < f; i++) { /* D is a lower triangle */
            for (int k = 0; k < i; k++)
                z[i] -= z[k] * join->D[f * i + k];
            z[i] = z[i] / join->D[f * i + i];
        }
        for (int i = f - 1; i >= 0; i--) {
            for (int k = i + 1; k < f; k++)
                z[i] -= z[k] * join->D[f * k + i];
            z[i] = z[i] / join->D[f * i + i];
        }
        give(s->J + at, J, f, s->wide), give(s->DJ + at, z, f, s->wide);
        if (hangs)
            shift_columns(K, join->r);
        for (int h = 0; hangs && R && h < 6; h += 3) {
            const clv_w a = K[h], b = K[h + 1], c = K[h + 2];
            for (int i = 0; i < 3; i++)
                K[h + i] = a * R[3 * i] + b * R[3 * i + 1] + c * R[3 * i + 2];
        }
        give(s->K + at, K, 6, s->wide);
        clv_w_store(s->t + at, t);
    }
    add_products(s, s->J, s->DJ, f);
}

/* X := F^-1 K, F F^T the inertia of a base that floats;  L += X^T X */
void CLV_LANE(clv_rows_joined_float)(const clv_row_columns *s, const clv_row_join *join)
{
    const double *F = join->D;
    for (int at = 0; at < s->wide; at += CLV_LANES) {
        clv_w x[6];
        take(x, s->K + at, 6, s->wide);
        for (int i = 0; i < 6; i++) {
            for (int k = 0; k < i; k++)
                x[i] -= x[k] * F[6 * i + k];
            x[i] = x[i] / F[7 * i];
        }
        give(s->X + at, x, 6, s->wide);
    }
    add_products(s, s->X, s->X, 6);
}
