/* SPDX-License-Identifier: Apache-2.0
 * A new sweep file: tables, settings, columns, model; see sweepfile.h.  It is built in memory, written under another
 * name and moved into place complete, so that the name never stands for half a file. */
#include "base/error.h"
#include "base/memory.h"
#include "io/output.h"
#include "io/sweepfile_handle.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* docs/sweep.md describes these; the table `runs` is made from the columns */
static const char *const tables[] = {
    "CREATE TABLE sweep (instances INTEGER NOT NULL, sum INTEGER NOT NULL)",
    "CREATE TABLE settings (number INTEGER PRIMARY KEY, name TEXT NOT NULL, value TEXT NOT NULL)",
    "CREATE TABLE columns (number INTEGER PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, unit TEXT NOT NULL, "
    "in_runs TEXT NOT NULL)",
    "CREATE TABLE model (name TEXT, source TEXT, text TEXT NOT NULL)",
    "CREATE TABLE statistics (name TEXT, unit TEXT, runs INTEGER, mean REAL, deviation REAL, least REAL, "
    "percent_5 REAL, median REAL, percent_95 REAL, largest REAL, varies_with TEXT, correlation REAL)"};

/* Runs a prepared statement without results; it stays. */
static clv_status done(clv_sweepfile *f, sqlite3_stmt *s)
{
    const int result = sqlite3_step(s);
    sqlite3_reset(s);
    return result == SQLITE_DONE ? CLV_OK : clv_sweepfile_fail(f, result, "writing");
}

static clv_status put_model(clv_sweepfile *f, const clv_sweep_start *start)
{
    sqlite3_stmt *s = clv_sweepfile_prepare(f, "INSERT INTO model VALUES (?, ?, ?)");
    if (!s)
        return f->error.code;
    sqlite3_bind_text(s, 1, start->model, -1, SQLITE_STATIC);
    sqlite3_bind_text(s, 2, start->source, -1, SQLITE_STATIC);
    sqlite3_bind_text64(s, 3, start->text, start->size, SQLITE_STATIC, SQLITE_UTF8);
    const clv_status status = done(f, s);
    sqlite3_finalize(s);
    return status;
}

static clv_status put_settings(clv_sweepfile *f, const clv_sweep_start *start)
{
    sqlite3_stmt *s = clv_sweepfile_prepare(f, "INSERT INTO settings VALUES (?, ?, ?)");
    clv_status status = s ? CLV_OK : f->error.code;
    for (int i = 0; i < start->nsetting && status == CLV_OK; ++i) {
        sqlite3_bind_int(s, 1, i);
        sqlite3_bind_text(s, 2, start->setting[i].name, -1, SQLITE_STATIC);
        sqlite3_bind_text(s, 3, start->setting[i].text, -1, SQLITE_STATIC);
        status = done(f, s);
    }
    sqlite3_finalize(s);
    return status;
}

/* The name of column i in `runs`: SQLite compares names without case, and some are taken. */
static char *name_in_runs(const clv_sweep_start *start, int i)
{
    static const char *const taken[CLV_SWEEPFILE_FIXED] = {"instance", "status", "error", "sum"};
    const char *name = start->column[i].name;
    int same = 0;
    for (int k = 0; k < CLV_SWEEPFILE_FIXED; ++k)
        same += sqlite3_stricmp(taken[k], name) == 0;
    for (int k = 0; k < i; ++k)
        same += sqlite3_stricmp(start->column[k].name, name) == 0;
    return same ? sqlite3_mprintf("%s (%d)", name, i) : sqlite3_mprintf("%s", name);
}

/* The columns, and the table `runs` with them. */
static clv_status put_columns(clv_sweepfile *f, const clv_sweep_start *start)
{
    sqlite3_str *sql = sqlite3_str_new(f->db);
    sqlite3_stmt *s = clv_sweepfile_prepare(f, "INSERT INTO columns VALUES (?, ?, ?, ?, ?)");
    clv_status status = s ? CLV_OK : f->error.code;
    sqlite3_str_appendall(sql, "CREATE TABLE runs (instance INTEGER PRIMARY KEY, status TEXT NOT NULL, error TEXT, "
                               "sum INTEGER NOT NULL");
    for (int i = 0; i < start->nvalue + start->noutput && status == CLV_OK; ++i) {
        char *name = name_in_runs(start, i);
        if (!name)
            status = clv_sweepfile_memory(f);
        sqlite3_bind_int(s, 1, i);
        sqlite3_bind_text(s, 2, i < start->nvalue ? "value" : "output", -1, SQLITE_STATIC);
        sqlite3_bind_text(s, 3, start->column[i].name, -1, SQLITE_STATIC);
        sqlite3_bind_text(s, 4, start->column[i].text, -1, SQLITE_STATIC);
        sqlite3_bind_text(s, 5, name, -1, SQLITE_TRANSIENT);
        if (status == CLV_OK)
            status = done(f, s);
        sqlite3_str_appendf(sql, ", \"%w\" REAL", name);
        sqlite3_free(name);
    }
    sqlite3_finalize(s);
    sqlite3_str_appendchar(sql, 1, ')');
    char *text = sqlite3_str_finish(sql);
    if (status == CLV_OK)
        status = text ? clv_sweepfile_sql(f, text) : clv_sweepfile_memory(f);
    sqlite3_free(text);
    return status;
}

/* The database in memory. */
static clv_status fill(clv_sweepfile *f, const clv_sweep_start *start)
{
    char sql[160];
    snprintf(sql, sizeof sql, "PRAGMA application_id = %d; PRAGMA user_version = %d; BEGIN", CLV_SWEEPFILE_APPLICATION,
             CLV_SWEEPFILE_FORMAT);
    clv_status status = clv_sweepfile_connect(f, ":memory:", SQLITE_OPEN_READWRITE);
    if (status == CLV_OK)
        status = clv_sweepfile_sql(f, sql);
    for (size_t i = 0; i < sizeof tables / sizeof *tables && status == CLV_OK; ++i)
        status = clv_sweepfile_sql(f, tables[i]);
    snprintf(sql, sizeof sql, "INSERT INTO sweep VALUES (%d, %lld)", start->instances,
             (long long)clv_sweepfile_start_sum(start));
    if (status == CLV_OK)
        status = clv_sweepfile_sql(f, sql);
    if (status == CLV_OK)
        status = put_model(f, start);
    if (status == CLV_OK)
        status = put_settings(f, start);
    if (status == CLV_OK)
        status = put_columns(f, start);
    if (status == CLV_OK)
        status = clv_sweepfile_write_job(f, &start->job);
    return status == CLV_OK ? clv_sweepfile_sql(f, "COMMIT") : status;
}

/* ------------------------------------------------------------------ the file */

static clv_status cannot_write(clv_sweepfile *f)
{
    return clv_fail(&f->error, CLV_ERR_IO, "%s cannot be written: %s", f->path, strerror(errno));
}

static bool write_all(int fd, const unsigned char *bytes, sqlite3_int64 size)
{
    while (size > 0) {
        const ssize_t n = write(fd, bytes, (size_t)size);
        if (n < 0 && errno != EINTR)
            return false;
        if (n > 0)
            bytes += n, size -= n;
    }
    return fsync(fd) == 0;
}

/* A file beside the final one; *fresh is freed by sqlite3_free.  -1 after an error. */
static int open_fresh(clv_sweepfile *f, char **fresh)
{
    int fd = -1;
    for (int i = 0; i < 100 && fd < 0; ++i) {
        sqlite3_free(*fresh);
        if (!(*fresh = sqlite3_mprintf("%s-new-%ld-%d", f->place, (long)getpid(), i))) {
            clv_sweepfile_memory(f);
            return -1;
        }
        fd = open(*fresh, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST)
            break;
    }
    if (fd < 0)
        cannot_write(f);
    return fd;
}

/* What a process killed in the middle of a commit has left beside the file that is replaced. */
static void remove_journal(const clv_sweepfile *f)
{
    char *name = sqlite3_mprintf("%s-journal", f->place);
    if (name)
        unlink(name);
    sqlite3_free(name);
}

/* Gives the new file its name: by a link where nothing may be replaced, so that two programs cannot both succeed. */
static clv_status move(clv_sweepfile *f, const char *fresh, bool replace, const struct stat *old, int fd)
{
    if (replace) {
        (void)fchmod(fd, old->st_mode & 0777);
        remove_journal(f);
        return rename(fresh, f->place) == 0 ? CLV_OK : cannot_write(f);
    }
    if (link(fresh, f->place) == 0) {
        unlink(fresh);
        return CLV_OK;
    }
    if (errno == EEXIST)
        return clv_fail(&f->error, CLV_ERR_USAGE, "%s exists; --force replaces it", f->path);
    return access(f->place, F_OK) != 0 && rename(fresh, f->place) == 0 ? CLV_OK : cannot_write(f);
}

/* Nobody may be writing what is replaced. */
static clv_status check_old(clv_sweepfile *f)
{
    clv_status status = clv_sweepfile_lock(f);
    if (f->held >= 0)
        close(f->held);
    f->held = -1;
    return status;
}

static clv_status build(clv_sweepfile *f, const clv_sweep_start *start)
{
    struct stat old;
    char *fresh = NULL;
    sqlite3_int64 size = 0;
    int fd = -1;
    const bool replace = stat(f->place, &old) == 0;
    clv_status status = replace ? check_old(f) : CLV_OK;
    if (status == CLV_OK)
        status = fill(f, start);
    unsigned char *bytes = status == CLV_OK ? sqlite3_serialize(f->db, "main", &size, 0) : NULL;
    if (status == CLV_OK && !bytes)
        status = clv_sweepfile_memory(f);
    sqlite3_close(f->db);
    f->db = NULL;
    if (status == CLV_OK && (fd = open_fresh(f, &fresh)) < 0)
        status = f->error.code;
    if (status == CLV_OK && !write_all(fd, bytes, size))
        status = cannot_write(f);
    if (status == CLV_OK)
        status = move(f, fresh, replace, &old, fd);
    if (fd >= 0 && status != CLV_OK)
        unlink(fresh);
    if (fd >= 0)
        close(fd);
    sqlite3_free(bytes);
    sqlite3_free(fresh);
    return status;
}

static clv_status check_start(clv_sweepfile *f, const clv_sweep_start *s)
{
    if (s->nvalue + s->noutput > CLV_SWEEPFILE_COLUMNS) {
        clv_fail(&f->error, CLV_ERR_USAGE, "%d numbers per run are more than the %d that a sweep file can have",
                 s->nvalue + s->noutput, CLV_SWEEPFILE_COLUMNS);
        clv_error_hint(&f->error, "choose fewer by --columns, as 'tip.*,L.effort'");
        return f->error.code;
    }
    return s->instances <= CLV_SWEEP_RUNS
               ? CLV_OK
               : clv_fail(&f->error, CLV_ERR_USAGE, "%d runs are more than the %d that a sweep file can have",
                          s->instances, CLV_SWEEP_RUNS);
}

clv_status clv_sweepfile_create(clv_sweepfile **file, const char *path, const clv_sweep_start *start, bool force,
                                const char *const *input)
{
    const clv_output_rule rule = {.force = force, .input = input};
    clv_sweepfile *f = *file = clv_sweepfile_new(path);
    if (!f)
        return CLV_ERR_MEMORY;
    f->write = true;
    clv_status status = clv_output_check(path, &rule, &f->error);
    if (status == CLV_OK)
        status = check_start(f, start);
    if (status != CLV_OK || !(f->place = clv_output_resolve(path, &f->error)))
        return f->error.code;
    status = build(f, start);
    if (status == CLV_OK)
        status = clv_sweepfile_lock(f);
    if (status == CLV_OK)
        status = clv_sweepfile_connect(f, f->place, SQLITE_OPEN_READWRITE);
    return status == CLV_OK ? clv_sweepfile_load(f) : status;
}
