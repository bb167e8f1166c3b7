/* SPDX-License-Identifier: Apache-2.0
 * Meshes in COLLADA files, read through expat: the geometries of the scene (mesh_collada_faces.c), with the
 * transformations of their nodes and the unit of the file.  Called by mesh_file.c.  Materials, skins and animations are
 * not carried.  Coordinates keep their axes, whatever <up_axis> says (decision 163).
 *
 * Elements refer to each other by id; how often a file may repeat its parts in that way is limited. */
#include "io/mesh_collada.h"
#include "base/memory.h"
#include "base/text.h"
#include "io/xml_parse.h"
#include "math/rotation.h"
#include "math/sincos.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NODES_MOST = 100000, DEPTH_MOST = 64 };

static const clv_collada_place nowhere = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0}};

bool clv_collada_refuse(clv_collada *c, const char *problem)
{
    if (!c->m->problem && !c->m->memory)
        c->m->problem = problem;
    return false;
}

/* ---------------------------------------------------------------- references */

static int by_id(const void *a, const void *b)
{
    const clv_collada_id *x = a, *y = b;
    const int order = strcmp(x->id, y->id);
    return order ? order : (x->node > y->node) - (x->node < y->node);
}

static bool list_ids(clv_collada *c)
{
    c->id = clv_alloc(c->x.nnode + 1, sizeof *c->id);
    if (!c->id)
        return !(c->m->memory = true);
    for (unsigned n = 1; n < c->x.nnode; n++) {
        const char *id = clv_xml_get(&c->x, n, "id");
        if (id)
            c->id[c->nid++] = (clv_collada_id){id, n};
    }
    qsort(c->id, c->nid, sizeof *c->id, by_id);
    return true;
}

unsigned clv_collada_find(clv_collada *c, unsigned n, const char *attribute, const char *name)
{
    const char *to = clv_xml_get(&c->x, n, attribute);
    size_t low = 0, high = c->nid;
    while (to && *to == '#' && low < high) {
        const size_t middle = (low + high) / 2;
        if (strcmp(c->id[middle].id, to + 1) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; to && *to == '#' && low < c->nid && strcmp(c->id[low].id, to + 1) == 0; low++)
        if (clv_xml_is(&c->x, c->id[low].node, name))
            return c->id[low].node;
    clv_collada_refuse(c, "COLLADA: a reference leads nowhere, or to another file");
    return 0;
}

/* ---------------------------------------------------------------- transformations */

bool clv_collada_number(const char **text, double *x)
{
    const char *from = *text + strspn(*text, " \t\r\n");
    *x = clv_text_number(from, text);
    return *text != from;
}

static bool numbers(clv_collada *c, unsigned n, double *x, int count)
{
    const char *text = clv_xml_content(&c->x, n);
    for (int i = 0; i < count; i++)
        if (!clv_collada_number(&text, &x[i]) || !(fabs(x[i]) < 1e30))
            return clv_collada_refuse(c, "COLLADA: a transformation of a node has too few numbers");
    return true;
}

static clv_collada_place then(const clv_collada_place *outer, const clv_collada_place *inner)
{
    clv_collada_place p = nowhere;
    for (int i = 0; i < 3; i++) {
        p.t[i] = outer->t[i];
        for (int k = 0; k < 3; k++) {
            p.t[i] += outer->A[3 * i + k] * inner->t[k];
            p.A[3 * i + k] = 0;
            for (int j = 0; j < 3; j++)
                p.A[3 * i + k] += outer->A[3 * i + j] * inner->A[3 * j + k];
        }
    }
    return p;
}

static bool turn(clv_collada *c, const double x[4], clv_collada_place *p)
{
    const double size = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]), half = x[3] * CLV_PI / 360;
    if (!(size > 0))
        return clv_collada_refuse(c, "COLLADA: an axis of rotation has no direction");
    const double s = sin(half) / size, q[4] = {cos(half), s * x[0], s * x[1], s * x[2]};
    clv_quat_rotation(p->A, q);
    return true;
}

/* What one child of a node adds to its place; others than transformations add nothing. */
static bool transform(clv_collada *c, unsigned n, clv_collada_place *at)
{
    static const struct {
        const char *name;
        int count;
    } row[] = {{"matrix", 16}, {"translate", 3}, {"rotate", 4}, {"scale", 3}};
    clv_collada_place p = nowhere;
    double x[16] = {0};
    int kind = 0;
    if (clv_xml_is(&c->x, n, "lookat") || clv_xml_is(&c->x, n, "skew"))
        return clv_collada_refuse(c, "COLLADA: lookat and skew are not read");
    while (kind < 4 && !clv_xml_is(&c->x, n, row[kind].name))
        kind++;
    if (kind == 4)
        return true;
    if (!numbers(c, n, x, row[kind].count))
        return false;
    for (int i = 0; i < 3 && kind == 0; i++)
        p.A[3 * i] = x[4 * i], p.A[3 * i + 1] = x[4 * i + 1], p.A[3 * i + 2] = x[4 * i + 2], p.t[i] = x[4 * i + 3];
    for (int i = 0; i < 3 && kind == 1; i++)
        p.t[i] = x[i];
    for (int i = 0; i < 3 && kind == 3; i++)
        p.A[4 * i] = x[i];
    if (kind == 2 && !turn(c, x, &p))
        return false;
    *at = then(at, &p);
    return true;
}

/* ---------------------------------------------------------------- the scene */

/* A node and what is in it; C stacks are as deep as nodes are nested. */
static bool visit(clv_collada *c, unsigned n, clv_collada_place at, int depth)
{
    if (++c->visited > NODES_MOST || depth > DEPTH_MOST)
        return clv_collada_refuse(c, "COLLADA: nodes are nested or repeated without end");
    for (unsigned k = clv_xml_child(&c->x, n, NULL); k; k = clv_xml_next(&c->x, k, NULL)) {
        bool good = transform(c, k, &at);
        unsigned to = 0;
        if (good && clv_xml_is(&c->x, k, "instance_controller"))
            good = clv_collada_refuse(c, "COLLADA: skins are not read");
        if (good && clv_xml_is(&c->x, k, "node"))
            good = visit(c, k, at, depth + 1);
        else if (good && clv_xml_is(&c->x, k, "instance_node"))
            good = (to = clv_collada_find(c, k, "url", "node")) && visit(c, to, at, depth + 1);
        else if (good && clv_xml_is(&c->x, k, "instance_geometry"))
            good = (to = clv_collada_find(c, k, "url", "geometry")) && clv_collada_geometry(c, to, &at);
        if (!good)
            return false;
    }
    return true;
}

/* Metres in a unit of the file. */
static double unit_of(clv_collada *c, unsigned root)
{
    const unsigned asset = clv_xml_child(&c->x, root, "asset"), unit = asset ? clv_xml_child(&c->x, asset, "unit") : 0;
    const char *text = unit ? clv_xml_get(&c->x, unit, "meter") : NULL;
    double x;
    return text && clv_collada_number(&text, &x) && x > 0 && x < 1e9 ? x : 1;
}

static bool scene(clv_collada *c)
{
    const unsigned root = clv_xml_child(&c->x, 0, "COLLADA");
    if (!root)
        return clv_collada_refuse(c, "it is not a COLLADA file");
    const unsigned all = clv_xml_child(&c->x, root, "scene"),
                   instance = all ? clv_xml_child(&c->x, all, "instance_visual_scene") : 0;
    clv_collada_place at = nowhere;
    for (int i = 0; i < 3; i++)
        at.A[4 * i] = unit_of(c, root);
    if (!instance)
        return clv_collada_refuse(c, "COLLADA: it has no scene");
    const unsigned top = clv_collada_find(c, instance, "url", "visual_scene");
    return top && visit(c, top, at, 0);
}

static const char *why(const clv_reader *r)
{
    if (!clv_xml_present())
        return "this program was built without expat, which reads COLLADA";
    return r->nerror > 0 && r->error[0].code == CLV_ERR_UNSUPPORTED
               ? "COLLADA: entities, or elements nested too deeply, are not read"
               : "COLLADA: it is not well-formed XML";
}

bool clv_mesh_collada(clv_mesh *m, const char *text, size_t size)
{
    clv_reader r = {0};
    clv_collada c = {.m = m};
    bool good = clv_xml_read(&c.x, &r, text, size, 0, 0);
    if (!good && r.memory)
        m->memory = true;
    else if (!good)
        clv_collada_refuse(&c, why(&r));
    good = good && list_ids(&c) && scene(&c);
    clv_free(c.id);
    clv_free(r.error);
    clv_xml_free(&c.x);
    return good;
}
