/* SPDX-License-Identifier: Apache-2.0
 * What a joint carries, and what of it presses in its bearings (T99.1). */
#include "formulation/bearing_wrench.h"
#include <math.h>
#include <string.h>
#include "math/rotation.h"
#include "math/spatial.h"

void clv_bearing_wrench(const clv_system *s, const double *lambda, int joint, double axis[3], double R[6])
{
    const clv_plan *p = s->plan;
    const bool slides = s->model->joint[joint].kind == CLV_JOINT_PRISMATIC;
    const int child = p->child_of_joint[joint], e = p->edge_of_joint[joint];
    if (child >= 0) {
        const double *H = s->kin.H + clv_columns(p, (size_t)child), *T = s->T + 6 * (size_t)child;
        double x[3];
        clv_copy3(axis, slides ? H : H + 3);
        memcpy(R, T, 6 * sizeof *R);
        if (slides && p->tree[child].reversed) { /* the child is a: from its point to that of b */
            clv_cross(x, axis, R);
            clv_axpy3(R + 3, *clv_kinematics_q(&s->kin, (size_t)child), x);
        }
        return;
    }
    const clv_edge *edge = &p->edge[e];
    const double *H = s->kin.cut_H + 36 * (size_t)e;
    clv_copy3(axis, slides ? H : H + 3);
    memset(R, 0, 6 * sizeof *R);
    for (int r = 0; r < edge->m - (edge->motion >= 0); r++)
        for (int i = 0; i < 6; i++)
            R[i] += s->kin.D[36 * (size_t)e + 6 * (size_t)r + (size_t)i] * lambda[edge->row + r];
}

/* The parts of a wrench that press: F_r (3 numbers), M_b (3) and F_a, M_a along the axis, in R itself. */
typedef struct pressing {
    double across[3], bend[3], along, twist;
} pressing;

static pressing parts_of(const double axis[3], const double R[6])
{
    pressing x = {.along = clv_dot3(R, axis), .twist = clv_dot3(R + 3, axis)};
    for (int i = 0; i < 3; i++)
        x.across[i] = R[i] - x.along * axis[i], x.bend[i] = R[3 + i] - x.twist * axis[i];
    return x;
}

static double length(const double x[3]) { return sqrt(clv_dot3(x, x)); }

double clv_bearing_press_of(const clv_bearing *b, bool slides, const double axis[3], const double R[6])
{
    const pressing x = parts_of(axis, R);
    double e[3] = {0, 0, 0}, one[3], two[3];
    if (b->span > 0)
        clv_cross(e, x.bend, axis);
    for (int i = 0; i < 3; i++) {
        const double pair = b->span > 0 ? e[i] / b->span : 0;
        one[i] = 0.5 * x.across[i] + pair, two[i] = 0.5 * x.across[i] - pair;
    }
    const double normal = length(one) + length(two);
    if (slides)
        return normal + (b->radius > 0 ? fabs(x.twist) / b->radius : 0);
    return b->radius * normal + b->collar * fabs(x.along);
}
