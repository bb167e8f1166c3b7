/* SPDX-License-Identifier: Apache-2.0
 * What clv_sim_contact and the columns of contacts give (T61, T62): a body at rest and one that slides, compliant by
 * every formulation and rigid; the force is what accelerates the body; refusals. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "io/columns.h"
#include "near.h"
#include "simulation/names.h"

#define OK(call) assert_int_equal(call, CLV_OK)
#define G 9.81

/* A ball of 2 kg and radius 0.1 m above a plane, and a spring elsewhere. */
static const char text[] = "cleave: 1\n"
                           "bodies: {ball: {mass: 2, inertia: from shape, shape: {sphere: 0.1}},\n"
                           "         far: {mass: 1, inertia: [1, 1, 1]}}\n"
                           "joints: {j: {kind: free, a: {body: ground}, b: {body: ball}},\n"
                           "         k: {kind: prismatic, between: [ground, far], at: [9, 0, 0], axis: [1, 0, 0]}}\n"
                           "forces: {spring: {kind: joint-load, joint: k, stiffness: 3},\n"
                           "         floor: {kind: contact, between: [ground, ball], normal: [0, 0, 1], %s}}\n"
                           "start: {bodies: {ball: {position: [0.2, 0.3, %.17g], velocity: [%g, 0, 0]},\n"
                           "                 far: {position: [9, 0, 0]}}}\n";

static clv_sim *start(clv_model **m, const char *keys, double z, double v, const char *formulation)
{
    char all[1200];
    clv_sim *s;
    clv_sim_options o = clv_sim_options_default();
    snprintf(all, sizeof all, text, keys, z, v);
    if (clv_model_read_text(m, all, strlen(all), "contact.yaml") != CLV_OK)
        fail_msg("%s", clv_model_error(*m)->message);
    o.formulation = formulation, o.rtol = 1e-10, o.atol = 1e-12;
    if (formulation && strcmp(formulation, "index3") == 0)
        o.step = 1e-4;
    const clv_status st = clv_sim_create(&s, *m, &o);
    if (st != CLV_OK)
        fail_msg("%s", clv_sim_error(s)->message);
    return s;
}

static clv_contact_result contact(clv_sim *s, const clv_model *m)
{
    clv_contact_result r;
    OK(clv_sim_contact(s, clv_model_find_force(m, "floor"), &r));
    return r;
}

/* Deep by (m g / k)^(1/e), it slides: the force is that of T61, and what accelerates the ball. */
static void a_compliant_contact(void **state)
{
    static const char *const formulation[] = {"hdca", "dca", "massmatrix", "connection", "aldca", "index3"};
    const double depth = pow(2 * G / 1e5, 1 / 1.5);
    (void)state;
    for (size_t i = 0; i < sizeof formulation / sizeof *formulation; i++) {
        clv_model *m;
        clv_sim *s = start(&m, "stiffness: 1e5, dynamic_friction: 0.3", 0.1 - depth, 1, formulation[i]);
        const clv_contact_result r = contact(s, m);
        const double want[3] = {-0.3 * 2 * G, 0, 2 * G}, place[3] = {0.2, 0.3, -0.5 * depth};
        assert_int_equal(r.points, 1);
        CLV_NEAR(r.normal_force, 2 * G, 1e-9);
        CLV_NEAR(r.depth, depth, 1e-12);
        CLV_NEAR(r.slip, 1, 1e-9);
        for (int c = 0; c < 3; c++) {
            CLV_NEAR(r.force[c], want[c], 1e-9);
            CLV_NEAR(r.point[c], place[c], 1e-12);
            CLV_NEAR(clv_sim_acceleration(s)[c], r.force[c] / 2 - (c == 2 ? G : 0), 1e-8);
        }
        OK(clv_sim_advance(s, 0.01)); /* also in the middle of a run */
        const clv_contact_result later = contact(s, m);
        for (int c = 0; c < 3; c++)
            CLV_NEAR(clv_sim_acceleration(s)[c], later.force[c] / 2 - (c == 2 ? G : 0), 1e-7);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

/* A ball in the air has none. */
static void no_contact(void **state)
{
    (void)state;
    for (int rigid = 0; rigid < 2; rigid++) {
        clv_model *m;
        clv_sim *s = start(&m, rigid ? "restitution: 0" : "stiffness: 1e5", 0.2, 1, NULL);
        const clv_contact_result r = contact(s, m);
        assert_int_equal(r.points, 0);
        assert_true(r.normal_force == 0 && r.force[2] == 0 && r.depth == 0 && r.slip == 0 && isnan(r.point[0]));
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

/* Impulses over the step: weight at rest, friction while it slips, none of it while it rolls. */
static void a_rigid_contact(void **state)
{
    clv_model *m;
    (void)state;
    clv_sim *s = start(&m, "restitution: 0, dynamic_friction: 0.3", 0.1 - 1e-9, 1, NULL);
    OK(clv_sim_advance(s, 0.05));
    clv_contact_result r = contact(s, m);
    CLV_NEAR(r.force[0], -0.3 * 2 * G, 1e-8);
    CLV_NEAR(r.force[2], 2 * G, 1e-8);
    CLV_NEAR(r.normal_force, 2 * G, 1e-8);
    CLV_NEAR(r.point[0], clv_sim_position(s)[0], 2e-3); /* in the middle of the step */
    CLV_NEAR(r.slip, 1 - 3.5 * 0.3 * G * 0.05, 1e-2);
    OK(clv_sim_advance(s, 1));
    r = contact(s, m);
    CLV_NEAR(r.force[0], 0, 1e-8);
    CLV_NEAR(r.force[2], 2 * G, 1e-8);
    CLV_NEAR(r.slip, 0, 1e-8);
    clv_sim_destroy(s), clv_model_destroy(m);
}

static void columns_have_the_same(void **state)
{
    clv_model *m;
    clv_columns c;
    double x[9];
    clv_error e = {0};
    (void)state;
    clv_sim *s = start(&m, "stiffness: 1e5, dynamic_friction: 0.3", 0.099, 1, "hdca");
    const clv_contact_result r = contact(s, m);
    OK(clv_columns_create(&c, m, "contacts.floor.*", false, &e));
    assert_int_equal(c.width, 1 + 9);
    double all[10];
    clv_columns_fill(c.column, c.n, s, all);
    memcpy(x, all + 1, sizeof x);
    const double want[9] = {r.force[0], r.force[1], r.force[2], r.normal_force, r.depth,
                            r.point[0], r.point[1], r.point[2], r.slip};
    assert_memory_equal(x, want, sizeof x);
    assert_string_equal(c.column[1].name, "contacts.floor.force");
    assert_string_equal(c.column[1].kind, "contact");
    clv_columns_release(&c);
    OK(clv_columns_create(&c, m, "contacts.floor", false, &e)); /* the owner: all of them */
    assert_int_equal(c.width, 1 + 9);
    clv_columns_release(&c);
    assert_int_not_equal(clv_columns_create(&c, m, "contacts.flor.force", false, &e), CLV_OK);
    assert_non_null(strstr(e.message, "contacts.floor.force"));
    clv_columns_release(&c);
    clv_sim_destroy(s), clv_model_destroy(m);
}

static void what_is_no_contact_is_refused(void **state)
{
    clv_model *m;
    clv_contact_result r;
    (void)state;
    clv_sim *s = start(&m, "stiffness: 1e5", 0.2, 0, NULL);
    const int wrong[4] = {-1, 2, 1000000, clv_model_find_force(m, "spring")};
    for (int i = 0; i < 4; i++)
        assert_int_equal(clv_sim_contact(s, wrong[i], &r), CLV_ERR_USAGE);
    assert_int_equal(clv_sim_contact(s, 1, NULL), CLV_ERR_USAGE);
    assert_int_equal(clv_model_find_force(m, "nothing"), -1);
    clv_sim_destroy(s), clv_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_compliant_contact), cmocka_unit_test(no_contact),
        cmocka_unit_test(a_rigid_contact),     cmocka_unit_test(columns_have_the_same),
        cmocka_unit_test(what_is_no_contact_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
