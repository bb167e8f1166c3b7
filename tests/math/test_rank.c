/* SPDX-License-Identifier: Apache-2.0
 * Rank-revealing factor (T20): full rank against the inverse, deficient rank against the properties of Moore and
 * Penrose in the scaled unknowns, null vectors, decisions that do not depend on units. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "math/rank.h"
#include "near.h"
#include "oracle/random_system.h"

enum { MOST = 40 }; /* above WIDE of rank.c */
static double memory[3 * MOST * MOST + 3 * MOST];

/* Z = A A^T, A m x r random: rank r */
static void positive(random_stream *s, int m, int r, double *Z)
{
    double A[MOST * MOST];
    for (int i = 0; i < m * r; i++)
        A[i] = random_normal(s);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) {
            Z[i * m + j] = 0;
            for (int k = 0; k < r; k++)
                Z[i * m + j] += A[i * r + k] * A[j * r + k];
        }
}

static void times(int m, const double *Z, const double *x, double *y)
{
    for (int i = 0; i < m; i++) {
        y[i] = 0;
        for (int j = 0; j < m; j++)
            y[i] += Z[i * m + j] * x[j];
    }
}

static double size_of(int m, const double *x)
{
    double t = 0;
    for (int i = 0; i < m; i++)
        t = fmax(t, fabs(x[i]));
    return t;
}

/* scaled pseudo-inverse, column by column: X = S Zs^+ S with S = 1 / scale */
static int pseudo_inverse(int m, const double *Z, const double *scale, double rank, double *X)
{
    double pivot;
    clv_rank f = clv_rank_view(m, m, memory);
    int r = clv_rank_factor(&f, Z, scale, rank, &pivot);
    assert_true(pivot > 0 && pivot <= 1.0 + 1e3);
    for (int j = 0; j < m; j++) {
        double x[MOST] = {0};
        x[j] = 1;
        f = clv_rank_view(m, r, memory);
        clv_rank_solve(&f, x);
        for (int i = 0; i < m; i++)
            X[i * m + j] = x[i];
    }
    return r;
}

static void full_rank_gives_the_inverse(void **state)
{
    (void)state;
    random_stream s = {1};
    double Z[MOST * MOST], X[MOST * MOST], x[MOST], y[MOST], z[MOST];
    for (int m = 1; m <= MOST; m++)
        for (int way = 0; way < 2; way++) { /* with and without pivoting */
            positive(&s, m, m, Z);
            for (int i = 0; i < m; i++)
                Z[i * m + i] += 1;
            assert_int_equal(pseudo_inverse(m, Z, NULL, way ? 1e-12 : 0, X), m);
            for (int i = 0; i < m; i++)
                x[i] = random_normal(&s);
            times(m, X, x, y), times(m, Z, y, z);
            for (int i = 0; i < m; i++)
                CLV_NEAR(z[i], x[i], 1e-11);
        }
}

static void only_the_lower_triangle_is_read(void **state)
{
    (void)state;
    random_stream s = {2};
    double Z[25], X[25], Y[25];
    positive(&s, 5, 5, Z);
    pseudo_inverse(5, Z, NULL, 1e-12, X);
    for (int i = 0; i < 5; i++)
        for (int j = i + 1; j < 5; j++)
            Z[5 * i + j] = NAN;
    pseudo_inverse(5, Z, NULL, 1e-12, Y);
    assert_memory_equal(X, Y, sizeof X);
}

/* Z X Z = Z, X Z X = X, and (with the scale) both products symmetric: minimum norm in the scaled unknowns */
static void deficient_rank_gives_the_pseudo_inverse(void **state)
{
    (void)state;
    random_stream s = {3};
    double Z[MOST * MOST], Zs[MOST * MOST], X[MOST * MOST], x[MOST], y[MOST], z[MOST], w[MOST], scale[MOST];
    for (int m = 2; m <= MOST; m++)
        for (int r = 0; r < m; r += 1 + m / 6) {
            positive(&s, m, r, Zs);
            for (int i = 0; i < m; i++)
                scale[i] = exp(6 * random_normal(&s));
            for (int i = 0; i < m; i++)
                for (int j = 0; j < m; j++)
                    Z[i * m + j] = scale[i] * Zs[i * m + j] * scale[j];
            assert_int_equal(pseudo_inverse(m, Z, scale, 1e-9, X), r);
            for (int i = 0; i < m; i++) /* to scaled unknowns */
                for (int j = 0; j < m; j++)
                    X[i * m + j] *= scale[i] * scale[j];
            double small = 1e-7 * (1 + size_of(m * m, X)) * (1 + size_of(m * m, Zs));
            for (int i = 0; i < m; i++)
                x[i] = random_normal(&s);
            times(m, Zs, x, y), times(m, X, y, z), times(m, Zs, z, w);
            for (int i = 0; i < m; i++)
                CLV_NEAR(w[i], y[i], small);
            times(m, X, x, y), times(m, Zs, y, z), times(m, X, z, w);
            for (int i = 0; i < m; i++)
                CLV_NEAR(w[i], y[i], small * (1 + size_of(m, y)));
            for (int i = 0; i < m; i++)
                for (int j = 0; j < i; j++) {
                    double a = 0, b = 0;
                    for (int k = 0; k < m; k++)
                        a += Zs[i * m + k] * X[k * m + j], b += Zs[j * m + k] * X[k * m + i];
                    CLV_NEAR(a, b, small);
                }
        }
}

static void half_solves_make_the_inverse(void **state)
{
    (void)state;
    random_stream s = {4};
    double Z[MOST * MOST], X[MOST * MOST], x[MOST], y[MOST], a[MOST], b[MOST], pivot;
    for (int m = 1; m <= 12; m++)
        for (int r = 1; r <= m; r++) {
            positive(&s, m, r, Z);
            pseudo_inverse(m, Z, NULL, 1e-9, X);
            clv_rank f = clv_rank_view(m, m, memory);
            assert_int_equal(clv_rank_factor(&f, Z, NULL, 1e-9, &pivot), r);
            for (int i = 0; i < m; i++)
                x[i] = random_normal(&s), y[i] = random_normal(&s);
            clv_rank_half(&f, a, x), clv_rank_half(&f, b, y);
            double half = 0, whole = 0, Xy[MOST];
            times(m, X, y, Xy);
            for (int i = 0; i < r; i++)
                half += a[i] * b[i];
            for (int i = 0; i < m; i++)
                whole += x[i] * Xy[i];
            CLV_NEAR(half, whole, 1e-7 * (1 + size_of(m * m, X)));
        }
}

static void null_vectors_are_orthonormal_in_the_scale(void **state)
{
    (void)state;
    random_stream s = {5};
    double Z[MOST * MOST], scale[MOST], n[MOST][MOST], y[MOST], pivot;
    for (int m = 1; m <= MOST; m++)
        for (int r = 0; r < m; r += 1 + m / 8) {
            positive(&s, m, r, Z);
            for (int i = 0; i < m; i++)
                scale[i] = exp(3 * random_normal(&s));
            for (int i = 0; i < m; i++)
                for (int j = 0; j < m; j++)
                    Z[i * m + j] *= scale[i] * scale[j];
            clv_rank f = clv_rank_view(m, m, memory);
            assert_int_equal(clv_rank_factor(&f, Z, scale, 1e-9, &pivot), r);
            for (int k = 0; k < m - r; k++) {
                clv_rank_null(&f, k, n[k]);
                times(m, Z, n[k], y);
                for (int i = 0; i < m; i++)
                    CLV_NEAR(y[i] / scale[i], 0, 1e-9 * (1 + m));
                for (int l = 0; l <= k; l++) {
                    double t = 0;
                    for (int i = 0; i < m; i++)
                        t += n[k][i] * scale[i] * n[l][i] * scale[i];
                    CLV_NEAR(t, k == l, 1e-12);
                }
            }
        }
}

/* a direction a little above the threshold stays, a little below goes, and the numbers say which */
static void threshold_decides_on_the_scaled_pivot(void **state)
{
    (void)state;
    for (int unit = -6; unit <= 6; unit += 3) {
        double u = pow(10, unit), pivot, scale[3] = {u, 1, 1 / u};
        for (int above = 0; above < 2; above++) {
            double weak = above ? 2e-8 : 0.5e-8;
            double Z[9] = {u * u, 0, 0, 0, weak, 0, 0, 0, 1 / (u * u)};
            clv_rank f = clv_rank_view(3, 3, memory);
            assert_int_equal(clv_rank_factor(&f, Z, scale, 1e-8, &pivot), above ? 3 : 2);
            CLV_NEAR(pivot, above ? weak : 1.0, 1e-12);
            CLV_NEAR(f.dropped, above ? 0.0 : weak, 1e-20);
        }
    }
}

static void nothing_but_zero_has_rank_zero(void **state)
{
    (void)state;
    double Z[16] = {0}, x[4] = {1, 2, 3, 4}, pivot;
    clv_rank f = clv_rank_view(4, 4, memory);
    assert_int_equal(clv_rank_factor(&f, Z, NULL, 1e-8, &pivot), 0);
    clv_rank_solve(&f, x);
    for (int i = 0; i < 4; i++)
        assert_true(x[i] == 0);
}

static void columns_at_once_have_the_bits_of_one(void **state)
{
    (void)state;
    random_stream s = {.state = 77};
    for (int m = 1; m <= 18; m++)
        for (int r = m > 4 ? m - 2 : m; r <= m; r++) {
            enum { COLUMNS = 12 };
            double Z[MOST * MOST], X[MOST * COLUMNS], Y[MOST * COLUMNS], scale[MOST], pivot;
            positive(&s, m, r, Z);
            for (int i = 0; i < m; i++)
                scale[i] = sqrt(Z[i * m + i]);
            for (int i = 0; i < m * COLUMNS; i++)
                X[i] = random_normal(&s);
            clv_rank f = clv_rank_view(m, m, memory);
            assert_int_equal(clv_rank_factor(&f, Z, scale, 1e-10, &pivot), r);
            clv_rank_half_columns(&f, Y, X, COLUMNS);
            for (int a = 0; a < COLUMNS; a++) {
                double x[MOST], y[MOST];
                for (int i = 0; i < m; i++)
                    x[i] = X[i * COLUMNS + a];
                clv_rank_half(&f, y, x);
                for (int i = 0; i < r; i++)
                    assert_true(y[i] == Y[i * COLUMNS + a]);
            }
        }
}

static void bad_pivots_are_refused(void **state)
{
    (void)state;
    double zero[4] = {1, 1, 1, 1}, negative[4] = {1, 0, 0, -1}, nan[4] = {1, 0, 0, NAN}, inf[4] = {INFINITY, 0, 0, 1},
           pivot;
    clv_rank f = clv_rank_view(2, 2, memory);
    assert_int_equal(clv_rank_factor(&f, zero, NULL, 0, &pivot), -1);
    assert_int_equal(clv_rank_factor(&f, negative, NULL, 0, &pivot), -1);
    assert_int_equal(clv_rank_factor(&f, nan, NULL, 1e-8, &pivot), -1);
    assert_int_equal(clv_rank_factor(&f, inf, NULL, 1e-8, &pivot), -1);
    double off[4] = {1, NAN, NAN, 1}; /* off the diagonal it must not pass either */
    assert_int_equal(clv_rank_factor(&f, off, NULL, 0, &pivot), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(full_rank_gives_the_inverse),
        cmocka_unit_test(only_the_lower_triangle_is_read),
        cmocka_unit_test(deficient_rank_gives_the_pseudo_inverse),
        cmocka_unit_test(half_solves_make_the_inverse),
        cmocka_unit_test(null_vectors_are_orthonormal_in_the_scale),
        cmocka_unit_test(threshold_decides_on_the_scaled_pivot),
        cmocka_unit_test(nothing_but_zero_has_rank_zero),
        cmocka_unit_test(columns_at_once_have_the_bits_of_one),
        cmocka_unit_test(bad_pivots_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
