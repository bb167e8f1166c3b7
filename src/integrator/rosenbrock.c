/* SPDX-License-Identifier: Apache-2.0
 * ROS34PW2 of Rang and Angermann, New Rosenbrock W-methods of order 3 for partial differential algebraic equations of
 * index 1, BIT 45 (2005) 761-787 (T21.7).  With w_i = k_i + 1/gamma sum_{j<i} gamma_ij k_j a stage is
 *
 *   (1 - h gamma J) w_i = f(t + alpha_i h, y + h sum_{j<i} alpha_ij k_j) + 1/gamma sum_{j<i} gamma_ij k_j
 *
 * The derivative by time is left out, as a W-method allows. */
#include "integrator/rosenbrock.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum { S = CLV_ROSENBROCK_STAGES };
static const double GAMMA = 4.3586652150845900e-01;
static const double alpha[S][S] = {{0},
                                   {8.7173304301691801e-01},
                                   {8.4457060015369423e-01, -1.1299064236484185e-01},
                                   {0, 0, 1}};
static const double gamma_of[S][S] = {{0},
                                      {-8.7173304301691801e-01},
                                      {-9.0338057013044082e-01, 5.4180672388095326e-02},
                                      {2.4212380706095346e-01, -1.2232505839045147e+00, 5.4526025533510214e-01}};
static const double weight[S] = {2.4212380706095346e-01, -1.2232505839045147e+00, 1.5452602553351020e+00,
                                 4.3586652150845900e-01};
static const double lower[S] = {3.7810903145819369e-01, -9.6042292212423178e-02, 5.0000000000000000e-01,
                                2.1793326075422950e-01};
static const long OLD = 20; /* steps with one Jacobian */

void clv_rosenbrock_layout(clv_rosenbrock *r, int n, clv_arena *a)
{
    CLV_TAKE(a, r->J, n * n), CLV_TAKE(a, r->LU, n * n), CLV_TAKE(a, r->pivot, n);
    CLV_TAKE(a, r->k, S * n), CLV_TAKE(a, r->x, n), CLV_TAKE(a, r->dx, n);
}

/* difference quotients at (s->t, s->y) with the rates s->f */
static clv_status jacobian(clv_integrator *s, clv_rosenbrock *r)
{
    const int n = s->ode.n;
    clv_status st = CLV_OK;
    memcpy(r->x, s->y, (size_t)n * sizeof *r->x);
    for (int j = 0; j < n && st == CLV_OK; j++) {
        const double size = fmax(fabs(s->y[j]), s->ode.scale[j] > 0.0 ? s->ode.scale[j] : 1.0);
        r->x[j] = s->y[j] + sqrt(DBL_EPSILON) * size;
        const double d = r->x[j] - s->y[j];
        st = clv_integrator_evaluate(s, s->t, r->x, r->dx);
        for (int i = 0; i < n; i++)
            r->J[i * n + j] = (r->dx[i] - s->f[i]) / d;
        r->x[j] = s->y[j];
    }
    r->age = st == CLV_OK ? 0 : -1;
    return st;
}

static clv_status factor(clv_rosenbrock *r, int n, double h)
{
    double *A = r->LU;
    for (int i = 0; i < n * n; i++)
        A[i] = (i % (n + 1) == 0 ? 1.0 : 0.0) - h * GAMMA * r->J[i];
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(A[i * n + k]) > fabs(A[p * n + k]))
                p = i;
        r->pivot[k] = p;
        for (int j = 0; j < n; j++) {
            const double swap = A[k * n + j];
            A[k * n + j] = A[p * n + j], A[p * n + j] = swap;
        }
        if (!(fabs(A[k * n + k]) > 0.0))
            return CLV_ERR_SINGULAR;
        for (int i = k + 1; i < n; i++) {
            const double l = A[i * n + k] /= A[k * n + k];
            for (int j = k + 1; l != 0.0 && j < n; j++)
                A[i * n + j] -= l * A[k * n + j];
        }
    }
    return CLV_OK;
}

static void solve(const clv_rosenbrock *r, int n, double *x)
{
    const double *A = r->LU;
    for (int k = 0; k < n; k++) {
        const double swap = x[k];
        x[k] = x[r->pivot[k]], x[r->pivot[k]] = swap;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            x[i] -= A[i * n + j] * x[j];
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++)
            x[i] -= A[i * n + j] * x[j];
        x[i] /= A[i * n + i];
    }
}

/* sum (n) := scale sum over `count` stages of w_i k_i */
static void combine(const clv_rosenbrock *r, int n, const double *w, int count, double scale, double *sum)
{
    memset(sum, 0, (size_t)n * sizeof *sum);
    for (int i = 0; i < count; i++)
        for (int c = 0; w[i] != 0.0 && c < n; c++)
            sum[c] += scale * w[i] * r->k[i * n + c];
}

static clv_status stage(clv_integrator *s, clv_rosenbrock *r, int i, double h)
{
    const int n = s->ode.n;
    double *k = r->k + (size_t)i * (size_t)n, at = 0;
    clv_status st = CLV_OK;
    for (int j = 0; j < i; j++)
        at += alpha[i][j];
    combine(r, n, alpha[i], i, h, r->x);
    for (int c = 0; c < n; c++)
        r->x[c] += s->y[c];
    if (i == 0)
        memcpy(k, s->f, (size_t)n * sizeof *k);
    else
        st = clv_integrator_evaluate(s, s->t + at * h, r->x, k);
    combine(r, n, gamma_of[i], i, 1.0 / GAMMA, r->dx);
    for (int c = 0; c < n; c++)
        k[c] += r->dx[c];
    solve(r, n, k);
    for (int c = 0; c < n; c++)
        k[c] -= r->dx[c];
    return st;
}

clv_status clv_rosenbrock_step(clv_integrator *s, clv_rosenbrock *r, double h, double *y_new, double *err)
{
    const int n = s->ode.n;
    double error[S];
    clv_status st = r->age < 0 || r->age >= OLD ? jacobian(s, r) : CLV_OK;
    if (st == CLV_OK)
        st = factor(r, n, h);
    for (int i = 0; i < S && st == CLV_OK; i++)
        st = stage(s, r, i, h);
    if (st != CLV_OK)
        return st;
    for (int i = 0; i < S; i++)
        error[i] = weight[i] - lower[i];
    combine(r, n, weight, S, h, y_new);
    for (int c = 0; c < n; c++)
        y_new[c] += s->y[c];
    combine(r, n, error, S, h, r->dx);
    clv_integrator_visible(s, r->dx);
    *err = clv_integrator_norm(s, r->dx, s->y, y_new);
    r->age++;
    return CLV_OK;
}
