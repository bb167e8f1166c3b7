/* SPDX-License-Identifier: Apache-2.0
 * Rates of dca in rows (T12, T43).
 *
 *   pose | scan | velocity terms, up | fold, unfold | down: accelerations
 *
 * With loops: show, close in the places of fold, unfold (T43.4). */
#include "formulation/walk_steps.h"

static bool rates(clv_system *s, double t, const double *y, double *ydot)
{
    const clv_plan *p = s->plan;
    clv_rows *w = &s->rows;
    const double *u = y + p->nq;
    clv_walk_start(s, t, y, u);
    clv_walk_outer_rates(s, u);
    clv_rows_clear_inward(w);
    s->good = clv_walk_loads(s, y, u) && s->good;
    if (!s->good && !s->across)
        return false;
    if (!clv_walk_accelerations(s, true))
        return false;
    clv_walk_motion_power(s);
    clv_team_copy(w->team, s->u, u, (size_t)p->nu);
    s->rates_due = s->velocities_known = false, s->solved = CLV_WALK_ACCELERATIONS;
    clv_rows_give_coordinates(w, y, w->u, ydot);
    clv_walk_outer_coordinates(s, y, u, ydot);
    clv_team_copy(w->team, ydot + p->nq, s->ud, (size_t)p->nu);
    ydot[p->nq + p->nu] = s->power;
    return true;
}

clv_status clv_walk_dca(clv_system *s, double t, const double *y, double *ydot)
{
    assert(clv_walk_fits(s));
    clv_walk_begin(s);
    if (!rates(s, t, y, ydot))
        return clv_walk_failed_late(s, clv_walk_failed(s, t, y), ydot);
    s->held = s->engine.factors;
    return CLV_OK;
}
