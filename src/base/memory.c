/* SPDX-License-Identifier: Apache-2.0
 * The only file that calls the allocator.  Small objects are zeroed by clv_alloc; numeric state comes from an arena
 * whose layout runs twice, counting and carving, so that sizes cannot drift from pointers.  Every product of sizes
 * is checked for overflow.  The allocator and two counters are the only mutable globals of the library.  The allocator
 * cannot change while a block lives (docs/decisions.md, 16).  Tests use the counters to prove that stepping allocates
 * nothing and that a failed call leaks nothing. */
#ifdef __linux__
/* for madvise */
#define _DEFAULT_SOURCE /* NOLINT(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
#include <sys/mman.h>
#endif
#include "base/memory.h"
#include "base/pages.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#define ALIGN 64 /* bytes: one cache line, and the widest vector */

static atomic_long allocations, live;
static clv_allocator hook; /* allocate == NULL: the C library */

static int product(size_t *bytes, size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / 2 / size)
        return 0;
    *bytes = count * size;
    if (*bytes == 0)
        *bytes = 1; /* so that NULL always means failure */
    return 1;
}

static void counted(void)
{
    atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed);
}

/* Counts a block that came to life; passes NULL on. */
static void *born(void *p)
{
    if (p)
        atomic_fetch_add_explicit(&live, 1, memory_order_relaxed);
    return p;
}

/* By the C library aligned as max_align_t: calloc leaves fresh pages alone, memset would not. */
static void *zeroed(size_t alignment, size_t bytes)
{
    counted();
    if (!hook.allocate)
        return born(calloc(bytes, 1));
    void *p = hook.allocate(hook.user, alignment, bytes);
    if (p)
        memset(p, 0, bytes);
    return born(p);
}

clv_status clv_allocator_set(const clv_allocator *allocator)
{
    if (clv_alloc_live() > 0 || (allocator && !(allocator->allocate && allocator->resize && allocator->release)))
        return CLV_ERR_USAGE;
    hook = allocator ? *allocator : (clv_allocator){0};
    return CLV_OK;
}

void *clv_alloc(size_t count, size_t size)
{
    size_t bytes;
    return product(&bytes, count, size) ? zeroed(_Alignof(max_align_t), bytes) : NULL;
}

void *clv_resize(void *p, size_t count, size_t size)
{
    size_t bytes;
    if (!product(&bytes, count, size))
        return NULL;
    counted();
    void *moved = hook.allocate ? hook.resize(hook.user, p, bytes) : realloc(p, bytes);
    return p ? moved : born(moved);
}

void clv_free(void *p)
{
    if (!p)
        return;
    atomic_fetch_sub_explicit(&live, 1, memory_order_relaxed);
    if (hook.allocate)
        hook.release(hook.user, p);
    else
        free(p);
}

char *clv_copy_text(const char *text)
{
    size_t n = strlen(text) + 1;
    char *copy = clv_alloc(n, 1);
    if (copy)
        memcpy(copy, text, n);
    return copy;
}

long clv_alloc_count(void)
{
    return atomic_load_explicit(&allocations, memory_order_relaxed);
}

long clv_alloc_live(void)
{
    return atomic_load_explicit(&live, memory_order_relaxed);
}

/* Pages of 2 MiB for a large block, where the system has them on request.  An evaluation goes through all of a block;
 * with pages of 4 KiB it waits for their addresses. */
static void ask_for_large_pages(char *block, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    const uintptr_t page = (uintptr_t)1 << 21, begin = (uintptr_t)block;
    const size_t skip = (size_t)((page - begin % page) % page);
    if (!hook.allocate && bytes >= skip + 2 * page) /* a failure changes nothing */
        (void)madvise(block + skip, (bytes - skip) / page * page, MADV_HUGEPAGE);
#else
    (void)block, (void)bytes;
#endif
}

void clv_pages_release(void *from, size_t bytes)
{
#ifdef MADV_DONTNEED
    const uintptr_t page = (uintptr_t)1 << 16, begin = (uintptr_t)from; /* a multiple of all sizes of small pages */
    const size_t skip = (size_t)((page - begin % page) % page);
    if (hook.allocate || bytes < skip + page)
        return;
    char *first = (char *)from + skip;
    const size_t whole = (bytes - skip) / page * page;
#ifdef MADV_NOHUGEPAGE
    (void)madvise(first, whole, MADV_NOHUGEPAGE); /* a number here and there must not bring all of them again */
#endif
    (void)madvise(first, whole, MADV_DONTNEED);
#else
    (void)from, (void)bytes;
#endif
}

static int all_zero(const char *block, size_t bytes)
{
    return bytes == 0 || (block[0] == 0 && memcmp(block, block + 1, bytes - 1) == 0);
}

void clv_pages_release_zeros(void *from, size_t bytes)
{
    const size_t piece = (size_t)1 << 16, least = 4 * piece; /* many short ones would split the map of the process */
    char *begin = from, *end = begin + bytes, *zeros = begin;
    for (char *at = begin; at < end;) {
        const size_t n = (size_t)(end - at) < piece ? (size_t)(end - at) : piece;
        const int zero = all_zero(at, n);
        at += n;
        if (zero && at < end)
            continue;
        char *last = zero ? at : at - n;
        if ((size_t)(last - zeros) >= least)
            clv_pages_release(zeros, (size_t)(last - zeros));
        zeros = at;
    }
}

void clv_pages_trim(void)
{
#ifdef __GLIBC__
    (void)malloc_trim(0);
#endif
}

void clv_pages_apart(void)
{
#ifdef __GLIBC__
    (void)mallopt(M_MMAP_THRESHOLD, 1 << 17);
#endif
}

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
    const size_t room = hook.allocate ? 0 : ALIGN; /* to align the start by hand */
    a->base = NULL, a->block = NULL;
    if (a->used > SIZE_MAX / 2)
        return 0;
    const size_t bytes = (a->used ? a->used : ALIGN) + room;
    char *block = zeroed(ALIGN, bytes);
    if (!block)
        return 0;
    ask_for_large_pages(block, bytes);
    a->block = block;
    a->base = block + (ALIGN - (uintptr_t)block % ALIGN) % ALIGN;
    a->used = 0;
    return 1;
}

void clv_arena_close(clv_arena *a)
{
    clv_free(a->block);
    a->base = NULL, a->block = NULL;
}
