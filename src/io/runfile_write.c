/* SPDX-License-Identifier: Apache-2.0
 * Writing a run: frames into the open chunk, one transaction per commit; see runfile.h.
 *
 * Everything that is written has a number fixed by the run itself: first frame, event number, time of a checkpoint.  So
 * a resumed run overwrites what it computes again with the same bytes. */
#include <math.h>
#include <string.h>
#include <time.h>
#include "base/error.h"
#include "base/memory.h"
#include "io/runfile_handle.h"
#include "simulation/report_rows.h"

static const double PATIENCE = 1.0; /* s between commits of a chunk that fills slowly */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ------------------------------------------------------------------ transactions */

static clv_status begin(clv_runfile *f)
{
    clv_status status = clv_runfile_check_place(f);
    return status == CLV_OK ? clv_runfile_sql(f, "BEGIN IMMEDIATE") : status;
}

/* Commits if all went well, else takes everything back; the error stays. */
static clv_status end(clv_runfile *f, clv_status status)
{
    if (status == CLV_OK)
        status = clv_runfile_sql(f, "COMMIT");
    if (status != CLV_OK && !sqlite3_get_autocommit(f->db))
        sqlite3_exec(f->db, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

/* Frames that are in the file already stay until there are more: a chunk never becomes shorter. */
static clv_status put_chunk(clv_runfile *f)
{
    if (f->count == f->committed || f->frames < f->there)
        return CLV_OK;
    if (!f->put_chunk)
        f->put_chunk = clv_runfile_prepare(f, "INSERT OR REPLACE INTO frames VALUES (?, ?, ?, ?)");
    if (!f->put_chunk)
        return f->error.code;
    long first = f->frames - f->count;
    size_t bytes = (size_t)f->count * (size_t)f->width * 8;
    sqlite3_bind_int64(f->put_chunk, 1, first);
    sqlite3_bind_int64(f->put_chunk, 2, f->count);
    sqlite3_bind_int64(f->put_chunk, 3, (sqlite3_int64)clv_runfile_frames_sum(f, first, f->count, f->chunk, bytes));
    sqlite3_bind_blob64(f->put_chunk, 4, f->chunk, bytes, SQLITE_STATIC);
    int result = sqlite3_step(f->put_chunk);
    sqlite3_reset(f->put_chunk);
    if (result != SQLITE_DONE)
        return clv_runfile_fail(f, result, "writing frames");
    return clv_runfile_put_count(f, "frames", f->frames);
}

/* after a commit with put_chunk in it */
static void chunk_is_safe(clv_runfile *f)
{
    f->committed = f->count;
    f->committed_at = now();
    if (f->count == f->chunk_frames)
        f->count = f->committed = 0;
}

static clv_status commit_chunk(clv_runfile *f)
{
    clv_status status = begin(f);
    if (status == CLV_OK)
        status = end(f, put_chunk(f));
    if (status == CLV_OK)
        chunk_is_safe(f);
    return status;
}

/* ------------------------------------------------------------------ frames */

/* A file that is continued learns from the model where its numbers come from. */
static clv_status bind(clv_runfile *f, const clv_sim *sim)
{
    clv_error e;
    if (f->bound)
        return CLV_OK;
    clv_status status = clv_columns_bind(f->column, f->ncolumn, clv_sim_model(sim), &e);
    f->bound = status == CLV_OK;
    return f->bound ? CLV_OK : clv_fail(&f->error, status, "%s: %s", f->path, e.message);
}

/* the frame that was written behind the others */
static clv_status take(clv_runfile *f, double *frame)
{
    clv_runfile_order_bytes(frame, (size_t)f->width);
    f->count++, f->frames++;
    if (f->count == f->chunk_frames || now() - f->committed_at > PATIENCE)
        return commit_chunk(f);
    return CLV_OK;
}

clv_status clv_runfile_frame(clv_runfile *f, clv_sim *sim)
{
    double *to = f->chunk + (size_t)f->count * (size_t)f->width;
    clv_status status = bind(f, sim);
    if (status != CLV_OK)
        return status;
    clv_columns_fill(f->column, f->ncolumn, sim, to);
    return take(f, to);
}

clv_status clv_runfile_put(clv_runfile *f, const double *frame)
{
    double *to = f->chunk + (size_t)f->count * (size_t)f->width;
    memcpy(to, frame, (size_t)f->width * sizeof *to);
    return take(f, to);
}

/* ------------------------------------------------------------------ checkpoints */

static clv_status put_wall(clv_runfile *f, double wall)
{
    sqlite3_stmt *s = clv_runfile_prepare(f, "UPDATE sessions SET wall_seconds = ? WHERE number = ?");
    if (!s)
        return f->error.code;
    sqlite3_bind_double(s, 1, wall);
    sqlite3_bind_int(s, 2, f->session);
    clv_status status = clv_runfile_run(f, s);
    return status == CLV_OK ? clv_runfile_put_sum(f, "sessions") : status;
}

static clv_status put_state(clv_runfile *f, double time, const void *bytes, size_t size, bool truncated)
{
    if (size == 0)
        return CLV_OK;
    sqlite3_stmt *s =
        clv_runfile_prepare(f, "INSERT OR REPLACE INTO checkpoints (frames, time, events, truncated, data, sum) "
                               "VALUES (?, ?, ?, ?, ?, ?)");
    if (!s)
        return f->error.code;
    sqlite3_bind_int64(s, 1, f->frames);
    sqlite3_bind_double(s, 2, time);
    sqlite3_bind_int(s, 3, f->events);
    sqlite3_bind_int(s, 4, truncated);
    sqlite3_bind_blob64(s, 5, bytes, size, SQLITE_STATIC);
    sqlite3_bind_int64(s, 6, (sqlite3_int64)clv_runfile_checkpoint_sum(f, f->frames, time, f->events, truncated,
                                                                       bytes, size));
    return clv_runfile_run(f, s);
}

static clv_status checkpoint(clv_runfile *f, double time, const void *bytes, size_t size, bool truncated, double wall)
{
    clv_status status = begin(f);
    if (status != CLV_OK)
        return status;
    status = put_chunk(f);
    if (status == CLV_OK)
        status = put_state(f, time, bytes, size, truncated);
    if (status == CLV_OK)
        status = clv_runfile_sql(f, "DELETE FROM checkpoints WHERE time NOT IN "
                                    "(SELECT time FROM checkpoints ORDER BY time DESC LIMIT 2)");
    if (status == CLV_OK)
        status = put_wall(f, wall);
    status = end(f, status);
    if (status == CLV_OK)
        chunk_is_safe(f);
    return status;
}

clv_status clv_runfile_checkpoint(clv_runfile *f, const clv_sim *sim, bool truncated, double wall)
{
    clv_sim_report report;
    const size_t size = clv_sim_saved_size(sim); /* bdf: 0.  A resumed run begins anew, with the same bits */
    void *bytes = size > 0 ? clv_alloc(size, 1) : NULL;
    if (size > 0 && !bytes)
        return clv_fail(&f->error, CLV_ERR_MEMORY, "out of memory: a checkpoint needs %.3g MB", (double)size / 1e6);
    clv_sim_summary(sim, &report);
    if (size > 0)
        clv_sim_save(sim, bytes);
    const clv_status status = checkpoint(f, report.time, bytes, size, truncated, wall);
    clv_free(bytes);
    return status;
}

clv_status clv_runfile_put_state(clv_runfile *f, double time, const void *bytes, size_t size, double wall)
{
    return checkpoint(f, time, bytes, size, false, wall);
}

/* Back to a number of frames: the ones of the open chunk are read again. */
static clv_status go_back(clv_runfile *f, long frames)
{
    long first = frames / f->chunk_frames * f->chunk_frames, count = 0;
    clv_status status = frames > first ? clv_runfile_chunk(f, first, f->chunk, &count) : CLV_OK;
    if (status == CLV_OK && count < frames - first)
        status =
            clv_fail(&f->error, CLV_ERR_SYNTAX, "%s is damaged: frames before its checkpoint are missing", f->path);
    if (status == CLV_OK)
        clv_runfile_order_bytes(f->chunk, (size_t)count * (size_t)f->width);
    f->frames = frames;
    f->count = f->committed = frames - first;
    return status;
}

/* A row of checkpoints, as it was written and within the file? */
static bool sound(const clv_runfile *f, sqlite3_stmt *s)
{
    long long frames = sqlite3_column_int64(s, 0), events = sqlite3_column_int64(s, 2),
              truncated = sqlite3_column_int64(s, 3);
    const void *data = sqlite3_column_blob(s, 5);
    if (frames < 0 || frames > f->there || events < 0 || events > f->events_there || truncated < 0 || truncated > 1)
        return false;
    return data && (uint64_t)sqlite3_column_int64(s, 4) ==
                       clv_runfile_checkpoint_sum(f, (long)frames, sqlite3_column_double(s, 1), (int)events,
                                                  (int)truncated, data, (size_t)sqlite3_column_bytes(s, 5));
}

clv_status clv_runfile_restore(clv_runfile *f, clv_sim *sim, bool *truncated)
{
    sqlite3_stmt *s = clv_runfile_prepare(
        f, "SELECT frames, time, events, truncated, sum, data FROM checkpoints ORDER BY time DESC");
    const char *refused = NULL;
    long frames = 0;
    int result = SQLITE_DONE, events = 0;
    *truncated = false;
    while (s && (result = sqlite3_step(s)) == SQLITE_ROW) {
        refused = !sound(f, s) ? "its checkpoints are damaged"
                  : clv_sim_load(sim, sqlite3_column_blob(s, 5), (size_t)sqlite3_column_bytes(s, 5)) != CLV_OK
                      ? clv_sim_error(sim)->message
                      : NULL;
        if (refused)
            continue; /* the one before */
        frames = (long)sqlite3_column_int64(s, 0), events = sqlite3_column_int(s, 2),
        *truncated = sqlite3_column_int(s, 3) != 0;
        break;
    }
    clv_status status = s ? CLV_OK : f->error.code;
    if (s && result != SQLITE_ROW && result != SQLITE_DONE)
        status = clv_runfile_fail(f, result, "reading a checkpoint");
    sqlite3_finalize(s);
    if (status == CLV_OK && refused)
        status = clv_fail(&f->error, CLV_ERR_UNSUPPORTED, "%s: %s", f->path, refused);
    f->events = events;
    return status == CLV_OK ? go_back(f, frames) : status;
}

clv_status clv_runfile_take_state(clv_runfile *f, void **bytes, size_t *size)
{
    sqlite3_stmt *s = clv_runfile_prepare(
        f, "SELECT frames, time, events, truncated, sum, data FROM checkpoints ORDER BY time DESC");
    int result = SQLITE_DONE, events = 0;
    long frames = 0;
    bool any = false;
    *bytes = NULL, *size = 0;
    while (s && !*bytes && (result = sqlite3_step(s)) == SQLITE_ROW) {
        any = true;
        if (!sound(f, s))
            continue;
        *size = (size_t)sqlite3_column_bytes(s, 5);
        if (!(*bytes = clv_alloc(*size + 1, 1)))
            break;
        memcpy(*bytes, sqlite3_column_blob(s, 5), *size);
        frames = (long)sqlite3_column_int64(s, 0), events = sqlite3_column_int(s, 2);
    }
    clv_status status = s ? CLV_OK : f->error.code;
    if (s && result != SQLITE_ROW && result != SQLITE_DONE)
        status = clv_runfile_fail(f, result, "reading a checkpoint");
    sqlite3_finalize(s);
    if (status == CLV_OK && any && !*bytes)
        status = clv_fail(&f->error, CLV_ERR_UNSUPPORTED, "%s: its checkpoints are damaged", f->path);
    f->events = events;
    return status == CLV_OK ? go_back(f, frames) : status;
}

bool clv_runfile_load_before(clv_runfile *f, clv_sim *sim, double time)
{
    sqlite3_stmt *s = clv_runfile_prepare(
        f, "SELECT frames, time, events, truncated, sum, data FROM checkpoints WHERE time <= ? ORDER BY time DESC");
    bool loaded = false;
    if (s)
        sqlite3_bind_double(s, 1, time);
    while (s && !loaded && sqlite3_step(s) == SQLITE_ROW)
        loaded =
            sound(f, s) && clv_sim_load(sim, sqlite3_column_blob(s, 5), (size_t)sqlite3_column_bytes(s, 5)) == CLV_OK;
    sqlite3_finalize(s);
    return loaded;
}

clv_status clv_runfile_set_end(clv_runfile *f, double time)
{
    clv_status status = begin(f);
    sqlite3_stmt *s =
        status == CLV_OK ? clv_runfile_prepare(f, "UPDATE settings SET value = ? WHERE name = 'end'") : NULL;
    if (!s)
        return end(f, f->error.code);
    sqlite3_bind_double(s, 1, time);
    status = clv_runfile_run(f, s);
    if (status == CLV_OK)
        status = clv_runfile_sql(f, "DELETE FROM summary");
    if (status == CLV_OK)
        status = clv_runfile_put_sum(f, "summary");
    if (status == CLV_OK)
        status = clv_runfile_put_sum(f, "settings");
    f->set.end = time;
    return end(f, status);
}

/* ------------------------------------------------------------------ events, summary */

static clv_status put_event(clv_runfile *f, double time, const char *kind, const char *text)
{
    sqlite3_stmt *s = clv_runfile_prepare(f, "INSERT OR REPLACE INTO events VALUES (?, ?, ?, ?, ?)");
    if (!s)
        return f->error.code;
    sqlite3_bind_int(s, 1, ++f->events);
    sqlite3_bind_double(s, 2, time);
    sqlite3_bind_text(s, 3, kind, -1, SQLITE_STATIC);
    sqlite3_bind_text(s, 4, text, -1, SQLITE_STATIC);
    sqlite3_bind_int64(s, 5, (sqlite3_int64)clv_runfile_event_sum(f, f->events, time, kind, text));
    clv_status status = clv_runfile_run(f, s);
    if (f->events > f->events_there)
        f->events_there = f->events;
    return status == CLV_OK ? clv_runfile_put_count(f, "events", f->events_there) : status;
}

clv_status clv_runfile_put_event(clv_runfile *f, double time, const char *kind, const char *text)
{
    clv_status status = begin(f);
    return status == CLV_OK ? end(f, put_event(f, time, kind, text)) : status;
}

static clv_status put_row(clv_runfile *f, const char *name, const char *text, double number)
{
    sqlite3_stmt *s = clv_runfile_prepare(f, "INSERT OR REPLACE INTO summary VALUES (?, ?)");
    if (!s)
        return f->error.code;
    sqlite3_bind_text(s, 1, name, -1, SQLITE_STATIC);
    if (text)
        sqlite3_bind_text(s, 2, text, -1, SQLITE_STATIC);
    else if (floor(number) == number && fabs(number) < 1e15)
        sqlite3_bind_int64(s, 2, (sqlite3_int64)number);
    else
        sqlite3_bind_double(s, 2, number); /* NULL if not a number */
    return clv_runfile_run(f, s);
}

static clv_status put_summary(clv_runfile *f, const clv_sim_report *r, double time, const char *word, double wall)
{
    clv_status status = put_row(f, "status", word, 0);
    const clv_report_row *row;
    for (int i = 0; status == CLV_OK && (row = clv_report_row_at(i)) != NULL; i++)
        status = put_row(f, row->name, NULL, clv_report_number(r, row));
    if (status == CLV_OK)
        status = put_row(f, "time", NULL, time);
    if (status == CLV_OK)
        status = put_row(f, "wall_seconds", NULL, f->earlier_wall + wall);
    if (status == CLV_OK)
        status = put_row(f, "frames", NULL, (double)f->frames);
    return status == CLV_OK ? clv_runfile_put_sum(f, "summary") : status;
}

clv_status clv_runfile_finish(clv_runfile *f, const clv_sim *sim, const char *word, double wall)
{
    clv_sim_report r;
    clv_sim_summary(sim, &r);
    return clv_runfile_finish_with(f, &r, clv_sim_time(sim), word, wall);
}

clv_status clv_runfile_finish_with(clv_runfile *f, const clv_sim_report *report, double time, const char *word,
                                   double wall)
{
    clv_status status = begin(f);
    if (status != CLV_OK)
        return status;
    status = put_chunk(f);
    if (status == CLV_OK)
        status = put_summary(f, report, time, word, wall);
    if (status == CLV_OK)
        status = put_wall(f, wall);
    status = end(f, status);
    if (status == CLV_OK)
        chunk_is_safe(f);
    f->finished = status == CLV_OK;
    return status;
}
