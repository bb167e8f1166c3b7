/* SPDX-License-Identifier: Apache-2.0
 * Rack and pinion, screw and nut, belts (T57), sums of coordinates, polynomials and cams (T98) against closed forms by
 * every formulation, and what the keys refuse. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "cleave/cleave.h"
#include "math/sincos.h"
#include "model/coupling.h"
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

/* ------------------------------------------------------------------ sums, polynomials, cams (T98) */

#define WHEELS                                                                                                         \
    "cleave: 1\ngravity: [0, 0, 0]\nbodies:\n"                                                                         \
    "  left: {mass: 1, inertia: [0.02, 0.02, 0.03]}\n  right: {mass: 1, inertia: [0.02, 0.02, 0.01]}\n"                \
    "  cage: {mass: 1, inertia: [0.03, 0.03, 0.05]}\njoints:\n"                                                        \
    "  l: {kind: revolute, between: [ground, left], at: [0, 0, 0], axis: [0, 0, 1]}\n"                                 \
    "  r: {kind: revolute, between: [ground, right], at: [0, 0, 0], axis: [0, 0, 1]}\n"                                \
    "  c: {kind: revolute, between: [ground, cage], at: [0, 0, 0], axis: [0, 0, 1]}\n"                                 \
    "forces: {drive: {kind: torque, body: cage, vector: [0, 0, 2]}, brake: {kind: torque, body: left, vector: [0, 0, " \
    "-0.3]}}\n"                                                                                                        \
    "couplings: {differential: "

typedef struct run {
    clv_model *m;
    clv_sim *s;
    double q[3][7], u[3][6];
} run;

static void begin(run *r, const char *head, const char *coupling, int formulation, double step)
{
    clv_sim_options o = clv_sim_options_default();
    r->m = read_model(head, coupling);
    o.formulation = formulations[formulation];
    if (formulation == FORMULATIONS - 1)
        o.step = step;
    else
        o.rtol = 1e-11, o.atol = 1e-13, o.integrator = "dop853";
    if (clv_sim_create(&r->s, r->m, &o) != CLV_OK)
        fail_msg("%s: %s: %s", coupling, o.formulation, clv_sim_error(r->s)->message);
}

static void advance(run *r, double t)
{
    if (clv_sim_advance(r->s, t) != CLV_OK)
        fail_msg("%s", clv_sim_error(r->s)->message);
    assert_int_equal(clv_sim_coordinates(r->s, r->q[0], r->u[0]), CLV_OK);
}

static void end(run *r, double drift)
{
    clv_sim_report report;
    clv_sim_summary(r->s, &report);
    if (!(report.max_energy_drift < drift && report.max_position_violation < 1e-12))
        fail_msg("drift %g J, violation %g", report.max_energy_drift, report.max_position_violation);
    clv_sim_destroy(r->s), clv_model_destroy(r->m);
}

/* I u' = T + a lambda, a . u' = 0: a differential, u_l + u_r = 2 u_c */
static void sum_of_three_is_a_differential(void **state)
{
    (void)state;
    const double I[3] = {0.03, 0.01, 0.05}, T[3] = {-0.3, 0, 2}, a[3] = {1, 1, -2}, t = 0.5;
    double up = 0, down = 0;
    for (int i = 0; i < 3; i++)
        up += a[i] * T[i] / I[i], down += a[i] * a[i] / I[i];
    for (int f = 0; f < FORMULATIONS; f++) {
        run r;
        begin(&r, WHEELS, "{of: {l: 1, r: 1, c: -2}, offset: 0}", f, 1e-4);
        advance(&r, t);
        for (int i = 0; i < 3; i++) {
            CLV_NEAR(r.u[i][0], (T[i] - a[i] * up / down) / I[i] * t, f == FORMULATIONS - 1 ? 1e-5 : 1e-9);
            CLV_NEAR(r.q[i][0], (T[i] - a[i] * up / down) / I[i] * t * t / 2, f == FORMULATIONS - 1 ? 1e-6 : 1e-9);
        }
        end(&r, f == FORMULATIONS - 1 ? 1e-4 : 1e-10);
    }
}

/* One joint alone is held where it starts. */
static void sum_of_one_holds_its_joint(void **state)
{
    (void)state;
    for (int f = 0; f < FORMULATIONS; f++) {
        run r;
        begin(&r, WHEELS, "{of: {c: 3}}", f, 1e-4);
        advance(&r, 0.5);
        CLV_NEAR(r.q[2][0], 0, 1e-13), CLV_NEAR(r.q[0][0], -0.3 / 0.03 / 8, f == FORMULATIONS - 1 ? 2e-8 : 1e-10);
        end(&r, 1e-7);
    }
}

/* Two sliders of equal mass, y = 0.8 x^2: one bead on a parabola.  Without forces it keeps its speed along the arc. */
static void polynomial_is_a_bead_on_a_parabola(void **state)
{
    (void)state;
    const char head[] = "cleave: 1\ngravity: [0, 0, 0]\nbodies:\n"
                        "  x: {mass: 2, inertia: [0.1, 0.1, 0.1]}\n  y: {mass: 2, inertia: [0.1, 0.1, 0.1]}\njoints:\n"
                        "  x: {kind: prismatic, between: [ground, x], at: [0, 0, 0], axis: [1, 0, 0]}\n"
                        "  y: {kind: prismatic, between: [ground, y], at: [0, 0, 0], axis: [0, 1, 0]}\n"
                        "start: {joints: {x: {q: 0, u: 1.5}}}\ncouplings: {c: ";
    for (int f = 0; f < FORMULATIONS; f++) {
        const bool steps = f == FORMULATIONS - 1;
        run r;
        begin(&r, head, "{first: x, second: y, polynomial: [0, 0, 0.8]}", f, 2e-4);
        for (int k = 1; k <= 4; k++) {
            advance(&r, 0.5 * k);
            const double x = r.q[0][0], w = 1.6 * x;
            CLV_NEAR(x * sqrt(1 + w * w) / 2 + asinh(w) / 3.2, 1.5 * 0.5 * k, steps ? 1e-5 : 1e-9);
            CLV_NEAR(r.q[1][0], 0.8 * x * x, 1e-12);
            CLV_NEAR(r.u[0][0] * sqrt(1 + w * w), 1.5, steps ? 1e-6 : 1e-9);
        }
        end(&r, steps ? 1e-5 : 1e-9);
    }
}

/* A cam at a constant rate w lifts a follower of mass m by s(w t): its torque is s' (m s'' w^2 + m g), in rad. */
static void cam_takes_the_torque_of_its_lift(void **state)
{
    (void)state;
    const char head[] = "cleave: 1\nbodies:\n" WHEEL "  rod: {mass: 2, inertia: [0.1, 0.1, 0.1]}\njoints:\n" TURN
                        "  lift: {kind: prismatic, between: [ground, rod], at: [0, 0, 0], axis: [0, 0, 1]}\n"
                        "motions: {m: {joint: turn, rate: 4}}\ncouplings: {c: ";
    const char *const form[] = {"{first: turn, second: lift, polynomial: [0, 0.01, 0.02, -0.003]}",
                                "{first: turn, second: lift, periodic: true, table: [[0, 0], [60 deg, 5 mm], [120 deg, "
                                "20 mm], [180 deg, 0.025], [270 deg, 12 mm], [360 deg, 0]]}"};
    for (int f = 0; f < 2 * (FORMULATIONS - 1); f++) {
        run r;
        begin(&r, head, form[f % 2], f / 2, 0);
        for (int k = 1; k <= 5; k++) {
            double s[3];
            clv_joint_result turn;
            advance(&r, 0.33 * k);
            clv_coupling_term_at(&r.m->coupling[0], 1, 4 * 0.33 * k, s);
            assert_int_equal(clv_sim_joint(r.s, 0, &turn), CLV_OK);
            CLV_NEAR(r.q[1][0], -s[0], 1e-12), CLV_NEAR(r.u[1][0], -4 * s[1], 1e-11);
            CLV_NEAR(turn.effort[0], -s[1] * 2 * (-16 * s[2] + 9.81), 1e-9);
        }
        end(&r, 1e-9);
    }
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
    refused(SLIDE, "{of: {turn: 1, slide: 2}, ratio: 2}", "couplings.c.of", "takes no other key");
    refused(SLIDE, "{of: {turn: 1, slide: 0}}", "couplings.c.of", "factor 0");
    refused(SLIDE, "{of: {turn: 1, nobody: 1}}", "couplings.c.of", "nobody");
    refused(SLIDE, "{of: {}}", "couplings.c.of", "1 to 32 joints");
    refused(SLIDE, "{second: slide, ratio: 1}", "couplings.c.first", "missing");
    refused(SLIDE, "{first: slide, ratio: 1}", "couplings.c.second", "missing");
    refused(SLIDE, "{first: turn, second: slide, polynomial: [1, 0, 0]}", "couplings.c.polynomial", "constant");
    refused(SLIDE, "{first: turn, second: slide, polynomial: [0, 1], periodic: true}", "couplings.c.periodic",
            "only a table");
    refused(SLIDE, "{first: turn, second: slide, table: [[0, 0], [1, 1]]}", "couplings.c.table", "at least 3");
    refused(SLIDE, "{first: turn, second: slide, table: [[0, 0], [2, 1], [1, 1]]}", "couplings.c.table",
            "do not increase");
    refused(SLIDE, "{first: turn, second: slide, table: [[0, 0], [2, 1], [3, 90 deg]]}", "couplings.c.table", "deg");
    refused(SLIDE, "{first: turn, second: slide, table: [[0, 0], [2, 1, 3]]}", "couplings.c.table", "row 2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rack_and_pinion_share_their_speed),
        cmocka_unit_test(nut_travels_by_the_lead_a_turn),
        cmocka_unit_test(belt_moves_both_rims_alike),
        cmocka_unit_test(sum_of_three_is_a_differential),
        cmocka_unit_test(sum_of_one_holds_its_joint),
        cmocka_unit_test(polynomial_is_a_bead_on_a_parabola),
        cmocka_unit_test(cam_takes_the_torque_of_its_lift),
        cmocka_unit_test(wrong_joints_and_keys_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
