/* SPDX-License-Identifier: Apache-2.0
 * Responses across the normal, see across.h (T89.1, T142.1). */
#include "integrator/across.h"
#include <math.h>

#define IDLE 1e-12 /* of the largest response: none, but rounding */

double clv_across_response(const double W[9])
{
    const double a = W[4], b = W[8], c = W[5];
    return 0.5 * (a + b) + sqrt(0.25 * (a - b) * (a - b) + c * c);
}

bool clv_across_one(const double W[9], double e[2])
{
    const double w = clv_across_response(W), c = 0.5 * (W[5] + W[7]), least = W[4] + W[8] - w;
    e[0] = W[4] >= W[8] ? W[4] : c; /* the longer column, if that is all */
    e[1] = W[4] >= W[8] ? c : W[8];
    return w > 0 && !(least > IDLE * w);
}

void clv_across_admit(double P[3], double friction)
{
    P[0] = fmax(0, P[0]);
    const double most = friction * P[0], size = sqrt(P[1] * P[1] + P[2] * P[2]);
    if (size > most)
        P[1] *= most / size, P[2] *= most / size;
}
