/* SPDX-License-Identifier: Apache-2.0
 * Steps of Moreau and Jean, see moreau.h and T62.
 *
 *   q_m = q + h/2 u,   u_f = u + h u'(t + h/2, q_m, ..),   u_new = u_f + M^-1 J^T P
 *   q_new = q_m + h/2 u_new
 *
 * Rates that impulses change are in order of components (mechanics.h). */
#include "integrator/moreau.h"
#include "math/rotation.h"
#include <math.h>
#include <string.h>

static const double SLIDES = 1e-6; /* of its normal velocity: a point that slides slower is at rest */
static const double PRESSED = 1e-6; /* m/s, and of the velocity across: rounding and loops are below */

/* What the method keeps.  `work` is what a saved state has: state in the middle, its rates, new state | last points */
typedef struct moreau {
    clv_moreau_state state; /* first: this alone is saved                                      */
    double *P, *leave;      /* (3 touching, touching)                                          */
    double *free, *rates;   /* (n) in order of components: without impulses, with them         */
    double *scratch;
    int *island;
} moreau;

typedef struct room {
    double *middle, *rates, *end; /* (n)        */
    clv_warm_point *warm;         /* (touching) */
} room;

static room room_of(const clv_integrator *s)
{
    const size_t n = clv_integrator_stride(s->ode.n);
    room r = {.middle = s->work};
    r.rates = r.middle + n, r.end = r.rates + n;
    r.warm = (clv_warm_point *)(void *)(r.end + n);
    return r;
}

void clv_moreau_layout(clv_integrator *s, clv_arena *a)
{
    moreau m = {.P = NULL}, *to;
    const int n = s->ode.n, points = s->extra;
    s->nwork = 3 * clv_integrator_stride(n) + (size_t)points * sizeof(clv_warm_point) / sizeof(double);
    CLV_TAKE(a, to, 1);
    CLV_TAKE(a, s->work, s->nwork);
    CLV_TAKE(a, m.P, 3 * points), CLV_TAKE(a, m.leave, points);
    CLV_TAKE(a, m.free, n), CLV_TAKE(a, m.rates, n);
    CLV_TAKE(a, m.scratch, clv_impulses_scratch(points));
    CLV_TAKE(a, m.island, clv_impulses_islands(points, n)); /* a component has a rate or more */
    if (to)
        *to = m;
    s->state = to;
}

const clv_warm_point *clv_moreau_points(const clv_integrator *s, int *n, double *step)
{
    const moreau *x = s->state;
    *n = x->state.points, *step = x->state.step;
    return room_of(s).warm;
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

/* velocity of a point along an axis, by rates in order of components; beside it what motions prescribe counts */
static double along(const clv_contact_set *set, int k, int axis, const double *rates)
{
    double sum = 0;
    for (int side = 0; side < 2; side++) {
        const clv_contact_part *p = &set->point[k].part[side];
        for (int i = 0; p->component >= 0 && i < p->n; i++)
            sum += set->J[p->at + (size_t)(axis * p->n + i)] * rates[p->first + i];
    }
    return sum;
}

/* order of components from order of the state */
static void gather(const clv_mechanics *m, const double *u, double *rates)
{
    for (int i = 0; i < m->nu; i++)
        rates[i] = u[m->component_rate[i]];
}

/* Bounds of dry points, by their rates at the beginning of the step, or by the mean of these and those found for its
 * end (T158).  Both in order of components; found may be NULL. */
static void bind(const clv_integrator *s, double h, const clv_contact_set *set, const double *begin,
                 const double *found)
{
    const clv_mechanics *m = s->ode.mechanics;
    for (int k = 0; k < set->n; k++) {
        const clv_contact_point *p = &set->point[k];
        if (!p->dry)
            continue;
        const double first = along(set, k, 0, begin) + p->before[0];
        const double last = found ? along(set, k, 0, found) + p->after[0] : first;
        m->bind(m->owner, k, h, 0.5 * (first + last));
    }
}

/* Least velocities of the points, from those before the impulses, and the first guess of the impulses.  Friction is
 * that at the beginning: the rates without impulses are not those of a joint that sticks. */
static void set_up(clv_integrator *s, const room *r, double h, const clv_contact_set *set)
{
    const clv_mechanics *m = s->ode.mechanics;
    const moreau *x = s->state;
    gather(m, s->y + m->nq, x->rates);
    bind(s, h, set, x->rates, NULL);
    for (int k = 0; k < set->n; k++) {
        const double comes = fmax(0, -(along(set, k, 0, x->rates) + set->point[k].before[0]));
        x->leave[k] = fmax(set->point[k].restitution * comes, fmin(comes, h * set->point[k].bend)); /* T148 */
    }
    clv_warm_guess(r->warm, x->state.points, x->state.points > 0 ? h / x->state.step : 0, set->point, set->n, x->P);
}

/* Rates and work at the end without impulses.  Loads and velocity terms act half a step at the rates before the
 * impulses, and half a step at those after them, as found so far. */
static clv_status swing_on(clv_integrator *s, const room *r, double t, double h)
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
    return st;
}

/* The work of the impulses, along the mean of both rates, which is how positions move (T62.2): a body that rests takes
 * up none. */
static void account(clv_integrator *s, const room *r, const clv_contact_set *set)
{
    const clv_mechanics *m = s->ode.mechanics;
    const moreau *x = s->state;
    for (int i = 0; i < m->nu; i++) {
        const int at = m->nq + m->component_rate[i];
        x->rates[i] = 0.5 * (s->y[at] + r->end[at]);
    }
    for (int k = 0; k < set->n; k++)
        for (int axis = 0; axis < 3; axis++)
            r->end[s->ode.n - 1] += x->P[3 * k + axis] * along(set, k, axis, x->rates);
}

/* tau (nu) += impulses of a point, along the rates that they move */
static void load(const clv_mechanics *m, const clv_contact_set *set, int k, const double *P, double *tau)
{
    for (int side = 0; side < 2; side++) {
        const clv_contact_part *p = &set->point[k].part[side];
        for (int i = 0; p->component >= 0 && i < 3 * p->n; i++)
            tau[m->component_rate[p->first + i % p->n]] += set->J[p->at + (size_t)i] * P[i / p->n];
    }
}

/* The work of motions that hold against the impulses (T154); the rates in the middle are no longer needed. */
static clv_status hold(clv_integrator *s, const room *r, double t, double h, const clv_contact_set *set)
{
    const clv_mechanics *m = s->ode.mechanics;
    const moreau *x = s->state;
    double *tau = r->middle + m->nq, work = 0;
    memset(tau, 0, (size_t)m->nu * sizeof *tau);
    for (int k = 0; k < set->n; k++)
        load(m, set, k, x->P + 3 * k, tau);
    const clv_status st = m->carry(m->owner, t, h, tau, &work);
    r->end[s->ode.n - 1] += work;
    return st;
}

/* the impulses change the rates at the end */
static clv_impulse_result strike(clv_integrator *s, const room *r, const clv_contact_set *set)
{
    const clv_mechanics *m = s->ode.mechanics;
    const moreau *x = s->state;
    double *u = r->end + m->nq;
    gather(m, u, x->free);
    memcpy(x->rates, x->free, (size_t)m->nu * sizeof *u);
    const clv_impulse_problem problem = {.points = set->n, .point = set->point, .J = set->J, .Y = set->Y,
                                         .leave = x->leave, .free = x->free, .rates = x->rates, .P = x->P,
                                         .components = m->components, .island = x->island, .scratch = x->scratch};
    const clv_impulse_result found = clv_impulses_find(&problem);
    for (int i = 0; i < m->nu; i++)
        u[m->component_rate[i]] = x->rates[i];
    return found;
}

static bool one_pair(const clv_contact_point *a, const clv_contact_point *b)
{
    return a->contact == b->contact && a->pair == b->pair;
}

/* 1 + contact of the first sliding point that friction presses into the surface (T117): a larger normal impulse, with
 * the friction that belongs to it, makes the point approach faster; 0: none does.  Of pairs with one point alone:
 * several hold each other. */
static int jam(const clv_integrator *s, const clv_contact_set *set)
{
    const moreau *x = s->state;
    for (int k = 0; k < set->n; k++) {
        const clv_contact_point *p = &set->point[k];
        const double v[2] = {along(set, k, 1, x->free) + p->after[1], along(set, k, 2, x->free) + p->after[2]},
                     slip = sqrt(v[0] * v[0] + v[1] * v[1]);
        const double across = slip > 0 ? (p->W[1] * v[0] + p->W[2] * v[1]) / slip : 0;
        const bool alone = (k == 0 || !one_pair(p, p - 1)) && (k + 1 == set->n || !one_pair(p, p + 1));
        if (alone && x->P[3 * k] > 0 && slip > SLIDES * fabs(along(set, k, 0, x->free) + p->after[0]) &&
            p->W[0] - p->friction * across < 0)
            return 1 + p->contact;
    }
    return 0;
}

/* The first point that still comes nearer although no impulse can change its velocity (T154.4); NULL: none does. */
static const clv_contact_point *pressed(const clv_integrator *s, const clv_contact_set *set)
{
    const moreau *x = s->state;
    for (int k = 0; k < set->n; k++) {
        const clv_contact_point *p = &set->point[k];
        double v[3];
        for (int axis = 0; axis < 3; axis++)
            v[axis] = along(set, k, axis, x->rates) + p->after[axis];
        if (!(p->W[0] > 0) && !p->dry && v[0] < -PRESSED * (1 + fabs(v[1]) + fabs(v[2])))
            return p;
    }
    return NULL;
}

/* points in contact: the end of the step, twice, since loads, velocity terms and friction depend on the impulses */
static clv_status collide(clv_integrator *s, const room *r, double t, double h, const clv_contact_set *set)
{
    const clv_mechanics *m = s->ode.mechanics;
    moreau *x = s->state;
    set_up(s, r, h, set);
    const clv_impulse_result first = strike(s, r, set);
    const clv_status st = swing_on(s, r, t, h);
    if (st != CLV_OK)
        return st;
    gather(m, s->y + m->nq, x->free);
    bind(s, h, set, x->free, x->rates);
    const clv_impulse_result last = strike(s, r, set);
    m->struck(m->owner, first.iterations + last.iterations, last.residual, last.limited, jam(s, set), t + 0.5 * h);
    account(s, r, set);
    clv_warm_keep(r->warm, set->point, set->n, x->P);
    const clv_contact_point *stuck = m->carry ? pressed(s, set) : NULL;
    if (stuck)
        return m->pressed(m->owner, stuck, t + h);
    return m->carry ? hold(s, r, t, h, set) : CLV_OK;
}

/* what dampers have done that were implicit in the step: their forces are those at its end (T118) */
static double damped(const clv_integrator *s, const room *r, double h)
{
    const clv_mechanics *m = s->ode.mechanics;
    const double *u = s->y + m->nq, *last = r->end + m->nq;
    double work = 0;
    for (int i = 0; i < m->nu; i++)
        work -= h * m->damping[i] * last[i] * 0.5 * (u[i] + last[i]);
    return work;
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
    int changed;
    clv_contact_set set = {0};
    moreau *x = s->state;
    const double h = clv_integrator_bound_step(s, s->options.step, &t_new);
    if (m->damping)
        m->ease(m->owner, h, s->y + m->nq);
    clv_status st = swing(s, &r, s->t, h);
    if (st == CLV_OK && m->touching > 0)
        st = m->touch(m->owner, s->t, h, r.middle, &set);
    if (st == CLV_OK && set.n > 0)
        st = collide(s, &r, s->t, h, &set);
    if (m->damping)
        m->ease(m->owner, h, NULL), r.end[s->ode.n - 1] += damped(s, &r, h);
    x->state.points = set.n, x->state.step = h;
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
    const moreau *of = s->state;
    const double h = s->t - s->t_old, x = (t - s->t_old) / h;
    if (of->state.points == 0) {
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
