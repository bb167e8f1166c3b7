/* SPDX-License-Identifier: Apache-2.0
 * Joins of two runs of segments with loops, a before b (T160): bodies of the border between them are one, so ports h of
 * a and r of b move alike.  Each shows motions of its outer ports o and of these by wrenches on all of them:
 *
 *   x_h - x_r = 0:   Z F = -(x0_h - x0_r) - C [f_o],   Z = X_hh + X_rr,   C = [X_ho of a | -X_ro of b]
 *   X = X_oo - C^T Z^+ C,   x0 = x0_o + C^T F0,   F0 = -Z^+ (x0_h - x0_r)
 *
 * F acts on a, -F on b.  Z^+ has the rank decision of T20: rows of redundant loops are dropped. */
#include <math.h>
#include <string.h>
#include "kinematics/row_segments.h"
#include "math/rank.h"
#include "ranks/joins.h"

enum { MOST = 6 * CLV_SEGMENT_PORTS, HALF = MOST / 2 }; /* rows of a segment, of a border */

static int at(int i, int j) { return i >= j ? i * (i + 1) / 2 + j : j * (j + 1) / 2 + i; }

/* what a node hands up */
typedef struct shown {
    int before, after, rows; /* rows of the borders, of both */
    const double *free, *x, *X;
} shown;

static shown look(const double *up)
{
    const int before = (int)up[CLV_RELAY_BEFORE], after = (int)up[CLV_RELAY_AFTER], n = before + after;
    const double *free = up + CLV_RELAY_PART;
    return (shown){6 * before, 6 * after, 6 * n, free, free + 2 * n, free + 8 * n};
}

static int up_of(int before, int after)
{
    const int n = 6 * (before + after);
    return CLV_RELAY_PART + n / 3 + n + n * (n + 1) / 2;
}
static int down_of(int before, int after) { return CLV_RELAY_WRENCH + 6 * (before + after); }

/* kept: rows of the border, of the outer ports of a and of b; rank; F0; C (rows x outer); factor */
enum { K_ROWS, K_A, K_B, K_RANK, K_F0 };
static const double *columns_of(const double *keep) { return keep + K_F0 + (int)keep[K_ROWS]; }
static double *factor_of(const double *keep)
{
    const int m = (int)keep[K_ROWS], n = (int)keep[K_A] + (int)keep[K_B];
    return (double *)(keep + K_F0 + m + m * n); /* memory of the node */
}

clv_relay_room clv_relay_parts_room(int most)
{
    const int m = 6 * most, up = up_of(most, most), down = down_of(most, most), meets = 1 + 36 * most;
    const int keep = K_F0 + m + 2 * m * m + CLV_RANK_SIZE(m);
    return (clv_relay_room){up > CLV_RELAY_UP ? up : CLV_RELAY_UP, down > meets ? down : meets,
                            keep > CLV_RELAY_KEEP ? keep : CLV_RELAY_KEEP};
}

/* ------------------------------------------------------------------ up */

/* what free bodies would have on the diagonal of Z, at least */
static void find_scale(const shown *a, const shown *b, const double *Z, int m, double *scale)
{
    for (int i = 0; i < m; i++) {
        const int turns = i % 6 >= 3;
        const double free = a->free[2 * ((a->before + i) / 6) + turns] + b->free[2 * (i / 6) + turns];
        scale[i] = sqrt(fmax(free, Z[i * m + i]));
    }
}

/* Z of the border and C of the outer ports */
static void form(const shown *a, const shown *b, int m, double *Z, double *C)
{
    const int na = a->before, n = na + b->after;
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < m; j++)
            Z[i * m + j] = a->X[at(na + i, na + j)] + b->X[at(i, j)];
        for (int j = 0; j < na; j++)
            C[i * n + j] = a->X[at(na + i, j)];
        for (int j = 0; j < b->after; j++)
            C[i * n + na + j] = -b->X[at(i, m + j)];
    }
}

/* G = F^-1 C (rank x n), column by column */
static void half_columns(const clv_rank *f, const double *C, int n, double *G)
{
    double x[HALF], y[HALF];
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < f->m; i++)
            x[i] = C[i * n + j];
        clv_rank_half(f, y, x);
        for (int r = 0; r < f->r; r++)
            G[r * n + j] = y[r];
    }
}

/* numbers of ports, of bodies and motions of the outer ones; where its compliance begins */
static double *begin_node(double *ab, const shown *a, const shown *b, const double *keep)
{
    const int na = a->before, nb = b->after, m = a->after, n = na + nb;
    double *free = ab + CLV_RELAY_PART, *x = free + n / 3;
    const double *F0 = keep + K_F0, *C = columns_of(keep);
    memcpy(free, a->free, (size_t)(na / 3) * sizeof *free);
    memcpy(free + na / 3, b->free + m / 3, (size_t)(nb / 3) * sizeof *free);
    for (int j = 0; j < n; j++) {
        x[j] = j < na ? a->x[j] : b->x[m + j - na];
        for (int i = 0; i < m; i++)
            x[j] += C[i * n + j] * F0[i];
    }
    return x + n;
}

static void join_parts(double *keep, const double *up_a, const double *up_b, double *ab)
{
    const shown a = look(up_a), b = look(up_b);
    const int m = a.after, na = a.before, n = na + b.after;
    double Z[HALF * HALF], scale[HALF], G[HALF * MOST], pivot = 1;
    keep[K_ROWS] = m, keep[K_A] = na, keep[K_B] = b.after;
    double *F0 = keep + K_F0, *C = F0 + m;
    form(&a, &b, m, Z, C);
    find_scale(&a, &b, Z, m, scale);
    clv_rank f = clv_rank_view(m, m, factor_of(keep));
    const int rank = clv_rank_factor(&f, Z, scale, up_a[CLV_RELAY_RANK], &pivot);
    keep[K_RANK] = rank;
    ab[CLV_RELAY_BEFORE] = na / 6, ab[CLV_RELAY_AFTER] = b.after / 6;
    ab[CLV_RELAY_RANK] = up_a[CLV_RELAY_RANK], ab[CLV_RELAY_CUT] = -1;
    if (rank < 0 || up_a[CLV_RELAY_CUT] < 0 || up_b[CLV_RELAY_CUT] < 0)
        return; /* numbers that are not finite, here or before */
    for (int i = 0; i < m; i++)
        F0[i] = b.x[i] - a.x[na + i];
    clv_rank_solve(&f, F0);
    half_columns(&f, C, n, G);
    ab[CLV_RELAY_CUT] = up_a[CLV_RELAY_CUT] + up_b[CLV_RELAY_CUT] + (m - rank);
    ab[CLV_RELAY_WEAKEST] = fmin(rank > 0 ? pivot : 1, fmin(up_a[CLV_RELAY_WEAKEST], up_b[CLV_RELAY_WEAKEST]));
    double *X = begin_node(ab, &a, &b, keep);
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++, X++) {
            *X = i < na ? a.X[at(i, j)] : j >= na ? b.X[at(m + i - na, m + j - na)] : 0.0;
            for (int r = 0; r < rank; r++)
                *X -= G[r * n + i] * G[r * n + j];
        }
}

/* ------------------------------------------------------------------ down */

static void top_parts(double *up, double *down, bool free)
{
    (void)free;
    down[CLV_RELAY_DOWN_CUT] = up[CLV_RELAY_CUT], down[CLV_RELAY_DOWN_WEAKEST] = up[CLV_RELAY_WEAKEST];
    if (up[CLV_RELAY_CUT] < 0)
        up[0] = 0.0;
}

static void split_parts(const double *keep, const double *ab, double *a, double *b)
{
    const int m = (int)keep[K_ROWS], na = (int)keep[K_A], nb = (int)keep[K_B], n = na + nb;
    const double *F0 = keep + K_F0, *C = columns_of(keep), *outer = ab + CLV_RELAY_WRENCH;
    double F[HALF];
    const clv_rank f = clv_rank_view(m, (int)fmax(keep[K_RANK], 0), factor_of(keep));
    memcpy(a, ab, CLV_RELAY_WRENCH * sizeof *a), memcpy(b, ab, CLV_RELAY_WRENCH * sizeof *b);
    if (ab[CLV_RELAY_DOWN_CUT] < 0)
        return;
    for (int i = 0; i < m; i++) {
        F[i] = 0;
        for (int j = 0; j < n; j++)
            F[i] += C[i * n + j] * outer[j];
    }
    clv_rank_solve(&f, F);
    a += CLV_RELAY_WRENCH, b += CLV_RELAY_WRENCH;
    memcpy(a, outer, (size_t)na * sizeof *a), memcpy(b + m, outer + na, (size_t)nb * sizeof *b);
    for (int i = 0; i < m; i++)
        a[na + i] = F0[i] - F[i], b[i] = -a[na + i];
}

const clv_relay_kind clv_relay_parts = {0, 0, up_of, down_of, join_parts, top_parts, split_parts};

/* ------------------------------------------------------------------ places */

enum { PLACE = 18 };

static int meets_up(int before, int after) { return 3 + PLACE * (before + after); }
static int meets_down(int before, int after)
{
    (void)after;
    return 2 + PLACE * before;
}

/* up: numbers of ports before and after, then where these are; kept: those of a at the border to b */
static void join_meets(double *keep, const double *a, const double *b, double *ab)
{
    const int na = (int)a[1], m = (int)a[2], nb = (int)b[2];
    keep[0] = na, keep[1] = m;
    memcpy(keep + 2, a + 3 + PLACE * na, (size_t)(PLACE * m) * sizeof *keep);
    ab[1] = na, ab[2] = nb;
    memcpy(ab + 3, a + 3, (size_t)(PLACE * na) * sizeof *ab);
    memcpy(ab + 3 + PLACE * na, b + 3 + PLACE * m, (size_t)(PLACE * nb) * sizeof *ab);
}

static void top_meets(double *up, double *down, bool free)
{
    (void)up, (void)free;
    down[1] = 0;
}

static void split_meets(const double *keep, const double *ab, double *a, double *b)
{
    const int na = (int)keep[0], m = (int)keep[1];
    a[1] = na, b[1] = m;
    memcpy(a + 2, ab + 2, (size_t)(PLACE * na) * sizeof *a);
    memcpy(b + 2, keep + 2, (size_t)(PLACE * m) * sizeof *b);
}

const clv_relay_kind clv_relay_meets = {0, 0, meets_up, meets_down, join_meets, top_meets, split_meets};
