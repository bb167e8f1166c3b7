/* SPDX-License-Identifier: Apache-2.0
 * A lane source: what lies outboard of a strand's tip joined to the strand (T43.3), one strand at a time; a row of the
 * small matrices is eight numbers, for the widest instructions.
 *
 *   (1 + L H) [X | y] = [K^T | t + L h],   I' = I + K H X,   p' = p + K (h - H y)
 *
 * H symmetric and positive, so 1 + L H is regular, but its leading pivots are not bounded: rows are exchanged. */
#include <math.h>
#include "kinematics/row_kernels.h"

enum { G8 = CLV_GROUP, W = 8 };
/* place of entry (i, j) among the 21 stored ones */
static const int SYM[6][6] = {{0, 1, 2, 6, 7, 8},     {1, 3, 4, 9, 10, 11},    {2, 4, 5, 12, 13, 14},
                              {6, 9, 12, 15, 16, 17}, {7, 10, 13, 16, 18, 19}, {8, 11, 14, 17, 19, 20}};

static const _Alignas(64) double UNIT[W] = {0, 0, 0, 0, 0, 0, 1, 0};
#define INLINE static inline __attribute__((always_inline))
enum { STRIPS = W / CLV_LANES };
typedef struct eight { /* a row of a small matrix */
    clv_w v[STRIPS];
} eight;

INLINE eight scaled(double f, eight x)
{
    for (int i = 0; i < STRIPS; i++)
        x.v[i] = x.v[i] * f;
    return x;
}
/* y + f x */
INLINE eight plus(eight y, double f, eight x)
{
    for (int i = 0; i < STRIPS; i++)
        y.v[i] += x.v[i] * f;
    return y;
}
INLINE eight row(const double *x)
{
    eight y;
    for (int i = 0; i < STRIPS; i++)
        y.v[i] = clv_w_load(x + i * CLV_LANES);
    return y;
}
INLINE void store(double *x, eight y)
{
    for (int i = 0; i < STRIPS; i++)
        clv_w_store(x + i * CLV_LANES, y.v[i]);
}
/* sum of f_j x_j, six rows */
INLINE eight sum(double f0, double f1, double f2, double f3, double f4, double f5, const eight *x)
{
    return plus(plus(plus(plus(plus(scaled(f0, x[0]), f1, x[1]), f2, x[2]), f3, x[3]), f4, x[4]), f5, x[5]);
}

/* Gauss and Jordan on [A | X], rows exchanged for the largest pivot of a column */
INLINE void eliminate(eight *A, eight *X)
{
    for (int k = 0; k < 6; k++) {
        _Alignas(64) double column[6][W];
        int best = k;
        for (int i = 0; i < 6; i++)
            store(column[i], A[i]);
        for (int i = k + 1; i < 6; i++)
            if (fabs(column[i][k]) > fabs(column[best][k]))
                best = i;
        const double d = 1.0 / column[best][k];
        const eight a = scaled(d, A[best]), x = scaled(d, X[best]);
        A[best] = A[k], X[best] = X[k];
        const double moved = column[k][k];
        for (int i = 0; i < 6; i++) {
            const double f = -(i == best ? moved : column[i][k]);
            if (i != k)
                A[i] = plus(A[i], f, a), X[i] = plus(X[i], f, x);
        }
        A[k] = a, X[k] = x;
    }
}

/* a strand of one body that floats: its tip is its base */
static void join_single(clv_row_join *s, const clv_strand_out *o, int lane)
{
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++)
            s->I[6 * i + j] = o->I[SYM[i][j] * G8 + lane] + s->H[6 * i + j], s->X[6 * i + j] = i == j;
        s->p[i] = o->p[i * G8 + lane] + s->h[i], s->y[i] = 0.0;
    }
}

void CLV_LANE(clv_rows_join)(clv_row_join *s, const clv_strand_out *o, int lane, bool columns)
{
    if (!columns) {
        join_single(s, o, lane);
        return;
    }
    _Alignas(64) double line[W] = {0};
    eight A[6], X[6], Y[6], H[6];
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++)
            line[j] = s->H[6 * i + j];
        line[6] = -s->h[i];
        H[i] = row(line);
    }
    for (int i = 0; i < 6; i++) { /* [L H | -L h] */
        const double *L = o->L + lane;
        A[i] = sum(L[SYM[i][0] * G8], L[SYM[i][1] * G8], L[SYM[i][2] * G8], L[SYM[i][3] * G8], L[SYM[i][4] * G8],
                   L[SYM[i][5] * G8], H);
        store(line, A[i]);
        const double lh = line[6];
        line[i] += 1.0, line[6] = 0.0;
        A[i] = row(line);
        for (int j = 0; j < 6; j++)
            line[j] = o->K[(6 * i + j) * G8 + lane]; /* K^T: row i is column i of K */
        line[6] = o->t[i * G8 + lane] - lh;
        X[i] = row(line);
        line[7] = 0.0;
    }
    eliminate(A, X);
    const eight unit = row(UNIT);
    for (int i = 0; i < 6; i++) { /* [H X | H y - h] */
        const double *h = s->H + 6 * i;
        Y[i] = plus(sum(h[0], h[1], h[2], h[3], h[4], h[5], X), -s->h[i], unit);
    }
    for (int i = 0; i < 6; i++) {
        const double *K = o->K + i * G8 + lane;
        store(line, sum(K[0], K[6 * G8], K[12 * G8], K[18 * G8], K[24 * G8], K[30 * G8], Y));
        for (int j = 0; j < 6; j++)
            s->I[6 * i + j] = o->I[SYM[i][j] * G8 + lane] + line[j];
        s->p[i] = o->p[i * G8 + lane] - line[6];
        store(line, X[i]);
        for (int j = 0; j < 6; j++)
            s->X[6 * i + j] = line[j];
        s->y[i] = line[6];
    }
}
