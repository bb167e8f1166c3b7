/* SPDX-License-Identifier: Apache-2.0
 * The impulse of an event of the model (T60.1, T95.1).  Velocities change as at a jump of the rate of a motion (T41.1),
 * by impulses of locks, attachments, joints and closings alone: the least change in the sense of kinetic energy. */
#include "base/error.h"
#include "base/tolerance.h"
#include "math/rotation.h"
#include "math/spatial.h"
#include "simulation/latch.h"
#include "simulation/sim.h"
#include <math.h>
#include <string.h>

/* Rates u of the tree of the plan before the impulse: of joints, and of bodies that have none.  Those of a joint that
 * was not there count as 0. */
static void take_rates(clv_sim *s, const clv_moment *x)
{
    const clv_plan *p = s->plan;
    for (size_t b = 0; b < (size_t)p->nbody; b++) {
        const clv_tree_joint *t = &p->tree[b];
        double *to = s->u + t->iu;
        if (t->iu < 0 || t->link >= 0)
            continue;
        if (t->joint >= 0)
            memcpy(to, x->u + 6 * (size_t)t->joint, (size_t)t->f * sizeof(double));
        else {
            memcpy(to, x->V + 6 * b, 3 * sizeof(double));
            clv_mat3_transpose_times(to + 3, s->system.kin.R + 9 * b, x->V + 6 * b + 3);
        }
    }
}

static void take_modal_rates(clv_sim *s, const clv_moment *x)
{
    const clv_plan *p = s->plan;
    for (int k = 0, at = 0; k < p->nstar; at += p->star[k++].nmode)
        memcpy(s->u + p->star[k].iu, x->etad + at, (size_t)p->star[k].nmode * sizeof(double));
}

/* V (nbody x 6) of reference points before the impulse, and c (nbody x 6): what of the motion of a body against its
 * parent the rates u of its joint do not give. */
static void take_motion(clv_sim *s, const clv_moment *x, double *V, double *c)
{
    const clv_plan *p = s->plan;
    const clv_kinematics *k = &s->system.kin;
    double l[3], carried[6];
    for (size_t b = 0; b < (size_t)p->nbody; b++) {
        clv_sub3(l, k->ref + 3 * b, k->com + 3 * b);
        clv_motion_shift(V + 6 * b, l, x->V + 6 * b);
    }
    for (size_t b = 0; b < (size_t)p->nbody; b++) {
        const clv_tree_joint *t = &p->tree[b];
        memcpy(c + 6 * b, V + 6 * b, sizeof carried);
        if (t->link >= 0) { /* of a flexible body, which stays as it is */
            memset(c + 6 * b, 0, sizeof carried);
            continue;
        }
        if (t->parent >= 0) {
            clv_sub3(l, k->ref + 3 * b, k->ref + 3 * (size_t)t->parent);
            clv_motion_shift(carried, l, V + 6 * (size_t)t->parent);
            for (size_t i = 0; i < 6; i++)
                c[6 * b + i] -= carried[i];
        }
        for (int d = 0; t->iu >= 0 && d < t->f; d++)
            for (size_t i = 0; i < 6; i++)
                c[6 * b + i] -= k->H[clv_columns(p, b) + 6 * (size_t)d + i] * s->u[t->iu + d];
    }
}

/* ------------------------------------------------------------------ what it was */

/* of the lock on joint, along its rate; T: impulses in the tree */
static double impulse_on(const clv_sim *s, int joint, const double *T)
{
    const clv_plan *p = s->plan;
    const int b = p->child_of_joint[joint], e = p->edge_of_joint[joint];
    if (b >= 0)
        return clv_dot6(T + 6 * (size_t)b, s->system.kin.H + clv_columns(p, (size_t)b));
    return e >= 0 ? s->system.engine.sigma[p->edge[e].row + p->edge[e].m - 1] : 0;
}

/* Impulse of the joint on its b at b's point, global axes, and the energy it takes; c: as of take_motion. */
static double wrench_of(const clv_sim *s, int joint, const double *T, const double *c, double w[6])
{
    const clv_plan *p = s->plan;
    const int b = p->child_of_joint[joint], e = p->edge_of_joint[joint];
    double lost = 0;
    memset(w, 0, 6 * sizeof(double));
    if (b >= 0) {
        clv_wrench_on_b(s, b, T + 6 * (size_t)b, w);
        return -0.5 * clv_dot6(T + 6 * (size_t)b, c + 6 * (size_t)b);
    }
    for (int r = 0; e >= 0 && r < p->edge[e].m; r++) {
        const double sigma = s->system.engine.sigma[p->edge[e].row + r];
        for (int i = 0; i < 6; i++)
            w[i] += s->system.kin.D[36 * (size_t)e + 6 * (size_t)r + (size_t)i] * sigma;
        lost += 0.5 * sigma * s->row[p->edge[e].row + r]; /* row: minus the rate before */
    }
    return lost;
}

/* What the events that are due have done.  A lock or an attachment that was there already does nothing. */
static void note(clv_sim *s, const clv_moment *x, const double *T, const double *c)
{
    const clv_latches *l = s->latches;
    for (int i = 0; i < s->model->nevent; i++) {
        const clv_event *e = &s->model->event[i];
        clv_happening *h = &l->of[i];
        double w[6];
        if (!h->due)
            continue;
        if (e->action == CLV_ACTION_LOCK)
            h->result.q = x->q[7 * (size_t)e->lock];
        if (e->action == CLV_ACTION_LOCK && isnan(l->now.held[e->lock]) && l->next.holder[e->lock] == i &&
            !isnan(l->next.held[e->lock])) {
            const double rotor = s->model->joint[e->lock].more->armature[0]; /* it stops, too (T113) */
            h->result.impulse = impulse_on(s, e->lock, T) - rotor * x->u[6 * (size_t)e->lock];
            h->result.energy_lost = -0.5 * h->result.impulse * x->u[6 * (size_t)e->lock];
        }
        if (e->action == CLV_ACTION_ATTACH && x->fresh[e->attached]) {
            h->result.energy_lost = wrench_of(s, e->attached, T, c, w);
            memcpy(h->result.linear, w, sizeof h->result.linear);
            memcpy(h->result.angular, w + 3, sizeof h->result.angular);
            h->result.impulse = clv_norm3(w);
        }
    }
}

static clv_status cannot(clv_sim *s, double missed)
{
    const clv_event *x = NULL;
    for (int i = 0; i < s->model->nevent; i++)
        if (s->latches->of[i].due)
            x = &s->model->event[i];
    clv_fail(&s->error, CLV_ERR_INCONSISTENT,
             "event '%s' at t = %.9g s: the velocities miss the constraints by %.3g (m/s or rad/s) after its impulse",
             x ? x->name : "", s->model->begin, missed);
    clv_error_locate(&s->error, "events", x ? x->name : "", NULL);
    clv_error_hint(&s->error, "the mechanism is in a singular position, or motions contradict the event");
    s->error.value = missed, s->error.time = s->model->begin;
    return s->error.code;
}

clv_status clv_latches_hit(clv_sim *s, const clv_moment *x)
{
    clv_system *k = &s->system;
    const double t = x->time;
    double moved, fastest = 1;
    clv_status st = clv_system_place(k, t, s->q);
    if (st != CLV_OK)
        return st;
    take_rates(s, x), take_modal_rates(s, x);
    take_motion(s, x, s->S, x->c);
    for (int i = 0; i < 6 * s->model->nbody; i++)
        fastest = fmax(fastest, fabs(x->V[i]));
    st = clv_sim_kick(s, t, s->q, s->S, x->c, s->u);
    if (st != CLV_OK)
        return st;
    clv_sim_joint_impulses(k, s->S, s->dq, s->P);
    note(s, x, s->P, x->c);
    clv_project_velocity(s, s->u, &moved); /* rounding */
    const double missed = clv_velocity_violation(s);
    if (!(missed <= CLV_TOL_RATES * fastest))
        return cannot(s, missed);
    memcpy(s->out_y, s->y, (size_t)s->n * sizeof(double));
    return s->formulation->start(k, t, s->q, s->u, s->out_y);
}
