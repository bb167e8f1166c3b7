/* SPDX-License-Identifier: Apache-2.0
 * Controls: functions of one joint or one body, bound to a simulation of any finished model (T8).  Binding is a change
 * of the right-hand side; a control that is a function of time and state needs no landing afterwards. */
#include "base/error.h"
#include "model/joint.h"
#include "simulation/sim.h"
#include <string.h>

static void layout_controls(clv_sim *s, clv_arena *a)
{
    CLV_TAKE(a, s->controls.joint, s->model->njoint), CLV_TAKE(a, s->controls.body, s->model->nbody);
}

/* memory of controls and of what they look at, with the first one */
static clv_status open_controls(clv_sim *s)
{
    const bool stages = s->integrator.method->asks == CLV_ASK_MECHANICS;
    if (!clv_system_open_joint_loads(&s->system) || (stages && !clv_system_open_joint_loads(&s->stage)))
        return clv_fail(&s->error, CLV_ERR_MEMORY, "no memory for a control");
    if (s->controls.joint)
        return CLV_OK;
    clv_arena a = {0};
    layout_controls(s, &a);
    if (!clv_arena_open(&a)) {
        s->controls.joint = NULL, s->controls.body = NULL;
        return clv_fail(&s->error, CLV_ERR_MEMORY, "no memory for a control");
    }
    layout_controls(s, &a);
    s->control_block = a;
    return CLV_OK;
}

static clv_status bind_joint(clv_sim *s, int joint, clv_joint_control_fn call, void *user)
{
    const clv_model *m = s->model;
    if (joint < 0 || joint >= m->njoint)
        return clv_fail(&s->error, CLV_ERR_USAGE, "there is no joint number %d to control; the model has %d", joint,
                        m->njoint);
    if (clv_joint_table[m->joint[joint].kind].nu == 0) {
        clv_fail(&s->error, CLV_ERR_USAGE, "joint '%s' (%s) has no degree of freedom to control", m->joint[joint].name,
                 clv_joint_table[m->joint[joint].kind].name);
        clv_error_text(s->error.joint, sizeof s->error.joint, m->joint[joint].name);
        return s->error.code;
    }
    if (clv_model_comes_and_goes(m, joint)) {
        clv_fail(&s->error, CLV_ERR_UNSUPPORTED,
                 "joint '%s' is added or removed by an event of the model: it cannot be controlled",
                 m->joint[joint].name);
        clv_error_hint(&s->error, "control its bodies");
        return s->error.code;
    }
    clv_status st = open_controls(s);
    if (st == CLV_OK)
        st = clv_sim_announce(s, false);
    if (st != CLV_OK)
        return st;
    clv_joint_control *c = &s->controls.joint[joint];
    memset(s->system.tau, 0, (size_t)s->plan->nu * sizeof(double)); /* loads that are gone leave nothing there */
    s->controls.njoint += (call != NULL) - (c->call != NULL);
    *c = (clv_joint_control){call, call ? user : NULL};
    return CLV_OK;
}

/* both systems hold the body, or neither does */
static bool hold(clv_sim *s, int body, bool held)
{
    s->stage.posed = -1;
    if (!clv_rows_hold(&s->system.rows, body, held))
        return false;
    if (s->integrator.method->asks != CLV_ASK_MECHANICS || clv_rows_hold(&s->stage.rows, body, held))
        return true;
    (void)clv_rows_hold(&s->system.rows, body, !held); /* there is room for what was held before */
    return false;
}

static clv_status bind_body(clv_sim *s, int body, clv_body_control_fn call, void *user)
{
    if (body < 0 || body >= s->model->nbody)
        return clv_fail(&s->error, CLV_ERR_USAGE, "there is no body number %d to control; the model has %d", body,
                        s->model->nbody);
    clv_status st = open_controls(s);
    if (st == CLV_OK)
        st = clv_sim_announce(s, false);
    if (st != CLV_OK)
        return st;
    clv_body_control *c = &s->controls.body[body];
    s->system.posed = -1; /* the border changes: which bodies others have moved is no longer known */
    if ((call != NULL) != (c->call != NULL) && !hold(s, body, call != NULL))
        return clv_fail(&s->error, CLV_ERR_MEMORY, "no memory for a control of body '%s'", s->model->body[body].name);
    memset(s->system.tau, 0, (size_t)s->plan->nu * sizeof(double));
    s->controls.nbody += (call != NULL) - (c->call != NULL);
    *c = (clv_body_control){call, call ? user : NULL};
    return CLV_OK;
}

clv_status clv_sim_set_joint_control(clv_sim *s, int joint, clv_joint_control_fn call, void *user)
{
    clv_status st = clv_sim_enter(s, __func__);
    return st == CLV_OK ? clv_sim_leave(s, bind_joint(s, joint, call, user)) : st;
}

clv_status clv_sim_set_body_control(clv_sim *s, int body, clv_body_control_fn call, void *user)
{
    clv_status st = clv_sim_enter(s, __func__);
    return st == CLV_OK ? clv_sim_leave(s, bind_body(s, body, call, user)) : st;
}
