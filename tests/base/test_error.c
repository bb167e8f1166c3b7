/* SPDX-License-Identifier: Apache-2.0
 * Error records: every status has a text, fields are cut at whole characters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/error.h"

#include <math.h>
#include <string.h>

static void every_status_has_a_text(void **state)
{
    (void)state;
    assert_string_equal(clv_status_text(CLV_OK), "success");
    for (int k = CLV_OK; k <= CLV_ERR_IO; k++)
        assert_true(strlen(clv_status_text((clv_status)k)) > 5);
    assert_string_equal(clv_status_text((clv_status)999), "unknown status");
}

static void a_failure_forgets_the_one_before(void **state)
{
    clv_error e;
    (void)state;
    assert_int_equal(clv_fail(&e, CLV_ERR_MODEL, "mass %d", 3), CLV_ERR_MODEL);
    clv_error_hint(&e, "try %s", "more");
    e.line = 7, e.value = 2;
    assert_string_equal(e.message, "mass 3");
    assert_string_equal(e.hint, "try more");
    assert_int_equal(clv_fail(&e, CLV_ERR_IO, "gone"), CLV_ERR_IO);
    assert_true(e.line == 0 && isnan(e.value) && isnan(e.time) && e.hint[0] == 0 && e.code == CLV_ERR_IO);
}

static void texts_are_cut_between_characters(void **state)
{
    char field[6];
    (void)state;
    clv_error_text(field, sizeof field, "abcde");
    assert_string_equal(field, "abcde");
    clv_error_text(field, sizeof field, "abcdef");
    assert_string_equal(field, "abcde");
    clv_error_text(field, sizeof field, "abcd\xC3\xA9"); /* the last character has two bytes, one fits */
    assert_string_equal(field, "abcd");
    clv_error_text(field, sizeof field, "abc\xC3\xA9xyz");
    assert_string_equal(field, "abc\xC3\xA9");
    clv_error_text(field, sizeof field, "ab\xF0\x9F\x98\x80");
    assert_string_equal(field, "ab");
    clv_error_text(field, sizeof field, NULL);
    assert_string_equal(field, "");
    clv_error e;
    char long_text[1000];
    memset(long_text, 'x', sizeof long_text);
    long_text[sizeof long_text - 1] = 0;
    clv_fail(&e, CLV_ERR_IO, "%s", long_text);
    assert_int_equal(strlen(e.message), sizeof e.message - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_status_has_a_text),
        cmocka_unit_test(a_failure_forgets_the_one_before),
        cmocka_unit_test(texts_are_cut_between_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
