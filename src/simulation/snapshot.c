/* SPDX-License-Identifier: Apache-2.0
 * A start from the output state; see snapshot.h.  Joints carry the state, not poses: an angle of many turns stays one,
 * and gears stay in mesh.  The joint frames of the short form stand in the first start pose: the long form follows
 * the bodies. */
#include "model/force.h"
#include "simulation/snapshot.h"
#include "base/error.h"
#include "math/rotation.h"
#include "model/keep.h"
#include "simulation/latch.h"
#include "simulation/sim.h"
#include <math.h>
#include <string.h>

static clv_status out_of_memory(clv_sim *s)
{
    return clv_fail(&s->error, CLV_ERR_MEMORY, "out of memory for a snapshot");
}

static clv_status take_joint(clv_sim *s, clv_model *m, int joint)
{
    clv_joint *j = &m->joint[joint];
    clv_joint_result r;
    const clv_status status = clv_sim_joint(s, joint, &r);
    if (status != CLV_OK)
        return status;
    j->given = NULL;
    j->has_q = j->has_u = r.nu > 0;
    return clv_keep_start(m, j, r.q, r.u) ? CLV_OK : out_of_memory(s);
}

/* Pose and velocity of a body frame: its reference point moves with V, its origin lies at com - R com(body) (T3). */
static bool take_pose(const clv_sim *s, clv_model *m, size_t b)
{
    const clv_kinematics *k = &s->system.kin;
    clv_body *body = &m->body[b];
    double x[3], l[3], V[6];
    clv_mat3_times(x, k->R + 9 * b, body->com);
    for (int i = 0; i < 3; i++) {
        body->r[i] = k->com[3 * b + (size_t)i] - x[i];
        l[i] = body->r[i] - k->ref[3 * b + (size_t)i];
    }
    clv_motion_shift(V, l, k->V + 6 * b);
    memcpy(body->e, clv_sim_quaternion(s) + 4 * b, sizeof body->e);
    body->placed = true;
    return (body->moving = clv_keep_numbers(m, V, 6)) != NULL;
}

/* p: a plan with joints in its tree. */
static bool take_bodies(const clv_sim *s, const clv_plan *p, clv_model *m)
{
    for (int b = 0; b < m->nbody; b++) {
        m->body[b].placed = false, m->body[b].moving = NULL;
        if (p->tree[b].joint < 0 && p->tree[b].link < 0 && m->body[b].node < 0 && !take_pose(s, m, (size_t)b))
            return false;
    }
    for (int i = 0; i < m->nflex; i++) {
        const double *q, *u;
        const int n = clv_sim_modes(s, m->flex[i].body, &q, &u, NULL);
        memcpy(m->flex[i].eta, q, (size_t)n * sizeof *q);
        memcpy(m->flex[i].etad, u, (size_t)n * sizeof *u);
    }
    m->strained = false; /* modes are known */
    return true;
}

static void shift_table(clv_series *table, double time)
{
    for (int i = 0; i < table->n; i++)
        table->time[i] -= time;
}

static clv_status shift_motions(clv_sim *s, clv_model *m, double time)
{
    for (int i = 0; i < m->ninput; i++) {
        if (m->input[i].kind == CLV_INPUT_MOTION && clv_sim_input(s, i) != 0)
            return clv_fail(&s->error, CLV_ERR_UNSUPPORTED,
                            "the input '%s' has changed a motion: no motion of a model file is the sum of both",
                            m->input[i].name);
        if (clv_input_arrival(&m->input[i], clv_sim_input(s, i), s->ramp + 2 * (size_t)i) > time)
            return clv_fail(&s->error, CLV_ERR_UNSUPPORTED,
                            "the input '%s' still changes towards %g: a model file cannot start with an effort that "
                            "changes",
                            m->input[i].name, clv_sim_input(s, i));
        m->input[i].value = clv_sim_input(s, i);
    }
    for (int i = 0; i < m->nmotion; i++) {
        clv_motion *x = &m->motion[i];
        x->offset += x->rate * time;
        x->phase += x->frequency * time;
        shift_table(&x->table, time);
    }
    for (int i = 0; i < m->nforce; i++)
        shift_table(&m->force[i].table, time);
    if (m->time_end > time)
        m->time_end -= time;
    return CLV_OK;
}

clv_status clv_sim_snapshot(clv_sim *s, clv_model *m)
{
    clv_status status = s->latches ? clv_latches_refuse(s, "no snapshot can be made") : clv_sim_evaluate(s);
    for (int j = 0; j < m->njoint && status == CLV_OK; j++)
        status = take_joint(s, m, j);
    if (status != CLV_OK)
        return status;
    if (!s->plan->absolute)
        status = take_bodies(s, s->plan, m) ? CLV_OK : out_of_memory(s);
    else { /* every body floats there */
        clv_plan *tree = NULL;
        status = clv_plan_create(&tree, s->model, &(clv_plan_options){.lanes = true}, &s->error);
        if (status == CLV_OK && !take_bodies(s, tree, m))
            status = out_of_memory(s);
        clv_plan_destroy(tree);
    }
    return status != CLV_OK ? status : shift_motions(s, m, clv_sim_time(s));
}
