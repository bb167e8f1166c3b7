/* SPDX-License-Identifier: Apache-2.0
 * The names of a model's items, and one hash table of them per category, so that adding 10^5 items stays O(n). */
#ifndef CLV_MODEL_NAMES_H
#define CLV_MODEL_NAMES_H
#include "model/keep.h"

typedef enum clv_category {
    CLV_NAME_BODY, CLV_NAME_JOINT, CLV_NAME_FORCE, CLV_NAME_MOTION, CLV_NAME_COUPLING, CLV_NAME_MARKER, CLV_NAME_BRANCH,
    CLV_NAME_INPUT, CLV_NAME_EVENT, CLV_NAME_VISUAL, CLV_NAME_SHAPE,
    CLV_NAME_CATEGORIES
} clv_category;

typedef struct clv_names clv_names;

/* Names lie in the memory `text`, which outlives the index; NULL when out of memory. */
clv_names *clv_names_create(clv_keep *text);
void clv_names_destroy(clv_names *names);
int clv_names_find(const clv_names *names, clv_category category, const char *name); /* index, or -1 */
/* A copy of a name not yet present, which lives as long as `text`; NULL when out of memory.  index: how many items
 * the category has. */
char *clv_names_add(clv_names *names, clv_category category, const char *name, int index);
/* Names of this category are not looked up any more: none is found. */
void clv_names_forget(clv_names *names, clv_category category);
/* A copy of a name that is not looked up, which lives as long; NULL when out of memory. */
char *clv_names_keep(clv_names *names, const char *name);

#endif
