/* SPDX-License-Identifier: Apache-2.0
 * What rank 0 writes of a run on ranks: a run file or CSV, with frames and saved states that all ranks give; see
 * ranks_running.h. */
#include "base/memory.h"
#include "cli/csv.h"
#include "cli/ranks_running.h"
#include <string.h>

static bool ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);
    return n > m && strcmp(text + n - m, end) == 0;
}

static clv_exit show(const clv_ranks_running *x, const clv_error *e)
{
    clv_tell(x->subject.command, x->set.json, CLV_EXIT_USAGE, "%s", e->message);
    if (*e->hint)
        fprintf(stderr, "  %s\n", e->hint);
    return CLV_EXIT_USAGE;
}

static clv_exit open_csv(clv_ranks_running *x)
{
    const clv_output_rule rule = {x->set.force, true, clv_subject_inputs(&x->subject)};
    clv_error e;
    clv_exit code = CLV_EXIT_DONE;
    if (clv_columns_create(&x->columns, x->subject.model, x->set.columns, false, &e) != CLV_OK ||
        clv_ranks_frame_bind(&x->frame, x->subject.model, x->columns.column, x->columns.n, &e) != CLV_OK)
        code = show(x, &e);
    else if (clv_output_open(&x->csv, x->set.out, &rule, &e) != CLV_OK)
        return clv_file_tell(x->subject.command, x->set.json, &e);
    if (code == CLV_EXIT_DONE)
        clv_csv_names(x->csv.stream, x->columns.column, x->columns.n);
    return code;
}

/* the columns of the run file that is open */
static clv_exit bind_file(clv_ranks_running *x)
{
    int n;
    clv_error e;
    clv_column *column = (clv_column *)clv_runfile_columns(x->file, &n);
    clv_status st = clv_columns_bind(column, n, x->subject.model, &e);
    if (st == CLV_OK)
        st = clv_ranks_frame_bind(&x->frame, x->subject.model, column, n, &e);
    return st == CLV_OK ? CLV_EXIT_DONE : show(x, &e);
}

static clv_exit open_file(clv_ranks_running *x)
{
    clv_columns c;
    clv_error e;
    clv_running own = {.subject = x->subject, .set = x->set};
    clv_status st = clv_columns_create(&c, x->subject.model, x->set.columns, false, &e);
    if (st == CLV_OK) { /* before a file is there */
        st = clv_ranks_frame_bind(&x->frame, x->subject.model, c.column, c.n, &e);
        clv_columns_release(&c);
        clv_free(x->frame.from), clv_free(x->frame.frame);
        x->frame.from = NULL, x->frame.frame = NULL;
    }
    if (st != CLV_OK)
        return show(x, &e);
    const clv_exit code = clv_recording_open(&own);
    x->file = own.file, x->subject.input = own.subject.input;
    return code == CLV_EXIT_DONE ? bind_file(x) : code;
}

/* rank 0 */
clv_exit clv_ranks_open_output(clv_ranks_running *x)
{
    if (!clv_ranks_shows(x))
        return CLV_EXIT_DONE;
    if (!clv_ranks_frame_open(&x->frame, x->subject.model))
        return clv_ranks_tell(x, CLV_EXIT_RESOURCES, "out of memory");
    if (x->file)
        return bind_file(x);
    if (!x->set.out)
        return CLV_EXIT_DONE;
    if (!x->set.columns && !(x->set.columns = x->usual = clv_ranks_frame_usual(x->subject.model)))
        return clv_ranks_tell(x, CLV_EXIT_RESOURCES, "out of memory");
    if (ends_with(x->set.out, ".cleave"))
        return open_file(x);
    if (ends_with(x->set.out, ".csv"))
        return open_csv(x);
    return clv_tell(x->subject.command, x->set.json, CLV_EXIT_USAGE,
                    "%s: the name of the output must end in .cleave or .csv", x->set.out);
}

bool clv_ranks_write_frame(clv_ranks_running *x)
{
    int n = x->columns.n;
    if (!clv_ranks_shows(x))
        return true;
    const clv_column *column = x->file ? clv_runfile_columns(x->file, &n) : x->columns.column;
    if (!clv_ranks_frame_take(&x->frame, x->r, x->subject.model, column, n))
        return false;
    if (x->csv.stream)
        clv_csv_numbers(x->csv.stream, x->frame.frame, x->columns.width);
    return !x->file || clv_runfile_put(x->file, x->frame.frame) == CLV_OK;
}

bool clv_ranks_write_state(clv_ranks_running *x)
{
    void *bytes;
    size_t size;
    bool good = clv_ranked_save(x->r, &bytes, &size);
    if (good && x->file)
        good = clv_runfile_put_state(x->file, clv_ranks_now(x), bytes, size, clv_wall() - x->began) == CLV_OK;
    clv_free(bytes);
    return good;
}
