/* SPDX-License-Identifier: Apache-2.0
 * Loads of joints of mechanisms abreast (T85): steps of clv_walk_abreast_rates. */
#ifndef CLV_FORMULATION_WALK_ABREAST_LOADS_H
#define CLV_FORMULATION_WALK_ABREAST_LOADS_H
#include "formulation/walk_abreast.h"

/* Has each load of a mechanism one coordinate, and no numbers but those of clv_row_springs? */
bool clv_walk_abreast_loads_simple(const clv_system *s);
void clv_walk_abreast_loads_layout(clv_walk_abreast *a, const clv_system *s, clv_arena *m);
/* On which rows they act, from the first mechanism. */
void clv_walk_abreast_loads_take(clv_walk_abreast *a, const clv_system *s);
bool clv_walk_abreast_loads_same(const clv_walk_abreast *a, const clv_system *s);
void clv_walk_abreast_loads_put(clv_walk_abreast *a, int lane, const clv_system *s);
/* Forces tau and power of all lanes that are required, at the states y (n x 8) and the rates u (rows x 8). */
void clv_walk_abreast_loads_press(clv_walk_abreast *a, const double *y, const double *u);

#endif
