/* SPDX-License-Identifier: Apache-2.0
 * The output state as the start of a model: of a run that continues from there, at time 0. */
#ifndef CLV_SIMULATION_SNAPSHOT_H
#define CLV_SIMULATION_SNAPSHOT_H
#include "model/model.h"

/* Makes the output state of s, at time T, the start of m, which must be the model of s.  Coordinates and rates of all
 * joints (angles with whole turns), poses and velocities of bodies that no joint holds, modal coordinates and rates,
 * values of inputs.  Motions and tables begin T earlier.  Then m is for writing only (io/yaml_write.h): s must not be
 * used again.  Errors: CLV_ERR_UNSUPPORTED (an input has changed a motion), and as clv_sim_evaluate. */
clv_status clv_sim_snapshot(clv_sim *s, clv_model *m);

#endif
