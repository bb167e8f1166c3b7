/* SPDX-License-Identifier: Apache-2.0
 * Lists of faces of a COLLADA geometry: triangles, polylist, polygons, fans and strips, whose corners are tuples of
 * indices.  Called by mesh_collada.c. */
#include "io/mesh_collada.h"
#include <math.h>
#include <string.h>

enum { CORNERS_MOST = 255, POINTS_MOST = 10000000 };

/* ---------------------------------------------------------------- numbers */

static bool next_whole(const char **text, size_t *value)
{
    const char *c = *text + strspn(*text, " \t\r\n");
    *value = 0;
    if (*c < '0' || *c > '9')
        return false;
    for (; *c >= '0' && *c <= '9'; c++)
        *value = *value < 0xfffffff ? 10 * *value + (size_t)(*c - '0') : *value;
    *text = c;
    return true;
}

static size_t whole_of(clv_collada *c, unsigned n, const char *attribute, size_t otherwise)
{
    const char *text = clv_xml_get(&c->x, n, attribute);
    size_t value;
    return text && next_whole(&text, &value) ? value : otherwise;
}

/* ---------------------------------------------------------------- geometries */

/* Where the corners of a list find their points. */
typedef struct list {
    size_t first, count;   /* points of the mesh */
    size_t offset, stride; /* of the point among the numbers of a corner */
    unsigned source;
    bool mirrored;
} list;

/* The points of a source, at their place, behind those that are there. */
static bool add_points(clv_collada *c, unsigned source, const clv_collada_place *at, list *l)
{
    const unsigned array = clv_xml_child(&c->x, source, "float_array"),
                   technique = clv_xml_child(&c->x, source, "technique_common"),
                   accessor = technique ? clv_xml_child(&c->x, technique, "accessor") : 0;
    const size_t stride = accessor ? whole_of(c, accessor, "stride", 1) : 3,
                 skip = accessor ? whole_of(c, accessor, "offset", 0) : 0;
    const char *text = array ? clv_xml_content(&c->x, array) : "";
    double x[3] = {0}, number, y[3];
    if (stride < 3)
        return clv_collada_refuse(c, "COLLADA: points have fewer than three coordinates");
    if (c->m->npoint > POINTS_MOST)
        return clv_collada_refuse(c, "COLLADA: more than ten million points");
    l->first = c->m->npoint, l->count = 0;
    for (size_t i = 0; clv_collada_number(&text, &number); i++) {
        if (i < skip)
            continue;
        const size_t k = (i - skip) % stride;
        if (k < 3)
            x[k] = number;
        if (k != 2)
            continue;
        for (int r = 0; r < 3; r++)
            y[r] = (float)(at->A[3 * r] * x[0] + at->A[3 * r + 1] * x[1] + at->A[3 * r + 2] * x[2] + at->t[r]);
        if (!clv_mesh_point(c->m, y))
            return false;
        l->count++;
    }
    return true;
}

/* The inputs of a list: how many numbers a corner has, and which one is its point. */
static bool find_points(clv_collada *c, unsigned n, const clv_collada_place *at, list *l)
{
    unsigned vertices = 0;
    l->stride = 0;
    for (unsigned i = clv_xml_child(&c->x, n, "input"); i; i = clv_xml_next(&c->x, i, "input")) {
        const size_t offset = whole_of(c, i, "offset", 0);
        const char *semantic = clv_xml_get(&c->x, i, "semantic");
        l->stride = offset + 1 > l->stride ? offset + 1 : l->stride;
        if (semantic && strcmp(semantic, "VERTEX") == 0) {
            l->offset = offset;
            if (!(vertices = clv_collada_find(c, i, "source", "vertices")))
                return false;
        }
    }
    for (unsigned i = vertices ? clv_xml_child(&c->x, vertices, "input") : 0; i; i = clv_xml_next(&c->x, i, "input")) {
        const char *semantic = clv_xml_get(&c->x, i, "semantic");
        if (!semantic || strcmp(semantic, "POSITION") != 0)
            continue;
        const unsigned source = clv_collada_find(c, i, "source", "source");
        if (!source || (source != l->source && !add_points(c, source, at, l)))
            return false;
        l->source = source;
        return true;
    }
    return clv_collada_refuse(c, "COLLADA: triangles without points");
}

static bool next_corner(clv_collada *c, const list *l, const char **text, unsigned *corner)
{
    size_t value, point = 0;
    for (size_t i = 0; i < l->stride; i++) {
        if (!next_whole(text, &value))
            return i == 0 ? false : clv_collada_refuse(c, "COLLADA: a corner has too few numbers");
        point = i == l->offset ? value : point;
    }
    if (point >= l->count)
        return clv_collada_refuse(c, "a face names a point that the file does not have");
    *corner = (unsigned)(l->first + point);
    return true;
}

static bool face(clv_collada *c, const list *l, unsigned i, unsigned j, unsigned k, bool more)
{
    return l->mirrored ? clv_mesh_face(c->m, i, k, j, more) : clv_mesh_face(c->m, i, j, k, more);
}

/* A polygon of n corners; a quadrilateral along its shorter diagonal. */
static bool polygon(clv_collada *c, const list *l, const char **text, size_t n)
{
    unsigned v[4] = {0}, last = 0, next = 0;
    for (size_t i = 0; i < n; i++) {
        if (!next_corner(c, l, text, &next))
            return clv_collada_refuse(c, "COLLADA: a list of corners ends early");
        if (i < 4)
            v[i] = next;
        if (n != 4 && i >= 2 && !face(c, l, v[0], last, next, i > 2))
            return false;
        last = next;
    }
    if (n != 4)
        return true;
    const unsigned order[4] = {v[0], v[l->mirrored ? 3 : 1], v[2], v[l->mirrored ? 1 : 3]};
    return clv_mesh_quad(c->m, order);
}

/* Triangles: corners by threes; a fan or a strip: one triangle for each corner from the third on. */
static bool row(clv_collada *c, const list *l, const char *text, bool fan, bool strip)
{
    unsigned v[3] = {0}, next = 0;
    for (size_t i = 0; next_corner(c, l, &text, &next); i++) {
        if (i < 3 || !(fan || strip))
            v[i % 3] = next;
        else if (fan)
            v[1] = v[2], v[2] = next;
        else
            v[0] = v[1], v[1] = v[2], v[2] = next;
        const bool back = strip && i % 2 == 1;
        if ((fan || strip ? i >= 2 : i % 3 == 2) && !face(c, l, v[0], v[back ? 2 : 1], v[back ? 1 : 2], false))
            return false;
    }
    return !c->m->problem && !c->m->memory;
}

/* Polygons whose numbers of corners are in <vcount>. */
static bool polylist(clv_collada *c, const list *l, unsigned n)
{
    const unsigned counts = clv_xml_child(&c->x, n, "vcount"), p = clv_xml_child(&c->x, n, "p");
    const char *count = counts ? clv_xml_content(&c->x, counts) : "", *text = p ? clv_xml_content(&c->x, p) : "";
    size_t corners;
    while (next_whole(&count, &corners))
        if (corners > CORNERS_MOST || !polygon(c, l, &text, corners))
            return clv_collada_refuse(c, "COLLADA: a polygon has more than 255 corners");
    return true;
}

/* A polygon of all corners in the text. */
static bool whole_polygon(clv_collada *c, const list *l, const char *text)
{
    unsigned corner;
    size_t n = 0;
    for (const char *t = text; n <= CORNERS_MOST && next_corner(c, l, &t, &corner);)
        n++;
    if (c->m->problem || n > CORNERS_MOST)
        return clv_collada_refuse(c, "COLLADA: a polygon has more than 255 corners");
    return n < 3 || polygon(c, l, &text, n);
}

/* One list of faces; other elements of a mesh have none. */
static bool faces(clv_collada *c, unsigned n, const clv_collada_place *at, list *l)
{
    const bool fan = clv_xml_is(&c->x, n, "trifans"), strip = clv_xml_is(&c->x, n, "tristrips"),
               many = clv_xml_is(&c->x, n, "polygons"), counted = clv_xml_is(&c->x, n, "polylist");
    if (!fan && !strip && !many && !counted && !clv_xml_is(&c->x, n, "triangles"))
        return true;
    if (!clv_xml_child(&c->x, n, "p") && !clv_xml_child(&c->x, n, "ph"))
        return true;
    if (clv_xml_child(&c->x, n, "ph"))
        return clv_collada_refuse(c, "COLLADA: polygons with holes are not read");
    if (!find_points(c, n, at, l))
        return false;
    if (counted)
        return polylist(c, l, n);
    for (unsigned p = clv_xml_child(&c->x, n, "p"); p; p = clv_xml_next(&c->x, p, "p"))
        if (!(many ? whole_polygon(c, l, clv_xml_content(&c->x, p)) : row(c, l, clv_xml_content(&c->x, p), fan, strip)))
            return false;
    return true;
}

bool clv_collada_geometry(clv_collada *c, unsigned n, const clv_collada_place *at)
{
    const unsigned mesh = clv_xml_child(&c->x, n, "mesh");
    const double *A = at->A;
    const double volume =
        A[0] * (A[4] * A[8] - A[5] * A[7]) - A[1] * (A[3] * A[8] - A[5] * A[6]) + A[2] * (A[3] * A[7] - A[4] * A[6]);
    list l = {.mirrored = volume < 0};
    if (!mesh)
        return clv_collada_refuse(c, "COLLADA: a geometry is not a mesh");
    for (unsigned k = clv_xml_child(&c->x, mesh, NULL); k; k = clv_xml_next(&c->x, k, NULL))
        if (!faces(c, k, at, &l))
            return false;
    return true;
}
