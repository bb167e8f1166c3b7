/* SPDX-License-Identifier: Apache-2.0
 * Contact of hulls of meshes with planes, with boxes and with each other (T116): four points at most. */
#ifndef CLV_MODEL_POLYTOPES_H
#define CLV_MODEL_POLYTOPES_H
#include "model/touch.h"

enum { CLV_POLYTOPES_POINTS = 4 };

/* As entries of the table of touch.c: a plane and a hull; a hull and a box or a hull. */
int clv_polytopes_plane(const clv_solid *a, const clv_solid *b, clv_touch *x);
int clv_polytopes_touch(const clv_solid *a, const clv_solid *b, clv_touch *x);
/* Of n > 4 points (x, y, -depth) four: the deepest, and those that span much area with it.  They come first then. */
void clv_polytopes_reduce(double (*p)[3], int n);

#endif
