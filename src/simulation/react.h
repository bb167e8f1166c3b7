/* SPDX-License-Identifier: Apache-2.0
 * Accelerations and reactions at the output state, without what only a single look needs: momenta, their rates, and
 * which components are unique.  For outputs of every step. */
#ifndef CLV_SIMULATION_REACT_H
#define CLV_SIMULATION_REACT_H
#include "cleave/cleave.h"

/* As clv_sim_evaluate, with its errors. */
clv_status clv_sim_react(clv_sim *s);
/* The same inside a call that has entered the simulation. */
clv_status clv_sim_react_inside(clv_sim *s);
/* As clv_sim_joint, after clv_sim_react; p, pdot and unique have no meaning. */
void clv_sim_reaction(clv_sim *s, int joint, clv_joint_result *r);
/* Size (s) of the step in which the output state lies, 0 before the first; right-hand sides evaluated up to its end, of
 * index3 and aldca iterations. */
void clv_sim_progress(const clv_sim *s, double *step, double *evaluations);

/* As clv_sim_contact, after clv_sim_react. */
void clv_sim_contact_forces(clv_sim *s, int force, clv_contact_result *r);
/* Of a contact of many bodies, after clv_sim_react: the sums over all pairs, and those of each body (in order
 * of members).  CLV_ERR_UNSUPPORTED: there is no room for all pairs. */
struct clv_crowd_share;
clv_status clv_sim_contact_shares(clv_sim *s, int force, const struct clv_crowd_share **all,
                                  const struct clv_crowd_share **each);

#endif
