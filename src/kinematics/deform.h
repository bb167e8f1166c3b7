/* SPDX-License-Identifier: Apache-2.0
 * What kinematics does for flexible bodies (T30, T31); called by clv_kinematics_* only. */
#ifndef CLV_KINEMATICS_DEFORM_H
#define CLV_KINEMATICS_DEFORM_H
#include "kinematics/kinematics.h"

/* modal coordinates or rates of a star */
static inline double *clv_modes_of(const clv_kinematics *k, double *all, int star)
{
    return all + k->plan->star[star].mode;
}

struct clv_row_kernels;
/* Lanes of this CPU (deform_lane.c). */
const struct clv_row_kernels *clv_deform_kernels(const clv_kinematics *k);
void clv_deform_layout(clv_kinematics *k, const clv_plan *p, clv_arena *a);
/* Constants of a star, after the carving layout. */
void clv_deform_begin(clv_kinematics *k, int star);
/* Pose of a link's child from its parent's. */
void clv_deform_pose(clv_kinematics *k, int body);
/* Mass of a star at the present modal coordinates into the engine, mode columns of its links; the mass alone. */
void clv_deform_fill(clv_kinematics *k, int star);
void clv_deform_mass(clv_kinematics *k, int star);
/* Rates of the mode columns of a link; M' eta' alone, added to c. */
void clv_deform_rates(clv_kinematics *k, int body);
void clv_deform_bias(const clv_kinematics *k, int body, double c[6]);
/* Momentum P and load Q (6) outboard of a link: for each of its modes, M.Q + M'.P + (v x M_w).P_l is M.F + phi^r.e,
 * with the rotations phi^r (3) of its node, at shape[6 m + 3]. */
void clv_deform_outboard(const clv_kinematics *k, int body, const double P[6], const double Q[6], double F[6],
                         double e[3], const double **shape);
/* V of a link's child += M eta' (a motion already shifted from its parent). */
void clv_deform_add_velocity(const clv_kinematics *k, int body, double V[6]); /* others: nothing */
/* Inertia terms of a frame, in place of the rigid ones. */
void clv_deform_gyroscopic(const clv_kinematics *k, int star, double W[6]);

#endif
