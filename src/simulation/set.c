/* SPDX-License-Identifier: Apache-2.0
 * Joints set by the caller at the output time: coordinates, assembly around them (T36), rates, then the state of the
 * formulation.  Until all of it is known to fit, nothing of the simulation's state is changed. */
#include <math.h>
#include <string.h>
#include "base/tolerance.h"
#include "base/error.h"
#include "base/memory.h"
#include "math/rotation.h"
#include "simulation/sim.h"

static clv_status refuse(clv_sim *s, clv_status code, int joint, const char *what)
{
    clv_fail(&s->error, code, "joint '%s' cannot be set: %s", s->model->joint[joint].name, what);
    clv_error_text(s->error.joint, sizeof s->error.joint, s->model->joint[joint].name);
    s->error.time = s->out_time;
    return s->error.code;
}

static bool finite(const double *x, int n)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

/* One setting into the list of wishes; room (7) for its coordinates. */
static clv_status wish(clv_sim *s, clv_joint *given, const clv_joint_setting *x, double *room)
{
    const clv_model *m = s->model;
    if (x->joint < 0 || x->joint >= m->njoint)
        return clv_fail(&s->error, CLV_ERR_USAGE, "there is no joint number %d to set; the model has %d", x->joint,
                        m->njoint);
    clv_joint *j = &given[x->joint];
    const int nq = clv_joint_table[j->kind].nq, nu = clv_joint_table[j->kind].nu;
    if (nu == 0)
        return refuse(s, CLV_ERR_USAGE, x->joint, "it has no degree of freedom");
    if (m->joint[x->joint].absent)
        return refuse(s, CLV_ERR_USAGE, x->joint, "it is not there: an event attaches or releases it");
    if (j->has_q || j->has_u)
        return refuse(s, CLV_ERR_USAGE, x->joint, "it is named twice");
    for (int k = 0; k < m->nmotion; k++)
        if (m->motion[k].joint == x->joint)
            return refuse(s, CLV_ERR_USAGE, x->joint, "a motion prescribes it");
    if ((x->has_q && !finite(x->q, nq)) || (x->has_u && !finite(x->u, nu)))
        return refuse(s, CLV_ERR_USAGE, x->joint, "a number is not finite");
    if (x->has_q && nq > nu && !(clv_quat_norm(x->q + nq - 4) > 1e-3))
        return refuse(s, CLV_ERR_USAGE, x->joint, "its quaternion is zero");
    j->has_q = x->has_q, j->has_u = x->has_u;
    j->q = room, j->u = x->u;
    memcpy(room, x->q, sizeof x->q);
    if (x->has_q)
        clv_joint_normalize(j->kind, room);
    return CLV_OK;
}

/* Into s->q, s->u: what is set of joints of the tree; of closing joints where angles are measured. */
static void take_wishes(clv_sim *s, const clv_joint *given)
{
    const clv_plan *p = s->plan;
    for (int j = 0; j < s->model->njoint; j++) {
        const int b = p->child_of_joint[j], e = p->edge_of_joint[j];
        const clv_tree_joint *t = b >= 0 ? &p->tree[b] : NULL;
        if (t && given[j].has_q)
            memcpy(s->q + t->iq, given[j].q, (size_t)t->nq * sizeof(double));
        if (t && given[j].has_u)
            memcpy(s->u + t->iu, given[j].u, (size_t)t->nu * sizeof(double));
        if (!t && e >= 0 && given[j].has_q)
            memcpy(s->system.kin.turn + 6 * (size_t)e, given[j].q, 6 * sizeof(double)); /* room has 7 */
    }
}

/* largest difference of a closing joint from what is set; the place moves along its free directions */
static double missed(clv_sim *s, const clv_joint *given, int *worst)
{
    const clv_plan *p = s->plan;
    double most = 0;
    for (int e = 0; e < p->nedge; e++) {
        const int j = p->edge[e].joint;
        double q[7], u[6];
        if (!clv_edge_closes(&p->edge[e]) || j < 0 || !given[j].has_q)
            continue;
        clv_kinematics_closing_state(&s->system.kin, e, q, u);
        const double off = clv_joint_moved(given[j].kind, q, given[j].q);
        if (off > most)
            most = off, *worst = j;
    }
    return most;
}

static clv_status close_positions(clv_sim *s, const clv_joint *given)
{
    const double closed = CLV_TOL_CLOSED * s->size;
    int worst = -1;
    double moved;
    clv_status st = clv_system_pose(&s->system, s->out_time, s->q);
    if (st == CLV_OK)
        st = s->any_loop ? clv_system_factor(&s->system) : clv_factor_open(s);
    if (st != CLV_OK || !s->any_loop)
        return st;
    if (clv_position_violation(s) > closed || missed(s, given, &worst) > 1e-9) {
        st = clv_assemble(s, s->out_time, s->q, NULL, true);
        if (st != CLV_OK)
            return st;
        const double left = clv_position_violation(s);
        if (!(left <= closed)) {
            clv_not_closed(s, left, "the joints cannot be set: the loops do not close with these coordinates");
            clv_error_hint(&s->error, "set coordinates that the loops can reach, or fewer joints of a loop");
            return s->error.code;
        }
        if (missed(s, given, &worst) > CLV_TOL_GIVEN)
            return refuse(s, CLV_ERR_INCONSISTENT, worst, "the loops do not close with this coordinate");
    }
    return clv_project_position(s, s->out_time, s->q, false, 60, &moved);
}

/* for the assembly of rates: those set are the given ones */
static clv_status close_rates(clv_sim *s, clv_joint *given)
{
    double left, moved;
    if (!s->any_loop)
        return CLV_OK;
    for (int j = 0; j < s->model->njoint; j++)
        given[j].has_q = given[j].has_u;
    clv_status st = clv_assemble_rates(s, s->out_time, s->q, false, s->u, &left);
    if (st == CLV_OK && !(left <= CLV_TOL_RATES))
        return clv_not_moving(s, left, "the joints cannot be set: the loops cannot move with these rates");
    if (st == CLV_OK)
        st = clv_system_place(&s->system, s->out_time, s->q);
    if (st == CLV_OK)
        clv_project_velocity(s, s->u, &moved); /* rounding */
    for (int j = 0; j < s->model->njoint && st == CLV_OK; j++) {
        const int e = s->plan->child_of_joint[j] < 0 ? s->plan->edge_of_joint[j] : -1;
        double q[7], u[6];
        if (e < 0 || !given[j].has_u)
            continue;
        clv_kinematics_closing_state(&s->system.kin, e, q, u);
        for (int k = 0; k < clv_joint_table[given[j].kind].nu && st == CLV_OK; k++)
            if (!(fabs(u[k] - given[j].u[k]) <= CLV_TOL_GIVEN * fmax(1, fabs(given[j].u[k]))))
                st = refuse(s, CLV_ERR_INCONSISTENT, j, "the loops cannot move with this rate");
    }
    return st;
}

/* kinetic and potential energy of the present views */
static double energy(const clv_sim *s) { return s->out_kinetic + s->out_potential; }

static clv_status apply(clv_sim *s, clv_joint *given)
{
    const double before = energy(s);
    memcpy(s->q, s->out_y, (size_t)s->plan->nq * sizeof(double));
    clv_status st = clv_system_rates(&s->system, s->formulation, s->out_time, s->out_y, s->ydot);
    if (st != CLV_OK)
        return st;
    memcpy(s->u, s->system.u, (size_t)s->plan->nu * sizeof(double));
    take_wishes(s, given);
    st = close_positions(s, given);
    if (st == CLV_OK)
        st = close_rates(s, given);
    return st == CLV_OK ? clv_sim_adopt(s, before) : st;
}

clv_status clv_sim_adopt(clv_sim *s, double before)
{
    const size_t state = (size_t)s->n * sizeof(double);
    memcpy(s->y, s->out_y, state); /* the work continues */
    clv_status st = s->formulation->start(&s->system, s->out_time, s->q, s->u, s->y);
    if (st != CLV_OK)
        return st;
    clv_kinematics_keep_turns(&s->system.kin);
    memcpy(s->out_turn, s->system.kin.turn, 6 * (size_t)s->plan->nedge * sizeof(double));
    memcpy(s->out_y, s->y, state);
    clv_spacing_forget(s);
    st = clv_sim_show(s); /* of poses and rates that were found: nothing is left to fail */
    s->out_y[s->n - 1] += energy(s) - before;
    return st;
}

/* `given` and `room` (6 nedge + 7 n) are room */
static clv_status set_in(clv_sim *s, const clv_joint_setting *setting, int n, clv_joint *given, double *room)
{
    const size_t turns = 6 * (size_t)s->plan->nedge * sizeof(double);
    double *turn = room + 7 * (size_t)n;
    const bool stale = s->stale;
    clv_status st = CLV_OK;
    for (int j = 0; j < s->model->njoint; j++)
        given[j] = s->model->joint[j], given[j].has_q = given[j].has_u = false;
    for (int i = 0; i < n && st == CLV_OK; i++)
        st = wish(s, given, &setting[i], room + 7 * (size_t)i);
    if (st == CLV_OK)
        st = clv_sim_announce(s, false);
    if (st != CLV_OK)
        return st;
    memcpy(turn, s->system.kin.turn, turns), memcpy(s->system.kin.turn, s->out_turn, turns);
    s->given = given;
    st = s->formulation->state == CLV_STATE_ABSOLUTE ? clv_set_absolute(s, setting, n) : apply(s, given);
    s->given = s->model->joint;
    if (st == CLV_OK)
        return st;
    const clv_error kept = s->error; /* everything as it was */
    memcpy(s->system.kin.turn, s->out_turn, turns);
    (void)clv_sim_show(s);
    memcpy(s->system.kin.turn, turn, turns);
    s->error = kept, s->stale = stale;
    return st;
}

static clv_status set_joints(clv_sim *s, const clv_joint_setting *setting, int n)
{
    if (n < 0 || (n > 0 && !setting))
        return clv_fail(&s->error, CLV_ERR_USAGE, "the list of settings is NULL, or its count is negative");
    clv_joint *given = clv_alloc((size_t)s->model->njoint + 1, sizeof *given);
    double *room = clv_alloc(6 * (size_t)s->plan->nedge + 7 * (size_t)n + 1, sizeof *room);
    const clv_status st = given && room ? set_in(s, setting, n, given, room)
                                        : clv_fail(&s->error, CLV_ERR_MEMORY, "out of memory while joints are set");
    clv_free(given), clv_free(room);
    return st;
}

clv_status clv_sim_set_joints(clv_sim *s, const clv_joint_setting *setting, int n)
{
    clv_status st = clv_sim_enter(s, __func__);
    return st == CLV_OK ? clv_sim_leave(s, set_joints(s, setting, n)) : st;
}

clv_status clv_sim_set_joint(clv_sim *s, int joint, const double *q, const double *u)
{
    clv_joint_setting one = {.joint = joint, .has_q = q != NULL, .has_u = u != NULL};
    clv_status st = clv_sim_enter(s, __func__);
    if (st != CLV_OK)
        return st;
    if (joint >= 0 && joint < s->model->njoint) {
        const clv_joint_row *row = &clv_joint_table[s->model->joint[joint].kind];
        if (q)
            memcpy(one.q, q, (size_t)row->nq * sizeof *q);
        if (u)
            memcpy(one.u, u, (size_t)row->nu * sizeof *u);
    }
    return clv_sim_leave(s, set_joints(s, &one, 1));
}
