/* SPDX-License-Identifier: Apache-2.0
 * Steps of Newton's method in the search for impulses (T107): for islands of few points, whose sweeps converge slowly
 * where light bodies carry heavy ones.  Called by impulses.c between two sweeps. */
#ifndef CLV_INTEGRATOR_ACTIVE_H
#define CLV_INTEGRATOR_ACTIVE_H
#include "integrator/impulses.h"

enum { CLV_ACTIVE_POINTS = 64 }; /* of an island, at most */

/* Numbers of scratch for so many points. */
size_t clv_active_scratch(int points);
/* Of the n points of an island: W (3 n x 3 n), velocities by unit impulses; free (3 n), velocities without impulses. */
void clv_active_matrix(const clv_impulse_problem *x, const int *points, int n, double *W, double *free);
/* Impulses to (3 n) for the n points of an island, from those of the problem.  False: none that are nearer to its laws
 * have been found. */
bool clv_active_solve(const clv_impulse_problem *x, const int *points, int n, double near, double *scratch, double *to);

#endif
