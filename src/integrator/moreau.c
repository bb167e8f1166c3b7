/* SPDX-License-Identifier: Apache-2.0
 * Steps of Moreau and Jean, see moreau.h and T62.
 *
 *   q_m = q + h/2 u,   u_f = u + h u'(t + h/2, q_m, ..),   u_new = u_f + M^-1 J^T P
 *   q_new = q_m + h/2 u_new
 *
 * work: state in the middle, its rates, new state | directions and responses of the points | W, impulses, velocities,
 * laws */
#include "integrator/moreau.h"
#include "math/rotation.h"
#include <math.h>
#include <string.h>

enum { AXES = 3 };

typedef struct room {
    double *middle, *rates, *end; /* (n)                              */
    double *push, *answer;        /* (AXES touching x nu)             */
    double *W;                    /* (AXES touching)^2                */
    double *P, *u, *leave, *rub;  /* (AXES touching, same, touching, same) */
    size_t size;
} room;

static room room_of(const clv_integrator *s)
{
    const size_t n = clv_integrator_stride(s->ode.n), rows = AXES * (size_t)s->extra, each = rows * (size_t)s->ode.n;
    room r = {.middle = s->work};
    r.rates = r.middle + n, r.end = r.rates + n;
    r.push = r.end + n, r.answer = r.push + each;
    r.W = r.answer + each, r.P = r.W + rows * rows, r.u = r.P + rows;
    r.leave = r.u + rows, r.rub = r.leave + s->extra;
    return r;
}

void clv_moreau_layout(clv_integrator *s, clv_arena *a)
{
    clv_moreau_state *m;
    const size_t rows = AXES * (size_t)s->extra;
    s->nwork = 3 * clv_integrator_stride(s->ode.n) + 2 * rows * (size_t)s->ode.n + rows * rows + 2 * rows +
               2 * (size_t)s->extra;
    CLV_TAKE(a, m, 1);
    CLV_TAKE(a, s->work, s->nwork);
    s->state = m;
}

clv_status clv_moreau_begin(clv_integrator *s)
{
    memset(s->state, 0, sizeof(clv_moreau_state));
    memset(s->work, 0, s->nwork * sizeof *s->work);
    s->stats.order = s->method->order;
    s->stats.next_step = s->options.step;
    return CLV_OK;
}

/* q moved by the rates u over h: coordinates by adding, rotations by their exponential */
static void travel(const clv_mechanics *m, double *q, const double *from, const double *u, double h)
{
    for (int i = 0; i < m->nu; i++) {
        const int at = m->coordinate[i], k = -1 - at;
        if (at >= 0) {
            q[at] = from[at] + h * u[i];
            continue;
        }
        double phi[3], turn[4], e[4];
        for (int c = 0; c < 3; c++)
            phi[c] = h * u[i + c];
        clv_quat_exp(turn, phi);
        clv_quat_product(e, from + k, turn);
        memcpy(q + k, e, sizeof e);
        clv_quat_normalize(q + k);
        i += 2;
    }
}

/* end := rates at the end of the step without contacts, and the work of the step; two evaluations in the middle */
static clv_status swing(clv_integrator *s, const room *r, double t, double h)
{
    const clv_mechanics *m = s->ode.mechanics;
    const double *u = s->y + m->nq;
    double *mean = r->middle + m->nq, *last = r->end + m->nq;
    clv_status st = CLV_OK;
    travel(m, r->middle, s->y, u, 0.5 * h);
    memcpy(mean, u, (size_t)m->nu * sizeof *u);
    r->middle[s->ode.n - 1] = s->y[s->ode.n - 1];
    for (int pass = 0; pass < 2 && st == CLV_OK; pass++) {
        st = clv_integrator_evaluate(s, t + 0.5 * h, r->middle, r->rates);
        for (int i = 0; i < m->nu; i++) {
            last[i] = u[i] + h * r->rates[m->nq + i];
            mean[i] = 0.5 * (u[i] + last[i]);
        }
    }
    r->end[s->ode.n - 1] = s->y[s->ode.n - 1] + h * r->rates[s->ode.n - 1];
    return st;
}

static double along(const double *a, const double *b, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* directions, responses and laws of n points */
static clv_status set_up(clv_integrator *s, const room *r, double t, double h, int n)
{
    const clv_mechanics *m = s->ode.mechanics;
    const size_t nu = (size_t)m->nu;
    for (int i = 0; i < AXES * n; i++)
        m->push(m->owner, i / AXES, i % AXES, r->push + (size_t)i * nu);
    clv_status st = m->factor(m->owner, t + 0.5 * h, r->middle);
    for (int i = 0; i < AXES * n && st == CLV_OK; i++)
        st = m->respond(m->owner, r->push + (size_t)i * nu, r->answer + (size_t)i * nu);
    for (int i = 0; i < AXES * n && st == CLV_OK; i++) {
        for (int j = 0; j < AXES * n; j++)
            r->W[(size_t)i * (size_t)(AXES * n) + (size_t)j] =
                along(r->push + (size_t)i * nu, r->answer + (size_t)j * nu, m->nu);
        r->u[i] = along(r->push + (size_t)i * nu, r->end + m->nq, m->nu);
    }
    for (int k = 0; k < n; k++) {
        double bounce;
        m->law(m->owner, k, &bounce, &r->rub[k]);
        r->leave[k] = bounce * fmax(0, -along(r->push + (size_t)(AXES * k) * nu, s->y + m->nq, m->nu));
    }
    return st;
}

/* Rates and work at the end without impulses.  Loads and velocity terms act half a step at the rates before the
 * impulses, and half a step at those after them, as found so far. */
static clv_status swing_on(clv_integrator *s, const room *r, double t, double h, int n)
{
    const clv_mechanics *m = s->ode.mechanics;
    const size_t nu = (size_t)m->nu;
    const double *u = s->y + m->nq;
    double *rates = r->middle + m->nq, *last = r->end + m->nq, *work = &r->end[s->ode.n - 1];
    memcpy(rates, u, nu * sizeof *u);
    clv_status st = clv_integrator_evaluate(s, t + 0.5 * h, r->middle, r->rates);
    if (st != CLV_OK)
        return st;
    memcpy(rates, last, nu * sizeof *last);
    for (size_t i = 0; i < nu; i++)
        last[i] = u[i] + 0.5 * h * r->rates[(size_t)m->nq + i];
    *work = s->y[s->ode.n - 1] + 0.5 * h * r->rates[s->ode.n - 1];
    st = clv_integrator_evaluate(s, t + 0.5 * h, r->middle, r->rates);
    for (size_t i = 0; i < nu; i++)
        last[i] += 0.5 * h * r->rates[(size_t)m->nq + i];
    *work += 0.5 * h * r->rates[s->ode.n - 1];
    for (int i = 0; i < AXES * n; i++)
        r->u[i] = along(r->push + (size_t)i * nu, last, m->nu);
    return st;
}

/* The work of the impulses, along the mean of both rates, which is how positions move (T62.2): a body that rests takes
 * up none. */
static void account(clv_integrator *s, const room *r, int n)
{
    const clv_mechanics *m = s->ode.mechanics;
    double *mean = r->middle + m->nq;
    for (int i = 0; i < m->nu; i++)
        mean[i] = 0.5 * (s->y[m->nq + i] + r->end[m->nq + i]);
    for (int i = 0; i < AXES * n; i++)
        r->end[s->ode.n - 1] += r->P[i] * along(r->push + (size_t)i * (size_t)m->nu, mean, m->nu);
}

/* the impulses of n points change the rates at the end */
static clv_impulse_result strike(clv_integrator *s, const room *r, int n)
{
    const clv_mechanics *m = s->ode.mechanics;
    clv_moreau_state *state = s->state;
    double *u = r->end + m->nq;
    if (n != state->points)
        memset(r->P, 0, AXES * (size_t)n * sizeof *r->P);
    state->points = n;
    const clv_impulse_problem x = {n, r->W, r->u, r->leave, r->rub, r->P};
    const clv_impulse_result found = clv_impulses_find(&x);
    for (int i = 0; i < AXES * n; i++)
        for (int c = 0; c < m->nu; c++)
            u[c] += r->P[i] * r->answer[(size_t)i * (size_t)m->nu + (size_t)c];
    return found;
}

/* n points in contact: the end of the step, twice, since loads and velocity terms depend on the impulses */
static clv_status collide(clv_integrator *s, const room *r, double t, double h, int n)
{
    const clv_mechanics *m = s->ode.mechanics;
    clv_status st = set_up(s, r, t, h, n);
    if (st != CLV_OK)
        return st;
    const clv_impulse_result first = strike(s, r, n);
    st = swing_on(s, r, t, h, n);
    if (st != CLV_OK)
        return st;
    const clv_impulse_result last = strike(s, r, n);
    m->struck(m->owner, first.iterations + last.iterations, last.residual, last.limited);
    account(s, r, n);
    return CLV_OK;
}

static clv_status give_up(clv_integrator *s, clv_status why)
{
    s->stats.rejected++;
    s->t_old = s->failed_time = s->t;
    memcpy(s->y_old, s->y, (size_t)s->ode.n * sizeof(double));
    return why;
}

clv_status clv_moreau_step(clv_integrator *s)
{
    const clv_mechanics *m = s->ode.mechanics;
    const size_t bytes = (size_t)s->ode.n * sizeof(double);
    const room r = room_of(s);
    double t_new;
    int changed, n = 0;
    const double h = clv_integrator_bound_step(s, s->options.step, &t_new);
    clv_status st = swing(s, &r, s->t, h);
    if (st == CLV_OK && m->touching > 0)
        st = m->touch(m->owner, s->t + 0.5 * h, r.middle, &n);
    if (st == CLV_OK && n > 0)
        st = collide(s, &r, s->t, h, n);
    else
        ((clv_moreau_state *)s->state)->points = 0;
    travel(m, r.end, r.middle, r.end + m->nq, 0.5 * h);
    if (st == CLV_OK)
        st = clv_integrator_accept(s, t_new, r.end, &changed);
    if (st != CLV_OK)
        return give_up(s, st);
    memcpy(s->y_old, s->y, bytes);
    memcpy(s->y, r.end, bytes);
    s->fresh = false;
    s->t_old = s->t;
    s->t = t_new;
    s->stats.steps++;
    s->stats.last_step = h;
    return CLV_OK;
}

/* Without impulses the rates are linear; else those of the nearer end hold up to the middle. */
void clv_moreau_dense(const clv_integrator *s, double t, double *y)
{
    const clv_mechanics *m = s->ode.mechanics;
    const clv_moreau_state *state = s->state;
    const double h = s->t - s->t_old, x = (t - s->t_old) / h;
    if (state->points == 0) {
        for (int i = m->nq; i < s->ode.n; i++)
            y[i] = s->y_old[i] + 0.5 * x * (s->y[i] - s->y_old[i]);
        travel(m, y, s->y_old, y + m->nq, t - s->t_old);
        for (int i = m->nq; i < s->ode.n; i++)
            y[i] = s->y_old[i] + x * (s->y[i] - s->y_old[i]);
        return;
    }
    const bool late = fabs(t - s->t) < fabs(t - s->t_old);
    const double *from = late ? s->y : s->y_old;
    memcpy(y, from, (size_t)s->ode.n * sizeof *y);
    travel(m, y, from, from + m->nq, t - (late ? s->t : s->t_old));
}
