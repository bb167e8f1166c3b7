/* SPDX-License-Identifier: Apache-2.0
 * Inverse dynamics along a motion: the output state at another time, without a run to it. */
#ifndef CLV_SIMULATION_INVERSE_H
#define CLV_SIMULATION_INVERSE_H
#include "cleave/cleave.h"

/* As clv_sim_set_joints at the time given (s), which becomes the output time.  Motions, tables and controls are those
 * of that time; joints that are not named keep their coordinates as far as the loops allow.  A run from there starts
 * anew.  Errors: as clv_sim_set_joints; the output time has changed then, too. */
clv_status clv_sim_set_at(clv_sim *sim, double time, const clv_joint_setting *setting, int n);
/* Which of the joints listed determine the motion of the others at the output position: chosen (n), the first ones
 * where several sets do.  Errors: CLV_ERR_USAGE (a joint that is not there), those of clv_sim_inverse. */
clv_status clv_sim_choose_joints(clv_sim *sim, const int *joint, int n, bool *chosen);

#endif
