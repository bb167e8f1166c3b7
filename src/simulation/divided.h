/* SPDX-License-Identifier: Apache-2.0
 * A simulation of some segments of a mechanism (T80); others have the rest of it.  Its model has the bodies of these
 * segments alone, as open trees that hdca or dca evaluates in rows.  All who share the mechanism call its functions in
 * the same order; steps, and what reports say of energies and steps, are those of the whole. */
#ifndef CLV_SIMULATION_DIVIDED_H
#define CLV_SIMULATION_DIVIDED_H
#include "cleave/cleave.h"
#include "formulation/across.h"

typedef struct clv_divided {
    int nsegment;
    const clv_plan_segment *segment; /* (nsegment) */
    const int *segment_of;           /* (nbody)    */
    clv_across across;
} clv_divided;

/* As clv_sim_create; `divided` outlives it.  Errors besides: CLV_ERR_UNSUPPORTED of what cannot be divided. */
clv_status clv_sim_create_divided(clv_sim **sim, const clv_model *model, const clv_sim_options *options,
                                  const clv_divided *divided);
/* Kinetic and potential energy (J) of the output state, by segment (nsegment x 2). */
void clv_sim_segment_energies(const clv_sim *sim, double *each);

#endif
