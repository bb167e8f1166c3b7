/* SPDX-License-Identifier: Apache-2.0
 * The choice of the lane width: by the CPU, by the environment, refused where it cannot be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "base/cpu.h"

static clv_status choose(const char *text, int *lanes, clv_error *e)
{
    *lanes = -1;
    assert_int_equal(text ? setenv("CLV_LANES", text, 1) : unsetenv("CLV_LANES"), 0);
    clv_status st = clv_cpu_lanes(lanes, e);
    unsetenv("CLV_LANES");
    return st;
}

static void without_environment_the_cpu_decides(void **state)
{
    (void)state;
    int lanes, empty;
    clv_error e;
    assert_int_equal(choose(NULL, &lanes, &e), CLV_OK);
    assert_true(clv_cpu_runs(lanes) && lanes >= 2);
    for (int i = 0; i < CLV_CPU_WIDTHS; i++) /* wider ones only where they have no registers of their own */
        if (clv_cpu_width[i] > lanes && clv_cpu_runs(clv_cpu_width[i]))
            assert_int_equal(lanes, 2);
    assert_int_equal(choose("", &empty, &e), CLV_OK);
    assert_int_equal(empty, lanes);
}

static void environment_names_a_width(void **state)
{
    (void)state;
    static const char *const text[CLV_CPU_WIDTHS] = {"1", "2", "4", "8"};
    for (int i = 0; i < CLV_CPU_WIDTHS; i++) {
        int lanes;
        clv_error e;
        clv_status st = choose(text[i], &lanes, &e);
        assert_int_equal(st, clv_cpu_runs(clv_cpu_width[i]) ? CLV_OK : CLV_ERR_UNSUPPORTED);
        assert_int_equal(lanes, st == CLV_OK ? clv_cpu_width[i] : -1);
        if (st != CLV_OK)
            assert_non_null(strstr(e.message, clv_cpu_instructions(clv_cpu_width[i])));
    }
    assert_true(clv_cpu_runs(1) && clv_cpu_runs(2));
}

static void other_texts_are_wrong_use(void **state)
{
    (void)state;
    static const char *const text[] = {"0", "3", "5", "16", "-1", "4 ", " 4", "08", "4x", "auto", "\xff"};
    for (size_t i = 0; i < sizeof text / sizeof text[0]; i++) {
        int lanes;
        clv_error e;
        assert_int_equal(choose(text[i], &lanes, &e), CLV_ERR_USAGE);
        assert_int_equal(lanes, -1);
        assert_non_null(strstr(e.message, "CLV_LANES"));
        assert_non_null(strstr(e.message, "1, 2, 4 or 8"));
    }
    assert_false(clv_cpu_runs(0) || clv_cpu_runs(3) || clv_cpu_runs(16));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_environment_the_cpu_decides),
        cmocka_unit_test(environment_names_a_width),
        cmocka_unit_test(other_texts_are_wrong_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
