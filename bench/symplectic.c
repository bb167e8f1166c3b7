/* SPDX-License-Identifier: Apache-2.0
 * Energy over a long time (theory T35).
 *
 *   bench_symplectic EXAMPLE PARAMETER|- METHOD SIZE TIME SAMPLES
 *
 * METHOD: a method of the program (SIZE: step in s if it is fixed, else rtol), or `projected`: the implicit midpoint
 * rule on the rates of HDCA, solved to rounding, with the loops closed and the momenta re-gauged after every step, as
 * adaptive methods do.  Prints one JSON object: work done, violations, the largest kinetic energy met (J), and the
 * samples: times `t` (s) and `error`, energy less work less their start (J); `why` tells what ended a run early. */
#include "simulation/sim.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 256, ROUNDS = 60 };

static void stop(const char *what)
{
    fprintf(stderr, "bench_symplectic: %s\n", what);
    exit(3);
}

static double processor(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

/* y to the end of a step of the midpoint rule, then the owner's projection and re-gauge; evaluations */
static long projected_step(const clv_ode *ode, double t, double h, double *y)
{
    double middle[MOST], f[MOST], new[MOST], before = INFINITY;
    long n = 0;
    int changed;
    memcpy(new, y, (size_t)ode->n * sizeof *y);
    for (int k = 0; k < ROUNDS; k++, n++) {
        double change = 0, size = 0;
        for (int i = 0; i < ode->n; i++)
            middle[i] = 0.5 * (y[i] + new[i]);
        if (ode->rates(ode->owner, t + 0.5 * h, middle, f) != CLV_OK)
            stop("a rate evaluation failed");
        for (int i = 0; i < ode->n; i++) {
            const double x = y[i] + h * f[i];
            change = fmax(change, fabs(x - new[i])), size = fmax(size, fabs(x));
            new[i] = x;
        }
        if (change == 0 || (change >= 0.7 * before && change < 1e-9 * size))
            break;
        before = change;
    }
    if (ode->accepted(ode->owner, t + h, new, &changed) != CLV_OK)
        stop("a step was refused");
    memcpy(y, new, (size_t)ode->n * sizeof *y);
    return n + 1;
}

static void energy(clv_sim *s, const double *y, double *error, double *kinetic)
{
    static double E0;
    const double t = s->integrator.t;
    if (s->formulation->rates(&s->system, t, y, s->ydot) != CLV_OK)
        stop("no energy");
    s->seen_t = NAN;
    const double T = clv_system_kinetic(&s->system), E = T + clv_system_potential(&s->system) - y[s->n - 1];
    if (!error) {
        E0 = E;
        return;
    }
    *error = E - E0, *kinetic = fmax(*kinetic, T);
}

/* entries 1 .. n of x, or multiples of `step` */
static void print_numbers(const char *name, const double *x, int n, double step)
{
    printf(", \"%s\": [", name);
    for (int k = 1; k <= n; k++)
        printf("%s%.10g", k == 1 ? "" : ", ", x ? x[k] : k * step);
    printf("]");
}

int main(int argc, char **argv)
{
    if (argc != 7)
        stop("EXAMPLE PARAMETER|- METHOD SIZE TIME SAMPLES");
    clv_model *model;
    clv_sim *s;
    clv_sim_options o = clv_sim_options_default();
    const char *const parameter = argv[2];
    const bool projected = strcmp(argv[3], "projected") == 0;
    const double size = atof(argv[4]), end = atof(argv[5]);
    const int samples = atoi(argv[6]);
    const clv_method *method = clv_method_find(projected ? "rk4" : argv[3]);
    if (!method || samples < 1)
        stop("no such method, or no samples");
    o.integrator = method->name;
    if (method->fixed_only)
        o.step = size;
    else
        o.rtol = size;
    if (clv_example_create(&model, argv[1], &parameter, strcmp(parameter, "-") != 0) != CLV_OK)
        stop("no such example");
    if (clv_sim_create(&s, model, &o) != CLV_OK)
        stop(clv_sim_error(s)->message);
    const clv_ode ode = clv_sim_ode(s);
    double y[MOST], *error = calloc((size_t)samples + 1, sizeof *error), kinetic = 0, seconds = 0;
    long evaluations = 0, steps = 0;
    if (!error || s->n > MOST)
        stop("too large");
    memcpy(y, s->integrator.y, (size_t)s->n * sizeof *y);
    energy(s, y, NULL, NULL);
    int done = 0;
    for (int k = 1; k <= samples; k++, done++) {
        const double from = processor(), until = k * end / samples;
        clv_status st = CLV_OK;
        if (projected) {
            const long last = lround(until / size);
            for (; steps < last; steps++)
                evaluations += projected_step(&ode, (double)steps * size, size, y);
        } else {
            while (st == CLV_OK && s->integrator.t < until - 1e-7)
                st = clv_integrator_step(&s->integrator);
            memcpy(y, s->integrator.y, (size_t)s->n * sizeof *y);
        }
        seconds += processor() - from;
        if (st != CLV_OK)
            break;
        energy(s, y, &error[k], &kinetic);
    }
    clv_sim_report r;
    clv_sim_summary(s, &r);
    printf("{\"evaluations\": %ld, \"seconds\": %.3f, \"steps\": %ld, \"gap\": %.3g, \"gap_speed\": %.3g, ",
           projected ? evaluations : r.rate_evaluations, seconds, projected ? steps : r.steps, r.max_position_violation,
           r.max_velocity_violation);
    printf("\"truncated\": %ld, \"kinetic\": %.6g, \"reached\": %.9g, \"why\": \"%s\"", r.truncated_evaluations,
           kinetic, projected ? end : s->integrator.t, done < samples ? "the step did not converge" : "");
    print_numbers("t", NULL, done, end / samples);
    print_numbers("error", error, done, 0);
    printf("}\n");
    free(error);
    clv_sim_destroy(s), clv_model_destroy(model);
    return 0;
}
