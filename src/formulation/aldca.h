/* SPDX-License-Identifier: Apache-2.0
 * The projections of aldca (ALDCA12; T23), and what they share with its accelerations. */
#ifndef CLV_FORMULATION_ALDCA_H
#define CLV_FORMULATION_ALDCA_H
#include "formulation/multiplier.h"

typedef struct clv_aldca {
    clv_multiplier m;
    double eps[CLV_STAGES];
    int limit;
} clv_aldca;

/* Is a direction that is about to be lost to be met nevertheless?  Where motions drive, it is their stroke: up to a
 * toggle the mechanism has to follow, however fast.  Free, it is a singular position, through which the penalty is to
 * let the mechanism go (decisions 31). */
bool clv_aldca_insists(const clv_system *s);
/* q (nq) onto the positions of the constraints at time t (s), iterated with a fixed factor; *moved: sum of the largest
 * corrections (m, rad).  Errors: of the factor. */
clv_status clv_aldca_close_position(clv_system *s, double t, double *q, double *moved);
/* u (nu) onto their velocities at q.  Errors: of the factor. */
clv_status clv_aldca_close_velocity(clv_system *s, double t, const double *q, double *u);

#endif
