/* SPDX-License-Identifier: Apache-2.0
 * ALDCA (ALDCA12): accelerations in absolute coordinates by an augmented Lagrangian.  State (q, u) of floating bodies
 * (T22).
 *
 *   M x = Q - velocity terms + K sigma,   K^T x = a - omega^2 phi - 2 omega mu phi' - eps (sigma - sigma*)        T23
 *
 * One factor per configuration; sigma* := sigma until x stands still.  Redundant rows and singular positions need no
 * rank decision.  Variant 1 (no projection) lets violations fade by omega and mu; variant 2 moves every accepted step
 * onto positions and velocities of the constraints, the mass-orthogonal projections being iterations of the same kind.
 */
#include "formulation/multiplier.h"
#include "model/joint.h"
#include <math.h>
#include <string.h>

typedef struct aldca {
    clv_multiplier m;
    double alpha, omega, mu, eps[CLV_STAGES];
    int limit;
} aldca;

static void layout(clv_system *s, clv_arena *a)
{
    aldca counting, *d;
    CLV_TAKE(a, d, 1);
    s->private_state = d;
    if (!d)
        d = &counting;
    clv_multiplier_layout(&d->m, s->plan, a);
}

static double given(double x, double otherwise)
{
    return isnan(x) ? otherwise : x;
}

/* The paper's numbers (section 4.1); with projections omega and mu have nothing to do.  Where the start has a weak
 * direction (heavy bodies beside light ones) the paper's alpha would want hundreds of iterations: it grows with the
 * smallest pivot there. */
static void options(clv_system *s)
{
    aldca *d = s->private_state;
    const clv_penalty *o = &s->penalty;
    static const double eps[CLV_STAGES] = {1e-14, 1e-12, 1e-10};
    d->alpha = given(o->alpha, fmin(fmax(1e6, 1e4 / s->engine.weakest), 1e10));
    d->omega = given(o->omega, s->project ? 0 : 1), d->mu = given(o->mu, 1);
    for (int i = 0; i < CLV_STAGES; i++)
        d->eps[i] = given(o->eps[i], eps[i]);
    d->limit = o->iterations > 0 ? o->iterations : 10;
    s->baumgarte[0] = d->omega * d->omega, s->baumgarte[1] = 2 * d->omega * d->mu;
}

static clv_status start(clv_system *s, double t, const double *q, const double *u, double *y)
{
    aldca *d = s->private_state;
    if (d->limit == 0) /* chosen once: a start anew in mid-run goes on with them */
        options(s);
    d->m.t = NAN;
    clv_kinematics_poses(&s->kin, t, q);
    clv_kinematics_fill(&s->kin);
    clv_kinematics_velocities(&s->kin, u);
    memmove(y, q, (size_t)s->plan->nq * sizeof(double));
    memmove(y + s->plan->nq, u, (size_t)s->plan->nu * sizeof(double));
    return CLV_OK;
}

static double largest(const double *v, int n)
{
    double m = 0;
    for (int i = 0; i < n; i++)
        m = fabs(v[i]) > m || isnan(v[i]) ? fabs(v[i]) : m;
    return m;
}

/* Is a direction that is about to be lost to be met nevertheless?  Where motions drive, it is their stroke: up to a
 * toggle the mechanism has to follow, however fast.  Free, it is a singular position, through which the penalty is to
 * let the mechanism go (decisions 31). */
static bool insists(const clv_system *s)
{
    return s->model->nmotion > 0;
}

/* ------------------------------------------------------------------ projections */

/* largest displacement of a body: shift over the size of the model, or turn */
static double displacement(const clv_system *s, const double *dx)
{
    double most = 0;
    for (int b = 0; b < s->plan->nbody; b++)
        most = fmax(most, fmax(largest(dx + 6 * b, 3) / s->size, largest(dx + 6 * b + 3, 3)));
    return most;
}

static void displace(const clv_plan *p, double *q, const double *du)
{
    for (int b = 0; b < p->nbody; b++)
        if (p->tree[b].link < 0)
            clv_joint_displace(p->tree[b].kind, q + p->tree[b].iq, du + p->tree[b].iu);
    for (int k = 0; k < p->nstar; k++)
        for (int m = 0; m < p->star[k].nmode; m++)
            q[p->star[k].iq + m] += du[p->star[k].iu + m];
}

static clv_status close_position(clv_system *s, double t, double *q, double *moved)
{
    aldca *d = s->private_state;
    const clv_plan *p = s->plan;
    clv_stage *stage = &s->stage[CLV_STAGE_POSITION];
    *stage = (clv_stage){0};
    *moved = 0;
    clv_status st = clv_multiplier_place(s, &d->m, t, q, d->alpha);
    if (st != CLV_OK)
        return st;
    double change;
    do {
        clv_kinematics_violation(&s->kin, d->m.r);
        for (int i = 0; i < p->nclosing_row; i++)
            d->m.r[i] = -d->m.r[i];
        clv_multiplier_correct(s, &d->m, d->alpha);
        displace(p, q, d->m.du);
        clv_kinematics_poses(&s->kin, t, q);
        change = displacement(s, d->m.dx);
        *moved += largest(d->m.du, p->nu);
    } while (clv_multiplier_goes_on(stage, change, d->eps[CLV_STAGE_POSITION], d->limit));
    return CLV_OK;
}

static void missed_velocities(clv_system *s)
{
    double *r = ((aldca *)s->private_state)->m.r;
    clv_kinematics_velocity_violation(&s->kin, r);
    for (int i = 0; i < s->plan->nclosing_row; i++)
        r[i] = -r[i];
}

static clv_status close_velocity(clv_system *s, double t, const double *q, double *u)
{
    aldca *d = s->private_state;
    const clv_plan *p = s->plan;
    clv_stage *stage = &s->stage[CLV_STAGE_VELOCITY];
    *stage = (clv_stage){0};
    clv_status st = clv_multiplier_place(s, &d->m, t, q, d->alpha);
    if (st != CLV_OK)
        return st;
    clv_kinematics_velocities(&s->kin, u);
    double change = INFINITY, before, tolerance;
    do {
        missed_velocities(s);
        clv_multiplier_correct(s, &d->m, d->alpha);
        for (int i = 0; i < p->nu; i++)
            u[i] += d->m.du[i];
        clv_kinematics_velocities(&s->kin, u);
        before = change, change = largest(d->m.dx, 6 * p->nbody);
        tolerance = d->eps[CLV_STAGE_VELOCITY] * fmax(1, largest(s->kin.V, 6 * p->nbody));
        if (!clv_multiplier_goes_on(stage, change, tolerance, d->limit))
            return CLV_OK;
    } while (!insists(s) || !clv_multiplier_slow(stage, before, change));
    missed_velocities(s);
    clv_multiplier_conjugate(s, &d->m, d->alpha, NULL, u, NULL, stage, tolerance, d->limit);
    clv_kinematics_velocities(&s->kin, u);
    return CLV_OK;
}

/* ------------------------------------------------------------------ accelerations */

/* x, ud, lambda from b, c, a */
static clv_status iterate(clv_system *s)
{
    aldca *d = s->private_state;
    const clv_plan *p = s->plan;
    clv_stage *stage = &s->stage[CLV_STAGE_ACCELERATION];
    *stage = (clv_stage){0};
    clv_multiplier_solve(s, d->alpha, s->x, s->ud, s->b, s->force, s->c, s->a);
    memcpy(s->lambda, s->engine.sigma, (size_t)p->nsigma * sizeof(double));
    double size = largest(s->x, 6 * p->nbody), change = size, before = INFINITY;
    while (p->nclosing_row > 0 &&
           clv_multiplier_goes_on(stage, change, d->eps[CLV_STAGE_ACCELERATION] * fmax(1, size), d->limit)) {
        if (insists(s) && clv_multiplier_slow(stage, before, change)) {
            clv_multiplier_missed(&s->engine, d->m.r, s->a, s->x);
            clv_multiplier_conjugate(s, &d->m, d->alpha, s->x, s->ud, s->lambda, stage,
                                     d->eps[CLV_STAGE_ACCELERATION] * fmax(1, size), d->limit);
            break;
        }
        clv_multiplier_missed(&s->engine, d->m.r, s->a, s->x);
        clv_multiplier_correct(s, &d->m, d->alpha);
        for (int i = 0; i < 6 * p->nbody; i++)
            s->x[i] += d->m.dx[i];
        for (int i = 0; i < p->nu; i++)
            s->ud[i] += d->m.du[i];
        for (int i = 0; i < p->nsigma; i++)
            s->lambda[i] += s->engine.sigma[i];
        size = largest(s->x, 6 * p->nbody), before = change, change = largest(d->m.dx, 6 * p->nbody);
    }
    return clv_system_solved(s);
}

static void right_sides(clv_system *s)
{
    clv_system_right_side(s);
    clv_kinematics_acceleration_bias(&s->kin, s->c, s->a);
}

static clv_status velocities(clv_system *s, double t, const double *y)
{
    clv_status st = clv_system_pose(s, t, y);
    if (st == CLV_OK)
        clv_kinematics_velocities(&s->kin, y + s->plan->nq);
    return st;
}

static clv_status rates(clv_system *s, double t, const double *y, double *ydot)
{
    aldca *d = s->private_state;
    const clv_plan *p = s->plan;
    clv_status st = clv_multiplier_place(s, &d->m, t, y, d->alpha);
    if (st != CLV_OK)
        return st;
    clv_kinematics_velocities(&s->kin, y + p->nq);
    clv_kinematics_rates(&s->kin);
    st = clv_system_loads(s);
    if (st != CLV_OK)
        return st;
    right_sides(s);
    clv_system_stabilize(s);
    st = iterate(s);
    if (st != CLV_OK)
        return st;
    if (s->model->nmotion > 0)
        clv_system_motion_power(s);
    clv_system_qdot(s, ydot);
    memcpy(ydot + p->nq, s->ud, (size_t)p->nu * sizeof(double));
    memcpy(s->u, y + p->nq, (size_t)p->nu * sizeof(double));
    ydot[p->nq + p->nu] = s->power;
    return CLV_OK;
}

/* without what makes violations fade: reactions of the mechanism alone */
static clv_status accelerate(clv_system *s)
{
    right_sides(s);
    return iterate(s);
}

static const clv_closing_form closing = {.position = close_position, .velocity = close_velocity};

const clv_formulation clv_formulation_aldca = {
    .name = "aldca",
    .text = "accelerations in absolute coordinates, multipliers iterated with a penalty",
    .state = CLV_STATE_ABSOLUTE,
    .penalty = true,
    .layout = layout,
    .start = start,
    .rates = rates,
    .velocities = velocities,
    .accelerate = accelerate,
    .closing = &closing,
};
