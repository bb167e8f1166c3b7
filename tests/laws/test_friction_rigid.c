/* SPDX-License-Identifier: Apache-2.0
 * Dry friction of joints in steps of `moreau` (T158) against closed forms: sliding, sticking, breakaway, joints that
 * close loops; beside the smooth law (T46) with a small stiction speed; a leg that stands by it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "near.h"
#include "running.h"

#define G 9.81

static clv_sim *start(const clv_model *m, const char *integrator, double step)
{
    clv_sim_options o = clv_sim_options_default();
    o.integrator = integrator, o.step = step;
    if (!integrator)
        o.rtol = o.atol = 1e-9;
    return start_with(m, &o);
}

static clv_joint_result joint(clv_sim *s, int k)
{
    clv_joint_result r;
    assert_int_equal(clv_sim_joint(s, k, &r), CLV_OK);
    return r;
}

/* A mass of 2 kg slides at 1 m/s against 3 N: it stops after 2/3 s and 1/3 m, and stays. */
static void a_mass_slides_and_stays(void **state)
{
    (void)state;
    clv_model *m = read("cleave: 1\ngravity: [0, 0, 0]\nbodies: {w: {mass: 2, inertia: [1, 1, 1]}}\n"
                        "joints: {s: {kind: prismatic, a: {body: ground}, b: {body: w}}}\n"
                        "forces: {x: {kind: joint-load, joint: s, friction: 3}}\n"
                        "start: {joints: {s: {u: 1}}}\n");
    for (int k = 0; k < 2; k++) {
        const double step = k ? 1e-4 : 1e-2;
        clv_sim *s = start(m, "moreau", step);
        clv_sim_report r;
        advance(s, 0.5);
        CLV_NEAR(joint(s, 0).u[0], 0.25, 1e-13);
        CLV_NEAR(joint(s, 0).q[0], 0.5 - 0.5 * 1.5 * 0.25, 1e-13);
        CLV_NEAR(joint(s, 0).effort[0], -3, 1e-10);
        CLV_NEAR(joint(s, 0).udot[0], -1.5, 1e-10);
        advance(s, 1);
        const double place = joint(s, 0).q[0];
        CLV_NEAR(place, 1.0 / 3, step * step);
        CLV_NEAR(joint(s, 0).u[0], 0, 1e-15);
        advance(s, 3);
        CLV_NEAR(joint(s, 0).q[0], place, 1e-15);
        CLV_NEAR(joint(s, 0).effort[0], 0, 1e-12);
        clv_sim_summary(s, &r);
        CLV_NEAR(r.max_energy_drift, 0, 1e-12);
        clv_sim_destroy(s);
    }
    clv_model_destroy(m);
}

/* Drives below and above the breakaway friction of 5 N: the first sticks, the second slides with (Q - 3 N) / m; a third
 * of 4 N keeps a mass going that slides already, and does not start one at rest. */
static void breakaway_decides(void **state)
{
    (void)state;
    clv_model *m = read(
        "cleave: 1\ngravity: [0, 0, 0]\nbodies:\n"
        "  a: {mass: 2, inertia: [1, 1, 1]}\n  b: {mass: 2, inertia: [1, 1, 1]}\n  c: {mass: 2, inertia: [1, 1, 1]}\n"
        "joints:\n  a: {kind: prismatic, a: {body: ground}, b: {body: a}}\n"
        "  b: {kind: prismatic, a: {body: ground}, b: {body: b}}\n"
        "  c: {kind: prismatic, a: {body: ground}, b: {body: c}}\n"
        "forces:\n  x: {kind: joint-load, joint: a, drive: 4.999, friction: 3, breakaway: 5, stribeck_speed: 0.01}\n"
        "  y: {kind: joint-load, joint: b, drive: 5.5, friction: 3, breakaway: 5, stribeck_speed: 0.01}\n"
        "  z: {kind: joint-load, joint: c, drive: 4, friction: 3, breakaway: 5, stribeck_speed: 0.01}\n"
        "start: {joints: {c: {u: 1}}}\n");
    clv_sim *s = start(m, "moreau", 1e-4);
    advance(s, 2);
    CLV_NEAR(joint(s, 0).q[0], 0, 1e-15);
    CLV_NEAR(joint(s, 0).effort[0], 0, 1e-10); /* drive and friction */
    CLV_NEAR(joint(s, 1).udot[0], 1.25, 1e-9);
    assert_true(joint(s, 1).u[0] > 2.4 && joint(s, 1).u[0] < 2.5);
    CLV_NEAR(joint(s, 2).u[0], 1 + 2 * 0.5, 1e-9);
    clv_sim_destroy(s), clv_model_destroy(m);
}

static const char ARM[] = "cleave: 1\ngravity: [0, -9.81, 0]\n"
                          "bodies:\n  a: {mass: 2, com: [0.5, 0, 0], inertia: [0.01, 0.2, 0.2]}\n"
                          "  b: {mass: 1, com: [0.4, 0.1, 0], inertia: [0.01, 0.1, 0.1]}\n"
                          "joints:\n  p: {kind: revolute, a: {body: ground}, b: {body: a}}\n"
                          "  r: {kind: revolute, a: {body: a, position: [1, 0, 0]}, b: {body: b}%s}\n"
                          "forces:\n"
                          "  x: {kind: joint-load, joint: p, friction: 4, damping: 0.5, stiction_speed: 1e-5}\n"
                          "  y: {kind: joint-load, joint: r, friction: 0.7, stiction_speed: 1e-5}\n"
                          "start: {joints: {p: {q: 0.3}%s}%s}\n";

static clv_model *arm(bool cut)
{
    char text[1200];
    if (cut)
        snprintf(text, sizeof text, ARM, ", cut: true", "",
                 ", bodies: {b: {position: [0.955336489125606, 0.29552020666133955, 0], "
                 "orientation: {axis: [0, 0, 1], angle: 1.3}}}");
    else
        snprintf(text, sizeof text, ARM, "", ", r: {q: 1}", "");
    return read(text);
}

/* An arm swings and comes to rest in its joints: first order in the step, beside the smooth law. */
static void an_arm_stops_as_by_the_smooth_law(void **state)
{
    (void)state;
    clv_model *m = arm(false);
    double error[2] = {0, 0};
    clv_sim *smooth = start(m, NULL, 0);
    for (int k = 0; k < 2; k++) {
        clv_sim *s = start(m, "moreau", k ? 2.5e-4 : 1e-3);
        for (int i = 1; i <= 12; i++) {
            if (k == 0)
                advance(smooth, 0.5 * i);
            advance(s, 0.5 * i);
            for (int j = 0; j < 2 && k == 0; j++)
                error[0] = fmax(error[0], fabs(joint(s, j).q[0] - joint(smooth, j).q[0]));
        }
        for (int j = 0; j < 2 && k == 1; j++)
            error[1] = fmax(error[1], fabs(joint(s, j).q[0] - joint(smooth, j).q[0]));
        CLV_NEAR(joint(s, 0).u[0], 0, 1e-13);
        CLV_NEAR(joint(s, 1).u[0], 0, 1e-13);
        clv_sim_report r;
        clv_sim_summary(s, &r);
        assert_true(r.max_energy_drift < (k ? 2e-5 : 3e-4) && r.contact_limited == 0);
        clv_sim_destroy(s);
    }
    assert_true(error[0] < 4e-3 && error[1] < 1e-3);
    clv_sim_destroy(smooth), clv_model_destroy(m);
}

/* The same with the friction of a joint that closes a loop (to a body that floats). */
static void friction_of_loop_joints(void **state)
{
    (void)state;
    clv_model *tree = arm(false), *cut = arm(true);
    clv_sim *s = start(tree, "moreau", 1e-4), *c = start(cut, "moreau", 1e-4);
    for (int i = 1; i <= 6; i++) {
        advance(s, 0.5 * i), advance(c, 0.5 * i);
        for (int j = 0; j < 2; j++) {
            CLV_NEAR(joint(c, j).q[0], joint(s, j).q[0], 1e-6);
            CLV_NEAR(joint(c, j).effort[0], joint(s, j).effort[0], 1e-4);
        }
    }
    clv_sim_destroy(s), clv_sim_destroy(c), clv_model_destroy(tree), clv_model_destroy(cut);
}

/* A leg on a floor with friction in hip and knee: it stands, carried by them; with less, it folds. */
static void a_leg_stands_by_friction(void **state)
{
    (void)state;
    static const char LEG[] =
        "cleave: 1\nbodies:\n  base: {mass: 5, inertia: [0.02, 0.02, 0.03]}\n"
        "  thigh: {mass: 0.5, com: [0.025, 0, -0.125], inertia: [0.003, 0.003, 0.0003]}\n"
        "  shank: {mass: 0.3, com: [-0.025, 0, -0.125], inertia: [0.002, 0.002, 0.0002], "
        "shape: {sphere: 0.02, at: [-0.05, 0, -0.25]}}\n"
        "joints:\n  slide: {kind: prismatic, a: {body: ground}, b: {body: base}}\n"
        "  hip: {kind: revolute, a: {body: base, orientation: {x: [1, 0, 0], z: [0, 1, 0]}}, "
        "b: {body: thigh, orientation: {x: [1, 0, 0], z: [0, 1, 0]}}}\n"
        "  knee: {kind: revolute, a: {body: thigh, position: [0.05, 0, -0.25], "
        "orientation: {x: [1, 0, 0], z: [0, 1, 0]}}, b: {body: shank, orientation: {x: [1, 0, 0], z: [0, 1, 0]}}}\n"
        "forces:\n  h: {kind: joint-load, joint: hip, friction: %g}\n"
        "  k: {kind: joint-load, joint: knee, friction: %g}\n"
        "  floor: {kind: contact, between: [ground, shank], normal: [0, 0, 1], restitution: 0, static_friction: 0.8}\n"
        "start: {joints: {slide: {q: 0.52}}}\n";
    for (int k = 0; k < 2; k++) {
        char text[1600];
        snprintf(text, sizeof text, LEG, k ? 0.1 : 8.0, k ? 0.1 : 8.0);
        clv_model *m = read(text);
        clv_sim *s = start(m, "moreau", 1e-3);
        clv_sim_report r;
        advance(s, 2);
        const double place = joint(s, 0).q[0];
        clv_sim_summary(s, &r);
        assert_int_equal(r.contact_limited, 0);
        if (k == 0) {
            CLV_NEAR(r.max_energy_drift, 0, 1e-12);
            clv_contact_result floor;
            assert_int_equal(clv_sim_contact(s, 2, &floor), CLV_OK);
            CLV_NEAR(floor.normal_force, 5.8 * G, 1e-9);
            assert_true(place > 0.51);
            assert_true(fabs(joint(s, 1).effort[0]) < 8 && fabs(joint(s, 2).effort[0]) < 8);
            assert_true(fabs(joint(s, 1).effort[0]) > 1);
            advance(s, 6);
            CLV_NEAR(joint(s, 0).q[0], place, 1e-12);
        } else
            assert_true(place < 0.4);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mass_slides_and_stays),
        cmocka_unit_test(breakaway_decides),
        cmocka_unit_test(an_arm_stops_as_by_the_smooth_law),
        cmocka_unit_test(friction_of_loop_joints),
        cmocka_unit_test(a_leg_stands_by_friction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
