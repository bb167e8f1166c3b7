/* SPDX-License-Identifier: Apache-2.0
 * Corrections of an augmented Lagrangian by conjugate gradients (T23.4).
 *
 * One correction makes g = G e of the error e of x, with G = M^-1 K (S + eps)^-1 K^T self-adjoint for the product
 * <g, v> = g^T M v = dsigma . K^T v.  Repeated corrections shrink e by 1 - G: where a direction is about to be lost
 * (singular positions, toggles) the penalty outweighs its eigenvalue, and thousands of them would be needed.  G has few
 * eigenvalues that are not 1, and conjugate gradients need one iteration for each.  The reciprocal step is a bound from
 * above on the smallest eigenvalue met so far: they end before a direction that counts as lost. */
#include "formulation/multiplier.h"
#include <math.h>
#include <string.h>

static void add(double *y, double s, const double *x, int n)
{
    for (int i = 0; y && i < n; i++)
        y[i] += s * x[i];
}

static double dot(const double *x, const double *y, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

static double largest(const double *x, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

static void rows_of(clv_system *s, double *rows, const double *dx)
{
    const int n = s->plan->nclosing_row;
    memset(rows, 0, (size_t)n * sizeof *rows);
    clv_multiplier_missed(&s->engine, rows, rows, dx);
    for (int i = 0; i < n; i++)
        rows[i] = -rows[i];
}

/* y := y + s x; with the rows too */
static void add_direction(const clv_plan *p, clv_direction *y, double s, const clv_direction *x)
{
    add(y->dx, s, x->dx, 6 * p->nbody), add(y->du, s, x->du, p->nu);
    add(y->sigma, s, x->sigma, p->nsigma), add(y->rows, s, x->rows, p->nclosing_row);
}

static void scale(const clv_plan *p, clv_direction *y, double s)
{
    for (int i = 0; i < 6 * p->nbody; i++)
        y->dx[i] *= s;
    for (int i = 0; i < p->nu; i++)
        y->du[i] *= s;
    for (int i = 0; i < p->nsigma; i++)
        y->sigma[i] *= s;
    for (int i = 0; i < p->nclosing_row; i++)
        y->rows[i] *= s;
}

bool clv_multiplier_slow(const clv_stage *stage, double before, double change)
{
    return stage->iterations >= 2 && change > 0.2 * before;
}

void clv_multiplier_conjugate(clv_system *s, clv_multiplier *m, double *x, double *u, double *lambda, clv_stage *stage,
                              double lost, double tolerance, int limit)
{
    const clv_plan *plan = s->plan;
    const int rows = plan->nclosing_row;
    clv_direction *g = &m->g, *p = &m->p;
    clv_direction G = {.dx = m->dx, .du = m->du, .sigma = s->engine.sigma, .rows = m->r};
    clv_multiplier_correct(s, m);
    rows_of(s, m->r, m->dx);
    scale(plan, g, 0), add_direction(plan, g, 1, &G);
    scale(plan, p, 0), add_direction(plan, p, 1, &G);
    double gg = dot(g->sigma, g->rows, rows);
    const double first = gg;
    double change = INFINITY;
    int k = 0;
    while (change > tolerance && k < limit && gg > 1e-32 * first) {
        memcpy(m->r, p->rows, (size_t)rows * sizeof *m->r);
        clv_multiplier_correct(s, m);
        const double curve = dot(s->engine.sigma, p->rows, rows);
        if (!(curve > lost * gg && gg > 0))
            break;
        const double step = gg / curve;
        add(x, step, p->dx, 6 * plan->nbody), add(u, step, p->du, plan->nu);
        add(lambda, step, p->sigma, plan->nsigma);
        change = step * largest(p->dx, 6 * plan->nbody);
        rows_of(s, m->r, m->dx);
        add_direction(plan, g, -step, &G);
        const double next = dot(g->sigma, g->rows, rows);
        scale(plan, p, next / gg), add_direction(plan, p, 1, g);
        gg = next, k++;
    }
    stage->iterations += k + 1, stage->change = change;
    stage->limited = change > tolerance && k >= limit;
    stage->stalled = change > tolerance && k < limit;
}
