/* SPDX-License-Identifier: Apache-2.0
 * Derivatives of loads along a change of their bodies (T76): each is its row of force.c, differentiated.  Wrenches are
 * about the centres of mass, which move.  A new kind of load gives its derivative beside its formula and names it in
 * the table; bushings do in bushing.c. */
#include "math/rotation.h"
#include "model/force.h"
#include <math.h>
#include <string.h>

clv_load_moved clv_load_moved_of(const clv_load_frame *at, int body, const double p[3], const double shift[6],
                                 const double rate[6])
{
    clv_load_moved m = {.p = clv_load_point_of(at, body, p)};
    double x[3];
    if (body == CLV_GROUND)
        return m;
    clv_cross(m.arm, shift + 3, m.p.arm);
    for (int i = 0; i < 3; i++)
        m.at[i] = shift[i] + m.arm[i];
    clv_copy3(m.v, rate);
    clv_cross(x, rate + 3, m.p.arm), clv_axpy3(m.v, 1, x);
    clv_cross(x, at->V + 6 * (size_t)body + 3, m.arm), clv_axpy3(m.v, 1, x);
    return m;
}

void clv_load_push_change(double W[6], double dW[6], const clv_load_moved *m, double scale, const double f[3],
                          const double df[3])
{
    double n[3], x[3], y[3];
    clv_cross(n, m->p.arm, f), clv_cross(x, m->arm, f), clv_cross(y, m->p.arm, df);
    for (int i = 0; i < 3; i++) {
        W[i] += scale * f[i], W[3 + i] += scale * n[i];
        dW[i] += scale * df[i], dW[3 + i] += scale * (x[i] + y[i]);
    }
}

/* factor x vector, in global axes, and its change where it turns with the body */
static void given(double f[3], double df[3], const double vector[3], bool in_body, double factor,
                  const clv_load_frame *at, int body, const double turn[3])
{
    double v[3];
    clv_copy3(v, vector);
    if (in_body)
        clv_mat3_times(v, at->R + 9 * (size_t)body, vector);
    memset(df, 0, 3 * sizeof *df);
    for (int i = 0; i < 3; i++)
        f[i] = factor * v[i];
    if (in_body)
        clv_cross(df, turn, f);
}

void clv_point_derive(const clv_force *s, const clv_load_frame *at, const clv_load_change *x, clv_load_pair *to)
{
    double f[3], df[3];
    const clv_load_moved m = clv_load_moved_of(at, s->b, s->point_b, x->b, x->vb);
    given(f, df, s->vector, s->in_body, clv_series_at(&s->table, at->time, 1), at, s->b, x->b + 3);
    clv_load_push_change(to->Wb, to->dWb, &m, 1, f, df);
}

void clv_torque_derive(const clv_force *s, const clv_load_frame *at, const clv_load_change *x, clv_load_pair *to)
{
    given(to->Wb + 3, to->dWb + 3, s->vector, s->in_body, clv_series_at(&s->table, at->time, 1), at, s->b, x->b + 3);
}

void clv_input_derive(const clv_input *s, double value, const clv_load_frame *at, const clv_load_change *x,
                      clv_load_pair *to)
{
    double f[3], df[3];
    given(f, df, s->vector, s->in_body, value, at, s->body, x->b + 3);
    if (s->kind == CLV_INPUT_TORQUE) {
        clv_copy3(to->Wb + 3, f), clv_copy3(to->dWb + 3, df);
        return;
    }
    const clv_load_moved m = clv_load_moved_of(at, s->body, s->point, x->b, x->vb);
    clv_load_push_change(to->Wb, to->dWb, &m, 1, f, df);
}

/* tension of the limits of a distance, and its derivatives */
static double limit_tension(const clv_force *s, double l, double rate, double *on_length, double *on_rate)
{
    double elastic;
    *on_length = *on_rate = 0;
    return s->stop.stiffness > 0 && l > 0 ? -clv_stop_at(&s->stop, l, rate, &elastic, on_length, on_rate) : 0;
}

/* f = k d + s n,  s = c l' - k l0 + limit(l, l'),  n = d / l (apply_spring of force.c) */
void clv_spring_derive(const clv_force *s, const clv_load_frame *at, const clv_load_change *x, clv_load_pair *to)
{
    const clv_load_moved a = clv_load_moved_of(at, s->a, s->point_a, x->a, x->va),
                         b = clv_load_moved_of(at, s->b, s->point_b, x->b, x->vb);
    double d[3], dv[3], dd[3], ddv[3], n[3] = {0}, dn[3] = {0}, f[3], df[3], on_length, on_rate;
    clv_sub3(d, b.p.at, a.p.at), clv_sub3(dv, b.p.v, a.p.v);
    clv_sub3(dd, b.at, a.at), clv_sub3(ddv, b.v, a.v);
    const double l = clv_norm3(d);
    for (int i = 0; l > 0 && i < 3; i++)
        n[i] = d[i] / l;
    const double rate = clv_dot3(n, dv), dl = clv_dot3(n, dd);
    for (int i = 0; l > 0 && i < 3; i++)
        dn[i] = (dd[i] - dl * n[i]) / l;
    const double drate = clv_dot3(dn, dv) + clv_dot3(n, ddv);
    const double limit = limit_tension(s, l, rate, &on_length, &on_rate);
    const double tension = s->damping * rate - s->stiffness * s->rest + limit;
    const double change = (s->damping + on_rate) * drate + on_length * dl;
    for (int i = 0; i < 3; i++) {
        f[i] = s->stiffness * d[i] + tension * n[i];
        df[i] = s->stiffness * dd[i] + change * n[i] + tension * dn[i];
    }
    clv_load_push_change(to->Wa, to->dWa, &a, 1, f, df);
    clv_load_push_change(to->Wb, to->dWb, &b, -1, f, df);
}

void clv_angular_derive(const clv_force *s, const clv_load_frame *at, const clv_load_change *x, clv_load_pair *to)
{
    for (int i = 3; i < 6; i++) {
        const double w = (s->b != CLV_GROUND ? at->V[6 * (size_t)s->b + (size_t)i] : 0.0) -
                         (s->a != CLV_GROUND ? at->V[6 * (size_t)s->a + (size_t)i] : 0.0);
        to->Wb[i] = -s->damping * w, to->Wa[i] = s->damping * w;
        to->dWb[i] = -s->damping * (x->vb[i] - x->va[i]), to->dWa[i] = -to->dWb[i];
    }
}

bool clv_force_limited(const clv_force *f, double time, double q, double u)
{
    const double x = q - f->rest;
    const double effort = clv_series_at(&f->table, time, f->drive) - f->damping * u - clv_series_at(&f->damper, u, 0) -
                          f->stiffness * x - clv_series_at(&f->spring, x, 0);
    return f->limit > 0 && !(fabs(effort) < f->limit);
}

void clv_force_slopes(const clv_force *f, double time, double q, double u, double *on_place, double *on_rate)
{
    double elastic, place, rate, slope;
    *on_place = -f->stiffness - clv_series_slope(&f->spring, q - f->rest);
    *on_rate = -f->damping - clv_series_slope(&f->damper, u);
    if (clv_force_limited(f, time, q, u))
        *on_place = *on_rate = 0;
    if (f->friction.breakaway > 0) {
        (void)clv_friction_at(&f->friction, u, &slope);
        *on_rate += slope;
    }
    if (f->stop.stiffness > 0) {
        (void)clv_stop_at(&f->stop, q, u, &elastic, &place, &rate);
        *on_place -= place, *on_rate -= rate;
    }
}
