/* SPDX-License-Identifier: Apache-2.0
 * Random numbers, frames and poses, in extended precision where poses are composed; see random_builder.h. */
#include "oracle/random_builder.h"
#include <string.h>

uint64_t random_next(random_stream *s)
{
    uint64_t z = s->state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

double random_uniform(random_stream *s, double low, double high)
{
    return low + (high - low) * ((double)(random_next(s) >> 11) * 0x1p-53);
}

double random_normal(random_stream *s)
{
    double x = -6;
    for (int i = 0; i < 12; i++)
        x += random_uniform(s, 0, 1);
    return x;
}

int random_index(random_stream *s, int n) { return (int)(random_next(s) % (uint64_t)n); }

bool random_chance(random_stream *s, double probability) { return random_uniform(s, 0, 1) < probability; }

void builder_vector(builder *b, double size, double x[3])
{
    for (int i = 0; i < 3; i++)
        x[i] = size * random_normal(&b->s);
}

void builder_quaternion(builder *b, double e[4])
{
    double s = 0;
    do {
        s = 0;
        for (int i = 0; i < 4; i++) {
            e[i] = random_normal(&b->s);
            s += e[i] * e[i];
        }
    } while (s < 0.1);
    for (int i = 0; i < 4; i++)
        e[i] /= sqrt(s);
}

void builder_rotation(const double e[4], real R[9])
{
    real x[4] = {e[0], e[1], e[2], e[3]};
    m3_quaternion(R, x);
}

/* A frame (columns) with the given z and a random x. */
static void frame_about(builder *b, const real z[3], real F[9])
{
    real x[3], y[3];
    do {
        double t[3];
        builder_vector(b, 1, t);
        for (int i = 0; i < 3; i++)
            x[i] = t[i];
        v3_add_scaled(x, -v3_dot(x, z), z);
    } while (v3_norm(x) < 0.3L);
    real l = v3_norm(x);
    for (int i = 0; i < 3; i++)
        x[i] /= l;
    v3_cross(y, z, x);
    for (int i = 0; i < 3; i++) {
        F[3 * i] = x[i];
        F[3 * i + 1] = y[i];
        F[3 * i + 2] = z[i];
    }
}

void builder_frame(builder *b, clv_joint_kind kind, real F[9])
{
    if (!b->planar) {
        double e[4];
        builder_quaternion(b, e);
        builder_rotation(e, F);
        return;
    }
    frame_about(b, b->normal, F);
    if (kind != CLV_JOINT_PRISMATIC)
        return;
    real z[3] = {F[0], F[3], F[6]}; /* slide within the plane */
    frame_about(b, z, F);
}

static void about(real R[9], int axis, real angle)
{
    real t[3] = {0, 0, 0};
    t[axis] = angle;
    m3_exponential(R, t);
}

void builder_relative(clv_joint_kind kind, double pitch, const double *q, real R[9], real d[3])
{
    real X[9];
    about(R, 2, 0);
    d[0] = d[1] = d[2] = 0;
    switch (kind) {
    case CLV_JOINT_REVOLUTE:
        about(R, 2, q[0]);
        break;
    case CLV_JOINT_PRISMATIC:
        d[2] = q[0];
        break;
    case CLV_JOINT_HELICAL:
        about(R, 2, q[0]);
        d[2] = (real)pitch * (real)q[0];
        break;
    case CLV_JOINT_CYLINDRICAL:
        d[2] = q[0];
        about(R, 2, q[1]);
        break;
    case CLV_JOINT_UNIVERSAL:
        about(R, 0, q[0]);
        about(X, 1, q[1]);
        m3_multiply(R, R, X);
        break;
    case CLV_JOINT_PLANAR:
        d[0] = q[0];
        d[1] = q[1];
        about(R, 2, q[2]);
        break;
    case CLV_JOINT_SPHERICAL:
        builder_rotation(q, R);
        break;
    case CLV_JOINT_FREE:
        for (int i = 0; i < 3; i++)
            d[i] = q[i];
        builder_rotation(q + 3, R);
        break;
    default:
        break;
    }
}

void builder_coordinates(builder *b, clv_joint_kind kind, double *q)
{
    random_stream *s = &b->s;
    int slides = kind == CLV_JOINT_PRISMATIC || kind == CLV_JOINT_CYLINDRICAL ? 1
                 : kind == CLV_JOINT_PLANAR                                   ? 2
                 : kind == CLV_JOINT_FREE                                     ? 3
                                                                              : 0;
    for (int i = 0; i < builder_freedoms[kind] && i < 3; i++)
        q[i] = i < slides ? b->size * random_uniform(s, -0.7, 0.7) : random_uniform(s, -1.5, 1.5);
    if (kind == CLV_JOINT_SPHERICAL || kind == CLV_JOINT_FREE)
        builder_quaternion(b, q + slides);
}

void builder_pose(const builder *b, int body, real r[3], real R[9])
{
    memset(r, 0, 3 * sizeof *r);
    about(R, 2, 0);
    if (body < 0)
        return;
    v3_copy(r, b->r[body]);
    memcpy(R, b->R[body], sizeof b->R[body]);
}

void builder_attach(const builder *b, int body, const real x[3], const real F[9], double p[3], double e[4])
{
    real r[3], R[9], local[3], E[9], t[4];
    builder_pose(b, body, r, R);
    for (int i = 0; i < 3; i++)
        local[i] = x[i] - r[i];
    m3_transposed_times(local, R, local);
    m3_transpose(R, R);
    m3_multiply(E, R, F);
    m3_to_quaternion(t, E);
    for (int i = 0; i < 3; i++)
        p[i] = (double)local[i];
    for (int i = 0; i < 4; i++)
        e[i] = (double)t[i];
}

