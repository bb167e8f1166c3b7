/* SPDX-License-Identifier: Apache-2.0
 * The engine and its formulations against the extended-precision oracle on random systems of every topology (T19):
 * accelerations (dca), velocities and momentum rates (hdca), reactions, uniqueness.
 *
 * Bound: relative error <= 100 eps cond, cond of the scaled KKT matrix over its nonzero singular values.  The median
 * and the worst are printed.  Systems: 250, or 1000 (tests/thorough.h). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "oracle/oracle.h"
#include "oracle/random_system.h"
#include "math/spatial.h"
#include "simulation/sim.h"
#include "thorough.h"

enum { MOST = 20000 };
typedef struct tally {
    const char *name;
    int n, failed;
    double error[MOST], worst_ratio;
    int worst_seed;
} tally;

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void note(tally *t, int seed, double error, double cond)
{
    double ratio = error / (2.2e-16 * cond);
    if (t->n < MOST)
        t->error[t->n++] = error;
    if (!(ratio <= t->worst_ratio))
        t->worst_ratio = ratio, t->worst_seed = seed;
    if (!(ratio <= 100))
        t->failed++;
    if (!(ratio <= 100) && getenv("CLEAVE_VERBOSE"))
        printf("  %s seed %d: error %.2e, %.0f eps cond, cond %.1e\n", t->name, seed, error, ratio, cond);
}

static void print(tally *t)
{
    if (t->n == 0)
        return;
    qsort(t->error, (size_t)t->n, sizeof(double), compare);
    int good = 0;
    for (int i = 0; i < t->n; i++)
        good += t->error[i] < 1e-9;
    printf("%-22s %5d systems  median %.1e  worst %.1e  worst ratio to eps cond %.2g (seed %d)  below 1e-9: %.1f %%  "
           "over 100: %d\n",
           t->name, t->n, t->error[t->n / 2], t->error[t->n - 1], t->worst_ratio, t->worst_seed, 100.0 * good / t->n,
           t->failed);
}

static tally accelerations = {.name = "dca accelerations"}, velocities = {.name = "hdca velocities"},
             momenta = {.name = "hdca momentum rates"}, reactions = {.name = "reactions"},
             gauge = {.name = "hdca rates, sigma != 0"};
static int refused, uniqueness_differs, rank_differs, total;

/* difference in the unknowns of the scaled KKT matrix: M^1/2 x, relative to all of them (M^1/2 x, scaled
 * multipliers) */
static double scaled_difference(const oracle *o, const double *x, const real *y, const real *mu)
{
    real *d = malloc(3 * (size_t)o->n * sizeof(real)), *Md = d + o->n, *My = Md + o->n, dd = 0, yy = 0;
    for (int i = 0; i < o->n; i++)
        d[i] = x[i] - y[i];
    oracle_mass_times(o, d, Md);
    oracle_mass_times(o, y, My);
    for (int i = 0; i < o->n; i++)
        dd += d[i] * Md[i], yy += y[i] * My[i];
    for (int i = 0; mu && i < o->rows; i++)
        yy += (mu[i] / o->scale[i]) * (mu[i] / o->scale[i]);
    free(d);
    return yy > 0 ? (double)sqrtl(dd / yy) : (double)sqrtl(dd);
}

static void check_reactions(clv_sim *s, oracle *o, const real *mu, int seed)
{
    double worst = 0, size = 0;
    for (int j = 0; j < s->model->njoint; j++) {
        oracle_reaction x;
        clv_joint_result r;
        oracle_joint_reaction(o, mu, j, &x);
        assert_int_equal(clv_sim_joint(s, j, &r), CLV_OK);
        for (int i = 0; i < 6; i++) {
            double mine = i < 3 ? r.force[i] : r.torque[i - 3];
            size = fmax(size, fabs((double)x.constraint[i]));
            if (r.unique[i] != x.unique[i]) {
                uniqueness_differs++;
                if (getenv("CLEAVE_VERBOSE"))
                    printf("  unique seed %d joint %s component %d: ours %d, oracle %d (part %.1e)\n", seed,
                           s->model->joint[j].name, i, r.unique[i], x.unique[i], (double)x.part[i]);
            }
            if (x.unique[i])
                worst = fmax(worst, fabs(mine - (double)x.constraint[i]));
        }
    }
    note(&reactions, seed, size > 0 ? worst / size : worst, (double)o->condition);
}

static void outboard_of(const clv_plan *p, int joint, bool *out)
{
    int child = p->child_of_joint[joint];
    for (int i = 0; i < p->nbody; i++) {
        int b = p->order[i];
        out[b] = b == child || (p->tree[b].parent >= 0 && b != child && out[p->tree[b].parent]);
    }
}

/* size of the terms that make up the momentum rates of a joint: loads, v x P, w x P (they cancel in a free motion) */
static double terms(const clv_sim *s, int b)
{
    double P[6], v[6], I[21], T = 0;
    memcpy(v, s->system.kin.V + 6 * b, sizeof v);
    clv_inertia_times(P, clv_kinematics_inertia(&s->system.kin, (size_t)b, I), v);
    for (int i = 0; i < 6; i++)
        T += fabs(P[i] * v[i]);
    return T;
}

static void check_momenta(clv_sim *s, oracle *o, int seed)
{
    const clv_plan *p = s->plan;
    bool out[64];
    double worst = 0, size = 0;
    for (int b = 0; b < p->nbody; b++) {
        const clv_tree_joint *t = &p->tree[b];
        real pj[6], pd[6];
        if (t->joint < 0 || t->iu < 0)
            continue;
        outboard_of(p, t->joint, out);
        oracle_joint_momentum(o, t->joint, out, pj, pd);
        for (int c = 0; c < t->nu; c++) {
            worst = fmax(worst, fabs(s->pdot[t->iu + c] - (double)pd[c]));
            size = fmax(size, fabs((double)pd[c]));
        }
        size = fmax(size, terms(s, b));
    }
    if (p->nu > 0)
        note(&momenta, seed, size > 0 ? worst / size : worst, (double)o->condition);
}

/* with impulses that are not zero: p = p0 - H^T sum(D sigma), p' = p0' - d/dt of the same, by central differences */
static void check_gauge(clv_sim *s, int seed, const double *V0, double cond)
{
    const clv_plan *p = s->plan;
    clv_system *k = &s->system;
    if (p->nclosing_row == 0 || p->nu == 0)
        return;
    int n = s->n, np = p->nq;
    double *y = malloc(5 * (size_t)n * sizeof(double)), *yd = y + n, *a = y + 2 * n, *b = y + 3 * n, *d = y + 4 * n;
    random_stream rs = {.state = (uint64_t)seed + 77};
    memcpy(y, s->out_y, (size_t)n * sizeof(double));
    memset(s->stress, 0, (size_t)p->nsigma * sizeof(double));
    double scale = 0;
    for (int i = 0; i < p->nu; i++)
        scale = fmax(scale, fabs(s->p[i]));
    for (int i = 0; i < p->nclosing_row; i++)
        s->stress[i] = -random_normal(&rs) * (scale > 0 ? scale : 1);
    memcpy(y + np, s->p, (size_t)p->nu * sizeof(double));
    k->joint_momenta = true; /* s->p and s->pdot lie along joints, so the state here does, too (T9.4) */
    assert_int_equal(s->formulation->momenta->regauge(k, s->out_time, y, s->stress), CLV_OK);
    assert_int_equal(s->formulation->rates(k, s->out_time, y, yd), CLV_OK);
    double worst = 0, size = 0;
    for (int i = 0; i < 6 * p->nbody; i++)
        worst = fmax(worst, fabs(k->kin.V[i] - V0[i])), size = fmax(size, fabs(V0[i]));
    double verror = size > 0 ? worst / size : worst;
    /* redundant rows: the impulses found are the given ones up to a self-stress; p' belongs to those found */
    for (int i = 0; i < p->nclosing_row; i++)
        s->stress[i] = -k->sigma[i];
    for (int i = 0; i < p->nu; i++)
        d[i] = 0;
    /* d/dt of H^T sum(D sigma): forward difference of order 4 (motion tables begin at t = 0) */
    static const double weight[5] = {-25.0 / 12, 48.0 / 12, -36.0 / 12, 16.0 / 12, -3.0 / 12};
    double rate = 0;
    for (int i = 0; i < p->nq; i++)
        rate = fmax(rate, fabs(yd[i]));
    double h = 3e-4 / fmax(1, rate);
    for (int q = 0; q < 5; q++) {
        for (int i = 0; i < n; i++)
            a[i] = i < p->nq ? y[i] + q * h * yd[i] : 0;
        memcpy(b, a, (size_t)n * sizeof(double));
        assert_int_equal(s->formulation->momenta->regauge(k, s->out_time + q * h, b, s->stress), CLV_OK);
        for (int i = 0; i < p->nu; i++)
            d[i] += weight[q] / h * b[np + i];
    }
    worst = size = 0;
    for (int i = 0; i < p->nu; i++)
        worst = fmax(worst, fabs(yd[np + i] - (s->pdot[i] + d[i]))),
        size = fmax(size, fmax(fabs(d[i]), fabs(yd[np + i])));
    double perror = size > 0 ? worst / size : worst;
    double allowed = fmax(1e-6, 100 * 2.2e-16 * cond);
    if (perror > allowed && getenv("CLEAVE_VERBOSE"))
        printf("  gauge seed %d: p' differs by %.1e (difference quotient)\n", seed, perror);
    if (perror > allowed)
        gauge.failed++;
    if (gauge.n < MOST)
        gauge.error[gauge.n++] = fmax(perror, verror);
    k->joint_momenta = false;
    free(y);
}

static void one_system(int seed)
{
    clv_model *m;
    random_info info;
    clv_sim *s;
    total++;
    assert_int_equal(random_system_create((uint64_t)seed, (random_kind)(seed % RANDOM_KINDS), 0, &m, &info), CLV_OK);
    clv_status st = clv_sim_create(&s, m, NULL);
    if (st == CLV_OK)
        st = clv_sim_evaluate(s);
    if (st != CLV_OK) {
        refused++;
        printf("  seed %d (%s) refused: %s\n", seed, random_kind_name(info.kind), clv_sim_error(s)->message);
    } else {
        oracle *o = oracle_create(m);
        int n = 6 * m->nbody;
        real *a = malloc(2 * (size_t)n * sizeof(real) + 16), *V = a + n;
        double *V0 = malloc((size_t)n * sizeof(double));
        /* joint_q is filled only when there are loads: take the coordinates from the results */
        double *q = calloc(7 * (size_t)m->njoint + 1, sizeof(double));
        for (int j = 0; j < m->njoint; j++) {
            clv_joint_result r;
            clv_sim_joint(s, j, &r);
            memcpy(q + 7 * j, r.q, sizeof r.q);
        }
        oracle_set(o, 0, s->system.kin.com, s->system.kin.R, s->out_V, q);
        real *mu = malloc((size_t)(o->rows + 1) * sizeof(real));
        oracle_project_velocity(o);
        oracle_accelerations(o, a, mu); /* for the factor */
        note(&velocities, seed, scaled_difference(o, s->out_V, o->V, NULL), (double)o->condition);
        oracle_accelerations(o, a, mu);
        note(&accelerations, seed, scaled_difference(o, s->out_A, a, mu), (double)o->condition);
        int nullity = o->rows - o->rank;
        if (nullity != s->system.truncated) {
            rank_differs++;
            if (getenv("CLEAVE_VERBOSE"))
                printf(
                    "  rank seed %d (%s): ours %d, oracle %d redundant of %d rows; kept %.1e dropped %.1e pivot %.1e\n",
                    seed, random_kind_name(info.kind), s->system.truncated, nullity, o->rows, (double)o->kept,
                    (double)o->dropped, s->system.engine.min_pivot);
        }
        check_reactions(s, o, mu, seed);
        check_momenta(s, o, seed);
        memcpy(V0, s->system.kin.V, (size_t)n * sizeof(double));
        check_gauge(s, seed, V0, (double)o->condition);
        free(a), free(V0), free(q), free(mu);
        (void)V;
        oracle_destroy(o);
    }
    clv_sim_destroy(s);
    clv_model_destroy(m);
}

static void random_systems_agree_with_the_oracle(void **state)
{
    (void)state;
    int n = random_count(1000, 250);
    int first = getenv("CLEAVE_SEED") ? atoi(getenv("CLEAVE_SEED")) : 1;
    for (int seed = first; seed < first + n; seed++)
        one_system(seed);
    tally *all[] = {&accelerations, &velocities, &momenta, &reactions, &gauge};
    int failed = 0;
    for (int i = 0; i < 5; i++)
        print(all[i]), failed += all[i]->failed;
    printf("%d systems, %d refused, %d with another rank, %d components with another uniqueness\n", total, refused,
           rank_differs, uniqueness_differs);
    assert_int_equal(refused, 0);
    assert_int_equal(rank_differs, 0);
    assert_int_equal(uniqueness_differs, 0);
    assert_int_equal(failed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_systems_agree_with_the_oracle)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
