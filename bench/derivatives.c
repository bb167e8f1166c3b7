/* SPDX-License-Identifier: Apache-2.0
 * All first derivatives of accelerations at the start of a mechanism, and one evaluation, for comparison with other
 * programs (bench/peers/loops.py) and with the aim of four evaluations for eight directions (T77).
 *
 *   bench_derivatives EXAMPLE|FILE [key=value ...]     best time of nine samples of each, by dca
 *
 * Processor time.  Derivatives are clv_sim_derivatives with all its matrices; nothing of the call before is kept. */
#include "base/cpu.h"
#include "simulation/sim.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SAMPLES = 9 };

static void stop(const char *what, const char *why)
{
    fprintf(stderr, "bench_derivatives: %s: %s\n", what, why);
    exit(3);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void forget(clv_sim *s)
{
    s->evaluated = false, s->seen_t = NAN, s->shown = 0, s->system.held = 0;
}

/* s; call: derivatives, or one evaluation with reactions */
static double best_of_nine(clv_sim *s, clv_derivatives **d, bool derivatives)
{
    const long repeats = 3000 / s->plan->nbody + 1;
    double best = INFINITY;
    for (int sample = 0; sample < SAMPLES; sample++) {
        const double began = now();
        for (long i = 0; i < repeats; i++) {
            forget(s);
            if ((derivatives ? clv_sim_derivatives(s, NULL, 0, d) : clv_sim_evaluate(s)) != CLV_OK)
                stop("call", clv_sim_error(s)->message);
        }
        best = fmin(best, (now() - began) / (double)repeats);
    }
    return best;
}

static clv_model *open_model(int argc, char **argv)
{
    clv_model *m;
    if (clv_example_create(&m, argv[1], (const char *const *)argv + 2, argc - 2) == CLV_OK)
        return m;
    clv_model_destroy(m);
    if (clv_model_read_with(&m, argv[1], (const char *const *)argv + 2, argc - 2) != CLV_OK)
        stop(argv[1], clv_model_error(m)->message);
    return m;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        stop("use", "bench_derivatives EXAMPLE|FILE [key=value ...]");
    clv_model *m = open_model(argc, argv);
    clv_sim_options o = clv_sim_options_default();
    clv_derivatives *d = NULL;
    clv_sim *s;
    o.formulation = "dca";
    if (clv_sim_create(&s, m, &o) != CLV_OK)
        stop(argv[1], clv_sim_error(s)->message);
    const double all = best_of_nine(s, &d, true), one = best_of_nine(s, &d, false);
    printf("derivatives %d rates, %d rows %.3f us, evaluation %.3f us, %.2f evaluations for 8 directions\n", d->rates,
           d->rows, 1e6 * all, 1e6 * one, all / one * 8 / (2 * d->rates));
    clv_derivatives_destroy(d), clv_sim_destroy(s), clv_model_destroy(m);
    return 0;
}
