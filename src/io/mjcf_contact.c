/* SPDX-License-Identifier: Apache-2.0
 * MJCF: contacts.  Geoms whose bits meet touch (contype, conaffinity), but for those of a body and its parent; <pair>
 * and <exclude> say otherwise.  Friction is the sliding one; condim 1 has none. */
#include "base/memory.h"
#include "io/mjcf.h"
#include "math/rotation.h"
#include <math.h>
#include <string.h>

/* The larger numbers of friction than for sliding are not carried over. */
static void read_friction(clv_mjcf *M, clv_item e, int *condim, double *friction)
{
    double x[5] = {*friction, 0.005, 0.0001, 0, 0};
    *condim = (int)clv_mjcf_number(M, e, "condim", *condim);
    clv_mjcf_overlay(M, e, "friction", x, 5);
    *friction = x[0];
    if (*condim != 1 && *condim != 3 && *condim != 4 && *condim != 6)
        clv_import_fail(M->I, e.node, "condim is 1, 3, 4 or 6", "condim=\"%d\" is not a kind of contact", *condim);
    else if (!(x[0] >= 0))
        clv_import_fail(M->I, e.node, "", "the friction is %g: it cannot be negative", x[0]);
    M->rolling = *condim > 3 && M->rolling == 0 ? e.node : M->rolling;
}

/* The points of a mesh, if it can be had; else why not. */
static const char *take_mesh(clv_mjcf *M, const char *mesh, clv_hard *h)
{
    if (!mesh)
        return "it has no name";
    h->shape.kind = CLV_SHAPE_MESH;
    return clv_mjcf_points(M, mesh, &h->points, &h->shape.npoint);
}

static void drop(clv_mjcf *M, unsigned node, const char *form, const char *mesh, int link, const char *problem)
{
    clv_import_drop(M->I, node, true, "contact", "contact of the %s%s%.60s%s of body '%s': %s", form, mesh ? " '" : "",
                    mesh ? mesh : "", mesh ? "'" : "", M->I->link[link].name, problem);
}

void clv_mjcf_hard(clv_mjcf *M, clv_item e, const char *form, const clv_shape *shape, const clv_frame *at,
                   const char *mesh, int link)
{
    const char *name = clv_xml_get(&M->I->xml, e.node, "name"), *problem = NULL;
    clv_hard h = {.node = e.node, .name = name, .link = link, .friction = 1, .shape = *shape};
    int condim = 3;
    h.type = (int)clv_mjcf_number(M, e, "contype", 1), h.with = (int)clv_mjcf_number(M, e, "conaffinity", 1);
    h.rank = (int)clv_mjcf_number(M, e, "priority", 0);
    if ((h.type == 0 && h.with == 0 && !name) || M->off.contact)
        return;
    read_friction(M, e, &condim, &h.friction);
    h.slick = condim == 1;
    h.off = h.type == 0 && h.with == 0;
    clv_copy3(h.shape.at, at->p);
    clv_quat_from_rotation(h.shape.orientation, at->R);
    h.shape.coloured = false;
    M->ncontact += !h.off, M->contact = M->ncontact == 1 && !h.off ? e.node : M->contact;
    if (!clv_robot_contacts_wanted(M->I))
        return;
    if (strcmp(form, "mesh") == 0)
        problem = h.off ? NULL : take_mesh(M, mesh, &h);
    else if (shape->kind == CLV_SHAPE_NONE && strcmp(form, "plane") != 0)
        problem = mesh ? "fitted shapes are not computed" : "this kind of shape is not supported";
    if (problem && !h.off)
        drop(M, e.node, form, mesh, link, problem);
    if (problem)
        return;
    h.mesh = mesh;
    clv_hard *to = CLV_IMPORT_MORE(M->I, hard);
    if (!to) {
        clv_free(h.points);
        return;
    }
    *to = h;
    size_t same;
    if (name && !clv_map_find(&M->geoms, name, &same) && !clv_map_add(&M->geoms, name, M->I->nhard - 1))
        clv_read_out_of_memory(M->I->r);
}

/* ---------------------------------------------------------------- pairs */

/* The geom that an attribute names; -1 (reported): there is none, or it cannot touch. */
static int geom_of(clv_mjcf *M, unsigned node, const char *attribute)
{
    const char *name = clv_xml_get(&M->I->xml, node, attribute);
    size_t k = 0;
    if (!name || !clv_map_find(&M->geoms, name, &k)) {
        clv_import_drop(M->I, node, true, "contact", "contact of the geom '%.60s', which cannot touch anything",
                        name ? name : "");
        return -1;
    }
    clv_hard *h = &M->I->hard[k];
    if (h->mesh && !h->points) { /* a mesh that touches nothing else */
        const char *problem = take_mesh(M, h->mesh, h);
        if (problem) {
            drop(M, h->node, "mesh", h->mesh, h->link, problem);
            return -1;
        }
    }
    return (int)k;
}

static void read_pair(clv_mjcf *M, unsigned node)
{
    const clv_item e = clv_mjcf_item(M, node, M->main_class, "pair");
    int condim = 3;
    double friction = 1;
    const int a = geom_of(M, node, "geom1"), b = geom_of(M, node, "geom2");
    if (a >= 0 && b >= 0) {
        friction = fmax(M->I->hard[a].friction, M->I->hard[b].friction);
        condim = M->I->hard[a].slick && M->I->hard[b].slick ? 1 : 3;
    }
    read_friction(M, e, &condim, &friction);
    clv_hard_pair *p = a >= 0 && b >= 0 ? CLV_IMPORT_MORE(M->I, pair) : NULL;
    if (!p)
        return;
    *p = (clv_hard_pair){.node = node, .a = a, .b = b, .friction = condim == 1 ? 0 : friction};
    M->I->hard[a].off = M->I->hard[b].off = false;
}

static void read_exclude(clv_mjcf *M, unsigned node)
{
    const char *first = clv_import_need(M->I, node, "body1"), *second = clv_import_need(M->I, node, "body2");
    int a = -1, b = -1;
    if (!first || !second || !clv_mjcf_link(M, node, first, &a) || !clv_mjcf_link(M, node, second, &b))
        return;
    if (a <= 0 || b <= 0) {
        clv_import_drop(M->I, node, true, "contact", "exclude of '%.60s' and '%.60s': the ground is not a body", first,
                        second);
        return;
    }
    clv_apart_pair *p = CLV_IMPORT_MORE(M->I, apart);
    if (p)
        *p = (clv_apart_pair){.node = node, .a = a, .b = b};
}

void clv_mjcf_contacts(clv_mjcf *M, unsigned section)
{
    const bool wanted = clv_robot_contacts_wanted(M->I) && !M->off.contact;
    clv_xml *x = &M->I->xml;
    for (unsigned n = clv_mjcf_first(M, section); n; n = clv_mjcf_next(M, n)) {
        if (wanted && clv_xml_is(x, n, "pair"))
            read_pair(M, n);
        else if (wanted && clv_xml_is(x, n, "exclude"))
            read_exclude(M, n);
        else if (clv_xml_is(x, n, "pair") && !M->off.contact)
            clv_import_drop(M->I, n, true, "contact", "contact of the geoms '%.60s' and '%.60s'",
                            clv_xml_get(x, n, "geom1") ? clv_xml_get(x, n, "geom1") : "",
                            clv_xml_get(x, n, "geom2") ? clv_xml_get(x, n, "geom2") : "");
        clv_xml_see(x, n);
    }
    x->node[section].seen = true;
}

void clv_mjcf_contacts_end(clv_mjcf *M)
{
    M->I->near = M->near;
    if (!clv_robot_contacts_wanted(M->I) && M->ncontact > 1 && !M->off.contact)
        clv_import_drop(M->I, M->contact, true, "contact", "contact of %d geoms, this one first", M->ncontact);
    else if (M->rolling && !M->off.contact && clv_robot_contacts_wanted(M->I))
        clv_import_drop(M->I, M->rolling, true, "contact",
                        "torsional and rolling friction (condim 4 and 6), here first: contacts have sliding friction");
}
