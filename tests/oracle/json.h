/* SPDX-License-Identifier: Apache-2.0
 * A small JSON reader for the tests' reference files: the whole file becomes a tree.  Not for untrusted input. */
#ifndef ORACLE_JSON_H
#define ORACLE_JSON_H

typedef enum json_kind {
    JSON_NULL,
    JSON_FALSE,
    JSON_TRUE,
    JSON_NUMBER,
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT
} json_kind;

typedef struct json {
    json_kind kind;
    double number;
    char *text;        /* string; of a member of an object: `key` is its name */
    char *key;
    int count;         /* members of an array or object                       */
    struct json *item;
} json;

json *json_read(const char *path);      /* NULL: no such file or not JSON     */
void json_destroy(json *j);
const json *json_get(const json *j, const char *key); /* NULL if absent or j is no object */
/* Numbers of a possibly nested array in order; returns how many there are, writes at most n. */
int json_numbers(const json *j, double *x, int n);
#endif
