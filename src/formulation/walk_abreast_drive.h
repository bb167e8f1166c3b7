/* SPDX-License-Identifier: Apache-2.0
 * Prescribed joints of mechanisms abreast (T85.7): steps of clv_walk_abreast_rates. */
#ifndef CLV_FORMULATION_WALK_ABREAST_DRIVE_H
#define CLV_FORMULATION_WALK_ABREAST_DRIVE_H
#include "formulation/walk_abreast.h"

/* Why motions of a mechanism need it alone, in words; NULL: they do not. */
const char *clv_walk_abreast_drives_refuse(const clv_system *s);
void clv_walk_abreast_drives_layout(clv_walk_abreast *a, const clv_system *s, clv_arena *m);
void clv_walk_abreast_drives_take(clv_walk_abreast *a, const clv_system *s);
bool clv_walk_abreast_drives_same(const clv_walk_abreast *a, const clv_system *s);
/* Does a motion prescribe this joint? */
bool clv_walk_abreast_driven(const clv_system *s, int joint);
/* Values of the motions at the times of the lanes, into the coordinates and rates of rows. */
void clv_walk_abreast_drives_set(clv_walk_abreast *a);
/* What the next solution has to know of prescribed joints: their accelerations, or rates. */
void clv_walk_abreast_drives_know(clv_walk_abreast *a, bool accelerations);
/* Power of the drives, after a solution for accelerations; added to that of loads. */
void clv_walk_abreast_drives_power(clv_walk_abreast *a);

#endif
