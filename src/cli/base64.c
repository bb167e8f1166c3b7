/* SPDX-License-Identifier: Apache-2.0
 * Numbers as base64; see base64.h. */
#include "cli/base64.h"
#include <string.h>

static void put_group(clv_base64 *b)
{
    static const char letter[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned bits = (unsigned)b->left[0] << 16 | (unsigned)b->left[1] << 8 | b->left[2];
    for (int k = 0; k < 4; ++k)
        putc(k <= b->n ? letter[bits >> (18 - 6 * k) & 63] : '=', b->out);
    memset(b->left, 0, 3);
    b->n = 0;
}

void clv_base64_bytes(clv_base64 *b, uint64_t bits, int bytes)
{
    for (int k = 0; k < bytes; ++k) {
        b->left[b->n++] = (unsigned char)(bits >> (8 * k));
        if (b->n == 3)
            put_group(b);
    }
}

void clv_base64_single(clv_base64 *b, double value)
{
    const float x = (float)value;
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    clv_base64_bytes(b, bits, 4);
}

void clv_base64_double(clv_base64 *b, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    clv_base64_bytes(b, bits, 8);
}

void clv_base64_end(clv_base64 *b)
{
    if (b->n > 0)
        put_group(b);
}
