/* SPDX-License-Identifier: Apache-2.0
 * Dry friction of joints (T46) against closed forms, by every formulation: a mass that slides to rest, a block that
 * creeps on an incline, the law itself; the energy account; a joint that closes a loop. */
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

/* A block of 2 kg on a slide along x; gravity along the slide and across it. */
static clv_model *block(double along, clv_friction friction, double u0)
{
    clv_model *m;
    clv_body_desc b = clv_body_desc_default();
    clv_joint_desc j = clv_joint_desc_default(CLV_JOINT_PRISMATIC);
    clv_force_desc f = clv_force_desc_default(CLV_FORCE_JOINT);
    OK(clv_model_create(&m, "block"));
    const double gravity[3] = {0, 0, along};
    OK(clv_model_set_gravity(m, gravity));
    b.name = "block", b.mass = 2, b.inertia[0] = b.inertia[1] = b.inertia[2] = 0.1;
    OK(clv_model_add_body(m, &j.b, &b));
    j.name = "slide", j.a = CLV_GROUND, j.has_u = true, j.u[0] = u0;
    OK(clv_model_add_joint(m, &f.joint, &j));
    f.name = "pad", f.coordinate = 0, f.friction = friction;
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

static double rate_at(clv_sim *s, double t)
{
    clv_joint_result r;
    const clv_status st = clv_sim_advance(s, t);
    if (st != CLV_OK)
        print_error("%s\n", clv_sim_error(s)->message);
    OK(st);
    OK(clv_sim_joint(s, 0, &r));
    return r.u[0];
}

/* sinh(u / v0) = sinh(u_0 / v0) exp(-F t / (m v0)): from sliding through the turn of the law to creep */
static void a_mass_slides_to_rest(void **state)
{
    const double F = 3, v0 = 0.05, u0 = 0.6, mass = 2;
    (void)state;
    for (int i = 0; i < FORMULATIONS; i++) {
        clv_model *m = block(0, (clv_friction){F, NAN, 1, v0}, u0);
        clv_sim *s = start(m, all_formulations[i], "dopri5", 1e-10, 0);
        clv_sim_report report;
        for (int k = 1; k <= 10; k++) {
            const double t = 0.05 * k, u = v0 * asinh(sinh(u0 / v0) * exp(-F * t / (mass * v0)));
            CLV_NEAR(rate_at(s, t), u, 1e-8);
        }
        clv_sim_summary(s, &report);
        assert_true(report.max_energy_drift < 1e-9); /* the loss is in the account: 0.36 J */
        assert_true(report.energy < 1e-4);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

/* the same by the implicit step, whose error is that of the trapezoidal rule */
static void an_implicit_step_follows(void **state)
{
    const double F = 3, v0 = 0.05, u0 = 0.6, mass = 2;
    double error[2];
    (void)state;
    for (int k = 0; k < 2; k++) {
        clv_model *m = block(0, (clv_friction){F, NAN, 1, v0}, u0);
        clv_sim *s = start(m, "index3", "trapezoidal", 1e-6, k ? 5e-4 : 1e-3);
        const double u = v0 * asinh(sinh(u0 / v0) * exp(-F * 0.4 / (mass * v0)));
        error[k] = fabs(rate_at(s, 0.4) - u);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
    assert_true(error[0] < 1e-4);
    assert_true(error[1] < 0.3 * error[0]); /* order two */
}

/* Q = m g below friction: creep at v0 artanh(Q / F); above it: m u' = Q - F */
static void a_block_on_an_incline(void **state)
{
    const double F = 5, v0 = 0.01;
    (void)state;
    for (int i = 0; i < FORMULATIONS; i++) {
        clv_model *m = block(2, (clv_friction){F, NAN, 1, v0}, 0.001); /* 4 N */
        clv_sim *s = start(m, all_formulations[i], "dopri5", 1e-9, 0);
        CLV_NEAR(rate_at(s, 0.5), v0 * atanh(4.0 / F), 1e-10);
        clv_sim_destroy(s), clv_model_destroy(m);
        m = block(5, (clv_friction){F, NAN, 1, v0}, 1); /* 10 N, far above v0 */
        s = start(m, all_formulations[i], "dopri5", 1e-9, 0);
        CLV_NEAR(rate_at(s, 0.5), 1 + 0.5 * (10 - F) / 2, 1e-9);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

/* The law: odd, a loss, T46.1 by the C library; its slope by differences. */
static void the_law(void **state)
{
    const clv_friction f = {1.5, 2.25, 0.2, 0.03};
    double slope;
    (void)state;
    for (int k = -400; k <= 400; k++) {
        const double u = 0.0037 * k * fabs((double)k) / 40, h = 1e-6, z = u / f.stribeck_speed;
        const double tau = clv_friction_at(&f, u, &slope);
        CLV_NEAR(tau, -(1.5 + 0.75 * exp(-z * z)) * tanh(u / 0.03), 1e-14);
        CLV_NEAR(clv_friction_at(&f, -u, NULL), -tau, 0);
        assert_true(tau * u <= 0);
        CLV_NEAR(slope, (clv_friction_at(&f, u + h, NULL) - clv_friction_at(&f, u - h, NULL)) / (2 * h), 1e-6);
    }
    assert_true(isnan(clv_friction_at(&f, NAN, NULL)));
}

/* ------------------------------------------------------------------ a loop */

/* A four-bar with friction in a joint of the tree and in the one that closes it. */
static const char four_bar[] =
    "cleave: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  crank: {mass: 1, com: [0.2, 0, 0], inertia: [0.01, 0.05, 0.05]}\n"
    "  coupler: {mass: 2, com: [0.5, 0, 0], inertia: [0.01, 0.2, 0.2]}\n"
    "  rocker: {mass: 1, com: [0.4, 0, 0], inertia: [0.01, 0.1, 0.1]}\n"
    "joints:\n"
    "  A: {kind: revolute, a: {body: ground}, b: {body: crank}}\n"
    "  B: {kind: revolute, a: {body: crank, position: [0.4, 0, 0]}, b: {body: coupler}}\n"
    "  D: {kind: revolute, a: {body: ground, position: [1, 0, 0]}, b: {body: rocker}}\n"
    "  C: {kind: revolute, a: {body: coupler, position: [1, 0, 0]}, b: {body: rocker, position: [0.8, 0, 0]}, "
    "cut: true}\n"
    "forces:\n"
    "  pin: {kind: joint-load, joint: B, friction: 0.8, breakaway: 1, stiction_speed: 0.3, stribeck_speed: 0.5}\n"
    "  end: {kind: joint-load, joint: C, friction: 1.2, stiction_speed: 0.2}\n"
    "start: {joints: {A: {q: 1.2}, B: {q: -0.9}, D: {q: 1.4}}}\n";

static void formulations_agree_in_a_loop(void **state)
{
    clv_model *m;
    double want = 0;
    (void)state;
    OK(clv_model_read_text(&m, four_bar, sizeof four_bar - 1, "four-bar"));
    for (int i = 0; i <= FORMULATIONS; i++) {
        clv_sim *s = i < FORMULATIONS ? start(m, all_formulations[i], "dopri5", 1e-10, 0)
                                      : start(m, "index3", "trapezoidal", 1e-6, 5e-4);
        const double u = rate_at(s, 0.7);
        clv_sim_report report;
        clv_sim_summary(s, &report);
        want = i == 0 ? u : want;
        CLV_NEAR(u, want, i < 4 ? 1e-7 : i == 4 ? 1e-6 : 1e-3);
        assert_true(report.max_energy_drift < (i < 4 ? 1e-7 : i == 4 ? 1e-6 : 1e-3));
        assert_true(report.energy < report.energy_initial - 0.1);
        clv_sim_destroy(s);
    }
    clv_model_destroy(m);
}

/* ------------------------------------------------------------------ refused */

static void refused(clv_friction friction, const char *word)
{
    clv_model *m;
    clv_body_desc b = clv_body_desc_default();
    clv_joint_desc j = clv_joint_desc_default(CLV_JOINT_REVOLUTE);
    clv_force_desc f = clv_force_desc_default(CLV_FORCE_JOINT);
    OK(clv_model_create(&m, "refused"));
    b.name = "b", b.mass = 1, b.inertia[0] = b.inertia[1] = b.inertia[2] = 0.1;
    OK(clv_model_add_body(m, &j.b, &b));
    j.name = "j", j.a = CLV_GROUND;
    OK(clv_model_add_joint(m, &f.joint, &j));
    f.name = "f", f.friction = friction;
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
    refused((clv_friction){-1, NAN, 1, 1}, "negative");
    refused((clv_friction){1, 0.5, 1, 1}, "breakaway");
    refused((clv_friction){1, 1, 0, 1}, "Stribeck");
    refused((clv_friction){1, 1, 1, 0}, "stiction");
    refused((clv_friction){INFINITY, NAN, 1, 1}, "not finite");
    refused((clv_friction){1, NAN, 1, NAN}, "not finite");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mass_slides_to_rest),        cmocka_unit_test(an_implicit_step_follows),
        cmocka_unit_test(a_block_on_an_incline),        cmocka_unit_test(the_law),
        cmocka_unit_test(formulations_agree_in_a_loop), cmocka_unit_test(bad_numbers_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
