/* SPDX-License-Identifier: Apache-2.0
 * The handle of a run file: opening, the lock of the writer, closing, SQLite's results in words; see runfile.h.
 *
 * The lock is an flock on the file itself: it lasts as long as the process, ends with it however it ends, and readers
 * do not feel it.  Its descriptor is closed after the database's, because closing any descriptor of a file drops the
 * record locks that SQLite holds. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "base/error.h"
#include "base/memory.h"
#include "io/runfile_handle.h"

const clv_error *clv_runfile_error(const clv_runfile *f) { return &f->error; }

/* ------------------------------------------------------------------ errors */

clv_status clv_runfile_fail(clv_runfile *f, int result, const char *doing)
{
    int number = f->db ? sqlite3_system_errno(f->db) : errno;
    const char *why = number ? strerror(number) : sqlite3_errstr(result);
    if (f->error.code != CLV_OK)
        return f->error.code; /* the first one tells most */
    switch (result & 0xff) {
    case SQLITE_NOMEM:
        return clv_fail(&f->error, CLV_ERR_MEMORY, "%s: out of memory while %s", f->path, doing);
    case SQLITE_FULL:
        clv_fail(&f->error, CLV_ERR_IO, "%s: the disk is full while %s", f->path, doing);
        clv_error_hint(&f->error,
                       "what was committed before is kept; make room, then `cleave resume` goes on from there");
        return f->error.code;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
        return clv_fail(&f->error, CLV_ERR_IO, "%s is in use by another process", f->path);
    case SQLITE_NOTADB:
        return clv_fail(&f->error, CLV_ERR_SYNTAX, "%s is not a run file", f->path);
    case SQLITE_CORRUPT:
        return clv_fail(&f->error, CLV_ERR_SYNTAX, "%s is damaged: %s", f->path, sqlite3_errmsg(f->db));
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
        return clv_fail(&f->error, CLV_ERR_IO, "%s cannot be written: %s", f->path, why);
    case SQLITE_IOERR:
        clv_fail(&f->error, CLV_ERR_IO, "%s: %s while %s", f->path, why, doing);
        clv_error_hint(&f->error, "what was committed before is kept; `cleave resume` goes on from there");
        return f->error.code;
    default:
        return clv_fail(&f->error, CLV_ERR_SYNTAX, "%s: %s while %s", f->path, sqlite3_errmsg(f->db), doing);
    }
}

clv_status clv_runfile_sql(clv_runfile *f, const char *sql)
{
    int result = sqlite3_exec(f->db, sql, NULL, NULL, NULL);
    return result == SQLITE_OK ? CLV_OK : clv_runfile_fail(f, result, "writing");
}

sqlite3_stmt *clv_runfile_prepare(clv_runfile *f, const char *sql)
{
    sqlite3_stmt *s = NULL;
    int result = sqlite3_prepare_v2(f->db, sql, -1, &s, NULL);
    if (result != SQLITE_OK)
        clv_runfile_fail(f, result, "reading");
    return s;
}

clv_status clv_runfile_run(clv_runfile *f, sqlite3_stmt *s)
{
    if (!s)
        return f->error.code;
    int result = sqlite3_step(s);
    clv_status status = result == SQLITE_DONE || result == SQLITE_ROW ? CLV_OK : clv_runfile_fail(f, result, "writing");
    sqlite3_finalize(s);
    return status;
}

/* ------------------------------------------------------------------ opening */

clv_runfile *clv_runfile_new(const char *path)
{
    clv_runfile *f = clv_alloc(1, sizeof *f);
    if (!f)
        return NULL;
    clv_error_clear(&f->error);
    f->lock = -1;
    f->path = clv_copy_text(path);
    if (!f->path) {
        clv_free(f);
        return NULL;
    }
    return f;
}

clv_status clv_runfile_connect(clv_runfile *f, const char *path, int flags)
{
    int result = sqlite3_open_v2(path, &f->db, flags, NULL);
    if (result != SQLITE_OK)
        return clv_runfile_fail(f, result, "opening");
    sqlite3_extended_result_codes(f->db, 1);
    sqlite3_busy_timeout(f->db, 2000); /* ms: a reader that folds, a look by another tool */
    return CLV_OK;
}

static clv_status pragma(clv_runfile *f, const char *sql, long long *value)
{
    sqlite3_stmt *s = clv_runfile_prepare(f, sql);
    if (!s)
        return f->error.code;
    int result = sqlite3_step(s);
    *value = result == SQLITE_ROW ? sqlite3_column_int64(s, 0) : 0;
    sqlite3_finalize(s);
    return result == SQLITE_ROW ? CLV_OK : clv_runfile_fail(f, result, "opening");
}

clv_status clv_runfile_check(clv_runfile *f)
{
    long long application = 0, format = 0;
    clv_status status = pragma(f, "PRAGMA application_id", &application);
    if (status == CLV_OK)
        status = pragma(f, "PRAGMA user_version", &format);
    if (status != CLV_OK)
        return status;
    if (application != CLV_RUNFILE_APPLICATION)
        return clv_fail(&f->error, CLV_ERR_SYNTAX, "%s is not a run file: its application_id is %lld, not %d", f->path,
                        application, CLV_RUNFILE_APPLICATION);
    if (format < 1 || format > CLV_RUNFILE_FORMAT)
        return clv_fail(&f->error, CLV_ERR_UNSUPPORTED,
                        "%s has format %lld; this version of cleave knows formats up to %d", f->path, format,
                        CLV_RUNFILE_FORMAT);
    return CLV_OK;
}

clv_status clv_runfile_lock(clv_runfile *f, const char *path, int flags)
{
    int fd = open(path, flags | O_CLOEXEC, 0666);
    if (fd < 0)
        return clv_fail(&f->error, CLV_ERR_IO, "%s cannot be written: %s", f->path, strerror(errno));
    if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        close(fd);
        return clv_fail(&f->error, CLV_ERR_IO, "%s is in use by another process", f->path);
    }
    f->lock = fd;
    return CLV_OK;
}

clv_status clv_runfile_begin(clv_runfile *f)
{
    /* about 64 MB of log between two foldings */
    return clv_runfile_sql(f, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -8192;"
                              "PRAGMA wal_autocheckpoint = 1024");
}

clv_status clv_runfile_put_session(clv_runfile *f, const clv_runfile_machine *m)
{
    char started[32] = "";
    time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc))
        strftime(started, sizeof started, "%Y-%m-%dT%H:%M:%SZ", &utc);
    sqlite3_stmt *s =
        clv_runfile_prepare(f, "INSERT INTO sessions (started, version, compiler, lanes, system, cpu, frames, "
                               "wall_seconds) VALUES (?, ?, ?, ?, ?, ?, ?, 0)");
    if (!s)
        return f->error.code;
    sqlite3_bind_text(s, 1, started, -1, SQLITE_TRANSIENT);
    sqlite3_bind_text(s, 2, m->version, -1, SQLITE_STATIC);
    sqlite3_bind_text(s, 3, m->compiler, -1, SQLITE_STATIC);
    sqlite3_bind_int(s, 4, m->lanes);
    sqlite3_bind_text(s, 5, m->system, -1, SQLITE_STATIC);
    sqlite3_bind_text(s, 6, m->cpu, -1, SQLITE_STATIC);
    sqlite3_bind_int64(s, 7, f->frames);
    clv_status status = clv_runfile_run(f, s);
    f->session = (int)sqlite3_last_insert_rowid(f->db);
    return status;
}

/* There is such a file, and it may be read. */
static clv_status look(clv_runfile *f)
{
    struct stat about;
    if (stat(f->path, &about) != 0 || access(f->path, R_OK) != 0)
        return clv_fail(&f->error, CLV_ERR_MODEL, "there is no readable file %s", f->path);
    if (about.st_size == 0)
        return clv_fail(&f->error, CLV_ERR_SYNTAX, "%s is not a run file: it is empty", f->path);
    return CLV_OK;
}

clv_status clv_runfile_open(clv_runfile **file, const char *path)
{
    clv_runfile *f = *file = clv_runfile_new(path);
    if (!f)
        return CLV_ERR_MEMORY;
    clv_status status = look(f);
    if (status == CLV_OK)
        status = clv_runfile_connect(f, path, SQLITE_OPEN_READONLY);
    if (status == CLV_OK)
        status = clv_runfile_check(f);
    if (status == CLV_ERR_IO && access(path, W_OK) == 0) { /* no room for the log's index: keep it in memory */
        clv_error_clear(&f->error);
        sqlite3_close(f->db);
        status = clv_runfile_connect(f, path, SQLITE_OPEN_READWRITE);
        if (status == CLV_OK)
            status = clv_runfile_sql(f, "PRAGMA locking_mode = EXCLUSIVE");
        if (status == CLV_OK)
            status = clv_runfile_check(f);
    }
    return status == CLV_OK ? clv_runfile_load(f) : status;
}

clv_status clv_runfile_continue(clv_runfile **file, const char *path, const clv_runfile_machine *machine)
{
    clv_runfile *f = *file = clv_runfile_new(path);
    if (!f)
        return CLV_ERR_MEMORY;
    clv_status status = look(f);
    if (status == CLV_OK)
        status = clv_runfile_lock(f, path, O_RDWR);
    if (status == CLV_OK)
        status = clv_runfile_connect(f, path, SQLITE_OPEN_READWRITE);
    if (status == CLV_OK)
        status = clv_runfile_check(f);
    if (status == CLV_OK)
        status = clv_runfile_begin(f);
    if (status == CLV_OK)
        status = clv_runfile_load(f);
    if (status == CLV_OK)
        status = clv_runfile_put_session(f, machine);
    if (status == CLV_OK && !(f->chunk = clv_alloc((size_t)f->chunk_frames * (size_t)f->width, sizeof(double))))
        status = clv_fail(&f->error, CLV_ERR_MEMORY, "out of memory");
    return status;
}

/* ------------------------------------------------------------------ closing */

static clv_status fold(clv_runfile *f)
{
    int result = sqlite3_exec(f->db, "PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
    if (result == SQLITE_OK || (result & 0xff) == SQLITE_BUSY || (result & 0xff) == SQLITE_LOCKED)
        return CLV_OK;
    clv_runfile_fail(f, result, "folding the log into it");
    clv_error_hint(&f->error, "nothing is lost: keep %s-wal beside it; the next `cleave resume` folds it", f->path);
    return f->error.code;
}

clv_status clv_runfile_close(clv_runfile *f, clv_error *error)
{
    clv_status status = CLV_OK;
    if (!f)
        return CLV_OK;
    sqlite3_finalize(f->put_chunk);
    if (f->db && f->session > 0 && f->error.code == CLV_OK) {
        status = fold(f);
        if (status != CLV_OK && error)
            *error = f->error;
    }
    sqlite3_close(f->db);
    if (f->lock >= 0)
        close(f->lock);
    for (int i = 0; i < f->ncolumn; i++)
        clv_free(f->column[i].owner), clv_free(f->column[i].name);
    clv_free(f->column), clv_free(f->chunk), clv_free(f->read);
    clv_free(f->formulation), clv_free(f->integrator), clv_free(f->bracketing), clv_free(f->source), clv_free(f->text);
    clv_free(f->path), clv_free(f);
    return status;
}
