/* SPDX-License-Identifier: Apache-2.0
 * Derivatives of an event that locks or releases (T125): how the state after it depends on the state before and on
 * numbers of the model.  Where a condition waits for a quantity, its time depends on them, too.  Columns are dense:
 * events are rare.  Bodies carry displacements and changes of velocity from one mechanism to the other. */
#include "base/error.h"
#include "base/memory.h"
#include "kinematics/derivative_pair.h"
#include "math/rotation.h"
#include "simulation/sensitivity.h"
#include <math.h>
#include <string.h>

/* A column: motions of the bodies, about the origin. */
typedef struct column {
    double *x, *v;      /* (nbody x 6) displacements; changes of velocity before the event          */
    double *held;       /* (nheld) of the piece before                                              */
    const clv_number *number; /* or NULL                                                            */
    clv_derivative_offset offset; /* of that number in the mechanism after; child -2: it is none    */
    double sensed;      /* change of the quantity that the condition waits for                      */
} column;

typedef struct crossing_work {
    clv_sensitivity_work *from, *to;
    column c;
    clv_derivative d;   /* after, with the change of velocity for acceleration and impulses for multipliers */
    clv_load_frame still; /* no loads                                                               */
    double *jump;       /* (nbody x 6) change of velocity                                           */
    double *momentum;   /* (nbody x 6) I times it                                                   */
    double *W, *dW;     /* (nbody x 6) with closings and all outboard; its change                   */
    double *dv;         /* (nbody x 6) change of the velocity after, rates held                     */
    double *rest, *slope; /* (nbody x 6) (njoint x 12) zeros                                        */
    double *after;      /* (nheld) held coordinates after it, in the column                                 */
    double *force, *row, *q, *u, *sigma, *acceleration; /* (n) (m) (n) (n) (nsigma) (nbody x 6)                */
    clv_arena arena;
} crossing_work;

static void layout(crossing_work *k)
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

static const double *of(const double *list, int body, const double none[6])
{
    return body < 0 ? none : list + 6 * (size_t)body;
}

static void add_outboard(const clv_plan *p, double *W)
{
    for (int i = p->nbody - 1; i >= 0; i--)
        if (p->tree[p->order[i]].parent >= 0)
            clv_add6(W + 6 * (size_t)p->tree[p->order[i]].parent, W + 6 * (size_t)p->order[i]);
}

/* ------------------------------------------------------------------ columns before the event */

static void clear_column(crossing_work *k)
{
    const size_t bytes = 6 * (size_t)k->from->plan->nbody * sizeof(double);
    memset(k->c.x, 0, bytes), memset(k->c.v, 0, bytes);
    memset(k->c.held, 0, (size_t)k->from->nheld * sizeof(double));
    k->c.number = NULL, k->c.offset.child = -2, k->c.sensed = 0;
}

/* all that is outboard of child moves by S, and its velocity changes by what remains as well */
static void move_outboard(crossing_work *k, int child, const double *S, const double v[6])
{
    const clv_derivative *d = &k->from->d;
    for (int b = 0; b < k->from->plan->nbody; b++) {
        double *x = k->c.x + 6 * (size_t)b, *to = k->c.v + 6 * (size_t)b, y[6] = {0};
        if (!clv_derivative_outboard(d, b, child))
            continue;
        if (S)
            memcpy(x, S, 6 * sizeof *x), clv_motion_cross(y, S, d->v + 6 * (size_t)b);
        for (int i = 0; i < 6; i++)
            to[i] = v[i] + y[i];
    }
}

static void along_coordinate(crossing_work *k, int child, int coordinate, bool rate)
{
    const clv_derivative *d = &k->from->d;
    const size_t at = 6 * (size_t)coordinate;
    move_outboard(k, child, rate ? NULL : d->S + at, rate ? d->S + at : d->vq + at);
}

static void along_held(crossing_work *k, int i)
{
    const clv_derivative *d = &k->from->d;
    const int child = k->from->plan->child_of_joint[k->from->held[i]];
    double S[36], v[6];
    k->c.held[i] = 1;
    if (child < 0)
        return;
    clv_derivative_columns(d, child, S);
    clv_motion_cross(v, d->v + 6 * (size_t)child, S);
    move_outboard(k, child, S, v);
}

static void along_number(crossing_work *k, int i)
{
    const clv_number *x = &k->from->number[i];
    clv_derivative_offset g;
    k->c.number = x;
    if (!clv_derivative_is_offset(x))
        return;
    clv_derivative_offset_of(&k->d, x, &k->c.offset);
    clv_derivative_offset_of(&k->from->d, x, &g);
    if (g.child >= 0)
        move_outboard(k, g.child, g.S, g.v);
}

static void along_time(crossing_work *k)
{
    const clv_derivative *d = &k->from->d;
    for (size_t i = 0; i < 6 * (size_t)k->from->plan->nbody; i++)
        k->c.x[i] = d->v[i], k->c.v[i] = d->a[i] - d->ground[i % 6];
}

/* ------------------------------------------------------------------ what the event makes of them */

/* y (f): S y = x, of independent columns S (f x 6) */
static void solve_columns(const double *S, int f, const double x[6], double *y)
{
    double A[36], b[6];
    for (int i = 0; i < f; i++) {
        b[i] = clv_dot6(S + 6 * i, x);
        for (int j = 0; j < f; j++)
            A[6 * i + j] = clv_dot6(S + 6 * i, S + 6 * j);
    }
    for (int i = 0; i < f; i++)
        for (int j = i + 1; j < f; j++) {
            const double s = A[6 * j + i] / A[6 * i + i];
            for (int c = i; c < f; c++)
                A[6 * j + c] -= s * A[6 * i + c];
            b[j] -= s * b[i];
        }
    for (int i = f; i-- > 0;) {
        y[i] = b[i];
        for (int c = i + 1; c < f; c++)
            y[i] -= A[6 * i + c] * y[c];
        y[i] /= A[6 * i + i];
    }
}

static bool is_offset_of(const crossing_work *k, int body)
{
    return k->c.offset.child == body;
}

/* coordinates after the event, and those that are held */
static void find_coordinates(crossing_work *k)
{
    const clv_plan *p = k->to->plan;
    static const double none[6] = {0};
    for (int b = 0; b < p->nbody; b++) {
        const clv_tree_joint *t = &p->tree[b];
        const double *x = of(k->c.x, b, none), *up = of(k->c.x, t->parent, none);
        double S[36], y[6];
        for (int i = 0; i < 6; i++)
            y[i] = x[i] - up[i] - (is_offset_of(k, b) ? k->c.offset.S[i] : 0);
        clv_derivative_columns(&k->d, b, S);
        if (t->f > 0)
            solve_columns(S, t->f, y, k->q + t->iu);
        for (int i = 0; t->f == 0 && t->joint >= 0 && i < k->to->nheld; i++)
            if (k->to->held[i] == t->joint)
                k->after[i] = clv_dot6(S, y) / clv_dot6(S, S);
    }
}

/* displacement of the body that carries direction c of a joint, as far as the direction moves with it */
static void carrier(const crossing_work *k, int body, int c, double x[6])
{
    static const double none[6] = {0};
    const clv_tree_joint *t = &k->to->plan->tree[body];
    const bool own = clv_carried_by_child(t, c), offset = is_offset_of(k, body), moves = k->c.offset.moves;
    memcpy(x, own ? of(k->c.x, body, none) : of(k->c.x, t->parent, none), 6 * sizeof *x);
    for (int i = 0; offset && i < 6; i++)
        x[i] += own && !moves ? -k->c.offset.S[i] : !own && moves ? k->c.offset.S[i] : 0;
}

/* dv: change of the velocities after the event while rates are held */
static void find_velocities(crossing_work *k)
{
    const clv_plan *p = k->to->plan;
    static const double none[6] = {0};
    for (int i = 0; i < p->nbody; i++) {
        const int b = p->order[i];
        double S[36], x[6], y[6], *to = k->dv + 6 * (size_t)b;
        memcpy(to, of(k->dv, p->tree[b].parent, none), 6 * sizeof *to);
        clv_derivative_columns(&k->d, b, S);
        for (int c = 0; c < p->tree[b].nu; c++) {
            carrier(k, b, c, x);
            clv_motion_cross(y, x, S + 6 * c);
            for (int r = 0; r < 6; r++)
                to[r] += y[r] * clv_kinematics_u(k->d.kin, (size_t)b)[c];
        }
    }
}

/* rows and wrenches of a closing */
static void along_closing(const clv_acting *p, void *user)
{
    crossing_work *k = user;
    static const double none[6] = {0};
    clv_acting_change x = {{0}, {0}, {0}, {0}, {0}, {0}, {0}, {0}};
    clv_acting_effect e = {{0}, {0}, {0}, {0}, {0}, {0}, {0}};
    memcpy(x.xa, of(k->c.x, p->a, none), sizeof x.xa), memcpy(x.xb, of(k->c.x, p->b, none), sizeof x.xb);
    memcpy(x.va, of(k->dv, p->a, none), sizeof x.va), memcpy(x.vb, of(k->dv, p->b, none), sizeof x.vb);
    if (k->c.offset.child == -1 && k->c.offset.joint == k->d.plan->edge[p->edge].joint)
        clv_copy3(k->c.offset.on_b ? x.pb : x.pa, k->c.offset.S);
    p->find(p, &x, &e);
    for (int r = 0; r < p->m; r++)
        k->row[p->row + r] += e.rate[r];
    for (int i = 0; !p->term && i < k->to->nheld; i++)
        if (k->to->held[i] == k->d.plan->edge[p->edge].joint)
            k->after[i] = e.row[p->m - 1];
    for (int i = 0; i < 6; i++) {
        if (p->a >= 0)
            k->dW[6 * (size_t)p->a + (size_t)i] -= e.dWa[i];
        if (p->b >= 0)
            k->dW[6 * (size_t)p->b + (size_t)i] -= e.dWb[i];
    }
}

static void along_term(clv_derivative *d, const clv_edge *e, int child, const double f[3], void *user)
{
    crossing_work *k = user;
    const int at = d->plan->tree[child].iu;
    k->row[e->row] += f[1] * *clv_kinematics_u(d->kin, (size_t)child) * k->q[at];
    k->force[at] -= f[1] * d->lambda[e->row] * k->q[at];
}

/* dW of the bodies: x x* (I j) + I (dv - v - x x j), j the change of velocity */
static void find_wrenches(crossing_work *k)
{
    for (size_t b = 0; b < (size_t)k->to->plan->nbody; b++) {
        const clv_derivative_inertia *I = &k->d.I[b];
        const double *x = k->c.x + 6 * b;
        double y[6], z[6];
        clv_motion_cross(y, x, k->jump + 6 * b);
        for (size_t i = 0; i < 6; i++)
            y[i] = k->dv[6 * b + i] - k->c.v[6 * b + i] - y[i];
        clv_derivative_times(z, I->mass, I->moment, I->J, y);
        clv_wrench_cross(y, x, k->momentum + 6 * b);
        for (size_t i = 0; i < 6; i++)
            k->dW[6 * b + i] = y[i] + z[i];
    }
}

/* rate of the joint of k before the event, in the column */
static double rate_before(const crossing_work *k, int joint, int c)
{
    static const double none[6] = {0};
    const clv_plan *p = k->from->plan;
    const int b = p->child_of_joint[joint];
    double y[6], S[36], rate[6], dS[6], x[6];
    if (b < 0 || p->tree[b].f == 0)
        return 0;
    const clv_tree_joint *t = &p->tree[b];
    clv_derivative_columns(&k->from->d, b, S);
    for (int i = 0; i < 6; i++)
        y[i] = k->c.v[6 * (size_t)b + (size_t)i] - of(k->c.v, t->parent, none)[i];
    for (int i = 0; i < t->nu; i++) {
        memcpy(x, clv_carried_by_child(t, i) ? of(k->c.x, b, none) : of(k->c.x, t->parent, none), sizeof x);
        clv_motion_cross(dS, x, S + 6 * i);
        for (int r = 0; r < 6; r++)
            y[r] -= dS[r] * clv_kinematics_u(k->from->d.kin, (size_t)b)[i];
    }
    solve_columns(S, t->f, y, rate);
    return rate[c];
}

/* what is missing along the rates, if they are held */
static void find_force(crossing_work *k)
{
    const clv_plan *p = k->to->plan;
    for (int b = 0; b < p->nbody; b++)
        for (int c = 0; c < p->tree[b].f; c++) {
            const size_t at = (size_t)p->tree[b].iu + (size_t)c;
            double x[6], y[6];
            carrier(k, b, c, x);
            clv_motion_cross(y, x, k->d.S + 6 * at);
            k->force[at] += clv_dot6(y, k->W + 6 * (size_t)b) + clv_dot6(k->d.S + 6 * at, k->dW + 6 * (size_t)b);
            const double rotor = clv_armature_of(p, b, c);
            if (rotor > 0)
                k->force[at] -= rotor * rate_before(k, p->tree[b].joint, c);
        }
}

/* coordinates k->q, rates k->u after the event, and k->after */
static void cross_column(crossing_work *k)
{
    const size_t n = (size_t)k->to->n, m = (size_t)k->to->m;
    clv_engine *engine = &k->to->s->system.engine;
    memset(k->force, 0, n * sizeof(double)), memset(k->row, 0, m * sizeof(double));
    find_coordinates(k);
    find_velocities(k);
    find_wrenches(k);
    if (k->c.number && k->c.number->kind <= CLV_NUMBER_INERTIA) {
        double *v = k->d.v;
        k->d.v = k->rest;
        clv_derivative_number(&k->d, k->c.number, k->force);
        k->d.v = v;
    }
    clv_acting_closings(&k->d, along_closing, along_term, k);
    add_outboard(k->to->plan, k->dW);
    find_force(k);
    for (size_t i = 0; i < n; i++)
        k->force[i] = -k->force[i];
    for (size_t i = 0; i < m; i++)
        k->row[i] = -k->row[i];
    clv_engine_solve(engine, k->acceleration, k->u, k->rest, k->force, NULL, m > 0 ? k->row : NULL);
}

/* ------------------------------------------------------------------ the quantity of the condition */

static void marker_of(const crossing_work *k, int marker, double at[3], double change[3])
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
static double distance_change(const crossing_work *k, const clv_event *e)
{
    double a[3], b[3], da[3], db[3];
    marker_of(k, e->marker[0], a, da), marker_of(k, e->marker[1], b, db);
    clv_sub3(a, a, b), clv_sub3(da, da, db);
    const double l = clv_norm3(a);
    return l > 0 ? clv_dot3(a, da) / l : 0;
}

/* column of its coordinate or rate among coordinates, then rates, of the piece before; -1: it is none */
static int sensed_at(const crossing_work *k, const clv_event *e)
{
    if (!e || e->joint < 0)
        return -1;
    const int at = k->from->plan->tree[k->from->plan->child_of_joint[e->joint]].iu;
    return e->condition == CLV_WHEN_RATE ? k->from->n + at : at;
}

/* ------------------------------------------------------------------ all columns */

static void put(const crossing_work *k, clv_crossing *to, int which)
{
    const size_t n = (size_t)k->to->n, width = (size_t)to->columns, at = (size_t)which;
    for (size_t i = 0; i < n; i++)
        to->E[i * width + at] = k->q[i], to->E[(n + i) * width + at] = k->u[i];
    for (size_t i = 0; i < (size_t)k->to->nheld; i++)
        to->E[(2 * n + i) * width + at] = k->after[i];
}

static void cross_all(crossing_work *k, clv_crossing *to, const clv_event *e, double *sensed)
{
    const clv_plan *p = k->from->plan;
    const int n = k->from->n, held = k->from->nheld, at = sensed_at(k, e);
    const bool far = e && e->marker[0] >= 0;
    for (int b = 0; b < p->nbody; b++)
        for (int c = 0; c < 2 * p->tree[b].f; c++) {
            const bool rate = c >= p->tree[b].f;
            const int i = p->tree[b].iu + c % p->tree[b].f;
            clear_column(k);
            along_coordinate(k, b, i, rate);
            sensed[rate ? n + i : i] = far ? distance_change(k, e) : at == (rate ? n + i : i);
            cross_column(k), put(k, to, rate ? n + i : i);
        }
    for (int i = 0; i < held + k->from->shown.numbers; i++) {
        clear_column(k);
        if (i < held)
            along_held(k, i);
        else
            along_number(k, i - held);
        sensed[2 * n + i] = far ? distance_change(k, e) : 0;
        cross_column(k), put(k, to, 2 * n + i);
    }
}

/* Columns change by the time of the event, which the quantity moves: E += (by time before - rates after) dt. */
static clv_status move_time(crossing_work *k, clv_crossing *to, const clv_event *e, const double *sensed)
{
    const clv_sensitivity_work *a = k->from, *b = k->to;
    const size_t n = (size_t)b->n, width = (size_t)to->columns;
    const int at = sensed_at(k, e);
    clear_column(k);
    along_time(k);
    const double *udot = a->stage[0].udot, *u = a->stage[0].u;
    const double speed = e->marker[0] >= 0 ? distance_change(k, e) : at < a->n ? u[at] : udot[at - a->n];
    double most = 0;
    for (size_t c = 0; c < width; c++)
        most = fmax(most, fabs(sensed[c]));
    if (!(fabs(speed) > 1e-10 * most))
        return clv_fail(&a->s->error, CLV_ERR_SINGULAR,
                        "the quantity of event '%s' only touches its value: the run has no sensitivities", e->name);
    cross_column(k);
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

/* velocities before, their change, and what it takes */
static void find_jump(crossing_work *k)
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
    add_outboard(p, k->W);
    for (int b = 0; b < p->nbody; b++)
        for (int c = 0; c < p->tree[b].f; c++) {
            const size_t at = (size_t)p->tree[b].iu + (size_t)c;
            const double rotor = clv_armature_of(p, b, c);
            k->force[at] = clv_dot6(k->d.S + 6 * at, k->W + 6 * (size_t)b);
            if (rotor > 0) {
                const int was = k->from->plan->child_of_joint[p->tree[b].joint];
                const bool free = was >= 0 && k->from->plan->tree[was].f > 0;
                k->force[at] += rotor * (k->to->stage[0].u[at] -
                                         (free ? k->from->stage[0].u[k->from->plan->tree[was].iu + c] : 0));
            }
        }
    memset(k->row, 0, (size_t)k->to->m * sizeof(double));
    clv_engine_solve(engine, k->acceleration, k->u, k->rest, k->force, NULL, k->to->m > 0 ? k->row : NULL);
    for (int i = 0; i < k->to->m; i++)
        k->sigma[i] = -engine->sigma[i];
}

/* wrenches of the impulses of closings, taken off */
static void hold(const clv_acting *p, void *user)
{
    static const clv_acting_change none;
    crossing_work *k = user;
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

static clv_status cross(crossing_work *k, clv_crossing *to, const clv_event *e)
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
    add_outboard(k->to->plan, k->W);
    double *sensed = to->E + (size_t)to->rows * (size_t)to->columns;
    cross_all(k, to, e, sensed);
    return e ? move_time(k, to, e, sensed) : CLV_OK;
}

clv_status clv_crossing_find(clv_sensitivity_work *from, clv_sensitivity_work *to)
{
    const clv_event *e = from->event >= 0 ? &from->s->model->event[from->event] : NULL;
    crossing_work k = {.from = from, .to = to};
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
