/* SPDX-License-Identifier: Apache-2.0
 * The convex hull of points by quickhull (T53).  A tetrahedron grows by the point that is farthest outside of a face;
 * the faces that see it give way to a cone from its horizon.  Points nearer to a face than rounding count as inside, so
 * the hull is right to that distance.  Barber, Dobkin, Huhdanpaa: The quickhull algorithm for convex hulls, 1996. */
#include "math/quickhull.h"
#include "base/memory.h"
#include "math/rotation.h"
#include <math.h>
#include <string.h>

typedef struct facet {
    int corner[3], beside[3]; /* points; beside[k]: facet at the edge from corner k to the next one */
    double normal[3], offset; /* outward, length 1 */
    int outside, farthest;    /* list of points that it sees; -1: none */
    double distance;          /* of the farthest */
    bool gone;
} facet;

typedef struct hull {
    const double *x; /* points */
    int n;
    double near;     /* distance that counts as none */
    facet *face;
    int nface, capacity;
    int *next;       /* (n) next point of a list */
    int *from;       /* (n) new facet whose horizon edge begins at the point */
    int *stack, nstack, stack_capacity;
    int *fresh, nfresh, fresh_capacity;
    bool memory;
} hull;

static const double *point(const hull *h, int i) { return h->x + 3 * (size_t)i; }

static bool push(hull *h, int **list, int *n, int *capacity, int value)
{
    if (*n == *capacity) {
        int *more = clv_resize(*list, 2 * (size_t)*capacity + 64, sizeof *more);
        if (!more)
            return h->memory = true, false;
        *list = more, *capacity = 2 * *capacity + 64;
    }
    (*list)[(*n)++] = value;
    return true;
}

static double above(const hull *h, const facet *f, int p) { return clv_dot3(f->normal, point(h, p)) - f->offset; }

/* A facet with outward normal by the order of its corners; -1: out of memory. */
static int add_facet(hull *h, int a, int b, int c)
{
    double u[3], v[3];
    if (h->nface == h->capacity) {
        facet *more = clv_resize(h->face, 2 * (size_t)h->capacity + 64, sizeof *more);
        if (!more)
            return h->memory = true, -1;
        h->face = more, h->capacity = 2 * h->capacity + 64;
    }
    facet *f = &h->face[h->nface];
    *f = (facet){.corner = {a, b, c}, .outside = -1, .farthest = -1};
    clv_sub3(u, point(h, b), point(h, a));
    clv_sub3(v, point(h, c), point(h, a));
    clv_cross(f->normal, u, v);
    const double size = clv_norm3(f->normal);
    for (int k = 0; k < 3 && size > 0; k++)
        f->normal[k] /= size;
    f->offset = clv_dot3(f->normal, point(h, a));
    return h->nface++;
}

/* Puts a point on the list of the facet, if it is seen from there. */
static bool take(hull *h, facet *f, int p)
{
    const double d = above(h, f, p);
    if (!(d > h->near))
        return false;
    h->next[p] = f->outside, f->outside = p;
    if (f->farthest < 0 || d > f->distance)
        f->farthest = p, f->distance = d;
    return true;
}

/* ---------------------------------------------------------------- the first tetrahedron */

/* Distance of a point to the span of the n points chosen so far (1: a point, 2: a line, 3: a plane). */
static double apart(const hull *h, const int *chosen, int n, int p)
{
    double u[3], v[3], w[3], c[3];
    clv_sub3(u, point(h, p), point(h, chosen[0]));
    if (n == 1)
        return clv_norm3(u);
    clv_sub3(v, point(h, chosen[1]), point(h, chosen[0]));
    clv_cross(c, v, u);
    if (n == 2)
        return clv_norm3(c) / clv_norm3(v);
    clv_sub3(w, point(h, chosen[2]), point(h, chosen[0]));
    clv_cross(c, v, w);
    return fabs(clv_dot3(c, u)) / clv_norm3(c);
}

static bool start(hull *h)
{
    int t[4] = {0};
    double extent = 0;
    for (int n = 1; n < 4; n++) {
        double most = 0;
        for (int i = 0; i < h->n; i++) {
            const double d = apart(h, t, n, i);
            if (d > most)
                most = d, t[n] = i;
        }
        extent = n == 1 ? most : extent;
        h->near = 3e-13 * extent;
        if (!(most > h->near))
            return false;
    }
    static const int corner[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    static const int beside[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
    double u[3], v[3], w[3], c[3];
    clv_sub3(u, point(h, t[1]), point(h, t[0]));
    clv_sub3(v, point(h, t[2]), point(h, t[0]));
    clv_sub3(w, point(h, t[3]), point(h, t[0]));
    clv_cross(c, u, v);
    if (clv_dot3(c, w) > 0) { /* the fourth point is to be below the first facet */
        const int keep = t[1];
        t[1] = t[2], t[2] = keep;
    }
    for (int k = 0; k < 4; k++) {
        if (add_facet(h, t[corner[k][0]], t[corner[k][1]], t[corner[k][2]]) < 0)
            return false;
        memcpy(h->face[k].beside, beside[k], sizeof beside[k]);
    }
    for (int i = 0; i < h->n; i++)
        for (int k = 0; k < 4 && !take(h, &h->face[k], i); k++)
            ;
    return true;
}

/* ---------------------------------------------------------------- growing */

/* The edge of f that begins at a point. */
static int edge_from(const facet *f, int p) { return f->corner[0] == p ? 0 : f->corner[1] == p ? 1 : 2; }

/* The facets that see a point, from one of them on; they go. */
static bool find_seen(hull *h, int first, int p)
{
    h->nstack = 0;
    h->face[first].gone = true;
    bool good = push(h, &h->stack, &h->nstack, &h->stack_capacity, first);
    for (int s = 0; s < h->nstack && good; s++)
        for (int k = 0; k < 3 && good; k++) {
            const int other = h->face[h->stack[s]].beside[k];
            if (h->face[other].gone || !(above(h, &h->face[other], p) > h->near))
                continue;
            h->face[other].gone = true;
            good = push(h, &h->stack, &h->nstack, &h->stack_capacity, other);
        }
    return good;
}

/* A new facet at an edge of one that goes, if it is on the horizon. */
static bool add_side(hull *h, int at, int k, int p)
{
    const int other = h->face[at].beside[k], a = h->face[at].corner[k], b = h->face[at].corner[(k + 1) % 3];
    if (h->face[other].gone)
        return true;
    const int made = add_facet(h, a, b, p);
    if (made < 0 || !push(h, &h->fresh, &h->nfresh, &h->fresh_capacity, made))
        return false;
    h->face[made].beside[0] = other;
    h->face[other].beside[edge_from(&h->face[other], b)] = made;
    const bool once = h->from[a] < 0; /* a ring leaves each point once */
    h->from[a] = made;
    return once;
}

/* New facets stand where those were that see the point.  False: their horizon is no ring. */
static bool make_cone(hull *h, int first, int p)
{
    bool good = find_seen(h, first, p);
    h->nfresh = 0;
    for (int s = 0; s < h->nstack && good; s++)
        for (int k = 0; k < 3 && good; k++)
            good = add_side(h, h->stack[s], k, p);
    for (int i = 0; i < h->nfresh && good; i++) {
        facet *f = &h->face[h->fresh[i]];
        const int after = h->from[f->corner[1]];
        good = after >= 0;
        if (good)
            f->beside[1] = after, h->face[after].beside[2] = h->fresh[i];
    }
    for (int i = 0; i < h->nfresh; i++)
        h->from[h->face[h->fresh[i]].corner[0]] = -1;
    return good;
}

/* Points of the facets that went look for a new one, or are inside. */
static void share_points(hull *h, int p)
{
    for (int s = 0; s < h->nstack; s++)
        for (int i = h->face[h->stack[s]].outside, after; i >= 0; i = after) {
            after = h->next[i];
            for (int k = 0; i != p && k < h->nfresh && !take(h, &h->face[h->fresh[k]], i); k++)
                ;
        }
}

static bool grow(hull *h)
{
    for (int f = 0; f < h->nface; f++) { /* new ones come behind */
        const int p = h->face[f].farthest;
        if (h->face[f].gone || p < 0)
            continue;
        if (!make_cone(h, f, p))
            return false;
        share_points(h, p);
    }
    return true;
}

/* The facets that are left; -1: out of memory. */
static int list_facets(const hull *h, int **corner)
{
    int n = 0;
    *corner = clv_alloc((size_t)h->nface + 1, 3 * sizeof **corner);
    for (int f = 0; f < h->nface && *corner; f++)
        if (!h->face[f].gone)
            memcpy(*corner + 3 * (size_t)n++, h->face[f].corner, sizeof h->face[f].corner);
    return *corner ? n : -1;
}

int clv_quickhull(const double *x, int n, int **corner)
{
    hull h = {.x = x, .n = n};
    h.next = clv_alloc((size_t)n + 1, sizeof *h.next), h.from = clv_alloc((size_t)n + 1, sizeof *h.from);
    h.memory = !h.next || !h.from;
    *corner = NULL;
    for (int i = 0; i < h.n && !h.memory; i++)
        h.from[i] = -1;
    const bool good = !h.memory && h.n >= 4 && start(&h) && grow(&h);
    const int count = good ? list_facets(&h, corner) : h.memory ? -1 : 0;
    clv_free(h.next), clv_free(h.from), clv_free(h.face), clv_free(h.stack), clv_free(h.fresh);
    return count;
}
