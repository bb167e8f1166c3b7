/* SPDX-License-Identifier: Apache-2.0
 * Corrections of bodies in rows by conjugate gradients (T23.4): as formulation/multiplier_conjugate.c, with the product
 * <g, v> = g^T M v. */
#include <math.h>
#include <string.h>
#include "kinematics/row_kernels.h"

enum { G8 = CLV_GROUP, NDIR = CLV_DIRECTIONS };

static int slots(const clv_row_bodies *r) { return r->c.engine.plan->nrow * G8; }

static void add(double *y, double s, const double *x, int n)
{
    for (int i = 0; i < n; i++)
        y[i] += s * x[i];
}

/* the correction at hand as a direction */
static clv_row_direction at_hand(const clv_row_bodies *r)
{
    return (clv_row_direction){r->c.x, r->c.sigma, r->c.engine.sigma};
}

static void add_direction(const clv_row_bodies *r, const clv_row_direction *y, double s, const clv_row_direction *x)
{
    add(y->x, s, x->x, 6 * slots(r)), add(y->sigma, s, x->sigma, NDIR * slots(r));
    add(y->node, s, x->node, r->c.engine.plan->nsigma);
}

static void scale(const clv_row_bodies *r, const clv_row_direction *y, double s)
{
    add_direction(r, y, s - 1, y);
}

static void set(const clv_row_bodies *r, const clv_row_direction *y, const clv_row_direction *x)
{
    memcpy(y->x, x->x, 6 * (size_t)slots(r) * sizeof(double));
    memcpy(y->sigma, x->sigma, NDIR * (size_t)slots(r) * sizeof(double));
    memcpy(y->node, x->node, (size_t)r->c.engine.plan->nsigma * sizeof(double));
}

/* x^T M y */
static double product(const clv_row_bodies *r, const double *x, const double *y)
{
    static const int at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    const clv_plan *p = r->c.engine.plan;
    double sum = 0;
    for (int b = 0; b < p->nbody; b++) {
        double u[6], v[6], J[6];
        clv_slot_get(x, 6, p->slot[b], u), clv_slot_get(y, 6, p->slot[b], v), clv_slot_get(r->c.J, 6, p->slot[b], J);
        for (int i = 0; i < 3; i++) {
            sum += p->model->body[b].mass * u[i] * v[i];
            for (int k = 0; k < 3; k++)
                sum += u[3 + i] * J[at[i][k]] * v[3 + k];
        }
    }
    return sum;
}

static double largest(const clv_row_bodies *r, const double *x)
{
    const clv_plan *p = r->c.engine.plan;
    double most = 0;
    for (int b = 0; b < p->nbody; b++) {
        double v[6];
        clv_slot_get(x, 6, p->slot[b], v);
        for (int i = 0; i < 6; i++)
            most = fmax(most, fabs(v[i]));
    }
    return most;
}

/* step times the direction, to the sum or to the motions */
static void go(clv_row_bodies *r, bool velocities, double step, const clv_row_direction *d)
{
    add(velocities ? r->V : r->x, step, d->x, 6 * slots(r));
    if (velocities)
        return;
    add(r->lambda, step, d->sigma, NDIR * slots(r));
    add(r->row_lambda, step, d->node, r->c.engine.plan->nsigma);
}

clv_row_ending clv_row_bodies_conjugate(clv_row_bodies *r, bool velocities, double lost, double tolerance, int limit)
{
    const clv_row_direction *g = &r->g, *d = &r->d, G = at_hand(r);
    clv_compliant_pass(&r->c, false);
    set(r, g, &G), set(r, d, &G);
    double gg = product(r, g->x, g->x), change = INFINITY;
    const double first = gg;
    int k = 0;
    while (change > tolerance && k < limit && gg > 1e-32 * first) {
        clv_row_bodies_rows(r, d->x, false); /* right-hand sides: minus the rows of d */
        clv_compliant_pass(&r->c, false);
        const double curve = -product(r, r->c.x, d->x);
        if (!(curve > lost * gg && gg > 0))
            break;
        const double step = gg / curve;
        go(r, velocities, step, d);
        change = step * largest(r, d->x);
        add_direction(r, g, step, &G);
        const double next = product(r, g->x, g->x);
        scale(r, d, next / gg), add_direction(r, d, 1, g);
        gg = next, k++;
    }
    return (clv_row_ending){k + 1, change, change > tolerance && k >= limit, change > tolerance && k < limit};
}
