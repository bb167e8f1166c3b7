/* SPDX-License-Identifier: Apache-2.0
 * The matrix of an island of few points (T107): velocities by unit impulses, in rows that respond.  A point with a
 * bound or without friction has one row, any other three.  Made once in a search, by impulses.c, and read by Newton's
 * method (active.h) and pivots (pivot.h). */
#ifndef CLV_INTEGRATOR_ISLAND_H
#define CLV_INTEGRATOR_ISLAND_H
#include "integrator/impulses.h"

enum { CLV_ISLAND_POINTS = 128 }; /* at most */

typedef struct clv_island {
    const clv_impulse_problem *x;
    const int *points;                 /* (n) of the problem                                     */
    int n, rows;
    int at[CLV_ISLAND_POINTS + 1];     /* first row of each point; the last is `rows`            */
    double across[CLV_ISLAND_POINTS];  /* largest response across the normal; 0: one row         */
    double *W;                         /* (rows x rows), symmetric; NULL: not made yet           */
    double *free;                      /* (rows) velocities without impulses, less the least one along a normal */
} clv_island;

/* Numbers of scratch for an island of so many points. */
size_t clv_island_scratch(int points);
/* Can the points of an island have a matrix?  All of them must respond. */
bool clv_island_fits(const clv_impulse_problem *x, const int *points, int n);
void clv_island_make(clv_island *g, const clv_impulse_problem *x, const int *points, int n, double *scratch);
/* U (rows) := velocities with the impulses P (rows). */
void clv_island_velocities(const clv_island *g, const double *P, double *U);

#endif
