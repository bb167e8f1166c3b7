/* SPDX-License-Identifier: Apache-2.0
 * Writing flexible bodies: modes and integrals (T32.1), inline in a model file or as a file of modes. */
#ifndef CLV_IO_YAML_WRITE_FLEX_H
#define CLV_IO_YAML_WRITE_FLEX_H
#include "io/yaml_write_text.h"
#include "flexible/flex_body.h"

/* ", flexible: {modal: {...}}" of body b of the model. */
void clv_write_flexible(clv_writer *w, const clv_body *b);
/* Start of the modes under `start: modes:`, if there is any. */
void clv_write_start_modes(clv_writer *w, const clv_flex *f);
bool clv_flex_moving(const clv_flex *f); /* has it such a start? */
/* A whole file of modes with a comment (lines, each beginning with #) as *text (clv_free it). */
clv_status clv_flex_write_text(const clv_flex_body *b, const char *comment, char **text, size_t *size);

#endif
