/* SPDX-License-Identifier: Apache-2.0
 * Measured costs of threads; see handover.h.  Other work on the machine makes them larger, so the least times
 * count, or the least of medians. */
#include "base/handover.h"
#include <math.h>
#include <stdlib.h>
#include <time.h>

enum {
    BATCHES = 15, CALLS = 101,
    SHORT = 500, /* multiplications of a piece, about 1 us: workers spin meanwhile */
    LONG = 15000 /* about 30 us                                                   */
};

static const double PATIENCE = 0.3; /* s: so long one piece and two take turns */

double clv_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double clv_median(double *x, int n)
{
    qsort(x, (size_t)n, sizeof *x, by_value);
    return x[n / 2];
}

typedef struct spin {
    int n;
    volatile double out[2][16]; /* a cache line and more for each */
} spin;

static void multiply(void *of, int piece)
{
    spin *s = of;
    double x = 1.0 + 1e-9 * piece;
    for (int i = 0; i < s->n; i++)
        x *= 1.0000001;
    s->out[piece][0] = x;
}

static double call(clv_team *team, int pieces, spin *s)
{
    const double began = clv_seconds();
    clv_team_run(team, pieces, multiply, s);
    return clv_seconds() - began;
}

double clv_hand_over(clv_team *team)
{
    double least = INFINITY;
    for (int b = 0; b < BATCHES; b++) {
        double one[CALLS], two[CALLS];
        spin s = {.n = SHORT};
        for (int i = 0; i < CALLS; i++)
            one[i] = call(team, 1, &s), two[i] = call(team, 2, &s);
        least = fmin(least, fmax(0, 0.5 * (clv_median(two, CALLS) - clv_median(one, CALLS))));
    }
    return least;
}

double clv_two_at_once(clv_team *team)
{
    double one = INFINITY, two = INFINITY;
    spin s = {.n = LONG};
    for (const double end = clv_seconds() + PATIENCE; clv_seconds() < end;) {
        for (int i = 0; i < CALLS; i++)
            one = fmin(one, call(team, 1, &s));
        for (int i = 0; i < CALLS; i++) /* without a break, in which a worker would fall asleep */
            two = fmin(two, call(team, 2, &s));
    }
    return 2 * one / two;
}
