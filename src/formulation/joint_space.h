/* SPDX-License-Identifier: Apache-2.0
 * The joint space of the tree (T18): motions outward, wrenches inward, and the dense matrices of both.  H: free
 * directions of the joints, at the reference points, global axes; poses and directions must be there.  Bodies in model
 * order, 6-vectors [m/s; rad/s], [N; N m] or their rates. */
#ifndef CLV_FORMULATION_JOINT_SPACE_H
#define CLV_FORMULATION_JOINT_SPACE_H
#include "formulation/system.h"

/* x_B = S^T x_A + c (nbody x 6) */
void clv_joint_space_outward(const clv_system *s, double *x, const double *c);
/* W_A += S W_B, tips first: sums over the outboard parts (nbody x 6) */
void clv_joint_space_inward(const clv_system *s, double *W);
/* y = H^T W (nu) of sums W (nbody x 6); modes: sum over links of M^T W */
void clv_joint_space_project(const clv_system *s, double *y, const double *W);
/* c += M u of the links (nbody x 6), for the modal unknowns of u (nu) */
void clv_joint_space_add_links(const clv_system *s, double *c, const double *u);
/* y = J^T I x (nu) for the motions x (nbody x 6) with modal unknowns of u (nu); writes s->W, s->modal */
void clv_joint_space_inertia(clv_system *s, double *y, const double *x, const double *u);
/* M (nu x nu), column by column: a unit acceleration of a joint runs outward, its inertia wrenches run inward.  column
 * (nbody x 6) is room; writes s->x, s->ud, s->W, s->modal. */
void clv_joint_space_mass(clv_system *s, double *M, double *column);
/* J (nclosing_row x nu): rows of the closings in joint space; writes s->W */
void clv_joint_space_rows(clv_system *s, double *J);

#endif
