/* SPDX-License-Identifier: Apache-2.0
 * Bases that float, of mechanisms abreast (T85): steps of clv_walk_abreast_rates, in this order. */
#ifndef CLV_FORMULATION_WALK_ABREAST_BASE_H
#define CLV_FORMULATION_WALK_ABREAST_BASE_H
#include "formulation/walk_abreast.h"

/* Where strands start, by the coordinates of their bases; dca: how, too. */
void clv_walk_abreast_bases_start(clv_walk_abreast *a);
/* hdca: their momenta, as loads of rows that are clear. */
void clv_walk_abreast_bases_drive(clv_walk_abreast *a);
/* After the way up: motions of bases.  Lanes whose inertia cannot be factored fail. */
void clv_walk_abreast_bases_solve(clv_walk_abreast *a);
/* hdca, after the way down: rates of their joints. */
void clv_walk_abreast_bases_move(clv_walk_abreast *a);
/* Rates of their states. */
void clv_walk_abreast_bases_give(clv_walk_abreast *a, double *ydot);

#endif
