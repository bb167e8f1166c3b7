/* SPDX-License-Identifier: Apache-2.0
 * Open addressing with linear probing over powers of two, at most half full, FNV-1a hash.  Nothing is ever removed.
 * A slot has the number of an item alone, and names lie one after the other in the blocks of the model. */
#include "model/names.h"

#include "base/memory.h"

#include <stdint.h>
#include <string.h>

typedef struct table {
    int *slot;         /* (size) item + 1; 0: empty          */
    const char **name; /* (room) of the items                */
    size_t size, used; /* size: power of two, or 0           */
    size_t room;
} table;

struct clv_names {
    table table[CLV_NAME_CATEGORIES];
    clv_keep *text;
};

static size_t hash(const char *name)
{
    uint64_t h = 14695981039346656037u;
    for (; *name; name++)
        h = (h ^ (unsigned char)*name) * 1099511628211u;
    return (size_t)(h ^ h >> 32);
}

/* The slot of this name, or the empty one where it belongs.  The table has an empty slot. */
static int *locate(const table *t, const char *name)
{
    size_t i = hash(name) & (t->size - 1);
    while (t->slot[i] && strcmp(t->name[t->slot[i] - 1], name) != 0)
        i = (i + 1) & (t->size - 1);
    return &t->slot[i];
}

/* twice the slots */
static bool grow(table *t)
{
    table larger = *t;
    larger.size = t->size ? 2 * t->size : 16;
    larger.slot = clv_alloc(larger.size, sizeof *larger.slot);
    if (!larger.slot)
        return false;
    for (size_t i = 0; i < t->size; i++)
        if (t->slot[i])
            *locate(&larger, t->name[t->slot[i] - 1]) = t->slot[i];
    clv_free(t->slot);
    *t = larger;
    return true;
}

/* room for the name of an item */
static bool extend(table *t, size_t item)
{
    if (item < t->room)
        return true;
    const size_t room = 2 * item > 16 ? 2 * item : 16;
    const char **name = clv_resize(t->name, room, sizeof *name);
    if (!name)
        return false;
    t->name = name, t->room = room;
    return true;
}

clv_names *clv_names_create(clv_keep *text)
{
    clv_names *names = clv_alloc(1, sizeof(clv_names));
    if (names)
        names->text = text;
    return names;
}

void clv_names_destroy(clv_names *names)
{
    if (!names)
        return;
    for (int k = 0; k < CLV_NAME_CATEGORIES; k++)
        clv_free(names->table[k].slot), clv_free(names->table[k].name);
    clv_free(names);
}

int clv_names_find(const clv_names *names, clv_category category, const char *name)
{
    const table *t = &names->table[category];
    return t->size == 0 ? -1 : *locate(t, name) - 1;
}

void clv_names_forget(clv_names *names, clv_category category)
{
    table *t = &names->table[category];
    clv_free(t->slot), clv_free(t->name);
    *t = (table){.slot = NULL};
}

char *clv_names_keep(clv_names *names, const char *name)
{
    const size_t n = strlen(name) + 1;
    char *to = clv_keep_take(names->text, n, false);
    return to ? memcpy(to, name, n) : NULL;
}

char *clv_names_add(clv_names *names, clv_category category, const char *name, int index)
{
    table *t = &names->table[category];
    if (2 * (t->used + 1) > t->size && !grow(t))
        return NULL;
    if (!extend(t, (size_t)index))
        return NULL;
    char *copy = clv_names_keep(names, name);
    if (!copy)
        return NULL;
    t->name[index] = copy;
    *locate(t, copy) = index + 1;
    t->used++;
    return copy;
}
