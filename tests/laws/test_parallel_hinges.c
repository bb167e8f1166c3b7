/* SPDX-License-Identifier: Apache-2.0
 * A hundred hinges on one axis between the same two bodies: 495 redundant rows, one freedom.  Starting costs the cube
 * of the rows with a small factor, not more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <cmocka.h>
#include "cleave/cleave.h"
#include "near.h"

static void hundred_hinges_start_and_swing(void **state)
{
    (void)state;
    enum { HINGES = 100 };
    clv_model *m;
    clv_sim *s;
    clv_sim_report r;
    char name[16];
    const clock_t begin = clock();
    assert_int_equal(clv_model_create(&m, "hinges"), CLV_OK);
    clv_body_desc b = clv_body_desc_default();
    b.name = "b", b.mass = 1, b.com[0] = 1; /* a point mass on an arm */
    assert_int_equal(clv_model_add_body(m, NULL, &b), CLV_OK);
    for (int i = 0; i < HINGES; i++) {
        clv_joint_desc j = clv_joint_desc_default(CLV_JOINT_REVOLUTE);
        snprintf(name, sizeof name, "j%d", i);
        j.name = name, j.a = CLV_GROUND, j.b = 0, j.global = true, j.axis[1] = 1, j.axis[2] = 0, j.at[1] = 0.001 * i;
        assert_int_equal(clv_model_add_joint(m, NULL, &j), CLV_OK);
    }
    assert_int_equal(clv_model_finish(m), CLV_OK);
    clv_sim_options o = clv_sim_options_default();
    o.rtol = 1e-9, o.integrator = "dop853";
    assert_int_equal(clv_sim_create(&s, m, &o), CLV_OK);
    assert_int_equal(clv_sim_set_end(s, 0.5), CLV_OK);
    assert_int_equal(clv_sim_advance(s, 0.5), CLV_OK);
    clv_sim_summary(s, &r);
    assert_int_equal(r.redundant_constraints, 5 * (HINGES - 1));
    assert_int_equal(r.mobility_found, 1);
    const double *x = clv_sim_position(s), *V = clv_sim_velocity(s); /* 1/2 v^2 = g (0 - z) */
    CLV_NEAR(0.5 * (V[0] * V[0] + V[2] * V[2]) + 9.81 * x[2], 0, 1e-7);
    assert_true(x[2] < -0.5);
    assert_true((double)(clock() - begin) / CLOCKS_PER_SEC < 20);
    clv_sim_destroy(s), clv_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(hundred_hinges_start_and_swing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
