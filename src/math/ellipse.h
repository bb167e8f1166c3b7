/* SPDX-License-Identifier: Apache-2.0
 * Points of an ellipse that are farthest from a point, or nearest to one inside it (T147.2).  Half axes are r and k r,
 * 0 <= k <= 1, along x and y; the point is the origin, `middle` that of the ellipse. */
#ifndef CLV_MATH_ELLIPSE_H
#define CLV_MATH_ELLIPSE_H

/* Parameters (cosine, sine) of the points middle + (r cos, k r sin) at which the distance from the origin is largest,
 * and has another maximum if there is one; returns 1 or 2. */
int clv_ellipse_farthest(double to[2][2], const double middle[2], double r, double k);
/* The same of the least distance.  The origin is inside the ellipse. */
int clv_ellipse_nearest(double to[2][2], const double middle[2], double r, double k);

#endif
