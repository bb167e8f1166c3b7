/* SPDX-License-Identifier: Apache-2.0
 * Adams PECE of variable order (theory T17). */
#ifndef CLV_SIMULATION_ADAMS_H
#define CLV_SIMULATION_ADAMS_H
#include "simulation/integrator.h"

typedef struct clv_adams_state {
    double h; /* s, size of the next step, > 0 */
} clv_adams_state;

void clv_adams_layout(clv_integrator *s, clv_arena *a);
clv_status clv_adams_begin(clv_integrator *s);
clv_status clv_adams_step(clv_integrator *s);
void clv_adams_dense(const clv_integrator *s, double t, double *y);

/* Tail of a row of the method table. */
#define CLV_ADAMS_METHOD sizeof(clv_adams_state), clv_adams_layout, clv_adams_begin, clv_adams_step, clv_adams_dense

#endif
