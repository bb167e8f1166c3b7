/* SPDX-License-Identifier: Apache-2.0
 * The oracle's own evaluation of loads, tables and prescribed motions (theory T7, T8, T19). */
#include "oracle/oracle.h"
#include "oracle/oracle_vector.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

static real table_value(const clv_series *s, real t, double constant)
{
    int n = s->n;
    if (n == 0)
        return (real)constant;
    if (t <= (real)s->time[0])
        return (real)s->value[0];
    if (t >= (real)s->time[n - 1])
        return (real)s->value[n - 1];
    int i = 0;
    while (t >= (real)s->time[i + 1])
        i++;
    real x = (t - (real)s->time[i]) / ((real)s->time[i + 1] - (real)s->time[i]);
    return (1 - x) * (real)s->value[i] + x * (real)s->value[i + 1];
}

/* Natural cubic spline: second derivatives k from the three-term system; held outside. */
static void spline(const clv_series *s, real t, real *q, real *qd, real *qdd)
{
    int n = s->n;
    real *k = oracle_allocate((size_t)n, sizeof *k), *b = oracle_allocate((size_t)n, sizeof *b);
    b[0] = 1;
    for (int i = 1; i + 1 < n; i++) { /* forward elimination; k[0] = k[n - 1] = 0 */
        real h0 = (real)s->time[i] - (real)s->time[i - 1], h1 = (real)s->time[i + 1] - (real)s->time[i];
        real s0 = ((real)s->value[i] - (real)s->value[i - 1]) / h0,
             s1 = ((real)s->value[i + 1] - (real)s->value[i]) / h1;
        real below = i > 1 ? h0 / b[i - 1] : 0;
        b[i] = 2 * (h0 + h1) - below * h0;
        k[i] = 6 * (s1 - s0) - below * k[i - 1];
    }
    for (int i = n - 2; i >= 1; i--) {
        real h1 = (real)s->time[i + 1] - (real)s->time[i];
        k[i] = (k[i] - h1 * k[i + 1]) / b[i];
    }
    real last = (real)s->time[n - 1];
    int i = 0;
    while (i + 2 < n && t >= (real)s->time[i + 1])
        i++;
    real t0 = (real)s->time[i], t1 = (real)s->time[i + 1], h = t1 - t0, y0 = (real)s->value[i],
         y1 = (real)s->value[i + 1];
    real u = (t1 - t) / h, v = (t - t0) / h;
    *q = u * y0 + v * y1 + h * h / 6 * ((u * u * u - u) * k[i] + (v * v * v - v) * k[i + 1]);
    *qd = (y1 - y0) / h + h / 6 * ((1 - 3 * u * u) * k[i] + (3 * v * v - 1) * k[i + 1]);
    *qdd = u * k[i] + v * k[i + 1];
    if (t < (real)s->time[0] || t > last) {
        *q = (real)s->value[t > last ? n - 1 : 0];
        *qd = *qdd = 0;
    }
    free(k);
    free(b);
}

void oracle_motion_at(const clv_motion *m, real time, real *q, real *qd, real *qdd)
{
    if (m->table.n > 0) {
        spline(&m->table, time, q, qd, qdd);
        return;
    }
    real f = (real)m->frequency, a = (real)m->amplitude, phase = f * time + (real)m->phase;
    *q = (real)m->offset + (real)m->rate * time + a * sinl(phase);
    *qd = (real)m->rate + a * f * cosl(phase);
    *qdd = -a * f * f * sinl(phase);
}

/* -(sliding + (breakaway - sliding) exp(-(u / vs)^2)) tanh(u / v0) */
static real friction(const clv_friction *f, real u)
{
    const real z = u / (real)f->stribeck_speed, fall = (real)f->breakaway - (real)f->sliding;
    return -((real)f->sliding + fall * expl(-z * z)) * tanhl(u / (real)f->stiction_speed);
}

/* m or rad beyond a limit, and the side */
static real beyond(const clv_stop *x, real q, real *side)
{
    *side = q > (real)x->upper ? 1 : -1;
    return *side > 0 ? q - (real)x->upper : q < (real)x->lower ? (real)x->lower - q : 0;
}

static real stop_force(const clv_stop *x, real q, real u)
{
    real side, d = beyond(x, q, &side), factor = 1 + (real)x->dissipation * side * u;
    return d > 0 && factor > 0 ? -side * (real)x->stiffness * powl(d, (real)x->exponent) * factor : 0;
}

/* a table of a spring or damper; none: 0 */
static real table_load(const clv_series *s, real x) { return s->n > 0 ? table_value(s, x, 0) : 0; }

static real limited(real x, double limit)
{
    return limit > 0 ? fminl(fmaxl(x, -(real)limit), (real)limit) : x;
}

void oracle_joint_loads(const oracle *o, int joint, real *tau)
{
    memset(tau, 0, 6 * sizeof *tau);
    for (int k = 0; k < o->model->nforce; k++) {
        const clv_force *f = &o->model->force[k];
        oracle_row row;
        if (f->kind != CLV_FORCE_JOINT || f->joint != joint)
            continue;
        oracle_coordinate(o, joint, f->coordinate, &row);
        real part = table_value(&f->table, o->time, f->drive) - (real)f->damping * row.rate -
                    table_load(&f->damper, row.rate);
        if (f->stiffness != 0 || f->spring.n > 0) {
            assert(!isnan(row.violation)); /* no springs on quaternions */
            const real x = row.violation - (real)f->rest;
            part -= (real)f->stiffness * x + table_load(&f->spring, x);
        }
        tau[f->coordinate] += limited(part, f->limit);
        if (f->friction.breakaway > 0)
            tau[f->coordinate] += friction(&f->friction, row.rate);
        if (f->stop.stiffness > 0)
            tau[f->coordinate] += stop_force(&f->stop, row.violation, row.rate);
    }
}

/* A point fixed in a body: arm from the centre of mass (global), place, velocity. */
typedef struct place {
    real arm[3], x[3], v[3], w[3];
} place;

static void find(const oracle *o, int body, const double p[3], place *at)
{
    memset(at, 0, sizeof *at);
    for (int i = 0; i < 3; i++)
        at->arm[i] = (real)p[i] - (body >= 0 ? (real)o->model->body[body].com[i] : 0);
    v3_copy(at->x, at->arm);
    if (body < 0)
        return;
    m3_times(at->arm, o->R + 9 * body, at->arm);
    v3_copy(at->w, o->V + 6 * body + 3);
    v3_cross(at->v, at->w, at->arm);
    for (int i = 0; i < 3; i++) {
        at->x[i] = o->r[3 * body + i] + at->arm[i];
        at->v[i] += o->V[6 * body + i];
    }
}

static void push(real *Q, int body, const place *at, const real force[3], real sign)
{
    real moment[3];
    if (body < 0)
        return;
    v3_cross(moment, at->arm, force);
    v3_add_scaled(Q + 6 * body, sign, force);
    v3_add_scaled(Q + 6 * body + 3, sign, moment);
}

static void vector_load(const oracle *o, const clv_force *f, real x[3])
{
    real factor = table_value(&f->table, o->time, 1);
    for (int i = 0; i < 3; i++)
        x[i] = factor * (real)f->vector[i];
    if (f->in_body && f->b >= 0)
        m3_times(x, o->R + 9 * f->b, x);
}

static real stretch(const oracle *o, const clv_force *f, place *a, place *b, real n[3])
{
    find(o, f->a, f->point_a, a);
    find(o, f->b, f->point_b, b);
    for (int i = 0; i < 3; i++)
        n[i] = b->x[i] - a->x[i];
    real l = v3_norm(n);
    for (int i = 0; i < 3; i++)
        n[i] /= l;
    return l - (real)f->rest;
}

/* Axes of a bushing on a body, global, in columns. */
static void bushing_axes(const oracle *o, int body, const double orientation[4], real E[9])
{
    real e[4], own[9];
    for (int i = 0; i < 4; i++)
        e[i] = (real)orientation[i];
    m3_quaternion(own, e);
    memcpy(E, own, sizeof own);
    if (body >= 0)
        m3_multiply(E, o->R + 9 * body, own);
}

/* Displacement and rotation vector in the axes E of a bushing. */
static void bushing_state(const oracle *o, const clv_force *f, place *a, place *b, real E[9], real x[6])
{
    real Eb[9], Et[9], turned[9], e[4], line[3];
    find(o, f->a, f->point_a, a), find(o, f->b, f->point_b, b);
    bushing_axes(o, f->a, f->bushing.orientation_a, E), bushing_axes(o, f->b, f->bushing.orientation_b, Eb);
    m3_transpose(Et, E);
    m3_multiply(turned, Et, Eb);
    m3_to_quaternion(e, turned);
    const real s = v3_norm(e + 1), angle = 2 * atan2l(e[0] < 0 ? -s : s, fabsl(e[0]));
    for (int i = 0; i < 3; i++) {
        line[i] = b->x[i] - a->x[i];
        x[3 + i] = s > 0 ? angle * e[1 + i] / s : 0;
    }
    m3_times(x, Et, line);
}

static real bushing_energy(const clv_bushing *g, const real x[6])
{
    real V = 0;
    for (int i = 0; i < 6; i++)
        V += (real)g->stiffness[i] * x[i] * x[i] / 2 - (real)g->preload[i] * x[i];
    return V;
}

/* The moment of the potential is minus its derivative by turns about the axes: differences of order four. */
static void bushing_moment(const clv_bushing *g, const real x[6], real m[3])
{
    static const real weight[4] = {1 / 12.0L, -2 / 3.0L, 2 / 3.0L, -1 / 12.0L};
    for (int i = 0; i < 3; i++) {
        m[i] = 0;
        for (int k = 0; k < 4; k++) {
            const real h = 1e-4L, step = (k < 2 ? k - 2 : k - 1) * h;
            real R[9], S[9], T[9], e[4], turn[3] = {0, 0, 0}, y[6];
            turn[i] = step;
            m3_exponential(R, x + 3), m3_exponential(S, turn);
            m3_multiply(T, S, R);
            m3_to_quaternion(e, T);
            const real s = v3_norm(e + 1), angle = 2 * atan2l(e[0] < 0 ? -s : s, fabsl(e[0]));
            for (int j = 0; j < 3; j++)
                y[j] = x[j], y[3 + j] = s > 0 ? angle * e[1 + j] / s : 0;
            m[i] -= weight[k] * bushing_energy(g, y) / h;
        }
    }
}

static void bushing(const oracle *o, const clv_force *f, real *Q)
{
    const clv_bushing *g = &f->bushing;
    place a, b;
    real E[9], x[6], F[3], m[3], v[3], w[3], swept[3], line[3], Et[9];
    bushing_state(o, f, &a, &b, E, x);
    m3_transpose(Et, E);
    for (int i = 0; i < 3; i++)
        line[i] = b.x[i] - a.x[i], w[i] = b.w[i] - a.w[i];
    v3_cross(swept, a.w, line);
    for (int i = 0; i < 3; i++)
        v[i] = b.v[i] - a.v[i] - swept[i];
    m3_times(v, Et, v), m3_times(w, Et, w);
    bushing_moment(g, x, m);
    for (int i = 0; i < 3; i++) {
        F[i] = (real)g->preload[i] - (real)g->stiffness[i] * x[i] - (real)g->damping[i] * v[i];
        m[i] -= (real)g->damping[3 + i] * w[i];
    }
    m3_times(F, E, F), m3_times(m, E, m);
    for (int i = 0; i < 3; i++)
        a.arm[i] += line[i];
    push(Q, f->b, &b, F, 1), push(Q, f->a, &a, F, -1);
    if (f->b >= 0)
        v3_add_scaled(Q + 6 * f->b + 3, 1, m);
    if (f->a >= 0)
        v3_add_scaled(Q + 6 * f->a + 3, -1, m);
}

/* ------------------------------------------------------------------ contact of spheres and planes */

typedef struct touch {
    place a, b;
    real depth, n[3], at[3];
} touch;

static real radius_of(const oracle *o, int body)
{
    assert(body < 0 || o->model->body[body].shape->kind == CLV_SHAPE_SPHERE);
    return body < 0 ? 0 : (real)o->model->body[body].shape->size[0];
}

/* middles, depth, normal from a to b and the point halfway; depth <= 0: apart */
static void find_touch(const oracle *o, const clv_force *f, touch *t)
{
    const real ra = radius_of(o, f->a), rb = radius_of(o, f->b);
    real line[3], high = 0;
    find(o, f->a, f->a < 0 ? f->contact.point : o->model->body[f->a].shape->at, &t->a);
    find(o, f->b, o->model->body[f->b].shape->at, &t->b);
    for (int i = 0; i < 3; i++)
        line[i] = t->b.x[i] - t->a.x[i];
    for (int i = 0; i < 3; i++) {
        t->n[i] = f->a < 0 ? (real)f->contact.normal[i] : line[i] / v3_norm(line);
        high += t->n[i] * line[i];
    }
    t->depth = ra + rb - high;
    for (int i = 0; i < 3; i++)
        t->at[i] = t->b.x[i] - (rb - t->depth / 2) * t->n[i];
}

/* arm and velocity of a body at the point of contact */
static void move_to(const oracle *o, int body, const real at[3], place *x)
{
    real arm[3], turned[3];
    if (body < 0)
        return;
    for (int i = 0; i < 3; i++)
        arm[i] = at[i] - o->r[3 * body + i];
    v3_cross(turned, x->w, arm);
    for (int i = 0; i < 3; i++)
        x->arm[i] = arm[i], x->v[i] = o->V[6 * body + i] + turned[i];
}

static void contact(const oracle *o, const clv_force *f, real *Q)
{
    const clv_contact *c = &f->contact;
    real F[3], slip[3], apart = 0;
    touch t;
    find_touch(o, f, &t);
    if (t.depth <= 0)
        return;
    move_to(o, f->a, t.at, &t.a), move_to(o, f->b, t.at, &t.b);
    for (int i = 0; i < 3; i++)
        apart += t.n[i] * (t.b.v[i] - t.a.v[i]);
    const real factor = 1 - 1.5L * (real)c->dissipation * apart;
    const real N = factor > 0 ? (real)c->stiffness * powl(t.depth, (real)c->exponent) * factor : 0;
    for (int i = 0; i < 3; i++)
        slip[i] = t.b.v[i] - t.a.v[i] - apart * t.n[i];
    const real s = v3_norm(slip), z = s / (real)c->transition_speed, w = z < 3 ? (z - 1) / 2 : 1;
    real mu = (real)c->static_friction * z * (2 - z);
    if (z > 1)
        mu = (real)c->static_friction
             - (3 * w * w - 2 * w * w * w) * ((real)c->static_friction - (real)c->dynamic_friction);
    mu += (real)c->viscous_friction * s;
    for (int i = 0; i < 3; i++)
        F[i] = N * t.n[i] - (s > 0 ? mu * N * slip[i] / s : 0);
    push(Q, f->b, &t.b, F, 1), push(Q, f->a, &t.a, F, -1);
}

static real contact_energy(const oracle *o, const clv_force *f)
{
    const real e = (real)f->contact.exponent + 1;
    touch t;
    find_touch(o, f, &t);
    return t.depth > 0 ? (real)f->contact.stiffness * powl(t.depth, e) / e : 0;
}

static void apply(const oracle *o, const clv_force *f, real *Q)
{
    place a, b;
    real x[3];
    switch (f->kind) {
    case CLV_FORCE_POINT:
        find(o, f->b, f->point_b, &b);
        vector_load(o, f, x);
        push(Q, f->b, &b, x, 1);
        break;
    case CLV_FORCE_TORQUE:
        vector_load(o, f, x);
        if (f->b >= 0)
            v3_add_scaled(Q + 6 * f->b + 3, 1, x);
        break;
    case CLV_FORCE_SPRING: {
        real n[3], s = stretch(o, f, &a, &b, n);
        const real rate = v3_dot(n, b.v) - v3_dot(n, a.v);
        real pull = (real)f->stiffness * s + (real)f->damping * rate;
        if (f->stop.stiffness > 0)
            pull -= stop_force(&f->stop, s + (real)f->rest, rate);
        push(Q, f->b, &b, n, -pull);
        push(Q, f->a, &a, n, pull);
        break;
    }
    case CLV_FORCE_ANGULAR:
        find(o, f->a, f->point_a, &a);
        find(o, f->b, f->point_b, &b);
        for (int i = 0; i < 3; i++)
            x[i] = -(real)f->damping * (b.w[i] - a.w[i]);
        if (f->b >= 0)
            v3_add_scaled(Q + 6 * f->b + 3, 1, x);
        if (f->a >= 0)
            v3_add_scaled(Q + 6 * f->a + 3, -1, x);
        break;
    case CLV_FORCE_BUSHING:
        bushing(o, f, Q);
        break;
    case CLV_FORCE_CONTACT:
        contact(o, f, Q);
        break;
    default: /* joint loads: with the joints; callbacks: not here */
        break;
    }
}

void oracle_loads(const oracle *o, real *Q)
{
    const clv_model *m = o->model;
    memset(Q, 0, (size_t)o->n * sizeof *Q);
    for (int i = 0; i < m->nbody; i++)
        for (int k = 0; k < 3; k++)
            Q[6 * i + k] = (real)m->body[i].mass * (real)m->gravity[k];
    for (int k = 0; k < m->nforce; k++)
        apply(o, &m->force[k], Q);
    for (int j = 0; j < m->njoint; j++) {
        int nu = oracle_joint_freedoms(m->joint[j].kind);
        real tau[6], Ja[6], Jb[6];
        oracle_end A, B;
        oracle_joint_loads(o, j, tau);
        oracle_ends(o, j, &A, &B);
        for (int c = 0; c < nu; c++) {
            oracle_row row;
            if (tau[c] == 0)
                continue;
            oracle_coordinate(o, j, c, &row);
            oracle_row_blocks(&A, &B, row.T, Ja, Jb);
            for (int i = 0; i < 6; i++) {
                if (A.body >= 0)
                    Q[6 * A.body + i] += tau[c] * Ja[i];
                if (B.body >= 0)
                    Q[6 * B.body + i] += tau[c] * Jb[i];
            }
        }
    }
}

real oracle_potential_energy(const oracle *o)
{
    const clv_model *m = o->model;
    real V = 0;
    for (int i = 0; i < m->nbody; i++)
        for (int k = 0; k < 3; k++)
            V -= (real)m->body[i].mass * (real)m->gravity[k] * o->r[3 * i + k];
    for (int k = 0; k < m->nforce; k++) {
        const clv_force *f = &m->force[k];
        real x = 0, n[3];
        place a, b;
        if (f->kind == CLV_FORCE_SPRING)
            x = stretch(o, f, &a, &b, n);
        if (f->kind == CLV_FORCE_JOINT && f->stiffness != 0) {
            oracle_row row;
            oracle_coordinate(o, f->joint, f->coordinate, &row);
            x = row.violation - (real)f->rest;
        }
        V += (real)f->stiffness * x * x / 2;
        if (f->kind == CLV_FORCE_BUSHING) {
            real E[9], y[6];
            bushing_state(o, f, &a, &b, E, y);
            V += bushing_energy(&f->bushing, y);
        }
        if (f->kind == CLV_FORCE_CONTACT)
            V += contact_energy(o, f);
        if ((f->kind == CLV_FORCE_JOINT || f->kind == CLV_FORCE_SPRING) && f->stop.stiffness > 0) {
            oracle_row row;
            const real e = (real)f->stop.exponent + 1;
            if (f->kind == CLV_FORCE_JOINT)
                oracle_coordinate(o, f->joint, f->coordinate, &row);
            real side, d = beyond(&f->stop, f->kind == CLV_FORCE_JOINT ? row.violation : x + (real)f->rest, &side);
            V += d > 0 ? (real)f->stop.stiffness * powl(d, e) / e : 0;
        }
    }
    return V;
}
