/* SPDX-License-Identifier: Apache-2.0
 * Prescribed motions and tables (T7): derivatives, the natural spline, and what happens outside a table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/break.h"
#include "model/profile.h"
#include "near.h"

#include <string.h>

static void formula_and_its_derivatives(void **state)
{
    clv_motion m = {.offset = 0.3, .rate = 2, .amplitude = 0.5, .frequency = 3, .phase = 0.4};
    double q, qd, qdd, before, after, h = 1e-4, skip[2];
    (void)state;
    for (double t = -2; t < 20; t += 0.37) {
        clv_motion_at(&m, t, &q, &qd, &qdd);
        clv_motion_at(&m, t - h, &before, &skip[0], &skip[1]);
        clv_motion_at(&m, t + h, &after, &skip[0], &skip[1]);
        CLV_NEAR(q, 0.3 + 2 * t + 0.5 * sin(3 * t + 0.4), 1e-14);
        CLV_NEAR((after - before) / (2 * h), qd, 1e-7);
        CLV_NEAR((after - 2 * q + before) / (h * h), qdd, 1e-5);
    }
}

static clv_motion table_motion(int n, double *room, double (*f)(double))
{
    clv_motion m = {.table = {.n = n, .time = room, .value = room + n, .curve = room + 2 * n}};
    for (int i = 0; i < n; i++) {
        room[i] = 0.1 * i + (i % 2 ? 0.03 : 0); /* uneven */
        room[n + i] = f(room[i]);
    }
    clv_series_prepare(&m.table, m.end_rate);
    return m;
}
static double line(double t) { return 3 * t - 1; }
static double wave(double t) { return sin(2 * t); }

static void spline_is_exact_for_lines(void **state)
{
    double room[4 * 9], q, qd, qdd;
    clv_motion m = table_motion(9, room, line);
    (void)state;
    for (double t = 0; t <= 0.8; t += 0.01) {
        clv_motion_at(&m, t, &q, &qd, &qdd);
        CLV_NEAR(q, line(t), 1e-14), CLV_NEAR(qd, 3, 1e-13), CLV_NEAR(qdd, 0, 1e-12);
    }
}

static void spline_is_twice_smooth_and_meets_its_points(void **state)
{
    double room[4 * 40], q, qd, qdd, l[3], r[3], e = 1e-9;
    clv_motion m = table_motion(40, room, wave);
    (void)state;
    for (int i = 1; i < 39; i++) {
        clv_motion_at(&m, room[i] - e, &l[0], &l[1], &l[2]);
        clv_motion_at(&m, room[i] + e, &r[0], &r[1], &r[2]);
        clv_motion_at(&m, room[i], &q, &qd, &qdd);
        CLV_NEAR(q, wave(room[i]), 1e-15);
        for (int k = 0; k < 3; k++)
            CLV_NEAR(l[k], r[k], 1e-7);
    }
    clv_motion_at(&m, 1.987, &q, &qd, &qdd);
    CLV_NEAR(q, sin(2 * 1.987), 1e-5), CLV_NEAR(qd, 2 * cos(2 * 1.987), 1e-3);
    clv_motion_at(&m, 0, &q, &qd, &qdd);
    CLV_NEAR(qdd, 0, 1e-15);
}

static void outside_its_table_a_motion_rests(void **state)
{
    double room[4 * 9], q, qd, qdd;
    clv_motion m = table_motion(9, room, line);
    (void)state;
    clv_motion_at(&m, -5, &q, &qd, &qdd);
    assert_true(q == room[9] && qd == 0 && qdd == 0);
    clv_motion_at(&m, 1e9, &q, &qd, &qdd);
    assert_true(q == room[17] && qd == 0 && qdd == 0);
}

static void table_of_a_load(void **state)
{
    double t[] = {0, 1, 3}, v[] = {2, 4, -2};
    clv_series s = {.n = 3, .time = t, .value = v}, none = {0}, one = {.n = 1, .time = t, .value = v};
    (void)state;
    CLV_NEAR(clv_series_at(&s, -1, 9), 2, 0), CLV_NEAR(clv_series_at(&s, 0.5, 9), 3, 0),
        CLV_NEAR(clv_series_at(&s, 1, 9), 4, 0);
    CLV_NEAR(clv_series_at(&s, 2, 9), 1, 0), CLV_NEAR(clv_series_at(&s, 7, 9), -2, 0);
    CLV_NEAR(clv_series_at(&none, 7, 9), 9, 0), CLV_NEAR(clv_series_at(&one, 0.5, 9), 2, 0);
}

static clv_motion profile_motion(clv_profile profile, int n, double *room, const double (*rows)[2])
{
    clv_motion m = {.table = {.n = n, .profile = profile, .time = room, .value = room + n, .curve = room + 2 * n}};
    for (int i = 0; i < n; i++)
        room[i] = rows[i][0], room[n + i] = rows[i][1];
    return m;
}

/* rate and acceleration of every piece are derivatives, and rows are met */
static void check_pieces(const clv_motion *m)
{
    const double h = 1e-5;
    double q, qd, qdd, before, after, skip[2];
    for (int k = 0; k < m->table.n; k++) {
        clv_motion_at(m, m->table.time[k], &q, &qd, &qdd);
        CLV_NEAR(q, m->table.value[k], 1e-14);
    }
    for (double t = 0.031; t < 3; t += 0.067) {
        clv_motion_at(m, t, &q, &qd, &qdd);
        clv_motion_at(m, t - h, &before, &skip[0], &skip[1]);
        clv_motion_at(m, t + h, &after, &skip[0], &skip[1]);
        CLV_NEAR((after - before) / (2 * h), qd, 1e-7);
        CLV_NEAR((after - 2 * q + before) / (h * h), qdd, 1e-4);
    }
}

static const double dwells[][2] = {{0, 0}, {1, 0}, {2, 0.08}, {3, 0.08}};

static void profiles_follow_their_rows(void **state)
{
    (void)state;
    for (clv_profile p = CLV_PROFILE_NATURAL; p < CLV_PROFILES; p++) {
        double room[16];
        clv_motion m = profile_motion(p, 4, room, dwells);
        m.end_rate[0] = 0.1, m.end_rate[1] = -0.2;
        clv_series_prepare(&m.table, m.end_rate);
        check_pieces(&m);
    }
}

static void a_dwell_dwells(void **state)
{
    static const clv_profile still[] = {CLV_PROFILE_LINEAR, CLV_PROFILE_SMOOTH, CLV_PROFILE_MONOTONE};
    (void)state;
    for (int i = 0; i < 3; i++) {
        double room[16], q, qd, qdd;
        clv_motion m = profile_motion(still[i], 4, room, dwells);
        int row;
        clv_series_prepare(&m.table, m.end_rate);
        for (double t = 0; t < 1; t += 0.013) {
            clv_motion_at(&m, t, &q, &qd, &qdd);
            assert_true(q == 0 && qd == 0);
            clv_motion_at(&m, 2 + t, &q, &qd, &qdd);
            assert_true(q == 0.08 && qd == 0);
        }
        assert_true(clv_motion_overshoot(&m, &row) == 0);
    }
}

static void a_natural_spline_overshoots(void **state)
{
    double room[16];
    clv_motion m = profile_motion(CLV_PROFILE_NATURAL, 4, room, dwells);
    int row;
    (void)state;
    clv_series_prepare(&m.table, m.end_rate);
    CLV_NEAR(clv_motion_overshoot(&m, &row), 0.16 / 6 * 2 / (3 * sqrt(3)), 2e-5);
    assert_int_equal(row, 0);
}

/* a clamped spline of two rows is Hermite's cubic; of a cubic's rows and end rates it is that cubic */
static void clamped_rates_are_met(void **state)
{
    static const double cubic[][2] = {{0, 1}, {0.5, 1.125}, {2, 9}};
    double room[12], q, qd, qdd;
    clv_motion m = profile_motion(CLV_PROFILE_CLAMPED, 3, room, cubic);
    (void)state;
    m.end_rate[1] = 12;
    clv_series_prepare(&m.table, m.end_rate);
    for (double t = 0; t < 2; t += 0.1) {
        clv_motion_at(&m, t, &q, &qd, &qdd);
        CLV_NEAR(q, 1 + t * t * t, 1e-14);
        CLV_NEAR(qd, 3 * t * t, 1e-13);
        CLV_NEAR(qdd, 6 * t, 1e-12);
    }
}

/* rates and kinds of breaks of a table on both sides of a row */
static void breaks_are_found(void **state)
{
    static const clv_break kinds[CLV_PROFILES][4] = {
        [CLV_PROFILE_NATURAL] = {CLV_BREAK_VELOCITY, CLV_BREAK_KINK, CLV_BREAK_KINK, CLV_BREAK_VELOCITY},
        [CLV_PROFILE_LINEAR] = {CLV_BREAK_NONE, CLV_BREAK_VELOCITY, CLV_BREAK_VELOCITY, CLV_BREAK_NONE},
        [CLV_PROFILE_SMOOTH] = {CLV_BREAK_KINK, CLV_BREAK_KINK, CLV_BREAK_KINK, CLV_BREAK_KINK},
        [CLV_PROFILE_CLAMPED] = {CLV_BREAK_ACCELERATION, CLV_BREAK_KINK, CLV_BREAK_KINK, CLV_BREAK_ACCELERATION},
        [CLV_PROFILE_MONOTONE] = {CLV_BREAK_KINK, CLV_BREAK_ACCELERATION, CLV_BREAK_ACCELERATION, CLV_BREAK_KINK},
    };
    (void)state;
    for (clv_profile p = CLV_PROFILE_NATURAL; p < CLV_PROFILES; p++) {
        double room[16];
        clv_motion m = profile_motion(p, 4, room, dwells);
        clv_series_prepare(&m.table, m.end_rate);
        for (int k = 0; k < 4; k++)
            assert_int_equal(clv_motion_break(&m, k, NULL), kinds[p][k]);
    }
    double room[16], q, qd, qdd;
    clv_motion m = profile_motion(CLV_PROFILE_LINEAR, 4, room, dwells);
    clv_motion_in(&m, 1, 1, &q, &qd, &qdd);
    assert_true(qd == 0);
    clv_motion_in(&m, 1, 2, &q, &qd, &qdd);
    CLV_NEAR(qd, 0.08, 1e-16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formula_and_its_derivatives),
        cmocka_unit_test(profiles_follow_their_rows),
        cmocka_unit_test(a_dwell_dwells),
        cmocka_unit_test(a_natural_spline_overshoots),
        cmocka_unit_test(clamped_rates_are_met),
        cmocka_unit_test(breaks_are_found),
        cmocka_unit_test(spline_is_exact_for_lines),
        cmocka_unit_test(spline_is_twice_smooth_and_meets_its_points),
        cmocka_unit_test(outside_its_table_a_motion_rests),
        cmocka_unit_test(table_of_a_load),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
