/* SPDX-License-Identifier: Apache-2.0
 * Roots of whole degree: accuracy over all sizes, exact cases, ends of the range. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "math/root.h"
#include "near.h"

static void roots_are_accurate(void **state)
{
    (void)state;
    for (int n = 1; n <= 64; n++)
        for (double x = 1e-300; x < 1e300; x *= 1.37e7) {
            double truth = (double)powl(x, 1.0L / n);
            CLV_NEAR(clv_root(x, n) / truth, 1, 4 * DBL_EPSILON);
        }
}

static void exact_powers_have_exact_roots(void **state)
{
    (void)state;
    for (int n = 1; n <= 14; n++) {
        assert_true(clv_root(1, n) == 1);
        assert_true(clv_root(ldexp(1, 5 * n), n) == 32);
        assert_true(clv_root(ldexp(1, -7 * n), n) == ldexp(1, -7));
    }
}

static void ends_of_the_range(void **state)
{
    (void)state;
    for (int n = 1; n <= 64; n++) {
        assert_true(clv_root(0, n) == 0);
        assert_true(isinf(clv_root(INFINITY, n)));
        assert_true(isnan(clv_root(NAN, n)) && isnan(clv_root(-1, n)));
        CLV_NEAR(clv_root(DBL_MAX, n) / pow(DBL_MAX, 1.0 / n), 1, 1e-12);
        CLV_NEAR(clv_root(0x1p-1074, n) / pow(2, -1074.0 / n), 1, 1e-12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roots_are_accurate),
        cmocka_unit_test(exact_powers_have_exact_roots),
        cmocka_unit_test(ends_of_the_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
