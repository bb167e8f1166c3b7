/* SPDX-License-Identifier: Apache-2.0
 * Absolute plans (T22): every body floats, every joint closes.  At the same poses and velocities the mechanics is that
 * of the ordinary plan: rows closed, accelerations and reactions equal, on random systems with motions, couplings,
 * springs and drives.
 *
 * Bound: relative difference <= 100 eps cond or 1e-9, cond of the oracle's scaled KKT matrix. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "math/rotation.h"
#include "near.h"
#include "oracle/oracle.h"
#include "oracle/random_system.h"
#include "simulation/sim.h"
#include "thorough.h"

static const double EPS = 2.2e-16;

typedef struct machine {
    clv_system s;
    clv_plan *plan;
    clv_arena arena;
    clv_error error;
    double *q, *u, *rows;
} machine;

/* an absolute system at the output state of a simulation */
static machine *absolute_of(const clv_sim *from)
{
    machine *k = calloc(1, sizeof *k);
    clv_plan_options o = {.absolute = true};
    assert_int_equal(clv_plan_create(&k->plan, from->model, &o, &k->error), CLV_OK);
    clv_system_layout(&k->s, from->model, k->plan, &k->arena);
    assert_true(clv_arena_open(&k->arena));
    clv_system_layout(&k->s, from->model, k->plan, &k->arena);
    k->s.error = &k->error;
    clv_engine_begin(&k->s.engine, from->report.rank, from->kernels);
    clv_kinematics_begin(&k->s.kin);
    k->q = calloc((size_t)k->plan->nq, sizeof(double)), k->u = calloc((size_t)k->plan->nu, sizeof(double));
    k->rows = calloc((size_t)k->plan->nclosing_row + 1, sizeof(double));
    for (int b = 0; b < k->plan->nbody; b++) {
        double *q = k->q + k->plan->tree[b].iq, *u = k->u + k->plan->tree[b].iu;
        memcpy(q, from->out_r + 3 * b, 3 * sizeof(double));
        clv_quat_from_rotation(q + 3, from->system.kin.R + 9 * b);
        memcpy(u, from->out_V + 6 * b, 3 * sizeof(double));
        clv_mat3_transpose_times(u + 3, from->system.kin.R + 9 * b, from->out_V + 6 * b + 3);
    }
    for (int e = 0; e < k->plan->nedge; e++) { /* whole turns of the joints */
        int j = k->plan->edge[e].joint;
        clv_joint_result r;
        if (j < 0)
            continue;
        assert_int_equal(clv_sim_joint((clv_sim *)from, j, &r), CLV_OK);
        memcpy(k->s.kin.turn + 6 * e, r.q, 6 * sizeof(double));
    }
    return k;
}

static void close_machine(machine *k)
{
    clv_plan_destroy(k->plan);
    clv_arena_close(&k->arena);
    free(k->q), free(k->u), free(k->rows), free(k);
}

static double largest(const double *x, int n)
{
    double m = 0;
    for (int i = 0; i < n; i++)
        m = fmax(m, fabs(x[i]));
    return m;
}

/* relative difference of accelerations in the norm of the masses */
static double difference(const clv_sim *s, const clv_system *k)
{
    double dd = 0, all = 1e-24;
    for (int b = 0; b < s->model->nbody; b++) {
        double d[6], I[6], A[6];
        for (int i = 0; i < 6; i++) /* reference points of the absolute plan are centres of mass */
            d[i] = k->x[6 * b + i] - s->out_A[6 * b + i];
        memcpy(A, s->out_A + 6 * b, sizeof A);
        clv_inertia_times(I, k->engine.mass + 21 * b, d), dd += clv_dot6(I, d);
        clv_inertia_times(I, k->engine.mass + 21 * b, A), all += clv_dot6(I, A);
    }
    return sqrt(dd / all);
}

static double condition_at(clv_sim *s)
{
    oracle *o = oracle_create(s->model);
    double *q = calloc(7 * (size_t)s->model->njoint + 1, sizeof(double));
    for (int j = 0; j < s->model->njoint; j++) {
        clv_joint_result r;
        assert_int_equal(clv_sim_joint(s, j, &r), CLV_OK);
        memcpy(q + 7 * j, r.q, sizeof r.q);
    }
    oracle_set(o, s->out_time, s->system.kin.com, s->system.kin.R, s->out_V, q);
    real *a = malloc((size_t)o->n * sizeof(real)), *mu = malloc((size_t)(o->rows + 1) * sizeof(real));
    oracle_accelerations(o, a, mu);
    double cond = (double)o->condition;
    free(a), free(mu), free(q);
    oracle_destroy(o);
    return cond;
}

static double worst_gap, worst_speed, worst_acceleration;
static int motions, couplings, gears_turned, near_redundant;

static void compare(clv_sim *s, int seed)
{
    machine *k = absolute_of(s);
    clv_system *y = &k->s;
    double cond = condition_at(s), bound = fmax(1e-9, 100 * EPS * cond);
    assert_int_equal(clv_system_place(y, s->out_time, k->q), CLV_OK);
    clv_kinematics_violation(&y->kin, k->rows);
    double gap = largest(k->rows, k->plan->nclosing_row) / s->size;
    clv_kinematics_velocities(&y->kin, k->u);
    clv_kinematics_velocity_violation(&y->kin, k->rows);
    double speed = largest(k->rows, k->plan->nclosing_row) / fmax(1, largest(s->out_V, 6 * s->plan->nbody));
    clv_kinematics_rates(&y->kin);
    assert_int_equal(clv_system_loads(y), CLV_OK);
    clv_system_accelerate(y);
    double d = difference(s, y);
    if (y->engine.max_dropped > 1e-9) { /* these rows come near the rank threshold: nothing to compare */
        near_redundant++;
        close_machine(k);
        return;
    }
    if (gap > 1e-12 || speed > 1e-9 || d > bound)
        print_error("seed %d: gap %.2e, speed %.2e, accelerations differ by %.2e, cond %.1e\n", seed, gap, speed, d,
                    cond);
    assert_true(gap <= 1e-12);
    assert_true(speed <= 1e-9);
    assert_true(d <= bound);
    worst_gap = fmax(worst_gap, gap), worst_speed = fmax(worst_speed, speed);
    worst_acceleration = fmax(worst_acceleration, d / fmax(1e-9, 100 * EPS * cond));
    for (int e = 0; e < k->plan->nedge; e++) {
        motions += k->plan->edge[e].motion >= 0, couplings += k->plan->edge[e].coupling >= 0;
        if (k->plan->edge[e].coupling >= 0)
            for (int i = 0; i < s->model->coupling[k->plan->edge[e].coupling].nterm; i++) {
                const clv_coupling *c = &s->model->coupling[k->plan->edge[e].coupling];
                gears_turned += fabs(y->kin.turn[6 * k->plan->edge_of_joint[c->term[i].joint]]) > 3.2;
            }
    }
    close_machine(k);
}

static void random_systems_move_alike(void **state)
{
    (void)state;
    int n = random_count(400, 160);
    for (int seed = 1; seed <= n; seed++) {
        clv_model *m;
        clv_sim *s;
        clv_sim_options o = clv_sim_options_default();
        assert_int_equal(random_system_create((uint64_t)seed, (random_kind)(seed % RANDOM_KINDS), 0, &m, NULL), CLV_OK);
        o.formulation = "dca";
        assert_int_equal(clv_sim_create(&s, m, &o), CLV_OK);
        assert_int_equal(clv_sim_evaluate(s), CLV_OK);
        compare(s, seed);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
    printf("worst gap %.1e of the size, speed %.1e, accelerations %.2g of the bound; %d driven joints, %d couplings, "
           "%d turned\n",
           worst_gap, worst_speed, worst_acceleration, motions, couplings, gears_turned);
    assert_true(motions > 20 && couplings > 20 && near_redundant <= 2);
}

/* a motor drives a gear over several turns: the rows of motion and coupling know the whole turns */
static void motor_and_gear_over_several_turns(void **state)
{
    (void)state;
    clv_model *m;
    clv_sim *s;
    assert_int_equal(clv_model_create(&m, "gear"), CLV_OK);
    for (int b = 0; b < 2; b++) {
        clv_body_desc d = clv_body_desc_default();
        d.name = b ? "wheel" : "pinion", d.mass = 1 + b, d.placed = true;
        d.inertia[0] = d.inertia[1] = d.inertia[2] = 0.1 * (1 + b);
        d.com[0] = 0.1, d.position[0] = b;
        assert_int_equal(clv_model_add_body(m, NULL, &d), CLV_OK);
        clv_joint_desc j = clv_joint_desc_default(CLV_JOINT_REVOLUTE);
        j.name = b ? "out" : "in", j.a = CLV_GROUND, j.b = b, j.global = true, j.at[0] = b, j.axis[0] = 0.6,
        j.axis[2] = 0.8;
        assert_int_equal(clv_model_add_joint(m, NULL, &j), CLV_OK);
    }
    clv_motion_desc d = clv_motion_desc_default();
    d.name = "motor", d.joint = 0, d.rate = 5;
    assert_int_equal(clv_model_add_motion(m, NULL, &d), CLV_OK);
    clv_coupling_desc g = clv_coupling_desc_default();
    g.name = "gear", g.first = 0, g.second = 1, g.ratio = -1.5;
    assert_int_equal(clv_model_add_coupling(m, NULL, &g), CLV_OK);
    assert_int_equal(clv_model_finish(m), CLV_OK);
    clv_sim_options o = clv_sim_options_default();
    o.formulation = "dca";
    assert_int_equal(clv_sim_create(&s, m, &o), CLV_OK);
    for (int i = 0; i <= 40; i++) {
        if (i > 0)
            assert_int_equal(clv_sim_advance(s, 0.1 * i), CLV_OK);
        assert_int_equal(clv_sim_evaluate(s), CLV_OK);
        compare(s, i);
    }
    assert_true(gears_turned > 10);
    clv_sim_destroy(s), clv_model_destroy(m);
}

/* one body on a torsion spring, three turns to either side; its hinge in the tree or closing a loop of one */
static double spring_angle(bool cut, const char *formulation, double time)
{
    clv_model *m;
    clv_sim *s;
    assert_int_equal(clv_model_create(&m, "spring"), CLV_OK);
    clv_body_desc d = clv_body_desc_default();
    d.name = "body", d.mass = 1, d.placed = d.moving = true, d.com[0] = 0.2;
    d.inertia[0] = d.inertia[1] = d.inertia[2] = 0.1;
    d.angular_velocity[2] = 20;
    assert_int_equal(clv_model_add_body(m, NULL, &d), CLV_OK);
    clv_joint_desc j = clv_joint_desc_default(CLV_JOINT_REVOLUTE);
    j.name = "hinge", j.a = CLV_GROUND, j.b = 0, j.global = true, j.axis[2] = 1, j.cut = cut ? 1 : -1;
    assert_int_equal(clv_model_add_joint(m, NULL, &j), CLV_OK);
    clv_force_desc f = clv_force_desc_default(CLV_FORCE_JOINT);
    f.name = "spring", f.joint = 0, f.stiffness = 0.14;
    assert_int_equal(clv_model_add_force(m, NULL, &f), CLV_OK);
    assert_int_equal(clv_model_finish(m), CLV_OK);
    clv_sim_options o = clv_sim_options_default();
    o.formulation = formulation, o.rtol = 1e-10;
    assert_int_equal(clv_sim_create(&s, m, &o), CLV_OK);
    clv_joint_result r;
    double most = 0, q = 0;
    for (int i = 1; i <= 50; i++) {
        assert_int_equal(clv_sim_advance(s, time * i / 50), CLV_OK);
        assert_int_equal(clv_sim_joint(s, 0, &r), CLV_OK);
        assert_int_equal(r.tree, !cut);
        most = fmax(most, fabs(q = r.q[0]));
    }
    assert_true(most > 6 * 3.1);
    clv_sim_destroy(s), clv_model_destroy(m);
    return q;
}

static void springs_on_closing_joints_count_turns(void **state)
{
    (void)state;
    double tree = spring_angle(false, "dca", 6);
    CLV_NEAR(spring_angle(true, "dca", 6), tree, 1e-7);
    CLV_NEAR(spring_angle(true, "hdca", 6), tree, 1e-7);
    CLV_NEAR(tree, 20 * sin(6.0), 1e-7); /* inertia about the hinge 0.1 + 0.04 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_systems_move_alike),
        cmocka_unit_test(motor_and_gear_over_several_turns),
        cmocka_unit_test(springs_on_closing_joints_count_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
