/* SPDX-License-Identifier: Apache-2.0
 * Springs that act one way (T52): limits of the distance of two points.  A fall into a rope and the rebound of two
 * bodies from a bumper against closed forms, by every formulation; what is refused. */
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
#include "simulation/methods.h"

#define OK(call) assert_int_equal(call, CLV_OK)

static const char *const all_formulations[] = {"hdca", "dca", "connection", "massmatrix", "aldca"};
enum { FORMULATIONS = sizeof all_formulations / sizeof all_formulations[0] };
static const double PI = 3.14159265358979323846;

static clv_model *model_of(const char *text)
{
    clv_model *m;
    const clv_status st = clv_model_read_text(&m, text, strlen(text), "rope");
    if (st != CLV_OK)
        print_error("%s\n", clv_model_error(m)->message);
    OK(st);
    return m;
}

static clv_sim *start(const clv_model *m, const char *formulation, const char *integrator, double rtol, double step)
{
    clv_sim *s;
    clv_sim_options o = clv_sim_options_default();
    o.formulation = formulation, o.integrator = integrator, o.rtol = rtol, o.step = step;
    OK(clv_sim_create(&s, m, &o));
    return s;
}

/* 2 kg hang 0.1 m below the anchor of a rope of 1 m */
static const char fall[] = "cleave: 1\n"
                           "bodies: {load: {mass: 2, inertia: [0.1, 0.1, 0.1]}}\n"
                           "forces: {rope: {kind: spring-damper, between: [ground, load], upper: 1, "
                           "stop_stiffness: 800}}\n"
                           "start: {bodies: {load: {position: [0, 0, -0.1]}}}\n";

/* free for t1, then an oscillation about the hanging position until the rope is slack, then free again */
static void a_fall_into_a_rope(void **state)
{
    const double g = 9.81, w = sqrt(800.0 / 2), sag = 2 * g / 800, t1 = sqrt(2 * 0.9 / g), v = g * t1;
    const double deep = 1 + sag + sqrt(sag * sag + v * v / (w * w)), half = (PI - atan(v / (w * sag))) / w;
    (void)state;
    for (int i = 0; i <= FORMULATIONS; i++) {
        const bool implicit = i == FORMULATIONS;
        clv_model *m = model_of(fall);
        clv_sim *s = implicit ? start(m, "index3", "trapezoidal", 1e-6, 2e-4)
                              : start(m, all_formulations[i], "dop853", 1e-11, 0);
        clv_sim_report report;
        const double tol = implicit ? 2e-4 : 1e-8;
        advance(s, t1 / 2);
        CLV_NEAR(-clv_sim_position(s)[2], 0.1 + g * t1 * t1 / 8, tol);
        advance(s, t1 + half);
        CLV_NEAR(-clv_sim_position(s)[2], deep, tol);
        advance(s, 2 * t1 + 2 * half);
        CLV_NEAR(-clv_sim_position(s)[2], 0.1, implicit ? 2e-3 : 1e-8);
        CLV_NEAR(clv_sim_velocity(s)[2], 0, implicit ? 5e-3 : 2e-7);
        clv_sim_summary(s, &report);
        assert_true(report.max_energy_drift < (implicit ? 1e-3 : 1e-8));
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

/* Two bodies meet with speed u and part with v: x - ln(1 + x) is the same at a u and at -a v (T47), whatever the
 * masses; momentum is kept. */
static void a_rebound_from_a_bumper(void **state)
{
    const double a = 0.3, u = 1.2;
    (void)state;
    for (int i = 0; i <= FORMULATIONS; i++) {
        const bool implicit = i == FORMULATIONS;
        clv_model *m =
            model_of("cleave: 1\n"
                     "gravity: [0, 0, 0]\n"
                     "bodies: {a: {mass: 2, inertia: [0.1, 0.1, 0.1]}, b: {mass: 3, inertia: [0.1, 0.1, 0.1]}}\n"
                     "forces: {bumper: {kind: spring-damper, between: [a, b], lower: 0.4, "
                     "stop_stiffness: 4000, stop_dissipation: 0.3, stop_exponent: 1.5}}\n"
                     "start: {bodies: {a: {velocity: [0.7, 0, 0]}, "
                     "b: {position: [1, 0, 0], velocity: [-0.5, 0, 0]}}}\n");
        clv_sim *s = implicit ? start(m, "index3", "trapezoidal", 1e-6, 2e-4)
                              : start(m, all_formulations[i], "dop853", 1e-11, 0);
        clv_sim_report report;
        advance(s, 1);
        const double v0 = clv_sim_velocity(s)[0], v1 = clv_sim_velocity(s)[6], out = v1 - v0;
        assert_true(out > 0.5 && out < u);
        CLV_NEAR(-a * out - log1p(-a * out), a * u - log1p(a * u), implicit ? 1e-4 : 1e-9);
        CLV_NEAR(2 * v0 + 3 * v1, -0.1, implicit ? 1e-7 : 1e-10);
        clv_sim_summary(s, &report);
        assert_true(report.max_energy_drift < (implicit ? 1e-3 : 1e-8));
        CLV_NEAR(report.energy_initial - report.energy, 0.6 * (u * u - out * out), implicit ? 1e-3 : 1e-9);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

static void refused(const char *keys, const char *word)
{
    clv_model *m;
    char text[400];
    snprintf(text, sizeof text, "cleave: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"
                                "forces: {s: {kind: spring-damper, between: [ground, a], %s}}\n", keys);
    assert_int_not_equal(clv_model_read_text(&m, text, strlen(text), "refused"), CLV_OK);
    if (!strstr(clv_model_error(m)->message, word) && !strstr(clv_model_error(m)->hint, word))
        fail_msg("'%s' does not name '%s'", clv_model_error(m)->message, word);
    clv_model_destroy(m);
}

static void bad_limits_are_refused(void **state)
{
    (void)state;
    refused("upper: 1", "stop_stiffness");
    refused("stop_stiffness: 5", "no limit");
    refused("lower: 2, upper: 1, stop_stiffness: 5", "lower limit");
    refused("lower: 0, stop_stiffness: 5", "lower");
    refused("upper: -1, stop_stiffness: 5", "upper");
    refused("upper: 1, stop_stiffness: 5, stop_exponent: 0.5", "exponent");
    refused("only: tension", "rope");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fall_into_a_rope),
        cmocka_unit_test(a_rebound_from_a_bumper),
        cmocka_unit_test(bad_limits_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
