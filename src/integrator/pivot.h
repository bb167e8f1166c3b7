/* SPDX-License-Identifier: Apache-2.0
 * Pivots in the search for impulses (T142): for islands of few points where sweeps and Newton's method go round in
 * circles.  Called by impulses.c after many sweeps. */
#ifndef CLV_INTEGRATOR_PIVOT_H
#define CLV_INTEGRATOR_PIVOT_H
#include "integrator/impulses.h"

enum { CLV_PIVOT_POINTS = 16 }; /* of an island, at most */

/* Numbers of scratch for so many points. */
size_t clv_pivot_scratch(int points);
/* Impulses to (3 n) for the n points of an island, whose cones of friction are pyramids with eight sides.  False: too
 * many points, or none have been found. */
bool clv_pivot_solve(const clv_impulse_problem *x, const int *points, int n, double *scratch, double *to);

#endif
