/* SPDX-License-Identifier: Apache-2.0
 * Errors as a person reads them: file:line:column: path: message, the source line with a caret, what to try. */
#ifndef CLV_IO_ERROR_PRINT_H
#define CLV_IO_ERROR_PRINT_H
#include "cleave/cleave.h"
#include <stdio.h>

/* `text`: the whole text of the file the error speaks of, or NULL (then without the source line). */
void clv_error_print(FILE *out, const clv_error *e, const char *text);
/* All errors of a model, or the last one if it has no list.  text NULL: read from the file named in the errors, if it
 * can be. */
void clv_model_errors_print(FILE *out, const clv_model *model, const char *text);

/* One error with its source line, from the file it names. */
void clv_error_print_placed(FILE *out, const clv_error *e);

/* Prints a text that may come from a file: what has an effect on a terminal is spelt out (base/text.h). */
void clv_print_text(FILE *out, const char *text);

/* ---- error_place.c */
/* Fills file, line, column (and path, if empty) of an error without a line, from its path or the item it names.
 * A simulation does not know files; a model remembers where each item was defined.  Nothing happens where the model is
 * not from a file or the item is not found. */
void clv_error_place(clv_error *e, const clv_model *model);

#endif
