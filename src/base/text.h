/* SPDX-License-Identifier: Apache-2.0
 * Characters that act on a terminal: control characters (C0, DEL, C1), line and paragraph separators (U+2028, U+2029)
 * and those that turn the direction of text (U+202A to U+202E, U+2066 to U+2069).  Names may not hold them, and
 * whatever comes from a file is shown with them spelt out.
 */
#ifndef CLV_BASE_TEXT_H
#define CLV_BASE_TEXT_H
#include <stdbool.h>
#include <stddef.h>

enum { CLV_SHOWN = 8 }; /* bytes of one character as it is shown, with the end */

/* The first character of a text that is not empty: its bytes, and `shown` as it may be shown: itself, or \x1b, \u202e.
 * Bytes that are no UTF-8 are one character each. */
size_t clv_text_next(const char *text, char shown[CLV_SHOWN]);
/* Is every character of the text UTF-8 and without effect on a terminal? */
bool clv_text_plain(const char *text);

/* A text as one word of a shell: itself, or in single quotes where a shell would divide it or read it otherwise.
 * Quoted ones are in `to`; a text for which that has no room is returned as it is. */
enum { CLV_TEXT_WORD = 1024 };
const char *clv_text_word(const char *text, char to[CLV_TEXT_WORD]);

/* A decimal number with a point, whatever the caller's locale; *end as of strtod: `text` if there is none, or a
 * hexadecimal one. */
double clv_text_number(const char *text, const char **end);

#endif
