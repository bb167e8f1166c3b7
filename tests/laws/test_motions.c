/* SPDX-License-Identifier: Apache-2.0
 * Prescribed motions as data (T7, T15, T42): the energy account holds when all or part of a mechanism is driven, a
 * stroke that cannot be reached ends the run there by name, and a start that contradicts a motion is refused. */
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
#include "integrator/bdf.h"

typedef struct method {
    const char *formulation, *integrator;
    double step, drift; /* J */
} method;
static const method methods[] = {
    {"hdca", "dopri5", 0, 1e-4},       {"hdca", "bs23", 0, 1e-4},       {"hdca", "dop853", 0, 1e-4},
    {"hdca", "rk4", 1e-2, 1e-6},       {"hdca", "adams", 0, 1e-4},      {"hdca", "midpoint", 2e-3, 1e-3},
    {"hdca", "gauss4", 1e-2, 1e-6},    {"hdca", "gauss6", 1e-2, 1e-6},  {"dca", "dopri5", 0, 1e-4},
    {"connection", "dopri5", 0, 1e-4}, {"massmatrix", "dopri5", 0, 1e-4}, {"aldca", "dopri5", 0, 1e-4},
    {"index3", "trapezoidal", 5e-3, 2e-3}, {"hdca", "bdf", 0, 3e-4}, /* last: not in every build */
};
#define METHODS ((int)(sizeof methods / sizeof methods[0]) - (clv_bdf_method.absent != NULL))

static clv_model *read_model(const char *text)
{
    clv_model *m;
    if (clv_model_read_text(&m, text, strlen(text), NULL) != CLV_OK)
        print_error("%s\n", clv_model_error(m)->message);
    assert_int_equal(clv_model_error(m)->code, CLV_OK);
    return m;
}

static clv_sim *start(const clv_model *m, const method *how)
{
    clv_sim_options o = clv_sim_options_default();
    clv_sim *s;
    o.formulation = how->formulation, o.integrator = how->integrator, o.step = how->step;
    if (clv_sim_create(&s, m, &o) != CLV_OK)
        print_error("%s\n", clv_sim_error(s)->message);
    assert_int_equal(clv_sim_error(s)->code, CLV_OK);
    return s;
}

/* A pendulum that turns at 1 rad/s whatever its weight does: nothing is left to integrate but the work. */
static const char driven[] = "cleave: 1\n"
                             "gravity: [0, -9.81, 0]\n"
                             "bodies: {a: {mass: 1, com: [0.5, 0, 0], inertia: [1, 1, 1]}%s}\n"
                             "joints:\n"
                             "  a: {kind: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}\n%s"
                             "motions: {m: {joint: a, rate: 1}}\n";

static void work_is_accounted_for(const char *bodies, const char *joints, double more)
{
    char text[1000];
    snprintf(text, sizeof text, driven, bodies, joints);
    clv_model *m = read_model(text);
    for (int i = 0; i < METHODS; i++) {
        clv_sim *s = start(m, &methods[i]);
        clv_sim_report r;
        assert_int_equal(clv_sim_advance(s, 20), CLV_OK);
        clv_sim_summary(s, &r);
        if (!(r.max_energy_drift <= more * methods[i].drift))
            print_error("%s %s: %g J\n", methods[i].formulation, methods[i].integrator, r.max_energy_drift);
        assert_true(r.max_energy_drift <= more * methods[i].drift);
        clv_sim_destroy(s);
    }
    clv_model_destroy(m);
}

static void no_drift_when_all_is_driven(void **state)
{
    (void)state;
    work_is_accounted_for("", "", 1);
}

static void no_drift_when_part_is_driven(void **state)
{
    (void)state;
    work_is_accounted_for(", b: {mass: 1, com: [0.1, 0, 0], inertia: [1, 1, 1]}",
                          "  b: {kind: revolute, between: [a, b], at: [1, 0, 0], axis: [0, 0, 1]}\n", 10);
}

/* Crank 1, coupler 2, rocker 1.2, ground 2.6: the crank cannot turn beyond acos(...), coupler and rocker in line. */
static const char toggle[] =
    "cleave: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  crank:   {mass: 1, inertia: [0.1, 0.1, 0.1]}\n"
    "  coupler: {mass: 2, inertia: [0.1, 0.7, 0.7]}\n"
    "  rocker:  {mass: 1, inertia: [0.1, 0.1, 0.1]}\n"
    "joints:\n"
    "  a: {kind: revolute, between: [ground, crank],   at: [0, 0, 0],   axis: [0, 0, 1]}\n"
    "  b: {kind: revolute, between: [crank, coupler],  at: [0, 1, 0],   axis: [0, 0, 1]}\n"
    "  c: {kind: revolute, between: [coupler, rocker], at: [2, 1, 0],   axis: [0, 0, 1]}\n"
    "  d: {kind: revolute, between: [rocker, ground],  at: [2, 0, 0],   axis: [0, 0, 1]}\n"
    "motions: {turn: {joint: a, rate: 0.5}}\n"
    "start: {bodies: {crank: {position: [0, 0, 0]}, coupler: {position: [0, 0, 0]}, rocker: {position: [0, 0, 0]}}}\n";

/* The parallelogram's crank goes on to 2 rad and beyond; a shorter rocker stops it. */
static const char *shorter(char text[1500])
{
    strcpy(text, toggle);
    memcpy(strstr(text, "at: [2, 0, 0],   axis"), "at: [2.5,.4,0],  axis", 21);
    return text;
}

/* rad: of the crank when coupler (2) and rocker are in line; where it starts, pi/2, counts as 0 */
static double limit(void)
{
    const double g = sqrt(2.5 * 2.5 + 0.4 * 0.4), rocker = sqrt(0.5 * 0.5 + 0.6 * 0.6), far = 2 + rocker;
    const double at_ground = acos((1 + g * g - far * far) / (2 * g));
    return at_ground + atan2(0.4, 2.5) - 2 * atan(1.0);
}

static void an_unreachable_stroke_ends_the_run_there(void **state)
{
    char text[1500];
    clv_model *m = read_model(shorter(text));
    const double end = limit() / 0.5;
    (void)state;
    assert_true(end > 0.2 && end < 5);
    for (int i = 0; i < METHODS; i++) {
        clv_sim *s = start(m, &methods[i]);
        clv_sim_report r;
        assert_int_equal(clv_sim_advance(s, 8), CLV_ERR_INCONSISTENT);
        clv_sim_summary(s, &r);
        const clv_error *e = clv_sim_error(s);
        if (!strstr(e->message, "unreachable"))
            print_error("%s %s: %s\n", methods[i].formulation, methods[i].integrator, e->message);
        assert_non_null(strstr(e->message, "the prescribed stroke of 'turn' is unreachable"));
        assert_non_null(strstr(e->message, "'coupler' and 'rocker' are in line at joint 'c' (toggle)"));
        assert_true(fabs(e->time - end) <= fmax(1e-4, 1.1 * methods[i].step));
        assert_true(fabs(clv_sim_time(s) - end) <= fmax(1e-4, 1.1 * methods[i].step)); /* results are kept */
        assert_true(r.steps + r.rejected_steps < 5000);
        clv_sim_destroy(s);
    }
    clv_model_destroy(m);
}

/* Through a position where the loop is singular and the motion lawful a run goes on. */
static void singular_positions_are_passed(void **state)
{
    clv_model *m = read_model(toggle);
    (void)state;
    for (int i = 0; i < 5; i++) {
        clv_sim *s = start(m, &methods[i]);
        const clv_status st = clv_sim_advance(s, 8);
        if (st != CLV_OK)
            print_error("%s %s: %s\n", methods[i].formulation, methods[i].integrator, clv_sim_error(s)->message);
        assert_int_equal(st, CLV_OK);
        clv_sim_destroy(s);
    }
    clv_model_destroy(m);
}

/* Up to the toggle the work of the drives is accounted for, by every formulation: an unlucky penalty loses none of it
 * (aldca lost 7e5 J of 1.7e6 J here). */
static void energy_is_kept_up_to_the_toggle(void **state)
{
    static const char *const formulation[] = {"hdca", "dca", "connection", "massmatrix", "aldca"};
    clv_model *m;
    (void)state;
    assert_int_equal(clv_model_read(&m, CLV_SOURCE_DIR "/tests/models/loader_toggle.yaml"), CLV_OK);
    for (int i = 0; i < 5; i++) {
        const method how = {formulation[i], "dopri5", 0, 0};
        clv_sim *s = start(m, &how);
        clv_sim_report r;
        assert_int_equal(clv_sim_advance(s, 10), CLV_ERR_INCONSISTENT);
        clv_sim_summary(s, &r);
        assert_non_null(strstr(clv_sim_error(s)->message, "the prescribed stroke of 'lift' is unreachable"));
        CLV_NEAR(clv_sim_error(s)->time, 5.50126218726, 1e-9);
        if (!(r.max_energy_drift <= 1e-5 * r.energy_moved))
            fail_msg("%s: drift %.3g of %.3g J", formulation[i], r.max_energy_drift, r.energy_moved);
        assert_true(r.steps + r.rejected_steps < 500);
        clv_sim_destroy(s);
    }
    clv_model_destroy(m);
}

static void a_start_must_agree_with_its_motion(void **state)
{
    static const char text[] = "cleave: 1\n"
                               "bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"
                               "joints: {j: {kind: prismatic, between: [ground, a], at: [0, 0, 0], axis: [1, 0, 0]}}\n"
                               "motions: {m: {joint: j, %s}}\n"
                               "start: {joints: {j: {q: 0.5%s}}}\n";
    char whole[600];
    clv_model *m;
    (void)state;
    snprintf(whole, sizeof whole, text, "offset: 0.2, rate: 1", ", u: 7");
    assert_int_equal(clv_model_read_text(&m, whole, strlen(whole), NULL), CLV_ERR_MODEL);
    assert_int_equal(clv_model_error_count(m), 2);
    assert_non_null(strstr(clv_model_error_at(m, 0)->message, "coordinate 0.5, but its motion 'm' starts with 0.2"));
    assert_non_null(strstr(clv_model_error_at(m, 1)->message, "rate 7, but its motion 'm' starts with 1"));
    clv_model_destroy(m);
    snprintf(whole, sizeof whole, text, "amplitude: 0.2, frequency: 2, phase: 90 deg", ", u: 0");
    m = read_model(whole); /* starts at 0.5 though the phase is given */
    clv_sim *s = start(m, &methods[0]);
    CLV_NEAR(clv_sim_position(s)[0], 0.5, 1e-15);
    clv_sim_destroy(s);
    clv_model_destroy(m);
}

/* Two motions of a parallelogram agree for a second and then part: by up to 1e-3 they pass as inexact data. */
static void motions_that_part_end_the_run(void **state)
{
    static const char text[] =
        "cleave: 1\n"
        "bodies:\n"
        "  a: {mass: 1, com: [0.15, 0, 0], inertia: [0.001, 0.01, 0.01]}\n"
        "  b: {mass: 1, com: [0.15, 0, 0], inertia: [0.001, 0.01, 0.01]}\n"
        "  c: {mass: 2, com: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]}\n"
        "joints:\n"
        "  A: {kind: revolute, a: {body: ground}, b: {body: a}}\n"
        "  B: {kind: revolute, a: {body: ground, position: [1, 0, 0]}, b: {body: b}}\n"
        "  C: {kind: revolute, a: {body: a, position: [0.3, 0, 0]}, b: {body: c}}\n"
        "  D: {kind: revolute, a: {body: b, position: [0.3, 0, 0]}, b: {body: c, position: [1, 0, 0]}}\n"
        "motions:\n"
        "  m: {joint: A, table: [[0, 0.7], [1, 1], [2, 1.2]], profile: smooth}\n"
        "  n: {joint: B, table: [[0, 0.7], [1, 1], [2, 1.3]], profile: smooth}\n"
        "start: {joints: {A: {q: 0.7}, B: {q: 0.7}, C: {q: -0.7}}}\n";
    clv_model *m = read_model(text);
    (void)state;
    for (int i = 0; i < METHODS; i++) {
        clv_sim *s = start(m, &methods[i]);
        const clv_status st = clv_sim_advance(s, 2);
        const clv_error *e = clv_sim_error(s);
        if (st != CLV_ERR_INCONSISTENT || !strstr(e->message, "the loops do not close"))
            print_error("%s %s: %s\n", methods[i].formulation, methods[i].integrator, e->message);
        assert_int_equal(st, CLV_ERR_INCONSISTENT);
        assert_non_null(strstr(e->message, "the loops do not close"));
        assert_true(e->time > 1 && e->time < 1.2);
        clv_sim_destroy(s);
    }
    clv_model_destroy(m);
}

/* Whatever goes wrong, the record says so. */
static void no_failure_is_silent(void **state)
{
    static const char *const gravity[] = {"[1.0e308, 1.0e308, 1.0e308]", "[0, 1.7e308, 0]"};
    (void)state;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < METHODS; i++) {
            char text[500];
            clv_model *m;
            clv_sim *s = NULL;
            clv_sim_options o = clv_sim_options_default();
            snprintf(text, sizeof text,
                     "cleave: 1\ngravity: %s\nbodies: {a: {mass: 10, com: [0.5, 0, 0], inertia: [1, 1, 1]}}\n"
                     "joints: {j: {kind: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}}\n",
                     gravity[k]);
            m = read_model(text);
            o.formulation = methods[i].formulation, o.integrator = methods[i].integrator, o.step = methods[i].step;
            clv_status st = clv_sim_create(&s, m, &o);
            if (st == CLV_OK)
                st = clv_sim_advance(s, 0.01);
            assert_true(st != CLV_OK);
            assert_int_equal(clv_sim_error(s)->code, st);
            assert_true(clv_sim_error(s)->message[0] != '\0');
            clv_sim_destroy(s);
            clv_model_destroy(m);
        }
}

/* Dampers on three joints of a four-bar leave the fourth to a motion or a lock: only loads act in loop joints. */
static void loads_leave_the_tree_to_motions(void **state)
{
    (void)state;
    static const char *const last[] = {"motions: {m: {joint: %c, amplitude: 0.1, frequency: 2}}\n",
                                       "events: {e: {at: 0.1, lock: %c}}\n"};
    for (int k = 0; k < 2; k++)
        for (char joint = 'a'; joint <= 'd'; joint++) {
            char text[1800];
            int n = snprintf(text, sizeof text,
                             "cleave: 1\ngravity: [0, -9.81, 0]\nbodies:\n"
                             "  crank:   {mass: 1, com: [0, 0.5, 0], inertia: [0.08, 0.01, 0.08]}\n"
                             "  coupler: {mass: 2, com: [1, 0.25, 0], inertia: [0.05, 0.70, 0.71]}\n"
                             "  rocker:  {mass: 1, com: [0, -0.75, 0], inertia: [0.19, 0.01, 0.19]}\njoints:\n"
                             "  a: {kind: revolute, between: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1]}\n"
                             "  b: {kind: revolute, between: [crank, coupler], at: [0, 1, 0], axis: [0, 0, 1]}\n"
                             "  c: {kind: revolute, between: [coupler, rocker], at: [2, 1.5, 0], axis: [0, 0, 1]}\n"
                             "  d: {kind: revolute, between: [rocker, ground], at: [2, 0, 0], axis: [0, 0, 1]}\n"
                             "start: {bodies: {coupler: {position: [0, 1, 0]}, rocker: {position: [2, 1.5, 0]}}}\n"
                             "forces:\n");
            for (char other = 'a'; other <= 'd'; other++)
                if (other != joint)
                    n += snprintf(text + n, sizeof text - (size_t)n,
                                  "  %c: {kind: joint-load, joint: %c, damping: 0.1}\n", other, other);
            snprintf(text + n, sizeof text - (size_t)n, last[k], joint);
            clv_model *m = read_model(text);
            clv_sim *s = start(m, &methods[0]);
            if (clv_sim_advance(s, 0.3) != CLV_OK)
                fail_msg("%c: %s", joint, clv_sim_error(s)->message);
            clv_sim_destroy(s), clv_model_destroy(m);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_leave_the_tree_to_motions),
        cmocka_unit_test(no_drift_when_all_is_driven),   cmocka_unit_test(no_drift_when_part_is_driven),
        cmocka_unit_test(an_unreachable_stroke_ends_the_run_there),
        cmocka_unit_test(singular_positions_are_passed),
        cmocka_unit_test(energy_is_kept_up_to_the_toggle), cmocka_unit_test(a_start_must_agree_with_its_motion),
        cmocka_unit_test(motions_that_part_end_the_run), cmocka_unit_test(no_failure_is_silent),
    };
    return cmocka_run_group_tests_name("laws/motions", tests, NULL, NULL);
}
