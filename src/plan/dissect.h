/* SPDX-License-Identifier: Apache-2.0
 * Nested dissection of a graph of parts (T172); see dissect.c. */
#ifndef CLV_PLAN_DISSECT_H
#define CLV_PLAN_DISSECT_H
#include <stdbool.h>

typedef struct clv_part_graph {
    int n;
    int *first, *to, *rows; /* (n + 1); neighbours; rows of the edges between: each edge in both directions */
} clv_part_graph;

/* Halves regions until they have `least` parts or fewer.  region (n): that of each part.  The order of joins is in
 * word (*nword, less than 2 n): a region, or -1 for a join of the last two results.  False: out of memory. */
bool clv_dissect(const clv_part_graph *all, int least, int *region, int *word, int *nword);

#endif
