/* SPDX-License-Identifier: Apache-2.0
 * The table of load kinds (T8).  What each adds to the wrenches about the centres of mass and to the joint forces; its
 * potential energy.  The power of what has no potential: drives, dampers, given forces.  Loads know bodies and joint
 * coordinates, never topology. */
#include "model/force.h"

#include "math/rotation.h"
#include "model/joint.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------ points of bodies */

/* A point given in body axes; the ground does not move. */
clv_load_point clv_load_point_of(const clv_load_frame *at, int body, const double p[3])
{
    clv_load_point s = {{0}, {0}, {0}};
    if (body == CLV_GROUND) {
        clv_copy3(s.at, p);
        return s;
    }
    const double *V = at->V + 6 * (size_t)body;
    double from_com[3];
    clv_sub3(from_com, p, at->model->body[body].com);
    clv_mat3_times(s.arm, at->R + 9 * (size_t)body, from_com);
    clv_copy3(s.at, at->r + 3 * (size_t)body);
    clv_axpy3(s.at, 1, s.arm);
    clv_cross(s.v, V + 3, s.arm);
    clv_axpy3(s.v, 1, V);
    return s;
}

void clv_load_push(clv_load_frame *at, int body, const double arm[3], double scale, const double f[3])
{
    double n[3];
    if (body == CLV_GROUND)
        return;
    clv_cross(n, arm, f);
    clv_axpy3(at->wrench + 6 * (size_t)body, scale, f);
    clv_axpy3(at->wrench + 6 * (size_t)body + 3, scale, n);
}

void clv_load_turn(clv_load_frame *at, int body, double scale, const double n[3])
{
    if (body != CLV_GROUND)
        clv_axpy3(at->wrench + 6 * (size_t)body + 3, scale, n);
}

void clv_load_check(clv_load_frame *at, int index, double number)
{
    if (!isfinite(number) && at->failed < 0)
        at->failed = index;
}

/* vector x table, in global axes */
static void given(double f[3], const clv_force *s, const clv_load_frame *at)
{
    double factor = clv_series_at(&s->table, at->time, 1), turned[3];
    clv_copy3(turned, s->vector);
    if (s->in_body)
        clv_mat3_times(turned, at->R + 9 * (size_t)s->b, s->vector);
    for (int i = 0; i < 3; i++)
        f[i] = factor * turned[i];
}

/* ------------------------------------------------------------------ kinds */

static void apply_point(const clv_force *s, int index, clv_load_frame *at)
{
    double f[3];
    clv_load_point p = clv_load_point_of(at, s->b, s->point_b);
    given(f, s, at);
    clv_load_push(at, s->b, p.arm, 1, f);
    double power = clv_dot3(f, p.v);
    at->power += power;
    clv_load_check(at, index, power);
}

static void apply_torque(const clv_force *s, int index, clv_load_frame *at)
{
    double n[3];
    given(n, s, at);
    clv_load_turn(at, s->b, 1, n);
    double power = clv_dot3(n, at->V + 6 * (size_t)s->b + 3);
    at->power += power;
    clv_load_check(at, index, power);
}

/* friction of given size, and by what the reaction presses (T46, T99) */
static clv_friction pressed(const clv_force *s, double press)
{
    clv_friction f = s->friction;
    f.sliding += press * s->bearing.coefficient, f.breakaway += press * s->bearing.static_coefficient;
    return f;
}

static double joint_friction(const clv_force *s, int index, const clv_load_frame *at, double u)
{
    if (at->dry && at->dry[index])
        return 0;
    const clv_friction f = pressed(s, at->bearing ? at->bearing[index] : 0);
    return f.breakaway > 0 ? clv_friction_at(&f, u, NULL) : 0;
}

/* tau = limited(-k (q - rest) - table(q - rest) - c u - table(u) + drive(t)) + friction(u) + stop(q, u) */
double clv_force_effort(const clv_force *s, int index, const clv_load_frame *at, double q, double u, double *without)
{
    double spring = 0, rest = -s->damping * u + clv_series_at(&s->table, at->time, s->drive);
    if (s->damper.n > 0)
        rest -= clv_series_at(&s->damper, u, 0);
    if (s->stiffness != 0 || s->spring.n > 0) {
        const double x = q - s->rest;
        spring = -s->stiffness * x;
        if (s->spring.n > 0)
            spring -= clv_series_at(&s->spring, x, 0);
    }
    if (s->limit > 0)
        rest = fmin(fmax(rest + spring, -s->limit), s->limit), spring = 0;
    rest += joint_friction(s, index, at, u);
    if (s->stop.stiffness > 0) {
        double elastic;
        const double all = clv_stop_at(&s->stop, q, u, &elastic, NULL, NULL);
        spring += elastic, rest += all - elastic;
    }
    *without = rest;
    return spring;
}

static void apply_joint(const clv_force *s, int index, clv_load_frame *at)
{
    const double u = at->u[6 * (size_t)s->joint + (size_t)s->coordinate];
    double rest;
    const double spring =
        clv_force_effort(s, index, at, at->q[7 * (size_t)s->joint + (size_t)s->coordinate], u, &rest);
    at->tau[6 * (size_t)s->joint + (size_t)s->coordinate] += spring + rest;
    at->power += rest * u;
    clv_load_check(at, index, (spring + rest) * u);
}

double clv_force_tangent(const clv_force *f, double press, const double *q, const double *u, double on_rate,
                         double on_place)
{
    double sum = on_rate * f->damping + on_place * f->stiffness, slope, elastic, place, rate;
    if (f->spring.n > 0)
        sum += on_place *
               fmax(0, clv_series_slope(&f->spring, q[7 * (size_t)f->joint + (size_t)f->coordinate] - f->rest));
    if (f->damper.n > 0)
        sum += on_rate * fmax(0, clv_series_slope(&f->damper, u[6 * (size_t)f->joint + (size_t)f->coordinate]));
    if (f->stop.stiffness > 0) {
        (void)clv_stop_at(&f->stop, q[7 * (size_t)f->joint + (size_t)f->coordinate],
                          u[6 * (size_t)f->joint + (size_t)f->coordinate], &elastic, &place, &rate);
        sum += on_rate * rate + on_place * place;
    }
    const clv_friction x = pressed(f, press);
    if (x.breakaway > 0) {
        (void)clv_friction_at(&x, u[6 * (size_t)f->joint + (size_t)f->coordinate], &slope);
        sum += on_rate * fmax(0, -slope);
    }
    return sum;
}

static double potential_joint(const clv_force *s, const clv_load_frame *at)
{
    if (s->stiffness == 0 && s->stop.stiffness == 0 && s->spring.n == 0)
        return 0;
    const double q = at->q[7 * (size_t)s->joint + (size_t)s->coordinate], x = q - s->rest;
    const double spring = s->limit > 0 ? 0 : 0.5 * s->stiffness * x * x + clv_series_integral(&s->spring, x);
    return spring + (s->stop.stiffness > 0 ? clv_stop_potential(&s->stop, q) : 0);
}

/* N, tension of the limits of a distance l (T52), 0 without limits; *power += what has no potential. */
static double limit_tension(const clv_force *s, double l, double rate, double *power)
{
    double elastic;
    if (!(s->stop.stiffness > 0))
        return 0;
    const double all = clv_stop_at(&s->stop, l, rate, &elastic, NULL, NULL);
    *power += (all - elastic) * rate;
    return -all;
}

/* Tension k (l - l0) + c ldot along the line d from a to b; written k d + (c ldot - k l0) n, so that a spring of
 * free length zero needs no direction.  Where the points coincide the direction n is undefined and its share is left
 * out. */
static void apply_spring(const clv_force *s, int index, clv_load_frame *at)
{
    clv_load_point a = clv_load_point_of(at, s->a, s->point_a), b = clv_load_point_of(at, s->b, s->point_b);
    double d[3], dv[3], f[3], n[3] = {0, 0, 0};
    clv_sub3(d, b.at, a.at);
    clv_sub3(dv, b.v, a.v);
    double l = clv_norm3(d);
    for (int i = 0; l > 0 && i < 3; i++)
        n[i] = d[i] / l;
    double rate = clv_dot3(n, dv);
    const double limit = l > 0 ? limit_tension(s, l, rate, &at->power) : 0;
    for (int i = 0; i < 3; i++)
        f[i] = s->stiffness * d[i] + (s->damping * rate - s->stiffness * s->rest + limit) * n[i];
    clv_load_push(at, s->a, a.arm, 1, f);
    clv_load_push(at, s->b, b.arm, -1, f);
    at->power -= s->damping * rate * rate;
    clv_load_check(at, index, f[0] + f[1] + f[2]);
}

static double potential_spring(const clv_force *s, const clv_load_frame *at)
{
    clv_load_point a = clv_load_point_of(at, s->a, s->point_a), b = clv_load_point_of(at, s->b, s->point_b);
    double d[3];
    clv_sub3(d, b.at, a.at);
    const double l = clv_norm3(d), x = l - s->rest;
    return 0.5 * s->stiffness * x * x + (s->stop.stiffness > 0 ? clv_stop_potential(&s->stop, l) : 0);
}

static void apply_angular(const clv_force *s, int index, clv_load_frame *at)
{
    double w[3] = {0, 0, 0};
    if (s->b != CLV_GROUND)
        clv_axpy3(w, 1, at->V + 6 * (size_t)s->b + 3);
    if (s->a != CLV_GROUND)
        clv_axpy3(w, -1, at->V + 6 * (size_t)s->a + 3);
    clv_load_turn(at, s->b, -s->damping, w);
    clv_load_turn(at, s->a, s->damping, w);
    double power = -s->damping * clv_dot3(w, w);
    at->power += power;
    clv_load_check(at, index, power);
}

static void apply_callback(const clv_force *s, int index, clv_load_frame *at)
{
    clv_load_view view = {at->time, at->model->nbody, at->r, at->R, at->V, at->wrench,
                          at->model->ninput, at->input};
    size_t n = 6 * (size_t)at->model->nbody;
    at->opaque = true;
    int answer = s->call(s->user, &view);
    if (answer != 0 && at->failed < 0)
        at->failed = index, at->answer = answer;
    for (size_t i = 0; i < n; i++)
        clv_load_check(at, index, at->wrench[i]);
}

const clv_force_row clv_force_table[CLV_FORCE_KINDS] = {
    [CLV_FORCE_POINT] = {"point", apply_point, NULL, clv_point_derive},
    [CLV_FORCE_TORQUE] = {"torque", apply_torque, NULL, clv_torque_derive},
    [CLV_FORCE_JOINT] = {"joint", apply_joint, potential_joint, NULL},
    [CLV_FORCE_SPRING] = {"spring-damper", apply_spring, potential_spring, clv_spring_derive},
    [CLV_FORCE_ANGULAR] = {"angular-damper", apply_angular, NULL, clv_angular_derive},
    [CLV_FORCE_CALLBACK] = {"callback", apply_callback, NULL, NULL},
    [CLV_FORCE_BUSHING] = {"bushing", clv_bushing_apply, clv_bushing_potential, clv_bushing_derive},
    [CLV_FORCE_CONTACT] = {"contact", clv_contact_apply, clv_contact_potential, NULL},
    [CLV_FORCE_TENDON] = {"tendon", clv_tendon_apply, clv_tendon_potential, NULL},
    [CLV_FORCE_DRAG] = {"drag", clv_drag_apply, NULL, NULL},
    [CLV_FORCE_CONTACTS] = {"contacts", clv_contacts_apply, clv_contacts_potential, NULL},
};

/* ------------------------------------------------------------------ all of them */

static void apply_all(clv_load_frame *at)
{
    const clv_model *m = at->model;
    for (int i = 0; i < m->nforce; i++)
        clv_force_table[m->force[i].kind].apply(&m->force[i], i, at);
    clv_contact_press(at);
    clv_inputs_apply(at);
    clv_controls_apply(at);
}

void clv_loads(clv_load_frame *at)
{
    const clv_model *m = at->model;
    memset(at->wrench, 0, 6 * (size_t)m->nbody * sizeof *at->wrench);
    if (at->tau)
        memset(at->tau, 0, 6 * (size_t)m->njoint * sizeof *at->tau);
    at->power = 0;
    at->opaque = false;
    at->failed = at->failed_joint = at->failed_body = -1, at->answer = 0, at->crowded = false;
    for (int i = 0; i < m->nbody; i++)
        clv_axpy3(at->wrench + 6 * (size_t)i, m->body[i].mass, m->gravity);
    apply_all(at);
}

void clv_loads_given(clv_load_frame *at)
{
    if (at->tau)
        memset(at->tau, 0, 6 * (size_t)at->model->njoint * sizeof *at->tau);
    at->power = 0;
    at->opaque = false;
    apply_all(at);
}
double clv_potential(const clv_load_frame *at)
{
    const clv_model *m = at->model;
    double sum = 0;
    for (int i = 0; i < m->nbody; i++)
        sum -= m->body[i].mass * clv_dot3(m->gravity, at->r + 3 * (size_t)i);
    return sum + clv_potential_given(at);
}

double clv_potential_given(const clv_load_frame *at)
{
    const clv_model *m = at->model;
    double sum = 0;
    for (int i = 0; i < m->nforce; i++)
        if (clv_force_table[m->force[i].kind].potential)
            sum += clv_force_table[m->force[i].kind].potential(&m->force[i], at);
    return sum;
}
