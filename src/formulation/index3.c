/* SPDX-License-Identifier: Apache-2.0
 * Index-3 formulation with its time step built in (IDX3; T25-T27): Newton's method for the pose at the end of the step,
 * constraints on positions, then projections of velocities and accelerations with the same matrix.  Absolute
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
#include "base/error.h"
#include "formulation/tangent.h"
#include "formulation/trial.h"
#include "math/spatial.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct index3 {
    clv_trials at;  /* the end of this step                 */
    double *lambda; /* (nsigma) multipliers of this step    */
    double *row;    /* (nclosing_row)                       */
    double *force;  /* (nu) residual of the modes           */
} index3;

/* what a step hands on: [steps since the start; auxiliary accelerations (trial.h); multipliers (nsigma)] */
static int memory_size(const clv_plan *p)
{
    return 1 + clv_trials_memory(p) + p->nsigma;
}

static void layout(clv_system *s, clv_arena *a)
{
    const clv_plan *p = s->plan;
    index3 counting, *d;
    CLV_TAKE(a, d, 1);
    s->private_state = d;
    if (!d)
        d = &counting;
    clv_trials_layout(&d->at, p, a);
    CLV_TAKE(a, d->lambda, p->nsigma), CLV_TAKE(a, d->row, p->nclosing_row), CLV_TAKE(a, d->force, p->nu);
}

static clv_status start(clv_system *s, double t, const double *q, const double *u, double *y)
{
    clv_kinematics_poses(&s->kin, t, q);
    clv_kinematics_fill(&s->kin);
    clv_kinematics_velocities(&s->kin, u);
    memmove(y, q, (size_t)s->plan->nq * sizeof(double));
    memmove(y + s->plan->nq, u, (size_t)s->plan->nu * sizeof(double));
    return CLV_OK;
}

/* Accelerations at a state: the acceleration stage with x''* = M^-1 Q, exact rows. */
static clv_status rates(clv_system *s, double t, const double *y, double *ydot)
{
    const clv_plan *p = s->plan;
    clv_status st = clv_system_place(s, t, y);
    if (st != CLV_OK)
        return st;
    clv_kinematics_velocities(&s->kin, y + p->nq);
    clv_kinematics_rates(&s->kin);
    st = clv_system_loads(s);
    if (st != CLV_OK)
        return st;
    clv_system_accelerate(s);
    if ((st = clv_system_solved(s)) != CLV_OK)
        return st;
    if (s->model->nmotion > 0)
        clv_system_motion_power(s);
    clv_system_qdot(s, ydot);
    memcpy(ydot + p->nq, s->ud, (size_t)p->nu * sizeof(double));
    memcpy(s->u, y + p->nq, (size_t)p->nu * sizeof(double));
    ydot[p->nq + p->nu] = s->power;
    return CLV_OK;
}

/* ------------------------------------------------------------------ the equations of a step */

/* penalty 1/(alpha scale) on the rows of joints; 0 puts them back */
static void set_compliance(clv_system *s, double eps)
{
    for (int i = 0; i < s->plan->nclosing_row; i++)
        s->engine.eps[i] = eps;
}

static clv_status factor(clv_system *s, const clv_rule *rule, double eps)
{
    clv_tangent_fill(s, rule->damp, rule->scale);
    set_compliance(s, eps);
    return clv_system_factor(s);
}

/* b and force = scale (Q - velocity terms - M x'' + D lambda), of bodies and modes; Mf is that of the body alone */
static void residual(clv_system *s, double scale)
{
    const clv_plan *p = s->plan;
    index3 *d = s->private_state;
    clv_system_right_side(s);
    for (size_t b = 0; b < (size_t)p->nbody; b++) {
        double P[6];
        clv_inertia_times(P, s->kin.I + 21 * b, d->at.A + 6 * b);
        for (size_t i = 0; i < 6; i++)
            s->b[6 * b + i] -= P[i];
    }
    for (int k = 0; k < p->nstar; k++) {
        double W[6], *force = s->force + p->star[k].iu, *modal = s->modal + p->star[k].mode;
        clv_star_inertia(&s->engine, k, d->at.A, d->at.ud, W, modal);
        for (size_t i = 0; i < 6; i++)
            s->b[6 * (size_t)p->star[k].frame + i] -= W[i];
        for (int m = 0; m < p->star[k].nmode; m++)
            force[m] -= modal[m];
    }
    clv_engine_closing_wrenches(&s->engine, s->b, d->lambda, 1.0);
    for (size_t i = 0; i < 6 * (size_t)p->nbody; i++)
        s->b[i] *= scale;
    for (int i = 0; i < p->nu; i++)
        d->force[i] = scale * s->force[i];
}

/* one iteration at the poses of the trial; *moved = |dx| over the seven coordinates, *worst the body that moved most */
static clv_status iterate(clv_system *s, double t, const clv_rule *rule, double eps, double *moved, int *worst)
{
    const clv_plan *p = s->plan;
    index3 *d = s->private_state;
    clv_status st = clv_trials_place(&d->at, s, t);
    if (st == CLV_OK)
        st = clv_system_loads(s);
    if (st != CLV_OK)
        return st;
    clv_tangent_clear(s);
    residual(s, rule->scale); /* before the tangent rows are filled: they carry no multiplier */
    st = factor(s, rule, eps);
    if (st != CLV_OK)
        return st;
    clv_kinematics_violation(&s->kin, d->row);
    for (int i = 0; i < p->nclosing_row; i++)
        d->row[i] = -d->row[i];
    clv_engine_solve(&s->engine, s->x, s->ud, s->b, d->force, NULL, d->row);
    for (int i = 0; i < p->nclosing_row; i++)
        d->lambda[i] += s->engine.sigma[i] / rule->scale;
    *moved = clv_trials_displace(&d->at, s, rule, s->x, s->ud, worst);
    return CLV_OK;
}

/* row := what the accelerations A miss (nclosing_row), s->a at hand; returns the largest */
static double acceleration_missed(const clv_system *s, const double *A, double *row)
{
    const clv_plan *p = s->plan;
    double most = 0;
    for (int k = 0; k < p->nedge; k++) {
        const clv_edge *e = &p->edge[k];
        for (int r = 0; clv_edge_closes(e) && r < e->m; r++) {
            double x = s->a[e->row + r];
            for (int h = 0; h < e->nhandle; h++)
                x -= clv_dot6(s->engine.block + e->block[h] + 6 * r, A + 6 * (size_t)e->body[h]);
            row[e->row + r] = x;
            most = fmax(most, fabs(x));
        }
    }
    return most;
}

/* V and A of the trial onto their constraints, `passes` times each; leaves loads at the new velocities and in lambda
 * the multipliers that go with A: those of the iteration alone are of the first order, for the rule's x'' miss
 * prescribed accelerations by h/3 times their rate */
static clv_status project(clv_system *s, double t, const clv_rule *rule, double eps)
{
    const clv_plan *p = s->plan;
    index3 *d = s->private_state;
    clv_status st = clv_trials_place(&d->at, s, t);
    if (st == CLV_OK)
        st = factor(s, rule, eps);
    if (st != CLV_OK)
        return st;
    const size_t n = 6 * (size_t)p->nbody;
    memset(s->b, 0, n * sizeof(double));
    for (int k = 0; k < s->step.projections; k++) {
        clv_kinematics_velocity_violation(&s->kin, d->row);
        for (int i = 0; i < p->nclosing_row; i++)
            d->row[i] = -d->row[i];
        clv_engine_solve(&s->engine, s->x, s->ud, s->b, NULL, NULL, d->row);
        for (int i = 0; i < p->nu; i++)
            d->at.u[i] += s->ud[i];
        clv_kinematics_velocities(&s->kin, d->at.u);
    }
    clv_kinematics_rates(&s->kin);
    clv_kinematics_acceleration_bias(&s->kin, s->c, s->a);
    memcpy(s->lambda, d->lambda, (size_t)p->nsigma * sizeof(double));
    clv_trials_nodes(&d->at, s, s->c);
    for (int k = 0; k < s->step.projections; k++) {
        acceleration_missed(s, d->at.A, d->row);
        clv_engine_solve(&s->engine, s->x, s->ud, s->b, NULL, NULL, d->row);
        for (int i = 0; i < p->nclosing_row; i++)
            s->lambda[i] += s->engine.sigma[i];
        for (size_t i = 0; i < n; i++)
            d->at.A[i] += s->x[i];
        for (int i = 0; i < p->nu; i++)
            d->at.ud[i] += s->ud[i];
    }
    s->counts.acceleration = acceleration_missed(s, d->at.A, d->row);
    return clv_system_loads(s);
}

/* ------------------------------------------------------------------ the step */

static void begin(clv_system *s, const clv_rule *rule, const double *y, const double *ydot, double *memory)
{
    const clv_plan *p = s->plan;
    index3 *d = s->private_state;
    clv_trials_predict(&d->at, s, rule, y, ydot, memory + 1, memory[0] == 0);
    if (s->step.alpha > 0 && s->step.warm)
        memcpy(d->lambda, memory + 1 + clv_trials_memory(p), (size_t)p->nsigma * sizeof(double));
    else
        memset(d->lambda, 0, (size_t)p->nsigma * sizeof(double));
}

/* before: |dx| of the iteration before the last */
static clv_status not_converged(clv_system *s, double moved, double before, int worst, int n)
{
    const bool stagnates = moved > 0.5 * before && moved < 2 * before;
    char what[128];
    snprintf(what, sizeof what, "%d iterations of the implicit step have not converged, |dx| = %.3g%s", n, moved,
             stagnates ? " does not decrease further" : "");
    clv_system_fail(s, CLV_ERR_NO_CONVERGENCE, worst, -1, what);
    s->error->value = moved;
    clv_error_hint(s->error, stagnates && s->step.alpha == 0
                                 ? "a larger eps_p (this |dx|), or another step: a smaller one changes nothing about it"
                                 : "a smaller step, or a larger eps_p; with a finite alpha a larger alpha or warm "
                                   "multipliers");
    return s->error->code;
}

/* Newton's method until |dx| is below the tolerance, or stands still at rounding; *n iterations.  Close to a singular
 * position a direction of pivot p is still kept (p >= rank, T20): what rounding leaves of the violations moves the
 * bodies along it by 1 / sqrt(p) times as much. */
static clv_status converge(clv_system *s, double t, const clv_rule *rule, double eps, int *n)
{
    const index3 *d = s->private_state;
    const double rounding = 2.2e-16 * clv_trials_size(&d->at, s);
    const double floor = rounding * fmax(1000, 1 / sqrt(fmin(s->engine.rank, 1e-8)));
    double moved = INFINITY, before = INFINITY;
    int worst = -1;
    for (*n = 0; *n < s->step.iterations;) {
        before = moved;
        clv_status st = iterate(s, t, rule, eps, &moved, &worst);
        if (st != CLV_OK)
            return st;
        ++*n;
        if (moved < s->step.tolerance || moved <= 4 * rounding || (moved > 0.5 * before && moved <= floor))
            return CLV_OK;
        if (!isfinite(moved))
            return not_converged(s, moved, before, worst, *n);
    }
    if (!s->step.accept)
        return not_converged(s, moved, before, worst, *n);
    s->counts.missed++;
    return CLV_OK;
}

/* the projected trial becomes the state */
static void finish(clv_system *s, const clv_rule *rule, double *y, double *ydot, double *memory)
{
    const clv_plan *p = s->plan;
    index3 *d = s->private_state;
    const double before = ydot[p->nq + p->nu];
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
    const clv_rule rule = clv_rule_of(h, s->step.rho);
    const double eps = s->step.alpha > 0 ? 1 / (s->step.alpha * rule.scale) : 0;
    int n = 0;
    begin(s, &rule, y, ydot, memory);
    clv_status st = converge(s, t + h, &rule, eps, &n);
    if (st == CLV_OK)
        st = project(s, t + h, &rule, eps);
    set_compliance(s, 0.0);
    clv_tangent_clear(s);
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
    .text = "positions as unknowns, a time step built in; stiff springs and dampers, singular positions",
    .state = CLV_STATE_ABSOLUTE,
    .tangents = true,
    .layout = layout,
    .start = start,
    .rates = rates,
    .rule = &rule,
};
