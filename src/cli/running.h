/* SPDX-License-Identifier: Apache-2.0
 * A run under way, shared by `cleave run` and `cleave resume`: time passes from output to output, what happens is written and told. */
#ifndef CLV_CLI_RUNNING_H
#define CLV_CLI_RUNNING_H
#include "cli/command.h"

typedef struct clv_run_settings {
    clv_sim_options sim;
    double time, every; /* s; NaN: not given */
    const char *out, *table;
    bool no_project, no_regauge, json;
} clv_run_settings;

typedef struct clv_running {
    clv_subject subject;
    clv_run_settings set;
    FILE *csv;
    int marker;              /* of --table, -1 none                     */
    double written;          /* s, time of the last line written        */
    double began, told;      /* wall seconds: start, last progress line */
    bool watched;            /* a terminal sees standard error          */
    clv_status status;
} clv_running;

/* Runs an opened subject with complete settings to its end and tells the result. */
clv_exit clv_running_go(clv_running *r);

#endif
