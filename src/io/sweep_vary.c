/* SPDX-License-Identifier: Apache-2.0
 * Texts of `--vary`: "d1.damping=1..6", "l=400..600/5 mm", "k=1,2,5"; see sweep.h.  The unit and the name are checked
 * by the reader of model files, with the first values. */
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "io/sweep.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST_NAME = 200, LONGEST_UNIT = 40, MOST_POINTS = 100000 };

static clv_status no_memory(clv_error *e) { return clv_fail(e, CLV_ERR_MEMORY, "out of memory"); }

clv_vary *clv_sweep_add(clv_sweep *s, const char *name, size_t length, const char *unit, clv_error *e)
{
    for (int k = 0; k < s->nvary; ++k)
        if (strlen(s->vary[k].name) == length && strncmp(s->vary[k].name, name, length) == 0) {
            clv_fail(e, CLV_ERR_USAGE, "'%.*s' is varied twice", (int)length, name);
            return NULL;
        }
    if (s->nvary == CLV_SWEEP_VARIED) {
        clv_fail(e, CLV_ERR_USAGE, "more than %d numbers are varied", CLV_SWEEP_VARIED);
        return NULL;
    }
    clv_vary *wider = clv_resize(s->vary, (size_t)s->nvary + 1, sizeof *wider);
    if (!wider) {
        no_memory(e);
        return NULL;
    }
    s->vary = wider;
    clv_vary *v = &wider[s->nvary++];
    *v = (clv_vary){.name = clv_alloc(length + 1, 1), .unit = clv_copy_text(unit)};
    if (!v->name || !v->unit) {
        no_memory(e);
        return NULL;
    }
    memcpy(v->name, name, length);
    return v;
}

void clv_sweep_release(clv_sweep *s)
{
    for (int k = 0; k < s->nvary; ++k)
        clv_free(s->vary[k].name), clv_free(s->vary[k].unit), clv_free(s->vary[k].list);
    clv_free(s->vary), clv_free(s->value);
    *s = (clv_sweep){0};
}

/* ---------------------------------------------------------------- one text */

/* "at character 12: ..." */
static clv_status wrong(clv_error *e, const char *text, const char *at, const char *expected)
{
    char found[48];
    snprintf(found, sizeof found, "'%.20s'", at);
    clv_fail(e, CLV_ERR_USAGE, "--vary is '%.80s'; at character %d: expected %s, found %s", text, (int)(at - text) + 1,
             expected, *at ? found : "the end");
    e->column = (int)(at - text) + 1;
    clv_error_hint(e, "as d1.damping=1..6, 'l=400..600 mm', in a grid also 'l=400..600/5 mm' (5 values) or k=1,2,5");
    return CLV_ERR_USAGE;
}

/* The number at *at, which ends before "..": moves *at behind it. */
static bool read_number(const char **at, double *x)
{
    char text[64];
    const char *dots = strstr(*at, ".."), *end;
    const size_t n = dots && dots > *at ? (size_t)(dots - *at) : strlen(*at);
    snprintf(text, sizeof text, "%.*s", (int)(n < sizeof text ? n : sizeof text - 1), *at);
    *x = clv_text_number(text, &end);
    const bool good = end != text && isfinite(*x) && (*at)[0] != ' ' && strcspn(text, "xXpP") >= (size_t)(end - text);
    *at += good ? end - text : 0;
    return good;
}

/* "/5" behind a range: the number of values in a grid; nothing is one, too */
static bool read_points(const char **at, clv_vary *v)
{
    const char *s = *at;
    if (*s != '/')
        return true;
    for (++s; *s >= '0' && *s <= '9' && v->points <= MOST_POINTS; ++s)
        v->points = 10 * v->points + (*s - '0');
    const bool good = v->points > 0 && v->points <= MOST_POINTS;
    *at = good ? s : *at + 1;
    return good;
}

/* "1,2,5"; the first number has been read */
static clv_status read_list(clv_error *e, const char *text, const char **at, clv_vary *v, double first)
{
    v->low = v->high = first;
    for (double x = first;; ++*at) {
        double *wider = clv_resize(v->list, (size_t)v->points + 1, sizeof *wider);
        if (!wider)
            return no_memory(e);
        v->list = wider;
        v->list[v->points++] = x;
        v->low = fmin(v->low, x), v->high = fmax(v->high, x);
        if (**at != ',')
            return CLV_OK;
        if (v->points == MOST_POINTS)
            return wrong(e, text, *at, "at most 100000 values");
        const char *next = *at + 1;
        if (!read_number(&next, &x))
            return wrong(e, text, *at + 1, "a number");
        *at = next - 1;
    }
}

static clv_status read_values(clv_error *e, const char *text, const char *at, clv_vary *v)
{
    double x;
    clv_status status = CLV_OK;
    if (!read_number(&at, &x))
        return wrong(e, text, at, "a number");
    if (strncmp(at, "..", 2) == 0) {
        v->low = x;
        at += 2;
        if (!read_number(&at, &v->high))
            return wrong(e, text, at, "a number");
        if (v->high < v->low)
            return wrong(e, text, strstr(text, "..") + 2, "a number that is not below the first");
        if (!read_points(&at, v))
            return wrong(e, text, at, "a number of points, 1 to 100000");
    } else if (*at == ',') {
        if ((status = read_list(e, text, &at, v, x)) != CLV_OK)
            return status;
    } else {
        return wrong(e, text, at, "'..' or ','");
    }
    at += strspn(at, " ");
    if (*at == '/' || *at == '.' || *at == ',' || *at == '=' || strlen(at) > LONGEST_UNIT || !clv_text_plain(at))
        return wrong(e, text, at, "a unit or the end");
    clv_free(v->unit);
    return (v->unit = clv_copy_text(at)) ? CLV_OK : no_memory(e);
}

clv_status clv_sweep_vary(clv_sweep *s, const char *text, clv_error *e)
{
    const char *equals = strchr(text, '=');
    clv_error_clear(e);
    if (!equals || equals == text || equals - text > LONGEST_NAME || !clv_text_plain(text))
        return wrong(e, text, equals ? text : text + strlen(text),
                     equals ? "a name of at most 200 printable characters" : "NAME=LOW..HIGH");
    clv_vary *v = clv_sweep_add(s, text, (size_t)(equals - text), "", e);
    return v ? read_values(e, text, equals + 1, v) : e->code;
}
