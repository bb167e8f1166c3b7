/* SPDX-License-Identifier: Apache-2.0
 * Every formulation of the table, and so every new row of it: accelerations against the extended-precision oracle on
 * random systems of every topology (T19), and motions that converge with the order of the method that steps them.
 *
 * Bound of the accelerations: relative error <= 100 eps cond, as in test_random_systems.c, which judges velocities,
 * momentum rates and reactions.  Systems: tests/thorough.h.  A formulation may refuse a model or a
 * method by CLV_ERR_UNSUPPORTED or CLV_ERR_USAGE; none may refuse all of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "oracle/oracle.h"
#include "oracle/random_system.h"
#include "simulation/sim.h"
#include "thorough.h"

enum { ROWS = 32 };

static int formulations(void)
{
    int n = 0;
    while (clv_formulation_at(n))
        n++;
    assert_in_range(n, 3, ROWS);
    return n;
}

static bool is_refusal(clv_status st)
{
    return st == CLV_ERR_UNSUPPORTED || st == CLV_ERR_USAGE;
}

/* ---------------------------------------------------------------- accelerations */

typedef struct tally {
    int systems, refused, failed;
    double worst; /* of error / (eps cond) */
    int worst_seed;
    char reason[384];
} tally;

/* difference of accelerations in the mass norm, relative to all unknowns of the oracle's system */
static double difference(const oracle *o, const double *x, const real *y, const real *mu)
{
    real *d = malloc(3 * (size_t)o->n * sizeof(real)), *Md = d + o->n, *My = Md + o->n, dd = 0, yy = 0;
    for (int i = 0; i < o->n; i++)
        d[i] = x[i] - y[i];
    oracle_mass_times(o, d, Md);
    oracle_mass_times(o, y, My);
    for (int i = 0; i < o->n; i++)
        dd += d[i] * Md[i], yy += y[i] * My[i];
    for (int i = 0; i < o->rows; i++)
        yy += (mu[i] / o->scale[i]) * (mu[i] / o->scale[i]);
    free(d);
    return yy > 0 ? (double)sqrtl(dd / yy) : (double)sqrtl(dd);
}

/* error / (eps cond) of the accelerations at the start of s */
static double judge(clv_sim *s)
{
    const clv_model *m = s->model;
    oracle *o = oracle_create(m);
    real *a = malloc(((size_t)o->n + (size_t)o->rows + 1) * sizeof(real)), *mu = a + o->n;
    double *q = calloc(7 * (size_t)m->njoint + 1, sizeof(double));
    for (int j = 0; j < m->njoint; j++) {
        clv_joint_result r;
        assert_int_equal(clv_sim_joint(s, j, &r), CLV_OK);
        memcpy(q + 7 * j, r.q, sizeof r.q);
    }
    oracle_set(o, 0, s->system.kin.com, s->system.kin.R, s->out_V, q);
    oracle_project_velocity(o);
    oracle_accelerations(o, a, mu);
    double ratio = difference(o, s->out_A, a, mu) / (2.2e-16 * (double)o->condition);
    free(a), free(q);
    oracle_destroy(o);
    return ratio;
}

static void one_system(int seed, const clv_model *m, const clv_formulation *f, tally *t)
{
    clv_sim *s = NULL;
    clv_sim_options o = clv_sim_options_default();
    o.formulation = f->name;
    clv_status st = clv_sim_create(&s, m, &o);
    if (st == CLV_OK)
        st = clv_sim_evaluate(s);
    if (st == CLV_OK) {
        double ratio = judge(s);
        t->systems++;
        t->failed += !(ratio <= 100);
        if (!(ratio <= t->worst))
            t->worst = ratio, t->worst_seed = seed;
    } else if (is_refusal(st)) {
        t->refused++;
        snprintf(t->reason, sizeof t->reason, "%s", clv_sim_error(s)->message);
    } else {
        t->failed++;
        printf("  %s, seed %d: %s\n", f->name, seed, clv_sim_error(s)->message);
    }
    clv_sim_destroy(s);
}

static void accelerations_agree_with_the_oracle(void **state)
{
    (void)state;
    static tally all[ROWS];
    const int n = random_count(200, 70), rows = formulations();
    for (int seed = 1; seed <= n; seed++) {
        clv_model *m;
        random_info info;
        assert_int_equal(random_system_create((uint64_t)seed, (random_kind)(seed % RANDOM_KINDS), 0, &m, &info),
                         CLV_OK);
        for (int i = 0; i < rows; i++)
            one_system(seed, m, clv_formulation_at(i), &all[i]);
        clv_model_destroy(m);
    }
    int failed = 0;
    for (int i = 0; i < rows; i++) {
        printf("%-12s %4d systems, worst %.2g eps cond (seed %d), %d failed, %d refused%s%s\n",
               clv_formulation_at(i)->name, all[i].systems, all[i].worst, all[i].worst_seed, all[i].failed,
               all[i].refused, all[i].refused ? ": " : "", all[i].reason);
        failed += all[i].failed;
        assert_true(all[i].systems > 0);
    }
    assert_int_equal(failed, 0);
}

/* ---------------------------------------------------------------- order of the motion */

/* s, and where errors lie between rounding and nonsense: steps of the coarser run by order of the method */
static const double END = 0.5;
static const int STEPS[] = {0, 400, 200, 60, 30, 20, 12, 8, 8};

static const struct {
    const char *name, *param;
} MODELS[] = {{"pendulum", NULL}, {"chain", "links=3"}, {"hdca-case1", NULL}, {"loop-7r", NULL}};

/* centres of mass at END (nbody x 3) after `steps` equal steps, or at rtol where steps is 0 */
static clv_status run(const clv_model *m, const char *formulation, const char *integrator, int steps, double *position)
{
    clv_sim *s = NULL;
    clv_sim_options o = clv_sim_options_default();
    o.formulation = formulation, o.integrator = integrator, o.rtol = 1e-13;
    o.step = steps > 0 ? END / steps : 0;
    clv_status st = clv_sim_create(&s, m, &o);
    const bool refused = is_refusal(st);
    if (st == CLV_OK)
        st = clv_sim_set_end(s, END);
    if (st == CLV_OK)
        st = clv_sim_advance(s, END);
    if (st == CLV_OK)
        memcpy(position, clv_sim_position(s), 3 * (size_t)m->nbody * sizeof *position);
    else if (!refused)
        printf("  %s %s: %s\n", formulation, integrator, s ? clv_sim_error(s)->message : "out of memory");
    clv_sim_destroy(s);
    return st;
}

static double distance(const double *a, const double *b, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

/* false: the formulation refuses the method or the model */
static bool converges(const clv_model *m, const clv_formulation *f, const clv_method *method, const double *exact)
{
    double a[64], b[64];
    const int n = 3 * m->nbody, steps = STEPS[method->order];
    clv_status st = run(m, f->name, method->name, steps, a);
    if (is_refusal(st))
        return false;
    assert_int_equal(st, CLV_OK);
    assert_int_equal(run(m, f->name, method->name, 2 * steps, b), CLV_OK);
    const double coarse = distance(a, exact, n), fine = distance(b, exact, n), order = log2(coarse / fine);
    printf("%-12s %-18s %-12s errors %.1e, %.1e: order %.2f\n", f->name, method->name, clv_model_name(m), coarse, fine,
           order);
    assert_true(coarse < 1e-2);
    assert_true(order > method->order - 0.4 || fine < 1e-12);
    return true;
}

static void motions_converge_with_their_order(void **state)
{
    (void)state;
    int ran[ROWS] = {0};
    const int rows = formulations();
    for (size_t k = 0; k < sizeof MODELS / sizeof *MODELS; k++) {
        clv_model *m;
        double exact[64];
        const char *param[1] = {MODELS[k].param};
        assert_int_equal(clv_example_create(&m, MODELS[k].name, param, MODELS[k].param ? 1 : 0), CLV_OK);
        assert_true(3 * m->nbody <= 64);
        assert_int_equal(run(m, "massmatrix", "dop853", 0, exact), CLV_OK);
        for (int i = 0; i < rows; i++)
            for (int j = 0; clv_method_at(j); j++)
                if (!clv_method_at(j)->multistep && !clv_method_at(j)->absent)
                    ran[i] += converges(m, clv_formulation_at(i), clv_method_at(j), exact);
        clv_model_destroy(m);
    }
    for (int i = 0; i < rows; i++)
        assert_true(ran[i] > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accelerations_agree_with_the_oracle),
        cmocka_unit_test(motions_converge_with_their_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
