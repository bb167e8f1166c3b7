/* SPDX-License-Identifier: Apache-2.0
 * The mechanism of Fig. 1 and 2 of the branch-algorithm paper: 18 bodies, two loops, four branches.  The text keeps
 * only the two closures, 3 with 8 and 11 with 14; the rest of the graph, places, kinds of joints and numbers are ours.
 *
 *        1 -- 2 -- 3 == 8         branch 0: 0 to 5      floats in free flight
 *       /                \        branch 1: 6 to 8      loop 0 closes 3 with 8: a ball
 *      0 -- 4 -- 5 -- 6 -- 7      branch 2: 9 to 11     loop 1 closes 11 with 14: a sleeve on a rod, its point
 *                |    |           branch 3: 12 to 17    slides and turns against a spring and a damper
 *                9    12 -- 13 -- 15 -- 16 -- 17
 *                |           |
 *               10 -- 11 == 14                                     */
#include "examples/examples.h"
#include <stdio.h>
#include <string.h>

enum { BODIES = 18 };

typedef struct link18 {
    double at[3];        /* m, centre                                  */
    int parent;          /* -1: floats                                 */
    clv_joint_kind kind; /* half way between the centres               */
    double axis[3];
    double rate; /* rad/s or m/s, of the first degree of freedom */
    const char *branch;
} link18;

static const link18 body18[BODIES] = {
    {{0, 0, 0}, -1, CLV_JOINT_FREE, {0, 0, 1}, 0, "branch0"},
    {{1, 0.6, 0.1}, 0, CLV_JOINT_REVOLUTE, {0, 0, 1}, 0.4, "branch0"},
    {{2, 1.2, 0}, 1, CLV_JOINT_UNIVERSAL, {1, 0.6, 0}, -0.3, "branch0"},
    {{3, 1.4, -0.1}, 2, CLV_JOINT_REVOLUTE, {0, 0.3, 1}, 0.2, "branch0"},
    {{1, -0.4, 0}, 0, CLV_JOINT_UNIVERSAL, {1, -0.4, 0}, 0.5, "branch0"},
    {{2, -0.8, 0.1}, 4, CLV_JOINT_REVOLUTE, {0, 0, 1}, -0.2, "branch0"},
    {{3, -0.8, 0.2}, 5, CLV_JOINT_REVOLUTE, {0, 1, 0}, 0.3, "branch1"},
    {{4, -0.2, 0.1}, 6, CLV_JOINT_REVOLUTE, {0, 0, 1}, -0.4, "branch1"},
    {{4, 0.8, 0}, 7, CLV_JOINT_PRISMATIC, {0, 1, 0}, 0.2, "branch1"},
    {{2, -1.8, 0}, 5, CLV_JOINT_SPHERICAL, {0, 0, 1}, 0.3, "branch2"},
    {{2.6, -2.6, 0.1}, 9, CLV_JOINT_REVOLUTE, {0, 0, 1}, 0.4, "branch2"},
    {{3.6, -2.8, 0}, 10, CLV_JOINT_REVOLUTE, {0, 1, 1}, -0.3, "branch2"},
    {{4, -1.4, 0.1}, 6, CLV_JOINT_UNIVERSAL, {1, -0.6, 0}, 0.2, "branch3"},
    {{4.8, -2, 0}, 12, CLV_JOINT_REVOLUTE, {0, 0, 1}, 0.3, "branch3"},
    {{4.6, -2.8, 0.1}, 13, CLV_JOINT_REVOLUTE, {1, 0, 1}, -0.2, "branch3"},
    {{5.8, -2, 0}, 13, CLV_JOINT_CYLINDRICAL, {1, 0, 0}, 0.1, "branch3"},
    {{6.6, -1.6, 0.1}, 15, CLV_JOINT_SPHERICAL, {0, 0, 1}, -0.5, "branch3"},
    {{7.2, -1, 0}, 16, CLV_JOINT_REVOLUTE, {0, 0, 1}, 0.6, "branch3"},
};

static int join18(clv_example_build *b, const char *name, clv_joint_kind kind, int inboard, int outboard,
                  const double axis[3], int cut)
{
    clv_joint_desc d = clv_joint_desc_default(kind);
    d.name = name, d.a = inboard, d.b = outboard, d.global = true, d.cut = cut;
    for (int i = 0; i < 3; i++)
        d.at[i] = (body18[inboard].at[i] + body18[outboard].at[i]) / 2;
    memcpy(d.axis, axis, sizeof d.axis);
    if (!cut)
        d.has_u = true, d.u[0] = body18[outboard].rate;
    return clv_example_add_joint(b, &d);
}

static void spring18(clv_example_build *b, const char *name, int joint, int coordinate, double stiffness,
                     double damping)
{
    clv_force_desc f = clv_force_desc_default(CLV_FORCE_JOINT);
    f.name = name, f.joint = joint, f.coordinate = coordinate;
    f.stiffness = stiffness, f.damping = damping;
    clv_example_force(b, &f);
}

void clv_example_jsc18(clv_example_build *b, const double *param)
{
    static const double ball[3] = {0, 0, 1}, sleeve[3] = {1, 0, 0.05};
    (void)param;
    for (int i = 0; i < BODIES; i++) {
        const link18 *l = &body18[i];
        const double mass = i ? 2 : 20, J[3] = {0.1 * mass, (i ? 0.15 : 0.12) * mass, 0.2 * mass};
        char name[16];
        snprintf(name, sizeof name, "body%d", i);
        clv_body_desc d = clv_example_body(name, mass, J, l->at);
        d.branch = l->branch;
        if (i == 0)
            d.moving = true, d.velocity[0] = 0.1, d.angular_velocity[1] = 0.1, d.angular_velocity[2] = 0.2;
        clv_example_add_body(b, &d);
    }
    for (int i = 1; i < BODIES; i++)
        join18(b, NULL, body18[i].kind, body18[i].parent, i, body18[i].axis, 0);
    join18(b, "loop0", CLV_JOINT_SPHERICAL, 3, 8, ball, 1);
    const int loop1 = join18(b, "loop1", CLV_JOINT_CYLINDRICAL, 11, 14, sleeve, 1);
    spring18(b, "sleeve", loop1, 0, 40, 3);
    spring18(b, "twist", loop1, 1, 5, 0.5);
    spring18(b, "strut", 7, 0, 60, 2);  /* joint J8: 8 on 7     */
    spring18(b, "slide", 14, 0, 30, 2); /* joint J15: 15 on 13  */
    clv_example_marker(b, "tip", BODIES - 1, 0.3, 0.3, 0);
}
