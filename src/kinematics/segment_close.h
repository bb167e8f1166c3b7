/* SPDX-License-Identifier: Apache-2.0
 * The joint by which the handle of the last segment is held to ground (T128): a loop that passes all segments.  Its
 * rows are in the axes of the handle about its centre of mass, as all that passes between segments. */
#ifndef CLV_KINEMATICS_SEGMENT_CLOSE_H
#define CLV_KINEMATICS_SEGMENT_CLOSE_H
#include "kinematics/row_segments.h"
#include "model/joint.h"

/* What the rows are to be: zero of velocities, velocity terms of accelerations, and minus violations. */
typedef enum clv_segment_target {
    CLV_SEGMENT_VELOCITIES,
    CLV_SEGMENT_ACCELERATIONS,
    CLV_SEGMENT_GAP,
    CLV_SEGMENT_SPEED
} clv_segment_target;

typedef struct clv_segment_close {
    const clv_joint *joint;
    int body;            /* of the plan: the handle; the ground is the other one                              */
    bool turned;         /* the handle is a of the joint                                                      */
    clv_joint_place at;  /* without velocities                                                                */
    double O[3], arm[3]; /* m: point on which the rows act, global; beside the centre of mass                 */
    double D[36];        /* rows at O, global axes, with the sign they have on the handle                     */
} clv_segment_close;

/* At the poses of `k`: rows; to->m, D, scale. */
void clv_segment_close_place(clv_segment_close *c, const clv_kinematics *k, clv_segment_hold *to);
/* After that: right-hand sides to->a; but for velocities and violations V of the handle must be there. */
void clv_segment_close_target(const clv_segment_close *c, const clv_kinematics *k, clv_segment_target what,
                              clv_segment_hold *to);
/* The largest violation of positions and of velocities (m, rad; per s). */
double clv_segment_close_violation(const clv_segment_close *c);
double clv_segment_close_speed(const clv_segment_close *c, const clv_kinematics *k);
/* hdca: the pair of T10 of impulses F on the handle, its axes, as a load at its reference point, global axes. */
void clv_segment_close_pair(const clv_segment_close *c, const clv_kinematics *k, const double F[6], double Q[6]);
/* Coordinates and rates of the joint; angles from -pi to pi. */
void clv_segment_close_state(const clv_segment_close *c, const clv_kinematics *k, double q[7], double u[6]);

#endif
