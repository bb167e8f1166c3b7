/* SPDX-License-Identifier: Apache-2.0
 * Writes MAT files (version 5, without compression): real matrices and lists of names, which MATLAB, Octave and SciPy
 * read.  The caller checks the stream (ferror, fclose) at the end. */
#ifndef CLV_IO_MAT_H
#define CLV_IO_MAT_H
#include <stdio.h>

void clv_mat_begin(FILE *out);
/* A matrix (rows x columns, row major here); its name has letters, digits and underscores only. */
void clv_mat_matrix(FILE *out, const char *name, const double *row, size_t rows, size_t columns);
/* A cell array (n x 1) of texts, UTF-8. */
void clv_mat_names(FILE *out, const char *name, const char *const *text, size_t n);

#endif
