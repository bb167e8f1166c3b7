/* SPDX-License-Identifier: Apache-2.0
 * A run as a table of comma-separated values: a line of names with units, then one line per output time.  Columns:
 * time; for every body position, quaternion, velocity (centre of mass, global axes) and angular velocity; for every
 * marker position and velocity.  Numbers read back to the same doubles.  The caller checks the stream at the end. */
#ifndef CLV_CLI_CSV_H
#define CLV_CLI_CSV_H
#include "cleave/cleave.h"
#include <stdio.h>

/* One heading, "owner.what [unit]" (what may be empty), in quotes where it needs them.  Owners may come from a file:
 * what acts on a terminal is spelt out (base/text.h). */
void clv_csv_heading(FILE *out, const char *owner, const char *what, const char *unit);
void clv_csv_names(FILE *out, const clv_model *model);
/* The state at the output time of sim. */
void clv_csv_row(FILE *out, const clv_model *model, const clv_sim *sim);

#endif
