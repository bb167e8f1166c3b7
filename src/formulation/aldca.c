/* SPDX-License-Identifier: Apache-2.0
 * ALDCA (ALDCA12): accelerations in absolute coordinates by an augmented Lagrangian.  State (q, u) of floating bodies
 * (T22).
 *
 *   M x = Q - velocity terms + K sigma,   K^T x = a - omega^2 phi - 2 omega mu phi' - eps (sigma - sigma*)        T23
 *
 * One factor per configuration; sigma* := sigma until x has converged.  Redundant rows and singular positions need no
 * rank decision.  Variant 1 (no projection) lets violations decay by omega and mu.  Variant 2 moves every accepted step
 * onto positions and velocities of the constraints; the mass-orthogonal projections are iterations of the same kind.
 */
#include "formulation/aldca_rows.h"
#include "formulation/rate_form.h"
#include <math.h>
#include <string.h>

static void layout(clv_system *s, clv_arena *a)
{
    clv_aldca counting, *d;
    CLV_TAKE(a, d, 1);
    s->private_state = d;
    if (!d)
        d = &counting;
    clv_multiplier_layout(&d->m, s->plan, a);
    if (!s->tree)
        return;
    clv_row_bodies counted = {0}, *r = CLV_TAKE(a, s->bodies, 1);
    clv_row_bodies_layout(r ? r : &counted, s->tree, s->plan, a);
}

/* omega^2 and 2 omega mu of all rows, by joints where they have their own */
static void set_gains(clv_system *s, double omega, double mu)
{
    for (int k = 0; k < s->plan->nedge; k++) {
        const clv_edge *e = &s->plan->edge[k];
        const clv_joint *own = clv_system_joint(s, e);
        const double w = own ? clv_given(own->more->omega, omega) : omega, m = own ? clv_given(own->more->mu, mu) : mu;
        for (int r = 0; r < e->m; r++)
            s->gain[0][e->row + r] = w * w, s->gain[1][e->row + r] = 2 * w * m;
    }
}

/* The paper's numbers (section 4.1); with projections omega and mu have nothing to do.  Where the start has a weak
 * direction (heavy bodies beside light ones) the paper's alpha would need hundreds of iterations: it grows with the
 * smallest pivot there. */
static void options(clv_system *s)
{
    clv_aldca *d = s->private_state;
    const clv_penalty *o = &s->penalty;
    static const double eps[CLV_STAGES] = {1e-14, 1e-12, 1e-10};
    const double usual = o->absolute ? 1e6 : fmin(fmax(1e6, 1e4 / s->engine.weakest), 1e10);
    clv_multiplier_penalties(s, &d->m, clv_given(o->alpha, usual), o->absolute);
    set_gains(s, clv_given(o->omega, s->project ? 0 : 1), clv_given(o->mu, 1));
    for (int i = 0; i < CLV_STAGES; i++)
        d->eps[i] = clv_given(o->eps[i], eps[i]);
    d->limit = o->iterations > 0 ? o->iterations : 10;
}

static clv_status start(clv_system *s, double t, const double *q, const double *u, double *y)
{
    clv_aldca *d = s->private_state;
    if (d->limit == 0) /* chosen once: a start anew in mid-run continues with them */
        options(s);
    d->m.t = NAN;
    if (s->bodies)
        clv_aldca_rows_options(s);
    return clv_rate_form_start(s, t, q, u, y);
}

/* ------------------------------------------------------------------ accelerations */

/* x, ud, lambda from b, c, a */
static clv_status iterate(clv_system *s)
{
    clv_aldca *d = s->private_state;
    const clv_plan *p = s->plan;
    clv_stage *stage = &s->stage[CLV_STAGE_ACCELERATION];
    *stage = (clv_stage){0};
    clv_multiplier_solve(s, &d->m, s->x, s->ud, s->b, s->force, s->c, s->a);
    memcpy(s->lambda, s->engine.sigma, (size_t)p->nsigma * sizeof(double));
    double size = clv_multiplier_largest(s->x, 6 * p->nbody), change = size, before = INFINITY;
    while (p->nclosing_row > 0 &&
           clv_multiplier_goes_on(stage, change, d->eps[CLV_STAGE_ACCELERATION] * fmax(1, size), d->limit)) {
        if (clv_aldca_insists(s) && clv_multiplier_slow(stage, before, change)) {
            const double lost = clv_multiplier_lost(s, &d->m);
            clv_multiplier_missed(&s->engine, d->m.r, s->a, s->x);
            clv_multiplier_conjugate(s, &d->m, s->x, s->ud, s->lambda, stage, lost,
                                     d->eps[CLV_STAGE_ACCELERATION] * fmax(1, size), d->limit);
            break;
        }
        clv_multiplier_missed(&s->engine, d->m.r, s->a, s->x);
        clv_multiplier_correct(s, &d->m);
        for (int i = 0; i < 6 * p->nbody; i++)
            s->x[i] += d->m.dx[i];
        for (int i = 0; i < p->nu; i++)
            s->ud[i] += d->m.du[i];
        for (int i = 0; i < p->nsigma; i++)
            s->lambda[i] += s->engine.sigma[i];
        size = clv_multiplier_largest(s->x, 6 * p->nbody), before = change;
        change = clv_multiplier_largest(d->m.dx, 6 * p->nbody);
    }
    return clv_system_solved(s);
}

static void right_sides(clv_system *s)
{
    clv_system_right_side(s);
    clv_kinematics_acceleration_bias(&s->kin, s->c, s->a);
}

static clv_status rates(clv_system *s, double t, const double *y, double *ydot)
{
    clv_aldca *d = s->private_state;
    clv_status st = s->bodies ? clv_aldca_rows_rates(s, t, y, ydot) : CLV_ERR_SINGULAR;
    if (st != CLV_ERR_SINGULAR)
        return st;
    s->walked = false;
    st = clv_multiplier_place(s, &d->m, t, y);
    if (st != CLV_OK)
        return st;
    st = clv_rate_form_move(s, y);
    if (st != CLV_OK)
        return st;
    right_sides(s);
    clv_system_stabilize(s);
    st = iterate(s);
    if (st != CLV_OK)
        return st;
    if (s->model->nmotion > 0)
        clv_system_motion_power(s);
    clv_rate_form_give(s, y, ydot);
    return CLV_OK;
}

/* without what makes violations decay: reactions of the mechanism alone */
static clv_status accelerate(clv_system *s)
{
    const clv_status st = s->bodies ? clv_aldca_rows_accelerate(s) : CLV_ERR_SINGULAR;
    if (st != CLV_ERR_SINGULAR)
        return st;
    right_sides(s);
    return iterate(s);
}

static const clv_closing_form closing = {.position = clv_aldca_close_position, .velocity = clv_aldca_close_velocity};

const clv_formulation clv_formulation_aldca = {
    .name = "aldca",
    .state = CLV_STATE_ABSOLUTE,
    .penalty = true,
    .compliant = true,
    .layout = layout,
    .start = start,
    .rates = rates,
    .velocities = clv_rate_form_velocities,
    .accelerate = accelerate,
    .closing = &closing,
};
