/* SPDX-License-Identifier: Apache-2.0
 * Steps of Newton's method in the search for impulses (T107): for islands of few points, whose sweeps converge slowly
 * where light bodies carry heavy ones.  Called by impulses.c between two sweeps. */
#ifndef CLV_INTEGRATOR_ACTIVE_H
#define CLV_INTEGRATOR_ACTIVE_H
#include "integrator/island.h"

/* Numbers of scratch for so many points. */
size_t clv_active_scratch(int points);
typedef enum clv_active_end { CLV_ACTIVE_FAILED, CLV_ACTIVE_NEARER, CLV_ACTIVE_SOLVED } clv_active_end;

/* Impulses to (3 n) for the points of an island, from those of the problem.  Solved: no velocity misses their laws by
 * more than `enough` (m/s).  Nearer: they miss them by a tenth of what those of the problem do, or less. */
clv_active_end clv_active_solve(const clv_island *g, double enough, double *scratch, double *to);

#endif
