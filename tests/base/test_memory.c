/* SPDX-License-Identifier: Apache-2.0
 * The allocator's promises: zeroed, aligned, overflow refused, counted; the arena's two runs agree. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"

#include <string.h>

typedef struct numbers {
    double *a;
    int *b;
    char *c;
} numbers;

static void layout(numbers *s, clv_arena *arena)
{
    CLV_TAKE(arena, s->a, 5);
    CLV_TAKE(arena, s->b, 0);
    CLV_TAKE(arena, s->c, 65);
}

static void arena_counts_then_carves(void **state)
{
    clv_arena arena = {0};
    numbers s;
    (void)state;
    layout(&s, &arena);
    assert_null(s.a);
    size_t counted = arena.used;
    assert_int_equal(counted, 64 + 64 + 128);
    assert_true(clv_arena_open(&arena));
    layout(&s, &arena);
    assert_int_equal(arena.used, counted);
    assert_int_equal((uintptr_t)s.a % 64, 0);
    assert_int_equal((uintptr_t)s.c % 64, 0);
    for (size_t i = 0; i < counted; i++)
        assert_int_equal(arena.base[i], 0);
    clv_free(arena.base);
}

static void overflow_is_refused(void **state)
{
    clv_arena arena = {0};
    (void)state;
    assert_null(clv_alloc(SIZE_MAX / 4, 8));
    assert_null(clv_resize(NULL, SIZE_MAX / 4, 8));
    clv_arena_take(&arena, SIZE_MAX / 4, 8);
    clv_arena_take(&arena, 1, 8);
    assert_false(clv_arena_open(&arena));
}

static void small_objects(void **state)
{
    long before = clv_alloc_count();
    (void)state;
    int *p = clv_alloc(4, sizeof *p), *none = clv_alloc(0, 8);
    assert_non_null(p);
    assert_non_null(none);
    assert_int_equal(p[3], 0);
    p[3] = 9;
    p = clv_resize(p, 100, sizeof *p);
    assert_int_equal(p[3], 9);
    char *copy = clv_copy_text("crank");
    assert_string_equal(copy, "crank");
    assert_int_equal(clv_alloc_count() - before, 4);
    clv_free(p), clv_free(none), clv_free(copy), clv_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arena_counts_then_carves),
        cmocka_unit_test(overflow_is_refused),
        cmocka_unit_test(small_objects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
