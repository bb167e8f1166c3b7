/* SPDX-License-Identifier: Apache-2.0
 * Takes extra inertia out of a solution (T5).  With E the extra inertia and P the problem that has it, the true motion
 * obeys x = P^-1 (b + E x).  In z = E^(1/2) x of the extended bodies this is (1 - C) z = z_0, C = E^(1/2) P^-1 E^(1/2):
 * symmetric, 0 <= C < 1 unless a motion has no inertia at all.  Conjugate gradients need one pass an iteration, and no
 * more of them than C has distinct eigenvalues: a body near a gimbal lock costs an iteration, not accuracy.
 *
 *   q = (1 - C) p,   alpha = r^T r / p^T q,   z := z + alpha p,   r := r - alpha q,   p := r + (r^T r / before) p
 *
 * A direction with p^T q = 0 moves no true inertia.  If a load acts along it the problem has no solution, and the body
 * that moves most in it is named. */
#include <math.h>
#include <string.h>
#include "base/tolerance.h"
#include "engine/extra.h"

/* E^(1/2): extra mass for the three translations of an extended body, extra inertia for its three turns */
static double root_of(const clv_engine *e, int i)
{
    return sqrt(e->extra[2 * e->extended[i / 6] + (i % 6 >= 3)]);
}

/* a . b of n numbers, in index order */
static double dot(const double *a, const double *b, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* a pass of E^(1/2) p, and y = E^(1/2) x of it; returns p.(1 - C) p */
static double apply(clv_engine *e, const clv_extra_passes *by, const double *p, double *y, int n)
{
    double sum = 0;
    /* C p = E^(1/2) P^-1 E^(1/2) p */
    for (int i = 0; i < n; i++)
        y[i] = root_of(e, i) * p[i];
    by->pass(by->owner, y);
    by->answer(by->owner, y);
    for (int i = 0; i < n; i++) {
        y[i] *= root_of(e, i);
        sum += p[i] * (p[i] - y[i]);
    }
    return sum;
}

void clv_extra_pass(void *owner, const double *load)
{
    clv_engine *e = owner;
    memset(e->fix_b, 0, 6 * (size_t)e->plan->nbody * sizeof(double));
    for (int i = 0; i < 6 * e->nextended; i++)
        e->fix_b[6 * (size_t)e->extended[i / 6] + (size_t)(i % 6)] = load[i];
    clv_engine_pass(e, e->fix_x, e->fix_u, e->fix_b, NULL, NULL, NULL);
}

void clv_extra_answer_of(void *owner, double *motion)
{
    const clv_engine *e = owner;
    for (int i = 0; i < 6 * e->nextended; i++)
        motion[i] = e->fix_x[6 * (size_t)e->extended[i / 6] + (size_t)(i % 6)];
}

/* the body that moves most in the direction p */
static int loosest(const clv_engine *e, const double *p, int n)
{
    int best = 0;
    for (int i = 1; i < n; i++)
        if (fabs(p[i]) > fabs(p[best]))
            best = i;
    return e->extended[best / 6];
}

/* Conjugate gradients on (1 - C) z = z_0: z starts at what is kept, r is the residual C z_0 or that of a change. */
double clv_extra_remove(clv_engine *e, const clv_extra_passes *by, const double *d, double tolerance, double load)
{
    int n = 6 * e->nextended, limit = n < 60 ? n + 4 : 64;
    double *r = e->conjugate, *p = r + n, *y = p + n, most = 0; /* residual, direction, (C p) */
    for (int i = 0; i < n; i++)
        p[i] = r[i] = root_of(e, i) * d[i];
    /* exact after as many iterations as C has distinct eigenvalues; a few more for rounding, 64 at most */
    double rr = dot(r, r, n), start = rr;
    for (int k = 0; k < limit && rr > tolerance * tolerance * start; k++) {
        double pp = dot(p, p, n), left = apply(e, by, p, y, n);
        if (!(left > CLV_TOL_NO_INERTIA * pp)) { /* the last pass; is it loaded?  r.p = r.r is its power */
            e->loose = true;
            if (!(rr <= CLV_TOL_LOADED * load * by->largest(by->owner)))
                e->loose_body = loosest(e, p, n), most = -1;
            break;
        }
        double alpha = rr / left, before = rr; /* left = p.(1 - C) p */
        /* the pass of the direction is at hand: added to the solution as it is */
        most = fmax(most, by->add(by->owner, alpha));
        for (int i = 0; i < n; i++)
            r[i] -= alpha * (p[i] - y[i]);
        rr = dot(r, r, n);
        for (int i = 0; i < n; i++)
            p[i] = r[i] + rr / before * p[i];
    }
    return most;
}

/* Conjugate gradients from a residual that has a part in every direction end in one without inertia if there is one. */
bool clv_extra_loose(clv_engine *e)
{
    int n = 6 * e->nextended, limit = n < 60 ? n + 4 : 64;
    double *r = e->conjugate, *p = r + n, *y = p + n;
    const clv_extra_passes by = {.owner = e, .pass = clv_extra_pass, .answer = clv_extra_answer_of};
    for (int i = 0; i < n; i++)
        p[i] = r[i] = (i % 2 ? -1 : 1) * (1 /* no component is zero, no two are alike */ + 0.37 * (i % 7) + 0.011 * i);
    double rr = dot(r, r, n), start = rr;
    for (int k = 0; k < limit && rr > CLV_TOL_EXTRA * CLV_TOL_EXTRA * start; k++) {
        double pp = dot(p, p, n), left = apply(e, &by, p, y, n);
        if (!(left > CLV_TOL_NO_INERTIA * pp))
            return true;
        double alpha = rr / left, before = rr;
        for (int i = 0; i < n; i++)
            r[i] -= alpha * (p[i] - y[i]);
        rr = dot(r, r, n);
        for (int i = 0; i < n; i++)
            p[i] = r[i] + rr / before * p[i];
    }
    return false;
}
