/* SPDX-License-Identifier: Apache-2.0
 * Triangles of convex hulls and bores, see faces.h.  A bore has four rings of points and, where it is closed, a point
 * in the middle of both faces of each bottom. */
#include "model/faces.h"
#include "base/memory.h"
#include "math/quickhull.h"
#include "math/sincos.h"
#include "model/bore.h"
#include "model/hull.h"
#include <math.h>

enum { SIDES = 64, OUTER = 0, INNER = 2 }; /* rings: outer lower, outer upper, inner lower, inner upper */

bool clv_faces_has(const clv_shape *s)
{
    return s->kind == CLV_SHAPE_MESH || s->kind == CLV_SHAPE_BORE;
}

static void triangle(clv_faces *f, int a, int b, int c)
{
    f->corner[f->ncorner++] = a, f->corner[f->ncorner++] = b, f->corner[f->ncorner++] = c;
}

/* squares between two rings; they look outwards where the second one is above the first */
static void band(clv_faces *f, int from, int to)
{
    for (int k = 0; k < SIDES; k++) {
        const int next = (k + 1) % SIDES;
        triangle(f, SIDES * from + k, SIDES * from + next, SIDES * to + next);
        triangle(f, SIDES * from + k, SIDES * to + next, SIDES * to + k);
    }
}

static void point(clv_faces *f, double x, double y, double z)
{
    double *to = f->point + 3 * (size_t)f->npoint++;
    to[0] = x, to[1] = y, to[2] = z;
}

/* the disc in a ring, seen from above or below */
static void disc(clv_faces *f, int ring, double z, bool above)
{
    point(f, 0, 0, z);
    for (int k = 0; k < SIDES; k++) {
        const int next = (k + 1) % SIDES;
        triangle(f, f->npoint - 1, SIDES * ring + (above ? k : next), SIDES * ring + (above ? next : k));
    }
}

/* one end: a flat ring, or a bottom with two faces; heights of its outer and inner face */
static void end(clv_faces *f, bool closed, bool upper, double outer, double inner)
{
    if (closed)
        disc(f, OUTER + upper, outer, upper), disc(f, INNER + upper, inner, !upper);
    else if (upper)
        band(f, OUTER + 1, INNER + 1);
    else
        band(f, INNER, OUTER);
}

static bool bore(clv_faces *f, const clv_shape *s)
{
    static const double whole_turn = 6.283185307179586;
    const double low = clv_bore_end(s->size, s->closed, -1), high = clv_bore_end(s->size, s->closed, 1);
    const double shift = 0.5 * (high - low), half = 0.5 * s->size[2], out = 0.5 * (low + high);
    const double z[4] = {-out, out, -half - shift, half - shift};
    f->point = clv_alloc(4 * SIDES + 4, 3 * sizeof *f->point);
    f->corner = clv_alloc(8 * SIDES + 4 * SIDES, 3 * sizeof *f->corner);
    if (!f->point || !f->corner)
        return false;
    for (int ring = 0; ring < 4; ring++)
        for (int k = 0; k < SIDES; k++) {
            const double r = s->size[ring < INNER];
            double sine, cosine;
            clv_sincos(whole_turn * k / SIDES, &sine, &cosine);
            point(f, r * cosine, r * sine, z[ring]);
        }
    band(f, OUTER, OUTER + 1), band(f, INNER + 1, INNER);
    end(f, s->closed & CLV_BORE_LOWER, false, z[0], z[2]);
    end(f, s->closed & CLV_BORE_UPPER, true, z[1], z[3]);
    return true;
}

static bool hull(clv_faces *f, const clv_hull *h)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    const int n = clv_quickhull(h->point, h->npoint, &f->corner);
    f->point = clv_alloc((size_t)h->npoint, 3 * sizeof *f->point);
    if (n < 0 || !f->point)
        return false;
    f->npoint = h->npoint, f->ncorner = 3 * n;
    for (int i = 0; i < 3 * h->npoint; i++)
        low[i % 3] = fmin(low[i % 3], h->point[i]), high[i % 3] = fmax(high[i % 3], h->point[i]);
    for (int i = 0; i < 3 * h->npoint; i++)
        f->point[i] = h->point[i] - 0.5 * (low[i % 3] + high[i % 3]);
    return true;
}

bool clv_faces_make(clv_faces *f, const clv_shape *s, const clv_hull *h)
{
    *f = (clv_faces){.npoint = 0};
    return s->kind == CLV_SHAPE_BORE ? bore(f, s) : h && hull(f, h);
}

void clv_faces_release(clv_faces *f)
{
    clv_free(f->point), clv_free(f->corner);
    *f = (clv_faces){.npoint = 0};
}
