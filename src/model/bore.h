/* SPDX-License-Identifier: Apache-2.0
 * Contacts inside a bore (T147): a hole in a tube, open or closed at its ends, and a sphere, cylinder or capsule in it.
 * The outside of the tube touches nothing. */
#ifndef CLV_MODEL_BORE_H
#define CLV_MODEL_BORE_H
#include "model/touch.h"

enum { CLV_BORE_LOWER = 1, CLV_BORE_UPPER = 2 }; /* bits of `closed`: which ends have a bottom */

/* Why two kinds or sizes of shapes cannot touch, with a hint; NULL: they can.  Any order; one that is no bore is fine.
 * CLV_SHAPE_NONE: a plane. */
const char *clv_bore_refuses(const clv_shape *a, const clv_shape *b, const char **hint);
/* Points of a bore and a sphere, cylinder or capsule; returns how many. */
int clv_bore_touch(const clv_solid *a, const clv_solid *b, clv_touch x[CLV_TOUCH_POINTS]);
/* m, how far what is inside a bore is from its wall, mouths and bottoms (T147.4).  INFINITY: it is in front of a mouth.
 * -INFINITY: its axis is in the wall or outside.  Any order. */
double clv_bore_gap(const clv_solid *a, const clv_solid *b);
/* Is its middle farther from the axis of the bore than the wall?  Any order. */
bool clv_bore_beside(const clv_solid *a, const clv_solid *b);
/* m, thickness of the wall, and of bottoms. */
static inline double clv_bore_wall(const clv_solid *s) { return s->size[1] - s->size[0]; }
/* m, from the middle of the hole to the outer end at side -1 or 1. */
double clv_bore_end(const double size[3], int closed, int side);

#endif
