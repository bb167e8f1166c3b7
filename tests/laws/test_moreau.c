/* SPDX-License-Identifier: Apache-2.0
 * Rigid contacts by time steps of Moreau and Jean (T62): a bouncing ball to its rest, Coulomb's cone on an incline to
 * 1e-6, a ball that slips and then rolls, a cradle, a tumbling box, a loop that lands; and what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/force.h"
#include "near.h"
#include "running.h"
#include "simulation/methods.h"

#define OK(call) assert_int_equal(call, CLV_OK)
#define G 9.81

static clv_status try(clv_sim **s, const clv_model *m, const char *formulation, const char *integrator, double step)
{
    clv_sim_options o = clv_sim_options_default();
    o.formulation = formulation, o.integrator = integrator, o.step = step;
    return clv_sim_create(s, m, &o);
}

static clv_sim *start(const clv_model *m, double step)
{
    clv_sim *s;
    const clv_status st = try(&s, m, "dca", "moreau", step);
    if (st != CLV_OK)
        print_error("%s\n", clv_sim_error(s)->message);
    OK(st);
    return s;
}

static clv_sim_report summary(const clv_sim *s)
{
    clv_sim_report r;
    clv_sim_summary(s, &r);
    return r;
}

/* ------------------------------------------------------------------ a ball */

static const char ball[] = "cleave: 1\n"
                           "bodies: {ball: {mass: 2, inertia: from shape, shape: {sphere: 0.1}}}\n"
                           "joints: {j: {kind: free, a: {body: ground}, b: {body: ball}}}\n"
                           "forces: {floor: {kind: contact, between: [ground, ball], normal: [0, 0, 1], "
                           "restitution: 0.6, dynamic_friction: 0.3}}\n"
                           "start: {bodies: {ball: {position: [0, 0, 1.1]}}}\n";

/* Height over the floor at t of a ball that falls from a height of 1 m. */
static double height(double t, double e)
{
    const double fall = sqrt(2 / G);
    double v = G * fall;
    if (t < fall)
        return 1 - 0.5 * G * t * t;
    for (t -= fall; t > 2 * e * v / G; v *= e)
        t -= 2 * e * v / G;
    return e * v * t - 0.5 * G * t * t;
}

/* Impacts follow one another in ever shorter times: all are over at fall (1 + 2 e / (1 - e)), and it rests. */
static void a_ball_bounces_and_comes_to_rest(void **state)
{
    const double e = 0.6, fall = sqrt(2 / G), end = fall * (1 + 2 * e / (1 - e));
    double error[2];
    (void)state;
    for (int k = 0; k < 2; k++) {
        const double step = k ? 1e-4 : 1e-3;
        clv_model *m = read(ball);
        clv_sim *s = start(m, step);
        error[k] = 0;
        for (int i = 1; i < 16; i++) {
            advance(s, 0.1 * i);
            error[k] = fmax(error[k], fabs(clv_sim_position(s)[2] - 0.1 - height(0.1 * i, e)));
        }
        advance(s, end + 0.2);
        assert_true(fabs(clv_sim_velocity(s)[2]) < 1e-13);
        const double rest = clv_sim_position(s)[2];
        assert_true(fabs(rest - 0.1) < 5 * step);
        advance(s, end + 3);
        CLV_NEAR(clv_sim_position(s)[2], rest, 1e-12); /* no drift */
        assert_int_equal(summary(s).contact_limited, 0);
        assert_true(summary(s).contact_steps > 1000);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
    assert_true(error[0] < 0.02);
    assert_true(error[1] < 0.2 * error[0]); /* impacts are met within a step: order one */
}

/* A ball that slips, then rolls: 5/7 of its speed. */
static void a_ball_slips_until_it_rolls(void **state)
{
    char text[600];
    (void)state;
    snprintf(text, sizeof text, "%.*s%s", (int)(strstr(ball, "start") - ball), ball,
             "start: {bodies: {ball: {position: [0, 0, 0.099999999], velocity: [1, 0, 0]}}}\n");
    clv_model *m = read(text);
    clv_sim *s = start(m, 1e-3);
    advance(s, 0.05); /* slips: it slows down by mu g */
    CLV_NEAR(clv_sim_velocity(s)[0], 1 - 0.3 * G * 0.05, 1e-9);
    advance(s, 0.5);
    CLV_NEAR(clv_sim_velocity(s)[0], 5.0 / 7, 1e-8);
    CLV_NEAR(clv_sim_velocity(s)[4], 50.0 / 7, 1e-6);
    clv_sim_destroy(s), clv_model_destroy(m);
}

/* ------------------------------------------------------------------ a box */

static const char incline[] = "cleave: 1\n"
                              "gravity: [%.17g, 0, %.17g]\n"
                              "bodies: {box: {mass: 3, inertia: from shape, shape: {box: [0.5, 0.4, 0.1]}}}\n"
                              "joints: {j: {kind: free, a: {body: ground}, b: {body: box}}}\n"
                              "forces: {slope: {kind: contact, between: [ground, box], normal: [0, 0, 1], "
                              "restitution: 0, dynamic_friction: 0.4}}\n"
                              "start: {bodies: {box: {position: [0, 0, 0.0499999999], velocity: [%g, 0, 0]}}}\n";

static clv_sim *on_incline(clv_model **m, double tangent, double v)
{
    char text[800];
    const double cosine = 1 / sqrt(1 + tangent * tangent);
    snprintf(text, sizeof text, incline, G * tangent * cosine, -G * cosine, v);
    *m = read(text);
    return start(*m, 1e-3);
}

/* It holds up to the angle of friction, to 1e-6 of its tangent, and beyond it accelerates by g (sin - mu cos). */
static void a_box_holds_up_to_the_angle_of_friction(void **state)
{
    static const double tangent[4] = {0.1, 0.4 * (1 - 1e-6), 0.4 * (1 + 1e-6), 0.6};
    (void)state;
    for (int i = 0; i < 4; i++) {
        clv_model *m;
        clv_sim *s = on_incline(&m, tangent[i], 0);
        const double cosine = 1 / sqrt(1 + tangent[i] * tangent[i]);
        advance(s, 1);
        const double want = i < 2 ? 0 : G * cosine * (tangent[i] - 0.4);
        CLV_NEAR(clv_sim_velocity(s)[0], want, i == 2 ? 2e-7 : 1e-8); /* 2e-7 m/s: 2e-8 of the tangent */
        CLV_NEAR(clv_sim_velocity(s)[4], 0, 1e-9);
        assert_true(summary(s).contact_residual < 1e-7); /* near the angle of friction the iteration is slow */
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

/* A ball on an incline of 15 degrees, as in Drake's example inclined_plane_with_body.  With friction 0.3 it rolls with
 * 5/7 of the acceleration of a box without friction; with 0.05, below 2/7 of the tangent, it slips and turns slower. */
static void a_ball_rolls_or_slips_on_an_incline(void **state)
{
    static const double friction[2] = {0.3, 0.05};
    const double sine = 0.25881904510252074, cosine = 0.9659258262890683, radius = 0.05;
    (void)state;
    for (int i = 0; i < 2; i++) {
        char text[800];
        snprintf(text, sizeof text,
                 "cleave: 1\n"
                 "gravity: [%.17g, 0, %.17g]\n"
                 "bodies: {ball: {mass: 0.1, inertia: from shape, shape: {sphere: 0.05}}}\n"
                 "joints: {j: {kind: free, a: {body: ground}, b: {body: ball}}}\n"
                 "forces: {slope: {kind: contact, between: [ground, ball], normal: [0, 0, 1], "
                 "restitution: 0, dynamic_friction: %g}}\n"
                 "start: {bodies: {ball: {position: [0, 0, 0.0499999999]}}}\n",
                 G * sine, -G * cosine, friction[i]);
        clv_model *m = read(text);
        clv_sim *s = start(m, 1e-3);
        advance(s, 1);
        const double v = i == 0 ? 5.0 / 7 * G * sine : G * (sine - friction[i] * cosine);
        const double w = i == 0 ? v / radius : 2.5 * friction[i] * G * cosine / radius;
        CLV_NEAR(clv_sim_velocity(s)[0], v, 1e-6 * v);
        CLV_NEAR(clv_sim_velocity(s)[4], w, 1e-6 * w);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

/* On level ground it slides v^2 / (2 mu g), and then rests for good. */
static void a_box_slides_to_rest(void **state)
{
    clv_model *m;
    (void)state;
    clv_sim *s = on_incline(&m, 0, 2);
    advance(s, 2 / (0.4 * G) + 0.01);
    CLV_NEAR(clv_sim_position(s)[0], 4 / (2 * 0.4 * G), 1e-5);
    const double rest = clv_sim_position(s)[0];
    advance(s, 3);
    CLV_NEAR(clv_sim_position(s)[0], rest, 1e-12);
    clv_sim_destroy(s), clv_model_destroy(m);
}

/* Dropped on an edge it rocks, hits with its faces and comes to rest on one of them, without passing the floor. */
static void a_box_tumbles_to_rest(void **state)
{
    static const char text[] = "cleave: 1\n"
                               "bodies: {box: {mass: 3, inertia: from shape, shape: {box: [0.5, 0.4, 0.2]}}}\n"
                               "joints: {j: {kind: free, a: {body: ground}, b: {body: box}}}\n"
                               "forces: {floor: {kind: contact, between: [ground, box], normal: [0, 0, 1], "
                               "restitution: 0.2, dynamic_friction: 0.5}}\n"
                               "start: {bodies: {box: {position: [0, 0, 0.6], orientation: {axis: [1, 2, 0.3], "
                               "angle: 50 deg}, angular_velocity: [0, 1, 3]}}}\n";
    (void)state;
    clv_model *m = read(text);
    clv_sim *s = start(m, 2e-4);
    for (int i = 1; i <= 40; i++) {
        advance(s, 0.1 * i);
        assert_true(clv_sim_position(s)[2] > 0.098);
    }
    for (int i = 0; i < 6; i++)
        CLV_NEAR(clv_sim_velocity(s)[i], 0, 1e-9);
    CLV_NEAR(clv_sim_position(s)[2], 0.1, 1e-3);
    clv_sim_destroy(s), clv_model_destroy(m);
}

/* ------------------------------------------------------------------ several bodies */

/* Balls a little apart: each hands its speed on, the last one flies off with it. */
static void a_cradle_hands_the_speed_on(void **state)
{
    static const char text[] =
        "cleave: 1\n"
        "gravity: [0, 0, 0]\n"
        "bodies:\n  b{i}: {mass: 1, inertia: from shape, shape: {sphere: 0.1}, repeat: 5}\n"
        "joints:\n  j{i}: {kind: prismatic, a: {body: ground, orientation: {axis: [0, 1, 0], angle: 90 deg}}, "
        "b: {body: \"b{i}\", orientation: {axis: [0, 1, 0], angle: 90 deg}}, repeat: 5}\n"
        "forces:\n  c{i}: {kind: contact, between: [\"b{i}\", \"b{i+1}\"], restitution: 1, repeat: 4}\n"
        "start: {joints: {j1: {q: 0, u: 1}, j2: {q: 0.25}, j3: {q: 0.46}, j4: {q: 0.67}, j5: {q: 0.88}}}\n";
    (void)state;
    clv_model *m = read(text);
    clv_sim *s = start(m, 1e-3);
    advance(s, 1);
    for (int b = 0; b < 5; b++)
        CLV_NEAR(clv_sim_velocity(s)[6 * b], b == 4, 1e-12);
    assert_true(summary(s).max_energy_drift < 1e-12);
    clv_sim_destroy(s), clv_model_destroy(m);
}

/* Ten balls on one another, in guides: they rest for ten seconds. */
static void a_stack_rests(void **state)
{
    static const char text[] =
        "cleave: 1\n"
        "bodies:\n  b{i}: {mass: i, inertia: from shape, shape: {sphere: 0.1}, repeat: 10}\n"
        "joints:\n  j{i}: {kind: prismatic, between: [ground, \"b{i}\"], at: [0, 0, 0], axis: [0, 0, 1], repeat: 10}\n"
        "forces:\n  floor: {kind: contact, between: [ground, b1], normal: [0, 0, 1], restitution: 0}\n"
        "  c{i}: {kind: contact, between: [\"b{i}\", \"b{i+1}\"], restitution: 0, repeat: 9}\n"
        "start: {joints: {j1: {q: 0.1}, j2: {q: 0.3}, j3: {q: 0.5}, j4: {q: 0.7}, j5: {q: 0.9}, j6: {q: 1.1}, "
        "j7: {q: 1.3}, j8: {q: 1.5}, j9: {q: 1.7}, j10: {q: 1.9}}}\n";
    (void)state;
    clv_model *m = read(text);
    clv_sim *s = start(m, 2e-3);
    advance(s, 10);
    for (int b = 0; b < 10; b++)
        CLV_NEAR(clv_sim_position(s)[3 * b + 2], 0.1 + 0.2 * b, 5e-4);
    const double top = clv_sim_position(s)[29];
    advance(s, 20);
    CLV_NEAR(clv_sim_position(s)[29], top, 1e-9);
    clv_sim_destroy(s), clv_model_destroy(m);
}

/* Off their middles and with friction: linear momentum is kept. */
static void momentum_is_kept(void **state)
{
    static const char text[] =
        "cleave: 1\n"
        "gravity: [0, 0, 0]\n"
        "bodies: {a: {mass: 1, inertia: from shape, shape: {sphere: 0.1}}, "
        "b: {mass: 2, inertia: from shape, shape: {capsule: [0.1, 0.4]}}}\n"
        "joints: {ja: {kind: free, a: {body: ground}, b: {body: a}}, jb: {kind: free, a: {body: ground}, "
        "b: {body: b}}}\n"
        "forces: {c: {kind: contact, between: [a, b], restitution: 0.7, dynamic_friction: 0.4}}\n"
        "start: {bodies: {a: {position: [0, 0, 0], velocity: [1, 0.1, 0]}, "
        "b: {position: [0.4, 0.05, 0.1], velocity: [-1, 0, 0]}}}\n";
    clv_momentum before, after;
    (void)state;
    clv_model *m = read(text);
    clv_sim *s = start(m, 1e-4);
    clv_sim_momentum(s, &before);
    advance(s, 0.5);
    clv_sim_momentum(s, &after);
    for (int k = 0; k < 3; k++) {
        CLV_NEAR(after.linear[k], before.linear[k], 1e-12);
        CLV_NEAR(after.angular[k], before.angular[k], 1e-3); /* the arms move during the step: order two */
    }
    assert_true(clv_sim_velocity(s)[0] < 0);
    clv_sim_destroy(s), clv_model_destroy(m);
}

/* Four bars in a closed loop fall on the floor: the loop stays closed. */
static void a_loop_lands(void **state)
{
    static const char text[] =
        "cleave: 1\n"
        "bodies:\n  b{i}: {mass: 1, inertia: from shape, shape: {capsule: [0.03, 0.3], at: [0, 0, 0.15]}, repeat: 4}\n"
        "joints:\n"
        "  f: {kind: free, a: {body: ground}, b: {body: b1}}\n"
        "  j{i}: {kind: revolute, a: {body: \"b{i}\", position: [0, 0, 0.3], "
        "orientation: {axis: [1, 0, 0], angle: 90 deg}}, "
        "b: {body: \"b{i+1}\", orientation: {axis: [1, 0, 0], angle: 90 deg}}, repeat: 3}\n"
        "  close: {kind: revolute, a: {body: b4, position: [0, 0, 0.3], "
        "orientation: {axis: [1, 0, 0], angle: 90 deg}}, "
        "b: {body: b1, orientation: {axis: [1, 0, 0], angle: 90 deg}}}\n"
        "forces:\n"
        "  c{i}: {kind: contact, between: [ground, \"b{i}\"], normal: [0, 0, 1], restitution: 0.1, "
        "dynamic_friction: 0.5, repeat: 4}\n"
        "start: {bodies: {b1: {position: [0, 0, 0.5]}}, joints: {j1: {q: 1.4}, j2: {q: 1.7}}}\n";
    (void)state;
    clv_model *m = read(text);
    clv_sim *s = start(m, 5e-4);
    advance(s, 0.8);
    assert_true(summary(s).loops == 1);
    assert_true(summary(s).max_position_violation < 1e-6);
    assert_true(summary(s).contact_steps > 100);
    for (int b = 0; b < 4; b++)
        assert_true(clv_sim_position(s)[3 * b + 2] > 0.025);
    clv_sim_destroy(s), clv_model_destroy(m);
}

/* ------------------------------------------------------------------ refused */

static void expect(const clv_model *m, const char *formulation, const char *integrator, clv_status code,
                   const char *word)
{
    clv_sim *s;
    assert_int_equal(try(&s, m, formulation, integrator, strcmp(integrator, "dopri5") == 0 ? 0 : 1e-3), code);
    if (!strstr(clv_sim_error(s)->message, word))
        fail_msg("'%s' does not name '%s'", clv_sim_error(s)->message, word);
    clv_sim_destroy(s);
}

static void wrong(const char *keys, const char *word)
{
    char text[600];
    clv_model *m;
    snprintf(text, sizeof text,
             "cleave: 1\nbodies: {ball: {mass: 2, inertia: from shape, shape: {sphere: 0.1}}}\n"
             "joints: {j: {kind: free, a: {body: ground}, b: {body: ball}}}\n"
             "forces: {floor: {kind: contact, between: [ground, ball], normal: [0, 0, 1], %s}}\n",
             keys);
    assert_int_not_equal(clv_model_read_text(&m, text, strlen(text), "wrong.yaml"), CLV_OK);
    if (!strstr(clv_model_error(m)->message, word))
        fail_msg("'%s' does not name '%s'", clv_model_error(m)->message, word);
    clv_model_destroy(m);
}

static void what_is_not_supported_is_named(void **state)
{
    static const char ends[] = "cleave: 1\nbodies: {b: {mass: 1, inertia: [1, 1, 1], shape: {sphere: 1}}}\n"
                               "joints: {j: {kind: revolute, between: [ground, b], at: [0, 0, 0], axis: [1, 0, 0]}}\n"
                               "forces: {c: {kind: contact, between: [ground, b], normal: [0, 0, 1], "
                               "restitution: 0}}\nevents: {e: {at: 1, lock: j}}\n";
    (void)state;
    clv_model *m = read(ball);
    expect(m, "hdca", "dopri5", CLV_ERR_UNSUPPORTED, "'floor' is rigid");
    expect(m, "index3", "trapezoidal", CLV_ERR_UNSUPPORTED, "'floor' is rigid");
    expect(m, "hdca", "moreau", CLV_ERR_USAGE, "works with formulation dca");
    expect(m, "index3", "moreau", CLV_ERR_USAGE, "moreau");
    clv_model_destroy(m);
    m = read(ends);
    expect(m, "dca", "moreau", CLV_ERR_UNSUPPORTED, "events are not supported");
    clv_model_destroy(m);
    wrong("restitution: 1.5", "between 0 and 1");
    wrong("restitution: 0.5, stiffness: 100", "takes no stiffness");
    wrong("restitution: 0.5, viscous_friction: 1", "takes no viscous_friction");
    wrong("restitution: 0.5, static_friction: 0.5, dynamic_friction: 0.3", "one coefficient");
    wrong("dynamic_friction: 0.5", "stiffness");
}

/* The account of energy is exact where the inertia is constant: impacts with restitution, slip, rolling, rest. */
static void work_of_impulses(void **state)
{
    (void)state;
    clv_model *m = read("cleave: 1\nbodies: {ball: {mass: 2, inertia: from shape, shape: {sphere: 0.1}}}\n"
                        "joints: {free: {kind: free, between: [ground, ball], at: [0, 0, 0.5]}}\n"
                        "forces: {floor: {kind: contact, between: [ground, ball], normal: [0, 0, 1], restitution: 0.5,"
                        " dynamic_friction: 0.1}}\n"
                        "start: {bodies: {ball: {position: [0, 0, 0.5], velocity: [1, 0.4, 0]}}}\n");
    for (int k = 0; k < 3; k++) {
        clv_sim *s = start(m, k == 0 ? 1e-2 : k == 1 ? 1e-3 : 3e-4);
        OK(clv_sim_advance(s, 4));
        assert_true(summary(s).max_energy_drift < 1e-11);
        clv_sim_destroy(s);
    }
    clv_model_destroy(m);
}

/* A box that friction holds against a push takes up no work; pushed harder it slides, and the account has both. */
static void work_of_a_push(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        char text[600];
        snprintf(text, sizeof text,
                 "cleave: 1\nbodies: {box: {mass: 2, inertia: from shape, shape: {box: [0.2, 0.2, 0.1]}}}\n"
                 "joints: {free: {kind: free, between: [ground, box], at: [0, 0, 0.05]}}\n"
                 "forces: {floor: {kind: contact, between: [ground, box], normal: [0, 0, 1], restitution: 0,"
                 " dynamic_friction: 0.3}, push: {kind: force, body: box, vector: [%d, 0, 0]}}\n"
                 "start: {bodies: {box: {position: [0, 0, 0.05]}}}\n", k ? 8 : 4);
        clv_model *m = read(text);
        clv_sim *s = start(m, 1e-3);
        double kinetic, potential, work;
        OK(clv_sim_advance(s, 2));
        clv_sim_energy(s, &kinetic, &potential, &work);
        const double a = k ? (8 - 0.3 * 2 * G) / 2 : 0;
        CLV_NEAR(clv_sim_velocity(s)[0], 2 * a, 0.01); /* contact begins with the second step */
        CLV_NEAR(work, kinetic + potential - 2 * G * 0.05, 1e-9);
        assert_true(summary(s).max_energy_drift < 1e-9);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_bounces_and_comes_to_rest),
        cmocka_unit_test(a_ball_slips_until_it_rolls),
        cmocka_unit_test(a_box_holds_up_to_the_angle_of_friction),
        cmocka_unit_test(a_ball_rolls_or_slips_on_an_incline),
        cmocka_unit_test(a_box_slides_to_rest),
        cmocka_unit_test(a_box_tumbles_to_rest),
        cmocka_unit_test(a_cradle_hands_the_speed_on),
        cmocka_unit_test(a_stack_rests),
        cmocka_unit_test(momentum_is_kept),
        cmocka_unit_test(a_loop_lands),
        cmocka_unit_test(what_is_not_supported_is_named),
        cmocka_unit_test(work_of_impulses),
        cmocka_unit_test(work_of_a_push),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
