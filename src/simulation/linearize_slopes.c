/* SPDX-License-Identifier: Apache-2.0
 * Derivatives of samples of linearize.c (T64).  Coordinates, rates and accelerations have those of clv_sim_derivatives
 * where it finds them.  The rest are central differences of sixth order over four steps, of which every derivative
 * takes the best.  Loops are closed and rates consistent at every sample. */
#include "simulation/linearize.h"
#include <float.h>
#include <math.h>
#include <string.h>
#include "base/error.h"

enum { STEPS = 4 };
/* steps of differences, parts of 1 rad, of the size of the model, and of that per second */
static const double step_of[STEPS] = {3e-2, 3e-3, 3e-4, 1e-5};

/* ------------------------------------------------------------------ differences */

/* Derivatives of all numbers of a sample from +-h, +-2h, +-3h; kept where their estimated error is the least so far
 * (T64.3). */
static void take_best(clv_linearizer *l, int column, int columns, double h)
{
    const double *p = l->sample;
    const size_t w = (size_t)l->width;
    for (size_t i = 0; i < w; i++) {
        const double one = p[i] - p[w + i], two = p[2 * w + i] - p[3 * w + i], three = p[4 * w + i] - p[5 * w + i];
        const double sixth = (45 * one - 9 * two + three) / (60 * h), fourth = (8 * one - two) / (12 * h);
        double size = 0;
        for (size_t k = 0; k < 2 * CLV_LINEAR_POINTS; k++)
            size = fmax(size, fabs(p[k * w + i]));
        const double error = fabs(sixth - fourth) + 4 * DBL_EPSILON * size / h;
        const size_t at = i * (size_t)columns + (size_t)column;
        if (error < l->error[at])
            l->D[at] = sixth, l->error[at] = error;
    }
}

/* A column: *value runs over its neighbourhood (unit: of the step).  Steps beside which loops do not close are left
 * out, as long as there are shorter ones. */
static clv_status differentiate(clv_linearizer *l, int column, int columns, double *value, double unit)
{
    clv_status st = CLV_OK;
    const double before = *value;
    bool found = false;
    for (size_t i = 0; i < (size_t)l->width; i++)
        l->error[i * (size_t)columns + (size_t)column] = INFINITY;
    for (int k = 0; k < STEPS && (st == CLV_OK || st == CLV_ERR_NO_CONVERGENCE); k++) {
        const double h = step_of[k] * unit;
        st = CLV_OK;
        for (int i = 0; i < 2 * CLV_LINEAR_POINTS && st == CLV_OK; i++) {
            const int steps = 1 + i / 2;
            *value = before + (i % 2 ? -h : h) * steps;
            st = clv_linear_sample(l, l->sample + (size_t)i * (size_t)l->width);
        }
        if (st == CLV_OK)
            take_best(l, column, columns, h), found = true;
    }
    *value = before;
    if (found && st == CLV_ERR_NO_CONVERGENCE)
        clv_error_clear(&l->s->error), st = CLV_OK;
    return st;
}

/* Differences of all numbers of a sample. */
static clv_status differentiate_all(clv_linearizer *l)
{
    clv_sim *s = l->s;
    const int f = l->f, g = l->g, columns = f + g + s->model->ninput;
    clv_status st = CLV_OK;
    for (int k = 0; k < f && st == CLV_OK; k++)
        st = differentiate(l, k, columns, &l->z[k], 1);
    for (int k = 0; k < g && st == CLV_OK; k++)
        st = differentiate(l, f + k, columns, &l->w[k], 1);
    for (int i = 0; i < s->model->ninput && st == CLV_OK; i++)
        st = differentiate(l, f + g + i, columns, &s->input[i], fmax(1, fabs(s->input[i])));
    return st;
}

/* ------------------------------------------------------------------ derivatives (T64.6) */

/* row i of M (n x n) times x */
static double product(const double *M, int i, int n, const double *x)
{
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += M[(size_t)i * (size_t)n + (size_t)k] * x[k];
    return sum;
}

static void put(clv_linearizer *l, int row, int column, double value)
{
    const size_t columns = (size_t)l->f + (size_t)l->g + (size_t)l->s->model->ninput;
    const size_t at = (size_t)row * columns + (size_t)column;
    l->D[at] = value, l->error[at] = 0;
}

/* displacements, rates and accelerations along a column of N, or of rates, or of an input */
static void put_column(clv_linearizer *l, int column)
{
    const clv_derivatives *d = l->known;
    const int n = l->n, f = l->f, g = l->g;
    const double *x = column < f ? l->e.x.N + (size_t)column * (size_t)n : NULL,
                 *w = column >= f && column < f + g ? l->N + (size_t)(column - f) * (size_t)n : NULL;
    for (int i = 0; i < n; i++) {
        put(l, i, column, x ? x[i] : 0);
        put(l, n + i, column, x ? product(d->follow_u, i, n, x) : w ? product(d->follow_rate, i, n, w) : 0);
    }
    for (int k = 0; k < g; k++) {
        const int i = l->moving[k];
        put(l, 2 * n + k, column, x ? product(d->dq, i, n, x) : w ? product(d->du, i, n, w)
                                      : d->dinput[(size_t)i * (size_t)d->inputs + (size_t)(column - f - g)]);
    }
}

clv_status clv_linear_slopes(clv_linearizer *l)
{
    clv_status st = CLV_OK;
    if (!l->known || l->noutput > 0)
        st = differentiate_all(l);
    for (int k = 0; l->known && st == CLV_OK && k < l->f + l->g + l->s->model->ninput; k++)
        put_column(l, k);
    return st;
}
