/* SPDX-License-Identifier: Apache-2.0
 * A sweep file as comma-separated values: the number of the run, values, outputs; what a failed run lacks is empty.
 * Called by `cleave export`. */
#include "base/error.h"
#include "base/memory.h"
#include "cli/csv.h"
#include "cli/file.h"
#include "cli/sweep.h"
#include <math.h>
#include <stdio.h>

static clv_exit tell(const clv_error *e)
{
    clv_error_show("export", e);
    return e->code == CLV_ERR_IO ? CLV_EXIT_RESOURCES : clv_exit_of(e->code, false);
}

static clv_exit no_memory(void) { return clv_tell("export", false, CLV_EXIT_RESOURCES, "out of memory"); }

/* The columns of the file, which keeps their names. */
static clv_column *list_columns(const clv_sweep_start *s)
{
    const int n = s->nvalue + s->noutput;
    clv_column *c = clv_alloc((size_t)n, sizeof *c);
    for (int i = 0; c && i < n; ++i) {
        c[i] = (clv_column){.first = i, .count = 1, .kind = "run", .owner = (char *)"", .part = -1};
        c[i].name = (char *)s->column[i].name;
        snprintf(c[i].unit, sizeof c[i].unit, "%s", s->column[i].text);
    }
    return c;
}

/* `run`, then the columns; their numbers are at `item`. */
static void write(FILE *out, const clv_sweepfile *f, const clv_columns *c, double *row)
{
    fputs("run [-],", out);
    clv_csv_names(out, c->column, c->n);
    for (int run = 0; run < clv_sweepfile_start(f)->instances && !ferror(out); ++run) {
        const double *from = clv_sweepfile_row(f, run);
        if (!from)
            continue;
        for (int i = 0; i < c->n; ++i)
            row[i] = from[c->column[i].item];
        fprintf(out, "%d,", run);
        clv_csv_numbers(out, row, c->n);
    }
}

static clv_exit export_open(const clv_sweepfile *f, const char *path, const char *columns, const clv_output_rule *rule)
{
    const clv_sweep_start *s = clv_sweepfile_start(f);
    const int width = s->nvalue + s->noutput;
    clv_columns chosen = {0};
    clv_output out;
    clv_error e;
    clv_column *all = list_columns(s);
    double *row = clv_alloc((size_t)width, sizeof *row);
    clv_exit code = all && row ? CLV_EXIT_DONE : no_memory();
    if (code == CLV_EXIT_DONE && clv_columns_select(&chosen, all, width, columns ? columns : "*", &e) != CLV_OK)
        code = tell(&e);
    if (code == CLV_EXIT_DONE && clv_output_open(&out, path, rule, &e) != CLV_OK)
        code = clv_file_tell("export", false, &e);
    else if (code == CLV_EXIT_DONE) {
        write(out.stream, f, &chosen, row);
        code = clv_output_close(&out, true, &e) == CLV_OK ? CLV_EXIT_DONE : clv_file_tell("export", false, &e);
    }
    if (code == CLV_EXIT_DONE)
        printf("%s: %d of %d runs, %d numbers of each\n", path, clv_sweepfile_count(f), s->instances, chosen.n);
    clv_columns_release(&chosen);
    clv_free(all), clv_free(row);
    return code;
}

clv_exit clv_sweep_export(const char *sweep, const char *path, const char *columns, const clv_output_rule *rule)
{
    clv_sweepfile *f;
    const clv_status status = clv_sweepfile_open(&f, sweep, false);
    const clv_exit code = !f                 ? no_memory()
                          : status == CLV_OK ? export_open(f, path, columns, rule)
                                             : tell(clv_sweepfile_error(f));
    clv_sweepfile_close(f, NULL);
    return code;
}
