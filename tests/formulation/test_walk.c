/* SPDX-License-Identifier: Apache-2.0
 * Rate evaluations in lanes (walk.c) are those made body by body, for trees and chains of every shape that rows take:
 * limbs on limbs, long chains that are cut, floating bases, reversed joints, springs, drives, inputs; for closed
 * chains, rings, ladders, loops that share bodies, couplings; and they take them (T43). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "oracle/random_system.h"
#include "formulation/walk.h"
#include "simulation/sim.h"

/* a body with random inertia, a joint of a lane kind, or none, to an earlier body or ground */
static void add_link(clv_model *m, random_stream *r, int i, int parent, bool floats)
{
    char name[16], joint[16];
    clv_body_desc b = clv_body_desc_default();
    static const clv_joint_kind kinds[] = {CLV_JOINT_REVOLUTE, CLV_JOINT_REVOLUTE, CLV_JOINT_REVOLUTE,
                                           CLV_JOINT_PRISMATIC, CLV_JOINT_HELICAL, CLV_JOINT_FIXED};
    snprintf(name, sizeof name, "b%d", i), snprintf(joint, sizeof joint, "j%d", i);
    b.name = name, b.mass = random_uniform(r, 0.2, 2);
    for (int k = 0; k < 3; k++)
        b.inertia[k] = random_uniform(r, 0.5, 0.9), b.inertia[3 + k] = random_uniform(r, -0.1, 0.1);
    for (int k = 0; k < 3; k++)
        b.com[k] = random_uniform(r, -0.3, 0.3);
    int body;
    assert_int_equal(clv_model_add_body(m, &body, &b), CLV_OK);
    if (floats)
        return;
    clv_joint_desc j = clv_joint_desc_default(kinds[random_index(r, i < 4 ? 5 : 6)]);
    j.name = joint;
    if (j.kind == CLV_JOINT_HELICAL)
        j.pitch = 0.1;
    bool reversed = random_chance(r, 0.3);
    j.a = reversed ? body : parent, j.b = reversed ? parent : body;
    for (int k = 0; k < 3; k++)
        j.position_a[k] = random_uniform(r, -0.5, 0.5), j.position_b[k] = random_uniform(r, -0.5, 0.5);
    double n = 0, *q[2] = {j.orientation_a, j.orientation_b};
    for (int s = 0; s < 2; s++, n = 0) {
        for (int k = 0; k < 4; k++)
            q[s][k] = random_normal(r), n += q[s][k] * q[s][k];
        for (int k = 0; k < 4; k++)
            q[s][k] /= sqrt(n);
    }
    j.has_q = j.has_u = j.kind != CLV_JOINT_FIXED;
    j.q[0] = random_uniform(r, -2, 2), j.u[0] = random_uniform(r, -2, 2);
    assert_int_equal(clv_model_add_joint(m, NULL, &j), CLV_OK);
}

/* some of every kind of load that rows take */
static void add_loads(clv_model *m, random_stream *r, int n)
{
    for (int i = 0; i < 5; i++) {
        clv_force_desc f = clv_force_desc_default((clv_force_kind)i);
        char name[8];
        snprintf(name, sizeof name, "f%d", i);
        f.name = name, f.stiffness = 3, f.damping = 0.4, f.drive = 0.3;
        f.a = random_chance(r, 0.3) ? CLV_GROUND : random_index(r, n), f.b = random_index(r, n);
        if (f.a == f.b)
            f.a = CLV_GROUND;
        f.vector[0] = 1, f.vector[2] = -2, f.in_body = random_chance(r, 0.5), f.point_b[1] = 0.2;
        f.rest = f.kind == CLV_FORCE_SPRING ? 0.3 : 0.1;
        f.joint = 0;
        clv_model_add_force(m, NULL, &f); /* a joint without freedom is refused: no load then */
    }
    clv_input_desc in = clv_input_desc_default(CLV_INPUT_FORCE);
    in.name = "thrust", in.body = n - 1, in.vector[1] = 1, in.value = 2;
    assert_int_equal(clv_model_add_input(m, NULL, &in), CLV_OK);
}

typedef enum shape { CHAIN, LONG_CHAIN, COMB, TREE, BUSH, SHAPES } shape;

static clv_model *tree(uint64_t seed)
{
    random_stream r = {seed};
    const shape kind = (shape)(seed % SHAPES);
    const int n = kind == LONG_CHAIN ? 300 + random_index(&r, 300) : 2 + random_index(&r, 60);
    const double gravity[3] = {0.5, -9.81, 1};
    clv_model *m;
    assert_int_equal(clv_model_create(&m, "tree"), CLV_OK);
    assert_int_equal(clv_model_set_gravity(m, gravity), CLV_OK);
    for (int i = 0; i < n; i++) {
        int parent = i - 1;
        if (kind == COMB && i > 0)
            parent = i % 4 == 0 ? i - 4 : i - 1;
        else if (kind == TREE && i > 0)
            parent = random_index(&r, i);
        else if (kind == BUSH && i > 0)
            parent = random_chance(&r, 0.1) ? CLV_GROUND : random_index(&r, i < 5 ? i : 5);
        add_link(m, &r, i, parent < 0 ? CLV_GROUND : parent, random_chance(&r, i == 0 ? 0.3 : i < 4 ? 0 : 0.01));
    }
    if (seed % 3 > 0)
        add_loads(m, &r, n);
    if (clv_model_finish(m) != CLV_OK)
        fail_msg("seed %llu: %s", (unsigned long long)seed, clv_model_error(m)->message);
    return m;
}

/* ------------------------------------------------------------------ loops */

typedef enum loop_shape { CLOSED_CHAIN, RING, LADDER, CROSSED, COUPLED, LONG_LOOP, LOOP_SHAPES } loop_shape;

static void random_point(random_stream *r, double x[3], double size)
{
    for (int k = 0; k < 3; k++)
        x[k] = random_uniform(r, -size, size);
}

/* a body that stands anywhere; joints are given in global axes, so that every loop closes */
static void place_body(clv_model *m, random_stream *r, int i)
{
    char name[16];
    clv_body_desc b = clv_body_desc_default();
    snprintf(name, sizeof name, "b%d", i);
    b.name = name, b.mass = random_uniform(r, 0.2, 2), b.placed = true;
    for (int k = 0; k < 3; k++)
        b.inertia[k] = random_uniform(r, 0.5, 0.9), b.inertia[3 + k] = random_uniform(r, -0.1, 0.1);
    random_point(r, b.com, 2), random_point(r, b.position, 2);
    int body;
    assert_int_equal(clv_model_add_body(m, &body, &b), CLV_OK);
}

static int connect(clv_model *m, random_stream *r, clv_joint_kind kind, int a, int b)
{
    static int count;
    char name[24];
    int joint;
    clv_joint_desc j = clv_joint_desc_default(kind);
    snprintf(name, sizeof name, "j%d", count++);
    j.name = name, j.global = true, j.a = a, j.b = b;
    j.pitch = kind == CLV_JOINT_HELICAL ? 0.1 : j.pitch;
    random_point(r, j.at, 2), random_point(r, j.axis, 1);
    assert_int_equal(clv_model_add_joint(m, &joint, &j), CLV_OK);
    return joint;
}

static clv_joint_kind lane_kind(random_stream *r)
{
    static const clv_joint_kind kinds[] = {CLV_JOINT_REVOLUTE, CLV_JOINT_REVOLUTE, CLV_JOINT_PRISMATIC,
                                           CLV_JOINT_HELICAL};
    return kinds[random_index(r, 4)];
}

static clv_joint_kind closing_kind(random_stream *r)
{
    static const clv_joint_kind kinds[] = {CLV_JOINT_SPHERICAL, CLV_JOINT_REVOLUTE, CLV_JOINT_UNIVERSAL,
                                           CLV_JOINT_CYLINDRICAL, CLV_JOINT_POINT};
    return kinds[random_index(r, 5)];
}

static clv_model *loops(uint64_t seed)
{
    random_stream r = {seed};
    const loop_shape kind = (loop_shape)(seed % LOOP_SHAPES);
    const int n = kind == LONG_LOOP ? 300 + random_index(&r, 100) : 8 + random_index(&r, 20);
    const double gravity[3] = {0.5, -9.81, 1};
    clv_model *m;
    int joint[500] = {0};
    assert_int_equal(clv_model_create(&m, "loops"), CLV_OK);
    assert_int_equal(clv_model_set_gravity(m, gravity), CLV_OK);
    for (int i = 0; i < n; i++)
        place_body(m, &r, i);
    for (int i = kind == RING; i < n; i++) {
        int parent = kind == CROSSED && i > 0 ? random_index(&r, i) : i == 0 ? CLV_GROUND : i - 1;
        joint[i] = connect(m, &r, lane_kind(&r), parent, i);
    }
    if (kind == CLOSED_CHAIN || kind == LONG_LOOP)
        connect(m, &r, lane_kind(&r), n - 1, CLV_GROUND);
    if (kind == RING)
        connect(m, &r, lane_kind(&r), n - 1, 0);
    for (int i = 5; kind == LADDER && i < n; i += 4)
        connect(m, &r, lane_kind(&r), i - 4, i);
    for (int k = 0; kind == CROSSED && k < 3; k++) {
        int a = random_index(&r, n), b = random_index(&r, n);
        if (a != b)
            connect(m, &r, closing_kind(&r), a, b);
    }
    for (int k = 0; kind == COUPLED && k < 2; k++) {
        clv_coupling_desc c = clv_coupling_desc_default();
        c.name = k ? "g1" : "g0", c.first = joint[1 + k], c.second = joint[4 + 2 * k], c.ratio = k ? -2 : 0.5;
        clv_model_add_coupling(m, NULL, &c); /* refused for joints that have two freedoms or none */
    }
    if (seed % 3 > 0)
        add_loads(m, &r, n);
    if (clv_model_finish(m) != CLV_OK)
        fail_msg("seed %llu: %s", (unsigned long long)seed, clv_model_error(m)->message);
    return m;
}

/* largest difference beside the largest number of its kind */
static double difference(const double *a, const double *b, int n)
{
    double most = 0, size = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(a[i] - b[i])), size = fmax(size, fabs(b[i]));
    return size > 0 ? most / size : most;
}

static void compare(clv_model *m, const char *formulation, uint64_t seed, double *worst, int *walked)
{
    clv_sim *s;
    clv_sim_options o = clv_sim_options_default();
    o.formulation = formulation;
    assert_int_equal(clv_sim_create(&s, m, &o), CLV_OK);
    const int nq = s->plan->nq, nu = s->plan->nu;
    double *lanes = malloc(2 * (size_t)s->n * sizeof(double)), *each = lanes + s->n;
    random_stream r = {seed + 1000};
    for (int i = 0; i < nu; i++) /* rates that loops do not allow are a state as well */
        s->y[nq + i] += random_uniform(&r, -1, 1);
    s->system.lean = true;
    assert_int_equal(s->formulation->rates(&s->system, 0, s->y, lanes), CLV_OK);
    s->system.lean = false;
    *walked += s->system.walked;
    clv_energies e = {0};
    const bool known = clv_walk_energies(&s->system, &e);
    assert_true(known == (s->system.walked && !s->system.rows.looped));
    s->system.rows.fit = false;
    assert_int_equal(s->formulation->rates(&s->system, 0, s->y, each), CLV_OK);
    const double kinetic = clv_system_kinetic(&s->system), potential = clv_system_potential(&s->system);
    if (known && !(fabs(e.kinetic - kinetic) <= 1e-11 * kinetic && /* u and V of long chains, hdca */
                   fabs(e.potential - potential) <= 1e-13 * (fabs(potential) + 100 * s->plan->nbody)))
        fail_msg("%s, seed %llu: %.17g J and %.17g J in rows, not %.17g and %.17g", formulation,
                 (unsigned long long)seed, e.kinetic, e.potential, kinetic, potential);
    const double q = difference(lanes, each, nq), p = difference(lanes + nq, each + nq, nu);
    const double work = fabs(lanes[nq + nu] - each[nq + nu]) / fmax(1, fabs(each[nq + nu]));
    if (!(fmax(q, fmax(p, work)) < 1e-9))
        printf("%s, seed %llu, %d bodies: coordinates %.1e, momenta or rates %.1e, power %.1e\n", formulation,
               (unsigned long long)seed, s->plan->nbody, q, p, work);
    *worst = fmax(*worst, fmax(q, fmax(p, work)));
    free(lanes);
    clv_sim_destroy(s), clv_model_destroy(m);
}

/* least: of 200 systems are in lanes */
static void lanes_give_what_bodies_give(clv_model *(*make)(uint64_t), const char *formulation, int least)
{
    enum { SEEDS = 200 };
    double worst = 0;
    int walked = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++)
        compare(make(seed), formulation, seed, &worst, &walked);
    printf("%s: %d of %d systems in lanes, largest difference %.1e\n", formulation, walked, SEEDS, worst);
    assert_true(walked >= least);
    assert_true(worst < 1e-9);
}

static void hdca_in_lanes(void **state)
{
    (void)state;
    lanes_give_what_bodies_give(tree, "hdca", 200);
}

static void dca_in_lanes(void **state)
{
    (void)state;
    lanes_give_what_bodies_give(tree, "dca", 200);
}

static void hdca_loops_in_lanes(void **state)
{
    (void)state;
    lanes_give_what_bodies_give(loops, "hdca", 192); /* 4 of the others hold momenta in axes of bodies */
}

static void dca_loops_in_lanes(void **state)
{
    (void)state;
    lanes_give_what_bodies_give(loops, "dca", 196); /* spherical joints in the trees of the others */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(hdca_in_lanes), cmocka_unit_test(dca_in_lanes),
                                       cmocka_unit_test(hdca_loops_in_lanes), cmocka_unit_test(dca_loops_in_lanes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
