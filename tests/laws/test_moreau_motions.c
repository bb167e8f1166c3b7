/* SPDX-License-Identifier: Apache-2.0
 * Prescribed motions in steps of rigid contacts (T154): tables that shake, carry and drop boxes against closed forms,
 * the order of a step, work of drives in trees and loops, and forces of contacts in outputs. */
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

static clv_sim *start(const clv_model *m, double step)
{
    clv_sim_options o = clv_sim_options_default();
    o.step = step;
    return start_with(m, &o);
}

/* A table of 1 kg that moves along an axis, and a box of 2 kg on it, which starts with the velocity v along that. */
static clv_sim *on_table(clv_model **m, const char *axis, const char *motion, const char *v, double step)
{
    char text[1500];
    snprintf(text, sizeof text,
             "cleave: 1\nbodies:\n"
             "  table: {mass: 1, inertia: from shape, shape: {box: [4, 1, 0.1]}}\n"
             "  box: {mass: 2, inertia: from shape, shape: {box: [0.2, 0.2, 0.2]}}\n"
             "joints:\n  a: {kind: prismatic, between: [ground, table], at: [0, 0, 0], axis: %s}\n"
             "  f: {kind: free, a: {body: ground}, b: {body: box}}\n"
             "forces: {c: {kind: contact, between: [table, box], restitution: 0, dynamic_friction: 0.3}}\n"
             "motions: {m: {joint: a, %s}}\n"
             "inputs: {x: {motion: m}}\n"
             "start: {bodies: {box: {position: [0, 0, 0.14999999999], velocity: %s}}}\n",
             axis, motion, v);
    *m = read(text);
    return start(*m, step);
}

static double effort(clv_sim *s)
{
    clv_joint_result r;
    assert_int_equal(clv_sim_joint(s, 0, &r), CLV_OK);
    return r.effort[0];
}

/* Shaken by 1.8 m/s^2, below mu g: the box sticks.  Its rates are those of the table to rounding, its place to order
 * two; the drive moves both. */
static void a_box_sticks_to_a_table(void **state)
{
    double error[2];
    (void)state;
    for (int k = 0; k < 2; k++) {
        clv_model *m;
        const double step = k ? 1e-3 : 2e-3;
        clv_sim *s = on_table(&m, "[1, 0, 0]", "amplitude: 0.05, frequency: 6", "[0.3, 0, 0]", step);
        clv_sim_report r;
        error[k] = 0;
        for (int i = 1; i <= 20; i++) {
            const double t = 0.1 * i;
            advance(s, t);
            CLV_NEAR(clv_sim_velocity(s)[6], 0.3 * cos(6 * t), 1e-13);
            error[k] = fmax(error[k], fabs(clv_sim_position(s)[3] - 0.05 * sin(6 * t)));
            CLV_NEAR(effort(s), -3 * 1.8 * sin(6 * t), 11 * step); /* impulses are half a step old */
        }
        clv_sim_summary(s, &r);
        assert_true(r.max_energy_drift < 0.4 * step * step);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
    assert_true(error[1] < 2e-7);
    assert_true(error[1] < 0.26 * error[0]);
}

/* A belt at 1 m/s takes up a box that is at rest: it slips for v / (mu g), and then stays where it is on the belt. */
static void a_belt_takes_a_box_up(void **state)
{
    clv_model *m;
    (void)state;
    clv_sim *s = on_table(&m, "[1, 0, 0]", "rate: 1", "[0, 0, 0]", 1e-3);
    const double slips = 1 / (0.3 * G);
    advance(s, 0.2);
    CLV_NEAR(clv_sim_velocity(s)[6], 0.3 * G * 0.2, 1e-9);
    CLV_NEAR(effort(s), 0.3 * 2 * G, 1e-6);
    advance(s, 1);
    CLV_NEAR(clv_sim_velocity(s)[6], 1, 1e-12);
    CLV_NEAR(clv_sim_position(s)[3] - clv_sim_position(s)[0], -0.5 * slips, 5e-4); /* order one where it sticks */
    CLV_NEAR(effort(s), 0, 1e-9);
    double kinetic, potential, work;
    clv_sim_energy(s, &kinetic, &potential, &work);
    CLV_NEAR(work, 1, 1e-6); /* the drive gives 2 J, friction takes one */
    clv_sim_destroy(s), clv_model_destroy(m);
}

/* The input accelerates the table by 6 m/s^2, twice mu g, and then brakes it by 2 m/s^2: the box slips, and sticks from
 * the time at which both are equally fast. */
static void a_box_slips_and_sticks_by_an_input(void **state)
{
    clv_model *m;
    (void)state;
    clv_sim *s = on_table(&m, "[1, 0, 0]", "offset: 0", "[0, 0, 0]", 1e-4);
    const double turn = 0.3, meets = (6 + 2) * turn / (0.3 * G + 2), fast = 0.3 * G * meets;
    assert_int_equal(clv_sim_set_input(s, 0, 6), CLV_OK);
    advance(s, turn);
    CLV_NEAR(clv_sim_velocity(s)[6], 0.3 * G * turn, 1e-9);
    CLV_NEAR(effort(s), 6 + 0.3 * 2 * G, 1e-6);
    assert_int_equal(clv_sim_set_input(s, 0, -2), CLV_OK);
    advance(s, meets - 0.01);
    CLV_NEAR(clv_sim_velocity(s)[6], 0.3 * G * (meets - 0.01), 1e-9);
    advance(s, meets + 0.1);
    CLV_NEAR(clv_sim_velocity(s)[6], fast - 0.2, 1e-9);
    CLV_NEAR(clv_sim_velocity(s)[6], clv_sim_velocity(s)[0], 1e-12);
    CLV_NEAR(clv_sim_position(s)[3], 0.5 * fast * meets + 0.1 * fast - 0.01, 1e-7);
    CLV_NEAR(effort(s), -2 * 3, 1e-6);
    clv_sim_destroy(s), clv_model_destroy(m);
}

/* Shaken up and down by 20 m/s^2 the box leaves the table where this falls faster than it does, and lands again. */
static void a_box_leaves_a_table_and_lands(void **state)
{
    const double w = 20, a = 0.05, leaves = asin(G / (a * w * w)) / w, v = a * w * cos(w * leaves);
    double lands = leaves + 0.01;
    (void)state;
    for (double above = 1; above > 0; lands += 1e-6) { /* the first meeting after the flight */
        const double d = lands - leaves;
        above = a * sin(w * leaves) + v * d - 0.5 * G * d * d - a * sin(w * lands);
    }
    assert_true(leaves > 0.012 && leaves < 0.1 && lands > 0.1 && lands < 0.29);
    for (int k = 0; k < 2; k++) {
        clv_model *m;
        const double step = k ? 1e-5 : 1e-4, early = 0.012, near = 0.1, late = 0.3, d = near - leaves;
        clv_contact_result c;
        clv_sim *s = on_table(&m, "[0, 0, 1]", "amplitude: 0.05, frequency: 20", "[0, 0, 1]", step);
        advance(s, early);
        CLV_NEAR(clv_sim_velocity(s)[8], a * w * cos(w * early), 1e-12);
        CLV_NEAR(effort(s), 3 * (G - a * w * w * sin(w * early)), 600 * step);
        assert_int_equal(clv_sim_contact(s, 0, &c), CLV_OK);
        CLV_NEAR(c.normal_force, 2 * (G - a * w * w * sin(w * early)), 600 * step);
        advance(s, near);
        CLV_NEAR(clv_sim_position(s)[5] - 0.15, a * sin(w * leaves) + v * d - 0.5 * G * d * d, 2 * step);
        CLV_NEAR(effort(s), G - a * w * w * sin(w * near), 1e-9);
        advance(s, late);
        CLV_NEAR(clv_sim_velocity(s)[8], a * w * cos(w * late), 1e-12);
        CLV_NEAR(clv_sim_position(s)[5] - 0.15, a * sin(w * late), 3 * step);
        clv_sim_report r;
        clv_sim_summary(s, &r);
        assert_true(r.max_energy_drift < 300 * step * step);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

/* A table of positions over time, whose rate jumps from 0 to 0.5 m/s and back: the box comes along, by an impulse. */
static void a_jump_of_the_rate_is_an_impact(void **state)
{
    clv_model *m;
    (void)state;
    static const char table[] = "table: [[0, 0], [0.1003, 0], [0.3003, 0.1], [0.5, 0.1]], profile: linear";
    clv_sim *s = on_table(&m, "[0, 0, 1]", table, "[0, 0, 0]", 1e-3);
    advance(s, 0.2);
    CLV_NEAR(clv_sim_velocity(s)[8], 0.5, 1e-12);
    CLV_NEAR(clv_sim_position(s)[5] - clv_sim_position(s)[2], 0.15, 1e-3); /* it enters for half a step */
    double kinetic, potential, work;
    clv_sim_energy(s, &kinetic, &potential, &work);
    CLV_NEAR(work, 0.125 + 0.25 + 3 * G * clv_sim_position(s)[2], 0.02);
    advance(s, 0.34);
    CLV_NEAR(clv_sim_velocity(s)[8], 0.5 - G * (0.34 - 0.3003), 5e-3); /* thrown up */
    advance(s, 0.5);
    CLV_NEAR(clv_sim_velocity(s)[8], 0, 1e-12);
    clv_sim_report r;
    clv_sim_summary(s, &r);
    assert_true(r.events >= 2 && r.max_energy_drift < 2e-3);
    clv_sim_destroy(s), clv_model_destroy(m);
}

/* ------------------------------------------------------------------ order, work */

/* A driven crank that swings a rod on a hinge, a driven joint inside a loop, and a driven base of a tree with branches.
 * A ball falls onto a plate of the last body. */
static const char *const mechanism[] = {
    "  b{i}: {mass: 1, com: [0.2, 0, 0], inertia: [0.01, 0.03, 0.03], shape: {box: [0.4, 0.3, 0.04], at: [0.2, 0, 0]}, "
    "repeat: 3}\n"
    "  ball: {mass: 0.5, inertia: from shape, shape: {sphere: 0.05}}\n"
    "joints:\n"
    "  j1: {kind: revolute, between: [ground, b1], at: [0, 0, 0], axis: [0, 1, 0]}\n"
    "  j2: {kind: revolute, between: [b1, b2], at: [0.4, 0, 0], axis: [0, 1, 0]}\n"
    "  j3: {kind: revolute, between: [b2, b3], at: [0.8, 0, 0], axis: [0, 1, 0]}\n"
    "  f: {kind: free, a: {body: ground}, b: {body: ball}}\n",
    "  b1: {mass: 1, com: [0, 0, 0.15], inertia: [0.01, 0.01, 0.01]}\n"
    "  b2: {mass: 1, com: [1, 0, 0.15], inertia: [0.05, 0.05, 0.01]}\n"
    "  b3: {mass: 1, com: [0.3, 0, 0.3], inertia: [0.01, 0.05, 0.05], "
    "shape: {box: [1.6, 0.3, 0.04], at: [0.5, 0, 0.3]}}\n"
    "  ball: {mass: 0.5, inertia: from shape, shape: {sphere: 0.05}}\n"
    "joints:\n"
    "  j1: {kind: revolute, between: [ground, b1], at: [0, 0, 0], axis: [0, 1, 0]}\n"
    "  j2: {kind: revolute, between: [b1, b3], at: [0, 0, 0.3], axis: [0, 1, 0]}\n"
    "  j3: {kind: revolute, between: [b3, b2], at: [1, 0, 0.3], axis: [0, 1, 0]}\n"
    "  j4: {kind: revolute, between: [b2, ground], at: [1, 0, 0], axis: [0, 1, 0], cut: true}\n"
    "  f: {kind: free, a: {body: ground}, b: {body: ball}}\n",
    "  b1: {mass: 2, inertia: [0.1, 0.1, 0.1]}\n"
    "  b2: {mass: 1, com: [0.2, 0, 0], inertia: [0.01, 0.03, 0.03]}\n"
    "  b3: {mass: 1, com: [0.8, 0, 0], inertia: [0.01, 0.03, 0.03], shape: {box: [1.2, 0.3, 0.04], at: [0.8, 0, 0]}}\n"
    "  b4: {mass: 1, com: [0, 0.3, 0], inertia: [0.03, 0.01, 0.03]}\n"
    "  ball: {mass: 0.5, inertia: from shape, shape: {sphere: 0.05}}\n"
    "joints:\n"
    "  j1: {kind: prismatic, between: [ground, b1], at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  j2: {kind: spherical, between: [b1, b2], at: [0, 0, 0]}\n"
    "  j3: {kind: revolute, between: [b2, b3], at: [0.4, 0, 0], axis: [0, 1, 0]}\n"
    "  j4: {kind: revolute, between: [b1, b4], at: [0, 0.1, 0], axis: [1, 0, 0]}\n"
    "  f: {kind: free, a: {body: ground}, b: {body: ball}}\n",
};

/* Driven are two joints, or one in the loop.  high: the ball does not come down in time. */
static clv_model *hit(int kind, int driven, bool high, double restitution)
{
    char text[3500];
    static const char places[] = ", b2: {position: [0.4, 0, 0]}, b3: {position: [0.8, 0, 0]}";
    static const double place[3][3] = {{0.95, 0.05, 0.09}, {0.45, 0.05, 0.39}, {0.95, 0.05, 0.09}};
    const double *x = place[kind];
    snprintf(text, sizeof text,
             "cleave: 1\nbodies:\n%s"
             "forces: {c: {kind: contact, between: [b3, ball], restitution: %g, dynamic_friction: 0.4}}\n"
             "motions: {m: {joint: j%d, amplitude: 0.3, frequency: 5}%s}\n"
             "start: {bodies: {ball: {position: [%g, %g, %g], velocity: [0.5, 0.2, -3]}%s}}\n",
             mechanism[kind], restitution, driven, kind != 1 && driven == 1 ? ", n: {joint: j3, rate: 0.4}" : "", x[0],
             x[1], x[2] + (high ? 3 : 0), kind == 0 ? places : "");
    return read(text);
}

/* Without impacts a step has order two, beside an adaptive integrator with compliant contact. */
static void motions_have_order_two(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind += 2) { /* in the loop a motion leaves no degree of freedom */
        double error[2] = {0, 0};
        clv_model *m = hit(kind, 1, true, 0.5);
        clv_sim *fine = start(m, 2e-5);
        advance(fine, 0.4);
        for (int k = 0; k < 2; k++) {
            clv_sim *s = start(m, k ? 1e-3 : 2e-3);
            advance(s, 0.4);
            for (int i = 0; i < 9; i++)
                error[k] = fmax(error[k], fabs(clv_sim_position(s)[i] - clv_sim_position(fine)[i]));
            clv_sim_destroy(s);
        }
        if (!(error[1] < 0.27 * error[0] && error[0] < 1e-3))
            fail_msg("mechanism %d: errors %g, %g", kind, error[0], error[1]);
        clv_sim_destroy(fine), clv_model_destroy(m);
    }
}

/* The account of energy has the work of drives while bodies collide: its error goes to zero with the step, for each
 * joint that may be driven. */
static void work_of_drives_is_in_the_account(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++)
        for (int driven = 1; driven <= 4; driven++) {
            double drift[2];
            if ((kind == 0 && driven == 4) || (kind == 1 && driven == 4) || (kind == 2 && driven == 2))
                continue; /* not there, cut, of three degrees of freedom */
            for (int k = 0; k < 2; k++) {
                clv_model *m = hit(kind, driven, false, 0.3);
                clv_sim *s = start(m, k ? 1e-6 : 1e-5);
                clv_sim_report r;
                advance(s, 0.02);
                clv_sim_summary(s, &r);
                if (r.contact_steps == 0)
                    fail_msg("mechanism %d, joint %d: no contact", kind, driven);
                drift[k] = r.max_energy_drift;
                clv_sim_destroy(s), clv_model_destroy(m);
            }
            if (!(drift[1] < 1e-5 && (drift[1] < 0.2 * drift[0] || drift[0] < 1e-10)))
                fail_msg("mechanism %d, joint %d: drift %g, %g", kind, driven, drift[0], drift[1]);
        }
}

/* ------------------------------------------------------------------ outputs */

/* A box rests on a plate on a spring: accelerations, efforts and reactions have the force of the contact. */
static void outputs_have_the_forces_of_contacts(void **state)
{
    static const char text[] =
        "cleave: 1\nbodies:\n"
        "  plate: {mass: 1, inertia: from shape, shape: {box: [1, 1, 0.1]}}\n"
        "  box: {mass: 2, inertia: from shape, shape: {box: [0.2, 0.2, 0.2]}}\n"
        "joints:\n  a: {kind: prismatic, between: [ground, plate], at: [0, 0, 0], axis: [0, 0, 1]}\n"
        "  f: {kind: free, a: {body: ground}, b: {body: box}}\n"
        "forces: {s: {kind: joint-load, joint: a, stiffness: 1000}, d: {kind: joint-load, joint: a, damping: 100}, "
        "c: {kind: %s, restitution: 0}}\n"
        "start: {bodies: {box: {position: [0.2, 0, 0.15]}}}\n";
    (void)state;
    for (int k = 0; k < 2; k++) {
        char all[1000];
        snprintf(all, sizeof all, text, k ? "contacts" : "contact, between: [plate, box]");
        clv_model *m = read(all);
        clv_sim *s = start(m, 1e-3);
        clv_joint_result a, f;
        advance(s, 2);
        assert_int_equal(clv_sim_joint(s, 0, &a), CLV_OK);
        assert_int_equal(clv_sim_joint(s, 1, &f), CLV_OK);
        CLV_NEAR(a.udot[0], 0, 1e-6);
        CLV_NEAR(a.effort[0], 3 * G, 1e-6);
        CLV_NEAR(a.torque[1], -0.2 * 2 * G, 1e-6); /* of the box, 0.2 m off */
        CLV_NEAR(f.udot[2], 0, 1e-6);
        CLV_NEAR(f.effort[2], 0, 1e-9);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

/* Saved while it slips, and loaded into a new simulation: the same bits. */
static void a_saved_state_goes_on(void **state)
{
    clv_model *m;
    (void)state;
    clv_sim *s = on_table(&m, "[1, 0, 0]", "amplitude: 0.05, frequency: 12", "[0.3, 0, 0]", 1e-3);
    advance(s, 0.2);
    const size_t size = clv_sim_saved_size(s);
    void *bytes = malloc(size);
    assert_non_null(bytes);
    clv_sim_save(s, bytes);
    clv_sim *other = start(m, 1e-3);
    assert_int_equal(clv_sim_load(other, bytes, size), CLV_OK);
    advance(s, 0.5), advance(other, 0.5);
    assert_memory_equal(clv_sim_position(s), clv_sim_position(other), 6 * sizeof(double));
    assert_memory_equal(clv_sim_velocity(s), clv_sim_velocity(other), 12 * sizeof(double));
    assert_true(effort(s) == effort(other));
    free(bytes);
    clv_sim_destroy(s), clv_sim_destroy(other), clv_model_destroy(m);
}

/* T154.4: a ram that a crank drives through a loop, or a motion alone, against a plane.  Free of it the run goes on. */
static void motions_into_a_plane_end_the_run(void **state)
{
    static const char *const ram[] = {
        "  ram: {mass: 3, inertia: from shape, shape: {box: [0.06, 0.06, 0.06]}}\n"
        "joints:\n  guide: {kind: prismatic, between: [ground, ram], at: [0, 0, 0], axis: [1, 0, 0]}\n"
        "motions: {m: {joint: guide, amplitude: 0.1, frequency: 5}}\n",
        "  ram: {mass: 3, inertia: from shape, shape: {box: [0.06, 0.06, 0.06]}}\n"
        "  crank: {mass: 1, com: [0.05, 0, 0], inertia: [0.01, 0.01, 0.01]}\n"
        "  rod: {mass: 1, com: [0.15, 0, 0], inertia: [0.01, 0.01, 0.01]}\n"
        "joints:\n  main: {kind: revolute, between: [ground, crank], at: [-0.3, 0, 0], axis: [0, 0, 1]}\n"
        "  pin: {kind: revolute, between: [crank, rod], at: [-0.3, 0.1, 0], axis: [0, 0, 1]}\n"
        "  wrist: {kind: revolute, between: [rod, ram], at: [0, 0, 0], axis: [0, 0, 1]}\n"
        "  guide: {kind: prismatic, between: [ground, ram], at: [0, 0, 0], axis: [1, 0, 0]}\n"
        "motions: {m: {joint: main, rate: -5}}\n"
        "start: {bodies: {crank: {position: [-0.3, 0, 0], orientation: {axis: [0, 0, 1], angle: 90 deg}}, "
        "rod: {position: [-0.3, 0.1, 0], orientation: {axis: [0, 0, 1], angle: -0.3217505543966422}}}}\n"};
    (void)state;
    for (int k = 0; k < 4; k++) {
        char text[2000];
        snprintf(text, sizeof text,
                 "cleave: 1\nbodies:\n%sforces: {wall: {kind: contact, between: [ground, ram], normal: [-1, 0, 0], "
                 "point: [%g, 0, 0], restitution: 0, dynamic_friction: 0.3}}\n",
                 ram[k / 2], k % 2 ? 0.2 : 0.06);
        clv_model *m = read(text);
        clv_sim *s = start(m, 1e-3);
        const clv_status st = clv_sim_advance(s, 1);
        if (k % 2)
            assert_int_equal(st, CLV_OK);
        else {
            const clv_error *e = clv_sim_error(s);
            assert_int_equal(st, CLV_ERR_INCONSISTENT);
            assert_non_null(strstr(e->message, "contact 'wall': at t = "));
            assert_string_equal(e->body, "ram");
            assert_true(clv_sim_position(s)[0] < 0.0302 && e->time > 0);
        }
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_sticks_to_a_table),
        cmocka_unit_test(a_belt_takes_a_box_up),
        cmocka_unit_test(a_box_slips_and_sticks_by_an_input),
        cmocka_unit_test(a_box_leaves_a_table_and_lands),
        cmocka_unit_test(a_jump_of_the_rate_is_an_impact),
        cmocka_unit_test(motions_have_order_two),
        cmocka_unit_test(work_of_drives_is_in_the_account),
        cmocka_unit_test(outputs_have_the_forces_of_contacts),
        cmocka_unit_test(a_saved_state_goes_on),
        cmocka_unit_test(motions_into_a_plane_end_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
