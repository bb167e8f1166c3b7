/* SPDX-License-Identifier: Apache-2.0
 * A table of comma-separated values: a line of names with units, then one line per output time.  io/columns.h has the
 * columns.  Numbers read back to the same doubles.  The caller checks the stream at the end. */
#ifndef CLV_CLI_CSV_H
#define CLV_CLI_CSV_H
#include "io/columns.h"
#include <stdio.h>

/* The line of names, "crank.position.x [m]", in quotes where they need them.  Names may come from a file: what acts on
 * a terminal is spelt out (base/text.h). */
void clv_csv_names(FILE *out, const clv_column *column, int n);
/* A line of numbers; empty where one is not finite. */
void clv_csv_numbers(FILE *out, const double *value, int n);

#endif
