/* SPDX-License-Identifier: Apache-2.0
 * What momenta lose of velocities (T9.3).  The state of hdca is p = M u, rounded.  The rates u found again from it miss
 * by rounding times the condition of the mass matrix, which grows like the cube of the length of a chain.  One round
 * trip of trial rates at the start shows how much.
 *
 * The angular momentum about a base that floats changes by v x P, the velocity of the base and the momentum of all that
 * it carries.  That is nearly zero, and in numbers the rounding of v P: in orbit more than what turns a spacecraft. */
#include "formulation/walk.h"
#include "simulation/sim.h"
#include <float.h>
#include <math.h>
#include <string.h>
#include "base/error.h"
#include "math/spatial.h"

/* 1 and -1 rad/s, or sizes of the model per second, in turn, so that bodies move as fast as joints; with the loops
 * closed */
static clv_status trial_rates(clv_sim *s, double *u)
{
    double moved;
    for (int i = 0; i < s->plan->nu; i++)
        u[i] = (i % 2 ? -1.0 : 1.0) * clv_coordinate_size(s, i);
    if (!s->any_loop)
        return CLV_OK;
    const clv_status st = clv_system_place(&s->system, s->model->begin, s->q);
    if (st == CLV_OK)
        clv_project_velocity(s, u, &moved);
    return st;
}

/* what v x P turns a floating base in one second, in parts of the momentum at its typical rate */
static double crossing_error(const clv_sim *s)
{
    const clv_plan *p = s->plan;
    double mass = 0, most = 0;
    for (int b = 0; b < p->nbody; b++)
        mass += s->model->body[b].mass;
    for (int b = 0; b < p->nbody; b++) {
        const clv_tree_joint *t = &p->tree[b];
        if (t->parent >= 0 || t->f != 6)
            continue;
        const double *v = s->u + t->iu, *size = s->scale + p->nq + t->iu;
        const double least = fmin(size[3], fmin(size[4], size[5]));
        most = fmax(most, 0.5 * DBL_EPSILON * mass * clv_dot3(v, v) / least);
    }
    return most;
}

void clv_find_momentum_error(clv_sim *s)
{
    double *u = s->trial;
    clv_system *k = &s->system;
    s->report.momentum_error = s->divided ? NAN : 0; /* of a part: not known */
    if (s->divided || s->formulation->state != CLV_STATE_MOMENTA || s->plan->nu == 0)
        return;
    clv_status st = trial_rates(s, u);
    if (st == CLV_OK)
        st = s->formulation->start(k, s->model->begin, s->q, u, s->seen_y);
    if (st == CLV_OK)
        st = s->any_loop ? s->formulation->velocities(k, s->model->begin, s->seen_y)
                         : clv_walk_velocities_in_rows(k, s->model->begin, s->seen_y);
    for (int i = 0; i < s->plan->nu; i++)
        s->dq[i] = k->u[i] - u[i];
    const double most = clv_change_part(s, u), miss = clv_change_part(s, s->dq);
    s->report.momentum_error = st == CLV_OK && most > 1e-6 ? miss / most : 0; /* a structure does not move */
    s->report.momentum_error = fmax(s->report.momentum_error, crossing_error(s));
    clv_error_clear(&s->error);
}

bool clv_momenta_lose(const clv_sim *s)
{
    return s->usual && s->report.momentum_error > s->options.rtol &&
           clv_sim_takes(clv_formulation_find("dca"), s->integrator.method);
}
