/* SPDX-License-Identifier: Apache-2.0
 * The form (q, u); see rate_form.h. */
#include "formulation/rate_form.h"
#include "formulation/walk.h"
#include <string.h>

clv_status clv_rate_form_start(clv_system *s, double t, const double *q, const double *u, double *y)
{
    clv_system_show(s, t, q);
    clv_kinematics_velocities(&s->kin, u);
    memmove(y, q, (size_t)s->plan->nq * sizeof(double));
    memmove(y + s->plan->nq, u, (size_t)s->plan->nu * sizeof(double));
    return CLV_OK;
}

clv_status clv_rate_form_velocities(clv_system *s, double t, const double *y)
{
    clv_status st = clv_system_pose(s, t, y);
    if (st == CLV_OK)
        clv_kinematics_velocities(&s->kin, y + s->plan->nq);
    return st;
}

clv_status clv_rate_form_move(clv_system *s, const double *y)
{
    clv_kinematics_velocities(&s->kin, y + s->plan->nq);
    clv_kinematics_rates(&s->kin);
    return clv_system_loads(s);
}

void clv_rate_form_give(clv_system *s, const double *y, double *ydot)
{
    const clv_plan *p = s->plan;
    clv_system_qdot(s, ydot);
    memcpy(ydot + p->nq, s->ud, (size_t)p->nu * sizeof(double));
    memcpy(s->u, y + p->nq, (size_t)p->nu * sizeof(double));
    ydot[p->nq + p->nu] = s->power;
}
