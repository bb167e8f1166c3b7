/* SPDX-License-Identifier: Apache-2.0
 * Journals in bores (T147): pendulums that slide and cylinders that roll inside against closed forms, energy and
 * momentum of a journal that rattles in a bore that moves, losses on the account, formulations among each other. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "elliptic.h"
#include "near.h"
#include "running.h"

#define G 9.81
static const double PI = 3.141592653589793;

static clv_sim *start(const clv_model *m, const char *formulation, const char *integrator, double rtol)
{
    clv_sim_options o = clv_sim_options_default();
    o.formulation = formulation, o.integrator = integrator, o.rtol = rtol, o.atol = rtol;
    return start_with(m, &o);
}

/* A journal without friction in a bore swings as a pendulum of the length of the clearance, here 0.1 m.  Its depth at
 * the mean load, 1e-5 of that, makes it longer. */
static void a_sliding_journal_is_a_pendulum_of_its_clearance(void **state)
{
    (void)state;
    static const char *const shape[] = {"sphere: 0.2", "cylinder: [0.2, 0.3]", "capsule: [0.2, 0.3]"};
    static const double swing[] = {0.01, 0.5, 1.4};
    for (int k = 0; k < 3; k++)
        for (int i = k == 1 ? 0 : 1; i < (k == 1 ? 3 : 2); i++) {
            char text[1000];
            const double c = 0.1, away = swing[i], period = 4 * sqrt(c / G) * elliptic(sin(0.5 * away));
            snprintf(text, sizeof text,
                     "cleave: 1\ngravity: [0, -9.81, 0]\nbodies:\n"
                     "  ring: {mass: 1, inertia: from shape, shape: {bore: [0.3, 0.4, 0.3]}}\n"
                     "  pin: {mass: 1, inertia: from shape, shape: {%s}}\n"
                     "joints: {hold: {kind: fixed, between: [ground, ring], at: [0, 0, 0]}}\n"
                     "forces: {c: {kind: contact, between: [ring, pin], stiffness: 1e7, exponent: 1}}\n"
                     "start: {bodies: {pin: {position: [%.17g, %.17g, 0]}}}\n",
                     shape[k], c * sin(away), -c * cos(away));
            clv_model *m = read(text);
            clv_sim *s = start(m, "hdca", "dop853", 1e-8);
            const double *x = clv_sim_position(s) + 3, *v = clv_sim_velocity(s) + 6;
            advance(s, 1.25 * period);
            CLV_NEAR(x[0] / hypot(v[0], v[1]), 0, 3e-5 * period);
            CLV_NEAR(x[2], 0, 1e-9);
            clv_sim_destroy(s), clv_model_destroy(m);
        }
}

/* A cylinder that rolls inside: omega^2 = g / (c (1 + J / (m r^2))) for small swings. */
static void a_cylinder_rolls_inside_without_slip(void **state)
{
    (void)state;
    clv_model *m = read("cleave: 1\ngravity: [0, -9.81, 0]\nbodies:\n"
                        "  ring: {mass: 1, inertia: from shape, shape: {bore: [0.3, 0.4, 0.3]}}\n"
                        "  roller: {mass: 1, inertia: from shape, shape: {cylinder: [0.1, 0.2]}}\n"
                        "joints: {hold: {kind: fixed, between: [ground, ring], at: [0, 0, 0]}}\n"
                        "forces: {c: {kind: contact, between: [ring, roller], stiffness: 1e7, exponent: 1, "
                        "static_friction: 1, dynamic_friction: 1, transition_speed: 1e-3}}\n"
                        "start: {bodies: {roller: {position: [0.002, -0.19999, 0]}}}\n");
    const double period = 2 * PI * sqrt(0.2 * 1.5 / G);
    clv_sim *s = start(m, "hdca", "dopri5", 1e-8);
    const double *x = clv_sim_position(s) + 3, *v = clv_sim_velocity(s) + 6;
    advance(s, 0.75 * period);
    CLV_NEAR(x[0] / v[0], 0, 1e-3 * period);
    CLV_NEAR(v[5], -v[0] / 0.1, 2e-3 * fabs(v[5]));
    clv_sim_destroy(s), clv_model_destroy(m);
}

static const char RATTLE[] = "cleave: 1\ngravity: [0, 0, 0]\nbodies:\n"
                             "  ring: {mass: 2, inertia: from shape, shape: {bore: [0.1, 0.15, 0.2], closed: %s}}\n"
                             "  pin: {mass: 1, inertia: from shape, shape: {%s}}\n"
                             "joints: {}\nforces: {c: {kind: contact, between: [%s], stiffness: 1e8%s}}\n"
                             "start:\n  bodies:\n"
                             "    ring: {orientation: {axis: [1, 2, 3], angle: 0.7}, angular_velocity: [0.1, 0.3, 0]}\n"
                             "    pin: {orientation: {axis: [1, 2, 3], angle: 0.7}, velocity: [0.3, 0.2, -0.1], "
                             "angular_velocity: [0.5, -0.3, 2]}\n";

static clv_model *rattle(const char *closed, const char *shape, const char *order, const char *more)
{
    char text[2000];
    snprintf(text, sizeof text, RATTLE, closed, shape, order, more);
    return read(text);
}

/* A journal and its bore float: momenta are kept, and without losses the energy. */
static void a_rattling_journal_keeps_energy_and_momentum(void **state)
{
    (void)state;
    static const char *const shape[] = {"sphere: 0.09", "cylinder: [0.09, 0.19]", "capsule: [0.09, 0.1]",
                                        "cylinder: [0.09, 0.4]"};
    for (int k = 0; k < 4; k++)
        for (int turn = 0; turn < 2; turn++) {
            clv_model *m = rattle(k == 3 ? "none" : "both", shape[k], turn ? "pin, ring" : "ring, pin", "");
            clv_sim *s = start(m, "hdca", "dop853", 1e-11);
            clv_momentum p, q;
            clv_sim_report r;
            clv_sim_momentum(s, &p);
            advance(s, 0.3);
            clv_sim_momentum(s, &q);
            for (int i = 0; i < 3; i++) {
                CLV_NEAR(q.linear[i], p.linear[i], 1e-11);
                CLV_NEAR(q.angular[i], p.angular[i], 1e-11);
            }
            clv_sim_summary(s, &r);
            assert_true(r.max_energy_drift < 1e-6 * r.energy_initial);
            clv_sim_destroy(s), clv_model_destroy(m);
        }
}

/* Losses are on the account; contacts of many have the bits of contacts of two; other formulations the same motion. */
static void others_agree(void **state)
{
    (void)state;
    static const char *const formulation[] = {"hdca", "dca", "aldca", "connection", "massmatrix", "index3"};
    double last[3] = {0};
    for (int way = 0; way < 7; way++) {
        clv_model *m =
            rattle("both", "cylinder: [0.09, 0.19]", "ring, pin", ", dissipation: 0.2, dynamic_friction: 0.1");
        if (way == 6) {
            char text[2000];
            snprintf(text, sizeof text, RATTLE, "both", "cylinder: [0.09, 0.19]", "ring, pin",
                     ", dissipation: 0.2, dynamic_friction: 0.1");
            char *at = strstr(text, "contact, between");
            memcpy(at, "contacts, among ", 16); /* as long */
            clv_model_destroy(m), m = read(text);
        }
        clv_sim_options o = clv_sim_options_default();
        o.formulation = formulation[way % 6], o.rtol = o.atol = 1e-9;
        o.integrator = way == 5 ? NULL : "dop853";
        if (way == 5)
            o.rtol = o.atol = 1e-7, o.step = 1e-5;
        clv_sim *s = start_with(m, &o);
        clv_sim_report r;
        advance(s, 0.05);
        clv_sim_summary(s, &r);
        const double *x = clv_sim_position(s) + 3;
        assert_true(way == 5 || r.max_energy_drift < 1e-5 * r.energy_initial);
        assert_true(r.energy < 0.99 * r.energy_initial);
        for (int c = 0; c < 3; c++)
            if (way == 0)
                last[c] = x[c];
            else
                CLV_NEAR(x[c], last[c], way == 6 ? 0 : way == 5 ? 1e-4 : 1e-6);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

/* A fixed step through the wall ends the run with both names; one out of an open end does not. */
static void steps_through_the_wall_are_refused(void **state)
{
    (void)state;
    for (int end = 0; end < 2; end++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "cleave: 1\ngravity: [0, 0, 0]\nbodies:\n"
                 "  ring: {mass: 1, inertia: from shape, shape: {bore: [0.1, 0.11, 0.2]}}\n"
                 "  pin: {mass: 1, inertia: from shape, shape: {sphere: 0.05}}\n"
                 "joints: {hold: {kind: fixed, between: [ground, ring], at: [0, 0, 0]}}\n"
                 "forces: {c: {kind: contact, between: [ring, pin], stiffness: 1e3}}\n"
                 "start: {bodies: {pin: {velocity: [%s]}}}\n",
                 end ? "0, 0, 100" : "100, 0, 0");
        clv_model *m = read(text);
        clv_sim_options o = clv_sim_options_default();
        o.integrator = "rk4", o.step = 0.01;
        clv_sim *s = start_with(m, &o);
        const clv_status st = clv_sim_advance(s, 0.02);
        assert_int_equal(st, end ? CLV_OK : CLV_ERR_NO_CONVERGENCE);
        if (!end)
            assert_non_null(strstr(clv_sim_error(s)->message, "'ring' and 'pin' through each other"));
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sliding_journal_is_a_pendulum_of_its_clearance),
        cmocka_unit_test(a_cylinder_rolls_inside_without_slip),
        cmocka_unit_test(a_rattling_journal_keeps_energy_and_momentum),
        cmocka_unit_test(others_agree),
        cmocka_unit_test(steps_through_the_wall_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
