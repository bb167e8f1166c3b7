/* SPDX-License-Identifier: Apache-2.0
 * A limit of the number of steps (pace.c): where it ends a run, and that a run goes on with the same bits after it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <math.h>
#include "cleave/cleave.h"

static clv_sim *open_sim(clv_model **m, const char *example)
{
    clv_sim *s;
    clv_sim_options o = clv_sim_options_default();
    o.rtol = 1e-9;
    assert_int_equal(clv_example_create(m, example, NULL, 0), CLV_OK);
    assert_int_equal(clv_sim_create(&s, *m, &o), CLV_OK);
    return s;
}

static void a_limit_ends_a_run_that_can_go_on(void **state)
{
    clv_model *m, *whole_m;
    clv_sim *s = open_sim(&m, "hdca-case1"), *whole = open_sim(&whole_m, "hdca-case1");
    clv_sim_report r;
    (void)state;
    assert_int_equal(clv_sim_set_max_steps(s, 0.5, NAN), CLV_ERR_USAGE);
    assert_int_equal(clv_sim_set_max_steps(s, 30, NAN), CLV_OK);
    assert_int_equal(clv_sim_advance(s, 5), CLV_ERR_STEP_SIZE);
    assert_non_null(strstr(clv_sim_error(s)->message, "more than 30 steps at t = "));
    assert_non_null(strstr(clv_sim_error(s)->message, "% of them"));
    assert_non_null(strstr(clv_sim_error(s)->message, "(max_steps)"));
    assert_null(strstr(clv_sim_error(s)->hint, "--"));
    clv_sim_summary(s, &r);
    assert_int_equal(r.steps + r.rejected_steps, 30);
    assert_true(clv_sim_time(s) == r.time && r.time > 0 && r.time < 5);
    assert_int_equal(clv_sim_advance(s, 5), CLV_ERR_STEP_SIZE);
    assert_int_equal(clv_sim_set_max_steps(s, INFINITY, NAN), CLV_OK);
    assert_int_equal(clv_sim_advance(s, 5), CLV_OK);
    assert_int_equal(clv_sim_advance(whole, 5), CLV_OK);
    assert_memory_equal(clv_sim_position(s), clv_sim_position(whole), 3 * 4 * sizeof(double));
    clv_sim_summary(s, &r);
    assert_int_equal(clv_sim_set_max_steps(whole, (double)(r.steps + r.rejected_steps), NAN), CLV_OK);
    assert_int_equal(clv_sim_advance(whole, clv_sim_time(s)), CLV_OK); /* it is there without another step */
    clv_sim_destroy(s), clv_sim_destroy(whole), clv_model_destroy(m), clv_model_destroy(whole_m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_limit_ends_a_run_that_can_go_on)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
