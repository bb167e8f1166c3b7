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

/* ------------------------------------------------------------------ derivatives (T76.3) */

/* c of moment_of and its slope over the angle */
static double factor_of(double t2, double *slope)
{
    const double t = sqrt(t2);
    double s, c;
    if (t < 0.02) {
        *slope = 1.0 / 360 + t2 * (1.0 / 7560 + t2 / 201600);
        return 1.0 / 12 + t2 * (1.0 / 720 + t2 / 30240);
    }
    clv_sincos(0.5 * t, &s, &c);
    const double rest = 1 - 0.5 * t * c / s, fall = 0.5 * c / s - 0.25 * t / (s * s);
    *slope = (-fall * t - 2 * rest) / (t2 * t2);
    return rest / t2;
}

/* change of moment_of by changes of theta and g */
static void moment_change(double m[3], const double theta[3], const double g[3], const double dtheta[3],
                          const double dg[3])
{
    double slope, x[3], y[3];
    const double c = factor_of(clv_dot3(theta, theta), &slope);
    moment_of(m, theta, dg);
    clv_cross(x, dtheta, g), clv_axpy3(m, 0.5, x);
    clv_cross(y, theta, x), clv_axpy3(m, c, y);
    clv_cross(x, theta, g), clv_cross(y, dtheta, x), clv_axpy3(m, c, y);
    clv_cross(y, theta, x), clv_axpy3(m, slope * clv_dot3(theta, dtheta), y);
}

/* E^T (y - a across x): change of what has the components E^T x, y the change of x, a the rotation of E */
static void components_change(double to[3], const double E[9], const double a[3], const double x[3], const double y[3])
{
    double part[3], all[3];
    clv_cross(part, a, x);
    clv_sub3(all, y, part);
    clv_mat3_transpose_times(to, E, all);
}

/* How a bushing's displacements and rates change. */
typedef struct pose_change {
    clv_load_moved a, b;
    double line[3], dline[3], d[3], theta[3], v[3], w[3];
} pose_change;

static void find_change(pose_change *y, const pose *x, const clv_force *f, const clv_load_frame *at,
                        const clv_load_change *by)
{
    double swept[3], part[3], v[3], dv[3], w[3], dw[3], turn[3], none[3] = {0}, slope;
    y->a = clv_load_moved_of(at, f->a, f->point_a, by->a, by->va);
    y->b = clv_load_moved_of(at, f->b, f->point_b, by->b, by->vb);
    clv_sub3(y->line, x->b.at, x->a.at), clv_sub3(y->dline, y->b.at, y->a.at);
    clv_cross(swept, spin(at, f->a), y->line);
    clv_cross(part, by->va + 3, y->line);
    clv_cross(dv, spin(at, f->a), y->dline);
    for (int i = 0; i < 3; i++) {
        v[i] = x->b.v[i] - x->a.v[i] - swept[i];
        dv[i] = y->b.v[i] - y->a.v[i] - part[i] - dv[i];
        w[i] = spin(at, f->b)[i] - spin(at, f->a)[i], dw[i] = by->vb[3 + i] - by->va[3 + i];
        turn[i] = by->b[3 + i] - by->a[3 + i];
    }
    components_change(y->d, x->E, by->a + 3, y->line, y->dline);
    components_change(y->v, x->E, by->a + 3, v, dv);
    components_change(y->w, x->E, by->a + 3, w, dw);
    components_change(turn, x->E, none, none, turn);
    const double c = factor_of(clv_dot3(x->theta, x->theta), &slope); /* inverse of the left Jacobian of theta */
    clv_cross(part, x->theta, turn), clv_cross(v, x->theta, part);
    for (int i = 0; i < 3; i++)
        y->theta[i] = turn[i] - 0.5 * part[i] + c * v[i];
}

/* a vector with components c in the turned axes E: global, and its change */
static void turned(double F[3], double dF[3], const double E[9], const double a[3], const double c[3],
                   const double dc[3])
{
    double part[3];
    clv_mat3_times(F, E, c), clv_mat3_times(dF, E, dc);
    clv_cross(part, a, F), clv_axpy3(dF, 1, part);
}

void clv_bushing_derive(const clv_force *f, const clv_load_frame *at, const clv_load_change *by, clv_load_pair *to)
{
    const clv_bushing *g = &f->bushing;
    pose x;
    pose_change y;
    double force[3], dforce[3], slope[3], dslope[3], m[3], dm[3], F[3], dF[3], M[3], dM[3];
    find(&x, f, at);
    find_change(&y, &x, f, at, by);
    for (int i = 0; i < 3; i++) {
        force[i] = g->preload[i] - g->stiffness[i] * x.d[i] - g->damping[i] * x.v[i];
        dforce[i] = -g->stiffness[i] * y.d[i] - g->damping[i] * y.v[i];
        slope[i] = g->preload[3 + i] - g->stiffness[3 + i] * x.theta[i];
        dslope[i] = -g->stiffness[3 + i] * y.theta[i];
    }
    moment_of(m, x.theta, slope);
    moment_change(dm, x.theta, slope, y.theta, dslope);
    for (int i = 0; i < 3; i++)
        m[i] -= g->damping[3 + i] * x.w[i], dm[i] -= g->damping[3 + i] * y.w[i];
    turned(F, dF, x.E, by->a + 3, force, dforce), turned(M, dM, x.E, by->a + 3, m, dm);
    clv_load_moved reach = y.a; /* the force acts on a at b's point */
    for (int i = 0; i < 3; i++)
        reach.p.arm[i] = x.arm[i], reach.arm[i] = y.a.arm[i] + y.dline[i];
    clv_load_push_change(to->Wb, to->dWb, &y.b, 1, F, dF);
    clv_load_push_change(to->Wa, to->dWa, &reach, -1, F, dF);
    for (int i = 0; i < 3; i++) {
        to->Wb[3 + i] += M[i], to->dWb[3 + i] += dM[i];
        to->Wa[3 + i] -= M[i], to->dWa[3 + i] -= dM[i];
    }
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
