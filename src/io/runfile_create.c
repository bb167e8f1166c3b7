/* SPDX-License-Identifier: Apache-2.0
 * A new run file: tables, model, settings, columns; see runfile.h.  It is built in memory, written under another name
 * and moved into place complete, so that the name never stands for half a file. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>
#include "base/error.h"
#include "base/memory.h"
#include "io/runfile_handle.h"
#include "model/model.h"
#include "simulation/option_rows.h"

/* docs/run-file.md describes these; clv_runfile_check compares them letter by letter */
const clv_runfile_table clv_runfile_tables[] = {
    {"model", "CREATE TABLE model (name TEXT, source TEXT, text TEXT NOT NULL)"},
    {"settings", "CREATE TABLE settings (name TEXT PRIMARY KEY, value) WITHOUT ROWID"},
    {"sessions", "CREATE TABLE sessions (number INTEGER PRIMARY KEY, started TEXT, version TEXT, compiler TEXT, "
                 "lanes INTEGER, system TEXT, cpu TEXT, frames INTEGER, wall_seconds REAL)"},
    {"columns", "CREATE TABLE columns (offset INTEGER PRIMARY KEY, count INTEGER NOT NULL, kind TEXT NOT NULL, "
                "owner TEXT, name TEXT NOT NULL, unit TEXT NOT NULL, axes TEXT NOT NULL)"},
    {"frames", "CREATE TABLE frames (first INTEGER PRIMARY KEY, count INTEGER NOT NULL, sum INTEGER NOT NULL, "
               "data BLOB NOT NULL)"},
    {"checkpoints", "CREATE TABLE checkpoints (frames INTEGER NOT NULL, time REAL PRIMARY KEY NOT NULL, "
                    "events INTEGER NOT NULL, truncated INTEGER NOT NULL, sum INTEGER NOT NULL, data BLOB NOT NULL)"},
    {"events", "CREATE TABLE events (number INTEGER PRIMARY KEY, time REAL, kind TEXT NOT NULL, text TEXT, "
               "sum INTEGER NOT NULL)"},
    {"summary", "CREATE TABLE summary (name TEXT PRIMARY KEY, value) WITHOUT ROWID"},
    {"sums", "CREATE TABLE sums (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID"},
    {CLV_RUNFILE_MESHES, "CREATE TABLE meshes (visual INTEGER PRIMARY KEY, name TEXT NOT NULL, data BLOB NOT NULL)"},
    {NULL, NULL}};

/* ------------------------------------------------------------------ columns */

static clv_status put_column(clv_runfile *f, sqlite3_stmt *s, const clv_column *c)
{
    sqlite3_reset(s);
    sqlite3_bind_int64(s, 1, 8 * (sqlite3_int64)c->first);
    sqlite3_bind_int(s, 2, c->count);
    sqlite3_bind_text(s, 3, c->kind, -1, SQLITE_STATIC);
    sqlite3_bind_text(s, 4, *c->owner ? c->owner : NULL, -1, SQLITE_STATIC);
    sqlite3_bind_text(s, 5, c->name, -1, SQLITE_STATIC);
    sqlite3_bind_text(s, 6, c->unit, -1, SQLITE_STATIC);
    sqlite3_bind_text(s, 7, c->axes, -1, SQLITE_STATIC);
    int result = sqlite3_step(s);
    return result == SQLITE_DONE ? CLV_OK : clv_runfile_fail(f, result, "writing");
}

static clv_status put_columns(clv_runfile *f, const clv_columns *c)
{
    sqlite3_stmt *s = clv_runfile_prepare(f, "INSERT INTO columns VALUES (?, ?, ?, ?, ?, ?, ?)");
    clv_status status = s ? CLV_OK : f->error.code;
    for (int i = 0; i < c->n && status == CLV_OK; i++)
        status = put_column(f, s, &c->column[i]);
    sqlite3_finalize(s);
    return status;
}

/* ------------------------------------------------------------------ model and settings */

static clv_status put_model(clv_runfile *f, const clv_runfile_start *start)
{
    sqlite3_stmt *s = clv_runfile_prepare(f, "INSERT INTO model VALUES (?, ?, ?)");
    if (!s)
        return f->error.code;
    sqlite3_bind_text(s, 1, clv_model_name(start->model), -1, SQLITE_STATIC);
    sqlite3_bind_text(s, 2, start->source, -1, SQLITE_STATIC);
    sqlite3_bind_text64(s, 3, start->text, start->size, SQLITE_STATIC, SQLITE_UTF8);
    return clv_runfile_run(f, s);
}

static clv_status put_setting(clv_runfile *f, const char *name, const char *text, double number)
{
    sqlite3_stmt *s = clv_runfile_prepare(f, "INSERT INTO settings VALUES (?, ?)");
    if (!s)
        return f->error.code;
    sqlite3_bind_text(s, 1, name, -1, SQLITE_STATIC);
    if (text)
        sqlite3_bind_text(s, 2, text, -1, SQLITE_STATIC);
    else
        sqlite3_bind_double(s, 2, number);
    return clv_runfile_run(f, s);
}

static clv_status put_settings(clv_runfile *f, const clv_runfile_settings *set)
{
    clv_sim_options o = set->sim;
    const char *name;
    const clv_option_row *option;
    clv_status status = CLV_OK;
    o.atol = isnan(o.atol) ? o.rtol : o.atol;
#define PUT_NAME(at, kind, field, key, word, usual, least, most, open, of, saved, value, help)                       \
    if ((name = o.field) != NULL && status == CLV_OK)                                                                \
        status = put_setting(f, key, name, 0);
    CLV_NAME_OPTIONS(PUT_NAME)
#undef PUT_NAME
    for (int i = 0; status == CLV_OK && (option = clv_option_row_at(i)) != NULL; i++) {
        const double x = clv_option_number(&o, option);
        if (option->type == CLV_TYPE_THREADS) /* no result depends on it */
            continue;
        if (option->of == CLV_OF_ALL || !clv_option_is_default(option, x))
            status = put_setting(f, option->name, NULL, x);
    }
    const struct {
        const char *name;
        double number;
    } row[] = {{"end", set->end}, {"every", set->every}, {"checkpoint", set->checkpoint},
               {"reactions", set->reactions}, {"chunk_frames", (double)f->chunk_frames}};
    for (size_t i = 0; i < sizeof row / sizeof row[0] && status == CLV_OK; i++)
        if (!isnan(row[i].number)) /* else not given */
            status = put_setting(f, row[i].name, NULL, row[i].number);
    return status;
}

/* ------------------------------------------------------------------ the file */

/* Frames of about a megabyte together, 1 .. 256. */
static long frames_in_chunk(int width) { return (long)fmin(256, fmax(1, floor(CLV_RUNFILE_CHUNK / (8.0 * width)))); }

static clv_status create_tables(clv_runfile *f)
{
    clv_status status = CLV_OK;
    for (int i = 0; clv_runfile_tables[i].name && status == CLV_OK; i++)
        if (strcmp(clv_runfile_tables[i].name, CLV_RUNFILE_MESHES) != 0)
            status = clv_runfile_sql(f, clv_runfile_tables[i].sql);
    return status;
}

/* The sums of all that is there, and a number by which the log of this file is distinguished from another's. */
static clv_status put_sums(clv_runfile *f)
{
    static const char *const table[] = {"model", "settings", "columns", "summary"};
    long long birth;
    clv_status status = CLV_OK;
    sqlite3_randomness(sizeof birth, &birth);
    for (size_t i = 0; i < sizeof table / sizeof table[0] && status == CLV_OK; i++)
        status = clv_runfile_put_sum(f, table[i]);
    if (status == CLV_OK)
        status = clv_runfile_run_hash(f, &f->run);
    if (status == CLV_OK)
        status = clv_runfile_put_count(f, "run", (long long)f->run);
    if (status == CLV_OK)
        status = clv_runfile_put_count(f, "birth", birth);
    if (status == CLV_OK)
        status = clv_runfile_put_count(f, "frames", 0);
    return status == CLV_OK ? clv_runfile_put_count(f, "events", 0) : status;
}

/* The database in memory. */
static clv_status fill(clv_runfile *f, const clv_runfile_start *start, const clv_columns *columns)
{
    char sql[160];
    f->chunk_frames = frames_in_chunk(columns->width);
    snprintf(sql, sizeof sql, "PRAGMA page_size = %d; PRAGMA application_id = %d; PRAGMA user_version = %d; BEGIN",
             f->chunk_frames < 256 ? 65536 : 4096, CLV_RUNFILE_APPLICATION, CLV_RUNFILE_FORMAT);
    clv_status status = clv_runfile_connect(f, ":memory:", SQLITE_OPEN_READWRITE);
    if (status == CLV_OK)
        status = clv_runfile_sql(f, sql);
    if (status == CLV_OK)
        status = create_tables(f);
    if (status == CLV_OK)
        status = put_model(f, start);
    if (status == CLV_OK)
        status = clv_runfile_put_meshes(f, start->model);
    if (status == CLV_OK)
        status = put_settings(f, &start->settings);
    if (status == CLV_OK && start->parameters)
        status = put_setting(f, "parameters", start->parameters, 0);
    if (status == CLV_OK)
        status = put_columns(f, columns);
    if (status == CLV_OK)
        status = clv_runfile_put_session(f, &start->machine);
    if (status == CLV_OK)
        status = put_sums(f);
    return status == CLV_OK ? clv_runfile_sql(f, "COMMIT") : status;
}

/* ------------------------------------------------------------------ the file */

static clv_status cannot_write(clv_runfile *f)
{
    return clv_fail(&f->error, CLV_ERR_IO, "%s cannot be written: %s", f->path, strerror(errno));
}

static bool write_all(int fd, const unsigned char *bytes, sqlite3_int64 size)
{
    while (size > 0) {
        ssize_t n = write(fd, bytes, (size_t)size);
        if (n < 0 && errno != EINTR)
            return false;
        if (n > 0)
            bytes += n, size -= n;
    }
    return true;
}

/* A file under another name beside the final one, locked; *fresh is freed by sqlite3_free.  -1 after an error.  */
static int open_fresh(clv_runfile *f, char **fresh)
{
    int fd = -1;
    for (int i = 0; i < 100 && fd < 0; i++) {
        sqlite3_free(*fresh);
        if (!(*fresh = sqlite3_mprintf("%s-new-%ld-%d", f->place, (long)getpid(), i))) {
            clv_fail(&f->error, CLV_ERR_MEMORY, "out of memory");
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

/* The whole new file under another name. */
static clv_status write_fresh(clv_runfile *f, const clv_runfile_start *start, char **fresh, int *fd)
{
    clv_columns columns;
    clv_error e;
    sqlite3_int64 size = 0;
    clv_status status = clv_columns_create(&columns, start->model, start->columns, start->settings.reactions, &e);
    if (status != CLV_OK)
        return clv_fail(&f->error, status, "%s", e.message);
    status = fill(f, start, &columns);
    clv_columns_release(&columns);
    unsigned char *bytes = status == CLV_OK ? sqlite3_serialize(f->db, "main", &size, 0) : NULL;
    if (status == CLV_OK && !bytes)
        status = clv_fail(&f->error, CLV_ERR_MEMORY, "out of memory");
    sqlite3_close(f->db);
    f->db = NULL;
    if (status == CLV_OK && (*fd = open_fresh(f, fresh)) < 0)
        status = f->error.code;
    if (status == CLV_OK && (flock(*fd, LOCK_EX | LOCK_NB) != 0 || !write_all(*fd, bytes, size) || fsync(*fd) != 0))
        status = cannot_write(f);
    sqlite3_free(bytes);
    return status;
}

static void hold_fresh(clv_runfile *f, int *fd)
{
    if (f->held >= 0)
        close(f->held);
    f->held = *fd, *fd = -1;
    (void)fstat(f->held, &f->about);
}

/* Gives the new file a name that is not taken, in one stroke.  False: it is taken, there are logs to be removed first,
 * or the file system has no links. */
static bool name_fresh(clv_runfile *f, const char *fresh, int *fd)
{
    if (clv_runfile_has_logs(f) || link(fresh, f->place) != 0)
        return false;
    unlink(fresh);
    hold_fresh(f, fd);
    return true;
}

/* Moves the new file to the name that is held. */
static clv_status move_fresh(clv_runfile *f, const char *fresh, int *fd)
{
    if (!clv_runfile_is_there(f))
        return clv_fail(&f->error, CLV_ERR_IO, "%s was removed or replaced by another program", f->path);
    (void)fchmod(*fd, f->about.st_mode & 0777);
    if (rename(fresh, f->place) != 0)
        return cannot_write(f);
    hold_fresh(f, fd);
    return CLV_OK;
}

/* The file in its place, held and locked.  What lies there stays until the new file is complete. */
static clv_status build(clv_runfile *f, const clv_runfile_start *start)
{
    struct stat old;
    char *fresh = NULL;
    int fd = -1;
    bool taken = lstat(f->place, &old) == 0, created = false;
    clv_status status = taken ? clv_runfile_claim(f, start, &created) : CLV_OK;
    if (status == CLV_OK)
        status = write_fresh(f, start, &fresh, &fd);
    if (status == CLV_OK && fresh && (taken || !name_fresh(f, fresh, &fd))) {
        if (!taken)
            status = clv_runfile_claim(f, start, &created);
        if (status == CLV_OK)
            status = move_fresh(f, fresh, &fd);
    }
    if (fd >= 0 && fresh)
        unlink(fresh);
    if (fd >= 0)
        close(fd);
    if (status != CLV_OK && created && clv_runfile_is_there(f))
        unlink(f->place);
    sqlite3_free(fresh);
    return status;
}

clv_status clv_runfile_create(clv_runfile **file, const char *path, const clv_runfile_start *start)
{
    clv_runfile *f = *file = clv_runfile_new(path);
    clv_status status = f ? clv_runfile_find(f) : CLV_ERR_MEMORY;
    if (status == CLV_OK)
        status = build(f, start);
    if (status == CLV_OK)
        status = clv_runfile_connect(f, f->place, SQLITE_OPEN_READWRITE);
    if (status == CLV_OK)
        status = clv_runfile_begin(f);
    if (status == CLV_OK)
        status = clv_runfile_load(f);
    if (status == CLV_OK && !(f->chunk = clv_alloc((size_t)f->chunk_frames * (size_t)f->width, sizeof(double))))
        status = clv_fail(&f->error, CLV_ERR_MEMORY, "out of memory");
    return status;
}
