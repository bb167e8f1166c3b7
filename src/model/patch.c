/* SPDX-License-Identifier: Apache-2.0
 * Points of contact of convex shapes, see patch.h and T106.2.
 *
 *   nearest points, normal n | is n the normal of a flat face? | lines of the other shape there, cut by its outline
 *
 * The points are the ends of what is left that lie below the face. */
#include "model/patch.h"
#include "math/rotation.h"
#include "model/cores.h"
#include "model/hull.h"
#include "model/polytopes.h"
#include <math.h>

#define FACE 1e-9 /* 1 - cosine of the angle between n and the normal of a face that is meant by it */
enum { RING = 4, FOUND = 2 * CLV_TOUCH_POINTS + CLV_HULL_RING };

/* A flat face: its frame (z out of the shape), and its outline, a rectangle, a circle or a polygon. */
typedef struct face {
    double E[9], at[3];
    double half[2], radius; /* m; radius 0: a rectangle, or                     */
    int n;                  /* 0, or corners of a polygon, counterclockwise     */
    double corner[CLV_HULL_RING][2];
} face;

/* Points that are found, in the axes of the face; z below it. */
typedef struct found {
    int n;
    double p[FOUND][3];
} found;

/* ------------------------------------------------------------------ faces */

/* the axes with z along +-column k of E, on the side n */
static void frame(double to[9], const double E[9], int k, const double n[3])
{
    double axis[3][3];
    for (int i = 0; i < 3; i++)
        clv_mat3_column(axis[i], E, (k + 1 + i) % 3);
    const double side = clv_dot3(axis[2], n) < 0 ? -1 : 1;
    for (int i = 0; i < 3; i++)
        to[3 * i] = axis[0][i], to[3 * i + 1] = side * axis[1][i], to[3 * i + 2] = side * axis[2][i];
}

/* the face of a hull; l: n in its axes */
static bool polygon_of(const clv_solid *s, const double l[3], face *f)
{
    const clv_hull *h = s->hull;
    const clv_hull_face *of = &h->face[clv_hull_facing(h, l)];
    const double none[3] = {0, 0, 0};
    double n[3];
    if (!(clv_dot3(of->n, l) > 1 - FACE))
        return false;
    clv_mat3_times(n, s->E, of->n);
    clv_rotation_frame(f->E, n, none);
    clv_copy3(f->at, s->at);
    clv_axpy3(f->at, of->offset + s->size[0], n);
    f->n = of->count, f->radius = 0;
    for (int k = 0; k < f->n; k++) {
        double x[3], p[3];
        clv_mat3_times(x, s->E, h->x + 3 * (size_t)h->ring[of->first + k]);
        clv_mat3_transpose_times(p, f->E, x);
        f->corner[k][0] = p[0], f->corner[k][1] = p[1];
    }
    return true;
}

/* the flat face of a shape that looks along n; false: none does */
static bool face_of(const clv_solid *s, const double n[3], face *f)
{
    double l[3];
    int k = 2;
    if (s->kind == CLV_SHAPE_MESH) {
        clv_mat3_transpose_times(l, s->E, n);
        return polygon_of(s, l, f);
    }
    if (s->kind != CLV_SHAPE_BOX && s->kind != CLV_SHAPE_CYLINDER)
        return false;
    clv_mat3_transpose_times(l, s->E, n);
    for (int i = 0; i < 2 && s->kind == CLV_SHAPE_BOX; i++)
        if (fabs(l[i]) > fabs(l[k]))
            k = i;
    if (!(fabs(l[k]) > 1 - FACE))
        return false;
    frame(f->E, s->E, k, n);
    const bool box = s->kind == CLV_SHAPE_BOX;
    double z[3];
    clv_mat3_column(z, f->E, 2);
    clv_copy3(f->at, s->at);
    clv_axpy3(f->at, 0.5 * s->size[box ? k : 1], z);
    f->radius = box ? 0 : s->size[0];
    for (int i = 0; i < 2; i++)
        f->half[i] = box ? 0.5 * s->size[(k + 1 + i) % 3] : s->size[0];
    return true;
}

static void into(const face *f, const double x[3], double p[3])
{
    double line[3];
    clv_sub3(line, x, f->at);
    clv_mat3_transpose_times(p, f->E, line);
}

/* ------------------------------------------------------------------ cutting */

static void keep(found *to, const double p[3])
{
    if (p[2] < 0 && to->n < FOUND)
        clv_copy3(to->p[to->n++], p);
}

static void between(double to[3], const double p[3], const double q[3], double t)
{
    for (int c = 0; c < 3; c++)
        to[c] = p[c] + t * (q[c] - p[c]);
}

/* leaves of [t0, t1] what is inside a straight side; out, next: how far the ends p, q are beyond it; false: nothing */
static bool leave(double out, double next, double *t0, double *t1)
{
    if (out > 0 && next > 0)
        return false;
    if (out > 0)
        *t0 = fmax(*t0, out / (out - next));
    else if (next > 0)
        *t1 = fmin(*t1, out / (out - next));
    return true;
}

/* m^2, how far p is to the right of side k of a polygon */
static double beyond(const face *f, int k, const double p[3])
{
    const double *a = f->corner[k], *b = f->corner[(k + 1) % f->n];
    return (b[1] - a[1]) * (p[0] - a[0]) - (b[0] - a[0]) * (p[1] - a[1]);
}

/* Part [t0, t1] of the line from p to q inside the outline; false: none is. */
static bool cut(const face *f, const double p[3], const double q[3], double *t0, double *t1)
{
    *t0 = 0, *t1 = 1;
    for (int k = 0; k < f->n; k++)
        if (!leave(beyond(f, k, p), beyond(f, k, q), t0, t1))
            return false;
    if (f->n > 0)
        return *t0 <= *t1;
    if (f->radius > 0) {
        const double d[2] = {q[0] - p[0], q[1] - p[1]}, a = d[0] * d[0] + d[1] * d[1];
        const double b = p[0] * d[0] + p[1] * d[1], c = p[0] * p[0] + p[1] * p[1] - f->radius * f->radius;
        const double root = b * b - a * c;
        if (a == 0 || root <= 0)
            return c <= 0;
        *t0 = fmax(0, (-b - sqrt(root)) / a), *t1 = fmin(1, (-b + sqrt(root)) / a);
        return *t0 <= *t1;
    }
    for (int i = 0; i < 2; i++)
        for (int side = -1; side <= 1; side += 2) {
            if (!leave(side * p[i] - f->half[i], side * q[i] - f->half[i], t0, t1))
                return false;
        }
    return *t0 <= *t1;
}

/* The ends of what the outline leaves of a closed line of n points; an end that is a corner counts once. */
static void cut_ring(const face *f, double (*ring)[3], int n, found *to)
{
    for (int k = 0; k < n; k++) {
        const double *p = ring[k], *q = ring[(k + 1) % n];
        double t0, t1, x[3];
        if (!cut(f, p, q, &t0, &t1))
            continue;
        between(x, p, q, t0);
        keep(to, x);
        between(x, p, q, t1);
        if (t1 < 1)
            keep(to, x);
    }
}

/* The ends of what the outline leaves of a line; first: also that at p itself. */
static void cut_line(const face *f, const double p[3], const double q[3], bool first, found *to)
{
    double t0, t1, x[3];
    if (!cut(f, p, q, &t0, &t1))
        return;
    between(x, p, q, t0);
    if (first || t0 > 0)
        keep(to, x);
    between(x, p, q, t1);
    keep(to, x);
}

/* ------------------------------------------------------------------ lines next to a face */

/* the line of a capsule that is nearest to the face, whose normal is n */
static void capsule_next_to(const clv_solid *s, const double n[3], const face *f, found *to)
{
    double axis[3], p[2][3];
    clv_mat3_column(axis, s->E, 2);
    for (int side = 0; side < 2; side++) {
        double x[3];
        clv_copy3(x, s->at);
        clv_axpy3(x, side ? 0.5 * s->size[1] : -0.5 * s->size[1], axis), clv_axpy3(x, -s->size[0], n);
        into(f, x, p[side]);
    }
    cut_line(f, p[0], p[1], true, to);
}

/* corners of a rectangle or polygon over which the end of a cylinder stands: the end's plane through `middle`, normal
 * `axis` */
static void corners_under(const face *f, const double middle[3], const double axis[3], double r, found *to)
{
    double m[3], u[3];
    if (f->radius > 0)
        return;
    into(f, middle, m);
    clv_mat3_transpose_times(u, f->E, axis);
    if (!(fabs(u[2]) > 0.5)) /* it lies */
        return;
    for (int k = 0; k < (f->n > 0 ? f->n : 4); k++) {
        double p[3] = {k & 1 ? f->half[0] : -f->half[0], k & 2 ? f->half[1] : -f->half[1], 0}, d[3];
        if (f->n > 0)
            p[0] = f->corner[k][0], p[1] = f->corner[k][1];
        p[2] = m[2] - ((p[0] - m[0]) * u[0] + (p[1] - m[1]) * u[1]) / u[2];
        clv_sub3(d, p, m);
        if (clv_dot3(d, d) < r * r)
            keep(to, p);
    }
}

/* Four points of the rim of the near end, the lowest first, and the line of the side to the lowest of the far one.  The
 * rim is that of the core (T106.1), lowered by its radius. */
static void cylinder_next_to(const clv_solid *s, const double n[3], const face *f, found *to)
{
    const double rounded = 0.01 * fmin(s->size[0], 0.5 * s->size[1]), r = s->size[0] - rounded;
    double axis[3], e[3], g[3], near[3], far[3], ring[RING][3], other[3];
    clv_mat3_column(axis, s->E, 2);
    const double along = clv_dot3(axis, n), side = along < 0 ? 1 : -1;
    for (int i = 0; i < 3; i++)
        e[i] = along * axis[i] - n[i]; /* downwards in the disc */
    const double l = clv_norm3(e);
    if (l > 1e-9)
        for (int i = 0; i < 3; i++)
            e[i] /= l;
    else
        clv_mat3_column(e, s->E, 0); /* upright: all points of the rim are lowest */
    clv_cross(g, axis, e);
    clv_copy3(near, s->at), clv_copy3(far, s->at);
    clv_axpy3(near, side * (0.5 * s->size[1] - rounded), axis), clv_axpy3(near, -rounded, n);
    clv_axpy3(far, -side * (0.5 * s->size[1] - rounded), axis), clv_axpy3(far, -rounded, n);
    for (int k = 0; k < RING; k++) {
        double x[3];
        clv_copy3(x, near);
        clv_axpy3(x, k % 2 ? 0 : k == 0 ? r : -r, e), clv_axpy3(x, k % 2 == 0 ? 0 : k == 1 ? r : -r, g);
        into(f, x, ring[k]);
    }
    clv_axpy3(far, r, e);
    into(f, far, other);
    cut_ring(f, ring, RING, to);
    cut_line(f, ring[0], other, false, to);
    corners_under(f, near, axis, r, to);
}

/* the face of a box that looks most against n */
static void box_next_to(const clv_solid *s, const double n[3], const face *f, found *to)
{
    double l[3], ring[4][3];
    int k = 0;
    clv_mat3_transpose_times(l, s->E, n);
    for (int i = 1; i < 3; i++)
        if (fabs(l[i]) > fabs(l[k]) * (1 + 1e-9))
            k = i;
    for (int c = 0; c < 4; c++) {
        double corner[3], x[3];
        corner[k] = l[k] > 0 ? -0.5 * s->size[k] : 0.5 * s->size[k];
        corner[(k + 1) % 3] = (c == 0 || c == 3 ? -0.5 : 0.5) * s->size[(k + 1) % 3];
        corner[(k + 2) % 3] = (c < 2 ? -0.5 : 0.5) * s->size[(k + 2) % 3];
        clv_mat3_times(x, s->E, corner);
        clv_axpy3(x, 1, s->at);
        into(f, x, ring[c]);
    }
    cut_ring(f, ring, 4, to);
}

/* ------------------------------------------------------------------ the pair */

/* the points of `other` below a face; sign 1: the face is of the first shape */
static int below(const face *f, const clv_solid *other, double sign, clv_touch *x)
{
    found to = {.n = 0};
    double n[3];
    clv_mat3_column(n, f->E, 2);
    if (other->kind == CLV_SHAPE_BOX)
        box_next_to(other, n, f, &to);
    else if (other->kind == CLV_SHAPE_CYLINDER)
        cylinder_next_to(other, n, f, &to);
    else if (other->kind == CLV_SHAPE_CAPSULE)
        capsule_next_to(other, n, f, &to);
    const bool many = f->n > 0 && to.n > CLV_TOUCH_POINTS;
    if (many)
        clv_polytopes_reduce(to.p, to.n);
    const int count = many ? CLV_POLYTOPES_POINTS : to.n < CLV_TOUCH_POINTS ? to.n : CLV_TOUCH_POINTS;
    for (int k = 0; k < count; k++) {
        x[k].depth = -to.p[k][2];
        clv_mat3_times(x[k].at, f->E, to.p[k]);
        clv_axpy3(x[k].at, 1, f->at), clv_axpy3(x[k].at, 0.5 * x[k].depth, n);
        for (int c = 0; c < 3; c++)
            x[k].n[c] = sign * n[c];
    }
    return count;
}

int clv_patch_touch(const clv_solid *a, const clv_solid *b, clv_touch *x)
{
    clv_core p, q;
    face f = {.radius = 0}, g = {.radius = 0};
    clv_cores_of(a, b, &p, &q);
    const clv_nearest_points near = clv_cores_nearest(&p, &q);
    if (!(near.gap < 0))
        return 0;
    const double back[3] = {-near.n[0], -near.n[1], -near.n[2]};
    const bool first = face_of(a, near.n, &f), second = face_of(b, back, &g);
    const bool larger = f.radius == 0 || (g.radius > 0 && f.radius >= g.radius);
    int n = 0;
    if (first && (!second || larger))
        n = below(&f, b, 1, x);
    else if (second)
        n = below(&g, a, -1, x);
    if (n > 0)
        return n;
    x->depth = -near.gap;
    clv_copy3(x->n, near.n), clv_copy3(x->at, near.at);
    return 1;
}
