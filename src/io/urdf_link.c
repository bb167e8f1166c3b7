/* SPDX-License-Identifier: Apache-2.0
 * URDF: a link, its inertia, what is drawn of it, and the first simple shape of its visual or collision elements.  A
 * link without a visual that can be drawn is drawn by its collision elements. */
#include "base/error.h"
#include "base/memory.h"
#include "io/import.h"
#include "math/rotation.h"
#include <string.h>

void clv_urdf_frame(clv_import *I, unsigned element, clv_frame *f)
{
    const unsigned origin = clv_xml_child(&I->xml, element, "origin");
    double rpy[3] = {0, 0, 0};
    clv_frame_identity(f);
    if (!origin)
        return;
    clv_import_numbers(I, origin, "xyz", f->p, 3);
    if (!clv_import_numbers(I, origin, "rpy", rpy, 3) || (rpy[0] == 0 && rpy[1] == 0 && rpy[2] == 0))
        return;
    clv_frame_turn(f, rpy);
}

/* ---------------------------------------------------------------- inertia */

static double needed(clv_import *I, unsigned node, const char *attribute)
{
    clv_import_need(I, node, attribute);
    return clv_import_number(I, node, attribute, 0);
}

static void read_inertial(clv_import *I, unsigned node, clv_inertia_part *own)
{
    clv_xml *x = &I->xml;
    const unsigned mass = clv_xml_child(x, node, "mass"), inertia = clv_xml_child(x, node, "inertia");
    clv_inertia_part part = {0};
    clv_frame f;
    clv_urdf_frame(I, node, &f);
    if (!mass || !inertia) {
        clv_import_fail(I, node, "write <mass value=\"...\"/> and <inertia ixx=... iyy=... izz=.../>",
                        "<inertial> has no <%s>", mass ? "inertia" : "mass");
        return;
    }
    part.mass = needed(I, mass, "value");
    part.J[0] = needed(I, inertia, "ixx");
    part.J[1] = needed(I, inertia, "iyy");
    part.J[2] = needed(I, inertia, "izz");
    part.J[3] = clv_import_number(I, inertia, "ixy", 0);
    part.J[4] = clv_import_number(I, inertia, "ixz", 0);
    part.J[5] = clv_import_number(I, inertia, "iyz", 0);
    if (part.mass < 0)
        clv_import_fail(I, mass, "", "the mass is %g kg: it cannot be negative", part.mass);
    clv_inertia_add(own, &part, &f);
}

/* ---------------------------------------------------------------- shapes */

static bool sizes(clv_import *I, unsigned n, const char *first, const char *second, clv_shape *s)
{
    s->size[0] = s->size[1] = 0;
    clv_import_need(I, n, first);
    clv_import_numbers(I, n, first, s->size, 1);
    if (second)
        clv_import_numbers(I, n, second, s->size + 1, 1);
    return s->size[0] > 0 && (!second || s->size[1] > 0);
}

/* A box, sphere, cylinder or capsule; false: none, or without size. */
static bool read_geometry(clv_import *I, unsigned n, clv_shape *s)
{
    clv_xml *x = &I->xml;
    unsigned k = 0;
    if ((k = clv_xml_child(x, n, "box")) != 0) {
        s->kind = CLV_SHAPE_BOX;
        return clv_import_numbers(I, k, "size", s->size, 3) && s->size[0] > 0 && s->size[1] > 0 && s->size[2] > 0;
    }
    if ((k = clv_xml_child(x, n, "sphere")) != 0)
        return s->kind = CLV_SHAPE_SPHERE, sizes(I, k, "radius", NULL, s);
    if ((k = clv_xml_child(x, n, "cylinder")) != 0)
        return s->kind = CLV_SHAPE_CYLINDER, sizes(I, k, "radius", "length", s);
    if ((k = clv_xml_child(x, n, "capsule")) != 0)
        return s->kind = CLV_SHAPE_CAPSULE, sizes(I, k, "radius", "length", s);
    return false;
}

/* Colours of the materials under <robot>, by name: the first of each. */
static void list_colours(clv_import *I)
{
    clv_xml *x = &I->xml;
    size_t known;
    I->coloured = true;
    for (unsigned m = clv_xml_child(x, x->node[0].first, "material"); m; m = clv_xml_next(x, m, "material")) {
        const char *name = clv_xml_get(x, m, "name");
        const unsigned color = name ? clv_xml_child(x, m, "color") : 0;
        if (color && !clv_map_find(&I->colours, name, &known) && !clv_map_add(&I->colours, name, color))
            clv_read_out_of_memory(I->r);
    }
}

/* The colour of a material element, or of the one of that name under <robot>. */
static void read_colour(clv_import *I, unsigned visual, clv_shape *s)
{
    clv_xml *x = &I->xml;
    unsigned material = clv_xml_child(x, visual, "material");
    unsigned color = material ? clv_xml_child(x, material, "color") : 0;
    const char *name = material ? clv_xml_get(x, material, "name") : NULL;
    double rgba[4];
    size_t found;
    if (!color && name && !I->coloured)
        list_colours(I);
    if (!color && name && clv_map_find(&I->colours, name, &found))
        color = (unsigned)found;
    if (material)
        clv_xml_see(x, material);
    if (!color || clv_import_some(I, color, "rgba", rgba, 4) < 3)
        return;
    for (int i = 0; i < 3; i++)
        s->colour[i] = rgba[i] < 0 ? 0 : rgba[i] > 1 ? 1 : rgba[i];
    s->coloured = true;
}

/* A mesh at a link, drawn if it can be and if there is nothing better. */
static void read_mesh(clv_import *I, unsigned n, unsigned mesh, const char *element, int link, bool drawn)
{
    clv_xml *x = &I->xml;
    const char *file = clv_xml_get(x, mesh, "filename"), *problem = "the visuals are drawn";
    clv_shape colour = clv_body_desc_default().shape;
    double scale[3] = {1, 1, 1};
    clv_frame f;
    clv_urdf_frame(I, n, &f);
    clv_import_numbers(I, mesh, "scale", scale, 3);
    read_colour(I, n, &colour);
    if (!file)
        problem = "it has no file name";
    else if (scale[0] == 0 || scale[1] == 0 || scale[2] == 0)
        problem = "its scale is 0";
    else if (drawn)
        problem = clv_robot_mesh(I, mesh, link, &f, file, scale, &colour);
    if (problem)
        clv_import_drop(I, mesh, false, "mesh", "mesh '%.200s' (%s of link '%s'): %s", file ? file : "", element,
                        I->link[link].name, problem);
    clv_xml_see(x, mesh);
}

/* A collision element that touches: a simple shape, or (kind CLV_SHAPE_NONE) a mesh. */
static void read_hard(clv_import *I, unsigned n, unsigned mesh, const clv_shape *shape, const clv_frame *f, int link)
{
    const char *file = mesh ? clv_xml_get(&I->xml, mesh, "filename") : NULL, *problem = NULL;
    double scale[3] = {1, 1, 1};
    clv_hard h = {.node = n, .link = link, .shape = *shape, .type = 1, .with = 1, .friction = 1};
    clv_copy3(h.shape.at, f->p);
    clv_quat_from_rotation(h.shape.orientation, f->R);
    if (mesh) {
        clv_import_numbers(I, mesh, "scale", scale, 3);
        h.shape.kind = CLV_SHAPE_MESH;
        problem = file ? clv_robot_points(I, file, scale, &h.points, &h.shape.npoint) : "it has no file name";
    }
    if (problem)
        clv_import_drop(I, n, true, "contact", "contact of mesh '%.200s' of link '%s': %s", file ? file : "",
                        I->link[link].name, problem);
    clv_hard *to = problem ? NULL : CLV_IMPORT_MORE(I, hard);
    if (to)
        *to = h;
    else
        clv_free(h.points);
}

/* A visual or collision element; drawn: it may be drawn. */
static void read_shape(clv_import *I, unsigned n, const char *element, int link, bool drawn)
{
    clv_xml *x = &I->xml;
    const unsigned geometry = clv_xml_child(x, n, "geometry"), mesh = geometry ? clv_xml_child(x, geometry, "mesh") : 0;
    clv_shape s = clv_body_desc_default().shape, *own = &I->link[link].shape;
    clv_frame f;
    clv_urdf_frame(I, n, &f);
    x->node[n].seen = true;
    clv_xml_get(x, n, "name");
    const bool hard = strcmp(element, "collision") == 0 && clv_robot_contacts_wanted(I);
    if (mesh && hard)
        read_hard(I, n, mesh, &s, &f, link);
    if (mesh)
        read_mesh(I, n, mesh, element, link, drawn);
    else if (geometry && read_geometry(I, geometry, &s)) {
        if (hard)
            read_hard(I, n, 0, &s, &f, link);
        read_colour(I, n, &s);
        clv_copy3(s.at, f.p);
        clv_quat_from_rotation(s.orientation, f.R);
        if (drawn)
            clv_robot_shape(I, n, link, &s);
        if (own->kind == CLV_SHAPE_NONE)
            *own = s;
        else if (!drawn && !hard)
            clv_import_drop(I, n, false, "shape", "%s of link '%s': a body has one shape", element, I->link[link].name);
    }
    const unsigned material = clv_xml_child(x, n, "material");
    if (material)
        clv_xml_see(x, material);
}

void clv_urdf_link(clv_import *I, unsigned node)
{
    clv_xml *x = &I->xml;
    const char *name = clv_import_need(I, node, "name");
    size_t same;
    if (name && clv_map_find(&I->links, name, &same)) {
        clv_import_fail(I, node, "every link needs a name of its own", "the name '%s' is given to two links", name);
        return;
    }
    if (name && !clv_map_add(&I->links, name, I->nlink))
        clv_read_out_of_memory(I->r);
    clv_link *l = name ? clv_robot_link(I, node, clv_import_name(I, node, name)) : NULL;
    if (!l)
        return;
    unsigned n = clv_xml_child(x, node, "inertial");
    if (n)
        read_inertial(I, n, &l->own);
    const int link = (int)(l - I->link);
    const size_t before = I->nlook;
    for (n = clv_xml_child(x, node, "visual"); n; n = clv_xml_next(x, n, "visual"))
        read_shape(I, n, "visual", link, true);
    const bool drawn = I->nlook > before; /* else collision shapes are, better than nothing */
    for (n = clv_xml_child(x, node, "collision"); n; n = clv_xml_next(x, n, "collision"))
        read_shape(I, n, "collision", link, !drawn);
}
