/* SPDX-License-Identifier: Apache-2.0
 * Laws of index3 (T25-T27), beside those of every formulation (test_formulations.c): order 2 on random systems of every
 * topology, with and without damping and modes; stiff dampers and modes; refusals, failures, saving.
 * test_index3_iteration.c has the iteration. */
#include "index3.h"
#include "oracle/random_flexible.h"
#include "oracle/random_system.h"
#include "thorough.h"

/* ---------------------------------------------------------------- order */

static void random_systems(int first, int last, int n, const clv_sim_options *o, double within)
{
    const double T = 0.05;
    double worst = 0;
    for (int seed = first; seed <= last; seed++) {
        clv_model *m;
        double error;
        assert_int_equal(random_system_create((uint64_t)seed, (random_kind)(seed % RANDOM_KINDS), 8, &m, NULL), CLV_OK);
        clv_sim_options tight = clv_sim_options_default();
        tight.formulation = "dca", tight.integrator = "dop853", tight.rtol = 1e-12;
        clv_sim *exact = open_sim(m, &tight);
        assert_int_equal(clv_sim_advance(exact, T), CLV_OK);
        const double p = order(m, exact, T, n, *o, &error);
        if (fabs(p - 2) > within)
            print_error("seed %d: order %.3f, error %.1e\n", seed, p, error);
        worst = fmax(worst, fabs(p - 2));
        clv_sim_destroy(exact), clv_model_destroy(m);
    }
    printf("  seeds %d to %d, %s, rho %g, alpha %g: order 2 within %.3f\n", first, last,
           o->integrator ? o->integrator : "default", o->rho, o->alpha, worst);
    assert_true(worst <= within);
}

static void order_is_two(void **state)
{
    clv_sim_options o = index3(0);
    (void)state;
    random_systems(1, thorough() ? 64 : 24, 200, &o, 0.05);
}

static void order_is_two_with_damping(void **state)
{
    static const double rho[] = {0, 0.5, 0.9};
    clv_sim_options o = index3(0);
    (void)state;
    o.integrator = "generalized-alpha";
    for (int i = 0; i < 3; i++) {
        o.rho = rho[i];
        random_systems(1, thorough() ? 16 : 8, 400, &o, 0.1);
    }
}

/* frames, modes and what hangs on their nodes */
static void order_is_two_with_modes(void **state)
{
    const double T = 0.02;
    double worst = 0;
    (void)state;
    for (uint64_t seed = 0; seed < 16; seed++) {
        random_flexible *r = random_flexible_create(seed, seed % 2 == 1);
        double error;
        clv_sim_options tight = clv_sim_options_default();
        tight.formulation = "dca", tight.integrator = "dop853", tight.rtol = 1e-12;
        clv_sim *exact = open_sim(r->model, &tight);
        assert_int_equal(clv_sim_advance(exact, T), CLV_OK);
        const double p = order(r->model, exact, T, 400, index3(0), &error);
        if (fabs(p - 2) > 0.05)
            print_error("seed %d: order %.3f, error %.1e\n", (int)seed, p, error);
        worst = fmax(worst, fabs(p - 2));
        clv_sim_destroy(exact), random_flexible_destroy(r);
    }
    printf("  flexible systems: order 2 within %.3f\n", worst);
    assert_true(worst <= 0.05);
}
/* ---------------------------------------------------------------- stiff dampers, springs */

/* twenty modes up to 2.7 kHz at h = 1e-3 s, the explicit limit 1.2e-4 s: the payload goes where it goes in fine steps
 */
static void stiff_modes_do_not_hold_the_step(void **state)
{
    clv_model *m = example("flex-arm", "modes=20");
    const int payload = m->nbody - 1;
    double at[2][3];
    clv_sim_report r;
    (void)state;
    for (int k = 0; k < 2; k++) {
        clv_sim_options o = index3(1e-3);
        o.integrator = "generalized-alpha", o.rho = 0.6;
        if (k == 1)
            o = clv_sim_options_default(), o.formulation = "dca", o.rtol = 1e-8;
        clv_sim *s = open_sim(m, &o);
        if (clv_sim_advance(s, 0.3) != CLV_OK)
            fail_msg("%s", clv_sim_error(s)->message);
        memcpy(at[k], clv_sim_position(s) + 3 * payload, sizeof at[k]);
        if (k == 0)
            clv_sim_summary(s, &r);
        clv_sim_destroy(s);
    }
    const double off = hypot(hypot(at[0][0] - at[1][0], at[0][1] - at[1][1]), at[0][2] - at[1][2]);
    printf("  %s: %.1e m off after 0.3 s, %.2f iterations\n", clv_model_body_name(m, payload), off,
           (double)r.iterations / (double)r.steps);
    assert_true(off < 2e-4 && r.max_iterations <= 6);
    clv_model_destroy(m);
}
/* c/m = 1e5 1/s at h = 1e-3: the explicit limit is 3e-5 s.  The damper stands still but for v = m g / c. */
static void a_stiff_damper_is_stable(void **state)
{
    static const char text[] = "cleave: 1\nname: damped\ngravity: [0, 0, -9.81]\nbodies:\n"
                               "  b: {mass: 1, inertia: [1, 1, 1]}\njoints:\n"
                               "  p: {kind: prismatic, between: [ground, b], at: [0, 0, 0], axis: [0, 0, 1]}\nforces:\n"
                               "  d: {kind: joint-load, joint: p, damping: 1e5}\nstart:\n  joints: {p: {q: 0, u: 1}}\n";
    (void)state;
    clv_model *m = from_text(text);
    clv_sim_options o = index3(1e-3);
    o.integrator = "generalized-alpha", o.rho = 0.5;
    clv_sim *s = open_sim(m, &o);
    assert_int_equal(clv_sim_advance(s, 1), CLV_OK);
    CLV_NEAR(clv_sim_velocity(s)[2], -9.81e-5, 1e-9);
    clv_sim_destroy(s);
    o = index3(1e-3); /* no damping at infinity: bounded, decays slowly */
    s = open_sim(m, &o);
    for (int i = 1; i <= 100; i++) {
        assert_int_equal(clv_sim_advance(s, 0.01 * i), CLV_OK);
        assert_true(fabs(clv_sim_velocity(s)[2]) <= 1.1);
    }
    clv_sim_destroy(s), clv_model_destroy(m);
}

/* A crank at 20 rad/s drives a slider against a damper: the motion's work, a product of multipliers and rates, is of
 * order 2 too. */
static void the_work_of_motions_is_of_order_two(void **state)
{
    static const char text[] = "cleave: 1\nname: crank\ngravity: [0, 0, -9.81]\nbodies:\n  crank: {mass: 1, com: "
                               "[0.15, 0, 0], inertia: [0.01, 0.02, 0.02]}\n"
                               "  rod: {mass: 1, com: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]}\n  slider: {mass: 3, "
                               "inertia: [0.1, 0.1, 0.1]}\njoints:\n"
                               "  a: {kind: revolute, between: [ground, crank], at: [0, 0, 0], axis: [0, 1, 0]}\n"
                               "  b: {kind: revolute, between: [crank, rod], at: [0.3, 0, 0], axis: [0, 1, 0]}\n"
                               "  c: {kind: revolute, between: [rod, slider], at: [1.3, 0, 0], axis: [0, 1, 0]}\n"
                               "  d: {kind: prismatic, between: [ground, slider], at: [1.3, 0, 0], axis: [1, 0, "
                               "0]}\nmotions:\n  m: {joint: a, rate: 20}\n"
                               "forces:\n  load: {kind: joint-load, joint: d, damping: 50}\nstart:\n  bodies:\n    "
                               "crank: {position: [0, 0, 0]}\n"
                               "    rod: {position: [0.3, 0, 0]}\n    slider: {position: [1.3, 0, 0]}\n";
    clv_model *m = from_text(text);
    double drift[2];
    (void)state;
    for (int k = 0; k < 2; k++) {
        clv_sim_options o = index3(k ? 5e-4 : 1e-3);
        clv_sim *s = open_sim(m, &o);
        clv_sim_report r;
        assert_int_equal(clv_sim_advance(s, 2), CLV_OK);
        clv_sim_summary(s, &r);
        drift[k] = r.max_energy_drift;
        clv_sim_destroy(s);
    }
    printf("  crank, 2 s at 1e-3 and 5e-4 s: energy less work drifts by %.1e, %.1e J\n", drift[0], drift[1]);
    CLV_NEAR(log2(drift[0] / drift[1]), 2, 0.1);
    clv_model_destroy(m);
}

/* the governor: rates to 1e5 1/s; order 2 where the couplers' modes are resolved or have died out */
static void the_governor_converges(void **state)
{
    clv_model *m = example("governor", NULL);
    const double T = 0.2;
    clv_sim_options o = index3(T / 3200);
    double error;
    (void)state;
    clv_sim *exact;
    clv_sim_options fine = index3(T / 51200);
    exact = open_sim(m, &fine);
    assert_int_equal(clv_sim_advance(exact, T), CLV_OK);
    const double p = order(m, exact, T, 400, o, &error);
    printf("  governor, 0.2 s at 5e-4 s: error %.1e, order %.2f\n", error, p);
    assert_true(fabs(p - 2) < 0.1);
    clv_sim_destroy(exact), clv_model_destroy(m);
}
/* ---------------------------------------------------------------- refusals, saving */

static void refuse(const clv_model *m, clv_sim_options o, const char *says)
{
    clv_sim *s;
    const clv_status st = clv_sim_create(&s, m, &o);
    assert_true(st == CLV_ERR_USAGE || st == CLV_ERR_UNSUPPORTED);
    if (!strstr(clv_sim_error(s)->message, says))
        fail_msg("'%s' does not say '%s'", clv_sim_error(s)->message, says);
    clv_sim_destroy(s);
}

static void what_does_not_go_together_is_refused(void **state)
{
    clv_model *m = example("pendulum", NULL);
    clv_sim_options o = index3(1e-3), other = clv_sim_options_default();
    (void)state;
    o.integrator = "rk4", refuse(m, o, "built-in time step");
    o.integrator = NULL, o.rho = 0.5, refuse(m, o, "generalized-alpha");
    o.integrator = "generalized-alpha", o.rho = 1.5, refuse(m, o, "between 0 and 1");
    o = index3(1e-3), o.warm = true, refuse(m, o, "alpha");
    o = index3(1e-3), o.project = 0, refuse(m, o, "always projects");
    o = index3(1e-3), o.baumgarte[0] = 1, refuse(m, o, "baumgarte");
    o = index3(1e-3), o.omega = 1, refuse(m, o, "omega");
    other.integrator = "trapezoidal", other.step = 1e-3, refuse(m, other, "index3");
    other = clv_sim_options_default(), other.rho = 0.5, refuse(m, other, "rho");
    clv_model_destroy(m);
}

/* a step that needs more iterations than the limit of its own fails by name; a limit asked for is taken */
static void a_step_too_long_is_told(void **state)
{
    clv_model *m = example("andrews", NULL);
    clv_sim_options o = index3(5e-2);
    (void)state;
    clv_sim *s = open_sim(m, &o);
    assert_int_equal(clv_sim_advance(s, 0.1), CLV_ERR_NO_CONVERGENCE);
    assert_true(clv_sim_error(s)->body[0] != 0);
    assert_true(clv_sim_error(s)->time > 0 && clv_sim_time(s) < clv_sim_error(s)->time);
    clv_sim_destroy(s);
    clv_sim_report r;
    o = index3(1e-4), o.iterations = 2;
    s = open_sim(m, &o);
    assert_int_equal(clv_sim_advance(s, 0.01), CLV_OK);
    clv_sim_summary(s, &r);
    assert_true(r.missed_steps > 0 && r.max_iterations == 2);
    clv_sim_destroy(s), clv_model_destroy(m);
}

static void a_saved_run_goes_on_with_the_same_bits(void **state)
{
    clv_model *m = example("hdca-case3", NULL);
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        clv_sim_options o = index3(2e-3);
        if (kind == 1)
            o.alpha = 1e7, o.warm = true;
        if (kind == 2)
            o.integrator = "generalized-alpha", o.rho = 0.6;
        clv_sim *a = open_sim(m, &o), *b = open_sim(m, &o);
        const size_t size = clv_sim_saved_size(a);
        void *bytes = malloc(size), *other = malloc(size);
        assert_int_equal(clv_sim_advance(a, 0.1), CLV_OK);
        clv_sim_save(a, bytes);
        assert_int_equal(clv_sim_load(b, bytes, size), CLV_OK);
        assert_int_equal(clv_sim_advance(a, 0.2013), CLV_OK);
        assert_int_equal(clv_sim_advance(b, 0.2013), CLV_OK);
        clv_sim_save(a, bytes), clv_sim_save(b, other);
        assert_memory_equal(bytes, other, size);
        free(bytes), free(other);
        clv_sim_destroy(a), clv_sim_destroy(b);
    }
    clv_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_is_two),
        cmocka_unit_test(order_is_two_with_damping),
        cmocka_unit_test(order_is_two_with_modes),
        cmocka_unit_test(stiff_modes_do_not_hold_the_step),
        cmocka_unit_test(a_stiff_damper_is_stable),
        cmocka_unit_test(the_work_of_motions_is_of_order_two),
        cmocka_unit_test(the_governor_converges),
        cmocka_unit_test(what_does_not_go_together_is_refused),
        cmocka_unit_test(a_step_too_long_is_told),
        cmocka_unit_test(a_saved_run_goes_on_with_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
