/* SPDX-License-Identifier: Apache-2.0
 * The handle of a run file and what its files share.  Private to runfile*.c. */
#ifndef CLV_IO_RUNFILE_HANDLE_H
#define CLV_IO_RUNFILE_HANDLE_H
#include "io/runfile.h"
#include <sqlite3.h>
#include <stdint.h>
#include <sys/stat.h>

#define CLV_RUNFILE_CHUNK 1048576 /* bytes of frames in a chunk, at most, unless it is one frame */

struct clv_runfile {
    clv_error error;
    char *path;            /* as given                                                     */
    char *place;           /* the file itself, links resolved                              */
    sqlite3 *db;
    int held;              /* descriptor of the file; of a writer it holds the lock; -1: none */
    struct stat about;     /* of it: which file it is, and how large it was last           */
    struct stat log;       /* of PLACE-wal, once it is there; else st_ino is 0             */
    bool finished;         /* the run has come to its end in this session                  */
    bool tolerant;         /* damage is noted, not refused                                 */
    char damage[160];      /* what was noted                                               */
    uint64_t run;          /* hash of model, settings and columns: begins all sums of rows */
    int session;           /* number of this session, from 1; 0 while reading              */
    clv_runfile_settings set;
    char *formulation, *integrator, *bracketing, *parameters, *source, *text;
    size_t text_size;
    int ncolumn;
    clv_column *column;
    int width;             /* numbers in a frame                                           */
    bool bound;            /* the columns know where their numbers come from               */
    long chunk_frames;     /* frames in a full chunk                                       */
    long frames;           /* all; while writing: so far                                   */
    long there;            /* in the file when it was opened                               */
    bool meshes;           /* it has the table of meshes                                   */
    long events_there;     /* events in the file when it was opened                        */
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
/* Opens the database with SQLITE_OPEN_... flags, without looking at it: no triggers, views or functions of its schema
 * are ever run, and closing changes nothing. */
clv_status clv_runfile_connect(clv_runfile *f, const char *path, int flags);
/* Is this one ours, of the format we know, with our tables and nothing else? */
clv_status clv_runfile_check(clv_runfile *f);
clv_status clv_runfile_check_format(clv_runfile *f); /* ours and of the format we know */
/* CLV_ERR_SYNTAX: "... is damaged: WHAT"; a tolerant handle notes it and says CLV_OK. */
clv_status clv_runfile_damaged(clv_runfile *f, const char *what);
/* The same where nothing can be read on: refused by a tolerant handle too. */
clv_status clv_runfile_unreadable(clv_runfile *f, const char *what);

/* runfile_place.c.  Opens an existing file and takes the writer's lock: CLV_ERR_IO if another process has it. */
clv_status clv_runfile_lock(clv_runfile *f);
/* Sets `place`. */
clv_status clv_runfile_find(clv_runfile *f);
/* The lock for a new file: the name is taken by an empty file, or what lies there may be replaced. */
clv_status clv_runfile_claim(clv_runfile *f, const clv_runfile_start *start, bool *created);
/* Opens an existing file for reading. */
clv_status clv_runfile_hold(clv_runfile *f);
/* Does the name still stand for the file that is held? */
bool clv_runfile_is_there(const clv_runfile *f);
/* Is the log beside it, if any, its own?  CLV_ERR_SYNTAX if not.  Needs a connection. */
clv_status clv_runfile_check_log(clv_runfile *f);
/* Nobody but us has touched the file since the last time: not removed, replaced or cut.  CLV_ERR_IO. */
clv_status clv_runfile_check_place(clv_runfile *f);
/* Are there, or removes, PLACE-wal, PLACE-shm, PLACE-journal. */
bool clv_runfile_has_logs(const clv_runfile *f);
clv_status clv_runfile_remove_logs(clv_runfile *f);

/* runfile_sum.c: sums of tables are rows of the table `sums`.  Writes the sum of one; inside a transaction. */
clv_status clv_runfile_put_sum(clv_runfile *f, const char *table);
/* A row of `sums`, and reading one; CLV_ERR_SYNTAX if there is none. */
clv_status clv_runfile_put_count(clv_runfile *f, const char *name, long long value);
clv_status clv_runfile_get_count(clv_runfile *f, const char *name, long long *value);
/* Hash of model, settings but their end, and columns. */
clv_status clv_runfile_run_hash(clv_runfile *f, uint64_t *hash);
/* Compares all sums of tables. */
clv_status clv_runfile_check_sums(clv_runfile *f);
/* The sums in rows of frames, checkpoints, events. */
uint64_t clv_runfile_frames_sum(const clv_runfile *f, long first, long count, const void *data, size_t bytes);
uint64_t clv_runfile_checkpoint_sum(const clv_runfile *f, long frames, double time, int events, int truncated,
                                    const void *data, size_t bytes);
uint64_t clv_runfile_event_sum(const clv_runfile *f, int number, double time, const char *kind, const char *text);

/* runfile.c.  The tables: name and statement, up to a NULL name. */
typedef struct clv_runfile_table {
    const char *name, *sql;
} clv_runfile_table;
#define CLV_RUNFILE_MESHES "meshes" /* the one table that only files with meshes have */
extern const clv_runfile_table clv_runfile_tables[];

/* runfile_mesh.c.  The files of all meshes of a model; inside the transaction that makes the file. */
clv_status clv_runfile_put_meshes(clv_runfile *f, const clv_model *m);

/* Write-ahead log on; the file is ours from now. */
clv_status clv_runfile_begin(clv_runfile *f);
/* A row of `sessions`; inside the caller's transaction. */
clv_status clv_runfile_put_session(clv_runfile *f, const clv_runfile_machine *m);
/* runfile_read.c: text, settings, columns, and the chunks' sizes; all sums but those of frames. */
clv_status clv_runfile_load(clv_runfile *f);
/* runfile_frames.c: how many frames there are by the sizes of chunks, or as a damaged file lets one guess; are they as
 * many as were committed; the sums of all. */
clv_status clv_runfile_count_frames(clv_runfile *f);
clv_status clv_runfile_guess_frames(clv_runfile *f);
clv_status clv_runfile_check_counts(clv_runfile *f);
clv_status clv_runfile_check_frames(clv_runfile *f);
/* The chunk with this first frame to `out` (chunk_frames x width); *count frames. */
clv_status clv_runfile_chunk(clv_runfile *f, long first, double *out, long *count);
/* To or from little endian; nothing on most machines. */
void clv_runfile_order_bytes(double *number, size_t n);

#endif
