/* SPDX-License-Identifier: Apache-2.0
 * Integrals of a finite-element body from its mass matrix (T33.3), and whether its matrices are those of a body. */
#ifndef CLV_FLEXIBLE_FLEX_INTEGRALS_H
#define CLV_FLEXIBLE_FLEX_INTEGRALS_H
#include "flexible/flex_reduce.h"

/* y = Q x, x.y of n numbers */
void clv_fe_times(double *y, const double *Q, const double *x, int n);
double clv_fe_dot(const double *x, const double *y, int n);
/* Translation and rotation (6) of a node at `at` by the unit translation (d < 3) or rotation about `about` along
 * axis d. */
void clv_fe_rigid(double u[6], const double at[3], const double about[3], int d);
/* Do rigid motions cost no force, and have mass?  That holds nodes, order and matrices against each other. */
clv_status clv_fe_check(const clv_fe *fe, clv_error *e);
/* Fills mass, com, J, S, h, E, B, Mff and the nodes of an open body from modes V (n vectors of 6 nnode). */
clv_status clv_fe_integrals(clv_flex_body *b, const clv_fe *fe, const double *V, clv_error *e);

#endif
