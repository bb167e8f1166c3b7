/* SPDX-License-Identifier: Apache-2.0
 * Plans of random graphs, their hashes, and what planning costs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <cmocka.h>
#include "oracle/random_system.h"
#include "plan_graphs.h"
#include "plan_laws.h"

static void random_systems_of_every_topology(void **state)
{
    (void)state;
    for (int kind = 0; kind < RANDOM_KINDS; kind++)
        for (uint64_t seed = 0; seed < 40; seed++) {
            clv_model *m;
            assert_int_equal(random_system_create(seed, (random_kind)kind, 0, &m, NULL), CLV_OK);
            done(checked(m), m);
        }
}

/* any graph at all: bodies attached anywhere, joints between any two, hints and free joints among them */
static clv_model *random_graph(random_stream *s)
{
    clv_model *m = graph_create();
    int n = 1 + random_index(s, 40), extra = random_index(s, 25);
    for (int i = 0; i < n; i++)
        graph_body(m, random_normal(s), random_normal(s), random_normal(s));
    for (int i = 0; i < n + extra; i++) {
        static const clv_joint_kind kind[6] = {CLV_JOINT_REVOLUTE,  CLV_JOINT_SPHERICAL, CLV_JOINT_FIXED,
                                               CLV_JOINT_UNIVERSAL, CLV_JOINT_FREE,      CLV_JOINT_POINT};
        int b = i < n ? i : random_index(s, n), a = random_index(s, i < n ? i + 1 : n + 1) - 1;
        const double at[3] = {random_normal(s), random_normal(s), random_normal(s)};
        if (a == b || random_chance(s, 0.1))
            continue;
        int cut = random_chance(s, 0.2) ? 1 : -1;
        if (random_chance(s, 0.5)) {
            int t = a;
            a = b, b = t;
        }
        graph_joint_cut(m, kind[random_index(s, 6)], a, b, at, NULL, cut);
    }
    return graph_finish(m);
}

static void any_graph(void **state)
{
    (void)state;
    random_stream s = {11};
    for (int k = 0; k < 1500; k++) {
        clv_model *m = random_graph(&s);
        done(checked(m), m);
    }
}

static void equal_plans_have_equal_hashes(void **state)
{
    (void)state;
    long long hash[40];
    for (int k = 0; k < 40; k++) {
        clv_model *m, *again;
        random_kind kind = (random_kind)(k % RANDOM_KINDS);
        assert_int_equal(random_system_create((uint64_t)k, kind, 0, &m, NULL), CLV_OK);
        clv_plan *first = plan_with(m, (clv_plan_options){0});
        void *hole = malloc(12345); /* other addresses */
        assert_int_equal(random_system_create((uint64_t)k, kind, 0, &again, NULL), CLV_OK);
        clv_plan *second = plan_with(again, (clv_plan_options){0});
        free(hole);
        clv_plan *third = plan_with(m, (clv_plan_options){0});
        hash[k] = first->hash;
        assert_true(first->hash == second->hash && first->hash == third->hash);
        clv_plan_destroy(third);
        done(first, m), done(second, again);
        for (int i = 0; i < k; i++)
            assert_true(hash[i] != hash[k]);
    }
}

/* numbers of the model (masses, places) are not part of the plan */
static void hash_depends_on_the_graph_only(void **state)
{
    (void)state;
    clv_model *m = graph_create(), *n = graph_create();
    int tip_m = row_of(m, CLV_GROUND, 9, 0, 0, NULL), tip_n = row_of(n, CLV_GROUND, 9, 5, 7, NULL);
    graph_joint(m, CLV_JOINT_SPHERICAL, tip_m, 0, 9, 0, 0), graph_joint(n, CLV_JOINT_SPHERICAL, tip_n, 0, 1, 2, 3);
    clv_plan *p = plan_with(graph_finish(m), (clv_plan_options){0}),
             *q = plan_with(graph_finish(n), (clv_plan_options){0});
    assert_true(p->hash == q->hash);
    done(p, m), done(q, n);
}

/* ------------------------------------------------------------------ cost */

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double plan_seconds(const clv_model *m)
{
    double best = 1e9, total = 0;
    for (int k = 0; k < 5 && total < 0.5; k++) {
        double start = seconds();
        clv_plan *p = plan_with(m, (clv_plan_options){0});
        double t = seconds() - start;
        best = t < best ? t : best, total += t;
        clv_plan_destroy(p);
    }
    return best;
}

static void cost(const char *name, clv_model *(*build)(int), int from, int to, double bound)
{
    double x[8], y[8];
    int k = 0;
    for (int n = from; n <= to; n = n * 10 / 3, k++) {
        clv_model *m = build(n);
        x[k] = m->nbody, y[k] = plan_seconds(m);
        clv_model_destroy(m);
    }
    double e = graph_exponent(x, y, k);
    printf("plan of %-8s %7.0f .. %7.0f bodies: %.3g .. %.3g ms, exponent %.2f\n", name, x[0], x[k - 1], 1e3 * y[0],
           1e3 * y[k - 1], e);
    assert_true(e < bound);
}

static clv_model *rings_on_ground(int n)
{
    clv_model *m = graph_create();
    for (int i = 0; i < n; i++) {
        int tip = row_of(m, CLV_GROUND, 3, 0, i, NULL);
        graph_joint(m, CLV_JOINT_REVOLUTE, tip, CLV_GROUND, 3, i, 0);
    }
    return graph_finish(m);
}

/* The bound is there to catch n^2; n log n and caches make 1.1 to 1.4, and processor times wander on a busy machine. */
static void plan_time_grows_like_n_log_n(void **state)
{
    (void)state;
    cost("chain", chain, 1000, 130000, 1.75);
    cost("ladder", ladder, 1000, 12000, 1.75);
    cost("star", star, 1000, 40000, 1.75);
    cost("flower", flower, 300, 12000, 1.75);
    cost("ring", ring, 1000, 40000, 1.75);
    cost("forest", rings_on_ground, 1000, 12000, 1.75);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_systems_of_every_topology),
        cmocka_unit_test(any_graph),
        cmocka_unit_test(equal_plans_have_equal_hashes),
        cmocka_unit_test(hash_depends_on_the_graph_only),
        cmocka_unit_test(plan_time_grows_like_n_log_n),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
