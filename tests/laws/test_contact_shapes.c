/* SPDX-License-Identifier: Apache-2.0
 * Bodies with cylinders, capsules and boxes in contact (T106): energy and momentum of collisions without loss, depths
 * at rest, faces that rest for long, and a can that slides at its angle of friction. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "integrator/bdf.h"
#include "near.h"
#include "running.h"
#include "simulation/methods.h"

#define OK(call) assert_int_equal(call, CLV_OK)
#define G 9.81

static double rtol = 1e-10;

static clv_sim *start(const clv_model *m, const char *formulation, const char *integrator, double step)
{
    clv_sim_options o = clv_sim_options_default();
    o.formulation = formulation, o.integrator = integrator, o.step = step, o.rtol = rtol;
    return start_with(m, &o);
}

static const char *const shape[][2] = {{"box: [0.3, 0.4, 0.2]", "capsule: [0.1, 0.3]"},
                                       {"box: [0.3, 0.4, 0.2]", "cylinder: [0.12, 0.3]"},
                                       {"cylinder: [0.2, 0.2]", "sphere: 0.1"},
                                       {"cylinder: [0.2, 0.2]", "capsule: [0.08, 0.3]"},
                                       {"cylinder: [0.2, 0.2]", "cylinder: [0.12, 0.3]"}};
enum { SHAPES = sizeof shape / sizeof *shape };

/* Two bodies that turn meet in space: an edge, a rim or a cap on a face.  Without loss they keep the energy. */
static void collisions_keep_energy_and_momentum(void **state)
{
    (void)state;
    int met = 0;
    double worst = 0;
    for (int k = 0; k < SHAPES; k++)
        for (int turn = 0; turn < 3; turn++) {
            char text[1500];
            snprintf(text, sizeof text,
                     "cleave: 1\ngravity: [0, 0, 0]\nbodies:\n"
                     "  a: {mass: 1.5, inertia: from shape, shape: {%s}}\n"
                     "  b: {mass: 1, inertia: from shape, shape: {%s}}\n"
                     "joints: {}\nforces: {c: {kind: contact, between: [a, b], stiffness: 1e8}}\n"
                     "start:\n  bodies:\n"
                     "    a: {orientation: {axis: [1, %d, 2], angle: %g}, angular_velocity: [0.3, %g, 0.2]}\n"
                     "    b: {position: [0.05, 0.03, 0.7], velocity: [0, 0, -1.5], angular_velocity: [%g, 0.5, 0.3], "
                     "orientation: {axis: [0, 1, 1], angle: %g}}\n",
                     shape[k][0], shape[k][1], turn, 0.4 + 0.7 * turn, 0.2 * turn, 0.3 * turn - 0.5, 0.3 + 0.5 * turn);
            clv_model *m = read(text);
            clv_sim *s = start(m, "hdca", "dopri5", 0);
            clv_momentum p, q;
            clv_sim_report r;
            int n = 0;
            clv_sim_momentum(s, &p);
            for (int i = 1; i <= 100; i++) {
                advance(s, 0.006 * i);
                OK(clv_sim_contacts(s, 0, NULL, &n));
                met += n > 0;
            }
            clv_sim_momentum(s, &q);
            clv_sim_summary(s, &r);
            for (int c = 0; c < 3; c++) {
                CLV_NEAR(q.linear[c], p.linear[c], 1e-12);
                CLV_NEAR(q.angular[c], p.angular[c], 1e-8);
            }
            worst = fmax(worst, fabs(r.energy - r.energy_initial) / r.energy_initial);
            clv_sim_destroy(s), clv_model_destroy(m);
        }
    print_message("energy changes by at most %.2g\n", worst);
    assert_true(worst < 1e-7 && met > 0);
}

#define TABLE "  table: {mass: 1, inertia: from shape, shape: {box: [2, 2, 0.2]}}\n"
#define FIXED "joints:\n  f: {kind: fixed, a: {body: ground, position: [0, 0, -0.1]}, b: {body: table}}\n" \
              "  j: {kind: free, a: {body: ground}, b: {body: b}}\n"

/* What lies flat sinks in until its points carry its weight. */
static void depths_at_rest(void **state)
{
    (void)state;
    static const struct {
        const char *shape, *turn;
        double height;
        int points;
    } body[] = {{"cylinder: [0.1, 0.3]", "", 0.15, 4},
                {"cylinder: [0.1, 0.3]", ", orientation: {axis: [0, 1, 0], angle: 90 deg}", 0.1, 2},
                {"capsule: [0.1, 0.3]", ", orientation: {axis: [0, 1, 0], angle: 90 deg}", 0.1, 2}};
    for (size_t k = 0; k < sizeof body / sizeof *body; k++) {
        char text[1500];
        snprintf(text, sizeof text,
                 "cleave: 1\nbodies:\n" TABLE "  b: {mass: 2, inertia: from shape, shape: {%s}}\n" FIXED
                 "forces: {all: {kind: contacts, stiffness: 1e6, exponent: 1, dissipation: 3, dynamic_friction: 0.5}}\n"
                 "start: {bodies: {table: {position: [0, 0, -0.1]}, b: {position: [0.1, 0.2, %.9g]%s}}}\n",
                 body[k].shape, body[k].height, body[k].turn);
        clv_model *m = read(text);
        clv_sim *s = start(m, "hdca", clv_bdf_method.absent ? "dopri5" : "bdf", 0);
        advance(s, 3);
        CLV_NEAR(clv_sim_position(s)[3 + 2], body[k].height - 2 * G / (body[k].points * 1e6), 1e-9);
        CLV_NEAR(clv_sim_position(s)[3 + 0], 0.1, 1e-6);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

/* Rigid: a can on a can on a box, a bar across two cans; nothing creeps. */
static void rigid_stacks_rest(void **state)
{
    (void)state;
    clv_model *m = read("cleave: 1\nbodies:\n" TABLE
                        "  can1: {mass: 1, inertia: from shape, shape: {cylinder: [0.1, 0.3]}}\n"
                        "  can2: {mass: 1, inertia: from shape, shape: {cylinder: [0.1, 0.2]}}\n"
                        "  can3: {mass: 1, inertia: from shape, shape: {cylinder: [0.1, 0.3]}}\n"
                        "  block: {mass: 1, inertia: from shape, shape: {box: [0.3, 0.3, 0.1]}}\n"
                        "  bar: {mass: 1, inertia: from shape, shape: {capsule: [0.05, 0.6]}}\n"
                        "joints:\n  f: {kind: fixed, a: {body: ground, position: [0, 0, -0.1]}, b: {body: table}}\n"
                        "  j1: {kind: free, a: {body: ground}, b: {body: can1}}\n"
                        "  j2: {kind: free, a: {body: ground}, b: {body: can2}}\n"
                        "  j3: {kind: free, a: {body: ground}, b: {body: can3}}\n"
                        "  j4: {kind: free, a: {body: ground}, b: {body: block}}\n"
                        "  j5: {kind: free, a: {body: ground}, b: {body: bar}}\n"
                        "forces: {all: {kind: contacts, restitution: 0, dynamic_friction: 0.6}}\n"
                        "start:\n  bodies:\n    table: {position: [0, 0, -0.1]}\n"
                        "    can1: {position: [-0.5, 0, 0.15]}\n    can2: {position: [-0.48, 0.01, 0.4]}\n"
                        "    can3: {position: [0.3, 0, 0.15]}\n    block: {position: [0.3, 0, 0.35]}\n"
                        "    bar: {position: [0.31, 0.02, 0.45], orientation: {axis: [0, 1, 0], angle: 90 deg}}\n");
    clv_sim *s = start(m, "dca", "moreau", 1e-3);
    double first[18];
    clv_sim_report r;
    memcpy(first, clv_sim_position(s), sizeof first);
    for (int i = 1; i <= 20; i++) {
        advance(s, 0.1 * i);
        for (int c = 0; c < 18; c++)
            CLV_NEAR(clv_sim_position(s)[c], first[c], 1e-9);
    }
    clv_sim_summary(s, &r);
    assert_int_equal(r.contact_limited, 0);
    clv_sim_destroy(s), clv_model_destroy(m);
}

/* A can on an inclined box holds up to its angle of friction, and slides beyond. */
static void a_can_holds_up_to_its_angle(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        char text[1500];
        const double mu = 0.3, tan = mu * (k ? 1 + 1e-6 : 1 - 1e-6), c = 1 / sqrt(1 + tan * tan);
        snprintf(text, sizeof text,
                 "cleave: 1\ngravity: [%.17g, 0, %.17g]\nbodies:\n" TABLE
                 "  b: {mass: 2, inertia: from shape, shape: {cylinder: [0.1, 0.1]}}\n" FIXED
                 "forces: {all: {kind: contacts, restitution: 0, dynamic_friction: %g}}\n"
                 "start: {bodies: {table: {position: [0, 0, -0.1]}, b: {position: [0, 0, 0.05]}}}\n",
                 G * tan * c, -G * c, mu);
        clv_model *m = read(text);
        clv_sim *s = start(m, "dca", "moreau", 1e-3);
        advance(s, 1);
        const double v = clv_sim_velocity(s)[6];
        if (k == 0)
            CLV_NEAR(v, 0, 1e-10);
        else
            CLV_NEAR(v, G * c * mu * 1e-6, 1e-9);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(collisions_keep_energy_and_momentum),
        cmocka_unit_test(depths_at_rest),
        cmocka_unit_test(rigid_stacks_rest),
        cmocka_unit_test(a_can_holds_up_to_its_angle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
