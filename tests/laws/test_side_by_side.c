/* SPDX-License-Identifier: Apache-2.0
 * Mechanisms side by side in one model share lanes (T43).  Each moves to the bit as it does alone, whatever its
 * neighbours are: the law on which instances of an ensemble in lanes would rest (T48.5).
 *
 * Steps are fixed: those of the model together would depend on all errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "base/cpu.h"
#include "cleave/cleave.h"

enum { MOST = 11, ROOM = 1 << 16 };

/* What varies from one mechanism to the next. */
typedef struct text {
    char *at;
    size_t used;
} text;

#define ADD(t, ...) ((t)->used += (size_t)snprintf((t)->at + (t)->used, ROOM - (t)->used, __VA_ARGS__))

/* arms of seven revolute joints */
static void arm_bodies(text *t, int i)
{
    for (int k = 0; k < 7; k++)
        ADD(t, "  m%d_b%d: {mass: %.3f, com: [0.01, 0, 0.12], inertia: [0.03, 0.027, 0.005]}\n", i, k,
            (1 + 0.1 * i) * (4 - 0.4 * k));
}
static void arm_joints(text *t, int i)
{
    for (int k = 0; k < 7; k++) {
        char before[32] = "ground";
        if (k > 0)
            snprintf(before, sizeof before, "m%d_b%d", i, k - 1);
        ADD(t, "  m%d_j%d: {kind: revolute, a: {body: %s, position: [0, 0, 0.25], orientation: {axis: [1, 0, 0], "
               "angle: %d deg}}, b: {body: m%d_b%d}}\n", i, k, before, k % 2 ? 90 : -90, i, k);
    }
}
static void arm_forces(text *t, int i)
{
    for (int k = 0; k < 7; k++)
        ADD(t, "  m%d_f%d: {kind: joint-load, joint: m%d_j%d, stiffness: 20, damping: %.2f}\n", i, k, i, k,
            1 + 0.3 * i);
}
static void arm_start(text *t, int i)
{
    for (int k = 0; k < 7; k++)
        ADD(t, "    m%d_j%d: {q: %d deg}\n", i, k, 10 + i);
}

/* a floating body with two limbs, one of them on a spherical joint */
static void tree_bodies(text *t, int i)
{
    for (int k = 0; k < 4; k++)
        ADD(t, "  m%d_b%d: {mass: %.3f, inertia: [0.3, 0.2, 0.25]}\n", i, k, 3 + 0.2 * i - 0.5 * k);
}
static void tree_joints(text *t, int i)
{
    ADD(t, "  m%d_j0: {kind: revolute, a: {body: m%d_b0, position: [0.5, 0, 0]}, b: {body: m%d_b1, position: "
           "[-0.5, 0, 0]}}\n", i, i, i);
    ADD(t, "  m%d_j1: {kind: spherical, a: {body: m%d_b1, position: [0, 0.5, 0]}, b: {body: m%d_b2, position: "
           "[0, -0.5, 0]}}\n", i, i, i);
    ADD(t, "  m%d_j2: {kind: revolute, a: {body: m%d_b0, position: [0, 0, 0.5]}, b: {body: m%d_b3, position: "
           "[0, 0.4, 0]}}\n", i, i, i);
}
static void tree_forces(text *t, int i)
{
    ADD(t, "  m%d_f0: {kind: joint-load, joint: m%d_j0, stiffness: 5, damping: %.2f}\n", i, i, 0.1 * i);
}
static void tree_start(text *t, int i)
{
    ADD(t, "    m%d_j0: {u: %.2f}\n    m%d_j1: {u: [0.3, 0.2, %.2f]}\n", i, 0.5 + 0.1 * i, i, 0.1 * i);
    ADD(t, "    m%d_j2: {u: -0.7}\n", i);
}

typedef struct kind {
    void (*bodies)(text *, int), (*joints)(text *, int), (*forces)(text *, int), (*start)(text *, int);
    int njoint;
    double step; /* s */
} kind;
static const kind arm = {arm_bodies, arm_joints, arm_forces, arm_start, 7, 2e-4},
                  tree = {tree_bodies, tree_joints, tree_forces, tree_start, 3, 1e-3};

/* q (n x 7) and u (n x 6) of the joints of mechanisms from .. from + n - 1 after 100 steps, in one model */
static void move(const kind *k, int from, int n, const char *formulation, double *q, double *u)
{
    text t = {test_malloc(ROOM), 0};
    clv_model *m;
    clv_sim *s;
    clv_sim_options o = clv_sim_options_default();
    ADD(&t, "cleave: 1\nbodies:\n");
    for (int i = from; i < from + n; i++)
        k->bodies(&t, i);
    ADD(&t, "joints:\n");
    for (int i = from; i < from + n; i++)
        k->joints(&t, i);
    ADD(&t, "forces:\n");
    for (int i = from; i < from + n; i++)
        k->forces(&t, i);
    ADD(&t, "start:\n  joints:\n");
    for (int i = from; i < from + n; i++)
        k->start(&t, i);
    assert_true(t.used < ROOM);
    if (clv_model_read_text(&m, t.at, t.used, "side by side") != CLV_OK)
        fail_msg("%s", clv_model_error(m)->message);
    o.formulation = formulation, o.integrator = "rk4", o.step = k->step, o.threads = 1;
    assert_int_equal(clv_sim_create(&s, m, &o), CLV_OK);
    assert_int_equal(clv_sim_advance(s, 100 * k->step), CLV_OK);
    assert_int_equal(clv_sim_coordinates(s, q, u), CLV_OK);
    clv_sim_destroy(s), clv_model_destroy(m);
    test_free(t.at);
}

static void compare(const kind *k, const char *formulation)
{
    double q[MOST * 7 * 7], u[MOST * 7 * 6], one_q[7 * 7], one_u[7 * 6];
    const size_t nq = (size_t)k->njoint * 7, nu = (size_t)k->njoint * 6;
    move(k, 0, MOST, formulation, q, u);
    for (int i = 0; i < MOST; i++) {
        move(k, i, 1, formulation, one_q, one_u);
        assert_memory_equal(one_q, q + (size_t)i * nq, nq * sizeof(double));
        assert_memory_equal(one_u, u + (size_t)i * nu, nu * sizeof(double));
    }
    assert_memory_not_equal(q, q + nq, nq * sizeof(double)); /* they do move in different ways */
}

static void neighbours_in_lanes_change_no_bit(void **state)
{
    (void)state;
    for (int i = 0; i < CLV_CPU_WIDTHS; i++) {
        char lanes[8];
        if (!clv_cpu_runs(clv_cpu_width[i]))
            continue;
        snprintf(lanes, sizeof lanes, "%d", clv_cpu_width[i]);
        assert_int_equal(setenv("CLV_LANES", lanes, 1), 0);
        compare(&arm, "hdca"), compare(&arm, "dca");
        compare(&tree, "hdca"), compare(&tree, "dca");
    }
    unsetenv("CLV_LANES");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_in_lanes_change_no_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
