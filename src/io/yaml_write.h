/* SPDX-License-Identifier: Apache-2.0
 * Writing a model as a YAML file a person likes to read; reading it back gives the same model to the last bit. */
#ifndef CLV_IO_YAML_WRITE_H
#define CLV_IO_YAML_WRITE_H
#include "cleave/cleave.h"

/* *text: NUL-terminated, freed by clv_free (base/memory.h); *size (may be NULL): its length.
 * Errors: CLV_ERR_UNSUPPORTED (a load that calls a function, a name with braces or control characters), CLV_ERR_MEMORY;
 * then *text is NULL. */
clv_status clv_model_write_text(const clv_model *model, char **text, size_t *size);
/* The same for a file of that name: files of meshes are named relative to its folder, else to the working folder. */
clv_status clv_model_write_text_for(const clv_model *model, const char *file, char **text, size_t *size);

#endif
