/* SPDX-License-Identifier: Apache-2.0
 * Compliant contact (T61): at each point the normal force of Hunt and Crossley, and friction that grows with the slip
 * from zero (regularised Coulomb).  Of many bodies those that sweep.c finds near each other (T105). */
#include "model/contact.h"
#include "base/error.h"
#include "math/rotation.h"
#include "model/apart.h"
#include "model/hull.h"
#include "model/sweep.h"
#include <math.h>
#include <string.h>

#define SECANT 0.7 /* least share of the secant of friction in its tangent: with less Newton's method may cycle */

void clv_contact_plane(const clv_contact *c, clv_solid *s)
{
    *s = (clv_solid){.kind = CLV_SHAPE_NONE};
    clv_copy3(s->at, c->point);
    for (int i = 0; i < 3; i++)
        s->E[3 * i + 2] = c->normal[i];
}

/* a shape of a body or of the ground */
static void place(const clv_model *m, int body, const clv_shape *shape, const clv_hull *hull, const double *r,
                  const double *R, clv_solid *s)
{
    double from_com[3], own[9], arm[3];
    s->kind = shape->kind, s->hull = hull, s->closed = shape->closed;
    clv_copy3(s->size, shape->size);
    clv_quat_rotation(own, shape->orientation);
    if (body == CLV_GROUND) {
        clv_copy3(s->at, shape->at), memcpy(s->E, own, sizeof own);
    } else {
        clv_sub3(from_com, shape->at, m->body[body].com);
        clv_mat3_times(arm, R + 9 * (size_t)body, from_com);
        clv_copy3(s->at, r + 3 * (size_t)body);
        clv_axpy3(s->at, 1, arm);
        clv_mat3_product(s->E, R + 9 * (size_t)body, own);
    }
    if (s->hull)
        clv_mat3_times(arm, s->E, s->hull->middle), clv_axpy3(s->at, 1, arm);
}

void clv_contact_place(const clv_model *m, const clv_touch_member *x, const double *r, const double *R, clv_solid *s)
{
    place(m, x->body, x->form, x->hull, r, R, s);
}

static void solid_of(const clv_model *m, const clv_force *f, int body, const double *r, const double *R, clv_solid *s)
{
    if (body == CLV_GROUND)
        clv_contact_plane(&f->contact, s);
    else
        place(m, body, m->body[body].shape, m->body[body].hull, r, R, s);
}

void clv_contact_solids(const clv_model *m, const clv_force *f, const double *r, const double *R, clv_solid *a,
                        clv_solid *b)
{
    solid_of(m, f, f->a, r, R, a), solid_of(m, f, f->b, r, R, b);
}

int clv_contact_find(const clv_model *m, const clv_force *f, const double *r, const double *R,
                     clv_touch x[CLV_TOUCH_POINTS])
{
    clv_solid a, b;
    clv_contact_solids(m, f, r, R, &a, &b);
    return clv_touch_find(&a, &b, x);
}

int clv_contact_points(const clv_model *m, const clv_force *f)
{
    if (f->kind == CLV_FORCE_CONTACTS)
        return f->group->points;
    return clv_touch_most(f->a == CLV_GROUND ? CLV_SHAPE_NONE : m->body[f->a].shape->kind, m->body[f->b].shape->kind);
}

/* arm from the centre of mass; v += scale times the velocity there */
static void add_velocity(int body, const double at[3], const double *r, const double *V, double scale, double v[3])
{
    double arm[3], turned[3];
    if (body == CLV_GROUND)
        return;
    clv_sub3(arm, at, r + 3 * (size_t)body);
    clv_cross(turned, V + 6 * (size_t)body + 3, arm);
    clv_axpy3(v, scale, V + 6 * (size_t)body), clv_axpy3(v, scale, turned);
}

void clv_contact_slide(int a, int b, const double at[3], const double *r, const double *V, double v[3])
{
    v[0] = v[1] = v[2] = 0;
    add_velocity(b, at, r, V, 1, v), add_velocity(a, at, r, V, -1, v);
}

/* N: elastic part k d^e; *factor: what dissipation makes of it, for the rate `apart` at which the bodies part */
static double normal_force(const clv_contact *c, double depth, double apart, double *factor)
{
    *factor = fmax(0, 1 - 1.5 * c->dissipation * apart);
    return c->stiffness * clv_stop_power(depth, c->exponent);
}

/* s/m, friction over normal force and slip, T61.3: it rises as a parabola to the static value at the transition
 * speed, then falls to the dynamic one at three times that */
static double friction_slope(const clv_contact *c, double slip)
{
    const double z = slip / c->transition_speed, w = z < 3 ? 0.5 * (z - 1) : 1;
    if (z <= 1)
        return c->static_friction * (2 - z) / c->transition_speed + c->viscous_friction;
    const double fallen = w * w * (3 - 2 * w) * (c->static_friction - c->dynamic_friction);
    return (c->static_friction - fallen) / slip + c->viscous_friction;
}

/* s/m, its derivative along the slip, where it rises */
static double friction_rise(const clv_contact *c, double slip)
{
    const double z = slip / c->transition_speed, w = 0.5 * (z - 1);
    const double fall = z > 1 && z < 3 ? 3 * w * (1 - w) * (c->static_friction - c->dynamic_friction) : 0;
    const double rise = z < 1 ? 2 * (1 - z) * c->static_friction : 0;
    return fmax(0, (rise - fall) / c->transition_speed + c->viscous_friction);
}

/* slip of v across the normal; returns its size */
static double slip_of(const clv_touch *x, const double v[3], double apart, double slip[3])
{
    clv_copy3(slip, v);
    clv_axpy3(slip, -apart, x->n);
    return clv_norm3(slip);
}

void clv_contact_tangent(const clv_contact *c, const clv_touch *x, const double v[3], double on_rate, double on_place,
                         double E[9], double weight[3])
{
    const double none[3] = {0, 0, 0};
    double factor, slip[3];
    const double apart = clv_dot3(v, x->n), elastic = normal_force(c, x->depth, apart, &factor);
    const double rate = slip_of(x, v, apart, slip), rub = on_rate * elastic * factor;
    if (!clv_rotation_frame(E, x->n, slip))
        (void)clv_rotation_frame(E, x->n, none);
    weight[1] = rub * friction_slope(c, rate);
    weight[0] = fmax(rub * friction_rise(c, rate), SECANT * weight[1]);
    weight[2] = on_place * factor * c->exponent * elastic / x->depth;
    if (factor > 0)
        weight[2] += on_rate * 1.5 * c->dissipation * elastic;
}

static void push(int a, int b, clv_load_frame *at, const double point[3], const double F[3])
{
    for (int side = 0; side < 2; side++) {
        const int body = side ? a : b;
        double arm[3];
        if (body == CLV_GROUND)
            continue;
        clv_sub3(arm, point, at->r + 3 * (size_t)body);
        clv_load_push(at, body, arm, side ? -1 : 1, F);
    }
}

double clv_contact_force(const clv_contact *c, const clv_touch *x, const double v[3], double F[3], double *loss)
{
    double slip[3], factor;
    const double apart = clv_dot3(v, x->n), elastic = normal_force(c, x->depth, apart, &factor);
    const double rate = slip_of(x, v, apart, slip), N = elastic * factor;
    const double rub = N * friction_slope(c, rate);
    for (int i = 0; i < 3; i++)
        F[i] = N * x->n[i] - rub * slip[i];
    *loss = (N - elastic) * apart - rub * rate * rate;
    return N;
}

/* forces at the n points of two bodies */
static void press(const clv_force *f, int index, int a, int b, const clv_touch *x, int n, clv_load_frame *at)
{
    for (int k = 0; k < n; k++) {
        double v[3], F[3], loss;
        clv_contact_slide(a, b, x[k].at, at->r, at->V, v);
        (void)clv_contact_force(&f->contact, &x[k], v, F, &loss);
        push(a, b, at, x[k].at, F);
        at->power += loss;
        clv_load_check(at, index, clv_dot3(F, F));
    }
}

/* J */
static double stored(const clv_contact *c, const clv_touch *x, int n)
{
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += c->stiffness * clv_stop_power(x[k].depth, c->exponent) * x[k].depth / (c->exponent + 1);
    return sum;
}

void clv_contact_apply(const clv_force *f, int index, clv_load_frame *at)
{
    clv_touch x[CLV_TOUCH_POINTS];
    const int n = clv_contact_rigid(f) ? 0 : clv_contact_find(at->model, f, at->r, at->R, x);
    press(f, index, f->a, f->b, x, n, at);
}

void clv_contact_press(clv_load_frame *at)
{
    for (int i = 0; i < at->npress; i++) {
        const clv_load_press *x = &at->press[i];
        double point[3];
        if (x->joint >= 0) {
            at->tau[6 * (size_t)x->joint + (size_t)x->coordinate] += x->F[0];
            continue;
        }
        clv_mat3_times(point, at->R + 9 * (size_t)x->b, x->place);
        clv_axpy3(point, 1, at->r + 3 * (size_t)x->b);
        push(x->a, x->b, at, point, x->F);
    }
}

double clv_contact_potential(const clv_force *f, const clv_load_frame *at)
{
    clv_touch x[CLV_TOUCH_POINTS];
    return stored(&f->contact, x, clv_contact_rigid(f) ? 0 : clv_contact_find(at->model, f, at->r, at->R, x));
}

/* ------------------------------------------------------------------ many bodies */

int clv_contact_touch(const clv_force *f, const clv_sweep *s, int k, double margin, int *a, int *b,
                      clv_touch x[CLV_TOUCH_POINTS])
{
    const int i = s->pair[k][0], j = s->pair[k][1];
    clv_solid plane;
    *a = i < 0 ? CLV_GROUND : f->group->member[i].body, *b = f->group->member[j].body;
    if (i < 0)
        clv_contact_plane(&f->contact, &plane);
    if (margin == 0)
        return clv_touch_find(i < 0 ? &plane : &s->solid[i], &s->solid[j], x);
    clv_solid grown = s->solid[j];
    clv_solid_grow(&grown, margin * clv_solid_width(&grown));
    return clv_touch_find(i < 0 ? &plane : &s->solid[i], &grown, x);
}

clv_status clv_contact_crowded(clv_error *e, const clv_force *f, double time)
{
    const clv_touch_group *g = f->group;
    clv_fail(e, CLV_ERR_UNSUPPORTED,
             "contact '%s' has room for %d points and %d pairs that are near each other; at t = %.9g s there are more",
             f->name, g->points, g->pairs, time);
    clv_error_locate(e, "forces", f->name, NULL);
    clv_error_hint(e, "raise the limit: `most: %d`", 2 * g->points);
    e->time = time;
    return e->code;
}

void clv_contacts_apply(const clv_force *f, int index, clv_load_frame *at)
{
    if (clv_contact_rigid(f))
        return;
    clv_sweep *s = &at->sweep[f->group->number];
    if (!clv_sweep_find(s, at->model, f, at->r, at->R)) {
        at->crowded |= at->failed < 0;
        at->failed = at->failed < 0 ? index : at->failed;
        return;
    }
    for (int k = 0; k < s->pairs; k++) {
        clv_touch x[CLV_TOUCH_POINTS];
        int a, b;
        const int n = clv_contact_touch(f, s, k, 0, &a, &b, x);
        press(f, index, a, b, x, n, at);
    }
}

double clv_contacts_potential(const clv_force *f, const clv_load_frame *at)
{
    clv_sweep *s = &at->sweep[f->group->number];
    double sum = 0;
    if (clv_contact_rigid(f))
        return 0;
    if (!clv_sweep_find(s, at->model, f, at->r, at->R))
        return NAN;
    for (int k = 0; k < s->pairs; k++) {
        clv_touch x[CLV_TOUCH_POINTS];
        int a, b;
        sum += stored(&f->contact, x, clv_contact_touch(f, s, k, 0, &a, &b, x));
    }
    return sum;
}
