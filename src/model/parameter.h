/* SPDX-License-Identifier: Apache-2.0
 * Parameters of a model file, kept with the model for whoever lists them: the model's numbers no longer depend on
 * them. */
#ifndef CLV_MODEL_PARAMETER_H
#define CLV_MODEL_PARAMETER_H
#include "model/model.h"

/* Appends a copy; false: out of memory. */
bool clv_model_note_parameter(clv_model *m, const clv_parameter *p);
void clv_model_free_parameters(clv_model *m);

#endif
