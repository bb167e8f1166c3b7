/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <cmocka.h>
#include <pthread.h>
#include <time.h>
#include "base/memory.h"
#include "base/team.h"

enum { MOST = 1000 };

typedef struct count {
    atomic_int done[MOST];
    int written[MOST];
    int value;
} count;

static void add_one(void *of, int piece)
{
    count *c = of;
    atomic_fetch_add(&c->done[piece], 1);
    c->written[piece] = c->value + piece;
}

/* every piece once, call after call, and what it wrote is there */
static void expect_once_each(clv_team *team, int n, int calls)
{
    static count c;
    for (int i = 0; i < MOST; i++)
        atomic_init(&c.done[i], 0);
    for (int k = 0; k < calls; k++) {
        c.value = 7 * k;
        clv_team_run(team, n, add_one, &c);
        for (int i = 0; i < n; i++)
            assert_int_equal(c.written[i], 7 * k + i);
    }
    for (int i = 0; i < MOST; i++)
        assert_int_equal(atomic_load(&c.done[i]), i < n ? calls : 0);
}

static void test_every_piece_is_done_once(void **state)
{
    (void)state;
    const int threads[] = {1, 2, 3, 8, 33}, pieces[] = {0, 1, 2, 7, 64, MOST};
    for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
        clv_team *team = clv_team_create(threads[t]);
        assert_non_null(team);
        assert_int_equal(clv_team_size(team), threads[t]);
        for (size_t n = 0; n < sizeof pieces / sizeof *pieces; n++)
            expect_once_each(team, pieces[n], 20);
        clv_team_destroy(team);
    }
    expect_once_each(NULL, 10, 3);
    assert_int_equal(clv_team_size(NULL), 1);
    clv_team_destroy(NULL);
}

static void test_workers_wake_from_sleep(void **state)
{
    (void)state;
    clv_team *team = clv_team_create(4);
    for (int i = 0; i < 5; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL); /* longer than they spin */
        expect_once_each(team, 100, 2);
    }
    clv_team_destroy(team);
}

static void test_nothing_is_allocated_in_a_call(void **state)
{
    (void)state;
    clv_team *team = clv_team_create(3);
    const long before = clv_alloc_count();
    expect_once_each(team, 200, 50);
    assert_int_equal(clv_alloc_count(), before);
    const long live = clv_alloc_live();
    clv_team_destroy(team);
    assert_int_equal(clv_alloc_live(), live - 1);
}

typedef struct outer {
    clv_team *team;
    atomic_int inner;
} outer;

static void count_inner(void *of, int piece)
{
    (void)piece;
    atomic_fetch_add(&((outer *)of)->inner, 1);
}
static void call_again(void *of, int piece)
{
    (void)piece;
    clv_team_run(((outer *)of)->team, 5, count_inner, of);
}

/* a team in use: who calls it does the pieces alone */
static void test_calls_inside_a_call(void **state)
{
    (void)state;
    outer o = {.team = clv_team_create(3)};
    clv_team_run(o.team, 10, call_again, &o);
    assert_int_equal(atomic_load(&o.inner), 50);
    clv_team_destroy(o.team);
}

static void *call_many(void *of)
{
    for (int i = 0; i < 300; i++)
        clv_team_run(((outer *)of)->team, 5, count_inner, of);
    return NULL;
}

static void test_two_threads_share_a_team(void **state)
{
    (void)state;
    outer o = {.team = clv_team_create(3)};
    pthread_t other;
    assert_int_equal(pthread_create(&other, NULL, call_many, &o), 0);
    call_many(&o);
    pthread_join(other, NULL);
    assert_int_equal(atomic_load(&o.inner), 3000);
    clv_team_destroy(o.team);
}

enum { CALLERS = 3 };
typedef struct crowd {
    clv_team *team;
    atomic_int now, most; /* pieces under way */
} crowd;

static void work_a_while(void *of, int piece)
{
    crowd *c = of;
    const int now = atomic_fetch_add(&c->now, 1) + 1;
    int most = atomic_load(&c->most);
    while (now > most && !atomic_compare_exchange_weak(&c->most, &most, now))
        ;
    volatile double x = 1 + piece;
    for (int i = 0; i < 2000; i++)
        x = x * 1.0000001;
    atomic_fetch_sub(&c->now, 1);
}

static void *call_and_work(void *of)
{
    for (int i = 0; i < 200; i++)
        clv_team_run(((crowd *)of)->team, 8, work_a_while, of);
    return NULL;
}

/* several callers on one team: its threads and theirs work, and no others */
static void test_callers_do_not_crowd(void **state)
{
    (void)state;
    crowd c = {.team = clv_team_create(2)};
    pthread_t caller[CALLERS];
    for (int i = 0; i < CALLERS; i++)
        assert_int_equal(pthread_create(&caller[i], NULL, call_and_work, &c), 0);
    for (int i = 0; i < CALLERS; i++)
        pthread_join(caller[i], NULL);
    assert_int_equal(atomic_load(&c.now), 0);
    assert_in_range(atomic_load(&c.most), 1, CALLERS + 1);
    clv_team_destroy(c.team);
}

typedef struct runner {
    int calls;
} runner;

static void run_backwards(void *context, int n, void (*task)(void *of, int i), void *of)
{
    ((runner *)context)->calls++;
    for (int i = n - 1; i >= 0; i--)
        task(of, i);
}

static void test_runner_of_the_caller(void **state)
{
    (void)state;
    runner r = {0};
    clv_team *team = clv_team_of(6, &r, run_backwards);
    assert_int_equal(clv_team_size(team), 6);
    expect_once_each(team, 20, 3);
    assert_int_equal(r.calls, 3);
    clv_team_destroy(team);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_piece_is_done_once),
        cmocka_unit_test(test_workers_wake_from_sleep),
        cmocka_unit_test(test_nothing_is_allocated_in_a_call),
        cmocka_unit_test(test_calls_inside_a_call),
        cmocka_unit_test(test_two_threads_share_a_team),
        cmocka_unit_test(test_runner_of_the_caller),
        cmocka_unit_test(test_callers_do_not_crowd),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
