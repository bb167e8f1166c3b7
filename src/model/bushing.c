/* SPDX-License-Identifier: Apache-2.0
 * Bushings (T51): stiffness and damping along and about three axes of body a.  The displacement d of b's point and the
 * rotation vector theta of b's axes are taken in the axes of a.  Force and moment are the gradient of a potential, so
 * the energy account is exact for turns of any size below pi. */
#include "math/rotation.h"
#include "math/sincos.h"
#include "model/force.h"
#include <math.h>

/* A bushing in a state; d, theta, v, w in the axes of the bushing in a, E (axes in columns) in global ones. */
typedef struct pose {
    clv_load_point a, b;
    double E[9], d[3], theta[3], v[3], w[3];
    double arm[3]; /* m, global: b's point from the centre of mass of a */
} pose;

static void axes_of(const clv_load_frame *at, int body, const double orientation[4], double E[9])
{
    double own[9];
    if (body == CLV_GROUND) {
        clv_quat_rotation(E, orientation);
        return;
    }
    clv_quat_rotation(own, orientation);
    clv_mat3_product(E, at->R + 9 * (size_t)body, own);
}

static const double *spin(const clv_load_frame *at, int body)
{
    static const double none[3] = {0, 0, 0};
    return body == CLV_GROUND ? none : at->V + 6 * (size_t)body + 3;
}

static void find(pose *x, const clv_force *f, const clv_load_frame *at)
{
    const clv_bushing *g = &f->bushing;
    double Eb[9], turned[9], line[3], v[3], w[3], swept[3];
    x->a = clv_load_point_of(at, f->a, f->point_a), x->b = clv_load_point_of(at, f->b, f->point_b);
    axes_of(at, f->a, g->orientation_a, x->E), axes_of(at, f->b, g->orientation_b, Eb);
    clv_sub3(line, x->b.at, x->a.at);
    clv_mat3_transpose_times(x->d, x->E, line);
    clv_mat3_transpose_product(turned, x->E, Eb);
    clv_rotation_log(x->theta, turned);
    clv_cross(swept, spin(at, f->a), line); /* the point of a that lies at b's point moves */
    for (int i = 0; i < 3; i++) {
        x->arm[i] = x->a.arm[i] + line[i];
        v[i] = x->b.v[i] - x->a.v[i] - swept[i];
        w[i] = spin(at, f->b)[i] - spin(at, f->a)[i];
    }
    clv_mat3_transpose_times(x->v, x->E, v);
    clv_mat3_transpose_times(x->w, x->E, w);
}

/* The moment of a potential whose gradient on theta is -g: g + theta x g / 2 + c theta x (theta x g), T51.2. */
static void moment_of(double m[3], const double theta[3], const double g[3])
{
    double once[3], twice[3], s, c;
    const double t2 = clv_dot3(theta, theta), t = sqrt(t2);
    clv_cross(once, theta, g);
    clv_cross(twice, theta, once);
    clv_sincos(0.5 * t, &s, &c);
    const double factor = t < 0.02 ? 1.0 / 12 + t2 * (1.0 / 720 + t2 / 30240) : (1 - 0.5 * t * c / s) / t2;
    for (int i = 0; i < 3; i++)
        m[i] = g[i] + 0.5 * once[i] + factor * twice[i];
}

void clv_bushing_apply(const clv_force *f, int index, clv_load_frame *at)
{
    const clv_bushing *g = &f->bushing;
    pose x;
    double force[3], slope[3], moment[3], F[3], M[3], power = 0;
    find(&x, f, at);
    for (int i = 0; i < 3; i++) {
        force[i] = g->preload[i] - g->stiffness[i] * x.d[i] - g->damping[i] * x.v[i];
        slope[i] = g->preload[3 + i] - g->stiffness[3 + i] * x.theta[i];
        power -= g->damping[i] * x.v[i] * x.v[i] + g->damping[3 + i] * x.w[i] * x.w[i];
    }
    moment_of(moment, x.theta, slope);
    for (int i = 0; i < 3; i++)
        moment[i] -= g->damping[3 + i] * x.w[i];
    clv_mat3_times(F, x.E, force);
    clv_mat3_times(M, x.E, moment);
    clv_load_push(at, f->b, x.b.arm, 1, F);
    clv_load_push(at, f->a, x.arm, -1, F);
    clv_load_turn(at, f->b, 1, M);
    clv_load_turn(at, f->a, -1, M);
    at->power += power;
    clv_load_check(at, index, clv_dot3(F, F) + clv_dot3(M, M));
}

double clv_bushing_potential(const clv_force *f, const clv_load_frame *at)
{
    const clv_bushing *g = &f->bushing;
    pose x;
    double sum = 0;
    find(&x, f, at);
    for (int i = 0; i < 3; i++) {
        sum += 0.5 * (g->stiffness[i] * x.d[i] * x.d[i] + g->stiffness[3 + i] * x.theta[i] * x.theta[i]);
        sum -= g->preload[i] * x.d[i] + g->preload[3 + i] * x.theta[i];
    }
    return sum;
}
