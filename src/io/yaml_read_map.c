/* SPDX-License-Identifier: Apache-2.0
 * Open addressing with linear steps; at most half full.  Offsets instead of pointers: the pool may move. */
#include "io/yaml_read_map.h"
#include "base/memory.h"
#include <string.h>

static size_t hash(const char *name)
{
    unsigned long long h = 1469598103934665603ULL; /* FNV-1a */
    for (; *name; ++name)
        h = (h ^ (unsigned char)*name) * 1099511628211ULL;
    return (size_t)(h ^ (h >> 29));
}

static clv_map_slot *seek(const clv_map *m, const char *name)
{
    size_t k = hash(name) & (m->nslot - 1);
    while (m->slot[k].key && strcmp(m->pool + m->slot[k].key - 1, name) != 0)
        k = (k + 1) & (m->nslot - 1);
    return &m->slot[k];
}

bool clv_map_find(const clv_map *m, const char *name, size_t *value)
{
    clv_map_slot *s = m->nslot ? seek(m, name) : NULL;
    if (!s || !s->key)
        return false;
    *value = s->value;
    return true;
}

static bool widen(clv_map *m)
{
    clv_map wider = *m;
    wider.nslot = m->nslot ? 2 * m->nslot : 64;
    wider.slot = clv_alloc(wider.nslot, sizeof *wider.slot);
    if (!wider.slot)
        return false;
    for (size_t k = 0; k < m->nslot; ++k)
        if (m->slot[k].key)
            *seek(&wider, m->pool + m->slot[k].key - 1) = m->slot[k];
    clv_free(m->slot);
    *m = wider;
    return true;
}

bool clv_map_add(clv_map *m, const char *name, size_t value)
{
    size_t length = strlen(name) + 1;
    if (2 * (m->count + 1) > m->nslot && !widen(m))
        return false;
    if (m->used + length > m->capacity) {
        size_t capacity = 2 * m->capacity + length + 256;
        char *pool = clv_resize(m->pool, capacity, 1);
        if (!pool)
            return false;
        m->pool = pool;
        m->capacity = capacity;
    }
    clv_map_slot *s = seek(m, name);
    memcpy(m->pool + m->used, name, length);
    s->key = m->used + 1;
    s->value = value;
    m->used += length;
    m->count++;
    return true;
}

void clv_map_free(clv_map *m)
{
    clv_free(m->slot);
    clv_free(m->pool);
    *m = (clv_map){0};
}
