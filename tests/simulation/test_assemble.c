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

/* a beam of 1.5 m between points 1.4994 m apart: EA / l = 2.8e6 N/m, and bending does not help */
static void a_beam_that_does_not_fit_is_strained_as_little_as_can_be(void **state)
{
    static const char STRUT[] =
        "cleave: 1\n"
        "bodies:\n"
        "  boom: {flexible: {beam: {length: 1.5, density: 2700, young: 7e9, rectangle: [0.02, 0.03],\n"
        "         modes: {bend_y: 2, bend_z: 1, stretch: 1}}, spin_limit: 0}}\n"
        "joints:\n"
        "  a: {kind: revolute, a: {body: ground}, b: {body: boom}}\n"
        "  c: {kind: spherical, a: {body: boom.tip}, b: {body: ground, position: [1.2, 0.899, 0]}}\n";
    const double stiffness = 7e9 * 6e-4 / 1.5, open = 1.5 - sqrt(1.2 * 1.2 + 0.899 * 0.899);
    clv_model *m;
    clv_sim_report r;
    (void)state;
    clv_sim *s = start(STRUT, "", &m, CLV_OK);
    clv_sim_summary(s, &r);
    CLV_NEAR(r.start_strain_energy, 0.5 * stiffness * open * open, 1e-6);
    assert_true(violation(s) < 1e-12);
    finish(s, m);
}

/* bars hinged to the beam can turn: what closes without strain is not strained */
static void a_beam_in_a_loop_is_not_strained(void **state)
{
    static const char LOOP[] =
        "cleave: 1\n"
        "bodies:\n"
        "  crank: {mass: 1, com: [0.25, 0, 0], inertia: [0.01, 0.05, 0.05]}\n"
        "  boom: {flexible: {beam: {length: 1.5, density: 2700, young: 7e9, rectangle: [0.02, 0.03],\n"
        "         modes: {bend_y: 2, bend_z: 1, stretch: 1}}, spin_limit: 0}}\n"
        "  rock: {mass: 1, com: [0.4, 0, 0], inertia: [0.01, 0.08, 0.08]}\n"
        "joints:\n"
        "  a: {kind: revolute, a: {body: ground}, b: {body: crank}}\n"
        "  b: {kind: revolute, a: {body: crank, position: [0.5, 0, 0]}, b: {body: boom}}\n"
        "  d: {kind: revolute, a: {body: ground, position: [1.4, 0, 0]}, b: {body: rock}}\n"
        "  c: {kind: spherical, a: {body: boom.tip}, b: {body: rock, position: [0.9, 0, 0]}}\n"
        "start: {joints: {a: {q: 1.2}, b: {q: -0.9}, d: {q: 1.4}}}\n";
    clv_model *m;
    clv_sim_report r;
    (void)state;
    clv_sim *s = start(LOOP, "", &m, CLV_OK);
    clv_sim_summary(s, &r);
    assert_true(r.start_strain_energy == 0);
    CLV_NEAR(clv_sim_joint_start_moved(s, clv_model_find_joint(m, "d")), fabs(coordinate(s, m, "d") - 1.4), 1e-15);
    assert_true(fabs(coordinate(s, m, "d") - 1.4) > 0.01);
    finish(s, m);
}

/* told to, the same beam takes the misfit up and the joints stay where they are given */
static void a_beam_is_strained_where_the_model_says_so(void **state)
{
    static const char LOOP[] =
        "cleave: 1\n"
        "bodies:\n"
        "  boom: {flexible: {beam: {length: 1.5, density: 2700, young: 7e9, rectangle: [0.02, 0.03],\n"
        "         modes: {bend_y: 2, bend_z: 1, stretch: 1}}, spin_limit: 0}}\n"
        "  rock: {mass: 1, com: [0, 0.4, 0], inertia: [0.01, 0.08, 0.08]}\n"
        "joints:\n"
        "  b: {kind: revolute, a: {body: ground}, b: {body: boom}}\n"
        "  d: {kind: revolute, a: {body: ground, position: [1.501, -1, 0]}, b: {body: rock}}\n"
        "  c: {kind: spherical, a: {body: boom.tip}, b: {body: rock, position: [0, 1, 0]}}\n"
        "start: {joints: {b: {q: 0}, d: {q: 0}}%s}\n";
    const double energy[2] = {0, 0.5 * 7e9 * 6e-4 / 1.5 * 1e-6};
    (void)state;
    for (int k = 0; k < 2; k++) {
        char text[2000];
        clv_model *m;
        clv_sim_report r;
        snprintf(text, sizeof text, LOOP, k ? ", flexible: least-energy" : "");
        clv_sim *s = start(text, "", &m, CLV_OK);
        clv_sim_summary(s, &r);
        CLV_NEAR(r.start_strain_energy, energy[k], 1e-6);
        CLV_NEAR(coordinate(s, m, "d"), k ? 0 : 1e-3, 1e-5);
        finish(s, m);
    }
}

/* links of 1, 3, 2.5 m to a point 8 m away: the error names the loop and where its ends come closest */
static void a_loop_too_short_is_named(void **state)
{
    char text[2000];
    clv_model *m;
    clv_sim *s;
    (void)state;
    snprintf(text, sizeof text, "%s", FOUR_BAR);
    char *at = strstr(text, "ground, position: [3");
    assert_non_null(at);
    at[strlen("ground, position: [")] = '8';
    assert_int_equal(clv_model_read_text(&m, text, strlen(text), NULL), CLV_OK);
    assert_int_equal(clv_sim_create(&s, m, NULL), CLV_ERR_INCONSISTENT);
    CLV_NEAR(clv_sim_error(s)->value, 1.5, 1e-6);
    assert_non_null(strstr(clv_sim_error(s)->message, "in the loop of joints d, a, b, c"));
    assert_non_null(strstr(clv_sim_error(s)->hint, "attempts"));
    finish(s, m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_four_bar_closes_from_every_guess),
        cmocka_unit_test(what_is_given_stays),
        cmocka_unit_test(given_joints_are_kept_out_of_the_cut),
        cmocka_unit_test(a_cut_joint_keeps_its_coordinate),
        cmocka_unit_test(a_beam_that_does_not_fit_is_strained_as_little_as_can_be),
        cmocka_unit_test(a_beam_in_a_loop_is_not_strained),
        cmocka_unit_test(a_beam_is_strained_where_the_model_says_so),
        cmocka_unit_test(a_loop_too_short_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
