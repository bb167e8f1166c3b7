/* SPDX-License-Identifier: Apache-2.0
 * Tendons (T114): a length L that is a sum of joint coordinates, or that of a path over points of bodies, with spring,
 * damper, limits, drive and inputs along it.
 *
 *   force along L    f = drive - k (L - rest) - c L' + stops(L, L')         positive: it lengthens
 *   on a joint       factor f,     on points a, b of a piece of the path with direction n    -n f, n f */
#include "math/rotation.h"
#include "model/force.h"
#include <math.h>

/* what one piece of the path does to the length: its points and direction; n = 0 where they coincide */
typedef struct piece {
    clv_load_point a, b;
    double n[3], length;
} piece;

static piece piece_of(const clv_force *f, const clv_load_frame *at, int i)
{
    piece p = {clv_load_point_of(at, f->path[i].body, f->path[i].position),
               clv_load_point_of(at, f->path[i + 1].body, f->path[i + 1].position), {0, 0, 0}, 0};
    double d[3];
    clv_sub3(d, p.b.at, p.a.at);
    p.length = clv_norm3(d);
    for (int k = 0; p.length > 0 && k < 3; k++)
        p.n[k] = d[k] / p.length;
    return p;
}

double clv_tendon_length(const clv_force *f, const clv_load_frame *at, double *rate)
{
    double length = 0, sum = 0;
    for (int i = 0; i + 1 < f->npoint; i++) {
        const piece p = piece_of(f, at, i);
        double dv[3];
        clv_sub3(dv, p.b.v, p.a.v);
        length += p.length, sum += clv_dot3(p.n, dv);
    }
    for (int i = 0; i < f->nterm; i++) {
        const size_t j = (size_t)f->term[i].joint;
        length += f->term[i].factor * at->q[7 * j], sum += f->term[i].factor * at->u[6 * j];
    }
    *rate = sum;
    return length;
}

void clv_tendon_push(const clv_force *f, clv_load_frame *at, double force)
{
    for (int i = 0; i + 1 < f->npoint; i++) {
        const piece p = piece_of(f, at, i);
        clv_load_push(at, f->path[i].body, p.a.arm, -force, p.n);
        clv_load_push(at, f->path[i + 1].body, p.b.arm, force, p.n);
    }
    for (int i = 0; i < f->nterm; i++)
        at->tau[6 * (size_t)f->term[i].joint] += f->term[i].factor * force;
}

void clv_tendon_apply(const clv_force *f, int index, clv_load_frame *at)
{
    double rate, spring, elastic;
    const double length = clv_tendon_length(f, at, &rate);
    double rest = -f->damping * rate + clv_series_at(&f->table, at->time, f->drive); /* what has no potential */
    spring = -f->stiffness * (length - f->rest);
    if (f->stop.stiffness > 0) {
        const double all = clv_stop_at(&f->stop, length, rate, &elastic, NULL, NULL);
        spring += elastic, rest += all - elastic;
    }
    clv_tendon_push(f, at, spring + rest);
    at->power += rest * rate;
    clv_load_check(at, index, (spring + rest) * rate + spring + rest);
}

double clv_tendon_potential(const clv_force *f, const clv_load_frame *at)
{
    double rate;
    const double length = clv_tendon_length(f, at, &rate), x = length - f->rest;
    return 0.5 * f->stiffness * x * x + (f->stop.stiffness > 0 ? clv_stop_potential(&f->stop, length) : 0);
}
