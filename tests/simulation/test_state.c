/* SPDX-License-Identifier: Apache-2.0
 * Outputs computed elsewhere: the states that one simulation hands out, shown by another, have the bits of the outputs
 * of a third that shows them itself; and handing out changes nothing of the run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "base/memory.h"
#include "cleave/cleave.h"

typedef struct trial {
    const char *example, *parameter, *formulation, *integrator;
    double every;
} trial;

static const trial trials[] = {
    {"chain", "links=20", "hdca", "dopri5", 0.007},     {"chain", "links=20", "dca", "bs23", 0.007},
    {"hdca-case3", NULL, "hdca", "dopri5", 0.01},       {"hdca-case3", NULL, "dca", "dop853", 0.01},
    {"hdca-case3", NULL, "massmatrix", "adams", 0.01},  {"bricard", NULL, "hdca", "adams", 0.013},
    {"satellite", NULL, "hdca", "bs23", 0.02},          {"andrews", NULL, "dca", "dopri5", 0.0005},
    {"four-bar-ladder", "windows=3", "hdca", "dopri5", 0.03},
    {"hdca-case3", NULL, "aldca", "dop853", 0.01},      {"satellite", NULL, "aldca", "adams", 0.02},
};

static clv_sim *begin(const clv_model *m, const trial *t)
{
    clv_sim *s;
    clv_sim_options o = clv_sim_options_default();
    o.formulation = t->formulation, o.integrator = t->integrator;
    assert_int_equal(clv_sim_create(&s, m, &o), CLV_OK);
    return s;
}

static bool same(const double *a, const double *b, int n) { return memcmp(a, b, (size_t)n * sizeof *a) == 0; }

static bool same_output(clv_sim *a, clv_sim *b, const clv_model *m)
{
    int n = clv_model_body_count(m);
    double e[6], f[6];
    clv_joint_result x, y;
    clv_sim_energy(a, e, e + 1, e + 2), clv_sim_violation(a, e + 3, e + 4), e[5] = clv_sim_time(a);
    clv_sim_energy(b, f, f + 1, f + 2), clv_sim_violation(b, f + 3, f + 4), f[5] = clv_sim_time(b);
    bool good = same(e, f, 6) && same(clv_sim_position(a), clv_sim_position(b), 3 * n) &&
                same(clv_sim_quaternion(a), clv_sim_quaternion(b), 4 * n) &&
                same(clv_sim_velocity(a), clv_sim_velocity(b), 6 * n);
    for (int j = 0; j < clv_model_joint_count(m); j++) {
        assert_int_equal(clv_sim_joint(a, j, &x), CLV_OK), assert_int_equal(clv_sim_joint(b, j, &y), CLV_OK);
        good = good && same(x.force, y.force, 3) && same(x.torque, y.torque, 3) && same(x.udot, y.udot, x.nu);
    }
    return good && same(clv_sim_acceleration(a), clv_sim_acceleration(b), 6 * n);
}

static void check(const trial *t)
{
    clv_model *m;
    assert_int_equal(clv_example_create(&m, t->example, t->parameter ? &t->parameter : NULL, t->parameter != NULL),
                     CLV_OK);
    clv_sim *whole = begin(m, t), *handing = begin(m, t), *showing = begin(m, t);
    size_t size = clv_sim_state_size(handing);
    double *state = clv_alloc(size, sizeof *state);
    for (int i = 1; i <= 20; i++) {
        assert_int_equal(clv_sim_advance(whole, i * t->every), CLV_OK);
        assert_int_equal(clv_sim_advance_state(handing, i * t->every, state), CLV_OK);
        assert_true(clv_sim_time(handing) == 0);
        assert_int_equal(clv_sim_show_state(showing, state, size), CLV_OK);
        if (!same_output(whole, showing, m))
            fail_msg("%s, %s, %s: output %d differs", t->example, t->formulation, t->integrator, i);
    }
    clv_sim_report a, b;
    clv_sim_summary(whole, &a), clv_sim_summary(handing, &b);
    assert_true(a.time == b.time && a.energy == b.energy && a.rate_evaluations == b.rate_evaluations);
    assert_int_equal(clv_sim_advance(handing, 20 * t->every), CLV_OK); /* and may still be looked at itself */
    assert_true(same_output(whole, handing, m));
    assert_int_equal(clv_sim_show_state(showing, state, size - 1), CLV_ERR_USAGE);
    state[1] = 0.5;
    assert_int_equal(clv_sim_show_state(showing, state, size), CLV_ERR_USAGE);
    clv_free(state);
    clv_sim_destroy(whole), clv_sim_destroy(handing), clv_sim_destroy(showing);
    clv_model_destroy(m);
}

static void states_shown_elsewhere_have_the_same_bits(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++)
        check(&trials[i]);
}

/* A time before the last step is refused, and later ones have their bits. */
static void a_time_that_steps_have_passed_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) {
        const trial *t = &trials[i];
        clv_model *m;
        clv_sim_report r;
        assert_int_equal(clv_example_create(&m, t->example, t->parameter ? &t->parameter : NULL, t->parameter != NULL),
                         CLV_OK);
        clv_sim *s = begin(m, t), *whole = begin(m, t);
        assert_int_equal(clv_sim_advance(s, t->every), CLV_OK);
        assert_int_equal(clv_sim_advance(whole, t->every), CLV_OK);
        do {
            assert_int_equal(clv_sim_step(s, 100 * t->every), CLV_OK);
            clv_sim_summary(s, &r);
        } while (r.time < 8 * t->every || r.steps < 4);
        assert_int_equal(clv_sim_advance(s, t->every * 1.01), CLV_ERR_USAGE);
        assert_non_null(strstr(clv_sim_error(s)->message, "steps have passed time"));
        assert_int_equal(clv_sim_step(s, t->every * 1.01), CLV_ERR_USAGE);
        assert_int_equal(clv_sim_advance(s, t->every), CLV_OK); /* that is shown */
        assert_true(same_output(s, whole, m));
        assert_int_equal(clv_sim_advance(s, r.time), CLV_OK), assert_int_equal(clv_sim_advance(whole, r.time), CLV_OK);
        assert_true(same_output(s, whole, m));
        clv_sim_destroy(s), clv_sim_destroy(whole);
        clv_model_destroy(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(states_shown_elsewhere_have_the_same_bits),
                                       cmocka_unit_test(a_time_that_steps_have_passed_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
