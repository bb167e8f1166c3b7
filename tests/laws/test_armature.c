/* SPDX-License-Identifier: Apache-2.0
 * Rotors of joints (`armature`, T113): accelerations and rates against the extended-precision oracle on random systems
 * of every topology, motions and energies of all formulations beside each other, closed forms, and what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "math/sincos.h"
#include "near.h"
#include "oracle/oracle.h"
#include "oracle/random_system.h"
#include "simulation/sim.h"
#include "thorough.h"

static const struct {
    const char *formulation;
    int method;
} way[] = {{"hdca", 0}, {"dca", 0}, {"massmatrix", 0}, {"connection", 1}, {"connection", 2}};
enum { WAYS = sizeof way / sizeof *way };

static clv_sim_options options(int w)
{
    clv_sim_options o = clv_sim_options_default();
    o.formulation = way[w].formulation;
    if (way[w].method > 0)
        o.method = way[w].method;
    return o;
}

/* difference in the mass norm, relative to all unknowns of the oracle's system */
static double difference(const oracle *o, const double *x, const real *y, const real *mu)
{
    real *d = malloc(3 * (size_t)o->n * sizeof(real)), *Md = d + o->n, *My = Md + o->n, dd = 0, yy = 0;
    for (int i = 0; i < o->n; i++)
        d[i] = x[i] - y[i];
    oracle_mass_times(o, d, Md), oracle_mass_times(o, y, My);
    for (int i = 0; i < o->n; i++)
        dd += d[i] * Md[i], yy += y[i] * My[i];
    for (int i = 0; mu && i < o->rows; i++)
        yy += (mu[i] / o->scale[i]) * (mu[i] / o->scale[i]);
    free(d);
    return yy > 0 ? (double)sqrtl(dd / yy) : (double)sqrtl(dd);
}

/* Condition of the same system without rotors, where every joint is a constraint between free bodies: with rotors the
 * oracle scales by a mass matrix that already holds the joints, which says nothing of the ratios of masses. */
static double condition(const clv_sim *s, const double *q)
{
    clv_model *m = (clv_model *)s->model;
    const clv_joint_more **kept = malloc(((size_t)m->njoint + 1) * sizeof *kept);
    clv_joint_more *bare = malloc(((size_t)m->njoint + 1) * sizeof *bare);
    for (int j = 0; j < m->njoint; j++) {
        kept[j] = m->joint[j].more, bare[j] = *kept[j], m->joint[j].more = &bare[j];
        memset(bare[j].armature, 0, sizeof bare[j].armature);
    }
    oracle *o = oracle_create(m);
    oracle_set(o, 0, s->system.kin.com, s->system.kin.R, s->out_V, q);
    oracle_factor(o);
    const double c = (double)o->condition;
    for (int j = 0; j < m->njoint; j++)
        m->joint[j].more = kept[j];
    oracle_destroy(o), free(kept), free(bare);
    return c;
}

/* accelerations, and velocities out of the momenta, beside eps cond */
static double judge(clv_sim *s)
{
    oracle *o = oracle_create(s->model);
    real *a = malloc(((size_t)o->n + (size_t)o->rows + 1) * sizeof(real)), *mu = a + o->n;
    double *q = calloc(7 * (size_t)s->model->njoint + 1, sizeof(double));
    for (int j = 0; j < s->model->njoint; j++) {
        clv_joint_result r;
        assert_int_equal(clv_sim_joint(s, j, &r), CLV_OK);
        memcpy(q + 7 * j, r.q, sizeof r.q);
    }
    oracle_set(o, 0, s->system.kin.com, s->system.kin.R, s->out_V, q);
    oracle_project_velocity(o);
    const double moved = difference(o, s->out_V, o->V, NULL);
    oracle_accelerations(o, a, mu);
    const double worst = fmax(moved, difference(o, s->out_A, a, mu));
    const double ratio = worst / (2.2e-16 * fmax((double)o->condition, condition(s, q)));
    free(a), free(q);
    oracle_destroy(o);
    return ratio;
}

static clv_model *random_model(int seed, int nbody)
{
    clv_model *m;
    assert_int_equal(random_system_create((uint64_t)seed, (random_kind)(seed % RANDOM_KINDS), nbody, &m, NULL), CLV_OK);
    random_armature(m, (uint64_t)seed);
    return m;
}

static void systems_agree_with_the_oracle(void **state)
{
    (void)state;
    const int n = random_count(160, 30);
    double worst[WAYS] = {0};
    int failed = 0, done[WAYS] = {0}, armed = 0, at[WAYS] = {0};
    for (int seed = 1; seed <= n; seed++) {
        clv_model *m = random_model(seed, 0);
        for (int j = 0; j < m->njoint; j++)
            armed += clv_joint_armed(&m->joint[j]);
        for (int w = 0; w < WAYS; w++) {
            clv_sim *s = NULL;
            const clv_sim_options o = options(w);
            clv_status st = clv_sim_create(&s, m, &o);
            if (st == CLV_OK)
                st = clv_sim_evaluate(s);
            if (st == CLV_OK) {
                const double ratio = judge(s);
                done[w]++, failed += !(ratio <= 100);
                if (!(ratio <= worst[w]))
                    worst[w] = ratio, at[w] = seed;
            } else if (st != CLV_ERR_UNSUPPORTED) {
                failed++;
                print_error("%s, seed %d: %s\n", way[w].formulation, seed, clv_sim_error(s)->message);
            }
            clv_sim_destroy(s);
        }
        clv_model_destroy(m);
    }
    for (int w = 0; w < WAYS; w++)
        printf("%-12s %d: %d systems, worst %.2g eps cond (seed %d)\n", way[w].formulation, way[w].method, done[w],
               worst[w], at[w]);
    assert_int_equal(failed, 0);
    assert_true(armed > n);
    for (int w = 0; w < WAYS; w++)
        assert_true(done[w] > n / 2);
}

/* A motion of 0.2 s by every formulation ends at the same place; its energy account closes. */
static void motions_agree(void **state)
{
    (void)state;
    double worst = 0, drift = 0;
    int moved = 0;
    for (int seed = 1; seed <= 24; seed++) {
        clv_model *m = random_model(seed, 5);
        double at[3 * 16] = {0};
        bool there = false;
        for (int w = 0; w < WAYS; w++) {
            clv_sim *s = NULL;
            clv_sim_options o = options(w);
            o.rtol = 1e-11, o.atol = 1e-11, o.integrator = "dop853";
            clv_status st = clv_sim_create(&s, m, &o);
            if (st == CLV_OK)
                st = clv_sim_set_end(s, 0.2);
            if (st == CLV_OK)
                st = clv_sim_advance(s, 0.2);
            if (st != CLV_OK && st != CLV_ERR_UNSUPPORTED)
                print_error("%s, seed %d: %s\n", way[w].formulation, seed, clv_sim_error(s)->message);
            assert_true(st == CLV_OK || st == CLV_ERR_UNSUPPORTED);
            if (st == CLV_OK) {
                clv_sim_report r = {0};
                clv_sim_summary(s, &r);
                drift = fmax(drift, r.max_energy_drift / (1 + fabs(r.energy_initial) + s->out_kinetic));
                for (int i = 0; there && i < 3 * m->nbody; i++)
                    worst = fmax(worst, fabs(clv_sim_position(s)[i] - at[i]) / s->size);
                memcpy(at, clv_sim_position(s), 3 * (size_t)m->nbody * sizeof *at);
                there = true, moved++;
            }
            clv_sim_destroy(s);
        }
        clv_model_destroy(m);
    }
    printf("%d motions: positions differ by %.1e, energies by %.1e\n", moved, worst, drift);
    assert_true(moved > 60);
    assert_true(worst < 1e-7);
    assert_true(drift < 1e-8);
}

static clv_model *read_model(const char *text)
{
    clv_model *m;
    if (clv_model_read_text(&m, text, strlen(text), "armature") != CLV_OK)
        fail_msg("%s", clv_model_error(m)->message);
    return m;
}

/* One arm of 1 kg at 0.5 m and 0.2 kg m^2, rotor 0.3 kg m^2: (0.2 + 0.25 + 0.3) q'' = -4.905 cos q. */
#define ARM                                                                                                            \
    "cleave: 1\ngravity: [0, -9.81, 0]\nbodies: {arm: {mass: 1, com: [0.5, 0, 0], inertia: [0.2, 0.2, 0.2]}}\n"        \
    "joints: {j: {kind: revolute, between: [ground, arm], at: [0, 0, 0], axis: [0, 0, 1], armature: 0.3}}\n"           \
    "start: {"

static void an_arm_falls_as_it_should(void **state)
{
    (void)state;
    for (int w = 0; w < WAYS; w++) {
        clv_model *m = read_model(ARM "joints: {j: {u: 2}}}\n");
        clv_sim *s;
        clv_joint_result r;
        clv_sim_options o = options(w);
        o.rtol = 1e-12;
        assert_int_equal(clv_sim_create(&s, m, &o), CLV_OK);
        assert_int_equal(clv_sim_joint(s, 0, &r), CLV_OK);
        CLV_NEAR(r.udot[0], -4.905 / 0.75, 1e-12);
        CLV_NEAR(r.p[0], 0.75 * 2, 1e-12);
        CLV_NEAR(r.effort[0], 0, 1e-12);
        assert_int_equal(clv_sim_set_end(s, 1), CLV_OK);
        assert_int_equal(clv_sim_advance(s, 1), CLV_OK);
        assert_int_equal(clv_sim_joint(s, 0, &r), CLV_OK);
        double sine, cosine;
        clv_sincos(r.q[0], &sine, &cosine);
        CLV_NEAR(0.75 * r.u[0] * r.u[0] / 2 + 4.905 * sine, 0.75 * 2, 1e-9);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

/* A prescribed motion also drives the rotor: effort and power. */
static void a_motion_drives_the_rotor(void **state)
{
    (void)state;
    for (int w = 0; w < WAYS; w++) {
        clv_model *m = read_model(ARM "}\nmotions: {m: {joint: j, amplitude: 0.5, frequency: 1}}\n");
        clv_sim *s;
        clv_joint_result r;
        clv_sim_report report = {0};
        clv_sim_options o = options(w);
        o.rtol = 1e-10;
        assert_int_equal(clv_sim_create(&s, m, &o), CLV_OK);
        assert_int_equal(clv_sim_set_end(s, 0.2), CLV_OK);
        assert_int_equal(clv_sim_advance(s, 0.2), CLV_OK);
        assert_int_equal(clv_sim_joint(s, 0, &r), CLV_OK);
        double sine, cosine;
        clv_sincos(r.q[0], &sine, &cosine);
        CLV_NEAR(r.effort[0], 0.75 * r.udot[0] + 4.905 * cosine, 1e-9);
        clv_sim_summary(s, &report);
        CLV_NEAR(report.max_energy_drift, 0, 1e-7);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

/* Steps with momenta built in keep the energy of a chain whose joints have rotors over 20 s. */
static void symplectic_rules_take_rotors(void **state)
{
    (void)state;
    static const char *const rule[] = {"midpoint", "gauss4", "gauss6"};
    clv_model *m = NULL;
    const char *parameter = "links=4";
    assert_int_equal(clv_example_create(&m, "chain", &parameter, 1), CLV_OK);
    assert_true(random_armature(m, 3) > 1);
    double end[3][12];
    for (int k = 0; k < 3; k++) {
        clv_sim *s;
        clv_sim_report r = {0};
        clv_sim_options o = clv_sim_options_default();
        o.formulation = "hdca", o.integrator = rule[k], o.step = 2e-3;
        assert_int_equal(clv_sim_create(&s, m, &o), CLV_OK);
        assert_int_equal(clv_sim_set_end(s, 1), CLV_OK);
        assert_int_equal(clv_sim_advance(s, 1), CLV_OK);
        clv_sim_summary(s, &r);
        memcpy(end[k], clv_sim_position(s), sizeof end[k]);
        assert_true(r.max_energy_drift < (k == 0 ? 1e-2 : 1e-6));
        clv_sim_destroy(s);
    }
    for (int i = 0; i < 12; i++) {
        CLV_NEAR(end[1][i], end[2][i], 1e-6);
        CLV_NEAR(end[0][i], end[2][i], 1e-2);
    }
    clv_model_destroy(m);
}

/* flexible bodies: joints at their nodes are eliminated with them */
static void flexible_bodies_take_rotors(void **state)
{
    (void)state;
    clv_model *m = NULL;
    assert_int_equal(clv_example_create(&m, "mmsev-flexible", NULL, 0), CLV_OK);
    assert_true(random_armature(m, 5) > 2);
    double at[3 * 64], worst = 0;
    assert_in_range(m->nbody, 1, 64);
    for (int w = 0; w < 3; w++) {
        clv_sim *s;
        clv_sim_report r = {0};
        clv_sim_options o = options(w);
        o.rtol = 1e-9;
        assert_int_equal(clv_sim_create(&s, m, &o), CLV_OK);
        assert_int_equal(clv_sim_set_end(s, 0.05), CLV_OK);
        if (clv_sim_advance(s, 0.05) != CLV_OK)
            fail_msg("%s: %s", o.formulation, clv_sim_error(s)->message);
        clv_sim_summary(s, &r);
        printf("%s: drift %.1e J\n", o.formulation, r.max_energy_drift);
        assert_true(r.max_energy_drift < 1e-5 * (1 + fabs(r.energy_initial)));
        for (int i = 0; w > 0 && i < 3 * m->nbody; i++)
            worst = fmax(worst, fabs(clv_sim_position(s)[i] - at[i]) / s->size);
        memcpy(at, clv_sim_position(s), 3 * (size_t)m->nbody * sizeof *at);
        clv_sim_destroy(s);
    }
    printf("positions differ by %.1e\n", worst);
    assert_true(worst < 1e-7);
    clv_model_destroy(m);
}

/* The mass matrix and the derivatives contain the rotors. */
static void derivatives_contain_rotors(void **state)
{
    (void)state;
    clv_model *m = read_model(ARM "joints: {j: {q: 0.4, u: 2}}}\n");
    clv_sim *s;
    clv_derivatives *d = NULL;
    assert_int_equal(clv_sim_create(&s, m, NULL), CLV_OK);
    assert_int_equal(clv_sim_derivatives(s, NULL, 0, &d), CLV_OK);
    CLV_NEAR(d->mass[0], 0.75, 1e-13);
    CLV_NEAR(d->dq[0], 4.905 * sin(0.4) / 0.75, 1e-12);
    clv_derivatives_destroy(d), clv_sim_destroy(s), clv_model_destroy(m);
}

static void others_refuse_by_name(void **state)
{
    (void)state;
    static const char *const none[] = {"index3", "aldca"};
    clv_model *m = read_model(ARM "}\n");
    clv_sim *s;
    for (int i = 0; i < 2; i++) {
        clv_sim_options o = clv_sim_options_default();
        o.formulation = none[i];
        assert_int_equal(clv_sim_create(&s, m, &o), CLV_ERR_UNSUPPORTED);
        assert_non_null(strstr(clv_sim_error(s)->message, "joint 'j' has an armature"));
        clv_sim_destroy(s);
    }
    m->joint[0].cut = 1;
    assert_int_equal(clv_sim_create(&s, m, NULL), CLV_ERR_UNSUPPORTED);
    assert_string_equal(clv_sim_error(s)->path, "joints.j.armature");
    clv_sim_destroy(s), clv_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(systems_agree_with_the_oracle), cmocka_unit_test(motions_agree),
        cmocka_unit_test(an_arm_falls_as_it_should),     cmocka_unit_test(a_motion_drives_the_rotor),
        cmocka_unit_test(symplectic_rules_take_rotors),  cmocka_unit_test(flexible_bodies_take_rotors),
        cmocka_unit_test(derivatives_contain_rotors),    cmocka_unit_test(others_refuse_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
