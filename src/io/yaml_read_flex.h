/* SPDX-License-Identifier: Apache-2.0
 * Flexible bodies of a model file: what the files that read them call in each other.
 *
 *     yaml_read_flex    `flexible` of a body: which source, damping, limit; the start of its modes; its nodes as bodies
 *     yaml_read_beam    the built-in beam
 *     yaml_read_modal   modes and integrals written out; yaml_read_modal_file: in a file of their own
 *     yaml_read_rows    lists of numbers, rows, square matrices */
#ifndef CLV_IO_YAML_READ_FLEX_H
#define CLV_IO_YAML_READ_FLEX_H
#include "io/yaml_read.h"
#include "flexible/flex_body.h"

/* ---- yaml_read_rows.c: numbers of a key into x; false after errors */
bool clv_value_numbers(clv_entry *e, const clv_value *v, const char *key, int n, double *x);
/* rows x width, row major; `of` says what there is one row of. */
bool clv_value_rows(clv_entry *e, const clv_value *v, const char *key, int rows, int width, const char *of, double *x);
/* n x n symmetric (1e-9; made exact), or its diagonal. */
bool clv_value_square(clv_entry *e, const clv_value *v, const char *key, int n, double *x);

/* ---- sources: open *b and fill it; false after errors (nothing is held then) */
bool clv_read_beam(clv_entry *flexible, const clv_value *v, clv_flex_body *b);
bool clv_read_modal(clv_entry *modal, clv_flex_body *b); /* an entry of CLV_IN_MODAL, read; *b damped if it says so */
bool clv_read_modal_file(clv_entry *flexible, const clv_value *v, clv_flex_body *b, bool *damped);
/* Would a model take this text of a file of modes?  *e: why not.  Errors: CLV_ERR_MODEL, CLV_ERR_MEMORY. */
clv_status clv_flex_text_check(clv_error *e, const char *text, size_t size);
/* The text at a node as a name for a body's node; false after errors. */
bool clv_node_name(clv_entry *e, const clv_yaml_node *key, const char *in, char **name);

/* ---- yaml_read_flex.c */
/* Reads `flexible` of a body; false after errors. */
bool clv_read_flexible(clv_entry *body, clv_flex_body *b);
/* Start of the modes of the body `name` into b; then, once the body is in the model, its nodes. */
void clv_read_start_modes(clv_entry *body, const char *name, clv_flex_body *b);
bool clv_make_flexible(clv_entry *body, const char *name, int index, clv_flex_body *b);

#endif
