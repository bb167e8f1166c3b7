/* SPDX-License-Identifier: Apache-2.0
 * The only place that allocates; clv_allocator_set chooses by what.  Small objects: clv_alloc / clv_resize / clv_free.
 * Numeric state: an arena whose layout function runs twice, first counting (base == NULL), then carving one aligned,
 * zeroed block.  Pages of a large block that nobody writes to take no memory where the system maps pages when they are
 * first touched. */
#ifndef CLV_BASE_MEMORY_H
#define CLV_BASE_MEMORY_H
#include "cleave/cleave.h"
#include <stddef.h>

void *clv_alloc(size_t count, size_t size);            /* zeroed; NULL when out of memory or on overflow   */
void *clv_resize(void *p, size_t count, size_t size);  /* not zeroed beyond the old size                  */
void clv_free(void *p);
char *clv_copy_text(const char *text);                 /* NULL when out of memory                         */
long clv_alloc_count(void);                            /* allocations so far in this process (for tests)   */
long clv_alloc_live(void);                             /* blocks not freed yet in this process (for tests) */

typedef struct clv_arena {
    char *base;   /* NULL while counting              */
    size_t used;  /* bytes                            */
    void *block;  /* as allocated, before its alignment */
} clv_arena;

void *clv_arena_take(clv_arena *a, size_t count, size_t size); /* 64-byte aligned; NULL while counting */
#define CLV_TAKE(a, pointer, count) ((pointer) = clv_arena_take((a), (size_t)(count), sizeof *(pointer)))
/* Allocates the counted block: returns 0 on failure. */
int clv_arena_open(clv_arena *a);
/* Gives the block back; nothing to do on an arena that was never opened. */
void clv_arena_close(clv_arena *a);

#endif
