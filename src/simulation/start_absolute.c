/* SPDX-License-Identifier: Apache-2.0
 * The start of a formulation in absolute coordinates (T22): an ordinary simulation assembles the model (T14), and hands
 * over the poses and velocities of its bodies, their modes, the coordinates of its joints (whole turns included) and
 * what it found out about freedoms and ranks. */
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
            memcpy(q, from->system.kin.q + 7 * (size_t)tree->child_of_joint[j], sizeof q);
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
    o.rho = NAN, o.warm = false, o.projections = 1;
    clv_status st = clv_sim_create(ordinary, s->model, &o);
    if (!*ordinary)
        return clv_fail(&s->error, st, "out of memory while the start is assembled");
    if (st != CLV_OK)
        s->error = *clv_sim_error(*ordinary);
    return st;
}

clv_status clv_absolute_refusal(clv_sim *s, clv_status st)
{
    if (st != CLV_ERR_SINGULAR || !s->formulation->absolute)
        return st;
    clv_error e = s->error;
    clv_fail(&s->error, CLV_ERR_UNSUPPORTED, "formulation '%s' needs mass and inertia in every body: %.300s",
             s->formulation->name, e.message);
    clv_error_hint(&s->error, "use hdca, dca, connection or massmatrix: they take this model");
    clv_error_text(s->error.body, sizeof s->error.body, e.body);
    clv_error_text(s->error.joint, sizeof s->error.joint, e.joint);
    s->error.time = e.time;
    return s->error.code;
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
    int nullity = from->base_nullity;
    s->report.start_strain_energy = from->report.start_strain_energy;
    memcpy(s->joint_moved, from->joint_moved, (size_t)s->model->njoint * sizeof(double));
    double moved = from->report.start_moved, speed = from->report.start_velocity_moved;
    const double contradiction = from->report.contradiction;
    memcpy(s->redundant, from->redundant, (size_t)s->model->njoint * sizeof(bool));
    st = clv_decide_rank_as(s, from);
    clv_sim_destroy(from);
    if (st != CLV_OK)
        return clv_absolute_refusal(s, st);
    s->base_nullity = nullity;
    s->report.start_moved = moved, s->report.start_velocity_moved = speed;
    s->report.contradiction = s->report.max_contradiction = contradiction;
    clv_kinematics_velocities(&s->system.kin, s->u);
    return CLV_OK;
}
