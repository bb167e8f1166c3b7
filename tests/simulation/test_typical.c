/* SPDX-License-Identifier: Apache-2.0
 * Sizes beside which errors are judged (typical.c): an angle that has passed many turns is as accurate as in the first,
 * by every integrator that chooses its steps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "integrator/integrator.h"
#include "math/sincos.h"
#include "near.h"
#include "simulation/sim.h"

/* a light pendulum on a pendulum, so that the rate of the first is not all that sets the steps */
static clv_sim *pendulum(clv_model **of, const char *joint, const char *integrator, double turns, double rtol)
{
    char text[900];
    clv_model *m;
    clv_sim *s;
    clv_sim_options o = clv_sim_options_default();
    const int n = snprintf(text, sizeof text,
                           "cleave: 1\nbodies:\n  a: {mass: 1, com: [0, -1, 0], inertia: [0.1, 0.1, 0.1]}\n"
                           "  b: {mass: 0.1, com: [0, -0.3, 0], inertia: [0.01, 0.01, 0.01]}\njoints:\n"
                           "  p: {kind: %s, a: {body: ground}, b: {body: a}}\n"
                           "  q: {kind: revolute, a: {body: a, position: [0, -1, 0]}, b: {body: b}}\n"
                           "gravity: [0, -9.81, 0]\nstart: {joints: {p: {q: %s}, q: {q: %.17g}}}\n",
                           joint, strcmp(joint, "revolute") == 0 ? "0.5" : "[0.1, 0.5]", 0.3 + turns);
    assert_int_equal(clv_model_read_text(&m, text, (size_t)n, "pendulum"), CLV_OK);
    o.integrator = integrator, o.rtol = rtol;
    assert_int_equal(clv_sim_create(&s, m, &o), CLV_OK);
    *of = m;
    return s;
}

static void end(clv_sim *s, clv_model *m) { clv_sim_destroy(s), clv_model_destroy(m); }

static void a_turn_bounds_angles_alone(void **state)
{
    clv_model *m;
    (void)state;
    clv_sim *s = pendulum(&m, "cylindrical", "dopri5", 0, 1e-6);
    int bounded = 0;
    for (int i = 0; i < s->n; i++)
        bounded += s->bound[i] < INFINITY;
    assert_int_equal(bounded, 2); /* not the translation, the rates and the work */
    end(s, m);
}

static double angle(clv_sim *s)
{
    clv_joint_result r;
    assert_int_equal(clv_sim_joint(s, 1, &r), CLV_OK);
    return r.q[0];
}

/* a hundred thousand and ten million turns: the steps and the accuracy of none */
static void turns_do_not_loosen_the_tolerance(void **state)
{
    static const char *const method[] = {"dopri5", "dop853", "bs23", "adams", "bdf"};
    static const double turns[] = {0, 1e5, 1e7};
    double q[3], exact;
    clv_model *m;
    (void)state;
    clv_sim *s = pendulum(&m, "revolute", "dop853", 0, 1e-12);
    assert_int_equal(clv_sim_advance(s, 3), CLV_OK);
    exact = angle(s);
    end(s, m);
    for (int i = 0; i < 5; i++) {
        long steps[3];
        if (clv_method_find(method[i])->absent)
            continue;
        for (int k = 0; k < 3; k++) {
            clv_sim_report r;
            s = pendulum(&m, "revolute", method[i], turns[k] * 2 * CLV_PI, 1e-6);
            assert_int_equal(clv_sim_advance(s, 3), CLV_OK);
            q[k] = angle(s);
            clv_sim_summary(s, &r);
            steps[k] = r.steps;
            end(s, m);
            CLV_NEAR(q[k] - turns[k] * 2 * CLV_PI, exact, 2 * fabs(q[0] - exact) + 1e-6);
        }
        for (int k = 1; k < 3; k++)
            if (5 * steps[k] < 4 * steps[0] || 2 * steps[k] > 3 * steps[0]) /* an angle of 0.3 is not a turn */
                fail_msg("%s: %ld steps without turns, %ld after %g", method[i], steps[0], steps[k], turns[k]);
    }
}

/* A rotor out of balance at 1000 rad/s: the angle has to follow every turn, whatever the tolerance of the rate is. */
static void fast_rotors_are_resolved(void **state)
{
    static const double turns[] = {0, 1e6};
    char text[400];
    clv_model *m;
    clv_sim *s;
    clv_sim_options o = clv_sim_options_default();
    clv_sim_report r;
    (void)state;
    o.integrator = "bdf";
    for (int k = 0; k < 2 && !clv_method_find(o.integrator)->absent; k++) {
        const int n = snprintf(text, sizeof text,
                               "cleave: 1\nbodies: {a: {mass: 1, com: [0.1, 0, 0], inertia: [1, 1, 1]}}\njoints:\n"
                               "  p: {kind: revolute, a: {body: ground}, b: {body: a}}\n"
                               "gravity: [0, -9.81, 0]\nstart: {joints: {p: {q: %.17g, u: 1e3}}}\n",
                               turns[k] * 2 * CLV_PI);
        assert_int_equal(clv_model_read_text(&m, text, (size_t)n, "rotor"), CLV_OK);
        assert_int_equal(clv_sim_create(&s, m, &o), CLV_OK);
        assert_int_equal(clv_sim_advance(s, 1), CLV_OK);
        clv_sim_summary(s, &r);
        CLV_NEAR(r.max_energy_drift, 0, 5); /* of 505 kJ; 24 and 11 J where tolerances grow with turns */
        end(s, m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_turn_bounds_angles_alone),
        cmocka_unit_test(turns_do_not_loosen_the_tolerance),
        cmocka_unit_test(fast_rotors_are_resolved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
