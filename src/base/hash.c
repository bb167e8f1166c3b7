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

uint64_t clv_hash(uint64_t h, const void *bytes, size_t size)
{
    const unsigned char *p = bytes;
    size_t i = 0;
    for (; i + 8 <= size; i += 8)
        h = mix(h, (uint64_t)p[i] | (uint64_t)p[i + 1] << 8 | (uint64_t)p[i + 2] << 16 | (uint64_t)p[i + 3] << 24 |
                       (uint64_t)p[i + 4] << 32 | (uint64_t)p[i + 5] << 40 | (uint64_t)p[i + 6] << 48 |
                       (uint64_t)p[i + 7] << 56);
    return i < size ? mix(h, word_of(p + i, size - i)) : h;
}

uint64_t clv_hash_text(uint64_t h, const char *text)
{
    size_t n = text ? strlen(text) : 0;
    h = mix(h, text ? (uint64_t)n : UINT64_MAX);
    return clv_hash(h, text ? text : "", n);
}
