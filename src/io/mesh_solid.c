/* SPDX-License-Identifier: Apache-2.0
 * The solid inside a surface of triangles: pyramids with a common tip (T53).  Take a pyramid with the corners a, b, c
 * of its base and the tip in the origin.  Its volume is a . (b x c) / 6.  The integral of x x^T is volume / 20 times
 * the sum of 2 a a^T, a b^T, ... over all pairs. */
#include "io/mesh_file.h"
#include "math/rotation.h"
#include <math.h>
#include <string.h>

/* Corners of triangle i relative to a point. */
static void corners(const clv_mesh *m, size_t i, const double tip[3], double x[3][3])
{
    for (int k = 0; k < 3; k++)
        clv_sub3(x[k], m->point + 3 * m->corner[3 * i + (size_t)k], tip);
}

/* Twice its area times its normal. */
static void normal(double n[3], double x[3][3])
{
    double b[3], c[3];
    clv_sub3(b, x[1], x[0]);
    clv_sub3(c, x[2], x[0]);
    clv_cross(n, b, c);
}

static double pyramid(double x[3][3])
{
    double n[3];
    normal(n, x);
    return clv_dot3(x[0], n) / 6;
}

/* Triangles of the face that begins with triangle i. */
static size_t face(const clv_mesh *m, size_t i)
{
    size_t n = 1;
    while (i + n < m->ncorner / 3 && m->more[i + n])
        n++;
    return n;
}

/* -1 if the pyramid over a face of n triangles is to be turned to positive volume, else 1. */
static double sign_of(const clv_mesh *m, size_t i, size_t n, const double tip[3])
{
    double x[3][3], volume = 0;
    for (size_t k = i; k < i + n; k++) {
        corners(m, k, tip, x);
        volume += pyramid(x);
    }
    return volume < 0 ? -1 : 1;
}

/* The area of a face that begins with triangle i; its integral of x is added to sum.  Parts of a fan outside a concave
 * face count negative: their normals are opposite to that of the face. */
static double add_area(const clv_mesh *m, size_t i, size_t n, double sum[3])
{
    const double origin[3] = {0, 0, 0};
    double x[3][3], one[3], whole[3] = {0, 0, 0}, area = 0;
    for (size_t k = i; k < i + n; k++) {
        corners(m, k, origin, x);
        normal(one, x);
        clv_axpy3(whole, 1, one);
    }
    for (size_t k = i; k < i + n; k++) {
        corners(m, k, origin, x);
        normal(one, x);
        const double part = (clv_dot3(one, whole) < 0 ? -0.5 : 0.5) * clv_norm3(one);
        area += part;
        for (int q = 0; q < 3; q++)
            sum[q] += part * (x[0][q] + x[1][q] + x[2][q]) / 3;
    }
    return area;
}

/* Of the surface; false: it has no area. */
static bool centroid(double c[3], const clv_mesh *m)
{
    double sum[3] = {0, 0, 0}, total = 0;
    for (size_t i = 0, n; i < m->ncorner / 3; i += n) {
        n = face(m, i);
        total += add_area(m, i, n, sum);
    }
    for (int k = 0; k < 3; k++)
        c[k] = sum[k] / (total > 0 ? total : 1);
    return total > 1e-15;
}

/* P (xx yy zz xy xz yz) += the integral of x x^T over a pyramid. */
static void add_products(double P[6], double x[3][3], double volume)
{
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int k = 0; k < 6; k++) {
        double sum = 0;
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++)
                sum += (a == b ? 2 : 1) * x[a][row[k]] * x[b][column[k]];
        P[k] += volume / 20 * sum;
    }
}

/* Volumes of all pyramids over a tip; of each: first += volume times its centre (tip at 0), P += products. */
static double add_pyramids(const clv_mesh *m, const double tip[3], bool turned, double first[3], double P[6])
{
    double x[3][3], total = 0, sign = 1;
    size_t end = 0;
    for (size_t i = 0; i < m->ncorner / 3; i++) {
        if (i == end) {
            end = i + face(m, i);
            sign = turned ? sign_of(m, i, end - i, tip) : 1;
        }
        corners(m, i, tip, x);
        const double volume = sign * pyramid(x);
        total += volume;
        for (int k = 0; k < 3; k++) /* three quarters of the way from the tip to the middle of the base */
            first[k] += volume * (x[0][k] + x[1][k] + x[2][k]) / 4;
        add_products(P, x, volume);
    }
    return total;
}

bool clv_mesh_solid(clv_solid *s, const clv_mesh *m, bool unsigned_pyramids)
{
    double tip[3], first[3] = {0, 0, 0}, P[6] = {0};
    memset(s, 0, sizeof *s);
    if (!centroid(tip, m))
        return false;
    const double total = add_pyramids(m, tip, unsigned_pyramids, first, P);
    if (!(total > 1e-15))
        return false;
    for (int k = 0; k < 3; k++)
        s->com[k] = tip[k] + first[k] / total;
    memset(P, 0, sizeof P);
    s->volume = add_pyramids(m, s->com, unsigned_pyramids, first, P);
    const double J[6] = {P[1] + P[2], P[0] + P[2], P[0] + P[1], -P[3], -P[4], -P[5]};
    memcpy(s->J, J, sizeof J);
    return s->volume > 1e-15;
}
