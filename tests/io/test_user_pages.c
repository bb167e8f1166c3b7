/* SPDX-License-Identifier: Apache-2.0
 * Every whole model shown in README.md and docs/model-file.md reads, and a simulation of it starts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/memory.h"
#include "io/error_print.h"
#include <stdio.h>
#include <string.h>

static void start(const char *text, size_t size)
{
    clv_model *m;
    clv_sim *s;
    if (clv_model_read_text(&m, text, size, "page") != CLV_OK) {
        clv_model_errors_print(stderr, m, NULL);
        fail();
    }
    if (clv_sim_create(&s, m, NULL) != CLV_OK)
        fail_msg("%s: %s", clv_model_name(m), clv_sim_error(s)->message);
    clv_sim_destroy(s);
    clv_model_destroy(m);
}

/* Number of models on the page. */
static int check_page(const char *path)
{
    static const char fence[] = "```yaml\ncleave: 1\n";
    char *page = clv_alloc(1 << 18, 1);
    FILE *f = fopen(path, "rb");
    int count = 0;
    assert_non_null(page);
    assert_non_null(f);
    assert_true(fread(page, 1, (1 << 18) - 1, f) > 0);
    fclose(f);
    for (const char *at = page, *end; (at = strstr(at, fence)); at = end, ++count) {
        at += strlen("```yaml\n");
        end = strstr(at, "```");
        assert_non_null(end);
        start(at, (size_t)(end - at));
    }
    clv_free(page);
    return count;
}

static void models_of_the_pages_start(void **state)
{
    (void)state;
    assert_true(check_page(CLV_SOURCE_DIR "/README.md") >= 1);
    assert_true(check_page(CLV_SOURCE_DIR "/docs/model-file.md") >= 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(models_of_the_pages_start)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
