/* SPDX-License-Identifier: Apache-2.0
 * The frames of a run file: their number, chunk by chunk, with sums; see runfile.h.  Sizes are checked before anything
 * is copied. */
#include <string.h>
#include <stdio.h>
#include "base/error.h"
#include "base/memory.h"
#include "io/runfile_handle.h"

static clv_status check_chunk(clv_runfile *f, long first, long long count, long long bytes)
{
    if (count >= 1 && count <= f->chunk_frames && bytes == count * f->width * 8)
        return CLV_OK;
    if (count < 1 || count > f->chunk_frames)
        clv_fail(&f->error, CLV_ERR_SYNTAX, "%s is damaged: the chunk of frame %ld has %lld frames, not 1 to %ld",
                 f->path, first, count, f->chunk_frames);
    else
        clv_fail(&f->error, CLV_ERR_SYNTAX,
                 "%s is damaged: the chunk of frame %ld has %lld bytes, not %lld for %lld frames", f->path, first,
                 bytes, count * f->width * 8, count);
    clv_error_hint(&f->error, "`cleave export --damaged` writes the frames that are intact");
    return f->error.code;
}

/* Sizes of all chunks, without their contents: each follows the one before, only the last is not full, and together
 * they are as many as were committed. */
clv_status clv_runfile_count_frames(clv_runfile *f)
{
    sqlite3_stmt *s = clv_runfile_prepare(f, "SELECT first, count, length(data) FROM frames ORDER BY first");
    int result = SQLITE_DONE;
    clv_status status = s ? CLV_OK : f->error.code;
    f->frames = 0;
    while (status == CLV_OK && (result = sqlite3_step(s)) == SQLITE_ROW) {
        long long first = sqlite3_column_int64(s, 0), count = sqlite3_column_int64(s, 1);
        if (first != f->frames || first % f->chunk_frames != 0) {
            char text[80];
            snprintf(text, sizeof text, "frames from %ld on are missing", f->frames);
            status = clv_runfile_unreadable(f, text);
        } else
            status = check_chunk(f, (long)first, count, sqlite3_column_int64(s, 2));
        if (status == CLV_OK)
            f->frames = (long)(first + count);
    }
    sqlite3_finalize(s);
    f->there = f->frames;
    return status == CLV_OK && result != SQLITE_DONE ? clv_runfile_fail(f, result, "reading frames") : status;
}

/* As many as were committed? */
clv_status clv_runfile_check_counts(clv_runfile *f)
{
    long long frames = 0, events = 0;
    double number;
    char text[100];
    clv_status status = clv_runfile_get_count(f, "frames", &frames);
    if (status == CLV_OK)
        status = clv_runfile_get_count(f, "events", &events);
    if (status == CLV_OK && frames != f->frames) {
        snprintf(text, sizeof text, "it has %ld frames of %lld that were written", f->frames, frames);
        status = clv_runfile_damaged(f, text);
    }
    if (status == CLV_OK && clv_runfile_summary(f, "frames", &number, NULL, 0) && number != (double)f->frames) {
        snprintf(text, sizeof text, "it has %ld frames, not %.0f as its summary says", f->frames, number);
        status = clv_runfile_damaged(f, text);
    }
    if (status == CLV_OK && (events < 0 || events > INT32_MAX))
        status = clv_runfile_damaged(f, "its number of events is out of range");
    f->events_there = (long)events;
    return status;
}

/* Of a damaged file: so many frames were written, as far as known.  No more than the file has room
 * for. */
clv_status clv_runfile_guess_frames(clv_runfile *f)
{
    long long frames = 0;
    clv_status status = clv_runfile_get_count(f, "frames", &frames);
    double room = (double)f->about.st_size / (8.0 * f->width) + (double)f->chunk_frames;
    struct stat log;
    char *name = sqlite3_mprintf("%s-wal", f->place);
    if (name && stat(name, &log) == 0)
        room += (double)log.st_size / (8.0 * f->width);
    sqlite3_free(name);
    f->frames = frames > 0 && (double)frames <= room ? (long)frames : (long)room;
    return status;
}

/* ------------------------------------------------------------------ reading */

clv_status clv_runfile_chunk(clv_runfile *f, long first, double *out, long *count)
{
    sqlite3_stmt *s = clv_runfile_prepare(f, "SELECT count, sum, data FROM frames WHERE first = ?");
    if (!s)
        return f->error.code;
    sqlite3_bind_int64(s, 1, first);
    int result = sqlite3_step(s);
    clv_status status = CLV_OK;
    if (result == SQLITE_ROW) {
        const void *data = sqlite3_column_blob(s, 2);
        long long bytes = data ? sqlite3_column_bytes(s, 2) : 0, n = sqlite3_column_int64(s, 0);
        status = check_chunk(f, first, n, bytes);
        if (status == CLV_OK && (uint64_t)sqlite3_column_int64(s, 1) !=
                                    clv_runfile_frames_sum(f, first, (long)n, data, (size_t)bytes)) {
            char text[80];
            snprintf(text, sizeof text, "frames %ld to %ld have changed", first, first + (long)n - 1);
            status = clv_runfile_unreadable(f, text);
        }
        *count = (long)n;
        if (status == CLV_OK && data) {
            memcpy(out, data, (size_t)bytes);
            clv_runfile_order_bytes(out, (size_t)bytes / 8);
        }
    } else if (result == SQLITE_DONE)
        status = clv_runfile_unreadable(f, "frames are missing");
    else
        status = clv_runfile_fail(f, result, "reading frames");
    sqlite3_finalize(s);
    return status;
}

static bool read_buffer(clv_runfile *f)
{
    if (!f->read && !(f->read = clv_alloc((size_t)f->chunk_frames * (size_t)f->width, sizeof(double))))
        clv_fail(&f->error, CLV_ERR_MEMORY, "out of memory");
    return f->read != NULL;
}

/* The chunk of frame i into f->read. */
static clv_status read_chunk_of(clv_runfile *f, long i)
{
    if (f->read_count > 0 && i >= f->read_first && i < f->read_first + f->read_count)
        return CLV_OK;
    f->read_first = i / f->chunk_frames * f->chunk_frames, f->read_count = 0;
    long count = 0;
    clv_status status = clv_runfile_chunk(f, f->read_first, f->read, &count);
    if (status == CLV_OK && i >= f->read_first + count)
        status = clv_runfile_unreadable(f, "a chunk became shorter");
    if (status == CLV_OK)
        f->read_count = count;
    return status;
}

clv_status clv_runfile_check_frames(clv_runfile *f)
{
    clv_status status = read_buffer(f) ? CLV_OK : f->error.code;
    for (long i = 0; status == CLV_OK && i < f->frames; i += f->chunk_frames)
        status = read_chunk_of(f, i);
    return status;
}

long clv_runfile_chunk_frames(const clv_runfile *f) { return f->chunk_frames; }

const char *clv_runfile_damage(const clv_runfile *f) { return f->damage; }

bool clv_runfile_intact(clv_runfile *f, long i)
{
    if (f->error.code != CLV_OK || i < 0 || i >= f->frames || !read_buffer(f))
        return false;
    if (read_chunk_of(f, i) == CLV_OK)
        return true;
    if (f->error.code != CLV_ERR_MEMORY)
        clv_error_clear(&f->error); /* of that chunk */
    return false;
}

clv_status clv_runfile_read(clv_runfile *f, long first, long n, double *out)
{
    if (first < 0 || n < 0 || first > f->frames - n)
        return clv_fail(&f->error, CLV_ERR_USAGE, "%s has %ld frames; %ld to %ld were requested", f->path, f->frames,
                        first, first + n - 1);
    if (!read_buffer(f))
        return f->error.code;
    for (long i = first; i < first + n; i++) {
        clv_status status = read_chunk_of(f, i);
        if (status != CLV_OK)
            return status;
        memcpy(out + (size_t)(i - first) * (size_t)f->width, f->read + (size_t)(i - f->read_first) * (size_t)f->width,
               (size_t)f->width * sizeof(double));
    }
    return CLV_OK;
}

double clv_runfile_reached(clv_runfile *f)
{
    const double *frame = f->frames > 0 && read_buffer(f) && read_chunk_of(f, f->frames - 1) == CLV_OK
                              ? f->read + (size_t)(f->frames - 1 - f->read_first) * (size_t)f->width
                              : NULL;
    return frame ? frame[0] : 0;
}
