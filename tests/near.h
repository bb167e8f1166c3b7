/* SPDX-License-Identifier: Apache-2.0
 * CLV_NEAR(a, b, tol): fails unless |a - b| <= tol, and shows both values.  Include after cmocka.h. */
#ifndef CLV_TESTS_NEAR_H
#define CLV_TESTS_NEAR_H
#include <math.h>

#define CLV_NEAR(a, b, tol) clv_near((a), (b), (tol), #a, #b, __FILE__, __LINE__)

static inline void clv_near(double a, double b, double tol, const char *name_a, const char *name_b, const char *file,
                            int line)
{
    if (fabs(a - b) <= tol)
        return;
    print_error("%s = %.17g\n%s = %.17g\ndifference %.3g, allowed %.3g\n", name_a, a, name_b, b, fabs(a - b), tol);
    _fail(file, line);
}

#endif
