/* SPDX-License-Identifier: Apache-2.0
 * Derivatives of an event that locks or releases (T125): how the state after it depends on the state before and on
 * numbers of the model.  Where a condition waits for a quantity, its time depends on them, too.  Columns are dense:
 * events are rare. */
#include "simulation/sensitivity_crossing.h"
#include "base/error.h"
#include "base/memory.h"
#include "math/rotation.h"
#include <math.h>
#include <string.h>

static void layout(clv_crossing_work *k)
{
    const size_t body = 6 * (size_t)k->to->plan->nbody, n = (size_t)k->to->n, m = (size_t)k->to->m;
    clv_arena *a = &k->arena;
    CLV_TAKE(a, k->c.x, body), CLV_TAKE(a, k->c.v, body), CLV_TAKE(a, k->c.held, k->from->nheld);
    CLV_TAKE(a, k->jump, body), CLV_TAKE(a, k->momentum, body), CLV_TAKE(a, k->W, body), CLV_TAKE(a, k->dW, body);
    CLV_TAKE(a, k->dv, body), CLV_TAKE(a, k->rest, body), CLV_TAKE(a, k->acceleration, body);
    CLV_TAKE(a, k->slope, 12 * (size_t)k->to->s->model->njoint);
    CLV_TAKE(a, k->force, n), CLV_TAKE(a, k->row, m), CLV_TAKE(a, k->q, n), CLV_TAKE(a, k->u, n);
    CLV_TAKE(a, k->after, k->to->nheld), CLV_TAKE(a, k->sigma, k->to->plan->nsigma);
}

/* ------------------------------------------------------------------ the quantity of the condition */

static void marker_of(const clv_crossing_work *k, int marker, double at[3], double change[3])
{
    const clv_derivative *d = &k->from->d;
    const clv_marker *m = &k->from->s->model->marker[marker];
    double l[3];
    memset(change, 0, 3 * sizeof *change);
    clv_copy3(at, m->position);
    if (m->body < 0)
        return;
    const size_t b = (size_t)m->body;
    clv_sub3(l, m->position, k->from->s->model->body[b].com);
    clv_mat3_times(at, d->kin->R + 9 * b, l);
    clv_axpy3(at, 1, d->kin->com + 3 * b);
    clv_sub3(l, at, d->origin);
    clv_field_at(change, k->c.x + 6 * b, l);
}

/* along the column; of coordinates and rates the caller knows it */
static double distance_change(const clv_crossing_work *k, const clv_event *e)
{
    double a[3], b[3], da[3], db[3];
    marker_of(k, e->marker[0], a, da), marker_of(k, e->marker[1], b, db);
    clv_sub3(a, a, b), clv_sub3(da, da, db);
    const double l = clv_norm3(a);
    return l > 0 ? clv_dot3(a, da) / l : 0;
}

/* column of its coordinate or rate among coordinates, then rates, of the piece before; -1: it is none */
static int sensed_at(const clv_crossing_work *k, const clv_event *e)
{
    if (!e || e->joint < 0)
        return -1;
    const int at = k->from->plan->tree[k->from->plan->child_of_joint[e->joint]].iu;
    return e->condition == CLV_WHEN_RATE ? k->from->n + at : at;
}

/* ------------------------------------------------------------------ all columns */

static void put(const clv_crossing_work *k, clv_crossing *to, int which)
{
    const size_t n = (size_t)k->to->n, width = (size_t)to->columns, at = (size_t)which;
    for (size_t i = 0; i < n; i++)
        to->E[i * width + at] = k->q[i], to->E[(n + i) * width + at] = k->u[i];
    for (size_t i = 0; i < (size_t)k->to->nheld; i++)
        to->E[(2 * n + i) * width + at] = k->after[i];
}

static void cross_all(clv_crossing_work *k, clv_crossing *to, const clv_event *e, double *sensed)
{
    const clv_plan *p = k->from->plan;
    const int n = k->from->n, held = k->from->nheld, at = sensed_at(k, e);
    const bool far = e && e->marker[0] >= 0;
    for (int b = 0; b < p->nbody; b++)
        for (int c = 0; c < 2 * p->tree[b].f; c++) {
            const bool rate = c >= p->tree[b].f;
            const int i = p->tree[b].iu + c % p->tree[b].f;
            clv_crossing_clear(k);
            clv_crossing_along_coordinate(k, b, i, rate);
            sensed[rate ? n + i : i] = far ? distance_change(k, e) : at == (rate ? n + i : i);
            clv_crossing_column(k), put(k, to, rate ? n + i : i);
        }
    for (int i = 0; i < held + k->from->shown.numbers; i++) {
        clv_crossing_clear(k);
        if (i < held)
            clv_crossing_along_held(k, i);
        else
            clv_crossing_along_number(k, i - held);
        sensed[2 * n + i] = far ? distance_change(k, e) : 0;
        clv_crossing_column(k), put(k, to, 2 * n + i);
    }
}

/* Columns change by the time of the event, which the quantity moves: E += (by time before - rates after) dt. */
static clv_status move_time(clv_crossing_work *k, clv_crossing *to, const clv_event *e, const double *sensed)
{
    const clv_sensitivity_work *a = k->from, *b = k->to;
    const size_t n = (size_t)b->n, width = (size_t)to->columns;
    const int at = sensed_at(k, e);
    clv_crossing_clear(k);
    clv_crossing_along_time(k);
    const double *udot = a->stage[0].udot, *u = a->stage[0].u;
    const double speed = e->marker[0] >= 0 ? distance_change(k, e) : at < a->n ? u[at] : udot[at - a->n];
    double most = 0;
    for (size_t c = 0; c < width; c++)
        most = fmax(most, fabs(sensed[c]));
    if (!(fabs(speed) > 1e-10 * most))
        return clv_fail(&a->s->error, CLV_ERR_SINGULAR,
                        "the quantity of event '%s' only touches its value: the run has no sensitivities", e->name);
    clv_crossing_column(k);
    for (size_t i = 0; i < n; i++)
        k->q[i] -= b->stage[0].u[i], k->u[i] -= b->stage[0].udot[i];
    for (size_t c = 0; c < width; c++) {
        const double dt = -sensed[c] / speed;
        for (size_t i = 0; i < n && dt != 0; i++)
            to->E[i * width + c] += k->q[i] * dt, to->E[(n + i) * width + c] += k->u[i] * dt;
        for (size_t i = 0; i < (size_t)b->nheld && dt != 0; i++)
            to->E[(2 * n + i) * width + c] += k->after[i] * dt;
    }
    return CLV_OK;
}

/* ------------------------------------------------------------------ the state after */

/* the force along rate c of a body that changes the velocities so: of all outboard, and of the rotor */
static double jump_force(const clv_crossing_work *k, int b, int c)
{
    const clv_tree_joint *t = &k->to->plan->tree[b];
    const size_t at = (size_t)t->iu + (size_t)c;
    const double rotor = clv_armature_of(k->to->plan, b, c);
    double f = clv_dot6(k->d.S + 6 * at, k->W + 6 * (size_t)b);
    if (rotor > 0) {
        const clv_plan *from = k->from->plan;
        const int was = from->child_of_joint[t->joint];
        const bool free = was >= 0 && from->tree[was].f > 0;
        f += rotor * (k->to->stage[0].u[at] - (free ? k->from->stage[0].u[from->tree[was].iu + c] : 0));
    }
    return f;
}

/* velocities before, their change, and what it takes */
static void find_jump(clv_crossing_work *k)
{
    const clv_plan *p = k->to->plan;
    clv_engine *engine = &k->to->s->system.engine;
    for (int b = 0; b < p->nbody; b++)
        clv_derivative_body(&k->d, b); /* alone, not with all outboard */
    for (size_t b = 0; b < (size_t)p->nbody; b++) {
        const clv_derivative_inertia *I = &k->d.I[b];
        for (size_t i = 6 * b; i < 6 * b + 6; i++)
            k->jump[i] = k->d.v[i] - k->from->d.v[i];
        clv_derivative_times(k->momentum + 6 * b, I->mass, I->moment, I->J, k->jump + 6 * b);
    }
    memcpy(k->W, k->momentum, 6 * (size_t)p->nbody * sizeof(double));
    clv_crossing_outboard(p, k->W);
    for (int b = 0; b < p->nbody; b++)
        for (int c = 0; c < p->tree[b].f; c++)
            k->force[p->tree[b].iu + c] = jump_force(k, b, c);
    memset(k->row, 0, (size_t)k->to->m * sizeof(double));
    clv_engine_solve(engine, k->acceleration, k->u, k->rest, k->force, NULL, k->to->m > 0 ? k->row : NULL);
    for (int i = 0; i < k->to->m; i++)
        k->sigma[i] = -engine->sigma[i];
}

/* wrenches of the impulses of closings, taken off */
static void hold(const clv_acting *p, void *user)
{
    static const clv_acting_change none;
    clv_crossing_work *k = user;
    clv_acting_effect e = {{0}, {0}, {0}, {0}, {0}, {0}, {0}};
    p->find(p, &none, &e);
    for (int i = 0; i < 6; i++) {
        if (p->a >= 0)
            k->W[6 * (size_t)p->a + (size_t)i] -= e.Wa[i];
        if (p->b >= 0)
            k->W[6 * (size_t)p->b + (size_t)i] -= e.Wb[i];
    }
}

static clv_status place(clv_sensitivity_work *w)
{
    clv_closed_state *x = &w->stage[0];
    const clv_status st = clv_closed_evaluate(w, x);
    if (st != CLV_OK)
        return st;
    memcpy(x->udot, w->s->system.ud, (size_t)w->n * sizeof(double));
    w->d.kin = &w->s->system.kin, w->d.loads = &w->s->system.loads, w->d.plan = w->plan, w->d.ud = x->udot;
    clv_derivative_move(&w->d, w->s->system.Q);
    return CLV_OK;
}

static clv_status cross(clv_crossing_work *k, clv_crossing *to, const clv_event *e)
{
    clv_status st = place(k->from);
    if (st == CLV_OK)
        st = place(k->to);
    if (st != CLV_OK)
        return st;
    k->still = k->to->s->system.loads, k->still.tau = NULL;
    k->d = k->to->d;
    k->d.loads = &k->still, k->d.slope = k->slope, k->d.a = k->jump, k->d.lambda = k->sigma;
    find_jump(k);
    memcpy(k->W, k->momentum, 6 * (size_t)k->to->plan->nbody * sizeof(double));
    clv_acting_closings(&k->d, hold, NULL, k);
    clv_crossing_outboard(k->to->plan, k->W);
    double *sensed = to->E + (size_t)to->rows * (size_t)to->columns;
    cross_all(k, to, e, sensed);
    return e ? move_time(k, to, e, sensed) : CLV_OK;
}

clv_status clv_crossing_find(clv_sensitivity_work *from, clv_sensitivity_work *to)
{
    const clv_event *e = from->event >= 0 ? &from->s->model->event[from->event] : NULL;
    clv_crossing_work k = {.from = from, .to = to};
    clv_crossing *x = &from->crossing;
    x->rows = 2 * to->n + to->nheld, x->columns = 2 * from->n + from->nheld + from->shown.numbers;
    x->E = clv_alloc((size_t)(x->rows + 1) * (size_t)x->columns + 1, sizeof *x->E);
    layout(&k);
    if (!x->E || !clv_arena_open(&k.arena))
        return clv_fail(&from->s->error, CLV_ERR_MEMORY, "out of memory for the sensitivities of an event");
    layout(&k);
    const clv_status st = cross(&k, x, e);
    clv_arena_close(&k.arena);
    return st;
}
