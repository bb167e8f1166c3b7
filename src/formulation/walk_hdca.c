/* SPDX-License-Identifier: Apache-2.0
 * Rates of hdca in rows (T9, T10, T43).
 *
 *   pose | scan | up: factor, solve with p | fold, unfold | down: velocities | collect | momentum
 *
 * With loops: show, close in the places of fold, unfold (T43.4). */
#include <string.h>
#include "formulation/momentum_axes.h"
#include "formulation/walk_steps.h"
#include "kinematics/row_kernels.h"
#include "math/rotation.h"
#include "math/spatial.h"

/* rates u, V of the border and sigma of the momenta along the joints, where nothing else is in the rows */
static bool find_velocities(clv_system *s, const double *momenta)
{
    clv_rows_know(&s->rows, false);
    if (!clv_walk_solve(s, momenta, clv_walk_biases(s, false), NULL, false, s->u, s->kin.V))
        return false;
    memcpy(s->sigma, s->engine.sigma, (size_t)s->plan->nsigma * sizeof(double));
    s->solved = CLV_WALK_VELOCITIES;
    return true;
}

/* *momenta (nu): along the joints */
static bool velocities(clv_system *s, double t, const double *y, const double **momenta)
{
    clv_walk_start(s, t, y, NULL);
    clv_rows_clear_inward(&s->rows);
    *momenta = clv_momentum_axes_along_joints(s, y + s->plan->nq);
    if (!find_velocities(s, *momenta))
        return false;
    s->velocities_known = s->model->nmotion == 0; /* else accelerations follow */
    s->rates_due = s->lean && s->rows.ncoupled == 0 && !clv_walk_loaded(s) && s->model->nmotion == 0 && !s->summed;
    if (!s->rates_due)
        clv_rows_give_rates(&s->rows, s->rows.rates, s->u);
    return true;
}

void clv_walk_base_momentum_rates(const clv_system *s, double *pdot)
{
    const clv_plan *p = s->plan;
    for (int k = 0, b; (b = clv_walk_base(&s->rows, &k)) >= 0; k++) {
        double P[6], Q[6];
        clv_rows_base_sums(&s->rows, k, P, Q);
        for (int c = 0; c < p->tree[b].f; c++) {
            const size_t at = clv_columns(p, (size_t)b) + 6 * (size_t)c;
            pdot[p->tree[b].iu + c] =
                clv_momentum_rate(s->kin.H + at, s->kin.Hd + at, s->kin.V + 6 * (size_t)b, Q, P);
        }
    }
}

/* accelerations at the velocities just found and the loads s->Q, s->tau; with the power of drives */
static bool accelerate(clv_system *s)
{
    if (!clv_walk_accelerate(s))
        return false;
    clv_walk_motion_power(s);
    return true;
}

/* Summed, or where a motion without inertia may be loaded: accelerations and reactions of loops first, then the
 * velocities again, at the same loads. */
static bool react(clv_system *s, const double *momenta)
{
    if (!accelerate(s))
        return false;
    clv_rows_clear(&s->rows);
    if (!find_velocities(s, momenta))
        return false;
    clv_rows_clear(&s->rows);
    if (clv_walk_loaded(s))
        clv_walk_attach(s, s->Q);
    return true;
}

typedef struct ending {
    clv_rows *w;
    double *qdot, *pdot;
} ending;

/* rates of momenta, and what a group gives to the state */
static void end_group(void *of, int group)
{
    const ending *x = of;
    x->w->kernels->momentum(x->w, group);
    if (x->w->nball > 0)
        return;
    clv_rows_group_give_coordinates(x->w, group, x->w->rates, x->qdot);
    clv_rows_group_give_rates(x->w, group, x->w->pdot, x->pdot);
}

/* all groups; where loops are carried outermost first, for strands hand their sums on */
static void end_groups(clv_rows *w, const clv_kinematics *k, ending *x)
{
    if (!w->carried) {
        clv_rows_all(w, end_group, x);
        return;
    }
    const bool joined = w->plan->nstar > 0;
    if (joined)
        clv_rows_hand_level(w, k, -1);
    for (int level = 0; level < w->nlevel; level++) {
        clv_rows_series_hand(w, level);
        clv_rows_of_level(w, level, end_group, x);
        for (int g = clv_rows_level(w, level); g < clv_rows_level(w, level + 1); g++)
            clv_rows_hand_group(w, g);
        if (joined)
            clv_rows_hand_level(w, k, level);
    }
}

static clv_momentum_axes *axes_of(const clv_system *s) { return s->private_state; }

/* Summed: the momenta along joints whose rates are found (T11), which the state's are but for what loops take up.  They
 * are looked at where directions turn with the child (T9.4, T10). */
static const double *sums(clv_system *s, const double *momenta)
{
    clv_momentum_axes *m = axes_of(s);
    if (m->count == 0 && s->rows.nball == 0)
        return momenta;
    clv_walk_sum_momenta(s, m->sum);
    return m->sum;
}

/* nothing has arrived for the sums outboard; inertias are as the factor has them */
static void clear_sums(clv_rows *w)
{
    if (w->plan->nstar > 0) {
        clv_rows_clear(w);
        return;
    }
    clv_team_copy(w->team, w->P, NULL, 6 * CLV_GROUP * (size_t)w->nattached);
    clv_rows_clear_loads(w);
}

static bool rates(clv_system *s, double t, const double *y, double *ydot)
{
    const clv_plan *p = s->plan;
    clv_rows *w = &s->rows;
    const double *momenta;
    double *pdot = ydot + p->nq;
    if (!velocities(s, t, y, &momenta))
        return false;
    clv_walk_outer_rates(s, s->u);
    const double *along = s->summed ? sums(s, momenta) : momenta;
    clear_sums(w);
    const bool first = s->summed || s->engine.loose; /* a loose motion: its momentum is small, but is it loaded? */
    bool good = clv_walk_loads(s, y, s->u) && (!first || react(s, momenta));
    if (good)
        clv_walk_impulse_loads(s);
    if (!good)
        return false;
    if (s->across)
        clv_walk_segment_loads(s);
    if (!w->carried)
        clv_rows_collect(w, &s->kin);
    end_groups(w, &s->kin, &(ending){w, ydot, pdot});
    if (w->nball > 0)
        clv_rows_give_coordinates(w, y, w->rates, ydot), clv_rows_give_momentum_rates(w, w->rates, along, pdot);
    clv_walk_outer_coordinates(s, y, s->u, ydot);
    clv_walk_base_momentum_rates(s, pdot);
    clv_flexible_momentum_rates(s, pdot);
    for (int i = 0, n = clv_walk_loaded(s) ? p->nu : 0; i < n; i++)
        pdot[i] += s->tau[i];
    if (momenta != y + p->nq) {
        clv_momentum_axes_derivatives(s);
        clv_momentum_axes_turn_rates(s, s->summed ? axes_of(s)->sum : axes_of(s)->p, pdot);
    }
    if (s->model->nmotion > 0 && !first && !accelerate(s)) /* the power of drives needs their forces */
        return false;
    ydot[p->nq + p->nu] = s->power;
    return true;
}

clv_status clv_walk_hdca(clv_system *s, double t, const double *y, double *ydot)
{
    assert(clv_walk_fits(s));
    clv_walk_begin(s);
    if (!rates(s, t, y, ydot))
        return clv_walk_failed_late(s, clv_walk_failed(s, t, y), ydot);
    s->held = s->engine.factors;
    return CLV_OK;
}

clv_status clv_walk_velocities_in_rows(clv_system *s, double t, const double *y)
{
    const double *momenta;
    assert(clv_walk_fits(s));
    clv_walk_begin(s);
    if (!velocities(s, t, y, &momenta))
        return clv_walk_failed(s, t, y);
    s->held = s->engine.factors;
    return CLV_OK;
}

clv_status clv_walk_velocities(clv_system *s, double t, const double *y)
{
    const clv_status st = clv_walk_velocities_in_rows(s, t, y);
    if (st == CLV_OK)
        clv_walk_show(s, y);
    return st;
}
