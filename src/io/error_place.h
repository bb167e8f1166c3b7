/* SPDX-License-Identifier: Apache-2.0
 * The place in the model file of what an error names.  Simulations do not know files; models remember where each item
 * was defined. */
#ifndef CLV_IO_ERROR_PLACE_H
#define CLV_IO_ERROR_PLACE_H
#include "cleave/cleave.h"

/* Fills file, line, column (and path, if empty) of an error without a line, from its path or the item it names.
 * Nothing happens where the model is not from a file or the item is not found. */
void clv_error_place(clv_error *e, const clv_model *model);

#endif
