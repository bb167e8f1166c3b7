/* SPDX-License-Identifier: Apache-2.0
 * Joins of two runs of segments with loops, a before b (T160): bodies of the border between them are one, so ports h of
 * a and r of b move alike.  Each shows motions of its outer ports o and of these by wrenches on all of them:
 *
 *   x_h - x_r = 0:   Z F = -(x0_h - x0_r) - C [f_o],   Z = X_hh + X_rr,   C = [X_ho of a | -X_ro of b]
 *   X = X_oo - C^T Z^+ C,   x0 = x0_o + C^T F0,   F0 = -Z^+ (x0_h - x0_r)
 *
 * F acts on a, -F on b.  Z^+ has the rank decision of T20: rows of redundant loops are dropped.  Corrections have two
 * motions, of coordinates and of rates, and then x_h - x_r = what h and r differ by, of poses or of motions. */
#include <math.h>
#include <string.h>
#include "kinematics/row_segments.h"
#include "math/rank.h"
#include "ranks/joins.h"

enum { MOST = 6 * CLV_SEGMENT_PORTS, HALF = MOST / 2 }; /* rows of a segment, of a border */

static int at(int i, int j) { return i >= j ? i * (i + 1) / 2 + j : j * (j + 1) / 2 + i; }

enum { PLACE = sizeof(clv_segment_move) / sizeof(double), CORRECTIONS = 2 };

/* what a node hands up */
typedef struct shown {
    int before, after, rows; /* rows of the borders, of both */
    const double *free, *x, *X;
    const clv_segment_move *at; /* of corrections */
} shown;

/* sets: of motions x */
static shown look(const double *up, int sets)
{
    const int before = (int)up[CLV_RELAY_BEFORE], after = (int)up[CLV_RELAY_AFTER], n = 6 * (before + after);
    const double *free = up + CLV_RELAY_PART, *x = free + n / 3, *X = x + sets * n;
    return (shown){6 * before, 6 * after, n, free, x, X, (const clv_segment_move *)(X + n * (n + 1) / 2)};
}

static int up_of_sets(int ports, int sets)
{
    const int n = 6 * ports;
    return CLV_RELAY_PART + n / 3 + sets * n + n * (n + 1) / 2 + (sets == CORRECTIONS ? PLACE * ports : 0);
}
static int up_of(int before, int after) { return up_of_sets(before + after, 1); }
static int down_of(int before, int after) { return CLV_RELAY_WRENCH + 6 * (before + after); }
static int up_of_corrections(int before, int after) { return up_of_sets(before + after, CORRECTIONS); }
static int down_of_corrections(int before, int after) { return CLV_RELAY_WRENCH + 6 * CORRECTIONS * (before + after); }

/* kept: rows of the border, of the outer ports of a and of b; rank; F0 of each set; C (rows x outer); factor */
enum { K_ROWS, K_A, K_B, K_RANK, K_F0 };
static const double *columns_of(const double *keep) { return keep + K_F0 + CORRECTIONS * (int)keep[K_ROWS]; }
static double *factor_of(const double *keep)
{
    const int m = (int)keep[K_ROWS], n = (int)keep[K_A] + (int)keep[K_B];
    return (double *)(columns_of(keep) + m * n); /* memory of the node */
}

static int looks_up(int before, int after);

clv_relay_room clv_relay_parts_room(int most)
{
    const int m = 6 * most, up = up_of_corrections(most, most), down = down_of_corrections(most, most);
    const int looks = looks_up(most, most), keep = K_F0 + CORRECTIONS * m + 2 * m * m + CLV_RANK_SIZE(m);
    return (clv_relay_room){up > looks ? up : looks, down > CLV_RELAY_DOWN ? down : CLV_RELAY_DOWN,
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

/* numbers of bodies and motions of the outer ports, and where these are; where the compliance begins */
static double *begin_node(double *ab, const shown *a, const shown *b, const double *keep, int sets)
{
    const int na = a->before, nb = b->after, m = a->after, n = na + nb;
    double *free = ab + CLV_RELAY_PART, *x = free + n / 3, *X = x + sets * n;
    const double *C = columns_of(keep);
    memcpy(free, a->free, (size_t)(na / 3) * sizeof *free);
    memcpy(free + na / 3, b->free + m / 3, (size_t)(nb / 3) * sizeof *free);
    for (int s = 0; s < sets; s++)
        for (int j = 0; j < n; j++) {
            double *to = x + s * n + j;
            *to = j < na ? a->x[s * a->rows + j] : b->x[s * b->rows + m + j - na];
            for (int i = 0; i < m; i++)
                *to += C[i * n + j] * keep[K_F0 + s * m + i];
        }
    if (sets == CORRECTIONS) {
        clv_segment_move *at_outer = (clv_segment_move *)(X + n * (n + 1) / 2);
        memcpy(at_outer, a->at, (size_t)(na / 6) * sizeof *at_outer);
        memcpy(at_outer + na / 6, b->at + m / 6, (size_t)(nb / 6) * sizeof *at_outer);
    }
    return X;
}

/* what h is to move less than r */
static void begin_wrenches(const shown *a, const shown *b, int sets, double *F0)
{
    const int m = a->after, na = a->before;
    for (int s = 0; s < sets; s++)
        for (int i = 0; i < m; i++)
            F0[s * m + i] = b->x[s * b->rows + i] - a->x[s * a->rows + na + i];
    for (int s = 0; sets == CORRECTIONS && s < sets; s++)
        for (int i = 0; i < m / 6; i++) {
            double differ[6];
            clv_segment_differ(&b->at[i], &a->at[na / 6 + i], s == 1, differ);
            for (int r = 0; r < 6; r++)
                F0[s * m + 6 * i + r] += differ[r];
        }
}

static void join_sets(double *keep, const double *up_a, const double *up_b, double *ab, int sets)
{
    const shown a = look(up_a, sets), b = look(up_b, sets);
    const int m = a.after, na = a.before, n = na + b.after;
    double Z[HALF * HALF], scale[HALF], G[HALF * MOST], pivot = 1;
    keep[K_ROWS] = m, keep[K_A] = na, keep[K_B] = b.after;
    double *F0 = keep + K_F0, *C = F0 + CORRECTIONS * m;
    form(&a, &b, m, Z, C);
    find_scale(&a, &b, Z, m, scale);
    clv_rank f = clv_rank_view(m, m, factor_of(keep));
    const int rank = clv_rank_factor(&f, Z, scale, up_a[CLV_RELAY_RANK], &pivot);
    keep[K_RANK] = rank;
    const int before = na / 6, after = b.after / 6; /* bodies */
    ab[CLV_RELAY_BEFORE] = before, ab[CLV_RELAY_AFTER] = after;
    ab[CLV_RELAY_RANK] = up_a[CLV_RELAY_RANK], ab[CLV_RELAY_CUT] = -1;
    if (rank < 0 || up_a[CLV_RELAY_CUT] < 0 || up_b[CLV_RELAY_CUT] < 0)
        return; /* numbers that are not finite, here or before */
    begin_wrenches(&a, &b, sets, F0);
    for (int s = 0; s < sets; s++)
        clv_rank_solve(&f, F0 + s * m);
    half_columns(&f, C, n, G);
    ab[CLV_RELAY_CUT] = up_a[CLV_RELAY_CUT] + up_b[CLV_RELAY_CUT] + (m - rank);
    ab[CLV_RELAY_WEAKEST] = fmin(rank > 0 ? pivot : 1, fmin(up_a[CLV_RELAY_WEAKEST], up_b[CLV_RELAY_WEAKEST]));
    double *X = begin_node(ab, &a, &b, keep, sets);
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++, X++) {
            *X = i < na ? a.X[at(i, j)] : j >= na ? b.X[at(m + i - na, m + j - na)] : 0.0;
            for (int r = 0; r < f.r; r++)
                *X -= G[r * n + i] * G[r * n + j];
        }
}

static void join_parts(double *keep, const double *a, const double *b, double *ab) { join_sets(keep, a, b, ab, 1); }
static void join_corrections(double *keep, const double *a, const double *b, double *ab)
{
    join_sets(keep, a, b, ab, CORRECTIONS);
}

/* ------------------------------------------------------------------ down */

static void top_parts(double *up, double *down, bool free)
{
    (void)free;
    down[CLV_RELAY_DOWN_CUT] = up[CLV_RELAY_CUT], down[CLV_RELAY_DOWN_WEAKEST] = up[CLV_RELAY_WEAKEST];
    if (up[CLV_RELAY_CUT] < 0)
        up[0] = 0.0;
}

static void split_set(const double *keep, const double *F0, const double *outer, double *a, double *b)
{
    const int m = (int)keep[K_ROWS], na = (int)keep[K_A], nb = (int)keep[K_B], n = na + nb;
    const double *C = columns_of(keep);
    double F[HALF];
    const clv_rank f = clv_rank_view(m, (int)keep[K_RANK], factor_of(keep));
    for (int i = 0; i < m; i++) {
        F[i] = 0;
        for (int j = 0; j < n; j++)
            F[i] += C[i * n + j] * outer[j];
    }
    clv_rank_solve(&f, F);
    memcpy(a, outer, (size_t)na * sizeof *a), memcpy(b + m, outer + na, (size_t)nb * sizeof *b);
    for (int i = 0; i < m; i++)
        a[na + i] = F0[i] - F[i], b[i] = -a[na + i];
}

static void split_sets(const double *keep, const double *ab, double *a, double *b, int sets)
{
    const int m = (int)keep[K_ROWS], na = (int)keep[K_A], nb = (int)keep[K_B];
    memcpy(a, ab, CLV_RELAY_WRENCH * sizeof *a), memcpy(b, ab, CLV_RELAY_WRENCH * sizeof *b);
    a += CLV_RELAY_WRENCH, b += CLV_RELAY_WRENCH;
    for (int s = 0; s < sets && !(ab[CLV_RELAY_DOWN_CUT] < 0); s++)
        split_set(keep, keep + K_F0 + s * m, ab + CLV_RELAY_WRENCH + s * (na + nb), a + s * (na + m), b + s * (m + nb));
}

static void split_parts(const double *keep, const double *ab, double *a, double *b) { split_sets(keep, ab, a, b, 1); }
static void split_corrections(const double *keep, const double *ab, double *a, double *b)
{
    split_sets(keep, ab, a, b, CORRECTIONS);
}

const clv_relay_kind clv_relay_parts = {0, 0, up_of, down_of, join_parts, top_parts, split_parts};
const clv_relay_kind clv_relay_corrections = {0, 0, up_of_corrections, down_of_corrections,
                                              join_corrections, top_parts, split_corrections};

/* ------------------------------------------------------------------ looks */

enum { SUMS = 1 + CLV_RELAY_MOST + CLV_RELAY_SUMS };

static int looks_up(int before, int after) { return SUMS + 2 + PLACE * (before + after); }
static int looks_down(int before, int after)
{
    (void)before, (void)after;
    return SUMS;
}

/* sums as those of clv_relay_sums; behind them ports before and after, and where they are */
static void join_looks(double *keep, const double *a, const double *b, double *ab)
{
    const int na = (int)a[SUMS], m = (int)a[SUMS + 1], nb = (int)b[SUMS + 1];
    const clv_segment_move *of_a = (const clv_segment_move *)(a + SUMS + 2);
    const clv_segment_move *of_b = (const clv_segment_move *)(b + SUMS + 2);
    clv_segment_move *to = (clv_segment_move *)(ab + SUMS + 2);
    clv_relay_sums.join(keep, a, b, ab);
    for (int i = 0; i < m; i++)
        for (int motions = 0; motions < 2; motions++) {
            double differ[6], *most = ab + (motions ? CLV_RELAY_SPEED : CLV_RELAY_OPEN);
            clv_segment_differ(&of_b[i], &of_a[na + i], motions, differ);
            for (int r = 0; r < 6; r++)
                *most = isnan(differ[r]) ? INFINITY : fmax(*most, fabs(differ[r]));
        }
    ab[SUMS] = na, ab[SUMS + 1] = nb;
    memcpy(to, of_a, (size_t)na * sizeof *to), memcpy(to + na, of_b + m, (size_t)nb * sizeof *to);
}

static void top_looks(double *up, double *down, bool free) { clv_relay_sums.top(up, down, free); }
static void split_looks(const double *keep, const double *ab, double *a, double *b)
{
    clv_relay_sums.split(keep, ab, a, b);
}

const clv_relay_kind clv_relay_looks = {0, 0, looks_up, looks_down, join_looks, top_looks, split_looks};
