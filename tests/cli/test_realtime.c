/* SPDX-License-Identifier: Apache-2.0
 * Steps in real time: the thread of the steps calls no allocator, no lock and no file.  States are those of a run
 * without a clock; a full ring drops and counts; quantiles of durations. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cli/realtime.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---------------------------------------------------------------- calls that are counted */

static _Thread_local bool counting;
static _Thread_local int calls;
static _Thread_local const char *first;

void see(const char *name); /* not static: with glibc's checks the wrappers below are inline functions */
void see(const char *name)
{
    if (counting && calls++ == 0)
        first = name;
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#if !defined(__has_feature)
#define __has_feature(x) 0
#endif
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
#define COUNTED 1
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void __libc_free(void *);
void *malloc(size_t n) { return see("malloc"), __libc_malloc(n); }
void *calloc(size_t n, size_t size) { return see("calloc"), __libc_calloc(n, size); }
void *realloc(void *p, size_t n) { return see("realloc"), __libc_realloc(p, n); }
void free(void *p) { see("free"), __libc_free(p); }

#define FORWARD(result, name, parameters, ...)                                                                       \
    result name parameters                                                                                           \
    {                                                                                                                \
        static result(*next) parameters;                                                                             \
        see(#name);                                                                                                  \
        if (!next)                                                                                                   \
            *(void **)&next = dlsym(RTLD_NEXT, #name);                                                               \
        return next(__VA_ARGS__);                                                                                    \
    }
FORWARD(int, pthread_mutex_lock, (pthread_mutex_t * m), m)
FORWARD(int, pthread_mutex_trylock, (pthread_mutex_t * m), m)
FORWARD(int, pthread_cond_signal, (pthread_cond_t * c), c)
FORWARD(int, pthread_cond_wait, (pthread_cond_t * c, pthread_mutex_t *m), c, m)
FORWARD(ssize_t, read, (int f, void *to, size_t n), f, to, n)
FORWARD(ssize_t, write, (int f, const void *from, size_t n), f, from, n)
FORWARD(FILE *, fopen, (const char *path, const char *mode), path, mode)
#endif
#endif
#if !defined(COUNTED)
#define COUNTED 0
#endif

/* ---------------------------------------------------------------- steps */

typedef struct run {
    clv_model *model;
    clv_sim *sim, *plain; /* the same twice */
} run;

static run open_run(const char *example, const char *const *param, int nparam, const char *formulation,
                    const char *integrator, double step)
{
    run r;
    clv_sim_options o = clv_sim_options_default();
    o.formulation = formulation, o.integrator = integrator, o.step = step;
    assert_int_equal(clv_example_create(&r.model, example, param, nparam), CLV_OK);
    if (clv_sim_create(&r.sim, r.model, &o) != CLV_OK)
        fail_msg("%s", clv_sim_error(r.sim)->message);
    assert_int_equal(clv_sim_create(&r.plain, r.model, &o), CLV_OK);
    return r;
}

static void close_run(run *r)
{
    clv_sim_destroy(r->sim), clv_sim_destroy(r->plain);
    clv_model_destroy(r->model);
}

static void step_thread_calls_nothing(const char *example, const char *formulation, const char *integrator, double step)
{
    static const char *const links[] = {"links=40"};
    run r = open_run(example, links, strcmp(example, "chain") == 0, formulation, integrator, step);
    const double end = 60 * step, every = 2.5 * step;
    clv_realtime *t = clv_realtime_create(r.sim, end, every);
    assert_non_null(t);
    calls = 0, first = "";
    counting = true;
    clv_realtime_steps(t);
    counting = false;
    if (calls > 0)
        fail_msg("%s, %s: %d calls, the first is %s", example, formulation, calls, first);
    assert_int_equal(t->status, CLV_OK);
    assert_true(t->steps >= 60 && t->steps <= 61 && t->step.count == (uint64_t)t->steps);
    double *state = malloc(t->size * sizeof(double)), time;
    bool over = false;
    int n = 0;
    for (const double *s; (s = clv_realtime_state(t, &time, &over)) != NULL; clv_realtime_next(t)) {
        n++;
        assert_true(time == (n < 24 ? n * every : end) && !over);
        assert_int_equal(clv_sim_advance_state(r.plain, time, state), CLV_OK);
        assert_memory_equal(s, state, t->size * sizeof(double));
    }
    assert_true(over);
    assert_int_equal(n, 24);
    assert_int_equal(t->dropped, 0);
    free(state);
    clv_realtime_destroy(t);
    close_run(&r);
}

static void the_thread_of_the_steps_calls_nothing(void **state)
{
    (void)state;
    step_thread_calls_nothing("hdca-case1", "hdca", "rk4", 1e-3);
    step_thread_calls_nothing("hdca-case3", "dca", "rk4", 5e-4);
    step_thread_calls_nothing("chain", "dca", "rk4", 1e-3);
    step_thread_calls_nothing("four-bar-ladder", "index3", NULL, 2e-3);
    step_thread_calls_nothing("hdca-case2", "index3", "generalized-alpha", 2e-3);
    step_thread_calls_nothing("flex-arm", "hdca", "rk4", 1e-4);
}

/* What is counted above would be seen. */
static void calls_are_seen(void **state)
{
    (void)state;
    if (!COUNTED)
        skip();
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    calls = 0;
    counting = true;
    void *volatile p = malloc(10);
    free(p);
    pthread_mutex_lock(&m);
    counting = false;
    pthread_mutex_unlock(&m);
    assert_int_equal(calls, 3);
}

static void a_full_ring_drops(void **state)
{
    (void)state;
    run r = open_run("pendulum", NULL, 0, "hdca", "rk4", 1e-4);
    clv_realtime *t = clv_realtime_create(r.sim, 1e-2, 1e-4);
    clv_realtime_steps(t);
    assert_int_equal(atomic_load(&t->posted), CLV_REALTIME_RING);
    assert_int_equal(t->dropped, 100 - CLV_REALTIME_RING);
    double time;
    bool over;
    assert_non_null(clv_realtime_state(t, &time, &over));
    assert_true(time == 1e-4);
    clv_realtime_destroy(t);
    close_run(&r);
}

static void the_thread_follows_the_clock(void **state)
{
    (void)state;
    run r = open_run("pendulum", NULL, 0, "hdca", "rk4", 1e-3);
    clv_realtime *t = clv_realtime_create(r.sim, 0.1, 0.05);
    struct timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    assert_int_equal(clv_realtime_start(t), CLV_OK);
    assert_int_equal(clv_realtime_join(t), CLV_OK);
    clock_gettime(CLOCK_MONOTONIC, &b);
    const double wall = (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
    assert_true(wall > 0.098 && wall < 20); /* the last step begins at 0.099 s */
    assert_true(t->clock.count > 0 && t->clock.count <= (uint64_t)t->steps && t->missed <= t->steps);
    clv_realtime_destroy(t);
    clv_sim_destroy(r.sim);
    r.sim = NULL;
    t = clv_realtime_create(r.plain, 0.1, 0.05);
    atomic_store(&t->stop, true);
    clv_realtime_steps(t);
    assert_true(t->steps == 0 && atomic_load(&t->over));
    clv_realtime_destroy(t);
    close_run(&r);
}

/* ---------------------------------------------------------------- durations */

static void quantiles_are_those_of_the_durations(void **state)
{
    (void)state;
    static clv_timing t;
    assert_true(clv_timing_quantile(&t, 0.5) == 0);
    for (int i = 1; i <= 1000; i++)
        clv_timing_add(&t, 1e-6 * i);
    assert_true(t.count == 1000 && t.worst == 1e-3);
    for (int p = 1; p <= 1000; p++) {
        const double x = clv_timing_quantile(&t, (p - 0.5) / 1000), exact = 1e-6 * p;
        if (!(x >= exact * (1 - 1e-12) && x < exact * 1.0026))
            fail_msg("%d of 1000: %.9g", p, x);
    }
    assert_true(clv_timing_quantile(&t, 1) == 1e-3);
    clv_timing_add(&t, 1e9), clv_timing_add(&t, 0), clv_timing_add(&t, -1), clv_timing_add(&t, NAN);
    assert_true(t.worst == 1e9 && t.count == 1004 && clv_timing_quantile(&t, 0.001) <= 1.01e-8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_are_seen),
        cmocka_unit_test(the_thread_of_the_steps_calls_nothing),
        cmocka_unit_test(a_full_ring_drops),
        cmocka_unit_test(the_thread_follows_the_clock),
        cmocka_unit_test(quantiles_are_those_of_the_durations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
