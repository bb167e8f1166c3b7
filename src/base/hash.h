/* SPDX-License-Identifier: Apache-2.0
 * A hash of 64 bits over bytes, against damage and mix-ups, not against malice: FNV-1a over little-endian words of
 * eight bytes, each followed by a shift.  Every step is a bijection of the hash, so a change within one word always
 * changes the result.  Used for checkpoints, models and run files (docs/run-file.md states it). */
#ifndef CLV_BASE_HASH_H
#define CLV_BASE_HASH_H
#include <stddef.h>
#include <stdint.h>

#define CLV_HASH_START 1469598103934665603u

/* The hash `h` of what came before, continued by `size` bytes; a rest of fewer than eight is padded with zeros. */
uint64_t clv_hash(uint64_t h, const void *bytes, size_t size);
/* The same with the length first, so that a text cannot run into the next; NULL counts as none. */
uint64_t clv_hash_text(uint64_t h, const char *text);

#endif
