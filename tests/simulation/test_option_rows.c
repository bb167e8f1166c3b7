/* SPDX-License-Identifier: Apache-2.0
 * The list of options: defaults, ranges, values as numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <cmocka.h>
#include "simulation/option_rows.h"

static void defaults_are_those_of_the_list(void **state)
{
    (void)state;
    const clv_sim_options o = clv_sim_options_default();
    const clv_option_row *row;
    int n = 0;
    for (; (row = clv_option_row_at(n)) != NULL; n++) {
        assert_true(clv_option_is_default(row, clv_option_number(&o, row)));
        assert_ptr_equal(clv_option_row_named(row->name), row);
    }
    assert_true(n >= 24);
    assert_null(clv_option_row_at(-1));
    assert_null(clv_option_row_named("rtoll"));
    assert_null(o.formulation); /* the model decides */
}

static void values_go_in_and_out(void **state)
{
    (void)state;
    clv_sim_options o = clv_sim_options_default();
    const clv_option_row *row;
    for (int i = 0; (row = clv_option_row_at(i)) != NULL; i++) {
        const double x = row->type == CLV_TYPE_NUMBER ? 0.3 + i : row->type == CLV_TYPE_WHOLE ? 3 + i : i % 2;
        clv_option_set_number(&o, row, x);
    }
    for (int i = 0; (row = clv_option_row_at(i)) != NULL; i++) {
        const double x = row->type == CLV_TYPE_NUMBER ? 0.3 + i : row->type == CLV_TYPE_WHOLE ? 3 + i : i % 2;
        assert_true(clv_option_number(&o, row) == x);
    }
    assert_true(o.rtol == 0.3 && o.atol == 1.3);
}

/* a value beyond the range, or NaN where there is none */
static double beyond(const clv_option_row *row)
{
    return row->type == CLV_TYPE_FLAG ? NAN : row->most < INFINITY ? 2 * row->most : 0.5 * row->least;
}

static void values_out_of_range_are_refused_by_name(void **state)
{
    (void)state;
    const clv_option_row *row;
    clv_model *m;
    assert_int_equal(clv_example_create(&m, "bricard", NULL, 0), CLV_OK);
    int refused = 0;
    for (int i = 0; (row = clv_option_row_at(i)) != NULL; i++) {
        clv_sim_options o = clv_sim_options_default();
        const double x = beyond(row);
        clv_sim *s;
        if (isnan(x) || !isfinite(x))
            continue;
        o.formulation = row->of & CLV_OF_PENALTY ? "aldca" : row->of & CLV_OF_RULE ? "index3" : "dca";
        clv_option_set_number(&o, row, x);
        assert_int_equal(clv_sim_create(&s, m, &o), CLV_ERR_USAGE);
        assert_memory_equal(clv_sim_error(s)->message, row->name, strlen(row->name));
        assert_non_null(strstr(clv_sim_error(s)->message, "it must be"));
        clv_sim_destroy(s);
        refused++;
    }
    assert_true(refused >= 20);
    clv_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_those_of_the_list),
        cmocka_unit_test(values_go_in_and_out),
        cmocka_unit_test(values_out_of_range_are_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
