/* SPDX-License-Identifier: Apache-2.0
 * Steps of Newton's method in the search for impulses (T107): for islands of few points, whose sweeps converge slowly
 * where light bodies carry heavy ones.  Called by impulses.c between two sweeps. */
#ifndef CLV_INTEGRATOR_ACTIVE_H
#define CLV_INTEGRATOR_ACTIVE_H
#include "integrator/island.h"

/* Numbers of scratch for so many points. */
size_t clv_active_scratch(int points);
/* Impulses to (3 n) for the points of an island, from those of the problem, which miss its laws by less than `enough`
 * (m/s) where that can be.  False: none that are nearer to its laws have been found. */
bool clv_active_solve(const clv_island *g, double enough, double *scratch, double *to);

#endif
