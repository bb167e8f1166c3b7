/* SPDX-License-Identifier: Apache-2.0
 * Through singular positions by hdca (passage.c): the flat ladder is stepped over in few evaluations, mechanisms that
 * stay away from singular positions do not notice, and a run resumed near one goes on with the same bits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "cleave/cleave.h"
#include "simulation/sim.h"

static clv_sim *open_run(clv_model **m, const char *example, const char *integrator, double rtol)
{
    clv_sim *s;
    clv_sim_options o = clv_sim_options_default();
    o.integrator = integrator, o.rtol = rtol;
    assert_int_equal(clv_example_create(m, example, NULL, 0), CLV_OK);
    assert_int_equal(clv_sim_create(&s, *m, &o), CLV_OK);
    return s;
}

static void close_run(clv_sim *s, clv_model *m)
{
    clv_sim_destroy(s);
    clv_model_destroy(m);
}

/* 1.2 s hold two flat positions; with impulses alone the steps creep into them: 2950 evaluations, 795 of them without
 * a direction */
static void the_ladder_is_stepped_over(void **state)
{
    (void)state;
    clv_model *m;
    clv_sim_report r;
    clv_sim *s = open_run(&m, "four-bar-ladder", "dop853", 1e-10);
    assert_int_equal(clv_sim_advance(s, 1.2), CLV_OK);
    clv_sim_summary(s, &r);
    assert_true(s->system.summed);
    assert_true(r.rate_evaluations < 1200);
    assert_true(r.truncated_evaluations < 5);
    assert_true(r.max_velocity_violation < 1e-12);
    assert_true(r.max_energy_drift < 1e-8);
    close_run(s, m);
}

static void other_mechanisms_do_not_notice(void **state)
{
    (void)state;
    static const char *const example[] = {"hdca-case1", "hdca-case3", "five-bar", "bricard", "andrews", "loop-7r"};
    for (size_t i = 0; i < sizeof example / sizeof *example; i++) {
        clv_model *m;
        clv_sim *s = open_run(&m, example[i], "dopri5", 1e-6);
        for (int k = 1; k <= 40; k++) {
            assert_int_equal(clv_sim_advance(s, (strcmp(example[i], "andrews") == 0 ? 0.03 : 4) * k / 40), CLV_OK);
            assert_false(s->system.summed);
        }
        close_run(s, m);
    }
}

static void a_resumed_run_has_the_same_bits(void **state)
{
    (void)state;
    static const char *const integrator[] = {"dopri5", "dop853", "adams"};
    for (size_t i = 0; i < 3; i++) {
        clv_model *m, *m2;
        clv_sim *a = open_run(&m, "four-bar-ladder", integrator[i], 1e-9),
                *b = open_run(&m2, "four-bar-ladder", integrator[i], 1e-9);
        assert_int_equal(clv_sim_advance(a, 0.75), CLV_OK);
        assert_true(a->system.summed);
        size_t size = clv_sim_saved_size(a);
        void *bytes = malloc(size);
        assert_non_null(bytes);
        clv_sim_save(a, bytes);
        assert_int_equal(clv_sim_load(b, bytes, size), CLV_OK);
        assert_true(b->system.summed);
        for (int k = 1; k <= 3; k++) {
            assert_int_equal(clv_sim_advance(a, 0.75 + 0.5 * k), CLV_OK);
            assert_int_equal(clv_sim_advance(b, 0.75 + 0.5 * k), CLV_OK);
            assert_memory_equal(clv_sim_position(a), clv_sim_position(b), 3 * 5 * sizeof(double));
            assert_memory_equal(clv_sim_velocity(a), clv_sim_velocity(b), 6 * 5 * sizeof(double));
        }
        free(bytes);
        close_run(a, m);
        close_run(b, m2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_ladder_is_stepped_over),
        cmocka_unit_test(other_mechanisms_do_not_notice),
        cmocka_unit_test(a_resumed_run_has_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
