/* SPDX-License-Identifier: Apache-2.0
 * The Multi-Mission Space Exploration Vehicle of JSC section IV, Fig. 3: a crew module on three legs anchored to a
 * small planet, two arms that hold one payload.  35 hinges and a floating root: 41 degrees of freedom; three rigid
 * closures leave 23. The flexible vehicle has 64 modes in its ten booms.
 *
 *                 boom1 /\ boom2          limb: seven links from the crew module outwards, each with a hinge on its
 *      link1 link2     /  \               inboard end along its own x (roll), z (yaw) or y (pitch); the last is welded
 *   crew ==o===o======o    o link5        to planet or payload.  A limb lies in a vertical plane at the start, so its
 *                           \\ link6      points are plane; body frames at inboard ends, x outwards, y normal to it.
 *                            \\ link7 = planet
 *
 * Numbers are ours: the paper gives none ("fictitious mass properties"), and no task.  Nothing drives the vehicle from
 * outside.  Every hinge has a servo about its start.  The first pitch hinges of the arms push with 150 N m, the first
 * yaw hinge of one arm with 100 N m, for 0.9 s, and back from 1.1 to 1.9 s.  All starts with one rigid motion.
 * Momentum and angular momentum are constant; the energy changes by the work of servos and drives. */
#include "base/error.h"
#include "examples/examples.h"
#include "flexible/flex_beam.h"
#include "math/rotation.h"
#include "math/sincos.h"
#include "model/shape.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LINKS = 7, BOOM1 = 2, BOOM2 = 3 };

/* What legs and arms differ in. */
typedef struct limb_kind {
    double root[2], end[2];  /* m, of the start plane: first hinge, weld to planet or payload (distance, height) */
    double along[2];         /* direction of links 5 to 7                                                        */
    double link, boom;       /* m, lengths                                                                       */
    double mass;             /* kg, of a link                                                                    */
    double outer, inner;     /* m, tube of the booms                                                             */
    int modes[4];            /* of a boom: bending along y, along z, twist, stretch                              */
    double stiffness, damping; /* N m/rad, N m s/rad: servo of every hinge about its start                       */
} limb_kind;

static const limb_kind leg = {{1.2, 1.8}, {5, -1}, {-5.0 / 13, -12.0 / 13}, 0.2, 3, 20, 0.060, 0.055, {3, 3, 1, 1},
                              3e4,        60};
static const limb_kind arm = {{2.25, 3}, {6.5, 2.4}, {12.0 / 13, -5.0 / 13}, 0.2, 2.5, 10,
                              0.050,     0.047,      {2, 2, 0, 0},           500, 20};

typedef struct limb {
    const char *name, *branch;
    const limb_kind *kind;
    double turn, aside; /* of its plane: rad about z, m along its normal */
} limb;

typedef struct vehicle {
    clv_example_build *b;
    bool flexible;
    bool rigid; /* limbs of other branches are held by mounts welded to the crew module: connections of six rows */
    bool one;   /* all bodies in one branch                                                                   */
    int planet, crew, payload;
} vehicle;

static const char *branch_of(const vehicle *v, const char *name)
{
    return v->one ? "all" : name;
}

/* ---------------------------------------------------------------- geometry of a limb */

/* Points 0 .. 7 of the start plane: ends of the links.  Both booms are equally long, the knee is above. */
static void points(double P[LINKS + 1][2], const limb_kind *k)
{
    double between[2], half = 0;
    for (int i = 0; i < 2; i++) {
        P[0][i] = k->root[i], P[LINKS][i] = k->end[i];
        for (int n = 1; n <= BOOM1; n++)
            P[n][i] = k->root[i] + (i == 0 ? n * k->link : 0);
        for (int n = BOOM2 + 1; n < LINKS; n++)
            P[n][i] = k->end[i] - (LINKS - n) * k->link * k->along[i];
        between[i] = P[BOOM2 + 1][i] - P[BOOM1][i];
        half += between[i] * between[i] / 4;
    }
    half = sqrt(half);
    const double height = sqrt(k->boom * k->boom - half * half);
    P[BOOM2][0] = P[BOOM1][0] + between[0] / 2 - height * between[1] / (2 * half);
    P[BOOM2][1] = P[BOOM1][1] + between[1] / 2 + height * between[0] / (2 * half);
}

static void place(const limb *l, const double P[2], double x[3])
{
    double s, c;
    clv_sincos(l->turn, &s, &c);
    x[0] = c * P[0] - s * l->aside;
    x[1] = s * P[0] + c * l->aside;
    x[2] = P[1];
}

/* x from P to Q, y the normal of the plane */
static void orient(const limb *l, const double P[2], const double Q[2], double length, double e[4])
{
    const double c = (Q[0] - P[0]) / length, s = (Q[1] - P[1]) / length, half = sqrt((1 + c) / 2);
    const double tip[4] = {half, 0, -s / (2 * half), 0};
    double plane[4] = {1, 0, 0, 0};
    clv_sincos(l->turn / 2, &plane[3], &plane[0]);
    clv_quat_product(e, plane, tip);
    clv_quat_normalize(e);
}

/* ---------------------------------------------------------------- bodies and joints */

/* A tube without modes or nodes yet: m, outer and inner radius; kg/m^3, Young's and shear modulus N/m^2. */
static clv_beam tube(double length, double outer, double inner, double density, double young, double shear)
{
    const clv_beam_section section = clv_beam_tube(outer, inner);
    clv_beam beam = {.length = length};
    beam.mass = density * section.area;
    beam.polar = density * (section.Iy + section.Iz);
    beam.stiffness[CLV_BEAM_BEND_Y] = young * section.Iz;
    beam.stiffness[CLV_BEAM_BEND_Z] = young * section.Iy;
    beam.stiffness[CLV_BEAM_TWIST] = shear * section.It;
    beam.stiffness[CLV_BEAM_STRETCH] = young * section.area;
    return beam;
}

/* A beam as body `frame` with name, pose and branch of `desc`, with its modes and the node `tip`, or rigid.  Returns
 * the body at its tip. */
static int add_boom(clv_example_build *b, const clv_body_desc *desc, const clv_beam *beam, bool flexible, int *frame)
{
    static const char *const tip[] = {"tip"};
    clv_beam whole = *beam;
    clv_flex_body boom;
    clv_body_desc d = *desc;
    *frame = -1;
    if (b->status != CLV_OK)
        return -1;
    whole.nnode = 1, whole.name = tip, whole.at = &beam->length;
    if (!flexible) /* mass and inertia alone */
        memset(whole.modes, 0, sizeof whole.modes);
    if (!clv_beam_make(&boom, &whole, 0)) {
        b->status = clv_fail(&b->model->last, CLV_ERR_MEMORY, "out of memory");
        return -1;
    }
    d.mass = boom.mass;
    memcpy(d.com, boom.com, sizeof d.com);
    memcpy(d.inertia, boom.J, sizeof boom.J);
    boom.flex.body = *frame = clv_example_add_body(b, &d);
    int end = *frame;
    if (flexible && b->status == CLV_OK) {
        b->status = clv_model_add_flex(b->model, NULL, &boom.flex);
        end = b->status == CLV_OK ? b->model->flex[b->model->nflex - 1].node[0].body : -1;
    }
    clv_flex_body_close(&boom);
    return end;
}

static int add_block(vehicle *v, const char *name, const char *branch, double mass, const double edges[3],
                     const double position[3])
{
    clv_body_desc d = clv_body_desc_default();
    d.name = name, d.branch = branch_of(v, branch), d.mass = mass;
    d.shape.kind = CLV_SHAPE_BOX;
    memcpy(d.shape.size, edges, 3 * sizeof *edges);
    clv_shape_inertia(d.inertia, &d.shape, mass);
    memcpy(d.position, position, sizeof d.position);
    d.placed = true;
    return clv_example_add_body(v->b, &d);
}

/* The body where the next hinge sits: the link itself, or the tip of a flexible boom. */
static int add_link(vehicle *v, const limb *l, int i, const double P[2], const double Q[2], int *body)
{
    char name[24];
    const limb_kind *k = l->kind;
    const bool boom = i == BOOM1 || i == BOOM2;
    const double length = boom ? k->boom : k->link;
    clv_body_desc d = clv_body_desc_default();
    snprintf(name, sizeof name, boom ? "%s-boom%d" : "%s-link%d", l->name, boom ? i - BOOM1 + 1 : i + 1);
    d.name = name, d.branch = branch_of(v, l->branch), d.placed = true;
    place(l, P, d.position);
    orient(l, P, Q, length, d.orientation);
    if (boom) {
        clv_beam beam = tube(length, k->outer, k->inner, 1900, 1e10, 4e9); /* glass fibre */
        memcpy(beam.modes, k->modes, sizeof beam.modes);
        d.shape = (clv_shape){.kind = CLV_SHAPE_BOX,
                              .size = {length, 2 * k->outer, 2 * k->outer},
                              .at = {length / 2},
                              .orientation = {1}};
        return add_boom(v->b, &d, &beam, v->flexible, body);
    }
    d.mass = k->mass, d.com[0] = length / 2;
    d.shape = (clv_shape){.kind = CLV_SHAPE_BOX, .size = {length, 0.2, 0.2}, .at = {length / 2}, .orientation = {1}};
    clv_shape_inertia(d.inertia, &d.shape, d.mass);
    return *body = clv_example_add_body(v->b, &d);
}

static void weld(vehicle *v, const limb *l, const char *what, int a, int b, const double at[3], bool cut)
{
    char name[24];
    clv_joint_desc j = clv_joint_desc_default(CLV_JOINT_FIXED);
    snprintf(name, sizeof name, "%s-%s", l->name, what);
    j.name = name, j.a = a, j.b = b, j.global = true;
    j.cut = cut ? 1 : -1;
    memcpy(j.at, at, sizeof j.at);
    clv_example_add_joint(v->b, &j);
}

/* The first body of a limb, 5 kg, welded to the crew module at the first hinge: the paper's connection point, which is
 * rigid, on a piece that has mass. */
static int add_mount(vehicle *v, const limb *l, const double P[2])
{
    char name[24];
    clv_body_desc d = clv_body_desc_default();
    snprintf(name, sizeof name, "%s-mount", l->name);
    d.name = name, d.branch = branch_of(v, l->branch), d.placed = true;
    d.mass = 5, d.inertia[0] = d.inertia[1] = d.inertia[2] = 0.02;
    place(l, P, d.position);
    const int body = clv_example_add_body(v->b, &d);
    weld(v, l, "mount-weld", v->crew, body, d.position, false);
    return body;
}

/* Torque of a hinge that swings the payload: forth for a second, back for another. */
static const double swing_time[] = {0, 0.9, 1.1, 1.9, 2}, swing[] = {1, 1, -1, -1, 0};
enum { SWING = sizeof swing / sizeof *swing };

static void servo(vehicle *v, const limb *l, const char *hinge, int joint, double torque)
{
    char name[32];
    double scaled[SWING];
    clv_force_desc f = clv_force_desc_default(CLV_FORCE_JOINT);
    snprintf(name, sizeof name, "%s-%s-servo", l->name, hinge);
    f.name = name, f.joint = joint;
    f.stiffness = l->kind->stiffness, f.damping = l->kind->damping;
    for (int i = 0; i < SWING; i++)
        scaled[i] = torque * swing[i];
    if (torque != 0)
        f.table = (clv_table){SWING, swing_time, scaled};
    clv_example_force(v->b, &f);
}

static void add_limb(vehicle *v, const limb *l, int held, bool cut, double pitch, double yaw)
{
    static const char *const hinge[LINKS] = {"roll1", "yaw1", "pitch1", "pitch2", "pitch3", "yaw2", "roll2"};
    static const int along[LINKS] = {0, 2, 1, 1, 1, 2, 0}; /* body axis of the hinge */
    const double drive[LINKS] = {[1] = yaw, [2] = pitch};
    double P[LINKS + 1][2], end[3];
    points(P, l->kind);
    const bool apart = strcmp(l->branch, "branch1") != 0; /* not in the branch of the crew module */
    int inboard = v->rigid && apart ? add_mount(v, l, P[0]) : v->crew;
    for (int i = 0; i < LINKS; i++) {
        char name[24];
        double e[4], R[9];
        int body = -1, tip = add_link(v, l, i, P[i], P[i + 1], &body);
        clv_joint_desc j = clv_joint_desc_default(CLV_JOINT_REVOLUTE);
        snprintf(name, sizeof name, "%s-%s", l->name, hinge[i]);
        j.name = name, j.a = inboard, j.b = body, j.global = true;
        place(l, P[i], j.at);
        orient(l, P[i], P[i + 1], i == BOOM1 || i == BOOM2 ? l->kind->boom : l->kind->link, e);
        clv_quat_rotation(R, e);
        for (int q = 0; q < 3; q++)
            j.axis[q] = R[3 * q + along[i]];
        servo(v, l, hinge[i], clv_example_add_joint(v->b, &j), drive[i]);
        inboard = tip;
    }
    place(l, P[LINKS], end);
    weld(v, l, "weld", inboard, held, end, cut);
}

/* Branches as in the paper: 0 the planet and a leg, 1 the crew module and a leg, 2 a leg, 3 an arm and the payload, 4
 * an arm.  The planet is the root: the tree goes up its leg to the crew module and out along the other limbs; the last
 * welds close loops. */
static void build(clv_example_build *b, bool flexible, const double *param)
{
    static const double centre[3] = {0, 0, -13}, crew[3] = {0, 0, 2.5}, load[3] = {7, 0, 2.4};
    static const double crew_size[3] = {4.5, 3, 2.6}, load_size[3] = {1, 2, 1};
    const limb legs[3] = {{"leg1", "branch0", &leg, CLV_PI / 2, 0},
                          {"leg2", "branch1", &leg, 7 * CLV_PI / 6, 0},
                          {"leg3", "branch2", &leg, 11 * CLV_PI / 6, 0}};
    const limb arms[2] = {{"arm1", "branch3", &arm, 0, 1}, {"arm2", "branch4", &arm, 0, -1}};
    vehicle v = {b, flexible, param[0] != 0, param[1] != 0, -1, -1, -1};
    const double mass = 1e6, J = 0.4 * mass * 169; /* its gravity, 4e-7 m/s^2, is left out */
    const double planet_J[3] = {J, J, J};
    clv_body_desc planet = clv_example_body("planet", mass, planet_J, centre);
    planet.branch = branch_of(&v, "branch0");
    planet.shape.kind = CLV_SHAPE_SPHERE, planet.shape.size[0] = 13;
    planet.moving = true;
    planet.velocity[0] = 0.02, planet.angular_velocity[0] = 0.003, planet.angular_velocity[2] = 0.01;
    v.planet = clv_example_add_body(b, &planet);
    v.crew = add_block(&v, "crew", "branch1", 3000, crew_size, crew);
    v.payload = add_block(&v, "payload", "branch3", 400, load_size, load);
    for (int i = 0; i < 3; i++)
        add_limb(&v, &legs[i], v.planet, i > 0, 0, 0);
    for (int i = 0; i < 2; i++)
        add_limb(&v, &arms[i], v.payload, i > 0, 150, i == 0 ? 100 : 0);
    clv_example_marker(b, "payload", v.payload, 0, 0, 0);
    clv_example_marker(b, "crew", v.crew, 0, 0, 0);
}

void clv_example_mmsev_rigid(clv_example_build *b, const double *param)
{
    build(b, false, param);
}

void clv_example_mmsev_flexible(clv_example_build *b, const double *param)
{
    build(b, true, param);
}
