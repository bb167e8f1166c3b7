/* SPDX-License-Identifier: Apache-2.0
 * Built-in examples: all can be made, start with closed loops, say their parameters, and refuse what they do not know.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "math/rotation.h"
#include "model/fingerprint.h"
#include "model/joint.h"
#include "model/model.h"
#include "near.h"
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
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
            if (clv_joint_velocity_rows(m->joint[i].kind) > 0) { /* the start touches the plane */
                assert_true(clv_joint_rolls(m->joint[i].kind));
                CLV_NEAR(m->body[m->joint[i].b].r[2], m->joint[i].more->radius, 1e-3);
            } else if (!m->joint[i].absent) { /* not an attachment of an event */
                const clv_joint *j = &m->joint[i];
                CLV_NEAR(gap(m, j), j->kind == CLV_JOINT_DISTANCE ? j->more->distance : 0, 1e-13);
            }
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
    CLV_NEAR(m->body[6].moving[0], -2.5, 0);
    clv_model_destroy(m);
    assert_int_equal(clv_example_create(&m, "chain", chain, 2), CLV_OK);
    assert_int_equal(m->nbody, 100);
    CLV_NEAR(m->joint[1].given->axis[1], 1, 0);
    clv_model_destroy(m);
    assert_int_equal(clv_example_create(&m, "chain-closed", closed, 1), CLV_OK);
    assert_int_equal(m->njoint, 34);
    for (int i = 0; i < m->njoint; ++i)
        CLV_NEAR(gap(m, &m->joint[i]), 0, 1e-12);
    clv_model_destroy(m);
}

/* The files replaced generators in C.  Their models are the same to the last bit: names, numbers, order. */
static void files_hold_the_models_that_generators_made(void **state)
{
    (void)state;
    static const struct {
        const char *name, *parameter;
        uint64_t fingerprint;
    } made[] = {
        {"pendulum", NULL, 0xe7b4adb1cbb10182},
        {"double-pendulum", NULL, 0xef0b4756fb0525c1},
        {"sine-chain-16", NULL, 0x4c8edeb23ac23e19},
        {"hdca-case1", NULL, 0x06a784e279c67106},
        {"hdca-case2", NULL, 0x99018afedbb1892a},
        {"hdca-case3", NULL, 0x1098aae78da31be0},
        {"aldca-coupled", NULL, 0x460ccaec914f5825},
        {"five-bar", NULL, 0x05d328c282cc7b9e},
        {"bricard", NULL, 0xa09d7673aabe764e},
        {"andrews", NULL, 0xb42740ebda140b89},
        {"loop-7r", NULL, 0x0391ccd36a684fdf},
        {"tree-robot", NULL, 0xbb068bbd9ab1e3e2},
        {"satellite", NULL, 0x6640570502c4d564},
        {"governor", NULL, 0x08250f90cd3a6509},
        {"flex-arm", NULL, 0x7e529af406f9bec8},
        {"jsc-18", NULL, 0xc5fb00d32332344e},
        {"hdca-case1", "last_cut=1", 0xa06737bccbf0370b},
        {"hdca-case2", "last_cut=1", 0xd8099f4b037fc1f1},
        {"hdca-case3", "last_cut=1", 0xd94f86d0cd358222},
        {"flex-arm", "modes=1", 0x84554cb683e85692},
        {"flex-arm", "modes=7", 0xdb1aedce5f175e21},
    };
    for (size_t i = 0; i < sizeof made / sizeof *made; ++i) {
        clv_model *m;
        assert_int_equal(clv_example_create(&m, made[i].name, &made[i].parameter, made[i].parameter != NULL), CLV_OK);
        if (clv_model_fingerprint(m) != made[i].fingerprint)
            fail_msg("%s %s: 0x%016" PRIx64, made[i].name, made[i].parameter ? made[i].parameter : "",
                     clv_model_fingerprint(m));
        clv_model_destroy(m);
    }
}

/* Text of examples/NAME.yaml. */
static char *load(const char *name)
{
    char path[300];
    snprintf(path, sizeof path, CLV_SOURCE_DIR "/examples/%s.yaml", name);
    FILE *f = fopen(path, "rb");
    char *text = f ? calloc(1, 1 << 17) : NULL;
    if (!text)
        fail_msg("cannot read %s", path);
    assert_true(fread(text, 1, (1 << 17) - 1, f) > 0);
    fclose(f);
    return text;
}

static void an_example_is_its_file(void **state)
{
    (void)state;
    int files = 0;
    glob_t found;
    for (int i = 0; clv_example_name(i); ++i) {
        const char *text = clv_example_source(i);
        if (!text) /* a generator */
            continue;
        char *file = load(clv_example_name(i));
        assert_string_equal(text, file);
        assert_true(strncmp(file, "# ", 2) == 0); /* the first line is what `cleave examples` prints */
        assert_int_equal(strncmp(file + 2, clv_example_text(i), strlen(clv_example_text(i))), 0);
        assert_int_equal(file[2 + strlen(clv_example_text(i))], '\n');
        free(file);
        files++;
    }
    assert_int_equal(glob(CLV_SOURCE_DIR "/examples/*.yaml", 0, NULL, &found), 0);
    assert_int_equal(found.gl_pathc, files);
    globfree(&found);
    assert_null(clv_example_source(-1));
    assert_true(files >= 19);
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
    refused("four-bar-ladder", "windows=0", "1 to 100000");
    refused("four-bar-ladder", "window=3", "did you mean 'windows'");
    refused("hdca-case1", "last-cut=1", "did you mean 'last_cut'");
    refused("hdca-case1", "last_cut=2", "-1 to 1");
    refused("mmsev-rigid", "rigid-connections=2", "from 0 to 1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_example_is_made_with_closed_loops),
        cmocka_unit_test(parameters_set_the_size),
        cmocka_unit_test(files_hold_the_models_that_generators_made),
        cmocka_unit_test(an_example_is_its_file),
        cmocka_unit_test(skew_chains_have_general_frames_angles_and_rates),
        cmocka_unit_test(wrong_names_and_values_are_refused_with_the_known_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
