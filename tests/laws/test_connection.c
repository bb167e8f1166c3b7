/* SPDX-License-Identifier: Apache-2.0
 * The branch method against the extended-precision oracle (T28, T29): random systems divided into random branches,
 * Method 1, Method 2 in its own order and in random brackets; what branches show is symmetric and positive
 * semidefinite.
 *
 * Bound: relative error <= 100 eps cond, as in test_random_systems.c.  Systems: tests/thorough.h. */
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
#include "oracle/oracle.h"
#include "oracle/oracle_flex.h"
#include "oracle/random_branches.h"
#include "oracle/random_flexible.h"
#include "oracle/random_system.h"
#include "simulation/sim.h"
#include "thorough.h"

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
static int branches, carried; /* of runs: those whose connections the tree carries */
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
                double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1)), c = 1 / sqrt(t * t + 1),
                       s = t * c;
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

/* as steps do, not as the start did with nodes */
static clv_status evaluate(clv_sim *s)
{
    carried += s->system.rows.carried;
    s->seen_t = NAN, s->evaluated = false, s->system.held = 0;
    return clv_sim_evaluate(s);
}

static void judge(clv_model *m, int seed, int method, const char *bracketing, tally *t)
{
    clv_sim *s;
    clv_sim_options opt = clv_sim_options_default();
    opt.formulation = "connection", opt.method = method, opt.bracketing = bracketing;
    clv_status st = clv_sim_create(&s, m, &opt);
    if (st == CLV_OK)
        st = evaluate(s);
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
    int n = random_count(200, 70), pieces = 0;
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
        printf("%-20s %4d systems  worst %.1e  worst ratio to eps cond %.2g (seed %d)  over 100: %d\n", all[i]->name,
               all[i]->n, all[i]->worst, all[i]->worst_ratio, all[i]->seed, all[i]->failed);
        failed += all[i]->failed;
    }
    printf("%d branches, %d H: asymmetry %.1e, lowest eigenvalue over the highest %.1e; %d runs with redundant rows, "
           "%d carried by the tree\n",
           pieces, branches, symmetry, lowest, redundant, carried);
    assert_int_equal(failed, 0);
    assert_int_equal(rank_differs, 0);
    assert_int_equal(uniqueness_differs, 0);
    assert_true(redundant > 0 && carried > n / 2);
    assert_true(symmetry < 1e-12);
    assert_true(lowest > -1e-9); /* rounding, with mass ratios of 10^6 */
}

/* ------------------------------------------------------------------ flexible bodies */

static tally bent[3] = {{.name = "method 1"}, {.name = "method 2"}, {.name = "method 2, brackets"}},
             bent_reactions = {.name = "reactions"};
static int on_node, closed_on_node;

/* joints whose wrench the motion determines; joints may carry little beside the loads: bound 1000 */
static void judge_bent_reactions(clv_sim *s, const oracle_flex *f, const real *mu, int seed)
{
    double worst = 0, size = 1;
    for (int j = 0; j < s->model->njoint; j++) {
        clv_joint_result r;
        bool unique = true;
        assert_int_equal(clv_sim_joint(s, j, &r), CLV_OK);
        for (int i = 0; i < 6; i++)
            unique &= r.unique[i];
        for (int i = 0; i < 6; i++) {
            real w = 0;
            for (int row = f->o->joint_row[j]; row < f->o->joint_row[j + 1]; row++)
                w += f->o->T[6 * row + i] * mu[row];
            size = fmax(size, fabs((double)w));
            if (unique)
                worst = fmax(worst, fabs((i < 3 ? r.force[i] : r.torque[i - 3]) - (double)w));
        }
    }
    note(&bent_reactions, seed, worst / size / 10, (double)f->condition);
}

static void judge_bent(const random_flexible *r, int seed, int method, const char *bracketing, tally *t)
{
    clv_sim *s;
    clv_sim_options opt = clv_sim_options_default();
    opt.formulation = "connection", opt.method = method, opt.bracketing = bracketing;
    clv_status st = clv_sim_create(&s, r->model, &opt);
    if (st == CLV_OK)
        st = evaluate(s);
    if (st != CLV_OK)
        fail_msg("seed %d method %d: %s", seed, method, clv_sim_error(s)->message);
    const clv_plan *p = s->plan;
    const clv_kinematics *k = &s->system.kin;
    oracle_flex *f = oracle_flex_create(r->model, r->cloud);
    oracle_flex_set(f, 0, k->com, k->R, s->system.com_V, k->eta, k->etad);
    real *z = calloc(2 * (size_t)f->N, sizeof *z), *x = z + f->N, *mu = calloc((size_t)f->o->rows + 1, sizeof *mu);
    oracle_flex_accelerations(f, z, mu);
    for (int b = 0; b < p->nbody; b++)
        for (int i = 0; f->at[b] >= 0 && i < 6; i++)
            x[f->at[b] + i] = s->frame_A[6 * b + i];
    for (int i = 0; i < p->nstar; i++)
        for (int q = 0; q < p->star[i].nmode; q++)
            x[f->at[p->star[i].frame] + 6 + q] = s->udot[p->star[i].iu + q];
    note(t, seed, oracle_flex_difference(f, x, z, mu), (double)f->condition);
    judge_bent_reactions(s, f, mu, seed);
    rank_differs += f->o->rows - f->cod.rank != s->system.truncated;
    redundant += s->system.truncated > 0;
    for (int e = 0; e < p->nedge; e++)
        for (int h = 0; h < p->edge[e].nhandle; h++)
            if (r->model->body[p->edge[e].body[h]].node >= 0) {
                bool between =
                    p->edge[e].nhandle == 2 && p->section_of[p->edge[e].body[0]] != p->section_of[p->edge[e].body[1]];
                on_node += between && p->edge[e].tree_body >= 0, closed_on_node += p->edge[e].tree_body < 0;
            }
    free(z), free(mu);
    oracle_flex_destroy(f), clv_sim_destroy(s);
}

/* branches that begin and end on nodes of flexible bodies, closings on nodes of the same or of other branches */
static void flexible_branches_agree_with_the_oracle(void **state)
{
    (void)state;
    int n = random_count(60, 24), failed = 0, pieces = 0;
    redundant = rank_differs = carried = 0;
    for (int seed = 0; seed < n; seed++) {
        random_stream s = {.state = 815 + (uint64_t)seed};
        random_flexible *r = random_flexible_create((uint64_t)seed, seed % 4 != 0);
        pieces += random_branches(r->model, &s);
        char *text = random_brackets(r->model, &s);
        judge_bent(r, seed, 1, NULL, &bent[0]);
        judge_bent(r, seed, 2, NULL, &bent[1]);
        judge_bent(r, seed, 2, text, &bent[2]);
        free(text);
        random_flexible_destroy(r);
    }
    const tally *all[] = {&bent[0], &bent[1], &bent[2], &bent_reactions};
    for (int i = 0; i < 4; i++) {
        printf("flexible, %-20s %4d systems  worst %.1e  worst ratio to eps cond %.2g (seed %d)  over 100: %d\n",
               all[i]->name, all[i]->n, all[i]->worst, all[i]->worst_ratio, all[i]->seed, all[i]->failed);
        failed += all[i]->failed;
    }
    printf("%d branches, ends of branches on nodes %d, handles of loops on nodes %d; %d runs with redundant rows, %d "
           "carried by the tree\n",
           pieces, on_node, closed_on_node, redundant, carried);
    assert_int_equal(failed, 0);
    assert_int_equal(rank_differs, 0);
    assert_true(on_node > n && closed_on_node > n && carried > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_branches_agree_with_the_oracle),
        cmocka_unit_test(flexible_branches_agree_with_the_oracle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
