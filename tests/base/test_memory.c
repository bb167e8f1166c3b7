/* SPDX-License-Identifier: Apache-2.0
 * The allocator's promises: zeroed, aligned, overflow refused, counted; the arena's two runs agree. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
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
    clv_arena_close(&arena);
}

/* bytes of this process that are in memory; 0: not known */
static size_t resident(void)
{
    long all, here = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f && fscanf(f, "%ld %ld", &all, &here) != 2)
        here = 0;
    if (f)
        fclose(f);
    return (size_t)here * 4096;
}

static void untouched_pages_take_no_memory(void **state)
{
    const size_t bytes = (size_t)256 << 20, before = resident();
    clv_arena arena = {0};
    char *p;
    (void)state;
    CLV_TAKE(&arena, p, bytes);
    assert_true(clv_arena_open(&arena));
    CLV_TAKE(&arena, p, bytes);
    p[bytes / 2] = 1;
    assert_int_equal(p[0] + p[bytes - 1] + p[bytes / 2 + 1], 0);
    if (before > 0)
        assert_true(resident() < before + bytes / 2);
    clv_arena_close(&arena);
    assert_null(arena.base);
    clv_arena_close(&arena);
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

/* A hook that counts, and refuses when told to. */
static struct {
    int refuse, live;
    size_t alignment;
} own;

static void *own_allocate(void *user, size_t alignment, size_t size)
{
    assert_ptr_equal(user, &own);
    own.alignment = alignment;
    void *p = own.refuse ? NULL : aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    if (p)
        memset(p, 0xA5, size);
    own.live += p != NULL;
    return p;
}

static void *own_resize(void *user, void *block, size_t size)
{
    assert_ptr_equal(user, &own);
    void *p = own.refuse ? NULL : realloc(block, size);
    own.live += p != NULL && !block;
    return p;
}

static void own_release(void *user, void *block)
{
    assert_ptr_equal(user, &own);
    assert_non_null(block);
    free(block);
    own.live--;
}

static void a_hook_serves_every_block(void **state)
{
    const clv_allocator mine = {own_allocate, own_resize, own_release, &own};
    clv_arena arena = {0};
    (void)state;
    assert_int_equal(clv_alloc_live(), 0);
    assert_int_equal(clv_allocator_set(&mine), CLV_OK);
    char *p = clv_alloc(100, 1), *q = clv_resize(NULL, 10, 1);
    for (int i = 0; i < 100; i++)
        assert_int_equal(p[i], 0);
    q = clv_resize(q, 1000, 1);
    clv_arena_take(&arena, 3, 8);
    assert_true(clv_arena_open(&arena));
    assert_int_equal(own.alignment, 64);
    assert_int_equal(own.live, 3);
    assert_int_equal(clv_alloc_live(), 3);
    assert_int_equal(clv_allocator_set(NULL), CLV_ERR_USAGE); /* blocks live */
    own.refuse = 1;
    assert_null(clv_alloc(1, 1));
    assert_null(clv_resize(q, 2000, 1));
    assert_null(clv_copy_text("crank"));
    own.refuse = 0;
    clv_free(p), clv_free(q), clv_arena_close(&arena), clv_free(NULL);
    assert_int_equal(own.live, 0);
    assert_int_equal(clv_allocator_set(&(clv_allocator){own_allocate, own_resize, NULL, NULL}), CLV_ERR_USAGE);
    assert_int_equal(clv_allocator_set(NULL), CLV_OK);
    clv_free(clv_alloc(1, 1));
    assert_int_equal(own.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arena_counts_then_carves),
        cmocka_unit_test(untouched_pages_take_no_memory),
        cmocka_unit_test(overflow_is_refused),
        cmocka_unit_test(small_objects),
        cmocka_unit_test(a_hook_serves_every_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
