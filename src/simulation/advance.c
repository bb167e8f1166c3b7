/* SPDX-License-Identifier: Apache-2.0
 * Steps and outputs of a simulation: from one accepted state to the next, and what the caller sees of them. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/error.h"
#include "formulation/walk.h"
#include "math/rotation.h"
#include "simulation/blind.h"
#include "simulation/latch.h"
#include "simulation/unseen.h"

void clv_sim_keep_turns(clv_sim *s)
{
    if (s->plan->nedge > 0)
        memcpy(s->out_turn, s->system.kin.turn, 6 * (size_t)s->plan->nedge * sizeof(double));
}

static clv_status set_end(clv_sim *s, double end)
{
    if (!(end > s->integrator.t))
        return clv_fail(&s->error, CLV_ERR_USAGE, "the end %g s is before the present time %g s", end, s->integrator.t);
    s->integrator.options.direction_end = end;
    return CLV_OK;
}

clv_status clv_sim_set_end(clv_sim *s, double end)
{
    clv_status st = clv_sim_enter_unseen(s, __func__);
    return st == CLV_OK ? clv_sim_leave(s, set_end(s, end)) : st;
}

static void put_modes(clv_sim *s)
{
    size_t size = (size_t)s->plan->nmode * sizeof(double);
    memcpy(s->out_modes, s->system.kin.eta, size);
    memcpy(s->out_modes + s->plan->nmode, s->system.kin.etad, size);
}

/* Poses and velocities of the output state.  The last evaluation of a step was at its end. */
static clv_status find_velocities(clv_sim *s)
{
    clv_system *k = &s->system;
    const clv_formulation *f = s->formulation;
    if (f->velocities && !s->divided && s->seen_t == s->out_time && clv_walk_holds(k) &&
        memcmp(s->seen_y, s->out_y, (size_t)s->n * sizeof(double)) == 0) {
        clv_walk_show(k, s->out_y);
        return CLV_OK;
    }
    k->held = 0; /* of another state */
    return f->velocities ? f->velocities(k, s->out_time, s->out_y) : f->rates(k, s->out_time, s->out_y, s->ydot);
}

/* views, at the poses and velocities in the system */
static void fill_views(clv_sim *s)
{
    clv_system *k = &s->system;
    const clv_plan *p = s->plan;
    if (s->formulation->velocities)
        clv_system_observe(k);
    for (size_t b = 0; b < (size_t)p->nbody; b++) {
        memcpy(s->out_r + 3 * b, k->kin.com + 3 * b, 3 * sizeof(double));
        clv_quat_from_rotation(s->out_e + 4 * b, k->kin.R + 9 * b);
        memcpy(s->out_V + 6 * b, k->com_V + 6 * b, 6 * sizeof(double));
    }
    for (size_t i = 0; i < (size_t)s->model->nmarker; i++) {
        const clv_marker *m = &s->model->marker[i];
        double l[3], x[3], *to = s->out_marker + 6 * i;
        if (m->body < 0) {
            memcpy(to, m->position, 3 * sizeof(double)), memset(to + 3, 0, 3 * sizeof(double));
            continue;
        }
        size_t b = (size_t)m->body;
        clv_sub3(l, m->position, s->model->body[b].com);
        clv_mat3_times(x, k->kin.R + 9 * b, l);
        clv_cross(to + 3, k->com_V + 6 * b + 3, x);
        for (int j = 0; j < 3; j++)
            to[j] = k->kin.com[3 * b + (size_t)j] + x[j], to[3 + j] += k->com_V[6 * b + (size_t)j];
    }
    if (p->nmode > 0) {
        put_modes(s);
        clv_momentum_centres(s);
    }
    clv_momentum_show(s); /* leaves the momenta in P */
    s->out_kinetic = p->nstar > 0 ? clv_system_kinetic(k) : clv_system_kinetic_of(k, s->P);
    s->out_potential = clv_system_potential(k);
    s->out_gap = clv_position_violation(s), s->out_gap_speed = clv_velocity_violation(s);
    s->evaluated = false;
}

clv_status clv_sim_show(clv_sim *s)
{
    s->waits = false;
    if (clv_sim_blind(s))
        return clv_blind_show(s);
    const clv_status st = find_velocities(s);
    s->seen_t = NAN;
    s->shown = st == CLV_OK && clv_walk_holds(&s->system) ? s->system.held : 0;
    if (st == CLV_OK)
        fill_views(s);
    return st;
}

clv_status clv_sim_show_waiting(clv_sim *s)
{
    clv_system *k = &s->system;
    if (!(s->shown > 0 && s->shown == k->held && clv_walk_holds(k)))
        return clv_sim_show(s);
    s->waits = false;
    clv_walk_show(k, s->out_y);
    fill_views(s);
    return CLV_OK;
}

clv_status clv_sim_close(clv_sim *s, bool inside)
{
    double moved;
    if (s->any_loop && s->options.project && inside) {
        clv_status st = clv_close_position(s, s->out_time, s->out_y, false, &moved);
        if (st == CLV_OK && s->formulation->closing)
            st = s->formulation->closing->velocity(&s->system, s->out_time, s->out_y, s->out_y + s->plan->nq);
        if (st != CLV_OK)
            return st;
    }
    return clv_sim_show(s);
}

static void step_too_small(clv_sim *s)
{
    char what[80];
    int body = -1, joint = -1;
    (void)clv_step_set_by(s, &body, &joint);
    snprintf(what, sizeof what, "the step size became too small (%.3g s)", s->integrator.stats.next_step);
    s->system.kin.time = s->integrator.t;
    clv_system_fail(&s->system, CLV_ERR_STEP_SIZE, body, joint, what);
    clv_error_hint(&s->error,
                   "a singular position, a stiff force or a tolerance below rounding; try another `rtol` or `rank`, or "
                   "a smaller stiffness");
}

/* the last good state becomes the output state; the error stays */
static clv_status show_last(clv_sim *s, clv_status st)
{
    memcpy(s->out_y, s->integrator.y, (size_t)s->n * sizeof(double));
    clv_sim_keep_turns(s);
    s->out_time = s->integrator.t;
    const clv_error kept = s->error;
    (void)clv_sim_show(s);
    s->error = kept;
    return st;
}

/* a step could not be made */
static clv_status stopped(clv_sim *s, clv_status st)
{
    if (st == CLV_ERR_STEP_SIZE && s->integrator.method->asks == CLV_ASK_MECHANICS) {
        clv_fail(&s->error, st, "integrator '%s': the step of %.3g s from t = %.9g s did not converge",
                 s->integrator.method->name, s->integrator.options.step, s->integrator.t);
        clv_error_hint(&s->error,
                       "try a smaller step; near a singular position or with stiff forces an adaptive integrator");
        s->error.time = s->integrator.t;
    } else if (st == CLV_ERR_STEP_SIZE) {
        step_too_small(s);
    }
    if (st == CLV_ERR_INCONSISTENT || st == CLV_ERR_NO_CONVERGENCE || st == CLV_ERR_SINGULAR ||
        st == CLV_ERR_STEP_SIZE) {
        const clv_error first = s->error;
        const bool told = strncmp(first.path, "motions", 7) == 0; /* by clv_check_reach after the last step */
        if (!told && clv_check_reach(s, s->integrator.t, s->integrator.y, true) != CLV_OK)
            st = s->error.code;
        else
            s->error = first;
    }
    return show_last(s, st);
}

/* Has the last step begun after this time?  Nothing interpolates there any more. */
static bool is_passed(const clv_sim *s, double time) { return !s->stale && time < s->integrator.t_old; }

clv_status clv_sim_open_step(clv_sim *s, double time, bool *due)
{
    *due = false;
    if (!isfinite(time))
        return clv_fail(&s->error, CLV_ERR_USAGE, "the time to advance to is %g s; it must be a finite number", time);
    if (!(time >= s->out_time))
        return clv_fail(&s->error, CLV_ERR_USAGE, "time %g s is before the present time %g s", time, s->out_time);
    if (is_passed(s, time) && time > s->out_time)
        return clv_fail(&s->error, CLV_ERR_USAGE, "steps have passed time %g s: the last one began at %g s", time,
                        s->integrator.t_old);
    clv_status st = clv_latches_before(s, time);
    if (st != CLV_OK) /* the output state is that before the event */
        return st;
    s->integrator.dense_from = s->latches || (s->divided && s->divided->looks) ? NAN : time;
    clv_sim_stop_at(s, s->lands ? time : INFINITY);
    st = s->stale ? clv_sim_jump(s) : CLV_OK;
    if (st != CLV_OK)
        return stopped(s, st);
    if (clv_sim_reached(s) >= time)
        return CLV_OK;
    if (s->integrator.t == s->integrator.options.direction_end)
        return clv_fail(&s->error, CLV_ERR_USAGE, "time %g s is beyond the end of the run, %g s", time,
                        s->integrator.t);
    st = clv_check_pace(s);
    if (st != CLV_OK)
        return show_last(s, st);
    s->evaluated = false; /* from here on the kinematics are those of the step, not of the output state */
    clv_unseen_step(s);
    if (clv_sim_at_event(s)) {
        st = s->waits ? clv_sim_show_waiting(s) : CLV_OK; /* loads of the time after it are others */
        st = st == CLV_OK ? clv_sim_cross_event(s) : st;
    }
    clv_sim_stop_at(s, s->lands ? time : INFINITY);
    *due = st == CLV_OK;
    return st == CLV_OK ? st : clv_sim_close_step(s, st);
}

clv_status clv_sim_close_step(clv_sim *s, clv_status st)
{
    while ((st == CLV_ERR_STEP_SIZE || st == CLV_ERR_SINGULAR) && clv_keep_at_edge(s)) {
        clv_error_clear(&s->error);
        st = clv_integrator_restart(&s->integrator, s->integrator.t, s->integrator.y);
        if (st == CLV_OK)
            st = clv_integrator_step(&s->integrator);
    }
    if (st == CLV_OK && s->latches)
        st = clv_latches_look(s);
    if (st != CLV_OK)
        return stopped(s, st);
    clv_unseen_step(s);
    return CLV_OK;
}

static clv_status step(clv_sim *s, double time)
{
    bool due;
    const clv_status st = clv_sim_open_step(s, time, &due);
    return due ? clv_sim_close_step(s, clv_integrator_step(&s->integrator)) : st;
}

static clv_status advance(clv_sim *s, double time)
{
    clv_status st;
    if (time == s->out_time && is_passed(s, time))
        return CLV_OK; /* it is shown */
    do
        st = step(s, time);
    while (st == CLV_OK && clv_sim_reached(s) < time);
    if (st != CLV_OK)
        return st;
    clv_integrator_dense(&s->integrator, time, s->out_y);
    clv_sim_keep_turns(s);
    s->out_time = time;
    return s->any_loop ? clv_sim_close(s, time < s->integrator.t) : clv_unseen_show(s);
}

clv_status clv_sim_step(clv_sim *s, double time)
{
    clv_status st = clv_sim_enter_unseen(s, __func__);
    return st == CLV_OK ? clv_sim_leave(s, step(s, time)) : st;
}

clv_status clv_sim_advance(clv_sim *s, double time)
{
    clv_status st = clv_sim_enter_unseen(s, __func__);
    return st == CLV_OK ? clv_sim_leave(s, advance(s, time)) : st;
}
