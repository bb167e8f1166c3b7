/* SPDX-License-Identifier: Apache-2.0
 * Characters with an effect on a terminal are spelt out, all others are themselves. */
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "base/text.h"

static void check(const char *text, const char *expected, bool plain)
{
    char said[256] = "", shown[CLV_SHOWN];
    for (const char *s = text; *s; strcat(said, shown))
        s += clv_text_next(s, shown);
    assert_string_equal(said, expected);
    assert_int_equal(clv_text_plain(text), plain);
}

static void ordinary_text_is_itself(void **state)
{
    (void)state;
    check("", "", true);
    check("crank 1 ~\\", "crank 1 ~\\", true);
    check("\xc3\xa4\xe2\x82\xac\xf0\x9f\x94\xa7\xc2\xa0", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x94\xa7\xc2\xa0", true);
    check("\xd7\xa9\xd9\x84", "\xd7\xa9\xd9\x84", true); /* letters that run from right to left */
}

static void effects_are_spelt_out(void **state)
{
    (void)state;
    check("\x1b]0;x\a\n\t\x7f", "\\x1b]0;x\\x07\\x0a\\x09\\x7f", false);
    check("a\xc2\x9b" "1m\xc2\x85", "a\\u009b1m\\u0085", false);
    check("\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xaa\xe2\x80\xae", "\\u2028\\u2029\\u202a\\u202e", false);
    check("\xe2\x81\xa6\xe2\x81\xa9\xe2\x81\xaa", "\\u2066\\u2069\xe2\x81\xaa", false);
}

static void what_is_no_utf8_is_spelt_out(void **state)
{
    (void)state;
    check("\x9b" "1m", "\\x9b1m", false);
    check("\xc3", "\\xc3", false);                      /* cut off */
    check("\xc0\x9b", "\\xc0\\x9b", false);            /* overlong */
    check("\xed\xa0\x80", "\\xed\\xa0\\x80", false);  /* a surrogate */
    check("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80", false);
}

/* A decimal point whatever the locale: in German a comma would be meant, and 0.5 read as 0. */
static void numbers_have_a_point_everywhere(void **state)
{
    (void)state;
    static const char *const german[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8", "ru_RU.UTF-8"};
    const char *set = NULL, *end, *text = "0.5x";
    for (size_t i = 0; !set && i < sizeof german / sizeof *german; i++)
        set = setlocale(LC_NUMERIC, german[i]);
    assert_true(clv_text_number(text, &end) == 0.5 && end == text + 3);
    assert_true(clv_text_number("1e-3", &end) == 1e-3 && *end == '\0');
    assert_true(clv_text_number("-0.5", &end) == -0.5 && *end == '\0');
    static const char *const hexadecimal[] = {"0x10", "-0X1p3", " +0xf"};
    for (size_t i = 0; i < 3; i++)
        assert_true(isnan(clv_text_number(hexadecimal[i], &end)) && end == hexadecimal[i]);
    text = "x";
    (void)clv_text_number(text, &end);
    assert_ptr_equal(end, text);
    if (set)
        assert_true(strtod("0.5", NULL) != 0.5); /* the locale was put back */
    else
        print_message("no locale with a decimal comma is installed\n");
    setlocale(LC_NUMERIC, "C");
}

static void words_of_a_shell(void **state)
{
    (void)state;
    char to[CLV_TEXT_WORD], longest[CLV_TEXT_WORD] = {0};
    static const char *const word[][2] = {{"arm.yaml", "arm.yaml"}, {"runs/a-1_b.cleave", "runs/a-1_b.cleave"},
                                          {"two arms.yaml", "'two arms.yaml'"}, {"a'b", "'a'\\''b'"}, {"$x", "'$x'"},
                                          {"", "''"}, {"gr\xc3\xbcn.yaml", "gr\xc3\xbcn.yaml"}};
    for (size_t i = 0; i < sizeof word / sizeof *word; i++)
        assert_string_equal(clv_text_word(word[i][0], to), word[i][1]);
    memset(longest, ' ', sizeof longest - 1);
    assert_ptr_equal(clv_text_word(longest, to), longest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ordinary_text_is_itself),
                                       cmocka_unit_test(effects_are_spelt_out),
                                       cmocka_unit_test(what_is_no_utf8_is_spelt_out),
                                       cmocka_unit_test(words_of_a_shell),
                                       cmocka_unit_test(numbers_have_a_point_everywhere)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
