/* SPDX-License-Identifier: Apache-2.0
 * SDF: the file as a whole.  All items first, then their poses, links, joints, and the tree of links: a link's first
 * joint leads to its parent, others close loops.  A link without one is free, or fixed where its model is static. */
#include "base/error.h"
#include "base/memory.h"
#include "io/sdf.h"
#include "math/rotation.h"
#include <math.h>
#include <string.h>

/* Elements and attributes that change no motion. */
static const char *const harmless[] = {"sensor",
                                       "light",
                                       "projector",
                                       "audio_sink",
                                       "audio_source",
                                       "battery",
                                       "particle_emitter",
                                       "enable_wind",
                                       "self_collide",
                                       "must_be_base_link",
                                       "allow_auto_disable",
                                       "physics",
                                       "scene",
                                       "gui",
                                       "spherical_coordinates",
                                       "magnetic_field",
                                       "atmosphere",
                                       "wind",
                                       "material",
                                       "road",
                                       "surface",
                                       "max_contacts",
                                       "laser_retro",
                                       "audio",
                                       "cast_shadows",
                                       "transparency",
                                       "meta",
                                       "use_parent_model_frame",
                                       "gripper",
                                       "static",
                                       "*@name",
                                       "*@type",
                                       "*@canonical_link",
                                       "sdf@version",
                                       "inertial@auto",
                                       "limit",
                                       NULL};

static bool good(const clv_sdf *S)
{
    return S->I->r->nerror == 0 && !S->I->r->memory;
}

/* ---------------------------------------------------------------- items */

static void refuse_include(clv_sdf *S, unsigned n)
{
    const char *uri = clv_sdf_text(S, n, "uri");
    clv_import_fail(S->I, n, "run `gz sdf -p FILE.sdf > WHOLE.sdf` first: it puts them in",
                    "files included by <include> are not read ('%.100s')", uri ? uri : "");
}

/* A model and all in it; XML is not deeper than its reader allows. */
static void collect(clv_sdf *S, unsigned node, int scope, bool fixed)
{
    static const struct {
        const char *name;
        clv_sdf_kind kind;
    } inner[] = {{"link", CLV_SDF_LINK}, {"joint", CLV_SDF_JOINT}, {"frame", CLV_SDF_FRAME}};
    clv_xml *x = &S->I->xml;
    const char *placement = clv_xml_get(x, node, "placement_frame");
    const int model = clv_sdf_add(S, CLV_SDF_MODEL, node, scope, fixed);
    if (model < 0)
        return;
    if (placement && *placement)
        clv_import_fail(S->I, node, "give the pose of the model itself", "placement_frame=\"%.60s\" is not read",
                        placement);
    fixed = clv_sdf_flag(S, node, "static", fixed);
    for (size_t k = 0; k < sizeof inner / sizeof *inner; k++)
        for (unsigned n = clv_xml_child(x, node, inner[k].name); n && good(S); n = clv_xml_next(x, n, inner[k].name))
            clv_sdf_add(S, inner[k].kind, n, model, fixed);
    for (unsigned n = clv_xml_child(x, node, "model"); n && good(S); n = clv_xml_next(x, n, "model"))
        collect(S, n, model, fixed);
    for (unsigned n = clv_xml_child(x, node, "include"); n && good(S); n = clv_xml_next(x, n, "include"))
        refuse_include(S, n);
}

/* Frames, models and joints of the world, or models that stand alone. */
static void collect_top(clv_sdf *S, unsigned top)
{
    clv_xml *x = &S->I->xml;
    for (unsigned n = clv_xml_child(x, top, "frame"); n && good(S); n = clv_xml_next(x, n, "frame"))
        clv_sdf_add(S, CLV_SDF_FRAME, n, CLV_SDF_WORLD, true);
    for (unsigned n = clv_xml_child(x, top, "model"); n && good(S); n = clv_xml_next(x, n, "model"))
        collect(S, n, CLV_SDF_WORLD, false);
    for (unsigned n = clv_xml_child(x, top, "joint"); n && good(S); n = clv_xml_next(x, n, "joint"))
        clv_sdf_add(S, CLV_SDF_JOINT, n, CLV_SDF_WORLD, false);
    for (unsigned n = clv_xml_child(x, top, "include"); n && good(S); n = clv_xml_next(x, n, "include"))
        refuse_include(S, n);
}

/* How many models a part of the file has; *first: the first of them */
static int models(clv_sdf *S, unsigned top, unsigned *first)
{
    int count = 0;
    *first = clv_xml_child(&S->I->xml, top, "model");
    for (unsigned n = *first; n; n = clv_xml_next(&S->I->xml, n, "model"))
        count++;
    return count;
}

/* ---------------------------------------------------------------- the tree of links */

/* Marks what can be reached from link `at` over joints to parents; false: it is a circle. */
static bool leads_to_root(const clv_import *I, int at, int *mark, int now)
{
    while (I->link[at].up >= 0 && mark[at] == 0) {
        mark[at] = now;
        at = I->rod[I->link[at].up].parent;
    }
    const bool circle = mark[at] == now;
    mark[at] = mark[at] ? mark[at] : now;
    return !circle;
}

/* A link without parent joint: free, or fixed. */
static void make_root(clv_sdf *S, int link, bool fixed)
{
    clv_import *I = S->I;
    const char *name = clv_import_text(I, "%s.free", I->link[link].name);
    clv_rod *j = name ? clv_robot_rod(I, I->link[link].node, name, fixed ? CLV_JOINT_FIXED : CLV_JOINT_FREE) : NULL;
    if (!j)
        return;
    j->parent = 0, j->child = link;
    j->at = I->link[link].at;
    I->link[link].up = (int)(I->nrod - 1);
}

/* A fixed joint that is no part of the tree closes a loop. */
static void make_closing(clv_sdf *S, const clv_rod *j)
{
    clv_import *I = S->I;
    clv_loop *l = CLV_IMPORT_MORE(I, loop);
    if (!l)
        return;
    clv_frame on_child;
    clv_copy3(on_child.p, j->point);
    memcpy(on_child.R, j->E, sizeof on_child.R);
    *l = (clv_loop){.name = j->name, .node = j->node, .kind = j->kind, .a = j->parent, .b = j->child, .at_b = on_child};
    clv_frame_product(&l->at_a, &j->at, &on_child);
}

static void connect(clv_sdf *S)
{
    clv_import *I = S->I;
    int *mark = clv_alloc(I->nlink + 1, sizeof *mark);
    const size_t joints = I->nrod;
    if (!mark) {
        clv_read_out_of_memory(I->r);
        return;
    }
    for (size_t k = 0; k < joints; k++)
        if (I->link[I->rod[k].child].up < 0)
            I->link[I->rod[k].child].up = (int)k;
    for (int i = 0; i < (int)I->nlink; i++)
        if (mark[i] == 0 && !leads_to_root(I, i, mark, i + 1))
            I->link[i].up = -1; /* one joint of the circle closes it */
    for (size_t k = 0; k < joints && good(S); k++)
        if (I->rod[k].kind == CLV_JOINT_FIXED && I->link[I->rod[k].child].up != (int)k)
            make_closing(S, &I->rod[k]);
    for (size_t i = 0; i < S->nitem && good(S); i++) {
        const clv_sdf_item *it = &S->item[i];
        if (it->kind == CLV_SDF_LINK && I->link[it->link].up < 0)
            make_root(S, it->link, it->fixed);
    }
    clv_free(mark);
}

/* ---------------------------------------------------------------- the file */

static void make_links(clv_sdf *S)
{
    clv_link *world = clv_robot_link(S->I, S->I->xml.node[0].first, "world");
    if (world)
        world->hidden = true;
    for (int i = 0; i < (int)S->nitem && good(S); i++) {
        if (!clv_sdf_place(S, i, 0) || S->item[i].kind != CLV_SDF_LINK)
            continue;
        clv_sdf_link(S, i);
        if (good(S))
            S->I->link[S->item[i].link].at = S->item[i].at; /* until links are lumped */
    }
}

/* Joints of static models hold what does not move. */
static void make_joints(clv_sdf *S)
{
    for (int i = 0; i < (int)S->nitem; i++)
        if (S->item[i].kind == CLV_SDF_JOINT && S->item[i].fixed)
            clv_xml_see(&S->I->xml, S->item[i].node);
        else if (S->item[i].kind == CLV_SDF_JOINT)
            clv_sdf_joint(S, i);
    for (int i = 0; i < (int)S->nitem && good(S); i++)
        if (S->item[i].kind == CLV_SDF_JOINT && !S->item[i].fixed)
            clv_sdf_mimic(S, i);
}

/* Before 1.6 gravity was in <physics>. */
static void read_gravity(clv_sdf *S, unsigned top)
{
    const unsigned physics = clv_xml_child(&S->I->xml, top, "physics"),
                   inner = physics ? clv_xml_child(&S->I->xml, physics, "gravity") : 0;
    clv_sdf_numbers(S, top, "gravity", S->gravity, 3);
    if (inner && S->old_gravity)
        clv_sdf_numbers(S, physics, "gravity", S->gravity, 3);
    else if (inner)
        clv_import_drop(S->I, inner, true, "gravity", "<gravity> in <physics>: since version 1.6 it is in <world>");
}

static void read_all(clv_sdf *S, unsigned top)
{
    read_gravity(S, top);
    collect_top(S, top);
    if (good(S))
        make_links(S);
    if (good(S))
        make_joints(S);
    if (good(S))
        connect(S);
    if (!good(S))
        return;
    if (S->collisions > 1)
        clv_import_drop(S->I, S->collision, true, "contact", "contact of %d collisions, this one first", S->collisions);
    clv_model_set_gravity(S->I->m, S->gravity);
    clv_import_drop_unseen(S->I, harmless);
}

/* Minor number of version 1.x; 99: none. */
static int minor_version(clv_import *I, unsigned root)
{
    const char *version = clv_xml_get(&I->xml, root, "version");
    int minor = 0;
    if (!version || strncmp(version, "1.", 2) != 0 || !version[2])
        return 99;
    for (version += 2; *version >= '0' && *version <= '9' && minor < 99; version++)
        minor = 10 * minor + (*version - '0');
    return minor;
}

void clv_sdf_read(clv_import *I, unsigned root)
{
    clv_sdf S = {.I = I, .gravity = {0, 0, -9.8}};
    const unsigned world = clv_xml_child(&I->xml, root, "world"), top = world ? world : root;
    unsigned first;
    const int count = models(&S, top, &first);
    const char *name = clv_xml_get(&I->xml, world ? world : first ? first : root, "name");
    I->format = "SDF";
    S.old_axes = minor_version(I, root) < 5; /* in the frame of the model */
    S.old_gravity = minor_version(I, root) < 6;
    S.old_names = minor_version(I, root) < 7;
    I->brief = true;
    S.single = count == 1;
    if (I->r->robot.floating)
        clv_import_fail(I, root, "leave --floating out: a model that is not static and not held by a joint is free",
                        "a root that is free is for URDF, not for SDF");
    const unsigned included = count == 0 ? clv_xml_child(&I->xml, top, "include") : 0;
    if (included)
        refuse_include(&S, included);
    else if (count == 0)
        clv_import_fail(I, top, "", "the file has no <model>");
    if (world && clv_xml_next(&I->xml, world, "world"))
        clv_import_fail(I, clv_xml_next(&I->xml, world, "world"), "write one world per file",
                        "the file has two worlds");
    clv_read_title(I->r, name && *name ? clv_import_name(I, root, name) : NULL);
    if (good(&S))
        read_all(&S, top);
    clv_free(S.item);
    clv_map_free(&S.names);
}
