/* SPDX-License-Identifier: Apache-2.0
 * A model file that starts with the output state of a simulation: its text, read again and compared.  For `snapshot`
 * and `equilibrium`. */
#ifndef CLV_CLI_START_FILE_H
#define CLV_CLI_START_FILE_H
#include "cleave/cleave.h"

typedef struct clv_start_file {
    char *text;
    size_t size;
    double moved; /* largest difference of places and velocities when the text is read and started, beside the sizes */
} clv_start_file;

/* path: the file that is to be written.  head: a comment, without its line end.  The model, which is that of the
 * simulation, takes the start (sim must not be used again); options are those of the simulation.  Errors: as
 * clv_sim_snapshot, and CLV_ERR_INCONSISTENT (a model file cannot hold this state); *e then says why.  Release it in
 * any case. */
clv_status clv_start_file_make(clv_start_file *f, const char *path, clv_sim *sim, clv_model *model, const char *head,
                               const clv_sim_options *options, clv_error *e);
void clv_start_file_release(clv_start_file *f);

#endif
