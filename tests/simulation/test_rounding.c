/* SPDX-License-Identifier: Apache-2.0
 * What rates lose as momenta (rounding.c): rounding for short mechanisms, more with the cube of the length of a chain,
 * nothing where the state is not momenta; and the scale of the energy drift. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include "cleave/cleave.h"

static clv_sim_report report_of(const char *example, const char *param, const char *formulation, double time)
{
    const char *params[2] = {param, "spatial=1"};
    clv_model *m;
    clv_sim *s;
    clv_sim_report r;
    clv_sim_options o = clv_sim_options_default();
    o.formulation = formulation;
    assert_int_equal(clv_example_create(&m, example, params, param ? 2 : 0), CLV_OK);
    assert_int_equal(clv_sim_create(&s, m, &o), CLV_OK);
    if (time > 0)
        assert_int_equal(clv_sim_advance(s, time), CLV_OK);
    clv_sim_summary(s, &r);
    clv_sim_destroy(s);
    clv_model_destroy(m);
    return r;
}

/* where that is more than the tolerance, and no formulation is given, the state is not momenta */
static void dca_serves_where_momenta_lose(void **state)
{
    (void)state;
    const clv_sim_report r = report_of("chain", "links=1024", NULL, 0.01);
    assert_string_equal(r.formulation, "dca");
    assert_true(r.momentum_error > 1e-6 && r.max_energy_drift < 1e-6 * r.energy_moved);
    assert_true(r.momentum_error == report_of("chain", "links=1024", "hdca", 0).momentum_error);
    assert_string_equal(report_of("chain", "links=1024", "hdca", 0).formulation, "hdca");
    assert_string_equal(report_of("chain", "links=16", NULL, 0).formulation, "hdca");
}

static void momenta_lose_with_the_length(void **state)
{
    (void)state;
    const double short_chain = report_of("chain", "links=16", "hdca", 0).momentum_error;
    const double middle = report_of("chain", "links=128", "hdca", 0).momentum_error;
    const double long_chain = report_of("chain", "links=1024", "hdca", 0).momentum_error;
    assert_true(short_chain < 1e-11 && middle > 30 * short_chain && long_chain > 30 * middle);
    assert_true(long_chain > 1e-7 && long_chain < 1e-3);
    assert_true(report_of("chain", "links=1024", "dca", 0).momentum_error == 0);
    assert_true(report_of("bricard", NULL, "hdca", 0).momentum_error < 1e-13);
}

/* from rest: what falls becomes motion, so the scale is the fall */
static void drift_has_a_scale(void **state)
{
    (void)state;
    clv_sim_report r = report_of("hdca-case1", NULL, "hdca", 0);
    assert_true(r.energy_moved == 0 && isnan(r.max_energy_drift_relative));
    r = report_of("hdca-case1", NULL, "hdca", 2);
    assert_true(r.energy_moved > 1 && r.energy_moved < 100);
    assert_true(r.max_energy_drift_relative == r.max_energy_drift / r.energy_moved);
    assert_true(r.max_energy_drift_relative > 0 && r.max_energy_drift_relative < 1e-4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(momenta_lose_with_the_length),
        cmocka_unit_test(dca_serves_where_momenta_lose),
        cmocka_unit_test(drift_has_a_scale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
