/* SPDX-License-Identifier: Apache-2.0
 * What a joint carries, and what of it presses in its bearings (T99.1). */
#ifndef CLV_FORMULATION_BEARING_WRENCH_H
#define CLV_FORMULATION_BEARING_WRENCH_H
#include "formulation/system.h"

/* The axis of a joint, of unit length, and the wrench R in it (N, N m) at its point on b; global axes, either sign.
 * Wrenches of tree joints are in s->T; lambda: multipliers of edges. */
void clv_bearing_wrench(const clv_system *s, const double *lambda, int joint, double axis[3], double R[6]);
/* What the wrench R presses in bearings b: N of a sliding joint (slides), N m of a turning one. */
double clv_bearing_press_of(const clv_bearing *b, bool slides, const double axis[3], const double R[6]);

#endif
