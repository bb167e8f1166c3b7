/* SPDX-License-Identifier: Apache-2.0
 * Planar examples: everything turns about z.  Bodies carry their frame at the centre of mass and start with body axes =
 * global axes unless a line says otherwise.  Geometry of the loops: hdca-case1..3 after the single and coupled loops of
 * the 2017 HDCA paper (U-shaped start), aldca-coupled after the 2012 ALDCA paper, four-bar-ladder after IFToMM
 * benchmark A02. */
#include "examples/examples.h"
#include "math/sincos.h"
#include <math.h>
#include <stdio.h>

static const double UNIT[3] = {1, 1, 1};

/* Bar from p to q (x, y): body B<number> with its frame in the middle. */
static int bar(clv_example_build *b, int number, const double p[2], const double q[2], const double J[3])
{
    char name[16];
    snprintf(name, sizeof name, "B%d", number);
    const double middle[3] = {(p[0] + q[0]) / 2, (p[1] + q[1]) / 2, 0};
    clv_body_desc d = clv_example_body(name, 1, J, middle);
    return clv_example_add_body(b, &d);
}

static void pin(clv_example_build *b, int inboard, int outboard, const double p[2])
{
    const double at[3] = {p[0], p[1], 0};
    clv_example_hinge(b, inboard, outboard, at, NULL);
}

/* The pin that completes a loop: the loop joint if `cut`, else as the planner chooses. */
static void last_pin(clv_example_build *b, int inboard, int outboard, const double p[2], bool cut)
{
    clv_joint_desc d = clv_joint_desc_default(CLV_JOINT_REVOLUTE);
    d.a = inboard, d.b = outboard, d.global = true;
    d.at[0] = p[0], d.at[1] = p[1];
    d.cut = cut ? 1 : -1;
    clv_example_add_joint(b, &d);
}

/* n bars between n+1 points, the first and the last point pinned to ground. */
static void bars_pinned(clv_example_build *b, const double (*p)[2], int n, const double J[3], bool cut)
{
    for (int i = 0; i < n; ++i)
        bar(b, i + 1, p[i], p[i + 1], J);
    for (int i = 0; i < n; ++i)
        pin(b, i - 1, i, p[i]);
    last_pin(b, n - 1, CLV_GROUND, p[n], cut);
}

/* A rigid body with its centre of mass at 1/2 m and J = 1/4 moves exactly like a point mass of 1 kg on 1 m:
 * marker `mass`. */
void clv_example_pendulum(clv_example_build *b, const double *param)
{
    (void)param;
    const double J[3] = {0.25, 0.25, 0.25}, centre[3] = {-0.5, 0, 0}, pivot[3] = {0, 0, 0};
    clv_body_desc d = clv_example_body("P", 1, J, centre);
    int body = clv_example_add_body(b, &d);
    clv_example_hinge(b, CLV_GROUND, body, pivot, NULL);
    clv_example_marker(b, "mass", body, -0.5, 0, 0);
}

/* Frames at the inboard joints and start angles instead of poses: the long form of joints. */
void clv_example_double_pendulum(clv_example_build *b, const double *param)
{
    (void)param;
    static const double angle[2] = {2.2, -0.9}; /* rad; 0 hangs straight down */
    static const char *const name[2] = {"upper", "lower"};
    for (int i = 0; i < 2; ++i) {
        clv_body_desc d = clv_body_desc_default();
        d.name = name[i];
        d.mass = 1;
        d.com[1] = -0.5;
        d.inertia[0] = d.inertia[2] = 1.0 / 12;
        d.inertia[1] = 0.001;
        clv_example_add_body(b, &d);
        clv_joint_desc j = clv_joint_desc_default(CLV_JOINT_REVOLUTE);
        j.a = i - 1;
        j.b = i;
        j.position_a[1] = -i;
        j.has_q = true;
        j.q[0] = angle[i];
        clv_example_add_joint(b, &j);
    }
    clv_example_marker(b, "tip", 1, 0, -1, 0);
}

/* Links whose axes are z of joint frames turned about x by -1.1 rad and a quarter turn in turn, centres of mass beside
 * the lines between the joints, any angles and rates: nothing in it is zero or aligned.  For speed (bench/rates.c). */
static void skew_chain(clv_example_build *b, int n)
{
    for (int i = 0; i < n; ++i) {
        char name[16];
        double c;
        snprintf(name, sizeof name, "B%d", i + 1);
        clv_body_desc d = clv_body_desc_default();
        d.name = name, d.mass = 1;
        d.com[0] = 0.5, d.com[1] = 0.1;
        d.inertia[0] = d.inertia[1] = d.inertia[2] = 1;
        clv_example_add_body(b, &d);
        clv_joint_desc j = clv_joint_desc_default(CLV_JOINT_REVOLUTE);
        j.a = i - 1, j.b = i;
        j.position_a[0] = i > 0;
        clv_sincos(i % 2 ? CLV_PI / 4 : -0.55, &j.orientation_a[1], &j.orientation_a[0]);
        j.has_q = j.has_u = true;
        clv_sincos(1.7 * i + 0.3, &j.q[0], &c);
        j.q[0] *= 3;
        clv_sincos(2.3 * i, &c, &j.u[0]);
        clv_example_add_joint(b, &j);
    }
    clv_example_marker(b, "tip", n - 1, 1, 0, 0);
}

/* Thin links of 1 m along x from the origin; spatial = 1: axes z, y, z, y, ...; 2: as above */
void clv_example_chain(clv_example_build *b, const double *param)
{
    if (param[1] == 2) {
        skew_chain(b, (int)param[0]);
        return;
    }
    static const double J[3] = {0.01, 1.0 / 12, 1.0 / 12}, y[3] = {0, 1, 0};
    int n = (int)param[0];
    bool spatial = param[1] != 0;
    for (int i = 0; i < n; ++i) {
        const double p[2] = {i, 0}, q[2] = {i + 1, 0}, at[3] = {i, 0, 0};
        int body = bar(b, i + 1, p, q, J);
        clv_example_hinge(b, i - 1, body, at, spatial && i % 2 ? y : NULL);
    }
    clv_example_marker(b, "tip", n - 1, 0.5, 0, 0);
}

/* Links of 1 m as the sides of half a regular polygon of 2n corners, hanging below the pins; body x along the link. */
void clv_example_chain_closed(clv_example_build *b, const double *param)
{
    static const double J[3] = {0.01, 1.0 / 12, 1.0 / 12};
    int n = (int)param[0];
    double step = CLV_PI / n, s, c;
    clv_sincos(step / 2, &s, &c);
    double radius = 0.5 / s, depth = radius * c;
    for (int i = 0; i < n; ++i) {
        char name[16];
        snprintf(name, sizeof name, "B%d", i + 1);
        double middle = (i + 0.5) * step, turn = middle - CLV_PI / 2;
        clv_sincos(middle, &s, &c);
        const double centre[3] = {-depth * c, -depth * s, 0};
        clv_body_desc d = clv_example_body(name, 1, J, centre);
        clv_sincos(turn / 2, &d.orientation[3], &d.orientation[0]);
        clv_example_add_body(b, &d);
        clv_sincos(i * step, &s, &c);
        const double p[2] = {-radius * c, -radius * s};
        pin(b, i - 1, i, p);
    }
    const double end[2] = {radius, 0};
    pin(b, n - 1, CLV_GROUND, end);
    clv_example_marker(b, "middle", n / 2, -0.5, 0, 0);
}

/* Joint k at x = 2k h, centre of mass at x = (2k+1) h, y = sin x, h = pi/16. */
void clv_example_sine_chain(clv_example_build *b, const double *param)
{
    (void)param;
    const double h = CLV_PI / 16;
    for (int i = 0; i < 16; ++i) {
        char name[16];
        snprintf(name, sizeof name, "B%d", i + 1);
        double at_joint, at_centre, c;
        clv_sincos((2 * i + 1) * h, &at_centre, &c);
        clv_sincos(2 * i * h, &at_joint, &c);
        const double centre[3] = {(2 * i + 1) * h, at_centre, 0}, p[2] = {2 * i * h, at_joint};
        clv_body_desc d = clv_example_body(name, 1, UNIT, centre);
        clv_example_add_body(b, &d);
        pin(b, i - 1, i, p);
    }
}

static const double U4[5][2] = {{0, 0}, {0, -1}, {1, -1}, {2, -1}, {2, 0}};

/* Parameter 0: the last pin of each loop is its loop joint, as in (62)-(68) of the paper.
 *  o       o
 *  |       |
 *  o---K---o    K: the middle joint */
void clv_example_hdca1(clv_example_build *b, const double *param)
{
    bars_pinned(b, U4, 4, UNIT, param[0] != 0);
    clv_example_marker(b, "K", 1, 0.5, 0, 0);
}

void clv_example_hdca2(clv_example_build *b, const double *param)
{
    static const double U8[9][2] = {{0, 0}, {0, -1}, {0, -2}, {1, -2}, {2, -2}, {3, -2}, {4, -2}, {4, -1}, {4, 0}};
    bars_pinned(b, U8, 8, UNIT, param[0] != 0);
    clv_example_marker(b, "K", 3, 0.5, 0, 0);
}

/* Four more bars through p[0..4], hung from bodies `from` and `to`. */
static void lower_loop(clv_example_build *b, const double (*p)[2], int from, int to, const double J[3], bool cut)
{
    for (int i = 0; i < 4; ++i)
        bar(b, i + 5, p[i], p[i + 1], J);
    pin(b, from, 4, p[0]);
    for (int i = 1; i < 4; ++i)
        pin(b, 3 + i, 4 + i, p[i]);
    last_pin(b, 7, to, p[4], cut);
}

/* The lower loop hangs from the lower end of body 1 and of body 4; K as in hdca-case1. */
void clv_example_hdca3(clv_example_build *b, const double *param)
{
    static const double lower[5][2] = {{0, -1}, {0, -2}, {1, -2}, {2, -2}, {2, -1}};
    bars_pinned(b, U4, 4, UNIT, param[0] != 0);
    lower_loop(b, lower, 0, 3, UNIT, param[0] != 0);
    clv_example_marker(b, "K", 1, 0.5, 0, 0);
}

/* Lengths a = 0.2 m; the lower loop starts and ends on body 3. */
void clv_example_aldca(clv_example_build *b, const double *param)
{
    static const double J[3] = {0.25, 0.25, 0.25};
    const double a = 0.2, deep = (-2 - sqrt(3.0) / 2) * a;
    const double lower[5][2] = {{a, -a}, {a, -2 * a}, {1.5 * a, deep}, {2 * a, -2 * a}, {2 * a, -a}};
    const double upper[5][2] = {{0, 0}, {0, -a}, {a, -a}, {2 * a, -a}, {2 * a, 0}};
    (void)param;
    bars_pinned(b, upper, 4, J, false);
    lower_loop(b, lower, 2, 2, J, false);
}

/* Bars of a = 0.2 m at 45 degrees, all pins on the rhombus; both pins on ground at its top.  The motion stays symmetric
 * and folds all bars onto one vertical line, where the loop loses a row, and opens again on the other side.
 *      o
 *    B4  B1
 *   o      o
 *    B3  B2
 *      o   */
void clv_example_five_bar(clv_example_build *b, const double *param)
{
    static const double J[3] = {0.25, 0.25, 0.25};
    const double s = 0.2 * sqrt(0.5);
    const double corner[5][2] = {{0, 0}, {s, -s}, {0, -2 * s}, {-s, -s}, {0, 0}};
    (void)param;
    bars_pinned(b, corner, 4, J, false);
    clv_example_marker(b, "bottom", 1, 0.1, 0, 0);
}

/* N windows of thin rods of 1 m and 1 kg: uprights V0..VN on ground, bars H1..HN on top, all moving right at the start.
 *  o--H1--o--H2--o
 *  V0     V1     V2
 *  =      =      =    */
void clv_example_ladder(clv_example_build *b, const double *param)
{
    static const double J[3] = {1.0 / 12, 1.0 / 12, 1.0 / 12};
    int n = (int)param[0];
    double speed = param[1];
    char name[16];
    for (int i = 0; i <= n; ++i) {
        const double centre[3] = {i, 0.5, 0};
        snprintf(name, sizeof name, "V%d", i);
        clv_body_desc d = clv_example_body(name, 1, J, centre);
        d.moving = true;
        d.velocity[0] = speed / 2;
        d.angular_velocity[2] = -speed;
        clv_example_add_body(b, &d);
    }
    for (int i = 0; i < n; ++i) {
        const double centre[3] = {i + 0.5, 1, 0};
        snprintf(name, sizeof name, "H%d", i + 1);
        clv_body_desc d = clv_example_body(name, 1, J, centre);
        d.moving = true;
        d.velocity[0] = speed;
        clv_example_add_body(b, &d);
    }
    for (int i = 0; i <= n; ++i) {
        const double foot[2] = {i, 0};
        pin(b, CLV_GROUND, i, foot);
    }
    for (int i = 0; i < n; ++i) {
        const double left[2] = {i, 1};
        pin(b, i, n + 1 + i, left);
    }
    for (int i = 0; i < n; ++i) {
        const double right[2] = {i + 1, 1};
        pin(b, n + 1 + i, i + 1, right);
    }
    clv_example_marker(b, "B0", 0, 0, 0.5, 0);
}
