/* SPDX-License-Identifier: Apache-2.0
 * MJCF: geoms.  A geom has a mass, or a density (1000 kg/m^3 if none is given), and the inertia of a homogeneous body
 * of its form. Planes and height fields have none. */
#include "io/mjcf.h"
#include "math/rotation.h"
#include "math/sincos.h"
#include <math.h>
#include <string.h>

typedef enum form { PLANE, HFIELD, SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX, MESH, SDF } form;

static const char *const words[] = {"plane",    "hfield", "sphere", "capsule", "ellipsoid",
                                    "cylinder", "box",    "mesh",   "sdf",     NULL};

typedef struct geom {
    form form;
    bool fitted;    /* of a size that follows from a mesh */
    double size[3]; /* m: radii, half lengths             */
    clv_frame at;   /* in the link                        */
} geom;

/* ---------------------------------------------------------------- size and pose */

/* The ends of the axis determine length, middle and direction. */
static bool read_ends(clv_mjcf *M, clv_item e, geom *g)
{
    double x[6], z[3];
    if (!clv_mjcf_numbers(M, e, "fromto", x, 6))
        return false;
    for (int i = 0; i < 3; i++) {
        g->at.p[i] = (x[i] + x[3 + i]) / 2;
        z[i] = x[i] - x[3 + i];
    }
    const double half = clv_norm3(z) / 2;
    if (g->form != CAPSULE && g->form != CYLINDER && g->form != ELLIPSOID && g->form != BOX)
        clv_import_fail(M->I, e.node, "", "fromto is for capsules, cylinders, ellipsoids and boxes");
    else if (!clv_mjcf_from_z(g->at.R, z))
        clv_import_fail(M->I, e.node, "", "the points of fromto coincide");
    g->size[1] = half;
    if (g->form == ELLIPSOID || g->form == BOX)
        g->size[1] = g->size[0], g->size[2] = half;
    return true;
}

static void read_size(clv_mjcf *M, clv_item e, geom *g)
{
    static const int count[] = {0, 0, 1, 2, 3, 2, 3, 0, 0};
    const char *name = clv_xml_get(&M->I->xml, e.node, "name");
    clv_mjcf_overlay(M, e, "size", g->size, 3);
    clv_mjcf_frame(M, e, &g->at);
    read_ends(M, e, g);
    for (int i = 0; i < count[g->form] && !g->fitted && M->I->r->nerror == 0; i++)
        if (!(g->size[i] > 0)) {
            clv_import_fail(M->I, e.node, "", "the %s%s%.60s%s needs %d size%s, all greater than 0", words[g->form],
                            name ? " '" : "", name ? name : "", name ? "'" : "", count[g->form],
                            count[g->form] > 1 ? "s" : "");
            return;
        }
}

/* ---------------------------------------------------------------- inertia */

static double volume(const geom *g)
{
    const double *s = g->size;
    switch (g->form) {
    case SPHERE:
        return 4 * CLV_PI / 3 * s[0] * s[0] * s[0];
    case CAPSULE:
        return CLV_PI * s[0] * s[0] * (2 * s[1] + 4 * s[0] / 3);
    case ELLIPSOID:
        return 4 * CLV_PI / 3 * s[0] * s[1] * s[2];
    case CYLINDER:
        return CLV_PI * s[0] * s[0] * 2 * s[1];
    case BOX:
        return 8 * s[0] * s[1] * s[2];
    default:
        return 0;
    }
}

/* The shape in the frame of the geom; false: a model has none like it. */
static bool shape_of(const geom *g, clv_shape *s)
{
    *s = clv_body_desc_default().shape;
    const double *x = g->size;
    s->size[0] = x[0];
    s->size[1] = g->form == SPHERE ? 0 : 2 * x[1]; /* more sizes of a sphere say nothing */
    s->kind = g->form == SPHERE     ? CLV_SHAPE_SPHERE
              : g->form == CAPSULE  ? CLV_SHAPE_CAPSULE
              : g->form == CYLINDER ? CLV_SHAPE_CYLINDER
              : g->form == BOX      ? CLV_SHAPE_BOX
                                    : CLV_SHAPE_NONE;
    for (int i = 0; i < 3 && g->form == BOX; i++)
        s->size[i] = 2 * x[i];
    return s->kind != CLV_SHAPE_NONE && !g->fitted;
}

static void moments(const geom *g, double mass, double J[6])
{
    clv_shape s;
    const double *x = g->size;
    if (shape_of(g, &s))
        clv_shape_inertia(J, &s, mass);
    else if (g->form == ELLIPSOID)
        for (int i = 0; i < 3; i++) {
            const double b = x[(i + 1) % 3], c = x[(i + 2) % 3];
            J[i] = mass * (b * b + c * c) / 5;
        }
}

/* A mesh of a mass, or (mass NAN) of a density. */
static void add_mesh(clv_mjcf *M, clv_item e, const geom *g, const char *mesh, double mass, double density,
                     clv_inertia_part *sum)
{
    clv_solid s;
    if (!mesh)
        clv_import_fail(M->I, e.node, "", "the geom has no mesh");
    if (!mesh || !clv_mjcf_mesh(M, e.node, mesh, &s))
        return;
    const double rho = isnan(mass) ? density : mass / s.volume;
    clv_inertia_part part = {.mass = rho * s.volume};
    clv_copy3(part.com, s.com);
    for (int k = 0; k < 6; k++)
        part.J[k] = rho * s.J[k];
    clv_inertia_add(sum, &part, &g->at);
}

/* A geom without mass counts for nothing. */
static void add_mass(clv_mjcf *M, clv_item e, const geom *g, const char *mesh, clv_inertia_part *sum)
{
    const double density = clv_mjcf_number(M, e, "density", 1000), group = clv_mjcf_number(M, e, "group", 0);
    const bool given = clv_mjcf_at(M, e, "mass") != 0, shell = clv_mjcf_true(M, e, "shellinertia", false);
    const double mass = given ? clv_mjcf_number(M, e, "mass", 0) : density * volume(g);
    clv_inertia_part part = {.mass = mass};
    if (mass < 0 || density < 0)
        clv_import_fail(M->I, e.node, "", "mass and density cannot be negative");
    if (!sum || group < M->c.group[0] || group > M->c.group[1] || (given ? mass <= 1e-14 : density == 0))
        return;
    if (g->form == SDF || (mesh && g->form != MESH))
        clv_import_fail(M->I, e.node, "add <inertial> to the body: mass, pos and diaginertia or fullinertia",
                        "a %s of the size of a mesh has a mass, and its size is not computed", words[g->form]);
    else if (shell && g->form != PLANE && g->form != HFIELD)
        clv_import_fail(M->I, e.node, "add <inertial> to the body", "inertia of shells (shellinertia) is not read");
    else if (g->form == MESH)
        add_mesh(M, e, g, mesh, given ? mass : NAN, density, sum);
    else if (mass > 1e-14) {
        moments(g, mass, part.J);
        clv_inertia_add(sum, &part, &g->at);
    }
}

/* ---------------------------------------------------------------- what is shown */

/* Groups beyond are hidden, as by the viewer of MuJoCo; so is what is clear. */
enum { LAST_SHOWN = 2 };

/* The colour of the geom, or of its material; false: it cannot be seen. */
static bool read_colour(clv_mjcf *M, clv_item e, clv_shape *s)
{
    const char *material = clv_mjcf_word(M, e, "material");
    double rgba[4] = {0, 0, 0, 1};
    int n = clv_mjcf_some(M, e, "rgba", rgba, 4);
    if (n == 0 && material)
        n = clv_mjcf_material(M, material, rgba);
    s->coloured = n >= 3;
    for (int i = 0; i < 3 && s->coloured; i++)
        s->colour[i] = fmin(fmax(rgba[i], 0), 1);
    return !(n == 4 && rgba[3] == 0);
}

static void show_mesh(clv_mjcf *M, clv_item e, const geom *g, const char *mesh, int link, const clv_shape *colour)
{
    const char *problem = g->form != MESH ? "fitted shapes are not computed" : !mesh ? "it has no name" : NULL;
    problem = problem ? problem : clv_mjcf_look(M, e.node, mesh, &g->at, link, colour);
    if (problem)
        clv_import_drop(M->I, e.node, false, "mesh", "mesh '%.100s' of body '%s': %s", mesh ? mesh : "",
                        M->I->link[link].name, problem);
}

static void show(clv_mjcf *M, clv_item e, const geom *g, const char *mesh, int link)
{
    clv_shape s = clv_body_desc_default().shape, *own = &M->I->link[link].shape;
    const bool shown = clv_mjcf_number(M, e, "group", 0) <= LAST_SHOWN;
    if (mesh || g->form == MESH || g->form == SDF) {
        if (read_colour(M, e, &s) && shown)
            show_mesh(M, e, g, mesh, link, &s);
    } else if (g->form == PLANE && clv_robot_contacts_wanted(M->I) && !M->off.contact)
        return; /* it touches; reports draw the planes of contacts */
    else if (!shape_of(g, &s))
        clv_import_drop(M->I, e.node, false, "shape", "%s of body '%s': this kind of shape is not supported",
                        words[g->form], M->I->link[link].name);
    else {
        clv_copy3(s.at, g->at.p);
        clv_quat_from_rotation(s.orientation, g->at.R);
        if (read_colour(M, e, &s) && shown)
            clv_robot_shape(M->I, e.node, link, &s);
        if (own->kind == CLV_SHAPE_NONE)
            *own = s;
    }
}

static void note_contact(clv_mjcf *M, clv_item e, const geom *g, const char *mesh, int link)
{
    clv_shape s;
    if (!shape_of(g, &s))
        s.kind = CLV_SHAPE_NONE;
    clv_mjcf_hard(M, e, words[g->form], &s, &g->at, mesh, link);
}

void clv_mjcf_geom(clv_mjcf *M, clv_item e, const clv_frame *f, int link, clv_inertia_part *sum)
{
    geom g = {.form = SPHERE};
    const int choice = clv_mjcf_choice(M, e, "type", words, SPHERE);
    const char *mesh = clv_mjcf_word(M, e, "mesh");
    if (choice < 0)
        return;
    g.form = (form)choice;
    g.fitted = mesh != NULL;
    read_size(M, e, &g);
    if (M->I->r->nerror > 0)
        return;
    clv_frame_product(&g.at, f, &g.at);
    add_mass(M, e, &g, mesh, sum);
    show(M, e, &g, mesh, link);
    note_contact(M, e, &g, mesh, link);
}
