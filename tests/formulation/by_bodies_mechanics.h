/* SPDX-License-Identifier: Apache-2.0
 * What variational rules ask for (T34), body by body with the engine's verbs, and a comparison of the rows with it.
 * Stages at any coordinates and rates: these miss the loops. */
#ifndef CLV_TESTS_BY_BODIES_MECHANICS_H
#define CLV_TESTS_BY_BODIES_MECHANICS_H
#include <stdlib.h>
#include "formulation/by_bodies.h"
#include "formulation/walk.h"

static clv_status by_bodies_stage(clv_system *s, double t, const double *q, const double *u, double *p, double *pdot)
{
    clv_status st = clv_system_pose(s, t, q);
    clv_kinematics_velocities(&s->kin, u);
    clv_kinematics_rates(&s->kin);
    if (st == CLV_OK)
        st = clv_system_loads(s);
    clv_hdca_momenta(s, p, pdot);
    return st;
}

static void by_bodies_node(clv_system *s, double t, const double *q, const double *sigma, double *p, double *gap)
{
    clv_kinematics_poses(&s->kin, t, q);
    clv_kinematics_fill(&s->kin);
    memset(s->W, 0, 6 * (size_t)s->plan->nbody * sizeof(double));
    clv_engine_closing_wrenches(&s->engine, s->W, sigma, 1.0);
    clv_engine_accumulate(&s->engine, s->W);
    clv_momenta_along_joints(s, s->W, p);
    clv_kinematics_violation(&s->kin, gap);
}

static clv_status by_bodies_push(clv_system *s, const double *tau, const double *a, double *du)
{
    memset(s->b, 0, 6 * (size_t)s->plan->nbody * sizeof(double));
    clv_engine_solve(&s->engine, s->x, du, s->b, tau, NULL, a);
    return clv_system_solved(s);
}

static clv_status by_bodies_power(clv_system *s, double t, const double *q, const double *u)
{
    clv_status st = clv_system_place(s, t, q);
    clv_kinematics_velocities(&s->kin, u);
    clv_kinematics_rates(&s->kin);
    if (st == CLV_OK)
        st = clv_system_loads(s);
    if (st != CLV_OK)
        return st;
    clv_system_accelerate(s), clv_system_reactions(s), clv_system_motion_power(s);
    return CLV_OK;
}

/* by rows, or body by body; numbers one after the other: p, pdot (nu), power; p of impulses (nu), gap (rows); du (nu),
 * sigma (rows); power with motions.  sizes: of these runs. */
typedef struct mechanics_question {
    const double *q, *u;    /* a stage                                       */
    const double *at;       /* place of the factor, and of the power         */
    const double *tau, *a;  /* right-hand sides of the correction            */
    const double *sigma;    /* (nsigma) impulses                             */
} mechanics_question;
enum { MECHANICS_RUNS = 8 };

static int mechanics_numbers(const clv_system *s, int sizes[MECHANICS_RUNS])
{
    const int nu = s->plan->nu, rows = s->plan->nclosing_row;
    const int size[MECHANICS_RUNS] = {nu, nu, 1, nu, rows, nu, rows, 1};
    int n = 0;
    for (int i = 0; i < MECHANICS_RUNS; i++)
        n += sizes[i] = size[i];
    return n;
}

static clv_status mechanics_answer(clv_system *s, bool lanes, const mechanics_question *x, double *v)
{
    const int nu = s->plan->nu, rows = s->plan->nclosing_row;
    clv_status st = (lanes ? clv_walk_stage : by_bodies_stage)(s, 0, x->q, x->u, v, v + nu);
    v[2 * nu] = s->power, v += 2 * nu + 1;
    (lanes ? clv_walk_node : by_bodies_node)(s, 0, x->q, x->sigma, v, v + nu), v += nu + rows;
    if (st == CLV_OK)
        st = (lanes ? clv_walk_factor_at : clv_system_place)(s, 0, x->at);
    if (st == CLV_OK)
        st = (lanes ? clv_walk_push : by_bodies_push)(s, x->tau, x->a, v);
    if (rows > 0)
        memcpy(v + nu, s->engine.sigma, (size_t)rows * sizeof(double));
    if (st == CLV_OK)
        st = (lanes ? clv_walk_power : by_bodies_power)(s, 0, x->at, x->u);
    v[nu + rows] = s->power;
    return st;
}

#endif
