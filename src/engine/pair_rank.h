/* SPDX-License-Identifier: Apache-2.0
 * Factor of the matrix Z of a pair in lanes, with the rank decision of every lane (T20).  It is math/rank.c operation
 * by operation, so a lane has the bits of the same node alone.  Rows do not move: `pick` has all bits set in the row of
 * the k-th pivot.  For lane sources alone (pairs.h). */
#ifndef CLV_ENGINE_PAIR_RANK_H
#define CLV_ENGINE_PAIR_RANK_H
#include "engine/pair_lane.h"

/* The factor of m scaled rows, one node a lane.
 *   s         1 / scale of a row
 *   L         rows in the order of pivots, lower triangle
 *   Q, R      L = Q R where the rank is less than m: Q has orthonormal columns, in the order of rows
 *   rank, pivot, dropped   how many pivots are kept, the least of them, and the one that was not (0: none)
 *   pick      the row of each pivot
 *   ok        all numbers were finite */
typedef struct factor {
    clv_w s[M], L[M * M], Q[M * M], R[M * M], rank, pivot, dropped;
    clv_w_mask pick[M * M], ok;
} factor;

INLINE clv_w_mask finite(clv_w x) { return at_most(x - x, clv_w_fill(0)); } /* NOLINT(misc-redundant-expression): NaN */

/* 1 / scale of every row */
INLINE void find_scales(factor *f, const clv_w *Z, const from *typical, const int m)
{
    f->ok = every_lane();
    for (int i = 0; i < m; i++) {
        const clv_w d = Z[M * i + i];
        f->s[i] = clv_w_fill(1.0) / larger(take(typical, i), clv_w_root(larger(d, clv_w_fill(0))));
        f->ok &= finite(d * f->s[i] * f->s[i]);
    }
}

/* without pivoting; every pivot must be positive */
INLINE void cholesky(factor *f, clv_w *Z, const int m)
{
    f->pivot = clv_w_fill(1.0), f->dropped = clv_w_fill(0), f->rank = clv_w_fill(m);
    /* scaled: a pivot is then the part of a row's own size that other rows leave */
    for (int i = 0; i < m; i++)
        for (int j = 0; j <= i; j++)
            Z[M * i + j] = Z[M * i + j] * f->s[i] * f->s[j];
    /* right-looking: column k of L, then the columns behind it are reduced by it */
    for (int k = 0; k < m; k++) {
        const clv_w d = Z[M * k + k], root = clv_w_root(d);
        clv_w l[M];
        f->ok &= ~at_most(d, clv_w_fill(0)) & finite(d);
        f->pivot = smaller(d, f->pivot);
        f->L[M * k + k] = root;
        for (int i = k + 1; i < m; i++)
            f->L[M * i + k] = l[i] = Z[M * i + k] / root;
        for (int i = k + 1; i < m; i++)
            for (int j = k + 1; j <= i; j++)
                Z[M * i + j] -= l[i] * l[j];
    }
}

/* The largest pivot left, and its row: of equal ones that of the least place, where rank.c has the row after its
 * exchanges.  y: remaining diagonal, -1 in rows that are taken. */
INLINE clv_w find_pivot(clv_w_mask *pick, clv_w *place, const clv_w *y, int k, const int m)
{
    clv_w d = y[0], at[M], least = clv_w_fill(m);
    /* the largest remaining diagonal of each lane */
    for (int i = 1; i < m; i++)
        d = larger(d, y[i]);
    /* of all rows that have it, the least place; m where a row does not have it */
    for (int i = 0; i < m; i++) {
        at[i] = choose(at_most(d, y[i]), place[i], clv_w_fill(m));
        least = smaller(at[i], least);
    }
    for (int i = 0; i < m; i++) {
        /* exactly one row a lane, as places differ */
        pick[i] = at_most(at[i], least) & ~at_most(clv_w_fill(m), at[i]);
        place[i] = choose(at_most(place[i], clv_w_fill(k)), least, place[i]); /* exchanged with place k */
    }
    return d;
}

/* column k of the factor in the order of rows, but for its pivot; 0 in rows that are not left */
INLINE void find_column(clv_w *l, factor *f, int k, const clv_w *Z, clv_w root, const clv_w_mask *left, const int m)
{
    const clv_w_mask *pick = f->pick + M * k;
    const clv_w s = picked(pick, f->s, m);
    clv_w z[M];
    /* the row of the pivot in the columns before, which is row k of L in the order of pivots */
    for (int j = 0; j < k; j++)
        f->L[M * k + j] = picked(pick, l + M * j, m);
    for (int i = 0; i < m; i++) {
        /* row i of Z, of which the lower triangle is stored; its number in the column of the pivot */
        for (int j = 0; j < m; j++)
            z[j] = Z[i > j ? M * i + j : M * j + i];
        clv_w x = picked(pick, z, m) * f->s[i] * s;
        for (int j = 0; j < k; j++)
            /* left-looking: what the columns before take off */
            x -= l[M * j + i] * f->L[M * k + j];
        l[M * k + i] = masked(left[i], x / root);
    }
}

/* Pivots from the largest on, while they are above the threshold; l (m x m): columns, in the order of rows. */
INLINE void pivoted(factor *f, const clv_w *Z, clv_w *l, clv_w threshold, const int m)
{
    clv_w_mask alive = every_lane(), left[M];
    clv_w y[M], place[M];
    f->pivot = clv_w_fill(1.0), f->dropped = f->rank = clv_w_fill(0);
    for (int i = 0; i < m; i++)
        left[i] = alive, place[i] = clv_w_fill(i), y[i] = Z[M * i + i] * f->s[i] * f->s[i];
    for (int k = 0; k < m; k++) {
        clv_w_mask *pick = f->pick + M * k;
        const clv_w d = find_pivot(pick, place, y, k, m);
        /* a lane stops at its own threshold and records the pivot that it dropped; others continue */
        const clv_w_mask goes_on = alive & ~at_most(d, threshold);
        f->dropped = choose(alive & ~goes_on, d, f->dropped), alive = goes_on;
        f->rank += masked(alive, clv_w_fill(1.0));
        f->pivot = choose(alive, smaller(d, f->pivot), f->pivot);
        /* a lane that has stopped divides by 1: its column is masked by `left` and `pick` */
        const clv_w root = f->L[M * k + k] = choose(alive, clv_w_root(larger(d, threshold)), clv_w_fill(1.0));
        for (int i = 0; i < m; i++)
            pick[i] &= alive, left[i] &= ~pick[i];
        find_column(l, f, k, Z, root, left, m);
        for (int i = 0; i < m; i++) {
            /* the remaining diagonal; a row that is taken never is the largest again */
            y[i] = choose(pick[i], clv_w_fill(-1.0), y[i] - l[M * k + i] * l[M * k + i]);
            l[M * k + i] = choose(pick[i], root, l[M * k + i]);
        }
    }
}

/* Q R = l by Gram-Schmidt, twice, in lanes of less than full rank; columns beyond the rank are 0 */
INLINE void orthonormalize(factor *f, const clv_w *l, const int m)
{
    for (int k = 0; k < m; k++) {
        /* columns beyond the rank of a lane are zero and have a unit in R */
        const clv_w_mask real = at_most(clv_w_fill(k + 1), f->rank);
        clv_w *q = f->Q + M * k, norm = clv_w_fill(0);
        for (int i = 0; i < m; i++)
            q[i] = masked(real, l[M * k + i]);
        for (int j = 0; j < k; j++)
            f->R[M * j + k] = clv_w_fill(0);
        /* twice is enough: the second pass removes what rounding left of the first */
        for (int pass = 0; pass < 2; pass++)
            for (int j = 0; j < k; j++) {
                clv_w d = f->Q[M * j] * q[0];
                for (int i = 1; i < m; i++)
                    d += f->Q[M * j + i] * q[i];
                for (int i = 0; i < m; i++)
                    q[i] -= d * f->Q[M * j + i];
                f->R[M * j + k] += d;
            }
        for (int i = 0; i < m; i++)
            norm += q[i] * q[i];
        norm = choose(real, clv_w_root(norm), clv_w_fill(1.0));
        f->R[M * k + k] = norm;
        for (int i = 0; i < m; i++)
            q[i] /= norm;
    }
}

/* some lanes have full rank, some have less */
typedef struct ranks {
    bool full, less;
    clv_w_mask is_full;
} ranks;
INLINE ranks ranks_of(const double *rank, const bool ranked, const int m)
{
    ranks r = {.full = !ranked, .less = false, .is_full = at_most(clv_w_fill(m), clv_w_load(rank))};
    for (int l = 0; ranked && l < CLV_LANES; l++)
        r.full |= rank[l] == m, r.less |= rank[l] != m;
    return r;
}

/* y = F^-1 x of six columns or fewer, as clv_rank_half; x scaled already, Z^+ = F^-T F^-1 */
INLINE void half(clv_w *y, const factor *f, ranks r, const clv_w *x, const bool ranked, const int m)
{
    clv_w z[M];
    /* full rank: L y = P x, rows taken in the order of pivots */
    if (r.full)
        for (int i = 0; i < m; i++) {
            clv_w t = ranked ? picked(f->pick + M * i, x, m) : x[i];
            for (int j = 0; j < i; j++)
                t -= f->L[M * i + j] * y[j];
            y[i] = t / f->L[M * i + i];
        }
    if (!ranked || !r.less)
        return;
    /* less: y = R^-1 Q^T x, the least squares solution of F y = x */
    for (int k = 0; k < m; k++) {
        z[k] = f->Q[M * k] * x[0];
        for (int i = 1; i < m; i++)
            z[k] += f->Q[M * k + i] * x[i];
    }
    for (int i = m - 1; i >= 0; i--) {
        for (int j = i + 1; j < m; j++)
            z[i] -= f->R[M * i + j] * z[j];
        z[i] /= f->R[M * i + i]; /* NOLINT(clang-analyzer-core.uninitialized.Assign): r.less: R is there */
    }
    for (int i = 0; i < m; i++)
        /* each lane takes the branch of its own rank */
        y[i] = r.full ? choose(r.is_full, y[i], z[i]) : z[i];
}

/* x := Z^+ x, as clv_rank_solve */
INLINE void solve(clv_w *x, const factor *f, ranks r, const bool ranked, const int m)
{
    clv_w y[M], z[M];
    for (int i = 0; i < m; i++)
        x[i] *= f->s[i];
    half(y, f, r, x, ranked, m);
    for (int i = 0; i < m; i++)
        z[i] = y[i]; /* NOLINT(clang-analyzer-core.uninitialized.Assign): half fills y where it is read */
    /* L^T y = y, backward */
    for (int i = m - 1; r.full && i >= 0; i--) {
        for (int j = i + 1; j < m; j++)
            y[i] -= f->L[M * j + i] * y[j];
        y[i] /= f->L[M * i + i]; /* NOLINT(clang-analyzer-core.uninitialized.Assign): the same */
    }
    if (!ranked) {
        for (int i = 0; i < m; i++)
            x[i] = y[i] * f->s[i];
        return;
    }
    for (int i = 0; r.full && i < m; i++) {
        /* back to the order of rows: row i was the pivot of exactly one step */
        clv_w_mask t = f->pick[i] & clv_w_bits(y[0]);
        for (int k = 1; k < m; k++)
            t |= f->pick[M * k + i] & clv_w_bits(y[k]);
        x[i] = clv_w_of_bits(t) * f->s[i];
    }
    if (!r.less)
        return;
    /* less than full rank: x = Q R^-T z, the solution of least norm in scaled rows */
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < i; j++)
            z[i] -= f->R[M * j + i] * z[j];
        z[i] /= f->R[M * i + i];
    }
    for (int i = 0; i < m; i++) {
        clv_w t = f->Q[i] * z[0];
        for (int k = 1; k < m; k++)
            t += f->Q[M * k + i] * z[k];
        t *= f->s[i];
        x[i] = r.full ? choose(r.is_full, x[i], t) : t;
    }
}

/* The factor of a strip into its batch and back: L and the pivots; Q and R where a lane has less than full rank. */
INLINE void keep_factor(double *to, const factor *f, bool less, const bool ranked, const int m)
{
    for (int i = 0; i < m; i++) {
        put_all(to + (CLV_PAIR_L + M * i) * G8, f->L + M * i, i + 1);
        for (int j = 0; ranked && j < m; j++)
            put(to, CLV_PAIR_PICK + M * i + j, clv_w_of_bits(f->pick[M * i + j]));
        if (!ranked || !less)
            continue;
        put_all(to + (CLV_PAIR_Q + M * i) * G8, f->Q + M * i, m);
        put_all(to + (CLV_PAIR_R + M * i + i) * G8, f->R + M * i + i, m - i);
    }
    put_all(to + CLV_PAIR_S * G8, f->s, m);
}
INLINE void find_factor(const double *kept, factor *f, bool less, const bool ranked, const int m)
{
    for (int i = 0; i < m; i++) {
        get_all(kept + (CLV_PAIR_L + M * i) * G8, f->L + M * i, i + 1);
        for (int j = 0; ranked && j < m; j++)
            f->pick[M * i + j] = clv_w_bits(get(kept, CLV_PAIR_PICK + M * i + j));
        if (!ranked || !less)
            continue;
        get_all(kept + (CLV_PAIR_Q + M * i) * G8, f->Q + M * i, m);
        get_all(kept + (CLV_PAIR_R + M * i + i) * G8, f->R + M * i + i, m - i);
    }
    get_all(kept + CLV_PAIR_S * G8, f->s, m);
}

#endif
