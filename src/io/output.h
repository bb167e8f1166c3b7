/* SPDX-License-Identifier: Apache-2.0
 * The one place that decides whether a file may be written: nothing that exists is replaced unasked, and what is read
 * is never replaced.  Used for every result of the command line; run files (runfile_place.c) make the same checks.
 *
 * A name that is a symbolic link stands for its target, which must exist.  Only regular files are written. */
#ifndef CLV_IO_OUTPUT_H
#define CLV_IO_OUTPUT_H
#include "cleave/cleave.h"
#include <stdio.h>
#include <sys/stat.h>

typedef struct clv_output {
    FILE *stream;
    char *path;  /* the file itself, links resolved                                                 */
    char *fresh; /* the name it has until it is complete; NULL: written in place                    */
    bool whole;  /* removed again if it cannot be completed                                         */
} clv_output;

/* How an output may be opened. */
typedef struct clv_output_rule {
    bool force;               /* an existing file is replaced                                           */
    bool stream;              /* what is written is seen at once and kept on failure; else all or nothing */
    const char *const *input; /* names of files that are read, up to NULL; NULL: none                    */
} clv_output_rule;

/* May it be opened?  CLV_ERR_USAGE (it exists, or is an input), CLV_ERR_IO.  Nothing is changed. */
clv_status clv_output_check(const char *path, const clv_output_rule *rule, clv_error *e);
/* Opens it for writing.  Errors as above, and CLV_ERR_MEMORY; then nothing is held. */
clv_status clv_output_open(clv_output *o, const char *path, const clv_output_rule *rule, clv_error *e);
/* Completes it (keep), or takes it back unless it is a stream.  CLV_ERR_IO: not all of it could be written, or the file
 * was removed or replaced meanwhile. */
clv_status clv_output_close(clv_output *o, bool keep, clv_error *e);

/* For run files: the file that a name stands for; NULL after an error. */
char *clv_output_resolve(const char *path, clv_error *e);
/* Is it one of the inputs?  CLV_ERR_USAGE. */
clv_status clv_output_not_input(const char *path, const struct stat *about, const char *const *input, clv_error *e);
/* Is this the same file? */
bool clv_same_file(const struct stat *a, const struct stat *b);

#endif
