/* SPDX-License-Identifier: Apache-2.0
 * MJCF: the file as a whole.  Compiler, options and defaults first, whatever their place; then bodies, what refers to
 * them, and the start. */
#include "base/memory.h"
#include "io/mjcf.h"
#include "math/sincos.h"
#include <string.h>

/* Elements and attributes that change no motion. */
static const char *const harmless[] = {
    /* sections */
    "asset", "visual", "sensor", "statistic", "custom", "size", "text", "numeric", "tuple", "camera", "light",
    "extension", "material", "texture", "mesh", "lengthrange", "skin",
    /* attributes of several elements */
    "*@name", "*@class", "*@group", "*@user", "*@solref", "*@solimp", "*@margin", "*@gap", "*@rgba", "*@material",
    "*@solreflimit", "*@solimplimit", "*@solreffriction", "*@solimpfriction", "mujoco@model", "body@sleep", "body@fuse",
    "body@simple",
    /* joints, geoms, sites */
    "freejoint@align", "geom@contype", "geom@conaffinity", "geom@condim", "geom@friction",
    "geom@priority", "geom@solmix", "geom@hfield", "geom@fitscale", "geom@fluidshape", "geom@fluidcoef",
    "geom@castshadow", "geom@adhesion", "geom@surfacevel", "geom@density", "geom@shellinertia", "geom@mass",
    "site@type", "site@size", "site@mesh", "equality@active",
    /* compiler */
    "compiler@alignfree", "compiler@assetdir", "compiler@meshdir", "compiler@texturedir", "compiler@discardvisual",
    "compiler@fitaabb", "compiler@savecompiled", "compiler@savecanonical",
    "compiler@saveinertial", "compiler@strippath", "compiler@usethread", "compiler@passthrough", "compiler@conflict",
    "compiler@convexhull", "compiler@exactmeshinertia",
    /* option: integrator, solver, contact */
    "option@timestep", "option@integrator", "option@iterations", "option@tolerance", "option@solver", "option@jacobian",
    "option@cone", "option@impratio", "option@noslip_iterations", "option@noslip_tolerance", "option@ls_iterations",
    "option@ls_tolerance", "option@ccd_iterations", "option@ccd_tolerance", "option@mpr_iterations",
    "option@mpr_tolerance", "option@sdf_iterations", "option@sdf_initpoints", "option@o_margin", "option@o_solref",
    "option@o_solimp", "option@o_friction", "option@magnetic", "option@apirate", "option@collision",
    "option@sleep_tolerance", "flag",
    /* actuators */
    "general@actdim", "general@actearly", "general@actlimited", "general@actrange", "position@inheritrange",
    "general@inheritrange", "*@lengthrange", "*@cranklength", "*@nsample", "*@interp",
    /* tendons without springs, dampers, limits and friction */
    "spatial", "fixed", "tendon@width", "tendon@range", "tendon@springlength", NULL};

/* ---------------------------------------------------------------- compiler, option */

static void read_euler(clv_mjcf *M, clv_item e)
{
    const char *text = clv_xml_get(&M->I->xml, e.node, "eulerseq");
    if (!text)
        return;
    if (strlen(text) != 3 || strspn(text, "xyzXYZ") != 3)
        clv_import_fail(M->I, e.node, "three of x, y, z (turning with the body), X, Y, Z (fixed)",
                        "eulerseq is '%.60s'", text);
    else
        memcpy(M->c.euler, text, 4);
}

static void read_compiler(clv_mjcf *M, unsigned node)
{
    static const char *const angles[] = {"radian", "degree", NULL}, *const when[] = {"false", "true", "auto", NULL};
    const clv_item e = {.node = node, .class = -1};
    clv_compiler *c = &M->c;
    const char *coordinate = clv_xml_get(&M->I->xml, node, "coordinate");
    const int angle = clv_mjcf_choice(M, e, "angle", angles, c->angle == 1 ? 0 : 1);
    c->angle = angle == 0 ? 1 : CLV_PI / 180;
    if (coordinate && strcmp(coordinate, "local") != 0)
        clv_import_fail(M->I, node, "MuJoCo before 2.3.4 can save the file with local coordinates",
                        "coordinate=\"%.60s\" is not read", coordinate);
    read_euler(M, e);
    c->autolimits = clv_mjcf_true(M, e, "autolimits", c->autolimits);
    c->align_free = clv_mjcf_true(M, e, "alignfree", c->align_free);
    c->balance = clv_mjcf_true(M, e, "balanceinertia", c->balance);
    c->fuse = clv_mjcf_true(M, e, "fusestatic", c->fuse > 0) ? node : 0;
    c->from_geom = clv_mjcf_choice(M, e, "inertiafromgeom", when, c->from_geom);
    clv_import_numbers(M->I, node, "inertiagrouprange", c->group, 2);
    c->strip = clv_mjcf_true(M, e, "strippath", c->strip);
    c->exact_meshes = clv_mjcf_true(M, e, "exactmeshinertia", c->exact_meshes);
    const char *assets = clv_xml_get(&M->I->xml, node, "assetdir"), *meshes = clv_xml_get(&M->I->xml, node, "meshdir");
    c->mesh_folder = meshes ? meshes : assets && !c->mesh_folder ? assets : c->mesh_folder;
    c->bound_mass = clv_import_number(M->I, node, "boundmass", c->bound_mass);
    c->bound_inertia = clv_import_number(M->I, node, "boundinertia", c->bound_inertia);
    c->total_mass = clv_import_number(M->I, node, "settotalmass", c->total_mass);
}

static void read_flag(clv_mjcf *M, unsigned node)
{
    clv_switches *off = &M->off;
    const struct {
        const char *name;
        bool *off;
    } row[] = {{"gravity", &off->gravity},
               {"constraint", &off->constraint},
               {"equality", &off->equality},
               {"limit", &off->limit},
               {"frictionloss", &off->frictionloss},
               {"contact", &off->contact},
               {"spring", &off->spring},
               {"damper", &off->damper},
               {"actuation", &off->actuation},
               {"clampctrl", &off->clampctrl}};
    clv_xml *x = &M->I->xml;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const char *word = clv_xml_get(x, node, row[i].name);
        *row[i].off = word ? strcmp(word, "disable") == 0 : *row[i].off;
    }
    const char *filter = clv_xml_get(x, node, "filterparent");
    M->near = filter ? strcmp(filter, "disable") == 0 : M->near;
    const char *passive = clv_xml_get(x, node, "passive"); /* older: springs and dampers */
    if (passive)
        off->spring = off->damper = strcmp(passive, "disable") == 0;
    off->limit |= off->constraint;
    off->frictionloss |= off->constraint;
    off->contact |= off->constraint;
    clv_xml_see(x, node);
}

static void read_option(clv_mjcf *M, unsigned node)
{
    static const char *const medium[] = {"density", "viscosity", "wind"};
    clv_xml *x = &M->I->xml;
    clv_import_numbers(M->I, node, "gravity", M->gravity, 3);
    for (int i = 0; i < 2; i++)
        if (clv_import_number(M->I, node, medium[i], 0) > 0)
            clv_import_drop(M->I, node, true, "medium", "%s of the medium: %g", medium[i],
                            clv_import_number(M->I, node, medium[i], 0));
    clv_xml_get(x, node, "wind"); /* acts through density and viscosity only */
    for (unsigned n = clv_mjcf_first(M, node); n; n = clv_mjcf_next(M, n))
        if (clv_xml_is(x, n, "flag")) {
            x->node[n].seen = true;
            read_flag(M, n);
        }
}

/* ---------------------------------------------------------------- the file */

static bool good(const clv_mjcf *M)
{
    return M->I->r->nerror == 0 && !M->I->r->memory;
}

/* Each section of that name. */
static void read_sections(clv_mjcf *M, const char *name, void (*read)(clv_mjcf *M, unsigned node))
{
    for (unsigned n = clv_mjcf_section(M, 0, name); n && good(M); n = clv_mjcf_section(M, n, name))
        read(M, n);
}

static void read_all(clv_mjcf *M)
{
    read_sections(M, "compiler", read_compiler);
    read_sections(M, "option", read_option);
    if (good(M))
        clv_mjcf_classes(M);
    for (int i = 0; i < 3 && M->off.gravity; i++)
        M->gravity[i] = 0;
    if (good(M))
        clv_mjcf_world(M);
    read_sections(M, "tendon", clv_mjcf_tendons);
    read_sections(M, "equality", clv_mjcf_equality);
    read_sections(M, "actuator", clv_mjcf_actuators);
    read_sections(M, "contact", clv_mjcf_contacts);
    if (!good(M))
        return;
    clv_mjcf_key(M);
    clv_mjcf_total(M);
    clv_mjcf_weights(M);
    clv_mjcf_contacts_end(M);
    clv_model_set_gravity(M->I->m, M->gravity);
    clv_mjcf_see_defaults(M);
    clv_import_drop_unseen(M->I, harmless);
}

static void release(clv_mjcf *M)
{
    void *list[] = {M->class, M->site, M->home, M->joint, M->about, M->act, M->mesh};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        clv_free(list[i]);
    clv_map_free(&M->bodies);
    clv_map_free(&M->sites);
    clv_map_free(&M->tendons);
    clv_map_free(&M->inputs);
    clv_map_free(&M->geoms);
    clv_map_free(&M->assets);
}

void clv_mjcf_read(clv_import *I, unsigned root)
{
    const char *name = clv_xml_get(&I->xml, root, "model");
    clv_mjcf M = {.I = I, .main_class = -1, .gravity = {0, 0, -9.81}};
    M.c = (clv_compiler){
        .angle = CLV_PI / 180, .euler = "xyz", .autolimits = true, .from_geom = 2, .group = {0, 5}, .total_mass = -1};
    I->format = "MJCF";
    I->brief = true;
    if (I->r->robot.floating)
        clv_import_fail(I, root, "give the body a <freejoint/>", "a root that is free is for URDF, not for MJCF");
    clv_read_title(I->r, name && *name ? clv_import_name(I, root, name) : NULL);
    if (good(&M) && clv_mjcf_include(&M))
        read_all(&M);
    release(&M);
}
