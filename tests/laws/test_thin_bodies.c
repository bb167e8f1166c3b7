/* SPDX-License-Identifier: Apache-2.0
 * Thin rods and point masses are ordinary bodies, also where loops are closed on them (T5): inertia about an axis that
 * joints hold, or that nothing loads, does not matter to the motion. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "cleave/cleave.h"
#include "near.h"

/* ladder of `n` windows as `four-bar-ladder`, its rods with the given inertia about their own axes */
static clv_model *ladder(int n, double axial)
{
    clv_model *m;
    char name[16];
    assert_int_equal(clv_model_create(&m, "thin ladder"), CLV_OK);
    const double g[3] = {0, -9.81, 0};
    clv_model_set_gravity(m, g);
    for (int i = 0; i < 2 * n + 1; i++) {
        bool upright = i <= n;
        clv_body_desc b = clv_body_desc_default();
        snprintf(name, sizeof name, upright ? "V%d" : "H%d", upright ? i : i - n);
        b.name = name, b.mass = 1, b.placed = b.moving = true;
        for (int k = 0; k < 3; k++)
            b.inertia[k] = 1.0 / 12;
        b.inertia[upright ? 1 : 0] = axial;
        b.position[0] = upright ? i : i - n - 0.5, b.position[1] = upright ? 0.5 : 1;
        b.velocity[0] = upright ? 0.5 : 1, b.angular_velocity[2] = upright ? -1 : 0;
        assert_int_equal(clv_model_add_body(m, NULL, &b), CLV_OK);
    }
    for (int i = 0; i < 3 * n + 1; i++) {
        clv_joint_desc j = clv_joint_desc_default(CLV_JOINT_REVOLUTE);
        snprintf(name, sizeof name, "J%d", i + 1);
        int w = i <= n ? i : (i - n - 1) / 2, far = i > n && (i - n - 1) % 2;
        j.name = name, j.global = true, j.axis[2] = 1;
        j.a = i <= n ? CLV_GROUND : far ? n + 1 + w : w;
        j.b = i <= n ? i : far ? w + 1 : n + 1 + w;
        j.at[0] = w + far, j.at[1] = i <= n ? 0 : 1;
        assert_int_equal(clv_model_add_joint(m, NULL, &j), CLV_OK);
    }
    assert_int_equal(clv_model_finish(m), CLV_OK);
    return m;
}

static void run(clv_model *m, double time, double *x, clv_sim_report *r)
{
    clv_sim *s;
    clv_sim_options o = clv_sim_options_default();
    o.rtol = 1e-9;
    assert_int_equal(clv_sim_create(&s, m, &o), CLV_OK);
    assert_int_equal(clv_sim_set_end(s, time), CLV_OK);
    assert_int_equal(clv_sim_advance(s, time), CLV_OK);
    for (int i = 0; i < 3 * clv_model_body_count(m); i++)
        x[i] = clv_sim_position(s)[i];
    clv_sim_summary(s, r);
    clv_sim_destroy(s);
}

static void ladder_of_thin_rods_moves_like_one_of_thick_rods(void **state)
{
    (void)state;
    double thin[21], thick[21];
    clv_sim_report r;
    clv_model *a = ladder(3, 0.0), *b = ladder(3, 1.0 / 12);
    run(b, 3, thick, &r);
    run(a, 3, thin, &r);
    for (int i = 0; i < 21; i++)
        CLV_NEAR(thin[i], thick[i], 1e-7);
    assert_true(r.max_energy_drift < 1e-7);
    assert_true(r.max_position_violation < 1e-12);
    assert_int_equal(r.mobility_found, 1);
    clv_model_destroy(a), clv_model_destroy(b);
}

/* a loop in space, without ground, of rods whose inertia about their axes goes to zero:
 * the limit is reached smoothly */
static void spatial_loop(double axial, double *x)
{
    static const double at[4][3] = {{0.5, 0, 0}, {0.5, 1, 0}, {-0.5, 1, 0}, {-0.5, 0, 0}};
    static const double axis[4][3] = {{0.2, 0.1, 1}, {0.3, 0, 1}, {0, 0.4, 1}, {0, 0, 1}};
    static const double com[4][3] = {{0, 0, 0}, {0.5, 0.5, 0}, {0, 1, 0}, {-0.5, 0.5, 0}};
    static const clv_joint_kind kind[4] = {CLV_JOINT_UNIVERSAL, CLV_JOINT_REVOLUTE, CLV_JOINT_UNIVERSAL,
                                           CLV_JOINT_SPHERICAL};
    clv_model *m;
    clv_sim_report r;
    char name[2] = "a";
    assert_int_equal(clv_model_create(&m, "thin loop"), CLV_OK);
    for (int i = 0; i < 4; i++) {
        clv_body_desc b = clv_body_desc_default();
        name[0] = (char)('a' + i);
        b.name = name, b.mass = 1 + 0.5 * i, b.placed = true;
        for (int k = 0; k < 3; k++)
            b.inertia[k] = 0.08, b.position[k] = com[i][k];
        b.inertia[i % 2] = axial;
        if (i == 0)
            b.moving = true, b.angular_velocity[0] = 0.3, b.angular_velocity[2] = 1;
        assert_int_equal(clv_model_add_body(m, NULL, &b), CLV_OK);
    }
    for (int i = 0; i < 4; i++) {
        clv_joint_desc j = clv_joint_desc_default(kind[i]);
        name[0] = (char)('p' + i);
        j.name = name, j.a = i, j.b = (i + 1) % 4, j.global = true;
        for (int k = 0; k < 3; k++)
            j.at[k] = at[i][k], j.axis[k] = axis[i][k];
        assert_int_equal(clv_model_add_joint(m, NULL, &j), CLV_OK);
    }
    assert_int_equal(clv_model_finish(m), CLV_OK);
    run(m, 1, x, &r);
    assert_true(r.max_energy_drift < 1e-7);
    clv_model_destroy(m);
}

static void thin_loop_in_space_is_the_limit_of_thick_ones(void **state)
{
    (void)state;
    double limit[12], near[12];
    spatial_loop(0, limit);
    spatial_loop(1e-9, near);
    for (int i = 0; i < 12; i++)
        CLV_NEAR(limit[i], near[i], 1e-7);
}

static void point_mass_on_a_massless_axis_swings(void **state)
{
    (void)state;
    clv_model *m;
    double x[3];
    clv_sim_report r;
    assert_int_equal(clv_model_create(&m, "point mass"), CLV_OK);
    clv_body_desc b = clv_body_desc_default();
    b.name = "p", b.mass = 1, b.com[0] = 1; /* no inertia at all about its centre */
    assert_int_equal(clv_model_add_body(m, NULL, &b), CLV_OK);
    clv_joint_desc j = clv_joint_desc_default(CLV_JOINT_REVOLUTE);
    j.name = "j", j.a = CLV_GROUND, j.b = 0, j.global = true, j.axis[1] = 1, j.axis[2] = 0;
    assert_int_equal(clv_model_add_joint(m, NULL, &j), CLV_OK);
    assert_int_equal(clv_model_finish(m), CLV_OK);
    /* from rest at the horizontal: half the period later on the other side (period 2.36784194757623 sqrt(l) for g =
     * 9.81) */
    run(m, 2.3678419475762373 / 2, x, &r);
    CLV_NEAR(x[0], -1, 1e-7);
    clv_model_destroy(m);
}

/* ------------------------------------------------------------------ flexible lines of mass */

static clv_model *read_model(const char *format, double axial, const char *axis)
{
    static char text[2000];
    clv_model *m;
    int n = snprintf(text, sizeof text, format, axial, axis);
    if (clv_model_read_text(&m, text, (size_t)n, "thin") != CLV_OK)
        fail_msg("%s", clv_model_error(m)->message);
    return m;
}

static void move(const clv_model *m, const char *formulation, double x[9])
{
    clv_sim *s;
    clv_sim_report r;
    clv_sim_options o = clv_sim_options_default();
    o.rtol = 1e-10, o.formulation = formulation;
    if (clv_sim_create(&s, m, &o) != CLV_OK || clv_sim_set_end(s, 1) != CLV_OK || clv_sim_advance(s, 1) != CLV_OK)
        fail_msg("%s: %s", formulation, clv_sim_error(s)->message);
    for (int i = 0; i < 3 * clv_model_body_count(m); i++)
        x[i] = clv_sim_position(s)[i];
    clv_sim_summary(s, &r);
    assert_true(r.max_energy_drift < 1e-7);
    clv_sim_destroy(s);
}

static const char *const formulations[5] = {"hdca", "dca", "massmatrix", "connection", "aldca"};

/* in the plane of its axis the inertia about itself is not asked */
static void line_of_mass_with_a_mode_swings(void **state)
{
    (void)state;
    static const char pendulum[] = "cleave: 1\n"
                                   "bodies: {b: {flexible: {modal: {mass: 1, com: [1, 0, 0], inertia: [%g, 0.34, 0.34, "
                                   "0, 0, 0], modal_mass: [1], stiffness: [60],\n"
                                   "  momentum: [[0, 0, 0.8]], moments: [[0, 0, 1.1, 0, 0, 0, 0, 0, 0]], products: "
                                   "[[0, 0, 0, 0, 0, 0, 0, 0, 1]], spin_limit: 0}}}}\n"
                                   "joints: {j: {kind: revolute, between: [ground, b], at: [0, 0, 0], axis: [%s]}}\n";
    double thin[9], thick[9];
    clv_model *a = read_model(pendulum, 0, "0, 1, 0"), *b = read_model(pendulum, 0.34, "0, 1, 0");
    for (int f = 0; f < 5; f++) {
        move(a, formulations[f], thin), move(b, formulations[f], thick);
        for (int i = 0; i < 3; i++)
            CLV_NEAR(thin[i], thick[i], 1e-8);
    }
    clv_model_destroy(a), clv_model_destroy(b);
}

static const char arm[] = /* universal: x of the joint on ground, then y on the boom */
    "cleave: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  b: {flexible: {modal: {mass: 1, com: [1, 0, 0], inertia: [%g, 0.34, 0.34, 0, 0, 0], modal_mass: [1, 1], "
    "stiffness: [60, 90],\n"
    "    momentum: [[0, 0.8, 0], [0, 0, 0.8]], moments: [[0, 1.1, 0, 0, 0, 0, 0, 0, 0], [0, 0, 1.1, 0, 0, 0, 0, 0, "
    "0]], spin_limit: 0,\n"
    "    products: [[0, 0, 0, 0, 1, 0, 0, 0, 0], [0, 0, 0, 0, 0, 1, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 1, 0], [0, 0, 0, "
    "0, 0, 0, 0, 0, 1]],\n"
    "    nodes: {tip: {position: [2, 0, 0], shapes: [[0, 2, 0, 0, 0, 1.4], [0, 0, 2, 0, -1.4, 0]]}}}}}\n"
    "  tip: {mass: 0.5, com: [0.1, 0, 0], inertia: [0.02, 0.03, 0.04]}\n"
    "joints:\n"
    "  j: {kind: universal, between: [ground, b], at: [0, 0, 0], axis: [%s], x_axis: [0, 0, 1]}\n"
    "  k: {kind: spherical, a: {body: b.tip}, b: {body: tip}}\n"
    "start: {modes: {b: {q: [0.1, -0.05], u: [0.3, 0.2]}}, joints: {j: {u: [0.4, 0.2]}}}\n";

/* bent in two planes it has the inertia that its modes give, about which it cannot turn apart from them;
 * a joint holds that turn */
static void bent_line_of_mass_is_the_limit_of_thick_ones(void **state)
{
    (void)state;
    double thin[9], near[9], first[9];
    clv_model *a = read_model(arm, 0, "1, 0, 0"), *b = read_model(arm, 1e-9, "1, 0, 0");
    for (int f = 0; f < 5; f++) {
        move(a, formulations[f], thin), move(b, formulations[f], near);
        for (int i = 0; i < 9; i++) {
            CLV_NEAR(thin[i], near[i], 1e-7);
            CLV_NEAR(thin[i], f ? first[i] : thin[i], 1e-7);
            first[i] = thin[i];
        }
    }
    clv_model_destroy(a), clv_model_destroy(b);
}

/* turned about itself against its modes it moves no mass at all: no acceleration answers */
static void turn_that_moves_no_mass_is_refused_by_name(void **state)
{
    (void)state;
    clv_sim *s;
    clv_sim_options o = clv_sim_options_default();
    clv_model *m = read_model(arm, 0, "0, 1, 0"); /* y of the joint is the line */
    o.formulation = "dca";
    assert_int_equal(clv_sim_create(&s, m, &o), CLV_ERR_SINGULAR);
    assert_non_null(strstr(clv_sim_error(s)->message, "rotates or translates freely"));
    clv_sim_destroy(s);
    clv_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ladder_of_thin_rods_moves_like_one_of_thick_rods),
        cmocka_unit_test(thin_loop_in_space_is_the_limit_of_thick_ones),
        cmocka_unit_test(point_mass_on_a_massless_axis_swings),
        cmocka_unit_test(line_of_mass_with_a_mode_swings),
        cmocka_unit_test(bent_line_of_mass_is_the_limit_of_thick_ones),
        cmocka_unit_test(turn_that_moves_no_mass_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
