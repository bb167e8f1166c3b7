/* SPDX-License-Identifier: Apache-2.0
 * Built-in examples: all can be made, start with closed loops, say their parameters, and refuse what they do not know.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "math/rotation.h"
#include "model/model.h"
#include "near.h"
#include <string.h>

/* m, between the two points of a joint in the start pose */
static double gap(const clv_model *m, const clv_joint *j)
{
    double p[2][3], d[3];
    const int body[2] = {j->a, j->b};
    const double *point[2] = {j->pa, j->pb};
    for (int k = 0; k < 2; ++k) {
        double R[9];
        memcpy(p[k], point[k], sizeof p[k]);
        if (body[k] == CLV_GROUND)
            continue;
        clv_quat_rotation(R, m->body[body[k]].e);
        clv_mat3_times(p[k], R, point[k]);
        clv_axpy3(p[k], 1, m->body[body[k]].r);
    }
    clv_sub3(d, p[0], p[1]);
    return clv_norm3(d);
}

static void every_example_is_made_with_closed_loops(void **state)
{
    (void)state;
    int n = 0;
    for (; clv_example_name(n); ++n) {
        clv_model *m;
        clv_status status = clv_example_create(&m, clv_example_name(n), NULL, 0);
        if (status != CLV_OK)
            fail_msg("%s: %s", clv_example_name(n), clv_model_error(m)->message);
        assert_non_null(clv_example_text(n));
        assert_string_equal(clv_model_name(m), clv_example_name(n));
        assert_true(m->time_end > 0);
        for (int i = 0; i < m->njoint; ++i)
            CLV_NEAR(gap(m, &m->joint[i]), 0, 1e-13);
        clv_model_destroy(m);
    }
    assert_true(n >= 15);
    assert_null(clv_example_text(n));
    assert_null(clv_example_name(-1));
}

static void parameters_set_the_size(void **state)
{
    (void)state;
    clv_model *m;
    const char *ladder[] = {"windows=5", "speed=-2.5"}, *chain[] = {"links=100", "spatial=1"}, *closed[] = {"links=33"};
    assert_int_equal(clv_example_create(&m, "four-bar-ladder", ladder, 2), CLV_OK);
    assert_int_equal(m->nbody, 11);
    assert_int_equal(m->njoint, 16);
    CLV_NEAR(m->body[6].v[0], -2.5, 0);
    clv_model_destroy(m);
    assert_int_equal(clv_example_create(&m, "chain", chain, 2), CLV_OK);
    assert_int_equal(m->nbody, 100);
    CLV_NEAR(m->joint[1].axis[1], 1, 0);
    clv_model_destroy(m);
    assert_int_equal(clv_example_create(&m, "chain-closed", closed, 1), CLV_OK);
    assert_int_equal(m->njoint, 34);
    for (int i = 0; i < m->njoint; ++i)
        CLV_NEAR(gap(m, &m->joint[i]), 0, 1e-12);
    clv_model_destroy(m);
}

/* Creates, expects wrong use, and finds `text` in message or hint. */
static void refused(const char *name, const char *param, const char *text)
{
    clv_model *m;
    assert_int_equal(clv_example_create(&m, name, &param, param ? 1 : 0), CLV_ERR_USAGE);
    if (!strstr(clv_model_error(m)->message, text) && !strstr(clv_model_error(m)->hint, text))
        fail_msg("'%s' not in: %s (%s)", text, clv_model_error(m)->message, clv_model_error(m)->hint);
    clv_model_destroy(m);
}

static void skew_chains_have_general_frames_angles_and_rates(void **state)
{
    (void)state;
    clv_model *m;
    const char *chain[] = {"links=7", "spatial=2"};
    assert_int_equal(clv_example_create(&m, "chain", chain, 2), CLV_OK);
    assert_int_equal(m->njoint, 7);
    for (int i = 0; i < m->njoint; ++i) {
        const clv_joint *j = &m->joint[i];
        const double turn = i % 2 ? 1.5707963267948966 : -1.1;
        assert_true(j->a == i - 1 && j->b == i);
        CLV_NEAR(j->pa[0], i ? 1 : 0, 0);
        CLV_NEAR(j->Ea[4], cos(turn), 1e-15);
        CLV_NEAR(j->Ea[7], sin(turn), 1e-15);
        CLV_NEAR(j->q[0], 3 * sin(1.7 * i + 0.3), 1e-15);
        CLV_NEAR(j->u[0], cos(2.3 * i), 1e-15);
        CLV_NEAR(m->body[i].com[1], 0.1, 0);
    }
    clv_model_destroy(m);
}

static void wrong_names_and_values_are_refused_with_the_known_ones(void **state)
{
    (void)state;
    refused("pendulums", NULL, "pendulum");
    refused("pendulum", "length=2", "no parameters");
    refused("chain", "length=2", "links=8");
    refused("chain", "links", "key=value");
    refused("chain", "links=", "whole number");
    refused("chain", "links=2.5", "whole number");
    refused("chain", "links=0", "from 1");
    refused("chain", "links=nan", "whole number");
    refused("chain", "spatial=3", "from 0 to 2");
    refused("chain", "links=8x", "'8x'");
    refused("four-bar-ladder", "speed=inf", "-1000");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_example_is_made_with_closed_loops),
        cmocka_unit_test(parameters_set_the_size),
        cmocka_unit_test(skew_chains_have_general_frames_angles_and_rates),
        cmocka_unit_test(wrong_names_and_values_are_refused_with_the_known_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
