/* SPDX-License-Identifier: Apache-2.0
 * How one error looks: place, path, message; the source line cut around its column; a caret under the character meant;
 * the hint. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/error.h"
#include "io/error_print.h"
#include <stdlib.h>
#include <string.h>

static void check(int line, int column, const char *text, const char *expected)
{
    clv_error e;
    char *said = NULL;
    size_t size;
    clv_fail(&e, CLV_ERR_MODEL, "wrong");
    clv_error_hint(&e, "repair it");
    strcpy(e.file, "f.yaml");
    strcpy(e.path, "a.b");
    e.line = line;
    e.column = column;
    FILE *out = open_memstream(&said, &size);
    clv_error_print(out, &e, text);
    fclose(out);
    assert_string_equal(said, expected);
    (free)(said);
}

static void the_caret_stands_under_the_character(void **state)
{
    (void)state;
    check(2, 5, "one\ntwo 3\n", "f.yaml:2:5: a.b: wrong\n     2 | two 3\n       |     ^\n  hint: repair it\n");
    check(1, 3, "\xc3\xa4\xc3\xb6\xc3\xbc\n",
          "f.yaml:1:3: a.b: wrong\n     1 | \xc3\xa4\xc3\xb6\xc3\xbc\n       |   ^\n  hint: repair it\n");
    check(1, 2, "\tx", "f.yaml:1:2: a.b: wrong\n     1 | \tx\n       | \t^\n  hint: repair it\n");
}

static void what_is_not_there_is_left_out(void **state)
{
    (void)state;
    check(0, 0, "text", "f.yaml: a.b: wrong\n  hint: repair it\n");
    check(2, 5, NULL, "f.yaml:2:5: a.b: wrong\n  hint: repair it\n");
    check(9, 5, "one\n", "f.yaml:9:5: a.b: wrong\n  hint: repair it\n");
}

static void long_lines_are_cut_around_the_column(void **state)
{
    (void)state;
    char text[400], *said = NULL;
    size_t size;
    clv_error e;
    memset(text, '.', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    text[199] = '#';
    clv_fail(&e, CLV_ERR_MODEL, "wrong");
    e.line = 1;
    e.column = 200;
    FILE *out = open_memstream(&said, &size);
    clv_error_print(out, &e, text);
    fclose(out);
    const char *line = strchr(said, '\n') + 1, *caret = strchr(line, '\n') + 1;
    assert_true(caret - line < 130);
    assert_int_equal(strchr(line, '#') - line, strchr(caret, '^') - caret);
    (free)(said);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_caret_stands_under_the_character),
        cmocka_unit_test(what_is_not_there_is_left_out),
        cmocka_unit_test(long_lines_are_cut_around_the_column),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
