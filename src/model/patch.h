/* SPDX-License-Identifier: Apache-2.0
 * Contact of boxes, cylinders and capsules with each other (T106): one point where they are nearest, or several where a
 * flat face meets a face or a line. */
#ifndef CLV_MODEL_PATCH_H
#define CLV_MODEL_PATCH_H
#include "model/touch.h"

/* As an entry of the table of touch.c; at most CLV_TOUCH_POINTS points. */
int clv_patch_touch(const clv_solid *a, const clv_solid *b, clv_touch *x);

#endif
