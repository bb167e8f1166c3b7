/* SPDX-License-Identifier: Apache-2.0
 * Bushings (T51) against closed forms, by every formulation: six frequencies of a body on a bushing, its decay, the
 * rest under preload; energy for large turns; two bodies in free flight keep their momentum; what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/force.h"
#include "near.h"
#include "running.h"
#include "simulation/methods.h"

#define OK(call) assert_int_equal(call, CLV_OK)

static const char *const all_formulations[] = {"hdca", "dca", "connection", "massmatrix", "aldca"};
enum { FORMULATIONS = sizeof all_formulations / sizeof all_formulations[0] };

static const double mass = 2, inertia[3] = {0.3, 0.4, 0.5};
static const clv_bushing stiff = {.orientation_a = {1, 0, 0, 0}, .orientation_b = {1, 0, 0, 0},
                                  .stiffness = {50, 80, 130, 20, 30, 45}};

/* A free body with a bushing at its centre of mass, without weight. */
static clv_model *mounted(clv_bushing bushing, const double u[6])
{
    clv_model *m;
    const double none[3] = {0, 0, 0};
    clv_body_desc b = clv_body_desc_default();
    clv_joint_desc j = clv_joint_desc_default(CLV_JOINT_FREE);
    clv_force_desc f = clv_force_desc_default(CLV_FORCE_BUSHING);
    OK(clv_model_create(&m, "mounted"));
    OK(clv_model_set_gravity(m, none));
    b.name = "body", b.mass = mass;
    memcpy(b.inertia, inertia, sizeof inertia);
    OK(clv_model_add_body(m, &j.b, &b));
    j.name = "free", j.a = CLV_GROUND, j.has_u = true;
    memcpy(j.u, u, 6 * sizeof *u);
    OK(clv_model_add_joint(m, NULL, &j));
    f.name = "mount", f.a = CLV_GROUND, f.b = j.b, f.bushing = bushing;
    OK(clv_model_add_force(m, NULL, &f));
    OK(clv_model_finish(m));
    return m;
}

static clv_sim *start(const clv_model *m, const char *formulation, const char *integrator, double rtol, double step)
{
    clv_sim_options o = clv_sim_options_default();
    o.formulation = formulation, o.integrator = integrator, o.rtol = rtol, o.atol = 1e-13, o.step = step;
    return start_with(m, &o);
}

/* Turns about one principal axis and shifts are six oscillators: u cos(w t), of any size for turns about one axis. */
static void six_oscillators(void **state)
{
    (void)state;
    for (int i = 0; i < FORMULATIONS * 6; i++) {
        const int k = i % 6;
        double u[6] = {0};
        u[k] = 1.5;
        clv_model *m = mounted(stiff, u);
        clv_sim *s = start(m, all_formulations[i / 6], "dop853", 1e-11, 0);
        clv_sim_report report;
        const double w = sqrt(stiff.stiffness[k] / (k < 3 ? mass : inertia[k - 3]));
        advance(s, 2);
        CLV_NEAR(clv_sim_velocity(s)[k], 1.5 * cos(w * 2), 1e-8);
        clv_sim_summary(s, &report);
        assert_true(report.max_energy_drift < 1e-9);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

/* With damping: x = u / wd exp(-d t) sin(wd t); the loss is in the account. */
static void damping_decays(void **state)
{
    clv_bushing g = stiff;
    double u[6] = {0, 2, 0, 0, 0, 0};
    (void)state;
    g.damping[1] = 6;
    for (int i = 0; i < FORMULATIONS; i++) {
        clv_model *m = mounted(g, u);
        clv_sim *s = start(m, all_formulations[i], "dop853", 1e-11, 0);
        clv_sim_report report;
        const double d = 6 / (2 * mass), wd = sqrt(80 / mass - d * d);
        advance(s, 0.7);
        CLV_NEAR(clv_sim_position(s)[1], 2 / wd * exp(-d * 0.7) * sin(wd * 0.7), 1e-9);
        clv_sim_summary(s, &report);
        assert_true(report.max_energy_drift < 1e-9);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

/* The implicit step has its tangent: it converges for a stiff one, with order two. */
static void an_implicit_step_follows(void **state)
{
    clv_bushing g = stiff;
    double error[2], u[6] = {0, 0, 0, 0, 0, 1};
    (void)state;
    for (int k = 0; k < 6; k++)
        g.stiffness[k] *= 1e4, g.damping[k] = 1;
    for (int k = 0; k < 2; k++) {
        clv_model *m = mounted(g, u);
        clv_sim *s = start(m, "index3", "trapezoidal", 1e-6, k ? 2.5e-5 : 5e-5);
        const double d = 1 / (2 * inertia[2]), wd = sqrt(g.stiffness[5] / inertia[2] - d * d), t = 0.01;
        advance(s, t);
        error[k] = fabs(clv_sim_velocity(s)[5] - exp(-d * t) * (cos(wd * t) - d / wd * sin(wd * t)));
        clv_sim_destroy(s), clv_model_destroy(m);
    }
    assert_true(error[0] < 1e-2);
    assert_true(error[1] < 0.3 * error[0]);
}

/* ------------------------------------------------------------------ large turns, two bodies */

static const char pair[] =
    "cleave: 1\n"
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  p: {mass: 1, com: [0.1, 0, 0.2], inertia: [0.2, 0.3, 0.25]}\n"
    "  q: {mass: 2, com: [0, 0.1, 0], inertia: [0.3, 0.5, 0.4]}\n"
    "joints:\n"
    "  fp: {kind: free, a: {body: ground}, b: {body: p}}\n"
    "  fq: {kind: free, a: {body: ground}, b: {body: q}}\n"
    "forces:\n"
    "  mount: {kind: bushing, between: [p, q], points: [[0.3, 0, 0], [-0.2, 0.1, 0]], orientation_a: [0.8, 0, 0.6, 0], "
    "orientation_b: [0.6, 0.8, 0, 0], stiffness: [40, 60, 90], rotational_stiffness: [3, 5, 8], damping: %s, "
    "preload: [0.5, 0, -1], rotational_preload: [0.1, 0.2, 0]}\n"
    "start: {joints: {fp: {u: [0, 0, 0, 0.3, -0.5, 0.9]}, fq: {q: [0.3, 0.1, 0, 1, 0, 0, 0], "
    "u: [0.2, 0, 0.4, 1, 0.7, -0.6]}}}\n";

static clv_model *two(const char *damping)
{
    char text[1000];
    clv_model *m;
    const int n = snprintf(text, sizeof text, pair, damping);
    OK(clv_model_read_text(&m, text, (size_t)n, "pair"));
    return m;
}

static void momentum(const clv_sim *s, double P[6])
{
    clv_momentum x;
    clv_sim_momentum(s, &x);
    memcpy(P, x.linear, 3 * sizeof *P), memcpy(P + 3, x.angular, 3 * sizeof *P);
}

/* Turns of more than a radian; all agree, energy and momentum are kept. */
static void energy_and_momentum_are_kept(void **state)
{
    double want[6];
    (void)state;
    for (int i = 0; i < 2 * FORMULATIONS; i++) {
        clv_model *m = two(i % 2 ? "0" : "1.5");
        clv_sim *s = start(m, all_formulations[i / 2], "dop853", 1e-11, 0);
        clv_sim_report report;
        double before[6], after[6];
        momentum(s, before);
        advance(s, 3);
        momentum(s, after);
        for (int k = 0; k < 6; k++)
            CLV_NEAR(after[k], before[k], 1e-9);
        clv_sim_summary(s, &report);
        assert_true(report.max_energy_drift < 1e-9);
        if (i == 1)
            memcpy(want, clv_sim_velocity(s), sizeof want);
        for (int k = 0; i % 2 && k < 6; k++)
            CLV_NEAR(clv_sim_velocity(s)[k], want[k], 1e-7);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

/* ------------------------------------------------------------------ refused */

static void refused(clv_bushing bushing, int a, const char *word)
{
    clv_model *m;
    clv_body_desc b = clv_body_desc_default();
    clv_joint_desc j = clv_joint_desc_default(CLV_JOINT_FREE);
    clv_force_desc f = clv_force_desc_default(CLV_FORCE_BUSHING);
    OK(clv_model_create(&m, "refused"));
    b.name = "b", b.mass = 1, b.inertia[0] = b.inertia[1] = b.inertia[2] = 0.1;
    OK(clv_model_add_body(m, &j.b, &b));
    j.name = "j", j.a = CLV_GROUND;
    OK(clv_model_add_joint(m, NULL, &j));
    f.name = "f", f.a = a, f.b = j.b, f.bushing = bushing;
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
    clv_bushing g = stiff;
    (void)state;
    refused(g, 0, "same body");
    g.stiffness[4] = -1, refused(g, CLV_GROUND, "negative");
    g = stiff, g.damping[2] = -1, refused(g, CLV_GROUND, "negative");
    g = stiff, g.preload[5] = NAN, refused(g, CLV_GROUND, "not finite");
    g = stiff, g.orientation_b[0] = 3, refused(g, CLV_GROUND, "quaternion");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(six_oscillators),          cmocka_unit_test(damping_decays),
        cmocka_unit_test(an_implicit_step_follows), cmocka_unit_test(energy_and_momentum_are_kept),
        cmocka_unit_test(bad_numbers_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
