/* SPDX-License-Identifier: Apache-2.0
 * Every rule of finish: the error is there, at its path, with its name, a reason and a hint; and what is allowed
 * passes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/model.h"
#include "near.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Two bodies b0, b1; b1 at (1, 0, 0). */
static clv_model *fresh(void)
{
    clv_model *m;
    assert_int_equal(clv_model_create(&m, "test"), CLV_OK);
    for (int i = 0; i < 2; i++) {
        clv_body_desc d = clv_body_desc_default();
        d.name = i ? "b1" : "b0";
        d.mass = 1;
        d.placed = true;
        d.position[0] = i;
        assert_int_equal(clv_model_add_body(m, NULL, &d), CLV_OK);
    }
    return m;
}
static clv_joint_desc joint(clv_joint_kind kind, const char *name)
{
    clv_joint_desc j = clv_joint_desc_default(kind);
    j.name = name, j.a = 0, j.b = 1;
    if (kind == CLV_JOINT_HELICAL)
        j.pitch = 0.1;
    return j;
}
static int add(clv_model *m, clv_joint_desc j)
{
    int k;
    assert_int_equal(clv_model_add_joint(m, &k, &j), CLV_OK);
    return k;
}
static clv_force_desc force(clv_force_kind kind, const char *name)
{
    clv_force_desc f = clv_force_desc_default(kind);
    f.name = name, f.a = 0, f.b = 1;
    return f;
}
static void load(clv_model *m, clv_force_desc f) { assert_int_equal(clv_model_add_force(m, NULL, &f), CLV_OK); }

static void one_error(clv_model *m, const char *path)
{
    assert_int_equal(clv_model_finish(m), CLV_ERR_MODEL);
    for (int i = 0; i < clv_model_error_count(m); i++)
        if (strcmp(clv_model_error_at(m, i)->path, path) != 0)
            print_error("unexpected: %s %s\n", clv_model_error_at(m, i)->path, clv_model_error_at(m, i)->message);
    assert_int_equal(clv_model_error_count(m), 1);
    const clv_error *e = clv_model_error(m);
    assert_string_equal(e->path, path);
    assert_true(strlen(e->message) > 20 && strlen(e->hint) > 5);
    assert_true(strchr(e->message, '\'') != NULL); /* names the item */
    assert_true(strlen(e->body) + strlen(e->joint) > 0);
    clv_model_destroy(m);
}
static void passes(clv_model *m)
{
    if (clv_model_finish(m) != CLV_OK)
        print_error("%s: %s\n", clv_model_error(m)->path, clv_model_error(m)->message);
    assert_int_equal(clv_model_error_count(m), 0);
    assert_true(m->finished);
    clv_model_destroy(m);
}

static void inertia(clv_model *m, double xx, double yy, double zz, double xy)
{
    double J[6] = {xx, yy, zz, xy, 0, 0};
    memcpy(m->body[0].J, J, sizeof J);
}
static void bodies(void **state)
{
    clv_model *m = fresh();
    (void)state;
    m->body[0].mass = -2;
    one_error(m, "bodies.b0.mass");
    m = fresh(), inertia(m, 1, 1, 2.1, 0);
    one_error(m, "bodies.b0.inertia");
    m = fresh(), inertia(m, 1, 1, 1, 1.5);
    one_error(m, "bodies.b0.inertia");
    m = fresh(), inertia(m, 0, 1, 1 + 1e-12, 0); /* a thin rod, rounded */
    passes(m);
    m = fresh(), inertia(m, 1, 1, 1, 0), m->body[0].mass = 0; /* a rotor without mass */
    passes(m);
    m = fresh(), m->body[0].mass = 0;
    passes(m);
}

static void joints(void **state)
{
    clv_model *m;
    clv_joint_desc j;
    (void)state;
    m = fresh(), j = joint(CLV_JOINT_REVOLUTE, "j"), j.b = 0, add(m, j);
    one_error(m, "joints.j.between");
    m = fresh(), j = joint(CLV_JOINT_REVOLUTE, "j"), j.a = j.b = CLV_GROUND, add(m, j);
    one_error(m, "joints.j.between");
    m = fresh(), j = joint(CLV_JOINT_REVOLUTE, "j"), j.global = true, j.axis[2] = 0, add(m, j);
    one_error(m, "joints.j.axis");
    m = fresh(), j = joint(CLV_JOINT_REVOLUTE, "j"), j.global = true, j.x_axis[2] = -3, add(m, j);
    one_error(m, "joints.j.x_axis");
    m = fresh(), j = joint(CLV_JOINT_HELICAL, "j"), j.pitch = 0, add(m, j);
    one_error(m, "joints.j.pitch");
    m = fresh(), j = joint(CLV_JOINT_REVOLUTE, "j"), j.pitch = 1, add(m, j);
    one_error(m, "joints.j.pitch");
    m = fresh(), j = joint(CLV_JOINT_DISTANCE, "j"), j.distance = -1, add(m, j);
    one_error(m, "joints.j.distance");
    m = fresh(), j = joint(CLV_JOINT_FIXED, "j"), j.distance = 1, add(m, j);
    one_error(m, "joints.j.distance");
    m = fresh(), j = joint(CLV_JOINT_POINT, "j"), j.cut = 0, add(m, j);
    one_error(m, "joints.j.cut");
    m = fresh(), j = joint(CLV_JOINT_FREE, "j"), j.cut = 2, add(m, j);
    one_error(m, "joints.j.cut");
    m = fresh(), j = joint(CLV_JOINT_REVOLUTE, "j"), j.baumgarte[0] = 1e13, j.baumgarte[1] = 1, add(m, j);
    one_error(m, "joints.j.baumgarte");
    m = fresh(), j = joint(CLV_JOINT_REVOLUTE, "j"), j.baumgarte[1] = 20, add(m, j);
    one_error(m, "joints.j.baumgarte");
    m = fresh(), j = joint(CLV_JOINT_REVOLUTE, "j"), j.alpha = INFINITY, add(m, j);
    one_error(m, "joints.j.alpha");
    m = fresh(), j = joint(CLV_JOINT_REVOLUTE, "j"), j.omega = -1, add(m, j);
    one_error(m, "joints.j.omega");
    m = fresh(), j = joint(CLV_JOINT_REVOLUTE, "j"), j.mu = 1e7, add(m, j);
    one_error(m, "joints.j.mu");
    m = fresh(), j = joint(CLV_JOINT_REVOLUTE, "j"), j.baumgarte[0] = j.baumgarte[1] = 0, j.alpha = 1e-6, add(m, j);
    passes(m);
    m = fresh(), j = joint(CLV_JOINT_REVOLUTE, "j"), j.has_q = true, add(m, j);
    one_error(m, "joints.j.q");
    m = fresh(), j = joint(CLV_JOINT_POINT, "j"), j.has_q = true, add(m, j);
    one_error(m, "joints.j.q");
    m = fresh(), j = joint(CLV_JOINT_FIXED, "j"), j.has_u = true, add(m, j);
    one_error(m, "joints.j.u");
    m = fresh(), add(m, joint(CLV_JOINT_DISTANCE, "d")), add(m, joint(CLV_JOINT_HELICAL, "h"));
    passes(m);
}

static int call(void *user, clv_load_view *view)
{
    (void)user, (void)view;
    return 0;
}
static void forces(void **state)
{
    clv_model *m;
    clv_force_desc f;
    double t[] = {0, 1, 1}, v[] = {0, 0, 0};
    (void)state;
    m = fresh(), f = force(CLV_FORCE_POINT, "f"), f.b = CLV_GROUND, load(m, f);
    one_error(m, "forces.f.body");
    m = fresh(), f = force(CLV_FORCE_SPRING, "f"), f.b = 0, load(m, f);
    one_error(m, "forces.f.between");
    m = fresh(), f = force(CLV_FORCE_SPRING, "f"), f.rest = -1, load(m, f);
    one_error(m, "forces.f.rest");
    m = fresh(), f = force(CLV_FORCE_CALLBACK, "f"), load(m, f);
    one_error(m, "forces.f.call");
    m = fresh(), f = force(CLV_FORCE_TORQUE, "f"), f.table = (clv_table){3, t, v}, load(m, f);
    one_error(m, "forces.f.table");
    m = fresh(), f = force(CLV_FORCE_JOINT, "f"), f.joint = add(m, joint(CLV_JOINT_FIXED, "j")), load(m, f);
    one_error(m, "forces.f.coordinate");
    m = fresh(), f = force(CLV_FORCE_JOINT, "f"), f.joint = add(m, joint(CLV_JOINT_PLANAR, "j")), f.coordinate = 3,
    load(m, f);
    one_error(m, "forces.f.coordinate");
    m = fresh(), f = force(CLV_FORCE_JOINT, "f"), f.joint = add(m, joint(CLV_JOINT_SPHERICAL, "j")), f.stiffness = 1,
    load(m, f);
    one_error(m, "forces.f.stiffness");
    m = fresh(), f = force(CLV_FORCE_JOINT, "f"), f.joint = add(m, joint(CLV_JOINT_FREE, "j")), f.coordinate = 3,
    f.stiffness = 1, load(m, f);
    one_error(m, "forces.f.stiffness");
    m = fresh(), f = force(CLV_FORCE_JOINT, "f"), f.joint = add(m, joint(CLV_JOINT_FREE, "j")), f.coordinate = 2,
    f.stiffness = 1, load(m, f);
    f.name = "g", f.coordinate = 5, f.stiffness = 0, f.damping = -1, load(m, f);
    f = force(CLV_FORCE_CALLBACK, "c"), f.call = call, load(m, f);
    f = force(CLV_FORCE_SPRING, "s"), f.a = CLV_GROUND, f.stiffness = -1, load(m, f);
    passes(m);
}

static int drive(clv_model *m, const char *name, int j, clv_table table)
{
    clv_motion_desc x = clv_motion_desc_default();
    x.name = name, x.joint = j, x.table = table;
    return clv_model_add_motion(m, NULL, &x);
}
static int couple(clv_model *m, const char *name, int first, int second, double ratio)
{
    clv_coupling_desc c = clv_coupling_desc_default();
    c.name = name, c.first = first, c.second = second, c.ratio = ratio;
    return clv_model_add_coupling(m, NULL, &c);
}
static void motions_and_couplings(void **state)
{
    clv_model *m;
    double t[] = {0, 2, 1}, v[] = {0, 0, 0};
    int j, k;
    clv_table none = {0};
    (void)state;
    m = fresh(), drive(m, "m", add(m, joint(CLV_JOINT_UNIVERSAL, "u")), none);
    one_error(m, "motions.m.joint");
    m = fresh(), j = add(m, joint(CLV_JOINT_HELICAL, "h")), drive(m, "m", j, none), drive(m, "n", j, none);
    one_error(m, "motions.n.joint");
    m = fresh(), drive(m, "m", add(m, joint(CLV_JOINT_HELICAL, "h")), (clv_table){3, t, v});
    one_error(m, "motions.m.table");
    m = fresh(), drive(m, "m", add(m, joint(CLV_JOINT_HELICAL, "h")), (clv_table){2, t, v});
    one_error(m, "motions.m.table");
    m = fresh(), j = add(m, joint(CLV_JOINT_HELICAL, "h")), couple(m, "c", j, j, 1);
    one_error(m, "couplings.c.between");
    m = fresh(), j = add(m, joint(CLV_JOINT_HELICAL, "h")), couple(m, "c", j, add(m, joint(CLV_JOINT_PLANAR, "p")), 1);
    one_error(m, "couplings.c.second");
    m = fresh(), j = add(m, joint(CLV_JOINT_HELICAL, "h")),
    couple(m, "c", j, add(m, joint(CLV_JOINT_REVOLUTE, "p")), 0);
    one_error(m, "couplings.c.ratio");
    m = fresh(), j = add(m, joint(CLV_JOINT_HELICAL, "h")),
    couple(m, "c", add(m, joint(CLV_JOINT_REVOLUTE, "p")), j, 2), drive(m, "m", j, none);
    one_error(m, "couplings.c.second");
    m = fresh(), j = add(m, joint(CLV_JOINT_HELICAL, "h")), k = add(m, joint(CLV_JOINT_REVOLUTE, "p"));
    couple(m, "c", j, k, 2), couple(m, "d", k, j, 2);
    one_error(m, "couplings.d");
    m = fresh(), j = add(m, joint(CLV_JOINT_HELICAL, "h")),
    couple(m, "c", j, add(m, joint(CLV_JOINT_REVOLUTE, "p")), 2), drive(m, "m", j, none);
    passes(m);
}

static void all_errors_are_told_a_hundred_at_most(void **state)
{
    clv_model *m = fresh();
    char name[16];
    (void)state;
    m->body[0].mass = m->body[1].mass = -1;
    for (int i = 0; i < 120; i++) {
        snprintf(name, sizeof name, "j%d", i);
        clv_joint_desc j = joint(CLV_JOINT_REVOLUTE, name);
        j.pitch = 1;
        add(m, j);
    }
    for (int again = 0; again < 2; again++) {
        assert_int_equal(clv_model_finish(m), CLV_ERR_MODEL);
        assert_int_equal(clv_model_error_count(m), CLV_ERROR_LIMIT + 1);
        assert_string_equal(clv_model_error(m)->path, "bodies.b0.mass");
        assert_string_equal(clv_model_error_at(m, 100)->message, "and 22 more errors");
        assert_null(clv_model_error_at(m, 101));
    }
    clv_model_destroy(m);
}

static void a_reader_s_errors_stay_in_front(void **state)
{
    clv_model *m = fresh();
    clv_error e = {.code = CLV_ERR_SYNTAX, .line = 3};
    (void)state;
    m->body[0].mass = -1;
    clv_model_log(m, &e);
    for (int again = 0; again < 2; again++) {
        assert_int_equal(clv_model_finish(m), CLV_ERR_SYNTAX);
        assert_int_equal(clv_model_error_count(m), 2);
        assert_int_equal(clv_model_error_at(m, 0)->line, 3);
        assert_string_equal(clv_model_error_at(m, 1)->path, "bodies.b0.mass");
    }
    m->body[0].mass = 1;
    assert_int_equal(clv_model_finish(m), CLV_ERR_SYNTAX); /* still not a model */
    clv_model_destroy(m);
}

/* rounding of mass x size^2 is no error; beyond it the model is refused, or clipped where that is asked for */
static void lenient_inertia(void **state)
{
    (void)state;
    double given[3], used[3];
    clv_model *m = fresh(); /* 1 kg, bodies 1 m apart */
    inertia(m, 3.6e-17, -2.4e-17, 3.6e-17, 0);
    assert_int_equal(clv_model_finish(m), CLV_OK);
    assert_int_equal(clv_model_clipped(m, 0, NULL, NULL), 0);
    clv_model_destroy(m);
    m = fresh(), inertia(m, 1, 1, 2.3, 0);
    assert_int_equal(clv_model_set_lenient(m, 1), CLV_OK);
    assert_int_equal(clv_model_finish(m), CLV_OK);
    assert_int_equal(clv_model_clipped(m, 0, given, used), 1);
    assert_int_equal(clv_model_clipped(m, 1, given, used), 0);
    assert_int_equal(clv_model_clipped(m, 2, given, used), 0);
    CLV_NEAR(given[2], 2.3, 1e-14);
    for (int i = 0; i < 2; i++) /* a third of the excess of 0.3 on each */
        CLV_NEAR(used[i], 1.1, 1e-14);
    CLV_NEAR(used[2], 2.2, 1e-14);
    assert_int_equal(clv_model_set_lenient(m, 0), CLV_ERR_USAGE);
    clv_model_destroy(m);
    m = fresh(), inertia(m, 0, 0, 1, 1); /* principal -1, 1, 1: the nearest is on the edge 0, t, t */
    clv_model_set_lenient(m, 1);
    assert_int_equal(clv_model_finish(m), CLV_OK);
    clv_model_clipped(m, 0, given, used);
    CLV_NEAR(given[0], -1, 1e-14);
    CLV_NEAR(used[0], 0, 1e-14);
    CLV_NEAR(used[1], 1, 1e-14);
    CLV_NEAR(used[2], 1, 1e-14);
    clv_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies),
        cmocka_unit_test(joints),
        cmocka_unit_test(forces),
        cmocka_unit_test(motions_and_couplings),
        cmocka_unit_test(all_errors_are_told_a_hundred_at_most),
        cmocka_unit_test(a_reader_s_errors_stay_in_front),
        cmocka_unit_test(lenient_inertia),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
