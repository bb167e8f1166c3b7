/* SPDX-License-Identifier: Apache-2.0
 * Inputs as loads (T8): actuators on joint coordinates, forces and torques on bodies.  Their values are finite and
 * within their limits; their power is known.  What an actuator gives follows the value that is set, and falls with the
 * speed (T120).  Inputs of motions act in the kinematics (clv_motion_with), numbers in
 * callbacks. */
#include "math/rotation.h"
#include "model/force.h"
#include <math.h>

double clv_input_ramped(const clv_input *x, double value, const double ramp[2], double time)
{
    const double way = value - ramp[0], most = x->rate_limit * fmax(0, time - ramp[1]);
    return fabs(way) <= most ? value : ramp[0] + copysign(most, way);
}

double clv_input_arrival(const clv_input *x, double value, const double ramp[2])
{
    return x->rate_limit > 0 ? ramp[1] + fabs(value - ramp[0]) / x->rate_limit : -INFINITY;
}

/* the part of the stall effort that is left at a speed along the effort */
static double left(const clv_input *x, double speed)
{
    return fmin(1, fmax(0, 1 - speed / x->no_load_speed));
}

double clv_input_effort(const clv_load_frame *at, int i, double u, double *on_value, double *on_rate)
{
    const clv_input *x = &at->model->input[i];
    const double value = at->input ? at->input[i] : x->value;
    const double given = x->rate_limit > 0 && at->ramp ? clv_input_ramped(x, value, at->ramp + 2 * (size_t)i, at->time)
                                                       : value;
    *on_value = 1, *on_rate = 0;
    if (!(x->stall_effort > 0))
        return given;
    const double along = given < 0 ? -u : u, most = x->stall_effort * left(x, along);
    if (fabs(given) < most)
        return given;
    *on_value = 0, *on_rate = along >= 0 && along < x->no_load_speed ? -x->stall_effort / x->no_load_speed : 0;
    return copysign(most, given);
}

double clv_input_acting(const clv_load_frame *at, int i, double *on_value, double *on_rate)
{
    const clv_input *x = &at->model->input[i];
    const double u = x->stall_effort > 0 ? at->u[6 * (size_t)x->joint + (size_t)x->coordinate] : 0;
    return clv_input_effort(at, i, u, on_value, on_rate);
}

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
        double on_value, on_rate;
        const double value = apply[s->kind] ? clv_input_acting(at, i, &on_value, &on_rate) : 0;
        if (value != 0)
            apply[s->kind](s, value, at);
    }
}
