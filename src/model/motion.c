/* SPDX-License-Identifier: Apache-2.0
 * Prescribed motions and tables over time (T7): q = offset + rate t + amplitude sin(frequency t + phase), or a
 * natural cubic spline. Outside its table a motion holds the first or last position with rate zero; a table of loads
 * holds its value. */
#include "math/sincos.h"
#include "model/model.h"

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

/* Continuity of the slope at the inner points, zero curvature at the ends:
 *   h[k-1] y''[k-1] + 2 (h[k-1] + h[k]) y''[k] + h[k] y''[k+1] = 6 (slope[k] - slope[k-1]).
 * Elimination from the front leaves y''[k] = curve[k] - ratio[k] y''[k+1]; the matrix is diagonally dominant.  The
 * block of a series ends with n numbers of work space for the ratios (model.c). */
void clv_series_spline(clv_series *s)
{
    const double *x = s->time, *y = s->value;
    double *curve = s->curve, *ratio = s->curve + s->n;
    int n = s->n;
    for (int k = 0; k < n; k++)
        curve[k] = ratio[k] = 0;
    for (int k = 1; k < n - 1; k++) {
        double left = x[k] - x[k - 1], right = x[k + 1] - x[k];
        double jump = 6 * ((y[k + 1] - y[k]) / right - (y[k] - y[k - 1]) / left);
        double pivot = 2 * (left + right) - left * ratio[k - 1];
        ratio[k] = right / pivot;
        curve[k] = (jump - left * curve[k - 1]) / pivot;
    }
    for (int k = n - 2; k > 0; k--)
        curve[k] -= ratio[k] * curve[k + 1];
}

/* Position, rate and acceleration of the spline. */
static void spline_at(const clv_series *s, double t, double *q, double *qd, double *qdd)
{
    int last = s->n - 1;
    *qd = *qdd = 0;
    if (t < s->time[0] || t > s->time[last]) {
        *q = t < s->time[0] ? s->value[0] : s->value[last];
        return;
    }
    int k = interval(s, t);
    double h = s->time[k + 1] - s->time[k], b = (t - s->time[k]) / h, a = 1 - b;
    double y0 = s->value[k], y1 = s->value[k + 1], c0 = s->curve[k], c1 = s->curve[k + 1];
    *q = a * y0 + b * y1 + ((a * a * a - a) * c0 + (b * b * b - b) * c1) * (h * h / 6);
    *qd = (y1 - y0) / h + ((3 * b * b - 1) * c1 - (3 * a * a - 1) * c0) * (h / 6);
    *qdd = a * c0 + b * c1;
}

void clv_motion_at(const clv_motion *m, double t, double *q, double *qd, double *qdd)
{
    double s, c;
    if (m->table.n > 0) {
        spline_at(&m->table, t, q, qd, qdd);
        return;
    }
    clv_sincos(m->frequency * t + m->phase, &s, &c);
    *q = m->offset + m->rate * t + m->amplitude * s;
    *qd = m->rate + m->amplitude * m->frequency * c;
    *qdd = -m->amplitude * m->frequency * m->frequency * s;
}

void clv_motion_with(const clv_motion *m, const double *added, double t, double *q, double *qd, double *qdd)
{
    clv_motion_at(m, t, q, qd, qdd);
    if (!added)
        return;
    const double dt = t - added[0];
    *q += added[1] + dt * (added[2] + 0.5 * dt * added[3]);
    *qd += added[2] + dt * added[3];
    *qdd += added[3];
}
