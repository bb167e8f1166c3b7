/* SPDX-License-Identifier: Apache-2.0
 * Linear systems (T64) against closed forms: driven pendulum with damping, free rigid body in rotation, parallelogram
 * with redundant constraints.  Random mechanisms against differences of another formulation's accelerations along
 * random directions, set through clv_sim_set_joints.  What is refused, and that the output state stays. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../oracle/random_system.h"
#include "cleave/cleave.h"
#include "model/model.h"
#include "near.h"

#define OK(call) assert_int_equal(call, CLV_OK)

static clv_model *read(const char *text)
{
    clv_model *m;
    clv_status st = clv_model_read_text(&m, text, strlen(text), "linearize");
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
    const clv_status st = clv_sim_create(&s, m, &o);
    if (st != CLV_OK)
        print_error("%s\n", clv_sim_error(s)->message);
    OK(st);
    return s;
}

static clv_linear *linearize(clv_sim *s, int outputs, clv_linear_output_fn output)
{
    clv_linear *l;
    const clv_status st = clv_sim_linearize(s, outputs, output, NULL, &l);
    if (st != CLV_OK)
        print_error("%s\n", clv_sim_error(s)->message);
    OK(st);
    return l;
}

static double at(const clv_linear *l, const double *M, int columns, int i, int j)
{
    (void)l;
    return M[i * columns + j];
}

/* ------------------------------------------------------------------ closed forms */

/* height and vertical acceleration of the first body's frame */
static clv_status height(void *user, clv_sim *s, double *y)
{
    (void)user;
    const clv_status st = clv_sim_evaluate(s);
    y[0] = clv_sim_position(s)[1], y[1] = clv_sim_acceleration(s)[1];
    return st;
}

/* I q'' = -m g a cos q - c u + tau; tau is cut at 5, which the system does not know */
static void pendulum(void **state)
{
    static const char *const formulation[] = {"hdca", "dca", "massmatrix", "connection"};
    const double m = 2, a = 0.5, I = 0.3 + m * a * a, c = 0.7, q = 0.4, u = 1.1, g = 9.81;
    (void)state;
    clv_model *model = read("cleave: 1\ngravity: [0, -9.81, 0]\n"
                            "bodies: {b: {mass: 2, com: [0.5, 0, 0], inertia: [1, 1, 0.3]}}\n"
                            "joints: {j: {kind: revolute, between: [ground, b], at: [0, 0, 0], axis: [0, 0, 1]}}\n"
                            "forces: {d: {kind: joint-load, joint: j, damping: 0.7}}\n"
                            "inputs: {tau: {joint: j, limit: 5, value: 5}}\n"
                            "start: {joints: {j: {q: 0.4, u: 1.1}}}\n");
    for (int k = 0; k < 4; k++) {
        clv_sim *s = start(model, formulation[k]);
        clv_linear *l = linearize(s, 2, height);
        assert_int_equal(l->states, 2), assert_int_equal(l->inputs, 1);
        assert_false(l->state[0].rate), assert_true(l->state[1].rate);
        CLV_NEAR(l->x[0], q, 1e-15), CLV_NEAR(l->x[1], u, 1e-14), CLV_NEAR(l->u[0], 5, 0);
        CLV_NEAR(l->y[0], a * sin(q), 1e-15);
        const double udd = (-m * g * a * cos(q) - c * u + 5) / I;
        CLV_NEAR(at(l, l->A, 2, 0, 0), 0, 0), CLV_NEAR(at(l, l->A, 2, 0, 1), 1, 0);
        CLV_NEAR(at(l, l->A, 2, 1, 0), m * g * a * sin(q) / I, 1e-11);
        CLV_NEAR(at(l, l->A, 2, 1, 1), -c / I, 1e-11);
        CLV_NEAR(l->B[0], 0, 0), CLV_NEAR(l->B[1], 1 / I, 1e-11);
        CLV_NEAR(at(l, l->C, 2, 0, 0), a * cos(q), 1e-12), CLV_NEAR(at(l, l->C, 2, 0, 1), 0, 1e-12);
        /* y_1 = a (udd cos q - u^2 sin q) */
        const double dudd = m * g * a * sin(q) / I;
        CLV_NEAR(at(l, l->C, 2, 1, 0), a * (dudd * cos(q) - udd * sin(q) - u * u * cos(q)), 1e-10);
        CLV_NEAR(at(l, l->C, 2, 1, 1), a * (-c / I * cos(q) - 2 * u * sin(q)), 1e-10);
        CLV_NEAR(l->D[0], 0, 1e-12), CLV_NEAR(l->D[1], a * cos(q) / I, 1e-11);
        assert_true(l->error < 1e-9);
        clv_linear_destroy(l);
        clv_sim_destroy(s);
    }
    clv_model_destroy(model);
}

/* theta' = dw - w x theta,  I w' = -w x I w, both about body axes */
static void body_in_rotation(void **state)
{
    const double I[3] = {1, 2, 2.5};
    (void)state;
    clv_model *model = read("cleave: 1\nbodies: {b: {mass: 3, inertia: [1, 2, 2.5]}}\n"
                            "joints: {f: {kind: free, between: [ground, b], at: [0, 0, 0]}}\n"
                            "start: {joints: {f: {u: [1, 2, 3, 0.3, 2, -0.4]}}}\n");
    clv_sim *s = start(model, "dca");
    OK(clv_sim_advance(s, 0.7)); /* any orientation */
    clv_joint_result r;
    OK(clv_sim_joint(s, 0, &r));
    const double *w = r.u + 3;
    clv_linear *l = linearize(s, 0, NULL);
    assert_int_equal(l->states, 12);
    for (int i = 0; i < 3; i++) {
        const int b = (i + 1) % 3, c = (i + 2) % 3;
        CLV_NEAR(at(l, l->A, 12, i, 6 + i), 1, 0);
        CLV_NEAR(at(l, l->A, 12, 3 + i, 9 + i), 1, 0);
        CLV_NEAR(at(l, l->A, 12, 3 + i, 3 + b), w[c], 1e-10);
        CLV_NEAR(at(l, l->A, 12, 3 + i, 3 + c), -w[b], 1e-10);
        /* w_i' = (I_b - I_c) / I_i w_b w_c */
        CLV_NEAR(at(l, l->A, 12, 9 + i, 9 + b), (I[b] - I[c]) / I[i] * w[c], 1e-10);
        CLV_NEAR(at(l, l->A, 12, 9 + i, 9 + c), (I[b] - I[c]) / I[i] * w[b], 1e-10);
        CLV_NEAR(at(l, l->A, 12, 9 + i, 9 + i), 0, 1e-10);
        for (int k = 0; k < 6; k++)
            CLV_NEAR(at(l, l->A, 12, 9 + i, k), 0, 1e-10);
    }
    clv_linear_destroy(l);
    clv_sim_destroy(s);
    clv_model_destroy(model);
}

/* Cranks of length 1 with inertia 0.4 about their pivots and mass 1.2 at the middle, a coupler of mass 3 that only
 * translates: (0.8 + 3) q'' = -(2 x 1.2 / 2 + 3) g cos q.  All hinges are parallel: three constraints are redundant. */
static void parallelogram(void **state)
{
    const double q = 0.9, u = 0.6, J = 0.8 + 3, load = (1.2 + 3) * 9.81;
    (void)state;
    clv_model *model = read("cleave: 1\ngravity: [0, -9.81, 0]\n"
                            "bodies:\n"
                            "  left: {mass: 1.2, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"
                            "  right: {mass: 1.2, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"
                            "  bar: {mass: 3, com: [1, 0, 0], inertia: [1, 1, 1]}\n"
                            "joints:\n"
                            "  a: {kind: revolute, a: {body: ground}, b: {body: left}}\n"
                            "  b: {kind: revolute, a: {body: ground, position: [2, 0, 0]}, b: {body: right}}\n"
                            "  c: {kind: revolute, a: {body: left, position: [1, 0, 0]}, b: {body: bar}}\n"
                            "  d: {kind: revolute, a: {body: right, position: [1, 0, 0]},"
                            " b: {body: bar, position: [2, 0, 0]}}\n"
                            "start: {joints: {a: {q: 0.9, u: 0.6}, b: {q: 0.9, u: 0.6}, c: {q: -0.9, u: -0.6}}}\n");
    static const char *const formulation[] = {"hdca", "dca", "massmatrix"};
    for (int k = 0; k < 3; k++) {
        clv_sim *s = start(model, formulation[k]);
        clv_linear *l = linearize(s, 0, NULL);
        assert_int_equal(l->states, 2);
        const double sign = clv_model_joint_name(model, l->state[0].joint)[0] == 'c' ? -1 : 1;
        CLV_NEAR(l->x[0], sign * q, 1e-12), CLV_NEAR(l->x[1], sign * u, 1e-12);
        CLV_NEAR(l->A[2], load * sin(q) / J, 1e-9);
        CLV_NEAR(l->A[3], 0, 1e-9);
        clv_linear_destroy(l);
        clv_sim_destroy(s);
    }
    clv_model_destroy(model);
}

/* ------------------------------------------------------------------ random mechanisms */

/* the joints of the states, each once; false: some states belong to no joint */
static bool list_joints(const clv_linear *l, clv_joint_setting *set, int *count)
{
    *count = 0;
    for (int k = 0; k < l->states / 2; k++) {
        const int joint = l->state[k].joint;
        if (joint < 0)
            return false;
        if (*count == 0 || set[*count - 1].joint != joint)
            set[(*count)++] = (clv_joint_setting){.joint = joint, .has_q = true, .has_u = true};
    }
    return true;
}

/* Are they whole joints, and of as many q as u?  Others cannot be set by coordinates. */
static bool plain(clv_sim *s, const clv_joint_setting *set, int n, int freedoms)
{
    int all = 0;
    for (int i = 0; i < n; i++) {
        clv_joint_result r;
        OK(clv_sim_joint(s, set[i].joint, &r));
        if (r.nq != r.nu)
            return false;
        all += r.nu;
    }
    return all == freedoms;
}

/* Random systems start on a point of their tables, where third derivatives jump: differences take the mean of both. */
static bool tabled(const clv_model *m)
{
    for (int k = 0; k < m->ncoupling; k++)
        if (m->coupling[k].table.n > 0)
            return true;
    return false;
}

/* accelerations of the states' joints with coordinates and rates moved by h d (2 f) */
static clv_status accelerations(clv_sim *s, const clv_linear *l, clv_joint_setting *set, int n, double h,
                                const double *d, double *to)
{
    const int f = l->states / 2;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < f; k++)
            if (l->state[k].joint == set[i].joint) {
                set[i].q[l->state[k].coordinate] = l->x[k] + h * d[k];
                set[i].u[l->state[k].coordinate] = l->x[f + k] + h * d[f + k];
            }
    clv_status st = clv_sim_set_joints(s, set, n);
    for (int k = 0; k < f && st == CLV_OK; k++) {
        clv_joint_result r;
        st = clv_sim_joint(s, l->state[k].joint, &r);
        to[k] = r.udot[l->state[k].coordinate];
    }
    return st;
}

/* A d beside differences of sixth order along d; what cannot be compared is counted by the caller */
static double largest_difference;

static bool compare(uint64_t seed, random_kind kind)
{
    enum { MOST = 60 };
    clv_model *m;
    clv_sim *s, *other;
    random_stream random = {seed};
    clv_joint_setting set[MOST];
    double d[2 * MOST], p[6][MOST];
    int n;
    clv_sim_options o = clv_sim_options_default();
    OK(random_system_create(seed, kind, kind == RANDOM_TREE ? 4 : 8, &m, NULL));
    o.formulation = "dca";
    if (clv_sim_create(&s, m, &o) != CLV_OK) {
        clv_sim_destroy(s), clv_model_destroy(m);
        return false;
    }
    clv_linear *l = NULL;
    const clv_status st = clv_sim_linearize(s, 0, NULL, NULL, &l);
    bool fit = st == CLV_OK && !tabled(m) && l->states > 0 && l->states <= 2 * MOST && l->error < 1e-9 &&
               list_joints(l, set, &n) && plain(s, set, n, l->states / 2);
    o.formulation = "massmatrix";
    if (clv_sim_create(&other, m, &o) != CLV_OK)
        fit = false;
    for (int i = 0; fit && i < l->states; i++)
        d[i] = random_uniform(&random, -1, 1);
    double worst = INFINITY, size = 0;
    for (int step = 0; fit && step < 3; step++) {
        const double h = (double[]){1e-2, 1e-3, 1e-4}[step];
        for (int i = 0; i < 6 && fit; i++)
            fit = accelerations(other, l, set, n, (i % 2 ? -1 : 1) * (1 + i / 2) * h, d, p[i]) == CLV_OK;
        double most = 0;
        size = 0;
        for (int k = 0; fit && k < l->states / 2; k++) {
            const double slope = (45 * (p[0][k] - p[1][k]) - 9 * (p[2][k] - p[3][k]) + p[4][k] - p[5][k]) / (60 * h);
            double own = 0;
            for (int j = 0; j < l->states; j++) {
                own += l->A[(l->states / 2 + k) * l->states + j] * d[j];
                size = fmax(size, fabs(l->A[(l->states / 2 + k) * l->states + j]));
            }
            most = fmax(most, fabs(own - slope));
        }
        worst = fmin(worst, most);
    }
    largest_difference = fit ? fmax(largest_difference, worst / size) : largest_difference;
    if (fit && !(worst <= 1e-8 * size))
        fail_msg("%s, seed %d: %g of %g", random_kind_name(kind), (int)seed, worst, size);
    clv_linear_destroy(l);
    clv_sim_destroy(s), clv_sim_destroy(other);
    clv_model_destroy(m);
    return fit;
}

static void random_mechanisms(void **state)
{
    int compared = 0, loops = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++)
        compared += compare(seed, RANDOM_TREE);
    for (uint64_t seed = 1; seed <= 80; seed++)
        for (int kind = RANDOM_LOOP; kind < RANDOM_KINDS; kind++)
            loops += compare(seed, (random_kind)kind);
    print_message("%d trees and %d mechanisms with loops compared: %.1e\n", compared, loops, largest_difference);
    assert_true(compared >= 10 && loops >= 40);
}

/* ------------------------------------------------------------------ around it */

static void output_state_stays(void **state)
{
    clv_model *m;
    (void)state;
    OK(clv_example_create(&m, "five-bar", NULL, 0));
    clv_sim *s = start(m, "hdca"), *other = start(m, "hdca");
    OK(clv_sim_advance(s, 0.5)), OK(clv_sim_advance(other, 0.5));
    const size_t n = 3 * (size_t)clv_model_body_count(m) * sizeof(double);
    double *before = malloc(n), energy[3], after[3];
    memcpy(before, clv_sim_position(s), n);
    clv_sim_energy(s, &energy[0], &energy[1], &energy[2]);
    clv_linear_destroy(linearize(s, 0, NULL));
    assert_memory_equal(before, clv_sim_position(s), n);
    clv_sim_energy(s, &after[0], &after[1], &after[2]);
    assert_memory_equal(energy, after, sizeof energy);
    OK(clv_sim_advance(s, 1)), OK(clv_sim_advance(other, 1));
    for (size_t i = 0; i < n / sizeof(double); i++)
        CLV_NEAR(clv_sim_position(s)[i], clv_sim_position(other)[i], 1e-5); /* steps differ from there on */
    free(before);
    clv_sim_destroy(s), clv_sim_destroy(other);
    clv_model_destroy(m);
}

static clv_status gives_up(void *user, clv_sim *s, double *y)
{
    (void)user, (void)s, (void)y;
    return CLV_ERR_NOT_FINITE;
}

static void what_is_refused(void **state)
{
    clv_linear *l = (clv_linear *)1;
    clv_model *m = read("cleave: 1\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n"
                        "joints: {j: {kind: revolute, between: [ground, b], at: [0, 0, 0], axis: [0, 0, 1]}}\n"
                        "motions: {m: {joint: j, rate: 1}}\ninputs: {x: {motion: m}}\n");
    clv_sim *s = start(m, "dca");
    (void)state;
    assert_int_equal(clv_sim_linearize(s, 0, NULL, NULL, &l), CLV_ERR_UNSUPPORTED);
    assert_non_null(strstr(clv_sim_error(s)->message, "input 'x' accelerates a motion"));
    assert_null(l);
    assert_int_equal(clv_sim_linearize(s, 0, NULL, NULL, NULL), CLV_ERR_USAGE);
    clv_sim_destroy(s), clv_model_destroy(m);
    OK(clv_example_create(&m, "double-pendulum", NULL, 0));
    s = start(m, "aldca");
    assert_int_equal(clv_sim_linearize(s, 0, NULL, NULL, &l), CLV_ERR_USAGE);
    clv_sim_destroy(s);
    s = start(m, "dca");
    assert_int_equal(clv_sim_linearize(s, 1, NULL, NULL, &l), CLV_ERR_USAGE);
    assert_int_equal(clv_sim_linearize(s, -1, NULL, NULL, &l), CLV_ERR_USAGE);
    assert_int_equal(clv_sim_linearize(s, 1, gives_up, NULL, &l), CLV_ERR_NOT_FINITE);
    assert_int_equal(clv_sim_linearize(NULL, 0, NULL, NULL, &l), CLV_ERR_USAGE);
    clv_linear_destroy(NULL);
    clv_sim_destroy(s), clv_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulum),          cmocka_unit_test(body_in_rotation),
        cmocka_unit_test(parallelogram),     cmocka_unit_test(random_mechanisms),
        cmocka_unit_test(output_state_stays), cmocka_unit_test(what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
