/* SPDX-License-Identifier: Apache-2.0
 * Adams-Bashforth-Moulton in PECE mode with local extrapolation, order 1..12.  Step and order are chosen after Shampine
 * and Gordon, Computer Solution of Ordinary Differential Equations, Freeman 1975, chapters 6, 7, 10 (theory T17).  Norm
 * and limits as the Runge-Kutta methods.  Two evaluations a step.
 *
 * predict (order k) - rates - error and order below - correct (order k+1) - owner's projection, re-gauge - rates -
 * order above, next step.
 *
 * Projection (changed 1): the newest rates are those of the projected state; older differences stay.  Re-gauge (changed
 * 2): states of the past are transformed, their rates and all differences found anew, k + 1 evaluations; order and step
 * stay. Dense output integrates the polynomial of the corrector from the old state on: exact at both ends,
 * before the change. */
#include "math/root.h"
#include "integrator/adams.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* |gamma*_i|, coefficients of the Adams-Moulton formulas; Hairer, Norsett, Wanner, Solving ODEs I, III.1. */
static const double gamma_star[CLV_ADAMS_ORDER + 2] = {1.0,
                                                       1.0 / 2,
                                                       1.0 / 12,
                                                       1.0 / 24,
                                                       19.0 / 720,
                                                       3.0 / 160,
                                                       863.0 / 60480,
                                                       275.0 / 24192,
                                                       33953.0 / 3628800,
                                                       8183.0 / 1036800,
                                                       3250433.0 / 479001600,
                                                       4671.0 / 788480,
                                                       13695779093.0 / 2615348736000,
                                                       2224234463.0 / 475517952000};

/* Error estimates of one attempt: of the step, of orders k, k-1, k-2 at constant step; infinity where there is none. */
typedef struct estimates {
    double step, same, lower, lowest;
    int order; /* k or k - 1 */
} estimates;

clv_status clv_adams_begin(clv_integrator *s)
{
    clv_adams_state *m = s->state;
    const int side = s->t == s->t_old ? 0 : !m->dense_side; /* dense output of the last step continues */
    const size_t bytes = (size_t)s->ode.n * sizeof(double);
    if (s->options.step > 0.0)
        return CLV_ERR_UNSUPPORTED;
    memcpy(clv_adams_difference(s, side, 1), s->f, bytes);
    memset(clv_adams_difference(s, side, 2), 0, bytes);
    m->side = side;
    m->points = 0;
    clv_adams_push(s, s->t, s->y);
    m->order = s->stats.order = 1;
    m->equal = 0;
    m->h_last = 0.0;
    m->starting = 1;
    m->h = s->stats.next_step = clv_integrator_first_step(s, 1, clv_adams_new_state(s), clv_adams_new_rates(s));
    return CLV_OK;
}

/* norm of a difference; `scratch`: where what is visible of it may be made */
static double measured(const clv_integrator *s, const double *e, const double *y, double *scratch)
{
    if (!s->ode.visible)
        return clv_integrator_norm(s, e, s->y, y);
    if (e != scratch)
        memcpy(scratch, e, (size_t)s->ode.n * sizeof *e);
    clv_integrator_visible(s, scratch);
    return clv_integrator_norm(s, scratch, s->y, y);
}

/* T17.5: norm of (correction + difference i) */
static double lower_error(const clv_integrator *s, const double *y, int i, double *scratch)
{
    static const double ones[2] = {1.0, 1.0};
    const clv_adams_state *m = s->state;
    const double *correction = clv_adams_correction(s), *phi = clv_adams_difference(s, !m->side, i);
    const clv_combination c = {ones, phi, (size_t)(correction - phi), 2, s->team};
    const clv_error_norm norm = clv_integrator_norm_at(s, s->y, y);
    if (!s->ode.visible)
        return clv_vector_norm_of_sum(&norm, &c, s->ode.n);
    clv_vector_sum(scratch, &c, s->ode.n);
    return measured(s, scratch, y, scratch);
}

/* the state that makes the norm of the correction, or of what is visible of it; -1: another part of the state has it */
static int worst_of(const clv_integrator *s, double norm, const double *y, const double *scratch)
{
    const clv_error_norm at = clv_integrator_norm_at(s, s->y, y);
    return clv_error_norm_find(&at, s->ode.visible ? scratch : clv_adams_correction(s), 0, s->ode.n, norm);
}

static void estimate(clv_integrator *s, const clv_adams_weights *w, double h, estimates *e)
{
    const clv_adams_state *m = s->state;
    const int k = m->order;
    const double size = fabs(h), *p = clv_adams_new_state(s);
    double *scratch = clv_adams_new_rates(s);
    const double largest = measured(s, clv_adams_correction(s), p, scratch), norm = size * largest;
    s->worst = worst_of(s, largest, p, scratch);
    *e = (estimates){.step = norm * (w->g[k] - w->g[k + 1]), .same = norm * w->sigma[k + 1] * gamma_star[k],
                     .lower = INFINITY, .lowest = INFINITY, .order = k};
    if (k > 1)
        e->lower = size * w->sigma[k] * gamma_star[k - 1] * lower_error(s, p, k, scratch);
    if (k > 2)
        e->lowest = size * w->sigma[k - 1] * gamma_star[k - 2] * lower_error(s, p, k - 1, scratch);
    if ((k == 2 && e->lower <= 0.5 * e->same) || (k > 2 && fmax(e->lower, e->lowest) <= e->same))
        e->order = k - 1;
}

/* Predicts, estimates.  e->step > 1: too inaccurate. */
static clv_status attempt(clv_integrator *s, double t_new, clv_adams_weights *w, estimates *e)
{
    clv_adams_state *m = s->state;
    const double h = t_new - s->t;
    *e = (estimates){.step = INFINITY, .same = INFINITY, .order = m->order};
    clv_adams_weigh(m->time, m->points, t_new, h, m->order, w);
    clv_adams_predict(s, w, h);
    const clv_status st = clv_integrator_evaluate(s, t_new, clv_adams_new_state(s), clv_adams_new_rates(s));
    if (st != CLV_OK)
        return st;
    const double *rates = clv_adams_new_rates(s), *predicted = clv_adams_difference(s, !m->side, 1);
    double *restrict correction = clv_adams_correction(s);
    for (int i = 0; i < s->ode.n; i++)
        correction[i] = rates[i] - predicted[i];
    estimate(s, w, h, e);
    return CLV_OK;
}

/* T17.8: as many past points as the next step may need; false: they cannot be had. */
static bool regauge(clv_integrator *s)
{
    clv_adams_state *m = s->state;
    const int count = m->order + 2 < m->points ? m->order + 2 : m->points;
    if (!s->ode.regauge)
        return false;
    memcpy(clv_adams_difference(s, m->side, 1), s->f, (size_t)s->ode.n * sizeof(double));
    for (int p = 1; p < count; p++) {
        double *f = clv_adams_difference(s, m->side, p + 1);
        s->stats.evaluations++;
        if (s->ode.regauge(s->ode.owner, m->time[p], clv_adams_past(s, p), f) != CLV_OK)
            return false;
        if (!clv_vector_finite(s->team, f, s->ode.n))
            return false;
    }
    m->points = count;
    clv_adams_difference_all(s, m->side, count);
    return true;
}

/* Order and size of the next step, T17.7. */
static void choose(clv_integrator *s, const estimates *e, double size)
{
    clv_adams_state *m = s->state;
    const int k = m->order;
    double same = e->same;
    if (e->order == k - 1 || k == CLV_ADAMS_ORDER)
        m->starting = 0;
    if (m->starting) {
        m->order = k + 1;
    } else if (e->order == k - 1) {
        m->order = k - 1;
        same = e->lower;
    } else if (k + 1 <= m->equal && k < CLV_ADAMS_ORDER) {
        const double *beyond = clv_adams_difference(s, m->side, k + 2);
        const double higher = size * gamma_star[k + 1] * measured(s, beyond, s->y, clv_adams_new_rates(s));
        if (k > 1 && e->lower <= fmin(same, higher)) {
            m->order = k - 1;
            same = e->lower;
        } else if (higher < (k > 1 ? same : 0.5 * same)) {
            m->order = k + 1;
            same = higher;
        }
    }
    m->h = 2.0 * size;
    if (!m->starting && 0.5 < same * ldexp(1.0, m->order + 1)) {
        const double ratio = clv_root(0.5 / same, m->order + 1);
        m->h = same > 0.5 ? size * fmax(0.5, fmin(0.9, ratio)) : size;
    }
    s->stats.next_step = m->h;
    s->stats.order = m->order;
}

/* The step is good: corrects, calls the owner, brings the history to t_new. */
static clv_status accept(clv_integrator *s, double t_new, double size, const clv_adams_weights *w, const estimates *e)
{
    clv_adams_state *m = s->state;
    const size_t bytes = (size_t)s->ode.n * sizeof(double);
    const double h = t_new - s->t, g = w->g[m->order + 1];
    double *restrict y = clv_adams_new_state(s);
    const double *restrict correction = clv_adams_correction(s);
    int changed;
    for (int i = 0; i < s->ode.n; i++)
        y[i] += h * g * correction[i];
    clv_status st = CLV_OK;
    if (!s->ode.accepted) /* nobody has seen the step: it can still be thrown away */
        st = clv_integrator_evaluate(s, t_new, y, clv_adams_new_rates(s));
    if (st == CLV_OK)
        st = clv_integrator_accept(s, t_new, y, &changed);
    if (st != CLV_OK)
        return st;
    if (s->ode.accepted)
        st = clv_integrator_evaluate(s, t_new, y, clv_adams_new_rates(s));

    memcpy(s->y_old, s->y, bytes);
    memcpy(s->y, y, bytes);
    s->t_old = s->t;
    s->t = t_new;
    s->stats.steps++;
    s->stats.last_step = h;
    m->dense_side = m->side;
    m->dense_points = m->points;
    memcpy(m->dense_time, m->time, sizeof m->time);
    m->last_order = m->order;
    m->h_last = size;
    s->fresh = st == CLV_OK;
    if (!s->fresh)
        return CLV_OK; /* the next step tries again, and fails if it must */

    memcpy(s->f, clv_adams_new_rates(s), bytes);
    clv_adams_push(s, t_new, s->y);
    if (changed < 2)
        clv_adams_correct(s, w, s->f);
    m->side = !m->side;
    if (changed == 2 && !regauge(s))
        return clv_adams_begin(s);
    choose(s, e, size);
    return CLV_OK;
}

static clv_status give_up(clv_integrator *s, clv_status why)
{
    s->t_old = s->t;
    memcpy(s->y_old, s->y, (size_t)s->ode.n * sizeof(double));
    return why;
}

clv_status clv_adams_step(clv_integrator *s)
{
    clv_adams_state *m = s->state;
    clv_status why = CLV_ERR_STEP_SIZE;
    if (!s->fresh) {
        clv_status st = clv_integrator_evaluate(s, s->t, s->y, s->f);
        if (st == CLV_OK)
            st = clv_adams_begin(s);
        if (st != CLV_OK)
            return give_up(s, st);
        s->fresh = true;
    }
    const double smallest = 16.0 * DBL_EPSILON * fabs(s->t), max_step = s->options.max_step;
    const int equal = m->equal;
    double size = fmax(max_step > 0.0 ? fmin(m->h, max_step) : m->h, smallest);
    for (int failures = 0;;) {
        clv_adams_weights w;
        estimates e;
        double t_new;
        const double h = fabs(clv_integrator_bound_step(s, size, &t_new));
        if (h == 0.0)
            return give_up(s, CLV_ERR_STEP_SIZE);
        size = fabs(h - size) <= 1e-6 * size ? size : h; /* equal steps stay equal though times are rounded */
        m->equal = size != m->h_last ? 1 : equal <= m->last_order ? equal + 1 : equal;
        clv_status st = attempt(s, t_new, &w, &e);
        if (st == CLV_OK && e.step <= 1.0) {
            st = accept(s, t_new, size, &w, &e);
            if (st == CLV_OK)
                return CLV_OK;
        }
        if (st != CLV_OK) {
            why = st;
            e = (estimates){.step = INFINITY, .same = INFINITY, .order = m->order};
        }
        s->stats.rejected++;
        failures++;
        m->starting = 0;
        if (size <= smallest || failures > CLV_INTEGRATOR_FAILURES)
            return give_up(s, why);
        /* twice halved at a likely order, then as if at a start */
        const double further = failures > 3 && isfinite(e.same) ? sqrt(0.5 / e.same) : 0.5;
        m->order = failures >= 3 ? 1 : e.order;
        size = fmax(size * fmin(0.5, further), smallest);
    }
}

void clv_adams_dense(const clv_integrator *s, double t, double *y)
{
    const clv_adams_state *m = s->state;
    const int n = s->ode.n, k = m->last_order;
    const double tau = t - s->t_old;
    clv_adams_weights w;
    const double *restrict correction = clv_adams_correction(s);
    clv_adams_weigh(m->dense_time, m->dense_points, s->t, tau, k, &w);
    for (int i = 0; i < n; i++)
        y[i] = w.g[k + 1] * correction[i];
    for (int j = k; j >= 1; j--) {
        const double *restrict phi = clv_adams_difference(s, m->dense_side, j);
        const double weight = w.g[j] * w.beta[j];
        for (int i = 0; i < n; i++)
            y[i] += weight * phi[i];
    }
    for (int i = 0; i < n; i++)
        y[i] = s->y_old[i] + tau * y[i];
}
