/* SPDX-License-Identifier: Apache-2.0
 * Memory handed back to the system in the middle of a program.  Where the system has no such call, and where the caller
 * gives the memory (clv_allocator_set), nothing happens. */
#ifndef CLV_BASE_PAGES_H
#define CLV_BASE_PAGES_H
#include <stddef.h>

/* Whole pages inside of a part of an arena.  The numbers there are lost: they are zero, or what they were.  The memory
 * stays usable: pages that are written to come again, small ones. */
void clv_pages_release(void *from, size_t bytes);
/* What was freed and the C library keeps. */
void clv_pages_trim(void);

#endif
