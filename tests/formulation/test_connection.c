/* SPDX-License-Identifier: Apache-2.0
 * The branch method (T28, T29) where random systems do not look: closings whose follower point slides, with known
 * forces along their free directions; least-norm multipliers; Baumgarte; automatic branches; everything that is
 * refused, by name. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "graph.h"
#include "near.h"
#include "oracle/oracle.h"
#include "simulation/cycle.h"
#include "simulation/sim.h"

static clv_status open_sim(clv_sim **s, const clv_model *m, const char *formulation, int method, const char *bracketing)
{
    clv_sim_options o = clv_sim_options_default();
    o.formulation = formulation, o.method = method, o.bracketing = bracketing;
    return clv_sim_create(s, m, &o);
}

static clv_sim *opened(const clv_model *m, const char *formulation, int method)
{
    clv_sim *s;
    clv_status st = open_sim(&s, m, formulation, method, NULL);
    if (st == CLV_OK)
        st = clv_sim_evaluate(s);
    if (st != CLV_OK)
        print_error("%s\n", clv_sim_error(s)->message);
    assert_int_equal(st, CLV_OK);
    return s;
}

/* ------------------------------------------------------------------ follower points */

/* two arms on ground, branches "left" and "right", hinged oddly; their tips joined by a closing of that kind, with a
 * spring, a damper and a drive on each of its coordinates */
static clv_model *sliding(clv_joint_kind kind, int freedoms)
{
    clv_model *m = graph_create();
    const double axis[4][3] = {{0, 0, 1}, {0, 1, 0.3}, {1, 0.2, 0}, {0.1, 0.3, 1}}, slide[3] = {1, 0.5, 0.2};
    int tip[2];
    for (int side = 0; side < 2; side++) {
        int before = CLV_GROUND;
        for (int k = 0; k < 4; k++) {
            double x = side ? 6 - k : k, at[3] = {x, 0, 0};
            int b = graph_body_in(m, side ? x - 0.5 : x + 0.5, 0.1 * k, 0.05 * k, side ? "right" : "left");
            graph_joint_cut(m, CLV_JOINT_REVOLUTE, before, b, at, axis[(k + side) % 4], 0);
            before = b;
        }
        tip[side] = before;
    }
    const double middle[3] = {3, 0.2, 0.1};
    int j = graph_joint_cut(m, kind, tip[0], tip[1], middle, slide, 1);
    for (int c = 0; c < freedoms; c++) {
        clv_force_desc f = clv_force_desc_default(CLV_FORCE_JOINT);
        char name[16];
        snprintf(name, sizeof name, "f%d", c);
        f.name = name, f.joint = j, f.coordinate = c;
        f.stiffness = 30 + c, f.damping = 2, f.rest = 0.1, f.drive = 5 - c;
        graph_check(m, clv_model_add_force(m, NULL, &f));
    }
    return graph_finish(m);
}

static double off_oracle(clv_sim *s)
{
    const clv_model *m = s->model;
    oracle *o = oracle_create(m);
    real a[6 * 16];
    double q[7 * 32] = {0}, worst = 0, size = 0;
    clv_joint_result r;
    for (int j = 0; j < m->njoint; j++)
        clv_sim_joint(s, j, &r), memcpy(q + 7 * j, r.q, sizeof r.q);
    oracle_set(o, s->out_time, s->system.kin.com, s->system.kin.R, s->out_V, q);
    oracle_accelerations(o, a, NULL);
    for (int i = 0; i < 6 * m->nbody; i++)
        worst = fmax(worst, fabs(s->out_A[i] - (double)a[i])), size = fmax(size, fabs((double)a[i]));
    oracle_destroy(o);
    return worst / size;
}

static void sliding_follower_points_with_known_forces(void **state)
{
    static const struct {
        clv_joint_kind kind;
        int freedoms;
    } closing[] = {
        {CLV_JOINT_PRISMATIC, 1}, {CLV_JOINT_CYLINDRICAL, 2}, {CLV_JOINT_PLANAR, 3}, {CLV_JOINT_REVOLUTE, 1}};
    (void)state;
    for (size_t k = 0; k < sizeof closing / sizeof closing[0]; k++)
        for (int method = 1; method <= 2; method++) {
            clv_model *m = sliding(closing[k].kind, closing[k].freedoms);
            clv_sim *s = opened(m, "connection", method);
            assert_true(off_oracle(s) < 1e-12);
            assert_int_equal(clv_sim_set_end(s, 0.3), CLV_OK);
            assert_int_equal(clv_sim_advance(s, 0.3), CLV_OK); /* the point has moved, and moves */
            assert_int_equal(clv_sim_evaluate(s), CLV_OK);
            clv_joint_result r;
            assert_int_equal(clv_sim_joint(s, clv_model_joint_count(m) - 1, &r), CLV_OK);
            assert_false(r.tree);
            double moved = fabs(r.q[0]) + fabs(r.q[1]), force = 0;
            for (int i = 0; i < 3; i++)
                force += fabs(r.drive_force[i]) + fabs(r.drive_torque[i]);
            assert_true(moved > 1e-3 && force > 1e-2);
            assert_true(off_oracle(s) < 1e-10);
            clv_sim_destroy(s), clv_model_destroy(m);
        }
}

/* ------------------------------------------------------------------ redundant loops */

/* Least norm in the scaled rows over all connections: no self-stress of the branches is left in the multipliers, and
 * M^+ from P G P agrees with the one by orthogonal factors (T20) of the dense matrix. */
static void judge_multipliers(const clv_sim *s)
{
    const clv_connect *c = s->plan->connect;
    const clv_engine *e = &s->system.engine;
    double row[64], size = 0, worst = 0;
    int nulls = 0;
    assert_true(c && c->nrow <= 64);
    const clv_part *all = &s->plan->part[c->part];
    for (int b = 0; b < c->nblock; b++)
        for (int i = 0; i < c->row[b + 1] - c->row[b]; i++)
            row[c->row[b] + i] = s->system.lambda[s->plan->edge[s->plan->edges_of[all->edge + b]].row + i] /
                                 e->connection.s[c->row[b] + i];
    for (int i = 0; i < c->nrow; i++)
        size += row[i] * row[i];
    for (int b = 0; b < c->nblock; b++) {
        int length = c->row[b + 1] - c->row[c->first[b]];
        for (int n = 0; n < c->row[b + 1] - c->row[b] - e->connection.rank[b]; n++, nulls++) {
            const double *v = e->connection.null + e->connection.null_at[b] + n * length;
            double dot = 0, norm = 0;
            for (int i = 0; i < length; i++)
                dot += v[i] * row[c->row[c->first[b]] + i], norm += v[i] * v[i];
            assert_true(fabs(norm - 1) < 1e-13);
            worst = fmax(worst, fabs(dot));
        }
    }
    assert_true(nulls > 0 && worst <= 1e-12 * sqrt(size));
}

static void multipliers_have_least_norm(void **state)
{
    static const char *const example[] = {"hdca-case3", "four-bar-ladder", "bricard"};
    (void)state;
    for (int k = 0; k < 6; k++) { /* at the start; after steps, in which the tree carries the rows */
        clv_model *m;
        assert_int_equal(clv_example_create(&m, example[k % 3], NULL, 0), CLV_OK);
        clv_sim *s = opened(m, "connection", 1), *d = opened(m, "massmatrix", 0);
        assert_true(s->system.truncated > 0 && s->system.truncated == d->system.truncated);
        if (k >= 3) {
            assert_true(s->system.rows.carried);
            assert_int_equal(clv_sim_advance(s, 0.05), CLV_OK), assert_int_equal(clv_sim_advance(d, 0.05), CLV_OK);
            assert_int_equal(clv_sim_evaluate(s), CLV_OK), assert_int_equal(clv_sim_evaluate(d), CLV_OK);
        }
        judge_multipliers(s);
        const int rows = s->plan->connect->nrow;
        if (s->plan->nsection == 1 && rows == s->plan->nclosing_row) /* massmatrix: the same rows and scale */
            for (int i = 0; i < rows; i++)
                assert_true(fabs(s->system.lambda[i] - d->system.lambda[i]) < 1e-7 * (fabs(d->system.lambda[i]) + 1));
        clv_sim_destroy(s), clv_sim_destroy(d), clv_model_destroy(m);
    }
}

/* ------------------------------------------------------------------ Baumgarte */

/* without projection gaps grow; with gains they decay to the size the integrator makes */
static void baumgarte_gains_bound_the_gap(void **state)
{
    double gap[2];
    (void)state;
    for (int k = 0; k < 2; k++) {
        clv_model *m = sliding(CLV_JOINT_CYLINDRICAL, 2);
        clv_sim_options o = clv_sim_options_default();
        clv_sim *s;
        o.formulation = "connection", o.project = 0, o.rtol = 1e-5;
        o.baumgarte[0] = k ? 400 : 0, o.baumgarte[1] = k ? 40 : 0;
        assert_int_equal(clv_sim_create(&s, m, &o), CLV_OK);
        assert_int_equal(clv_sim_advance(s, 4), CLV_OK);
        double speed;
        clv_sim_violation(s, &gap[k], &speed);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
    assert_true(gap[0] > 1e-8 && gap[1] < 0.1 * gap[0]);
}

/* ------------------------------------------------------------------ branches */

static clv_model *tree_of(const char *const *branch)
{
    static const double down[3] = {0.5, -9.81, 0};
    clv_model *m = graph_create(); /* trunk 0-1-2, limbs 3-4 on 2 and 5-6 on 1 */
    static const int parent[7] = {-1, 0, 1, 2, 3, 1, 5};
    graph_check(m, clv_model_set_gravity(m, down));
    for (int b = 0; b < 7; b++) {
        graph_body_in(m, b, b % 3, 0.5 * b, branch ? branch[b] : NULL);
        graph_joint(m, CLV_JOINT_REVOLUTE, parent[b], b, b - 0.4, b % 3, 0.5 * b);
    }
    return m;
}

static void branches_are_told(void **state)
{
    static const char *const branch[7] = {"trunk", "trunk", "trunk", NULL, NULL, "limb", "limb"};
    (void)state;
    clv_model *m = graph_finish(tree_of(branch));
    clv_sim *s = opened(m, "connection", 1);
    clv_branch_report b;
    assert_true(clv_sim_branch(s, 0, &b));
    assert_string_equal(b.name, "trunk"), assert_int_equal(b.bodies, 3), assert_int_equal(b.handles, 2);
    assert_true(clv_sim_branch(s, 1, &b));
    assert_string_equal(b.name, "limb"), assert_int_equal(b.base, 5), assert_int_equal(b.handles, 1);
    assert_true(clv_sim_branch(s, 2, &b));
    assert_string_equal(b.name, "b3"), assert_int_equal(b.bodies, 2);
    assert_false(clv_sim_branch(s, 3, &b));
    assert_false(clv_sim_branch(s, -1, &b));
    assert_true(off_oracle(s) < 1e-13);
    clv_sim_destroy(s), clv_model_destroy(m);
}

/* a hub with many closed arms is divided, a ladder too: no branch has more than nine bodies held */
static void automatic_branches_stay_small(void **state)
{
    (void)state;
    clv_model *m;
    const char *windows = "windows=60";
    assert_int_equal(clv_example_create(&m, "four-bar-ladder", &windows, 1), CLV_OK);
    clv_sim *s, *d = opened(m, "dca", 0);
    assert_int_equal(open_sim(&s, m, "connection", 1, NULL), CLV_OK);
    clv_branch_report b;
    int n = 0;
    for (; clv_sim_branch(s, n, &b); n++)
        assert_true(b.handles <= 10);
    assert_true(n > 5);
    assert_int_equal(clv_sim_evaluate(s), CLV_OK);
    assert_int_equal(s->system.truncated, d->system.truncated);
    for (int i = 0; i < 6 * m->nbody; i++)
        CLV_NEAR(s->out_A[i], d->out_A[i], 1e-8);
    clv_sim_destroy(d);
    long reached = 0; /* a self-stress lives in a subtree: all of them together cost n log n, not n^2 */
    const int all = s->plan->connect->part;
    for (int k = 0; k < s->system.engine.nullity[all]; k++) {
        clv_engine_self_stress(&s->system.engine, all, k);
        reached += s->system.engine.nbelow;
        assert_true(clv_stress_imbalance(s) < 1e-9);
    }
    assert_int_equal(s->system.engine.nullity[all], s->system.truncated);
    assert_true(reached < 25L * s->system.truncated);
    clv_sim_destroy(s), clv_model_destroy(m);
}

/* ------------------------------------------------------------------ steps of a cycle */

/* a branch alone makes the same H, and closing alone the same factor, as the whole rate evaluation */
static void steps_of_a_cycle_are_those_of_the_whole(void **state)
{
    static const char *const example[] = {"jsc-18", "hdca-case3", "flex-arm"};
    (void)state;
    for (int k = 0; k < 6; k++) {
        clv_model *m;
        clv_sim *s;
        clv_sim_options o = clv_sim_options_default();
        o.formulation = "connection", o.method = 1 + k % 2;
        assert_int_equal(clv_example_create(&m, example[k / 2], NULL, 0), CLV_OK);
        assert_int_equal(clv_sim_create_apart(&s, m, &o), CLV_OK);
        assert_int_equal(clv_sim_rates_once(s), CLV_OK);
        const clv_engine *e = &s->system.engine;
        double kept[2000], L[2000];
        const size_t n = s->plan->connect ? s->plan->connect->nfactor : 0;
        assert_true(n <= 2000);
        if (n > 0)
            memcpy(L, e->connection.L, n * sizeof *L);
        for (int b = 0; b < s->plan->nsection; b++) {
            const int part = s->plan->section[b].part;
            const size_t P = part < 0 ? 0 : 6 * (size_t)s->plan->part[part].nport;
            assert_true(P * P <= 2000);
            if (P > 0)
                memcpy(kept, clv_part_Xi(e, part), P * P * sizeof *kept),
                    memset(clv_part_Xi(e, part), 0, P * P * sizeof *kept);
            assert_int_equal(clv_sim_cycle_once(s, CLV_CYCLE_BRANCH, b), CLV_OK);
            if (P > 0)
                assert_memory_equal(kept, clv_part_Xi(e, part), P * P * sizeof *kept);
        }
        assert_int_equal(clv_sim_cycle_once(s, CLV_CYCLE_MATRIX, 0), CLV_OK);
        assert_true(n == 0 || memcmp(L, e->connection.L, n * sizeof *L) != 0);
        assert_int_equal(clv_sim_cycle_once(s, CLV_CYCLE_CLOSE, 0), CLV_OK);
        if (n > 0)
            assert_memory_equal(L, e->connection.L, n * sizeof *L);
        assert_int_equal(clv_sim_cycle_once(s, CLV_CYCLE_BRANCH, s->plan->nsection), CLV_ERR_USAGE);
        assert_int_equal(clv_sim_advance(s, 0.1), CLV_OK); /* nothing of it is left behind */
        clv_sim *fresh;
        assert_int_equal(clv_sim_create_apart(&fresh, m, &o), CLV_OK);
        assert_int_equal(clv_sim_advance(fresh, 0.1), CLV_OK);
        assert_memory_equal(fresh->out_y, s->out_y, (size_t)s->n * sizeof(double));
        clv_sim_destroy(fresh), clv_sim_destroy(s);
        assert_int_equal(clv_sim_create(&s, m, &o), CLV_OK);
        assert_int_equal(clv_sim_cycle_once(s, CLV_CYCLE_CLOSE, 0), CLV_ERR_USAGE);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

/* ------------------------------------------------------------------ refusals */

static void refused(clv_model *m, int method, const char *bracketing, clv_status code, const char *says,
                    const char *cure)
{
    clv_sim *s;
    assert_int_equal(open_sim(&s, m, "connection", method, bracketing), code);
    if (!strstr(clv_sim_error(s)->message, says) || !strstr(clv_sim_error(s)->hint, cure))
        print_error("said: %s\n%s\n", clv_sim_error(s)->message, clv_sim_error(s)->hint);
    assert_non_null(strstr(clv_sim_error(s)->message, says));
    assert_non_null(strstr(clv_sim_error(s)->hint, cure));
    clv_sim_destroy(s);
}

static void branches_that_do_not_hang_together(void **state)
{
    static const char *const torn[7] = {"a", "b", "a", NULL, NULL, NULL, NULL}, *const ground[2] = {"g", "g"};
    (void)state;
    clv_model *m = graph_finish(tree_of(torn));
    refused(m, 1, NULL, CLV_ERR_MODEL, "branch 'a' is not connected", "a branch of its own");
    clv_sim *s;
    assert_int_equal(open_sim(&s, m, "dca", 0, NULL), CLV_OK); /* nobody else minds */
    clv_sim_destroy(s), clv_model_destroy(m);
    m = graph_create(); /* two bodies that only the ground connects, and two that only a joint with `cut` does */
    for (int b = 0; b < 2; b++)
        graph_body_in(m, b, 0, 0, ground[b]), graph_joint(m, CLV_JOINT_REVOLUTE, CLV_GROUND, b, b, 0.5, 0);
    refused(graph_finish(m), 1, NULL, CLV_ERR_MODEL, "is joined to ground", "ground");
    clv_model_destroy(m);
    m = graph_create();
    for (int b = 0; b < 2; b++)
        graph_body_in(m, b, 0, 0, ground[b]);
    const double at[3] = {0.5, 0, 0};
    graph_joint_cut(m, CLV_JOINT_REVOLUTE, 0, 1, at, NULL, 1);
    refused(graph_finish(m), 1, NULL, CLV_ERR_MODEL, "floats", "cut");
    clv_model_destroy(m);
}

static void brackets_that_are_wrong(void **state)
{
    static const char *const branch[7] = {"trunk", "trunk", "trunk", "hand", "hand", "limb", "limb"};
    (void)state;
    clv_model *m = graph_finish(tree_of(branch));
    refused(m, 2, "(trunk, hnd), limb", CLV_ERR_USAGE, "there is no branch 'hnd'", "trunk, hand, limb");
    refused(m, 2, "(trunk, hand)", CLV_ERR_USAGE, "leaves out branch 'limb'", "trunk, hand, limb");
    refused(m, 2, "(trunk, hand), (limb, 0)", CLV_ERR_USAGE, "repeated branch", "like");
    refused(m, 2, "(trunk, hand, limb", CLV_ERR_USAGE, "not closed", "like");
    refused(m, 2, "(trunk, hand), limb)", CLV_ERR_USAGE, "was not opened", "like");
    refused(m, 2, "(trunk, ), limb", CLV_ERR_USAGE, "missing", "like");
    refused(m, 2, "{trunk, hand), limb", CLV_ERR_USAGE, "not closed", "like");
    refused(m, 1, "(trunk, hand), limb", CLV_ERR_USAGE, "method 1", "method 2");
    refused(m, 0, "(trunk, hand), limb", CLV_ERR_USAGE, "method 1", "method 2");
    refused(m, 3, NULL, CLV_ERR_USAGE, "method is 3", "");
    clv_sim *s;
    assert_int_equal(open_sim(&s, m, "dca", 2, NULL), CLV_ERR_USAGE);
    assert_non_null(strstr(clv_sim_error(s)->hint, "connection"));
    clv_sim_destroy(s);
    assert_int_equal(open_sim(&s, m, "connection", 2, "{hand, 0}, (limb)"),
                     CLV_OK); /* names and numbers, any brackets */
    clv_sim_destroy(s), clv_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sliding_follower_points_with_known_forces),
        cmocka_unit_test(multipliers_have_least_norm),
        cmocka_unit_test(baumgarte_gains_bound_the_gap),
        cmocka_unit_test(branches_are_told),
        cmocka_unit_test(automatic_branches_stay_small),
        cmocka_unit_test(steps_of_a_cycle_are_those_of_the_whole),
        cmocka_unit_test(branches_that_do_not_hang_together),
        cmocka_unit_test(brackets_that_are_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
