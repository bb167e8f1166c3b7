/* SPDX-License-Identifier: Apache-2.0
 * Memory handed back to the system in the middle of a program.  Where the system has no such call, and where the caller
 * gives the memory (clv_allocator_set), nothing happens. */
#ifndef CLV_BASE_PAGES_H
#define CLV_BASE_PAGES_H
#include <stddef.h>

/* Whole pages inside of a part of an arena.  The numbers there are lost: they are zero, or what they were.  The memory
 * stays usable: pages that are written to come again, small ones. */
void clv_pages_release(void *from, size_t bytes);
/* The same where all numbers are zero, in stretches that are long enough to pay: they stay zero. */
void clv_pages_release_zeros(void *from, size_t bytes);
/* What was freed and the C library keeps. */
void clv_pages_trim(void);
/* From now on blocks of 128 KiB or more come from the system one by one and go back to it when they are freed.  Else
 * glibc raises this size to that of the largest block that was freed, up to 32 MiB.  It uses parts of freed blocks
 * again, and calloc writes zeros to all of their pages.  For programs: it holds for the whole process. */
void clv_pages_apart(void);

#endif
