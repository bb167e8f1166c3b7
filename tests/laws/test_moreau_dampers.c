/* SPDX-License-Identifier: Apache-2.0
 * Rigid contacts beside stiff dampers, which are implicit in a step (T118), and the rod of Painleve, which friction
 * presses into the floor (T117). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "near.h"
#include "running.h"

#define OK(call) assert_int_equal(call, CLV_OK)

static clv_sim *start(const clv_model *m, double step)
{
    clv_sim_options o = clv_sim_options_default();
    o.step = step, o.rtol = 1e-10;
    return start_with(m, &o);
}

/* An arm of two links whose dampers are c; `floor`: a ball rests on a rigid floor beside it. */
static clv_model *arm(double c, bool floor)
{
    char text[2000];
    snprintf(text, sizeof text,
             "cleave: 1\ngravity: [0, 0, 0]\nbodies:\n"
             "  upper: {mass: 1, com: [0.2, 0, 0], inertia: [0.001, 0.01, 0.01]}\n"
             "  lower: {mass: 0.5, com: [0.15, 0, 0], inertia: [0.0005, 0.004, 0.004]}\n"
             "  ball: {mass: 1, inertia: from shape, shape: {sphere: 0.1}}\n"
             "joints:\n  a: {kind: revolute, a: {body: ground}, b: {body: upper}}\n"
             "  b: {kind: revolute, a: {body: upper, position: [0.4, 0, 0]}, b: {body: lower}}\n"
             "  c: {kind: free, a: {body: ground}, b: {body: ball}}\n"
             "forces:\n  da: {kind: joint-load, joint: a, damping: %g}\n"
             "  db: {kind: joint-load, joint: b, damping: %g}\n%s"
             "start: {joints: {a: {u: 3}, b: {q: 1, u: -5}}, bodies: {ball: {position: [5, 0, 0.1]}}}\n",
             c, 0.5 * c,
             floor ? "  floor: {kind: contact, between: [ground, ball], normal: [0, 0, 1], restitution: 0}\n" : "");
    return read(text);
}

/* With c h / I up to 200 explicit dampers would grow without bound. */
static void stiff_dampers_stop_an_arm(void **state)
{
    (void)state;
    clv_model *m = arm(1000, true);
    clv_sim *s = start(m, 1e-3);
    clv_sim_report r;
    double last = 10;
    for (int i = 1; i <= 20; i++) {
        advance(s, 0.001 * i);
        const double *v = clv_sim_velocity(s) + 6; /* of the lower link */
        const double speed = sqrt(v[0] * v[0] + v[1] * v[1] + v[5] * v[5]);
        assert_true(speed < 0.5 * last || speed < 1e-9);
        last = speed;
    }
    clv_sim_summary(s, &r);
    assert_true(r.max_energy_drift < 1e-3 * r.energy_initial);
    clv_sim_destroy(s), clv_model_destroy(m);
}

/* Light ones: the motion of an adaptive integrator, with an error of order one. */
static void dampers_are_of_order_one(void **state)
{
    (void)state;
    double error[2];
    clv_model *exact = arm(0.05, false);
    clv_sim *e = start(exact, 0);
    advance(e, 0.5);
    for (int k = 0; k < 2; k++) {
        clv_model *m = arm(0.05, true);
        clv_sim *s = start(m, k ? 5e-4 : 1e-3);
        advance(s, 0.5);
        error[k] = 0;
        for (int c = 0; c < 6; c++)
            error[k] = fmax(error[k], fabs(clv_sim_position(s)[c] - clv_sim_position(e)[c]));
        clv_sim_destroy(s), clv_model_destroy(m);
    }
    print_message("errors %.3g and %.3g m\n", error[0], error[1]);
    assert_true(error[0] < 1e-2 && error[1] < 0.6 * error[0]);
    clv_sim_destroy(e), clv_model_destroy(exact);
}

/* A rod at 60 degrees slides with its lower end ahead (1) or behind (-1).  (1 + 3 cos^2) / (3 sin cos) = 1.347. */
static clv_sim_report slide(double mu, int ahead)
{
    char text[1000];
    clv_sim_report r;
    snprintf(text, sizeof text,
             "cleave: 1\nbodies: {rod: {mass: 1, inertia: [%.17g, %.17g, 1e-4], shape: {capsule: [1e-4, 1]}}}\n"
             "joints: {j: {kind: free, a: {body: ground}, b: {body: rod}}}\n"
             "forces: {floor: {kind: contact, between: [ground, rod], normal: [0, 0, 1], restitution: 0, "
             "dynamic_friction: %g}}\n"
             "start: {bodies: {rod: {position: [0, 0, %.17g], orientation: {axis: [0, 1, 0], angle: -30 deg}, "
             "velocity: [%d, 0, 0]}}}\n",
             1.0 / 12, 1.0 / 12, mu, 0.5 * sin(3.14159265358979 / 3) + 1e-4 - 1e-9, ahead);
    clv_model *m = read(text);
    clv_sim *s = start(m, 1e-4);
    advance(s, 1e-3);
    clv_sim_summary(s, &r);
    clv_sim_destroy(s), clv_model_destroy(m);
    return r;
}

static void painleve_rods_are_named(void **state)
{
    (void)state;
    const clv_sim_report jammed = slide(1.4, 1);
    assert_true(jammed.contact_jams > 0);
    assert_int_equal(jammed.contact_jam, 1);
    assert_true(jammed.contact_jam_time > 0 && jammed.contact_jam_time < 1e-3);
    assert_int_equal(slide(1.3, 1).contact_jams, 0);
    assert_int_equal(slide(1.4, -1).contact_jams, 0);
    assert_int_equal(slide(1.4, -1).contact_jam, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stiff_dampers_stop_an_arm),
        cmocka_unit_test(dampers_are_of_order_one),
        cmocka_unit_test(painleve_rods_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
