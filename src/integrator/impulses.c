/* SPDX-License-Identifier: Apache-2.0
 * Impulses of rigid contacts by projected Gauss-Seidel iteration, see moreau.h (T62.2).  Sums run in index order. */
#include "integrator/moreau.h"
#include <math.h>
#include <string.h>

enum { MOST = 20000 };
static const double SETTLED = 1e-13; /* of the largest velocity: the last change that ends the iteration */

/* velocity along row i */
static double velocity(const clv_impulse_problem *x, int i)
{
    const int n = 3 * x->points;
    const double *row = x->W + (size_t)i * (size_t)n;
    double sum = x->u[i];
    for (int j = 0; j < n; j++)
        sum += row[j] * x->P[j];
    return sum;
}

static double entry(const clv_impulse_problem *x, int i, int j)
{
    return x->W[(size_t)i * 3 * (size_t)x->points + (size_t)j];
}

/* the normal impulse of point k; returns the change of its velocity */
static double press(const clv_impulse_problem *x, int k)
{
    const int i = 3 * k;
    const double w = entry(x, i, i), before = x->P[i];
    if (!(w > 0))
        return 0;
    x->P[i] = fmax(0, before - (velocity(x, i) - x->leave[k]) / w);
    return w * fabs(x->P[i] - before);
}

/* The impulse across it: against the slip by the largest response in that plane, then onto the cone. */
static double rub(const clv_impulse_problem *x, int k)
{
    const int i = 3 * k + 1, j = i + 1;
    const double a = entry(x, i, i), b = entry(x, j, j), c = entry(x, i, j), most = x->rub[k] * x->P[3 * k];
    const double w = 0.5 * (a + b) + sqrt(0.25 * (a - b) * (a - b) + c * c), p = x->P[i], q = x->P[j];
    if (!(w > 0))
        return 0;
    const double u = velocity(x, i), v = velocity(x, j);
    x->P[i] -= u / w, x->P[j] -= v / w;
    const double size = sqrt(x->P[i] * x->P[i] + x->P[j] * x->P[j]);
    if (size > most)
        x->P[i] *= most / size, x->P[j] *= most / size;
    return w * fmax(fabs(x->P[i] - p), fabs(x->P[j] - q));
}

clv_impulse_result clv_impulses_find(const clv_impulse_problem *x)
{
    clv_impulse_result r = {0, 0, false};
    double largest = 0;
    for (int i = 0; i < 3 * x->points; i++)
        largest = fmax(largest, fabs(x->u[i]));
    for (r.iterations = 0; r.iterations < MOST;) {
        r.iterations++;
        r.residual = 0;
        for (int k = 0; k < x->points; k++) {
            r.residual = fmax(r.residual, press(x, k));
            if (x->rub[k] > 0)
                r.residual = fmax(r.residual, rub(x, k));
        }
        if (r.residual <= SETTLED * largest)
            return r;
    }
    r.limited = true;
    return r;
}
