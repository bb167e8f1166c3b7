/* SPDX-License-Identifier: Apache-2.0
 * Saved states of an instance; see unit.h.  All that follows depends on is in the block:
 *
 *   head | values (n) | values at the start (n) | state that is due (nstate) | which were set (n) |
 *   the simulation
 *
 * Setting a state makes a new simulation and loads it, so that what follows has the same bits. */
#include "fmu/unit.h"
#include "base/hash.h"
#include "base/memory.h"
#include <math.h>
#include <string.h>

typedef struct head {
    char mark[8];
    uint64_t size, sum; /* of the block; of what is behind the head, and of the rest of it */
    uint64_t n, saved;  /* variables; bytes of the simulation, 0: there is none            */
    double start, stop, tolerance, time;
    int64_t mode, due;
} head;

static uint64_t sum_of(const head *h, const unsigned char *data)
{
    head same = *h;
    same.sum = 0;
    return clv_hash(clv_hash(CLV_HASH_START, &same, sizeof same), data + sizeof same, h->size - sizeof same);
}

static size_t numbers(const unit *u) { return 2 * (size_t)u->table.n + (size_t)u->nstate; }

unit_status unit_save(unit *u, unit_bytes **saved)
{
    const size_t n = (size_t)u->table.n, bytes = u->sim ? clv_sim_saved_size(u->sim) : 0;
    if (u->sim && bytes == 0)
        return unit_fail(u, "this state cannot be saved: the integrator bdf allows no copies");
    head h;
    memset(&h, 0, sizeof h);
    memcpy(h.mark, "cleavefm", sizeof h.mark);
    h.size = sizeof h + numbers(u) * sizeof(double) + n + bytes, h.n = n, h.saved = bytes;
    h.start = u->start, h.stop = u->stop, h.tolerance = u->tolerance, h.time = u->time;
    h.mode = u->mode, h.due = u->due;
    if (*saved && (*saved)->size != h.size)
        unit_forget(saved);
    if (!*saved)
        *saved = clv_alloc(1, sizeof **saved + h.size);
    if (!*saved)
        return unit_fail(u, "out of memory");
    (*saved)->size = h.size;
    unsigned char *to = (*saved)->data, *p = to + sizeof h;
    memcpy(p, u->value, n * sizeof(double)), p += n * sizeof(double);
    memcpy(p, u->origin, n * sizeof(double)), p += n * sizeof(double);
    memcpy(p, u->closed, (size_t)u->nstate * sizeof(double)), p += (size_t)u->nstate * sizeof(double);
    for (size_t i = 0; i < n; i++)
        *p++ = u->given[i];
    if (bytes > 0) {
        unsigned char *block = clv_alloc(bytes, 1); /* aligned, as the library writes it */
        if (!block)
            return unit_fail(u, "out of memory");
        clv_sim_save(u->sim, block);
        memcpy(p, block, bytes);
        clv_free(block);
    }
    memcpy(to, &h, sizeof h);
    h.sum = sum_of(&h, to);
    memcpy(to, &h, sizeof h);
    return UNIT_OK;
}

static unit_status load_simulation(unit *u, const unsigned char *data, size_t size)
{
    if (size == 0)
        return UNIT_OK;
    unsigned char *block = clv_alloc(size, 1);
    if (!block)
        return unit_fail(u, "out of memory");
    memcpy(block, data, size);
    unit_status status = unit_make(u);
    if (status == UNIT_OK && clv_sim_load(u->sim, block, size) != CLV_OK)
        status = unit_fail_with(u, clv_sim_error(u->sim));
    clv_free(block);
    return status;
}

unit_status unit_load(unit *u, const unsigned char *data, size_t size)
{
    const size_t n = (size_t)u->table.n;
    head h;
    if (!data || size < sizeof h)
        return unit_fail(u, "these bytes are not a saved state of a unit");
    memcpy(&h, data, sizeof h);
    if (memcmp(h.mark, "cleavefm", sizeof h.mark) != 0 || h.size != size || h.n != n || h.saved > size ||
        size != sizeof h + numbers(u) * sizeof(double) + n + h.saved || h.sum != sum_of(&h, data))
        return unit_fail(u, "these bytes are not a saved state of this unit, or they are damaged");
    unit_unmake(u);
    const unsigned char *p = data + sizeof h;
    memcpy(u->value, p, n * sizeof(double)), p += n * sizeof(double);
    memcpy(u->origin, p, n * sizeof(double)), p += n * sizeof(double);
    memcpy(u->closed, p, (size_t)u->nstate * sizeof(double)), p += (size_t)u->nstate * sizeof(double);
    for (size_t i = 0; i < n; i++)
        u->given[i] = p[i] != 0;
    u->start = h.start, u->stop = h.stop, u->tolerance = h.tolerance, u->time = h.time;
    const unit_status status = load_simulation(u, p + n, (size_t)h.saved);
    u->mode = status == UNIT_OK ? (int)h.mode : UNIT_FAILED;
    u->due = h.due != 0;
    return status;
}

void unit_forget(unit_bytes **saved)
{
    clv_free(*saved);
    *saved = NULL;
}

unit_status unit_copy_out(const unit *u, const unit_bytes *saved, unsigned char *bytes, size_t size)
{
    if (!saved || !bytes)
        return unit_fail(u, "the pointer to a saved state or to its buffer is NULL");
    if (size < saved->size)
        return unit_fail(u, "the saved state has %zu bytes, the buffer %zu", saved->size, size);
    memcpy(bytes, saved->data, saved->size);
    return UNIT_OK;
}

unit_status unit_copy_in(const unit *u, unit_bytes **saved, const unsigned char *bytes, size_t size)
{
    if (!saved || !bytes || size > SIZE_MAX / 2)
        return unit_fail(u, "the pointer to the bytes or to the new state is NULL, or there are too many bytes");
    if (*saved && (*saved)->size != size)
        unit_forget(saved);
    if (!*saved)
        *saved = clv_alloc(1, sizeof **saved + size);
    if (!*saved)
        return unit_fail(u, "out of memory");
    (*saved)->size = size;
    memcpy((*saved)->data, bytes, size);
    return UNIT_OK;
}
