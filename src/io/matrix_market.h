/* SPDX-License-Identifier: Apache-2.0
 * Real symmetric matrices in the Matrix Market coordinate format (NIST): a header, comments (%), a line of sizes, and a
 * line `row column value` for each entry, counted from 1.  Symmetric files hold the lower triangle; general ones must
 * be symmetric (relative 1e-9). */
#ifndef CLV_IO_MATRIX_MARKET_H
#define CLV_IO_MATRIX_MARKET_H
#include "cleave/cleave.h"

/* The n x n matrix in *x (clv_free it), whole and exactly symmetric.  Errors with file and line in *e. */
clv_status clv_matrix_market_read(double **x, int n, const char *path, clv_error *e);

#endif
