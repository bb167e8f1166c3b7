/* SPDX-License-Identifier: Apache-2.0
 * Massless bodies that loops or couplings hold (T5): gimbals, crosses, links and rotors without mass move as the joints
 * and bodies do that they stand for, by every formulation; what nothing holds is refused by name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "cleave/cleave.h"
#include "near.h"

static const char *const formulations[] = {"hdca", "dca", "connection", "massmatrix", "aldca", "index3"};
enum { FORMULATIONS = 6, WATCHED = 3 };

static clv_model *read_model(const char *head, const char *tail)
{
    static char text[6000];
    clv_model *m;
    int n = snprintf(text, sizeof text, "cleave: 1\n%s%s", head, tail);
    assert_in_range(n, 1, (int)sizeof text - 1);
    if (clv_model_read_text(&m, text, (size_t)n, "massless") != CLV_OK)
        fail_msg("%s", clv_model_error(m)->message);
    return m;
}

/* places of the first three bodies after `time` */
static void move(clv_model *m, const char *formulation, double time, double x[3 * WATCHED])
{
    clv_sim *s;
    clv_sim_report r;
    clv_sim_options o = clv_sim_options_default();
    o.formulation = formulation;
    if (strcmp(formulation, "index3") == 0)
        o.step = 1e-3;
    else
        o.rtol = 1e-9;
    if (clv_sim_create(&s, m, &o) != CLV_OK || clv_sim_set_end(s, time) != CLV_OK || clv_sim_advance(s, time) != CLV_OK)
        fail_msg("%s: %s (body %s)", formulation, clv_sim_error(s)->message, clv_sim_error(s)->body);
    memcpy(x, clv_sim_position(s), 3 * WATCHED * sizeof(double));
    clv_sim_summary(s, &r);
    assert_true(r.max_energy_drift < (o.step > 0 ? 1e-3 : 1e-6));
    assert_true(r.max_position_violation < 1e-9);
    clv_sim_destroy(s);
}

static void moves_alike(clv_model *m, clv_model *reference, double time, double tolerance)
{
    double x[3 * WATCHED], y[3 * WATCHED];
    move(reference, "dca", time, y);
    for (int f = 0; f < FORMULATIONS; f++) {
        move(m, formulations[f], time, x);
        for (int i = 0; i < 3 * WATCHED; i++)
            CLV_NEAR(x[i], y[i], strcmp(formulations[f], "index3") == 0 ? 100 * tolerance : tolerance);
    }
    clv_model_destroy(m), clv_model_destroy(reference);
}

/* ------------------------------------------------------------------ what is held */

static const char arms[] = "gravity: [3, 2, -9.81]\n"
                           "forces: {spin: {kind: torque, body: rod, frame: body, vector: [0.002, 0, 0]}}\n"
                           "bodies:\n"
                           "  arm1: {mass: 1, com: [0, 0, 0.5], inertia: [0.1, 0.1, 0.01]}\n"
                           "  arm2: {mass: 1, com: [1, 0, 0.5], inertia: [0.1, 0.1, 0.01]}\n"
                           "  rod: {mass: 0.05, com: [0.5, 0, 1], inertia: [0.0001, 0.004, 0.004]}\n";

/* a rod between two arms: ball joints of three hinges with massless links on both ends */
static void gimbals_are_ball_joints(void **state)
{
    (void)state;
    static const char *const cut[3] = {"h2", "ga_z", "gb_x"}; /* with gb_x cut, gb_1 has a massless tip inboard */
    for (int k = 0; k < 3; k++) {
        char tail[2500];
        snprintf(tail, sizeof tail,
                 "  ga_1: {mass: 0, com: [0, 0, 1], inertia: [0, 0, 0]}\n"
                 "  ga_2: {mass: 0, com: [0, 0, 1], inertia: [0, 0, 0]}\n"
                 "  gb_1: {mass: 0, com: [1, 0, 1], inertia: [0, 0, 0]}\n"
                 "  gb_2: {mass: 0, com: [1, 0, 1], inertia: [0, 0, 0]}\n"
                 "joints:\n"
                 "  h1: {kind: revolute, between: [ground, arm1], at: [0, 0, 0], axis: [0, 1, 0]}\n"
                 "  h2: {kind: revolute, between: [ground, arm2], at: [1, 0, 0], axis: [1, 0, 0], cut: %s}\n"
                 "  ga_x: {kind: revolute, between: [arm1, ga_1], at: [0, 0, 1], axis: [1, 0, 0]}\n"
                 "  ga_y: {kind: revolute, between: [ga_1, ga_2], at: [0, 0, 1], axis: [0, 1, 0]}\n"
                 "  ga_z: {kind: revolute, between: [ga_2, rod], at: [0, 0, 1], axis: [0, 0, 1], cut: %s}\n"
                 "  gb_x: {kind: revolute, between: [rod, gb_1], at: [1, 0, 1], axis: [1, 0, 0], cut: %s}\n"
                 "  gb_y: {kind: revolute, between: [gb_1, gb_2], at: [1, 0, 1], axis: [0, 1, 0]}\n"
                 "  gb_z: {kind: revolute, between: [gb_2, arm2], at: [1, 0, 1], axis: [0, 0, 1]}\n"
                 "",
                 strcmp(cut[k], "h2") == 0 ? "true" : "false", strcmp(cut[k], "ga_z") == 0 ? "true" : "false",
                 strcmp(cut[k], "gb_x") == 0 ? "true" : "false");
        clv_model *reference = read_model(
            arms, "joints:\n"
                  "  h1: {kind: revolute, between: [ground, arm1], at: [0, 0, 0], axis: [0, 1, 0]}\n"
                  "  h2: {kind: revolute, between: [ground, arm2], at: [1, 0, 0], axis: [1, 0, 0]}\n"
                  "  ga: {kind: spherical, between: [arm1, rod], at: [0, 0, 1]}\n"
                  "  gb: {kind: spherical, between: [rod, arm2], at: [1, 0, 1]}\n"
                  "");
        moves_alike(read_model(arms, tail), reference, 0.2, 1e-6);
    }
}

/* wherever this loop is cut, a massless cross is a tip or a base */
static void crosses_are_universal_joints(void **state)
{
    (void)state;
    static const char start[] = "start: {joints: {h1: {u: [0.4, -0.8, 0.2]}}}\n";
    char tail[2000];
    snprintf(tail, sizeof tail,
             "  c1: {mass: 0, com: [0, 0, 1], inertia: [0, 0, 0]}\n"
             "  c2: {mass: 0, com: [1, 0, 1], inertia: [0, 0, 0]}\n"
             "joints:\n"
             "  h1: {kind: spherical, between: [ground, arm1], at: [0, 0, 0]}\n"
             "  h2: {kind: revolute, between: [ground, arm2], at: [1, 0, 0], axis: [0, 1, 0]}\n"
             "  c1x: {kind: revolute, between: [arm1, c1], at: [0, 0, 1], axis: [1, 0, 0]}\n"
             "  c1y: {kind: revolute, between: [c1, rod], at: [0, 0, 1], axis: [0, 1, 0]}\n"
             "  c2y: {kind: revolute, between: [rod, c2], at: [1, 0, 1], axis: [0, 1, 0]}\n"
             "  c2z: {kind: revolute, between: [c2, arm2], at: [1, 0, 1], axis: [0, 0, 1]}\n%s",
             start);
    clv_model *m = read_model(arms, tail);
    snprintf(tail, sizeof tail,
             "joints:\n"
             "  h1: {kind: spherical, between: [ground, arm1], at: [0, 0, 0]}\n"
             "  h2: {kind: revolute, between: [ground, arm2], at: [1, 0, 0], axis: [0, 1, 0]}\n"
             "  c1: {kind: universal, between: [arm1, rod], at: [0, 0, 1], axis: [0, 0, 1], x_axis: [1, 0, 0]}\n"
             "  c2: {kind: universal, between: [rod, arm2], at: [1, 0, 1], axis: [1, 0, 0], x_axis: [0, 1, 0]}\n%s",
             start);
    moves_alike(m, read_model(arms, tail), 0.2, 1e-6);
}

/* it may spin about its own line: nothing turns with it, and the motion is that of a distance */
static void link_without_mass_is_a_distance(void **state)
{
    (void)state;
    static const char pendulums[] = "gravity: [0, 0, -9.81]\n"
                                    "bodies:\n"
                                    "  arm1: {mass: 1, com: [0, 0, -0.5], inertia: [0.1, 0.1, 0.01]}\n"
                                    "  arm2: {mass: 2, com: [1, 0.2, -0.5], inertia: [0.1, 0.2, 0.11]}\n"
                                    "  bob: {mass: 0.3, com: [0.1, 0, -1.2], inertia: [0.01, 0.02, 0.02]}\n";
    static const char joints[] = "joints:\n"
                                 "  h1: {kind: spherical, between: [ground, arm1], at: [0, 0, 0]}\n"
                                 "  h2: {kind: revolute, between: [ground, arm2], at: [1, 0, 0], axis: [0, 1, 0]}\n"
                                 "  k: {kind: spherical, between: [arm1, bob], at: [0, 0, -1]}\n";
    static const char start[] = "start: {joints: {h1: {u: [0.4, -0.8, 0.2]}}}\n";
    char tail[2000];
    snprintf(tail, sizeof tail,
             "  link: {mass: 0, com: [0.5, 0, -0.7], inertia: [0, 0, 0]}\n%s"
             "  l1: {kind: spherical, between: [arm1, link], at: [0, 0, -0.9]}\n"
             "  l2: {kind: spherical, between: [link, arm2], at: [1, 0.1, -0.6]}\n%s",
             joints, start);
    clv_model *m = read_model(pendulums, tail);
    snprintf(tail, sizeof tail,
             "%s  l: {kind: distance, a: {body: arm1, position: [0, 0, -0.9]}, "
             "b: {body: arm2, position: [1, 0.1, -0.6]}}\n%s",
             joints, start);
    moves_alike(m, read_model(pendulums, tail), 0.3, 1e-6);
}

/* zero mass with rotary inertia, on a geared shaft: the same as with a mass of 1e-9 kg */
static void geared_rotor_without_mass_turns(void **state)
{
    (void)state;
    static const char format[] = "bodies:\n"
                                 "  arm: {mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"
                                 "  link: {mass: 1, com: [1.5, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"
                                 "  rotor: {mass: %s, com: [1, 0, 0], inertia: [0.01, 0.01, 0.02]}\n"
                                 "joints:\n"
                                 "  a: {kind: revolute, between: [ground, arm], at: [0, 0, 0], axis: [0, 1, 0]}\n"
                                 "  b: {kind: revolute, between: [arm, link], at: [1, 0, 0], axis: [0, 1, 0]}\n"
                                 "  r: {kind: revolute, between: [arm, rotor], at: [1, 0, 0], axis: [0, 0, 1]}\n"
                                 "couplings: {g: {first: b, second: r, ratio: 10}}\n";
    char text[1500];
    snprintf(text, sizeof text, format, "1e-9");
    clv_model *reference = read_model(text, "");
    snprintf(text, sizeof text, format, "0");
    moves_alike(read_model(text, ""), reference, 0.3, 1e-6);
}

/* a slide and a ball one after the other, as of a body of an MJCF with two joints, on a base that branches; what the
 * ball leaves of the turns of the link between them is rounding */
static void slide_and_ball_may_lie_in_a_loop(void **state)
{
    (void)state;
    static const char tail[] =
        "joints:\n"
        "  foot: {kind: spherical, a: {body: ground}, b: {body: base}}\n"
        "  slide: {kind: prismatic, a: {body: base, position: [0.4, 0.4, 0.5], "
        "orientation: {axis: [1, 2, 0.5], angle: 0.7}}, b: {body: slider}}\n"
        "  ball: {kind: spherical, a: {body: slider}, b: {body: block, position: [%g, 0.1, %g]}}\n"
        "  hinge: {kind: revolute, a: {body: base, position: [0, 0.4, 0.8], "
        "orientation: {axis: [0.3, 1, 0.2], angle: %g}}, b: {body: arm}}\n"
        "  loop: {kind: point, a: {body: arm, position: [0.6, 0.1, 0]}, "
        "b: {body: block, position: [0.5, 0.1, 0.2]}, cut: true}\n";
    for (int k = 0; k < 4; k++) {
        char text[2][2000], joints[1500];
        snprintf(joints, sizeof joints, tail, 0.05 * k, -0.03 * k, 0.2 * k - 0.3);
        for (int i = 0; i < 2; i++)
            snprintf(text[i], sizeof text[i],
                     "  base: {mass: 2, com: [0.1, 0, 0.2], inertia: [0.3, 0.3, 0.2]}\n"
                     "  block: {mass: 1.5, com: [0.1, 0.1, 0], inertia: [0.03, 0.02, 0.04]}\n"
                     "  arm: {mass: 1, com: [0.3, 0, 0], inertia: [0.02, 0.05, 0.06]}\n"
                     "  slider: {mass: %g, inertia: [%g, %g, %g]}\n%s",
                     i * 1e-9, i * 1e-9, i * 1e-9, i * 1e-9, joints);
        static const char head[] = "gravity: [1, 2, -9]\nbodies:\n";
        clv_model *reference = read_model(head, text[1]);
        moves_alike(read_model(head, text[0]), reference, 0.2, 1e-6);
    }
}

/* ------------------------------------------------------------------ what is not */

static void refused(const char *text, const char *body)
{
    for (int f = 0; f < FORMULATIONS; f++) {
        clv_model *m = read_model(text, "");
        clv_sim *s;
        clv_sim_options o = clv_sim_options_default();
        o.formulation = formulations[f];
        if (f == FORMULATIONS - 1)
            o.step = 1e-3;
        clv_status st = clv_sim_create(&s, m, &o);
        if (st == CLV_OK)
            st = clv_sim_advance(s, 0.1);
        assert_int_equal(st, CLV_ERR_SINGULAR);
        const clv_error *e = clv_sim_error(s);
        if (strcmp(e->body, body) != 0)
            fail_msg("%s names '%s', not '%s': %s", formulations[f], e->body, body, e->message);
        assert_true(e->joint[0] != '\0' && e->hint[0] != '\0');
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

/* on a sphere about the arm's end it may be anywhere */
static void body_that_drifts_is_refused(void **state)
{
    (void)state;
    refused("bodies:\n"
            "  arm: {mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"
            "  ghost: {mass: 0, com: [1.5, 0, 0], inertia: [0, 0, 0]}\n"
            "joints:\n"
            "  a: {kind: revolute, between: [ground, arm], at: [0, 0, 0], axis: [0, 1, 0]}\n"
            "  s: {kind: spherical, between: [arm, ghost], at: [1, 0, 0], cut: true}\n",
            "ghost");
}

static void link_that_is_spun_is_refused(void **state)
{
    (void)state;
    refused("bodies:\n"
            "  arm: {mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"
            "  leg: {mass: 1, com: [0.5, 0, 1], inertia: [0.1, 0.1, 0.1]}\n"
            "  link: {mass: 0, com: [1, 0, 0.5], inertia: [0, 0, 0]}\n"
            "joints:\n"
            "  a: {kind: revolute, between: [ground, arm], at: [0, 0, 0], axis: [0, 1, 0]}\n"
            "  b: {kind: revolute, between: [ground, leg], at: [0, 0, 1], axis: [0, 1, 0]}\n"
            "  s: {kind: spherical, between: [arm, link], at: [1, 0, 0]}\n"
            "  t: {kind: spherical, between: [leg, link], at: [1, 0, 1]}\n"
            "forces: {spin: {kind: torque, body: link, vector: [0, 0, 1]}}\n",
            "link");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gimbals_are_ball_joints),
        cmocka_unit_test(crosses_are_universal_joints),
        cmocka_unit_test(link_without_mass_is_a_distance),
        cmocka_unit_test(geared_rotor_without_mass_turns),
        cmocka_unit_test(slide_and_ball_may_lie_in_a_loop),
        cmocka_unit_test(body_that_drifts_is_refused),
        cmocka_unit_test(link_that_is_spun_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
