/* SPDX-License-Identifier: Apache-2.0
 * Rigid end stops of joints (T157) against closed forms: rebounds and rest, reactions in outputs, the impulse of a
 * double pendulum, stops of joints that close loops, kinds with several coordinates, prescribed joints, contacts beside
 * them; what is refused. */
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
#include "running.h"

#define G 9.81
#define DEGREE 0.017453292519943295

static clv_sim *start(const clv_model *m, double step)
{
    clv_sim_options o = clv_sim_options_default();
    o.step = step;
    return start_with(m, &o);
}

static clv_joint_result joint(clv_sim *s, int k)
{
    clv_joint_result r;
    assert_int_equal(clv_sim_joint(s, k, &r), CLV_OK);
    return r;
}

/* A mass of 2 kg falls by 0.9 m onto a stop with restitution 0.5: places and rates between the rebounds to order one in
 * the step; at rest after infinitely many of them, carried by the stop. */
static void a_mass_bounces_and_rests(void **state)
{
    double error[2] = {0, 0};
    (void)state;
    clv_model *m = read("cleave: 1\nbodies: {w: {mass: 2, inertia: [1, 1, 1]}}\n"
                        "joints: {s: {kind: prismatic, a: {body: ground}, b: {body: w}}}\n"
                        "forces: {x: {kind: joint-load, joint: s, lower: 0.1, stop_restitution: 0.5}}\n"
                        "start: {joints: {s: {q: 1}}}\n");
    for (int k = 0; k < 2; k++) {
        const double step = k ? 1e-5 : 1e-4, falls = sqrt(2 * 0.9 / G);
        clv_sim *s = start(m, step);
        double speed = 0.5 * G * falls, from = falls; /* after an impact, and its time */
        for (int hop = 0; hop < 3; hop++, from += 2 * speed / G, speed *= 0.5) {
            const double t = 1.3 * speed / G; /* on the way down */
            advance(s, from + t);
            const clv_joint_result r = joint(s, 0);
            error[k] = fmax(error[k], fabs(r.q[0] - 0.1 - speed * t + 0.5 * G * t * t));
            error[k] = fmax(error[k], fabs(r.u[0] - speed + G * t));
            CLV_NEAR(r.effort[0], 0, 0);
        }
        advance(s, 2);
        const clv_joint_result r = joint(s, 0);
        CLV_NEAR(r.q[0], 0.1, 5 * step);
        CLV_NEAR(r.u[0], 0, 1e-14);
        CLV_NEAR(r.udot[0], 0, 1e-9);
        CLV_NEAR(r.effort[0], 2 * G, 1e-9);
        const double place = r.q[0];
        advance(s, 4);
        CLV_NEAR(joint(s, 0).q[0], place, 1e-13);
        clv_sim_destroy(s);
    }
    assert_true(error[0] < 20 * 1e-4 && error[1] < 20 * 1e-5);
    clv_model_destroy(m);
}

/* Without loss and weight a mass goes to and fro for ever. */
static void nothing_is_lost_with_restitution_one(void **state)
{
    (void)state;
    clv_model *m = read("cleave: 1\ngravity: [0, 0, 0]\nbodies: {w: {mass: 3, inertia: [1, 2, 3]}}\n"
                        "joints: {s: {kind: revolute, a: {body: ground}, b: {body: w}}}\n"
                        "forces: {x: {kind: joint-load, joint: s, lower: -30 deg, upper: 60 deg, "
                        "stop_restitution: 1}}\n"
                        "start: {joints: {s: {u: 2}}}\n");
    clv_sim *s = start(m, 1e-3);
    for (int i = 1; i <= 100; i++) {
        advance(s, 0.1 * i);
        const clv_joint_result r = joint(s, 0);
        CLV_NEAR(fabs(r.u[0]), 2, 1e-13);
        assert_true(r.q[0] > -0.5236 - 0.002 && r.q[0] < 1.0472 + 0.002);
    }
    clv_sim_report r;
    clv_sim_summary(s, &r);
    assert_true(r.contact_steps >= 12 && r.max_energy_drift < 1e-12);
    clv_sim_destroy(s), clv_model_destroy(m);
}

/* A pendulum falls onto its lower stop, and another, which starts on it, stays: the stop gives the moment of its
 * weight. */
static void a_pendulum_lies_on_its_stop(void **state)
{
    (void)state;
    clv_model *m = read("cleave: 1\ngravity: [0, -9.81, 0]\n"
                        "bodies:\n  a: {mass: 2, com: [0.5, 0, 0], inertia: [0.01, 0.2, 0.2]}\n"
                        "  b: {mass: 2, com: [0.5, 0, 0], inertia: [0.01, 0.2, 0.2]}\n"
                        "joints:\n  p: {kind: revolute, a: {body: ground}, b: {body: a}}\n"
                        "  r: {kind: revolute, a: {body: b}, b: {body: ground}}\n"
                        "forces:\n  x: {kind: joint-load, joint: p, lower: -20 deg, stop_restitution: 0.3}\n"
                        "  y: {kind: joint-load, joint: r, upper: 20 deg, stop_restitution: 0}\n"
                        "start: {joints: {p: {q: 60 deg}, r: {q: 20 deg}}}\n");
    clv_sim *s = start(m, 1e-4);
    advance(s, 3);
    const clv_joint_result p = joint(s, 0), r = joint(s, 1); /* of the second the ground is the second body */
    CLV_NEAR(p.q[0], -20 * DEGREE, 1e-3);
    CLV_NEAR(p.u[0], 0, 1e-13);
    CLV_NEAR(p.effort[0], 2 * G * 0.5 * cos(p.q[0]), 1e-9);
    CLV_NEAR(r.q[0], 20 * DEGREE, 1e-12);
    CLV_NEAR(r.u[0], 0, 1e-13);
    CLV_NEAR(r.effort[0], -2 * G * 0.5 * cos(r.q[0]), 1e-9);
    CLV_NEAR(r.force[1], -2 * G, 1e-9);
    clv_sim_destroy(s), clv_model_destroy(m);
}

/* A double pendulum whose second joint runs into its stop: the rates change by -(1 + e) u2 M^-1 n / (n^T M^-1 n). */
static void the_impulse_is_that_of_the_mass_matrix(void **state)
{
    const double q2 = 0.7, u1 = 1.3, u2 = 2.1, e = 0.25, m1 = 1.2, m2 = 0.8, c1 = 0.3, c2 = 0.4, l = 0.9, I1 = 0.05,
                 I2 = 0.07;
    const double M11 = I1 + I2 + m1 * c1 * c1 + m2 * (l * l + c2 * c2 + 2 * l * c2 * cos(q2)),
                 M12 = I2 + m2 * (c2 * c2 + l * c2 * cos(q2));
    char text[900];
    (void)state;
    snprintf(text, sizeof text,
             "cleave: 1\nbodies:\n  a: {mass: 1.2, com: [0.3, 0, 0], inertia: [0.05, 0.05, 0.05]}\n"
             "  b: {mass: 0.8, com: [0.4, 0, 0], inertia: [0.07, 0.07, 0.07]}\n"
             "joints:\n  p: {kind: revolute, a: {body: ground}, b: {body: a}}\n"
             "  r: {kind: revolute, a: {body: a, position: [0.9, 0, 0]}, b: {body: b}}\n"
             "forces: {x: {kind: joint-load, joint: r, upper: 0.7, stop_restitution: 0.25}}\n"
             "start: {joints: {p: {q: 0.4, u: 1.3}, r: {q: 0.7, u: 2.1}}}\n");
    clv_model *m = read(text);
    clv_sim *s = start(m, 1e-9);
    advance(s, 1e-9);
    CLV_NEAR(joint(s, 1).u[0], -e * u2, 1e-7);
    CLV_NEAR(joint(s, 0).u[0], u1 + (1 + e) * u2 * M12 / M11, 1e-7); /* M^-1 n = (-M12, M11) / det */
    clv_sim_destroy(s), clv_model_destroy(m);
}

/* Two bodies that float, with a stop between them: the momentum stays, to order two as without impulses (T62.2). */
static void momentum_is_kept(void **state)
{
    (void)state;
    clv_model *m = read("cleave: 1\ngravity: [0, 0, 0]\n"
                        "bodies:\n  a: {mass: 2, com: [0.1, 0.2, 0], inertia: [0.1, 0.2, 0.3]}\n"
                        "  b: {mass: 1, com: [0, 0.3, 0.1], inertia: [0.05, 0.1, 0.07]}\n"
                        "joints: {h: {kind: revolute, a: {body: a, position: [0.3, 0, 0.1]}, b: {body: b}}}\n"
                        "forces: {x: {kind: joint-load, joint: h, lower: -0.4, upper: 0.6, stop_restitution: 0.8}}\n"
                        "start: {bodies: {a: {velocity: [1, 0, 0.5], angular_velocity: [0.3, 0.8, -0.2]}}, "
                        "joints: {h: {u: 5}}}\n");
    double changed[2];
    for (int k = 0; k < 2; k++) {
        clv_sim *s = start(m, k ? 5e-5 : 1e-4);
        clv_momentum first, last;
        clv_sim_momentum(s, &first);
        advance(s, 2);
        clv_sim_momentum(s, &last);
        changed[k] = 0;
        for (int i = 0; i < 3; i++) {
            changed[k] = fmax(changed[k], fabs(last.linear[i] - first.linear[i]));
            changed[k] = fmax(changed[k], fabs(last.angular[i] - first.angular[i]));
        }
        clv_sim_report r;
        clv_sim_summary(s, &r);
        assert_true(r.contact_steps >= 3);
        clv_sim_destroy(s);
    }
    assert_true(changed[0] < 1e-6 && changed[1] < 0.3 * changed[0]);
    clv_model_destroy(m);
}

/* ------------------------------------------------------------------ loops, kinds of joints */

/* A four-bar whose joint d has the stop: it is of the tree, or closes the loop, and so the motion is the same. */
static void a_joint_that_closes_a_loop_has_stops(void **state)
{
    static const char text[] =
        "cleave: 1\ngravity: [0, -9.81, 0]\n"
        "bodies:\n  crank: {mass: 1, com: [0, 0.5, 0], inertia: [0.08, 0.01, 0.08]}\n"
        "  coupler: {mass: 2, com: [1, 0.25, 0], inertia: [0.05, 0.70, 0.71]}\n"
        "  rocker: {mass: 1, com: [0, -0.75, 0], inertia: [0.19, 0.01, 0.19]}\n"
        "joints:\n  a: {kind: revolute, between: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1]}\n"
        "  b: {kind: revolute, between: [crank, coupler], at: [0, 1, 0], axis: [0, 0, 1]}\n"
        "  c: {kind: revolute, between: [coupler, rocker], at: [2, 1.5, 0], axis: [0, 0, 1]%s}\n"
        "  d: {kind: revolute, between: [%s], at: [2, 0, 0], axis: [0, 0, 1]%s}\n"
        "forces: {x: {kind: joint-load, joint: d, lower: -0.2, upper: 0.2, stop_restitution: 0.4}}\n"
        "start: {bodies: {coupler: {position: [0, 1, 0]}, rocker: {position: [2, 1.5, 0]}}, joints: {a: {u: -2}}}\n";
    (void)state;
    for (int turned = 0; turned < 2; turned++) {
        clv_sim *s[2];
        clv_model *m[2];
        for (int k = 0; k < 2; k++) {
            char all[1500];
            snprintf(all, sizeof all, text, k ? "" : ", cut: true", turned ? "rocker, ground" : "ground, rocker",
                     k ? ", cut: true" : "");
            m[k] = read(all);
            s[k] = start(m[k], 1e-4);
        }
        for (int i = 1; i <= 20; i++) {
            advance(s[0], 0.1 * i), advance(s[1], 0.1 * i);
            const clv_joint_result x = joint(s[0], 3), y = joint(s[1], 3);
            CLV_NEAR(x.q[0], y.q[0], 1e-7); /* steps of other coordinates: order two */
            CLV_NEAR(x.u[0], y.u[0], 1e-6);
            CLV_NEAR(x.effort[0], y.effort[0], 1e-3);
            assert_true(fabs(x.q[0]) < 0.2 + 1e-3);
        }
        const clv_joint_result last = joint(s[1], 3);
        CLV_NEAR(last.u[0], 0, 1e-12); /* it has come to rest there */
        assert_true(fabs(last.effort[0]) > 1);
        CLV_NEAR(last.udot[0], 0, 1e-8);
        for (int k = 0; k < 2; k++) {
            clv_sim_report r;
            clv_sim_summary(s[k], &r);
            assert_true(r.contact_steps > 100 && r.max_position_violation < 1e-12);
            clv_sim_destroy(s[k]), clv_model_destroy(m[k]);
        }
    }
}

/* Joints with several coordinates, as a part of the tree and where they close a loop of two bodies. */
static void coordinates_of_every_kind_have_stops(void **state)
{
    static const struct {
        const char *kind;
        int coordinate;
    } row[] = {{"cylindrical", 0}, {"cylindrical", 1}, {"planar", 0}, {"planar", 1}, {"planar", 2}, {"universal", 0},
               {"universal", 1}, {"revolute", 0}, {"prismatic", 0}, {"helical, pitch: 0.3", 0}};
    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        double q[2], u[2];
        for (int k = 0; k < 2; k++) {
            char text[1500], rates[40] = "0.7";
            if (strcmp(row[i].kind, "planar") == 0)
                strcpy(rates, "[0.7, -0.5, 0.9]");
            else if (strcmp(row[i].kind, "cylindrical") == 0 || strcmp(row[i].kind, "universal") == 0)
                strcpy(rates, "[0.7, 0.8]");
            /* k 1: the joint is cut, and a free joint holds the body in the tree */
            snprintf(text, sizeof text,
                     "cleave: 1\ngravity: [1, 2, -3]\n"
                     "bodies: {w: {mass: 2, com: [0.1, 0.2, 0.3], inertia: [1, 2, 2.5]}}\n"
                     "joints:\n  j: {kind: %s, a: {body: ground}, b: {body: w}%s}\n%s"
                     "forces: {x: {kind: joint-load, joint: j, coordinate: %d, lower: -0.1, upper: 0.05, "
                     "stop_restitution: 0.5}}\nstart: {joints: {j: {u: %s}}}\n",
                     row[i].kind, k ? ", cut: true" : "",
                     k ? "  f: {kind: free, a: {body: ground}, b: {body: w}}\n" : "", row[i].coordinate, rates);
            clv_model *m = read(text);
            clv_sim *s = start(m, 1e-3);
            for (int n = 1; n <= 10; n++) {
                advance(s, 0.1 * n);
                const clv_joint_result r = joint(s, 0);
                assert_true(r.q[row[i].coordinate] > -0.105 && r.q[row[i].coordinate] < 0.055);
            }
            const clv_joint_result r = joint(s, 0);
            q[k] = r.q[row[i].coordinate], u[k] = r.u[row[i].coordinate];
            clv_sim_report report;
            clv_sim_summary(s, &report);
            if (report.contact_steps == 0)
                fail_msg("%s, coordinate %d: no stop", row[i].kind, row[i].coordinate);
            clv_sim_destroy(s), clv_model_destroy(m);
        }
        if (!(fabs(q[0] - q[1]) < 1e-4 && fabs(u[0] - u[1]) < 1e-3))
            fail_msg("%s, coordinate %d: q %.9g, %.9g, u %.9g, %.9g", row[i].kind, row[i].coordinate, q[0], q[1], u[0],
                     u[1]);
    }
}

/* A box lies on a plate whose joint lies on its stop. */
static void stops_carry_contacts(void **state)
{
    (void)state;
    clv_model *m = read("cleave: 1\nbodies:\n"
                        "  plate: {mass: 1, inertia: from shape, shape: {box: [1, 1, 0.1]}}\n"
                        "  box: {mass: 2, inertia: from shape, shape: {box: [0.2, 0.2, 0.2]}}\n"
                        "joints:\n  a: {kind: prismatic, between: [ground, plate], at: [0, 0, 0], axis: [0, 0, 1]}\n"
                        "  f: {kind: free, a: {body: ground}, b: {body: box}}\n"
                        "forces: {x: {kind: joint-load, joint: a, lower: -0.05, stop_restitution: 0}, "
                        "c: {kind: contact, between: [plate, box], restitution: 0, dynamic_friction: 0.3}}\n"
                        "start: {bodies: {box: {position: [0.2, 0, 0.2]}}}\n");
    clv_sim *s = start(m, 1e-3);
    clv_contact_result c;
    advance(s, 1);
    CLV_NEAR(joint(s, 0).q[0], -0.05, 2e-3);
    CLV_NEAR(joint(s, 0).u[0], 0, 1e-12);
    CLV_NEAR(joint(s, 0).effort[0], 3 * G, 1e-8);
    CLV_NEAR(joint(s, 0).torque[1], -0.2 * 2 * G, 1e-3);
    assert_int_equal(clv_sim_contact(s, 1, &c), CLV_OK);
    CLV_NEAR(c.normal_force, 2 * G, 1e-8);
    clv_sim_destroy(s), clv_model_destroy(m);
}

/* ------------------------------------------------------------------ motions, saved states, errors */

/* A motion that turns back before the stop runs on; one that goes through it ends the run where it gets there. */
static void a_motion_ends_at_a_stop(void **state)
{
    static const char one[] = "cleave: 1\nbodies: {w: {mass: 2, inertia: [1, 1, 1]}}\n"
                              "joints: {s: {kind: prismatic, a: {body: ground}, b: {body: w}}}\n"
                              "motions: {m: {joint: s, amplitude: 0.5, frequency: 2}}\n"
                              "forces: {x: {kind: joint-load, joint: s, upper: %g, stop_restitution: 0}}\n";
    char text[500];
    (void)state;
    for (int k = 0; k < 2; k++) {
        snprintf(text, sizeof text, one, k ? 0.4 : 0.501);
        clv_model *m = read(text);
        clv_sim *s = start(m, 1e-3);
        const double meets = 0.5 * asin(0.8);
        if (k) {
            assert_int_equal(clv_sim_advance(s, 3), CLV_ERR_INCONSISTENT);
            CLV_NEAR(clv_sim_error(s)->time, meets, 2e-3);
            assert_string_equal(clv_sim_error(s)->joint, "s");
            assert_non_null(strstr(clv_sim_error(s)->message, "stops 'x'"));
            assert_non_null(strstr(clv_sim_error(s)->message, "upper limit"));
        } else
            advance(s, 3);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

static void a_saved_state_goes_on(void **state)
{
    (void)state;
    clv_model *m = read("cleave: 1\nbodies: {w: {mass: 2, inertia: [1, 1, 1]}}\n"
                        "joints: {s: {kind: prismatic, a: {body: ground}, b: {body: w}}}\n"
                        "forces: {x: {kind: joint-load, joint: s, lower: 0.1, stop_restitution: 0.5}}\n"
                        "start: {joints: {s: {q: 0.2}}}\n");
    clv_sim *s = start(m, 1e-3), *other = start(m, 1e-3);
    advance(s, 0.3);
    const size_t size = clv_sim_saved_size(s);
    void *bytes = malloc(size);
    assert_non_null(bytes);
    clv_sim_save(s, bytes);
    assert_int_equal(clv_sim_load(other, bytes, size), CLV_OK);
    advance(s, 0.7), advance(other, 0.7);
    assert_memory_equal(clv_sim_position(s), clv_sim_position(other), 3 * sizeof(double));
    assert_memory_equal(clv_sim_velocity(s), clv_sim_velocity(other), 6 * sizeof(double));
    free(bytes);
    clv_sim_destroy(s), clv_sim_destroy(other), clv_model_destroy(m);
}

static void what_cannot_be_is_refused(void **state)
{
    static const struct {
        const char *load, *message;
    } row[] = {
        {"joint: s, lower: 0, stop_restitution: 0.5, stop_stiffness: 100", "a restitution and a stiffness"},
        {"joint: s, lower: 0, stop_restitution: 0.5, stop_dissipation: 1", "a restitution and a stiffness or dissi"},
        {"joint: s, lower: 0, stop_restitution: 1.5", "not in 0 to 1"},
        {"joint: s, stop_restitution: 0.5", "a restitution of stops, but no limit"},
        {"joint: s, lower: 1, upper: 0, stop_restitution: 0.5", "is not below its upper limit"},
        {"joint: b, coordinate: 1, lower: 0, stop_restitution: 0.5", "is a quaternion"},
        {"joint: s, lower: 0", "or a restitution"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char text[700];
        clv_model *m;
        snprintf(text, sizeof text,
                 "cleave: 1\nbodies: {w: {mass: 2, inertia: [1, 1, 1]}, v: {mass: 2, inertia: [1, 1, 1]}}\n"
                 "joints: {s: {kind: prismatic, a: {body: ground}, b: {body: w}}, "
                 "b: {kind: spherical, a: {body: w}, b: {body: v}}}\nforces: {x: {kind: joint-load, %s}}\n",
                 row[i].load);
        assert_int_equal(clv_model_read_text(&m, text, strlen(text), "test.yaml"), CLV_ERR_MODEL);
        if (!strstr(clv_model_error(m)->message, row[i].message))
            fail_msg("%s: %s", row[i].load, clv_model_error(m)->message);
        clv_model_destroy(m);
    }
    clv_model *m = read("cleave: 1\nbodies: {w: {mass: 2, inertia: [1, 1, 1]}}\n"
                        "joints: {s: {kind: prismatic, a: {body: ground}, b: {body: w}}}\n"
                        "forces: {x: {kind: joint-load, joint: s, lower: 0, stop_restitution: 0.5}}\n");
    static const char *const formulation[] = {"hdca", "connection", "massmatrix", "aldca", "index3"};
    for (size_t i = 0; i < sizeof formulation / sizeof *formulation; i++) {
        clv_sim_options o = clv_sim_options_default();
        clv_sim *s;
        o.formulation = formulation[i];
        assert_int_equal(clv_sim_create(&s, m, &o), CLV_ERR_UNSUPPORTED);
        assert_non_null(strstr(clv_sim_error(s)->message, "the stops of 'x' are rigid"));
        clv_sim_destroy(s);
    }
    clv_sim *s = start(m, 1e-3);
    clv_linear *linear;
    clv_derivatives *derivatives;
    assert_int_equal(clv_sim_equilibrium(s, false, NULL), CLV_ERR_UNSUPPORTED);
    assert_non_null(strstr(clv_sim_error(s)->message, "the stops of 'x' are rigid"));
    assert_int_equal(clv_sim_linearize(s, 0, NULL, NULL, &linear), CLV_ERR_UNSUPPORTED);
    assert_int_equal(clv_sim_derivatives(s, NULL, 0, &derivatives), CLV_ERR_UNSUPPORTED);
    assert_int_equal(clv_sim_inverse(s, NULL, 0, NULL, 0, NULL, NULL), CLV_ERR_UNSUPPORTED);
    clv_sim_destroy(s);
    clv_force_desc d = clv_force_desc_default(CLV_FORCE_SPRING);
    int index;
    clv_model *c;
    clv_body_desc b = clv_body_desc_default();
    assert_int_equal(clv_model_create(&c, "rope"), CLV_OK);
    b.name = "w", b.mass = 1, b.inertia[0] = b.inertia[1] = b.inertia[2] = 1;
    assert_int_equal(clv_model_add_body(c, &index, &b), CLV_OK);
    d.name = "x", d.b = index, d.point_b[0] = 1, d.stop.upper = 2, d.stop.restitution = 0;
    assert_int_equal(clv_model_add_force(c, &index, &d), CLV_OK);
    assert_int_equal(clv_model_finish(c), CLV_ERR_MODEL);
    assert_non_null(strstr(clv_model_error(c)->message, "end stops of joints alone"));
    clv_model_destroy(c), clv_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mass_bounces_and_rests), cmocka_unit_test(nothing_is_lost_with_restitution_one),
        cmocka_unit_test(a_pendulum_lies_on_its_stop), cmocka_unit_test(the_impulse_is_that_of_the_mass_matrix),
        cmocka_unit_test(momentum_is_kept), cmocka_unit_test(a_joint_that_closes_a_loop_has_stops),
        cmocka_unit_test(coordinates_of_every_kind_have_stops), cmocka_unit_test(stops_carry_contacts),
        cmocka_unit_test(a_motion_ends_at_a_stop), cmocka_unit_test(a_saved_state_goes_on),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
