/* SPDX-License-Identifier: Apache-2.0
 * The equations of a step of index3 (IDX3; T25): one iteration for the pose at the end of the step, and projections. */
#ifndef CLV_FORMULATION_INDEX3_H
#define CLV_FORMULATION_INDEX3_H
#include "formulation/trial.h"

typedef struct clv_index3 {
    clv_trials at;  /* the end of this step                 */
    double *lambda; /* (nsigma) multipliers of this step    */
    double *row;    /* (nclosing_row)                       */
    double *alpha;  /* (nclosing_row) N/m, N m/rad; 0: exact */
    double *force;  /* (nu) residual of the modes           */
} clv_index3;

/* penalties eps = 1/(alpha scale) on the rows of joints; infinite scale: none */
void clv_index3_penalty(clv_system *s, double scale);
/* One iteration at the poses of the trial, time t (s); *moved = |dx| over the seven coordinates (m, Euler parameters),
 * *worst the body that moved most.  Errors: those of loads and of the factor. */
clv_status clv_index3_iterate(clv_system *s, double t, const clv_rule *rule, double *moved, int *worst);
/* Iterates until |dx| is below the tolerance, or stalls at rounding; *n iterations.  Close to a singular position a
 * direction of pivot p is still kept (p >= rank, T20): what rounding leaves of the violations moves the bodies along it
 * by 1 / sqrt(p) times as much.  Errors: those of an iteration; CLV_ERR_NO_CONVERGENCE names the body that moved
 * most. */
clv_status clv_index3_converge(clv_system *s, double t, const clv_rule *rule, int *n);
/* V and A of the trial onto their constraints, `projections` times each.  Leaves loads at the new velocities and in
 * lambda the multipliers that go with A.  Those of the iteration alone are of the first order: the rule's x'' miss
 * prescribed accelerations by h/3 times their rate.  Errors: as above. */
clv_status clv_index3_project(clv_system *s, double t, const clv_rule *rule);

#endif
