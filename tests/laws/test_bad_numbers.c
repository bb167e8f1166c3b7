/* SPDX-License-Identifier: Apache-2.0
 * Runs that cannot go on: a callback that gives NaN, infinity or stops; overflowing drives; forces that blow up at a
 * finite time; mass that is missing; motions that contradict each other or leave a loop no way.  Each must end, in few
 * evaluations, with the right status and a record that names what failed, when and why; the last good state stays
 * readable and everything can be destroyed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "base/error.h"
#include "graph.h"
#include "near.h"
#include "simulation/sim.h"

enum { MANY = 200000 }; /* evaluations a failing run may take */

/* ------------------------------------------------------------------ callbacks */

typedef struct trouble {
    double from;    /* s                                     */
    double force;   /* what is added to a body from then on  */
    int answer;     /* what is returned from then on         */
    long calls;
} trouble;

static int troubles(void *user, clv_load_view *view)
{
    trouble *t = user;
    t->calls++;
    if (view->time < t->from)
        return 0;
    view->wrench[1] += t->force;
    return t->answer;
}

/* x'' = 2 / (1 - t)^3, so x = 1 / (1 - t) - 1 - t */
static int blows_up(void *user, clv_load_view *view)
{
    trouble *t = user;
    double left = 1 - view->time;
    t->calls++;
    view->wrench[0] += 2 / (left * left * left);
    return 0;
}

/* x'' = 6 x^2 (no look at the time), so x = 1 / (t - 1)^2 from x = 1, x' = 2 */
static int runs_away(void *user, clv_load_view *view)
{
    trouble *t = user;
    t->calls++;
    view->wrench[0] += 6 * view->position[0] * view->position[0];
    return 0;
}

static void add_callback(clv_model *m, clv_load_fn call, trouble *t)
{
    clv_force_desc f = clv_force_desc_default(CLV_FORCE_CALLBACK);
    f.name = "wind", f.call = call, f.user = t;
    graph_check(m, clv_model_add_force(m, NULL, &f));
}

/* ------------------------------------------------------------------ what a failure leaves behind */

static bool finite_state(const clv_sim *s, const clv_model *m)
{
    bool ok = isfinite(clv_sim_time(s));
    for (int i = 0; i < clv_model_body_count(m); i++) {
        for (int k = 0; k < 3; k++)
            ok &= isfinite(clv_sim_position(s)[3 * i + k]) != 0;
        for (int k = 0; k < 4; k++)
            ok &= isfinite(clv_sim_quaternion(s)[4 * i + k]) != 0;
        for (int k = 0; k < 6; k++)
            ok &= isfinite(clv_sim_velocity(s)[6 * i + k]) != 0;
    }
    return ok;
}

/* one sentence that tells the time; a record that names a body or a joint, force, motion */
static void check_record(const clv_sim *s, clv_status st, const char *name)
{
    const clv_error *e = clv_sim_error(s);
    if (getenv("CLEAVE_VERBOSE"))
        printf("    %s [%s|%s] t %g: %s (%s)\n", clv_status_text(e->code), e->body, e->joint, e->time, e->message,
               e->hint);
    assert_int_equal(e->code, st);
    assert_true(strlen(e->message) > 10);
    assert_true(isfinite(e->time));
    if (name)
        assert_true(strcmp(e->body, name) == 0 || strcmp(e->joint, name) == 0);
}

static const char *const formulations[] = {"hdca", "dca", "massmatrix", "aldca", "connection"};
enum { FORMULATIONS = sizeof formulations / sizeof *formulations };
static const char *const integrators[] = {"dopri5", "bs23", "dop853", "adams", "rk4"};

/* a loop of four bars with the callback in it: good until 0.25 s */
static clv_model *four_bars(clv_load_fn call, trouble *t)
{
    clv_model *m = graph_create();
    for (int i = 0; i < 3; i++)
        graph_body(m, i == 0 ? 0 : i == 1 ? 0.75 : 1.5, i == 1 ? 1.25 : 0.6, 0);
    graph_joint(m, CLV_JOINT_REVOLUTE, CLV_GROUND, 0, 0, 0, 0);
    graph_joint(m, CLV_JOINT_REVOLUTE, 0, 1, 0, 1.2, 0);
    graph_joint(m, CLV_JOINT_REVOLUTE, 1, 2, 1.5, 1.3, 0);
    graph_joint(m, CLV_JOINT_REVOLUTE, 2, CLV_GROUND, 1.5, 0, 0);
    const double g[3] = {1, -9.81, 0};
    graph_check(m, clv_model_set_gravity(m, g));
    if (call)
        add_callback(m, call, t);
    return m;
}

static void fails_after(double when, double force, int answer, clv_status expected)
{
    for (int f = 0; f < FORMULATIONS; f++)
        for (int k = 0; k < 5; k++) {
            trouble t = {when, force, answer, 0};
            clv_model *m = graph_finish(four_bars(troubles, &t));
            clv_sim_options o = clv_sim_options_default();
            clv_sim *s;
            o.formulation = formulations[f], o.integrator = integrators[k], o.step = k == 4 ? 1e-3 : 0;
            assert_int_equal(clv_sim_create(&s, m, &o), CLV_OK);
            clv_status st = clv_sim_advance(s, 0.1);
            assert_int_equal(st, CLV_OK);
            st = clv_sim_advance(s, 1);
            assert_int_equal(st, expected);
            check_record(s, st, "wind");
            assert_true(t.calls < MANY);
            assert_true(finite_state(s, m));
            assert_true(clv_sim_time(s) < when + 1e-12);
            assert_true(clv_sim_time(s) > 0.05);
            if (k != 4) /* adaptive steps come close */
                CLV_NEAR(clv_sim_time(s), when, 1e-3);
            CLV_NEAR(clv_sim_error(s)->time, when, 0.5);
            st = clv_sim_advance(s, 1.5); /* asked again: the same answer, no crash */
            assert_int_equal(st, expected);
            assert_true(finite_state(s, m));
            clv_sim_destroy(s), clv_model_destroy(m);
        }
}

static void nan_from_a_callback(void **state) { (void)state, fails_after(0.25, NAN, 0, CLV_ERR_NOT_FINITE); }
static void infinity_from_a_callback(void **state) { (void)state, fails_after(0.25, INFINITY, 0, CLV_ERR_NOT_FINITE); }
static void minus_infinity_from_a_callback(void **state)
{
    (void)state, fails_after(0.25, -INFINITY, 0, CLV_ERR_NOT_FINITE);
}
static void callback_that_stops_the_run(void **state) { (void)state, fails_after(0.25, 0, 1, CLV_ERR_NOT_FINITE); }

/* the message tells a function that stops from one that gives no number */
static void a_stop_is_told_as_one(void **state)
{
    (void)state;
    for (int answer = 0; answer <= 7; answer += 7) {
        trouble t = {0.25, answer ? 0 : NAN, answer, 0};
        clv_model *m = graph_finish(four_bars(troubles, &t));
        clv_sim *s;
        assert_int_equal(clv_sim_create(&s, m, NULL), CLV_OK);
        assert_int_equal(clv_sim_advance(s, 1), CLV_ERR_NOT_FINITE);
        const char *says =
            answer ? "the function of force 'wind' stopped the run at t = " : "force 'wind' is not finite at t = ";
        assert_non_null(strstr(clv_sim_error(s)->message, says));
        assert_int_equal(strstr(clv_sim_error(s)->message, "it returned 7") != NULL, answer == 7);
        assert_string_equal(clv_sim_error(s)->path, "forces.wind"); /* a joint may have this name, too */
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

static void nan_at_the_start(void **state)
{
    (void)state;
    for (int f = 0; f < FORMULATIONS; f++) {
        trouble t = {0, NAN, 0, 0};
        clv_model *m = graph_finish(four_bars(troubles, &t));
        clv_sim_options o = clv_sim_options_default();
        clv_sim *s;
        o.formulation = formulations[f];
        assert_int_equal(clv_sim_create(&s, m, &o), CLV_ERR_NOT_FINITE);
        check_record(s, CLV_ERR_NOT_FINITE, "wind");
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

static void overflowing_drive(void **state)
{
    (void)state;
    for (int f = 0; f < FORMULATIONS; f++)
        for (int k = 0; k < 4; k++) {
            static const double time[4] = {0, 0.2, 0.3, 9}, value[4] = {1, 1, 1e308, 1e308};
            clv_model *m = four_bars(NULL, NULL);
            clv_force_desc d = clv_force_desc_default(CLV_FORCE_JOINT);
            d.name = "motor", d.joint = 0;
            d.table = (clv_table){4, time, value};
            graph_check(m, clv_model_add_force(m, NULL, &d));
            graph_finish(m);
            clv_sim_options o = clv_sim_options_default();
            clv_sim *s;
            o.formulation = formulations[f], o.integrator = integrators[k];
            assert_int_equal(clv_sim_create(&s, m, &o), CLV_OK);
            clv_status st = clv_sim_advance(s, 1);
            assert_true(st == CLV_ERR_NOT_FINITE || st == CLV_ERR_STEP_SIZE);
            check_record(s, st, NULL);
            assert_true(finite_state(s, m));
            assert_true(clv_sim_time(s) > 0.1 && clv_sim_time(s) < 0.9);
            clv_sim_destroy(s), clv_model_destroy(m);
        }
}

/* ------------------------------------------------------------------ finite time */

static void force_that_blows_up(clv_load_fn call, double x, double v, const char *integrator)
{
    trouble t = {0, 0, 0, 0};
    clv_model *m = graph_create();
    const double g[3] = {0, 0, 0};
    clv_sim *s;
    clv_sim_options o = clv_sim_options_default();
    graph_check(m, clv_model_set_gravity(m, g));
    clv_body_desc d = clv_body_desc_default();
    d.name = "b", d.mass = 1, d.inertia[0] = d.inertia[1] = d.inertia[2] = 1;
    d.placed = d.moving = true, d.position[0] = x, d.velocity[0] = v;
    graph_check(m, clv_model_add_body(m, NULL, &d));
    add_callback(m, call, &t);
    graph_finish(m);
    o.integrator = integrator;
    assert_int_equal(clv_sim_create(&s, m, &o), CLV_OK);
    clv_status st = clv_sim_advance(s, 3);
    printf("%s: %s at %.12g s after %ld calls\n", integrator, clv_status_text(st), clv_sim_time(s), t.calls);
    assert_true(st == CLV_ERR_STEP_SIZE || st == CLV_ERR_NOT_FINITE);
    check_record(s, st, NULL);
    assert_true(t.calls < MANY);
    assert_true(finite_state(s, m));
    CLV_NEAR(clv_sim_time(s), 1, 1e-2);
    clv_sim_destroy(s), clv_model_destroy(m);
}

static void force_that_blows_up_in_time(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++)
        force_that_blows_up(blows_up, 0, 1, integrators[k]);
}

static void force_that_runs_away_with_the_state(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++)
        force_that_blows_up(runs_away, 1, 2, integrators[k]);
}

/* ------------------------------------------------------------------ mass */

static void add(clv_model *m, const char *name, double mass, double J, double x, double y)
{
    clv_body_desc d = clv_body_desc_default();
    d.name = name, d.mass = mass, d.inertia[0] = d.inertia[1] = d.inertia[2] = J;
    d.placed = true, d.position[0] = x, d.position[1] = y;
    graph_check(m, clv_model_add_body(m, NULL, &d));
}

static void refused_at_start(clv_model *m, clv_status expected, const char *name)
{
    graph_finish(m);
    for (int f = 0; f < FORMULATIONS; f++) {
        clv_sim_options o = clv_sim_options_default();
        clv_sim *s;
        o.formulation = formulations[f];
        clv_status st = clv_sim_create(&s, m, &o);
        assert_int_equal(st, expected);
        check_record(s, st, name);
        assert_true(clv_sim_error(s)->hint[0] != '\0');
        clv_sim_destroy(s);
    }
    clv_model_destroy(m);
}

static void massless_tip(void **state)
{
    (void)state;
    clv_model *m = graph_create();
    add(m, "arm", 1, 0.1, 0.5, 0), add(m, "hand", 0, 0, 1.5, 0);
    graph_joint(m, CLV_JOINT_REVOLUTE, CLV_GROUND, 0, 0, 0, 0);
    graph_joint(m, CLV_JOINT_REVOLUTE, 0, 1, 1, 0, 0);
    refused_at_start(m, CLV_ERR_SINGULAR, "hand");
}

static void point_mass_on_a_hinge(void **state)
{
    (void)state;
    clv_model *m = graph_create(); /* at the axis itself: nothing resists the turn */
    add(m, "arm", 1, 0.1, 0.5, 0), add(m, "bead", 1, 0, 1, 0);
    graph_joint(m, CLV_JOINT_REVOLUTE, CLV_GROUND, 0, 0, 0, 0);
    graph_joint(m, CLV_JOINT_REVOLUTE, 0, 1, 1, 0, 0);
    refused_at_start(m, CLV_ERR_SINGULAR, "bead");
}

static void floating_body_without_mass(void **state)
{
    (void)state;
    clv_model *m = graph_create();
    add(m, "ghost", 0, 0, 1, 0);
    refused_at_start(m, CLV_ERR_SINGULAR, "ghost");
}

static void massless_body_in_a_loop(void **state)
{
    (void)state;
    clv_model *m = graph_create();
    const double q[5][2] = {{0, 0}, {0, 1}, {1, 1.5}, {2, 1}, {2, 0}};
    for (int i = 0; i < 4; i++) {
        char name[8];
        snprintf(name, sizeof name, "bar%d", i);
        add(m, name, i == 2 ? 0 : 1, i == 2 ? 0 : 0.1, (q[i][0] + q[i + 1][0]) / 2, (q[i][1] + q[i + 1][1]) / 2);
    }
    for (int i = 0; i < 5; i++)
        graph_joint(m, CLV_JOINT_REVOLUTE, i - 1, i == 4 ? CLV_GROUND : i, q[i][0], q[i][1], 0);
    graph_finish(m);
    clv_sim *s; /* either it works or it is refused by name */
    clv_status st = clv_sim_create(&s, m, NULL);
    if (st != CLV_OK) {
        assert_int_equal(st, CLV_ERR_SINGULAR);
        check_record(s, st, "bar2");
    } else {
        st = clv_sim_advance(s, 0.5);
        if (st != CLV_OK)
            check_record(s, st, NULL);
        assert_true(finite_state(s, m));
    }
    clv_sim_destroy(s), clv_model_destroy(m);
}

/* ------------------------------------------------------------------ motions */

static void drive(clv_model *m, const char *name, int joint, double rate, double amplitude, double frequency)
{
    clv_motion_desc d = clv_motion_desc_default();
    d.name = name, d.joint = joint, d.rate = rate, d.amplitude = amplitude, d.frequency = frequency;
    graph_check(m, clv_model_add_motion(m, NULL, &d));
}

static void contradicting_motions(void **state)
{
    (void)state;
    clv_model *m = four_bars(NULL, NULL); /* two joints of a mechanism with one freedom, at rates that do not fit */
    drive(m, "first", 0, 1, 0, 0), drive(m, "second", 3, -1, 0, 0);
    graph_finish(m);
    for (int f = 0; f < FORMULATIONS; f++) {
        clv_sim_options o = clv_sim_options_default();
        clv_sim *s;
        o.formulation = formulations[f];
        clv_status st = clv_sim_create(&s, m, &o);
        assert_int_equal(st, CLV_ERR_INCONSISTENT);
        check_record(s, st, NULL);
        clv_sim_destroy(s);
    }
    clv_model_destroy(m);
}

/* consistent at the start, at rest; from then on they want what the loop cannot do */
static void motions_that_come_to_contradict(void **state)
{
    (void)state;
    for (int f = 0; f < FORMULATIONS; f++)
        for (int k = 0; k < 4; k++) {
            clv_model *m = four_bars(NULL, NULL);
            drive(m, "still", 0, 0, 0, 0);
            clv_motion_desc d = clv_motion_desc_default();
            d.name = "moving", d.joint = 3, d.amplitude = 0.3, d.frequency = 1, d.phase = 1.5707963267948966;
            graph_check(m, clv_model_add_motion(m, NULL, &d));
            graph_finish(m);
            clv_sim_options o = clv_sim_options_default();
            clv_sim *s;
            o.formulation = formulations[f], o.integrator = integrators[k];
            clv_status st = clv_sim_create(&s, m, &o);
            clv_sim_report r = {0};
            if (st == CLV_OK)
                st = clv_sim_advance(s, 1);
            if (st == CLV_OK) {
                clv_sim_summary(s, &r);
                printf("%s %s: goes on, violation %g\n", formulations[f], integrators[k], r.max_position_violation);
            } else {
                check_record(s, st, NULL);
                assert_true(finite_state(s, m));
            }
            assert_int_not_equal(st, CLV_OK);
            clv_sim_destroy(s), clv_model_destroy(m);
        }
}

/* The rocker of a crank and rocker (1.2 + 1.5 < 1.3 + 1.5 m) is driven round: the loop comes to its dead point. */
static void motion_beyond_the_reach_of_a_loop(void **state)
{
    (void)state;
    for (int f = 0; f < FORMULATIONS; f++)
        for (int k = f == 3 ? 3 : 0; k < 4; k++) {
            /* aldca creeps towards it: 1e5 to 5e5 evaluations, fewest by adams */
            clv_model *m = four_bars(NULL, NULL);
            drive(m, "rocker", 3, -2, 0, 0);
            graph_finish(m);
            clv_sim_options o = clv_sim_options_default();
            clv_sim *s;
            clv_sim_report r;
            o.formulation = formulations[f], o.integrator = integrators[k];
            assert_int_equal(clv_sim_create(&s, m, &o), CLV_OK);
            clv_status st = clv_sim_advance(s, 4);
            clv_sim_summary(s, &r);
            printf("%s %s: %s at %.9g s, violation %.1e, %ld evaluations\n", formulations[f], integrators[k],
                   clv_status_text(st), clv_sim_time(s), r.max_position_violation, r.rate_evaluations);
            if (st != CLV_OK)
                check_record(s, st, NULL);
            assert_true(finite_state(s, m));
            assert_true(r.rate_evaluations < MANY);
            assert_int_not_equal(st, CLV_OK);
            clv_sim_destroy(s), clv_model_destroy(m);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nan_from_a_callback),
        cmocka_unit_test(infinity_from_a_callback),
        cmocka_unit_test(minus_infinity_from_a_callback),
        cmocka_unit_test(callback_that_stops_the_run), cmocka_unit_test(a_stop_is_told_as_one),
        cmocka_unit_test(nan_at_the_start),
        cmocka_unit_test(overflowing_drive),
        cmocka_unit_test(force_that_blows_up_in_time),
        cmocka_unit_test(force_that_runs_away_with_the_state),
        cmocka_unit_test(massless_tip),
        cmocka_unit_test(point_mass_on_a_hinge),
        cmocka_unit_test(floating_body_without_mass),
        cmocka_unit_test(massless_body_in_a_loop),
        cmocka_unit_test(contradicting_motions),
        cmocka_unit_test(motions_that_come_to_contradict),
        cmocka_unit_test(motion_beyond_the_reach_of_a_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
