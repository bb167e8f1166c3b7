/* SPDX-License-Identifier: Apache-2.0
 * clv_sincos and clv_atan2 against the C library's long double functions (x87: 64 bits of fraction), in units in the
 * last place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "math/sincos.h"
#include "near.h"

#include <string.h>

static uint64_t seed = 1;
static double uniform(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) * 0x1p-52 - 1;
}
static double ulps(double value, long double truth)
{
    double size = fabs((double)truth);
    double ulp = nextafter(size, INFINITY) - size;
    return fabs((double)((value - truth) / ulp));
}
static double worst(double reach, int n)
{
    double most = 0, s, c;
    for (int i = 0; i < n; i++) {
        double x = reach * uniform();
        clv_sincos(x, &s, &c);
        most = fmax(most, fmax(ulps(s, sinl(x)), ulps(c, cosl(x))));
    }
    return most;
}

static void within_one_ulp_up_to_a_billion(void **state)
{
    static const double reach[] = {1e-8, 0.1, 0.8, 1.6, 7, 100, 1e4, 1e5, 1e7, 1e9, 1.6e9};
    (void)state;
    for (size_t i = 0; i < sizeof reach / sizeof *reach; i++)
        CLV_NEAR(worst(reach[i], 200000), 0, 1.0);
}

/* The doubles nearest to multiples of pi/2 cancel most. */
static void near_multiples_of_a_quarter_turn(void **state)
{
    double s, c, most = 0;
    (void)state;
    for (int n = 1; n < 1000000000; n += n < 100000 ? 1 : 99991) {
        double x = (double)(n * 1.570796326794896619231321691639751442L);
        clv_sincos(x, &s, &c);
        most = fmax(most, fmax(ulps(s, sinl(x)), ulps(c, cosl(x))));
    }
    CLV_NEAR(most, 0, 1.0);
}

static void exact_places(void **state)
{
    double s, c;
    (void)state;
    clv_sincos(0, &s, &c);
    assert_true(s == 0 && c == 1);
    clv_sincos(CLV_PI, &s, &c);
    assert_true(s == 0x1.1a62633145c07p-53 && c == -1);
    clv_sincos(CLV_PI / 2, &s, &c);
    assert_true(s == 1 && c == 0x1.1a62633145c07p-54);
    clv_sincos(1e-300, &s, &c);
    assert_true(s == 1e-300 && c == 1);
}

static void not_a_number_outside(void **state)
{
    static const double x[] = {1e10, -1e300, INFINITY, -INFINITY, NAN};
    double s, c;
    (void)state;
    for (size_t i = 0; i < sizeof x / sizeof *x; i++) {
        clv_sincos(x[i], &s, &c);
        assert_true(isnan(s) && isnan(c));
    }
}

/* One number for a million angles: equal for every compiler and optimisation (a change of this number is a change of
 * all results). */
static void bits_are_fixed(void **state)
{
    uint64_t hash = 14695981039346656037u, bits;
    (void)state;
    seed = 5;
    for (int i = 0; i < 1000000; i++) {
        double pair[3];
        double x = (i & 1 ? 10 : 1e6) * uniform();
        clv_sincos(x, &pair[0], &pair[1]);
        pair[2] = clv_atan2(x, uniform());
        for (int k = 0; k < 3; k++) {
            memcpy(&bits, &pair[k], sizeof bits);
            hash = (hash ^ bits) * 1099511628211u;
        }
    }
    assert_int_equal(hash, 0x580929c51a0810d3);
}

static void arc_tangent_within_two_ulps(void **state)
{
    double most = 0;
    (void)state;
    for (int i = 0; i < 1000000; i++) {
        double y = uniform(), x = uniform();
        if (i % 3 == 0)
            y *= 1e-9;
        if (i % 5 == 0)
            x *= 1e-12;
        most = fmax(most, ulps(clv_atan2(y, x), atan2l(y, x)));
    }
    CLV_NEAR(most, 0, 2.0);
    assert_true(clv_atan2(0, 0) == 0 && clv_atan2(0, 1) == 0);
    assert_true(clv_atan2(0, -1) == CLV_PI && clv_atan2(1, 0) == CLV_PI / 2 && clv_atan2(-1, 0) == -CLV_PI / 2);
    assert_true(isnan(clv_atan2(NAN, 1)) && isnan(clv_atan2(1, INFINITY)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(within_one_ulp_up_to_a_billion), cmocka_unit_test(near_multiples_of_a_quarter_turn),
        cmocka_unit_test(exact_places),                   cmocka_unit_test(not_a_number_outside),
        cmocka_unit_test(bits_are_fixed),                 cmocka_unit_test(arc_tangent_within_two_ulps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
