/* SPDX-License-Identifier: Apache-2.0
 * A lane source: factor and solution of pairs (pairs.h), equation by equation as node.c and math/rank.c.  Rows stay
 * in their places: `pick` has all bits set in the row of the k-th pivot. */
#include <string.h>
#include "engine/kernels.h"

enum { G8 = CLV_GROUP, M = CLV_PAIR_ROWS };
#define INLINE static inline __attribute__((always_inline))

typedef struct from { /* numbers of every lane's own */
    double *p[CLV_LANES];
} from;

INLINE from at_own(double *base, const size_t *at, int lane)
{
    from f;
    for (int l = 0; l < CLV_LANES; l++)
        f.p[l] = base + at[lane + l];
    return f;
}
INLINE from shifted(from f, int by)
{
    for (int l = 0; l < CLV_LANES; l++)
        f.p[l] += by;
    return f;
}
INLINE from at_rows(double *base, const int *row, int lane)
{
    from f;
    for (int l = 0; l < CLV_LANES; l++)
        f.p[l] = base + row[lane + l];
    return f;
}
INLINE clv_w take(const from *f, int k) { return clv_w_take(f->p, k); }
INLINE void give(const from *f, int k, clv_w x) { clv_w_give(f->p, k, x); }

INLINE clv_w get(const double *x, int k) { return clv_w_load(x + k * G8); }
INLINE void put(double *x, int k, clv_w v) { clv_w_store(x + k * G8, v); }
INLINE void put_all(double *x, const clv_w *v, int n)
{
    for (int k = 0; k < n; k++)
        put(x, k, v[k]);
}
INLINE void get_all(const double *x, clv_w *v, int n)
{
    for (int k = 0; k < n; k++)
        v[k] = get(x, k);
}
INLINE clv_w masked(clv_w_mask m, clv_w x) { return clv_w_of_bits(m & clv_w_bits(x)); }
/* all bits set where a <= b */
INLINE clv_w_mask at_most(clv_w a, clv_w b) { return clv_w_settled(clv_w_at_most(a, b)); }
INLINE clv_w_mask no_lane(void) { return clv_w_bits(clv_w_fill(0)); }
INLINE clv_w_mask every_lane(void) { return ~no_lane(); }
INLINE clv_w choose(clv_w_mask m, clv_w x, clv_w y)
{
    return clv_w_of_bits((m & clv_w_bits(x)) | (~m & clv_w_bits(y)));
}
INLINE clv_w larger(clv_w a, clv_w b) { return choose(at_most(b, a), a, b); }
INLINE clv_w smaller(clv_w a, clv_w b) { return choose(at_most(a, b), a, b); }
/* the number of x (m) in the row of a pivot; 0 beyond the rank */
INLINE clv_w picked(const clv_w_mask *pick, const clv_w *x, const int m)
{
    clv_w_mask t = pick[0] & clv_w_bits(x[0]);
    for (int i = 1; i < m; i++)
        t |= pick[i] & clv_w_bits(x[i]);
    return clv_w_of_bits(t);
}

/* ------------------------------------------------------------------ factor */

typedef struct factor {
    clv_w s[M], L[M * M], Q[M * M], R[M * M], rank, pivot, dropped;
    clv_w_mask pick[M * M], ok;
} factor;

INLINE clv_w_mask finite(clv_w x) { return at_most(x - x, clv_w_fill(0)); }

/* T5.1 of one handle: Y = Xi K in its own port, added to the lower triangle of Z = K^T Y */
INLINE void add_handle(clv_w *Z, clv_w *Y, const from *Xi, const int size, const clv_w *K, const int m)
{
    clv_w S[36];
    for (int i = 0; i < 6; i++)
        for (int k = 0; k <= i; k++)
            S[6 * i + k] = S[6 * k + i] = take(Xi, i * size + k);
    for (int j = 0; j < m; j++)
        for (int i = 0; i < 6; i++) {
            clv_w t = S[6 * i] * K[6 * j];
            for (int k = 1; k < 6; k++)
                t += S[6 * i + k] * K[6 * j + k];
            Y[6 * j + i] = t;
        }
    for (int i = 0; i < m; i++)
        for (int j = 0; j <= i; j++) {
            clv_w t = Z[M * i + j];
            for (int k = 0; k < 6; k++)
                t += K[6 * i + k] * Y[6 * j + k];
            Z[M * i + j] = t;
        }
}

/* eps on the diagonal of Z; scale, Z := S Z S */
INLINE void scale(factor *f, clv_w *Z, const from *eps, const from *typical, const int m)
{
    f->ok = every_lane();
    for (int i = 0; i < m; i++) {
        Z[M * i + i] += take(eps, i);
        const clv_w most = larger(Z[M * i + i], clv_w_fill(0));
        f->s[i] = clv_w_fill(1.0) / larger(take(typical, i), clv_w_root(most));
        f->ok &= finite(Z[M * i + i]);
    }
    for (int i = 0; i < m; i++)
        for (int j = 0; j <= i; j++)
            Z[M * i + j] *= f->s[i] * f->s[j];
}

/* Z -= l l^T in rows and columns from `first` on */
INLINE void take_off(clv_w *Z, const clv_w *l, int first, const int m)
{
    for (int i = first; i < m; i++)
        for (int j = first; j <= i; j++)
            Z[M * i + j] -= l[i] * l[j];
}

/* without pivoting; every pivot must be positive */
INLINE void cholesky(factor *f, clv_w *Z, const int m)
{
    f->pivot = clv_w_fill(1.0), f->dropped = clv_w_fill(0), f->rank = clv_w_fill(m);
    for (int k = 0; k < m; k++) {
        const clv_w d = Z[M * k + k], root = clv_w_root(d);
        clv_w l[M];
        f->ok &= ~at_most(d, clv_w_fill(0)) & finite(d);
        f->pivot = smaller(d, f->pivot);
        f->L[M * k + k] = root;
        for (int i = k + 1; i < m; i++)
            f->L[M * i + k] = l[i] = Z[M * i + k] / root;
        take_off(Z, l, k + 1, m);
    }
}

/* the largest pivot left, and its row */
INLINE clv_w find_pivot(clv_w_mask *pick, const clv_w *Z, const int m)
{
    clv_w d = Z[0];
    clv_w_mask found = no_lane();
    for (int i = 1; i < m; i++)
        d = larger(d, Z[M * i + i]);
    for (int i = 0; i < m; i++) {
        pick[i] = at_most(d, Z[M * i + i]) & ~found;
        found |= pick[i];
    }
    return d;
}

/* Pivots from the largest on, while they are above the threshold; l (m x m): columns, in the order of rows. */
INLINE void pivoted(factor *f, clv_w *Z, clv_w *l, clv_w threshold, const int m)
{
    clv_w_mask alive = every_lane(), left[M];
    f->pivot = clv_w_fill(1.0), f->dropped = f->rank = clv_w_fill(0);
    for (int i = 0; i < m; i++)
        left[i] = alive;
    for (int k = 0; k < m; k++) {
        clv_w_mask *pick = f->pick + M * k;
        clv_w c[M];
        const clv_w d = find_pivot(pick, Z, m);
        const clv_w_mask goes_on = alive & ~at_most(d, threshold);
        f->dropped = choose(alive & ~goes_on, d, f->dropped), alive = goes_on;
        f->rank += masked(alive, clv_w_fill(1.0));
        f->pivot = choose(alive, smaller(d, f->pivot), f->pivot);
        const clv_w root = choose(alive, clv_w_root(larger(d, threshold)), clv_w_fill(1.0));
        for (int i = 0; i < m; i++)
            pick[i] &= alive, left[i] &= ~pick[i];
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < m; j++)
                c[j] = Z[i > j ? M * i + j : M * j + i];
            l[M * k + i] = masked(left[i], picked(pick, c, m) / root);
        }
        take_off(Z, l + M * k, 0, m);
        for (int i = 0; i < m; i++) {
            Z[M * i + i] = choose(pick[i], clv_w_fill(-1.0), Z[M * i + i]);
            l[M * k + i] = choose(pick[i], root, l[M * k + i]);
        }
        for (int j = 0; j < k; j++)
            f->L[M * k + j] = picked(pick, l + M * j, m);
        f->L[M * k + k] = root;
    }
}

/* Q R = l by Gram-Schmidt, twice, in lanes of less than full rank; columns beyond the rank are 0 */
INLINE void orthonormalize(factor *f, const clv_w *l, const int m)
{
    for (int k = 0; k < m; k++) {
        const clv_w_mask real = at_most(clv_w_fill(k + 1), f->rank);
        clv_w *q = f->Q + M * k, norm = clv_w_fill(0);
        for (int i = 0; i < m; i++)
            q[i] = masked(real, l[M * k + i]);
        for (int j = 0; j < k; j++)
            f->R[M * j + k] = clv_w_fill(0);
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
INLINE ranks ranks_of(const double *rank, const bool loop, const int m)
{
    ranks r = {.full = !loop, .less = false, .is_full = at_most(clv_w_fill(m), clv_w_load(rank))};
    for (int l = 0; loop && l < CLV_LANES; l++)
        r.full |= rank[l] == m, r.less |= rank[l] != m;
    return r;
}

/* y = F^-1 x of six columns or fewer, as clv_rank_half; x scaled already, Z^+ = F^-T F^-1 */
INLINE void half(clv_w *y, const factor *f, ranks r, const clv_w *x, const bool loop, const int m)
{
    clv_w z[M];
    if (r.full)
        for (int i = 0; i < m; i++) {
            clv_w t = loop ? picked(f->pick + M * i, x, m) : x[i];
            for (int j = 0; j < i; j++)
                t -= f->L[M * i + j] * y[j];
            y[i] = t / f->L[M * i + i];
        }
    if (!loop || !r.less)
        return;
    for (int k = 0; k < m; k++) {
        z[k] = f->Q[M * k] * x[0];
        for (int i = 1; i < m; i++)
            z[k] += f->Q[M * k + i] * x[i];
    }
    for (int i = m - 1; i >= 0; i--) {
        for (int j = i + 1; j < m; j++)
            z[i] -= f->R[M * i + j] * z[j];
        z[i] /= f->R[M * i + i];
    }
    for (int i = 0; i < m; i++)
        y[i] = r.full ? choose(r.is_full, y[i], z[i]) : z[i];
}

/* x := Z^+ x, as clv_rank_solve */
INLINE void solve(clv_w *x, const factor *f, ranks r, const bool loop, const int m)
{
    clv_w y[M], z[M], w[M];
    for (int i = 0; i < m; i++)
        x[i] *= f->s[i];
    half(y, f, r, x, loop, m);
    for (int i = 0; i < m; i++)
        z[i] = y[i];
    for (int i = m - 1; r.full && i >= 0; i--) {
        for (int j = i + 1; j < m; j++)
            y[i] -= f->L[M * j + i] * y[j];
        y[i] /= f->L[M * i + i];
    }
    if (!loop) {
        for (int i = 0; i < m; i++)
            x[i] = y[i] * f->s[i];
        return;
    }
    for (int i = 0; r.full && i < m; i++) {
        clv_w_mask t = f->pick[i] & clv_w_bits(y[0]);
        for (int k = 1; k < m; k++)
            t |= f->pick[M * k + i] & clv_w_bits(y[k]);
        w[i] = x[i] = clv_w_of_bits(t) * f->s[i];
    }
    if (!r.less)
        return;
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
        x[i] = r.full ? choose(r.is_full, w[i], t) : t;
    }
}

/* Y of a port of the node: the handle's body itself, or the other port of its child */
INLINE void port_Y(clv_w *X, const clv_w *Y, const from *Xi, const int size, bool keep, int far, const clv_w *K,
                   const int m)
{
    const from row = shifted(*Xi, far * size);
    for (int i = 0; i < 6 && !keep; i++) {
        clv_w x[6];
        for (int k = 0; k < 6; k++)
            x[k] = take(&row, i * size + k);
        for (int j = 0; j < m; j++) {
            clv_w t = x[0] * K[6 * j];
            for (int k = 1; k < 6; k++)
                t += x[k] * K[6 * j + k];
            X[6 * j + i] = t;
        }
    }
    for (int i = 0; i < 6 * m && keep; i++)
        X[i] = Y[i];
}

/* T5.3: a block of Xi at the ports, X_child - G_a^T G_b */
INLINE void port_Xi(const from *own, int P, int a, int c, const from *child, int size, int at_a, int at_b, bool same,
                    const clv_w *Ga, const clv_w *Gb, const int m)
{
    const from from_child = shifted(*child, at_a * size + at_b), to = shifted(*own, 6 * (a * P + c)),
               mirror = shifted(*own, 6 * (c * P + a));
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < (a == c ? i + 1 : 6); k++) {
            clv_w t = same ? take(&from_child, i * size + k) : clv_w_fill(0);
            for (int j = 0; j < m; j++)
                t -= Ga[6 * j + i] * Gb[6 * j + k];
            give(&to, i * P + k, t);
            if (a != c || i != k)
                give(&mirror, k * P + i, t);
        }
}

INLINE void condense(const clv_pairs *b, const factor *f, ranks r, const from *own, const from *child, const clv_w *X,
                     const bool loop, const int m)
{
    clv_w G[CLV_PAIR_PORTS * 6 * M];
    for (int a = 0; a < b->nport; a++)
        for (int i = 0; i < 6; i++) {
            clv_w x[M], y[M];
            for (int j = 0; j < m; j++)
                x[j] = X[36 * a + 6 * j + i] * f->s[j];
            half(y, f, r, x, loop, m);
            for (int j = 0; j < m; j++)
                G[36 * a + 6 * j + i] = y[j];
        }
    for (int a = 0; a < b->nport; a++)
        for (int c = 0; c <= a; c++) {
            const int ha = b->port_side[a], hc = b->port_side[c];
            port_Xi(own, 6 * b->nport, a, c, &child[ha], b->side[ha].size, b->port_at[a], b->port_at[c], ha == hc,
                    G + 36 * a, G + 36 * c, m);
        }
}

INLINE void keep_factor(double *to, const factor *f, bool less, const bool loop, const int m)
{
    for (int i = 0; i < m; i++) {
        put_all(to + (CLV_PAIR_L + M * i) * G8, f->L + M * i, i + 1);
        for (int j = 0; loop && j < m; j++)
            put(to, CLV_PAIR_PICK + M * i + j, clv_w_of_bits(f->pick[M * i + j]));
        if (!loop || !less)
            continue;
        put_all(to + (CLV_PAIR_Q + M * i) * G8, f->Q + M * i, m);
        put_all(to + (CLV_PAIR_R + M * i + i) * G8, f->R + M * i + i, m - i);
    }
    put_all(to + CLV_PAIR_S * G8, f->s, m);
}
INLINE void find_factor(const double *from, factor *f, bool less, const bool loop, const int m)
{
    for (int i = 0; i < m; i++) {
        get_all(from + (CLV_PAIR_L + M * i) * G8, f->L + M * i, i + 1);
        for (int j = 0; loop && j < m; j++)
            f->pick[M * i + j] = clv_w_bits(get(from, CLV_PAIR_PICK + M * i + j));
        if (!loop || !less)
            continue;
        get_all(from + (CLV_PAIR_Q + M * i) * G8, f->Q + M * i, m);
        get_all(from + (CLV_PAIR_R + M * i + i) * G8, f->R + M * i + i, m - i);
    }
    get_all(from + CLV_PAIR_S * G8, f->s, m);
}

INLINE void factor_strip(clv_engine *e, clv_pairs *b, int lane, const bool loop, const int m)
{
    double *to = b->number + lane;
    clv_w K[2 * 36], Y[2 * 36], Z[M * M] = {0}, X[CLV_PAIR_PORTS * 36], l[M * M];
    const from own = at_own(e->store, b->own, lane);
    from child[2];
    factor f;
    for (int h = 0; h < b->nside; h++) {
        const clv_pair_side *s = &b->side[h];
        const from block = at_own(e->block, b->block[h], lane);
        child[h] = at_own(e->store, b->child[h], lane);
        for (int i = 0; i < 6 * m; i++)
            K[36 * h + i] = take(&block, i);
        put_all(to + (CLV_PAIR_K + 36 * h) * G8, K + 36 * h, 6 * m);
        const from Xi = shifted(child[h], s->at * s->size + s->at);
        add_handle(Z, Y + 36 * h, &Xi, s->size, K + 36 * h, m);
    }
    const from eps = at_rows(e->eps, b->row, lane), typical = at_rows(e->scale, b->row, lane);
    scale(&f, Z, &eps, &typical, m);
    if (loop)
        pivoted(&f, Z, l, clv_w_fill(e->threshold), m);
    else
        cholesky(&f, Z, m);
    put(to, CLV_PAIR_RANK, f.rank), put(to, CLV_PAIR_PIVOT, f.pivot), put(to, CLV_PAIR_DROPPED, f.dropped);
    put(to, CLV_PAIR_OK, masked(f.ok, clv_w_fill(1.0)));
    const ranks r = ranks_of(to + CLV_PAIR_RANK * G8, loop, m);
    if (loop && r.less)
        orthonormalize(&f, l, m);
    keep_factor(to, &f, r.less, loop, m);
    for (int a = 0; a < b->nport; a++) {
        const int h = b->port_side[a], at = b->port_at[a];
        const from Xi = shifted(child[h], b->side[h].at);
        port_Y(X + 36 * a, Y + 36 * h, &Xi, b->side[h].size, b->side[h].keep == a, at, K + 36 * h, m);
        put_all(to + (CLV_PAIR_X + 36 * a) * G8, X + 36 * a, 6 * m);
    }
    condense(b, &f, r, &own, child, X, loop, m);
}

/* ------------------------------------------------------------------ solution */

/* T5.2 without the wrenches at the ports, and x0 at the ports */
INLINE void up_strip(clv_engine *e, clv_pairs *b, int lane, const bool loop, const int m)
{
    double *to = b->number + lane;
    const ranks r = ranks_of(to + CLV_PAIR_RANK * G8, loop, m);
    const from a = at_rows(e->a, b->row, lane), own = at_own(e->store, b->own, lane);
    factor f;
    clv_w s[M];
    find_factor(to, &f, r.less, loop, m);
    for (int j = 0; j < m; j++)
        s[j] = -take(&a, j);
    for (int h = 0; h < b->nside; h++) {
        const from child = at_own(e->store, b->child[h], lane),
                   x0 = shifted(child, b->side[h].size * b->side[h].size + b->side[h].at);
        for (int k = 0; k < 6; k++) {
            const clv_w x = take(&x0, k);
            for (int j = 0; j < m; j++)
                s[j] += get(to, CLV_PAIR_K + 36 * h + 6 * j + k) * x;
        }
    }
    solve(s, &f, r, loop, m);
    for (int j = 0; j < m; j++)
        s[j] = -s[j];
    put_all(to + CLV_PAIR_SIGMA * G8, s, m);
    for (int p = 0; p < b->nport; p++) {
        const int h = b->port_side[p], at = b->port_at[p], size = b->side[h].size, P = 6 * b->nport;
        const from child = at_own(e->store, b->child[h], lane), x0 = shifted(child, size * size + at),
                   out = shifted(own, P * P + 6 * p);
        for (int i = 0; i < 6; i++) {
            clv_w t = take(&x0, i);
            for (int j = 0; j < m; j++)
                t += s[j] * get(to, CLV_PAIR_X + 36 * p + 6 * j + i);
            give(&out, i, t);
        }
    }
}

/* T5.2 with the wrenches at the ports, T5.4 */
INLINE void down_strip(clv_engine *e, clv_pairs *b, int lane, const bool loop, const int m)
{
    double *to = b->number + lane;
    const int P = 6 * b->nport;
    const from own = at_own(e->store, b->own, lane), T = shifted(own, P * P + P),
               sigma = at_rows(e->sigma, b->row, lane);
    clv_w s[M] = {0};
    for (int a = 0; a < P; a++) {
        const clv_w t = take(&T, a);
        for (int j = 0; j < m; j++)
            s[j] += t * get(to, CLV_PAIR_X + 36 * (a / 6) + 6 * j + a % 6);
    }
    if (P > 0) {
        const ranks r = ranks_of(to + CLV_PAIR_RANK * G8, loop, m);
        factor f;
        find_factor(to, &f, r.less, loop, m);
        solve(s, &f, r, loop, m);
    }
    for (int j = 0; j < m; j++) {
        s[j] = get(to, CLV_PAIR_SIGMA + j) - s[j];
        give(&sigma, j, s[j]);
    }
    for (int h = 0; h < b->nside; h++) {
        const clv_pair_side *d = &b->side[h];
        const from child = at_own(e->store, b->child[h], lane), out = shifted(child, d->size * d->size + d->size);
        for (int i = 0; i < 6; i++) {
            clv_w t = d->keep >= 0 ? take(&T, 6 * d->keep + i) : clv_w_fill(0);
            for (int j = 0; j < m; j++)
                t += s[j] * get(to, CLV_PAIR_K + 36 * h + 6 * j + i);
            give(&out, d->at + i, t);
        }
        for (int i = 0; i < 6 && d->pass >= 0; i++)
            give(&out, d->far + i, take(&T, 6 * d->pass + i));
    }
}

/* ------------------------------------------------------------------ batches */

/* a strip with a loop or without, of five rows (revolute and prismatic joints) or any number */
#define BY_SHAPE(strip)                                                                                               \
    for (int lane = 0; lane < b->n; lane += CLV_LANES)                                                                \
        if (b->m == 5 && b->loop)                                                                                     \
            strip(e, b, lane, true, 5);                                                                               \
        else if (b->m == 5)                                                                                           \
            strip(e, b, lane, false, 5);                                                                              \
        else                                                                                                          \
            strip(e, b, lane, b->loop, b->m);

void CLV_LANE(clv_pair_factor)(clv_engine *e, clv_pairs *b) { BY_SHAPE(factor_strip) }
void CLV_LANE(clv_pair_up)(clv_engine *e, clv_pairs *b) { BY_SHAPE(up_strip) }
void CLV_LANE(clv_pair_down)(clv_engine *e, clv_pairs *b) { BY_SHAPE(down_strip) }
