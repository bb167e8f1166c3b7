/* SPDX-License-Identifier: Apache-2.0 */
#include "model/light.h"
#include "base/tolerance.h"
#include "math/rotation.h"
#include "math/spatial.h"
#include <math.h>

double clv_typical_length(const clv_model *m)
{
    double most = 0;
    for (int j = 0; j < m->njoint; j++)
        for (int side = 0; side < 2; side++) {
            int b = side ? m->joint[j].b : m->joint[j].a;
            double l[3];
            if (b < 0)
                continue;
            clv_sub3(l, side ? m->joint[j].pb : m->joint[j].pa, m->body[b].com);
            const double square = clv_dot3(l, l);
            most = square > most ? square : most; /* the root of the largest is the largest root, to the last bit */
        }
    return most > 0 ? sqrt(most) : 1.0;
}

static double smaller(double a, double b) { return b < a ? b : a; }

/* A bound below the smallest principal moment (Gershgorin): the least of the rows of J, diagonal less products. */
static double least_moment(const double J[6])
{
    const double xy = fabs(J[3]), xz = fabs(J[4]), yz = fabs(J[5]);
    return smaller(J[0] - xy - xz, smaller(J[1] - xy - yz, J[2] - xz - yz));
}

bool clv_body_lacks_turn(const clv_body *b, double length)
{
    const double least = least_moment(b->J), trace = b->J[0] + b->J[1] + b->J[2];
    double moment[3];
    if (least > CLV_TOL_ROD * trace && least > CLV_TOL_POINT * b->mass * length * length) /* most bodies */
        return false;
    clv_principal_moments(moment, b->J);
    return moment[0] <= CLV_TOL_ROD * moment[2] || moment[0] <= CLV_TOL_POINT * b->mass * length * length;
}

bool clv_body_light(const clv_body *b, double length) { return b->mass <= 0 || clv_body_lacks_turn(b, length); }

int clv_light_bodies(const clv_model *m)
{
    const double length = clv_typical_length(m);
    int n = 0;
    for (int b = 0; b < m->nbody; b++)
        n += clv_body_light(&m->body[b], length);
    return n;
}
