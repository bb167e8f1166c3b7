/* SPDX-License-Identifier: Apache-2.0
 * What actuators can give (T120): efforts that follow what is set at a limited rate, and that fall with the speed.
 * Closed forms by every formulation and kind of integrator; saved states, events and derivatives on the way; what is
 * refused. */
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

typedef struct method {
    const char *formulation, *integrator;
    double step, tolerance; /* fixed step in s, or 0; of the closed forms */
} method;

static const method methods[] = {{"hdca", "dopri5", 0, 1e-10},      {"dca", "dop853", 0, 1e-10},
                                 {"dca", "adams", 0, 1e-9},         {"connection", "bs23", 0, 1e-8},
                                 {"massmatrix", "rk4", 0.01, 1e-10}, {"aldca", "dopri5", 0, 1e-9},
                                 {"hdca", "gauss4", 0.01, 1e-10},   {"index3", NULL, 1e-3, 2e-6}};
enum { METHODS = sizeof methods / sizeof *methods };

typedef struct run {
    clv_model *m;
    clv_sim *s;
} run;

static run begin(const char *text, const method *by)
{
    run r = {NULL, NULL};
    clv_sim_options o = clv_sim_options_default();
    if (clv_model_read_text(&r.m, text, strlen(text), "actuator") != CLV_OK)
        fail_msg("%s: %s", clv_model_error(r.m)->path, clv_model_error(r.m)->message);
    o.formulation = by->formulation, o.integrator = by->integrator;
    o.rtol = 1e-11, o.atol = 1e-13, o.step = by->step;
    if (clv_sim_create(&r.s, r.m, &o) != CLV_OK)
        fail_msg("%s, %s: %s", by->formulation, by->integrator ? by->integrator : "", clv_sim_error(r.s)->message);
    return r;
}

static void end(run *r)
{
    clv_sim_destroy(r->s), clv_model_destroy(r->m);
}

static void advance(run *r, double t, double *q, double *u)
{
    double all_q[4][7], all_u[4][6];
    if (clv_sim_advance(r->s, t) != CLV_OK)
        fail_msg("%s", clv_sim_error(r->s)->message);
    assert_int_equal(clv_sim_coordinates(r->s, all_q[0], all_u[0]), CLV_OK);
    *q = all_q[0][0], *u = all_u[0][0];
}

/* ------------------------------------------------------------------ free joints in a loop */

/* Springs and an input along free joints that ground, a and b have in a ring: one of them is no tree joint. */
static const char ring[] =
    "cleave: 1\ngravity: [0, 0, 0]\n"
    "bodies: {a: {mass: 2, inertia: [1, 1, 1]}, b: {mass: 3, inertia: [1, 1, 1]}}\njoints:\n"
    "  f: {kind: free, a: {body: ground}, b: {body: a}}\n  g: {kind: free, a: {body: ground}, b: {body: b}}\n"
    "  h: {kind: free, a: {body: a}, b: {body: b}CUT}\nforces:\n"
    "  k1: {kind: joint-load, joint: f, coordinate: 2, stiffness: 5}\n"
    "  k2: {kind: joint-load, joint: g, coordinate: 2, stiffness: 7}\n"
    "  k3: {kind: joint-load, joint: h, coordinate: 2, stiffness: 11}\n"
    "inputs: {i: {joint: h, coordinate: 2, value: 0.5}}\n"
    "start: {joints: {f: {q: [0, 0, 0.1, 1, 0, 0, 0]}, g: {q: [0, 0, -0.2, 1, 0, 0, 0]}}}\n";

/* K x = r M x of the two masses on three springs, about their equilibrium; from rest */
static void two_masses(double t, double z[2])
{
    const double K[2][2] = {{8, -5.5}, {-11.0 / 3, 6}}; /* M^-1 K */
    const double mean = 7, half = sqrt(1 + 5.5 * 11 / 3);
    const double det = 8 * 6 - 5.5 * 11 / 3, f[2] = {-0.25, 0.5 / 3}; /* M^-1 times the input */
    const double rest[2] = {(6 * f[0] + 5.5 * f[1]) / det, (11.0 / 3 * f[0] + 8 * f[1]) / det};
    const double x[2] = {0.1 - rest[0], -0.2 - rest[1]};
    z[0] = rest[0], z[1] = rest[1];
    for (int k = -1; k <= 1; k += 2) {
        const double r = mean + k * half, other = mean - k * half, c = cos(sqrt(r) * t) / (r - other);
        for (int i = 0; i < 2; i++) /* the part of x in this mode: (M^-1 K - other) x / (r - other) */
            z[i] += c * (K[i][0] * x[0] + K[i][1] * x[1] - other * x[i]);
    }
}

static void springs_of_free_joints_in_a_loop_act(void **state)
{
    (void)state;
    for (int cut = 0; cut < 2; cut++)
        for (int i = 0; i < METHODS; i++) {
            char text[sizeof ring + 16];
            const char *at = strstr(ring, "CUT");
            snprintf(text, sizeof text, "%.*s%s%s", (int)(at - ring), ring, cut ? ", cut: true" : "", at + 3);
            run r = begin(text, &methods[i]);
            double z[2];
            two_masses(0.7, z);
            if (clv_sim_advance(r.s, 0.7) != CLV_OK)
                fail_msg("%s", clv_sim_error(r.s)->message);
            const double near = fmax(1e-7, methods[i].tolerance);
            CLV_NEAR(clv_sim_position(r.s)[2], z[0], near);
            CLV_NEAR(clv_sim_position(r.s)[5], z[1], near);
            assert_int_equal(clv_sim_evaluate(r.s), CLV_OK);
            CLV_NEAR(clv_sim_acceleration(r.s)[2], (-5 * z[0] - (-11 * (z[1] - z[0]) + 0.5)) / 2, 100 * near);
            assert_int_equal(clv_sim_joint_mobility(r.s, 2), CLV_MOBILITY_MOVES);
            end(&r);
        }
}

/* ------------------------------------------------------------------ the rate */

static const char cart[] = "cleave: 1\ngravity: [0, 0, 0]\nbodies: {cart: {mass: 2, inertia: [1, 1, 1]}}\njoints:\n"
                           "  j: {kind: prismatic, between: [ground, cart], at: [0, 0, 0], axis: [1, 0, 0]}\n"
                           "inputs: {push: {joint: j, limit: 10, rate_limit: 20 N/s}}\n";

/* coordinate and rate after dt under a force that changes at a constant rate from f */
static void ramp(double *q, double *u, double f, double rate, double dt)
{
    *q += *u * dt + f / 2 * dt * dt / 2 + rate / 2 * dt * dt * dt / 6;
    *u += f / 2 * dt + rate / 2 * dt * dt / 2;
}

/* 0.13 s at rest; to 6 N, which takes 0.3 s; from 0.73 s on towards -4 N, turned at 0.98 s, at 1 N, to 5 N. */
static void a_force_follows_at_its_rate(void **state)
{
    (void)state;
    for (int i = 0; i < METHODS; i++) {
        const method *by = &methods[i];
        run r = begin(cart, by);
        double q, u, x = 0, v = 0;
        advance(&r, 0.13, &q, &u);
        assert_int_equal(clv_sim_set_input(r.s, 0, 6), CLV_OK);
        advance(&r, 0.33, &q, &u); /* on its way */
        ramp(&x, &v, 0, 20, 0.2);
        CLV_NEAR(q, x, by->tolerance), CLV_NEAR(u, v, by->tolerance);
        advance(&r, 0.73, &q, &u);
        ramp(&x, &v, 4, 20, 0.1), ramp(&x, &v, 6, 0, 0.3);
        CLV_NEAR(q, x, by->tolerance), CLV_NEAR(u, v, by->tolerance);
        assert_int_equal(clv_sim_set_input(r.s, 0, -4), CLV_OK);
        advance(&r, 0.98, &q, &u);
        ramp(&x, &v, 6, -20, 0.25);
        CLV_NEAR(q, x, by->tolerance), CLV_NEAR(u, v, by->tolerance);
        assert_int_equal(clv_sim_set_input(r.s, 0, 5), CLV_OK);
        advance(&r, 2, &q, &u);
        ramp(&x, &v, 1, 20, 0.2), ramp(&x, &v, 5, 0, 0.82);
        CLV_NEAR(q, x, by->tolerance), CLV_NEAR(u, v, by->tolerance);
        CLV_NEAR(clv_sim_input(r.s, 0), 5, 0); /* what was set */
        clv_sim_report report;
        clv_sim_summary(r.s, &report);
        assert_true(report.max_energy_drift < 1e3 * by->tolerance); /* the work is that of the effort that acts */
        end(&r);
    }
}

/* A value at the start is there from the start. */
static void the_start_is_no_step(void **state)
{
    (void)state;
    char text[700];
    snprintf(text, sizeof text, "%s", cart);
    memcpy(strstr(text, "limit: 10,"), "value: 3, ", 10);
    run r = begin(text, &methods[0]);
    double q, u;
    advance(&r, 1, &q, &u);
    CLV_NEAR(u, 1.5, 1e-12);
    end(&r);
}

/* Saved on its way, loaded into another simulation: the same bits. */
static void a_saved_state_goes_on(void **state)
{
    (void)state;
    for (int i = 0; i < METHODS; i++) {
        run a = begin(cart, &methods[i]), b = begin(cart, &methods[i]);
        double q, u, there_q, there_u;
        advance(&a, 0.1, &q, &u);
        clv_sim_set_input(a.s, 0, 6);
        advance(&a, 0.25, &q, &u);
        const size_t size = clv_sim_saved_size(a.s);
        void *bytes = malloc(size);
        assert_non_null(bytes);
        clv_sim_save(a.s, bytes);
        assert_int_equal(clv_sim_load(b.s, bytes, size), CLV_OK);
        free(bytes);
        advance(&a, 1, &q, &u), advance(&b, 1, &there_q, &there_u);
        assert_memory_equal(&q, &there_q, sizeof q), assert_memory_equal(&u, &there_u, sizeof u);
        end(&a), end(&b);
    }
}

/* An event of the model on the way: the body is caught and let go, and the effort goes on meanwhile. */
static void an_event_on_the_way(void **state)
{
    (void)state;
    char text[900];
    snprintf(text, sizeof text, "%sevents:\n  hold: {at: 0.2, lock: j}\n  off: {at: 0.3, release: hold}\n", cart);
    run r = begin(text, &methods[0]);
    double q, u, x = 0, v = 0;
    assert_int_equal(clv_sim_set_input(r.s, 0, 10), CLV_OK);
    advance(&r, 0.8, &q, &u);
    ramp(&x, &v, 0, 20, 0.2), v = 0, ramp(&x, &v, 6, 20, 0.2), ramp(&x, &v, 10, 0, 0.3);
    CLV_NEAR(q, x, 1e-9), CLV_NEAR(u, v, 1e-9);
    end(&r);
}

/* ------------------------------------------------------------------ the speed */

static const char wheel[] = "cleave: 1\ngravity: [0, 0, 0]\nbodies: {wheel: {mass: 1, inertia: [0.2, 0.2, 0.2]}}\n"
                            "joints:\n  j: {kind: revolute, between: [ground, wheel], at: [0, 0, 0], axis: [0, 0, 1]}\n"
                            "inputs: {m: {joint: j, value: %.17g, stall_effort: 3, no_load_speed: %.17g rad/s}}\n"
                            "start: {joints: {j: {u: %.17g}}}\n";

/* u after t from w: an effort T constant up to the line 3 (1 - u / 20), then along it; both directions. */
static double speed_after(double T, double w, double t)
{
    const double corner = 20 * (1 - T / 3), first = (corner - w) / (T / 0.2);
    return t < first ? w + T / 0.2 * t : 20 + (corner - 20) * exp(-3 / (0.2 * 20) * (t - first));
}

static void an_effort_falls_with_the_speed(void **state)
{
    (void)state;
    char text[700];
    const struct {
        double T, w, t;
    } of[] = {{9, 0, 1.5}, {2, 0, 0.4}, {2, 0, 3}, {-2, 0, 3}, {3, -8, 0.4}, {-3, 8, 2}, {2, -5, 3}};
    for (int k = 0; k < 7; k++)
        for (int i = 0; i < METHODS; i++) {
            const double sign = of[k].T < 0 ? -1 : 1, T = fmin(fabs(of[k].T), 3);
            snprintf(text, sizeof text, wheel, of[k].T, 20.0, of[k].w);
            run r = begin(text, &methods[i]);
            double q, u, expected = speed_after(T, sign * of[k].w, of[k].t);
            advance(&r, of[k].t, &q, &u);
            /* the corner lies inside a step: fixed ones pass over it */
            CLV_NEAR(sign * u, expected, methods[i].step > 0 ? 2e-4 : 3e-8);
            clv_sim_report report;
            clv_sim_summary(r.s, &report);
            assert_true(report.max_energy_drift < 1e-2);
            end(&r);
        }
}

/* Faster than without load: nothing along the motion, all of it against. */
static void a_motor_that_is_overrun(void **state)
{
    (void)state;
    char text[700];
    for (int against = 0; against < 2; against++) {
        snprintf(text, sizeof text, wheel, against ? -3.0 : 3.0, 20.0, 30.0);
        run r = begin(text, &methods[1]);
        double q, u;
        advance(&r, 0.5, &q, &u);
        CLV_NEAR(u, against ? 30 - 3 / 0.2 * 0.5 : 30, 1e-12);
        end(&r);
    }
}

/* On the line the acceleration depends on the rate and not on the input. */
static void derivatives_are_those_of_the_line(void **state)
{
    (void)state;
    char text[700];
    for (int limited = 0; limited < 2; limited++) {
        snprintf(text, sizeof text, wheel, limited ? 9.0 : 0.5, 20.0, 5.0);
        run r = begin(text, &methods[1]);
        clv_derivatives *d = NULL;
        assert_int_equal(clv_sim_derivatives(r.s, NULL, 0, &d), CLV_OK);
        CLV_NEAR(d->udot[0], (limited ? 3 * 0.75 : 0.5) / 0.2, 1e-12);
        CLV_NEAR(d->du[0], limited ? -3 / 20.0 / 0.2 : 0, 1e-12);
        CLV_NEAR(d->dinput[0], limited ? 0 : 5, 1e-12);
        clv_derivatives_destroy(d);
        clv_linear *l = NULL;
        assert_int_equal(clv_sim_linearize(r.s, 0, NULL, NULL, &l), CLV_OK);
        CLV_NEAR(l->A[3], limited ? -3 / 20.0 / 0.2 : 0, 1e-12), CLV_NEAR(l->B[1], limited ? 0 : 5, 1e-12);
        clv_linear_destroy(l);
        end(&r);
    }
}

/* ------------------------------------------------------------------ what is refused */

static void what_lies_between_values_is_refused(void **state)
{
    (void)state;
    run r = begin(cart, &methods[1]);
    double q, u;
    clv_linear *l = NULL;
    advance(&r, 0.1, &q, &u);
    clv_sim_set_input(r.s, 0, 6);
    advance(&r, 0.2, &q, &u);
    assert_int_equal(clv_sim_linearize(r.s, 0, NULL, NULL, &l), CLV_ERR_UNSUPPORTED);
    assert_non_null(strstr(clv_sim_error(r.s)->message, "'push' still changes towards 6"));
    advance(&r, 0.5, &q, &u);
    assert_int_equal(clv_sim_linearize(r.s, 0, NULL, NULL, &l), CLV_OK);
    CLV_NEAR(l->B[1], 0.5, 1e-12);
    clv_linear_destroy(l);
    end(&r);
}

/* By calls: the same numbers, and what no file can hold. */
static void descriptions_are_checked(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++) {
        clv_model *m = NULL;
        clv_input_desc d = clv_input_desc_default(i == 4 ? CLV_INPUT_NUMBER : CLV_INPUT_JOINT);
        assert_int_equal(clv_model_create(&m, "a"), CLV_OK);
        clv_body_desc b = clv_body_desc_default();
        b.name = "a", b.mass = 1, b.inertia[0] = b.inertia[1] = b.inertia[2] = 1;
        clv_joint_desc j = clv_joint_desc_default(CLV_JOINT_REVOLUTE);
        j.name = "j";
        assert_int_equal(clv_model_add_body(m, NULL, &b), CLV_OK);
        j.a = CLV_GROUND, j.b = 0;
        assert_int_equal(clv_model_add_joint(m, NULL, &j), CLV_OK);
        d.name = "m", d.joint = 0;
        d.rate_limit = i == 0 ? NAN : i == 1 ? -1 : i == 4 ? 3 : 0;
        d.stall_effort = i == 2 || i == 3 ? 2 : 0, d.no_load_speed = i == 3 ? INFINITY : 0;
        clv_status st = clv_model_add_input(m, NULL, &d);
        if (i == 0 || i == 3)
            assert_int_not_equal(st, CLV_OK);
        else
            assert_int_equal(st, CLV_OK);
        assert_int_equal(clv_model_finish(m), i == 0 || i == 3 ? CLV_OK : CLV_ERR_MODEL); /* what was added */
        clv_model_destroy(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(springs_of_free_joints_in_a_loop_act),
                                       cmocka_unit_test(a_force_follows_at_its_rate),
                                       cmocka_unit_test(the_start_is_no_step),
                                       cmocka_unit_test(a_saved_state_goes_on),
                                       cmocka_unit_test(an_event_on_the_way),
                                       cmocka_unit_test(an_effort_falls_with_the_speed),
                                       cmocka_unit_test(a_motor_that_is_overrun),
                                       cmocka_unit_test(derivatives_are_those_of_the_line),
                                       cmocka_unit_test(what_lies_between_values_is_refused),
                                       cmocka_unit_test(descriptions_are_checked)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
