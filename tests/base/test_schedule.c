/* SPDX-License-Identifier: Apache-2.0
 * List schedules (T55) beside schedules made by hand, and the bounds that hold for every list schedule. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include "base/handover.h"
#include "base/schedule.h"

/* A before B and C, both before D: 1, 2, 3, 1 s */
static clv_task_list diamond(int last_worker)
{
    clv_task_list l;
    assert_true(clv_tasks_open(&l, 4, 4));
    const int a = clv_tasks_add(&l, 1, 0);
    const int b = clv_tasks_add(&l, 2, -1);
    clv_tasks_after(&l, a);
    const int c = clv_tasks_add(&l, 3, -1);
    clv_tasks_after(&l, a);
    clv_tasks_add(&l, 1, last_worker);
    clv_tasks_after(&l, b), clv_tasks_after(&l, c);
    return l;
}

static void by_hand(void **state)
{
    clv_task_list l = diamond(-1), pinned = diamond(0);
    (void)state;
    assert_true(clv_tasks_work(&l) == 7);
    assert_true(clv_tasks_span(&l) == 5);
    assert_true(clv_tasks_time(&l, 1, 0.5) == 7);
    assert_true(clv_tasks_time(&l, 2, 0) == 5);
    /* A 0 to 1, B after it; C there from 1.5 to 4.5, then D, since B was handed over at 3.5 */
    assert_true(clv_tasks_time(&l, 2, 0.5) == 5.5);
    assert_true(clv_tasks_time(&l, 3, 0.5) == 5.5);
    assert_true(clv_tasks_time(&pinned, 2, 0.5) == 6); /* C is handed back at 5 */
    /* too dear to hand over: C waits for B, D has both */
    assert_true(clv_tasks_time(&l, 2, 10) == 7);
    clv_tasks_close(&l), clv_tasks_close(&pinned);
}

/* without predecessors: 3 3 2 2 2 on two workers, in this order: 3 + 2 + 2 beside 3 + 2 */
static void in_order(void **state)
{
    static const double seconds[] = {3, 3, 2, 2, 2};
    clv_task_list l;
    (void)state;
    assert_true(clv_tasks_open(&l, 5, 0));
    for (int i = 0; i < 5; i++)
        clv_tasks_add(&l, seconds[i], -1);
    assert_true(clv_tasks_time(&l, 2, 1) == 7);
    assert_true(clv_tasks_time(&l, 5, 1) == 3);
    assert_true(clv_tasks_span(&l) == 3);
    clv_tasks_close(&l);
}

static double uniform(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / 16777216.0;
}

static clv_task_list random_tasks(unsigned *seed, int n)
{
    clv_task_list l;
    assert_true(clv_tasks_open(&l, n, 3 * n));
    for (int i = 0; i < n; i++) {
        clv_tasks_add(&l, uniform(seed), -1);
        for (int k = 0; i > 0 && k < 3; k++)
            if (uniform(seed) < 0.6)
                clv_tasks_after(&l, (int)(uniform(seed) * i));
    }
    return l;
}

static void bounds(void **state)
{
    unsigned seed = 5;
    (void)state;
    for (int n = 1; n < 60; n++) {
        clv_task_list l = random_tasks(&seed, n);
        const double work = clv_tasks_work(&l), span = clv_tasks_span(&l);
        assert_true(fabs(clv_tasks_time(&l, 1, 0.3) - work) <= 1e-13 * work);
        assert_true(clv_tasks_time(&l, n, 0) == span);
        for (int p = 2; p < 8; p++) {
            const double time = clv_tasks_time(&l, p, 0), dearer = clv_tasks_time(&l, p, 0.01);
            assert_true(time >= fmax(span, work / p) * (1 - 1e-13));
            assert_true(time <= (work / p + span * (1 - 1.0 / p)) * (1 + 1e-13)); /* R. L. Graham, 1966 */
            assert_true(dearer >= span && dearer <= work * (1 + 1e-13) + 0.01 * n);
        }
        clv_tasks_close(&l);
    }
}

static void measured(void **state)
{
    clv_team *two = clv_team_create(2);
    double x[] = {3, 1, 2};
    (void)state;
    assert_non_null(two);
    assert_true(clv_median(x, 3) == 2);
    assert_true(clv_hand_over(two) >= 0);
    assert_true(clv_two_at_once(two) > 0.1);
    clv_team_destroy(two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_hand), cmocka_unit_test(in_order), cmocka_unit_test(bounds),
                                       cmocka_unit_test(measured)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
