/* SPDX-License-Identifier: Apache-2.0
 * The past of the Adams method (theory T17; Shampine, Gordon, Computer Solution of Ordinary Differential Equations,
 * Freeman 1975, chapters 5 and 10; Krogh 1969).
 *
 * Modified divided differences at t_n, psi_j = t_n - t_{n-j}:
 *   phi_1 = f_n,   phi_i = psi_1 .. psi_{i-1} f[t_n, .., t_{n-i+1}]
 * Going to t_{n+1} multiplies them by beta_i (the new spans over the old ones) and leaves divided differences as they
 * are. Integrals are found anew for every step from the times, O(k^2) numbers: cheap beside rates, and nothing to keep
 * up. The states of the past points are kept too, so that a re-gauge can transform them (T17.8). */
#include "integrator/adams.h"

#include <string.h>

enum { NEW_STATE = 3 * CLV_ADAMS_POINTS, NEW_RATES, CORRECTION, VECTORS }; /* behind two sides and the past states */

static double *vector(const clv_integrator *s, int i)
{
    return s->work + (size_t)i * clv_integrator_stride(s->ode.n);
}

double *clv_adams_difference(const clv_integrator *s, int side, int i)
{
    return vector(s, side * CLV_ADAMS_POINTS + i - 1);
}

double *clv_adams_past(const clv_integrator *s, int point)
{
    const clv_adams_state *m = s->state;
    return vector(s, 2 * CLV_ADAMS_POINTS + (m->head + point) % CLV_ADAMS_POINTS);
}

double *clv_adams_new_state(const clv_integrator *s)
{
    return vector(s, NEW_STATE);
}

double *clv_adams_new_rates(const clv_integrator *s)
{
    return vector(s, NEW_RATES);
}

double *clv_adams_correction(const clv_integrator *s)
{
    return vector(s, CORRECTION);
}

void clv_adams_layout(clv_integrator *s, clv_arena *a)
{
    clv_adams_state *state;
    s->nwork = VECTORS * clv_integrator_stride(s->ode.n);
    CLV_TAKE(a, state, 1);
    CLV_TAKE(a, s->work, s->nwork); /* differences (2 x 14 x n), past states (14 x n), scratch (3 x n) */
    s->state = state;
}

/* Let N_i(t) = prod_{j=1}^{i-1} (t - t_{n+1-j}) / Psi_j with the new spans Psi_j = t_{n+1} - t_{n+1-j}.  Then
 *   w_q = (q-1)!/tau^q times the q-fold integral of N_i from t_n to t_n + tau
 * follows from that of N_{i-1} by parts; g_i = w_1. */
void clv_adams_weigh(const double *time, int points, double t_new, double tau, int order, clv_adams_weights *w)
{
    const double h = t_new - time[0];
    double v[CLV_ADAMS_POINTS + 1];
    w->beta[1] = w->g[1] = w->sigma[1] = 1.0;
    for (int q = 1; q <= order + 1; q++)
        v[q] = 1.0 / q;
    for (int i = 2; i <= order + 1; i++) {
        const double span = t_new - time[i - 2], behind = time[0] - time[i - 2];
        const double a = (tau + behind) / span, b = tau / span;
        for (int q = 1; q <= order + 2 - i; q++)
            v[q] = a * v[q] - b * v[q + 1];
        w->g[i] = v[1];
        w->sigma[i] = (i - 1) * (h / span) * w->sigma[i - 1];
        w->beta[i] = i - 1 < points ? w->beta[i - 1] * span / (time[0] - time[i - 1]) : 0.0;
    }
}

/* T17.4 for the states from `at` on: the sum of the predictor, and the predicted differences */
static void predict_block(clv_integrator *s, const clv_adams_weights *w, double *restrict sum, int at, int count)
{
    const clv_adams_state *m = s->state;
    const int k = m->order;
    memset(clv_adams_difference(s, !m->side, k + 1) + at, 0, (size_t)count * sizeof *sum);
    memset(sum, 0, (size_t)count * sizeof *sum);
    for (int j = k; j >= 1; j--) { /* smallest terms first */
        const double beta = w->beta[j], g = w->g[j];
        const double *restrict now = clv_adams_difference(s, m->side, j) + at;
        const double *restrict above = clv_adams_difference(s, !m->side, j + 1) + at;
        double *restrict next = clv_adams_difference(s, !m->side, j) + at;
        for (int i = 0; i < count; i++) {
            const double phi = beta * now[i];
            sum[i] += g * phi;
            next[i] = above[i] + phi;
        }
    }
}

void clv_adams_predict(clv_integrator *s, const clv_adams_weights *w, double h)
{
    double *p = clv_adams_new_state(s), sum[CLV_VECTOR_BLOCK];
    for (int at = 0; at < s->ode.n; at += CLV_VECTOR_BLOCK) {
        const int count = clv_vector_block(s->ode.n, at);
        predict_block(s, w, sum, at, count);
        for (int i = 0; i < count; i++)
            p[at + i] = s->y[at + i] + h * sum[i];
    }
}

/* T17.6 for the states from `at` on */
static void correct_block(clv_integrator *s, double beta, const double *rates, int at, int count)
{
    const clv_adams_state *m = s->state;
    const int k = m->order;
    double *restrict top = clv_adams_difference(s, !m->side, k + 1) + at;
    double *restrict beyond = clv_adams_difference(s, !m->side, k + 2) + at;
    const double *restrict before = clv_adams_difference(s, m->side, k + 1) + at;
    const double *restrict predicted = clv_adams_difference(s, !m->side, 1) + at;
    for (int i = 0; i < count; i++) {
        top[i] = rates[at + i] - predicted[i];
        beyond[i] = top[i] - beta * before[i];
    }
    for (int j = 1; j <= k; j++) {
        double *restrict phi = clv_adams_difference(s, !m->side, j) + at;
        for (int i = 0; i < count; i++)
            phi[i] += top[i];
    }
}

void clv_adams_correct(clv_integrator *s, const clv_adams_weights *w, const double *rates)
{
    const clv_adams_state *m = s->state;
    for (int at = 0; at < s->ode.n; at += CLV_VECTOR_BLOCK)
        correct_block(s, w->beta[m->order + 1], rates, at, clv_vector_block(s->ode.n, at));
}

void clv_adams_push(clv_integrator *s, double t, const double *y)
{
    clv_adams_state *m = s->state;
    memmove(m->time + 1, m->time, (CLV_ADAMS_POINTS - 1) * sizeof *m->time);
    m->time[0] = t;
    m->head = (m->head + CLV_ADAMS_POINTS - 1) % CLV_ADAMS_POINTS;
    m->points = m->points < CLV_ADAMS_POINTS ? m->points + 1 : CLV_ADAMS_POINTS;
    memcpy(clv_adams_past(s, 0), y, (size_t)s->ode.n * sizeof *y);
}

/* Column by column, phi_i(m) = phi_{i-1}(m) - beta_{i-1}(m) phi_{i-1}(m-1), where beta_{i-1}(m) compares the spans
 * ending at point m with those ending at the point before it. */
void clv_adams_difference_all(clv_integrator *s, int side, int count)
{
    const clv_adams_state *m = s->state;
    const int n = s->ode.n;
    double beta[CLV_ADAMS_POINTS]; /* of point p, column by column */
    for (int p = 0; p < count; p++)
        beta[p] = 1.0;
    for (int i = 2; i <= count; i++)
        for (int p = count - i; p >= 0; p--) {
            const double *restrict newer = clv_adams_difference(s, side, p + i - 1);
            double *restrict to = clv_adams_difference(s, side, p + i);
            if (i > 2)
                beta[p] *= (m->time[p] - m->time[p + i - 2]) / (m->time[p + 1] - m->time[p + i - 1]);
            for (int j = 0; j < n; j++)
                to[j] = newer[j] - beta[p] * to[j];
        }
}
