/* SPDX-License-Identifier: Apache-2.0
 * Every model of tests/bad_models (one file a section of a model file) is refused by the reader or by the start of a
 * simulation, and what a person reads about it is the text under `--- refused`, to the letter: place, path, message,
 * source line, caret, hint.  CLV_UPDATE=1 in the environment writes the texts anew (then read the difference). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cases.h"
#include "io/error_print.h"
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER CLV_SOURCE_DIR "/tests/bad_models/"

/* What only the start of a simulation finds. */
static clv_status start(FILE *out, const clv_model *m, const char *text)
{
    clv_sim *s;
    clv_status status = clv_sim_create(&s, m, NULL);
    assert_non_null(s);
    if (status != CLV_OK) {
        clv_error e = *clv_sim_error(s);
        clv_error_place(&e, m);
        clv_error_print(out, &e, text);
    }
    clv_sim_destroy(s);
    return status;
}

/* What is printed about a bad model; the stream's own memory. */
static char *complaint(const char *name, const char *model, size_t size, clv_status *status)
{
    char *said = NULL;
    size_t length;
    clv_model *m;
    char *text = (calloc)(size + 1, 1); /* printing wants a terminated text */
    assert_non_null(text);
    memcpy(text, model, size);
    *status = clv_model_read_text(&m, text, size, name);
    FILE *out = open_memstream(&said, &length);
    if (*status != CLV_OK)
        clv_model_errors_print(out, m, text);
    else
        *status = start(out, m, text);
    fclose(out);
    clv_model_destroy(m);
    (free)(text);
    return said;
}

/* One case; with `user` (the file that is written anew) it only writes what is said today. */
static void check_one(const test_case *c, void *user)
{
    char name[160];
    clv_status status;
    snprintf(name, sizeof name, "%s.yaml", c->name);
    char *said = complaint(name, c->text, c->size, &status);
    if (status == CLV_OK)
        fail_msg("%s reads without an error", name);
    if (user) {
        fprintf(user, "=== %s\n", c->name);
        fwrite(c->text, 1, c->size, user);
        fprintf(user, "\n--- refused\n%s\n", said);
    } else if (!c->expected)
        fail_msg("%s: no text is expected", name);
    else if (strlen(said) != c->expected_size || memcmp(said, c->expected, c->expected_size) != 0)
        fail_msg("%s:\nsaid:\n%s\nexpected:\n%.*s", name, said, (int)c->expected_size, c->expected);
    (free)(said);
}

/* Writes the texts of one file anew. */
static void update(const char *path)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    cases_of_file(path, check_one, out);
    fclose(out);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, size, f), size);
    fclose(f);
    (free)(text);
}

static void every_bad_model_is_refused_as_expected(void **state)
{
    (void)state;
    glob_t files;
    assert_int_equal(glob(FOLDER "*.cases", 0, NULL, &files), 0);
    for (size_t i = 0; getenv("CLV_UPDATE") && i < files.gl_pathc; ++i)
        update(files.gl_pathv[i]);
    globfree(&files);
    assert_true(cases_of_folder(FOLDER, check_one, NULL) >= 330);
}

/* The record behind the text. */
static void an_error_record_is_complete(void **state)
{
    (void)state;
    static const char text[] = "cleave: 1\nbodies:\n  crank: {mass: -1, inertia: [1, 1, 1]}\n";
    clv_model *m;
    assert_int_equal(clv_model_read_text(&m, text, sizeof text - 1, "x.yaml"), CLV_ERR_MODEL);
    assert_int_equal(clv_model_error_count(m), 1);
    const clv_error *e = clv_model_error_at(m, 0);
    assert_string_equal(e->file, "x.yaml");
    assert_int_equal(e->line, 3);
    assert_int_equal(e->column, 17);
    assert_string_equal(e->path, "bodies.crank.mass");
    assert_string_equal(clv_model_error(m)->message, e->message);
    assert_true(clv_model_finish(m) != CLV_OK); /* a model with errors cannot be finished */
    clv_model_destroy(m);
}

static void a_file_that_is_not_there_is_named(void **state)
{
    (void)state;
    clv_model *m;
    assert_int_equal(clv_model_read(&m, "/nowhere/x.yaml"), CLV_ERR_IO);
    assert_non_null(strstr(clv_model_error(m)->message, "/nowhere/x.yaml"));
    assert_int_equal(clv_model_error_count(m), 1);
    clv_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_bad_model_is_refused_as_expected),
        cmocka_unit_test(an_error_record_is_complete),
        cmocka_unit_test(a_file_that_is_not_there_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
