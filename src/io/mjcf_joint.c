/* SPDX-License-Identifier: Apache-2.0
 * MJCF: joints.  They act one after the other, each in the frame that the ones before it have moved: before a
 * body with n joints there are n - 1 hidden links without mass. Coordinates are those of qpos: `ref` is the coordinate
 * in the reference position. */
#include "base/error.h"
#include "io/mjcf.h"
#include "math/rotation.h"
#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- the kind and its axis */

static clv_joint_kind read_kind(clv_mjcf *M, clv_item e)
{
    static const char *const words[] = {"hinge", "slide", "ball", "free", NULL};
    static const clv_joint_kind kinds[] = {CLV_JOINT_REVOLUTE, CLV_JOINT_PRISMATIC, CLV_JOINT_SPHERICAL,
                                           CLV_JOINT_FREE};
    if (clv_xml_is(&M->I->xml, e.node, "freejoint"))
        return CLV_JOINT_FREE;
    const int kind = clv_mjcf_choice(M, e, "type", words, 0);
    return kind < 0 ? CLV_JOINT_FIXED : kinds[kind];
}

static bool is_single(const clv_rod *j)
{
    return j->kind == CLV_JOINT_REVOLUTE || j->kind == CLV_JOINT_PRISMATIC;
}

static void read_axis(clv_mjcf *M, clv_item e, const clv_frame *about, clv_rod *j)
{
    const double none[3] = {0, 0, 0};
    double axis[3] = {0, 0, 1}, pos[3] = {0, 0, 0}, turned[3];
    clv_mjcf_numbers(M, e, "axis", axis, 3);
    clv_mjcf_numbers(M, e, "pos", pos, 3);
    if (j->kind == CLV_JOINT_FREE)
        return;
    clv_mat3_times(j->point, about->R, pos);
    clv_axpy3(j->point, 1, about->p);
    clv_mat3_times(turned, about->R, axis);
    if (is_single(j) && !clv_rotation_frame(j->E, turned, none))
        clv_import_fail(M->I, e.node, "write a direction, as axis=\"0 0 1\"", "the axis has no direction");
}

/* The unit of angles of a joint: 1 along slides. */
static double unit_of(const clv_mjcf *M, const clv_rod *j)
{
    return j->kind == CLV_JOINT_PRISMATIC ? 1 : M->c.angle;
}

/* The body is in its reference position at the coordinate `ref`. */
static void read_reference(clv_mjcf *M, clv_item e, clv_rod *j)
{
    clv_frame back;
    double z[3], q[4], moved[3];
    const double ref = clv_mjcf_number(M, e, "ref", 0) * unit_of(M, j);
    if (ref == 0 || !is_single(j))
        return;
    clv_frame_identity(&back);
    clv_mat3_column(z, j->E, 2);
    if (j->kind == CLV_JOINT_PRISMATIC)
        clv_axpy3(back.p, -ref, z);
    else {
        clv_quat_axis_angle(q, z, -ref);
        clv_quat_rotation(back.R, q);
        clv_mat3_times(moved, back.R, j->point);
        clv_sub3(back.p, j->point, moved);
    }
    clv_frame_product(&j->at, &j->at, &back);
    j->reference = j->q[0] = ref;
    j->has_q = true;
}

/* ---------------------------------------------------------------- springs, dampers, rotors */

/* The first number; more of them make a polynomial. */
static double linear(clv_mjcf *M, clv_item e, const char *attribute, const char *joint)
{
    double x[8] = {0};
    const int n = clv_mjcf_some(M, e, attribute, x, 8);
    for (int i = 1; i < n; i++)
        if (x[i] != 0) {
            clv_import_drop(M->I, e.node, true, "polynomial", "%s of joint '%s': terms of higher order", attribute,
                            joint);
            break;
        }
    if (x[0] < 0)
        clv_import_fail(M->I, e.node, "", "the %s of joint '%s' is %g: it cannot be negative", attribute, joint, x[0]);
    return x[0];
}

static void read_spring(clv_mjcf *M, clv_item e, clv_rod *j)
{
    double pair[2] = {0, 0};
    const double damping = linear(M, e, "damping", j->name), stiffness = linear(M, e, "stiffness", j->name);
    j->rest = clv_mjcf_number(M, e, "springref", 0) * unit_of(M, j);
    j->armature = clv_mjcf_number(M, e, "armature", 0);
    if (j->armature < 0)
        clv_import_fail(M->I, e.node, "", "the armature of joint '%s' is %g: it cannot be negative", j->name,
                        j->armature);
    if (!M->off.damper)
        j->damping = damping;
    if (!M->off.spring && is_single(j))
        j->stiffness = stiffness;
    else if (!M->off.spring && stiffness > 0)
        clv_import_drop(M->I, e.node, true, "stiffness", "stiffness of joint '%s', which is not a hinge or slide: %g",
                        j->name, stiffness);
    if (clv_mjcf_numbers(M, e, "springdamper", pair, 2) && (pair[0] > 0 || pair[1] > 0))
        clv_import_drop(M->I, e.node, true, "springdamper",
                        "springdamper of joint '%s': stiffness and damping by MuJoCo's inertia", j->name);
}

/* ---------------------------------------------------------------- limits, friction */

static void read_limits(clv_mjcf *M, clv_item e, clv_rod *j)
{
    double x[2];
    const double unit = unit_of(M, j), friction = clv_mjcf_number(M, e, "frictionloss", 0);
    if (clv_mjcf_limited(M, e, "limited", "range", x) && j->kind != CLV_JOINT_FREE && !M->off.limit)
        clv_import_limits(M->I, e.node, j, x[0] * unit, x[1] * unit);
    if (clv_mjcf_limited(M, e, "actuatorfrclimited", "actuatorfrcrange", x) && is_single(j) && !M->off.actuation)
        clv_import_drop(M->I, e.node, true, "effort limit", "limits of all actuators of joint '%s': %g to %g", j->name,
                        x[0], x[1]);
    if (friction > 0 && !M->off.frictionloss)
        j->friction = friction, j->friction_node = e.node;
    if (clv_mjcf_true(M, e, "actuatorgravcomp", false) && !M->by_actuators)
        M->by_actuators = e.node;
}

/* ---------------------------------------------------------------- joints of a body */

static int new_link(clv_mjcf *M, unsigned node, const char *name, const clv_frame *home, bool hidden)
{
    const int self = (int)M->I->nlink;
    const char *unique = clv_mjcf_unique(M, node, &M->bodies, name, (size_t)self);
    clv_frame *own = unique ? CLV_MJCF_MORE(M, home) : NULL;
    clv_link *l = own ? clv_robot_link(M->I, node, unique) : NULL;
    if (!l)
        return -1;
    *own = *home;
    l->hidden = hidden;
    return self;
}

static const char *joint_name(clv_mjcf *M, clv_item e, clv_joint_kind kind, const char *body)
{
    const char *name = clv_xml_get(&M->I->xml, e.node, "name");
    size_t same;
    if (!name || !*name)
        name = clv_import_text(M->I, kind == CLV_JOINT_FREE ? "%s.free" : "%s.joint", body);
    else if (clv_map_find(&M->I->rods, name, &same))
        clv_import_fail(M->I, e.node, "every joint needs a name of its own", "the name '%.100s' is given to two joints",
                        name);
    return name ? clv_mjcf_unique(M, e.node, &M->I->rods, name, M->I->nrod) : NULL;
}

/* MuJoCo may have its frame in the centre of mass, along the principal axes. */
static void read_align(clv_mjcf *M, clv_item e, const clv_rod *j)
{
    static const char *const words[] = {"false", "true", "auto", NULL};
    const int align = clv_mjcf_choice(M, (clv_item){.node = e.node, .class = -1}, "align", words, 2);
    if (align == 0 || (align == 2 && !M->c.align_free))
        return;
    M->aligned = true;
    clv_import_drop(M->I, e.node, j->damping > 0 || j->armature > 0, "align",
                    "align of joint '%s': its coordinates are those of the body frame as it is written", j->name);
}

/* A free joint: its coordinates are the pose of the body in the world. */
static void release(clv_mjcf *M, clv_item e, clv_rod *j)
{
    if (j->parent != 0 || M->njoint != 1)
        clv_import_fail(M->I, e.node, "", "a free joint is the only joint of a body in the world");
    read_align(M, e, j);
    clv_copy3(j->q, j->at.p);
    clv_quat_from_rotation(j->q + 3, j->at.R);
    clv_frame_identity(&j->at);
    j->has_q = true;
}

static bool read_joint(clv_mjcf *M, size_t k, const clv_frame *at, int parent, int child, const char *body)
{
    const clv_item e = M->joint[k];
    const clv_joint_kind kind = read_kind(M, e);
    const char *name = joint_name(M, e, kind, body);
    clv_rod *j = name ? clv_robot_rod(M->I, e.node, name, kind) : NULL;
    if (!j)
        return false;
    j->parent = parent;
    j->child = child;
    j->at = *at;
    if (clv_xml_is(&M->I->xml, e.node, "joint")) {
        read_axis(M, e, &M->about[k], j);
        read_reference(M, e, j);
        read_spring(M, e, j);
        read_limits(M, e, j);
    }
    if (kind == CLV_JOINT_FREE)
        release(M, e, j);
    return true;
}

int clv_mjcf_joints(clv_mjcf *M, unsigned body, int parent, const clv_frame *at, const char *name)
{
    clv_frame home, unit;
    clv_frame_identity(&unit);
    clv_frame_product(&home, &M->home[parent], at);
    for (size_t k = 0; k + 1 < M->njoint; k++) {
        const char *hidden = clv_import_text(M->I, "%s.%zu", name, k + 1);
        const int link = hidden ? new_link(M, body, hidden, &home, true) : -1;
        if (link < 0 || !read_joint(M, k, k == 0 ? at : &unit, parent, link, name))
            return -1;
        M->I->link[link].up = (int)M->I->nrod - 1;
        parent = link;
    }
    const int self = new_link(M, body, name, &home, false);
    if (self < 0)
        return -1;
    if (M->njoint > 0) {
        if (!read_joint(M, M->njoint - 1, M->njoint == 1 ? at : &unit, parent, self, name))
            return -1;
    } else {
        clv_rod *j = clv_robot_rod(M->I, body, name, CLV_JOINT_FIXED);
        if (!j)
            return -1;
        j->parent = parent, j->child = self, j->at = *at;
    }
    M->I->link[self].up = (int)M->I->nrod - 1;
    return self;
}
