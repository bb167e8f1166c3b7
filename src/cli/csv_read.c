/* SPDX-License-Identifier: Apache-2.0
 * Text of comma-separated values; see csv_read.h. */
#include "cli/csv_read.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

clv_status clv_csv_load(clv_csv_text *s, const char *path, clv_error *e)
{
    FILE *f = fopen(path, "rb");
    size_t size = 0, room = 1 << 16;
    if (!f)
        return clv_fail(e, CLV_ERR_IO, "cannot open %s: %s", path, strerror(errno));
    clv_status status = CLV_OK;
    while (status == CLV_OK && !feof(f)) {
        char *wider = s->text && size + 1 < room ? s->text : clv_resize(s->text, room *= 2, 1);
        if (!wider) {
            status = clv_fail(e, CLV_ERR_MEMORY, "%s is too large", path);
            break;
        }
        s->text = wider;
        size += fread(s->text + size, 1, room - 1 - size, f);
        if (ferror(f))
            status = clv_fail(e, CLV_ERR_IO, "cannot read %s: %s", path, strerror(errno));
    }
    fclose(f);
    if (status != CLV_OK || !s->text)
        return status;
    s->end = s->text + size;
    *s->end = 0;
    if (strlen(s->text) != size)
        return clv_fail(e, CLV_ERR_SYNTAX, "%s is not a CSV file: it contains zero bytes", path);
    s->at = s->text + (strncmp(s->text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0); /* a byte order mark */
    return CLV_OK;
}

void clv_csv_release(clv_csv_text *s)
{
    clv_free(s->text);
    s->text = NULL;
}

bool clv_csv_field(char **at, char *text, size_t size)
{
    char *s = *at;
    size_t n = 0;
    const bool quoted = *s == '"';
    if (*s == 0)
        return false;
    for (s += quoted; *s && (quoted || *s != ','); ++s) {
        if (quoted && *s == '"' && *++s != '"')
            break;
        if (n + 1 < size)
            text[n++] = *s;
    }
    text[n] = 0;
    s += strcspn(s, ",");
    *at = *s ? s + 1 : s;
    return true;
}

char *clv_csv_line(clv_csv_text *s)
{
    char *line = s->at;
    if (!line || *line == 0)
        return NULL;
    const char *feed = memchr(line, '\n', (size_t)(s->end - line)); /* strcspn may look at all of the text */
    const size_t n = (size_t)((feed ? feed : s->end) - line);
    s->at = line + n + (feed != NULL);
    line[n] = 0;
    if (n > 0 && line[n - 1] == '\r')
        line[n - 1] = 0;
    s->line++;
    return line;
}

/* ---------------------------------------------------------------- a table */

/* "name [unit]" as a column */
static bool add_column(clv_csv_table *t, const char *heading)
{
    const size_t n = (size_t)t->ncolumn + 1;
    void *name = clv_resize(t->name, n, sizeof *t->name);
    t->name = name ? name : t->name;
    void *unit = clv_resize(t->unit, n, sizeof *t->unit);
    t->unit = unit ? unit : t->unit;
    if (!name || !unit)
        return false;
    const char *open = strrchr(heading, '['), *close = open ? strchr(open, ']') : NULL;
    const bool has = close && !close[1] && open > heading && open[-1] == ' ';
    const size_t length = has ? (size_t)(open - heading) - 1 : strlen(heading);
    snprintf(t->name[n - 1], sizeof *t->name, "%.*s", (int)length, heading);
    snprintf(t->unit[n - 1], sizeof *t->unit, "%.*s", has ? (int)(close - open - 1) : 0, has ? open + 1 : "");
    t->ncolumn++;
    return true;
}

/* A line as numbers (ncolumn). */
static clv_status read_numbers(const clv_csv_table *t, const clv_csv_text *s, char *line, const char *path, double *to,
                               clv_error *e)
{
    char text[64];
    int n = 0;
    while (clv_csv_field(&line, text, sizeof text)) {
        const char *end;
        const double x = clv_text_number(text, &end);
        if (*text && (end == text || *end))
            return clv_fail(e, CLV_ERR_SYNTAX, "%s, line %ld: '%s' is not a number", path, s->line, text);
        if (n < t->ncolumn)
            to[n] = *text ? x : NAN;
        n++;
    }
    if (n == t->ncolumn - 1 && line > s->text && line[-1] == ',')
        to[n++] = NAN; /* an empty field at the end */
    if (n != t->ncolumn)
        return clv_fail(e, CLV_ERR_SYNTAX, "%s, line %ld has %d number%s; the first line names %d", path, s->line, n,
                        n == 1 ? "" : "s", t->ncolumn);
    return CLV_OK;
}

static clv_status read_rows(clv_csv_table *t, clv_csv_text *s, const char *path, clv_error *e)
{
    const size_t width = (size_t)t->ncolumn;
    long room = 0;
    for (char *line; (line = clv_csv_line(s)) != NULL; t->nrow++) {
        if (!*line && !*s->at)
            break; /* an empty line at the end */
        if (t->nrow == room) {
            double *wider = clv_resize(t->value, (size_t)(room = 2 * room + 256) * width, sizeof *wider);
            if (!wider)
                return clv_fail(e, CLV_ERR_MEMORY, "%s is too large", path);
            t->value = wider;
        }
        const clv_status status = read_numbers(t, s, line, path, t->value + (size_t)t->nrow * width, e);
        if (status != CLV_OK)
            return status;
    }
    return CLV_OK;
}

clv_status clv_csv_table_read(clv_csv_table *t, const char *path, clv_error *e)
{
    clv_csv_text s = {0};
    char text[256];
    *t = (clv_csv_table){.path = path};
    clv_error_clear(e);
    clv_status status = clv_csv_load(&s, path, e);
    char *line = status == CLV_OK ? clv_csv_line(&s) : NULL;
    if (status == CLV_OK && (!line || !*line))
        status = clv_fail(e, CLV_ERR_SYNTAX, "%s is empty", path);
    while (status == CLV_OK && line && clv_csv_field(&line, text, sizeof text))
        if (!add_column(t, text))
            status = clv_fail(e, CLV_ERR_MEMORY, "out of memory");
    if (status == CLV_OK)
        status = read_rows(t, &s, path, e);
    clv_csv_release(&s);
    return status;
}

void clv_csv_table_release(clv_csv_table *t)
{
    clv_free(t->name);
    clv_free(t->unit);
    clv_free(t->value);
    memset(t, 0, sizeof *t);
}

long clv_csv_table_line(long row) { return row + 2; }
