/* SPDX-License-Identifier: Apache-2.0
 * A lane source: the solution of pairs from children to ports, and back (pairs.h, T5), as node.c:
 *
 *   up     sigma_0 = -Z^+ (K^T x0 - a),   x0_e := x0_e + Y_e sigma_0           T5.2 at T_e = 0, T5.3
 *   down   sigma = sigma_0 - Z^+ Y_e^T T_e,   T_h = T_e + K sigma              T5.2, T5.4
 *
 * Both use the factor that pair_factor.c left in the batch, once for each right-hand side.  Up leaves sigma_0 in the
 * batch for the way down.  Down gives sigma to the rows of the edge, and wrenches to the ports of both children. */
#include "engine/pair_rank.h"

/* T5.2 without the wrenches at the ports, and x0 at the ports */
INLINE void up_strip(clv_engine *e, clv_pairs *b, int lane, const bool ranked, const int m)
{
    double *to = b->number + lane;
    const ranks r = ranks_of(to + CLV_PAIR_RANK * G8, ranked, m);
    const from a = at_rows(e->a, b->row, lane), own = at_own(e->store, b->own, lane);
    factor f;
    clv_w s[M];
    find_factor(to, &f, r.less, ranked, m);
    /* s = K^T x0 - a */
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
    /* sigma at T_e = 0 */
    solve(s, &f, r, ranked, m);
    for (int j = 0; j < m; j++)
        s[j] = -s[j];
    put_all(to + CLV_PAIR_SIGMA * G8, s, m);
    /* x0 := x0_e + Y_e sigma */
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
INLINE void down_strip(clv_engine *e, clv_pairs *b, int lane, const bool ranked, const int m)
{
    double *to = b->number + lane;
    const int P = 6 * b->nport;
    const from own = at_own(e->store, b->own, lane), T = shifted(own, P * P + P),
               sigma = at_rows(e->sigma, b->row, lane);
    clv_w s[M] = {0};
    /* Y_e^T T_e, the motions that the wrenches at the ports cause at the joint */
    for (int a = 0; a < P; a++) {
        const clv_w t = take(&T, a);
        for (int j = 0; j < m; j++)
            s[j] += t * get(to, CLV_PAIR_X + 36 * (a / 6) + 6 * j + a % 6);
    }
    /* nothing arrives where the node has no ports */
    if (P > 0) {
        const ranks r = ranks_of(to + CLV_PAIR_RANK * G8, ranked, m);
        factor f;
        find_factor(to, &f, r.less, ranked, m);
        solve(s, &f, r, ranked, m);
    }
    for (int j = 0; j < m; j++) {
        s[j] = get(to, CLV_PAIR_SIGMA + j) - s[j];
        give(&sigma, j, s[j]);
    }
    /* T5.4: wrenches at the ports of the children; those that pass by are unchanged */
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

void CLV_LANE(clv_pair_up)(clv_engine *e, clv_pairs *b) { BY_SHAPE(up_strip) }
void CLV_LANE(clv_pair_down)(clv_engine *e, clv_pairs *b) { BY_SHAPE(down_strip) }
