/* SPDX-License-Identifier: Apache-2.0
 * Formulas by themselves: values, precedence, units, every refusal with its place, and any bytes at all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "io/expression.h"
#include "near.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* l = 0.4 m, n = 3 without a unit. */
static bool find(void *user, const char *name, int depth, clv_quantity *q, clv_expression_fault *f)
{
    (void)user, (void)depth;
    if (strcmp(name, "l") == 0)
        *q = (clv_quantity){0.4, CLV_WITH_UNIT, {{2, 0, 0, 0}}};
    else if (strcmp(name, "n") == 0)
        *q = (clv_quantity){3, CLV_FREE, {{0}}};
    else
        return clv_expression_fail(f, f->at, "", "unknown name '%.40s'", name);
    return true;
}

static const clv_scope scope = {find, NULL};

static clv_quantity value(const char *text)
{
    clv_quantity q;
    clv_expression_fault f;
    if (!clv_expression_read(text, &scope, 0, &q, &f))
        fail_msg("%s: %s at %zu", text, f.text, f.at);
    return q;
}

static void refused(const char *text, size_t at, const char *why)
{
    clv_quantity q;
    clv_expression_fault f;
    if (clv_expression_read(text, &scope, 0, &q, &f))
        fail_msg("%s gives %g", text, q.x);
    if (f.at != at || !strstr(f.text, why))
        fail_msg("%s: '%s' at %zu, expected '%s' at %zu", text, f.text, f.at, why, at);
}

static void arithmetic(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double x;
    } row[] = {{"1 + 2*3", 7},
               {"(1+2)*3", 9},
               {"7 - 2 - 1", 4},
               {"8/4/2", 1},
               {"-2^2", -4},
               {"2^-1", 0.5},
               {"2**3**2", 512},
               {"--3", 3},
               {"-+-3", 3},
               {"2*-3", -6},
               {"1e3/1e-3", 1e6},
               {".5 + 5.", 5.5},
               {"sqrt(9)", 3},
               {"abs(-2)", 2},
               {"min(3, 1, 2)", 1},
               {"max(1,4)", 4},
               {"floor(-1.5)", -2},
               {"mod(7, 3)", 1},
               {"mod(-1, 3)", 2},
               {"exp(0)", 1},
               {"log(1)", 0},
               {"atan2(0, 1)", 0},
               {"n*n", 9},
               {"2^0.5", 1.4142135623730951},
               {"pi", 3.141592653589793},
               {"sin(pi/6)", 0.5},
               {"cos(60 deg)", 0.5},
               {"tan(45deg)", 1},
               {"asin(1)*2", 3.141592653589793},
               {"acos(-1)", 3.141592653589793},
               {"4*atan(1)", 3.141592653589793},
               {"0^0", 1},
               {"(((1)))", 1}};
    for (size_t i = 0; i < sizeof row / sizeof *row; ++i)
        if (!(fabs(value(row[i].text).x - row[i].x) <= 4e-16 * fabs(row[i].x)))
            fail_msg("%s is %.17g, expected %.17g", row[i].text, value(row[i].text).x, row[i].x);
}

/* A power of ten moves the decimal point: the bits are those of the number in SI. */
static void units_are_exact(void **state)
{
    (void)state;
    assert_true(value("300 mm").x == 0.3);
    assert_true(value("300mm").x == 0.3);
    assert_true(value("0.1 mm").x == 0.0001);
    assert_true(value("12.7e1 cm").x == 1.27);
    assert_true(value("70 GPa").x == 70e9);
    assert_true(value("1.1 kN/mm").x == 1.1e6);
    assert_true(value("300 mm^2").x == 300e-6);
    assert_true(value("7.85 g/cm^3").x == 7850);
    assert_true(value("1 inch").x == 0.0254);
    assert_true(value("36 km/h").x == 10);
    clv_unit u;
    assert_true(clv_unit_whole("1/s^2", &u) && u.dimension.of[CLV_SECOND] == -4);
    assert_true(clv_unit_whole("kg/(m s)", &u) && u.dimension.of[CLV_METRE] == -2 && u.dimension.of[CLV_SECOND] == -2);
    assert_false(clv_unit_whole("kg/m s", &u) || clv_unit_whole("1", &u) || clv_unit_whole("kg ", &u));
    assert_true(value("5 bar").x == 5e5);
    assert_true(value("90 deg").x == 90 * (3.14159265358979323846 / 180));
    CLV_NEAR(value("60 rpm").x, 2 * 3.14159265358979323846, 1e-15);
    CLV_NEAR(value("1 Hz").x, 2 * 3.14159265358979323846, 0);
}

static void is(const char *text, clv_unit_state state, const char *unit)
{
    char shown[CLV_UNIT_TEXT];
    const clv_quantity q = value(text);
    clv_dimension_text(&q.dimension, shown);
    if (q.state != state || (state == CLV_WITH_UNIT && strcmp(shown, unit) != 0))
        fail_msg("%s is %d %s, expected %d %s", text, (int)q.state, shown, (int)state, unit);
}

static void units_follow(void **state)
{
    (void)state;
    is("2", CLV_BARE, "");
    is("n", CLV_FREE, "");
    is("2*n", CLV_FREE, "");
    is("2*l", CLV_WITH_UNIT, "m");
    is("n*l", CLV_FREE, "");
    is("l + 1", CLV_WITH_UNIT, "m");
    is("n + 3 kg", CLV_WITH_UNIT, "kg");
    is("l/l", CLV_WITH_UNIT, "");
    is("l^2", CLV_WITH_UNIT, "m^2");
    is("sqrt(l^2)", CLV_WITH_UNIT, "m");
    is("6 m/s", CLV_WITH_UNIT, "m/s");
    is("6 m / 2 s", CLV_WITH_UNIT, "m/s");
    is("2 kg * 9.81 m/s^2", CLV_WITH_UNIT, "N");
    is("2 m/l", CLV_WITH_UNIT, "");
    is("5 N m/rad", CLV_WITH_UNIT, "N m/rad");
    is("3 kg m^2", CLV_WITH_UNIT, "kg m^2");
    is("max(l, 1 mm)", CLV_WITH_UNIT, "m");
    is("atan2(l, 2*l)", CLV_BARE, "");
}

static void refusals_have_a_place(void **state)
{
    (void)state;
    refused("", 0, "missing at the end");
    refused("1 +", 3, "missing at the end");
    refused("1 2", 2, "unexpected '2'");
    refused("2 * (3", 6, "')' is missing");
    refused("2)", 1, "unexpected ')'");
    refused("1/0", 1, "division by 0");
    refused("1/(2-2)", 1, "division by 0");
    refused("0^-1", 1, "division by 0");
    refused("2*q", 2, "unknown name 'q'");
    refused("q(1)", 0, "no function 'q'");
    refused("sine(1)", 0, "did you mean 'sin'");
    refused("sin", 0, "sin needs a value in brackets");
    refused("sin()", 4, "unexpected ')'");
    refused("sin(1, 2)", 0, "takes 1 value, found 2");
    refused("min(1)", 0, "takes at least 2 values");
    refused("min(1,2,3,4,5,6,7,8,9)", 20, "at most 8");
    refused("sqrt(-1)", 0, "root of a negative");
    refused("2 + log(0)", 4, "logarithm");
    refused("asin(2)", 0, "asin of 2");
    refused("(-8)^0.3", 4, "fractional power");
    refused("1e200*1e200", 5, "too large");
    refused("1e999", 0, "too large");
    refused("exp(1000)", 0, "too large");
    refused("10^400", 2, "too large");
    refused("mod(1, 0)", 0, "divisor 0");
    refused("2 metre", 2, "unknown unit 'metre'");
    refused("2 l", 2, "unknown unit 'l'");
    refused("2 m^x", 2, "power of a unit");
    refused("1 m + 1 kg", 4, "m and kg cannot be added");
    refused("1 - (2 m - 1 s)", 9, "cannot be subtracted");
    refused("sin(1 m)", 0, "sin of a value in m");
    refused("exp(l)", 0, "exp of a value in m");
    refused("sqrt(sqrt(l))", 0, "sqrt of a value in m^0.5");
    refused("2^l", 1, "exponent");
    refused("l^0.3", 1, "whole powers");
    refused("min(1 m, 1 s)", 0, "different units");
    refused("sin(1e10)", 0, "up to 1.6e9");
    refused("((1 m^9)^9)^9", 8, "power of its unit is too large");
    refused("1 $ 2", 2, "unexpected '$'");
}

static void depth_and_length_are_limited(void **state)
{
    (void)state;
    char text[1200];
    memset(text, '(', sizeof text);
    text[1000] = '\0';
    refused(text, 100, "nested more than 100");
    memset(text, '-', 1000);
    refused(text, 100, "nested more than 100");
    for (int i = 0; i < 1001; i += 2)
        text[i] = '1', text[i + 1] = '+';
    text[1001] = '\0';
    refused(text, 0, "more than 1000");
    memset(text, '(', 99), text[99] = '1', memset(text + 100, ')', 99), text[199] = '\0';
    assert_true(value(text).x == 1);
}

/* Texts of the characters of formulas, and of any bytes: a value that is finite, or a fault inside the text. */
static void any_bytes(void **state)
{
    (void)state;
    static const char piece[][8] = {"1", "2.5", "(",    ")",     "+",    "-",        "*",   "/",    "^",
                                    ",", " ",   "l",    "n",     "sin(", "mm",       "kg",  "^2",   "/s",
                                    "e", ".",   "min(", "sqrt(", "0",    "\xc2\xb0", "1e9", "mod(", "pi"};
    uint64_t seed = 88172645463325252u;
    char text[200];
    long good = 0;
    for (int k = 0; k < 200000; ++k) {
        size_t n = 0;
        const int pieces = 1 + (int)(seed >> 33) % 12;
        for (int i = 0; i < pieces; ++i) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            if (k % 4)
                n += (size_t)snprintf(text + n, sizeof text - n, "%s",
                                      piece[(seed >> 33) % (sizeof piece / sizeof *piece)]);
            else
                text[n++] = (char)(1 + (seed >> 33) % 255);
        }
        text[n] = '\0';
        clv_quantity q;
        clv_expression_fault f;
        if (clv_expression_read(text, &scope, 0, &q, &f)) {
            assert_true(isfinite(q.x));
            ++good;
        } else
            assert_true(f.at <= n && *f.text);
    }
    assert_true(good > 5000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic),
        cmocka_unit_test(units_are_exact),
        cmocka_unit_test(units_follow),
        cmocka_unit_test(refusals_have_a_place),
        cmocka_unit_test(depth_and_length_are_limited),
        cmocka_unit_test(any_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
