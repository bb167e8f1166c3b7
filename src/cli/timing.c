/* SPDX-License-Identifier: Apache-2.0
 * Counts of durations; see timing.h. */
#include "cli/timing.h"
#include <math.h>

static const double least = 1e-8, growth = 400; /* s; bins in a factor e, nearly */

void clv_timing_add(clv_timing *t, double seconds)
{
    int i = seconds > least ? (int)(growth * log(seconds / least)) + 1 : 0;
    if (!(i < CLV_TIMING_BINS)) /* beyond 1000 s */
        i = CLV_TIMING_BINS - 1;
    t->bin[i]++;
    t->count++;
    if (seconds > t->worst)
        t->worst = seconds;
}

double clv_timing_quantile(const clv_timing *t, double p)
{
    const double wanted = p * (double)t->count;
    uint64_t sum = 0;
    for (int i = 0; i < CLV_TIMING_BINS; ++i) {
        sum += t->bin[i];
        if (t->bin[i] > 0 && (double)sum >= wanted)
            return fmin(t->worst, least * exp(i / growth));
    }
    return t->worst;
}
