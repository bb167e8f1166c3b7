/* SPDX-License-Identifier: Apache-2.0
 * Controls bound to a simulation of a model that was read from text: the same motion as with the load law in the model,
 * at tree joints, closing joints, spherical joints, flexible bodies; energy account, failures, saving. */
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
#include "simulation/methods.h"

#define OK(call) assert_int_equal(call, CLV_OK)

static clv_model *read(const char *text)
{
    clv_model *m;
    clv_status st = clv_model_read_text(&m, text, strlen(text), "control");
    if (st != CLV_OK)
        print_error("%s\n", clv_model_error_at(m, 0)->message);
    OK(st);
    return m;
}

static double angle(clv_sim *s, int joint, double *u)
{
    clv_joint_result r;
    OK(clv_sim_joint(s, joint, &r));
    *u = r.u[0];
    return r.q[0];
}

/* ------------------------------------------------------------------ a four-bar: A in the tree, C closes */

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

typedef struct pd {
    double stiffness, damping, rest;
    double effort; /* at the last call */
} pd;

static int spring_damper(void *user, double t, const double *q, const double *u, double *effort)
{
    pd *p = user;
    assert_true(t >= 0 && effort[0] == 0);
    effort[0] = p->effort = -p->stiffness * (q[0] - p->rest) - p->damping * u[0];
    return 0;
}

static void test_as_in_the_model(void **state)
{
    clv_model *bare = read(FOUR_BAR), *full = read(FOUR_BAR
                                                   "forces:\n"
                                                   "  a: {kind: joint-load, joint: A, stiffness: 30, damping: 1}\n"
                                                   "  c: {kind: joint-load, joint: C, stiffness: 5, damping: 2}\n");
    pd at_a = {30, 1, 0, 0}, at_c = {5, 2, 0, 0};
    (void)state;
    for (int i = 0; i < METHODS; i++) {
        clv_sim *s = start_by(bare, i, 1e-8), *t = s ? start_by(full, i, 1e-8) : NULL;
        clv_sim_report report;
        clv_joint_result r;
        double u, v;
        if (!s)
            continue;
        OK(clv_sim_set_joint_control(s, 0, spring_damper, &at_a));
        OK(clv_sim_set_joint_control(s, 3, spring_damper, &at_c));
        for (int k = 1; k <= 10; k++) {
            OK(clv_sim_advance(s, 0.05 * k)), OK(clv_sim_advance(t, 0.05 * k));
            /* index3 takes springs and dampers into its matrix; functions it iterates on */
            const double allowed = strcmp(method[i].formulation, "index3") == 0 || by(i, "bdf") ? 1e-4 : 1e-7;
            for (int j = 0; j < 4; j++) {
                CLV_NEAR(angle(s, j, &u), angle(t, j, &v), allowed);
                CLV_NEAR(u, v, 10 * allowed);
            }
        }
        OK(clv_sim_joint(s, 3, &r));
        CLV_NEAR(r.drive_torque[2], -5 * r.q[0] - 2 * r.u[0], 1e-9);
        OK(clv_sim_joint(s, 0, &r));
        CLV_NEAR(r.drive_torque[2], -30 * r.q[0] - r.u[0], 1e-9);
        clv_sim_summary(s, &report); /* springs by function have no potential: their work is in the account */
        assert_true(report.max_energy_drift < (by(i, "bdf") || by(i, "trapezoidal") || by(i, "generalized-alpha") ||
                                                       by(i, "midpoint")
                                                   ? 1e-2
                                                   : 1e-5));
        clv_sim_destroy(s), clv_sim_destroy(t);
    }
    clv_model_destroy(bare), clv_model_destroy(full);
}

/* The crank turns over and over: the control sees angles beyond pi, in the tree and at the closing joint. */
static int turn_on(void *user, double t, const double *q, const double *u, double *effort)
{
    double *seen = user;
    (void)t;
    seen[0] = fmin(seen[0], q[0]), seen[1] = fmax(seen[1], q[0]);
    effort[0] = 50 * (10 - u[0]);
    return 0;
}

static int watch(void *user, double t, const double *q, const double *u, double *effort)
{
    double *seen = user;
    (void)t, (void)u, (void)effort;
    seen[0] = fmin(seen[0], q[0]), seen[1] = fmax(seen[1], q[0]);
    return 0;
}

static void test_whole_turns(void **state)
{
    clv_model *m = read("cleave: 1\ngravity: [0, 0, 0]\n"
                        "bodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1]}}\n"
                        "joints:\n"
                        "  A: {kind: revolute, a: {body: ground}, b: {body: a}}\n"
                        "  W: {kind: fixed, a: {body: ground}, b: {body: b}}\n"
                        "  C: {kind: revolute, a: {body: b}, b: {body: a}, cut: true}\n");
    clv_sim *s;
    double tree[2] = {0}, closing[2] = {0}, u;
    (void)state;
    OK(clv_sim_create(&s, m, NULL));
    OK(clv_sim_set_joint_control(s, 0, turn_on, tree));
    OK(clv_sim_set_joint_control(s, 2, watch, closing));
    OK(clv_sim_advance(s, 2));
    assert_true(angle(s, 0, &u) > 15);
    CLV_NEAR(closing[1], tree[1], 1e-6);
    CLV_NEAR(closing[0], tree[0], 1e-6);
    clv_sim_destroy(s), clv_model_destroy(m);
}

/* A controller of 1 kHz with memory (an integral), on a chain: announced by clv_sim_changed each tick. */
typedef struct sampled {
    double held, integral;
} sampled;

static int held(void *user, double t, const double *q, const double *u, double *effort)
{
    (void)t, (void)q, (void)u;
    effort[0] = ((sampled *)user)->held;
    return 0;
}

static void test_sampled(void **state)
{
    clv_model *m = read("cleave: 1\ngravity: [0, -9.81, 0]\n"
                        "bodies: {arm: {mass: 2, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}}\n"
                        "joints: {j: {kind: revolute, a: {body: ground}, b: {body: arm}}}\n");
    double end[METHODS];
    (void)state;
    for (int i = 0; i < METHODS; i++) {
        clv_sim *s = start_by(m, i, 1e-9);
        sampled c = {0, 0};
        double u = 0, q = 0;
        if (!s)
            continue;
        OK(clv_sim_set_joint_control(s, 0, held, &c));
        for (int k = 0; k < 2000; k++) {
            c.integral += (1 - q) * 1e-3;
            c.held = 60 * (1 - q) - 15 * u + 60 * c.integral;
            OK(clv_sim_changed(s));
            OK(clv_sim_advance(s, 1e-3 * (k + 1)));
            q = angle(s, 0, &u);
        }
        end[i] = q;
        assert_true(fabs(q - 1) < 0.1);
        CLV_NEAR(q, end[0], 1e-6);
        clv_sim_destroy(s);
    }
    clv_model_destroy(m);
}

/* ------------------------------------------------------------------ bodies, rigid and flexible */

static int push(void *user, clv_body_view *view)
{
    const double *f = user;
    memcpy(view->wrench, f, 6 * sizeof *f);
    return 0;
}

#define BOOM                                                                                                           \
    "cleave: 1\n"                                                                                                      \
    "gravity: [0, 0, 0]\n"                                                                                             \
    "bodies:\n"                                                                                                        \
    "  hub: {mass: 50, inertia: [10, 10, 10]}\n"                                                                       \
    "  boom: {flexible: {damping_ratio: 0.01, beam: {length: 4, density: 2700, young: 7e10, "                          \
    "tube: [0.02, 0.018], modes: {bend_y: 2, bend_z: 2}}}}\n"                                                          \
    "joints:\n"                                                                                                        \
    "  root: {kind: revolute, a: {body: hub, position: [0.5, 0, 0]}, b: {body: boom}}\n"

static void test_flexible(void **state)
{
    static double tip[6] = {0, 0.3, 0.2, 0.1, 0, 0.4}, hub[6] = {1, 0, 0, 0, 0, 2};
    static const char *const formulations[] = {"hdca", "dca", "connection", "massmatrix"};
    clv_model *bare = read(BOOM), *full = read(BOOM
                                               "forces:\n"
                                               "  f: {kind: force, body: boom.tip, vector: [0, 0.3, 0.2]}\n"
                                               "  t: {kind: torque, body: boom.tip, vector: [0.1, 0, 0.4]}\n"
                                               "  g: {kind: force, body: hub, vector: [1, 0, 0]}\n"
                                               "  n: {kind: torque, body: hub, vector: [0, 0, 2]}\n"
                                               "  j: {kind: joint-load, joint: root, stiffness: 40, damping: 3}\n");
    pd p = {40, 3, 0, 0};
    (void)state;
    for (size_t i = 0; i < sizeof formulations / sizeof *formulations; i++) {
        clv_sim *s, *t;
        const double *x, *y;
        clv_sim_report report;
        clv_sim_options o = clv_sim_options_default();
        o.formulation = formulations[i], o.rtol = 1e-9;
        OK(clv_sim_create(&s, bare, &o)), OK(clv_sim_create(&t, full, &o));
        OK(clv_sim_set_body_control(s, clv_model_find_body(bare, "boom.tip"), push, tip));
        OK(clv_sim_set_body_control(s, clv_model_find_body(bare, "hub"), push, hub));
        OK(clv_sim_set_joint_control(s, 0, spring_damper, &p));
        OK(clv_sim_advance(s, 0.5)), OK(clv_sim_advance(t, 0.5));
        const int n = clv_sim_modes(s, clv_model_find_body(bare, "boom"), &x, NULL, NULL);
        assert_int_equal(clv_sim_modes(t, clv_model_find_body(bare, "boom"), &y, NULL, NULL), n);
        for (int k = 0; k < n; k++)
            CLV_NEAR(x[k], y[k], 1e-8);
        for (int k = 0; k < 3 * clv_model_body_count(bare); k++)
            CLV_NEAR(clv_sim_position(s)[k], clv_sim_position(t)[k], 1e-8);
        clv_sim_summary(s, &report);
        assert_true(report.max_energy_drift < 1e-6);
        clv_sim_destroy(s), clv_sim_destroy(t);
    }
    clv_model_destroy(bare), clv_model_destroy(full);
}

/* a spherical joint: one effort a direction of u, and a quaternion as coordinates */
static int upright(void *user, double t, const double *q, const double *u, double *effort)
{
    (void)user, (void)t;
    CLV_NEAR(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], 1, 1e-3); /* of a trial state */
    for (int i = 0; i < 3; i++)
        effort[i] = -20 * 2 * q[0] * q[1 + i] - 4 * u[i];
    return 0;
}

static void test_spherical(void **state)
{
    clv_model *m = read("cleave: 1\ngravity: [0, 0, 0]\n"
                        "bodies: {b: {mass: 1, inertia: [0.5, 1, 1.2]}}\n"
                        "joints: {j: {kind: spherical, a: {body: ground}, b: {body: b}}}\n"
                        "start: {joints: {j: {q: [0.8, 0.36, 0.48, 0], u: [1, 2, 3]}}}\n");
    clv_sim *s;
    clv_joint_result r;
    clv_sim_report report;
    (void)state;
    OK(clv_sim_create(&s, m, NULL));
    OK(clv_sim_set_joint_control(s, 0, upright, NULL));
    OK(clv_sim_advance(s, 20));
    OK(clv_sim_joint(s, 0, &r));
    CLV_NEAR(fabs(r.q[0]), 1, 1e-5);
    clv_sim_summary(s, &report);
    assert_true(report.max_energy_drift < 1e-4);
    clv_sim_destroy(s), clv_model_destroy(m);
}

/* ------------------------------------------------------------------ rules */

static int not_a_number(void *user, double t, const double *q, const double *u, double *effort)
{
    (void)user, (void)q, (void)u;
    effort[0] = t > 0.1 ? INFINITY : 0;
    return 0;
}
static int stops(void *user, double t, const double *q, const double *u, double *effort)
{
    (void)user, (void)q, (void)u, (void)effort;
    return t > 0.1 ? 42 : 0;
}
static int no_wrench(void *user, clv_body_view *view)
{
    (void)user;
    view->wrench[3] = NAN;
    return 0;
}

static void fails(clv_sim *s, const char *part, const char *joint, const char *body)
{
    assert_int_equal(clv_sim_advance(s, 0.3), CLV_ERR_NOT_FINITE);
    if (!strstr(clv_sim_error(s)->message, part))
        fail_msg("'%s' lacks '%s'", clv_sim_error(s)->message, part);
    assert_string_equal(clv_sim_error(s)->joint, joint);
    assert_string_equal(clv_sim_error(s)->body, body);
}

static void test_failures(void **state)
{
    clv_model *m = read(FOUR_BAR);
    clv_sim *s;
    (void)state;
    OK(clv_sim_create(&s, m, NULL));
    OK(clv_sim_set_joint_control(s, 3, not_a_number, NULL));
    fails(s, "the control of joint 'C' is not finite", "C", "");
    OK(clv_sim_set_joint_control(s, 3, stops, NULL));
    fails(s, "the control of joint 'C' stopped the run", "C", "");
    OK(clv_sim_set_joint_control(s, 3, NULL, NULL)); /* the run goes on from its last good state */
    OK(clv_sim_set_body_control(s, 1, no_wrench, NULL));
    fails(s, "the control of body 'coupler' is not finite", "", "coupler");
    OK(clv_sim_set_body_control(s, 1, NULL, NULL));
    OK(clv_sim_advance(s, 0.3));
    assert_int_equal(clv_sim_set_joint_control(s, 4, stops, NULL), CLV_ERR_USAGE);
    assert_int_equal(clv_sim_set_joint_control(s, -1, stops, NULL), CLV_ERR_USAGE);
    assert_int_equal(clv_sim_set_body_control(s, 3, no_wrench, NULL), CLV_ERR_USAGE);
    assert_int_equal(clv_sim_set_body_control(s, CLV_GROUND, no_wrench, NULL), CLV_ERR_USAGE);
    clv_sim_destroy(s), clv_model_destroy(m);
    m = read("cleave: 1\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n"
             "joints: {weld: {kind: fixed, a: {body: ground}, b: {body: b}}}\n");
    OK(clv_sim_create(&s, m, NULL));
    assert_int_equal(clv_sim_set_joint_control(s, 0, stops, NULL), CLV_ERR_USAGE);
    assert_non_null(strstr(clv_sim_error(s)->message, "weld"));
    clv_sim_destroy(s), clv_model_destroy(m);
}

/* Two simulations share the model, one is controlled; a saved state asks for the same controls. */
static void test_saved_and_shared(void **state)
{
    clv_model *m = read(FOUR_BAR);
    pd p = {30, 1, 0, 0};
    clv_sim *s, *t, *free;
    double bytes[1024], u;
    (void)state;
    OK(clv_sim_create(&s, m, NULL)), OK(clv_sim_create(&t, m, NULL)), OK(clv_sim_create(&free, m, NULL));
    OK(clv_sim_set_joint_control(s, 0, spring_damper, &p));
    OK(clv_sim_advance(s, 0.2)), OK(clv_sim_advance(free, 0.2));
    assert_true(fabs(angle(s, 0, &u) - angle(free, 0, &u)) > 1e-3);
    assert_true(clv_sim_saved_size(s) <= sizeof bytes);
    clv_sim_save(s, bytes);
    assert_int_equal(clv_sim_load(t, bytes, clv_sim_saved_size(s)), CLV_ERR_USAGE);
    assert_non_null(strstr(clv_sim_error(t)->message, "control"));
    OK(clv_sim_set_joint_control(t, 0, spring_damper, &p));
    OK(clv_sim_load(t, bytes, clv_sim_saved_size(s)));
    OK(clv_sim_advance(s, 0.5)), OK(clv_sim_advance(t, 0.5));
    assert_memory_equal(clv_sim_velocity(s), clv_sim_velocity(t), 18 * sizeof(double));
    clv_sim_destroy(s), clv_sim_destroy(t), clv_sim_destroy(free), clv_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_as_in_the_model), cmocka_unit_test(test_whole_turns),
                                       cmocka_unit_test(test_sampled),         cmocka_unit_test(test_flexible),
                                       cmocka_unit_test(test_spherical),       cmocka_unit_test(test_failures),
                                       cmocka_unit_test(test_saved_and_shared)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
