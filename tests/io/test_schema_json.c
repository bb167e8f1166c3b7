/* SPDX-License-Identifier: Apache-2.0
 * docs/model-schema.json is what the reader's own table says.  CLV_UPDATE=1 in the environment writes it anew. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/memory.h"
#include "io/schema.h"
#include <stdlib.h>
#include <string.h>

#define FILE_NAME CLV_SOURCE_DIR "/docs/model-schema.json"

static char *generated(void)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    clv_schema_json_write(out);
    fclose(out);
    return text;
}

static void the_committed_file_is_the_generated_one(void **state)
{
    (void)state;
    char *text = generated(), *found = clv_alloc(1 << 18, 1);
    FILE *f = fopen(FILE_NAME, getenv("CLV_UPDATE") ? "w+" : "r");
    assert_non_null(f);
    if (getenv("CLV_UPDATE")) {
        fputs(text, f);
        rewind(f);
    }
    assert_true(fread(found, 1, (1 << 18) - 1, f) > 0);
    fclose(f);
    if (strcmp(text, found) != 0)
        fail_msg("docs/model-schema.json is not what the table says; CLV_UPDATE=1 writes it anew");
    clv_free(found);
    (free)(text);
}

static void every_key_is_there_and_braces_close(void **state)
{
    (void)state;
    char *text = generated(), key[80];
    int depth = 0, quotes = 0;
    for (int k = 0; k < CLV_KEYS; ++k) {
        bool other =
            clv_schema[k].section == CLV_IN_FE || clv_schema[k].section == CLV_IN_INTERFACE; /* no model file */
        if (other)
            continue;
        snprintf(key, sizeof key, "        \"%s\": {", clv_schema[k].key);
        assert_non_null(strstr(text, key));
    }
    for (const char *c = text; *c; ++c) {
        quotes += *c == '"' && c[-1] != '\\';
        if (quotes % 2 == 0)
            depth += (*c == '{' || *c == '[') - (*c == '}' || *c == ']');
        assert_true(depth >= 0);
    }
    assert_int_equal(depth, 0);
    (free)(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_committed_file_is_the_generated_one),
        cmocka_unit_test(every_key_is_there_and_braces_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
