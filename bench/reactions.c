/* SPDX-License-Identifier: Apache-2.0
 * A remark of the 2017 HDCA paper (section 3.4): constraint forces want one more solve with other xi_10, xi_20, which
 * costs "only a small fraction" of the assembly and disassembly.  Time of one hdca rate evaluation, and of
 * accelerations (T12) and joint forces (T13) added to it with the same factor.
 *
 *   bench_reactions        prints one JSON object
 *
 * Processor times of one thread, the least of 15 samples. */
#include "simulation/sim.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SAMPLES = 15, BODIES_PER_SAMPLE = 40000 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void stop(const char *what)
{
    fprintf(stderr, "bench_reactions: %s\n", what);
    exit(3);
}

/* s per evaluation: of the rates, and of what reactions add */
static void measure(clv_sim *s, double *rates, double *reactions)
{
    const int repeat = 1 + BODIES_PER_SAMPLE / s->model->nbody;
    *rates = *reactions = INFINITY;
    for (int k = 0; k < SAMPLES; ++k) {
        const double begin = now();
        for (int i = 0; i < repeat; ++i)
            if (s->formulation->rates(&s->system, s->out_time, s->out_y, s->ydot) != CLV_OK)
                stop(s->error.message);
        const double middle = now();
        for (int i = 0; i < repeat; ++i) {
            clv_system_accelerate(&s->system);
            clv_system_reactions(&s->system);
        }
        *rates = fmin(*rates, (middle - begin) / repeat);
        *reactions = fmin(*reactions, (now() - middle) / repeat);
    }
}

int main(void)
{
    static const struct {
        const char *name, *param;
    } model[] = {{"hdca-case1", NULL},
                 {"hdca-case2", NULL},
                 {"hdca-case3", NULL},
                 {"chain", "links=256"},
                 {"chain-closed", "links=256"}};
    const int n = (int)(sizeof model / sizeof *model);
    printf("{\"models\": [");
    for (int i = 0; i < n; ++i) {
        const char *param[1] = {model[i].param};
        clv_model *m = NULL;
        clv_sim *s = NULL;
        if (clv_example_create(&m, model[i].name, param, model[i].param ? 1 : 0) != CLV_OK)
            stop(clv_model_error(m)->message);
        if (clv_sim_create(&s, m, NULL) != CLV_OK || clv_sim_advance(s, 0.1) != CLV_OK)
            stop(s ? clv_sim_error(s)->message : "out of memory");
        double rates, reactions;
        measure(s, &rates, &reactions);
        printf("%s{\"model\": \"%s\", \"bodies\": %d, \"rates\": %.4g, \"reactions\": %.4g, \"share\": %.4g}",
               i ? ",\n" : "", model[i].name, m->nbody, rates, reactions, reactions / rates);
        clv_sim_destroy(s);
        clv_model_destroy(m);
    }
    printf("]}\n");
    return 0;
}
