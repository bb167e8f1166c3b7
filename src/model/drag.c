/* SPDX-License-Identifier: Apache-2.0
 * Drag of a fluid on a body (T115), linear and quadratic in its velocity against the fluid.  It acts along the flow, or
 * along each axis of the body or of the ground for itself.  The velocity of the fluid is a constant, and what
 * inputs add. */
#include "math/rotation.h"
#include "model/force.h"
#include <math.h>

/* m/s, of the fluid, global axes */
static void fluid_of(const clv_force *f, int index, const clv_load_frame *at, double v[3])
{
    clv_copy3(v, f->drag.fluid);
    for (int i = 0; i < at->model->ninput; i++) {
        const clv_input *s = &at->model->input[i];
        if (s->kind == CLV_INPUT_FLUID && s->force == index)
            clv_axpy3(v, at->input ? at->input[i] : s->value, s->vector);
    }
}

/* -(l v + q |v| v), along the flow, or along each of the axes R (columns) */
static void resist(double f[3], const double v[3], const double *l, const double *q, const double *R)
{
    if (!R) {
        const double factor = -(l[0] + q[0] * clv_norm3(v));
        for (int i = 0; i < 3; i++)
            f[i] = factor * v[i];
        return;
    }
    double own[3], g[3];
    clv_mat3_transpose_times(own, R, v);
    for (int i = 0; i < 3; i++)
        g[i] = -(l[i] + q[i] * fabs(own[i])) * own[i];
    clv_mat3_times(f, R, g);
}

void clv_drag_apply(const clv_force *f, int index, clv_load_frame *at)
{
    static const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const clv_load_point p = clv_load_point_of(at, f->b, f->point_b);
    const double *w = at->V + 6 * (size_t)f->b + 3;
    const double *R = f->drag.frame == CLV_DRAG_FLOW   ? NULL
                      : f->drag.frame == CLV_DRAG_BODY ? at->R + 9 * (size_t)f->b
                                                       : unit;
    double v[3], force[3], torque[3];
    fluid_of(f, index, at, v);
    for (int i = 0; i < 3; i++)
        v[i] = p.v[i] - v[i];
    resist(force, v, f->drag.linear, f->drag.quadratic, R);
    resist(torque, w, f->drag.linear + 3, f->drag.quadratic + 3, R);
    clv_load_push(at, f->b, p.arm, 1, force);
    clv_load_turn(at, f->b, 1, torque);
    const double power = clv_dot3(force, p.v) + clv_dot3(torque, w);
    at->power += power;
    clv_load_check(at, index, power + force[0] + force[1] + force[2]);
}
