/* SPDX-License-Identifier: Apache-2.0
 * The equations of one variational step, and one simplified Newton correction of them (T34.5 - T34.8).
 *
 * Sought: the chart rates v_j of the Gauss stages and the closing impulses sigma_k at all Lobatto nodes but the last.
 * Joint coordinates are their own chart.  Rotations of spherical and free joints are taken in Cayley's chart about the
 * middle of the step (math/cayley.h), so that the rule is the same forwards and backwards.  Sums run in index order. */
#include "math/cayley.h"
#include "integrator/variational_work.h"
#include <float.h>
#include <math.h>
#include <string.h>

static bool finite(const double *x, int n)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

clv_status clv_variational_factor(clv_integrator *s, clv_variational_step *step)
{
    double half[CLV_GAUSS_STAGES], *q = single(s, COORDINATES);
    for (int j = 0; j < rule(s)->stages; j++)
        half[j] = 0.5 * rule(s)->b[j];
    clv_variational_middle(s, step);
    clv_variational_locate(s, step, half, single(s, SCRATCH), q);
    return s->ode.mechanics->factor(s->ode.mechanics->owner, step->t + 0.5 * step->h, q);
}

/* ------------------------------------------------------------------ equations */

/* momenta of a stage, and its force in the chart; adds to the sums */
static clv_status evaluate_stage(clv_integrator *s, clv_variational_step *step, int j)
{
    const clv_mechanics *m = s->ode.mechanics;
    const clv_gauss *g = rule(s);
    const double *v = past_rates(s, 0, j), w = step->h * g->b[j];
    double *x = staged(s, POINT, j), *u = staged(s, RATE, j), *p = staged(s, MOMENTUM, j), *f = staged(s, FORCE, j);
    double *q = single(s, COORDINATES), *sum = single(s, SUM_FORCE), *turn = single(s, SUM_TURN);
    clv_variational_locate(s, step, g->a[j], x, q);
    for (int i = 0; i < m->nu; i++)
        if (quaternion(m, i) < 0)
            u[i] = v[i];
        else
            clv_cayley_map(u + i, x + i, -1.0, v + i), i += 2;
    s->stats.evaluations++;
    const clv_status st = m->stage(m->owner, step->t + g->c[j] * step->h, q, u, p, f, &step->power[j]);
    if (st != CLV_OK)
        return st;
    if (!finite(p, m->nu) || !finite(f, m->nu) || !isfinite(step->power[j]))
        return CLV_ERR_NOT_FINITE;
    for (int i = 0; i < m->nu; i++) {
        if (quaternion(m, i) >= 0) { /* T34.7: the moment, then the force of the chart */
            double n[3], a[3], b[3];
            clv_cross(n, u + i, p + i);
            clv_axpy3(n, 1.0, f + i);
            clv_cayley_turn(a, x + i, 1.0, n);
            clv_axpy3(turn + i, w, a);
            clv_cayley_map(a, x + i, 1.0, n);
            clv_cayley_gradient(b, x + i, v + i, u + i, p + i);
            for (int c = 0; c < 3; c++)
                f[i + c] = a[c] + b[c];
            clv_axpy3(sum + i, w, f + i);
            i += 2;
        } else
            sum[i] += w * f[i];
    }
    return CLV_OK;
}

/* violation at Lobatto node k + 1, and the push of its impulse on the joints, in the chart; adds to the sums */
static clv_status evaluate_node(clv_integrator *s, const clv_variational_step *step, int k)
{
    const clv_mechanics *m = s->ode.mechanics;
    const clv_gauss *g = rule(s);
    const bool last = k == g->stages - 1;
    double *x = single(s, SCRATCH), *q = single(s, COORDINATES), *p = last ? NULL : staged(s, PUSH, k + 1);
    double *sum = single(s, SUM_FORCE), *turn = single(s, SUM_TURN);
    clv_variational_locate(s, step, g->reach[k], x, q);
    const clv_status st =
        m->node(m->owner, step->t + g->node[k] * step->h, q, last ? NULL : impulse(s, k + 1), p, gap(s, k));
    if (st != CLV_OK || last)
        return st;
    for (int i = 0; i < m->nu; i++) {
        if (quaternion(m, i) >= 0) {
            double a[3], b[3];
            clv_cayley_turn(a, x + i, 1.0, p + i);
            clv_axpy3(turn + i, 1.0, a);
            clv_cayley_map(b, x + i, 1.0, p + i);
            clv_copy3(p + i, b);
            clv_axpy3(sum + i, 1.0, b);
            i += 2;
        } else
            sum[i] += p[i];
    }
    return CLV_OK;
}

/* momenta at the beginning in the chart (BASE), and those at the end in y_new, T34.8 */
static void join(clv_integrator *s, clv_variational_step *step)
{
    const clv_mechanics *m = s->ode.mechanics;
    const double *z = single(s, MIDDLE), *sum = single(s, SUM_FORCE), *turn = single(s, SUM_TURN);
    const double *p0 = step->y + m->nq, *push = staged(s, PUSH, 0);
    double *base = single(s, BASE), *p1 = step->y_new + m->nq;
    for (int i = 0; i < m->nu; i++) {
        if (quaternion(m, i) < 0) {
            base[i] = m->rows > 0 ? p0[i] + push[i] : p0[i];
            p1[i] = base[i] + sum[i];
            continue;
        }
        double p[3], a[3], b[3];
        clv_copy3(a, p0 + i);
        if (m->rows > 0)
            clv_axpy3(a, 1.0, push + i);
        clv_cayley_turn(p, z + i, -1.0, a);
        clv_cross(b, z + i, turn + i);
        for (int c = 0; c < 3; c++)
            base[i + c] = clv_cayley_scale(z + i) * (p[c] + 0.5 * (turn[i + c] - b[c])) - 0.5 * sum[i + c];
        for (int c = 0; c < 3; c++)
            a[c] = p[c] + turn[i + c];
        clv_cayley_turn(p1 + i, z + i, -1.0, a);
        i += 2;
    }
}

static clv_status evaluate(clv_integrator *s, clv_variational_step *step)
{
    const clv_mechanics *m = s->ode.mechanics;
    const int stages = rule(s)->stages;
    clv_status st = CLV_OK;
    memset(single(s, SUM_FORCE), 0, (size_t)m->nu * sizeof(double));
    memset(single(s, SUM_TURN), 0, (size_t)m->nu * sizeof(double));
    clv_variational_middle(s, step);
    for (int j = 0; j < stages && st == CLV_OK; j++)
        st = evaluate_stage(s, step, j);
    if (m->rows > 0 && st == CLV_OK)
        st = m->node(m->owner, step->t, step->y, impulse(s, 0), staged(s, PUSH, 0), NULL);
    for (int k = 0; k < stages && m->rows > 0 && st == CLV_OK; k++)
        st = evaluate_node(s, step, k);
    if (st == CLV_OK)
        join(s, step);
    return st;
}

/* ------------------------------------------------------------------ correction */

/* what the momenta of stage j miss, along the joints */
static void residual(clv_integrator *s, const clv_variational_step *step, int j, double *r)
{
    const clv_mechanics *m = s->ode.mechanics;
    const clv_gauss *g = rule(s);
    const double *p = staged(s, MOMENTUM, j), *x = staged(s, POINT, j), *base = single(s, BASE);
    memcpy(r, base, (size_t)m->nu * sizeof *r);
    for (int l = 0; l < g->stages; l++) {
        const double w = step->h * g->a[j][l], *f = staged(s, FORCE, l);
        for (int i = 0; i < m->nu; i++)
            r[i] += w * f[i];
    }
    for (int k = 1; k < g->stages && m->rows > 0; k++) {
        const double w = g->weight[j][k], *f = staged(s, PUSH, k);
        for (int i = 0; i < m->nu; i++)
            r[i] += w * f[i];
    }
    for (int i = 0; i < m->nu; i++) {
        if (quaternion(m, i) >= 0) {
            double a[3];
            clv_cayley_unmap(a, x + i, 1.0, r + i);
            for (int c = 0; c < 3; c++)
                r[i + c] = a[c] - p[i + c];
            i += 2;
        } else
            r[i] -= p[i];
    }
}

static void want_closed(clv_integrator *s, const clv_variational_step *step, int j)
{
    double *a = wanted(s);
    memset(a, 0, (size_t)s->extra * sizeof *a);
    for (int k = 0; k < rule(s)->stages; k++) {
        const double w = -rule(s)->undo_reach[j][k] / step->h, *c = gap(s, k);
        for (int i = 0; i < s->extra; i++)
            a[i] += w * c[i];
    }
}

/* v_j += T^-1 du */
static void move_rates(clv_integrator *s, clv_variational_step *step, int j, const double *du)
{
    const clv_mechanics *m = s->ode.mechanics;
    const double *x = staged(s, POINT, j), *u = staged(s, RATE, j);
    double *v = past_rates(s, 0, j);
    for (int i = 0; i < m->nu; i++) {
        step->largest = fmax(step->largest, fabs(u[i] + du[i]));
        if (!(fabs(du[i]) <= step->change))
            step->change = fabs(du[i]);
    }
    for (int i = 0; i < m->nu; i++) {
        if (quaternion(m, i) >= 0) {
            double dv[3];
            clv_cayley_unmap(dv, x + i, -1.0, du + i);
            clv_axpy3(v + i, 1.0, dv);
            i += 2;
        } else
            v[i] += du[i];
    }
}

/* y_new: coordinates at the end, of the rates at hand */
static void arrive(clv_integrator *s, clv_variational_step *step)
{
    clv_variational_middle(s, step);
    clv_variational_locate(s, step, rule(s)->b, single(s, SCRATCH), step->y_new);
}

clv_status clv_variational_correct(clv_integrator *s, clv_variational_step *step)
{
    const clv_mechanics *m = s->ode.mechanics;
    const clv_gauss *g = rule(s);
    double *r = single(s, SCRATCH), *du = single(s, COORDINATES);
    clv_status st = evaluate(s, step);
    step->largest = step->change = 0.0;
    for (int j = 0; j < g->stages && st == CLV_OK; j++) {
        residual(s, step, j, r);
        want_closed(s, step, j);
        st = m->solve(m->owner, r, wanted(s), du, change(s, j));
        if (st == CLV_OK)
            move_rates(s, step, j, du);
    }
    for (int k = 0; k < g->stages && st == CLV_OK; k++)
        for (int j = 0; j < g->stages; j++) {
            const double w = g->undo_weight[k][j], *d = change(s, j);
            double *sigma = impulse(s, k);
            for (int i = 0; i < s->extra; i++)
                sigma[i] += w * d[i];
        }
    if (st == CLV_OK)
        arrive(s, step);
    return st == CLV_OK && !isfinite(step->change) ? CLV_ERR_NOT_FINITE : st;
}

double clv_variational_rounding(clv_integrator *s)
{
    enum { SUMS = 8 }; /* roundings of a momentum; they are found two to three times smaller */
    const clv_mechanics *m = s->ode.mechanics;
    const double *p = staged(s, MOMENTUM, 0), *base = single(s, BASE);
    double *r = single(s, SCRATCH), *du = single(s, COORDINATES), most = 0;
    for (int i = 0; i < m->nu; i++)
        r[i] = (i % 2 ? -SUMS : SUMS) * DBL_EPSILON * (fabs(p[i]) + fabs(base[i]));
    memset(wanted(s), 0, (size_t)s->extra * sizeof(double));
    if (m->solve(m->owner, r, wanted(s), du, change(s, 0)) != CLV_OK)
        return 0;
    for (int i = 0; i < m->nu; i++)
        most = fmax(most, fabs(du[i]));
    return most;
}

clv_status clv_variational_work(clv_integrator *s, clv_variational_step *step)
{
    const clv_mechanics *m = s->ode.mechanics;
    const clv_gauss *g = rule(s);
    const int at = m->nq + m->nu;
    step->y_new[at] = step->y[at];
    for (int j = 0; j < g->stages; j++) {
        if (m->driven) {
            double *q = single(s, COORDINATES);
            clv_variational_locate(s, step, g->a[j], single(s, SCRATCH), q);
            const clv_status st =
                m->power(m->owner, step->t + g->c[j] * step->h, q, staged(s, RATE, j), &step->power[j]);
            if (st != CLV_OK)
                return st;
        }
        step->y_new[at] += step->h * g->b[j] * step->power[j];
    }
    return CLV_OK;
}
