/* SPDX-License-Identifier: Apache-2.0
 * Joints that hold nothing and are not in the tree: `free` joints of bodies that other joints connect.  They have no
 * edge of the plan; their state follows from the bodies.  Called for outputs and events. */
#ifndef CLV_KINEMATICS_LOOSE_H
#define CLV_KINEMATICS_LOOSE_H
#include "kinematics/kinematics.h"

/* q (7), u (6) of joint `joint` of the model, from the poses and velocities of its bodies (T1) */
void clv_kinematics_loose_state(const clv_kinematics *k, int joint, double *q, double *u);

#endif
