/* SPDX-License-Identifier: Apache-2.0
 * Durations of a long run in fixed memory: counts over bins that grow by exp(1/400), from 10 ns to 1000 s.  Quantiles
 * are exact to 0.25 %, the largest is exact.  Adding allocates nothing (T54). */
#ifndef CLV_CLI_TIMING_H
#define CLV_CLI_TIMING_H
#include <stdint.h>

enum { CLV_TIMING_BINS = 10150 };

typedef struct clv_timing {
    uint64_t count;
    double worst;  /* s */
    uint32_t bin[CLV_TIMING_BINS];
} clv_timing;

/* A duration in s; what is not above 10 ns is in the first bin. */
void clv_timing_add(clv_timing *t, double seconds);
/* The duration that the part p (0 to 1) of all does not exceed: the upper end of its bin, at most the worst.  0: none
 * were added. */
double clv_timing_quantile(const clv_timing *t, double p);

#endif
