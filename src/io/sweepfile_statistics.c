/* SPDX-License-Identifier: Apache-2.0
 * The table of statistics of a sweep file, a row a column (T48.3); see sweepfile.h. */
#include "base/error.h"
#include "base/memory.h"
#include "io/sweepfile_handle.h"
#include <math.h>

clv_statistics clv_sweepfile_column(const clv_sweepfile *f, int k, double *room)
{
    int n = 0;
    for (int i = 0; i < f->start.instances; ++i)
        if (f->state[i] == 1 + CLV_OK)
            room[n++] = f->data[(size_t)i * (size_t)f->width + (size_t)k];
    return clv_statistics_of(room, n);
}

/* Column k of the runs that came to their end and have column `where`; how many. */
static int collect(const clv_sweepfile *f, int k, int where, double *to)
{
    int n = 0;
    for (int i = 0; i < f->start.instances; ++i) {
        const double *row = f->data + (size_t)i * (size_t)f->width;
        if (f->state[i] == 1 + CLV_OK && isfinite(row[where]))
            to[n++] = row[k];
    }
    return n;
}

/* Ranks of the varied numbers over all runs that came to their end, kept while no row is added: outputs are many, and
 * few are missing.  NULL: out of memory (f->error). */
static const double *value_ranks(clv_sweepfile *f, double *room, int *order)
{
    const size_t most = (size_t)f->start.instances;
    if (f->rank && f->ranked == f->count)
        return f->rank;
    clv_free(f->rank);
    f->rank = clv_alloc(most * (size_t)f->start.nvalue + 1, sizeof *f->rank);
    for (int v = 0; f->rank && v < f->start.nvalue; ++v)
        clv_ranks(room, collect(f, v, v, room), f->rank + (size_t)v * most, order);
    f->ranked = f->count;
    if (!f->rank)
        clv_sweepfile_memory(f);
    return f->rank;
}

double clv_sweepfile_varies_with(clv_sweepfile *f, int k, double *room, int *value)
{
    const size_t most = (size_t)f->start.instances;
    double *x = room, *rank = room + most, *of = room + 2 * most, best = NAN;
    int *order = (int *)(void *)(room + 3 * most); /* 2 x instances: an int is half as large */
    const double *whole = value_ranks(f, x, order);
    const int all = f->start.nvalue > 0 ? collect(f, 0, 0, x) : 0, n = collect(f, k, k, x);
    clv_ranks(x, n, of, order);
    *value = -1;
    for (int v = 0; v < f->start.nvalue && whole; ++v) {
        if (n < all) { /* without the runs that lack column k */
            collect(f, v, k, x);
            clv_ranks(x, n, rank, order);
        }
        const double c = v == k ? NAN : clv_correlation(n < all ? rank : whole + (size_t)v * most, of, n);
        if (isfinite(c) && !(fabs(c) <= fabs(best)))
            best = c, *value = v;
    }
    return best;
}

static clv_status put_column(clv_sweepfile *f, sqlite3_stmt *s, int k, double *room)
{
    const clv_statistics c = clv_sweepfile_column(f, k, room);
    int at = 4;
    sqlite3_bind_text(s, 1, f->column[k].name, -1, SQLITE_STATIC);
    sqlite3_bind_text(s, 2, f->column[k].text, -1, SQLITE_STATIC);
    sqlite3_bind_int(s, 3, c.count);
#define X(field) sqlite3_bind_double(s, at++, c.field);
    CLV_SWEEP_STATISTICS(X)
#undef X
    int with = -1;
    const double correlation = k < f->start.nvalue ? NAN : clv_sweepfile_varies_with(f, k, room, &with);
    if (f->error.code != CLV_OK)
        return f->error.code;
    sqlite3_bind_text(s, at++, with >= 0 ? f->column[with].name : NULL, -1, SQLITE_STATIC);
    sqlite3_bind_double(s, at, correlation);
    const int result = sqlite3_step(s);
    sqlite3_reset(s);
    return result == SQLITE_DONE ? CLV_OK : clv_sweepfile_fail(f, result, "writing");
}

clv_status clv_sweepfile_put_statistics(clv_sweepfile *f)
{
    double *room = clv_alloc((size_t)f->start.instances, 4 * sizeof *room);
    if (!room)
        return clv_sweepfile_memory(f);
    clv_status status = clv_sweepfile_begin(f);
    if (status == CLV_OK)
        status = clv_sweepfile_sql(f, "DELETE FROM statistics");
    sqlite3_stmt *s = NULL;
    if (status == CLV_OK)
        s = clv_sweepfile_prepare(f, "INSERT INTO statistics VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    if (status == CLV_OK && !s)
        status = f->error.code;
    for (int k = 0; k < f->width && status == CLV_OK; ++k)
        status = put_column(f, s, k, room);
    sqlite3_finalize(s);
    clv_free(room);
    return status == CLV_OK ? clv_sweepfile_commit(f) : status;
}
