/* SPDX-License-Identifier: Apache-2.0
 * Canonical momenta of joints and modes, in model order (T9, T10, T31).  W, P, Q (nbody x 6) are wrenches about the
 * reference points, global axes. */
#ifndef CLV_FORMULATION_MOMENTA_H
#define CLV_FORMULATION_MOMENTA_H
#include "formulation/system.h"

/* p_k = H_k^T W_k (nu); of modes the sum over links of M^T W. */
void clv_momenta_along_joints(const clv_system *s, const double *W, double *p);
/* Momenta p (nu) of joints and modes out of s->W, the sums of M V outboard. */
void clv_momenta_of_sums(clv_system *s, double *p);
/* Rates pdot (nu) of the momenta at the present velocities, loads and multipliers; leaves the sums of M V in s->W, of
 * the loads in s->T. */
void clv_momenta_rates(clv_system *s, double *pdot);

#endif
