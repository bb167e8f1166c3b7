/* SPDX-License-Identifier: Apache-2.0
 * ALDCA (T23) beside what its paper writes: the same iterates as a dense solve in seven coordinates per body, in
 * extended precision; what the paper's leading matrix loses; singular positions; and options out of range. Projections:
 * test_aldca_projections.c; accelerations against the oracle and orders: laws/test_formulations.c; motions against
 * converged files: reference/. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "near.h"
#include "oracle/oracle.h"
#include "oracle/oracle_seven.h"
#include "simulation/sim.h"

static clv_model *example(const char *name, const char *param)
{
    clv_model *m;
    assert_int_equal(clv_example_create(&m, name, &param, param ? 1 : 0), CLV_OK);
    return m;
}

static clv_sim *open_sim(const clv_model *m, clv_sim_options o)
{
    clv_sim *s;
    o.formulation = "aldca";
    clv_status st = clv_sim_create(&s, m, &o);
    if (st != CLV_OK)
        print_error("%s\n", clv_sim_error(s)->message);
    assert_int_equal(st, CLV_OK);
    return s;
}

/* ------------------------------------------------------------------ seven coordinates */

static seven *seven_of(const clv_sim *s)
{
    return seven_create(s->model, s->out_r, s->system.kin.R, s->out_V);
}

/* largest difference of accelerations of the centres of mass and of angular accelerations; relative */
static double apart(const seven *d, const double *A, const real *x)
{
    double most = 0, size = 0, V[6 * SEVEN_BODIES];
    seven_twists(d, x, V);
    for (int i = 0; i < 6 * d->n / 7; i++)
        most = fmax(most, fabs(V[i] - A[i])), size = fmax(size, fabs(A[i]));
    return most / size;
}

static const struct {
    const char *name, *param;
    double time; /* of the state compared, s */
} CASES[] = {{"hdca-case1", NULL, 0.7},      {"hdca-case3", NULL, 0.5}, {"aldca-coupled", NULL, 0.8},
             {"loop-7r", NULL, 0.4},         {"bricard", NULL, 0.3},    {"chain", "links=6", 0.3},
             {"four-bar-ladder", NULL, 0.2}, {"pendulum", NULL, 0.5}};

/* alpha of every dense row: those of the engine's, whose scale belongs to the kind of row */
static real *penalties(const clv_sim *s, const seven *d, double alpha)
{
    real *a = calloc((size_t)d->rows + 1, sizeof(real));
    int k = 0;
    for (int e = 0; e < s->plan->nedge; e++)
        for (int r = 0; r < s->plan->edge[e].m; r++, k++) {
            double scale = s->system.engine.scale[s->plan->edge[e].row + r];
            a[k] = alpha / ((real)scale * scale);
        }
    assert_int_equal(k, d->rows);
    return a;
}

static void iterates_are_those_of_seven_coordinates(void **state)
{
    (void)state;
    static const double ALPHA[] = {1e3, 1e5, 1e6, 1e7};
    double worst = 0, limit = 0;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
        for (size_t a = 0; a < sizeof ALPHA / sizeof *ALPHA; a++) {
            clv_model *m = example(CASES[i].name, CASES[i].param);
            seven *d = NULL;
            real *alpha = NULL, x[7 * 64], lam[512] = {0}, y[7 * 64], mu[512] = {0};
            for (int k = 1; k <= 4; k++) { /* the paper's first, second ... iterate: stopped by the limit */
                clv_sim_options o = clv_sim_options_default();
                o.rtol = 1e-10;
                clv_sim *s = open_sim(m, o);
                assert_int_equal(clv_sim_set_end(s, CASES[i].time), CLV_OK); /* projected there */
                assert_int_equal(clv_sim_advance(s, CASES[i].time), CLV_OK);
                clv_sim *t;
                o.alpha = ALPHA[a], o.iterations = k, o.eps_a = 0; /* the same state by a simulation that stops early */
                t = open_sim(m, o);
                double *bare = calloc(clv_sim_state_size(t), sizeof(double));
                bare[0] = clv_sim_time(s);
                memcpy(bare + 4, s->out_y, (size_t)s->n * sizeof(double));
                assert_int_equal(clv_sim_show_state(t, bare, clv_sim_state_size(t)), CLV_OK);
                assert_int_equal(clv_sim_evaluate(t), CLV_OK);
                if (!d)
                    d = seven_of(t), alpha = penalties(t, d, ALPHA[a]);
                seven_iterate(d, d->Q, d->gamma, alpha, 0, x, lam);
                double off = apart(d, t->out_A, x);
                if (off > 1e-11)
                    print_error("%s, alpha %g, iterate %d: %.1e apart\n", CASES[i].name, ALPHA[a], k, off);
                CLV_NEAR(off, 0, 1e-11);
                worst = fmax(worst, off);
                free(bare), clv_sim_destroy(t), clv_sim_destroy(s);
            }
            for (int k = 0; k < 12; k++) /* normalization with a penalty of its own, as printed: the same limit */
                seven_iterate(d, d->Q, d->gamma, alpha, 1e6, y, mu), seven_iterate(d, d->Q, d->gamma, alpha, 0, x, lam);
            if (ALPHA[a] >= 1e5)
                for (int k = 0; k < d->n; k++)
                    limit = fmax(limit, fabs((double)(x[k] - y[k])) / (1 + fabs((double)x[k])));
            seven_destroy(d), free(alpha), clv_model_destroy(m);
        }
    printf("iterates apart by at most %.1e of the accelerations; limits with penalized normalization by %.1e\n", worst,
           limit);
    assert_true(limit < 1e-9);
}

/* (9), (10): M + Phi^T alpha Phi in double precision loses alpha eps; the compliance form (T24) does not */
static void the_printed_matrix_loses_digits(void **state)
{
    (void)state;
    static const double ALPHA[] = {1e5, 1e6, 1e7};
    double printed[3] = {0}, ours[3] = {0};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
        for (int a = 0; a < 3; a++) {
            clv_model *m = example(CASES[i].name, CASES[i].param);
            clv_sim_options o = clv_sim_options_default();
            o.alpha = ALPHA[a];
            clv_sim *s = open_sim(m, o);
            assert_int_equal(clv_sim_evaluate(s), CLV_OK);
            seven *d = seven_of(s);
            real *alpha = penalties(s, d, ALPHA[a]), x[7 * 64], lam[512] = {0}, y[7 * 64], mu[512] = {0};
            double A[6 * 64];
            for (int k = 0; k < 12; k++) {
                seven_iterate(d, d->Q, d->gamma, alpha, 0, x, lam);
                seven_iterate_printed(d, d->Q, d->gamma, alpha, ALPHA[a], y, mu);
            }
            seven_twists(d, x, A);
            printed[a] = fmax(printed[a], apart(d, A, y)), ours[a] = fmax(ours[a], apart(d, s->out_A, x));
            seven_destroy(d), free(alpha), clv_sim_destroy(s), clv_model_destroy(m);
        }
    for (int a = 0; a < 3; a++) {
        printf("alpha %g: accelerations off by %.1e as printed, %.1e here\n", ALPHA[a], printed[a], ours[a]);
        assert_true(ours[a] < 1e-11 && printed[a] > 10 * ours[a]);
    }
}

/* ------------------------------------------------------------------ singular positions */

/* all uprights of a ladder turn alike; it is flat, and singular, twice in every turn */
static void ladders_pass_their_flat_positions(void **state)
{
    (void)state;
    static const char *const windows[] = {"windows=1", "windows=2"};
    for (int k = 0; k < 2; k++) {
        clv_model *m = example("four-bar-ladder", windows[k]);
        clv_sim_options o = clv_sim_options_default();
        o.rtol = 1e-9;
        clv_sim *s = open_sim(m, o);
        clv_sim_report r;
        int passes = 0;
        double before = 1, shape = 0, n = k + 1;
        for (int i = 1; i <= 1000; i++) {
            assert_int_equal(clv_sim_advance(s, 0.01 * i), CLV_OK);
            const double *x = clv_sim_marker(s);
            passes += x[1] * before < 0, before = x[1];
            for (int b = 0; b <= (int)n; b++) /* parallel uprights */
                shape = fmax(shape, fabs(clv_sim_position(s)[3 * b] - b - clv_sim_position(s)[0]));
        }
        clv_sim_summary(s, &r);
        printf("%s: %d passes, uprights parallel to %.1e m, drift %.1e J, %ld steps\n", windows[k], passes, shape,
               r.max_energy_drift, r.steps);
        assert_true(passes >= 8);
        CLV_NEAR(shape, 0, 1e-4);
        CLV_NEAR(r.max_energy_drift, 0, 1e-4);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

/* The rhombus stays symmetric: with the angle th of its upper bars, a = 0.2 m, m = 1 kg, J = 0.25 kg m^2,
 *   (2 J + m a^2 (1/2 + 2 sin^2 th)) th'' + 2 m a^2 sin th cos th th'^2 = -2 m g a sin th,   th(0) = pi/4 */
static real swing(real th, real w)
{
    const real a = 0.2L, J = 0.25L, g = 9.81L, s = sinl(th), c = cosl(th);
    return (-2 * g * a * s - 2 * a * a * s * c * w * w) / (2 * J + a * a * (0.5L + 2 * s * s));
}

static void five_bar_folds_and_opens(void **state)
{
    (void)state;
    clv_model *m = example("five-bar", NULL);
    clv_sim_options o = clv_sim_options_default();
    o.rtol = 1e-9;
    clv_sim *s = open_sim(m, o);
    clv_sim_report r;
    real th = acosl(-1) / 4, w = 0;
    const real h = 1e-3L;
    double most = 0;
    int folds = 0;
    for (int i = 1; i <= 10000; i++) {
        real k1 = swing(th, w), w2 = w + h / 2 * k1, k2 = swing(th + h / 2 * w, w2), w3 = w + h / 2 * k2;
        real k3 = swing(th + h / 2 * w2, w3), w4 = w + h * k3, k4 = swing(th + h * w3, w4), before = th;
        th += h / 6 * (w + 2 * w2 + 2 * w3 + w4), w += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
        folds += th * before < 0;
        if (i % 20)
            continue;
        assert_int_equal(clv_sim_advance(s, i * 1e-3), CLV_OK);
        const double *x = clv_sim_position(s);
        for (int b = 0; b < 4; b++) {
            double side = b < 2 ? 0.1 : -0.1, deep = b == 0 || b == 3 ? -0.1 : -0.3;
            most = fmax(most,
                        fmax(fabs(x[3 * b] - side * (double)sinl(th)), fabs(x[3 * b + 1] - deep * (double)cosl(th))));
        }
    }
    clv_sim_summary(s, &r);
    printf("five-bar: %d folds, off by %.1e m, drift %.1e J, iterations at most %d %d %d\n", folds, most,
           r.max_energy_drift, r.stage[0].most, r.stage[1].most, r.stage[2].most);
    assert_int_equal(r.mobility_counted, -1), assert_int_equal(r.mobility_found, 2);
    assert_true(folds >= 8);
    CLV_NEAR(most, 0, 1e-6);
    CLV_NEAR(r.max_position_violation, 0, 1e-12 * s->size);
    CLV_NEAR(r.max_velocity_violation, 0, 1e-11);
    clv_sim_destroy(s), clv_model_destroy(m);
}

/* Lagrange multipliers alone want [[M, Phi^T], [Phi, 0]] inverted (4.2 of the paper): its singular values, with 6
 * coordinates a body, at the start of the five-bar, in its own motion and not only where it folds. */
static void the_matrix_of_multiplier_methods_is_singular(void **state)
{
    (void)state;
    clv_model *m = example("five-bar", NULL);
    oracle *o = oracle_create(m);
    oracle_update(o);
    const int n = o->n, N = o->n + o->rows;
    real *K = calloc((size_t)N * (size_t)N, sizeof *K), *s = calloc((size_t)N, sizeof *s);
    real *y = calloc((size_t)n, sizeof *y), *x = calloc((size_t)n, sizeof *x);
    for (int j = 0; j < n; j++) {
        memset(y, 0, (size_t)n * sizeof *y), y[j] = 1;
        oracle_mass_times(o, y, x);
        for (int i = 0; i < n; i++)
            K[j * N + i] = x[i];
        for (int r = 0; r < o->rows; r++)
            K[j * N + n + r] = K[(n + r) * N + j] = o->J[r * n + j];
    }
    assert_true(linear_singular_values(K, N, N, s));
    int rank = 0;
    while (rank < N && s[rank] > ORACLE_RANK * s[0])
        rank++;
    printf("five-bar: %d of %d rows, rank of the KKT matrix %d of %d\n", rank - n, o->rows, rank, N);
    assert_int_equal(o->rows, 25), assert_int_equal(rank - n, 22);
    free(K), free(s), free(y), free(x);
    oracle_destroy(o), clv_model_destroy(m);
}

/* ------------------------------------------------------------------ options */

static void options_out_of_place_are_refused(void **state)
{
    (void)state;
    clv_model *m = example("pendulum", NULL);
    clv_sim *s;
    clv_sim_options o = clv_sim_options_default();
    o.alpha = 1e6;
    assert_int_equal(clv_sim_create(&s, m, &o), CLV_ERR_USAGE);
    assert_non_null(strstr(clv_sim_error(s)->message, "formulation 'hdca' has no option alpha"));
    clv_sim_destroy(s);
    o.formulation = "aldca", o.alpha = -1;
    assert_int_equal(clv_sim_create(&s, m, &o), CLV_ERR_USAGE);
    clv_sim_destroy(s);
    o.alpha = NAN, o.baumgarte[0] = 1;
    assert_int_equal(clv_sim_create(&s, m, &o), CLV_ERR_USAGE);
    assert_non_null(strstr(clv_sim_error(s)->message, "omega and mu"));
    clv_sim_destroy(s), clv_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(iterates_are_those_of_seven_coordinates), cmocka_unit_test(the_printed_matrix_loses_digits),
        cmocka_unit_test(ladders_pass_their_flat_positions),       cmocka_unit_test(five_bar_folds_and_opens),
        cmocka_unit_test(options_out_of_place_are_refused),
        cmocka_unit_test(the_matrix_of_multiplier_methods_is_singular),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
