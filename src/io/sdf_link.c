/* SPDX-License-Identifier: Apache-2.0
 * SDF: a link: inertia, what is drawn of it, the first simple shape, gravity that does not act. */
#include "io/sdf.h"
#include "math/rotation.h"
#include <math.h>
#include <string.h>

/* Mass 1 kg and moments 1 kg m^2 are SDF's where none are given. */
static void read_inertial(clv_sdf *S, int item, clv_link *l)
{
    static const char *const moment[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    clv_xml *x = &S->I->xml;
    const unsigned n = clv_xml_child(x, l->node, "inertial"), inertia = n ? clv_xml_child(x, n, "inertia") : 0;
    const char *automatic = n ? clv_xml_get(x, n, "auto") : NULL;
    clv_inertia_part part = {.mass = 1, .J = {1, 1, 1, 0, 0, 0}};
    clv_frame f;
    clv_frame_identity(&f);
    if (automatic && (strcmp(automatic, "true") == 0 || *automatic == '1'))
        clv_import_fail(S->I, n, "write <mass> and <inertia>", "inertia from collisions (auto) is not read");
    if (n) {
        part.mass = clv_sdf_number(S, n, "mass", part.mass);
        clv_sdf_inner_pose(S, n, item, &f);
    }
    for (int i = 0; inertia && i < 6; i++)
        part.J[i] = clv_sdf_number(S, inertia, moment[i], part.J[i]);
    if (part.mass < 0)
        clv_import_fail(S->I, n, "", "the mass is %g kg: it cannot be negative", part.mass);
    clv_inertia_add(&l->own, &part, &f);
}

/* ---------------------------------------------------------------- shapes */

/* A box, sphere, cylinder or capsule; false: none of them, or without size. */
static bool read_geometry(clv_sdf *S, unsigned n, clv_shape *s)
{
    static const struct {
        const char *name;
        clv_shape_kind kind;
    } round[] = {{"sphere", CLV_SHAPE_SPHERE}, {"cylinder", CLV_SHAPE_CYLINDER}, {"capsule", CLV_SHAPE_CAPSULE}};
    clv_xml *x = &S->I->xml;
    unsigned k = clv_xml_child(x, n, "box");
    if (k) {
        s->kind = CLV_SHAPE_BOX;
        return clv_sdf_numbers(S, k, "size", s->size, 3) && s->size[0] > 0 && s->size[1] > 0 && s->size[2] > 0;
    }
    for (size_t i = 0; i < sizeof round / sizeof *round; i++) {
        if (!(k = clv_xml_child(x, n, round[i].name)))
            continue;
        s->kind = round[i].kind;
        s->size[0] = clv_sdf_number(S, k, "radius", 0);
        s->size[1] = i > 0 ? clv_sdf_number(S, k, "length", 0) : 1;
        const bool good = s->size[0] > 0 && s->size[1] > 0 && isfinite(s->size[0]) && isfinite(s->size[1]);
        s->size[1] = i > 0 ? s->size[1] : 0;
        return good;
    }
    return false;
}

static void read_colour(clv_sdf *S, unsigned element, clv_shape *s)
{
    clv_xml *x = &S->I->xml;
    const unsigned material = clv_xml_child(x, element, "material"),
                   diffuse = material ? clv_xml_child(x, material, "diffuse") : 0;
    double rgba[4];
    if (diffuse && clv_import_list(S->I, diffuse, "", clv_xml_content(x, diffuse), rgba, 4) >= 3) {
        for (int i = 0; i < 3; i++)
            s->colour[i] = fmin(fmax(rgba[i], 0), 1);
        s->coloured = true;
    }
}

/* Draws a mesh at a link; why it does not, or NULL. */
static const char *draw_mesh(clv_sdf *S, unsigned mesh, int link, const clv_frame *f, const clv_shape *colour)
{
    const char *uri = clv_sdf_text(S, mesh, "uri");
    double scale[3] = {1, 1, 1};
    clv_sdf_numbers(S, mesh, "scale", scale, 3);
    if (!uri || !*uri)
        return "it has no <uri>";
    if (scale[0] == 0 || scale[1] == 0 || scale[2] == 0)
        return "its scale is 0";
    return clv_robot_mesh(S->I, mesh, link, f, uri, scale, colour);
}

/* A visual or collision element; drawn: it may be drawn. */
static void read_shape(clv_sdf *S, unsigned n, int item, bool drawn)
{
    clv_xml *x = &S->I->xml;
    const int link = S->item[item].link;
    const unsigned geometry = clv_xml_child(x, n, "geometry"), mesh = geometry ? clv_xml_child(x, geometry, "mesh") : 0;
    clv_shape s = clv_body_desc_default().shape, *own = &S->I->link[link].shape;
    clv_frame f;
    const char *problem = NULL;
    clv_sdf_inner_pose(S, n, item, &f);
    read_colour(S, n, &s);
    if (mesh)
        problem = drawn ? draw_mesh(S, mesh, link, &f, &s) : "the visuals are drawn";
    else if (geometry && read_geometry(S, geometry, &s)) {
        clv_copy3(s.at, f.p);
        clv_quat_from_rotation(s.orientation, f.R);
        if (drawn)
            clv_robot_shape(S->I, n, link, &s);
        if (own->kind == CLV_SHAPE_NONE)
            *own = s;
        else if (!drawn)
            problem = "a body has one shape";
    } else
        problem = "no box, sphere, cylinder, capsule or mesh";
    if (problem)
        clv_import_drop(S->I, n, false, mesh ? "mesh" : "shape", "%s of link '%s': %s", clv_xml_name(x, n),
                        S->I->link[link].name, problem);
    clv_xml_see(x, n);
}

/* ---------------------------------------------------------------- all of a link */

/* Gravity does not act on it: a force against its weight. */
static void float_it(clv_sdf *S, int link)
{
    const clv_link *l = &S->I->link[link];
    if (l->own.mass == 0)
        return;
    clv_push *p = CLV_IMPORT_MORE(S->I, push);
    const char *name = p ? clv_import_text(S->I, "%s.gravity", l->name) : NULL;
    if (!name)
        return;
    *p = (clv_push){.name = name, .node = l->node, .link = link};
    clv_copy3(p->p, l->own.com);
    clv_axpy3(p->vector, -l->own.mass, S->gravity);
}

static void drop_decay(clv_sdf *S, const clv_link *l)
{
    const unsigned n = clv_xml_child(&S->I->xml, l->node, "velocity_decay");
    if (!n)
        return;
    if (clv_sdf_number(S, n, "linear", 0) != 0 || clv_sdf_number(S, n, "angular", 0) != 0)
        clv_import_drop(S->I, n, true, "velocity decay", "velocity decay of link '%s'", l->name);
    clv_xml_see(&S->I->xml, n);
}

void clv_sdf_link(clv_sdf *S, int item)
{
    clv_xml *x = &S->I->xml;
    const clv_sdf_item *it = &S->item[item];
    clv_link *l = clv_robot_link(S->I, it->node, it->shown);
    if (!l)
        return;
    const int link = (int)(S->I->nlink - 1);
    S->item[item].link = link;
    read_inertial(S, item, l);
    const size_t before = S->I->nlook;
    for (unsigned n = clv_xml_child(x, it->node, "visual"); n; n = clv_xml_next(x, n, "visual"))
        read_shape(S, n, item, true);
    const bool drawn = S->I->nlook > before; /* else collisions are, better than nothing */
    for (unsigned n = clv_xml_child(x, it->node, "collision"); n; n = clv_xml_next(x, n, "collision")) {
        if (!it->fixed && S->collisions++ == 0)
            S->collision = n;
        read_shape(S, n, item, !drawn);
    }
    if (clv_sdf_flag(S, it->node, "kinematic", false))
        clv_import_drop(S->I, it->node, true, "kinematic", "link '%s' is kinematic: here it moves by forces", l->name);
    drop_decay(S, l);
    if (!clv_sdf_flag(S, it->node, "gravity", true) && !it->fixed)
        float_it(S, link);
}
