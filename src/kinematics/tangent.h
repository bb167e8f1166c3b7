/* SPDX-License-Identifier: Apache-2.0
 * What springs and dampers add to the matrix of an implicit step (T26): the symmetric positive semidefinite part of
 * on_rate C + on_place K, C = -dQ/dx', K = -dQ/dx, as compliant rows of the plan (clv_plan_options.tangents).  A row
 * with block B and eps = 1 adds B B^T; blocks of zeros (after clv_kinematics_fill) add nothing. */
#ifndef CLV_KINEMATICS_TANGENT_H
#define CLV_KINEMATICS_TANGENT_H
#include "kinematics/kinematics.h"

/* Fills the rows at the present poses.  on_rate in s, on_place in s^2, both >= 0. */
void clv_tangent_fill(clv_kinematics *k, double on_rate, double on_place);

/* Takes what clv_tangent_fill gave to the modes of flexible bodies out of their mass again (rows of the plan stay until
 * the next clv_kinematics_fill). */
void clv_tangent_clear(clv_kinematics *k);

#endif
