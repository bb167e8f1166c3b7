/* SPDX-License-Identifier: Apache-2.0
 * A Runge-Kutta step in independent coordinates (T109.3): stages are sums of rates in the chart of the step, dependent
 * entries are predicted by the same sums and then closed. */
#include "simulation/sensitivity.h"
#include <math.h>
#include <string.h>

/* x := h sum weight K, base + h sum weight accelerations, of `count` stages */
static void combine(clv_sensitivity_work *w, const double *weight, int count, double h, clv_closed_state *x)
{
    const size_t n = (size_t)w->n;
    memset(x->theta, 0, n * sizeof(double));
    memcpy(x->u, w->stage[0].u, n * sizeof(double));
    for (int j = 0; j < count; j++)
        for (size_t k = 0; k < n && weight[j] != 0; k++) {
            x->theta[k] += h * weight[j] * w->K[(size_t)j * n + k];
            x->u[k] += h * weight[j] * w->stage[j].udot[k];
        }
}

static clv_status find_stage(clv_sensitivity_work *w, int i)
{
    const clv_status st = clv_closed_find(w, w->stage[0].q, &w->stage[i]);
    if (st == CLV_OK)
        clv_chart_rate(w, w->K + (size_t)i * (size_t)w->n, w->stage[i].theta, w->stage[i].u);
    return st;
}

/* largest part of what is tolerated that an estimate with these weights takes */
static double estimate(const clv_sensitivity_work *w, const double *weight, double h)
{
    const clv_tableau *b = w->tableau;
    const size_t n = (size_t)w->n;
    const clv_closed_state *x = &w->stage[b->stages];
    double most = 0;
    for (size_t k = 0; k < n; k++) {
        double e = 0, f = 0;
        if (w->partition && w->partition->depends[k])
            continue;
        for (int j = 0; j < b->stages + (b->end_in_error ? 1 : 0); j++)
            e += weight[j] * w->K[(size_t)j * n + k], f += weight[j] * w->stage[j].udot[k];
        const int at = w->place[k];
        const double size = at < 0 ? 1 : fmin(fabs(x->q[at]), w->s->bound[at]); /* of an angle: a turn */
        most = fmax(most, fabs(h * e) / (w->unit[k] * w->atol + w->rtol * size));
        most = fmax(most, fabs(h * f) / (w->unit[k] * w->atol + w->rtol * fabs(x->u[k])));
    }
    return most;
}

/* that of dop853 is made of two */
static double error_of(const clv_sensitivity_work *w, double h)
{
    const clv_tableau *b = w->tableau;
    if (!b->e)
        return 0;
    const double e = estimate(w, b->e, h), e3 = b->e3 ? estimate(w, b->e3, h) : 0;
    return b->e3 && e > 0 ? e * e / sqrt(e * e + 0.01 * e3 * e3) : e;
}

/* the first stage is closed by the rows of the first state, also when a step is tried again */
static void take_first_factor(clv_sensitivity_work *w)
{
    memcpy(w->LU, w->first_LU, (size_t)w->r * (size_t)w->r * sizeof(double));
    memcpy(w->pivot, w->first_pivot, (size_t)w->r * sizeof(int));
}

clv_status clv_sensitivity_step(clv_sensitivity_work *w, double h, double *error)
{
    const clv_tableau *b = w->tableau;
    const double t = w->stage[0].t;
    clv_status st = CLV_OK;
    memset(w->stage[0].theta, 0, (size_t)w->n * sizeof(double));
    memcpy(w->K, w->stage[0].u, (size_t)w->n * sizeof(double));
    take_first_factor(w);
    for (int i = 1; i <= b->stages && st == CLV_OK; i++) {
        const bool end = i == b->stages;
        w->stage[i].t = end ? t + h : t + h * b->c[i];
        combine(w, end ? b->b : b->a + (size_t)i * (size_t)b->columns, i, h, &w->stage[i]);
        st = find_stage(w, i);
    }
    *error = st == CLV_OK ? error_of(w, h) : NAN;
    return st;
}

/* ------------------------------------------------------------------ kept steps */

void clv_sensitivity_enter(clv_sensitivity_work *w, const clv_kept_step *x)
{
    clv_sim *s = w->s;
    memcpy(s->system.kin.turn, x->turn, 6 * (size_t)w->plan->nedge * sizeof(double));
    if (w->input)
        memcpy(s->input, w->input + (size_t)x->frame * (size_t)s->model->ninput,
               (size_t)s->model->ninput * sizeof(double));
    s->until = x->until;
    clv_sim_span(s, x->until);
    w->partition = x->partition;
}

static void take_stages(clv_sensitivity_work *w, const clv_kept_step *x)
{
    const size_t n = (size_t)w->n, nq = (size_t)w->nq;
    for (int i = 0; i <= w->tableau->stages; i++) {
        const double *from = x->stages + (size_t)i * (3 * n + nq);
        clv_closed_state *to = &w->stage[i];
        to->t = i == w->tableau->stages ? x->t + x->h : x->t + x->h * w->tableau->c[i];
        memcpy(to->theta, from, n * sizeof(double)), memcpy(to->q, from + n, nq * sizeof(double));
        memcpy(to->u, from + n + nq, n * sizeof(double)), memcpy(to->udot, from + 2 * n + nq, n * sizeof(double));
    }
}

clv_status clv_sensitivity_again(clv_sensitivity_work *w, const clv_kept_step *x)
{
    clv_closed_state *first = &w->stage[0];
    double error;
    clv_sensitivity_enter(w, x);
    if (x->stages) {
        take_stages(w, x);
        return CLV_OK;
    }
    first->t = x->t;
    memcpy(first->q, x->q, (size_t)w->nq * sizeof(double)), memcpy(first->u, x->u, (size_t)w->n * sizeof(double));
    const clv_status st = clv_sensitivity_begin(w, false);
    memcpy(first->udot, x->udot, (size_t)w->n * sizeof(double)); /* the same bits */
    return st == CLV_OK ? clv_sensitivity_step(w, x->h, &error) : st;
}

clv_status clv_sensitivity_begin(clv_sensitivity_work *w, bool choose)
{
    clv_closed_state *x = &w->stage[0];
    clv_status st = clv_closed_evaluate(w, x);
    if (st != CLV_OK)
        return st;
    memcpy(x->udot, w->s->system.ud, (size_t)w->n * sizeof(double));
    memset(x->theta, 0, (size_t)w->n * sizeof(double));
    return clv_sensitivity_rows(w, choose);
}

clv_status clv_sensitivity_rows(clv_sensitivity_work *w, bool choose)
{
    if (w->r == 0)
        return CLV_OK;
    clv_closed_rows(w);
    if (choose && (!w->partition || !clv_partition_factor(w, w->J, w->LU, w->pivot) || !clv_partition_good(w))) {
        const clv_status st = clv_partition_choose(w);
        if (st != CLV_OK)
            return st;
    }
    if (!clv_partition_factor(w, w->J, w->first_LU, w->first_pivot))
        return clv_closed_singular(w, w->stage[0].t);
    take_first_factor(w);
    return CLV_OK;
}
