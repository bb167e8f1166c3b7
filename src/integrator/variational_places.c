/* SPDX-License-Identifier: Apache-2.0
 * Coordinates inside a variational step (T34.5, T34.6): joint coordinates by adding, turns in Cayley's chart about the
 * middle of the step, which follows from the rates. */
#include "math/cayley.h"
#include "integrator/variational_work.h"
#include <string.h>

/* z: half the turn of every rotation; the chart's origin is the middle of the step */
void clv_variational_middle(clv_integrator *s, const clv_variational_step *step)
{
    const clv_gauss *g = rule(s);
    double *z = single(s, MIDDLE);
    memset(z, 0, (size_t)s->ode.mechanics->nu * sizeof *z);
    for (int j = 0; j < g->stages; j++) {
        const double w = 0.5 * step->h * g->b[j], *v = past_rates(s, 0, j);
        for (int i = 0; i < s->ode.mechanics->nu; i++)
            z[i] += w * v[i];
    }
}

/* chart point x and coordinates q where the integral of the rates has the weights `reach` */
void clv_variational_locate(clv_integrator *s, const clv_variational_step *step, const double *reach, double *x,
                            double *q)
{
    const clv_mechanics *m = s->ode.mechanics;
    const double *z = single(s, MIDDLE);
    memset(x, 0, (size_t)m->nu * sizeof *x);
    for (int j = 0; j < rule(s)->stages; j++) {
        const double w = step->h * reach[j], *v = past_rates(s, 0, j);
        for (int i = 0; i < m->nu; i++)
            x[i] += w * v[i];
    }
    for (int i = 0; i < m->nu; i++) {
        const int k = quaternion(m, i);
        if (k < 0) {
            q[m->coordinate[i]] = step->y[m->coordinate[i]] + x[i];
            continue;
        }
        double half[4], from[4], turn[4];
        for (int c = 0; c < 3; c++)
            x[i + c] -= z[i + c];
        clv_cayley_quaternion(half, z + i);
        clv_cayley_quaternion(turn, x + i);
        clv_quat_product(from, step->y + k, half);
        clv_quat_product(q + k, from, turn);
        clv_quat_normalize(q + k);
        i += 2;
    }
}
