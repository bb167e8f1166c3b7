/* SPDX-License-Identifier: Apache-2.0
 * Frames of a run file, computed and written on a thread of their own, in order, while the run continues.  A frame is a
 * function of its state, so the file has the same bytes as if each had been written at once.
 *
 * The file belongs to the recorder from the first post to the next wait; then to the caller again. */
#ifndef CLV_CLI_RECORDER_H
#define CLV_CLI_RECORDER_H
#include "io/runfile.h"

typedef struct clv_recorder clv_recorder;

/* NULL when out of memory.  Model and options are those of the run. */
clv_recorder *clv_recorder_create(clv_runfile *file, const clv_model *model, const clv_sim_options *options);
/* Where the next state goes (clv_sim_state_size numbers); waits while too many are under way. */
double *clv_recorder_state(clv_recorder *r);
/* That state becomes a frame. */
void clv_recorder_post(clv_recorder *r);
/* What failed so far: nothing, the simulation (*error is its error), or the file (clv_runfile_error, once waited).
 * After a failure no more frames are written. */
clv_status clv_recorder_failed(clv_recorder *r, bool *of_file, clv_error *error);
/* Until all states posted are frames, or one has failed. */
void clv_recorder_wait(clv_recorder *r);
/* Waits first.  NULL is allowed. */
void clv_recorder_destroy(clv_recorder *r);

#endif
