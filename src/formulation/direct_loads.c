/* SPDX-License-Identifier: Apache-2.0
 * Loads along joint coordinates, straight from the state to the rates; see direct_loads.h. */
#include "formulation/direct_loads.h"
#include <string.h>

/* Every force and input acts along a coordinate of a free joint of the tree. */
static bool all_direct(const clv_plan *p)
{
    const clv_model *m = p->model;
    bool all = true;
    for (int i = 0; i < m->nforce + m->ninput && all; i++) {
        const clv_input *x = i < m->nforce ? NULL : &m->input[i - m->nforce];
        const int joint = x ? x->joint : m->force[i].joint, body = joint < 0 ? -1 : p->child_of_joint[joint];
        all = (x ? x->kind == CLV_INPUT_JOINT : m->force[i].kind == CLV_FORCE_JOINT) && body >= 0 &&
              p->tree[body].motion < 0 && !p->tree[body].reversed;
    }
    return all;
}

static clv_direct_load load_of(const clv_plan *p, int index, const clv_input *x)
{
    const clv_force *f = &p->model->force[x ? 0 : index];
    const clv_tree_joint *t = &p->tree[p->child_of_joint[x ? x->joint : f->joint]];
    const int c = x ? x->coordinate : f->coordinate;
    return (clv_direct_load){.index = index, .iq = t->iq + c, .iu = t->iu + c, .q = 7 * t->joint + c,
                             .u = 6 * t->joint + c, .input = x != NULL,
                             .plain = x && !(x->rate_limit > 0) && !(x->stall_effort > 0)};
}

void clv_direct_loads_layout(clv_system *s, clv_arena *a)
{
    const clv_plan *p = s->plan;
    const clv_model *m = p->model;
    s->ndirect = all_direct(p) ? m->nforce + m->ninput : 0;
    CLV_TAKE(a, s->direct, s->ndirect);
    for (int i = 0; s->direct && i < s->ndirect; i++)
        s->direct[i] = i < m->nforce ? load_of(p, i, NULL) : load_of(p, i - m->nforce, &m->input[i - m->nforce]);
}

bool clv_direct_loads_apply(const clv_system *s)
{
    const bool controlled = s->controls && s->controls->njoint + s->controls->nbody > 0;
    return s->ndirect > 0 && s->lean && !controlled && s->npress == 0 && s->plan->nstar == 0;
}

bool clv_direct_loads(clv_system *s, const double *y, const double *u)
{
    clv_load_frame *at = &s->loads;
    clv_system_load_frame(s);
    memset(s->tau, 0, (size_t)s->plan->nu * sizeof(double));
    for (int i = 0; i < s->ndirect; i++) {
        const clv_direct_load *x = &s->direct[i];
        const double rate = u[x->iu];
        if (!x->plain)
            s->joint_q[x->q] = y[x->iq], s->joint_u[x->u] = rate;
        if (!x->input) {
            double rest;
            const double spring = clv_force_effort(&s->model->force[x->index], x->index, at, y[x->iq], rate, &rest);
            s->tau[x->iu] += spring + rest;
            at->power += rest * rate;
            clv_load_check(at, x->index, (spring + rest) * rate);
            continue;
        }
        double on_value, on_rate;
        const double value = x->plain && at->input ? at->input[x->index]
                                                   : clv_input_effort(at, x->index, rate, &on_value, &on_rate);
        if (value != 0)
            s->tau[x->iu] += value, at->power += value * rate;
    }
    for (int b = 0; b < s->plan->nbody; b++) /* on bodies act drives of closing joints alone */
        if (s->rows.mark[b] & CLV_ROWS_LOADED)
            memset(s->wrench + 6 * (size_t)b, 0, 6 * sizeof(double));
    s->power = at->power;
    return at->failed < 0;
}
