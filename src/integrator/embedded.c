/* SPDX-License-Identifier: Apache-2.0
 * A rule of the problem's own, see embedded.h.  State, rates and the rule's memory are all that a step depends on, so
 * that a saved run continues with the same bits.
 *
 * A step whose iteration does not converge ends as a rule at a position that is nearly singular, as when all bars of a
 * loop lie in one line.  Then longer and shorter ones are tried, so that the position is passed between their ends.
 * The step after leads back to the grid.
 *
 * work: rates at t_old | memory */
#include "integrator/embedded.h"
#include "integrator/vector.h"
#include <math.h>
#include <string.h>

static double *old_rates(const clv_integrator *s)
{
    return s->work;
}
static double *memory(const clv_integrator *s)
{
    return s->work + clv_integrator_stride(s->ode.n);
}

void clv_embedded_layout(clv_integrator *s, clv_arena *a)
{
    double *begin;
    s->nwork = clv_integrator_stride(s->ode.n) + (size_t)s->extra;
    CLV_TAKE(a, begin, 1);
    s->state = begin;
    CLV_TAKE(a, s->work, s->nwork);
}

clv_status clv_embedded_begin(clv_integrator *s)
{
    *(double *)s->state = s->t;
    memset(s->work, 0, s->nwork * sizeof *s->work);
    memcpy(old_rates(s), s->f, (size_t)s->ode.n * sizeof *s->f);
    s->stats.order = s->method->order;
    s->stats.next_step = s->options.step;
    return CLV_OK;
}

/* The next point of the grid begin + k h, so that rounding of the time does not add up, or the bound.  What is left
 * before the bound is taken in one step or two equal ones: in a sliver of a step rounding of positions would become
 * large accelerations. */
static double next_time(const clv_integrator *s)
{
    const double h = s->options.step, way = clv_integrator_direction(s);
    const double end = clv_integrator_bound(s), left = fabs(end - s->t);
    const double begin = *(const double *)s->state, done = fabs(s->t - begin) / h;
    if (left <= 1.1 * h)
        return end;
    if (left < (2 - 1e-6) * h)
        return s->t + 0.5 * way * left;
    const double k = floor(done + 1e-6) + 1;
    return begin + way * h * (k - done < 0.1 ? k + 1 : k);
}

/* A step to t_new; where it fails, nothing has changed. */
static clv_status go(clv_integrator *s, double t_new)
{
    return s->ode.step(s->ode.owner, s->t, t_new, s->y, s->f, memory(s));
}

/* A step to *t_new, or one that ends elsewhere.  If none converges, the error is that of the first. */
static clv_status go_past(clv_integrator *s, double *t_new)
{
    const double end = *t_new, h = clv_integrator_direction(s) * s->options.step, back = s->t - end;
    const double other[] = {end + 0.5 * h, end + 0.5 * back, end + h, end + 0.25 * back};
    const double left = fabs(clv_integrator_bound(s) - s->t);
    clv_status st = go(s, end);
    bool tried = st == CLV_ERR_NO_CONVERGENCE && s->ode.ill_placed && s->ode.ill_placed(s->ode.owner);
    for (size_t k = 0; k < sizeof other / sizeof *other && tried; k++) {
        if (fabs(other[k] - s->t) > left)
            continue;
        s->stats.rejected++;
        st = go(s, *t_new = other[k]);
        tried = st == CLV_ERR_NO_CONVERGENCE;
    }
    if (st != CLV_OK && *t_new != end)
        st = go(s, *t_new = end);
    return st;
}

clv_status clv_embedded_step(clv_integrator *s)
{
    const size_t vector = (size_t)s->ode.n * sizeof(double);
    int changed;
    double t_new = next_time(s);
    clv_team_copy(s->team, s->y_old, s->y, (size_t)s->ode.n);
    clv_team_copy(s->team, old_rates(s), s->f, (size_t)s->ode.n);
    clv_status st = go_past(s, &t_new);
    if (st == CLV_OK)
        st = clv_integrator_accept(s, t_new, s->y, &changed);
    if (st != CLV_OK) {
        s->failed_time = t_new;
        memcpy(s->y, s->y_old, vector);
        memcpy(s->f, old_rates(s), vector);
        return st;
    }
    s->stats.last_step = t_new - s->t;
    s->t_old = s->t, s->t = t_new;
    s->stats.steps++;
    return CLV_OK;
}

/* Hermite's cubic: error h^4, two orders better than the rule */
void clv_embedded_dense(const clv_integrator *s, double t, double *y)
{
    const double h = s->t - s->t_old, x = (t - s->t_old) / h, *f0 = old_rates(s);
    const double a = x * x * (3 - 2 * x), b = x * (1 - x) * (1 - x) * h, c = x * x * (x - 1) * h;
    for (int i = 0; i < s->ode.n; i++)
        y[i] = s->y_old[i] + a * (s->y[i] - s->y_old[i]) + b * f0[i] + c * s->f[i];
}
