/* SPDX-License-Identifier: Apache-2.0
 * The handle of a sweep file: opening, loading, closing, SQLite's results in words; see sweepfile.h. */
#include "base/error.h"
#include "base/memory.h"
#include "io/database.h"
#include "io/output.h"
#include "io/sweepfile_handle.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

const clv_error *clv_sweepfile_error(const clv_sweepfile *f) { return &f->error; }
const clv_sweep_start *clv_sweepfile_start(const clv_sweepfile *f) { return &f->start; }
int clv_sweepfile_count(const clv_sweepfile *f) { return f->count; }

/* ------------------------------------------------------------------ errors */

clv_status clv_sweepfile_memory(clv_sweepfile *f) { return clv_fail(&f->error, CLV_ERR_MEMORY, "out of memory"); }

clv_status clv_sweepfile_fail(clv_sweepfile *f, int result, const char *doing)
{
    static const clv_database_words words = {
        "sweep file", "committed rows are kept; free some space, then the command with --resume continues", NULL};
    if (f->error.code != CLV_OK)
        return f->error.code; /* the first one shows most */
    return clv_database_fail(&f->error, f->db, f->path, result, doing, &words);
}

static clv_status damaged(clv_sweepfile *f, const char *what)
{
    return clv_fail(&f->error, CLV_ERR_SYNTAX, "%s is damaged: %s", f->path, what);
}

clv_status clv_sweepfile_sql(clv_sweepfile *f, const char *sql)
{
    const int result = sqlite3_exec(f->db, sql, NULL, NULL, NULL);
    return result == SQLITE_OK ? CLV_OK : clv_sweepfile_fail(f, result, "writing");
}

sqlite3_stmt *clv_sweepfile_prepare(clv_sweepfile *f, const char *sql)
{
    sqlite3_stmt *s = NULL;
    const int result = sqlite3_prepare_v2(f->db, sql, -1, &s, NULL);
    if (result != SQLITE_OK)
        clv_sweepfile_fail(f, result, "reading");
    return s;
}

/* ------------------------------------------------------------------ opening */

clv_sweepfile *clv_sweepfile_new(const char *path)
{
    clv_sweepfile *f = clv_alloc(1, sizeof *f);
    if (!f)
        return NULL;
    clv_error_clear(&f->error);
    f->held = -1;
    f->path = clv_copy_text(path);
    if (f->path)
        return f;
    clv_free(f);
    return NULL;
}

clv_status clv_sweepfile_connect(clv_sweepfile *f, const char *path, int flags)
{
    const int result = sqlite3_open_v2(path, &f->db, flags, NULL);
    if (result != SQLITE_OK)
        return clv_sweepfile_fail(f, result, "opening");
    clv_database_distrust(f->db);
    sqlite3_busy_timeout(f->db, 10000); /* ms: somebody looks at the table just now */
    return CLV_OK;
}

clv_status clv_sweepfile_lock(clv_sweepfile *f)
{
    f->held = open(f->place, O_RDWR | O_CLOEXEC);
    if (f->held < 0)
        return clv_fail(&f->error, CLV_ERR_IO, "%s cannot be written: %s", f->path, strerror(errno));
    if (flock(f->held, LOCK_EX | LOCK_NB) == 0)
        return CLV_OK;
    return errno == EWOULDBLOCK
               ? clv_fail(&f->error, CLV_ERR_IO, "%s is in use by another process, which writes it", f->path)
               : clv_fail(&f->error, CLV_ERR_IO, "%s cannot be locked: %s", f->path, strerror(errno));
}

/* Reading, too, needs a connection that may write: what a killed process left is taken back first. */
static clv_status connect_existing(clv_sweepfile *f)
{
    clv_status status = clv_sweepfile_connect(f, f->place, SQLITE_OPEN_READWRITE);
    if (status == CLV_OK || f->write)
        return status;
    sqlite3_close(f->db);
    f->db = NULL;
    clv_error_clear(&f->error);
    return clv_sweepfile_connect(f, f->place, SQLITE_OPEN_READONLY);
}

clv_status clv_sweepfile_open(clv_sweepfile **file, const char *path, bool write)
{
    struct stat about;
    clv_sweepfile *f = *file = clv_sweepfile_new(path);
    if (!f)
        return CLV_ERR_MEMORY;
    f->write = write;
    if (stat(path, &about) != 0)
        return clv_fail(&f->error, CLV_ERR_MODEL, "there is no readable file %s", path);
    if (!S_ISREG(about.st_mode))
        return clv_fail(&f->error, CLV_ERR_SYNTAX, "%s is not a sweep file", path);
    if (!(f->place = clv_output_resolve(path, &f->error)))
        return f->error.code;
    clv_status status = write ? clv_sweepfile_lock(f) : CLV_OK;
    if (status == CLV_OK)
        status = connect_existing(f);
    return status == CLV_OK ? clv_sweepfile_load(f) : status;
}

bool clv_sweepfile_is(const char *path)
{
    unsigned char head[72] = {0}; /* of an SQLite file; its application is at 68 */
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const bool read_all = fd >= 0 && read(fd, head, sizeof head) == (ssize_t)sizeof head;
    if (fd >= 0)
        close(fd);
    return read_all && memcmp(head, "SQLite format 3", 16) == 0 && memcmp(head + 68, "clvs", 4) == 0;
}

clv_status clv_sweepfile_close(clv_sweepfile *f, clv_error *error)
{
    clv_status status = CLV_OK;
    if (!f)
        return CLV_OK;
    if (f->open && f->db && (status = clv_sweepfile_sql(f, "COMMIT")) != CLV_OK && error)
        *error = f->error;
    sqlite3_finalize(f->put);
    sqlite3_close(f->db);
    if (f->held >= 0)
        close(f->held);
    for (int i = 0; f->setting && i < f->start.nsetting; ++i)
        clv_free((char *)f->setting[i].name), clv_free((char *)f->setting[i].text);
    for (int i = 0; f->column && i < f->width; ++i)
        clv_free((char *)f->column[i].name), clv_free((char *)f->column[i].text);
    for (int i = 0; f->why && i < f->start.instances; ++i)
        clv_free(f->why[i]);
    clv_free(f->setting), clv_free(f->column), clv_free((void *)f->why), clv_free(f->data), clv_free(f->state);
    clv_free(f->rank), clv_free(f->words);
    clv_free(f->model), clv_free(f->source), clv_free(f->text), clv_free(f->place), clv_free(f->path);
    clv_free(f);
    return status;
}

/* ------------------------------------------------------------------ loading */

static clv_status whole(clv_sweepfile *f, const char *sql, long long *value)
{
    sqlite3_stmt *s = clv_sweepfile_prepare(f, sql);
    if (!s)
        return f->error.code;
    const int result = sqlite3_step(s);
    *value = result == SQLITE_ROW ? sqlite3_column_int64(s, 0) : 0;
    sqlite3_finalize(s);
    if (result != SQLITE_ROW && result != SQLITE_DONE)
        return clv_sweepfile_fail(f, result, "reading");
    return result == SQLITE_ROW ? CLV_OK : damaged(f, "a row is missing");
}

static clv_status check_kind(clv_sweepfile *f)
{
    long long application = 0, format = 0;
    clv_status status = whole(f, "PRAGMA application_id", &application);
    if (status == CLV_OK)
        status = whole(f, "PRAGMA user_version", &format);
    if (status != CLV_OK)
        return status;
    if (application != CLV_SWEEPFILE_APPLICATION)
        return clv_fail(&f->error, CLV_ERR_SYNTAX, "%s is not a sweep file", f->path);
    if (format != CLV_SWEEPFILE_FORMAT)
        return clv_fail(&f->error, CLV_ERR_UNSUPPORTED, "%s has format %lld of sweep files; this program reads %d",
                        f->path, format, CLV_SWEEPFILE_FORMAT);
    return CLV_OK;
}

static char *text_at(sqlite3_stmt *s, int column)
{
    const char *text = (const char *)sqlite3_column_text(s, column);
    return clv_copy_text(text ? text : "");
}

/* Rows (name, text) of a statement to a list of n. */
static clv_status load_pairs(clv_sweepfile *f, const char *sql, int n, clv_sweep_pair **to)
{
    sqlite3_stmt *s = clv_sweepfile_prepare(f, sql);
    clv_sweep_pair *pair = s ? clv_alloc((size_t)n + 1, sizeof *pair) : NULL;
    *to = pair;
    if (!s)
        return f->error.code;
    int result = SQLITE_DONE, i = 0;
    bool good = pair != NULL;
    for (; good && i < n && (result = sqlite3_step(s)) == SQLITE_ROW; ++i) {
        pair[i] = (clv_sweep_pair){text_at(s, 0), text_at(s, 1)};
        good = pair[i].name && pair[i].text;
    }
    clv_status status = good ? CLV_OK : clv_sweepfile_memory(f);
    if (good && i < n)
        status = result == SQLITE_DONE ? damaged(f, "settings or columns are missing")
                                       : clv_sweepfile_fail(f, result, "reading");
    sqlite3_finalize(s);
    return status;
}

static clv_status load_model(clv_sweepfile *f)
{
    sqlite3_stmt *s = clv_sweepfile_prepare(f, "SELECT name, source, text FROM model");
    if (!s)
        return f->error.code;
    const bool there = sqlite3_step(s) == SQLITE_ROW;
    if (there)
        f->model = text_at(s, 0), f->source = text_at(s, 1), f->text = text_at(s, 2);
    sqlite3_finalize(s);
    if (!there)
        return damaged(f, "the model is missing");
    f->start.model = f->model, f->start.source = f->source, f->start.text = f->text;
    f->start.size = f->text ? strlen(f->text) : 0;
    return f->model && f->source && f->text ? CLV_OK : clv_sweepfile_memory(f);
}

/* Settings, columns, sizes; they must have the sum that the file states. */
static clv_status load_start(clv_sweepfile *f)
{
    long long settings = 0, values = 0, outputs = 0, instances = 0, sum = 0;
    clv_status status = whole(f, "SELECT count(*) FROM settings", &settings);
    if (status == CLV_OK)
        status = whole(f, "SELECT count(*) FROM columns WHERE kind = 'value'", &values);
    if (status == CLV_OK)
        status = whole(f, "SELECT count(*) FROM columns WHERE kind = 'output'", &outputs);
    if (status == CLV_OK)
        status = whole(f, "SELECT instances FROM sweep", &instances);
    if (status == CLV_OK)
        status = whole(f, "SELECT sum FROM sweep", &sum);
    if (status != CLV_OK)
        return status;
    if (settings > 1000 || values + outputs > CLV_SWEEPFILE_COLUMNS || instances < 1 ||
        instances > CLV_SWEEP_RUNS)
        return damaged(f, "its sizes are out of range");
    f->width = (int)(values + outputs);
    f->start.nsetting = (int)settings, f->start.instances = (int)instances;
    f->start.nvalue = (int)values, f->start.noutput = (int)outputs;
    status = load_pairs(f, "SELECT name, value FROM settings ORDER BY number", (int)settings, &f->setting);
    if (status == CLV_OK)
        status = load_pairs(f, "SELECT name, unit FROM columns ORDER BY number", f->width, &f->column);
    f->start.setting = f->setting, f->start.column = f->column;
    f->sum = status == CLV_OK ? clv_sweepfile_start_sum(&f->start) : 0;
    return status == CLV_OK && f->sum != (uint64_t)sum ? damaged(f, "settings or columns were changed") : status;
}

clv_status clv_sweepfile_load(clv_sweepfile *f)
{
    clv_status status = check_kind(f);
    if (status == CLV_OK)
        status = load_start(f);
    if (status == CLV_OK)
        status = load_model(f);
    if (status == CLV_OK)
        status = clv_sweepfile_load_rows(f);
    if (status == CLV_OK)
        status = clv_sweepfile_load_job(f);
    if (status == CLV_OK && f->write)
        status = clv_sweepfile_sql(f, "PRAGMA journal_mode = DELETE; PRAGMA synchronous = NORMAL");
    return status;
}

/* ------------------------------------------------------------------ comparing */

static clv_status differ(clv_sweepfile *f, const char *what, const char *there, const char *here)
{
    clv_fail(&f->error, CLV_ERR_USAGE, "%s holds another sweep: %s is '%.80s' there and '%.80s' here", f->path, what,
             there, here);
    clv_error_hint(&f->error, "choose another --out, or --force to replace the file and its %d rows", f->count);
    return CLV_ERR_USAGE;
}

clv_status clv_sweepfile_same(clv_sweepfile *f, const clv_sweep_start *s)
{
    const clv_sweep_start *own = &f->start;
    for (int i = 0; i < own->nsetting && i < s->nsetting; ++i) {
        if (strcmp(own->setting[i].name, s->setting[i].name) != 0)
            return differ(f, "a setting", own->setting[i].name, s->setting[i].name);
        if (strcmp(own->setting[i].text, s->setting[i].text) != 0)
            return differ(f, own->setting[i].name, own->setting[i].text, s->setting[i].text);
    }
    for (int i = 0; i < f->width && i < s->nvalue + s->noutput; ++i)
        if (strcmp(own->column[i].name, s->column[i].name) != 0)
            return differ(f, "a column", own->column[i].name, s->column[i].name);
    if (own->nsetting == s->nsetting && own->instances == s->instances && own->nvalue == s->nvalue &&
        own->noutput == s->noutput && clv_sweepfile_start_sum(s) == f->sum)
        return CLV_OK;
    return differ(f, "the list of columns", "shorter or longer", "different");
}
