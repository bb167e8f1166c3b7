/* SPDX-License-Identifier: Apache-2.0
 * Second moments of a finite-element body from its mass matrix (T33.4). */
#ifndef CLV_FLEXIBLE_FLEX_MOMENTS_H
#define CLV_FLEXIBLE_FLEX_MOMENTS_H
#include "flexible/flex_reduce.h"

/* E and B of f, whose h is known, for the vectors V (nmode x 6 nnode, FE axes); R: body axes by columns.  Errors:
 * CLV_ERR_MEMORY, CLV_ERR_MODEL (a stiffness against turns that is negative). */
clv_status clv_fe_moments(clv_flex *f, const clv_fe *fe, const double R[9], const double *V, clv_error *e);

#endif
