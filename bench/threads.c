/* SPDX-License-Identifier: Apache-2.0
 * One mechanism on several threads (T44), in one run: evaluations and whole steps, with one thread and with more, in
 * turn; and two independent processes at once over one, which is the most that the machine gives.
 *
 *   bench_threads [THREADS [FORMULATION EXAMPLE [key=value ...]]]     default: 2 threads, a table of mechanisms
 *
 * Times are medians of nine samples; a ratio is the median of the ratios of neighbouring samples. */
#include "simulation/sim.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SAMPLES = 9 };

static void stop(const char *what, const char *why)
{
    fprintf(stderr, "bench_threads: %s: %s\n", what, why);
    exit(3);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static clv_sim *create(const clv_model *m, const char *formulation, int threads)
{
    clv_sim_options o = clv_sim_options_default();
    clv_sim *s;
    const bool implicit = strcmp(formulation, "index3") == 0;
    o.formulation = formulation, o.integrator = implicit ? NULL : "rk4", o.step = implicit ? 0.0175 : 1e-4;
    o.threads = threads;
    if (clv_sim_create(&s, m, &o) != CLV_OK)
        stop(formulation, clv_sim_error(s)->message);
    return s;
}

/* s for one evaluation, as stages of a step need it; coordinates differ, so that poses are made anew */
static double evaluations(clv_sim *s, int repeats)
{
    const double began = now();
    double *y = s->y;
    memcpy(y, s->integrator.y, (size_t)s->n * sizeof *y);
    s->system.lean = true;
    for (int i = 0; i < repeats; i++) {
        y[0] = s->integrator.y[0] + 1e-12 * (i % 2);
        if (s->formulation->rates(&s->system, 0, y, s->ydot) != CLV_OK)
            stop("rates", s->error.message);
    }
    s->system.lean = false;
    return (now() - began) / repeats;
}

/* s for one step of rk4, or of the formulation's own rule, without output */
static double steps(clv_sim *s, int repeats)
{
    const double began = now();
    for (int i = 0; i < repeats; i++)
        if (clv_sim_step(s, 1e9) != CLV_OK)
            stop("step", s->error.message);
    return (now() - began) / repeats;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x)
{
    qsort(x, SAMPLES, sizeof *x, compare);
    return x[SAMPLES / 2];
}

/* What two processes at once do in the time that one has, of the same evaluations: 2 is ideal. */
static double ceiling(clv_sim *s, int repeats)
{
    double ratio[SAMPLES];
    for (int e = 0; e < SAMPLES; e++) {
        const double one = evaluations(s, repeats);
        fflush(stdout);
        const pid_t other = fork();
        double both = 0;
        if (other < 0)
            stop("fork", "no process");
        both = evaluations(s, repeats);
        if (other == 0)
            _exit(0);
        waitpid(other, NULL, 0);
        ratio[e] = 2 * one / both;
    }
    return median(ratio);
}

static void measure(const char *name, const char *formulation, const char *const *param, int nparam, int threads)
{
    clv_model *m;
    if (clv_example_create(&m, name, param, nparam) != CLV_OK)
        stop(name, "no such example");
    clv_sim *alone = create(m, formulation, 1), *shared = create(m, formulation, threads);
    const int n = clv_model_body_count(m);
    double one[SAMPLES], more[SAMPLES], ratio[SAMPLES], step_one[SAMPLES], step_ratio[SAMPLES];
    evaluations(alone, 1);
    const int repeats = (int)(0.02 / evaluations(alone, 3)) + 1;
    for (int e = 0; e < SAMPLES; e++) {
        one[e] = evaluations(alone, repeats), more[e] = evaluations(shared, repeats);
        ratio[e] = one[e] / more[e];
        step_one[e] = steps(alone, repeats / 4 + 1);
        step_ratio[e] = step_one[e] / steps(shared, repeats / 4 + 1);
    }
    printf("%-6s %-16s %-12s %6d bodies %2d threads %9.2f us %6.1f ns/body  evaluation %5.2f x  step %9.2f us %5.2f x"
           "  two processes %5.2f x\n",
           formulation, name, nparam > 0 ? param[0] : "", n, clv_sim_threads(shared), 1e6 * median(one),
           1e9 * one[SAMPLES / 2] / n, median(ratio), 1e6 * median(step_one), median(step_ratio),
           ceiling(alone, repeats));
    fflush(stdout);
    clv_sim_destroy(alone), clv_sim_destroy(shared), clv_model_destroy(m);
}

int main(int argc, char **argv)
{
    static const char *const table[][2] = {
        {"chain", "links=256"},          {"chain", "links=512"},          {"chain", "links=1024"},
        {"chain", "links=4096"},         {"chain", "links=16384"},        {"chain", "links=65536"},
        {"chain-closed", "links=1024"},  {"chain-closed", "links=4096"},  {"chain-closed", "links=16384"},
        {"four-bar-ladder", "windows=1000"}};
    static const char *const formulation[] = {"hdca", "dca", "connection", "index3"};
    const int threads = argc > 1 ? atoi(argv[1]) : 2;
    if (argc > 3) {
        measure(argv[3], argv[2], (const char *const *)argv + 4, argc - 4, threads);
        return 0;
    }
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        for (size_t k = 0; k < sizeof formulation / sizeof *formulation; k++)
            measure(table[i][0], formulation[k], &table[i][1], 1, threads);
    return 0;
}
