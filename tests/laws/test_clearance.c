/* SPDX-License-Identifier: Apache-2.0
 * Slider-crank with clearance between rod and slider, a bore and a pin in contact (T147).  Data of Flores, Ambrosio,
 * Claro and Lankarani (2008), values of independent equations in the plane (clearance.py), for compliant and for rigid
 * contact (T154, T155).  A clearance that goes to zero gives the mechanism with a hinge. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "clearance_values.h"
#include "near.h"
#include "running.h"

enum {
    VALUES = sizeof clearance_value / sizeof *clearance_value,
    RIGID = sizeof rigid_value / sizeof *rigid_value,
    DRIVEN = 0,
    WRIST = 0
};
static const double RATE = 5000 * 2 * 3.141592653589793 / 60, CRANK = 0.05, ROD = 0.12;

/* N/m^1.5, by Hertz, of a pin in a bore of 10 mm with this clearance; steel */
static double hertz(double c)
{
    return 4 / (6 * (1 - 0.3 * 0.3) / 207e9) * sqrt(0.01 * (0.01 - c) / c);
}

/* c: clearance of the joint that `wrist` describes */
static clv_model *with_wrist(double c, const char *wrist)
{
    char text[3000];
    snprintf(text, sizeof text,
             "cleave: 1\ngravity: [0, 0, 0]\nbodies:\n"
             "  crank: {mass: 0.3, com: [0.025, 0, 0], inertia: [1e-5, 1e-5, 1e-5]}\n"
             "  rod: {mass: 0.21, com: [0.06, 0, 0], inertia: [1e-5, 2.5e-4, 2.5e-4], "
             "shape: {bore: [0.01, 0.014, 0.02], at: [0.12, 0, 0]}}\n"
             "  slider: {mass: 0.14, inertia: [1e-5, 1e-5, 1e-5], shape: {cylinder: [%.17g, 0.03]}}\n"
             "joints:\n"
             "  main: {kind: revolute, between: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1]}\n"
             "  pin: {kind: revolute, between: [crank, rod], at: [0.05, 0, 0], axis: [0, 0, 1]}\n"
             "  guide: {kind: prismatic, between: [ground, slider], at: [0.17, 0, 0], axis: [1, 0, 0]}\n"
             "%s"
             "motions: {drive: {joint: main, rate: %.17g}}\n"
             "start:\n  bodies: {crank: {position: [0, 0, 0]}, rod: {position: [0.05, 0, 0]}, "
             "slider: {position: [0.17, 0, 0]}}\n"
             "  joints: {main: {u: %.17g}, pin: {u: %.17g}, guide: {u: 0}}\n",
             0.01 - c, wrist, RATE, RATE, -CRANK * RATE / ROD - RATE);
    return read(text);
}

/* c = 0: with a hinge.  Each of two points carries half. */
static clv_model *slider_crank(double c, double dissipation)
{
    char wrist[300];
    if (c > 0)
        snprintf(wrist, sizeof wrist,
                 "forces: {wrist: {kind: contact, between: [rod, slider], stiffness: %.17g, exponent: 1.5, "
                 "dissipation: %.17g}}\n",
                 0.5 * hertz(c), dissipation);
    else
        snprintf(wrist, sizeof wrist,
                 "  wrist: {kind: revolute, between: [rod, slider], at: [0.17, 0, 0], axis: [0, 0, 1]}\n");
    return with_wrist(c, wrist);
}

static clv_model *rigid_crank(double c, double restitution)
{
    char wrist[200];
    snprintf(wrist, sizeof wrist, "forces: {wrist: {kind: contact, between: [rod, slider], restitution: %.17g}}\n",
             restitution);
    return with_wrist(c, wrist);
}

static clv_sim *by_moreau(const clv_model *m, double step)
{
    clv_sim_options o = clv_sim_options_default();
    o.step = step;
    return start_with(m, &o);
}

static clv_sim *start(const clv_model *m, const char *formulation, double rtol)
{
    clv_sim_options o = clv_sim_options_default();
    o.formulation = formulation, o.integrator = "dop853", o.rtol = o.atol = rtol;
    return start_with(m, &o);
}

static double crank_moment(clv_sim *s)
{
    clv_joint_result j;
    assert_int_equal(clv_sim_joint(s, DRIVEN, &j), CLV_OK);
    return j.effort[0];
}

/* place of the slider of the mechanism with a hinge */
static double ideal(double t)
{
    const double across = CRANK * sin(RATE * t);
    return CRANK * cos(RATE * t) + sqrt(ROD * ROD - across * across);
}

/* Impacts and contact over a quarter of a turn, by three clearances and two formulations. */
static void motions_are_those_of_independent_equations(void **state)
{
    (void)state;
    static const char *const formulation[] = {"hdca", "dca"};
    for (int way = 0; way < 2; way++)
        for (int i = 0; i < VALUES;) {
            const double c = clearance_value[i].c;
            clv_model *m = slider_crank(c, (1 - 0.9 * 0.9) / 2);
            clv_sim *s = start(m, formulation[way], 1e-11);
            double most = 0;
            for (; i < VALUES && clearance_value[i].c == c; i++) {
                clv_joint_result pin;
                clv_contact_result wrist;
                advance(s, clearance_value[i].t);
                assert_int_equal(clv_sim_joint(s, 1, &pin), CLV_OK);
                assert_int_equal(clv_sim_contact(s, WRIST, &wrist), CLV_OK);
                const double x = clv_sim_position(s)[6];
                CLV_NEAR(x, clearance_value[i].slider, 1e-9);
                CLV_NEAR(pin.q[0] + RATE * clearance_value[i].t, clearance_value[i].rod, 1e-8);
                CLV_NEAR(crank_moment(s), clearance_value[i].moment, 0.05);
                CLV_NEAR(wrist.normal_force, clearance_value[i].force, 2);
                most = fmax(most, clearance_value[i].force);
                CLV_NEAR(x, ideal(clearance_value[i].t), 1.11 * (c + wrist.depth)); /* 1 / cos of the rod */
            }
            assert_true(most > 1000);
            clv_sim_destroy(s), clv_model_destroy(m);
        }
}

/* The example is this mechanism, with a drawing. */
static void the_example_has_the_same_motion(void **state)
{
    (void)state;
    clv_model *m;
    assert_int_equal(clv_model_read(&m, CLV_SOURCE_DIR "/examples/slider-crank.yaml"), CLV_OK);
    clv_sim *s = start(m, "hdca", 1e-11);
    for (int i = 0; i < VALUES && clearance_value[i].c == 5e-4; i++) {
        advance(s, clearance_value[i].t);
        CLV_NEAR(clv_sim_position(s)[6], clearance_value[i].slider, 1e-9);
        CLV_NEAR(crank_moment(s), clearance_value[i].moment, 0.05);
    }
    clv_sim_destroy(s), clv_model_destroy(m);
}

/* A small clearance with losses gives the moment of the mechanism with a hinge, up to 139 N m. */
static void small_clearances_give_the_moment_of_a_hinge(void **state)
{
    (void)state;
    static const double clearance[] = {1e-5, 1e-6, 1e-7}, bound[] = {6, 0.5, 0.2};
    clv_model *hinge = slider_crank(0, 0);
    for (int k = 0; k < 3; k++) {
        clv_model *m = slider_crank(clearance[k], 20);
        clv_sim *s = start(m, "hdca", 1e-9), *r = start(hinge, "hdca", 1e-9);
        double most = 0;
        for (int i = 0; i <= 40; i++) {
            advance(s, 1e-3 + 5e-5 * i), advance(r, 1e-3 + 5e-5 * i);
            most = fmax(most, fabs(crank_moment(s) - crank_moment(r)));
        }
        if (!(most < bound[k]))
            fail_msg("clearance %g m: moments differ by %g N m", clearance[k], most);
        clv_sim_destroy(s), clv_sim_destroy(r), clv_model_destroy(m);
    }
    clv_model_destroy(hinge);
}

/* Rigid, restitution 0.9: 13 and 11 impacts in 2 ms.  Each is met within a step: the error is of order one. */
static void rigid_motions_are_those_of_independent_equations(void **state)
{
    (void)state;
    static const double step[] = {1e-6, 1e-7}, bound[] = {3e-4, 3e-5};
    for (int way = 0; way < 2; way++)
        for (int i = 0; i < RIGID;) {
            const double c = rigid_value[i].c;
            clv_model *m = rigid_crank(c, 0.9);
            clv_sim *s = by_moreau(m, step[way]);
            clv_sim_report r;
            double most = 0;
            for (; i < RIGID && rigid_value[i].c == c; i++) {
                advance(s, rigid_value[i].t);
                most = fmax(most, fabs(clv_sim_position(s)[6] - rigid_value[i].slider));
            }
            print_message("clearance %g m, step %g s: slider %.3g m\n", c, step[way], most);
            assert_true(most < bound[way]);
            clv_sim_summary(s, &r);
            assert_true(r.contact_steps >= 10 && r.contact_limited == 0);
            assert_true(r.max_energy_drift < 3e6 * step[way] * step[way]); /* of 166 J: order two */
            clv_sim_destroy(s), clv_model_destroy(m);
        }
}

/* J, of the mechanism with a hinge; its moment has done this since the start */
static double ideal_energy(double t)
{
    const double a = RATE * t, sine = -CRANK * sin(a) / ROD, cosine = sqrt(1 - sine * sine);
    const double w = -CRANK * RATE * cos(a) / (ROD * cosine), v = -CRANK * RATE * sin(a) - ROD * w * sine;
    const double vx = -CRANK * RATE * sin(a) - 0.5 * ROD * w * sine;
    const double vy = CRANK * RATE * cos(a) + 0.5 * ROD * w * cosine;
    return 0.5 * (0.3 * 0.025 * 0.025 + 1e-5) * RATE * RATE + 0.105 * (vx * vx + vy * vy) + 1.25e-4 * w * w +
           0.07 * v * v;
}

/* Without restitution the pin follows the wall of the bore.  The slider is off by the clearance (over the cosine of the
 * rod), whatever this is beside a step, and the work of the drive becomes that of the mechanism with a hinge. */
static void small_rigid_clearances_give_the_work_of_a_hinge(void **state)
{
    (void)state;
    static const double clearance[] = {1e-4, 1e-5, 1e-6}, step[] = {4e-6, 2e-6, 1e-6}, bound[] = {5, 0.7, 0.2};
    for (int k = 0; k < 3; k++) {
        clv_model *m = rigid_crank(clearance[k], 0);
        clv_sim *s = by_moreau(m, step[k]);
        double most = 0, far = 0;
        for (int i = 1; i <= 48; i++) { /* two turns */
            double kinetic, potential, work;
            clv_contact_result wrist;
            advance(s, 5e-4 * i);
            assert_int_equal(clv_sim_contact(s, WRIST, &wrist), CLV_OK);
            clv_sim_energy(s, &kinetic, &potential, &work);
            most = fmax(most, fabs(kinetic - ideal_energy(5e-4 * i)));
            far = fmax(far, fabs(clv_sim_position(s)[6] - ideal(5e-4 * i)));
            assert_true(wrist.depth < 0.02 * step[k] * RATE * CRANK);
        }
        print_message("clearance %g m: energy %.3g J, slider %.3g m\n", clearance[k], most, far);
        assert_true(far < 1.2 * clearance[k] + 1e-7);
        assert_true(most < bound[k]);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(motions_are_those_of_independent_equations),
        cmocka_unit_test(the_example_has_the_same_motion),
        cmocka_unit_test(small_clearances_give_the_moment_of_a_hinge),
        cmocka_unit_test(rigid_motions_are_those_of_independent_equations),
        cmocka_unit_test(small_rigid_clearances_give_the_work_of_a_hinge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
