/* SPDX-License-Identifier: Apache-2.0
 * Controls as loads (T8): user functions of one joint or one body, bound to a simulation.  Their power is known. */
#include "model/force.h"
#include "model/joint.h"
#include <math.h>

/* true: the call failed, or one of n numbers is not finite */
static bool bad(clv_load_frame *at, int answer, const double *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += 0 * x[i]; /* NaN for infinities too */
    at->answer = answer;
    return answer != 0 || !(sum == 0);
}

static void control_joint(clv_load_frame *at, int j)
{
    const clv_joint_control *c = &at->controls->joint[j];
    const double *u = at->u + 6 * (size_t)j;
    const int nu = clv_joint_table[at->model->joint[j].kind].nu;
    double effort[6] = {0};
    if (bad(at, c->call(c->user, at->time, at->q + 7 * (size_t)j, u, effort), effort, nu)) {
        at->failed_joint = j;
        return;
    }
    for (int i = 0; i < nu; i++) {
        at->tau[6 * (size_t)j + (size_t)i] += effort[i];
        at->power += effort[i] * u[i];
    }
}

static void control_body(clv_load_frame *at, int b)
{
    const clv_body_control *c = &at->controls->body[b];
    const double *V = at->V + 6 * (size_t)b;
    double wrench[6] = {0};
    clv_body_view view = {at->time, at->r + 3 * (size_t)b, at->R + 9 * (size_t)b, V, wrench};
    if (bad(at, c->call(c->user, &view), wrench, 6)) {
        at->failed_body = b;
        return;
    }
    for (size_t i = 0; i < 6; i++) {
        at->wrench[6 * (size_t)b + i] += wrench[i];
        at->power += wrench[i] * V[i];
    }
}

static bool going_on(const clv_load_frame *at) { return at->failed_joint < 0 && at->failed_body < 0; }

void clv_controls_apply(clv_load_frame *at)
{
    const clv_controls *c = at->controls;
    if (!c || at->failed >= 0)
        return;
    for (int j = 0; c->njoint > 0 && j < at->model->njoint && going_on(at); j++)
        if (c->joint[j].call)
            control_joint(at, j);
    for (int b = 0; c->nbody > 0 && b < at->model->nbody && going_on(at); b++)
        if (c->body[b].call)
            control_body(at, b);
}
