/* SPDX-License-Identifier: Apache-2.0
 * The Adams method: its formulas on uneven grids, order by order; order and step control; projection and re-gauge. */
#include "problems.h"
#include "integrator/adams.h"

enum { K = CLV_ADAMS_ORDER };
static const double pi = 3.14159265358979323846;

static clv_integrator_options tolerance(double tol, double end)
{
    return (clv_integrator_options){.rtol = tol, .atol = tol, .direction_end = end};
}

/* ------------------------------------------------------------------ formulas */

/* An uneven grid 0 = t_0 < t_1 < ...; ratios of steps between 0.6 and 1.7. */
static double grid(int i)
{
    double t = 0, h = 0.1;
    for (int j = 0; j < i; j++) {
        t += h;
        h *= (j % 3 == 0) ? 1.7 : (j % 3 == 1) ? 0.6 : 0.9;
    }
    return t;
}

static double monomial(double t, int degree) /* derivative of its integral from 0 */
{
    return pow(t - 0.3, degree);
}

static double integral(double t, int degree)
{
    return (pow(t - 0.3, degree + 1) - pow(-0.3, degree + 1)) / (degree + 1);
}

/* The past of y' = (t - 0.3)^degree: `count` points up to grid(last). */
static void remember(clv_integrator *s, int last, int count, int degree)
{
    clv_adams_state *m = s->state;
    m->points = 0;
    for (int p = count - 1; p >= 0; p--) {
        const double y = integral(grid(last - p), degree);
        clv_adams_push(s, grid(last - p), &y);
        *clv_adams_difference(s, m->side, p + 1) = monomial(grid(last - p), degree);
    }
    clv_adams_difference_all(s, m->side, count);
    s->t = grid(last);
    *s->y = integral(s->t, degree);
}

/* Order k: the predictor integrates degree k - 1 without error, the corrector degree k, and so does what lies between;
 * the differences carried on are the differences made anew. */
static void polynomials_are_integrated_exactly(void **state)
{
    rig r;
    (void)state;
    rig_open(&r, "adams", 1);
    clv_integrator *s = &r.s;
    clv_adams_state *m = s->state;
    for (int k = 1; k <= K; k++)
        for (int degree = 0; degree <= k; degree++) {
            const int last = 14;
            const double t = grid(last), t_new = grid(last + 1), h = t_new - t, exact = integral(t_new, degree);
            double carried[K + 3], y;
            clv_adams_weights w;
            remember(s, last, k + 2, degree);
            m->order = k;
            clv_adams_weigh(m->time, m->points, t_new, h, k, &w);
            clv_adams_predict(s, &w, h);
            const double *p = clv_adams_new_state(s);
            const double size = fmax(fabs(exact), fabs(*s->y)) + 1e-3;
            if (degree < k)
                CLV_NEAR(*p, exact, 1e-12 * size);
            else
                assert_true(fabs(*p - exact) > 1e-9 * fabs(exact - *s->y));
            const double f = monomial(t_new, degree), c = f - *clv_adams_difference(s, !m->side, 1);
            CLV_NEAR(*p + h * w.g[k + 1] * c, exact, 1e-12 * size);

            *clv_adams_correction(s) = c;
            *s->y_old = *s->y;
            s->t_old = t, s->t = t_new;
            m->dense_side = m->side, m->dense_points = m->points, m->last_order = k;
            memcpy(m->dense_time, m->time, sizeof m->time);
            clv_adams_dense(s, t + 0.37 * h, &y);
            CLV_NEAR(y, integral(t + 0.37 * h, degree), 1e-12 * size);

            clv_adams_correct(s, &w, &f);
            for (int i = 1; i <= k + 2; i++)
                carried[i] = *clv_adams_difference(s, !m->side, i);
            remember(s, last + 1, k + 2, degree);
            for (int i = 1; i <= k + 2; i++)
                CLV_NEAR(carried[i], *clv_adams_difference(s, m->side, i), 1e-11);
        }
    rig_close(&r);
}

/* Two points on circles, turning at a speed that varies; entire, so that high orders show. */
static double angle(double t)
{
    return 2 * t + 0.5 * sin(2 * t);
}

static clv_status rocking_rates(void *owner, double t, const double *y, double *f)
{
    const double speed = 2 + cos(2 * t);
    (void)owner;
    for (int i = 0; i < 4; i += 2) {
        f[i] = -speed * y[i + 1];
        f[i + 1] = speed * y[i];
    }
    return CLV_OK;
}

static void rocking_exact(double t, double *y)
{
    for (int i = 0; i < 4; i++)
        y[i] = cos(angle(t) + i / 2 - (i % 2) * pi / 2);
}

typedef struct problem {
    clv_status (*rates)(void *owner, double t, const double *y, double *f);
    void (*exact)(double t, double *y);
    double start, length;
    int highest; /* order that shows above the rounding */
} problem;

/* Steps of one order k over an exact past: the extrapolated method has order k + 1. */
static double fixed_order_error(const problem *problem, int k, int steps)
{
    rig r;
    double exact[NMAX], e = 0;
    const double start = problem->start, h = problem->length / steps;
    rig_open(&r, "adams", 4);
    clv_integrator *s = &r.s;
    clv_adams_state *m = s->state;
    s->ode = (clv_ode){.n = 4, .rates = problem->rates, .scale = ones};
    m->order = k;
    for (int p = k + 1; p >= 0; p--) {
        problem->exact(start - p * h, exact);
        clv_adams_push(s, start - p * h, exact);
        assert_int_equal(
            clv_integrator_evaluate(s, start - p * h, exact, clv_adams_difference(s, m->side, p + 1)), CLV_OK);
    }
    clv_adams_difference_all(s, m->side, k + 2);
    memcpy(s->y, exact, 4 * sizeof *exact);
    s->t = start;
    for (int i = 1; i <= steps; i++) {
        clv_adams_weights w;
        const double t_new = start + i * h, step = t_new - s->t;
        double *y = clv_adams_new_state(s), *f = clv_adams_new_rates(s);
        clv_adams_weigh(m->time, m->points, t_new, step, k, &w);
        clv_adams_predict(s, &w, step);
        assert_int_equal(clv_integrator_evaluate(s, t_new, y, f), CLV_OK);
        for (int j = 0; j < 4; j++)
            y[j] += step * w.g[k + 1] * (f[j] - clv_adams_difference(s, !m->side, 1)[j]);
        assert_int_equal(clv_integrator_evaluate(s, t_new, y, f), CLV_OK);
        clv_adams_correct(s, &w, f);
        clv_adams_push(s, t_new, y);
        m->side = !m->side;
        memcpy(s->y, y, 4 * sizeof *y);
        s->t = t_new;
        problem->exact(t_new, exact);
        e = fmax(e, distance(y, exact, 4));
    }
    rig_close(&r);
    return e;
}

static void observed_order_of_every_formula(void **state)
{
    static const problem problems[] = {{coupled_rates, coupled_exact, 0.4, 0.6, 8},
                                       {rocking_rates, rocking_exact, 0.4, 2.0, K}};
    (void)state;
    for (int i = 0; i < 2; i++)
        for (int k = 1; k <= problems[i].highest; k++) {
            const int steps = k < 4 ? 400 : k < 6 ? 100 : 50;
            const double e1 = fixed_order_error(&problems[i], k, steps);
            const double e2 = fixed_order_error(&problems[i], k, 2 * steps);
            print_message("adams, order %2d extrapolated: observed %.2f (error %.1e)\n", k, log2(e1 / e2), e2);
            assert_true(log2(e1 / e2) > k + 1 - 0.6);
        }
}

/* ------------------------------------------------------------------ order and step */

typedef struct outcome {
    double error, dense, gap;
    int highest;
    clv_integrator_stats stats;
} outcome;

/* Kepler's problem over `turns` revolutions. */
static outcome kepler_run(const clv_ode *ode, double tol, double turns)
{
    rig r;
    double y[NMAX], exact[NMAX];
    outcome out = {0};
    const clv_integrator_options o = tolerance(tol, 2 * pi * turns);
    rig_open(&r, "adams", 4);
    kepler_exact(0, y);
    assert_int_equal(clv_integrator_begin(&r.s, ode, &o, 0, y), CLV_OK);
    while (r.s.t != o.direction_end) {
        assert_int_equal(clv_integrator_step(&r.s), CLV_OK);
        if (r.s.stats.order > out.highest)
            out.highest = r.s.stats.order;
        for (int i = 1; i < 6; i++) {
            const double t = r.s.t_old + (r.s.t - r.s.t_old) * i / 6;
            clv_integrator_dense(&r.s, t, y);
            kepler_exact(t, exact);
            out.dense = fmax(out.dense, distance(y, exact, 4));
        }
        clv_integrator_dense(&r.s, nextafter(r.s.t_old, r.s.t), y);
        out.gap = fmax(out.gap, distance(y, r.s.y_old, 4));
    }
    kepler_exact(r.s.t, exact);
    out.error = distance(r.s.y, exact, 4);
    out.stats = r.s.stats;
    rig_close(&r);
    return out;
}

static void error_follows_the_tolerance_and_order_climbs(void **state)
{
    const clv_ode ode = {.n = 4, .rates = kepler_rates, .scale = ones};
    (void)state;
    for (int i = 3; i <= 12; i++) {
        const double tol = pow(10, -i);
        const outcome out = kepler_run(&ode, tol, 1);
        print_message("adams tol %.0e: error %.1e, dense %.1e, steps %ld + %ld, evaluations %ld, highest order %d\n",
                      tol, out.error, out.dense, out.stats.steps, out.stats.rejected, out.stats.evaluations,
                      out.highest);
        assert_true(out.error < 200 * tol + 1e-13 && out.dense < 200 * tol + 1e-13);
        assert_true(out.error > 1e-4 * tol);
        assert_true(out.gap < 1e-13);
        assert_true(i < 9 || out.highest >= 8);
    }
}

static void two_evaluations_a_step(void **state)
{
    const clv_ode ode = {.n = 4, .rates = kepler_rates, .scale = ones};
    (void)state;
    const outcome out = kepler_run(&ode, 1e-8, 3);
    assert_int_equal(out.stats.evaluations, 2 + 2 * out.stats.steps + out.stats.rejected);
}

static void fixed_steps_are_refused(void **state)
{
    rig r;
    double y[NMAX];
    const clv_ode ode = {.n = 4, .rates = kepler_rates, .scale = ones};
    clv_integrator_options o = tolerance(1e-6, 1);
    (void)state;
    o.step = 0.01;
    rig_open(&r, "adams", 4);
    kepler_exact(0, y);
    assert_int_equal(clv_integrator_begin(&r.s, &ode, &o, 0, y), CLV_ERR_UNSUPPORTED);
    rig_close(&r);
}

/* ------------------------------------------------------------------ projection */

/* Energy and angular momentum of Kepler's problem put right by scaling. */
static clv_status keep_the_orbit(void *owner, double t, double *y, int *changed)
{
    (void)owner, (void)t;
    const double l = y[0] * y[3] - y[1] * y[2], fix = sqrt(0.75) / l;
    y[2] *= fix;
    y[3] *= fix;
    *changed = 1;
    return CLV_OK;
}

static void projection_hardly_costs(void **state)
{
    const clv_ode plain = {.n = 4, .rates = kepler_rates, .scale = ones};
    const clv_ode kept = {.n = 4, .rates = kepler_rates, .accepted = keep_the_orbit, .scale = ones};
    (void)state;
    for (int i = 4; i <= 11; i++) {
        const double tol = pow(10, -i);
        const outcome a = kepler_run(&plain, tol, 5), b = kepler_run(&kept, tol, 5);
        print_message("projection, tol %.0e: evaluations %ld -> %ld, error %.1e -> %.1e, order %d -> %d\n", tol,
                      a.stats.evaluations, b.stats.evaluations, a.error, b.error, a.highest, b.highest);
        assert_true((double)b.stats.evaluations < 1.15 * (double)a.stats.evaluations);
        assert_true(b.error < fmax(3 * a.error, 2000 * tol));
        assert_true(b.highest >= a.highest - 1);
    }
}

/* ------------------------------------------------------------------ re-gauge */

/* A pendulum x'' = -sin x written like a mechanism with a loop: momentum p = v + cos(x) sigma holds the impulse sigma
 * of a constraint, sigma' = 1 + v^2 / 2.  Any c may be taken away: sigma - c, p - c cos x is the same motion. */
typedef struct gauge {
    long rates, regauges;
    int every, count; /* re-gauge after so many steps, 0 never */
    double c;         /* of the last re-gauge                  */
    bool broken;
} gauge;

static clv_status gauge_rates(void *owner, double t, const double *y, double *f)
{
    gauge *g = owner;
    (void)t;
    const double x = y[0], p = y[1], sigma = y[2], v = p - cos(x) * sigma, load = 1 + 0.5 * v * v;
    g->rates++;
    f[0] = v;
    f[1] = -sin(x) - sin(x) * v * sigma + cos(x) * load;
    f[2] = load;
    return CLV_OK;
}

static clv_status gauge_accepted(void *owner, double t, double *y, int *changed)
{
    gauge *g = owner;
    (void)t;
    if (g->every == 0 || ++g->count % g->every != 0)
        return CLV_OK;
    g->c = y[2];
    y[1] -= g->c * cos(y[0]);
    y[2] = 0;
    *changed = 2;
    return CLV_OK;
}

static clv_status gauge_regauge(void *owner, double t, double *y, double *f)
{
    gauge *g = owner;
    g->regauges++;
    if (g->broken)
        return CLV_ERR_SINGULAR;
    y[1] -= g->c * cos(y[0]);
    y[2] -= g->c;
    return gauge_rates(owner, t, y, f);
}

static outcome gauge_run(const char *name, gauge *g, bool can, double tol, double end, double x_end, double v_end)
{
    rig r;
    const double start[] = {1.0, 0.5, 0};
    const clv_ode ode = {.n = 3, .owner = g, .rates = gauge_rates, .accepted = gauge_accepted,
                         .regauge = can ? gauge_regauge : NULL, .scale = ones};
    const clv_integrator_options o = {.rtol = tol, .atol = tol, .direction_end = end};
    double y[3];
    outcome out = {0};
    rig_open(&r, name, 3);
    assert_int_equal(clv_integrator_begin(&r.s, &ode, &o, 0, start), CLV_OK);
    while (r.s.t != end) {
        assert_int_equal(clv_integrator_step(&r.s), CLV_OK);
        if (r.s.stats.order > out.highest)
            out.highest = r.s.stats.order;
        /* dense output: gauge of the start of the step, continuous with it, and to the end up to the re-gauge */
        clv_integrator_dense(&r.s, nextafter(r.s.t_old, r.s.t), y);
        out.gap = fmax(out.gap, distance(y, r.s.y_old, 3));
        clv_integrator_dense(&r.s, nextafter(r.s.t, r.s.t_old), y);
        out.gap = fmax(out.gap, fabs(y[0] - r.s.y[0]));
        out.gap = fmax(out.gap, fabs(y[1] - cos(y[0]) * y[2] - (r.s.y[1] - cos(r.s.y[0]) * r.s.y[2])));
    }
    assert_int_equal(g->rates + (g->broken ? g->regauges : 0), r.s.stats.evaluations);
    const double v = r.s.y[1] - cos(r.s.y[0]) * r.s.y[2];
    out.error = fmax(fabs(r.s.y[0] - x_end), fabs(v - v_end));
    out.dense = v;
    out.stats = r.s.stats;
    out.highest = out.highest ? out.highest : 1;
    if (isnan(x_end))
        out.error = r.s.y[0];
    rig_close(&r);
    return out;
}

static void regauge_keeps_order_and_accuracy(void **state)
{
    const double end = 30;
    gauge g = {.every = 1};
    (void)state;
    const outcome truth = gauge_run("dop853", &g, true, 1e-13, end, NAN, NAN);
    for (int i = 5; i <= 11; i += 2) {
        const double tol = pow(10, -i);
        gauge never = {.every = 0}, some = {.every = 10}, always = {.every = 1};
        const outcome a = gauge_run("adams", &never, true, tol, end, truth.error, truth.dense);
        const outcome b = gauge_run("adams", &some, true, tol, end, truth.error, truth.dense);
        const outcome c = gauge_run("adams", &always, true, tol, end, truth.error, truth.dense);
        print_message(
            "re-gauge never, every 10th, every step, tol %.0e: steps %ld, %ld, %ld; evaluations %ld, %ld, %ld; "
            "order %d, %d, %d; error %.0e, %.0e, %.0e\n",
            tol, a.stats.steps, b.stats.steps, c.stats.steps, a.stats.evaluations, b.stats.evaluations,
            c.stats.evaluations, a.highest, b.highest, c.highest, a.error, b.error, c.error);
        assert_true(b.highest >= a.highest - 1 && c.highest >= a.highest - 1);
        assert_true((double)b.stats.steps < 1.1 * (double)a.stats.steps);
        assert_true((double)c.stats.steps < 1.1 * (double)a.stats.steps);
        assert_true(b.error < 2 * a.error && c.error < 2 * a.error);
        assert_true(a.gap < 1e-12 && b.gap < 1e-12 && c.gap < 1e-12);
        assert_int_equal(never.regauges, 0);
        assert_int_equal(b.stats.evaluations - some.regauges, 2 + 2 * b.stats.steps + b.stats.rejected);
    }
}

/* A re-gauge by nothing changes nothing but rounding. */
static clv_status changed_by_nothing(void *owner, double t, double *y, int *changed)
{
    (void)owner, (void)t, (void)y;
    *changed = 2;
    return CLV_OK;
}

static clv_status regauge_by_nothing(void *owner, double t, double *y, double *f)
{
    return kepler_rates(owner, t, y, f);
}

static void regauge_by_nothing_changes_nothing(void **state)
{
    const clv_ode plain = {.n = 4, .rates = kepler_rates, .scale = ones};
    const clv_ode null = {.n = 4, .rates = kepler_rates, .accepted = changed_by_nothing, .regauge = regauge_by_nothing,
                          .scale = ones};
    (void)state;
    const outcome a = kepler_run(&plain, 1e-8, 1), b = kepler_run(&null, 1e-8, 1);
    assert_int_equal(a.stats.steps, b.stats.steps);
    CLV_NEAR(a.error, b.error, 1e-3 * a.error);
}

/* Without the hook, or where it fails, the method starts again at order 1, to the same accuracy. */
static void restarts_are_correct(void **state)
{
    gauge missing = {.every = 40}, broken = {.every = 40, .broken = true}, none = {0};
    (void)state;
    const outcome t = gauge_run("dop853", &none, true, 1e-13, 10, NAN, NAN);
    const outcome a = gauge_run("adams", &missing, false, 1e-7, 10, t.error, t.dense);
    const outcome b = gauge_run("adams", &broken, true, 1e-7, 10, t.error, t.dense);
    print_message("restart every 40 steps: steps %ld, evaluations %ld, order %d, error %.0e\n", a.stats.steps,
                  a.stats.evaluations, a.highest, a.error);
    assert_true(a.error < 1e-5 && a.gap < 1e-12);
    assert_true(b.error == a.error && b.stats.steps == a.stats.steps);
    assert_true(missing.regauges == 0 && broken.regauges > 0 && a.highest >= 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(polynomials_are_integrated_exactly),
        cmocka_unit_test(observed_order_of_every_formula),
        cmocka_unit_test(error_follows_the_tolerance_and_order_climbs),
        cmocka_unit_test(two_evaluations_a_step),
        cmocka_unit_test(fixed_steps_are_refused),
        cmocka_unit_test(projection_hardly_costs),
        cmocka_unit_test(regauge_keeps_order_and_accuracy),
        cmocka_unit_test(regauge_by_nothing_changes_nothing),
        cmocka_unit_test(restarts_are_correct),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
