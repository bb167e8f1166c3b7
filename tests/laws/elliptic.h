/* SPDX-License-Identifier: Apache-2.0
 * The period of a pendulum of any swing, for tests of journals that slide in bores. */
#ifndef CLV_TESTS_LAWS_ELLIPTIC_H
#define CLV_TESTS_LAWS_ELLIPTIC_H
#include <math.h>

/* Complete elliptic integral of the first kind of the modulus k, by the arithmetic-geometric mean.  A pendulum of
 * length l and swing a has the period 4 sqrt(l / g) K(sin(a / 2)). */
static double elliptic(double k)
{
    double a = 1, b = sqrt(1 - k * k);
    for (int i = 0; i < 40; i++) {
        const double next = 0.5 * (a + b);
        b = sqrt(a * b), a = next;
    }
    return 3.141592653589793 / (2 * a);
}

#endif
