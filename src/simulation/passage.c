/* SPDX-License-Identifier: Apache-2.0
 * Through singular positions by hdca (T11.3, T20).
 *
 * There reactions of the loops grow like one over the distance, so that their impulses sigma have a logarithm, which no
 * method integrates to its order.  The momenta along the direction that is lost are noise, which loops take up.  So
 * where a pivot is small beside the largest of the run and steps are rejected or shortened for it,
 *   - the momenta are integrated with the reactions in their rates (`summed`): nothing of it is singular;
 *   - errors are measured after the loops have taken up their part;
 *   - one-step methods step over the position.  A step that ends much closer to it than it started is tried again, a
 *     little shorter, so that the position falls into the middle of the next one.
 * A multistep method keeps to it; its history would have to be integrated backwards.  Fixed steps do without.
 *
 * Formulations with rates as their state need none of this, unless data contradict each other by d. Rates along
 * the lost direction are then d / delta^2, accelerations d / delta^3 (T40.10).  Errors are measured and steps placed
 * as above, from the first small pivot on. */
#include "base/tolerance.h"
#include "formulation/walk.h"
#include "simulation/sim.h"
#include <math.h>

static const double CLOSER = 0.04; /* pivots go with the square of the distance: a fifth of it                      */
static const int CALM = 100;       /* steps without a small pivot, after which impulses are integrated again        */
static const int HURT = 2;         /* steps rejected or shortened there, after which the reactions are in the rates  */
static const int TRIES = 8;        /* a position that cannot be stepped over is entered                             */

static const double BOUND = 1e3;   /* tolerance, beside a contradiction, that a passage can meet ...               */
static const double LOOSE = 3e-7;  /* ... and the loosest that is put in the place of a tighter one                 */

/* Where data contradict each other rows take turns, and strong pivots jump (T40.8). */
static double pivot(const clv_sim *s)
{
    const clv_engine *e = &s->system.engine;
    if (s->system.truncated > s->base_nullity)
        return 0.0;
    return e->redundant > 0 ? fmin(e->min_pivot, e->strong) : e->min_pivot;
}

/* rates as a state, and data whose redundant constraints do not agree */
static bool contradicting(const clv_sim *s)
{
    return s->null && s->formulation->state == CLV_STATE_RATES && !s->formulation->closing;
}

static bool possible(const clv_sim *s)
{
    return s->any_loop && s->options.project && !(s->options.step > 0) && !s->integrator.method->sealed &&
           ((s->formulation->momenta && s->options.regauge) || contradicting(s));
}

/* Are errors and ends of steps judged as those of a passage? */
static bool passing(const clv_sim *s)
{
    const clv_passage *w = &s->passage;
    return s->system.summed || (contradicting(s) && possible(s) && w->lowest < CLV_NEAR_SINGULAR * w->best);
}

void clv_passage_see(clv_sim *s)
{
    s->passage.lowest = fmin(s->passage.lowest, pivot(s));
}

bool clv_passage_ends_badly(clv_sim *s)
{
    clv_passage *w = &s->passage;
    const double here = pivot(s), closer = s->integrator.method->multistep ? 0.0 : CLOSER;
    const bool leaves = s->system.truncated < w->dropped; /* w->here lacks the directions that come back */
    if (passing(s) && !leaves && here < CLV_NEAR_SINGULAR * w->best && here <= closer * w->here &&
        w->here > 25 * s->report.rank && w->tries < TRIES) {
        w->tries++;
        return true;
    }
    w->tries = 0;
    return false;
}

void clv_passage_go_on(clv_sim *s)
{
    clv_passage *w = &s->passage;
    if (!possible(s))
        return;
    w->here = pivot(s), w->dropped = s->system.truncated, w->best = fmax(w->best, w->here);
    const bool near = w->lowest < CLV_NEAR_SINGULAR * w->best;
    const clv_integrator_stats *stats = &s->integrator.stats; /* of the step before: this one is not counted yet */
    const long rejected = stats->rejected;
    const int shrunk = stats->next_step < (1 - 1e-9) * fabs(stats->last_step);
    w->calm = near ? 0 : w->calm + 1;
    w->hurt = w->lowest < 0.1 * w->best ? w->hurt + (int)(rejected - w->rejected) + shrunk : 0;
    w->lowest = 1, w->rejected = rejected;
    if (!s->formulation->momenta)
        return;
    if (s->system.summed)
        s->system.summed = w->calm < CALM || s->integrator.method->multistep;
    else
        s->system.summed = near && w->hurt >= HURT;
}

/* errors of rates and, where there are no quaternions, of coordinates, after the loops have taken up their part */
static void visible_rates(clv_sim *s, double *e)
{
    double moved;
    if (s->formulation->accelerate && clv_walk_place(&s->system, s->system.kin.time, s->seen_y) != CLV_OK)
        return; /* it factors by itself; the end of the step fails then */
    clv_project_velocity(s, e + s->plan->nq, &moved);
    if (s->plan->nq == s->plan->nu)
        clv_project_velocity(s, e, &moved);
    s->seen_t = NAN; /* velocities in the system are those of errors */
}

void clv_passage_visible(clv_sim *s, double *e)
{
    const double rtol = s->options.rtol, most = fmin(10.0, rtol / 1e-13);
    const double weight = s->null ? fmin(most, rtol / fmin(BOUND * s->report.contradiction, LOOSE)) : most;
    if (!passing(s))
        return;
    if (s->system.walked) /* both use the rows up */
        clv_walk_view(&s->system, s->seen_y);
    s->system.walked = false;
    if (s->formulation->momenta)
        s->formulation->momenta->visible(&s->system, e);
    else
        visible_rates(s, e);
    for (int i = 0; (weight > 1 || s->null) && i < s->n; i++)
        e[i] *= weight;
}
