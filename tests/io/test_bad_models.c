/* SPDX-License-Identifier: Apache-2.0
 * Every file of tests/bad_models is refused by the reader or by the start of a simulation, and what a person reads
 * about it is the text beside it, to the letter: place, path, message, source line, caret, hint.  CLV_UPDATE=1 in the
 * environment writes the texts anew (then read the difference). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/memory.h"
#include "io/error_place.h"
#include "io/error_print.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER CLV_SOURCE_DIR "/tests/bad_models/"

static char *load(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    char *text = f ? clv_alloc(1 << 20, 1) : NULL;
    *size = text ? fread(text, 1, (1 << 20) - 1, f) : 0;
    if (f)
        fclose(f);
    return text;
}

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

/* What is printed about a bad model; malloc'ed by the stream. */
static char *complaint(const char *name, clv_status *status)
{
    char path[512], *said = NULL;
    size_t size, length;
    clv_model *m;
    snprintf(path, sizeof path, FOLDER "%s", name);
    char *text = load(path, &size);
    assert_non_null(text);
    *status = clv_model_read_text(&m, text, size, name);
    FILE *out = open_memstream(&said, &length);
    if (*status != CLV_OK)
        clv_model_errors_print(out, m, text);
    else
        *status = start(out, m, text);
    fclose(out);
    clv_model_destroy(m);
    clv_free(text);
    return said;
}

static void update(const char *path, const char *said)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(said, f);
    fclose(f);
}

static void check_one(const char *name)
{
    char path[512];
    clv_status status;
    size_t size;
    char *said = complaint(name, &status);
    snprintf(path, sizeof path, FOLDER "%.*s.txt", (int)(strlen(name) - 5), name);
    if (status == CLV_OK)
        fail_msg("%s reads without an error", name);
    if (getenv("CLV_UPDATE"))
        update(path, said);
    char *expected = load(path, &size);
    if (!expected)
        fail_msg("there is no %s", path);
    if (strcmp(said, expected) != 0)
        fail_msg("%s:\nsaid:\n%s\nexpected:\n%s", name, said, expected);
    clv_free(expected);
    (free)(said); /* the stream's own memory */
}

static void every_bad_model_is_told_as_expected(void **state)
{
    (void)state;
    int count = 0;
    DIR *folder = opendir(FOLDER);
    assert_non_null(folder);
    for (struct dirent *d; (d = readdir(folder));) {
        size_t n = strlen(d->d_name);
        if (n > 5 && strcmp(d->d_name + n - 5, ".yaml") == 0) {
            check_one(d->d_name);
            ++count;
        }
    }
    closedir(folder);
    assert_true(count >= 170);
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
        cmocka_unit_test(every_bad_model_is_told_as_expected),
        cmocka_unit_test(an_error_record_is_complete),
        cmocka_unit_test(a_file_that_is_not_there_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
