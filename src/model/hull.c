/* SPDX-License-Identifier: Apache-2.0
 * Convex hulls as shapes, see hull.h and T116.
 *
 *   triangles (quickhull) | corners | middle, moments | plane faces, the largest triangle first | outlines | widths */
#include "model/hull.h"
#include "base/memory.h"
#include "math/quickhull.h"
#include "math/rotation.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PLANE 1e-6 /* of the radius: corners so near to the plane of a triangle belong to its face */

/* What is needed while a hull is made. */
typedef struct making {
    clv_hull *h;
    int n;       /* triangles                                                     */
    int *corner; /* (n x 3)                                                       */
    int *of;     /* (n) face of each, -1: none yet                                */
    int *order;  /* (n) largest first                                             */
    int *list;   /* (n) triangles face by face                                    */
    int nlist;
    int *after; /* (corners) next corner of an outline                           */
    int *edge;  /* (3 n) triangle beyond each edge                               */
    int nring;
} making;

/* ------------------------------------------------------------------ corners */

/* points that are corners, numbered anew in the triangles; false: out of memory */
static bool take_corners(making *m, const double *point, int n)
{
    int *number = clv_alloc((size_t)n + 1, sizeof *number), count = 0;
    for (int i = 0; i < 3 * m->n && number; i++)
        number[m->corner[i]] = 1;
    for (int i = 0; i < n && number; i++)
        number[i] = number[i] ? count++ : -1;
    m->h->npoint = count;
    m->h->x = clv_alloc((size_t)count + 1, 3 * sizeof(double));
    m->h->point = clv_alloc((size_t)count + 1, 3 * sizeof(double));
    const bool good = number && m->h->x && m->h->point;
    for (int i = 0; i < n && good; i++)
        if (number[i] >= 0)
            clv_copy3(m->h->point + 3 * (size_t)number[i], point + 3 * (size_t)i);
    for (int i = 0; i < 3 * m->n && good; i++)
        m->corner[i] = number[m->corner[i]];
    clv_free(number);
    return good;
}

static const double *given(const making *m, int triangle, int k)
{
    return m->h->point + 3 * (size_t)m->corner[3 * triangle + k];
}

static void normal_of(const making *m, int triangle, double n[3])
{
    double u[3], v[3];
    clv_sub3(u, given(m, triangle, 1), given(m, triangle, 0)),
        clv_sub3(v, given(m, triangle, 2), given(m, triangle, 0));
    clv_cross(n, u, v);
}

/* Pyramids over the triangles with a common tip: their volume; sum := of volume times centre about the tip. */
static double pyramids(const making *m, const double tip[3], double sum[3], double product[6])
{
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    double total = 0;
    for (int t = 0; t < m->n; t++) {
        double x[3][3], n[3], v;
        for (int k = 0; k < 3; k++)
            clv_sub3(x[k], given(m, t, k), tip);
        clv_cross(n, x[1], x[2]);
        v = clv_dot3(x[0], n) / 6, total += v;
        for (int c = 0; c < 3; c++)
            sum[c] += v * (x[0][c] + x[1][c] + x[2][c]) / 4;
        for (int k = 0; k < 6; k++)
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3; b++)
                    product[k] += v / 20 * (a == b ? 2 : 1) * x[a][row[k]] * x[b][column[k]];
    }
    return total;
}

/* the centre of mass and moments; false: no volume */
static bool find_middle(making *m)
{
    clv_hull *h = m->h;
    double tip[3], sum[3] = {0}, P[6] = {0};
    clv_copy3(tip, h->point);
    double volume = pyramids(m, tip, sum, P);
    if (!(volume > 0))
        return false;
    for (int c = 0; c < 3; c++)
        h->middle[c] = tip[c] + sum[c] / volume;
    memset(sum, 0, sizeof sum), memset(P, 0, sizeof P);
    volume = pyramids(m, h->middle, sum, P);
    const double moment[6] = {P[1] + P[2], P[0] + P[2], P[0] + P[1], -P[3], -P[4], -P[5]};
    for (int k = 0; k < 6; k++)
        h->moment[k] = moment[k] / volume;
    for (int i = 0; i < h->npoint; i++) {
        double *x = h->x + 3 * (size_t)i;
        clv_sub3(x, h->point + 3 * (size_t)i, h->middle);
        for (int c = 0; c < 3; c++)
            h->half[c] = fmax(h->half[c], fabs(x[c]));
        h->radius = fmax(h->radius, clv_norm3(x));
    }
    return volume > 0;
}

/* ------------------------------------------------------------------ faces */

typedef struct edge {
    int low, high, at; /* corners; 3 triangle + k */
} edge;

static int by_corners(const void *x, const void *y)
{
    const edge *a = x, *b = y;
    return a->low != b->low ? (a->low > b->low) - (a->low < b->low) : (a->high > b->high) - (a->high < b->high);
}

/* which triangle is beyond each edge; false: out of memory */
static bool find_neighbours(making *m)
{
    edge *list = clv_alloc((size_t)m->n + 1, 3 * sizeof *list);
    for (int i = 0; i < 3 * m->n && list; i++) {
        const int a = m->corner[i], b = m->corner[i % 3 == 2 ? i - 2 : i + 1];
        list[i] = (edge){a < b ? a : b, a < b ? b : a, i};
        m->edge[i] = -1;
    }
    if (list)
        qsort(list, 3 * (size_t)m->n, sizeof *list, by_corners);
    for (int i = 0; i + 1 < 3 * m->n && list; i++)
        if (by_corners(&list[i], &list[i + 1]) == 0)
            m->edge[list[i].at] = list[i + 1].at / 3, m->edge[list[i + 1].at] = list[i].at / 3;
    clv_free(list);
    return list != NULL;
}

typedef struct sized {
    double area;
    int triangle;
} sized;

static int larger_first(const void *x, const void *y)
{
    const sized *a = x, *b = y;
    return a->area != b->area ? (a->area < b->area) - (a->area > b->area) : a->triangle - b->triangle;
}

/* order := triangles, the largest first; false: out of memory */
static bool sort_triangles(making *m)
{
    sized *list = clv_alloc((size_t)m->n + 1, sizeof *list);
    for (int t = 0; t < m->n && list; t++) {
        double n[3];
        normal_of(m, t, n);
        list[t] = (sized){clv_norm3(n), t};
    }
    if (list)
        qsort(list, (size_t)m->n, sizeof *list, larger_first);
    for (int t = 0; t < m->n && list; t++)
        m->order[t] = list[t].triangle;
    clv_free(list);
    return list != NULL;
}

static bool in_plane(const making *m, const clv_hull_face *f, int triangle)
{
    for (int k = 0; k < 3; k++)
        if (f->offset - clv_dot3(f->n, m->h->x + 3 * (size_t)m->corner[3 * triangle + k]) > PLANE * m->h->radius)
            return false;
    return true;
}

/* the triangles of a face, from the first one on over edges: behind the others of the list */
static void spread(making *m, int number, int first)
{
    clv_hull_face *f = &m->h->face[number];
    f->first = m->nlist;
    m->list[m->nlist++] = first, m->of[first] = number;
    for (int s = f->first; s < m->nlist; s++)
        for (int k = 0; k < 3; k++) {
            const int next = m->edge[3 * m->list[s] + k];
            if (next >= 0 && m->of[next] < 0 && in_plane(m, f, next))
                m->of[next] = number, m->list[m->nlist++] = next;
        }
    f->count = m->nlist - f->first;
}

/* The outline of a face: edges beyond which another face is, one behind the other.  Of more than CLV_HULL_RING corners
 * so many are kept, at equal distances in the order. */
static void outline(making *m, int number)
{
    clv_hull_face *f = &m->h->face[number];
    int begin = 0, edges = 0, count = 1;
    for (int i = 0; i < 3 * f->count; i++) {
        const int t = m->list[f->first + i / 3], next = m->edge[3 * t + i % 3];
        if (next >= 0 && m->of[next] == number)
            continue;
        begin = m->corner[3 * t + i % 3];
        m->after[begin] = m->corner[3 * t + (i + 1) % 3], edges++;
    }
    for (int at = m->after[begin]; at != begin && count < edges; at = m->after[at])
        count++;
    const int kept = count < CLV_HULL_RING ? count : CLV_HULL_RING;
    f->first = m->nring, f->count = 0;
    for (int i = 0, at = begin; i < count; i++, at = m->after[at])
        if (i * kept / count >= f->count)
            m->h->ring[m->nring++] = at, f->count++;
}

static void find_faces(making *m)
{
    clv_hull *h = m->h;
    for (int t = 0; t < m->n; t++)
        m->of[t] = -1;
    for (int i = 0; i < m->n; i++) {
        const int t = m->order[i];
        clv_hull_face *f = &h->face[h->nface];
        if (m->of[t] >= 0)
            continue;
        normal_of(m, t, f->n);
        const double l = clv_norm3(f->n);
        for (int c = 0; c < 3 && l > 0; c++)
            f->n[c] /= l;
        f->offset = clv_dot3(f->n, h->x + 3 * (size_t)clv_hull_farthest(h, f->n));
        spread(m, h->nface++, t);
    }
    for (int k = 0; k < h->nface; k++)
        outline(m, k);
}

static void find_width(clv_hull *h)
{
    h->width = 2 * h->radius;
    for (int k = 0; k < h->nface; k++) {
        const double back[3] = {-h->face[k].n[0], -h->face[k].n[1], -h->face[k].n[2]};
        const double *far = h->x + 3 * (size_t)clv_hull_farthest(h, back);
        h->width = fmin(h->width, h->face[k].offset + clv_dot3(back, far));
    }
}

/* ------------------------------------------------------------------ all of it */

static bool make(making *m, const double *point, int n, bool *flat)
{
    clv_hull *h = m->h;
    const size_t triangles = (size_t)m->n + 1;
    m->of = clv_alloc(triangles, sizeof *m->of), m->order = clv_alloc(triangles, sizeof *m->order);
    m->list = clv_alloc(triangles, sizeof *m->list), m->edge = clv_alloc(triangles, 3 * sizeof *m->edge);
    h->face = clv_alloc(triangles, sizeof *h->face), h->ring = clv_alloc(triangles, 3 * sizeof *h->ring);
    if (!m->of || !m->order || !m->list || !m->edge || !h->face || !h->ring || !take_corners(m, point, n))
        return false;
    m->after = clv_alloc((size_t)h->npoint + 1, sizeof *m->after);
    if (!m->after || !find_neighbours(m) || !sort_triangles(m))
        return false;
    *flat = !find_middle(m);
    if (*flat || !clv_hull_tree_make(&h->tree, h->x, h->npoint))
        return false;
    find_faces(m);
    find_width(h);
    *flat = !(h->width > 0);
    return !*flat;
}

clv_hull *clv_hull_create(const double *point, int n, bool *flat)
{
    making m = {.h = clv_alloc(1, sizeof *m.h)};
    *flat = false;
    if (!m.h)
        return NULL;
    m.n = clv_quickhull(point, n, &m.corner);
    *flat = m.n == 0;
    const bool good = m.n > 0 && make(&m, point, n, flat);
    clv_free(m.corner), clv_free(m.of), clv_free(m.order), clv_free(m.list), clv_free(m.edge), clv_free(m.after);
    if (good)
        return m.h;
    clv_hull_free(m.h);
    return NULL;
}

void clv_hull_free(clv_hull *h)
{
    if (!h)
        return;
    clv_hull_tree_free(&h->tree);
    clv_free(h->x), clv_free(h->point), clv_free(h->face), clv_free(h->ring), clv_free(h);
}

int clv_hull_farthest(const clv_hull *h, const double d[3]) { return clv_hull_tree_farthest(&h->tree, d); }

int clv_hull_facing(const clv_hull *h, const double d[3])
{
    int best = 0;
    double most = clv_dot3(h->face[0].n, d);
    for (int k = 1; k < h->nface; k++) {
        const double along = clv_dot3(h->face[k].n, d);
        if (along > most)
            most = along, best = k;
    }
    return best;
}
