/* SPDX-License-Identifier: Apache-2.0
 * Reads text of comma-separated values line by line: curves of `plot`, motions of `inverse`. */
#ifndef CLV_CLI_CSV_READ_H
#define CLV_CLI_CSV_READ_H
#include "cleave/cleave.h"

typedef struct clv_csv_text {
    char *text, *at; /* the file in memory; start of the next line */
    char *end;       /* of the text                                */
    long line;       /* lines cut out so far                       */
} clv_csv_text;

/* The whole file; a byte order mark is passed over.  Errors: CLV_ERR_IO, CLV_ERR_SYNTAX (bytes of 0), CLV_ERR_MEMORY;
 * release it in any case. */
clv_status clv_csv_load(clv_csv_text *s, const char *path, clv_error *e);
void clv_csv_release(clv_csv_text *s);
/* Cuts the next line out of the text; NULL at the end. */
char *clv_csv_line(clv_csv_text *s);
/* The next field of a line, copied to `text`, quotes removed; moves *at behind its comma.  False: the line is over. */
bool clv_csv_field(char **at, char *text, size_t size);

/* A file of named columns of numbers. */
typedef struct clv_csv_table {
    const char *path;  /* as given to clv_csv_table_read                                 */
    int ncolumn;
    char (*name)[128]; /* (ncolumn) without unit                                         */
    char (*unit)[32];  /* (ncolumn) "" where none is given                               */
    long nrow;
    double *value;     /* (nrow x ncolumn); NaN: an empty field                          */
} clv_csv_table;

/* First line `name [unit],...`, then numbers.  Errors: as clv_csv_load; CLV_ERR_SYNTAX with the line. */
clv_status clv_csv_table_read(clv_csv_table *t, const char *path, clv_error *e);
void clv_csv_table_release(clv_csv_table *t);
/* The line of a row in the file, from 1. */
long clv_csv_table_line(long row);

#endif
