/* SPDX-License-Identifier: Apache-2.0
 * Bases of strands and flexible bodies whose inboard joint is no row (T43.3, T43.8); row_base.c. */
#ifndef CLV_KINEMATICS_ROW_BASE_H
#define CLV_KINEMATICS_ROW_BASE_H
#include "kinematics/rows.h"
#include "math/spatial.h"

/* y = A x, 6 x 6 */
static inline void clv_row_times(double y[6], const double A[36], const double x[6])
{
    for (int i = 0; i < 6; i++)
        y[i] = clv_dot6(A + 6 * i, x);
}

/* The joint of the base of a piece, with I and p of its join.  I of a base that floats is factored.  Other joints are
 * eliminated, and what is left acts on the body before: on H, h of a tip or of a flexible body.  Where loops are
 * carried it acts on an attached row instead of a tip.  Drives tau (nu) and biases c (nbody x 6), or NULL: none.
 * again: with the extra inertia that the base had.  False: it lacks inertia. */
bool clv_rows_factor_base(clv_rows *w, const clv_kinematics *k, int piece, const double *tau, const double *c,
                          bool again);
/* Where loops are carried: the same of another p and drives, without biases, by the factor at hand. */
void clv_rows_respond_base(clv_rows *w, int piece, const double *tau);
/* Motion x of the base, in the axes of its piece, on what carries it; unknowns of its joint into u (nu).  biased: with
 * the c of the factor. */
void clv_rows_base_motion(const clv_rows *w, int piece, bool biased, double *u, double x[6]);

#endif
