/* SPDX-License-Identifier: Apache-2.0
 * Tendons (T114) and drags (T115): against the loads that they contain as special cases and closed forms, energy along
 * motions by every formulation, inputs, and what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "math/sincos.h"
#include "near.h"
#include "simulation/sim.h"

static const char *const formulations[] = {"hdca", "dca", "connection", "massmatrix", "aldca", "index3"};
enum { FORMULATIONS = 6 };

static clv_model *read_model(const char *text)
{
    clv_model *m;
    if (clv_model_read_text(&m, text, strlen(text), "tendon") != CLV_OK)
        fail_msg("%s: %s", clv_model_error(m)->path, clv_model_error(m)->message);
    return m;
}

/* a simulation that has come to `end` */
static clv_sim *run(const clv_model *m, int f, double end)
{
    clv_sim *s;
    clv_sim_options o = clv_sim_options_default();
    o.formulation = formulations[f];
    if (f == FORMULATIONS - 1)
        o.step = 1e-3;
    else
        o.rtol = 1e-10;
    if (clv_sim_create(&s, m, &o) != CLV_OK || clv_sim_set_end(s, end) != CLV_OK || clv_sim_advance(s, end) != CLV_OK)
        fail_msg("%s: %s", formulations[f], clv_sim_error(s)->message);
    return s;
}

/* Both models move alike, and keep their energy account. */
static void same_motion(const char *one, const char *other, double end)
{
    clv_model *a = read_model(one), *b = read_model(other);
    for (int f = 0; f < FORMULATIONS; f++) {
        const double tolerance = f == FORMULATIONS - 1 ? 1e-6 : 1e-8;
        clv_sim *x = run(a, f, end), *y = run(b, f, end);
        clv_sim_report r = {0}, r2 = {0};
        for (int i = 0; i < 3 * a->nbody; i++)
            CLV_NEAR(clv_sim_position(x)[i], clv_sim_position(y)[i], tolerance);
        clv_sim_summary(x, &r), clv_sim_summary(y, &r2);
        assert_true(r.max_energy_drift < 2 * r2.max_energy_drift + 1e-7);
        clv_sim_destroy(x), clv_sim_destroy(y);
    }
    clv_model_destroy(a), clv_model_destroy(b);
}

#define ARMS                                                                                                           \
    "cleave: 1\nbodies:\n  a: {mass: 1, com: [0.5, 0, 0], inertia: [0.02, 0.1, 0.1]}\n"                                \
    "  b: {mass: 0.7, com: [0.4, 0.1, 0], inertia: [0.02, 0.1, 0.1]}\n"                                                \
    "joints:\n  j: {kind: revolute, a: {body: ground}, b: {body: a}}\n"                                                \
    "  k: {kind: revolute, a: {body: a, position: [1, 0, 0], orientation: {axis: [1, 0, 0], angle: 50 deg}}, "         \
    "b: {body: b}}\nstart: {joints: {j: {q: 0.4, u: 1}, k: {q: -0.3, u: 2}}}\nforces:\n  s: "

static void two_points_are_a_spring(void **state)
{
    (void)state;
    same_motion(ARMS "{kind: tendon, path: [[ground, [0.3, 0.2, 1]], [b, [0.5, 0, 0.1]]], stiffness: 40, damping: 0.5, "
                     "length: 0.8}\n",
                ARMS "{kind: spring-damper, between: [ground, b], points: [[0.3, 0.2, 1], [0.5, 0, 0.1]], "
                     "stiffness: 40, damping: 0.5, length: 0.8}\n", 0.5);
}

static void one_joint_is_a_joint_load(void **state)
{
    (void)state;
    same_motion(ARMS "{kind: tendon, of: {k: 2}, stiffness: 10, damping: 0.25, length: 0.2, drive: -3, lower: -0.5, "
                     "upper: 1, stop_stiffness: 300, stop_dissipation: 0.1}\n",
                ARMS "{kind: joint-load, joint: k, stiffness: 40, damping: 1, rest: 0.1, drive: -6, lower: -0.25, "
                     "upper: 0.5, stop_stiffness: 1200, stop_dissipation: 0.2}\n", 0.5);
}

/* A path in a straight line over a point of ground is the sum of two lengths; energy shows that its force has this
 * length for potential, whatever it runs over. */
static void a_long_path_keeps_its_energy(void **state)
{
    (void)state;
    clv_model *m = read_model(ARMS "{kind: tendon, path: [[ground, [0, 0, 1]], [a, [0.4, 0.1, 0.2]], "
                              "[b, [0.3, 0, 0.1]], "
                                   "[a, [0.8, -0.1, 0]], [ground, [1, 1, 0]]], stiffness: 80, length: 2, upper: 3.1, "
                                   "stop_stiffness: 4000}\n");
    double at[6];
    for (int f = 0; f < FORMULATIONS; f++) {
        clv_sim *s = run(m, f, 1);
        clv_sim_report r = {0};
        clv_sim_summary(s, &r);
        assert_true(r.max_energy_drift < (f == FORMULATIONS - 1 ? 1e-2 : 1e-5));
        for (int i = 0; i < 6; i++) {
            if (f > 0)
                CLV_NEAR(clv_sim_position(s)[i], at[i], f == FORMULATIONS - 1 ? 1e-3 : 1e-6);
            else
                at[i] = clv_sim_position(s)[i];
        }
        clv_sim_destroy(s);
    }
    clv_model_destroy(m);
}

/* Two weights on a rope over a fixed point, as stiff as its stop: a = g (m2 - m1) / (m1 + m2). */
static void two_weights_hang_on_a_rope(void **state)
{
    (void)state;
    clv_model *m = read_model(
        "cleave: 1\nbodies:\n  a: {mass: 1, inertia: [1, 1, 1]}\n  b: {mass: 3, inertia: [1, 1, 1]}\njoints:\n"
        "  j: {kind: prismatic, a: {body: ground, position: [0, 0, 0]}, b: {body: a}}\n"
        "  k: {kind: prismatic, a: {body: ground, position: [1, 0, 0]}, b: {body: b}}\nforces:\n"
        "  rope: {kind: tendon, path: [[a, [0, 0, 0]], [ground, [0, 0, 2]], [ground, [1, 0, 2]], [b, [0, 0, 0]]], "
        "upper: 5, stop_stiffness: 1e6, stop_dissipation: 5}\n");
    clv_sim *s = run(m, 0, 0.4);
    double q[2][7], u[2][6];
    assert_int_equal(clv_sim_coordinates(s, q[0], u[0]), CLV_OK);
    CLV_NEAR(q[0][0], 9.81 / 2 * 0.08, 1e-3);
    CLV_NEAR(q[1][0], -9.81 / 2 * 0.08, 1e-3);
    clv_sim_destroy(s), clv_model_destroy(m);
}

/* The input of a tendon is that of its joints, times the factors. */
static void inputs_pull_tendons(void **state)
{
    (void)state;
    clv_model *m = read_model(ARMS "{kind: tendon, of: {j: 0.5, k: -2}}\n"
                                   "inputs: {x: {tendon: s, value: 3, limit: 5}}\n");
    clv_model *n = read_model(ARMS "{kind: joint-load, joint: j, drive: 1.5}\n  t: {kind: joint-load, joint: k, "
                                   "drive: -6}\n");
    clv_sim *x = run(m, 0, 0.5), *y = run(n, 0, 0.5);
    clv_sim_report r = {0};
    for (int i = 0; i < 6; i++)
        CLV_NEAR(clv_sim_position(x)[i], clv_sim_position(y)[i], 1e-9);
    clv_sim_summary(x, &r);
    assert_true(r.max_energy_drift < 1e-7);
    clv_sim_destroy(x), clv_sim_destroy(y), clv_model_destroy(m), clv_model_destroy(n);
}

/* A ball in a fluid: linear, x = v0 m / c (1 - exp(-c t / m)); quadratic, v = v0 / (1 + q v0 t / m). */
#define BALL                                                                                                           \
    "cleave: 1\ngravity: [0, 0, 0]\nbodies: {b: {mass: 2, inertia: [1, 1, 1]}}\n"                                      \
    "joints: {f: {kind: free, a: {body: ground}, b: {body: b}}}\nstart: {bodies: {b: {position: [0, 0, 0], "           \
    "velocity: [3, 0, 4]}}}\nforces: {d: {kind: drag, body: b, "

static void a_ball_slows_down(void **state)
{
    (void)state;
    const double t = 1.5;
    for (int f = 0; f < FORMULATIONS; f++) {
        const double tolerance = f == FORMULATIONS - 1 ? 1e-5 : 1e-8;
        clv_model *m = read_model(BALL "linear: 0.8}}\n"), *n = read_model(BALL "quadratic: 0.3}}\n");
        clv_model *w = read_model(BALL "density: 2, area: 0.5, drag_coefficient: 0.6, fluid: [3, 0, 4]}}\n");
        clv_sim *x = run(m, f, t), *y = run(n, f, t), *z = run(w, f, t);
        CLV_NEAR(clv_sim_position(x)[0], 3 * 2 / 0.8 * (1 - exp(-0.8 * t / 2)), tolerance);
        CLV_NEAR(clv_sim_position(x)[2], 4 * 2 / 0.8 * (1 - exp(-0.8 * t / 2)), tolerance);
        CLV_NEAR(clv_sim_velocity(y)[0], 3 / (1 + 0.3 * 5 * t / 2), tolerance);
        CLV_NEAR(clv_sim_velocity(y)[2], 4 / (1 + 0.3 * 5 * t / 2), tolerance);
        CLV_NEAR(clv_sim_velocity(z)[0], 3, 1e-12); /* it moves with the fluid */
        clv_sim_report r = {0};
        clv_sim_summary(y, &r);
        assert_true(r.max_energy_drift < (f == FORMULATIONS - 1 ? 1e-3 : 1e-7));
        clv_sim_destroy(x), clv_sim_destroy(y), clv_sim_destroy(z);
        clv_model_destroy(m), clv_model_destroy(n), clv_model_destroy(w);
    }
}

/* Along axes: the body turned by 90 deg about z has its y axis along x; global ones stay. */
static void drag_has_axes(void **state)
{
    (void)state;
    static const struct {
        const char *frame;
        double x, z; /* N s/m along global x and z */
    } row[] = {{"body", 0.7, 0.2}, {"global", 0.4, 0.2}};
    for (int i = 0; i < 2; i++) {
        char text[600];
        snprintf(text, sizeof text,
                 "cleave: 1\ngravity: [0, 0, 0]\nbodies: {b: {mass: 2, inertia: [1, 1, 1]}}\n"
                 "joints: {f: {kind: free, a: {body: ground}, b: {body: b}}}\n"
                 "start: {bodies: {b: {position: [0, 0, 0], orientation: {axis: [0, 0, 1], angle: 90 deg}, "
                 "velocity: [3, 0, 4]}}}\nforces: {d: {kind: drag, body: b, frame: %s, linear: [0.4, 0.7, 0.2]}}\n",
                 row[i].frame);
        clv_model *m = read_model(text);
        clv_sim *s = run(m, 1, 1);
        CLV_NEAR(clv_sim_velocity(s)[0], 3 * exp(-row[i].x / 2), 1e-8);
        CLV_NEAR(clv_sim_velocity(s)[2], 4 * exp(-row[i].z / 2), 1e-8);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

/* A spinning body about a principal axis, and a wind that is set. */
static void spin_and_wind(void **state)
{
    (void)state;
    clv_model *m = read_model("cleave: 1\ngravity: [0, 0, 0]\nbodies: {b: {mass: 2, inertia: [1, 1, 0.5]}}\n"
                              "joints: {f: {kind: free, a: {body: ground}, b: {body: b}}}\n"
                              "start: {bodies: {b: {position: [0, 0, 0], angular_velocity: [0, 0, 6]}}}\n"
                              "forces: {d: {kind: drag, body: b, linear: 1, rotational_quadratic: 0.2}}\n"
                              "inputs: {wind: {drag: d, fluid: [0, 1, 0], value: 2}}\n");
    clv_sim *s = run(m, 0, 1);
    CLV_NEAR(clv_sim_velocity(s)[5], 6 / (1 + 0.2 * 6 / 0.5), 1e-7);
    CLV_NEAR(clv_sim_velocity(s)[1], 2 * (1 - exp(-0.5)), 1e-8);
    clv_sim_destroy(s), clv_model_destroy(m);
}

static void derivatives_refuse_by_name(void **state)
{
    (void)state;
    clv_model *m = read_model(ARMS "{kind: tendon, of: {k: 2}, stiffness: 10}\n");
    clv_sim *s;
    clv_derivatives *d = NULL;
    assert_int_equal(clv_sim_create(&s, m, NULL), CLV_OK);
    assert_int_equal(clv_sim_derivatives(s, NULL, 0, &d), CLV_ERR_UNSUPPORTED);
    assert_non_null(strstr(clv_sim_error(s)->message, "'s'"));
    clv_derivatives_destroy(d), clv_sim_destroy(s), clv_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_points_are_a_spring),     cmocka_unit_test(one_joint_is_a_joint_load),
        cmocka_unit_test(a_long_path_keeps_its_energy), cmocka_unit_test(two_weights_hang_on_a_rope),
        cmocka_unit_test(inputs_pull_tendons),          cmocka_unit_test(a_ball_slows_down),
        cmocka_unit_test(drag_has_axes),                cmocka_unit_test(spin_and_wind),
        cmocka_unit_test(derivatives_refuse_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
