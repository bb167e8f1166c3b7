/* SPDX-License-Identifier: Apache-2.0
 * Section 3 of the 2017 HDCA paper as laws: its three closed examples for 10 s at tolerance 1e-6.  Velocity constraints
 * hold to rounding in every setting, loops stay closed, gaps without projection are no larger than the integration
 * error, DCA without stabilisation drifts, the motion stays its own mirror image as far as it is integrated rightly.
 * The numbers behind the limits: docs/hdca-study.md. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include "laws/hdca_cases.h"
#include "near.h"

enum { SAMPLES = 20 };
static const double END = 10; /* s */

static clv_model *open_model(const hdca_case *c)
{
    clv_model *m;
    assert_int_equal(clv_example_create(&m, c->example, NULL, 0), CLV_OK);
    return m;
}

typedef struct way {
    const char *formulation, *integrator;
    int project, regauge;
} way;

static clv_sim *open_sim(const clv_model *m, const way *w, double rtol)
{
    clv_sim *s;
    clv_sim_options o = clv_sim_options_default();
    o.formulation = w->formulation, o.integrator = w->integrator, o.rtol = rtol;
    o.project = w->project, o.regauge = w->regauge;
    if (clv_sim_create(&s, m, &o) != CLV_OK)
        fail_msg("%s", clv_sim_error(s)->message);
    return s;
}

/* to the i-th sample, with a step that ends there */
static void advance(clv_sim *s, int i)
{
    double t = END * i / SAMPLES;
    assert_int_equal(clv_sim_set_end(s, t), CLV_OK);
    if (clv_sim_advance(s, t) != CLV_OK)
        fail_msg("%s", clv_sim_error(s)->message);
}

/* Centres of mass of a run that may judge the others: SAMPLES x 8 x 3; and K. */
typedef struct truth {
    double com[SAMPLES + 1][3 * HDCA_BODIES], K[SAMPLES + 1][6];
} truth;

static truth *tight(const clv_model *m, const hdca_case *c)
{
    static const way best = {"hdca", "dop853", 1, 1};
    truth *x = calloc(1, sizeof *x);
    assert_non_null(x);
    clv_sim *s = open_sim(m, &best, 1e-12);
    for (int i = 1; i <= SAMPLES; i++) {
        advance(s, i);
        memcpy(x->com[i], clv_sim_position(s), 3 * (size_t)c->bodies * sizeof(double));
        memcpy(x->K[i], clv_sim_marker(s), sizeof x->K[i]);
    }
    clv_sim_destroy(s);
    return x;
}

static double error_at(const clv_sim *s, const hdca_case *c, const truth *x, int i)
{
    double most = 0;
    for (int k = 0; k < 3 * c->bodies; k++)
        most = fmax(most, fabs(clv_sim_position(s)[k] - x->com[i][k]));
    return most;
}

/* ---------------------------------------------------------------- constraints */

static void velocity_constraints_hold_to_rounding(void **state)
{
    (void)state;
    static const way ways[] = {{"hdca", "dopri5", 1, 1}, {"hdca", "dopri5", 0, 1}, {"hdca", "dopri5", 1, 0},
                               {"hdca", "dopri5", 0, 0}, {"hdca", "adams", 1, 1},  {"hdca", "adams", 0, 0},
                               {"hdca", "bs23", 1, 1}};
    for (int k = 0; k < HDCA_CASES; k++) {
        clv_model *m = open_model(&HDCA_CASE[k]);
        for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
            clv_sim *s = open_sim(m, &ways[w], 1e-6);
            clv_sim_report r;
            double speed = 1;
            for (int i = 1; i <= SAMPLES; i++) {
                advance(s, i);
                speed = fmax(speed, hdca_speed(s, HDCA_CASE[k].bodies));
            }
            clv_sim_summary(s, &r);
            assert_int_equal(r.truncated_evaluations, 0);
            CLV_NEAR(r.max_velocity_violation_full, 0, 1e-12 * speed);
            CLV_NEAR(r.max_velocity_violation, r.max_velocity_violation_full, 0);
            clv_sim_destroy(s);
        }
        clv_model_destroy(m);
    }
}

/* measured from the poses and velocities of the bodies, not by the constraint rows */
static void loops_stay_closed_by_default(void **state)
{
    (void)state;
    static const way ways[] = {{"hdca", "dopri5", 1, 1}, {"hdca", "adams", 1, 1}, {"dca", "dopri5", 1, 1}};
    for (int k = 0; k < HDCA_CASES; k++) {
        const hdca_case *c = &HDCA_CASE[k];
        clv_model *m = open_model(c);
        for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
            clv_sim *s = open_sim(m, &ways[w], 1e-6);
            clv_sim_report r;
            for (int i = 1; i <= SAMPLES; i++) {
                double position, velocity;
                advance(s, i);
                hdca_gaps(s, m, &position, &velocity);
                CLV_NEAR(position, 0, 1e-12 * c->across);
                CLV_NEAR(velocity, 0, 1e-12 * fmax(1, hdca_speed(s, c->bodies)));
            }
            clv_sim_summary(s, &r);
            CLV_NEAR(r.max_position_violation, 0, 1e-12 * c->across);
            clv_sim_destroy(s);
        }
        clv_model_destroy(m);
    }
}

static void gaps_without_projection_are_integration_error(void **state)
{
    (void)state;
    static const way ways[] = {
        {"hdca", "dopri5", 0, 1}, {"hdca", "dopri5", 0, 0}, {"hdca", "adams", 0, 1}, {"hdca", "adams", 0, 0}};
    for (int k = 0; k < HDCA_CASES; k++) {
        clv_model *m = open_model(&HDCA_CASE[k]);
        truth *x = tight(m, &HDCA_CASE[k]);
        for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
            clv_sim *s = open_sim(m, &ways[w], 1e-6);
            double gap = 0, error = 0, position, velocity;
            for (int i = 1; i <= SAMPLES; i++) {
                advance(s, i);
                hdca_gaps(s, m, &position, &velocity);
                gap = fmax(gap, position), error = fmax(error, error_at(s, &HDCA_CASE[k], x, i));
            }
            CLV_NEAR(error, 0, 1e-3);
            CLV_NEAR(gap, 0, 10 * error);
            clv_sim_destroy(s);
        }
        free(x);
        clv_model_destroy(m);
    }
}

/* figures 8 and 9: what acceleration-level constraints do when left alone */
static void dca_drifts_where_hdca_does_not(void **state)
{
    (void)state;
    static const way dca = {"dca", "dopri5", 0, 0}, hdca = {"hdca", "dopri5", 0, 0};
    for (int k = 0; k < HDCA_CASES; k++) {
        clv_model *m = open_model(&HDCA_CASE[k]);
        clv_sim_report d, h;
        clv_sim *s = open_sim(m, &dca, 1e-6), *t = open_sim(m, &hdca, 1e-6);
        advance(s, SAMPLES), advance(t, SAMPLES);
        clv_sim_summary(s, &d), clv_sim_summary(t, &h);
        assert_true(d.max_velocity_violation > 1e-7);
        assert_true(d.max_velocity_violation > 1e6 * h.max_velocity_violation);
        assert_true(d.max_position_violation > 4 * h.max_position_violation);
        clv_sim_destroy(s), clv_sim_destroy(t);
        clv_model_destroy(m);
    }
}

/* ---------------------------------------------------------------- motion */

static void marker_K_moves_as_in_a_tight_run(void **state)
{
    (void)state;
    static const way defaults = {"hdca", "dopri5", 1, 1};
    clv_model *m = open_model(&HDCA_CASE[0]);
    truth *x = tight(m, &HDCA_CASE[0]);
    clv_sim *s = open_sim(m, &defaults, 1e-6);
    for (int i = 1; i <= SAMPLES; i++) {
        advance(s, i);
        CLV_NEAR(x->K[i][0], 1, 1e-11); /* on the mirror */
        CLV_NEAR(x->K[i][3], 0, 1e-10);
        CLV_NEAR(clv_sim_marker(s)[1], x->K[i][1], 1e-5);
        CLV_NEAR(clv_sim_marker(s)[4], x->K[i][4], 1e-4);
    }
    clv_sim_destroy(s);
    free(x);
    clv_model_destroy(m);
}

static double most_asymmetry(const clv_model *m, const hdca_case *c, const way *w, double rtol)
{
    clv_sim *s = open_sim(m, w, rtol);
    double most = 0;
    for (int i = 1; i <= SAMPLES; i++) {
        advance(s, i);
        most = fmax(most, hdca_asymmetry(s, c));
    }
    clv_sim_destroy(s);
    return most;
}

/* Neither body of a cut is preferred and the forces there act along global axes, so the mirror image is integrated
 * alike: only rounding is left, which case 3 amplifies. */
static void symmetry_is_kept_to_rounding(void **state)
{
    (void)state;
    static const way ways[] = {{"hdca", "dopri5", 1, 1}, {"hdca", "dopri5", 0, 0}, {"dca", "dopri5", 1, 1}};
    for (int k = 0; k < HDCA_CASES; k++) {
        clv_model *m = open_model(&HDCA_CASE[k]);
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
            CLV_NEAR(most_asymmetry(m, &HDCA_CASE[k], &ways[i], 1e-6), 0, 1e-9);
        clv_model_destroy(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(velocity_constraints_hold_to_rounding),
        cmocka_unit_test(loops_stay_closed_by_default),
        cmocka_unit_test(gaps_without_projection_are_integration_error),
        cmocka_unit_test(dca_drifts_where_hdca_does_not),
        cmocka_unit_test(marker_K_moves_as_in_a_tight_run),
        cmocka_unit_test(symmetry_is_kept_to_rounding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
