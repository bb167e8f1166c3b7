/* SPDX-License-Identifier: Apache-2.0
 * Rules that a problem brings: steps on a grid, the end without slivers, dense output, failures, saving. */
#include "problems.h"
#include <stdlib.h>

/* y' = -y by the trapezoidal rule, y(0) = 1; counts its steps in its memory */
static double refuse_at, refuse_up_to; /* ends of steps between these do not converge */
static int tries;
static clv_status decay(void *owner, double t, const double *y, double *f)
{
    (void)owner, (void)t;
    f[0] = -y[0];
    return CLV_OK;
}
static clv_status decay_step(void *owner, double t, double t_new, double *y, double *f, double *memory)
{
    const double h = t_new - t;
    (void)owner;
    tries++;
    if (t_new > refuse_at && t_new < refuse_up_to)
        return CLV_ERR_NO_CONVERGENCE;
    y[0] *= (1 - 0.5 * h) / (1 + 0.5 * h);
    f[0] = -y[0];
    memory[0] += 1, memory[2] = h;
    return CLV_OK;
}

static bool near_singular(void *owner) { return owner != NULL; }

typedef struct trial {
    clv_integrator s;
    clv_arena a;
} trial;

static void open_trial(trial *r, double step, double end)
{
    static int any;
    static const double one[1] = {1};
    const clv_ode ode = {.n = 1, .owner = &any, .rates = decay, .step = decay_step, .ill_placed = near_singular,
                         .scale = ones};
    const clv_integrator_options o = {.rtol = 1e-6, .atol = 1e-6, .step = step, .direction_end = end};
    *r = (trial){0};
    refuse_at = INFINITY, refuse_up_to = INFINITY;
    for (int i = 0; i < 2; i++) {
        clv_integrator_layout(&r->s, clv_method_find("trapezoidal"), 1, 3, &r->a);
        if (i == 0)
            assert_true(clv_arena_open(&r->a));
    }
    assert_int_equal(clv_integrator_begin(&r->s, &ode, &o, 0, one), CLV_OK);
}

static void close_trial(trial *r)
{
    clv_integrator_destroy(&r->s);
    clv_arena_close(&r->a);
}

static void steps_lie_on_a_grid(void **state)
{
    trial r;
    (void)state;
    open_trial(&r, 0.1, NAN);
    for (int i = 1; i <= 1000; i++) {
        assert_int_equal(clv_integrator_step(&r.s), CLV_OK);
        assert_true(r.s.t == i * 0.1); /* to the last bit */
    }
    assert_int_equal(r.s.stats.steps, 1000);
    close_trial(&r);
}

static void the_end_is_met_without_slivers(void **state)
{
    static const double ends[] = {1, 1.0000001, 1.001, 1.05, 1.099, 0.9999999, 0.05};
    (void)state;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        trial r;
        double least = INFINITY;
        open_trial(&r, 0.1, ends[i]);
        while (r.s.t < ends[i]) {
            assert_int_equal(clv_integrator_step(&r.s), CLV_OK);
            least = fmin(least, r.s.t - r.s.t_old);
        }
        assert_true(r.s.t == ends[i]);
        assert_true(least >= fmin(0.05, 0.999 * ends[i]));
        close_trial(&r);
    }
}

static double error_at(double step, double *dense)
{
    trial r;
    double y;
    open_trial(&r, step, 1);
    *dense = 0;
    while (r.s.t < 1) {
        assert_int_equal(clv_integrator_step(&r.s), CLV_OK);
        const double t = r.s.t_old + 0.3 * (r.s.t - r.s.t_old), from = r.s.y_old[0];
        clv_integrator_dense(&r.s, t, &y);
        *dense = fmax(*dense, fabs(y - from * exp(r.s.t_old - t)));
    }
    const double error = fabs(r.s.y[0] - exp(-1));
    close_trial(&r);
    return error;
}

/* order 2 at the steps; between them one step's own error, h^3 */
static void order_and_dense_output(void **state)
{
    double d[2];
    (void)state;
    const double a = error_at(0.1, &d[0]), b = error_at(0.05, &d[1]);
    CLV_NEAR(log2(a / b), 2, 0.02);
    CLV_NEAR(log2(d[0] / d[1]), 3, 0.1);
}

static void a_failed_step_leaves_everything(void **state)
{
    trial r;
    (void)state;
    open_trial(&r, 0.1, 1);
    assert_int_equal(clv_integrator_step(&r.s), CLV_OK);
    const double y = r.s.y[0], f = r.s.f[0];
    refuse_at = 0.1;
    assert_int_equal(clv_integrator_step(&r.s), CLV_ERR_NO_CONVERGENCE);
    assert_true(r.s.y[0] == y && r.s.f[0] == f && r.s.t == 0.1 && r.s.stats.steps == 1);
    assert_true(r.s.failed_time == 0.2);
    refuse_at = INFINITY;
    assert_int_equal(clv_integrator_step(&r.s), CLV_OK);
    assert_true(r.s.t == 0.2);
    close_trial(&r);
}

/* As at a position that is nearly singular: no step ends there, and those behind lie on the grid. */
static void a_place_without_convergence_is_passed(void **state)
{
    static const double from[] = {0.19, 0.18, 0.11, 0.19, 0.96}, up_to[] = {0.21, 0.26, 0.24, 0.3, 0.99};
    static const double first[] = {0.25, 0.15, 0.25, 0.15, 0.2};
    (void)state;
    for (int k = 0; k < 5; k++) {
        trial r;
        open_trial(&r, 0.1, 1);
        assert_int_equal(clv_integrator_step(&r.s), CLV_OK);
        refuse_at = from[k], refuse_up_to = up_to[k], tries = 0;
        for (int n = 0; r.s.t < 1; n++) {
            assert_int_equal(clv_integrator_step(&r.s), CLV_OK);
            assert_false(r.s.t > refuse_at && r.s.t < refuse_up_to);
            if (n == 0)
                CLV_NEAR(r.s.t, first[k], 1e-15);
            if (r.s.t > 0.35)
                CLV_NEAR(remainder(r.s.t, 0.1), 0, 1e-15);
        }
        assert_true(r.s.t == 1);
        assert_int_equal(r.s.stats.rejected, tries - (r.s.stats.steps - 1));
        assert_int_equal(r.s.stats.rejected > 0, k < 4);
        CLV_NEAR(r.s.y[0], exp(-1), 1e-3);
        close_trial(&r);
    }
    trial r; /* a step that is too long */
    open_trial(&r, 0.1, 1);
    r.s.ode.owner = NULL, refuse_at = 0, tries = 0;
    assert_int_equal(clv_integrator_step(&r.s), CLV_ERR_NO_CONVERGENCE);
    assert_int_equal(tries, 1);
    close_trial(&r);
}

static void a_saved_rule_goes_on_with_the_same_bits(void **state)
{
    trial a, b;
    (void)state;
    open_trial(&a, 0.03, 1);
    open_trial(&b, 0.03, 1);
    void *bytes = malloc(clv_integrator_saved_size(&a.s)), *other = malloc(clv_integrator_saved_size(&a.s));
    for (int i = 0; i < 7; i++)
        assert_int_equal(clv_integrator_step(&a.s), CLV_OK);
    clv_integrator_save(&a.s, bytes);
    clv_integrator_load(&b.s, bytes);
    while (a.s.t < 1) {
        assert_int_equal(clv_integrator_step(&a.s), CLV_OK);
        assert_int_equal(clv_integrator_step(&b.s), CLV_OK);
        clv_integrator_save(&a.s, bytes), clv_integrator_save(&b.s, other);
        assert_memory_equal(bytes, other, clv_integrator_saved_size(&a.s));
    }
    free(bytes), free(other);
    close_trial(&a), close_trial(&b);
}

/* methods and problems that do not belong together */
static void a_rule_is_needed(void **state)
{
    trial r = {0};
    static const double one[1] = {1};
    const clv_ode ode = {.n = 1, .rates = decay, .scale = ones};
    const clv_integrator_options o = {.rtol = 1e-6, .atol = 1e-6, .step = 0.1, .direction_end = 1};
    (void)state;
    for (int i = 0; i < 2; i++) {
        clv_integrator_layout(&r.s, clv_method_find("generalized-alpha"), 1, 0, &r.a);
        if (i == 0)
            assert_true(clv_arena_open(&r.a));
    }
    assert_int_equal(clv_integrator_begin(&r.s, &ode, &o, 0, one), CLV_ERR_UNSUPPORTED);
    close_trial(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_lie_on_a_grid),
        cmocka_unit_test(the_end_is_met_without_slivers),
        cmocka_unit_test(order_and_dense_output),
        cmocka_unit_test(a_failed_step_leaves_everything),
        cmocka_unit_test(a_place_without_convergence_is_passed),
        cmocka_unit_test(a_saved_rule_goes_on_with_the_same_bits),
        cmocka_unit_test(a_rule_is_needed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
