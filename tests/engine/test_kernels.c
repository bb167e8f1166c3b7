/* SPDX-License-Identifier: Apache-2.0
 * The tables of lane kernels: one for each width, complete; what each computes is compared in laws/test_bits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include "base/cpu.h"
#include "engine/kernels.h"
#include "simulation/sim.h"

static void every_width_has_a_complete_table(void **state)
{
    (void)state;
    for (int i = 0; i < CLV_CPU_WIDTHS; i++) {
        const clv_kernels *k = clv_kernels_of(clv_cpu_width[i]);
        assert_non_null(k);
        assert_int_equal(k->lanes, clv_cpu_width[i]);
#define IS_THERE(name, arguments) assert_true(k->name != NULL);
        CLV_KERNELS(IS_THERE)
    }
    assert_null(clv_kernels_of(0));
    assert_null(clv_kernels_of(3));
}

static clv_sim *create(clv_model **m, clv_status expected)
{
    clv_sim *s;
    assert_int_equal(clv_example_create(m, "double-pendulum", NULL, 0), CLV_OK);
    assert_int_equal(clv_sim_create(&s, *m, NULL), expected);
    return s;
}

static void a_simulation_takes_the_table_it_is_told(void **state)
{
    (void)state;
    static const char *const text[CLV_CPU_WIDTHS] = {"1", "2", "4", "8"};
    for (int i = 0; i < CLV_CPU_WIDTHS; i++) {
        clv_model *m;
        clv_sim_report r;
        setenv("CLV_LANES", text[i], 1);
        const bool runs = clv_cpu_runs(clv_cpu_width[i]);
        clv_sim *s = create(&m, runs ? CLV_OK : CLV_ERR_UNSUPPORTED);
        clv_sim_summary(s, &r);
        assert_int_equal(r.lanes, runs ? clv_cpu_width[i] : 0);
        if (runs)
            assert_ptr_equal(s->system.engine.kernels, clv_kernels_of(clv_cpu_width[i]));
        clv_sim_destroy(s), clv_model_destroy(m);
    }
    unsetenv("CLV_LANES");
}

static void a_simulation_is_not_created_with_a_wrong_width(void **state)
{
    (void)state;
    clv_model *m;
    setenv("CLV_LANES", "6", 1);
    clv_sim *s = create(&m, CLV_ERR_USAGE);
    assert_string_equal(clv_sim_error(s)->message,
                        "the environment variable CLV_LANES is '6'; it must be 1, 2, 4 or 8");
    clv_sim_destroy(s), clv_model_destroy(m);
    unsetenv("CLV_LANES");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_width_has_a_complete_table),
        cmocka_unit_test(a_simulation_takes_the_table_it_is_told),
        cmocka_unit_test(a_simulation_is_not_created_with_a_wrong_width),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
