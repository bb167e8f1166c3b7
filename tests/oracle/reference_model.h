/* SPDX-License-Identifier: Apache-2.0
 * Models from the JSON reference files of the folder that the environment variable CLEAVE_REFERENCE names. */
#ifndef ORACLE_REFERENCE_MODEL_H
#define ORACLE_REFERENCE_MODEL_H
#include "cleave/cleave.h"
#include "oracle/json.h"

/* The file `name` (as "rigid/hdca_case1.json") of the reference folder; NULL: no folder, or no such file. */
json *reference_read(const char *name);
/* The finished model of a reference file; body frames at the centres of mass, joints in long form, bodies placed. */
clv_status reference_model(const json *file, clv_model **model);
/* The same with start velocities; if the file has a "state", its joint coordinates and rates are the start. */
clv_status reference_model_start(const json *file, clv_model **model);
/* Poses and velocities of its "state" (or of its start): r (nbody x 3), R (x 9), V (x 6). */
void reference_state(const json *file, double *r, double *R, double *V);
#endif
