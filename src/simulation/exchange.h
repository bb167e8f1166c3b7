/* SPDX-License-Identifier: Apache-2.0
 * A simulation whose state somebody else integrates (model exchange, T67): state and rates, projection and re-gauge
 * after an accepted step, breaks of motions and tables.  The state is that of the formulation, y = [q; p or u; work].
 * Such a simulation is not advanced; its integrator only has to be "adams", which is re-gauged when it is due. */
#ifndef CLV_SIMULATION_EXCHANGE_H
#define CLV_SIMULATION_EXCHANGE_H
#include "cleave/cleave.h"

/* Integrator of a simulation for model exchange. */
#define CLV_EXCHANGE_INTEGRATOR "adams"

/* CLV_ERR_UNSUPPORTED, with the reason: absolute coordinates (aldca, index3), events of the model, inputs of motions */
clv_status clv_exchange_check(clv_sim *sim);
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
 * taken (clv_exchange_put), since it differs by more than the relative tolerance, or in its gauge.  Errors:
 * CLV_ERR_INCONSISTENT (the loops do not close), as clv_sim_evaluate. */
clv_status clv_exchange_complete(clv_sim *sim, double *to, bool *due);
/* s, of the next break of a motion or table; INFINITY: none. */
double clv_exchange_break(const clv_sim *sim);
/* Has the output time come to it?  Then the state behind it is taken.  *changed: it differs. */
clv_status clv_exchange_cross(clv_sim *sim, bool *changed);

#endif
