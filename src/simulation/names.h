/* SPDX-License-Identifier: Apache-2.0
 * What a simulation accepts by name, for commands that list it. */
#ifndef CLV_SIMULATION_NAMES_H
#define CLV_SIMULATION_NAMES_H

/* Name of formulation i from 0 of this build; NULL after the last. */
const char *clv_formulation_name(int i);
/* Name of integrator i from 0; NULL after the last. */
const char *clv_integrator_name(int i);
/* Integrator name of the time step that formulation i has built in; NULL: it takes any integrator. */
const char *clv_formulation_rule(int i);

#endif
