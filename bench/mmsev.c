/* SPDX-License-Identifier: Apache-2.0
 * One cycle of the vehicle of the JSC paper, rigid and flexible, by every formulation (its Tables II and IV).
 *
 *   bench_mmsev [--json] [FORMULATION]
 *
 * A cycle is one rate evaluation at the start: kinematics, loads, dynamics, derivatives of the state.  Processor times
 * of one thread; rigid and flexible in turn, so that a busy machine hits both; medians of the samples, and the median
 * of the ratios of neighbours. */
#include "simulation/cycle.h"
#include "simulation/sim.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SAMPLES = 101, ROWS = 32 };
static const double SAMPLE = 1e-3; /* s, at least */
static const char *const MODEL[2] = {"mmsev-rigid", "mmsev-flexible"};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void stop(const char *what)
{
    fprintf(stderr, "bench_mmsev: %s\n", what);
    exit(3);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x)
{
    qsort(x, SAMPLES, sizeof *x, ascending);
    return x[SAMPLES / 2];
}

/* How a row is simulated. */
typedef struct way {
    const char *name, *formulation;
    int method;
} way;

typedef struct cost {
    double seconds[2], ratio; /* of a cycle: rigid, flexible; flexible / rigid */
} cost;

/* NULL: it has no rates, but a rule of its own */
static clv_sim *open_sim(const clv_model *m, const way *w)
{
    clv_sim_options o = clv_sim_options_default();
    clv_sim *s;
    o.formulation = w->formulation, o.method = w->method;
    clv_status st = clv_sim_create(&s, m, &o);
    if (st == CLV_OK && s->formulation->rates)
        return s;
    if (st != CLV_OK && st != CLV_ERR_USAGE)
        stop(clv_sim_error(s)->message);
    clv_sim_destroy(s);
    return NULL;
}

static double sample(clv_sim *s, int repeat)
{
    const double begin = now();
    for (int i = 0; i < repeat; ++i)
        if (clv_sim_rates_once(s) != CLV_OK)
            stop(clv_sim_error(s)->message);
    return (now() - begin) / repeat;
}

static bool measure(const way *w, clv_model *const *model, cost *c)
{
    clv_sim *s[2] = {open_sim(model[0], w), NULL};
    double x[2][SAMPLES], ratio[SAMPLES];
    int repeat[2] = {1, 1};
    if (!s[0])
        return false;
    s[1] = open_sim(model[1], w);
    for (int k = 0; k < 2; ++k)
        while (sample(s[k], repeat[k]) * repeat[k] < SAMPLE)
            repeat[k] *= 2;
    for (int i = 0; i < SAMPLES; ++i) {
        for (int k = 0; k < 2; ++k)
            x[k][i] = sample(s[k], repeat[k]);
        ratio[i] = x[1][i] / x[0][i];
    }
    for (int k = 0; k < 2; ++k) {
        c->seconds[k] = median(x[k]);
        clv_sim_destroy(s[k]);
    }
    c->ratio = median(ratio);
    return true;
}

static int list_ways(way *w, const char *only)
{
    int n = 0;
    for (int i = 0; clv_formulation_at(i) && n < ROWS - 1; ++i) {
        const char *name = clv_formulation_at(i)->name;
        if (only && strcmp(name, only) != 0)
            continue;
        w[n++] = (way){name, name, 0};
        if (strcmp(name, "connection") == 0) {
            w[n - 1] = (way){"connection, method 1", name, 1};
            w[n++] = (way){"connection, method 2", name, 2};
        }
    }
    return n;
}

int main(int argc, char **argv)
{
    const bool json = argc > 1 && strcmp(argv[1], "--json") == 0;
    way w[ROWS];
    clv_model *model[2];
    const int n = list_ways(w, argc > 1 + json ? argv[1 + json] : NULL);
    for (int k = 0; k < 2; ++k)
        if (clv_example_create(&model[k], MODEL[k], NULL, 0) != CLV_OK)
            stop("no model");
    printf(json ? "{\"cycles\": [" : "| one cycle (us) | rigid | flexible | flexible / rigid |\n|---|---|---|---|\n");
    for (int i = 0, printed = 0; i < n; ++i) {
        cost c;
        if (!measure(&w[i], model, &c))
            continue;
        if (json)
            printf("%s{\"run\": \"%s\", \"rigid_us\": %.4g, \"flexible_us\": %.4g, \"ratio\": %.3g}",
                   printed++ ? ", " : "", w[i].name, 1e6 * c.seconds[0], 1e6 * c.seconds[1], c.ratio);
        else
            printf("| %s | %.1f | %.1f | %.2f |\n", w[i].name, 1e6 * c.seconds[0], 1e6 * c.seconds[1], c.ratio);
    }
    printf(json ? "]}\n" : "");
    for (int k = 0; k < 2; ++k)
        clv_model_destroy(model[k]);
    return 0;
}
