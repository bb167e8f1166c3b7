/* SPDX-License-Identifier: Apache-2.0
 * Joints of an absolute plan for elimination with their compliances (engine/compliant.h, T23.8). */
#ifndef CLV_KINEMATICS_ROW_COMPLIANT_H
#define CLV_KINEMATICS_ROW_COMPLIANT_H
#include "engine/compliant.h"
#include "kinematics/kinematics.h"

/* Puts the inboard joint of a body inside a strand into c, with the eps of the engine.  Poses of its bodies, and the
 * directions and blocks of its edge in the absolute plan, must be there. */
void clv_compliant_fill_joint(clv_compliant *c, const clv_kinematics *absolute, int body);

#endif
