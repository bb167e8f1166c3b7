/* SPDX-License-Identifier: Apache-2.0
 * Pivots in the search for impulses (T142): for islands of few points where sweeps and Newton's method go round in
 * circles.  Called by impulses.c after many sweeps. */
#ifndef CLV_INTEGRATOR_PIVOT_H
#define CLV_INTEGRATOR_PIVOT_H
#include "integrator/island.h"

/* Numbers of scratch for so many points. */
size_t clv_pivot_scratch(int points);
/* Impulses to (3 n) for the points of an island, whose cones of friction are pyramids with eight sides.  False: none
 * have been found. */
bool clv_pivot_solve(const clv_island *g, int turn, double *scratch, double *to);

#endif
