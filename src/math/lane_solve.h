/* SPDX-License-Identifier: Apache-2.0
 * Six linear equations in lanes, by elimination with exchanges of rows; every lane has an order of its own.  For lane
 * sources alone. */
#ifndef CLV_MATH_LANE_SOLVE_H
#define CLV_MATH_LANE_SOLVE_H
#include "math/lane_row.h"

typedef struct clv_w_factor6 {
    clv_w U[6][6], f[6][6], inverse[6]; /* f: by which row k is taken off row i, at [k][i]           */
    clv_w_mask moved[6][6];             /* lanes that exchange rows k and i, at [k][i]               */
} clv_w_factor6;

INLINE clv_w clv_w_size(clv_w x) { return clv_w_of_bits(clv_w_bits(x) & ~clv_w_bits(clv_w_fill(-0.0))); }

INLINE void clv_w_exchange(clv_w *a, clv_w *b, clv_w_mask m)
{
    const clv_w_mask x = clv_w_bits(*a), y = clv_w_bits(*b), t = (x ^ y) & m;
    *a = clv_w_of_bits(x ^ t), *b = clv_w_of_bits(y ^ t);
}

/* the row with the largest entry of column k, below the diagonal, takes the place of row k */
INLINE void clv_w_pivot6(clv_w_factor6 *s, const int k)
{
    clv_w best = clv_w_size(s->U[k][k]), which = clv_w_fill(k);
    for (int i = k + 1; i < 6; i++) {
        const clv_w own = clv_w_size(s->U[i][k]), larger = clv_w_above(own, best);
        const clv_w_mask m = clv_w_at_most(clv_w_fill(1.0), larger);
        best = clv_w_of_bits((clv_w_bits(own) & m) | (clv_w_bits(best) & ~m));
        which = clv_w_of_bits((clv_w_bits(clv_w_fill(i)) & m) | (clv_w_bits(which) & ~m));
    }
    for (int i = k + 1; i < 6; i++) {
        const clv_w place = clv_w_fill(i);
        const clv_w_mask m = clv_w_settled(clv_w_at_most(which, place) & clv_w_at_most(place, which));
        s->moved[k][i] = m;
        for (int c = k; c < 6; c++)
            clv_w_exchange(&s->U[k][c], &s->U[i][c], m);
    }
}

/* of the matrix in U */
INLINE void clv_w_eliminate6(clv_w_factor6 *s)
{
    for (int k = 0; k < 6; k++) {
        clv_w_pivot6(s, k);
        s->inverse[k] = 1.0 / s->U[k][k];
        for (int i = k + 1; i < 6; i++) {
            const clv_w f = s->f[k][i] = s->U[i][k] * s->inverse[k];
            for (int c = k + 1; c < 6; c++)
                s->U[i][c] -= s->U[k][c] * f;
        }
    }
}

/* x := A^-1 x */
INLINE void clv_w_solve6(const clv_w_factor6 *s, clv_w x[6])
{
    for (int k = 0; k < 6; k++) {
        for (int i = k + 1; i < 6; i++)
            clv_w_exchange(&x[k], &x[i], s->moved[k][i]);
        for (int i = k + 1; i < 6; i++)
            x[i] -= x[k] * s->f[k][i];
    }
    for (int k = 5; k >= 0; k--) {
        for (int i = k + 1; i < 6; i++)
            x[k] -= x[i] * s->U[k][i];
        x[k] = x[k] * s->inverse[k];
    }
}

#endif
