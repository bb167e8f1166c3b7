/* SPDX-License-Identifier: Apache-2.0
 * Events that lock joints (T60) against closed forms, by every formulation: times, impulses, energy lost, momenta that
 * are kept; loops; the order of events; threads; what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cleave/cleave.h"
#include "near.h"

#define OK(call) assert_int_equal(call, CLV_OK)

static const char *const all_formulations[] = {"hdca", "dca", "connection", "massmatrix", "aldca"};
enum { FORMULATIONS = sizeof all_formulations / sizeof all_formulations[0] };

static int add_body(clv_model *m, const char *name, double mass, double length, double inertia)
{
    int index;
    clv_body_desc b = clv_body_desc_default();
    b.name = name, b.mass = mass, b.com[0] = 0.5 * length;
    b.inertia[0] = 0.7 * inertia, b.inertia[1] = 0.9 * inertia, b.inertia[2] = inertia;
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

static void add_event(clv_model *m, const char *name, int joint, bool below, double value, int lock)
{
    clv_event_desc e = clv_event_desc_default();
    e.name = name, e.joint = joint, e.below = below, e.value = value, e.lock = lock;
    if (joint < 0)
        e.time = value;
    OK(clv_model_add_event(m, NULL, &e));
}

static clv_sim *start_with(const clv_model *m, const clv_sim_options *o)
{
    clv_sim *s;
    const clv_status st = clv_sim_create(&s, m, o);
    if (st != CLV_OK)
        print_error("%s: %s\n", o->formulation, clv_sim_error(s)->message);
    OK(st);
    return s;
}

static clv_sim *start(const clv_model *m, const char *formulation, double rtol)
{
    clv_sim_options o = clv_sim_options_default();
    o.formulation = formulation, o.rtol = rtol;
    return start_with(m, &o);
}

static void advance(clv_sim *s, double t)
{
    const clv_status st = clv_sim_advance(s, t);
    if (st != CLV_OK)
        print_error("%s\n", clv_sim_error(s)->message);
    OK(st);
}

static clv_joint_result joint_of(clv_sim *s, int joint)
{
    clv_joint_result r;
    OK(clv_sim_joint(s, joint, &r));
    return r;
}

static clv_event_result event_of(const clv_sim *s, int i)
{
    clv_event_result r;
    assert_true(clv_sim_event(s, i, &r));
    return r;
}

/* ------------------------------------------------------------------ time */

/* 2 kg that fall h = 0.5 m along a slide */
static void a_fall_is_stopped_at_its_time(void **state)
{
    const double h = 0.5, g = 9.81, t = sqrt(2 * h / g), speed = sqrt(2 * g * h);
    (void)state;
    for (int i = 0; i < FORMULATIONS; i++) {
        clv_model *m;
        OK(clv_model_create(&m, "fall"));
        clv_joint_desc j = clv_joint_desc_default(CLV_JOINT_PRISMATIC);
        j.name = "slide", j.b = add_body(m, "block", 2, 0, 0.1);
        OK(clv_model_add_joint(m, NULL, &j));
        add_event(m, "floor", 0, true, -h, 0);
        OK(clv_model_finish(m));
        clv_sim *s = start(m, all_formulations[i], 1e-9);
        assert_false(event_of(s, 0).happened);
        assert_true(isnan(event_of(s, 0).time));
        advance(s, 1);
        const clv_event_result r = event_of(s, 0);
        assert_true(r.happened);
        CLV_NEAR(r.time, t, 1e-12);
        CLV_NEAR(r.impulse, 2 * speed, 1e-11);
        CLV_NEAR(r.energy_lost, 0.5 * 2 * speed * speed, 1e-11);
        CLV_NEAR(joint_of(s, 0).q[0], -h, 1e-12);
        CLV_NEAR(joint_of(s, 0).u[0], 0, 1e-12);
        CLV_NEAR(joint_of(s, 0).effort[0], 2 * g, 1e-9); /* the lock carries the weight */
        clv_sim_destroy(s);
        clv_model_destroy(m);
    }
}

/* ------------------------------------------------------------------ the impulse */

static const double L1 = 1.1, M1 = 1.3, J1 = 0.2, L2 = 0.8, M2 = 0.7, J2 = 0.06;

static clv_model *double_pendulum(double value, bool below)
{
    clv_model *m;
    OK(clv_model_create(&m, "double pendulum"));
    const double gravity[3] = {0, -9.81, 0};
    OK(clv_model_set_gravity(m, gravity));
    const int first = add_body(m, "first", M1, L1, J1), second = add_body(m, "second", M2, L2, J2);
    add_hinge(m, "shoulder", CLV_GROUND, first, 0, -0.4, 0.3);
    add_hinge(m, "elbow", first, second, L1, -0.9, 2.0);
    add_event(m, "latch", 1, below, value, 1);
    OK(clv_model_finish(m));
    return m;
}

/* mass matrix in relative angles */
static void mass_of(double q2, double M[3])
{
    const double c2 = M2 * L2 * L2 / 4 + J2, x = M2 * L1 * L2 / 2 * cos(q2);
    M[0] = J1 + M1 * L1 * L1 / 4 + M2 * L1 * L1 + c2 + 2 * x, M[1] = c2 + x, M[2] = c2;
}

/* At the latch the angular momentum about the shoulder stays: u1+ = u1 + (M12 / M11) u2. */
static void an_elbow_that_latches_has_its_impulse(void **state)
{
    double reference[2] = {0, 0};
    (void)state;
    for (int i = 0; i < FORMULATIONS; i++) {
        clv_model *m = double_pendulum(0.2, false);
        clv_sim *s = start(m, all_formulations[i], 1e-11);
        advance(s, 1.5);
        const clv_event_result r = event_of(s, 0);
        assert_true(r.happened && r.time > 0.1 && r.time < 1);
        CLV_NEAR(r.q, 0.2, 1e-12);
        const clv_joint_result end = joint_of(s, 0), held = joint_of(s, 1);
        CLV_NEAR(held.q[0], 0.2, 1e-12);
        CLV_NEAR(held.u[0], 0, 1e-12);
        clv_sim *again = start(m, all_formulations[i], 1e-11);
        advance(again, r.time); /* the output at the event is that before it */
        assert_false(event_of(again, 0).happened);
        const double u1 = joint_of(again, 0).u[0], u2 = joint_of(again, 1).u[0];
        double M[3];
        mass_of(0.2, M);
        const double du[2] = {M[1] / M[0] * u2, -u2};
        advance(again, r.time + 1e-9);
        CLV_NEAR(joint_of(again, 0).u[0], u1 + du[0], 1e-7);
        CLV_NEAR(event_of(again, 0).time, r.time, 1e-12);
        CLV_NEAR(r.impulse, M[1] * du[0] + M[2] * du[1], 1e-10);
        CLV_NEAR(r.energy_lost, 0.5 * (M[0] * du[0] * du[0] + 2 * M[1] * du[0] * du[1] + M[2] * du[1] * du[1]), 1e-10);
        if (i == 0)
            reference[0] = r.time, reference[1] = end.q[0];
        CLV_NEAR(r.time, reference[0], 1e-8);
        CLV_NEAR(end.q[0], reference[1], 1e-7);
        clv_sim_report report;
        clv_sim_summary(s, &report);
        assert_true(report.max_energy_drift < 1e-7);
        clv_sim_destroy(s), clv_sim_destroy(again);
        clv_model_destroy(m);
    }
}

/* ------------------------------------------------------------------ momentum */

/* A hub that floats and spins, with two panels that unfold; both latch, one after the other. */
static clv_model *satellite(void)
{
    clv_model *m;
    OK(clv_model_create(&m, "satellite"));
    const double none[3] = {0, 0, 0};
    OK(clv_model_set_gravity(m, none));
    clv_body_desc b = clv_body_desc_default();
    b.name = "hub", b.mass = 12, b.inertia[0] = 3, b.inertia[1] = 4, b.inertia[2] = 5;
    b.moving = true, b.velocity[0] = 0.1, b.velocity[2] = -0.2;
    b.angular_velocity[0] = 0.3, b.angular_velocity[1] = -0.1, b.angular_velocity[2] = 0.7;
    int hub;
    OK(clv_model_add_body(m, &hub, &b));
    const int left = add_body(m, "left", 2, 1.5, 0.4), right = add_body(m, "right", 2.5, 1.2, 0.5);
    add_hinge(m, "port", hub, left, 0.5, -1.2, 0.9);
    add_hinge(m, "starboard", hub, right, -0.5, 2.2, -0.5);
    add_event(m, "latch port", 0, false, 0, 0);
    add_event(m, "latch starboard", 1, false, 3, 1);
    OK(clv_model_finish(m));
    return m;
}

/* across the event itself: to rounding */
static void the_impulse_keeps_momentum(const clv_model *m, const char *formulation, double time)
{
    clv_sim *s = start(m, formulation, 1e-13);
    clv_momentum before, after;
    advance(s, time);
    clv_sim_momentum(s, &before);
    OK(clv_sim_step(s, time + 1e-6)); /* its first step begins after the impulse */
    assert_true(event_of(s, 0).happened);
    advance(s, time + 1e-9);
    clv_sim_momentum(s, &after);
    for (int k = 0; k < 3; k++) {
        CLV_NEAR(after.linear[k], before.linear[k], 1e-12);
        CLV_NEAR(after.angular[k], before.angular[k], 1e-12);
    }
    clv_sim_destroy(s);
}

static void a_satellite_keeps_its_momentum(void **state)
{
    (void)state;
    for (int i = 0; i < FORMULATIONS; i++) {
        clv_model *m = satellite();
        clv_sim *s = start(m, all_formulations[i], 1e-13);
        clv_momentum before, after;
        clv_sim_momentum(s, &before);
        advance(s, 6);
        clv_sim_momentum(s, &after);
        the_impulse_keeps_momentum(m, all_formulations[i], event_of(s, 0).time);
        assert_true(event_of(s, 0).happened && event_of(s, 1).happened);
        assert_true(event_of(s, 0).time != event_of(s, 1).time);
        assert_true(event_of(s, 0).energy_lost > 0 && event_of(s, 1).energy_lost > 0);
        for (int k = 0; k < 3; k++) {
            CLV_NEAR(after.linear[k], before.linear[k], 1e-11);
            CLV_NEAR(after.angular[k], before.angular[k], 1e-11);
        }
        double kinetic, potential, work;
        clv_sim_energy(s, &kinetic, &potential, &work);
        CLV_NEAR(-work, event_of(s, 0).energy_lost + event_of(s, 1).energy_lost, 1e-11);
        clv_sim_destroy(s);
        clv_model_destroy(m);
    }
}

/* ------------------------------------------------------------------ loops */

/* Five bars, ground included, in a closed chain with two degrees of freedom: a latch leaves one.  cut: a joint that
 * closes the loop, or -1. */
static clv_model *five_bar(int lock, int cut)
{
    static const double at[5][2] = {{0, 0}, {0.2, 1}, {1, 1.5}, {1.8, 1}, {2, 0}};
    static const char *const link[] = {"a", "b", "c", "d"}, *const hinge[] = {"h0", "h1", "h2", "h3", "h4"};
    clv_model *m;
    OK(clv_model_create(&m, "five-bar"));
    const double gravity[3] = {0, -9.81, 0};
    OK(clv_model_set_gravity(m, gravity));
    for (int i = 0; i < 4; i++) {
        clv_body_desc b = clv_body_desc_default();
        b.name = link[i], b.mass = 1 + 0.2 * i, b.placed = true;
        b.inertia[0] = b.inertia[1] = b.inertia[2] = 0.1;
        for (int k = 0; k < 2; k++)
            b.com[k] = 0.5 * (at[i][k] + at[i + 1][k]);
        OK(clv_model_add_body(m, NULL, &b));
    }
    for (int i = 0; i < 5; i++) {
        clv_joint_desc j = clv_joint_desc_default(CLV_JOINT_REVOLUTE);
        j.name = hinge[i], j.a = i - 1, j.b = i < 4 ? i : CLV_GROUND, j.global = true;
        if (i == 4)
            j.a = CLV_GROUND, j.b = 3;
        j.at[0] = at[i][0], j.at[1] = at[i][1];
        j.cut = i == cut ? 1 : -1;
        OK(clv_model_add_joint(m, NULL, &j));
    }
    add_event(m, "latch", 0, false, 0.05, lock);
    OK(clv_model_finish(m));
    return m;
}

static double kinetic_of(const clv_sim *s)
{
    double kinetic;
    clv_sim_energy(s, &kinetic, NULL, NULL);
    return kinetic;
}

static const char *const all[] = {"hdca", "dca", "connection", "massmatrix", "aldca", "index3"};

/* Whatever joint of the loop is locked, in the tree or where the loop is closed. */
static void a_loop_stays_closed(void **state)
{
    (void)state;
    for (int lock = 0; lock < 5; lock++) {
        double time = NAN, end = NAN, impulse = NAN;
        for (int i = 0; i < 6; i++) {
            clv_model *m = five_bar(lock, -1);
            clv_sim_options o = clv_sim_options_default();
            const bool steps = i == 5;
            o.formulation = all[i], o.rtol = 1e-10, o.step = steps ? 1e-4 : 0;
            clv_sim *s = start_with(m, &o);
            advance(s, 0.5);
            const clv_event_result r = event_of(s, 0);
            assert_true(r.happened && r.time < 0.4);
            CLV_NEAR(joint_of(s, lock).q[0], r.q, 1e-10);
            clv_sim *again = start_with(m, &o);
            advance(again, r.time);
            const double before = kinetic_of(again);
            clv_joint_result q = joint_of(again, lock);
            CLV_NEAR(q.q[0], r.q, 1e-10);
            advance(again, r.time + 1e-10);
            CLV_NEAR(before - kinetic_of(again), r.energy_lost, 1e-7);
            assert_true(r.energy_lost > 0);
            double gap, speed;
            clv_sim_violation(s, &gap, &speed);
            assert_true(gap < 1e-9 && speed < 1e-8);
            const double q2 = joint_of(s, lock == 2 ? 1 : 2).q[0];
            if (i == 0)
                time = r.time, end = q2, impulse = r.impulse;
            CLV_NEAR(r.time, time, steps ? 1e-6 : 1e-8);
            CLV_NEAR(r.impulse, impulse, steps ? 1e-5 : 1e-7);
            CLV_NEAR(q2, end, steps ? 1e-5 : 1e-7);
            clv_sim_destroy(s), clv_sim_destroy(again);
            clv_model_destroy(m);
        }
    }
}

/* A locked joint that the model cuts goes into the tree, and another joint closes the loop. */
static void a_cut_joint_is_locked(void **state)
{
    (void)state;
    for (int i = 0; i < 6; i++) {
        double time = NAN, end[5] = {0}, impulse = NAN;
        for (int cut = 0; cut < 2; cut++) {
            clv_model *m = five_bar(3, cut ? 3 : -1);
            clv_sim_options o = clv_sim_options_default();
            o.formulation = all[i], o.rtol = 1e-10, o.step = i == 5 ? 1e-3 : 0;
            clv_sim *s = start_with(m, &o);
            advance(s, 0.5);
            const clv_event_result r = event_of(s, 0);
            assert_true(r.happened);
            if (cut == 0)
                time = r.time, impulse = r.impulse;
            CLV_NEAR(r.time, time, 1e-8);
            CLV_NEAR(r.impulse, impulse, 1e-7);
            CLV_NEAR(joint_of(s, 3).q[0], r.q, 1e-10);
            for (int j = 0; j < 5; j++) {
                if (cut == 0)
                    end[j] = joint_of(s, j).q[0];
                CLV_NEAR(joint_of(s, j).q[0], end[j], 1e-7);
            }
            clv_sim_destroy(s), clv_model_destroy(m);
        }
    }
}

/* Each joint of a loop has a motion, a coupling or a lock: the error names the event and the joint. */
static void a_lock_that_leaves_no_joint(void **state)
{
    static const char text[] =
        "cleave: 1\nname: slides\ngravity: [0, 0, 0]\n"
        "bodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1]}}\n"
        "joints:\n"
        "  x: {kind: prismatic, between: [ground, a], at: [0, 0, 0], axis: [1, 0, 0]}\n"
        "  y: {kind: prismatic, between: [a, b], at: [0, 0, 0], axis: [0, 1, 0]}\n"
        "  z: {kind: prismatic, between: [b, ground], at: [0, 0, 0], axis: [1, 1, 0]}\n"
        "motions: {m: {joint: x, rate: 0}}\n"
        "couplings: {c: {first: x, second: y, ratio: -1}}\n"
        "events: {stop: {at: 0.2, lock: z}}\n";
    (void)state;
    clv_model *m;
    OK(clv_model_read_text(&m, text, sizeof text - 1, "slides.yaml"));
    clv_sim *s = start(m, "dca", 1e-9);
    assert_int_equal(clv_sim_advance(s, 0.5), CLV_ERR_UNSUPPORTED);
    const clv_error *e = clv_sim_error(s);
    assert_non_null(strstr(e->message, "event 'stop' cannot lock joint 'z'"));
    assert_string_equal(e->path, "events.stop.lock");
    assert_true(*e->hint && e->time == 0.2);
    clv_sim_destroy(s), clv_model_destroy(m);
}

/* ------------------------------------------------------------------ which events, and when */

static clv_model *two_arms(void)
{
    clv_model *m;
    OK(clv_model_create(&m, "arms"));
    const double none[3] = {0, 0, 0};
    OK(clv_model_set_gravity(m, none));
    for (int i = 0; i < 2; i++)
        add_hinge(m, i ? "h1" : "h0", CLV_GROUND, add_body(m, i ? "one" : "zero", 1 + i, 1, 0.1), 0, 0, i ? -2 : 1);
    return m;
}

static void events_at_times_and_together(void **state)
{
    (void)state;
    clv_model *m = two_arms();
    add_event(m, "late", -1, false, 2.5, 1);
    add_event(m, "early", -1, false, 0.75, 0);
    add_event(m, "never", 1, false, 5, 0);     /* that joint falls */
    add_event(m, "again", -1, false, 3, 0);    /* locked already */
    add_event(m, "beyond", 1, false, -1, 1);   /* it starts above that, and does not rise to it */
    OK(clv_model_finish(m));
    clv_sim *s = start(m, "hdca", 1e-9);
    const double *position = clv_sim_position(s);
    advance(s, 4);
    assert_true(position == clv_sim_position(s)); /* views stay where they are */
    assert_true(clv_sim_model(s) == m);
    assert_true(event_of(s, 0).time == 2.5 && event_of(s, 1).time == 0.75 && event_of(s, 3).time == 3);
    assert_false(event_of(s, 2).happened || event_of(s, 4).happened);
    CLV_NEAR(event_of(s, 1).impulse, -(0.1 + 0.25), 1e-12); /* J about the hinge, times 1 rad/s */
    CLV_NEAR(event_of(s, 1).energy_lost, 0.5 * 0.35, 1e-12);
    assert_true(event_of(s, 3).impulse == 0 && event_of(s, 3).energy_lost == 0);
    CLV_NEAR(joint_of(s, 0).q[0], 0.75, 1e-12);
    CLV_NEAR(joint_of(s, 1).q[0], -5, 1e-12);
    clv_event_result r;
    assert_false(clv_sim_event(s, 5, &r) || clv_sim_event(s, -1, &r));
    assert_true(isnan(r.time) && !r.happened);
    clv_sim_destroy(s);
    clv_model_destroy(m);
    m = two_arms();
    add_event(m, "a", 0, false, 1, 0);
    add_event(m, "b", 1, true, -2, 1); /* at the same time */
    OK(clv_model_finish(m));
    s = start(m, "dca", 1e-9);
    advance(s, 1.5);
    assert_true(event_of(s, 0).time == event_of(s, 1).time);
    CLV_NEAR(event_of(s, 0).time, 1, 1e-12);
    CLV_NEAR(event_of(s, 0).impulse, -0.35, 1e-12);
    CLV_NEAR(event_of(s, 1).impulse, 2 * (0.1 + 2 * 0.25), 1e-12);
    assert_true(kinetic_of(s) < 1e-20);
    clv_sim_destroy(s);
    clv_model_destroy(m);
}

/* Forty arms that turn freely reach their latches 1e-10 s apart: the run goes on, and each event happens once. */
static void events_in_quick_succession_come_to_an_end(void **state)
{
    enum { ARMS = 40 };
    static const char *const formulation[] = {"hdca", "dca", "massmatrix"};
    const double none[3] = {0, 0, 0}, inertia = 0.1 + 0.25;
    (void)state;
    for (int i = 0; i < 3; i++) {
        clv_model *m;
        OK(clv_model_create(&m, "arms"));
        OK(clv_model_set_gravity(m, none));
        for (int k = 0; k < ARMS; k++) {
            char name[16];
            snprintf(name, sizeof name, "b%d", k);
            const int b = add_body(m, name, 1, 1, 0.1);
            snprintf(name, sizeof name, "j%d", k);
            add_hinge(m, name, CLV_GROUND, b, 0, 0, 1);
            snprintf(name, sizeof name, "e%d", k);
            add_event(m, name, k, false, 1 + 1e-10 * k, k);
        }
        OK(clv_model_finish(m));
        clv_sim *s = start(m, formulation[i], 1e-9);
        advance(s, 2);
        for (int k = 0; k < ARMS; k++) {
            const clv_event_result r = event_of(s, k);
            assert_true(r.happened);
            CLV_NEAR(r.time, 1 + 1e-10 * k, 1e-12);
            CLV_NEAR(r.impulse, -inertia, 1e-12);
            CLV_NEAR(joint_of(s, k).q[0], 1 + 1e-10 * k, 1e-12);
        }
        double kinetic, work;
        clv_sim_energy(s, &kinetic, NULL, &work);
        assert_true(kinetic < 1e-20);
        CLV_NEAR(-work, ARMS * 0.5 * inertia, 1e-10);
        clv_sim_destroy(s);
        clv_model_destroy(m);
    }
}

/* A pendulum of 600 links whose joint in the middle latches: with any number of threads, step by step or in one go. */
static void threads_and_outputs_change_no_bit(void **state)
{
    (void)state;
    clv_model *m;
    OK(clv_model_create(&m, "chain"));
    for (int i = 0; i < 600; i++) {
        char name[16];
        snprintf(name, sizeof name, "b%d", i);
        const int b = add_body(m, name, 0.1, 0.05, 1e-4);
        snprintf(name, sizeof name, "j%d", i);
        add_hinge(m, name, i ? b - 1 : CLV_GROUND, b, i ? 0.05 : 0, 0, i == 300 ? 1 : 0);
    }
    add_event(m, "latch", 300, false, 0.002, 300);
    OK(clv_model_finish(m));
    double last[3] = {0};
    for (int k = 0; k < 4; k++) {
        clv_sim_options o = clv_sim_options_default();
        static const int threads[] = {1, 2, 8, 1};
        o.threads = threads[k];
        clv_sim *s = start_with(m, &o);
        if (k == 3)
            while (!event_of(s, 0).happened)
                OK(clv_sim_step(s, 0.01));
        advance(s, 0.01);
        const double *x = clv_sim_position(s) + 3 * 599;
        assert_true(event_of(s, 0).happened);
        if (k > 0)
            assert_memory_equal(x, last, sizeof last);
        memcpy(last, x, sizeof last);
        clv_sim_destroy(s);
    }
    clv_model_destroy(m);
}

/* Every method goes on after an event. */
static void every_integrator_goes_on(void **state)
{
    static const struct {
        const char *name;
        double step, tolerance;
    } method[] = {{"dopri5", 0, 1e-7},   {"bs23", 0, 1e-6},    {"dop853", 0, 1e-7},  {"rk4", 1e-3, 1e-7},
                  {"adams", 0, 1e-6},    {"midpoint", 1e-3, 1e-4}, {"gauss4", 1e-3, 1e-7}, {"gauss6", 1e-3, 1e-7}};
    double reference = NAN;
    (void)state;
    for (size_t i = 0; i < sizeof method / sizeof *method; i++) {
        clv_model *m = double_pendulum(0.2, false);
        clv_sim_options o = clv_sim_options_default();
        o.integrator = method[i].name, o.step = method[i].step, o.rtol = 1e-9;
        clv_sim *s = start_with(m, &o);
        OK(clv_sim_set_end(s, 1.5));
        advance(s, 1.5);
        assert_true(event_of(s, 0).happened);
        const double q = joint_of(s, 0).q[0];
        reference = i == 0 ? q : reference;
        CLV_NEAR(q, reference, method[i].tolerance);
        clv_sim_destroy(s);
        clv_model_destroy(m);
    }
}

/* ------------------------------------------------------------------ what is refused */

static void what_is_refused(void **state)
{
    (void)state;
    clv_model *m = double_pendulum(0.2, false);
    clv_sim *s = start(m, "hdca", 1e-6), *other = start(m, "hdca", 1e-6);
    double y[64] = {0};
    assert_int_equal(clv_sim_load(other, y, sizeof y), CLV_ERR_USAGE);
    assert_int_equal(clv_sim_advance_state(s, 0.1, y), CLV_ERR_UNSUPPORTED);
    assert_non_null(strstr(clv_sim_error(s)->message, "'latch'"));
    assert_int_equal(clv_sim_show_state(s, y, clv_sim_state_size(s)), CLV_ERR_UNSUPPORTED);
    clv_sim_destroy(s), clv_sim_destroy(other);
    clv_model_destroy(m);

    clv_event_desc e = clv_event_desc_default(), bad = {0};
    m = two_arms();
    assert_int_equal(clv_model_add_event(m, NULL, &bad), CLV_ERR_USAGE);
    e.name = "e", e.time = 1;
    assert_int_equal(clv_model_add_event(m, NULL, &e), CLV_ERR_MODEL); /* nothing to lock */
    e.lock = 2;
    assert_int_equal(clv_model_add_event(m, NULL, &e), CLV_ERR_MODEL);
    e.lock = 0, e.value = NAN;
    assert_int_equal(clv_model_add_event(m, NULL, &e), CLV_ERR_MODEL);
    e.value = 0, e.time = 0;
    OK(clv_model_add_event(m, NULL, &e));
    assert_int_equal(clv_model_event_count(m), 1);
    assert_string_equal(clv_model_event_name(m, 0), "e");
    assert_null(clv_model_event_name(m, 1));
    assert_int_equal(clv_model_finish(m), CLV_ERR_MODEL); /* no time, no condition */
    clv_model_destroy(m);
    m = two_arms();
    clv_motion_desc x = clv_motion_desc_default();
    x.name = "motor", x.joint = 0, x.rate = 1;
    OK(clv_model_add_motion(m, NULL, &x));
    add_event(m, "e", 1, true, -1, 0);
    assert_int_equal(clv_model_finish(m), CLV_ERR_MODEL); /* a motion prescribes it */
    clv_model_destroy(m);
}

/* A free joint is not in the tree, and has no edge, while another joint holds its body: its state follows from the
 * bodies (kinematics/loose.c), also after the release. */
static void a_free_joint_is_found_again(void **state)
{
    (void)state;
    static const char text[] = "cleave: 1\nbodies:\n  a: {mass: 1, inertia: [0.1, 0.2, 0.3]}\n"
                               "  b: {mass: 1, inertia: [0.1, 0.2, 0.3]}\njoints:\n"
                               "  f: {kind: free, a: {body: ground}, b: {body: a}}\n"
                               "  h: {kind: revolute, a: {body: a, position: [1, 0, 0]}, b: {body: b}}\n"
                               "events:\n  grab: {at: 0.05, attach: [b, ground]}\n  drop: {at: 0.11, release: grab}\n";
    clv_model *m;
    clv_sim *s;
    assert_int_equal(clv_model_read_text(&m, text, sizeof text - 1, "free"), CLV_OK);
    assert_int_equal(clv_sim_create(&s, m, NULL), CLV_OK);
    double q[3 * 7], u[3 * 6]; /* f, h, and the fixed joint of the event */
    assert_int_equal(clv_sim_advance(s, 0.1), CLV_OK);
    assert_true(clv_model_joint_count(m) <= 3);
    assert_int_equal(clv_sim_coordinates(s, q, u), CLV_OK);
    const double *x = clv_sim_position(s), *v = clv_sim_velocity(s); /* centre of mass of a: origin of its frame */
    for (int i = 0; i < 3; i++) {
        assert_float_equal(q[i], x[i], 1e-12);
        assert_float_equal(u[i], v[i], 1e-12);
    }
    assert_float_equal(q[3] * q[3] + q[4] * q[4] + q[5] * q[5] + q[6] * q[6], 1.0, 1e-12);
    assert_int_equal(clv_sim_advance(s, 0.2), CLV_OK);
    clv_sim_destroy(s), clv_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fall_is_stopped_at_its_time),
        cmocka_unit_test(an_elbow_that_latches_has_its_impulse),
        cmocka_unit_test(a_satellite_keeps_its_momentum),
        cmocka_unit_test(a_loop_stays_closed),
        cmocka_unit_test(a_cut_joint_is_locked),
        cmocka_unit_test(a_lock_that_leaves_no_joint),
                                       cmocka_unit_test(a_cut_joint_is_locked),
                                       cmocka_unit_test(a_lock_that_leaves_no_joint),
        cmocka_unit_test(events_at_times_and_together),
        cmocka_unit_test(events_in_quick_succession_come_to_an_end),
        cmocka_unit_test(threads_and_outputs_change_no_bit),
        cmocka_unit_test(every_integrator_goes_on),
        cmocka_unit_test(a_free_joint_is_found_again),
        cmocka_unit_test(what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
