/* SPDX-License-Identifier: Apache-2.0
 * Numbers that are wrong by many orders of magnitude end with a named error, at the start or in the run, with every
 * integrator, and never run on without end; fast mechanisms still run. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cleave/cleave.h"

#define OK(call) assert_int_equal(call, CLV_OK)

/* a rod of 1 m on a hinge, its axis z, let go from below under gravity along x; u: its rate at the start */
static clv_model *rod(double gravity, double u)
{
    clv_model *m;
    clv_body_desc b = clv_body_desc_default();
    clv_joint_desc j = clv_joint_desc_default(CLV_JOINT_REVOLUTE);
    int body;
    OK(clv_model_create(&m, "rod"));
    OK(clv_model_set_gravity(m, (const double[3]){gravity, 0, 0}));
    b.name = "rod", b.mass = 1, b.com[1] = -1, b.inertia[0] = b.inertia[1] = b.inertia[2] = 1;
    OK(clv_model_add_body(m, &body, &b));
    j.name = "hinge", j.a = CLV_GROUND, j.b = body, j.u[0] = u, j.has_u = true;
    OK(clv_model_add_joint(m, NULL, &j));
    OK(clv_model_finish(m));
    return m;
}

/* The error of a run of 1 s; */
static clv_status outcome(const clv_model *m, const char *formulation, const char *integrator, clv_error *e)
{
    clv_sim_options o = clv_sim_options_default();
    clv_sim *s;
    o.formulation = formulation, o.integrator = integrator;
    if (strcmp(integrator, "rk4") == 0)
        o.step = 0.01;
    clv_status st = clv_sim_create(&s, m, &o);
    if (st == CLV_OK)
        st = clv_sim_advance(s, 1);
    *e = *clv_sim_error(s);
    clv_sim_destroy(s);
    return st;
}

static void absurd_loads_end_with_an_error(void **state)
{
    (void)state;
    static const char *const how[][2] = {{"hdca", "dopri5"}, {"hdca", "adams"},       {"dca", "adams"},
                                         {"hdca", "rk4"},    {"massmatrix", "dopri5"}, {"massmatrix", "adams"},
                                         {"aldca", "dopri5"}};
    static const double gravity[] = {1e20, 1e50, 1e100, 1e200, 1e300};
    for (size_t g = 0; g < sizeof gravity / sizeof *gravity; g++) {
        clv_model *m = rod(gravity[g], 0);
        for (size_t i = 0; i < sizeof how / sizeof *how; i++) {
            clv_error e;
            assert_int_equal(outcome(m, how[i][0], how[i][1], &e), CLV_ERR_NOT_FINITE);
            assert_string_equal(e.body, "rod");
            assert_true(strlen(e.hint) > 0);
        }
        clv_model_destroy(m);
    }
}

static void absurd_rates_are_refused_at_the_start(void **state)
{
    (void)state;
    clv_model *m = rod(9.81, 2e9);
    clv_error e;
    assert_int_equal(outcome(m, "hdca", "dopri5", &e), CLV_ERR_NOT_FINITE);
    assert_non_null(strstr(e.message, "above 1e+09 rad/s"));
    assert_true(e.value == 2e9 && e.time == 0);
    clv_model_destroy(m);
}

/* 1e5 rad/s^2 are real */
static void fast_mechanisms_run(void **state)
{
    (void)state;
    clv_model *m = rod(1e5, 100);
    clv_error e;
    OK(outcome(m, "hdca", "dopri5", &e));
    clv_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(absurd_loads_end_with_an_error),
                                       cmocka_unit_test(absurd_rates_are_refused_at_the_start),
                                       cmocka_unit_test(fast_mechanisms_run)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
