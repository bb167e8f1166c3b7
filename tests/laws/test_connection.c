/* SPDX-License-Identifier: Apache-2.0
 * The branch method against the extended-precision oracle (T28, T29): random systems divided into random branches, Method 1,
 * Method 2 in its own order and in random brackets; what branches show is symmetric and positive semidefinite.
 *
 * Bound: relative error <= 100 eps cond, as in test_random_systems.c.  CLEAVE_RANDOM sets the number of systems (200). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "base/memory.h"
#include "math/rotation.h"
#include "oracle/oracle.h"
#include "oracle/random_system.h"
#include "simulation/sim.h"

/* ------------------------------------------------------------------ random branches */

/* Cuts the tree of the branch method's own plan at random joints; every third piece stays without a name.  Returns the number of
 * pieces. */
static int random_branches(clv_model *m, random_stream *r)
{
    clv_plan *p;
    clv_error e;
    int n = 0, *piece = calloc((size_t)m->nbody, sizeof(int));
    assert_int_equal(clv_plan_create(&p, m, &(clv_plan_options){.sections = true}, &e), CLV_OK);
    for (int k = 0; k < m->nbranch; k++)
        clv_free(m->branch[k]);
    clv_free(m->branch);
    m->branch = clv_alloc((size_t)m->nbody + 1, sizeof *m->branch);
    m->nbranch = 0;
    for (int i = 0; i < p->nbody; i++) {
        int b = p->order[i], a = p->tree[b].parent;
        piece[b] = a < 0 || p->tree[b].detached || random_chance(r, 0.25) ? n++ : piece[a];
    }
    int *branch = malloc(((size_t)n + 1) * sizeof(int));
    for (int k = 0; k < n; k++) {
        branch[k] = random_chance(r, 0.7) ? m->nbranch : -1;
        if (branch[k] < 0)
            continue;
        m->branch[m->nbranch] = clv_alloc(24, 1);
        snprintf(m->branch[m->nbranch++], 24, "branch %d", k);
    }
    for (int b = 0; b < m->nbody; b++)
        m->body[b].branch = branch[piece[b]];
    free(piece), free(branch);
    clv_plan_destroy(p);
    return n;
}

/* random brackets over all sections of the model */
static void put_brackets(char *text, size_t size, const clv_plan *p, int *list, int n, random_stream *r)
{
    if (n == 1) {
        size_t at = strlen(text);
        if (random_chance(r, 0.5))
            snprintf(text + at, size - at, "%s", p->section[list[0]].name);
        else
            snprintf(text + at, size - at, "%d", list[0]);
        return;
    }
    int left = 1 + random_index(r, n - 1);
    strcat(text, random_chance(r, 0.5) ? "(" : "{");
    bool round = text[strlen(text) - 1] == '(';
    put_brackets(text, size, p, list, left, r);
    strcat(text, ", ");
    put_brackets(text, size, p, list + left, n - left, r);
    strcat(text, round ? ")" : "}");
}

static char *random_brackets(const clv_model *m, random_stream *r)
{
    clv_plan *p;
    clv_error e;
    assert_int_equal(clv_plan_create(&p, m, &(clv_plan_options){.sections = true}, &e), CLV_OK);
    size_t size = 64 * (size_t)p->nsection + 64;
    char *text = calloc(size, 1);
    int *list = malloc((size_t)p->nsection * sizeof(int));
    for (int k = 0; k < p->nsection; k++)
        list[k] = k;
    for (int k = p->nsection - 1; k > 0; k--) {
        int i = random_index(r, k + 1), t = list[k];
        list[k] = list[i], list[i] = t;
    }
    put_brackets(text, size, p, list, p->nsection, r);
    free(list);
    clv_plan_destroy(p);
    return text;
}

/* ------------------------------------------------------------------ judging */

typedef struct tally {
    const char *name;
    int n, failed;
    double worst, worst_ratio;
    int seed;
} tally;
static tally one = {.name = "method 1"}, two = {.name = "method 2"}, bracketed = {.name = "method 2, brackets"},
             reactions = {.name = "reactions"};
static int redundant, uniqueness_differs, rank_differs;
static int branches;
static double symmetry, lowest;

static void note(tally *t, int seed, double error, double cond)
{
    double ratio = error / (2.2e-16 * cond);
    t->n++;
    t->worst = fmax(t->worst, error);
    if (!(ratio <= t->worst_ratio))
        t->worst_ratio = ratio, t->seed = seed;
    t->failed += !(ratio <= 100);
}

/* as test_random_systems.c: difference in the unknowns of the scaled KKT matrix */
static double scaled_difference(const oracle *o, const double *x, const real *y, const real *mu)
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

static void judge_reactions(clv_sim *s, oracle *o, const real *mu, int seed)
{
    double worst = 0, size = 0;
    for (int j = 0; j < s->model->njoint; j++) {
        oracle_reaction x;
        clv_joint_result r;
        oracle_joint_reaction(o, mu, j, &x);
        assert_int_equal(clv_sim_joint(s, j, &r), CLV_OK);
        for (int i = 0; i < 6; i++) {
            size = fmax(size, fabs((double)x.constraint[i]));
            uniqueness_differs += r.unique[i] != x.unique[i];
            if (x.unique[i])
                worst = fmax(worst, fabs((i < 3 ? r.force[i] : r.torque[i - 3]) - (double)x.constraint[i]));
        }
    }
    note(&reactions, seed, size > 0 ? worst / size : worst, (double)o->condition);
}

/* smallest eigenvalue over the largest, by Jacobi rotations; A is destroyed */
static double smallest_eigenvalue(double *A, int n)
{
    double low = INFINITY, high = 0;
    for (int sweep = 0; sweep < 12; sweep++)
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++) {
                double apq = A[p * n + q];
                if (apq == 0)
                    continue;
                double theta = (A[q * n + q] - A[p * n + p]) / (2 * apq);
                double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1)), c = 1 / sqrt(t * t + 1), s = t * c;
                for (int k = 0; k < n; k++) {
                    double x = A[k * n + p], y = A[k * n + q];
                    A[k * n + p] = c * x - s * y, A[k * n + q] = s * x + c * y;
                }
                for (int k = 0; k < n; k++) {
                    double x = A[p * n + k], y = A[q * n + k];
                    A[p * n + k] = c * x - s * y, A[q * n + k] = s * x + c * y;
                }
            }
    for (int i = 0; i < n; i++)
        low = fmin(low, A[i * n + i]), high = fmax(high, A[i * n + i]);
    return high > 0 ? low / high : 0;
}

/* H of a branch: asymmetry and smallest eigenvalue, scaled by what its bodies would give way if they were free */
static void judge_H(const clv_sim *sim, int part)
{
    const clv_engine *e = &sim->system.engine;
    int n = 6 * e->plan->part[part].nport;
    const double *H = clv_part_Xi(e, part);
    double *A = malloc((size_t)(n * n + n) * sizeof(double)), *s = A + n * n;
    for (int i = 0; i < n; i++) {
        int body = e->plan->ports[e->plan->part[part].port + i / 6];
        const clv_body *b = &sim->model->body[body];
        double J = fmax((b->J[0] + b->J[1] + b->J[2]) / 3, 1e-6 * b->mass), l[3];
        clv_sub3(l, sim->system.kin.com + 3 * body, sim->system.kin.ref + 3 * body);
        s[i] = 1 / sqrt(i % 6 < 3 ? 1 / b->mass + clv_dot3(l, l) / J : 1 / J);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            symmetry = fmax(symmetry, s[i] * s[j] * fabs(H[i * n + j] - H[j * n + i]));
            A[i * n + j] = s[i] * s[j] * (H[i * n + j] + H[j * n + i]) / 2;
        }
    lowest = fmin(lowest, smallest_eigenvalue(A, n));
    branches++;
    free(A);
}

static void judge(clv_model *m, int seed, int method, const char *bracketing, tally *t)
{
    clv_sim *s;
    clv_sim_options opt = clv_sim_options_default();
    opt.formulation = "connection", opt.method = method, opt.bracketing = bracketing;
    clv_status st = clv_sim_create(&s, m, &opt);
    if (st == CLV_OK)
        st = clv_sim_evaluate(s);
    if (st != CLV_OK)
        print_error("seed %d method %d: %s\n", seed, method, clv_sim_error(s)->message);
    assert_int_equal(st, CLV_OK);
    oracle *o = oracle_create(m);
    real *a = malloc(6 * (size_t)m->nbody * sizeof(real)), *mu = malloc((size_t)(o->rows + 1) * sizeof(real));
    double *q = calloc(7 * (size_t)m->njoint + 1, sizeof(double));
    for (int j = 0; j < m->njoint; j++) {
        clv_joint_result r;
        assert_int_equal(clv_sim_joint(s, j, &r), CLV_OK);
        memcpy(q + 7 * j, r.q, sizeof r.q);
    }
    oracle_set(o, 0, s->system.kin.com, s->system.kin.R, s->out_V, q);
    oracle_accelerations(o, a, mu);
    note(t, seed, scaled_difference(o, s->out_A, a, mu), (double)o->condition);
    rank_differs += o->rows - o->rank != s->system.truncated;
    redundant += s->system.truncated > 0;
    judge_reactions(s, o, mu, seed);
    for (int k = 0; k < s->plan->nsection; k++)
        if (s->plan->section[k].part >= 0)
            judge_H(s, s->plan->section[k].part);
    free(a), free(mu), free(q);
    oracle_destroy(o);
    clv_sim_destroy(s);
}

static void random_branches_agree_with_the_oracle(void **state)
{
    (void)state;
    int n = getenv("CLEAVE_RANDOM") ? atoi(getenv("CLEAVE_RANDOM")) : 200, pieces = 0;
    int first = getenv("CLEAVE_SEED") ? atoi(getenv("CLEAVE_SEED")) : 1;
    for (int seed = first; seed < first + n; seed++) {
        clv_model *m;
        random_stream r = {.state = 4711 + (uint64_t)seed};
        assert_int_equal(random_system_create((uint64_t)seed, (random_kind)(seed % RANDOM_KINDS), 0, &m, NULL), CLV_OK);
        pieces += random_branches(m, &r);
        char *text = random_brackets(m, &r);
        judge(m, seed, 1, NULL, &one);
        judge(m, seed, 2, NULL, &two);
        judge(m, seed, 2, text, &bracketed);
        free(text);
        clv_model_destroy(m);
    }
    tally *all[] = {&one, &two, &bracketed, &reactions};
    int failed = 0;
    for (int i = 0; i < 4; i++) {
        printf("%-20s %4d systems  worst %.1e  worst ratio to eps cond %.2g (seed %d)  over 100: %d\n", all[i]->name, all[i]->n,
               all[i]->worst, all[i]->worst_ratio, all[i]->seed, all[i]->failed);
        failed += all[i]->failed;
    }
    printf("%d branches, %d H: asymmetry %.1e, lowest eigenvalue over the highest %.1e; %d runs with redundant rows\n", pieces, branches, symmetry,
           lowest, redundant);
    assert_int_equal(failed, 0);
    assert_int_equal(rank_differs, 0);
    assert_int_equal(uniqueness_differs, 0);
    assert_true(redundant > 0);
    assert_true(symmetry < 1e-12);
    assert_true(lowest > -1e-9); /* rounding, with mass ratios of 10^6 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_branches_agree_with_the_oracle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
