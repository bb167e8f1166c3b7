/* SPDX-License-Identifier: Apache-2.0
 * Boxes on boxes (T69), compliant and rigid: depth at rest, Coulomb's cone on an inclined box to 1e-6, momentum and
 * energy of boxes that collide, a column of boxes at rest. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "near.h"
#include "simulation/methods.h"

#define OK(call) assert_int_equal(call, CLV_OK)
#define G 9.81

static clv_sim *start(clv_model **m, const char *text, const char *formulation, const char *integrator, double step)
{
    clv_sim *s;
    clv_sim_options o = clv_sim_options_default();
    if (clv_model_read_text(m, text, strlen(text), "boxes.yaml") != CLV_OK)
        fail_msg("%s", clv_model_error(*m)->message);
    o.formulation = formulation, o.integrator = integrator, o.step = step, o.rtol = 1e-11, o.atol = 1e-13;
    const clv_status st = clv_sim_create(&s, *m, &o);
    if (st != CLV_OK)
        fail_msg("%s", clv_sim_error(s)->message);
    return s;
}

static void advance(clv_sim *s, double t)
{
    const clv_status st = clv_sim_advance(s, t);
    if (st != CLV_OK)
        fail_msg("%s", clv_sim_error(s)->message);
}

static void drop(clv_model *m, clv_sim *s)
{
    clv_sim_destroy(s), clv_model_destroy(m);
}

static double energy_of(const clv_sim *s)
{
    double kinetic, potential, work;
    clv_sim_energy(s, &kinetic, &potential, &work);
    return kinetic + potential;
}

/* A table that is a body on the ground, and a box on it; the plane of the table is inclined by turning gravity. */
static const char table[] = "cleave: 1\n"
                            "gravity: [%.17g, 0, %.17g]\n"
                            "bodies:\n"
                            "  table: {mass: 50, inertia: from shape, shape: {box: [8, 3, 1]}}\n"
                            "  box: {mass: 3, inertia: from shape, shape: {box: [0.5, 0.4, 0.1]}}\n"
                            "joints:\n"
                            "  foot: {kind: fixed, a: {body: ground}, b: {body: table}}\n"
                            "  j: {kind: free, a: {body: ground}, b: {body: box}}\n"
                            "forces: {top: {kind: contact, between: [%s], %s}}\n"
                            "start: {bodies: {table: {position: [0, 0, 0]}, "
                            "box: {position: [0, 0, %.17g], orientation: {axis: [0, 0, 1], angle: %g}}}}\n";

static void a_box_rests_at_its_depth(void **state)
{
    static const char *const formulation[] = {"hdca", "dca", "connection", "massmatrix", "aldca"};
    (void)state;
    for (int i = 0; i < 20; i++) {
        char text[1200], law[100];
        clv_model *m;
        const double exponent = i % 2 ? 1.5 : 1, depth = pow(3 * G / (4 * 1e4), 1 / exponent);
        snprintf(law, sizeof law, "stiffness: 1e4, exponent: %g, dissipation: 0.2, dynamic_friction: 0.5", exponent);
        snprintf(text, sizeof text, table, 0.0, -G, i / 2 % 2 ? "box, table" : "table, box", law, 0.55 - depth, 0.3);
        clv_sim *s = start(&m, text, formulation[i / 4], "dop853", 0);
        advance(s, 0.2);
        CLV_NEAR(clv_sim_position(s)[5], 0.55 - depth, 1e-9);
        CLV_NEAR(clv_sim_position(s)[3], 0, 1e-9);
        drop(m, s);
    }
}

/* Rigid: it holds up to mu (1 - 1e-6), and beyond mu (1 + 1e-6) accelerates by g (sin - mu cos). */
static void a_box_holds_up_to_the_angle_of_friction(void **state)
{
    static const double tangent[4] = {0.1, 0.4 * (1 - 1e-6), 0.4 * (1 + 1e-6), 0.6};
    (void)state;
    for (int i = 0; i < 4; i++) {
        char text[1200];
        clv_model *m;
        const double cosine = 1 / sqrt(1 + tangent[i] * tangent[i]), want = G * cosine * (tangent[i] - 0.4);
        snprintf(text, sizeof text, table, G * tangent[i] * cosine, -G * cosine, "table, box",
                 "restitution: 0, dynamic_friction: 0.4", 0.5499999999, 0.0);
        clv_sim *s = start(&m, text, "dca", "moreau", 1e-3);
        advance(s, 1);
        CLV_NEAR(clv_sim_velocity(s)[6], i < 2 ? 0 : want, i == 2 ? 2e-7 : 1e-8);
        CLV_NEAR(clv_sim_velocity(s)[10], 0, 1e-9);
        drop(m, s);
    }
}

/* ------------------------------------------------------------------ collisions */

/* Two free boxes, of which the first meets the second. */
static const char collision[] = "cleave: 1\n"
                                "gravity: [0, 0, 0]\n"
                                "bodies:\n"
                                "  a: {mass: 1, inertia: from shape, shape: {box: [%s]}}\n"
                                "  b: {mass: 2, inertia: from shape, shape: {box: [%s]}}\n"
                                "joints:\n"
                                "  ja: {kind: free, a: {body: ground}, b: {body: a}}\n"
                                "  jb: {kind: free, a: {body: ground}, b: {body: b}}\n"
                                "forces: {c: {kind: contact, between: [a, b], %s}}\n"
                                "start: {bodies: {a: {position: [0, 0, 0], velocity: [1, 0.1, 0]}, "
                                "b: {position: [%s], orientation: {axis: [%s], angle: %g}, velocity: [-1, 0, 0], "
                                "angular_velocity: [%s]}}}\n";

static void momentum(const clv_sim *s, double P[6])
{
    clv_momentum x;
    clv_sim_momentum(s, &x);
    memcpy(P, x.linear, 3 * sizeof *P), memcpy(P + 3, x.angular, 3 * sizeof *P);
}

static void momentum_is_kept(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++) {
        char text[1200];
        clv_model *m;
        double before[6], after[6];
        const bool rigid = i % 2;
        snprintf(text, sizeof text, collision, "0.3, 0.2, 0.4", "0.3, 0.3, 0.2",
                 rigid ? "restitution: 0.5, dynamic_friction: 0.3"
                       : "stiffness: 2e4, dissipation: 0.2, dynamic_friction: 0.4",
                 "0.5, 0.06, 0.04", "1, 2, 0.5", 0.4 * (i / 2), "0, 3, 2");
        clv_sim *s = start(&m, text, "dca", rigid ? "moreau" : "dop853", rigid ? 1e-3 : 0);
        momentum(s, before);
        advance(s, 0.5);
        momentum(s, after);
        for (int k = 0; k < 3; k++)
            CLV_NEAR(after[k], before[k], 1e-12);
        for (int k = 3; k < 6 && !rigid; k++) /* rigid: arms move during the step, T62.2 */
            CLV_NEAR(after[k], before[k], 1e-10);
        assert_true(clv_sim_velocity(s)[0] < 0.5); /* they met */
        drop(m, s);
    }
}

/* Without loss, energy is kept where edges cross and where corners are on a face: both have a potential. */
static void edges_and_corners_keep_energy(void **state)
{
    static const struct {
        const char *a, *b, *at, *axis;
        double angle;
        const char *spin;
    } row[] = {{"0.1, 0.1, 1", "0.1, 0.1, 1", "0.3, 0.02, 0.03", "1, 1, 0", 1.2, "0, 0.1, 0.2"},
               {"0.1, 1, 1", "0.2, 0.2, 0.2", "0.5, 0.02, 0.03", "1, 2, 3", 1.0, "1, 2, 0.5"}};
    (void)state;
    for (int i = 0; i < 2; i++) {
        char text[1200];
        clv_model *m;
        snprintf(text, sizeof text, collision, row[i].a, row[i].b, "stiffness: 1e6", row[i].at, row[i].axis,
                 row[i].angle, row[i].spin);
        clv_sim *s = start(&m, text, "massmatrix", "dop853", 0);
        const double energy = energy_of(s);
        advance(s, 0.3);
        assert_true(clv_sim_velocity(s)[0] < 0.9);
        CLV_NEAR(energy_of(s), energy, 1e-8);
        drop(m, s);
    }
}

/* ------------------------------------------------------------------ a column */

/* Five equal boxes on one another and a plane, rigid: they rest for ten seconds. */
static void a_column_rests(void **state)
{
    static const char text[] =
        "cleave: 1\n"
        "bodies:\n  b{i}: {mass: 1, inertia: from shape, shape: {box: [0.2, 0.2, 0.2]}, repeat: 5}\n"
        "joints:\n  j{i}: {kind: free, a: {body: ground}, b: {body: \"b{i}\"}, repeat: 5}\n"
        "forces:\n"
        "  floor: {kind: contact, between: [ground, b1], normal: [0, 0, 1], restitution: 0, dynamic_friction: 0.5}\n"
        "  c{i}: {kind: contact, between: [\"b{i}\", \"b{i+1}\"], restitution: 0, dynamic_friction: 0.5, repeat: 4}\n"
        "start: {bodies: {b1: {position: [0, 0, 0.1]}, b2: {position: [0, 0, 0.3]}, b3: {position: [0, 0, 0.5]}, "
        "b4: {position: [0, 0, 0.7]}, b5: {position: [0, 0, 0.9]}}}\n";
    clv_model *m;
    clv_sim_report report;
    (void)state;
    clv_sim *s = start(&m, text, "dca", "moreau", 1e-3);
    advance(s, 10);
    for (int b = 0; b < 5; b++) {
        CLV_NEAR(clv_sim_position(s)[3 * b], 0, 1e-3), CLV_NEAR(clv_sim_position(s)[3 * b + 1], 0, 1e-3);
        CLV_NEAR(clv_sim_position(s)[3 * b + 2], 0.1 + 0.2 * b, 1e-3);
    }
    clv_sim_summary(s, &report);
    assert_int_equal(report.contact_limited, 0);
    drop(m, s);
}

/* Ten columns of ten: each is an island, and none moves by a millimetre. */
static void a_hundred_boxes_rest(void **state)
{
    enum { COLUMNS = 10, HIGH = 10, ROOM = 30000 };
    char *text = malloc(ROOM);
    int n = 0;
    clv_model *m;
    clv_sim_report report;
    (void)state;
    n += snprintf(text + n, (size_t)(ROOM - n),
                  "cleave: 1\nbodies:\n  b{i}: {mass: 1, inertia: from shape, shape: {box: [0.2, 0.2, 0.2]}, repeat: "
                  "100}\njoints:\n  j{i}: {kind: free, a: {body: ground}, b: {body: \"b{i}\"}, repeat: 100}\n"
                  "forces:\n");
    for (int b = 1; b <= COLUMNS * HIGH; b++)
        n += snprintf(text + n, (size_t)(ROOM - n),
                      "  c%d: {kind: contact, between: [%s%.0d, b%d], %srestitution: 0, dynamic_friction: 0.5}\n", b,
                      b % HIGH == 1 ? "ground" : "b", b % HIGH == 1 ? 0 : b - 1, b,
                      b % HIGH == 1 ? "normal: [0, 0, 1], " : "");
    n += snprintf(text + n, (size_t)(ROOM - n), "start:\n  bodies:\n");
    for (int b = 0; b < COLUMNS * HIGH; b++)
        n += snprintf(text + n, (size_t)(ROOM - n), "    b%d: {position: [%.17g, 0, %.17g]}\n", b + 1,
                      0.5 * (b / HIGH), 0.1 + 0.2 * (b % HIGH));
    assert_true(n < ROOM - 1);
    clv_sim *s = start(&m, text, "dca", "moreau", 1e-3);
    advance(s, 1);
    for (int b = 0; b < COLUMNS * HIGH; b++) {
        const double *r = clv_sim_position(s) + 3 * b;
        CLV_NEAR(r[0], 0.5 * (b / HIGH), 1e-3), CLV_NEAR(r[1], 0, 1e-3), CLV_NEAR(r[2], 0.1 + 0.2 * (b % HIGH), 1e-3);
    }
    clv_sim_summary(s, &report);
    assert_int_equal(report.contact_limited, 0);
    assert_true(report.contact_iterations < 200 * report.contact_steps);
    drop(m, s);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_rests_at_its_depth),
        cmocka_unit_test(a_box_holds_up_to_the_angle_of_friction),
        cmocka_unit_test(momentum_is_kept),
        cmocka_unit_test(edges_and_corners_keep_energy),
        cmocka_unit_test(a_column_rests),
        cmocka_unit_test(a_hundred_boxes_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
