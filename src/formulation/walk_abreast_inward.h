/* SPDX-License-Identifier: Apache-2.0
 * Floating bases whose joint is passed from the base to the ground, of mechanisms abreast (T85.6): the same steps as in
 * walk_abreast_base.h. */
#ifndef CLV_FORMULATION_WALK_ABREAST_INWARD_H
#define CLV_FORMULATION_WALK_ABREAST_INWARD_H
#include "formulation/walk_abreast.h"

void clv_walk_abreast_inward_start(clv_walk_abreast *a);
void clv_walk_abreast_inward_drive(clv_walk_abreast *a);
void clv_walk_abreast_inward_solve(clv_walk_abreast *a);
void clv_walk_abreast_inward_move(clv_walk_abreast *a);
void clv_walk_abreast_inward_give(clv_walk_abreast *a, double *ydot);

#endif
