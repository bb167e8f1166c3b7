/* SPDX-License-Identifier: Apache-2.0
 * Assembly of the start (T36): a four-bar from random guesses, loops far from closed, coordinates given and not given,
 * what cannot be closed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "cleave/cleave.h"
#include "near.h"

static const double PI = 3.14159265358979323846;

/* links of 1, 3, 2.5 m on a ground link of 3 m */
static const char FOUR_BAR[] = "cleave: 1\n"
                               "gravity: [0, -9.81, 0]\n"
                               "bodies:\n"
                               "  crank: {mass: 1, com: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]}\n"
                               "  coupler: {mass: 2, com: [1.5, 0, 0], inertia: [0.01, 1, 1]}\n"
                               "  rocker: {mass: 2, com: [1.25, 0, 0], inertia: [0.01, 1, 1]}\n"
                               "joints:\n"
                               "  a: {kind: revolute, a: {body: ground}, b: {body: crank}}\n"
                               "  b: {kind: revolute, a: {body: crank, position: [1, 0, 0]}, b: {body: coupler}}\n"
                               "  c: {kind: revolute, a: {body: coupler, position: [3, 0, 0]}, b: {body: rocker}}\n"
                               "  d: {kind: revolute, a: {body: rocker, position: [2.5, 0, 0]},\n"
                               "      b: {body: ground, position: [3, 0, 0]}, cut: true}\n";

static clv_sim *start(const char *text, const char *more, clv_model **m, clv_status expected)
{
    clv_sim *s;
    char all[4000];
    snprintf(all, sizeof all, "%s%s", text, more);
    if (clv_model_read_text(m, all, strlen(all), NULL) != CLV_OK)
        fail_msg("%s", clv_model_error(*m)->message);
    clv_status st = clv_sim_create(&s, *m, NULL);
    if (st != expected)
        fail_msg("%s", clv_sim_error(s)->message);
    return s;
}

static void finish(clv_sim *s, clv_model *m)
{
    clv_sim_destroy(s);
    clv_model_destroy(m);
}

static double coordinate(clv_sim *s, const clv_model *m, const char *joint)
{
    clv_joint_result r;
    assert_int_equal(clv_sim_joint(s, clv_model_find_joint(m, joint), &r), CLV_OK);
    return r.q[0];
}

static double violation(const clv_sim *s)
{
    double position, velocity;
    clv_sim_violation(s, &position, &velocity);
    return position;
}

/* numbers in (-1, 1) by a generator of fixed seed */
static double next(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state / 2147483648.0 - 1.0;
}

static void a_four_bar_closes_from_every_guess(void **state)
{
    unsigned seed = 1;
    (void)state;
    for (int k = 0; k < 200; k++) {
        char more[200];
        clv_model *m;
        double a = PI * next(&seed), b = PI * next(&seed), c = PI * next(&seed);
        snprintf(more, sizeof more, "start: {joints: {a: {q: %.6f}, b: {q: %.6f}, c: {q: %.6f}}}\n", a, b, c);
        clv_sim *s = start(FOUR_BAR, more, &m, CLV_OK);
        assert_true(violation(s) < 1e-13);
        finish(s, m);
    }
}

static void what_is_given_stays(void **state)
{
    clv_model *m;
    (void)state;
    clv_sim *s = start(FOUR_BAR, "start: {joints: {a: {q: 2.2}}}\n", &m, CLV_OK);
    CLV_NEAR(coordinate(s, m, "a"), 2.2, 0);
    assert_true(violation(s) < 1e-13);
    finish(s, m);
}

/* two bars in a corner: which joint closes the loop is not the user's business */
static void given_joints_are_kept_out_of_the_cut(void **state)
{
    static const char BARS[] =
        "cleave: 1\n"
        "bodies: {p: {mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]},\n"
        "         q: {mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}}\n"
        "joints:\n"
        "  a: {kind: revolute, a: {body: ground}, b: {body: p}}\n"
        "  b: {kind: revolute, a: {body: p, position: [1, 0, 0]}, b: {body: q}}\n"
        "  c: {kind: revolute, a: {body: ground, position: [1, 1, 0]}, b: {body: q, position: [1, 0, 0]}}\n"
        "start: {joints: {a: {q: 0}, b: {q: 90 deg}}}\n";
    clv_model *m;
    clv_sim_report r;
    (void)state;
    clv_sim *s = start(BARS, "", &m, CLV_OK);
    clv_sim_summary(s, &r);
    assert_true(r.start_moved < 1e-15);
    CLV_NEAR(coordinate(s, m, "b"), PI / 2, 0);
    finish(s, m);
}

/* The coordinate of a joint that the user cuts is met by moving joints of which the start says nothing; from a straight
 * line, where no row depends on a joint to first order. */
static void a_cut_joint_keeps_its_coordinate(void **state)
{
    clv_model *m;
    (void)state;
    clv_sim *s = start(FOUR_BAR, "start: {joints: {d: {q: 1}}}\n", &m, CLV_OK);
    CLV_NEAR(coordinate(s, m, "d"), 1, 1e-11);
    assert_true(violation(s) < 1e-13);
    finish(s, m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_four_bar_closes_from_every_guess),
        cmocka_unit_test(what_is_given_stays),
        cmocka_unit_test(given_joints_are_kept_out_of_the_cut),
        cmocka_unit_test(a_cut_joint_keeps_its_coordinate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
