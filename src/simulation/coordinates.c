/* SPDX-License-Identifier: Apache-2.0
 * Coordinates and rates of all joints at the output state (clv_sim_coordinates). */
#include <math.h>
#include <string.h>
#include "kinematics/loose.h"
#include "simulation/sim.h"

/* The kinematics at the output state: they are there after an evaluation. */
static clv_status place_output(clv_sim *s)
{
    const clv_formulation *f = s->formulation;
    if (s->evaluated)
        return CLV_OK;
    s->seen_t = NAN;
    return f->velocities ? f->velocities(&s->system, s->out_time, s->out_y)
                         : f->rates(&s->system, s->out_time, s->out_y, s->ydot);
}

void clv_joint_state(const clv_sim *s, int joint, double *q, double *u)
{
    const clv_kinematics *k = &s->system.kin;
    const int child = s->plan->child_of_joint[joint], edge = s->plan->edge_of_joint[joint];
    memset(q, 0, 7 * sizeof *q), memset(u, 0, 6 * sizeof *u);
    if (child >= 0) {
        memcpy(q, clv_kinematics_q(k, (size_t)child), (size_t)s->plan->tree[child].nq * sizeof *q);
        memcpy(u, clv_kinematics_u(k, (size_t)child), (size_t)s->plan->tree[child].nu * sizeof *u);
    } else if (edge >= 0)
        clv_kinematics_closing_state(k, edge, q, u);
    else if (!s->model->joint[joint].absent)
        clv_kinematics_loose_state(k, joint, q, u);
}

clv_status clv_find_coordinates(clv_sim *s, double *q, double *u)
{
    clv_status st = place_output(s);
    double qj[7], uj[6];
    for (size_t j = 0; st == CLV_OK && j < (size_t)s->model->njoint; j++) {
        clv_joint_state(s, (int)j, qj, uj);
        if (q)
            memcpy(q + 7 * j, qj, sizeof qj);
        if (u)
            memcpy(u + 6 * j, uj, sizeof uj);
    }
    return st;
}

/* Joints that are not there have none. */
static clv_status coordinates(clv_sim *s, double *q, double *u)
{
    const clv_status st = clv_find_coordinates(s, q, u);
    for (size_t j = 0; s->latches && j < (size_t)s->model->njoint; j++)
        for (size_t i = 0; s->model->joint[j].absent && i < 7; i++) {
            if (q)
                q[7 * j + i] = NAN;
            if (u && i < 6)
                u[6 * j + i] = NAN;
        }
    return st;
}

clv_status clv_sim_coordinates(clv_sim *s, double *q, double *u)
{
    clv_status st = clv_sim_enter(s, __func__);
    return st == CLV_OK ? clv_sim_leave(s, coordinates(s, q, u)) : st;
}
