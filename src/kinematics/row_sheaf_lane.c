/* SPDX-License-Identifier: Apache-2.0
 * A lane source: columns of closing rows along the strands of a group, tip to base (T101), after `up`.  A lane is a
 * strand, as in row_climb.c; row_carry_lane.c has the same where a lane is a column.
 *
 *   turn    K := R^T K, the blocks of joints on the tips to the axes of the strands
 *   bring   y = H^T K,  t += K^T c + y u0,  K -= N y,  L += y^T y / d;  then K := R K, axes of the strands before
 *   again   t = y u0
 *   load    u0 += y sigma / d
 *
 * A prescribed joint is not eliminated: its rate or acceleration is a bias, c = H known. */
#include "kinematics/row_lane.h"

/* R x of both halves, R row major */
INLINE void turn(clv_w *y, const clv_w *R, const clv_w *x)
{
    for (int h = 0; h < 6; h += 3)
        for (int i = 0; i < 3; i++)
            y[h + i] = R[3 * i] * x[h] + R[3 * i + 1] * x[h + 1] + R[3 * i + 2] * x[h + 2];
}

INLINE void turn_columns(double *K, int n, const clv_w *R)
{
    for (int j = 0; j < n; j++, K += 6 * G8) {
        clv_w x[6], y[6];
        load(x, K, 6);
        turn(y, R, x);
        store(K, y, 6);
    }
}

void CLV_LANE(clv_rows_sheaf_turn)(const clv_rows *w, int group)
{
    const clv_row_sheaf *s = &w->carry.sheaf[group];
    for (int lane = 0; lane < w->plan->group[group].nstrand; lane += CLV_LANES) {
        clv_w R[9]; /* the start has the axes as columns: these are the rows of R^T */
        load(R, w->end[group].start + lane, 9);
        turn_columns(s->K + lane, s->n, R);
    }
}

typedef struct joint { /* numbers of a row of the strands */
    clv_w h[3], N[6], bias[6], r[3];
    clv_w alpha, beta, free, u0, f;
} joint;

INLINE void fill(clv_w *v, int n)
{
    for (int i = 0; i < n; i++)
        v[i] = clv_w_fill(0.0);
}

/* what the row does not have is zero */
INLINE void take(joint *j, const clv_rows *w, int row, int lane, const int biased)
{
    const int flags = w->flags[row];
    fill(j->h, 3), fill(j->N, 6), fill(j->bias, 6), fill(j->r, 3);
    j->alpha = j->beta = j->free = j->u0 = j->f = clv_w_fill(0.0);
    if (biased)
        load(j->bias, row_of(w->bias, 6, row, lane), 6);
    if (flags & (CLV_ROW_FREE | CLV_ROW_DRIVEN)) {
        load(j->h, row_of(w->h, 3, row, lane), 3), load(j->N, row_of(w->N, 6, row, lane), 6);
        j->u0 = clv_w_load(row_of(w->u0, 1, row, lane)), j->f = clv_w_load(row_of(w->inverse, 1, row, lane));
        j->free = clv_w_fill(1.0);
    }
    if (flags & CLV_ROW_SHIFTS)
        j->alpha = clv_w_load(row_of(w->alpha, 1, row, lane)), j->beta = clv_w_load(row_of(w->beta, 1, row, lane));
    if (flags & CLV_ROW_DRIVEN) {
        j->free -= clv_w_load(row_of(w->pad, 1, row, lane)), j->f *= j->free;
        j->u0 = j->free * j->u0 + clv_w_load(row_of(w->known, 1, row, lane));
    }
    if (flags & CLV_ROW_ARM)
        load(j->r, row_of(w->r, 3, row, lane), 3);
}

/* one column past one row */
INLINE void pass(clv_w *K, clv_w *t, const joint *j, const int flags, const int biased, double *Y, const int ends)
{
    for (int i = 0; biased && i < 6; i++)
        *t += K[i] * j->bias[i];
    if (flags & (CLV_ROW_FREE | CLV_ROW_DRIVEN)) {
        clv_w y = dot(K + 3, j->h);
        if (flags & CLV_ROW_SHIFTS)
            y = y * j->alpha + dot(K, j->h) * j->beta;
        clv_w_store(Y, y);
        *t += y * j->u0;
        if (ends)
            return;
        if (flags & CLV_ROW_DRIVEN)
            y *= j->free;
        for (int i = 0; i < 6; i++)
            K[i] -= y * j->N[i];
    }
    if (flags & CLV_ROW_ARM) {
        K[3] += K[2] * j->r[1] - K[1] * j->r[2];
        K[4] += K[0] * j->r[2] - K[2] * j->r[0];
        K[5] += K[1] * j->r[0] - K[0] * j->r[1];
    }
}

/* ends: of strands on ground, whose columns nothing looks at after their first row */
INLINE void pass_row(const clv_row_sheaf *s, const joint *j, double *Y, int lane, const int flags, const int biased,
                     const int ends)
{
    for (int c = 0; c < s->n; c++) {
        double *at = s->K + (size_t)c * 6 * G8 + lane;
        clv_w K[6], t = clv_w_load(s->t + c * G8 + lane);
        load(K, at, 6);
        pass(K, &t, j, flags, biased, Y + c * G8, ends);
        if (!ends)
            store(at, K, 6);
        clv_w_store(s->t + c * G8 + lane, t);
    }
}

/* L += y^T y / d of one row of the strands; what is empty is zero before */
INLINE void add_compliance(const clv_row_sheaf *s, const double *Y, clv_w f, int lane, const unsigned char *empty)
{
    double *L = s->L + lane;
    for (int a = 0, k = 0; a < s->n; a++) {
        const clv_w y = clv_w_load(Y + a * G8) * f;
        for (int b = 0; b <= a; b++, k++, L += G8)
            clv_w_store(L, (empty && empty[k] ? clv_w_fill(0.0) : clv_w_load(L)) + y * clv_w_load(Y + b * G8));
    }
}

/* where no joint has filled it */
INLINE void clear_empty(const clv_row_sheaf *s, int lane)
{
    for (int k = 0; s->empty && k < s->n * (s->n + 1) / 2; k++)
        if (s->empty[k])
            clv_w_store(s->L + k * G8 + lane, clv_w_fill(0.0));
}

INLINE void bring_strip(const clv_rows *w, int group, int lane, const int biased)
{
    const clv_row_sheaf *s = &w->carry.sheaf[group];
    bool filled = false;
    clv_w R[9];
    for (int c = 0; c < s->n; c++)
        clv_w_store(s->t + c * G8 + lane, clv_w_fill(0.0));
    for (int i = s->rows - 1; i >= 0; i--) {
        const int row = w->first[group] + i;
        double *Y = row_of(s->Y, s->n, i, lane);
        joint j;
        take(&j, w, row, lane, biased);
        if (w->flags[row] == CLV_ROW_PLAIN && i == 0 && !s->R)
            pass_row(s, &j, Y, lane, CLV_ROW_PLAIN, biased, 1);
        else if (w->flags[row] == CLV_ROW_PLAIN)
            pass_row(s, &j, Y, lane, CLV_ROW_PLAIN, biased, 0);
        else
            pass_row(s, &j, Y, lane, w->flags[row], biased, 0);
        if (w->flags[row] & (CLV_ROW_FREE | CLV_ROW_DRIVEN))
            add_compliance(s, Y, j.f, lane, filled ? NULL : s->empty), filled = true;
    }
    if (!filled)
        clear_empty(s, lane);
    if (!s->R) /* all of them stand on ground */
        return;
    load(R, s->R + lane, 9);
    turn_columns(s->K + lane, s->n, R);
}

void CLV_LANE(clv_rows_sheaf_bring)(const clv_rows *w, int group, bool biased)
{
    for (int lane = 0; lane < w->plan->group[group].nstrand; lane += CLV_LANES)
        if (biased)
            bring_strip(w, group, lane, 1);
        else
            bring_strip(w, group, lane, 0);
}

/* share of a row that is eliminated, times x */
INLINE clv_w free_part(const clv_rows *w, int row, int lane, clv_w x)
{
    if (w->flags[row] & CLV_ROW_DRIVEN)
        x *= clv_w_fill(1.0) - clv_w_load(row_of(w->pad, 1, row, lane));
    return x;
}

void CLV_LANE(clv_rows_sheaf_again)(const clv_rows *w, int group)
{
    const clv_row_sheaf *s = &w->carry.sheaf[group];
    for (int lane = 0; lane < w->plan->group[group].nstrand; lane += CLV_LANES)
        for (int c = 0; c < s->n; c++) {
            clv_w t = clv_w_fill(0.0);
            for (int i = s->rows - 1; i >= 0; i--) {
                const int row = w->first[group] + i;
                if (w->flags[row] & (CLV_ROW_FREE | CLV_ROW_DRIVEN))
                    t += clv_w_load(row_of(s->Y, s->n, i, lane) + c * G8) *
                         free_part(w, row, lane, clv_w_load(row_of(w->u0, 1, row, lane)));
            }
            clv_w_store(s->t + c * G8 + lane, t);
        }
}

void CLV_LANE(clv_rows_sheaf_load)(const clv_rows *w, int group)
{
    const clv_row_sheaf *s = &w->carry.sheaf[group];
    for (int lane = 0; lane < w->plan->group[group].nstrand; lane += CLV_LANES)
        for (int i = 0; i < s->rows; i++) {
            const int row = w->first[group] + i;
            double *u0 = row_of(w->u0, 1, row, lane);
            clv_w sum = clv_w_fill(0.0);
            if (!(w->flags[row] & (CLV_ROW_FREE | CLV_ROW_DRIVEN)))
                continue;
            for (int c = 0; c < s->n; c++)
                sum += clv_w_load(row_of(s->Y, s->n, i, lane) + c * G8) * clv_w_load(s->t + c * G8 + lane);
            clv_w_store(u0, clv_w_load(u0) + sum * clv_w_load(row_of(w->inverse, 1, row, lane)));
        }
}
