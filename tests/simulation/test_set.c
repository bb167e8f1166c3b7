/* SPDX-License-Identifier: Apache-2.0
 * Joints set while a simulation runs: trees exactly, loops assembled around what is set, refusals that change nothing,
 * what comes after. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cleave/cleave.h"
#include "near.h"

#define OK(call) assert_int_equal(call, CLV_OK)

static const char *const formulations[] = {"hdca", "dca", "connection", "massmatrix", "aldca", "index3"};
enum { FORMULATIONS = sizeof formulations / sizeof *formulations };

static clv_model *read(const char *text)
{
    clv_model *m;
    clv_status st = clv_model_read_text(&m, text, strlen(text), "set");
    if (st != CLV_OK)
        print_error("%s\n", clv_model_error_at(m, 0)->message);
    OK(st);
    return m;
}

/* the error of its steps is of second order in their size */
static bool second_order(const char *formulation) { return strcmp(formulation, "index3") == 0; }

static clv_sim *start(const clv_model *m, const char *formulation)
{
    clv_sim *s;
    clv_sim_options o = clv_sim_options_default();
    o.formulation = formulation, o.rtol = 1e-9;
    if (second_order(formulation))
        o.step = 5e-4;
    OK(clv_sim_create(&s, m, &o));
    return s;
}

static double angle(clv_sim *s, int joint, double *u)
{
    clv_joint_result r;
    OK(clv_sim_joint(s, joint, &r));
    *u = r.u[0];
    return r.q[0];
}

#define ARM                                                                                                            \
    "cleave: 1\n"                                                                                                      \
    "gravity: [0, -9.81, 0]\n"                                                                                         \
    "bodies:\n"                                                                                                        \
    "  one: {mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"                                                   \
    "  two: {mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.2, 0.2]}\n"                                                   \
    "joints:\n"                                                                                                        \
    "  a: {kind: revolute, a: {body: ground}, b: {body: one}}\n"                                                       \
    "  b: {kind: spherical, a: {body: one, position: [1, 0, 0]}, b: {body: two}}\n"

/* A tree set in mid-run goes on as one that starts there. */
static void test_tree(void **state)
{
    clv_model *m = read(ARM), *there = read(ARM "start: {joints: {a: {q: 0.7, u: -2}, "
                                                "b: {q: [0.8, 0.36, 0.48, 0], u: [1, 2, 3]}}}\n");
    const double q[4] = {1.6, 0.72, 0.96, 0}, u[3] = {1, 2, 3}, q_a = 0.7, u_a = -2; /* any length is normalised */
    (void)state;
    for (int i = 0; i < FORMULATIONS; i++) {
        clv_sim *s = start(m, formulations[i]), *t = start(there, formulations[i]);
        clv_sim_report r;
        OK(clv_sim_advance(s, 0.3));
        OK(clv_sim_set_joint(s, 0, &q_a, &u_a));
        OK(clv_sim_set_joint(s, 1, q, u));
        for (int k = 0; k < 12; k++)
            CLV_NEAR(clv_sim_velocity(s)[k], clv_sim_velocity(t)[k], 1e-14);
        assert_true(clv_sim_time(s) == 0.3);
        OK(clv_sim_advance(s, 0.8)), OK(clv_sim_advance(t, 0.5));
        for (int k = 0; k < 12; k++)
            CLV_NEAR(clv_sim_velocity(s)[k], clv_sim_velocity(t)[k], 1e-7);
        clv_sim_summary(s, &r);
        /* what setting added is in the work */
        assert_true(r.max_energy_drift < (second_order(formulations[i]) ? 1e-4 : 1e-6));
        clv_sim_destroy(s), clv_sim_destroy(t);
    }
    clv_model_destroy(m), clv_model_destroy(there);
}

#define FOUR_BAR                                                                                                       \
    "cleave: 1\n"                                                                                                      \
    "gravity: [0, -9.81, 0]\n"                                                                                         \
    "bodies:\n"                                                                                                        \
    "  crank: {mass: 1, com: [0.2, 0, 0], inertia: [0.01, 0.05, 0.05]}\n"                                              \
    "  coupler: {mass: 2, com: [0.5, 0, 0], inertia: [0.01, 0.2, 0.2]}\n"                                              \
    "  rocker: {mass: 1, com: [0.4, 0, 0], inertia: [0.01, 0.1, 0.1]}\n"                                               \
    "joints:\n"                                                                                                        \
    "  A: {kind: revolute, a: {body: ground}, b: {body: crank}}\n"                                                     \
    "  B: {kind: revolute, a: {body: crank, position: [0.4, 0, 0]}, b: {body: coupler}}\n"                             \
    "  D: {kind: revolute, a: {body: ground, position: [1, 0, 0]}, b: {body: rocker}}\n"                               \
    "  C: {kind: revolute, a: {body: coupler, position: [1, 0, 0]}, b: {body: rocker, position: [0.8, 0, 0]}, "        \
    "cut: true}\n"                                                                                                     \
    "start: {joints: {A: {q: 1.2}, B: {q: -0.9}, D: {q: 1.4}}}\n"

static void closed(clv_sim *s, double moving)
{
    double gap, speed;
    clv_sim_violation(s, &gap, &speed);
    if (!(gap < 1e-12 && speed < moving))
        fail_msg("gap %.3g m, speed %.3g m/s", gap, speed);
}

static void test_loop(void **state)
{
    clv_model *m = read(FOUR_BAR);
    (void)state;
    for (int i = 0; i < FORMULATIONS; i++) {
        clv_sim *s = start(m, formulations[i]);
        clv_sim_report r;
        double u;
        for (int k = 0; k < 12; k++) { /* all around, anywhere */
            const double q_a = 0.5 * k, u_a = 3 - 0.4 * k;
            OK(clv_sim_advance(s, 0.1 * (k + 1)));
            OK(clv_sim_set_joint(s, 0, &q_a, &u_a));
            CLV_NEAR(angle(s, 0, &u), q_a, 1e-10);
            CLV_NEAR(u, u_a, 1e-9);
            closed(s, 1e-11);
        }
        double q_d, u_d = 0.5; /* the rocker by its rate alone: it stays where it is */
        q_d = angle(s, 2, &u);
        OK(clv_sim_set_joint(s, 2, NULL, &u_d));
        CLV_NEAR(angle(s, 2, &u), q_d, 1e-10);
        CLV_NEAR(u, u_d, 1e-9);
        closed(s, 1e-11);
        OK(clv_sim_advance(s, 2));
        clv_sim_summary(s, &r);
        assert_true(r.max_energy_drift < (second_order(formulations[i]) ? 1e-3 : 1e-5));
        clv_sim_destroy(s);
    }
    clv_model_destroy(m);
}

/* The joint that closes the loop is set: the others follow. */
static void test_closing_joint(void **state)
{
    clv_model *m = read(FOUR_BAR);
    (void)state;
    for (int i = 0; i < FORMULATIONS; i++) {
        clv_sim *s = start(m, formulations[i]);
        double u, u_c = -1.5, q_c = angle(s, 3, &u) + 0.15;
        OK(clv_sim_set_joint(s, 3, &q_c, &u_c));
        CLV_NEAR(angle(s, 3, &u), q_c, 1e-8);
        CLV_NEAR(u, u_c, 1e-7);
        closed(s, 1e-11);
        OK(clv_sim_advance(s, 0.5));
        closed(s, 1e-7); /* an output inside a step */
        clv_sim_destroy(s);
    }
    clv_model_destroy(m);
}

#define MIXED                                                                                                          \
    "cleave: 1\n"                                                                                                      \
    "bodies:\n"                                                                                                        \
    "  table: {mass: 3, inertia: [1, 1, 1]}\n"                                                                         \
    "  arm: {mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"                                                   \
    "  hand: {mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.2, 0.3]}\n"                                                  \
    "  stone: {mass: 2, inertia: [1, 2, 3]}\n"                       \
    "joints:\n"                                                                                                        \
    "  turn: {kind: revolute, a: {body: ground}, b: {body: table}}\n"                                                  \
    "  lift: {kind: prismatic, a: {body: arm}, b: {body: table, position: [0, 0, 1]}}\n"                               \
    "  wrist: {kind: universal, a: {body: arm, position: [1, 0, 0]}, b: {body: hand}}\n"                               \
    "motions: {drive: {joint: turn, table: [[0, 0], [1, 2]], profile: smooth}}\n"                                      \
    "inputs: {push: {motion: drive}}\n"                                                                                \
    "start: {joints: {lift: {q: 0.2, u: 1}, wrist: {q: [6.9, 0.3], u: [1, -2]}},\n"                                    \
    "  bodies: {stone: {position: [5, 0, 0], velocity: [1, 2, 3], angular_velocity: [1, 2, 3]}}}\n"

/* A driven joint with an input, a joint against the tree, more than a turn, and a body that hangs on nothing: the same
 * state after the setting by all. */
static void test_mixed(void **state)
{
    (void)state;
    clv_model *m = read(MIXED);
    double first[24];
    for (int i = 0; i < FORMULATIONS; i++) {
        clv_sim *s = start(m, formulations[i]);
        const double q[2] = {-7.1, 0.4}, u[2] = {2, 1};
        double rate;
        OK(clv_sim_set_input(s, 0, 3));
        OK(clv_sim_advance(s, 0.05));
        const double lift = angle(s, 1, &rate);
        OK(clv_sim_set_joint(s, 2, q, u));
        CLV_NEAR(angle(s, 1, &rate), lift, 1e-14);
        CLV_NEAR(angle(s, 2, &rate), q[0], 1e-13);
        CLV_NEAR(rate, u[0], 1e-13);
        for (int k = 0; k < 24; k++)
            CLV_NEAR(clv_sim_velocity(s)[k], i > 0 ? first[k] : clv_sim_velocity(s)[k], 1e-5);
        memcpy(first, clv_sim_velocity(s), sizeof first);
        OK(clv_sim_advance(s, 0.1));
        CLV_NEAR(angle(s, 2, &rate), q[0], 0.2); /* no turn is lost */
        clv_sim_destroy(s);
    }
    clv_model_destroy(m);
}

/* What cannot be is refused and changes no bit of what comes. */
static void test_refused(void **state)
{
    clv_model *m = read(FOUR_BAR), *driven = read(FOUR_BAR "motions: {drive: {joint: A, rate: 1}}\n");
    (void)state;
    for (int i = 0; i < FORMULATIONS; i++) {
        clv_sim *s = start(m, formulations[i]), *t = start(m, formulations[i]);
        const double beyond = 3.1, nan = NAN, rate = 1;
        clv_joint_setting both[2] = {{.joint = 0, .has_u = true, .u = {1}}, {.joint = 2, .has_u = true, .u = {-5}}};
        OK(clv_sim_advance(s, 0.3)), OK(clv_sim_advance(t, 0.3));
        assert_int_equal(clv_sim_set_joint(s, 2, &beyond, NULL), CLV_ERR_INCONSISTENT); /* the rocker cannot go there */
        assert_non_null(strstr(clv_sim_error(s)->message, "cannot be set"));
        assert_non_null(strstr(clv_sim_error(s)->hint, "that the loops can reach"));
        assert_int_equal(clv_sim_set_joints(s, both, 2), CLV_ERR_INCONSISTENT); /* one degree of freedom, two rates */
        both[1].joint = 0;
        assert_int_equal(clv_sim_set_joints(s, both, 2), CLV_ERR_USAGE);
        assert_int_equal(clv_sim_set_joint(s, 0, &nan, NULL), CLV_ERR_USAGE);
        assert_int_equal(clv_sim_set_joint(s, 0, NULL, &nan), CLV_ERR_USAGE);
        assert_int_equal(clv_sim_set_joint(s, 4, &rate, NULL), CLV_ERR_USAGE);
        assert_int_equal(clv_sim_set_joint(s, -1, &rate, NULL), CLV_ERR_USAGE);
        assert_int_equal(clv_sim_set_joints(s, NULL, 1), CLV_ERR_USAGE);
        assert_memory_equal(clv_sim_position(s), clv_sim_position(t), 9 * sizeof(double));
        OK(clv_sim_advance(s, 0.9)), OK(clv_sim_advance(t, 0.9));
        assert_memory_equal(clv_sim_velocity(s), clv_sim_velocity(t), 18 * sizeof(double));
        clv_sim_destroy(s), clv_sim_destroy(t);
        s = start(driven, formulations[i]);
        assert_int_equal(clv_sim_set_joint(s, 0, &rate, NULL), CLV_ERR_USAGE);
        assert_non_null(strstr(clv_sim_error(s)->message, "prescribes"));
        clv_sim_destroy(s);
    }
    clv_model_destroy(m), clv_model_destroy(driven);
}

/* Look ahead from a saved state: set, try, go back; the run itself does not notice. */
static void test_look_ahead(void **state)
{
    clv_model *m = read(FOUR_BAR);
    clv_sim *s = start(m, "hdca"), *plain = start(m, "hdca"), *tries = NULL;
    double bytes[1024];
    (void)state;
    assert_true(clv_sim_saved_size(s) <= sizeof bytes);
    for (int k = 1; k <= 5; k++) {
        const double u = k;
        OK(clv_sim_advance(s, 0.1 * k)), OK(clv_sim_advance(plain, 0.1 * k));
        clv_sim_save(s, bytes);
        tries = start(m, "hdca");
        OK(clv_sim_load(tries, bytes, clv_sim_saved_size(s)));
        OK(clv_sim_set_joint(tries, 0, NULL, &u));
        OK(clv_sim_advance(tries, 0.1 * k + 0.2));
        clv_sim_destroy(tries);
        assert_memory_equal(clv_sim_velocity(s), clv_sim_velocity(plain), 18 * sizeof(double));
    }
    clv_sim_destroy(s), clv_sim_destroy(plain), clv_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tree),
        cmocka_unit_test(test_loop),
        cmocka_unit_test(test_mixed),
        cmocka_unit_test(test_closing_joint),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_look_ahead),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
