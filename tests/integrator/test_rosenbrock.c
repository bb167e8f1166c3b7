/* SPDX-License-Identifier: Apache-2.0
 * The step that bdf starts with after a jump (T21.7): order 3 with any Jacobian, exact for parabolas, stable on stiff
 * problems, an estimate of the right size. */
#include "problems.h"
#include "integrator/rosenbrock.h"

typedef struct bench {
    rig rig;
    clv_arena arena;
    clv_rosenbrock r;
} bench;

static void bench_open(bench *b, const clv_ode *ode, double t, const double *y)
{
    const clv_integrator_options options = {.rtol = 1e-6, .atol = 1e-6, .direction_end = NAN};
    rig_open(&b->rig, "dopri5", ode->n);
    assert_int_equal(clv_integrator_begin(&b->rig.s, ode, &options, t, y), CLV_OK);
    b->arena = (clv_arena){0};
    clv_rosenbrock_layout(&b->r, ode->n, &b->arena);
    assert_true(clv_arena_open(&b->arena));
    clv_rosenbrock_layout(&b->r, ode->n, &b->arena);
    b->r.age = -1;
}

static void bench_close(bench *b)
{
    rig_close(&b->rig);
    clv_arena_close(&b->arena);
}

/* `steps` equal steps to `end`; age 0 keeps the Jacobian that is there */
static double go(bench *b, double end, int steps, bool keep)
{
    clv_integrator *s = &b->rig.s;
    const double h = (end - s->t) / steps;
    double y[NMAX], err = 0;
    for (int i = 0; i < steps; i++) {
        assert_int_equal(clv_integrator_evaluate(s, s->t, s->y, s->f), CLV_OK);
        b->r.age = keep ? 0 : -1;
        assert_int_equal(clv_rosenbrock_step(s, &b->r, h, y, &err), CLV_OK);
        memcpy(s->y, y, (size_t)s->ode.n * sizeof *y);
        s->t += h;
    }
    return err;
}

static double coupled_error(int steps, bool keep)
{
    bench b;
    double y[4], exact[4], most = 0;
    const clv_ode ode = {.n = 4, .rates = coupled_rates, .scale = ones};
    coupled_exact(0.2, y), coupled_exact(1.2, exact);
    bench_open(&b, &ode, 0.2, y);
    for (int i = 0; keep && i < 16; i++)
        b.r.J[i] = 0.1 * (i - 7); /* of no problem */
    go(&b, 1.2, steps, keep);
    for (int i = 0; i < 4; i++)
        most = fmax(most, fabs(b.rig.s.y[i] - exact[i]));
    bench_close(&b);
    return most;
}

static void order_is_3_with_any_jacobian(void **state)
{
    (void)state;
    for (int keep = 0; keep < 2; keep++) {
        const double order = log2(coupled_error(200, keep) / coupled_error(400, keep));
        if (!(order > 2.8 && order < 3.4))
            fail_msg("order %g", order);
    }
}

/* y'' = 3, y(0) = 1, y'(0) = -2 */
static clv_status thrown(void *owner, double t, const double *y, double *f)
{
    (void)owner, (void)t;
    f[0] = y[1], f[1] = 3;
    return CLV_OK;
}

static void parabola_is_exact(void **state)
{
    (void)state;
    bench b;
    const clv_ode ode = {.n = 2, .rates = thrown, .scale = ones};
    const double y[2] = {1, -2};
    bench_open(&b, &ode, 0, y);
    const double err = go(&b, 2, 1, false);
    CLV_NEAR(b.rig.s.y[0], 3, 1e-14);
    CLV_NEAR(b.rig.s.y[1], 4, 1e-14);
    assert_true(err < 1e-7);
    bench_close(&b);
}

/* y' = -1e6 (y - 1) from 3: one step of 1 s goes to 1, and the estimate sees that it knows nothing */
static clv_status stiff(void *owner, double t, const double *y, double *f)
{
    (void)owner, (void)t;
    f[0] = -1e6 * (y[0] - 1);
    return CLV_OK;
}

static void stiff_parts_fade(void **state)
{
    (void)state;
    bench b;
    const clv_ode ode = {.n = 1, .rates = stiff, .scale = ones};
    const double y[1] = {3};
    bench_open(&b, &ode, 0, y);
    go(&b, 1, 1, false);
    CLV_NEAR(b.rig.s.y[0], 1, 1e-4);
    bench_close(&b);
    bench_open(&b, &ode, 0, y);
    assert_true(go(&b, 1e-6, 1, false) > 100);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_is_3_with_any_jacobian),
        cmocka_unit_test(parabola_is_exact),
        cmocka_unit_test(stiff_parts_fade),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
