/* SPDX-License-Identifier: Apache-2.0
 * Rack and pinion, screw and nut, belts (T57): constant accelerations in closed form by every formulation, and what the
 * keys refuse. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "cleave/cleave.h"
#include "math/sincos.h"
#include "near.h"

static const char *const formulations[] = {"hdca", "dca", "connection", "massmatrix", "aldca", "index3"};
enum { FORMULATIONS = 6 };

/* A wheel of 0.03 kg m^2 about z, and a slider of 2 kg along z that a force of 0.5 N pulls up; then a second wheel. */
#define WHEEL "  wheel: {mass: 1, inertia: [0.02, 0.02, 0.03]}\n"
#define TURN "  turn: {kind: revolute, between: [ground, wheel], at: [0, 0, 0], axis: [0, 0, 1]}\n"
#define SLIDE                                                                                                          \
    "cleave: 1\ngravity: [0, 0, 0]\nbodies:\n" WHEEL "  slider: {mass: 2, inertia: [0.1, 0.1, 0.1]}\n"                 \
    "joints:\n" TURN "  slide: {kind: prismatic, between: [ground, slider], at: [0, 0, 0], axis: [0, 0, 1]}\n"         \
    "forces: {pull: {kind: force, body: slider, vector: [0, 0, 0.5]}}\n"                                               \
    "couplings: {c: "
#define BELT                                                                                                           \
    "cleave: 1\ngravity: [0, 0, 0]\nbodies:\n" WHEEL "  small: {mass: 1, inertia: [0.02, 0.02, 0.01]}\n"               \
    "joints:\n" TURN "  spin: {kind: revolute, between: [ground, small], at: [0, 0, 0], axis: [0, 0, 1]}\n"            \
    "forces: {pull: {kind: torque, body: small, vector: [0, 0, 0.05]}}\n"                                              \
    "couplings: {c: "

static clv_model *read_model(const char *head, const char *coupling)
{
    static char text[3000];
    clv_model *m;
    int n = snprintf(text, sizeof text, "%s%s}\n", head, coupling);
    assert_in_range(n, 1, (int)sizeof text - 1);
    if (clv_model_read_text(&m, text, (size_t)n, "couplings") != CLV_OK)
        fail_msg("%s: %s", coupling, clv_model_error(m)->message);
    return m;
}

/* From rest both joints keep their accelerations: after 0.5 s the coordinates are a t^2 / 2. The steps of index3 are of
 * second order in the angle a step. */
static void moves(const char *head, const char *coupling, double wheel, double other)
{
    const double time = 0.5, half = time * time / 2;
    for (int f = 0; f < FORMULATIONS; f++) {
        const double tolerance = f == FORMULATIONS - 1 ? 1e-7 : 1e-11;
        double q[2][7], u[2][6];
        clv_model *m = read_model(head, coupling);
        clv_sim *s;
        clv_sim_options o = clv_sim_options_default();
        o.formulation = formulations[f];
        if (f == FORMULATIONS - 1)
            o.step = 1e-3;
        else
            o.rtol = 1e-10;
        if (clv_sim_create(&s, m, &o) != CLV_OK || clv_sim_set_end(s, time) != CLV_OK ||
            clv_sim_advance(s, time) != CLV_OK)
            fail_msg("%s: %s: %s", coupling, formulations[f], clv_sim_error(s)->message);
        assert_int_equal(clv_sim_coordinates(s, q[0], u[0]), CLV_OK);
        CLV_NEAR(q[0][0] / (wheel * half), 1, tolerance);
        CLV_NEAR(q[1][0] / (other * half), 1, tolerance);
        CLV_NEAR(u[0][0] / (wheel * time), 1, tolerance);
        CLV_NEAR(u[1][0] / (other * time), 1, tolerance);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

/* travel r a radian: a = F / (m + I / r^2), alpha = a / r */
static void slides(const char *coupling, double r)
{
    const double a = 0.5 / (2 + 0.03 / (r * r));
    moves(SLIDE, coupling, a / r, a);
}

static void rack_and_pinion_share_their_speed(void **state)
{
    (void)state;
    slides("{first: turn, second: slide, rack: 50 mm}", 0.05);
    slides("{first: slide, second: turn, rack: 0.05}", 0.05);
    slides("{first: turn, second: slide, rack: -0.2}", -0.2);
}

static void nut_travels_by_the_lead_a_turn(void **state)
{
    (void)state;
    slides("{first: turn, second: slide, screw: 0.6}", 0.6 / (2 * CLV_PI));
    slides("{first: slide, second: turn, screw: 0.6}", 0.6 / (2 * CLV_PI));
    slides("{first: slide, second: turn, screw: -0.6}", -0.6 / (2 * CLV_PI));
}

/* k = r1 / r2 turns of the small wheel a turn of the large one: alpha_small = T / (I_small + I_wheel / k^2) */
static void belt_moves_both_rims_alike(void **state)
{
    (void)state;
    const double alpha = 0.05 / (0.01 + 0.03 / 6.25);
    moves(BELT, "{first: turn, second: spin, belt: [0.1, 0.04]}", alpha / 2.5, alpha);
    moves(BELT, "{first: spin, second: turn, belt: [0.04, 0.1]}", alpha / 2.5, alpha);
    moves(BELT, "{first: turn, second: spin, belt: [0.1, -0.04]}", -alpha / 2.5, alpha);
}

static void refused(const char *head, const char *coupling, const char *path, const char *words)
{
    char text[3000];
    clv_model *m;
    int n = snprintf(text, sizeof text, "%s%s}\n", head, coupling);
    assert_in_range(n, 1, (int)sizeof text - 1);
    assert_int_equal(clv_model_read_text(&m, text, (size_t)n, "couplings"), CLV_ERR_MODEL);
    const clv_error *e = clv_model_error(m);
    if (clv_model_error_count(m) != 1 || strcmp(e->path, path) != 0 || !strstr(e->message, words) || !e->hint[0])
        fail_msg("%s: %d errors, '%s': %s", coupling, clv_model_error_count(m), e->path, e->message);
    clv_model_destroy(m);
}

static void wrong_joints_and_keys_are_named(void **state)
{
    (void)state;
    refused(SLIDE, "{first: turn, second: slide}", "couplings.c.ratio", "0 are given");
    refused(SLIDE, "{first: turn, second: slide, ratio: 2, rack: 1}", "couplings.c.ratio", "2 are given");
    refused(BELT, "{first: turn, second: spin, belt: [1, 1], screw: 1}", "couplings.c.ratio", "2 are given");
    refused(BELT, "{first: turn, second: spin, rack: 1}", "couplings.c.rack", "'spin' is revolute");
    refused(BELT, "{first: turn, second: spin, screw: 1}", "couplings.c.screw", "a revolute and a prismatic joint");
    refused(SLIDE, "{first: turn, second: slide, belt: [1, 1]}", "couplings.c.belt", "'slide' is prismatic");
    refused(BELT, "{first: turn, second: spin, belt: [1, 0]}", "couplings.c.belt", "radius of 0");
    refused(SLIDE, "{first: turn, second: slide, rack: 0}", "couplings.c.rack", "must not be zero");
    refused(SLIDE, "{first: turn, second: slide, screw: 0}", "couplings.c.screw", "must not be zero");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rack_and_pinion_share_their_speed),
        cmocka_unit_test(nut_travels_by_the_lead_a_turn),
        cmocka_unit_test(belt_moves_both_rims_alike),
        cmocka_unit_test(wrong_joints_and_keys_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
