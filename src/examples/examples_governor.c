/* SPDX-License-Identifier: Apache-2.0
 * Stiff example: a flyball governor in the spirit of IFToMM benchmark A05, with numbers of our own.  A turning shaft
 * carries two arms of 1 m with balls and a slider; the couplers between slider and arm midpoints are spring-dampers, so
 * stiff that an explicit integrator has to follow them with steps of some ten microseconds.
 *
 *        o  hinges at (0, 0, 1)
 *       / \           arm: 30 degrees from the shaft at the start
 *      /\ /\          coupler: midpoint of the arm to the slider, 0.5 m, at rest length at the start
 *     O  s  O   */
#include "math/rotation.h"
#include "math/sincos.h"
#include "examples/examples.h"
#include <math.h>
#include <string.h>

/* Body at `position`, turning with the shaft. */
static int add_turning(clv_example_build *b, const char *name, double mass, const double J[3], const double position[3])
{
    clv_body_desc d = clv_example_body(name, mass, J, position);
    d.moving = true;
    d.angular_velocity[2] = 2 * CLV_PI;
    clv_cross(d.velocity, d.angular_velocity, position);
    return clv_example_add_body(b, &d);
}

static void add_coupler(clv_example_build *b, const char *name, int slider, int arm, const double middle[3],
                        const double *param)
{
    clv_force_desc f = clv_force_desc_default(CLV_FORCE_SPRING);
    f.name = name;
    f.a = slider;
    f.b = arm;
    memcpy(f.point_b, middle, sizeof f.point_b);
    f.stiffness = param[0];
    f.damping = param[1];
    f.rest = 0.5;
    clv_example_force(b, &f);
}

void clv_example_governor(clv_example_build *b, const double *param)
{
    static const double shaft_J[3] = {.1, .1, .05}, arm_J[3] = {.45, .45, .05}, slider_J[3] = {.01, .01, .005};
    static const double origin[3] = {0, 0, 0}, y[3] = {0, 1, 0}, top[3] = {0, 0, 1};
    static const char *const arm_name[2] = {"arm1", "arm2"}, *const coupler[2] = {"coupler1", "coupler2"};
    const double c = sqrt(0.75), low[3] = {0, 0, 1 - c};
    int shaft = add_turning(b, "shaft", 5, shaft_J, origin), arm[2];
    for (int i = 0; i < 2; ++i) {
        const double ball[3] = {i ? -0.5 : 0.5, 0, 1 - c};
        arm[i] = add_turning(b, arm_name[i], 5, arm_J, ball);
    }
    int slider = add_turning(b, "slider", 1, slider_J, low);
    clv_example_hinge(b, CLV_GROUND, shaft, origin, NULL);
    clv_example_hinge(b, shaft, arm[0], top, y);
    clv_example_hinge(b, shaft, arm[1], top, y);
    clv_joint_desc j = clv_joint_desc_default(CLV_JOINT_PRISMATIC);
    j.a = shaft;
    j.b = slider;
    j.global = true;
    memcpy(j.at, low, sizeof j.at);
    j.axis[2] = 1;
    clv_example_add_joint(b, &j);
    for (int i = 0; i < 2; ++i) { /* body frames lie at the balls, half an arm below the midpoints */
        const double middle[3] = {i ? 0.25 : -0.25, 0, c / 2};
        add_coupler(b, coupler[i], slider, arm[i], middle, param);
    }
    clv_example_marker(b, "ball", arm[0], 0, 0, 0);
    clv_example_marker(b, "sleeve", slider, 0, 0, 0);
}
