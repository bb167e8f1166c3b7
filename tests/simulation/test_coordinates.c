/* SPDX-License-Identifier: Apache-2.0
 * Coordinates of all joints without an evaluation: the bits of clv_sim_joint, for every formulation; reading them
 * changes no bit of the run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "cleave/cleave.h"

enum { MOST = 16 };

static const char *const formulation[] = {"hdca", "dca", "massmatrix", "aldca", "index3"};
static const char *const mechanism[] = {"hdca-case1", "loader", "bricard", "satellite"};

static void compare(clv_sim *sim, const double *q, const double *u)
{
    clv_joint_result r;
    for (int j = 0; j < clv_model_joint_count(clv_sim_model(sim)); j++) {
        assert_int_equal(clv_sim_joint(sim, j, &r), CLV_OK);
        assert_memory_equal(q + 7 * j, r.q, (size_t)r.nq * sizeof(double));
        assert_memory_equal(u + 6 * j, r.u, (size_t)r.nu * sizeof(double));
    }
}

static void run(const char *name, const char *by)
{
    double q[7 * MOST], u[6 * MOST], again[7 * MOST];
    clv_model *model = NULL;
    clv_sim *seen = NULL, *alone = NULL;
    clv_sim_options o = clv_sim_options_default();
    o.formulation = by;
    assert_int_equal(clv_example_create(&model, name, NULL, 0), CLV_OK);
    assert_in_range(clv_model_joint_count(model), 1, MOST);
    assert_int_equal(clv_sim_create(&seen, model, &o), CLV_OK);
    assert_int_equal(clv_sim_create(&alone, model, &o), CLV_OK);
    for (int i = 1; i <= 5; i++) {
        assert_int_equal(clv_sim_advance(seen, 0.004 * i), CLV_OK);
        assert_int_equal(clv_sim_advance(alone, 0.004 * i), CLV_OK);
        assert_int_equal(clv_sim_coordinates(seen, q, u), CLV_OK);
    }
    const size_t size = 3 * (size_t)clv_model_body_count(model) * sizeof(double);
    assert_memory_equal(clv_sim_position(seen), clv_sim_position(alone), size);
    compare(seen, q, u);
    assert_int_equal(clv_sim_coordinates(seen, again, NULL), CLV_OK); /* after an evaluation */
    assert_memory_equal(again, q, 7 * (size_t)clv_model_joint_count(model) * sizeof(double));
    clv_sim_destroy(seen), clv_sim_destroy(alone);
    clv_model_destroy(model);
}

static void test_bits(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof mechanism / sizeof mechanism[0]; i++)
        for (size_t k = 0; k < sizeof formulation / sizeof formulation[0]; k++)
            run(mechanism[i], formulation[k]);
}

static void test_null(void **state)
{
    (void)state;
    assert_int_equal(clv_sim_coordinates(NULL, NULL, NULL), CLV_ERR_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bits), cmocka_unit_test(test_null)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
