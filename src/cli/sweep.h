/* SPDX-License-Identifier: Apache-2.0
 * What `cleave sweep` is made of.
 *
 *     command_sweep     options, the order of things
 *     sweep_values      what is varied, and whether the model takes it
 *     sweep_settings    what a sweep file says of the sweep, by which it is recognised
 *     sweep_running     the runs, their rows, progress
 *     sweep_report      statistics as text and as JSON
 *     sweep_export      its file as comma-separated values
 *     sweep_job         the command that makes a part, as a text
 *
 * and `cleave sweep merge`:
 *
 *     command_sweep_merge   files of parts into one
 *     sweep_parts           which parts are lost or incomplete */
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
    char *words;             /* of this command, see clv_sweep_words */
    const struct clv_sweep_parts *parts; /* of `merge`, else NULL */
} clv_sweeping;

/* A part of a sweep that has no file, or whose file lacks rows. */
typedef struct clv_sweep_part {
    int shard;               /* from 1; 0: it is not known which                              */
    int runs, missing;       /* its runs, and of these without a row                          */
    const char *state;       /* incomplete, lost, damaged                                     */
    char *file, *command;    /* its file, as given or as it should be called; what makes it   */
} clv_sweep_part;

typedef struct clv_sweep_parts {
    int shards;              /* of the sweep; 0: not known                                    */
    int n, missing;          /* parts; runs without a row                                     */
    clv_sweep_part *part;    /* (n)                                                           */
} clv_sweep_parts;

/* A file that `merge` was given. */
typedef struct clv_sweep_given {
    const char *path;
    const char *lost;        /* NULL: it was read; else lost (there is no such file), damaged */
    char *why;               /* message, where it is lost                                     */
    clv_sweep_job job;       /* words: owned                                                  */
    int rows;
} clv_sweep_given;

/* Each reports its errors. */
clv_exit clv_sweeping_values(clv_sweeping *w);
clv_exit clv_sweeping_settings(clv_sweeping *w, clv_sweep_start *start);
clv_exit clv_sweeping_run(clv_sweeping *w);
/* Of the ensemble: after a run, on the thread that made it, one at a time.  Rows of long runs are committed at once. */
bool clv_sweeping_done(void *sweeping, int run);
clv_exit clv_sweeping_report(clv_sweeping *w, double wall);
/* The rows of a sweep file as a CSV file; columns NULL: all.  For `cleave export`. */
clv_exit clv_sweep_export(const char *sweep, const char *path, const char *columns, const clv_output_rule *rule);
/* The words of a command as a text for a shell, without those of one part; NULL: out of memory. */
char *clv_sweep_words(const clv_option *table, int argc, char **argv);
/* The command of a job for the file `out`; how: resume, force.  NULL: out of memory. */
char *clv_sweep_command(const clv_sweep_job *job, const char *out, const char *how);
/* `cleave sweep merge` (argv: the words behind). */
int clv_sweep_merge(int argc, char **argv);
/* What the merged file lacks, and which parts should have made it.  False: out of memory; release even so. */
bool clv_sweep_parts_find(clv_sweep_parts *p, const clv_sweepfile *merged, const char *out,
                          const clv_sweep_given *given, int n);
void clv_sweep_parts_release(clv_sweep_parts *p);
void clv_sweep_parts_print(const clv_sweep_parts *p, const char *out);
/* Members missing, shards and parts. */
void clv_sweep_parts_json(const clv_sweep_parts *p, clv_json *j);
/* Reports an error of the library; JSON, too. */
clv_exit clv_sweeping_tell(const clv_sweeping *w, const clv_error *e);

#endif
