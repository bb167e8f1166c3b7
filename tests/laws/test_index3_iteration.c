/* SPDX-License-Identifier: Apache-2.0
 * The iteration of index3 (T27): singular positions, iterations by penalty, small steps, projections. */
#include "index3.h"

/* ---------------------------------------------------------------- singular positions */

/* The ladder as one rod: ((N+1)/3 + N) th'' = -g ((N+1)/2 + N) cos th, th(0) = pi/2, th'(0) = -1; RK4 in long double.
 */
static double rod_angle(int windows, double T)
{
    const long double N = windows, k = -9.81L * ((N + 1) / 2 + N) / ((N + 1) / 3 + N), h = T / 200000.0L;
    long double th = acosl(-1) / 2, w = -1;
    for (int i = 0; i < 200000; i++) {
        long double a1 = k * cosl(th), v1 = w, a2 = k * cosl(th + h / 2 * v1), v2 = w + h / 2 * a1;
        long double a3 = k * cosl(th + h / 2 * v2), v3 = w + h / 2 * a2, a4 = k * cosl(th + h * v3), v4 = w + h * a3;
        th += h / 6 * (v1 + 2 * v2 + 2 * v3 + v4), w += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    }
    return (double)th;
}

/* ten seconds through the flat position, where the branch could change; the 2011 paper's h, and a tenth of it */
static void ladders_pass_singular_positions(void **state)
{
    (void)state;
    for (int windows = 1; windows <= 2; windows++)
        for (int kind = 0; kind < 3; kind++) {
            const double alpha[] = {NAN, NAN, 1e7}, h[] = {0.01, 0.001, 0.01};
            char parameter[24];
            snprintf(parameter, sizeof parameter, "windows=%d", windows);
            clv_model *m = example("four-bar-ladder", parameter);
            clv_sim_options o = index3(h[kind]);
            o.alpha = alpha[kind], o.iterations = isnan(alpha[kind]) ? 0 : 50,
            o.eps_p = isnan(alpha[kind]) ? NAN : 1e-8;
            clv_sim *s = open_sim(m, &o);
            if (clv_sim_advance(s, 10) != CLV_OK)
                fail_msg("%s", clv_sim_error(s)->message);
            clv_sim_report r;
            clv_sim_summary(s, &r);
            const double *x = clv_sim_position(s), th = rod_angle(windows, 10); /* body 0: an upright of 1 m */
            const double miss = hypot(2 * x[0] - cos(th), 2 * x[1] - sin(th));
            printf("  ladder of %d, h %g, alpha %g: %.1e m off after 10 s, %.2f iterations (%d), gap %.1e, drift %.1e "
                   "J, %ld "
                   "truncated\n",
                   windows, h[kind], alpha[kind], miss, (double)r.iterations / (double)r.steps, r.max_iterations,
                   r.max_position_violation, r.max_energy_drift, r.truncated_evaluations);
            assert_true(miss < (h[kind] < 0.005 ? 5e-4 : 3e-2));
            clv_sim_destroy(s), clv_model_destroy(m);
        }
}

/* eight folds in ten seconds; against aldca, which needs no rank, at 1e-11 */
static void the_five_bar_folds(void **state)
{
    clv_model *m = example("five-bar", NULL);
    clv_sim_options tight = clv_sim_options_default();
    double miss[3];
    (void)state;
    tight.formulation = "aldca", tight.rtol = 1e-11;
    clv_sim *exact = open_sim(m, &tight);
    assert_int_equal(clv_sim_advance(exact, 10), CLV_OK);
    for (int k = 0; k < 3; k++) {
        clv_sim_options o = index3(k == 1 ? 1e-3 : 1e-2);
        if (k == 2)
            o.alpha = 1e7, o.eps_p = 1e-8, o.iterations = 50;
        clv_sim *s = open_sim(m, &o);
        clv_sim_report r;
        assert_int_equal(clv_sim_advance(s, 10), CLV_OK);
        clv_sim_summary(s, &r);
        miss[k] = apart(s, exact);
        printf("  five-bar, h %g, alpha %g: %.1e off after 10 s, %.2f iterations (%d), gap %.1e, drift %.1e J, %ld "
               "truncated\n",
               o.step, o.alpha, miss[k], (double)r.iterations / (double)r.steps, r.max_iterations,
               r.max_position_violation, r.max_energy_drift, r.truncated_evaluations);
        clv_sim_destroy(s);
    }
    assert_true(miss[0] < 2e-2 && miss[1] < 2e-4 && miss[2] < 2e-2);
    clv_sim_destroy(exact), clv_model_destroy(m);
}

/* ---------------------------------------------------------------- penalty */

/* alpha h^2 / 4 = 100 down to steps of 1e-5 s (alpha 4e12): errors keep falling like h^2 to 1e-13 m */
static void small_steps_lose_no_digits(void **state)
{
    clv_model *m = example("sine-chain-16", NULL);
    clv_sim_options tight = clv_sim_options_default();
    double miss[2];
    (void)state;
    tight.formulation = "dca", tight.integrator = "dop853", tight.rtol = 1e-13;
    clv_sim *exact = open_sim(m, &tight);
    assert_int_equal(clv_sim_advance(exact, 0.05), CLV_OK);
    for (int k = 0; k < 2; k++) {
        const double h = k ? 1e-5 : 1e-4;
        clv_sim_options o = index3(h);
        o.alpha = 400 / (h * h);
        clv_sim *s = open_sim(m, &o);
        assert_int_equal(clv_sim_advance(s, 0.05), CLV_OK);
        miss[k] = apart(s, exact);
        clv_sim_destroy(s);
    }
    printf("  alpha 400/h^2: %.1e off at h = 1e-4, %.1e at 1e-5: small steps keep a factor of %.0f\n", miss[0], miss[1],
           miss[0] / miss[1]);
    assert_true(miss[0] / miss[1] > 50);
    clv_sim_destroy(exact), clv_model_destroy(m);
}

/* Iterations of the 16-link chain, h = 0.01, |dx| < 1e-6, 2 s.  The prototype needs 46.6, 18.6, 5.7, 2.7 and 4.7 warm
 * with |e| = 1 by the same penalty, and 16.36, 5.29, 2.71 and 3.52 warm with |e| = 1 exact, which is what twists do
 * (T25). */
static void iterations_follow_the_penalty(void **state)
{
    static const struct {
        double alpha;
        bool warm;
        double mean;
    } row[] = {{1e5, false, 45.75}, {1e6, false, 16.36}, {1e7, false, 5.29}, {1e7, true, 3.54}, {1e9, false, 2.71}};
    clv_model *m = example("sine-chain-16", NULL);
    double gap = INFINITY;
    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        clv_sim_options o = index3(0.01);
        clv_sim_report r;
        o.alpha = row[i].alpha, o.warm = row[i].warm, o.eps_p = 1e-6, o.iterations = 50;
        clv_sim *s = open_sim(m, &o);
        assert_int_equal(clv_sim_advance(s, 2), CLV_OK);
        clv_sim_summary(s, &r);
        const double mean = (double)r.iterations / (double)r.steps;
        printf("  alpha %.0e%s: %.2f iterations in the mean, %d at most; errors %.1e %.1e %.1e\n", row[i].alpha,
               row[i].warm ? " warm" : "", mean, r.max_iterations, r.max_position_violation, r.max_velocity_violation,
               r.max_acceleration_violation);
        CLV_NEAR(mean, row[i].mean, 0.03 * row[i].mean);
        if (!row[i].warm) /* a stiffer penalty leaves less of the velocity and acceleration errors */
            assert_true(r.max_acceleration_violation < gap), gap = r.max_acceleration_violation;
        clv_sim_destroy(s);
    }
    clv_model_destroy(m);
}

/* passes of the projections bring the errors of one pass down */
static void more_projections_leave_less(void **state)
{
    clv_model *m = example("sine-chain-16", NULL);
    double last = INFINITY;
    (void)state;
    for (int passes = 1; passes <= 4; passes *= 2) {
        clv_sim_options o = index3(0.01);
        clv_sim_report r;
        o.alpha = 1e7, o.eps_p = 1e-6, o.iterations = 50, o.projections = passes;
        clv_sim *s = open_sim(m, &o);
        assert_int_equal(clv_sim_advance(s, 0.5), CLV_OK);
        clv_sim_summary(s, &r);
        assert_true(r.max_acceleration_violation < 0.2 * last);
        last = r.max_acceleration_violation;
        clv_sim_destroy(s);
    }
    clv_model_destroy(m);
}

/* (23): without the predictor an iteration starts where the last step ended, and the same chain takes more of them to
 * the same motion. */
static void the_predictor_saves_iterations(void **state)
{
    (void)state;
    static const double alpha[] = {1e7, NAN};
    clv_model *m = example("sine-chain-16", NULL);
    for (int k = 0; k < 2; k++) {
        double mean[2];
        clv_sim *s[2];
        for (int still = 0; still < 2; still++) {
            clv_sim_options o = index3(0.01);
            clv_sim_report r;
            o.alpha = alpha[k], o.eps_p = 1e-6, o.iterations = 50, o.no_predictor = still;
            s[still] = open_sim(m, &o);
            assert_int_equal(clv_sim_advance(s[still], 2), CLV_OK);
            clv_sim_summary(s[still], &r);
            assert_int_equal(r.missed_steps, 0);
            mean[still] = (double)r.iterations / (double)r.steps;
        }
        printf("  alpha %g: %.2f iterations with predictor, %.2f without, %.1e apart\n", alpha[k], mean[0], mean[1],
               apart(s[0], s[1]));
        assert_true(mean[1] > mean[0] + 0.5 && apart(s[0], s[1]) < 1e-4);
        clv_sim_destroy(s[0]), clv_sim_destroy(s[1]);
    }
    clv_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ladders_pass_singular_positions), cmocka_unit_test(the_five_bar_folds),
        cmocka_unit_test(small_steps_lose_no_digits),      cmocka_unit_test(iterations_follow_the_penalty),
        cmocka_unit_test(more_projections_leave_less),     cmocka_unit_test(the_predictor_saves_iterations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
