/* SPDX-License-Identifier: Apache-2.0
 * exp, log and power of our own against the C library in long double, and where they have no value. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "math/exp_log.h"
#include "near.h"
#include <math.h>
#include <string.h>

/* Error in units in the last place of the exact value. */
static double ulps(double found, long double exact)
{
    const double near = (double)exact;
    return (double)fabsl(((long double)found - exact) / (nextafter(fabs(near), INFINITY) - fabs(near)));
}

static void exp_and_log_are_good_to_two_ulps(void **state)
{
    (void)state;
    double worst[2] = {0, 0};
    for (int i = 1; i < 40000; i++) {
        const double x = (i - 20000) * 0.0353, y = ldexp(1 + (i % 1000) / 1000.0, i % 1900 - 950);
        worst[0] = fmax(worst[0], ulps(clv_exp(x), expl((long double)x)));
        worst[1] = fmax(worst[1], ulps(clv_log(y), logl((long double)y)));
    }
    assert_true(worst[0] < 2);
    assert_true(worst[1] < 2);
    assert_true(clv_exp(0) == 1 && clv_log(1) == 0);
}

/* Recorded: other bits on a machine mean that its numbers differ. */
static void bits_are_those_recorded(void **state)
{
    (void)state;
    assert_true(clv_exp(1) == 0x1.5bf0a8b14576ap+1);
    assert_true(clv_log(10) == 0x1.26bb1bbb55516p+1);
    assert_true(clv_power(2, 0.1) == 0x1.125fbee250664p+0);
    assert_true(clv_power(1.1, 10) == 0x1.4bffc0c03023dp+1);
}

static void powers(void **state)
{
    (void)state;
    assert_true(clv_power(2, 10) == 1024 && clv_power(2, -2) == 0.25 && clv_power(-3, 3) == -27);
    assert_true(clv_power(0, 0) == 1 && clv_power(5, 0) == 1 && clv_power(0, 2.5) == 0);
    assert_true(clv_power(2, 0.5) == sqrt(2.0));
    assert_true(isnan(clv_power(-2, 0.3)) && isnan(clv_power(0, -0.3)) && isinf(clv_power(0, -1)));
    CLV_NEAR(clv_power(10, 2.5) / 316.22776601683796, 1, 1e-14);
}

static void ends_of_the_range(void **state)
{
    (void)state;
    assert_true(isinf(clv_exp(710.5)) && clv_exp(-800) == 0 && isnan(clv_exp(NAN)));
    assert_true(isnan(clv_log(0)) && isnan(clv_log(-1)) && isnan(clv_log(INFINITY)) && isnan(clv_log(NAN)));
    CLV_NEAR(clv_log(5e-324) / -744.4400719213812, 1, 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exp_and_log_are_good_to_two_ulps),
        cmocka_unit_test(bits_are_those_recorded),
        cmocka_unit_test(powers),
        cmocka_unit_test(ends_of_the_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
