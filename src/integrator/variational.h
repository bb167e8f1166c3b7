/* SPDX-License-Identifier: Apache-2.0
 * Variational integrators of a mechanism: Gauss rules with loops closed at Lobatto nodes (theory T34).
 * Files: variational.c steps and decides on convergence, variational_equations.c holds the equations of one step,
 * variational_places.c its coordinates, variational_work.h its memory. */
#ifndef CLV_INTEGRATOR_VARIATIONAL_H
#define CLV_INTEGRATOR_VARIATIONAL_H
#include "integrator/gauss.h"
#include "integrator/integrator.h"

/* Plain numbers. */
typedef struct clv_variational_state {
    int history;                                                /* past steps remembered, newest first              */
    double from[CLV_GAUSS_STAGES + 1], h[CLV_GAUSS_STAGES + 1]; /* s, their beginnings and sizes                    */
    long inquiries;                                             /* evaluations of dense output, not yet counted     */
} clv_variational_state;

/* One step in work: what is sought, and what follows from it. */
typedef struct clv_variational_step {
    double t, h;     /* s, beginning and signed size                                            */
    const double *y; /* (n) state at t                                                          */
    double *y_new;   /* (n) state at t + h, momenta without the last closing impulse              */
    double power[CLV_GAUSS_STAGES];
    double largest, change; /* of the stage rates, and of the last correction of them                    */
} clv_variational_step;

void clv_variational_layout(clv_integrator *s, clv_arena *a);
clv_status clv_variational_begin(clv_integrator *s);
clv_status clv_variational_step_on(clv_integrator *s);
void clv_variational_dense(const clv_integrator *s, double t, double *y);

/* ------------------------------------------------------------------ variational_equations.c */

/* Takes the factor of the mass problem in the middle of the step, from the rates at hand. */
clv_status clv_variational_factor(clv_integrator *s, clv_variational_step *step);
/* Evaluates the equations at the rates at hand, forms y_new from them, and corrects rates and impulses once. */
clv_status clv_variational_correct(clv_integrator *s, clv_variational_step *step);
/* Largest change of the rates that the rounding of momenta can bring about, with the factor at hand: 8 eps of their
 * size, with alternating signs.  0 where that cannot be found. */
double clv_variational_rounding(clv_integrator *s);
/* Work of the step, with the power of prescribed motions. */
clv_status clv_variational_work(clv_integrator *s, clv_variational_step *step);

/* Tail of a row of the method table. */
#define CLV_VARIATIONAL_METHOD                                                                                         \
    .asks = CLV_ASK_MECHANICS, .state_size = sizeof(clv_variational_state), .layout = clv_variational_layout,          \
    .begin = clv_variational_begin, .step = clv_variational_step_on, .dense = clv_variational_dense

#endif
