/* SPDX-License-Identifier: Apache-2.0
 * Inputs of a model: what they do against exact solutions and against runs made piece by piece with constant drives;
 * every integrator and formulation; limits, energy account, saving, and a value set again to what it is. */
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
#include "simulation/methods.h"

#define ROUNDING (2000 * 2.3e-16)
#define OK(call) assert_int_equal(call, CLV_OK)

static int body(clv_model *m, const char *name, double mass, double x, double inertia)
{
    clv_body_desc b = clv_body_desc_default();
    int index;
    b.name = name, b.mass = mass, b.com[0] = x;
    b.inertia[0] = b.inertia[1] = b.inertia[2] = inertia;
    OK(clv_model_add_body(m, &index, &b));
    return index;
}

static int joint(clv_model *m, const char *name, clv_joint_kind kind, int a, int b, double on_a, double on_b)
{
    clv_joint_desc j = clv_joint_desc_default(kind);
    int index;
    j.name = name, j.a = a, j.b = b, j.position_a[0] = on_a, j.position_b[0] = on_b;
    OK(clv_model_add_joint(m, &index, &j));
    return index;
}

static int input(clv_model *m, const char *name, clv_input_kind kind, int of)
{
    clv_input_desc d = clv_input_desc_default(kind);
    int index;
    d.name = name, d.joint = d.motion = of, d.coordinate = 0;
    OK(clv_model_add_input(m, &index, &d));
    return index;
}

static clv_model *wheel(void)
{
    clv_model *m;
    OK(clv_model_create(&m, "wheel"));
    const int a = joint(m, "axle", CLV_JOINT_REVOLUTE, CLV_GROUND, body(m, "wheel", 1, 0, 1), 0, 0);
    input(m, "torque", CLV_INPUT_JOINT, a);
    OK(clv_model_finish(m));
    return m;
}

static double angle(clv_sim *s, int joint, double *u)
{
    clv_joint_result r;
    OK(clv_sim_joint(s, joint, &r));
    *u = r.u[0];
    return r.q[0];
}

/* +-1 N m, the other sign after each `tick`, 2000 times: exact up to rounding with default options. */
static void square_wave(double tick_s)
{
    clv_model *m = wheel();
    for (int i = 0; i < METHODS; i++) {
        clv_sim *s = start_by(m, i, 1e-6);
        double q = 0, u = 0, worst = 0, fast = 0, rate;
        clv_sim_report report;
        for (int k = 0; s && k < 2000; k++) {
            const double torque = k % 2 ? -1 : 1, dt = tick_s * (k + 1) - tick_s * k;
            OK(clv_sim_set_input(s, 0, torque));
            OK(clv_sim_advance(s, tick_s * (k + 1)));
            q += dt * (u + 0.5 * dt * torque), u += dt * torque;
            worst = fmax(worst, fabs(angle(s, 0, &rate) - q)), fast = fmax(fast, fabs(rate - u));
        }
        if (!s)
            continue;
        clv_sim_summary(s, &report);
        if (!(worst <= ROUNDING && fast <= ROUNDING && report.max_energy_drift <= ROUNDING))
            fail_msg("tick %g s by %s %s %g s: %.2g rad, %.2g rad/s, drift %.2g J", tick_s, method[i].formulation,
                     method[i].integrator, method[i].step, worst, fast, report.max_energy_drift);
        assert_true(report.rate_evaluations <= (method[i].step > 0 ? 20 : 18) * 2000);
        clv_sim_destroy(s);
    }
    clv_model_destroy(m);
}

/* jumps at 1 kHz, a whole period at 1 kHz, jumps at 1.7 kHz */
static void test_square_wave(void **state)
{
    (void)state;
    square_wave(1e-3), square_wave(5e-4), square_wave(1.0 / 1700);
}

/* ------------------------------------------------------------------ a pendulum with a spring, a four-bar */

static clv_model *pendulum(void)
{
    clv_model *m;
    OK(clv_model_create(&m, "pendulum"));
    const double gravity[3] = {0, -9.81, 0};
    OK(clv_model_set_gravity(m, gravity));
    const int a = joint(m, "a", CLV_JOINT_REVOLUTE, CLV_GROUND, body(m, "one", 1, 0.5, 0.1), 0, 0);
    const int b = joint(m, "b", CLV_JOINT_REVOLUTE, 0, body(m, "two", 0.5, 0.5, 0.05), 1, 0);
    clv_force_desc f = clv_force_desc_default(CLV_FORCE_JOINT);
    f.name = "spring", f.joint = b, f.stiffness = 20, f.damping = 0.1;
    OK(clv_model_add_force(m, NULL, &f));
    input(m, "hip", CLV_INPUT_JOINT, a);
    input(m, "knee", CLV_INPUT_JOINT, b);
    OK(clv_model_finish(m));
    return m;
}

/* crank 0.4, coupler 1, rocker 0.8, ground 1; an actuator at the crank and one in the joint that closes */
static const char four_bar[] = "cleave: 1\n"
                               "gravity: [0, -9.81, 0]\n"
                               "bodies:\n"
                               "  crank: {mass: 1, com: [0.2, 0, 0], inertia: [0.01, 0.05, 0.05]}\n"
                               "  coupler: {mass: 2, com: [0.5, 0, 0], inertia: [0.01, 0.2, 0.2]}\n"
                               "  rocker: {mass: 1, com: [0.4, 0, 0], inertia: [0.01, 0.1, 0.1]}\n"
                               "joints:\n"
                               "  A: {kind: revolute, a: {body: ground}, b: {body: crank}}\n"
                               "  B: {kind: revolute, a: {body: crank, position: [0.4, 0, 0]}, b: {body: coupler}}\n"
                               "  D: {kind: revolute, a: {body: ground, position: [1, 0, 0]}, b: {body: rocker}}\n"
                               "  C: {kind: revolute, a: {body: coupler, position: [1, 0, 0]}, "
                               "b: {body: rocker, position: [0.8, 0, 0]}, cut: true}\n"
                               "inputs:\n"
                               "  hip: {joint: A}\n"
                               "  knee: {joint: C}\n"
                               "start: {joints: {A: {q: 1.2}, B: {q: -0.9}, D: {q: 1.4}}}\n";

static clv_model *four_bars(void)
{
    clv_model *m;
    clv_status st = clv_model_read_text(&m, four_bar, sizeof four_bar - 1, "four-bar");
    if (st != CLV_OK)
        print_error("%s\n", clv_model_error_at(m, 0)->message);
    OK(st);
    return m;
}

enum { TICKS = 60, JOINTS = 2 };
static const double tick = 5e-3;
static double hip(int k) { return 4 * ((k * 7919 % 13) / 6.0 - 1); }
static double knee(int k) { return 2 * ((k * 104729 % 11) / 5.0 - 1); }

/* angles after every tick; the state goes through save and load in the middle if asked */
static void follow(const clv_model *m, int i, double rtol, bool saved, double *q, clv_sim_report *report)
{
    clv_sim *s = start_by(m, i, rtol);
    double u;
    for (int k = 0; s && k < TICKS; k++) {
        OK(clv_sim_set_input(s, 0, hip(k)));
        OK(clv_sim_set_input(s, 1, knee(k)));
        if (saved && k == TICKS / 2) {
            const size_t size = clv_sim_saved_size(s);
            void *bytes = malloc(size);
            clv_sim_save(s, bytes);
            clv_sim_destroy(s);
            s = start_by(m, i, rtol);
            OK(clv_sim_load(s, bytes, size));
            free(bytes);
            assert_true(clv_sim_input(s, 0) == hip(k) && clv_sim_input(s, 1) == knee(k));
        }
        OK(clv_sim_advance(s, tick * (k + 1)));
        for (int j = 0; j < JOINTS; j++)
            q[JOINTS * k + j] = angle(s, j, &u);
    }
    if (s)
        clv_sim_summary(s, report);
    else
        memset(q, 0, TICKS * JOINTS * sizeof *q);
    clv_sim_destroy(s);
}

static double difference(const double *a, const double *b)
{
    double most = 0;
    for (int i = 0; i < TICKS * JOINTS; i++)
        most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

/* fixed steps are judged by their order, adaptive ones by their tolerance */
static double goal(int i)
{
    return by(i, "midpoint") || strcmp(method[i].formulation, "index3") == 0 ? 2e-5 : by(i, "bdf") ? 2e-5 : 2e-6;
}

static void check_against(clv_model *m, const char *name, int reference)
{
    double exact[TICKS * JOINTS], q[TICKS * JOINTS], again[TICKS * JOINTS];
    clv_sim_report r;
    follow(m, reference, 1e-13, false, exact, &r);
    for (int i = 0; i < METHODS; i++) {
        follow(m, i, 1e-6, false, q, &r);
        if (q[0] == 0)
            continue;
        const double e = difference(q, exact);
        if (!(e <= goal(i) && r.max_energy_drift <= 20 * goal(i)))
            fail_msg("%s %s %s %g s: %.2g rad, drift %.2g J", name, method[i].formulation, method[i].integrator,
                     method[i].step, e, r.max_energy_drift);
        if (by(i, "bdf"))
            continue;
        follow(m, i, 1e-6, true, again, &r);
        assert_memory_equal(q, again, sizeof q);
    }
    clv_model_destroy(m);
}

static void test_pendulum(void **state)
{
    (void)state;
    check_against(pendulum(), "pendulum", 2);
}

static void test_four_bar(void **state)
{
    (void)state;
    check_against(four_bars(), "four-bar", 2);
}

/* The reference itself: pieces with the torques as constant drives of models of their own, each started from the last
 * state of the one before. */
static void test_pieces(void **state)
{
    double exact[TICKS * JOINTS], q[2] = {0, 0}, u[2] = {0, 0}, worst = 0;
    clv_model *m = pendulum();
    clv_sim_report r;
    (void)state;
    follow(m, 2, 1e-13, false, exact, &r);
    clv_model_destroy(m);
    for (int k = 0; k < 8; k++) {
        char text[1200];
        snprintf(text, sizeof text,
                 "cleave: 1\ngravity: [0, -9.81, 0]\n"
                 "bodies: {one: {mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}, "
                 "two: {mass: 0.5, com: [0.5, 0, 0], inertia: [0.05, 0.05, 0.05]}}\n"
                 "joints: {a: {kind: revolute, a: {body: ground}, b: {body: one}}, "
                 "b: {kind: revolute, a: {body: one, position: [1, 0, 0]}, b: {body: two}}}\n"
                 "forces: {s: {kind: joint-load, joint: b, stiffness: 20, damping: 0.1, drive: %.17g}, "
                 "h: {kind: joint-load, joint: a, drive: %.17g}}\n"
                 "start: {joints: {a: {q: %.17g, u: %.17g}, b: {q: %.17g, u: %.17g}}}\n",
                 knee(k), hip(k), q[0], u[0], q[1], u[1]);
        OK(clv_model_read_text(&m, text, strlen(text), "piece"));
        clv_sim *s = start_by(m, 2, 1e-13);
        OK(clv_sim_set_end(s, tick));
        OK(clv_sim_advance(s, tick));
        for (int j = 0; j < 2; j++)
            q[j] = angle(s, j, &u[j]), worst = fmax(worst, fabs(q[j] - exact[2 * k + j]));
        clv_sim_destroy(s), clv_model_destroy(m);
    }
    assert_true(worst < 1e-11);
}

/* ------------------------------------------------------------------ other kinds */

/* A free body of 2 kg: force at a point in body axes, torque; and their sum of power. */
static void test_body_inputs(void **state)
{
    const double none[3] = {0, 0, 0};
    clv_model *m;
    clv_sim *s;
    clv_input_desc d = clv_input_desc_default(CLV_INPUT_FORCE);
    clv_sim_report r;
    (void)state;
    OK(clv_model_create(&m, "body"));
    OK(clv_model_set_gravity(m, none));
    body(m, "b", 2, 0, 1);
    d.name = "thrust", d.body = 0, d.vector[1] = 2, d.point[0] = 1, d.in_body = true;
    OK(clv_model_add_input(m, NULL, &d));
    d = clv_input_desc_default(CLV_INPUT_TORQUE);
    d.name = "turn", d.body = 0, d.vector[2] = 1;
    OK(clv_model_add_input(m, NULL, &d));
    OK(clv_model_finish(m));
    OK(clv_sim_create(&s, m, NULL));
    OK(clv_sim_set_input(s, 0, 3));
    OK(clv_sim_set_input(s, 1, -6)); /* the moment of the force is 6: the body does not turn */
    OK(clv_sim_advance(s, 1));
    CLV_NEAR(clv_sim_position(s)[1], 0.5 * 6 / 2, 1e-14);
    CLV_NEAR(clv_sim_velocity(s)[5], 0, 1e-14);
    OK(clv_sim_set_input(s, 0, 0));
    OK(clv_sim_advance(s, 2));
    CLV_NEAR(clv_sim_position(s)[1], 1.5 + 3, 1e-13);
    CLV_NEAR(clv_sim_velocity(s)[5], -6, 1e-13);
    clv_sim_summary(s, &r);
    assert_true(r.max_energy_drift < 1e-12);
    clv_sim_destroy(s), clv_model_destroy(m);
}

/* The acceleration of a motion: position and rate stay continuous; effort of the drive is J times it. */
static void test_motion_input(void **state)
{
    clv_model *m;
    clv_motion_desc d = clv_motion_desc_default();
    (void)state;
    OK(clv_model_create(&m, "servo"));
    const int a = joint(m, "axle", CLV_JOINT_REVOLUTE, CLV_GROUND, body(m, "wheel", 1, 0, 3), 0, 0);
    d.name = "servo", d.joint = a, d.rate = 0.5;
    OK(clv_model_add_motion(m, NULL, &d));
    body(m, "free", 1, 0, 1); /* something is to be integrated */
    input(m, "acceleration", CLV_INPUT_MOTION, 0);
    OK(clv_model_finish(m));
    for (int i = 0; i < METHODS; i++) {
        clv_sim *s = start_by(m, i, 1e-6);
        double q = 0, u = 0.5, rate;
        clv_joint_result r;
        clv_sim_report report;
        for (int k = 0; s && k < 20; k++) {
            const double ud = hip(k), dt = 0.01 * (k + 1) - 0.01 * k;
            OK(clv_sim_set_input(s, 0, ud));
            OK(clv_sim_advance(s, 0.01 * (k + 1)));
            q += dt * (u + 0.5 * dt * ud), u += dt * ud;
            CLV_NEAR(angle(s, 0, &rate), q, 1e-13);
            CLV_NEAR(rate, u, 1e-12);
            OK(clv_sim_joint(s, 0, &r));
            CLV_NEAR(r.drive_torque[2], 3 * ud, 1e-9);
        }
        if (s)
            clv_sim_summary(s, &report), assert_true(report.max_energy_drift < 1e-12);
        clv_sim_destroy(s);
    }
    clv_model_destroy(m);
}

/* A prescribed rocker in a loop: what an input adds holds in a loop, too. */
static void test_motion_in_loop(void **state)
{
    char text[2000];
    clv_model *m;
    (void)state;
    snprintf(text, sizeof text, "%.*smotions: {drive: {joint: A, rate: 1}}\ninputs: {ud: {motion: drive}}\n%s",
             (int)(strstr(four_bar, "inputs:") - four_bar), four_bar, strstr(four_bar, "start:"));
    OK(clv_model_read_text(&m, text, strlen(text), "driven"));
    for (int i = 0; i < METHODS; i++) {
        clv_sim *s = start_by(m, i, 1e-8);
        double u, q = 0, gap, speed;
        if (!s)
            continue;
        OK(clv_sim_advance(s, 0.1));
        OK(clv_sim_set_input(s, 0, 5));
        OK(clv_sim_advance(s, 0.2));
        OK(clv_sim_set_input(s, 0, 0));
        OK(clv_sim_advance(s, 0.3));
        q = angle(s, 0, &u);
        CLV_NEAR(q, 1.2 + 0.3 + 0.5 * 5 * 0.01 + 5 * 0.1 * 0.1, 1e-9);
        CLV_NEAR(u, 1.5, 1e-9);
        clv_sim_violation(s, &gap, &speed);
        assert_true(gap < 1e-9 && speed < 1e-7);
        clv_sim_destroy(s);
    }
    clv_model_destroy(m);
}

static int spring(void *user, clv_load_view *view)
{
    (void)user;
    assert_int_equal(view->ninput, 1);
    view->wrench[5] += view->input[0];
    return 0;
}

static void test_number_for_callbacks(void **state)
{
    clv_model *m;
    clv_sim *s;
    double u;
    clv_force_desc f = clv_force_desc_default(CLV_FORCE_CALLBACK);
    (void)state;
    OK(clv_model_create(&m, "wheel"));
    joint(m, "axle", CLV_JOINT_REVOLUTE, CLV_GROUND, body(m, "wheel", 1, 0, 1), 0, 0);
    f.name = "f", f.call = spring;
    OK(clv_model_add_force(m, NULL, &f));
    input(m, "set point", CLV_INPUT_NUMBER, 0);
    OK(clv_model_finish(m));
    OK(clv_sim_create(&s, m, NULL));
    OK(clv_sim_set_input(s, 0, 2));
    OK(clv_sim_advance(s, 1));
    OK(clv_sim_set_input(s, 0, -2));
    OK(clv_sim_advance(s, 2));
    CLV_NEAR(angle(s, 0, &u), 2, 1e-13);
    CLV_NEAR(u, 0, 1e-13);
    clv_sim_destroy(s), clv_model_destroy(m);
}

/* ------------------------------------------------------------------ rules */

/* The value that is there costs nothing and changes no bit. */
static void test_same_value(void **state)
{
    clv_model *m = pendulum();
    (void)state;
    for (int i = 0; i < METHODS; i++) {
        clv_sim *s = start_by(m, i, 1e-6), *t = s ? start_by(m, i, 1e-6) : NULL;
        clv_sim_report a, b;
        for (int k = 0; s && k < 20; k++) {
            OK(clv_sim_set_input(s, 0, 0));
            OK(clv_sim_advance(s, 0.01 * (k + 1)));
            OK(clv_sim_advance(t, 0.01 * (k + 1)));
            assert_memory_equal(clv_sim_velocity(s), clv_sim_velocity(t), 12 * sizeof(double));
        }
        if (s) {
            clv_sim_summary(s, &a), clv_sim_summary(t, &b);
            assert_true(a.rate_evaluations == b.rate_evaluations);
        }
        clv_sim_destroy(s), clv_sim_destroy(t);
    }
    clv_model_destroy(m);
}

static void test_limits(void **state)
{
    clv_model *m;
    clv_sim *s;
    clv_input_desc d = clv_input_desc_default(CLV_INPUT_JOINT);
    double limit[2];
    (void)state;
    OK(clv_model_create(&m, "wheel"));
    d.joint = joint(m, "axle", CLV_JOINT_REVOLUTE, CLV_GROUND, body(m, "wheel", 1, 0, 1), 0, 0);
    d.name = "torque", d.limit[0] = -2, d.limit[1] = 3, d.value = 1;
    OK(clv_model_add_input(m, NULL, &d));
    OK(clv_model_finish(m));
    assert_int_equal(clv_model_input_count(m), 1);
    assert_int_equal(clv_model_find_input(m, "torque"), 0);
    assert_int_equal(clv_model_find_input(m, "axle"), -1);
    assert_string_equal(clv_model_input_name(m, 0), "torque");
    assert_null(clv_model_input_name(m, 1));
    clv_model_input_limit(m, 0, limit);
    assert_true(limit[0] == -2 && limit[1] == 3);
    OK(clv_sim_create(&s, m, NULL));
    assert_true(clv_sim_input(s, 0) == 1 && isnan(clv_sim_input(s, 1)));
    OK(clv_sim_set_input(s, 0, 100));
    assert_true(clv_sim_input(s, 0) == 3);
    OK(clv_sim_set_input(s, 0, -100));
    assert_true(clv_sim_input(s, 0) == -2);
    assert_int_equal(clv_sim_set_input(s, 0, NAN), CLV_ERR_USAGE);
    assert_non_null(strstr(clv_sim_error(s)->message, "torque"));
    assert_int_equal(clv_sim_set_input(s, 1, 0), CLV_ERR_USAGE);
    assert_int_equal(clv_sim_set_input(s, -1, 0), CLV_ERR_USAGE);
    assert_true(clv_sim_input(s, 0) == -2);
    clv_sim_destroy(s), clv_model_destroy(m);
}

static clv_status finish_with(const clv_input_desc *d, const char *part)
{
    clv_model *m;
    clv_motion_desc x = clv_motion_desc_default();
    OK(clv_model_create(&m, "wheel"));
    x.name = "m", x.joint = joint(m, "axle", CLV_JOINT_REVOLUTE, CLV_GROUND, body(m, "wheel", 1, 0, 1), 0, 0);
    OK(clv_model_add_motion(m, NULL, &x));
    input(m, "first", CLV_INPUT_MOTION, 0);
    clv_status st = clv_model_add_input(m, NULL, d);
    if (st == CLV_OK)
        st = clv_model_finish(m);
    if (st != CLV_OK && !strstr(clv_model_error(m)->message, part))
        fail_msg("'%s' lacks '%s'", clv_model_error(m)->message, part);
    clv_model_destroy(m);
    return st;
}

static void test_refused(void **state)
{
    clv_input_desc good = clv_input_desc_default(CLV_INPUT_JOINT), d;
    (void)state;
    good.name = "x", good.joint = 0;
    OK(finish_with(&good, ""));
#define REFUSED(part, change) (d = good, change, assert_int_equal(finish_with(&d, part), CLV_ERR_MODEL))
    REFUSED("index", d.joint = 1);
    REFUSED("no number 1", d.coordinate = 1);
    REFUSED("not finite", d.value = NAN);
    REFUSED("unknown kind", d.kind = CLV_INPUT_KINDS);
    REFUSED("used twice", d.name = "first");
    REFUSED("beyond its limits", (d.limit[1] = 1, d.value = 2));
    REFUSED("not below", (d.limit[0] = 1, d.limit[1] = -1));
    REFUSED("not a number", d.limit[0] = NAN);
    REFUSED("already has", (d.kind = CLV_INPUT_MOTION, d.motion = 0));
    REFUSED("vector is zero", (d.kind = CLV_INPUT_TORQUE, d.body = 0));
    REFUSED("index", (d.kind = CLV_INPUT_FORCE, d.body = CLV_GROUND));
    d = good, d.cookie = 0;
    assert_int_equal(finish_with(&d, "default function"), CLV_ERR_USAGE);
}

/* Bare states carry the inputs: another simulation shows accelerations under them. */
static void test_bare_states(void **state)
{
    clv_model *m = wheel();
    clv_sim *s, *shows;
    double bare[64];
    (void)state;
    OK(clv_sim_create(&s, m, NULL)), OK(clv_sim_create(&shows, m, NULL));
    OK(clv_sim_set_input(s, 0, 7));
    assert_true(clv_sim_state_size(s) <= 64);
    OK(clv_sim_advance_state(s, 0.1, bare));
    OK(clv_sim_show_state(shows, bare, clv_sim_state_size(s)));
    OK(clv_sim_evaluate(shows));
    CLV_NEAR(clv_sim_acceleration(shows)[5], 7, 1e-14);
    clv_sim_destroy(s), clv_sim_destroy(shows), clv_model_destroy(m);
}

/* An arm whose loads all act along joints: springs, dampers, a limit, friction, a stop, inputs. */
static clv_model *loaded_arm(void)
{
    const char *text =
        "cleave: 1\ngravity: [0, 0, -9.81]\n"
        "bodies: {one: {mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}, "
        "two: {mass: 0.5, com: [0.5, 0, 0], inertia: [0.05, 0.05, 0.05]}, "
        "three: {mass: 0.2, com: [0.1, 0.1, 0], inertia: [0.01, 0.02, 0.02]}}\n"
        "joints: {a: {kind: revolute, axis: [0, 1, 0], between: [ground, one], at: [0, 0, 0]}, "
        "b: {kind: prismatic, axis: [1, 0, 0], between: [one, two], at: [1, 0, 0]}, "
        "c: {kind: spherical, between: [two, three], at: [2, 0, 0]}}\n"
        "forces: {soft: {kind: joint-load, joint: a, stiffness: 20, damping: 0.3, rest: 0.2, effort_limit: 9}, "
        "slide: {kind: joint-load, joint: b, stiffness: 900, damping: 1, friction: 0.5}, "
        "ball: {kind: joint-load, joint: c, coordinate: 1, damping: 0.05}, "
        "end: {kind: joint-load, joint: a, upper: 0.4, stop_stiffness: 500, stop_dissipation: 0.1}}\n"
        "inputs: {lift: {joint: a, value: 3}, "
        "push: {joint: b, stall_effort: 4, no_load_speed: 2, rate_limit: 30}}\n";
    clv_model *m;
    const clv_status st = clv_model_read_text(&m, text, strlen(text), NULL);
    if (st != CLV_OK)
        print_error("%s\n", clv_model_error(m)->message);
    OK(st);
    return m;
}

static int idle(void *user, double time, const double *q, const double *u, double *effort)
{
    (void)user, (void)time, (void)q, (void)u, (void)effort;
    return 0;
}

/* Loads along joints go straight to the rates.  A control that gives nothing makes them go by the joints in model
 * order: the same bits. */
static void test_loads_along_joints(void **state)
{
    clv_model *m = loaded_arm();
    (void)state;
    for (int k = 0; k < 2; k++) {
        clv_sim_options o = clv_sim_options_default();
        double y[2][64];
        o.formulation = k ? "dca" : "hdca";
        for (int i = 0; i < 2; i++) {
            clv_sim *s;
            OK(clv_sim_create(&s, m, &o));
            assert_true(clv_sim_state_size(s) <= 64);
            if (i)
                OK(clv_sim_set_joint_control(s, 0, idle, NULL));
            OK(clv_sim_set_input(s, 1, -3));
            OK(clv_sim_advance(s, 0.4));
            OK(clv_sim_set_input(s, 0, -1));
            OK(clv_sim_advance_state(s, 1, y[i]));
            if (i)
                assert_memory_equal(y[0], y[1], (size_t)clv_sim_state_size(s) * sizeof y[0][0]);
            clv_sim_destroy(s);
        }
    }
    clv_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_square_wave),    cmocka_unit_test(test_pendulum),
        cmocka_unit_test(test_four_bar),       cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_body_inputs),    cmocka_unit_test(test_motion_input),
        cmocka_unit_test(test_motion_in_loop), cmocka_unit_test(test_number_for_callbacks),
        cmocka_unit_test(test_same_value),     cmocka_unit_test(test_limits),
        cmocka_unit_test(test_refused),        cmocka_unit_test(test_bare_states),
        cmocka_unit_test(test_loads_along_joints)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
