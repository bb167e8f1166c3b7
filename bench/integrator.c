/* SPDX-License-Identifier: Apache-2.0
 * Counts steps and evaluations of the integrators on three known problems and prints CSV:
 *   problem,method,tolerance,steps,rejected,evaluations,error
 * studies/compare_adams.py sets the counts beside SciPy's.  Problems: Arenstorf's orbit (Hairer, Norsett, Wanner,
 * Solving ODEs I, II.0), Kepler's with eccentricity 0.5 over 10 revolutions, a pendulum let go at 2 rad for 100 s. */
#include "integrator/integrator.h"

#include <math.h>
#include <stdio.h>

static clv_status arenstorf(void *owner, double t, const double *y, double *f)
{
    const double mu = 0.012277471, nu = 1 - mu;
    const double d1 = pow((y[0] + mu) * (y[0] + mu) + y[1] * y[1], 1.5);
    const double d2 = pow((y[0] - nu) * (y[0] - nu) + y[1] * y[1], 1.5);
    (void)owner, (void)t;
    f[0] = y[2];
    f[1] = y[3];
    f[2] = y[0] + 2 * y[3] - nu * (y[0] + mu) / d1 - mu * (y[0] - nu) / d2;
    f[3] = y[1] - 2 * y[2] - nu * y[1] / d1 - mu * y[1] / d2;
    return CLV_OK;
}

static clv_status kepler(void *owner, double t, const double *y, double *f)
{
    const double r2 = y[0] * y[0] + y[1] * y[1], r3 = r2 * sqrt(r2);
    (void)owner, (void)t;
    f[0] = y[2];
    f[1] = y[3];
    f[2] = -y[0] / r3;
    f[3] = -y[1] / r3;
    return CLV_OK;
}

static clv_status pendulum(void *owner, double t, const double *y, double *f)
{
    (void)owner, (void)t;
    f[0] = y[1];
    f[1] = -sin(y[0]);
    return CLV_OK;
}

static const struct problem {
    const char *name;
    clv_status (*rates)(void *owner, double t, const double *y, double *f);
    int n;
    double end, start[4];
} problems[] = {
    {"arenstorf", arenstorf, 4, 17.0652165601579625588917206249, {0.994, 0, 0, -2.00158510637908252240537862224}},
    {"kepler", kepler, 4, 62.831853071795864769, {0.5, 0, 0, 1.7320508075688772935}},
    {"pendulum", pendulum, 2, 100, {2, 0}},
};
enum { PROBLEMS = sizeof problems / sizeof problems[0] };

/* y at the end; the integrator's statistics. */
static clv_status run(const struct problem *p, const clv_method *m, double tolerance, double *y,
                      clv_integrator_stats *stats)
{
    static const double scale[4] = {1, 1, 1, 1};
    const clv_ode ode = {.n = p->n, .rates = p->rates, .scale = scale};
    const clv_integrator_options o = {.rtol = tolerance, .atol = tolerance, .direction_end = p->end};
    clv_integrator s;
    clv_arena a = {0};
    clv_integrator_layout(&s, m, p->n, 0, &a);
    if (!clv_arena_open(&a))
        return CLV_ERR_MEMORY;
    clv_integrator_layout(&s, m, p->n, 0, &a);
    clv_status st = clv_integrator_begin(&s, &ode, &o, 0.0, p->start);
    s.dense_from = INFINITY;
    while (st == CLV_OK && s.t != p->end)
        st = clv_integrator_step(&s);
    for (int i = 0; i < p->n; i++)
        y[i] = s.y[i];
    *stats = s.stats;
    clv_arena_close(&a);
    return st;
}

int main(void)
{
    printf("problem,method,tolerance,steps,rejected,evaluations,error\n");
    for (int i = 0; i < PROBLEMS; i++) {
        const struct problem *p = &problems[i];
        clv_integrator_stats stats;
        double truth[4], y[4];
        if (run(p, clv_method_find("dop853"), 1e-14, truth, &stats) != CLV_OK)
            return 1;
        for (int k = 0; k < 4 && i < 2; k++)
            truth[k] = p->start[k]; /* both orbits are closed */
        for (int m = 0; clv_method_at(m); m++)
            for (int digits = 3; digits <= 12 && !clv_method_at(m)->fixed_only; digits += 3) {
                const double tolerance = pow(10, -digits);
                double error = 0;
                if (run(p, clv_method_at(m), tolerance, y, &stats) != CLV_OK)
                    return 1;
                for (int k = 0; k < p->n; k++)
                    error = fmax(error, fabs(y[k] - truth[k]));
                printf("%s,%s,%.0e,%ld,%ld,%ld,%.1e\n", p->name, clv_method_at(m)->name, tolerance, stats.steps,
                       stats.rejected, stats.evaluations, error);
            }
    }
    return 0;
}
