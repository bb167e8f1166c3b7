/* SPDX-License-Identifier: Apache-2.0
 * Where the numbers of a variational step lie in the integrator's work, for the three files that share them. */
#ifndef CLV_INTEGRATOR_VARIATIONAL_WORK_H
#define CLV_INTEGRATOR_VARIATIONAL_WORK_H
#include "integrator/variational.h"

static inline const clv_gauss *rule(const clv_integrator *s)
{
    return s->method->data;
}

/* past and present rates, then per stage: chart point, rates, momenta, force, residual; per node: impulse on the joints
 * (chart), then sums, scratch and new states */
enum { POINT, RATE, MOMENTUM, FORCE, PUSH, PER_STAGE };
enum { MIDDLE, SUM_FORCE, SUM_TURN, BASE, SCRATCH, COORDINATES, NEW_STATE, NEW_STATE_DENSE, SINGLE };

static inline double *vector(const clv_integrator *s, int i)
{
    return s->work + (size_t)i * clv_integrator_stride(s->ode.n);
}

static inline double *past_rates(const clv_integrator *s, int ago, int j)
{
    return vector(s, ago * rule(s)->stages + j);
}

static inline double *staged(const clv_integrator *s, int what, int j)
{
    const clv_gauss *g = rule(s);
    return vector(s, (g->history + 1 + what) * g->stages + j);
}

static inline double *single(const clv_integrator *s, int what)
{
    const clv_gauss *g = rule(s);
    return vector(s, (g->history + 1 + PER_STAGE) * g->stages + what);
}

static inline double *new_state(const clv_integrator *s, int which)
{
    return single(s, NEW_STATE + which);
}

/* rows: impulses and violations at nodes, corrections of impulses by stage, impulses of the last step, required rates
 * of rows
 */
static inline double *rows(const clv_integrator *s, int i)
{
    return single(s, SINGLE) + (size_t)i * clv_integrator_stride(s->extra);
}

static inline double *impulse(const clv_integrator *s, int k)
{
    return rows(s, k);
}

static inline double *gap(const clv_integrator *s, int k)
{
    return rows(s, rule(s)->stages + k);
}

static inline double *change(const clv_integrator *s, int j)
{
    return rows(s, 2 * rule(s)->stages + j);
}

static inline double *last_impulse(const clv_integrator *s, int k)
{
    return rows(s, 3 * rule(s)->stages + k);
}

static inline double *wanted(const clv_integrator *s)
{
    return rows(s, 4 * rule(s)->stages);
}

static inline size_t work_numbers(const clv_integrator *s)
{
    const clv_gauss *g = rule(s);
    const size_t stages = (size_t)g->stages, vectors = ((size_t)g->history + 1 + PER_STAGE) * stages + SINGLE;
    return vectors * clv_integrator_stride(s->ode.n) + (4 * stages + 1) * clv_integrator_stride(s->extra);
}

/* index of the quaternion if rate i is the first of its three turns, else -1 */
static inline int quaternion(const clv_mechanics *m, int i)
{
    return m->coordinate[i] < 0 ? -1 - m->coordinate[i] : -1;
}

/* variational_places.c: finds the middle of the step from the rates at hand */
void clv_variational_middle(clv_integrator *s, const clv_variational_step *step);
/* chart point x (nu) and coordinates q (nq) where the integral of the rates has the weights `reach` */
void clv_variational_locate(clv_integrator *s, const clv_variational_step *step, const double *reach, double *x,
                            double *q);

#endif
