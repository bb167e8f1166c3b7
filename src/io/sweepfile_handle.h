/* SPDX-License-Identifier: Apache-2.0
 * The handle of a sweep file and what its sources share.  Private to sweepfile*.c. */
#ifndef CLV_IO_SWEEPFILE_HANDLE_H
#define CLV_IO_SWEEPFILE_HANDLE_H
#include "io/sweepfile.h"
#include <sqlite3.h>
#include <stdint.h>

struct clv_sweepfile {
    clv_error error;
    char *path, *place;         /* as given; links resolved                          */
    sqlite3 *db;
    int held;                   /* descriptor with the writer's lock; -1: none       */
    bool write, open;           /* open: a transaction is under way                  */
    double committed;           /* s, clock                                          */
    sqlite3_stmt *put;
    clv_sweep_start start;
    clv_sweep_pair *setting, *column; /* owned texts                                 */
    char *model, *source, *text;
    int shard, shards;          /* part I of N of the last command; shards 0: not known */
    char *words;                /* of that command, or NULL                          */
    uint64_t sum;               /* of settings and columns: begins the sums of rows  */
    int width, count;           /* numbers of a row; rows                            */
    double *data;               /* (instances x width)                               */
    unsigned char *state;       /* (instances) 0: missing, else 1 + status           */
    char **why;                 /* (instances) or NULL                               */
    double *rank;               /* (nvalue x instances) of the values, or NULL       */
    int ranked;                 /* rows when they were made                          */
};

enum { CLV_SWEEPFILE_FIXED = 4 }; /* columns before the numbers: instance, status, error, sum */

/* sweepfile.c.  Fills the error from an SQLite result; returns its code. */
clv_status clv_sweepfile_fail(clv_sweepfile *f, int result, const char *doing);
clv_status clv_sweepfile_sql(clv_sweepfile *f, const char *sql);
sqlite3_stmt *clv_sweepfile_prepare(clv_sweepfile *f, const char *sql);
clv_status clv_sweepfile_memory(clv_sweepfile *f);
clv_sweepfile *clv_sweepfile_new(const char *path);
/* Connects; no triggers, views or functions of the schema are ever run. */
clv_status clv_sweepfile_connect(clv_sweepfile *f, const char *path, int flags);
/* Takes the writer's lock of the file at `place`. */
clv_status clv_sweepfile_lock(clv_sweepfile *f);
/* Everything from the open database; prepares writing. */
clv_status clv_sweepfile_load(clv_sweepfile *f);

/* sweepfile_rows.c.  The sum of a row, and of what the sweep is. */
uint64_t clv_sweepfile_row_sum(const clv_sweepfile *f, int instance, const double *number, clv_status status,
                               const char *why);
uint64_t clv_sweepfile_start_sum(const clv_sweep_start *s);
clv_status clv_sweepfile_load_rows(clv_sweepfile *f);
clv_status clv_sweepfile_begin(clv_sweepfile *f);
clv_status clv_sweepfile_commit(clv_sweepfile *f);

/* sweepfile_job.c */
clv_status clv_sweepfile_load_job(clv_sweepfile *f);
/* Inside a transaction; writes nothing of a job that is not known. */
clv_status clv_sweepfile_write_job(clv_sweepfile *f, const clv_sweep_job *job);

#endif
