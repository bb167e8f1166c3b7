/* SPDX-License-Identifier: Apache-2.0
 * The output state as the start of a model: of a run that goes on from there, at time 0. */
#ifndef CLV_SIMULATION_SNAPSHOT_H
#define CLV_SIMULATION_SNAPSHOT_H
#include "model/model.h"

/* Makes the output state of s, at time T, the start of m, which must be the model of s: coordinates and rates of all
 * joints (angles with their turns), poses and velocities of bodies that no joint holds, modal coordinates and rates,
 * values of inputs; motions and tables begin T earlier.  m is for writing only then (io/yaml_write.h): s must not be
 * used again.  Errors: CLV_ERR_UNSUPPORTED (an input has changed a motion), and as clv_sim_evaluate. */
clv_status clv_sim_snapshot(clv_sim *s, clv_model *m);

#endif
