/* SPDX-License-Identifier: Apache-2.0
 * Filling a model: what add refuses at once, names, growth, and clean failure. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "model/joint.h"
#include "model/model.h"
#include "near.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static clv_model *fresh(void)
{
    clv_model *m;
    assert_int_equal(clv_model_create(&m, "test"), CLV_OK);
    return m;
}
static clv_body_desc body(const char *name)
{
    clv_body_desc d = clv_body_desc_default();
    d.name = name;
    d.mass = 1;
    return d;
}

static void an_empty_model(void **state)
{
    clv_model *m = fresh();
    (void)state;
    assert_string_equal(clv_model_name(m), "test");
    assert_int_equal(clv_model_body_count(m), 0);
    CLV_NEAR(m->gravity[2], -9.81, 0);
    assert_int_equal(clv_model_error(m)->code, CLV_OK);
    assert_int_equal(clv_model_finish(m), CLV_OK);
    clv_model_destroy(m);
    clv_model_destroy(NULL);
}

static void names_of_models_are_text(void **state)
{
    static const char *const bad[] = {"a\x1b[31m", "two\nlines", "\xff", "\xe2\x80\xae"};
    clv_model *m;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        m = (clv_model *)state;
        assert_int_equal(clv_model_create(&m, bad[i]), CLV_ERR_USAGE);
        assert_null(m);
    }
    assert_int_equal(clv_model_create(&m, "Kurbel \xc3\xa4 2, links"), CLV_OK);
    assert_string_equal(clv_model_name(m), "Kurbel \xc3\xa4 2, links");
    clv_model_destroy(m);
}

static void descriptions_are_copied(void **state)
{
    clv_model *m = fresh();
    char name[] = "crank";
    clv_body_desc b = body(name);
    double t[] = {0, 1}, v[] = {5, 6};
    int index = -1;
    (void)state;
    b.inertia[4] = 0.25;
    b.branch = "arm";
    assert_int_equal(clv_model_add_body(m, &index, &b), CLV_OK);
    assert_int_equal(index, 0);
    name[0] = 'x';
    assert_string_equal(clv_model_body_name(m, 0), "crank");
    assert_null(clv_model_body_name(m, 1));
    assert_null(clv_model_joint_name(m, -1));
    assert_null(clv_model_marker_name(m, 0));
    assert_int_equal(clv_model_find_body(m, "crank"), 0);
    assert_int_equal(clv_model_find_body(m, "xrank"), -1);
    assert_int_equal(clv_model_find_joint(m, "crank"), -1);
    CLV_NEAR(m->body[0].J[4], 0.25, 0);
    b.name = "rod";
    assert_int_equal(clv_model_add_body(m, NULL, &b), CLV_OK);
    assert_int_equal(m->nbranch, 1);
    assert_int_equal(m->body[1].branch, 0);
    assert_string_equal(m->branch[0], "arm");
    clv_force_desc f = clv_force_desc_default(CLV_FORCE_POINT);
    f.name = "crank"; /* names are unique per category only */
    f.b = 0;
    f.table = (clv_table){2, t, v};
    assert_int_equal(clv_model_add_force(m, &index, &f), CLV_OK);
    v[1] = 0;
    CLV_NEAR(clv_series_at(&m->force[0].table, 2, 0), 6, 0);
    clv_model_destroy(m);
}

/* Adds and expects a refusal at this path. */
#define REFUSED(call, code_, path_)                                 \
    do {                                                            \
        assert_int_equal((call), (code_));                          \
        assert_int_equal(clv_model_error(m)->code, (code_));        \
        assert_string_equal(clv_model_error(m)->path, (path_));     \
    } while (0)

static void what_add_refuses(void **state)
{
    clv_model *m = fresh();
    clv_body_desc b = body("crank"), zero = {0};
    (void)state;
    assert_int_equal(clv_model_add_body(m, NULL, &zero), CLV_ERR_USAGE);
    assert_int_equal(clv_model_add_body(m, NULL, NULL), CLV_ERR_USAGE);
    assert_int_equal(clv_model_add_body(m, NULL, &b), CLV_OK);
    REFUSED(clv_model_add_body(m, NULL, &b), CLV_ERR_MODEL, "bodies.crank");
    assert_string_equal(clv_model_error(m)->body, "crank");
    b.name = "ground";
    REFUSED(clv_model_add_body(m, NULL, &b), CLV_ERR_MODEL, "bodies.ground");
    b.name = NULL;
    assert_int_equal(clv_model_add_body(m, NULL, &b), CLV_ERR_MODEL);
    b.name = "rod";
    b.mass = NAN;
    REFUSED(clv_model_add_body(m, NULL, &b), CLV_ERR_MODEL, "bodies.rod.mass");
    b.mass = 1;
    b.placed = true;
    b.orientation[0] = 1.01;
    REFUSED(clv_model_add_body(m, NULL, &b), CLV_ERR_MODEL, "bodies.rod.orientation");
    CLV_NEAR(clv_model_error(m)->value, 1.01, 1e-15);
    b.orientation[0] = 1.0005;
    assert_int_equal(clv_model_add_body(m, NULL, &b), CLV_OK);
    CLV_NEAR(m->body[1].e[0], 1, 0);
    clv_joint_desc j = clv_joint_desc_default(CLV_JOINT_REVOLUTE);
    j.name = "a", j.b = 2;
    REFUSED(clv_model_add_joint(m, NULL, &j), CLV_ERR_MODEL, "joints.a.between");
    assert_string_equal(clv_model_error(m)->joint, "a");
    j.b = 0, j.kind = (clv_joint_kind)77;
    REFUSED(clv_model_add_joint(m, NULL, &j), CLV_ERR_MODEL, "joints.a.kind");
    j.kind = CLV_JOINT_SPHERICAL, j.has_q = true, j.q[0] = 0.5, j.q[1] = 0.5;
    REFUSED(clv_model_add_joint(m, NULL, &j), CLV_ERR_MODEL, "joints.a.q");
    assert_int_equal(m->njoint, 0);
    clv_motion_desc x = clv_motion_desc_default();
    x.name = "m";
    REFUSED(clv_model_add_motion(m, NULL, &x), CLV_ERR_MODEL, "motions.m.joint");
    clv_coupling_desc c = clv_coupling_desc_default();
    c.name = "c";
    REFUSED(clv_model_add_coupling(m, NULL, &c), CLV_ERR_MODEL, "couplings.c.between");
    clv_marker_desc k = clv_marker_desc_default();
    k.name = "K";
    REFUSED(clv_model_add_marker(m, NULL, &k), CLV_ERR_MODEL, "markers.K.body");
    clv_force_desc f = clv_force_desc_default(CLV_FORCE_SPRING);
    f.name = "f", f.table.n = 2;
    REFUSED(clv_model_add_force(m, NULL, &f), CLV_ERR_USAGE, "forces.f.table");
    assert_int_equal(clv_model_set_gravity(m, (double[3]){0, INFINITY, 0}), CLV_ERR_MODEL);
    assert_int_equal(clv_model_finish(m), CLV_OK);
    b.name = "late";
    assert_int_equal(clv_model_add_body(m, NULL, &b), CLV_ERR_USAGE);
    assert_int_equal(clv_model_set_gravity(m, (double[3]){0, 0, 0}), CLV_ERR_USAGE);
    assert_int_equal(clv_model_finish(m), CLV_OK); /* again: nothing to do */
    clv_model_destroy(m);
}

/* of all lengths, beside each other; a name takes no memory of its own */
static void names_lie_in_blocks(void **state)
{
    enum { N = 3000, LONG = 100000 };
    clv_model *m = fresh();
    static char name[LONG + 16];
    (void)state;
    const long before = clv_alloc_count();
    for (int i = 0; i < N; i++) {
        const int n = i == 1000 ? LONG : i % 40;
        memset(name, 'x', (size_t)n);
        snprintf(name + n, 16, "%d", i);
        clv_body_desc b = body(name);
        assert_int_equal(clv_model_add_body(m, NULL, &b), CLV_OK);
        assert_int_equal(clv_model_add_body(m, NULL, &b), CLV_ERR_MODEL); /* twice */
    }
    assert_true(clv_alloc_count() - before < 60);
    for (int i = 0; i < N; i++) {
        const char *own = clv_model_body_name(m, i);
        assert_int_equal(clv_model_find_body(m, own), i);
        assert_int_equal(strlen(own) > LONG, i == 1000);
        assert_int_equal(atoi(own + strspn(own, "x")), i);
    }
    assert_int_equal(clv_model_find_body(m, "x"), -1);
    clv_model_destroy(m);
}

static void a_hundred_thousand_bodies(void **state)
{
    enum { N = 100000 };
    clv_model *m = fresh();
    char name[32];
    clock_t start = clock();
    (void)state;
    for (int i = 0; i < N; i++) {
        snprintf(name, sizeof name, "link%d", i);
        clv_body_desc b = body(name);
        assert_int_equal(clv_model_add_body(m, NULL, &b), CLV_OK);
        clv_joint_desc j = clv_joint_desc_default(CLV_JOINT_REVOLUTE);
        j.name = name, j.a = i - 1, j.b = i;
        j.position_b[0] = -1;
        assert_int_equal(clv_model_add_joint(m, NULL, &j), CLV_OK);
    }
    assert_int_equal(clv_model_finish(m), CLV_OK);
    assert_int_equal(clv_model_find_body(m, "link77777"), 77777);
    assert_int_equal(clv_model_find_joint(m, "link99999"), 99999);
    CLV_NEAR(m->body[N - 1].r[0], N, 0);
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 10); /* seconds; growth like n^2 would take minutes */
    clv_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_model),
        cmocka_unit_test(names_of_models_are_text),
        cmocka_unit_test(descriptions_are_copied),
        cmocka_unit_test(what_add_refuses),
        cmocka_unit_test(names_lie_in_blocks),
        cmocka_unit_test(a_hundred_thousand_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
