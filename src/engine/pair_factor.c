/* SPDX-License-Identifier: Apache-2.0
 * A lane source: the factor of pairs and what they show at their ports (pairs.h, T5), as node.c:
 *
 *   Z = sum over handles of K^T Xi K + eps = F F^T,   Y_e = Xi_eh K          T5.1
 *   Xi_ee := Xi_ee - G^T G,   G = F^-1 Y_e^T                                  T5.3
 *
 * e are the ports that remain, h the one or two handles of the joint, K its blocks (6 x m).  A lane is one pair:
 * children, blocks and results are gathered from and scattered to places of its own, the factor lies interleaved in the
 * batch.  Where the joint closes a loop, every lane pivots and ends at a rank of its own (pair_rank.h). */
#include "engine/pair_rank.h"

/* T5.1 of one handle: Y = Xi K in its own port, added to the lower triangle of Z = K^T Y */
INLINE void add_handle(clv_w *Z, clv_w *Y, const from *Xi, const int size, const clv_w *K, const int m)
{
    clv_w S[36];
    /* Xi is symmetric and is read once, by its lower triangle */
    for (int i = 0; i < 6; i++)
        for (int k = 0; k <= i; k++)
            S[6 * i + k] = S[6 * k + i] = take(Xi, i * size + k);
    /* Y = Xi K, column by column */
    for (int j = 0; j < m; j++)
        for (int i = 0; i < 6; i++) {
            clv_w t = S[6 * i] * K[6 * j];
            for (int k = 1; k < 6; k++)
                t += S[6 * i + k] * K[6 * j + k];
            Y[6 * j + i] = t;
        }
    /* Z += K^T Y: the sum over handles runs in their order, as in node.c */
    for (int i = 0; i < m; i++)
        for (int j = 0; j <= i; j++) {
            clv_w t = Z[M * i + j];
            for (int k = 0; k < 6; k++)
                t += K[6 * i + k] * Y[6 * j + k];
            Z[M * i + j] = t;
        }
}

/* Y of a port of the node: the handle's body itself, or the other port of its child */
INLINE void port_Y(clv_w *X, const clv_w *Y, const from *Xi, const int size, bool keep, int far, const clv_w *K,
                   const int m)
{
    const from row = shifted(*Xi, far * size);
    /* Xi of the other port and the handle, times K */
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
    /* the handle is a port itself: Y is known */
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
            /* ports of different children are not coupled before the joint closes */
            clv_w t = same ? take(&from_child, i * size + k) : clv_w_fill(0);
            for (int j = 0; j < m; j++)
                t -= Ga[6 * j + i] * Gb[6 * j + k];
            give(&to, i * P + k, t);
            if (a != c || i != k)
                give(&mirror, k * P + i, t);
        }
}

/* T5.3: G = F^-1 X^T for every component of the ports, Z^+ = F^-T F^-1; then Xi_ac := Xi_ac - G_a^T G_c.
 * Z is not inverted, and what is taken off is a Gram matrix: Xi stays symmetric, and positive within rounding. */
INLINE void condense(const clv_pairs *b, const factor *f, ranks r, const from *own, const from *child, const clv_w *X,
                     const bool ranked, const int m)
{
    clv_w G[CLV_PAIR_PORTS * 6 * M];
    for (int a = 0; a < b->nport; a++)
        for (int i = 0; i < 6; i++) {
            clv_w x[M], y[M];
            for (int j = 0; j < m; j++)
                x[j] = X[36 * a + 6 * j + i] * f->s[j];
            half(y, f, r, x, ranked, m);
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

INLINE void factor_strip(clv_engine *e, clv_pairs *b, int lane, const bool ranked, const int m)
{
    double *to = b->number + lane;
    clv_w K[2 * 36], Y[2 * 36], Z[M * M] = {0}, X[CLV_PAIR_PORTS * 36], l[M * M];
    const from own = at_own(e->store, b->own, lane);
    from child[2];
    factor f;
    /* T5.1: blocks of the joint on its one or two handles */
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
    /* compliance of the rows (T23) on the diagonal; their typical sizes for the scales (T20) */
    const from eps = at_rows(e->eps, b->row, lane), typical = at_rows(e->scale, b->row, lane);
    for (int i = 0; i < m; i++)
        Z[M * i + i] += take(&eps, i);
    find_scales(&f, Z, &typical, m);
    /* a rank decision only where a cycle closes: elsewhere Z is positive definite (T5) */
    if (ranked)
        pivoted(&f, Z, l, clv_w_fill(e->threshold), m);
    else
        cholesky(&f, Z, m);
    put(to, CLV_PAIR_RANK, f.rank), put(to, CLV_PAIR_PIVOT, f.pivot), put(to, CLV_PAIR_DROPPED, f.dropped);
    put(to, CLV_PAIR_OK, masked(f.ok, clv_w_fill(1.0)));
    const ranks r = ranks_of(to + CLV_PAIR_RANK * G8, ranked, m);
    if (ranked && r.less)
        orthonormalize(&f, l, m);
    keep_factor(to, &f, r.less, ranked, m);
    /* Y_e, which the ways up and down use, and T5.3 */
    for (int a = 0; a < b->nport; a++) {
        const int h = b->port_side[a], at = b->port_at[a];
        const from Xi = shifted(child[h], b->side[h].at);
        port_Y(X + 36 * a, Y + 36 * h, &Xi, b->side[h].size, b->side[h].keep == a, at, K + 36 * h, m);
        put_all(to + (CLV_PAIR_X + 36 * a) * G8, X + 36 * a, 6 * m);
    }
    condense(b, &f, r, &own, child, X, ranked, m);
}

void CLV_LANE(clv_pair_factor)(clv_engine *e, clv_pairs *b)
{
    b->ranked = b->loop && e->threshold > 0;
    BY_SHAPE(factor_strip)
}
