/* SPDX-License-Identifier: Apache-2.0
 * The simulation as a variational integrator sees it (T34): momenta and forces of the open tree, violations and pushes
 * of the loops.
 *
 * Stages and nodes are evaluated in a system of their own, so that the factor of the mass problem stays where it was
 * taken. */
#include "simulation/sim.h"
#include <math.h>
#include <string.h>

/* velocities and loads of the stage system at its poses */
static clv_status move_stage(clv_sim *s, const double *u)
{
    clv_kinematics_velocities(&s->stage.kin, u);
    clv_kinematics_rates(&s->stage.kin);
    return clv_system_loads(&s->stage);
}

static clv_status stage(void *owner, double t, const double *q, const double *u, double *p, double *force,
                        double *power)
{
    clv_sim *s = owner;
    clv_status st = clv_system_pose(&s->stage, t, q);
    if (st == CLV_OK)
        st = move_stage(s, u);
    if (st == CLV_OK)
        clv_hdca_momenta(&s->stage, p, force);
    *power = s->stage.power;
    return st;
}

static clv_status node(void *owner, double t, const double *q, const double *sigma, double *p, double *gap)
{
    clv_sim *s = owner;
    const clv_plan *plan = s->plan;
    clv_status st = CLV_OK;
    if (p) {
        memcpy(s->stage_y, q, (size_t)plan->nq * sizeof(double));
        memset(s->stage_y + plan->nq, 0, (size_t)plan->nu * sizeof(double));
        memcpy(s->stage_sigma, sigma, (size_t)plan->nclosing_row * sizeof(double));
        st = s->formulation->momenta->regauge(&s->stage, t, s->stage_y, s->stage_sigma);
        memcpy(p, s->stage_y + plan->nq, (size_t)plan->nu * sizeof(double));
    } else
        clv_kinematics_poses(&s->stage.kin, t, q);
    if (gap)
        clv_kinematics_violation(&s->stage.kin, gap);
    return st;
}

static clv_status factor(void *owner, double t, const double *q)
{
    clv_sim *s = owner;
    s->seen_t = NAN;
    clv_status st = clv_system_place(&s->system, t, q);
    if (st == CLV_OK && s->system.truncated > s->base_nullity)
        s->report.truncated_evaluations++;
    return st;
}

static clv_status solve(void *owner, const double *tau, const double *a, double *du, double *sigma)
{
    clv_sim *s = owner;
    clv_system *k = &s->system;
    memset(k->b, 0, 6 * (size_t)s->plan->nbody * sizeof(double));
    clv_engine_solve(&k->engine, k->x, du, k->b, tau, NULL, a);
    memcpy(sigma, k->engine.sigma, (size_t)s->plan->nclosing_row * sizeof(double));
    return clv_system_solved(k);
}

static clv_status power(void *owner, double t, const double *q, const double *u, double *power)
{
    clv_sim *s = owner;
    clv_system *k = &s->stage;
    k->engine.rank = s->system.engine.rank;
    clv_status st = clv_system_place(k, t, q);
    if (st == CLV_OK)
        st = move_stage(s, u);
    if (st == CLV_OK) {
        clv_system_accelerate(k);
        clv_system_reactions(k);
        clv_system_motion_power(k);
    }
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
