/* SPDX-License-Identifier: Apache-2.0
 * Joins of two runs of segments, a before b: the handle of a and the root of b are one body (T80).
 *
 *   (1 + L_a I_b) [X | y | Z] = [K_a^T | t_a + L_a p_b | L_a K_b],   x of that body = X x + y + Z F
 *   I = I_a + K_a I_b X,  p = p_a + K_a (p_b - I_b y),  K = X^T K_b,  L = L_b + K_b^T Z,  t = t_b + K_b^T y
 *
 * I_b is positive and L_a semi-definite, so 1 + L_a I_b is regular, but its leading pivots are not bounded: rows are
 * exchanged.  A body that nothing holds moves by x = I^-1 p.  A handle that is held to ground (T128):
 *
 *   x = 0 at the root,   (D^T L D) lambda = a - D^T t,   F = D lambda,   with the rank decision of T20 */
#include "ranks/joins.h"
#include <math.h>
#include <string.h>
#include "kinematics/row_frame.h"
#include "math/rank.h"
#include "math/symmetric.h"

/* ------------------------------------------------------------------ places */

static void join_places(double *keep, const double *a, const double *b, double *ab)
{
    double run[6];
    memcpy(keep, a + 1, 18 * sizeof *keep);
    memcpy(ab + 1, b + 1, 18 * sizeof *ab), memcpy(run, b + 13, sizeof run);
    clv_frame_product(a + 1, ab + 1);
    clv_frame_run(a + 1, ab + 1, a + 13, run);
    memcpy(ab + 13, run, sizeof run);
}

static void top_places(double *up, double *down, bool free)
{
    (void)up, (void)free;
    memset(down, 0, 19 * sizeof *down);
    down[1] = down[5] = down[9] = 1.0;
}

static void split_places(const double *keep, const double *ab, double *a, double *b)
{
    memcpy(a, ab, 19 * sizeof *a);
    double all[19];
    memcpy(all + 1, keep, 18 * sizeof *all);
    clv_frame_product(ab + 1, all + 1);
    clv_frame_run(ab + 1, all + 1, ab + 13, all + 13);
    memcpy(b + 1, all + 1, 18 * sizeof *b);
}

const clv_relay_kind clv_relay_places = {19, 19, NULL, NULL, join_places, top_places, split_places};

/* ------------------------------------------------------------------ ports */

enum { I_ = 1, P_ = 22, K_ = 28, L_ = 64, T_ = 85, PORTS = 91 };    /* up                             */
enum { X_ = 0, Y_ = 36, Z_ = 42, IB_ = 78, KB_ = 114, PB_ = 150 };  /* kept                           */
enum { COLUMNS = 13 };

static void unfold(double full[36], const double half[21])
{
    for (int i = 0, n = 0; i < 6; i++)
        for (int j = 0; j <= i; j++, n++)
            full[6 * i + j] = full[6 * j + i] = half[n];
}

/* C = A B or A^T B, 6 x 6 */
static void product(double C[36], const double A[36], const double B[36], bool transposed)
{
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            double sum = 0;
            for (int n = 0; n < 6; n++)
                sum += (transposed ? A[6 * n + i] : A[6 * i + n]) * B[6 * n + j];
            C[6 * i + j] = sum;
        }
}
static void times(double y[6], const double A[36], const double x[6], bool transposed)
{
    for (int i = 0; i < 6; i++) {
        double sum = 0;
        for (int n = 0; n < 6; n++)
            sum += (transposed ? A[6 * n + i] : A[6 * i + n]) * x[n];
        y[i] = sum;
    }
}

/* B := A^-1 B (6 x COLUMNS), rows exchanged */
static void solve(double A[36], double B[6][COLUMNS])
{
    for (int k = 0; k < 6; k++) {
        int best = k;
        for (int i = k + 1; i < 6; i++)
            if (fabs(A[6 * i + k]) > fabs(A[6 * best + k]))
                best = i;
        for (int j = 0; j < 6 && best != k; j++) {
            const double x = A[6 * k + j];
            A[6 * k + j] = A[6 * best + j], A[6 * best + j] = x;
        }
        for (int j = 0; j < COLUMNS && best != k; j++) {
            const double x = B[k][j];
            B[k][j] = B[best][j], B[best][j] = x;
        }
        for (int i = k + 1; i < 6; i++) {
            const double f = A[6 * i + k] / A[7 * k];
            for (int j = k + 1; j < 6; j++)
                A[6 * i + j] -= f * A[6 * k + j];
            for (int j = 0; j < COLUMNS; j++)
                B[i][j] -= f * B[k][j];
        }
    }
    for (int k = 5; k >= 0; k--)
        for (int j = 0; j < COLUMNS; j++) {
            for (int i = k + 1; i < 6; i++)
                B[k][j] -= A[6 * k + i] * B[i][j];
            B[k][j] /= A[7 * k];
        }
}

static void join_ports(double *keep, const double *a, const double *b, double *ab)
{
    double *X = keep + X_, *y = keep + Y_, *Z = keep + Z_, *Ib = keep + IB_, *Kb = keep + KB_, *pb = keep + PB_;
    double La[36], A[36], M[36], N[36], B[6][COLUMNS], v[6], w[6];
    const double *Ka = a + K_;
    unfold(La, a + L_), unfold(Ib, b + I_);
    memcpy(Kb, b + K_, 36 * sizeof *Kb), memcpy(pb, b + P_, 6 * sizeof *pb);
    product(A, La, Ib, false), product(M, La, Kb, false), times(v, La, pb, false);
    for (int i = 0; i < 6; i++) {
        A[7 * i] += 1.0;
        for (int j = 0; j < 6; j++)
            B[i][j] = Ka[6 * j + i], B[i][7 + j] = M[6 * i + j];
        B[i][6] = a[T_ + i] + v[i];
    }
    solve(A, B);
    for (int i = 0; i < 6; i++) {
        memcpy(X + 6 * i, B[i], 6 * sizeof *X), memcpy(Z + 6 * i, B[i] + 7, 6 * sizeof *Z);
        y[i] = B[i][6];
    }
    product(M, Ib, X, false), product(N, Ka, M, false);
    for (int i = 0, n = 0; i < 6; i++)
        for (int j = 0; j <= i; j++, n++)
            ab[I_ + n] = a[I_ + n] + 0.5 * (N[6 * i + j] + N[6 * j + i]);
    times(v, Ib, y, false);
    for (int i = 0; i < 6; i++)
        w[i] = pb[i] - v[i];
    times(v, Ka, w, false);
    for (int i = 0; i < 6; i++)
        ab[P_ + i] = a[P_ + i] + v[i];
    product(ab + K_, X, Kb, true);
    product(N, Kb, Z, true);
    for (int i = 0, n = 0; i < 6; i++)
        for (int j = 0; j <= i; j++, n++)
            ab[L_ + n] = b[L_ + n] + 0.5 * (N[6 * i + j] + N[6 * j + i]);
    times(v, Kb, y, true);
    for (int i = 0; i < 6; i++)
        ab[T_ + i] = b[T_ + i] + v[i];
}

static void top_ports(double *up, double *down, bool free)
{
    double D[36];
    memset(down, 0, 19 * sizeof *down);
    if (!free)
        return;
    unfold(D, up + I_);
    if (clv_cholesky(D, 6, 1e-15) >= 0) {
        up[0] = 0.0;
        return;
    }
    memcpy(down + 1, up + P_, 6 * sizeof *down);
    clv_lower_solve(D, 6, down + 1), clv_lower_transpose_solve(D, 6, down + 1);
}

static void split_ports(const double *keep, const double *ab, double *a, double *b)
{
    const double *x = ab + 1, *F = ab + 7;
    double v[6], middle[6], w[6];
    times(v, keep + X_, x, false), times(w, keep + Z_, F, false);
    for (int i = 0; i < 6; i++)
        middle[i] = v[i] + keep[Y_ + i] + w[i];
    times(v, keep + KB_, F, false), times(w, keep + IB_, middle, false);
    memcpy(a + 1, x, 6 * sizeof *a);
    for (int i = 0; i < 6; i++)
        a[7 + i] = keep[PB_ + i] + v[i] - w[i], b[1 + i] = middle[i], b[7 + i] = F[i];
    memcpy(a + 13, ab + 13, 6 * sizeof *a), memcpy(b + 13, a + 7, 6 * sizeof *b);
}

const clv_relay_kind clv_relay_ports = {PORTS, 19, NULL, NULL, join_ports, top_ports, split_ports};

enum { HELD = CLV_RELAY_HOLD, ROWS = HELD + 50 };

static void join_held(double *keep, const double *a, const double *b, double *ab)
{
    join_ports(keep, a, b, ab);
    memcpy(ab + HELD, b + HELD, (ROWS - HELD) * sizeof *ab); /* the handle is that of b */
}

/* F on the handle; rows that were dropped, or -1 */
static int hold(const double *up, double F[6])
{
    const int m = (int)up[HELD];
    const double *D = up + HELD + 1, *a = D + 36, *scale = a + 6;
    double L[36], Z[36], LD[6], lambda[6], memory[CLV_RANK_SIZE(6)], pivot;
    clv_rank f = clv_rank_view(m, m, memory);
    unfold(L, up + L_);
    for (int i = 0; i < m; i++) {
        times(LD, L, D + 6 * i, false);
        lambda[i] = a[i];
        for (int n = 0; n < 6; n++)
            lambda[i] -= D[6 * i + n] * up[T_ + n];
        for (int j = 0; j < m; j++) {
            Z[m * j + i] = 0;
            for (int n = 0; n < 6; n++)
                Z[m * j + i] += D[6 * j + n] * LD[n];
        }
    }
    const int r = clv_rank_factor(&f, Z, scale, up[HELD + 49], &pivot);
    if (r < 0)
        return -1;
    clv_rank_solve(&f, lambda);
    for (int i = 0; i < m; i++)
        for (int n = 0; n < 6; n++)
            F[n] += D[6 * i + n] * lambda[i];
    return m - r;
}

static void top_held(double *up, double *down, bool free)
{
    (void)free;
    memset(down, 0, (CLV_RELAY_DROPPED + 1) * sizeof *down);
    const int dropped = hold(up, down + 7);
    down[CLV_RELAY_DROPPED] = dropped;
    if (dropped < 0)
        up[0] = 0.0;
}

static void split_held(const double *keep, const double *ab, double *a, double *b)
{
    split_ports(keep, ab, a, b);
    a[CLV_RELAY_DROPPED] = b[CLV_RELAY_DROPPED] = ab[CLV_RELAY_DROPPED];
}

const clv_relay_kind clv_relay_held = {ROWS, CLV_RELAY_DROPPED + 1, NULL, NULL, join_held, top_held, split_held};

/* ------------------------------------------------------------------ numbers */

/* NaN counts as infinite */
static double larger(double a, double b) { return isnan(a) || isnan(b) ? INFINITY : fmax(a, b); }

enum { SUMS = 1 + CLV_RELAY_MOST + CLV_RELAY_SUMS };

static void join_sums(double *keep, const double *a, const double *b, double *ab)
{
    (void)keep;
    for (int i = 1; i <= CLV_RELAY_MOST; i++)
        ab[i] = larger(a[i], b[i]);
    for (int i = 1 + CLV_RELAY_MOST; i < SUMS; i++)
        ab[i] = a[i] + b[i];
}
static void top_sums(double *up, double *down, bool free)
{
    (void)free;
    memcpy(down, up, SUMS * sizeof *down);
}
static void split_sums(const double *keep, const double *ab, double *a, double *b)
{
    (void)keep;
    memcpy(a, ab, SUMS * sizeof *a), memcpy(b, ab, SUMS * sizeof *b);
}
const clv_relay_kind clv_relay_sums = {SUMS, SUMS, NULL, NULL, join_sums, top_sums, split_sums};

static void join_largest(double *keep, const double *a, const double *b, double *ab)
{
    (void)keep;
    ab[1] = larger(a[1], b[1]);
}
static void top_largest(double *up, double *down, bool free)
{
    (void)free;
    down[1] = up[1];
}
static void split_largest(const double *keep, const double *ab, double *a, double *b)
{
    (void)keep;
    a[1] = b[1] = ab[1];
}
const clv_relay_kind clv_relay_largest = {2, 2, NULL, NULL, join_largest, top_largest, split_largest};
