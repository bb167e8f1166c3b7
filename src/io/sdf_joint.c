/* SPDX-License-Identifier: Apache-2.0
 * SDF: a joint: its kind, where it is, its axes, and what acts along them. */
#include "io/sdf.h"
#include "math/rotation.h"
#include "math/sincos.h"
#include <math.h>
#include <string.h>

static const struct {
    const char *name;
    clv_joint_kind kind;
    int axes;
} kinds[] = {{"revolute", CLV_JOINT_REVOLUTE, 1},   {"continuous", CLV_JOINT_REVOLUTE, 1},
             {"prismatic", CLV_JOINT_PRISMATIC, 1}, {"screw", CLV_JOINT_HELICAL, 1},
             {"fixed", CLV_JOINT_FIXED, 0},         {"ball", CLV_JOINT_SPHERICAL, 0},
             {"universal", CLV_JOINT_UNIVERSAL, 2}, {"revolute2", CLV_JOINT_UNIVERSAL, 2}};

/* Its row in the table; -1 after an error. */
static int read_kind(clv_sdf *S, unsigned node)
{
    const char *type = clv_import_need(S->I, node, "type");
    for (size_t i = 0; type && i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(type, kinds[i].name) == 0)
            return (int)i;
    if (type)
        clv_import_fail(S->I, node,
                        "types are revolute, continuous, prismatic, screw, ball, universal, revolute2, fixed",
                        strcmp(type, "gearbox") == 0 ? "a joint of type '%.60s' is not read: write a coupling"
                                                     : "unknown type of joint '%.60s'",
                        type);
    return -1;
}

/* Link named by <parent> or <child>, which may be the world for a parent; -1 after an error. */
static int read_end(clv_sdf *S, const clv_sdf_item *it, const char *which)
{
    const unsigned n = clv_xml_child(&S->I->xml, it->node, which);
    const char *name = n ? clv_xml_content(&S->I->xml, n) : NULL;
    if (!name || !*name) {
        clv_import_fail(S->I, it->node, "", "joint '%s' has no <%s>", it->shown, which);
        return -1;
    }
    const int item = clv_sdf_find(S, n, it->scope, name);
    const int link = item == CLV_SDF_NONE ? item : clv_sdf_link_of(S, n, item);
    if (link == CLV_SDF_WORLD && strcmp(which, "child") == 0)
        clv_import_fail(S->I, n, "exchange parent and child", "the world cannot be the child of joint '%s'", it->shown);
    else if (link == CLV_SDF_WORLD)
        return 0; /* the link of the world */
    return link < 0 ? -1 : link;
}

/* ---------------------------------------------------------------- axes */

/* The direction of <axis> or <axis2> in the frame of the joint; false after an error. */
static bool read_axis(clv_sdf *S, int item, const char *which, double z[3])
{
    clv_xml *x = &S->I->xml;
    const clv_sdf_item *it = &S->item[item];
    const unsigned axis = clv_xml_child(x, it->node, which), n = axis ? clv_xml_child(x, axis, "xyz") : 0;
    const char *in = n ? clv_xml_get(x, n, "expressed_in") : NULL;
    const bool of_model = axis && clv_sdf_flag(S, axis, "use_parent_model_frame", S->old_axes);
    double v[3] = {0, 0, 1}, w[3];
    int frame = in && *in ? clv_sdf_find(S, n, it->scope, in) : of_model ? it->scope : item;
    if (axis)
        clv_sdf_numbers(S, axis, "xyz", v, 3);
    const double length = clv_norm3(v);
    if (!(length > 1e-12))
        clv_import_fail(S->I, n, "write a direction, as <xyz>0 0 1</xyz>", "the axis has no direction");
    if (frame == CLV_SDF_NONE || !clv_sdf_place(S, frame, 0) || !(length > 1e-12))
        return false;
    for (int i = 0; i < 3; i++)
        v[i] /= length;
    if (frame >= 0 && frame != item)
        clv_mat3_times(w, S->item[frame].at.R, v);
    if (frame == item)
        clv_copy3(z, v);
    else
        clv_mat3_transpose_times(z, it->at.R, frame >= 0 ? w : v);
    return true;
}

/* Axes of the joint in its frame: z along one axis, or x and y along two. */
static bool read_axes(clv_sdf *S, int item, int axes, double E[9])
{
    double a[3], b[3], c[3];
    const double none[3] = {0, 0, 0};
    clv_mat3_identity(E);
    if (axes == 0)
        return true;
    if (!read_axis(S, item, "axis", a))
        return false;
    if (axes < 2)
        return clv_rotation_frame(E, a, none) != 0;
    if (!read_axis(S, item, "axis2", b))
        return false;
    if (!(fabs(clv_dot3(a, b)) <= 1e-9)) {
        clv_import_fail(S->I, S->item[item].node, "write two revolute joints with a light link between them",
                        "the axes of joint '%s' are at %.4g deg: a universal joint has them at 90 deg",
                        S->item[item].shown, acos(fmin(fmax(clv_dot3(a, b), -1), 1)) * 180 / CLV_PI);
        return false;
    }
    clv_axpy3(b, -clv_dot3(a, b), a);
    clv_cross(c, a, b);
    for (int i = 0; i < 3; i++)
        E[3 * i] = a[i], E[3 * i + 1] = b[i], E[3 * i + 2] = c[i];
    return true;
}

/* ---------------------------------------------------------------- along an axis */

typedef struct along {
    double damping, friction, stiffness, rest, lower, upper, effort, velocity;
} along;

static along read_along(clv_sdf *S, unsigned joint, const char *which)
{
    const unsigned axis = clv_xml_child(&S->I->xml, joint, which),
                   d = axis ? clv_xml_child(&S->I->xml, axis, "dynamics") : 0,
                   l = axis ? clv_xml_child(&S->I->xml, axis, "limit") : 0;
    along a = {.lower = -INFINITY, .upper = INFINITY, .effort = -1, .velocity = -1};
    if (d) {
        a.damping = clv_sdf_number(S, d, "damping", 0), a.friction = clv_sdf_number(S, d, "friction", 0);
        a.stiffness = clv_sdf_number(S, d, "spring_stiffness", 0), a.rest = clv_sdf_number(S, d, "spring_reference", 0);
    }
    if (l) {
        a.lower = clv_sdf_number(S, l, "lower", -INFINITY), a.upper = clv_sdf_number(S, l, "upper", INFINITY);
        a.effort = clv_sdf_number(S, l, "effort", -1), a.velocity = clv_sdf_number(S, l, "velocity", -1);
        clv_xml_see(&S->I->xml, l); /* stiffness and dissipation of a stop */
    }
    return a;
}

/* Springs, dampers and friction, which are the same on every coordinate here. */
static void set_loads(clv_sdf *S, unsigned node, clv_rod *j, int axes)
{
    const along a = read_along(S, node, "axis"), b = axes == 2 ? read_along(S, node, "axis2") : a;
    const bool equal =
        a.damping == b.damping && a.friction == b.friction && a.stiffness == b.stiffness && a.rest == b.rest;
    const double each[] = {a.damping, a.stiffness, a.friction, b.damping, b.stiffness, b.friction};
    for (int i = 0; i < 6; i++)
        if (!(each[i] >= 0) || !isfinite(each[i]))
            clv_import_fail(S->I, node, "",
                            "joint '%s': damping, spring stiffness and friction are finite and not negative", j->name);
    if (!equal)
        clv_import_drop(S->I, node, true, "axis2", "springs, dampers and friction of joint '%s': its two axes differ",
                        j->name);
    else {
        j->damping = a.damping, j->stiffness = a.stiffness, j->rest = a.stiffness != 0 ? a.rest : 0;
        if (a.friction != 0)
            j->friction = a.friction, j->friction_node = node;
    }
    if (isfinite(a.lower) || isfinite(a.upper))
        clv_import_limits(S->I, node, j, a.lower, a.upper);
    if (axes == 2 && (isfinite(b.lower) || isfinite(b.upper)))
        clv_import_limits(S->I, node, j, b.lower, b.upper);
    if (a.velocity >= 0 && isfinite(a.velocity))
        clv_import_drop(S->I, node, false, "velocity limit", "velocity limit of joint '%s': %g", j->name, a.velocity);
    if (j->input && a.effort > 0 && isfinite(a.effort))
        j->limit[0] = -a.effort, j->limit[1] = a.effort;
    else if (j->input && a.effort == 0)
        clv_import_drop(S->I, node, false, "effort limit", "effort limit 0 of joint '%s': read as no limit", j->name);
}

/* m/rad of a screw: metres per turn, 1 m where none is given as SDF has it, or the older radians per metre with the
 * other sign */
static double read_pitch(clv_sdf *S, const clv_sdf_item *it)
{
    const double lead = clv_sdf_number(S, it->node, "screw_thread_pitch", NAN),
                 turns = clv_sdf_number(S, it->node, "thread_pitch", NAN);
    const double pitch = isnan(lead) && !isnan(turns) ? -1 / turns : (isnan(lead) ? 1 : lead) / (2 * CLV_PI);
    if (!isfinite(pitch) || pitch == 0)
        clv_import_fail(S->I, it->node, "write <screw_thread_pitch> in metres per turn",
                        "screw joint '%s' has a pitch of 0, or infinite", it->shown);
    return pitch;
}

void clv_sdf_joint(clv_sdf *S, int item)
{
    const clv_sdf_item *it = &S->item[item];
    const int row = read_kind(S, it->node), parent = read_end(S, it, "parent"), child = read_end(S, it, "child");
    double E[9];
    if (row < 0 || parent < 0 || child < 0 || !clv_sdf_place(S, item, 0) || !read_axes(S, item, kinds[row].axes, E))
        return;
    clv_rod *j = clv_robot_rod(S->I, it->node, it->shown, kinds[row].kind);
    if (!j)
        return;
    clv_frame back, on_child;
    if (parent == child)
        clv_import_fail(S->I, it->node, "", "joint '%s' connects link '%s' with itself", j->name,
                        S->I->link[child].name);
    j->parent = parent, j->child = child;
    clv_frame_inverse(&back, &S->I->link[child].at); /* here: in the world */
    clv_frame_product(&on_child, &back, &it->at);
    clv_copy3(j->point, on_child.p);
    clv_mat3_product(j->E, on_child.R, E);
    clv_frame_inverse(&back, &S->I->link[parent].at);
    clv_frame_product(&j->at, &back, &S->I->link[child].at);
    j->pitch = j->kind == CLV_JOINT_HELICAL ? read_pitch(S, it) : 0;
    j->input = j->kind == CLV_JOINT_REVOLUTE || j->kind == CLV_JOINT_PRISMATIC;
    if (kinds[row].axes > 0)
        set_loads(S, it->node, j, kinds[row].axes);
}

/* ---------------------------------------------------------------- mimic */

/* The joint of an item; -1: none. */
static int rod_of(const clv_sdf *S, int item)
{
    for (size_t k = 0; item >= 0 && k < S->I->nrod; k++)
        if (S->I->rod[k].node == S->item[item].node && S->I->rod[k].kind != CLV_JOINT_FIXED)
            return (int)k;
    return -1;
}

void clv_sdf_mimic(clv_sdf *S, int item)
{
    clv_xml *x = &S->I->xml;
    const clv_sdf_item *it = &S->item[item];
    const unsigned axis = clv_xml_child(x, it->node, "axis"), n = axis ? clv_xml_child(x, axis, "mimic") : 0;
    const char *name = n ? clv_import_need(S->I, n, "joint") : NULL;
    if (!name)
        return;
    const int leader = clv_sdf_find(S, n, it->scope, name), first = rod_of(S, leader), second = rod_of(S, item);
    const double ratio = clv_sdf_number(S, n, "multiplier", 1), offset = clv_sdf_number(S, n, "offset", 0),
                 reference = clv_sdf_number(S, n, "reference", 0);
    clv_xml_see(x, n);
    if (leader == CLV_SDF_NONE)
        return;
    if (first < 0 || second < 0 || first == second || S->I->rod[first].kind == CLV_JOINT_UNIVERSAL) {
        clv_import_drop(S->I, n, true, "mimic", "joint '%s' follows '%.100s': not a joint of one coordinate", it->shown,
                        name);
        return;
    }
    clv_gear *g = CLV_IMPORT_MORE(S->I, gear);
    if (!g)
        return;
    *g = (clv_gear){.name = it->shown, .node = n, .first = first, .second = second, .ratio = ratio,
                    .offset = offset - ratio * reference};
    S->I->rod[second].input = 0;
}
