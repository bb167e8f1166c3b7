/* SPDX-License-Identifier: Apache-2.0
 * What differs where a mechanism is divided (T80); see divided.h. */
#include "simulation/divided.h"
#include <math.h>
#include <string.h>
#include "base/error.h"
#include "formulation/armature.h"
#include "formulation/walk.h"
#include "math/rotation.h"
#include "simulation/sim.h"

static clv_status refuse(clv_sim *s, clv_status st, const char *what, const char *name, const char *hint)
{
    clv_fail(&s->error, st, "a mechanism on several ranks cannot have %s%s%s%s", what, *name ? " '" : "", name,
             *name ? "'" : "");
    clv_error_hint(&s->error, "%s", hint);
    return s->error.code;
}

clv_status clv_divided_check_options(clv_sim *s)
{
    const clv_formulation *f = s->formulation;
    const clv_method *m = s->integrator.method;
    if (strcmp(f->name, "hdca") != 0 && strcmp(f->name, "dca") != 0)
        return refuse(s, CLV_ERR_USAGE, "formulation", f->name, "take hdca or dca");
    if (m->asks != CLV_ASK_RATES || m->multistep || m->sealed)
        return refuse(s, CLV_ERR_USAGE, "integrator", m->name, "take dopri5, bs23, dop853 or rk4");
    if (s->options.threads == 0)
        s->options.threads = 1;
    return CLV_OK;
}

clv_status clv_divided_all_failed(clv_sim *s)
{
    return s->divided->leads ? s->error.code : clv_fail(&s->error, s->error.code, CLV_DIVIDED_ELSEWHERE);
}

clv_status clv_divided_agree(clv_sim *s, clv_status st)
{
    if (s->divided->agree(s->divided->across.owner, st == CLV_OK))
        return CLV_OK;
    return st != CLV_OK ? st : clv_fail(&s->error, CLV_ERR_SINGULAR, CLV_DIVIDED_ELSEWHERE);
}

/* joints of which only the coordinate of the tree would know whole turns */
static const char *loaded_closing(const clv_sim *s)
{
    const clv_plan *p = s->plan;
    for (int j = 0; j < s->model->njoint; j++) {
        bool loaded = false;
        for (int i = 0; p->closing[j] && i < s->model->nforce; i++)
            loaded = loaded || clv_force_acts_in(&s->model->force[i], j);
        for (int i = 0; p->closing[j] && i < s->model->ninput; i++)
            loaded = loaded || (s->model->input[i].kind == CLV_INPUT_JOINT && s->model->input[i].joint == j);
        if (loaded)
            return s->model->joint[j].name;
    }
    return NULL;
}

/* Loops inside segments and between them (T160) are carried by the trees of these. */
static clv_status check_loops(clv_sim *s)
{
    const clv_plan *p = s->plan;
    if (!p->ported)
        return p->nclosing == 0 ? CLV_OK : refuse(s, CLV_ERR_UNSUPPORTED, "closed loops or couplings", "",
                                                  "run it without mpirun");
    if (s->formulation->state == CLV_STATE_MOMENTA) {
        refuse(s, CLV_ERR_UNSUPPORTED, "loops with hdca, except one from ground to ground", "",
               "take formulation dca");
        return clv_divided_all_failed(s);
    }
    if (!p->carried)
        return refuse(s, CLV_ERR_UNSUPPORTED, "a segment with loops of so many rows", "", "run it without mpirun");
    const char *name = loaded_closing(s);
    return name ? refuse(s, CLV_ERR_UNSUPPORTED, "a load or an input in a joint that must close a loop,", name,
                         "set 'cut: true' on another joint of the loop")
                : CLV_OK;
}

clv_status clv_divided_begin(clv_sim *s)
{
    const clv_plan *p = s->plan;
    const clv_status st = check_loops(s);
    if (st != CLV_OK)
        return st;
    for (int b = 0; b < p->nbody; b++)
        if (s->system.engine.light[b])
            return refuse(s, CLV_ERR_UNSUPPORTED, "a body that lacks inertia,", s->model->body[b].name,
                          "give it a mass and an inertia");
    if (s->model->nmotion > 0 && s->formulation->state == CLV_STATE_MOMENTA)
        return refuse(s, CLV_ERR_UNSUPPORTED, "motions with hdca", "", "take formulation dca");
    s->system.across = &s->divided->across;
    for (int b = 0; b < p->nbody; b++)
        s->system.segment_mass[p->segment_of[b]] += s->model->body[b].mass;
    if (s->divided->closing) {
        const clv_joint *j = s->divided->closing;
        s->close = (clv_segment_close){.joint = j, .body = p->segment[p->nsegment - 1].handle, .turned = j->b < 0};
        s->system.close = &s->close;
    }
    s->settled = 2; /* no evaluation is one after `settle` */
    return CLV_OK;
}

double clv_divided_break(const clv_divided *d, double after, clv_break *kind)
{
    const double from = after + CLV_BREAK_MERGE * fabs(after);
    for (int i = 0; i < d->nbreak; i++)
        if (d->breaks[i].time > from) {
            *kind = d->breaks[i].kind;
            return d->breaks[i].time;
        }
    *kind = CLV_BREAK_NONE;
    return INFINITY;
}

void clv_divided_energies(clv_sim *s, clv_energies *e)
{
    const clv_plan *p = s->plan;
    const clv_kinematics *k = &s->system.kin;
    const clv_across *a = &s->divided->across;
    double *each = s->system.segment_sum, sum[2], none[CLV_ACROSS_MOST] = {0};
    memset(each, 0, 2 * (size_t)p->nsegment * sizeof *each);
    for (int i = 0; i < p->nbody; i++) {
        const size_t b = (size_t)p->order[i];
        double room[21], P[6], *to = each + 2 * p->segment_of[b];
        clv_inertia_times(P, clv_kinematics_inertia(k, b, room), k->V + 6 * b);
        to[0] += 0.5 * clv_dot6(P, k->V + 6 * b);
        to[1] -= s->model->body[b].mass * clv_dot3(s->model->gravity, k->com + 3 * b);
    }
    clv_armature_segments(&s->system, s->u, 2, each);
    if (s->model->nforce > 0)
        each[1] += clv_potential_given(&s->system.loads);
    a->add(a->owner, 2, each, sum, none);
    *e = (clv_energies){sum[0], sum[1], 0};
}

void clv_sim_segment_energies(const clv_sim *sim, double *each)
{
    const clv_plan *p = sim->plan;
    memset(each, 0, 2 * (size_t)p->nsegment * sizeof *each);
    for (int i = 0; i < p->nbody; i++) {
        const size_t b = (size_t)p->order[i];
        const clv_body *body = &sim->model->body[b];
        double *to = each + 2 * p->segment_of[b], R[9], w[3], Jw[3];
        const double *V = sim->out_V + 6 * b;
        clv_quat_rotation(R, sim->out_e + 4 * b);
        clv_mat3_transpose_times(w, R, V + 3);
        for (int k = 0; k < 3; k++) {
            static const int at[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
            Jw[k] = body->J[at[k][0]] * w[0] + body->J[at[k][1]] * w[1] + body->J[at[k][2]] * w[2];
        }
        to[0] += 0.5 * (body->mass * clv_dot3(V, V) + clv_dot3(w, Jw));
        to[1] -= body->mass * clv_dot3(sim->model->gravity, sim->out_r + 3 * b);
    }
    clv_armature_segments(&sim->system, sim->system.u, 2, each);
}

void clv_divided_closing_state(clv_sim *s, double q[7], double u[6])
{
    clv_segment_hold unused;
    clv_segment_close_place(&s->close, &s->system.kin, &unused);
    clv_segment_close_state(&s->close, &s->system.kin, q, u);
}
