/* SPDX-License-Identifier: Apache-2.0
 * DCA (F99): accelerations by divide and conquer, rank-revealing loops.  State (q, u).
 *
 *   M x = Q - velocity terms + wrenches,  D^T (x_B - x_A - c) = -K phi - C phi'     T12
 *
 * Only accelerations obey the loops: without projection or Baumgarte gains positions drift, as the papers show. */
#include <string.h>
#include "formulation/walk.h"

clv_status clv_dca_start(clv_system *s, double t, const double *q, const double *u, double *y)
{
    clv_kinematics_poses(&s->kin, t, q);
    clv_kinematics_fill(&s->kin);
    clv_kinematics_velocities(&s->kin, u);
    memmove(y, q, (size_t)s->plan->nq * sizeof(double));
    memmove(y + s->plan->nq, u, (size_t)s->plan->nu * sizeof(double));
    return CLV_OK;
}

clv_status clv_dca_velocities(clv_system *s, double t, const double *y)
{
    clv_status st = clv_system_pose(s, t, y);
    if (st == CLV_OK)
        clv_kinematics_velocities(&s->kin, y + s->plan->nq);
    return st;
}

clv_status clv_dca_rates(clv_system *s, double t, const double *y, double *ydot)
{
    const clv_plan *p = s->plan;
    if ((s->walked = clv_walk_dca(s, t, y, ydot))) {
        if (!s->lean)
            clv_walk_view(s, y);
        return CLV_OK;
    }
    clv_status st = clv_system_place(s, t, y);
    if (st != CLV_OK)
        return st;
    clv_kinematics_velocities(&s->kin, y + p->nq);
    clv_kinematics_rates(&s->kin);
    st = clv_system_loads(s);
    if (st != CLV_OK)
        return st;
    clv_system_right_side(s);
    clv_kinematics_acceleration_bias(&s->kin, s->c, s->a);
    clv_system_stabilize(s);
    clv_engine_solve(&s->engine, s->x, s->ud, s->b, s->force, s->c, s->a);
    if ((st = clv_system_solved(s)) != CLV_OK)
        return st;
    memcpy(s->lambda, s->engine.sigma, (size_t)p->nsigma * sizeof(double));
    if (s->model->nmotion > 0) {
        clv_system_reactions(s);
        clv_system_motion_power(s);
    }
    clv_system_qdot(s, ydot);
    memcpy(ydot + p->nq, s->ud, (size_t)p->nu * sizeof(double));
    memcpy(s->u, y + p->nq, (size_t)p->nu * sizeof(double));
    ydot[p->nq + p->nu] = s->power;
    return CLV_OK;
}

const clv_formulation clv_formulation_dca = {
    .name = "dca",
    .text = "accelerations by divide and conquer, rank-revealing loops",
    .start = clv_dca_start,
    .rates = clv_dca_rates,
    .velocities = clv_dca_velocities,
};
