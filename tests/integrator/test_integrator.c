/* SPDX-License-Identifier: Apache-2.0
 * Runge-Kutta methods and what all integrators share: orders, dense output, tolerance, failures, hooks, saving. */
#include "problems.h"
#include "integrator/tableaus.h"

#include <stdlib.h>

static const clv_ode coupled = {.n = 4, .rates = coupled_rates, .scale = ones};
static const clv_ode kepler = {.n = 4, .rates = kepler_rates, .scale = ones};

static clv_integrator_options fixed(double step, double end)
{
    return (clv_integrator_options){.rtol = 1e-6, .atol = 1e-6, .step = step, .direction_end = end};
}

static clv_integrator_options adaptive(double tol, double end)
{
    return (clv_integrator_options){.rtol = tol, .atol = tol, .direction_end = end};
}

/* ------------------------------------------------------------------ tableaus */

/* Row sums equal nodes; quadrature conditions; the estimate sums to zero. */
static void order_conditions_of_the_tableaus(void **state)
{
    const clv_tableau *all[] = {&clv_tableau_rk4, &clv_tableau_bs23, &clv_tableau_dopri5, &clv_tableau_dop853};
    const int order[] = {4, 3, 5, 8}, embedded[] = {0, 2, 4, 5};
    (void)state;
    for (int m = 0; m < 4; m++) {
        const clv_tableau *rk = all[m];
        assert_true(rk->columns <= CLV_RK_COLUMNS);
        for (int i = 0; i < rk->columns; i++) {
            double sum = 0;
            for (int j = 0; j < rk->columns; j++) {
                assert_true(j < i || rk->a[i * rk->columns + j] == 0.0);
                sum += rk->a[i * rk->columns + j];
            }
            if (!(rk->end && i == rk->stages))
                CLV_NEAR(sum, rk->c[i], 1e-14);
        }
        for (int q = 0; q < order[m]; q++) {
            double sum = 0, zero = 0, zero3 = 0;
            for (int i = 0; i < rk->columns; i++) {
                sum += rk->b[i] * pow(rk->c[i], q);
                zero += rk->e ? rk->e[i] * pow(rk->c[i], q) : 0.0;
                zero3 += rk->e3 ? rk->e3[i] * pow(rk->c[i], q) : 0.0;
            }
            CLV_NEAR(sum, 1.0 / (q + 1), 1e-14);
            if (q < embedded[m])
                CLV_NEAR(zero, 0.0, 1e-14);
            if (q < 3)
                CLV_NEAR(zero3, 0.0, 1e-14);
        }
    }
}

/* ------------------------------------------------------------------ orders */

static double coupled_error(const char *name, int steps, double end, double *dense_error, long *evaluations)
{
    rig r;
    double y[NMAX], exact[NMAX];
    const clv_integrator_options o = fixed(end / steps, end);
    rig_open(&r, name, 4);
    coupled_exact(0, y);
    assert_int_equal(clv_integrator_begin(&r.s, &coupled, &o, 0, y), CLV_OK);
    *dense_error = 0;
    while (r.s.t != end) {
        assert_int_equal(clv_integrator_step(&r.s), CLV_OK);
        for (int i = 1; i < 8; i++) {
            const double t = r.s.t_old + (r.s.t - r.s.t_old) * i / 8;
            clv_integrator_dense(&r.s, t, y);
            coupled_exact(t, exact);
            *dense_error = fmax(*dense_error, distance(y, exact, 4));
        }
    }
    assert_int_equal(r.s.stats.steps, steps);
    assert_int_equal(r.s.stats.rejected, 0);
    *evaluations = r.s.stats.evaluations;
    coupled_exact(end, exact);
    const double e = distance(r.s.y, exact, 4);
    rig_close(&r);
    return e;
}

static void observed_order_at_fixed_step(void **state)
{
    static const struct {
        const char *name;
        int steps, per_step;
        double order, dense_order;
    } row[] = {{"rk4", 200, 4, 4, 4}, {"bs23", 400, 3, 3, 3}, {"dopri5", 100, 6, 5, 5}, {"dop853", 24, 15, 8, 8}};
    (void)state;
    for (int m = 0; m < 4; m++) {
        double dense1, dense2;
        long count1, count2;
        const double e1 = coupled_error(row[m].name, row[m].steps, 1.5, &dense1, &count1);
        const double e2 = coupled_error(row[m].name, 2 * row[m].steps, 1.5, &dense2, &count2);
        print_message("%-7s order %.2f (error %.1e), dense output %.2f (%.1e), evaluations %ld\n", row[m].name,
                      log2(e1 / e2), e2, log2(dense1 / dense2), dense2, count1);
        assert_true(log2(e1 / e2) > row[m].order - 0.35);
        assert_true(log2(dense1 / dense2) > row[m].dense_order - 0.4);
        assert_int_equal(count2 - count1, row[m].steps * row[m].per_step);
    }
}

/* Inside one step, error against the step itself: local order of the interpolant alone. */
static void observed_order_of_dense_output(void **state)
{
    static const struct {
        const char *name;
        double h, local_order;
    } row[] = {{"rk4", 0.1, 4}, {"bs23", 0.1, 4}, {"dopri5", 0.1, 5}, {"dop853", 0.2, 8}};
    (void)state;
    for (int m = 0; m < 4; m++) {
        double e[2] = {0, 0};
        for (int half = 0; half < 2; half++) {
            rig r;
            double y[NMAX], exact[NMAX];
            const double h = half ? row[m].h / 2 : row[m].h;
            const clv_integrator_options o = fixed(h, NAN);
            rig_open(&r, row[m].name, 4);
            kepler_exact(0.7, y);
            assert_int_equal(clv_integrator_begin(&r.s, &kepler, &o, 0.7, y), CLV_OK);
            assert_int_equal(clv_integrator_step(&r.s), CLV_OK);
            for (int i = 1; i < 64; i++) {
                const double t = 0.7 + h * i / 64;
                clv_integrator_dense(&r.s, t, y);
                kepler_exact(t, exact);
                e[half] = fmax(e[half], distance(y, exact, 4));
            }
            clv_integrator_dense(&r.s, r.s.t - 1e-13, y); /* continuous at the end */
            assert_true(distance(y, r.s.y, 4) < 1e-12);
            rig_close(&r);
        }
        print_message("%-7s local order of dense output %.2f (error %.1e)\n", row[m].name, log2(e[0] / e[1]), e[1]);
        assert_true(log2(e[0] / e[1]) > row[m].local_order - 0.5);
    }
}

/* ------------------------------------------------------------------ adaptive */

static void error_follows_the_tolerance(void **state)
{
    static const char *const name[] = {"bs23", "dopri5", "dop853"};
    (void)state;
    for (int m = 0; m < 3; m++)
        for (int i = m == 0 ? 3 : 4; i <= (m == 0 ? 8 : 11); i++) {
            rig r;
            double y[NMAX], exact[NMAX], worst = 0;
            const double tol = pow(10, -i), end = 6.283185307179586;
            const clv_integrator_options o = adaptive(tol, end);
            rig_open(&r, name[m], 4);
            kepler_exact(0, y);
            assert_int_equal(clv_integrator_begin(&r.s, &kepler, &o, 0, y), CLV_OK);
            while (r.s.t != end) {
                assert_int_equal(clv_integrator_step(&r.s), CLV_OK);
                for (int j = 1; j < 4; j++) {
                    const double t = r.s.t_old + (r.s.t - r.s.t_old) * j / 4;
                    clv_integrator_dense(&r.s, t, y);
                    kepler_exact(t, exact);
                    worst = fmax(worst, distance(y, exact, 4));
                }
            }
            kepler_exact(end, exact);
            const double e = distance(r.s.y, exact, 4);
            print_message("%-7s tol %.0e: error %.1e, dense %.1e, steps %ld + %ld, evaluations %ld\n", name[m], tol, e,
                          worst, r.s.stats.steps, r.s.stats.rejected, r.s.stats.evaluations);
            assert_true(e < 100 * tol && e > tol * 1e-4);
            assert_true(worst < 100 * tol);
            rig_close(&r);
        }
}

/* f(t, y) seen by an owner that counts. */
typedef struct counter {
    long rates, accepted;
    int changed;
    double from; /* rates are not a number beyond this time */
    clv_status beyond;
} counter;

static clv_status counted_rates(void *owner, double t, const double *y, double *f)
{
    counter *c = owner;
    c->rates++;
    if (t > c->from && c->beyond != CLV_OK)
        return c->beyond;
    f[0] = t > c->from ? NAN : y[1];
    f[1] = -y[0];
    return CLV_OK;
}

static clv_status counted_accepted(void *owner, double t, double *y, int *changed)
{
    counter *c = owner;
    (void)t, (void)y;
    c->accepted++;
    *changed = c->changed;
    return CLV_OK;
}

static void statistics_count_what_happened(void **state)
{
    /* per accepted step, per rejected step, at the start: first rates and Euler's step */
    static const struct {
        const char *name;
        long step, touched, rejected;
    } row[] = {{"bs23", 3, 4, 3}, {"dopri5", 6, 7, 6}, {"dop853", 12, 13, 11}, {"rk4", 4, 4, 0}};
    (void)state;
    for (int m = 0; m < 4; m++)
        for (int touch = 0; touch < 2; touch++) {
            rig r;
            counter c = {.from = INFINITY, .changed = touch};
            const clv_ode ode = {
                .n = 2, .owner = &c, .rates = counted_rates, .accepted = counted_accepted, .scale = ones};
            const double y[] = {1, 0};
            clv_integrator_options o = adaptive(1e-6, 10);
            o.first_step = 2; /* provokes rejections */
            o.step = m == 3 ? 0.1 : 0;
            rig_open(&r, row[m].name, 2);
            assert_int_equal(clv_integrator_begin(&r.s, &ode, &o, 0, y), CLV_OK);
            r.s.dense_from = INFINITY;
            assert_int_equal(run_to_end(&r.s), CLV_OK);
            const clv_integrator_stats *st = &r.s.stats;
            assert_int_equal(c.rates, st->evaluations);
            assert_int_equal(c.accepted, st->steps);
            assert_int_equal(st->evaluations, (m == 3 ? 0 : 1) + (touch || m == 3 ? st->steps * row[m].touched
                                                  : st->steps * row[m].step) + st->rejected * row[m].rejected
                                                  - (touch && m != 3 ? 1 : 0));
            assert_true(m == 3 || st->rejected > 0);
            CLV_NEAR(r.s.y[0], cos(10), 1e-4);
            CLV_NEAR(r.s.t_old + st->last_step, 10, 1e-14);
            rig_close(&r);
        }
}

static void a_step_of_dop853_without_output_costs_twelve(void **state)
{
    double answer[2][NMAX];
    (void)state;
    for (int wanted = 0; wanted < 2; wanted++) {
        rig r;
        double y[NMAX];
        const clv_integrator_options o = adaptive(1e-9, 3);
        rig_open(&r, "dop853", 4);
        kepler_exact(0, y);
        assert_int_equal(clv_integrator_begin(&r.s, &kepler, &o, 0, y), CLV_OK);
        r.s.dense_from = wanted ? 2.9999 : INFINITY;
        const long start = r.s.stats.evaluations;
        assert_int_equal(run_to_end(&r.s), CLV_OK);
        assert_int_equal(r.s.stats.evaluations - start, 12 * r.s.stats.steps + 11 * r.s.stats.rejected + 3 * wanted);
        memcpy(answer[wanted], r.s.y, sizeof y);
        rig_close(&r);
    }
    assert_memory_equal(answer[0], answer[1], 4 * sizeof(double));
}

static clv_status spinning_rates(void *owner, double t, const double *y, double *f)
{
    const double *speed = owner;
    (void)t;
    f[0] = *speed * y[1];
    f[1] = -*speed * y[0];
    return CLV_OK;
}

static void the_first_step_fits_the_problem(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) { /* the same motion in slow time, in fast time */
        static const double speeds[] = {1, 1e3, 1e-3};
        rig r;
        double speed = speeds[i];
        const double y[] = {1, 0};
        const clv_ode ode = {.n = 2, .owner = &speed, .rates = spinning_rates, .scale = ones};
        const clv_integrator_options o = adaptive(1e-6, 100 / speed);
        rig_open(&r, "dopri5", 2);
        assert_int_equal(clv_integrator_begin(&r.s, &ode, &o, 0, y), CLV_OK);
        const double h = speed * r.s.stats.next_step;
        assert_true(h > 1e-5 && h < 1.1);
        assert_int_equal(clv_integrator_step(&r.s), CLV_OK);
        assert_true(r.s.stats.rejected <= 2);
        rig_close(&r);
    }
}

/* ------------------------------------------------------------------ failures */

static clv_status square_rates(void *owner, double t, const double *y, double *f)
{
    (void)owner, (void)t;
    f[0] = y[0] * y[0];
    return CLV_OK;
}

/* Rows that make steps out of the rates of any problem (test_symplectic.c and test_embedded.c have the others); those
 * of this build; those that are ours from end to end, without bdf, which has tests of its own. */
static const clv_method *method_at(int m)
{
    for (int i = 0; clv_method_at(i); i++)
        if (clv_method_at(i)->asks == CLV_ASK_RATES && m-- == 0)
            return clv_method_at(i);
    return NULL;
}

static const clv_method *present_method(int m)
{
    return method_at(m) && !method_at(m)->absent ? method_at(m) : NULL;
}

static const clv_method *own_method(int m)
{
    return present_method(m) && !method_at(m)->sealed ? method_at(m) : NULL;
}

static void blow_up_ends_with_an_error(void **state)
{
    (void)state;
    for (int m = 0; present_method(m); m++) {
        rig r;
        const double y[] = {1};
        const clv_ode ode = {.n = 1, .rates = square_rates, .scale = ones};
        const clv_integrator_options o = adaptive(1e-6, 2);
        if (method_at(m)->fixed_only)
            continue;
        rig_open(&r, method_at(m)->name, 1);
        assert_int_equal(clv_integrator_begin(&r.s, &ode, &o, 0, y), CLV_OK);
        const clv_status st = run_to_end(&r.s);
        assert_true(st == CLV_ERR_STEP_SIZE || st == CLV_ERR_NOT_FINITE);
        CLV_NEAR(r.s.t, 1.0, 1e-4);
        assert_true(isfinite(r.s.y[0]) && r.s.y[0] > 1e4);
        assert_true(r.s.stats.evaluations < 20000);
        rig_close(&r);
    }
}

static void failing_rates_shrink_the_step_then_end_the_run(void **state)
{
    (void)state;
    for (int m = 0; present_method(m); m++)
        for (int kind = 0; kind < 2; kind++) {
            rig r;
            counter c = {.from = 1.0, .beyond = kind ? CLV_ERR_SINGULAR : CLV_OK};
            const double y[] = {1, 0};
            const clv_ode ode = {.n = 2, .owner = &c, .rates = counted_rates, .scale = ones};
            clv_integrator_options o = adaptive(1e-6, 2);
            const bool once = method_at(m)->fixed_only;
            o.step = once ? 0.3 : 0;
            rig_open(&r, method_at(m)->name, 2);
            assert_int_equal(clv_integrator_begin(&r.s, &ode, &o, 0, y), CLV_OK);
            assert_int_equal(run_to_end(&r.s), kind ? CLV_ERR_SINGULAR : CLV_ERR_NOT_FINITE);
            assert_true(r.s.t <= 1.0 && r.s.t > (once ? 0.89 : 1 - 1e-10));
            assert_true(r.s.failed_time > 1.0);
            CLV_NEAR(r.s.y[0], cos(r.s.t), 1e-4);
            assert_true(c.rates < 3000);
            double now[2];
            clv_integrator_dense(&r.s, r.s.t, now);
            assert_memory_equal(now, r.s.y, sizeof now);
            rig_close(&r);
        }
}

/* A fixed step below the rounding of the time leads nowhere: an error, not a run without end. */
static void steps_below_rounding_end_the_run(void **state)
{
    rig r;
    const double y[] = {1};
    const clv_ode ode = {.n = 1, .rates = square_rates, .scale = ones};
    const clv_integrator_options o = fixed(1e-12, NAN);
    (void)state;
    rig_open(&r, "rk4", 1);
    assert_int_equal(clv_integrator_begin(&r.s, &ode, &o, 1e6, y), CLV_OK);
    assert_int_equal(clv_integrator_step(&r.s), CLV_ERR_STEP_SIZE);
    rig_close(&r);
}

static void wrong_options_are_refused(void **state)
{
    rig r;
    const double y[] = {1}, bad[] = {NAN};
    const clv_ode ode = {.n = 1, .rates = square_rates, .scale = ones}, two = {.n = 2};
    clv_integrator_options o = adaptive(0, 1);
    (void)state;
    rig_open(&r, "dopri5", 1);
    assert_int_equal(clv_integrator_begin(&r.s, &ode, &o, 0, y), CLV_ERR_USAGE);
    o.rtol = NAN;
    assert_int_equal(clv_integrator_begin(&r.s, &ode, &o, 0, y), CLV_ERR_USAGE);
    o.rtol = 1e-3;
    assert_int_equal(clv_integrator_begin(&r.s, &two, &o, 0, y), CLV_ERR_USAGE);
    assert_int_equal(clv_integrator_begin(&r.s, &ode, &o, 0, bad), CLV_ERR_NOT_FINITE);
    assert_int_equal(clv_integrator_begin(&r.s, &ode, &o, 0, y), CLV_OK);
    rig_close(&r);
    rig_open(&r, "rk4", 1);
    assert_int_equal(clv_integrator_begin(&r.s, &ode, &o, 0, y), CLV_ERR_USAGE);
    rig_close(&r);
    assert_null(clv_method_find("euler"));
    assert_null(clv_method_find(NULL));
    assert_null(clv_method_at(-1));
}

/* ------------------------------------------------------------------ hooks */

/* Harmonic motion put back on its circle after every step; dense output does not see it. */
static clv_status onto_the_circle(void *owner, double t, double *y, int *changed)
{
    (void)t;
    const double r = sqrt(y[0] * y[0] + y[1] * y[1]);
    memcpy(owner, y, 2 * sizeof *y); /* before */
    y[0] /= r;
    y[1] /= r;
    *changed = 1;
    return CLV_OK;
}

static clv_status circle_rates(void *owner, double t, const double *y, double *f)
{
    (void)owner, (void)t;
    f[0] = y[1];
    f[1] = -y[0];
    return CLV_OK;
}

static void dense_output_uses_values_before_the_change(void **state)
{
    (void)state;
    for (int m = 0; own_method(m); m++) {
        rig r;
        double before[2], y[] = {1, 0};
        const clv_ode ode = {
            .n = 2, .owner = before, .rates = circle_rates, .accepted = onto_the_circle, .scale = ones};
        clv_integrator_options o = adaptive(1e-3, 20);
        const bool once = method_at(m)->fixed_only;
        o.step = once ? 0.25 : 0;
        rig_open(&r, method_at(m)->name, 2);
        assert_int_equal(clv_integrator_begin(&r.s, &ode, &o, 0, y), CLV_OK);
        while (r.s.t != 20) {
            assert_int_equal(clv_integrator_step(&r.s), CLV_OK);
            clv_integrator_dense(&r.s, r.s.t - 1e-12, y);
            assert_true(distance(y, before, 2) < 1e-11);
            clv_integrator_dense(&r.s, r.s.t, y);
            CLV_NEAR(y[0] * y[0] + y[1] * y[1], 1, 1e-15);
            clv_integrator_dense(&r.s, r.s.t_old + 1e-12, y);
            assert_true(distance(y, r.s.y_old, 2) < 1e-11);
        }
        CLV_NEAR(r.s.y[0], cos(20), 0.05);
        rig_close(&r);
    }
}

static clv_status refuses_large_steps(void *owner, double t, double *y, int *changed)
{
    double *last = owner;
    (void)y, (void)changed;
    if (t - *last > 0.01)
        return CLV_ERR_NO_CONVERGENCE;
    *last = t;
    return CLV_OK;
}

static void a_refused_state_is_tried_again_smaller(void **state)
{
    (void)state;
    for (int m = 0; own_method(m); m++) {
        rig r;
        double last = 0;
        const double y[] = {1, 0};
        const clv_ode ode = {
            .n = 2, .owner = &last, .rates = circle_rates, .accepted = refuses_large_steps, .scale = ones};
        const clv_integrator_options o = adaptive(1e-3, 1);
        if (method_at(m)->fixed_only)
            continue;
        rig_open(&r, method_at(m)->name, 2);
        assert_int_equal(clv_integrator_begin(&r.s, &ode, &o, 0, y), CLV_OK);
        assert_int_equal(run_to_end(&r.s), CLV_OK);
        assert_true(r.s.stats.rejected > 0 && r.s.stats.steps >= 100);
        CLV_NEAR(r.s.y[0], cos(1), 1e-4);
        rig_close(&r);
    }
}

/* ------------------------------------------------------------------ general */

/* Two circles, the second 50 times as fast. */
static clv_status two_circles_rates(void *owner, double t, const double *y, double *f)
{
    const int *n = owner;
    (void)t;
    for (int i = 0; i < *n; i += 2) {
        const double speed = i ? 50 : 1;
        f[i] = speed * y[i + 1];
        f[i + 1] = -speed * y[i];
    }
    return CLV_OK;
}

static void states_of_scale_zero_do_not_steer(void **state)
{
    (void)state;
    for (int m = 0; own_method(m); m++) {
        double y[2][NMAX];
        long steps[2];
        for (int alone = 0; alone < 2 && !method_at(m)->fixed_only; alone++) {
            rig r;
            int n = alone ? 2 : 4;
            const double start[] = {1, 0, 1, 0}, scale[] = {1, 1, 0, 0};
            const clv_ode ode = {.n = n, .owner = &n, .rates = two_circles_rates, .scale = scale};
            const clv_integrator_options o = adaptive(1e-7, 0.5);
            rig_open(&r, method_at(m)->name, n);
            assert_int_equal(clv_integrator_begin(&r.s, &ode, &o, 0, start), CLV_OK);
            assert_int_equal(run_to_end(&r.s), CLV_OK);
            steps[alone] = r.s.stats.steps;
            memcpy(y[alone], r.s.y, (size_t)n * sizeof *y[0]);
            rig_close(&r);
            assert_true(!alone || steps[0] == steps[1]);
            if (alone)
                assert_memory_equal(y[0], y[1], 2 * sizeof *y[0]);
        }
    }
}

static void time_may_run_backwards(void **state)
{
    (void)state;
    for (int m = 0; present_method(m); m++) {
        rig r;
        double y[NMAX], exact[NMAX];
        clv_integrator_options o = adaptive(1e-8, -2);
        o.step = method_at(m)->fixed_only ? 0.003 : 0;
        rig_open(&r, method_at(m)->name, 4);
        kepler_exact(1, y);
        assert_int_equal(clv_integrator_begin(&r.s, &kepler, &o, 1, y), CLV_OK);
        assert_int_equal(run_to_end(&r.s), CLV_OK);
        kepler_exact(-2, exact);
        assert_true(distance(r.s.y, exact, 4) < 1e-6);
        const double middle = 0.5 * (r.s.t + r.s.t_old);
        clv_integrator_dense(&r.s, middle, y);
        kepler_exact(middle, exact);
        assert_true(distance(y, exact, 4) < 1e-6);
        rig_close(&r);
    }
}

static void steps_respect_their_bounds(void **state)
{
    (void)state;
    for (int m = 0; present_method(m); m++) {
        rig r;
        double y[NMAX];
        clv_integrator_options o = adaptive(1e-3, 10);
        if (method_at(m)->fixed_only)
            continue;
        o.max_step = 0.05;
        rig_open(&r, method_at(m)->name, 4);
        kepler_exact(0, y);
        assert_int_equal(clv_integrator_begin(&r.s, &kepler, &o, 0, y), CLV_OK);
        while (r.s.t != 10) {
            assert_int_equal(clv_integrator_step(&r.s), CLV_OK);
            assert_true(r.s.t - r.s.t_old <= 0.05 * (1 + 1e-12) && r.s.t <= 10);
        }
        assert_int_equal(clv_integrator_step(&r.s), CLV_OK); /* nothing left to do */
        assert_true(r.s.t == 10 && r.s.t_old == 10);
        rig_close(&r);
    }
}

/* A run saved in the middle and loaded into another integrator goes on with the same bits; and nothing allocates. */
static void a_saved_run_continues_with_the_same_bits(void **state)
{
    (void)state;
    for (int m = 0; own_method(m); m++) {
        rig r, other;
        double y[NMAX], a[NMAX], b[NMAX];
        clv_integrator_options o = adaptive(1e-8, 20);
        o.step = method_at(m)->fixed_only ? 0.01 : 0;
        rig_open(&r, method_at(m)->name, 4);
        rig_open(&other, method_at(m)->name, 4);
        kepler_exact(0, y);
        assert_int_equal(clv_integrator_begin(&r.s, &kepler, &o, 0, y), CLV_OK);
        assert_int_equal(clv_integrator_begin(&other.s, &kepler, &o, 0, y), CLV_OK);
        while (r.s.t < 7)
            assert_int_equal(clv_integrator_step(&r.s), CLV_OK);
        void *bytes = malloc(clv_integrator_saved_size(&r.s));
        assert_non_null(bytes);
        const long allocations = clv_alloc_count();
        clv_integrator_save(&r.s, bytes);
        clv_integrator_load(&other.s, bytes);
        const double middle = 0.5 * (r.s.t + r.s.t_old);
        clv_integrator_dense(&r.s, middle, a);
        clv_integrator_dense(&other.s, middle, b);
        assert_memory_equal(a, b, 4 * sizeof *a);
        assert_int_equal(run_to_end(&r.s), CLV_OK);
        assert_int_equal(run_to_end(&other.s), CLV_OK);
        assert_int_equal(clv_alloc_count(), allocations);
        assert_memory_equal(r.s.y, other.s.y, 4 * sizeof *a);
        assert_int_equal(r.s.stats.evaluations, other.s.stats.evaluations);
        free(bytes);
        rig_close(&r);
        rig_close(&other);
    }
}

/* Rounding of single steps does not add up: as many steps as the quotient, with the end not known. */
static void fixed_steps_stay_on_multiples_of_the_step(void **state)
{
    const double h[] = {1e-3, 1e-4, 3e-3, 0.1}, from[] = {0, 0, 0.3, -5};
    const int steps[] = {2000, 20000, 1000, 73};
    (void)state;
    for (int i = 0; i < 4; i++)
        for (int way = -1; way < 2; way += 2) {
            rig r;
            double y[4];
            rig_open(&r, "rk4", 4);
            kepler_exact(0, y);
            const clv_integrator_options o = fixed(h[i], way < 0 ? -INFINITY : NAN);
            assert_int_equal(clv_integrator_begin(&r.s, &kepler, &o, from[i], y), CLV_OK);
            for (int n = 0; n < steps[i]; n++)
                assert_int_equal(clv_integrator_step(&r.s), CLV_OK);
            CLV_NEAR(r.s.t, from[i] + way * steps[i] * h[i], 4e-16 * fabs(from[i] + way * steps[i] * h[i]));
            rig_close(&r);
        }
}

/* ------------------------------------------------------------------ a time that stands still */

/* Noise that only steps next to the rounding of time tolerate. */
static clv_status noise_from_one_second(void *owner, double t, const double *y, double *f)
{
    unsigned *seed = owner;
    (void)y;
    *seed = *seed * 1664525u + 1013904223u;
    f[0] = t < 1.0 ? 1.0 : 5e9 * ((double)*seed / 4294967296.0 - 0.5);
    return CLV_OK;
}

static void a_time_that_stands_still_ends_the_run(void **state)
{
    const char *const name[] = {"dopri5", "bs23", "dop853", "adams"};
    (void)state;
    for (int m = 0; m < 4; m++) {
        unsigned seed = 1;
        const clv_ode noisy = {.n = 1, .owner = &seed, .rates = noise_from_one_second, .scale = ones};
        const clv_integrator_options o = adaptive(1e-6, 2);
        const double y0[1] = {0};
        rig r;
        long steps = 0;
        rig_open(&r, name[m], 1);
        clv_status st = clv_integrator_begin(&r.s, &noisy, &o, 0, y0);
        while (st == CLV_OK && r.s.t < 2 && steps++ < 20000)
            st = clv_integrator_step(&r.s);
        if (st != CLV_ERR_STEP_SIZE)
            fail_msg("%s: status %d after %ld steps, t = %.17g", name[m], (int)st, steps, r.s.t);
        CLV_NEAR(r.s.t, 1.0, 1e-6);
        rig_close(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_conditions_of_the_tableaus),
        cmocka_unit_test(observed_order_at_fixed_step),
        cmocka_unit_test(observed_order_of_dense_output),
        cmocka_unit_test(error_follows_the_tolerance),
        cmocka_unit_test(statistics_count_what_happened),
        cmocka_unit_test(a_step_of_dop853_without_output_costs_twelve),
        cmocka_unit_test(the_first_step_fits_the_problem),
        cmocka_unit_test(blow_up_ends_with_an_error),
        cmocka_unit_test(failing_rates_shrink_the_step_then_end_the_run),
        cmocka_unit_test(steps_below_rounding_end_the_run), cmocka_unit_test(wrong_options_are_refused),
        cmocka_unit_test(dense_output_uses_values_before_the_change),
        cmocka_unit_test(a_refused_state_is_tried_again_smaller),
        cmocka_unit_test(states_of_scale_zero_do_not_steer),
        cmocka_unit_test(time_may_run_backwards),
        cmocka_unit_test(steps_respect_their_bounds),
        cmocka_unit_test(fixed_steps_stay_on_multiples_of_the_step),
        cmocka_unit_test(a_saved_run_continues_with_the_same_bits),
        cmocka_unit_test(a_time_that_stands_still_ends_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
