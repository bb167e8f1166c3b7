/* SPDX-License-Identifier: Apache-2.0
 * Curves through points (T121), see curve.h.  Each coordinate is a cubic spline over the length of the chords, natural
 * with straight lines beyond its ends, or periodic.  The first normal lies next to a direction that goes from point to
 * point with the least turn about the curve.  Of a closed curve it is turned evenly, so that it comes back to itself.
 * Nothing is remembered from call to call: the nearest place is looked for anew. */
#include "model/curve.h"
#include "base/memory.h"
#include "math/rotation.h"
#include "math/sincos.h"
#include "model/add.h"
#include "model/coupling.h"
#include "model/profile.h"
#include <math.h>
#include <string.h>

struct clv_curve {
    int n;               /* knots; of a closed one the last is the first */
    bool closed;
    clv_series axis[3];  /* x, y, z over s                               */
    double *side;        /* (n x 3) directions near the first normal     */
    double *sample;      /* (PARTS (n - 1) + 1 x 3) m, places in between */
};

enum { PARTS = 4 }; /* of a piece, where the nearest place is looked for first */

/* ------------------------------------------------------------------ its points */

static double length_of(const clv_curve *k) { return k->axis[0].time[k->n - 1]; }

static int piece_of(const clv_curve *k, double s)
{
    const double *time = k->axis[0].time;
    int low = 0, high = k->n - 1;
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (time[middle] <= s)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* c, c', c'' at s; returns the piece, and in *b how far along it */
static int evaluate(const clv_curve *k, double s, double c[3], double c1[3], double c2[3], double *b)
{
    const double all = length_of(k);
    const double inside = k->closed ? s - floor(s / all) * all : fmin(fmax(s, 0), all);
    const double x = fmin(fmax(inside, 0), all);
    const int piece = piece_of(k, x);
    const double *time = k->axis[0].time;
    for (int i = 0; i < 3; i++)
        clv_series_piece(&k->axis[i], piece, x, &c[i], &c1[i], &c2[i]);
    if (!k->closed && x != s) /* beyond an end */
        for (int i = 0; i < 3; i++)
            c[i] += c1[i] * (s - x), c2[i] = 0;
    *b = (x - time[piece]) / (time[piece + 1] - time[piece]);
    return piece;
}

/* ------------------------------------------------------------------ its normals */

static void unit(double x[3])
{
    const double size = clv_norm3(x);
    for (int i = 0; i < 3; i++)
        x[i] /= size;
}

/* x := x less its part along a unit t */
static void across(double x[3], const double t[3]) { clv_axpy3(x, -clv_dot3(x, t), t); }

/* The direction m next to t0 at x0 goes to t1 at x1 by two reflections, with next to no turn about the curve. */
static void carry(double m[3], const double x0[3], const double t0[3], const double x1[3], const double t1[3])
{
    double v[3], w[3], t[3];
    clv_sub3(v, x1, x0);
    double size = clv_dot3(v, v);
    clv_copy3(t, t0);
    clv_axpy3(t, -2 / size * clv_dot3(v, t0), v), clv_axpy3(m, -2 / size * clv_dot3(v, m), v);
    clv_sub3(w, t1, t);
    size = clv_dot3(w, w);
    if (size > 0)
        clv_axpy3(m, -2 / size * clv_dot3(w, m), w);
    across(m, t1), unit(m);
}

/* turns a unit m across a unit t by an angle about it */
static void turn_about(double m[3], const double t[3], double angle)
{
    double y[3], sine, cosine;
    clv_cross(y, t, m);
    clv_sincos(angle, &sine, &cosine);
    for (int i = 0; i < 3; i++)
        m[i] = cosine * m[i] + sine * y[i];
}

/* The normals of knots.  The first one is next to the axis that lies most across the curve there, z before y. */
static void find_sides(clv_curve *k)
{
    double x0[3], t0[3], c2[3], b, *m = k->side;
    evaluate(k, 0, x0, t0, c2, &b), unit(t0);
    const double part[3] = {fabs(t0[0]), fabs(t0[1]), fabs(t0[2])};
    const int axis = part[2] <= part[1] && part[2] <= part[0] ? 2 : part[1] <= part[0] ? 1 : 0;
    memset(m, 0, 3 * sizeof *m);
    m[axis] = 1;
    across(m, t0), unit(m);
    for (int i = 1; i < k->n; i++) {
        double x1[3], t1[3];
        evaluate(k, i < k->n - 1 || !k->closed ? k->axis[0].time[i] : 0, x1, t1, c2, &b), unit(t1);
        clv_copy3(m + 3 * i, m + 3 * (i - 1));
        carry(m + 3 * i, x0, t0, x1, t1);
        clv_copy3(x0, x1), clv_copy3(t0, t1);
    }
    if (!k->closed)
        return;
    double y[3], *last = m + 3 * (k->n - 1);
    clv_cross(y, t0, m); /* t0 is that of the first knot again */
    const double angle = clv_atan2(clv_dot3(y, last), clv_dot3(m, last));
    for (int i = 1; i < k->n - 1; i++) {
        double x1[3], t1[3];
        evaluate(k, k->axis[0].time[i], x1, t1, c2, &b), unit(t1);
        turn_about(m + 3 * i, t1, -angle * i / (k->n - 1));
    }
    clv_copy3(last, m);
}

static void take_samples(clv_curve *k)
{
    const double *time = k->axis[0].time;
    for (int i = 0; i <= (k->n - 1) * PARTS; i++) {
        const int piece = i / PARTS < k->n - 1 ? i / PARTS : k->n - 2;
        double c1[3], c2[3], b;
        const double part = (double)(i - piece * PARTS) / PARTS;
        (void)evaluate(k, time[piece] + (time[piece + 1] - time[piece]) * part, k->sample + 3 * (size_t)i, c1, c2, &b);
    }
}

/* all of a place but s; returns how far the normal is from vanishing, 0 to 1 */
static double fill(const clv_curve *k, double s, clv_curve_place *to)
{
    double b, m[3], md[3], td[3], v[3], vd[3], x[3];
    const int piece = evaluate(k, s, to->c, to->c1, to->c2, &b);
    const double *side = k->side + 3 * piece, h = k->axis[0].time[piece + 1] - k->axis[0].time[piece];
    const bool beyond = !k->closed && (s < 0 || s > length_of(k));
    const double speed = clv_norm3(to->c1);
    for (int i = 0; i < 3; i++) {
        to->t[i] = to->c1[i] / speed, td[i] = to->c2[i] / speed;
        m[i] = (1 - b) * side[i] + b * side[3 + i], md[i] = beyond ? 0 : (side[3 + i] - side[i]) / h;
    }
    across(td, to->t);
    const double along = clv_dot3(m, to->t), rate = clv_dot3(md, to->t) + clv_dot3(m, td);
    for (int i = 0; i < 3; i++)
        v[i] = m[i] - along * to->t[i], vd[i] = md[i] - rate * to->t[i] - along * td[i];
    const double size = clv_norm3(v);
    for (int i = 0; i < 3; i++)
        to->n[0][i] = v[i] / size, to->nd[0][i] = vd[i] / size;
    across(to->nd[0], to->n[0]);
    clv_cross(to->n[1], to->t, to->n[0]);
    clv_cross(to->nd[1], td, to->n[0]), clv_cross(x, to->t, to->nd[0]);
    clv_axpy3(to->nd[1], 1, x);
    to->s = s;
    return size;
}

/* ------------------------------------------------------------------ the nearest place */

/* m^2 and half its derivative by s, less: (x - c).c' */
static double square(const clv_curve *k, const double x[3], double s, double *toward, double *bend)
{
    double c[3], c1[3], c2[3], r[3], b;
    (void)evaluate(k, s, c, c1, c2, &b);
    clv_sub3(r, x, c);
    *toward = clv_dot3(r, c1), *bend = clv_dot3(r, c2) - clv_dot3(c1, c1);
    return clv_dot3(r, r);
}

/* The lines beyond the ends of an open curve: *s becomes a place on one of them, if that is nearer than `best`. */
static double look_beyond(const clv_curve *k, const double x[3], double best, double *s)
{
    const double all = length_of(k);
    for (int end = 0; end < 2 && !k->closed; end++) {
        double c[3], c1[3], c2[3], r[3], b, toward, bend;
        (void)evaluate(k, end ? all : 0, c, c1, c2, &b);
        clv_sub3(r, x, c);
        const double way = clv_dot3(r, c1) / clv_dot3(c1, c1), there = end ? all + way : way;
        const double away = (end ? way > 0 : way < 0) ? square(k, x, there, &toward, &bend) : INFINITY;
        if (away < best)
            best = away, *s = there;
    }
    return best;
}

/* s of the nearest of a number of samples, and those beside it; or a place beyond an end */
static double look(const clv_curve *k, const double x[3], double *low, double *high)
{
    double best = INFINITY, s = 0;
    *low = *high = 0;
    const double *time = k->axis[0].time;
    for (int i = 0; i < (k->n - 1) * PARTS + !k->closed; i++) {
        const int piece = i / PARTS < k->n - 1 ? i / PARTS : k->n - 2;
        const double h = (time[piece + 1] - time[piece]) / PARTS, here = time[piece] + h * (i - piece * PARTS);
        double r[3];
        clv_sub3(r, x, k->sample + 3 * (size_t)i);
        const double away = clv_dot3(r, r);
        if (away < best)
            best = away, s = here, *low = here - h, *high = here + h;
    }
    /* the neighbour may lie in a piece of other length */
    const double all = length_of(k), widest = fmax(*high - *low, all / (k->n - 1));
    *low -= widest, *high += widest;
    double beyond = s;
    if (look_beyond(k, x, best, &beyond) < best)
        *low = beyond - widest, *high = beyond + widest;
    return beyond;
}

void clv_curve_nearest(const clv_curve *k, const double x[3], clv_curve_place *to)
{
    double low, high, toward, bend, s = look(k, x, &low, &high), step = INFINITY;
    const double small = 4e-16 * length_of(k);
    for (int i = 0; i < 60 && fabs(step) > small; i++) {
        (void)square(k, x, s, &toward, &bend);
        if (toward > 0)
            low = s;
        else
            high = s;
        double next = bend < 0 ? s - toward / bend : 0.5 * (low + high);
        if (!(next >= low && next <= high))
            next = 0.5 * (low + high);
        step = toward == 0 ? 0 : next - s;
        s = toward == 0 ? s : next;
    }
    (void)fill(k, s, to);
}

double clv_curve_speed(const clv_curve_place *at, const double x[3], const double v[3])
{
    double r[3];
    clv_sub3(r, x, at->c);
    const double size = clv_dot3(at->c1, at->c1), less = size - clv_dot3(r, at->c2);
    return clv_dot3(v, at->c1) / (less > 1e-3 * size ? less : size); /* near the centre of curvature: as on the curve */
}

/* ------------------------------------------------------------------ one more in a model */

clv_curve *clv_curve_create(const double *point, int n, bool closed)
{
    static const double none[2] = {0, 0};
    const int knots = n + closed;
    clv_curve *k = clv_alloc(1, sizeof *k);
    double *s = clv_alloc((size_t)knots, 2 * sizeof *s), *value = s ? s + knots : NULL;
    bool ok = k && s;
    if (ok) {
        k->n = knots, k->closed = closed;
        k->side = clv_alloc((size_t)knots, 3 * sizeof(double));
        k->sample = clv_alloc((size_t)knots * PARTS, 3 * sizeof(double));
        ok = k->side && k->sample;
    }
    for (int i = 1; ok && i < knots; i++) {
        double d[3];
        clv_sub3(d, point + 3 * (i % n), point + 3 * (i - 1));
        s[i] = s[i - 1] + clv_norm3(d);
    }
    for (int x = 0; ok && x < 3; x++) {
        for (int i = 0; i < knots; i++)
            value[i] = point[3 * (i % n) + x];
        ok = clv_add_series(&k->axis[x], &(clv_table){knots, s, value});
        k->axis[x].profile = CLV_PROFILE_NATURAL;
        if (ok && closed)
            ok = clv_series_prepare_cyclic(&k->axis[x]);
        else if (ok)
            clv_series_prepare(&k->axis[x], none);
    }
    clv_free(s);
    if (ok)
        find_sides(k), take_samples(k);
    else
        clv_curve_free(k), k = NULL;
    return k;
}

void clv_curve_free(clv_curve *k)
{
    if (!k)
        return;
    for (int x = 0; x < 3; x++)
        clv_series_free(&k->axis[x]);
    clv_free(k->side), clv_free(k->sample), clv_free(k);
}

int clv_curve_points(const clv_curve *k) { return k->n - k->closed; }
bool clv_curve_closed(const clv_curve *k) { return k->closed; }

const double *clv_curve_samples(const clv_curve *k, int *n)
{
    *n = (k->n - 1) * PARTS + 1;
    return k->sample;
}

void clv_curve_point(const clv_curve *k, int i, double x[3])
{
    for (int c = 0; c < 3; c++)
        x[c] = k->axis[c].value[i];
}

int clv_curve_cusp(const clv_curve *k)
{
    for (int i = 0; i < k->n - 1; i++)
        for (int part = 0; part < 2 * PARTS; part++) {
            const double *time = k->axis[0].time;
            clv_curve_place at;
            const double size = fill(k, time[i] + (time[i + 1] - time[i]) * part / (2 * PARTS), &at);
            if (!(clv_norm3(at.c1) > 0.05 && size > 0.05))
                return i;
        }
    return -1;
}
