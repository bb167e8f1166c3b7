/* SPDX-License-Identifier: Apache-2.0
 * One attempt to close the loops (T36): damped Gauss-Newton steps.  The damping follows the ratio of the decrease of
 * the sum of squares to the one the linear model predicts.  No direction moves by more than half a radian or half the
 * model's size at once.  Ends closed, or where the sum of squares has a stationary point. */
#include <math.h>
#include <string.h>
#include "base/tolerance.h"
#include "simulation/assemble.h"

enum { LIMIT = 300, SLOW = 30 };
static const double LEAST = 1e-15, MOST = 1e8;

double clv_assembly_limit(const clv_assembly *a)
{
    double most = 0;
    for (int j = 0; j < a->n; j++) /* modes have no size of their own */
        most = a->hold[j] == CLV_HOLD_MODE ? most : fmax(most, fabs(a->y[j]));
    return most > 0.5 ? 0.5 / most : 1.0;
}

/* One accepted step, or false: none of all dampings makes the sum of squares smaller. */
static bool advance(clv_assembly *a, double *mu, double *sum)
{
    for (; *mu <= MOST; *mu *= 4) {
        double left;
        if (clv_assembly_step(a, *mu, &left) != CLV_OK)
            continue;
        double f = clv_assembly_limit(a), foretold = (*sum - left) * f * (2 - f);
        clv_assembly_move(a, f);
        double now = clv_assembly_measure(a, a->trial, a->r_trial), gain = (*sum - now) / foretold;
        if (!(now < *sum) || !(gain > 1e-3))
            continue;
        *mu = gain > 0.7 ? fmax(*mu * 0.1, LEAST) : gain < 0.25 ? *mu * 3 : *mu;
        *sum = now;
        memcpy(a->q, a->trial, (size_t)a->s->plan->nq * sizeof(double));
        memcpy(a->r, a->r_trial, (size_t)a->m * sizeof(double));
        return true;
    }
    return false;
}

double clv_assembly_close(clv_assembly *a)
{
    double sum = clv_assembly_measure(a, a->q, a->r), worst = a->worst, mu = 1e-3, mark = sum;
    a->attempts++;
    for (int k = 0; k < LIMIT && worst > CLV_TOL_ASSEMBLED_BEST; k++) {
        double before = worst;
        if (clv_assembly_linearize(a, a->q) != CLV_OK)
            break;
        if (worst > CLV_TOL_ASSEMBLED && clv_assembly_slope(a) < 1e-12)
            break;
        if (!advance(a, &mu, &sum))
            break;
        a->iterations++;
        worst = a->worst;
        if (worst <= CLV_TOL_ASSEMBLED && worst > 0.5 * before)
            break;
        if (k % SLOW == SLOW - 1) { /* a valley without end is no way */
            if (sum > 0.9 * mark && worst > CLV_TOL_ASSEMBLED)
                break;
            mark = sum;
        }
    }
    return worst;
}
