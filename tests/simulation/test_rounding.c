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

static clv_sim_report orbit(double rtol, const char *formulation)
{
    clv_body_desc b = clv_body_desc_default();
    clv_model *m;
    clv_sim *s;
    clv_sim_report r;
    clv_sim_options o = clv_sim_options_default();
    o.rtol = rtol, o.formulation = formulation, o.integrator = "dop853";
    b.name = "craft", b.mass = 100, b.inertia[0] = b.inertia[1] = 30, b.inertia[2] = 50;
    b.placed = b.moving = true;
    b.position[0] = 7e6, b.velocity[1] = 7500, b.angular_velocity[0] = 0.02, b.angular_velocity[2] = 0.05;
    assert_int_equal(clv_model_create(&m, "orbit"), CLV_OK);
    clv_model_set_gravity(m, (double[3]){0, 0, 0});
    assert_int_equal(clv_model_add_body(m, NULL, &b), CLV_OK);
    assert_int_equal(clv_model_finish(m), CLV_OK);
    assert_int_equal(clv_sim_create(&s, m, &o), CLV_OK);
    assert_int_equal(clv_sim_advance(s, 100), CLV_OK);
    clv_sim_summary(s, &r);
    clv_sim_destroy(s);
    clv_model_destroy(m);
    return r;
}

/* v x P of a spacecraft at 7.5 km/s is rounding, and more than its moments: hdca makes ten times the steps at 1e-9 */
static void dca_serves_in_orbit(void **state)
{
    (void)state;
    const clv_sim_report tight = orbit(1e-9, NULL), forced = orbit(1e-9, "hdca"), loose = orbit(1e-6, NULL);
    assert_string_equal(tight.formulation, "dca");
    assert_string_equal(loose.formulation, "hdca");
    assert_true(tight.momentum_error > 1e-9 && tight.momentum_error < 1e-7);
    assert_true(tight.momentum_error == forced.momentum_error && loose.momentum_error == forced.momentum_error);
    print_message("100 s in orbit: %ld steps by dca, %ld by hdca\n", tight.steps, forced.steps);
    assert_true(10 * tight.steps < forced.steps);
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
        cmocka_unit_test(dca_serves_in_orbit),
        cmocka_unit_test(drift_has_a_scale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
