/* SPDX-License-Identifier: Apache-2.0
 * Rates of the rates of closing joints and accelerations of markers against differences of what they are rates of, by
 * every formulation; efforts against the power of drives; clv_sim_joint after a step. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cleave/cleave.h"
#include "near.h"
#include "simulation/names.h"

#define MODEL \
    "cleave: 1\n" \
    "gravity: [0, -9.81, 0]\n" \
    "bodies:\n" \
    "  crank:   {mass: 1, com: [0, 0.5, 0],   inertia: [0.08, 0.01, 0.08]}\n" \
    "  coupler: {mass: 2, com: [1, 0.25, 0],  inertia: [0.05, 0.70, 0.71]}\n" \
    "  rocker:  {mass: 1, com: [0, -0.75, 0], inertia: [0.19, 0.01, 0.19]}\n" \
    "joints:\n" \
    "  a: {kind: revolute, between: [ground, crank],   at: [0, 0, 0],   axis: [0, 0, 1]}\n" \
    "  b: {kind: revolute, between: [crank, coupler],  at: [0, 1, 0],   axis: [0, 0, 1]}\n" \
    "  c: {kind: %s, between: [coupler, rocker], at: [2, 1.5, 0], axis: %s%s}\n" \
    "  d: {kind: revolute, between: [rocker, ground],  at: [2, 0, 0],   axis: [0, 0, 1]}\n" \
    "forces: {push: {kind: joint-load, joint: a, drive: 3}}\n" \
    "markers: {middle: {body: coupler, position: [1, 0.25, 0.1]}}\n" \
    "start:\n" \
    "  bodies:\n" \
    "    crank:   {position: [0, 0, 0], angular_velocity: [0, 0, -1.5]}\n" \
    "    coupler: {position: [0, 1, 0], velocity: [1.5, 0, 0]}\n" \
    "    rocker:  {position: [2, 1.5, 0], velocity: [1.5, 0, 0], angular_velocity: [0, 0, -1]}\n"

typedef struct pose {
    double u[6], x[3], v[3];
} pose;

static pose look(clv_sim *s, int joint)
{
    clv_joint_result r;
    pose p;
    assert_int_equal(clv_sim_joint(s, joint, &r), CLV_OK);
    for (int i = 0; i < 6; i++)
        p.u[i] = r.u[i];
    for (int i = 0; i < 3; i++)
        p.x[i] = clv_sim_marker(s)[i], p.v[i] = clv_sim_marker(s)[3 + i];
    return p;
}

static clv_model *read(const char *kind, const char *axis, const char *more)
{
    char text[2000];
    clv_model *m;
    snprintf(text, sizeof text, MODEL, kind, axis, more);
    clv_status st = clv_model_read_text(&m, text, strlen(text), NULL);
    if (st != CLV_OK)
        print_error("%s: %s\n", kind, clv_model_error(m)->message);
    assert_int_equal(st, CLV_OK);
    return m;
}

/* at 0.2 s by central differences over 2 x 1 ms */
static void check(const clv_model *m, const char *formulation, int nu)
{
    const double h = 1e-3;
    const int closing = clv_model_find_joint(m, "c");
    clv_sim_options o = clv_sim_options_default();
    o.formulation = formulation;
    o.rtol = 1e-10;
    if (strcmp(formulation, "index3") == 0)
        o.step = 1e-4;
    clv_sim *s;
    assert_int_equal(clv_sim_create(&s, m, &o), CLV_OK);
    assert_int_equal(clv_sim_advance(s, 0.2 - h), CLV_OK);
    const pose before = look(s, closing);
    assert_int_equal(clv_sim_advance(s, 0.2), CLV_OK);
    clv_joint_result r;
    assert_int_equal(clv_sim_joint(s, closing, &r), CLV_OK);
    double A[3];
    for (int i = 0; i < 3; i++)
        A[i] = clv_sim_marker_acceleration(s)[i];
    assert_int_equal(clv_sim_advance(s, 0.2 + h), CLV_OK);
    const pose after = look(s, closing);
    assert_int_equal(r.nu, nu);
    for (int i = 0; i < nu; i++)
        CLV_NEAR(r.udot[i], (after.u[i] - before.u[i]) / (2 * h), 5e-5);
    for (int i = 0; i < 3; i++)
        CLV_NEAR(A[i], (after.v[i] - before.v[i]) / (2 * h), 5e-5);
    assert_int_equal(clv_sim_joint(s, clv_model_find_joint(m, "a"), &r), CLV_OK);
    CLV_NEAR(r.effort[0], 3, 1e-9);
    clv_sim_destroy(s);
}

static void by_every_formulation(void **state)
{
    (void)state;
    clv_model *m = read("revolute", "[0, 0, 1]", ", cut: true");
    for (int i = 0; clv_formulation_name(i); i++)
        check(m, clv_formulation_name(i), 1);
    clv_model_destroy(m);
}

static void of_every_kind(void **state)
{
    static const struct {
        const char *kind, *axis;
        int nu;
    } list[] = {{"cylindrical", "[0, 0, 1]", 2}, {"spherical", "[0, 0, 1]", 3}, {"planar", "[0, 0, 1]", 3},
                {"prismatic", "[1, 0, 0]", 1}, {"universal", "[1, 0, 0]", 2}};
    (void)state;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        char axis[60];
        const bool universal = strcmp(list[i].kind, "universal") == 0; /* turns about x of coupler, y of rocker */
        snprintf(axis, sizeof axis, "%s%s", list[i].axis, universal ? ", x_axis: [0, 0, 1]" : "");
        clv_model *m = read(list[i].kind, axis, ", cut: true");
        check(m, "dca", list[i].nu);
        clv_model_destroy(m);
    }
}

/* A step moves the kinematics on; the joint of the output state is computed from that state all the same. */
static void after_a_step(void **state)
{
    (void)state;
    clv_model *m = read("revolute", "[0, 0, 1]", "");
    clv_sim *s;
    clv_joint_result first, again;
    assert_int_equal(clv_sim_create(&s, m, NULL), CLV_OK);
    assert_int_equal(clv_sim_joint(s, 0, &first), CLV_OK);
    assert_int_equal(clv_sim_step(s, 1), CLV_OK);
    assert_int_equal(clv_sim_joint(s, 0, &again), CLV_OK);
    assert_true(first.q[0] == again.q[0]);
    for (int i = 0; i < 3; i++)
        CLV_NEAR(again.force[i], first.force[i], 1e-12);
    assert_ptr_equal(clv_sim_model(s), m);
    clv_sim_destroy(s);
    clv_model_destroy(m);
}

static void what_set_the_steps(void **state)
{
    const char *text = "cleave: 1\n"
                       "bodies: {slow: {mass: 1, inertia: [1, 1, 1]}, fast: {mass: 1, inertia: [1, 1, 1]}}\n"
                       "joints:\n"
                       "  s: {kind: prismatic, between: [ground, slow], at: [0, 0, 0], axis: [1, 0, 0]}\n"
                       "  f: {kind: prismatic, between: [ground, fast], at: [0, 0, 0], axis: [1, 0, 0]}\n"
                       "forces:\n"
                       "  one: {kind: joint-load, joint: s, stiffness: 1, rest: 1}\n"
                       "  two: {kind: joint-load, joint: f, stiffness: 10000, rest: 1}\n";
    clv_model *m;
    clv_sim *s;
    clv_step_limit x;
    (void)state;
    assert_int_equal(clv_model_read_text(&m, text, strlen(text), NULL), CLV_OK);
    assert_int_equal(clv_sim_create(&s, m, NULL), CLV_OK);
    assert_false(clv_sim_step_limit(s, &x));
    assert_int_equal(clv_sim_advance(s, 1), CLV_OK);
    assert_true(clv_sim_step_limit(s, &x));
    assert_int_equal(x.joint, clv_model_find_joint(m, "f"));
    assert_true(x.share > 0.9 && x.share <= 1);
    assert_true(isnan(x.frequency) && x.mode == -1);
    assert_false(clv_sim_step_limit(s, NULL));
    clv_sim_destroy(s);
    clv_sim_options o = clv_sim_options_default();
    static const char *const histories[] = {"adams", "bdf"};
    for (int i = 0; i < 2; i++) {
        o.integrator = histories[i];
        const clv_status status = clv_sim_create(&s, m, &o);
        if (status == CLV_OK) {
            assert_int_equal(clv_sim_advance(s, 1), CLV_OK);
            assert_true(clv_sim_step_limit(s, &x));
            assert_int_equal(x.joint, clv_model_find_joint(m, "f"));
            assert_true(x.share > 0.9 && x.share <= 1);
        } else /* bdf may be left out */
            assert_true(status == CLV_ERR_UNSUPPORTED && i == 1);
        clv_sim_destroy(s);
    }
    o.integrator = "rk4", o.step = 1e-3;
    assert_int_equal(clv_sim_create(&s, m, &o), CLV_OK);
    assert_int_equal(clv_sim_advance(s, 0.1), CLV_OK);
    assert_false(clv_sim_step_limit(s, &x)); /* fixed */
    clv_sim_destroy(s);
    clv_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_every_formulation),
        cmocka_unit_test(of_every_kind),
        cmocka_unit_test(after_a_step),
        cmocka_unit_test(what_set_the_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
