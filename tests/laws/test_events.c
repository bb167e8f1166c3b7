/* SPDX-License-Identifier: Apache-2.0
 * Motions and force tables break off being smooth (T41): every integrator stops there, velocities jump as an ideal
 * impulsive drive makes them jump, in all formulations alike, and the energy account holds. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cleave/cleave.h"
#include "near.h"
#include "integrator/bdf.h"

/* A cart on a rail, prescribed; a pendulum hangs from it.  About y: m = 1, l = 1, inertia 0.1. */
static const char cart[] =
    "cleave: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies: {c: {mass: 1, inertia: [1, 1, 1]}, p: {mass: 1, com: [0, 0, -1], inertia: [0.1, 0.1, 0.1]}}\n"
    "joints:\n"
    "  c: {kind: prismatic, between: [ground, c], at: [0, 0, 0], axis: [1, 0, 0]}\n"
    "  p: {kind: revolute, between: [c, p], at: [0, 0, 0], axis: [0, 1, 0]}\n"
    "motions: {mc: {joint: c, table: %s}}\n";
#define LATE "[[0.25, 0], [1, 0.5], [2, 0]]"

static clv_model *read_model(const char *text)
{
    clv_model *m;
    if (clv_model_read_text(&m, text, strlen(text), NULL) != CLV_OK)
        print_error("%s\n", clv_model_error(m)->message);
    assert_int_equal(clv_model_error(m)->code, CLV_OK);
    return m;
}

static clv_model *with_table(const char *text, const char *table)
{
    char whole[2000];
    snprintf(whole, sizeof whole, text, table);
    return read_model(whole);
}

typedef struct method {
    const char *formulation, *integrator;
    double step, tolerance; /* of what it finds at the end, and of the energy */
} method;
static const method methods[] = {
    {"hdca", "dopri5", 0, 1e-7},         {"hdca", "bs23", 0, 1e-7},          {"hdca", "dop853", 0, 1e-8},
    {"hdca", "rk4", 3e-3, 1e-8},         {"hdca", "adams", 0, 1e-7},         {"hdca", "midpoint", 2e-3, 1e-4},
    {"hdca", "gauss4", 7e-3, 1e-7},      {"hdca", "gauss6", 7e-3, 1e-10},    {"dca", "dopri5", 0, 1e-7},
    {"dca", "adams", 0, 1e-7},           {"connection", "dopri5", 0, 1e-7},  {"massmatrix", "dopri5", 0, 1e-7},
    {"massmatrix", "dop853", 0, 1e-8},   {"aldca", "dopri5", 0, 1e-7},       {"aldca", "rk4", 3e-3, 1e-8},
    {"index3", "trapezoidal", 2e-3, 1e-4}, {"index3", "generalized-alpha", 2e-3, 1e-4},
    {"hdca", "bdf", 0, 1e-5}, /* last: not in every build */
};
#define METHODS ((int)(sizeof methods / sizeof methods[0]) - (clv_bdf_method.absent != NULL))

static clv_sim *start(const clv_model *m, const method *how)
{
    clv_sim_options o = clv_sim_options_default();
    clv_sim *s;
    o.formulation = how->formulation, o.integrator = how->integrator, o.step = how->step, o.rtol = 1e-9;
    if (clv_sim_create(&s, m, &o) != CLV_OK)
        print_error("%s\n", clv_sim_error(s)->message);
    assert_int_equal(clv_sim_error(s)->code, CLV_OK);
    return s;
}

static void go(clv_sim *s, double time)
{
    const clv_status st = clv_sim_advance(s, time);
    if (st != CLV_OK)
        print_error("%s\n", clv_sim_error(s)->message);
    assert_int_equal(st, CLV_OK);
}

/* state of the pendulum at 3 s, by the accurate method */
static void reference(const clv_model *m, double end, double x[3])
{
    clv_sim_options o = clv_sim_options_default();
    clv_sim *s;
    o.formulation = "massmatrix", o.integrator = "dop853", o.rtol = 1e-13;
    assert_int_equal(clv_sim_create(&s, m, &o), CLV_OK);
    go(s, end);
    memcpy(x, clv_sim_position(s) + 3 * (clv_model_body_count(m) - 1), 3 * sizeof(double));
    clv_sim_destroy(s);
}

static void all_methods_agree(void **state)
{
    clv_model *m = with_table(cart, LATE);
    double x[3];
    (void)state;
    reference(m, 3, x);
    for (int i = 0; i < METHODS; i++) {
        clv_sim *s = start(m, &methods[i]);
        clv_sim_report r;
        clv_sim_set_end(s, 3);
        go(s, 3);
        clv_sim_summary(s, &r);
        const double *at = clv_sim_position(s) + 3;
        if (!(fabs(at[0] - x[0]) <= methods[i].tolerance) || !(r.max_energy_drift <= 20 * methods[i].tolerance))
            print_error("%s %s: off by %g, drift %g\n", methods[i].formulation, methods[i].integrator,
                        fabs(at[0] - x[0]), r.max_energy_drift);
        CLV_NEAR(at[0], x[0], methods[i].tolerance);
        CLV_NEAR(at[2], x[2], methods[i].tolerance);
        assert_true(r.max_energy_drift <= 20 * methods[i].tolerance);
        assert_int_equal(r.events, 3);
        assert_int_equal(r.velocity_jumps, 2);
        assert_true(r.max_velocity_jump > 0.5);
        clv_sim_destroy(s);
    }
    clv_model_destroy(m);
}

/* A cart that jumps by dv turns the pendulum by dw = -m l dv cos / (I + m l^2): its pivot feels no moment. */
static void the_jump_is_that_of_momentum(void **state)
{
    clv_model *m = with_table(cart, LATE);
    (void)state;
    for (int i = 0; i < METHODS; i++) {
        clv_sim *s = start(m, &methods[i]);
        go(s, 2);
        const double *V = clv_sim_velocity(s), *r = clv_sim_position(s);
        const double before = V[6 + 4], v = V[0], cosine = r[2] - r[5];
        assert_true(fabs(v) > 0.5); /* the state before the jump */
        go(s, 2 + 1e-9);
        V = clv_sim_velocity(s);
        CLV_NEAR(V[0], 0, 1e-12);
        CLV_NEAR(V[6 + 4] - before, -v * cosine / 1.1, 1e-7);
        clv_sim_destroy(s);
    }
    clv_model_destroy(m);
}

/* A driven loop that carries a free arm: the jump goes through the closing joint. */
static const char loop[] =
    "cleave: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  crank:   {mass: 1, com: [0, 0.5, 0],   inertia: [0.08, 0.01, 0.08]}\n"
    "  coupler: {mass: 2, com: [1, 0.25, 0],  inertia: [0.05, 0.70, 0.71]}\n"
    "  rocker:  {mass: 1, com: [0, -0.75, 0], inertia: [0.19, 0.01, 0.19]}\n"
    "  arm:     {mass: 1, com: [0, -0.4, 0], inertia: [0.1, 0.01, 0.1]}\n"
    "joints:\n"
    "  a: {kind: revolute, between: [ground, crank],   at: [0, 0, 0],   axis: [0, 0, 1]}\n"
    "  b: {kind: revolute, between: [crank, coupler],  at: [0, 1, 0],   axis: [0, 0, 1]}\n"
    "  c: {kind: revolute, between: [coupler, rocker], at: [2, 1.5, 0], axis: [0, 0, 1]}\n"
    "  d: {kind: revolute, between: [rocker, ground],  at: [2, 0, 0],   axis: [0, 0, 1]}\n"
    "  e: {kind: revolute, between: [coupler, arm],    at: [1, 1.25, 0], axis: [0, 0, 1]}\n"
    "motions: {m: {joint: a, table: %s}}\n"
    "start:\n"
    "  bodies: {crank: {position: [0, 0, 0]}, coupler: {position: [0, 1, 0]}, rocker: {position: [2, 1.5, 0]},\n"
    "           arm: {position: [1, 1.25, 0]}}\n";

static void loops_pass_the_jump(void **state)
{
    clv_model *m = with_table(loop, "[[0.2, 0], [0.5, 0.3], [1, 0.1]]");
    double x[3];
    (void)state;
    reference(m, 1.5, x);
    for (int i = 0; i < METHODS; i++) {
        clv_sim *s = start(m, &methods[i]);
        clv_sim_report r;
        go(s, 1.5);
        clv_sim_summary(s, &r);
        const double *at = clv_sim_position(s) + 9, most = fmax(30 * methods[i].tolerance, 1e-7);
        if (!(fabs(at[0] - x[0]) <= most))
            print_error("%s %s: off by %g, drift %g\n", methods[i].formulation, methods[i].integrator,
                        fabs(at[0] - x[0]), r.max_energy_drift);
        CLV_NEAR(at[0], x[0], most);
        CLV_NEAR(at[1], x[1], most);
        assert_true(r.max_energy_drift <= 100 * most);
        assert_int_equal(r.velocity_jumps, 2);
        clv_sim_destroy(s);
    }
    clv_model_destroy(m);
}

/* Two tables that break at 0.3 and at 3 times 0.1 break once; no step is left between them. */
static void one_time_is_one_event(void **state)
{
    static const char two[] =
        "cleave: 1\n"
        "bodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1]}}\n"
        "joints:\n"
        "  a: {kind: prismatic, between: [ground, a], at: [0, 0, 0], axis: [1, 0, 0]}\n"
        "  b: {kind: prismatic, between: [a, b], at: [0, 0, 0], axis: [0, 0, 1]}\n"
        "motions:\n"
        "  m: {joint: a, table: [[0, 0], [0.1, 0.1], [0.3, 0.2]]}\n"
        "  n: {joint: b, table: [[0, 0], [0.1, 0.1], [0.30000000000000004, 0.2]]}\n";
    clv_model *m = read_model(two);
    (void)state;
    for (int i = 0; i < METHODS; i++) {
        clv_sim *s = start(m, &methods[i]);
        clv_sim_report r;
        go(s, 0.30000000000000004);
        go(s, 0.31);
        clv_sim_summary(s, &r);
        assert_int_equal(r.events, 2);
        assert_int_equal(r.velocity_jumps, 1);
        CLV_NEAR(clv_sim_velocity(s)[0], 0, 1e-12);
        CLV_NEAR(clv_sim_velocity(s)[8], 0, 1e-12);
        clv_sim_destroy(s);
    }
    clv_model_destroy(m);
}

/* Saved at the event, before it, after it: the same bits. */
static void saved_runs_go_on(void **state)
{
    static const double at[] = {0.25, 1.99, 2, 2.01};
    clv_model *m = with_table(cart, LATE);
    (void)state;
    for (int i = 0; i < METHODS; i++)
        for (int k = 0; k < 4; k++) {
            clv_sim *s = start(m, &methods[i]), *other = start(m, &methods[i]);
            const size_t size = clv_sim_saved_size(s);
            void *bytes = size ? malloc(size) : NULL;
            go(s, at[k]);
            if (size) {
                clv_sim_save(s, bytes);
                assert_int_equal(clv_sim_load(other, bytes, size), CLV_OK);
                go(s, 2.5), go(other, 2.5);
                assert_memory_equal(clv_sim_position(s), clv_sim_position(other), 6 * sizeof(double));
                assert_memory_equal(clv_sim_velocity(s), clv_sim_velocity(other), 12 * sizeof(double));
            }
            free(bytes);
            clv_sim_destroy(s), clv_sim_destroy(other);
        }
    clv_model_destroy(m);
}

/* States handed to another simulation show the same bits, at an event too. */
static void states_are_shown_alike(void **state)
{
    clv_model *m = with_table(cart, LATE);
    clv_sim *s = start(m, &methods[0]), *other = start(m, &methods[0]), *shower = start(m, &methods[0]);
    const size_t size = clv_sim_state_size(s);
    double *bare = malloc(size * sizeof(double));
    (void)state;
    for (int k = 1; k <= 12; k++) {
        assert_int_equal(clv_sim_advance_state(s, 0.25 * k, bare), CLV_OK);
        assert_int_equal(clv_sim_show_state(shower, bare, size), CLV_OK);
        go(other, 0.25 * k);
        assert_memory_equal(clv_sim_position(other), clv_sim_position(shower), 6 * sizeof(double));
        assert_memory_equal(clv_sim_velocity(other), clv_sim_velocity(shower), 12 * sizeof(double));
    }
    free(bare);
    clv_sim_destroy(s), clv_sim_destroy(other), clv_sim_destroy(shower);
    clv_model_destroy(m);
}

/* 10^5 rows: of the inner ones a spline and a force need no stop, a run is not cut to pieces. */
static void long_tables_stay_usable(void **state)
{
    enum { ROWS = 100000 };
    double *time = malloc(ROWS * sizeof(double)), *value = malloc(ROWS * sizeof(double));
    clv_model *m;
    clv_sim *s;
    clv_sim_report r;
    (void)state;
    for (int i = 0; i < ROWS; i++)
        time[i] = 1e-4 * i, value[i] = 0.1 * sin(time[i]);
    assert_int_equal(clv_model_create(&m, "long"), CLV_OK);
    clv_body_desc body = clv_body_desc_default();
    body.name = "a", body.mass = 1, body.inertia[0] = body.inertia[1] = body.inertia[2] = 1;
    assert_int_equal(clv_model_add_body(m, NULL, &body), CLV_OK);
    body.name = "b";
    assert_int_equal(clv_model_add_body(m, NULL, &body), CLV_OK);
    for (int k = 0; k < 2; k++) {
        clv_joint_desc joint = clv_joint_desc_default(CLV_JOINT_PRISMATIC);
        joint.name = k ? "b" : "a", joint.a = k - 1, joint.b = k;
        assert_int_equal(clv_model_add_joint(m, NULL, &joint), CLV_OK);
    }
    clv_motion_desc motion = clv_motion_desc_default();
    motion.name = "m", motion.joint = 0, motion.table = (clv_table){ROWS, time, value};
    assert_int_equal(clv_model_add_motion(m, NULL, &motion), CLV_OK);
    clv_force_desc force = clv_force_desc_default(CLV_FORCE_JOINT);
    force.name = "f", force.joint = 1, force.table = (clv_table){ROWS, time, value};
    assert_int_equal(clv_model_add_force(m, NULL, &force), CLV_OK);
    assert_int_equal(clv_model_finish(m), CLV_OK);
    s = start(m, &methods[0]);
    go(s, 12);
    clv_sim_summary(s, &r);
    assert_int_equal(r.events, 1); /* the end of both tables */
    assert_true(r.steps < 1000);
    clv_sim_destroy(s);
    clv_model_destroy(m);
    free(time), free(value);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_methods_agree),    cmocka_unit_test(the_jump_is_that_of_momentum),
        cmocka_unit_test(loops_pass_the_jump),  cmocka_unit_test(one_time_is_one_event),
        cmocka_unit_test(saved_runs_go_on),     cmocka_unit_test(states_are_shown_alike),
        cmocka_unit_test(long_tables_stay_usable),
    };
    return cmocka_run_group_tests_name("laws/events", tests, NULL, NULL);
}
