/* SPDX-License-Identifier: Apache-2.0
 * Filling error records.  Every owner (model, simulation) keeps one clv_error. */
#ifndef CLV_BASE_ERROR_H
#define CLV_BASE_ERROR_H
#include "cleave/cleave.h"

/* Clears the record (time and value NaN). */
void clv_error_clear(clv_error *e);
/* Clears, sets code and the formatted message, returns the code: `return clv_fail(&m->last, CLV_ERR_MODEL,
 * "...", ...)`. */
clv_status clv_fail(clv_error *e, clv_status code, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Copies text into a fixed field, cut at a whole character. */
void clv_error_text(char *field, size_t size, const char *text);
/* The record of an object that does not exist (a NULL pointer): CLV_ERR_USAGE. */
const clv_error *clv_error_of_null(void);
/* Sets the hint. */
void clv_error_hint(clv_error *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
