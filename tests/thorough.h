/* SPDX-License-Identifier: Apache-2.0
 * How much of a long test runs.  The everyday run takes a part that can catch the same mistakes; where CLEAVE_THOROUGH
 * is set (.ci/run --full) all of it runs.  CLEAVE_RANDOM sets the number of random systems. */
#ifndef CLV_TESTS_THOROUGH_H
#define CLV_TESTS_THOROUGH_H
#include <stdbool.h>
#include <stdlib.h>

static inline bool thorough(void) { return getenv("CLEAVE_THOROUGH") != NULL; }

/* number of random systems: all of them, or every day some */
static inline int random_count(int all, int some)
{
    const char *text = getenv("CLEAVE_RANDOM");
    return text ? atoi(text) : thorough() ? all : some;
}

#endif
