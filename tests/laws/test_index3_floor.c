/* SPDX-License-Identifier: Apache-2.0
 * Small steps of index3 (T27): beside a flat position of the ladder rounding leaves more |dx| than its default eps_p,
 * and the iteration ends where it no longer decreases. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "cleave/cleave.h"

static void small_steps_pass_flat_positions(void **state)
{
    (void)state;
    clv_model *m;
    clv_sim *s;
    clv_sim_report r;
    const char *windows[] = {"windows=2"};
    assert_int_equal(clv_example_create(&m, "four-bar-ladder", windows, 1), CLV_OK);
    clv_sim_options o = clv_sim_options_default();
    o.formulation = "index3", o.step = 1e-4;
    assert_int_equal(clv_sim_create(&s, m, &o), CLV_OK);
    assert_int_equal(clv_sim_set_end(s, 2.7), CLV_OK);
    if (clv_sim_advance(s, 2.7) != CLV_OK)
        fail_msg("%s", clv_sim_error(s)->message);
    clv_sim_summary(s, &r);
    assert_true(r.max_energy_drift < 1e-5); /* of 36 J; order 2: 1e-3 at steps of 1e-3 */
    assert_true(r.max_position_violation < 1e-14);
    clv_sim_destroy(s), clv_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(small_steps_pass_flat_positions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
