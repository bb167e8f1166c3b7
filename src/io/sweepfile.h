/* SPDX-License-Identifier: Apache-2.0
 * The sweep file: one SQLite database with a row per instance (docs/sweep.md has the tables).
 *
 *   sweepfile.c         the handle, errors, opening, loading, closing
 *   sweepfile_create.c  a new file, complete under its name at once
 *   sweepfile_rows.c    rows, their sums
 *   sweepfile_statistics.c   the table of statistics
 *   sweepfile_job.c     which part of the runs the command was to make, and its words
 *   sweepfile_merge.c   rows of another file of the same sweep
 *
 * Rows are committed when a second has passed, or after a long instance.  So a process that is killed loses the work
 * of about a second, and the rest is a sound file.  One process writes a file at a time.  Everything is loaded when the
 * file is opened.  Errors: CLV_ERR_IO (disk full, no permission, in use), CLV_ERR_SYNTAX (not a sweep file, damaged),
 * CLV_ERR_UNSUPPORTED (of a newer format), CLV_ERR_USAGE (of another sweep, exists), CLV_ERR_MODEL (no such file),
 * CLV_ERR_MEMORY. */
#ifndef CLV_IO_SWEEPFILE_H
#define CLV_IO_SWEEPFILE_H
#include "io/sweep.h"

#define CLV_SWEEPFILE_APPLICATION 0x636c7673 /* "clvs" */
#define CLV_SWEEPFILE_FORMAT 1
enum { CLV_SWEEPFILE_COLUMNS = 1900 }; /* at most */

typedef struct clv_sweepfile clv_sweepfile;

/* Two texts: a setting and its value, or a column and its unit. */
typedef struct clv_sweep_pair {
    const char *name, *text;
} clv_sweep_pair;

/* The command that wrote the file last: part shard (from 1) of shards, and its words.  These are quoted for a shell,
 * without --shard and the file.  shards 0: not known, as of files of older programs. */
typedef struct clv_sweep_job {
    int shard, shards;
    const char *words;
} clv_sweep_job;

/* What a sweep is.  Two files are of the same sweep if all settings and columns are the same. */
typedef struct clv_sweep_start {
    const char *model, *source, *text; /* name and source of the model, and its file (size bytes)  */
    size_t size;
    int nsetting;
    const clv_sweep_pair *setting;
    int instances, nvalue, noutput;
    const clv_sweep_pair *column;      /* (nvalue + noutput) values that are varied, then outputs  */
    clv_sweep_job job;                 /* of a new file                                            */
} clv_sweep_start;

/* On failure *file carries the error (NULL only when out of memory); close it as usual.
 * `create` makes a file; `force`: in place of any regular file; input: files that are read, up to NULL.  `open` opens
 * one for reading or (write) for more rows; the second process that writes is refused. */
clv_status clv_sweepfile_create(clv_sweepfile **file, const char *path, const clv_sweep_start *start, bool force,
                                const char *const *input);
clv_status clv_sweepfile_open(clv_sweepfile **file, const char *path, bool write);
/* Is there a sweep file of that name? */
bool clv_sweepfile_is(const char *path);
/* Commits what is left. */
clv_status clv_sweepfile_close(clv_sweepfile *file, clv_error *error);
const clv_error *clv_sweepfile_error(const clv_sweepfile *file);

/* What the file was created with; the texts belong to the file. */
const clv_sweep_start *clv_sweepfile_start(const clv_sweepfile *file);
/* CLV_ERR_USAGE: it is another sweep; the error names the first difference. */
clv_status clv_sweepfile_same(clv_sweepfile *file, const clv_sweep_start *start);

/* The row of an instance (values, then outputs; NaN where there is none); NULL: it is missing. */
const double *clv_sweepfile_row(const clv_sweepfile *file, int instance);
clv_status clv_sweepfile_status(const clv_sweepfile *file, int instance);
const char *clv_sweepfile_why(const clv_sweepfile *file, int instance); /* text of the failure, "" */
/* Appends the row of an instance that is missing; now: commits at once.  Else within a second or with the next row. */
clv_status clv_sweepfile_put(clv_sweepfile *file, int instance, const double *value, const double *output,
                             clv_status status, const char *why, bool now);
/* Rows that are there. */
int clv_sweepfile_count(const clv_sweepfile *file);
/* Takes the rows of another file of the same sweep that are missing here.  CLV_ERR_SYNTAX: a row is in both files, with
 * other numbers. */
clv_status clv_sweepfile_merge(clv_sweepfile *file, const char *path);

/* The job of the file; the text belongs to it. */
clv_sweep_job clv_sweepfile_job(const clv_sweepfile *file);
/* Writes it; rows are committed with it. */
clv_status clv_sweepfile_put_job(clv_sweepfile *file, const clv_sweep_job *job);

/* Column k of the runs that came to their end; room: (instances). */
clv_statistics clv_sweepfile_column(const clv_sweepfile *file, int k, double *room);
/* The varied number with which column k varies most: its rank correlation over these runs (T48.4), and *value is its
 * number; NaN, -1: none.  room: (4 x instances). */
double clv_sweepfile_varies_with(clv_sweepfile *file, int k, double *room, int *value);
/* Writes the table `statistics` anew; rows are committed with it. */
clv_status clv_sweepfile_put_statistics(clv_sweepfile *file);

#endif
