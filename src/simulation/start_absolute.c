/* SPDX-License-Identifier: Apache-2.0
 * The start of a formulation in absolute coordinates (T22).  An ordinary simulation assembles the model (T14).  It
 * hands over the poses and velocities of its bodies, their modes, and the coordinates of its joints (whole turns
 * included); also degrees of freedom and ranks.  Joints set in mid-run go the same way: the ordinary simulation takes
 * over the output state, its joints are set (set.c), and poses and velocities come back. */
#include "base/error.h"
#include "math/rotation.h"
#include "simulation/sim.h"
#include <math.h>
#include <string.h>

static void take_state(clv_sim *s, const clv_sim *from)
{
    const clv_plan *p = s->plan;
    for (size_t b = 0; b < (size_t)p->nbody; b++) {
        if (p->tree[b].link >= 0)
            continue;
        double *q = s->q + p->tree[b].iq, *u = s->u + p->tree[b].iu;
        const double *V = from->system.com_V + 6 * b;
        memcpy(q, from->system.kin.com + 3 * b, 3 * sizeof(double));
        clv_quat_from_rotation(q + 3, from->system.kin.R + 9 * b);
        memcpy(u, V, 3 * sizeof(double));
        clv_mat3_transpose_times(u + 3, from->system.kin.R + 9 * b, V + 3);
    }
    for (int k = 0; k < p->nstar; k++) {
        const clv_star *star = &p->star[k];
        memcpy(s->q + star->iq, from->system.kin.eta + star->mode, (size_t)star->nmode * sizeof(double));
        memcpy(s->u + star->iu, from->system.kin.etad + star->mode, (size_t)star->nmode * sizeof(double));
    }
}

static void take_turns(clv_sim *s, const clv_sim *from)
{
    const clv_plan *p = s->plan, *tree = from->plan;
    for (int e = 0; e < p->nedge; e++) {
        int j = p->edge[e].joint;
        double q[7] = {0}, u[6];
        if (j < 0)
            continue;
        if (tree->child_of_joint[j] >= 0)
            memcpy(q, clv_kinematics_q(&from->system.kin, (size_t)tree->child_of_joint[j]),
                   (size_t)tree->tree[tree->child_of_joint[j]].nq * sizeof *q);
        else if (tree->edge_of_joint[j] >= 0)
            clv_kinematics_closing_state(&from->system.kin, tree->edge_of_joint[j], q, u);
        memcpy(s->system.kin.turn + 6 * (size_t)e, q, 6 * sizeof(double));
    }
}

/* the ordinary simulation; it only has to start */
static clv_status open_ordinary(clv_sim *s, clv_sim **ordinary)
{
    clv_sim_options o = s->options;
    o.formulation = "dca", o.integrator = "rk4", o.step = 1e-3;
    o.alpha = o.omega = o.mu = o.eps_p = o.eps_v = o.eps_a = NAN, o.iterations = 0;
    o.rho = NAN, o.warm = o.absolute_alpha = o.no_predictor = false, o.projections = 1;
    clv_status st = clv_sim_create(ordinary, s->model, &o);
    if (!*ordinary)
        return clv_fail(&s->error, st, "out of memory while the start is assembled");
    if (st != CLV_OK)
        s->error = *clv_sim_error(*ordinary);
    return st;
}

clv_status clv_absolute_refusal(clv_sim *s, clv_status st)
{
    if (st != CLV_ERR_SINGULAR || s->formulation->state != CLV_STATE_ABSOLUTE)
        return st;
    clv_error e = s->error;
    clv_fail(&s->error, CLV_ERR_UNSUPPORTED, "formulation '%s' needs mass and inertia in every body: %.300s",
             s->formulation->name, e.message);
    clv_error_hint(&s->error, "use hdca, dca, connection or massmatrix: they support this model");
    clv_error_text(s->error.body, sizeof s->error.body, e.body);
    clv_error_text(s->error.joint, sizeof s->error.joint, e.joint);
    s->error.time = e.time;
    return s->error.code;
}

/* in rows: an open mechanism, in which nothing is redundant, and no factor */
static clv_status begin_open(clv_sim *s)
{
    clv_engine *e = &s->system.engine;
    clv_factor_begin(e);
    s->system.redundant = e->redundant = 0, e->strong = 0, e->begun = true;
    s->report.rank = e->rank = s->options.rank;
    const clv_status st = clv_system_pose(&s->system, s->model->begin, s->q);
    if (st == CLV_OK)
        clv_find_slides(s);
    return st;
}

/* steps in rows have the joints and nodes of the ordinary simulation */
static void take_rank(clv_engine *e, const clv_engine *from)
{
    e->rank = from->rank, e->redundant = from->redundant, e->strong = from->strong, e->begun = true;
}

clv_status clv_start_absolute(clv_sim *s)
{
    clv_sim *from;
    clv_status st = open_ordinary(s, &from);
    if (st != CLV_OK) {
        clv_sim_destroy(from);
        return st;
    }
    take_state(s, from);
    take_turns(s, from);
    s->size = from->size;
    const int nullity = from->base_nullity, beside = from->beside_nullity;
    s->report.start_strain_energy = from->report.start_strain_energy;
    memcpy(s->joint_moved, from->joint_moved, (size_t)s->model->njoint * sizeof(double));
    memcpy(s->joint_rate_moved, from->joint_rate_moved, (size_t)s->model->njoint * sizeof(double));
    memcpy(s->body_rate_moved, from->body_rate_moved, (size_t)s->model->nbody * sizeof(double));
    double moved = from->report.start_moved, speed = from->report.start_velocity_moved;
    const double contradiction = from->report.contradiction;
    memcpy(s->redundant, from->redundant, (size_t)s->model->njoint * sizeof(bool));
    memcpy(s->coupling_redundant, from->coupling_redundant, (size_t)s->model->ncoupling * sizeof(bool));
    st = s->system.trials && !clv_closed_in_rows(s) ? begin_open(s) : clv_decide_rank_as(s, from);
    if (s->system.trials)
        take_rank(&s->system.trials->engine, &from->system.engine);
    clv_sim_destroy(from);
    if (st != CLV_OK)
        return clv_absolute_refusal(s, st);
    s->base_nullity = nullity, s->beside_nullity = beside, s->system.repeated = nullity > 0;
    s->report.start_moved = moved, s->report.start_velocity_moved = speed;
    s->report.contradiction = s->report.max_contradiction = contradiction;
    clv_kinematics_velocities(&s->system.kin, s->u);
    return CLV_OK;
}

/* ------------------------------------------------------------------ joints set in mid-run */

/* Into the ordinary simulation, whose coordinates these are: bodies that have no joint, and modes.    */
static void give_bodies(const clv_sim *s, clv_sim *to)
{
    const clv_plan *p = s->plan, *tree = to->plan;
    for (int b = 0; b < p->nbody; b++) {
        const clv_tree_joint *from = &p->tree[b], *t = &tree->tree[b];
        if (from->link >= 0 || t->joint >= 0 || t->iq < 0)
            continue;
        memcpy(to->q + t->iq, s->out_y + from->iq, (size_t)t->nq * sizeof(double));
        memcpy(to->u + t->iu, s->out_y + p->nq + from->iu, (size_t)t->nu * sizeof(double));
    }
    for (int k = 0; k < p->nstar; k++) {
        const clv_star *from = &p->star[k], *star = &tree->star[k];
        memcpy(to->q + star->iq, s->out_y + from->iq, (size_t)from->nmode * sizeof(double));
        memcpy(to->u + star->iu, s->out_y + p->nq + from->iu, (size_t)from->nmode * sizeof(double));
    }
}

/* The same of joints, measured from the bodies at the output state; whole turns of those that close loops there. */
static void give_joints(const clv_sim *s, clv_sim *to)
{
    const clv_plan *p = s->plan, *tree = to->plan;
    for (int e = 0; e < p->nedge; e++) {
        const int j = p->edge[e].joint, b = j >= 0 ? tree->child_of_joint[j] : -1;
        double q[7], u[6];
        if (j < 0)
            continue;
        clv_kinematics_closing_state(&s->system.kin, e, q, u);
        if (b >= 0 && tree->tree[b].iq >= 0) {
            memcpy(to->q + tree->tree[b].iq, q, (size_t)tree->tree[b].nq * sizeof(double));
            memcpy(to->u + tree->tree[b].iu, u, (size_t)tree->tree[b].nu * sizeof(double));
        } else if (b < 0 && tree->edge_of_joint[j] >= 0)
            memcpy(to->out_turn + 6 * (size_t)tree->edge_of_joint[j], q, 6 * sizeof(double));
    }
}

/* its output state becomes ours */
static clv_status give_state(clv_sim *s, clv_sim *to)
{
    to->out_time = s->out_time;
    clv_sim_span(to, s->system.kin.until);
    memcpy(to->input, s->input, (size_t)s->model->ninput * sizeof(double));
    memcpy(to->ramp, s->ramp, 2 * (size_t)s->model->ninput * sizeof(double));
    memcpy(to->servo, s->servo, 4 * (size_t)s->model->nmotion * sizeof(double));
    give_bodies(s, to), give_joints(s, to);
    memcpy(to->system.kin.turn, to->out_turn, 6 * (size_t)to->plan->nedge * sizeof(double));
    clv_status st = to->formulation->start(&to->system, to->out_time, to->q, to->u, to->out_y);
    return st == CLV_OK ? clv_sim_show(to) : st;
}

/* joints of the ordinary simulation at our output state, which is shown */
static clv_status set_ordinary(clv_sim *s, const clv_joint_setting *setting, int n)
{
    clv_sim *from;
    clv_status st = open_ordinary(s, &from);
    if (st == CLV_OK && ((st = give_state(s, from)) != CLV_OK || (st = clv_sim_set_joints(from, setting, n)) != CLV_OK))
        s->error = *clv_sim_error(from);
    if (st == CLV_OK) {
        take_state(s, from);
        take_turns(s, from);
    }
    clv_sim_destroy(from);
    return st;
}

clv_status clv_set_absolute(clv_sim *s, const clv_joint_setting *setting, int n)
{
    const size_t turns = 6 * (size_t)s->plan->nedge * sizeof(double);
    const double before = s->out_kinetic + s->out_potential;
    memcpy(s->system.kin.turn, s->out_turn, turns);
    clv_status st = clv_sim_show(s);
    if (st == CLV_OK)
        st = set_ordinary(s, setting, n);
    if (st == CLV_OK) {
        memcpy(s->y, s->out_y, (size_t)s->n * sizeof(double)); /* the work continues */
        st = s->formulation->start(&s->system, s->out_time, s->q, s->u, s->y);
    }
    if (st != CLV_OK)
        return st;
    memcpy(s->out_turn, s->system.kin.turn, turns);
    memcpy(s->out_y, s->y, (size_t)s->n * sizeof(double));
    st = clv_sim_show(s);
    s->out_y[s->n - 1] += s->out_kinetic + s->out_potential - before;
    return st;
}
