/* SPDX-License-Identifier: Apache-2.0
 * The list of reported numbers: values in and out, the page, a saved state. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "simulation/report_rows.h"

static void values_go_in_and_out(void **state)
{
    (void)state;
    clv_sim_report r = {0};
    const clv_report_row *row;
    int n = 0, saved = 0;
    for (; (row = clv_report_row_at(n)) != NULL; n++) {
        clv_report_set_number(&r, row, row->type == CLV_REPORT_NUMBER ? 0.3 + n : 3 + n);
        saved += row->saved;
    }
    for (int i = 0; (row = clv_report_row_at(i)) != NULL; i++)
        assert_true(clv_report_number(&r, row) == (row->type == CLV_REPORT_NUMBER ? 0.3 + i : 3 + i));
    assert_true(n >= 30 && saved == CLV_REPORT_SAVED && saved >= 15);
    assert_null(clv_report_row_at(-1));
    assert_int_equal(r.bodies, 3);
    assert_true(r.steps > 3 && r.momentum_error == 0.3 + n - 1);
}

/* docs/commands.md has every row with its text, in this order */
static void the_page_has_the_list(void **state)
{
    (void)state;
    char *page = calloc(1, 1 << 18);
    FILE *f = fopen(CLV_SOURCE_DIR "/docs/commands.md", "rb");
    assert_non_null(f);
    assert_true(fread(page, 1, (1 << 18) - 1, f) > 0);
    fclose(f);
    const clv_report_row *row;
    const char *at = page;
    for (int i = 0; (row = clv_report_row_at(i)) != NULL; i++) {
        char line[600];
        snprintf(line, sizeof line, "\n| `%s` | %s |\n", row->name, row->text);
        const char *found = strstr(at, line);
        if (!found)
            fail_msg("docs/commands.md lacks, or has at another place:%s", line);
        at = found + strlen(line) - 2;
    }
    free(page);
}

static void advance(clv_sim *s, double t)
{
    if (clv_sim_advance(s, t) != CLV_OK)
        fail_msg("%s", clv_sim_error(s)->message);
}

/* a run that goes on from a saved state reports the same as one that was not stopped */
static void a_saved_state_carries_the_numbers_on(void **state)
{
    (void)state;
    clv_model *m;
    clv_sim *whole, *first, *rest;
    clv_sim_report a, b;
    const clv_report_row *row;
    int nonzero = 0;
    assert_int_equal(clv_example_create(&m, "four-bar-ladder", NULL, 0), CLV_OK);
    assert_int_equal(clv_sim_create(&whole, m, NULL), CLV_OK);
    assert_int_equal(clv_sim_create(&first, m, NULL), CLV_OK);
    assert_int_equal(clv_sim_create(&rest, m, NULL), CLV_OK);
    advance(whole, 0.5), advance(first, 0.5);
    const size_t size = clv_sim_saved_size(first);
    void *bytes = malloc(size);
    clv_sim_save(first, bytes);
    assert_int_equal(clv_sim_load(rest, bytes, size), CLV_OK);
    advance(whole, 1), advance(rest, 1);
    clv_sim_summary(whole, &a), clv_sim_summary(rest, &b);
    for (int i = 0; (row = clv_report_row_at(i)) != NULL; i++) {
        const double x = clv_report_number(&a, row), y = clv_report_number(&b, row);
        if (memcmp(&x, &y, sizeof x) != 0)
            fail_msg("%s: %.17g, %.17g after loading", row->name, x, y);
        nonzero += row->saved && x != 0;
    }
    assert_true(nonzero >= 5);
    free(bytes);
    clv_sim_destroy(whole), clv_sim_destroy(first), clv_sim_destroy(rest);
    clv_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_go_in_and_out),
        cmocka_unit_test(the_page_has_the_list),
        cmocka_unit_test(a_saved_state_carries_the_numbers_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
