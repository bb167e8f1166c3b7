/* SPDX-License-Identifier: Apache-2.0
 * Moments of inertia of homogeneous boxes, spheres, cylinders and capsules, from the usual tables; a capsule is its
 * cylinder and two half spheres of the same density. */
#include "model/shape.h"
#include "math/rotation.h"
#include "model/model.h"

const clv_shape_row clv_shape_table[CLV_SHAPE_KINDS] = {
    {"none", 0}, {"box", 3}, {"sphere", 1}, {"cylinder", 2}, {"capsule", 2}};

/* kg m^2 per kg about the middle, shape axes */
static void unit_moments(double moment[3], const clv_shape *s)
{
    double a = s->size[0], b = s->size[1], c = s->size[2];
    moment[0] = moment[1] = moment[2] = 0;
    if (s->kind == CLV_SHAPE_BOX) {
        moment[0] = (b * b + c * c) / 12;
        moment[1] = (a * a + c * c) / 12;
        moment[2] = (a * a + b * b) / 12;
    } else if (s->kind == CLV_SHAPE_SPHERE) {
        moment[0] = moment[1] = moment[2] = 0.4 * a * a;
    } else if (s->kind == CLV_SHAPE_CYLINDER) {
        moment[0] = moment[1] = a * a / 4 + b * b / 12;
        moment[2] = a * a / 2;
    } else if (s->kind == CLV_SHAPE_CAPSULE) {
        double tube = b / (b + 4 * a / 3), caps = 1 - tube; /* parts of the mass */
        moment[0] = moment[1] = tube * (a * a / 4 + b * b / 12) + caps * (0.4 * a * a + b * b / 4 + 0.375 * a * b);
        moment[2] = tube * a * a / 2 + caps * 0.4 * a * a;
    }
}

void clv_shape_inertia(double inertia[6], const clv_shape *s, double mass)
{
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    double moment[3], R[9];
    if (!inertia)
        return;
    if (!s) {
        for (int k = 0; k < 6; k++)
            inertia[k] = 0;
        return;
    }
    unit_moments(moment, s);
    clv_quat_rotation(R, s->orientation);
    for (int k = 0; k < 6; k++) { /* R diag(moment) R^T */
        inertia[k] = 0;
        for (int i = 0; i < 3; i++)
            inertia[k] += mass * moment[i] * R[3 * row[k] + i] * R[3 * column[k] + i];
    }
}

const clv_shape *clv_model_body_shape(const clv_model *m, int body)
{
    return body >= 0 && body < clv_model_body_count(m) ? &m->body[body].shape : NULL;
}
