/* SPDX-License-Identifier: Apache-2.0
 * Distances of boxes, spheres, cylinders, capsules and hulls of meshes (T73). */
#include "model/apart.h"
#include "math/rotation.h"
#include "model/bore.h"
#include "model/boxes.h"
#include "model/cores.h"
#include "model/hull.h"
#include <math.h>

enum { ROUNDS = 12 }; /* alternating projections; any direction is allowed, so few will do */

static double clamp(double x, double most)
{
    return x > most ? most : x < -most ? -most : x;
}

static double across(const double l[3])
{
    return sqrt(l[0] * l[0] + l[1] * l[1]);
}

/* m, from the middle to the plane that touches a shape from the side n */
static double reach(const clv_solid *s, const double n[3])
{
    double l[3], sum = 0;
    clv_mat3_transpose_times(l, s->E, n);
    switch (s->kind) {
    case CLV_SHAPE_BOX:
        for (int i = 0; i < 3; i++)
            sum += 0.5 * s->size[i] * fabs(l[i]);
        return sum;
    case CLV_SHAPE_CYLINDER:
        return 0.5 * s->size[1] * fabs(l[2]) + s->size[0] * across(l);
    case CLV_SHAPE_CAPSULE:
        return 0.5 * s->size[1] * fabs(l[2]) + s->size[0];
    case CLV_SHAPE_MESH:
        return clv_dot3(s->hull->x + 3 * (size_t)clv_hull_farthest(s->hull, l), l) + s->size[0];
    default:
        return s->size[0];
    }
}

/* the point of a shape that is nearest to x; round shapes without their radius */
static void nearest(const clv_solid *s, const double x[3], double y[3])
{
    double line[3], l[3] = {0, 0, 0};
    clv_sub3(line, x, s->at);
    clv_mat3_transpose_times(line, s->E, line);
    for (int i = 0; i < 3 && s->kind == CLV_SHAPE_BOX; i++)
        l[i] = clamp(line[i], 0.5 * s->size[i]);
    if (s->kind == CLV_SHAPE_CYLINDER || s->kind == CLV_SHAPE_CAPSULE)
        l[2] = clamp(line[2], 0.5 * s->size[1]);
    const double away = across(line);
    for (int i = 0; i < 2 && s->kind == CLV_SHAPE_CYLINDER; i++)
        l[i] = away > s->size[0] ? line[i] * (s->size[0] / away) : line[i];
    clv_mat3_times(y, s->E, l);
    clv_axpy3(y, 1, s->at);
}

static bool bored(const clv_solid *a, const clv_solid *b)
{
    return a->kind == CLV_SHAPE_BORE || b->kind == CLV_SHAPE_BORE;
}

double clv_apart_along(const clv_solid *a, const clv_solid *b, const double n[3])
{
    if (bored(a, b))
        return clv_bore_gap(a, b);
    const double back[3] = {-n[0], -n[1], -n[2]};
    double line[3];
    clv_sub3(line, b->at, a->at);
    return clv_dot3(line, n) - reach(a, n) - reach(b, back);
}

/* takes the direction of x if they are farther apart along it */
static void better(const clv_solid *a, const clv_solid *b, const double x[3], double n[3], double *best)
{
    const double l = clv_norm3(x);
    if (!(l > 1e-12 * (clv_solid_width(a) + clv_solid_width(b))))
        return;
    const double u[3] = {x[0] / l, x[1] / l, x[2] / l}, distance = clv_apart_along(a, b, u);
    if (!(distance > *best))
        return;
    clv_copy3(n, u);
    *best = distance;
}

/* the faces of a, a box or the ends of a cylinder, that look to the other shape */
static void faces(const clv_solid *s, const clv_solid *a, const clv_solid *b, double n[3], double *best)
{
    double line[3];
    clv_sub3(line, b->at, a->at);
    for (int i = s->kind == CLV_SHAPE_CYLINDER ? 2 : 0; i < 3; i++) {
        double face[3], x[3] = {0, 0, 0};
        clv_mat3_column(face, s->E, i);
        clv_axpy3(x, (clv_dot3(face, line) < 0 ? -1 : 1) * clv_solid_width(s), face);
        better(a, b, x, n, best);
    }
}

/* the direction from a point of a to one of b that are nearly nearest; of a mesh that of its core */
static void find_line(const clv_solid *a, const clv_solid *b, double line[3])
{
    double x[3], y[3];
    if (a->kind == CLV_SHAPE_MESH || b->kind == CLV_SHAPE_MESH) {
        clv_core p, q;
        clv_cores_of(a, b, &p, &q);
        clv_copy3(line, clv_cores_nearest(&p, &q).n);
        return;
    }
    clv_copy3(x, a->at), clv_copy3(y, b->at);
    for (int i = 0; i < ROUNDS; i++)
        nearest(b, x, y), nearest(a, y, x);
    clv_sub3(line, y, x);
}

/* What is beside a bore may go where it likes. */
static double apart_in_bore(const clv_solid *a, const clv_solid *b)
{
    const double gap = clv_bore_gap(a, b);
    return gap == INFINITY && clv_bore_beside(a, b) ? -INFINITY : gap;
}

double clv_apart(const clv_solid *a, const clv_solid *b, double n[3])
{
    if (bored(a, b))
        return apart_in_bore(a, b);
    double line[3], best = clv_norm3(n) > 0 ? clv_apart_along(a, b, n) : -INFINITY;
    clv_sub3(line, b->at, a->at);
    better(a, b, line, n, &best);
    find_line(a, b, line);
    better(a, b, line, n, &best);
    if (a->kind == CLV_SHAPE_BOX || a->kind == CLV_SHAPE_CYLINDER)
        faces(a, a, b, n, &best);
    if (b->kind == CLV_SHAPE_BOX || b->kind == CLV_SHAPE_CYLINDER)
        faces(b, a, b, n, &best);
    if (a->kind == CLV_SHAPE_BOX && b->kind == CLV_SHAPE_BOX)
        better(a, b, clv_boxes_apart(a, b, 0).n, n, &best);
    return best;
}

double clv_solid_width(const clv_solid *s)
{
    if (s->kind == CLV_SHAPE_BOX)
        return fmin(s->size[0], fmin(s->size[1], s->size[2]));
    if (s->kind == CLV_SHAPE_MESH)
        return s->hull->width + 2 * s->size[0];
    if (s->kind == CLV_SHAPE_BORE)
        return 2 * clv_bore_wall(s);
    return s->kind == CLV_SHAPE_CYLINDER ? fmin(2 * s->size[0], s->size[1]) : 2 * s->size[0];
}
