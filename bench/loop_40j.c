/* SPDX-License-Identifier: Apache-2.0
 * The loop of four links with 40 J of motion (tests/laws/four_link_loop.h): energy drift, violation and time over 10 s
 * for integrators and tolerances, drift per second over 10, 100 and 1000 s.
 *
 *   bench_loop_40j [--json] [--repeat N]
 *
 * Times are processor times of the one thread, medians of N runs: on an idle core the wall time. */
#include "laws/four_link_loop.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { REPEATS = 99 };

static const char *const FORMULATION[] = {"hdca", "dca"};
static const char *const INTEGRATOR[] = {"dopri5", "dop853", "adams"};
static const double TOLERANCE[] = {1e-6, 1e-9, 1e-11, 1e-12}, LONG_END[] = {10, 100, 1000};
#define COUNT(x) ((int)(sizeof(x) / sizeof *(x)))

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static clv_sim *open_sim(const clv_model *m, const char *formulation, const char *integrator, double tolerance)
{
    clv_sim_options o = clv_sim_options_default();
    clv_sim *s;
    o.formulation = formulation, o.integrator = integrator, o.rtol = tolerance;
    if (clv_sim_create(&s, m, &o) != CLV_OK) {
        fprintf(stderr, "bench_loop_40j: %s\n", s ? clv_sim_error(s)->message : "out of memory");
        exit(3);
    }
    return s;
}

/* NaN drift: the run ended early, at report.time */
static clv_sim_report run(clv_sim *s, double end, double *seconds)
{
    clv_sim_report r;
    double t = now();
    clv_status st = clv_sim_set_end(s, end);
    if (st == CLV_OK)
        st = clv_sim_advance(s, end);
    *seconds = now() - t;
    clv_sim_summary(s, &r);
    if (st != CLV_OK)
        r.max_energy_drift = NAN;
    return r;
}

static void ten_seconds(const clv_model *m, bool json, int repeats)
{
    printf(json ? "\"runs\": ["
                : "| formulation | integrator | rtol | energy drift (J) | violation (m) | steps | evaluations | "
                  "time (s) |\n"
                  "|---|---|---|---|---|---|---|---|\n");
    bool first = true;
    for (int f = 0; f < COUNT(FORMULATION); f++)
        for (int i = 0; i < COUNT(INTEGRATOR); i++)
            for (int k = 0; k < COUNT(TOLERANCE); k++, first = false) {
                double seconds[REPEATS];
                clv_sim_report r = {0};
                for (int n = 0; n < repeats; n++) {
                    clv_sim *s = open_sim(m, FORMULATION[f], INTEGRATOR[i], TOLERANCE[k]);
                    r = run(s, 10, &seconds[n]);
                    clv_sim_destroy(s);
                }
                qsort(seconds, (size_t)repeats, sizeof *seconds, ascending);
                if (json)
                    printf("%s{\"formulation\": \"%s\", \"integrator\": \"%s\", \"tolerance\": %.0e, "
                           "\"max_energy_drift\": %.3g, "
                           "\"max_position_violation\": %.3g, \"steps\": %ld, \"evaluations\": %ld, \"seconds\": %.4g}",
                           first ? "" : ",\n", FORMULATION[f], INTEGRATOR[i], TOLERANCE[k], r.max_energy_drift,
                           r.max_position_violation, r.steps, r.rate_evaluations, seconds[repeats / 2]);
                else
                    printf("| %s | %s | %.0e | %.1e | %.0e | %ld | %ld | %.3f |\n", FORMULATION[f], INTEGRATOR[i],
                           TOLERANCE[k], r.max_energy_drift, r.max_position_violation, r.steps, r.rate_evaluations,
                           seconds[repeats / 2]);
            }
    printf(json ? "],\n" : "");
}

static void long_runs(const clv_model *m, bool json)
{
    printf(json ? "\"long\": ["
                : "\n| hdca, rtol 1e-11 | drift per second over 10 s (J/s) | 100 s | 1000 s | largest violation (m) | "
                  "directions dropped "
                  "in evaluations | time (s) |\n|---|---|---|---|---|---|---|\n");
    for (int i = 0; i < COUNT(INTEGRATOR); i++) {
        clv_sim_report r = {0};
        double seconds = 0;
        if (json)
            printf("%s{\"integrator\": \"%s\", \"drift_per_second\": [", i ? ",\n" : "", INTEGRATOR[i]);
        else
            printf("| %s |", INTEGRATOR[i]);
        for (int k = 0; k < COUNT(LONG_END); k++) {
            clv_sim *s = open_sim(m, "hdca", INTEGRATOR[i], 1e-11);
            r = run(s, LONG_END[k], &seconds);
            clv_sim_destroy(s);
            if (json)
                printf("%s%.3g", k ? ", " : "", r.max_energy_drift / LONG_END[k]);
            else
                printf(" %.1e |", r.max_energy_drift / LONG_END[k]);
        }
        printf(json ? "], \"max_position_violation\": %.3g, \"truncated_evaluations\": %ld, \"seconds\": %.4g}"
                    : " %.0e | %ld | %.2f |\n",
               r.max_position_violation, r.truncated_evaluations, seconds);
    }
    printf(json ? "]\n" : "");
}

int main(int argc, char **argv)
{
    bool json = false;
    int repeats = 7;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0)
            json = true;
        else if (strcmp(argv[i], "--repeat") == 0 && i + 1 < argc)
            repeats = atoi(argv[++i]);
        else
            repeats = 0;
    }
    if (repeats < 1 || repeats > REPEATS) {
        fprintf(stderr, "usage: bench_loop_40j [--json] [--repeat N]   (N from 1 to %d)\n", REPEATS);
        return 1;
    }
    clv_model *m;
    if (four_link_loop(&m, &FORTY_JOULES) != CLV_OK) {
        fprintf(stderr, "bench_loop_40j: %s\n", m ? clv_model_error(m)->message : "out of memory");
        return 3;
    }
    printf(json ? "{" : "");
    ten_seconds(m, json, repeats);
    long_runs(m, json);
    printf(json ? "}\n" : "");
    clv_model_destroy(m);
    return 0;
}
