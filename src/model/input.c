/* SPDX-License-Identifier: Apache-2.0
 * Inputs as loads (T8): actuators on joint coordinates, forces and torques on bodies.  Their values are finite and
 * within their limits; their power is known.  Inputs of motions act in the kinematics (clv_motion_with), numbers in
 * callbacks. */
#include "math/rotation.h"
#include "model/force.h"

/* value x vector, in global axes */
static void scaled(double f[3], const clv_input *s, double value, const clv_load_frame *at)
{
    double turned[3];
    clv_copy3(turned, s->vector);
    if (s->in_body)
        clv_mat3_times(turned, at->R + 9 * (size_t)s->body, s->vector);
    for (int i = 0; i < 3; i++)
        f[i] = value * turned[i];
}

static void apply_joint(const clv_input *s, double value, clv_load_frame *at)
{
    const size_t k = 6 * (size_t)s->joint + (size_t)s->coordinate;
    at->tau[k] += value;
    at->power += value * at->u[k];
}

static void apply_force(const clv_input *s, double value, clv_load_frame *at)
{
    double f[3];
    const clv_load_point p = clv_load_point_of(at, s->body, s->point);
    scaled(f, s, value, at);
    clv_load_push(at, s->body, p.arm, 1, f);
    at->power += clv_dot3(f, p.v);
}

static void apply_torque(const clv_input *s, double value, clv_load_frame *at)
{
    double n[3];
    scaled(n, s, value, at);
    clv_axpy3(at->wrench + 6 * (size_t)s->body + 3, 1, n);
    at->power += clv_dot3(n, at->V + 6 * (size_t)s->body + 3);
}

static void apply_tendon(const clv_input *s, double value, clv_load_frame *at)
{
    const clv_force *f = &at->model->force[s->force];
    double rate;
    (void)clv_tendon_length(f, at, &rate);
    clv_tendon_push(f, at, value);
    at->power += value * rate;
}

void clv_inputs_apply(clv_load_frame *at)
{
    static void (*const apply[CLV_INPUT_KINDS])(const clv_input *, double, clv_load_frame *) = {
        [CLV_INPUT_JOINT] = apply_joint, [CLV_INPUT_FORCE] = apply_force, [CLV_INPUT_TORQUE] = apply_torque,
        [CLV_INPUT_TENDON] = apply_tendon};
    for (int i = 0; i < at->model->ninput; i++) {
        const clv_input *s = &at->model->input[i];
        const double value = at->input ? at->input[i] : s->value;
        if (apply[s->kind] && value != 0)
            apply[s->kind](s, value, at);
    }
}
