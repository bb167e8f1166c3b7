/* SPDX-License-Identifier: Apache-2.0
 * Events that release joints, attach bodies and end runs (T95), and saved states across them (T96): closed forms of
 * impulses and flights, momenta that are kept, loops that close, by every formulation; what repeats, and what never
 * ends. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cleave/cleave.h"
#include "near.h"
#include "running.h"

#define OK(call) assert_int_equal(call, CLV_OK)

static const char *const formulation[] = {"hdca", "dca", "connection", "massmatrix", "aldca", "index3"};
enum { FORMULATIONS = sizeof formulation / sizeof *formulation, STEPS = 5 };

static clv_model *empty(double gravity)
{
    clv_model *m;
    const double g[3] = {0, -gravity, 0};
    OK(clv_model_create(&m, "topology"));
    OK(clv_model_set_gravity(m, g));
    return m;
}

static clv_body_desc body(const char *name, double mass, double inertia)
{
    clv_body_desc b = clv_body_desc_default();
    b.name = name, b.mass = mass;
    b.inertia[0] = 0.7 * inertia, b.inertia[1] = 0.9 * inertia, b.inertia[2] = inertia;
    return b;
}

static int add_link(clv_model *m, const char *name, double mass, double length, double inertia)
{
    int index;
    clv_body_desc b = body(name, mass, inertia);
    b.com[0] = 0.5 * length;
    OK(clv_model_add_body(m, &index, &b));
    return index;
}

static int add_hinge(clv_model *m, const char *name, int a, int b, double at, double q, double u)
{
    int index;
    clv_joint_desc j = clv_joint_desc_default(CLV_JOINT_REVOLUTE);
    j.name = name, j.a = a, j.b = b, j.position_a[0] = at;
    j.has_q = j.has_u = true, j.q[0] = q, j.u[0] = u;
    OK(clv_model_add_joint(m, &index, &j));
    return index;
}

static clv_event_desc at_time(const char *name, double time, clv_action action)
{
    clv_event_desc e = clv_event_desc_default();
    e.name = name, e.time = time, e.action = action;
    return e;
}

static clv_event_desc of_joint(const char *name, clv_condition condition, int joint, bool below, double value)
{
    clv_event_desc e = clv_event_desc_default();
    e.name = name, e.condition = condition, e.joint = joint, e.below = below, e.value = value;
    return e;
}

static void add(clv_model *m, const clv_event_desc *e) { OK(clv_model_add_event(m, NULL, e)); }

static clv_sim *start(const clv_model *m, int f, double rtol)
{
    clv_sim *s;
    clv_sim_options o = clv_sim_options_default();
    o.formulation = formulation[f], o.rtol = o.atol = rtol, o.step = f == STEPS ? 1e-4 : 0;
    const clv_status st = clv_sim_create(&s, m, &o);
    if (st != CLV_OK)
        print_error("%s: %s\n", o.formulation, clv_sim_error(s)->message);
    OK(st);
    return s;
}

static clv_event_result event_of(const clv_sim *s, int i)
{
    clv_event_result r;
    assert_true(clv_sim_event(s, i, &r));
    return r;
}

static double kinetic_of(const clv_sim *s)
{
    double kinetic;
    clv_sim_energy(s, &kinetic, NULL, NULL);
    return kinetic;
}

/* ------------------------------------------------------------------ ends */

/* A stone falls past a mark on a post: their distance is sqrt(h^2 + 0.3^2). */
static void a_distance_ends_the_run(void **state)
{
    const double h = 0.4, below = 0.5, g = 9.81;
    (void)state;
    for (int f = 0; f < FORMULATIONS - 1; f++) {
        clv_model *m = empty(g);
        const double fall = 1 - h, end = sqrt(2 * fall / g);
        clv_body_desc b = body("stone", 2, 0.1);
        b.placed = true, b.position[0] = 0.3, b.position[1] = 1;
        OK(clv_model_add_body(m, NULL, &b));
        clv_joint_desc j = clv_joint_desc_default(CLV_JOINT_FIXED);
        clv_marker_desc mark = clv_marker_desc_default();
        b = body("post", 1, 0.1);
        OK(clv_model_add_body(m, &j.b, &b));
        j.name = "foot";
        OK(clv_model_add_joint(m, NULL, &j));
        mark.name = "mark", mark.body = 1;
        OK(clv_model_add_marker(m, NULL, &mark));
        mark.name = "middle", mark.body = 0;
        OK(clv_model_add_marker(m, NULL, &mark));
        clv_event_desc e = at_time("near", 0, CLV_ACTION_STOP);
        e.condition = CLV_WHEN_DISTANCE, e.marker[0] = 0, e.marker[1] = 1, e.below = true, e.value = below;
        add(m, &e);
        OK(clv_model_finish(m));
        clv_sim *s = start(m, f, 1e-9);
        advance(s, 0.5 * end);
        assert_int_equal(clv_sim_stopped(s), -1);
        assert_int_equal(clv_sim_advance(s, 2), CLV_STOPPED);
        assert_int_equal(clv_sim_stopped(s), 0);
        assert_non_null(strstr(clv_sim_error(s)->message, "'near'"));
        CLV_NEAR(event_of(s, 0).time, end, 1e-12);
        assert_true(clv_sim_time(s) == event_of(s, 0).time);
        CLV_NEAR(clv_sim_position(s)[1], h, 1e-12);
        assert_int_equal(clv_sim_advance(s, 2), CLV_STOPPED); /* and again */
        assert_int_equal(clv_sim_step(s, 2), CLV_STOPPED);
        advance(s, clv_sim_time(s));
        clv_sim_destroy(s);
        clv_model_destroy(m);
    }
}

/* ------------------------------------------------------------------ releases */

/* A pendulum is let go: it flies off with the velocity that it has, and turns on at a constant rate. */
static void a_released_pendulum_flies(void **state)
{
    const double length = 0.8, g = 9.81, when = 0.3;
    (void)state;
    for (int f = 0; f < FORMULATIONS; f++) {
        clv_model *m = empty(g);
        add_hinge(m, "pivot", CLV_GROUND, add_link(m, "rod", 1.5, length, 0.1), 0, -0.2, 1);
        clv_event_desc e = at_time("let go", when, CLV_ACTION_RELEASE);
        e.release = "pivot";
        add(m, &e);
        OK(clv_model_finish(m));
        clv_sim *s = start(m, f, 1e-10);
        advance(s, when);
        double x[3], V[6], t = 0.5;
        memcpy(x, clv_sim_position(s), sizeof x), memcpy(V, clv_sim_velocity(s), sizeof V);
        advance(s, when + t);
        const double *y = clv_sim_position(s), *W = clv_sim_velocity(s);
        CLV_NEAR(y[0], x[0] + t * V[0], 1e-8);
        CLV_NEAR(y[1], x[1] + t * V[1] - 0.5 * g * t * t, 1e-8);
        CLV_NEAR(W[0], V[0], 1e-8);
        CLV_NEAR(W[1], V[1] - g * t, 1e-8);
        CLV_NEAR(W[5], V[5], 1e-8);
        assert_true(event_of(s, 0).happened && event_of(s, 0).impulse == 0 && event_of(s, 0).energy_lost == 0);
        clv_joint_result r;
        OK(clv_sim_joint(s, 0, &r));
        assert_true(r.nq == 1 && isnan(r.q[0]) && isnan(r.u[0]) && r.force[1] == 0);
        double q[7], u[6];
        OK(clv_sim_coordinates(s, q, u));
        assert_true(isnan(q[0]) && isnan(u[0]));
        clv_sim_destroy(s);
        clv_model_destroy(m);
    }
}

/* A latch that opens again leaves the joint as free as it was: the motion is that of a pendulum started there. */
static void a_latch_opens_again(void **state)
{
    (void)state;
    for (int f = 0; f < FORMULATIONS; f++) {
        clv_model *m = empty(9.81), *plain = empty(9.81);
        add_hinge(m, "pivot", CLV_GROUND, add_link(m, "rod", 1.5, 0.8, 0.1), 0, 0.3, -1);
        add_hinge(plain, "pivot", CLV_GROUND, add_link(plain, "rod", 1.5, 0.8, 0.1), 0, -0.5, 0);
        clv_event_desc e = of_joint("latch", CLV_WHEN_COORDINATE, 0, true, -0.5);
        e.lock = 0;
        add(m, &e);
        e = at_time("open", 1.25, CLV_ACTION_RELEASE), e.release = "latch";
        add(m, &e);
        OK(clv_model_finish(m));
        OK(clv_model_finish(plain));
        clv_sim *s = start(m, f, 1e-10), *reference = start(plain, f, 1e-10);
        clv_joint_result a, b;
        advance(s, 1.2);
        OK(clv_sim_joint(s, 0, &a));
        CLV_NEAR(a.q[0], -0.5, f == STEPS ? 1e-7 : 1e-11);
        CLV_NEAR(a.u[0], 0, 1e-12);
        advance(s, 1.25 + 0.4), advance(reference, 0.4);
        OK(clv_sim_joint(s, 0, &a));
        OK(clv_sim_joint(reference, 0, &b));
        CLV_NEAR(a.q[0], b.q[0], 1e-7);
        CLV_NEAR(a.u[0], b.u[0], 1e-6);
        clv_sim_report report;
        clv_sim_summary(s, &report);
        assert_true(report.max_energy_drift < 1e-5);
        clv_sim_destroy(s), clv_sim_destroy(reference);
        clv_model_destroy(m), clv_model_destroy(plain);
    }
}

/* ------------------------------------------------------------------ bolts that break */

/* A rod falls from the horizontal.  Its pin carries m w^2 l/2 + m g sin along it and m (g cos - w' l/2) across. */
static void a_pin_breaks_at_its_strength(void **state)
{
    const double mass = 1.5, length = 0.8, J = 0.1, g = 9.81, about = J + mass * length * length / 4, angle = 0.7;
    const double k = mass * length * length / 4 / about; /* along the rod m g sin (1 + 2 k), across m g cos (1 - k) */
    const double strength = mass * g * hypot(sin(angle) * (1 + 2 * k), cos(angle) * (1 - k));
    (void)state;
    for (int f = 0; f < FORMULATIONS; f++) {
        clv_model *m = empty(g);
        add_hinge(m, "pin", CLV_GROUND, add_link(m, "rod", mass, length, J), 0, 0, 0);
        clv_event_desc e = of_joint("break", CLV_WHEN_FORCE, 0, false, strength);
        e.action = CLV_ACTION_RELEASE, e.release = "pin";
        add(m, &e);
        OK(clv_model_finish(m));
        clv_sim *s = start(m, f, 1e-10);
        advance(s, 1);
        assert_true(event_of(s, 0).happened);
        clv_sim *again = start(m, f, 1e-10);
        advance(again, event_of(s, 0).time);
        clv_joint_result r;
        OK(clv_sim_joint(again, 0, &r));
        CLV_NEAR(r.q[0], -angle, f == STEPS ? 1e-6 : 1e-8);
        CLV_NEAR(hypot(r.force[0], r.force[1]), strength, f == STEPS ? 1e-4 : 1e-7);
        clv_sim_destroy(s), clv_sim_destroy(again);
        clv_model_destroy(m);
    }
}

/* A uniform beam on a pin and a rod: when the rod is cut, the pin has a quarter of the weight at once, and half before.
 * So an event that waits for less than 0.4 of it comes at that very time. */
static void reactions_jump_where_a_rod_is_cut(void **state)
{
    const double mass = 2, g = 9.81;
    (void)state;
    for (int f = 0; f < FORMULATIONS; f++) {
        clv_model *m = empty(g);
        const int beam = add_link(m, "beam", mass, 1, mass / 12);
        add_hinge(m, "pin", CLV_GROUND, beam, 0, 0, 0);
        clv_joint_desc rod = clv_joint_desc_default(CLV_JOINT_DISTANCE);
        rod.name = "rod", rod.a = CLV_GROUND, rod.b = beam, rod.distance = 1;
        rod.position_a[0] = rod.position_a[1] = rod.position_b[0] = 1;
        OK(clv_model_add_joint(m, NULL, &rod));
        clv_event_desc e = at_time("cut", 0.5, CLV_ACTION_RELEASE);
        e.release = "rod";
        add(m, &e);
        e = of_joint("light", CLV_WHEN_FORCE, 0, true, 0.4 * mass * g), e.action = CLV_ACTION_STOP;
        add(m, &e);
        OK(clv_model_finish(m));
        clv_sim *s = start(m, f, 1e-9);
        clv_joint_result r;
        OK(clv_sim_joint(s, 0, &r));
        CLV_NEAR(r.force[1], 0.5 * mass * g, 1e-9);
        assert_int_equal(clv_sim_advance(s, 1), CLV_STOPPED);
        assert_true(event_of(s, 0).time == 0.5 && event_of(s, 1).time == 0.5);
        OK(clv_sim_joint(s, 0, &r));
        CLV_NEAR(r.force[1], 0.25 * mass * g, 1e-9);
        clv_sim_destroy(s);
        clv_model_destroy(m);
    }
}

/* ------------------------------------------------------------------ attachments */

/* A satellite that spins, and a spinning piece beside it. */
static clv_model *two_in_space(clv_joint_kind kind)
{
    clv_model *m = empty(0);
    clv_body_desc b = body("hub", 12, 5);
    b.moving = true, b.velocity[0] = 0.1, b.velocity[2] = -0.2;
    b.angular_velocity[0] = 0.3, b.angular_velocity[1] = -0.1, b.angular_velocity[2] = 0.7;
    OK(clv_model_add_body(m, NULL, &b));
    add_hinge(m, "shoulder", 0, add_link(m, "arm", 2, 1, 0.3), 0.5, 0.4, -0.2);
    b = body("piece", 4, 0.6);
    b.placed = b.moving = true, b.position[0] = 2, b.position[1] = 0.3, b.position[2] = -0.2;
    b.velocity[0] = -0.5, b.velocity[1] = 0.2, b.angular_velocity[0] = 1.1, b.angular_velocity[2] = -0.8;
    OK(clv_model_add_body(m, NULL, &b));
    clv_event_desc e = at_time("grasp", 0.5, CLV_ACTION_ATTACH);
    e.kind = kind, e.a = 1, e.b = 2, e.position[0] = 1, e.axis[1] = 1;
    add(m, &e);
    e = at_time("let go", 1, CLV_ACTION_RELEASE), e.release = "grasp";
    add(m, &e);
    OK(clv_model_finish(m));
    return m;
}

static void a_grasp_keeps_momentum(void **state)
{
    static const clv_joint_kind kind[] = {CLV_JOINT_FIXED,     CLV_JOINT_REVOLUTE,  CLV_JOINT_PRISMATIC,
                                          CLV_JOINT_UNIVERSAL, CLV_JOINT_SPHERICAL, CLV_JOINT_CYLINDRICAL,
                                          CLV_JOINT_PLANAR,    CLV_JOINT_POINT};
    (void)state;
    for (size_t k = 0; k < sizeof kind / sizeof *kind; k++) {
        double end[3] = {NAN, NAN, NAN};
        for (int f = 0; f < FORMULATIONS - 1; f++) {
            clv_model *m = two_in_space(kind[k]);
            clv_sim *s = start(m, f, 1e-12);
            clv_momentum before, after;
            advance(s, 0.5);
            assert_false(event_of(s, 0).happened);
            const double energy = kinetic_of(s);
            clv_sim_momentum(s, &before);
            OK(clv_sim_step(s, 0.5 + 1e-6));
            advance(s, 0.5 + 1e-9);
            clv_sim_momentum(s, &after);
            const clv_event_result r = event_of(s, 0);
            for (int i = 0; i < 3; i++) {
                CLV_NEAR(after.linear[i], before.linear[i], 1e-12);
                CLV_NEAR(after.angular[i], before.angular[i], 1e-12);
            }
            CLV_NEAR(energy - kinetic_of(s), r.energy_lost, 1e-7);
            assert_true(r.happened && r.count == 1 && r.time == 0.5 && r.energy_lost > 0);
            assert_true(r.impulse > 0 && isnan(r.q));
            double kinetic, potential, work;
            clv_sim_energy(s, &kinetic, &potential, &work);
            CLV_NEAR(-work, r.energy_lost, 1e-11);
            advance(s, 0.9);
            clv_joint_result j;
            OK(clv_sim_joint(s, 1, &j));
            assert_true(isfinite(j.force[0]));
            advance(s, 1.5);
            clv_sim_momentum(s, &after);
            for (int i = 0; i < 3; i++) {
                CLV_NEAR(after.angular[i], before.angular[i], 1e-10);
                end[i] = f == 0 ? clv_sim_position(s)[6 + i] : end[i];
                CLV_NEAR(clv_sim_position(s)[6 + i], end[i], f == 4 ? 1e-7 : 1e-9);
            }
            clv_sim_destroy(s);
            clv_model_destroy(m);
        }
    }
}

/* Two discs in a plane, joined rigidly: velocity of the common centre of mass and spin follow from both momenta, the
 * impulse from the change of one of them. */
static void two_discs_join_in_closed_form(void **state)
{
    const double m1 = 3, m2 = 2, J1 = 0.4, J2 = 0.7, w1 = 2, w2 = -1.5, d = 1.2, v1 = 0.3, v2 = -0.4, t = 0.25;
    const double reduced = m1 * m2 / (m1 + m2), v = v2 - v1; /* across the line between the centres */
    const double w = (J1 * w1 + J2 * w2 + reduced * d * v) / (J1 + J2 + reduced * d * d);
    const double impulse = reduced * (w * d - v);
    (void)state;
    for (int f = 0; f < FORMULATIONS; f++) {
        clv_model *m = empty(0);
        for (int i = 0; i < 2; i++) {
            clv_body_desc b = body(i ? "second" : "first", i ? m2 : m1, i ? J2 : J1);
            b.placed = b.moving = true, b.position[0] = i ? d : 0, b.angular_velocity[2] = i ? w2 : w1;
            b.position[1] = -t * (i ? v2 : v1), b.velocity[1] = i ? v2 : v1; /* at the event both are at y = 0 */
            OK(clv_model_add_body(m, NULL, &b));
        }
        clv_event_desc e = at_time("join", t, CLV_ACTION_ATTACH);
        e.a = 0, e.b = 1;
        add(m, &e);
        OK(clv_model_finish(m));
        clv_sim *s = start(m, f, 1e-12);
        advance(s, t);
        advance(s, t + 1e-9);
        const clv_event_result r = event_of(s, 0);
        CLV_NEAR(clv_sim_velocity(s)[5], w, 1e-10);
        CLV_NEAR(clv_sim_velocity(s)[11], w, 1e-10);
        CLV_NEAR(fabs(r.linear[1]), fabs(impulse), 1e-11);
        CLV_NEAR(r.linear[1], impulse, 1e-11); /* on the second, b */
        CLV_NEAR(r.impulse, fabs(impulse), 1e-11);
        const double before = 0.5 * (J1 * w1 * w1 + J2 * w2 * w2 + reduced * v * v);
        CLV_NEAR(r.energy_lost, before - 0.5 * (J1 + J2 + reduced * d * d) * w * w, 1e-11);
        clv_sim_destroy(s);
        clv_model_destroy(m);
    }
}

/* A chain of three links hangs from the ground; its tip is attached to the ground by a hinge, which closes a loop with
 * redundant rows, and is let go again. */
static clv_model *chain_that_closes(void)
{
    clv_model *m = empty(9.81);
    int last = CLV_GROUND;
    static const char *const name[] = {"a", "b", "c"}, *const hinge[] = {"ha", "hb", "hc"};
    for (int i = 0; i < 3; i++) {
        const int next = add_link(m, name[i], 1 + 0.3 * i, 0.7, 0.05);
        add_hinge(m, hinge[i], last, next, i ? 0.7 : 0, i ? 0.6 : -1.2, 0.4 - 0.5 * i);
        last = next;
    }
    clv_event_desc e = at_time("catch", 0.2, CLV_ACTION_ATTACH);
    e.kind = CLV_JOINT_REVOLUTE, e.a = 2, e.b = CLV_GROUND, e.position[0] = 0.7;
    add(m, &e);
    e = at_time("let go", 0.7, CLV_ACTION_RELEASE), e.release = "catch";
    add(m, &e);
    OK(clv_model_finish(m));
    return m;
}

static void a_loop_closes_and_opens(void **state)
{
    double impulse = NAN, caught[3] = {0}, end[3] = {0};
    (void)state;
    for (int f = 0; f < FORMULATIONS; f++) {
        const double tolerance = f == STEPS ? 1e-5 : 1e-7;
        clv_model *m = chain_that_closes();
        clv_sim *s = start(m, f, 1e-10);
        advance(s, 0.2);
        const double energy = kinetic_of(s);
        advance(s, 0.2 + 1e-9);
        const clv_event_result r = event_of(s, 0);
        CLV_NEAR(energy - kinetic_of(s), r.energy_lost, 1e-6);
        advance(s, 0.6);
        double gap, speed;
        clv_sim_violation(s, &gap, &speed);
        assert_true(gap < 1e-9 && speed < 1e-7);
        for (int i = 0; i < 3; i++) {
            caught[i] = f == 0 ? clv_sim_position(s)[3 + i] : caught[i];
            CLV_NEAR(clv_sim_position(s)[3 + i], caught[i], tolerance);
        }
        advance(s, 1);
        for (int i = 0; i < 3; i++) {
            end[i] = f == 0 ? clv_sim_position(s)[6 + i] : end[i];
            CLV_NEAR(clv_sim_position(s)[6 + i], end[i], 10 * tolerance);
        }
        impulse = f == 0 ? r.impulse : impulse;
        CLV_NEAR(r.impulse, impulse, tolerance);
        clv_sim_report report;
        clv_sim_summary(s, &report);
        assert_true(report.max_energy_drift < (f == STEPS ? 1e-2 : 1e-6));
        clv_sim_destroy(s);
        clv_model_destroy(m);
    }
}

/* ------------------------------------------------------------------ flexible bodies, inputs of motions */

/* A hub with a flexible boom on a hinge, which latches; the tip of the boom then takes hold of a stone. */
static const char boom[] =
    "cleave: 1\n"
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  hub: {mass: 30, inertia: [3, 4, 5]}\n"
    "  boom: {flexible: {beam: {length: 2, density: 60, young: 5e9, shear: 2e9, rectangle: [0.1, 0.03],"
    " modes: {bend_z: 2, bend_y: 1}, nodes: {tip: 2}}, damping_ratio: 0.01, spin_limit: 0}}\n"
    "  stone: {mass: 3, inertia: [0.1, 0.2, 0.3]}\n"
    "joints:\n"
    "  hinge: {kind: revolute, a: {body: hub, position: [0.5, 0, 0]}, b: {body: boom}}\n"
    "events:\n"
    "  latch: {when: {joint: hinge, above: 0.2}, lock: hinge}\n"
    "  grasp: {at: 0.8, attach: [boom.tip, stone], joint: spherical, position: [0.3, 0, 0]}\n"
    "  let go: {at: 1.2, release: grasp}\n"
    "start:\n"
    "  bodies:\n"
    "    hub: {position: [0, 0, 0], angular_velocity: [0, 0, 0.1]}\n"
    "    stone: {position: [2.9, 0.5, 0.2], velocity: [-0.1, 0.2, 0], angular_velocity: [0.3, 0, -0.4]}\n"
    "  joints: {hinge: {q: 0, u: 0.6}}\n";

static void flexible_bodies_take_events(void **state)
{
    double end[3] = {NAN, NAN, NAN}, time = NAN;
    (void)state;
    for (int f = 0; f < FORMULATIONS; f++) {
        const double tolerance = f == STEPS ? 1e-5 : 1e-7;
        clv_model *m;
        OK(clv_model_read_text(&m, boom, sizeof boom - 1, "boom"));
        clv_sim *s = start(m, f, 1e-10);
        const int stone = clv_model_find_body(m, "stone");
        clv_momentum before, after;
        clv_sim_momentum(s, &before);
        advance(s, 0.8);
        const clv_event_result latch = event_of(s, 0);
        assert_true(latch.happened && latch.energy_lost > 0);
        time = f == 0 ? latch.time : time;
        CLV_NEAR(latch.time, time, tolerance);
        const double energy = kinetic_of(s);
        advance(s, 0.8 + 1e-9);
        CLV_NEAR(energy - kinetic_of(s), event_of(s, 1).energy_lost, 1e-6);
        advance(s, 1.6);
        clv_sim_momentum(s, &after);
        clv_sim_report report;
        clv_sim_summary(s, &report);
        assert_true(report.max_energy_drift < (f == STEPS ? 1e-3 : 1e-6));
        for (int i = 0; i < 3; i++) {
            CLV_NEAR(after.linear[i], before.linear[i], f == STEPS ? 1e-6 : 1e-9);
            CLV_NEAR(after.angular[i], before.angular[i], f == STEPS ? 1e-5 : 1e-8);
            end[i] = f == 0 ? clv_sim_position(s)[3 * stone + i] : end[i];
            CLV_NEAR(clv_sim_position(s)[3 * stone + i], end[i], 10 * tolerance);
        }
        clv_sim_destroy(s);
        clv_model_destroy(m);
    }
}

/* Two arms side by side: what an input has added to the motion of one continues where the other is locked. */
static void inputs_of_motions_take_events(void **state)
{
    const double rate = 0.5, a = 2, b = -1;
    (void)state;
    for (int f = 0; f < FORMULATIONS - 1; f++) {
        clv_model *m = empty(0);
        for (int i = 0; i < 2; i++)
            add_hinge(m, i ? "driven" : "other", CLV_GROUND, add_link(m, i ? "arm" : "rod", 1, 0.5, 0.1), 0, 0,
                      i ? rate : 1);
        clv_motion_desc x = clv_motion_desc_default();
        x.name = "motor", x.joint = 1, x.rate = rate;
        OK(clv_model_add_motion(m, NULL, &x));
        clv_input_desc in = clv_input_desc_default(CLV_INPUT_MOTION);
        in.name = "speed up", in.motion = 0;
        OK(clv_model_add_input(m, NULL, &in));
        clv_event_desc e = of_joint("latch", CLV_WHEN_COORDINATE, 0, false, 0.75);
        e.lock = 0;
        add(m, &e);
        OK(clv_model_finish(m));
        clv_sim *s = start(m, f, 1e-9);
        advance(s, 0.25);
        OK(clv_sim_set_input(s, 0, a));
        advance(s, 1); /* the latch comes at 0.75 */
        assert_true(event_of(s, 0).happened);
        OK(clv_sim_set_input(s, 0, b));
        advance(s, 1.5);
        clv_joint_result r;
        OK(clv_sim_joint(s, 1, &r));
        CLV_NEAR(r.u[0], rate + 0.75 * a + 0.5 * b, 1e-10);
        CLV_NEAR(r.q[0], 1.5 * rate + 0.5 * a * 0.75 * 0.75 + 0.75 * a * 0.5 + 0.5 * b * 0.25, 1e-10);
        clv_sim_destroy(s);
        clv_model_destroy(m);
    }
}

/* ------------------------------------------------------------------ again and again */

/* A ratchet: a falling block is caught when it is too fast, and freed at once since it is slow then. */
static clv_model *ratchet(double fast, double slow)
{
    clv_model *m = empty(9.81);
    clv_joint_desc j = clv_joint_desc_default(CLV_JOINT_PRISMATIC);
    clv_body_desc b = body("block", 2, 0.1);
    OK(clv_model_add_body(m, &j.b, &b));
    j.name = "slide", j.orientation_a[0] = j.orientation_a[1] = sqrt(0.5); /* z of the joint is -y */
    OK(clv_model_add_joint(m, NULL, &j));
    clv_event_desc e = of_joint("catch", CLV_WHEN_RATE, 0, false, fast);
    e.lock = 0, e.again = true;
    add(m, &e);
    e = of_joint("free", CLV_WHEN_RATE, 0, true, slow), e.again = true, e.action = CLV_ACTION_RELEASE;
    e.release = "catch";
    add(m, &e);
    OK(clv_model_finish(m));
    return m;
}

static void a_ratchet_repeats(void **state)
{
    const double fast = 0.5, g = 9.81, period = fast / g;
    (void)state;
    for (int f = 0; f < FORMULATIONS - 1; f++) {
        clv_model *m = ratchet(fast, 0.1);
        clv_sim *s = start(m, f, 1e-9);
        clv_joint_result down;
        OK(clv_sim_joint(s, 0, &down));
        assert_true(down.udot[0] > 0); /* it falls along the slide */
        advance(s, 10.5 * period);
        assert_int_equal(event_of(s, 0).count, 10);
        assert_int_equal(event_of(s, 1).count, 10);
        CLV_NEAR(event_of(s, 0).time, 10 * period, 1e-12);
        assert_true(event_of(s, 1).time == event_of(s, 0).time);
        CLV_NEAR(event_of(s, 0).impulse, -2 * fast, 1e-11);
        CLV_NEAR(event_of(s, 0).energy_lost, 0.5 * 2 * fast * fast, 1e-11);
        clv_joint_result r;
        OK(clv_sim_joint(s, 0, &r));
        CLV_NEAR(r.q[0], 10.25 * 0.5 * g * period * period, 1e-11);
        clv_sim_destroy(s);
        clv_model_destroy(m);
    }
}

/* Two values too near to each other: the run ends with the name of the event, and soon. */
static void chattering_is_named(void **state)
{
    (void)state;
    clv_model *m = ratchet(1e-8, 5e-9);
    clv_sim *s = start(m, 0, 1e-9);
    assert_int_equal(clv_sim_advance(s, 1), CLV_ERR_NO_CONVERGENCE);
    const clv_error *e = clv_sim_error(s);
    assert_non_null(strstr(e->message, "'catch'"));
    assert_non_null(strstr(e->message, "without end"));
    assert_true(e->time < 1e-6 && *e->hint);
    assert_int_equal(clv_sim_advance(s, 1), CLV_ERR_NO_CONVERGENCE);
    clv_sim_destroy(s);
    clv_model_destroy(m);
}

/* ------------------------------------------------------------------ saved states */

static void same_views(const clv_model *m, clv_sim *a, clv_sim *b)
{
    const size_t n = (size_t)clv_model_body_count(m);
    assert_true(clv_sim_time(a) == clv_sim_time(b));
    assert_memory_equal(clv_sim_position(a), clv_sim_position(b), 3 * n * sizeof(double));
    assert_memory_equal(clv_sim_velocity(a), clv_sim_velocity(b), 6 * n * sizeof(double));
    for (int i = 0; i < clv_model_event_count(m); i++) {
        const clv_event_result x = event_of(a, i), y = event_of(b, i);
        assert_true(x.happened == y.happened && x.count == y.count);
        assert_memory_equal(&x.time, &y.time, sizeof x.time);
        assert_memory_equal(&x.impulse, &y.impulse, sizeof x.impulse);
        assert_memory_equal(x.angular, y.angular, sizeof x.angular);
    }
}

/* Saved at a time and loaded into a new simulation, and into one that is somewhere else: the same bits follow. */
static void continue_from(const clv_model *m, const clv_sim_options *o, double time, double end, bool stops)
{
    clv_sim *whole, *new, *other;
    OK(clv_sim_create(&whole, m, o));
    OK(clv_sim_create(&new, m, o));
    OK(clv_sim_create(&other, m, o));
    OK(clv_sim_advance(whole, time));
    const size_t size = clv_sim_saved_size(whole);
    assert_true(size > 0);
    char *bytes = malloc(size + 1);
    clv_sim_save(whole, bytes + 1); /* not aligned */
    const clv_status last = clv_sim_advance(whole, end);
    assert_int_equal(last, stops ? CLV_STOPPED : CLV_OK);
    const clv_status st = clv_sim_load(new, bytes + 1, size);
    if (st != CLV_OK)
        print_error("%s\n", clv_sim_error(new)->message);
    OK(st);
    assert_true(clv_sim_time(new) == time);
    assert_int_equal(clv_sim_advance(new, end), last);
    same_views(m, whole, new);
    (void)clv_sim_advance(other, end); /* beyond all events, and back */
    OK(clv_sim_load(other, bytes + 1, size));
    assert_int_equal(clv_sim_advance(other, end), last);
    same_views(m, whole, other);
    bytes[size / 2] ^= 1;
    assert_int_equal(clv_sim_load(other, bytes + 1, size), CLV_ERR_USAGE);
    free(bytes);
    clv_sim_destroy(whole), clv_sim_destroy(new), clv_sim_destroy(other);
}

static void saved_states_cross_events(void **state)
{
    static const struct {
        const char *formulation, *integrator;
        double step;
    } way[] = {{"hdca", "dopri5", 0}, {"dca", "adams", 0},     {"massmatrix", "rk4", 1e-2}, {"connection", "bs23", 0},
               {"aldca", "dopri5", 0}, {"index3", NULL, 1e-3}, {"hdca", "gauss4", 1e-2}};
    static const double time[] = {0.1, 0.2, 0.2 + 1e-9, 0.35, 0.7, 0.7 + 1e-9, 0.85};
    (void)state;
    for (size_t i = 0; i < sizeof way / sizeof *way; i++)
        for (size_t k = 0; k < sizeof time / sizeof *time; k++) {
            clv_model *m = chain_that_closes();
            clv_sim_options o = clv_sim_options_default();
            o.formulation = way[i].formulation, o.integrator = way[i].integrator, o.step = way[i].step;
            o.rtol = 1e-7;
            continue_from(m, &o, time[k], 0.95, false);
            clv_model_destroy(m);
        }
    clv_model *m = ratchet(0.5, 0.1);
    clv_sim_options o = clv_sim_options_default();
    continue_from(m, &o, 0.2, 0.4, false);
    clv_model_destroy(m);
    for (size_t k = 0; k < 3; k++) {
        OK(clv_model_read_text(&m, boom, sizeof boom - 1, "boom"));
        continue_from(m, &o, 0.5 + 0.4 * (double)k, 1.6, false);
        clv_model_destroy(m);
    }
}

/* A state that is saved after the end stays at it; one of another model is refused. */
static void a_saved_end_is_an_end(void **state)
{
    (void)state;
    clv_model *m = empty(9.81);
    add_hinge(m, "pivot", CLV_GROUND, add_link(m, "rod", 1.5, 0.8, 0.1), 0, 0.3, -1);
    clv_event_desc e = of_joint("latch", CLV_WHEN_COORDINATE, 0, true, -0.5);
    e.lock = 0;
    add(m, &e);
    e = at_time("end", 1, CLV_ACTION_STOP);
    add(m, &e);
    OK(clv_model_finish(m));
    clv_sim_options o = clv_sim_options_default();
    continue_from(m, &o, 0.7, 1.5, true);
    clv_sim *s = start(m, 0, 1e-6), *new = start(m, 0, 1e-6);
    assert_int_equal(clv_sim_advance(s, 2), CLV_STOPPED);
    const size_t size = clv_sim_saved_size(s);
    char *bytes = malloc(size);
    clv_sim_save(s, bytes);
    OK(clv_sim_load(new, bytes, size));
    assert_int_equal(clv_sim_stopped(new), 1);
    assert_true(clv_sim_time(new) == 1);
    assert_int_equal(clv_sim_advance(new, 2), CLV_STOPPED);
    clv_model *other = chain_that_closes();
    clv_sim *stranger = start(other, 0, 1e-6);
    assert_int_equal(clv_sim_load(stranger, bytes, size), CLV_ERR_USAGE);
    free(bytes);
    clv_sim_destroy(s), clv_sim_destroy(new), clv_sim_destroy(stranger);
    clv_model_destroy(m), clv_model_destroy(other);
}

/* ------------------------------------------------------------------ what is refused */

static void refused(const clv_event_desc *e, const char *word)
{
    clv_model *m = empty(9.81);
    const int rod = add_link(m, "rod", 1.5, 0.8, 0.1), tip = add_link(m, "tip", 1, 0.5, 0.1);
    add_hinge(m, "pivot", CLV_GROUND, rod, 0, 0.3, -1), add_hinge(m, "elbow", rod, tip, 0.8, 0, 0);
    clv_motion_desc x = clv_motion_desc_default();
    x.name = "motor", x.joint = 1, x.rate = 1;
    OK(clv_model_add_motion(m, NULL, &x));
    clv_event_desc latch = at_time("latch", 1, CLV_ACTION_LOCK);
    latch.lock = 0;
    add(m, &latch);
    clv_status st = clv_model_add_event(m, NULL, e);
    if (st == CLV_OK)
        st = clv_model_finish(m);
    assert_int_equal(st, CLV_ERR_MODEL);
    if (!strstr(clv_model_error(m)->message, word))
        print_error("%s\n", clv_model_error(m)->message);
    assert_non_null(strstr(clv_model_error(m)->message, word));
    clv_model_destroy(m);
}

static void what_is_refused(void **state)
{
    (void)state;
    clv_event_desc e = at_time("e", 1, CLV_ACTION_RELEASE);
    refused(&e, "nothing to release");
    e.release = "nobody", refused(&e, "no event or joint 'nobody'");
    e.release = "elbow", refused(&e, "motion 'motor' acts on it");
    e.release = "pivot", refused(&e, "event 'latch' locks joint 'pivot'");
    e.release = "e", refused(&e, "neither locks nor attaches");
    e.release = "latch", e.again = true, refused(&e, "an event at a given time happens once");
    e = at_time("e", 1, CLV_ACTION_ATTACH);
    refused(&e, "attaches 'ground' to itself");
    e.a = 0, e.b = 0, refused(&e, "attaches 'rod' to itself");
    e.b = 7, refused(&e, "index that does not exist");
    e.b = 1, e.kind = CLV_JOINT_FREE, refused(&e, "by a free joint");
    e.kind = CLV_JOINT_HELICAL, refused(&e, "by a helical joint");
    e.kind = CLV_JOINT_KINDS, refused(&e, "unknown kind");
    e.kind = CLV_JOINT_FIXED, e.axis[2] = 0, refused(&e, "length is zero");
    e.axis[2] = NAN, refused(&e, "not finite");
    e.axis[2] = 1, e.name = "pivot", refused(&e, "'pivot'");
    e = at_time("e", 1, CLV_ACTIONS), refused(&e, "unknown action");
    e = of_joint("e", CLV_WHEN_DISTANCE, 0, true, 1), refused(&e, "two markers");
    e = of_joint("e", CLV_WHEN_KINDS, 0, true, 1), refused(&e, "unknown condition");
    e = of_joint("e", CLV_WHEN_RATE, 0, true, NAN), refused(&e, "not finite");
    e = of_joint("e", CLV_WHEN_RATE, 0, true, 0), e.action = CLV_ACTION_STOP, e.again = true;
    refused(&e, "an event that ends the run happens once");
}

static int no_control(void *user, double time, const double *q, const double *u, double *effort)
{
    (void)user, (void)time, (void)q, (void)u, (void)effort;
    return 0;
}

static void joints_that_come_and_go_take_no_control(void **state)
{
    (void)state;
    clv_model *m = two_in_space(CLV_JOINT_REVOLUTE);
    clv_sim *s = start(m, 0, 1e-6);
    const double q = 0;
    assert_int_equal(clv_sim_set_joint_control(s, 1, no_control, NULL), CLV_ERR_UNSUPPORTED);
    clv_joint_setting set = {.joint = 1, .has_q = true, .q = {q}};
    assert_int_equal(clv_sim_set_joints(s, &set, 1), CLV_ERR_USAGE);
    clv_sim_report report;
    clv_sim_summary(s, &report);
    assert_int_equal(report.joints, 1);
    clv_sim_destroy(s);
    clv_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_distance_ends_the_run),
        cmocka_unit_test(a_released_pendulum_flies),
        cmocka_unit_test(a_latch_opens_again),
        cmocka_unit_test(a_pin_breaks_at_its_strength),
        cmocka_unit_test(reactions_jump_where_a_rod_is_cut),
        cmocka_unit_test(a_grasp_keeps_momentum),
        cmocka_unit_test(two_discs_join_in_closed_form),
        cmocka_unit_test(a_loop_closes_and_opens),
        cmocka_unit_test(flexible_bodies_take_events),
        cmocka_unit_test(inputs_of_motions_take_events),
        cmocka_unit_test(a_ratchet_repeats),
        cmocka_unit_test(chattering_is_named),
        cmocka_unit_test(saved_states_cross_events),
        cmocka_unit_test(a_saved_end_is_an_end),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(joints_that_come_and_go_take_no_control),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
