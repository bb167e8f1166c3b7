/* SPDX-License-Identifier: Apache-2.0
 * One step of order 3 that needs no past: the Rosenbrock W-method ROS34PW2 (T21.7), with which bdf continues after a
 * jump of the right-hand side.  L-stable; it is of order 3 with any approximate Jacobian, so that one Jacobian serves
 * many steps, and exact for motions of constant acceleration. */
#ifndef CLV_INTEGRATOR_ROSENBROCK_H
#define CLV_INTEGRATOR_ROSENBROCK_H
#include "integrator/integrator.h"

enum { CLV_ROSENBROCK_STAGES = 4, CLV_ROSENBROCK_ORDER = 3 };

typedef struct clv_rosenbrock {
    double *J;      /* (n x n) row major, 1/s                                    */
    double *LU;     /* (n x n) of 1 - h gamma J, rows exchanged                  */
    int *pivot;     /* (n)                                                       */
    double *k;      /* (4 x n) stages, rates                                     */
    double *x, *dx; /* (n) work                                                  */
    long age;       /* steps taken with J; < 0: there is none                    */
} clv_rosenbrock;

void clv_rosenbrock_layout(clv_rosenbrock *r, int n, clv_arena *a);
/* From (s->t, s->y) with the rates s->f over h: y_new (n).  *err: the estimate in the norm of the integrator;
 * above 1 the step is too inaccurate.  Errors: those of the rates; CLV_ERR_SINGULAR (no such step). */
clv_status clv_rosenbrock_step(clv_integrator *s, clv_rosenbrock *r, double h, double *y_new, double *err);

#endif
