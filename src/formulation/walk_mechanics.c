/* SPDX-License-Identifier: Apache-2.0
 * What variational rules need of a mechanism, in rows (T34, T43.13).  Stages and nodes are no solutions: their rates
 * miss the loops, and closings act there by given impulses.  So momenta are summed from the motions, not taken from a
 * solve.
 *
 *   stage   pose | scan | travel, gather | sums between strands | gather | momentum
 *   node    pose | scan | impulses of closings, gather
 *   push    respond | close or fold, unfold | down     with one factor for all stages of a step */
#include "formulation/armature.h"
#include "formulation/walk_steps.h"
#include "kinematics/row_kernels.h"

static void momentum_group(void *of, int group) { ((clv_rows *)of)->kernels->momentum(of, group); }

/* poses, motions, directions and loads at (q, u) */
static clv_status load(clv_system *s, double t, const double *q, const double *u)
{
    const clv_status st = clv_system_coordinates(s, t, q);
    if (st != CLV_OK)
        return st;
    clv_walk_begin(s);
    clv_walk_start(s, t, q, u);
    clv_walk_outer_rates(s, u);
    clv_rows_clear(&s->rows);
    return clv_walk_loads(s, q, u) ? CLV_OK : clv_walk_failed(s, t, q);
}

/* momenta of the sums in the rows, of motions with the rates u (nu), or of impulses alone: NULL */
static void give_momenta(clv_system *s, const double *u, double *p)
{
    clv_rows_give_rates(&s->rows, s->rows.pdot, p);
    clv_walk_base_momenta(s, p);
    clv_flexible_momenta(s, u != NULL, p);
    if (u)
        clv_armature_momenta(s, u, p);
}

clv_status clv_walk_stage(clv_system *s, double t, const double *q, const double *u, double *p, double *pdot)
{
    clv_rows *w = &s->rows;
    const clv_status st = load(s, t, q, u);
    if (st != CLV_OK)
        return st;
    clv_rows_loaded_momenta(w, &s->kin);
    give_momenta(s, u, p);
    clv_rows_all(w, momentum_group, w);
    clv_rows_give_momentum_rates(w, w->u, p, pdot);
    clv_walk_base_momentum_rates(s, pdot);
    clv_flexible_momentum_rates(s, pdot);
    for (int i = 0; clv_walk_loaded(s) && i < s->plan->nu; i++)
        pdot[i] += s->tau[i];
    return CLV_OK;
}

void clv_walk_node(clv_system *s, double t, const double *q, const double *sigma, double *p, double *gap)
{
    s->held = 0;
    if (p) {
        clv_walk_start(s, t, q, NULL);
        clv_rows_impulses(&s->rows, &s->kin, sigma);
        give_momenta(s, NULL, p);
    } else
        clv_walk_strands(s, t, q, NULL);
    if (gap)
        clv_kinematics_violation(&s->kin, gap);
}

clv_status clv_walk_power(clv_system *s, double t, const double *q, const double *u)
{
    const clv_status st = load(s, t, q, u);
    if (st != CLV_OK)
        return st;
    if (!clv_walk_accelerations(s, false))
        return clv_walk_failed(s, t, q);
    clv_walk_motion_power(s);
    return CLV_OK;
}

clv_status clv_walk_push(clv_system *s, const double *tau, const double *a, double *du)
{
    return clv_walk_solve_again(s, tau, a, du) ? CLV_OK : clv_system_solved(s);
}
