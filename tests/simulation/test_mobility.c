/* SPDX-License-Identifier: Apache-2.0
 * Which joints move, pause at a dead point or stand still (T14): Andrews' squeezer, which starts in a dead point of
 * five of its joints and leaves it in the run; a crank in line with its rod; a frame with a tail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <string.h>
#include <cmocka.h>
#include "cleave/cleave.h"

static const char *const formulations[] = {"hdca", "dca", "massmatrix"};

/* a crank of 0.2 m in line with a rod of 0.5 m: the piston stands in its dead point, whatever the crank does */
static const char CRANK[] =
    "cleave: 1\n"
    "bodies:\n"
    "  crank:  {mass: 1, com: [0.1, 0, 0], inertia: [0.01, 0.02, 0.02]}\n"
    "  rod:    {mass: 1, com: [0.25, 0, 0], inertia: [0.01, 0.03, 0.03]}\n"
    "  piston: {mass: 2, inertia: [0.01, 0.01, 0.01]}\n"
    "joints:\n"
    "  a: {kind: revolute, between: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  b: {kind: revolute, between: [crank, rod], at: [0.2, 0, 0], axis: [0, 0, 1]}\n"
    "  c: {kind: revolute, between: [rod, piston], at: [0.7, 0, 0], axis: [0, 0, 1]}\n"
    "  d: {kind: prismatic, between: [ground, piston], at: [0.7, 0, 0], axis: [1, 0, 0]}\n"
    "start:\n"
    "  bodies: {rod: {position: [0.2, 0, 0]}, piston: {position: [0.7, 0, 0]}}\n";

/* a triangle of bars, and a link that hangs on it */
static const char FRAME[] = "cleave: 1\n"
                            "bodies:\n"
                            "  left: {mass: 1, inertia: [1, 1, 1], com: [0.5, 0.5, 0]}\n"
                            "  right: {mass: 1, inertia: [1, 1, 1], com: [1.5, 0.5, 0]}\n"
                            "  link: {mass: 1, inertia: [1, 1, 1], com: [1, 2, 0]}\n"
                            "joints:\n"
                            "  a: {kind: revolute, between: [ground, left], at: [0, 0, 0], axis: [0, 0, 1]}\n"
                            "  b: {kind: revolute, between: [ground, right], at: [2, 0, 0], axis: [0, 0, 1]}\n"
                            "  c: {kind: revolute, between: [left, right], at: [1, 1, 0], axis: [0, 0, 1]}\n"
                            "  tail: {kind: revolute, between: [left, link], at: [1, 1, 0], axis: [0, 0, 1]}\n";

/* an open chain: a turntable, a rod that hangs on it by a ball joint, a slide along the rod */
static const char OPEN[] = "cleave: 1\n"
                           "bodies:\n"
                           "  table: {mass: 1, inertia: [1, 1, 1]}\n"
                           "  rod: {mass: 1, inertia: [1, 1, 1], com: [0.5, 0, 0]}\n"
                           "  slide: {mass: 1, inertia: [1, 1, 1], com: [0.5, 0, 0]}\n"
                           "  post: {mass: 1, inertia: [1, 1, 1]}\n"
                           "joints:\n"
                           "  a: {kind: revolute, between: [ground, table], at: [0, 0, 0], axis: [0, 0, 1]}\n"
                           "  b: {kind: spherical, between: [table, rod], at: [0, 0, 0]}\n"
                           "  c: {kind: prismatic, between: [rod, slide], at: [0.5, 0, 0], axis: [1, 0, 0]}\n"
                           "  d: {kind: fixed, between: [ground, post], at: [0, 0, 0]}\n";

typedef struct mechanism {
    const char *text, *more, *example;
    const char *found; /* a letter a joint: m moves, p pauses, f follows, r rests */
} mechanism;

static const mechanism mechanisms[] = {
    {NULL, NULL, "andrews", "mmpppppmmm"},
    {NULL, NULL, "bricard", "mmmmmm"},
    {CRANK, "", NULL, "mmmp"},
    {CRANK, "motions: {m: {joint: a, rate: 3}}\n", NULL, "fffr"},             /* in its dead point at the start */
    {CRANK, "motions: {m: {joint: a, amplitude: 1, frequency: 2, phase: 90 deg}}\n", NULL, "rrrr"}, /* begins at rest */
    {FRAME, "", NULL, "rrrm"},
    {OPEN, "", NULL, "mmmr"},
    {OPEN, "motions: {m: {joint: a, rate: 3}}\n", NULL, "rmmr"},
};

static clv_model *model_of(const mechanism *m)
{
    clv_model *model;
    char text[4000] = "";
    if (m->text)
        strcat(strcpy(text, m->text), m->more);
    clv_status st = m->text ? clv_model_read_text(&model, text, strlen(text), "text")
                            : clv_example_create(&model, m->example, NULL, 0);
    assert_int_equal(st, CLV_OK);
    return model;
}

static clv_sim *start(const clv_model *model, const char *formulation)
{
    clv_sim *s;
    clv_sim_options o = clv_sim_options_default();
    o.formulation = formulation;
    if (clv_sim_create(&s, model, &o) != CLV_OK)
        fail_msg("%s: %s", formulation, clv_sim_error(s)->message);
    return s;
}

static void joints_are_told_apart(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof mechanisms / sizeof *mechanisms; i++)
        for (size_t f = 0; f < sizeof formulations / sizeof *formulations; f++) {
            clv_model *model = model_of(&mechanisms[i]);
            clv_sim *s = start(model, formulations[f]);
            char found[16] = "";
            for (int j = 0; j < clv_model_joint_count(model); j++)
                found[j] = "rfpm"[clv_sim_joint_mobility(s, j)];
            assert_string_equal(found, mechanisms[i].found);
            assert_int_equal(clv_sim_joint_mobility(s, -1), CLV_MOBILITY_RESTS);
            assert_int_equal(clv_sim_joint_mobility(s, clv_model_joint_count(model)), CLV_MOBILITY_RESTS);
            clv_sim_destroy(s), clv_model_destroy(model);
        }
}

/* What is claimed of Andrews' squeezer, by a run: J3 .. J7 have neither rates nor accelerations at the start,
 * then both. */
static void a_run_leaves_the_dead_point(void **state)
{
    (void)state;
    clv_model *model = model_of(&mechanisms[0]);
    clv_sim *s = start(model, "hdca");
    clv_joint_result at_start, later;
    assert_int_equal(clv_sim_joint(s, 0, &at_start), CLV_OK);
    assert_true(fabs(at_start.udot[0]) > 1e4);
    for (int j = 2; j < 7; j++) {
        assert_int_equal(clv_sim_joint(s, j, &at_start), CLV_OK);
        assert_true(fabs(at_start.u[0]) < 1e-12 && fabs(at_start.udot[0]) < 1e-9);
    }
    assert_int_equal(clv_sim_advance(s, 0.005), CLV_OK);
    for (int j = 2; j < 7; j++) {
        assert_int_equal(clv_sim_joint(s, j, &later), CLV_OK);
        if (fabs(later.u[0]) < 0.1 || fabs(later.udot[0]) < 1)
            fail_msg("J%d turns at %g rad/s after 5 ms", j + 1, later.u[0]);
    }
    clv_sim_destroy(s), clv_model_destroy(model);
}

/* The neighbour that was asked leaves no trace: both show the state of the start. */
static void the_start_stays_where_it_is(void **state)
{
    (void)state;
    clv_model *model = model_of(&mechanisms[0]);
    clv_sim *s = start(model, "hdca");
    double gap, speed, place[21];
    memcpy(place, clv_sim_position(s), sizeof place);
    clv_sim_violation(s, &gap, &speed);
    assert_true(gap < 1e-15 && speed < 1e-15);
    assert_int_equal(clv_sim_evaluate(s), CLV_OK);
    assert_memory_equal(place, clv_sim_position(s), sizeof place);
    clv_sim_destroy(s), clv_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joints_are_told_apart),
        cmocka_unit_test(a_run_leaves_the_dead_point),
        cmocka_unit_test(the_start_stays_where_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
