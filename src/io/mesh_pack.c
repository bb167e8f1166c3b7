/* SPDX-License-Identifier: Apache-2.0
 * A mesh with points on a grid; see mesh_pack.h.  Points are found by their cell in a table with open addresses. */
#include "io/mesh_pack.h"
#include "base/memory.h"
#include <math.h>
#include <string.h>

enum { STEPS = 65535 };

double clv_mesh_extent(const clv_mesh *m, double low[3], double high[3])
{
    double extent = 0;
    for (int k = 0; k < 3; k++) {
        double least = INFINITY, most = -INFINITY;
        for (size_t i = 0; i < m->npoint; i++) {
            least = fmin(least, m->point[3 * i + (size_t)k]);
            most = fmax(most, m->point[3 * i + (size_t)k]);
        }
        low[k] = m->npoint > 0 ? least : 0;
        high[k] = m->npoint > 0 ? most : 0;
        extent = fmax(extent, high[k] - low[k]);
    }
    return extent;
}

typedef struct table {
    uint64_t *key;   /* cell + 1; 0: free */
    unsigned *value; /* its point         */
    size_t mask;
} table;

static bool open_table(table *t, size_t n)
{
    size_t size = 64;
    while (size < 2 * n)
        size *= 2;
    t->key = clv_alloc(size, sizeof *t->key);
    t->value = clv_alloc(size, sizeof *t->value);
    t->mask = size - 1;
    return t->key && t->value;
}

/* Where the cell stands, or a free place for it. */
static size_t place_of(const table *t, uint64_t key)
{
    uint64_t h = key * 0x9e3779b97f4a7c15u;
    size_t i = (size_t)(h >> 20) & t->mask;
    while (t->key[i] != 0 && t->key[i] != key)
        i = (i + 1) & t->mask;
    return i;
}

/* The point that stands for this one. */
static unsigned find_point(clv_packed_mesh *p, table *t, const double *x, double cell)
{
    uint64_t key = 0;
    for (int k = 0; k < 3; k++)
        key = key << 17 | (uint64_t)floor((x[k] - p->low[k]) / cell + 0.5);
    const size_t i = place_of(t, key + 1);
    if (t->key[i] == 0) {
        t->key[i] = key + 1, t->value[i] = (unsigned)p->npoint;
        for (int k = 0; k < 3; k++)
            p->point[3 * p->npoint + (size_t)k] = (uint16_t)fmin(STEPS, floor((x[k] - p->low[k]) / p->step + 0.5));
        p->npoint++;
    }
    return t->value[i];
}

bool clv_mesh_pack(clv_packed_mesh *p, const clv_mesh *m, double cell)
{
    table t = {0};
    *p = (clv_packed_mesh){0};
    const double extent = clv_mesh_extent(m, p->low, p->high);
    p->step = extent > 0 ? extent / STEPS : 1;
    cell = fmax(cell, p->step);
    p->point = clv_alloc(3 * m->npoint + 1, sizeof *p->point);
    p->corner = clv_alloc(m->ncorner + 1, sizeof *p->corner);
    const bool good = open_table(&t, m->npoint) && p->point && p->corner;
    for (size_t i = 0; i + 2 < m->ncorner && good; i += 3) {
        unsigned c[3];
        for (size_t k = 0; k < 3; k++)
            c[k] = find_point(p, &t, m->point + 3 * (size_t)m->corner[i + k], cell);
        if (c[0] == c[1] || c[1] == c[2] || c[2] == c[0])
            continue;
        memcpy(p->corner + p->ncorner, c, sizeof c);
        p->ncorner += 3;
    }
    clv_free(t.key), clv_free(t.value);
    return good;
}

void clv_packed_mesh_free(clv_packed_mesh *p)
{
    clv_free(p->point), clv_free(p->corner);
    *p = (clv_packed_mesh){0};
}
