/* SPDX-License-Identifier: Apache-2.0
 * A simulation whose state somebody else integrates (model exchange, T67): state and rates, projection and re-gauge
 * after an accepted step, breaks of motions and tables.  The state is that of the formulation, y = [q; p or u; work].
 * Such a simulation is not advanced; its integrator only has to be "adams", which is re-gauged when it is due. */
#ifndef CLV_SIMULATION_EXCHANGE_H
#define CLV_SIMULATION_EXCHANGE_H
#include "cleave/cleave.h"

/* Integrator of a simulation for model exchange. */
#define CLV_EXCHANGE_INTEGRATOR "adams"

/* Before all else.  CLV_ERR_UNSUPPORTED, with the reason: absolute coordinates (aldca, index3), inputs of motions,
 * events that can make too many mechanisms.  CLV_ERR_MEMORY. */
clv_status clv_exchange_open(clv_sim *sim);
/* Number of states. */
int clv_exchange_count(const clv_sim *sim);

/* What a state is. */
typedef struct clv_exchange_state {
    int joint, body;     /* joint, or -1: of a body without one, or with modes; both -1: the work of loads, drives    */
    clv_joint_kind kind; /* of the joint; CLV_JOINT_FREE of a body without one                                        */
    int index;           /* coordinate, or direction of a rate or momentum; of the mode, from 0                       */
    bool mode;           /* of a flexible body                                                                        */
    bool rate;           /* a rate or momentum, not a coordinate                                                      */
    bool momentum;
    double nominal;      /* typical size, > 0                                                                         */
} clv_exchange_state;
/* All states, as many as clv_exchange_count. */
void clv_exchange_describe(const clv_sim *sim, clv_exchange_state *state);

/* The state at the output time: as many numbers as states. */
const double *clv_exchange_get(const clv_sim *sim);
/* Time and state become those of the output; y NULL: the state stays.  Views follow with clv_exchange_show. */
void clv_exchange_put(clv_sim *sim, double time, const double *y);
/* The value of an input, not clipped, without consequences for the integrator. */
void clv_exchange_put_input(clv_sim *sim, int input, double value);
/* Views of the output state. */
clv_status clv_exchange_show(clv_sim *sim);
/* Rates of the states at the output state.  Errors: as clv_sim_evaluate. */
clv_status clv_exchange_rates(clv_sim *sim, double *ydot);
/* The output state ends an accepted step.  `to`: the state with loops closed and momenta re-gauged.  *due: it has to be
 * taken (clv_exchange_cross).  It differs by more than the relative tolerance, or in its gauge, or events of the model
 * are due.  Errors:
 * CLV_ERR_INCONSISTENT (the loops do not close), as clv_sim_evaluate. */
clv_status clv_exchange_complete(clv_sim *sim, double *to, bool *due);
/* s, of the next break of a motion or table, or event of the model at a given time; INFINITY: none. */
double clv_exchange_break(const clv_sim *sim);
/* What the output state has come to happens: events of the model (T60, T95), then breaks.  `closed`: of
 * clv_exchange_complete, if that is due; else NULL. */
typedef struct clv_exchange_result {
    bool changed;  /* the state differs, or a closed one was taken */
    bool rebuilt;  /* the mechanism is another one                 */
    bool stopped;  /* an event has ended the run, now or before it */
} clv_exchange_result;
clv_status clv_exchange_cross(clv_sim *sim, const double *closed, clv_exchange_result *result);
/* Events of the model that wait for a condition, and which they are; number k, or -1. */
int clv_exchange_indicators(const clv_sim *sim);
int clv_exchange_event(const clv_sim *sim, int k);
/* Numbers that change their sign where there is something to do at the output state (clv_exchange_cross). */
clv_status clv_exchange_indicate(clv_sim *sim, double *z);

#endif
