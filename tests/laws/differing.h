/* SPDX-License-Identifier: Apache-2.0
 * How far two lists of numbers differ. */
#ifndef CLV_TESTS_DIFFERING_H
#define CLV_TESTS_DIFFERING_H
#include <math.h>
#include <stddef.h>

/* largest difference beside the largest number of y (n) */
static inline double difference(const double *x, const double *y, size_t n)
{
    double most = 0, size = 0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs(x[i] - y[i])), size = fmax(size, fabs(y[i]));
    return most / size;
}

#endif
