/* SPDX-License-Identifier: Apache-2.0
 * The explicit Runge-Kutta stepper over any tableau (theory T16). */
#ifndef CLV_INTEGRATOR_RUNGE_KUTTA_H
#define CLV_INTEGRATOR_RUNGE_KUTTA_H
#include "integrator/integrator.h"
#include "integrator/tableaus.h"

typedef struct clv_rk_state {
    double h;         /* s, size of the next step, > 0                       */
    double h_last;    /* s, signed size of the last step, for dense output   */
    int dense_extra;  /* 1: the columns behind `end` belong to the last step */
} clv_rk_state;

void clv_rk_layout(clv_integrator *s, clv_arena *a);
clv_status clv_rk_begin(clv_integrator *s);
clv_status clv_rk_step(clv_integrator *s);
void clv_rk_dense(const clv_integrator *s, double t, double *y);

/* Tail of a row of the method table. */
#define CLV_RK_METHOD                                                                                                  \
    .state_size = sizeof(clv_rk_state), .layout = clv_rk_layout, .begin = clv_rk_begin, .step = clv_rk_step,           \
    .dense = clv_rk_dense

#endif
