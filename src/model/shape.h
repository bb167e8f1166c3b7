/* SPDX-License-Identifier: Apache-2.0
 * Shapes of bodies: how many sizes each kind has and what it is called; for the reader, the writer and the checks. */
#ifndef CLV_MODEL_SHAPE_H
#define CLV_MODEL_SHAPE_H
#include "cleave/cleave.h"

typedef struct clv_shape_row {
    const char *name;
    int nsize;
} clv_shape_row;

extern const clv_shape_row clv_shape_table[CLV_SHAPE_KINDS];

#endif
