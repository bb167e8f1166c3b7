/* SPDX-License-Identifier: Apache-2.0
 * The oracle against closed forms, against derivatives of itself, and against the reference files (theory T19).  What
 * judges the engine is judged here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "near.h"
#include "oracle/oracle.h"
#include "oracle/oracle_vector.h"
#include "oracle/random_system.h"
#include "oracle/reference_model.h"
#include <stdlib.h>
#include <string.h>

#define NEAR(a, b, tol) CLV_NEAR((double)((a) - (b)), 0, tol)

/* ---- small models */

static clv_model *empty(double gx, double gy, double gz)
{
    clv_model *m;
    double g[3] = {gx, gy, gz};
    assert_int_equal(clv_model_create(&m, "test"), CLV_OK);
    assert_int_equal(clv_model_set_gravity(m, g), CLV_OK);
    return m;
}

static int body(clv_model *m, const char *name, double mass, double comx, double jx, double jy, double jz)
{
    clv_body_desc d = clv_body_desc_default();
    int k;
    d.name = name;
    d.mass = mass;
    d.com[0] = comx;
    d.inertia[0] = jx;
    d.inertia[1] = jy;
    d.inertia[2] = jz;
    assert_int_equal(clv_model_add_body(m, &k, &d), CLV_OK);
    return k;
}

/* joint with frames parallel to the bodies', at x on a and at the origin of b */
static int joint(clv_model *m, clv_joint_kind kind, const char *name, int a, int b, double x, double q)
{
    clv_joint_desc d = clv_joint_desc_default(kind);
    int k;
    d.name = name;
    d.a = a;
    d.b = b;
    d.position_a[0] = x;
    d.pitch = kind == CLV_JOINT_HELICAL ? 0.3 : 0;
    d.has_q = oracle_joint_freedoms(kind) > 0;
    if (kind != CLV_JOINT_SPHERICAL && kind != CLV_JOINT_FREE)
        d.q[0] = q;
    assert_int_equal(clv_model_add_joint(m, &k, &d), CLV_OK);
    return k;
}

static oracle *finish(clv_model *m)
{
    clv_status st = clv_model_finish(m);
    if (st != CLV_OK)
        print_error("%s\n", clv_model_error(m)->message);
    assert_int_equal(st, CLV_OK);
    return oracle_create(m);
}

static void done(oracle *o)
{
    clv_model *m = (clv_model *)(uintptr_t)o->model;
    oracle_destroy(o);
    clv_model_destroy(m);
}

/* ---- the algebra */

static void singular_values_of_a_rotated_diagonal(void **state)
{
    (void)state;
    enum { P = 7, M = 5 };
    const real s[M] = {1000, 3, 1, 1e-6L, 1e-15L};
    real A[P * M] = {0}, got[M], u[P], v[M];
    for (int i = 0; i < P; i++)
        u[i] = (i + 1) / sqrtl(140);
    for (int i = 0; i < M; i++)
        v[i] = (real)(1 - 2 * (i % 2)) / sqrtl(5);
    for (int j = 0; j < M; j++) /* (1 - 2 u u^T) diag(s) (1 - 2 v v^T), |u| = |v| = 1 */
        for (int i = 0; i < P; i++)
            for (int k = 0; k < M; k++)
                A[P * j + i] += ((i == k) - 2 * u[i] * u[k]) * s[k] * ((k == j) - 2 * v[k] * v[j]);
    assert_true(linear_singular_values(A, P, M, got));
    for (int k = 0; k < M; k++)
        NEAR(got[k], s[k], 1e-16 * 1000);
}

static void least_norm_of_dependent_columns(void **state)
{
    (void)state;
    const real A[12] = {1, 0, 0, 0, 2, 0, 1, 2, 0, 1, 2, 0}; /* columns (1 0 0) (0 2 0) (1 2 0) twice: rank 2 */
    const real g[4] = {1, 2, 3, 3}, h[3] = {3, 4, 0}, w[4] = {0, 0, 1, -1};
    real x[3], mu[4], sum[3] = {0};
    linear_cod f;
    assert_true(linear_cod_create(&f, A, 3, 4, 1e-12L));
    assert_int_equal(f.rank, 2);
    linear_cod_range_solve(&f, g, x);
    NEAR(x[0], 1, 1e-18);
    NEAR(x[1], 1, 1e-18);
    linear_cod_multipliers(&f, h, mu);
    for (int j = 0; j < 4; j++)
        for (int i = 0; i < 3; i++)
            sum[i] += A[3 * j + i] * mu[j];
    for (int i = 0; i < 3; i++)
        NEAR(sum[i], h[i], 1e-17);
    NEAR(mu[2], mu[3], 1e-17); /* least norm: no part along (0 0 1 -1) nor (1 1 -1 0) */
    NEAR(mu[0] + mu[1], mu[2], 1e-17);
    NEAR(linear_cod_null_part(&f, w), sqrtl(2), 1e-17);
    linear_cod_destroy(&f);
}

/* ---- closed forms */

static void pendulum(void **state)
{
    (void)state;
    const real m = 2, l = 0.6L, J = 0.5L, g = 9.81, q = 0.4, w = 1.5L;
    clv_model *model = empty(0, -9.81, 0);
    body(model, "p", 2, (double)l, 0.1, 0.45, 0.5);
    int j = joint(model, CLV_JOINT_REVOLUTE, "a", -1, 0, 0, 0.4);
    oracle *o = finish(model);
    real V[6] = {-l * w * sinl(q), l * w * cosl(q), 0, 0, 0, w}, a[6], mu[5], qm[7], u[6], ud[6];
    oracle_reaction x;
    oracle_set_velocity(o, V);
    NEAR(oracle_accelerations(o, a, mu), 0, 1e-16);
    real ll = o->r[0] * o->r[0] + o->r[1] * o->r[1]; /* 0.6 as a double */
    real alpha = -m * g * (real)(double)l * cosl(q) / (J + m * ll);
    NEAR(a[5], alpha, 1e-15);
    oracle_joint_state(o, j, a, qm, u, ud);
    NEAR(qm[0], 0.4, 1e-17);
    NEAR(u[0], w, 1e-15);
    NEAR(ud[0], alpha, 1e-15);
    oracle_joint_reaction(o, mu, j, &x);
    NEAR(x.constraint[0], m * a[0], 1e-14);
    NEAR(x.constraint[1], m * (a[1] + g), 1e-14);
    for (int k = 2; k < 6; k++)
        NEAR(x.constraint[k], 0, 1e-15);
    for (int k = 0; k < 6; k++)
        assert_true(x.unique[k]);
    assert_int_equal(o->rank, 5);
    NEAR(oracle_kinetic_energy(o), (J + m * l * l) * w * w / 2, 1e-14);
    NEAR(oracle_potential_energy(o), m * g * l * sinl(q), 1e-14);
    bool outboard[1] = {true};
    real p[6], pd[6];
    oracle_joint_momentum(o, j, outboard, p, pd);
    NEAR(p[0], (J + m * l * l) * w, 1e-14);
    NEAR(pd[0], -m * g * l * cosl(q), 1e-14);
    done(o);
}

/* Absolute angles t1, t2: M(t1 - t2) t'' = h, by hand from Lagrange. */
static void double_pendulum(void **state)
{
    (void)state;
    const real m1 = 1.25L, m2 = 0.75L, L = 1, l1 = 0.5L, l2 = 0.25L, J1 = 0.125L, J2 = 0.0625L, g = 9.5L;
    const real t1 = 0.75L, t2 = 0.75L + 0.5L, w1 = 1.5L, w2 = -0.5L;
    clv_model *model = empty(0, -9.5, 0);
    body(model, "1", 1.25, 0.5, 0.1, 0.1, 0.125);
    body(model, "2", 0.75, 0.25, 0.05, 0.05, 0.0625);
    joint(model, CLV_JOINT_REVOLUTE, "a", -1, 0, 0, 0.75);
    joint(model, CLV_JOINT_REVOLUTE, "b", 0, 1, 1, 0.5);
    oracle *o = finish(model);
    real V[12] = {-l1 * w1 * sinl(t1), l1 * w1 * cosl(t1), 0, 0, 0, w1,
                  -L * w1 * sinl(t1) - l2 * w2 * sinl(t2), L * w1 * cosl(t1) + l2 * w2 * cosl(t2), 0, 0, 0, w2};
    real a[12], c = cosl(t1 - t2), s = sinl(t1 - t2);
    real A = J1 + m1 * l1 * l1 + m2 * L * L, B = m2 * L * l2 * c, D = J2 + m2 * l2 * l2;
    real h1 = -m2 * L * l2 * s * w2 * w2 - (m1 * l1 + m2 * L) * g * cosl(t1),
         h2 = m2 * L * l2 * s * w1 * w1 - m2 * l2 * g * cosl(t2);
    oracle_set_velocity(o, V);
    NEAR(oracle_accelerations(o, a, NULL), 0, 1e-15);
    NEAR(a[5], (D * h1 - B * h2) / (A * D - B * B), 1e-14);
    NEAR(a[11], (A * h2 - B * h1) / (A * D - B * B), 1e-14);
    done(o);
}

static void free_rigid_body(void **state)
{
    (void)state;
    clv_model *model = empty(0, 0, -10);
    body(model, "b", 3, 0.5, 1, 2, 2.5);
    joint(model, CLV_JOINT_FREE, "f", -1, 0, 0, 0);
    oracle *o = finish(model);
    real V[6] = {1, 2, 3, 0.5L, -1, 2}, a[6],
         want[3] = {(2 - 2.5L) * -1 * 2 / 1, (2.5L - 1) * 2 * 0.5L / 2, (1 - 2.0L) * 0.5L * -1 / 2.5L};
    oracle_set_velocity(o, V);
    oracle_accelerations(o, a, NULL);
    NEAR(a[2], -10, 1e-16);
    for (int k = 0; k < 3; k++)
        NEAR(a[3 + k], want[k], 1e-16);
    NEAR(o->condition, 1, 0);
    done(o);
}

static void helical_nut(void **state)
{
    (void)state;
    clv_model *model = empty(0, 0, -10);
    body(model, "nut", 2, 0, 1, 1, 0.5);
    int j = joint(model, CLV_JOINT_HELICAL, "h", -1, 0, 0, 7.5);
    oracle *o = finish(model);
    real h = 0.3, a[6], mu[6], want = -2 * 10 * h / (0.5L + 2 * h * h), q[7], u[6], ud[6];
    oracle_reaction x;
    NEAR(oracle_violation(o), 0, 1e-15);
    oracle_accelerations(o, a, mu);
    NEAR(a[5], want, 1e-15);
    NEAR(a[2], h * want, 1e-15);
    oracle_joint_state(o, j, a, q, u, ud);
    NEAR(q[0], 7.5, 1e-15);
    NEAR(ud[0], want, 1e-15);
    oracle_joint_reaction(o, mu, j, &x);
    NEAR(x.constraint[2], 2 * (a[2] + 10), 1e-14);
    NEAR(x.constraint[5], 0.5L * a[5], 1e-14);
    NEAR(x.constraint[2] * h + x.constraint[5], 0, 1e-14); /* does no work */
    done(o);
}

static void two_gears(void **state)
{
    (void)state;
    clv_model *model = empty(0, 0, 0);
    clv_coupling_desc c = clv_coupling_desc_default();
    clv_force_desc f = clv_force_desc_default(CLV_FORCE_JOINT);
    body(model, "1", 1, 0, 1, 1, 0.5);
    body(model, "2", 1, 0, 1, 1, 2);
    c.first = joint(model, CLV_JOINT_REVOLUTE, "a", -1, 0, 0, 0.25);
    c.second = joint(model, CLV_JOINT_REVOLUTE, "b", -1, 1, 3, 0);
    c.name = "gear";
    c.ratio = -0.5;
    f.name = "motor";
    f.joint = 0;
    f.drive = 7;
    clv_model_add_coupling(model, NULL, &c);
    clv_model_add_force(model, NULL, &f);
    oracle *o = finish(model);
    real a[12], mu[11], first[6], second[6];
    oracle_reaction x;
    NEAR(oracle_violation(o), 0, 1e-16);
    oracle_accelerations(o, a, mu);
    NEAR(a[5], 7, 1e-15); /* 7 / (0.5 + 2 / 4) */
    NEAR(a[11], -3.5, 1e-15);
    assert_true(oracle_coupling_unique(o, 0));
    oracle_coupling_wrench(o, mu, 0, 0, second), oracle_coupling_wrench(o, mu, 0, 1, first);
    NEAR(second[5], 2 * a[11], 1e-15);
    NEAR(first[5], 0.5L * a[5] - 7, 1e-15);
    oracle_joint_reaction(o, mu, 0, &x);
    NEAR(x.drive[5], 7, 1e-15);
    done(o);
}

/* First angle of a double pendulum prescribed: the drive torque balances the moment of momentum about the first
 * joint. */
static void prescribed_rotation(void **state)
{
    (void)state;
    clv_model *model = empty(0, -9.5, 0);
    clv_motion_desc d = clv_motion_desc_default();
    body(model, "1", 1.25, 0.5, 0.1, 0.1, 0.125);
    body(model, "2", 0.75, 0.25, 0.05, 0.05, 0.0625);
    d.joint = joint(model, CLV_JOINT_REVOLUTE, "a", -1, 0, 0, 0.75);
    joint(model, CLV_JOINT_REVOLUTE, "b", 0, 1, 1, 0.5);
    d.name = "drive";
    d.amplitude = 0.5;
    d.frequency = 3;
    d.rate = 0.25;
    clv_model_add_motion(model, NULL, &d);
    oracle *o = finish(model);
    real a[12], mu[11], torque = 0;
    oracle_reaction x;
    NEAR(oracle_violation(o), 0, 1e-15);
    NEAR(oracle_project_velocity(o), 0, 1e-15);
    NEAR(o->V[5], 0.25 + 1.5, 1e-15);
    oracle_accelerations(o, a, mu);
    NEAR(a[5], 0, 1e-14); /* the sine starts at zero */
    for (int i = 0; i < 2; i++) {
        const clv_body *b = &model->body[i];
        torque += (real)b->J[2] * a[6 * i + 5] +
                  (real)b->mass * (o->r[3 * i] * (a[6 * i + 1] + 9.5L) - o->r[3 * i + 1] * a[6 * i]);
    }
    oracle_joint_reaction(o, mu, 0, &x);
    NEAR(x.drive[5], torque, 1e-14);
    NEAR(x.constraint[5], 0, 1e-15);
    assert_true(x.unique_drive);
    done(o);
}

/* A mass point on a rod: J = 0 in all directions, yet the motion is that of the mathematical pendulum. */
static void mass_point_pendulum(void **state)
{
    (void)state;
    clv_model *model = empty(0, -10, 0);
    body(model, "p", 2, 0.5, 0, 0, 0);
    joint(model, CLV_JOINT_REVOLUTE, "a", -1, 0, 0, 0.25);
    oracle *o = finish(model);
    real a[6], mu[5];
    oracle_reaction x;
    NEAR(oracle_accelerations(o, a, mu), 0, 1e-15);
    assert_true(o->dense_mass);
    NEAR(a[5], -10 / 0.5L * cosl(0.25L), 1e-15);
    oracle_joint_reaction(o, mu, 0, &x);
    NEAR(x.constraint[0], 2 * a[0], 1e-14);
    NEAR(x.constraint[1], 2 * (a[1] + 10), 1e-14);
    done(o);
}

/* Natural spline through a parabola's points: symmetric, zero curvature at the ends, C2 inside. */
static void spline_motion(void **state)
{
    (void)state;
    const double time[5] = {0, 1, 2, 3, 4}, value[5] = {0, 3, 4, 3, 0};
    clv_model *model = empty(0, 0, 0);
    clv_motion_desc d = clv_motion_desc_default();
    body(model, "b", 1, 0, 1, 1, 1);
    d.joint = joint(model, CLV_JOINT_PRISMATIC, "s", -1, 0, 0, 0);
    d.name = "m";
    d.table = (clv_table){5, time, value};
    clv_model_add_motion(model, NULL, &d);
    oracle *o = finish(model);
    real q[2], v[2], a[2];
    for (int k = 0; k < 5; k++) {
        oracle_motion_at(&model->motion[0], (real)time[k], q, v, a);
        NEAR(q[0], value[k], 1e-17);
    }
    NEAR(a[0], 0, 1e-17);
    oracle_motion_at(&model->motion[0], 2, q, v, a);
    NEAR(v[0], 0, 1e-17);
    for (int k = 1; k < 4; k++) {
        oracle_motion_at(&model->motion[0], (real)k - 1e-15L, q, v, a);
        oracle_motion_at(&model->motion[0], (real)k + 1e-15L, q + 1, v + 1, a + 1);
        NEAR(v[0], v[1], 1e-13);
        NEAR(a[0], a[1], 1e-13);
    }
    done(o);
}

/* ---- the oracle against itself, on random systems */

static void move(oracle *o, real h, const real *r, const real *R, const real *V, const real *a)
{
    for (int i = 0; i < o->model->nbody; i++) {
        real E[9], turn[3];
        for (int k = 0; k < 3; k++) {
            o->r[3 * i + k] = r[3 * i + k] + h * V[6 * i + k] + (a ? h * h / 2 * a[6 * i + k] : 0);
            turn[k] = h * V[6 * i + 3 + k] + (a ? h * h / 2 * a[6 * i + 3 + k] : 0);
        }
        m3_exponential(E, turn);
        m3_multiply(o->R + 9 * i, E, R + 9 * i);
    }
    for (int i = 0; i < o->n; i++)
        o->V[i] = V[i] + (a ? h * a[i] : 0);
    o->time += h;
    oracle_update(o);
    o->time -= h;
}

static real *copy(const real *x, int n)
{
    real *y = oracle_allocate((size_t)n, sizeof *y);
    memcpy(y, x, (size_t)n * sizeof *y);
    return y;
}

static real largest(const real *x, int n)
{
    real most = 0;
    for (int i = 0; i < n; i++)
        most = fmaxl(most, fabsl(x[i]));
    return most;
}

/* J V - rate per row */
static void row_rates(const oracle *o, real *x)
{
    for (int r = 0; r < o->rows; r++) {
        x[r] = -o->rate[r];
        for (int i = 0; i < o->n; i++)
            x[r] += o->J[(size_t)r * (size_t)o->n + (size_t)i] * o->V[i];
    }
}

static oracle *random_oracle(int seed, int kind, random_info *info)
{
    clv_model *m;
    clv_status st = random_system_create((uint64_t)seed, (random_kind)kind, seed % 3 == 0 ? 0 : 4 + seed, &m, info);
    if (st != CLV_OK)
        print_error("%s %d: %s\n", random_kind_name((random_kind)kind), seed, clv_model_error(m)->message);
    assert_int_equal(st, CLV_OK);
    oracle *o = oracle_create(m);
    random_stream s = {(uint64_t)seed};
    real *V = oracle_allocate((size_t)o->n, sizeof *V);
    for (int i = 0; i < o->n; i++)
        V[i] = random_normal(&s);
    o->time = 0.125L;
    oracle_set_velocity(o, V);
    free(V);
    return o;
}

/* c and J belong together: d c / d t = J V - rate for any V. */
static void rows_are_derivatives(void **state)
{
    (void)state;
    const real h = 1e-6L;
    for (int kind = 0; kind < RANDOM_KINDS; kind++)
        for (int seed = 1; seed <= 8; seed++) {
            random_info info;
            oracle *o = random_oracle(seed, kind, &info);
            int m = o->rows, nb = o->model->nbody;
            real *r = copy(o->r, 3 * nb), *R = copy(o->R, 9 * nb), *V = copy(o->V, o->n);
            real *rate = oracle_allocate((size_t)(2 * m), sizeof *rate), *c = rate + m;
            row_rates(o, rate);
            move(o, h, r, R, V, NULL);
            memcpy(c, o->violation, (size_t)m * sizeof *c);
            move(o, -h, r, R, V, NULL);
            for (int k = 0; k < o->joint_row[o->model->njoint];
                 k++) /* couplings and motions need an obedient V: below */
                NEAR((c[k] - o->violation[k]) / (2 * h), rate[k], 1e-9 * (1 + (double)fabsl(rate[k])));
            free(r), free(R), free(V), free(rate);
            done(o);
        }
}

/* J and gamma belong together: d (J V - rate) / d t = J a - gamma along consistent motions, here with a = 0;
 * and c stays. */
static void gamma_is_a_derivative(void **state)
{
    (void)state;
    const real h = 1e-6L;
    for (int kind = 0; kind < RANDOM_KINDS; kind++)
        for (int seed = 1; seed <= 8; seed++) {
            random_info info;
            oracle *o = random_oracle(seed, kind, &info);
            int m = o->rows, nb = o->model->nbody;
            o->time = 0;
            oracle_update(o);
            oracle_project_velocity(o);
            real *r = copy(o->r, 3 * nb), *R = copy(o->R, 9 * nb), *V = copy(o->V, o->n), *gamma = copy(o->gamma, m);
            real *v1 = oracle_allocate((size_t)(3 * m), sizeof *v1), *v2 = v1 + m, *c = v2 + m;
            move(o, h, r, R, V, NULL);
            row_rates(o, v1);
            memcpy(c, o->violation, (size_t)m * sizeof *c);
            move(o, 0, r, R, V, NULL);
            row_rates(o, v2);
            for (int k = 0; k < m; k++)
                NEAR((c[k] - o->violation[k]) / h, 0, 1e-4 * (1 + (double)fabsl(gamma[k])));
            for (int k = 0; k < m; k++)
                NEAR((v1[k] - v2[k]) / h, -gamma[k], 1e-4 * (1 + (double)fabsl(gamma[k])));
            free(r), free(R), free(V), free(gamma), free(v1);
            done(o);
        }
}

/* adds the wrench T, given at b's joint point, to the body sums F */
static void add_wrench(const oracle *o, int j, const real T[6], real *F)
{
    oracle_end A, B;
    real Ja[6], Jb[6];
    oracle_ends(o, j, &A, &B);
    oracle_row_blocks(&A, &B, T, Ja, Jb);
    for (int i = 0; i < 6; i++) {
        if (A.body >= 0)
            F[6 * A.body + i] += Ja[i];
        if (B.body >= 0)
            F[6 * B.body + i] += Jb[i];
    }
}

/* Newton and Euler for every body with the reactions as reported; rows obeyed; constraint power is nil. */
static void equations_of_motion_hold(void **state)
{
    (void)state;
    int redundant = 0;
    for (int kind = 0; kind < RANDOM_KINDS; kind++)
        for (int seed = 1; seed <= 12; seed++) {
            random_info info;
            oracle *o = random_oracle(seed, kind, &info);
            const clv_model *model = o->model;
            o->time = 0;
            oracle_update(o);
            NEAR(oracle_violation(o), 0, 1e-12);
            NEAR(oracle_project_velocity(o), 0, 1e-14);
            real *a = oracle_allocate((size_t)(4 * o->n + o->rows), sizeof *a), *F = a + o->n, *Q = F + o->n,
                 *Ma = Q + o->n, *mu = Ma + o->n;
            real left = oracle_accelerations(o, a, mu);
            NEAR(left / (1 + largest(a, o->n)), 0, 1e-12);
            oracle_loads(o, F); /* with joint loads: leave those out of what the joints report */
            for (int j = 0; j < model->njoint; j++) {
                oracle_reaction x;
                real tau[6];
                oracle_joint_reaction(o, mu, j, &x);
                oracle_joint_loads(o, j, tau);
                for (int c = 0; c < oracle_joint_freedoms(model->joint[j].kind); c++) {
                    oracle_row row;
                    oracle_coordinate(o, j, c, &row);
                    for (int i = 0; i < 6; i++)
                        x.drive[i] -= tau[c] * row.T[i];
                }
                add_wrench(o, j, x.constraint, F);
                add_wrench(o, j, x.drive, F);
                for (int c = 0; c < 6; c++) { /* the verdict is never close */
                    assert_true(x.part[c] < 1e-10L || x.part[c] > 1e-6L);
                    assert_true(x.unique[c] || o->rank < o->rows);
                }
            }
            for (int c = 0; c < model->ncoupling; c++)
                for (int i = 0; i < model->coupling[c].nterm; i++) {
                    real w[6];
                    oracle_coupling_wrench(o, mu, c, i, w);
                    add_wrench(o, model->coupling[c].term[i].joint, w, F);
                }
            oracle_mass_times(o, a, Ma);
            real scale = largest(F, o->n) + largest(Ma, o->n);
            for (int i = 0; i < model->nbody; i++) {
                real w[6] = {0}, P[3], back[9], Rt[9], *x = o->V + 6 * i + 3;
                const double *J = model->body[i].J;
                real local[9] = {J[0], J[3], J[4], J[3], J[1], J[5], J[4], J[5], J[2]};
                m3_transpose(Rt, o->R + 9 * i);
                m3_multiply(back, o->R + 9 * i, local);
                m3_multiply(back, back, Rt);
                m3_times(P, back, x);
                v3_cross(w + 3, x, P);
                for (int k = 0; k < 6; k++)
                    NEAR((Ma[6 * i + k] + w[k] - F[6 * i + k]) / scale, 0, 1e-14);
            }
            redundant += o->rank < o->rows;
            assert_true(o->kept > 1e-9L && o->dropped < 1e-13L);
            free(a);
            done(o);
        }
    assert_true(redundant > 10);
}

/* Trees: p' is the derivative of p along the motion (nothing closes, so nothing accumulates). */
static void momentum_rates_in_trees(void **state)
{
    (void)state;
    const real h = 1e-5L;
    for (int seed = 1; seed <= 20; seed++) {
        random_info info;
        oracle *o = random_oracle(seed, RANDOM_TREE, &info);
        const clv_model *m = o->model;
        if (m->ncoupling > 0 || m->nmotion > 0) {
            done(o);
            continue;
        }
        oracle_project_velocity(o);
        int nb = m->nbody;
        real *a = oracle_allocate((size_t)o->n, sizeof *a), *r = copy(o->r, 3 * nb), *R = copy(o->R, 9 * nb),
             *V = copy(o->V, o->n);
        bool *outboard = oracle_allocate((size_t)nb, sizeof *outboard);
        oracle_accelerations(o, a, NULL);
        for (int j = 0; j < m->njoint; j++) {
            int child =
                m->joint[j].a > m->joint[j].b ? m->joint[j].a : m->joint[j].b; /* parents have smaller numbers */
            real p1[6], p2[6], pd[6], unused[6];
            memset(outboard, 0, (size_t)nb * sizeof *outboard);
            outboard[child] = true;
            for (int k = j + 1; k < m->njoint; k++) {
                int x = m->joint[k].a, y = m->joint[k].b;
                outboard[x > y ? x : y] = (x > y ? y : x) >= 0 && outboard[x > y ? y : x];
            }
            move(o, 0, r, R, V, NULL);
            oracle_joint_momentum(o, j, outboard, p1, pd);
            move(o, h, r, R, V, a);
            oracle_joint_momentum(o, j, outboard, p1, unused);
            move(o, -h, r, R, V, a);
            oracle_joint_momentum(o, j, outboard, p2, unused);
            for (int c = 0; c < oracle_joint_freedoms(m->joint[j].kind); c++)
                NEAR((p1[c] - p2[c]) / (2 * h) - pd[c], 0, 1e-4 * (1 + (double)(fabsl(pd[c]) + fabsl(p1[c]))));
        }
        free(a), free(r), free(R), free(V), free(outboard);
        done(o);
    }
}

static void positions_project(void **state)
{
    (void)state;
    random_info info;
    oracle *o = random_oracle(5, RANDOM_COUPLED, &info);
    random_stream s = {9};
    o->time = 0;
    for (int i = 0; i < 3 * o->model->nbody; i++)
        o->r[i] += 1e-3L * random_normal(&s);
    oracle_update(o);
    assert_true(oracle_violation(o) > 1e-4L);
    NEAR(oracle_project_position(o, 8), 0, 1e-17);
    done(o);
}

/* ---- reference files */

typedef struct reference {
    json *file;
    oracle *o;
    const json *want;
} reference;

static void open_reference(reference *x, const char *name)
{
    clv_model *m;
    x->file = reference_read(name);
    if (!x->file) {
        print_message("skipped: %s (CLEAVE_REFERENCE)\n", name);
        skip();
    }
    assert_int_equal(reference_model(x->file, &m), CLV_OK);
    size_t nb = (size_t)m->nbody;
    double *r = calloc(18 * nb, sizeof *r), *R = r + 3 * nb, *V = R + 9 * nb;
    reference_state(x->file, r, R, V);
    x->o = oracle_create(m);
    oracle_set(x->o, 0, r, R, V, NULL);
    x->want = json_get(x->file, "reference");
    free(r);
}

static void close_reference(reference *x)
{
    done(x->o);
    json_destroy(x->file);
}

/* marks the far side of tree joint j; parents have smaller numbers, tree joint k hangs body k on its parent */
static void far_side(const clv_model *m, int j, bool *outboard)
{
    for (int i = 0; i < m->nbody; i++)
        outboard[i] = i == j || (m->joint[i].a >= 0 && outboard[m->joint[i].a]);
}

static void random_reference(const char *name)
{
    reference x;
    double acc[6 * 64], number;
    open_reference(&x, name);
    oracle *o = x.o;
    real a[6 * 64], mu[256];
    assert_int_equal(json_numbers(json_get(x.want, "body_acc"), acc, 6 * 64), o->n);
    NEAR(oracle_violation(o), 0, 1e-14);
    oracle_accelerations(o, a, mu);
    for (int i = 0; i < o->n; i++)
        NEAR(a[i], acc[i], 2e-13);
    json_numbers(json_get(x.want, "kinetic"), &number, 1);
    NEAR(oracle_kinetic_energy(o), number, 1e-11);
    json_numbers(json_get(x.want, "potential"), &number, 1);
    NEAR(oracle_potential_energy(o), number, 1e-11);
    json_numbers(json_get(x.want, "rank"), &number, 1);
    assert_int_equal(o->rank, (int)number);
    for (int j = 0; j < o->model->nbody; j++) {
        const json *want = json_get(json_get(x.want, "joints"), o->model->joint[j].name);
        const json *at = json_get(json_get(json_get(x.file, "state"), "joints"), o->model->joint[j].name);
        real q[7], u[6], ud[6], p[6], pd[6];
        double n[7];
        bool outboard[64];
        clv_joint_kind kind = o->model->joint[j].kind;
        far_side(o->model, j, outboard);
        oracle_joint_state(o, j, a, q, u, ud);
        oracle_joint_momentum(o, j, outboard, p, pd);
        int nu = json_numbers(json_get(want, "udot"), n, 7), nq;
        assert_int_equal(nu, oracle_joint_freedoms(kind));
        for (int c = 0; c < nu; c++)
            NEAR(ud[c], n[c], 1e-12);
        json_numbers(json_get(want, "p"), n, 7);
        for (int c = 0; c < nu; c++)
            NEAR(p[c], n[c], 1e-11);
        json_numbers(json_get(want, "pdot"), n, 7);
        for (int c = 0; c < nu; c++)
            NEAR(pd[c], n[c], 1e-11);
        json_numbers(json_get(at, "u"), n, 7);
        for (int c = 0; c < nu; c++)
            NEAR(u[c], n[c], 1e-13);
        nq = json_numbers(json_get(at, "q"), n, 7);
        for (int c = 0; c < nq; c++) {
            real sign = nq > nu && c >= nq - 4 && q[nq - 4] * (real)n[nq - 4] < 0 ? -1 : 1;
            NEAR(sign * q[c], n[c], 1e-14);
        }
    }
    close_reference(&x);
}

static void random_tree_8(void **state) { (void)state, random_reference("rigid/random_tree_8_1.json"); }
static void random_tree_16(void **state) { (void)state, random_reference("rigid/random_tree_16_2.json"); }
static void random_loops_8(void **state) { (void)state, random_reference("rigid/random_loops_8_1.json"); }

/* start accelerations and ranks of the mechanisms */
static void start_of_reference(const char *name, const char *key, double tolerance)
{
    reference x;
    double acc[6 * 64], number;
    real a[6 * 64];
    open_reference(&x, name);
    assert_int_equal(json_numbers(json_get(x.want, key), acc, 6 * 64), x.o->n);
    oracle_accelerations(x.o, a, NULL);
    for (int i = 0; i < x.o->n; i++)
        NEAR(a[i], acc[i], tolerance);
    json_numbers(json_get(x.want, "constraint_rank_t0"), &number, 1);
    assert_int_equal(x.o->rank, (int)number);
    close_reference(&x);
}

#define PLANAR_KEY "initial_accelerations_per_body_[vdot,wdot]"
static void case_1(void **state) { (void)state, start_of_reference("rigid/hdca_case1.json", PLANAR_KEY, 1e-12); }
static void case_2(void **state) { (void)state, start_of_reference("rigid/hdca_case2.json", PLANAR_KEY, 1e-12); }
static void case_3(void **state) { (void)state, start_of_reference("rigid/hdca_case3.json", PLANAR_KEY, 1e-12); }
static void coupled_loops(void **state)
{
    (void)state, start_of_reference("rigid/aldca_coupled.json", PLANAR_KEY, 1e-12);
}
static void sine_chain(void **state) { (void)state, start_of_reference("rigid/sine_chain_16.json", PLANAR_KEY, 1e-12); }
static void bricard(void **state)
{
    (void)state, start_of_reference("rigid/bricard_A04.json", "initial_accelerations", 1e-11);
}
static void loop_7r(void **state)
{
    (void)state, start_of_reference("rigid/loop_7R.json", "initial_accelerations", 1e-11);
}
static void chain_6r(void **state)
{
    (void)state, start_of_reference("rigid/spatial_chain_6R.json", "initial_accelerations", 1e-11);
}

/* A planar loop of spatial hinges: forces in the plane are unique and known, the rest is not. */
static void reactions_of_case_1(void **state)
{
    (void)state;
    reference x;
    double force[10];
    real a[24], mu[25];
    open_reference(&x, "rigid/hdca_case1.json");
    json_numbers(&json_get(x.want, "joint_force_xy_on_B")->item[0], force, 10);
    oracle_accelerations(x.o, a, mu);
    for (int j = 0; j < 5; j++) {
        const bool unique[6] = {true, true, false, false, false, true};
        oracle_reaction y;
        oracle_joint_reaction(x.o, mu, j, &y);
        for (int c = 0; c < 2; c++)
            NEAR(y.constraint[c], force[2 * j + c], 1e-12);
        for (int c = 0; c < 6; c++)
            assert_int_equal(y.unique[c], unique[c]);
    }
    close_reference(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(singular_values_of_a_rotated_diagonal),
        cmocka_unit_test(least_norm_of_dependent_columns),
        cmocka_unit_test(pendulum),
        cmocka_unit_test(double_pendulum),
        cmocka_unit_test(free_rigid_body),
        cmocka_unit_test(helical_nut),
        cmocka_unit_test(two_gears),
        cmocka_unit_test(prescribed_rotation),
        cmocka_unit_test(mass_point_pendulum),
        cmocka_unit_test(spline_motion),
        cmocka_unit_test(rows_are_derivatives),
        cmocka_unit_test(gamma_is_a_derivative),
        cmocka_unit_test(equations_of_motion_hold),
        cmocka_unit_test(momentum_rates_in_trees),
        cmocka_unit_test(positions_project),
        cmocka_unit_test(random_tree_8),
        cmocka_unit_test(random_tree_16),
        cmocka_unit_test(random_loops_8),
        cmocka_unit_test(case_1),
        cmocka_unit_test(case_2),
        cmocka_unit_test(case_3),
        cmocka_unit_test(coupled_loops),
        cmocka_unit_test(sine_chain),
        cmocka_unit_test(bricard),
        cmocka_unit_test(loop_7r),
        cmocka_unit_test(chain_6r),
        cmocka_unit_test(reactions_of_case_1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
