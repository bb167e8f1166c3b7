/* SPDX-License-Identifier: Apache-2.0
 * Reads a bracketing: in which order Method 2 joins the sections (T29).
 *
 *   list := item {"," item}      joined from left to right
 *   item := section | "(" list ")" | "{" list "}"
 *
 * A section is its name, or a whole number that is nobody's name: the sections counted from 0, so that the paper's
 * "({0,1},2),(3,4)" can be written as it stands. */
#include "base/error.h"
#include "plan/plan.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 64 };

typedef struct reader {
    const clv_plan *p;
    const char *text, *at;
    int *word, n;
    char *seen; /* (nsection) */
    clv_error *e;
    int depth;
} reader;

static void known(const reader *r, char *text, size_t size)
{
    size_t n = 0;
    text[0] = '\0';
    for (int k = 0; k < r->p->nsection && n < size; k++)
        n += (size_t)snprintf(text + n, size - n, "%s%s", k ? ", " : "branches: ", r->p->section[k].name);
}

static clv_status wrong(reader *r, const char *what, const char *name)
{
    char text[200];
    known(r, text, sizeof text);
    clv_fail(r->e, CLV_ERR_USAGE, "bracketing: %s%s%s%s at character %d of '%.120s'", what, *name ? " '" : "", name,
             *name ? "'" : "", (int)(r->at - r->text) + 1, r->text);
    clv_error_hint(r->e, "write it like ((a, b), c), (d, e); %s", text);
    return r->e->code;
}

static void skip(reader *r)
{
    while (*r->at == ' ' || *r->at == '\t' || *r->at == '\n')
        r->at++;
}

static int find(const reader *r, const char *name)
{
    char *end;
    for (int k = 0; k < r->p->nsection; k++)
        if (strcmp(r->p->section[k].name, name) == 0)
            return k;
    long k = strtol(name, &end, 10);
    return *name && !*end && k >= 0 && k < r->p->nsection ? (int)k : -1;
}

static clv_status read_list(reader *r);

static clv_status read_section(reader *r)
{
    char name[128];
    size_t n = strcspn(r->at, "(){},");
    while (n > 0 && (r->at[n - 1] == ' ' || r->at[n - 1] == '\t' || r->at[n - 1] == '\n'))
        n--;
    if (n == 0)
        return wrong(r, "a branch or a bracket is missing", "");
    snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : sizeof name - 1), r->at);
    int k = find(r, name);
    if (k < 0)
        return wrong(r, "there is no branch", name);
    if (r->seen[k])
        return wrong(r, "repeated branch", name);
    r->seen[k] = 1;
    r->word[r->n++] = k;
    r->at += n;
    return CLV_OK;
}

static clv_status read_item(reader *r)
{
    skip(r);
    if (*r->at != '(' && *r->at != '{')
        return read_section(r);
    char close = *r->at == '(' ? ')' : '}';
    if (++r->depth > DEEPEST)
        return wrong(r, "brackets nest too deeply", "");
    r->at++;
    clv_status st = read_list(r);
    if (st != CLV_OK)
        return st;
    if (*r->at != close)
        return wrong(r, "a bracket is not closed", "");
    r->at++, r->depth--;
    return CLV_OK;
}

static clv_status read_list(reader *r)
{
    clv_status st = read_item(r);
    for (skip(r); st == CLV_OK && *r->at == ','; skip(r)) {
        r->at++;
        st = read_item(r);
        if (st == CLV_OK)
            r->word[r->n++] = -1;
    }
    return st;
}

clv_status clv_plan_bracket(const clv_plan *p, const char *text, int **joins, int *n, clv_error *e)
{
    reader r = {.p = p, .text = text, .at = text, .e = e};
    r.word = *joins = clv_alloc(2 * (size_t)p->nsection + 1, sizeof(int));
    r.seen = clv_alloc((size_t)p->nsection + 1, 1);
    *n = 0;
    if (!r.word || !r.seen) {
        clv_free(r.seen);
        return clv_fail(e, CLV_ERR_MEMORY, "out of memory while planning");
    }
    clv_status st = read_list(&r);
    if (st == CLV_OK && *r.at)
        st = wrong(&r, "this bracket was not opened", "");
    for (int k = 0; st == CLV_OK && k < p->nsection; k++)
        if (!r.seen[k])
            st = wrong(&r, "it leaves out branch", p->section[k].name);
    *n = r.n;
    clv_free(r.seen);
    return st;
}
