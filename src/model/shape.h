/* SPDX-License-Identifier: Apache-2.0
 * Shapes of bodies: how many sizes each kind has and what it is called; for the reader, the writer and the checks. */
#ifndef CLV_MODEL_SHAPE_H
#define CLV_MODEL_SHAPE_H
#include "cleave/cleave.h"

typedef struct clv_shape_row {
    const char *name;
    int nsize;
} clv_shape_row;

/* Centre of mass of a homogeneous shape, of a mesh that of its hull, body axes; a flat mesh: its origin. */
void clv_shape_middle(const clv_shape *s, double middle[3]);

/* What is drawn of a shape: of a mesh or a bore the box about it, along its axes; faces.h has its surface. */
clv_shape clv_shape_drawn(const clv_shape *s);

extern const clv_shape_row clv_shape_table[CLV_SHAPE_KINDS];

#endif
