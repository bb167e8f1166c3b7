/* SPDX-License-Identifier: Apache-2.0
 * Open addressing with linear probing over powers of two, at most half full, FNV-1a hash.  Nothing is ever removed. */
#include "model/names.h"

#include "base/memory.h"

#include <stdint.h>
#include <string.h>

typedef struct slot {
    const char *name; /* NULL: empty */
    int index;
} slot;

typedef struct table {
    slot *slot;
    size_t size, used; /* size: power of two, or 0 */
} table;

struct clv_names {
    table table[CLV_NAME_CATEGORIES];
};

static size_t hash(const char *name)
{
    uint64_t h = 14695981039346656037u;
    for (; *name; name++)
        h = (h ^ (unsigned char)*name) * 1099511628211u;
    return (size_t)(h ^ h >> 32);
}

/* The slot of this name, or the empty one where it belongs.  The table has an empty slot. */
static slot *locate(const table *t, const char *name)
{
    size_t i = hash(name) & (t->size - 1);
    while (t->slot[i].name && strcmp(t->slot[i].name, name) != 0)
        i = (i + 1) & (t->size - 1);
    return &t->slot[i];
}

static int grow(table *t)
{
    table larger = {.size = t->size ? 2 * t->size : 16, .used = t->used};
    larger.slot = clv_alloc(larger.size, sizeof *larger.slot);
    if (!larger.slot)
        return 0;
    for (size_t i = 0; i < t->size; i++)
        if (t->slot[i].name)
            *locate(&larger, t->slot[i].name) = t->slot[i];
    clv_free(t->slot);
    *t = larger;
    return 1;
}

clv_names *clv_names_create(void) { return clv_alloc(1, sizeof(clv_names)); }

void clv_names_destroy(clv_names *names)
{
    if (!names)
        return;
    for (int k = 0; k < CLV_NAME_CATEGORIES; k++)
        clv_free(names->table[k].slot);
    clv_free(names);
}

int clv_names_find(const clv_names *names, clv_category category, const char *name)
{
    const table *t = &names->table[category];
    if (t->size == 0)
        return -1;
    const slot *s = locate(t, name);
    return s->name ? s->index : -1;
}

int clv_names_add(clv_names *names, clv_category category, const char *name, int index)
{
    table *t = &names->table[category];
    if (2 * (t->used + 1) > t->size && !grow(t))
        return 0;
    slot *s = locate(t, name);
    s->name = name;
    s->index = index;
    t->used++;
    return 1;
}
