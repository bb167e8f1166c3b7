/* SPDX-License-Identifier: Apache-2.0
 * Variational integrators (T34): order; output between steps; steps back undo steps; what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "simulation/mechanisms.h"

/* ------------------------------------------------------------------ order */

/* largest difference of places, velocities and work at time t */
static double apart(const rig *a, const rig *b)
{
    double most = 0, e[3], f[3];
    const int n = clv_model_body_count(a->model);
    for (int i = 0; i < 3 * n; i++)
        most = fmax(most, fabs(clv_sim_position(a->s)[i] - clv_sim_position(b->s)[i]));
    for (int i = 0; i < 6 * n; i++)
        most = fmax(most, fabs(clv_sim_velocity(a->s)[i] - clv_sim_velocity(b->s)[i]));
    clv_sim_energy(a->s, e, e + 1, e + 2), clv_sim_energy(b->s, f, f + 1, f + 2);
    return fmax(most, fabs(e[2] - f[2]));
}

static void error_falls_with_the_order(void **state)
{
    (void)state;
    const double end = 0.64;
    for (int i = 0; i < SUBJECTS; i++) {
        rig truth;
        open_rig(&truth, &subjects[i], "dop853", 0);
        advance(&truth, end);
        for (int k = 0; k < RULES; k++) {
            double error[2];
            for (int half = 0; half < 2; half++) {
                rig r;
                open_rig(&r, &subjects[i], rules[k], subjects[i].coarse[k] / (half ? 4 : 2));
                advance(&r, end);
                error[half] = apart(&r, &truth);
                close_rig(&r);
            }
            const double order = log2(error[0] / error[1]);
            print_message("%-12s %-9s %.2e %.2e order %.3f\n", subjects[i].name, rules[k], error[0], error[1], order);
            if (!(fabs(order - 2 * (k + 1)) < 0.1))
                fail_msg("%s by %s: order %.3f (errors %.2e, %.2e)", subjects[i].name, rules[k], order, error[0],
                         error[1]);
        }
        close_rig(&truth);
    }
}

/* outputs between steps have the order of the steps */
static void outputs_between_steps_are_steps(void **state)
{
    (void)state;
    for (int i = 0; i < SUBJECTS; i++)
        for (int k = 0; k < RULES; k++) {
            rig a, b;
            const double h = subjects[i].coarse[k] / 4, between = 10.37 * h;
            open_rig(&a, &subjects[i], rules[k], h), open_rig(&b, &subjects[i], "dop853", 0);
            assert_int_equal(clv_sim_advance(a.s, between), CLV_OK);
            const double shown = fabs(clv_sim_time(a.s) - between);
            advance(&b, between);
            const double error = apart(&a, &b);
            assert_int_equal(clv_sim_advance(a.s, 11 * h), CLV_OK);
            close_rig(&b);
            open_rig(&b, &subjects[i], "dop853", 0);
            advance(&b, 11 * h);
            const double at_step = apart(&a, &b);
            if (!(shown == 0 && error < 3 * at_step + 1e-11))
                fail_msg("%s by %s: %.2e between, %.2e at the step", subjects[i].name, rules[k], error, at_step);
            close_rig(&a), close_rig(&b);
        }
}

/* ------------------------------------------------------------------ there and back */

static void a_step_back_undoes_a_step(void **state)
{
    (void)state;
    for (int i = 0; i < SUBJECTS; i++)
        for (int k = 0; k < RULES; k++) {
            rig r;
            double start[64];
            open_rig(&r, &subjects[i], rules[k], subjects[i].coarse[1] / 2);
            clv_integrator *in = &r.s->integrator;
            memcpy(start, in->y, (size_t)r.s->n * sizeof *start);
            const double end = 0.4;
            advance(&r, end);
            assert_int_equal(clv_integrator_restart(in, in->t, in->y), CLV_OK);
            in->options.direction_end = 0;
            while (in->t > 0)
                assert_int_equal(clv_integrator_step(in), CLV_OK);
            double most = 0;
            for (int c = 0; c < r.s->n; c++)
                most = fmax(most, fabs(in->y[c] - start[c]));
            print_message("%-12s %-9s comes back to %.1e\n", subjects[i].name, rules[k], most);
            if (!(most < 1e-11))
                fail_msg("%s by %s: misses its start by %.1e", subjects[i].name, rules[k], most);
            close_rig(&r);
        }
}

/* ------------------------------------------------------------------ refusals */

static void says(const char *formulation, const char *integrator, double step, clv_status code, const char *what)
{
    rig r;
    clv_sim_options o = clv_sim_options_default();
    o.formulation = formulation, o.integrator = integrator, o.step = step;
    assert_int_equal(clv_example_create(&r.model, "hdca-case1", NULL, 0), CLV_OK);
    assert_int_equal(clv_sim_create(&r.s, r.model, &o), code);
    assert_non_null(strstr(clv_sim_error(r.s)->message, what));
    close_rig(&r);
}

static void what_makes_no_sense_is_refused(void **state)
{
    (void)state;
    for (int k = 0; k < RULES; k++) {
        says("dca", rules[k], 0.01, CLV_ERR_USAGE, "works on momenta; formulation 'dca' has none");
        says("massmatrix", rules[k], 0.01, CLV_ERR_USAGE, "works on momenta");
        says("hdca", rules[k], 0, CLV_ERR_USAGE, "give a step size");
    }
}

static void a_step_too_long_ends_the_run_by_name(void **state)
{
    (void)state;
    for (int k = 0; k < RULES; k++) {
        rig r;
        open_rig(&r, &subjects[2], rules[k], 0.4);
        const clv_status st = clv_sim_advance(r.s, 20);
        assert_int_equal(st, CLV_ERR_STEP_SIZE);
        assert_non_null(strstr(clv_sim_error(r.s)->message, rules[k]));
        assert_non_null(strstr(clv_sim_error(r.s)->message, "did not converge"));
        assert_true(clv_sim_error(r.s)->time == clv_sim_time(r.s));
        close_rig(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(error_falls_with_the_order),
        cmocka_unit_test(outputs_between_steps_are_steps),
        cmocka_unit_test(a_step_back_undoes_a_step),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(a_step_too_long_ends_the_run_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
