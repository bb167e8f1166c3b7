/* SPDX-License-Identifier: Apache-2.0
 * Inverse dynamics (T50): a two-link arm against its closed form; a loop with redundant actuators against virtual work
 * and the least weighted norm; efforts set again give the accelerations; what is refused, by name. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cleave/cleave.h"
#include "math/orthonormal.h"
#include "near.h"

#define OK(call) assert_int_equal(call, CLV_OK)

static clv_model *read(const char *text)
{
    clv_model *m;
    clv_status st = clv_model_read_text(&m, text, strlen(text), "inverse");
    if (st != CLV_OK)
        print_error("%s\n", clv_model_error_at(m, 0)->message);
    OK(st);
    return m;
}

static clv_sim *start(const clv_model *m, const char *formulation)
{
    clv_sim *s;
    clv_sim_options o = clv_sim_options_default();
    o.formulation = formulation;
    OK(clv_sim_create(&s, m, &o));
    return s;
}

static const char ARM[] = "cleave: 1\n"
                          "gravity: [0, -9.81, 0]\n"
                          "bodies:\n"
                          "  upper: {mass: 3, com: [0.25, 0, 0], inertia: [0.01, 0.07, 0.07]}\n"
                          "  fore: {mass: 2, com: [0.2, 0, 0], inertia: [0.01, 0.03, 0.03]}\n"
                          "joints:\n"
                          "  s: {kind: revolute, a: {body: ground}, b: {body: upper}}\n"
                          "  e: {kind: revolute, a: {body: upper, position: [0.5, 0, 0]}, b: {body: fore}}\n"
                          "forces: {d: {kind: joint-load, joint: e, stiffness: 5, rest: 0.1, damping: 0.3}}\n"
                          "inputs: {lift: {body: fore, point: [0.4, 0, 0], force: [0, 1, 0], value: 2}}\n";

/* tau = M a + C + g of a planar arm of two links, less the spring at the elbow and the force at the tip */
static void closed_form(const double q[2], const double u[2], const double a[2], double tip, double tau[2])
{
    const double m1 = 3, c1 = 0.25, I1 = 0.07, m2 = 2, c2 = 0.2, I2 = 0.03, l = 0.5, g = 9.81;
    const double c = cos(q[1]), h = m2 * l * c2 * sin(q[1]);
    const double M11 = m1 * c1 * c1 + I1 + m2 * (l * l + c2 * c2 + 2 * l * c2 * c) + I2;
    const double M12 = m2 * (c2 * c2 + l * c2 * c) + I2, M22 = m2 * c2 * c2 + I2;
    const double fore = 0.4 * cos(q[0] + q[1]), spring = -5 * (q[1] - 0.1) - 0.3 * u[1];
    const double weight = m2 * c2 * g * cos(q[0] + q[1]);
    tau[0] = M11 * a[0] + M12 * a[1] - h * (2 * u[0] * u[1] + u[1] * u[1]) + (m1 * c1 + m2 * l) * g * cos(q[0]) +
             weight - tip * (l * cos(q[0]) + fore);
    tau[1] = M12 * a[0] + M22 * a[1] + h * u[0] * u[0] + weight - spring - tip * fore;
}

static void arm_has_the_efforts_of_its_closed_form(void **state)
{
    static const char *const formulation[] = {"hdca", "dca", "massmatrix", "connection"};
    const double q[2] = {0.3, -0.8}, u[2] = {1.5, -2}, a[2] = {7, -3};
    clv_model *m = read(ARM);
    double tau[2];
    (void)state;
    closed_form(q, u, a, 2, tau);
    for (int f = 0; f < 4; f++) {
        clv_sim *s = start(m, formulation[f]);
        const clv_joint_setting set[2] = {{0, true, true, {q[0]}, {u[0]}}, {1, true, true, {q[1]}, {u[1]}}};
        const clv_joint_acceleration wanted[2] = {{0, {a[0]}}, {1, {a[1]}}};
        const clv_inverse_actuator motor[2] = {{-1, 0, 0, 1}, {-1, 1, 0, 3}};
        clv_inverse_result r;
        double effort[2];
        OK(clv_sim_set_joints(s, set, 2));
        OK(clv_sim_inverse(s, wanted, 2, motor, 2, effort, &r));
        assert_true(fabs(effort[0] - tau[0]) < 1e-12 * 30 && fabs(effort[1] - tau[1]) < 1e-12 * 30);
        assert_true(r.freedoms == 2 && r.rank == 2 && r.missed < 1e-12 && r.unbalanced < 1e-12);
        clv_sim_destroy(s);
    }
    clv_model_destroy(m);
}

/* The input at the tip as an actuator: its effort is the new value, in place of the present one. */
static void efforts_of_inputs_are_their_new_values(void **state)
{
    clv_model *m = read(ARM);
    clv_sim *s = start(m, "dca");
    const double zero[2] = {0, 0};
    const clv_joint_acceleration wanted[2] = {{0, {1}}, {1, {2}}};
    const clv_inverse_actuator actuator[2] = {{0, 0, 0, 1}, {-1, 0, 0, 1}};
    double effort[2], tau[2], none[2];
    clv_joint_result r;
    (void)state;
    OK(clv_sim_inverse(s, wanted, 2, actuator, 2, effort, NULL));
    closed_form(zero, zero, (const double[2]){1, 2}, effort[0], tau);
    closed_form(zero, zero, (const double[2]){1, 2}, 0, none);
    assert_true(fabs(tau[0] - effort[0] * 0 - effort[1]) < 1e-11); /* the motor at the shoulder */
    assert_true(fabs(tau[1]) < 1e-11);                             /* nothing at the elbow       */
    assert_true(fabs(effort[0] - none[1] / 0.4) < 1e-11);
    assert_true(clv_sim_input(s, 0) == 2); /* nothing was set */
    OK(clv_sim_joint(s, 0, &r));
    assert_true(r.q[0] == 0);
    clv_sim_destroy(s), clv_model_destroy(m);
}

static const char FOUR_BAR[] =
    "cleave: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  crank:   {mass: 1, com: [0.1, 0, 0], inertia: [0.001, 0.004, 0.004]}\n"
    "  coupler: {mass: 2, com: [0.4, 0, 0], inertia: [0.01, 0.11, 0.11]}\n"
    "  rocker:  {mass: 1, com: [0.3, 0, 0], inertia: [0.01, 0.03, 0.03]}\n"
    "joints:\n"
    "  a: {kind: revolute, between: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  b: {kind: revolute, between: [crank, coupler], at: [0.2, 0, 0], axis: [0, 0, 1]}\n"
    "  c: {kind: revolute, a: {body: coupler, position: [0.8, 0, 0]}, b: {body: rocker, position: [0.6, 0, 0]}}\n"
    "  d: {kind: revolute, between: [ground, rocker], at: [0.7, 0, 0], axis: [0, 0, 1]}\n"
    "start:\n"
    "  bodies:\n"
    "    coupler: {position: [0.2, 0, 0]}\n"
    "    rocker: {position: [0.7, 0, 0], orientation: {axis: [0, 0, 1], angle: 80 deg}}\n"
    "  joints: {a: {u: 3}}\n";

/* One degree of freedom, four motors, one of them in the joint that closes the loop.  Every set of efforts has the same
 * power; the least weighted one has w_i e_i proportional to the rate of its joint. */
static void redundant_efforts_of_a_loop_are_least(void **state)
{
    static const double weight[4] = {1, 2, 0.5, 10};
    clv_model *m = read(FOUR_BAR);
    (void)state;
    for (int j = 0; j < 4; j++) { /* the acceleration of each joint, the loop joint included, determines the motion */
        clv_sim *s = start(m, "dca");
        clv_joint_result r;
        clv_inverse_result found;
        const clv_joint_acceleration wanted = {j, {-4}};
        clv_inverse_actuator motor[4], one = {-1, j, 0, 1};
        double effort[4], alone, power = 0, ratio = 0, rate[4];
        for (int i = 0; i < 4; i++)
            motor[i] = (clv_inverse_actuator){-1, i, 0, weight[i]};
        OK(clv_sim_inverse(s, &wanted, 1, motor, 4, effort, &found));
        assert_true(found.freedoms == 1 && found.rank == 1 && found.unbalanced < 1e-12);
        OK(clv_sim_inverse(s, &wanted, 1, &one, 1, &alone, NULL));
        for (int i = 0; i < 4; i++) {
            OK(clv_sim_joint(s, i, &r));
            rate[i] = r.u[0], power += effort[i] * rate[i];
        }
        assert_true(fabs(power - alone * rate[j]) < 1e-11 * fabs(power));
        ratio = weight[0] * effort[0] / rate[0];
        for (int i = 1; i < 4; i++)
            assert_true(fabs(weight[i] * effort[i] / rate[i] - ratio) < 1e-11 * fabs(ratio));
        clv_sim_destroy(s);
    }
    clv_model_destroy(m);
}

/* Two motors at joints that close loops or not, in place: the accelerations are those requested. */
static int motor(void *user, double time, const double *q, const double *u, double *effort)
{
    (void)time, (void)q, (void)u;
    effort[0] = *(const double *)user;
    return 0;
}

static void efforts_give_the_accelerations(void **state)
{
    clv_model *m = read(FOUR_BAR);
    clv_sim *s = start(m, "hdca");
    const clv_joint_acceleration wanted = {0, {12.5}};
    const clv_inverse_actuator at[2] = {{-1, 2, 0, 1}, {-1, 3, 0, 1}};
    double effort[2];
    clv_joint_result r;
    (void)state;
    OK(clv_sim_inverse(s, &wanted, 1, at, 2, effort, NULL));
    OK(clv_sim_set_joint_control(s, 2, motor, &effort[0]));
    OK(clv_sim_set_joint_control(s, 3, motor, &effort[1]));
    OK(clv_sim_joint(s, 0, &r));
    assert_true(fabs(r.udot[0] - 12.5) < 1e-10);
    clv_sim_destroy(s), clv_model_destroy(m);
}

/* Too few actuators, accelerations that contradict a loop: numbers; what determines no motion: named. */
static void what_cannot_be_is_told(void **state)
{
    clv_model *m = read(ARM), *loop = read(FOUR_BAR);
    clv_sim *s = start(m, "dca"), *bar = start(loop, "dca"), *body;
    const clv_joint_acceleration both[2] = {{0, {1}}, {1, {2}}}, twice[2] = {{0, {1}}, {0, {1}}};
    const clv_joint_acceleration apart[2] = {{0, {5}}, {3, {5}}};
    clv_inverse_actuator a = {-1, 0, 0, 1};
    clv_inverse_result r;
    double effort;
    (void)state;
    OK(clv_sim_inverse(s, both, 2, &a, 1, &effort, &r));
    assert_true(r.freedoms == 2 && r.rank == 1 && r.unbalanced > 0.01);
    assert_int_equal(clv_sim_inverse(s, both, 1, &a, 1, &effort, &r), CLV_ERR_USAGE);
    assert_string_equal(clv_sim_error(s)->joint, "e");
    assert_int_equal(clv_sim_inverse(s, twice, 2, &a, 1, &effort, &r), CLV_ERR_USAGE);
    a.weight = 0;
    assert_int_equal(clv_sim_inverse(s, both, 2, &a, 1, &effort, &r), CLV_ERR_USAGE);
    a.weight = 1, a.joint = 9;
    assert_int_equal(clv_sim_inverse(s, both, 2, &a, 1, &effort, &r), CLV_ERR_USAGE);
    a.joint = 0;
    OK(clv_sim_inverse(bar, apart, 2, &a, 1, &effort, &r));
    assert_true(r.missed > 0.1 && (r.joint == 0 || r.joint == 3));
    body = start(m, "aldca");
    assert_int_equal(clv_sim_inverse(body, both, 2, &a, 1, &effort, &r), CLV_ERR_USAGE);
    clv_sim_destroy(body), clv_sim_destroy(s), clv_sim_destroy(bar);
    clv_model_destroy(m), clv_model_destroy(loop);
}

/* A of rank 3 with 5 x 4 numbers: the four conditions of Penrose, by A x = b for all unit vectors b. */
static void least_norm_is_the_pseudoinverse(void **state)
{
    enum { M = 5, N = 4 };
    double A[M * N], P[N * M], AP[M * M] = {0}, PA[N * N] = {0}, work[CLV_LEAST_NORM_SIZE(M, N)];
    int order[M];
    (void)state;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++)
            A[i * N + j] = j < 3 ? cos(3.0 * i * (j + 1) + j) : 2 * A[i * N] - A[i * N + 2];
    for (int k = 0; k < M; k++) {
        double b[M] = {0}, x[N];
        b[k] = 1;
        assert_int_equal(clv_least_norm(x, A, b, M, N, 1e-12, work, order), 3);
        for (int j = 0; j < N; j++)
            P[j * M + k] = x[j];
    }
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++)
            for (int k = 0; k < N; k++)
                AP[i * M + j] += A[i * N + k] * P[k * M + j];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < M; k++)
                PA[i * N + j] += P[i * M + k] * A[k * N + j];
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            double apa = 0;
            for (int k = 0; k < M; k++)
                apa += AP[i * M + k] * A[k * N + j];
            assert_true(fabs(apa - A[i * N + j]) < 1e-14);
        }
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++)
            assert_true(fabs(AP[i * M + j] - AP[j * M + i]) < 1e-14);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            assert_true(fabs(PA[i * N + j] - PA[j * N + i]) < 1e-14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arm_has_the_efforts_of_its_closed_form),
        cmocka_unit_test(efforts_of_inputs_are_their_new_values),
        cmocka_unit_test(redundant_efforts_of_a_loop_are_least),
        cmocka_unit_test(efforts_give_the_accelerations),
        cmocka_unit_test(what_cannot_be_is_told),
        cmocka_unit_test(least_norm_is_the_pseudoinverse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
