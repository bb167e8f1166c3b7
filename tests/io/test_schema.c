/* SPDX-License-Identifier: Apache-2.0
 * The table of keys: sections are whole, every row is complete and stands in docs/model-file.md, misspelt keys find the
 * meant one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/memory.h"
#include "io/schema.h"
#include <stdio.h>
#include <string.h>

static void sections_are_whole(void **state)
{
    (void)state;
    int total = 0;
    for (int s = 0; s < CLV_SECTIONS; ++s) {
        assert_true(clv_schema_count((clv_section)s) > 0);
        assert_true(clv_schema_count((clv_section)s) <= 32); /* CLV_MOST_KEYS of the reader */
        assert_non_null(clv_schema_place((clv_section)s));
        total += clv_schema_count((clv_section)s);
    }
    assert_int_equal(total, CLV_KEYS); /* no section is torn apart */
}

static void every_row_is_complete_and_found(void **state)
{
    (void)state;
    for (int k = 0; k < CLV_KEYS; ++k) {
        const clv_schema_row *row = &clv_schema[k];
        assert_int_equal(clv_schema_find(row->section, row->key), k);
        assert_true(*row->text && *row->example);
        assert_true(strncmp(row->example, row->key, strlen(row->key)) == 0);
        assert_true(!row->required || !*row->value);
        assert_ptr_equal(clv_schema_nearest(row->section, row->key), row->key);
    }
    assert_int_equal(clv_schema_find(CLV_IN_BODY, "axis"), -1);
}

static void every_row_stands_in_the_user_page(void **state)
{
    (void)state;
    FILE *f = fopen(CLV_SOURCE_DIR "/docs/model-file.md", "rb");
    assert_non_null(f);
    char *page = clv_alloc(1 << 18, 1), line[400];
    assert_non_null(page);
    assert_true(fread(page, 1, (1 << 18) - 1, f) > 1000);
    fclose(f);
    for (int k = 0; k < CLV_KEYS; ++k) {
        snprintf(line, sizeof line, "| %s | `%s` |", clv_schema[k].text, clv_schema[k].example);
        if (!strstr(page, line))
            fail_msg("docs/model-file.md lacks: %s %s", clv_schema[k].key, line);
    }
    clv_free(page);
}

static void misspelt_keys_find_the_meant_one(void **state)
{
    (void)state;
    assert_string_equal(clv_schema_nearest(CLV_IN_JOINT, "axsi"), "axis");
    assert_string_equal(clv_schema_nearest(CLV_IN_BODY, "inertai"), "inertia");
    assert_string_equal(clv_schema_nearest(CLV_IN_FILE, "joint"), "joints");
    assert_string_equal(clv_schema_nearest(CLV_IN_START_BODY, "angular_velocty"), "angular_velocity");
    assert_null(clv_schema_nearest(CLV_IN_BODY, "temperature"));
    assert_null(clv_schema_nearest(CLV_IN_BODY, ""));
}

static void edit_distance_counts_single_changes(void **state)
{
    (void)state;
    assert_int_equal(clv_edit_distance("axis", "axis", 3), 0);
    assert_int_equal(clv_edit_distance("axis", "axsi", 3), 1); /* a swap */
    assert_int_equal(clv_edit_distance("mass", "mas", 3), 1);
    assert_int_equal(clv_edit_distance("mass", "masss", 3), 1);
    assert_int_equal(clv_edit_distance("mass", "mess", 3), 1);
    assert_int_equal(clv_edit_distance("kitten", "sitting", 3), 3);
    assert_int_equal(clv_edit_distance("a", "abcdef", 3), 4); /* gives up */
    assert_int_equal(clv_edit_distance("", "", 3), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sections_are_whole),
        cmocka_unit_test(every_row_is_complete_and_found),
        cmocka_unit_test(every_row_stands_in_the_user_page),
        cmocka_unit_test(misspelt_keys_find_the_meant_one),
        cmocka_unit_test(edit_distance_counts_single_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
