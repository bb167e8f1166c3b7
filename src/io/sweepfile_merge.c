/* SPDX-License-Identifier: Apache-2.0
 * Rows of a sweep file taken from another file of the same sweep; see sweepfile.h.  A row that both have must be the
 * same: sums of rows are made of all their bits. */
#include "base/error.h"
#include "io/sweepfile_handle.h"

static uint64_t sum(const clv_sweepfile *f, int i)
{
    return clv_sweepfile_row_sum(f, i, clv_sweepfile_row(f, i), clv_sweepfile_status(f, i), clv_sweepfile_why(f, i));
}

static clv_status take(clv_sweepfile *f, const clv_sweepfile *other, int i)
{
    const double *row = clv_sweepfile_row(other, i);
    if (!row)
        return CLV_OK;
    if (!clv_sweepfile_row(f, i))
        return clv_sweepfile_put(f, i, row, row + f->start.nvalue, clv_sweepfile_status(other, i),
                                 clv_sweepfile_why(other, i), false);
    if (sum(f, i) == sum(other, i))
        return CLV_OK;
    clv_fail(&f->error, CLV_ERR_SYNTAX, "run %d differs between %s and %s", i, f->path, other->path);
    clv_error_hint(&f->error, "equal settings give equal bits; one file is of another build of the program, or of a "
                              "machine that computes wrongly");
    return f->error.code;
}

clv_status clv_sweepfile_merge(clv_sweepfile *f, const char *path)
{
    clv_sweepfile *other;
    clv_status status = clv_sweepfile_open(&other, path, false);
    if (!other)
        return clv_sweepfile_memory(f);
    if (status == CLV_OK)
        status = clv_sweepfile_same(other, &f->start);
    if (status != CLV_OK)
        f->error = other->error;
    for (int i = 0; i < f->start.instances && status == CLV_OK; ++i)
        status = take(f, other, i);
    clv_sweepfile_close(other, NULL);
    return status;
}
