/* SPDX-License-Identifier: Apache-2.0
 * Points of contact of hulls, see polytopes.h and T116.
 *
 *   nearest points | a face of one of them, unless others are better | a face of the other, clipped | four points */
#include "model/polytopes.h"
#include "math/rotation.h"
#include "model/apart.h"
#include "model/cores.h"
#include "model/hull.h"
#include <math.h>

#define EQUAL  1e-9 /* relative: depths and distances that differ by less are equal          */
#define PREFER 1e-3 /* of the smaller width: by so much edges must be better than faces (T69) */
enum { CORNERS = 2 * CLV_HULL_RING };

/* A flat face in its place. */
typedef struct outline {
    int n;
    double normal[3], p[CORNERS][3]; /* outward; corners counterclockwise from outside; global */
} outline;

/* ------------------------------------------------------------------ four points */

static double square(const double *p, const double *q)
{
    return (p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]);
}

/* twice the area of a triangle, counterclockwise > 0 */
static double area(const double *a, const double *b, const double *c)
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

static void bring(double (*p)[3], int from, int to)
{
    double keep[3];
    clv_copy3(keep, p[from]), clv_copy3(p[from], p[to]), clv_copy3(p[to], keep);
}

void clv_polytopes_reduce(double (*p)[3], int n)
{
    int best = 0;
    for (int i = 1; i < n; i++)
        if (p[i][2] < p[best][2] * (1 + EQUAL))
            best = i;
    bring(p, best, 0), best = 1;
    for (int i = 2; i < n; i++)
        if (square(p[i], p[0]) > square(p[best], p[0]) * (1 + EQUAL))
            best = i;
    bring(p, best, 1);
    for (int side = 0; side < 2; side++) { /* farthest to both sides of the line from one to the other */
        best = 2 + side;
        const double sign = side ? -1 : 1;
        for (int i = best + 1; i < n; i++)
            if (sign * area(p[0], p[1], p[i]) > sign * area(p[0], p[1], p[best]) + EQUAL * square(p[0], p[1]))
                best = i;
        bring(p, best, 2 + side);
    }
}

/* ------------------------------------------------------------------ a plane */

/* What the corners of a hull are below a plane. */
typedef struct below {
    const clv_hull *h;
    double up[3], x[3], y[3], height; /* the normal and two axes of the plane, shape axes; m, of the middle */
} below;

static double depth_of(const below *s, int i)
{
    return -s->height - clv_dot3(s->up, s->h->x + 3 * (size_t)i);
}

static void place(const below *s, int i, double p[3])
{
    const double *x = s->h->x + 3 * (size_t)i;
    p[0] = clv_dot3(s->x, x), p[1] = clv_dot3(s->y, x), p[2] = -depth_of(s, i);
}

/* Up to four corners below the plane, chosen as clv_polytopes_reduce does; returns how many. */
static int choose(const below *s, int chosen[4])
{
    double p[4][3], q[3], best[4] = {0};
    int n = 0;
    for (int i = 0; i < s->h->npoint; i++)
        if (depth_of(s, i) > best[0] * (1 + EQUAL))
            best[0] = depth_of(s, i), chosen[0] = i, n = 1;
    for (int k = 1; k < 4 && n >= (k < 2 ? 1 : 2); k++) {
        int found = -1;
        place(s, chosen[0], p[0]);
        if (k > 1)
            place(s, chosen[1], p[1]);
        best[k] = k > 1 ? EQUAL * square(p[0], p[1]) : 0;
        for (int i = 0; i < s->h->npoint; i++) {
            if (!(depth_of(s, i) > 0))
                continue;
            place(s, i, q);
            const double far = k == 1 ? square(p[0], q) : (k == 2 ? 1 : -1) * area(p[0], p[1], q);
            if (far > best[k] * (1 + EQUAL))
                best[k] = far, found = i;
        }
        if (found >= 0)
            chosen[n++] = found;
    }
    return n;
}

int clv_polytopes_plane(const clv_solid *a, const clv_solid *b, clv_touch *x)
{
    const double none[3] = {0, 0, 0};
    double n[3], line[3], frame[9];
    int chosen[4];
    below s = {.h = b->hull};
    clv_mat3_column(n, a->E, 2);
    clv_sub3(line, b->at, a->at);
    s.height = clv_dot3(line, n) - b->size[0];
    if (s.height >= s.h->radius)
        return 0;
    clv_mat3_transpose_times(s.up, b->E, n);
    clv_rotation_frame(frame, s.up, none);
    clv_mat3_column(s.x, frame, 0), clv_mat3_column(s.y, frame, 1);
    const int count = choose(&s, chosen);
    for (int k = 0; k < count; k++) {
        x[k].depth = depth_of(&s, chosen[k]);
        clv_copy3(x[k].n, n);
        clv_mat3_times(x[k].at, b->E, s.h->x + 3 * (size_t)chosen[k]);
        clv_axpy3(x[k].at, 1, b->at), clv_axpy3(x[k].at, 0.5 * x[k].depth - b->size[0], n);
    }
    return count;
}

/* ------------------------------------------------------------------ faces */

static void box_face(const clv_solid *s, const double l[3], outline *to)
{
    int k = 0;
    for (int i = 1; i < 3; i++)
        if (fabs(l[i]) > fabs(l[k]) * (1 + EQUAL))
            k = i;
    const double side = l[k] < 0 ? -1 : 1;
    to->n = 4;
    for (int c = 0; c < 3; c++)
        to->normal[c] = side * s->E[3 * c + k];
    for (int c = 0; c < 4; c++) {
        const int at = side > 0 ? c : 3 - c;
        double corner[3];
        corner[k] = side * 0.5 * s->size[k];
        corner[(k + 1) % 3] = (at == 0 || at == 3 ? -0.5 : 0.5) * s->size[(k + 1) % 3];
        corner[(k + 2) % 3] = (at < 2 ? -0.5 : 0.5) * s->size[(k + 2) % 3];
        clv_mat3_times(to->p[c], s->E, corner);
        clv_axpy3(to->p[c], 1, s->at);
    }
}

/* the face of a box or hull that looks most along d, global */
static void face_along(const clv_solid *s, const double d[3], outline *to)
{
    double l[3];
    clv_mat3_transpose_times(l, s->E, d);
    if (!s->hull) { /* a box */
        box_face(s, l, to);
        return;
    }
    const clv_hull_face *f = &s->hull->face[clv_hull_facing(s->hull, l)];
    to->n = f->count;
    clv_mat3_times(to->normal, s->E, f->n);
    int k = 0;
    do {
        clv_mat3_times(to->p[k], s->E, s->hull->x + 3 * (size_t)s->hull->ring[f->first + k]);
        clv_axpy3(to->p[k], 1, s->at);
    } while (++k < f->count);
}

static double grown(const clv_solid *s)
{
    return s->kind == CLV_SHAPE_MESH ? s->size[0] : 0;
}

/* p (n corners) without what is to the right of the line from a to b; how many are left */
static int cut(double (*p)[3], int n, const double *a, const double *b)
{
    double q[CORNERS][3];
    int count = 0;
    for (int k = 0; k < n; k++) {
        const double *x = p[k], *y = p[(k + 1) % n];
        const double in = area(a, b, x), next = area(a, b, y);
        if (in >= 0 && count < CORNERS)
            clv_copy3(q[count++], x);
        if (in * next < 0 && count < CORNERS) {
            for (int c = 0; c < 3; c++)
                q[count][c] = x[c] + in / (in - next) * (y[c] - x[c]);
            count++;
        }
    }
    for (int k = 0; k < count; k++)
        clv_copy3(p[k], q[k]);
    return count;
}

static void into(double (*to)[3], const outline *o, const double origin[3], const double E[9])
{
    for (int k = 0; k < o->n; k++) {
        double line[3];
        clv_sub3(line, o->p[k], origin);
        clv_mat3_transpose_times(to[k], E, line);
    }
}

/* Corners of a face of `other` inside the outline of a face and below it (T69.2); sign 1: the face is of the first. */
static int below_face(const outline *face, const clv_solid *owner, const clv_solid *other, double sign, clv_touch *x)
{
    const double none[3] = {0, 0, 0}, back[3] = {-face->normal[0], -face->normal[1], -face->normal[2]};
    const double more = grown(owner) + grown(other);
    outline low;
    double E[9], side[CORNERS][3], p[CORNERS][3], origin[3];
    int left = 0;
    face_along(other, back, &low);
    clv_rotation_frame(E, face->normal, none);
    clv_copy3(origin, face->p[0]);
    into(side, face, origin, E), into(p, &low, origin, E);
    int n = low.n;
    for (int k = 0; k < face->n && n > 0; k++)
        n = cut(p, n, side[k], side[(k + 1) % face->n]);
    for (int k = 0; k < n; k++) {
        p[k][2] -= more;
        if (p[k][2] < 0)
            clv_copy3(p[left++], p[k]);
    }
    if (left > CLV_POLYTOPES_POINTS)
        clv_polytopes_reduce(p, left), left = CLV_POLYTOPES_POINTS;
    for (int k = 0; k < left; k++) {
        x[k].depth = -p[k][2];
        p[k][2] += grown(owner);
        clv_mat3_times(x[k].at, E, p[k]);
        clv_axpy3(x[k].at, 1, origin), clv_axpy3(x[k].at, 0.5 * x[k].depth, face->normal);
        for (int c = 0; c < 3; c++)
            x[k].n[c] = sign * face->normal[c];
    }
    return left;
}

int clv_polytopes_touch(const clv_solid *a, const clv_solid *b, clv_touch *x)
{
    clv_core p, q;
    outline f, g;
    double line[3];
    clv_cores_of(a, b, &p, &q);
    clv_sub3(line, b->at, a->at);
    const double reached =
        a->hull->radius + a->size[0] + (b->hull ? b->hull->radius + b->size[0] : 0.5 * clv_norm3(b->size));
    if (clv_dot3(line, line) > reached * reached)
        return 0;
    const clv_nearest_points near = clv_cores_nearest(&p, &q);
    if (!(near.gap < 0))
        return 0;
    const double back[3] = {-near.n[0], -near.n[1], -near.n[2]};
    const double prefer = PREFER * fmin(clv_solid_width(a), clv_solid_width(b));
    face_along(a, near.n, &f), face_along(b, back, &g);
    const double against[3] = {-g.normal[0], -g.normal[1], -g.normal[2]};
    const double first = clv_cores_apart(&p, &q, f.normal), second = clv_cores_apart(&p, &q, against);
    int n = 0;
    if (first >= 0 || second >= 0)
        return 0;
    if (first >= near.gap - prefer && first >= second - prefer)
        n = below_face(&f, a, b, 1, x);
    else if (second >= near.gap - prefer)
        n = below_face(&g, b, a, -1, x);
    if (n > 0)
        return n;
    x->depth = -near.gap;
    clv_copy3(x->n, near.n), clv_copy3(x->at, near.at);
    return 1;
}
