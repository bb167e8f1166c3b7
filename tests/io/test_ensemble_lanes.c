/* SPDX-License-Identifier: Apache-2.0
 * Instances in lanes (T85): each has the bits that it has alone, for random chains and trees, integrators,
 * formulations, lane widths and threads, whatever its neighbours are: slow ones, others of another structure, some that
 * fail. */
#include "ensembles.h"
#include "base/cpu.h"
#include <math.h>
#include <stdlib.h>

enum { N = 19, BODIES = 9 };

typedef struct source {
    unsigned seed;      /* of the structure */
    bool open;          /* bodies have other lengths in every instance          */
    bool tree, floats;  /* bodies hang on any before them; the first one on nothing */
    int other, fast, grows; /* instance of another structure, at a speed beyond reason, without bounds; -1: none */
    enum { NONE, FORWARDS, ROW, BACKWARDS } balls; /* spherical joints: some; all; some from the child to the parent */
    enum { LEFT_OUT, FROM_GROUND, TO_GROUND } free; /* the free joint of one that floats */
    bool driven;        /* joints follow motions: some of time, some of a table with corners */
} source;

static const char *const kind[] = {"revolute", "prismatic", "universal", "cylindrical", "planar", "helical", "fixed"};

static bool is_driven(const source *s, int k) { return s->driven && k % 3 == 1; }

static const char *kind_of(const source *s, int k)
{
    if ((s->balls == ROW && k > 0) || (s->balls && k % 3 == 1))
        return "spherical";
    if (is_driven(s, k))
        return (s->seed + (unsigned)k) % 2 ? "revolute" : "prismatic";
    return kind[s->seed == 0 || k == 0 ? 0 : (int)number(s->seed, 10 + k, 0, 7)];
}

static void add_joint(text *t, const source *s, unsigned one, int k)
{
    char before[16] = "ground";
    if (k > 0)
        snprintf(before, sizeof before, "b%d", s->tree ? (int)number(s->seed, 95 + k, 0, k) : k - 1);
    char extra[40], own[16];
    snprintf(own, sizeof own, "b%d", k);
    const bool back = s->balls == BACKWARDS && strcmp(kind_of(s, k), "spherical") == 0;
    if (strcmp(kind_of(s, k), "revolute") == 0 && (s->seed + (unsigned)k) % 3 == 1) /* a rotor (T113) */
        snprintf(extra, sizeof extra, "armature: %.5f, ", number(one, 130 + k, 0.1, 3));
    else
        snprintf(extra, sizeof extra, "%s", strcmp(kind_of(s, k), "helical") == 0 ? "pitch: 0.05, " : "");
    ADD(t, "  j%d: {kind: %s, %sa: {body: %s, position: [%.6f, 0.1, %.6f], orientation: {axis: [1, 2, 0.5], angle: "
           "%.4f}}, b: {body: %s, position: [0.02, 0.03, %.6f]}}\n",
        k, kind_of(s, k), extra, back ? own : before,
        number(s->open ? one : s->seed, 20 + k, 0.1, 0.4), number(one, 30 + k, 0.1, 0.3),
        number(s->seed, 40 + k, -2, 2), back ? before : own, number(one, 50 + k, -0.2, 0.2));
}

static void add_load(text *t, const source *s, unsigned one, int k, bool grows)
{
    if (strcmp(kind_of(s, k), "spherical") == 0)
        ADD(t, "  f%d: {kind: joint-load, joint: j%d, coordinate: 1, damping: %.5f}\n", k, k,
            number(one, 70 + k, 0, 2));
    if (strcmp(kind_of(s, k), "revolute") != 0)
        return;
    ADD(t, "  f%d: {kind: joint-load, joint: j%d, stiffness: %.5f, damping: %.5f, rest: %.5f}\n", k, k,
        number(one, 60 + k, 1, 30), grows ? -900.0 : number(one, 70 + k, 0, 2), number(one, 80 + k, -1, 1));
}

static void add_motion(text *t, const source *s, unsigned one, int k)
{
    if (is_driven(s, k) && k % 2)
        ADD(t, "  m%d: {joint: j%d, rate: %.5f, amplitude: %.5f, frequency: %.5f}\n", k, k, number(one, 140 + k, -1, 1),
            number(one, 141 + k, 0, 0.2), number(one, 142 + k, 5, 20));
    else if (is_driven(s, k))
        ADD(t, "  m%d: {joint: j%d, table: [[0, 0], [%.5f, %.5f], [1, 0]], profile: linear}\n", k, k,
            number(one, 140 + k, 0.03, 0.15), number(one, 141 + k, -0.1, 0.1));
}

/* a chain: what is in `one` is of this instance */
static void write_chain(text *t, const source *s, int n, unsigned one, bool grows)
{
    t->used = 0;
    ADD(t, "cleave: 1\nbodies:\n");
    for (int k = 0; k < n; k++)
        ADD(t, "  b%d: {mass: %.6f, com: [0, 0.02, %.6f], inertia: [0.3, 0.25, 0.2, 0.01, 0.02, -0.01]}\n", k,
            number(one, 120 + k, 0.5, 4), number(one, 110 + k, 0, 0.2));
    ADD(t, "joints:\n");
    if (s->free != LEFT_OUT)
        ADD(t, "  root: {kind: free, %s: {body: ground, position: [1, %.6f, 3], orientation: {axis: [1, 2, 3], angle: "
               "1}}, %s: {body: b0, position: [0.1, 0, 0.2], orientation: {axis: [0, 1, 1], angle: %.6f}}}\n",
            s->free == FROM_GROUND ? "a" : "b", number(one, 92, -1, 1), s->free == FROM_GROUND ? "b" : "a",
            number(one, 93, -2, 2));
    for (int k = s->floats; k < n; k++)
        add_joint(t, s, one, k);
    ADD(t, "forces:\n");
    for (int k = s->floats; k < n; k++)
        add_load(t, s, one, k, grows);
    ADD(t, "%s", s->driven ? "motions:\n" : "");
    for (int k = s->floats; k < n; k++)
        add_motion(t, s, one, k);
    if (s->floats)
        ADD(t, "start: {bodies: {b0: {position: [0.1, 0.2, 0.3], velocity: [%.6f, 0, 1], angular_velocity: [1, %.6f, "
               "-2]}}}\n", number(one, 90, -1, 1), number(one, 91, -2, 2));
    else
        ADD(t, "start: {joints: {j0: {q: %.6f, u: %.6f}}}\n", number(one, 90, -1, 1), number(one, 91, -2, 2));
    assert_true(t->used < ROOM);
}

static int length_of(const source *s) { return s->seed == 0 ? 7 : 2 + (int)number(s->seed, 1, 0, BODIES - 2); }

static clv_status make(void *user, int i, clv_model **model)
{
    const source *s = user;
    static _Thread_local text t;
    write_chain(&t, s, length_of(s) + (i == s->other ? -1 : 0), 77u * s->seed + (unsigned)i + 1, i == s->grows);
    return clv_model_read_text(model, t.at, t.used, "chain.yaml");
}

/* one of them is so fast that bodies are looked at one by one */
static clv_status prepare(void *user, int i, clv_sim *sim)
{
    const source *s = user;
    const double fast = 3e8;
    return i == s->fast ? clv_sim_set_joint(sim, 0, NULL, &fast) : CLV_OK;
}

static clv_ensemble_desc of(source *s, const char *formulation, const char *integrator)
{
    clv_ensemble_desc d = ensemble_of(s, N, formulation, integrator, 1e-3);
    d.make = make, d.prepare = prepare, d.time = 0.2, d.every = 0.013;
    return d;
}

/* alone and in lanes; how many were in lanes */
static int compare(source *s, const char *formulation, const char *integrator, int threads)
{
    clv_ensemble_desc d = of(s, formulation, integrator);
    d.apart = true;
    clv_ensemble *alone = ran(&d);
    assert_int_equal(in_lanes(alone, N), 0);
    assert_string_equal(clv_ensemble_alone(alone, 0), "as requested");
    d.apart = false, d.threads = threads;
    clv_ensemble *lanes = ran(&d);
    same(alone, lanes, N, s->seed);
    for (int i = 1; i < N && s->fast < 0; i++) /* they do move in different ways */
        assert_memory_not_equal(clv_ensemble_output(lanes, 0), clv_ensemble_output(lanes, i),
                                (size_t)clv_ensemble_output_count(lanes) * sizeof(double));
    const int n = in_lanes(lanes, N);
    clv_ensemble_destroy(alone), clv_ensemble_destroy(lanes);
    return n;
}

static void an_instance_in_a_lane_has_the_bits_it_has_alone(void **state)
{
    static const char *const integrator[] = {"dopri5", "bs23", "dop853", "rk4"};
    (void)state;
    for (unsigned seed = 0; seed < 16; seed++) {
        source s = {seed, seed % 2 == 0, seed % 3 > 0, seed % 4 > 1 && seed != 2, -1, -1, -1, NONE, LEFT_OUT, false};
        for (int k = 0; k < 4; k++)
            assert_int_equal(compare(&s, (seed + (unsigned)k) % 2 ? "hdca" : "dca", integrator[k], 1), N);
    }
}

/* of chains, trees and trees that float, with every lane width */
static void so_it_has_with_spherical_joints(void **state)
{
    static const char *const integrator[] = {"dopri5", "bs23", "dop853", "rk4"};
    (void)state;
    for (unsigned seed = 40; seed < 52; seed++) {
        const int k = (int)seed % CLV_CPU_WIDTHS;
        char lanes[8];
        snprintf(lanes, sizeof lanes, "%d", clv_cpu_width[k]);
        if (clv_cpu_runs(clv_cpu_width[k]))
            assert_int_equal(setenv("CLV_LANES", lanes, 1), 0);
        const bool tree = seed % 3 > 0 && seed != 43; /* that one has a spherical joint on another */
        source s = {seed, seed % 2 == 0, tree, false, -1, -1, -1, FORWARDS, LEFT_OUT, false};
        assert_int_equal(compare(&s, "hdca", integrator[seed % 4], 1 + (int)seed % 2), N);
        s.floats = seed % 4 > 1;
        assert_int_equal(compare(&s, "dca", integrator[seed / 3 % 4], 1), N);
        s = (source){seed, true, seed % 2 == 0, seed % 4 == 1, -1, -1, -1, ROW, LEFT_OUT, false};
        assert_int_equal(compare(&s, "dca", integrator[seed / 2 % 4], 2), N);
        unsetenv("CLV_LANES");
    }
}

/* with loads in prescribed joints, rotors and corners of tables, at which steps end */
static void so_it_has_with_motions(void **state)
{
    static const char *const integrator[] = {"dopri5", "bs23", "dop853", "rk4"};
    (void)state;
    for (unsigned seed = 80; seed < 92; seed++) {
        source s = {seed, seed % 2 == 0, seed % 3 > 0, seed % 4 > 1, -1, -1, -1, NONE, LEFT_OUT, true};
        assert_int_equal(compare(&s, "hdca", integrator[seed % 4], 1), N);
        assert_int_equal(compare(&s, "dca", integrator[seed / 2 % 4], 2), N);
    }
}

/* also those that are passed from the base to the ground */
static void so_it_has_with_free_joints(void **state)
{
    static const char *const integrator[] = {"dopri5", "bs23", "dop853", "rk4"};
    (void)state;
    for (unsigned seed = 60; seed < 68; seed++) {
        source s = {seed, seed % 2 == 0, seed % 3 > 0, true, -1, -1, -1, NONE, FROM_GROUND, false};
        assert_int_equal(compare(&s, "hdca", integrator[seed % 4], 1), N);
        assert_int_equal(compare(&s, "dca", integrator[seed / 2 % 4], 2), N);
        s.free = TO_GROUND;
        assert_int_equal(compare(&s, "dca", integrator[seed % 4], 1), N);
        assert_int_equal(compare(&s, "hdca", integrator[seed / 2 % 4], 1), 0);
    }
}

/* Directions of these turn with the parent; momenta are turned to others. */
static void spherical_joints_of_other_axes_run_alone(void **state)
{
    (void)state;
    source s = {7, true, true, true, -1, -1, -1, ROW, LEFT_OUT, false};
    assert_int_equal(compare(&s, "hdca", "dopri5", 1), 0);
    s = (source){7, true, false, false, -1, -1, -1, BACKWARDS, LEFT_OUT, false};
    assert_int_equal(compare(&s, "hdca", "dopri5", 1), 0);
    clv_ensemble_desc d = of(&s, "dca", "dopri5");
    clv_ensemble *e = ran(&d);
    assert_string_equal(clv_ensemble_alone(e, 0), "spherical joints whose first body is the outer one");
    clv_ensemble_destroy(e);
}

static void so_it_has_for_every_lane_width_and_thread_count(void **state)
{
    (void)state;
    for (int i = 0; i < CLV_CPU_WIDTHS; i++) {
        char lanes[8];
        if (!clv_cpu_runs(clv_cpu_width[i]))
            continue;
        snprintf(lanes, sizeof lanes, "%d", clv_cpu_width[i]);
        assert_int_equal(setenv("CLV_LANES", lanes, 1), 0);
        for (unsigned seed = 20; seed < 23; seed++) {
            source s = {seed, true, seed % 2 == 0, seed == 21, -1, -1, -1, NONE, LEFT_OUT, false};
            assert_int_equal(compare(&s, seed % 2 ? "hdca" : "dca", "dopri5", (int)seed - 19), N);
        }
    }
    unsetenv("CLV_LANES");
}

static void neighbours_that_fail_or_are_built_otherwise_change_nothing(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 3; threads++) {
        source s = {0, true, false, false, -1, 4, 11, NONE, LEFT_OUT, false};
        assert_int_equal(compare(&s, "hdca", "dopri5", threads), N - 2);
        assert_int_equal(compare(&s, "dca", "rk4", threads), N - 2);
        s = (source){0, true, false, false, 3, -1, -1, NONE, LEFT_OUT, false};
        clv_ensemble_desc d = of(&s, "hdca", "bs23");
        d.threads = threads, d.columns = "j0.q";
        clv_ensemble *e = ran(&d);
        assert_int_equal(clv_ensemble_status(e, 3), CLV_OK);
        assert_true(in_lanes(e, N) >= 1);
        if (threads == 1)
            assert_string_equal(clv_ensemble_alone(e, 3), "another structure than that of the other runs");
        d.apart = true;
        clv_ensemble *alone = ran(&d);
        same(alone, e, N, s.seed);
        clv_ensemble_destroy(e), clv_ensemble_destroy(alone);
    }
}

static void what_cannot_share_lanes_says_so(void **state)
{
    (void)state;
    source s = {0, true, false, false, -1, -1, -1, NONE, LEFT_OUT, false};
    clv_ensemble_desc d = of(&s, "massmatrix", "dopri5");
    clv_ensemble *e = ran(&d);
    assert_string_equal(clv_ensemble_alone(e, 0), "a formulation without lanes for several runs");
    assert_null(clv_ensemble_alone(e, N)), assert_null(clv_ensemble_alone(NULL, 0));
    clv_ensemble_destroy(e);
    d = of(&s, "hdca", "adams");
    e = ran(&d);
    assert_string_equal(clv_ensemble_alone(e, 0), "an integrator without lanes for several runs");
    clv_ensemble_destroy(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_instance_in_a_lane_has_the_bits_it_has_alone),
        cmocka_unit_test(so_it_has_with_spherical_joints),
        cmocka_unit_test(so_it_has_with_free_joints), cmocka_unit_test(so_it_has_with_motions),
        cmocka_unit_test(spherical_joints_of_other_axes_run_alone),
        cmocka_unit_test(so_it_has_for_every_lane_width_and_thread_count),
        cmocka_unit_test(neighbours_that_fail_or_are_built_otherwise_change_nothing),
        cmocka_unit_test(what_cannot_share_lanes_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
