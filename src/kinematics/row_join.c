/* SPDX-License-Identifier: Apache-2.0
 * A lane source: what lies outboard of a strand's tip joined to the strand (T43.3), one strand at a time.  A row of the
 * small matrices is eight numbers, for the widest instructions.
 *
 *   (1 + L H) [X | y] = [K^T | t + L h],   I' = I + K H X,   p' = p + K (h - H y)
 *
 * H symmetric and positive, so 1 + L H is regular, but its leading pivots are not bounded: rows are exchanged. */
#include "kinematics/row_kernels.h"
#include "math/spatial.h"
#include <math.h>

enum { G8 = CLV_GROUP, W = 8 };
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
/* y + f x, y - f x */
INLINE eight plus(eight y, double f, eight x)
{
    for (int i = 0; i < STRIPS; i++)
        y.v[i] += x.v[i] * f;
    return y;
}
INLINE eight minus(eight y, double f, eight x)
{
    for (int i = 0; i < STRIPS; i++)
        y.v[i] -= x.v[i] * f;
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
/* six numbers, and a seventh */
INLINE eight row_of(const double *x, int stride, double last)
{
    eight y;
    clv_w_eight(y.v, x[0], x[stride], x[2 * stride], x[3 * stride], x[4 * stride], x[5 * stride], last, 0.0);
    return y;
}
/* sum of f_j x_j, six rows; f_j at `stride` */
INLINE eight sum(const double *f, int stride, const eight *x)
{
    eight y = scaled(f[0], x[0]);
    for (int j = 1; j < 6; j++)
        y = plus(y, f[j * stride], x[j]);
    return y;
}
/* row i of a symmetric matrix of 21 numbers in a lane times six rows */
INLINE eight symmetric_sum(const double *s, int i, const eight *x)
{
    eight y = scaled(s[CLV_SYM[i][0] * G8], x[0]);
    for (int j = 1; j < 6; j++)
        y = plus(y, s[CLV_SYM[i][j] * G8], x[j]);
    return y;
}

/* column k of A eliminated below the diagonal, by the row with the largest entry; inverse: of the pivot */
INLINE void eliminate(double **A, double **X, double *inverse, const int k)
{
    int best = k;
    for (int i = k + 1; i < 6; i++)
        if (fabs(A[i][k]) > fabs(A[best][k]))
            best = i;
    double *a = A[best], *x = X[best];
    A[best] = A[k], X[best] = X[k], A[k] = a, X[k] = x;
    *inverse = 1.0 / a[k];
    const eight pivot = row(a), right = row(x);
    for (int i = k + 1; i < 6; i++) {
        const double f = A[i][k] * *inverse;
        store(A[i], minus(row(A[i]), f, pivot)), store(X[i], minus(row(X[i]), f, right));
    }
}

/* X := A^-1 X, rows of X to Z */
INLINE void solve(double A[6][W], double X[6][W], eight *Z)
{
    double *a[6], *x[6], inverse[6];
    for (int i = 0; i < 6; i++)
        a[i] = A[i], x[i] = X[i];
    eliminate(a, x, inverse, 0), eliminate(a, x, inverse + 1, 1), eliminate(a, x, inverse + 2, 2);
    eliminate(a, x, inverse + 3, 3), eliminate(a, x, inverse + 4, 4), eliminate(a, x, inverse + 5, 5);
    for (int k = 5; k >= 0; k--) {
        Z[k] = row(x[k]);
        for (int i = k + 1; i < 6; i++)
            Z[k] = minus(Z[k], a[k][i], Z[i]);
        Z[k] = scaled(inverse[k], Z[k]);
    }
}

/* rows of R z, both halves */
INLINE eight turned(const double *R, const eight *z, int i)
{
    const int h = i - i % 3;
    return plus(plus(scaled(R[3 * (i % 3)], z[h]), R[3 * (i % 3) + 1], z[h + 1]), R[3 * (i % 3) + 2], z[h + 2]);
}

/* what a strand shows, rows [I' | -p'], on the tip of the strand from which it starts: H += R I' R^T, h += R p' */
INLINE void hang(clv_row_join *on, const double *R, const eight *M)
{
    _Alignas(64) double Y[6 * W];
    eight Z[6];
    for (int i = 0; i < 6; i++)
        store(Y + W * i, turned(R, M, i));
    for (int i = 0; i < 6; i++) /* I' R^T, I' symmetric */
        Z[i] = row_of(Y + i, W, 0.0), on->h[i] -= Y[W * i + 6];
    for (int i = 0; i < 6; i++) {
        double *H = on->H + 6 * i;
        store(Y + W * i, turned(R, Z, i));
        clv_six_store(H, clv_six_add(clv_six_load(H), 1.0, clv_six_load(Y + W * i)));
    }
}

INLINE void keep(clv_row_join *s, const eight *M)
{
    _Alignas(64) double line[W];
    for (int i = 0; i < 6; i++) {
        store(line, M[i]);
        clv_six_store(s->I + 6 * i, clv_six_load(line));
        s->p[i] = -line[6];
    }
}

/* X, y of a strand, and what it shows */
INLINE void join(clv_row_join *s, const clv_strand_out *o, int lane, bool shows, eight *M)
{
    const double *L = o->L + lane, *K = o->K + lane;
    _Alignas(64) double A[6][W], B[6][W];
    eight H[6], X[6], Y[6];
    for (int i = 0; i < 6; i++)
        H[i] = row_of(s->H + 6 * i, 1, -s->h[i]);
    for (int i = 0; i < 6; i++) { /* [L H | -L h]; row i of K^T is column i of K */
        store(A[i], symmetric_sum(L, i, H));
        A[i][i] += 1.0;
        store(B[i], row_of(K + 6 * i * G8, G8, o->t[i * G8 + lane] - A[i][6]));
    }
    solve(A, B, X);
    for (int i = 0; i < 6; i++) {
        store(A[i], X[i]);
        clv_six_store(s->X + 6 * i, clv_six_load(A[i]));
        s->y[i] = A[i][6];
    }
    static const _Alignas(64) double UNIT[W] = {0, 0, 0, 0, 0, 0, 1, 0};
    for (int i = 0; shows && i < 6; i++) /* [H X | H y - h] */
        Y[i] = plus(sum(s->H + 6 * i, 1, X), -s->h[i], row(UNIT));
    for (int i = 0; shows && i < 6; i++) {
        const eight KY = sum(K + i * G8, 6 * G8, Y);
        for (int v = 0; v < STRIPS; v++)
            M[i].v[v] += KY.v[v];
    }
}

void CLV_LANE(clv_rows_join)(clv_row_join *s, clv_row_join *on, const clv_strand_out *o, int lane, bool tip, bool shows)
{
    eight M[6]; /* [I' | -p'] */
    for (int i = 0; shows && i < 6; i++) {
        const double *I = o->I + lane;
        clv_w_eight(M[i].v, I[CLV_SYM[i][0] * G8], I[CLV_SYM[i][1] * G8], I[CLV_SYM[i][2] * G8], I[CLV_SYM[i][3] * G8],
                    I[CLV_SYM[i][4] * G8], I[CLV_SYM[i][5] * G8], -o->p[i * G8 + lane], 0.0);
    }
    if (tip)
        join(s, o, lane, shows, M);
    if (shows && on)
        hang(on, s->R, M);
    else if (shows)
        keep(s, M);
}

/* Z of a wrench J at the tip (6 x 6): (1 + L H) Z = L J */
void CLV_LANE(clv_rows_reach)(const clv_row_join *s, const clv_strand_out *o, int lane, const double *J, double *Z)
{
    _Alignas(64) double A[6][W], B[6][W], line[W];
    eight H[6], Y[6], X[6];
    for (int i = 0; i < 6; i++)
        H[i] = row_of(s->H + 6 * i, 1, 0.0), Y[i] = row_of(J + 6 * i, 1, 0.0);
    for (int i = 0; i < 6; i++) {
        store(A[i], symmetric_sum(o->L + lane, i, H)), store(B[i], symmetric_sum(o->L + lane, i, Y));
        A[i][i] += 1.0;
    }
    solve(A, B, X);
    for (int i = 0; i < 6; i++) {
        store(line, X[i]);
        clv_six_store(Z + 6 * i, clv_six_load(line));
    }
}
