/* SPDX-License-Identifier: Apache-2.0
 * Runs a rule that the problem brings with its time step built in (theory T25): fixed steps, cubic dense output. */
#ifndef CLV_INTEGRATOR_EMBEDDED_H
#define CLV_INTEGRATOR_EMBEDDED_H
#include "integrator/integrator.h"

void clv_embedded_layout(clv_integrator *s, clv_arena *a);
clv_status clv_embedded_begin(clv_integrator *s);
clv_status clv_embedded_step(clv_integrator *s);
void clv_embedded_dense(const clv_integrator *s, double t, double *y);

/* Tail of a row of the method table. */
#define CLV_EMBEDDED_METHOD                                                                                            \
    .asks = CLV_ASK_STEP, .state_size = sizeof(double), .layout = clv_embedded_layout, .begin = clv_embedded_begin,    \
    .step = clv_embedded_step, .dense = clv_embedded_dense

#endif
