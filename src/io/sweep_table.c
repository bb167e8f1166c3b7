/* SPDX-License-Identifier: Apache-2.0
 * The values of a sweep from a CSV file: names with units, then one line per run; see sweep.h. */
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "io/sweep.h"
#include "io/yaml_read.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FIELD = 300 };

typedef struct table {
    const char *path;
    char *at, *end;  /* what is left of the text */
    int line;
} table;

static clv_status wrong(const table *t, clv_error *e, int column, const char *text)
{
    clv_fail(e, CLV_ERR_SYNTAX, "%s, line %d, field %d: %s", t->path, t->line, column, text);
    clv_error_text(e->file, sizeof e->file, t->path);
    e->line = t->line, e->column = column;
    return CLV_ERR_SYNTAX;
}

/* The next line without its end; NULL: there is none. */
static char *next_line(table *t)
{
    char *line = t->at, *feed = memchr(line, '\n', (size_t)(t->end - line));
    if (line == t->end)
        return NULL;
    t->line++;
    t->at = feed ? feed + 1 : t->end;
    char *stop = feed ? feed : t->end;
    if (stop > line && stop[-1] == '\r')
        --stop;
    *stop = 0; /* the text has room for one more */
    return line;
}

/* The next field without quotes and outer spaces; moves *at behind its comma, NULL at the end of the line.  False: too
 * long. */
static bool next_field(char **at, char text[FIELD])
{
    char *s = *at + strspn(*at, " \t");
    const bool quoted = *s == '"';
    size_t n = 0;
    for (s += quoted; *s && (quoted || *s != ','); ++s) {
        if (quoted && *s == '"' && *++s != '"')
            break;
        if (n + 1 >= FIELD)
            return false;
        text[n++] = *s;
    }
    while (n > 0 && !quoted && (text[n - 1] == ' ' || text[n - 1] == '\t'))
        --n;
    text[n] = 0;
    s += strcspn(s, ",");
    *at = *s ? s + 1 : NULL;
    return true;
}

/* "NAME [UNIT]"; the unit may be missing.  NAME[0] is a place. */
static clv_status add_name(clv_sweep *s, const table *t, char *text, int column, clv_error *e)
{
    size_t n = strlen(text);
    char *unit = n > 2 && text[n - 1] == ']' ? strrchr(text, '[') : NULL;
    if (unit && unit > text && unit[-1] == ' ') {
        text[n - 1] = 0;
        for (n = (size_t)(unit++ - text); n > 0 && text[n - 1] == ' ';)
            --n;
    } else {
        unit = NULL;
    }
    if (n == 0 || n > 200 || !clv_text_plain(text))
        return wrong(t, e, column, "the name of a parameter or place is missing");
    if (!clv_sweep_add(s, text, n, unit ? unit : "", e))
        return e->code == CLV_ERR_MEMORY ? e->code : wrong(t, e, column, "this name is given twice");
    return CLV_OK;
}

static clv_status read_names(clv_sweep *s, table *t, clv_error *e)
{
    char text[FIELD], *at = next_line(t);
    clv_status status = CLV_OK;
    if (!at || !*at)
        return wrong(t, e, 1, "the line of names is missing");
    for (int column = 1; at && status == CLV_OK; ++column)
        status = next_field(&at, text) ? add_name(s, t, text, column, e) : wrong(t, e, column, "the name is too long");
    return status;
}

/* A line of numbers, as the next run. */
static clv_status read_run(clv_sweep *s, const table *t, char *at, clv_error *e)
{
    char text[FIELD], told[FIELD + 40];
    double *row = s->value + (size_t)s->runs * (size_t)s->nvary;
    int k = 0;
    for (; at && k < s->nvary; ++k) {
        const char *end = text;
        const bool whole = next_field(&at, text);
        row[k] = whole ? clv_text_number(text, &end) : NAN;
        if (end == text || *end || !isfinite(row[k])) {
            snprintf(told, sizeof told, "'%.60s' is not a number", whole && clv_text_plain(text) ? text : "?");
            return wrong(t, e, k + 1, told);
        }
        s->vary[k].low = s->runs && s->vary[k].low < row[k] ? s->vary[k].low : row[k];
        s->vary[k].high = s->runs && s->vary[k].high > row[k] ? s->vary[k].high : row[k];
    }
    s->runs++;
    if (!at && k == s->nvary)
        return CLV_OK;
    snprintf(told, sizeof told, "the line has %s numbers than the %d names", at ? "more" : "fewer", s->nvary);
    return wrong(t, e, at ? k + 1 : k, told);
}

static clv_status read_runs(clv_sweep *s, table *t, clv_error *e)
{
    clv_status status = CLV_OK;
    int room = 0;
    for (char *line; status == CLV_OK && (line = next_line(t)) != NULL;) {
        if (!line[strspn(line, " \t")])
            continue; /* an empty line */
        if (s->runs == CLV_SWEEP_RUNS)
            return wrong(t, e, 1, "at most 10000000 runs are possible");
        if (s->runs == room) {
            room = 2 * room + 64;
            double *wider = clv_resize(s->value, (size_t)room * (size_t)s->nvary, sizeof *wider);
            if (!wider)
                return clv_fail(e, CLV_ERR_MEMORY, "out of memory");
            s->value = wider;
        }
        status = read_run(s, t, line, e);
    }
    return status == CLV_OK && s->runs == 0 ? wrong(t, e, 1, "there is no line of numbers") : status;
}

clv_status clv_sweep_table(clv_sweep *s, const char *path, clv_error *e)
{
    size_t size = 0;
    clv_error_clear(e);
    char *text = clv_model_load(e, path, &size), *wider = text ? clv_resize(text, size + 1, 1) : NULL;
    if (!text)
        return e->code;
    if (!wider) {
        clv_free(text);
        return clv_fail(e, CLV_ERR_MEMORY, "out of memory");
    }
    table t = {.path = path, .at = wider, .end = wider + size};
    if (size >= 3 && memcmp(wider, "\xEF\xBB\xBF", 3) == 0) /* a byte order mark */
        t.at += 3;
    clv_status status =
        memchr(wider, 0, size) ? wrong(&t, e, 0, "this is not a CSV file: it contains zero bytes") 
                               : read_names(s, &t, e);
    if (status == CLV_OK)
        status = read_runs(s, &t, e);
    clv_free(wider);
    return status;
}
