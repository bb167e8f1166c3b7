/* SPDX-License-Identifier: Apache-2.0
 * Variational steps: prediction, iteration, acceptance, dense output (theory T34).
 *
 * A step is solved to rounding, or the run ends: what is left unsolved would drift.  The rates of the stages are
 * predicted by the polynomial through those of past steps; the corrections then shrink by about h times the speed of
 * the mechanism.  They have arrived when the next one is foreseen below rounding.  Or they shrink no more, and are
 * small or below the rounding of momenta.  No step is ever cut: a step size that follows the motion is no symplectic
 * map.
 *
 * Dense output solves a shorter step from the beginning of the last one: same order, loops closed, nothing
 * interpolated. */
#include "integrator/variational_work.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_CORRECTIONS = 60 };

void clv_variational_layout(clv_integrator *s, clv_arena *a)
{
    clv_variational_state *m;
    s->nwork = work_numbers(s);
    CLV_TAKE(a, m, 1);
    CLV_TAKE(a, s->work, s->nwork);
    s->state = m;
}

clv_status clv_variational_begin(clv_integrator *s)
{
    clv_variational_state *m = s->state;
    memset(m, 0, sizeof *m);
    memset(s->work, 0, s->nwork * sizeof *s->work);
    s->stats.order = s->method->order;
    s->stats.next_step = s->options.step;
    return CLV_OK;
}

/* ------------------------------------------------------------------ prediction */

/* Rates of all stages of a step from t of size h: the polynomial through the stages of past steps (T34.9). */
static void predict(clv_integrator *s, double t, double h)
{
    const clv_variational_state *m = s->state;
    const clv_gauss *g = rule(s);
    const int n = s->ode.mechanics->nu, points = m->history * g->stages;
    double at[CLV_GAUSS_STAGES * (CLV_GAUSS_STAGES + 1)];
    for (int i = 0; i < points; i++)
        at[i] = (m->from[i / g->stages] - t + g->c[i % g->stages] * m->h[i / g->stages]) / h;
    for (int j = 0; j < g->stages; j++) {
        double *v = past_rates(s, 0, j);
        memset(v, 0, (size_t)n * sizeof *v);
        for (int i = 0; i < points; i++) {
            const double *past = past_rates(s, 1 + i / g->stages, i % g->stages);
            double w = 1.0;
            for (int l = 0; l < points; l++)
                w *= l == i ? 1.0 : (g->c[j] - at[l]) / (at[i] - at[l]);
            for (int r = 0; r < n; r++)
                v[r] += w * past[r];
        }
    }
    for (int k = 0; k < g->stages; k++)
        memcpy(impulse(s, k), last_impulse(s, k), (size_t)s->extra * sizeof(double));
}

static void remember(clv_integrator *s, double t, double h)
{
    clv_variational_state *m = s->state;
    const clv_gauss *g = rule(s);
    const size_t bytes = (size_t)s->ode.mechanics->nu * sizeof(double);
    for (int k = g->history; k > 0; k--)
        for (int j = 0; j < g->stages; j++)
            memcpy(past_rates(s, k, j), past_rates(s, k - 1, j), bytes);
    for (int k = g->history - 1; k > 0; k--)
        m->from[k] = m->from[k - 1], m->h[k] = m->h[k - 1];
    for (int k = 0; k < g->stages; k++)
        memcpy(last_impulse(s, k), impulse(s, k), (size_t)s->extra * sizeof(double));
    m->from[0] = t, m->h[0] = h;
    m->history = m->history < g->history ? m->history + 1 : g->history;
}

/* ------------------------------------------------------------------ one step */

/* Rounding of the rates that the violations of the loops leave: that of the coordinates over the step. */
static double gap_rounding(const clv_integrator *s, const clv_variational_step *step)
{
    double extent = 1.0;
    for (int i = 0; i < s->ode.mechanics->nq; i++)
        extent = fmax(extent, fabs(step->y[i]));
    return s->extra > 0 ? DBL_EPSILON * extent / fabs(step->h) : 0.0;
}

/* Have the corrections stalled at rounding?  Where bodies are many, that of their momenta is more than 1e-9 of the
 * rates. */
static bool arrived(clv_integrator *s, const clv_variational_step *step, double gaps)
{
    const double left = step->change - 1e-9 * step->largest - 1e5 * gaps;
    return left <= 0 || left <= clv_variational_rounding(s);
}

/* Corrections until nothing is left to correct. */
static clv_status iterate(clv_integrator *s, clv_variational_step *step)
{
    const double gaps = gap_rounding(s, step);
    double before = INFINITY, least = INFINITY;
    int stalls = 0;
    clv_status st = clv_variational_factor(s, step);
    for (int k = 0; k < MOST_CORRECTIONS && st == CLV_OK; k++) {
        st = clv_variational_correct(s, step);
        const double ratio = step->change / before;
        if (st != CLV_OK || step->change == 0.0)
            return st;
        if (k > 0 && ratio < 0.5 &&
            (ratio * step->change <= 0.25 * DBL_EPSILON * step->largest || step->change <= gaps))
            return CLV_OK;
        stalls += step->change > 0.7 * least;
        if (stalls > 1 && arrived(s, step, gaps))
            return CLV_OK;
        if (step->change > 1e3 * least && step->change > DBL_EPSILON * step->largest + gaps) /* more than rounding */
            return CLV_ERR_STEP_SIZE;
        least = fmin(least, step->change);
        before = step->change;
    }
    return st == CLV_OK ? CLV_ERR_STEP_SIZE : st;
}

static clv_status solve(clv_integrator *s, clv_variational_step *step)
{
    predict(s, step->t, step->h);
    const clv_status st = iterate(s, step);
    return st == CLV_OK ? clv_variational_work(s, step) : st;
}

static clv_status give_up(clv_integrator *s, clv_status why)
{
    s->stats.rejected++;
    s->t_old = s->failed_time = s->t;
    memcpy(s->y_old, s->y, (size_t)s->ode.n * sizeof(double));
    return why;
}

clv_status clv_variational_step_on(clv_integrator *s)
{
    clv_variational_state *m = s->state;
    const size_t bytes = (size_t)s->ode.n * sizeof(double);
    double t_new;
    int changed;
    clv_variational_step step = {.t = s->t, .y = s->y, .y_new = new_state(s, 0)};
    step.h = clv_integrator_bound_step(s, s->options.step, &t_new);
    s->stats.evaluations += m->inquiries;
    m->inquiries = 0;
    clv_status st = solve(s, &step);
    if (st == CLV_OK)
        st = clv_integrator_accept(s, t_new, step.y_new, &changed);
    if (st != CLV_OK)
        return give_up(s, st);
    remember(s, s->t, step.h);
    memcpy(s->y_old, s->y, bytes);
    memcpy(s->y, step.y_new, bytes);
    s->fresh = false;
    s->t_old = s->t;
    s->t = t_new;
    s->stats.steps++;
    s->stats.last_step = step.h;
    return CLV_OK;
}

/* Statistics count what this requests at the next step.  A shorter step converges where the whole one did; should it
 * not, or is t one end but for rounding of time, the nearer end stands in. */
void clv_variational_dense(const clv_integrator *s, double t, double *y)
{
    clv_integrator inner = *s; /* same vectors, own counters */
    clv_variational_state *m = s->state;
    clv_variational_step step = {.t = s->t_old, .h = t - s->t_old, .y = s->y_old, .y_new = new_state(s, 1)};
    const double left = fabs(s->t - t), gone = fabs(step.h);
    clv_status st = CLV_ERR_STEP_SIZE;
    inner.stats.evaluations = 0;
    if (fmin(gone, left) > 1e-10 * fabs(s->t - s->t_old))
        st = solve(&inner, &step);
    m->inquiries += inner.stats.evaluations;
    memcpy(y, st == CLV_OK ? step.y_new : gone < left ? s->y_old : s->y, (size_t)s->ode.n * sizeof *y);
}
