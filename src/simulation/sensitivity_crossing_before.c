/* SPDX-License-Identifier: Apache-2.0
 * Columns before an event (T125): what moves with a coordinate, a rate, a held coordinate, a number of the model or the
 * time of the event; see sensitivity_crossing.h. */
#include "math/rotation.h"
#include "simulation/sensitivity_crossing.h"
#include <string.h>

void clv_crossing_clear(clv_crossing_work *k)
{
    const size_t bytes = 6 * (size_t)k->from->plan->nbody * sizeof(double);
    memset(k->c.x, 0, bytes), memset(k->c.v, 0, bytes);
    memset(k->c.held, 0, (size_t)k->from->nheld * sizeof(double));
    k->c.number = NULL, k->c.offset.child = -2, k->c.sensed = 0;
}

/* all that is outboard of child moves by S, and its velocity changes by what remains as well */
static void move_outboard(clv_crossing_work *k, int child, const double *S, const double v[6])
{
    const clv_derivative *d = &k->from->d;
    for (int b = 0; b < k->from->plan->nbody; b++) {
        double *x = k->c.x + 6 * (size_t)b, *to = k->c.v + 6 * (size_t)b, y[6] = {0};
        if (!clv_derivative_outboard(d, b, child))
            continue;
        if (S)
            memcpy(x, S, 6 * sizeof *x), clv_motion_cross(y, S, d->v + 6 * (size_t)b);
        for (int i = 0; i < 6; i++)
            to[i] = v[i] + y[i];
    }
}

void clv_crossing_along_coordinate(clv_crossing_work *k, int child, int coordinate, bool rate)
{
    const clv_derivative *d = &k->from->d;
    const size_t at = 6 * (size_t)coordinate;
    move_outboard(k, child, rate ? NULL : d->S + at, rate ? d->S + at : d->vq + at);
}

void clv_crossing_along_held(clv_crossing_work *k, int i)
{
    const clv_derivative *d = &k->from->d;
    const int child = k->from->plan->child_of_joint[k->from->held[i]];
    double S[36], v[6];
    k->c.held[i] = 1;
    if (child < 0)
        return;
    clv_derivative_columns(d, child, S);
    clv_motion_cross(v, d->v + 6 * (size_t)child, S);
    move_outboard(k, child, S, v);
}

void clv_crossing_along_number(clv_crossing_work *k, int i)
{
    const clv_number *x = &k->from->number[i];
    clv_derivative_offset g;
    k->c.number = x;
    if (!clv_derivative_is_offset(x))
        return;
    clv_derivative_offset_of(&k->d, x, &k->c.offset);
    clv_derivative_offset_of(&k->from->d, x, &g);
    if (g.child >= 0)
        move_outboard(k, g.child, g.S, g.v);
}

void clv_crossing_along_time(clv_crossing_work *k)
{
    const clv_derivative *d = &k->from->d;
    for (size_t i = 0; i < 6 * (size_t)k->from->plan->nbody; i++)
        k->c.x[i] = d->v[i], k->c.v[i] = d->a[i] - d->ground[i % 6];
}
