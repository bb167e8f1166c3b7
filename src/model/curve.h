/* SPDX-License-Identifier: Apache-2.0
 * Curves through points (T121), on which a joint of kind point-on-curve keeps a point.  Called by joint.c at every
 * evaluation, by add_body.c and validate.c when a model is made. */
#ifndef CLV_MODEL_CURVE_H
#define CLV_MODEL_CURVE_H
#include "model/model.h"

/* A place on a curve, in its frame: point (m), direction, and two normals with their derivatives by s (1/m). */
typedef struct clv_curve_place {
    double s;             /* m, length along the chords of its points */
    double c[3], t[3];
    double n[2][3], nd[2][3];
    double c1[3], c2[3];  /* dc/ds, d2c/ds2 (1/m) */
} clv_curve_place;

/* The curve through n points (n x 3, m), or NULL when out of memory.  closed: from the last one back to the first. */
clv_curve *clv_curve_create(const double *point, int n, bool closed);
void clv_curve_free(clv_curve *k);
/* Its number of points; is it closed? */
int clv_curve_points(const clv_curve *k);
bool clv_curve_closed(const clv_curve *k);
/* Point i (m). */
void clv_curve_point(const clv_curve *k, int i, double x[3]);
/* Places along it, n x 3 (m), knots among them; a closed one ends where it begins. */
const double *clv_curve_samples(const clv_curve *k, int *n);
/* The place nearest to x (m). */
void clv_curve_nearest(const clv_curve *k, const double x[3], clv_curve_place *to);
/* ds/dt of the nearest place, where x lies beside it and moves with v (m/s) in the frame of the curve. */
double clv_curve_speed(const clv_curve_place *at, const double x[3], const double v[3]);
/* The point (from 0) behind which the curve has a corner: c' vanishes, or its normals do; -1: none. */
int clv_curve_cusp(const clv_curve *k);

#endif
