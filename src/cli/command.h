/* SPDX-License-Identifier: Apache-2.0
 * The table of commands and what they share: exit codes, reading words, opening a model and its simulation, telling
 * errors. A new command is one file with one clv_command and one line in the table of main.c. */
#ifndef CLV_CLI_COMMAND_H
#define CLV_CLI_COMMAND_H
#include "cleave/cleave.h"
#include "cli/json.h"
#include "cli/options.h"

typedef enum clv_exit {
    CLV_EXIT_DONE,
    CLV_EXIT_USAGE,     /* usage error                              */
    CLV_EXIT_MODEL,     /* the model is wrong                       */
    CLV_EXIT_NUMERICAL, /* the numbers failed; results are kept     */
    CLV_EXIT_RESOURCES, /* out of memory or disk                    */
    CLV_EXIT_HELP       /* help was printed, as requested: exit 0   */
} clv_exit;

typedef struct clv_command clv_command;
struct clv_command {
    const char *name;
    const char *words; /* what follows the name, as "MODEL [key=value ...]" */
    const char *text;  /* one line                                          */
    const char *help;  /* a paragraph with an example                       */
    const clv_option *options;
    int (*run)(const clv_command *self, int argc, char **argv);
};

extern const clv_command clv_command_demo, clv_command_run, clv_command_check, clv_command_eval, clv_command_examples,
    clv_command_new, clv_command_doctor, clv_command_bench, clv_command_resume, clv_command_export, clv_command_verify,
    clv_command_completion, clv_command_schema, clv_command_flex, clv_command_snapshot, clv_command_plot,
    clv_command_import, clv_command_report, clv_command_sweep, clv_command_view, clv_command_inverse,
    clv_command_equilibrium, clv_command_fmu, clv_command_linearize, clv_command_gradient;
/* The table: command i from 0, NULL after the last. */
const clv_command *clv_command_at(int i);

/* The whole program, without the process: argv as of main; the exit code. */
int clv_main(int argc, char **argv);

/* Reads options and words, least .. most of them; prints help or the mistake.  CLV_EXIT_DONE, _HELP or _USAGE. */
clv_exit clv_command_read(const clv_command *c, void *settings, clv_words *words, int least, int most, int argc,
                          char **argv);
void clv_command_help(const clv_command *c);

/* One mechanism from the command line, and what became of it. */
typedef struct clv_subject {
    const char *command;
    const char *source; /* file or example name                                  */
    const char *const *given; /* "name=value": parameters, ngiven of them         */
    int ngiven;
    bool file;          /* the source is a file                                  */
    bool lenient;       /* clip inertias that no body has                        */
    const struct clv_robot_options *robot; /* of `import`, or NULL                      */
    bool listed;        /* what the model does not carry is listed by the command */
    bool json;          /* report failures on standard output too                */
    const clv_words *inputs; /* NAME=VALUE, start values of inputs; NULL: none    */
    bool apart;         /* branches share no lanes, for measurements (simulation/cycle.h) */
    bool changed;       /* the model is no longer that of its file              */
    char *text;         /* of the file, as it was read; or NULL                  */
    size_t size;        /* bytes                                                 */
    const char **input; /* see clv_subject_inputs                                */
    clv_model *model;
    clv_sim *sim;
    clv_exit code;      /* CLV_EXIT_DONE, or what was reported */
} clv_subject;

/* Opens word 0 (a YAML or URDF file, or an example with the other words as parameters).  Errors are reported; see
 * s->code. */
clv_exit clv_subject_model(clv_subject *s, const clv_words *words);
/* Start values of s->inputs into the model that was opened. */
clv_exit clv_subject_set_inputs(clv_subject *s);
/* As clv_subject_model with inputs, then creates the simulation. */
clv_exit clv_subject_open(clv_subject *s, const clv_words *words, const clv_sim_options *options);
/* Reports a failure of the running simulation. */
clv_exit clv_subject_fail(clv_subject *s, clv_status status);
void clv_subject_close(clv_subject *s);
/* The files that were read for it, up to NULL: no output may replace them. */
const char *const *clv_subject_inputs(clv_subject *s);

/* A text that holds the whole model: its file, or the model written out.  It is written out if it was built by calls,
 * has parts in other files, or starts otherwise than its file.  NULL if there is none.  clv_free *written. */
const char *clv_subject_text(const clv_subject *s, char **written, size_t *size);

/* Exit code of a status; `running`: after the start, where nothing but the numbers and the machine can be at fault. */
clv_exit clv_exit_of(clv_status status, bool running);
/* The same after the start.  What is not supported is an invalid model, unless a run has reached it (`e->time`). */
clv_exit clv_exit_of_run(clv_status status, const clv_error *e);
/* The word of `status` in JSON: ok, wrong_use, bad_model, numerical_failure, out_of_resources. */
const char *clv_exit_word(clv_exit code);
/* Reports a failure that is no library error on standard error and, in JSON, on standard output; returns `code`. */
clv_exit clv_tell(const char *command, bool json, clv_exit code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* An error record as a JSON object; the key is `error` in results. */
void clv_json_error(clv_json *j, const char *key, const clv_error *e);
/* Prints an error of the library for people on standard error. */
void clv_error_show(const char *command, const clv_error *e);
/* Doubles that lane kernels process at a time (base/cpu.h); clv_main has refused a CLV_LANES that cannot be. */
int clv_lanes(void);
/* Flushes standard output; CLV_EXIT_RESOURCES instead of DONE if it could not be written. */
clv_exit clv_finish_output(const char *command, clv_exit code);

int clv_cores(void); /* processors of this machine, at least 1 */
double clv_wall(void); /* s, monotonic */

#endif
