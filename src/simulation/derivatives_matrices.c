/* SPDX-License-Identifier: Apache-2.0
 * Mass matrix, bias, rows of closings, Delassus matrix and Jacobians of points (T77.4), beside the derivatives. */
#include <math.h>
#include "base/error.h"
#include "math/rotation.h"
#include "simulation/derivatives.h"

/* L (n x n) := Cholesky factor of M, by rows; false: M is singular to rounding */
static bool factor(double *L, const double *M, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = M[i * n + j];
            for (size_t k = 0; k < j; k++)
                sum -= L[i * n + k] * L[j * n + k];
            if (i == j && !(sum > 1e-15 * M[i * n + i]))
                return false;
            L[i * n + j] = i == j ? sqrt(sum) : sum / L[j * n + j];
        }
    return true;
}

/* y (n) := L^-1 x */
static void forward(double *y, const double *L, const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double sum = x[i];
        for (size_t k = 0; k < i; k++)
            sum -= L[i * n + k] * y[k];
        y[i] = sum / L[i * n + i];
    }
}

static void delassus(clv_derivatives_work *w)
{
    const size_t n = (size_t)w->d.n, m = (size_t)w->d.m;
    double *Y = w->L + n * n;
    const bool regular = factor(w->L, w->mass, n);
    for (size_t r = 0; r < m && regular; r++)
        forward(Y + r * n, w->L, w->closing + r * n, n);
    for (size_t r = 0; r < m; r++)
        for (size_t s = 0; s <= r; s++) {
            double sum = regular ? 0 : NAN;
            for (size_t k = 0; k < n; k++)
                sum += Y[r * n + k] * Y[s * n + k];
            w->delassus[r * m + s] = w->delassus[s * m + r] = sum;
        }
}

void clv_derivatives_matrices(clv_derivatives_work *w)
{
    const size_t n = (size_t)w->d.n, m = (size_t)w->d.m;
    clv_derivative_mass(&w->d, w->mass);
    memcpy(w->closing, w->d.row, m * n * sizeof(double));
    for (size_t i = 0; i < n; i++) { /* the equations of motion hold at this state */
        double sum = 0;
        for (size_t r = 0; r < m; r++)
            sum += w->closing[r * n + i] * w->d.lambda[r];
        for (size_t k = 0; k < n; k++)
            sum -= w->mass[i * n + k] * w->udot[k];
        w->bias[i] = sum;
    }
    if (m > 0)
        delassus(w);
}

clv_status clv_derivatives_point(const clv_derivatives *x, int body, const double point[3], double *jacobian)
{
    const clv_derivatives_work *w = (const clv_derivatives_work *)x; /* its first member */
    double c[3], p[3];
    if (!w || !point || !jacobian || w->s->plan != w->d.plan || body < 0 || body >= w->d.plan->nbody)
        return CLV_ERR_USAGE; /* an event may have changed the model since */
    clv_sub3(c, point, w->s->model->body[body].com);
    clv_mat3_times(p, w->R + 9 * (size_t)body, c);
    clv_axpy3(p, 1, w->com + 3 * (size_t)body), clv_axpy3(p, -1, w->d.origin);
    clv_derivative_point(&w->d, body, p, jacobian);
    return CLV_OK;
}
