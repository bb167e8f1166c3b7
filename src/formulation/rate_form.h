/* SPDX-License-Identifier: Apache-2.0
 * The form (q, u) that formulations of accelerations share: states hold coordinates q (nq), rates u (nu) and the work;
 * a right-hand side is found at the poses and velocities of the state. */
#ifndef CLV_FORMULATION_RATE_FORM_H
#define CLV_FORMULATION_RATE_FORM_H
#include "formulation/system.h"

/* y := (q, u), with poses, directions and velocities there. */
clv_status clv_rate_form_start(clv_system *s, double t, const double *q, const double *u, double *y);
/* Poses and velocities of the state y. */
clv_status clv_rate_form_velocities(clv_system *s, double t, const double *y);
/* Velocities, derivatives of directions and loads of y at the poses there.  Errors: of clv_system_loads. */
clv_status clv_rate_form_move(clv_system *s, const double *y);
/* ydot out of s->ud; the power of motions must be in s->power. */
void clv_rate_form_give(clv_system *s, const double *y, double *ydot);

#endif
