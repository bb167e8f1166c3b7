/* SPDX-License-Identifier: Apache-2.0
 * Spatial examples: the Bricard mechanism of IFToMM benchmark A04 (square rods), a single loop of seven hinges, a
 * six-limbed floating robot, a satellite with folded solar arrays. */
#include "examples/examples.h"
#include "math/rotation.h"
#include "math/sincos.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Velocity of a body that moves rigidly with twist (v at the origin, w), its frame at d->position. */
static void move_rigidly(clv_body_desc *d, const double v[3], const double w[3])
{
    double t[3];
    clv_cross(t, w, d->position);
    for (int k = 0; k < 3; ++k) {
        d->velocity[k] = v[k] + t[k];
        d->angular_velocity[k] = w[k];
    }
    d->moving = true;
}

/* Five rods along the edges of a unit cube, ground is the sixth; the axis at each corner is normal to both edges.
 * Rods 1 m, 1 kg, square section of 0.1 m, body x along the rod. */
void clv_example_bricard(clv_example_build *b, const double *param)
{
    static const double P[6][3] = {{0, 0, 0}, {1, 0, 0}, {1, -1, 0}, {1, -1, 1}, {0, -1, 1}, {0, 0, 1}};
    static const double J[3] = {0.02 / 12, 1.01 / 12, 1.01 / 12};
    /* x along +x, -y, +z, -x, +y, with quaternions of quarter and half turns */
    const double s = sqrt(0.5);
    const double turn[5][4] = {{1, 0, 0, 0}, {s, 0, 0, -s}, {0.5, -0.5, -0.5, -0.5}, {0, 0, 1, 0}, {0, s, s, 0}};
    static const char *const name[5] = {"rod1", "rod2", "rod3", "rod4", "rod5"};
    (void)param;
    for (int i = 0; i < 5; ++i) {
        double centre[3];
        for (int k = 0; k < 3; ++k)
            centre[k] = (P[i][k] + P[i + 1][k]) / 2;
        clv_body_desc d = clv_example_body(name[i], 1, J, centre);
        memcpy(d.orientation, turn[i], sizeof d.orientation);
        clv_example_add_body(b, &d);
    }
    for (int i = 0; i < 6; ++i) {
        double before[3], after[3], axis[3];
        for (int k = 0; k < 3; ++k) {
            before[k] = P[i][k] - P[(i + 5) % 6][k];
            after[k] = P[(i + 1) % 6][k] - P[i][k];
        }
        clv_cross(axis, before, after);
        clv_example_hinge(b, i - 1, i < 5 ? i : CLV_GROUND, P[i], axis);
    }
}

void clv_example_loop7(clv_example_build *b, const double *param)
{
    static const double P[7][3] = {{0, 0, 0},     {.3, 0, .8},   {1, .4, 1.1}, {1.6, -.2, .7},
                                   {2.1, .3, .9}, {2.5, .1, .3}, {2.2, -.3, -.2}};
    static const double axis[7][3] = {{0, 0, 1},   {1, 0, .2}, {0, 1, .3}, {.5, .5, 1},
                                      {1, -.4, 0}, {0, .3, 1}, {.2, 1, 0}};
    (void)param;
    for (int i = 0; i < 6; ++i) {
        char name[16];
        double centre[3];
        const double J[3] = {.1 + .01 * i, .15, .2 - .01 * i};
        for (int k = 0; k < 3; ++k)
            centre[k] = (P[i][k] + P[i + 1][k]) / 2;
        snprintf(name, sizeof name, "B%d", i + 1);
        clv_body_desc d = clv_example_body(name, 1 + .2 * i, J, centre);
        clv_example_add_body(b, &d);
    }
    for (int i = 0; i < 7; ++i)
        clv_example_hinge(b, i - 1, i < 6 ? i : CLV_GROUND, P[i], axis[i]);
}

/* Base of 10 kg, six limbs at radius 0.3 m, 60 degrees apart, each of six links of 0.25 m reaching outwards; axes z, y,
 * x, z, y, x of the limb.  Everything starts with one slow rigid motion. */
void clv_example_robot(clv_example_build *b, const double *param)
{
    static const double v[3] = {0.1, 0.2, -0.1}, w[3] = {0.3, -0.2, 0.5};
    static const double base_J[3] = {1, 1, 1}, link_J[3] = {0.02, 0.02, 0.02}, origin[3] = {0, 0, 0};
    const double half = CLV_PI / 6;
    (void)param;
    clv_body_desc base = clv_example_body("base", 10, base_J, origin);
    move_rigidly(&base, v, w);
    clv_example_add_body(b, &base);
    for (int limb = 0; limb < 6; ++limb) {
        double s, c;
        clv_sincos(2 * limb * half, &s, &c);
        const double axis[3][3] = {{0, 0, 1}, {-s, c, 0}, {c, s, 0}};
        for (int link = 0; link < 6; ++link) {
            char name[16];
            snprintf(name, sizeof name, "L%d%d", limb + 1, link + 1);
            double reach = 0.3 + 0.25 * link;
            const double at[3] = {reach * c, reach * s, 0};
            clv_body_desc d = clv_example_body(name, 1, link_J, at);
            d.com[0] = 0.125;
            clv_sincos(limb * half, &d.orientation[3], &d.orientation[0]);
            move_rigidly(&d, v, w);
            int body = clv_example_add_body(b, &d);
            clv_example_hinge(b, link ? body - 1 : 0, body, at, axis[link % 3]);
        }
    }
}

/* Bus of 200 kg, two arrays of three panels (1 m x 2 m, 4 kg) on its +x and -x faces with hinges along z, folded like
 * an accordion at the start; a spring and a damper in every hinge unfold them while the satellite spins slowly. */
void clv_example_satellite(clv_example_build *b, const double *param)
{
    static const double bus_J[3] = {40, 50, 45}, origin[3] = {0, 0, 0}, panel_J[3] = {1.34, 1.67, 0.34};
    static const double fold[3] = {1.4, -2.9, 2.9}; /* rad, 0 is unfolded */
    (void)param;
    clv_body_desc bus = clv_example_body("bus", 200, bus_J, origin);
    bus.moving = true;
    bus.angular_velocity[0] = 0.02;
    bus.angular_velocity[2] = 0.05;
    clv_example_add_body(b, &bus);
    for (int side = 0; side < 2; ++side)
        for (int i = 0; i < 3; ++i) {
            char panel[16], spring[24];
            double out = side ? -1 : 1;
            snprintf(panel, sizeof panel, "%s%d", side ? "left" : "right", i + 1);
            snprintf(spring, sizeof spring, "%s-spring", panel);
            clv_body_desc d = clv_body_desc_default();
            d.name = panel;
            d.mass = 4;
            d.com[0] = 0.5 * out;
            memcpy(d.inertia, panel_J, sizeof panel_J);
            int body = clv_example_add_body(b, &d);

            clv_joint_desc j = clv_joint_desc_default(CLV_JOINT_REVOLUTE);
            j.a = i ? body - 1 : 0;
            j.b = body;
            j.position_a[0] = out * (i ? 1 : 0.6);
            j.has_q = true;
            j.q[0] = out * fold[i];
            int joint = clv_example_add_joint(b, &j);

            clv_force_desc f = clv_force_desc_default(CLV_FORCE_JOINT);
            f.name = spring;
            f.joint = joint;
            f.stiffness = 1;
            f.damping = 2;
            clv_example_force(b, &f);
        }
    clv_example_marker(b, "tip", 3, 1, 0, 0);
}
