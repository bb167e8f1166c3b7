/* SPDX-License-Identifier: Apache-2.0
 * The sums of a run file: every table is covered, so that a changed bit is never taken for data; see docs/run-file.md.
 *
 * Small tables have one sum over all their rows, in the table `sums`.  Frames, checkpoints and events have one in each
 * row, which begins with the hash of model, settings and columns; their numbers are in `sums`. */
#include <math.h>
#include <string.h>
#include "base/error.h"
#include "base/hash.h"
#include "io/runfile_handle.h"

/* What a sum is taken of, in a fixed order of rows; the settings but their end do not change in the life of a file. */
static const clv_runfile_table summed[] = {
    {"model", "SELECT name, source, text FROM model ORDER BY rowid"},
    {"settings", "SELECT name, value FROM settings ORDER BY name"},
    {"sessions", "SELECT number, started, version, compiler, lanes, system, cpu, frames, wall_seconds FROM sessions "
                 "ORDER BY number"},
    {"columns", "SELECT offset, count, kind, owner, name, unit, axes FROM columns ORDER BY offset"},
    {"summary", "SELECT name, value FROM summary ORDER BY name"},
    {CLV_RUNFILE_MESHES, "SELECT visual, name, data FROM meshes ORDER BY visual"},
};
enum { MODEL = 0, COLUMNS = 3, SUMMED = sizeof summed / sizeof summed[0] };

static uint64_t add_number(uint64_t h, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    unsigned char byte[8];
    for (int i = 0; i < 8; i++)
        byte[i] = (unsigned char)(bits >> 8 * i);
    return clv_hash(h, byte, sizeof byte);
}

static uint64_t add_whole(uint64_t h, long long n)
{
    unsigned char byte[8];
    for (int i = 0; i < 8; i++)
        byte[i] = (unsigned char)((unsigned long long)n >> 8 * i);
    return clv_hash(h, byte, sizeof byte);
}

/* A value: its type, then its content. */
static uint64_t add_value(uint64_t h, sqlite3_stmt *s, int column)
{
    const int type = sqlite3_column_type(s, column);
    h = add_whole(h, type);
    if (type == SQLITE_INTEGER)
        return add_whole(h, sqlite3_column_int64(s, column));
    if (type == SQLITE_FLOAT)
        return add_number(h, sqlite3_column_double(s, column));
    if (type == SQLITE_NULL)
        return h;
    const void *bytes = sqlite3_column_blob(s, column);
    size_t size = (size_t)sqlite3_column_bytes(s, column);
    h = add_whole(h, (long long)size);
    return bytes ? clv_hash(h, bytes, size) : h;
}

/* All values of all rows; the same to `also`, if it is not NULL. */
static clv_status add_rows(clv_runfile *f, const char *sql, uint64_t *h, uint64_t *also)
{
    sqlite3_stmt *s = clv_runfile_prepare(f, sql);
    int result = SQLITE_DONE;
    if (!s)
        return f->error.code;
    while ((result = sqlite3_step(s)) == SQLITE_ROW)
        for (int i = 0, n = sqlite3_column_count(s); i < n; i++) {
            *h = add_value(*h, s, i);
            if (also)
                *also = add_value(*also, s, i);
        }
    sqlite3_finalize(s);
    return result == SQLITE_DONE ? CLV_OK : clv_runfile_fail(f, result, "reading");
}

clv_status clv_runfile_put_count(clv_runfile *f, const char *name, long long value)
{
    sqlite3_stmt *s = clv_runfile_prepare(f, "INSERT OR REPLACE INTO sums VALUES (?, ?)");
    if (!s)
        return f->error.code;
    sqlite3_bind_text(s, 1, name, -1, SQLITE_STATIC);
    sqlite3_bind_int64(s, 2, value);
    return clv_runfile_run(f, s);
}

clv_status clv_runfile_get_count(clv_runfile *f, const char *name, long long *value)
{
    sqlite3_stmt *s = clv_runfile_prepare(f, "SELECT value FROM sums WHERE name = ?");
    if (!s)
        return f->error.code;
    sqlite3_bind_text(s, 1, name, -1, SQLITE_STATIC);
    int result = sqlite3_step(s);
    bool there = result == SQLITE_ROW && sqlite3_column_type(s, 0) == SQLITE_INTEGER;
    *value = there ? sqlite3_column_int64(s, 0) : 0;
    sqlite3_finalize(s);
    if (there)
        return CLV_OK;
    return result == SQLITE_ROW || result == SQLITE_DONE ? clv_runfile_damaged(f, "a sum is missing")
                                                         : clv_runfile_fail(f, result, "reading sums");
}

clv_status clv_runfile_put_sum(clv_runfile *f, const char *table)
{
    for (int i = 0; i < SUMMED; i++)
        if (strcmp(summed[i].name, table) == 0) {
            uint64_t h = CLV_HASH_START;
            clv_status status = add_rows(f, summed[i].sql, &h, NULL);
            return status == CLV_OK ? clv_runfile_put_count(f, table, (long long)h) : status;
        }
    return CLV_ERR_USAGE;
}

/* What the hash of the run takes of the settings. */
static clv_status add_settings(clv_runfile *f, uint64_t *hash)
{
    return add_rows(f, "SELECT name, value FROM settings WHERE name <> 'end' ORDER BY name", hash, NULL);
}

clv_status clv_runfile_run_hash(clv_runfile *f, uint64_t *hash)
{
    *hash = CLV_HASH_START;
    clv_status status = add_rows(f, summed[MODEL].sql, hash, NULL);
    if (status == CLV_OK)
        status = add_settings(f, hash);
    return status == CLV_OK ? add_rows(f, summed[COLUMNS].sql, hash, NULL) : status;
}

clv_status clv_runfile_check_sums(clv_runfile *f)
{
    static const char *const what[SUMMED] = {"its model has changed", "its settings have changed",
                                             "its sessions have changed", "its columns have changed",
                                             "its summary has changed", "its meshes have changed"};
    uint64_t run = CLV_HASH_START; /* as clv_runfile_run_hash, on the way */
    clv_status status = CLV_OK;
    for (int i = 0; i < SUMMED && status == CLV_OK; i++) {
        uint64_t h = CLV_HASH_START;
        long long stored = 0;
        if (strcmp(summed[i].name, CLV_RUNFILE_MESHES) == 0 && !f->meshes)
            continue;
        status = add_rows(f, summed[i].sql, &h, i == MODEL || i == COLUMNS ? &run : NULL);
        if (status == CLV_OK && i == MODEL)
            status = add_settings(f, &run);
        if (status == CLV_OK)
            status = clv_runfile_get_count(f, summed[i].name, &stored);
        if (status == CLV_OK && h != (uint64_t)stored)
            status = clv_runfile_damaged(f, what[i]);
    }
    if (status == CLV_OK && run != f->run)
        status = clv_runfile_damaged(f, "its sums are not those of its model and settings");
    return status;
}

/* ------------------------------------------------------------------ sums of rows */

uint64_t clv_runfile_frames_sum(const clv_runfile *f, long first, long count, const void *data, size_t bytes)
{
    return clv_hash(add_whole(add_whole(f->run, first), count), data, bytes);
}

uint64_t clv_runfile_checkpoint_sum(const clv_runfile *f, long frames, double time, int events, int truncated,
                                    const void *data, size_t bytes)
{
    uint64_t h = add_number(add_whole(f->run, frames), time);
    return clv_hash(add_whole(add_whole(h, events), truncated), data, bytes);
}

uint64_t clv_runfile_event_sum(const clv_runfile *f, int number, double time, const char *kind, const char *text)
{
    uint64_t h = add_number(add_whole(f->run, number), time);
    return clv_hash_text(clv_hash_text(h, kind), text);
}
