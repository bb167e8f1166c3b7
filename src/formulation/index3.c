/* SPDX-License-Identifier: Apache-2.0
 * Index-3 formulation with its time step built in (IDX3; T25-T27).  Newton's method for the pose at the end of the
 * step, with constraints on positions; then projections of velocities and accelerations with the same matrix.  Absolute
 * coordinates, every joint closes.
 *
 *   predict   x_1 from (23)
 *   repeat    (M + damp C + scale K) dx = scale (Q - M x'' + D lambda) + D sigma,   D^T dx = -phi - eps sigma
 *             lambda += sigma / scale,  x += dx,  x' += to_rate dx,  x'' += dx / scale      until |dx| < tolerance
 *   velocity      the same matrix, D^T dV = -(D^T V + phi_t) - eps sigma
 *   acceleration  the same matrix, D^T dA = gamma - D^T A - eps sigma
 *
 * One factor and one solve an iteration, one factor for the two projections.
 *
 * eps = 0: the classical form (section 2.1 of the paper), redundant rows by rank; eps = 1/(alpha scale): augmented
 * Lagrangian (2.2). */
#include "formulation/index3.h"
#include "formulation/index3_rows.h"
#include "formulation/rate_form.h"
#include "kinematics/tangent.h"
#include <math.h>
#include <string.h>

/* what a step hands on: [steps since the start; auxiliary accelerations (trial.h); multipliers (nsigma)] */
static int memory_size(const clv_plan *p)
{
    return 1 + clv_trials_memory(p) + p->nsigma;
}

static void layout(clv_system *s, clv_arena *a)
{
    const clv_plan *p = s->plan;
    clv_index3 counting, *d;
    CLV_TAKE(a, d, 1);
    s->private_state = d;
    if (!d)
        d = &counting;
    clv_trials_layout(&d->at, p, a);
    CLV_TAKE(a, d->lambda, p->nsigma), CLV_TAKE(a, d->row, p->nclosing_row), CLV_TAKE(a, d->force, p->nu);
    CLV_TAKE(a, d->alpha, p->nclosing_row);
    if (!s->tree)
        return;
    clv_row_trials counted = {0}, *r = CLV_TAKE(a, s->trials, 1);
    clv_row_trials_layout(r ? r : &counted, s->tree, a);
}

/* penalties of all rows: those of the joints, or of the simulation where they have none */
static clv_status start(clv_system *s, double t, const double *q, const double *u, double *y)
{
    clv_index3 *d = s->private_state;
    for (int k = 0; k < s->plan->nedge; k++) {
        const clv_edge *e = &s->plan->edge[k];
        const clv_joint *own = clv_system_joint(s, e);
        for (int r = 0; clv_edge_closes(e) && r < e->m; r++)
            d->alpha[e->row + r] = own ? clv_given(own->more->alpha, s->step.alpha) : s->step.alpha;
    }
    return clv_rate_form_start(s, t, q, u, y);
}

/* Accelerations at a state: the acceleration stage with x''* = M^-1 Q, exact rows. */
static clv_status rates(clv_system *s, double t, const double *y, double *ydot)
{
    if (s->trials)
        return clv_index3_rows_rates(s, t, y, ydot);
    clv_status st = clv_system_place(s, t, y);
    if (st != CLV_OK)
        return st;
    st = clv_rate_form_move(s, y);
    if (st != CLV_OK)
        return st;
    clv_system_accelerate(s);
    if ((st = clv_system_solved(s)) != CLV_OK)
        return st;
    if (s->model->nmotion > 0)
        clv_system_motion_power(s);
    clv_rate_form_give(s, y, ydot);
    return CLV_OK;
}

/* ------------------------------------------------------------------ the step */

static void begin(clv_system *s, const clv_rule *rule, const double *y, const double *ydot, double *memory)
{
    const clv_plan *p = s->plan;
    clv_index3 *d = s->private_state;
    if (s->trials) {
        clv_index3_rows_begin(s, rule, y, ydot, memory + 1, memory[0] == 0);
        return;
    }
    clv_trials_predict(&d->at, s, rule, y, ydot, memory + 1, memory[0] == 0);
    if (s->step.alpha > 0 && s->step.warm)
        memcpy(d->lambda, memory + 1 + clv_trials_memory(p), (size_t)p->nsigma * sizeof(double));
    else
        memset(d->lambda, 0, (size_t)p->nsigma * sizeof(double));
}

/* the projected trial becomes the state */
static void finish(clv_system *s, const clv_rule *rule, double *y, double *ydot, double *memory)
{
    const clv_plan *p = s->plan;
    clv_index3 *d = s->private_state;
    const double before = ydot[p->nq + p->nu];
    if (s->trials) {
        clv_index3_rows_finish(s, rule, y, ydot, memory + 1, memory[0] == 0);
        memory[0] += 1;
        return;
    }
    if (s->model->nmotion > 0)
        clv_system_motion_power(s);
    memcpy(y, d->at.q, (size_t)p->nq * sizeof(double));
    memcpy(y + p->nq, d->at.u, (size_t)p->nu * sizeof(double));
    y[p->nq + p->nu] += 0.5 * rule->h * (before + s->power);
    clv_system_qdot(s, ydot);
    memcpy(ydot + p->nq, d->at.ud, (size_t)p->nu * sizeof(double));
    ydot[p->nq + p->nu] = s->power;
    clv_trials_next(&d->at, s, rule, memory + 1);
    memory[0] += 1;
    memcpy(memory + 1 + clv_trials_memory(p), d->lambda, (size_t)p->nsigma * sizeof(double));
    memcpy(s->u, d->at.u, (size_t)p->nu * sizeof(double));
    memcpy(s->x, d->at.A, 6 * (size_t)p->nbody * sizeof(double));
    memcpy(s->ud, d->at.ud, (size_t)p->nu * sizeof(double));
}

static clv_status step(clv_system *s, double t, double h, double *y, double *ydot, double *memory)
{
    clv_rule rule = clv_rule_of(h, s->step.rho);
    rule.still = s->step.still;
    int n = 0;
    begin(s, &rule, y, ydot, memory);
    clv_status st = clv_index3_converge(s, t + h, &rule, &n);
    if (st == CLV_OK)
        st = s->trials ? clv_index3_rows_project(s, t + h, &rule) : clv_index3_project(s, t + h, &rule);
    if (!s->trials) /* rows have exact joints alone, and no edges */
        clv_index3_penalty(s, INFINITY);
    clv_tangent_clear(&s->kin);
    if (st != CLV_OK)
        return st;
    finish(s, &rule, y, ydot, memory);
    clv_step_counts *c = &s->counts;
    c->steps++, c->iterations += n, c->last = n;
    c->most = n > c->most ? n : c->most;
    c->most_acceleration = fmax(c->most_acceleration, c->acceleration);
    return CLV_OK;
}

static const clv_rule_form rule = {.step = step, .memory = memory_size};

const clv_formulation clv_formulation_index3 = {
    .name = "index3",
    .state = CLV_STATE_ABSOLUTE,
    .tangents = true,
    .tree = true,
    .threads = true,
    .layout = layout,
    .start = start,
    .rates = rates,
    .rule = &rule,
};
