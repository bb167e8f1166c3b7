/* SPDX-License-Identifier: Apache-2.0
 * The handle of a run file and what its files share.  Private to runfile*.c. */
#ifndef CLV_IO_RUNFILE_HANDLE_H
#define CLV_IO_RUNFILE_HANDLE_H
#include "io/runfile.h"
#include <sqlite3.h>

struct clv_runfile {
    clv_error error;
    char *path;
    sqlite3 *db;
    int lock;              /* descriptor that holds the lock of the writer; -1: none       */
    int session;           /* number of this session, from 1; 0 while reading              */
    clv_runfile_settings set;
    char *formulation, *integrator, *bracketing, *source, *text;
    size_t text_size;
    int ncolumn;
    clv_runfile_column *column;
    int width;             /* numbers in a frame                                           */
    int nbody, nmarker, nmode, njoint; /* owners of columns                                       */
    long chunk_frames;     /* frames in a full chunk                                       */
    long frames;           /* all; while writing: so far                                   */
    long there;            /* in the file when it was opened                               */
    double earlier_wall;   /* s, of earlier sessions                                       */

    /* the open chunk */
    double *chunk;         /* (chunk_frames x width), little endian                        */
    long count;            /* frames in it; the first is number frames - count             */
    long committed;        /* of them                                                      */
    double committed_at;   /* s, clock                                                     */
    int events;            /* so far                                                       */
    sqlite3_stmt *put_chunk;

    /* the chunk read last */
    double *read;
    long read_first, read_count;
};

/* runfile.c.  Fills the error from an SQLite result: says what is wrong, in words; returns its code. */
clv_status clv_runfile_fail(clv_runfile *f, int result, const char *doing);
/* Runs SQL without results. */
clv_status clv_runfile_sql(clv_runfile *f, const char *sql);
/* Prepares a statement; NULL after an error. */
sqlite3_stmt *clv_runfile_prepare(clv_runfile *f, const char *sql);
/* Runs a prepared statement without results, and finalizes it. */
clv_status clv_runfile_run(clv_runfile *f, sqlite3_stmt *s);
/* Handle with a path; NULL when out of memory. */
clv_runfile *clv_runfile_new(const char *path);
/* Opens the database with SQLITE_OPEN_... flags, without looking at it. */
clv_status clv_runfile_connect(clv_runfile *f, const char *path, int flags);
/* Is this one ours, and of a format we know? */
clv_status clv_runfile_check(clv_runfile *f);
/* Opens `path` for the lock (O_... flags) and takes it: CLV_ERR_IO if another process writes. */
clv_status clv_runfile_lock(clv_runfile *f, const char *path, int flags);
/* Write-ahead log on; the file is ours from now. */
clv_status clv_runfile_begin(clv_runfile *f);
/* A row of `sessions`; inside the caller's transaction. */
clv_status clv_runfile_put_session(clv_runfile *f, const clv_runfile_machine *m);
/* runfile_read.c: text, settings, columns, and the chunks' sizes. */
clv_status clv_runfile_load(clv_runfile *f);
/* The chunk with this first frame to `out` (chunk_frames x width); *count frames. */
clv_status clv_runfile_chunk(clv_runfile *f, long first, double *out, long *count);
/* To or from little endian; nothing on most machines. */
void clv_runfile_order_bytes(double *number, size_t n);

#endif
