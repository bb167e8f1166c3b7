/* SPDX-License-Identifier: Apache-2.0
 * URDF: joints, mimic, transmissions. */
#include "base/error.h"
#include "base/text.h"
#include "io/import.h"
#include "math/rotation.h"
#include <math.h>
#include <string.h>

static const struct {
    const char *name;
    clv_joint_kind kind;
} kinds[] = {{"revolute", CLV_JOINT_REVOLUTE},  {"continuous", CLV_JOINT_REVOLUTE}, {"prismatic", CLV_JOINT_PRISMATIC},
             {"fixed", CLV_JOINT_FIXED},        {"floating", CLV_JOINT_FREE},       {"planar", CLV_JOINT_PLANAR},
             {"spherical", CLV_JOINT_SPHERICAL}};

static bool read_kind(clv_import *I, unsigned node, clv_joint_kind *kind)
{
    const char *type = clv_import_need(I, node, "type");
    for (size_t i = 0; type && i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(type, kinds[i].name) == 0)
            return *kind = kinds[i].kind, true;
    if (type)
        clv_import_fail(I, node, "types are revolute, continuous, prismatic, fixed, floating, planar",
                        "unknown type of joint '%.60s'", type);
    return false;
}

/* Link named by <parent link=...> or <child link=...>; -1 after an error. */
static int read_end(clv_import *I, unsigned node, const char *which)
{
    const unsigned end = clv_xml_child(&I->xml, node, which);
    const char *link = end ? clv_import_need(I, end, "link") : NULL;
    size_t index;
    if (!end)
        clv_import_fail(I, node, "", "the joint has no <%s>", which);
    if (!link)
        return -1;
    if (clv_map_find(&I->links, link, &index))
        return (int)index;
    clv_import_fail(I, end, "is the name spelt as in <link name=...>?", "there is no link '%.100s'", link);
    return -1;
}

/* z of E along <axis>; x where none is given. */
static void read_axis(clv_import *I, unsigned node, clv_rod *j)
{
    const unsigned axis = clv_xml_child(&I->xml, node, "axis");
    double xyz[3] = {1, 0, 0};
    const double none[3] = {0, 0, 0};
    if (axis)
        clv_import_numbers(I, axis, "xyz", xyz, 3);
    const bool counts = j->kind == CLV_JOINT_REVOLUTE || j->kind == CLV_JOINT_PRISMATIC || j->kind == CLV_JOINT_PLANAR;
    if (counts && !clv_rotation_frame(j->E, xyz, none))
        clv_import_fail(I, axis ? axis : node, "write a direction, as xyz=\"0 0 1\"", "the axis has no direction");
}

/* ---------------------------------------------------------------- limits, friction */

/* A limit that may be missing or infinite. */
static double read_limit(clv_import *I, unsigned node, const char *attribute, double standard)
{
    const char *text = clv_xml_get(&I->xml, node, attribute);
    double x = standard;
    return text && clv_import_infinite(text, &x) ? x : clv_import_number(I, node, attribute, standard);
}

static void read_limits(clv_import *I, unsigned node, clv_rod *j, bool continuous)
{
    const unsigned n = clv_xml_child(&I->xml, node, "limit");
    if (!n)
        return;
    const double effort = read_limit(I, n, "effort", INFINITY), velocity = read_limit(I, n, "velocity", INFINITY),
                 lower = read_limit(I, n, "lower", 0), upper = read_limit(I, n, "upper", 0);
    const bool any = clv_xml_get(&I->xml, n, "lower") || clv_xml_get(&I->xml, n, "upper");
    const bool single = j->kind == CLV_JOINT_REVOLUTE || j->kind == CLV_JOINT_PRISMATIC;
    if (!single && j->kind != CLV_JOINT_PLANAR && j->kind != CLV_JOINT_FREE)
        return;
    if (!single && effort > 0 && isfinite(effort))
        clv_import_drop(I, n, false, "effort limit", "effort limit %g of joint '%s': it has no input", effort, j->name);
    else if (effort > 0 && isfinite(effort))
        j->limit[0] = -effort, j->limit[1] = effort;
    else if (isfinite(effort))
        clv_import_drop(I, n, false, "effort limit", "effort limit %g of joint '%s': read as no limit", effort,
                        j->name);
    if (continuous && any)
        clv_import_drop(I, n, false, "limits", "lower and upper of joint '%s': it is continuous", j->name);
    else if (any && (isfinite(lower) || isfinite(upper)) && (single || lower < upper))
        clv_import_limits(I, n, j, lower, upper);
    if (isfinite(velocity) && velocity > 0)
        clv_import_drop(I, n, false, "velocity limit", "velocity limit of joint '%s': %g", j->name, velocity);
}

static void read_dynamics(clv_import *I, unsigned node, clv_rod *j)
{
    const unsigned dynamics = clv_xml_child(&I->xml, node, "dynamics"),
                   n = dynamics ? dynamics : clv_xml_child(&I->xml, node, "joint_properties"); /* an older name */
    if (!n)
        return;
    const double damping = clv_import_number(I, n, "damping", 0), friction = clv_import_number(I, n, "friction", 0);
    if (j->kind == CLV_JOINT_FIXED)
        return;
    if (damping < 0)
        clv_import_fail(I, n, "", "the damping of joint '%s' is %g: it cannot be negative", j->name, damping);
    j->damping = damping;
    if (friction != 0)
        j->friction = friction, j->friction_node = n;
}

void clv_urdf_joint(clv_import *I, unsigned node)
{
    const char *name = clv_import_need(I, node, "name");
    clv_joint_kind kind = CLV_JOINT_FIXED;
    size_t same;
    if (name && clv_map_find(&I->rods, name, &same)) {
        clv_import_fail(I, node, "every joint needs a name of its own", "the name '%s' is given to two joints", name);
        return;
    }
    const bool known = read_kind(I, node, &kind);
    const int parent = read_end(I, node, "parent"), child = read_end(I, node, "child");
    if (!name || !known || parent < 0 || child < 0)
        return;
    if (!clv_map_add(&I->rods, name, I->nrod))
        clv_read_out_of_memory(I->r);
    clv_rod *j = clv_robot_rod(I, node, clv_import_name(I, node, name), kind);
    if (!j)
        return;
    j->parent = parent;
    j->child = child;
    j->input = kind == CLV_JOINT_REVOLUTE || kind == CLV_JOINT_PRISMATIC;
    clv_urdf_frame(I, node, &j->at);
    read_axis(I, node, j);
    read_limits(I, node, j, strcmp(clv_xml_get(&I->xml, node, "type"), "continuous") == 0);
    read_dynamics(I, node, j);
}

/* ---------------------------------------------------------------- mimic */

/* Follows a joint that cannot move: it stands at its offset. */
static void freeze(clv_import *I, clv_rod *j, unsigned mimic)
{
    clv_frame turn;
    clv_frame_identity(&turn);
    double z[3], q[4];
    clv_mat3_column(z, j->E, 2);
    if (j->kind == CLV_JOINT_PRISMATIC)
        clv_axpy3(turn.p, j->offset, z);
    else {
        clv_quat_axis_angle(q, z, j->offset);
        clv_quat_rotation(turn.R, q);
    }
    clv_frame_product(&j->at, &j->at, &turn);
    j->kind = CLV_JOINT_FIXED;
    j->first = -1;
    clv_import_drop(I, mimic, false, "mimic", "joint '%s' follows what does not move: it is fixed at %g", j->name,
                    j->offset);
}

/* Does the chain of followers that begins with `rod` come back to it? */
static bool follows_itself(const clv_import *I, int rod)
{
    int at = I->rod[rod].first;
    for (size_t k = 0; k < I->nrod && at >= 0 && at != rod; k++)
        at = I->rod[at].first;
    return at == rod;
}

void clv_urdf_mimic(clv_import *I, size_t rod)
{
    clv_rod *j = &I->rod[rod];
    const unsigned n = clv_xml_child(&I->xml, j->node, "mimic");
    const char *first = n ? clv_import_need(I, n, "joint") : NULL;
    size_t index;
    if (!first || j->kind == CLV_JOINT_FIXED)
        return;
    j->ratio = clv_import_number(I, n, "multiplier", 1);
    j->offset = clv_import_number(I, n, "offset", 0);
    j->input = 0;
    if (j->kind != CLV_JOINT_REVOLUTE && j->kind != CLV_JOINT_PRISMATIC)
        clv_import_fail(I, n, "", "joint '%s' has several coordinates: it cannot follow one", j->name);
    else if (!clv_map_find(&I->rods, first, &index))
        clv_import_drop(I, n, true, "mimic", "joint '%s' follows '%.100s', which does not exist", j->name, first);
    else if (I->rod[index].kind == CLV_JOINT_FIXED || j->ratio == 0)
        freeze(I, j, n);
    else if (I->rod[index].kind != CLV_JOINT_REVOLUTE && I->rod[index].kind != CLV_JOINT_PRISMATIC)
        clv_import_fail(I, n, "", "joint '%s' has several coordinates: none can be followed", I->rod[index].name);
    else {
        j->first = (int)index;
        if (follows_itself(I, (int)rod))
            clv_import_fail(I, n, "", "joint '%s' follows itself", j->name);
    }
}

/* ---------------------------------------------------------------- transmissions */

/* A number that is the text of an element inside an actuator or a transmission; NAN: not given. */
static double content(clv_import *I, unsigned n, const char *const *names)
{
    const char *end;
    for (; *names; names++) {
        const unsigned k = clv_xml_child(&I->xml, n, *names);
        const double value = k ? clv_text_number(clv_xml_content(&I->xml, k), &end) : NAN;
        if (k && (end == clv_xml_content(&I->xml, k) || *end || !isfinite(value)))
            clv_import_fail(I, k, "", "<%s> is not a number", *names);
        if (k)
            return value;
    }
    return NAN;
}

void clv_urdf_transmission(clv_import *I, unsigned node)
{
    static const char *const inertia[] = {"rotorInertia", "rotor_inertia", "motorInertia", "motor_inertia", NULL};
    static const char *const gear[] = {"mechanicalReduction", "mechanical_reduction", NULL};
    clv_xml *x = &I->xml;
    const unsigned joint = clv_xml_child(x, node, "joint"), actuator = clv_xml_child(x, node, "actuator");
    const char *name = clv_xml_get(x, node, "name"), *of = joint ? clv_xml_get(x, joint, "name") : NULL;
    size_t index;
    double J = actuator ? content(I, actuator, inertia) : NAN, n = actuator ? content(I, actuator, gear) : NAN;
    if (isnan(J))
        J = content(I, node, inertia);
    if (isnan(n))
        n = content(I, node, gear);
    if (isnan(n) && joint)
        n = content(I, joint, gear);
    clv_xml_see(x, node);
    if (isnan(J) || !of) {
        clv_import_drop(I, node, false, "transmission", "transmission '%.60s': it gives no rotor inertia",
                        name ? name : "");
        return;
    }
    if (!clv_map_find(&I->rods, of, &index) || I->rod[index].kind == CLV_JOINT_FIXED)
        clv_import_drop(I, node, true, "transmission", "transmission '%.60s': there is no moving joint '%.60s'",
                        name ? name : "", of);
    else if (J < 0)
        clv_import_fail(I, node, "", "the rotor inertia is %g: it cannot be negative", J);
    else
        I->rod[index].armature += J * (isnan(n) ? 1 : n * n);
}
