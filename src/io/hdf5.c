/* SPDX-License-Identifier: Apache-2.0
 * The writer of HDF5 files; see hdf5.h.  Sections of the specification are in brackets. */
#include "io/hdf5.h"
#include "base/memory.h"
#include <string.h>

enum { DATASPACE = 1, LINK_INFO = 2, DATATYPE = 3, FILL = 5, LINK = 6, LAYOUT = 8, GROUP_INFO = 10, ATTRIBUTE = 12 };
enum { PREFIX = 10 }; /* "OHDR", version, flags, length of 4 bytes */
static const uint64_t NOWHERE = UINT64_MAX;

static uint32_t turned(uint32_t x, int k)
{
    return x << k | x >> (32 - k);
}

static uint32_t word(const unsigned char *p, size_t n)
{
    uint32_t x = 0;
    for (size_t i = 0; i < 4 && i < n; ++i)
        x |= (uint32_t)p[i] << 8 * i;
    return x;
}

/* One step of the mixing: x and z change. */
static void mix(uint32_t *x, uint32_t *y, uint32_t *z, int k)
{
    *x -= *z;
    *x ^= turned(*z, k);
    *z += *y;
}

static void last(uint32_t *x, uint32_t y, int k)
{
    *x = (*x ^ y) - turned(y, k);
}

uint32_t clv_hdf5_sum(const unsigned char *p, size_t n)
{
    uint32_t a = 0xdeadbeefu + (uint32_t)n, b = a, c = a;
    for (; n > 12; n -= 12, p += 12) {
        a += word(p, 4), b += word(p + 4, 4), c += word(p + 8, 4);
        mix(&a, &b, &c, 4), mix(&b, &c, &a, 6), mix(&c, &a, &b, 8);
        mix(&a, &b, &c, 16), mix(&b, &c, &a, 19), mix(&c, &a, &b, 4);
    }
    if (n == 0)
        return c;
    a += word(p, n), b += n > 4 ? word(p + 4, n - 4) : 0, c += n > 8 ? word(p + 8, n - 8) : 0;
    last(&c, b, 14), last(&a, c, 11), last(&b, a, 25), last(&c, b, 16);
    last(&a, c, 4), last(&b, a, 14), last(&c, b, 24);
    return c;
}

/* ---------------------------------------------------------------- bytes */

static void bytes(clv_hdf5 *h, const void *data, size_t n)
{
    if (h->memory && h->n + n > h->room) {
        const size_t room = 2 * (h->n + n) + 256;
        unsigned char *more = clv_resize(h->head, room, 1);
        h->memory = more != NULL;
        if (more)
            h->head = more, h->room = room;
    }
    if (!h->memory)
        return;
    memcpy(h->head + h->n, data, n);
    h->n += n;
}

static void put(clv_hdf5 *h, uint64_t value, int n)
{
    unsigned char b[8];
    for (int i = 0; i < n; ++i)
        b[i] = (unsigned char)(value >> 8 * i);
    bytes(h, b, (size_t)n);
}

/* The header of a message (IV.A.1.b) of so many bytes. */
static void message(clv_hdf5 *h, int type, size_t size)
{
    put(h, (uint64_t)type, 1), put(h, size, 2), put(h, 0, 1);
}

/* ---------------------------------------------------------------- objects */

clv_hdf5 clv_hdf5_begin(FILE *out)
{
    const unsigned char zero[CLV_HDF5_FIRST] = {0};
    fwrite(zero, 1, sizeof zero, out);
    return (clv_hdf5){.out = out, .memory = true};
}

static void open_object(clv_hdf5 *h)
{
    h->n = 0;
    bytes(h, "OHDR", 4);
    put(h, 2, 1), put(h, 2, 1), put(h, 0, 4); /* version; length in 4 bytes; the length, later */
}

void clv_hdf5_group(clv_hdf5 *h)
{
    open_object(h);
    message(h, LINK_INFO, 18); /* (IV.A.2.c) links are messages */
    put(h, 0, 2), put(h, NOWHERE, 8), put(h, NOWHERE, 8);
    message(h, GROUP_INFO, 2); /* (IV.A.2.k) */
    put(h, 0, 2);
}

/* A dataspace (IV.A.2.b) of `rank` dimensions, 0: one value. */
static void space(clv_hdf5 *h, int rank, uint64_t rows, uint64_t columns)
{
    put(h, 2, 1), put(h, (uint64_t)rank, 1), put(h, 0, 1), put(h, rank > 0, 1);
    if (rank > 0)
        put(h, rows, 8);
    if (rank > 1)
        put(h, columns, 8);
}

void clv_hdf5_table(clv_hdf5 *h, uint64_t place, uint64_t rows, uint64_t columns)
{
    const int rank = columns > 0 ? 2 : 1;
    open_object(h);
    message(h, DATASPACE, 4 + 8 * (size_t)rank);
    space(h, rank, rows, columns);
    message(h, DATATYPE, 20); /* (IV.A.2.d) binary64, little endian */
    put(h, 0x11, 1), put(h, 0x20, 1), put(h, 63, 1), put(h, 0, 1), put(h, 8, 4);
    put(h, 0, 2), put(h, 64, 2), put(h, 52, 1), put(h, 11, 1), put(h, 0, 1), put(h, 52, 1), put(h, 1023, 4);
    message(h, FILL, 2); /* (IV.A.2.f) version 3: space late, fill values if set; none is */
    put(h, 3, 1), put(h, 0x0a, 1);
    message(h, LAYOUT, 18); /* (IV.A.2.i) contiguous */
    put(h, 3, 1), put(h, 1, 1), put(h, rows > 0 ? place : NOWHERE, 8);
    put(h, 8 * rows * (columns > 0 ? columns : 1), 8);
}

bool clv_hdf5_name(const char *name)
{
    return *name && strcmp(name, ".") != 0 && !strchr(name, '/') && strlen(name) < 32768;
}

void clv_hdf5_link(clv_hdf5 *h, const char *name, uint64_t place)
{
    const size_t n = strlen(name);
    message(h, LINK, 5 + n + 8); /* (IV.A.2.g) hard, UTF-8, length of the name in 2 bytes */
    put(h, 1, 1), put(h, 0x11, 1), put(h, 1, 1), put(h, n, 2);
    bytes(h, name, n);
    put(h, place, 8);
}

void clv_hdf5_text(clv_hdf5 *h, const char *name, const char *text)
{
    const size_t n = strlen(name) + 1, size = strlen(text) + 1;
    message(h, ATTRIBUTE, 9 + n + 8 + 4 + size); /* (IV.A.2.m) version 3, UTF-8 */
    put(h, 3, 1), put(h, 0, 1), put(h, n, 2), put(h, 8, 2), put(h, 4, 2), put(h, 1, 1);
    bytes(h, name, n);
    put(h, 0x13, 1), put(h, 0x10, 1), put(h, 0, 2), put(h, size, 4); /* a text that ends with 0 */
    space(h, 0, 0, 0);
    bytes(h, text, size);
}

uint64_t clv_hdf5_close(clv_hdf5 *h)
{
    const long at = ftell(h->out);
    const size_t length = h->n - PREFIX;
    if (!h->memory || at < 0)
        return NOWHERE;
    for (int i = 0; i < 4; ++i)
        h->head[6 + i] = (unsigned char)(length >> 8 * i);
    put(h, clv_hdf5_sum(h->head, h->n), 4);
    if (h->memory)
        fwrite(h->head, 1, h->n, h->out);
    return (uint64_t)at;
}

bool clv_hdf5_end(clv_hdf5 *h, uint64_t root)
{
    const long end = ftell(h->out);
    h->n = 0;
    bytes(h, "\x89HDF\r\n\x1a\n", 8); /* (II.B) version 2 */
    put(h, 2, 1), put(h, 8, 1), put(h, 8, 1), put(h, 0, 1);
    put(h, 0, 8), put(h, NOWHERE, 8), put(h, (uint64_t)end, 8), put(h, root, 8);
    if (h->memory)
        put(h, clv_hdf5_sum(h->head, h->n), 4);
    bool good = h->memory && end >= 0 && fseek(h->out, 0, SEEK_SET) == 0;
    if (good)
        good = fwrite(h->head, 1, h->n, h->out) == h->n && fseek(h->out, 0, SEEK_END) == 0;
    clv_free(h->head);
    *h = (clv_hdf5){0};
    return good;
}
