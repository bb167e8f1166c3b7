/* SPDX-License-Identifier: Apache-2.0
 * The table of integrators and what they share: layout, start, error norm, first step, bounds of a step, saving.
 * Called by the simulation's step loop; methods are runge_kutta.c (theory T16), adams.c (T17),
 * variational.c (T34), embedded.c (T25), moreau.c (T62) and bdf.c or bdf_absent.c (T21).
 *
 * First step: Hairer, Norsett, Wanner, Solving ODEs I, II.4.  Norm: Shampine, Reichelt, The MATLAB ODE Suite,
 * SIAM J. Sci. Comput. 18 (1997) 1-22, with a threshold per state.  All sums and maxima run in index order. */
#include "math/root.h"
#include "integrator/integrator.h"
#include "integrator/adams.h"
#include "integrator/bdf.h"
#include "integrator/embedded.h"
#include "integrator/moreau.h"
#include "integrator/runge_kutta.h"
#include "integrator/variational.h"
#include "integrator/vector.h"
#include <float.h>
#include <math.h>
#include <string.h>

static const double NEXT_TO_ROUNDING = 160; /* eps t: ten times the least step of an adaptive method           */
static const double SHORTEST = 1e-18;       /* s; near t = 0, where that is no bound                            */
enum { STALLED = 1000 };                    /* steps in a row that are no longer than these and end a run       */

/* ------------------------------------------------------------------ table */

static const clv_method methods[] = {
    {"dopri5", "Dormand-Prince 5(4), as ode45", 5, false, .data = &clv_tableau_dopri5, CLV_RK_METHOD},
    {"bs23", "Bogacki-Shampine 3(2), as ode23", 3, false, .data = &clv_tableau_bs23, CLV_RK_METHOD},
    {"dop853", "Dormand-Prince 8(5,3), for tight tolerances", 8, false, .data = &clv_tableau_dop853, CLV_RK_METHOD},
    {"rk4", "classical Runge-Kutta, fixed step", 4, true, .data = &clv_tableau_rk4, CLV_RK_METHOD},
    {"adams", "Adams-Bashforth-Moulton of order 1 to 12, as ode113", 12, false, .multistep = true, CLV_ADAMS_METHOD},
    {"midpoint", "variational midpoint rule, symplectic, fixed step", 2, true, .data = &clv_gauss1,
     CLV_VARIATIONAL_METHOD},
    {"gauss4", "variational Gauss rule of order 4, symplectic, fixed step", 4, true, .data = &clv_gauss2,
     CLV_VARIATIONAL_METHOD},
    {"gauss6", "variational Gauss rule of order 6, symplectic, fixed step", 6, true, .data = &clv_gauss3,
     CLV_VARIATIONAL_METHOD},
    {"trapezoidal", "the trapezoidal rule inside index3, fixed step", 2, true, CLV_EMBEDDED_METHOD},
    {"generalized-alpha", "generalized-alpha (rho) inside index3, fixed step", 2, true, CLV_EMBEDDED_METHOD},
    {"moreau", "Moreau and Jean, for rigid contacts, with dca, fixed step", 2, true, CLV_MOREAU_METHOD},
};
enum { METHODS = sizeof methods / sizeof methods[0] };

const clv_method *clv_method_at(int i)
{
    return i >= 0 && i < METHODS ? &methods[i] : i == METHODS ? &clv_bdf_method : NULL;
}

const clv_method *clv_method_find(const char *name)
{
    for (int i = 0; name && clv_method_at(i); i++)
        if (strcmp(clv_method_at(i)->name, name) == 0)
            return clv_method_at(i);
    return NULL;
}

/* ------------------------------------------------------------------ layout and start */

size_t clv_integrator_stride(int n)
{
    return ((size_t)n + 7) & ~(size_t)7;
}

void clv_integrator_layout(clv_integrator *s, const clv_method *m, int n, int extra, clv_arena *a)
{
    *s = (clv_integrator){.method = m, .ode.n = n, .extra = extra};
    CLV_TAKE(a, s->y, n);     /* (n) */
    CLV_TAKE(a, s->y_old, n); /* (n) */
    CLV_TAKE(a, s->f, n);     /* (n) */
    m->layout(s, a);
}

static clv_status check_options(const clv_integrator *s)
{
    const clv_integrator_options *o = &s->options;
    const bool tolerant = o->rtol >= 0.0 && o->atol >= 0.0 && o->rtol + o->atol > 0.0;
    const bool fixed = o->step > 0.0;
    if (s->method->asks == CLV_ASK_MECHANICS && (!s->ode.mechanics || s->ode.mechanics->rows != s->extra))
        return CLV_ERR_UNSUPPORTED;
    if (s->method->asks == CLV_ASK_RESPONSE && (!s->ode.mechanics || s->ode.mechanics->touching != s->extra))
        return CLV_ERR_UNSUPPORTED;
    if (s->method->asks == CLV_ASK_STEP && !s->ode.step)
        return CLV_ERR_UNSUPPORTED;
    if (s->method->absent || (s->method->most && s->ode.n > s->method->most))
        return CLV_ERR_UNSUPPORTED;
    if (!(o->step >= 0.0) || !(o->max_step >= 0.0) || !(o->first_step >= 0.0) || (!fixed && !tolerant))
        return CLV_ERR_USAGE;
    return s->method->fixed_only && !fixed ? CLV_ERR_USAGE : CLV_OK;
}

clv_status clv_integrator_begin(clv_integrator *s, const clv_ode *ode, const clv_integrator_options *o, double t,
                                const double *y)
{
    if (ode->n != s->ode.n)
        return CLV_ERR_USAGE;
    s->ode = *ode;
    s->options = *o;
    s->stats = (clv_integrator_stats){0};
    s->dense_from = s->stop = NAN;
    s->worst = -1;
    s->used = 0.0;
    const clv_status st = check_options(s);
    return st == CLV_OK ? clv_integrator_restart(s, t, y) : st;
}

clv_status clv_integrator_restart(clv_integrator *s, double t, const double *y)
{
    s->t = s->t_old = t;
    memmove(s->y, y, (size_t)s->ode.n * sizeof *y);
    memcpy(s->y_old, s->y, (size_t)s->ode.n * sizeof *y);
    s->fresh = false;
    s->failed_time = NAN;
    s->stats.tiny = 0;
    if (!isfinite(t) || !clv_vector_finite(s->team, s->y, s->ode.n))
        return CLV_ERR_NOT_FINITE;
    clv_status st = clv_integrator_evaluate(s, t, s->y, s->f);
    if (st != CLV_OK)
        return st;
    s->fresh = true;
    return s->method->begin(s);
}

clv_status clv_integrator_jump(clv_integrator *s, double t, const double *y)
{
    s->used = s->stats.steps > 0 ? s->stats.next_step : 0.0;
    s->jumping = true;
    const clv_status st = clv_integrator_restart(s, t, y);
    s->jumping = false;
    s->used = 0.0;
    return st;
}

void clv_integrator_destroy(clv_integrator *s)
{
    if (s->state && s->method->destroy)
        s->method->destroy(s);
}

clv_status clv_integrator_step(clv_integrator *s)
{
    if (s->t == s->options.direction_end) {
        s->t_old = s->t;
        memcpy(s->y_old, s->y, (size_t)s->ode.n * sizeof *s->y);
        return CLV_OK;
    }
    const double before = s->t;
    const clv_status st = s->method->step(s);
    return st == CLV_OK ? clv_integrator_advances(s, before) : st;
}

/* Error control of a step at the least size holds by rounding alone, now and then: such a run never ends (T16). */
clv_status clv_integrator_advances(clv_integrator *s, double before)
{
    const double least = fmax(NEXT_TO_ROUNDING * DBL_EPSILON * fabs(s->t), SHORTEST);
    if (s->t == before)
        return CLV_ERR_STEP_SIZE;
    if (s->options.step > 0.0 || s->stats.next_step > least)
        s->stats.tiny = 0;
    else if (++s->stats.tiny >= STALLED)
        return CLV_ERR_STEP_SIZE;
    return CLV_OK;
}

void clv_integrator_dense(const clv_integrator *s, double time, double *y)
{
    const double *at = time == s->t ? s->y : time == s->t_old || s->t == s->t_old ? s->y_old : NULL;
    if (at)
        memcpy(y, at, (size_t)s->ode.n * sizeof *y);
    else
        s->method->dense(s, time, y);
}

/* ------------------------------------------------------------------ for methods */

double clv_integrator_largest(const clv_integrator *s, double x)
{
    return s->ode.largest ? s->ode.largest(s->ode.owner, x) : x;
}

static bool finite(const clv_integrator *s, const double *y)
{
    return !(clv_integrator_largest(s, clv_vector_finite(s->team, y, s->ode.n) ? 0.0 : 1.0) > 0.0);
}

clv_status clv_integrator_evaluate(clv_integrator *s, double t, const double *y, double *ydot)
{
    s->stats.evaluations++;
    clv_status st = s->ode.rates(s->ode.owner, t, y, ydot);
    if (st == CLV_OK && !s->ode.largest && !clv_vector_finite(s->team, ydot, s->ode.n))
        st = CLV_ERR_NOT_FINITE;
    if (st != CLV_OK)
        s->failed_time = t;
    return st;
}

clv_status clv_integrator_accept(clv_integrator *s, double t, double *y, int *changed)
{
    *changed = 0;
    clv_status st = s->ode.largest || clv_vector_finite(s->team, y, s->ode.n) ? CLV_OK : CLV_ERR_NOT_FINITE;
    if (st == CLV_OK && s->ode.accepted) {
        st = s->ode.accepted(s->ode.owner, t, y, changed);
        if (st == CLV_OK && *changed && !s->ode.largest && !clv_vector_finite(s->team, y, s->ode.n))
            st = CLV_ERR_NOT_FINITE;
    }
    if (st != CLV_OK)
        s->failed_time = t;
    return st;
}

double clv_integrator_direction(const clv_integrator *s)
{
    return s->options.direction_end < s->t ? -1.0 : 1.0;
}

void clv_integrator_visible(const clv_integrator *s, double *e)
{
    if (s->ode.visible)
        s->ode.visible(s->ode.owner, e);
}

clv_error_norm clv_integrator_norm_at(const clv_integrator *s, const double *y, const double *y_new)
{
    return (clv_error_norm){.rtol = s->options.rtol, .atol = s->options.atol, .scale = s->ode.scale,
                            .bound = s->ode.bound, .y = y, .y_new = y_new};
}

double clv_integrator_norm(const clv_integrator *s, const double *e, const double *y, const double *y_new)
{
    clv_error_norm norm = clv_integrator_norm_at(s, y, y_new);
    clv_error_norm_add(&norm, e, 0, s->ode.n);
    return clv_integrator_largest(s, norm.value);
}

double clv_integrator_bound(const clv_integrator *s)
{
    const double end = s->options.direction_end, way = clv_integrator_direction(s), ahead = way * (s->stop - s->t);
    return ahead > 0.0 && !(way * (end - s->t) <= ahead) ? s->stop : end;
}

/* t + h; times that are multiples of h stay so without rounding adding up: 2000 steps of 1 ms from 0 end at 2 s */
static double next_on_grid(double t, double h)
{
    const double n = round(t / h), nearest = n * h;
    return fabs(t - nearest) <= 1e-6 * fabs(h) ? (n + 1.0) * h : t + h;
}

double clv_integrator_bound_step(const clv_integrator *s, double h, double *t_new)
{
    const clv_integrator_options *o = &s->options;
    const double limit = clv_integrator_bound(s), left = isnan(limit) ? INFINITY : fabs(limit - s->t);
    const bool fixed = o->step > 0.0, stops = limit != o->direction_end;
    if (!fixed && o->max_step > 0.0 && h > o->max_step)
        h = o->max_step;
    if (left <= (fixed && !stops ? 1.0 + 1e-6 : 1.1) * h) {
        *t_new = limit;
        if (fixed || !(o->max_step > 0.0) || left <= o->max_step)
            return *t_new - s->t;
        h = 0.5 * left;
    } else if (fixed && stops && left < (2.0 - 1e-6) * h)
        h = 0.5 * left; /* no sliver is left before a stop */
    *t_new = fixed && h == o->step ? next_on_grid(s->t, clv_integrator_direction(s) * h)
                                   : s->t + clv_integrator_direction(s) * h;
    return *t_new - s->t; /* exact, so that time does not drift away from the state */
}

/* h with h^(order+1) |y''| / 2 at most 1/2 in the norm, not beyond `most`; y'' from a thousandth of it by Euler */
static double first_order_step(clv_integrator *s, int order, double most, double *y1, double *f1)
{
    double t1;
    const double h = clv_integrator_bound_step(s, 1e-3 * most, &t1);
    for (int i = 0; i < s->ode.n; i++)
        y1[i] = s->y[i] + h * s->f[i];
    if (!finite(s, y1) || clv_integrator_evaluate(s, t1, y1, f1) != CLV_OK)
        return 1e-3 * most;
    for (int i = 0; i < s->ode.n; i++)
        f1[i] -= s->f[i];
    const double curve = clv_integrator_norm(s, f1, s->y, s->y) / fabs(h);
    return curve > 0.0 ? fmin(most, clv_root(1.0 / curve, order + 1)) : most;
}

double clv_integrator_first_step(clv_integrator *s, int order, double *y1, double *f1)
{
    const int n = s->ode.n;
    const double direction = clv_integrator_direction(s);
    if (s->options.first_step > 0.0)
        return s->options.first_step;
    if (s->used > 0.0)
        return s->method->multistep ? first_order_step(s, order, s->used, y1, f1) : s->used;
    const double d0 = clv_integrator_norm(s, s->y, s->y, s->y), d1 = clv_integrator_norm(s, s->f, s->y, s->y);
    double t1, h0 = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1;
    h0 = fabs(clv_integrator_bound_step(s, h0, &t1));
    for (int tries = 0; tries < 10; tries++, h0 *= 0.1) { /* Euler's step, shortened while it leads nowhere */
        for (int i = 0; i < n; i++)
            y1[i] = s->y[i] + direction * h0 * s->f[i];
        if (!finite(s, y1) || clv_integrator_evaluate(s, s->t + direction * h0, y1, f1) != CLV_OK)
            continue;
        for (int i = 0; i < n; i++)
            f1[i] -= s->f[i];
        const double slope = fmax(d1, clv_integrator_norm(s, f1, s->y, s->y) / h0);
        const double h1 = slope <= 1e-15 ? fmax(1e-6, 1e-3 * h0) : clv_root(0.01 / slope, order + 1);
        return h1 > 0.0 ? fmin(100.0 * h0, h1) : h0;
    }
    return h0;
}

/* ------------------------------------------------------------------ saving */

typedef struct saved {
    double t, t_old, failed_time;
    clv_integrator_stats stats;
    bool fresh;
} saved;

size_t clv_integrator_saved_size(const clv_integrator *s)
{
    const size_t numbers = 3 * (size_t)s->ode.n + s->nwork;
    return s->method->sealed ? 0 : sizeof(saved) + s->method->state_size + numbers * sizeof(double);
}

static char *put(char *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
    return to + bytes;
}

static const char *get(const char *from, void *to, size_t bytes)
{
    memcpy(to, from, bytes);
    return from + bytes;
}

void clv_integrator_save(const clv_integrator *s, void *bytes)
{
    const size_t vector = (size_t)s->ode.n * sizeof(double);
    saved h;
    memset(&h, 0, sizeof h); /* padding too: the same run has the same bytes */
    h.t = s->t, h.t_old = s->t_old, h.failed_time = s->failed_time;
    h.stats.steps = s->stats.steps, h.stats.rejected = s->stats.rejected, h.stats.evaluations = s->stats.evaluations;
    h.stats.last_step = s->stats.last_step, h.stats.next_step = s->stats.next_step, h.stats.order = s->stats.order;
    h.stats.tiny = s->stats.tiny;
    h.fresh = s->fresh;
    char *p = put(bytes, &h, sizeof h);
    p = put(p, s->y, vector);
    p = put(p, s->y_old, vector);
    p = put(p, s->f, vector);
    p = put(p, s->state, s->method->state_size);
    put(p, s->work, s->nwork * sizeof(double));
}

void clv_integrator_load(clv_integrator *s, const void *bytes)
{
    const size_t vector = (size_t)s->ode.n * sizeof(double);
    saved h;
    const char *p = get(bytes, &h, sizeof h);
    s->t = h.t, s->t_old = h.t_old, s->failed_time = h.failed_time, s->stats = h.stats, s->fresh = h.fresh;
    p = get(p, s->y, vector);
    p = get(p, s->y_old, vector);
    p = get(p, s->f, vector);
    p = get(p, s->state, s->method->state_size);
    get(p, s->work, s->nwork * sizeof(double));
}
