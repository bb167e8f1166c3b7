/* SPDX-License-Identifier: Apache-2.0
 * The trial state of an iteration of index3 in rows; see index3_trial.h. */
#include "formulation/index3_trial.h"
#include "formulation/walk_steps.h"
#include "kinematics/row_trials.h"

/* poses of the trial and its motions to the kinematics in model order, and the loads there */
static clv_status loads_of_trial(clv_system *s, double t)
{
    const clv_plan *p = s->plan;
    clv_row_trials *r = s->trials;
    for (int b = 0; b < p->nbody; b++)
        clv_row_trials_of(r, b, r->state + p->tree[b].iq, r->state + p->nq + p->tree[b].iu);
    clv_status st = clv_system_pose(s, t, r->state);
    if (st != CLV_OK)
        return st;
    clv_kinematics_velocities(&s->kin, r->state + p->nq);
    return clv_system_loads(s);
}

void clv_index3_trial_time(clv_system *s, double t)
{
    const bool light = clv_walk_loaded(s);
    s->kin.time = s->trials->kin.time = t;
    s->trials->kin.servo = s->kin.servo, s->trials->kin.until = s->kin.until;
    s->trials->kin.load_q = s->joint_q, s->trials->kin.load_u = s->joint_u, s->trials->kin.load_V = s->com_V;
    for (int i = 0; i < 3; i++)
        s->trials->gravity[i] = light ? 0.0 : s->model->gravity[i];
}

clv_status clv_index3_trial_place(clv_system *s, double t, double scale)
{
    clv_row_trials *r = s->trials;
    const bool with_loads = clv_walk_loaded(s);
    clv_status st = with_loads ? loads_of_trial(s, t) : CLV_OK;
    if (with_loads)
        clv_row_trial_stiffen(r, r->on_rate, r->on_place); /* tangents of friction follow the rates */
    clv_row_trials_place(r, scale);
    if (!with_loads)
        return CLV_OK;
    for (int b = 0; st == CLV_OK && b < s->plan->nbody; b++)
        clv_row_trials_load(r, b, scale, s->Q + 6 * (size_t)b);
    return st;
}

clv_status clv_index3_trial_solved(clv_system *s, bool ok)
{
    const clv_engine *from = &s->trials->engine;
    clv_engine *e = &s->engine;
    s->truncated = e->truncated = from->truncated;
    e->min_pivot = from->min_pivot, e->max_dropped = from->max_dropped, e->weakest = from->weakest;
    if (ok)
        return CLV_OK;
    const int body = from->failed_body, edge = from->failed_edge;
    const int joint = body >= 0 ? s->tree->tree[body].joint : edge >= 0 ? s->tree->edge[edge].joint : -1;
    return clv_system_singular(s, body, joint);
}
