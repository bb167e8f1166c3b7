/* SPDX-License-Identifier: Apache-2.0
 * Numbers of the JSON writer read back to the same bits with the fewest digits; texts keep their bytes, and in a page
 * no text holds '<'. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "cli/json.h"

/* An object with one number and one text, as the writer makes it; free it. */
static char *written(double x, const char *word, bool tight)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    clv_json j = tight ? clv_json_begin_tight(out) : clv_json_begin(out);
    clv_json_object(&j, NULL);
    clv_json_number(&j, "x", x);
    clv_json_text(&j, "w", word);
    clv_json_array(&j, "a");
    clv_json_integer(&j, NULL, 1);
    clv_json_bool(&j, NULL, true);
    clv_json_end(&j);
    clv_json_end(&j);
    fclose(out);
    return text;
}

static void check_number(double x)
{
    char *text = written(x, "", true), *end;
    assert_memory_equal(text, "{\"x\":", 5);
    const double again = strtod(text + 5, &end);
    assert_int_equal(*end, ',');
    assert_memory_equal(&again, &x, sizeof x);
    for (int digits = 1; digits < 17; digits++) { /* no shorter number of digits from 15 on does */
        char shorter[40];
        snprintf(shorter, sizeof shorter, "%.*g", digits, x);
        if (strtod(shorter, NULL) == x && digits >= 15) {
            assert_int_equal(strlen(shorter), (size_t)(end - text - 5));
            break;
        }
    }
    free(text);
}

static void numbers_read_back(void **state)
{
    static const double some[] = {0,    -0.0, 1,         -1,     7e14,                    999999999999999,
                                  1e15, 1e16, 1.0 / 3,   5e-324, 2.2250738585072014e-308, -999999999999999,
                                  0.1,  -0.3, 2.5e14,    0.5,    1.7976931348623157e308,  1.2345678901234568e17};
    (void)state;
    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        check_number(some[i]);
    uint64_t bits = 88172645463325252u;
    for (int i = 0; i < 20000; i++) {
        double x;
        bits ^= bits << 13, bits ^= bits >> 7, bits ^= bits << 17;
        memcpy(&x, &bits, sizeof x);
        if (isfinite(x))
            check_number(x);
        check_number((double)(int64_t)(bits >> (bits & 63)) * (i % 2 ? 1 : -1)); /* whole numbers of every size */
    }
}

static void what_is_no_number_is_null(void **state)
{
    (void)state;
    char *text = written(NAN, "", true);
    assert_string_equal(text, "{\"x\":null,\"w\":\"\",\"a\":[1,true]}\n");
    free(text);
    text = written(-INFINITY, "", false);
    assert_string_equal(text, "{\n  \"x\": null,\n  \"w\": \"\",\n  \"a\": [1, true]\n}\n");
    free(text);
}

static void texts_are_escaped(void **state)
{
    static const struct {
        const char *from, *to;
        bool tight;
    } row[] = {
        {"plain <b>", "plain <b>", false},
        {"</script><!--", "\\u003c/script>\\u003c!--", true},
        {"a\"b\\c", "a\\\"b\\\\c", true},
        {"\n\t\x7f", "\\u000a\\u0009\\u007f", true},
        {"caf\xc3\xa9 <", "caf\xc3\xa9 \\u003c", true},
        {"\xff!", "\\ufffd!", false},
        {"", "", true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char *text = written(1, row[i].from, row[i].tight), want[80];
        snprintf(want, sizeof want, row[i].tight ? "\"w\":\"%s\",\"a\"" : "\"w\": \"%s\",\n", row[i].to);
        assert_non_null(strstr(text, want));
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_read_back),
        cmocka_unit_test(what_is_no_number_is_null),
        cmocka_unit_test(texts_are_escaped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
