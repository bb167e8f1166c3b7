/* SPDX-License-Identifier: Apache-2.0
 * Prescribed motions and tables over time (T7): q = offset + rate t + amplitude sin(frequency t + phase), or a
 * table with a profile (profile.c).  Outside its table a motion holds the first or last position with rate zero; a
 * table of loads holds its value.
 *
 * At a point of its table a motion may jump in rate or acceleration.  The end of the span that a step lies in decides
 * which side of the point counts.  At that end it is the piece before it, everywhere else the piece after. */
#include "math/sincos.h"
#include "model/model.h"
#include "model/profile.h"
#include <math.h>

/* Largest k in 0..n-2 with time[k] <= t; t lies inside the table. */
static int interval(const clv_series *s, double t)
{
    int low = 0, high = s->n - 1;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (s->time[middle] <= t)
            low = middle;
        else
            high = middle;
    }
    return low;
}

double clv_series_at(const clv_series *s, double t, double constant)
{
    if (s->n == 0)
        return constant;
    if (t <= s->time[0])
        return s->value[0];
    if (t >= s->time[s->n - 1])
        return s->value[s->n - 1];
    int k = interval(s, t);
    double part = (t - s->time[k]) / (s->time[k + 1] - s->time[k]);
    return s->value[k] + part * (s->value[k + 1] - s->value[k]);
}

double clv_series_slope(const clv_series *s, double t)
{
    if (s->n < 2 || t < s->time[0] || t >= s->time[s->n - 1])
        return 0;
    const int k = interval(s, t);
    return (s->value[k + 1] - s->value[k]) / (s->time[k + 1] - s->time[k]);
}

/* from the first row to t */
static double integral_from_first(const clv_series *s, double t)
{
    double sum = 0;
    if (t <= s->time[0])
        return (t - s->time[0]) * s->value[0];
    for (int k = 0; k < s->n - 1 && s->time[k] < t; k++) {
        const double end = fmin(t, s->time[k + 1]);
        sum += (end - s->time[k]) * 0.5 * (s->value[k] + clv_series_at(s, end, 0));
    }
    const double last = s->time[s->n - 1];
    return t > last ? sum + (t - last) * s->value[s->n - 1] : sum;
}

double clv_series_integral(const clv_series *s, double t)
{
    return s->n == 0 ? 0 : integral_from_first(s, t) - integral_from_first(s, 0);
}

/* The piece that counts at t: -1 before the first row, n - 1 after the last. */
static int piece_at(const clv_series *s, double t, double until)
{
    const bool left = t >= until - CLV_BREAK_MERGE * fabs(until);
    const double rounding = 2 * CLV_BREAK_MERGE * fabs(t), at = left ? fmin(t, until) - rounding : t + rounding;
    int low = -1, high = s->n; /* time[low] is before `at`, time[high] is not */
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (left ? s->time[middle] < at : s->time[middle] <= at)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void clv_motion_in(const clv_motion *m, double t, double until, double *q, double *qd, double *qdd)
{
    double s, c;
    if (m->table.n > 0) {
        clv_series_piece(&m->table, piece_at(&m->table, t, until), t, q, qd, qdd);
        return;
    }
    clv_sincos(m->frequency * t + m->phase, &s, &c);
    *q = m->offset + m->rate * t + m->amplitude * s;
    *qd = m->rate + m->amplitude * m->frequency * c;
    *qdd = -m->amplitude * m->frequency * m->frequency * s;
}

void clv_motion_with(const clv_motion *m, const double *added, double t, double until, double *q, double *qd,
                     double *qdd)
{
    clv_motion_in(m, t, until, q, qd, qdd);
    if (!added)
        return;
    const double dt = t - added[0];
    *q += added[1] + dt * (added[2] + 0.5 * dt * added[3]);
    *qd += added[2] + dt * added[3];
    *qdd += added[3];
}

void clv_motion_at(const clv_motion *m, double t, double *q, double *qd, double *qdd)
{
    const bool last = m->table.n > 0 && t == m->table.time[m->table.n - 1];
    clv_motion_in(m, t, last ? t : INFINITY, q, qd, qdd);
}

double clv_motion_speed(const clv_motion *m)
{
    const clv_series *s = &m->table;
    double most = s->n > 0 ? 0 : fabs(m->rate) + fabs(m->amplitude) * m->frequency;
    for (int k = 0; k < s->n - 1; k++)
        most = fmax(most, fabs(s->value[k + 1] - s->value[k]) / (s->time[k + 1] - s->time[k]));
    return most;
}
