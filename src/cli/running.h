/* SPDX-License-Identifier: Apache-2.0
 * A run under way, shared by `cleave run` and `cleave resume`: time passes from output to output, what happens is
 * written and reported. */
#ifndef CLV_CLI_RUNNING_H
#define CLV_CLI_RUNNING_H
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/peaks.h"
#include "cli/realtime.h"
#include "cli/recorder.h"
#include "cli/sparkline.h"
#include "io/output.h"
#include "io/runfile.h"

typedef struct clv_run_settings {
    const char *command; /* whose errors they are: run, or what runs a model first */
    clv_sim_options sim;
    double time, every, checkpoint; /* s; NaN: not given */
    double max_steps, max_output;   /* largest number of steps or outputs; GB, NaN: not given */
    const char *out, *table, *columns, *report;
    clv_words inputs;
    bool no_project, no_regauge, reactions, json, force, lenient, verbose, real_time;
    bool quiet; /* print no result */
} clv_run_settings;

typedef struct clv_running {
    clv_subject subject;
    clv_run_settings set;
    bool asked_checkpoint;   /* --checkpoint was given                  */
    clv_output csv;          /* or its stream is NULL                   */
    clv_columns columns;     /* of --out                                */
    double *frame;           /* (columns.width) of the CSV              */
    clv_peaks peaks;
    double sampled;          /* s, time of the last sample              */
    double sampling;         /* wall seconds that samples between outputs took */
    double singular;         /* s, first loss of rank; NaN: none seen    */
    clv_runfile *file;       /* or NULL                                 */
    clv_recorder *recorder;  /* of the run file, or NULL                */
    clv_realtime *real;      /* of --real-time, or NULL                 */
    clv_interrupt interrupt;
    clv_error unseen;        /* of an output that cannot be shown       */
    clv_error failure;       /* of the run                              */
    bool broken;             /* the run file could not be written       */
    bool truncated;          /* the last step had a lower rank          */
    long truncations;        /* evaluations with a lower rank so far    */
    long *happened;          /* (events of the model) written so often  */
    double due;              /* s, of the next checkpoint               */
    int marker;              /* of --table, -1 none                     */
    double written;          /* s, time of the last line written        */
    double began, told;      /* wall seconds: start, last progress line */
    clv_sparkline drift;     /* largest energy drift so far, over time */
    bool watched;            /* a terminal sees standard error          */
    clv_status status;
} clv_running;

/* Refuses a fixed step that is longer than a run from 0 to its end: it would pass the end, and fail there. */
clv_exit clv_running_check_step(const char *command, const clv_run_settings *set);
/* Refuses steps or outputs that would never end or fill the disk, from a time (s) on; numbers in an output. */
clv_exit clv_running_check_amount(const clv_running *r, double from, int width);
/* What computes here, for run files; the texts live in `text`. */
clv_runfile_machine clv_running_machine(char text[2][192]);
/* Opens --out as a run file; errors are reported. */
clv_exit clv_recording_open(clv_running *r);
/* Starts the recorder, if there is a run file; errors are reported, and the file is closed. */
clv_exit clv_recording_start(clv_running *r);
/* Sets the watch for truncations and checkpoints to where the simulation is. */
void clv_recording_begin(clv_running *r);
/* Writes events of the model that have happened since the last call. */
void clv_recording_events(clv_running *r);
/* After every step towards an output of the regular grid, or not of it. */
void clv_recording_step(clv_running *r, bool regular);
/* The output state as a frame; at the start what assembly did. */
void clv_recording_frame(clv_running *r);
/* Advances to an output, which becomes a frame later: the views stay behind. */
clv_status clv_recording_advance(clv_running *r, double to);
/* Such a state, copied from the simulation before, becomes a frame later. */
clv_status clv_recording_state(clv_running *r, const double *state);
/* Waits until all frames are there; an error if one could not be shown.  The views follow: to `end`, or to where
 * the run is after a failure. */
clv_status clv_recording_settle(clv_running *r, clv_status status, double end);
/* A checkpoint at the end, if the end is an output of the regular grid. */
void clv_recording_end(clv_running *r, bool regular);
/* Summary, and failure if any; closes the file.  `code` as it is, or CLV_EXIT_RESOURCES. */
clv_exit clv_recording_close(clv_running *r, clv_exit code, clv_error *error, double wall);
/* Exit code of an error of a run file. */
clv_exit clv_recording_exit(clv_status status);

/* Settings of `cleave run` without options. */
clv_run_settings clv_run_usual(void);
/* `cleave run` with options that are read (command_run.c): opens the model of these words, runs it, writes its page. */
clv_exit clv_run_words(const clv_run_settings *set, const clv_words *words);
/* command_resume.c: refuses an end (s; NaN: not given) before that of the run, with what it has reached. */
clv_exit clv_resume_check_end(clv_runfile *file, const char *path, bool json, double time);
/* The output state as a row of --out and a sample of the peaks. */
void clv_running_write_row(clv_running *r);
/* running_real.c: may this run be made in real time?  Errors are reported. */
clv_exit clv_running_check_real(const clv_running *r);
/* All steps in real time (--real-time), with their frames. */
clv_status clv_running_real(clv_running *r);
void clv_running_print_real(const clv_realtime *real);
void clv_running_json_real(const clv_realtime *real, clv_json *j);

/* Runs an opened subject with complete settings to its end and reports the result. */
clv_exit clv_running_go(clv_running *r);

#endif
