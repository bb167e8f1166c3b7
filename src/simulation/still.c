/* SPDX-License-Identifier: Apache-2.0
 * Does anything move?  The energy drift is judged beside the energy that moves.  That is noise where a mechanism stays
 * at rest: of rounding, or of steps that keep to their tolerance.  Called at the creation, after steps, and by
 * clv_sim_summary (T15). */
#include <math.h>
#include <string.h>
#include "base/tolerance.h"
#include "math/rotation.h"
#include "simulation/latch.h"
#include "simulation/sim.h"

static double mass_of(const clv_sim *s)
{
    double mass = 0;
    if (s->divided) /* that of a part depends on who has the rest */
        return s->divided->across.mass;
    for (int b = 0; b < s->model->nbody; b++)
        mass += s->model->body[b].mass;
    return mass;
}

void clv_begin_rest(clv_sim *s)
{
    const double g = sqrt(clv_dot3(s->model->gravity, s->model->gravity));
    s->fall = fmin(mass_of(s) * g * s->size, 1e300);
    /* fixed steps have no tolerance, motions move without coordinates */
    s->moves = s->divided || s->options.step > 0 || s->model->nmotion > 0;
    if (!s->divided)
        memcpy(s->rest, s->y, (size_t)s->plan->nq * sizeof *s->rest);
}

void clv_watch_rest(clv_sim *s, const double *y)
{
    const double atol = CLV_TOL_AT_REST * s->integrator.options.atol;
    for (int i = 0; i < s->plan->nq && !s->moves; i++)
        s->moves = !(fabs(y[i] - s->rest[i]) <= atol * s->scale[i]);
}

double clv_still_energy(const clv_sim *s)
{
    const clv_sim_report *r = &s->report;
    return CLV_TOL_STILL_ENERGY * (s->fall + fmax(fabs(r->energy_initial), fabs(r->energy)));
}

double clv_drift_share(const clv_sim *s)
{
    const clv_sim_report *r = &s->report;
    const int freedoms = s->latches ? s->latches->freedoms + s->latches->redundant
                                    : s->plan->nu - s->plan->nclosing_row + s->base_nullity;
    const bool fixed = !s->divided && freedoms == 0 && s->model->nmotion == 0;
    if (fixed || !s->moves || !(r->energy_moved > clv_still_energy(s)))
        return NAN;
    return r->max_energy_drift / r->energy_moved;
}
