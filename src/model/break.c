/* SPDX-License-Identifier: Apache-2.0
 * Breaks of tables, see break.h.  Nothing is stored: the next break is looked up by bisection when one is passed. */
#include "model/break.h"
#include "model/profile.h"
#include <math.h>

clv_break clv_motion_break(const clv_motion *x, int k, double *jump)
{
    const clv_series *s = &x->table;
    const bool end = k == 0 || k == s->n - 1;
    double q, before, after, curve_before, curve_after, t = s->time[k], rounding = 0;
    clv_series_piece(s, k - 1, t, &q, &before, &curve_before);
    clv_series_piece(s, k, t, &q, &after, &curve_after);
    if (!end && s->profile != CLV_PROFILE_LINEAR)
        after = before; /* the same but for rounding */
    for (int i = k - 1; i <= k; i++)
        if (i >= 0 && i < s->n - 1) {
            double h = s->time[i + 1] - s->time[i];
            rounding = fmax(rounding, 1e-12 * fabs(s->value[i + 1] - s->value[i]) / h);
            rounding = fmax(rounding, 1e-12 * h * fmax(fabs(curve_before), fabs(curve_after)));
        }
    if (jump)
        *jump = after - before;
    if (fabs(after - before) > rounding)
        return CLV_BREAK_VELOCITY;
    if (s->profile == CLV_PROFILE_LINEAR)
        return CLV_BREAK_NONE;
    if (!end && s->profile != CLV_PROFILE_MONOTONE)
        return CLV_BREAK_KINK;
    return curve_before == curve_after ? CLV_BREAK_KINK : CLV_BREAK_ACCELERATION;
}

/* A table of loads: straight from row to row, held at its ends. */
static clv_break load_break(const clv_series *s, int k)
{
    double slope[2] = {0, 0};
    for (int i = 0; i < 2; i++)
        if (k - 1 + i >= 0 && k + i < s->n)
            slope[i] = (s->value[k + i] - s->value[k - 1 + i]) / (s->time[k + i] - s->time[k - 1 + i]);
    return fabs(slope[1] - slope[0]) > 1e-12 * fmax(fabs(slope[0]), fabs(slope[1])) ? CLV_BREAK_KINK : CLV_BREAK_NONE;
}

/* Row k of a table as the integrators see it: a long table is not stopped at but where it must be. */
static clv_break row_break(const clv_series *s, const clv_motion *x, int k)
{
    const clv_break kind = x ? clv_motion_break(x, k, NULL) : load_break(s, k);
    const bool end = k == 0 || k == s->n - 1;
    return kind < CLV_BREAK_VELOCITY && !end && s->n > CLV_BREAK_ROWS ? CLV_BREAK_NONE : kind;
}

/* First row later than t; n: none. */
static int row_after(const clv_series *s, double t)
{
    int low = -1, high = s->n;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (s->time[middle] <= t)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* *time: lowered to the first break of a table after `after`; or, at *time itself, *kind raised */
static void look(const clv_series *s, const clv_motion *x, double after, double *time, clv_break *kind)
{
    int k = row_after(s, after);
    if (k < s->n - 1 && s->n > CLV_BREAK_ROWS && !(x && s->profile == CLV_PROFILE_LINEAR))
        k = k == 0 ? 0 : s->n - 1;
    for (; k < s->n; k++) {
        if (s->time[k] > *time + CLV_BREAK_MERGE * fabs(*time))
            return;
        const clv_break here = row_break(s, x, k);
        if (here == CLV_BREAK_NONE)
            continue;
        if (kind)
            *kind = here > *kind ? here : *kind;
        else {
            *time = fmin(*time, s->time[k]);
            return;
        }
    }
}

double clv_break_next(const clv_model *m, double after, clv_break *kind)
{
    double time = INFINITY;
    const double from = after + CLV_BREAK_MERGE * fabs(after);
    *kind = CLV_BREAK_NONE;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < m->nmotion; i++)
            look(&m->motion[i].table, &m->motion[i], from, &time, pass ? kind : NULL);
        for (int i = 0; i < m->nforce; i++)
            look(&m->force[i].table, NULL, from, &time, pass ? kind : NULL);
    }
    return time;
}

double clv_motion_overshoot(const clv_motion *x, int *row)
{
    enum { SAMPLES = 16 };
    const clv_series *s = &x->table;
    double most = 0, q, qd, qdd;
    *row = -1;
    for (int k = 0; k < s->n - 1; k++)
        for (int i = 1; i < SAMPLES; i++) {
            double low = fmin(s->value[k], s->value[k + 1]), high = fmax(s->value[k], s->value[k + 1]);
            clv_series_piece(s, k, s->time[k] + (s->time[k + 1] - s->time[k]) * i / SAMPLES, &q, &qd, &qdd);
            double off = fmax(low - q, q - high);
            if (off > most)
                most = off, *row = k;
        }
    return most;
}
