/* SPDX-License-Identifier: Apache-2.0
 * Points of contact of two shapes; see touch.h and T61.1.  Depths are derivable where surfaces are, so forces on them
 * have a potential. */
#include "model/touch.h"
#include "math/rotation.h"
#include "model/bore.h"
#include "model/boxes.h"
#include "model/patch.h"
#include "model/polytopes.h"
#include <math.h>

#define ROUNDED 0.01   /* rad, about: turn over which the lowest point of the end of a cylinder crosses it */
#define PARALLEL 1e-12 /* sin^2 of the angle of two axes                         */

/* ------------------------------------------------------------------ plane and another shape */

/* a point x of the surface of b, lowest or a corner, below the plane a */
static int below(const clv_solid *a, const double x[3], clv_touch *to)
{
    double line[3];
    clv_mat3_column(to->n, a->E, 2);
    clv_sub3(line, a->at, x);
    to->depth = clv_dot3(line, to->n);
    clv_copy3(to->at, x);
    clv_axpy3(to->at, 0.5 * to->depth, to->n);
    return to->depth > 0;
}

static int plane_sphere(const clv_solid *a, const clv_solid *b, clv_touch *to)
{
    double n[3], x[3];
    clv_mat3_column(n, a->E, 2);
    clv_copy3(x, b->at);
    clv_axpy3(x, -b->size[0], n);
    return below(a, x, to);
}

static int plane_box(const clv_solid *a, const clv_solid *b, clv_touch *to)
{
    int n = 0;
    for (int k = 0; k < 8; k++) {
        double corner[3], x[3];
        for (int i = 0; i < 3; i++)
            corner[i] = 0.5 * b->size[i] * (k >> i & 1 ? 1 : -1);
        clv_mat3_times(x, b->E, corner);
        clv_axpy3(x, 1, b->at);
        n += below(a, x, to + n);
    }
    return n;
}

/* the two ends, each lowered by what its cap or rim reaches below its middle */
static int plane_capsule(const clv_solid *a, const clv_solid *b, clv_touch *to)
{
    double n[3], axis[3];
    int count = 0;
    clv_mat3_column(n, a->E, 2), clv_mat3_column(axis, b->E, 2);
    for (int side = -1; side <= 1; side += 2) {
        double x[3];
        clv_copy3(x, b->at);
        clv_axpy3(x, 0.5 * side * b->size[1], axis), clv_axpy3(x, -b->size[0], n);
        count += below(a, x, to + count);
    }
    return count;
}

/* Each end has one point.  With p, the downward direction in its disc, the end reaches R (sqrt(p.p + e^2) - e) below
 * its middle instead of r |p|.  So the point does not jump round the rim where the axis is along the normal, but
 * crosses the end.  R is such that a lying cylinder reaches r. */
static int plane_cylinder(const clv_solid *a, const clv_solid *b, clv_touch *to)
{
    double n[3], axis[3], p[3];
    int count = 0;
    clv_mat3_column(n, a->E, 2), clv_mat3_column(axis, b->E, 2);
    const double along = clv_dot3(axis, n);
    for (int i = 0; i < 3; i++)
        p[i] = along * axis[i] - n[i];
    const double e = ROUNDED, root = sqrt(clv_dot3(p, p) + e * e), r = b->size[0] / (sqrt(1 + e * e) - e);
    const double reach = r * (root - e), there = r * clv_dot3(p, p) / root; /* p.n = -p.p */
    for (int side = -1; side <= 1; side += 2) {
        double x[3];
        clv_copy3(x, b->at);
        clv_axpy3(x, 0.5 * side * b->size[1], axis), clv_axpy3(x, r / root, p), clv_axpy3(x, there - reach, n);
        count += below(a, x, to + count);
    }
    return count;
}

/* ------------------------------------------------------------------ round shapes and boxes */

static double clamp(double x, double most)
{
    return x > most ? most : x < -most ? -most : x;
}

/* two balls of radii ra, rb at a and b */
static int balls(const double a[3], double ra, const double b[3], double rb, clv_touch *to)
{
    double line[3];
    clv_sub3(line, b, a);
    const double l = clv_norm3(line);
    to->depth = ra + rb - l;
    if (!(l > 0 && to->depth > 0)) /* one in the other's middle: no normal */
        return 0;
    for (int i = 0; i < 3; i++)
        to->n[i] = line[i] / l;
    clv_copy3(to->at, a);
    clv_axpy3(to->at, ra - 0.5 * to->depth, to->n);
    return 1;
}

/* half the length of the axis between the caps; 0: a sphere */
static double half_axis(const clv_solid *s) { return s->kind == CLV_SHAPE_CAPSULE ? 0.5 * s->size[1] : 0; }

/* spheres and capsules: balls at the points of their axes that are nearest to each other */
static int rounds(const clv_solid *a, const clv_solid *b, clv_touch *to)
{
    double u[3], v[3], r[3], x[3], y[3];
    const double ha = half_axis(a), hb = half_axis(b);
    clv_mat3_column(u, a->E, 2), clv_mat3_column(v, b->E, 2);
    clv_sub3(r, a->at, b->at);
    const double uv = clv_dot3(u, v), ur = clv_dot3(u, r), vr = clv_dot3(v, r), turned = 1 - uv * uv;
    double s = turned > PARALLEL ? clamp((uv * vr - ur) / turned, ha) : 0;
    const double t = clamp(uv * s + vr, hb);
    s = clamp(uv * t - ur, ha);
    clv_copy3(x, a->at), clv_axpy3(x, s, u);
    clv_copy3(y, b->at), clv_axpy3(y, t, v);
    return balls(x, a->size[0], y, b->size[0], to);
}

/* the face of a box nearest to a point c inside it, in box axes */
static double face_out(const clv_solid *box, const double c[3], double n[3])
{
    double least = INFINITY;
    int face = 0;
    for (int i = 0; i < 3; i++)
        if (0.5 * box->size[i] - fabs(c[i]) < least)
            least = 0.5 * box->size[i] - fabs(c[i]), face = i;
    n[0] = n[1] = n[2] = 0;
    n[face] = c[face] < 0 ? -1 : 1;
    return least;
}

static int box_sphere(const clv_solid *a, const clv_solid *b, clv_touch *to)
{
    double line[3], c[3], out[3], n[3], away = 0;
    clv_sub3(line, b->at, a->at);
    clv_mat3_transpose_times(c, a->E, line);
    for (int i = 0; i < 3; i++)
        out[i] = c[i] - clamp(c[i], 0.5 * a->size[i]), away += out[i] * out[i];
    away = sqrt(away);
    if (away > 0) {
        for (int i = 0; i < 3; i++)
            n[i] = out[i] / away;
    } else
        away = -face_out(a, c, n);
    to->depth = b->size[0] - away;
    clv_mat3_times(to->n, a->E, n);
    clv_copy3(to->at, b->at);
    clv_axpy3(to->at, 0.5 * to->depth - b->size[0], to->n);
    return to->depth > 0;
}

/* ------------------------------------------------------------------ the table */

static const struct {
    int most;
    int (*find)(const clv_solid *a, const clv_solid *b, clv_touch *to);
} pair[CLV_SHAPE_KINDS][CLV_SHAPE_KINDS] = {
    [CLV_SHAPE_NONE] = {[CLV_SHAPE_BOX] = {8, plane_box},
                        [CLV_SHAPE_SPHERE] = {1, plane_sphere},
                        [CLV_SHAPE_CYLINDER] = {2, plane_cylinder},
                        [CLV_SHAPE_CAPSULE] = {2, plane_capsule},
                        [CLV_SHAPE_MESH] = {CLV_POLYTOPES_POINTS, clv_polytopes_plane}},
    [CLV_SHAPE_MESH] = {[CLV_SHAPE_BOX] = {CLV_POLYTOPES_POINTS, clv_polytopes_touch},
                        [CLV_SHAPE_SPHERE] = {1, clv_patch_touch},
                        [CLV_SHAPE_CYLINDER] = {CLV_TOUCH_POINTS, clv_patch_touch},
                        [CLV_SHAPE_CAPSULE] = {2, clv_patch_touch},
                        [CLV_SHAPE_MESH] = {CLV_POLYTOPES_POINTS, clv_polytopes_touch}},
    [CLV_SHAPE_BOX] = {[CLV_SHAPE_BOX] = {CLV_BOXES_POINTS, clv_boxes_touch},
                       [CLV_SHAPE_SPHERE] = {1, box_sphere},
                       [CLV_SHAPE_CYLINDER] = {CLV_TOUCH_POINTS, clv_patch_touch},
                       [CLV_SHAPE_CAPSULE] = {2, clv_patch_touch}},
    [CLV_SHAPE_CYLINDER] = {[CLV_SHAPE_SPHERE] = {1, clv_patch_touch},
                            [CLV_SHAPE_CYLINDER] = {CLV_TOUCH_POINTS, clv_patch_touch},
                            [CLV_SHAPE_CAPSULE] = {2, clv_patch_touch}},
    [CLV_SHAPE_SPHERE] = {[CLV_SHAPE_SPHERE] = {1, rounds}, [CLV_SHAPE_CAPSULE] = {1, rounds}},
    [CLV_SHAPE_CAPSULE] = {[CLV_SHAPE_CAPSULE] = {1, rounds}},
    [CLV_SHAPE_BORE] = {[CLV_SHAPE_SPHERE] = {3, clv_bore_touch},
                        [CLV_SHAPE_CYLINDER] = {CLV_TOUCH_POINTS, clv_bore_touch},
                        [CLV_SHAPE_CAPSULE] = {CLV_TOUCH_POINTS, clv_bore_touch}},
};

void clv_solid_grow(clv_solid *s, double m)
{
    if (s->kind == CLV_SHAPE_BOX)
        for (int i = 0; i < 3; i++)
            s->size[i] += 2 * m;
    else if (s->kind == CLV_SHAPE_BORE)
        s->size[0] -= m;
    else if (s->kind != CLV_SHAPE_NONE)
        s->size[0] += m, s->size[1] += s->kind == CLV_SHAPE_CYLINDER ? 2 * m : 0;
}

int clv_touch_most(clv_shape_kind a, clv_shape_kind b)
{
    return pair[a][b].most > 0 ? pair[a][b].most : pair[b][a].most;
}

int clv_touch_find(const clv_solid *a, const clv_solid *b, clv_touch x[CLV_TOUCH_POINTS])
{
    const bool swapped = !pair[a->kind][b->kind].find;
    for (int k = 0; k < CLV_TOUCH_POINTS; k++)
        x[k].hollow = x[k].axis = 0;
    if (!swapped)
        return pair[a->kind][b->kind].find(a, b, x);
    const int n = pair[b->kind][a->kind].find(b, a, x);
    for (int k = 0; k < n; k++) {
        x[k].axis = -x[k].axis;
        for (int i = 0; i < 3; i++)
            x[k].n[i] = -x[k].n[i];
    }
    return n;
}
