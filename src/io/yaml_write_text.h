/* SPDX-License-Identifier: Apache-2.0
 * Text of a model file in the making: a growing buffer, numbers, names, keys, orientations, flexible bodies.
 * Used by yaml_write.c. */
#ifndef CLV_IO_YAML_WRITE_TEXT_H
#define CLV_IO_YAML_WRITE_TEXT_H
#include "flexible/flex_body.h"
#include "model/model.h"

typedef struct clv_writer {
    const clv_model *m;
    const char *file; /* it is to be written to; NULL: none */
    char *text;
    size_t used, capacity;
    clv_status status;
    bool first; /* no key of the open { } was written yet */
} clv_writer;

/* Appends formatted text; the first failure stays in status. */
void clv_write(clv_writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* One number: the shortest decimal that reads back the same. */
void clv_write_one(clv_writer *w, double x);
void clv_write_numbers(clv_writer *w, const double *x, int n);
/* A text, quoted if YAML could take it for anything else; and the name of an item, where braces would count copies. */
void clv_write_name(clv_writer *w, const char *name);
void clv_write_item_name(clv_writer *w, const char *name);
/* Keys of an open { }: `key: `, a number unless it is the standard one (NaN: always), lists, tables. */
void clv_write_key(clv_writer *w, const char *name);
void clv_write_number_key(clv_writer *w, const char *name, double x, double standard);
bool clv_all_zero(const double *x, int n);
void clv_write_list_key(clv_writer *w, const char *name, const double *x, int n);
void clv_write_list_unless_zero(clv_writer *w, const char *name, const double *x, int n);
void clv_write_table(clv_writer *w, const char *name, const clv_series *s);
/* "NAME: {" and "}" of an item, one line each. */
void clv_write_open(clv_writer *w, int indent, const char *name);
void clv_write_close(clv_writer *w);
/* `orientation` of a body (unit quaternion), of a joint frame (matrix); none if it does not turn. */
void clv_write_orientation(clv_writer *w, const double q[4]);
void clv_write_frame_orientation(clv_writer *w, const double E[9]);

/* ---- yaml_write_visual.c */
void clv_write_shape(clv_writer *w, const clv_shape *s); /* the key `shape` of a body */
void clv_write_further(clv_writer *w, const clv_further *s);
void clv_write_visual(clv_writer *w, const clv_visual *v);

/* ---- yaml_write_force.c */
void clv_write_body_name(clv_writer *w, int body);                         /* its name, or ground */
void clv_write_terms(clv_writer *w, const clv_coupling_term *term, int n); /* the key `of` */
void clv_write_force(clv_writer *w, const clv_force *f);                   /* one line */

/* ---- yaml_write_contact.c */
void clv_write_contact(clv_writer *w, const clv_force *f); /* all but its two bodies */

/* ---- yaml_write_flex.c: modes and integrals (T32.1), inline in a model file or as a file of modes */
/* ", flexible: {modal: {...}}" of body b of the model. */
void clv_write_flexible(clv_writer *w, const clv_body *b);
/* Start of the modes under `start: modes:`, if there is any. */
void clv_write_start_modes(clv_writer *w, const clv_flex *f);
bool clv_flex_moving(const clv_flex *f); /* has it such a start? */
/* A whole file of modes with a comment (lines, each beginning with #) as *text (clv_free it). */
clv_status clv_flex_write_text(const clv_flex_body *b, const char *comment, char **text, size_t *size);

#endif
