/* SPDX-License-Identifier: Apache-2.0
 * Gradient of a run by its adjoint beside the run (T111, T124): the aim is five runs for 100 numbers of the model.
 *
 *   bench_gradient EXAMPLE|FILE SECONDS [part] [key=value ...]
 *
 * A run by hdca and dopri5 at 1e-6, the sensitivity run at the same tolerances, and its adjoint by 100 numbers spread
 * over all that the model has; processor time, best of seven.  With part = run, sensitivity or adjoint only that one is
 * repeated, once beside the first: for counts of instructions (valgrind --tool=callgrind). */
#include "base/cpu.h"
#include "model/number.h"
#include "simulation/sim.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SAMPLES = 7, MOST = 4000, NUMBERS = 100 };

typedef struct problem {
    clv_model *m;
    clv_sim *s;
    double time;
    clv_number number[MOST];
    clv_observed output;
    clv_sensitivity_options o;
    clv_sensitivity *run;
    double gradient[NUMBERS];
} problem;

static void stop(const char *what, const char *why)
{
    fprintf(stderr, "bench_gradient: %s: %s\n", what, why);
    exit(3);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static clv_model *open_model(int argc, char **argv)
{
    clv_model *m;
    if (clv_example_create(&m, argv[1], (const char *const *)argv + 3, argc - 3) == CLV_OK)
        return m;
    clv_model_destroy(m);
    if (clv_model_read_with(&m, argv[1], (const char *const *)argv + 3, argc - 3) != CLV_OK)
        stop(argv[1], clv_model_error(m)->message);
    return m;
}

/* how many numbers the model has; all of them, or every so many */
static int numbers_of(const problem *p, clv_number *to)
{
    static const int components[CLV_NUMBER_KINDS] = {1, 3, 6, 6, 6, 1, 6, 3, 3, 3};
    const int items[3] = {p->m->nbody, p->m->nforce, p->m->njoint};
    int n = 0;
    for (int kind = 0; kind < CLV_NUMBER_KINDS; kind++) {
        const int of = kind >= CLV_NUMBER_POINT_A ? 2 : kind <= CLV_NUMBER_INERTIA ? 0 : 1;
        for (int i = 0; i < (kind == CLV_NUMBER_GRAVITY ? 1 : items[of]); i++)
            for (int c = 0; c < components[kind] && n < MOST; c++) {
                const clv_number x = {(clv_number_kind)kind, i, c};
                const bool floats = kind == CLV_NUMBER_COM && p->s->plan->tree[i].joint < 0;
                if (clv_number_exists(p->m, &x) && !floats)
                    to[n++] = x;
            }
    }
    return n;
}

static void ask(problem *p)
{
    const int all = numbers_of(p, p->number), n = all < NUMBERS ? all : NUMBERS;
    for (int i = 0; i < n; i++)
        p->number[i] = p->number[(long)i * all / n];
    for (int j = 0; j < p->m->njoint; j++)
        if (p->s->plan->child_of_joint[j] >= 0 && p->s->plan->tree[p->s->plan->child_of_joint[j]].f > 0)
            p->output = (clv_observed){CLV_OBSERVED_RATE, j, 0};
    p->o = clv_sensitivity_options_default();
    p->o.frames = 1, p->o.time = &p->time, p->o.outputs = 1, p->o.output = &p->output;
    p->o.numbers = n, p->o.number = p->number;
}

/* s of the part */
static double part(problem *p, int which)
{
    static const double weight = 1;
    const clv_slopes to = {.number = p->gradient};
    clv_sim *s;
    if (which == 0 && clv_sim_create(&s, p->m, NULL) != CLV_OK)
        stop("run", clv_sim_error(s)->message);
    if (which == 1)
        clv_sensitivity_destroy(p->run);
    const double began = now();
    const clv_status st = which == 0   ? clv_sim_advance(s, p->time)
                          : which == 1 ? clv_sim_sensitivity(p->s, &p->o, &p->run)
                                       : clv_sensitivity_adjoint(p->run, &weight, &to);
    const double took = now() - began;
    if (st != CLV_OK)
        stop("part", clv_sim_error(which == 0 ? s : p->s)->message);
    if (which == 0)
        clv_sim_destroy(s);
    return took;
}

int main(int argc, char **argv)
{
    static problem p;
    static const char *const name[3] = {"run", "sensitivity", "adjoint"};
    double best[3] = {INFINITY, INFINITY, INFINITY};
    if (argc < 3)
        stop("use", "bench_gradient EXAMPLE|FILE SECONDS [part] [key=value ...]");
    int only = -1;
    for (int k = 0; argc > 3 && k < 3; k++)
        only = strcmp(argv[3], name[k]) == 0 ? k : only;
    if (only >= 0)
        argc = 3; /* a part takes no parameters */
    p.m = open_model(argc, argv), p.time = strtod(argv[2], NULL);
    if (clv_sim_create(&p.s, p.m, NULL) != CLV_OK)
        stop(argv[1], clv_sim_error(p.s)->message);
    ask(&p);
    for (int sample = 0; sample < (only < 0 ? SAMPLES : 2); sample++)
        for (int k = 0; k < 3; k++)
            if (only < 0 || sample == 0 || k == only)
                best[k] = fmin(best[k], part(&p, k));
    printf("%s: %d numbers, %ld steps, run %.3f ms, sensitivity run %.3f ms, adjoint %.3f ms, gradient %.2f runs\n",
           argv[1], p.o.numbers, p.run->steps, 1e3 * best[0], 1e3 * best[1], 1e3 * best[2],
           (best[1] + best[2]) / best[0]);
    clv_sensitivity_destroy(p.run), clv_sim_destroy(p.s), clv_model_destroy(p.m);
    return 0;
}
