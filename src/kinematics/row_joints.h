/* SPDX-License-Identifier: Apache-2.0
 * Joints inside strands as rows of one degree of freedom each (T43.5). */
#ifndef CLV_KINEMATICS_ROW_JOINTS_H
#define CLV_KINEMATICS_ROW_JOINTS_H
#include "kinematics/rows.h"

/* rows of a body with its inboard joint; the body is in the last */
int clv_row_count(const clv_plan *p, int body);
/* rows of a strand */
int clv_row_strand_rows(const clv_plan *p, int strand);
/* the frame in which a body is written, body axes, row major, and its point: that of its inboard joint, with the axis
 * of the joint's last row as z */
void clv_row_own_frame(const clv_plan *p, int body, double E[9], const double **point);
/* Constants of a body and of the rows of its joint; slots are there.  Joints with a quaternion go to w->ball. */
void clv_row_constants(clv_rows *w, int body);

#endif
