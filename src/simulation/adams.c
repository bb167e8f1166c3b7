/* SPDX-License-Identifier: Apache-2.0
 * Adams PECE of variable order (theory T17): not here yet. */
#include "simulation/adams.h"

void clv_adams_layout(clv_integrator *s, clv_arena *a)
{
    clv_adams_state *state;
    CLV_TAKE(a, state, 1);
    s->state = state;
}

clv_status clv_adams_begin(clv_integrator *s)
{
    (void)s;
    return CLV_ERR_UNSUPPORTED;
}

clv_status clv_adams_step(clv_integrator *s)
{
    (void)s;
    return CLV_ERR_UNSUPPORTED;
}

void clv_adams_dense(const clv_integrator *s, double t, double *y)
{
    (void)s, (void)t, (void)y;
}
