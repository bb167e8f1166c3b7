/* SPDX-License-Identifier: Apache-2.0
 * Responses of a point in contact across its normal (T89.1, T142.1): the (2 x 2) block of W, which is symmetric.
 * For the searches of impulses. */
#ifndef CLV_INTEGRATOR_ACROSS_H
#define CLV_INTEGRATOR_ACROSS_H
#include <stdbool.h>

/* Largest response across the normal. */
double clv_across_response(const double W[9]);
/* Does one direction alone respond, as in a planar mechanism?  e: that direction, of any length. */
bool clv_across_one(const double W[9], double e[2]);
/* P_t no larger than friction P_n, and P_n not negative. */
void clv_across_admit(double P[3], double friction);

#endif
