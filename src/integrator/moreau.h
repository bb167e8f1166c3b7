/* SPDX-License-Identifier: Apache-2.0
 * Time stepping of Moreau and Jean (T62).  Half a step has the rates at its beginning, the other half those at its end.
 * Forces and the impulses of rigid contacts change them in the middle; impulses.c finds the impulses. */
#ifndef CLV_INTEGRATOR_MOREAU_H
#define CLV_INTEGRATOR_MOREAU_H
#include "integrator/integrator.h"

/* Plain numbers. */
typedef struct clv_moreau_state {
    int points; /* in contact in the last step, whose impulses begin the next iteration */
} clv_moreau_state;

void clv_moreau_layout(clv_integrator *s, clv_arena *a);
clv_status clv_moreau_begin(clv_integrator *s);
clv_status clv_moreau_step(clv_integrator *s);
void clv_moreau_dense(const clv_integrator *s, double t, double *y);

/* ------------------------------------------------------------------ impulses.c */

/* Points in contact: rows 3 k of the normal, 3 k + 1 and 3 k + 2 across it. */
typedef struct clv_impulse_problem {
    int points;
    const double *W;      /* (3 points x 3 points) velocity along row i by a unit impulse along j    */
    const double *u;      /* (3 points) m/s, velocities without the impulses                         */
    const double *leave;  /* (points) m/s, least velocity along the normal                            */
    const double *rub;    /* (points) coefficients of friction                                       */
    double *P;            /* (3 points) in: first guess; out: N s, impulses                           */
} clv_impulse_problem;

typedef struct clv_impulse_result {
    int iterations;
    double residual; /* m/s, last change of a velocity along a row */
    bool limited;    /* the iteration has not converged            */
} clv_impulse_result;

/* Normal impulses P >= 0 with velocities >= leave, one of both with equality; impulses across them within rub P,
 * against the slip where it does not vanish.  By projected Gauss-Seidel iteration. */
clv_impulse_result clv_impulses_find(const clv_impulse_problem *x);

/* Tail of a row of the method table. */
#define CLV_MOREAU_METHOD                                                                                              \
    .asks = CLV_ASK_RESPONSE, .state_size = sizeof(clv_moreau_state), .layout = clv_moreau_layout,                     \
    .begin = clv_moreau_begin, .step = clv_moreau_step, .dense = clv_moreau_dense

#endif
