/* SPDX-License-Identifier: Apache-2.0
 * What only measurements need from a simulation: one right-hand-side evaluation, and single steps of one by
 * formulation connection (T28).  Called by `cleave bench` and tests; no part of the public interface. */
#ifndef CLV_SIMULATION_CYCLE_H
#define CLV_SIMULATION_CYCLE_H
#include "cleave/cleave.h"

typedef enum clv_cycle_step { CLV_CYCLE_BRANCH, CLV_CYCLE_MATRIX, CLV_CYCLE_CLOSE } clv_cycle_step;

/* One right-hand side of the chosen formulation (T9 and T10, T12, or T18) at the last accepted state.  Errors:
 * CLV_ERR_USAGE (NULL, not created), CLV_ERR_SINGULAR, CLV_ERR_NOT_FINITE.  Allocates nothing. */
clv_status clv_sim_rates_once(clv_sim *sim);
/* As clv_sim_create, for formulation connection; branches share no lanes, so that one can be worked on alone. */
clv_status clv_sim_create_apart(clv_sim **sim, const clv_model *model, const clv_sim_options *options);
/* One of these steps alone, after clv_sim_rates_once.  The branch's velocity terms, sweeps and H, h inward and outward
 * (branch from 0); forming the connection matrix (nothing in method 2).  Forming, factoring and solving it (method 2:
 * all joins).  Leaves internal results undefined until the next right-hand-side evaluation.  Errors: CLV_ERR_USAGE (not
 * created apart, no such branch), CLV_ERR_SINGULAR.  Allocates nothing. */
clv_status clv_sim_cycle_once(clv_sim *sim, clv_cycle_step step, int branch);

#endif
