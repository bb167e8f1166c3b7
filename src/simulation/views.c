/* SPDX-License-Identifier: Apache-2.0
 * What callers see of a simulation: views of the output state, its report, its plan. */
#include <math.h>
#include <string.h>
#include "engine/kernels.h"
#include "simulation/latch.h"
#include "simulation/sim.h"

double clv_sim_time(const clv_sim *s) { return clv_sim_ready(s) ? s->out_time : NAN; }
const double *clv_sim_position(const clv_sim *s) { return clv_sim_look(s) ? s->out_r : NULL; }
const double *clv_sim_quaternion(const clv_sim *s) { return clv_sim_look(s) ? s->out_e : NULL; }
const double *clv_sim_velocity(const clv_sim *s) { return clv_sim_look(s) ? s->out_V : NULL; }
const double *clv_sim_acceleration(const clv_sim *s) { return clv_sim_look(s) ? s->out_A : NULL; }
const clv_model *clv_sim_model(const clv_sim *s) { return clv_sim_ready(s) ? clv_sim_given(s) : NULL; }
const double *clv_sim_marker(const clv_sim *s) { return clv_sim_look(s) ? s->out_marker : NULL; }
const double *clv_sim_marker_acceleration(const clv_sim *s) { return clv_sim_look(s) ? s->marker_A : NULL; }

/* *to = value, where it is requested   */
static void give(double *to, double value)
{
    if (to)
        *to = value;
}

void clv_sim_energy(const clv_sim *s, double *kinetic, double *potential, double *work)
{
    bool ready = clv_sim_look(s);
    give(kinetic, ready ? s->out_kinetic : NAN), give(potential, ready ? s->out_potential : NAN);
    give(work, ready ? s->out_y[s->n - 1] : NAN);
}
int clv_sim_modes(const clv_sim *s, int body, const double **q, const double **u, const double **udot)
{
    const bool there = clv_sim_ready(s) && body >= 0 && body < s->model->nbody;
    const clv_body *b = there ? &s->model->body[body] : NULL;
    const double *at = NULL;
    int n = 0, all = there ? s->plan->nmode : 0;
    if (b && b->flex >= 0 && b->node < 0)
        at = s->out_modes + s->plan->star[b->flex].mode, n = s->plan->star[b->flex].nmode;
    if (q)
        *q = at;
    if (u)
        *u = at ? at + all : NULL;
    if (udot)
        *udot = at && s->evaluated ? at + 2 * all : NULL;
    return n;
}
void clv_sim_violation(const clv_sim *s, double *position, double *velocity)
{
    bool ready = clv_sim_look(s);
    give(position, ready ? s->out_gap : NAN), give(velocity, ready ? s->out_gap_speed : NAN);
}
bool clv_sim_joint_redundant(const clv_sim *s, int joint)
{
    return clv_sim_ready(s) && joint >= 0 && joint < s->model->njoint && s->redundant[joint];
}
bool clv_sim_coupling_redundant(const clv_sim *s, int coupling)
{
    return clv_sim_ready(s) && coupling >= 0 && coupling < s->model->ncoupling && s->coupling_redundant[coupling];
}

/* without interface nodes */
static int bodies_of(const clv_model *m)
{
    int n = m->nbody;
    for (int k = 0; k < m->nflex; k++)
        n -= m->flex[k].nnode;
    return n;
}

/* without attachments of events */
static int joints_of(const clv_model *m)
{
    int n = 0;
    for (int j = 0; j < m->njoint; j++)
        n += !m->joint[j].absent;
    return n;
}

void clv_sim_summary(const clv_sim *s, clv_sim_report *report)
{
    if (report)
        memset(report, 0, sizeof *report);
    if (!report || !clv_sim_ready(s))
        return;
    const clv_plan *p = s->plan;
    *report = s->report;
    report->formulation = s->formulation->name, report->integrator = s->integrator.method->name;
    report->lanes = s->kernels->lanes;
    report->bodies = bodies_of(s->model), report->joints = joints_of(clv_sim_given(s)), report->loops = p->nloop;
    report->mobility_counted = s->latches ? s->latches->freedoms : p->nu - p->nclosing_row;
    report->redundant_constraints = s->latches ? s->latches->redundant : s->base_nullity;
    report->mobility_found = report->mobility_counted + report->redundant_constraints;
    report->mobility_beside = report->mobility_counted + (s->latches ? s->latches->beside : s->beside_nullity);
    report->energy_still = clv_still_energy(s), report->max_energy_drift_relative = clv_drift_share(s);
    report->time = clv_sim_reached(s);
    report->steps = s->integrator.stats.steps, report->rejected_steps = s->integrator.stats.rejected;
    report->step = s->integrator.options.step;
    const clv_step_counts *c = &s->system.counts;
    report->iterations = c->iterations, report->last_iterations = c->last, report->max_iterations = c->most;
    report->missed_steps = c->missed;
    report->acceleration_violation = c->acceleration, report->max_acceleration_violation = c->most_acceleration;
    report->rate_evaluations = s->report.rate_evaluations + s->integrator.stats.evaluations;
}

void clv_sim_plan(const clv_sim *s, clv_plan_report *r)
{
    if (r)
        memset(r, 0, sizeof *r);
    if (!r || !clv_sim_ready(s))
        return;
    const clv_plan *p = s->plan;
    int leaves = 0;
    for (int k = 0; k < p->npart; k++)
        leaves += !clv_part_is_node(&p->part[k]);
    *r = (clv_plan_report){.bodies = bodies_of(s->model),
                           .tree_joints = bodies_of(s->model),
                           .closing_joints = p->nclosing,
                           .loops = p->nloop,
                           .limbs = p->nlimb,
                           .branches = p->nbranch,
                           .leaves = leaves,
                           .nodes = p->npart - leaves,
                           .freedoms = p->nu,
                           .closing_rows = p->nclosing_row,
                           .sections = p->nsection,
                           .connections = p->connect ? p->connect->nblock : 0,
                           .depth = p->depth,
                           .max_ports = p->max_port,
                           .groups = p->ngroup,
                           .hash = p->hash};
}

bool clv_sim_branch(const clv_sim *s, int i, clv_branch_report *r)
{
    if (r)
        memset(r, 0, sizeof *r);
    const clv_plan *p = clv_sim_ready(s) ? s->plan : NULL;
    if (!p || !r || i < 0 || i >= p->nsection)
        return false;
    const clv_section *b = &p->section[i];
    *r = (clv_branch_report){
        .name = b->name, .base = b->base, .bodies = b->nbody, .handles = b->part < 0 ? 0 : p->part[b->part].nport};
    return true;
}

const char *clv_version(void) { return CLV_VERSION; }
