/* SPDX-License-Identifier: Apache-2.0
 * A lane source: fronts of carried loops (T101), a lane is a front.  Z of its rows is factored as in math/rank.c (T20):
 * Cholesky with diagonal pivoting, stopped where the largest pivot falls under the threshold, then L = Q R with
 * orthonormal Q.  Every lane chooses its pivots and its rank alone: rows are not exchanged, factors of 0 and 1 select
 * them.  Directions that a lane drops have zero columns of Q.  Those that all lanes of a strip drop are passed over.
 * That changes no bit: sums begin with +0, and what is passed over would add zeros.
 *
 *   factor   Z = S^-1 L L^T S^-1,  L = Q R,  G = R^-1 Q^T S L_EO,  L_OO -= G^T G
 *   push     sigma0 = Z^+ g_E,  g_O -= L_OE sigma0
 *   give     sigma_E = sigma0 - Z^+ L_EO sigma_O */
#include "kinematics/row_lane.h"

enum { MOST = CLV_BATCH_ROWS };

typedef struct factor {
    clv_w L[MOST][MOST]; /* columns                                      */
    clv_w rest[MOST];    /* what is left of the diagonal                 */
    clv_w open[MOST];    /* 1 where a row has not been a pivot           */
    clv_w hot[MOST];     /* 1 where a row is the pivot at hand           */
    clv_w alive;         /* 1 while pivots are kept                      */
    clv_w least, dropped, rank;
} factor;

INLINE clv_w one(void)
{
    return clv_w_fill(1.0);
}
INLINE clv_w zero(void)
{
    return clv_w_fill(0.0);
}
/* f a + (1 - f) b, f 0 or 1 */
INLINE clv_w choose(clv_w f, clv_w a, clv_w b)
{
    return f * a + (one() - f) * b;
}
/* entry of a lower triangle, from lane on */
INLINE clv_w entry(const double *L, int i, int j)
{
    return clv_w_load(L + (i >= j ? clv_row_sheaf_at(i, j) : clv_row_sheaf_at(j, i)));
}

/* the open row with the largest rest: f->hot; its rest */
INLINE clv_w find_pivot(factor *f, const int m)
{
    clv_w best = clv_w_fill(-1.0);
    for (int i = 0; i < m; i++) {
        const clv_w x = choose(f->open[i], f->rest[i], clv_w_fill(-1.0)), above = clv_w_above(x, best);
        for (int j = 0; j < i; j++)
            f->hot[j] *= one() - above;
        f->hot[i] = above, best = choose(above, x, best);
    }
    return best;
}

/* keeps or drops a pivot d */
INLINE clv_w judge(factor *f, clv_w d, clv_w threshold)
{
    const clv_w keep = f->alive * clv_w_above(d, threshold);
    f->dropped += (f->alive - keep) * d;
    f->least = choose(keep * clv_w_above(f->least, d), d, f->least);
    f->rank += keep, f->alive = keep;
    return keep;
}

/* column k of L; Zs: Z in its scales */
INLINE void eliminate(factor *f, clv_w Zs[MOST][MOST], clv_w d, clv_w keep, int k, const int m)
{
    const clv_w root = clv_w_root(choose(keep, d, one())), over = keep / root;
    clv_w pivot[MOST];
    for (int j = 0; j < k; j++) {
        pivot[j] = zero();
        for (int i = 0; i < m; i++)
            pivot[j] += f->hot[i] * f->L[j][i];
    }
    for (int i = 0; i < m; i++) {
        const clv_w after = f->open[i] * (one() - f->hot[i]);
        clv_w x = zero();
        for (int j = 0; j < m; j++)
            x += f->hot[j] * (i >= j ? Zs[i][j] : Zs[j][i]);
        for (int j = 0; j < k; j++)
            x -= f->L[j][i] * pivot[j];
        x *= over;
        f->L[k][i] = after * x + f->hot[i] * (keep * root);
        f->rest[i] -= after * (x * x);
    }
    for (int i = 0; i < m; i++)
        f->open[i] *= one() - f->hot[i];
}

/* L = Q R by Gram-Schmidt, twice, r columns; Q: L on entry */
INLINE void orthonormalize(clv_w Q[MOST][MOST], double *R, const factor *f, const int m, const int r)
{
    for (int k = 0; k < r; k++) {
        clv_w d[MOST], norm = zero();
        const clv_w keep = clv_w_above(f->rank, clv_w_fill(k));
        for (int j = 0; j < k; j++)
            d[j] = zero();
        for (int pass = 0; pass < 2; pass++)
            for (int j = 0; j < k; j++) {
                clv_w along = zero();
                for (int i = 0; i < m; i++)
                    along += Q[j][i] * Q[k][i];
                for (int i = 0; i < m; i++)
                    Q[k][i] -= along * Q[j][i];
                d[j] += along;
            }
        for (int i = 0; i < m; i++)
            norm += Q[k][i] * Q[k][i];
        norm = clv_w_root(choose(keep, norm, one()));
        const clv_w over = one() / norm;
        for (int i = 0; i < m; i++)
            Q[k][i] *= over;
        for (int j = 0; j < k; j++)
            clv_w_store(R + clv_row_sheaf_at(k, j), d[j]);
        clv_w_store(R + clv_row_sheaf_at(k, k), over);
    }
}

/* y = R^-1 Q^T S x, of r columns; Q from `lane` on, with S in it */
INLINE void half(clv_w *y, const double *Q, const double *R, const clv_w *x, const int m, const int r)
{
    for (int k = 0; k < r; k++) {
        y[k] = zero();
        for (int i = 0; i < m; i++)
            y[k] += clv_w_load(Q + (k * m + i) * G8) * x[i];
    }
    for (int i = r - 1; i >= 0; i--) {
        for (int j = i + 1; j < r; j++)
            y[i] -= clv_w_load(R + clv_row_sheaf_at(j, i)) * y[j];
        y[i] *= clv_w_load(R + clv_row_sheaf_at(i, i));
    }
}

/* x := Z^+ x */
INLINE void solve(clv_w *x, const double *Q, const double *R, const int m, const int r)
{
    clv_w y[MOST];
    half(y, Q, R, x, m, r);
    for (int i = 0; i < r; i++) {
        for (int j = 0; j < i; j++)
            y[i] -= clv_w_load(R + clv_row_sheaf_at(i, j)) * y[j];
        y[i] *= clv_w_load(R + clv_row_sheaf_at(i, i));
    }
    for (int i = 0; i < m; i++) {
        x[i] = zero();
        for (int k = 0; k < r; k++)
            x[i] += clv_w_load(Q + (k * m + i) * G8) * y[k];
    }
}

INLINE bool any(clv_w x)
{
    double v[CLV_LANES], sum = 0;
    clv_w_store_any(v, x);
    for (int l = 0; l < CLV_LANES; l++)
        sum += v[l];
    return sum > 0;
}

/* columns of L until all lanes drop theirs; how many there are.  The order of all pivots. */
INLINE int eliminate_rows(factor *f, clv_w Zs[MOST][MOST], clv_w threshold, double *order, const int m)
{
    int r = 0;
    for (int k = 0; k < m; k++) {
        const clv_w d = find_pivot(f, m), keep = judge(f, d, threshold);
        clv_w which = zero();
        for (int i = 0; i < m; i++)
            which += f->hot[i] * clv_w_fill(i);
        clv_w_store(order + k * G8, which);
        if (any(keep))
            eliminate(f, Zs, d, keep, k, m), r = k + 1;
        else
            for (int i = 0; i < m; i++)
                f->open[i] *= one() - f->hot[i];
    }
    return r;
}

/* 1 / scale of a row with compliance Z, in the place of its scale: that, or the root of Z if it is larger */
INLINE clv_w scale(double *s, clv_w Z)
{
    const clv_w root = clv_w_root(choose(clv_w_above(Z, zero()), Z, zero())), least = clv_w_load(s);
    const clv_w inverse = one() / choose(clv_w_above(root, least), root, least);
    clv_w_store(s, inverse);
    return inverse;
}

/* the factor of a strip; the most columns that one of its lanes has */
INLINE int factor_rows(const clv_row_batch *b, const double *L, clv_w threshold, int lane, const int m)
{
    factor f = {.alive = one(), .least = one(), .dropped = zero(), .rank = zero()};
    clv_w Zs[MOST][MOST], s[MOST], finite = zero();
    for (int i = 0; i < m; i++)
        s[i] = scale(b->s + i * G8 + lane, entry(L, i, i));
    for (int i = 0; i < m; i++)
        for (int j = 0; j <= i; j++)
            Zs[i][j] = entry(L, i, j) * s[i] * s[j];
    for (int i = 0; i < m; i++)
        f.rest[i] = Zs[i][i], f.open[i] = one(), f.hot[i] = zero();
    const int r = eliminate_rows(&f, Zs, threshold, b->order + lane, m);
    orthonormalize(f.L, b->R + lane, &f, m, r);
    for (int k = 0; k < r; k++)
        for (int i = 0; i < m; i++)
            finite += f.L[k][i], clv_w_store(b->Q + (k * m + i) * G8 + lane, f.L[k][i] * s[i]);
    for (int i = 0; i < m; i++)
        for (int j = 0; j <= i; j++)
            finite += Zs[i][j];
    finite -= finite; /* 0, or not a number */
    const clv_w found[4] = {f.rank, f.least, f.dropped, clv_w_above(one(), finite)};
    store(b->found + lane, found, 4);
    return r;
}

/* of the rows left */
INLINE void leave(const clv_row_batch *b, const double *L, int lane, const int m, const int r)
{
    double *X = b->X + lane, *G = b->G + lane;
    for (int o = 0; o < b->left; o++) {
        clv_w x[MOST], y[MOST];
        for (int i = 0; i < m; i++)
            x[i] = clv_w_load(L + clv_row_sheaf_at(m + o, i)), clv_w_store(X + (o * m + i) * G8, x[i]);
        half(y, b->Q + lane, b->R + lane, x, m, r);
        store(G + o * m * G8, y, r);
        for (int j = 0; j <= o; j++) {
            clv_w rest = clv_w_load(L + clv_row_sheaf_at(m + o, m + j));
            for (int i = 0; i < r; i++)
                rest -= y[i] * clv_w_load(G + (j * m + i) * G8);
            clv_w_store(b->L + clv_row_sheaf_at(o, j) + lane, rest);
        }
    }
}

/* a planar joint keeps two of five rows */
INLINE void factor_strip(const clv_row_batch *b, const double *L, double threshold, int lane, const int m)
{
    const int r = b->kept[lane] = factor_rows(b, L + lane, clv_w_fill(threshold), lane, m);
    if (m == 5 && r == 2)
        leave(b, L + lane, lane, 5, 2);
    else
        leave(b, L + lane, lane, m, r);
}

void CLV_LANE(clv_rows_batch_factor)(const clv_row_batch *b, const double *L, double threshold)
{
    for (int lane = 0; lane < b->n; lane += CLV_LANES)
        if (b->m == 5)
            factor_strip(b, L, threshold, lane, 5);
        else
            factor_strip(b, L, threshold, lane, b->m);
}

INLINE void push_strip(const clv_row_batch *b, int lane, const int m, const int r)
{
    double *g = b->g + lane;
    clv_w x[MOST];
    load(x, g, m);
    solve(x, b->Q + lane, b->R + lane, m, r);
    store(b->sigma0 + lane, x, m);
    for (int o = 0; o < b->left; o++) {
        clv_w sum = zero();
        for (int i = 0; i < m; i++)
            sum += clv_w_load(b->X + (o * m + i) * G8 + lane) * x[i];
        clv_w_store(g + (m + o) * G8, sum);
    }
}

void CLV_LANE(clv_rows_batch_push)(const clv_row_batch *b)
{
    for (int lane = 0; lane < b->n; lane += CLV_LANES)
        if (b->m == 5 && b->kept[lane] == 2)
            push_strip(b, lane, 5, 2);
        else
            push_strip(b, lane, b->m, b->kept[lane]);
}

INLINE void give_strip(const clv_row_batch *b, int lane, const int m, const int r)
{
    double *g = b->g + lane;
    clv_w x[MOST];
    for (int i = 0; i < m; i++)
        x[i] = zero();
    for (int o = 0; o < b->left; o++) {
        const clv_w sigma = clv_w_load(g + (m + o) * G8);
        for (int i = 0; i < m; i++)
            x[i] += clv_w_load(b->X + (o * m + i) * G8 + lane) * sigma;
    }
    solve(x, b->Q + lane, b->R + lane, m, r);
    for (int i = 0; i < m; i++)
        clv_w_store(g + i * G8, clv_w_load(b->sigma0 + i * G8 + lane) - x[i]);
}

void CLV_LANE(clv_rows_batch_give)(const clv_row_batch *b)
{
    for (int lane = 0; lane < b->n; lane += CLV_LANES)
        if (b->m == 5 && b->kept[lane] == 2)
            give_strip(b, lane, 5, 2);
        else
            give_strip(b, lane, b->m, b->kept[lane]);
}
