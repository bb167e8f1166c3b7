/* SPDX-License-Identifier: Apache-2.0
 * Points of an ellipse that are farthest or nearest, see ellipse.h and T147.2.  By symmetry they are looked for in one
 * quadrant, where the condition has one root; Newton's method, kept between bounds. */
#include "math/ellipse.h"
#include <math.h>
#include <stdbool.h>

enum { MOST = 60 };
#define CONVERGED 1e-15 /* rad */

/* y c^n - x s^n - q s c, n = 1 or 3: positive before its root, negative behind it */
typedef struct condition {
    double x, y, q;
    bool cubic;
} condition;

static double value(const condition *f, const double d[2], double *slope)
{
    const double c = d[0], s = d[1];
    const double m = f->cubic ? c * c : 1, n = f->cubic ? s * s : 1, grade = f->cubic ? 3 : 1;
    *slope = -grade * (f->y * m * s + f->x * n * c) - f->q * (c * c - s * s);
    return f->y * m * c - f->x * n * s - f->q * s * c;
}

static void toward(double d[2], double c, double s)
{
    const double l = sqrt(c * c + s * s);
    d[0] = c / l, d[1] = s / l;
}

static double turn(const double a[2], const double b[2])
{
    return a[0] * b[1] - a[1] * b[0];
}

/* the root between two directions of the first quadrant */
static void solve(const condition *f, const double from[2], const double to[2], double d[2])
{
    double low[2] = {from[0], from[1]}, high[2] = {to[0], to[1]};
    const bool near_circle = !f->cubic && f->x > 0 && f->y > 0;
    toward(d, near_circle ? f->x : low[0] + high[0], near_circle ? f->y : low[1] + high[1]);
    for (int i = 0; i < MOST; i++) {
        double slope, next[2];
        const double w = value(f, d, &slope), step = slope < 0 ? -w / slope : 0;
        if (w == 0)
            return;
        double *end = w > 0 ? low : high;
        end[0] = d[0], end[1] = d[1];
        toward(next, d[0] - step * d[1], d[1] + step * d[0]);
        if (step == 0 || !(fabs(step) < 0.5) || !(turn(low, next) > 0 && turn(next, high) > 0))
            toward(next, low[0] + high[0], low[1] + high[1]);
        const double moved = fabs(turn(d, next));
        d[0] = next[0], d[1] = next[1];
        if (moved <= CONVERGED)
            return;
    }
}

static const double ALONG_X[2] = {1, 0}, ALONG_Y[2] = {0, 1};

/* Where x / cos + y / sin is least, if it is below q there: between two more roots of q = x / cos + y / sin. */
static bool between(double x, double y, double q, double d[2])
{
    const condition least = {x, y, 0, true};
    if (!(x + y < q))
        return false;
    solve(&least, ALONG_X, ALONG_Y, d);
    return x * d[1] + y * d[0] < q * d[0] * d[1];
}

int clv_ellipse_farthest(double to[2][2], const double middle[2], double r, double k)
{
    const double x = fabs(middle[0]), y = k * fabs(middle[1]), q = (1 - k * k) * r;
    const double sx = middle[0] < 0 ? -1 : 1, sy = middle[1] < 0 ? -1 : 1;
    const condition own = {x, y, q, false}, other = {-x, y, q, false};
    double d[2];
    solve(&own, ALONG_X, ALONG_Y, to[0]);
    to[0][0] *= sx, to[0][1] *= sy;
    if (!between(x, y, q, d))
        return 1;
    solve(&other, ALONG_X, d, to[1]);
    to[1][0] *= -sx, to[1][1] *= sy;
    return 2;
}

int clv_ellipse_nearest(double to[2][2], const double middle[2], double r, double k)
{
    const double x = fabs(middle[0]), y = k * fabs(middle[1]), q = (1 - k * k) * r;
    const double sx = middle[0] < 0 ? -1 : 1, sy = middle[1] < 0 ? -1 : 1;
    const condition own = {x, y, -q, false}, other = {x, -y, -q, false};
    double d[2];
    solve(&own, ALONG_X, ALONG_Y, to[0]);
    to[0][0] *= -sx, to[0][1] *= -sy;
    if (!between(x, y, q, d))
        return 1;
    solve(&other, d, ALONG_Y, to[1]);
    to[1][0] *= -sx, to[1][1] *= sy;
    return 2;
}
