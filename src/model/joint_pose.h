/* SPDX-License-Identifier: Apache-2.0
 * Relative poses and their inverses, the rows of the joint table that joint.c refers to (T1).  Private to src/model. */
#ifndef CLV_MODEL_JOINT_POSE_H
#define CLV_MODEL_JOINT_POSE_H
#include "model/joint.h"

#define CLV_JOINT_POSE_ROW(stem)                                                                 \
    void clv_joint_pose_##stem(const clv_joint *j, const double *q, double R[9], double d[3]);   \
    void clv_joint_coordinates_##stem(const clv_joint *j, const double R[9], const double d[3], double *q)

CLV_JOINT_POSE_ROW(none); /* no coordinates: frames coincide */
CLV_JOINT_POSE_ROW(revolute);
CLV_JOINT_POSE_ROW(prismatic);
CLV_JOINT_POSE_ROW(helical);
CLV_JOINT_POSE_ROW(cylindrical);
CLV_JOINT_POSE_ROW(universal);
CLV_JOINT_POSE_ROW(planar);
CLV_JOINT_POSE_ROW(spherical);
CLV_JOINT_POSE_ROW(free);

/* Angle (rad) about z of the relative rotation R, at the turn nearest to the screw's translation along z (m). */
double clv_screw_angle(double pitch, const double R[9], double shift);

#endif
