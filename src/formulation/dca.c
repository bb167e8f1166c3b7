/* SPDX-License-Identifier: Apache-2.0
 * DCA (F99): accelerations by divide and conquer, rank-revealing loops.  State (q, u).
 *
 *   M x = Q - velocity terms + wrenches,  D^T (x_B - x_A - c) = -K phi - C phi'     T12
 *
 * Only accelerations obey the loops: without projection or Baumgarte gains positions drift, as the papers show. */
#include <string.h>
#include "formulation/rate_form.h"
#include "formulation/walk.h"

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
    st = clv_rate_form_move(s, y);
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
    clv_rate_form_give(s, y, ydot);
    return CLV_OK;
}

const clv_formulation clv_formulation_dca = {
    .name = "dca",
    .text = "accelerations by divide and conquer, rank-revealing loops",
    .lanes = true,
    .threads = true,
    .start = clv_rate_form_start,
    .rates = clv_dca_rates,
    .velocities = clv_rate_form_velocities,
};
