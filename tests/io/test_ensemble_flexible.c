/* SPDX-License-Identifier: Apache-2.0
 * Instances with flexible bodies in lanes (T85, T132): each has the bits that it has alone.  Random trees of rigid and
 * flexible bodies, entered at the frame or at a node, on ground or floating, joined by every kind of joint that lanes
 * take; in each instance with other lengths, sections, stiffnesses and loads.  And chains that are cut into strands. */
#include "ensembles.h"
#include "base/cpu.h"
#include <stdlib.h>

enum { N = 11, BODIES = 8 };

typedef struct source {
    unsigned seed; /* of the structure                              */
    bool floats;   /* the first body is held by nothing             */
    int fast;      /* instance whose boom turns too fast, -1: none  */
    const char *joint; /* kind of all joints on flexible bodies, or NULL: mixed */
} source;

static bool is_flexible(const source *s, int k) { return k == 1 || (k > 1 && number(s->seed, 10 + k, 0, 1) < 0.5); }
static int parent_of(const source *s, int k) { return k == 1 ? 0 : (int)number(s->seed, 30 + k, 0, k); }
static bool on_flexible(const source *s, int k)
{
    return k > 0 && (is_flexible(s, k) || is_flexible(s, parent_of(s, k)));
}
static const char *kind_of(const source *s, int k)
{
    static const char *const kind[] = {"revolute", "prismatic", "fixed", "universal", "cylindrical", "planar"};
    if (s->joint && on_flexible(s, k))
        return s->joint;
    return k == 0 ? kind[0] : kind[(int)number(s->seed, 50 + k, 0, on_flexible(s, k) ? 3 : 6)];
}

static void add_body(text *t, const source *s, unsigned one, int k)
{
    static const char *const modes[] = {"{bend_z: 2, twist: 1}", "{bend_y: 1, bend_z: 1}", "{bend_z: 1}",
                                        "{bend_y: 2, bend_z: 2}"};
    if (!is_flexible(s, k)) {
        ADD(t, "  b%d: {mass: %.6f, com: [0.01, 0.02, %.6f], inertia: [0.3, 0.25, 0.2, 0.01, 0.02, -0.01]}\n", k,
            number(one, 70 + k, 1, 4), number(one, 90 + k, 0, 0.2));
        return;
    }
    const double length = number(one, 110 + k, 0.8, 1.2);
    ADD(t, "  b%d: {flexible: {beam: {length: %.6f, density: %.3f, young: %.6e, shear: 2.7e9, rectangle: [0.1, 0.03], "
           "modes: %s, nodes: {tip: %.6f, mid: %.6f}}, damping_ratio: %.5f, spin_limit: 300}}\n",
        k, length, number(one, 130 + k, 500, 2700), number(one, 150 + k, 1e8, 2e9),
        modes[(int)number(s->seed, 170 + k, 0, 4)], length, 0.5 * length, number(one, 190 + k, 0, 0.05));
}

static void add_joint(text *t, const source *s, unsigned one, int k)
{
    const int on = k == 0 ? -1 : parent_of(s, k);
    char before[24] = "ground";
    static const char *const node[] = {"", ".tip", ".mid"};
    const bool flexible = on >= 0 && is_flexible(s, on);
    if (on >= 0)
        snprintf(before, sizeof before, "b%d%s", on, flexible ? node[(int)number(s->seed, 210 + k, 0, 3)] : "");
    ADD(t, "  j%d: {kind: %s, %sa: {body: %s, position: [%.6f, %.6f, 0], orientation: {axis: [1, 2, 0.5], angle: "
           "%.4f}}, b: {body: b%d%s, position: [0.02, 0, %.6f]}}\n",
        k, kind_of(s, k), strcmp(kind_of(s, k), "revolute") == 0 && k % 3 == 1 ? "armature: 0.05, " : "", before,
        flexible ? 0.0 : number(one, 230 + k, 0.1, 0.3), flexible ? 0.0 : 0.1, number(s->seed, 250 + k, -2, 2), k,
        is_flexible(s, k) ? node[(int)number(s->seed, 270 + k, 0, 3)] : "", number(one, 290 + k, -0.1, 0.1));
}

static void add_load(text *t, const source *s, unsigned one, int k)
{
    if (strcmp(kind_of(s, k), "revolute") != 0 && strcmp(kind_of(s, k), "prismatic") != 0)
        return;
    ADD(t, "  f%d: {kind: joint-load, joint: j%d, stiffness: %.5f, damping: %.5f, rest: %.5f%s}\n", k, k,
        number(one, 310 + k, 5, 60), number(one, 330 + k, 0, 2), number(one, 350 + k, -0.5, 0.5),
        s->seed % 5 == 4 && k % 2 == 1 ? ", effort_limit: 3" : ""); /* evaluated lane by lane */
}

static void write_tree(text *t, const source *s, unsigned one, bool fast)
{
    const int n = 3 + (int)number(s->seed, 1, 0, BODIES - 3);
    t->used = 0;
    ADD(t, "cleave: 1\nbodies:\n");
    for (int k = 0; k < n; k++)
        add_body(t, s, one, k);
    ADD(t, "joints:\n");
    for (int k = s->floats; k < n; k++)
        add_joint(t, s, one, k);
    ADD(t, "forces:\n");
    for (int k = s->floats; k < n; k++)
        add_load(t, s, one, k);
    if (s->floats)
        ADD(t, "start: {bodies: {b0: {position: [0.1, 0.2, 0.3], velocity: [%.6f, 0, 1], angular_velocity: [1, %.6f, "
               "%.6f]}}}\n", number(one, 371, -1, 1), number(one, 372, -2, 2), fast ? 400.0 : -2.0);
    else
        ADD(t, "start: {joints: {j0: {q: %.6f, u: %.6f}}}\n", number(one, 371, -1, 1),
            fast ? 400.0 : number(one, 372, -2, 2));
    assert_true(t->used < ROOM);
}

static clv_status make(void *user, int i, clv_model **model)
{
    const source *s = user;
    static _Thread_local text t;
    write_tree(&t, s, 77u * s->seed + (unsigned)i + 1, i == s->fast);
    const clv_status st = clv_model_read_text(model, t.at, t.used, "tree.yaml");
    if (st != CLV_OK)
        fprintf(stderr, "%s\n%s", clv_model_error(*model)->message, t.at);
    return st;
}

static clv_ensemble_desc of(source *s, const char *formulation, const char *integrator)
{
    clv_ensemble_desc d = ensemble_of(s, N, formulation, integrator, 2e-4);
    d.make = make, d.time = 0.02, d.every = 0.003;
    return d;
}

/* alone and in lanes; how many were in lanes */
static int compare(source *s, const char *formulation, const char *integrator, int threads)
{
    clv_ensemble_desc d = of(s, formulation, integrator);
    d.apart = true;
    clv_ensemble *alone = ran(&d);
    d.apart = false, d.threads = threads;
    clv_ensemble *lanes = ran(&d);
    for (int i = 0; i < N && s->fast < 0; i++)
        if (clv_ensemble_alone(lanes, i) || clv_ensemble_status(lanes, i) != CLV_OK)
            fail_msg("seed %u, instance %d: %s, %s", s->seed, i, clv_ensemble_alone(lanes, i),
                     clv_ensemble_instance_error(lanes, i)->message);
    same(alone, lanes, N, s->seed);
    const int n = in_lanes(lanes, N);
    clv_ensemble_destroy(alone), clv_ensemble_destroy(lanes);
    return n;
}

static void an_instance_in_a_lane_has_the_bits_it_has_alone(void **state)
{
    static const char *const integrator[] = {"dopri5", "bs23", "rk4", "dop853"};
    (void)state;
    for (unsigned seed = 0; seed < 24; seed++) {
        source s = {seed, seed % 3 == 1, -1, NULL};
        assert_int_equal(compare(&s, seed % 2 ? "hdca" : "dca", integrator[seed / 2 % 4], 1), N);
        assert_int_equal(compare(&s, seed % 2 ? "dca" : "hdca", integrator[(seed / 2 + 1) % 4], 1), N);
    }
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
        for (unsigned seed = 30; seed < 33; seed++) {
            source s = {seed, seed == 31, -1, NULL};
            assert_int_equal(compare(&s, seed % 2 ? "hdca" : "dca", "dopri5", (int)seed - 29), N);
        }
    }
    unsetenv("CLV_LANES");
}

static void a_neighbour_that_turns_too_fast_changes_nothing(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < 2; seed++) {
        source s = {seed, seed == 1, 4, "fixed"};
        clv_ensemble_desc d = of(&s, seed ? "hdca" : "dca", "dopri5");
        clv_ensemble *e = ran(&d);
        assert_int_equal(clv_ensemble_status(e, 4), CLV_ERR_UNSUPPORTED);
        assert_int_equal(clv_ensemble_status(e, 3), CLV_OK);
        clv_ensemble_destroy(e);
        compare(&s, seed ? "hdca" : "dca", "dopri5", 1);
    }
}

/* a chain of 40 links is cut into strands, whose tips and bases are joined */
static clv_status make_long(void *user, int i, clv_model **model)
{
    static _Thread_local text t;
    const unsigned one = (unsigned)i + 1;
    (void)user;
    t.used = 0;
    ADD(&t, "cleave: 1\nbodies:\n");
    for (int k = 0; k < 40; k++)
        ADD(&t, "  b%d: {mass: %.6f, com: [0, 0, %.6f], inertia: [0.03, 0.025, 0.02]}\n", k, number(one, k, 0.5, 2),
            number(one, 50 + k, 0.05, 0.2));
    ADD(&t, "joints:\n");
    for (int k = 0; k < 40; k++)
        ADD(&t, "  j%d: {kind: revolute, a: {body: %s%.0d, position: [0, 0, 0.2], orientation: {axis: [1, %d, 0.5], "
                "angle: 0.3}}, b: {body: b%d}}\n",
            k, k == 0 ? "ground" : k == 1 ? "b0" : "b", k < 2 ? 0 : k - 1, k % 3, k);
    assert_true(t.used < ROOM);
    return clv_model_read_text(model, t.at, t.used, "chain.yaml");
}

static void a_long_chain_has_the_bits_it_has_alone(void **state)
{
    (void)state;
    for (int momenta = 0; momenta < 2; momenta++) {
        source s = {0, false, -1, NULL};
        clv_ensemble_desc d = of(&s, momenta ? "hdca" : "dca", "dopri5");
        d.make = make_long, d.time = 0.2, d.every = 0.05, d.apart = true;
        clv_ensemble *alone = ran(&d);
        d.apart = false;
        clv_ensemble *lanes = ran(&d);
        assert_int_equal(in_lanes(lanes, N), N);
        same(alone, lanes, N, s.seed);
        clv_ensemble_destroy(alone), clv_ensemble_destroy(lanes);
    }
}

static void what_lanes_do_not_take_runs_alone(void **state)
{
    (void)state;
    source s = {0, false, -1, "universal"};
    clv_ensemble_desc d = of(&s, "hdca", "dopri5");
    clv_ensemble *e = ran(&d);
    assert_int_equal(clv_ensemble_status(e, 0), CLV_OK);
    assert_non_null(strstr(clv_ensemble_alone(e, 0), "a joint on a flexible body"));
    clv_ensemble_destroy(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_instance_in_a_lane_has_the_bits_it_has_alone),
        cmocka_unit_test(so_it_has_for_every_lane_width_and_thread_count),
        cmocka_unit_test(a_neighbour_that_turns_too_fast_changes_nothing),
        cmocka_unit_test(a_long_chain_has_the_bits_it_has_alone),
        cmocka_unit_test(what_lanes_do_not_take_runs_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
