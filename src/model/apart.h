/* SPDX-License-Identifier: Apache-2.0
 * How far two convex shapes are apart (T73): along a direction, and along the best one that is found.  Shapes know no
 * bodies.  What is inside a bore has its distance from the wall, whatever the direction (T147.4). */
#ifndef CLV_MODEL_APART_H
#define CLV_MODEL_APART_H
#include "model/touch.h"

/* m, along the unit vector n from a to b: below 0 they overlap in this direction.  Neither is a plane. */
double clv_apart_along(const clv_solid *a, const clv_solid *b, const double n[3]);
/* The direction n (unit vector, global) of the largest distance that is found, and that distance.  `n` is one of those
 * that are tried if it is a unit vector; all 0: there is none yet. */
double clv_apart(const clv_solid *a, const clv_solid *b, double n[3]);
/* m, the least width of a shape. */
double clv_solid_width(const clv_solid *s);

#endif
