/* SPDX-License-Identifier: Apache-2.0
 * Moments of inertia of homogeneous boxes, spheres, cylinders and capsules, from the usual tables; a capsule is its
 * cylinder and two half spheres of the same density.  Those of meshes are of their hulls (T116), those of bores of the
 * tube and its bottoms (T147). */
#include "model/shape.h"
#include "math/rotation.h"
#include "model/bore.h"
#include "model/hull.h"
#include "model/model.h"
#include <math.h>

const clv_shape_row clv_shape_table[CLV_SHAPE_KINDS] = {{"none", 0},     {"box", 3},     {"sphere", 1},
                                                        {"cylinder", 2}, {"capsule", 2}, {"mesh", 0},
                                                        {"bore", 3}};

/* A tube with its bottoms is the solid about it less the hole.  m, its centre of mass along z from the middle of the
 * hole; volume: volumes of both per pi. */
static double bore_middle(const clv_shape *s, double volume[2])
{
    const double low = clv_bore_end(s->size, s->closed, -1), high = clv_bore_end(s->size, s->closed, 1);
    volume[0] = s->size[1] * s->size[1] * (low + high), volume[1] = s->size[0] * s->size[0] * s->size[2];
    return volume[0] * 0.5 * (high - low) / (volume[0] - volume[1]);
}

static void bore_moments(double moment[3], const clv_shape *s)
{
    const double low = clv_bore_end(s->size, s->closed, -1), high = clv_bore_end(s->size, s->closed, 1);
    double volume[2];
    const double middle = bore_middle(s, volume), length[2] = {low + high, s->size[2]};
    for (int k = 0; k < 2; k++) {
        const double part = (k == 0 ? 1 : -1) * volume[k] / (volume[0] - volume[1]);
        const double a = s->size[1 - k], b = length[k], shift = middle - (k == 0 ? 0.5 * (high - low) : 0);
        moment[0] += part * (a * a / 4 + b * b / 12 + shift * shift);
        moment[2] += part * a * a / 2;
    }
    moment[1] = moment[0];
}

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
    } else if (s->kind == CLV_SHAPE_BORE) {
        bore_moments(moment, s);
    } else if (s->kind == CLV_SHAPE_CAPSULE) {
        double tube = b / (b + 4 * a / 3), caps = 1 - tube; /* parts of the mass */
        moment[0] = moment[1] = tube * (a * a / 4 + b * b / 12) + caps * (0.4 * a * a + b * b / 4 + 0.375 * a * b);
        moment[2] = tube * a * a / 2 + caps * 0.4 * a * a;
    }
}

/* J (6) turned: R J R^T */
static void turn(double inertia[6], const double J[6], const double R[9])
{
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    const double whole[9] = {J[0], J[3], J[4], J[3], J[1], J[5], J[4], J[5], J[2]};
    double half[9], all[9];
    clv_mat3_product(half, R, whole), clv_mat3_product_transpose(all, half, R);
    for (int k = 0; k < 6; k++)
        inertia[k] = all[3 * row[k] + column[k]];
}

static void mesh_inertia(double inertia[6], const clv_shape *s, double mass)
{
    bool flat;
    double R[9], moment[6] = {0};
    clv_hull *h = clv_hull_create(s->point, s->npoint, &flat);
    for (int k = 0; k < 6 && h; k++)
        moment[k] = mass * h->moment[k];
    clv_hull_free(h);
    clv_quat_rotation(R, s->orientation);
    turn(inertia, moment, R);
}

void clv_shape_middle(const clv_shape *s, double middle[3])
{
    bool flat;
    double R[9], arm[3], volume[2];
    clv_copy3(middle, s->at);
    if (s->kind == CLV_SHAPE_BORE) {
        clv_quat_rotation(R, s->orientation);
        clv_mat3_column(arm, R, 2);
        clv_axpy3(middle, bore_middle(s, volume), arm);
    }
    clv_hull *h = s->kind == CLV_SHAPE_MESH ? clv_hull_create(s->point, s->npoint, &flat) : NULL;
    if (!h)
        return;
    clv_quat_rotation(R, s->orientation);
    clv_mat3_times(arm, R, h->middle);
    clv_axpy3(middle, 1, arm);
    clv_hull_free(h);
}

static clv_shape drawn_bore(const clv_shape *s)
{
    const double low = clv_bore_end(s->size, s->closed, -1), high = clv_bore_end(s->size, s->closed, 1);
    clv_shape box = *s;
    double R[9], z[3];
    clv_quat_rotation(R, s->orientation);
    clv_mat3_column(z, R, 2);
    clv_axpy3(box.at, 0.5 * (high - low), z);
    box.kind = CLV_SHAPE_BOX;
    box.size[0] = box.size[1] = 2 * s->size[1], box.size[2] = low + high;
    return box;
}

clv_shape clv_shape_drawn(const clv_shape *s)
{
    clv_shape box = *s;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, R[9], arm[3],
           middle[3];
    if (s->kind == CLV_SHAPE_BORE)
        return drawn_bore(s);
    if (s->kind != CLV_SHAPE_MESH)
        return box;
    for (int i = 0; i < 3 * s->npoint; i++)
        low[i % 3] = fmin(low[i % 3], s->point[i]), high[i % 3] = fmax(high[i % 3], s->point[i]);
    for (int c = 0; c < 3; c++)
        box.size[c] = high[c] - low[c], middle[c] = 0.5 * (low[c] + high[c]);
    clv_quat_rotation(R, s->orientation);
    clv_mat3_times(arm, R, middle);
    clv_axpy3(box.at, 1, arm);
    box.kind = CLV_SHAPE_BOX, box.npoint = 0, box.point = NULL;
    return box;
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
    if (s->kind == CLV_SHAPE_MESH) {
        mesh_inertia(inertia, s, mass);
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
    return body >= 0 && body < clv_model_body_count(m) ? m->body[body].shape : NULL;
}
