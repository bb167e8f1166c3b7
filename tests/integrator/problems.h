/* SPDX-License-Identifier: Apache-2.0
 * Small problems with known solutions, and a driver, for the tests of the integrators. */
#ifndef CLV_TESTS_PROBLEMS_H
#define CLV_TESTS_PROBLEMS_H
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../near.h"
#include "integrator/integrator.h"

#define UNUSED __attribute__((unused))
enum { NMAX = 8 };
static const double ones[NMAX] = {1, 1, 1, 1, 1, 1, 1, 1};

/* Nonautonomous, coupled, nonlinear; Hairer's standard test:
 * y = (exp(sin t^2), exp(5 sin t^2), sin t^2 + 1, cos t^2). */
static UNUSED clv_status coupled_rates(void *owner, double t, const double *y, double *f)
{
    (void)owner;
    if (y[0] <= 0.0 || y[1] <= 0.0)
        return CLV_ERR_SINGULAR;
    f[0] = 2 * t * pow(y[1], 0.2) * y[3];
    f[1] = 10 * t * exp(5 * (y[2] - 1)) * y[3];
    f[2] = 2 * t * y[3];
    f[3] = -2 * t * log(y[0]);
    return CLV_OK;
}

static UNUSED void coupled_exact(double t, double *y)
{
    y[0] = exp(sin(t * t));
    y[1] = exp(5 * sin(t * t));
    y[2] = sin(t * t) + 1;
    y[3] = cos(t * t);
}

/* Kepler's problem, eccentricity 0.5, one revolution takes 2 pi. */
static UNUSED clv_status kepler_rates(void *owner, double t, const double *y, double *f)
{
    (void)owner, (void)t;
    const double r2 = y[0] * y[0] + y[1] * y[1], r3 = r2 * sqrt(r2);
    f[0] = y[2];
    f[1] = y[3];
    f[2] = -y[0] / r3;
    f[3] = -y[1] / r3;
    return CLV_OK;
}

static UNUSED void kepler_exact(double t, double *y)
{
    const double e = 0.5, b = sqrt(1 - e * e);
    double u = t;
    for (int i = 0; i < 50; i++)
        u -= (u - e * sin(u) - t) / (1 - e * cos(u));
    y[0] = cos(u) - e;
    y[1] = b * sin(u);
    y[2] = -sin(u) / (1 - e * cos(u));
    y[3] = b * cos(u) / (1 - e * cos(u));
}

/* An integrator with memory of its own. */
typedef struct rig {
    clv_integrator s;
    clv_arena arena;
} rig;

static UNUSED void rig_open(rig *r, const char *name, int n)
{
    const clv_method *m = clv_method_find(name);
    assert_non_null(m);
    r->arena = (clv_arena){0};
    clv_integrator_layout(&r->s, m, n, 0, &r->arena);
    assert_true(clv_arena_open(&r->arena));
    clv_integrator_layout(&r->s, m, n, 0, &r->arena);
}

static UNUSED void rig_close(rig *r)
{
    clv_integrator_destroy(&r->s);
    clv_arena_close(&r->arena);
}

static UNUSED clv_status run_to_end(clv_integrator *s)
{
    clv_status st = CLV_OK;
    for (long i = 0; st == CLV_OK && s->t != s->options.direction_end; i++) {
        assert_true(i < 10000000);
        st = clv_integrator_step(s);
    }
    return st;
}

static UNUSED double distance(const double *a, const double *b, int n)
{
    double d = 0;
    for (int i = 0; i < n; i++)
        d = fmax(d, fabs(a[i] - b[i]));
    return d;
}

#endif
