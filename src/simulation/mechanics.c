/* SPDX-License-Identifier: Apache-2.0
 * The simulation as a variational integrator sees it (T34): momenta and forces of the open tree, violations and pushes
 * of the loops.
 *
 * Stages and nodes are evaluated in a system of their own, so that the factor of the mass problem stays where it was
 * taken. */
#include "formulation/walk.h"
#include "simulation/sim.h"
#include <math.h>
#include <string.h>

static clv_status stage(void *owner, double t, const double *q, const double *u, double *p, double *force,
                        double *power)
{
    clv_sim *s = owner;
    const clv_status st = clv_walk_stage(&s->stage, t, q, u, p, force);
    *power = s->stage.power;
    return st;
}

static clv_status node(void *owner, double t, const double *q, const double *sigma, double *p, double *gap)
{
    clv_walk_node(&((clv_sim *)owner)->stage, t, q, sigma, p, gap);
    return CLV_OK;
}

static clv_status factor(void *owner, double t, const double *q)
{
    clv_sim *s = owner;
    s->seen_t = NAN;
    clv_status st = clv_system_coordinates(&s->system, t, q);
    if (st == CLV_OK)
        st = clv_walk_factor_at(&s->system, t, q);
    if (st == CLV_OK && s->system.truncated > s->base_nullity)
        s->report.truncated_evaluations++;
    return st;
}

static clv_status solve(void *owner, const double *tau, const double *a, double *du, double *sigma)
{
    clv_sim *s = owner;
    const clv_status st = clv_walk_push(&s->system, tau, a, du);
    memcpy(sigma, s->system.engine.sigma, (size_t)s->plan->nclosing_row * sizeof(double));
    return st;
}

static clv_status power(void *owner, double t, const double *q, const double *u, double *power)
{
    clv_sim *s = owner;
    clv_system *k = &s->stage;
    k->engine.rank = s->system.engine.rank;
    const clv_status st = clv_walk_power(k, t, q, u);
    *power = k->power;
    return st;
}

static void find_coordinates(clv_sim *s)
{
    const clv_plan *p = s->plan;
    for (int b = 0; b < p->nbody; b++) {
        const clv_tree_joint *t = &p->tree[b];
        for (int i = 0; t->iu >= 0 && i < t->nu; i++) {
            const bool turned = t->nq > t->nu && i >= t->nu - 3;
            s->coordinate[t->iu + i] = turned ? -1 - (t->iq + t->nq - 4) : t->iq + i;
        }
    }
    for (int k = 0; k < p->nstar; k++)
        for (int m = 0; m < p->star[k].nmode; m++)
            s->coordinate[p->star[k].iu + m] = p->star[k].iq + m;
}

clv_mechanics clv_sim_mechanics(clv_sim *s)
{
    find_coordinates(s);
    return (clv_mechanics){.owner = s,
                           .nq = s->plan->nq,
                           .nu = s->plan->nu,
                           .rows = s->plan->nclosing_row,
                           .coordinate = s->coordinate,
                           .driven = s->model->nmotion > 0,
                           .stage = stage,
                           .node = node,
                           .factor = factor,
                           .solve = solve,
                           .power = power};
}
