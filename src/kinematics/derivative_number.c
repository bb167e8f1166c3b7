/* SPDX-License-Identifier: Apache-2.0
 * How the generalized force that is missing changes with numbers of the model (T76.4): inertia of a body, gravity, and
 * numbers in which loads are linear. */
#include "kinematics/derivative.h"
#include "kinematics/place.h"
#include "math/rotation.h"

/* Where the change of the missing force goes: to all of it, or to its product with v. */
typedef struct sink {
    double *force;       /* (n), or NULL                                                    */
    const double *v;     /* (n)                                                             */
    const double *field; /* (nbody x 6) motions of the bodies by the rates v                */
    double sum;
} sink;

/* takes the forces of a wrench W on a body off */
static void push(const clv_derivative *d, sink *to, int body, const double W[6])
{
    if (to->force)
        clv_derivative_push(d, to->force, 1, body, W);
    else if (to->field && body >= 0)
        to->sum -= clv_dot6(to->field + 6 * (size_t)body, W);
}

/* takes a force along a coordinate off */
static void push_along(sink *to, int k, double tau)
{
    if (to->force)
        to->force[k] -= tau;
    else
        to->sum -= tau * to->v[k];
}

/* ------------------------------------------------------------------ bodies */

/* change of inertia about the origin: of mass, m c and J */
typedef struct mass_change {
    double mass, moment[3], J[9];
} mass_change;

/* s (2 c.e 1 - e c^T - c e^T), or with e = c half of it */
static void spread(double J[9], double s, const double c[3], const double e[3])
{
    for (int i = 0; i < 9; i++)
        J[i] = s * ((i % 4 == 0 ? 2 * clv_dot3(c, e) : 0.0) - e[i / 3] * c[i % 3] - c[i / 3] * e[i % 3]);
}

static void body_change(const clv_derivative *d, const clv_number *x, mass_change *to)
{
    const double m = d->plan->model->body[x->item].mass, *R = d->kin->R + 9 * (size_t)x->item;
    static const int row[6] = {0, 1, 2, 0, 0, 1}, col[6] = {0, 1, 2, 1, 2, 2};
    double c[3], e[3];
    clv_sub3(c, d->kin->com + 3 * (size_t)x->item, d->origin);
    if (x->kind == CLV_NUMBER_MASS) {
        to->mass = 1;
        clv_copy3(to->moment, c);
        spread(to->J, 0.5, c, c);
    } else if (x->kind == CLV_NUMBER_COM) {
        clv_mat3_column(e, R, x->component);
        clv_axpy3(to->moment, m, e);
        spread(to->J, m, c, e);
    } else {
        double a[3], b[3];
        const int r = row[x->component], s = col[x->component];
        clv_mat3_column(a, R, r), clv_mat3_column(b, R, s);
        for (int i = 0; i < 9; i++)
            to->J[i] = r == s ? a[i / 3] * a[i % 3] : a[i / 3] * b[i % 3] + b[i / 3] * a[i % 3];
    }
}

/* W = dI a + v x* (dI v) is what the body needs more */
static void body(const clv_derivative *d, const clv_number *x, sink *to)
{
    const double *v = d->v + 6 * (size_t)x->item, *a = d->a + 6 * (size_t)x->item;
    mass_change I = {0};
    double W[6], h[6], g[6];
    body_change(d, x, &I);
    clv_derivative_times(W, I.mass, I.moment, I.J, a), clv_derivative_times(h, I.mass, I.moment, I.J, v);
    clv_wrench_cross(g, v, h);
    for (int i = 0; i < 6; i++)
        W[i] = -W[i] - g[i];
    push(d, to, x->item, W);
}

/* a motion about the origin: about the centre of mass at c, in body axes */
static void to_body(double y[6], const double R[9], const double c[3], const double x[6])
{
    double at[3];
    clv_cross(at, x + 3, c), clv_axpy3(at, 1, x);
    clv_mat3_transpose_times(y, R, at), clv_mat3_transpose_times(y + 3, R, x + 3);
}

/* field.(dI a + v x* dI v) = field.(dI a) + z.(dI v), z = field x v, about the centre of mass and in body axes */
void clv_derivative_body_along(const clv_derivative *d, int body, const double *field, double g[10])
{
    static const int row[6] = {0, 1, 2, 0, 0, 1}, col[6] = {0, 1, 2, 1, 2, 2};
    const double *R = d->kin->R + 9 * (size_t)body, m = d->plan->model->body[body].mass;
    double c[3], f[6], a[6], v[6], z[6], x[3], y[3], sum[3];
    clv_sub3(c, d->kin->com + 3 * (size_t)body, d->origin);
    to_body(f, R, c, field + 6 * (size_t)body), to_body(a, R, c, d->a + 6 * (size_t)body);
    to_body(v, R, c, d->v + 6 * (size_t)body);
    clv_motion_cross(z, f, v);
    g[0] = clv_dot3(f, a) + clv_dot3(z, v);
    clv_cross(x, f, a + 3), clv_cross(y, a, f + 3);
    for (int i = 0; i < 3; i++)
        sum[i] = x[i] + y[i];
    clv_cross(x, z, v + 3), clv_cross(y, v, z + 3);
    for (int i = 0; i < 3; i++)
        g[1 + i] = m * (sum[i] + x[i] + y[i]);
    for (int i = 0; i < 6; i++) {
        const int r = 3 + row[i], s = 3 + col[i];
        g[4 + i] = f[r] * a[s] + z[r] * v[s] + (r == s ? 0 : f[s] * a[r] + z[s] * v[r]);
    }
}

/* ------------------------------------------------------------------ loads */

/* The force with this number alone, or the part that it multiplies. */
static clv_force only(const clv_force *f, const clv_number *x, double value)
{
    static const double none[6] = {0};
    clv_force y = *f;
    y.friction.breakaway = 0, y.stop.stiffness = 0, y.drive = 0, y.table.n = 0;
    y.damping = x->kind == CLV_NUMBER_DAMPING ? value : 0;
    y.stiffness = x->kind == CLV_NUMBER_STIFFNESS ? value : x->kind == CLV_NUMBER_REST ? f->stiffness : 0;
    if (x->kind == CLV_NUMBER_REST)
        y.rest = value;
    memcpy(y.bushing.stiffness, none, sizeof none), memcpy(y.bushing.damping, none, sizeof none);
    memcpy(y.bushing.preload, none, sizeof none);
    double *part = x->kind == CLV_NUMBER_STIFFNESS ? y.bushing.stiffness
                   : x->kind == CLV_NUMBER_DAMPING ? y.bushing.damping
                                                   : y.bushing.preload;
    if (f->kind == CLV_FORCE_BUSHING)
        part[x->component] = value;
    return y;
}

/* adds scale x the load to the force that is missing */
static void push_load(const clv_derivative *d, const clv_force *f, double scale, sink *to)
{
    static const clv_load_change none;
    clv_load_pair x = {{0}, {0}, {0}, {0}};
    clv_force_table[f->kind].derive(f, d->loads, &none, &x);
    for (int side = 0; side < 2; side++) {
        const int at = side ? f->b : f->a;
        double r[3], W[6];
        if (at < 0)
            continue;
        clv_sub3(r, d->kin->com + 3 * (size_t)at, d->origin);
        clv_wrench_shift(W, r, side ? x.Wb : x.Wa);
        for (int i = 0; i < 6; i++)
            W[i] *= scale;
        push(d, to, at, W);
    }
}

static void effort(const clv_derivative *d, sink *to, int joint, int coordinate, double tau)
{
    const clv_plan *p = d->plan;
    const int child = p->child_of_joint[joint];
    const clv_joint *j = &p->model->joint[joint];
    double O[3], G[36], W[6];
    if (child >= 0) {
        if (p->tree[child].f > 0)
            push_along(to, p->tree[child].iu + coordinate, tau);
        return;
    }
    clv_joint_dual(j, d->kin->cut_H + 36 * (size_t)p->edge_of_joint[joint], G);
    clv_closing_point(d->kin, j, O);
    clv_sub3(O, O, d->origin);
    clv_wrench_shift(W, O, G + 6 * coordinate);
    for (int i = 0; i < 6; i++)
        W[i] *= tau;
    push(d, to, j->b, W);
    for (int i = 0; i < 6; i++)
        W[i] = -W[i];
    push(d, to, j->a, W);
}

static void input(const clv_derivative *d, const clv_input *x, sink *to)
{
    static const clv_load_change none;
    clv_load_pair f = {{0}, {0}, {0}, {0}};
    double r[3], W[6];
    double on_value = 1, on_rate;
    if (x->kind == CLV_INPUT_JOINT && x->stall_effort > 0)
        (void)clv_input_acting(d->loads, (int)(x - d->plan->model->input), &on_value, &on_rate);
    if (x->kind == CLV_INPUT_JOINT && on_value != 0)
        effort(d, to, x->joint, x->coordinate, on_value);
    if (x->kind != CLV_INPUT_FORCE && x->kind != CLV_INPUT_TORQUE)
        return;
    clv_input_derive(x, 1, d->loads, &none, &f);
    clv_sub3(r, d->kin->com + 3 * (size_t)x->body, d->origin);
    clv_wrench_shift(W, r, f.Wb);
    push(d, to, x->body, W);
}

void clv_derivative_input(const clv_derivative *d, const clv_input *x, double *force)
{
    sink to = {.force = force};
    input(d, x, &to);
}

double clv_derivative_input_along(const clv_derivative *d, const clv_input *x, const double *v, const double *field)
{
    sink to = {.v = v, .field = field};
    input(d, x, &to);
    return to.sum;
}

static void joint_load(const clv_derivative *d, const clv_force *f, const clv_number *x, sink *to)
{
    const size_t joint = (size_t)f->joint, c = (size_t)f->coordinate;
    const double q = d->loads->q[7 * joint + c], u = d->loads->u[6 * joint + c];
    const double tau = x->kind == CLV_NUMBER_STIFFNESS ? -(q - f->rest)
                       : x->kind == CLV_NUMBER_DAMPING ? -u
                       : x->kind == CLV_NUMBER_REST    ? f->stiffness + clv_series_slope(&f->spring, q - f->rest)
                                                       : 1;
    if (clv_force_limited(f, d->loads->time, q, u))
        return;
    effort(d, to, f->joint, f->coordinate, tau);
}

static void load(const clv_derivative *d, const clv_number *x, sink *to)
{
    const clv_force *f = &d->plan->model->force[x->item];
    if (f->kind == CLV_FORCE_JOINT) {
        joint_load(d, f, x, to);
        return;
    }
    const clv_force one = only(f, x, 1), zero = only(f, x, 0);
    push_load(d, &one, 1, to);
    if (x->kind == CLV_NUMBER_REST)
        push_load(d, &zero, -1, to);
}

/* ------------------------------------------------------------------ all */

static void number(const clv_derivative *d, const clv_number *x, sink *to)
{
    if (x->kind == CLV_NUMBER_GRAVITY)
        for (int k = 0; k < d->n; k++)
            push_along(to, k, d->IS[6 * (size_t)k + (size_t)x->component]);
    else if (x->kind <= CLV_NUMBER_INERTIA)
        body(d, x, to);
    else if (x->kind <= CLV_NUMBER_DRIVE)
        load(d, x, to);
}

void clv_derivative_number(const clv_derivative *d, const clv_number *x, double *force)
{
    sink to = {.force = force};
    number(d, x, &to);
}

double clv_derivative_number_along(const clv_derivative *d, const clv_number *x, const double *v, const double *field)
{
    sink to = {.v = v, .field = field};
    number(d, x, &to);
    return to.sum;
}

void clv_derivative_field(const clv_derivative *d, const double *v, double *field)
{
    const clv_plan *p = d->plan;
    for (int i = 0; i < p->nbody; i++) {
        const int b = p->order[i], up = p->tree[b].parent;
        double *to = field + 6 * (size_t)b;
        memset(to, 0, 6 * sizeof *to);
        if (up >= 0)
            memcpy(to, field + 6 * (size_t)up, 6 * sizeof *to);
        for (int c = 0; c < p->tree[b].f; c++)
            for (int k = 0; k < 6; k++)
                to[k] += v[p->tree[b].iu + c] * d->S[6 * (size_t)(p->tree[b].iu + c) + (size_t)k];
    }
}
