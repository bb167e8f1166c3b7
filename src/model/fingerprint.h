/* SPDX-License-Identifier: Apache-2.0
 * A hash of everything a finished model says: two models that differ in any number, name, table or mode have different
 * ones.  Left out are the title, the places of items in a file, and addresses (of a callback only that there is one).
 * The check tools/check_fingerprint.py finds every field of the model that is forgotten. */
#ifndef CLV_MODEL_FINGERPRINT_H
#define CLV_MODEL_FINGERPRINT_H
#include "model/model.h"
#include <stdint.h>

/* Allocates nothing.  Equal for a model and for the same model written as text and read back. */
uint64_t clv_model_fingerprint(const clv_model *m);

#endif
