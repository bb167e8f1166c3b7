/* SPDX-License-Identifier: Apache-2.0
 * Finite-element files (`fe: 1`, docs/model-file.md): nodes, interfaces, and the names of Matrix Market files. */
#ifndef CLV_IO_FE_READ_H
#define CLV_IO_FE_READ_H
#include "flexible/flex_reduce.h"

typedef struct clv_fe_file {
    clv_fe fe;        /* points into what follows */
    double spin;      /* spin_limit; NaN: not given */
    double *position; /* owned, all of them */
    char **name;
    double *K, *M, *D;
    clv_fe_interface *interface;
    int **node;
    char **interface_name;
} clv_fe_file;

/* Reads a file and its matrices.  *errors (clv_model_destroy it) holds what is wrong, as after clv_model_read; *f is
 * filled only if all is well.  Errors: CLV_ERR_IO, _SYNTAX, _MODEL, _UNSUPPORTED (size), _MEMORY. */
clv_status clv_fe_read(clv_model **errors, clv_fe_file *f, const char *path);
void clv_fe_file_free(clv_fe_file *f);

/* The n x n matrix of a file in *x (clv_free it), whole and exactly symmetric.  Matrix Market coordinate format (NIST):
 * a header, comments (%), a line of sizes, and a line `row column value` for each entry from 1.  Symmetric files hold
 * the lower triangle; general ones must be symmetric (relative 1e-9).  Errors with file and line in *e. */
clv_status clv_matrix_market_read(double **x, int n, const char *path, clv_error *e);

#endif
