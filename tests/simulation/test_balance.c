/* SPDX-License-Identifier: Apache-2.0
 * Redundant rows of loops of up to 50000 links (T162): what is redundant is found whatever the length and the plane,
 * what is not is kept, and a tilted hinge contradicts others by its tilt. */
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
#include "thorough.h"

/* links of 1 m along a half circle between pins on ground (or on two bodies that move), or a full circle that floats */
typedef struct shape {
    const char *step, *bodies, *joints, *start;
} shape;

static const shape PINNED = {"pi", "",
                             "  J1: {kind: revolute, between: [ground, B1], at: [-radius*c, 0, -radius*s], "
                             "axis: [-s, 0, c]}\n"
                             "  end: {kind: revolute, between: [\"B{i}\", ground], at: [radius*c, 0, radius*s], "
                             "axis: [-s, 0, c], repeat: 1, from: links}\n",
                             ""};
static const shape RING = {"2*pi", "",
                           "  end: {kind: revolute, between: [\"B{i}\", B1], at: [-radius*c, 0, -radius*s], "
                           "axis: [-s, 0, c], repeat: 1, from: links}\n",
                           ""};
static const shape CARRIED = {"pi",
                              "  L: {mass: 100, inertia: [1, 1, 1]}\n"
                              "  R: {mass: 100, inertia: [1, 1, 1]}\n",
                              "  left: {kind: prismatic, between: [ground, L], at: [-radius*c, 0, -radius*s], "
                              "axis: [0, 1, 0]}\n"
                              "  right: {kind: revolute, between: [ground, R], at: [radius*c, 1, radius*s], "
                              "axis: [-s, 0, c]}\n"
                              "  J1: {kind: revolute, between: [L, B1], at: [-radius*c, 0, -radius*s], "
                              "axis: [-s, 0, c]}\n"
                              "  end: {kind: revolute, between: [\"B{i}\", R], at: [radius*c, 0, radius*s], "
                              "axis: [-s, 0, c], repeat: 1, from: links}\n",
                              "    L: {position: [-radius*c, 0, -radius*s]}\n"
                              "    R: {position: [radius*c, 1, radius*s]}\n"};

/* z, or an axis without zeros of its own: rounding then couples all directions */
static const char FLAT[] = "  c: 1\n  s: 0\n  a: 1\n  b: 0\n", SKEW[] = "  c: 0.6\n  s: 0.8\n  a: 2\n  b: -1\n";

static const char TEXT[] =
    "cleave: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "parameters:\n"
    "  links: %d\n"
    "%s"
    "  tilt: %s\n" /* of the hinge in the middle: about the line of the pins */
    "  step: %s/links\n"
    "  middle: floor(links/2) + 1\n"
    "  radius: 0.5/sin(step/2)\n"
    "  depth: 0.5/sin(step/2)*cos(step/2)\n"
    "bodies:\n"
    "  B{i}: {mass: 1, inertia: [0.01, 1/12, 1/12], repeat: links}\n"
    "%s"
    "joints:\n"
    "  J{i}: {kind: revolute, between: [\"B{i-1}\", \"B{i}\"], at: [-radius*c*cos((i - 1)*step), "
    "-radius*sin((i - 1)*step), -radius*s*cos((i - 1)*step)], axis: [-s + c*tilt/(1 + 1e40*(i - middle)*(i - "
    "middle)), 0, c + s*tilt/(1 + 1e40*(i - middle)*(i - middle))], repeat: links - 1, from: 2}\n"
    "%s"
    "start:\n"
    "  bodies:\n"
    "    B{i}: {position: [-depth*c*cos((i - 0.5)*step), -depth*sin((i - 0.5)*step), -depth*s*cos((i - 0.5)*step)], "
    "orientation: {quaternion: [a*cos(((i - 0.5)*step - pi/2)/2), b*sin(((i - 0.5)*step - pi/2)/2), b*cos(((i - "
    "0.5)*step - pi/2)/2), a*sin(((i - 0.5)*step - pi/2)/2)]}, repeat: links}\n"
    "%s";

static clv_sim_report begun(const shape *of, const char *plane, const char *tilt, int links, const char *formulation,
                            double time)
{
    char text[4000];
    clv_model *m;
    clv_sim *s;
    clv_sim_report r;
    clv_sim_options o = clv_sim_options_default();
    o.formulation = formulation;
    const int end = snprintf(text, sizeof text, TEXT, links, plane, tilt, of->step, of->bodies, of->joints, of->start);
    assert_true(end > 0 && end < (int)sizeof text);
    if (clv_model_read_text(&m, text, strlen(text), NULL) != CLV_OK)
        fail_msg("%s", clv_model_error(m)->message);
    if (clv_sim_create(&s, m, &o) != CLV_OK || (time > 0 && clv_sim_advance(s, time) != CLV_OK))
        fail_msg("%d links: %s", links, clv_sim_error(s)->message);
    clv_sim_summary(s, &r);
    clv_sim_destroy(s), clv_model_destroy(m);
    return r;
}

static clv_sim_report begin(const shape *of, const char *plane, const char *tilt, int links)
{
    return begun(of, plane, tilt, links, "hdca", 0);
}

/* everyday runs take the shorter ones */
static const int LINKS[] = {100, 400, 2048, 12000, 20000, 50000};
static int lengths(void) { return thorough() ? 6 : 4; }

/* three rows say what the others say, to rounding */
static void test_pinned(void **state)
{
    (void)state;
    for (int k = 0; k < 2 * lengths(); k++) {
        const int n = LINKS[k / 2];
        const clv_sim_report r = begin(&PINNED, k % 2 ? SKEW : FLAT, "0", n);
        assert_int_equal(r.redundant_constraints, 3);
        assert_int_equal(r.mobility_found, n - 2);
        CLV_NEAR(r.contradiction, 0, 1e-11);
        CLV_NEAR(r.rank, 1e-8, 0);
    }
}

static void test_carried(void **state)
{
    (void)state;
    for (int k = 0; k < 2 * lengths(); k++) {
        const int n = LINKS[k / 2];
        const clv_sim_report r = begin(&CARRIED, k % 2 ? SKEW : FLAT, "0", n);
        assert_int_equal(r.redundant_constraints, 3);
        assert_int_equal(r.mobility_found, n);
        CLV_NEAR(r.contradiction, 0, 1e-11);
    }
}

/* The halves of a ring resist turns with 1e-12 of what links do: such directions are real. */
static void test_ring(void **state)
{
    (void)state;
    for (int k = 0; k < 2 * lengths(); k++) {
        const int n = LINKS[k / 2];
        const clv_sim_report r = begin(&RING, k % 2 ? SKEW : FLAT, "0", n);
        assert_int_equal(r.redundant_constraints, 3);
        assert_int_equal(r.mobility_found, n + 3);
        CLV_NEAR(r.contradiction, 0, 1e-11);
    }
}

/* one hinge not parallel: a contradiction of that size, or a direction that counts */
static void test_tilted(void **state)
{
    (void)state;
    for (int k = 6; k < 2 * lengths(); k++) {
        const char *plane = k % 2 ? SKEW : FLAT;
        const int n = LINKS[k / 2];
        clv_sim_report r = begin(&PINNED, plane, "1e-9", n);
        assert_int_equal(r.redundant_constraints, 3);
        CLV_NEAR(r.contradiction, 1e-9, 1e-10);
        r = begin(&PINNED, plane, "1e-12", n);
        assert_int_equal(r.redundant_constraints, 3);
        CLV_NEAR(r.contradiction, 0, 1e-11);
        for (int big = 0; big < 2; big++) {
            r = begin(&PINNED, plane, big ? "1e-3" : "1e-6", n);
            assert_int_equal(r.redundant_constraints, 2);
            assert_int_equal(r.mobility_found, n - 3);
        }
    }
}

/* the rank stays along a motion, and steps need no smaller thresholds */
static void test_moves(void **state)
{
    (void)state;
    static const char *const formulations[] = {"hdca", "dca", "connection"};
    for (int k = 0; k < 6; k++) {
        const clv_sim_report r = begun(&PINNED, k % 2 ? SKEW : FLAT, "0", 12000, formulations[k / 2], 0.005);
        assert_int_equal(r.redundant_constraints, 3);
        assert_int_equal(r.truncated_evaluations, 0);
        assert_true(r.steps < 40);
        CLV_NEAR(r.max_position_violation, 0, 1e-9);
    }
}

/* ---------------------------------------------------------------- weak directions among many self-stresses */

static int bar(clv_model *m, const double at[3])
{
    clv_body_desc d = clv_body_desc_default();
    char name[16];
    int b;
    snprintf(name, sizeof name, "b%d", clv_model_body_count(m));
    d.name = name, d.mass = 1, d.placed = true;
    d.inertia[0] = d.inertia[1] = d.inertia[2] = 0.1;
    memcpy(d.position, at, sizeof d.position);
    assert_int_equal(clv_model_add_body(m, &b, &d), CLV_OK);
    return b;
}

static void hinge(clv_model *m, int number, int a, int b, const double at[3])
{
    clv_joint_desc d = clv_joint_desc_default(CLV_JOINT_REVOLUTE);
    char name[16];
    snprintf(name, sizeof name, "j%d", number);
    d.name = name, d.a = a, d.b = b, d.global = true, d.axis[2] = 1;
    memcpy(d.at, at, sizeof d.at);
    assert_int_equal(clv_model_add_joint(m, NULL, &d), CLV_OK);
}

static void on_arc(double x[3], double radius, double angle)
{
    x[0] = radius * cos(angle), x[1] = radius * sin(angle), x[2] = 0;
}

/* a chain of n cells of two angulated bars each, after Hoberman, along an arc of 4 rad; a bar turns on ground */
static clv_model *scissors(int n)
{
    const double angle = 4.0 / n, middle = 1 / angle;
    int before[2] = {-1, -1}, joints = 0;
    clv_model *m;
    assert_int_equal(clv_model_create(&m, "scissors"), CLV_OK);
    assert_int_equal(clv_model_set_gravity(m, (const double[3]){0, -9.81, 0}), CLV_OK);
    for (int i = 0; i < n; i++) {
        double pivot[3], in[3], out[3];
        on_arc(pivot, middle / cos(angle / 2), (i + 0.5) * angle);
        on_arc(in, middle - 0.4, i * angle), on_arc(out, middle + 0.4, i * angle);
        const int a = bar(m, pivot), b = bar(m, pivot);
        hinge(m, joints++, a, b, pivot);
        if (i == 0)
            hinge(m, joints++, CLV_GROUND, a, pivot);
        else
            hinge(m, joints++, before[1], a, in), hinge(m, joints++, before[0], b, out);
        before[0] = a, before[1] = b;
    }
    assert_int_equal(clv_model_finish(m), CLV_OK);
    return m;
}

/* The accelerations of all bars at the start; then a tenth of a second. */
static double *motion_of(const clv_model *m, const char *formulation, int redundant)
{
    const size_t n = 6 * (size_t)clv_model_body_count(m);
    clv_sim_options o = clv_sim_options_default();
    clv_sim_report r;
    clv_sim *s;
    double *a = malloc(n * sizeof *a);
    o.formulation = formulation;
    assert_non_null(a);
    assert_int_equal(clv_sim_create(&s, m, &o), CLV_OK);
    assert_int_equal(clv_sim_evaluate(s), CLV_OK);
    memcpy(a, clv_sim_acceleration(s), n * sizeof *a);
    assert_int_equal(clv_sim_advance(s, 0.1), CLV_OK);
    clv_sim_summary(s, &r);
    assert_int_equal(r.redundant_constraints, redundant);
    assert_int_equal(r.truncated_evaluations, 0);
    assert_true(r.max_position_violation < 1e-12);
    clv_sim_destroy(s);
    return a;
}

/* A weak direction may be almost a self-stress of loops below its node. Three rows of each loop are redundant. */
static void test_scissors(void **state)
{
    (void)state;
    static const struct {
        int cells;
        const char *first;
    } chain[] = {{190, "dca"}, {195, "dca"}, {199, "connection"}, {200, "dca"}, {400, "dca"}};
    for (size_t k = 0; k < sizeof chain / sizeof *chain; k++) {
        const int n = chain[k].cells;
        clv_model *m = scissors(n);
        double *first = motion_of(m, chain[k].first, 3 * (n - 1)), most = 0;
        for (int i = 0; i < 12 * n; i++)
            most = fmax(most, fabs(first[i]));
        static const char *const formulation[] = {"hdca", "dca"};
        for (int f = 0; f < 2; f++) {
            double *a = motion_of(m, formulation[f], 3 * (n - 1)), error = 0;
            for (int i = 0; i < 12 * n; i++)
                error = fmax(error, fabs(a[i] - first[i]));
            CLV_NEAR(error / most, 0, 1e-8);
            free(a);
        }
        free(first);
        clv_model_destroy(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pinned), cmocka_unit_test(test_carried), cmocka_unit_test(test_ring),
        cmocka_unit_test(test_tilted), cmocka_unit_test(test_moves), cmocka_unit_test(test_scissors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
