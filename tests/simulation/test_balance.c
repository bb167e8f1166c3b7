/* SPDX-License-Identifier: Apache-2.0
 * Redundant rows of loops of up to 50000 links (T162): what is redundant is found whatever the length and the plane,
 * what is not is kept, and a tilted hinge contradicts others by its tilt. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "cleave/cleave.h"
#include "near.h"
#include "thorough.h"

/* links of 1 m along a half circle between pins on ground (or on two bodies that move), or a full circle that floats */
typedef struct shape {
    const char *step, *bodies, *joints, *start;
} shape;

static const shape PINNED = {"pi", "",
                             "  J1: {kind: revolute, between: [ground, B1], at: [-radius*c, 0, -radius*s], "
                             "axis: [-s, 0, c]}\n"
                             "  end: {kind: revolute, between: [\"B{i}\", ground], at: [radius*c, 0, radius*s], "
                             "axis: [-s, 0, c], repeat: 1, from: links}\n",
                             ""};
static const shape RING = {"2*pi", "",
                           "  end: {kind: revolute, between: [\"B{i}\", B1], at: [-radius*c, 0, -radius*s], "
                           "axis: [-s, 0, c], repeat: 1, from: links}\n",
                           ""};
static const shape CARRIED = {"pi",
                              "  L: {mass: 100, inertia: [1, 1, 1]}\n"
                              "  R: {mass: 100, inertia: [1, 1, 1]}\n",
                              "  left: {kind: prismatic, between: [ground, L], at: [-radius*c, 0, -radius*s], "
                              "axis: [0, 1, 0]}\n"
                              "  right: {kind: revolute, between: [ground, R], at: [radius*c, 1, radius*s], "
                              "axis: [-s, 0, c]}\n"
                              "  J1: {kind: revolute, between: [L, B1], at: [-radius*c, 0, -radius*s], "
                              "axis: [-s, 0, c]}\n"
                              "  end: {kind: revolute, between: [\"B{i}\", R], at: [radius*c, 0, radius*s], "
                              "axis: [-s, 0, c], repeat: 1, from: links}\n",
                              "    L: {position: [-radius*c, 0, -radius*s]}\n"
                              "    R: {position: [radius*c, 1, radius*s]}\n"};

/* z, or an axis without zeros of its own: rounding then couples all directions */
static const char FLAT[] = "  c: 1\n  s: 0\n  a: 1\n  b: 0\n", SKEW[] = "  c: 0.6\n  s: 0.8\n  a: 2\n  b: -1\n";

static const char TEXT[] =
    "cleave: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "parameters:\n"
    "  links: %d\n"
    "%s"
    "  tilt: %s\n" /* of the hinge in the middle: about the line of the pins */
    "  step: %s/links\n"
    "  middle: floor(links/2) + 1\n"
    "  radius: 0.5/sin(step/2)\n"
    "  depth: 0.5/sin(step/2)*cos(step/2)\n"
    "bodies:\n"
    "  B{i}: {mass: 1, inertia: [0.01, 1/12, 1/12], repeat: links}\n"
    "%s"
    "joints:\n"
    "  J{i}: {kind: revolute, between: [\"B{i-1}\", \"B{i}\"], at: [-radius*c*cos((i - 1)*step), "
    "-radius*sin((i - 1)*step), -radius*s*cos((i - 1)*step)], axis: [-s + c*tilt/(1 + 1e40*(i - middle)*(i - "
    "middle)), 0, c + s*tilt/(1 + 1e40*(i - middle)*(i - middle))], repeat: links - 1, from: 2}\n"
    "%s"
    "start:\n"
    "  bodies:\n"
    "    B{i}: {position: [-depth*c*cos((i - 0.5)*step), -depth*sin((i - 0.5)*step), -depth*s*cos((i - 0.5)*step)], "
    "orientation: {quaternion: [a*cos(((i - 0.5)*step - pi/2)/2), b*sin(((i - 0.5)*step - pi/2)/2), b*cos(((i - "
    "0.5)*step - pi/2)/2), a*sin(((i - 0.5)*step - pi/2)/2)]}, repeat: links}\n"
    "%s";

static clv_sim_report begun(const shape *of, const char *plane, const char *tilt, int links, const char *formulation,
                            double time)
{
    char text[4000];
    clv_model *m;
    clv_sim *s;
    clv_sim_report r;
    clv_sim_options o = clv_sim_options_default();
    o.formulation = formulation;
    const int end = snprintf(text, sizeof text, TEXT, links, plane, tilt, of->step, of->bodies, of->joints, of->start);
    assert_true(end > 0 && end < (int)sizeof text);
    if (clv_model_read_text(&m, text, strlen(text), NULL) != CLV_OK)
        fail_msg("%s", clv_model_error(m)->message);
    if (clv_sim_create(&s, m, &o) != CLV_OK || (time > 0 && clv_sim_advance(s, time) != CLV_OK))
        fail_msg("%d links: %s", links, clv_sim_error(s)->message);
    clv_sim_summary(s, &r);
    clv_sim_destroy(s), clv_model_destroy(m);
    return r;
}

static clv_sim_report begin(const shape *of, const char *plane, const char *tilt, int links)
{
    return begun(of, plane, tilt, links, "hdca", 0);
}

/* everyday runs take the shorter ones */
static const int LINKS[] = {100, 400, 2048, 12000, 20000, 50000};
static int lengths(void) { return thorough() ? 6 : 4; }

/* three rows say what the others say, to rounding */
static void test_pinned(void **state)
{
    (void)state;
    for (int k = 0; k < 2 * lengths(); k++) {
        const int n = LINKS[k / 2];
        const clv_sim_report r = begin(&PINNED, k % 2 ? SKEW : FLAT, "0", n);
        assert_int_equal(r.redundant_constraints, 3);
        assert_int_equal(r.mobility_found, n - 2);
        CLV_NEAR(r.contradiction, 0, 1e-11);
        CLV_NEAR(r.rank, 1e-8, 0);
    }
}

static void test_carried(void **state)
{
    (void)state;
    for (int k = 0; k < 2 * lengths(); k++) {
        const int n = LINKS[k / 2];
        const clv_sim_report r = begin(&CARRIED, k % 2 ? SKEW : FLAT, "0", n);
        assert_int_equal(r.redundant_constraints, 3);
        assert_int_equal(r.mobility_found, n);
        CLV_NEAR(r.contradiction, 0, 1e-11);
    }
}

/* The halves of a ring resist turns with 1e-12 of what links do: such directions are real. */
static void test_ring(void **state)
{
    (void)state;
    for (int k = 0; k < 2 * lengths(); k++) {
        const int n = LINKS[k / 2];
        const clv_sim_report r = begin(&RING, k % 2 ? SKEW : FLAT, "0", n);
        assert_int_equal(r.redundant_constraints, 3);
        assert_int_equal(r.mobility_found, n + 3);
        CLV_NEAR(r.contradiction, 0, 1e-11);
    }
}

/* one hinge not parallel: a contradiction of that size, or a direction that counts */
static void test_tilted(void **state)
{
    (void)state;
    for (int k = 6; k < 2 * lengths(); k++) {
        const char *plane = k % 2 ? SKEW : FLAT;
        const int n = LINKS[k / 2];
        clv_sim_report r = begin(&PINNED, plane, "1e-9", n);
        assert_int_equal(r.redundant_constraints, 3);
        CLV_NEAR(r.contradiction, 1e-9, 1e-10);
        r = begin(&PINNED, plane, "1e-12", n);
        assert_int_equal(r.redundant_constraints, 3);
        CLV_NEAR(r.contradiction, 0, 1e-11);
        for (int big = 0; big < 2; big++) {
            r = begin(&PINNED, plane, big ? "1e-3" : "1e-6", n);
            assert_int_equal(r.redundant_constraints, 2);
            assert_int_equal(r.mobility_found, n - 3);
        }
    }
}

/* the rank stays along a motion, and steps need no smaller thresholds */
static void test_moves(void **state)
{
    (void)state;
    static const char *const formulations[] = {"hdca", "dca", "connection"};
    for (int k = 0; k < 6; k++) {
        const clv_sim_report r = begun(&PINNED, k % 2 ? SKEW : FLAT, "0", 12000, formulations[k / 2], 0.005);
        assert_int_equal(r.redundant_constraints, 3);
        assert_int_equal(r.truncated_evaluations, 0);
        assert_true(r.steps < 40);
        CLV_NEAR(r.max_position_violation, 0, 1e-9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pinned), cmocka_unit_test(test_carried), cmocka_unit_test(test_ring),
        cmocka_unit_test(test_tilted), cmocka_unit_test(test_moves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
