/* SPDX-License-Identifier: Apache-2.0
 * Passes over the states: the same bits as plain loops at every length around a block and around what threads share
 * out; NaN and infinity are seen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <string.h>

#include "integrator/vector.h"

enum { MOST = 9000, COLUMNS = 4 };
static const int lengths[] = {0, 1, 7, 255, 256, 257, 512, 1000, 2047, 2048, 2049, 4096, 9000};
enum { LENGTHS = sizeof lengths / sizeof *lengths };
static const double weights[COLUMNS] = {1.0 / 3, 0, -44.0 / 45, 1e-3};
static double columns[COLUMNS * MOST], y[MOST], y_new[MOST], scale[MOST];
static clv_combination all = {weights, columns, MOST, COLUMNS, NULL};

static int fill(void **state)
{
    (void)state;
    for (int i = 0; i < COLUMNS * MOST; i++)
        columns[i] = cos(2.3 * i);
    for (int i = 0; i < MOST; i++)
        y[i] = sin(1.1 * i), y_new[i] = y[i] + 1e-3 * columns[i], scale[i] = i % 5 ? 1.0 : 0.0;
    return 0;
}

static double plain_sum(int i)
{
    double sum = weights[0] * columns[i];
    sum += weights[2] * columns[2 * MOST + i];
    return sum + weights[3] * columns[3 * MOST + i];
}

static void sums_have_the_bits_of_plain_loops(void **state)
{
    double to[MOST + 1];
    (void)state;
    for (int l = 0; l < LENGTHS; l++) {
        const int n = lengths[l];
        to[n] = 17;
        clv_vector_sum(to, &all, n);
        for (int i = 0; i < n; i++)
            assert_true(to[i] == plain_sum(i));
        clv_vector_advance(to, y, 0.1, &all, n);
        for (int i = 0; i < n; i++)
            assert_true(to[i] == y[i] + 0.1 * plain_sum(i));
        assert_true(to[n] == 17);
        memcpy(to, y, sizeof y);
        clv_vector_advance(to, to, 0.1, &all, n);
        for (int i = 0; i < MOST; i++)
            assert_true(to[i] == (i < n ? y[i] + 0.1 * plain_sum(i) : y[i]));
    }
}

static void copies_end_where_they_should(void **state)
{
    double to[MOST + 1];
    (void)state;
    for (int l = 0; l < LENGTHS; l++) {
        to[lengths[l]] = 17;
        clv_team_copy(all.team, to, y, (size_t)lengths[l]);
        assert_memory_equal(to, y, (size_t)lengths[l] * sizeof *y);
        assert_true(to[lengths[l]] == 17);
    }
}

static void no_weights_sum_to_nothing(void **state)
{
    static const double none[COLUMNS] = {0};
    const clv_combination nothing = {none, columns, MOST, COLUMNS, NULL};
    double to[MOST];
    (void)state;
    clv_vector_advance(to, y, 0.1, &nothing, MOST);
    assert_memory_equal(to, y, sizeof y);
}

static double plain_norm(int n)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        if (scale[i] != 0)
            most = fmax(most, fabs(plain_sum(i)) / fmax(1e-6 * fmax(fabs(y[i]), fabs(y_new[i])), 1e-8 * scale[i]));
    return most;
}

static void norms_measure_by_the_larger_state(void **state)
{
    const clv_error_norm norm = {1e-6, 1e-8, scale, NULL, y, y_new, 0};
    (void)state;
    for (int l = 0; l < LENGTHS; l++) {
        int worst;
        assert_true(clv_vector_norm_of_sum_at(&norm, &all, lengths[l], &worst) == plain_norm(lengths[l]));
        assert_int_equal(worst < 0, lengths[l] < 2); /* state 0 has no scale */
        if (worst >= 0) {
            const double e = plain_sum(worst);
            clv_error_norm one = norm;
            clv_error_norm_add(&one, &e, worst, 1);
            assert_true(one.value == plain_norm(lengths[l]));
        }
        assert_true(clv_vector_norm_of_sum(&norm, &all, lengths[l]) == plain_norm(lengths[l]));
    }
    assert_true(plain_norm(MOST) > 1);
}

/* beyond its bound a state tolerates no more, but for rounding; up to it the bits are those without a bound */
static void bounds_end_the_growth_of_what_is_tolerated(void **state)
{
    static const double size[] = {0, 0.1, 6, 6.28, 7, 1e3, 1e7, 1e12};
    (void)state;
    for (int i = 0; i < 8; i++) {
        const double free = clv_tolerated(1e-6, 1e-8, 1, INFINITY, size[i]);
        const double held = clv_tolerated(1e-6, 1e-8, 1, 2 * 3.14159265358979323846, size[i]);
        assert_true(free == fmax(1e-6 * size[i], 1e-8));
        assert_true(size[i] < 6.283 ? held == free : held == fmax(1e-6 * 2 * 3.14159265358979323846, 1e-14 * size[i]));
    }
    double e = 1e-6, at = 100, bound = 6;
    clv_error_norm norm = {1e-6, 1e-8, (const double[]){1}, &bound, &at, &at, 0};
    clv_error_norm_add(&norm, &e, 0, 1);
    assert_true(norm.value == 1e-6 / 6e-6);
}

static void no_number_is_an_infinite_error(void **state)
{
    const clv_error_norm norm = {1e-6, 1e-8, scale, NULL, y, y_new, 0};
    (void)state;
    columns[2 * MOST + 301] = NAN;
    assert_true(isinf(clv_vector_norm_of_sum(&norm, &all, MOST)));
    columns[2 * MOST + 300] = NAN, columns[2 * MOST + 301] = 0; /* this state has no scale */
    assert_true(isfinite(clv_vector_norm_of_sum(&norm, &all, MOST)));
}

static void finite_means_no_infinity_and_no_nan(void **state)
{
    static const double bad[] = {INFINITY, -INFINITY, NAN, -NAN};
    static const double good[] = {DBL_MAX, -DBL_MAX, DBL_MIN, 5e-324, -0.0};
    double x[MOST] = {0};
    (void)state;
    for (int l = 1; l < LENGTHS; l++) {
        const int n = lengths[l], place[] = {0, n / 2, n - 1};
        for (int k = 0; k < 3; k++) {
            for (int b = 0; b < 4; b++) {
                x[place[k]] = bad[b];
                assert_false(clv_vector_finite(all.team, x, n));
            }
            for (int g = 0; g < 5; g++) {
                x[place[k]] = good[g];
                assert_true(clv_vector_finite(all.team, x, n));
            }
        }
    }
    x[10] = NAN;
    assert_true(clv_vector_finite(NULL, x, 10));
    assert_true(clv_vector_finite(NULL, x, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(sums_have_the_bits_of_plain_loops, fill),
        cmocka_unit_test_setup(copies_end_where_they_should, fill),
        cmocka_unit_test_setup(no_weights_sum_to_nothing, fill),
        cmocka_unit_test_setup(norms_measure_by_the_larger_state, fill),
        cmocka_unit_test(bounds_end_the_growth_of_what_is_tolerated),
        cmocka_unit_test_setup(no_number_is_an_infinite_error, fill),
        cmocka_unit_test_setup(finite_means_no_infinity_and_no_nan, fill),
    };
    const int failed = cmocka_run_group_tests_name("one thread", tests, NULL, NULL);
    all.team = clv_team_create(3);
    const int shared = cmocka_run_group_tests_name("three threads", tests, NULL, NULL);
    clv_team_destroy(all.team);
    return failed + shared;
}
