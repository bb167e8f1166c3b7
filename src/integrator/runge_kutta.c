/* SPDX-License-Identifier: Apache-2.0
 * Explicit Runge-Kutta steps over a tableau, adaptive or fixed (theory T16).
 *
 *   y_i = y + h sum_j a_ij k_j,  k_i = f(t + c_i h, y_i);   y_new = y + h sum b_i k_i;   error = h sum e_i k_i
 *
 * Step size: the rules of MATLAB's ode45 (Shampine, Reichelt, SIAM J. Sci. Comput. 18 (1997) 1-22), so that counts can
 * be compared.  Safety 0.8, growth at most 5 and none after a failure.  The first failure shrinks by the error, at most
 * to a tenth, each further one by half.  A failing or non-finite rate counts as an infinite error.  The owner may
 * change the state after a step (projection, re-gauge).  Then the slope at the end of the step is not the slope at the
 * start of the next one and is evaluated again.  Stages stay as they were: dense output shows the step before the
 * change.  The new state is made in a vector of its own, so a given-up step leaves the last good state. */
#include "math/root.h"
#include "integrator/runge_kutta.h"
#include <float.h>
#include <math.h>
#include <string.h>

static const clv_tableau *tableau(const clv_integrator *s)
{
    return s->method->data;
}

double *clv_rk_stage(const clv_integrator *s, int i)
{
    return s->work + (size_t)i * clv_integrator_stride(s->ode.n);
}

double *clv_rk_point(const clv_integrator *s)
{
    return clv_rk_stage(s, tableau(s)->columns);
}

double *clv_rk_new_state(const clv_integrator *s)
{
    return clv_rk_stage(s, tableau(s)->columns + 1);
}

/* once all stages are there: no point is required until the next try */
static double *error(const clv_integrator *s)
{
    return clv_rk_point(s);
}

void clv_rk_layout(clv_integrator *s, clv_arena *a)
{
    const clv_tableau *rk = tableau(s);
    clv_rk_state *state;
    s->nwork = clv_integrator_stride(s->ode.n) * (size_t)(rk->columns + 2);
    CLV_TAKE(a, state, 1);
    CLV_TAKE(a, s->work, s->nwork); /* stages (columns x n), point or error, new state (n) */
    s->state = state;
}

clv_status clv_rk_begin(clv_integrator *s)
{
    clv_rk_state *m = s->state;
    const bool fixed = s->options.step > 0.0;
    m->h = fixed ? s->options.step
                 : clv_integrator_first_step(s, tableau(s)->root - 1, clv_rk_point(s), clv_rk_stage(s, 1));
    m->h_last = 0.0;
    m->dense_extra = 0;
    s->stats.order = s->method->order;
    s->stats.next_step = m->h;
    return CLV_OK;
}

/* the first columns with weights w */
static clv_combination combination(const clv_integrator *s, const double *w, int columns)
{
    return (clv_combination){w, clv_rk_stage(s, 0), clv_integrator_stride(s->ode.n), columns, s->team};
}

/* the norm of all parts of the state; the worst state is known to the part that has it */
static double share(const clv_integrator *s, double here, int *worst)
{
    const double all = clv_integrator_largest(s, here);
    if (all > here)
        *worst = -1;
    return all;
}

/* norm of the sum with weights w, or of what is visible of it, and which state makes it */
static double measured(const clv_integrator *s, const double *w, int columns, int *worst)
{
    const clv_combination c = combination(s, w, columns);
    const clv_error_norm norm = clv_integrator_norm_at(s, s->y, clv_rk_new_state(s));
    if (!s->ode.visible)
        return share(s, clv_vector_norm_of_sum_at(&norm, &c, s->ode.n, worst), worst);
    clv_vector_sum(error(s), &c, s->ode.n);
    clv_integrator_visible(s, error(s));
    const double value = clv_integrator_norm(s, error(s), s->y, clv_rk_new_state(s));
    *worst = clv_error_norm_find(&norm, error(s), 0, s->ode.n, value);
    return value;
}

double clv_rk_both_errors(double e, double e3)
{
    const double ratio = e3 / e; /* T16.6 */
    return isfinite(e) && isfinite(e3) ? e / sqrt(1.0 + 0.01 * ratio * ratio) : INFINITY;
}

static double estimate(clv_integrator *s, double h)
{
    const clv_tableau *rk = tableau(s);
    const int columns = rk->stages + (rk->end_in_error ? 1 : 0);
    int unused;
    const double e = fabs(h) * measured(s, rk->e, columns, &s->worst);
    if (!rk->e3 || e == 0.0)
        return e;
    return clv_rk_both_errors(e, fabs(h) * measured(s, rk->e3, columns, &unused));
}

/* The step ends at t_new with new_state(); the owner may refuse: *err is then how much smaller to try again. */
static clv_status accept(clv_integrator *s, double h, double t_new, double *err)
{
    const clv_tableau *rk = tableau(s);
    clv_rk_state *m = s->state;
    int changed;
    const clv_status st = clv_integrator_accept(s, t_new, clv_rk_new_state(s), &changed);
    if (st != CLV_OK) {
        *err = changed < 0 ? 2.0 : INFINITY;
        return st;
    }
    clv_team_copy(s->team, s->y_old, s->y, (size_t)s->ode.n);
    clv_team_copy(s->team, s->y, clv_rk_new_state(s), (size_t)s->ode.n);
    s->fresh = rk->end && !changed;
    if (s->fresh)
        clv_team_copy(s->team, s->f, clv_rk_stage(s, rk->stages), (size_t)s->ode.n);
    s->t_old = s->t;
    s->t = t_new;
    m->h_last = h;
    s->stats.steps++;
    s->stats.last_step = h;
    return CLV_OK;
}

/* No step: the last good state stands alone, without dense output. */
static clv_status give_up(clv_integrator *s, clv_status why)
{
    s->t_old = s->t;
    memcpy(s->y_old, s->y, (size_t)s->ode.n * sizeof(double));
    return why;
}

static double shrink(double h, int failures, double err, int root)
{
    return failures == 1 ? h * fmax(0.1, 0.8 * clv_root(1.0 / err, root)) : 0.5 * h;
}

/* root_of_err: NAN where it is not there */
static double grow(double h, double err, double root_of_err, int root)
{
    const double x = 1.25 * (isnan(root_of_err) ? clv_root(err, root) : root_of_err);
    return x > 0.2 ? h / x : 5.0 * h;
}

/* ------------------------------------------------------------------ a step in pieces (T85) */

static void finish(clv_rk_try *x, clv_status st) { x->over = true, x->status = st; }

static void want(clv_rk_try *x, int column, double t, const double *y, double *ydot)
{
    x->column = column;
    x->t = t, x->y = y, x->ydot = ydot;
}

static void want_stage(clv_integrator *s, clv_rk_try *x, int i)
{
    const clv_tableau *rk = tableau(s);
    const double t = s->t + rk->c[i] * x->h;
    if (x->abreast) {
        want(x, i, t, NULL, NULL);
        return;
    }
    const clv_combination a = combination(s, rk->a + i * rk->columns, i);
    clv_vector_advance(clv_rk_point(s), s->y, x->h, &a, s->ode.n);
    want(x, i, t, clv_rk_point(s), clv_rk_stage(s, i));
}

static void begin_try(clv_integrator *s, clv_rk_try *x)
{
    x->h = clv_integrator_bound_step(s, x->size, &x->t_new);
    x->err = 0.0, x->err_root = NAN;
    ((clv_rk_state *)s->state)->dense_extra = 0;
    if (x->h == 0.0)
        finish(x, give_up(s, CLV_ERR_STEP_SIZE));
    else
        want_stage(s, x, 1);
}

/* the try has failed: st, or CLV_OK where it was too inaccurate */
static void try_again(clv_integrator *s, clv_rk_try *x, clv_status st)
{
    const bool fixed = s->options.step > 0.0;
    if (st != CLV_OK) {
        x->why = st;
        x->err = x->err > 1.0 ? x->err : INFINITY;
    }
    s->stats.rejected++;
    x->failures++;
    if (fixed || x->size <= x->smallest || x->failures > CLV_INTEGRATOR_FAILURES) {
        finish(x, give_up(s, x->why));
        return;
    }
    x->size = fmax(shrink(fabs(x->h), x->failures, x->err, tableau(s)->root), x->smallest);
    begin_try(s, x);
}

static void close_try(clv_integrator *s, clv_rk_try *x)
{
    clv_rk_state *m = s->state;
    const clv_status st = accept(s, x->h, x->t_new, &x->err);
    if (st != CLV_OK || x->err > 1.0) {
        try_again(s, x, st);
        return;
    }
    const double size = fabs(x->h), next = x->failures ? size : grow(size, x->err, x->err_root, tableau(s)->root);
    m->h = s->options.step > 0.0              ? x->size
           : size < (1 - 1e-9) * x->size ? fmax(next, x->size)
                                              : next; /* a cut step says nothing against its size */
    s->stats.next_step = m->h;
    finish(x, CLV_OK);
}

/* elsewhere: the last rates are not those of the new state */
static void look_or_close(clv_integrator *s, clv_rk_try *x, bool elsewhere)
{
    if (x->look && elsewhere)
        want(x, tableau(s)->columns, x->t_new, clv_rk_new_state(s), x->look);
    else
        close_try(s, x);
}

/* Is the try too inaccurate?  by_end: judged with the rates at its end. */
static bool misses(clv_integrator *s, clv_rk_try *x, bool by_end)
{
    if (s->options.step > 0.0 || tableau(s)->end_in_error != by_end)
        return false;
    if (x->abreast)
        x->err = x->error, x->err_root = x->error_root, s->worst = x->worst;
    else
        x->err = estimate(s, x->h);
    return x->err > 1.0;
}

/* rates at its end are there, where the rule has them */
static void end_try(clv_integrator *s, clv_rk_try *x)
{
    const clv_tableau *rk = tableau(s);
    const int own = rk->stages + (rk->end ? 1 : 0);
    if (misses(s, x, true)) {
        try_again(s, x, CLV_OK);
        return;
    }
    if (own < rk->columns && !((x->t_new - s->dense_from) * x->h < 0.0)) {
        ((clv_rk_state *)s->state)->dense_extra = 1;
        want_stage(s, x, own);
    } else
        look_or_close(s, x, !rk->end);
}

/* all stages are there */
static void arrive(clv_integrator *s, clv_rk_try *x)
{
    const clv_tableau *rk = tableau(s);
    if (!x->abreast) {
        const clv_combination b = combination(s, rk->b, rk->stages);
        clv_vector_advance(clv_rk_new_state(s), s->y, x->h, &b, s->ode.n);
    }
    if (misses(s, x, false)) {
        try_again(s, x, CLV_OK);
        return;
    }
    const clv_status st = s->ode.settle ? s->ode.settle(s->ode.owner, x->t_new, clv_rk_new_state(s)) : CLV_OK;
    if (st != CLV_OK)
        try_again(s, x, st);
    else if (rk->end)
        want(x, rk->stages, x->t_new, clv_rk_new_state(s), clv_rk_stage(s, rk->stages));
    else
        end_try(s, x);
}

void clv_rk_take(clv_integrator *s, clv_rk_try *x, clv_status st)
{
    const clv_tableau *rk = tableau(s);
    const int i = x->column;
    if (st != CLV_OK)
        try_again(s, x, st);
    else if (i == rk->stages - 1)
        arrive(s, x);
    else if (i == rk->stages && rk->end)
        end_try(s, x);
    else if (i < rk->stages || i + 1 < rk->columns)
        want_stage(s, x, i + 1);
    else
        look_or_close(s, x, i < rk->columns);
}

clv_rk_place clv_rk_place_of(const clv_integrator *s, const clv_rk_try *x)
{
    const clv_tableau *rk = tableau(s);
    return x->column == rk->columns             ? CLV_RK_LOOK
           : rk->end && x->column == rk->stages ? CLV_RK_END
                                                : CLV_RK_STAGE;
}

void clv_rk_open(clv_integrator *s, clv_rk_try *x, double *look, bool abreast)
{
    clv_rk_state *m = s->state;
    *x = (clv_rk_try){.why = CLV_ERR_STEP_SIZE, .look = look, .abreast = abreast};
    if (!s->fresh) {
        const clv_status st = clv_integrator_evaluate(s, s->t, s->y, s->f);
        if (st != CLV_OK) {
            finish(x, give_up(s, st));
            return;
        }
        s->fresh = true;
    }
    clv_team_copy(s->team, clv_rk_stage(s, 0), s->f, (size_t)s->ode.n);
    x->smallest = 16.0 * DBL_EPSILON * fabs(s->t);
    x->size = s->options.step > 0.0 ? s->options.step : fmax(m->h, x->smallest);
    begin_try(s, x);
}

clv_status clv_rk_step(clv_integrator *s)
{
    clv_rk_try x;
    for (clv_rk_open(s, &x, NULL, false); !x.over;)
        clv_rk_take(s, &x, clv_integrator_evaluate(s, x.t, x.y, x.ydot));
    return x.status;
}

/* T16.5: y(t_old + theta h) = y_old + h sum_i w_i(theta) k_i, with the polynomials of Hermite's cubic
 *   theta, theta(1 - theta), theta^2 (1 - theta), and of the tableau's rows theta^2 (1 - theta)^2,
 *   theta^3 (1 - theta)^2 .. */
void clv_rk_dense(const clv_integrator *s, double t, double *y)
{
    const clv_tableau *rk = tableau(s);
    const clv_rk_state *m = s->state;
    const double theta = (t - s->t_old) / m->h_last, rest = 1.0 - theta;
    const double p2 = theta * rest, p3 = theta * p2;
    const bool extra = rk->rows > 0 && (m->dense_extra || rk->columns == rk->stages + 1);
    const int columns = extra ? rk->columns : rk->stages + (rk->end ? 1 : 0);
    double w[CLV_RK_COLUMNS];
    for (int i = 0; i < columns; i++) {
        const double b = i < rk->stages ? rk->b[i] : 0.0, first = i == 0 ? 1.0 : 0.0, last = i == rk->slope ? 1.0 : 0.0;
        double p = p3;
        w[i] = b * theta + (first - b) * p2 + (2.0 * b - first - last) * p3;
        for (int j = 0; extra && j < rk->rows; j++) {
            p *= j % 2 == 0 ? rest : theta;
            w[i] += rk->d[j * rk->columns + i] * p;
        }
    }
    const clv_combination c = combination(s, w, columns);
    clv_vector_advance(y, s->y_old, m->h_last, &c, s->ode.n);
}
