/* SPDX-License-Identifier: Apache-2.0
 * Distances of convex cores, see cores.h and T106.1: the algorithm of Gilbert, Johnson and Keerthi.  Of all subsets of
 * four points the one nearest to the origin is kept.  All choices are fixed, so bits are equal. */
#include "model/cores.h"
#include <math.h>
#include <string.h>
#include "math/rotation.h"
#include "model/hull.h"

#define ROUNDED   0.01  /* of the smaller of radius and half length: radius of the edges of a cylinder       */
#define CONVERGED 1e-14 /* of the squared distance: what another point could still change                    */
#define SAME      1e-28 /* of the squared size: cores that are nearer than that overlap                      */
#define FLAT      1e-12 /* determinants of subsets, relative: they are left out                              */
enum { MOST = 60, TRIES = 6, FACES = 64 };

/* ------------------------------------------------------------------ cores */

static clv_core core_of(const clv_solid *s, double rounded)
{
    clv_core c = {.kind = s->kind, .scale = 1, .hull = s->hull, .at = s->at, .E = s->E};
    if (s->kind == CLV_SHAPE_BOX)
        for (int i = 0; i < 3; i++)
            c.half[i] = 0.5 * s->size[i];
    else if (s->kind == CLV_SHAPE_CYLINDER) {
        c.radius = rounded * fmin(s->size[0], 0.5 * s->size[1]);
        c.half[0] = s->size[0] - c.radius, c.half[2] = 0.5 * s->size[1] - c.radius;
    } else if (s->kind == CLV_SHAPE_MESH) {
        c.radius = s->size[0];
        clv_copy3(c.half, s->hull->half);
    } else {
        c.radius = s->size[0];
        c.half[2] = s->kind == CLV_SHAPE_CAPSULE ? 0.5 * s->size[1] : 0;
    }
    return c;
}

static bool sharp(const clv_solid *s)
{
    return s->kind == CLV_SHAPE_BOX || s->kind == CLV_SHAPE_CYLINDER || s->kind == CLV_SHAPE_MESH;
}

void clv_cores_of(const clv_solid *a, const clv_solid *b, clv_core *x, clv_core *y)
{
    const double rounded = sharp(a) && sharp(b) ? ROUNDED : 0;
    *x = core_of(a, rounded), *y = core_of(b, rounded);
}

void clv_core_farthest(const clv_core *c, const double d[3], double p[3])
{
    double l[3], x[3] = {0, 0, 0};
    clv_mat3_transpose_times(l, c->E, d);
    const double across = sqrt(l[0] * l[0] + l[1] * l[1]);
    if (c->kind == CLV_SHAPE_MESH)
        clv_copy3(x, c->hull->x + 3 * (size_t)clv_hull_farthest(c->hull, l));
    for (int i = 0; i < 3 && c->kind != CLV_SHAPE_MESH; i++)
        if (c->kind == CLV_SHAPE_BOX || i == 2)
            x[i] = l[i] < 0 ? -c->half[i] : c->half[i];
        else if (c->kind == CLV_SHAPE_CYLINDER && across > 0)
            x[i] = c->half[0] * (l[i] / across);
    for (int i = 0; i < 3; i++)
        x[i] *= c->scale;
    clv_mat3_times(p, c->E, x);
    clv_axpy3(p, 1, c->at);
}

double clv_cores_apart(const clv_core *a, const clv_core *b, const double n[3])
{
    const double back[3] = {-n[0], -n[1], -n[2]};
    double p[3], q[3], line[3];
    clv_core_farthest(a, n, p), clv_core_farthest(b, back, q);
    clv_sub3(line, q, p);
    return clv_dot3(line, n) - a->radius - b->radius;
}

/* ------------------------------------------------------------------ nearest points */

/* Points of a simplex in the set of differences b - a, with those of a and b that they come from.  v is its nearest
 * point to the origin, their mean by weights. */
typedef struct simplex {
    int n;
    double w[4][3], p[4][3], q[4][3], weight[4], v[3];
} simplex;

/* (n x n) A x = b, symmetric, n <= 3, by elimination; false: singular */
static bool solve(double A[3][3], double b[3], int n)
{
    for (int k = 0; k < n; k++) {
        const double size = A[k][k];
        for (int i = 0; i < k; i++) {
            const double f = A[k][i];
            for (int j = i + 1; j < n; j++)
                A[k][j] -= f * A[i][j];
            b[k] -= f * b[i];
        }
        if (!(A[k][k] > FLAT * size))
            return false;
        for (int j = k + 1; j < n; j++)
            A[k][j] /= A[k][k];
        b[k] /= A[k][k];
    }
    for (int k = n - 1; k >= 0; k--)
        for (int j = k + 1; j < n; j++)
            b[k] -= A[k][j] * b[j];
    return true;
}

/* weights of the point of the plane through a subset (bits of `which`) nearest to the origin; false: it is outside */
static bool weigh(const simplex *s, unsigned which, double weight[4])
{
    int index[4] = {0}, n = 0;
    double e[3][3], A[3][3], b[3], rest = 1;
    for (int i = 0; i < s->n; i++)
        if (which >> i & 1u)
            index[n++] = i;
    for (int i = 1; i < n; i++)
        clv_sub3(e[i - 1], s->w[index[i]], s->w[index[0]]);
    for (int i = 0; i < n - 1; i++) {
        for (int j = 0; j < n - 1; j++)
            A[i][j] = clv_dot3(e[i], e[j]);
        b[i] = -clv_dot3(e[i], s->w[index[0]]);
    }
    if (!solve(A, b, n - 1))
        return false;
    memset(weight, 0, 4 * sizeof *weight);
    for (int i = 0; i < n - 1; i++) {
        if (!(b[i] >= 0))
            return false;
        weight[index[i + 1]] = b[i], rest -= b[i];
    }
    weight[index[0]] = rest;
    return rest >= 0;
}

/* the nearest point of the simplex, which becomes the subset that has it */
static void reduce(simplex *s)
{
    simplex best = {.n = 0};
    double least = INFINITY;
    unsigned found = 0;
    for (unsigned which = 1; which < 1u << s->n; which++) {
        double weight[4], v[3] = {0, 0, 0};
        if (!weigh(s, which, weight))
            continue;
        for (int i = 0; i < s->n; i++)
            clv_axpy3(v, weight[i], s->w[i]);
        const double square = clv_dot3(v, v);
        if (!(square < least))
            continue;
        least = square, found = which;
        clv_copy3(best.v, v);
        memcpy(best.weight, weight, sizeof weight);
    }
    int n = 0;
    for (int i = 0; i < s->n; i++)
        if (found >> i & 1u) {
            clv_copy3(best.w[n], s->w[i]), clv_copy3(best.p[n], s->p[i]), clv_copy3(best.q[n], s->q[i]);
            best.weight[n++] = best.weight[i];
        }
    best.n = n;
    *s = best;
}

/* the point of the differences that is farthest against v; false: the simplex has it */
static bool add(simplex *s, const clv_core *a, const clv_core *b, const double shift[3])
{
    const double back[3] = {-s->v[0], -s->v[1], -s->v[2]};
    const int k = s->n;
    clv_core_farthest(a, s->v, s->p[k]), clv_core_farthest(b, back, s->q[k]);
    clv_axpy3(s->q[k], 1, shift);
    clv_sub3(s->w[k], s->q[k], s->p[k]);
    for (int i = 0; i < k; i++)
        if (memcmp(s->w[i], s->w[k], sizeof s->w[k]) == 0)
            return false;
    const double square = clv_dot3(s->v, s->v);
    return square - clv_dot3(s->v, s->w[k]) > CONVERGED * square;
}

/* Nearest points p, q of the cores, b moved by `shift`; returns their squared distance, 0 where they overlap. */
static double distance(const clv_core *a, const clv_core *b, const double shift[3], double p[3], double q[3])
{
    simplex s = {.n = 1};
    double size = 0, last = INFINITY;
    clv_copy3(s.p[0], a->at), clv_copy3(s.q[0], b->at);
    clv_axpy3(s.q[0], 1, shift);
    clv_sub3(s.w[0], s.q[0], s.p[0]);
    clv_copy3(s.v, s.w[0]);
    s.weight[0] = 1;
    for (int i = 0; i < 3; i++)
        size = fmax(size, fmax(fabs(a->half[i]), fabs(b->half[i])));
    bool touching = !(clv_dot3(s.v, s.v) > SAME * size * size);
    for (int k = 0; k < MOST && !touching && add(&s, a, b, shift); k++) {
        s.n++;
        reduce(&s);
        const double square = clv_dot3(s.v, s.v);
        touching = s.n == 4 || !(square > SAME * size * size);
        if (!(square < last)) /* rounding */
            break;
        last = square;
    }
    for (int c = 0; c < 3; c++)
        p[c] = q[c] = 0;
    for (int i = 0; i < s.n; i++)
        clv_axpy3(p, s.weight[i], s.p[i]), clv_axpy3(q, s.weight[i], s.q[i]);
    return touching ? 0 : clv_dot3(s.v, s.v);
}

/* ------------------------------------------------------------------ overlap */

static void try_axis(const clv_core *a, const clv_core *b, const double axis[3], double n[3], double *best)
{
    const double l = clv_norm3(axis);
    double u[3], line[3];
    if (!(l > 1e-6))
        return;
    clv_sub3(line, b->at, a->at);
    for (int i = 0; i < 3; i++)
        u[i] = (clv_dot3(axis, line) < 0 ? -1 : 1) * axis[i] / l;
    const double gap = clv_cores_apart(a, b, u);
    if (gap > *best)
        clv_copy3(n, u), *best = gap;
}

/* Directions of a shape: edges of a box, the axis of others; a sphere and a hull have none. */
static int axes_of(const clv_core *c, double axis[3][3])
{
    int n = 0;
    for (int i = 0; i < 3; i++)
        if (c->kind == CLV_SHAPE_BOX || (i == 2 && (c->kind == CLV_SHAPE_CYLINDER || c->kind == CLV_SHAPE_CAPSULE)))
            clv_mat3_column(axis[n++], c->E, i);
    return n;
}

/* The direction of the least overlap among normals of faces, products of edges and axes, from middle to middle, and
 * across each axis to the other middle. */
static void least_overlap(const clv_core *a, const clv_core *b, double n[3])
{
    double x[3][3], y[3][3], line[3], best = -INFINITY;
    const int na = axes_of(a, x), nb = axes_of(b, y);
    clv_sub3(line, b->at, a->at);
    n[0] = n[1] = 0, n[2] = 1;
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < (side ? nb : na); i++) {
            const double *axis = side ? y[i] : x[i];
            double across[3];
            clv_copy3(across, line);
            clv_axpy3(across, -clv_dot3(line, axis), axis);
            if ((side ? b : a)->kind != CLV_SHAPE_CAPSULE)
                try_axis(a, b, axis, n, &best);
            try_axis(a, b, across, n, &best);
        }
    for (int i = 0; i < na; i++)
        for (int j = 0; j < nb; j++) {
            double product[3];
            clv_cross(product, x[i], y[j]);
            try_axis(a, b, product, n, &best);
        }
    try_axis(a, b, line, n, &best);
}

/* the best of the normals of the largest faces of a hull */
static void try_faces(const clv_core *a, const clv_core *b, const clv_core *of, double n[3], double *best)
{
    const int faces = of->hull->nface < FACES ? of->hull->nface : FACES;
    for (int k = 0; k < faces; k++) {
        double normal[3];
        clv_mat3_times(normal, of->E, of->hull->face[k].n);
        for (int c = 0; c < 3 && of == b; c++)
            normal[c] = -normal[c];
        const double gap = clv_cores_apart(a, b, normal);
        if (gap > *best)
            clv_copy3(n, normal), *best = gap;
    }
}

/* Directions of two cores of which one is a hull.  They are made smaller about their middles until they do not overlap;
 * then they have nearest points.  Where they are deep in each other, normals of faces are tried, too. */
static void shrink(const clv_core *a, const clv_core *b, double n[3])
{
    static const double scale[] = {0.99, 0.9, 0.5, 1e-3};
    const double none[3] = {0, 0, 0};
    double p[3], q[3], best = clv_cores_apart(a, b, n);
    bool apart = false;
    for (int k = 0; k < 4 && !apart; k++) {
        clv_core x = *a, y = *b;
        x.scale = y.scale = scale[k];
        if (k == 1 && a->hull)
            try_faces(a, b, a, n, &best);
        if (k == 1 && b->hull)
            try_faces(a, b, b, n, &best);
        apart = distance(&x, &y, none, p, q) > 0;
    }
    double line[3];
    clv_sub3(line, q, p);
    const double l = clv_norm3(line);
    for (int i = 0; i < 3 && apart; i++)
        line[i] /= l;
    if (apart)
        try_axis(a, b, line, n, &best);
}

/* Cores that overlap are moved apart along x.n.  The direction of their nearest points is then a better one, or they
 * are where the overlap is least. */
static void improve(const clv_core *a, const clv_core *b, clv_nearest_points *x)
{
    double p[3], q[3];
    const double none = 1e-3 * (a->radius + b->radius + a->half[0] + a->half[2] + b->half[0] + b->half[2]);
    x->gap = clv_cores_apart(a, b, x->n);
    for (int k = 0; k < TRIES; k++) {
        double shift[3], n[3];
        for (int i = 0; i < 3; i++)
            shift[i] = (none - x->gap) * x->n[i];
        const bool apart = distance(a, b, shift, p, q) > 0;
        clv_sub3(n, q, p), clv_axpy3(q, -1, shift);
        const double l = clv_norm3(n);
        for (int i = 0; i < 3; i++)
            x->at[i] = 0.5 * (p[i] + q[i] + (a->radius - b->radius) * x->n[i]);
        if (!apart || !(l > 0))
            break;
        for (int i = 0; i < 3; i++)
            n[i] /= l;
        const double gap = clv_cores_apart(a, b, n);
        if (!(gap > x->gap + 1e-12 * none))
            break;
        clv_copy3(x->n, n), x->gap = gap;
    }
}

/* From two directions: the best of those that are tried, and that from middle to middle. */
static clv_nearest_points overlapping(const clv_core *a, const clv_core *b)
{
    clv_nearest_points x, y;
    double line[3];
    const bool hulls = a->kind == CLV_SHAPE_MESH || b->kind == CLV_SHAPE_MESH;
    least_overlap(a, b, x.n);
    if (hulls)
        shrink(a, b, x.n);
    improve(a, b, &x);
    clv_sub3(line, b->at, a->at);
    const double l = clv_norm3(line);
    if (!(l > 0))
        return x;
    for (int i = 0; i < 3; i++)
        y.n[i] = line[i] / l;
    improve(a, b, &y);
    return y.gap > x.gap ? y : x;
}

clv_nearest_points clv_cores_nearest(const clv_core *a, const clv_core *b)
{
    const double none[3] = {0, 0, 0};
    double p[3], q[3], line[3];
    clv_nearest_points x;
    if (!(distance(a, b, none, p, q) > 0))
        return overlapping(a, b);
    clv_sub3(line, q, p);
    const double length = clv_norm3(line);
    for (int i = 0; i < 3; i++)
        x.n[i] = line[i] / length;
    x.gap = length - a->radius - b->radius;
    for (int i = 0; i < 3; i++)
        x.at[i] = 0.5 * (p[i] + q[i] + (a->radius - b->radius) * x.n[i]);
    return x;
}
