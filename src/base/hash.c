/* SPDX-License-Identifier: Apache-2.0
 * The hash; see hash.h.  Words are put together byte by byte, which compilers turn into a load: the result does not
 * depend on the byte order of the machine. */
#include "base/hash.h"
#include <string.h>

static uint64_t mix(uint64_t h, uint64_t word)
{
    h = (h ^ word) * 1099511628211u;
    return h ^ h >> 29;
}

static uint64_t word_of(const unsigned char *p, size_t n)
{
    uint64_t word = 0;
    for (size_t i = 0; i < n; i++)
        word |= (uint64_t)p[i] << 8 * i;
    return word;
}

static uint64_t half_of(const unsigned char *p)
{
    return (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 | (uint64_t)p[3] << 24;
}

uint64_t clv_hash(uint64_t h, const void *bytes, size_t size)
{
    const unsigned char *p = bytes;
    for (; size >= 8; p += 8, size -= 8)
        h = mix(h, half_of(p) | half_of(p + 4) << 32);
    if (size == 4) /* most fields that are no double */
        return mix(h, half_of(p));
    return size > 0 ? mix(h, word_of(p, size)) : h;
}

uint64_t clv_hash_text(uint64_t h, const char *text)
{
    size_t n = text ? strlen(text) : 0;
    h = mix(h, text ? (uint64_t)n : UINT64_MAX);
    return clv_hash(h, text ? text : "", n);
}
