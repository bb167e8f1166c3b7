/* SPDX-License-Identifier: Apache-2.0
 * Outputs at the ends of steps (T43.12): they use the last evaluation of the step, have the bits of an evaluation of
 * their own, and leave the run as it is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "cleave/cleave.h"
#include "simulation/react.h"
#include "simulation/sim.h"

static clv_sim *open_run(clv_model **m, const char *example, const char *formulation)
{
    clv_sim *s;
    clv_sim_options o = clv_sim_options_default();
    o.formulation = formulation;
    assert_int_equal(clv_example_create(m, example, NULL, 0), CLV_OK);
    assert_int_equal(clv_sim_create(&s, *m, &o), CLV_OK);
    return s;
}

/* one step; the time at its end */
static double step(clv_sim *s)
{
    clv_sim_report r;
    assert_int_equal(clv_sim_step(s, 1), CLV_OK);
    clv_sim_summary(s, &r);
    return r.time;
}

/* factors made by the views at the end of a step, and by accelerations there; then the results with and without the
 * evaluation of the step */
static void look(const char *example, const char *formulation, long view, long react)
{
    clv_model *m;
    clv_sim *s = open_run(&m, example, formulation);
    const size_t nb = 6 * (size_t)m->nbody;
    double *A = malloc(nb * sizeof(double)), *V = malloc(nb * sizeof(double));
    clv_joint_result *r = calloc((size_t)m->njoint, sizeof *r), other;
    for (int i = 0; i < 5; i++) {
        const double end = step(s);
        long n = s->system.engine.factors;
        assert_int_equal(clv_sim_advance(s, end), CLV_OK);
        assert_int_equal(s->system.engine.factors - n, view);
        n = s->system.engine.factors;
        assert_int_equal(clv_sim_react(s), CLV_OK);
        assert_int_equal(s->system.engine.factors - n, react);
        memcpy(A, clv_sim_acceleration(s), nb * sizeof(double)), memcpy(V, clv_sim_velocity(s), nb * sizeof(double));
        for (int j = 0; j < m->njoint; j++)
            clv_sim_reaction(s, j, &r[j]);
        s->seen_t = NAN; /* as if the step had ended elsewhere */
        assert_int_equal(clv_sim_show(s), CLV_OK);
        s->shown = 0;
        assert_int_equal(clv_sim_evaluate(s), CLV_OK);
        assert_memory_equal(A, clv_sim_acceleration(s), nb * sizeof(double));
        assert_memory_equal(V, clv_sim_velocity(s), nb * sizeof(double));
        for (int j = 0; j < m->njoint; j++) {
            assert_int_equal(clv_sim_joint(s, j, &other), CLV_OK);
            assert_memory_equal(r[j].force, other.force, sizeof other.force);
            assert_memory_equal(r[j].torque, other.torque, sizeof other.torque);
            assert_memory_equal(r[j].effort, other.effort, sizeof other.effort);
            assert_memory_equal(r[j].udot, other.udot, sizeof other.udot);
        }
    }
    free(A), free(V), free(r);
    clv_sim_destroy(s), clv_model_destroy(m);
}

/* dopri5 evaluates at the end of a step; projections and new momenta of loops change that state */
static void outputs_use_the_evaluation_of_the_step(void **state)
{
    (void)state;
    look("chain", "hdca", 0, 1);
    look("chain", "dca", 0, 0);
    look("tree-robot", "hdca", 0, 1);
    look("flex-arm", "hdca", 0, 1);
    look("flex-arm", "dca", 0, 0);
    look("hdca-case1", "hdca", 1, 1);
    look("hdca-case1", "dca", 0, 1);
}

/* Inside a step, at another time than the last evaluation, and after a change of an input the outputs are those of the
 * output state. */
static void outputs_follow_the_output_state(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        clv_model *m, *n;
        clv_sim *s = open_run(&m, "double-pendulum", i ? "dca" : "hdca"),
                *t = open_run(&n, "double-pendulum", i ? "dca" : "hdca");
        clv_joint_result a, b;
        const double end = step(s);
        assert_int_equal(clv_sim_advance(s, 0.5 * end), CLV_OK), assert_int_equal(clv_sim_joint(s, 1, &a), CLV_OK);
        assert_true(step(t) == end);
        assert_int_equal(clv_sim_advance(t, 0.5 * end), CLV_OK);
        t->system.held = 0, t->shown = 0;
        assert_int_equal(clv_sim_joint(t, 1, &b), CLV_OK);
        assert_memory_equal(&a, &b, sizeof a);
        assert_int_equal(clv_sim_advance(s, end), CLV_OK), assert_int_equal(clv_sim_joint(s, 1, &b), CLV_OK);
        assert_true(a.udot[0] != b.udot[0]);
        assert_true(s->system.held == 0); /* used up */
        assert_int_equal(clv_sim_advance(t, end), CLV_OK);
        assert_true(i == 1 || (t->shown > 0 && t->system.held == t->shown));
        assert_int_equal(clv_sim_changed(t), CLV_OK); /* loads may be others now */
        assert_true(t->system.held == 0);
        clv_sim_destroy(s), clv_sim_destroy(t), clv_model_destroy(m), clv_model_destroy(n);
    }
}

/* rk4 looks at the end of a step: that evaluation is the first one of the next step where nothing closes. */
static void a_state_is_evaluated_once(void **state)
{
    static const struct {
        const char *example;
        int factors;
    } row[] = {{"chain", 4}, {"tree-robot", 4}, {"hdca-case1", 5}};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        clv_model *m;
        clv_sim *s;
        clv_sim_options o = clv_sim_options_default();
        o.integrator = "rk4", o.step = 1e-3;
        assert_int_equal(clv_example_create(&m, row[i].example, NULL, 0), CLV_OK);
        assert_int_equal(clv_sim_create(&s, m, &o), CLV_OK);
        step(s);
        const long n = s->system.engine.factors;
        step(s);
        assert_int_equal(s->system.engine.factors - n, row[i].factors);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

/* The accelerations are those of the mechanism: terms of Baumgarte are in the rates alone. */
static void stabilization_is_not_shown(void **state)
{
    (void)state;
    clv_model *m, *n;
    clv_sim *s, *t = open_run(&n, "hdca-case1", "dca");
    clv_sim_options o = clv_sim_options_default();
    o.formulation = "dca", o.integrator = "rk4", o.step = 0.01, o.project = false;
    o.baumgarte[0] = 100, o.baumgarte[1] = 20;
    assert_int_equal(clv_example_create(&m, "hdca-case1", NULL, 0), CLV_OK);
    assert_int_equal(clv_sim_create(&s, m, &o), CLV_OK);
    assert_int_equal(clv_sim_advance(s, 0.3), CLV_OK);
    assert_true(s->out_gap > 1e-8);
    assert_int_equal(clv_sim_react(s), CLV_OK);
    memcpy(t->out_y, s->out_y, (size_t)s->n * sizeof(double)), t->out_time = s->out_time, t->seen_t = NAN;
    assert_int_equal(clv_sim_show(t), CLV_OK);
    assert_int_equal(clv_sim_react(t), CLV_OK);
    for (int i = 0; i < s->plan->nu; i++)
        assert_true(fabs(s->udot[i] - t->udot[i]) < 1e-9 * (1 + fabs(t->udot[i])));
    assert_int_equal(s->formulation->rates(&s->system, s->out_time, s->out_y, s->ydot), CLV_OK);
    assert_true(fabs(s->ydot[s->plan->nq] - t->udot[0]) > 1e-6);
    clv_sim_destroy(s), clv_sim_destroy(t), clv_model_destroy(m), clv_model_destroy(n);
}

/* Looks between steps, of every kind, change no bit of the motion. */
static void looking_changes_nothing(void **state)
{
    static const char *const example[] = {"chain", "hdca-case2", "andrews", "flex-arm", "governor"};
    static const char *const formulation[] = {"hdca", "dca"};
    (void)state;
    for (size_t i = 0; i < 10; i++) {
        clv_model *m, *n;
        clv_sim *s = open_run(&m, example[i / 2], formulation[i % 2]), *t = open_run(&n, example[i / 2],
                                                                                      formulation[i % 2]);
        for (int k = 0; k < 12; k++) {
            const double end = step(s);
            assert_int_equal(clv_sim_advance(s, end), CLV_OK);
            if (k % 3 > 0)
                assert_int_equal(clv_sim_react(s), CLV_OK);
            if (k % 3 > 1)
                assert_int_equal(clv_sim_evaluate(s), CLV_OK);
            assert_true(step(t) == end);
            assert_memory_equal(s->integrator.y, t->integrator.y, (size_t)s->n * sizeof(double));
        }
        clv_sim_destroy(s), clv_sim_destroy(t), clv_model_destroy(m), clv_model_destroy(n);
    }
}

/* Momenta and what is unique come with the whole evaluation, also after reactions alone. */
static void details_come_later(void **state)
{
    (void)state;
    clv_model *m;
    clv_sim *s = open_run(&m, "four-bar-ladder", "hdca");
    clv_joint_result a, b;
    assert_int_equal(clv_sim_react(s), CLV_OK);
    assert_false(s->detailed);
    clv_sim_reaction(s, 1, &a);
    assert_int_equal(clv_sim_joint(s, 1, &b), CLV_OK);
    assert_true(s->detailed);
    assert_memory_equal(a.force, b.force, sizeof a.force);
    assert_false(b.unique[2]); /* planar, and redundant across the plane */
    assert_true(b.p[0] != 0);
    clv_sim_destroy(s), clv_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(outputs_use_the_evaluation_of_the_step),
                                       cmocka_unit_test(outputs_follow_the_output_state),
                                       cmocka_unit_test(a_state_is_evaluated_once),
                                       cmocka_unit_test(stabilization_is_not_shown),
                                       cmocka_unit_test(looking_changes_nothing),
                                       cmocka_unit_test(details_come_later)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
