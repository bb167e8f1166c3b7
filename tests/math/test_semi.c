/* SPDX-License-Identifier: Apache-2.0
 * Rank-revealing factor without square roots (T161): the pseudo-inverse, rank and pivots of math/rank.h, half
 * solutions with the same bits in all lanes, the factor made of it for null vectors, and weak directions. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "base/cpu.h"
#include "math/semi.h"
#include "near.h"
#include "oracle/random_system.h"

enum { MOST = 24 };
static double memory[CLV_SEMI_SIZE(MOST)] __attribute__((aligned(64))), other[CLV_RANK_SIZE(MOST)];

/* Z (m x m) in lines of a multiple of eight, and so the scales, for kernels of one lane or of all that this CPU has */
static int factor(clv_semi *f, const double *Z, const double *scale, double rank, double *pivot, int lanes)
{
    static double lines[MOST * MOST] __attribute__((aligned(64))), scales[MOST] __attribute__((aligned(64)));
    for (int i = 0; i < f->m; i++) {
        scales[i] = scale ? scale[i] : 1.0;
        memcpy(lines + i * f->wide, Z + i * f->m, (size_t)f->m * sizeof(double));
    }
    return clv_semi_kernels_of(lanes)->factor(f, lines, f->wide, scale ? scales : NULL, rank, pivot);
}

/* Z = S A A^T S, A m x r random: rank r; returns the scale, too */
static void positive(random_stream *s, int m, int r, double *Z, double *scale)
{
    double A[MOST * MOST];
    for (int i = 0; i < m * r; i++)
        A[i] = random_normal(s);
    for (int i = 0; i < m; i++)
        scale[i] = exp(3 * random_normal(s));
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) {
            Z[i * m + j] = 0;
            for (int k = 0; k < r; k++)
                Z[i * m + j] += A[i * r + k] * A[j * r + k] * scale[i] * scale[j];
        }
}

/* rank, pivots and solutions are those of math/rank.h, each to the rounding of a matrix of condition 1 / pivot */
static void solutions_are_those_of_orthonormal_columns(void **state)
{
    (void)state;
    random_stream s = {11};
    double Z[MOST * MOST], scale[MOST], x[MOST], y[MOST], pivot[2];
    for (int m = 1; m <= MOST; m++)
        for (int r = 0; r <= m; r++) {
            positive(&s, m, r, Z, scale);
            clv_semi f = clv_semi_view(m, m, memory);
            clv_rank g = clv_rank_view(m, m, other);
            assert_int_equal(factor(&f, Z, scale, 1e-9, &pivot[0], 1), r);
            assert_int_equal(clv_rank_factor(&g, Z, scale, 1e-9, &pivot[1]), r);
            CLV_NEAR(pivot[0], pivot[1], 1e-13);
            double most = 0;
            for (int i = 0; i < m; i++)
                x[i] = y[i] = random_normal(&s) * scale[i];
            clv_semi_solve(&f, x), clv_rank_solve(&g, y);
            for (int i = 0; i < m; i++)
                most = fmax(most, fabs(y[i]) * scale[i]);
            for (int i = 0; i < m; i++)
                CLV_NEAR(x[i] * scale[i], y[i] * scale[i], 1e-13 / pivot[1] * most);
        }
}

enum { COLUMNS = 16 };
/* the half solutions Y of X (m x COLUMNS) and their squares, in kernels of so many lanes */
static void find_halves(const clv_semi *f, const double *X, double *Y, double *S, int lanes)
{
    static double scaled[MOST * COLUMNS] __attribute__((aligned(64)));
    for (int i = 0; i < f->m * COLUMNS; i++)
        scaled[i] = X[i] * f->s[i / COLUMNS];
    clv_semi_kernels_of(lanes)->half(f, Y, scaled, COLUMNS);
    clv_semi_kernels_of(lanes)->square(f, S, Y, COLUMNS, 0, COLUMNS, COLUMNS);
}

static void half_solutions_make_the_inverse(void **state)
{
    (void)state;
    random_stream s = {12};
    static double X[MOST * COLUMNS], Y[2][MOST * COLUMNS] __attribute__((aligned(64)));
    static double S[2][COLUMNS * COLUMNS] __attribute__((aligned(64)));
    for (int m = 1; m <= MOST; m++)
        for (int r = 1; r <= m; r++) {
            double Z[MOST * MOST], scale[MOST], x[MOST], y[MOST], pivot;
            positive(&s, m, r, Z, scale);
            for (int i = 0; i < m * COLUMNS; i++)
                X[i] = random_normal(&s) * scale[i / COLUMNS];
            clv_semi f = clv_semi_view(m, m, memory);
            assert_int_equal(factor(&f, Z, scale, 1e-9, &pivot, 1), r);
            find_halves(&f, X, Y[0], S[0], 1);
            for (int a = 0; a < COLUMNS; a++) {
                for (int i = 0; i < m; i++)
                    x[i] = X[i * COLUMNS + a];
                clv_semi_forwards(&f, y, x);
                for (int k = 0; k < r; k++)
                    CLV_NEAR(y[k], Y[0][k * COLUMNS + a], 1e-12 * (1 + fabs(y[k])));
                clv_semi_solve(&f, x);
                double whole = 0;
                for (int i = 0; i < m; i++)
                    whole += x[i] * X[i * COLUMNS + (a + 1) % COLUMNS];
                CLV_NEAR(S[0][a * COLUMNS + (a + 1) % COLUMNS], whole, 1e-11 / pivot);
            }
            for (int i = 0; i < CLV_CPU_WIDTHS; i++) {
                if (!clv_cpu_runs(clv_cpu_width[i]))
                    continue;
                assert_int_equal(factor(&f, Z, scale, 1e-9, &pivot, clv_cpu_width[i]), r);
                find_halves(&f, X, Y[1], S[1], clv_cpu_width[i]);
                assert_memory_equal(Y[0], Y[1], (size_t)(r * COLUMNS) * sizeof(double));
                assert_memory_equal(S[0], S[1], sizeof S[0]);
            }
        }
}

static void null_vectors_are_orthonormal_in_the_scale(void **state)
{
    (void)state;
    random_stream s = {13};
    double Z[MOST * MOST], scale[MOST], n[MOST][MOST], pivot;
    for (int m = 1; m <= MOST; m++)
        for (int r = 0; r < m; r++) {
            positive(&s, m, r, Z, scale);
            clv_semi f = clv_semi_view(m, m, memory);
            assert_int_equal(factor(&f, Z, scale, 1e-9, &pivot, 1), r);
            const clv_rank g = clv_semi_rank(&f);
            for (int k = 0; k < m - r; k++) {
                clv_rank_null(&g, k, n[k]);
                for (int i = 0; i < m; i++) {
                    double sum = 0;
                    for (int j = 0; j < m; j++)
                        sum += Z[i * m + j] * n[k][j];
                    CLV_NEAR(sum / scale[i], 0, 1e-9 * (1 + m));
                }
                for (int l = 0; l <= k; l++) {
                    double t = 0;
                    for (int i = 0; i < m; i++)
                        t += n[k][i] * scale[i] * n[l][i] * scale[i];
                    CLV_NEAR(t, k == l, 1e-12);
                }
            }
        }
}

/* Rows of an exact plane motion, one of them weak: x is known to the digits that the pivot leaves. */
static void weak_directions_keep_their_digits(void **state)
{
    (void)state;
    for (double weak = 1; weak > 1e-4; weak /= 4) {
        const double A[6][2] = {{1, 0}, {0, weak}, {1, weak}, {2, -weak}, {0, 0}, {-1, 3 * weak}};
        double Z[36], x[6] = {0}, pivot;
        for (int i = 0; i < 6; i++) {
            for (int j = 0; j < 6; j++)
                Z[6 * i + j] = A[i][0] * A[j][0] + A[i][1] * A[j][1];
            x[i] = A[i][0] + A[i][1];
        }
        clv_semi f = clv_semi_view(6, 6, memory);
        assert_int_equal(factor(&f, Z, NULL, 1e-12, &pivot, 1), 2);
        clv_semi_solve(&f, x); /* A^T x is (A^T A)^-1 A^T A (1, 1) = (1, 1) */
        double u[2] = {0};
        for (int i = 0; i < 6; i++)
            u[0] += A[i][0] * x[i], u[1] += A[i][1] * x[i];
        CLV_NEAR(u[0], 1, 1e-15 / (weak * weak)), CLV_NEAR(u[1], 1, 1e-15 / (weak * weak));
    }
}

static void bad_pivots_are_refused(void **state)
{
    (void)state;
    const double zero[4] = {1, 1, 1, 1}, negative[4] = {1, 0, 0, -1}, nan[4] = {1, 0, 0, NAN},
                 inf[4] = {INFINITY, 0, 0, 1}, nothing[4] = {0};
    double pivot, x[2] = {1, 2};
    clv_semi f = clv_semi_view(2, 2, memory);
    assert_int_equal(factor(&f, zero, NULL, 0, &pivot, 1), -1);
    assert_int_equal(factor(&f, negative, NULL, 0, &pivot, 1), -1);
    assert_int_equal(factor(&f, nan, NULL, 1e-8, &pivot, 1), -1);
    assert_int_equal(factor(&f, inf, NULL, 1e-8, &pivot, 1), -1);
    assert_int_equal(factor(&f, nothing, NULL, 1e-8, &pivot, 1), 0);
    clv_semi_solve(&f, x);
    assert_true(x[0] == 0 && x[1] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solutions_are_those_of_orthonormal_columns),
        cmocka_unit_test(half_solutions_make_the_inverse),
        cmocka_unit_test(null_vectors_are_orthonormal_in_the_scale),
        cmocka_unit_test(weak_directions_keep_their_digits),
        cmocka_unit_test(bad_pivots_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
