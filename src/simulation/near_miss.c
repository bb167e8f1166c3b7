/* SPDX-License-Identifier: Apache-2.0
 * Directions dropped though they are real (T20): a mechanism that passes close to a singular position, not through it.
 *
 * While a direction is dropped the mechanism has a degree of freedom too many.  Through a singular position nothing
 * moves along it; past one, motion goes there, and the return of the direction takes its energy away.  So after a step
 * with a dropped direction the velocities are projected onto the loops once more with a lower threshold.  The kinetic
 * energy which that would take is compared with what a step may lose.  Adaptive steps that fail are tried again with
 * the direction kept; the threshold goes back when no pivot is small any more.  Fixed steps only report.  Methods with
 * a history need not get that far: at the edge, where evaluations drop the direction and the last good state keeps it,
 * their step size collapses.  Then it is kept from there on, and the method starts anew.
 *
 * Pivots of redundant rows are rounding below 1e-11: there no decision is possible, and nothing is checked.  Without
 * redundant rows that is so below 1e-14. */
#include "base/tolerance.h"
#include "formulation/walk.h"
#include "simulation/sim.h"
#include <math.h>
#include <string.h>

static const double NOISE =
    1e-8; /* of the kinetic energy: through singular positions 6e-10 is met, with histories 3e-6 */
static const double HISTORY_NOISE = 1e-5;

/* Scaled pivot below which no decision is possible.  Without redundant rows every direction is real down to
 * rounding. */
static double least(const clv_sim *s)
{
    return s->base_nullity > 0 ? CLV_TOL_LOOP_PIVOT : CLV_TOL_PIVOT;
}

/* J that a projection of the rates s->u with threshold `rank` takes; NaN if it keeps no more, or too many, directions
 */
static clv_status energy_across(clv_sim *s, double t, const double *y, double rank, double *energy)
{
    clv_system *k = &s->system;
    const int dropped = k->truncated, nullity = k->engine.truncated;
    const double kept_rank = k->engine.rank, before = clv_system_kinetic(k);
    double moved;
    *energy = NAN;
    k->engine.rank = rank;
    clv_status st = clv_walk_place(k, t, y);
    if (st == CLV_OK && k->engine.truncated < nullity && k->engine.truncated >= s->base_nullity) {
        memcpy(s->trial, s->u, (size_t)s->plan->nu * sizeof(double));
        clv_project_velocity(s, s->trial, &moved);
        *energy = before - clv_system_kinetic(k);
    }
    k->engine.rank = kept_rank;
    if (st == CLV_OK) {
        st = clv_system_rates(k, s->formulation, t, y, s->ydot);
        s->report.rate_evaluations++;
    }
    k->truncated = dropped;
    return st;
}

clv_status clv_check_dropped(clv_sim *s, double t, const double *y)
{
    clv_engine *e = &s->system.engine;
    if (s->system.truncated <= s->base_nullity) {
        if (e->rank < s->report.rank && e->min_pivot > 10 * s->report.rank)
            e->rank = s->report.rank;
        return CLV_OK;
    }
    const double largest = e->max_dropped, lower = fmax(0.01 * largest, least(s));
    const double noise = s->integrator.method->multistep ? HISTORY_NOISE : NOISE;
    double energy;
    if (!s->options.project || s->formulation->state == CLV_STATE_ABSOLUTE || s->formulation->rule ||
        largest <= least(s))
        return CLV_OK;
    clv_status st = energy_across(s, t, y, lower, &energy);
    if (st != CLV_OK || isnan(energy))
        return st;
    if (s->options.step > 0 || energy <= fmax(10 * s->options.rtol, noise) * clv_system_kinetic(&s->system)) {
        s->report.dropped_energy = fmax(s->report.dropped_energy, energy);
        return CLV_OK;
    }
    e->rank = lower;
    return CLV_ERR_SINGULAR; /* the step is tried again */
}

bool clv_keep_at_edge(clv_sim *s)
{
    clv_engine *e = &s->system.engine;
    if (s->options.step > 0 || !s->options.project || !s->any_loop || s->formulation->state == CLV_STATE_ABSOLUTE ||
        e->rank <= least(s))
        return false;
    s->seen_t = NAN;
    const clv_status st = clv_walk_factor_at(&s->system, s->integrator.t, s->integrator.y);
    const bool at_edge = e->truncated > s->base_nullity || e->min_pivot <= 10 * e->rank;
    if (st != CLV_OK || (!at_edge && (e->rank >= s->report.rank || s->edge == s->integrator.t)))
        return false;
    if (at_edge)
        e->rank = fmax(0.01 * e->rank, least(s));
    s->edge = s->integrator.t; /* a threshold just lowered may have left a history of before: that is tried once */
    return true;
}
