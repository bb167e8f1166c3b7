/* SPDX-License-Identifier: Apache-2.0
 * Any unit of length and mass (T40.6): a model with lengths, gravity, inertia and forces in other units moves alike.
 * With powers of two results are the same to the bit, with 1e-6 and 1e3 to 1e-10. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "cleave/cleave.h"
#include "near.h"

enum { MOST = 6 };

typedef struct unit {
    clv_model *m;
    double L, M; /* lengths and masses are multiplied by them */
    int body[MOST], count;
} unit;

static void add_body(unit *u, const char *name, double mass, double x, double y, double z, double J)
{
    clv_body_desc d = clv_body_desc_default();
    d.name = name, d.mass = mass * u->M;
    d.com[0] = x * u->L, d.com[1] = y * u->L, d.com[2] = z * u->L;
    for (int i = 0; i < 3; i++)
        d.inertia[i] = J * (1 + 0.25 * i) * u->M * u->L * u->L;
    d.placed = true;
    assert_int_equal(clv_model_add_body(u->m, &u->body[u->count++], &d), CLV_OK);
}

static void add_joint(unit *u, clv_joint_kind kind, const char *name, int a, int b, const double at[3],
                      const double axis[3])
{
    clv_joint_desc d = clv_joint_desc_default(kind);
    d.name = name, d.global = true, d.a = a < 0 ? CLV_GROUND : u->body[a], d.b = b < 0 ? CLV_GROUND : u->body[b];
    for (int i = 0; i < 3; i++)
        d.at[i] = at[i] * u->L, d.axis[i] = axis[i];
    assert_int_equal(clv_model_add_joint(u->m, NULL, &d), CLV_OK);
}

static const double Z[3] = {0, 0, 1}, X[3] = {1, 0, 0};

static void chain(unit *u)
{
    add_body(u, "a", 1, 0.5, 0.1, 0, 0.1), add_body(u, "b", 2, 1.5, 0.2, 0.1, 0.2);
    add_joint(u, CLV_JOINT_SPHERICAL, "s", -1, 0, (double[]){0, 0, 0}, Z);
    add_joint(u, CLV_JOINT_REVOLUTE, "r", 0, 1, (double[]){1, 0.1, 0}, (double[]){0, 0.6, 0.8});
}

static void four_bar(unit *u)
{
    add_body(u, "crank", 1, 0, 0.5, 0, 0.08), add_body(u, "coupler", 2, 1, 1.25, 0, 0.5);
    add_body(u, "rocker", 1, 2, 0.75, 0, 0.19);
    add_joint(u, CLV_JOINT_REVOLUTE, "a", -1, 0, (double[]){0, 0, 0}, Z);
    add_joint(u, CLV_JOINT_REVOLUTE, "b", 0, 1, (double[]){0, 1, 0}, Z);
    add_joint(u, CLV_JOINT_REVOLUTE, "c", 1, 2, (double[]){2, 1.5, 0}, Z);
    add_joint(u, CLV_JOINT_REVOLUTE, "d", 2, -1, (double[]){2, 0, 0}, Z);
}

static void slider(unit *u)
{
    add_body(u, "crank", 1, 0.1, 0.1, 0, 0.02), add_body(u, "rod", 1, 0.5, 0.1, 0, 0.05);
    add_body(u, "piston", 2, 0.8, 0, 0, 0.01);
    add_joint(u, CLV_JOINT_REVOLUTE, "a", -1, 0, (double[]){0, 0, 0}, Z);
    add_joint(u, CLV_JOINT_REVOLUTE, "b", 0, 1, (double[]){0.2, 0.2, 0}, Z);
    add_joint(u, CLV_JOINT_REVOLUTE, "c", 1, 2, (double[]){0.8, 0, 0}, Z);
    add_joint(u, CLV_JOINT_PRISMATIC, "d", -1, 2, (double[]){0.8, 0, 0}, X);
}

/* axes through the origin */
static void spherical_loop(unit *u)
{
    static const double axis[4][3] = {{1, 0.1, 0.5}, {0.1, 1, 0.75}, {-1, 0.2, 0.625}, {-0.1, -1, 0.5}};
    add_body(u, "a", 1, 0.5, 0.5, 0.5, 0.1), add_body(u, "b", 1.5, -0.5, 0.5, 0.5, 0.1);
    add_body(u, "c", 1, -0.5, -0.5, 0.5, 0.1);
    for (int i = 0; i < 4; i++)
        add_joint(u, CLV_JOINT_REVOLUTE, (const char *[]){"j", "k", "l", "m"}[i], i - 1, i < 3 ? i : -1, axis[i],
                  axis[i]);
}

/* a pendulum given a turn and a small translation that its joint does not allow: the nearest rates in kinetic energy */
static void thrown(unit *u)
{
    clv_body_desc d = clv_body_desc_default();
    d.name = "a", d.mass = u->M, d.com[0] = 0.5 * u->L, d.placed = d.moving = true;
    d.velocity[0] = 2e-3 * u->L, d.velocity[1] = -1e-3 * u->L, d.angular_velocity[2] = 3;
    for (int i = 0; i < 3; i++)
        d.inertia[i] = 0.125 * u->M * u->L * u->L;
    assert_int_equal(clv_model_add_body(u->m, &u->body[u->count++], &d), CLV_OK);
    add_joint(u, CLV_JOINT_REVOLUTE, "p", -1, 0, (double[]){0, 0, 0}, Z);
}

/* a rod of 2^-45 m in the unit 2^-20: points 3e-14 m apart are no noise beside coordinates of that size */
static void short_rod(unit *u)
{
    const double rod = ldexp(1, -25);
    add_body(u, "a", 1, rod, 0, 0, 0.125 * rod * rod);
    clv_joint_desc d = clv_joint_desc_default(CLV_JOINT_DISTANCE);
    d.name = "rod", d.a = CLV_GROUND, d.b = u->body[0], d.global = true, d.at_b[0] = rod * u->L;
    assert_int_equal(clv_model_add_joint(u->m, NULL, &d), CLV_OK);
}

/* positions (in the unit of length 1) and orientations after `time`; returns the number of steps */
static long run(void (*build)(unit *), double L, double M, const char *formulation, const char *integrator, double rtol,
                double *to)
{
    unit u = {.L = L, .M = M};
    clv_sim *s;
    clv_sim_options o = clv_sim_options_default();
    clv_sim_report r;
    assert_int_equal(clv_model_create(&u.m, "scaled"), CLV_OK);
    o.formulation = formulation, o.integrator = integrator, o.rtol = rtol;
    clv_model_set_gravity(u.m, (double[]){0.5 * L, -9.75 * L, 1.25 * L});
    build(&u);
    if (clv_model_finish(u.m) != CLV_OK)
        fail_msg("%s", clv_model_error(u.m)->message);
    if (clv_sim_create(&s, u.m, &o) != CLV_OK || clv_sim_advance(s, 1.0) != CLV_OK)
        fail_msg("lengths times %g by %s: %s", L, formulation, clv_sim_error(s)->message);
    for (int i = 0; i < u.count; i++) {
        for (int k = 0; k < 3; k++)
            to[7 * i + k] = clv_sim_position(s)[3 * i + k] / L;
        memcpy(to + 7 * i + 3, clv_sim_quaternion(s) + 4 * i, 4 * sizeof(double));
    }
    clv_sim_summary(s, &r);
    clv_sim_destroy(s), clv_model_destroy(u.m);
    return r.steps;
}

static void (*const models[])(unit *) = {chain, four_bar, slider, spherical_loop, thrown};
static const char *const formulations[] = {"hdca", "dca", "massmatrix", "connection"};
static const char *const integrators[] = {"dopri5", "adams"};

static void compare(double L, double M, bool bits)
{
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        for (size_t f = 0; f < sizeof formulations / sizeof *formulations; f++)
            for (size_t k = 0; k < sizeof integrators / sizeof *integrators; k++) {
                double one[7 * MOST] = {0}, other[7 * MOST] = {0};
                const bool steps = strcmp(integrators[k], "adams") != 0; /* chooses its order by noise */
                const double rtol = bits || steps ? 1e-8 : 1e-11;
                const long a = run(models[i], 1, 1, formulations[f], integrators[k], rtol, one);
                const long b = run(models[i], L, M, formulations[f], integrators[k], rtol, other);
                double worst = 0;
                for (int j = 0; j < 7 * MOST; j++)
                    worst = fmax(worst, fabs(one[j] - other[j]));
                if (bits && (a != b || memcmp(one, other, sizeof one) != 0))
                    fail_msg("model %zu by %s, %s, lengths times %g: %ld steps for %ld, off by %g", i, formulations[f],
                             integrators[k], L, b, a, worst);
                if (!bits && !((a == b || !steps) && worst <= 1e-10))
                    fail_msg("model %zu by %s, %s, lengths times %g: %ld steps for %ld, off by %g", i, formulations[f],
                             integrators[k], L, b, a, worst);
            }
}

static void test_powers_of_two(void **state)
{
    (void)state;
    compare(ldexp(1, -20), 1, true), compare(ldexp(1, 10), 1, true), compare(1, ldexp(1, 12), true);
}

static void test_micrometres_and_kilometres(void **state)
{
    (void)state;
    compare(1e-6, 1, false), compare(1e-3, 1, false), compare(1e3, 1, false), compare(1, 1e-3, false);
}

static void test_short_rod(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        unit u = {.L = k ? ldexp(1, -20) : 1, .M = 1};
        assert_int_equal(clv_model_create(&u.m, "rod"), CLV_OK);
        short_rod(&u);
        if (clv_model_finish(u.m) != CLV_OK)
            fail_msg("lengths times %g: %s", u.L, clv_model_error(u.m)->message);
        clv_model_destroy(u.m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_powers_of_two),
                                       cmocka_unit_test(test_micrometres_and_kilometres),
                                       cmocka_unit_test(test_short_rod)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
