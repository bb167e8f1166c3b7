/* SPDX-License-Identifier: Apache-2.0
 * Loads in model order (T8): what forces, inputs and controls look at, and what they give. */
#include "formulation/system.h"
#include "kinematics/place.h"
#include <string.h>
#include "base/error.h"
#include "math/rotation.h"
#include "math/spatial.h"
#include "model/contact.h"

/* q and u of every joint a load may look at */
static void joint_states(clv_system *s)
{
    const clv_plan *p = s->plan;
    for (int b = 0; b < p->nbody; b++) {
        const clv_tree_joint *t = &p->tree[b];
        if (t->joint < 0)
            continue;
        memcpy(s->joint_q + 7 * (size_t)t->joint, clv_kinematics_q(&s->kin, (size_t)b), (size_t)t->nq * sizeof(double));
        memcpy(s->joint_u + 6 * (size_t)t->joint, clv_kinematics_u(&s->kin, (size_t)b), (size_t)t->nu * sizeof(double));
    }
    clv_system_closing_states(s);
}

void clv_system_closing_states(clv_system *s)
{
    const clv_plan *p = s->plan;
    const clv_model *m = s->model;
    for (int e = 0; e < p->nedge; e++)
        if (clv_edge_closes(&p->edge[e]) && p->edge[e].joint >= 0 &&
            clv_joint_table[m->joint[p->edge[e].joint].kind].nu > 0)
            clv_kinematics_closing_state(&s->kin, e, s->joint_q + 7 * (size_t)p->edge[e].joint,
                                         s->joint_u + 6 * (size_t)p->edge[e].joint);
}

static bool driven(const clv_system *s, int joint)
{
    bool some = false;
    for (int c = 0; c < clv_joint_table[s->model->joint[joint].kind].nu; c++)
        some |= s->joint_tau[6 * (size_t)joint + (size_t)c] != 0;
    return some;
}

/* drive of a closing joint: the pair +-G tau at b's point */
static void closing_drive(clv_system *s, int e)
{
    const clv_joint *j = &s->model->joint[s->plan->edge[e].joint];
    const double *tau = s->joint_tau + 6 * (size_t)s->plan->edge[e].joint;
    double G[36], w[6] = {0}, S[6], l[3];
    int nu = clv_joint_table[j->kind].nu;
    clv_joint_dual(j, s->kin.cut_H + 36 * (size_t)e, G);
    for (int c = 0; c < nu; c++)
        for (int i = 0; i < 6; i++)
            w[i] += G[6 * c + i] * tau[c];
    for (int side = 0; side < 2; side++) {
        int body = side ? j->a : j->b, from = j->b >= 0 ? j->b : j->a;
        if (body < 0)
            continue;
        const double *Ob = s->kin.closing[e].d; /* O_b = O_a + d */
        double O[3], x[3];
        const double *pt = from == j->b ? j->pb : j->pa;
        clv_sub3(x, pt, s->model->body[from].com);
        clv_mat3_times(O, s->kin.R + 9 * (size_t)from, x);
        clv_axpy3(O, 1.0, s->kin.com + 3 * (size_t)from);
        if (from == j->a)
            clv_axpy3(O, 1.0, Ob);
        clv_sub3(l, O, s->kin.ref + 3 * (size_t)body);
        clv_wrench_shift(S, l, w);
        for (int i = 0; i < 6; i++)
            s->Q[6 * (size_t)body + (size_t)i] += side ? -S[i] : S[i];
    }
}

void clv_system_closing_drives(clv_system *s)
{
    for (int e = 0; e < s->plan->nedge; e++)
        if (s->plan->edge[e].tree_body < 0 && s->plan->edge[e].joint >= 0 && driven(s, s->plan->edge[e].joint))
            closing_drive(s, e);
}

bool clv_system_joint_loads(const clv_system *s)
{
    return s->model->nforce > 0 || s->model->ninput > 0 || (s->controls && s->controls->njoint > 0);
}

clv_status clv_system_loads_failed(clv_system *s)
{
    const clv_load_frame *at = &s->loads;
    const clv_model *m = s->model;
    if (at->failed < 0 && at->failed_joint < 0 && at->failed_body < 0)
        return CLV_OK;
    const int body = at->failed >= 0 ? m->force[at->failed].b : at->failed_body;
    const char *what = at->failed >= 0         ? "force"
                       : at->failed_joint >= 0 ? "the control of joint"
                                               : "the control of body";
    const char *name = at->failed >= 0         ? m->force[at->failed].name
                       : at->failed_joint >= 0 ? m->joint[at->failed_joint].name
                                               : m->body[at->failed_body].name;
    if (at->crowded)
        return clv_contact_crowded(s->error, &m->force[at->failed], s->kin.time);
    if (at->answer != 0)
        clv_fail(s->error, CLV_ERR_NOT_FINITE, "%s '%s' stopped the run at t = %.9g s: it returned %d",
                 at->failed >= 0 ? "the function of force" : what, name, s->kin.time, at->answer);
    else
        clv_fail(s->error, CLV_ERR_NOT_FINITE, "%s '%s' is not finite at t = %.9g s", what, name, s->kin.time);
    /* the group too: a force may have the name of a joint */
    clv_error_locate(s->error, at->failed >= 0 ? "forces" : at->failed_joint >= 0 ? "joints" : "bodies", name, NULL);
    if (body >= 0)
        clv_error_text(s->error->body, sizeof s->error->body, m->body[body].name);
    s->error->time = s->kin.time;
    return s->error->code;
}

void clv_system_observe(clv_system *s)
{
    size_t n = (size_t)s->plan->nbody;
    for (size_t b = 0; b < n; b++) {
        double l[3];
        clv_sub3(l, s->kin.com + 3 * b, s->kin.ref + 3 * b);
        clv_motion_shift(s->com_V + 6 * b, l, s->kin.V + 6 * b);
    }
    if (clv_system_joint_loads(s))
        joint_states(s);
    clv_system_load_frame(s);
}

void clv_system_load_frame(clv_system *s)
{
    s->loads = (clv_load_frame){.time = s->kin.time,
                                .model = s->model,
                                .r = s->kin.com,
                                .R = s->kin.R,
                                .V = s->com_V,
                                .q = s->joint_q,
                                .u = s->joint_u,
                                .input = s->input,
                                .ramp = s->ramp,
                                .controls = s->controls,
                                .bearing = s->bearing,
                                .dry = s->dry,
                                .press = s->press,
                                .npress = s->npress,
                                .sweep = s->sweep,
                                .wrench = s->wrench,
                                .tau = s->joint_tau,
                                .failed = -1,
                                .failed_joint = -1,
                                .failed_body = -1};
}

clv_status clv_system_loads(clv_system *s)
{
    const clv_plan *p = s->plan;
    size_t n = (size_t)p->nbody;
    clv_system_observe(s);
    clv_loads(&s->loads);
    s->power = s->loads.power, s->opaque = s->loads.opaque;
    const clv_status st = clv_system_loads_failed(s);
    if (st != CLV_OK)
        return st;
    for (size_t b = 0; b < n; b++) {
        double l[3];
        clv_sub3(l, s->kin.com + 3 * b, s->kin.ref + 3 * b);
        clv_wrench_shift(s->Q + 6 * b, l, s->wrench + 6 * b);
    }
    for (size_t b = 0; b < n; b++) {
        const clv_tree_joint *t = &p->tree[b];
        for (int c = 0; c < t->f; c++)
            s->tau[t->iu + c] = t->joint >= 0 && s->joint_tau ? s->joint_tau[6 * (size_t)t->joint + (size_t)c] : 0.0;
    }
    if (clv_system_joint_loads(s))
        clv_system_closing_drives(s);
    clv_flexible_loads(s);
    return CLV_OK;
}
