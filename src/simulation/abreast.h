/* SPDX-License-Identifier: Apache-2.0
 * Simulations that step side by side (T85).  Each has its own integrator and step sizes; the rates that they require
 * next are found together, a simulation a lane.  A step of one has the bits of clv_sim_step.  Called by ensembles. */
#ifndef CLV_SIMULATION_ABREAST_H
#define CLV_SIMULATION_ABREAST_H
#include "cleave/cleave.h"

typedef struct clv_abreast clv_abreast;

/* For `lanes` simulations, 1 to 8.  NULL: out of memory. */
clv_abreast *clv_abreast_create(int lanes);
void clv_abreast_destroy(clv_abreast *a);
/* Why a simulation has to go alone, in words; NULL: it may take a lane.  Empty lanes take the structure of any
 * mechanism; then all others have to be like it. */
const char *clv_abreast_refuses(const clv_abreast *a, const clv_sim *s);
/* A simulation that is not refused takes an empty lane.  False: out of memory. */
bool clv_abreast_put(clv_abreast *a, int lane, clv_sim *s);
/* The lane becomes empty. */
void clv_abreast_take_out(clv_abreast *a, int lane);
/* Begins a step of clv_sim_step.  True: it is under way; false: it is over already, with the status *st. */
bool clv_abreast_begin(clv_abreast *a, int lane, double time, clv_status *st);
/* Finds all rates that are required, once, and continues the steps under way.  True: some are over. */
bool clv_abreast_go_on(clv_abreast *a);
/* Is the step of a lane over?  With the status *st, as clv_sim_step would have given it. */
bool clv_abreast_over(const clv_abreast *a, int lane, clv_status *st);

#endif
