/* SPDX-License-Identifier: Apache-2.0
 * Names to numbers, with its own copies of the names: what the reader must look up and the model does not know. */
#ifndef CLV_IO_YAML_READ_MAP_H
#define CLV_IO_YAML_READ_MAP_H
#include <stdbool.h>
#include <stddef.h>

typedef struct clv_map_slot {
    size_t key; /* offset in the pool + 1; 0: free */
    size_t value;
} clv_map_slot;

typedef struct clv_map {
    clv_map_slot *slot;
    size_t nslot, count; /* nslot: a power of two, or 0 */
    char *pool;
    size_t used, capacity;
} clv_map;

/* True and *value if present. */
bool clv_map_find(const clv_map *m, const char *name, size_t *value);
/* Adds a name not yet present; false when out of memory. */
bool clv_map_add(clv_map *m, const char *name, size_t value);
void clv_map_free(clv_map *m);

#endif
