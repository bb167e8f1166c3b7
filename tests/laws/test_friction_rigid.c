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

/* A light link at the default step: 7 N m against a breakaway friction of 8 N m hold, 9 N m do not.  Without friction
 * it would be at 350 rad/s at the end of the first half second, and at 0.35 rad/s after one step. */
static void a_light_link_holds(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        char text[600];
        snprintf(text, sizeof text,
                 "cleave: 1\ngravity: [0, 0, 0]\nbodies: {w: {mass: 1, inertia: [0.02, 0.02, 0.02]}}\n"
                 "joints: {s: {kind: revolute, a: {body: ground}, b: {body: w}}}\n"
                 "forces: {x: {kind: joint-load, joint: s, drive: %d, friction: 4, breakaway: 8}}\n", k ? 9 : 7);
        clv_model *m = read(text);
        clv_sim *s = start(m, "moreau", 1e-3);
        advance(s, 0.5);
        if (k == 0)
            CLV_NEAR(joint(s, 0).q[0], 0, 1e-15);
        else
            CLV_NEAR(joint(s, 0).udot[0], (9 - 4) / 0.02, 1e-9);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

/* Friction of the onset alone: a mass that is fast slides freely, in either direction. */
static void friction_gone_at_speed(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        char text[500];
        snprintf(text, sizeof text,
                 "cleave: 1\ngravity: [0, 0, 0]\nbodies: {w: {mass: 1, inertia: [1, 1, 1]}}\n"
                 "joints: {s: {kind: prismatic, a: {body: ground}, b: {body: w}}}\n"
                 "forces: {x: {kind: joint-load, joint: s, breakaway: 5, stribeck_speed: 1e-3}}\n"
                 "start: {joints: {s: {u: %d}}}\n", k ? 1 : -1);
        clv_model *m = read(text);
        clv_sim *s = start(m, "moreau", 1e-3);
        advance(s, 1);
        CLV_NEAR(joint(s, 0).q[0], k ? 1 : -1, 1e-12);
        CLV_NEAR(joint(s, 0).u[0], k ? 1 : -1, 1e-14);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

/* A block of m = 1 kg on a belt of v = 0.1 m/s, held by a spring of k = 100 N/m; friction of Fs = 4 N falls at once to
 * F = 2 N.  It sticks up to x = Fs / k and slips with x = F / k + A cos(w t) + (v / w) sin(w t), A = (Fs - F) / k,
 * until it has the speed of the belt again, at x = F / k - A:  a period of 2 A / v + 2 (pi - atan(w A / v)) / w. */
static void a_block_sticks_and_slips(void **state)
{
    (void)state;
    clv_model *m = read(
        "cleave: 1\ngravity: [0, 0, 0]\n"
        "bodies:\n  belt: {mass: 1, inertia: [1, 1, 1]}\n  block: {mass: 1, inertia: [1, 1, 1]}\n"
        "joints:\n  run: {kind: prismatic, a: {body: ground}, b: {body: belt}}\n"
        "  slip: {kind: prismatic, a: {body: belt}, b: {body: block}}\n"
        "motions: {m: {joint: run, rate: 0.1}}\n"
        "forces:\n  spring: {kind: spring-damper, between: [ground, block], points: [[0, 0, -10], [0, 0, 0]], "
        "stiffness: 100, length: 10}\n"
        "  rub: {kind: joint-load, joint: slip, friction: 2, breakaway: 4, stribeck_speed: 1e-4}\n");
    const double w = 10, v = 0.1, A = 0.02, period = 2 * A / v + 2 * (acos(-1) - atan(w * A / v)) / w;
    const double most = 0.02 + hypot(A, v / w);
    clv_sim *s = start(m, "moreau", 1e-3);
    double last = 0, before = 0, top = 0, first = 0, end = 0;
    int tops = 0;
    for (int i = 1; i <= 4600; i++) {
        advance(s, 1e-3 * i);
        const double x = 1e-3 * i * v + joint(s, 1).q[0];
        if (i > 1000 && last > before && last >= x) {
            first = tops++ ? first : 1e-3 * (i - 1);
            end = 1e-3 * (i - 1), top = last;
        }
        before = last, last = x;
    }
    assert_int_equal(tops, 5);
    CLV_NEAR((end - first) / (tops - 1), period, 4e-3); /* some steps of 1 ms */
    CLV_NEAR(top, most, 2e-4);
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
        cmocka_unit_test(a_light_link_holds),
        cmocka_unit_test(friction_gone_at_speed),
        cmocka_unit_test(a_block_sticks_and_slips),
        cmocka_unit_test(an_arm_stops_as_by_the_smooth_law),
        cmocka_unit_test(friction_of_loop_joints),
        cmocka_unit_test(a_leg_stands_by_friction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
