/* SPDX-License-Identifier: Apache-2.0
 * Profiles of motion tables (T7).  Called by resolve.c once, by motion.c at every evaluation.
 *
 *   natural   cubic spline, no curvature at the ends          clamped   cubic spline, given rates at the ends
 *   linear    straight from row to row                        smooth    at rest at every row, quintic between
 *   monotone  cubic Hermite that never leaves the range of two neighbouring rows
 *
 * Monotone: F. N. Fritsch, R. E. Carlson, SIAM J. Numer. Anal. 17 (1980) 238-246 give the region of rates that keeps
 * a piece monotone; the rates are those of F. N. Fritsch, J. Butland, SIAM J. Sci. Stat. Comput. 5 (1984) 300-304. */
#include "model/profile.h"
#include <math.h>

const char *const clv_profile_name[] = {"natural", "linear", "smooth", "clamped", "monotone", NULL};

int clv_profile_rows(clv_profile profile)
{
    return profile == CLV_PROFILE_NATURAL ? 3 : 2;
}

/* ------------------------------------------------------------------ cubic splines */

static double slope(const clv_series *s, int k)
{
    return (s->value[k + 1] - s->value[k]) / (s->time[k + 1] - s->time[k]);
}

/* Continuity of the rate at the inner rows:
 *   h[k-1] y''[k-1] + 2 (h[k-1] + h[k]) y''[k] + h[k] y''[k+1] = 6 (slope[k] - slope[k-1]),
 * at the ends y'' = 0 or the given rates.  Elimination from the front leaves y''[k] = curve[k] - ratio[k] y''[k+1]; the
 * matrix is diagonally dominant.  The block of a series ends with n numbers of work space for the ratios (model.c). */
static void spline(clv_series *s, const double end_rate[2])
{
    const bool clamped = s->profile == CLV_PROFILE_CLAMPED;
    const double *x = s->time, *y = s->value;
    double *curve = s->curve, *ratio = s->curve + s->n;
    int n = s->n;
    for (int k = 0; k < n; k++)
        curve[k] = ratio[k] = 0;
    if (clamped)
        ratio[0] = 0.5, curve[0] = 3 * (slope(s, 0) - end_rate[0]) / (x[1] - x[0]);
    for (int k = 1; k < n - 1; k++) {
        double left = x[k] - x[k - 1], right = x[k + 1] - x[k];
        double jump = 6 * ((y[k + 1] - y[k]) / right - (y[k] - y[k - 1]) / left);
        double pivot = 2 * (left + right) - left * ratio[k - 1];
        ratio[k] = right / pivot;
        curve[k] = (jump - left * curve[k - 1]) / pivot;
    }
    if (clamped) {
        double h = x[n - 1] - x[n - 2];
        curve[n - 1] = (6 * (end_rate[1] - slope(s, n - 2)) / h - curve[n - 2]) / (2 - ratio[n - 2]);
    }
    for (int k = n - 2; k >= (clamped ? 0 : 1); k--)
        curve[k] -= ratio[k] * curve[k + 1];
}

/* Rate at an end: the parabola through three rows, cut to what keeps the piece of slope `near` monotone. */
static double end_of(double h, double beyond, double near, double far)
{
    double d = ((2 * h + beyond) * near - h * far) / (h + beyond);
    if (!(d * near > 0))
        return 0;
    return near * far < 0 && fabs(d) > 3 * fabs(near) ? 3 * near : d;
}

static void monotone(clv_series *s)
{
    const double *x = s->time;
    int n = s->n;
    s->curve[0] = s->curve[n - 1] = slope(s, 0);
    if (n == 2)
        return;
    for (int k = 1; k < n - 1; k++) {
        double left = x[k] - x[k - 1], right = x[k + 1] - x[k], a = slope(s, k - 1), b = slope(s, k);
        double wa = 2 * right + left, wb = right + 2 * left;
        s->curve[k] = a != 0 && b != 0 && (a < 0) == (b < 0) ? (wa + wb) / (wa / a + wb / b) : 0;
    }
    s->curve[0] = end_of(x[1] - x[0], x[2] - x[1], slope(s, 0), slope(s, 1));
    s->curve[n - 1] = end_of(x[n - 1] - x[n - 2], x[n - 2] - x[n - 3], slope(s, n - 2), slope(s, n - 3));
}

void clv_series_prepare(clv_series *s, const double end_rate[2])
{
    if (s->profile == CLV_PROFILE_MONOTONE)
        monotone(s);
    else if (s->profile == CLV_PROFILE_NATURAL || s->profile == CLV_PROFILE_CLAMPED)
        spline(s, end_rate);
}

/* ------------------------------------------------------------------ pieces */

/* Each: h of the piece, b in [0, 1] along it. */
static void cubic(const clv_series *s, int k, double h, double b, double *q, double *qd, double *qdd)
{
    double a = 1 - b, y0 = s->value[k], y1 = s->value[k + 1], c0 = s->curve[k], c1 = s->curve[k + 1];
    *q = a * y0 + b * y1 + ((a * a * a - a) * c0 + (b * b * b - b) * c1) * (h * h / 6);
    *qd = (y1 - y0) / h + ((3 * b * b - 1) * c1 - (3 * a * a - 1) * c0) * (h / 6);
    *qdd = a * c0 + b * c1;
}

static void hermite(const clv_series *s, int k, double h, double b, double *q, double *qd, double *qdd)
{
    double y0 = s->value[k], d = s->value[k + 1] - y0, r0 = s->curve[k] * h, r1 = s->curve[k + 1] * h;
    double c2 = 3 * d - 2 * r0 - r1, c3 = r0 + r1 - 2 * d;
    *q = y0 + b * (r0 + b * (c2 + b * c3));
    *qd = (r0 + b * (2 * c2 + 3 * c3 * b)) / h;
    *qdd = (2 * c2 + 6 * c3 * b) / (h * h);
}

static void quintic(const clv_series *s, int k, double h, double b, double *q, double *qd, double *qdd)
{
    double d = s->value[k + 1] - s->value[k], a = 1 - b;
    *q = s->value[k] + d * (b * b * b * (10 - b * (15 - 6 * b)));
    *qd = 30 * d / h * (b * b * a * a);
    *qdd = 60 * d / (h * h) * (b * a * (a - b));
}

void clv_series_piece(const clv_series *s, int k, double t, double *q, double *qd, double *qdd)
{
    *qd = *qdd = 0;
    if (k < 0 || k >= s->n - 1) {
        *q = s->value[k < 0 ? 0 : s->n - 1];
        return;
    }
    double h = s->time[k + 1] - s->time[k], b = (t - s->time[k]) / h;
    switch (s->profile) {
    case CLV_PROFILE_LINEAR:
        *qd = (s->value[k + 1] - s->value[k]) / h;
        *q = s->value[k] + b * (s->value[k + 1] - s->value[k]);
        break;
    case CLV_PROFILE_SMOOTH:
        quintic(s, k, h, b, q, qd, qdd);
        break;
    case CLV_PROFILE_MONOTONE:
        hermite(s, k, h, b, q, qd, qdd);
        break;
    default:
        cubic(s, k, h, b, q, qd, qdd);
    }
}
