/* SPDX-License-Identifier: Apache-2.0
 * What events of the model do (T60, T95); see latch.h.  All that are due change the topology together, and the
 * simulation is built anew for it.  An impulse can bring a rate beyond the value of another condition, which is then
 * due at the same time.  Runs end after everything else that is due.  Events that follow each other without end are
 * an error with their name. */
#include "base/error.h"
#include "math/rotation.h"
#include "model/joint.h"
#include "simulation/latch.h"
#include "simulation/sim.h"
#include <math.h>
#include <string.h>

static const double SOON = 1e-8; /* s, and parts of the time: an event that comes again within it is quick    */
enum { MOST_QUICK = 50 };        /* times in a row: the intervals add up to an end (Zeno), or to nothing       */
static const long MOST = 100000; /* times in a run                                                             */

/* The output state moves to the event, unless the caller has it there already. */
static clv_status show_event(clv_sim *s, double t)
{
    if (s->out_time == t)
        return CLV_OK;
    clv_integrator_dense(&s->integrator, t, s->out_y);
    if (s->plan->nedge > 0)
        memcpy(s->out_turn, s->system.kin.turn, 6 * (size_t)s->plan->nedge * sizeof(double));
    s->out_time = t;
    return clv_sim_close(s, t < s->integrator.t);
}

/* Modes; centres of mass of flexible bodies are those without deformation. */
static clv_status take_modes(clv_sim *s, clv_moment *x)
{
    const clv_plan *p = s->plan;
    const size_t nb = (size_t)s->model->nbody;
    int at = 0;
    for (int k = 0; k < p->nstar; at += p->star[k++].nmode) {
        const size_t bytes = (size_t)p->star[k].nmode * sizeof(double);
        memcpy(x->eta + at, s->out_modes + p->star[k].mode, bytes);
        memcpy(x->etad + at, s->out_modes + p->nmode + p->star[k].mode, bytes);
    }
    if (p->nstar == 0)
        return CLV_OK;
    const clv_status st = clv_system_pose(&s->system, s->out_time, s->out_y);
    memcpy(x->r, s->system.kin.com, 3 * nb * sizeof(double));
    memcpy(x->V, s->system.com_V, 6 * nb * sizeof(double));
    return st;
}

static clv_status take(clv_sim *s, clv_moment *x)
{
    const size_t nb = (size_t)s->model->nbody;
    clv_status st = clv_find_coordinates(s, x->q, x->u);
    memcpy(x->r, s->out_r, 3 * nb * sizeof(double)), memcpy(x->e, s->out_e, 4 * nb * sizeof(double));
    memcpy(x->V, s->out_V, 6 * nb * sizeof(double));
    if (st == CLV_OK)
        st = take_modes(s, x);
    const size_t motions = (size_t)s->latches->given->nmotion;
    memcpy(x->servo, s->servo, 4 * motions * sizeof(double));
    memcpy(x->ramp, s->ramp, 2 * (size_t)s->model->ninput * sizeof(double));
    memcpy(x->input, s->input, (size_t)s->model->ninput * sizeof(double));
    memset(x->fresh, 0, (size_t)s->model->njoint * sizeof(bool));
    x->time = s->out_time;
    x->energy = s->out_kinetic + s->out_potential, x->work = s->out_y[s->n - 1];
    return st;
}

/* ------------------------------------------------------------------ the topology */

static void body_pose(const clv_model *m, const clv_moment *x, int body, double r[3], double R[9])
{
    double l[3];
    memset(R, 0, 9 * sizeof(double)), memset(r, 0, 3 * sizeof(double));
    R[0] = R[4] = R[8] = 1;
    if (body < 0)
        return;
    clv_quat_rotation(R, x->e + 4 * (size_t)body);
    clv_mat3_times(l, R, m->body[body].com);
    clv_sub3(r, x->r + 3 * (size_t)body, l);
}

/* The frame on b that coincides with that on a. */
static void meet(const clv_model *m, clv_moment *x, int joint, double frame[12])
{
    const clv_joint *j = &m->joint[joint];
    double ra[3], Ra[9], rb[3], Rb[9], at[3], E[9], l[3];
    body_pose(m, x, j->a, ra, Ra), body_pose(m, x, j->b, rb, Rb);
    clv_mat3_times(at, Ra, j->pa);
    clv_axpy3(at, 1, ra);
    clv_sub3(l, at, rb);
    clv_mat3_transpose_times(frame, Rb, l);
    clv_mat3_product(E, Ra, j->Ea);
    clv_mat3_transpose_product(frame + 3, Rb, E);
    memset(x->q + 7 * (size_t)joint, 0, 7 * sizeof(double)), memset(x->u + 6 * (size_t)joint, 0, 6 * sizeof(double));
    clv_joint_zero(j->kind, x->q + 7 * (size_t)joint);
    x->fresh[joint] = true;
}

static void release(clv_topology *t, const clv_model *m, const clv_event *e)
{
    const clv_event *other = e->undone >= 0 ? &m->event[e->undone] : NULL;
    const int gone = other ? other->attached : e->opened;
    if (gone >= 0)
        t->absent[gone] = true, t->held[gone] = NAN;
    else if (other && t->holder[other->lock] == e->undone)
        t->held[other->lock] = NAN;
}

void clv_topology_change(const clv_model *m, clv_latches *l)
{
    clv_topology *t = &l->next;
    clv_moment *x = &l->here;
    for (int i = 0; i < m->nevent; i++) {
        const clv_event *e = &m->event[i];
        if (!l->of[i].due)
            continue;
        if (e->action == CLV_ACTION_RELEASE)
            release(t, m, e);
        else if (e->action == CLV_ACTION_LOCK && !t->absent[e->lock] && isnan(t->held[e->lock]))
            t->held[e->lock] = x->q[7 * (size_t)e->lock], t->holder[e->lock] = i;
        else if (e->action == CLV_ACTION_ATTACH && t->absent[e->attached])
            t->absent[e->attached] = false, meet(m, x, e->attached, t->frame + 12 * (size_t)i);
    }
}

void clv_topology_copy(clv_topology *to, const clv_topology *from, const clv_model *m)
{
    memcpy(to->held, from->held, (size_t)m->njoint * sizeof *to->held);
    memcpy(to->holder, from->holder, (size_t)m->njoint * sizeof *to->holder);
    memcpy(to->absent, from->absent, (size_t)m->njoint * sizeof *to->absent);
    memcpy(to->frame, from->frame, 12 * (size_t)m->nevent * sizeof *to->frame);
}

/* ------------------------------------------------------------------ one after the other */

static clv_status endless(clv_sim *s, const clv_event *e, const clv_happening *h)
{
    if (h->quick > MOST_QUICK)
        clv_fail(&s->error, CLV_ERR_NO_CONVERGENCE,
                 "event '%s' repeats without end: at t = %.9g s it has happened %d times in a row within %.0e s of the "
                 "time before (chattering, or Zeno's paradox)",
                 e->name, h->result.time, MOST_QUICK, SOON);
    else
        clv_fail(&s->error, CLV_ERR_NO_CONVERGENCE, "event '%s' has happened %ld times until t = %.9g s", e->name, MOST,
                 h->result.time);
    clv_error_locate(&s->error, "events", e->name, NULL);
    clv_error_hint(&s->error, "set the values of events that undo each other further apart, or leave `again` out");
    s->error.time = h->result.time;
    return s->error.code;
}

/* Counts the events that are due. */
static clv_status count(clv_sim *s)
{
    const double t = s->latches->pending;
    clv_status st = CLV_OK;
    for (int i = 0; i < s->model->nevent; i++) {
        const clv_event *e = &s->model->event[i];
        clv_happening *h = &s->latches->of[i];
        if (!h->due)
            continue;
        const bool soon = h->result.happened && t - h->result.time <= SOON * fmax(1, fabs(t));
        h->quick = soon ? h->quick + 1 : 0;
        h->result = (clv_event_result){.happened = true, .count = h->result.count + 1, .time = t, .q = NAN};
        h->armed = false;
        if (st == CLV_OK && (h->quick > MOST_QUICK || h->result.count > MOST))
            st = endless(s, e, h);
    }
    return st;
}

/* Rates just before the event, of those that may follow it. */
static clv_status look_before(clv_sim *s)
{
    bool posed = false;
    clv_status st = CLV_OK;
    for (int i = 0; i < s->model->nevent && st == CLV_OK; i++) {
        const clv_event *e = &s->model->event[i];
        clv_happening *h = &s->latches->of[i];
        h->before = NAN;
        if (clv_latches_jumps(e) && h->armed && !h->due)
            st = clv_latches_distance(s, e, s->out_time, s->out_y, &h->before, &posed);
    }
    if (posed)
        s->seen_t = NAN, s->system.held = 0;
    return st;
}

/* Those that the impulse has brought about are due now. */
static clv_status look_after(clv_sim *s)
{
    bool posed = false;
    clv_status st = CLV_OK;
    for (int i = 0; i < s->model->nevent && st == CLV_OK; i++) {
        clv_happening *h = &s->latches->of[i];
        double g = NAN;
        if (h->before < 0)
            st = clv_latches_distance(s, &s->model->event[i], s->out_time, s->out_y, &g, &posed);
        h->due = g >= 0;
    }
    if (posed)
        s->seen_t = NAN, s->system.held = 0;
    return st;
}

/* Which event ends the run, of those that are due; the first, or -1. */
static int ending(const clv_sim *s)
{
    for (int i = 0; i < s->model->nevent; i++)
        if (s->latches->of[i].due && s->model->event[i].action == CLV_ACTION_STOP)
            return i;
    return -1;
}

static bool any_changes(const clv_sim *s)
{
    for (int i = 0; i < s->model->nevent; i++)
        if (s->latches->of[i].due && s->model->event[i].action != CLV_ACTION_STOP)
            return true;
    return false;
}

/* The simulation after the event; what it has been stays with the new one's predecessor on failure. */
static clv_status turn(clv_sim *s)
{
    clv_latches *l = s->latches;
    clv_status st = look_before(s);
    if (st == CLV_OK)
        st = take(s, &l->here);
    if (st != CLV_OK)
        return st;
    clv_topology_copy(&l->next, &l->now, s->model);
    clv_topology_change(s->model, l);
    st = clv_variant_build(s, &l->next, &l->here);
    if (st != CLV_OK)
        return st;
    const clv_topology before = l->now;
    const clv_moment last = l->last;
    l->now = l->next, l->next = before;
    l->last = l->here, l->here = last;
    return look_after(s);
}

/* All that is due; then that is due which follows at once. */
static clv_status cross(clv_sim *s)
{
    clv_latches *l = s->latches;
    const size_t bytes = (size_t)s->model->nevent * sizeof *l->of;
    const int end = ending(s);
    memcpy(l->was, l->of, bytes);
    clv_status st = count(s);
    if (st == CLV_OK && any_changes(s))
        st = turn(s);
    else
        for (int i = 0; i < s->model->nevent; i++)
            l->of[i].due = false;
    if (st != CLV_OK) {
        memcpy(l->of, l->was, bytes);
        return st;
    }
    l->stopped = end >= 0 ? end : l->stopped;
    return CLV_OK;
}

static bool any_due(const clv_sim *s)
{
    for (int i = 0; i < s->model->nevent; i++)
        if (s->latches->of[i].due)
            return true;
    return false;
}

static clv_status has_stopped(clv_sim *s)
{
    const clv_event *e = &s->model->event[s->latches->stopped];
    clv_fail(&s->error, CLV_STOPPED, "event '%s' has ended the run at t = %.9g s", e->name, s->out_time);
    clv_error_locate(&s->error, "events", e->name, NULL);
    s->error.time = s->out_time;
    return CLV_STOPPED;
}

clv_status clv_latches_cross(clv_sim *s)
{
    clv_latches *l = s->latches;
    if (l->stopped >= 0)
        return has_stopped(s);
    clv_status st = show_event(s, l->pending);
    while (st == CLV_OK && any_due(s))
        st = cross(s);
    if (st != CLV_OK)
        return st;
    l->pending = INFINITY;
    return l->stopped >= 0 ? has_stopped(s) : CLV_OK;
}

/* ------------------------------------------------------------------ on the side */

/* As many of the joints stay in the tree as its loops let. */
static clv_status build_keeping(clv_sim *s, const clv_topology *topology, const clv_moment *x, const bool *keep)
{
    s->latches->keep = keep;
    clv_status st = clv_variant_build(s, topology, x);
    s->latches->keep = NULL;
    if (st != CLV_ERR_UNSUPPORTED || !keep)
        return st;
    clv_error_clear(&s->error);
    return clv_variant_build(s, topology, x);
}

clv_status clv_latches_follow(clv_sim *s, const bool *due, const bool *keep, clv_sim **to)
{
    clv_latches *l = s->latches;
    clv_sim_options o = s->options;
    o.formulation = "dca", o.integrator = "dopri5", o.step = clv_sim_options_default().step;
    clv_status st = clv_sim_create(to, l->given, &o);
    if (st != CLV_OK) {
        s->error = *clv_sim_error(*to);
        clv_sim_destroy(*to), *to = NULL;
        return st;
    }
    st = take(s, &l->here);
    for (int i = 0; i < s->model->nevent; i++)
        l->of[i].due = due && due[i];
    clv_topology_copy(&l->next, &l->now, s->model);
    clv_topology_change(s->model, l);
    for (int i = 0; i < s->model->nevent; i++)
        l->of[i].due = false;
    if (st == CLV_OK)
        st = build_keeping(*to, &l->next, &l->here, keep);
    if (st == CLV_OK)
        clv_topology_copy(&(*to)->latches->now, &l->next, s->model);
    else if ((*to)->error.code != CLV_OK)
        s->error = (*to)->error;
    return st;
}
