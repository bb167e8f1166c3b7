/* SPDX-License-Identifier: Apache-2.0
 * Takes extra inertia out of a solution (T5).  With E the extra inertia and P the problem that has it, the true motion
 * obeys x = P^-1 (b + E x).  In z = E^(1/2) x of the extended bodies this is (1 - C) z = z_0, C = E^(1/2) P^-1 E^(1/2):
 * symmetric, 0 <= C < 1 unless a motion has no inertia at all.  Conjugate gradients need one pass an iteration, and no
 * more of them than C has distinct eigenvalues: a body near a gimbal lock costs an iteration, not accuracy. */
#include <math.h>
#include <string.h>
#include "engine/extra.h"

static double root_of(const clv_engine *e, int i)
{
    return sqrt(e->extra[2 * e->extended[i / 6] + (i % 6 >= 3)]);
}

static double dot(const double *a, const double *b, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static double largest(const double *v, int n)
{
    double m = 0;
    for (int i = 0; i < n; i++)
        m = fmax(m, fabs(v[i]));
    return m;
}

/* fix_x, fix_u, e->sigma = P^-1 E^(1/2) p; returns p.(1 - C) p */
static double apply(clv_engine *e, const double *p, int n)
{
    double sum = 0;
    memset(e->fix_b, 0, 6 * (size_t)e->plan->nbody * sizeof(double));
    for (int i = 0; i < n; i++)
        e->fix_b[6 * (size_t)e->extended[i / 6] + (size_t)(i % 6)] = root_of(e, i) * p[i];
    clv_engine_pass(e, e->fix_x, e->fix_u, e->fix_b, NULL, NULL, NULL);
    for (int i = 0; i < n; i++)
        sum += p[i] * (p[i] - root_of(e, i) * e->fix_x[6 * (size_t)e->extended[i / 6] + (size_t)(i % 6)]);
    return sum;
}

/* adds alpha times the last pass; returns the largest change of x */
static double advance(clv_engine *e, double alpha, double *x, double *u)
{
    const clv_plan *p = e->plan;
    double most = 0;
    for (int i = 0; i < 6 * p->nbody; i++) {
        x[i] += alpha * e->fix_x[i];
        most = fmax(most, fabs(alpha * e->fix_x[i]));
    }
    for (int i = 0; i < p->nu; i++)
        u[i] += alpha * e->fix_u[i];
    for (int i = 0; i < p->nsigma; i++)
        e->fix_sigma[i] += alpha * e->sigma[i];
    return most;
}

static int loosest(const clv_engine *e, const double *p, int n)
{
    int best = 0;
    for (int i = 1; i < n; i++)
        if (fabs(p[i]) > fabs(p[best]))
            best = i;
    return e->extended[best / 6];
}

double clv_extra_remove(clv_engine *e, double *x, double *u, const double *d, double tolerance, double load)
{
    int n = 6 * e->nextended, limit = n < 60 ? n + 4 : 64;
    double *r = e->conjugate, *p = r + n, most = 0;
    for (int i = 0; i < n; i++)
        p[i] = r[i] = root_of(e, i) * d[6 * (size_t)e->extended[i / 6] + (size_t)(i % 6)];
    double rr = dot(r, r, n), start = rr;
    memcpy(e->fix_sigma, e->sigma, (size_t)e->plan->nsigma * sizeof(double));
    for (int k = 0; k < limit && rr > tolerance * tolerance * start; k++) {
        double pp = dot(p, p, n), left = apply(e, p, n);
        if (!(left > 1e-11 * pp)) { /* a motion of no inertia, fix_x: is it loaded?  r.p = r.r is the power */
            e->loose = true;
            if (!(rr <= 1e-9 * load * largest(e->fix_x, 6 * e->plan->nbody)))
                e->loose_body = loosest(e, p, n), most = -1;
            break;
        }
        double alpha = rr / left, before = rr;
        most = fmax(most, advance(e, alpha, x, u));
        for (int i = 0; i < n; i++)
            r[i] -= alpha *
                    (p[i] - root_of(e, i) * e->fix_x[6 * (size_t)e->extended[i / 6] + (size_t)(i % 6)]);
        rr = dot(r, r, n);
        for (int i = 0; i < n; i++)
            p[i] = r[i] + rr / before * p[i];
    }
    memcpy(e->sigma, e->fix_sigma, (size_t)e->plan->nsigma * sizeof(double));
    return most;
}

/* Conjugate gradients from a residual that has a part in every direction end in one without inertia if there is one. */
bool clv_extra_loose(clv_engine *e)
{
    int n = 6 * e->nextended, limit = n < 60 ? n + 4 : 64;
    double *r = e->conjugate, *p = r + n;
    for (int i = 0; i < n; i++)
        p[i] = r[i] = (i % 2 ? -1 : 1) * (1 + 0.37 * (i % 7) + 0.011 * i);
    double rr = dot(r, r, n), start = rr;
    for (int k = 0; k < limit && rr > 1e-24 * start; k++) {
        double pp = dot(p, p, n), left = apply(e, p, n);
        if (!(left > 1e-11 * pp))
            return true;
        double alpha = rr / left, before = rr;
        for (int i = 0; i < n; i++)
            r[i] -= alpha *
                    (p[i] - root_of(e, i) * e->fix_x[6 * (size_t)e->extended[i / 6] + (size_t)(i % 6)]);
        rr = dot(r, r, n);
        for (int i = 0; i < n; i++)
            p[i] = r[i] + rr / before * p[i];
    }
    return false;
}
