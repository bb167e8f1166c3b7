/* SPDX-License-Identifier: Apache-2.0
 * Writes one JSON value to a stream: objects, arrays, text, numbers.  Numbers have the fewest digits that read back to
 * the same double (17 at most); NaN and infinities become null.  Inside an object every call takes a key; inside an
 * array the key is NULL.  Nesting is at most CLV_JSON_DEPTH. */
#ifndef CLV_CLI_JSON_H
#define CLV_CLI_JSON_H
#include <stdbool.h>
#include <stdio.h>

#define CLV_JSON_DEPTH 16

typedef struct clv_json {
    FILE *out;
    bool tight; /* on one line without blanks, '<' in texts as \\u003c: for an element of a page */
    int depth;
    char close[CLV_JSON_DEPTH]; /* '}' or ']' of the open values         */
    bool some[CLV_JSON_DEPTH];  /* has the open value members already?   */
} clv_json;

clv_json clv_json_begin(FILE *out);
clv_json clv_json_begin_tight(FILE *out);
void clv_json_object(clv_json *j, const char *key);
void clv_json_array(clv_json *j, const char *key);
void clv_json_end(clv_json *j); /* closes the innermost object or array; the outermost with a newline */
void clv_json_text(clv_json *j, const char *key, const char *value);
void clv_json_number(clv_json *j, const char *key, double value);
void clv_json_integer(clv_json *j, const char *key, long long value);
void clv_json_bool(clv_json *j, const char *key, bool value);
void clv_json_numbers(clv_json *j, const char *key, const double *value, int n);
/* The shortest decimal form of a finite number; `text` holds 32 characters. */
const char *clv_json_shortest(char text[32], double value);

#endif
