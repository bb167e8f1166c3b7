/* SPDX-License-Identifier: Apache-2.0
 * Curves of a run file or of a CSV file as `run` and `export` write it: a first line of `name [unit]`, then numbers.
 * Only the columns that are chosen are kept.  Of a CSV file, x, y, z of one stem are one column again, so that
 * "tip.position" is found. */
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/csv_read.h"
#include "cli/plot.h"
#include "io/runfile.h"
#include <math.h>
#include <string.h>

/* One frame after another, of either file. */
typedef struct source {
    const char *path;
    clv_runfile *file;   /* or */
    clv_csv_text csv;    /* a CSV file                                        */
    clv_column *column;  /* all columns; owned here if it is a CSV file       */
    int ncolumn, width;  /* numbers in a frame                                */
    double *frame;       /* (width)                                           */
} source;

/* ---------------------------------------------------------------- a CSV file */

/* Does `name` continue the column as its component number `part`: tip.position.y after tip.position.x? */
static bool continues(const clv_column *c, const char *name, const char *unit)
{
    static const char axes[] = "x y z", quaternion[] = "w x y z";
    const size_t stem = strlen(c->name);
    const char *all = c->axes[0] == 'w' ? quaternion : axes;
    return c->axes[0] && 2 * (size_t)c->count < strlen(all) + 1 && strcmp(c->unit, unit) == 0 &&
           strncmp(c->name, name, stem) == 0 && name[stem] == '.' && name[stem + 1] == all[2 * c->count] &&
           !name[stem + 2];
}

/* Adds "name [unit]" to the columns; a vector begins with a name that ends in .x or .w. */
static bool add_heading(source *s, char *text)
{
    char *unit = text[0] ? strrchr(text, '[') : NULL, *end = unit ? strchr(unit, ']') : NULL;
    char u[16] = "";
    if (end && !end[1] && unit > text && unit[-1] == ' ') {
        snprintf(u, sizeof u, "%.*s", (int)(end - unit - 1), unit + 1);
        unit[-1] = 0;
    }
    if (s->ncolumn > 0 && continues(&s->column[s->ncolumn - 1], text, u)) {
        clv_column *c = &s->column[s->ncolumn - 1];
        snprintf(c->axes, sizeof c->axes, "%s", c->axes[0] == 'w' ? "w x y z" : "x y z");
        c->count++, s->width++;
        return true;
    }
    clv_column *wider = clv_resize(s->column, (size_t)s->ncolumn + 1, sizeof *wider);
    if (!wider)
        return false;
    s->column = wider;
    clv_column *c = &wider[s->ncolumn];
    *c = (clv_column){.first = s->width, .count = 1, .part = -1};
    snprintf(c->unit, sizeof c->unit, "%s", u);
    const size_t n = strlen(text);
    if (n > 2 && text[n - 2] == '.' && (text[n - 1] == 'x' || text[n - 1] == 'w')) {
        c->axes[0] = text[n - 1]; /* of what may become a vector: its stem is the name */
        text[n - 2] = 0;
    }
    c->name = clv_copy_text(text), c->owner = clv_copy_text("");
    s->ncolumn++, s->width++;
    return c->name && c->owner;
}

/* A single number that was taken for the first component of a vector gets its name back. */
static bool settle_names(source *s)
{
    for (int i = 0; i < s->ncolumn; ++i) {
        clv_column *c = &s->column[i];
        if (c->count > 1 || !c->axes[0])
            continue;
        char *name = clv_alloc(strlen(c->name) + 3, 1);
        if (!name)
            return false;
        snprintf(name, strlen(c->name) + 3, "%s.%c", c->name, c->axes[0]);
        clv_free(c->name);
        c->name = name, c->axes[0] = 0;
    }
    return true;
}

static clv_status open_csv(source *s, clv_error *e)
{
    char text[512];
    clv_status status = clv_csv_load(&s->csv, s->path, e);
    if (status != CLV_OK)
        return status;
    char *line = clv_csv_line(&s->csv);
    if (!line || !*line)
        return clv_fail(e, CLV_ERR_SYNTAX, "%s is empty", s->path);
    bool good = true;
    while (good && clv_csv_field(&line, text, sizeof text))
        good = add_heading(s, text);
    return good && settle_names(s) ? CLV_OK : clv_fail(e, CLV_ERR_MEMORY, "out of memory");
}

/* The next line as a frame; *some: there was one. */
static clv_status read_line(source *s, bool *some, clv_error *e)
{
    char text[64];
    char *line = clv_csv_line(&s->csv);
    int n = 0;
    if (line && !*line && !*s->csv.at)
        line = NULL; /* an empty line at the end */
    *some = line != NULL;
    while (line && clv_csv_field(&line, text, sizeof text)) {
        const char *end;
        const double x = clv_text_number(text, &end);
        if (*text && (end == text || *end))
            return clv_fail(e, CLV_ERR_SYNTAX, "%s, line %ld: '%s' is not a number", s->path, s->csv.line, text);
        if (n < s->width)
            s->frame[n] = *text ? x : NAN;
        n++;
    }
    if (line && n == s->width - 1 && line > s->csv.text && line[-1] == ',')
        s->frame[n++] = NAN; /* an empty field at the end */
    if (*some && n != s->width)
        return clv_fail(e, CLV_ERR_SYNTAX, "%s, line %ld has %d number%s; the first line names %d", s->path,
                        s->csv.line, n, n == 1 ? "" : "s", s->width);
    return CLV_OK;
}

/* ---------------------------------------------------------------- either file */

static clv_status open_source(source *s, clv_error *e)
{
    const size_t n = strlen(s->path);
    clv_status status;
    if (n > 4 && strcmp(s->path + n - 4, ".csv") == 0) {
        status = open_csv(s, e);
    } else if ((status = clv_runfile_open(&s->file, s->path)) == CLV_OK) {
        s->column = (clv_column *)clv_runfile_columns(s->file, &s->ncolumn); /* only read */
        s->width = clv_runfile_width(s->file);
    } else if (s->file) {
        *e = *clv_runfile_error(s->file);
    } else {
        clv_fail(e, CLV_ERR_MEMORY, "out of memory");
    }
    if (status == CLV_OK && !(s->frame = clv_alloc((size_t)s->width, sizeof *s->frame)))
        status = clv_fail(e, CLV_ERR_MEMORY, "out of memory");
    return status;
}

static void close_source(source *s)
{
    if (s->file)
        clv_runfile_close(s->file, NULL);
    else
        clv_columns_release(&(clv_columns){.n = s->ncolumn, .column = s->column});
    clv_csv_release(&s->csv);
    clv_free(s->frame);
}

/* Frame i; *some: there is one. */
static clv_status read_frame(source *s, long i, bool *some, clv_error *e)
{
    if (!s->file)
        return read_line(s, some, e);
    *some = i < clv_runfile_frames(s->file);
    const clv_status status = *some ? clv_runfile_read(s->file, i, 1, s->frame) : CLV_OK;
    if (status != CLV_OK)
        *e = *clv_runfile_error(s->file);
    return status;
}

/* ---------------------------------------------------------------- the chosen curves */

/* A curve for each number of the column. */
static clv_status take_column(clv_chart *c, int *from, const clv_column *column, clv_error *e)
{
    for (int k = 0; k < column->count; ++k) {
        if (c->ncurve == CLV_MOST_CURVES) {
            clv_fail(e, CLV_ERR_USAGE, "more than %d curves are chosen", CLV_MOST_CURVES);
            clv_error_hint(e, "name fewer columns, as 'tip.position.y'");
            return e->code;
        }
        clv_curve *to = &c->curve[c->ncurve];
        const int n = snprintf(to->name, sizeof to->name, "%s", column->name);
        if (column->count > 1 && n + 2 < (int)sizeof to->name)
            snprintf(to->name + n, sizeof to->name - (size_t)n, ".%c", column->axes[2 * k]);
        snprintf(to->unit, sizeof to->unit, "%s", column->unit);
        from[c->ncurve++] = column->item + (column->part < 0 ? k : column->part);
    }
    return CLV_OK;
}

/* The columns of --columns without time, which comes with every selection. */
static clv_status choose(clv_chart *c, const source *s, const char *names, int *from, clv_error *e)
{
    clv_columns chosen = {0};
    clv_status status = clv_columns_select(&chosen, s->column, s->ncolumn, names, e);
    for (int i = 0; i < chosen.n && status == CLV_OK; ++i)
        if (strcmp(chosen.column[i].name, "time") != 0)
            status = take_column(c, from, &chosen.column[i], e);
    clv_columns_release(&chosen);
    return status;
}

/* The abscissa, as curve number ncurve for the moment. */
static clv_status choose_x(clv_chart *c, const source *s, const char *x, int *from, clv_error *e)
{
    clv_chart only = {0};
    int place[CLV_MOST_CURVES] = {0};
    if (x && strcmp(x, "time") != 0) {
        clv_status status = choose(&only, s, x, place, e);
        if (status == CLV_OK && only.ncurve != 1)
            status = clv_fail(e, CLV_ERR_USAGE, "--x must name one number; '%.100s' has %d", x, only.ncurve);
        if (status != CLV_OK)
            return status;
        c->x = only.curve[0], *from = place[0];
        return CLV_OK;
    }
    for (int i = 0; i < s->ncolumn; ++i)
        if (strcmp(s->column[i].name, "time") == 0) {
            *from = s->column[i].first;
            snprintf(c->x.name, sizeof c->x.name, "time");
            snprintf(c->x.unit, sizeof c->x.unit, "%s", s->column[i].unit);
            return CLV_OK;
        }
    clv_fail(e, CLV_ERR_USAGE, "%s has no column 'time'", s->path);
    clv_error_hint(e, "name another abscissa by --x NAME");
    return e->code;
}

static bool widen(clv_curve *c, long room)
{
    double *wider = clv_resize(c->y, (size_t)room, sizeof *wider);
    c->y = wider ? wider : c->y;
    return wider != NULL;
}

static clv_status read_samples(clv_chart *c, source *s, int from_x, const int *from, clv_error *e)
{
    bool some = true;
    long room = 0;
    for (clv_status status = CLV_OK;;) {
        if ((status = read_frame(s, c->n, &some, e)) != CLV_OK || !some)
            return status;
        if (c->n == room) {
            bool good = widen(&c->x, room = 2 * room + 256);
            for (int i = 0; i < c->ncurve; ++i)
                good = good && widen(&c->curve[i], room);
            if (!good)
                return clv_fail(e, CLV_ERR_MEMORY, "out of memory");
        }
        c->x.y[c->n] = s->frame[from_x];
        for (int i = 0; i < c->ncurve; ++i)
            c->curve[i].y[c->n] = s->frame[from[i]];
        c->n++;
    }
}

/* What there is to choose from, as a hint. */
static void offer(const source *s, clv_error *e)
{
    char text[220];
    size_t n = (size_t)snprintf(text, sizeof text, "columns:");
    int i = 0;
    for (; i < s->ncolumn && n + strlen(s->column[i].name) + 12 < sizeof text; ++i)
        n += (size_t)snprintf(text + n, sizeof text - n, " %s", s->column[i].name);
    clv_error_hint(e, "%s%s", text, i < s->ncolumn ? " ..." : "");
}

clv_status clv_chart_read(clv_chart *c, const char *path, const char *names, const char *x, clv_error *e)
{
    source s = {.path = path};
    int from_x = 0, from[CLV_MOST_CURVES] = {0};
    *c = (clv_chart){.source = path};
    clv_error_clear(e);
    clv_status status = open_source(&s, e);
    if (status == CLV_OK && !*names)
        status = clv_fail(e, CLV_ERR_USAGE, "name the columns to plot, as '*.effort'");
    else if (status == CLV_OK)
        status = choose(c, &s, names, from, e);
    if (status == CLV_OK && c->ncurve == 0)
        status = clv_fail(e, CLV_ERR_USAGE, "name a column other than time");
    if (status == CLV_OK)
        status = choose_x(c, &s, x, &from_x, e);
    if (status == CLV_ERR_USAGE && !*e->hint)
        offer(&s, e);
    if (status == CLV_OK)
        status = read_samples(c, &s, from_x, from, e);
    if (status == CLV_OK && c->n < 2)
        status = clv_fail(e, CLV_ERR_USAGE, "%s has %ld sample%s; a curve needs two", path, c->n, c->n == 1 ? "" : "s");
    close_source(&s);
    return status;
}

void clv_chart_release(clv_chart *c)
{
    clv_free(c->x.y);
    for (int i = 0; i < CLV_MOST_CURVES; ++i)
        clv_free(c->curve[i].y);
    *c = (clv_chart){0};
}
