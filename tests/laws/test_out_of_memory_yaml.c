/* SPDX-License-Identifier: Apache-2.0
 * libyaml runs out of memory.  It takes no allocator, but its own four memory functions are exported, and the ones of
 * this program come before those of the shared library: every call of them fails once in turn.  Skipped where libyaml
 * was linked to call its own all the same (-Bsymbolic-functions, as in Ubuntu). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/memory.h"
#include "cases.h"
#include "cleave/cleave.h"

#include <glob.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

static struct {
    long asked, refuse, live;
    bool for_good;
} heap;

static bool refused(void)
{
    ++heap.asked;
    return heap.refuse && (heap.asked == heap.refuse || (heap.for_good && heap.asked > heap.refuse));
}

/* ---------------------------------------------------------------- instead of libyaml's own (its src/api.c) */

#define EXPORTED __attribute__((visibility("default")))
EXPORTED void *yaml_malloc(size_t size);
EXPORTED void *yaml_realloc(void *block, size_t size);
EXPORTED void yaml_free(void *block);
EXPORTED yaml_char_t *yaml_strdup(const yaml_char_t *text);

void *yaml_malloc(size_t size)
{
    void *p = refused() ? NULL : malloc(size ? size : 1);
    heap.live += p != NULL;
    return p;
}

void *yaml_realloc(void *block, size_t size)
{
    void *p = refused() ? NULL : realloc(block, size ? size : 1);
    heap.live += p && !block;
    return p;
}

void yaml_free(void *block)
{
    heap.live -= block != NULL;
    free(block);
}

yaml_char_t *yaml_strdup(const yaml_char_t *text)
{
    if (!text || refused())
        return NULL;
    char *p = strdup((const char *)text);
    heap.live += p != NULL;
    return (yaml_char_t *)p;
}

/* ---------------------------------------------------------------- */

static long tried;

/* Reads the text, or where there is none the file of that name. */
static clv_status read_once(const char *name, const char *text, size_t size, long k, bool for_good)
{
    clv_model *model = NULL;
    heap.asked = 0, heap.refuse = k, heap.for_good = for_good;
    clv_status status = text ? clv_model_read_text(&model, text, size, name) : clv_model_read(&model, name);
    heap.refuse = 0;
    if (model && status == CLV_ERR_MEMORY)
        assert_int_equal(clv_model_error(model)->code, CLV_ERR_MEMORY);
    clv_model_destroy(model);
    if (heap.live || clv_alloc_live())
        fail_msg("%s: %ld blocks of libyaml and %ld of cleave leak when allocation %ld fails", name, heap.live,
                 clv_alloc_live(), k);
    return status;
}

/* Do libyaml's calls come here? */
static bool in_between(void)
{
    static const char text[] = "cleave: 1\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n";
    clv_model *model;
    heap.asked = 0;
    assert_int_equal(clv_model_read_text(&model, text, sizeof text - 1, NULL), CLV_OK);
    clv_model_destroy(model);
    return heap.asked > 0;
}

static void every_failure(const char *name, const char *text, size_t size)
{
    clv_status good = read_once(name, text, size, 0, false);
    long n = heap.asked;
    assert_true(n > 0);
    for (long k = 1; k <= n; k += 1 + k / 100) /* all of the first 100, then fewer and fewer */
        for (int for_good = 0; for_good < 2; ++for_good) {
            clv_status got = read_once(name, text, size, k, for_good);
            tried++;
            if (got != CLV_ERR_MEMORY && (good == CLV_OK || got != good))
                fail_msg("%s: allocation %ld of %ld fails: got %s", name, k, n, clv_status_text(got));
        }
}

static void every_file(const char *pattern)
{
    glob_t files;
    if (!in_between())
        skip();
    assert_int_equal(glob(pattern, 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; ++i)
        every_failure(files.gl_pathv[i], NULL, 0);
    globfree(&files);
    print_message("%ld failures tried\n", tried);
}

static void examples_are_read_or_memory_is_out(void **state)
{
    (void)state;
    every_file(CLV_SOURCE_DIR "/examples/*.yaml");
    every_file(CLV_SOURCE_DIR "/tests/flexible/*.yaml");
}

static void try_bad_model(const test_case *c, void *user)
{
    (void)user;
    every_failure(c->name, c->text, c->size);
}

static void bad_files_are_refused_or_memory_is_out(void **state)
{
    (void)state;
    if (!in_between())
        skip();
    assert_true(cases_of_folder(CLV_SOURCE_DIR "/tests/bad_models/", try_bad_model, NULL) > 300);
    print_message("%ld failures tried\n", tried);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples_are_read_or_memory_is_out),
        cmocka_unit_test(bad_files_are_refused_or_memory_is_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
