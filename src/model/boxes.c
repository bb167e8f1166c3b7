/* SPDX-License-Identifier: Apache-2.0
 * Contact of two boxes (T69): separating axes, then the points of the face of one that lie below a face of the other,
 * or the point where two edges cross.  Every order and choice is fixed, so bits are equal. */
#include "model/boxes.h"
#include "math/rotation.h"
#include <math.h>

#define PARALLEL 1e-12 /* sin^2 of the angle of two edges: their faces then do as well                   */
#define PREFER   1e-3  /* of the least width: faces are taken unless edges are better by that            */
#define EQUAL    1e-9  /* relative: areas and depths that differ by less are equal, and the first counts */
enum { CORNERS = 8 };  /* of a face that is cut by four planes                                           */

static double least_width(const clv_solid *s)
{
    return fmin(s->size[0], fmin(s->size[1], s->size[2]));
}

/* m, from the middle to the plane that touches the box from the side n */
static double reach(const clv_solid *s, const double n[3])
{
    double l[3];
    clv_mat3_transpose_times(l, s->E, n);
    return 0.5 * (s->size[0] * fabs(l[0]) + s->size[1] * fabs(l[1]) + s->size[2] * fabs(l[2]));
}

/* the axis n (unit vector, either way) if the boxes are farther apart along it than best, by more than prefer */
static void try_axis(const clv_solid *a, const clv_solid *b, clv_boxes_axis x, double prefer, clv_boxes_axis *best)
{
    double line[3];
    clv_sub3(line, b->at, a->at);
    const double along = clv_dot3(line, x.n);
    for (int k = 0; k < 3 && along < 0; k++)
        x.n[k] = -x.n[k];
    x.gap = fabs(along) - reach(a, x.n) - reach(b, x.n);
    if (x.gap > best->gap + prefer)
        *best = x;
}

clv_boxes_axis clv_boxes_apart(const clv_solid *a, const clv_solid *b, double prefer)
{
    clv_boxes_axis best = {.gap = -INFINITY}, other = best, x = {0};
    for (x.i = 0; x.i < 3; x.i++)
        clv_mat3_column(x.n, a->E, x.i), try_axis(a, b, x, 0, &best);
    for (x.of = 1, x.i = 0; x.i < 3; x.i++)
        clv_mat3_column(x.n, b->E, x.i), try_axis(a, b, x, 0, &other);
    if (other.gap > best.gap + prefer)
        best = other;
    other.gap = -INFINITY, x.of = 2;
    for (int k = 0; k < 9; k++) {
        double e[3], f[3];
        x.i = k / 3, x.j = k % 3;
        clv_mat3_column(e, a->E, x.i), clv_mat3_column(f, b->E, x.j);
        clv_cross(x.n, e, f);
        const double square = clv_dot3(x.n, x.n);
        if (!(square > PARALLEL))
            continue;
        for (int c = 0; c < 3; c++)
            x.n[c] /= sqrt(square);
        try_axis(a, b, x, 0, &other);
    }
    return other.gap > best.gap + prefer ? other : best;
}

/* ------------------------------------------------------------------ two edges */

/* the middle of the edge along axis i that reaches farthest to the side n */
static void edge_of(const clv_solid *s, int i, const double n[3], double side, double middle[3])
{
    clv_copy3(middle, s->at);
    for (int k = 0; k < 3; k++) {
        double axis[3];
        clv_mat3_column(axis, s->E, k);
        if (k != i)
            clv_axpy3(middle, side * clv_dot3(axis, n) < 0 ? -0.5 * s->size[k] : 0.5 * s->size[k], axis);
    }
}

static double clamp(double x, double most)
{
    return x > most ? most : x < -most ? -most : x;
}

/* the point between the edges, where they are nearest to each other (T69.3) */
static int edges(const clv_solid *a, const clv_solid *b, const clv_boxes_axis *x, clv_touch *to)
{
    double e[3], f[3], p[3], q[3], line[3];
    clv_mat3_column(e, a->E, x->i), clv_mat3_column(f, b->E, x->j);
    edge_of(a, x->i, x->n, 1, p), edge_of(b, x->j, x->n, -1, q);
    clv_sub3(line, q, p);
    const double ef = clv_dot3(e, f), el = clv_dot3(e, line), fl = clv_dot3(f, line), turned = 1 - ef * ef;
    clv_axpy3(p, clamp((el - ef * fl) / turned, 0.5 * a->size[x->i]), e);
    clv_axpy3(q, clamp((ef * el - fl) / turned, 0.5 * b->size[x->j]), f);
    to->depth = -x->gap;
    clv_copy3(to->n, x->n);
    for (int c = 0; c < 3; c++)
        to->at[c] = 0.5 * (p[c] + q[c]);
    return 1;
}

/* ------------------------------------------------------------------ a face */

/* the corners, in order, of the face of `s` that looks against n, in the axes of the box `to` */
static void face_of(const clv_solid *s, const double n[3], const clv_solid *to, double p[CORNERS][3])
{
    double l[3];
    int face = 0;
    clv_mat3_transpose_times(l, s->E, n);
    for (int k = 1; k < 3; k++)
        if (fabs(l[k]) > fabs(l[face]) * (1 + EQUAL))
            face = k;
    for (int k = 0; k < 4; k++) {
        double corner[3], x[3];
        corner[face] = l[face] > 0 ? -0.5 * s->size[face] : 0.5 * s->size[face];
        corner[(face + 1) % 3] = (k == 0 || k == 3 ? -0.5 : 0.5) * s->size[(face + 1) % 3];
        corner[(face + 2) % 3] = (k < 2 ? -0.5 : 0.5) * s->size[(face + 2) % 3];
        clv_mat3_times(x, s->E, corner);
        for (int c = 0; c < 3; c++)
            x[c] += s->at[c] - to->at[c];
        clv_mat3_transpose_times(p[k], to->E, x);
    }
}

/* cuts off what has side * coordinate > most; returns how many corners are left */
static int cut(double p[CORNERS][3], int n, int coordinate, double side, double most)
{
    double q[CORNERS][3];
    int count = 0;
    for (int k = 0; k < n; k++) {
        const double *x = p[k], *y = p[(k + 1) % n];
        const double out = side * x[coordinate] - most, next = side * y[coordinate] - most;
        if (out <= 0 && count < CORNERS)
            clv_copy3(q[count++], x);
        if (out * next < 0 && count < CORNERS) {
            for (int c = 0; c < 3; c++)
                q[count][c] = x[c] + out / (out - next) * (y[c] - x[c]);
            q[count++][coordinate] = side * most;
        }
    }
    for (int k = 0; k < count; k++)
        clv_copy3(p[k], q[k]);
    return count;
}

/* m^2, twice the area of a quadrangle in the plane of u and v */
static double area(double p[CORNERS][3], const int k[4], int u, int v)
{
    const double *a = p[k[0]], *b = p[k[1]], *c = p[k[2]], *d = p[k[3]];
    return fabs((c[u] - a[u]) * (d[v] - b[v]) - (c[v] - a[v]) * (d[u] - b[u]));
}

/* Four of n > 4 corners: those of the largest area, the deepest among them. */
static void reduce(double p[CORNERS][3], double *depth, int n, int u, int v)
{
    int deepest = 0, k[4], keep[4] = {0, 1, 2, 3};
    double best = -1;
    for (int i = 1; i < n; i++)
        if (depth[i] > depth[deepest] * (1 + EQUAL))
            deepest = i;
    for (k[0] = 0; k[0] < n - 3; k[0]++)
        for (k[1] = k[0] + 1; k[1] < n - 2; k[1]++)
            for (k[2] = k[1] + 1; k[2] < n - 1; k[2]++)
                for (k[3] = k[2] + 1; k[3] < n; k[3]++) {
                    const double size = area(p, k, u, v);
                    const bool has = k[0] == deepest || k[1] == deepest || k[2] == deepest || k[3] == deepest;
                    if (!has || !(size > best * (1 + EQUAL)))
                        continue;
                    best = size;
                    for (int i = 0; i < 4; i++)
                        keep[i] = k[i];
                }
    for (int i = 0; i < 4; i++) { /* in order, so nothing is lost */
        clv_copy3(p[i], p[keep[i]]);
        depth[i] = depth[keep[i]];
    }
}

/* the points of a face of b that are below face i of a and inside its outline (T69.2); n: out of a; side: 1 if a is the
 * first body, -1 if it is the second */
static int faces(const clv_solid *a, const clv_solid *b, int i, const double n[3], double side,
                 clv_touch to[CLV_BOXES_POINTS])
{
    double p[CORNERS][3], depth[CORNERS], axis[3];
    int count = 4, below = 0;
    const int u = (i + 1) % 3, v = (i + 2) % 3;
    clv_mat3_column(axis, a->E, i);
    const double way = clv_dot3(axis, n) < 0 ? -1 : 1;
    face_of(b, n, a, p);
    for (int k = 0; k < 4; k++)
        count = cut(p, count, k < 2 ? u : v, k % 2 ? -1 : 1, 0.5 * a->size[k < 2 ? u : v]);
    for (int k = 0; k < count; k++) {
        const double d = 0.5 * a->size[i] - way * p[k][i];
        if (d > 0)
            clv_copy3(p[below], p[k]), depth[below++] = d;
    }
    if (below > CLV_BOXES_POINTS)
        reduce(p, depth, below, u, v), below = CLV_BOXES_POINTS;
    for (int k = 0; k < below; k++) {
        to[k].depth = depth[k];
        clv_mat3_times(to[k].at, a->E, p[k]);
        clv_axpy3(to[k].at, 1, a->at), clv_axpy3(to[k].at, 0.5 * depth[k], n);
        for (int c = 0; c < 3; c++)
            to[k].n[c] = side * n[c];
    }
    return below;
}

int clv_boxes_touch(const clv_solid *a, const clv_solid *b, clv_touch x[CLV_BOXES_POINTS])
{
    double line[3];
    clv_sub3(line, b->at, a->at);
    const double reached = 0.5 * (clv_norm3(a->size) + clv_norm3(b->size));
    if (clv_dot3(line, line) > reached * reached)
        return 0;
    const clv_boxes_axis best = clv_boxes_apart(a, b, PREFER * fmin(least_width(a), least_width(b)));
    const double back[3] = {-best.n[0], -best.n[1], -best.n[2]};
    if (!(best.gap < 0))
        return 0;
    return best.of == 0   ? faces(a, b, best.i, best.n, 1, x)
           : best.of == 1 ? faces(b, a, best.i, back, -1, x)
                          : edges(a, b, &best, x);
}
