/* SPDX-License-Identifier: Apache-2.0
 * URDF: the file as a whole.  Links and joints first, then what refers to them; the tree; the side file of loops. */
#include "base/error.h"
#include "base/memory.h"
#include "io/import.h"
#include <string.h>

/* Elements and attributes that change no motion. */
const char *const clv_urdf_harmless[] = {"material",
                                         "sensor",
                                         "calibration",
                                         "safety_controller",
                                         "self_collision_checking",
                                         "contact",
                                         "group_state",
                                         "verbose",
                                         "contact_coefficients",
                                         "audio",
                                         "hardwareInterface",
                                         "robot@version",
                                         "robot@xsi:schemaLocation",
                                         "link@type",
                                         "visual@name",
                                         "collision@name",
                                         "visual",
                                         "collision",
                                         "group",
                                         "virtual_joint",
                                         "disable_collisions",
                                         "end_effector",
                                         "ros2_control",
                                         "collision_checking",
                                         "contents",
                                         "compliance",
                                         "material@name",
                                         "mesh@scale",
                                         "limit@current",
                                         "limit@gear_velocity",
                                         "limit@command_effort",
                                         "self_filter",
                                         NULL};

static bool is_xacro(const clv_xml *x, unsigned n)
{
    return strncmp(clv_xml_name(x, n), "xacro:", 6) == 0;
}

/* Xacro is a language of its own: a file must be expanded first. */
static bool expanded(clv_import *I, unsigned root)
{
    const clv_xml *x = &I->xml;
    for (unsigned n = root; n < x->nnode; n++)
        if (is_xacro(x, n)) {
            clv_import_fail(I, n, "run `xacro FILE.xacro > FILE.urdf` first (Debian, Ubuntu: ros-*-xacro; pip: xacro)",
                            "this is a xacro file: <%.60s> has not been expanded", clv_xml_name(x, n));
            return false;
        }
    return true;
}

/* Does anything inside change the motion?  Joints, springs and plugins of a simulator do. */
static bool gazebo_matters(const clv_xml *x, unsigned top)
{
    static const char *const word[] = {"joint",   "plugin",         "springStiffness", "springReference",
                                       "gravity", "turnGravityOff", "dampingFactor",   NULL};
    for (unsigned n = top + 1; n < x->nnode && x->node[n].parent >= top; n++)
        for (int k = 0; word[k]; k++)
            if (clv_xml_is(x, n, word[k]))
                return true;
    return false;
}

static void drop_gazebo(clv_import *I, unsigned n)
{
    const char *of = clv_xml_get(&I->xml, n, "reference");
    const bool matters = gazebo_matters(&I->xml, n);
    clv_import_drop(I, n, matters, "gazebo", "<gazebo>%s%.60s%s%s", of ? " of '" : "", of ? of : "", of ? "'" : "",
                    matters ? ", with joints, springs, gravity or plugins of Gazebo" : "");
    clv_xml_see(&I->xml, n);
}

/* One element under <robot>. */
static void read_element(clv_import *I, unsigned n)
{
    if (clv_xml_is(&I->xml, n, "link"))
        clv_urdf_link(I, n);
    else if (clv_xml_is(&I->xml, n, "joint"))
        clv_urdf_joint(I, n);
    else if (clv_xml_is(&I->xml, n, "gazebo"))
        drop_gazebo(I, n);
    else if (clv_xml_is(&I->xml, n, "material"))
        clv_xml_see(&I->xml, n); /* colours are looked up by name */
    else
        return;
    I->xml.node[n].seen = true;
}

/* A link's parent joint; two of them are an error. */
static void connect(clv_import *I)
{
    for (size_t k = 0; k < I->nrod; k++) {
        const clv_rod *j = &I->rod[k];
        clv_link *child = &I->link[j->child];
        if (child->up >= 0)
            clv_import_fail(I, j->node, "a URDF is a tree; loops are given in a side file (docs/robots.md)",
                            "link '%s' is the child of two joints, '%s' and '%s'", child->name, I->rod[child->up].name,
                            j->name);
        else if (j->child == j->parent)
            clv_import_fail(I, j->node, "", "joint '%s' connects link '%s' with itself", j->name, child->name);
        child->up = child->up >= 0 ? child->up : (int)k;
    }
}

/* A URDF has one root. */
static void find_root(clv_import *I)
{
    int root = -1;
    for (size_t i = 0; i < I->nlink; i++) {
        if (I->link[i].up >= 0)
            continue;
        if (root >= 0)
            clv_import_fail(I, I->link[i].node, "a URDF is one tree: add a joint that connects them",
                            "links '%s' and '%s' both have no parent joint", I->link[root].name, I->link[i].name);
        else
            root = (int)i;
    }
    if (root >= 0)
        I->link[root].floating = I->floating;
    if (I->nlink == 0)
        clv_import_fail(I, I->xml.node[0].first, "", "the robot has no links");
}

void clv_urdf_read(clv_import *I, unsigned root)
{
    const char *name = clv_xml_get(&I->xml, root, "name");
    I->format = "URDF";
    I->floating = I->r->robot.floating;
    if (!expanded(I, root))
        return;
    clv_read_title(I->r, name && *name ? clv_import_name(I, root, name) : NULL);
    for (int pass = 0; pass < 2; pass++) /* joints refer to links that may come later */
        for (unsigned n = clv_xml_child(&I->xml, root, NULL); n; n = clv_xml_next(&I->xml, n, NULL))
            if (clv_xml_is(&I->xml, n, "joint") == (pass == 1))
                read_element(I, n);
    if (I->r->nerror > 0 || I->r->memory)
        return;
    for (size_t k = 0; k < I->nrod; k++)
        clv_urdf_mimic(I, k);
    for (unsigned n = clv_xml_child(&I->xml, root, "transmission"); n; n = clv_xml_next(&I->xml, n, "transmission"))
        clv_urdf_transmission(I, n);
    connect(I);
    find_root(I);
    if (I->r->nerror == 0)
        clv_urdf_loops(I);
    clv_import_drop_unseen(I, clv_urdf_harmless);
}
