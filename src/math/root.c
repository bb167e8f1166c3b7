/* SPDX-License-Identifier: Apache-2.0
 * Newton's method for z^n = y from above: every step goes down until rounding stops it.  See root.h. */
#include "math/root.h"

#include <math.h>

double clv_root_begin(double x, int n, int *whole)
{
    int e;
    const double y = frexp(x, &e); /* x = y 2^e = (y 2^rest) (2^whole)^n, 0 <= rest < n */
    *whole = e >= 0 ? e / n : -((n - 1 - e) / n);
    return ldexp(y, e - n * *whole);
}

double clv_root_end(double z, int whole) { return ldexp(z, whole); }

double clv_root(double x, int n)
{
    int whole;
    if (!(x > 0) || isinf(x))
        return x >= 0 ? x : NAN;
    const double y = clv_root_begin(x, n, &whole);
    double z = 2; /* y < 2^n */
    for (int k = 0; k < CLV_ROOT_STEPS; k++) {
        double power = 1; /* z^(n-1) */
        for (int i = 1; i < n; i++)
            power *= z;
        double lower = z - (z - y / power) / n;
        if (!(lower < z))
            break;
        z = lower;
    }
    return clv_root_end(z, whole);
}
