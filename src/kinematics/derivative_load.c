/* SPDX-License-Identifier: Apache-2.0
 * Loads between two bodies, or between a body and the ground, with their changes (T76). */
#include "kinematics/derivative_pair.h"
#include "math/rotation.h"
#include <string.h>

/* displacement and change of velocity of the centre of mass, out of spatial ones */
static void of_centre(const clv_derivative *d, int body, const double x[6], const double v[6], double shift[6],
                      double rate[6], double r[3])
{
    double y[3];
    if (body < 0)
        return;
    clv_sub3(r, d->kin->com + 3 * (size_t)body, d->origin);
    memcpy(shift, x, 6 * sizeof *shift), memcpy(rate, v, 6 * sizeof *rate);
    clv_field_at(shift, x, r), clv_field_at(rate, v, r);
    clv_cross(y, d->v + 6 * (size_t)body + 3, shift), clv_axpy3(rate, 1, y);
}

/* a wrench about the centre of mass at r, which moves by dr: about the origin */
static void to_origin(const double r[3], const double dr[3], const double W[6], const double dW[6], double to[6],
                      double dto[6])
{
    double y[3];
    clv_wrench_shift(to, r, W), clv_wrench_shift(dto, r, dW);
    clv_cross(y, dr, W), clv_axpy3(dto + 3, 1, y);
}

static void load(const clv_acting *p, const clv_acting_change *x, clv_acting_effect *to)
{
    const clv_derivative *d = p->d;
    clv_load_change by = {{0}, {0}, {0}, {0}};
    clv_load_pair f = {{0}, {0}, {0}, {0}};
    double ra[3] = {0}, rb[3] = {0};
    of_centre(d, p->a, x->xa, x->va, by.a, by.va, ra);
    of_centre(d, p->b, x->xb, x->vb, by.b, by.vb, rb);
    if (p->force)
        clv_force_table[p->force->kind].derive(p->force, d->loads, &by, &f);
    else
        clv_input_derive(p->input, p->value, d->loads, &by, &f);
    to_origin(ra, by.a, f.Wa, f.dWa, to->Wa, to->dWa);
    to_origin(rb, by.b, f.Wb, f.dWb, to->Wb, to->dWb);
}

void clv_acting_slopes(clv_derivative *d)
{
    const clv_model *m = d->plan->model;
    memset(d->slope, 0, 12 * (size_t)m->njoint * sizeof(double));
    for (int i = 0; i < m->nforce; i++) {
        const clv_force *f = &m->force[i];
        const size_t at = 6 * (size_t)f->joint + (size_t)f->coordinate;
        double place, rate;
        if (f->kind != CLV_FORCE_JOINT)
            continue;
        clv_force_slopes(f, d->loads->time, d->loads->q[7 * (size_t)f->joint + (size_t)f->coordinate],
                         d->loads->u[at], &place, &rate);
        d->slope[2 * at] += place, d->slope[2 * at + 1] += rate;
    }
    for (int i = 0; i < m->ninput; i++) {
        double on_value, on_rate;
        if (m->input[i].stall_effort > 0 && m->input[i].kind == CLV_INPUT_JOINT) {
            (void)clv_input_acting(d->loads, i, &on_value, &on_rate);
            d->slope[2 * (6 * (size_t)m->input[i].joint + (size_t)m->input[i].coordinate) + 1] += on_rate;
        }
    }
}

void clv_acting_loads(clv_derivative *d, clv_acting_visitor visit, void *user)
{
    const clv_model *m = d->plan->model;
    for (int i = 0; i < m->nforce; i++) {
        const clv_force *f = &m->force[i];
        const bool one = f->kind == CLV_FORCE_POINT || f->kind == CLV_FORCE_TORQUE;
        const clv_acting x = {.d = d, .a = one ? -1 : f->a, .b = f->b, .edge = -1, .force = f, .find = load};
        if (clv_force_table[f->kind].derive)
            visit(&x, user);
    }
    for (int i = 0; i < m->ninput; i++) {
        const clv_input *s = &m->input[i];
        const clv_acting x = {.d = d, .a = -1, .b = s->body, .edge = -1, .input = s, .find = load,
                        .value = d->loads->input ? d->loads->input[i] : s->value};
        if ((s->kind == CLV_INPUT_FORCE || s->kind == CLV_INPUT_TORQUE) && x.value != 0)
            visit(&x, user);
    }
}
