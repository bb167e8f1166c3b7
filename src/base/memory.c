/* SPDX-License-Identifier: Apache-2.0
 * The only file that calls the allocator.  Small objects are zeroed by clv_alloc; numeric state comes from an arena
 * whose layout runs twice, counting and carving, so that sizes cannot drift from pointers.  Every product of sizes
 * is checked for overflow.  The counter of allocations is the only mutable global of the library; tests use it to
 * prove that stepping allocates nothing. */
#include "base/memory.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define ALIGN 64 /* bytes: one cache line, and the widest vector */

static atomic_long count_of_allocations;

static int product(size_t *bytes, size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / 2 / size)
        return 0;
    *bytes = count * size;
    if (*bytes == 0)
        *bytes = 1; /* so that NULL always means failure */
    return 1;
}

static void counted(void) { atomic_fetch_add_explicit(&count_of_allocations, 1, memory_order_relaxed); }

void *clv_alloc(size_t count, size_t size)
{
    size_t bytes;
    if (!product(&bytes, count, size))
        return NULL;
    counted();
    return calloc(bytes, 1);
}

void *clv_resize(void *p, size_t count, size_t size)
{
    size_t bytes;
    if (!product(&bytes, count, size))
        return NULL;
    counted();
    return realloc(p, bytes);
}

void clv_free(void *p) { free(p); }

char *clv_copy_text(const char *text)
{
    size_t n = strlen(text) + 1;
    char *copy = clv_alloc(n, 1);
    if (copy)
        memcpy(copy, text, n);
    return copy;
}

long clv_alloc_count(void) { return atomic_load_explicit(&count_of_allocations, memory_order_relaxed); }

/* `used` saturates on overflow while counting; clv_arena_open then refuses. */
void *clv_arena_take(clv_arena *a, size_t count, size_t size)
{
    size_t bytes, at = a->used;
    if (at > SIZE_MAX / 2 || !product(&bytes, count, size)) {
        a->used = SIZE_MAX;
        return NULL;
    }
    a->used = at + (bytes + ALIGN - 1) / ALIGN * ALIGN;
    return a->base ? a->base + at : NULL;
}

int clv_arena_open(clv_arena *a)
{
    size_t bytes = a->used ? a->used : ALIGN;
    a->base = NULL;
    if (a->used > SIZE_MAX / 2)
        return 0;
    counted();
    a->base = aligned_alloc(ALIGN, bytes);
    if (!a->base)
        return 0;
    memset(a->base, 0, bytes);
    a->used = 0;
    return 1;
}
