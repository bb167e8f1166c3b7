/* SPDX-License-Identifier: Apache-2.0
 * Mechanisms on which variational integrators are tested: joint coordinates, turns of spherical and free joints, loops,
 * redundant rows, drives and dampers.  Included after cmocka.h. */
#ifndef CLV_TESTS_SIMULATION_MECHANISMS_H
#define CLV_TESTS_SIMULATION_MECHANISMS_H
#include "simulation/sim.h"

/* floating base, ball joints, a hinge */
static const char BALLS[] =
    "cleave: 1\n"
    "bodies:\n"
    "  base: {mass: 2, com: [0.1, 0, 0], inertia: [0.5, 0.6, 0.7, 0.05, 0, 0.02]}\n"
    "  arm:  {mass: 1, com: [0.4, 0.1, 0], inertia: [0.2, 0.3, 0.25, 0.02, 0.01, 0]}\n"
    "  hand: {mass: 0.7, com: [0.3, 0, 0.1], inertia: [0.08, 0.1, 0.15]}\n"
    "  tail: {mass: 1, com: [0, 0.3, 0], inertia: [0.2, 0.1, 0.15]}\n"
    "joints:\n"
    "  shoulder: {kind: spherical, a: {body: base, position: [0.3, 0, 0]}, b: {body: arm}}\n"
    "  wrist: {kind: spherical, a: {body: arm, position: [0.8, 0, 0]}, b: {body: hand}}\n"
    "  back: {kind: revolute, a: {body: base, position: [-0.3, 0, 0]}, b: {body: tail}}\n"
    "forces:\n"
    "  leash: {kind: spring-damper, between: [ground, base], stiffness: 20}\n"
    "start:\n"
    "  bodies: {base: {position: [0.6, 0.1, 0], velocity: [0, 1, 0.5], angular_velocity: [1, -2, 0.7]}}\n"
    "  joints: {shoulder: {u: [1, 0.5, -2]}, wrist: {u: [-1, 2, 1]}, back: {q: 0.4, u: 3}}\n";

/* crank, coupler between balls, rocker: spatial loop with ball joints, two freedoms */
static const char RSSR[] = "cleave: 1\n"
                           "bodies:\n"
                           "  crank: {mass: 1, com: [0.15, 0, 0], inertia: [0.02, 0.05, 0.06]}\n"
                           "  rod: {mass: 1, com: [0.5, 0, 0.02], inertia: [0.03, 0.1, 0.12]}\n"
                           "  rocker: {mass: 1.5, com: [0, -0.3, 0], inertia: [0.1, 0.04, 0.1]}\n"
                           "joints:\n"
                           "  a: {kind: revolute, between: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1]}\n"
                           "  b: {kind: spherical, between: [crank, rod], at: [0.3, 0, 0]}\n"
                           "  c: {kind: spherical, between: [rod, rocker], at: [1.2, 0, 0.5]}\n"
                           "  d: {kind: revolute, between: [ground, rocker], at: [1.2, 0.6, 0.5], axis: [1, 0.2, 0]}\n"
                           "start:\n"
                           "  bodies:\n"
                           "    rod: {position: [0.3, 0, 0], orientation: {axis: [0, -1, 0], angle: 0.507}}\n"
                           "    rocker: {position: [1.2, 0.6, 0.5]}\n"
                           "  joints: {a: {u: 4}, b: {u: [1, 0, 0]}}\n";

/* soft boom on a hinge, a body on a ball joint at its tip */
static const char BOOM[] = "cleave: 1\n"
                           "gravity: [0, -1, 0]\n"
                           "bodies:\n"
                           "  boom: {flexible: {beam: {length: 1, density: 1000, young: 2e7, tube: [0.05, 0.03], "
                           "modes: {bend_y: 2, bend_z: 1}}, damping_ratio: 0,"
                           " spin_limit: 0}}\n"
                           "  bob: {mass: 0.5, com: [0.1, -0.2, 0], inertia: [0.02, 0.015, 0.02]}\n"
                           "joints:\n"
                           "  a: {kind: revolute, a: {body: ground}, b: {body: boom}}\n"
                           "  b: {kind: spherical, a: {body: boom.tip}, b: {body: bob}}\n"
                           "start: {joints: {a: {u: 0.3}, b: {u: [1, 0.5, 0.2]}}}\n";

/* slider-crank, driven, with damper and spring: order only */
static const char DRIVEN[] =
    "cleave: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  crank:  {mass: 1, com: [0.1, 0, 0], inertia: [0.01, 0.02, 0.02]}\n"
    "  rod:    {mass: 1, com: [0.25, 0, 0], inertia: [0.01, 0.03, 0.03]}\n"
    "  piston: {mass: 2, inertia: [0.01, 0.01, 0.01]}\n"
    "  bob:    {mass: 1, com: [0, -0.3, 0], inertia: [0.02, 0.01, 0.02]}\n"
    "joints:\n"
    "  a: {kind: revolute, between: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  b: {kind: revolute, between: [crank, rod], at: [0.2, 0, 0], axis: [0, 0, 1]}\n"
    "  c: {kind: revolute, between: [rod, piston], at: [0.7, 0, 0], axis: [0, 0, 1]}\n"
    "  d: {kind: prismatic, between: [ground, piston], at: [0.7, 0, 0], axis: [1, 0, 0]}\n"
    "  e: {kind: revolute, between: [piston, bob], at: [0.7, 0, 0], axis: [0, 0, 1]}\n"
    "motions: {drive: {joint: a, rate: 3, amplitude: 0.2, frequency: 5}}\n"
    "forces: {brake: {kind: joint-load, joint: e, damping: 0.4, stiffness: 2}}\n"
    "start:\n"
    "  bodies: {rod: {position: [0.2, 0, 0]}, piston: {position: [0.7, 0, 0]}, bob: {position: [0.7, 0, 0]}}\n";

typedef struct subject {
    const char *name, *text, *parameter; /* text NULL: an example */
    bool free;                           /* neither driven nor damped */
    double coarse[3];                    /* s, steps of order tests for midpoint, gauss4, gauss6 */
    double calm[3];                      /* s, steps of the energy test                          */
} subject;

static const subject subjects[] = {
    {"chain", NULL, "links=3", true, {0.01, 0.02, 0.03}, {0.0025, 0.005, 0.004}},
    {"balls", BALLS, NULL, true, {0.004, 0.02, 0.04}, {0.002, 0.01, 0.01}},
    {"hdca-case2", NULL, NULL, true, {0.01, 0.02, 0.04}, {0.0025, 0.005, 0.01}},
    {"rssr", RSSR, NULL, true, {0.005, 0.01, 0.01}, {0.0025, 0.005, 0.005}},
    {"bricard", NULL, NULL, true, {0.01, 0.02, 0.08}, {0.0025, 0.005, 0.02}},
    {"boom", BOOM, NULL, true, {0.0005, 0.004, 0.004}, {0.001, 0.002, 0.002}},
    {"driven", DRIVEN, NULL, false, {0.005, 0.02, 0.04}, {0}},
};
enum { SUBJECTS = sizeof subjects / sizeof subjects[0], RULES = 3 };
static const char *const rules[RULES] = {"midpoint", "gauss4", "gauss6"};

typedef struct rig {
    clv_model *model;
    clv_sim *s;
} rig;

static void open_rig(rig *r, const subject *x, const char *integrator, double step)
{
    clv_sim_options o = clv_sim_options_default();
    o.integrator = integrator, o.step = step;
    if (step == 0)
        o.rtol = 1e-13;
    clv_status st = x->text ? clv_model_read_text(&r->model, x->text, strlen(x->text), x->name)
                            : clv_example_create(&r->model, x->name, &x->parameter, x->parameter != NULL);
    if (st != CLV_OK)
        print_error("%s: %s\n", x->name, clv_model_error(r->model)->message);
    assert_int_equal(st, CLV_OK);
    st = clv_sim_create(&r->s, r->model, &o);
    if (st != CLV_OK)
        print_error("%s: %s\n", x->name, clv_sim_error(r->s)->message);
    assert_int_equal(st, CLV_OK);
}

static void close_rig(rig *r)
{
    clv_sim_destroy(r->s), clv_model_destroy(r->model);
}

static void advance(rig *r, double t)
{
    assert_int_equal(clv_sim_set_end(r->s, t), CLV_OK);
    clv_status st = clv_sim_advance(r->s, t);
    if (st != CLV_OK)
        print_error("%s\n", clv_sim_error(r->s)->message);
    assert_int_equal(st, CLV_OK);
}

#endif
