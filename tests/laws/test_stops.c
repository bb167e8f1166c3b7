/* SPDX-License-Identifier: Apache-2.0
 * End stops of joints (T47) against closed forms, by every formulation: half a period of a linear stop, the rebound of
 * Hunt and Crossley for any exponent, a pendulum between limits; the law and its potential; what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/force.h"
#include "near.h"
#include "simulation/methods.h"

#define OK(call) assert_int_equal(call, CLV_OK)

static const char *const all_formulations[] = {"hdca", "dca", "connection", "massmatrix", "aldca"};
enum { FORMULATIONS = sizeof all_formulations / sizeof all_formulations[0] };
static const double PI = 3.14159265358979323846;

/* 2 kg on a slide without weight */
static clv_model *slider(clv_stop stop, double u0)
{
    clv_model *m;
    clv_body_desc b = clv_body_desc_default();
    clv_joint_desc j = clv_joint_desc_default(CLV_JOINT_PRISMATIC);
    clv_force_desc f = clv_force_desc_default(CLV_FORCE_JOINT);
    OK(clv_model_create(&m, "slider"));
    const double none[3] = {0, 0, 0};
    OK(clv_model_set_gravity(m, none));
    b.name = "block", b.mass = 2, b.inertia[0] = b.inertia[1] = b.inertia[2] = 0.1;
    OK(clv_model_add_body(m, &j.b, &b));
    j.name = "slide", j.a = CLV_GROUND, j.has_u = true, j.u[0] = u0;
    OK(clv_model_add_joint(m, &f.joint, &j));
    f.name = "stops", f.stop = stop;
    OK(clv_model_add_force(m, NULL, &f));
    OK(clv_model_finish(m));
    return m;
}

static clv_sim *start(const clv_model *m, const char *formulation, const char *integrator, double rtol, double step)
{
    clv_sim *s;
    clv_sim_options o = clv_sim_options_default();
    o.formulation = formulation, o.integrator = integrator, o.rtol = rtol, o.step = step;
    const clv_status st = clv_sim_create(&s, m, &o);
    if (st != CLV_OK)
        print_error("%s %s: %s\n", formulation, integrator, clv_sim_error(s)->message);
    OK(st);
    return s;
}

static clv_joint_result joint_at(clv_sim *s, double t)
{
    clv_joint_result r;
    const clv_status st = clv_sim_advance(s, t);
    if (st != CLV_OK)
        print_error("%s\n", clv_sim_error(s)->message);
    OK(st);
    OK(clv_sim_joint(s, 0, &r));
    return r;
}

/* In at 0.5 m after 0.25 s, out half a period pi sqrt(m / k) later with the opposite speed; then the other stop. */
static void linear_stops_are_half_a_period(void **state)
{
    const double speed = 2, k = 800, half = PI * sqrt(2 / k);
    (void)state;
    for (int i = 0; i < FORMULATIONS; i++) {
        clv_model *m = slider((clv_stop){-0.5, 0.5, k, 0, 1, NAN}, speed);
        clv_sim *s = start(m, all_formulations[i], "dop853", 1e-11, 0);
        clv_sim_report report;
        clv_joint_result r = joint_at(s, 0.25 + half / 2); /* deepest */
        CLV_NEAR(r.q[0], 0.5 + speed * sqrt(2 / k), 1e-9);
        CLV_NEAR(r.u[0], 0, 1e-8);
        CLV_NEAR(r.effort[0], -speed * sqrt(2 * k), 1e-6);
        r = joint_at(s, 0.25 + half + 0.25);
        CLV_NEAR(r.q[0], 0, 1e-9);
        CLV_NEAR(r.u[0], -speed, 1e-9);
        r = joint_at(s, 0.25 + half + 0.5 + half + 0.25);
        CLV_NEAR(r.q[0], 0, 2e-9);
        CLV_NEAR(r.u[0], speed, 2e-9);
        clv_sim_summary(s, &report);
        assert_true(report.max_energy_drift < 1e-8);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

/* m u du = -k d^e (1 + a u) dd: x - ln(1 + x) is the same at x = a u_in and x = -a u_out, whatever k and e */
static void rebound_after_hunt_and_crossley(void **state)
{
    static const double exponent[] = {1, 1.5, 2.2};
    (void)state;
    for (int i = 0; i < FORMULATIONS * 3; i++) {
        const double a = 0.4, u = 1.5;
        clv_model *m = slider((clv_stop){-INFINITY, 0.3, 5000, a, exponent[i % 3], NAN}, u);
        clv_sim *s = start(m, all_formulations[i / 3], "dop853", 1e-11, 0);
        clv_sim_report report;
        const double out = -joint_at(s, 0.9).u[0];
        assert_true(out > 0.5 && out < u);
        CLV_NEAR(-a * out - log1p(-a * out), a * u - log1p(a * u), 1e-9);
        clv_sim_summary(s, &report);
        assert_true(report.max_energy_drift < 1e-8);
        CLV_NEAR(report.energy_initial - report.energy, u * u - out * out, 1e-9); /* 2 kg / 2 */
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

/* the implicit step converges to it with its order */
static void an_implicit_step_follows(void **state)
{
    const double a = 0.4, u = 1.5;
    double error[2];
    (void)state;
    for (int k = 0; k < 2; k++) {
        clv_model *m = slider((clv_stop){-INFINITY, 0.3, 5000, a, 1.5, NAN}, u);
        clv_sim *s = start(m, "index3", "trapezoidal", 1e-6, k ? 1.25e-4 : 5e-4);
        const double out = -joint_at(s, 0.9).u[0];
        error[k] = fabs((-a * out - log1p(-a * out)) - (a * u - log1p(a * u)));
        clv_sim_destroy(s), clv_model_destroy(m);
    }
    assert_true(error[0] < 1e-3);
    assert_true(error[1] < 0.2 * error[0]);
}

/* ------------------------------------------------------------------ limits in mechanisms */

static const char pendulum[] =
    "cleave: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  upper: {mass: 1, com: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]}\n"
    "  lower: {mass: 1, com: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]}\n"
    "joints:\n"
    "  hip: {kind: revolute, a: {body: ground}, b: {body: upper}}\n"
    "  knee: {kind: revolute, a: {body: upper, position: [1, 0, 0]}, b: {body: lower}}\n"
    "forces:\n"
    "  cap: {kind: joint-load, joint: knee, lower: 0 deg, upper: 100 deg, stop_stiffness: 2000, "
    "stop_dissipation: 0.2, stop_exponent: 1.5}\n"
    "start: {joints: {hip: {q: 0}, knee: {q: 30 deg}}}\n";

/* A leg whose knee does not bend backwards: all agree, the loss is in the account. */
static void a_knee_has_limits(void **state)
{
    clv_model *m;
    double want = 0, least = 10;
    (void)state;
    OK(clv_model_read_text(&m, pendulum, sizeof pendulum - 1, "pendulum"));
    for (int i = 0; i <= FORMULATIONS; i++) {
        clv_sim *s = i < FORMULATIONS ? start(m, all_formulations[i], "dopri5", 1e-10, 0)
                                      : start(m, "index3", "trapezoidal", 1e-6, 2e-4);
        clv_sim_report report;
        clv_joint_result r;
        for (int k = 1; k <= 100; k++) {
            OK(clv_sim_advance(s, 0.01 * k));
            OK(clv_sim_joint(s, 1, &r));
            least = fmin(least, r.q[0]);
        }
        clv_sim_summary(s, &report);
        want = i == 0 ? r.q[0] : want;
        CLV_NEAR(r.q[0], want, i < FORMULATIONS ? 1e-6 : 1e-2);
        assert_true(report.max_energy_drift < (i < FORMULATIONS ? 1e-6 : 1e-2));
        assert_true(report.energy < report.energy_initial - 0.01);
        assert_true(least < 0 && least > -0.1); /* it was met, and held */
        clv_sim_destroy(s);
    }
    clv_model_destroy(m);
}

/* ------------------------------------------------------------------ the law */

static void the_law(void **state)
{
    static const double exponent[] = {1, 1.5, 3, 2.5};
    (void)state;
    for (int e = 0; e < 4; e++) {
        const clv_stop x = {-0.2, 0.3, 70, 0.5, exponent[e], NAN};
        for (int k = -50; k <= 50; k++)
            for (int n = -8; n <= 8; n++) {
                const double q = 0.0173 * k, u = 0.7 * n, h = 1e-6;
                double elastic, place, rate, other;
                const double tau = clv_stop_at(&x, q, u, &elastic, &place, &rate);
                const double d = fmax(0, fmax(q - 0.3, -0.2 - q)), side = q > 0.3 ? 1 : -1;
                CLV_NEAR(tau, -side * 70 * pow(d, exponent[e]) * fmax(0, 1 + 0.5 * side * u), 1e-11);
                assert_true(side * tau <= 0);            /* it does not pull */
                assert_true((tau - elastic) * u <= 0);   /* nor give energy */
                CLV_NEAR(elastic, (clv_stop_potential(&x, q - h) - clv_stop_potential(&x, q + h)) / (2 * h), 1e-4);
                CLV_NEAR(place, (clv_stop_at(&x, q - h, u, &other, NULL, NULL) -
                                 clv_stop_at(&x, q + h, u, &other, NULL, NULL)) / (2 * h), 1e-3);
                if (fabs(1 + 0.5 * side * u) > 1e-3)
                    CLV_NEAR(rate, (clv_stop_at(&x, q, u - h, &other, NULL, NULL) -
                                    clv_stop_at(&x, q, u + h, &other, NULL, NULL)) / (2 * h), 1e-4);
            }
    }
}

/* ------------------------------------------------------------------ refused */

static void refused(clv_joint_kind kind, clv_stop stop, const char *word)
{
    clv_model *m;
    clv_body_desc b = clv_body_desc_default();
    clv_joint_desc j = clv_joint_desc_default(kind);
    clv_force_desc f = clv_force_desc_default(CLV_FORCE_JOINT);
    OK(clv_model_create(&m, "refused"));
    b.name = "b", b.mass = 1, b.inertia[0] = b.inertia[1] = b.inertia[2] = 0.1;
    OK(clv_model_add_body(m, &j.b, &b));
    j.name = "j", j.a = CLV_GROUND;
    OK(clv_model_add_joint(m, &f.joint, &j));
    f.name = "f", f.stop = stop;
    clv_status st = clv_model_add_force(m, NULL, &f);
    if (st == CLV_OK)
        st = clv_model_finish(m);
    assert_int_not_equal(st, CLV_OK);
    if (!strstr(clv_model_error(m)->message, word))
        fail_msg("'%s' does not name '%s'", clv_model_error(m)->message, word);
    clv_model_destroy(m);
}

static void bad_numbers_are_refused(void **state)
{
    (void)state;
    refused(CLV_JOINT_REVOLUTE, (clv_stop){1, -1, 10, 0, 1, NAN}, "lower limit");
    refused(CLV_JOINT_REVOLUTE, (clv_stop){-1, 1, 0, 0, 1, NAN}, "stiffness");
    refused(CLV_JOINT_REVOLUTE, (clv_stop){-1, 1, -5, 0, 1, NAN}, "stiffness");
    refused(CLV_JOINT_REVOLUTE, (clv_stop){-INFINITY, INFINITY, 5, 0, 1, NAN}, "no limit");
    refused(CLV_JOINT_REVOLUTE, (clv_stop){-1, 1, 5, -1, 1, NAN}, "dissipation");
    refused(CLV_JOINT_REVOLUTE, (clv_stop){-1, 1, 5, 0, 0.5, NAN}, "exponent");
    refused(CLV_JOINT_REVOLUTE, (clv_stop){NAN, 1, 5, 0, 1, NAN}, "not finite");
    refused(CLV_JOINT_SPHERICAL, (clv_stop){-1, 1, 5, 0, 1, NAN}, "quaternion");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_stops_are_half_a_period), cmocka_unit_test(rebound_after_hunt_and_crossley),
        cmocka_unit_test(an_implicit_step_follows),       cmocka_unit_test(a_knee_has_limits),
        cmocka_unit_test(the_law),                        cmocka_unit_test(bad_numbers_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
