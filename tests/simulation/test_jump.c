/* SPDX-License-Identifier: Apache-2.0
 * A right-hand side that changes between two steps: a wheel of 1 kg m^2 under a torque that a callback reads from a
 * variable, changed every millisecond.  Every integrator gets what the exact solution says, and does not without
 * clv_sim_changed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cleave/cleave.h"
#include "near.h"
#include "simulation/methods.h"

enum { TICKS = 400 };

static int push(void *user, clv_load_view *view)
{
    view->wrench[5] += *(double *)user;
    return 0;
}

static clv_model *wheel(double *torque)
{
    clv_model *m;
    clv_body_desc b = clv_body_desc_default();
    clv_joint_desc j = clv_joint_desc_default(CLV_JOINT_REVOLUTE);
    clv_force_desc f = clv_force_desc_default(CLV_FORCE_CALLBACK);
    assert_int_equal(clv_model_create(&m, "wheel"), CLV_OK);
    b.name = "wheel", b.mass = 1, b.inertia[0] = b.inertia[1] = b.inertia[2] = 1;
    assert_int_equal(clv_model_add_body(m, NULL, &b), CLV_OK);
    j.name = "axle", j.b = 0;
    assert_int_equal(clv_model_add_joint(m, NULL, &j), CLV_OK);
    f.name = "motor", f.call = push, f.user = torque;
    assert_int_equal(clv_model_add_force(m, NULL, &f), CLV_OK);
    assert_int_equal(clv_model_finish(m), CLV_OK);
    return m;
}

/* what a wheel under constant torque allows: rounding; a tolerance for bdf and generalized-alpha's damping */
static double allowed(int i)
{
    return by(i, "bdf") ? 1e-4 : by(i, "generalized-alpha") ? 1e-6 : 1e-11;
}

static double torque_at(int tick) { return (tick * 7919 % 13) / 6.0 - (tick < TICKS / 2 ? 0.5 : 1.5); }

/* largest error of the angle; without announcing, if `silent` */
static double error_of(int i, bool silent, long *evaluations)
{
    double torque = 0, q = 0, u = 0, worst = 0;
    clv_model *m = wheel(&torque);
    clv_sim *s = start_by(m, i, 1e-6);
    clv_joint_result r;
    clv_sim_report report = {0};
    for (int k = 0; s && k < TICKS; k++) {
        const double t = 1e-3 * (k + 1), dt = t - 1e-3 * k;
        torque = torque_at(k);
        if (!silent)
            assert_int_equal(clv_sim_changed(s), CLV_OK);
        assert_int_equal(clv_sim_advance(s, t), CLV_OK);
        assert_int_equal(clv_sim_joint(s, 0, &r), CLV_OK);
        q += dt * (u + 0.5 * dt * torque), u += dt * torque;
        worst = fmax(worst, fabs(r.q[0] - q));
        clv_sim_summary(s, &report);
    }
    *evaluations = report.rate_evaluations;
    clv_sim_destroy(s);
    clv_model_destroy(m);
    return worst;
}

static void test_every_integrator(void **state)
{
    (void)state;
    for (int i = 0; i < METHODS; i++) {
        long n;
        double e = error_of(i, false, &n);
        if (!(e <= allowed(i) && n < 20 * TICKS))
            fail_msg("%s %s %g: error %.3g rad, %ld evaluations", method[i].formulation, method[i].integrator,
                     method[i].step, e, n);
    }
}

static void test_silence_is_wrong(void **state)
{
    long n;
    (void)state;
    assert_true(error_of(0, true, &n) > 1e-3);
}

/* A change is announced, the state is saved before the step, after it, and loaded elsewhere: same bits. */
static void test_saved(void **state)
{
    double torque = 0;
    char bytes[4096];
    clv_model *m = wheel(&torque);
    (void)state;
    for (int i = 0; i < METHODS; i++) {
        clv_sim *s = start_by(m, i, 1e-6), *t = s ? start_by(m, i, 1e-6) : NULL;
        if (!s || clv_sim_saved_size(s) == 0) { /* bdf */
            clv_sim_destroy(s), clv_sim_destroy(t);
            continue;
        }
        assert_true(clv_sim_saved_size(s) <= sizeof bytes);
        for (int k = 0; k < 20; k++) {
            torque = torque_at(k);
            assert_int_equal(clv_sim_changed(s), CLV_OK);
            if (k == 7)
                clv_sim_save(s, bytes), assert_int_equal(clv_sim_load(t, bytes, clv_sim_saved_size(s)), CLV_OK);
            else if (k > 7)
                assert_int_equal(clv_sim_changed(t), CLV_OK);
            assert_int_equal(clv_sim_advance(s, 1e-3 * (k + 1)), CLV_OK);
            if (k >= 7) {
                assert_int_equal(clv_sim_advance(t, 1e-3 * (k + 1)), CLV_OK);
                assert_memory_equal(clv_sim_quaternion(s), clv_sim_quaternion(t), 4 * sizeof(double));
                assert_memory_equal(clv_sim_velocity(s), clv_sim_velocity(t), 6 * sizeof(double));
            }
        }
        clv_sim_destroy(s), clv_sim_destroy(t);
    }
    clv_model_destroy(m);
}

/* The first change comes while the integrator is ahead of the output: the output state counts. */
static void test_ahead(void **state)
{
    double torque = 1;
    clv_model *m = wheel(&torque);
    (void)state;
    for (int i = 0; i < METHODS; i++) {
        clv_sim *s = start_by(m, i, 1e-6);
        clv_joint_result r;
        if (!s)
            continue;
        assert_int_equal(clv_sim_advance(s, 0.1), CLV_OK);
        for (int k = 0; k < 3; k++) /* without an output */
            assert_int_equal(clv_sim_step(s, 0.3), CLV_OK);
        torque = -1;
        assert_int_equal(clv_sim_changed(s), CLV_OK);
        assert_int_equal(clv_sim_advance(s, 0.2), CLV_OK);
        assert_int_equal(clv_sim_joint(s, 0, &r), CLV_OK);
        const double tolerance = fmax(allowed(i), 1e-8);
        CLV_NEAR(r.q[0], 0.5 * 0.1 * 0.1 + 0.1 * 0.1 - 0.5 * 0.1 * 0.1, tolerance);
        CLV_NEAR(r.u[0], 0, tolerance);
        clv_sim_destroy(s);
        torque = 1;
    }
    clv_model_destroy(m);
}

/* The change comes while the integrator is ahead beyond a break of a table: it is met again, by fixed steps, too. */
static void test_ahead_of_an_event(void **state)
{
    static const char text[] = "cleave: 1\ngravity: [0, 0, 0]\nbodies: {w: {mass: 1, inertia: [1, 1, 1]}}\n"
                               "joints: {j: {kind: revolute, a: {body: ground}, b: {body: w}}}\n"
                               "forces: {f: {kind: joint-load, joint: j, drive: [[0, 1], [0.1, 1], [0.13, -2]]}}\n";
    clv_model *m;
    (void)state;
    assert_int_equal(clv_model_read_text(&m, text, sizeof text - 1, "table"), CLV_OK);
    for (int i = 0; i < METHODS; i++) {
        clv_sim *s = start_by(m, i, 1e-6), *plain = s ? start_by(m, i, 1e-6) : NULL;
        clv_joint_result r, q;
        clv_sim_report before, after, once;
        if (!s)
            continue;
        assert_int_equal(clv_sim_advance(s, 0.06), CLV_OK);
        for (int k = 0; k < 400; k++)
            assert_int_equal(clv_sim_step(s, 0.3), CLV_OK);
        clv_sim_summary(s, &before);
        assert_int_equal(clv_sim_changed(s), CLV_OK);
        assert_int_equal(clv_sim_advance(s, 0.4), CLV_OK);
        assert_int_equal(clv_sim_advance(plain, 0.4), CLV_OK);
        clv_sim_summary(s, &after), clv_sim_summary(plain, &once);
        assert_true(once.events == 2 && after.events - before.events == 2);
        assert_int_equal(clv_sim_joint(s, 0, &r), CLV_OK);
        assert_int_equal(clv_sim_joint(plain, 0, &q), CLV_OK);
        if (!(fabs(r.q[0] - q.q[0]) <= (by(i, "bdf") ? 1e-4 : 1e-6)))
            fail_msg("%s %s %g: %.12g, %.12g", method[i].formulation, method[i].integrator, method[i].step, r.q[0],
                     q.q[0]);
        clv_sim_destroy(s), clv_sim_destroy(plain);
    }
    clv_model_destroy(m);
}

static void test_after_bare_states(void **state)
{
    double torque = 1, bare[64];
    clv_model *m = wheel(&torque);
    clv_sim *s = start_by(m, 0, 1e-6);
    (void)state;
    assert_true(clv_sim_state_size(s) <= 64);
    assert_int_equal(clv_sim_advance_state(s, 0.1, bare), CLV_OK);
    assert_int_equal(clv_sim_changed(s), CLV_ERR_USAGE);
    assert_int_equal(clv_sim_advance(s, 0.1), CLV_OK);
    assert_int_equal(clv_sim_changed(s), CLV_OK);
    clv_sim_destroy(s);
    clv_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_integrator), cmocka_unit_test(test_silence_is_wrong),
                                       cmocka_unit_test(test_saved), cmocka_unit_test(test_ahead),
                                       cmocka_unit_test(test_ahead_of_an_event),
                                       cmocka_unit_test(test_after_bare_states)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
