/* SPDX-License-Identifier: Apache-2.0
 * The table `job` of a sweep file, one row: which part of the runs the last command was to make, and its words.  No
 * result depends on it.  The command that makes what is missing is formed from it; see sweepfile.h.  Files of older
 * programs lack the table. */
#include "base/error.h"
#include "base/memory.h"
#include "io/sweepfile_handle.h"

static clv_status keep(clv_sweepfile *f, long long shard, long long shards, const char *words)
{
    if (shard < 1 || shard > shards || shards > CLV_SWEEP_RUNS)
        return clv_fail(&f->error, CLV_ERR_SYNTAX, "%s is damaged: it is of part %lld of %lld", f->path, shard, shards);
    clv_free(f->words);
    f->shard = (int)shard, f->shards = (int)shards;
    f->words = clv_copy_text(words ? words : "");
    return f->words ? CLV_OK : clv_sweepfile_memory(f);
}

clv_status clv_sweepfile_load_job(clv_sweepfile *f)
{
    sqlite3_stmt *s = clv_sweepfile_prepare(f, "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'job'");
    if (!s)
        return f->error.code;
    int result = sqlite3_step(s);
    sqlite3_finalize(s);
    if (result != SQLITE_ROW)
        return result == SQLITE_DONE ? CLV_OK : clv_sweepfile_fail(f, result, "reading");
    if (!(s = clv_sweepfile_prepare(f, "SELECT shard, shards, words FROM job")))
        return f->error.code;
    clv_status status = CLV_OK;
    if ((result = sqlite3_step(s)) == SQLITE_ROW)
        status = keep(f, sqlite3_column_int64(s, 0), sqlite3_column_int64(s, 1),
                      (const char *)sqlite3_column_text(s, 2));
    else if (result != SQLITE_DONE)
        status = clv_sweepfile_fail(f, result, "reading");
    sqlite3_finalize(s);
    return status;
}

clv_sweep_job clv_sweepfile_job(const clv_sweepfile *f)
{
    return (clv_sweep_job){f->shard, f->shards, f->words ? f->words : ""};
}

clv_status clv_sweepfile_write_job(clv_sweepfile *f, const clv_sweep_job *job)
{
    if (job->shards == 0)
        return CLV_OK;
    const clv_status status =
        clv_sweepfile_sql(f, "CREATE TABLE IF NOT EXISTS job (shard INTEGER NOT NULL, shards INTEGER NOT NULL, "
                             "words TEXT NOT NULL); DELETE FROM job");
    sqlite3_stmt *s = status == CLV_OK ? clv_sweepfile_prepare(f, "INSERT INTO job VALUES (?, ?, ?)") : NULL;
    if (!s)
        return f->error.code;
    sqlite3_bind_int(s, 1, job->shard);
    sqlite3_bind_int(s, 2, job->shards);
    sqlite3_bind_text(s, 3, job->words, -1, SQLITE_STATIC);
    const int result = sqlite3_step(s);
    sqlite3_finalize(s);
    return result == SQLITE_DONE ? CLV_OK : clv_sweepfile_fail(f, result, "writing");
}

clv_status clv_sweepfile_put_job(clv_sweepfile *f, const clv_sweep_job *job)
{
    clv_status status = keep(f, job->shard, job->shards, job->words);
    if (status == CLV_OK)
        status = clv_sweepfile_begin(f);
    if (status == CLV_OK)
        status = clv_sweepfile_write_job(f, job);
    return status == CLV_OK ? clv_sweepfile_commit(f) : status;
}
