/* SPDX-License-Identifier: Apache-2.0
 * Numbers as base64 in a stream, the lowest byte first. */
#ifndef CLV_CLI_BASE64_H
#define CLV_CLI_BASE64_H
#include <stdint.h>
#include <stdio.h>

/* Begin with {.out = stream}; errors stay in the stream. */
typedef struct clv_base64 {
    FILE *out;
    unsigned char left[3];
    int n;
} clv_base64;

/* The bytes of an unsigned number, the lowest first. */
void clv_base64_bytes(clv_base64 *b, uint64_t bits, int bytes);
void clv_base64_single(clv_base64 *b, double value);
void clv_base64_double(clv_base64 *b, double value);
/* The rest, with its padding. */
void clv_base64_end(clv_base64 *b);

#endif
