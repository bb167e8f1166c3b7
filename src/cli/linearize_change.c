/* SPDX-License-Identifier: Apache-2.0
 * Does a linear system (T64) stay the same along the motion?  Only then do its eigenvalues show stability: about an
 * equilibrium, or a steady motion in the coordinates that are its states.  Called by `cleave linearize`. */
#include "cli/linearize.h"
#include <math.h>
#include <string.h>

static const double SHORT = 0.05; /* of the time in which the fastest eigenvalue grows by e, or turns by 1 rad */

static double fastest(const clv_linear_system *x)
{
    double most = 0;
    for (int i = 0; i < x->values; i++)
        most = fmax(most, hypot(x->value[i].re, x->value[i].im));
    return most;
}

static bool same_states(const clv_linear *a, const clv_linear *b)
{
    if (a->states != b->states)
        return false;
    for (int i = 0; i < a->states; i++)
        if (a->state[i].joint != b->state[i].joint || a->state[i].body != b->state[i].body ||
            a->state[i].mode != b->state[i].mode || a->state[i].coordinate != b->state[i].coordinate)
            return false;
    return true;
}

static double difference(const clv_linear *a, const clv_linear *b)
{
    double most = 0, change = 0;
    for (int i = 0; i < a->states * a->states; i++) {
        most = fmax(most, fabs(a->A[i]));
        change = fmax(change, fabs(b->A[i] - a->A[i]));
    }
    return most > 0 ? change / most : NAN;
}

void clv_linear_look_on(clv_linear_system *x, clv_sim *sim)
{
    const double rate = fastest(x);
    clv_linear *later = NULL;
    x->change = NAN, x->within = SHORT / rate;
    if (rate > 0 && clv_sim_advance(sim, clv_sim_time(sim) + x->within) == CLV_OK &&
        clv_sim_linearize(sim, 0, NULL, NULL, &later) == CLV_OK && same_states(x->linear, later))
        x->change = difference(x->linear, later);
    clv_linear_destroy(later);
}
