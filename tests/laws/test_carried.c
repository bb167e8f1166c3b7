/* SPDX-License-Identifier: Apache-2.0
 * Loops carried by the tree (T101) where redundant rows contradict each other (T40), where massless bodies lie inside
 * the strands (T5), where another tree makes that possible, and where flexible bodies lie between strands (T169): the
 * same motion as by massmatrix, without strands. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <math.h>
#include <cmocka.h>
#include "base/tolerance.h"
#include "near.h"
#include "running.h"
#include "simulation/sim.h"

/* two half rods with massless crosses, welded in the middle, beside a heavy arm: the leg of a walking robot */
static const char leg[] = "cleave: 1\n"
                          "bodies:\n"
                          "  thigh: {mass: 4, com: [0, 0, -0.2], inertia: [0.02, 0.02, 0.005]}\n"
                          "  crank: {mass: 0.1, com: [0.03, 0, 0], inertia: [1e-4, 1e-4, 1e-4]}\n"
                          "  foot: {mass: 0.5, com: [0, 0, -0.45], inertia: [2e-3, 2e-3, 1e-3]}\n"
                          "  x1: {mass: 0, com: [0.06, 0, 0], inertia: [0, 0, 0]}\n"
                          "  y1: {mass: 0, com: [0.06, 0, 0], inertia: [0, 0, 0]}\n"
                          "  upper: {mass: 0.1, com: [0.06, 0, -0.1], inertia: [2e-4, 2e-4, 2e-6]}\n"
                          "  x2: {mass: 0, com: [0.06, 0, -0.4], inertia: [0, 0, 0]}\n"
                          "  y2: {mass: 0, com: [0.06, 0, -0.4], inertia: [0, 0, 0]}\n"
                          "  lower: {mass: 0.1, com: [0.06, 0, -0.3], inertia: [2e-4, 2e-4, 2e-6]}\n"
                          "joints:\n"
                          "  hip: {kind: revolute, between: [ground, thigh], at: [0, 0, 0], axis: [1, 0.2, 0]}\n"
                          "  motor: {kind: revolute, between: [thigh, crank], at: [0, 0, 0], axis: [0, 1, 0]}\n"
                          "  ankle: {kind: revolute, between: [thigh, foot], at: [0, 0, -0.4], axis: [0, 1, 0]}\n"
                          "  x1: {kind: revolute, between: [crank, x1], at: [0.06, 0, 0], axis: [1, 0, 0]}\n"
                          "  y1: {kind: revolute, between: [x1, y1], at: [0.06, 0, 0], axis: [0, 1, 0]}\n"
                          "  z1: {kind: revolute, between: [y1, upper], at: [0.06, 0, 0], axis: [0, 0, 1]}\n"
                          "  x2: {kind: revolute, between: [foot, x2], at: [0.06, 0, -0.4], axis: [1, 0, 0]}\n"
                          "  y2: {kind: revolute, between: [x2, y2], at: [0.06, 0, -0.4], axis: [0, 1, 0]}\n"
                          "  z2: {kind: revolute, between: [y2, lower], at: [0.06, 0, -0.4], axis: [0, 0, 1]}\n"
                          "  weld: {kind: fixed, between: [upper, lower], at: [0.06, 0, -0.2], cut: true}\n"
                          "start: {joints: {hip: {u: 1}, motor: {u: 2}}}\n";

static clv_model *model_of(const char *name)
{
    char path[300];
    clv_model *m;
    snprintf(path, sizeof path, "%s/tests/models/%s.yaml", CLV_SOURCE_DIR, name);
    if (clv_model_read(&m, path) != CLV_OK)
        fail_msg("%s: %s", path, clv_model_error(m)->message);
    return m;
}

/* the state after a second; carried: do the strands carry the loops? */
static clv_sim *after(const clv_model *m, const char *formulation, bool carried)
{
    clv_sim_options o = clv_sim_options_default();
    o.formulation = formulation, o.rtol = 1e-10;
    clv_sim *s = start_with(m, &o);
    assert_int_equal(s->system.rows.carried, carried);
    advance(s, 1);
    return s;
}

/* places of all bodies by hdca and dca beside those by massmatrix */
static void moves_alike(clv_model *m, double tolerance)
{
    clv_sim *reference = after(m, "massmatrix", false);
    static const char *const formulations[] = {"hdca", "dca"};
    for (int i = 0; i < 2; i++) {
        clv_sim *s = after(m, formulations[i], true);
        for (int k = 0; k < 3 * m->nbody; k++)
            CLV_NEAR(clv_sim_position(s)[k], clv_sim_position(reference)[k], tolerance);
        clv_sim_destroy(s);
    }
    clv_sim_destroy(reference), clv_model_destroy(m);
}

static void massless_bodies_inside_strands(void **state)
{
    (void)state;
    moves_alike(read(leg), 1e-7);
}

/* Motions by different formulations differ by the order of the contradiction (T40). */
static void rows_that_contradict(void **state)
{
    (void)state;
    moves_alike(model_of("misaligned_1e-9"), 1e-7);
    moves_alike(model_of("bennett_9_digits"), 1e-7);
    moves_alike(model_of("five_bar_6_digits"), 1e-4);
}

/* A massless body between two hinges about one line has no inertia about it: the loop stays with nodes. */
static void idle_turn_of_a_massless_body(void **state)
{
    (void)state;
    char text[sizeof leg];
    memcpy(text, leg, sizeof leg);
    static const char axis[] = "y1: {kind: revolute, between: [x1, y1], at: [0.06, 0, 0], axis: [0, 1, 0]}";
    char *at = strstr(text, axis);
    assert_non_null(at);
    memcpy(at + strlen(axis) - strlen("[0, 1, 0]}"), "[1, 0, 0]}", strlen("[1, 0, 0]}"));
    clv_model *m = read(text);
    clv_sim_destroy(after(m, "dca", false));
    clv_model_destroy(m);
}

/* a four-bar linkage in a plane across no axis: rows across the plane compare rounding alone */
static clv_model *tilted_four_bar(void)
{
    static const double x[3] = {0.36, 0.48, 0.8}, y[3] = {0.48, 0.64, -0.6}; /* orthonormal; z = x cross y */
    static const char *const joint[4] = {"a: {kind: revolute, between: [ground, crank]",
                                         "b: {kind: revolute, between: [crank, coupler]",
                                         "c: {kind: revolute, between: [coupler, rocker]",
                                         "d: {kind: revolute, between: [rocker, ground]"};
    static const double at[4][2] = {{0, 0}, {0.1, 1}, {2.2, 1.7}, {1.9, -0.2}};
    static char text[2000];
    int n = snprintf(text, sizeof text, "cleave: 1\nbodies:\n");
    static const char *const body[3] = {"crank", "coupler", "rocker"};
    for (int i = 0; i < 3; i++) {
        double c[3];
        for (int k = 0; k < 3; k++)
            c[k] = 0.5 * ((at[i][0] + at[i + 1][0]) * x[k] + (at[i][1] + at[i + 1][1]) * y[k]);
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "  %s: {mass: 1, com: [%.17g, %.17g, %.17g], inertia: [0.1, 0.1, 0.1]}\n", body[i], c[0], c[1],
                      c[2]);
    }
    n += snprintf(text + n, sizeof text - (size_t)n, "joints:\n");
    for (int i = 0; i < 4; i++) {
        double p[3];
        for (int k = 0; k < 3; k++)
            p[k] = at[i][0] * x[k] + at[i][1] * y[k];
        n += snprintf(text + n, sizeof text - (size_t)n, "  %s, at: [%.17g, %.17g, %.17g], axis: [-0.8, 0.6, 0]}\n",
                      joint[i], p[0], p[1], p[2]);
    }
    snprintf(text + n, sizeof text - (size_t)n, "start: {joints: {a: {u: 3}}}\n");
    return read(text);
}

/* Rows of a joint are judged together (T136): what compares rounding asks for no second solution. */
static void rounding_across_a_plane(void **state)
{
    (void)state;
    clv_model *m = tilted_four_bar();
    clv_sim_options o = clv_sim_options_default();
    o.formulation = "dca";
    clv_sim *s = start_with(m, &o);
    assert_true(s->system.rows.carried);
    double ydot[40];
    assert_true(s->n <= 40);
    for (int i = 1; i <= 50; i++) {
        advance(s, 0.02 * i);
        s->system.rows.carry.x[0] = NAN; /* a second solution would be kept here */
        assert_int_equal(s->formulation->rates(&s->system, clv_sim_time(s), s->y, ydot), CLV_OK);
        assert_true(isnan(s->system.rows.carry.x[0]));
        assert_true(clv_rows_carry_residual(&s->system.rows, &s->system.kin) <= CLV_TOL_ROW);
    }
    clv_sim_destroy(s), clv_model_destroy(m);
}

enum { CELLS = 20 };

/* a row of cells of two crossed bars, held at one end: a tree of short paths has all loops meet there */
static clv_model *crossed_bars(void)
{
    static char text[12000];
    int n = snprintf(text, sizeof text, "cleave: 1\nbodies:\n");
    for (int i = 0; i < CELLS; i++)
        for (int k = 0; k < 2; k++)
            n += snprintf(text + n, sizeof text - (size_t)n,
                          "  %c%d: {mass: 1, com: [%g, 0, 0], inertia: [0.02, 0.02, 0.02]}\n", "ab"[k], i, i + 0.5);
    n += snprintf(text + n, sizeof text - (size_t)n,
                  "joints:\n  p: {kind: revolute, between: [ground, a0], at: [0, 0.5, 0], axis: [0, 0, 1]}\n");
    for (int i = 0; i < CELLS; i++) {
        static const char pin[] = "  %c%d: {kind: revolute, between: [%c%d, %c%d], at: [%g, %g, 0], axis: [0, 0, 1]}\n";
        n += snprintf(text + n, sizeof text - (size_t)n, pin, 'm', i, 'a', i, 'b', i, i + 0.5, 0.0);
        if (i + 1 == CELLS)
            break;
        n += snprintf(text + n, sizeof text - (size_t)n, pin, 'l', i, 'a', i, 'b', i + 1, i + 1.0, -0.5);
        n += snprintf(text + n, sizeof text - (size_t)n, pin, 'u', i, 'b', i, 'a', i + 1, i + 1.0, 0.5);
    }
    n += snprintf(text + n, sizeof text - (size_t)n, "start: {joints: {m0: {u: 0.5}, p: {u: 0.1}}}\n");
    assert_in_range(n, 1, (int)sizeof text - 1);
    return read(text);
}

static void cells_in_a_row(void **state)
{
    (void)state;
    moves_alike(crossed_bars(), 1e-6);
}

/* A four-bar linkage with a flexible coupler, entered at its frame, and a flexible arm on its end, entered at its tip
 * and tied to ground; the joint of the crank on the coupler follows a motion, or none. */
static clv_model *flexible_loops(bool driven)
{
    static char text[4000];
    snprintf(
        text, sizeof text,
        "cleave: 1\n"
        "bodies:\n"
        "  crank: {mass: 2, com: [0.15, 0, 0], inertia: [0.01, 0.02, 0.02]}\n"
        "  coupler: {flexible: {beam: {length: 1, density: 1200, young: 2e8, shear: 8e7, rectangle: [0.05, 0.03],\n"
        "            modes: {bend_y: 2, bend_z: 1, twist: 1}, nodes: {middle: 0.5, tip: 1}}, spin_limit: 0}}\n"
        "  rocker: {mass: 2, com: [0.15, 0, 0], inertia: [0.01, 0.02, 0.02]}\n"
        "  arm: {flexible: {beam: {length: 0.6, density: 1200, young: 2e8, shear: 8e7, rectangle: [0.04, 0.03],\n"
        "        modes: {bend_y: 1, bend_z: 1}}, spin_limit: 0}}\n"
        "  load: {mass: 1, inertia: [0.01, 0.01, 0.02]}\n"
        "joints:\n"
        "  a: {kind: revolute, a: {body: ground}, b: {body: crank}}\n"
        "  b: {kind: revolute, a: {body: crank, position: [0.3, 0, 0]}, b: {body: coupler}}\n"
        "  c: {kind: revolute, a: {body: coupler.tip}, b: {body: rocker, position: [0.4, 0, 0]}}\n"
        "  d: {kind: revolute, a: {body: ground, position: [1.1, 0, 0]}, b: {body: rocker}, cut: true}\n"
        "  e: {kind: universal, a: {body: coupler.middle}, b: {body: arm.tip}}\n"
        "  f: {kind: revolute, a: {body: arm}, b: {body: load, position: [0.1, 0, 0]}}\n"
        "  rod: {kind: distance, a: {body: ground, position: [0, 1, 0.3]}, b: {body: load, position: [0, 0.1, 0]}}\n"
        "%s"
        "start: {joints: {a: {q: 100 deg, u: 0.5}, b: {q: -95 deg}, c: {q: 80 deg}, e: {q: [0.3, 0.2]}, f: {u: 2}}}\n",
        driven ? "motions: {crank: {joint: b, amplitude: 0.2, frequency: 2}}\n" : "");
    return read(text);
}

/* Second solutions of a driven joint on a flexible body: the forces of its drive, whose work is in the balance. */
static void work_of_a_drive(clv_model *m)
{
    clv_sim *s = after(m, "dca", true);
    clv_sim_report r;
    clv_sim_summary(s, &r);
    assert_true(fabs(r.energy - r.energy_initial) > 0.01); /* the drive does work */
    assert_true(r.max_energy_drift < 1e-7);
    clv_sim_destroy(s);
}

static void loops_through_flexible_bodies(void **state)
{
    (void)state;
    clv_model *m = flexible_loops(true);
    work_of_a_drive(m);
    clv_model_destroy(m);
    moves_alike(flexible_loops(false), 1e-7);
    moves_alike(flexible_loops(true), 1e-7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(massless_bodies_inside_strands),
        cmocka_unit_test(rows_that_contradict),
        cmocka_unit_test(rounding_across_a_plane),
        cmocka_unit_test(cells_in_a_row),
        cmocka_unit_test(idle_turn_of_a_massless_body),
        cmocka_unit_test(loops_through_flexible_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
