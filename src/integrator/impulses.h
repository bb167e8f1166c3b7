/* SPDX-License-Identifier: Apache-2.0
 * Impulses of rigid contacts (T62.2): one problem for each island, that is for components of a mechanism that points in
 * contact connect.  The matrix J M^-1 J^T is never formed. */
#ifndef CLV_INTEGRATOR_IMPULSES_H
#define CLV_INTEGRATOR_IMPULSES_H
#include "integrator/mechanics.h"
#include <math.h>
#include <stddef.h>

enum { CLV_IMPULSE_HISTORY = 32 }; /* iterations that an extrapolation uses (T89.3) */

/* Points in contact: numbers 3 k of the normal, 3 k + 1 and 3 k + 2 across it. */
typedef struct clv_impulse_problem {
    int points;
    const clv_contact_point *point; /* (points)                                                                     */
    const double *J, *Y;            /* directions, and rates by unit impulses along them; see clv_contact_part      */
    const double *leave;            /* (points) m/s, least velocity along the normal; of a dry one: 0               */
    const double *free;             /* rates without impulses, component by component                               */
    double *rates;                  /* the same size, out: with them                                                */
    double *P;                      /* (3 points) in: first guess; out: N s, impulses                               */
    int components;
    int *island;     /* (clv_impulses_islands) scratch                                               */
    double *scratch; /* (clv_impulses_scratch)                                                       */
} clv_impulse_problem;

/* An impulse along the first axis of a point onto the set of those that it can have; and all three of them. */
static inline double clv_impulse_clamp(const clv_contact_point *p, double P)
{
    return p->dry ? fmin(fmax(P, -p->bound), p->bound) : fmax(0, P);
}
void clv_impulse_admit(const clv_contact_point *p, double P[3]);

typedef struct clv_impulse_result {
    int iterations; /* of the island that took most           */
    int islands;
    double residual; /* m/s, last change of a velocity along a row */
    bool limited;    /* the iteration has not converged            */
} clv_impulse_result;

/* Numbers of scratch for so many points, and whole numbers for them and so many components. */
size_t clv_impulses_scratch(int points);
size_t clv_impulses_islands(int points, int components);
/* Normal impulses P >= 0 with velocities >= leave, one of both with equality.  Impulses across them are within friction
 * P, against the slip where it does not vanish; those of dry points are within their bound, likewise (T158).  By
 * projected Gauss-Seidel iteration, extrapolated (T89). */
clv_impulse_result clv_impulses_find(const clv_impulse_problem *x);

#endif
