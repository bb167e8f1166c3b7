/* SPDX-License-Identifier: Apache-2.0
 * Statistics of one number over the runs of a sweep (T48.3). */
#include "io/sweep.h"
#include <math.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Linear between the order statistics. */
static double quantile(const double *sorted, int n, double p)
{
    const double at = p * (n - 1);
    const int i = (int)at;
    return i + 1 < n ? sorted[i] + (at - i) * (sorted[i + 1] - sorted[i]) : sorted[n - 1];
}

clv_statistics clv_statistics_of(double *number, int n)
{
    clv_statistics s = {0, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    double sum = 0, square = 0;
    for (int i = 0; i < n; ++i)
        if (isfinite(number[i]))
            number[s.count++] = number[i];
    if (s.count == 0)
        return s;
    for (int i = 0; i < s.count; ++i)
        sum += number[i];
    s.mean = sum / s.count;
    for (int i = 0; i < s.count; ++i)
        square += (number[i] - s.mean) * (number[i] - s.mean);
    s.deviation = s.count > 1 ? sqrt(square / (s.count - 1)) : NAN;
    qsort(number, (size_t)s.count, sizeof *number, compare);
    s.least = number[0], s.largest = number[s.count - 1];
    s.percent_5 = quantile(number, s.count, 0.05);
    s.median = quantile(number, s.count, 0.5);
    s.percent_95 = quantile(number, s.count, 0.95);
    return s;
}
