/* SPDX-License-Identifier: Apache-2.0
 * Reading a run file: what it says about itself, then frames by number; see runfile.h.  Nothing in it is believed:
 * sizes are checked against each other before anything is copied. */
#include <math.h>
#include <stdint.h>
#include <string.h>
#include "base/error.h"
#include "base/memory.h"
#include "io/runfile_handle.h"
#include "io/yaml_read.h"
#include "simulation/option_rows.h"

enum { WIDEST = 1 << 27 }; /* numbers in a frame */

const char *clv_runfile_text(const clv_runfile *f, size_t *size)
{
    if (size)
        *size = f->text_size;
    return f->text;
}
const char *clv_runfile_source(const clv_runfile *f) { return f->source; }
const clv_runfile_settings *clv_runfile_get_settings(const clv_runfile *f) { return &f->set; }
const clv_column *clv_runfile_columns(const clv_runfile *f, int *count)
{
    *count = f->ncolumn;
    return f->column;
}
int clv_runfile_width(const clv_runfile *f) { return f->width; }
long clv_runfile_frames(const clv_runfile *f) { return f->frames; }
double clv_runfile_wall(const clv_runfile *f) { return f->earlier_wall; }

void clv_runfile_order_bytes(double *number, size_t n)
{
    const uint16_t one = 1;
    if (*(const unsigned char *)&one == 1)
        return;
    for (size_t i = 0; i < n; i++) {
        unsigned char b[8], r[8];
        memcpy(b, number + i, 8);
        for (int k = 0; k < 8; k++)
            r[k] = b[7 - k];
        memcpy(number + i, r, 8);
    }
}

/* A copy of a text column; never NULL unless out of memory. */
static char *copy_text(sqlite3_stmt *s, int column)
{
    const char *text = (const char *)sqlite3_column_text(s, column);
    return clv_copy_text(text ? text : "");
}

/* ------------------------------------------------------------------ model, settings */

static clv_status load_model(clv_runfile *f)
{
    sqlite3_stmt *s = clv_runfile_prepare(f, "SELECT source, text FROM model");
    if (!s)
        return f->error.code;
    clv_status status = CLV_OK;
    if (sqlite3_step(s) != SQLITE_ROW)
        status = clv_runfile_unreadable(f, "it has no model");
    else {
        f->source = copy_text(s, 0), f->text = copy_text(s, 1);
        f->text_size = f->text ? strlen(f->text) : 0;
        if (!f->source || !f->text)
            status = clv_fail(&f->error, CLV_ERR_MEMORY, "out of memory");
    }
    sqlite3_finalize(s);
    return status;
}

/* Numbers of the run, beside the options of the simulation. */
typedef struct run_numbers {
    double reactions, chunk_frames;
} run_numbers;

/* Takes one number; false: it is out of range. */
static bool take_number(clv_runfile *f, run_numbers *run, const char *name, double x)
{
    const struct {
        const char *name;
        double *number;
    } row[] = {{"end", &f->set.end}, {"every", &f->set.every}, {"checkpoint", &f->set.checkpoint},
               {"reactions", &run->reactions}, {"chunk_frames", &run->chunk_frames}};
    const clv_option_row *option = clv_option_row_named(name);
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++)
        if (strcmp(row[i].name, name) == 0)
            *row[i].number = x;
    if (option && !clv_option_is_default(option, x) && !clv_option_in_range(option, x))
        return false;
    if (option)
        clv_option_set_number(&f->set.sim, option, x);
    return true;
}

/* One row of the table of settings; false: out of memory, or *fits. */
static bool take_setting(clv_runfile *f, run_numbers *run, sqlite3_stmt *s, bool *fits)
{
    const char *name = (const char *)sqlite3_column_text(s, 0);
    char **text = !name                              ? NULL
                  : strcmp(name, "formulation") == 0 ? &f->formulation
                  : strcmp(name, "integrator") == 0  ? &f->integrator
                  : strcmp(name, "bracketing") == 0  ? &f->bracketing
                  : strcmp(name, "parameters") == 0  ? &f->parameters
                                                     : NULL;
    if (text && !*text)
        return (*text = copy_text(s, 1)) != NULL;
    if (name && !text)
        *fits = take_number(f, run, name, sqlite3_column_double(s, 1)) && *fits;
    return true;
}

static clv_status load_settings(clv_runfile *f)
{
    run_numbers run = {0};
    sqlite3_stmt *s = clv_runfile_prepare(f, "SELECT name, value FROM settings");
    if (!s)
        return f->error.code;
    f->set.sim = clv_sim_options_default();
    f->set.end = f->set.every = NAN;
    int result;
    bool memory = true, fits = true;
    while ((result = sqlite3_step(s)) == SQLITE_ROW)
        memory = take_setting(f, &run, s, &fits) && memory;
    sqlite3_finalize(s);
    if (result != SQLITE_DONE)
        return clv_runfile_fail(f, result, "reading settings");
    if (!memory)
        return clv_fail(&f->error, CLV_ERR_MEMORY, "out of memory");
    if (!fits || !(f->set.end >= 0) || !(f->set.every > 0) ||
        !(run.chunk_frames >= 1 && run.chunk_frames <= 256))
        return clv_runfile_unreadable(f, "settings are missing or out of range");
    f->set.sim.formulation = f->formulation, f->set.sim.integrator = f->integrator;
    f->set.sim.bracketing = f->bracketing;
    f->set.reactions = run.reactions != 0, f->chunk_frames = (long)run.chunk_frames;
    return CLV_OK;
}

/* ------------------------------------------------------------------ columns */

static clv_status load_column(clv_runfile *f, sqlite3_stmt *s, clv_column *c)
{
    const char *kind = (const char *)sqlite3_column_text(s, 2), *unit = (const char *)sqlite3_column_text(s, 5),
               *axes = (const char *)sqlite3_column_text(s, 6);
    sqlite3_int64 count = sqlite3_column_int64(s, 1);
    c->first = f->width, c->count = count >= 1 && count <= 4 ? (int)count : 0;
    clv_error_text(c->kind, sizeof c->kind, kind ? kind : "");
    clv_error_text(c->unit, sizeof c->unit, unit ? unit : "");
    clv_error_text(c->axes, sizeof c->axes, axes ? axes : "");
    c->owner = copy_text(s, 3), c->name = copy_text(s, 4);
    if (!c->owner || !c->name)
        return clv_fail(&f->error, CLV_ERR_MEMORY, "out of memory");
    if (sqlite3_column_int64(s, 0) != 8 * (sqlite3_int64)f->width || c->count < 1 || c->count > 4 ||
        f->width > WIDEST || (c->count == 1 ? strlen(c->axes) != 0 : strlen(c->axes) != 2 * (size_t)c->count - 1))
        return clv_fail(&f->error, CLV_ERR_SYNTAX, "%s is damaged: column '%.100s' does not follow the one before",
                        f->path, c->name);
    f->width += c->count;
    return CLV_OK;
}

static clv_status load_columns(clv_runfile *f)
{
    sqlite3_stmt *s =
        clv_runfile_prepare(f, "SELECT offset, count, kind, owner, name, unit, axes FROM columns ORDER BY offset");
    int result = SQLITE_DONE, capacity = 0;
    clv_status status = s ? CLV_OK : f->error.code;
    f->width = 0;
    while (status == CLV_OK && (result = sqlite3_step(s)) == SQLITE_ROW) {
        if (f->ncolumn == capacity) {
            capacity = 2 * capacity + 64;
            clv_column *wider = clv_resize(f->column, (size_t)capacity, sizeof *wider);
            if (!wider) {
                status = clv_fail(&f->error, CLV_ERR_MEMORY, "out of memory");
                break;
            }
            f->column = wider;
        }
        f->column[f->ncolumn] = (clv_column){.part = -1};
        status = load_column(f, s, &f->column[f->ncolumn++]);
    }
    sqlite3_finalize(s);
    if (status == CLV_OK && result != SQLITE_DONE)
        return clv_runfile_fail(f, result, "reading columns");
    if (status != CLV_OK || f->width == 0)
        return status == CLV_OK ? clv_runfile_unreadable(f, "it has no columns") : status;
    if (f->chunk_frames > 1 && 8.0 * f->width * (double)f->chunk_frames > CLV_RUNFILE_CHUNK)
        return clv_runfile_unreadable(f, "its chunks are larger than they can be");
    return CLV_OK;
}

/* ------------------------------------------------------------------ all of it */

static clv_status check_events(clv_runfile *f)
{
    sqlite3_stmt *s = clv_runfile_prepare(f, "SELECT number, time, kind, text, sum FROM events ORDER BY number");
    int result = SQLITE_DONE;
    long long n = 0;
    bool sound = true;
    while (s && sound && (result = sqlite3_step(s)) == SQLITE_ROW) {
        const char *kind = (const char *)sqlite3_column_text(s, 2), *text = (const char *)sqlite3_column_text(s, 3);
        sound = sqlite3_column_int64(s, 0) == ++n && n <= f->events_there &&
                (uint64_t)sqlite3_column_int64(s, 4) ==
                    clv_runfile_event_sum(f, (int)n, sqlite3_column_double(s, 1), kind, text);
    }
    sqlite3_finalize(s);
    if (!s || (sound && result != SQLITE_DONE))
        return s ? clv_runfile_fail(f, result, "reading events") : f->error.code;
    return sound && n == f->events_there ? CLV_OK : clv_runfile_damaged(f, "its events have changed");
}

static clv_status load_wall(clv_runfile *f)
{
    sqlite3_stmt *s = clv_runfile_prepare(f, "SELECT total(wall_seconds) FROM sessions");
    if (!s)
        return f->error.code;
    if (sqlite3_step(s) == SQLITE_ROW)
        f->earlier_wall = sqlite3_column_double(s, 0);
    sqlite3_finalize(s);
    return CLV_OK;
}

static clv_status load_run(clv_runfile *f)
{
    long long run = 0;
    clv_status status = clv_runfile_get_count(f, "run", &run);
    f->run = (uint64_t)run;
    return status;
}

clv_status clv_runfile_load(clv_runfile *f)
{
    clv_status status = load_model(f);
    if (status == CLV_OK)
        status = load_settings(f);
    if (status == CLV_OK)
        status = load_columns(f);
    if (status == CLV_OK)
        status = load_run(f);
    if (status == CLV_OK)
        status = f->tolerant ? clv_runfile_guess_frames(f) : clv_runfile_count_frames(f);
    if (status == CLV_OK && !f->tolerant)
        status = clv_runfile_check_counts(f);
    if (status == CLV_OK)
        status = clv_runfile_check_sums(f);
    if (status == CLV_OK && !f->tolerant)
        status = check_events(f);
    return status == CLV_OK ? load_wall(f) : status;
}

/* ------------------------------------------------------------------ events, summary */

clv_status clv_runfile_event_at(clv_runfile *f, int i, clv_runfile_event *event)
{
    sqlite3_stmt *s = clv_runfile_prepare(f, "SELECT time, kind, text FROM events WHERE number = ?");
    *event = (clv_runfile_event){.time = NAN};
    if (!s)
        return f->error.code;
    sqlite3_bind_int(s, 1, i + 1);
    bool found = sqlite3_step(s) == SQLITE_ROW;
    if (found) {
        const char *kind = (const char *)sqlite3_column_text(s, 1), *text = (const char *)sqlite3_column_text(s, 2);
        event->time = sqlite3_column_double(s, 0);
        clv_error_text(event->kind, sizeof event->kind, kind ? kind : "");
        clv_error_text(event->text, sizeof event->text, text ? text : "");
    }
    sqlite3_finalize(s);
    return found ? CLV_OK : CLV_ERR_USAGE;
}

/* A text column, or "". */
static void take_text(sqlite3_stmt *s, int column, char *to, size_t size)
{
    const char *text = (const char *)sqlite3_column_text(s, column);
    clv_error_text(to, size, text ? text : "");
}

clv_status clv_runfile_session_at(clv_runfile *f, int i, clv_runfile_session *to)
{
    sqlite3_stmt *s = clv_runfile_prepare(f, "SELECT started, version, compiler, system, cpu, lanes, wall_seconds "
                                             "FROM sessions ORDER BY number LIMIT 1 OFFSET ?");
    *to = (clv_runfile_session){.wall = NAN};
    if (!s)
        return f->error.code;
    sqlite3_bind_int(s, 1, i);
    const bool found = sqlite3_step(s) == SQLITE_ROW;
    if (found) {
        take_text(s, 0, to->started, sizeof to->started), take_text(s, 1, to->version, sizeof to->version);
        take_text(s, 2, to->compiler, sizeof to->compiler), take_text(s, 3, to->system, sizeof to->system);
        take_text(s, 4, to->cpu, sizeof to->cpu);
        to->lanes = sqlite3_column_int(s, 5);
        to->wall = sqlite3_column_type(s, 6) == SQLITE_NULL ? NAN : sqlite3_column_double(s, 6);
    }
    sqlite3_finalize(s);
    return found ? CLV_OK : CLV_ERR_USAGE;
}

bool clv_runfile_summary(clv_runfile *f, const char *name, double *number, char *text, size_t size)
{
    sqlite3_stmt *s = clv_runfile_prepare(f, "SELECT value FROM summary WHERE name = ?");
    *number = NAN;
    if (text && size)
        *text = 0;
    if (!s)
        return false;
    sqlite3_bind_text(s, 1, name, -1, SQLITE_STATIC);
    bool found = sqlite3_step(s) == SQLITE_ROW;
    if (found && sqlite3_column_type(s, 0) != SQLITE_TEXT && sqlite3_column_type(s, 0) != SQLITE_NULL)
        *number = sqlite3_column_double(s, 0);
    const char *word = found ? (const char *)sqlite3_column_text(s, 0) : NULL;
    if (word && text)
        clv_error_text(text, size, word);
    sqlite3_finalize(s);
    return found;
}

/* Its text, read with the values of parameters that its run was given. */
clv_status clv_runfile_model(const clv_runfile *f, clv_model **model)
{
    size_t lines = 1;
    const char **given = NULL;
    char *copy = NULL;
    int n = 0;
    for (const char *c = f->parameters; c && *c; ++c)
        lines += *c == '\n';
    if (f->parameters && *f->parameters) {
        given = clv_alloc(lines, sizeof *given);
        copy = clv_copy_text(f->parameters);
        for (char *line = copy; given && line; line = line ? line + 1 : NULL) {
            given[n++] = line;
            if ((line = strchr(line, '\n')) != NULL)
                *line = '\0';
        }
    }
    const bool memory = !f->parameters || !*f->parameters || (given && copy);
    *model = NULL;
    clv_status status =
        memory ? clv_model_read_text_with(model, f->text, f->text_size, f->source, given, n) : CLV_ERR_MEMORY;
    clv_free(given);
    clv_free(copy);
    return status;
}
