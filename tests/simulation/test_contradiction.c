/* SPDX-License-Identifier: Apache-2.0
 * Overconstrained loops whose data are written with finite digits (T40): they keep their mobility and their energy, by
 * every formulation; what their redundant rows leave open is measured. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <math.h>
#include <string.h>
#include <cmocka.h>
#include "cleave/cleave.h"
#include "near.h"

static const char *const formulations[] = {"hdca", "dca", "connection", "massmatrix", "aldca"};

static clv_model *model_of(const char *name)
{
    char path[300];
    clv_model *m;
    snprintf(path, sizeof path, "%s/tests/models/%s.yaml", CLV_SOURCE_DIR, name);
    if (clv_model_read(&m, path) != CLV_OK)
        fail_msg("%s: %s", path, clv_model_error(m)->message);
    return m;
}

static clv_sim_report run_to(const char *name, const char *formulation, double time, double rtol)
{
    clv_model *m = model_of(name);
    clv_sim *s;
    clv_sim_options o = clv_sim_options_default();
    o.formulation = formulation, o.rtol = rtol;
    clv_status st = clv_sim_create(&s, m, &o);
    if (st == CLV_OK)
        st = clv_sim_advance(s, time);
    if (st != CLV_OK)
        fail_msg("%s by %s: %s", name, formulation, clv_sim_error(s)->message);
    clv_sim_report r;
    clv_sim_summary(s, &r);
    clv_sim_destroy(s), clv_model_destroy(m);
    return r;
}

static clv_sim_report run(const char *name, const char *formulation, double time)
{
    return run_to(name, formulation, time, 1e-9);
}

/* tilt of one axis by 1e-9 rad */
static void test_misaligned(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof formulations / sizeof formulations[0]; i++) {
        const clv_sim_report r = run("misaligned_1e-9", formulations[i], 2);
        assert_int_equal(r.mobility_found, 1);
        assert_int_equal(r.redundant_constraints, 3);
        CLV_NEAR(r.contradiction, 1e-9, 5e-10);
        CLV_NEAR(r.max_contradiction, 2e-9, 1.8e-9);
        CLV_NEAR(r.max_energy_drift, 0, 1e-7);
        assert_int_equal(r.truncated_evaluations, 0);
    }
}

static void test_bennett(void **state)
{
    (void)state;
    for (size_t i = 0; i + 1 < sizeof formulations / sizeof formulations[0]; i++) {
        const clv_sim_report r = run("bennett_9_digits", formulations[i], 10);
        assert_int_equal(r.mobility_found, 1);
        CLV_NEAR(r.contradiction, 2e-10, 2e-10);
        CLV_NEAR(r.max_contradiction, 2e-9, 1.8e-9);
        CLV_NEAR(r.max_energy_drift, 0, 1e-7);
    }
}

/* the four-bar with another tilt and a motion, or "" */
static clv_model *tilted(const char *tilt, const char *more)
{
    char path[300], text[4000] = "", changed[5000], *at;
    clv_model *m;
    snprintf(path, sizeof path, "%s/tests/models/misaligned_1e-9.yaml", CLV_SOURCE_DIR);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_true(fread(text, 1, sizeof text - 1, f) > 0);
    fclose(f);
    at = strstr(text, "axis: [1e-9");
    assert_non_null(at);
    *at = 0;
    snprintf(changed, sizeof changed, "%saxis: [%s%s%s", text, tilt, at + strlen("axis: [1e-9"), more);
    if (clv_model_read_text(&m, changed, strlen(changed), NULL) != CLV_OK)
        fail_msg("%s", clv_model_error(m)->message);
    return m;
}

/* aldca shares its penalty among rows that contradict each other, and so its corrections do more work */
static void test_six_digits(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof formulations / sizeof formulations[0]; i++) {
        const clv_sim_report r = run("five_bar_6_digits", formulations[i], 2);
        assert_int_equal(r.mobility_found, 2);
        CLV_NEAR(r.max_contradiction, 7e-7, 4e-7);
        const bool penalty = strcmp(formulations[i], "aldca") == 0;
        CLV_NEAR(r.max_energy_drift, 0, (penalty ? 3e-5 : 7e-7) * r.energy_moved);
    }
}

/* within the limit: it runs; beyond: refused with the joints named; with a larger limit it runs again, and with none
 * all rows count and nothing moves */
static void test_limit(void **state)
{
    (void)state;
    static const struct {
        const char *tilt;
        double limit;
        int free; /* degrees of freedom; -1: refused */
    } row[] = {{"5e-7", 1e-6, 1}, {"1e-5", 1e-6, -1}, {"1e-5", 1e-4, 1}, {"3e-4", 1e-6, -1}, {"3e-4", 1e-3, 1},
                {"1e-5", 0, 0}};
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++)
        for (size_t k = 0; k < 4; k++) {
            clv_model *m = tilted(row[i].tilt, "");
            clv_sim *s;
            clv_sim_report r;
            clv_sim_options o = clv_sim_options_default();
            o.formulation = formulations[k], o.contradiction = row[i].limit;
            clv_status st = clv_sim_create(&s, m, &o);
            if (row[i].free < 0) {
                assert_int_equal(st, CLV_ERR_INCONSISTENT);
                assert_non_null(strstr(clv_sim_error(s)->message, "joints 'a', 'b', 'c', 'd'"));
            } else {
                if (st == CLV_OK && row[i].free > 0)
                    st = clv_sim_advance(s, 3);
                if (st != CLV_OK)
                    fail_msg("tilt %s, limit %g by %s: %s", row[i].tilt, row[i].limit, formulations[k],
                             clv_sim_error(s)->message);
                clv_sim_summary(s, &r);
                assert_int_equal(r.mobility_found, row[i].free);
                if (row[i].free > 0)
                    CLV_NEAR(r.max_energy_drift, 0, 2e-4 + 100 * row[i].limit);
            }
            clv_sim_destroy(s), clv_model_destroy(m);
        }
}

/* a motor drives the same loop: what its rows leave open is the same */
static void test_driven(void **state)
{
    (void)state;
    clv_model *m = tilted("5e-7", "motions: {turn: {joint: a, rate: -1.5}}\n");
    clv_sim *s;
    clv_sim_report r;
    if (clv_sim_create(&s, m, NULL) != CLV_OK || clv_sim_advance(s, 5) != CLV_OK)
        fail_msg("%s", clv_sim_error(s)->message);
    clv_sim_summary(s, &r);
    CLV_NEAR(r.max_contradiction, 0, 2e-6);
    clv_sim_destroy(s), clv_model_destroy(m);
}

/* three gears of which one coupling follows from the others: redundant, with the threshold of everybody else */
static void test_gears(void **state)
{
    (void)state;
    static const char text[] = "cleave: 1\n"
                               "gravity: [0, -9.81, 0]\n"
                               "bodies:\n"
                               "  A: {mass: 1, com: [0.3, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"
                               "  B: {mass: 1, com: [1, 0.1, 0], inertia: [0.1, 0.1, 0.1]}\n"
                               "  C: {mass: 1, com: [2, 0.2, 0], inertia: [0.1, 0.1, 0.1]}\n"
                               "joints:\n"
                               "  a: {kind: revolute, between: [ground, A], at: [0, 0, 0], axis: [0, 0, 1]}\n"
                               "  b: {kind: revolute, between: [ground, B], at: [1, 0, 0], axis: [0, 0, 1]}\n"
                               "  c: {kind: revolute, between: [ground, C], at: [2, 0, 0], axis: [0, 0, 1]}\n"
                               "couplings:\n"
                               "  g: {first: a, second: b, ratio: 2.1}\n"
                               "  h: {first: b, second: c, ratio: -3}\n"
                               "  i: {first: a, second: c, ratio: -6.3}\n";
    for (size_t i = 0; i < 4; i++) {
        clv_model *m;
        clv_sim *s;
        clv_sim_report r;
        clv_sim_options o = clv_sim_options_default();
        o.formulation = formulations[i];
        assert_int_equal(clv_model_read_text(&m, text, strlen(text), NULL), CLV_OK);
        if (clv_sim_create(&s, m, &o) != CLV_OK || clv_sim_advance(s, 1) != CLV_OK)
            fail_msg("%s", clv_sim_error(s)->message);
        clv_sim_summary(s, &r);
        assert_int_equal(r.mobility_found, 1);
        assert_int_equal(r.redundant_constraints, 1);
        CLV_NEAR(r.rank, 1e-8, 0);
        CLV_NEAR(r.contradiction, 0, 1e-12);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

/* Plates on parallel cranks: where one pair of cranks is flat its loop loses a direction that another loop holds.  Rows
 * that contradict each other must not decide it by the weak one. */
static void test_cranks(void **state)
{
    (void)state;
    static const char *const model[] = {"three_cranks_6_digits", "four_cranks_6_digits"};
    static const int redundant[] = {7, 11};
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < sizeof formulations / sizeof formulations[0]; i++) {
            const clv_sim_report r = run(model[k], formulations[i], i == 0 ? 10 : 4);
            assert_int_equal(r.mobility_found, 1);
            assert_int_equal(r.redundant_constraints, redundant[k]);
            assert_int_equal(r.truncated_evaluations, 0);
            CLV_NEAR(r.max_energy_drift, 0, 2e-4);
            assert_true(r.min_pivot > 5e-5);
        }
}

/* All links in line six times: a direction is lost there, and with data off by d = 3e-10 its rates are d / delta^2.
 * The motion is that of exact data at every tolerance. */
static void test_in_line(void **state)
{
    (void)state;
    static const double rtol[] = {1e-6, 1e-7, 1e-9};
    for (size_t i = 0; i < 4; i++)
        for (size_t k = 0; k < 3; k++) {
            const clv_sim_report r = run_to("parallelograms_9_digits", formulations[i], 2, rtol[k]);
            assert_int_equal(r.mobility_found, 1);
            assert_int_equal(r.redundant_constraints, 9);
            CLV_NEAR(r.max_contradiction, 3e-10, 1e-10);
            CLV_NEAR(r.max_energy_drift, 0, 1e-5 * r.energy_moved);
            CLV_NEAR(r.energy_moved, 43, 0.5);
            assert_true(r.steps < 500);
        }
}

/* A drawing that is open by 1e-4 is not closed at another position of its loops 1.8 rad away: it is refused with its
 * joints named, or closed where it is drawn. */
static void test_stays_where_drawn(void **state)
{
    (void)state;
    clv_model *m = model_of("bricard_4_digits");
    clv_sim *s;
    clv_sim_report r;
    clv_sim_options o = clv_sim_options_default();
    assert_int_equal(clv_sim_create(&s, m, &o), CLV_ERR_INCONSISTENT);
    assert_non_null(strstr(clv_sim_error(s)->message, "redundant constraints contradict each other by 4.3e-05"));
    assert_non_null(strstr(clv_sim_error(s)->message, "joints 'j0', 'j1', 'j2', 'j3', 'j4', 'j5'"));
    clv_sim_destroy(s);
    o.contradiction = 1e-3;
    assert_int_equal(clv_sim_create(&s, m, &o), CLV_OK);
    clv_sim_summary(s, &r);
    assert_int_equal(r.mobility_found, 1);
    CLV_NEAR(r.start_moved, 4e-4, 2e-4);
    clv_sim_destroy(s);
    o.contradiction = 0; /* every row is real: a structure, whose rates do not count as lost */
    assert_int_equal(clv_sim_create(&s, m, &o), CLV_OK);
    clv_sim_summary(s, &r);
    assert_int_equal(r.mobility_found, 0);
    CLV_NEAR(r.momentum_error, 0, 0);
    clv_sim_destroy(s), clv_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_misaligned),
        cmocka_unit_test(test_bennett),
        cmocka_unit_test(test_six_digits),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_driven),
        cmocka_unit_test(test_gears),
        cmocka_unit_test(test_cranks),
        cmocka_unit_test(test_in_line),
        cmocka_unit_test(test_stays_where_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
