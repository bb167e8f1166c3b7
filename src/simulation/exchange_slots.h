/* SPDX-License-Identifier: Apache-2.0
 * States of model exchange where events change the mechanism (T139): a constant number for the importer, of which some
 * are idle.  Without events there are none of these, and the states are those of the simulation. */
#ifndef CLV_SIMULATION_EXCHANGE_SLOTS_H
#define CLV_SIMULATION_EXCHANGE_SLOTS_H
#include "plan/plan.h"
#include "simulation/exchange.h"

/* Where events change the mechanism: states of the importer, and where they are in the state of the present one. */
typedef struct clv_slots {
    int n;
    clv_exchange_state *state; /* (n)                                                              */
    int *at;                   /* (n) number in the state of the simulation; -1: it is idle        */
    clv_exchange_state *now;   /* (n) work                                                         */
    double *y, *work;          /* (n) as the importer has them; work                               */
} clv_slots;
/* Nothing without events. */
clv_status clv_slots_open(clv_sim *sim);
void clv_slots_close(clv_sim *sim);
/* The plan has changed. */
clv_status clv_slots_turn(clv_sim *sim);
/* to (slots) := y of the simulation; as rates, idle ones are 0. */
void clv_slots_gather(const clv_sim *sim, const double *y, bool rates, double *to);
void clv_slots_scatter(const clv_sim *sim, const double *from, double *y);
/* States of a plan, with nominal values 1; how many. */
int clv_exchange_describe_plan(const clv_sim *sim, const clv_plan *plan, clv_exchange_state *state);

#endif
