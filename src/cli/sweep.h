/* SPDX-License-Identifier: Apache-2.0
 * What `cleave sweep` is made of.
 *
 *     command_sweep     options, the order of things
 *     sweep_values      what is varied, and whether the model takes it
 *     sweep_settings    what a sweep file says of the sweep, by which it is recognised
 *     sweep_running     the runs, their rows, progress
 *     sweep_report      statistics as text and as JSON
 *     sweep_export      its file as comma-separated values */
#ifndef CLV_CLI_SWEEP_H
#define CLV_CLI_SWEEP_H
#include "cli/command.h"
#include "io/output.h"
#include "io/sweep.h"
#include "io/sweepfile.h"

typedef struct clv_sweep_settings {
    clv_sim_options sim;
    double time, every, seed, max_steps; /* s; NaN: not given */
    int runs, threads;                   /* 0: not given, auto */
    const char *sample, *values, *shard, *out, *columns;
    clv_words vary, merge;
    bool no_project, no_regauge, force, resume, json;
} clv_sweep_settings;

typedef struct clv_sweeping {
    clv_subject subject;
    clv_sweep_settings set;
    const char *text;        /* the model file, `size` bytes */
    char *made;              /* of a computed example: its text, or NULL */
    size_t size;
    clv_sweep sweep;
    int shard, shards;       /* this part of the runs: number i with i % shards == shard */
    clv_ensemble_desc desc;
    clv_ensemble *ensemble;
    const char **name, **unit; /* (sweep.nvary) of desc */
    bool *skip;              /* (runs) rows that are there, or of other shards */
    clv_sweepfile *file;
    clv_sweep_pair *pair;    /* settings, then columns */
    int nsetting;
    char **made_text;        /* (nmade) texts of settings */
    int nmade;
    int before, here;        /* rows when the file was opened; runs to make now */
    int now, failed;         /* runs made, and of these failed */
    double began, told;      /* wall seconds: start, last progress line */
    bool watched;            /* a terminal sees standard error */
} clv_sweeping;

/* Each reports its errors. */
clv_exit clv_sweeping_values(clv_sweeping *w);
clv_exit clv_sweeping_settings(clv_sweeping *w, clv_sweep_start *start);
clv_exit clv_sweeping_run(clv_sweeping *w);
/* Of the ensemble: after a run, on the thread that made it, one at a time.  Rows of long runs are committed at once. */
bool clv_sweeping_done(void *sweeping, int run);
clv_exit clv_sweeping_report(clv_sweeping *w, double wall);
/* The rows of a sweep file as a CSV file; columns NULL: all.  For `cleave export`. */
clv_exit clv_sweep_export(const char *sweep, const char *path, const char *columns, const clv_output_rule *rule);
/* Reports an error of the library; JSON, too. */
clv_exit clv_sweeping_tell(const clv_sweeping *w, const clv_error *e);

#endif
