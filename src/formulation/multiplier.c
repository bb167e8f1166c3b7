/* SPDX-License-Identifier: Apache-2.0
 * Penalty on the engine's rows and the corrections of an augmented Lagrangian; see multiplier.h (T23). */
#include "formulation/multiplier.h"
#include "math/spatial.h"
#include <math.h>
#include <string.h>

static void take(clv_direction *d, const clv_plan *p, clv_arena *a)
{
    CLV_TAKE(a, d->dx, 6 * p->nbody), CLV_TAKE(a, d->du, p->nu);
    CLV_TAKE(a, d->sigma, p->nsigma), CLV_TAKE(a, d->rows, p->nclosing_row);
}

void clv_multiplier_layout(clv_multiplier *m, const clv_plan *p, clv_arena *a)
{
    take(&m->g, p, a), take(&m->p, p, a);
    CLV_TAKE(a, m->r, p->nclosing_row);
    CLV_TAKE(a, m->dx, 6 * p->nbody), CLV_TAKE(a, m->du, p->nu), CLV_TAKE(a, m->zero, 6 * p->nbody);
    CLV_TAKE(a, m->q, p->nq), CLV_TAKE(a, m->alpha, p->nsigma);
}

void clv_multiplier_penalties(const clv_system *s, clv_multiplier *m, double alpha, bool absolute)
{
    m->absolute = absolute;
    for (int k = 0; k < s->plan->nedge; k++) {
        const clv_edge *e = &s->plan->edge[k];
        const clv_joint *own = clv_system_joint(s, e);
        for (int r = 0; r < e->m; r++)
            m->alpha[e->row + r] = own ? clv_given(own->more->alpha, alpha) : alpha;
    }
}

/* eps of all rows */
static void set_penalty(clv_engine *e, const clv_multiplier *m)
{
    for (int i = 0; i < e->plan->nsigma; i++)
        e->eps[i] = (m->absolute ? 1.0 : e->scale[i] * e->scale[i]) / m->alpha[i];
}

static void clear_penalty(clv_engine *e)
{
    memset(e->eps, 0, (size_t)e->plan->nsigma * sizeof *e->eps);
}

clv_status clv_multiplier_place(clv_system *s, clv_multiplier *m, double t, const double *q)
{
    clv_engine *e = &s->engine;
    size_t bytes = (size_t)s->plan->nq * sizeof(double);
    clv_status st = clv_system_pose(s, t, q);
    if (st != CLV_OK)
        return st;
    s->truncated = 0;
    if (m->t == t && m->factor == e->factors && memcmp(m->q, q, bytes) == 0)
        return CLV_OK;
    double rank = e->rank;
    e->rank = 0; /* redundant rows share their penalty: no rank decision */
    set_penalty(e, m);
    m->t = NAN;
    st = clv_system_factor(s);
    clear_penalty(e);
    e->rank = rank;
    if (st == CLV_OK) {
        m->t = t, m->factor = e->factors;
        memcpy(m->q, q, bytes);
    }
    return st;
}

void clv_multiplier_solve(clv_system *s, const clv_multiplier *m, double *x, double *u, const double *b,
                          const double *tau, const double *c, const double *a)
{
    clv_engine *e = &s->engine;
    if (e->nextended == 0) { /* the iteration itself refines the rows */
        clv_engine_pass(e, x, u, b, tau, c, a);
        return;
    }
    set_penalty(e, m);
    clv_engine_solve(e, x, u, b, tau, c, a);
    clear_penalty(e);
}

void clv_multiplier_correct(clv_system *s, const clv_multiplier *m)
{
    clv_multiplier_solve(s, m, m->dx, m->du, m->zero, NULL, NULL, m->r);
}

double clv_multiplier_lost(clv_system *s, const clv_multiplier *m)
{
    const clv_engine *e = &s->engine;
    double alpha = INFINITY, off = 0;
    if (!s->repeated)
        return 0;
    if (s->bodies)
        clv_row_bodies_violation(s->bodies, false, m->r);
    else
        clv_kinematics_violation(&s->kin, m->r);
    for (int k = 0; k < s->plan->nedge; k++)
        for (int i = 0; i < s->plan->edge[k].m; i++)
            off = fmax(off, fabs(m->r[s->plan->edge[k].row + i]) / clv_system_row_size(s, k, i, s->size));
    for (int i = 0; i < e->plan->nsigma; i++)
        alpha = fmin(alpha, m->absolute && e->scale[i] > 0 ? m->alpha[i] * e->scale[i] * e->scale[i] : m->alpha[i]);
    const double kept = alpha * fmin(e->rank / 3, 1e4 * off * off); /* at most near the threshold of ranks */
    return fmin(0.1, kept / (1 + kept));
}

bool clv_multiplier_goes_on(clv_stage *stage, double change, double tolerance, int limit)
{
    bool first = stage->iterations++ == 0, smaller = first || change < stage->change;
    stage->change = change;
    if (!(change > tolerance))
        return false;
    stage->stalled = !smaller, stage->limited = smaller && stage->iterations >= limit;
    return !stage->stalled && !stage->limited;
}

void clv_multiplier_missed(const clv_engine *e, double *r, const double *a, const double *x)
{
    const clv_plan *p = e->plan;
    for (int k = 0; k < p->nedge; k++) {
        const clv_edge *edge = &p->edge[k];
        for (int j = 0; j < edge->m; j++) {
            double t = a[edge->row + j];
            for (int h = 0; h < edge->nhandle; h++)
                t -= clv_dot6(e->block + edge->block[h] + 6 * j, x + 6 * (size_t)edge->body[h]);
            r[edge->row + j] = t;
        }
    }
}

double clv_multiplier_largest(const double *v, int n)
{
    double m = 0;
    for (int i = 0; i < n; i++)
        m = fabs(v[i]) > m || isnan(v[i]) ? fabs(v[i]) : m;
    return m;
}
