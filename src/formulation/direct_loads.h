/* SPDX-License-Identifier: Apache-2.0
 * Loads along joint coordinates, straight from the state to the rates (T8).
 *
 * Where nothing else acts, stages of a step need neither the joint states in model order nor poses of bodies for their
 * loads.  The same sums in the same order as clv_loads_given.  Coordinates and rates that energies and derivatives of
 * these loads look at are shown in the load frame. */
#ifndef CLV_FORMULATION_DIRECT_LOADS_H
#define CLV_FORMULATION_DIRECT_LOADS_H
#include "formulation/system.h"

/* A force of kind `joint` or an input of that kind, at the tree joint of a body. */
typedef struct clv_direct_load {
    int index;   /* in the forces or inputs of the model                          */
    int iq, iu;  /* of its coordinate in q and u                                  */
    int q, u;    /* in those of the load frame                                    */
    bool input;
    bool plain;  /* an input that gives the value to which it is set              */
} clv_direct_load;

void clv_direct_loads_layout(clv_system *s, clv_arena *a);
/* Do all loads of this evaluation go this way? */
bool clv_direct_loads_apply(const clv_system *s);
/* tau (nu), power, and what fails, at the state y and the rates u (nu).  False: a load failed. */
bool clv_direct_loads(clv_system *s, const double *y, const double *u);

#endif
