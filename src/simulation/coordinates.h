/* SPDX-License-Identifier: Apache-2.0
 * Coordinates and rates of all joints at once, for callers that read them at every output. */
#ifndef CLV_SIMULATION_COORDINATES_H
#define CLV_SIMULATION_COORDINATES_H
#include "cleave/cleave.h"

/* At the output state, without accelerations and reactions: q (njoint x 7), u (njoint x 6), in the units of
 * clv_joint_result, zero behind those of the kind; either may be NULL.  The bits of clv_sim_joint at a part of its
 * cost.  Errors: as clv_sim_evaluate.  Allocates nothing. */
clv_status clv_sim_coordinates(clv_sim *sim, double *q, double *u);

#endif
