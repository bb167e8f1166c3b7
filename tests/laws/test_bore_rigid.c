/* SPDX-License-Identifier: Apache-2.0
 * Rigid journals in bores (T62, T148): bounces along a diameter and along chords, journals that go round inside without
 * loss, pendulums and rollers against closed forms. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "elliptic.h"
#include "near.h"
#include "running.h"

#define G 9.81
static const double PI = 3.141592653589793;

/* A ring that stands, and a journal inside it with the clearance 0.1 m. */
static clv_sim *journal(clv_model **m, const char *shape, double gravity, double restitution, double friction,
                        const char *begin, double step)
{
    char text[2000];
    clv_sim_options o = clv_sim_options_default();
    snprintf(text, sizeof text,
             "cleave: 1\ngravity: [0, %.17g, 0]\nbodies:\n"
             "  ring: {mass: 1, inertia: from shape, shape: {bore: [0.3, 0.4, 0.3]}}\n"
             "  pin: {mass: 1, inertia: from shape, shape: {%s}}\n"
             "joints:\n  hold: {kind: fixed, between: [ground, ring], at: [0, 0, 0]}\n"
             "  move: {kind: planar, a: {body: ground}, b: {body: pin}}\n"
             "forces: {c: {kind: contact, between: [ring, pin], restitution: %g, dynamic_friction: %g}}\n"
             "start: {bodies: {pin: {%s}}}\n",
             -gravity, shape, restitution, friction, begin);
    *m = read(text);
    o.formulation = "dca", o.integrator = "moreau", o.step = step;
    return start_with(*m, &o);
}

/* Along a diameter a journal has the speed e^k after k bounces; with e = 0.9 nine in 3 s. */
static void bounces_along_a_diameter_have_their_restitution(void **state)
{
    (void)state;
    static const char *const shape[] = {"sphere: 0.2", "cylinder: [0.2, 0.2]"};
    for (int k = 0; k < 2; k++) {
        clv_model *m;
        clv_sim *s = journal(&m, shape[k], 0, 0.9, 0, "position: [0, 0, 0], velocity: [0.6, 0.8, 0]", 1e-4);
        const double *v = clv_sim_velocity(s) + 6, *x = clv_sim_position(s) + 3;
        advance(s, 3);
        double t = 0.1, speed = 0.9, far = 0;
        int bounces = 1;
        while (t + 0.2 / speed < 3)
            t += 0.2 / speed, speed *= 0.9, bounces++;
        far = (3 - t) * speed - 0.1;
        assert_int_equal(bounces, 9);
        CLV_NEAR(hypot(v[0], v[1]), speed, 1e-6 * speed);
        CLV_NEAR(0.8 * v[0], 0.6 * v[1], 1e-12);
        CLV_NEAR(hypot(x[0], x[1]), fabs(far), 3e-3);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

/* Chords at 45 degrees: the normal speed falls by e, that along the wall stays.  The error is of order one in the step;
 * one bounce at 1 us meets 1e-6. */
static void bounces_along_chords_keep_the_speed_along_the_wall(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        char begin[200];
        clv_model *m;
        const double flight = 1.0 / 6, t0 = i ? flight - 0.005 : 0, end = i ? 0.01 : 0.6;
        snprintf(begin, sizeof begin, "position: [%.17g, %.17g, 0], velocity: [-0.6, 0.6, 0]", 0.1 - 0.6 * t0,
                 0.6 * t0);
        clv_sim *s = journal(&m, "sphere: 0.2", 0, 0.8, 0, begin, i ? 1e-6 : 1e-5);
        const double *v = clv_sim_velocity(s) + 6, *x = clv_sim_position(s) + 3, bound = i ? 1e-6 : 3e-5;
        double normal = 0.6;
        advance(s, end);
        for (double t = -t0, next = flight; t + next < end;) { /* a chord at the speed u takes 2 c cos / u */
            t += next, normal *= 0.8;
            next = 0.2 * normal / (normal * normal + 0.36);
        }
        CLV_NEAR(hypot(v[0], v[1]), hypot(normal, 0.6), bound);
        CLV_NEAR((x[0] * v[1] - x[1] * v[0]) / 0.1, 0.6, bound);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

/* Without gravity it goes round for ever: speed and radius stay, whatever the restitution. */
static void a_journal_that_goes_round_loses_nothing(void **state)
{
    (void)state;
    static const double restitution[] = {0, 0.5, 1};
    for (int k = 0; k < 3; k++) {
        clv_model *m;
        clv_sim *s = journal(&m, "cylinder: [0.2, 0.2]", 0, restitution[k], 0,
                             "position: [0.1, 0, 0], velocity: [0, 1, 0]", 1e-4);
        const double *v = clv_sim_velocity(s) + 6, *x = clv_sim_position(s) + 3;
        for (int turn = 1; turn <= 3; turn++) {
            advance(s, 0.2 * PI * turn);
            CLV_NEAR(hypot(v[0], v[1]), 1, 1e-8);
            CLV_NEAR(hypot(x[0], x[1]), 0.1, 1e-7);
        }
        CLV_NEAR(x[1], 0, 1e-6); /* where it is after three turns */
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

static void a_rigid_journal_is_a_pendulum(void **state)
{
    (void)state;
    static const double swing[] = {0.1, 1.4};
    for (int i = 0; i < 2; i++) {
        char begin[100];
        clv_model *m;
        const double period = 4 * sqrt(0.1 / G) * elliptic(sin(0.5 * swing[i]));
        snprintf(begin, sizeof begin, "position: [%.17g, %.17g, 0]", 0.1 * sin(swing[i]), -0.1 * cos(swing[i]));
        clv_sim *s = journal(&m, "sphere: 0.2", G, 0, 0, begin, 5e-5);
        const double *v = clv_sim_velocity(s) + 6, *x = clv_sim_position(s) + 3;
        advance(s, 1.25 * period);
        CLV_NEAR(x[0] / hypot(v[0], v[1]), 0, 1e-6 * period);
        CLV_NEAR(v[0] * v[0] + v[1] * v[1], 2 * G * 0.1 * (1 - cos(swing[i])), 1e-6);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

/* Rolling without slip: omega^2 = 2 g / (3 c). */
static void a_rigid_roller_rolls(void **state)
{
    (void)state;
    clv_model *m;
    const double period = 2 * PI * sqrt(0.1 * 1.5 / G);
    clv_sim *s = journal(&m, "cylinder: [0.2, 0.2]", G, 0, 1, "position: [0.001, -0.099995, 0]", 5e-5);
    const double *v = clv_sim_velocity(s) + 6, *x = clv_sim_position(s) + 3;
    advance(s, 0.75 * period);
    CLV_NEAR(x[0] / v[0], 0, 2e-5 * period);
    CLV_NEAR(v[5], -v[0] / 0.2, 1e-6 * fabs(v[5]));
    clv_sim_destroy(s), clv_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounces_along_a_diameter_have_their_restitution),
        cmocka_unit_test(bounces_along_chords_keep_the_speed_along_the_wall),
        cmocka_unit_test(a_journal_that_goes_round_loses_nothing),
        cmocka_unit_test(a_rigid_journal_is_a_pendulum),
        cmocka_unit_test(a_rigid_roller_rolls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
