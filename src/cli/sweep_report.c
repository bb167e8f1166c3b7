/* SPDX-License-Identifier: Apache-2.0
 * What a sweep has found, as text and as JSON; see sweep.h. */
#include "base/memory.h"
#include "cli/sweep.h"
#include "cli/summary.h"
#include "cli/tone.h"
#include "io/error_print.h"
#include <math.h>
#include <string.h>

enum { LINES = 40, FAILURES = 5 }; /* at most, in the text */
#define NOISE 3.0 /* standard errors of a rank correlation below which the text names none */

/* Rows of the file: how many, how many failed. */
static int count_failed(const clv_sweeping *w)
{
    int n = 0;
    for (int i = 0; i < w->sweep.runs; ++i)
        n += clv_sweepfile_row(w->file, i) && clv_sweepfile_status(w->file, i) != CLV_OK;
    return n;
}

/* Runs of this command that shared lanes with others (T85). */
static int count_in_lanes(const clv_sweeping *w)
{
    int n = 0;
    for (int i = 0; i < w->sweep.runs; ++i)
        n += clv_ensemble_ran(w->ensemble, i) && !clv_ensemble_alone(w->ensemble, i);
    return n;
}

/* ---------------------------------------------------------------- JSON */

static void json_statistics(const clv_sweeping *w, clv_json *j, double *room)
{
    const clv_sweep_start *s = clv_sweepfile_start(w->file);
    clv_json_object(j, "statistics");
    for (int k = 0; k < s->nvalue + s->noutput; ++k) {
        const clv_statistics c = clv_sweepfile_column(w->file, k, room);
        clv_json_object(j, s->column[k].name);
        clv_json_text(j, "unit", s->column[k].text);
        clv_json_integer(j, "runs", c.count);
#define X(field) clv_json_number(j, #field, c.field);
        CLV_SWEEP_STATISTICS(X)
#undef X
        int with = -1;
        const double r = k < s->nvalue ? NAN : clv_sweepfile_varies_with(w->file, k, room, &with);
        clv_json_text(j, "varies_with", with >= 0 ? s->column[with].name : "");
        clv_json_number(j, "correlation", r);
        clv_json_end(j);
    }
    clv_json_end(j);
}

static void json_failures(const clv_sweeping *w, clv_json *j)
{
    clv_json_array(j, "failures");
    for (int i = 0; i < w->sweep.runs; ++i)
        if (clv_sweepfile_row(w->file, i) && clv_sweepfile_status(w->file, i) != CLV_OK) {
            clv_json_object(j, NULL);
            clv_json_integer(j, "run", i);
            clv_json_text(j, "message", clv_sweepfile_why(w->file, i));
            clv_json_end(j);
        }
    clv_json_end(j);
}

static void print_json(const clv_sweeping *w, clv_exit code, double wall, double *room)
{
    clv_json j = clv_json_begin(stdout);
    clv_json_object(&j, NULL);
    clv_json_text(&j, "status", w->parts && w->parts->missing > 0 ? "incomplete" : clv_exit_word(code));
    clv_json_text(&j, "model", clv_sweepfile_start(w->file)->model);
    clv_json_text(&j, "file", w->set.out);
    clv_json_integer(&j, "runs", w->sweep.runs);
    clv_json_integer(&j, "rows", clv_sweepfile_count(w->file));
    clv_json_integer(&j, "rows_before", w->before);
    clv_json_integer(&j, "failed", count_failed(w));
    if (w->parts) {
        clv_sweep_parts_json(w->parts, &j);
    } else {
        clv_json_integer(&j, "threads", w->desc.threads);
        clv_json_number(&j, "wall_seconds", wall);
        clv_json_integer(&j, "lanes", count_in_lanes(w));
    }
    json_failures(w, &j);
    json_statistics(w, &j, room);
    clv_json_end(&j);
}

/* ---------------------------------------------------------------- text */

static void print_failures(const clv_sweeping *w, int failed)
{
    int told = 0;
    for (int i = 0; i < w->sweep.runs && told < FAILURES; ++i)
        if (clv_sweepfile_row(w->file, i) && clv_sweepfile_status(w->file, i) != CLV_OK) {
            clv_label("");
            printf("run %d: ", i);
            clv_print_text(stdout, clv_sweepfile_why(w->file, i));
            printf("\n");
            told++;
        }
    if (failed > told) {
        clv_label("");
        printf("and %d more: SELECT instance, error FROM runs WHERE error NOTNULL\n", failed - told);
    }
}

static void print_counts(const clv_sweeping *w, double wall)
{
    const int rows = clv_sweepfile_count(w->file), failed = count_failed(w);
    clv_label("runs");
    printf("%d of %d", rows, w->sweep.runs);
    if (w->before > 0)
        printf(", %d of them from before", w->before);
    if (w->now > 0)
        printf("; %d in %.3g s by %d thread%s (%.3g runs/s)", w->now, wall, w->desc.threads,
               w->desc.threads > 1 ? "s" : "", w->now / wall);
    printf("\n");
    if (failed == 0)
        return;
    clv_label("failed");
    printf("%s%d%s; statistics are those of the others\n", clv_tone_begin(CLV_TONE_BAD), failed,
           clv_tone_begin(CLV_TONE_PLAIN));
    print_failures(w, failed);
}

/* How many runs shared lanes, and why the others did not. */
static void print_lanes(const clv_sweeping *w)
{
    enum { REASONS = 8 };
    const char *reason[REASONS];
    int count[REASONS] = {0}, reasons = 0;
    if (w->now == 0)
        return;
    for (int i = 0; i < w->sweep.runs; ++i) {
        const char *why = clv_ensemble_alone(w->ensemble, i);
        int k = 0;
        while (why && k < reasons && strcmp(reason[k], why) != 0)
            k++;
        if (!why || k == REASONS)
            continue;
        reason[k] = why, count[k]++;
        reasons = k == reasons ? k + 1 : reasons;
    }
    clv_label("lanes");
    printf("%d side by side, up to 8 a thread", count_in_lanes(w));
    for (int k = 0; k < reasons; ++k)
        printf("; %d alone: %s", count[k], reason[k]);
    printf("\n");
}

static void print_statistics(const clv_sweeping *w, double *room)
{
    const clv_sweep_start *s = clv_sweepfile_start(w->file);
    const int n = s->nvalue + s->noutput;
    printf("\n%-34s %11s %11s %11s %11s %11s %11s %11s  varies with\n", "", "mean", "deviation", "least", "5 %",
           "median", "95 %", "largest");
    for (int k = 0; k < n && k < LINES; ++k) {
        const clv_statistics c = clv_sweepfile_column(w->file, k, room);
        char name[300];
        snprintf(name, sizeof name, *s->column[k].text ? "%s [%s]" : "%s", s->column[k].name, s->column[k].text);
        printf("%-34s", name);
#define X(field) printf(" %11.5g", c.field);
        CLV_SWEEP_STATISTICS(X)
#undef X
        int with = -1;
        const double r = k < s->nvalue ? NAN : clv_sweepfile_varies_with(w->file, k, room, &with);
        if (with >= 0 && fabs(r) > NOISE / sqrt(c.count))
            printf("  %+.2f %s", r, s->column[with].name);
        printf("\n");
    }
    if (n > LINES)
        printf("and %d more: table `statistics` of the file\n", n - LINES);
}

clv_exit clv_sweeping_report(clv_sweeping *w, double wall)
{
    double *room = clv_alloc((size_t)w->sweep.runs, 4 * sizeof *room);
    if (!room)
        return clv_tell("sweep", w->set.json, CLV_EXIT_RESOURCES, "out of memory");
    const int rows = clv_sweepfile_count(w->file);
    const bool incomplete = w->parts && w->parts->missing > 0;
    const clv_exit code =
        incomplete || (rows > 0 && count_failed(w) == rows) ? CLV_EXIT_NUMERICAL : CLV_EXIT_DONE;
    if (w->set.json) {
        print_json(w, code, wall, room);
    } else {
        print_counts(w, wall);
        print_lanes(w);
        if (w->parts)
            clv_sweep_parts_print(w->parts, w->set.out);
        if (rows > count_failed(w))
            print_statistics(w, room);
        printf("\n");
        clv_label("written");
        printf("%s: tables runs, columns, statistics (SQLite)\n", w->set.out);
    }
    clv_free(room);
    return code;
}
