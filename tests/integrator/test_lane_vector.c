/* SPDX-License-Identifier: Apache-2.0
 * Vector work in lanes (T85.1): the bits of the same work on each lane alone, for every width of this CPU, random
 * weights with zeros among them, and numbers from far below to far above one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/cpu.h"
#include "integrator/vector.h"
#include "math/lane_vector.h"
#include "math/root.h"

enum { G8 = CLV_GROUP, MOST = 40, COLUMNS = 9 };
static _Alignas(64) double y[MOST * G8], y_new[MOST * G8], scale[MOST * G8], k[COLUMNS * MOST * G8], to[MOST * G8];
static _Alignas(64) double bound[MOST * G8];
static _Alignas(64) double h[G8], rtol[G8], atol[G8], norm[G8], worst[G8];
static uint64_t seed;

static double number(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) * 0x1p-52 - 1;
}

static void fill(unsigned of)
{
    seed = of;
    for (int i = 0; i < MOST * G8; i++)
        y[i] = number(), y_new[i] = y[i] + 0.1 * number(), scale[i] = i % 7 ? 1 + number() : 0,
        bound[i] = i % 3 ? INFINITY : 1e-3 + fabs(number());
    for (int i = 0; i < COLUMNS * MOST * G8; i++)
        k[i] = number();
    for (int i = 0; i < G8; i++)
        h[i] = number(), rtol[i] = i == 5 ? 1e-14 : 1e-3 * (1 + i), atol[i] = 1e-6 * (1 + i);
}

/* numbers of a lane, one behind the other */
static void lane_of(double *v, const double *from, int n, int lane)
{
    for (int i = 0; i < n; i++)
        v[i] = from[i * G8 + lane];
}

static void check_lane(const clv_lane_sum *s, int n, int lane)
{
    double own[COLUMNS * MOST] = {0}, one[MOST] = {0}, new_one[MOST] = {0}, scales[MOST] = {0}, expected[MOST];
    double bounds[MOST] = {0};
    for (int j = 0; j < s->columns; j++)
        lane_of(own + j * MOST, k + (size_t)j * s->stride, n, lane);
    lane_of(one, y, n, lane), lane_of(new_one, y_new, n, lane), lane_of(scales, scale, n, lane);
    lane_of(bounds, bound, n, lane);
    const clv_combination c = {s->w, own, MOST, s->columns, NULL};
    clv_vector_advance(expected, one, h[lane], &c, n);
    for (int i = 0; i < n; i++)
        assert_true(to[i * G8 + lane] == expected[i]);
    int at;
    const clv_error_norm e = {rtol[lane], atol[lane], scales, bounds, one, new_one, 0};
    assert_true(norm[lane] == clv_vector_norm_of_sum_at(&e, &c, n, &at));
    assert_true(worst[lane] == at);
}

static void sums_and_norms(const clv_lane_vectors *x, int columns, int n, int lanes)
{
    double w[COLUMNS];
    for (int j = 0; j < columns; j++)
        w[j] = (seed >> (20 + j)) % 3 == 0 ? 0.0 : number();
    const clv_lane_sum s = {w, k, (size_t)MOST * G8, columns};
    const clv_lane_tolerance t = {rtol, atol, scale, bound, y, y_new};
    x->advance(to, y, h, &s, n, lanes);
    x->norm(norm, worst, &t, &s, n, lanes);
    for (int lane = 0; lane < lanes; lane++)
        check_lane(&s, n, lane);
}

/* calls it with the work of every width */
static void widths(void (*with)(const clv_lane_vectors *x, int lanes))
{
    for (int i = 0; i < CLV_CPU_WIDTHS; i++)
        for (int lanes = 1; clv_cpu_runs(clv_cpu_width[i]) && lanes <= G8; lanes++)
            with(clv_lane_vectors_of(clv_cpu_width[i]), lanes);
}

static void with_sums(const clv_lane_vectors *x, int lanes)
{
    static const int lengths[] = {1, 7, 15, MOST};
    for (int columns = 0; columns <= COLUMNS; columns++)
        for (int i = 0; i < 4; i++)
            fill((unsigned)(columns * 8 + lanes)), sums_and_norms(x, columns, lengths[i], lanes);
}
static void sums_have_the_bits_of_each_lane(void **state)
{
    (void)state;
    widths(with_sums);
}

static void with_roots(const clv_lane_vectors *x, int lanes)
{
    for (int degree = 1; degree <= 9; degree++)
        for (int round = 0; round < 40; round++) {
            _Alignas(64) double of[G8], z[G8], value[G8];
            int whole[G8];
            for (int i = 0; i < G8; i++) {
                value[i] = i == 1 ? 1.0 : ldexp(1 + 0.999 * number(), 7 * (round - 20) + i);
                of[i] = clv_root_begin(value[i], degree, &whole[i]), z[i] = 2.0;
            }
            x->roots(z, of, degree, lanes);
            for (int i = 0; i < lanes; i++)
                assert_true(clv_root_end(z[i], whole[i]) == clv_root(value[i], degree));
        }
}
static void roots_have_the_bits_of_each_lane(void **state)
{
    (void)state;
    fill(3);
    widths(with_roots);
}

static void with_rows(const clv_lane_vectors *x, int lanes)
{
    static const int of[5] = {3, -1, 0, 4, 1};
    _Alignas(64) double chosen[G8] = {1, 0, 0, 1, 1, 0, 1, 0};
    memset(to, 0, sizeof to);
    x->gather(to, y, of, 5, lanes);
    for (int i = 0; i < 5; i++)
        for (int l = 0; l < lanes; l++)
            assert_true(to[i * G8 + l] == (of[i] < 0 ? 0.0 : y[of[i] * G8 + l]));
    for (int more = 0; more < 2; more++) {
        memset(to, 0, sizeof to);
        x->scatter(to, y, more ? y_new : NULL, of, 5, lanes);
        for (int i = 0; i < 5; i++)
            for (int l = 0; of[i] >= 0 && l < lanes; l++)
                assert_true(to[of[i] * G8 + l] == y[i * G8 + l] + (more ? y_new[i * G8 + l] : 0.0));
        for (int l = 0; l < lanes; l++)
            assert_true(to[2 * G8 + l] == 0.0);
    }
    memcpy(to, y, sizeof to);
    x->take_over(to, y_new, chosen, MOST, lanes);
    for (int i = 0; i < MOST * G8; i++)
        assert_true(i % G8 >= lanes || to[i] == (chosen[i % G8] > 0 ? y_new : y)[i]);
}
static void rows_come_and_go(void **state)
{
    (void)state;
    fill(4);
    widths(with_rows);
}

/* a rate or norm that is no number is seen in its lane alone */
static void with_bad_numbers(const clv_lane_vectors *x, int lanes)
{
    const double w[2] = {1, -1}, bad[3] = {NAN, INFINITY, -INFINITY};
    const clv_lane_sum s = {w, k, (size_t)MOST * G8, 2};
    const clv_lane_tolerance t = {rtol, atol, scale, bound, y, y_new};
    _Alignas(64) double seen[G8];
    for (int i = 0; i < 3; i++) {
        fill(5);
        scale[3 * G8] = 1, k[3 * G8] = bad[i];
        x->check(seen, k, 7, lanes), x->norm(norm, worst, &t, &s, 7, lanes);
        assert_true(seen[0] != 0 && isinf(norm[0]) && worst[0] == 3);
        for (int l = 1; l < lanes; l++)
            assert_true(seen[l] == 0 && isfinite(norm[l]));
    }
}
static void bad_numbers_are_seen(void **state)
{
    (void)state;
    widths(with_bad_numbers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_have_the_bits_of_each_lane), cmocka_unit_test(roots_have_the_bits_of_each_lane),
        cmocka_unit_test(rows_come_and_go), cmocka_unit_test(bad_numbers_are_seen)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
