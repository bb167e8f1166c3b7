/* SPDX-License-Identifier: Apache-2.0
 * A lane source: columns of closing rows along one strand, tip to base (T101), after `up`.  A lane is a column.
 *
 *   y = H^T K,   t += K^T c + y u0,   K -= N y,   L += y^T y / d
 *
 * A prescribed joint is not eliminated: its rate or acceleration is a bias, c = H known. */
#include "kinematics/row_lane.h"

typedef struct joint { /* numbers of a row of the strand */
    double h[3], N[6], bias[6], r[3];
    double alpha, beta, known, free, u0;
} joint;

INLINE void take(double *d, double *array, int n, int row, int lane)
{
    for (int i = 0; i < n; i++)
        d[i] = row_of(array, n, row, lane)[i * G8];
}

/* share of a row that is eliminated: 1, or 0 where it is prescribed */
INLINE double free_of(const clv_rows *w, int row, int lane)
{
    return w->flags[row] & CLV_ROW_DRIVEN ? 1.0 - w->pad[row * G8 + lane] : 1.0;
}

INLINE void take_row(joint *j, const clv_rows *w, int row, int lane, bool biased)
{
    const int slot = row * G8 + lane;
    if (biased)
        take(j->bias, w->bias, 6, row, lane);
    if (w->flags[row] & (CLV_ROW_FREE | CLV_ROW_DRIVEN)) {
        take(j->h, w->h, 3, row, lane), take(j->N, w->N, 6, row, lane);
        j->alpha = w->alpha[slot], j->beta = w->beta[slot], j->free = free_of(w, row, lane);
        j->known = w->flags[row] & CLV_ROW_DRIVEN ? w->known[slot] : 0.0, j->u0 = j->free * w->u0[slot] + j->known;
    }
    if (w->flags[row] & CLV_ROW_ARM)
        take(j->r, w->r, 3, row, lane);
}

INLINE void pass(clv_w *K, clv_w *t, const joint *j, const int flags, const bool biased, double *Y)
{
    for (int i = 0; biased && i < 6; i++)
        *t += K[i] * j->bias[i];
    if (flags & (CLV_ROW_FREE | CLV_ROW_DRIVEN)) {
        clv_w y = K[3] * j->h[0] + K[4] * j->h[1] + K[5] * j->h[2];
        if (flags & CLV_ROW_SHIFTS)
            y = y * j->alpha + (K[0] * j->h[0] + K[1] * j->h[1] + K[2] * j->h[2]) * j->beta;
        clv_w_store(Y, y);
        *t += y * j->u0;
        y = y * j->free;
        for (int i = 0; i < 6; i++)
            K[i] -= y * j->N[i];
    }
    if (flags & CLV_ROW_ARM) {
        K[3] += K[2] * j->r[1] - K[1] * j->r[2];
        K[4] += K[0] * j->r[2] - K[2] * j->r[0];
        K[5] += K[1] * j->r[0] - K[0] * j->r[1];
    }
}

/* L += Y^T D^-1 Y, D the pivots of the rows of the strand */
INLINE void add_compliance(const clv_rows *w, const clv_row_columns *c, int first, int lane)
{
    for (int a = 0; a < c->n; a++)
        for (int j = 0; j < c->wide; j += CLV_LANES) {
            clv_w sum = clv_w_load(c->L + a * c->wide + j);
            for (int i = 0; i < c->rows; i++) {
                const double *Y = c->Y + i * c->wide;
                const double f = Y[a] * (w->inverse[(first + i) * G8 + lane] * free_of(w, first + i, lane));
                sum += clv_w_load(Y + j) * f;
            }
            clv_w_store(c->L + a * c->wide + j, sum);
        }
}

void CLV_LANE(clv_rows_bring)(const clv_rows *w, int strand, const clv_row_columns *c, bool biased)
{
    const clv_strand *s = &w->plan->strand[strand];
    const int first = w->first[s->group], lane = s->lane;
    for (int at = 0; at < c->wide; at += CLV_LANES) {
        clv_w K[6], t = clv_w_fill(0.0);
        for (int k = 0; k < 6; k++)
            K[k] = clv_w_load(c->K + k * c->wide + at);
        for (int i = c->rows - 1; i >= 0; i--) {
            joint j;
            take_row(&j, w, first + i, lane, biased);
            pass(K, &t, &j, w->flags[first + i], biased, c->Y + i * c->wide + at);
        }
        for (int k = 0; k < 6; k++)
            clv_w_store(c->K + k * c->wide + at, K[k]);
        clv_w_store(c->t + at, t);
    }
    add_compliance(w, c, first, lane);
}
