/* SPDX-License-Identifier: Apache-2.0
 * hdca takes no more steps than dca where thin bodies turn against the directions of their joints (T9.4), and moves
 * them the same way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>
#include "formulation/momentum_axes.h"
#include "near.h"
#include "simulation/sim.h"

enum { RODS = 3 };
typedef enum way { AS_TREE, AGAINST_TREE, GIMBAL } way; /* spherical joints from a to b, from b to a; hinges */

static void add_rod(clv_model *m, int i)
{
    char name[16];
    clv_body_desc b = clv_body_desc_default();
    snprintf(name, sizeof name, "rod%d", i);
    b.name = name, b.mass = 0.05, b.com[0] = 0.5;
    b.inertia[0] = 1e-6, b.inertia[1] = b.inertia[2] = 0.004;
    assert_int_equal(clv_model_add_body(m, NULL, &b), CLV_OK);
}

/* at the end of the body before (or on ground) and the origin of `outer`, turning by u */
static void join(clv_model *m, clv_joint_kind kind, const char *name, int before, int outer, bool against,
                 const double u[3])
{
    clv_joint_desc j = clv_joint_desc_default(kind);
    double *end = against ? j.position_b : j.position_a;
    j.name = name, j.a = against ? outer : before, j.b = against ? before : outer;
    j.has_u = true;
    for (int c = 0; c < 3; c++)
        j.u[c] = against ? -u[c] : u[c];
    end[0] = before < RODS && before != CLV_GROUND;
    assert_int_equal(clv_model_add_joint(m, NULL, &j), CLV_OK);
}

/* the joint by which rod i hangs on rod i - 1, or on ground; a gimbal: a universal joint, a ring and a hinge */
static void hang(clv_model *m, int i, way way)
{
    static const double rate[RODS][3] = {{3, 1, 2}, {0, -1, 3}, {1, 2, 1}};
    char name[16];
    const int before = i > 0 ? i - 1 : CLV_GROUND;
    snprintf(name, sizeof name, "joint%d", i);
    if (way != GIMBAL) {
        join(m, CLV_JOINT_SPHERICAL, name, before, i, way == AGAINST_TREE, rate[i]);
        return;
    }
    clv_body_desc ring = clv_body_desc_default();
    int body;
    ring.name = name;
    assert_int_equal(clv_model_add_body(m, &body, &ring), CLV_OK);
    join(m, CLV_JOINT_UNIVERSAL, name, before, body, false, rate[i]);
    snprintf(name, sizeof name, "hinge%d", i);
    join(m, CLV_JOINT_REVOLUTE, name, body, i, false, (const double[3]){rate[i][2], 0, 0});
}

static clv_model *chain(way way)
{
    clv_model *m;
    const double g[3] = {0, 0, -9.81};
    assert_int_equal(clv_model_create(&m, "thin rods"), CLV_OK);
    clv_model_set_gravity(m, g);
    for (int i = 0; i < RODS; i++)
        add_rod(m, i);
    for (int i = 0; i < RODS; i++)
        hang(m, i, way);
    assert_int_equal(clv_model_finish(m), CLV_OK);
    return m;
}

static clv_sim_report run(const clv_model *m, const char *formulation, const char *integrator, double rtol, double *x)
{
    clv_sim *s;
    clv_sim_report r;
    clv_sim_options o = clv_sim_options_default();
    o.formulation = formulation, o.integrator = integrator, o.rtol = rtol;
    assert_int_equal(clv_sim_create(&s, m, &o), CLV_OK);
    if (clv_sim_advance(s, 0.4) != CLV_OK)
        fail_msg("%s", clv_sim_error(s)->message);
    for (int i = 0; i < 3 * RODS; i++)
        x[i] = clv_sim_position(s)[i];
    clv_sim_summary(s, &r);
    clv_sim_destroy(s);
    return r;
}

static void compare(const clv_model *m)
{
    static const char *const integrator[] = {"dopri5", "dop853", "adams"};
    double x[3 * RODS], y[3 * RODS];
    for (int i = 0; i < 3; i++) {
        const clv_sim_report h = run(m, "hdca", integrator[i], 1e-6, x), d = run(m, "dca", integrator[i], 1e-6, y);
        assert_true(h.steps <= 2 * d.steps);
    }
    run(m, "dca", "dop853", 1e-10, y);
    for (int i = 0; i < 3; i++) {
        assert_true(run(m, "hdca", integrator[i], 1e-10, x).max_energy_drift < 1e-7);
        for (int k = 0; k < 3 * RODS; k++)
            CLV_NEAR(x[k], y[k], 2e-7);
    }
}

static void chains_of_thin_rods_take_as_few_steps_as_accelerations(void **state)
{
    (void)state;
    for (int way = AS_TREE; way <= GIMBAL; way++) {
        clv_model *m = chain(way);
        compare(m);
        clv_model_destroy(m);
    }
}

static void a_loop_with_a_thin_rod_on_a_gimbal_does(void **state)
{
    (void)state;
    clv_model *m;
    double x[3 * RODS];
    assert_int_equal(clv_model_read(&m, CLV_SOURCE_DIR "/tests/models/thin_rod_gimbal.yaml"), CLV_OK);
    const long h = run(m, "hdca", "dopri5", 1e-6, x).steps, d = run(m, "dca", "dopri5", 1e-6, x).steps;
    assert_true(h <= 2 * d);
    compare(m);
    clv_model_destroy(m);
}

/* turning there and back is the identity */
static void state_and_joint_momenta_belong_together(void **state)
{
    (void)state;
    for (int way = AS_TREE; way <= GIMBAL; way++) {
        clv_model *m = chain(way);
        clv_sim *s;
        clv_sim_options o = clv_sim_options_default();
        double p[3 * RODS], rest[3 * RODS];
        assert_int_equal(clv_sim_create(&s, m, &o), CLV_OK);
        assert_int_equal(((clv_momentum_axes *)s->system.private_state)->count, RODS);
        assert_int_equal(clv_sim_advance(s, 0.3), CLV_OK);
        assert_int_equal(clv_system_pose(&s->system, s->out_time, s->out_y), CLV_OK);
        for (int i = 0; i < 3 * RODS; i++)
            p[i] = rest[i] = sin(1.0 + i);
        clv_momentum_axes_turn(&s->system, p);
        double moved = 0;
        for (int i = 0; i < 3 * RODS; i++)
            moved = fmax(moved, fabs(p[i] - rest[i]));
        assert_true(moved > 0.1);
        clv_momentum_axes_turn_back(&s->system, p);
        for (int i = 0; i < 3 * RODS; i++)
            CLV_NEAR(p[i], rest[i], 1e-13);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

/* other models keep the momenta along their joints, and with them the bits of their runs */
static void examples_are_not_touched(void **state)
{
    (void)state;
    static const char *const name[] = {"chain", "loop-7r", "tree-robot", "satellite", "jsc-18", "bricard"};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        clv_model *m;
        clv_sim *s;
        assert_int_equal(clv_example_create(&m, name[i], NULL, 0), CLV_OK);
        assert_int_equal(clv_sim_create(&s, m, NULL), CLV_OK);
        assert_int_equal(((clv_momentum_axes *)s->system.private_state)->count, 0);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* processor time of a simulation of n bodies on spherical joints */
static double creation_of(int n)
{
    clv_model *m;
    clv_sim *s;
    assert_int_equal(clv_model_create(&m, "beads"), CLV_OK);
    for (int i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, "bead%d", i);
        clv_body_desc b = clv_body_desc_default();
        b.name = name, b.mass = 1, b.com[0] = 0.5;
        b.inertia[0] = b.inertia[1] = b.inertia[2] = 0.1;
        assert_int_equal(clv_model_add_body(m, NULL, &b), CLV_OK);
        clv_joint_desc j = clv_joint_desc_default(CLV_JOINT_SPHERICAL);
        j.name = name, j.a = i > 0 ? i - 1 : CLV_GROUND, j.b = i;
        j.position_a[0] = i > 0;
        assert_int_equal(clv_model_add_joint(m, NULL, &j), CLV_OK);
    }
    assert_int_equal(clv_model_finish(m), CLV_OK);
    const double before = seconds();
    assert_int_equal(clv_sim_create(&s, m, NULL), CLV_OK);
    const double spent = seconds() - before;
    clv_sim_destroy(s), clv_model_destroy(m);
    return spent;
}

/* 32 times the bodies: linear 32, quadratic 1024 */
static void creation_takes_time_in_proportion_to_the_bodies(void **state)
{
    (void)state;
    double few = creation_of(1000), many = creation_of(32000);
    for (int i = 0; i < 2; i++) { /* the best of three: other processes disturb */
        const double again = creation_of(1000), more = creation_of(32000);
        few = again < few ? again : few, many = more < many ? more : many;
    }
    printf("creation of 1000 and 32000 bodies: %.3g and %.3g s\n", few, many);
    assert_true(many < 100 * few);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_of_thin_rods_take_as_few_steps_as_accelerations),
        cmocka_unit_test(a_loop_with_a_thin_rod_on_a_gimbal_does),
        cmocka_unit_test(state_and_joint_momenta_belong_together),
        cmocka_unit_test(examples_are_not_touched),
        cmocka_unit_test(creation_takes_time_in_proportion_to_the_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
