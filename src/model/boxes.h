/* SPDX-License-Identifier: Apache-2.0
 * Two boxes: the axis along which they are farthest apart, and where they touch (T69).  Shapes know no bodies. */
#ifndef CLV_MODEL_BOXES_H
#define CLV_MODEL_BOXES_H
#include "model/touch.h"

enum { CLV_BOXES_POINTS = 4 }; /* most points of two boxes */

/* An axis of the separating-axis test. */
typedef struct clv_boxes_axis {
    int of;      /* 0: normal of a face of a, 1: of b, 2: across an edge of each                 */
    int i, j;    /* the axis of the box; of 2: those of a and of b along the edges               */
    double n[3]; /* unit vector from a to b, global                                              */
    double gap;  /* m, distance of the boxes along it; below 0 they overlap                      */
} clv_boxes_axis;

/* The one of 15 axes along which the boxes are farthest apart.  A face of b is taken in place of one of a, and edges in
 * place of faces, only where they are better by more than `prefer` (m). */
clv_boxes_axis clv_boxes_apart(const clv_solid *a, const clv_solid *b, double prefer);
/* Where they touch; returns how many points. */
int clv_boxes_touch(const clv_solid *a, const clv_solid *b, clv_touch x[CLV_BOXES_POINTS]);

#endif
