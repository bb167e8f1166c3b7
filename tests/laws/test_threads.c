/* SPDX-License-Identifier: Apache-2.0
 * The same bits from any number of threads (T44): runs with one thread, and with more of them than this machine has
 * cores, the work cut as finely as it can be.  And what users see of threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include <pthread.h>
#include "base/hash.h"
#include "simulation/sim.h"

typedef struct run {
    const char *example, *parameter, *formulation, *integrator;
    double step;     /* s; 0: adaptive */
    int count;       /* steps, or output times of 10 ms */
    const char *extra; /* another parameter */
} run;

static const run table[] = {
    {"chain", "links=5300", "hdca", "rk4", 1e-4, 2, NULL}, /* two levels of blocks (T159) */
    {"chain", "links=5300", "dca", "dopri5", 0, 1, "spatial=2"},
    {"chain", "links=512", "hdca", "dopri5", 0, 2, "spatial=2"},
    {"chain", "links=512", "dca", "adams", 0, 2, NULL},
    {"chain-closed", "links=2500", "hdca", "dopri5", 0, 1, NULL},
    {"chain-closed", "links=2500", "dca", "rk4", 1e-4, 2, NULL},
    {"chain-closed", "links=300", "hdca", "rk4", 1e-4, 10, NULL},
    {"four-bar-ladder", "windows=100", "hdca", "rk4", 1e-3, 5, NULL},
    {"four-bar-ladder", "windows=100", "dca", "dopri5", 0, 2, NULL},
    {"tree-robot", NULL, "hdca", "dop853", 0, 10, NULL},
    {"tree-robot", NULL, "dca", "rk4", 1e-3, 20, NULL},
    {"hdca-case3", NULL, "hdca", "dopri5", 0, 10, NULL},
    {"bricard", NULL, "hdca", "rk4", 1e-3, 20, NULL},
    {"bricard", NULL, "dca", "rk4", 1e-3, 20, NULL},
    {"satellite", NULL, "hdca", "rk4", 1e-3, 20, NULL},
    {"satellite", NULL, "dca", "dop853", 0, 10, NULL},
    {"andrews", NULL, "hdca", "rk4", 1e-5, 20, NULL},
    {"loop-7r", NULL, "dca", "dopri5", 0, 20, NULL},
    {"mmsev-rigid", NULL, "hdca", "rk4", 1e-3, 5, NULL},
    {"mmsev-flexible", NULL, "dca", "rk4", 2e-4, 3, NULL},
    {"flex-arm", NULL, "hdca", "dopri5", 0, 5, NULL},
    {"mmsev-rigid", NULL, "connection", "rk4", 1e-3, 5, NULL},
    {"mmsev-flexible", NULL, "connection", "dopri5", 0, 2, NULL},
    {"chain", "links=2500", "connection", "rk4", 1e-4, 2, NULL},
    {"chain", "links=2500", "index3", NULL, 1e-3, 2, NULL},
    {"chain", "links=512", "index3", NULL, 1e-3, 3, "spatial=2"},
    {"chain-closed", "links=300", "index3", NULL, 1e-3, 3, NULL},
    {"four-bar-ladder", "windows=100", "index3", NULL, 1e-3, 3, NULL},
    {"tree-robot", NULL, "index3", NULL, 1e-3, 10, NULL},
    {"loader", NULL, "index3", NULL, 1e-3, 10, NULL},
    {"bricard", NULL, "index3", NULL, 1e-3, 10, NULL},
    {"mmsev-rigid", NULL, "index3", NULL, 1e-3, 5, NULL},
    {"four-bar-ladder", "windows=100", "connection", "dopri5", 0, 2, NULL},
    {"loader", NULL, "hdca", "dopri5", 0, 10, NULL},
};
enum { RUNS = sizeof table / sizeof *table };

static clv_model *model_of(const run *r)
{
    const char *parameters[2] = {r->parameter, r->extra};
    clv_model *m;
    assert_int_equal(clv_example_create(&m, r->example, r->parameter ? parameters : NULL, !!r->parameter + !!r->extra),
                     CLV_OK);
    return m;
}

static clv_sim *sim_of(const clv_model *m, const run *r, int threads)
{
    clv_sim_options o = clv_sim_options_default();
    clv_sim *s;
    o.formulation = r->formulation, o.integrator = r->integrator, o.step = r->step, o.threads = threads;
    assert_int_equal(clv_sim_create(&s, m, &o), CLV_OK);
    return s;
}

/* bits of the states of a run and of its accounts */
static uint64_t hash_of(clv_sim *s, const run *r, long *allocated)
{
    uint64_t h = 0;
    const size_t n = (size_t)clv_model_body_count(s->model);
    for (int k = 1; k <= r->count; k++) {
        const long before = clv_alloc_count();
        assert_int_equal(clv_sim_advance(s, k * (r->step > 0 ? r->step : 1e-2)), CLV_OK);
        *allocated += clv_alloc_count() - before;
        h = clv_hash(h, clv_sim_position(s), 3 * n * sizeof(double));
        h = clv_hash(h, clv_sim_velocity(s), 6 * n * sizeof(double));
    }
    assert_int_equal(clv_sim_evaluate(s), CLV_OK);
    clv_sim_report report;
    clv_sim_summary(s, &report);
    const double accounts[] = {report.energy,    report.max_energy_drift, report.max_position_violation,
                               report.min_pivot, (double)report.steps,    (double)report.rejected_steps,
                               (double)report.rate_evaluations};
    h = clv_hash(h, clv_sim_acceleration(s), 6 * n * sizeof(double));
    h = clv_hash(h, s->integrator.y, (size_t)s->n * sizeof(double));
    return clv_hash(h, accounts, sizeof accounts);
}

/* cut: rows of a share; 0: as the plan has them */
static uint64_t run_with(const clv_model *m, const run *r, clv_team *team, int cut)
{
    clv_sim *s = sim_of(m, r, 1);
    long allocated = 0;
    if (team)
        clv_sim_join_team(s, team, cut);
    const uint64_t h = hash_of(s, r, &allocated);
    assert_int_equal(allocated, 0);
    clv_sim_destroy(s);
    return h;
}

/* by ThreadSanitizer, which takes thirty times as long, with one team */
#ifdef __SANITIZE_THREAD__
enum { TEAMS = 1 };
#else
enum { TEAMS = 4 };
#endif

static void test_same_bits(void **state)
{
    (void)state;
    static const int threads[] = {3, 2, 4, 8}; /* the first and the third cut as finely as can be */
    clv_team *team[TEAMS];
    int wrong = 0;
    for (int t = 0; t < TEAMS; t++)
        team[t] = clv_team_create(threads[t]);
    for (int i = 0; i < RUNS; i++) {
        clv_model *m = model_of(&table[i]);
        const uint64_t h = run_with(m, &table[i], NULL, 0);
        for (int t = 0; t < TEAMS; t++)
            if (run_with(m, &table[i], team[t], t % 2 == 0) != h) {
                printf("%s by %s, %s: other bits with %d threads\n", table[i].example, table[i].formulation,
                       table[i].integrator, threads[t]);
                wrong++;
            }
        clv_model_destroy(m);
    }
    for (int t = 0; t < TEAMS; t++)
        clv_team_destroy(team[t]);
    assert_int_equal(wrong, 0);
}

/* with threads of its own, from the start on */
static void test_same_bits_by_option(void **state)
{
    (void)state;
    const run r = {"chain", "links=4096", "hdca", "rk4", 1e-4, 2, NULL};
    clv_model *m = model_of(&r);
    uint64_t h[3];
    for (int i = 0; i < 3; i++) {
        const int threads[] = {1, 2, 8};
        clv_sim *s = sim_of(m, &r, threads[i]);
        long allocated = 0;
        assert_int_equal(clv_sim_threads(s), threads[i]);
        assert_string_equal(clv_sim_threads_why(s), "as requested");
        h[i] = hash_of(s, &r, &allocated);
        assert_int_equal(allocated, 0);
        clv_sim_destroy(s);
    }
    assert_true(h[0] == h[1] && h[0] == h[2]);
    clv_model_destroy(m);
}

/* `auto` compares at the start: the comparison leaves no trace in what follows */
static void test_same_bits_by_auto(void **state)
{
    (void)state;
    static const run tried[] = {{"chain", "links=4096", "hdca", "rk4", 1e-4, 2, NULL},
                                {"chain-closed", "links=2500", "dca", "dopri5", 0, 1, NULL},
                                {"four-bar-ladder", "windows=300", "hdca", "rk4", 1e-3, 2, NULL}};
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        clv_model *m = model_of(&tried[i]);
        uint64_t h[2];
        for (int k = 0; k < 2; k++) {
            clv_sim *s = sim_of(m, &tried[i], 1 - k);
            long allocated = 0;
            if (k == 1 && clv_team_cores() > 1)
                assert_true(clv_sim_threads(s) == 1 ? strstr(clv_sim_threads_why(s), "no faster") != NULL
                                                    : clv_sim_threads(s) <= clv_team_cores());
            h[k] = hash_of(s, &tried[i], &allocated);
            assert_int_equal(allocated, 0);
            clv_sim_destroy(s);
        }
        assert_true(h[0] == h[1]);
        clv_model_destroy(m);
    }
}

static void test_small_models_stay_alone(void **state)
{
    (void)state;
    const run r = {"hdca-case1", NULL, "hdca", "rk4", 1e-3, 1, NULL};
    clv_model *m = model_of(&r);
    clv_sim *s = sim_of(m, &r, 4);
    assert_int_equal(clv_sim_threads(s), 1);
    assert_non_null(strstr(clv_sim_threads_why(s), "size"));
    clv_sim_destroy(s), clv_model_destroy(m);
    assert_int_equal(clv_sim_threads(NULL), 0);
}

/* what runs on one thread is named */
static void test_others_stay_alone(void **state)
{
    (void)state;
    static const run alone[] = {{"chain", "links=2500", "massmatrix", NULL, 1e-3, 1, NULL},
                                {"chain", "links=1000", "aldca", "rk4", 1e-3, 1, NULL},
                                {"chain", "links=100", "hdca", "gauss4", 1e-3, 1, NULL},
                                {"chain", "links=100", "index3", NULL, 1e-3, 1, NULL}};
    static const char *const why[] = {"massmatrix runs on one thread", "aldca runs on one thread",
                                      "gauss4 runs on one thread",
                                      "index3, for this model and options, runs on one thread"};
    for (int i = 0; i < 4; i++) {
        clv_model *m = model_of(&alone[i]);
        clv_sim_options o = clv_sim_options_default();
        clv_sim *s;
        o.formulation = alone[i].formulation, o.integrator = alone[i].integrator, o.step = alone[i].step;
        o.threads = 4, o.alpha = i == 3 ? 1e7 : NAN;
        assert_int_equal(clv_sim_create(&s, m, &o), CLV_OK);
        assert_int_equal(clv_sim_threads(s), 1);
        assert_string_equal(clv_sim_threads_why(s), why[i]);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
}

/* a saved state continues with another number of threads */
static void test_state_goes_on_with_other_threads(void **state)
{
    (void)state;
    const run r = {"chain", "links=4096", "hdca", "dopri5", 0, 1, NULL};
    clv_model *m = model_of(&r);
    clv_sim *s = sim_of(m, &r, 1), *t = sim_of(m, &r, 3);
    static char saved[8 << 20];
    const size_t size = clv_sim_saved_size(s);
    assert_true(size <= sizeof saved);
    assert_int_equal(clv_sim_advance(s, 1e-3), CLV_OK);
    clv_sim_save(s, saved);
    assert_int_equal(clv_sim_load(t, saved, size), CLV_OK);
    assert_int_equal(clv_sim_advance(s, 5e-3), CLV_OK);
    assert_int_equal(clv_sim_advance(t, 5e-3), CLV_OK);
    assert_memory_equal(s->integrator.y, t->integrator.y, (size_t)s->n * sizeof(double));
    clv_sim_destroy(s), clv_sim_destroy(t), clv_model_destroy(m);
}

typedef struct side {
    const clv_model *m;
    const run *r;
    clv_team *team;
    uint64_t h;
} side;

static void *run_side(void *of)
{
    side *x = of;
    clv_sim_options o = clv_sim_options_default();
    clv_sim *s;
    long allocated = 0;
    o.formulation = x->r->formulation, o.integrator = x->r->integrator, o.step = x->r->step;
    if (clv_sim_create(&s, x->m, &o) == CLV_OK) {
        clv_sim_join_team(s, x->team, 0);
        x->h = hash_of(s, x->r, &allocated);
    }
    clv_sim_destroy(s);
    return NULL;
}

/* several simulations of one model at once, on one team */
static void test_side_by_side(void **state)
{
    (void)state;
    const run r = {"chain", "links=2500", "hdca", "rk4", 1e-4, 3, NULL};
    clv_model *m = model_of(&r);
    const uint64_t h = run_with(m, &r, NULL, 0);
    clv_team *team = clv_team_create(2);
    side sides[3];
    pthread_t thread[3];
    for (int i = 0; i < 3; i++) {
        sides[i] = (side){m, &r, team, 0};
        assert_int_equal(pthread_create(&thread[i], NULL, run_side, &sides[i]), 0);
    }
    for (int i = 0; i < 3; i++) {
        pthread_join(thread[i], NULL);
        assert_true(sides[i].h == h);
    }
    clv_team_destroy(team), clv_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_same_bits_by_option),
        cmocka_unit_test(test_same_bits_by_auto),
        cmocka_unit_test(test_small_models_stay_alone),
        cmocka_unit_test(test_others_stay_alone),
        cmocka_unit_test(test_state_goes_on_with_other_threads),
        cmocka_unit_test(test_side_by_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
