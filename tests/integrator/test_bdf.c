/* SPDX-License-Identifier: Apache-2.0
 * The stiff integrator: stiff problems with known solutions, the promise of its tolerance, jumps, and stiff mechanisms;
 * in a build without SUNDIALS only that it is refused by name. */
#include "model/model.h"
#include "problems.h"
#include "integrator/bdf.h"
#include "simulation/sim.h"
#include <malloc.h>
#include <stdio.h>

static bool absent(void)
{
    return clv_bdf_method.absent != NULL;
}

static clv_integrator_options tolerance(double tol, double end)
{
    return (clv_integrator_options){.rtol = tol, .atol = tol, .direction_end = end};
}

typedef struct outcome {
    double y[NMAX];
    long steps, evaluations;
} outcome;

static outcome integrate(const char *name, const clv_ode *ode, const double *y, double end, double tol)
{
    rig r;
    outcome o;
    clv_integrator_options options = tolerance(tol, end);
    rig_open(&r, name, ode->n);
    assert_int_equal(clv_integrator_begin(&r.s, ode, &options, 0, y), CLV_OK);
    assert_int_equal(run_to_end(&r.s), CLV_OK);
    memcpy(o.y, r.s.y, (size_t)ode->n * sizeof *y);
    o.steps = r.s.stats.steps, o.evaluations = r.s.stats.evaluations;
    assert_true(r.s.t == end);
    assert_in_range(r.s.stats.order, 1, name[0] == 'b' ? 5 : 12);
    rig_close(&r);
    return o;
}

/* ------------------------------------------------------------------ problems */

/* y' = -1e6 (y - cos t) - sin t,  y = cos t. */
static clv_status cosine_rates(void *owner, double t, const double *y, double *f)
{
    (void)owner;
    f[0] = -1e6 * (y[0] - cos(t)) - sin(t);
    return CLV_OK;
}

static clv_status robertson_rates(void *owner, double t, const double *y, double *f)
{
    (void)owner, (void)t;
    f[0] = -0.04 * y[0] + 1e4 * y[1] * y[2];
    f[2] = 3e7 * y[1] * y[1];
    f[1] = -f[0] - f[2];
    return CLV_OK;
}

/* van der Pol, epsilon 1e-6 (Hairer, Wanner, Solving ODEs II, IV.10) */
static clv_status van_der_pol_rates(void *owner, double t, const double *y, double *f)
{
    (void)owner, (void)t;
    f[0] = y[1];
    f[1] = ((1 - y[0] * y[0]) * y[1] - y[0]) / 1e-6;
    return CLV_OK;
}

static void stiff_linear_problem_costs_little(void **state)
{
    (void)state;
    if (absent())
        skip();
    const clv_ode ode = {.n = 1, .rates = cosine_rates, .scale = ones};
    const double y = 1;
    const outcome o = integrate("bdf", &ode, &y, 10, 1e-6);
    CLV_NEAR(o.y[0], cos(10), 1e-6);
    assert_true(o.evaluations < 1500); /* an explicit method needs 3e6 */
}

static void published_end_values(void **state)
{
    (void)state;
    if (absent())
        skip();
    const double start[2] = {2, 0}, rob[3] = {1, 0, 0};
    const double scale[3] = {1e-6, 1e-12, 1};
    const clv_ode vdp = {.n = 2, .rates = van_der_pol_rates, .scale = ones};
    outcome o = integrate("bdf", &vdp, start, 2, 1e-9);
    CLV_NEAR(o.y[0], 0.1706167732170483e1, 1e-5); /* test set for IVP solvers; the sharp turns amplify errors */
    CLV_NEAR(o.y[1], -0.8928097010247975, 1e-5);
    const clv_ode kinetics = {.n = 3, .rates = robertson_rates, .scale = scale};
    o = integrate("bdf", &kinetics, rob, 1e11, 1e-9);
    CLV_NEAR(o.y[0], 0.2083340149701255e-7, 2e-11);
    CLV_NEAR(o.y[1], 0.8333360770334713e-13, 1e-16);
    CLV_NEAR(o.y[0] + o.y[1] + o.y[2], 1, 1e-6);
}

static void error_follows_the_tolerance(void **state)
{
    (void)state;
    if (absent())
        skip();
    const clv_ode ode = {.n = 4, .rates = kepler_rates, .scale = ones};
    double start[4], exact[4], error[3];
    kepler_exact(0, start), kepler_exact(6, exact);
    for (int i = 0; i < 3; i++)
        error[i] = distance(integrate("bdf", &ode, start, 6, pow(10, -5 - 2 * i)).y, exact, 4);
    assert_true(error[0] < 1e-2 && error[1] < 0.05 * error[0] && error[2] < 0.05 * error[1]);
}

/* The order that is used at tight tolerances shows in the work: steps ~ tolerance^(-1/(order+1)) or better than order
 * 4's. */
static void high_order_is_used(void **state)
{
    (void)state;
    if (absent())
        skip();
    const clv_ode ode = {.n = 4, .rates = kepler_rates, .scale = ones};
    double start[4];
    kepler_exact(0, start);
    const double coarse = (double)integrate("bdf", &ode, start, 6, 1e-7).steps,
                 fine = (double)integrate("bdf", &ode, start, 6, 1e-10).steps;
    const double order = log(1e3) / log(fine / coarse) - 1;
    if (!(order > 3.5 && order < 6.5))
        fail_msg("observed order %.2f", order);
}

static void state_of_scale_zero_has_no_say(void **state)
{
    (void)state;
    if (absent())
        skip();
    const double scale[2] = {1, 0}, y[2] = {2, 0};
    const clv_ode both = {.n = 2, .rates = van_der_pol_rates, .scale = ones},
                  one = {.n = 2, .rates = van_der_pol_rates, .scale = scale};
    assert_true(integrate("bdf", &one, y, 0.5, 1e-8).steps < integrate("bdf", &both, y, 0.5, 1e-8).steps);
}

static void dense_output_lies_on_the_solution(void **state)
{
    (void)state;
    if (absent())
        skip();
    rig r;
    double y[4], exact[4], worst = 0;
    const clv_ode ode = {.n = 4, .rates = kepler_rates, .scale = ones};
    clv_integrator_options options = tolerance(1e-9, NAN);
    rig_open(&r, "bdf", 4);
    kepler_exact(0, y);
    assert_int_equal(clv_integrator_begin(&r.s, &ode, &options, 0, y), CLV_OK);
    while (r.s.t < 3) {
        assert_int_equal(clv_integrator_step(&r.s), CLV_OK);
        for (int i = 0; i <= 4; i++) {
            const double t = r.s.t_old + (r.s.t - r.s.t_old) * i / 4;
            clv_integrator_dense(&r.s, t, y);
            kepler_exact(t, exact);
            worst = fmax(worst, distance(y, exact, 4));
        }
    }
    assert_true(worst < 1e-6);
    rig_close(&r);
}

/* ------------------------------------------------------------------ owners that touch the state */

typedef struct owner {
    int calls, jump_at, refuse_at;
} owner;

static clv_status decay(void *to, double t, const double *y, double *f)
{
    (void)to, (void)t;
    f[0] = -1e3 * (y[0] - 1);
    return CLV_OK;
}

static clv_status meddle(void *to, double t, double *y, int *changed)
{
    owner *o = to;
    (void)t;
    o->calls++;
    if (o->calls == o->refuse_at)
        return CLV_ERR_SINGULAR;
    if (o->calls == o->jump_at)
        y[0] += 1, *changed = 2;
    return CLV_OK;
}

static void jump_and_refusal_start_the_history_anew(void **state)
{
    (void)state;
    if (absent())
        skip();
    rig r;
    double y = 0;
    owner o = {.jump_at = 30, .refuse_at = 40};
    const clv_ode ode = {.n = 1, .owner = &o, .rates = decay, .accepted = meddle, .scale = ones};
    clv_integrator_options options = tolerance(1e-8, 1);
    rig_open(&r, "bdf", 1);
    assert_int_equal(clv_integrator_begin(&r.s, &ode, &options, 0, &y), CLV_OK);
    for (bool jumped = false; r.s.t < 1;) {
        const double before = r.s.t;
        assert_int_equal(clv_integrator_step(&r.s), CLV_OK);
        if (o.calls == 30 && !jumped) {
            jumped = true;
            double end;
            clv_integrator_dense(&r.s, r.s.t - 1e-9 * (r.s.t - before), &end);
            CLV_NEAR(end, r.s.y[0] - 1, 1e-6); /* dense output is that before the jump */
        }
    }
    CLV_NEAR(r.s.y[0], 1, 1e-7);
    assert_true(o.calls > 40);
    rig_close(&r);
}

static void steps_allocate_nothing(void **state)
{
    (void)state;
    if (absent())
        skip();
    rig r;
    const clv_ode ode = {.n = 2, .rates = van_der_pol_rates, .scale = ones};
    const double y[2] = {2, 0};
    clv_integrator_options options = tolerance(1e-6, 2);
    rig_open(&r, "bdf", 2);
    assert_int_equal(clv_integrator_begin(&r.s, &ode, &options, 0, y), CLV_OK);
    while (r.s.t < 1) /* CVODE takes its last memory, and blocks it frees settle in the cache of malloc */
        assert_int_equal(clv_integrator_step(&r.s), CLV_OK);
    const size_t before = mallinfo2().uordblks;
    assert_int_equal(run_to_end(&r.s), CLV_OK);
    assert_true(mallinfo2().uordblks <= before);
    rig_close(&r);
}

/* ------------------------------------------------------------------ mechanisms */

static clv_sim *open_sim(const clv_model *m, const char *formulation, const char *integrator, double rtol)
{
    clv_sim *s;
    clv_sim_options o = clv_sim_options_default();
    o.formulation = formulation, o.integrator = integrator, o.rtol = rtol;
    const clv_status st = clv_sim_create(&s, m, &o);
    if (st != CLV_OK)
        fail_msg("%s", clv_sim_error(s)->message);
    return s;
}

static double apart(const clv_sim *a, const clv_sim *b, int nbody)
{
    return distance(clv_sim_position(a), clv_sim_position(b), 3 * nbody);
}

static void refused_by_name_where_it_cannot_be(void **state)
{
    (void)state;
    clv_model *m;
    clv_sim *s;
    clv_sim_options o = clv_sim_options_default();
    const char *long_chain[] = {"links=120"};
    o.integrator = "bdf";
    assert_int_equal(clv_example_create(&m, "chain", long_chain, 1), CLV_OK);
    assert_int_equal(clv_sim_create(&s, m, &o), absent() ? CLV_ERR_USAGE : CLV_ERR_UNSUPPORTED);
    assert_non_null(strstr(clv_sim_error(s)->message, "bdf"));
    assert_non_null(
        strstr(absent() ? clv_sim_error(s)->hint : clv_sim_error(s)->message, absent() ? "libsundials" : "200 states"));
    clv_sim_destroy(s);
    o.step = 1e-3;
    assert_int_equal(clv_sim_create(&s, m, &o), CLV_ERR_USAGE);
    clv_sim_destroy(s);
    clv_model_destroy(m);
}

/* 0.2 s are enough: dopri5 takes steps of 5e-5 s all the way. */
static void governor_wants_far_fewer_evaluations(void **state)
{
    (void)state;
    if (absent())
        skip();
    const char *const formulation[] = {"hdca", "dca"};
    clv_model *m;
    clv_sim_report stiff, plain;
    assert_int_equal(clv_example_create(&m, "governor", NULL, 0), CLV_OK);
    for (int i = 0; i < 2; i++) {
        clv_sim *truth = open_sim(m, formulation[i], "dop853", 1e-11), *a = open_sim(m, formulation[i], "bdf", 1e-7),
                *b = open_sim(m, formulation[i], "dopri5", 1e-6);
        assert_int_equal(clv_sim_advance(truth, 0.2), CLV_OK);
        assert_int_equal(clv_sim_advance(a, 0.2), CLV_OK);
        assert_int_equal(clv_sim_advance(b, 0.2), CLV_OK);
        clv_sim_summary(a, &stiff), clv_sim_summary(b, &plain);
        printf("%s: bdf %ld evaluations, error %.1e m; dopri5 %ld, %.1e m\n", formulation[i], stiff.rate_evaluations,
               apart(a, truth, 4), plain.rate_evaluations, apart(b, truth, 4));
        assert_true(apart(a, truth, 4) < 1e-5 && apart(b, truth, 4) < 1e-5);
        assert_true(20 * stiff.rate_evaluations < plain.rate_evaluations);
        clv_sim_destroy(truth), clv_sim_destroy(a), clv_sim_destroy(b);
    }
    clv_model_destroy(m);
}

/* A four-bar loop with a heavy damper in one hinge: rate 1e5 1/s. */
static const char damped_loop[] =
    "cleave: 1\nname: damped-loop\ngravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  one:   {mass: 1, com: [0, -0.5, 0], inertia: [0.1, 0.01, 0.1]}\n"
    "  two:   {mass: 1, com: [0.5, 0, 0],  inertia: [0.01, 0.1, 0.1]}\n"
    "  three: {mass: 1, com: [0, 0.7, 0],  inertia: [0.1, 0.01, 0.1]}\n"
    "joints:\n"
    "  a: {kind: revolute, between: [ground, one],   at: [0, 0, 0],      axis: [0, 0, 1]}\n"
    "  b: {kind: revolute, between: [one, two],      at: [0, -1, 0],     axis: [0, 0, 1]}\n"
    "  c: {kind: revolute, between: [two, three],    at: [1, -1, 0],     axis: [0, 0, 1]}\n"
    "  d: {kind: revolute, between: [three, ground], at: [1, 0.4, 0],    axis: [0, 0, 1]}\n"
    "forces:\n"
    "  grease: {kind: joint-load, joint: b, damping: 1e5, stiffness: 1e5, rest: 0.2}\n"
    "start:\n"
    "  bodies:\n"
    "    one: {position: [0, 0, 0]}\n"
    "    two: {position: [0, -1, 0]}\n"
    "    three: {position: [1, -1, 0]}\n";

static void stiff_loop_stays_closed(void **state)
{
    (void)state;
    if (absent())
        skip();
    const char *const formulation[] = {"hdca", "dca", "massmatrix"};
    clv_model *m;
    clv_sim *first = NULL;
    if (clv_model_read_text(&m, damped_loop, sizeof damped_loop - 1, "damped-loop.yaml") != CLV_OK)
        fail_msg("%s", clv_model_error(m)->message);
    for (int i = 0; i < 3; i++) {
        clv_sim *s = open_sim(m, formulation[i], "bdf", 1e-8);
        clv_sim_report r;
        assert_int_equal(clv_sim_set_end(s, 5), CLV_OK);
        assert_int_equal(clv_sim_advance(s, 5), CLV_OK);
        clv_sim_summary(s, &r);
        printf("%s: %ld steps, %ld evaluations, gap %.1e m, %.1e m/s, drift %.1e J\n", formulation[i], r.steps,
               r.rate_evaluations, r.max_position_violation, r.max_velocity_violation, r.max_energy_drift);
        assert_true(r.time == 5);
        assert_true(r.max_position_violation < 1e-13 && r.max_velocity_violation < 1e-6);
        assert_true(r.rate_evaluations < 20000); /* dopri5: 4e6 */
        if (first)
            assert_true(apart(s, first, 3) < 1e-6);
        else
            first = s;
        if (s != first)
            clv_sim_destroy(s);
    }
    clv_sim_destroy(first);
    clv_model_destroy(m);
}

/* No stiffness: the same motion as by dopri5, re-gauges and outputs between steps included. */
static void loops_of_the_examples_agree_with_dopri5(void **state)
{
    (void)state;
    if (absent())
        skip();
    const char *const name[] = {"hdca-case1", "bricard", "satellite", "loop-7r"};
    for (int i = 0; i < 4; i++) {
        clv_model *m;
        assert_int_equal(clv_example_create(&m, name[i], NULL, 0), CLV_OK);
        clv_sim *a = open_sim(m, "hdca", "bdf", 1e-8), *b = open_sim(m, "hdca", "dop853", 1e-10);
        for (double t = 0.1; t < 1.05; t += 0.1) {
            assert_int_equal(clv_sim_advance(a, t), CLV_OK);
            assert_int_equal(clv_sim_advance(b, t), CLV_OK);
            if (!(apart(a, b, m->nbody) < 2e-5))
                fail_msg("%s at %g s: %g m apart", name[i], t, apart(a, b, m->nbody));
        }
        clv_sim_destroy(a), clv_sim_destroy(b);
        clv_model_destroy(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stiff_linear_problem_costs_little),
        cmocka_unit_test(published_end_values),
        cmocka_unit_test(error_follows_the_tolerance),
        cmocka_unit_test(high_order_is_used),
        cmocka_unit_test(state_of_scale_zero_has_no_say),
        cmocka_unit_test(dense_output_lies_on_the_solution),
        cmocka_unit_test(jump_and_refusal_start_the_history_anew),
        cmocka_unit_test(steps_allocate_nothing),
        cmocka_unit_test(refused_by_name_where_it_cannot_be),
        cmocka_unit_test(governor_wants_far_fewer_evaluations),
        cmocka_unit_test(stiff_loop_stays_closed),
        cmocka_unit_test(loops_of_the_examples_agree_with_dopri5),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
