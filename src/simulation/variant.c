/* SPDX-License-Identifier: Apache-2.0
 * What an event of the model does (T60); see latch.h.  Positions are kept.  A locked joint gets a motion that holds its
 * coordinate.  Velocities change as at a jump of the rate of a motion (T41.1), by impulses of locks, joints and
 * closings alone: the least change in the sense of kinetic energy. */
#include "base/error.h"
#include "base/memory.h"
#include "base/tolerance.h"
#include "math/rotation.h"
#include "math/spatial.h"
#include "simulation/latch.h"
#include "simulation/sim.h"
#include <math.h>
#include <string.h>

/* The state just before the event. */
typedef struct moment {
    double *q, *u;      /* (njoint x 7) (njoint x 6)                                          */
    double *r, *e, *V;  /* (nbody x 3, 4, 6) of centres of mass, as the views                 */
    double energy, work;
    clv_arena block;
} moment;

static void layout(moment *x, const clv_model *m)
{
    CLV_TAKE(&x->block, x->q, 7 * m->njoint), CLV_TAKE(&x->block, x->u, 6 * m->njoint);
    CLV_TAKE(&x->block, x->r, 3 * m->nbody), CLV_TAKE(&x->block, x->e, 4 * m->nbody);
    CLV_TAKE(&x->block, x->V, 6 * m->nbody);
}

static clv_status out_of_memory(clv_sim *s)
{
    return clv_fail(&s->error, CLV_ERR_MEMORY, "out of memory at an event of the model");
}

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

static clv_status take(clv_sim *s, moment *x)
{
    const size_t nb = (size_t)s->model->nbody;
    const clv_status st = clv_find_coordinates(s, x->q, x->u);
    memcpy(x->r, s->out_r, 3 * nb * sizeof(double)), memcpy(x->e, s->out_e, 4 * nb * sizeof(double));
    memcpy(x->V, s->out_V, 6 * nb * sizeof(double));
    x->energy = s->out_kinetic + s->out_potential, x->work = s->out_y[s->n - 1];
    return st;
}

/* ------------------------------------------------------------------ the variant */

void clv_variant_free(clv_model *v)
{
    if (!v)
        return;
    clv_free(v->body), clv_free(v->joint), clv_free(v->motion), clv_free(v->input);
    clv_free(v);
}

static void *copy(const void *list, int n, int more, size_t size)
{
    void *to = clv_alloc((size_t)n + (size_t)more + 1, size);
    if (to && n > 0)
        memcpy(to, list, (size_t)n * size);
    return to;
}

/* a copy of the model with room for more motions; NULL when out of memory */
static clv_model *copy_model(const clv_model *m, int more)
{
    clv_model *v = clv_alloc(1, sizeof *v);
    if (!v)
        return NULL;
    *v = *m;
    v->body = copy(m->body, m->nbody, 0, sizeof *v->body), v->joint = copy(m->joint, m->njoint, 0, sizeof *v->joint);
    v->motion = copy(m->motion, m->nmotion, more, sizeof *v->motion);
    v->input = copy(m->input, m->ninput, 0, sizeof *v->input);
    if (v->body && v->joint && v->motion && v->input)
        return v;
    clv_variant_free(v);
    return NULL;
}

static bool is_driven(const clv_model *m, int joint)
{
    for (int k = 0; k < m->nmotion; k++)
        if (m->motion[k].joint == joint)
            return true;
    return false;
}

/* start data: the state of the moment, at rest; the velocities come by the impulse */
static void place(clv_model *v, const moment *x)
{
    for (int j = 0; j < v->njoint; j++) {
        clv_joint *to = &v->joint[j];
        to->has_q = clv_joint_table[to->kind].nu > 0, to->has_u = to->follows = false;
        memcpy(to->q, x->q + 7 * (size_t)j, sizeof to->q);
    }
    for (size_t b = 0; b < (size_t)v->nbody; b++) {
        clv_body *to = &v->body[b];
        double R[9], l[3];
        memcpy(to->e, x->e + 4 * b, sizeof to->e);
        clv_quat_rotation(R, to->e);
        clv_mat3_times(l, R, to->com);
        clv_sub3(to->r, x->r + 3 * b, l);
        to->moving = false;
    }
}

/* motions that hold the joints of events that are due */
static void lock(clv_model *v, const clv_latches *x, const moment *now)
{
    for (int i = 0; i < v->nevent; i++) {
        const clv_event *e = &v->event[i];
        if (x->of[i].due && !is_driven(v, e->lock))
            v->motion[v->nmotion++] =
                (clv_motion){.name = e->name, .joint = e->lock, .offset = now->q[7 * (size_t)e->lock]};
    }
}

/* ------------------------------------------------------------------ the impulse */

/* Rates u of the tree of the plan: of joints, and of bodies that have none. */
static void take_rates(clv_sim *s, const moment *x)
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

/* V (nbody x 6) of reference points, and biases c (nbody x 6) of tree joints, before the impulse */
static void take_motion(clv_sim *s, const moment *x, int first, double *V, double *c)
{
    const clv_plan *p = s->plan;
    const clv_kinematics *k = &s->system.kin;
    for (size_t b = 0; b < (size_t)p->nbody; b++) {
        double l[3];
        clv_sub3(l, k->ref + 3 * b, k->com + 3 * b);
        clv_motion_shift(V + 6 * b, l, x->V + 6 * b);
    }
    clv_kinematics_velocity_bias(k, c);
    for (int i = first; i < s->model->nmotion; i++) {
        const int joint = s->model->motion[i].joint, b = p->child_of_joint[joint];
        for (int r = 0; b >= 0 && r < 6; r++)
            c[6 * (size_t)b + (size_t)r] +=
                k->H[clv_columns(p, (size_t)b) + (size_t)r] * x->u[6 * (size_t)joint];
    }
}

/* of the lock on joint, along its rate; T: impulses in the tree */
static double impulse_on(const clv_sim *s, int joint, const double *T)
{
    const clv_plan *p = s->plan;
    const int b = p->child_of_joint[joint], e = p->edge_of_joint[joint];
    if (b >= 0)
        return clv_dot6(T + 6 * (size_t)b, s->system.kin.H + clv_columns(p, (size_t)b));
    return e >= 0 ? s->system.engine.sigma[p->edge[e].row + p->edge[e].m - 1] : 0;
}

static clv_status cannot_lock(clv_sim *s, double missed)
{
    const clv_motion *x = &s->model->motion[s->model->nmotion - 1];
    clv_fail(&s->error, CLV_ERR_INCONSISTENT,
             "event '%s' at t = %.9g s: the velocities miss the constraints by %.3g (m/s or rad/s) after the lock",
             x->name, s->model->begin, missed);
    clv_error_locate(&s->error, "events", x->name, NULL);
    clv_error_hint(&s->error, "the mechanism is in a singular position, or motions contradict the lock");
    s->error.value = missed, s->error.time = s->model->begin;
    return s->error.code;
}

/* What the events have done; `first`: the motions from there on are new. */
static void note(clv_sim *s, const moment *x, int first, const double *T)
{
    for (int i = 0; i < s->model->nevent; i++) {
        clv_happening *h = &s->latches->of[i];
        const int joint = s->model->event[i].lock;
        if (!h->due)
            continue;
        h->result = (clv_event_result){true, s->model->begin, x->q[7 * (size_t)joint], 0, 0};
        for (int k = first; k < s->model->nmotion; k++)
            if (s->model->motion[k].name == s->model->event[i].name) {
                h->result.impulse = impulse_on(s, joint, T);
                h->result.energy_lost = -0.5 * h->result.impulse * x->u[6 * (size_t)joint];
            }
    }
}

/* T60.1: rates after the impulse into s->u, state into s->out_y */
static clv_status hit(clv_sim *s, const moment *x, int first)
{
    clv_system *k = &s->system;
    const double t = s->model->begin;
    double moved, fastest = 1;
    clv_status st = clv_system_place(k, t, s->q);
    if (st != CLV_OK)
        return st;
    take_rates(s, x);
    take_motion(s, x, first, s->S, s->P);
    for (int i = 0; i < 6 * s->model->nbody; i++)
        fastest = fmax(fastest, fabs(x->V[i]));
    st = clv_sim_kick(s, t, s->q, s->S, s->P, s->u);
    if (st != CLV_OK)
        return st;
    clv_sim_joint_impulses(k, s->S, s->dq, s->P);
    note(s, x, first, s->P);
    clv_project_velocity(s, s->u, &moved); /* rounding */
    const double missed = clv_velocity_violation(s);
    if (!(missed <= CLV_TOL_RATES * fastest))
        return cannot_lock(s, missed);
    memcpy(s->out_y, s->y, (size_t)s->n * sizeof(double));
    return s->formulation->start(k, t, s->q, s->u, s->out_y);
}

/* ------------------------------------------------------------------ the same simulation, anew */

/* What is taken over from the simulation before the event. */
static void inherit(clv_sim *s, const clv_sim *old)
{
    s->options = old->options, s->apart = old->apart;
    s->ready = old->ready, s->busy = old->busy, s->intruder = old->intruder;
    s->latches = old->latches, s->views = old->views;
    s->controls = old->controls, s->control_block = old->control_block;
    s->options.start_tolerance = -1; /* rounding is closed again */
}

static void continue_accounts(clv_sim *s, const clv_sim *old)
{
    const size_t nj = (size_t)s->model->njoint;
    const double rank = s->report.rank;
    s->report = old->report, s->report.rank = rank;
    clv_integrator_stats *to = &s->integrator.stats;
    const clv_integrator_stats *from = &old->integrator.stats;
    to->steps += from->steps, to->rejected += from->rejected, to->evaluations += from->evaluations;
    s->system.counts = old->system.counts;
    s->potential_initial = old->potential_initial;
    s->lands = old->lands, s->handed = old->handed;
    s->options = old->options;
    s->integrator.options.direction_end = old->integrator.options.direction_end;
    s->scale[s->n - 1] = fmax(s->scale[s->n - 1], old->scale[old->n - 1]);
    memcpy(s->joint_moved, old->joint_moved, nj * sizeof *s->joint_moved);
    memcpy(s->joint_rate_moved, old->joint_rate_moved, nj * sizeof *s->joint_rate_moved);
    memcpy(s->redundant, old->redundant, nj * sizeof *s->redundant);
    memcpy(s->mobility, old->mobility, nj * sizeof *s->mobility);
}

/* The output state is that after the event; work takes up what was lost. */
static clv_status go_on(clv_sim *s, const clv_sim *old, const moment *x)
{
    const double t = s->model->begin;
    continue_accounts(s, old);
    if (s->plan->nedge > 0)
        memcpy(s->out_turn, s->system.kin.turn, 6 * (size_t)s->plan->nedge * sizeof(double));
    s->out_time = t;
    clv_status st = clv_sim_show(s);
    if (st != CLV_OK)
        return st;
    s->out_y[s->n - 1] = x->work + s->out_kinetic + s->out_potential - x->energy;
    clv_sim_next_event(s, t * (1 - 2 * CLV_BREAK_MERGE));
    s->seen_t = NAN;
    return clv_integrator_restart(&s->integrator, t, s->out_y);
}

static clv_status rebuild(clv_sim *s, clv_model *variant, const moment *x)
{
    const clv_sim old = *s;
    const int first = old.model->nmotion;
    memset(s, 0, sizeof *s);
    clv_error_clear(&s->error);
    inherit(s, &old);
    s->model = variant, s->given = variant->joint;
    clv_status st = clv_sim_build(s, variant);
    if (st == CLV_OK)
        st = hit(s, x, first);
    if (st == CLV_OK)
        st = go_on(s, &old, x);
    clv_sim failed = st == CLV_OK ? old : *s;
    if (st != CLV_OK) {
        *s = old;
        s->error = failed.error;
    }
    clv_sim_release(&failed);
    return st;
}

static clv_status lock_all(clv_sim *s, moment *x)
{
    clv_latches *l = s->latches;
    clv_status st = take(s, x);
    clv_model *variant = st == CLV_OK ? copy_model(s->model, s->model->nevent) : NULL;
    if (!variant)
        return st == CLV_OK ? out_of_memory(s) : st;
    for (int i = 0; i < variant->ninput; i++)
        variant->input[i].value = s->input[i];
    variant->begin = l->pending;
    place(variant, x);
    lock(variant, l, x);
    st = rebuild(s, variant, x);
    clv_variant_free(st == CLV_OK ? l->variant : variant);
    if (st != CLV_OK)
        return st;
    l->variant = variant, l->pending = INFINITY;
    for (int i = 0; i < variant->nevent; i++)
        l->of[i].done = l->of[i].done || l->of[i].due, l->of[i].due = false;
    return CLV_OK;
}

clv_status clv_latches_cross(clv_sim *s)
{
    moment x = {.q = NULL};
    clv_status st = show_event(s, s->latches->pending);
    if (st != CLV_OK)
        return st;
    layout(&x, s->model);
    if (!clv_arena_open(&x.block))
        return out_of_memory(s);
    x.block.used = 0;
    layout(&x, s->model);
    st = lock_all(s, &x);
    clv_arena_close(&x.block);
    return st;
}
