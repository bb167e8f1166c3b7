/* SPDX-License-Identifier: Apache-2.0
 * Events (T41): times at which motions or force tables break off being smooth.  A step ends exactly there; before the
 * next one the state jumps as mechanics demands, and what the integrator knows of the past is dropped.  Outputs at the
 * time of an event show the state before it.
 *
 * Where the rate of a motion jumps the drive acts by an impulse.  With V the velocities before,
 *
 *   M dV = wrenches of joints, drives and closings,   V + dV obeys joints, closings and the new rates      T41.1
 *
 * which is the least change in the sense of kinetic energy, one engine solve.  The work of the drives is the sum of
 * their impulses times the mean of their rates before and after. */
#include "base/tolerance.h"
#include "base/error.h"
#include "math/spatial.h"
#include "model/break.h"
#include "model/force.h"
#include "simulation/latch.h"
#include "simulation/sim.h"
#include <math.h>
#include <string.h>

void clv_sim_span(clv_sim *s, double until)
{
    s->system.kin.until = s->stage.kin.until = until;
}

static bool same_time(double a, double b)
{
    return fabs(a - b) <= CLV_BREAK_MERGE * fabs(b);
}

void clv_sim_next_event(clv_sim *s, double after)
{
    s->until = s->divided ? clv_divided_break(s->divided, after, &s->event)
                          : clv_break_next(s->model, after, &s->event);
    for (int i = 0; s->system.ramp && i < s->model->ninput; i++) {
        const double there = clv_input_arrival(&s->model->input[i], s->input[i], s->ramp + 2 * (size_t)i);
        if (there > after + CLV_BREAK_MERGE * fabs(after) && there < s->until && !same_time(there, s->until))
            s->until = there, s->event = CLV_BREAK_KINK;
    }
    clv_sim_span(s, s->until);
}

void clv_sim_resume_events(clv_sim *s, double until)
{
    clv_sim_next_event(s, until * (1 - 2 * CLV_BREAK_MERGE)); /* the event itself, and its kind */
    s->until = until;
    clv_sim_span(s, until);
}

bool clv_sim_at_event(const clv_sim *s)
{
    return s->integrator.t >= s->until - CLV_BREAK_MERGE * fabs(s->until);
}

void clv_sim_stop_at(clv_sim *s, double time)
{
    const bool with_end = same_time(s->integrator.options.direction_end, s->until) || same_time(time, s->until);
    const double break_off = with_end ? time : fmin(time, s->until);
    double first = fmin(break_off, clv_latches_time(s));
    if (s->divided)
        first = fmin(first, s->divided->stop);
    clv_sim_span(s, s->until); /* an output of another time may have changed it */
    s->integrator.stop = isfinite(first) ? first : NAN;
}

/* ------------------------------------------------------------------ the impulse of drives */

void clv_sim_joint_impulses(clv_system *k, const double *dV, const double *du, double *T)
{
    const clv_plan *p = k->plan;
    for (size_t b = 0; b < (size_t)p->nbody; b++)
        clv_inertia_times(T + 6 * b, k->engine.mass + 21 * b, dV + 6 * b);
    for (int i = 0; i < p->nstar; i++) {
        double F[6];
        clv_star_inertia(&k->engine, i, NULL, du, F, NULL);
        clv_add6(T + 6 * (size_t)p->star[i].frame, F);
    }
    clv_engine_closing_wrenches(&k->engine, T, k->engine.sigma, -1.0);
    clv_engine_accumulate(&k->engine, T);
}

double clv_sim_motion_rate(const clv_sim *s, int motion, double t, double until)
{
    double q, u, ud;
    const double *added = s->system.kin.servo ? s->servo + 4 * (size_t)motion : NULL;
    clv_motion_with(&s->model->motion[motion], added, t, until, &q, &u, &ud);
    return u;
}

/* rate of a motion on this or the other side of the event */
static double rate_of(const clv_sim *s, int motion, double t, bool before)
{
    return clv_sim_motion_rate(s, motion, t, before ? s->until : INFINITY);
}

/* J: work of the impulses of all drives; notes the largest jump in rate */
static double drive_work(clv_sim *s, double t, const double *T)
{
    const clv_plan *p = s->plan;
    const clv_system *k = &s->system;
    double work = 0;
    for (size_t b = 0; b < (size_t)p->nbody; b++) {
        const int motion = p->tree[b].motion;
        if (motion >= 0)
            work += clv_dot6(T + 6 * b, k->kin.H + clv_columns(p, b)) * 0.5 *
                    (rate_of(s, motion, t, true) + rate_of(s, motion, t, false));
    }
    for (int e = 0; e < p->nedge; e++) {
        const clv_edge *edge = &p->edge[e];
        if (edge->motion >= 0)
            work += k->engine.sigma[edge->row + edge->m - 1] * 0.5 *
                    (rate_of(s, edge->motion, t, true) + rate_of(s, edge->motion, t, false));
    }
    return work;
}

clv_status clv_sim_kick(clv_sim *s, double t, const double *q, double *V, double *c, double *u)
{
    clv_system *k = &s->system;
    const clv_plan *p = s->plan;
    const size_t bytes = 6 * (size_t)p->nbody * sizeof(double);
    clv_status st = clv_system_place(k, t, q); /* poses, factor, and the new rates of driven tree joints */
    if (st != CLV_OK)
        return st;
    clv_kinematics_velocity_bias(&k->kin, k->c);
    for (size_t i = 0; i < 6 * (size_t)p->nbody; i++)
        k->c[i] -= c[i];
    memcpy(k->kin.V, V, bytes);
    (void)clv_velocity_violation(s);
    for (int i = 0; i < p->nclosing_row; i++)
        s->row[i] = -s->row[i];
    memset(k->b, 0, bytes);
    clv_engine_solve(&k->engine, V, s->dq, k->b, NULL, k->c, s->row);
    for (int i = 0; i < p->nu; i++)
        u[i] += s->dq[i];
    return CLV_OK;
}

static double worst_jump(const clv_sim *s, double t, int *motion)
{
    double most = 0;
    for (int i = 0; i < s->model->nmotion; i++) {
        const double jump = fabs(rate_of(s, i, t, false) - rate_of(s, i, t, true));
        if (jump > most)
            most = jump, *motion = i;
    }
    return most;
}

static clv_status cannot_follow(clv_sim *s, double t, int motion, double missed)
{
    const char *name = s->model->motion[motion].name;
    clv_fail(&s->error, CLV_ERR_INCONSISTENT,
             "motion '%s' jumps to a rate of %.3g at t = %.9g s, which the loops cannot follow: they miss it by %.3g "
             "(m/s or rad/s)",
             name, rate_of(s, motion, t, false), t, missed);
    clv_error_locate(&s->error, "motions", name, NULL);
    clv_error_hint(&s->error, "the mechanism is locked in this position, or its motions contradict each other");
    s->error.value = missed, s->error.time = t;
    return s->error.code;
}

/* y after the jump of the rates of motions */
static clv_status jump(clv_sim *s, double t, double *y)
{
    clv_system *k = &s->system;
    const size_t bytes = 6 * (size_t)s->plan->nbody * sizeof(double);
    int motion = 0;
    const double size = worst_jump(s, t, &motion);
    clv_status st = clv_system_rates(k, s->formulation, t, y, s->ydot);
    if (st != CLV_OK)
        return st;
    s->report.rate_evaluations++;
    memcpy(s->u, k->u, (size_t)s->plan->nu * sizeof(double));
    memcpy(s->S, k->kin.V, bytes);
    clv_kinematics_velocity_bias(&k->kin, s->P);
    clv_sim_span(s, INFINITY);
    st = clv_sim_kick(s, t, y, s->S, s->P, s->u);
    if (st != CLV_OK)
        return st;
    clv_sim_joint_impulses(k, s->S, s->dq, s->P);
    const double work = drive_work(s, t, s->P);
    double moved;
    clv_project_velocity(s, s->u, &moved); /* rounding */
    const double missed = clv_velocity_violation(s);
    if (!(missed <= CLV_TOL_RATES * fmax(1.0, size)))
        return cannot_follow(s, t, motion, missed);
    st = s->formulation->start(k, t, y, s->u, y);
    y[s->n - 1] += work;
    s->report.velocity_jumps++;
    s->report.max_velocity_jump = fmax(s->report.max_velocity_jump, size);
    return st;
}

/* ------------------------------------------------------------------ an event */

clv_status clv_sim_cross_event(clv_sim *s)
{
    const clv_break kind = s->event;
    const double t = s->integrator.t;
    clv_status st = CLV_OK;
    memcpy(s->y, s->integrator.y, (size_t)s->n * sizeof(double));
    if (kind == CLV_BREAK_VELOCITY)
        st = jump(s, t, s->y);
    if (st != CLV_OK) {
        clv_sim_span(s, s->until);
        return st;
    }
    clv_sim_next_event(s, fmax(t, s->until));
    s->report.events++;
    /* rates that only bend leave a one-step method nothing to drop */
    if (kind == CLV_BREAK_KINK && !s->integrator.method->multistep)
        return CLV_OK;
    s->seen_t = NAN;
    return clv_integrator_jump(&s->integrator, t, s->y);
}
