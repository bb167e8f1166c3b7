/* SPDX-License-Identifier: Apache-2.0
 * Rows of a sweep file: writing, loading, sums; see sweepfile.h.  A sum is a hash of what the sweep is and of all that
 * the row says.  So a row that was changed, or belongs to another sweep, is found when the file is opened. */
#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "io/sweepfile_handle.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const char *const code[] = {
#define X(name, text) #name,
    CLV_STATUS_LIST(X)
#undef X
};
enum { CODES = sizeof code / sizeof *code };

/* ------------------------------------------------------------------ sums */

static uint64_t add_number(uint64_t h, long long x) { return clv_hash(h, &x, sizeof x); }

static uint64_t add_pairs(uint64_t h, const clv_sweep_pair *p, int n)
{
    for (int i = 0; i < n; ++i)
        h = clv_hash_text(clv_hash_text(h, p[i].name), p[i].text);
    return h;
}

uint64_t clv_sweepfile_start_sum(const clv_sweep_start *s)
{
    uint64_t h = add_number(CLV_HASH_START, s->instances);
    h = add_number(add_number(add_number(h, s->nsetting), s->nvalue), s->noutput);
    return add_pairs(add_pairs(h, s->setting, s->nsetting), s->column, s->nvalue + s->noutput);
}

uint64_t clv_sweepfile_row_sum(const clv_sweepfile *f, int instance, const double *number, clv_status status,
                               const char *why)
{
    uint64_t h = add_number(add_number(f->sum, instance), status);
    for (int i = 0; i < f->width; ++i) {
        const double x = isnan(number[i]) ? -1.0e300 : number[i]; /* a NaN is NULL in the file */
        h = clv_hash(h, &x, sizeof x);
    }
    return clv_hash_text(h, why);
}

/* ------------------------------------------------------------------ in memory */

const double *clv_sweepfile_row(const clv_sweepfile *f, int i)
{
    return i >= 0 && i < f->start.instances && f->state[i] ? f->data + (size_t)i * (size_t)f->width : NULL;
}

clv_status clv_sweepfile_status(const clv_sweepfile *f, int i)
{
    return clv_sweepfile_row(f, i) ? (clv_status)(f->state[i] - 1) : CLV_ERR_USAGE;
}

const char *clv_sweepfile_why(const clv_sweepfile *f, int i)
{
    return clv_sweepfile_row(f, i) && f->why[i] ? f->why[i] : "";
}

static clv_status keep(clv_sweepfile *f, int i, clv_status status, const char *why)
{
    if (*why && !(f->why[i] = clv_copy_text(why)))
        return clv_sweepfile_memory(f);
    f->state[i] = (unsigned char)(1 + status);
    f->count++;
    return CLV_OK;
}

/* ------------------------------------------------------------------ loading */

static clv_status load_row(clv_sweepfile *f, sqlite3_stmt *s)
{
    const long long i = sqlite3_column_int64(s, 0);
    const char *status = (const char *)sqlite3_column_text(s, 1), *why = (const char *)sqlite3_column_text(s, 2);
    int k = 0;
    why = why ? why : "";
    while (k < CODES && (!status || strcmp(code[k], status) != 0))
        ++k;
    if (i < 0 || i >= f->start.instances || k == CODES)
        return clv_fail(&f->error, CLV_ERR_SYNTAX, "%s is damaged: run %lld does not belong to this sweep", f->path, i);
    double *number = f->data + (size_t)i * (size_t)f->width;
    for (int c = 0; c < f->width; ++c)
        number[c] = sqlite3_column_type(s, CLV_SWEEPFILE_FIXED + c) == SQLITE_NULL
                        ? NAN
                        : sqlite3_column_double(s, CLV_SWEEPFILE_FIXED + c);
    if (sqlite3_column_int64(s, 3) != (sqlite3_int64)clv_sweepfile_row_sum(f, (int)i, number, (clv_status)k, why))
        return clv_fail(&f->error, CLV_ERR_SYNTAX, "%s is damaged: run %lld was changed", f->path, i);
    return keep(f, (int)i, (clv_status)k, why);
}

clv_status clv_sweepfile_load_rows(clv_sweepfile *f)
{
    const size_t n = (size_t)f->start.instances;
    f->data = clv_alloc(n * (size_t)f->width + 1, sizeof *f->data);
    f->state = clv_alloc(n, sizeof *f->state);
    f->why = clv_alloc(n, sizeof(char *)); /* NOLINT(bugprone-sizeof-expression): pointers */
    if (!f->data || !f->state || !f->why)
        return clv_sweepfile_memory(f);
    sqlite3_stmt *s = clv_sweepfile_prepare(f, "SELECT * FROM runs ORDER BY instance");
    clv_status status = s ? CLV_OK : f->error.code;
    if (s && sqlite3_column_count(s) != CLV_SWEEPFILE_FIXED + f->width)
        status = clv_fail(&f->error, CLV_ERR_SYNTAX, "%s is damaged: the table of runs has other columns", f->path);
    int result = SQLITE_DONE;
    while (status == CLV_OK && (result = sqlite3_step(s)) == SQLITE_ROW)
        status = load_row(f, s);
    if (status == CLV_OK && result != SQLITE_DONE)
        status = clv_sweepfile_fail(f, result, "reading");
    sqlite3_finalize(s);
    return status;
}

/* ------------------------------------------------------------------ writing */

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static clv_status prepare(clv_sweepfile *f)
{
    sqlite3_str *sql = sqlite3_str_new(f->db);
    sqlite3_str_appendall(sql, "INSERT INTO runs VALUES (?, ?, ?, ?");
    for (int i = 0; i < f->width; ++i)
        sqlite3_str_appendall(sql, ", ?");
    sqlite3_str_appendchar(sql, 1, ')');
    char *text = sqlite3_str_finish(sql);
    f->put = text ? clv_sweepfile_prepare(f, text) : NULL;
    if (!text)
        clv_sweepfile_memory(f);
    sqlite3_free(text);
    return f->put ? CLV_OK : f->error.code;
}

static clv_status insert(clv_sweepfile *f, int i, const double *number, clv_status status, const char *why)
{
    sqlite3_stmt *s = f->put;
    sqlite3_bind_int(s, 1, i);
    sqlite3_bind_text(s, 2, code[status], -1, SQLITE_STATIC);
    sqlite3_bind_text(s, 3, *why ? why : NULL, -1, SQLITE_STATIC);
    sqlite3_bind_int64(s, 4, (sqlite3_int64)clv_sweepfile_row_sum(f, i, number, status, why));
    for (int c = 0; c < f->width; ++c) /* a NaN is bound as NULL */
        sqlite3_bind_double(s, CLV_SWEEPFILE_FIXED + 1 + c, number[c]);
    const int result = sqlite3_step(s);
    sqlite3_reset(s);
    return result == SQLITE_DONE ? CLV_OK : clv_sweepfile_fail(f, result, "writing");
}

clv_status clv_sweepfile_begin(clv_sweepfile *f)
{
    const clv_status status = f->open ? CLV_OK : clv_sweepfile_sql(f, "BEGIN IMMEDIATE");
    f->open = status == CLV_OK;
    return status;
}

clv_status clv_sweepfile_commit(clv_sweepfile *f)
{
    const clv_status status = clv_sweepfile_sql(f, "COMMIT");
    f->open = status != CLV_OK;
    f->committed = seconds();
    return status;
}

clv_status clv_sweepfile_put(clv_sweepfile *f, int instance, const double *value, const double *output,
                             clv_status status, const char *why, bool now)
{
    if (f->error.code != CLV_OK)
        return f->error.code;
    if (instance < 0 || instance >= f->start.instances || f->state[instance] || !f->write)
        return clv_fail(&f->error, CLV_ERR_USAGE, "%s: run %d cannot be added", f->path, instance);
    double *number = f->data + (size_t)instance * (size_t)f->width;
    for (int c = 0; c < f->width; ++c) /* SQLite keeps no sign of a zero */
        number[c] = (c < f->start.nvalue ? value[c] : output[c - f->start.nvalue]) + 0.0;
    clv_status result = f->put ? CLV_OK : prepare(f);
    if (result == CLV_OK)
        result = clv_sweepfile_begin(f);
    if (result == CLV_OK)
        result = insert(f, instance, number, status, why);
    if (result == CLV_OK)
        result = keep(f, instance, status, why);
    if (result == CLV_OK && (now || seconds() - f->committed > 1))
        result = clv_sweepfile_commit(f);
    return result;
}
