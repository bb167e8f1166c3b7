/* SPDX-License-Identifier: Apache-2.0
 * Hulls of meshes, and bodies with several shapes, in contact (T105, T116): energy and momentum of collisions, depths
 * at rest, rigid ones that hold up to their angle, feet of several shapes, stairs of the ground. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "near.h"
#include "running.h"

#define OK(call) assert_int_equal(call, CLV_OK)
#define G        9.81
#define CUBE                                                                                                           \
    "points: [[-0.1, -0.1, -0.1], [0.1, -0.1, -0.1], [-0.1, 0.1, -0.1], [0.1, 0.1, -0.1], "                            \
    "[-0.1, -0.1, 0.1], [0.1, -0.1, 0.1], [-0.1, 0.1, 0.1], [0.1, 0.1, 0.1], [0, 0, 0]]"
#define GEM                                                                                                            \
    "points: [[0.2, 0, 0], [0, 0.15, 0.02], [-0.15, -0.05, 0], [0.05, -0.18, 0.03], [0, 0.03, 0.17], [0.02, 0, -0.2]]"

static clv_sim *start(const clv_model *m, const char *formulation, const char *integrator, double step)
{
    clv_sim_options o = clv_sim_options_default();
    o.formulation = formulation, o.integrator = integrator, o.step = step, o.rtol = 1e-10;
    return start_with(m, &o);
}

/* Two bodies meet in space.  Round ones keep the energy; of hulls among each other forces may jump (T69.4). */
static void collisions_keep_energy_and_momentum(void **state)
{
    (void)state;
    static const struct {
        const char *shape;
        double bound;
    } row[] = {{"sphere: 0.1", 1e-7},
               {"capsule: [0.08, 0.3]", 1e-7},
               {"cylinder: [0.12, 0.3]", 1e-7},
               {"box: [0.3, 0.2, 0.2]", 0.1},
               {GEM, 0.1}};
    for (size_t k = 0; k < sizeof row / sizeof *row; k++)
        for (int turn = 0; turn < 2; turn++) {
            char text[2000];
            snprintf(text, sizeof text,
                     "cleave: 1\ngravity: [0, 0, 0]\nbodies:\n"
                     "  a: {mass: 1.5, inertia: from shape, shape: {" GEM "}}\n"
                     "  b: {mass: 1, inertia: from shape, shape: {%s}}\n"
                     "joints: {}\nforces: {c: {kind: contact, between: [a, b], stiffness: 1e8}}\n"
                     "start:\n  bodies:\n"
                     "    a: {orientation: {axis: [1, %d, 2], angle: %g}, angular_velocity: [0.3, %g, 0.2]}\n"
                     "    b: {position: [0.05, 0.03, 0.6], velocity: [0, 0, -1.5], angular_velocity: [%g, 0.5, 0.3], "
                     "orientation: {axis: [0, 1, 1], angle: %g}}\n",
                     row[k].shape, turn, 0.4 + 0.7 * turn, 0.2 * turn, 0.3 * turn - 0.5, 0.3 + 0.5 * turn);
            clv_model *m = read(text);
            clv_sim *s = start(m, "hdca", "dopri5", 0);
            clv_momentum p, q;
            clv_sim_report r;
            clv_sim_momentum(s, &p);
            advance(s, 0.5);
            clv_sim_momentum(s, &q);
            clv_sim_summary(s, &r);
            for (int c = 0; c < 3; c++) {
                CLV_NEAR(q.linear[c], p.linear[c], 1e-11);
                CLV_NEAR(q.angular[c], p.angular[c], 1e-7);
            }
            if (fabs(r.energy - r.energy_initial) > row[k].bound * r.energy_initial)
                fail_msg("%s, %d: energy %g of %g", row[k].shape, turn, r.energy, r.energy_initial);
            assert_true(clv_sim_velocity(s)[6 + 2] > -1.4); /* they have met */
            clv_sim_destroy(s), clv_model_destroy(m);
        }
}

/* A cube of points lies on a plane, on a box and on another one until four points carry it. */
static void depths_at_rest(void **state)
{
    (void)state;
    static const char *const under[] = {"", "box: [2, 2, 0.2]",
                                        ("points: [[-1, -1, -0.1], [1, -1, -0.1], [-1, 1, -0.1], [1, 1, -0.1], "
                                         "[-1, -1, 0.1], [1, -1, 0.1], [-1, 1, 0.1], [1, 1, 0.1]]")};
    for (int k = 0; k < 3; k++) {
        char text[2000];
        snprintf(
            text, sizeof text,
            "cleave: 1\nbodies:\n  b: {mass: 2, inertia: from shape, shape: {" CUBE "}}\n%s%s%s"
            "joints:\n%s  j: {kind: free, a: {body: ground}, b: {body: b}}\n"
            "forces: {all: {kind: contacts, stiffness: 1e6, exponent: 1, dissipation: 3, dynamic_friction: 0.5%s}}\n"
            "start: {bodies: {b: {position: [0.1, 0.2, 0.1]}%s}}\n",
            k ? "  table: {mass: 1, inertia: from shape, shape: {" : "", under[k], k ? "}}\n" : "",
            k ? "  f: {kind: fixed, a: {body: ground, position: [0, 0, -0.1]}, b: {body: table}}\n" : "",
            k ? "" : ", normal: [0, 0, 1]", k ? ", table: {position: [0, 0, -0.1]}" : "");
        clv_model *m = read(text);
        clv_sim *s = start(m, "hdca", "dopri5", 0);
        advance(s, 1);
        CLV_NEAR(clv_sim_position(s)[2], 0.1 - 2 * G / 4e6, 1e-8);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

/* Rigid hulls: one on the other and on the floor, at rest for a second; on an incline up to the angle of friction. */
static void rigid_hulls_rest_and_hold(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        char text[2500];
        const double mu = 0.3, tan = k == 0 ? 0 : mu * (k == 1 ? 1 - 1e-6 : 1 + 1e-6), c = 1 / sqrt(1 + tan * tan);
        snprintf(text, sizeof text,
                 "cleave: 1\ngravity: [%.17g, 0, %.17g]\nbodies:\n"
                 "  a: {mass: 2, inertia: from shape, shape: {" CUBE "}}\n"
                 "  b: {mass: 1, inertia: from shape, shape: {" CUBE "}}\n"
                 "joints:\n  i: {kind: free, a: {body: ground}, b: {body: a}}\n"
                 "  j: {kind: free, a: {body: ground}, b: {body: b}}\n"
                 "forces: {all: {kind: contacts, normal: [0, 0, 1], restitution: 0, dynamic_friction: %g}}\n"
                 "start: {bodies: {a: {position: [0, 0, 0.1]}, b: {position: [%s]}}}\n",
                 G * tan * c, -G * c, mu, k == 0 ? "0.02, 0.01, 0.3" : "1, 0, 0.1");
        clv_model *m = read(text);
        clv_sim *s = start(m, "dca", "moreau", 1e-3);
        clv_sim_report r;
        advance(s, 1);
        clv_sim_summary(s, &r);
        assert_int_equal(r.contact_limited, 0);
        CLV_NEAR(clv_sim_velocity(s)[0], k == 2 ? G * c * mu * 1e-6 : 0, 1e-9);
        CLV_NEAR(clv_sim_position(s)[2], 0.1, 1e-9);
        if (k == 0)
            CLV_NEAR(clv_sim_position(s)[5], 0.3, 1e-9);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

/* A foot with a heel and a toe stands on a stair of the ground and on the floor; forces carry its weight. */
static void bodies_have_several_shapes(void **state)
{
    (void)state;
    static const char *const law[] = {"restitution: 0", "stiffness: 1e7, dissipation: 1"};
    for (int k = 0; k < 2; k++) {
        char text[2000];
        snprintf(text, sizeof text,
                 "cleave: 1\nbodies:\n  foot: {mass: 3, inertia: [0.02, 0.03, 0.03]}\n"
                 "shapes:\n  heel: {body: foot, sphere: 0.05, at: [-0.2, 0, 0]}\n"
                 "  left: {body: foot, sphere: 0.05, at: [0.2, 0.1, 0]}\n  right: {body: foot, sphere: 0.05, at: [0.2, "
                 "-0.1, 0]}\n"
                 "  stair: {body: ground, box: [1, 1, 0.2], at: [0.6, 0, -0.1]}\n"
                 "joints:\n  j: {kind: free, a: {body: ground}, b: {body: foot}}\n"
                 "forces:\n  all: {kind: contacts, normal: [0, 0, 1], %s, dynamic_friction: 0.8}\n"
                 "start: {bodies: {foot: {position: [0, 0, 0.05]}}}\n",
                 law[k]);
        clv_model *m = read(text);
        clv_sim *s = k ? start(m, "hdca", "dopri5", 0) : start(m, "dca", "moreau", 1e-3);
        clv_contact_pair pair[10];
        int n;
        double sum = 0;
        assert_int_equal(clv_model_shape_count(m), 4);
        assert_string_equal(clv_model_shape_name(m, 3), "stair");
        advance(s, 1);
        OK(clv_sim_contacts(s, 10, pair, &n));
        int stairs = 0;
        for (int i = 0; i < n; i++) {
            sum += pair[i].result.normal_force;
            assert_int_equal(pair[i].b, 0);
            stairs += pair[i].shape_a == 3;
        }
        assert_int_equal(stairs, 2); /* left and right stand on the stair, and on the floor within it */
        CLV_NEAR(sum, 3 * G, k ? 1e-3 * G : 1e-9);
        CLV_NEAR(clv_sim_position(s)[2], 0.05, 1e-3);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

/* `plane_only`: two balls fall through each other and rest on the floor.  `except`, by names of shapes, takes one away.
 */
static void lists_name_shapes(void **state)
{
    (void)state;
    static const char *const list[] = {"plane_only: true", "except: [[one, two]]", "among: [one], with: [two]", ""};
    for (int k = 0; k < 4; k++) {
        char text[2000];
        snprintf(text, sizeof text,
                 "cleave: 1\nbodies:\n  a: {mass: 1, inertia: [0.01, 0.01, 0.01]}\n  b: {mass: 1, inertia: [0.01, "
                 "0.01, 0.01]}\n"
                 "shapes:\n  one: {body: a, sphere: 0.1}\n  two: {body: b, sphere: 0.1}\n"
                 "joints:\n  i: {kind: free, a: {body: ground}, b: {body: a}}\n  j: {kind: free, a: {body: ground}, b: "
                 "{body: b}}\n"
                 "forces: {all: {kind: contacts, normal: [0, 0, 1], restitution: 0, %s}}\n"
                 "start: {bodies: {a: {position: [0, 0, 0.1]}, b: {position: [0, 0, 0.5]}}}\n",
                 list[k]);
        clv_model *m = read(text);
        clv_sim *s = start(m, "dca", "moreau", 1e-3);
        advance(s, 1);
        CLV_NEAR(clv_sim_position(s)[3 + 2], k < 2 ? 0.1 : 0.3, 5e-3);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

/* Boxes side by side and on the floor, as their numbers say: surfaces that just touch count, however sums round. */
static void what_just_touches_counts(void **state)
{
    (void)state;
    static const char *const law[] = {"restitution: 0", "stiffness: 1e6"};
    for (int k = 0; k < 2; k++) {
        char text[1500];
        snprintf(
            text, sizeof text,
            "cleave: 1\nbodies:\n  'b{i}': {repeat: 9, mass: 1, inertia: from shape, shape: {box: [0.1, 0.3, 0.7]}}\n"
            "joints:\n  'j{i}': {repeat: 9, kind: free, a: {body: ground}, b: {body: 'b{i}'}}\n"
            "forces: {all: {kind: contacts, normal: [0, 0, 1], point: [0, 0, 0.1], %s}}\n"
            "start: {bodies: {'b{i}': {repeat: 9, position: [0.1*i, 0.3, 0.1 + 0.35]}}}\n",
            law[k]);
        clv_model *m = read(text);
        clv_sim *s = k ? start(m, "hdca", "dopri5", 0) : start(m, "dca", "moreau", 1e-3);
        int n;
        OK(clv_sim_contacts(s, 0, NULL, &n));
        assert_int_equal(n, 9 + 8);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(collisions_keep_energy_and_momentum),
        cmocka_unit_test(depths_at_rest),
        cmocka_unit_test(rigid_hulls_rest_and_hold),
        cmocka_unit_test(bodies_have_several_shapes),
        cmocka_unit_test(lists_name_shapes),
        cmocka_unit_test(what_just_touches_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
