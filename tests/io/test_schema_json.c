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

/* `key` of the top level refers to the definition `to` */
static void refers(const char *text, const char *key, const char *to)
{
    char want[160];
    snprintf(want, sizeof want, "        \"%s\": {", key);
    const char *at = strstr(text, want);
    assert_non_null(at);
    snprintf(want, sizeof want, "{\"$ref\": \"#/definitions/%s\"}", to);
    assert_non_null(strstr(at, want));
    assert_true(strstr(at, want) < strchr(at, '\n'));
}

/* the definition `name` is of the kind of force `kind`, and one of any_force */
static void defines(const char *text, const char *name, const char *kind)
{
    char want[160];
    snprintf(want, sizeof want, "    \"%s\": {\n", name);
    const char *at = strstr(text, want);
    assert_non_null(at);
    snprintf(want, sizeof want, "\"kind\": {\"allOf\": [{\"const\": \"%s\"}", kind);
    assert_non_null(strstr(at, want));
    assert_true(strstr(at, want) < strstr(at, "\n    }"));
    snprintf(want, sizeof want, "{\"$ref\": \"#/definitions/%s\"}", name);
    assert_non_null(strstr(text, want));
    assert_true(strstr(text, want) < strstr(text, "\n    \"file\""));
}

static void definitions_have_their_names(void **state)
{
    (void)state;
    char *text = generated();
    refers(text, "motions", "motion"), refers(text, "couplings", "coupling"), refers(text, "markers", "marker");
    refers(text, "inputs", "input"), refers(text, "start", "start"), refers(text, "forces", "any_force");
    defines(text, "force", "force"), defines(text, "torque", "torque"), defines(text, "load", "joint-load");
    defines(text, "spring", "spring-damper"), defines(text, "damper", "angular-damper");
    defines(text, "bushing", "bushing"), defines(text, "contact", "contact");
    (free)(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_committed_file_is_the_generated_one),
        cmocka_unit_test(every_key_is_there_and_braces_close),
        cmocka_unit_test(definitions_have_their_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
