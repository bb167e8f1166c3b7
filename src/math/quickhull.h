/* SPDX-License-Identifier: Apache-2.0
 * The convex hull of points by quickhull (T53). */
#ifndef CLV_MATH_QUICKHULL_H
#define CLV_MATH_QUICKHULL_H

/* Triangles of the hull of n points x (3 each), corners counterclockwise from outside, as indices of points (3 each);
 * *corner is to be freed.  Returns how many; 0: the points lie in a plane; -1: out of memory. */
int clv_quickhull(const double *x, int n, int **corner);

#endif
