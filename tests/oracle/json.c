/* SPDX-License-Identifier: Apache-2.0
 * Recursive descent over a file held in memory; see json.h. */
#include "oracle/json.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct reader {
    const char *at;
    int failed;
} reader;

static void skip(reader *r)
{
    while (isspace((unsigned char)*r->at))
        r->at++;
}

static int take(reader *r, char c)
{
    skip(r);
    if (*r->at != c)
        return 0;
    r->at++;
    return 1;
}

static char *string(reader *r)
{
    const char *start = r->at;
    while (*r->at && *r->at != '"')
        r->at += *r->at == '\\' && r->at[1] ? 2 : 1;
    size_t n = (size_t)(r->at - start);
    char *s = malloc(n + 1);
    if (!s || *r->at != '"') {
        r->failed = 1;
        free(s);
        return NULL;
    }
    memcpy(s, start, n); /* escapes stay as they are */
    s[n] = 0;
    r->at++;
    return s;
}

static void value(reader *r, json *j);

static void members(reader *r, json *j, char end, int keys)
{
    if (take(r, end))
        return;
    do {
        if ((j->count & (j->count - 1)) == 0) { /* grow at 0, 1, 2, 4, ... */
            json *more = realloc(j->item, sizeof *more * (size_t)(j->count ? 2 * j->count : 1));
            if (!more) {
                r->failed = 1;
                return;
            }
            j->item = more;
        }
        json *item = &j->item[j->count++];
        memset(item, 0, sizeof *item);
        if (keys) {
            if (!take(r, '"'))
                r->failed = 1;
            else
                item->key = string(r);
            if (!take(r, ':'))
                r->failed = 1;
        }
        if (!r->failed)
            value(r, item);
    } while (!r->failed && take(r, ','));
    if (!r->failed && !take(r, end))
        r->failed = 1;
}

static void word(reader *r, json *j, const char *text, json_kind kind)
{
    size_t n = strlen(text);
    if (strncmp(r->at, text, n) != 0)
        r->failed = 1;
    else
        r->at += n;
    j->kind = kind;
}

static void value(reader *r, json *j)
{
    skip(r);
    switch (*r->at) {
    case '{':
        r->at++;
        j->kind = JSON_OBJECT;
        members(r, j, '}', 1);
        break;
    case '[':
        r->at++;
        j->kind = JSON_ARRAY;
        members(r, j, ']', 0);
        break;
    case '"':
        r->at++;
        j->kind = JSON_STRING;
        j->text = string(r);
        break;
    case 't':
        word(r, j, "true", JSON_TRUE);
        break;
    case 'f':
        word(r, j, "false", JSON_FALSE);
        break;
    case 'n':
        word(r, j, "null", JSON_NULL);
        break;
    default: {
        char *end;
        j->kind = JSON_NUMBER;
        j->number = strtod(r->at, &end);
        r->failed |= end == r->at;
        r->at = end;
    }
    }
}

static void clear(json *j)
{
    for (int i = 0; i < j->count; i++)
        clear(&j->item[i]);
    free(j->item);
    free(j->text);
    free(j->key);
}

void json_destroy(json *j)
{
    if (!j)
        return;
    clear(j);
    free(j);
}

static char *load(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return NULL;
    size_t n = 0, room = 1 << 16;
    char *text = malloc(room + 1);
    while (text) {
        n += fread(text + n, 1, room - n, f);
        if (n < room)
            break;
        char *more = realloc(text, 2 * room + 1);
        if (!more)
            free(text);
        text = more;
        room *= 2;
    }
    fclose(f);
    if (text)
        text[n] = 0;
    return text;
}

json *json_read(const char *path)
{
    char *text = load(path);
    json *j = text ? calloc(1, sizeof *j) : NULL;
    if (j) {
        reader r = {text, 0};
        value(&r, j);
        if (r.failed) {
            json_destroy(j);
            j = NULL;
        }
    }
    free(text);
    return j;
}

const json *json_get(const json *j, const char *key)
{
    for (int i = 0; j && j->kind == JSON_OBJECT && i < j->count; i++)
        if (j->item[i].key && strcmp(j->item[i].key, key) == 0)
            return &j->item[i];
    return NULL;
}

int json_numbers(const json *j, double *x, int n)
{
    int have = 0;
    if (!j)
        return 0;
    if (j->kind == JSON_NUMBER) {
        if (n > 0)
            x[0] = j->number;
        return 1;
    }
    for (int i = 0; j->kind == JSON_ARRAY && i < j->count; i++)
        have += json_numbers(&j->item[i], have < n ? x + have : x, have < n ? n - have : 0);
    return have;
}
