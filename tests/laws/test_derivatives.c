/* SPDX-License-Identifier: Apache-2.0
 * Derivatives of accelerations (T74 to T77) against the extended-precision oracle, on random systems with and without
 * loops.  Bodies move on a curve along a random displacement that the loops allow, with velocities that change at
 * random: all of it the oracle's.  Its accelerations of joints, differentiated by sixth order, must be dq x + du y for
 * the displacements x and changes of rates y that the oracle measures.  Seeds that are above 1e-9 with one step of 1e-3
 * (69, 210, 213, 234: up to 3e-3) are the oracle's: with 113 bits and steps of 1e-6 they agree within 2e-12.
 * How many systems: tests/thorough.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "running.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "near.h"
#include "oracle/oracle.h"
#include "oracle/oracle_vector.h"
#include "oracle/random_system.h"
#include "model/add.h"
#include "model/coupling.h"
#include "simulation/linearize.h"
#include "simulation/sim.h"
#include "thorough.h"

#define OK(call) assert_int_equal(call, CLV_OK)
enum { POINTS = 3 };

/* A curve through the state of an oracle. */
typedef struct curve {
    oracle *o;
    const clv_sim *s;
    real *r, *R, *V;      /* the state                       */
    real *along, *across; /* displacement, change of V       */
    real *work;
} curve;

static real *copy(const real *x, int n)
{
    real *y = oracle_allocate((size_t)n + 1, sizeof *y);
    memcpy(y, x, (size_t)n * sizeof *x);
    return y;
}

/* a random motion that all rows allow */
static real *allowed(oracle *o, random_stream *random)
{
    const int n = o->n;
    real *x = oracle_allocate((size_t)(3 * n + o->rows) + 1, sizeof *x), *y = x + n, *b = y + n, *c = b + n, most = 0;
    for (int i = 0; i < n; i++)
        y[i] = random_uniform(random, -1, 1);
    oracle_mass_times(o, y, b);
    oracle_kkt(o, b, c, x, NULL);
    for (int i = 0; i < n; i++)
        most = fmaxl(most, fabsl(x[i]));
    for (int i = 0; i < n && most > 0; i++)
        x[i] /= most;
    return x;
}

static void place(curve *c, real h)
{
    oracle *o = c->o;
    const int bodies = o->model->nbody;
    real E[9], turn[3];
    for (int b = 0; b < bodies; b++) {
        for (int i = 0; i < 3; i++) {
            o->r[3 * b + i] = c->r[3 * b + i] + h * c->along[6 * b + i];
            turn[i] = h * c->along[6 * b + 3 + i];
        }
        m3_exponential(E, turn);
        m3_multiply(o->R + 9 * b, E, c->R + 9 * b);
    }
    oracle_update(o);
    oracle_project_position(o, 5);
    for (int i = 0; i < o->n; i++)
        c->work[i] = c->V[i] + h * c->across[i];
    oracle_set_velocity(o, c->work);
    oracle_project_velocity(o);
}

/* rates u and accelerations of the joints in the tree of s, as the bodies of the oracle move; a may be NULL */
static void joints(const curve *c, const real *a, real *u, real *udot)
{
    const clv_plan *p = c->s->plan;
    const oracle *o = c->o;
    for (int b = 0; b < p->nbody; b++) {
        const clv_tree_joint *t = &p->tree[b];
        real q[7], v[6], vdot[6] = {0};
        if (t->f == 0)
            continue;
        if (t->joint >= 0)
            oracle_joint_state(o, t->joint, a, q, v, vdot);
        else { /* implicit free joint: the centre of mass, rotations about body axes */
            for (int i = 0; i < 3; i++)
                v[i] = o->V[6 * b + i], vdot[i] = a ? a[6 * b + i] : 0;
            m3_transposed_times(v + 3, o->R + 9 * b, o->V + 6 * b + 3);
            if (a)
                m3_transposed_times(vdot + 3, o->R + 9 * b, a + 6 * b + 3);
        }
        for (int i = 0; i < t->f; i++) {
            u[t->iu + i] = v[i];
            if (udot)
                udot[t->iu + i] = vdot[i];
        }
    }
}

static real slope(const real *p, int n, int i, real h)
{
    const real one = p[i] - p[n + i], two = p[2 * n + i] - p[3 * n + i], three = p[4 * n + i] - p[5 * n + i];
    return (45 * one - 9 * two + three) / (60 * h);
}

/* largest difference along a direction by steps h, beside the sum of what makes up the largest derivative; x: its
 * displacements of joints */
static double by_steps(curve *c, const clv_derivatives *d, const real *x, real h)
{
    const int n = d->rates;
    oracle *o = c->o;
    real *a = oracle_allocate((size_t)(o->n + o->rows) + 1, sizeof *a), *mu = a + o->n, worst = 0, size = 0;
    real *u = oracle_allocate((size_t)(4 * POINTS) * (size_t)n + 1, sizeof *u), *udot = u + 2 * POINTS * n;
    for (int i = 0; i < 2 * POINTS; i++) {
        place(c, (i % 2 ? -h : h) * (real)(1 + i / 2));
        oracle_accelerations(o, a, mu);
        joints(c, a, u + i * n, udot + i * n);
    }
    for (int i = 0; i < n; i++) {
        real sum = 0, parts = 0;
        for (int k = 0; k < n; k++) {
            const real y = slope(u, n, k, h);
            sum += (real)d->dq[i * n + k] * x[k] + (real)d->du[i * n + k] * y;
            parts += fabsl((real)d->dq[i * n + k] * x[k]) + fabsl((real)d->du[i * n + k] * y);
        }
        worst = fmaxl(worst, fabsl(sum - slope(udot, n, i, h)));
        size = fmaxl(size, fmaxl(parts, fabsl(slope(udot, n, i, h))));
    }
    free(a), free(u);
    return size > 0 ? (double)(worst / size) : 0;
}

/* Along a random direction.  The best of three steps counts: higher derivatives of some curves are large, and where
 * rows are redundant, which they are not between the curve and the loops, projections of the oracle jump with the
 * step. */
static double difference(curve *c, const clv_derivatives *d, random_stream *random)
{
    static const real step[] = {1e-3L, 1e-5L, 1e-6L};
    oracle *o = c->o;
    real *x = oracle_allocate((size_t)d->rates + 1, sizeof *x);
    double best = INFINITY;
    c->along = allowed(o, random), c->across = allowed(o, random);
    oracle_set_velocity(o, c->along); /* displacements of joints are rates of this motion */
    joints(c, NULL, x, NULL);
    for (int i = 0; i < 3 && !(best < 1e-11); i++)
        best = fmin(best, by_steps(c, d, x, step[i]));
    free(x), free(c->along), free(c->across);
    memset(c->work, 0, (size_t)o->n * sizeof(real));
    c->along = c->across = c->work;
    place(c, 0);
    return best;
}

static oracle *oracle_at(clv_sim *s)
{
    const clv_model *m = s->model;
    oracle *o = oracle_create(m);
    double *q = calloc(7 * (size_t)m->njoint + 1, sizeof(double));
    OK(clv_sim_coordinates(s, q, NULL));
    oracle_set(o, s->out_time, s->system.kin.com, s->system.kin.R, s->out_V, q);
    oracle_project_position(o, 3);
    oracle_project_velocity(o);
    free(q);
    return o;
}

/* What the oracle says along two directions; negative: it cannot be compared. */
static double judge(clv_sim *s, uint64_t seed, double *condition)
{
    clv_derivatives *d = NULL;
    random_stream random = {seed};
    const clv_status st = clv_sim_derivatives(s, NULL, 0, &d);
    if (st != CLV_OK) {
        print_message("seed %d: %s\n", (int)seed, clv_sim_error(s)->message);
        clv_derivatives_destroy(d);
        return -1;
    }
    oracle *o = oracle_at(s);
    const int n = o->model->nbody;
    real *a = oracle_allocate((size_t)o->n + 1, sizeof *a);
    oracle_accelerations(o, a, NULL);
    *condition = (double)o->condition;
    curve c = {.o = o, .s = s, .r = copy(o->r, 3 * n), .R = copy(o->R, 9 * n), .V = copy(o->V, 6 * n),
               .work = oracle_allocate((size_t)o->n + 1, sizeof(real))};
    double worst = 0;
    for (int k = 0; k < 2; k++)
        worst = fmax(worst, difference(&c, d, &random));
    free(a), free(c.r), free(c.R), free(c.V), free(c.work);
    oracle_destroy(o);
    clv_derivatives_destroy(d);
    return worst;
}

static void add_table(clv_series *s, double near, const double slope[3])
{
    const double at[4] = {near - 1, near - 0.2, near + 0.3, near + 1};
    const double value[4] = {0, slope[0] * 0.8, value[1] + slope[1] * 0.5, value[2] + slope[2] * 0.7};
    assert_true(clv_add_series(s, &(clv_table){4, at, value}));
}

/* Loads of joints get tables over q and u, and some a limit below or above their effort (T100). */
static int bend(clv_sim *s, clv_model *m, uint64_t seed)
{
    random_stream random = {seed + 1000};
    double q[700], u[600];
    int bent = 0;
    assert_true(m->njoint <= 100);
    OK(clv_sim_coordinates(s, q, u));
    for (int i = 0; i < m->nforce; i++) {
        clv_force *f = &m->force[i];
        const double x = f->kind == CLV_FORCE_JOINT ? q[7 * f->joint + f->coordinate] : NAN;
        double slope[3];
        if (!isfinite(x) || f->bearing.static_coefficient > 0)
            continue;
        for (int k = 0; k < 3; k++)
            slope[k] = (double)random_uniform(&random, -9, 9);
        if (f->stiffness != 0)
            add_table(&f->spring, x - f->rest, slope);
        add_table(&f->damper, u[6 * f->joint + f->coordinate], slope);
        f->limit = i % 3 ? 0 : i % 2 ? 0.05 : 1e4;
        bent++;
    }
    return bent;
}

/* Counts couplings by a polynomial or a table.  A table starts at one of its points, where its third derivative jumps:
 * that point is moved, and the offset with it. */
static int curves(clv_model *m)
{
    int count = 0;
    for (int k = 0; k < m->ncoupling; k++) {
        clv_coupling *c = &m->coupling[k];
        double before[3], after[3];
        count += c->npolynomial > 0 || c->table.n > 0;
        if (c->table.n != 7)
            continue;
        const double q = c->table.time[3];
        clv_coupling_term_at(c, 1, q, before);
        c->table.time[3] -= 0.13;
        assert_true(clv_coupling_prepare(c));
        clv_coupling_term_at(c, 1, q, after);
        c->offset += after[0] - before[0];
    }
    return count;
}

static void random_systems(void **state)
{
    const int wanted = random_count(200, 80);
    int systems = 0, loops = 0, within = 0, bent = 0, curved = 0;
    double worst = 0;
    (void)state;
    for (int seed = 1; systems < wanted && seed < 3 * wanted; seed++) {
        clv_model *m;
        clv_sim *s;
        random_info info;
        double condition = 0;
        clv_sim_options options = clv_sim_options_default();
        options.formulation = seed % 2 ? "dca" : "hdca";
        OK(random_system_create((uint64_t)seed, (random_kind)(seed % RANDOM_KINDS), 3 + seed % 6, &m, &info));
        curved += curves(m);
        clv_status st = clv_sim_create(&s, m, &options);
        if (st == CLV_OK && seed % 3 == 0) {
            bent += bend(s, m, (uint64_t)seed);
            clv_sim_destroy(s);
            st = clv_sim_create(&s, m, &options);
        }
        if (st == CLV_OK && s->plan->nu > 0) {
            const double error = judge(s, (uint64_t)seed, &condition);
            systems += error >= 0, loops += error >= 0 && s->plan->nclosing_row > 0;
            within += error >= 0 && error <= 1e-9;
            if (!(error <= 1e-9))
                fail_msg("%s, seed %d: %.2e, condition %.1e", random_kind_name(info.kind), seed, error, condition);
            worst = fmax(worst, error);
            if (getenv("CLEAVE_SHOW"))
                print_message("%s %d: %.2e, condition %.1e\n", random_kind_name(info.kind), seed, error, condition);
        }
        clv_sim_destroy(s), clv_model_destroy(m);
    }
    print_message("%d systems, %d with loops, %d curved couplings, %d loads with tables: %.1e at most, %d within "
                  "1e-9\n", systems, loops, curved, bent, worst, within);
    assert_true(wanted < 200 || (curved > 5 && bent > 20));
    assert_int_equal(within, systems);
    assert_int_equal(systems, wanted);
}

/* ------------------------------------------------------------------ every kind of load and joint */

static clv_sim *start(const clv_model *m)
{
    clv_sim *s;
    clv_sim_options o = clv_sim_options_default();
    o.formulation = "dca";
    const clv_status st = clv_sim_create(&s, m, &o);
    if (st != CLV_OK)
        print_error("%s\n", clv_sim_error(s)->message);
    OK(st);
    return s;
}

/* largest difference of two matrices beside the largest number in them */
static double apart(const double *a, const double *b, int n)
{
    double size = 0, most = 0;
    for (int i = 0; i < n; i++)
        size = fmax(size, fmax(fabs(a[i]), fabs(b[i]))), most = fmax(most, fabs(a[i] - b[i]));
    return size > 0 ? most / size : 0;
}

/* linear systems: derivatives beside differences */
static void compare_linear(const char *text, double tolerance)
{
    clv_model *m = read(text);
    clv_sim *s = start(m);
    clv_linear *exact, *by;
    OK(clv_sim_linearize(s, 0, NULL, NULL, &exact));
    OK(clv_linearize_by(s, 0, NULL, NULL, true, &by));
    if (exact->differences)
        fail_msg("%s", exact->differences);
    assert_non_null(by->differences);
    assert_int_equal(exact->states, by->states);
    const int n = exact->states;
    CLV_NEAR(apart(exact->A, by->A, n * n), 0, tolerance);
    CLV_NEAR(apart(exact->B, by->B, n * exact->inputs), 0, tolerance);
    assert_true(exact->error == 0);
    clv_linear_destroy(exact), clv_linear_destroy(by);
    clv_sim_destroy(s), clv_model_destroy(m);
}

static const char *const tree_loads =
    "cleave: 1\ngravity: [1, -9.81, 2]\n"
    "bodies:\n"
    "  base: {mass: 3, com: [0.1, 0.2, -0.1], inertia: [0.4, 0.5, 0.6, 0.02, -0.01, 0.03]}\n"
    "  arm: {mass: 2, com: [0.5, 0.1, 0], inertia: [0.1, 0.2, 0.25, 0.01, 0.02, -0.03]}\n"
    "  hand: {mass: 1, com: [0.2, 0, 0.1], inertia: [0.05, 0.06, 0.07]}\n"
    "  nut: {mass: 0.7, com: [0, 0.1, 0.1], inertia: [0.02, 0.03, 0.02]}\n"
    "  cup: {mass: 0.5, com: [0.05, 0.1, 0], inertia: [0.01, 0.02, 0.02]}\n"
    "  sled: {mass: 1.5, com: [0.1, 0, 0.1], inertia: [0.1, 0.1, 0.2]}\n"
    "joints:\n"
    "  a: {kind: free, a: {body: ground}, b: {body: base}}\n"
    "  b: {kind: universal, a: {body: base, position: [0.3, 0, 0]}, b: {body: arm}}\n"
    "  c: {kind: spherical, a: {body: arm, position: [1, 0, 0]}, b: {body: hand}}\n"
    "  d: {kind: helical, pitch: 0.2, a: {body: base, position: [0, 0.4, 0]}, b: {body: nut}}\n"
    "  e: {kind: cylindrical, a: {body: cup, position: [0, 0.2, 0]}, b: {body: arm}}\n"
    "  f: {kind: planar, a: {body: base, position: [0, 0, -0.4]}, b: {body: sled}}\n"
    "forces:\n"
    "  p: {kind: force, body: arm, point: [0.2, 0.1, 0], vector: [3, 4, -5]}\n"
    "  o: {kind: force, body: hand, point: [0.2, 0.1, 0.3], vector: [3, 1, 2], frame: body}\n"
    "  t: {kind: torque, body: cup, vector: [0.3, 0.2, 0.1]}\n"
    "  v: {kind: torque, body: sled, vector: [0.3, 0.2, 0.1], frame: body}\n"
    "  k: {kind: spring-damper, between: [base, hand], points: [[0, 0.1, 0], [0.1, 0, 0]], stiffness: 40, damping: 3, "
    "length: 0.4, upper: 0.5, stop_stiffness: 200, stop_dissipation: 0.3, stop_exponent: 1.5}\n"
    "  w: {kind: angular-damper, between: [arm, sled], damping: 0.7}\n"
    "  m: {kind: bushing, between: [ground, cup], points: [[0.1, 0.2, 0], [0, 0.1, 0]], stiffness: [30, 20, 10], "
    "rotational_stiffness: [3, 2, 1], damping: [1, 2, 3], rotational_damping: [0.1, 0.2, 0.3], preload: [1, 2, 3], "
    "rotational_preload: [0.1, 0.2, -0.3], orientation_a: [0.8, 0.6, 0, 0]}\n"
    "  n: {kind: bushing, between: [hand, nut], stiffness: [5, 4, 3], rotational_stiffness: [1, 2, 1], damping: 0.5}\n"
    "  j: {kind: joint-load, joint: d, stiffness: 5, damping: 0.4, rest: 0.1, drive: 2, friction: 0.3, breakaway: 0.5, "
    "stiction_speed: 0.5, stribeck_speed: 0.8, upper: 0.05, stop_stiffness: 60, stop_dissipation: 0.2, "
    "stop_exponent: 2}\n"
    "  q: {kind: joint-load, joint: b, coordinate: 1, stiffness: 5, damping: 0.4}\n"
    "inputs:\n"
    "  i1: {joint: b, coordinate: 0, value: 1.5}\n"
    "  i2: {body: hand, force: [1, 2, 3], point: [0.1, 0, 0], frame: body, value: 0.7}\n"
    "  i3: {body: nut, torque: [1, 0, 3], value: -0.4}\n"
    "start:\n"
    "  joints:\n"
    "    a: {q: [0.1, 0.2, 0.3, 0.8, 0.6, 0, 0], u: [0.3, -0.2, 0.1, 0.5, -0.4, 0.7]}\n"
    "    b: {q: [0.3, -0.5], u: [0.4, 0.9]}\n"
    "    c: {q: [0.6, 0, 0.8, 0], u: [0.2, -0.6, 1.1]}\n"
    "    d: {q: 0.2, u: 0.5}\n"
    "    e: {q: [0.1, 0.4], u: [0.3, -0.8]}\n"
    "    f: {q: [0.2, -0.1, 0.7], u: [0.4, 0.2, -0.9]}\n";

/* a four-bar whose last joint has spring, damper and motor, with a slide coupled to the crank */
static const char *const loop_loads =
    "cleave: 1\ngravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  crank: {mass: 1, com: [0, 0.5, 0], inertia: [0.08, 0.01, 0.08]}\n"
    "  coupler: {mass: 2, com: [1, 0.25, 0], inertia: [0.05, 0.7, 0.71]}\n"
    "  rocker: {mass: 1, com: [0, -0.75, 0], inertia: [0.19, 0.01, 0.19]}\n"
    "  slide: {mass: 0.8, inertia: [0.01, 0.01, 0.01]}\n"
    "joints:\n"
    "  a: {kind: revolute, between: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  b: {kind: revolute, between: [crank, coupler], at: [0, 1, 0], axis: [0, 0, 1]}\n"
    "  c: {kind: revolute, between: [coupler, rocker], at: [2, 1.5, 0], axis: [0, 0, 1], cut: true}\n"
    "  d: {kind: revolute, between: [rocker, ground], at: [2, 0, 0], axis: [0, 0, 1]}\n"
    "  s: {kind: prismatic, between: [ground, slide], at: [0, -1, 0], axis: [1, 0, 0]}\n"
    "couplings: {g: {first: a, second: s, ratio: 0.3}}\n"
    "forces:\n"
    "  k: {kind: joint-load, joint: c, stiffness: 7, damping: 0.6, rest: 0.2, drive: 0.5}\n"
    "  l: {kind: spring-damper, between: [crank, rocker], stiffness: 12, damping: 0.8, length: 0.6}\n"
    "inputs: {motor: {joint: c, value: 0.8}, push: {body: coupler, force: [1, 2, 0], point: [1, 0.3, 0], value: 1.2}}\n"
    "start:\n"
    "  bodies:\n"
    "    crank: {position: [0, 0, 0], angular_velocity: [0, 0, -1.5]}\n"
    "    coupler: {position: [0, 1, 0], velocity: [1.5, 0, 0]}\n"
    "    rocker: {position: [2, 1.5, 0], velocity: [1.5, 0, 0], angular_velocity: [0, 0, -1]}\n";

static void loads(void **state)
{
    (void)state;
    compare_linear(tree_loads, 2e-8);
    compare_linear(loop_loads, 2e-8);
}

static const char *const examples[] = {"pendulum", "five-bar",   "tree-robot", "loader",  "suspension",
                                       "bicycle",  "governor", "satellite",  "andrews", "flex-arm"};

static void linear_systems_of_examples(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        clv_model *m;
        clv_linear *exact, *by;
        if (clv_example_create(&m, examples[i], NULL, 0) != CLV_OK) {
            clv_model_destroy(m);
            fail_msg("there is no example %s", examples[i]);
        }
        clv_sim *s = start(m);
        OK(clv_sim_linearize(s, 0, NULL, NULL, &exact));
        OK(clv_linearize_by(s, 0, NULL, NULL, true, &by));
        const double A = apart(exact->A, by->A, exact->states * exact->states);
        print_message("%s: %d states, %s, A apart by %.1e, differences estimate %.1e\n", examples[i], exact->states,
                      exact->differences ? exact->differences : "exact", A, by->error);
        if (!exact->differences)
            CLV_NEAR(A, 0, fmax(1e-8, 10 * by->error));
        clv_linear_destroy(exact), clv_linear_destroy(by);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

/* ------------------------------------------------------------------ numbers of the model */

/* udot with one place of a text replaced by a number */
static void accelerations_with(const char *text, const char *before, double value, double *udot)
{
    char all[6000];
    const char *at = strstr(text, before);
    assert_non_null(at);
    at += strlen(before);
    const size_t head = (size_t)(at - text), skip = strcspn(at, ",]}\n");
    snprintf(all, sizeof all, "%.*s%.17g%s", (int)head, text, value, at + skip);
    clv_model *m = read(all);
    clv_sim *s = start(m);
    clv_derivatives *d = NULL;
    OK(clv_sim_derivatives(s, NULL, 0, &d));
    memcpy(udot, d->udot, (size_t)d->rates * sizeof(double));
    clv_derivatives_destroy(d), clv_sim_destroy(s), clv_model_destroy(m);
}

static void compare_number(const char *text, const char *before, clv_number number, double tolerance)
{
    enum { MOST = 40 };
    clv_model *m = read(text);
    clv_sim *s = start(m);
    clv_derivatives *d = NULL;
    double p[6][MOST], slope[MOST], given[MOST];
    OK(clv_sim_derivatives(s, &number, 1, &d));
    assert_in_range(d->rates, 1, MOST);
    const double value = strtod(strstr(text, before) + strlen(before), NULL), h = 1e-2 * fmax(0.1, fabs(value));
    for (int i = 0; i < 6; i++)
        accelerations_with(text, before, value + (i % 2 ? -h : h) * (1 + i / 2), p[i]);
    for (int i = 0; i < d->rates; i++) {
        slope[i] = (45 * (p[0][i] - p[1][i]) - 9 * (p[2][i] - p[3][i]) + p[4][i] - p[5][i]) / (60 * h);
        given[i] = d->dnumber[i];
    }
    const double off = apart(slope, given, d->rates);
    if (!(off <= tolerance))
        fail_msg("%s: %g, as %g beside %g", before, off, given[0], slope[0]);
    clv_derivatives_destroy(d), clv_sim_destroy(s), clv_model_destroy(m);
}

static void numbers(void **state)
{
    static const struct {
        const char *before;
        clv_number number;
        bool loop;
    } all[] = {
        {"arm: {mass: ", {CLV_NUMBER_MASS, 1, 0}, false},
        {"hand: {mass: 1, com: [", {CLV_NUMBER_COM, 2, 0}, false},
        {"hand: {mass: 1, com: [0.2, 0, ", {CLV_NUMBER_COM, 2, 2}, false},
        {"com: [0.5, 0.1, 0], inertia: [", {CLV_NUMBER_INERTIA, 1, 0}, false},
        {"com: [0.5, 0.1, 0], inertia: [0.1, 0.2, 0.25, 0.01, 0.02, ", {CLV_NUMBER_INERTIA, 1, 5}, false},
        {"points: [[0, 0.1, 0], [0.1, 0, 0]], stiffness: ", {CLV_NUMBER_STIFFNESS, 4, 0}, false},
        {"stiffness: 40, damping: ", {CLV_NUMBER_DAMPING, 4, 0}, false},
        {"stiffness: 40, damping: 3, length: ", {CLV_NUMBER_REST, 4, 0}, false},
        {"between: [arm, sled], damping: ", {CLV_NUMBER_DAMPING, 5, 0}, false},
        {"[0, 0.1, 0]], stiffness: [30, ", {CLV_NUMBER_STIFFNESS, 6, 1}, false},
        {"rotational_stiffness: [3, 2, ", {CLV_NUMBER_STIFFNESS, 6, 5}, false},
        {"rotational_damping: [", {CLV_NUMBER_DAMPING, 6, 3}, false},
        {" preload: [1, 2, ", {CLV_NUMBER_DRIVE, 6, 2}, false},
        {"joint: d, stiffness: ", {CLV_NUMBER_STIFFNESS, 8, 0}, false},
        {"joint: d, stiffness: 5, damping: ", {CLV_NUMBER_DAMPING, 8, 0}, false},
        {"damping: 0.4, rest: ", {CLV_NUMBER_REST, 8, 0}, false},
        {"rest: 0.1, drive: ", {CLV_NUMBER_DRIVE, 8, 0}, false},
        {"gravity: [1, -9.81, ", {CLV_NUMBER_GRAVITY, 0, 2}, false},
        {"coupler: {mass: ", {CLV_NUMBER_MASS, 1, 0}, true},
        {"rocker: {mass: 1, com: [0, ", {CLV_NUMBER_COM, 2, 1}, true},
        {"crank: {mass: 1, com: [0, 0.5, 0], inertia: [0.08, 0.01, ", {CLV_NUMBER_INERTIA, 0, 2}, true},
        {"joint: c, stiffness: ", {CLV_NUMBER_STIFFNESS, 0, 0}, true},
        {"joint: c, stiffness: 7, damping: ", {CLV_NUMBER_DAMPING, 0, 0}, true},
        {"damping: 0.6, rest: ", {CLV_NUMBER_REST, 0, 0}, true},
        {"rest: 0.2, drive: ", {CLV_NUMBER_DRIVE, 0, 0}, true},
        {"between: [crank, rocker], stiffness: ", {CLV_NUMBER_STIFFNESS, 1, 0}, true},
        {"gravity: [", {CLV_NUMBER_GRAVITY, 0, 0}, true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        compare_number(all[i].loop ? loop_loads : tree_loads, all[i].before, all[i].number, 1e-8);
}

/* ------------------------------------------------------------------ mass matrix and points */

static double times(const double *row, const double *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += row[i] * x[i];
    return sum;
}

static void matrices(void **state)
{
    (void)state;
    for (int loop = 0; loop < 2; loop++) {
        clv_model *m = read(loop ? loop_loads : tree_loads);
        clv_sim *s = start(m);
        clv_derivatives *d = NULL;
        double kinetic, energy = 0;
        OK(clv_sim_derivatives(s, NULL, 0, &d));
        const int n = d->rates;
        clv_sim_energy(s, &kinetic, NULL, NULL);
        for (int i = 0; i < n; i++)
            energy += 0.5 * d->u[i] * times(d->mass + i * n, d->u, n);
        CLV_NEAR(energy, kinetic, 1e-13 * kinetic);
        for (int b = 0; b < clv_model_body_count(m); b++) {
            double J[6 * 40];
            const double *V = clv_sim_velocity(s) + 6 * b;
            OK(clv_derivatives_point(d, b, m->body[b].com, J));
            for (int i = 0; i < 6; i++)
                CLV_NEAR(times(J + i * n, d->u, n), V[i], 1e-13);
        }
        for (int r = 0; r < d->rows; r++) /* displacements keep loops closed; rows of them are zero */
            for (int k = 0; k < n; k++) {
                double sum = 0;
                for (int i = 0; i < n; i++)
                    sum += d->closing[r * n + i] * d->follow_q[i * n + k];
                CLV_NEAR(sum, 0, 1e-12);
            }
        assert_int_equal(d->rows > 0, loop);
        assert_true(!loop || d->delassus[0] > 0);
        double J[6 * 40];
        const double zero[3] = {0};
        assert_int_equal(clv_derivatives_point(d, -1, zero, J), CLV_ERR_USAGE);
        assert_int_equal(clv_derivatives_point(d, 0, NULL, J), CLV_ERR_USAGE);
        assert_int_equal(clv_derivatives_point(d, 1000, zero, J), CLV_ERR_USAGE);
        clv_derivatives_destroy(d), clv_sim_destroy(s), clv_model_destroy(m);
    }
}

/* I q'' = -m g a cos q - c u + tau */
static void pendulum(void **state)
{
    const double mass = 2, a = 0.5, I = 0.3 + mass * a * a, q = 0.4, u = 1.1, g = 9.81;
    clv_derivatives *d = NULL;
    const clv_number number[2] = {{CLV_NUMBER_DAMPING, 0, 0}, {CLV_NUMBER_GRAVITY, 0, 1}};
    (void)state;
    clv_model *m = read("cleave: 1\ngravity: [0, -9.81, 0]\n"
                        "bodies: {b: {mass: 2, com: [0.5, 0, 0], inertia: [1, 1, 0.3]}}\n"
                        "joints: {j: {kind: revolute, a: {body: ground}, b: {body: b}}}\n"
                        "forces: {c: {kind: joint-load, joint: j, damping: 0.7}}\ninputs: {t: {joint: j}}\n"
                        "start: {joints: {j: {q: 0.4, u: 1.1}}}\n");
    clv_sim *s = start(m);
    for (int again = 0; again < 2; again++) {
        OK(clv_sim_derivatives(s, number, 2, &d));
        CLV_NEAR(d->dq[0], mass * g * a * sin(q) / I, 1e-13);
        CLV_NEAR(d->du[0], -0.7 / I, 1e-14);
        CLV_NEAR(d->dinput[0], 1 / I, 1e-14);
        CLV_NEAR(d->dnumber[0], -u / I, 1e-14);
        CLV_NEAR(d->dnumber[1], mass * a * cos(q) / I, 1e-14);
        CLV_NEAR(d->mass[0], I, 1e-14);
        CLV_NEAR(d->bias[0], mass * g * a * cos(q) + 0.7 * u, 1e-13);
        assert_true(d->follow_q[0] == 1 && d->follow_rate[0] == 1 && d->follow_u[0] == 0);
    }
    clv_derivatives_destroy(d), clv_sim_destroy(s), clv_model_destroy(m);
}

/* I q'' = clip(-k x - S(x) - c u - D(u) + drive, limit): at a row the slope to the right, none beyond the limit */
static void tables_and_limits(void **state)
{
    static const char *const text[2] = {
        "cleave: 1\nbodies: {b: {mass: 2, com: [0, 0, 0], inertia: [1, 1, 0.5]}}\n"
        "joints: {j: {kind: revolute, a: {body: ground}, b: {body: b}}}\n"
        "forces: {c: {kind: joint-load, joint: j, stiffness: 3, damping: 2, rest: 0.1, drive: 4, effort_limit: 90,\n"
        "  spring_table: [[-1, -2], [0.4, 1], [1, 4]], damper_table: [[-1, 0], [1.25, 3], [2, 9]]}}\n"
        "start: {joints: {j: {q: 0.5, u: 1.25}}}\n",
        "cleave: 1\nbodies: {b: {mass: 2, com: [0, 0, 0], inertia: [1, 1, 0.5]}}\n"
        "joints: {j: {kind: revolute, a: {body: ground}, b: {body: b}}}\n"
        "forces: {c: {kind: joint-load, joint: j, stiffness: 3, damping: 2, rest: 0.1, drive: 4, effort_limit: 0.9,\n"
        "  spring_table: [[-1, -2], [0.4, 1], [1, 4]], damper_table: [[-1, 0], [1.25, 3], [2, 9]]}}\n"
        "start: {joints: {j: {q: 0.5, u: 1.25}}}\n"};
    const clv_number number[4] = {
        {CLV_NUMBER_STIFFNESS, 0, 0}, {CLV_NUMBER_DAMPING, 0, 0}, {CLV_NUMBER_REST, 0, 0}, {CLV_NUMBER_DRIVE, 0, 0}};
    (void)state;
    for (int limited = 0; limited < 2; limited++) {
        const double on = limited ? 0 : 1 / 0.5;
        clv_derivatives *d = NULL;
        clv_model *m = read(text[limited]);
        clv_sim *s = start(m);
        OK(clv_sim_derivatives(s, number, 4, &d));
        CLV_NEAR(d->dq[0], -on * (3 + 5), 1e-12); /* 0.4 is a row: 3 / 0.6 after it */
        CLV_NEAR(d->du[0], -on * (2 + 8), 1e-12);
        CLV_NEAR(d->dnumber[0], -on * 0.4, 1e-13);
        CLV_NEAR(d->dnumber[1], -on * 1.25, 1e-13);
        CLV_NEAR(d->dnumber[2], on * (3 + 5), 1e-12);
        CLV_NEAR(d->dnumber[3], on, 1e-13);
        clv_derivatives_destroy(d), clv_sim_destroy(s), clv_model_destroy(m);
    }
}

/* ------------------------------------------------------------------ what is refused */

static int nothing(void *user, clv_load_view *view) { return (void)user, (void)view, 0; }

static void what_is_refused(void **state)
{
    clv_derivatives *d = NULL;
    clv_number number = {CLV_NUMBER_MASS, 0, 0};
    clv_model *m = read(loop_loads);
    clv_sim *s = start(m);
    (void)state;
    assert_int_equal(clv_sim_derivatives(NULL, NULL, 0, &d), CLV_ERR_USAGE);
    assert_int_equal(clv_sim_derivatives(s, NULL, 0, NULL), CLV_ERR_USAGE);
    assert_int_equal(clv_sim_derivatives(s, NULL, 1, &d), CLV_ERR_USAGE);
    assert_int_equal(clv_sim_derivatives(s, &number, -1, &d), CLV_ERR_USAGE);
    const clv_number wrong[] = {{CLV_NUMBER_MASS, 4, 0},      {CLV_NUMBER_MASS, -1, 0},   {CLV_NUMBER_COM, 0, 3},
                                {CLV_NUMBER_STIFFNESS, 9, 0}, {CLV_NUMBER_KINDS, 0, 0},   {CLV_NUMBER_DRIVE, 1, 0},
                                {CLV_NUMBER_GRAVITY, 0, 3},   {CLV_NUMBER_INERTIA, 0, 6}, {CLV_NUMBER_DAMPING, 0, 1}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(clv_sim_derivatives(s, &wrong[i], 1, &d), CLV_ERR_USAGE);
    OK(clv_sim_derivatives(s, &number, 1, &d));
    OK(clv_sim_derivatives(s, NULL, 0, &d)); /* another size: new memory */
    clv_derivatives_destroy(d), d = NULL;
    clv_sim_destroy(s), clv_model_destroy(m);

    OK(clv_model_create(&m, "callback"));
    clv_body_desc body = clv_body_desc_default();
    body.name = "ball", body.mass = 1;
    for (int i = 0; i < 3; i++)
        body.inertia[i] = 1;
    OK(clv_model_add_body(m, NULL, &body));
    clv_force_desc force = clv_force_desc_default(CLV_FORCE_CALLBACK);
    force.name = "wind", force.call = nothing;
    OK(clv_model_add_force(m, NULL, &force));
    OK(clv_model_finish(m));
    s = start(m);
    assert_int_equal(clv_sim_derivatives(s, NULL, 0, &d), CLV_ERR_UNSUPPORTED);
    assert_non_null(strstr(clv_sim_error(s)->message, "'wind'"));
    clv_linear *l;
    OK(clv_sim_linearize(s, 0, NULL, NULL, &l));
    assert_non_null(strstr(l->differences, "'wind'"));
    clv_linear_destroy(l);
    clv_derivatives_destroy(d), d = NULL;
    clv_sim_destroy(s), clv_model_destroy(m);
    clv_derivatives_destroy(NULL);
}

static void state_stays(void **state)
{
    clv_model *m;
    clv_derivatives *d = NULL;
    (void)state;
    OK(clv_example_create(&m, "five-bar", NULL, 0));
    clv_sim *s = start(m), *other = start(m);
    for (int k = 1; k <= 5; k++) {
        OK(clv_sim_advance(s, 0.1 * k)), OK(clv_sim_advance(other, 0.1 * k));
        OK(clv_sim_derivatives(s, NULL, 0, &d));
        assert_memory_equal(clv_sim_position(s), clv_sim_position(other),
                            3 * (size_t)clv_model_body_count(m) * sizeof(double));
    }
    clv_derivatives_destroy(d), clv_sim_destroy(s), clv_sim_destroy(other), clv_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pendulum),        cmocka_unit_test(random_systems),
                                       cmocka_unit_test(loads),           cmocka_unit_test(numbers),
                                       cmocka_unit_test(matrices),        cmocka_unit_test(linear_systems_of_examples),
                                       cmocka_unit_test(what_is_refused), cmocka_unit_test(state_stays),
                                       cmocka_unit_test(tables_and_limits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
