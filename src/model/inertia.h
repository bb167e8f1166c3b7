/* SPDX-License-Identifier: Apache-2.0
 * Inertias that rigid bodies can have (T2). */
#ifndef CLV_MODEL_INERTIA_H
#define CLV_MODEL_INERTIA_H

/* By how much (kg m^2, > 0) principal moments (3, ascending) violate that none is negative and none larger than the sum
 * of the others; 0: they do not. */
double clv_moments_excess(const double moment[3]);
/* J (xx yy zz xy xz yz) := the nearest inertia (Frobenius norm) that a rigid body can have. */
void clv_inertia_clip(double J[6]);

#endif
