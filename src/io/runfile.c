/* SPDX-License-Identifier: Apache-2.0
 * The handle of a run file: opening, closing, SQLite's results in words; see runfile.h.  The database is not trusted:
 * its schema must be ours to the letter, and nothing in it is executed. */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/error.h"
#include "base/memory.h"
#include "io/database.h"
#include "io/runfile_handle.h"

const clv_error *clv_runfile_error(const clv_runfile *f) { return &f->error; }

/* ------------------------------------------------------------------ errors */

clv_status clv_runfile_fail(clv_runfile *f, int result, const char *doing)
{
    static const clv_database_words words = {
        "run file", "committed data are kept; free some space, then `cleave resume` continues from there",
        "committed data are kept; `cleave resume` continues from there"};
    if (f->error.code != CLV_OK)
        return f->error.code; /* the first one shows most */
    const bool read_badly = (result & 0xff) == SQLITE_CORRUPT || (result & 0xff) == SQLITE_IOERR;
    if (read_badly && f->session > 0 && f->held >= 0 && clv_runfile_check_place(f) != CLV_OK)
        return f->error.code; /* cut, say, since the transaction began */
    if ((result & 0xff) == SQLITE_CORRUPT && f->session > 0 && f->held >= 0) {
        /* The file was sound when the session began; a cut that a checkpoint wrote over has its old size again. */
        clv_fail(&f->error, CLV_ERR_IO, "%s was changed by another program during the run, or its disk fails: %s",
                 f->path, sqlite3_errmsg(f->db));
        clv_error_hint(&f->error, "data written since then are lost; start the run again");
        return f->error.code;
    }
    return clv_database_fail(&f->error, f->db, f->path, result, doing, &words);
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
    f->held = -1;
    f->path = clv_copy_text(path);
    if (!f->path) {
        clv_free(f);
        return NULL;
    }
    return f;
}

clv_status clv_runfile_connect(clv_runfile *f, const char *path, int flags)
{
    int result = sqlite3_open_v2(path, &f->db, flags | SQLITE_OPEN_NOMUTEX, NULL); /* one thread at a time */
    if (result != SQLITE_OK)
        return clv_runfile_fail(f, result, "opening");
    clv_database_distrust(f->db);
    sqlite3_db_config(f->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
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

clv_status clv_runfile_damaged(clv_runfile *f, const char *what)
{
    if (!f->tolerant) {
        clv_fail(&f->error, CLV_ERR_SYNTAX, "%s is damaged: %s", f->path, what);
        clv_error_hint(&f->error, "`cleave export --damaged` writes the frames that are intact");
        return f->error.code;
    }
    size_t used = strlen(f->damage);
    if (!strstr(f->damage, what) && used + 3 < sizeof f->damage) {
        snprintf(f->damage + used, sizeof f->damage - used, "%s", used ? "; " : "");
        used = strlen(f->damage);
        clv_error_text(f->damage + used, sizeof f->damage - used, what);
    }
    return CLV_OK;
}

clv_status clv_runfile_unreadable(clv_runfile *f, const char *what)
{
    bool tolerant = f->tolerant;
    f->tolerant = false;
    clv_status status = clv_runfile_damaged(f, what);
    f->tolerant = tolerant;
    return status;
}

clv_status clv_runfile_check_format(clv_runfile *f)
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
    if (format >= 1 && format < CLV_RUNFILE_FORMAT) {
        clv_fail(&f->error, CLV_ERR_UNSUPPORTED, "%s has format %lld, of an earlier version of cleave; this one has %d",
                 f->path, format, CLV_RUNFILE_FORMAT);
        clv_error_hint(&f->error, "read it with the version that wrote it, or run the model again");
        return f->error.code;
    }
    if (format != CLV_RUNFILE_FORMAT)
        return clv_fail(&f->error, CLV_ERR_UNSUPPORTED,
                        "%s has format %lld; this version of cleave knows formats up to %d", f->path, format,
                        CLV_RUNFILE_FORMAT);
    return CLV_OK;
}

/* Which of our tables is this row of the schema?  -1: none; an index that SQLite made for one is as good as it. */
static int our_table(sqlite3_stmt *s)
{
    const char *text[4];
    for (int i = 0; i < 4; i++)
        text[i] = (const char *)sqlite3_column_text(s, i);
    if (!text[0] || !text[1] || !text[2])
        return -1;
    bool index = strcmp(text[0], "index") == 0 && !text[3] && strncmp(text[1], "sqlite_autoindex_", 17) == 0;
    bool table = strcmp(text[0], "table") == 0 && text[3] && strcmp(text[1], text[2]) == 0;
    for (int i = 0; (index || table) && clv_runfile_tables[i].name; i++)
        if (strcmp(text[2], clv_runfile_tables[i].name) == 0)
            return index || strcmp(text[3], clv_runfile_tables[i].sql) == 0 ? i : -1;
    return -1;
}

/* Plain tables of ours, all of them, and nothing else: no view, trigger, index or expression is ever evaluated. */
static clv_status check_schema(clv_runfile *f)
{
    unsigned found = 0;
    int result = SQLITE_DONE;
    sqlite3_stmt *s = clv_runfile_prepare(f, "SELECT type, name, tbl_name, sql FROM sqlite_master");
    clv_status status = s ? CLV_OK : f->error.code;
    while (status == CLV_OK && (result = sqlite3_step(s)) == SQLITE_ROW) {
        int table = our_table(s);
        const char *type = (const char *)sqlite3_column_text(s, 0), *name = (const char *)sqlite3_column_text(s, 1);
        if (table < 0)
            status = clv_fail(&f->error, CLV_ERR_SYNTAX,
                              "%s is damaged: the %.20s '%.60s' in it does not belong to "
                              "a run file",
                              f->path, type ? type : "object", name ? name : "");
        else
            found |= 1u << table;
    }
    sqlite3_finalize(s);
    for (int i = 0; clv_runfile_tables[i].name; i++)
        f->meshes |= strcmp(clv_runfile_tables[i].name, CLV_RUNFILE_MESHES) == 0 && (found & 1u << i) != 0;
    if (status == CLV_OK && result != SQLITE_DONE)
        status = clv_runfile_fail(f, result, "reading");
    for (int i = 0; status == CLV_OK && clv_runfile_tables[i].name; i++)
        if (!(found & 1u << i) && strcmp(clv_runfile_tables[i].name, CLV_RUNFILE_MESHES) != 0)
            status = clv_fail(&f->error, CLV_ERR_SYNTAX, "%s is damaged: no such table: %s", f->path,
                              clv_runfile_tables[i].name);
    return status;
}

clv_status clv_runfile_check(clv_runfile *f)
{
    clv_status status = clv_runfile_check_format(f);
    return status == CLV_OK ? check_schema(f) : status;
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
    return status == CLV_OK ? clv_runfile_put_sum(f, "sessions") : status;
}

/* A connection for reading that sees one state of the file, however long it takes. */
static clv_status begin_reading(clv_runfile *f, int flags, const char *more)
{
    clv_status status = clv_runfile_connect(f, f->place, flags);
    if (status == CLV_OK && more)
        status = clv_runfile_sql(f, more);
    if (status == CLV_OK)
        status = clv_runfile_sql(f, "BEGIN");
    return status == CLV_OK ? clv_runfile_check(f) : status;
}

static clv_status open_for_reading(clv_runfile *f)
{
    clv_status status = clv_runfile_hold(f);
    if (status == CLV_OK)
        status = begin_reading(f, SQLITE_OPEN_READONLY, NULL);
    if (status == CLV_ERR_IO && access(f->place, W_OK) == 0) { /* no room for the log's index: keep it in memory */
        clv_error_clear(&f->error);
        sqlite3_close(f->db);
        f->db = NULL;
        status = begin_reading(f, SQLITE_OPEN_READWRITE, "PRAGMA locking_mode = EXCLUSIVE");
    }
    return status;
}

/* Of a name that goes to another file meanwhile, the other is opened. */
static clv_status open_same(clv_runfile *f)
{
    for (int i = 0; i < 20; i++) {
        clv_status status = open_for_reading(f);
        if (f->held < 0 || clv_runfile_is_there(f))
            return status == CLV_OK ? clv_runfile_check_log(f) : status;
        clv_error_clear(&f->error);
        sqlite3_close(f->db);
        close(f->held);
        f->db = NULL, f->held = -1;
    }
    return clv_fail(&f->error, CLV_ERR_IO, "%s is in use by another process", f->path);
}

static clv_status open_file(clv_runfile **file, const char *path, bool tolerant)
{
    clv_runfile *f = *file = clv_runfile_new(path);
    if (!f)
        return CLV_ERR_MEMORY;
    f->tolerant = tolerant;
    clv_status status = open_same(f);
    return status == CLV_OK ? clv_runfile_load(f) : status;
}

clv_status clv_runfile_open(clv_runfile **file, const char *path) { return open_file(file, path, false); }

clv_status clv_runfile_open_damaged(clv_runfile **file, const char *path) { return open_file(file, path, true); }

static clv_status add_session(clv_runfile *f, const clv_runfile_machine *machine)
{
    clv_status status = clv_runfile_begin(f);
    if (status == CLV_OK)
        status = clv_runfile_sql(f, "BEGIN IMMEDIATE");
    if (status == CLV_OK)
        status = clv_runfile_put_session(f, machine);
    return status == CLV_OK ? clv_runfile_sql(f, "COMMIT") : status;
}

clv_status clv_runfile_continue(clv_runfile **file, const char *path, const clv_runfile_machine *machine)
{
    clv_runfile *f = *file = clv_runfile_new(path);
    if (!f)
        return CLV_ERR_MEMORY;
    clv_status status = clv_runfile_lock(f);
    if (status == CLV_OK)
        status = clv_runfile_connect(f, f->place, SQLITE_OPEN_READWRITE);
    if (status == CLV_OK)
        status = clv_runfile_check(f);
    if (status == CLV_OK)
        status = clv_runfile_check_log(f);
    if (status == CLV_OK)
        status = clv_runfile_load(f);
    if (status == CLV_OK)
        status = clv_runfile_check_frames(f);
    if (status == CLV_OK)
        status = add_session(f, machine);
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
    clv_runfile_fail(f, result, "merging the log into it");
    clv_error_hint(&f->error, "nothing is lost: keep %s-wal beside it; the next `cleave resume` merges it", f->path);
    return f->error.code;
}

/* What was finished is read back, by the name: it must be there, whole. */
static clv_status read_back(clv_runfile *f)
{
    clv_runfile *again = NULL;
    clv_status status = clv_runfile_check_place(f);
    if (status != CLV_OK)
        return status;
    status = clv_runfile_open(&again, f->path);
    if (status == CLV_OK)
        status = clv_runfile_check_frames(again);
    if (status == CLV_OK && (again->run != f->run || again->frames < f->frames))
        status = clv_runfile_damaged(again, "it holds another run");
    if (status != CLV_OK) {
        clv_fail(&f->error, status == CLV_ERR_MEMORY ? CLV_ERR_MEMORY : CLV_ERR_IO,
                 "the data written cannot be read back: %s", again ? again->error.message : "out of memory");
        clv_error_hint(&f->error, "the file was changed by another program during the run, or its disk fails");
    }
    clv_runfile_close(again, NULL);
    return status == CLV_OK ? CLV_OK : f->error.code;
}

/* Folds the log, and what was finished is read back.  A file that was moved away is folded too, if it can be. */
static clv_status settle(clv_runfile *f)
{
    clv_status status = f->error.code;
    if (!f->db || f->session == 0)
        return CLV_OK;
    if (status != CLV_OK) {
        if (!clv_runfile_is_there(f))
            sqlite3_exec(f->db, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
        return CLV_OK; /* the error was reported already */
    }
    status = clv_runfile_check_place(f);
    if (status == CLV_OK)
        status = fold(f);
    memset(&f->log, 0, sizeof f->log);
    sqlite3_close(f->db);
    f->db = NULL;
    return status == CLV_OK && f->finished ? read_back(f) : status;
}

clv_status clv_runfile_close(clv_runfile *f, clv_error *error)
{
    if (!f)
        return CLV_OK;
    sqlite3_finalize(f->put_chunk);
    clv_status status = settle(f);
    if (status != CLV_OK && error)
        *error = f->error;
    sqlite3_close(f->db);
    if (f->held >= 0)
        close(f->held);
    for (int i = 0; i < f->ncolumn; i++)
        clv_free(f->column[i].owner), clv_free(f->column[i].name);
    clv_free(f->column), clv_free(f->chunk), clv_free(f->read);
    clv_free(f->formulation), clv_free(f->integrator), clv_free(f->bracketing), clv_free(f->parameters);
    clv_free(f->source), clv_free(f->text);
    clv_free(f->path), clv_free(f->place), clv_free(f);
    return status;
}

const char *clv_part_sqlite(void) { return sqlite3_libversion(); }
